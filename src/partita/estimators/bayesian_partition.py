"""BayesianPartition: one partition from partition draws, and how sure it is."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import nullcontext
from functools import cached_property
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from partita.affinity import DrawsAffinity
from partita.affinity.checks import Missing
from partita.affinity.label_blocks import LabelBlocks
from partita.arrays import Array
from partita.errors import InputError, UnsureWarning
from partita.estimators.checked_parameters import check_parameters, seed_of
from partita.estimators.partition_notes import (
    alone_note,
    few_note,
    misfit_note,
    modes_note,
    negative_note,
    search_notes,
)
from partita.estimators.partition_starts import partition_starts
from partita.estimators.posterior_summaries import PosteriorSummaries
from partita.metrics import entropy
from partita.partition.chains import FEWEST, ChainComparison, compare_chains
from partita.partition.draws import PartitionDraws, worth_of
from partita.partition.losses import PartitionLoss, Unit, loss_of
from partita.partition.modes import modes_of
from partita.partition.named_draws import (
    NamedDraws,
    all_alone_note,
    disagreeing_note,
    nearly_constant_note,
    stacked_draws,
)
from partita.partition.result import PartitionResult, Tried
from partita.partition.search import search_partition
from partita.progress import ProgressBar
from partita.solvers import SolveResult

__all__ = ["BayesianPartition"]


# Relative residual of the membership to the similarity matrix above which a note says that it does not describe it.
LARGE_MISFIT = 0.2
# Beginning of the notes on chains that cannot be compared, and what is said of those whose draws have weights.
UNCOMPARED = "the chains were not compared"
WEIGHTS_UNUSED = "the chains were compared without the weights of their draws"


class BayesianPartition(PosteriorSummaries):
    """One partition for many, MCMC draws or clusterings: that of least expected loss, and how sure it is.

    Objective: minimise (1 / M) sum_m L(c, c^(m)) over partitions c of N items, with L the variation of information or
    another loss. The draws are never turned into an N x N array where it would not fit.

    Parameters
    ----------
    loss : {"vi", "binder", "pear", "omari", "vi_lb", "nvi", "id", "nid"} or a `PartitionLoss`
        Losses with options of their own are objects: `Binder(a=0.5, normalize="pairs")`,
        `VariationOfInformation(a=1.2)`. "pear" is a score (larger is better), the others are losses.
    unit : {"bits", "nats"}
        Unit of the losses that are entropies, where they are given by name: an object has its own.
    max_clusters : int, optional
        No cap by default; `result_.cap_bound` says whether one kept a better partition from being found.
    n_init : int
        Random starts of the search at most; the best cuts of two dendrograms and the best of the draws come before
        them, and random starts end when two runs agree.
    starts : sequence of arrays of N labels and of names, or mapping from names to arrays
        Partitions to begin at as well, such as another package's answer. Names are "nmf-ls", "nmf-kl", "nmf-ns",
        "nmf-offset" and "sof": what these factorizations of the similarity matrix find.
    max_seconds : float, optional
    missing : {"error", "unobserved"}
        "unobserved": a negative label or NaN says that the draw does not have the item. Only the losses of pairs
        ("binder", "pear", "vi_lb") are defined then, on the shares among the draws that have both items.
    on_interrupt : {"raise", "best"}
        Whether Ctrl-C during the search raises, or keeps the best partition so far with status "interrupted".
    random_state : int, RandomState, Generator or None
    n_jobs : int, optional
        Runs at a time, on threads; -1 for every core. The answer does not depend on it.
    verbose : int
        1 shows what is being done.

    Attributes
    ----------
    labels_ : array of N
        0..K-1 in order of appearance.
    n_clusters_ : int
    expected_loss_ : float
        As it is reported in the field, in `unit`.
    membership_ : array, N x K
        Soft answer from the same draws: SoF on the posterior similarity matrix without its diagonal, begun at the
        partition. Its argmax may differ from `labels_` for items on a boundary: the one minimises a loss, the other
        fits all pairs. That an item is alone in some draws is spread over the clusters; `outlier_` has it, and a note
        says so where it is a quarter of the draws. Made when first asked for.
    entropy_ : array of N
        Entropies of the rows of `membership_`, in nats.
    outlier_ : array of N in [0, 1]
        Share of the draws in which the item is in a cluster of its own.
    misfit_ : float
        ||P - W W^T|| / ||P|| over pairs of different items: how far memberships can describe the draws at all. 0 is all
        of it; 1 is what to say that no two items are ever together would leave, and it is more where K is too small:
        rows in K clusters put two items together with probability 1 / K on average, whatever they are.
    result_ : `partita.partition.result.PartitionResult`
        Every start and run, whether the cap bound, the gap between runs, status, seconds.
    tried_ : tuple of Tried
        Method, K and loss of every partition that was scored.
    draws_ : `partita.partition.draws.PartitionDraws`, or None with missing items
        Equal draws merged.
    n_draws_ : int
        Draws that were given; None of a model with missing items that 0.1.0 saved.
    agreement_ : `partita.partition.chains.ChainComparison`, or None for one chain
    items_ : array of N words, or None
        Names of the items, where the draws have them.
    notes_ : tuple of str
        Notes for the reader: chains that disagree or are too short to tell, a cap that binds, runs that differ,
        other partitions as good, several modes, a misfit that is large, too few draws, negative labels.

    Raises
    ------
    InputError, MemoryLimitError

    Notes
    -----
    A pass of the search costs M N K, or N^2 for losses of pairs; 1,000 draws of 1,000 items take about a second
    (`benchmarks/partitions.py`). Of 9 items or fewer all partitions are scored; of more the search is not exhaustive,
    and `result_.gap` says how far its runs differ.

    References
    ----------
    [wade2018], [dahl2022], [bayes-nmf]; the losses name theirs.

    Examples
    --------
    >>> draws = [[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]]
    >>> model = BayesianPartition(random_state=0).fit(draws)
    >>> model.labels_.tolist(), round(model.expected_loss_, 4), model.credible_ball(level=0.6).radius
    ([0, 0, 1, 1], 0.3962, 0.0)
    """

    def __init__(
        self,
        loss: str | PartitionLoss = "vi",
        *,
        unit: Unit = "bits",
        max_clusters: int | None = None,
        n_init: int = 8,
        starts: Any = (),
        max_seconds: float | None = None,
        missing: Missing = "error",
        on_interrupt: Literal["raise", "best"] = "raise",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.unit = unit
        self.max_clusters = max_clusters
        self.n_init = n_init
        self.starts = starts
        self.max_seconds = max_seconds
        self.missing = missing
        self.on_interrupt = on_interrupt
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "loss": [str, PartitionLoss],
        "unit": [StrOptions({"bits", "nats"})],
        "max_clusters": [None, Interval(Integral, 1, None, closed="left")],
        "n_init": [Interval(Integral, 0, None, closed="left")],
        "starts": [str, "array-like", dict],
        "max_seconds": [None, Interval(Real, 0, None, closed="neither")],
        "missing": [StrOptions({"error", "unobserved"})],
        "on_interrupt": [StrOptions({"raise", "best"})],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [None, Integral],
        "verbose": ["verbose"],
    }

    def fit(
        self,
        draws: Any,
        y: Any = None,
        *,
        weights: ArrayLike | None = None,
        chain: Any = None,
        variable: str | None = None,
    ) -> BayesianPartition:
        """Find the partition.

        Parameters
        ----------
        draws : array-like M x N, fitted DPGaussianMixture, InferenceData, DataTree, Dataset, DataArray or frame
            Rows are draws, columns items; labels any whole numbers or strings. See `partita.partition.named_draws`.
            Of a file: what `partita.io.read_draws` reads. Several chains: an array C x M x N, or a list of M x N.
        y : ignored
        weights : array of M, optional
            Nonnegative weight of each draw; zero is the same as leaving it out. Where the others are all whole
            they are numbers of copies: a weight of two is the same as giving the draw twice. Any others, such as those
            of importance sampling, are worth (sum w)^2 / sum w^2 draws of equal weight, and fewer than 10 are too few.
        chain : array of M, optional
            Which chain each draw is of; ArviZ's objects and arrays C x M x N say it themselves. Chains of fewer than 4
            draws are not compared, nor those of draws that lack items, and a note says so.
        variable : str, optional
            Name of the labels, where `draws` has several variables that could be meant.

        Warns
        -----
        sklearn.exceptions.ConvergenceWarning
            Where the search was stopped, or chains differ by more than agreeing ones may.
        UnsureWarning
            Where rows look like items and columns like draws.
        """
        check_parameters(self)
        loss = loss_of(self.loss, self._unit())
        given = stacked_draws(draws, variable=variable)
        chain = given.chain if chain is None else np.asarray(chain)
        if chain is not None and chain.shape != (len(given.labels),):
            raise InputError(f"chain has shape {chain.shape}: expected one entry for each of {len(given.labels)} draws")
        self._forget()
        with ProgressBar() if self.verbose else nullcontext() as bar:
            tell = None if bar is None else bar.enter
            if self.missing == "unobserved" and LabelBlocks(given.labels, missing=True).lacks:
                result, worth = self._search_incomplete(given, loss, weights, tell)
            else:
                self.draws_ = PartitionDraws.of(given.labels, weights)
                result, worth = self._search(loss, tell, draws=self.draws_), self.draws_.worth
            n_draws = len(given.labels)
            self.result_: PartitionResult = result
            self.labels_, self.n_clusters_ = result.labels, result.n_clusters
            self.expected_loss_, self.loss_ = result.expected_loss, loss
            self.items_, self.n_features_in_, self.n_draws_ = given.items, len(result.labels), n_draws
            self.agreement_, unsaid = self._compared(given, chain, weights)
        turned = self._turned(given, ask_rows=chain is None)
        negative = () if self.draws_ is None else negative_note(given.labels)
        unsaid = (*few_note(n_draws, worth), *negative, *unsaid)
        for note in turned:
            warnings.warn(note, UnsureWarning, stacklevel=2)
        self._said = (*given.notes, *turned, *unsaid, *search_notes(result, self.agreement_, self.max_clusters))
        if result.status != "converged":
            warnings.warn(
                f"the search stopped ({result.status}) after {result.seconds:.1f} s with the best partition so far; "
                "raise max_seconds, or accept it",
                ConvergenceWarning,
                stacklevel=2,
            )
        if self.agreement_ is not None and self.agreement_.exceeds:
            warnings.warn(self.agreement_.verdict, ConvergenceWarning, stacklevel=2)
        return self

    def fit_predict(self, draws: Any, y: Any = None, **options: Any) -> NDArray[np.int64]:
        """Return `labels_` after `fit`."""
        return self.fit(draws, y, **options).labels_

    @property
    def notes_(self) -> tuple[str, ...]:
        """Notes for the reader; modes, and whether memberships describe the draws, are worked out when first asked."""
        check_is_fitted(self, "result_")
        found = self._said
        if self.draws_ is not None:
            sizes = np.bincount(self.labels_)[self.labels_]
            found += (*modes_note(modes_of(self.draws_, self._metric())), *alone_note(self.outlier_, sizes))
        return found if self.misfit_ <= LARGE_MISFIT else (*found, misfit_note(self.misfit_, self.n_clusters_))

    @property
    def tried_(self) -> tuple[Tried, ...]:
        """Method, K and loss of every partition that was scored."""
        check_is_fitted(self, "result_")
        return self.result_.tried

    @property
    def membership_(self) -> Array:
        """N x K, rows on the simplex."""
        return self.membership_result_.membership.matrix

    @property
    def entropy_(self) -> Array:
        """Entropies of the rows of `membership_`, in nats."""
        return entropy(self.membership_)

    @property
    def misfit_(self) -> float:
        """Relative residual (misfit) of the membership to the similarity matrix."""
        return self.membership_result_.misfit

    @property
    def membership_result_(self) -> SolveResult:
        """The fit of memberships to the similarity matrix: objective, misfit, status."""
        check_is_fitted(self, "result_")
        return self._soft

    def psm(self) -> Array:
        """Return the posterior similarity matrix, N x N.

        Raises
        ------
        MemoryLimitError
            Where it would not fit.
        """
        check_is_fitted(self, "result_")
        return self._similarity if self.draws_ is None else self.draws_.similarity

    n_draws_: int | None

    # What fit does ------------------------------------------------------------------------------------------------

    def _forget(self) -> None:
        """Drop what was made for the last fit's draws, so that a fit that fails leaves no half of it."""
        for name in ("_soft", "result_"):
            self.__dict__.pop(name, None)
        self.draws_: PartitionDraws | None = None
        self._similarity: Any = None

    def _unit(self) -> Unit | None:
        """The unit of a loss by name; of an object only where it is not the default, which says nothing."""
        return None if isinstance(self.loss, PartitionLoss) and self.unit == "bits" else self.unit

    def _search(self, loss: PartitionLoss, tell: Callable[[str], None] | None, **evidence: Any) -> PartitionResult:
        options: dict[str, Any] = dict(evidence)
        if "starts" not in options:
            options["starts"] = partition_starts(self.starts, self.draws_, loss, self.max_clusters)
        return search_partition(
            **options,
            loss=loss,
            max_clusters=self.max_clusters,
            n_init=self.n_init,
            max_seconds=self.max_seconds,
            random_state=seed_of(self.random_state),
            n_jobs=self.n_jobs,
            on_interrupt=self.on_interrupt,
            progress=tell,
        )

    def _best(self, draws: PartitionDraws, start: NDArray[np.int64] | None, loss: PartitionLoss) -> NDArray[np.int64]:
        return self._search(loss, None, draws=draws, starts=() if start is None else (start,)).labels

    def _turned(self, given: NamedDraws, *, ask_rows: bool) -> tuple[str, ...]:
        """Why rows may be items; agreement of rows is asked about where no chains are known, since draws of chains that
        disagree do so as rows of a turned table do.
        """
        if given.turned is None:
            return ()
        own, N = self.draws_, self.n_features_in_
        apart = np.count_nonzero(self._similarity) == N if own is None else bool((own.n_clusters == N).all())
        turned = (all_alone_note(len(given.labels), N) if apart else ()) or given.turned
        if own is None or turned:
            return turned
        return nearly_constant_note(given.labels) or (disagreeing_note(given.labels) if ask_rows else ())

    def _search_incomplete(
        self, given: NamedDraws, loss: PartitionLoss, weights: ArrayLike | None, tell: Callable[[str], None] | None
    ) -> tuple[PartitionResult, float]:
        """The partition, and what the draws are worth by their weights."""
        if not loss.by_pairs:
            able = [name for name, kind in PartitionLoss.registry.items() if kind.by_pairs]
            raise InputError(
                f"some draws lack items, and {loss.title} needs whole draws: choose loss={', '.join(map(repr, able))} "
                f"(command line: --loss {', '.join(able)})"
            )
        affinity = DrawsAffinity(given.labels, weights, missing="unobserved")
        if affinity.unobserved is not None:
            unknown, items = affinity.unobserved, given.items
            first, second = (str(i if items is None else items[i]) for i in (unknown.first[0], unknown.second[0]))
            others = len(unknown) // 2 - 1
            more = f" ({others:,} more such pairs)" if others else ""
            raise InputError(
                f"no draw has both item {first} and item {second}{more}, so that their similarity is unknown: add "
                "draws that have both, or leave one of the two out"
            )
        self._similarity = affinity.to_dense()
        return self._search(loss, tell, similarity=self._similarity), worth_of(weights, affinity.n_draws)

    def _compared(
        self, given: NamedDraws, chain: NDArray[Any] | None, weights: ArrayLike | None
    ) -> tuple[ChainComparison | None, tuple[str, ...]]:
        """Compare the chains, or say why they cannot be compared."""
        if chain is None:
            return None, ()
        w = np.ones(len(chain)) if weights is None else np.asarray(weights, dtype=np.float64)
        counted = w > 0
        chain = chain[counted]
        names, counts = np.unique(chain, return_counts=True)
        if len(names) < 2:
            return None, (f"{UNCOMPARED}: the draws that count are of one chain only",)
        if self.draws_ is None:
            return None, (f"{UNCOMPARED}: their draws lack items",)
        if counts.min() < FEWEST:
            which = names[np.argmin(counts)]
            return None, (f"{UNCOMPARED}: chain {which} has {counts.min()} draws, too few to tell",)
        # By the same distances as `partita draws`, so that both say the same of the same draws.
        labels, traces = given.labels, given.traces
        if not counted.all():
            labels = np.asarray(labels)[counted]
            traces = {name: values[counted] for name, values in traces.items()}
        unused = () if len(np.unique(w[counted])) == 1 else (WEIGHTS_UNUSED,)
        return compare_chains(labels, chain, unit=self.loss_.unit or "bits", traces=traces), unused

    @cached_property
    def _soft(self) -> SolveResult:
        from partita.nmf.sof import sof_membership

        if self.draws_ is None:
            evidence: Any = self._similarity
        else:
            evidence = DrawsAffinity(self.draws_.labels, self.draws_.counts)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return sof_membership(evidence, self.n_clusters_, start=self.labels_, seed=0)
