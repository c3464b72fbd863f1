"""Where a uniform background may lie: a box along the columns, one along other axes, or the hull of the items.

The background of `partita.doubt.outliers` is uniform over the box of the items. Of a map whose ground lies at an angle
to the columns that box has corners without any item, and so has that of principal components. In the plane the convex
hull of the items has none, whether the ground was turned, stretched or sheared. It is smaller than the ground on which
n uniform items lie, by v / n of it where v of them are its vertices [ripley1977], so that a background is likelier by v
nats; that is a part of its price. In more dimensions many items are vertices. There planes of two axes are turned in
turn, each to its smallest box, which has a side along an edge of the hull [freeman1975], until the volume falls no
more.

Cost: a hull in the plane; or for each of the d (d - 1) / 2 planes, in some tens of turns, that of at most 2,000 items.

[ripley1977] B. D. Ripley, J.-P. Rasson, Finding the edge of a Poisson forest, Journal of Applied Probability 14, 1977.
[freeman1975] H. Freeman, R. Shapira, Determining the minimum-area encasing rectangle for an arbitrary closed curve,
Communications of the ACM 18, 1975.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from partita.arrays import Array

__all__ = ["Region", "regions_of", "smallest_box"]

# What a box that is turned has to add to the log odds, for each dimension but the first; and the hull of a plane.
TURN, HULL = 8.0, 16.0

# Dimensions that are turned at most; items farthest from their middle by which they are; turns of all planes at most,
# and the share of its area that a plane's box keeps where it is turned.
MOST, FARTHEST, TURNS, KEPT = 12, 2_000, 50, 0.99
# Share of the box that another region has at most: less is no more than chance; and that of a hull that is hardly more
# than a line, where the box is turned.
SMALLER, THIN = 0.8, 0.01
# Share of the longest side of the box that is rounding.
FLAT = 1e-9


@dataclass(frozen=True, eq=False)
class Region:
    """The box of items, or the hull of some of them.

    Parameters
    ----------
    X : N x d array
        Items, in coordinates along the sides of the box.
    price : float
        What a background here has to add to the log odds, beyond one in the box along the columns.
    corners : m x 2 array, optional
        The vertices of the hull, one after the other.
    """

    X: Array
    price: float = 0.0
    corners: Array | None = None

    @cached_property
    def filled(self) -> float:
        """Share of the box in which the background may lie."""
        return 1.0 if self.corners is None else _hull(self.corners)[0]

    def drawn(self, n: int, among: NDArray[np.intp], rng: np.random.Generator) -> Array:
        """Draw n points uniformly, where the items `among` all are.

        >>> square = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]])
        >>> R = Region(square, corners=square).drawn(500, np.arange(4), np.random.default_rng(0))
        >>> R.shape, bool((np.abs(R).sum(axis=1) <= 1).all())
        ((500, 2), True)
        """
        if self.corners is None:
            low, high = self.X[among].min(axis=0), self.X[among].max(axis=0)
            return np.asarray(rng.uniform(low, high, size=(n, self.X.shape[1])))
        triangles, areas = _fan(self.corners)
        chosen = triangles[rng.choice(len(areas), n, p=areas / areas.sum())]
        return np.asarray(np.einsum("nk,nkd->nd", rng.dirichlet(np.ones(3), size=n), chosen))


def regions_of(X: Array, among: NDArray[np.intp]) -> list[Region]:
    """Return the box of items, and the hull or another box where that is smaller.

    Parameters
    ----------
    X : N x d array
    among : array of positions
        The items by which a region is found.

    Examples
    --------
    >>> square = np.random.default_rng(0).uniform(size=(400, 2))
    >>> [len(regions_of(square @ turn, np.arange(400))) for turn in (np.eye(2), np.array([[1.0, -1.0], [1.0, 1.0]]))]
    [1, 2]
    """
    if X.shape[1] == 2:
        share, corners = _hull(X[among])
        if share > SMALLER:
            return [Region(X)]
        if share > THIN:
            return [Region(X), Region(X, HULL + len(corners) - 4, corners)]  # a box has four sides
    axes = smallest_box(X[among] / max(np.ptp(X[among], axis=0).max(), np.finfo(float).tiny))
    return [Region(X)] if axes is None else [Region(X), Region(X @ axes, TURN * (X.shape[1] - 1))]


def _fan(corners: Array) -> tuple[Array, Array]:
    """Triangles from the first corner to each side, and their areas in that of the box."""
    first = np.broadcast_to(corners[0], (len(corners) - 2, 2))
    triangles = np.stack([first, corners[1:-1], corners[2:]], axis=1)
    sides = (triangles[:, 1:] - triangles[:, :1]) / np.ptp(corners, axis=0)
    return triangles, np.abs(np.linalg.det(sides)) / 2


def _hull(X: Array) -> tuple[float, Array]:
    """The share of the box that the hull fills, and its vertices; none where it is flat."""
    try:
        hull = ConvexHull((X - X.min(axis=0)) / np.ptp(X, axis=0))
    except QhullError:
        return 0.0, X[:0]
    return float(hull.volume), X[hull.vertices]


def smallest_box(X: Array) -> Array | None:
    """Return axes along which the box of the items is small, as columns of a d x q matrix; None where that of the given
    ones is hardly larger. Axes along which the items hardly extend, as of two equal columns, are left out.

    Parameters
    ----------
    X : n x d array

    Examples
    --------
    >>> square = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]])
    >>> np.ptp(square @ smallest_box(square), axis=0).round(6).tolist()
    [1.414214, 1.414214]
    >>> smallest_box(np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [1.0, 1.0]])) is None
    True
    """
    sides, d = np.ptp(X, axis=0), X.shape[1]
    if not 2 <= d <= MOST or len(X) <= d + 1 or not sides.all():
        return None
    centred = X - np.median(X, axis=0)
    seen = centred[np.argsort(-((centred / sides) ** 2).sum(axis=1), kind="stable")[:FARTHEST]]
    axes = np.eye(d)
    for _ in range(TURNS):
        before = axes.copy()
        for plane in combinations(range(d), 2):
            axes[:, plane] = axes[:, plane] @ _turn(seen @ axes[:, plane])
        if np.array_equal(axes, before):
            break
    extent = np.ptp(X @ axes, axis=0)
    return axes[:, extent > FLAT * extent.max()] if (extent / sides).prod() <= SMALLER else None


def _turn(P: Array) -> Array:
    """The turn of points in the plane to their smallest box; none where it is hardly smaller."""
    try:
        hull = P[ConvexHull(P).vertices]
    except QhullError:  # along a line, whose ends are all that matters
        hull = P[[P[:, 0].argmin(), P[:, 0].argmax()]]
        if not np.ptp(hull, axis=0).all():
            return np.eye(2)
    edges = np.roll(hull, -1, axis=0) - hull
    c, s = (edges / np.linalg.norm(edges, axis=1)[:, None]).T
    areas = np.ptp(hull @ np.array([c, s]), axis=0) * np.ptp(hull @ np.array([-s, c]), axis=0)
    best = int(areas.argmin())
    if areas[best] > KEPT * np.ptp(hull, axis=0).prod():
        return np.eye(2)
    return np.array([[c[best], -s[best]], [s[best], c[best]]])
