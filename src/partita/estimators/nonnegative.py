"""What the estimators with a merely nonnegative factor share: the raw factor, and the items it leaves unassigned."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.estimators.base import FactorizationEstimator
from partita.solvers import SolveResult

__all__ = ["NonnegativeEstimator"]

# Items that a note names.
NAMED = 10


class NonnegativeEstimator(FactorizationEstimator):
    """A factorization P ~ H H^T with H >= 0."""

    def _keep(self, result: SolveResult, inverse: NDArray[np.intp], X: Any) -> None:
        super()._keep(result, inverse, X)
        factor, unseen = result.factor, np.flatnonzero(inverse < 0)
        balance = self._extension.balance
        assert factor is not None
        assert balance is not None
        self.factor_ = factor[inverse]
        if len(unseen):
            self.factor_[unseen] = self._extension.factor(X[unseen])
        self.unassigned_ = self._objective().domain.unassigned(self.factor_, balance)
        notes = (_note(self.unassigned_),) if len(self.unassigned_) else ()
        self.result_ = dataclasses.replace(self.result_, factor=self.factor_, notes=(*self.result_.notes, *notes))


def _note(unassigned: NDArray[np.intp]) -> str:
    n = len(unassigned)
    named = ", ".join(str(i) for i in unassigned[:NAMED]) + (" ..." if n > NAMED else "")
    what = f"item {named} is" if n == 1 else f"{n:,} items are"
    which = "" if n == 1 else f" (rows {named})"
    return (
        f"{what} unassigned{which}: nothing but zeros in the factor, so the membership is uniform and the label a guess"
    )
