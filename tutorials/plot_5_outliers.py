"""
Outliers
========

Which rows of a table belong to no cluster? Every fit gives each item a probability of this.
This page adds errors to real tables, and shows which of them are found and which are not.
"""

# %%
# Six flowers with exchanged cells
# --------------------------------
# The table is Fisher's iris data. In six rows chosen at random, the length and the width of
# sepal and petal are exchanged, as can happen when a table is typed.

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor
from sklearn.preprocessing import StandardScaler

from partita import SoftClustering
from partita.errors import UnsureWarning

rng = np.random.default_rng(0)
iris = load_iris().data
typed, wrong = iris.copy(), np.zeros(150, dtype=bool)
wrong[rng.choice(150, 6, replace=False)] = True
typed[wrong] = typed[wrong][:, [1, 0, 3, 2]]

# %%
# One call
# --------

model = SoftClustering(random_state=0).fit(typed)
model

# %%
# How to read it
# --------------
# ``outlier_`` is the probability that an item belongs to no cluster, and the first sentence
# counts the items for which it is above one half. ``labels(outliers=0.5)`` is -1 for them;
# ``labels_`` has the cluster of each item if it belongs to one at all.

found = model.labels(outliers=0.5) == -1
print("wrong rows:  ", *np.flatnonzero(wrong))
print("outliers:    ", *np.flatnonzero(found))
print("greatest probability of another row:", model.outlier_[~wrong].max().round(2))

# %%
# The picture
# -----------
# The colour is the probability, and a ring marks the rows with exchanged cells.

figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for ax, (x, y) in zip(axes, ((0, 1), (2, 3)), strict=True):
    style = {"cmap": "cividis_r", "vmin": 0, "vmax": 1, "edgecolor": "0.6"}
    points = ax.scatter(typed[:, x], typed[:, y], c=model.outlier_, s=28, **style)
    ax.scatter(*typed[wrong][:, [x, y]].T, s=120, facecolor="none", edgecolor="C3")
    part = ("sepal", "petal")[x // 2]
    ax.set(xlabel=f"{part} length, cm", ylabel=f"{part} width, cm")
figure.colorbar(points, ax=axes, label="probability of no cluster")
plt.show()

# %%
# What to doubt
# -------------
# These errors are easy to find, since no flower has such a shape. An outlier is an item that
# a uniform background over the ranges of the columns explains better than the clusters do.
# Two other kinds of error are harder to find.
#
# *Rows combined from several items.* Twelve rows are added to the iris data, and each of
# their cells comes from a different flower. Some of these rows could be real flowers.
#
# *Misplaced decimal points.* In nine wines one cell is ten times too large or too small. An
# extreme cell is moved near the edge of its column, and the other twelve columns indicate
# that the wine is normal.
#
# The table also has two scores of scikit-learn, on standardised columns. They are not
# probabilities, so all three are compared by the area under the ROC curve, which is the
# probability that an erroneous row has a higher score than a correct one: 1 is perfect, and
# 0.5 is chance.

mixed = np.column_stack([rng.choice(column, 12) for column in iris.T])
wine, slips = load_wine().data.copy(), np.zeros(178, dtype=bool)
slips[rng.choice(178, 9, replace=False)] = True
wine[slips, rng.choice(13, 9)] *= rng.choice([0.1, 10], 9)
tables = {
    "exchanged": (typed, wrong),
    "put together": (np.r_[iris, mixed], np.arange(162) >= 150),
    "decimal slips": (wine, slips),
}
print(f"{'planted':15}{'found':>9}{'others':>8}{'Partita':>9}{'LOF':>7}{'forest':>8}")
for name, (X, planted) in tables.items():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsureWarning)
        p = SoftClustering(random_state=0).fit(X).outlier_
    Z = StandardScaler().fit_transform(X)
    lof = -LocalOutlierFactor().fit(Z).negative_outlier_factor_
    forest = -IsolationForest(random_state=0).fit(Z).score_samples(Z)
    area = [roc_auc_score(planted, score) for score in (p, lof, forest)]
    hits = f"{(p[planted] > 0.5).sum()} of {planted.sum()}"
    others = (p[~planted] > 0.5).sum()
    print(f"{name:15}{hits:>9}{others:8}{area[0]:9.2f}{area[1]:7.2f}{area[2]:8.2f}")

# %%
# Partita marks the rows that are more likely outliers than not, and has few false alarms.
# The price is that it misses errors that stay near the clusters, above all errors in single
# cells. For those, look at each column: ``partita fit`` names single cells that are far from
# the others, and does not change them.
#
# Where next
# ----------
# :doc:`/doubt` describes what an outlier is, the results on simulated mixtures, and the
# limits of the probability. The same page answers another question: which labels can be
# relied on.
