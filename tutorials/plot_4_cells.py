"""
Cells
=====

Which types of cells are in a sample of blood, and which cells are between two types? One
call on an AnnData, where Louvain's or Leiden's method usually stands.
"""

# %%
# The cells
# ---------
# scanpy ships 700 blood cells of one donor with 765 genes (``pbmc68k_reduced``, a sample of
# the 68,000 cells of 10x Genomics). Its preparation is the usual one and is done already:
# principal components, and a graph of ten neighbours in ``obsp["connectivities"]``.

import warnings

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pandas as pd
import scanpy
from matplotlib.colors import ListedColormap

from partita.bridges import cluster_cells
from partita.errors import UnsureWarning
from partita.metrics import adjusted_rand_index
from partita.plots import cluster_colors

cells = scanpy.datasets.pbmc68k_reduced()
print(cells.shape, *cells.obsp)

# %%
# One call
# --------
# ``cluster_cells`` reads the graph and writes where scanpy looks for it: ``obs`` has
# clusters, certainties and outliers, ``obsm`` the memberships, ``uns`` what was taken and
# why. There is no resolution to choose.

with warnings.catch_warnings():
    warnings.simplefilter("ignore", UnsureWarning)  # the notes say it too
    cluster_cells(cells, random_state=0)
said = cells.uns["partita"]
print(f"{said['n_clusters']} clusters, probability {said['verdict']['sure']:.2f}")
print(f"mean certainty of a label: {cells.obs['partita_certainty'].mean():.2f}")
print(*said["notes"], sep="\n")

# %%
# How to read it
# --------------
# The number is not sure, and the notes say which numbers are likely beside it. The mean
# certainty includes that. Clusters differ in how sure they are:

by_cluster = cells.obs.groupby("partita", observed=True)["partita_certainty"]
print(by_cluster.agg(["size", "mean", "min"]).round(2))

# %%
# The picture
# -----------
# On the map that scanpy made: clusters, Louvain's communities of the same graph (networkx's,
# at its default resolution), and the entropy of the memberships. A bright cell has links to
# more than one cluster.

graph = nx.from_scipy_sparse_array(cells.obsp["connectivities"])
louvain = np.empty(len(graph), dtype=int)
for k, community in enumerate(nx.community.louvain_communities(graph, seed=0)):
    louvain[list(community)] = k
found = cells.obs["partita"].astype(int).to_numpy()

at = cells.obsm["X_umap"].T
figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")
for ax, name, labels in (axes[0], "Partita", found), (axes[1], "Louvain", louvain):
    ax.scatter(*at, c=np.array(cluster_colors(labels.max() + 1))[labels], s=7)
    ax.set_title(f"{name}: {labels.max() + 1} clusters", loc="left")
bright = ListedColormap(plt.get_cmap("magma")(np.linspace(0.35, 1, 256)))
points = axes[2].scatter(*at, c=cells.obs["partita_entropy"], s=7, cmap=bright)
axes[2].set_facecolor("#1c1b22")
axes[2].set_title("doubt", loc="left")
figure.colorbar(points, ax=axes[2], label="entropy, nats")
for ax in axes:
    ax.set(xticks=[], yticks=[])
plt.show()

# %%
# What to doubt
# -------------
# A membership says to which clusters a cell is linked. It is no pseudotime, and entropies
# compare within a cluster and not between clusters: small ones have more than they should
# (:doc:`/gallery/plot_07_cells` shows both on cells whose truth is known). And the graph is
# a choice. From the components themselves the number is less sure:

with warnings.catch_warnings():
    warnings.simplefilter("ignore", UnsureWarning)
    cluster_cells(cells, use="X_pca", key_added="components", random_state=0)
said = cells.uns["components"]
print(f"{said['n_clusters']} clusters, probability {said['verdict']['sure']:.2f}")

# %%
# What came out
# -------------
# The file has a type for each cell, found by comparing it with purified cells. That is an
# annotation and no truth, several of the types are hard to tell apart, and nothing above
# has used it.

types = cells.obs["bulk_labels"].astype(str).to_numpy()
components = cells.obs["components"].astype(int).to_numpy()
answers = {
    "Partita, graph": found,
    "Partita, components": components,
    "Louvain, networkx": louvain,
    "Louvain, in the file": cells.obs["louvain"].astype(int).to_numpy(),
}
for name, labels in answers.items():
    ari = adjusted_rand_index(types, labels)
    print(f"{name:21} {len(set(labels)):3} clusters, adjusted Rand index {ari:.2f}")

# %%
# Rows are types, columns the clusters of the graph:

table = pd.crosstab(types, found)
print(table.rename_axis(None).rename_axis(None, axis=1).to_string())

# %%
# From the graph all answers are about equally far from the annotation, and each is coarser
# somewhere and finer elsewhere. Here T cells and NK cells are one cluster, and dendritic
# cells are several. That is the price of no resolution to choose; ``cluster_cells(cells, 12)``
# gives twelve.
#
# Where next
# ----------
# :doc:`/single-cells` has the other inputs, and what was not compared;
# :doc:`plot_6_number` says what to do where the number is in doubt.
