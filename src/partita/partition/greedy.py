"""Greedy searches of the literature, item by item and cluster by cluster, under their own names.

They move on the same state as `search_partition`, each with the starts, moves and cap that its paper has.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from partita.errors import InputError
from partita.partition.climb import Climb
from partita.partition.dendrogram import Codes, Dendrogram, numbered
from partita.partition.evidence import evidence_of
from partita.partition.losses import PartitionLoss, Unit
from partita.partition.result import MethodResult

__all__ = ["greedy_rastelli_friel", "greedy_wade_ghahramani", "salso"]

# Least amount by which a step must lower the value: above the rounding of sums over draws.
IMPROVEMENT = 1e-11


def greedy_rastelli_friel(
    draws: Any,
    *,
    loss: str | PartitionLoss = "vi",
    unit: Unit | None = None,
    max_clusters: int | None = None,
    n_init: int = 10,
    random_state: int | None = None,
) -> MethodResult:
    """Start from random labels and move items in random order to their best cluster until none moves [rastelli2018].

    The best of `n_init` runs. `max_clusters` is its K_up, by default the number of items.

    Examples
    --------
    >>> greedy_rastelli_friel([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]], random_state=0).labels.tolist()
    [0, 0, 1, 1]
    """
    evidence = evidence_of(draws, loss, unit)
    N = evidence.n_items
    cap = _checked_cap(max_clusters, N)

    def one(rng: np.random.Generator) -> tuple[Codes, float]:
        climb = Climb(evidence, cap, _never)
        climb.assign(numbered(rng.integers(cap, size=N)))
        climb.sweep_all(rng)
        return numbered(climb.labels), climb.value

    return MethodResult.of("greedy, Rastelli and Friel", evidence, _best_of(one, n_init, random_state))


def greedy_wade_ghahramani(
    draws: Any,
    *,
    loss: str | PartitionLoss = "vi",
    unit: Unit | None = None,
    start: Any = None,
    n_neighbors: int | None = None,
) -> MethodResult:
    """Move from a partition to the best of its nearest coarser and finer ones, while that lowers the loss [wade2018].

    Nearest by variation of information: a merge of n and m items is f(n + m) - f(n) - f(m) away, f(n) = n log n, and so
    is the split that undoes it. Of each kind `n_neighbors` are looked at, 2 N by default; by default from the best
    average linkage cut.

    Examples
    --------
    >>> greedy_wade_ghahramani([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]], start=[0, 0, 0, 0]).labels.tolist()
    [0, 0, 1, 1]
    """
    evidence = evidence_of(draws, loss, unit)
    N = evidence.n_items
    if start is None:
        tree = Dendrogram.of(evidence.similarity, "average")
        first = tree.cut(int(np.argmin(evidence.cut_values(tree))))
    else:
        first = numbered(np.asarray(start))
    if len(first) != N:
        raise InputError(f"start has {len(first)} items and the draws {N}; pass the same items in the same order")
    climb = Climb(evidence, N, _never)
    climb.assign(first)
    while True:
        before = climb.value
        best, least = None, before - IMPROVEMENT * max(1.0, abs(before))
        for items, mate in _neighbors(climb.labels, n_neighbors or 2 * N):
            left = np.setdiff1d(np.flatnonzero(climb.labels == climb.labels[items[0]]), items)
            climb.gather(items, mate)
            if climb.value < least:
                best, least = (items, mate), climb.value
            climb.gather(items, int(left[0]) if len(left) else None)
        if best is None:
            return MethodResult.of("greedy, Wade and Ghahramani", evidence, numbered(climb.labels))
        climb.gather(*best)


def salso(
    draws: Any,
    *,
    loss: str | PartitionLoss = "vi",
    unit: Unit | None = None,
    max_clusters: int | None = None,
    n_init: int = 16,
    random_state: int | None = None,
) -> MethodResult:
    """Return sequential allocation or random labels, scans, zealous updates; best of `n_init` [dahl2022].

    `max_clusters` is by default the most clusters that a draw has, as there.

    Examples
    --------
    >>> salso([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]], random_state=0).labels.tolist()
    [0, 0, 1, 1]
    """
    evidence = evidence_of(draws, loss, unit)
    assert evidence.draws is not None
    N = evidence.n_items
    cap = int(evidence.draws.n_clusters.max()) if max_clusters is None else _checked_cap(max_clusters, N)

    def one(rng: np.random.Generator) -> tuple[Codes, float]:
        climb = Climb(evidence, cap, _never)
        if rng.random() < 0.5:
            climb.allocate(rng.permutation(N))
        else:
            climb.assign(numbered(rng.integers(cap, size=N)))
        climb.sweep_all(rng)
        climb.rebuild_all(rng)
        return numbered(climb.labels), climb.value

    return MethodResult.of("salso", evidence, _best_of(one, n_init, random_state))


def _never() -> bool:
    return False


def _checked_cap(max_clusters: int | None, n_items: int) -> int:
    if max_clusters is not None and max_clusters < 1:
        raise InputError(f"max_clusters={max_clusters}: expected at least 1, or None")
    return n_items if max_clusters is None else min(max_clusters, n_items)


def _best_of(one: Callable[[np.random.Generator], tuple[Codes, float]], n_init: int, seed: int | None) -> Codes:
    if n_init < 1:
        raise InputError(f"n_init={n_init}: expected at least 1 run")
    found = [one(np.random.default_rng(child)) for child in np.random.SeedSequence(seed).spawn(n_init)]
    return min(found, key=lambda run: run[1])[0]


def _neighbors(labels: Codes, most: int) -> list[tuple[Any, int | None]]:
    """Nearest merges (the items of one cluster, and an item of another) and splits (items that become a cluster)."""
    members = [np.flatnonzero(labels == k) for k in range(int(labels.max()) + 1)]
    f = np.append(0.0, np.arange(1, len(labels) + 1) * np.log(np.arange(1, len(labels) + 1)))
    pairs = list(itertools.combinations(range(len(members)), 2))
    merges = sorted(
        (f[len(members[a]) + len(members[b])] - f[len(members[a])] - f[len(members[b])], a, b) for a, b in pairs
    )
    found: list[tuple[Any, int | None]] = [(members[b], int(members[a][0])) for _, a, b in merges[:most]]
    kinds = sorted(
        (f[len(own)] - f[s] - f[len(own) - s], s, k)
        for k, own in enumerate(members)
        for s in range(1, len(own) // 2 + 1)
    )
    splits: list[tuple[Any, int | None]] = []
    for _, s, k in kinds:
        if len(splits) >= most:
            break
        some = itertools.islice(itertools.combinations(members[k], s), most - len(splits))
        splits.extend((np.array(items), None) for items in some)
    return found + splits
