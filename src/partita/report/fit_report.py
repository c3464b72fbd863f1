"""Contents of a report on a fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.estimators.base import FactorizationEstimator
from partita.estimators.mixed_table import MixedTable
from partita.explanation import Explanation

__all__ = ["FitReport"]


@dataclass(frozen=True, eq=False)
class FitReport:
    """A fit and what to say about it.

    Attributes
    ----------
    title : str
    source : str
        File name or name of the data set.
    ids : sequence of str
        One an item; empty for row numbers.
    columns : sequence of str
        Names of the features; empty where there are none.
    estimator
        A fitted estimator of Partita.
    features : N x d array or None
        None for precomputed evidence.
    parameters : dict
        As the reader would set them.
    scores : dict or None
        Against a known truth: purity, rand, adjusted_rand, accuracy.
    notes : sequence of str
        Warnings to show.
    seconds : float
        Duration of the whole run.
    versions : dict
        Versions of Partita and its dependencies.
    command : str or None
        The command line that makes this again.
    classes : sequence of N values or None
        The known class of each item, which the fit did not see.
    explanation : Explanation or None
        What tells the clusters apart; by default that of `features`, where there are any.

    Raises
    ------
    InputError
        Where ids, features or classes do not fit the number of items.
    """

    title: str
    source: str
    ids: Sequence[str]
    columns: Sequence[str]
    estimator: FactorizationEstimator
    features: NDArray[np.float64] | None
    parameters: dict[str, Any]
    scores: dict[str, float] | None
    notes: Sequence[str]
    seconds: float
    versions: dict[str, str]
    command: str | None
    classes: Sequence[Any] | NDArray[Any] | None = None
    explanation: Explanation | None = None

    def __post_init__(self) -> None:
        n = len(self.estimator.membership_)
        if len(self.ids) not in (0, n):
            raise InputError(f"ids has {len(self.ids)} entries, the fit {n} items")
        if self.features is not None and (self.features.ndim != 2 or len(self.features) != n):
            raise InputError(f"features has shape {self.features.shape}, expected ({n}, d): a row an item")
        if self.classes is not None and len(self.classes) != n:
            raise InputError(f"classes has {len(self.classes)} entries, the fit {n} items")
        if self.features is not None and len(self.columns) not in (0, self.features.shape[1]):
            raise InputError(f"columns has {len(self.columns)} names for {self.features.shape[1]} features")

    def explained(self) -> Explanation | None:
        """Return the explanation that was given, or that of the features; None where there is neither."""
        if self.explanation is not None or self.features is None:
            return self.explanation
        names = tuple(str(name) for name in self.columns) or None
        return self.estimator.explain(MixedTable(names, MixedTable.of_array(self.features).columns))

    def id_of(self, item: int) -> str:
        """Return the id of an item; its row number where none were given."""
        return str(self.ids[item]) if len(self.ids) else str(item)
