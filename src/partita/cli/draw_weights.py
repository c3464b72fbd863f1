"""Weights of draws from a file: `partita partition --weights FILE`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.io.arrays import open_npy
from partita.io.files import require_file, require_suffix
from partita.io.text_rows import TEXT_SUFFIXES, as_number, data_rows, first_rows

__all__ = ["read_draw_weights"]

COLUMN = "weight"


def read_draw_weights(file: Path, n_draws: int) -> NDArray[np.float64]:
    r"""A nonnegative number for each draw, in their order: the column `weight` or the only one of a CSV or TSV file, or
    a .npy file of one dimension.

    Raises
    ------
    InputError
        For another number of weights than draws, a weight that is missing or negative, or none above zero.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "weights.csv")
    ...     _ = file.write_text("draw,weight\n1,0.5\n2,1.5\n")
    ...     read_draw_weights(file, 2).tolist()
    [0.5, 1.5]
    """
    path = require_file(file)
    if require_suffix(path, (*TEXT_SUFFIXES, ".npy")) == ".npy":
        shape, dtype = open_npy(path).headers[path.stem]
        if len(shape) != 1 or dtype.kind not in "biuf":
            raise InputError(
                f"{path} holds {dtype} of shape {shape}: expected one number for each of {n_draws:,} draws"
            )
        weights = np.asarray(np.load(path, allow_pickle=False), dtype=np.float64)
    else:
        weights = _of_text(path)
    if len(weights) != n_draws:
        raise InputError(f"{path} has {len(weights):,} weights, and there are {n_draws:,} draws: give one for each")
    bad = ~np.isfinite(weights) | (weights < 0)
    if bad.any():
        at = int(np.argmax(bad))
        raise InputError(f"{path}: the weight of draw {at + 1} of {n_draws:,} is {weights[at]:g}, expected 0 or more")
    if not weights.any():
        raise InputError(f"{path}: every weight is zero: give some draw a weight above zero")
    return weights


def _of_text(path: Path) -> NDArray[np.float64]:
    first = first_rows(path, 1)[0][0]
    names = [cell.lower() for cell in first]
    header = any(as_number(cell) is None for cell in first) or (len(first) > 1 and not first[0])
    columns = [k for k, name in enumerate(names) if name or not header]  # R leaves the column of row names without one
    if header and COLUMN in names:
        at = names.index(COLUMN)
    elif len(columns) == 1:
        at = columns[0]
    else:
        raise InputError(f"{path} has {len(first)} columns, none called {COLUMN!r}: call the one of the weights so")
    values = []
    for draw, row in enumerate(data_rows(path, len(first), skip_header=header), 1):
        number = as_number(row[at])
        if number is None:
            raise InputError(f"{path}: the weight of draw {draw} is {row[at].strip()!r}, expected a number")
        values.append(number)
    return np.array(values, dtype=np.float64)
