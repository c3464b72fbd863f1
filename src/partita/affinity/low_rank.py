"""A low-rank affinity P = F F^T, never formed: two thin products. Kernels by Nystrom or random features, linear
kernels, and partition draws (see `draws`) have this form. Entries may be negative: its kind is "similarity" unless
said otherwise.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from partita.affinity.base import Affinity, Kind
from partita.arrays import Array
from partita.kernels.namespace import is_foreign, like, namespace, roundoff, through, to_numpy
from partita.kernels.products import PARALLEL_FROM, csr_product, dense_product
from partita.kernels.rows import row_pass
from partita.kernels.threads import row_bounds, run_chunks

__all__ = ["LowRankAffinity"]

# Columns for each entry of a row of a sparse factor up to which its Gram matrix is sooner made of dense blocks, the
# numbers of a block, and the parts that threads share.
DENSE_UP_TO, BLOCK_NUMBERS, GRAM_PARTS = 20, 1 << 18, 8


class LowRankAffinity(Affinity):
    """F F^T for a dense or sparse N x r factor F.

    Parameters
    ----------
    factor : N x r array or scipy.sparse
        An array of another array API package (CuPy, PyTorch) stays where it is, and products with it too.
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
        self._factor: Any = factor
        if self._sparse:
            self._factor = sp.csr_array(factor, dtype=np.float64)
        elif not is_foreign(factor):
            self._factor = np.asarray(factor, dtype=np.float64)
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

    @property
    def foreign(self) -> bool:
        return is_foreign(self._factor)

    def native(self, array: Array) -> Any:
        return like(self._factor, array) if self.foreign else array

    @property
    def rounding(self) -> float:
        return roundoff(self._factor) if self.foreign else 1.0

    def as_low_rank(self) -> tuple[LowRankAffinity, Array] | None:
        return None if self.foreign else (self, np.ones(self.n_items))

    def __matmul__(self, W: Any) -> Any:
        if self.foreign:
            return through(self._factor, W, lambda V: self._factor @ (self._transposed @ V))
        if self._sparse:
            return csr_product(self._factor, csr_product(self._transposed, W))
        if self._factor.size * W.shape[1] < PARALLEL_FROM:
            return np.asarray(self._factor @ (self._transposed @ W))
        _, (small,) = row_pass(self._factor, lambda F, V: ((), (F.T @ V,)), W)
        return dense_product(self._factor, small)

    def diagonal(self) -> Array:
        if self._sparse:
            return np.asarray(self._factor.power(2).sum(axis=1)).ravel()
        squares = self._factor * self._factor
        return np.asarray(to_numpy(namespace(squares).sum(squares, axis=1)), dtype=np.float64)

    def rows(self, index: ArrayLike) -> Array:
        index = np.atleast_1d(np.asarray(index, dtype=np.intp))
        if self.foreign:
            xp = namespace(self._factor)
            part = xp.take(self._factor, xp.asarray(index, device=self._factor.device), axis=0)
            return np.asarray(to_numpy(part @ self._transposed), dtype=np.float64)
        rows = self._factor[index] @ self._transposed
        return np.asarray(rows.toarray() if self._sparse else rows)

    def squared_norm(self, weights: Array | None = None) -> float:
        if self.rank > self.n_items:
            return super().squared_norm(weights)
        if self.foreign:
            w = np.ones(self.n_items) if weights is None else weights
            gram = self._transposed @ (self._factor * self.native(w[:, None]))
            return float(namespace(gram).sum(gram * gram))
        gram = self.gram(weights)
        return float(np.vdot(gram, gram))

    def gram(self, weights: Array | None = None) -> Array:
        """Return F^T diag(w) F, r x r, of a factor that is not foreign."""
        if not self._sparse or self.rank > DENSE_UP_TO * self._factor.nnz / self.n_items:
            gram = self._transposed @ (self._factor if weights is None else self._factor * weights[:, None])
            return np.asarray(gram.toarray() if self._sparse else gram)
        root = None if weights is None else np.sqrt(weights)[:, None]
        block = max(BLOCK_NUMBERS // self.rank, self.rank, 1)
        parts: dict[int, Array] = {}

        def work(first: int, last: int) -> None:
            total = np.zeros((self.rank, self.rank))
            for low, high in row_bounds(last - first, block):
                rows = slice(first + low, first + high)
                F = self._factor[rows].toarray()
                if root is not None:
                    F *= root[rows]
                total += F.T @ F
            parts[first] = total

        bounds = row_bounds(self.n_items, max(-(-self.n_items // GRAM_PARTS), block))
        run_chunks(work, bounds)
        return sum((parts[low] for low, _ in bounds[1:]), start=parts[0])

    def scaled(self, factors: Array) -> LowRankAffinity:
        scaled = self._factor * self.native(factors[:, None])
        return LowRankAffinity(sp.csr_array(scaled) if self._sparse else scaled)

    @classmethod
    def example(cls, rng: np.random.Generator, n_items: int) -> tuple[Self, Array]:
        factor = rng.normal(size=(n_items, 3))
        return cls(factor), factor @ factor.T
