"""
Evidence decides: four affinities
=================================

Shows what the choice of an affinity changes, on four made sets and two tables.

An affinity says of every pair of items how much speaks for their being together. The models differ in their scale
alone: 1 for SoF and the ensemble, one for each cluster on the graphs.
"""

# %%
# Four made sets
# --------------
# Two moons; a long cluster between two round ones; a dense cluster inside a sparse ring; two clusters that overlap.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits, load_wine, make_moons

from partita import SoF, SoftClustering
from partita.affinity import NeighborGraph
from partita.metrics import adjusted_rand_index, align
from partita.plots import cluster_colors

rng = np.random.default_rng(0)
angle = rng.uniform(0, 2 * np.pi, 200)
ring = np.c_[4 * np.cos(angle), 4 * np.sin(angle)] + 0.3 * rng.normal(size=(200, 2))
sets = {
    "moons": make_moons(400, noise=0.08, random_state=0),
    "long and round": (
        np.concatenate(
            [
                rng.normal(size=(200, 2)) * [6, 0.5],
                rng.normal(size=(100, 2)) * 0.8 + [-6, 5],
                rng.normal(size=(100, 2)) * 0.8 + [6, -5],
            ]
        ),
        np.repeat([0, 1, 2], [200, 100, 100]),
    ),
    "ring": (np.concatenate([ring, 0.6 * rng.normal(size=(100, 2))]), np.repeat([0, 1], [200, 100])),
    "overlap": (rng.normal(size=(400, 2)) + np.repeat([[0, 0], [2.6, 0]], 200, axis=0), np.repeat([0, 1], 200)),
}

# %%
# One column an affinity
# ----------------------
# "relative" is the one of the SoF paper: every pair, distances relative to those of each item's tenth neighbour.
# "neighbors" is the default: only near pairs, the gaps filled in by diffusion. "mutual" keeps a pair where each is
# among the ten nearest of the other. "ensemble" asks six unlike clustering methods and takes a pair for as likely to
# be together as they say.

models = {
    "relative (SoF)": lambda K: SoF(K, random_state=0),
    "neighbors": lambda K: SoftClustering(K, affinity="neighbors", random_state=0),
    "mutual neighbours": lambda K: SoftClustering(K, affinity=NeighborGraph(connection="mutual"), random_state=0),
    "ensemble": lambda K: SoftClustering(K, affinity="ensemble", random_state=0),
}

figure, axes = plt.subplots(len(sets), len(models), figsize=(10, 10), layout="constrained")
for place, (row, (name, (X, truth))) in enumerate(zip(axes, sets.items(), strict=True)):
    K = len(np.unique(truth))
    for ax, (title, make) in zip(row, models.items(), strict=True):
        labels = make(K).fit(X).labels_
        matched = align(labels, truth)[0].argmax(axis=1)  # one colour for one cluster in all columns
        ax.scatter(*X.T, c=np.array(cluster_colors(K))[matched], s=6)
        ax.set(xticks=[], yticks=[])
        ax.set_xlabel(f"ARI {adjusted_rand_index(truth, labels):.2f}", fontsize=9)
        if place == 0:
            ax.set_title(title, fontsize=10)
    row[0].set_ylabel(name, fontsize=10)
plt.show()

# %%
# Evidence of all pairs sees no moons. A graph of neighbours sees shapes of any kind. A graph of mutual neighbours is
# thinner: on the moons one item falls off it and becomes a cluster, which a scale for each cluster allows. Where
# clusters overlap no evidence has a valley to part at, and all do about as well. The ensemble is slower, and in no
# row here is another better.
#
# Two tables
# ----------
# Features with units of their own (wine: proline in the hundreds, hue about one) are a choice of evidence too: as
# given, the distance sees proline alone. The ensemble standardises such features by itself, the others when they are
# told.

wine, digits = load_wine(return_X_y=True), load_digits(return_X_y=True)
rows = {
    "wine, as given": (wine, {}),
    "wine, standardised": (wine, {"scale_features": "standard"}),
    "digits": (digits, {}),
}
print(f"{'adjusted Rand index':22}{'neighbors':>12}{'ensemble':>12}")
for name, ((X, truth), options) in rows.items():
    K = len(np.unique(truth))
    scores = [
        adjusted_rand_index(truth, SoftClustering(K, affinity=affinity, random_state=0, **options).fit(X).labels_)
        for affinity in ("neighbors", "ensemble")
    ]
    print(f"{name:22}{scores[0]:12.3f}{scores[1]:12.3f}")
