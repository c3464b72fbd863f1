"""Losses between partitions: counts of items, and one formula.

With n_k the sizes of the estimate's clusters, m_j those of a draw and n_kj their table, a loss is a function of

    u = sum_k f(n_k),    v = sum_j f(m_j),    w = sum_kj f(n_kj),    t = f(n),

with f(n) = n log n (entropies), f(n) = n^2 (ordered pairs of items, an item with itself among them) or, where
a loss asks for it, f(n) = n (n - 1) (of different items). The formula is written once, in plain arithmetic: NumPy
evaluates it on arrays of draws (`partita.partition.expected`) and numba compiles it for the moves of the search to call
(`partita.kernels.partition_formula`). A new loss is one file with a `Formula` and a `PartitionLoss`, and is then tested
by `tests/contract/test_partition_loss.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal, Protocol, get_args

import numpy as np

from partita.arrays import Array
from partita.errors import InputError
from partita.registry import did_you_mean, enrol

__all__ = ["NOTHING", "Formula", "PartitionLoss", "Unit", "check_weight", "counting", "dyadic", "entropies", "loss_of"]

Unit = Literal["bits", "nats"]

# The mean of v over draws equals t if it falls short by less than this share: every draw is one cluster, and the rest
# is rounding of sums of weights, 1e-16 times some hundreds. The least that is something is one item of N parted in one
# draw of M, 2 / (N M). Draws of single items need no such bound: f(1) = 1 (1 - 1) = 0, and so is any mean of it.
NOTHING = 1e-12
# A loss nearer to zero than this is what is left of sums of n log n that cancel.
ROUNDING = 1e-12


class Formula(Protocol):
    """A NamedTuple of numbers with the loss of one draw as a method, in arithmetic that NumPy and numba both run.

    Of up to three numbers, all floats, it is compiled once; otherwise for each set of numbers, in about 0.1 s.
    """

    def evaluate(self, u: Any, v: Any, w: Any, t: Any, n: Any, K: Any) -> Any:
        """Return the value that is minimised, from the sums above over n items in K clusters."""
        ...


class PartitionLoss(ABC):
    """A loss between an estimate and the partition that is estimated.

    Class attributes
    ----------------
    name : as in `loss="vi"`
    title : how a table calls it
    entropic : whether it has a unit or comes from entropies; the others count pairs
    per_draw : whether the formula is evaluated for each draw and then averaged. Without it the formula is evaluated at
        the averages of v and w, which for a formula linear in them is the same, and costs less
    by_pairs : whether the posterior similarity matrix determines the expectation
    by_draws : whether it is a mean over draws of the formula; without it the matrix is all that it is defined by
    with_itself : of losses of pairs, whether an item is paired with itself: f(n) = n^2. Without it f(n) = n (n - 1), so
        that a formula about different items alone takes no differences in which they are lost
    is_score : whether the value reported is larger where the estimate is better
    source : where it comes from
    """

    name: ClassVar[str]
    title: ClassVar[str]
    entropic: ClassVar[bool]
    per_draw: ClassVar[bool] = False
    by_pairs: ClassVar[bool] = False
    by_draws: ClassVar[bool] = True
    with_itself: ClassVar[bool] = True
    is_score: ClassVar[bool] = False
    source: ClassVar[str]
    registry: ClassVar[dict[str, type[PartitionLoss]]] = {}
    unit: Unit | None = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" in cls.__dict__:
            enrol(PartitionLoss.registry, cls)

    @property
    @abstractmethod
    def formula(self) -> Formula:
        """The loss with its numbers, as kernels take it."""

    def counts(self, n_items: int) -> Array:
        """Return f(0), ..., f(N + 1)."""
        return entropies(n_items, self.unit or "bits") if self.entropic else counting(n_items, self.with_itself)

    def reported(self, minimised: Any) -> Any:
        """Return the value as it is known in the field, from the one that is minimised.

        Rounding around zero is zero.
        """
        value = 1.0 - minimised if self.is_score else minimised
        return np.where(np.abs(value) < ROUNDING, 0.0, value)[()]

    def minimised(self, reported: Any) -> Any:
        """Return the inverse of `reported`."""
        return 1.0 - reported if self.is_score else reported

    @property
    def says(self) -> str:
        """Name and unit in words."""
        return f"{self.title} ({self.unit})" if self.unit else self.title

    def extent(self, value: float, n_items: int) -> str:
        """Return how large a value is for so many items, in words; empty where there is nothing to hold it against."""
        return ""


def entropies(n_items: int, unit: Unit) -> Array:
    """Return the table of n log n for n = 0..N+1.

    >>> entropies(3, "bits").tolist()[:3]
    [0.0, 0.0, 2.0]
    """
    n = np.arange(n_items + 2, dtype=np.float64)
    log = np.log2 if unit == "bits" else np.log
    return np.asarray(n * log(np.maximum(n, 1.0)))


def counting(n_items: int, with_itself: bool = True) -> Array:
    """Return the table of n^2, or without the pairs of an item with itself n (n - 1), for n = 0..N+1: ordered pairs
    of items.
    """
    n = np.arange(n_items + 2, dtype=np.float64)
    return np.asarray(n * (n if with_itself else n - 1.0))


def dyadic(f: Array) -> Array:
    """Return the table rounded to whole multiples of so small a power of two that sums of it over all items are exact.

    So u, v and w do not drift however many moves are made, and are 0 where they should be. The rounding is below
    1e-9 of the loss up to N of a million; the loss that is reported is computed afresh without it.
    """
    unit = 2.0 ** (np.ceil(np.log2(max(f[-1], 1.0))) - 50)
    return np.asarray(np.rint(f / unit) * unit)


def loss_of(loss: str | PartitionLoss, unit: Unit | None = None) -> PartitionLoss:
    """Return a loss by its name, or as it is; checked against the unit asked for.

    Raises
    ------
    InputError
        For a name or unit that is unknown, nats of a loss that has no unit, or another unit than the loss has.

    Examples
    --------
    >>> loss_of("vi").says, loss_of("binder").says
    ('variation of information (bits)', 'Binder loss')
    """
    if unit is not None and unit not in get_args(Unit):
        raise InputError(f"unit={unit!r} is unknown; pass 'bits' or 'nats'")
    if isinstance(loss, PartitionLoss):
        if unit is not None and (loss.unit or "bits") != unit:
            raise InputError(f"unit={unit!r}, but the loss given is {loss!r}; leave out one of the two")
        return loss
    if loss not in PartitionLoss.registry:
        near = did_you_mean(str(loss), PartitionLoss.registry)
        raise InputError(
            f"loss={loss!r} is unknown: expected one of {', '.join(map(repr, PartitionLoss.registry))}{near}"
        )
    kind = PartitionLoss.registry[loss]
    if kind.unit is not None:
        return kind(unit=unit or "bits")  # type: ignore[call-arg]
    if unit == "nats":
        raise InputError(f"loss={loss!r} has no unit: it is not an entropy but a share; leave out unit={unit!r}")
    return kind()


def check_weight(a: float) -> None:
    """Raise `InputError` unless 0 <= a <= 2."""
    if not 0.0 <= a <= 2.0:
        raise InputError(f"a={a!r}: expected a number from 0 to 2; 1 weighs both errors alike")
