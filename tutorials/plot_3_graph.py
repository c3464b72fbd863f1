"""
A graph
=======

Who belongs with whom in a network of people? From a graph of networkx, one call finds its
communities, their number, and the people who could belong to another community.
"""

# %%
# The graph
# ---------
# The graph is the karate club that Wayne Zachary observed in the 1970s. Its 34 members are
# linked if they met outside of the club, with a larger weight the more they did. The data
# are part of networkx.

import warnings

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

from partita import SoftClustering
from partita.errors import UnsureWarning
from partita.metrics import adjusted_rand_index
from partita.plots import cluster_colors

club = nx.karate_club_graph()
print(club)

# %%
# One call
# --------
# The items are the nodes, in the order of the graph, and the edge weights are affinities: a
# larger weight means a closer pair. Four different methods for graphs are combined, and the
# number of communities is the one on which they agree best.

model = SoftClustering(random_state=0).fit(club)
model

# %%
# How to read it
# --------------
# The certainty of a label is the probability that it is right, including the possibility
# of other numbers of clusters. These members have the lowest certainty:

for i in np.argsort(model.certainty_, kind="stable")[:5]:
    shares = ", ".join(f"{share:.2f}" for share in model.membership_[i])
    print(f"member {i:2}: certainty {model.certainty_[i]:.2f}, memberships {shares}")

# %%
# A low certainty together with a clear membership means that the member is clearly on this
# side if there are two sides, but that there may be another number.
#
# The picture
# -----------
# Colours are the clusters, and the fainter a node, the less certain its label.


def draw(graph, labels, certainty, ax, title):
    place = nx.spring_layout(graph, seed=0)
    colors = np.array(cluster_colors(labels.max() + 1))[labels]
    nx.draw_networkx_edges(graph, place, ax=ax, edge_color="0.8")
    x, y = np.array(list(place.values())).T
    ax.scatter(x, y, c=colors, alpha=certainty, s=240, zorder=2)
    for node, (x, y) in place.items():
        ax.text(x, y, node, ha="center", va="center", fontsize=8)
    ax.set_title(title, loc="left")
    ax.set_axis_off()


def louvain(graph):
    labels = np.empty(len(graph), dtype=int)
    place = {node: i for i, node in enumerate(graph)}
    for k, nodes in enumerate(nx.community.louvain_communities(graph, seed=0)):
        labels[[place[node] for node in nodes]] = k
    return labels


figure, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
draw(club, model.labels_, model.certainty_, axes[0], f"Partita: {model.n_clusters_}")
peer = louvain(club)
draw(club, peer, np.ones(34), axes[1], f"Louvain (networkx): {peer.max() + 1}")
plt.show()

# %%
# Results
# -------
# The club split in two while it was observed, and the side of each member is known. The fit
# did not use this information.

side = np.array([club.nodes[node]["club"] for node in club])
for name, labels in (("Partita", model.labels_), ("Louvain", peer)):
    print(f"{name}: adjusted Rand index {adjusted_rand_index(side, labels):.2f}")

# %%
# What to doubt
# -------------
# A graph need not have communities. In the novel Les Misérables, 77 characters are linked by
# the chapters in which they appear together, and the methods agree on no number. The answer
# of one cluster then means that no communities could be established, and the second
# sentence gives its probability. Louvain's method has no such probability, and it also
# divides random graphs (:doc:`/benchmarks`).

novel = nx.les_miserables_graph()
with warnings.catch_warnings():
    warnings.simplefilter("ignore", UnsureWarning)  # it is among the notes below
    book = SoftClustering(random_state=0).fit(novel)
    several = SoftClustering(n_clusters=(2, 12), random_state=0).fit(novel)
book

# %%
# If you know that there are several communities, ``n_clusters=(2, 12)`` excludes the answer
# of one. Then the results of both methods are similar, and the probability of the number
# remains low.

peer, K = louvain(novel), several.n_clusters_
print(f"Partita: {K} clusters, probability {several.verdict_.probabilities[K - 1]:.2f}")
print(f"Louvain: {peer.max() + 1} clusters")
ari = adjusted_rand_index(peer, several.labels_)
print(f"adjusted Rand index of the two: {ari:.2f}")

# %%
# Where next
# ----------
# :doc:`/choose-affinity` describes how graphs are clustered, with results on graphs with
# and without communities. :doc:`/input-formats` describes files of edges, GML and GraphML
# for the command line. :doc:`plot_4_cells` clusters a graph of cells.
