"""Evidence for criteria for the number of clusters: features, an affinity, draws, and what follows from them.

The affinity is the one given, the co-clustering of the draws, or else a self-tuned graph of each item's nearest
neighbours among the features, whose connected components are not linked. Its normalised form has one set of leading
eigenvectors, and the partition at every K is read from the first K of them (`cluster_qr`), unless the caller has
partitions of its own.

Large evidence: leading eigenvectors take products only. What resamples, or compares all pairs, works on `reduced`:
features by a random sample with a graph of its own; a dense affinity by the pairs of a random sample; a large sparse
one, of which a sample would keep no pair, by the graph of aggregates of its heaviest edges. Never N x N.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from partita.affinity import (
    Affinity,
    DenseAffinity,
    DrawsAffinity,
    NeighborGraph,
    SparseAffinity,
    as_affinity,
    normalise,
)
from partita.arrays import Array, Labels
from partita.errors import InputError
from partita.memory import require_pairs
from partita.solvers.spectral import cluster_qr, leading_eigenvectors
from partita.wording import count

__all__ = ["KEvidence"]


# Neighbours of the graph that is made of features.
NEIGHBORS = 10
# Items up to which a graph of all features is made.
MOST_GRAPHED = 20_000
# Clusters looked for by default: at most this many, and at most the root of the number of items.
MOST = 20
# A sparse affinity in which items have fewer pairs than this share of all is coarsened, a denser one sampled.
SPARSE = 0.1
# Items that may join an aggregate.
HEAVIEST = 16
LEAVE_OUT = "set its diagonal to zero beforehand"
# Row sums below this share of the mean are rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class KEvidence:
    """Evidence on the number of clusters.

    Parameters
    ----------
    features : N x d array, optional
        Finite. Rows should be distinct: give copies once, with a weight.
    affinity : N x N array, sparse matrix or Affinity, optional
        Symmetric, row sums nonnegative.
    draws : M x N labels, optional
        Partitions from a posterior or an ensemble.
    dimension : int, optional
        Dimension of the subspaces, where clusters are subspaces of known dimension.
    weights : array of N, optional
        How often each item counts.
    seed : int
        Seed of everything that is drawn at random.
    max_clusters : int, optional
        The largest K that is looked at; min(20, root of N), at least 2, by default.
    partition_at : callable, optional
        Labels of the N items at a given K, in place of those of the spectral embedding. Criteria that resample make
        partitions of their own.

    Raises
    ------
    InputError
        Where there is nothing to look at, or the parts do not fit together.

    Examples
    --------
    >>> X = np.repeat([[0.0], [9.0]], 20, axis=0) + np.arange(40)[:, None] / 40
    >>> evidence = KEvidence(features=X)
    >>> evidence.n_items, evidence.most, len(set(evidence.partition(2).tolist()))
    (40, 7, 2)
    """

    features: Any = None
    affinity: Any = None
    draws: Any = None
    dimension: int | None = None
    weights: Any = None
    seed: int = 0
    max_clusters: int | None = None
    partition_at: Callable[[int], ArrayLike] | None = None
    _partitions: dict[int, Labels] = field(default_factory=dict, repr=False)
    _reduced: dict[int, KEvidence] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.features is None and self.affinity is None and self.draws is None:
            raise InputError("no evidence on the number of clusters: pass features=, affinity= or draws=")
        lengths: dict[str, int] = {}
        if self.features is not None:
            X = np.asarray(self.features, dtype=np.float64)
            if X.ndim != 2 or 0 in X.shape or not np.isfinite(X).all():
                raise InputError(f"features must be a finite N x d array; their shape is {X.shape}")
            self._set("features", X)
            lengths["features"] = len(X)
        if self.affinity is not None:
            if not isinstance(self.affinity, Affinity):
                self._set("affinity", as_affinity(self.affinity))
            lengths["affinity"] = self.affinity.n_items
        if self.draws is not None:
            draws = np.asarray(self.draws)
            if draws.ndim != 2 or 0 in draws.shape:
                raise InputError(f"draws must be M x N labels, a row for each draw; their shape is {draws.shape}")
            self._set("draws", draws)
            lengths["draws"] = draws.shape[1]
        if self.weights is not None:
            w = np.asarray(self.weights, dtype=np.float64)
            if w.ndim != 1 or not np.isfinite(w).all() or (w <= 0).any():
                raise InputError("weights must be finite and positive, one for each item; leave out items of weight 0")
            self._set("weights", w)
            lengths["weights"] = len(w)
        if len(set(lengths.values())) > 1:
            raise InputError(f"the parts of the evidence differ in their number of items: {lengths}")
        if self.max_clusters is not None and self.max_clusters < 1:
            raise InputError(f"max_clusters={self.max_clusters}: expected at least 1")
        if self.dimension is not None and self.dimension < 0:
            raise InputError(f"dimension={self.dimension}: expected 0 (points) or more")
        self._set("_n_items", next(iter(lengths.values())))

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def identity(self) -> Any:
        """Return all that criteria read; the affinity by its product with a fixed vector."""
        probe = None if self.affinity is None else self.affinity.probe()
        arrays = self.features, probe, self.draws, self.weights
        return (*arrays, self.dimension, self.seed, self.max_clusters, self.partition_at)

    def has(self, what: str) -> bool:
        """Return whether there are "features", "draws", a "dimension"; an "affinity" there is always."""
        return what == "affinity" or getattr(self, what) is not None

    @property
    def n_items(self) -> int:
        """Number of items N."""
        return int(self._n_items)  # type: ignore[attr-defined]

    @property
    def items_in_words(self) -> str:
        """The number of items with its noun: those of features are distinct, since copies of a row are given once."""
        return count(self.n_items, "item" if self.features is None else "distinct item")

    @property
    def most(self) -> int:
        """The largest K that is looked at."""
        n = self.n_items
        asked = max(2, min(MOST, int(np.ceil(np.sqrt(n))))) if self.max_clusters is None else self.max_clusters
        return min(n, asked)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """1, ..., `most`."""
        return np.arange(1, self.most + 1)

    def generator(self, *purpose: int) -> np.random.Generator:
        """Return a random stream of its own for each purpose, the same every time."""
        return np.random.default_rng([self.seed, *purpose])

    @property
    def spectral(self) -> KEvidence:
        """Return this evidence, or a sample of its features where they are many and have no graph yet."""
        free = self.affinity is not None or self.features is None or self.partition_at is not None
        return self if free else self.reduced(MOST_GRAPHED)

    @cached_property
    def graph(self) -> Affinity:
        """The affinity given, that of the draws, or a neighbour graph of the features."""
        if self.affinity is not None:
            return self.affinity  # type: ignore[no-any-return]
        if self.features is None:
            return DrawsAffinity(self.draws)
        if self.n_items == 1:
            return SparseAffinity(sp.csr_array(np.ones((1, 1))))
        # As many clusters as items: connected components are not linked.
        return NeighborGraph(n_neighbors=NEIGHBORS).build(self.features, n_clusters=self.n_items).affinity

    @cached_property
    def normalised(self) -> Affinity:
        """D^-1/2 P D^-1/2, weights as copies.

        Raises
        ------
        InputError
            For an affinity with negative row sums, or with pairs that were not observed.
        """
        sums = self.graph.row_sums()
        if (sums < -ROUNDING * max(float(np.abs(sums).mean()), ROUNDING)).any():
            raise InputError("an affinity with negative row sums has no normalised Laplacian: add a constant to it")
        graph = normalise(self.graph, "symmetric", self.weights).affinity
        return graph if self.weights is None else graph.scaled(np.sqrt(self.weights))

    @cached_property
    def embedding(self) -> tuple[Array, Array]:
        """`most` + 1 (at most N) leading eigenvalues, descending, and eigenvectors of the normalised affinity."""
        values, vectors = leading_eigenvectors(self.normalised, min(self.most + 1, self.n_items))
        return values, vectors if self.weights is None else vectors / np.sqrt(self.weights)[:, None]

    @property
    def laplacian_values(self) -> Array:
        """The smallest eigenvalues of the normalised Laplacian, ascending, rounding below zero cut off."""
        return np.asarray(np.maximum(1.0 - self.embedding[0], 0.0))

    def partition(self, n_clusters: int) -> Labels:
        """Return labels of the items at K = `n_clusters`; fewer clusters where the evidence does not tell so many."""
        if n_clusters not in self._partitions:
            self._partitions[n_clusters] = self._partition(n_clusters)
        return self._partitions[n_clusters]

    def _partition(self, n_clusters: int) -> Labels:
        if self.partition_at is not None:
            labels = np.unique(np.asarray(self.partition_at(n_clusters)), return_inverse=True)[1].ravel()
            if len(labels) != self.n_items:
                raise InputError(f"partition_at({n_clusters}) has {len(labels)} labels for {self.n_items} items")
            return labels.astype(np.int64)
        if n_clusters <= 1:
            return np.zeros(self.n_items, dtype=np.int64)
        found = cluster_qr(np.ascontiguousarray(self.embedding[1][:, :n_clusters]))
        return np.unique(found, return_inverse=True)[1].ravel().astype(np.int64)

    def reduced(self, n_items: int) -> KEvidence:
        """Return this evidence, or what stands for it with at most about `n_items` items: see the top of this file."""
        if self.n_items <= n_items:
            return self
        if n_items not in self._reduced:
            if self._is_large_and_sparse:
                self._reduced[n_items] = self._coarsened(n_items)
            else:
                rows = np.sort(self.generator(1, n_items).choice(self.n_items, n_items, replace=False))
                self._reduced[n_items] = self.subset(rows)
        return self._reduced[n_items]

    @property
    def _is_large_and_sparse(self) -> bool:
        graph = self.affinity
        return isinstance(graph, SparseAffinity) and graph.density() < SPARSE

    def grown(self, max_clusters: int) -> KEvidence:
        """Copy the evidence with a larger `max_clusters`."""
        more = replace(self, max_clusters=max_clusters, _partitions={}, _reduced={})
        more.__dict__["graph"] = self.graph  # it need not be made again
        return more

    def without_own_pairs(self) -> KEvidence:
        """Return the evidence with a diagonal of zeros, so that an item speaks through others alone.

        Itself where partitions are the caller's, where the graph is held as a product and not as a matrix, and where an
        item would be left without any pair.
        """
        graph = self.graph
        if self.partition_at is not None or not graph.diagonal().any():
            return self
        bare: Affinity
        if isinstance(graph, SparseAffinity):
            matrix = sp.csr_array(graph.as_sparse(), copy=True)
            matrix.setdiag(0.0)
            matrix.eliminate_zeros()
            bare = SparseAffinity(matrix)
        elif isinstance(graph, DenseAffinity):
            require_pairs(self.n_items, "the affinity without its diagonal", LEAVE_OUT)
            dense = np.array(graph.to_dense())
            np.fill_diagonal(dense, 0.0)
            bare = DenseAffinity(dense)
        else:
            return self
        if (bare.row_sums() <= 0).any():
            return self
        return replace(self, affinity=bare, _partitions={}, _reduced={})

    def subset(self, rows: NDArray[np.intp]) -> KEvidence:
        """Return the evidence of some of the items; a graph of features is made anew."""
        affinity: Affinity | None = None
        if self.affinity is not None:
            matrix = self.affinity.as_sparse()
            if matrix is not None:
                affinity = SparseAffinity(sp.csr_array(matrix[rows][:, rows]))
            else:
                affinity = DenseAffinity(np.ascontiguousarray(self.affinity.rows(rows)[:, rows]))
        return KEvidence(
            features=None if self.features is None else self.features[rows],
            affinity=affinity,
            draws=None if self.draws is None else self.draws[:, rows],
            dimension=self.dimension,
            weights=None if self.weights is None else self.weights[rows],
            seed=self.seed,
            max_clusters=min(self.most, len(rows)),
        )

    def _coarsened(self, n_items: int) -> KEvidence:
        from partita.kernels.coarsen import aggregates, contracted

        matrix = self.affinity.as_sparse()
        copies = np.ones(self.n_items) if self.weights is None else self.weights
        while matrix.shape[0] > n_items:
            of, size = aggregates(matrix.indptr, matrix.indices, matrix.data, HEAVIEST)
            if size > 0.95 * matrix.shape[0]:  # lone items: nothing more to bring together
                break
            arrays = contracted(matrix.indptr, matrix.indices, matrix.data, of, size, copies)
            copies = np.ones(size)
            matrix = sp.csr_array((arrays[2], arrays[1], arrays[0]), shape=(size, size))
            matrix.sort_indices()
        # The sums are rounded apart on the two sides of the diagonal.
        matrix = sp.csr_array((matrix + matrix.T) * 0.5)
        return KEvidence(affinity=SparseAffinity(matrix), seed=self.seed, max_clusters=min(self.most, matrix.shape[0]))
