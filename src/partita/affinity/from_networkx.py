"""A graph of networkx as an affinity: sparse, symmetric, with the node that each row is."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from partita.affinity.checks import Symmetrize
from partita.errors import InputError, require

__all__ = ["affinity_from_networkx", "rows_of"]

# Nodes that an error names.
SHOWN = 5


def affinity_from_networkx(
    graph: Any,
    weight: str | None = "weight",
    nodelist: Sequence[Hashable] | None = None,
    *,
    symmetrize: Symmetrize | None = None,
    self_loops: Literal["warn", "keep", "drop"] = "warn",
) -> tuple[sp.csr_array, list[Hashable]]:
    """Return the weights of a graph's edges as a sparse matrix, for `affinity="precomputed"`.

    Parameters
    ----------
    graph : networkx Graph, DiGraph, MultiGraph or MultiDiGraph, N nodes
        Parallel edges are summed. A node without edges is a row of zeros.
    weight : str, optional
        Attribute of the edges that holds the weight, at least 0; an edge without it weighs 1, as do all with None.
        An edge of weight 0 is stored: under `Precomputed(unstored="unobserved")` it is a pair observed as zero.
    nodelist : sequence of nodes, optional
        Which, in which order; all, in the graph's order, by default.
    symmetrize : {"mean", "max", "min"}, for directed graphs only, which need it
        How i -> j and j -> i become one; an edge that is not there weighs 0.
    self_loops : {"warn", "keep", "drop"}
        Treatment of an edge from a node to itself, which is an item's affinity with itself on the diagonal: to keep
        it with a warning that says how many there are, to keep it, or to leave it out.

    Returns
    -------
    matrix : N x N csr_array, symmetric
    nodes : list of N nodes

    Raises
    ------
    InputError
        For a directed graph without `symmetrize`, a weight that is negative or no number, nodes that are not in the
        graph or given twice, and a graph without nodes.
    MissingExtraError
        Without networkx.

    Notes
    -----
    Time and memory of the order of nodes and edges; nothing N x N is made.

    Examples
    --------
    >>> import networkx
    >>> from partita import SoftClustering
    >>> P, nodes = affinity_from_networkx(networkx.barbell_graph(6, 0))
    >>> model = SoftClustering(n_clusters=2, affinity="precomputed", random_state=0).fit(P)
    >>> len(set(model.labels_[:6])), len(set(model.labels_[6:])), bool(model.labels_[0] != model.labels_[6])
    (1, 1, True)
    """
    networkx = require("networkx", extra="graphs", purpose="reading graphs of networkx")
    if not isinstance(graph, networkx.Graph):
        raise InputError(f"expected a graph of networkx, not {type(graph).__name__}; SoftClustering takes matrices")
    if self_loops not in ("warn", "keep", "drop"):
        raise InputError(f"self_loops={self_loops!r} is unknown: pass 'warn', 'keep' or 'drop'")
    nodes = list(graph) if nodelist is None else list(nodelist)
    if not nodes:
        raise InputError("the graph has no nodes: at least one item is needed")
    row = rows_of(graph, nodes)
    directed = graph.is_directed()
    if directed and symmetrize is None:
        raise InputError(
            "the graph is directed: pass symmetrize='mean', 'max' or 'min' to say how i -> j and j -> i become one"
        )
    if not directed and symmetrize is not None:
        raise InputError(f"symmetrize={symmetrize!r}: the graph is undirected, leave it out")
    if symmetrize not in (None, "mean", "max", "min"):
        raise InputError(f"symmetrize={symmetrize!r} is unknown: pass 'mean', 'max' or 'min'")
    first, second, value, loops = [], [], [], 0
    for u, v, w in graph.edges(nodes, data=weight, default=1) if weight is not None else _unweighted(graph, nodes):
        if u not in row or v not in row:
            continue
        if u == v:
            loops += 1
            if self_loops == "drop":
                continue
        first.append(row[u])
        second.append(row[v])
        value.append(_weight(w, u, v, weight))
    if loops and self_loops == "warn":
        warnings.warn(
            f"the graph has {loops} edge{'s' * (loops > 1)} from a node to itself, kept on the diagonal as affinity of "
            "an item with itself: pass self_loops='keep' or 'drop'",
            UserWarning,
            stacklevel=2,
        )
    i, j, w = np.array(first, dtype=np.intp), np.array(second, dtype=np.intp), np.array(value, dtype=np.float64)
    if not directed:
        off = i != j
        i, j, w = np.r_[i, j[off]], np.r_[j, i[off]], np.r_[w, w[off]]
    matrix = sp.coo_array((w, (i, j)), shape=(len(nodes), len(nodes))).tocsr()
    return (matrix if symmetrize is None else _both_ways(matrix, symmetrize)), nodes


def rows_of(graph: Any, nodes: list[Hashable]) -> dict[Hashable, int]:
    """Return the row of each node, after a check that each is in the graph, once."""
    row = {node: at for at, node in enumerate(nodes)}
    if len(row) < len(nodes):
        twice = next(node for at, node in enumerate(nodes) if row[node] != at)
        raise InputError(f"node {twice!r} stands twice in the list of nodes: give each once")
    strange = [node for node in nodes if node not in graph]
    if strange:
        raise InputError(f"not in the graph: {', '.join(map(repr, strange[:SHOWN]))}; give its own nodes only")
    return row


def _unweighted(graph: Any, nodes: list[Hashable]) -> Iterator[tuple[Hashable, Hashable, int]]:
    return ((u, v, 1) for u, v in graph.edges(nodes))


def _weight(value: Any, u: Hashable, v: Hashable, attribute: str | None) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not 0 <= number < float("inf"):
        raise InputError(f"edge ({u!r}, {v!r}) has {attribute}={value!r}: expected a finite number of at least 0")
    return number


def _both_ways(matrix: sp.csr_array, how: Symmetrize) -> sp.csr_array:
    """Both directions as one, stored where either was, zeros among them."""
    stored = matrix.tocoo()
    i, j = stored.coords
    places, nothing = (np.r_[i, j], np.r_[j, i]), np.zeros(stored.nnz)
    along = sp.coo_array((np.r_[stored.data, nothing], places), shape=matrix.shape).tocsr()
    against = sp.coo_array((np.r_[nothing, stored.data], places), shape=matrix.shape).tocsr()
    a, b = along.data, against.data
    along.data = {"mean": (a + b) / 2, "max": np.maximum(a, b), "min": np.minimum(a, b)}[how]
    return along
