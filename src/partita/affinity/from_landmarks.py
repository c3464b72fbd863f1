"""Affinity by way of landmarks: items are together as far as they lie near the same ones [liu2010].

Item i chooses its r nearest landmarks with weights z_ia that sum to one,

    z_ia ~ exp(-L_ia^2 / sigma_i^2),  sigma_i the distance to the farthest of the r
    P = Z diag(Z^T 1)^-1 Z^T

so P_ij is the probability of walking from i to a landmark and on to j. P is nonnegative, positive semidefinite and
doubly stochastic as it is: it needs no normalisation, and as a walk of two steps, no diffusion. It is applied as two
sparse thin products, 2 N r K multiplications, and a new item needs its own r landmarks and nothing of the N items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from partita.affinity.evidence import Builder
from partita.affinity.factor_evidence import FactorEvidence
from partita.affinity.landmark_choice import Selection, check_choice, chosen_landmarks, complete
from partita.affinity.neighbor_search import fitted_search, nearest
from partita.arrays import Array
from partita.shapes import reals

__all__ = ["Landmarks"]


@dataclass(frozen=True)
class Landmarks(Builder):
    """The graph of items and landmarks, items joined through the landmarks they share.

    Parameters
    ----------
    n_landmarks : int
        m; the items themselves where there are no more. Several tens for each cluster that should be found.
    n_neighbors : int
        r, landmarks that an item chooses.
    selection : {"kmeans", "uniform"}
        Centres of k-means on 20 m items, or items drawn at random.
    seed : int
        Seed of the selection.

    Notes
    -----
    Made for `SoftClustering`, whose normalisation leaves a doubly stochastic matrix as it is and whose scale is
    learned. Entries are of the order of K / N: under `SoF`, whose scale is 1, memberships go soft and their labels are
    all that they tell.

    Distances are Euclidean. Cost: k-means of 20 m items, then N m d for the nearest landmarks.

    References
    ----------
    [liu2010] W. Liu, J. He, S.-F. Chang, Large graph construction for scalable semi-supervised learning, ICML 2010.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    >>> P = Landmarks(n_landmarks=6, n_neighbors=2).build(X, n_clusters=2).affinity
    >>> P.row_sums().round(12).tolist(), float(P.rows([0])[0, 3])
    ([1.0, 1.0, 1.0, 1.0, 1.0, 1.0], 0.0)
    """

    name = "landmarks"
    stored: ClassVar = {"landmarks": reals("m", "d"), "total": reals("m"), "own": reals(), "factor": reals("n", "m")}
    command_options: ClassVar = {"n_landmarks": "n_landmarks", "n_neighbors": "n_neighbors"}
    of_distances = True

    n_landmarks: int = 500
    n_neighbors: int = 5
    selection: Selection = "kmeans"
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("n_landmarks", self.n_landmarks, self.selection)
        check_choice("n_neighbors", self.n_neighbors, self.selection)

    @property
    def varies_with_k(self) -> bool:
        return False

    def build(self, X: Any, *, n_clusters: int, weights: Array | None = None) -> LandmarkEvidence:
        X = complete(X, self.name)
        landmarks = chosen_landmarks(X, self.n_landmarks, self.selection, self.seed)
        Z = walk(X, landmarks, self.n_neighbors)
        # A landmark that nobody chose leads nowhere.
        used = np.diff(sp.csc_array(Z).indptr) > 0
        Z = sp.csr_array(Z[:, used])
        return LandmarkEvidence(self, landmarks[used], np.asarray(Z.sum(axis=0)).ravel(), Z)

    def restore(self, state: dict[str, Array]) -> LandmarkEvidence:
        return LandmarkEvidence(self, state["landmarks"], state["total"], None, state.get("own"), state.get("factor"))


class LandmarkEvidence(FactorEvidence):
    """Landmarks, and how much of the items each one has, Z^T 1; F = Z diag(Z^T 1)^-1/2."""

    def __init__(
        self,
        builder: Landmarks,
        landmarks: Array,
        total: Array,
        Z: sp.csr_array | None,
        own: Array | None = None,
        factor: Any = None,
    ) -> None:
        self._builder, self._landmarks, self._total = builder, landmarks, total
        self._root = 1.0 / np.sqrt(total)
        super().__init__(factor if Z is None else sp.csr_array(Z @ sp.diags_array(self._root)))
        # Affinity of a new item to itself: about that of fitted items.
        self.self_affinity = float(own) if own is not None else float(self.affinity.diagonal().mean())
        self.row_size = len(landmarks) + landmarks.shape[1]
        self._search: Any = None

    def features(self, X: Any) -> sp.csr_array:
        if self._search is None:
            self._search = fitted_search(self._landmarks, "euclidean", None)
        Z = walk(np.asarray(X, dtype=np.float64), self._landmarks, self._builder.n_neighbors, self._search)
        return sp.csr_array(Z @ sp.diags_array(self._root))

    def state(self) -> dict[str, Array]:
        return {"landmarks": self._landmarks, "total": self._total, "own": np.array(self.self_affinity)}


def walk(X: Array, landmarks: Array, n_neighbors: int, search: Any = None) -> sp.csr_array:
    """Return Z: each item's weights of its nearest landmarks, rows that sum to one."""
    r = min(n_neighbors, len(landmarks))
    index, distance = nearest(X, landmarks, r, "euclidean", None, itself=False, search=search)
    sigma = distance[:, -1:]
    z = np.exp(-((distance / np.where(sigma > 0, sigma, 1.0)) ** 2))
    z /= z.sum(axis=1, keepdims=True)
    bounds = np.arange(0, index.size + 1, r)
    return sp.csr_array((z.ravel(), index.ravel(), bounds), shape=(len(index), len(landmarks)))
