"""Graphs from GML and GraphML files, read by networkx: nodes, edges and their weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError, require
from partita.io.edge_names import WEIGHT

__all__ = ["GRAPHS", "GraphFile", "open_graph"]


@dataclass(frozen=True)
class GraphFile:
    """A graph as it was read: nodes by name, the two ends of each edge, weights where any edge has one, whether edges
    have a direction, and whether there may be parallel ones.
    """

    path: Path
    nodes: list[str]
    source: list[str]
    target: list[str]
    weight: NDArray[np.float64] | None
    directed: bool = False
    multigraph: bool = False

    def both_ways(self) -> GraphFile:
        """Return the graph with an edge of weight zero in each direction that has none."""
        known = set(zip(self.source, self.target))
        back = [(v, u) for u, v in zip(self.source, self.target) if (v, u) not in known]
        weight = np.ones(len(self.source)) if self.weight is None else self.weight
        ends = [*self.source, *(u for u, _ in back)], [*self.target, *(v for _, v in back)]
        return replace(self, source=ends[0], target=ends[1], weight=np.concatenate([weight, np.zeros(len(back))]))


def open_graph(path: Path) -> GraphFile:
    """Read a graph; an edge without a weight weighs 1 where others have one.

    Raises
    ------
    InputError
        For a file that networkx cannot read, a graph without edges, and nodes of one name.
    MissingExtraError
        Without networkx.
    """
    networkx = require("networkx", extra="graphs", purpose=f"reading {path.suffix.lower()}")
    try:
        graph = _read(networkx, path)
    except Exception as error:  # each of its parsers has errors of its own
        raise InputError(f"{path} is no graph that networkx can read: {error}") from error
    nodes = [str(node) for node in graph]
    if len(set(nodes)) < len(nodes):
        twice = next(name for at, name in enumerate(nodes) if name in nodes[:at])
        raise InputError(f"{path} has two nodes of the name {twice!r}: give each a name of its own")
    edges = list(graph.edges(data=WEIGHT))
    weighted = any(value is not None for *_, value in edges)
    weight = np.array([_weight(path, *edge) for edge in edges]) if weighted else None
    ends = [str(u) for u, *_ in edges], [str(v) for _, v, _ in edges]
    return GraphFile(path, nodes, *ends, weight, bool(graph.is_directed()), bool(graph.is_multigraph()))


def _read(networkx: Any, path: Path) -> Any:
    if path.suffix.lower() == ".graphml":
        return networkx.read_graphml(path)
    try:
        return networkx.read_gml(path)
    except networkx.NetworkXError as error:
        if "label" not in str(error):
            raise
        return networkx.read_gml(path, label="id")  # nodes have numbers only


def _weight(path: Path, u: Any, v: Any, value: Any) -> float:
    try:
        return 1.0 if value is None else float(value)
    except (TypeError, ValueError):
        raise InputError(f"{path}: the edge from {u!r} to {v!r} weighs {value!r}, expected a number") from None


GRAPHS = {".gml": open_graph, ".graphml": open_graph}
