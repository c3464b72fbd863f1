"""What a fitted factorization says of its own doubt: outliers, labels to rely on, what would change the answer.

Nothing here is part of the fit: each number is worked out when it is first asked for, from what the fit kept.
"""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from partita.affinity import Affinity
from partita.affinity.far import NEIGHBORS, SHARE
from partita.arrays import Array, Labels
from partita.calibration import Within, components_within
from partita.doubt import (
    ConfidentItems,
    ConfidentPairs,
    Layers,
    background_probability,
    certainty_by_agreement,
    certainty_of_labels,
    confident_items,
    confident_pairs,
    nested_layers,
    on_the_sphere,
    weak_support_probability,
)
from partita.doubt.coverage import require_share
from partita.doubt.outliers import COMMON, HARDLY, IF_FAR, far_rows
from partita.ensemble.categories import Columns
from partita.ensemble.consensus import Consensus
from partita.ensemble.evidence import EnsembleEvidence
from partita.ensemble.noise import above_noise
from partita.ensemble.units import Units, far_cells, frame_of, have_a_third_value
from partita.ensemble.weights import LEAST, POWER
from partita.errors import InputError
from partita.estimators.new_doubt import DoubtOfNew, doubt_of_new
from partita.estimators.new_items import NewItems
from partita.estimators.pipeline import Given
from partita.kernels.fill import completed, rounded_as
from partita.n_clusters import Verdict

__all__ = ["Doubtful", "SecondChoice"]


# Other numbers of clusters that are less probable than this are left out of the doubt.
UNLIKELY = 0.01
# Probability from which an item counts as an outlier, and the share of rows that are most of them.
OUTLIER, MOST = 0.5, 0.5
# Clusters of the finest layer, as a multiple of those of the fit, and at least.
FINER, AT_LEAST = 2, 4


class SecondChoice(NamedTuple):
    """Second choice of each item: the nearest cluster that it could go to.

    Attributes
    ----------
    cluster : array of N int
        The second most probable cluster; the item's own where there is no other.
    evidence : array of N
        Log odds of the label against it, in nats; infinite where the second has probability zero.
    """

    cluster: Labels
    evidence: Array


class Doubtful(NewItems):
    """Outliers, certainty of labels, confident sets and layers of a fitted model."""

    @property
    def _knows_doubt(self) -> bool:
        """Whether outliers and certainty can be told: not of a model that an earlier version saved."""
        return hasattr(self, "_given") or "_certainty" in self.__dict__

    @property
    def outlier_(self) -> Array:
        """Probability of each item that it belongs to no cluster: N numbers in [0, 1].

        From features: that the item is one of a uniform background beneath clusters of any shape, by columns of
        numbers; uniform on the sphere where all rows have one length; 0 where all are of categories. From an affinity,
        a graph or distances: that its affinity to its own cluster is too weak for a member of it. `membership_` says
        where it belongs if it belongs anywhere. See `partita.doubt.background_probability` for method and cost.
        """
        check_is_fitted(self)
        found: Array | None = self.__dict__.get("_outlier")
        if found is None:
            found = self._outlier = self._outliers()
        return found

    @property
    def certainty_(self) -> Array:
        """Probability of each item that its label is right: N numbers in [0, 1].

        The membership in its cluster, times the probability that the item belongs to a cluster at all, times the
        probability that another number of clusters would leave its label as it is. Where methods found the number, this
        is averaged with how far that can be believed, by its probability and their agreement, so that it may exceed the
        membership; and it is less where a mixture describes a cluster best by several components
        (`partita.doubt.certainty_by_agreement`). One that was given is taken as true, and so is a bound that is the
        answer; where the fit ended with fewer clusters the items of those that are missing are taken to be wrong: one
        in K for each. Memberships that no density calibrated are too sure, and with the number given so are those of a
        density whose clusters are several components each (`calibration_.in_pieces`): the share of the clusterings
        behind the fit that have the item there takes their place where it is smaller. Of a row with missing cells it is
        no more than its membership, as a mean over what these cells may hold.
        """
        check_is_fitted(self)
        found: Array | None = self.__dict__.get("_certainty")
        if found is None:
            right, within = self._certainty_by_number(), self._within()
            if within is not None:
                sure, depth = self.verdict_.probability_of(self.n_clusters_), within.depth[self.labels_]
                right = certainty_by_agreement(right, self._agreement_on_number(), sure, within.of_one, depth)
            right = self._mean_of_linked(right)
            right = np.where(self._have_gaps(), np.minimum(right, self._own_membership()), right)
            found = self._certainty = right * self._found_of_asked() * (1.0 - self.outlier_)
        return found

    def _mean_of_linked(self, values: Array) -> Array:
        """Return the values of rows, in which rows that must-links make one item have the mean of theirs."""
        if not hasattr(self, "_given") or self._given.must_link is None:
            return values
        seen = np.flatnonzero(self.item_index_ >= 0)
        group = self.item_index_[seen]
        out, count = values.copy(), np.maximum(np.bincount(group), 1)
        out[seen] = (np.bincount(group, values[seen]) / count)[group]
        return out

    def _certainty_by_number(self) -> Array:
        """Probability that each label is right where the item belongs to a cluster, by what is said of the number."""
        own = self._own_membership()
        if getattr(self, "_calibrator", None) is None or (self._number_is_told and self.calibration_.in_pieces):
            own = np.minimum(own, self._share_of_votes())
        return np.asarray(own * self._stands_whatever_the_number())

    def _own_membership(self) -> Array:
        """Membership of each item in its cluster, of rows with missing cells over what these may hold."""
        W, label = self.membership_, np.arange(len(self.labels_))
        own = W[label, self.labels_]
        if self._averages_over_gaps or self._given.table is None or not self._have_gaps().any():
            return np.asarray(own)
        averaged = self._over_fillings(self._given.table, W)[label, self.labels_]
        return np.asarray(np.minimum(own, averaged))

    @property
    def _averages_over_gaps(self) -> bool:
        """Whether `membership_` of rows with missing cells is a mean over what these may hold.

        Not where the fitted memberships were asked for, or other items hang on them: of must-linked ones there is one
        membership.
        """
        given = self._given
        told = any(one is not None for one in (given.must_link, given.cannot_link, given.pair_weight))
        as_fitted = told or self._plan_.probabilities == "fitted" or self.result_.status == "interrupted"
        return given.table is not None and not as_fitted

    @property
    def _number_is_told(self) -> bool:
        """Whether the number of clusters was given, or is one of the bounds that were; one cluster is no bound."""
        asked = getattr(self, "n_clusters", None)
        at_bound = isinstance(asked, tuple | list) and self.n_clusters_ > 1 and self.n_clusters_ in asked
        return not hasattr(self, "verdict_") or at_bound

    def _agreement_on_number(self) -> float | None:
        """How far methods agree on two clusters or more whose number they found; None elsewhere."""
        found: Consensus | None = getattr(self, "_consensus", None)
        return None if found is None or self.n_clusters_ == 1 else found.agreement_at(self.n_clusters_)

    def _within(self) -> Within | None:
        """The components of each cluster's items, where methods for features found the number; None elsewhere.

        What they say of certainty was not learned of a number that was given, nor of methods for graphs.
        """
        found: Consensus | None = getattr(self, "_consensus", None)
        if found is None or self._number_is_told or found.fine is not None or found.soft:
            return None
        within: Within | None = self.__dict__.get("_components")
        if within is None:
            within = self._components = self._within_of_items()
        return within

    def _within_of_items(self) -> Within:
        """The components of each cluster's distinct items: as many as they are, however often each comes.

        Outliers are none of a cluster, and a mixture would have components for them.
        """
        unseen = np.cumsum(self._item_of_row < 0) + self._item_of_row.max()  # each row that no fit has seen for itself
        item = np.where(self._item_of_row < 0, unseen, self._item_of_row)
        _, row, inverse = np.unique(item, return_index=True, return_inverse=True)
        weights = np.bincount(inverse, self._given.weights).astype(np.float64)
        kept = weights * (self.outlier_[row] <= OUTLIER)
        weights = kept if kept.any() else weights
        weights *= np.count_nonzero(weights) / weights.sum()
        found = components_within(self._complete_features()[row], self.labels_[row], weights)
        return replace(found, of_one=found.of_one[inverse])

    def labels(self, *, outliers: float | None = None) -> Labels:
        """Return the labels, with -1 for outliers.

        Parameters
        ----------
        outliers : float in [0, 1], optional
            Items whose `outlier_` is above it get -1; none by default.

        Returns
        -------
        array of N int

        Raises
        ------
        InputError

        Examples
        --------
        >>> from partita import SoftClustering
        >>> rng = np.random.default_rng(0)
        >>> X = np.r_[rng.normal(size=(200, 2)), rng.normal(9, 1, size=(200, 2)), rng.uniform(-20, 30, (40, 2))]
        >>> model = SoftClustering(2, random_state=0).fit(X)
        >>> bool((model.labels(outliers=0.5)[400:] == -1).mean() > 0.8), bool((model.labels() >= 0).all())
        (True, True)
        """
        check_is_fitted(self)
        if outliers is None:
            return self.labels_.copy()
        return np.where(self.outlier_ > require_share("outliers", outliers, "a probability"), -1, self.labels_)

    def confident(self, error: float = 0.05, *, pairs: bool = False) -> Any:
        """Return the largest set of items whose labels are expected to be wrong in at most a share of `error`.

        Parameters
        ----------
        error : float in [0, 1]
        pairs : bool
            Instead of items, the pairs that can be said to be together with at most that share of false claims.

        Returns
        -------
        `partita.doubt.ConfidentItems` (`mask`, `expected_error`, `standard_error`, `coverage`) or `ConfidentPairs`
        (`together(i, j)`, `threshold`, `expected_error`, `coverage`)

        Raises
        ------
        InputError

        Notes
        -----
        What is expected is `certainty_`: it is a promise about the clusters of a density, where one could be trusted
        (`chosen_["probabilities"]`). Classes that people gave the items may be others. It is a mean over the set: where
        the others are certain, single items in it have a certainty below one half, and may be outliers.

        Examples
        --------
        >>> from partita import SoftClustering
        >>> X = np.random.default_rng(0).normal(size=(200, 1)) + np.repeat([[0], [3]], 100, axis=0)
        >>> model = SoftClustering(2, random_state=0).fit(X)
        >>> print(model.confident(0.02))
        166 of 200 items (83%): 2.0% of their labels are expected to be wrong, give or take 1.1%
        """
        check_is_fitted(self)
        if pairs:
            own = np.maximum(self.membership_[np.arange(len(self.labels_)), self.labels_], np.finfo(float).tiny)
            doubted = self.membership_ * (self.certainty_ / own)[:, None]
            found: ConfidentPairs = confident_pairs(doubted, self.labels_, error)
            return found
        items: ConfidentItems = confident_items(self.certainty_, error, weights=self._weights_of_rows())
        return items

    def predict_doubt(self, X: Any) -> DoubtOfNew:
        """Return for new items what `outlier_` and `certainty_` say of the fitted ones.

        An item belongs to no cluster with the probability that fitted items have where they lie as densely
        (`partita.doubt.probability_of_new`). Its label is as certain as the labels of the fitted items that say where
        it belongs, the five nearest, on average; one that has another label leaves to each cluster but its own an equal
        part of what it is not certain of. Of a row with missing cells, which lies among these by what they were filled
        with, it is the membership times how certain they are. A fitted row that gets its own label has its own of both.

        Parameters
        ----------
        X : M x d features
            As in `predict_proba`, in memory.

        Raises
        ------
        InputError
            Where the evidence is no ensemble of features, and for a model that an earlier version saved.

        Examples
        --------
        >>> from partita import SoftClustering
        >>> X = np.random.default_rng(0).normal(size=(200, 1)) + np.repeat([[0], [9]], 100, axis=0)
        >>> doubt = SoftClustering(2, random_state=0).fit(X).predict_doubt([[0.5], [60.0]])
        >>> doubt.outlier.round(2).tolist(), doubt.certainty.round(2).tolist()
        ([0.0, 0.99], [1.0, 0.01])
        """
        return doubt_of_new(self, X)

    @property
    def _knows_doubt_of_new(self) -> bool:
        """Whether doubt of new items can be told: by an ensemble of features, of this version if it was loaded."""
        told = self._knows_doubt and hasattr(self, "_item_of_row") and not self._builder_.pairwise
        return told and isinstance(self._extension.evidence, EnsembleEvidence)

    def second_choice(self) -> SecondChoice:
        """Return for each item the nearest cluster that it could go to, and how much evidence that would take."""
        check_is_fitted(self)
        W = self.membership_
        own = W[np.arange(len(W)), self.labels_]
        others = W.copy()
        others[np.arange(len(W)), self.labels_] = -1.0
        second = others.argmax(axis=1) if W.shape[1] > 1 else self.labels_.copy()
        p = np.where(second == self.labels_, 0.0, W[np.arange(len(W)), second])
        with np.errstate(divide="ignore"):
            return SecondChoice(second.astype(np.int64), np.log(own) - np.log(p))

    @property
    def exemplars_(self) -> NDArray[np.intp]:
        """Row number of the exemplar of each cluster: the item with the most affinity to the others of its cluster.

        Of rows that are the same item the first. Cost: one product with the affinity.

        Raises
        ------
        AttributeError
            For a model that was loaded: its affinity is not saved with it.

        Examples
        --------
        >>> from partita import SoftClustering
        >>> X = np.array([[0.0], [1], [2], [9], [10], [11]])
        >>> SoftClustering(n_clusters=2, affinity="relative").fit(X).exemplars_.tolist()
        [1, 4]
        """
        check_is_fitted(self)
        if not hasattr(self, "affinity_"):
            raise AttributeError("exemplars_")  # why is said where attributes are looked for in vain
        _, _, own = self._support()
        of_row = np.where(self.item_index_ >= 0, own[self.item_index_], -1.0)
        return np.array([np.where(self.labels_ == k, of_row, -2.0).argmax() for k in range(self.n_clusters_)])

    def layers(self) -> Layers:
        """Return nested layers: which clusters merge next, which split next, and how stable each split is.

        Where clusterings are behind the fit (an ensemble), two clusters are together as often as these join their items
        and clusters split as these do at about twice the number; otherwise as the memberships say, with merges only.

        Returns
        -------
        `partita.doubt.Layers`
            `layers[K]` has `labels`, `membership` and `together`; `splits` the tree; printing it shows it.

        Raises
        ------
        InputError
            For a model that was loaded: the clusterings behind the fit, or its affinity, are not saved with it.

        Examples
        --------
        >>> from partita import SoftClustering
        >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 0], [0, 40]], 30, axis=0)
        >>> layers = SoftClustering(3, random_state=0).fit(X).layers()
        >>> np.bincount(layers[2].labels).tolist(), np.array_equal(layers[3].labels.max(), 2)
        ([60, 30], True)
        """
        check_is_fitted(self)
        found: Layers | None = self.__dict__.get("_layers")
        if not hasattr(self, "affinity_"):
            raise InputError("layers: a model that was loaded has no evidence to join clusters by; fit it again")
        if found is None:
            drawn = self._draws_of_rows()
            how: dict[str, Any] = {"links": self._links()} if drawn is None else {"finer": self._finer()}
            if drawn is not None:
                how |= {"draws": drawn[0], "weights": drawn[1]}
            if hasattr(self, "verdict_"):
                how["one"] = self.verdict_.probability_of(1)
            how["counts"] = self._weights_of_rows()
            found = self._layers = nested_layers(self.labels_, self.membership_, **how)
        return found

    def _outliers(self) -> Array:
        given: Given | None = getattr(self, "_given", None)
        if given is None:
            raise InputError("outlier_: this model was saved by an earlier version, without outliers; fit it again")
        directions, builder = self._directions(), self._builder_
        X = given.X if directions is None else directions
        if len(self.labels_) == 1:  # there is nothing that it could be far from
            return np.zeros(1)
        if builder.pairwise or isinstance(X, Affinity) or getattr(builder, "metric", "euclidean") != "euclidean":
            return self._weakly_supported()
        features = self._complete_features(as_rounded=True) if directions is None else directions
        columns = Columns.of(features)
        if columns.blocks and not len(columns.numbers):
            return np.zeros(len(self.labels_))
        weights, sphere = given.weights, self._sphere()
        if sphere is None:  # no combination of categories is far from the others
            seen = features if columns.categories(features) is None else features[:, columns.numbers]
            p = background_probability(seen, self.labels_, weights=weights)
            far = self._has_slips()
            kept = np.arange(len(p)) if weights is None else np.flatnonzero(weights)
            if (above := above_noise(seen[kept])).shape[1] < seen.shape[1]:  # in which distances say little
                far[kept] |= far_rows(above, np.ones(len(kept)) if weights is None else weights[kept])
            return np.where(far, np.maximum(p, IF_FAR), p)
        empty = ~X.any(axis=1)  # as far from every point of the sphere
        weights = np.where(empty, 0.0, 1.0 if weights is None else weights)

        def of(points: Array | None) -> Array:
            return background_probability(features, self.labels_, weights=weights, reference=points)

        def are_few(p: Array) -> bool:
            return bool(weights @ (p > OUTLIER) < HARDLY * weights.sum())

        p = of(sphere)
        if X.shape[1] >= COMMON and are_few(p):
            across = of(self._sphere(weights))
            if not are_few(across):
                across = of(self._sphere(weights * across))
            p = p if self._are_one_cluster(across > OUTLIER) else across
        return np.where(empty, IF_FAR if empty.sum() < NEIGHBORS else 0.0, p)

    def _are_one_cluster(self, rows: NDArray[np.bool_]) -> bool:
        """Whether most of these rows are most of one cluster: a loose one, which is scattered about its own centre."""
        own, sizes = (np.bincount(each, minlength=self.n_clusters_) for each in (self.labels_[rows], self.labels_))
        k = int(own.argmax())
        return bool(own[k] > MOST * max(rows.sum(), sizes[k]))

    def _has_slips(self) -> NDArray[np.bool_]:
        """Which rows have a cell that is far from all others of its column, and was seen at its end.

        There are none where such rows are enough to be a cluster. Beside two values a third one makes no such row.
        """
        X = self._given.X
        far = far_cells(X)
        rows = np.asarray((far & have_a_third_value(np.where(far, np.nan, X))).any(axis=1))
        return rows if rows.sum() < NEIGHBORS and rows.mean() <= SHARE else np.zeros(len(rows), dtype=bool)

    def _sphere(self, about: Array | None = None) -> Array | None:
        """Points of the background in the units of the features, where it is not uniform in their box."""
        if (directions := self._directions()) is not None:
            return on_the_sphere(directions, self._given.weights, about=about)
        X, scaling = self._given.X, self._extension.scaling
        points = None if np.isnan(X).any() else on_the_sphere(X, self._given.weights, about=about)
        if points is None or scaling is None:
            return None if points is None else frame_of(X, self._units)(points)
        return frame_of(scaling(X))(scaling(points))

    def _directions(self) -> Array | None:
        """Rows of length one of which cosines or correlations are the evidence; None where they are not."""
        metric = self._coordinates.metric if hasattr(self, "_coordinates") else None
        if metric not in ("cosine", "correlation"):
            return None
        X = np.asarray(self._given.features)
        X = X - X.mean(axis=1, keepdims=True) if metric == "correlation" else X
        lengths = np.linalg.norm(X, axis=1, keepdims=True)
        return np.asarray(X / np.where(lengths > 0, lengths, 1.0))

    def _have_gaps(self) -> NDArray[np.bool_]:
        """Which rows have missing cells, those of columns without a value left out."""
        if self._builder_.pairwise or not isinstance(self._given.X, np.ndarray):
            return np.zeros(len(self.labels_), dtype=bool)
        missing = self._missing_cells()
        missing = missing[:, ~missing.all(axis=0)]  # a column without a value says nothing of any row
        return np.asarray(missing.any(axis=1))

    def _missing_cells(self) -> NDArray[np.bool_]:
        """Which cells of the features were missing before any were filled in."""
        table = self._given.table if hasattr(self, "encoding_") else None
        return np.asarray(np.isnan(self._given.X if table is None else self.encoding_.plain(table)))

    @property
    def _units(self) -> Units:
        """Coordinates of points have the one unit of the distances."""
        return "given" if hasattr(self, "_coordinates") else "auto"

    def _complete_features(self, *, as_rounded: bool = False) -> Array:
        """The features in units that can be compared, missing cells filled in; of ratings with ratings, if asked to."""
        X, scaling = self._given.X, self._extension.scaling
        X = X if scaling is None else scaling(X)
        missing, kept = self._missing_cells(), ~np.isnan(X).all(axis=0)
        X, missing = X[:, kept], missing[:, kept]
        X = frame_of(X, self._units)(X)
        X = completed(X) if np.isnan(X).any() else X
        return rounded_as(np.where(missing, np.nan, X), X) if as_rounded and missing.any() else X

    def _weakly_supported(self) -> Array:
        """From the affinity of each group to its own cluster; rows that no fit has seen are no outliers."""
        if self._builder_.pairwise and self._builder_.of_draws:  # shares say little of the edges that they are of
            P, labels = self._builder_.as_judged(self._given.X), self.labels_
            w = np.ones(len(labels)) if self._given.weights is None else self._given.weights
            onto = np.eye(self.n_clusters_)[labels] * w[:, None]
            loops, support = w * P.diagonal(), P @ onto
            own, degree = (
                np.maximum(each - loops, 0.0) for each in (support[np.arange(len(w)), labels], support.sum(axis=1))
            )
            p, seen = np.zeros(len(labels)), np.flatnonzero(w > 0)
            seen = seen[np.argsort(self._item_of_row[seen])]  # equal support is spread out in the order that comes
            p[seen] = weak_support_probability(own[seen], labels[seen], degree[seen])
            return p
        labels, support, own = self._support()
        elsewhere = support.sum(axis=1) - support[np.arange(len(own)), labels]
        of_group = weak_support_probability(own, labels, own + elsewhere)
        return np.where(self.item_index_ >= 0, of_group[self.item_index_], 0.0)

    def _links(self) -> Array | None:
        """Mean affinity between clusters."""
        labels, support, _ = self._support()
        onto = np.eye(self.n_clusters_)[labels]
        sizes = np.maximum(onto.sum(axis=0), 1.0)
        return np.asarray(onto.T @ support / np.outer(sizes, sizes))

    def _support(self) -> tuple[Labels, Array, Array]:
        """Label of each group, its affinity to each cluster, and that to the other groups of its own."""
        group = self.item_index_
        first = np.zeros(self.affinity_.n_items, dtype=np.intp)
        seen = np.flatnonzero(group >= 0)
        first[group[seen]] = seen
        labels = self.labels_[first]
        support = np.asarray(self.affinity_ @ np.eye(self.n_clusters_)[labels])
        own = support[np.arange(len(labels)), labels] - np.asarray(self.affinity_.diagonal())
        return labels, support, np.maximum(own, 0.0)

    def _weights_of_rows(self) -> Array | None:
        given: Given | None = getattr(self, "_given", None)
        loaded: Array | None = self.__dict__.get("_row_weights")
        return loaded if given is None else given.weights

    def _weights_of_labels(self) -> Array:
        """What each row counts in its cluster: its membership, times its weight."""
        own, weights = self.membership_[np.arange(len(self.labels_)), self.labels_], self._weights_of_rows()
        return np.asarray(own if weights is None else own * weights)

    def _draws_of_rows(self) -> tuple[NDArray[np.integer[Any]], Array] | None:
        """Clusterings behind the fit, by rows, with weights of sum 1."""
        found: Consensus | None = getattr(self, "_consensus", None)
        if found is not None:
            return found.draws[:, self._place_of_row(found)], found.weights
        used = getattr(self, "ensemble_", ())
        if not used:
            return None
        weights = np.array([one.weight for one in used])
        return np.stack([one.labels for one in used]), weights / weights.sum()

    def _place_of_row(self, found: Consensus) -> NDArray[np.intp]:
        """The item of the draws that stands for each row; for rows of weight zero one of their cluster."""
        item = self._item_of_row
        if found.item is not None:
            item = np.where(item < 0, -1, found.item[item])
        _, first = np.unique(self.labels_, return_index=True)
        return np.asarray(np.where(item < 0, item[first][self.labels_], item))

    def _finer(self) -> Labels | None:
        found: Consensus | None = getattr(self, "_consensus", None)
        if found is None:
            return None
        return found.likeliest_draw(max(FINER * self.n_clusters_, AT_LEAST))[self._place_of_row(found)]

    @property
    def _n_missing(self) -> int:
        """Number of clusters that were asked for, by the number or by its lower bound, and would hold no item."""
        asked = getattr(self, "n_clusters", None)
        least = asked[0] if isinstance(asked, tuple | list) else asked
        return max(int(least) - self.n_clusters_, 0) if isinstance(least, Integral) else 0

    @property
    def _n_judged(self) -> int:
        """Number that is judged: with the empty clusters, where the fit has fewer than were asked for."""
        asked = self.n_clusters if isinstance(self.n_clusters, Integral) else 0
        judged = self.verdict_.n_clusters if hasattr(self, "verdict_") else int(asked)
        least = self.n_clusters_ + self._n_missing
        return judged if self._n_missing and judged >= least else self.n_clusters_

    def _found_of_asked(self) -> float:
        """Share of the clusters asked for that hold an item."""
        return self.n_clusters_ / (self.n_clusters_ + self._n_missing)

    def _share_of_votes(self) -> Array:
        """Share of the clusterings of an ensemble that put each item into its cluster.

        By their weights; where the number was given by the square of their agreement alone, since the voices that
        validity silences are doubt all the same.
        """
        used = getattr(self, "ensemble_", ())
        if not used:
            return np.ones(len(self.labels_))
        told = self._number_is_told
        weights = np.array([max(one.agreement, LEAST) ** POWER if told else one.weight for one in used])
        weights /= weights.sum()
        others: list[tuple[float, Labels | int]] = [
            (float(share), one.labels) for share, one in zip(weights, used, strict=True)
        ]
        return certainty_of_labels(self.labels_, others, self.n_clusters_, self._weights_of_labels())

    def _stands_whatever_the_number(self) -> Array:
        """Probability of each item that another number of clusters would leave its label as it is; of one cluster,
        that there is one.
        """
        verdict: Verdict | None = getattr(self, "verdict_", None)
        if verdict is None:
            return np.ones(len(self.labels_))
        if self.n_clusters_ == 1:
            return np.full(len(self.labels_), verdict.probability_of(1))
        found: Consensus | None = getattr(self, "_consensus", None)
        others: list[tuple[float, Labels | int]] = []
        for K, p in enumerate(verdict.probabilities, start=1):
            if self.n_clusters_ != K > 1 and p >= UNLIKELY:
                labels = K if found is None else found.likeliest_draw(K)[self._place_of_row(found)]
                others.append((float(p), labels))
        weights = self._weights_of_labels()
        stands = certainty_of_labels(self.labels_, others, self.n_clusters_, weights)
        # If there is one cluster, its name is that of each of these with the probability of its share.
        share = np.bincount(self.labels_, weights) / weights.sum()
        return np.asarray(np.maximum(stands - verdict.probability_of(1) * (1.0 - share[self.labels_]), 0.0))
