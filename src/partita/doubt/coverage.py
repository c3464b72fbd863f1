"""Which labels can be relied on: the largest set of items, or of pairs, whose expected error is below a bound.

If item i's label is right with probability c_i, a set M has the expected error mean over M of 1 - c_i. The largest
set whose expected error is at most a bound takes items from the surest on, for as long as the mean allows: selective
classification with Bayes' rule [chow1970]. Of pairs that are said to be together it is the expected false discovery
rate, and the set is that of the largest posterior probabilities [mueller2004].

The promise is as good as the probabilities. Where these are the posterior of a density that fits, it holds on average
over data sets; where classes of people are not what the items cluster into, no method can promise anything about
them.

Cost: one sort of N numbers.

[chow1970] On optimum recognition error and reject tradeoff. IEEE Transactions on Information Theory 16.
[mueller2004] Müller, Parmigiani, Robert, Rousseau: Optimal sample size for multiple testing. JASA 99.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from scipy.special import expit

from partita.arrays import Array, Labels
from partita.errors import InputError
from partita.wording import Printed

__all__ = [
    "ConfidentItems",
    "ConfidentPairs",
    "certainty_by_agreement",
    "certainty_of_labels",
    "confident_items",
    "confident_pairs",
    "divided",
    "require_share",
]


# What `error` is.
WRONG = "a share of wrong answers"
# Difference of two shares that is rounding.
UNWEIGHTED = 1e-9
# Pairs on which the threshold of a probability is found.
PAIRS = 1_000_000
# lambda, a, b and c of `certainty_by_agreement`, what takes the place of the fraction where there is one cluster, e, f
# and g; and the depth, in nats, from which on a valley is as deep as any.
BY_AGREEMENT, ONE, DIVIDED, DEEP = (0.69, -0.27, 1.80, 3.59), 0.94, (-0.43, 0.29, 2.44), 4.0


@dataclass(frozen=True, eq=False, repr=False)
class ConfidentItems(Printed):
    """Items whose labels are expected to be wrong in at most a given share.

    Attributes
    ----------
    mask : array of N bool
    error : float
        The share asked for.
    expected_error : float in [0, 1]
        Expected share of wrong labels among them; 0 where there are none.
    standard_error : float
        Of that share, were each item wrong by a toss of its own: what it varies by if the probabilities are right.
    coverage : float in [0, 1]
        Share of all items (by weight) that they are.
    """

    mask: NDArray[np.bool_]
    error: float
    expected_error: float
    standard_error: float
    coverage: float

    def __str__(self) -> str:
        n, spread = int(self.mask.sum()), self.standard_error
        if not n:
            return f"there is no set of items of which at most {self.error:.1%} would be wrong"
        by_weight = " by weight" * (abs(n / len(self.mask) - self.coverage) > UNWEIGHTED)
        return (
            f"{n:,} of {len(self.mask):,} items ({self.coverage:.0%}{by_weight}): {self.expected_error:.1%} of their "
            f"labels are expected to be wrong, give or take {spread:.1%}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class ConfidentPairs(Printed):
    """Pairs of items that are said to be together, of which at most a given share is expected to be apart.

    Attributes
    ----------
    threshold : float
        Probability from which on a pair is said to be together; above 1 where no pair can be.
    error : float
    expected_error : float in [0, 1]
        Expected share of false claims, the false discovery rate.
    coverage : float in [0, 1]
        Share of the pairs with one label that are claimed.
    """

    threshold: float
    error: float
    expected_error: float
    coverage: float
    _membership: Array

    def __str__(self) -> str:
        if self.coverage == 0.0:
            return f"no pair can be said to be together with at most {self.error:.1%} of such pairs apart"
        return (
            f"pairs with a probability of {self.threshold:.2f} or more ({self.coverage:.0%} of those with one label): "
            f"{self.expected_error:.1%} of them are expected to be apart"
        )

    def together(self, i: ArrayLike, j: ArrayLike) -> NDArray[np.bool_]:
        """Tell whether items i and j (numbers or arrays of numbers) are said to be together."""
        W = self._membership
        return np.asarray((W[np.asarray(i)] * W[np.asarray(j)]).sum(axis=-1) >= self.threshold)


def require_share(name: str, value: Any, what: str) -> float:
    """Return a number in [0, 1].

    Raises
    ------
    InputError
        For anything else, naming what was expected.
    """
    if not isinstance(value, float | int | np.number) or not 0.0 <= value <= 1.0:
        raise InputError(f"{name}={value!r}: expected {what} in [0, 1], as .05")
    return float(value)


def confident_items(certainty: Array, error: float = 0.05, *, weights: Array | None = None) -> ConfidentItems:
    """Return the largest set of items whose labels are expected to be wrong in at most a share of `error`.

    Parameters
    ----------
    certainty : array of N in [0, 1]
        Probability that each item's label is right.
    error : float in [0, 1]
    weights : array of N, optional
        Items of weight zero are not among the set: nothing was learned from them.

    Raises
    ------
    InputError

    Examples
    --------
    >>> found = confident_items(np.array([1.0, 0.98, 0.9, 0.5]), error=0.05)
    >>> found.mask.tolist(), round(found.expected_error, 3)
    ([True, True, True, False], 0.04)
    """
    w = np.ones(len(certainty)) if weights is None else np.asarray(weights, dtype=np.float64)
    wrong = np.clip(1.0 - np.asarray(certainty, dtype=np.float64), 0.0, 1.0)
    order = np.argsort(wrong, kind="stable")
    held = np.cumsum(w[order])
    mean = np.cumsum((w * wrong)[order]) / np.maximum(held, np.finfo(float).tiny)
    n = int((mean <= require_share("error", error, WRONG) + np.finfo(float).eps).sum())
    mask = np.zeros(len(wrong), dtype=bool)
    mask[order[:n]] = w[order[:n]] > 0
    total = float(w[mask].sum())
    if total == 0.0:
        return ConfidentItems(np.zeros(len(wrong), dtype=bool), error, 0.0, 0.0, 0.0)
    variance = float((w[mask] ** 2 * wrong[mask] * (1.0 - wrong[mask])).sum())
    return ConfidentItems(mask, error, float(mean[n - 1]), variance**0.5 / total, total / float(w.sum()))


def confident_pairs(membership: Array, labels: Labels, error: float = 0.05, *, seed: int = 0) -> ConfidentPairs:
    """Return the pairs that can be said to be together at a false discovery rate of `error`.

    Two items are together with the probability w_i . w_j. Pairs with one label are asked; where there are more than a
    million, the threshold is found on so many drawn at random.

    Parameters
    ----------
    membership : N x K array, nonnegative
        Rows on the simplex, or of a smaller sum where an item may be in none of the clusters.
    labels : array of N
    error : float in [0, 1]
    seed : int

    Raises
    ------
    InputError

    Examples
    --------
    >>> W = np.array([[1.0, 0.0], [0.9, 0.1], [0.5, 0.5], [0.0, 1.0], [0.0, 1.0]])
    >>> found = confident_pairs(W, np.array([0, 0, 0, 1, 1]), error=0.1)
    >>> round(found.threshold, 2), bool(found.together(0, 1)), bool(found.together(0, 2))
    (0.9, True, False)
    """
    require_share("error", error, WRONG)
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels)
    start = np.cumsum(sizes) - sizes
    of_cluster = sizes * (sizes - 1) // 2
    if of_cluster.sum() <= PAIRS:
        i, j = (np.concatenate(side) for side in zip(*(_all_pairs(n, at) for n, at in zip(sizes, start, strict=True))))
    else:
        rng = np.random.default_rng(seed)
        k = rng.choice(len(sizes), PAIRS, p=of_cluster / of_cluster.sum())
        i = rng.integers(0, sizes[k])
        j = (i + rng.integers(1, sizes[k])) % sizes[k]
        i, j = start[k] + i, start[k] + j
    if not len(i):
        return ConfidentPairs(np.inf, error, 0.0, 0.0, membership)
    W = membership[order]
    p = np.sort((W[i] * W[j]).sum(axis=1))[::-1]
    mean = np.cumsum(1.0 - p) / np.arange(1, len(p) + 1)
    n = int((mean <= error + np.finfo(float).eps).sum())
    if not n:
        return ConfidentPairs(np.inf, error, 0.0, 0.0, membership)
    return ConfidentPairs(float(p[n - 1]), error, float(max(mean[n - 1], 0.0)), n / len(p), membership)


def _all_pairs(n: int, at: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    i, j = np.triu_indices(int(n), 1)
    return i + at, j + at


def certainty_by_agreement(
    certainty: Array,
    agreement: float | None,
    sure: float = 1.0,
    of_one: Array | float = 1.0,
    depth: Array | float = 0.0,
) -> Array:
    """Return certainties of labels at a number of clusters that was found, given how far it can be believed.

    A posterior over numbers of clusters knows nothing of clusters that every method joins, or cuts alike. How far
    methods agree at the answer, and how probable its number is, tell how far it can be believed, and so does a cluster
    whose items a mixture describes best by several components: they may be clusters of their own, more likely so the
    shallower the valleys between them, and the less methods agree on those that there are. The probability that a label
    is right is

        (lambda p + (1 - lambda) / (1 + exp(-(a + b agreement + c sure)))) (1 - delta (1 - q)),
        delta = 1 / (1 + exp(-(e - f min(depth, 4) - g agreement))),

    and where the answer is one cluster a constant takes the place of the fraction with the agreement, which is 0 then
    in delta. The constants maximise the likelihood of labels on drawn sets of 19 families and of mixtures, whose
    clusters are known, and were judged on others (`python benchmarks/doubt.py --only agreement`).

    Parameters
    ----------
    certainty : array of N in [0, 1]
        p, by memberships and by the probabilities of other numbers of clusters.
    agreement : float or None
        Mean adjusted Rand index of the methods with each other at the answer's number; None of one cluster.
    sure : float in [0, 1]
        The probability of the answer's number.
    of_one : array of N in [0, 1], or one
        q, the probability that another item of the same cluster is of the same component
        (`partita.calibration.components_within`).
    depth : array of N, nonnegative, or zero
        How far the log-density falls between the components of an item's cluster, in nats.

    Returns
    -------
    array of N in [0, 1]

    Examples
    --------
    >>> certainty_by_agreement(np.array([0.5, 1.0]), 1.0).round(2).tolist()
    [0.65, 1.0]
    >>> certainty_by_agreement(np.array([0.5, 1.0]), 0.5, sure=0.3).round(2).tolist()
    [0.61, 0.95]
    """
    own, least, slope, of_number = BY_AGREEMENT
    allowed = ONE if agreement is None else expit(least + slope * agreement + of_number * sure)
    believed = own * certainty + (1.0 - own) * allowed
    return np.asarray(believed * (1.0 - divided(depth, agreement) * (1.0 - np.asarray(of_one))))


def divided(depth: Array | float, agreement: float | None) -> Array:
    """Return the probability that the components of a cluster are clusters of their own: by the valleys between them,
    and by how far methods agree on the clusters that were found; None where this is one.

    >>> [round(float(divided(depth, agreement)), 2) for depth, agreement in ((0.0, 0.5), (0.0, 1.0), (4.0, 1.0))]
    [0.16, 0.05, 0.02]
    """
    flat, slope, agreed = DIVIDED
    return np.asarray(expit(flat - slope * np.minimum(depth, DEEP) - agreed * (agreement or 0.0)))


def certainty_of_labels(
    labels: Labels, others: list[tuple[float, Labels | int]], n_clusters: int, weights: Array | None = None
) -> Array:
    """Return the probability of each item that other answers leave its label as it is.

    Parameters
    ----------
    labels : array of N
    others : list of pairs
        For each other answer, as that at another number of clusters, its probability and its labels, -1 where it says
        nothing of an item; or its number of clusters L, where its labels are not known: then as many items move as do
        where equal clusters are divided or joined, 1 - min(K, L) / max(K, L) of all.
    n_clusters : int
        K.
    weights : array of N, optional
        What each item counts. A cluster of another answer has the name of the cluster with which it shares most weight,
        and its other items move; where it shares as much with two, each of the two names counts half.

    Examples
    --------
    >>> labels = np.array([0, 0, 1, 1, 1])
    >>> certainty_of_labels(labels, [(0.2, np.array([0, 0, 1, 1, 2]))], 2).tolist()
    [1.0, 1.0, 1.0, 1.0, 0.8]
    >>> certainty_of_labels(labels, [(0.2, 4)], 2).tolist()
    [0.9, 0.9, 0.9, 0.9, 0.9]
    """
    moved = np.zeros(len(labels))
    weights = np.ones(len(labels)) if weights is None else weights
    for probability, other in others:
        if isinstance(other, int):
            moved += probability * (1.0 - min(n_clusters, other) / max(n_clusters, other))
        elif (other >= 0).any():
            moved += probability * _moved(other, labels, weights)
    return np.clip(1.0 - moved, 0.0, 1.0)


def _moved(other: Labels, labels: Labels, weights: Array) -> Array:
    """Share of the best ways to name the other clusters by these labels that give each item another label.

    Two ways are tried, which part where clusters have as much in common: clusters in the order of their first items,
    and in the reverse of it.
    """
    told = np.flatnonzero(other >= 0)
    own, theirs = _by_first_item(labels[told]), _by_first_item(other[told])
    shape = int(theirs.max()) + 1, int(own.max()) + 1
    table = np.bincount(theirs * shape[1] + own, weights[told], shape[0] * shape[1]).reshape(shape)
    shared = np.round(table / max(table.max(), np.finfo(float).tiny), 9)  # equal but for rounding is equal
    out = np.zeros(len(labels))
    for step in (1, -1):
        name = np.full(shape[0], -1)
        rows, columns = linear_sum_assignment(shared[::step, ::step], maximize=True)
        name[np.arange(shape[0])[::step][rows]] = np.arange(shape[1])[::step][columns]
        out[told] += (name[theirs] != own) / 2
    return out


def _by_first_item(labels: Labels) -> Labels:
    """The place of each item's cluster in the order of the clusters' first items."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    place = np.empty(len(first), dtype=np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    return np.asarray(place[inverse])
