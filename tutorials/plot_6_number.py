"""
Choosing the number of clusters
===============================

How many kinds of things are there, and what if that cannot be said? The fit gives every
number a probability. This page reads it on a set with many clusters, on one whose classes are no
clusters, and on one where there is nothing to divide.
"""

# %%
# 1,797 handwritten digits
# ------------------------
# Pictures of 8 by 8 pixels, as scikit-learn ships them. Nobody tells the fit that people
# write ten digits.

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits, load_iris

from partita import SoftClustering
from partita.errors import UnsureWarning
from partita.metrics import adjusted_rand_index
from partita.plots import VerdictDisplay

# Where the number is unsure a fit warns. Here the cards below say it.
warnings.simplefilter("ignore", UnsureWarning)

X, digit = load_digits(return_X_y=True)
model = SoftClustering(random_state=0).fit(X)
model

# %%
# How to read it
# --------------
# ``verdict_`` has the probabilities. Take them as they stand: where one number has nearly
# everything, believe it, and where several share, look at several.

p = model.verdict_.probabilities
likely = [k for k in np.argsort(-p) if p[k] >= 0.05]
print(", ".join(f"{k + 1}: {p[k]:.2f}" for k in likely))
VerdictDisplay.from_estimator(model)
plt.show()

# %%
# Numbers next to each other
# --------------------------
# Clusters are nested when one is merged or split at a time. ``layers`` says which, and how
# often the two sides of the split are apart in the clusterings behind the fit. Where that
# falls, the splits become a matter of choice.

layers = model.layers()
for line in str(layers).splitlines():
    if 7 <= int(line.split()[0]) <= 15:
        print(line)

# %%
# ``at`` is the answer at another number, from the evidence at hand: nothing is fitted anew.
# A cluster is shown here by the mean of its pictures. At the number that the fit chose two
# clusters may look like one digit written in two ways, which no count of clusters can know.

ten = model.at(10)
figure, axes = plt.subplots(2, 12, figsize=(11, 2.6), layout="constrained")
for line, answer in zip(axes, (model, ten), strict=True):
    for k, ax in enumerate(line):
        ax.set_axis_off()
        if k < answer.n_clusters_:
            of = answer.labels_ == k
            ax.imshow(X[of].mean(axis=0).reshape(8, 8), cmap="gray_r")
            ax.set_title(f"{of.sum()}", fontsize=9)
plt.show()

# %%
# 150 irises
# ----------
# Botanists see three species. The measurements show two clusters, and the fit is surer of
# them than it was of the digits. As clusters they are a fair answer; as species they would
# be a wrong one. Two of the species overlap, and nothing in the measurements alone shows
# that they are two.

X_iris, species = load_iris(return_X_y=True)
iris = SoftClustering(random_state=0).fit(X_iris)
iris

# %%
# Nothing to divide
# -----------------
# 300 items of one normal distribution, the only drawn set on this page. Most methods divide
# whatever they are given. Here the answer may be one, and its probability says how sure
# that is.

X_cloud = np.random.default_rng(0).normal(size=(300, 2))
cloud = SoftClustering(random_state=0).fit(X_cloud)
cloud

# %%
# What came out
# -------------
# The classes of digits and irises are known and were not used. Against them, by the
# adjusted Rand index:

for name, truth, answer in (
    ("digits, as found", digit, model),
    ("digits, at(10)", digit, ten),
    ("irises, as found", species, iris),
    ("irises, at(3)", species, iris.at(3)),
):
    score = adjusted_rand_index(truth, answer.labels_)
    print(f"{name:18} {answer.n_clusters_:3} clusters: {score:.2f}")

# %%
# What to doubt
# -------------
# A probability of the number is about clusters in the measurements. It was fitted to how
# often the number of clusters was the number of classes on other sets, and it fails where
# people's classes overlap. If you know the number, give it: ``SoftClustering(10)``. If you
# know a range, ``n_clusters=(2, 12)`` keeps to it.
#
# Where next
# ----------
# :doc:`/how-many` has how partitions are judged, and the criteria, :doc:`/doubt` the layers
# and which labels can be relied on.
