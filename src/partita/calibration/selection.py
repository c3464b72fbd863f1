"""Selection of the density: one for each of two readings of "K clusters", chosen without labels.

*Components*: each cluster is one component. K components from several starts, the fitted clusters among them. Right
where the data is such a mixture, however much the components overlap: there neighbour graphs are at their worst, and
the posterior of the mixture is what a membership should be.

*Merged*: each fitted cluster is a mixture of its own, with as many components as it needs. Right where clusters are
curved. The clusters' own mixtures are fitted first; components are handed out where they raise the likelihood most;
then all are fitted together, the fitted membership being each item's prior over clusters while the densities form
(90% of it, the rest uniform: near a boundary the densities decide, and a spiral keeps its arms). The posterior that is
reported has the densities and shares of the components alone.

Number of dimensions and kind of covariance are chosen for K components by corrected AIC [hurvich1989], which predicts
held-out likelihood: an overfitted covariance costs little, a missing one costs the posterior. Of several maxima of the
likelihood the most probable is taken, with a prior on the shares that is as one item more in each component: a few
have a spurious component of few items, and are above the right one by less than a nat of all. How many components,
and which of the two readings, by BIC [schwarz1978; fraley1998]: one component too many is a cluster torn apart, or two
merged.

Cost: some hundred EM iterations on at most the items given; N is small here (`calibrate` samples).

References
----------
[hurvich1989] Hurvich, Tsai: Regression and time series model selection in small samples. Biometrika 76, 1989.
[schwarz1978] Schwarz: Estimating the dimension of a model. Annals of Statistics 6, 1978.
[fraley1998] Fraley, Raftery: How many clusters? Which clustering method? The Computer Journal 41, 1998.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans

from partita.arrays import Array, Labels
from partita.calibration.mixture import KINDS, Kind, MixtureDensity, MixtureFit, covariance, fit_mixture
from partita.calibration.subspace import MOST_DIRECTIONS, Subspace
from partita.kernels.ellipsoids import n_parameters
from partita.kernels.threads import available_cores
from partita.runs import outcomes_of

__all__ = ["ClusterDensity", "OwnMixtures", "Reading", "by_components", "by_merging", "matching"]

T = TypeVar("T")
R = TypeVar("R")

Reading = Literal["components", "merged"]

# Dimensions tried, beside all of them where they are few.
DIMENSIONS = (2, 3, 5, 8, 12, 20, 30)
FEW_DIMENSIONS = 5
# Iterations and tolerance where many fits are compared, and where a fit is kept.
ROUGH: dict[str, Any] = {"max_iter": 60, "tol": 1e-4}
FINE: dict[str, Any] = {"max_iter": 300, "tol": 1e-6}
# k-means starts, starts that are followed to the end, and the difference in mean log-likelihood of alike ones.
SEEDS, LIKELY, ALIKE = 6, 3, 1e-4
# Iterations after which fits are compared; one that is so far behind the best, an item, is not followed.
LOOK: dict[str, Any] = {"max_iter": 15, "tol": 1e-4}
BEHIND = 0.1
# Components of one cluster, of all, and how many more than K are tried.
MOST_OF_CLUSTER, MOST = 16, 60
# Components of one cluster that are weighed on end: a ring gains by the third, not the second.
AHEAD = 4
MORE = (0, 1, 2, 3, 4, 6, 8, 11, 15, 20, 26, 33, 41, 50)
# More components are not tried once BIC has fallen by the cost of this many: a spiral's rises only after the first few.
HOPELESS = 5
# Decimals, relative to the largest coordinate, in which items differ that are not the same.
DIGITS = 9
# Items a component has at least, as a multiple of those that span its dimensions.
ITEMS_EACH = 1.5
# Rows whose posterior is computed at a time.
BATCH = 1 << 15
# Part of the prior over clusters that is the fitted membership; the rest is uniform.
TRUST = 0.9
# Iterations of one cluster's own mixtures, and those after which one is not followed that is less than half worth it.
OWN_LOOK: dict[str, Any] = {"max_iter": 8, "tol": 1e-3}
OWN: dict[str, Any] = {"max_iter": 22, "tol": 1e-3}
# A component is not tried that adds less than this share of what BIC charges for it, or less than NO_GAIN to the
# log-likelihood; nor so many that each item of the cluster would have to gain more than MOST_GAIN.
WORTH, NO_GAIN, MOST_GAIN = 0.5, 1.0, 5.0


@dataclass(frozen=True)
class ClusterDensity:
    """A density of the items whose components belong to clusters.

    Attributes
    ----------
    reading : {"components", "merged"}
    subspace, n_dimensions
        Where it is a density: the first q directions; a common Gaussian beyond.
    mixture : MixtureDensity
        M components over q coordinates.
    owner : M
        Cluster of each component.
    bic, aicc : float
        Mean log-likelihood of an item less the penalty: larger is better.
    best_in_pieces : float
        The largest AICc of merged densities of more than K components that were tried; minus infinity of none.
    """

    reading: Reading
    subspace: Subspace
    n_dimensions: int
    mixture: MixtureDensity
    owner: NDArray[np.int64]
    n_clusters: int
    bic: float
    aicc: float
    best_in_pieces: float = -np.inf

    def posterior(self, X: Array) -> Array:
        """Return the probability of each cluster given x, N x K."""
        of = np.eye(self.n_clusters)[self.owner]
        out = np.empty((len(X), self.n_clusters))
        for low in range(0, len(X), BATCH):
            Z = self.subspace.coordinates(X[low : low + BATCH], self.n_dimensions)
            out[low : low + BATCH] = self.mixture.responsibilities(Z) @ of
        return out

    def relabelled(self, order: NDArray[np.intp]) -> ClusterDensity:
        """Return the density with cluster k renamed order[k]."""
        return replace(self, owner=order[self.owner].astype(np.int64))


def by_components(
    X: Array,
    weights: Array,
    starts: Sequence[Array],
    *,
    dimensions: Sequence[int] | None = None,
    kinds: Sequence[Kind] = KINDS,
    n_seeds: int = SEEDS,
    subspace: Subspace | None = None,
) -> ClusterDensity | None:
    """Return K components: the best over dimensions, kinds of covariance and starts.

    None where the items are too few for any.

    Parameters
    ----------
    X : N x d
    weights : N
    starts : sequence of N x K
        Memberships to start from, beside those of k-means in the coordinates.
    dimensions, kinds
        What to try; a density that was chosen before fixes them.
    n_seeds : int
        Starts of k-means.
    subspace : Subspace, optional
        Of the items, by default.
    """
    subspace = subspace or Subspace.of(X, weights)
    K = starts[0].shape[1]
    tried = _dimensions(subspace.rank) if dimensions is None else sorted({min(q, subspace.rank) for q in dimensions})
    rough: list[Kind] = [kind for kind in kinds if kind != "student"] or list(kinds)
    candidates = [(q, kind, starts[0]) for q in tried for kind in rough]

    def fitted(q: int, kind: Kind, start: Array, **how: Any) -> _Scored:
        Z = subspace.coordinates(X, q)
        fit = fit_mixture(Z, weights, start, kind, scatter=covariance(Z, weights), **how)
        log_prior = _log_prior_of_shares(fit, weights) / weights.sum()
        return _Scored(q, kind, fit, *_criteria(fit, weights, subspace, q), log_prior)

    if len(candidates) > 1:
        found = _followed(fitted, candidates, ROUGH, len(X))
        if found.aicc == -np.inf:
            return None
        q, kind = found.q, found.kind
    else:
        q, kind, _ = candidates[0]
    Z = subspace.coordinates(X, q)
    likely = _likely_starts(Z, weights, starts, kind, covariance(Z, weights), n_seeds)
    tasks = [(q, candidate, start) for candidate in dict.fromkeys([kind, *kinds]) for start in likely]
    best = _followed(fitted, tasks, FINE, len(X))
    return ClusterDensity("components", subspace, q, best.fit.mixture, np.arange(K), K, best.bic, best.aicc)


class _Scored(NamedTuple):
    """A fit in q dimensions with its criteria and the log of the prior of its shares, all of them an item."""

    q: int
    kind: Kind
    fit: MixtureFit
    bic: float
    aicc: float
    log_prior: float


def _followed(
    fitted: Callable[..., _Scored], tasks: Sequence[tuple[int, Kind, Array]], to_the_end: dict[str, Any], n_items: int
) -> _Scored:
    """The best of several fits, each after a look at all of them; those far behind the best are not followed.

    AICc is infinite where items are too few, as they may be in a half: there the one kind's likelihood decides.
    """
    looks = _each(lambda task: fitted(*task, **LOOK), tasks, n_items)
    least = max(look.aicc for look in looks) - BEHIND
    near = [(look.q, look.kind, look.fit.responsibilities) for look in looks if look.aicc >= least]
    fits = _each(lambda task: fitted(*task, **to_the_end), near, n_items)
    return max(fits, key=lambda one: (one.aicc + one.log_prior, one.bic + one.log_prior))


def by_one_fit(X: Array, weights: Array, labels: Labels, n_clusters: int, subspace: Subspace) -> Array:
    """Return the posterior under one mixture of full covariances in at most ten directions, begun at the labels.

    A look at whether a density would speak of these clusters at all, at a hundredth of what the choice of one costs.
    """
    Z = subspace.coordinates(X, min(subspace.rank, FEW_DIMENSIONS))
    return fit_mixture(
        Z, weights, np.eye(n_clusters)[labels], "full", scatter=covariance(Z, weights), **ROUGH
    ).responsibilities


def _likely_starts(
    Z: Array, weights: Array, starts: Sequence[Array], kind: Kind, scatter: Array, n_seeds: int
) -> list[Array]:
    """Responsibilities from which the likelihood is highest after a few iterations, unlike ones only.

    Beside the starts given, k-means from several seeds: one start in ten or so ends with a component across two
    clusters and another cluster cut in two, and no later step mends it.
    """
    K = starts[0].shape[1]

    def means(seed: int) -> Array:
        labels = KMeans(K, n_init=1, random_state=seed).fit(Z, sample_weight=weights).labels_
        return np.asarray(np.eye(K)[labels])

    def fits(begun: list[Array], **how: Any) -> list[MixtureFit]:
        return _each(lambda start: fit_mixture(Z, weights, start, kind, scatter=scatter, **how), begun, len(Z))

    looks = fits([*starts, *_each(means, range(n_seeds), len(Z))], **LOOK)
    least = max(look.log_likelihood for look in looks) - BEHIND * weights.sum()
    tried = fits([look.responsibilities for look in looks if look.log_likelihood >= least], **ROUGH)
    scored = [(fit.log_likelihood + _log_prior_of_shares(fit, weights), fit) for fit in tried]
    ranked = sorted(scored, key=lambda one: -one[0])
    kept = ranked[:1]
    for one in ranked[1:]:
        if kept[-1][0] - one[0] > ALIKE * weights.sum():
            kept.append(one)
    return [fit.responsibilities for _, fit in kept[:LIKELY]]


def by_merging(
    X: Array,
    weights: Array,
    membership: Array,
    labels: Labels,
    *,
    like: ClusterDensity,
    n_components: int | None = None,
    subspace: Subspace | None = None,
) -> ClusterDensity | None:
    """Return a mixture for each fitted cluster: the best number of components by BIC, in the dimensions of another
    density.

    Parameters
    ----------
    membership : N x K
        The fitted one: the prior over clusters.
    labels : N
        Clusters whose own mixtures are the start.
    like : ClusterDensity
        From which dimensions and kind are taken; "full" is tried as well.
    n_components : int, optional
        No other number (or the largest there is below it), and no other kind.
    subspace : Subspace, optional
        Of the items, by default.
    """
    K = membership.shape[1]
    if np.bincount(labels, minlength=K).min() == 0:
        return None
    subspace = subspace or Subspace.of(X, weights)
    q = min(like.n_dimensions, subspace.rank)
    Z = subspace.coordinates(X, q)
    scatter = covariance(Z, weights)
    log_prior = np.log(TRUST * membership + (1 - TRUST) / K)
    best: tuple[float, Kind, NDArray[np.intp], MixtureFit] | None = None
    best_in_pieces = -np.inf
    own = [OwnMixtures(Z[labels == k], weights[labels == k], scatter) for k in range(K)]
    for kind in dict.fromkeys(["full", like.mixture.kind] if n_components is None else [like.mixture.kind]):
        if kind == "tied":  # one covariance for pieces of a curve says nothing
            continue
        price = (n_parameters(kind, 2, q) - n_parameters(kind, 1, q)) / 2 * np.log(weights.sum())
        if n_components is None:
            ladder: Iterable[list[int]] = (
                counts for counts in _handed_out(own, kind, MOST, price) if sum(counts) - K in MORE
            )
        else:
            ladder = [*_handed_out(own, kind, n_components)][-1:]
        for counts in ladder:
            M = sum(counts)
            owner = np.repeat(np.arange(K), counts)
            start = np.zeros((len(Z), M))
            for k, m in enumerate(counts):
                start[np.ix_(labels == k, owner == k)] = own[k].of(kind, m).responsibilities
            how = ROUGH | {"scatter": scatter, "pieces": M / K}
            fit = fit_mixture(Z, weights, start, kind, log_prior=log_prior[:, owner], **how)
            bic, aicc = _criteria(fit, weights, subspace, q)
            best_in_pieces = max(best_in_pieces, aicc) if M > K else best_in_pieces
            if best is None or bic > best[0]:
                best = bic, kind, owner, fit
            if bic < best[0] - HOPELESS * price / weights.sum():
                break
    if best is None:
        return None
    _, kind, owner, rough = best
    prior = log_prior[:, owner]
    how = FINE | {"scatter": scatter, "pieces": len(owner) / K}
    fit = fit_mixture(Z, weights, _with_prior(rough, prior), kind, log_prior=prior, **how)
    criteria = _criteria(fit, weights, subspace, q)
    return ClusterDensity("merged", subspace, q, fit.mixture, owner, K, *criteria, best_in_pieces)


def _each(work: Callable[[T], R], tasks: Sequence[T], n_items: int) -> list[R]:
    """Outcomes of independent fits, on every core although each of them is limited to one thread."""
    return outcomes_of(work, tasks, n_items, available_cores())


def _with_prior(fit: MixtureFit, log_prior: Array) -> Array:
    """Responsibilities that take the prior in."""
    R = fit.responsibilities * np.exp(log_prior)
    return np.asarray(R / R.sum(axis=1, keepdims=True))


def matching(estimate: Array, reference: Array, weights: Array) -> NDArray[np.intp]:
    """Return order[k]: the column of the reference that column k of the estimate is, by shared mass."""
    overlap = (estimate * weights[:, None]).T @ reference
    return np.asarray(linear_sum_assignment(-overlap)[1])


def _dimensions(rank: int) -> list[int]:
    fewer = [q for q in DIMENSIONS if q < rank] if rank > FEW_DIMENSIONS else []
    return [*fewer, rank] if rank <= MOST_DIRECTIONS else fewer


def _criteria(fit: MixtureFit, weights: Array, subspace: Subspace, q: int) -> tuple[float, float]:
    """BIC and corrected AIC an item, both halved and negated: log-likelihood less penalty."""
    total = float(weights.sum())
    p = n_parameters(fit.mixture.kind, len(fit.mixture.shares), q)
    beyond = subspace.log_likelihood_beyond(q)
    bic = (fit.log_likelihood - p / 2 * np.log(total)) / total + beyond
    room = total - p - 1
    aicc = (fit.log_likelihood - p * (1 + (p + 1) / room)) / total + beyond if room > 0 else -np.inf
    return float(bic), float(aicc)


def _log_prior_of_shares(fit: MixtureFit, weights: Array) -> float:
    """Logarithm of the prior of the shares, as of one item more in each component; zero where they are equal."""
    total, shares = weights.sum(), fit.mixture.shares
    return float(np.log((total * shares + 1) / (total / len(shares) + 1)).sum())


class OwnMixtures:
    """Mixtures of one cluster's items alone, of 1, 2, ..., `most` components, each fitted when it is asked for."""

    def __init__(self, Z: Array, weights: Array, scatter: Array) -> None:
        self._Z, self._weights, self._scatter, self.n_items = Z, weights, scatter, len(Z)
        self._starts: dict[int, Array] = {1: np.ones((len(Z), 1))}
        self._fits: dict[tuple[Kind, int], MixtureFit] = {}
        distinct = len(np.unique(np.round(Z / (np.abs(Z).max(initial=0.0) or 1.0), DIGITS), axis=0))
        self.most = max(1, min(MOST_OF_CLUSTER, int(len(Z) / (ITEMS_EACH * (Z.shape[1] + 2))), distinct))

    def of(self, kind: Kind, m: int, least: float = -np.inf) -> MixtureFit:
        """Return the mixture of m components; one that is not as likely as `least` after a look is not followed."""
        if m not in self._starts:
            labels = KMeans(m, n_init=2, random_state=0).fit(self._Z, sample_weight=self._weights).labels_
            self._starts[m] = np.eye(m)[labels]
        if (kind, m) not in self._fits:
            fit = self._fitted(kind, self._starts[m], **OWN_LOOK)
            self._fits[kind, m] = fit if fit.log_likelihood < least else self._fitted(kind, fit.responsibilities, **OWN)
        return self._fits[kind, m]

    def _fitted(self, kind: Kind, start: Array, **how: Any) -> MixtureFit:
        how |= {"scatter": self._scatter, "pieces": start.shape[1]}
        return fit_mixture(self._Z, self._weights, start, kind, **how)

    def gain(self, kind: Kind, held: int, price: float) -> float:
        """Return what one more component adds to the log-likelihood, or a few more on end, apiece.

        Only so many are tried as could be worth their price.
        """
        most = min(self.most, held + AHEAD)
        if price > 0:
            most = min(most, 1 + int(MOST_GAIN * self._weights.sum() / price))
        now, half = self.of(kind, held).log_likelihood, _worth(price) / 2
        gains = [(self.of(kind, held + m, now + m * half).log_likelihood - now) / m for m in range(1, most - held + 1)]
        return max(gains, default=0.0)


def _worth(price: float) -> float:
    """What a component that is tried adds to the log-likelihood."""
    return max(NO_GAIN, WORTH * price)


def _handed_out(own: Sequence[OwnMixtures], kind: Kind, most: int, price: float = 0.0) -> Iterator[list[int]]:
    """Components of each cluster as their total grows up to `most`: the next goes where it gains most.

    It ends where none would be worth half of its price in log-likelihood.
    """
    counts = [1] * len(own)
    yield list(counts)
    if len(own) < most:
        n_items = sum(one.n_items for one in own)
        _each(lambda one: one.gain(kind, 1, price), own, n_items)  # each is asked for first, and they remember
    while sum(counts) < most:
        gains = [one.gain(kind, held, price) for one, held in zip(own, counts, strict=True)]
        best = int(np.argmax(gains))
        if gains[best] < _worth(price):
            break
        counts[best] += 1
        yield list(counts)
