"""Matrix Market files, read by NumPy's parser of text.

SciPy's reader (1.17) ends the process on some broken lines (`1 1 5E 1`), so none of it is used; NumPy's takes four
times as long, 0.8 microseconds an entry, and refuses them. The format: [boisvert1997].

[boisvert1997] R. F. Boisvert, R. Pozo, K. Remington, R. F. Barrett, J. J. Dongarra, Matrix Market: a web resource for
test matrix collections, in: Quality of Numerical Software, 1997.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from partita.errors import InputError
from partita.memory import require_memory

__all__ = ["ENTRY", "REMEDY", "ROW", "MarketFile", "open_market"]

REMEDY = "use fewer neighbors"
# Bytes that a stored entry takes with its indices and its mirror image, and that a row takes.
ENTRY, ROW = 48, 16
# The first word, and a first line longer than any.
BANNER, LONGEST = "%%matrixmarket", 10_000
FORMS = ("coordinate", "array")
FIELDS = ("real", "double", "integer", "unsigned-integer", "pattern")
# By symmetry: what the mirror image of an entry is, as a factor.
MIRRORED = {"general": None, "symmetric": 1.0, "hermitian": 1.0, "skew-symmetric": -1.0}


@dataclass(frozen=True)
class MarketFile:
    """Header of a Matrix Market file, and how to load the matrix."""

    path: Path
    form: str
    field: str
    symmetry: str
    shape: tuple[int, int]
    entries: int
    """Lines that follow."""
    skipped: int
    """Lines of the header."""

    def load(self) -> Any:
        r"""Return the matrix as float64: dense where it is an `array`, otherwise `scipy.sparse.coo_array`.

        Of a symmetric one the other half is filled in.

        Raises
        ------
        InputError
            For a number of lines other than the header says, or indices outside.
        MemoryLimitError
            Where the matrix would not fit.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder, "a.mtx")
        ...     _ = file.write_text("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 1 .5\n")
        ...     open_market(file).load().toarray()
        array([[1. , 0.5],
               [0.5, 0. ]])
        """
        rows, columns = self.shape
        dense = self.form == "array"
        room = 8 * rows * columns if dense else ENTRY * self.entries + ROW * max(self.shape)
        require_memory(room, f"{self.path} ({rows} x {columns})", REMEDY)
        width = 1 if dense else 2 if self.field == "pattern" else 3
        n_bytes = self.path.stat().st_size
        if self.entries * 2 * width > n_bytes + 1:  # a digit and a blank each
            raise _broken(self.path, f"{self.entries:,} entries in {n_bytes:,} bytes")
        values = _numbers(self, width)
        return _dense(values[:, 0], self) if dense else _stored(values, self)


def _broken(file: Path, why: object) -> InputError:
    return InputError(f"{file} is not a whole Matrix Market file ({why}); save it again")


def open_market(file: Path) -> MarketFile:
    """Return a Matrix Market file of real numbers, integers or a pattern, by its header.

    Raises
    ------
    InputError
        For a header that is not valid, or complex entries.
    """
    try:
        with file.open(encoding="latin-1") as stream:
            words = stream.readline(LONGEST).lower().split()
            skipped, line = 1, ""
            while not line.strip() or line.startswith("%"):
                line = stream.readline(LONGEST)
                if not line.endswith("\n"):
                    break
                skipped += 1
        if len(words) != 5 or words[:2] != [BANNER, "matrix"] or words[2] not in FORMS or words[4] not in MIRRORED:
            raise ValueError("its first line should be %%MatrixMarket matrix, a format, a field and a symmetry")
        if words[3] == "complex":
            raise InputError(f"{file}: complex entries, expected real numbers; pass the real part or the modulus")
        form, field, symmetry = words[2:]
        if field not in FIELDS or (form == "array" and field == "pattern"):
            raise ValueError(f"field {field!r}")
        sizes = [int(word) for word in line.split()]
        if len(sizes) != (3 if form == "coordinate" else 2) or min(sizes) < 0:
            raise ValueError(f"sizes {line.strip()[:40]!r}")
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(f"{file} has no valid Matrix Market header ({error}); save it again") from error
    rows, columns = sizes[:2]
    if symmetry != "general" and rows != columns:
        raise InputError(
            f"{file} has no valid Matrix Market header ({symmetry}, but {rows} x {columns}); save it again"
        )
    if form == "coordinate":
        return MarketFile(file, form, field, symmetry, (rows, columns), sizes[2], skipped)
    below = rows * (rows - 1) // 2
    stored = {"general": rows * columns, "skew-symmetric": below}.get(symmetry, below + rows)
    return MarketFile(file, form, field, symmetry, (rows, columns), stored, skipped)


def _numbers(header: MarketFile, width: int) -> NDArray[np.float64]:
    """The lines behind the header."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of no lines at all
            values = np.loadtxt(header.path, comments="%", skiprows=header.skipped, ndmin=2, encoding="latin-1")
    except (ValueError, OSError, IndexError) as error:
        raise _broken(header.path, error) from error
    if values.size == 0:
        values = values.reshape(0, width)
    if header.form == "array" and values.size == len(values) * values.shape[1]:
        values = values.reshape(-1, 1)  # numbers of an array may share a line
    if values.shape != (header.entries, width):
        found = " x ".join(map(str, values.shape))
        raise _broken(header.path, f"{found} numbers follow the header, it says {header.entries} x {width}")
    return values


def _dense(values: NDArray[np.float64], header: MarketFile) -> NDArray[np.float64]:
    """An array is stored column by column, of a symmetric one what is below the diagonal."""
    n, mirrored = header.shape[0], MIRRORED[header.symmetry]
    if mirrored is None:
        return np.ascontiguousarray(values.reshape(header.shape[1], n).T)
    out = np.zeros((n, n))
    column, row = np.triu_indices(n, k=int(mirrored < 0))
    out[row, column] = values
    out[column, row] = mirrored * values
    return out


def _stored(values: NDArray[np.float64], header: MarketFile) -> sparse.coo_array:
    places = values[:, :2]
    rows, columns = header.shape
    bad = ~((places >= 1) & (places <= np.array(header.shape)) & (places == np.floor(places))).all(axis=1)
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        row, column = places[at].tolist()
        raise _broken(header.path, f"entry {at + 1} is at {row:g}, {column:g} of {rows} x {columns}")
    i, j = (places - 1).T.astype(np.intp)
    entries = np.ones(len(values)) if header.field == "pattern" else values[:, 2]
    mirrored = MIRRORED[header.symmetry]
    if mirrored is not None:
        off = i != j
        i, j, entries = np.r_[i, j[off]], np.r_[j, i[off]], np.r_[entries, mirrored * entries[off]]
    return sparse.coo_array((entries, (i, j)), shape=header.shape)
