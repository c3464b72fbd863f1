"""Mardia's tests of a mixture: do items look as its components say? And what may do better: a body, or other columns.

Each component's items, weighted by their responsibilities, are brought to where a normal distribution is the standard
one: by the component's mean and covariance, and, for Student components, by moving each item along its ray until its
distance has the probability under a normal distribution that it has under the Student one. Skewness and kurtosis
[mardia1970] of what comes out are then tested for all components together. Pieces of a curve are skewed, pieces of a
box have too light tails, and components of the mixture that the items came from are neither.

A single body in which items are spread evenly is told from a mixture by the likelihood of a uniform density over the
items' convex hull. The hull of n items with v corners among them has 1 - v / n of the volume of the body, as a new item
falls outside that of the others in v / n of the cases [efron1965]. In more columns hardly any item is inside the hull;
there it is the box along the axes, of which n items span (n - 1) / (n + 1) of each side.

A single skewed cluster is told from a mixture by its columns: transformed to be as normal as they can be [yeo2000], one
component describes them better than any mixture describes the columns as they are.

[efron1965] B. Efron, The convex hull of a random set of points, Biometrika 52, 1965.
[mardia1970] K. V. Mardia, Measures of multivariate skewness and kurtosis with applications, Biometrika 57, 1970.
[yeo2000] I.-K. Yeo, R. Johnson, A new family of power transformations to improve normality or symmetry, Biometrika 87,
2000.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull, QhullError
from scipy.special import chdtri, fdtrc
from scipy.stats import chi2, norm, yeojohnson

from partita.arrays import Array
from partita.kernels.ellipsoids import Ellipsoids, n_parameters

__all__ = ["Mardia", "as_normal_as_can_be", "bic_of_uniform", "mardia"]

# Items of a component that is tested, as a multiple of those that span its dimensions.
FEWEST = 2
# Degrees of freedom from which on a Student distribution is a normal one: the most that are estimated are 200.
NORMAL = 199.0
# Responsibilities up to which an item tells nothing of a component.
NEXT_TO_NOTHING = 1e-6
# Probabilities of distances are held away from 0 and 1 by so much.
MARGIN = 1e-9
# Columns up to which a hull is made.
HULL_UP_TO = 3


class Mardia(NamedTuple):
    """Probability of a skewness as large as that of the items if they came from the mixture, and of such a kurtosis."""

    skewness: float
    kurtosis: float

    @property
    def both(self) -> float:
        """Of the two tests together: twice the smaller probability, at most 1."""
        return min(1.0, 2.0 * min(self))


def mardia(Z: Array, components: Ellipsoids, responsibilities: Array) -> Mardia:
    """Return the probability of skewness and of kurtosis as large as these if items came from the mixture.

    Parameters
    ----------
    Z : n x q array
    components : Ellipsoids
        M components, each with a whitener of its own.
    responsibilities : n x M array

    Returns
    -------
    Mardia
        Of two probabilities in [0, 1]; both 1 where no component has enough items.

    Notes
    -----
    Cost: n M q^3.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> one = Ellipsoids(np.ones(1), np.zeros((1, 2)), np.eye(2)[None])
    >>> mardia(rng.normal(size=(300, 2)), one, np.ones((300, 1))).both > 0.05
    True
    >>> of_box = mardia(np.sqrt(12) * (rng.random((300, 2)) - 0.5), one, np.ones((300, 1)))
    >>> of_box.skewness > 0.05, of_box.kurtosis < 0.001
    (True, True)
    """
    q = Z.shape[1]
    skewness, kurtosis = [], []
    for m, each in enumerate(responsibilities.T):
        r = each[own := each > NEXT_TO_NOTHING]
        n = float(r.sum())
        if n < FEWEST * (q + 1):
            continue
        with np.errstate(over="ignore", invalid="ignore"):  # of near copies; what is not finite does not fit
            W = _standard(_as_normal((Z[own] - components.means[m]) @ components.whiteners[m], components.freedom), r)
            third = (W * r[:, None]).T @ (W[:, :, None] * W[:, None, :]).reshape(len(W), -1) / n
            fourth = float(r @ np.einsum("nq,nq->n", W, W) ** 2) / n
        skewness.append(n * float((third**2).sum()) / 6)
        kurtosis.append((fourth - q * (q + 2)) * np.sqrt(n / (8 * q * (q + 2))))
    if not skewness:
        return Mardia(1.0, 1.0)
    n_tested = len(skewness)
    of_skewness = chi2.sf(sum(skewness), q * (q + 1) * (q + 2) / 6 * n_tested)
    of_kurtosis = 2 * norm.sf(abs(sum(kurtosis)) / np.sqrt(n_tested))
    return Mardia(float(of_skewness), float(of_kurtosis))


def bic_of_uniform(Z: Array) -> float:
    """Return the BIC of a uniform density over the items' convex hull, or over their box in more than three columns.

    Parameters
    ----------
    Z : n x q array

    Returns
    -------
    float
        The log-likelihood less half of log n for each parameter: a body has as many as a normal distribution, where it
        is and how far it extends, and a box its sides. Minus infinity in one column, and where the items have no hull
        or box.

    Notes
    -----
    Cost: n log n.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> round(bic_of_uniform(rng.random((200, 2)))), round(bic_of_uniform(rng.normal(size=(200, 2))))
    (-17, -641)
    >>> round(bic_of_uniform(rng.random((200, 5)))), round(bic_of_uniform(rng.normal(size=(200, 5))))
    (-25, -1634)
    """
    n, q = Z.shape
    if q > HULL_UP_TO:
        sides = np.ptp(Z, axis=0) * (n + 1) / max(n - 1, 1)
        return float(-n * np.log(sides).sum() - q * np.log(n)) if sides.all() else -np.inf
    if q < 2:
        return -np.inf
    try:
        hull = ConvexHull(Z)
    except QhullError:  # too few items, or all on a line
        return -np.inf
    outside = len(hull.vertices) / n
    if outside >= 1.0:
        return -np.inf
    return float(n * np.log((1.0 - outside) / hull.volume) - n_parameters("full", 1, q) / 2 * np.log(n))


def as_normal_as_can_be(Z: Array) -> tuple[Array, float]:
    """Return columns by power transformations of the largest likelihood of a normal distribution, and what that adds.

    Parameters
    ----------
    Z : n x q array
        Columns of several values. The power is of the distance from the median in standard deviations.

    Returns
    -------
    columns : n x q array
    added : float
        To the BIC of a density of these columns, for one of those given: the logarithm of the transformation's
        derivatives at the items, less half of log n for each power.

    Notes
    -----
    Cost: n q.

    Examples
    --------
    >>> X = np.random.default_rng(0).exponential(size=(500, 1))
    >>> Y, _ = as_normal_as_can_be(X)
    >>> bool(abs(((Y - Y.mean()) ** 3).mean() / Y.std() ** 3) < 0.2)  # of an exponential distribution 2
    True
    """
    Y = (Z - np.median(Z, axis=0)) / Z.std(axis=0)
    found, powers = zip(*(yeojohnson(y) for y in Y.T), strict=True)
    by_column = (np.sign(Y) * np.log1p(np.abs(Y))).sum(axis=0) @ (np.array(powers) - 1.0)
    n, q = Z.shape
    added = by_column - n * np.log(Z.std(axis=0)).sum() - q / 2 * np.log(n)
    return np.column_stack(found), float(added)


def _as_normal(W: Array, freedom: float) -> Array:
    """Items of a standard Student distribution, each moved along its ray to where it is one of a normal."""
    if freedom > NORMAL:
        return W
    q = W.shape[1]
    squared = np.maximum(np.einsum("nq,nq->n", W, W), np.finfo(float).tiny)
    outside = np.clip(fdtrc(q, freedom, squared / q), MARGIN, 1 - MARGIN)
    return np.asarray(W * np.sqrt(chdtri(q, outside) / squared)[:, None])


def _standard(W: Array, weights: Array) -> Array:
    """Weighted items with mean zero and unit covariance."""
    n, q = weights.sum(), W.shape[1]
    D = W - weights @ W / n
    S = (D * weights[:, None]).T @ D / n
    S += MARGIN * max(float(np.trace(S)), np.finfo(float).tiny) * np.eye(q)
    return np.asarray(np.linalg.solve(np.linalg.cholesky(S), D.T).T)
