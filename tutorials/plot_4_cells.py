"""
Cells
=====

Which types of cells are in a blood sample, and which cells are between two types? One call
on an AnnData object answers this, in place of Louvain's or the Leiden method.
"""

# %%
# The cells
# ---------
# scanpy includes 700 blood cells of one donor with 765 genes (``pbmc68k_reduced``, a sample
# of the 68,000 cells of 10x Genomics). The usual preprocessing has been done: it has
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
# ``cluster_cells`` reads the graph and writes the results where scanpy expects them: ``obs``
# has clusters, certainties and outlier probabilities, ``obsm`` the memberships, and ``uns``
# the settings chosen automatically, with the reasons. There is no resolution parameter.

with warnings.catch_warnings():
    warnings.simplefilter("ignore", UnsureWarning)  # it is among the notes
    cluster_cells(cells, random_state=0)
said = cells.uns["partita"]
print(f"{said['n_clusters']} clusters, probability {said['verdict']['sure']:.2f}")
print(f"mean certainty of a label: {cells.obs['partita_certainty'].mean():.2f}")
print(*said["notes"], sep="\n")

# %%
# How to read it
# --------------
# The number of clusters is uncertain, and the notes list other plausible numbers. The mean
# certainty takes this into account. Clusters differ in their certainty:

by_cluster = cells.obs.groupby("partita", observed=True)["partita_certainty"]
print(by_cluster.agg(["size", "mean", "min"]).round(2))

# %%
# The picture
# -----------
# The map was computed by scanpy. It shows the clusters, the communities that Louvain's
# method finds in the same graph (by networkx, at its default resolution), and the entropy of
# the memberships. A bright cell has links to more than one cluster.

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
# A membership shows to which clusters a cell is linked. It is not a pseudotime, and entropies
# can be compared within a cluster but not between clusters, because those of small clusters
# are too high (:doc:`/gallery/plot_07_cells` shows both on simulated cells). The graph is
# also a choice. With the principal components themselves, the number is less certain:

with warnings.catch_warnings():
    warnings.simplefilter("ignore", UnsureWarning)
    cluster_cells(cells, use="X_pca", key_added="components", random_state=0)
said = cells.uns["components"]
print(f"{said['n_clusters']} clusters, probability {said['verdict']['sure']:.2f}")

# %%
# Results
# -------
# The file has a type for each cell, determined by comparison with purified cells. This is
# an annotation rather than the truth, several of the types are hard to distinguish, and it
# was not used above.

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
# The rows of the table are the types, and the columns are the clusters of the graph:

table = pd.crosstab(types, found)
print(table.rename_axis(None).rename_axis(None, axis=1).to_string())

# %%
# With the graph, all results agree about equally well with the annotation, and each is
# coarser for some types and finer for others. Here T cells and NK cells are in one cluster,
# and dendritic cells in several. This is a consequence of not choosing a resolution;
# ``cluster_cells(cells, 12)`` gives twelve clusters.
#
# Where next
# ----------
# :doc:`/single-cells` describes the other inputs and the limits of these results;
# :doc:`plot_6_number` describes what to do if the number is in doubt.
