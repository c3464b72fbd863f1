"""
Start: which digits are which, and how surely
=============================================

Clusters 1,497 pictures of handwritten digits, looks at the ones that are in doubt, and scores 300 new ones.

The classes are known here. They are used to judge the answer and never to find it.
"""

# %%
# Fit
# ---
# A scikit-learn estimator: rows are items, columns are features. The last 300 pictures are kept for later.

import warnings
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from partita import SoftClustering
from partita.metrics import accuracy, adjusted_rand_index
from partita.plots import PartitionDisplay

X, digit = load_digits(return_X_y=True)
known, new = slice(0, 1497), slice(1497, None)

with warnings.catch_warnings(record=True) as caught:  # the number of clusters is not sure, and a warning says so
    warnings.simplefilter("always")
    model = SoftClustering(random_state=0).fit(X[known])
print("memberships:", model.membership_.shape, "rows sum to one:", np.allclose(model.membership_.sum(axis=1), 1))
print("warned of:", *(warning.category.__name__ for warning in caught))
print("status:", model.result_.status, "after", model.n_iter_, "iterations")
print(f"adjusted Rand index against the classes: {adjusted_rand_index(digit[known], model.labels_):.3f}")

# %%
# What the fit says of itself
# ---------------------------
# ``result_.notes`` has what a reader should know: how sure the number of clusters is, what was taken where nothing was
# said, and why. ``verdict_`` has the number and its probability.

print(f"{model.n_clusters_} clusters, {model.verdict_.n_clusters} with a probability of {model.verdict_.sure:.2f}")

for note in model.result_.notes:
    print(fill(note, 80, initial_indent="- ", subsequent_indent="  "))

# %%
# We know that there are ten digits, about equally frequent. That is knowledge, and it has names; on a graph of
# neighbours sizes tell most:

options = {"affinity": "neighbors", "probabilities": "fitted", "random_state": 0}
model = SoftClustering(n_clusters=10, sizes="equal", **options).fit(X[known])
print(f"adjusted Rand index against the classes: {adjusted_rand_index(digit[known], model.labels_):.3f}")
print(f"accuracy, clusters matched to classes:   {accuracy(digit[known], model.labels_):.3f}")

# %%
# Where the clusters lie, and where the doubt is
# ----------------------------------------------
# At the left the partition, at the right the entropy of every item's membership, on the first two principal components.

PartitionDisplay.from_estimator(model, X[known])
plt.show()

# %%
# The items in most doubt
# -----------------------
# ``boundary`` names them, most ambiguous first: items whose two largest memberships are less than .2 apart. Above each
# stands the digit that was meant, and the two clusters it lies between; clusters are numbered as they come, and are no
# digits.

doubtful = model.result_.membership.boundary()[:10]
figure, axes = plt.subplots(2, 5, figsize=(10, 4.4), layout="constrained")
for ax, item in zip(axes.ravel(), doubtful, strict=True):
    ax.imshow(X[item].reshape(8, 8), cmap="gray_r")
    i, j = np.argsort(-model.membership_[item])[:2]
    first, second = model.membership_[item, [i, j]]
    ax.set_title(f"{digit[item]}: cluster {i} {first:.2f}, {j} {second:.2f}", fontsize=9)
    ax.set_axis_off()
plt.show()

# %%
# New items
# ---------
# ``predict_proba`` joins a new item to its neighbours among the fitted ones and solves one small problem for its row.

probability = model.predict_proba(X[new])
agrees = adjusted_rand_index(digit[new], probability.argmax(axis=1))
print(f"{len(probability)} new pictures, adjusted Rand index {agrees:.3f}")
