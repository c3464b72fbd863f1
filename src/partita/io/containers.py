"""The first step of every reader: from a path to what its format can hold, whatever that will mean.

A format is known by its suffix, and opened here alone: text and parquet are tables of named columns, .npy and .npz are
arrays with names, .mtx is a matrix. What the columns or arrays mean, features or edges or labels, is for the readers to
say, which do not ask for the format again. A new format is a file with a function that opens it, and a line below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from partita.errors import InputError
from partita.io.arrays import ArrayFile, open_npy, open_npz
from partita.io.grids import grid_of_text
from partita.io.headers import HeaderRule, looks_like_a_header
from partita.io.market import MarketFile, open_market
from partita.io.parquet import open_parquet
from partita.io.plain_text import is_plain
from partita.io.reading import AS_FOUND, Reading
from partita.io.spreadsheets import open_spreadsheet
from partita.io.tables import Table, open_text
from partita.paths import (
    OTHER_TEXT_SUFFIXES,
    SHEET_SUFFIXES,
    TEXT_SUFFIXES,
    require_file,
    require_placed,
    require_suffix,
)

__all__ = ["ARRAYS", "MATRICES", "TABLES", "Formats", "opened"]

Container = TypeVar("Container", covariant=True)
Formats = Mapping[str, Callable[..., Container]]


def _open_any_text(path: Path, is_header: HeaderRule, reading: Reading) -> Table:
    return open_text(path, is_header) if is_plain(path, reading) else grid_of_text(path, is_header, reading)


# Formats whose cells are text, of which what is read depends on the header and on what is said of the file.
READ_CELL_BY_CELL = (*TEXT_SUFFIXES, *OTHER_TEXT_SUFFIXES, *SHEET_SUFFIXES)
TABLES: Formats[Table] = {
    **dict.fromkeys((*TEXT_SUFFIXES, *OTHER_TEXT_SUFFIXES), _open_any_text),
    **dict.fromkeys(SHEET_SUFFIXES, open_spreadsheet),
    ".parquet": open_parquet,
}
ARRAYS: Formats[ArrayFile] = {".npy": open_npy, ".npz": open_npz}
MATRICES: Formats[MarketFile] = {".mtx": open_market}


def opened(
    path: str | Path,
    formats: Formats[Container],
    *,
    key: str | None = None,
    is_header: HeaderRule = looks_like_a_header,
    reading: Reading = AS_FOUND,
    repeats: bool = False,
) -> Container:
    r"""Return a file of one of these formats, opened: its header or schema has been read, and nothing else.

    Parameters
    ----------
    path : str or Path
        The file.
    formats : mapping
        Functions that open a file, by its suffix: those of `TABLES`, `ARRAYS` and `MATRICES` that the reader takes.
    key : str, optional
        Name of an array, which only a .npz file can have.
    is_header : callable
        Whether the first of two rows of text names the columns.
    reading : Reading
        What is known of a text or a spreadsheet.
    repeats : bool
        Whether several columns may be given one name by the file; they are told apart by a number.

    Raises
    ------
    InputError
        Where there is no such file, it is of another format, it is broken, or columns have one name.
    MissingExtraError
        For parquet without pyarrow, spreadsheets without python-calamine.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "points.csv")
    ...     _ = file.write_text("x,y\n1,2\n")
    ...     opened(file, TABLES).names
    ['x', 'y']
    """
    file = require_file(path)
    if key is not None and (other := file.suffix.lower()) != ".npz":
        raise InputError(f"{file}: key={key!r} names an array of a .npz file; leave out --key for {other}")
    suffix = require_suffix(file, list(formats))
    require_placed(reading, file, suffix)
    opener = formats[suffix]
    found = opener(file, is_header, reading) if suffix in READ_CELL_BY_CELL else opener(file)
    if isinstance(found, Table) and found.repeated and not repeats:
        name, columns = next(iter(found.repeated.items()))
        raise InputError(f"{file}: {len(columns)} columns are called {name!r}; give each column its own name")
    return found
