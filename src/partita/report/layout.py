"""Places of the items on a map of the evidence.

Two groups of items are as far apart as the evidence between them falls short of that within them,

    d(A, B) = 1 - t(A, B) / sqrt(t(A, A) t(B, B)),    t(A, B) the mean affinity of two items, one of each,

and multidimensional scaling by SMACOF [deleeuw1977], begun at classical scaling [torgerson1952], puts the groups on a
plane. An item lies at the mean of their places, each weighted by the square of its mean affinity to the group; items
of a group make a disc, in the order of their affinities to landmarks of it [desilva2004]. Two eigenvectors would lay
most of many clusters on each other, and items that an ensemble never parts too.

Cost: one product of the affinity with as many columns as groups, and rows of a few hundred items for `kept`.

[desilva2004] V. de Silva, J. Tenenbaum, Sparse multidimensional scaling using landmark points (2004).
[deleeuw1977] J. de Leeuw, Applications of convex analysis to multidimensional scaling (1977).
[torgerson1952] W. Torgerson, Multidimensional scaling: I. Theory and method, Psychometrika 17 (1952).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree
from sklearn.manifold import smacof

from partita.affinity import Affinity
from partita.arrays import Array, Index, Labels
from partita.ensemble.units import frame_of
from partita.kernels.eigen import symmetric_eigen
from partita.plots.projection import project_features
from partita.report.nearest import cost_of_row
from partita.wording import percent

__all__ = ["Layout", "closeness", "lay_out", "neighbors_kept", "of_columns", "places", "trust_words", "within_groups"]


# Least distance of two groups, and up to how many are scaled, with how many steps: a step costs K^2.
LEAST, SCALED, STEPS, STEPS_OF_MANY, MANY = 0.15, 1000, 300, 50, 150
# Radius of a disc at most, as a share of the way to the nearest group; and the angle from one item to the next.
REACH, GOLDEN = 0.42, np.pi * (3 - np.sqrt(5))
# Nearest items by which a map is judged, items whose nearest are looked at, items among which, and rows at a time.
NEAREST, JUDGED, AMONG, BLOCK = 10, 200, 2000, 20
TINY = 1e-12
# Share of all items that are among the nearest, by ties, from which the evidence says nothing of who is near.
EVERY = 0.9
# Items up to which groups are arranged inside, landmarks of all groups together, and of each at least; and the
# multiplications that their rows may take.
ARRANGED, LANDMARKS, FEWEST, AFFORDABLE = 20_000, 300, 5, 3e9


@dataclass(frozen=True, eq=False)
class Layout:
    """Places of items, N x 2, NaN for those without evidence, what they mean, in sentences, and whether a step to the
    side is as long as one upwards.
    """

    points: Array
    says: str
    square: bool = True


def lay_out(close: Array, labels: Labels, affinity: Affinity | None, item_index: Index | None = None) -> Layout:
    """Return the layout of a clustering from the closeness of its items to its clusters, and from the affinity where it
    is at hand.

    >>> lay_out(np.eye(2)[[0, 0, 1]], np.array([0, 0, 1]), None).points.shape
    (3, 2)
    """
    inner = None if affinity is None else within_groups(affinity, labels, item_index)
    points = places(close, labels, inner)
    words = (
        "Clusters are closer to each other the more evidence there is that their items belong together, and an item "
        "lies between the clusters that it may belong to."
    )
    return Layout(points, f"{words} {trust_words(_judged(points, affinity, item_index))}".strip())


def of_columns(X: Array, columns: Sequence[str], affinity: Affinity | None, item_index: Index | None) -> Layout:
    """Return one or two columns as they are; of more the first two principal components, in the units that an ensemble
    sees.

    >>> rng = np.random.default_rng(0)
    >>> "each divided by" in of_columns(rng.normal(size=(20, 3)) * [1, 5000, 0.01], ["a", "b", "c"], None, None).says
    True
    """
    frame = frame_of(X) if X.shape[1] > 2 else None
    found = project_features(X if frame is None else frame(X), columns or [f"column {j}" for j in range(X.shape[1])])
    up = "; up and down means nothing" if found.meaningless_y else f", {found.ylabel} upwards"
    units = "" if frame is None or frame.common else ", of columns each divided by its own spread"
    words = f"Items lie where their columns put them: {found.xlabel} to the right{up}{units}."
    return Layout(found.points, f"{words} {trust_words(_judged(found.points, affinity, item_index))}".strip(), False)


def _judged(points: Array, affinity: Affinity | None, item_index: Index | None) -> tuple[float, float] | None:
    """How far a map is true to an affinity whose rows are cheap."""
    if affinity is None or affinity.foreign or cost_of_row(affinity) * JUDGED > AFFORDABLE:
        return None
    return neighbors_kept(points, affinity, item_index)


def closeness(affinity: Affinity, labels: Labels, item_index: Index | None = None) -> Array:
    """Return the mean affinity of each item to the other items of each group, N x K; NaN for items without a row.

    An item that is alone in its group is as close to it as to itself.

    >>> from partita.affinity import DenseAffinity
    >>> P = DenseAffinity(np.array([[1.0, 0.8, 0.0], [0.8, 1.0, 0.2], [0.0, 0.2, 1.0]]))
    >>> closeness(P, np.array([0, 0, 1])).round(3).tolist()
    [[0.8, 0.0], [0.8, 0.2], [0.1, 1.0]]
    """
    row = np.arange(len(labels)) if item_index is None else item_index
    seen = np.flatnonzero(row >= 0)
    counts = np.zeros((affinity.n_items, int(labels.max(initial=0)) + 1))
    np.add.at(counts, (row[seen], labels[seen]), 1.0)
    sums = np.asarray(affinity @ counts, dtype=np.float64)[row[seen]]
    own, diagonal = labels[seen], np.asarray(affinity.diagonal(), dtype=np.float64)[row[seen]]
    of = counts.sum(axis=0)
    each = np.arange(len(seen))
    alone = of[own] == 1
    sums[each, own] -= np.where(alone, 0.0, diagonal)
    others = np.broadcast_to(of, sums.shape).copy()
    others[each, own] -= np.where(alone, 0.0, 1.0)
    out = np.full((len(labels), len(of)), np.nan)
    out[seen] = np.maximum(sums / np.maximum(others, 1.0), 0.0)
    return out


def places(close: Array, labels: Labels, inner: Array | None = None) -> Array:
    """Return a point for each item, N x 2, from its closeness to each group and the group it is in.

    `inner` orders the items within a group; without, the surest are at one side.

    >>> found = places(np.eye(3)[[0, 0, 1, 2]], np.array([0, 0, 1, 2]))
    >>> len(np.unique(found, axis=0))
    4
    """
    seen = np.flatnonzero(np.isfinite(close).all(axis=1))
    C, own = close[seen], labels[seen]
    sizes = np.bincount(own, minlength=C.shape[1])
    between = np.zeros((len(sizes), len(sizes)))
    np.add.at(between, own, C)
    between /= np.maximum(sizes, 1)[:, None]
    within = np.maximum(np.diag(between), TINY)
    centres = _centres(np.clip((between + between.T) / 2 / np.sqrt(np.outer(within, within)), 0.0, 1.0))
    pull = (C / within) ** 2
    pull[pull.sum(axis=1) < TINY] = 1.0
    pull /= pull.sum(axis=1, keepdims=True)
    out = np.full((len(close), 2), np.nan)
    sure = pull[np.arange(len(seen)), own]
    within_group = np.column_stack([-sure, np.zeros(len(sure))]) if inner is None else inner[seen]
    out[seen] = pull @ centres + sure[:, None] * _discs(centres, own, sizes, within_group)
    return out


def neighbors_kept(points: Array, affinity: Affinity, item_index: Index | None = None) -> tuple[float, float] | None:
    """Return the share of the ten nearest items on the map that have as much affinity as the ten of the most, and that
    share of all items.

    Ties count as kept. None where nothing has affinity to others. Measured on at most 200 items among 2,000.
    """
    row = np.arange(len(points)) if item_index is None else item_index
    item = np.flatnonzero((row >= 0) & np.isfinite(points).all(axis=1))
    _, first = np.unique(row[item], return_index=True)  # copies of an item have no evidence of their own
    item = item[np.sort(first)]
    rng = np.random.default_rng(0)
    if len(item) > AMONG:
        item = np.sort(rng.choice(item, AMONG, replace=False))
    judged = rng.choice(len(item), min(JUDGED, len(item)), replace=False)
    k = min(NEAREST, len(item) - 1)
    if k < 1:
        return None
    blocks = np.array_split(row[item[judged]], -(-len(judged) // BLOCK))
    P = np.vstack([np.asarray(affinity.rows(rows), dtype=np.float64)[:, row[item]] for rows in blocks])
    P[np.arange(len(judged)), judged] = -np.inf
    least = np.maximum(np.partition(P, -k, axis=1)[:, -k], TINY) * (1 - 1e-9)
    _, near = cKDTree(points[item]).query(points[item[judged]], k=k + 1)
    other = near != judged[:, None]
    other[other.all(axis=1), -1] = False  # on the map others lie on it
    near = near[other].reshape(len(judged), k)
    known = np.flatnonzero((np.take_along_axis(P, P.argmax(axis=1)[:, None], axis=1) > TINY)[:, 0])
    if not len(known):
        return None
    good = least[:, None] <= P
    kept = np.take_along_axis(good, near, axis=1)[known].sum(axis=1) / np.minimum(k, good[known].sum(axis=1))
    chance = good[known].sum(axis=1) / (len(item) - 1)
    return float(np.minimum(kept, 1.0).mean()), float(chance.mean())


def trust_words(found: tuple[float, float] | None) -> str:
    """Return a sentence on how far a map can be trusted.

    >>> trust_words((0.8, 0.02))
    "Of an item's nearest neighbours on the map, 80% are also its nearest by the evidence (2% would be by chance)."
    """
    if found is None or found[1] > EVERY:
        return ""
    kept, chance = found
    return (
        f"Of an item's nearest neighbours on the map, {percent(kept)} are also its nearest by the evidence "
        f"({percent(chance)} would be by chance)."
    )


def _centres(similarity: Array) -> Array:
    """Places of groups, K x 2, about one apart."""
    K = len(similarity)
    if K > SCALED:
        rank = np.arange(K)
        spiral = np.column_stack([np.cos(rank * GOLDEN), np.sin(rank * GOLDEN)])
        return np.asarray(np.sqrt(rank)[:, None] * spiral)
    distance = np.maximum(1.0 - similarity, LEAST)
    np.fill_diagonal(distance, 0.0)
    if K < 3:
        return np.column_stack([distance[0], np.zeros(K)])
    squared = distance**2
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    values, vectors = symmetric_eigen(-centred / 2)
    plane = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], TINY))
    plane = plane * np.where(plane[np.abs(plane).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
    plane = plane + 1e-3 * np.random.default_rng(0).normal(size=plane.shape)  # groups alike start apart
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of defaults that we do not use
        steps = STEPS if K <= MANY else STEPS_OF_MANY
        found = smacof(distance, init=plane, n_init=1, max_iter=steps, eps=1e-6, normalized_stress=False)[0]
    return np.asarray(found, dtype=np.float64)


def within_groups(affinity: Affinity, labels: Labels, item_index: Index | None = None) -> Array | None:
    """Return two coordinates of each item within its group: the leading principal components of its affinity to
    landmarks of the group [desilva2004]; None where rows of the affinity would take long.
    """
    row = np.arange(len(labels)) if item_index is None else item_index
    if len(labels) > ARRANGED or affinity.foreign or cost_of_row(affinity) * LANDMARKS > AFFORDABLE:
        return None
    rng, out = np.random.default_rng(0), np.zeros((len(labels), 2))
    K = int(labels.max(initial=0)) + 1
    for k in range(K):
        own = np.flatnonzero((labels == k) & (row >= 0))
        if len(own) < 3:
            continue
        marks = np.sort(rng.choice(own, min(len(own), max(LANDMARKS // K, FEWEST)), replace=False))
        near = np.array(affinity.rows(row[marks]), dtype=np.float64)[:, row[own]].T
        near -= near.mean(axis=0)
        vectors = symmetric_eigen(near.T @ near)[1]
        axes = vectors[:, [-1, -2]]
        axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
        out[own] = near @ axes
    return out


def _discs(centres: Array, own: Labels, sizes: Labels, inner: Array) -> Array:
    """Steps from a group's place to those of its items in a disc of an area that goes with its size.

    Places are those of a sunflower's seeds; items have them in the order of their coordinates `inner`, in columns by
    the first and within a column by the second.
    """
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2) if len(centres) <= SCALED else np.ones((1, 1))
    np.fill_diagonal(apart, np.inf)
    nearest = np.where(np.isfinite(apart.min(axis=1)), apart.min(axis=1), 1.0)
    wanted = np.sqrt(sizes / sizes.max()) * REACH * float(np.median(nearest))
    radius = np.broadcast_to(np.minimum(wanted, np.maximum(REACH * nearest, wanted / 3)), sizes.shape)
    out = np.zeros((len(own), 2))
    for k in np.flatnonzero(sizes > 1):
        members, rank = np.flatnonzero(own == k), np.arange(sizes[k])
        far = radius[k] * np.sqrt((rank + 0.5) / sizes[k])
        seeds = far[:, None] * np.column_stack([np.cos(rank * GOLDEN), np.sin(rank * GOLDEN)])
        out[members[_by_columns(inner[members])]] = seeds[_by_columns(seeds)]
    return out


def _by_columns(points: Array) -> Index:
    """The order of points by columns of about as many as there are columns, and within each upwards."""
    order = np.argsort(points[:, 0], kind="stable")
    column = np.empty(len(points))
    column[order] = np.arange(len(points)) // max(1, round(np.sqrt(len(points))))
    return np.lexsort((points[:, 1], column))
