"""A low-rank affinity P = F F^T, never formed: two thin products. Kernels by Nystrom or random features, linear
kernels, and partition draws (see `draws`) have this form. Entries may be negative: its kind is "similarity" unless
said otherwise.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from partita.affinity.base import Affinity, Array, Kind

__all__ = ["LowRankAffinity"]


class LowRankAffinity(Affinity):
    """F F^T for a dense or sparse N x r factor F.

    Parameters
    ----------
    factor : N x r array or scipy.sparse
    kind : {"similarity", "probability"}
        Say "probability" only where every entry of F F^T lies in [0, 1].

    Examples
    --------
    >>> P = LowRankAffinity(np.array([[1.0, 0.0], [0.6, 0.8]]))
    >>> P.rows([0]).round(12).tolist()
    [[1.0, 0.6]]
    """

    name = "low_rank"

    def __init__(self, factor: Array | sp.sparray | sp.spmatrix, kind: Kind = "similarity") -> None:
        self._sparse = sp.issparse(factor)
        self._factor: Any = (
            sp.csr_array(factor, dtype=np.float64) if self._sparse else np.asarray(factor, dtype=np.float64)
        )
        self._transposed: Any = sp.csr_array(self._factor.T) if self._sparse else self._factor.T
        self._kind: Kind = kind

    @property
    def n_items(self) -> int:
        return int(self._factor.shape[0])

    @property
    def factor(self) -> Any:
        """The N x r factor F, a dense array or CSR."""
        return self._factor

    @property
    def rank(self) -> int:
        """Columns of the factor."""
        return int(self._factor.shape[1])

    @property
    def kind(self) -> Kind:
        return self._kind

    @property
    def multiplications(self) -> int:
        return 2 * int(self._factor.nnz if self._sparse else self._factor.size)

    def __matmul__(self, W: Array) -> Array:
        return np.asarray(self._factor @ (self._transposed @ W))

    def diagonal(self) -> Array:
        if self._sparse:
            return np.asarray(self._factor.power(2).sum(axis=1)).ravel()
        return np.asarray(np.einsum("nr,nr->n", self._factor, self._factor))

    def rows(self, index: ArrayLike) -> Array:
        part = self._factor[np.atleast_1d(np.asarray(index, dtype=np.intp))]
        rows = part @ self._transposed
        return np.asarray(rows.toarray() if self._sparse else rows)

    def squared_norm(self, weights: Array | None = None) -> float:
        if self.rank > self.n_items:
            return super().squared_norm(weights)
        w = np.ones(self.n_items) if weights is None else weights
        if self._sparse:
            return float((self._transposed @ (self._factor * w[:, None])).power(2).sum())
        gram = self._transposed @ (self._factor * w[:, None])
        return float(np.vdot(gram, gram))

    def scaled(self, factors: Array) -> LowRankAffinity:
        scaled = self._factor * factors[:, None]
        return LowRankAffinity(sp.csr_array(scaled) if self._sparse else scaled)

    @classmethod
    def example(cls, rng: np.random.Generator, n_items: int) -> tuple[Self, Array]:
        factor = rng.normal(size=(n_items, 3))
        return cls(factor), factor @ factor.T
