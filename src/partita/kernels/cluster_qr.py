"""Labels from leading eigenvectors, without a random start."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

__all__ = ["cluster_qr"]


def cluster_qr(vectors: NDArray[np.float64]) -> NDArray[np.int64]:
    """Labels from K leading eigenvectors by a pivoted QR of their transpose [damle2019]; no random start.

    >>> cluster_qr(np.eye(3)[[0, 0, 1, 2]]).tolist()[:2]
    [0, 0]
    """
    K = vectors.shape[1]
    _, _, pivots = scipy.linalg.qr(vectors.T, mode="economic", pivoting=True)
    left, _, right = scipy.linalg.svd(vectors[pivots[:K]].T, full_matrices=False)
    return np.asarray(np.abs(vectors @ (left @ right)).argmax(axis=1), dtype=np.int64)
