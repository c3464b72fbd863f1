"""Tables from the files at the sets' public homes, as they are served there."""

from __future__ import annotations

import csv
import io
import zlib
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from partita.datasets.dataset import FileRows, Public

__all__ = ["UCI", "arff", "delimited", "galaxies", "idx_balanced", "rdatasets_crabs"]

UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/"
# Pinned: what stands there now stands there later.
SHAPES = (
    "https://raw.githubusercontent.com/deric/clustering-benchmark/fc7aba73c873b0e017dd3a6d7113b1cb2ede118a"
    "/src/main/resources/datasets/artificial/"
)
MNIST = "https://raw.githubusercontent.com/kelas/mnist/283b387221ab46655e600cfcc25d843bb14292b9/"
CRABS = (
    "https://raw.githubusercontent.com/vincentarelbundock/Rdatasets/1c97ab8a1df2469762e635481ba27cf4e80e3e51"
    "/csv/MASS/crabs.csv"
)
GALAXIES = (
    "https://raw.githubusercontent.com/vincentarelbundock/Rdatasets/a44de06f4edac532bcc05deadc560dea870f6173"
    "/csv/MASS/galaxies.csv"
)
# Bytes that the compressed images of MNIST's test part unpack to: header and pixels.
IMAGES_BYTES = 16 + 10_000 * 784

Parse = Callable[[Sequence[bytes]], FileRows]


def delimited(
    *names: str,
    delimiter: str | None = ",",
    label: int = -1,
    skip_columns: int = 0,
    header: bool = False,
    rename: Mapping[str, str] | None = None,
) -> Public:
    """Return files of the UCI repository, one below the other: numbers, a class, perhaps a row's name in front.

    `delimiter` None is white space; `label` is the column of the class once `skip_columns` columns are gone.
    """

    def parse(files: Sequence[bytes]) -> FileRows:
        rows = []
        for content in files:
            lines = content.decode("utf-8").splitlines()[int(header) :]
            rows += [[cell.strip() for cell in line.split(delimiter)][skip_columns:] for line in lines if line.strip()]
        labels = [row.pop(label) for row in rows]
        return FileRows(np.array(rows, dtype=np.float64), np.array([(rename or {}).get(name, name) for name in labels]))

    return Public(tuple(UCI + name for name in names), parse)


def arff(name: str, *, rename: Mapping[str, str] | None = None) -> Public:
    """Return a file of the clustering benchmark: x, y and a class below `@DATA`."""

    def parse(files: Sequence[bytes]) -> FileRows:
        lines = [line.strip() for line in files[0].decode("utf-8").splitlines()]
        begin = next(at for at, line in enumerate(lines) if line.lower() == "@data")
        rows = [line.split(",") for line in lines[begin + 1 :] if line and not line.startswith("%")]
        labels = [(rename or {}).get(row[-1].strip(), row[-1].strip()) for row in rows]
        return FileRows(np.array([row[:-1] for row in rows], dtype=np.float64), np.array(labels), ("x", "y"))

    return Public((SHAPES + name,), parse)


def rdatasets_crabs() -> Public:
    """Return R's `MASS::crabs` as CSV: species and sex make the class."""

    def parse(files: Sequence[bytes]) -> FileRows:
        rows = list(csv.DictReader(io.StringIO(files[0].decode("utf-8"))))
        columns = ("FL", "RW", "CL", "CW", "BD")
        X = np.array([[row[column] for column in columns] for row in rows], dtype=np.float64)
        return FileRows(X, np.array([row["sp"] + row["sex"] for row in rows]), columns)

    return Public((CRABS,), parse)


def galaxies() -> Public:
    """Return R's `MASS::galaxies` as CSV: a column of velocities behind the row's number."""

    def parse(files: Sequence[bytes]) -> FileRows:
        _, *rows = csv.reader(io.StringIO(files[0].decode("utf-8")))
        X = np.array([[row[-1]] for row in rows], dtype=np.float64)
        return FileRows(X, np.full(len(X), "0"), ("velocity_km_s",))

    return Public((GALAXIES,), parse)


def idx_balanced(per_class: int) -> Public:
    """Return the first images of each digit in MNIST's test part, in the order of that part."""

    def parse(files: Sequence[bytes]) -> FileRows:
        images, labels = (_unpacked(content) for content in files)
        if images[:4] != b"\0\0\x08\x03" or labels[:4] != b"\0\0\x08\x01":
            raise ValueError("expected the idx files of images and of labels")
        X = np.frombuffer(images, dtype=np.uint8, offset=16).reshape(-1, 784)
        y = np.frombuffer(labels, dtype=np.uint8, offset=8)
        chosen = np.sort(np.concatenate([np.flatnonzero(y == digit)[:per_class] for digit in range(10)]))
        return FileRows(X[chosen].astype(np.float64), y[chosen].astype(np.str_))

    return Public((MNIST + "t10k-images-idx3-ubyte.gz", MNIST + "t10k-labels-idx1-ubyte.gz"), parse)


def _unpacked(content: bytes) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)  # of gzip
    unpacked = unpacker.decompress(content, IMAGES_BYTES)
    if unpacker.unconsumed_tail:
        raise ValueError(f"the file unpacks to more than {IMAGES_BYTES} bytes")
    return unpacked
