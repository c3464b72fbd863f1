"""Labels in which items that cannot be linked are in different clusters: colours of a graph, as probable as found.

A factorization weighs cannot-links against the affinities, and ends where no small step is better: of two items that it
has in one cluster with certainty neither knows which of them is to leave. Here the links are held. Items are nodes,
links edges, clusters colours; a colouring has a cost, sum_i -log w_i(label), and only components with a broken link are
coloured anew. Nodes are taken with the most colours ruled out first, going back from dead ends [brelaz1979]; what is
found is improved by exchanging two colours within a Kempe chain, which with two clusters is the best there is. Where
there are too few colours as few links are broken as single moves can reach.

Whether K colours are enough is NP-complete from K = 3 on, so a search that is given up says nothing. Cost: P K for each
pass over P links.

[brelaz1979] D. Brélaz, New methods to color the vertices of a graph, Communications of the ACM 22, 1979.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import connected_components

from partita.arrays import Array, Labels

__all__ = ["broken_links", "clusters_needed", "kept_apart", "ruled_out"]

# A membership below this is as improbable; and what a node's own label is preferred by where two are as probable.
TINY, OWN = 1e-12, 1e-9
# Dead ends from which a colouring goes back before it is given up.
DEAD_ENDS = 2000
# Nodes of most links from which cliques are looked for.
CLIQUES = 50


def broken_links(labels: Labels, pairs: NDArray[np.intp]) -> int:
    """Return how many pairs have one label, each pair counted once.

    >>> broken_links(np.array([0, 0, 1]), np.array([[0, 1], [1, 0], [1, 2]]))
    1
    """
    once = np.unique(np.sort(pairs, axis=1), axis=0)
    return int((labels[once[:, 0]] == labels[once[:, 1]]).sum())


def clusters_needed(pairs: NDArray[np.intp]) -> tuple[int, int]:
    """Return a number of clusters that the links need at least, and one that is enough to hold them all.

    >>> clusters_needed(np.array([[0, 1], [1, 2], [2, 0]])), clusters_needed(np.empty((0, 2), dtype=int))
    ((3, 3), (1, 1))
    """
    if not len(pairs):
        return 1, 1
    graph = _graph(np.unique(pairs, return_inverse=True)[1].reshape(-1, 2))
    enough, colours = 2, None
    while colours is None:  # room for twice as many colours at a time: there may be as many as nodes
        colours = _coloured(graph, np.tile(np.arange(float(enough)), (graph.shape[0], 1)), 0)
        enough *= 2
    enough = int(colours.max()) + 1
    return max(_clique(graph), min(enough, 3)), enough  # these colours are two wherever two are enough


def kept_apart(W: Array, labels: Labels, pairs: NDArray[np.intp], weights: Array | None = None) -> Labels:
    """Return labels in which the items of each pair are apart wherever labels are found that keep all apart.

    Parameters
    ----------
    W : n x K array
        Memberships.
    labels : array of n
    pairs : P x 2 array of items
    weights : array of n, optional
        What each item counts.

    Examples
    --------
    >>> W = np.array([[0.9, 0.1], [0.6, 0.4], [0.8, 0.2]])
    >>> kept_apart(W, W.argmax(axis=1), np.array([[0, 1], [1, 2]])).tolist()
    [0, 1, 0]
    """
    if not len(pairs) or W.shape[1] == 1 or not broken_links(labels, pairs):
        return labels
    nodes, ends = np.unique(pairs, return_inverse=True)
    ends, own = ends.reshape(-1, 2), labels[nodes]
    cost = -np.log(np.maximum(W[nodes], TINY))
    cost[np.arange(len(nodes)), own] -= OWN
    cost *= 1.0 if weights is None else weights[nodes, None]
    graph = _graph(ends)
    component = connected_components(graph, directed=False)[1]
    out = own.copy()
    for one in np.unique(component[ends[own[ends[:, 0]] == own[ends[:, 1]], 0]]):
        part = np.flatnonzero(component == one)
        out[part] = _labelled(graph[part][:, part], cost[part], own[part])
    moved: Labels = labels.copy()
    moved[nodes] = out
    return moved


def ruled_out(W: Array, before: Labels, labels: Labels, pairs: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which entries of a factor are ruled out: clusters that a moved item would share with more partners.

    The largest of the others is the item's label, since no single move from labels that are kept apart is better.
    """
    together = _graph(pairs, len(W)) @ np.eye(W.shape[1])[labels]
    own = together[np.arange(len(W)), labels]
    out: NDArray[np.bool_] = (labels != before)[:, None] & (together > own[:, None])
    return out


def _graph(ends: NDArray[np.intp], n: int | None = None) -> sp.csr_array:
    n = int(ends.max()) + 1 if n is None else n
    graph = sp.csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n, n))
    graph = sp.csr_array(graph + graph.T)
    graph.data[:] = 1.0
    return graph


def _clique(graph: sp.csr_array) -> int:
    """The size of a set of nodes that are all linked: the largest found greedily."""
    degree, largest = np.diff(graph.indptr), 1
    for start in np.argsort(-degree, kind="stable")[:CLIQUES]:
        size, left = 0, np.array([start])
        while len(left):
            node = left[np.argmax(degree[left])]
            near = graph.indices[graph.indptr[node] : graph.indptr[node + 1]]
            left = near if size == 0 else np.intersect1d(left, near)
            size += 1
        largest = max(largest, size)
    return largest


def _labelled(graph: sp.csr_array, cost: Array, own: Labels) -> Labels:
    """The labels of a connected component."""
    n, K = cost.shape
    if _clique(graph) <= K:
        found = _coloured(graph, cost, DEAD_ENDS)
        if found is None:  # by links alone, and the colours that fit best
            found = _coloured(graph, np.tile(np.arange(float(K)), (n, 1)), 0)
            if found is not None:
                found = linear_sum_assignment(np.eye(K)[found].T @ cost)[1][found]
        if found is not None:
            return _improved(graph, cost, found)
    nearly = _coloured(graph, cost, None)
    assert nearly is not None
    starts = [_by_single_moves(graph, cost, start) for start in (nearly, own)]
    return min(starts, key=lambda labels: _key(graph, cost, labels))


def _key(graph: sp.csr_array, cost: Array, labels: Labels) -> tuple[int, float]:
    rows, columns = graph.nonzero()
    return int((labels[rows] == labels[columns]).sum()), float(cost[np.arange(len(labels)), labels].sum())


def _coloured(graph: sp.csr_array, cost: Array, dead_ends: int | None) -> Labels | None:
    """Colours of the nodes, cheap ones first; None where more than so many dead ends were met, or all.

    With `dead_ends` None nothing is gone back from: a node without a free colour takes that of the fewest neighbours.
    """
    n, K = cost.shape
    labels, near = np.full(n, -1), np.split(graph.indices, graph.indptr[1:-1])
    taken, n_taken, degree = np.zeros((n, K), dtype=np.int64), np.zeros(n), np.diff(graph.indptr) / n
    stack: list[tuple[int, list[int]]] = []
    while len(stack) < n:
        node = int(np.where(labels < 0, n_taken + degree / 2, -1.0).argmax())
        free = [int(k) for k in np.argsort(-cost[node], kind="stable") if taken[node, k] == 0]
        if not free and dead_ends is None:
            free = [int(np.lexsort((cost[node], taken[node]))[0])]
        stack.append((node, free))
        while not stack[-1][1]:  # the node before takes its next colour
            if not dead_ends or len(stack) == 1:
                return None
            dead_ends -= 1
            stack.pop()
            before = stack[-1][0]
            taken[near[before], labels[before]] -= 1
            n_taken[near[before]] -= taken[near[before], labels[before]] == 0
            labels[before] = -1
        node, free = stack[-1]
        labels[node] = free.pop()
        n_taken[near[node]] += taken[near[node], labels[node]] == 0
        taken[near[node], labels[node]] += 1
    return labels


def _improved(graph: sp.csr_array, cost: Array, labels: Labels) -> Labels:
    """A colouring that neither an exchange of two colours within a chain nor a move of one node makes cheaper."""
    labels = labels.copy()
    while True:
        before = cost[np.arange(len(labels)), labels].sum()
        used = np.union1d(np.unique(labels), cost.argmin(axis=1))
        for a, b in combinations(used, 2):
            _exchange(graph, cost, labels, int(a), int(b))
        labels = _by_single_moves(graph, cost, labels)
        if not cost[np.arange(len(labels)), labels].sum() < before - OWN:
            return labels


def _exchange(graph: sp.csr_array, cost: Array, labels: Labels, a: int, b: int) -> None:
    """Exchange colours a and b, in place, within each connected part of their nodes where that is cheaper."""
    nodes = np.flatnonzero((labels == a) | (labels == b))
    if not len(nodes):
        return
    chain = connected_components(graph[nodes][:, nodes], directed=False)[1]
    other = np.where(labels[nodes] == a, b, a)
    gain = np.bincount(chain, cost[nodes, labels[nodes]] - cost[nodes, other])
    swapped = gain[chain] > OWN
    labels[nodes[swapped]] = other[swapped]


def _by_single_moves(graph: sp.csr_array, cost: Array, labels: Labels) -> Labels:
    """Labels that no move of one node makes better: fewer links broken, or as few at a lower cost."""
    labels, n = labels.copy(), len(labels)
    together = graph @ np.eye(cost.shape[1])[labels]
    beyond = 1.0 + 2.0 * np.ptp(cost)  # one link more than any cost
    while True:
        whole = beyond * together + cost
        best = whole.argmin(axis=1)
        better = np.flatnonzero(whole[np.arange(n), best] < whole[np.arange(n), labels])
        if not len(better):
            return labels
        for node in better:
            here = beyond * together[node] + cost[node]
            to = int(here.argmin())
            if here[to] < here[labels[node]]:
                near = graph.indices[graph.indptr[node] : graph.indptr[node + 1]]
                together[near, labels[node]] -= 1.0
                together[near, to] += 1.0
                labels[node] = to
