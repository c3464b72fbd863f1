"""The record of a solver's result, with every restart and trace. An array that occurs twice is kept once."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from partita.errors import ModelError
from partita.io.codec import copied
from partita.membership import Membership
from partita.runs import Status
from partita.shapes import floats, whole
from partita.solvers.result import Restart, SolveResult

__all__ = ["SavedResult"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SavedResult:
    """The best restart and all of them.

    `evidence`, the members of an ensemble, is not kept: the fit of memberships to draws has none.
    """

    BY_NAME: ClassVar = True
    status: Status
    objective_name: str
    solver_name: str
    n_iter: int
    n_products: int
    objective: float
    misfit: float
    optimality: float
    seconds: float
    earlier_seconds: float
    seed: int | None
    notes: tuple[str, ...]
    norm_is_exact: bool
    membership: Annotated[Array, floats("N", "K")]
    labels: Annotated[NDArray[np.int64], whole("N", below="K", as_type=np.int64)]
    scale: Annotated[Array, floats("K")]
    trace: Annotated[Array, floats(None)]
    restarts: tuple[Restart, ...]
    factor: Annotated[Array | None, floats("N", "K")] = None

    @classmethod
    def of(cls, result: SolveResult) -> SavedResult:
        """Return the record of a result."""
        found = result.membership
        return copied(cls, result, membership=found.matrix, labels=found.labels)

    def check(self) -> None:
        """Raise `ModelError` where nothing led to the result."""
        if not self.restarts:
            raise ModelError("the membership of the model comes from no restart; save the model again")

    def made(self) -> SolveResult:
        """Return the result."""
        membership = Membership(self.membership)
        membership.labels = self.labels
        own: dict[str, Any] = {
            "membership": membership,
            "factor": membership.matrix if self.factor is self.membership else self.factor,
        }
        known = {field.name for field in fields(SolveResult)}
        return SolveResult(**{name: value for name, value in vars(self).items() if name in known} | own)
