"""
Subspaces: clusters and their number at once
============================================

Finds five subspaces of unlike dimensions in fifty, with noise, without being told that there are five.
"""

# %%
# Items near a union of subspaces
# -------------------------------
# The noise test of the SCAMS paper, section 5.1.1: fifty points on each of five random subspaces of dimension 2, 4,
# 6, 8 and 10. Distances say little here: items of one subspace lie on every side of the origin.

import matplotlib.pyplot as plt
import numpy as np

from partita import SCAMS, SoftClustering
from partita.datasets import noise_test
from partita.metrics import adjusted_rand_index
from partita.plots import CoMembershipDisplay

X, truth = noise_test(0.3, np.random.default_rng(0))
plain = SoftClustering(5, affinity="neighbors", probabilities="fitted", random_state=0).fit(X)
print(f"told K, distances of neighbours: adjusted Rand index {adjusted_rand_index(truth, plain.labels_):.3f}")

# %%
# Self-expression
# ---------------
# ``affinity="lrr"`` writes all items by all others with coefficients of low rank, ``"ssc"`` each item by few others.
# The sizes of the coefficients are the affinity. SCAMS then finds the partition and its number of clusters together.

for affinity in ("lrr", "ssc"):
    model = SCAMS(affinity=affinity, random_state=0).fit(X)
    print(
        f"{affinity}: K = {model.n_clusters_}, adjusted Rand index {adjusted_rand_index(truth, model.partition_):.3f}, "
        f"objective {model.objective_:.1f}"
    )

# %%
# The affinity, and what five clusters make of it, in the order of the clusters:

CoMembershipDisplay.from_estimator(model)
plt.show()

# %%
# The path
# --------
# What a pair in one cluster costs decides the number. Along that price the partitions go from one cluster to many, and
# the number that stays for long is the one to trust. ``path`` is over the distinct items;
# ``item_index_`` says which of them each row is.

path = [point for point in model.path() if point.theta > 0]
figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
theta = [point.theta for point in path]
axes[0].loglog(theta, [point.n_clusters for point in path], marker="o", markersize=3)
axes[0].axhline(5, color="0.7", zorder=0)
axes[0].set(xlabel="theta = gamma N", ylabel="clusters", title="number of clusters")
scores = [adjusted_rand_index(truth, point.labels[model.item_index_]) for point in path]
axes[1].semilogx(theta, scores, marker="o", markersize=3)
axes[1].set(xlabel="theta = gamma N", ylabel="adjusted Rand index", title="against the truth", ylim=(0, 1.05))
plt.show()
