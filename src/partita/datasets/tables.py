"""The two layouts of our files, CSV and npz, to and from tables, and what identifies a table's content."""

from __future__ import annotations

import hashlib
import io
import zlib
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np

from partita.datasets.dataset import CatalogueEntry, Csv, FileRows, Npz
from partita.errors import InputError

__all__ = ["content_sha256", "parsed", "written"]

# Bytes of the largest file that is parsed at all; the largest set has 10 million.
LARGEST_FILE = 64 << 20
# Bytes of the largest entry of an array: names of families, 9 characters.
LARGEST_ITEM = 64


def content_sha256(table: FileRows) -> str:
    """Return SHA-256 of the values and classes of a table, whatever the order of its rows.

    Hashed are N and d, the rows as little-endian float64 in the lexicographic order of their values and then of their
    classes, and the names of their classes in that order.

    Examples
    --------
    >>> X, labels = np.array([[1.0, 2.0], [0.0, 3.0]]), np.array(["a", "b"])
    >>> content_sha256(FileRows(X, labels)) == content_sha256(FileRows(X[::-1], labels[::-1]))
    True
    >>> content_sha256(FileRows(X, labels)) == content_sha256(FileRows(X[::-1], labels))
    False
    """
    X = np.ascontiguousarray(table.X, dtype="<f8") + 0.0  # no negative zeros
    labels = np.full(len(X), "") if table.labels is None else table.labels
    order = np.lexsort((labels, *X.T[::-1]))
    digest = hashlib.sha256(f"{X.shape[0]} {X.shape[1]}\n".encode())
    digest.update(X[order].tobytes())
    digest.update("\n".join(labels[order].tolist()).encode())
    return digest.hexdigest()


def parsed(path: Path, entry: CatalogueEntry) -> FileRows:
    """Return the table in a file of ours.

    Raises
    ------
    InputError
        If the file is not of the layout that the entry names.
    """
    size = path.stat().st_size
    if size > LARGEST_FILE:
        raise InputError(f"{path} has {size} bytes; no set has more than {LARGEST_FILE}; delete it and fetch it again")
    try:
        return _from_csv(path) if isinstance(entry.layout, Csv) else _from_npz(path, entry, entry.layout)
    except (OSError, ValueError, LookupError, EOFError, zlib.error, BadZipFile) as error:
        raise InputError(f"{path} cannot be read as {entry.title} ({error}); delete it and fetch it again") from error


def written(table: FileRows, entry: CatalogueEntry) -> bytes:
    """Return the bytes of a file of ours with that table: `parsed` gives the same values and classes back."""
    if isinstance(entry.layout, Csv):
        labels = ["0"] * len(table.X) if table.labels is None else table.labels.tolist()
        columns = entry.columns or table.columns or tuple(f"x{j + 1}" for j in range(table.X.shape[1]))
        rows = [",".join(columns) + ",label"]
        rows += [",".join(map(repr, row)) + f",{label}" for row, label in zip(table.X.tolist(), labels, strict=True)]
        return ("\n".join(rows) + "\n").encode()
    assert table.labels is not None
    assert entry.layout.labels is not None
    names = entry.layout.names
    y = [names.index(label) for label in table.labels] if names else table.labels.astype(np.int64)
    buffer = io.BytesIO()
    arrays: dict[str, Any] = {entry.layout.X: table.X, entry.layout.labels: np.asarray(y, dtype=np.int16)}
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def _from_csv(path: Path) -> FileRows:
    header, *rows = path.read_text(encoding="utf-8").splitlines()
    *columns, last = header.split(",")
    if last != "label" or not rows:
        raise ValueError("expected a header whose last column is 'label', and rows")
    values, labels = zip(*(row.rsplit(",", 1) for row in rows), strict=True)
    X = np.loadtxt(values, delimiter=",", ndmin=2)
    return FileRows(X, np.array(labels), tuple(columns))


def _from_npz(path: Path, entry: CatalogueEntry, layout: Npz) -> FileRows:
    with ZipFile(path) as archive:  # before anything is allocated: a header may claim any size
        _require_shape(archive, layout.X, entry.shape)
        if layout.labels is not None:
            _require_shape(archive, layout.labels, (entry.n_items,))
    with np.load(path, allow_pickle=False) as held:
        X = layout.values(held[layout.X])
        if layout.labels is None:
            return FileRows(X, None)
        y = held[layout.labels]
    return FileRows(X, np.array(layout.names)[y] if layout.names else y.astype(np.str_))


def _require_shape(archive: ZipFile, key: str, shape: tuple[int, ...]) -> None:
    with archive.open(f"{key}.npy") as member:
        np.lib.format.read_magic(member)
        got, _, dtype = np.lib.format.read_array_header_1_0(member)
    if got != shape or dtype.itemsize > LARGEST_ITEM:
        raise ValueError(f"{key} is an array of {got} {dtype}, expected {shape}")
