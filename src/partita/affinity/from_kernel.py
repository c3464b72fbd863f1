"""A kernel matrix that no one could hold, by way of landmarks: the Nystrom approximation [williams2001].

    P = k(X, C) k(C, C)^-1 k(C, X) = F F^T,  F = k(X, C) k(C, C)^-1/2

for m landmarks C, for the Gaussian kernel exp(-c ||x - y||^2) and the Laplacian exp(-c
||x - y||_1). The scale c is one for all items; what is found without labels (`kernel_scale`) smooths as much as low
rank can hold, and that costs quality: where the aim is clusters and not this kernel, `Landmarks` and `NeighborGraph`
are much better (`benchmarks/low_rank.py`).

F has N m numbers and a product costs 2 N m K multiplications; a new item costs m (d + m), whatever N.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import svd

from partita.affinity.distances import distances
from partita.affinity.evidence import Builder
from partita.affinity.factor_evidence import FactorEvidence
from partita.affinity.from_features import Kernel
from partita.affinity.kernel_scale import OF_KERNEL, Scale, check_kernel, kernel_scale
from partita.affinity.landmark_choice import Selection, check_choice, chosen_landmarks, complete, mapped
from partita.arrays import Array
from partita.shapes import reals

__all__ = ["Nystrom"]

# Singular values of the kernel among landmarks are taken for at least this.
LEAST = 1e-12


@dataclass(frozen=True)
class Nystrom(Builder):
    """A kernel by way of m landmarks: exact between landmarks, and everywhere where the kernel has rank m.

    Parameters
    ----------
    kernel : {"gaussian", "laplacian"}
        exp(-c ||x - y||^2) or exp(-c ||x - y||_1).
    n_landmarks : int
        m; with all items as landmarks P is the kernel matrix.
    scale : float or "balanced"
        c > 0, or the c at which mean(P) = 1 / K.
    selection : {"kmeans", "uniform"}
        Centres of k-means on 20 m items, or items drawn at random.
    seed : int
        Seed of the selection and of the sample that the scale is found on.

    Notes
    -----
    Entries may fall below zero by the error of the approximation; an item whose row sums to no more than zero, as one
    far from all landmarks, gets no affinity to any item. Cost: k-means, N m (d + m) and N m numbers.

    References
    ----------
    [williams2001] C. K. I. Williams, M. Seeger, Using the Nystrom method to speed up kernel machines, NIPS 2001.
    [zhang2008] K. Zhang, I. W. Tsang, J. T. Kwok, Improved Nystrom low-rank approximation and error analysis, ICML
    2008.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [10.0]])
    >>> P = Nystrom(scale=1.0).build(X, n_clusters=2).affinity
    >>> (P.to_dense().round(3)[0] + 0.0).tolist()
    [1.0, 0.368, 0.0]
    """

    name = "nystrom"
    stored: ClassVar = {
        "landmarks": reals("m", "d"),
        "root": reals("m", "r"),
        "scale": reals(),
        "factor": reals("n", "r"),
    }
    command_options: ClassVar = {"n_landmarks": "n_landmarks", "kernel": "kernel", "scale": "scale"}
    of_distances = True

    kernel: Kernel = "gaussian"
    n_landmarks: int = 300
    scale: Scale = "balanced"
    selection: Selection = "kmeans"
    seed: int = 0

    def __post_init__(self) -> None:
        check_kernel(self.kernel, self.scale)
        check_choice("n_landmarks", self.n_landmarks, self.selection)

    @property
    def needs_k(self) -> bool:
        return self.scale == "balanced"

    varies_with_k = needs_k

    def build(self, X: Any, *, n_clusters: int, weights: Array | None = None) -> NystromEvidence:
        X = complete(X, self.name)
        c = kernel_scale(X, self.kernel, self.scale, n_clusters, weights, self.seed)
        landmarks = chosen_landmarks(X, self.n_landmarks, self.selection, self.seed)
        U, values, V = svd(_kernel(landmarks, landmarks, self.kernel, c))
        root = U / np.sqrt(np.maximum(values, LEAST)) @ V  # k(C, C)^-1/2
        basis = NystromEvidence(self, landmarks, root, c, None)
        return NystromEvidence(self, landmarks, root, c, mapped(basis.features, X, len(landmarks)))

    def restore(self, state: dict[str, Array]) -> NystromEvidence:
        return NystromEvidence(self, state["landmarks"], state["root"], float(state["scale"]), state.get("factor"))


class NystromEvidence(FactorEvidence):
    """Landmarks C and k(C, C)^-1/2."""

    def __init__(self, builder: Nystrom, landmarks: Array, root: Array, scale: float, factor: Array | None) -> None:
        self._builder, self._landmarks, self._root, self.scale = builder, landmarks, root, scale
        self.row_size = len(landmarks) + landmarks.shape[1]
        super().__init__(factor)

    def features(self, X: Any) -> Array:
        values = np.asarray(X, dtype=np.float64)
        return np.asarray(_kernel(values, self._landmarks, self._builder.kernel, self.scale) @ self._root.T)

    def state(self) -> dict[str, Array]:
        return {"landmarks": self._landmarks, "root": self._root, "scale": np.array(self.scale)}


def _kernel(X: Array, Y: Array, kernel: Kernel, scale: float) -> Array:
    return np.asarray(np.exp(-scale * distances(X, Y, OF_KERNEL[kernel], None)))
