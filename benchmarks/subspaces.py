"""Items near unions of subspaces: the generator of [li2014] section 5.1, sequences of Hopkins 155 and faces of Yale B.

Items are rows; `PARTITA_DATA` names the folder with `motion/hopkins155.npz` and `images/yaleb_48x42.npz`.

[li2014] Z. Li, L.-F. Cheong, S. Z. Zhou, SCAMS: Simultaneous clustering and model selection, CVPR 2014.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["faces", "group_test", "motions", "noise_test", "union_of_subspaces"]

# [li2014]: ambient dimension, points of each group, dimensions and noise of the two tests.
AMBIENT, POINTS = 50, 50
DIMENSIONS = (2, 4, 6, 8, 10)
LOW_NOISE = 0.05

Items = tuple[NDArray[np.float64], NDArray[np.int64]]


def union_of_subspaces(
    dimensions: tuple[int, ...], noise: float, rng: np.random.Generator, *, ambient: int = AMBIENT, points: int = POINTS
) -> Items:
    """Points on random subspaces, scaled to length one, each moved by a vector of length `noise` in any direction."""
    parts = []
    for d in dimensions:
        basis = np.linalg.qr(rng.normal(size=(ambient, d)))[0]
        parts.append(_unit(rng.normal(size=(points, d)) @ basis.T))
    X = np.concatenate(parts)
    X += noise * _unit(rng.normal(size=X.shape))
    return X, np.repeat(np.arange(len(dimensions)), points)


def noise_test(noise: float, rng: np.random.Generator) -> Items:
    """Section 5.1.1: five groups of dimensions 2, 4, 6, 8, 10."""
    return union_of_subspaces(DIMENSIONS, noise, rng)


def group_test(n_groups: int, rng: np.random.Generator) -> Items:
    """Section 5.1.2: groups of dimensions 2, 4, ..., 2 K."""
    return union_of_subspaces(tuple(range(2, 2 * n_groups + 1, 2)), LOW_NOISE, rng)


def motions(*, with_dancing: bool = False) -> Iterator[tuple[str, NDArray[np.float64], NDArray[np.int64]]]:
    """Name, trajectories (points x 2 F) and motions of each sequence of Hopkins 155."""
    with np.load(_home() / "motion" / "hopkins155.npz", allow_pickle=False) as held:
        for name in map(str, held["names"]):
            if name != "dancing" or with_dancing:
                yield name, held[f"X__{name}"].T.astype(np.float64), held[f"s__{name}"].astype(np.int64)


def faces(n_subjects: int, rng: np.random.Generator, *, n_components: int | None = 30, centred: bool = False) -> Items:
    """Images of subjects drawn at random, on their leading principal directions (None: as they are, 2016 pixels).

    Directions are those of the images as they are: what is left when their mean is taken away lies on flats, and no
    longer on subspaces.
    """
    with np.load(_home() / "images" / "yaleb_48x42.npz", allow_pickle=False) as held:
        X, y = held["X"], held["y"].astype(np.int64)
    chosen = np.isin(y, rng.choice(np.unique(y), n_subjects, replace=False))
    X, y = X[chosen].astype(np.float64), y[chosen]
    if centred:
        X = X - X.mean(axis=0)
    if n_components is not None:
        left, s, _ = np.linalg.svd(X, full_matrices=False)
        X = left[:, :n_components] * s[:n_components]
    return X, np.unique(y, return_inverse=True)[1]


def _home() -> Path:
    return Path(os.environ["PARTITA_DATA"])


def _unit(V: NDArray[np.float64]) -> NDArray[np.float64]:
    return V / np.linalg.norm(V, axis=1, keepdims=True)
