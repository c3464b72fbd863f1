"""One split or merge proposal of a conjugate mixture, with restricted Gibbs scans [jain2004]. Loads numba.

Two items are drawn. Where they are together, their cluster may split into one side for each; where not, their two
clusters may merge. The proposal is made from a launch state: the other items of those clusters on random sides, then
some scans of Gibbs updates between the two sides alone. One more scan, whose probability is kept, is the proposed
split; for a merge it is the probability of arriving at the split that there is. Cost: (scans + 1) n evaluations of two
densities, n the items of the clusters drawn.

[jain2004] S. Jain, R. M. Neal, A split-merge Markov chain Monte Carlo procedure for the Dirichlet process mixture
model, Journal of Computational and Graphical Statistics 13 (2004).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from partita.arrays import Array, Ints, Rng
from partita.kernels.mixture_clusters import (
    Clusters,
    Tables,
    add,
    clear,
    empty_clusters,
    factorize,
    join_weight,
    log_marginal,
    remove,
    stay_weight,
)
from partita.kernels.mixture_linear import PriorArrays, squared_distance

__all__ = ["BOTH", "ONE", "OTHER", "propose"]

# Odds of exp(so much) are certainty, and still a number.
FARTHEST = 700.0
# Slots of a pair, and how many. Each plain number would be a type of its own, for which numba compiles what takes it.
ONE: Any = np.int64(0)
OTHER: Any = np.int64(1)
BOTH: Any = np.int64(2)
SLOTS: Any = np.int64(3)


@njit(cache=True, nogil=True)
def _fill(X: Array, members: Ints, n: int, sides: Ints, pair: Clusters, prior: PriorArrays) -> None:
    """Slots 0 and 1 hold the items on their sides: the first n members, and then the two that were drawn."""
    for k in range(2):
        clear(pair, k, prior)
    for m in range(n + 2):
        add(X, members[m], pair, sides[m], prior)
    for k in range(2):
        factorize(pair, k)


@njit(cache=True, nogil=True)
def _scan(
    X: Array,
    members: Ints,
    n: int,
    sides: Ints,
    wanted: Ints,
    forced: bool,
    pair: Clusters,
    prior: PriorArrays,
    tables: Tables,
    rng: Rng,
) -> float:
    """A Gibbs update of each member's side, or with `forced` the one that leads to `wanted`; its log probability."""
    count, centre, whitener, log_det = pair.count, pair.centre, pair.whitener, pair.log_det
    kappa, freedom, join = prior.kappa, prior.freedom, tables.join
    log_q = 0.0
    for m in range(n):
        i, side = members[m], sides[m]
        other = 1 - side
        q = squared_distance(X, i, centre, whitener, side)
        stay = stay_weight(q, count[side], log_det[side], kappa, freedom, join)
        q = squared_distance(X, i, centre, whitener, other)
        move = join_weight(q, count[other], log_det[other], kappa, freedom, join)
        # The probability of moving, 1 / (1 + exp(stay - move)), and of what is done.
        gap = min(max(stay - move, -FARTHEST), FARTHEST)
        moves = wanted[m] != side if forced else rng.random() * (1.0 + math.exp(gap)) < 1.0
        log_q -= math.log(1.0 + math.exp(gap if moves else -gap))
        if moves:
            remove(X, i, pair, side, prior)
            add(X, i, pair, other, prior)
            sides[m] = other
            if not (factorize(pair, side) and factorize(pair, other)):
                _fill(X, members, n, sides, pair, prior)
    return log_q


@njit(cache=True, nogil=True)
def propose(
    X: Array,
    labels: Ints,
    alpha: float,
    scans: int,
    prior: PriorArrays,
    tables: Tables,
    members: Ints,
    rng: Rng,
) -> Any:
    """Return one proposal for N >= 2 items, labels being any numbers.

    `members` has room for N items. Returns what was decided, the two labels in it (equal for a split), the items that
    are to leave (in `members`, so many), and the clusters that the two sides make:

    decision 0: nothing; 1: the listed items leave their cluster for a new one, slot 1; 2: they join the other, slot 2.
    """
    N, d = X.shape
    first = int(rng.random() * N)
    second = int(rng.random() * (N - 1))
    if second >= first:
        second += 1
    own, other = labels[first], labels[second]
    n: Any = np.int64(0)
    for i in range(N):
        if (labels[i] == own or labels[i] == other) and i != first and i != second:
            members[n] = i
            n += 1
    members[n], members[n + 1] = first, second
    sides = np.empty(n + 2, dtype=np.int64)
    wanted = np.empty(n, dtype=np.int64)
    for m in range(n):
        wanted[m] = 0 if labels[members[m]] == own else 1
        sides[m] = 1 if rng.random() < 0.5 else 0
    sides[n], sides[n + 1] = 0, 1
    pair = empty_clusters(SLOTS, d)
    _fill(X, members, n, sides, pair, prior)
    merges = own != other
    log_q = 0.0
    for scan in range(scans + 1):
        log_q = _scan(X, members, n, sides, wanted, merges and scan == scans, pair, prior, tables, rng)
    clear(pair, BOTH, prior)
    for m in range(n + 2):
        add(X, members[m], pair, BOTH, prior)
    factorize(pair, BOTH)
    a, b = pair.count[0], pair.count[1]
    # [jain2004]: prior and marginal likelihood of two clusters over those of one.
    split = math.log(alpha) + math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    split += log_marginal(pair, ONE, prior, tables) + log_marginal(pair, OTHER, prior, tables)
    split -= log_marginal(pair, BOTH, prior, tables)
    accepted = math.log(1.0 - rng.random()) < (log_q - split if merges else split - log_q)
    if not accepted:
        return 0, own, other, 0, pair
    leaving = 0
    for m in range(n + 2):
        if sides[m] == 1:
            members[leaving] = members[m]
            leaving += 1
    return (2 if merges else 1), own, other, leaving, pair
