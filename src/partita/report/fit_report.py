"""Contents of a report on a fit."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from inspect import signature
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.estimators.base import FactorizationEstimator
from partita.estimators.explaining import table_of
from partita.estimators.mixed_table import MixedTable
from partita.explanation import Explanation
from partita.io import versions
from partita.solvers import Solver
from partita.wording import first_words

__all__ = ["FitReport", "numbers_of", "parameters_of", "untouched"]


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
    seconds : float or None
        Duration of the whole run, where it was measured.
    versions : dict
        Versions of Partita and its dependencies.
    command : str or None
        The command line that makes this again.
    classes : sequence of N values or None
        The known class of each item, which the fit did not see.
    explanation : Explanation or None
        What tells the clusters apart; by default that of `features`, where there are any.
    reading : sequence of str
        How the file was read: those of the notes that are on that.
    untouched : sequence of str
        Parameters that have their defaults.

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
    seconds: float | None
    versions: dict[str, str]
    command: str | None
    classes: Sequence[Any] | NDArray[Any] | None = None
    explanation: Explanation | None = None
    reading: Sequence[str] = ()
    untouched: Collection[str] = ()

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

    @classmethod
    def of(cls, model: FactorizationEstimator, *, names: Sequence[Any] | None = None, X: Any = None) -> Self:
        """Return the report of a fitted estimator, from what it kept of its fit and a table of your own, if any."""
        table, explanation = table_of(model, X), None
        if table is not None:
            explanation = model.explain(table)
        columns, features = numbers_of(table)
        found = getattr(model, "items_", None) if names is None else names
        return cls(
            title=type(model).__name__,
            source="",
            ids=[] if found is None else [str(name) for name in found],
            columns=columns,
            estimator=model,
            features=features,
            parameters=parameters_of(model),
            scores=None,
            notes=[],
            seconds=None,
            versions=versions(),
            command=None,
            explanation=explanation,
            untouched=untouched(model),
        )

    @cached_property
    def explained(self) -> Explanation | None:
        """The explanation that was given, or that of the features; None where there is neither."""
        if self.explanation is not None or self.features is None:
            return self.explanation
        names = tuple(str(name) for name in self.columns) or None
        return self.estimator.explain(MixedTable(names, MixedTable.of_array(self.features).columns))

    def id_of(self, item: int) -> str:
        """Return the id of an item, of a text its first words; the row number where none were given."""
        return first_words(str(self.ids[item])) if len(self.ids) else str(item)


def numbers_of(table: MixedTable | None) -> tuple[list[str], NDArray[np.float64] | None]:
    """Return the columns of a table of numbers alone, and the numbers; no columns and None of any other."""
    if table is None or not all(table.numeric):
        return [], None
    return list(table.names or ()), table.numbers


def parameters_of(model: Any) -> dict[str, Any]:
    """Return the parameters of a fitted estimator, with the affinity and the solver that were used spelled out."""
    given: dict[str, Any] = model.get_params(deep=False)
    if hasattr(model, "_builder_"):
        given["affinity"] = model._builder_.config()
    if hasattr(model, "_solver_"):
        given["solver"] = _solver_text(model._solver_)
    if hasattr(model, "encoding_"):
        del given["missing"]  # the encoding fills missing cells, whatever it says
    if given.get("checkpoint") is not None:
        given["checkpoint"] = str(getattr(model.checkpoint, "folder", model.checkpoint))
    return given


def untouched(model: Any) -> list[str]:
    """Return the names of the parameters that have their defaults; not of those that `parameters_of` spells out.

    >>> from partita import SoftClustering
    >>> {"n_clusters", "random_state"} & set(untouched(SoftClustering(3)))
    {'random_state'}
    """
    defaults = {name: each.default for name, each in signature(type(model)).parameters.items()}
    spelled = {name for name, kept in (("affinity", "_builder_"), ("solver", "_solver_")) if hasattr(model, kept)}
    given = model.get_params(deep=False)
    return [name for name, value in given.items() if name not in spelled and _same(value, defaults.get(name))]


def _same(value: Any, default: Any) -> bool:
    """Whether a value is a default; of arrays and other things without a truth value, whether it is the same object."""
    return value is default or (isinstance(value, (str, int, float, tuple)) and bool(value == default))


def _solver_text(solver: Solver) -> str:
    """A solver with all its options, as `--solver` takes it."""
    given = {field.name: getattr(solver, field.name) for field in fields(solver)}  # type: ignore[arg-type]
    options = ",".join(f"{name}={str(value).lower()}" for name, value in given.items())
    return f"{solver.name}:{options}" if options else solver.name
