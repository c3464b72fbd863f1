"""Reading a set: looked for in its home, its bytes checked, its classes numbered. Nothing is downloaded here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from partita.datasets.catalogue import describe
from partita.datasets.dataset import CatalogueEntry, Dataset, FileRows
from partita.datasets.home import dataset_home
from partita.datasets.tables import content_sha256, parsed
from partita.errors import InputError
from partita.io.files import sha256_of_file

__all__ = ["agrees", "how_to_get", "load_dataset", "located"]


def load_dataset(name: str, *, home: str | Path | None = None) -> Dataset:
    """Return a set by its name.

    Parameters
    ----------
    name : str
        One of `dataset_names()`.
    home : str or Path, optional
        The folder of the sets: `dataset_home`.

    Raises
    ------
    InputError
        If there is no such set, its file is not there (the message says where it was looked for and how to get it),
        or the file is another one than the one known (the message has both checksums).

    Notes
    -----
    A file is known by its SHA-256; one with other bytes is admitted when its values and classes are those known
    (`CatalogueEntry.content_sha256`), as of a file that `fetch_dataset` wrote, whose rows may stand in another order.
    Costs one pass over the file: .3 s and three times the 39 MB of X for the largest, faces.

    Examples
    --------
    >>> iris = load_dataset("iris_fisher")
    >>> iris.X.shape, iris.classes
    ((150, 4), ('setosa', 'versicolor', 'virginica'))
    """
    entry = describe(name)
    if entry.kind == "sequences":
        raise InputError(f"{name} is many sets, one for each sequence; read them with load_sequences()")
    if not entry.path:
        table, sha256 = _from_scikit_learn(entry), ""
    else:
        path = located(entry, home)
        sha256 = sha256_of_file(path)
        table = parsed(path, entry) if sha256 == entry.sha256 else _admitted(path, sha256, entry)
    disagreement = agrees(table, entry)
    if disagreement:
        raise InputError(f"{entry.path or name}: {disagreement}; delete the file and fetch it again")
    return Dataset(
        name=entry.name,
        title=entry.title,
        kind=entry.kind,
        X=table.X,
        truth=_numbered(table, entry),
        classes=entry.classes,
        n_clusters=entry.n_clusters,
        columns=(entry.columns or table.columns) if entry.kind == "features" else (),
        source=entry.source,
        licence=entry.licence,
        notes=entry.notes,
        sha256=sha256,
    )


def located(entry: CatalogueEntry, home: str | Path | None) -> Path:
    """Return the file of a set.

    Raises
    ------
    InputError
        If it is not there: where it was looked for, and how to get it.
    """
    folder = dataset_home(home)
    path = folder / entry.path
    if not path.is_file():
        raise InputError(
            f"{entry.title} is not at {path}; pass home=..., name the folder of the sets by PARTITA_DATA, or get it: "
            f"{how_to_get(entry)}"
        )
    return path


def how_to_get(entry: CatalogueEntry) -> str:
    """Return the function that fetches a set and from where, or where to ask."""
    if entry.public is not None:
        where = " and ".join(entry.public.addresses)
        return f"partita.datasets.fetch_dataset({entry.name!r}) downloads it from {where}"
    return f"no public file of it can be read here; {entry.ask}"


def agrees(table: FileRows, entry: CatalogueEntry) -> str:
    """Describe how a table differs from what is documented of its set; empty if it does not."""
    if table.X.shape != entry.shape:
        return f"expected {entry.shape[0]} x {entry.shape[1]} values, got {' x '.join(map(str, table.X.shape))}"
    if not np.isfinite(table.X).all():
        return "some values are not finite"
    if not entry.counts:
        return ""
    assert table.labels is not None
    names, counts = np.unique(table.labels, return_counts=True)
    got = dict(zip(names.tolist(), counts.tolist(), strict=True))
    return "" if got == dict(entry.counts) else f"expected the classes {dict(entry.counts)}, got {got}"


def _admitted(path: Path, sha256: str, entry: CatalogueEntry) -> FileRows:
    """A file with other bytes than those known, if its content is the one known."""
    if entry.content_sha256:
        table = parsed(path, entry)
        if content_sha256(table) == entry.content_sha256:
            return table
    raise InputError(
        f"{path} is not the file known as {entry.title}: expected SHA-256 {entry.sha256}, got {sha256}; delete it and "
        f"get the right one: {how_to_get(entry)}"
    )


def _numbered(table: FileRows, entry: CatalogueEntry) -> NDArray[np.int64] | None:
    if not entry.counts:
        return None
    assert table.labels is not None
    order = np.argsort(entry.classes)
    return np.asarray(order[np.searchsorted(np.array(entry.classes)[order], table.labels)], dtype=np.int64)


def _from_scikit_learn(entry: CatalogueEntry) -> FileRows:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    table = FileRows(np.asarray(X, dtype=np.float64), np.array(entry.classes)[y], entry.columns)
    if content_sha256(table) != entry.content_sha256:
        raise InputError("scikit-learn's iris is no longer Fisher's; use the set 'iris', or another scikit-learn")
    return table
