"""The interface of every affinity.

An affinity P is a symmetric N x N matrix; an entry is the evidence that two items belong together. Nothing above this
interface sees P: one product `P @ W` an iteration is all most solvers need, whatever P is inside. A new kind is one
file: subclass `Affinity`, give it a `name`, the abstract methods and an `example`, and
`tests/contract/test_affinity.py` checks it untouched.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from partita.arrays import Array
from partita.kernels.namespace import to_numpy
from partita.memory import require_memory
from partita.registry import enrol

if TYPE_CHECKING:
    from partita.affinity.low_rank import LowRankAffinity

__all__ = ["Affinity", "Array", "Kind", "PairWeights", "Unobserved"]

Kind = Literal["probability", "similarity"]

# Rows made dense at a time when a quantity needs rows and no closed form exists.
ROW_BLOCK = 256


class Unobserved:
    """Pairs of items that were not observed, which is not the same as observed zeros.

    Parameters
    ----------
    first, second : arrays of int
        Both orders of every unobserved pair; (i, i) once.
    """

    def __init__(self, first: ArrayLike, second: ArrayLike) -> None:
        self.first = np.asarray(first, dtype=np.intp)
        self.second = np.asarray(second, dtype=np.intp)

    def __len__(self) -> int:
        return len(self.first)


class PairWeights:
    """Weights of the pairs in an objective: `weight` for the pairs listed, `rest` for all others.

    Parameters
    ----------
    first, second : arrays of int
        Both orders of every pair listed; (i, i) once.
    weight : array
        Nonnegative; 0 is a pair that was not observed.
    value : array, optional
        The evidence P_ij of the pairs listed, before the affinity multiplied it by the weight; zero by default.
    rest : {1.0, 0.0}
        0 where only the pairs listed were observed, or all are listed: then every cost is linear in their number.
    """

    def __init__(
        self, first: ArrayLike, second: ArrayLike, weight: ArrayLike, value: ArrayLike = 0.0, rest: float = 1.0
    ) -> None:
        self.first = np.asarray(first, dtype=np.intp)
        self.second = np.asarray(second, dtype=np.intp)
        self.weight = np.broadcast_to(np.asarray(weight, dtype=np.float64), self.first.shape)
        self.value = np.broadcast_to(np.asarray(value, dtype=np.float64), self.first.shape)
        self.rest = rest

    def __len__(self) -> int:
        return len(self.first)

    def places(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return positions of these pairs in the list (the first where a pair is not listed), and whether they are
        listed.
        """
        n = 1 + max(int(index.max(initial=0)) for index in (self.first, self.second, first, second))
        keys, listed = first * n + second, self.first * n + self.second
        known = np.isin(keys, listed)
        order = np.argsort(listed)
        at = np.zeros(len(keys), dtype=np.intp)
        at[known] = order[np.searchsorted(listed[order], keys[known])]
        return at, known

    def weight_of(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
        """Return the weight of each of these pairs, listed or not.

        >>> PairWeights([0, 1], [1, 0], 3.0).weight_of(np.array([1, 2]), np.array([0, 0])).tolist()
        [3.0, 1.0]
        """
        at, known = self.places(first, second)
        return np.where(known, self.weight[at], self.rest) if len(self) else np.full(len(first), self.rest)

    @property
    def zero_or_one(self) -> bool:
        """Return whether pairs are only left out, none counted more or less."""
        return self.rest == 1.0 and not self.weight.any()


class Affinity(ABC):
    """A symmetric matrix of pairwise evidence that can be applied to a membership. Immutable."""

    name: ClassVar[str]
    can_be_resampled: ClassVar[bool] = True
    """Whether parts of it can be taken in this process, as criteria for the number of clusters do."""
    kinds: ClassVar[dict[str, type[Affinity]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" in cls.__dict__:  # a subclass under its parent's name does not take its place
            enrol(Affinity.kinds, cls)

    @property
    @abstractmethod
    def n_items(self) -> int:
        """Number of items N."""

    @property
    def shape(self) -> tuple[int, int]:
        """(N, N)."""
        return self.n_items, self.n_items

    @property
    def kind(self) -> Kind:
        """Kind of the entries: "probability" where all lie in [0, 1], otherwise "similarity"."""
        return "similarity"

    @property
    def products(self) -> int:
        """Products with the stored matrix that one `@` costs: t for a t-step diffusion."""
        return 1

    @property
    def multiplications(self) -> int:
        """Multiplications that `@` takes for one column."""
        return self.n_items**2

    @property
    def unobserved(self) -> Unobserved | None:
        """The pairs that were not observed (stored as zeros), or None when all were."""
        return None

    @property
    def pair_weights(self) -> PairWeights | None:
        """Weights of the pairs in an objective, where `@` applies the weighted P; None where all are one."""
        holes = self.unobserved
        return None if holes is None else PairWeights(holes.first, holes.second, 0.0)

    @abstractmethod
    def __matmul__(self, W: Array) -> Array:
        """P @ W for an N x m array W, NumPy's or as `native` makes them; the product is of the kind that came."""

    def product(self, W: Array, spare: Array | None = None) -> Array:
        """Return P @ W, written over `spare` if that is compatible: an optional buffer of the result's shape, not W."""
        return self @ W

    @property
    def foreign(self) -> bool:
        """Return whether P lies in arrays of another package than NumPy, on an accelerator or on other machines."""
        return False

    def probe(self) -> Array:
        """Return the product with a fixed random vector, in which every entry takes part: two affinities that are not
        the same differ in it.
        """
        vector = np.random.default_rng(0).uniform(0.5, 1.5, size=(self.n_items, 1))
        return np.asarray(to_numpy(self @ self.native(vector))[:, 0])

    def native(self, array: Array) -> Any:
        """Return a NumPy array with N rows where P lies, for products that copy nothing to the host."""
        return array

    @property
    def rounding(self) -> float:
        """Unit roundoff of the arrays where P lies, in units of that of double precision."""
        return 1.0

    @abstractmethod
    def diagonal(self) -> Array:
        """Return the N entries P_ii."""

    @abstractmethod
    def scaled(self, factors: Array) -> Affinity:
        """Return diag(factors) P diag(factors) as an affinity."""

    @classmethod
    @abstractmethod
    def example(cls, rng: np.random.Generator, n_items: int) -> tuple[Self, Array]:
        """Return an instance and the same matrix as a plain array: what the contract tests compare."""

    @classmethod
    def examples(cls, rng: np.random.Generator, n_items: int) -> Iterator[tuple[Self, Array]]:
        """Yield instances of every way in which this kind computes; the one `example` where there is one way."""
        yield cls.example(rng, n_items)

    def rows(self, index: ArrayLike) -> Array:
        """Return the rows P[index] as a dense array."""
        index = np.atleast_1d(np.asarray(index, dtype=np.intp))
        unit = np.zeros((self.n_items, len(index)))
        unit[index, np.arange(len(index))] = 1.0
        return np.ascontiguousarray((self @ unit).T)

    def as_sparse(self) -> sp.csr_array | None:
        """Return the sparse matrix that `@` applies, where there is one; None for any other kind. Do not change it."""
        return None

    def as_low_rank(self) -> tuple[LowRankAffinity, Array] | None:
        """Return F F^T and f, one factor an item, where `@` applies diag(f) F F^T diag(f); None for any other kind."""
        return None

    def entries(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
        """Return the entries P[first, second]; by rows, a few at a time, where there is nothing better."""
        matrix = self.as_sparse()
        if matrix is not None:
            return np.asarray(matrix[first, second], dtype=np.float64).ravel()
        out = np.empty(len(first))
        items, place = np.unique(first, return_inverse=True)
        order = np.argsort(place, kind="stable")
        bounds = np.searchsorted(place[order], np.arange(0, len(items) + ROW_BLOCK, ROW_BLOCK))
        for block, (low, high) in enumerate(pairwise(bounds)):
            part, start = order[low:high], block * ROW_BLOCK
            out[part] = self.rows(items[start : start + ROW_BLOCK])[place[part] - start, second[part]]
        return out

    def row_sums(self) -> Array:
        """Return the N sums over rows."""
        return np.asarray((self @ np.ones((self.n_items, 1)))[:, 0])

    def squared_norm(self, weights: Array | None = None) -> float:
        """Return sum_ij w_i w_j P_ij^2 (w = 1 where `weights` is None): exact, from blocks of rows, never N x N at
        once.
        """
        w = np.ones(self.n_items) if weights is None else weights
        total = 0.0
        for low in range(0, self.n_items, ROW_BLOCK):
            index = np.arange(low, min(low + ROW_BLOCK, self.n_items))
            total += float(w[index] @ (self.rows(index) ** 2 @ w))
        return total

    @property
    def squared_norm_is_exact(self) -> bool:
        """False where `squared_norm` is an estimate."""
        return True

    def mean(self) -> float:
        """Return the mean entry, diagonal included."""
        return float(self.row_sums().sum()) / self.n_items**2

    def density(self) -> float:
        """Return the share of the pairs with an affinity other than zero; 1 for a kind that cannot tell."""
        return 1.0

    def to_dense(self) -> Array:
        """Return the N x N array.

        Raises
        ------
        MemoryLimitError
            When it would not fit.
        """
        n = self.n_items
        require_memory(8 * n * n, f"the {n:,} x {n:,} array of this affinity", "ask for rows(index) instead")
        return self.rows(np.arange(n))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_items={self.n_items}, kind={self.kind!r})"
