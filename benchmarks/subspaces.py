"""Items near unions of subspaces: the generators of [li2014] section 5.1, sequences of Hopkins 155 and faces of Yale B.

Items are rows; `PARTITA_DATA` names the folder with `motion/hopkins155.npz` and `images/yaleb_48x42.npz`.

[li2014] Z. Li, L.-F. Cheong, S. Z. Zhou, SCAMS: Simultaneous clustering and model selection, CVPR 2014.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from partita.datasets import group_test, load_dataset, load_sequences, noise_test, union_of_subspaces
from partita.datasets.subspaces import DIMENSIONS, LOW_NOISE

__all__ = ["DIMENSIONS", "LOW_NOISE", "faces", "group_test", "motions", "noise_test", "union_of_subspaces"]

Items = tuple[NDArray[np.float64], NDArray[np.int64]]


def motions(*, with_dancing: bool = False) -> Iterator[tuple[str, NDArray[np.float64], NDArray[np.int64]]]:
    """Name, trajectories (points x 2 F) and motions of each sequence of Hopkins 155."""
    yield from load_sequences(with_dancing=with_dancing)


def faces(n_subjects: int, rng: np.random.Generator, *, n_components: int | None = 30, centred: bool = False) -> Items:
    """Images of subjects drawn at random, on their leading principal directions (None: as they are, 2016 pixels).

    Directions are those of the images as they are: what is left when their mean is taken away lies on flats, and no
    longer on subspaces.
    """
    found = load_dataset("yaleb")
    X, y = found.X, found.truth
    assert y is not None
    chosen = np.isin(y, rng.choice(np.unique(y), n_subjects, replace=False))
    X, y = X[chosen], y[chosen]
    if centred:
        X = X - X.mean(axis=0)
    if n_components is not None:
        left, s, _ = np.linalg.svd(X, full_matrices=False)
        X = left[:, :n_components] * s[:n_components]
    return X, np.unique(y, return_inverse=True)[1]
