"""SCAMS' local search where the number of clusters is given: gamma is sought at which that many come out.

Clusters grow in number with gamma, but some numbers may be left out. Then the least larger number is merged down, each
time by the pair whose merging costs J least, and single items move on between the clusters that are left.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from partita.arrays import Labels
from partita.errors import InputError
from partita.partition.climb import Climb
from partita.partition.dendrogram import numbered
from partita.partition.evidence import PartitionEvidence
from partita.partition.losses import ConstantPotts
from partita.scams.local import Search
from partita.scams.local_result import LocalResult
from partita.scams.local_settings import LocalSearch

__all__ = ["scams_with"]


# Halvings of the logarithm of theta between a number that is too small and one that is too large.
HALVINGS = 12


def scams_with(
    affinity: Any, n_clusters: int, settings: LocalSearch | None = None, *, seed: int | None = None
) -> LocalResult:
    """Return the partition into so many clusters that SCAMS' objective prefers, at a gamma that is found for it.

    Parameters
    ----------
    affinity : N x N array, scipy.sparse or Affinity
        As `scams_local` takes it.
    n_clusters : int
        1 to N.
    settings : LocalSearch, optional
        Settings, of which `lam` (1 by default), `scale` and `n_init` count.
    seed : int, optional

    Raises
    ------
    InputError, MemoryLimitError

    Notes
    -----
    Cost: some 20 to 50 searches as `scams_path` makes them.

    Examples
    --------
    >>> A = np.kron(np.eye(3), np.ones((12, 12))) + 0.05
    >>> scams_with(A, 2, seed=0).n_clusters, scams_with(A, 3, seed=0).labels[::12].tolist()
    (2, [0, 1, 2])
    """
    chosen = settings or LocalSearch()
    chosen = replace(chosen, lam=chosen.price)  # so few clusters may be asked for that pieces are joined
    A = chosen.prepare(affinity)
    N = A.shape[0]
    if not 1 <= n_clusters <= N:
        raise InputError(f"n_clusters={n_clusters}: expected 1 to {N}, the number of items")
    search = Search(A, chosen, seed)
    low, high = 0.0, 2.0 * max(float(A.max()), 1.0 / N) * N
    best: tuple[int, float, Labels] | None = None
    for _ in range(HALVINGS):
        theta = high / 2.0 if low == 0.0 else float(np.sqrt(low * high))
        point = search.step(theta / N, {})
        if point.n_clusters >= n_clusters and (best is None or point.n_clusters <= best[0]):
            best = point.n_clusters, theta, point.labels
        if point.n_clusters == n_clusters:
            break
        low, high = (theta, high) if point.n_clusters < n_clusters else (low, theta)
    count, theta, labels = best if best is not None else (N, high, np.arange(N))
    gamma = theta / N
    if count > n_clusters:
        labels = _merged(A, labels, gamma, n_clusters)
        climb = Climb(PartitionEvidence(ConstantPotts(gamma, 0.0), None, A), n_clusters, lambda: False)
        climb.assign(labels)
        climb.sweep_all(np.random.default_rng(seed))
        if climb.n_clusters == n_clusters:
            labels = climb.labels
    found = search.at(gamma, {"start": numbered(labels)}, ())
    if found.n_clusters == n_clusters:
        return found
    labels = numbered(labels)
    value = PartitionEvidence(ConstantPotts(gamma, chosen.price), None, A).value(labels)
    note = f"SCAMS' own partition at this gamma has {found.n_clusters} clusters: {n_clusters} were asked for"
    return replace(found, labels=labels, n_clusters=n_clusters, objective=value, notes=(*found.notes, note))


def _merged(A: Any, labels: Labels, gamma: float, n_clusters: int) -> Labels:
    """Clusters merged pair by pair, the one that costs least first, until so many are left."""
    labels = numbered(labels)
    N, K = len(labels), int(labels.max()) + 1
    Q = sp.csr_array((np.ones(N), labels, np.arange(N + 1)), shape=(N, K))
    between = Q.T @ (A @ Q)
    links = np.asarray(between.toarray() if sp.issparse(between) else between)
    sizes = np.bincount(labels).astype(np.float64)
    of = np.arange(K)
    while len(sizes) > n_clusters:
        cost = gamma * np.outer(sizes, sizes) - links
        np.fill_diagonal(cost, np.inf)
        a, b = sorted(int(at) for at in np.unravel_index(np.argmin(cost), cost.shape))
        links[a] += links[b]
        links[:, a] += links[:, b]
        sizes[a] += sizes[b]
        links, sizes = np.delete(np.delete(links, b, 0), b, 1), np.delete(sizes, b)
        of = np.where(of == b, a, of) - (of > b)
    return np.asarray(of[labels])
