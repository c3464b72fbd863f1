"""The interface of every objective: which scale goes with a factor, and where the factor may lie."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

from partita.arrays import Array
from partita.objectives.domain import SIMPLEX, Domain
from partita.registry import enrol

__all__ = ["Array", "Objective"]


class Objective(ABC):
    """Choice of the scale a and of the constraint set of a factor. One file each; registers itself by `name`."""

    name: ClassVar[str]
    equation: ClassVar[str]
    source: ClassVar[str]
    domain: ClassVar[Domain] = SIMPLEX
    # Which scales are allowed: the same whatever the data, one alpha >= 0 for all clusters, or an a_k >= 0 for each.
    scales: ClassVar[Literal["fixed", "common", "own"]] = "fixed"
    registry: ClassVar[dict[str, type[Objective]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" in cls.__dict__:  # a subclass under its parent's name does not take its place
            enrol(Objective.registry, cls)

    @abstractmethod
    def scale(self, attraction: Array, curvature: Array) -> Array:
        """Return the K scales a, from c (K) and H (K x K): a minimiser of a^T H a - 2 a^T c over what is allowed."""

    def slope(self, attraction: Array, curvature: Array) -> Array | None:
        """Return coefficients, constant first, of a polynomial that is zero where f is stationary along a segment.

        c (3 x K) and H (5 x K x K) are given by powers of t. None where there is no such polynomial of a low degree.
        """
        return None
