"""An affinity or a fitted estimator as a graph of networkx, and memberships as attributes of its nodes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from partita.affinity import Affinity, as_affinity
from partita.affinity.from_networkx import rows_of
from partita.bridges.frames import membership_columns
from partita.errors import InputError, require

__all__ = ["set_memberships", "to_networkx"]

# Rows of an affinity that is not stored, looked at together.
ROWS = 256


def to_networkx(
    source: Any, nodes: Sequence[Hashable] | None = None, *, weight: str = "weight", least: float = 0.0
) -> Any:
    """Return an undirected graph of the pairs with an affinity above `least`.

    Parameters
    ----------
    source : Affinity, N x N matrix (dense or scipy.sparse), or fitted factorization
        Of an estimator, the nodes are the rows that were fitted, with their memberships as attributes (see
        `set_memberships`), and the edges have the affinity that was factorized: normalised and diffused where it was.
        Copies of a row have the same edges.
    nodes : sequence of N different nodes, optional
        Names of the items; of an estimator those of its pandas frame, or else 0..N-1.
    weight : str
        Name of the edges' attribute.
    least : float, at least 0
        Edges are the pairs with more.

    Returns
    -------
    networkx.Graph
        An item's affinity with itself is no edge.

    Raises
    ------
    InputError
        For nodes that are too few, too many or given twice, and for a matrix that is no affinity.
    MissingExtraError
        Without networkx.

    Notes
    -----
    An affinity that is not stored as a sparse matrix is asked for 256 rows at a time.

    Examples
    --------
    >>> graph = to_networkx([[1.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 1.0]], ["a", "b", "c"])
    >>> list(graph.edges(data="weight"))
    [('a', 'b', 0.5), ('b', 'c', 0.2)]
    """
    networkx = require("networkx", extra="graphs", purpose="making graphs of networkx")
    if not least >= 0:
        raise InputError(f"least={least!r}: expected a number of at least 0, as pairs without affinity are no edges")
    model = source if isinstance(source, BaseEstimator) else None
    index = None
    if model is not None:
        check_is_fitted(model)
        if not hasattr(model, "affinity_"):
            raise InputError(f"{type(model).__name__} keeps no affinity: pass one, or the estimator as it was fitted")
        affinity, index = model.affinity_, np.asarray(model.item_index_)
        if nodes is None and model.items_ is not None:
            nodes = model.items_.tolist()
    else:
        affinity = as_affinity(source)
    n = affinity.n_items if index is None else len(index)
    names: list[Hashable] = list(range(n)) if nodes is None else list(nodes)
    if len(names) != n or len(set(names)) != n:
        raise InputError(f"nodes: {len(names)} names, {len(set(names))} of them different, for {n} items")
    graph = networkx.Graph()
    graph.add_nodes_from(names)
    for i, j, w in _edges(affinity, index, least):
        graph.add_weighted_edges_from(
            ((names[a], names[b], value) for a, b, value in zip(i.tolist(), j.tolist(), w.tolist())), weight=weight
        )
    if model is not None:
        set_memberships(graph, model, names)
    return graph


def set_memberships(
    graph: Any, estimator: Any, nodelist: Sequence[Hashable] | None = None, *, prefix: str = ""
) -> None:
    """Write the columns of `memberships.csv` to the nodes of a graph: label, p_0 to p_{K-1}, entropy (nats), margin.

    Values are Python's own numbers, which every format of networkx can write.

    Parameters
    ----------
    graph : networkx graph
    estimator : fitted estimator with N items
    nodelist : sequence of N nodes, optional
        The node of each item, as `affinity_from_networkx` gave them; all, in the graph's order, by default.
    prefix : str
        Put before the names, as in "partita_".

    Raises
    ------
    InputError
        For nodes that are not in the graph, given twice, or not one for each item.

    Examples
    --------
    >>> import networkx
    >>> from partita import SoftClustering
    >>> from partita.bridges import affinity_from_networkx
    >>> graph = networkx.barbell_graph(6, 0)
    >>> P, nodes = affinity_from_networkx(graph)
    >>> set_memberships(graph, SoftClustering(2, affinity="precomputed", random_state=0).fit(P), nodes)
    >>> sorted(graph.nodes[0])
    ['entropy', 'label', 'margin', 'p_0', 'p_1']
    """
    nodes = list(graph) if nodelist is None else list(nodelist)
    rows_of(graph, nodes)
    columns = {f"{prefix}{name}": column.tolist() for name, column in membership_columns(estimator).items()}
    n = len(columns[f"{prefix}label"])
    if len(nodes) != n:
        raise InputError(f"{len(nodes)} nodes for {n} items: pass nodelist, a node for each item in their order")
    for name, column in columns.items():
        for node, value in zip(nodes, column):
            graph.nodes[node][name] = value


def _edges(affinity: Affinity, index: Any, least: float) -> Iterator[tuple[Any, Any, Any]]:
    """Blocks of i < j and P_ij > least; with `index` of the rows that the items stand for."""
    stored = affinity.as_sparse()
    if stored is not None:
        if index is not None:
            used = np.flatnonzero(index >= 0)
            rows = sp.csr_array((np.ones(len(used)), (used, index[used])), shape=(len(index), stored.shape[0]))
            stored = rows @ stored @ rows.T
        upper = sp.triu(stored, k=1, format="coo")
        i, j = upper.coords
        keep = upper.data > least
        yield i[keep], j[keep], upper.data[keep]
        return
    place = np.arange(affinity.n_items) if index is None else index
    used = np.flatnonzero(place >= 0)
    for low in range(0, len(used), ROWS):
        part = used[low : low + ROWS]
        values = affinity.rows(place[part])[:, place[used]]
        a, b = np.nonzero((values > least) & (used > part[:, None]))
        yield part[a], used[b], values[a, b]
