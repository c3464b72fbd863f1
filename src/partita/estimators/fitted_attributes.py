"""Attributes of a fitted factorization, which predictions, doubt and explanations are written against."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from partita.affinity import Affinity, Builder
from partita.arrays import Array
from partita.calibration import Calibration, Calibrator
from partita.ensemble import Draw
from partita.ensemble.consensus import Consensus
from partita.estimators.bayesian_partition import BayesianPartition
from partita.estimators.checked_input import CheckedInput
from partita.estimators.extension import Extension
from partita.estimators.pipeline import Given
from partita.estimators.plan import Plan, Reasoned
from partita.n_clusters import Verdict
from partita.solvers import Solver, SolveResult

__all__ = ["FittedAttributes"]

# What `fit` sets and a file of a model does not hold.
NOT_SAVED = ("affinity_", "item_index_", "result_", "verdict_", "chosen_", "ensemble_", "posterior_", "exemplars_")
# What there is after some fits only, and when.
SOMETIMES = {
    "verdict_": "the number of clusters was given: judge_n_clusters() examines it",
    "posterior_": "it holds the draws of an ensemble that found the number of clusters (n_clusters='auto')",
    "calibration_": "its memberships are the fitted ones",
    "ensemble_": "it holds the draws of an ensemble (affinity='ensemble')",
}


class FittedAttributes(CheckedInput):
    """Base class that declares the attributes that `fit` sets, and the parameters that say what its input is."""

    affinity: Any
    symmetrize: Any

    membership_: Array
    labels_: NDArray[np.int64]
    n_clusters_: int
    entropy_: Array
    objective_: float
    scale_: float | Array
    n_iter_: int
    n_products_: int
    result_: SolveResult
    affinity_: Affinity
    item_index_: NDArray[np.intp]
    factor_: Array
    unassigned_: NDArray[np.intp]
    verdict_: Verdict
    chosen_: dict[str, Reasoned]
    ensemble_: tuple[Draw, ...]
    _consensus: Consensus | None
    _judged: Verdict | None
    _posterior: BayesianPartition | None
    _item_of_row: NDArray[np.intp]
    _row_weights: Array | None
    _plan_: Plan
    _given: Given
    calibration_: Calibration
    _builder_: Builder
    _solver_: Solver
    _extension: Extension
    _calibrator: Calibrator | None

    @property
    def _knows_pairs(self) -> bool:
        """Whether items are known by affinities or distances."""
        return self._builder_.pairwise or (hasattr(self, "_coordinates") and self._coordinates.rows is None)

    if not TYPE_CHECKING:  # of a name that there is no annotation for, mypy is to complain

        def __getattr__(self, name: str) -> Any:
            fitted = "labels_" in self.__dict__
            if name in NOT_SAVED and fitted and "affinity_" not in self.__dict__:
                raise AttributeError(f"a model that was loaded has no {name}, which is not saved with it; fit it again")
            if name in SOMETIMES and fitted:
                raise AttributeError(f"this fit has no {name}: {SOMETIMES[name]}")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
