"""Common parts of several pictures of [bayes-nmf]: matrices as shaded squares, and how they are kept in a cell."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["matrix", "packed", "together", "unpacked"]


def packed(P: ArrayLike) -> str:
    """Return a matrix with entries in [0, 1] in steps of 1/255, as text: for pictures.

    >>> unpacked(packed(np.eye(2))).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return base64.b64encode(np.rint(255 * np.asarray(P)).astype(np.uint8).tobytes()).decode("ascii")


def unpacked(text: str) -> NDArray[np.float64]:
    """Return the square matrix back."""
    entries = np.frombuffer(base64.b64decode(text), dtype=np.uint8)
    n = round(len(entries) ** 0.5)
    return entries.reshape(n, n) / 255


def together(labels: ArrayLike) -> NDArray[np.float64]:
    """Return the matrix of a partition: one where two items share a cluster.

    >>> together([0, 0, 1]).tolist()
    [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    given = np.asarray(labels)
    return np.asarray((given[:, None] == given).astype(np.float64))


def matrix(ax: Any, P: ArrayLike, title: str, edges: Sequence[int] = ()) -> Any:
    """Return a matrix of similarities, light for none; dashed squares between the edges."""
    from partita.plots.palette import SEQUENTIAL

    image = ax.imshow(P, cmap=SEQUENTIAL, vmin=0, vmax=1, interpolation="nearest")
    for low, high in pairwise(edges):
        corners = np.array([low, high, high, low, low]) - 0.5, np.array([low, low, high, high, low]) - 0.5
        ax.plot(*corners, color="#0072b2", linewidth=0.9, linestyle="--")
    ax.set_title(title, fontsize=9.5)
    ax.set_xticks([])
    ax.set_yticks([])
    return image
