"""What an estimator takes: an array, a frame, a matrix of pairs or an `Affinity`, checked and made numbers."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import _check_feature_names, _check_n_features, validate_data

from partita.affinity import Affinity, Builder, NeighborGraph, Precomputed
from partita.affinity.checks import check_square
from partita.affinity.evidence import require_fitted
from partita.arrays import Array
from partita.ensemble.units import far_cells
from partita.errors import InputError, MissingExtraError, UnsureWarning
from partita.estimators.coordinates import Coordinates
from partita.estimators.encoding import Encoding
from partita.estimators.frames import checked_frame, frame_package, row_names, table_of_frame
from partita.estimators.input_checks import (
    check_finite,
    check_magnitude,
    check_size,
    dense_features,
    warn_of_lost_digits,
    warn_of_pairs,
    without_stored_zeros,
)
from partita.estimators.mixed_table import MixedTable
from partita.estimators.plan import Plan
from partita.estimators.scaling import ScaleFeatures, note_on_scale
from partita.estimators.shown import Shown
from partita.kernels.foreign_csr import is_foreign_csr
from partita.kernels.namespace import is_foreign
from partita.wording import count

__all__ = ["CheckedInput", "Encoded", "encoded"]


# What an error about a column that holds no numbers adds.
ENSEMBLE_TAKES_IT = "; affinity='ensemble' takes words and categories as they are"
WITHOUT_METRIC = "; without a metric words and categories are taken as they are"


class CheckedInput(Shown):
    """An estimator that remembers the columns and the rows of what it was given, and how a table was encoded."""

    missing: Any
    n_features_in_: int
    items_: NDArray[np.str_] | None
    encoding_: Encoding
    _columns: list[str] | None
    _coordinates: Coordinates

    def _checked(self, X: Any, builder: Builder, *, reset: bool) -> Any:
        """X as the fit sees it: `_as_given`, or where the points are that were placed by it."""
        if not reset and not builder.pairwise and hasattr(self, "_coordinates"):
            return self._coordinates(self._given_of_placed(X))
        return self._as_given(X, builder, reset=reset)

    def _as_given(self, X: Any, builder: Builder, *, reset: bool) -> Any:
        """X as an array of finite floats (or a sparse matrix where the affinity is pairwise)."""
        if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
            raise InputError(
                "X is a masked array, whose masked cells would be taken as they are: pass X.filled(np.nan), and what "
                "missing= says of missing cells holds for them"
            )
        if reset and isinstance(builder, Precomputed) and (is_foreign(X) or is_foreign_csr(X)):
            X = builder.build(X, n_clusters=1).affinity  # products stay where the matrix lies
        if reset:
            self.__dict__.pop("_columns", None)  # of the file of an earlier fit
        elif getattr(self, "_columns", None) and not builder.pairwise and frame_package(X) is not None:
            table = self._as_table(X)
            X = X if table is None else table.ordered(self._columns)
        if builder.mixed and (reset or hasattr(self, "encoding_")):
            table = self._as_table(X)
            if table is not None and reset:
                return self._checked_table(table, X)
            if table is not None:
                return self._encoded(table, X)
        if not reset and hasattr(self, "encoding_") and self.encoding_.joint and isinstance(X, np.ndarray):
            raise InputError("the fit had a table with columns of categories: pass a frame of the same columns")
        if isinstance(X, MixedTable) and all(X.numeric):
            if reset and X.names is not None:
                self._columns = list(X.names)
            X = X.numbers
        if isinstance(X, MixedTable):
            raise InputError("X is a mixed table, which affinity='ensemble' takes: pass numbers, or that affinity")
        if isinstance(X, Affinity):
            if not builder.pairwise or builder.of_distances:
                raise InputError("an Affinity was given: pass affinity='precomputed'")
            if not reset:
                raise InputError("an Affinity was given: pass its rows for the items to score, affinity.rows(index)")
            self.n_features_in_, self.items_ = X.n_items, None
            return without_stored_zeros(X)
        if sp.issparse(X) and not builder.pairwise:
            X = dense_features(X)
        remedy = ENSEMBLE_TAKES_IT if reset and not builder.pairwise else ""
        if remedy and getattr(self, "metric", "euclidean") != "euclidean":
            remedy = WITHOUT_METRIC
        X, given = checked_frame(X, pairwise=builder.pairwise and reset, remedy=remedy), getattr(X, "dtype", None)
        if reset and builder.pairwise and getattr(X, "ndim", 2) == 1:
            check_square(X, "distances" if builder.of_distances else "affinities")
        if reset:
            self.items_ = row_names(X)
            check_size(X, pairwise=builder.pairwise)
        elif builder.pairwise and getattr(X, "ndim", 0) == 2:
            require_fitted(X.shape[1], self.n_features_in_, "distances" if builder.of_distances else "affinities")
        with _of_numbers(mixed=builder.mixed):
            X = validate_data(
                self,
                X,
                reset=reset,
                accept_sparse="csr" if builder.pairwise else False,
                dtype=np.float64,
                order="C",  # a frame's columns lie apart, and sums in another order have other last bits
                ensure_all_finite=False,
                ensure_min_samples=1,
            )
        if builder.mixed and not reset and hasattr(self, "encoding_"):
            table = MixedTable.of_array(X)
            return self._encoded(table, table)
        if builder.mixed and reset and self.missing == "unobserved":
            return self._checked_table(MixedTable.of_array(X), None)
        if builder.pairwise and not builder.of_distances and getattr(builder, "unstored", "zero") == "zero":
            X = without_stored_zeros(X)
        if builder.pairwise and not reset:
            return X
        if not builder.pairwise:
            check_finite(X, self.missing)
            if reset:
                check_magnitude(X)
                warn_of_lost_digits(X, given)
                warn_of_pairs(X)
        return X

    def _given_of_placed(self, X: Any) -> Any:
        """Rows of distances to the fitted items, of affinities or of features, of a fit that placed these."""
        if self._coordinates.rows is not None:
            return self._as_given(X, NeighborGraph(metric=self._coordinates.metric), reset=False)
        of_distances = self._coordinates.self_affinity is None
        return self._as_given(X, NeighborGraph(metric="precomputed") if of_distances else Precomputed(), reset=False)

    def _as_table(self, X: Any) -> MixedTable | None:
        """A frame as a mixed table; None for an array, and for a frame of pandas where narwhals is not installed."""
        if isinstance(X, MixedTable):
            return X
        try:
            return table_of_frame(X)
        except MissingExtraError:
            if frame_package(X) == "pandas":
                return None
            raise

    def _encoded(self, table: MixedTable, X: Any) -> Array:
        """The table of new items as complete numbers; warnings say which columns are coded in another way, and which
        rows are empty.
        """
        if table is not X and not self.encoding_.joint:
            _check_feature_names(self, X, reset=False)  # as scikit-learn has it: the same names in one order
        otherwise = self.encoding_.coded_otherwise(table)
        empty_rows = self.encoding_.empty_rows(table)
        for said in filter(None, (otherwise, empty_rows)):
            warnings.warn(said, UnsureWarning, stacklevel=5)
        return self.encoding_(table)

    def _mixed_table(self, X: Any) -> MixedTable:
        """Rows to be scored as a mixed table, however they come."""
        table = self._as_table(X)
        return MixedTable.of_array(np.asarray(X, dtype=np.float64)) if table is None else table

    def _checked_table(self, table: MixedTable, X: Any) -> MixedTable:
        """The table of a fit, its columns counted and named as scikit-learn does it."""
        if X is not None:
            self.items_ = row_names(X)
            _check_n_features(self, table, reset=True)
            _check_feature_names(self, X, reset=True)
        if not table.shape[0]:
            raise InputError(f"Found array with 0 sample(s) (shape={table.shape}) while a minimum of 1 is required.")
        table.require_finite()
        numbers = table.numbers
        check_magnitude(numbers)
        warn_of_lost_digits(numbers, None)
        warn_of_pairs(numbers)
        return table if table.names is None else table.with_marks()


@contextmanager
def _of_numbers(*, mixed: bool) -> Iterator[None]:
    """Say of an array that holds words how they are given; scikit-learn says that one is no number."""
    try:
        yield
    except ValueError as error:
        found = re.fullmatch(r"could not convert string to float: (?:np\.str_\()?('.*')\)?", str(error), re.DOTALL)
        if found is None:
            raise
        how = "pass a data frame, whose columns of words are categories" if mixed else "pass numbers"
        raise InputError(f"X holds words, as {found[1]}: {how}") from error


# Rows from which a column of running numbers is no accident.
FEWEST_COUNTED = 10


class Encoded(NamedTuple):
    """Input made numbers: the array, the plan for it, how a mixed table was encoded, and notes about its cells."""

    X: Any
    plan: Plan
    encoding: Encoding | None
    notes: tuple[str, ...]


def encoded(X: Any, plan: Plan, weights: Array | None, names: NDArray[Any] | None) -> Encoded:
    """Return a mixed table as numbers, and anything else as it is; `names` are those of the columns of an array."""
    if not isinstance(X, MixedTable):
        far = _far_note(X, names, "item {}".format) if plan.builder.mixed else ()
        return Encoded(X, plan, None, (*far, *note_on_scale(X, plan.builder, plan.scale_features, weights, names)))
    scale: ScaleFeatures = plan.scale_features if plan.scale_features in ("standard", "minmax") else "none"
    encoding = Encoding.of(X, weights, units=plan.builder.units, scale=scale)
    if encoding.joint:  # the encoding has scaled the numbers beside the words
        plan = replace(plan, builder=replace(plan.builder, units="given"), scale_features="none")  # type: ignore[type-var]
    names = None if X.names is None else np.array(X.names)[X.numeric]
    counting = _note_on_counting(X.numbers, names)
    notes = (*_note_on_marks(encoding), *encoding.notes(X), *_far_note(X.numbers, names, X.place), *counting)
    if not encoding.joint:
        notes = (*notes, *note_on_scale(X.numbers, plan.builder, plan.scale_features, weights, names))
    return Encoded(encoding(X), plan, encoding, notes)


def _note_on_counting(X: Array, names: NDArray[Any] | None) -> tuple[str, ...]:
    """What is to be said of named columns that number the rows, as a command leaves them out."""
    if names is None or len(X) < FEWEST_COUNTED:
        return ()
    low, high = X.min(axis=0), X.max(axis=0)
    return tuple(
        f"column {str(names[j])!r} holds each whole number from {low[j]:g} to {high[j]:g} once: leave it out if it "
        "names the rows"
        for j in np.flatnonzero(high - low == len(X) - 1)
        if (np.diff(np.sort(X[:, j])) == 1.0).all()
    )


def _note_on_marks(encoding: Encoding) -> tuple[str, ...]:
    """What is to be said of columns whose blank cells are a category."""
    marks = [repr(name) for name, own in zip(encoding.names or (), encoding.marks) if own]
    if not marks:
        return ()
    which = f"column {marks[0]} holds" if len(marks) == 1 else f"{len(marks)} columns ({marks[0]}, ...) hold"
    return (f"{which} one value or nothing: a blank cell there is an answer of its own, and not a missing one",)


def _far_note(X: Array, names: NDArray[Any] | None, place: Callable[[int], str]) -> tuple[str, ...]:
    """What is to be said of cells far from all others of their column."""
    far = far_cells(X)
    if not far.any():
        return ()
    row, at = np.argwhere(far)[0]
    column = f"column {at}" if names is None else repr(str(names[at]))
    n = int(far.sum())
    said = f"{count(n, 'cell')} {'is' if n == 1 else 'are'} far from all others of the column"
    seen = f"the ensemble treats {'it' if n == 1 else 'them'} as lying at the edge of the others"
    return (f"{said} (the first: {place(int(row))}, {column}): {seen}",)
