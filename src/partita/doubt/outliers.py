"""Which items belong to no cluster: a uniform background beneath everything else, its share found without a model.

Items are a mixture of clusters, of any shape, and of a uniform background over the box that they fill. Where an item
lies, the density of all items is f(x) and that of the background e / V, so it belongs to the background with
probability e / (V f(x)). Both are found by comparison with M points drawn uniformly from the box, the reference:

- score: minus the logarithm of the distance to the k-th nearest item, of items and of reference points alike;
- V f as a function of the score: items against reference points by isotonic regression, since denser is higher;
- the share e: the least ratio of items to reference points among those of the lowest scores, as the share of true
  null hypotheses is estimated from p-values [storey2002], [blanchard2010], each ratio with three standard errors
  added so that the least of many is not too small. It is taken for k and for half of it: thin gaps are seen by few
  neighbours.

The share is an upper bound, and of few items a large one: where fewer than nine lie in the emptier half of the box
nothing is said of a background. A table in which every row comes as often is that table once.

Nothing is assumed of the clusters, but for one thing. In few dimensions items fill their box, and the tails of a
hundred of them look like a background; those of fewer do so in more. So there it is compared with other descriptions of
the items (`partita.doubt.rivals`), and the odds that there is one at all are what it adds to their likelihood. Where
two thirds of all would be background nothing is said, nor where it keeps away from the other items, as a sparse cluster
beside a dense one does. The box may lie along other axes than the columns, and in the plane the background may lie in
the hull of the items (`partita.doubt.regions`), as that of a map at an angle does.

A column of few values was rounded, and its items are spread over the intervals that were: the distances between rounded
items are few. A rating scale, of ten values at most, may have any distribution within a cluster. A column of many
values whose least or largest comes again and again, as the zeros of amounts and the ends of a clipped range do, says
nothing of a background: many of its items lie in a face of the box, where hardly any uniform ones do.

Rows of one length, as embeddings have, lie on a sphere and fill no box: their background is uniform on the sphere. In
many columns distances vary little, so that few neighbours tell the density, and small clusters are none of the
background. Where it has hardly an item there, and columns are many, it is uniform across the direction that all rows
have in common, and then across the one of those that belong nowhere by that.

Fewer than ten items that lie three times as far from their neighbours as all others (`partita.affinity.far`) are no
cluster and no background either: they are outliers whatever the model of the background says.

Cost: N + M queries for k neighbours among at most 5,000 items, and mixtures of at most 5,000; nothing N x N.

[storey2002] A direct approach to false discovery rates. JRSS B 64.
[blanchard2010] Blanchard, Lee, Scott: Semi-supervised novelty detection. JMLR 11.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import ks_2samp
from sklearn.isotonic import IsotonicRegression
from sklearn.neighbors import NearestNeighbors

from partita.affinity.far import JUMP, NEIGHBORS, come_often, far_items
from partita.arrays import Array
from partita.doubt.regions import Region, regions_of
from partita.doubt.rivals import SCALE, log_odds_of_background

__all__ = [
    "COMMON",
    "FEWEST_ITEMS",
    "HARDLY",
    "IF_FAR",
    "REFERENCE",
    "background_probability",
    "counts_of",
    "density_ratio",
    "far_rows",
    "off_the_sphere",
    "on_the_sphere",
    "probability_of_new",
]


# Items among which neighbours are sought and that say whether there is a background, and points of the reference.
SAMPLE, REFERENCE = 5_000, 10_000
# Neighbours are half the square root of the number of items, and so many at least.
FEWEST_NEIGHBORS = 6
# Values of a column, as a share of the items, below which they were rounded.
ROUNDED = 0.1
# How far the lengths of rows on a sphere may be from the usual one, as a share of it (half-precision numbers are), and
# the share of rows that may be elsewhere.
ALIKE, ASTRAY = 2e-3, 0.01
# Columns from which on a background may have the direction that all have in common: in fewer, loose clusters are no
# less than that; and the share of the items below which it has hardly one on the whole sphere.
COMMON, HARDLY = 32, 0.01
# Share by which new ones are of another length, and of a length that is rounding.
LONGER, ROUNDING = 0.1, 1e-6
# Items below which nothing is said.
FEWEST_ITEMS = 20
# Standard errors that are added to a ratio; the least share of the reference that one is taken of, and the items that
# lie there if all are evenly spread: the emptiest place of few items is empty by chance. A tenth is enough.
ERRORS, LEAST_REFERENCE, ITEMS_THERE, ENOUGH = 3.0, 0.02, 100.0, 0.1
# Items in the emptier half of the box, of fewer than which there is no telling a background from the tails of clusters.
FEWEST_BEYOND = 9.0
# Dimensions that count as few; and those that do so among few items, with their number.
FEW_DIMENSIONS = 5
FEW_DIMENSIONS_OF_FEW, FEW_ITEMS = 12, 400
# Rating scales in which descriptions of the items are compared at most: it takes time by the cube of their number.
MOST_SCALES = 100
# Where more than this share would belong to no cluster, expected or more likely than not, the items are not denser
# anywhere than their box.
MOST = 2 / 3
# How many fewer scattered items than points of the reference are near to clusters, as a share, where they are none of a
# background, and the probability that this is chance.
ASIDE, CHANCE = 0.1, 1e-3
# Probability that an item which lies far from all others is an outlier.
IF_FAR = 0.99
# A new item is far from all fitted ones where not one in so many of them would be as far, and its distance is larger
# by this share at least.
ONE_IN, LEAST_JUMP = 1_000, 1e-6


def background_probability(
    X: Array,
    labels: NDArray[np.int64] | None,
    *,
    weights: Array | None = None,
    seed: int = 0,
    reference: Array | None = None,
) -> Array:
    """Return the probability of each item that it belongs to no cluster.

    Parameters
    ----------
    X : N x d array
        Numbers in units in which Euclidean distances mean something.
    labels : array of N, optional
        None for the probability if there is a background, whatever the clusters: tails of clusters may look like one.
    weights : array of N, optional
        A weight of two is the same as giving the item twice (but for the places at which copies of a rounded item are
        put); zero the same as leaving it out.
    seed : int
    reference : M x d array, optional
        Points drawn from the background, uniformly where items may lie (`on_the_sphere`); in the box by default.

    Returns
    -------
    array of N in [0, 1]

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(size=(300, 2)), rng.uniform(-20, 20, size=(100, 2))])
    >>> p = background_probability(X, np.zeros(400, dtype=np.int64))
    >>> float((p[:300] > 0.5).mean()) < 0.05, float((p[300:] > 0.5).mean()) > 0.9
    (True, True)
    """
    w = counts_of(weights, len(X))
    distinct, first, place = np.unique(X, axis=0, return_index=True, return_inverse=True)
    copies = np.bincount(place.ravel(), w, len(distinct))
    if (copies == np.rint(copies)).all() and (n_times := int(np.gcd.reduce(copies.astype(np.int64)))) > 1:
        once = copies / n_times  # a table that is given twice says no more than once
        own = None if labels is None else labels[first]
        p = background_probability(distinct, own, weights=once, seed=seed, reference=reference)
        return p[place.ravel()]
    seen = np.flatnonzero(w > 0)
    total = float(w.sum())
    if total < FEWEST_ITEMS:
        return np.zeros(len(X))
    varies = X.min(axis=0) < X.max(axis=0)
    R = reference
    if varies.any():  # a column of one value tells nothing
        X, R = X[:, varies], None if R is None else R[:, varies]
    rng = np.random.default_rng(seed)
    says = np.array([not _comes_again(column, w[seen]) for column in X[seen].T])
    R = None if R is None else R[:, says]
    far = seen[far_rows(X[seen], w[seen], seed=seed)]
    near = w.copy()
    near[far] = 0.0  # one that is far from all others would stretch the box
    p = _of_background(X[:, says], labels, near, rng, seed, R) if says.any() else np.zeros(len(X))
    p[far] = np.maximum(p[far], IF_FAR)
    return p


def far_rows(X: Array, w: Array, *, seed: Any = 0) -> NDArray[np.bool_]:
    """Return which rows lie far from all others (`partita.affinity.far`), those that come often left out.

    Parameters
    ----------
    X : N x d array
    w : array of N, positive
        How often each row comes.
    seed : int or Generator
        Of the sample among which many rows have their neighbours looked for.

    Examples
    --------
    >>> X = np.r_[np.random.default_rng(0).normal(size=(60, 2)), [[90.0, 0.0]]]
    >>> np.flatnonzero(far_rows(X, np.ones(61))).tolist()
    [60]
    """
    rows, row = np.unique(X, axis=0, return_inverse=True)
    if len(rows) <= NEIGHBORS:
        return np.zeros(len(X), dtype=bool)
    often = come_often(np.bincount(row.ravel(), w).astype(np.float64))
    return np.asarray((far_items(*_reach(rows, np.random.default_rng(seed))) & ~often)[row.ravel()])


def probability_of_new(X: Array, outlier: Array, Y: Array, *, weights: Array | None = None, seed: int = 0) -> Array:
    """Return the probability of each new item that it belongs to no cluster.

    It is that of the fitted items which have their k-th neighbour among them at the same distance, and .99 where not
    one in a thousand of those that belong to a cluster would have it as far. Of a thousand items and more that is
    beyond the farthest of them; of fewer, n, a distance larger than there by (r / r_10)^log10(1000 / n), as where tails
    fall exponentially, r and r_10 those of the farthest and of the tenth farthest, or three times as large. k is half
    the square root of their number, and 10 at least. Zero where there are ten fitted items or fewer.

    Parameters
    ----------
    X : N x d array
        Fitted items.
    outlier : array of N in [0, 1]
        `background_probability` of these.
    Y : M x d array
        New items.
    weights : array of N, optional
    seed : int

    Returns
    -------
    array of M in [0, 1]

    Cost: N + M queries for k neighbours among at most 5,000 items.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> probability_of_new(X, np.zeros(300), np.array([[0.0, 0.0], [30.0, 0.0]])).tolist()
    [0.0, 0.99]
    """
    if len(X) <= NEIGHBORS:
        return np.zeros(len(Y))
    w, rng = counts_of(weights, len(X)), np.random.default_rng(seed)
    k = max(NEIGHBORS, round(min(float(w.sum()), SAMPLE) ** 0.5 / 2))
    ((score, of_new),) = _scores(X, Y, w, [k], rng)
    falling = IsotonicRegression(y_min=0.0, y_max=1.0, increasing=False, out_of_bounds="clip")
    p = np.asarray(falling.fit(score, outlier, sample_weight=w).predict(of_new))
    member = (outlier <= 0.5) & (w > 0)
    if member.any():
        farthest, tenth = _farthest(score[member], w[member])
        further = max(0.0, np.log10(ONE_IN / w[member].sum())) * (tenth - farthest)
        far = of_new < farthest - np.clip(further, LEAST_JUMP, np.log(JUMP))
        p[far] = np.maximum(p[far], IF_FAR)
    return p


def _farthest(scores: Array, weights: Array) -> tuple[float, float]:
    """The least score, and that of the tenth item from there, by weight."""
    order = np.argsort(scores, kind="stable")
    tenth = min(int(np.searchsorted(np.cumsum(weights[order]), NEIGHBORS)), len(order) - 1)
    return float(scores[order[0]]), float(scores[order[tenth]])


def on_the_sphere(X: Array, weights: Array | None = None, seed: int = 0, *, about: Array | None = None) -> Array | None:
    """Return points drawn uniformly from the sphere on which rows lie, as embeddings of unit length do.

    With weights of rows to be `about`, points are as far along the mean of the rows as rows are, by these weights, and
    uniform across it: embeddings have a direction in common, and so have those that belong nowhere.

    None where more than one row in a hundred lies elsewhere, by weight and but for rows of zeros, in few dimensions,
    and where no number is negative: such rows lie near the faces of their part of the sphere, where hardly any uniform
    ones do.

    >>> X = np.random.default_rng(0).normal(size=(50, 8))
    >>> on_the_sphere(X) is None, on_the_sphere(X / np.linalg.norm(X, axis=1)[:, None]).shape
    (True, (10000, 8))
    """
    usual = _radius(X, weights)
    if usual is None:
        return None
    rng = np.random.default_rng(seed)
    R = rng.normal(size=(REFERENCE, X.shape[1]))
    if about is None:
        return np.asarray(R * (usual / np.linalg.norm(R, axis=1))[:, None])
    common = about @ X
    common /= max(float(np.linalg.norm(common)), np.finfo(float).tiny)
    along = np.clip(rng.choice(X @ common, REFERENCE, p=about / about.sum()), -usual, usual)
    R -= np.outer(R @ common, common)
    R *= (np.sqrt(usual**2 - along**2) / np.linalg.norm(R, axis=1))[:, None]
    return np.asarray(R + np.outer(along, common))


def off_the_sphere(X: Array, Y: Array, weights: Array | None = None) -> NDArray[np.bool_]:
    """Return which new items are shorter or longer by more than a tenth than fitted ones that lie on a sphere: rows of
    zeros, as texts without words are embedded. None are where these lie elsewhere.

    >>> X = np.random.default_rng(0).normal(size=(50, 8))
    >>> X /= np.linalg.norm(X, axis=1)[:, None]
    >>> off_the_sphere(X, np.vstack([X[:2], 0 * X[:1]])).tolist()
    [False, False, True]
    """
    usual = _radius(X, weights)
    return np.zeros(len(Y), dtype=bool) if usual is None else np.abs(np.linalg.norm(Y, axis=1) - usual) > LONGER * usual


def _radius(X: Array, weights: Array | None) -> float | None:
    """The length that rows of a sphere have; see `on_the_sphere`."""
    length = np.linalg.norm(X, axis=1)
    w = np.where(length > 0, 1.0 if weights is None else weights, 0.0)
    if X.shape[1] <= FEW_DIMENSIONS or not w.any() or X.min() >= -ROUNDING * length.max():
        return None
    usual = float(np.median(length[w > 0]))
    return usual if np.average(np.abs(length - usual) > ALIKE * usual, weights=w) <= ASTRAY else None


def _of_background(
    X: Array, labels: NDArray[np.int64] | None, w: Array, rng: np.random.Generator, seed: int, R: Array | None
) -> Array:
    """The probability of each item to be of a uniform background."""
    seen = np.flatnonzero(w > 0)
    total = float(w.sum())
    X, scales = _unrounded(X, seen, total, np.random.default_rng(seed))
    own, copies = seen, w[seen]
    if len(seen) > SAMPLE:
        own = np.random.default_rng(seed).choice(seen, SAMPLE, replace=False, p=w[seen] / total)
        copies = np.ones(SAMPLE)
    few = FEW_DIMENSIONS_OF_FEW if total < FEW_ITEMS else FEW_DIMENSIONS
    tails_look_like_one = X.shape[1] <= few or (X.shape[1] <= MOST_SCALES and scales.all())
    regions = regions_of(X, own) if R is None and not scales.any() else [Region(X)]
    chosen, there_is_one = regions[-1], 1.0
    if tails_look_like_one and labels is not None:
        odds = [
            log_odds_of_background(r.X[own], labels[own], copies, scales[: r.X.shape[1]], filled=r.filled) - r.price
            for r in regions
        ]
        best = int(np.argmax(odds))
        chosen, there_is_one = regions[best], float(expit(odds[best]))
    X = chosen.X
    k, of_box = FEWEST_NEIGHBORS, R is None
    if R is None:
        k = max(k, round(min(total, SAMPLE) ** 0.5 / 2))
        R = chosen.drawn(REFERENCE, seen, rng)
    scores, share = [], np.inf
    for score, of_reference in _scores(X, R, w, [k // 2, k], rng):
        share = min(share, _background_share(score[seen], w[seen], of_reference))
        scores.append((score, of_reference))
    score, of_reference = scores[-1]
    if w[seen] @ (score[seen] < np.median(of_reference)) < FEWEST_BEYOND:
        return np.zeros(len(X))
    ratio = density_ratio(score, w, of_reference)
    p = np.asarray(share / np.maximum(ratio, share))
    if max(w @ p, w @ (p > 0.5)) > MOST * total or (of_box and _lie_aside(X, p > 0.5, score, R, of_reference, w)):
        return np.zeros(len(X))
    return there_is_one * p


def _lie_aside(X: Array, scattered: NDArray[np.bool_], score: Array, R: Array, of_reference: Array, w: Array) -> bool:
    """Whether scattered items keep away from the others, as those of a sparse cluster beside a dense one do.

    A background lies all around clusters. Of items that keep away fewer are near to the others than of the reference.

    Points of the reference are compared whose score is that of scattered items, by the Kolmogorov-Smirnov test, to one
    side: tails of clusters are nearer. The others are a sample of those that are not scattered.
    """
    own, others = (np.unique(X[which & (w > 0)], axis=0) for which in (scattered, ~scattered))
    if not len(own) or not len(others):
        return False
    search = NearestNeighbors(n_neighbors=1).fit(others[:: max(1, len(others) // SAMPLE)])
    alike = R[of_reference <= score[scattered].max()]
    of_own, of_alike = (search.kneighbors(Y)[0][:, 0] for Y in (own[:: max(1, len(own) // SAMPLE)], alike))
    found = ks_2samp(of_own, of_alike, alternative="less", method="asymp")
    return bool(found.statistic >= ASIDE and found.pvalue < CHANCE)


def _unrounded(
    X: Array, seen: NDArray[np.intp], total: float, rng: np.random.Generator
) -> tuple[Array, NDArray[np.bool_]]:
    """Items whose columns of few values are spread over the intervals that were rounded to these, and which columns are
    rating scales.

    Distances between rounded items are few, and zero between many: that a cell of a lattice is rare or at the end says
    as much of an item as that its neighbours are far.
    """
    Y, scales = np.array(X, dtype=np.float64), np.zeros(X.shape[1], dtype=bool)
    order = np.lexsort(X.T)  # whatever the order of the rows
    for j in range(X.shape[1]):
        values = np.unique(X[seen, j])
        if 1 < len(values) < ROUNDED * total:
            Y[order, j] += np.median(np.diff(values)) * rng.uniform(-0.5, 0.5, len(X))
            scales[j] = len(values) <= SCALE
    return Y, scales


def _comes_again(column: Array, w: Array) -> bool:
    """Tell whether the least or the largest of many values comes again and again."""
    values, which = np.unique(column, return_inverse=True)
    often = come_often(np.bincount(which, w).astype(np.float64))
    return len(values) >= ROUNDED * float(w.sum()) and bool(often[0] or often[-1])


def counts_of(weights: Array | None, n: int) -> Array:
    """Weights as numbers of copies: as they are where they are whole, otherwise with mean 1."""
    if weights is None:
        return np.ones(n)
    w = np.asarray(weights, dtype=np.float64)
    return w if (w == np.rint(w)).all() else w * (np.count_nonzero(w) / w.sum())


def _scores(X: Array, R: Array, w: Array, ks: list[int], rng: np.random.Generator) -> list[tuple[Array, Array]]:
    """For each k the scores of the items and of the reference; an item is not its own neighbour."""
    tree, copies = np.flatnonzero(w > 0), w
    if len(tree) > SAMPLE:
        tree, copies = rng.choice(len(X), SAMPLE, replace=False, p=w / w.sum()), np.ones(len(X))
    search = NearestNeighbors(n_neighbors=min(ks[-1] + 1, len(tree))).fit(X[tree])
    far, index = search.kneighbors(X)
    far_R, index_R = search.kneighbors(R)
    among = np.zeros(len(X), dtype=bool)
    among[tree] = True
    held, held_R = (np.cumsum(copies[tree][i], axis=1) for i in (index, index_R))
    out = []
    for k in ks:
        need = np.where(among, k + 1, k)
        out.append((_nearness(far, held, need), _nearness(far_R, held_R, np.full(len(R), k))))
    return out


def _reach(rows: Array, rng: np.random.Generator) -> tuple[Array, NDArray[np.intp]]:
    """Distance of each of several rows that differ to its `NEIGHBORS`-th closest other one, and which the closest are.

    Of many rows among a sample.
    """
    tree = np.arange(len(rows))
    if len(rows) > SAMPLE:
        tree = rng.choice(len(rows), SAMPLE, replace=False)
    distance, index = NearestNeighbors(n_neighbors=NEIGHBORS + 1).fit(rows[tree]).kneighbors(rows)
    own = np.isin(np.arange(len(rows)), tree)[:, None]  # the closest one of these is the row itself
    return np.where(own[:, 0], distance[:, -1], distance[:, -2]), tree[np.where(own, index[:, 1:], index[:, :-1])]


def _nearness(distance: Array, held: Array, need: Array) -> Array:
    """Minus the logarithm of the distance within which the neighbours hold as many copies as needed."""
    at = np.minimum((held < need[:, None] - 0.5).sum(axis=1), distance.shape[1] - 1)
    reach = distance[np.arange(len(distance)), at]
    return np.asarray(-np.log(np.maximum(reach, np.finfo(float).tiny)))


def _background_share(score: Array, w: Array, of_reference: Array) -> float:
    """The least ratio of items to reference points among those of the lowest scores, and its standard errors."""
    order = np.argsort(score, kind="stable")
    below = np.searchsorted(score[order], np.sort(of_reference), side="right")
    count = np.concatenate([[0.0], np.cumsum(w[order])])[below]
    points = np.arange(1, len(of_reference) + 1)
    share = points / len(of_reference)
    error = np.sqrt(1 / (count + 1) + 1 / points)  # of the logarithm of the ratio; an empty gap has one too
    bound = (count + 1) * (1 + ERRORS * error) / (share * w.sum())
    least = max(LEAST_REFERENCE, min(ENOUGH, ITEMS_THERE / float(w.sum())))
    return float(bound[share >= least].min())


def density_ratio(score: Array, w: Array, of_reference: Array) -> Array:
    """Return the density of the items over that of the reference, a rising function of the score."""
    n, m = len(score), len(of_reference)
    is_item = np.repeat([1.0, 0.0], [n, m])
    weight = np.concatenate([w / w.sum(), np.full(m, 1.0 / m)])
    rising = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    p = rising.fit(np.concatenate([score, of_reference]), is_item, sample_weight=weight).predict(score)
    with np.errstate(divide="ignore"):
        return np.asarray(p / (1.0 - p))
