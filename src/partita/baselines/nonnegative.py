"""Common parts of nonnegative factorizations X ~ W H of a feature table, W (N x K) the items' coefficients.

The papers say neither what they do with negative features nor how coefficients of unlike components are compared. Here:
a column with a negative entry is shifted so that its least entry is zero; and, since W diag(s) and diag(s)^-1 H are the
same model, the rows of H are brought to unit length before the largest coefficient of an item is taken.
"""

from __future__ import annotations

import numpy as np
from sklearn.cluster import kmeans_plusplus

from partita.arrays import Array
from partita.baselines.base import seed_of

__all__ = ["nonnegative_features", "started", "unit_basis"]


def nonnegative_features(X: Array) -> tuple[Array, str]:
    """Return X with each column that has a negative entry shifted to a least entry of zero, and a note that says so.

    >>> nonnegative_features(np.array([[-1.0, 2.0], [1.0, 3.0]]))[0].tolist()
    [[0.0, 2.0], [2.0, 3.0]]
    """
    least = np.minimum(X.min(axis=0), 0.0)
    moved = int((least < 0).sum())
    return X - least, f"{moved} columns with negative entries were shifted to zero" if moved else ""


def started(X: Array, n_components: int, rng: np.random.Generator) -> Array:
    """Return K rows of X that k-means++ draws, the first basis H."""
    rows, _ = kmeans_plusplus(X, n_components, random_state=seed_of(rng))
    return np.ascontiguousarray(rows)


def unit_basis(W: Array, H: Array) -> tuple[Array, Array]:
    """Rescale W and H, with the same product, so that rows of H have unit length; a zero row gives a column of zeros.

    >>> unit_basis(np.ones((1, 1)), np.array([[3.0, 4.0]]))[0].tolist()
    [[5.0]]
    """
    lengths = np.linalg.norm(H, axis=1)
    return W * lengths, np.divide(H, lengths[:, None], out=np.zeros_like(H), where=lengths[:, None] > 0)
