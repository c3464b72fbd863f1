"""Partition draws in zarr stores, which are read when they are sliced, and in files of ArviZ, which xarray reads."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError, MissingExtraError, require
from partita.io.arrays import as_words
from partita.io.draw_labels import Labels, checked_labels
from partita.io.files import listed
from partita.memory import require_memory
from partita.partition.named_draws import NamedDraws, named_draws

__all__ = ["arviz_draws", "beside_labels", "zarr_draws"]

# The group of an ArviZ file that holds draws, and the arrays of a .npz file or zarr group that say the chain of each
# and name items.
POSTERIOR, CHAIN, ITEM = "posterior", "chain", "item"
# Traces that `partita draws` keeps beside the labels of each draw.
TRACES = ("log_joint",)
# Arrays that may be weights of the draws, which are given apart.
WEIGHTS = ("weights", "weight")


class StoredLabels:
    """An array of a zarr store by rows.

    Parameters
    ----------
    array : zarr.Array
    path : Path
        Path for errors.

    Raises
    ------
    InputError
        When it is sliced, for chunks that are broken.
    MemoryLimitError
        Where a chunk, or a number for each row, would not fit.
    """

    def __init__(self, array: Any, path: Path) -> None:
        self._array, self._path = array, path
        self.shape = tuple(array.shape)
        self.ndim = len(self.shape)
        self.dtype: np.dtype[Any] = np.dtype(array.dtype)
        self.chunks: tuple[int, ...] = tuple(array.chunks)
        needed = max(self.dtype.itemsize * math.prod(self.chunks), 16 * max(self.shape, default=0))
        require_memory(needed, f"a chunk of {path}", "store it in smaller chunks")

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, index: Any) -> NDArray[Any]:
        try:
            return np.asarray(self._array[index])
        except MemoryError:
            raise
        except Exception as error:
            raise InputError(f"{self._path}: labels cannot be read ({error}); write the store again") from error

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self[:], dtype=dtype)


def zarr_draws(path: Path, key: str | None, gaps: bool) -> NamedDraws:
    """Return draws of a zarr array, of a group with the array `key`, or of a store that ArviZ wrote."""
    if not path.exists():
        raise InputError(f"{path} does not exist; check the path")
    try:
        import zarr
    except ImportError as error:
        raise MissingExtraError(
            "reading zarr stores needs zarr, which is not installed: python -m pip install zarr"
        ) from error
    try:
        arrays: dict[str, Any] = {}
        has_posterior = False
        store: Any = zarr.open(zarr.storage.ZipStore(str(path), mode="r") if path.is_file() else str(path), mode="r")
        if not hasattr(store, "shape"):
            has_posterior = POSTERIOR in store
            arrays = {} if has_posterior else {name: StoredLabels(each, path) for name, each in store.arrays()}
        else:
            store = StoredLabels(store, path)
    except MemoryError:
        raise
    except Exception as error:  # zarr raises its own kinds, which differ among versions
        raise InputError(f"{path} is not a zarr store ({error}); expected an array or group that zarr wrote") from error
    if hasattr(store, "shape"):
        if key is not None:
            raise InputError(f"{path} is one array: key={key!r} names an array of a group; leave it out")
        return NamedDraws(checked_labels(store, path, gaps))
    if has_posterior:
        return arviz_draws(path, key, gaps)
    if key is not None:
        if key not in arrays:
            raise InputError(f"{path} has no array {key!r}; it has {listed(arrays) or 'none'}")
        fitting = [arrays[key]]
    else:
        fitting = [array for array in arrays.values() if len(array.shape) == 2]
    if len(fitting) != 1:
        raise InputError(
            f"{path} has {len(fitting)} arrays of 2 dimensions ({listed(arrays) or 'it is empty'}); name one: key=..."
        )
    shapes = {name: tuple(array.shape) for name, array in arrays.items()}
    return beside_labels(checked_labels(fitting[0], path, gaps), shapes, lambda name: arrays[name][:], path)


def arviz_draws(path: Path, variable: str | None, gaps: bool) -> NamedDraws:
    """Return the group `posterior` of a netCDF file or zarr store that ArviZ wrote, or a data set without groups."""
    xarray = require("xarray", extra="arviz", purpose="reading draws that ArviZ wrote")
    is_zarr = path.is_dir() or path.suffix != ".nc"
    options: dict[str, Any] = {"engine": "zarr"} if is_zarr else {}
    try:
        try:
            dataset = xarray.open_dataset(path, group=POSTERIOR, **options)
        except (OSError, KeyError, ValueError):
            dataset = xarray.open_dataset(path, **options)
        with dataset:
            largest = max((each.nbytes for each in dataset.variables.values()), default=0)
            require_memory(largest, f"{path}", "save the labels alone, as .npy or zarr")
            found = named_draws(dataset, variable=variable)
            labels = checked_labels(np.asarray(found.labels), path, gaps)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except MemoryError:
        raise
    except Exception as error:
        raise InputError(f"{path} cannot be read as netCDF ({error}); write it with ArviZ's to_netcdf") from error
    return NamedDraws(labels, found.chain, found.items)


def beside_labels(
    labels: Any, shapes: dict[str, tuple[int, ...]], load: Callable[[str], Labels], path: str | Path
) -> NamedDraws:
    """Return labels with the arrays beside them that say the chain of each draw and name the items, where there are
    any.
    """
    told: list[Labels | None] = []
    for name, size in zip((CHAIN, ITEM), labels.shape):
        if shapes.get(name, (size,)) != (size,):
            raise InputError(
                f"{path}: array {name!r} has shape {shapes[name]}, expected ({size},): one entry for each of the "
                f"{'draws' if name == CHAIN else 'items'}; leave it out, or rename it"
            )
        told.append(load(name) if name in shapes else None)
    of_draws = (name for name in TRACES if shapes.get(name) == labels.shape[:1])
    traces = {name: np.asarray(load(name), dtype=np.float64) for name in of_draws}
    items = None if told[1] is None else np.array(as_words(told[1]))
    notes = tuple(
        f"array {name!r} of {Path(path).name} has an entry for each draw and was not used: pass it with weights=... "
        "(command line: a file of its own with --weights)"
        for name in WEIGHTS
        if shapes.get(name) == labels.shape[:1]
    )
    return NamedDraws(labels, told[0], items, traces, notes)
