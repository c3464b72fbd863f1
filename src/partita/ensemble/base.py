"""The interface of members of an ensemble: one clustering of one set of items, hard or soft, by one idea.

A member is frozen settings. `cluster` makes its clustering of the items given; `varied` gives the settings of draw
number b, so that a method speaks with several settings and not only with several resamples. A new method is one file:
subclass `Member`, give it a `name` and an `idea`, and `tests/contract/test_member.py` checks it.

[pons2005] P. Pons, M. Latapy, Computing communities in large networks using random walks, ISCIS 2005.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from scipy.cluster.hierarchy import DisjointSet

from partita.affinity import NeighborGraph, SparseAffinity
from partita.affinity.neighbor_search import THREADS_FROM
from partita.affinity.shared_search import made_once
from partita.arrays import Array, Index, Labels
from partita.ensemble.tree import reachability_tree
from partita.kernels.eigen import symmetric_eigen
from partita.registry import Named, enrol, made

__all__ = ["Clustering", "Member", "member", "neighbor_graph", "walked_graph"]


@dataclass(frozen=True)
class Clustering:
    """A clustering of the items that a member was given.

    Attributes
    ----------
    membership : array of n labels 0..k-1, or n x k array with rows on the simplex
    score : callable, optional
        Membership of further items from their features, where the method has its own way; a vote of their neighbours
        is taken otherwise.
    fits : bool, optional
        Of a model of numbers beside categories, whether tests do not reject it.
    """

    membership: Labels | Array
    score: Callable[[Array], Array] | None = None
    fits: bool | None = None

    @property
    def labels(self) -> Labels:
        """Hard labels."""
        return hard(self.membership)

    @property
    def n_clusters(self) -> int:
        """Clusters that hold an item."""
        return len(np.unique(self.labels))


class Member(Named, ABC):
    """Frozen settings of one clustering method."""

    name: ClassVar[str]
    idea: ClassVar[str] = ""
    """The method in a few words, for tables and reports."""
    of_graphs: ClassVar[bool] = False
    """Whether `cluster` also takes a graph: a symmetric csr_array of affinities in the place of the features."""
    finds_number: ClassVar[bool] = False
    """Whether the method has its own number of clusters, the one asked for being a hint."""
    seeks_number: ClassVar[bool] = True
    """Whether the method draws where the number of clusters is sought, too."""
    votes: ClassVar[bool] = True
    """Whether a draw counts by how far others agree with it; if not, by the probability that it is right."""
    registry: ClassVar[dict[str, type[Member]]] = {}

    def __init_subclass__(cls, *, named: bool = True) -> None:
        """Put the class into the registry, unless nobody is to ask for it by name."""
        super().__init_subclass__()
        if named and "name" in cls.__dict__:  # a subclass under its parent's name does not take its place
            enrol(Member.registry, cls)

    @abstractmethod
    def cluster(self, X: Any, n_clusters: int, rng: np.random.Generator) -> Clustering:
        """Return a clustering of the rows of X, an n x d array: distinct, finite, more than `n_clusters` of them.

        A method with its own number of clusters takes `n_clusters` as a hint.
        """

    def varied(self, draw: int) -> Self:
        """Return the settings of draw number `draw`; number 0 is this member itself."""
        return self

    def _cycled(self, draw: int, **options: tuple[Any, ...]) -> Self:
        """These settings with each option replaced by entry `draw` - 1 of its tuple, over and over."""
        if draw == 0:
            return self
        return replace(self, **{name: values[(draw - 1) % len(values)] for name, values in options.items()})  # type: ignore[type-var]


class _LinkedByTree(NeighborGraph):
    """A neighbour graph whose pieces are joined by edges of the spanning tree of the items, which other methods make.

    They are the shortest links: what the spanning tree of the pieces consists of is in that of the items.
    """

    def _links(self, X: Array, sigma: Array, piece: Index) -> sp.csr_array:
        if len(X) >= THREADS_FROM:  # searches for the links alone are faster then than trees
            return super()._links(X, sigma, piece)
        first, second, length = reachability_tree(X, 1)
        joined = DisjointSet(range(int(piece.max()) + 1))
        between = (piece[first] != piece[second]).nonzero()[0]
        kept = [e for e in between if joined.merge(int(piece[first[e]]), int(piece[second[e]]))]
        i, j = first[kept], second[kept]
        weights = 1.0 / (1.0 + length[kept] ** 2 / (sigma[i] * sigma[j]))
        links = sp.csr_array((weights, (i, j)), shape=(len(X), len(X)))
        return sp.csr_array(links + links.T)


def neighbor_graph(
    X: Array | sp.csr_array, n_neighbors: int, n_clusters: int, connection: Literal["union", "mutual"] = "union"
) -> SparseAffinity:
    """Return the graph of each item's nearest neighbours, in at most `n_clusters` pieces; a graph as it is."""
    if sp.issparse(X):
        return SparseAffinity(X)
    graph = _LinkedByTree(n_neighbors=n_neighbors, connection=connection)
    affinity = graph.build(X, n_clusters=n_clusters).affinity
    assert isinstance(affinity, SparseAffinity)
    return affinity


def walked_graph(X: Array | sp.csr_array, n_neighbors: int, n_clusters: int) -> SparseAffinity:
    """Return that graph for random walks of some steps: one that is given gets a loop at each node, of the mean weight
    of its edges [pons2005]. Without loops an even number of steps leads from one side of a graph of two sides (a grid,
    a path, customers and goods) to the same side, and the sides would be the clusters.

    >>> walked_graph(sp.csr_array([[0.0, 3.0], [3.0, 0.0]]), 1, 2).matrix.toarray().tolist()
    [[3.0, 3.0], [3.0, 3.0]]
    """
    graph = neighbor_graph(X, n_neighbors, n_clusters)
    if not sp.issparse(X):
        return graph
    A = graph.matrix
    mean = np.asarray(A.sum(axis=1)).ravel() / np.maximum(np.diff(A.indptr), 1)
    return SparseAffinity(sp.csr_array(A + sp.diags_array(mean)))


def principal_axes(X: Array) -> tuple[Array, Array]:
    """Return the principal axes of items (columns, orthonormal) and the sums of squares along them, largest first.

    >>> axes, squares = principal_axes(np.array([[-1.0, -3.0], [0.0, 0.0], [1.0, 3.0]]))
    >>> np.abs(axes[:, 0] * 10**0.5).round(9).tolist(), squares.round(9).tolist()
    ([1.0, 3.0], [20.0, 0.0])
    """

    def made() -> tuple[Array, Array]:
        centred = X - X.mean(axis=0)
        squares, axes = symmetric_eigen(centred.T @ centred)
        return np.asarray(axes[:, ::-1]), squares[::-1].clip(0)

    axes, squares = made_once(made, "principal axes", X)
    return axes, squares


def member(given: str | Member | dict[str, Any]) -> Member:
    """Return a member from its name, its config, or itself.

    >>> member("genie").name
    'genie'

    Raises
    ------
    InputError
        For a name that no method has, or unknown settings.
    """
    return made(Member, given, "method")  # type: ignore[type-abstract]


def hard(membership: Labels | Array) -> Labels:
    """Return labels of a membership; labels stay as they are."""
    if membership.ndim == 1:
        return np.asarray(membership, dtype=np.int64)
    return np.asarray(membership.argmax(axis=1), dtype=np.int64)
