"""Summaries of partition draws beside the partition: balls, modes, particles, certain items, plausibility."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from partita.arrays import Array
from partita.errors import InputError
from partita.estimators.checked_parameters import seed_of
from partita.estimators.shown import Shown
from partita.partition.certainty import ItemCertainty, item_certainty
from partita.partition.cores import PartialPartition, partial_partition
from partita.partition.credible_ball import CredibleBall, check_level, credible_ball
from partita.partition.draws import PartitionDraws
from partita.partition.losses import Binder, PartitionLoss, VariationOfInformation
from partita.partition.modes import Modes, modes_as_given
from partita.partition.particles import Particles, find_particles
from partita.partition.plausible import Plausibility, plausibility
from partita.registry import did_you_mean

__all__ = ["PosteriorSummaries"]

Codes = NDArray[np.int64]


class PosteriorSummaries(Shown, ABC):
    """Summaries of the draws that a partition was found in; all need draws that have every item."""

    labels_: Codes
    loss_: PartitionLoss
    draws_: PartitionDraws | None
    max_clusters: int | None
    random_state: Any

    @property
    def outlier_(self) -> Array:
        """Share of the draws in which each item is in a cluster of its own: N numbers in [0, 1].

        Raises
        ------
        InputError
            For draws that lack items.
        """
        own = self._whole("the probability of belonging to no cluster")
        alone = np.zeros(own.n_items)
        for draw, weight in zip(own.labels, own.weights, strict=True):
            alone += weight * (np.bincount(draw)[draw] == 1)
        return np.minimum(alone, 1.0)  # up to rounding

    def credible_ball(self, level: float = 0.95, *, loss: Literal["vi", "binder"] | None = None) -> CredibleBall:
        """Return the smallest ball around `labels_` that holds a share `level` of the draws.

        Parameters
        ----------
        level : float in (0, 1]
        loss : {"vi", "binder"}, optional
            The metric. By default Binder's for losses that count pairs and the variation of information for the others.

        Raises
        ------
        InputError
            For draws that lack items.
        """
        own = self._whole("a credible ball")
        return credible_ball(self.labels_, own.labels, level=level, weights=own.counts, loss=self._metric(loss))

    def n_clusters_probabilities(self) -> dict[int, float]:
        """Return the posterior probability of each number of clusters: the share of the draws, by weight, that have it.

        Raises
        ------
        InputError
            For draws that lack items.

        Examples
        --------
        >>> from partita import BayesianPartition
        >>> draws = [[0, 0, 1], [0, 0, 1], [0, 0, 0], [0, 1, 2]]
        >>> BayesianPartition(random_state=0).fit(draws).n_clusters_probabilities()
        {1: 0.25, 2: 0.5, 3: 0.25}
        """
        own = self._whole("the probability of a number of clusters")
        share = np.minimum(np.bincount(own.n_clusters, weights=own.weights), 1.0)  # up to rounding
        return {int(K): float(share[K]) for K in np.flatnonzero(share)}

    def modes(self) -> Modes:
        """Return modes of the posterior, heaviest first, each with its partition of least expected loss.

        Mostly there is one.

        See `partita.partition.modes`. Draws are numbered as they were given to `fit`; a model of a version that did not
        keep which of them were equal numbers those of `draws_`. Where there are several modes, each costs a search.

        Raises
        ------
        InputError
            For draws that lack items.
        """
        own = self._whole("a look for modes")

        def best(draws: PartitionDraws) -> Codes:
            if draws is own:  # the one mode, whose best partition was searched for already
                return self.labels_
            return self._best(draws, None, self.loss_)

        return modes_as_given(own, self._metric(), best)

    def particles(self, L: int) -> Particles:
        """Return the posterior as L weighted partitions, heaviest first; see `partita.partition.particles`.

        Objective: minimise the mean distance of a draw from the nearest of L partitions, by the metric that a credible
        ball has by default. One particle is `labels_`, and more of them are nearer to the posterior. Draws are numbered
        as they were given to `fit`.

        Parameters
        ----------
        L : int
            From 1 to the number of different draws; at most 1,000.

        Raises
        ------
        InputError
            For an L out of range, and for draws that lack items.

        Notes
        -----
        A few L^2 searches for a partition, each as long as that of `fit` or shorter.

        References
        ----------
        [balocchi2025].

        Examples
        --------
        >>> from partita import BayesianPartition
        >>> model = BayesianPartition(random_state=0).fit([[0, 0, 1, 1]] * 5 + [[0, 1, 0, 1]] * 3 + [[0, 1, 0, 2]])
        >>> [(particle.labels.tolist(), round(particle.weight, 2)) for particle in model.particles(2).partitions]
        [([0, 0, 1, 1], 0.56), ([0, 1, 0, 1], 0.44)]
        """
        own, metric = self._whole("a set of particles"), self._metric()
        chosen = {"max_clusters": self.max_clusters, "random_state": seed_of(self.random_state)}
        return find_particles(L, own, self.labels_, partial(self._best, loss=metric), metric=metric, **chosen)

    def plausible(self, labels: ArrayLike) -> Plausibility:
        """Return how plausible a partition that comes from elsewhere is; see `partita.partition.plausible`.

        Its `probability` is the share of the draws about which the posterior is as thin as about the partition, or
        thinner; for a draw of the posterior it is at most alpha with probability at most alpha.

        Parameters
        ----------
        labels : array-like of N
            A colleague's partition, or another package's: any whole numbers or strings.

        Raises
        ------
        InputError
            For labels that are not one for each item, and for draws that lack items.

        References
        ----------
        [bariletto2025].

        Examples
        --------
        >>> from partita import BayesianPartition
        >>> model = BayesianPartition(random_state=0).fit([[0, 0, 1, 1]] * 30 + [[0, 0, 0, 1]] * 9)
        >>> found = model.plausible(["a", "a", "a", "b"])
        >>> found.probability, round(found.expected_loss, 3), found.inside(level=0.95)
        (0.25, 0.914, True)
        """
        return plausibility(labels, self._whole("a plausibility"), loss=self.loss_, metric=self._metric())

    def certainty(self) -> ItemCertainty:
        """Return the certainty of each item's assignment to its cluster; see `partita.partition.certainty`.

        Raises
        ------
        InputError
            For draws that lack items.
        """
        own = self._whole("the certainty of items")
        return item_certainty(self.labels_, own.labels, unit=self.loss_.unit or "bits", weights=own.counts)

    def certain_items(self, probability: float = 0.95) -> PartialPartition:
        """Return items whose partition holds as a whole with a stated probability, as many as greed finds.

        That is `labels_`, restricted to them: which of them are together and which are not, all at once. See
        `partita.partition.cores`.

        Parameters
        ----------
        probability : float in (0, 1]

        Raises
        ------
        InputError
            For a probability out of range, and for draws that lack items.

        Examples
        --------
        >>> from partita import BayesianPartition
        >>> model = BayesianPartition(random_state=0).fit([[0, 0, 0, 1, 1]] * 8 + [[0, 0, 1, 1, 1]] * 2)
        >>> found = model.certain_items(0.9)
        >>> found.kept.tolist(), found.labels.tolist(), found.probability
        ([0, 1, 3, 4], [0, 0, -1, 1, 1], 1.0)
        """
        check_level(probability, "probability")
        own = self._whole("a set of certain items")
        return partial_partition(self.labels_, own.labels, level=probability, weights=own.counts)

    def cores(self, level: float = 0.95) -> PartialPartition:
        """Return `certain_items(level)`: their name in 0.1.0, which goes in 0.3.0."""
        warnings.warn(
            "cores(level) will go in version 0.3.0: write certain_items(probability)", FutureWarning, stacklevel=2
        )
        return self.certain_items(level)

    # What they stand on -------------------------------------------------------------------------------------------

    @abstractmethod
    def _best(self, draws: PartitionDraws, start: Codes | None, loss: PartitionLoss) -> Codes:
        """Partition of least expected loss over some of the draws, as the estimator searches for it."""

    def _metric(self, loss: Literal["vi", "binder"] | None = None) -> PartitionLoss:
        """A distance between partitions that goes with the loss, in its unit."""
        if loss not in (None, "vi", "binder"):
            near = did_you_mean(str(loss), ("vi", "binder"))
            raise InputError(f"loss={loss!r}: a ball is measured by one of the metrics 'vi' and 'binder'{near}")
        if (loss or ("vi" if self.loss_.entropic else "binder")) == "binder":
            return Binder(normalize=getattr(self.loss_, "normalize", "n2"))
        return VariationOfInformation(unit=self.loss_.unit or "bits")

    def _whole(self, what: str) -> PartitionDraws:
        """The draws, where they have every item."""
        check_is_fitted(self, "result_")
        if self.draws_ is None:
            raise InputError(f"{what} needs draws that have every item; these lack some")
        return self.draws_
