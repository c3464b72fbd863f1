"""Distances that are, or whose roots are, those of points, or affinities that are such: the points, in as few
dimensions as they have.

Of distances d_ij between points in a Euclidean space the points can be had back, but for a turn, by classical scaling
[torgerson1952]: B = -J D2 J / 2, with D2 the squared distances and J = I - 1 1^T / n, are the scalar products of the
centred points, and with B = V diag(l) V^T the points are V diag(l)^(1/2). Where distances are none of points some l are
negative: then the distances are all that is known. Another item is placed by its distances d to these n, at
diag(l)^(-1/2) V^T (b - d2) / 2, with b the diagonal of B [gower1968].

Other dissimilarities, as those of strings, of series that were warped or of rows with gaps, are of no points, and nor
are their roots. Where l is several times as large as the most negative one, its axis is none of chance, and the points
on these axes are used where they have nearly the nearest items that were given: those of the distances or of the
roots, whichever come nearer to it.

Many dissimilarities are none of points, but their square roots are: those by Bray and Curtis, Jaccard, Manhattan and
Gower, 1 - cosine and 1 - correlation [gower1986]. They have the same order, so that items have the same neighbours.

Affinities may be those of points, too, where each item has the same one, s, with itself, and no larger one with
another: s - s_ij is a distance then. Of scalar products, as kernels, correlations and cosines are, 2 (s - s_ij) is the
squared one of the points, so that the roots are; of Jaccard's similarities the distance itself may be one.

Of many items B is made of a thousand, the landmarks [desilva2004], or of two thousand where these are too few, and the
others are placed; of at most 2,000 items it is looked at whether their distances come out as they were given, those to
the nearest too. Items of which at least a quarter are copies are left to their distances: where they were categories,
turned axes would hide these.

Cost: n^3 for n = 2,000 landmarks at most, N n q and 2,000 N q.

[desilva2004] V. de Silva, J. Tenenbaum, Sparse multidimensional scaling using landmark points, Stanford, 2004.
[gower1968] J. Gower, Adding a point to vector diagrams in multivariate analysis, Biometrika 55, 1968.
[gower1986] J. Gower, P. Legendre, Metric and Euclidean properties of dissimilarity coefficients, Journal of
Classification 3, 1986.
[torgerson1952] W. Torgerson, Multidimensional scaling: I. Theory and method, Psychometrika 17, 1952.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.metrics.pairwise import PAIRWISE_BOOLEAN_FUNCTIONS

from partita.affinity.distances import distances
from partita.arrays import Array
from partita.errors import InputError
from partita.kernels.threads import row_bounds

__all__ = ["Coordinates", "common_self_affinity", "distances_of", "mostly_no_copies"]

# Items of which scalar products are made at most, and where these do not place the others.
LANDMARKS = 1_000, 2_000
# Share of the largest eigenvalue below which negative ones are rounding of the distances, and how many times as large
# as these one is that is none.
EUCLIDEAN, BEYOND = 1e-3, 3.0
# The same where negative ones are no rounding: axes that are none of chance.
BEYOND_CHANCE = 1.5
# The same for numbers that were not rounded.
EXACT = 1e-10
# Share of all distances by which these may be missed, and of those to so many nearest items, root mean squares.
MISSED, MISSED_NEAR, NEAREST = 0.02, 0.05, 10
# How far from the given nearest items those of approximate points may be, where 0 is as near and 1 as any item is.
EXCESS = 0.1
# Items below which points are not taken for those of other distances.
FEWEST = 20
# Share of the fitted items that are no farther from the space of approximate points than is usual.
USUAL = 0.99
# Difference of two affinities that is rounding, as a share of the largest.
ROUNDING = 1e-6
# Share of the items that are copies of others from which they are not placed.
COPIES = 0.25
# Items that are compared with how many, and at a time; those that are placed at a time; and decimals of a coordinate in
# units of the widest: items at the same distances are at one place.
COMPARED, AMONG, ROWS, PLACED, DIGITS = 2_000, 5_000, 500, 5_000, 9


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Points that have given distances, or nearly the same nearest items.

    Attributes
    ----------
    landmarks : array of n
        Columns of the distances by which an item is placed.
    points : n x q array
        Where the landmarks are.
    eigenvalues : array of q, positive
    of_roots : bool
        Whether the square roots of the distances are those of the points.
    self_affinity : float, optional
        Affinity of each item with itself, where affinities were given in the place of distances.
    height : float, optional
        How far from the space of the points fitted items are that only nearly have the given distances; None where they
        have these.
    rows : n x d array, optional
        Features of the landmarks, where features were given in the place of distances.
    metric : str
        Of these.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]])
    >>> D = np.linalg.norm(X[:, None] - X, axis=2)
    >>> placed = Coordinates.of(D)
    >>> placed.points.shape, np.linalg.norm(placed(D)[1] - placed(D)[2]).round(6)
    ((3, 2), np.float64(5.0))
    >>> square = np.array([[0.0, 1, 1, 2], [1, 0, 2, 1], [1, 2, 0, 1], [2, 1, 1, 0]])  # its diagonals are too long
    >>> Coordinates.of(square).of_roots
    True
    >>> Coordinates.of(np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 1.0], [9.0, 1.0, 0.0]])) is None
    True
    """

    landmarks: NDArray[np.intp]
    points: Array
    eigenvalues: Array
    of_roots: bool = False
    self_affinity: float | None = None
    height: float | None = None
    rows: Array | None = None
    metric: str = "euclidean"

    @classmethod
    def of_affinities(cls, S: Any, weights: Array | None = None) -> Coordinates | None:
        """Return the points whose distances, or roots of them, are the largest affinity less these, or None as in `of`.

        None, too, where affinities of items with themselves differ, or others are larger: they may be of any kind then.

        Parameters
        ----------
        S : N x N array
        weights : array of N, optional
            As in `of`.

        Examples
        --------
        >>> X = np.array([[1.0, 0.0], [0.6, 0.8], [-1.0, 0.0]])
        >>> S = 1.0 + X @ X.T
        >>> placed = Coordinates.of_affinities(S)(S)
        >>> np.linalg.norm(placed[0] - placed[2]).round(6), S[0, 2]
        (np.float64(2.0), np.float64(0.0))
        """
        own = common_self_affinity(S)
        found = None if own is None else cls.of(distances_of(S, own), weights)
        return None if found is None else replace(found, self_affinity=own)

    @classmethod
    def of(cls, D: Any, weights: Array | None = None) -> Coordinates | None:
        """Return the points that have these distances, or their square roots, or else nearly the same nearest items.

        None where these are others, where some distances are not known, and where a quarter of the items are copies.

        Parameters
        ----------
        D : N x N array, symmetric, zero on the diagonal
        weights : array of N, optional
            Items of weight zero are no landmarks.
        """
        known = isinstance(D, np.ndarray) and bool(np.isfinite(D).all())
        return cls._found(_Given(D), weights) if known else None

    @classmethod
    def of_features(cls, X: Array, metric: str, weights: Array | None = None) -> Coordinates | None:
        """Return the points that have the distances of rows of features by a metric, or None, as `of` does.

        Of more than 2,000 rows, only the distances to the landmarks are computed, and of some rows to all.

        Parameters
        ----------
        X : N x d array, complete
        metric : str
            One of `partita.affinity.distances.METRICS`.
        weights : array of N, optional

        Examples
        --------
        >>> X = np.array([[1.0, 0.0], [2.0, 2.0], [0.0, 3.0]])
        >>> placed = Coordinates.of_features(X, "cosine")
        >>> placed(X).shape, np.allclose(placed(9.0 * X), placed(X))
        ((3, 2), True)
        """
        try:
            return cls._found(_Given(X, metric), weights)
        except InputError:  # there are none of some rows, as of empty ones
            return None

    @classmethod
    def _found(cls, given: _Given, weights: Array | None) -> Coordinates | None:
        distinct = given.distinct(weights)
        n_seen = len(given.items) if weights is None else int(np.count_nonzero(weights))
        if len(distinct) < 2 or not _few_are_copies(len(distinct), n_seen, weights):
            return None
        ordered, found = given.in_order(distinct), list[tuple[float, Coordinates]]()
        for of_roots in (False, True):
            for most in LANDMARKS[: 1 + (len(distinct) > LANDMARKS[0])]:
                placed, may_be_exact = cls._of(given, np.sort(_spread(ordered, most)), of_roots=of_roots)
                if placed is None:
                    break
                exact, excess = placed._compared(given, _spread(ordered, AMONG))
                if exact and may_be_exact:
                    return placed
                found.append((excess, placed))
                if not may_be_exact:
                    break
        if not found or len(distinct) < FEWEST:
            return None
        excess, nearly = min(found, key=itemgetter(0))
        if excess > EXCESS:
            return None
        some = given.items[_spread(ordered, COMPARED)]
        return replace(nearly, height=float(np.quantile(nearly.heights(some, nearly(some)), USUAL)))

    @classmethod
    def _of(cls, given: _Given, at: NDArray[np.intp], *, of_roots: bool) -> tuple[Coordinates | None, bool]:
        """Points by the distances of the landmarks, None where these have no extent; and whether they have these."""
        squared = given.between(at, at) ** (1 if of_roots else 2)
        means = squared.mean(axis=0)
        B = (means + means[:, None] - squared - means.mean()) / 2
        found, V = np.linalg.eigh(B)
        least, largest = found[0], found[-1]
        may_be_exact = bool(-least <= EUCLIDEAN * largest)
        beyond = BEYOND if may_be_exact else BEYOND_CHANCE
        kept = np.flatnonzero(found > max(EXACT * largest, beyond * -least))[::-1]
        if not len(kept):
            return None, False
        V = V[:, kept] * np.where((V[:, kept] ** 3).sum(axis=0) < 0, -1.0, 1.0)
        points = np.ascontiguousarray(V * np.sqrt(found[kept]))  # as it is once it was saved, for the same last bits
        rows = None if given.metric is None else given.items[at]
        metric = given.metric or "euclidean"
        return cls(at, points, found[kept], of_roots, rows=rows, metric=metric), may_be_exact

    def __call__(self, given: Any) -> Array:
        """Return where items with these distances to the fitted ones, or affinities, or features, are.

        Parameters
        ----------
        given : M x N array, or M x d features

        Raises
        ------
        InputError
            Where some are not known.
        """
        what = "distances" if self.self_affinity is None else "affinities"
        if sp.issparse(given) and self.self_affinity is not None:
            given = given.toarray()  # a pair that is not stored has none
        if self.rows is None and (sp.issparse(given) or not (np.isfinite(given) & (given >= 0)).all()):
            raise InputError(
                f"{what} to some fitted items are missing or negative: the fit took the {what} for those of points, "
                f"and an item is placed among these by all of its {what}"
            )
        unit = float(np.sqrt(self.eigenvalues[0] / len(self.landmarks)))
        parts = [self._placed(given[low:high]) for low, high in row_bounds(given.shape[0], PLACED)]
        placed = np.concatenate(parts) if parts else np.empty((0, self.points.shape[1]))
        return np.asarray((placed / unit).round(DIGITS) * unit)

    def _placed(self, given: Array) -> Array:
        near = self._squares - self._to_landmarks(given)
        return np.asarray((near - near.mean(axis=1)[:, None]) @ (self.points / self.eigenvalues) / 2)

    def heights(self, given: Array, placed: Array) -> Array:
        """Return how far items are from the space that the fitted ones span, where they are placed in it, beyond what
        is usual of these.

        >>> X = np.array([[0.0, 0.0], [3.0, 0.0], [6.0, 0.0], [7.0, 0.0]])
        >>> found, D = Coordinates.of(np.linalg.norm(X[:, None] - X, axis=2)), np.linalg.norm(X - [3.0, 4.0], axis=1)
        >>> found.heights(D[None], found(D[None])).round(6).tolist()
        [4.0]
        """
        to_points = (placed**2).sum(axis=1)[:, None] + self._squares - 2 * placed @ self.points.T
        missed = (self._to_landmarks(given) - to_points).mean(axis=1) - (self.height or 0.0) ** 2
        return np.asarray(np.sqrt(np.maximum(missed, 0.0)))

    def _squared(self, D: Array) -> Array:
        """Squared distances of the points."""
        return D if self.of_roots else D**2

    def _to_landmarks(self, given: Any) -> Array:
        """Squared distances of points to the landmarks, by what is given of them."""
        if self.rows is not None:
            try:
                return self._squared(_distances(given, self.rows, self.metric))
            except InputError as error:
                raise InputError(
                    f"metric={self.metric!r} gives a row no finite distance to some fitted ones: is it empty, or all "
                    "of one number?"
                ) from error
        D = given[:, self.landmarks]
        if self.self_affinity is not None:
            D = distances_of(D.toarray() if sp.issparse(D) else D, self.self_affinity)
        return self._squared(D)

    @cached_property
    def _squares(self) -> Array:
        return np.asarray((self.points**2).sum(axis=1))

    def _compared(self, given: _Given, used: NDArray[np.intp]) -> tuple[bool, float]:
        """Whether all distances of some distinct items, and those to nearest ones, are those of the points; and how far
        the items nearest by the points are beyond the nearest, where the middle one is 1 beyond.
        """
        placed, rows = self(given.items[used]), _spread(np.arange(len(used)), COMPARED)
        squares, n_near = (placed**2).sum(axis=1), min(NEAREST, max(len(used) // 4, 1)) + 1
        sums = np.zeros((len(rows), 7))
        for low, high in row_bounds(len(rows), ROWS):
            at = rows[low:high]
            D = given.between(used[at], used)
            of_points = np.sqrt(np.maximum(squares[at, None] + squares - 2 * placed[at] @ placed.T, 0.0))
            squared = self._squared(D)
            missed = (of_points - np.sqrt(squared)) ** 2
            of_points[np.arange(len(at)), at] = -1.0  # an item is the nearest to itself
            near, by_points = (np.argpartition(each, n_near - 1, axis=1)[:, :n_near] for each in (D, of_points))
            pairs = (missed, near), (squared, near), (D, near), (D, by_points)
            of_near = (np.take_along_axis(each, which, axis=1).sum(axis=1) for each, which in pairs)
            of_all = missed.sum(axis=1), squared.sum(axis=1), np.median(D, axis=1)
            sums[low:high] = np.column_stack([*of_all, *of_near])
        all_missed, all_squared, usual, missed, squared, nearest, taken = sums.T
        nearby = squared > 0
        of_each = missed[nearby] / squared[nearby]
        exact = all_missed.sum() <= MISSED**2 * all_squared.sum() and of_each.mean() <= MISSED_NEAR**2
        room = usual * n_near - nearest
        beyond = (taken - nearest)[room > 0] / room[room > 0]
        return bool(exact), float(beyond.mean()) if len(beyond) else 0.0


@dataclass(frozen=True, eq=False)
class _Given:
    """Distances of items, or their features and a metric."""

    items: Array
    metric: str | None = None

    def between(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Array:
        """Distances of some items to others."""
        if self.metric is None:
            return self.items[np.ix_(rows, columns)]
        return _distances(self.items[rows], self.items[columns], self.metric)

    def distinct(self, weights: Array | None) -> NDArray[np.intp]:
        """Items that the fit sees, of copies the first one."""
        used = np.arange(len(self.items)) if weights is None else np.flatnonzero(weights)
        if self.metric is not None:
            return used[np.sort(np.unique(self.items[used], axis=0, return_index=True)[1])]
        zero = self.items.diagonal().max()  # or rounding
        bounds = row_bounds(len(used), ROWS)
        first = [(self.items[np.ix_(used[low:high], used)] <= zero).argmax(axis=1) for low, high in bounds]
        kept: NDArray[np.intp] = used[np.concatenate([*first, np.empty(0, dtype=np.intp)]) == np.arange(len(used))]
        return kept

    def in_order(self, items: NDArray[np.intp]) -> NDArray[np.intp]:
        """The items in an order that is the same whatever the one they come in: from the middle outwards, or by their
        columns, the first one above all.
        """
        if self.metric is None:
            return items[np.argsort(self.items.sum(axis=0)[items], kind="stable")]
        return items[np.lexsort(self.items[items].T[::-1])]


def _distances(X: Array, Y: Array, metric: str) -> Array:
    """Distances by a metric, which rounding may leave below zero; of equal rows, as of empty ones, they are zero."""
    if metric in PAIRWISE_BOOLEAN_FUNCTIONS:
        X, Y = X != 0, Y != 0
    D = np.maximum(distances(X, Y, metric, None), 0.0)
    row = np.unique(np.vstack([X, Y]), axis=0, return_inverse=True)[1].ravel()
    D[row[: len(X), None] == row[len(X) :]] = 0.0
    return D


def common_self_affinity(S: Any) -> float | None:
    """Return the affinity of each item with itself where it is the same for all, and the largest; else None.

    None for what is no symmetric array of numbers, too.

    >>> common_self_affinity(np.array([[2.0, 1.0], [1.0, 2.0]]))
    2.0
    >>> common_self_affinity(np.array([[2.0, 1.0], [1.0, 1.0]])) is None
    True
    """
    if not isinstance(S, np.ndarray) or S.ndim != 2 or S.shape[0] != S.shape[1] or S.dtype.kind != "f":
        return None
    if not np.isfinite(S).all():
        return None
    own = float(S.diagonal().mean())
    rounding = ROUNDING * own
    alike = own > 0 and np.ptp(S.diagonal()) <= rounding and S.max() <= own + rounding
    return own if alike and np.abs(S - S.T).max() <= rounding else None


def mostly_no_copies(rows: Array, weights: Array | None = None) -> bool:
    """Return whether less than a quarter of the rows are copies of others; whole weights are numbers of copies.

    >>> mostly_no_copies(np.eye(3)), mostly_no_copies(np.eye(3), np.full(3, 2.0)), mostly_no_copies(np.eye(3)[[0, 0]])
    (True, False, False)
    """
    return _few_are_copies(len(np.unique(rows, axis=0)), len(rows), weights)


def _few_are_copies(n_distinct: int, n_rows: int, weights: Array | None) -> bool:
    whole = weights is not None and not (weights % 1).any()
    return n_distinct > (1.0 - COPIES) * (float(weights.sum()) if whole else n_rows)  # type: ignore[union-attr]


def distances_of(S: Array, own: float) -> Array:
    """Return the distances of items with these affinities, where each has the affinity `own` with itself.

    >>> distances_of(np.array([[1.0, 0.25]]), 1.0).tolist()
    [[0.0, 0.75]]
    """
    return np.maximum(own - S, 0.0)


def _spread(items: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """So many of the items at most, all over them."""
    return items[np.unique(np.linspace(0, len(items) - 1, most).astype(np.intp))]
