"""
Choosing the number of clusters
===============================

How many clusters are there, and what if the data do not determine the number? The fit gives
every number a probability. This page shows it for data with many clusters, for data whose
classes are not clusters, and for data without any division.
"""

# %%
# 1,797 handwritten digits
# ------------------------
# The data are pictures of 8 by 8 pixels from scikit-learn. The fit is not told that there
# are ten digits.

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits, load_iris

from partita import SoftClustering
from partita.errors import UnsureWarning
from partita.metrics import adjusted_rand_index
from partita.plots import VerdictDisplay

# If the number is uncertain, a fit gives a warning. Here the summaries below show it.
warnings.simplefilter("ignore", UnsureWarning)

X, digit = load_digits(return_X_y=True)
model = SoftClustering(random_state=0).fit(X)
model

# %%
# How to read it
# --------------
# ``verdict_`` has the probabilities. If one number has nearly all of the probability, you can
# rely on it; if several numbers share it, compare several clusterings.

p = model.verdict_.probabilities
likely = [k for k in np.argsort(-p) if p[k] >= 0.05]
print(", ".join(f"{k + 1}: {p[k]:.2f}" for k in likely))
VerdictDisplay.from_estimator(model)
plt.show()

# %%
# Numbers next to each other
# --------------------------
# If one cluster is merged or split at a time, the clusterings are nested. ``layers`` lists
# these splits, and how often two items, one from each side, are in different clusters of the
# clusterings behind the fit. If this probability is low, the clusterings disagree about the
# split.

layers = model.layers()
for line in str(layers).splitlines():
    if 7 <= int(line.split()[0]) <= 15:
        print(line)

# %%
# ``at`` gives the clustering with another number from the same affinities, without a new fit.
# Each cluster is shown by the mean of its pictures. At the number that the fit chose, two
# clusters may look like one digit written in two ways, which no criterion can decide.

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
# Botanists distinguish three species. The measurements form two clusters, and the fit is more
# certain of them than of the digits. This is a good clustering, but it does not give the
# species: two of the species overlap, and the measurements alone do not show that there are
# two.

X_iris, species = load_iris(return_X_y=True)
iris = SoftClustering(random_state=0).fit(X_iris)
iris

# %%
# Data without clusters
# ---------------------
# These are 300 items from one normal distribution, the only simulated data on this page.
# Most methods divide all data that they are given. Here the answer may be one cluster, and
# its probability shows how certain it is.

X_cloud = np.random.default_rng(0).normal(size=(300, 2))
cloud = SoftClustering(random_state=0).fit(X_cloud)
cloud

# %%
# Results
# -------
# The classes of digits and irises are known and were not used. The adjusted Rand index
# compares the clusterings with them:

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
# The probability of the number refers to clusters in the measurements. It was estimated on
# simulated data, and known classes that overlap are often one cluster. If you know the
# number, give it: ``SoftClustering(10)``. If you know a range, give it as well:
# ``n_clusters=(2, 12)``.
#
# Where next
# ----------
# :doc:`/how-many` describes how partitions are judged, and the criteria; :doc:`/doubt`
# describes the layers, and which labels can be relied on.
