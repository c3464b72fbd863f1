"""Calibrated memberships: a density for the posterior, and held-out fits for how certain it may be.

1. Two densities are fitted to the items (`partita.calibration.selection`): K components, and a mixture for each fitted
   cluster. BIC chooses. Without features, or with another than the Euclidean distance, or with too few items for a
   density, the fitted membership stays.
2. All is fitted again to either half of the items. How well one half's fit predicts the other's memberships gives a
   temperature (`partita.calibration.temperature`), and the reliability bins.

Nothing sees a label. At most 4,000 items are used for 1 and 2, drawn with a fixed seed; the posterior of all N
then costs N M q^2. The same fit gives the same answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array, Index
from partita.calibration.averaging import averaged_membership, smoothing_of_average
from partita.calibration.reliability import Reliability, co_membership_pairs, reliability
from partita.calibration.selection import ClusterDensity, by_components, by_merging, by_one_fit, matching
from partita.calibration.subspace import Subspace
from partita.calibration.temperature import Temperature, fit_temperature
from partita.calibration.types import Predict, Refit
from partita.errors import InputError
from partita.kernels.threads import available_cores, limit_threads
from partita.runs import outcomes_of

__all__ = ["Alternative", "Calibration", "Calibrator", "average", "calibrate", "calibrate_if_trusted"]

Method = Literal["components", "merged", "averaged", "fitted"]

# Items the densities are fitted to.
MOST_ITEMS = 4_000
SEED = 0
# A density is trusted where it calls at most so many times as many labels wrong as the best would be, and no larger
# share of all labels more.
TRUSTED, EXCESS = 2.5, 0.03
# Items of a cluster on average below which no density is asked.
FEWEST = 4
# Where a density that is fitted from the labels in one go is farther off than this, no other is looked for.
HOPELESS = 4.0


@dataclass(frozen=True)
class Alternative:
    """A reading that was tried.

    Attributes
    ----------
    method : {"components", "merged", "fitted"}
    bic : float
        Mean log-likelihood of an item less the penalty, larger is better; NaN for "fitted", which has none.
    n_components : int
    agreement : float
        Share of items in the cluster that the fit put them in.
    """

    method: Method
    bic: float
    n_components: int
    agreement: float


@dataclass(frozen=True, eq=False)
class Calibration:
    """Method and settings by which the probabilities were calibrated.

    Attributes
    ----------
    method : {"components", "merged", "averaged", "fitted"}
        Each cluster one component of a mixture; each fitted cluster a mixture of its own; the mean over resamples; or
        the fitted membership, where there is no density.
    kind : str
        Kind of the components: "full", "student", "tied", "diagonal"; empty for "fitted".
    n_components, n_dimensions : int
        Zero for "fitted".
    temperature, smoothing : float
        1 and 0.0001 where nothing had to be softened.
    stability : float
        Share of items on which the fits to either half agree; NaN where the items are too few for halves.
    reliability : Reliability or None
        Predicted co-membership against fits that have not seen the items.
    alternatives : tuple of Alternative
        Readings that were tried, the chosen one first.
    in_pieces : bool
        Whether clusters of several components each would predict held-out items better than K components (by corrected
        AIC). Which pieces make a cluster is then said by the labels that were fitted, and by no density.
    """

    method: Method
    kind: str
    n_components: int
    n_dimensions: int
    temperature: float
    smoothing: float
    stability: float
    reliability: Reliability | None
    alternatives: tuple[Alternative, ...]
    in_pieces: bool = False


@dataclass(frozen=True)
class Calibrator:
    """The map to calibrated memberships: from features where there is a density, else from fitted memberships."""

    density: ClusterDensity | None
    temperature: Temperature

    def __call__(self, features: Array | None, fitted: Array | None) -> Array:
        """Memberships of items with these features and fitted memberships; only the one that is used may be given."""
        if self.density is None:
            assert fitted is not None
            return self.temperature(fitted)
        assert features is not None
        return self.temperature(self.density.posterior(features))


def calibrate(
    features: Array | None, membership: Array, labels: NDArray[np.int64], weights: Array | None, refit: Refit | None
) -> tuple[Calibrator, Calibration]:
    """Calibrate a fit.

    Parameters
    ----------
    features : N x d array or None
        None where no density can be fitted: the membership is softened only.
    membership : N x K
        The fitted one.
    labels : N
    weights : N or None
    refit : callable or None
        Fits again to the items it is given; None where that cannot be done, and then nothing is softened.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.r_[rng.normal(0, 1, (100, 1)), rng.normal(3, 1, (100, 1))]
    >>> fitted = np.eye(2)[np.repeat([0, 1], 100)]
    >>> calibrator, calibration = calibrate(X, fitted, np.repeat([0, 1], 100), None, None)
    >>> calibration.method, calibrator(np.array([[1.5]]), None).round(1).tolist()
    ('components', [[0.5, 0.5]])
    """
    n, K = membership.shape
    d = np.ones(n) if weights is None else weights
    if K == 1:
        only = _Tried(None, (Alternative("fitted", np.nan, 0, 1.0),))
        return Calibrator(None, Temperature()), _said(only, Temperature(), np.nan, None)
    used = _used(n)
    with limit_threads(1):
        X = None if features is None else features[used]
        tried = _tried(X, membership[used], labels[used], d[used])
        return _tempered(tried, features, membership, d, used, refit)


def calibrate_if_trusted(
    features: Array, membership: Array, labels: NDArray[np.int64], weights: Array | None
) -> tuple[tuple[Calibrator, Calibration] | None, str]:
    """Calibrate a fit by a density of the items where it can be trusted, and say why or why not.

    A density gives each label a probability of being wrong. It is trusted where the fitted labels, by its word, are
    wrong at most two and a half times as often as the best labels would be, and at most three in a hundred labels more;
    where more are, the density and the fit do not speak of the same clusters. (Labels by nearest neighbours alone are
    wrong at most twice as often as the best [cover1967].) `benchmarks/README.md` has what the bounds were chosen on.
    The halves that say how certain it may be keep the fitted labels: the density alone is fitted again to each.
    Parameters as in `calibrate`.

    References
    ----------
    [cover1967] Cover, Hart: Nearest neighbor pattern classification. IEEE Transactions on Information Theory 13, 1967.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.r_[rng.normal(0, 1, (100, 1)), rng.normal(3, 1, (100, 1))]
    >>> found, why = calibrate_if_trusted(X, np.eye(2)[(X[:, 0] > 1.5).astype(int)], 1 * (X[:, 0] > 1.5), None)
    >>> found[1].method
    'components'
    >>> labels = np.arange(200) % 2  # of no clusters that a density would see
    >>> calibrate_if_trusted(X, np.eye(2)[labels], labels, None)[0] is None
    True
    """
    n, K = membership.shape
    if K == 1:
        return None, "there is one cluster"
    if n < FEWEST * K:
        return None, "there are too few distinct items for a density"
    d = np.ones(n) if weights is None else weights
    used = _used(n)
    with limit_threads(1):
        X = features[used]
        subspace = Subspace.of(X, d[used])
        wrong, least = _errors(by_one_fit(X, d[used], labels[used], K, subspace), labels[used], d[used])
        if wrong <= HOPELESS * least:
            tried = _tried(X, membership[used], labels[used], d[used], subspace)
            if tried.chosen is None:
                return None, "there are too few items for a density"
            posterior = tried.chosen.posterior(X)
            wrong, least = _errors(posterior, labels[used], d[used])
            if wrong <= min(TRUSTED * least, least + EXCESS):
                found = _tempered(tried, features, membership, d, used, _as_fitted(membership, labels))
                changed = np.average(posterior.argmax(axis=1) != labels[used], weights=d[used])
                return found, f"a density of the items changes {changed:.1%} of the labels"
    return None, (
        f"by a density of the items {wrong:.1%} of the labels would be wrong, where {least:.1%} would be expected: it "
        "describes other clusters, or items that are in none"
    )


def _as_fitted(membership: Array, labels: NDArray[np.int64]) -> Refit:
    """A part of the items as the fit to all has them."""

    def refit(part: Index) -> tuple[NDArray[np.int64], Array, Any]:
        return labels[part], membership[part], lambda others: membership[others]

    return refit


def _errors(posterior: Array, labels: NDArray[np.int64], d: Array) -> tuple[float, float]:
    """The share of labels that are wrong by the word of a posterior, and of the best labels."""
    own = posterior[np.arange(len(labels)), labels]
    return float(np.average(1.0 - own, weights=d)), float(np.average(1.0 - posterior.max(axis=1), weights=d))


def _used(n: int) -> Index:
    """The items that densities are fitted to."""
    if n <= MOST_ITEMS:
        return np.arange(n)
    return np.sort(np.random.default_rng(SEED).choice(n, MOST_ITEMS, replace=False))


@dataclass(frozen=True)
class _Tried:
    """The density that was chosen, if any, the readings that were tried, and `Calibration.in_pieces`."""

    chosen: ClusterDensity | None
    alternatives: tuple[Alternative, ...]
    in_pieces: bool = False


def _tempered(
    tried: _Tried,
    features: Array | None,
    membership: Array,
    d: Array,
    used: Index,
    refit: Refit | None,
) -> tuple[Calibrator, Calibration]:
    """The calibrator of a density (or of the fitted membership), softened as fits to halves of the items say."""
    temperature, stability, bins = Temperature(), np.nan, None
    halves = None if refit is None else _halves(tried.chosen, features, d, used, refit)
    if halves is not None:
        temperature, stability, bins = _held_out(halves, Calibrator(tried.chosen, temperature), features, membership, d)
    return Calibrator(tried.chosen, temperature), _said(tried, temperature, stability, bins)


def average(
    membership: Array, labels: NDArray[np.int64], weights: Array | None, refit: Refit | None
) -> tuple[Array, Calibrator, Calibration]:
    """Return the membership averaged over resamples, and what it is worth; parameters as in `calibrate`.

    Without a way to fit again the membership stays as it is. New items get their fitted membership, smoothed alike.
    """
    n, K = membership.shape
    d = np.ones(n) if weights is None else weights
    W = None if refit is None or K == 1 else averaged_membership(refit, membership, weights)
    if refit is None or W is None:
        return membership, *calibrate(None, membership, labels, weights, None)
    used = _used(n)
    temperature = Temperature(1.0, smoothing_of_average(K))
    calibrator, stability, bins = Calibrator(None, temperature), np.nan, None
    halves = _halves(None, None, d, used, refit)
    if halves is not None:
        _, stability, bins = _held_out(halves, calibrator, None, W, d, temperature)
    agreement = float(np.average(W.argmax(axis=1) == labels, weights=d))
    tried = _Tried(None, (Alternative("averaged", np.nan, 0, agreement), Alternative("fitted", np.nan, 0, 1.0)))
    return W, calibrator, replace(_said(tried, temperature, stability, bins), method="averaged")


def _tried(X: Array | None, W: Array, labels: NDArray[np.int64], d: Array, subspace: Subspace | None = None) -> _Tried:
    """The density of the reading that BIC prefers, its clusters named as the fitted ones."""
    fitted = Alternative("fitted", np.nan, 0, 1.0)
    if X is None:
        return _Tried(None, (fitted,))
    hard = np.eye(W.shape[1])[labels]
    components = by_components(X, d, [hard], subspace=subspace)
    if components is None:
        return _Tried(None, (fitted,))
    merged = by_merging(X, d, W, labels, like=components, subspace=subspace)
    found = sorted((density for density in (components, merged) if density), key=lambda density: -density.bic)
    tried = []
    for i, density in enumerate(found):
        V = density.posterior(X)
        if density.reading == "components":
            order = matching(V, hard, d)
            found[i], V = density.relabelled(order), V[:, np.argsort(order)]
        agreement = float(np.average(V.argmax(axis=1) == labels, weights=d))
        tried.append(Alternative(density.reading, density.bic, len(density.owner), agreement))
    return _Tried(found[0], (*tried, fitted), merged is not None and merged.best_in_pieces > components.aicc)


@dataclass(frozen=True)
class _Half:
    """A half of the items used, and what its fit says of either half: on its own items, and on the others."""

    own: Index
    other: Index
    on_own: Array
    on_other: Array


def _halves(
    chosen: ClusterDensity | None, features: Array | None, d: Array, used: Index, refit: Refit
) -> tuple[_Half, _Half] | None:
    """Fits to either half of the items; None where they are too few."""
    mixed = np.random.default_rng(SEED).permutation(used)
    parts = np.sort(mixed[::2]), np.sort(mixed[1::2])
    try:
        fits = [(own, other, *refit(own)) for own, other in (parts, parts[::-1])]
    except InputError:  # more clusters than items, say
        return None

    def half(own: Index, other: Index, labels: NDArray[np.int64], W: Array, predict: Predict) -> _Half | None:
        if chosen is None:
            return _Half(own, other, W, predict(other))
        assert features is not None
        density = _again(chosen, features[own], d[own], labels, W)
        if density is None:
            return None
        return _Half(own, other, density.posterior(features[own]), density.posterior(features[other]))

    first, second = outcomes_of(lambda fit: half(*fit), fits, len(used), available_cores())
    return None if first is None or second is None else (first, second)


def _again(chosen: ClusterDensity, X: Array, d: Array, labels: NDArray[np.int64], W: Array) -> ClusterDensity | None:
    """A density of the same reading for some of the items.

    It may start from the half's own clusters or from what the fit to all says of them; what explains it best is kept.
    """
    V = chosen.posterior(X)
    K = W.shape[1]
    if chosen.reading == "components":
        kind, q = chosen.mixture.kind, chosen.n_dimensions
        return by_components(X, d, [np.eye(K)[labels], V], dimensions=[q], kinds=[kind], n_seeds=0)
    M = len(chosen.owner)
    both = [
        by_merging(X, d, prior, names, like=chosen, n_components=M)
        for prior, names in ((W, labels), (V, V.argmax(axis=1)))
    ]
    found = [density for density in both if density is not None]
    return max(found, key=lambda density: density.bic) if found else None


def _held_out(
    halves: tuple[_Half, _Half],
    untempered: Calibrator,
    features: Array | None,
    membership: Array,
    d: Array,
    given: Temperature | None = None,
) -> tuple[Temperature, float, Reliability]:
    """The temperature (unless it is given), the agreement of the halves, and the reliability bins."""
    first, second = halves
    order = matching(
        np.r_[first.on_own, first.on_other], np.r_[second.on_other, second.on_own], d[np.r_[first.own, first.other]]
    )
    pairs = [
        (first.on_other, second.on_own[:, order], d[second.own]),
        (second.on_other[:, order], first.on_own, d[first.own]),
    ]
    temperature = given or fit_temperature(pairs).of_all()
    agree = [a.argmax(axis=1) == b.argmax(axis=1) for a, b, _ in pairs]
    stability = float(np.average(np.concatenate(agree), weights=np.concatenate([w for _, _, w in pairs])))
    rng = np.random.default_rng(SEED)
    said, held = [], []
    for half in halves:
        items = half.other
        W = temperature(untempered.density.posterior(features[items]) if untempered.density else membership[items])  # type: ignore[index]
        p, q = co_membership_pairs(W, half.on_other, np.arange(len(items)), rng)
        said.append(p)
        held.append(q)
    return temperature, stability, reliability(np.concatenate(said), np.concatenate(held))


def _said(tried: _Tried, temperature: Temperature, stability: float, bins: Reliability | None) -> Calibration:
    chosen = tried.chosen
    return Calibration(
        "fitted" if chosen is None else chosen.reading,
        "" if chosen is None else chosen.mixture.kind,
        0 if chosen is None else len(chosen.owner),
        0 if chosen is None else chosen.n_dimensions,
        temperature.value,
        temperature.smoothing,
        stability,
        bins,
        tried.alternatives,
        tried.in_pieces,
    )
