"""Peers that scikit-learn lacks, or has without what a comparison at given K needs."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import HDBSCAN
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import NearestNeighbors

from partita.ensemble import Genie, Modularity

__all__ = ["FilledHDBSCAN", "FuzzyCMeans", "GenieTree", "Mixture", "ModularityAtK"]


class FuzzyCMeans:
    """Fuzzy c-means with fuzzifier 2 [bezdek1981], the best of ten k-means++ like starts; labels are the argmax."""

    def __init__(self, n_clusters: int, n_init: int = 10, max_iter: int = 300, seed: int = 0) -> None:
        self.n_clusters, self.n_init, self.max_iter, self.seed = n_clusters, n_init, max_iter, seed

    def fit(self, X: np.ndarray) -> FuzzyCMeans:
        best = np.inf
        square = (X**2).sum(axis=1)
        for start in range(self.n_init):
            rng = np.random.default_rng([self.seed, start])
            U = rng.dirichlet(np.ones(self.n_clusters), size=len(X))
            for _ in range(self.max_iter):
                before = U
                V = (U**2).T @ X / (U**2).sum(axis=0)[:, None]
                D = np.maximum(square[:, None] - 2 * X @ V.T + (V**2).sum(axis=1), 1e-12 * square.mean() + 1e-300)
                U = 1.0 / D
                U /= U.sum(axis=1, keepdims=True)
                if np.abs(U - before).max() < 1e-4:
                    break
            value = float((U**2 * D).sum())
            if value < best:
                best, self.membership_ = value, U
        self.labels_ = self.membership_.argmax(axis=1)
        return self


class FilledHDBSCAN:
    """scikit-learn's HDBSCAN at its own settings and its own number of clusters; noise joins its nearest cluster."""

    def __init__(self, _n_clusters: int) -> None:
        pass

    def fit(self, X: np.ndarray) -> FilledHDBSCAN:
        labels = HDBSCAN(copy=True).fit_predict(X)
        noise = labels < 0
        if noise.all():
            labels = np.zeros(len(X), dtype=int)
        elif noise.any():
            nearest = NearestNeighbors(n_neighbors=1).fit(X[~noise])
            labels[noise] = labels[~noise][nearest.kneighbors(X[noise], return_distance=False)[:, 0]]
        self.labels_ = labels
        return self


class GenieTree:
    """Genie at its published settings: genieclust where it is installed, else our member of the ensemble."""

    def __init__(self, n_clusters: int) -> None:
        self.n_clusters = n_clusters

    def fit(self, X: np.ndarray) -> GenieTree:
        try:
            import genieclust
        except ImportError:
            distinct, inverse = np.unique(X, axis=0, return_inverse=True)
            labels = Genie().cluster(distinct, self.n_clusters, np.random.default_rng(0)).labels
            self.labels_ = labels[inverse.ravel()]
        else:
            self.labels_ = genieclust.Genie(self.n_clusters).fit_predict(X)
        return self


class ModularityAtK:
    """Louvain on 10 neighbours with the resolution bisected to K: our member of the ensemble, on all items."""

    def __init__(self, n_clusters: int) -> None:
        self.n_clusters = n_clusters

    def fit(self, X: np.ndarray) -> ModularityAtK:
        distinct, inverse = np.unique(X, axis=0, return_inverse=True)
        self.labels_ = Modularity().cluster(distinct, self.n_clusters, np.random.default_rng(0)).labels[inverse.ravel()]
        return self


class Mixture:
    """scikit-learn's GaussianMixture as it comes; a larger ridge where the covariances are singular."""

    def __init__(self, n_clusters: int) -> None:
        self.n_clusters = n_clusters

    def fit(self, X: np.ndarray) -> Mixture:
        for ridge in (1e-6, 1e-3 * X.var()):
            try:
                self.labels_ = GaussianMixture(self.n_clusters, reg_covar=ridge, random_state=0).fit_predict(X)
            except ValueError:
                continue
            return self
        raise ValueError("no mixture could be fitted")
