"""The interface of relabelling algorithms: scores of items in columns, made of a pivot or of the shares so far.

An algorithm alternates two steps until no cluster changes its column: every draw is matched to the columns by the
assignment of the largest sum of scores, and the scores are made anew of the shares that this gives. One file each: a
frozen dataclass that registers itself by its name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from partita.arrays import Array
from partita.errors import InputError
from partita.registry import enrol

__all__ = ["Relabelling", "as_relabelling", "modal"]


class Relabelling(ABC):
    """Algorithm that assigns each cluster of each draw to a column.

    Class attributes
    ----------------
    iterative : whether scores are made anew
    takes_soft : whether draws may be classification probabilities
    idea, source : what is matched, and where it comes from
    """

    name: ClassVar[str]
    idea: ClassVar[str]
    source: ClassVar[str]
    iterative: ClassVar[bool] = True
    takes_soft: ClassVar[bool] = False
    registry: ClassVar[dict[str, type[Relabelling]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" in cls.__dict__:  # a subclass under its parent's name does not take its place
            enrol(Relabelling.registry, cls)

    @abstractmethod
    def scores(self, shares: Array, n_draws: int) -> Array:
        """Return N x K scores from N x K shares, which at first are the indicators of the pivot.

        Nonnegative: zero is what an item gets that is in no column, so that where a draw has too many clusters the
        large ones are matched first.
        """


def as_relabelling(method: str | Relabelling) -> Relabelling:
    """Return the algorithm that a name stands for; one that is given is returned as it is.

    >>> as_relabelling("ecr").iterative
    False

    Raises
    ------
    InputError
        For a name that no algorithm has.
    """
    if isinstance(method, Relabelling):
        return method
    if method not in Relabelling.registry:
        raise InputError(f"method={method!r}: expected one of {', '.join(map(repr, Relabelling.registry))}")
    return Relabelling.registry[method]()


def modal(shares: Array) -> Array:
    """Return the indicators of each item's largest share; the first of those that tie."""
    out = np.zeros_like(shares)
    out[np.arange(len(shares)), shares.argmax(axis=1)] = 1.0
    return out
