"""Evidence of a search: a loss, and the draws or the similarity matrix that it is expected over.

Losses of pairs of items are searched on the similarity matrix where one fits into memory, O(N) an item and pass; all
others on tables of counts, O(M K). Both give the same values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from partita.arrays import Array
from partita.errors import InputError
from partita.kernels.threads import row_bounds, run_chunks
from partita.memory import fits, require_memory
from partita.partition.dendrogram import Codes, Dendrogram, numbered
from partita.partition.draws import PartitionDraws
from partita.partition.expected import checked_similarity, expected_loss, minimised_by_pairs, pairs_in_all
from partita.partition.losses import ConstantPotts, LowerBound, PartitionLoss, Unit, loss_of
from partita.partition.losses.base import dyadic

__all__ = ["PartitionEvidence", "evidence_of"]


# N x N doubles that a search holds at once: the matrix, its copy in the order of a dendrogram, dissimilarities.
PAIR_COPIES = 3


@dataclass(frozen=True, eq=False)
class PartitionEvidence:
    """Draws, or a similarity matrix alone, and the loss.

    Examples
    --------
    >>> from partita.partition.losses import Binder
    >>> evidence = PartitionEvidence(Binder(), PartitionDraws.of([[0, 0, 1], [0, 1, 1]]))
    >>> round(evidence.value(np.array([0, 0, 1])), 4), evidence.uses_pairs
    (0.2222, True)
    """

    loss: PartitionLoss
    draws: PartitionDraws | None
    matrix: Array | sp.csr_array | None = None

    @property
    def n_items(self) -> int:
        """Number of items N."""
        if self.draws is not None:
            return self.draws.n_items
        assert self.matrix is not None
        return int(self.matrix.shape[0])

    @property
    def has_levels(self) -> bool:
        """Return whether there is a partition level by level (`multilevel`)."""
        return isinstance(self.loss, ConstantPotts)

    @property
    def has_dendrograms(self) -> bool:
        """Return whether there is, or may be made, a matrix of all pairs."""
        return not sp.issparse(self.matrix) and self.has_pairs

    @property
    def has_pairs(self) -> bool:
        """Return whether there is, or may be made, a similarity matrix."""
        return self.matrix is not None or fits(8 * PAIR_COPIES * self.n_items**2)

    @property
    def uses_pairs(self) -> bool:
        """Return whether the search works on the similarity matrix."""
        return not self.loss.by_draws or (self.loss.by_pairs and self.has_pairs)

    @property
    def similarity(self) -> Any:
        """The posterior similarity matrix, or the affinity that takes its place."""
        if self.matrix is not None:
            return self.matrix
        assert self.draws is not None
        return self.draws.similarity

    @property
    def shares(self) -> Array:
        """The similarities for a dendrogram: an affinity with larger entries is scaled down to one at most."""
        P = np.asarray(self.similarity)
        most = float(P.max())
        return P / most if self.has_levels and most > 0.0 else P

    def empty_state(self) -> Any:
        """Return the state for the compiled moves in which no item is placed."""
        from partita.kernels.partition_formula import for_kernels, for_rows

        formula: Any = for_rows(self.loss.formula) if self.loss.per_draw else for_kernels(self.loss.formula)
        if self.uses_pairs:
            if not self.loss.by_draws:
                from partita.kernels.partition_bound import empty_bound

                return empty_bound(formula, self.similarity)
            from partita.kernels.partition_pairs import empty_pairs

            return empty_pairs(formula, self.similarity, self.loss.with_itself)
        from partita.kernels.partition_tables import COLUMNS, empty_tables

        assert self.draws is not None
        draws = self.draws
        n_cells = int(draws.first_cell[-1])
        n_bytes = 12 * 2 * COLUMNS * n_cells
        require_memory(
            n_bytes, f"the tables of {draws.n_draws:,} draws", "thin the draws, or search with fewer threads"
        )
        f = dyadic(self.loss.counts(self.n_items))
        first, weights = draws.first_cell[:-1], draws.weights
        return empty_tables(formula, draws.by_item, first, n_cells, weights, f, self.loss.per_draw)

    def pass_cost(self, K: int) -> float:
        """Return numbers read when every cluster is tried for one item."""
        if isinstance(self.matrix, sp.csr_array):
            return float(2.0 * self.matrix.nnz / self.n_items + K)
        if self.uses_pairs:
            return 2.0 * self.n_items
        assert self.draws is not None
        return float(self.draws.n_draws * (K + 8) * (4 if self.loss.per_draw else 1))

    def value(self, codes: Codes) -> float:
        """Return the value that is minimised, computed afresh in NumPy."""
        if self.draws is not None and not (self.uses_pairs and self.loss.by_pairs):
            return float(self.loss.minimised(expected_loss(codes, self.draws, loss=self.loss)))
        return minimised_by_pairs(numbered(codes), self.similarity, self.loss)

    def multilevel(self, rng: np.random.Generator) -> Codes:
        """Return a partition by moves of items, of clusters of items, and so on, and back. O(nnz) a level and pass."""
        from partita.kernels.potts import multilevel

        loss = self.loss
        assert isinstance(loss, ConstantPotts)
        return np.asarray(multilevel(*self._graph, loss.resolution, loss.price, rng))

    @cached_property
    def _graph(self) -> tuple[NDArray[Any], NDArray[Any], Array]:
        """The pairs of positive affinity in CSR form."""
        A = sp.csr_array(self.similarity)
        if A.nnz and A.data.min() <= 0.0:
            A = A.copy()
            A.data = np.maximum(A.data, 0.0)
            A.eliminate_zeros()
        return A.indptr.astype(np.int64), A.indices.astype(np.int64), A.data.astype(np.float64)

    def cut_values(self, tree: Dendrogram) -> Array:
        """Return values of all cuts of a dendrogram."""
        if self.loss.by_pairs:
            return tree.values_from_similarity(self.similarity, self.loss)
        assert self.draws is not None
        return tree.values_from_draws(self.draws, self.loss)

    def pair_values(self, rows: Sequence[int] | NDArray[np.intp]) -> Array:
        """Return values of some of the draws where pairs determine them, else of a surrogate that pairs determine.

        The lower bound stands for losses of entropies, the adjusted Rand index for those of pairs. O(N^2) each.
        """
        from partita.kernels.partition_cuts import pair_sums

        assert self.draws is not None
        loss = self.loss if self.loss.by_pairs else LowerBound(unit=self.loss.unit or "bits")
        chosen, P = np.ascontiguousarray(self.draws.labels[rows]), self.similarity
        K, N = self.draws.n_clusters[rows], self.n_items
        sums = np.empty((len(chosen), 4))

        def work(low: int, high: int) -> None:
            pair_sums(P, chosen, K, loss.with_itself, not loss.by_draws, low, high, sums)

        run_chunks(work, row_bounds(len(chosen), 16))
        if loss.by_draws:
            v, t = pairs_in_all(P, loss.with_itself), float(loss.counts(N)[N])
            return np.asarray(loss.formula.evaluate(sums[:, 0], v, sums[:, 1], t, float(N), K.astype(float)))
        v = np.log(P.sum(axis=1)).sum()
        return np.asarray(loss.formula.evaluate(sums[:, 2], v, sums[:, 3], 0.0, float(N), K.astype(float)))


def evidence_of(
    draws: Any, loss: str | PartitionLoss, unit: Unit | None, similarity: ArrayLike | None = None
) -> PartitionEvidence:
    """Make evidence of draws, or of a similarity matrix alone, and a loss as users give them.

    Raises
    ------
    InputError
        For neither or both, and a matrix that does not determine the loss.
    """
    chosen = loss_of(loss, unit)
    if (draws is None) == (similarity is None):
        raise InputError(
            "pass draws (M x N labels) or similarity=... (N x N, as `posterior_similarity` makes), one of them"
        )
    if similarity is None:
        return PartitionEvidence(chosen, PartitionDraws.of(draws))
    if not chosen.by_pairs:
        able = ", ".join(name for name, kind in PartitionLoss.registry.items() if kind.by_pairs)
        raise InputError(
            f"{chosen.title} is not determined by a similarity matrix: pass the draws, or choose from {able}"
        )
    return PartitionEvidence(chosen, None, checked_similarity(similarity))
