"""The interface of factorizations V ~ W H of a similarity matrix: an objective and one multiplicative update.

V is symmetric, so that V ~ W H is V ~ H^T W^T too: with H kept as its transpose, N x K like W, both halves of an
update are the same half update with the factors exchanged. Each goes row by row over V, in chunks whose bounds depend
on N alone, so that threads change no bit. Cost of an update: 4 N^2 K multiplications for least squares, 8 N^2 K and
2 N^2 divisions for Kullback-Leibler.

A method is one file: a frozen dataclass with a `name`, a `half` update and an `objective`; it registers itself and is
then tested by `tests/unit/test_nmf.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from partita.arrays import Array
from partita.errors import InputError
from partita.kernels.threads import row_bounds, run_chunks
from partita.registry import enrol

__all__ = ["FLOOR", "Factors", "NMFMethod", "as_method", "described", "divergence", "over_rows", "squared_distance"]


# Entries of a factor are kept from falling below this: products of two stay far from the denormals that make an update
# twice as slow, and an entry can rise again. What entries this small add to V is below its rounding.
FLOOR = 1e-16
# Numbers in a chunk of rows of V: a chunk and its quotient stay in a core's cache.
CHUNK = 1 << 17
# Multiplications of a pass over V up to which one thread makes it: a chunk takes less time than a thread to start.
ONE_THREAD = 10_000_000


@dataclass(frozen=True, eq=False)
class Factors:
    """V ~ W H, with a column added where the method has an offset.

    Attributes
    ----------
    W : array, N x K
    Ht : array, N x K
        H transposed.
    offset : array of N, optional
        Vector that is added to every column of W H.
    """

    W: Array
    Ht: Array
    offset: Array | None = None

    @property
    def n_components(self) -> int:
        """Number of components K."""
        return int(self.W.shape[1])

    def finite(self) -> bool:
        """Return whether every entry is a number."""
        parts = (self.W, self.Ht) if self.offset is None else (self.W, self.Ht, self.offset)
        return all(bool(np.isfinite(part).all()) for part in parts)


class NMFMethod(ABC):
    """A nonnegative factorization of a symmetric matrix by multiplicative updates.

    Class attributes
    ----------------
    equation, source : what is minimised, and where it comes from
    """

    name: ClassVar[str]
    equation: ClassVar[str]
    source: ClassVar[str]
    registry: ClassVar[dict[str, type[NMFMethod]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" in cls.__dict__:  # a subclass under its parent's name does not take its place
            enrol(NMFMethod.registry, cls)

    def begin(self, V: Array, factors: Factors) -> Factors:
        """Return the first factors, made of a start: what the method has beside W and H is added here."""
        return factors

    @abstractmethod
    def update(self, V: Array, factors: Factors) -> Factors:
        """Return the factors after one update of H and then of W; the objective does not rise."""

    @abstractmethod
    def objective(self, V: Array, factors: Factors) -> float:
        """Return the value of the objective that is minimised."""

    def model(self, factors: Factors, rows: slice) -> Array:
        """Return the given rows of what stands for V."""
        return np.asarray(factors.W[rows] @ factors.Ht.T)


def over_rows(n: int, K: int, work: Callable[[slice], Any]) -> list[Any]:
    """Call `work` on chunks of rows of an N x N matrix on threads, N K multiplications each; return all in order."""
    bounds = row_bounds(n, max(1, CHUNK // n))
    out: list[Any] = [None] * len(bounds)
    place = {low: at for at, (low, _) in enumerate(bounds)}

    def some(low: int, high: int) -> None:
        out[place[low]] = work(slice(low, high))

    if n * n * K > ONE_THREAD:
        run_chunks(some, bounds)
    else:
        for low, high in bounds:
            some(low, high)
    return out


def squared_distance(method: NMFMethod, V: Array, factors: Factors) -> float:
    """Return ||V - model||^2, summed entry by entry: exact for a perfect fit too."""

    def work(rows: slice) -> float:
        E = method.model(factors, rows)
        E -= V[rows]
        return float(np.vdot(E, E))

    return float(sum(over_rows(len(V), factors.n_components, work)))


def divergence(method: NMFMethod, V: Array, factors: Factors) -> float:
    """Return the generalised Kullback-Leibler divergence sum_ij V log(V / M) - V + M, with M the model and 0 log 0
    = 0.
    """

    def work(rows: slice) -> float:
        M, v = method.model(factors, rows), V[rows]
        ratio = np.ones_like(v)
        np.divide(v, M, out=ratio, where=v > 0)
        return float(np.sum(v * np.log(ratio) - v + M))

    return max(float(sum(over_rows(len(V), factors.n_components, work))), 0.0)


def as_method(method: str | NMFMethod) -> NMFMethod:
    """Return the method that a name stands for, with its defaults; a method is returned as it is.

    >>> as_method("kl").equation
    'sum V log(V / WH) - V + WH'

    Raises
    ------
    InputError
        For a name that no method has.
    """
    if isinstance(method, NMFMethod):
        return method
    if method not in NMFMethod.registry:
        raise InputError(f"method={method!r}: expected one of {', '.join(map(repr, NMFMethod.registry))}")
    return NMFMethod.registry[method]()


def described(method: NMFMethod) -> str:
    """Return the name of a method with the options that are its own.

    >>> from partita.nmf import Nonsmooth
    >>> described(Nonsmooth())
    'ns(theta=0.5, unit_columns=True)'
    """
    own: Any = method
    options = ", ".join(f"{field.name}={getattr(method, field.name)!r}" for field in fields(own))
    return f"{method.name}({options})" if options else method.name
