"""Cells that a user says mean missing: a number such as -999, or a word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.io.files import listed
from partita.io.text_rows import as_number
from partita.wording import count

__all__ = ["without_given"]


def without_given(
    columns: Sequence[NDArray[Any]], na: Sequence[str], n_blank: int = 0
) -> tuple[list[NDArray[Any]], list[str]]:
    """Return columns of numbers and words without the given cells, which are missing, and how many these were.

    `n_blank` cells had been left empty already, as words among numbers.

    >>> columns, notes = without_given([np.array([1.0, -999.0])], ["-999"])
    >>> columns[0].tolist(), notes
    ([1.0, nan], ['1 cell was read as missing (--na -999)'])
    """
    if not na:
        return list(columns), []
    numbers = [value for value in map(as_number, na) if value is not None]
    found, n_cells = [], n_blank
    for column in columns:
        numeric = column.dtype.kind == "f"
        gone = np.isin(column, numbers) if numeric else np.array([word in na for word in column], dtype=bool)
        n_cells += int(gone.sum())
        empty: Any = np.nan if numeric else None
        found.append(np.where(gone, empty, column) if gone.any() else column)
    if not n_cells:
        return found, [f"no cell is {listed(na)} (--na)"]
    said = f"{count(n_cells, 'cell')} {'was' if n_cells == 1 else 'were'} read as missing (--na {listed(na)})"
    return found, [said]
