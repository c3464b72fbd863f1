"""Doubts about what was measured: codes for missing values, slips, skewed numbers, and totals of rows."""

from __future__ import annotations

import numpy as np
from scipy.stats import skew

from partita.arrays import Array
from partita.ensemble.units import far_cells
from partita.estimators.base import FactorizationEstimator
from partita.io.far_values import far_rows, far_values
from partita.wording import count, listed

__all__ = ["codes_and_slips", "skewed", "totals"]

# Columns, and values that may mean missing, that are named.
NAMED = 3
# Cells below which nothing is said of how skewed they are; and how skewed they are at least, and over which range.
FEWEST, SKEWED, WIDE = 20, 0.8, 20.0
# How many times the smallest usual total of a row the largest is from which that is worth a word.
UNLIKE = 5.0


def _numbers(model: FactorizationEstimator) -> list[tuple[str, Array]]:
    """The columns of numbers and their names; none where items are known by their pairs."""
    if model._knows_pairs:
        return []
    names, columns = getattr(model, "feature_names_in_", getattr(model, "_columns", None)), model._given.columns
    if names is None or len(names) != len(columns):
        names = [f"column {at}" for at in range(len(columns))]
    return [(str(name), column) for name, column in zip(names, columns, strict=True) if column.dtype.kind == "f"]


def skewed(model: FactorizationEstimator) -> list[str]:
    """Columns of positive numbers over a wide range whose logarithms are less skewed."""
    found = [name for name, column in _numbers(model) if _is_skewed(column)]
    if not found:
        return []
    are, logarithms = ("is", "its logarithm") if len(found) == 1 else ("are", "their logarithms")
    return [f"{_named(found)} {are} skewed, and {logarithms} may show other clusters"]


def _is_skewed(column: Array) -> bool:
    """Whether the largest of positive numbers are many times the smallest, and the logarithms are less skewed.

    >>> spread = np.linspace(-2, 2, 99)
    >>> _is_skewed(np.exp(1.5 * spread)), _is_skewed(np.exp(0.2 * spread)), _is_skewed(spread)
    (True, False, False)
    """
    held = column[np.isfinite(column)]
    if len(held) < FEWEST or held.min() <= 0:
        return False
    low, high = np.quantile(held, (0.05, 0.95))
    own, of_logarithms = skew(held), skew(np.log(held))
    return bool(high >= WIDE * low and own > max(SKEWED, abs(of_logarithms)))


def totals(model: FactorizationEstimator) -> list[str]:
    """Rows of counts with unlike totals, which Bray-Curtis distances compare as well."""
    given = model._given
    X = given.X if given.features is None else given.features
    named = "braycurtis" in (getattr(model, "metric", None), getattr(model._builder_, "metric", None))
    if not named or model._knows_pairs or len(X) < FEWEST:
        return []
    low, high = np.quantile(np.nansum(X, axis=1), (0.05, 0.95))
    if high < UNLIKE * low or high == 0:
        return []
    return [
        f"totals of rows go from {_amount(low)} to {_amount(high)}, and Bray-Curtis distances compare these too: where "
        "only shares matter, divide each row by its total"
    ]


def _amount(total: float) -> str:
    """An amount in words.

    >>> _amount(2911.4), _amount(0.123)
    ('2,911', '0.12')
    """
    return f"{total:,.0f}" if total >= 10 else f"{total:.2g}"


def codes_and_slips(model: FactorizationEstimator) -> list[str]:
    """Numbers such as -999, in so many cells that an ensemble does not see them at the edge of the others; and slips.

    Slips are the other cells far from all others of their column.
    """
    found, slips = [], []
    for name, column in _numbers(model):
        codes = [far for far in far_values(name, column) if len(far.rows) > 1]
        if codes and model._builder_.mixed:
            at_edge = far_cells(column[:, None])[:, 0]
            codes = [code for code in codes if not at_edge[code.rows].all()]
        found += [f"{code.value:.12g} in {len(code.rows):,} cells of {name}" for code in codes]
        far = far_rows(column)
        for code in codes:
            far[code.rows] = False
        slips += [int(far.sum())] * bool(far.any())
    return [*_may_be_missing(found), *_may_be_slips(slips)]


def _may_be_missing(found: list[str]) -> list[str]:
    if not found:
        return []
    values = "a missing value" if len(found) == 1 else "missing values"
    return [f"{_named(found)} may stand for {values}"]


def _named(found: list[str]) -> str:
    """The first of them by name, and how many more there are."""
    return listed([*found[:NAMED], *[f"{len(found) - NAMED:,} more"] * (len(found) > NAMED)])


def _may_be_slips(by_column: list[int]) -> list[str]:
    """Cells far from all others of their columns, by how many there are in each of these.

    >>> _may_be_slips([1, 1]), _may_be_slips([])
    (['2 cells lie far from all others of their columns and may be slips'], [])
    """
    n = sum(by_column)
    if not n:
        return []
    lie, slips = ("lies", "a slip") if n == 1 else ("lie", "slips")
    whose = "its column" if n == 1 else "their column" if len(by_column) == 1 else "their columns"
    return [f"{count(n, 'cell')} {lie} far from all others of {whose} and may be {slips}"]
