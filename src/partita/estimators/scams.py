"""SCAMS: clusters and their number at once."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from partita.affinity import Builder, NeighborGraph
from partita.errors import InputError
from partita.estimators.base import FactorizationEstimator
from partita.estimators.choosing import Choose
from partita.estimators.model import Model
from partita.estimators.pipeline import Fitted
from partita.estimators.scams_choice import PartitionChoice, PartitionSearch
from partita.objectives import PerClusterObjective
from partita.scams import ADMM, LocalSearch, PathPoint, scams_path

__all__ = ["SCAMS"]


# The share for graphs of nearest neighbours: of those tried on the 29 development sets it had the best partitions.
OF_GRAPHS = 0.02
# Message about affinities with unobserved pairs.
ALL_PAIRS = "SCAMS sums over all pairs: fill those in that were not observed"
# Parameters that an `ADMM` sets itself.
TOLD_BY_ADMM = ("share", "theta", "gamma", "price", "affinity_scale")
# Parameters that a number of clusters determines.
TOLD_BY_NUMBER = ("share", "theta", "gamma")


@dataclass(eq=False, repr=False, kw_only=True)
class SCAMS(FactorizationEstimator):
    """Clusters and their number at once: simultaneous clustering and model selection [li2014].

    Objective (eq. 3): minimise over partitions, G_ij = 1 where i and j are in one cluster and 0 elsewhere,

        tr(-A^T G) + lambda rank(G) + gamma ||G||_0 = sum over pairs of one cluster (gamma - A_ij) + lambda K,

    which decides on the number of clusters too. The membership describes A by that many clusters: the minimiser of
    ||P - W diag(a) W^T||^2, P the symmetrically normalised A, from the partition on.

    Parameters
    ----------
    n_clusters : int, "auto" or the name of a criterion
        "auto": the objective decides. A number, or that which a criterion of `partita.n_clusters` finds in the
        affinity: gamma is sought at which so many clusters come out, by the local search alone.
    affinity : {"neighbors", "ssc", "ssc-omp", "lrr", "relative", "precomputed", "precomputed_distance"} or a builder
        "ssc", "lrr": of items near a union of subspaces. "neighbors": a self-tuned graph. See `SoftClustering`.
    method : {"local", "admm"} or `partita.scams.ADMM`
        "local": moves, merges and splits, level by level (`partita.scams.scams_local`); any size. "admm": Algorithm 1
        and the Boolean factorization of what it ends at, N x N, at the gamma and lambda of the local search. An `ADMM`
        brings its own, and scale, so that none of the next three options may be given; `ADMM.paper()` has the values
        as printed.
    share, theta, gamma : float, optional
        Price of a pair in one cluster, one of the three: gamma itself, gamma = theta / N, or gamma = share / m with
        m the mean size of an item's cluster, found together with the partition. None beside a number of clusters, for
        which gamma is sought. By default share is .13, which served every number of clusters and noise level of
        [li2014] section 5.1 with both affinities (`partita reproduce scams-figure2`), and .02 for a graph of nearest
        neighbours, whose clusters hang together by few of their pairs.
    price : float, optional
        lambda: on the scale "sym" the whole affinity of one item is 1. By default 1, and less where that alone would
        join items that share no affinity: then it depends on the sizes of the affinity's connected components
        (`partita.scams.local`), and `search_.lam` is what it was. A price that is given stays, and a note in `result_`
        says where it joined components.
    affinity_scale : {"sym", "mean", "none"}
        D^-1/2 A D^-1/2, or A N / sum(A), or A as it is, which needs gamma; see `partita.scams.relative`.
    polish : bool or "auto"
        After the ADMM items are moved, clusters merged and split while that lowers the objective; "auto" does so unless
        an `ADMM` was given.
    max_seconds : float, optional
        For the search, for the ADMM, and for the membership, each.
    solver, start, n_init, max_iter, tol, scale_features, missing, symmetrize, on_interrupt, checkpoint, random_state,
    n_jobs, verbose
        As in `SoF`, for the membership; `start` is the partition by default.

    Attributes
    ----------
    partition_ : array of N
        The partition of least objective; its clusters are numbered as the columns of `membership_`.
    objective_ : float
        The objective of `partition_`, all ordered pairs, in units of the affinity as scaled, with the diagonal of A
        left out: what `partita.scams.partition_objective` is of the affinity with zeros there. The same for every
        method, `ADMM.paper()` among them.
    objectives_ : dict
        The objective by each method that was run, at the same gamma and lambda.
    gamma_ : float
        As used.
    membership_, labels_, n_clusters_, entropy_, scale_, n_iter_, n_products_, result_, affinity_, item_index_
        As in `SoF`. `labels_` is the argmax of `membership_`; a note in `result_` says how many items are in another
        cluster in `partition_`.
    search_ : LocalResult
        How the local search went, with the partitions on the way; not where an `ADMM` was given.

    Raises
    ------
    InputError
        Among others where an option is given beside an `ADMM` or a number of clusters that says the same already.
    MemoryLimitError

    Notes
    -----
    Copies of a row count once in the objective, whatever their weights, and constraints are heard by the membership
    alone. Cost: `partita.scams.scams_local`, or the ADMM's N x N eigendecompositions; then the fit.

    References
    ----------
    [li2014] Z. Li, L.-F. Cheong, S. Z. Zhou, SCAMS: simultaneous clustering and model selection, CVPR 2014.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(size=(40, d)) @ rng.normal(size=(d, 20)) for d in (2, 3, 4)])
    >>> model = SCAMS(affinity="lrr", random_state=0).fit(X)
    >>> model.n_clusters_, len(set(model.partition_[:40])), bool((model.partition_ == model.labels_).all())
    (3, 1, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FactorizationEstimator._parameter_constraints,
        "method": [StrOptions({"local", "admm"}), ADMM],
        "share": [None, Interval(Real, 0, 1, closed="neither")],
        "theta": [None, Interval(Real, 0, None, closed="left")],
        "gamma": [None, Interval(Real, 0, None, closed="left")],
        "price": [None, Interval(Real, 0, None, closed="left")],
        "affinity_scale": [StrOptions({"sym", "mean", "none"})],
        "polish": ["boolean", StrOptions({"auto"})],
        "start": [StrOptions({"partition", "spectral", "kmeans", "dirichlet"}), "array-like"],
        "n_init": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
    }
    _of_given_distances: ClassVar[type[Builder]] = NeighborGraph

    n_clusters: Any = field(default="auto", kw_only=False)
    affinity: Any = "neighbors"
    start: Any = "partition"
    method: Any = "local"
    share: float | None = None
    theta: float | None = None
    gamma: float | None = None
    price: float | None = None
    affinity_scale: str = "sym"
    polish: Any = "auto"

    def path(self, thetas: Any = None) -> tuple[PathPoint, ...]:
        """Return the partitions at every gamma = theta / N, of the distinct items; see `partita.scams.scams_path`.

        `item_index_` says which of them each row is. The price (1 where none was given) and the scale are those of the
        fit; without a scale, theta is in units of the affinity.
        """
        check_is_fitted(self, "partition_")
        price, scale = self.price, self._scale()
        if isinstance(self.method, ADMM):
            price, scale = self.method.lam, self.method.scale
        settings = LocalSearch(lam=price, gamma=0.0, scale=scale)  # each point has a gamma of its own
        return scams_path(self._affinity_of_items, settings, thetas=thetas, seed=0)

    def _model(self) -> Model:
        return Model(PerClusterObjective(), "symmetric", solver=self.solver, remedy=ALL_PAIRS)

    def _start(self) -> Any:
        return "spectral" if isinstance(self.start, str) and self.start == "partition" else self.start

    def _scale(self) -> Any:
        return None if self.affinity_scale == "none" else self.affinity_scale

    def _choose(self, builder: Builder) -> Choose:
        self._refuse_twice_told()
        if self.method != "local" and self.n_clusters != "auto":
            raise InputError(
                f"n_clusters={self.n_clusters!r}: Algorithm 1 finds a number of its own; pass n_clusters='auto', or "
                "method='local', which seeks the gamma of a number"
            )
        if self.n_clusters != "auto":
            settings = LocalSearch(lam=self.price, gamma=0.0, scale=self._scale())  # gamma is sought
        else:
            settings = self._settings(builder)
        starts = isinstance(self.start, str) and self.start == "partition"
        return PartitionSearch(self.n_clusters, settings, self.method, self.polish, starts, self.max_seconds)

    def _settings(self, builder: Builder) -> LocalSearch:
        share, asked = self.share, (self.share, self.theta, self.gamma)
        if asked == (None, None, None) and isinstance(builder, NeighborGraph):
            share = OF_GRAPHS
        return LocalSearch(lam=self.price, share=share, theta=self.theta, gamma=self.gamma, scale=self._scale())

    def _refuse_twice_told(self) -> None:
        """Refuse options that contradict an ADMM, which sets all prices and the scale, or a number of clusters.

        Raises
        ------
        InputError
        """
        told: tuple[str, ...]
        if isinstance(self.method, ADMM):
            told, by = TOLD_BY_ADMM, f"method={self.method}"
            remedy = (
                "an ADMM says itself what a pair and a cluster cost, and on which scale; say so there, as gamma, "
                "theta, lam and scale, or pass method='admm'"
            )
        elif self.n_clusters != "auto":
            told, by = TOLD_BY_NUMBER, f"n_clusters={self.n_clusters!r}"
            remedy = "what a pair costs is sought so that so many clusters come out; pass one of the two"
        else:
            return
        defaults = inspect.signature(type(self)).parameters
        given = [f"{name}={getattr(self, name)!r}" for name in told if getattr(self, name) != defaults[name].default]
        if given:
            raise InputError(f"{', '.join(given)} beside {by}: {remedy}")

    def _adopt(self, fitted: Fitted) -> None:
        """The attributes of the factorization, and the partition with what it reached."""
        super()._adopt(fitted)
        assert isinstance(fitted.choice, PartitionChoice)
        found, index = fitted.choice.found, fitted.group_of_row
        assert found is not None
        of_groups = fitted.groups.first_of(found.labels)
        self.partition_ = np.where(index < 0, self.labels_, of_groups[np.maximum(index, 0)])
        self.objective_, self.objectives_, self.gamma_ = found.objective, found.objectives, found.gamma
        self._affinity_of_items = found.affinity
        self.__dict__.pop("search_", None)
        if found.search is not None:
            self.search_ = found.search
        moved = int((self.partition_ != self.labels_).sum())
        if moved and self.n_clusters_ == len(np.unique(self.partition_)):
            note = f"{moved} items have their largest membership in another cluster than in partition_"
            self.result_ = replace(self.result_, notes=(*self.result_.notes, note))
