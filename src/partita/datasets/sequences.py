"""The sequences of Hopkins 155: one small set each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from partita.datasets.load import how_to_get, located
from partita.datasets.relations import MOTIONS
from partita.errors import InputError
from partita.io.files import sha256_of_file

__all__ = ["load_sequences"]

Sequence = tuple[str, NDArray[np.float64], NDArray[np.int64]]


def load_sequences(*, home: str | Path | None = None, with_dancing: bool = False) -> Iterator[Sequence]:
    """Yield the name, the trajectories and the motions of each sequence of Hopkins 155, in the order of the file.

    Parameters
    ----------
    home : str or Path, optional
        The folder of the sets: `dataset_home`.
    with_dancing : bool
        Also the sequence of five motions, which is none of the 155.

    Yields
    ------
    name : str
    X : array of shape (points, 2 F)
        x and y of a tracked point in each of F frames, in normalised coordinates.
    truth : array of int, points
        The motion of each point, 0-based.

    Raises
    ------
    InputError
        At the call: if the file is not there, or is another one.

    Examples
    --------
    >>> from partita.datasets import describe
    >>> describe("hopkins155").kind
    'sequences'
    """
    path = located(MOTIONS, home)
    sha256 = sha256_of_file(path)
    if sha256 != MOTIONS.sha256:
        raise InputError(
            f"{path} is not the file known as {MOTIONS.title}: expected SHA-256 {MOTIONS.sha256}, got {sha256}; "
            f"{how_to_get(MOTIONS)}"
        )
    return _sequences(path, with_dancing)


def _sequences(path: Path, with_dancing: bool) -> Iterator[Sequence]:
    with np.load(path, allow_pickle=False) as held:
        for name in map(str, held["names"]):
            if name != "dancing" or with_dancing:
                yield name, held[f"X__{name}"].T.astype(np.float64), held[f"s__{name}"].astype(np.int64) - 1
