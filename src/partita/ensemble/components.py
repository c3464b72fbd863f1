"""Clusters that overlap: the components of a mixture of Student distributions.

Where clusters overlap far there is no valley between them: graphs, trees and density see one where there are several,
and no two of them agree on where to cut. The likelihood of a mixture tells them apart [mclachlan2000]. On curves,
rings and boxes it is the other way round: a mixture cuts them into pieces, and the more items the surer. So this method
has no vote among the others; `partita.ensemble.belief` says how far its clusters are to be believed.

Beside columns of categories the components are of the numbers, and within a component each column of categories is
independent of the numbers and of the other columns [hunt1999].

Of many clusters, or in many columns, a covariance each is more than there are items for, and BIC ends at too few. So
spheres, or one covariance for all, are taken where they have a larger BIC, at more components, Mardia's tests do not
reject them, and covariances of their own would not describe other items better by AIC [akaike1974]; not where there are
fewer items than these have parameters, which neither can tell anything of. One covariance is the same whatever the
units of the columns are. Of one cluster or several neither tells anything. Beside columns of categories the simpler
shape is a variance for each column of numbers, as columns are independent within a component then.

A component that is hardly denser than the box of all items is of scattered items, as a background is, and no cluster:
its items go with the most probable other component. Only in few dimensions do items fill their box.

[akaike1974] H. Akaike, A new look at the statistical model identification, IEEE Trans. Automatic Control 19, 1974.
[hunt1999] L. Hunt, M. Jorgensen, Mixture model clustering using the MULTIMIX program, Australian and New Zealand
Journal of Statistics 41, 1999.
[mclachlan2000] G. McLachlan, D. Peel, Finite Mixture Models, 2000.
[scrucca2015] L. Scrucca, A. Raftery, Improved initialisation of model-based clustering using Gaussian hierarchical
partitions, Advances in Data Analysis and Classification 9, 2015.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from partita.arrays import Array, Labels
from partita.ensemble.base import Clustering, Member, principal_axes
from partita.ensemble.categories import Categories, Columns
from partita.ensemble.normality import Mardia, mardia
from partita.kernels.ellipsoids import (
    Climbed,
    Ellipsoids,
    Items,
    Shape,
    climb,
    log_density_of_own,
    log_joint,
    n_parameters,
    normalised,
)
from partita.kernels.threads import n_threads
from partita.runs import outcomes_of
from partita.scope import tell

__all__ = ["Components", "FittedMixture", "fitted_at", "most_probable", "with_own_covariances"]

# Steps of expectation and maximisation, and those after which all starts are compared, and the likeliest few again.
MAX_ITER, TOLERANCE, LOOK, FIRST = 100, 1e-4, 3, 10
LIKELY = 3
# Dimensions in which items may fill their box, and how many times as dense as that a cluster is at least.
FEW_DIMENSIONS, SPARSE = 5, 3.0
# Share of the items that lie farthest from the mean, and of those in other components than the dense one, which may be
# outliers.
FARTHEST, OUTLYING = 0.02, 0.05
# Runs of k-means of each kind more at which a mixture is begun that tests may not reject.
MORE_STARTS = 2
# How much larger the BIC of the other shape may be an item where the first steps of a simpler one are its last.
FAR = 1.0
# Each component's scatter has so much of all items' added, as of so many items.
PSEUDO, PSEUDO_ITEMS, RIDGE = 1.0, 1.0, 1e-4
# Numbers in a row below the best, after which more components are not tried; those up to which all are; and how many
# are tried at a time.
PATIENCE, ALWAYS, AT_ONCE = 3, 6, 2
# A mixture does not fit where its items are so improbable, and no likelier one is looked for where they are so much so,
# or where the BIC of another number is so much larger an item.
REJECTED, BEYOND_DOUBT, BEHIND = 0.05, 1e-3, 0.2


@dataclass(frozen=True)
class FittedMixture:
    """A mixture's clustering, and its log-likelihood less half of log n for each parameter.

    `reaches` is that of the best shape, whether tests reject it or not: while it rises with the number of components,
    more of them are tried. Of a simpler `shape`, `full` is the mixture of components with covariances of their own.
    Fewer `coordinates` than columns of numbers are principal axes.
    """

    clustering: Clustering
    bic: float
    reaches: float
    coordinates: Array
    components: Ellipsoids
    n_columns: int
    full: FittedMixture | None = None
    categories: Categories | None = None
    shape: Shape = "student"

    @cached_property
    def normality(self) -> Mardia:
        """Mardia's tests of the components."""
        return mardia(self.coordinates, self.components, np.asarray(self.clustering.membership))

    @cached_property
    def scattered(self) -> NDArray[np.bool_]:
        """Which components are hardly denser than the box of all items, at least two others left.

        Their items are scattered around the clusters, as those of a background are (`partita.doubt.rivals`). Only in
        few dimensions, where items fill their box.
        """
        return self._sparse if (~self._sparse).sum() > 1 else np.zeros_like(self._sparse)

    @property
    def is_one_and_outliers(self) -> bool:
        """Whether all but one component are of scattered items, and few of them together."""
        few = float(self._held[self._sparse].sum()) <= OUTLYING * len(self.coordinates)
        return few and int((~self._sparse).sum()) == 1

    @cached_property
    def _held(self) -> Array:
        """Items of each component."""
        return np.asarray(np.asarray(self.clustering.membership, dtype=np.float64).sum(axis=0))

    @cached_property
    def _sparse(self) -> NDArray[np.bool_]:
        """Which components are hardly denser than the box of all items; none that holds too few to tell."""
        Z, Q = self.coordinates, np.asarray(self.clustering.membership, dtype=np.float64)
        sparse = np.zeros(len(self._held), dtype=bool)
        if self.categories is not None or Z.shape[1] > FEW_DIMENSIONS:
            return sparse
        volume = np.log(np.maximum(np.ptp(Z, axis=0), np.finfo(float).tiny)).sum()
        for k in np.flatnonzero(self._held >= Z.shape[1] + 2):
            sparse[k] = log_density_of_own(Z, Q[:, k]) + volume <= np.log(SPARSE)
        return sparse

    @property
    def skewness_of_most(self) -> float:
        """Probability of a skewness as large as that of the items of a single component, but for the farthest few."""
        (mean,), (whitener,) = self.components.means, self.components.whiteners
        distance = np.linalg.norm((self.coordinates - mean) @ whitener, axis=1)
        kept = self.coordinates[distance <= np.quantile(distance, 1.0 - FARTHEST)]
        return mardia(kept, self.components, np.ones((len(kept), 1))).skewness

    def labels_of_clusters(self) -> Labels:
        """Return the labels, in which scattered items are with the most probable of the other components."""
        if not self.scattered.any():
            return self.clustering.labels
        membership = np.asarray(self.clustering.membership)
        return np.asarray(np.where(self.scattered, -1.0, membership).argmax(axis=1), dtype=np.int64)

    @property
    def fits(self) -> bool:
        """Whether tests do not reject that the items came from the components."""
        return self.normality.both > REJECTED


@dataclass(frozen=True)
class Components(Member):
    """Mixture of K Student components with covariances of their own and common degrees of freedom, or spheres; soft.

    Beside columns of categories each component has probabilities of these as well.

    Begun at k-means of the items, at k-means of these with an identity for their scatter [scrucca2015], which does not
    cut long clusters across, and at what other methods say: k-means alone leaves about one mixture in five in a maximum
    of the likelihood that is not the largest. Beside other methods one run of each is enough where tests reject the
    mixture, whose likelihood then tells little. A likelier one that they do not reject, from two runs of each more and
    after a longer look at every start, is taken in its place.

    Cost: `n_starts` + 2 runs of k-means of each kind and three hundred steps at most, n K q^2 each, in q =
    `max_dimensions` directions or as many as there are features.

    Parameters
    ----------
    max_dimensions : int
        Features up to which they are taken as they are; of more, so many leading principal axes.
    n_starts : int
        k-means starts of each kind where there are no others; the likeliest three of all starts after three steps go
        on to ten, the best of them to the end.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(200, 2)) + np.repeat([[0, 0], [3, 3]], 100, axis=0)
    >>> labels = Components().cluster(X, 2, np.random.default_rng(0)).labels
    >>> int(min((labels[:100] == k).sum() + (labels[100:] != k).sum() for k in (0, 1)))
    4
    """

    name = "components"
    idea = "mixture of Student distributions"
    seeks_number = False
    votes = False

    max_dimensions: int = 10
    n_starts: int = 2

    def has_room(self, n_items: int, n_clusters: int, n_features: int) -> bool:
        """Return whether there are items enough to estimate so many components."""
        return n_items >= n_clusters * (min(n_features, self.max_dimensions) + 2)

    def cluster(self, X: Array, n_clusters: int, rng: np.random.Generator) -> Clustering:
        return self.fitted(X, n_clusters, rng).clustering

    def fitted(
        self,
        X: Array,
        n_clusters: int,
        rng: np.random.Generator,
        starts: Sequence[Labels] = (),
        *,
        best: float = -np.inf,
        n_jobs: int = 1,
    ) -> FittedMixture:
        """Return the clustering with its BIC; minus infinity where the items are too few for so many components.

        `starts` are labels of the items by other methods; those of more clusters are left out. `best` is the largest
        BIC of other numbers of components with covariances of their own. `n_jobs` are followed at a time.
        """
        columns = Columns.of(X)
        categories = columns.categories(X)
        space = _Space.of(X, columns if categories is not None else None, self.max_dimensions)
        Z = space.coordinates(X)
        given = [labels for labels in starts if labels.max() < n_clusters] if n_clusters > 1 else []
        n_starts = 1 if given or n_clusters == 1 else self.n_starts
        seeds = [int(rng.integers(2**31 - 1)) for _ in range(n_starts + MORE_STARTS)]
        seen = [Z]
        if categories is not None and n_clusters > 1:  # numbers alone and categories alone may be too few to part
            either = [Y for Y in (Z, categories.scaled) if len(np.unique(Y, axis=0)) >= n_clusters]
            seen = [X, *either]
        climbs = _Climbs(Z, n_clusters, n_jobs, space, categories)
        if categories is None and n_clusters > 1 and Z.shape[1] > 1:
            seen.append(climbs.sphered)

        def means(some: Sequence[int]) -> list[Labels]:
            return [KMeans(n_clusters, n_init=1, random_state=seed).fit(Y).labels_ for Y in seen for seed in some]

        found = self._of_shapes(climbs, means(seeds[:n_starts]) + given, lambda: means(seeds[n_starts:]), best)
        if categories is None:
            return found
        return replace(found, clustering=replace(found.clustering, fits=found.fits))

    def _of_shapes(
        self, climbs: _Climbs, begun: Sequence[Labels], more: Callable[[], Sequence[Labels]], best: float
    ) -> FittedMixture:
        """The mixture of covariances of their own, or of the simpler shape; `more` are starts for the former."""
        Z, n_clusters = climbs.Z, climbs.n_clusters
        own = climbs.fitted("student", looks := climbs.looked("student", begun))
        if not self.has_room(len(Z), n_clusters, Z.shape[1]):
            return replace(own, bic=-np.inf, reaches=-np.inf)
        if climbs.n_parameters("student") > len(Z):
            return own
        if n_clusters > 1 and own.bic >= best - BEHIND * len(Z):
            own = climbs.or_likelier(own, looks, more)
        return climbs.or_simpler(own, begun)


@dataclass(frozen=True, eq=False)
class _Space:
    """Where the numbers of items are seen: (X - centre) axes, of all columns or of those beside categories."""

    centre: Array
    axes: Array
    columns: Columns | None = None

    @classmethod
    def of(cls, X: Array, columns: Columns | None, most: int) -> _Space:
        """All columns of numbers, or as many leading principal axes of theirs as may be."""
        numbers = X if columns is None else X[:, columns.numbers]
        axes = np.eye(numbers.shape[1])
        if numbers.shape[1] > most:
            axes = principal_axes(numbers)[0][:, :most]
        return cls(numbers.mean(axis=0), axes, columns)

    def coordinates(self, X: Array) -> Array:
        return np.asarray(((X if self.columns is None else X[:, self.columns.numbers]) - self.centre) @ self.axes)

    def responsibilities(self, fit: Climbed, components: Ellipsoids, X: Array) -> Array:
        joint = log_joint(components, self.coordinates(X))
        if self.columns is not None and fit.log_probabilities is not None:
            joint = joint + self.columns.cells(X) @ fit.log_probabilities.T
        return normalised(joint)[0]


@dataclass(frozen=True)
class _Climbs:
    """Mixtures of so many components of the same items, at Z and with categories beside."""

    Z: Array
    n_clusters: int
    n_jobs: int
    space: _Space
    categories: Categories | None

    def n_parameters(self, shape: Shape) -> int:
        beside = 0 if self.categories is None else self.n_clusters * self.categories.n_free
        return n_parameters(shape, self.n_clusters, self.Z.shape[1]) + beside

    def price(self, shape: Shape) -> float:
        """Half a logarithm of the number of items for each parameter."""
        return float(self.n_parameters(shape) / 2 * np.log(len(self.Z)))

    @cached_property
    def fewer(self) -> float:
        """What is added to the scatter of a sphere, which has one number to estimate."""
        return float(PSEUDO / self.n_clusters ** (2 / self.Z.shape[1]))

    @cached_property
    def scale(self) -> Array:
        """Scatter of all items."""
        n, q = self.Z.shape
        scale = self.Z.T @ self.Z / n
        scale += (RIDGE * np.trace(scale) / q + np.finfo(float).tiny ** 0.5) * np.eye(q)
        return np.asarray(scale)

    @property
    def sphered(self) -> Array:
        """The items with an identity for their scatter."""
        return np.asarray(np.linalg.solve(np.linalg.cholesky(self.scale), self.Z.T).T)

    @cached_property
    def full(self) -> Items:
        """The items for covariances of their own."""
        return Items.of(self.Z, np.ones(len(self.Z)), "student", scatter=self.scale)

    @cached_property
    def simple(self) -> dict[Shape, Items]:
        """The items for each simpler shape."""
        return {shape: Items.of(self.Z, np.ones(len(self.Z)), shape, scatter=self.scale) for shape in self.simpler}

    def climbed(self, shape: Shape, begun: Sequence[Array], max_iter: int, *, fewer: bool = False) -> list[Climbed]:
        """Return what is climbed to from responsibilities, the likeliest first."""
        pseudo = self.fewer if fewer or shape == "spherical" else PSEUDO
        how: dict[str, Any] = {"pseudo": pseudo, "pseudo_items": PSEUDO_ITEMS, "categories": self.categories}
        how |= {"max_iter": max_iter, "tol": TOLERANCE}
        items = self.full if shape == "student" else self.simple[shape]
        found = outcomes_of(lambda start: climb(items, start, **how), begun, len(self.Z), self.n_jobs)
        return sorted(found, key=lambda one: -one.log_likelihood)

    def looked(self, shape: Shape, begun: Sequence[Labels]) -> list[Climbed]:
        """Return what a few steps from these labels lead to, the likeliest first."""
        return self.climbed(shape, [np.eye(self.n_clusters)[labels] for labels in begun], LOOK)

    def fitted(self, shape: Shape, looks: Sequence[Climbed]) -> FittedMixture:
        """Return the mixture that is likeliest of those that went on from these looks."""
        tried = looks
        for steps, kept in ((FIRST, LIKELY), (MAX_ITER, 1)):
            tried = self.climbed(shape, [one.responsibilities for one in tried[:kept]], steps)
        best, found, space = tried[0], tried[0].components, self.space
        if found.whiteners.ndim == 2:
            found = found._replace(whiteners=found.whiteners[:, :, None] * np.eye(self.Z.shape[1]))

        def responsibilities(Y: Array) -> Array:
            return space.responsibilities(best, found, Y)

        bic = float(best.log_likelihood) - self.price(shape)
        clustering = Clustering(best.responsibilities, responsibilities)
        n_columns = len(space.axes)
        return FittedMixture(clustering, bic, bic, self.Z, found, n_columns, categories=self.categories, shape=shape)

    @property
    def simpler(self) -> tuple[Shape, ...]:
        """Spheres and one covariance for all; beside categories numbers that are independent within a component."""
        if self.categories is not None:
            return ("diagonal",)
        return ("spherical",) if self.n_clusters == 1 else ("spherical", "tied")

    def or_likelier(
        self, own: FittedMixture, looks: Sequence[Climbed], more: Callable[[], Sequence[Labels]]
    ) -> FittedMixture:
        """Return what longer looks at these and more starts lead to where it is likelier and tests do not reject it."""
        if own.normality.both < BEYOND_DOUBT:
            return own
        begun = [one.responsibilities for one in looks] + [np.eye(self.n_clusters)[labels] for labels in more()]
        found = self.fitted("student", self.climbed("student", begun, FIRST))
        return found if found.bic > own.bic and found.fits else own

    def or_simpler(self, own: FittedMixture, begun: Sequence[Labels]) -> FittedMixture:
        """Return a simpler shape where BIC, Mardia's tests and AIC take it, and otherwise the mixture `own`."""
        looks = {shape: self.looked(shape, begun) for shape in self.simpler}
        near = [
            shape
            for shape in self.simpler  # later steps change less
            if looks[shape][0].log_likelihood - self.price(shape) >= own.bic - FAR * len(self.Z)
        ]
        for found, shape in sorted(
            ((self.fitted(shape, looks[shape]), shape) for shape in near), key=lambda each: -each[0].bic
        ):
            if found.bic <= own.bic:
                break
            own = replace(own, reaches=max(own.reaches, found.bic))
            if not found.fits:
                continue
            (full,) = self.climbed("student", [np.asarray(found.clustering.membership)], MAX_ITER, fewer=True)
            gained = full.log_likelihood - (found.bic + self.price(shape))
            if gained <= self.n_parameters("student") - self.n_parameters(shape):
                return replace(found, full=own)
        return own


def fitted_at(
    one: Components,
    X: Array,
    numbers: Sequence[int],
    seed: int,
    starts: Mapping[int, Sequence[Labels]] | None = None,
    *,
    always: int = ALWAYS,
) -> dict[int, FittedMixture]:
    """Return mixtures of so many components, one number after the other until BIC has fallen for several in a row.

    `starts` are labels to begin at, for each number. Numbers up to `always` are tried whatever BIC does.
    """

    def fitted(K: int) -> FittedMixture:
        rng = np.random.default_rng([seed, K, zlib.crc32(one.name.encode())])
        best = -np.inf
        if always < K:  # of the numbers that are known whether one is tried at a time or AT_ONCE
            known = numbers[: max(0, numbers.index(K) + 1 - AT_ONCE)]
            best = max(((found[other].full or found[other]).bic for other in known), default=-np.inf)
        return one.fitted(X, K, rng, () if starts is None else starts.get(K, ()), best=best)

    def told(n_done: int) -> None:
        tell("choosing the number of clusters: components of a mixture", len(found) + n_done, len(numbers))

    def of(some: Sequence[int]) -> Iterable[tuple[int, FittedMixture]]:
        return zip(some, outcomes_of(fitted, some, len(X), told=told), strict=True)

    found: dict[int, FittedMixture] = {}
    found.update(of([K for K in numbers if always >= K]))
    left = list(numbers[len(found) :])
    step = min(n_threads(), AT_ONCE)
    while left and _goes_on(found):
        for K, fit in of(left[:step]):
            if _goes_on(found):  # what was fitted ahead is dropped otherwise
                found[K] = fit
        left = left[step:]
    # Simpler shapes are there for more clusters than there are items to estimate covariances of.
    full = with_own_covariances(found)
    return found if most_probable(full) <= most_probable(found) else full


def _goes_on(found: Mapping[int, FittedMixture]) -> bool:
    """Whether BIC has not fallen for several numbers in a row."""
    reaches = [fit.reaches for fit in found.values()]
    return max(reaches[-PATIENCE:], default=0.0) >= max(reaches, default=0.0)


def with_own_covariances(fitted: Mapping[int, FittedMixture]) -> dict[int, FittedMixture]:
    """Return the mixtures of components with covariances of their own at each number."""
    return {K: fit.full or fit for K, fit in fitted.items()}


def most_probable(fitted: Mapping[int, FittedMixture]) -> int:
    """Return the number of components of the largest BIC."""
    return max(fitted, key=lambda K: fitted[K].bic)
