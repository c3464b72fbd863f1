"""
Cells on the way from one type to another, simulated
====================================================

Holds memberships of 1,200 simulated cells against what the simulation knows. Real cells are in
:doc:`/tutorials/plot_4_cells`.
"""

# %%
# Simulated counts
# ----------------
# Four types of cells, of which one turns into another: 150 cells are on the way, and the simulation knows how far.
# Counts of 400 genes are negative binomial, and the depth of sequencing differs from cell to cell.

import anndata
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from sklearn.decomposition import TruncatedSVD
from sklearn.neighbors import kneighbors_graph

from partita.bridges import cluster_cells
from partita.metrics import adjusted_rand_index
from partita.plots import cluster_colors

rng = np.random.default_rng(0)
sizes = [450, 300, 200, 100]
profiles = rng.gamma(2.0, 0.5, size=(4, 400))
for kind in range(4):  # forty markers a type
    profiles[kind, rng.choice(400, 40, replace=False)] *= 6
truth = np.zeros((1200, 4))
truth[np.arange(1050), np.repeat(np.arange(4), sizes)] = 1
way = np.sort(rng.random(150))
truth[1050:, 0], truth[1050:, 1] = 1 - way, way
depth = rng.lognormal(0, 0.3, size=(1200, 1))
mean = depth * (truth @ profiles)
counts = rng.poisson(mean * rng.gamma(4.0, 0.25, size=mean.shape))

# %%
# The usual preparation, in plain NumPy: counts per cell, logarithm, principal components, 15 neighbours. After
# ``scanpy.pp.neighbors`` all of this is in the AnnData already.

logged = np.log1p(1e3 * counts / counts.sum(axis=1, keepdims=True))
components = TruncatedSVD(15, random_state=0).fit_transform(logged - logged.mean(axis=0))
graph = kneighbors_graph(components, 15)
adata = anndata.AnnData(counts.astype(np.float32))
adata.obsm["X_pca"] = components
adata.obsp["connectivities"] = (0.5 * (graph + graph.T)).tocsr()

# %%
# Cluster
# -------
# The graph is taken as it is and stays sparse. What comes out goes where scanpy looks for it.

cluster_cells(adata, 4, random_state=0)
print(adata.obs[["partita", "partita_entropy"]].describe(include="all").loc[["count", "unique", "mean", "max"]])
pure = np.arange(1200) < 1050
labels = adata.obs["partita"].astype(int).to_numpy()
score = adjusted_rand_index(truth[pure].argmax(axis=1), labels[pure])
print(f"adjusted Rand index over the cells of one type: {score:.3f}")
print("status:", adata.uns["partita"]["status"])

# %%
# Doubt
# -----
# Left: clusters. Right: entropy of the membership. Cells on the first half of the way, beside the larger type, stand
# out, those on the second half hardly. So do the two small types, every cell of which is as sure as can be. That is an
# artefact: with a scale for each cluster a small cluster explains its pairs as well by smaller memberships and a larger
# scale. Compare entropies within a cluster, not between clusters.

bright = ListedColormap(plt.get_cmap("magma")(np.linspace(0.35, 1, 256)))  # seen on a dark ground
figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
axes[0].scatter(*components[:, :2].T, c=np.array(cluster_colors(4))[labels], s=5)
points = axes[1].scatter(*components[:, :2].T, c=adata.obs["partita_entropy"], s=5, cmap=bright)
axes[1].set_facecolor("#1c1b22")
figure.colorbar(points, ax=axes[1], label="entropy, nats")
for ax, title in zip(axes, ("clusters", "doubt"), strict=True):
    ax.set_title(title, loc="left")
    ax.set(xlabel="component 1", ylabel="component 2")
plt.show()

# %%
# How far on the way
# ------------------
# The membership of the cells on the way in the type they become, against how far the simulation says they are: as
# fitted on the graph, and averaged and calibrated on the components.

figure, axes = plt.subplots(1, 3, figsize=(11, 3.8), layout="constrained", sharey=True)
ways = {
    "fitted": {},
    "averaged": {"use": "X_pca", "probabilities": "averaged"},
    "calibrated": {"use": "X_pca", "probabilities": "calibrated"},
}
for ax, (name, options) in zip(axes, ways.items(), strict=True):
    cluster_cells(adata, 4, key_added=name, random_state=0, **options)
    found = adata.obs[name].astype(int).to_numpy()
    membership = adata.obsm[f"X_{name}"][~pure, np.bincount(found[450:750]).argmax()]
    order = np.corrcoef(way.argsort().argsort(), membership.argsort().argsort())[0, 1]
    ax.plot([0, 1], [0, 1], color="0.7")
    ax.scatter(way, membership, s=9)
    ax.set(xlabel="how far on the way, simulated", title=f"{name}: rank correlation {order:.2f}")
axes[0].set_ylabel("membership in the target type")
plt.show()

# %%
# The averaged memberships lie closest to the way. The calibrated ones have its order and are all or nothing: to a
# density the cells on the way are part of one type or of the other. A membership says which side a cell is tied to; it
# is not a pseudotime.
