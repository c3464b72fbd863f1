"""Data sets: the arrays that were read (`Dataset`), and what is known of them before (`CatalogueEntry`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["CatalogueEntry", "Csv", "Dataset", "FileRows", "Kind", "Npz", "Public"]

Kind = Literal["features", "affinity", "distances", "draws", "sequences"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A set of items, with its truth where it has one.

    Attributes
    ----------
    name, title : str
        `"pendigits"`, `"Pen-based handwritten digits"`.
    kind : str
        Kind of X: `"features"` (N x d), `"affinity"` or `"distances"` (N x N), `"draws"` (M x N labels), `"sequences"`
        (points x 2F, one of many: `load_sequences`).
    X : array
        float64; draws are integers, as stored.
    truth : array of int of length N, or None
        The class of each item, an index of `classes`.
    classes : tuple of str
        Names of the classes.
    n_clusters : int or None
        Number of classes; None where no truth is known.
    columns : tuple of str
        Names of the features.
    source, licence : str
        Where the values come from and under which terms.
    notes : tuple of str
        The traps, and what was done about them.
    sha256 : str
        SHA-256 of the file that was read; empty where none was.
    """

    name: str
    title: str
    kind: Kind
    X: NDArray[Any]
    truth: NDArray[np.int64] | None
    classes: tuple[str, ...]
    n_clusters: int | None
    columns: tuple[str, ...]
    source: str
    licence: str
    notes: tuple[str, ...]
    sha256: str


@dataclass(frozen=True, eq=False)
class FileRows:
    """Rows of a file: X, the name of each row's class (None without a truth), names of the columns."""

    X: NDArray[Any]
    labels: NDArray[np.str_] | None
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Csv:
    """Layout of a file: a header, numeric columns, the last column `label`."""


def _as_stored(X: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(X, dtype=np.float64)


@dataclass(frozen=True)
class Npz:
    """Layout of a file: `X` under one key, the classes of the items under another.

    `values` makes X of the stored array; `names` gives the words of integer classes counted from 0.
    """

    X: str = "X"
    labels: str | None = "y"
    values: Callable[[NDArray[Any]], NDArray[Any]] = _as_stored
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Public:
    """The public home of a set: https addresses, and what makes a table of what stands there."""

    addresses: tuple[str, ...]
    parse: Callable[[Sequence[bytes]], FileRows]


@dataclass(frozen=True)
class CatalogueEntry:
    """Description of a set, known without reading it.

    `path` is relative to the home of the sets, `sha256` that of the file, `shape` that of X, `counts` the number of
    items of each class (empty: no truth). `content_sha256` is that of the values and classes, whatever the file's
    bytes and the order of its rows; it admits a file that `fetch_dataset` wrote. `public` is None where no public file
    can be read here, and `ask` says where to ask then.
    """

    name: str
    title: str
    path: str
    sha256: str
    shape: tuple[int, int]
    source: str
    licence: str
    kind: Kind = "features"
    counts: tuple[tuple[str, int], ...] = ()
    layout: Csv | Npz = field(default_factory=Csv)
    columns: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    content_sha256: str = ""
    public: Public | None = None
    ask: str = ""

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes, in the order of their numbers."""
        return tuple(name for name, _ in self.counts)

    @property
    def n_clusters(self) -> int | None:
        """Number of classes, or None without a truth."""
        return len(self.counts) or None

    @property
    def n_items(self) -> int:
        """Number of items: columns of draws, rows of everything else."""
        return self.shape[1] if self.kind == "draws" else self.shape[0]
