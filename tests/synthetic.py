"""The small data that tests make: items about centres, affinities of blocks, graphs, draws of partitions.

Each generator takes a seed, or a `numpy.random.Generator` to go on drawing from, and gives the same numbers for the
same arguments: tests rely on them.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = [
    "all_partitions",
    "blobs",
    "blocks",
    "diagonal",
    "diagonal_blobs",
    "draws_around",
    "gaussians",
    "line",
    "noisy_blocks",
    "planted_affinity",
    "planted_graph",
    "posterior",
    "random_affinity",
    "random_graph",
    "ring",
    "scattered_blobs",
    "separable",
    "similarity_of",
    "uneven_blobs",
    "with_gaps",
    "with_spectrum",
    "zigzag",
]

Seed = int | np.random.Generator

# ---------------------------------------------------------------- items by their features


def gaussians(truth: Any, centres: Any, seed: Seed = 0, *, spread: float = 1.0) -> np.ndarray:
    """Items normal about the centres of their clusters, with `spread` as their standard deviation in every feature."""
    centres = np.asarray(centres, dtype=float)
    return spread * np.random.default_rng(seed).normal(size=(len(truth), centres.shape[1])) + centres[truth]


def line(K: int, d: int) -> np.ndarray:
    """Centres on a line that falls in every feature but the first."""
    return np.arange(K)[:, None] * np.r_[1.0, np.full(d - 1, -0.5)]


def diagonal(K: int, d: int) -> np.ndarray:
    """Centres on the line on which all features are equal."""
    return np.arange(K)[:, None] * np.ones(d)


def zigzag(K: int, d: int) -> np.ndarray:
    """Centres along the first feature, every other one a step up in the second."""
    return np.c_[np.arange(K), np.arange(K) % 2, np.zeros((K, max(d - 2, 0)))][:, :d]


def blobs(
    n: int = 60,
    K: int = 3,
    d: int = 2,
    *,
    apart: float = 5.0,
    at: Callable[[int, int], np.ndarray] = line,
    seed: Seed = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """Items in turn of K normal clusters whose centres are so many standard deviations apart; and their clusters."""
    truth = np.arange(n) % K
    return gaussians(truth, apart * at(K, d), seed), truth


def diagonal_blobs(n: int, d: int, *, K: int = 3, apart: float = 3.0, seed: Seed = 0) -> np.ndarray:
    """Items of K clusters on the diagonal, the cluster of each by chance."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + apart * rng.integers(0, K, size=(n, 1))


def uneven_blobs(n: int, d: int = 2, *, seed: Seed = 0) -> np.ndarray:
    """Items of three clusters on the diagonal, some close to their centre and others far out."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) * rng.uniform(0.3, 2.0, size=(n, 1)) + 4 * rng.integers(0, 3, size=(n, 1))


def scattered_blobs(
    n: int, K: int, d: int = 3, *, spread: float = 4.0, seed: Seed = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Items of K normal clusters, the centres and the cluster of each item by chance; and their clusters."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, K, n)
    return rng.normal(size=(n, d)) + spread * rng.normal(size=(K, d))[truth], truth


# ---------------------------------------------------------------- affinities and graphs


def blocks(*sizes: int, inside: float = 1.0, outside: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """A matrix of two values, within and between clusters, with ones on its diagonal; and the clusters."""
    truth = np.repeat(np.arange(len(sizes)), sizes)
    P = np.where(truth[:, None] == truth, inside, outside)
    np.fill_diagonal(P, 1.0)
    return P, truth


def noisy_blocks(n: int, K: int, *, noise: float = 0.3, within: float = 0.6, seed: Seed = 0) -> np.ndarray:
    """An affinity that is noise between items, with a constant more within the clusters `arange(n) % K`."""
    truth = np.arange(n) % K
    half = np.random.default_rng(seed).random((n, n)) * noise
    return (half + half.T) / 2 + within * (truth[:, None] == truth)


def planted_affinity(
    sizes: Sequence[int], within: float = 1.0, between: float = 0.1, seed: Seed = 0
) -> tuple[np.ndarray, np.ndarray]:
    """A symmetric affinity without a diagonal, uniform up to `within` in a cluster and up to `between` outside."""
    truth = np.repeat(np.arange(len(sizes)), sizes)
    rng = np.random.default_rng(seed)
    A = np.where(truth[:, None] == truth, within, between) * rng.random((len(truth), len(truth)))
    return np.triu(A, 1) + np.triu(A, 1).T, truth


def random_affinity(n: int, *, share: float | None = None, seed: Seed = 0) -> np.ndarray:
    """A symmetric matrix of random affinities; with a share, the rest of the ordered pairs add nothing."""
    rng = np.random.default_rng(seed)
    half = rng.random((n, n))
    if share is not None:
        half = half * (rng.random((n, n)) < share)
    return (half + half.T) / 2


def planted_graph(truth: np.ndarray, within: float = 0.4, between: float = 0.05, seed: Seed = 0) -> sp.csr_array:
    """A sparse affinity with ones on its diagonal, in which pairs have random weights more often within a cluster."""
    rng = np.random.default_rng(seed)
    shape = (len(truth), len(truth))
    half = rng.random(shape) * (rng.random(shape) < np.where(truth[:, None] == truth, within, between))
    return sp.csr_array(np.maximum(half, half.T) + np.eye(len(truth)))


def random_graph(n: int, density: float, seed: Seed = 0) -> sp.csr_array:
    """A sparse symmetric affinity of random pairs."""
    half = sp.random_array((n, n), density=density, rng=np.random.default_rng(seed))
    return sp.csr_array(half + half.T)


def ring(n: int, reach: int = 1, places: np.ndarray | None = None) -> sp.csr_array:
    """Each item joined to the `reach` next ones around a ring, the items in order or at `places`."""
    i = np.arange(n)
    places = i if places is None else places
    rows, columns = np.tile(places, reach), np.concatenate([places[(i + s + 1) % n] for s in range(reach)])
    half = sp.csr_array((np.ones(n * reach), (rows, columns)), shape=(n, n))
    return sp.csr_array(half + half.T)


def with_spectrum(values: Any, seed: Seed = 0) -> np.ndarray:
    """A symmetric matrix with these eigenvalues, in random directions."""
    V = np.linalg.qr(np.random.default_rng(seed).normal(size=(len(values), len(values))))[0]
    return (V * values) @ V.T


def separable(n: int, K: int, *, certain: int = 2, concentration: float = 0.7, seed: Seed = 0) -> np.ndarray:
    """A random membership with so many certain items in each cluster, which its co-membership then determines."""
    W = np.random.default_rng(seed).dirichlet(np.full(K, concentration), size=n)
    W[: certain * K] = np.eye(K)[np.arange(certain * K) % K]
    return W


# ---------------------------------------------------------------- draws of partitions


def draws_around(truth: np.ndarray, M: int, doubt: Any, *, K: int | None = None, seed: Seed = 0) -> np.ndarray:
    """Draws about a partition: with probability `doubt` an item's label is any of K, else the item's own in `truth`."""
    rng = np.random.default_rng(seed)
    shape = (M, len(truth))
    return np.where(rng.random(shape) < doubt, rng.integers(0, K or truth.max() + 1, shape), truth)


def posterior(
    n_draws: int = 300, n_items: int = 30, n_clusters: int = 3, noise: float = 0.1, seed: Seed = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Draws about a partition into runs of consecutive items; and the partition."""
    truth = np.arange(n_items) * n_clusters // n_items
    return draws_around(truth, n_draws, noise, K=n_clusters, seed=seed), truth


def with_gaps(draws: np.ndarray, share: float, seed: Seed = 0) -> np.ndarray:
    """The draws with a share of their labels unobserved, -1."""
    return np.where(np.random.default_rng(seed).random(draws.shape) < share, -1, draws)


def similarity_of(draws: np.ndarray) -> np.ndarray:
    """The share of the draws in which two items are together, for every pair."""
    return (draws[:, :, None] == draws[:, None, :]).mean(axis=0)


def all_partitions(n: int) -> np.ndarray:
    """Every partition of n items, a row each, clusters numbered by first appearance."""
    found = [[0]]
    for _ in range(n - 1):
        found = [[*labels, k] for labels in found for k in range(max(labels) + 2)]
    return np.array(found)
