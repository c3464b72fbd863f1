"""When the components of a mixture are to be believed, beside the clustering of the methods that vote.

Both clusterings are judged by the same statistics (`partita.ensemble.validity`), and these say how probable it is that
the components are the better clusters of the two,

    p = 1 / (1 + exp(-(a + b (l - l') + c g + d g'))),

l and l' the log odds of components and of the others' clustering to be valid, g and g' how much longer gaps between
clusters are than within. The draws of the mixture have the share p of the evidence, the others what is left. The
constants were learned on the drawn families and on mixtures whose every number is drawn (`benchmarks/components.py`).

Beside columns of categories a mixture that tests do not reject is believed the more, one that they reject the less,
and either the more where its clusters explain the categories better than those of the other methods do: by the log
integrated likelihood of categories and labels (`partita.ensemble.categories`), tempered as that of latent classes.
And such a likelihood above that of one cluster tells of several. These constants were chosen over drawn tables of
classes, tables that tell nothing, and development sets with columns of categories added, with other seeds than those of
`benchmarks/mixed_tables.py --beside`.

Of one cluster or several the mixture tells more, by Mardia's tests (`partita.ensemble.normality`): one component that
fits is hardly ever several clusters, the more rarely the more items there are, several that fit are hardly ever one,
and a single one with skewed items is hardly ever one cluster: the items are too few for so many parameters as several
components have. Principal axes of many columns are skewed where these are, whatever the clusters, and tell nothing. A
few outliers make no component skewed, and scattered ones are no second component. Several whose BIC is hardly larger
than that of one component tell the less of it, down to nothing: two fit a hundred items of a square. Where a uniform
density over the items' convex hull or box describes them better than any mixture, they are hardly several. Where one
component of columns that are transformed to be as normal as can be [yeo2000] does, mixtures of these columns are asked:
a single cluster of skewed columns is best described by several components that do not fit.

The number of components has the probabilities exp(BIC / T) [schwarz1978], BIC the log-likelihood less half a logarithm
of the number of items for each parameter. T makes the most probable number right as often as it says: no mixture
is quite the one that items were drawn from.

[schwarz1978] G. Schwarz, Estimating the dimension of a model, Annals of Statistics 6, 1978.
[yeo2000] I.-K. Yeo, R. Johnson, A new family of power transformations to improve normality or symmetry, Biometrika 87,
2000.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from partita.arrays import Array, Labels
from partita.ensemble.categories import Categories
from partita.ensemble.components import (
    ALWAYS,
    Components,
    FittedMixture,
    fitted_at,
    most_probable,
    with_own_covariances,
)
from partita.ensemble.consensus import Consensus
from partita.ensemble.normality import as_normal_as_can_be, bic_of_uniform
from partita.ensemble.validity import Statistics, Validity
from partita.ensemble.weights import adjusted_rand, agreement
from partita.kernels.ellipsoids import n_parameters

__all__ = [
    "BELIEVED",
    "believed",
    "explained",
    "of_one_cluster",
    "probability_of_components",
    "starts_of",
    "told_by_categories",
    "with_components",
]

# Of the probabilities of numbers of components.
TEMPERATURE = 30.0
# Log odds that components are the better clusters: constant, weights of the difference in log odds of being valid, of
# the components' gaps and of the others'.
BELIEVED = (-1.34, 0.32, -1.06, -2.95)
# What spheres add where the number is found, and a variance for each column beside categories: they have passed tests
# that covariances of their own do not have to. One covariance for all has too, and adds nothing: on drawn tables of
# skewed columns it would be believed too often.
OF_SPHERES = 1.5
# What a mixture that fits adds to the log odds of one cluster: where it has one component, and where it has several, in
# full from so much larger a BIC than that of one component on.
OF_ONE, OF_SEVERAL, IN_FULL = 1.4, -3.2, 10.0
# What each e-fold of the items adds to that of one component, from so many on for each of its parameters: tests would
# reject it the sooner.
OF_MANY, ITEMS_EACH = 1.2, 20
# How much larger an item the BIC of another description is than that of any mixture where it counts: a uniform density,
# which adds as much as one component that fits, or one component of columns that are transformed.
BETTER = 0.2
# Beside categories: what one component that fits adds to the log odds of one cluster; and what a mixture that fits, or
# one that is rejected, adds to the log odds that components are the better clusters.
OF_ONE_BESIDE, FITS_BESIDE, REJECTED_BESIDE = 3.0, 2.0, -1.5
# Of the integrated likelihood of categories, as of latent classes.
OF_CATEGORIES = 20.0
# A single component's items are skewed where skewness is so improbable, and what that adds.
SKEWED, OF_SKEWED = 0.01, -3.7


def of_one_cluster(fit: FittedMixture, alone: FittedMixture) -> float:
    """Return what a mixture of the most probable number adds to the log odds of one cluster.

    `alone` is the mixture of one component.
    """
    several = len(fit.components.shares) > 1
    if fit.categories is None and bic_of_uniform(fit.coordinates) > fit.bic + BETTER * len(fit.coordinates):
        return OF_ONE
    if fit.fits:
        if not several:
            n, q = fit.coordinates.shape
            told = OF_ONE + OF_MANY * max(0.0, float(np.log(n / (ITEMS_EACH * n_parameters("student", 1, q)))))
            return told if fit.categories is None else OF_ONE_BESIDE
        if fit.is_one_and_outliers and fit.categories is None:
            return OF_ONE
        told = OF_SEVERAL * min(1.0, (fit.bic - alone.bic) / IN_FULL)
        return told if fit.categories is None else told - explained(fit.categories, fit.clustering.labels)
    if several or fit.n_columns > fit.coordinates.shape[1]:
        return 0.0
    return OF_SKEWED if max(fit.normality.skewness, fit.skewness_of_most) <= SKEWED else 0.0


def probability_of_components(judge: Validity, components: Labels, others: Labels, more: float = 0.0) -> float:
    """Return the probability that components are the better clusters, beside the clustering of the other methods.

    Parameters
    ----------
    judge : Validity
    components, others : array of n labels, 0..K-1
        Of the same items; no cluster is empty. 0 where either has one cluster.
    more : float
        What else adds to the log odds: that a simpler shape passed tests, and what `told_by_categories` says.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2)) + np.repeat([[0, 0], [2.5, 2.5]], 200, axis=0)
    >>> judge, two = Validity.of(X), np.repeat([0, 1], 200)
    >>> probability_of_components(judge, two, np.r_[np.zeros(399, dtype=int), 1]) > 0.5
    True
    """
    if components.max() == 0 or others.max() == 0:
        return 0.0
    alike = adjusted_rand(components, others)
    own, theirs = (judge.statistics(labels, alike) for labels in (components, others))
    return believed(own, theirs, judge.weights, more)


def told_by_categories(categories: Categories | None, components: Labels, others: Labels, *, fits: bool) -> float:
    """Return what columns of categories beside the numbers add to the log odds that components are better clusters.

    Parameters
    ----------
    categories : Categories, optional
    components, others : array of n labels
    fits : bool
        Whether tests do not reject the mixture.
    """
    if categories is None:
        return 0.0
    own = np.unique(components, return_inverse=True)[1]
    judged = categories.independent(np.eye(own.max() + 1)[own])
    told = FITS_BESIDE if fits else REJECTED_BESIDE
    return told + explained(judged, components) - explained(judged, others)


def explained(categories: Categories, labels: Labels) -> float:
    """Return how far labels explain categories better than one cluster does: tempered log odds, zero at least."""
    return max(0.0, categories.evidence(np.unique(labels, return_inverse=True)[1])) / OF_CATEGORIES


def believed(own: Statistics, theirs: Statistics, weights: Array, more: float = 0.0) -> float:
    """Return that probability from the statistics of both, the weights that these have in the log odds, and more."""
    odds = float(weights @ np.array(own) - weights @ np.array(theirs))
    return float(expit(np.dot(BELIEVED, (1.0, odds, own.gaps, theirs.gaps)) + more))


def probabilities_of_numbers(bic: Sequence[float] | Array) -> Array:
    """Return probabilities of numbers of components from their BIC.

    >>> probabilities_of_numbers([0.0, 30.0, -np.inf]).round(2).tolist()
    [0.27, 0.73, 0.0]
    """
    shares = np.exp((np.asarray(bic) - np.max(bic)) / TEMPERATURE)
    return np.asarray(shares / shares.sum())


def likeliest(held: NDArray[np.int64], chances: Array) -> int:
    """Return the most probable of those that have the most probable number of clusters.

    >>> likeliest(np.array([2, 2, 3]), np.array([0.2, 0.3, 0.4]))
    1
    """
    number = int(np.bincount(held, chances).argmax())
    return int(np.where(held == number, chances, -1.0).argmax())


def with_components(
    found: Consensus,
    one: Components,
    X: Array,
    judge: Validity,
    *,
    bounds: tuple[int, int | None] = (1, None),
    seed: int = 0,
) -> Consensus:
    """Return a consensus with the draws of a mixture beside those of the other methods.

    Parameters
    ----------
    found : Consensus
        Of the items.
    one : Components
    X : n x d array
    judge : Validity
        Of the same items, with latent variables for categories.
    bounds : pair of int, or int and None
        The smallest and the largest number of clusters. Draws with another number weigh nothing.
    seed : int

    Returns
    -------
    Consensus
        With another probability of one cluster where tests of the mixture tell it; without draws more where one
        component is best, or none within the bounds.
    """
    starts = starts_of(found)
    fitted = fitted_at(one, X, sorted(starts), seed, starts, always=max(ALWAYS, found.n_clusters))
    labels = [np.unique(fit.labels_of_clusters(), return_inverse=True)[1].astype(np.int64) for fit in fitted.values()]
    asked, bic = np.array(list(fitted)), np.array([fit.bic for fit in fitted.values()])
    held = np.array([own.max() + 1 for own in labels])
    within = (held >= max(bounds[0], 2)) & (held <= (bounds[1] or len(X)))
    if found.one is not None:
        full = _of_normal_columns(with_own_covariances(fitted), one, seed, starts)
        told = of_one_cluster(full[most_probable(full)], full[1])
        found = replace(found, one=float(expit(logit(found.one) + told)))
    if bic.argmax() == 0 or not np.isfinite(bic[within]).any():
        return found
    every = probabilities_of_numbers(np.where(within, bic, -np.inf))
    left = np.array([K - int(fit.scattered.sum()) for K, fit in fitted.items()])
    filled = np.where(held == left, every, 0.0)  # components without an item say nothing of fewer clusters
    best = likeliest(held, filled if filled.any() else every)
    fit = fitted[int(asked[best])]
    more = told_by_categories(fit.categories, labels[best], found.partition, fits=fit.fits)
    more += OF_SPHERES if fit.shape in ("spherical", "diagonal") else 0.0
    share = probability_of_components(judge, labels[best], found.partition, more)
    several = np.flatnonzero(held > 1)
    chances = every[several]
    agreed = [float(np.mean(agreement([labels[at], *found.draws[found.asked == asked[at]]])[0, 1:])) for at in several]
    return found.beside(
        [labels[at] for at in several],
        asked[several],
        chances,
        np.array(agreed),
        one,
        share,
        best=int(np.searchsorted(several, best)),
    )


def _of_normal_columns(
    full: dict[int, FittedMixture], one: Components, seed: int, starts: dict[int, list[Labels]]
) -> dict[int, FittedMixture]:
    """Return mixtures of columns as normal as can be where one component of these describes items so much better."""
    Z = full[1].coordinates
    if full[1].categories is not None or full[1].n_columns > Z.shape[1] or not Z.std(axis=0).all():
        return full
    columns, added = as_normal_as_can_be(Z)
    alone = fitted_at(one, columns, [1], seed, starts)[1]
    if (alone.full or alone).bic + added <= max(fit.bic for fit in full.values()) + BETTER * len(Z):
        return full
    return with_own_covariances(fitted_at(one, columns, sorted(starts), seed, starts, always=1))


def starts_of(found: Consensus) -> dict[int, list[Labels]]:
    """Return what each method says first of the items, for one cluster and each number that was asked for."""
    starts: dict[int, list[Labels]] = {1: []}
    seen: set[tuple[int, str]] = set()
    for K, method, said in zip(found.asked.tolist(), found.methods, found.draws, strict=True):
        if (K, method.name) not in seen:
            seen.add((K, method.name))
            starts.setdefault(K, []).append(said)
    return starts
