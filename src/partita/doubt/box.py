"""Axes along which the box of items is small, since a map may lie at any angle.

The background of `partita.doubt.outliers` is uniform over the box of the items. Of uniform items in a square that was
turned the box along the given axes has corners without any, and so has that along the principal axes of principal
components. In the plane the smallest box has a side along an edge of the convex hull [freeman1975]; in more dimensions
planes of two axes are turned in turn, each to its smallest box, until the volume falls no more.

Cost: for each of the d (d - 1) / 2 planes, in some tens of turns, the hull of at most 2,000 items.

[freeman1975] H. Freeman, R. Shapira, Determining the minimum-area encasing rectangle for an arbitrary closed curve,
Communications of the ACM 18, 1975.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from partita.arrays import Array

__all__ = ["smallest_box"]

# Dimensions that are turned at most; items farthest from their middle by which they are; turns of all planes at most,
# and the share of its area that a plane's box keeps where it is turned.
MOST, FARTHEST, TURNS, KEPT = 12, 2_000, 50, 0.99
# Share of its volume that the box of turned items has at most: less is no more than chance.
SMALLER = 0.8
# Share of the longest side of the box that is rounding.
FLAT = 1e-9


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
