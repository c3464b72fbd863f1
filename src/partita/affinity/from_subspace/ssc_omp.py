"""Sparse subspace clustering by orthogonal matching pursuit: many items, a few numbers each [you2016].

Item i is written with at most k others, chosen greedily: min ||x_i - sum_j c_ij x_j|| with at most k entries c_ij, j !=
i. P = |C| + |C|^T as in `ssc`, at most 2 k N numbers. Greedy choices need items that are spread well within their
subspaces; where they hold it is the affinity for tens of thousands of items. N x N is never made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from partita.affinity.base import Affinity
from partita.affinity.evidence import Builder, Evidence
from partita.affinity.from_subspace.codes import check_share, same_rows, strengths, two_way, unit_rows, with_itself
from partita.affinity.from_subspace.pursuit import BLOCK, pursuit
from partita.affinity.landmark_choice import complete
from partita.affinity.sparse import SparseAffinity
from partita.arrays import Array
from partita.errors import InputError
from partita.kernels.threads import n_threads
from partita.memory import SPARSE_WAY, require_memory
from partita.scope import lasting
from partita.shapes import reals

__all__ = ["MatchingPursuit", "MatchingPursuitEvidence"]

# Rows of N numbers that a target takes while its block is solved.
ARRAYS = 3


@dataclass(frozen=True)
class MatchingPursuit(Builder):
    """Affinity of items that lie near a union of subspaces, from sparse codes by orthogonal matching pursuit.

    Parameters
    ----------
    n_atoms : int
        k, most others that an item is written with: about the dimension of the subspaces.
    residual : float
        An item needs no further others once this share of its length is all that is left.
    keep : float
        Share of a code's sum that its largest entries must make up; the rest is dropped.
    unit_length : bool
        Items are scaled to length one first. It changes the sizes of entries and not who is chosen.

    Raises
    ------
    InputError
        For an option out of its range, and for items with missing features.
    MemoryLimitError
        Where a block of codes would not fit.

    Notes
    -----
    Cost: N^2 d k multiplications and O(N k) numbers; blocks of 256 items take 256 N numbers a thread. Weights of items
    are not used.

    References
    ----------
    [you2016] C. You, D. P. Robinson, R. Vidal, Scalable sparse subspace clustering by orthogonal matching pursuit, CVPR
    2016.

    Examples
    --------
    Two lines through the origin:

    >>> X = np.array([[1.0, 0.0], [2.0, 0.1], [-1.0, 0.0], [0.0, 1.0], [0.1, -2.0], [0.0, 3.0]])
    >>> P = MatchingPursuit(n_atoms=1).build(X, n_clusters=2).affinity.to_dense()
    >>> P.tolist()[0]
    [1.0, 1.0, 2.0, 0.0, 0.0, 0.0]
    """

    name = "ssc-omp"
    stored: ClassVar = {"items": reals("n", None)}

    n_atoms: int = 10
    residual: float = 1e-3
    keep: float = 1.0
    unit_length: bool = True

    def __post_init__(self) -> None:
        if self.n_atoms < 1:
            raise InputError(f"n_atoms={self.n_atoms}: expected at least 1")
        if not 0 <= self.residual < 1:
            raise InputError(f"residual={self.residual}: expected a share of an item's length, at least 0 and below 1")
        check_share("keep", self.keep)

    @property
    def varies_with_k(self) -> bool:
        return False

    def build(self, X: Any, *, n_clusters: int, weights: Array | None = None) -> MatchingPursuitEvidence:
        X = complete(X, self.name)
        items = unit_rows(X) if self.unit_length else X
        evidence = MatchingPursuitEvidence(self, items, None)
        P = two_way(evidence.strengths(items, np.arange(len(items))))
        return MatchingPursuitEvidence(self, items, SparseAffinity(with_itself(P)))

    def restore(self, state: dict[str, Array]) -> MatchingPursuitEvidence:
        return MatchingPursuitEvidence(self, state["items"], None)


class MatchingPursuitEvidence(Evidence):
    """Codes of items over the fitted ones; a new item's affinity is taken to be the same in both directions."""

    def __init__(self, builder: MatchingPursuit, items: Array, affinity: Affinity | None) -> None:
        self._builder, self._items = builder, items
        self.row_size = ARRAYS * len(items)
        if affinity is not None:
            self.affinity = affinity

    def rows(self, X: Any) -> sp.csr_array:
        X = np.asarray(X, dtype=np.float64)
        if self._builder.unit_length:
            X = unit_rows(X)
        own = same_rows(X, self._items)
        return with_itself(sp.csr_array(2.0 * self.strengths(X, own)), own)

    def strengths(self, X: Array, own: NDArray[np.intp]) -> sp.csr_array:
        """Return scaled absolute codes of X over the fitted items."""
        builder, n = self._builder, len(self._items)
        need = 8 * (ARRAYS * BLOCK * n * n_threads() + 6 * len(X) * builder.n_atoms)
        require_memory(need, f"a block of codes over {n:,} items", SPARSE_WAY)
        items, limits = self._items, (builder.n_atoms, builder.residual)
        codes = lasting(lambda: pursuit(items, X, own, *limits), "codes", builder.name, *limits, items, X, own)
        return strengths(codes, builder.keep)

    def state(self) -> dict[str, Array]:
        return {"items": self._items}
