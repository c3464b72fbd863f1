"""What a uniform background beneath clusters is compared with, in few dimensions or of rating scales.

A mixture of a normal distribution for each cluster is fitted with a background and without, and the odds that there is
one are what it adds to the log-likelihood, less its price. Other descriptions of the items need none:

- Long or skewed tails: two normal distributions for each cluster, of its inner and of its outer items. A background is
  believed in if by AIC [akaike1974] it explains more than those do, or if it adds its price to them.
- Clusters that are evenly spread along some axes: a background has to add its price to such clusters too.

And labels may say too little or too much of clusters:

- One may stand for two clusters that were joined. Each that two normal distributions above a background describe better
  is halved, if half of all are at most (more have another shape), and the question asked again, against those two of
  the whole cluster as well.
- One may stand for the background itself, most often where another stands for two clusters. So where as many clusters
  are left without the one that is hardly denser than its box, the question is asked without it.

What no method can tell from a background is a sparse cluster that fills the box.

[akaike1974] A new look at the statistical model identification. IEEE Transactions on Automatic Control 19.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from partita.arrays import Array
from partita.kernels.ellipsoids import Items, climb, log_density_of_own, log_joint

__all__ = ["SCALE", "log_odds_of_background"]

# Values of a rating scale at most.
SCALE = 10
# Items below which a cluster stays whole.
FEWEST_ITEMS = 20
# The price of a background in nats, beside one for each side of its box.
GAIN = 8.0
# Steps of EM for each mixture, the share of the background at first, and that of the outer items of a cluster.
STEPS, FIRST_SHARE, OUTER = 30, 0.1, 0.2
# Added to every variance, of items in a unit cube; and the least probability of either side.
RIDGE, SMALL = 1e-6, 1e-9
# Mean log-density, over that of the box, from which a cluster may be evenly spread.
DENSER = np.log(2.0)


def log_odds_of_background(
    X: Array, labels: NDArray[np.int64], w: Array, scales: NDArray[np.bool_], *, filled: float = 1.0
) -> float:
    """Return how much more a uniform background adds to the likelihood than it costs, and than other shapes would add.

    Parameters
    ----------
    X : N x d array
    labels : array of N
    w : array of N, positive
        How often each item comes.
    scales : array of d
        Which columns are rating scales.
    filled : float in (0, 1]
        Share of the box of the items in which the background may lie.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(size=(300, 2)), rng.uniform(-20, 20, size=(100, 2))])
    >>> one, no_scale = np.zeros(400, dtype=np.int64), np.zeros(2, dtype=bool)
    >>> log_odds_of_background(X, one, np.ones(400), no_scale) > 10
    True
    >>> log_odds_of_background(X[:300], one[:300], np.ones(300), no_scale) < 0
    True
    """
    sides = np.ptp(X, axis=0)
    Z = (X[:, sides > 0] - X.min(axis=0)[sides > 0]) / sides[sides > 0]
    Z = Z * filled ** (-1 / Z.shape[1])  # the background has density 1
    price, scales = GAIN + 2 * len(sides), scales[sides > 0]
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    found = again = _Rivals(Z, w, labels)
    odds = found.odds(scales, price)
    if odds < 0 and 0 < (apart := _in_two(Z, labels, w)).max() - labels.max() <= (labels.max() + 1) / 2:
        again = _Rivals(Z, w, apart)
        odds = max(odds, min(again.odds(scales, price), again.background_by_aic - found.parts_by_aic))
    if odds < 0 and (without := again.without_the_sparsest) is not None:
        by_aic = without - (again.n_clusters - 1) * _n_parameters(Z) - 1
        beyond = min(by_aic + 1 - found.alone_by_aic, _gain_over_margins(Z, w, labels, scales, without)) - price
        odds = max(odds, min(beyond, by_aic - again.alone_by_aic, by_aic - found.parts_by_aic))
    return float(odds)


@dataclass(frozen=True, eq=False)
class _Rivals:
    """Descriptions of items in a cube: a normal distribution for each cluster, two for each, a background beneath."""

    Z: Array
    w: Array
    labels: NDArray[np.int64]

    @cached_property
    def of_clusters(self) -> tuple[float, float]:
        """Log-likelihoods of a normal distribution for each cluster, without a background and with it."""
        return self._log_likelihoods(self._membership)

    @cached_property
    def of_parts(self) -> tuple[float, float]:
        """Those of two normal distributions for each cluster, of its inner and of its outer items."""
        inner = _inner_items(self.Z, self.w, self.labels)[:, None]
        return self._log_likelihoods(np.hstack([self._membership * inner, self._membership * ~inner]))

    @property
    def n_clusters(self) -> int:
        return int(self.labels.max()) + 1

    @property
    def alone_by_aic(self) -> float:
        """Log-likelihood less parameters of clusters without a background."""
        return self.of_clusters[0] - self.n_clusters * _n_parameters(self.Z)

    @property
    def background_by_aic(self) -> float:
        """Log-likelihood less parameters of clusters and a background."""
        return self.of_clusters[1] - self.n_clusters * _n_parameters(self.Z) - 1

    @property
    def parts_by_aic(self) -> float:
        """Log-likelihood less parameters of two normal distributions for each cluster."""
        return self.of_parts[0] - 2 * self.n_clusters * _n_parameters(self.Z)

    @property
    def without_the_sparsest(self) -> float | None:
        """Log-likelihood of a background in the place of the sparsest cluster, and beneath the others.

        None where all are denser than a cluster that could be the background.
        """
        held = [log_density_of_own(self.Z, of_k, RIDGE) for of_k in (self._membership * self.w[:, None]).T]
        k = int(np.argmin(held))
        if self.n_clusters < 2 or held[k] > DENSER:
            return None
        own = self.labels == k
        others = np.delete(self._membership, k, axis=1)
        others[own] = 1 / others.shape[1]
        return _above_background(self.Z, self.w, others, self._scatter, own)

    def odds(self, scales: NDArray[np.bool_], price: float) -> float:
        """How much a background adds beyond its price, or beyond what two normal distributions do."""
        alone, both = self.of_clusters
        odds: float = min(both - alone, _gain_over_margins(self.Z, self.w, self.labels, scales, both)) - price
        if odds < 0:
            return odds
        parts, parts_and_background = self.of_parts
        beyond = max(self.background_by_aic - self.parts_by_aic, parts_and_background - parts - price)
        return float(min(odds, beyond))

    @cached_property
    def _membership(self) -> Array:
        return np.asarray(np.eye(self.n_clusters)[self.labels])

    @property
    def _scatter(self) -> Array:
        return _scatter_of(self.Z, self.w) / self.n_clusters

    def _log_likelihoods(self, R: Array) -> tuple[float, float]:
        alone = float(self.w @ _climbed(self.Z, self.w, R, self._scatter, STEPS)[0])
        return alone, _above_background(self.Z, self.w, R, self._scatter)


def _in_two(Z: Array, labels: NDArray[np.int64], w: Array) -> NDArray[np.int64]:
    """Labels with every cluster halved that two normal distributions above a background describe better than one.

    Those of few items stay whole; halves of more than half of the clusters are of no use, and no more are made.
    """
    found, n_clusters = labels.copy(), int(labels.max()) + 1
    scatter = _scatter_of(Z, w) / n_clusters
    for k in range(n_clusters):
        own = np.flatnonzero(labels == k)
        if w[own].sum() < FEWEST_ITEMS or found.max() >= 1.5 * n_clusters:
            continue
        Y, n = Z[own], w[own]
        centred = Y - np.average(Y, axis=0, weights=n)
        side = centred @ np.linalg.eigh((centred.T * n) @ centred)[1][:, -1] > 0
        one, two = (
            _above_background(Y, n, R.astype(np.float64), scatter)
            for R in (np.ones((len(Y), 1)), np.column_stack([side, ~side]))
        )
        if two - one > _n_parameters(Z) + GAIN:
            found[own[side]] = found.max() + 1
    return found


def _scatter_of(Z: Array, w: Array) -> Array:
    """Variances of the columns."""
    return np.diag(np.average((Z - np.average(Z, axis=0, weights=w)) ** 2, axis=0, weights=w))


def _n_parameters(Z: Array) -> int:
    """Parameters of a normal distribution of items and of its share."""
    d = int(Z.shape[1])
    return d * (d + 3) // 2 + 1


def _climbed(Z: Array, w: Array, R: Array, scatter: Array, steps: int) -> tuple[Array, Array]:
    """Log-densities and responsibilities of a mixture of normal distributions, which has these memberships at first."""
    items = Items.of(Z, w, "full", scatter=scatter, ridge=RIDGE)
    found = climb(items, R, pseudo=1.0, pseudo_items=1.0, max_iter=steps, tol=0.0)
    return np.asarray(logsumexp(log_joint(found.components, Z), axis=1)), found.responsibilities


def _above_background(Z: Array, w: Array, R: Array, scatter: Array, beneath: NDArray[np.bool_] | bool = False) -> float:
    """Log-likelihood of such a mixture above a background, which has the items `beneath` at first."""
    background, both = np.where(beneath, 1.0 - SMALL, np.full(len(Z), FIRST_SHARE)), np.zeros(len(Z))
    for _ in range(STEPS):
        log_density, R = _climbed(Z, w * (1.0 - background), R, scatter, 1)
        share = float(w @ background / w.sum())
        both = np.logaddexp(log_density + np.log1p(-share), np.log(share))
        background = np.clip(np.exp(np.log(share) - both), SMALL, 1.0 - SMALL)
    return float(w @ both)


def _gain_over_margins(Z: Array, w: Array, labels: NDArray[np.int64], scales: NDArray[np.bool_], both: float) -> float:
    """What a background, beneath these or beneath normal distributions, adds to the log-likelihood of clusters whose
    coordinates are independent, each normal or evenly spread.

    The axes are those of the items, or principal ones of a cluster where these are better. `both` is the
    log-likelihood with a background beneath normal distributions.
    """
    parts: list[tuple[NDArray[np.bool_], Array, NDArray[np.bool_]]] = []
    for k in np.unique(labels):
        own = labels == k
        centred = Z - np.average(Z[own], axis=0, weights=w[own])
        turned = centred @ np.linalg.eigh((centred[own].T * w[own]) @ centred[own])[1]
        tried = [(centred, scales), (turned, np.zeros_like(scales))]
        fits = [float(w[own] @ _log_density_of_margins(Y, own, which, w)[own]) for Y, which in tried]
        parts.append((own, *tried[int(np.argmax(fits))]))

    def log_density(weights: Array) -> Array:
        shares = [max(float(weights[own].sum() / weights.sum()), SMALL) for own, _, _ in parts]
        each = [_log_density_of_margins(Y, own, which, weights) for own, Y, which in parts]
        return np.asarray(logsumexp(np.log(shares)[:, None] + each, axis=0))

    alone, background = log_density(w), np.full(len(Z), FIRST_SHARE)
    beneath = alone
    for _ in range(STEPS):
        share = float(w @ background / w.sum())
        beneath = np.logaddexp(np.log1p(-share) + log_density(w * (1.0 - background)), np.log(share))
        background = np.clip(np.exp(np.log(share) - beneath), SMALL, 1.0 - SMALL)
    return max(both, float(w @ beneath)) - float(w @ alone)


def _log_density_of_margins(Y: Array, own: NDArray[np.bool_], scales: NDArray[np.bool_], w: Array) -> Array:
    """Logarithm of the product of the densities of columns, as those of a cluster's own items are: each normal, or
    uniform, whichever is likelier; of a rating scale also as often as each of its values came, by AIC. All are normal
    where the items are hardly denser than their box: such a cluster is a background.

    The range of n numbers is (n - 1) / (n + 1) of the interval that they came from.
    """
    n, normal, out = max(float(w[own].sum()), SMALL), np.zeros(len(Y)), np.zeros(len(Y))
    for y, scale in zip(Y.T, scales, strict=True):
        mean = float(w[own] @ y[own]) / n
        variance = float(w[own] @ (y[own] - mean) ** 2) / n + RIDGE
        best = -0.5 * (np.log(2 * np.pi * variance) + (y - mean) ** 2 / variance)
        normal += best
        most, low, width = float(w[own] @ best[own]), y[own].min(), float(np.ptp(y[own])) + RIDGE
        inside = (y >= low) & (y < low + width)
        for bins in range(1, SCALE + 1) if scale else (1,):
            at = (bins * np.where(inside, y - low, 0.0) / width).astype(np.int64)
            held = np.bincount(at[own], w[own], minlength=bins) / n * bins / width * max(n - 1.0, SMALL) / (n + 1.0)
            density = np.log(np.maximum(np.where(inside, held[at], 0.0), SMALL))
            if float(w[own] @ density[own]) - (bins - 1) > most:
                best, most = density, float(w[own] @ density[own]) - (bins - 1)
        out += best
    return out if float(w[own] @ out[own]) > DENSER * n or scales.any() else normal


def _inner_items(Z: Array, w: Array, labels: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which items are among the four fifths of their cluster that are nearest to its mean (Mahalanobis)."""
    inner = np.zeros(len(Z), dtype=bool)
    for k in np.unique(labels):
        own = labels == k
        Y = Z[own] - np.average(Z[own], axis=0, weights=w[own])
        scatter = (Y.T * w[own]) @ Y / w[own].sum() + RIDGE * np.eye(Z.shape[1])
        far = (Y * np.linalg.solve(scatter, Y.T).T).sum(axis=1)
        order = np.argsort(far, kind="stable")
        last = np.searchsorted(np.cumsum(w[own][order]), (1.0 - OUTER) * w[own].sum())
        inner[own] = far <= far[order[min(last, len(order) - 1)]]
    return inner
