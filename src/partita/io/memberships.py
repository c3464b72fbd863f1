"""`memberships.csv`: id, label, p_0 .. p_{K-1}, entropy, margin and, of a fit, outlier and certainty.

With digits enough to read the same numbers back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.errors import InputError
from partita.io.output import atomic_text_file
from partita.io.text_rows import first_rows, numbered_rows
from partita.paths import require_file, require_suffix

__all__ = ["MembershipTable", "read_memberships", "write_memberships"]

NEEDS_QUOTES = re.compile(r'[",\r\n]|^\s|\s$|^$')
ROWS_AT_A_TIME = 10_000
# The last columns of a fit.
DOUBT = ["outlier", "certainty"]


@dataclass(frozen=True)
class MembershipTable:
    """The columns of a `memberships.csv`."""

    ids: list[str]
    labels: NDArray[np.intp]
    membership: NDArray[np.float64]
    entropy: NDArray[np.float64]
    margin: NDArray[np.float64]
    outlier: NDArray[np.float64] | None = None
    certainty: NDArray[np.float64] | None = None


def write_memberships(
    path: str | Path,
    ids: Sequence[str],
    labels: ArrayLike,
    membership: ArrayLike,
    entropy: ArrayLike,
    margin: ArrayLike,
    outlier: ArrayLike | None = None,
    certainty: ArrayLike | None = None,
) -> None:
    """Write `memberships.csv`, whole or not at all.

    Parameters
    ----------
    path : str or Path
        The file.
    ids : sequence of str, length N
        Quoted where CSV needs it.
    labels : array-like of int, shape (N,)
        0..K-1.
    membership : array-like of shape (N, K)
        Written with 17 significant digits, which is enough to read the same float64 back.
    entropy, margin : array-like of shape (N,)
        In nats; largest minus second probability.
    outlier, certainty : array-like of shape (N,), optional
        Probability of belonging to no cluster, and of the label being right. Both or neither; left out for neither.

    Raises
    ------
    InputError
        If the lengths differ, or nothing can be written there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "memberships.csv")
    ...     write_memberships(file, ["a"], [1], [[0.25, 0.75]], [0.5625], [0.5])
    ...     print(file.read_text(), end="")
    id,label,p_0,p_1,entropy,margin
    a,1,0.25,0.75,0.5625,0.5
    """
    probabilities = np.asarray(membership, dtype=np.float64)
    codes = np.asarray(labels)
    doubt = () if outlier is None or certainty is None else (("outlier", outlier), ("certainty", certainty))
    further = {
        name: np.asarray(column, dtype=np.float64)
        for name, column in (("entropy", entropy), ("margin", margin), *doubt)
    }
    if probabilities.ndim != 2:
        raise InputError(f"membership should be N x K; its shape is {probabilities.shape}")
    n, k = probabilities.shape
    for name, shape in (
        ("ids", (len(ids),)),
        ("labels", codes.shape),
        *((name, column.shape) for name, column in further.items()),
    ):
        if shape != (n,):
            raise InputError(
                f"{name} should have one entry for each of the {n} rows of membership; its shape is {shape}"
            )
    if codes.dtype.kind not in "iu":
        raise InputError(f"labels should be whole numbers 0..{k - 1}; they are of type {codes.dtype}")
    values = np.column_stack([probabilities, *further.values()])
    row_format = "%s,%d" + ",%.17g" * values.shape[1] + "\n"
    with atomic_text_file(path) as file:
        file.write(",".join(["id", "label", *(f"p_{j}" for j in range(k)), *further]) + "\n")
        for start in range(0, n, ROWS_AT_A_TIME):
            stop = min(start + ROWS_AT_A_TIME, n)
            rows = zip(ids[start:stop], codes[start:stop].tolist(), values[start:stop].tolist())
            file.write("".join([row_format % (_quoted(name), label, *row) for name, label, row in rows]))


def read_memberships(path: str | Path) -> MembershipTable:
    """Read a `memberships.csv` back, to the last digit.

    Raises
    ------
    InputError
        If the header is another, or naming the row that does not fit it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "memberships.csv")
    ...     write_memberships(file, ["a"], [1], [[0.25, 0.75]], [0.5625], [0.5])
    ...     read_memberships(file).membership
    array([[0.25, 0.75]])
    """
    file = require_file(path)
    require_suffix(file, (".csv", ".csv.gz"))
    header = first_rows(file, 1)[0][0]
    further = ["entropy", "margin", *(DOUBT if header[-2:] == DOUBT else ())]
    k = len(header) - 2 - len(further)
    expected = ["id", "label", *(f"p_{j}" for j in range(k)), *further]
    if k < 1 or header != expected:
        raise InputError(
            f"{file}: expected the columns id, label, p_0, p_1, ..., entropy, margin; found {', '.join(header)}; "
            f"pass a memberships.csv that Partita wrote"
        )
    ids: list[str] = []
    labels: list[int] = []
    values: list[NDArray[np.float64]] = []
    for line, cells in numbered_rows(file, len(header), skip_header=True):
        ids.append(cells[0])
        try:
            labels.append(int(np.intp(int(cells[1]))))
            values.append(np.array([float(cell) for cell in cells[2:]]))
        except (ValueError, OverflowError) as error:
            raise InputError(f"{file}, line {line}: {error}; write the file again") from error
    if not ids:
        raise InputError(f"{file} has a header and no rows; expected at least one item")
    table = np.stack(values)
    return MembershipTable(ids, np.array(labels, dtype=np.intp), table[:, :k], *table[:, k:].T)


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if NEEDS_QUOTES.search(cell) else cell
