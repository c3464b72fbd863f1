"""Files of the public suite: sets and references as in clustering-data-v1, labels as in clustering-results-v1.

What they look like is said in `public_suite.py`. A file that is not so is an `InputError` that names it.
"""

from __future__ import annotations

import csv
import gzip
import re
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from partita.errors import InputError

__all__ = ["OWN", "Method", "SuiteSet", "read_labels", "side_by_side", "suite", "write_labels"]

DAMAGE = (OSError, EOFError, zlib.error, ValueError)
OWN = "-own"


def numbers(path: Path) -> np.ndarray:
    """Rows of whitespace-separated numbers."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # no rows at all: an error below
            table = np.loadtxt(file, ndmin=2)
    except DAMAGE as error:
        raise InputError(f"{path} is damaged ({error}): expected the gzip of rows of numbers; fetch it") from error
    if not table.size or not np.isfinite(table).all():
        raise InputError(f"{path} is damaged: expected rows of finite numbers; fetch it again")
    return table


@dataclass(frozen=True)
class SuiteSet:
    """A data set of the suite; files are read when they are first asked for."""

    folder: Path
    battery: str
    name: str

    def __str__(self) -> str:
        return f"{self.battery}/{self.name}"

    def features(self) -> np.ndarray:
        path = self.folder / self.battery / f"{self.name}.data.gz"
        X = numbers(path)
        if len(X) != self.n_items:
            raise InputError(f"{path} has {len(X)} items, its labels {self.n_items}; fetch both again")
        return X

    @cached_property
    def references(self) -> list[np.ndarray]:
        """Reference partitions: 1, ..., K, and 0 for noise."""
        files = numbered(self.folder / self.battery, self.name, "labels")
        if not files:
            raise InputError(f"{self} has no reference: expected {self.name}.labels0.gz beside its data")
        references = []
        for path in files.values():
            labels = numbers(path).ravel()
            K = int(labels.max())
            if K < 1 or not np.isin(labels, range(K + 1)).all() or not np.isin(range(1, K + 1), labels).all():
                raise InputError(f"{path} is damaged: expected labels 1, 2, ..., K without gaps, and 0 for noise")
            references.append(labels.astype(int))
        if len({len(labels) for labels in references}) > 1:
            raise InputError(f"references of {self} differ in length: {[len(labels) for labels in references]}")
        return references

    @property
    def n_items(self) -> int:
        return len(self.references[0])

    @property
    def n_clusters(self) -> list[int]:
        """The numbers of clusters of the references, each once."""
        return sorted({int(labels.max()) for labels in self.references})


def numbered(folder: Path, name: str, kind: str) -> dict[int, Path]:
    """The files <name>.<kind><number>.gz of a folder, in the order of their numbers."""
    pattern = re.compile(re.escape(f"{name}.{kind}") + r"(\d+)\.gz")
    found = ((pattern.fullmatch(path.name), path) for path in (folder.iterdir() if folder.is_dir() else ()))
    return dict(sorted((int(match[1]), path) for match, path in found if match))


def suite(folder: Path) -> list[SuiteSet]:
    """All sets below a folder, by battery and name."""
    return [
        SuiteSet(folder, path.parent.name, path.name.removesuffix(".data.gz"))
        for path in sorted(folder.glob("*/*.data.gz"))
    ]


def read_labels(path: Path, n_items: int, n_clusters: int) -> dict[str, np.ndarray]:
    """Labels by the setting that the header names."""
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # no rows at all: an error below
            header = next(csv.reader([file.readline()]))
            table = np.loadtxt(file, delimiter=",", dtype=int, ndmin=2)
    except (*DAMAGE, StopIteration) as error:
        raise InputError(f"{path} is damaged ({error}): expected the gzip of a CSV of labels; delete it") from error
    if table.shape != (n_items, len(header)) or len(set(header)) < len(header):
        raise InputError(f"{path} has a table of {table.shape} under {header}; expected {n_items} rows and a header")
    if table.min() < 1 or table.max() > n_clusters:
        raise InputError(f"{path} has labels {table.min()} to {table.max()}; expected 1 to {n_clusters}")
    return dict(zip(header, table.T))


def write_labels(path: Path, columns: dict[str, np.ndarray]) -> None:
    """A file of labels, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    with gzip.open(partial, "wt", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(labels.tolist() for labels in columns.values())))
    partial.replace(path)


@dataclass(frozen=True)
class Method:
    """The folder of a method's label vectors."""

    folder: Path

    @property
    def own(self) -> bool:
        """Whether the method found its numbers of clusters itself."""
        return self.folder.name.endswith(OWN)

    def file(self, one: SuiteSet, n_clusters: int) -> Path:
        return self.folder / one.battery / f"{one.name}.result{n_clusters}.gz"

    def labels(self, one: SuiteSet) -> Iterator[tuple[int, dict[str, np.ndarray] | InputError]]:
        """Label vectors at each number of clusters that is scored, or what is wrong with their file."""
        for K, path in numbered(self.folder / one.battery, one.name, "result").items():
            if self.own or K in one.n_clusters:
                try:
                    yield K, read_labels(path, one.n_items, K)
                except InputError as error:
                    yield K, error


def side_by_side(folders: list[Path]) -> list[Method]:
    """The methods of results folders, each given as such or as its folder `original`."""
    paths: dict[str, Path] = {}
    for folder in folders:
        original = folder / "original" if (folder / "original").is_dir() else folder
        for path in sorted(original.iterdir()) if original.is_dir() else []:
            if not path.is_dir() or path.name.startswith("."):
                continue
            if paths.setdefault(path.name, path).resolve() != path.resolve():
                raise InputError(f"{paths[path.name]} and {path} are both called {path.name}; rename one")
    return [Method(path) for path in paths.values()]
