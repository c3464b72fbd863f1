"""SCAMS: clusters and their number at once."""

from __future__ import annotations

import dataclasses
import inspect
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from partita.affinity import Affinity, Builder, NeighborGraph
from partita.affinity.normalise import How
from partita.errors import InputError
from partita.estimators.base import FactorizationEstimator
from partita.estimators.choosing import Choice, Undivided, judged
from partita.estimators.constraints import Constraints
from partita.objectives import Objective, PerClusterObjective
from partita.scams import (
    ADMM,
    LocalResult,
    LocalSearch,
    PathPoint,
    boolean_factorization,
    partition_objective,
    polished,
    scams_admm,
    scams_local,
    scams_path,
    scams_with,
)
from partita.scams.pieces import joined_by_price, pieces_of_affinity
from partita.solvers import Solver

__all__ = ["SCAMS"]

Labels = NDArray[np.int64]

# The share for graphs of nearest neighbours: of those tried on the 29 development sets it had the best partitions.
OF_GRAPHS = 0.02
# Objectives that differ by no more, relative to them, are equal.
EQUAL = 1e-9
# What an `ADMM` says itself.
TOLD_BY_ADMM = ("share", "theta", "gamma", "price", "affinity_scale")
# What follows from a number of clusters.
TOLD_BY_NUMBER = ("share", "theta", "gamma")
# Shares beside the one that is used, to see whether the number depends on it.
ASIDE = (0.75, 4.0 / 3.0)


class SCAMS(FactorizationEstimator):
    """Simultaneous clustering and model selection [li2014].

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
        What a pair in one cluster costs, one of the three: gamma itself, gamma = theta / N, or gamma = share / m with
        m the mean size of an item's cluster, found together with the partition. None beside a number of clusters, for
        which gamma is sought. By default share is .13, which served every number of clusters and noise level of
        [li2014] section 5.1 with both affinities (`partita reproduce scams-figure2`), and .02 for a graph of nearest
        neighbours, whose clusters hang together by few of their pairs.
    price : float, optional
        lambda: on the scale "sym" the whole affinity of one item is 1. By default 1, and less where that alone would
        join items that share no affinity: then it depends on how large the pieces of the affinity are
        (`partita.scams.local`), and `search_.lam` is what it was. A price that is given stays, and a note in `result_`
        says where it joined pieces.
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
    _chooses: ClassVar[bool] = True
    _all_pairs: ClassVar[str] = "SCAMS sums over all pairs: fill those in that were not observed"

    partition_: Labels
    objectives_: dict[str, float]
    gamma_: float
    search_: LocalResult

    def __init__(
        self,
        n_clusters: int | str = "auto",
        *,
        affinity: str | Builder = "neighbors",
        method: str | ADMM = "local",
        share: float | None = None,
        theta: float | None = None,
        gamma: float | None = None,
        price: float | None = None,
        affinity_scale: str = "sym",
        polish: bool | str = "auto",
        solver: Solver | None = None,
        start: Any = "partition",
        n_init: int | str = "auto",
        max_iter: int = 1000,
        tol: float = 1e-4,
        max_seconds: float | None = None,
        scale_features: str = "none",
        missing: str = "error",
        symmetrize: str | None = None,
        on_interrupt: str = "raise",
        checkpoint: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.method = method
        self.share = share
        self.theta = theta
        self.gamma = gamma
        self.price = price
        self.affinity_scale = affinity_scale
        self.polish = polish
        self.solver = solver
        self.start = start
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.max_seconds = max_seconds
        self.scale_features = scale_features
        self.missing = missing
        self.symmetrize = symmetrize
        self.on_interrupt = on_interrupt
        self.checkpoint = checkpoint
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def path(self, thetas: Any = None) -> tuple[PathPoint, ...]:
        """The partitions at every gamma = theta / N, of the distinct items; see `partita.scams.scams_path`.

        `item_index_` says which of them each row is. The price (1 where none was given) and the scale are those of the
        fit; without a scale, theta is in units of the affinity.
        """
        check_is_fitted(self, "partition_")
        price, scale = self.price, self._scale()
        if isinstance(self.method, ADMM):
            price, scale = self.method.lam, self.method.scale
        settings = LocalSearch(lam=price, gamma=0.0, scale=scale)  # each point has a gamma of its own
        return scams_path(self._pairs, settings, thetas=thetas, seed=0)

    def _objective(self) -> Objective:
        return PerClusterObjective()

    def _normalization(self) -> How:
        return "symmetric"

    def _scale(self) -> Any:
        return None if self.affinity_scale == "none" else self.affinity_scale

    def _settings(self) -> LocalSearch:
        share, asked = self.share, (self.share, self.theta, self.gamma)
        if asked == (None, None, None) and isinstance(self._builder(), NeighborGraph):
            share = OF_GRAPHS
        return LocalSearch(lam=self.price, share=share, theta=self.theta, gamma=self.gamma, scale=self._scale())

    def _distance_builder(self) -> Builder:
        return NeighborGraph(metric="precomputed")

    def _choice(self, shown: Undivided, constraints: Constraints | None) -> Choice:
        """SCAMS' own partition, and its number of clusters."""
        self._refuse_twice_told()
        if self.method != "local" and self.n_clusters != "auto":
            raise InputError(
                f"n_clusters={self.n_clusters!r}: Algorithm 1 finds a number of its own; pass n_clusters='auto', or "
                "method='local', which seeks the gamma of a number"
            )
        told: int | None = None
        notes: list[str] = []
        if isinstance(self.n_clusters, str) and self.n_clusters != "auto":
            choice = judged(shown, self.n_clusters)
            told, notes = choice.n_clusters, [*choice.notes]
        elif self.n_clusters != "auto":
            told = int(self.n_clusters)
        self._pairs: Affinity = shown.apart()[0].affinity
        self.__dict__.pop("search_", None)
        if isinstance(self.method, ADMM):
            labels, notes = self._by_admm(self.method, shown.seed, polish=self.polish is True)
        else:
            labels, said = self._by_search(told, shown.seed)
            notes += said
        if self.method == "admm":
            settings = ADMM(lam=self.search_.lam, gamma=self.gamma_, scale=self._scale())
            labels, said = self._by_admm(settings, shown.seed, polish=self.polish is not False)
            of_search = set(self.search_.notes) - set(self.search_.search.notes)  # of its partition, not of this one
            notes = [note for note in notes if note not in of_search] + said
            if self.objective_ > self.search_.objective + EQUAL * abs(self.objective_):
                notes.append(
                    f"the local search reached {self.search_.objective:.6g} on this objective, the ADMM "
                    f"{self.objective_:.6g}: its partition is in search_"
                )
        self._found, self._of_partition = labels, self.objective_
        least = 1 if constraints is None or not len(constraints.apart) else 2
        return Choice(int(labels.max()) + 1, start=labels, notes=tuple(notes)).within(least, shown.most)

    def _refuse_twice_told(self) -> None:
        """An ADMM says what pairs and clusters cost, and on which scale; a number of clusters what a pair costs.

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

    def _by_search(self, told: int | None, seed: int) -> tuple[Labels, list[str]]:
        """The partition of the local search, of so many clusters if told, and what to say of it."""
        if told is not None:
            settings = LocalSearch(lam=self.price, gamma=0.0, scale=self._scale())  # gamma is sought
            found, aside = scams_with(self._pairs, told, settings, seed=seed), []
        else:
            settings = self._settings()
            found = scams_local(self._pairs, settings, seed=seed, max_seconds=self.max_seconds)
            aside = self._aside(found, settings, seed)
        self.search_, self.gamma_, self.objective_ = found, found.gamma, found.objective
        self.objectives_ = {"local": found.objective}
        return found.labels, [*found.notes, *aside]

    def _by_admm(self, settings: ADMM, seed: int, *, polish: bool) -> tuple[Labels, list[str]]:
        """The partition of Algorithm 1, Algorithm 2 and moves from where they end, and what to say of it."""
        ended = scams_admm(self._pairs, settings, max_seconds=self.max_seconds)
        A = settings.prepare(self._pairs)
        labels = boolean_factorization(ended.pattern, A, max_clusters=ended.max_clusters).labels
        np.fill_diagonal(A, 0.0)  # the same for every partition, and for every method left out of the objective
        objective = partition_objective(labels, A, ended.gamma, ended.lam)
        reached = {"admm": objective}
        if polish:
            labels = polished(A, labels, ended.gamma, ended.lam, seed=seed)
            reached["admm, polished"] = objective = partition_objective(labels, A, ended.gamma, ended.lam)
        self.gamma_, self.objective_ = ended.gamma, objective
        self.objectives_ = reached | ({"local": self.search_.objective} if hasattr(self, "search_") else {})
        return labels, joined_by_price(labels, ended.lam, pieces_of_affinity(A))

    def _aside(self, found: LocalResult, settings: LocalSearch, seed: int) -> list[str]:
        """What another share would have said; nothing where it says the same."""
        if settings.share is None or self.max_seconds is not None:
            return []
        others = {}
        for factor in ASIDE:
            share = min(settings.share * factor, 0.99)
            others[share] = scams_local(self._pairs, dataclasses.replace(settings, share=share), seed=seed).n_clusters
        if all(number == found.n_clusters for number in others.values()):
            return []
        words = " and ".join(f"{number} with share={share:.2g}" for share, number in others.items())
        return [f"the number of clusters depends on share: {found.n_clusters} with {settings.share:.2g}, {words}"]

    def _start(
        self, choice: Choice | None, constraints: Constraints | None, inverse: NDArray[np.intp], n_items: int
    ) -> Any:
        self._found = self._found if constraints is None else constraints.first_of(self._found)
        if isinstance(self.start, str) and self.start == "partition":
            return "spectral" if choice is None or choice.start is None else self._found
        return super()._start(None, constraints, inverse, n_items)

    def _fit(self, X: Any, *arguments: Any) -> None:
        super()._fit(X, *arguments)
        index = self.item_index_
        labels = np.where(index < 0, self.labels_, self._found[np.maximum(index, 0)])
        self.partition_, self.objective_ = labels, self._of_partition
        moved = int((labels != self.labels_).sum())
        if moved and self.n_clusters_ == len(np.unique(labels)):
            note = f"{moved} items have their largest membership in another cluster than in partition_"
            self.result_ = dataclasses.replace(self.result_, notes=(*self.result_.notes, note))
