"""Clusters of a single column, or of items along a line: the modes of their density.

Along a line every cluster ends at two points, whatever lies there: a cut through the middle of a normal sample parts
as few neighbours as one through a gap, and no statistic of neighbours or trees tells them apart
(`partita.ensemble.validity` was learned in two columns and more). But the density of one column can be estimated well.
So the clusters of one column are what lies between the valleys of its density, a valley being a place where the density
falls far enough below the lower of the two peaks beside it: by .2 to .6 nats, all depths between being as likely.
Densities are mixtures of Student or normal distributions of each number of components, and blocks of uniform density
between the largest gaps. Each has the probability exp(BIC / T), and so has its number of modes [schwarz1978]; blocks
pay for the choice of their gaps too.

Items of several columns lie along a line where all other principal axes together are a tenth as long as the first at
most, and have one mode each: strips side by side are no line.

The depths and T were chosen over 360 drawn columns of 18 kinds and judged on as many others
(`python benchmarks/n_clusters.py --column`).

[schwarz1978] G. Schwarz, Estimating the dimension of a model, Annals of Statistics 6, 1978.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from scipy.special import gammaln, logsumexp

from partita.arrays import Array, Labels
from partita.ensemble.base import principal_axes
from partita.ensemble.belief import starts_of
from partita.ensemble.components import Components, fitted_at
from partita.ensemble.consensus import Consensus
from partita.ensemble.weights import agreement
from partita.kernels.ellipsoids import Ellipsoids, log_joint

__all__ = ["along_a_line", "modes_at", "valleys", "with_modes"]

# How long all other principal axes may be together, beside the first; what is rounding; and components that are tried
# along them.
NARROW, ROUNDING, ACROSS = 0.1, 1e-6, 4
# Components more than modes that are tried for a number of these.
MORE = 4
# How far the density falls in a valley that is one, in nats, each with the same probability; and places at which it is
# looked at.
DEPTHS, PLACES = (0.2, 0.3, 0.4, 0.5, 0.6), 600
# Of the probabilities of densities.
TEMPERATURE = 5.0
# Blocks of uniform density at most, and items that each has at least.
BLOCKS, OF_BLOCK = 12, 6


def along_a_line(X: Array, one: Components, seed: int = 0) -> Array | None:
    """Return the coordinate of items along the line on which they lie, of a column the column; None elsewhere.

    Parameters
    ----------
    X : n x d array
    one : Components
        Mixtures whose densities are looked at.
    seed : int

    Returns
    -------
    array of n, or None

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(300, 1))
    >>> along_a_line(np.hstack([x, 3 * x]), Components()).shape
    (300,)
    >>> along_a_line(np.random.default_rng(0).normal(size=(300, 2)), Components()) is None
    True
    """
    axes, squares = principal_axes(X)
    lengths = np.sqrt(squares / max(squares[0], np.finfo(float).tiny))
    if np.sqrt((lengths[1:] ** 2).sum()) > NARROW:
        return None
    Z = (X - X.mean(axis=0)) @ axes
    for across in Z[:, 1:][:, lengths[1:] > ROUNDING].T:
        chances, _ = _modes_of(across, one, range(1, ACROSS + 1), {}, seed)
        if max(chances, key=lambda K: chances[K]) > 1:
            return None
    return np.asarray(X[:, 0] if X.shape[1] == 1 else Z[:, 0])


def with_modes(
    found: Consensus,
    one: Components,
    x: Array,
    *,
    bounds: tuple[int, int | None] = (1, None),
    seed: int = 0,
) -> Consensus:
    """Return a consensus that has the modes along a line as its answer, with their probabilities.

    The draws of the methods stay, and say what clusters of other numbers would be.

    Parameters
    ----------
    found : Consensus
        Of the items.
    one : Components
        Mixtures whose densities are looked at.
    x : array of n
        The items along a line.
    bounds : pair of int, or int and None
        The smallest and the largest number of clusters.
    seed : int
    """
    starts = starts_of(found)
    of_number, cuts_at = _modes_of(x, one, sorted(starts), starts, seed)
    total = logsumexp(list(of_number.values()))
    found = replace(found, one=float(np.exp(of_number.get(1, -np.inf) - total)), modes=True)
    several = np.array([K for K in sorted(of_number) if max(bounds[0], 2) <= K <= (bounds[1] or len(x))])
    if not len(several):
        return found
    labels = [np.searchsorted(cuts_at[K], x).astype(np.int64) for K in several]
    agreed = np.array([_agreement(found, K, own) for K, own in zip(several, labels, strict=True)])
    log_weights = np.array([of_number[K] for K in several])
    weights = np.exp(log_weights - log_weights.max())
    return found.beside(labels, several, weights, agreed, one, 1.0)


def modes_at(x: Array, one: Components, n_clusters: int, seed: int = 0) -> Labels | None:
    """Return the most probable modes of so many along a line; None where no density has so many.

    >>> x = np.random.default_rng(0).normal(size=300) + np.repeat([0, 9, 20], 100)
    >>> np.bincount(modes_at(x, Components(), 3)).tolist(), modes_at(x, Components(), 40) is None
    ([100, 100, 100], True)
    """
    _, cuts_at = _modes_of(x, one, range(1, n_clusters + MORE + 1), {}, seed)
    cuts = cuts_at.get(n_clusters)
    return None if cuts is None else np.searchsorted(cuts, x).astype(np.int64)


def _modes_of(
    x: Array, one: Components, numbers: Sequence[int], starts: Mapping[int, Sequence[Labels]], seed: int
) -> tuple[dict[int, float], dict[int, Array]]:
    """Return the log-probability of each number of modes, up to a constant, and the cuts of its likeliest density."""
    place = np.linspace(x.min(), x.max(), PLACES)
    densities = [
        (fit.bic, place[valleys(log_density, depth)])
        for fit in fitted_at(one, x[:, None], numbers, seed, starts).values()
        if np.isfinite(fit.bic)
        for log_density in [_log_density(fit.components, place - x.mean())]
        for depth in DEPTHS
    ]
    densities += [block for block in _blocks(np.sort(x)) for _ in DEPTHS]  # between blocks there is nothing
    bic = np.array([value for value, _ in densities])
    of_number: dict[int, float] = {}
    cuts_at: dict[int, Array] = {}
    for at in np.argsort(-bic, kind="stable"):
        cuts = densities[at][1]
        K = len(cuts) + 1
        of_number[K] = float(np.logaddexp(of_number.get(K, -np.inf), (bic[at] - bic.max()) / TEMPERATURE))
        cuts_at.setdefault(K, cuts)
    return of_number, cuts_at


def _agreement(found: Consensus, n_clusters: int, labels: Labels) -> float:
    """Return the mean adjusted Rand index with the methods at the nearest number that they were asked for."""
    nearest = found.asked[np.abs(found.asked - n_clusters).argmin()]
    return float(np.mean(agreement([labels, *found.draws[found.asked == nearest]])[0, 1:]))


def valleys(log_density: Array, depth: float) -> Array:
    """Return the places of the valleys of a density along a line.

    Parameters
    ----------
    log_density : array of n
    depth : float
        In nats.

    Returns
    -------
    array of int
        Places of the least density between two peaks that are higher by the depth at least, in order.

    Examples
    --------
    >>> valleys(np.array([0.0, 3.0, 1.0, 4.0, 3.9, 4.0, 0.0]), 0.5).tolist()
    [2]
    """
    rises = np.diff(log_density, prepend=-np.inf, append=-np.inf)
    peaks = np.flatnonzero((rises[:-1] > 0) & (rises[1:] <= 0)).tolist()
    low = [a + int(np.argmin(log_density[a:b])) for a, b in pairwise(peaks)]
    while low:
        falls = [min(log_density[a], log_density[b]) - log_density[v] for (a, b), v in zip(pairwise(peaks), low)]
        least = int(np.argmin(falls))
        if falls[least] >= depth:
            break
        # The lower of the two peaks goes with the valley beside it.
        peaks.pop(least if log_density[peaks[least]] < log_density[peaks[least + 1]] else least + 1)
        low.pop(least)
    return np.array(low, dtype=np.intp)


def _log_density(components: Ellipsoids, place: Array) -> Array:
    return np.asarray(logsumexp(log_joint(components, place[:, None]), axis=1))


def _blocks(x: Array) -> Iterator[tuple[float, Array]]:
    """BIC and cuts of blocks of uniform density between the largest gaps of sorted numbers.

    The range of m numbers is (m - 1) / (m + 1) of the interval that they came from.
    """
    n, gaps = len(x), np.diff(x)
    order = np.argsort(-gaps, kind="stable")
    for K in range(1, BLOCKS + 1):
        last = np.sort(order[: K - 1])
        ends = np.r_[-1, last, n - 1]
        m, lengths = np.diff(ends), x[ends[1:]] - x[ends[:-1] + 1]
        if m.min() < OF_BLOCK or lengths.min() <= 0:
            return
        value = float(m @ np.log((m - 1) / (m + 1) * m / n / lengths))
        of_gaps = float(gammaln(n) - gammaln(K) - gammaln(n - K + 1))
        yield value - (3 * K - 1) / 2 * float(np.log(n)) - of_gaps, (x[last] + x[last + 1]) / 2
