"""Files and folders that a command is given, looked at before anything heavy is imported."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

from partita.errors import InputError

__all__ = [
    "DRAW_SUFFIXES",
    "FEATURE_SUFFIXES",
    "GRAPH_SUFFIXES",
    "MATRIX_SUFFIXES",
    "OTHER_TEXT_SUFFIXES",
    "R_SUFFIXES",
    "R_TABLE_SUFFIXES",
    "SHEET_SUFFIXES",
    "STANDARD_INPUT",
    "TABLE_SUFFIXES",
    "TEXT_SUFFIXES",
    "misplaced",
    "name_of",
    "require_file",
    "require_format",
    "require_placed",
    "require_suffix",
]

STANDARD_INPUT = Path("-")
COMPRESSED = (".gz", ".zip")

# Endings that name a format, and what reads each.
TEXT_SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
# Those that say nothing of how the cells are parted.
OTHER_TEXT_SUFFIXES = (".txt", ".dat", ".tab", ".edgelist", ".txt.gz", ".dat.gz", ".tab.gz", ".zip")
SHEET_SUFFIXES = (".xlsx", ".ods")
GRAPH_SUFFIXES = (".gml", ".graphml")
R_TABLE_SUFFIXES = (".txt",)
R_SUFFIXES = (".rds", ".rdata", ".rda")
TABLE_SUFFIXES = (*TEXT_SUFFIXES, *OTHER_TEXT_SUFFIXES, *SHEET_SUFFIXES, ".parquet")
FEATURE_SUFFIXES = MATRIX_SUFFIXES = (*TABLE_SUFFIXES, ".npy", ".npz", ".mtx")
DRAW_SUFFIXES = (*TEXT_SUFFIXES, *R_TABLE_SUFFIXES, ".npy", ".npz", ".parquet", ".zarr", ".nc", *R_SUFFIXES)
# Spreadsheets that are not read.
OLD_SHEETS = (".xls", ".xlsb", ".xlsm", ".numbers")


def name_of(file: Path) -> str:
    """Return the name of a file without the endings that say its format.

    >>> name_of(Path("a/crabs.csv.gz")), name_of(Path("crabs.2024.v2.csv")), name_of(Path("-"))
    ('crabs', 'crabs.2024.v2', 'stdin')
    """
    if file == STANDARD_INPUT:
        return "stdin"
    whole = Path(file.name)
    plain = Path(whole.stem) if whole.suffix.lower() in COMPRESSED else whole
    return plain.stem


def _near(stem: str, folder: Path) -> str:
    """A clause with the file of a folder whose name, without its ending, is close to one."""
    names = {entry.stem: entry.name for entry in folder.iterdir() if entry.is_file()}
    close = difflib.get_close_matches(stem, names, n=1)
    return f"; did you mean {names[close[0]]!r}?" if close else ""


def require_file(path: str | Path) -> Path:
    """Return the path, if a file that can be opened is there.

    Raises
    ------
    InputError
        Naming the path: there is nothing, a folder, an empty file, or a file without permission to read.
    """
    file = Path(path)
    if file.is_dir():
        raise InputError(f"{file} is a folder; pass a file in it")
    if not file.exists():
        parent = file.parent
        near = _near(file.stem, parent) if parent.is_dir() else ""
        raise InputError(f"{file} does not exist{near or '; check the path'}")
    try:
        with file.open("rb"):
            return file
    except OSError as error:
        raise InputError(f"{file} cannot be opened ({error.strerror}); check its permissions") from error


def require_format(path: str | Path, suffixes: Sequence[str]) -> Path:
    """Return the path, if a file that can be opened is there, of one of these formats.

    Raises
    ------
    InputError
        As `require_file` and `require_suffix`.
    """
    file = require_file(path)
    require_suffix(file, suffixes)
    return file


def require_suffix(path: Path, suffixes: Sequence[str]) -> str:
    """Return the suffix that names the format, lower case; `.csv.gz` is one suffix.

    Raises
    ------
    InputError
        Listing the supported suffixes, or if the file has no bytes.
    """
    name = path.name.lower()
    suffix = next((candidate for candidate in suffixes if name.endswith(candidate)), None)
    if suffix is None:
        raise InputError(
            f"{path}: the format {path.suffix or '(no suffix)'} is not read here; {_instead(path, suffixes)}"
        )
    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty (0 bytes); expected at least one row")
    return suffix


def misplaced(reading: object, name: str) -> list[str]:
    """Return what is said of how a file is read and means nothing for a file of this name.

    `reading` has the attributes `delimiter`, `encoding`, `decimal`, `skip_rows` and `sheet`, as a `Reading` and options
    have, None where nothing is said.
    """
    text = name.lower().endswith((*TEXT_SUFFIXES, *OTHER_TEXT_SUFFIXES))
    sheet = name.lower().endswith(SHEET_SUFFIXES)
    goes = {"delimiter": text, "encoding": text, "decimal": text or sheet, "skip_rows": text or sheet, "sheet": sheet}
    return [each for each, fits in goes.items() if getattr(reading, each) is not None and not fits]


def require_placed(reading: object, path: Path, name: str | None = None) -> None:
    """Raise for the first of these of a file, whose format `name` says where its path does not.

    Raises
    ------
    InputError
    """
    for option in misplaced(reading, name or path.name):
        option = option.replace("_", "-")
        raise InputError(f"{path}: --{option} says how another kind of file is read; leave it out")


def _instead(path: Path, suffixes: Sequence[str]) -> str:
    """What to do about a file of a format that is not among those of these suffixes."""
    suffix = path.suffix.lower()
    if suffix in OLD_SHEETS and ".xlsx" in suffixes:
        return "save it as .xlsx"
    if suffix in GRAPH_SUFFIXES:
        return "it holds a graph, which `partita fit` reads with --input edges"
    if suffix == ".mtx":
        return "it holds a matrix, which `partita fit` reads as features, or with --input affinity or distances"
    plain = [each for each in suffixes if each.count(".") == 1]
    return f"use {', '.join(plain)}{', text also as .gz' if len(plain) < len(suffixes) else ''}"
