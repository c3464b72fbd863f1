"""The fit pipeline: rows -> items -> groups -> number of clusters -> evidence -> problem -> solution -> rows.

Three index spaces, and each array says by its name which one it is of: the N rows that a user gives; the n distinct
items, of which equal rows are one (`partita.estimators.items`); and the groups of items that must-links join
(`partita.estimators.groups`), which are the items where nothing is linked. What is estimated is in the `Model`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from partita import metrics
from partita.affinity import Affinity, Builder, DenseAffinity, DrawsAffinity
from partita.affinity.shared_search import shared_search
from partita.arrays import Array, Labels
from partita.calibration import Calibration, Calibrator, Refit, average, calibrate, calibrate_if_trusted
from partita.ensemble.categories import Columns
from partita.ensemble.copies import is_lattice
from partita.ensemble.units import frame_of
from partita.errors import UnsureWarning
from partita.estimators.choosing import Built, Choice, EvidenceByK, NumberOfClusters
from partita.estimators.extension import Extension
from partita.estimators.groups import Groups
from partita.estimators.items import Items, expanded, start_of_items
from partita.estimators.mixed_table import MixedTable
from partita.estimators.model import Model
from partita.estimators.plan import Plan, Reasoned
from partita.estimators.scaling import Scaling
from partita.membership import Membership, argmax_labels
from partita.memory import available_memory, fits, human_bytes
from partita.objectives import Domain, Objective, Problem
from partita.progress import Stages
from partita.scope import Scope, opened
from partita.solvers import OpenCheckpoint, Solver, SolveResult, Starts, drive
from partita.wording import count

__all__ = ["Fitted", "Given", "Options", "evidence_by_k", "fit"]


# A comparison with other sizes: at most so many items, and the share of them that must move to be worth a word.
COMPARED, WORTH = 50_000, 0.02
# Its steps at most, and the stationarity (`optimality`) that is enough.
STEPS, ENOUGH = 20, 1e-3
# Items, or clusters, that a note names.
NAMED = 10
# Share of rows with missing cells past which no density of the rows, filled in with means, is trusted.
FILLED_IN = 0.25


@dataclass(frozen=True, eq=False)
class Given:
    """Input of the caller, by rows: checked data, weights of the rows, and constraints on pairs.

    `table` is the data before words and missing cells were made numbers, `features` before they became the points that
    have their distances by a metric; None where they did not.
    """

    X: Any
    weights: Array | None = None
    must_link: ArrayLike | None = None
    cannot_link: ArrayLike | None = None
    pair_weight: Any = None
    table: MixedTable | None = None
    features: Array | None = None

    @property
    def columns(self) -> Any:
        """The columns of the table, as they came."""
        if self.table is not None:
            return self.table.columns
        return (self.X if self.features is None else self.features).T


@dataclass(frozen=True, eq=False)
class Options:
    """Options of a run; `partita.solvers.drive` explains most of them.

    `earlier` are the labels that the rows had in an earlier fit, -1 for those it did not have: clusters
    are numbered so that the most rows keep theirs.
    """

    start: Any = "spectral"
    n_init: int = 1
    max_iter: int = 1000
    tol: float = 1e-4
    max_seconds: float | None = None
    seed: int | None = None
    n_jobs: int | None = None
    on_interrupt: Literal["raise", "best"] = "raise"
    checkpoint: OpenCheckpoint | None = None
    earlier: Labels | None = None
    stage: Stages = field(default_factory=Stages)

    @property
    def of_solver(self) -> dict[str, Any]:
        """Options of every run of the solver, by name."""
        return {name: getattr(self, name) for name in ("max_iter", "tol", "max_seconds", "seed")}

    def interrupted(self, result: SolveResult, *notes: str) -> SolveResult:
        """Return the result of a fit interrupted after the factorization: with on_interrupt="best" the result, to
        resume from.

        Raises
        ------
        KeyboardInterrupt
            With on_interrupt="raise".
        """
        if self.on_interrupt != "best":
            raise KeyboardInterrupt
        if self.checkpoint is not None:
            self.checkpoint.complete = False
        return replace(result, status="interrupted", notes=(*result.notes, *notes))


@dataclass(frozen=True, eq=False)
class Fitted:
    """Result of a fit.

    Attributes
    ----------
    membership : N x K array, rows on the simplex
    labels : array of N
    factor : N x K array, or None
        Where it is nonnegative and not the membership.
    unassigned : array of rows
        Rows of which such a factor says nothing.
    result : SolveResult
        Result of the rows, before any calibration.
    scorer : Extension
        Scores new items.
    groups : Groups
    group_of_row, item_of_row : arrays of N
    choice : Choice
        Choice of the number of clusters.
    problem : Problem
        The problem solved, over the groups.
    solver : Solver
    calibrator, calibration
        Where memberships were calibrated.
    probabilities : Reasoned, optional
        What was taken where that was left to be chosen.
    """

    membership: Array
    labels: Labels
    factor: Array | None
    unassigned: NDArray[np.intp]
    result: SolveResult
    scorer: Extension
    groups: Groups
    group_of_row: NDArray[np.intp]
    item_of_row: NDArray[np.intp]
    choice: Choice
    problem: Problem
    solver: Solver
    calibrator: Calibrator | None = None
    calibration: Calibration | None = None
    probabilities: Reasoned | None = None

    @classmethod
    def of_rows(
        cls,
        X: Any,
        of_groups: SolveResult,
        scorer: Extension,
        groups: Groups,
        items: Items,
        choice: Choice,
        problem: Problem,
        solver: Solver,
    ) -> Fitted:
        """Hand the answer for the groups back to every row; rows of weight zero are scored as new items are."""
        group_of_row = groups.of_row(items)
        result, W, labels = of_groups, of_groups.membership.matrix, of_groups.membership.labels
        unseen = np.flatnonzero(group_of_row < 0)
        if len(group_of_row) != len(W) or not np.array_equal(group_of_row, np.arange(len(W))):
            W, labels = W[group_of_row], labels[group_of_row]
            if len(unseen):
                W[unseen] = scorer.membership(X[unseen])
                labels[unseen] = W[unseen].argmax(axis=1)
            result = expanded(of_groups, W, labels, group_of_row)
        factor, unassigned = None, np.empty(0, dtype=np.intp)
        if scorer.domain == "nonnegative":
            assert of_groups.factor is not None
            assert scorer.balance is not None
            factor = of_groups.factor[group_of_row]
            if len(unseen):
                factor[unseen] = scorer.factor(X[unseen])
            unassigned = Domain.registry[scorer.domain].unassigned(factor, scorer.balance)
            notes = (_note_on_unassigned(unassigned),) if len(unassigned) else ()
            result = replace(result, factor=factor, notes=(*result.notes, *notes))
        rows = group_of_row, items.of_row
        return cls(W, labels, factor, unassigned, result, scorer, groups, *rows, choice, problem, solver)


def _note_on_unassigned(rows: NDArray[np.intp]) -> str:
    n = len(rows)
    named = ", ".join(str(i) for i in rows[:NAMED]) + (" ..." if n > NAMED else "")
    what = f"item {named} is" if n == 1 else f"{n:,} items are"
    which = "" if n == 1 else f" (rows {named})"
    return (
        f"{what} unassigned{which}: nothing but zeros in the factor, so the membership is uniform and the label a guess"
    )


def fit(plan: Plan, given: Given, options: Options) -> Fitted:
    """Fit what a plan says to what is given.

    Parameters
    ----------
    plan : Plan
        What makes the affinity, what chooses the number of clusters, and the model.
    given : Given
    options : Options

    Raises
    ------
    InputError
    MemoryLimitError
        Where N x N would not fit.
    KeyboardInterrupt
    """
    builder, stage = plan.builder, options.stage
    by_k, scaling = evidence_by_k(plan, given, options.seed)
    items = by_k.items
    groups = Groups.of(items, given.must_link, given.cannot_link, given.pair_weight, given.weights)
    model = replace(plan.model, observed=not groups.lacks_pairs)
    plan, by_k = replace(plan, model=model), replace(by_k, model=model)
    with shared_search(), opened(Scope(stage.step, options.checkpoint)):
        with stage("choosing the number of clusters"):
            choice = plan.choose(by_k, groups)
        with stage("building the affinity"):
            built = by_k.of(choice)
            affinity = model.factorized(built.normalised, by_k.copies)
    of_items = Problem(affinity, model.objective, items.weights)
    problem, left_out = groups.contract(of_items)
    starts = _starts(problem, by_k, groups, choice, built)
    solver = model.solver_for(problem.affinity, choice.n_clusters)
    result = _solve(problem, solver, starts, _start(options.start, choice, groups, items), options)
    result = _gone_on_apart(result, groups, problem, solver, starts, options)
    while len(used := np.unique(result.membership.labels)) < starts.n_clusters:
        starts = replace(starts, n_clusters=len(used))
        result = _without_empty(result, used, problem, solver, starts, options)
    result = _kept_apart(result, groups, problem)
    result = _compared(result, problem, model, solver, starts, options)
    if len(used) < choice.n_clusters:
        choice = choice.ended_at(len(used), empty_clusters(choice.n_clusters, len(used)))
    if options.earlier is not None:
        result = result.reordered(order_like(options.earlier, result.membership, groups.of_row(items)))
    choice.warn()
    broken = groups.broken(result.membership)
    for note in broken:
        warnings.warn(note, UnsureWarning, stacklevel=5)
    stage.enter("putting the result together")
    of_evidence = (*built.evidence.notes, *_note_on_neighbors(builder, items.n_items), *_sparse_way(problem.affinity))
    result = replace(result, notes=(*choice.notes, *result.notes, *of_evidence, *broken))
    result = groups.over_all_pairs(result, problem, left_out)
    item_labels = groups.expand(result.membership.labels)
    voices = built.evidence.voices(item_labels, items.of_row)
    result = result if voices is None else replace(result, evidence=voices)
    scorer = Extension.of_fit(
        built.evidence,
        built.normalised,
        of_items,
        groups.expand(result.factor),
        result.scale,
        scaling,
        item_labels,
        items.column_of_item if builder.pairwise else None,
    )
    fitted = Fitted.of_rows(given.X, result, scorer, groups, items, choice, problem, solver)
    if plan.probabilities == "fitted":
        return fitted
    with stage("calibrating the memberships"):
        try:
            return _calibrated(fitted, result.membership, plan, by_k, given, options)
        except KeyboardInterrupt:
            note = "interrupted while calibrating: the memberships are the fitted ones"
            return replace(fitted, result=options.interrupted(fitted.result, note))


def evidence_by_k(plan: Plan, given: Given, seed: int | None) -> tuple[EvidenceByK, Scaling | None]:
    """Return the evidence of the items at any number of clusters, and how their features were scaled."""
    items = Items.of(given.X, given.weights, plan.builder)
    scaling = Scaling.of_items(items, plan.builder, plan.scale_features)
    features = items.features if scaling is None else scaling(items.features)
    return EvidenceByK(plan.builder, plan.model, items, features, seed or 0), scaling


def _starts(problem: Problem, by_k: EvidenceByK, groups: Groups, choice: Choice, built: Built) -> Starts:
    """Data from which starts are made, by groups."""
    features, weights = by_k.features, by_k.items.weights
    complete = not by_k.builder.pairwise and not np.isnan(features).any()
    return Starts(
        problem.affinity,
        choice.n_clusters,
        groups.mean(features, weights) if complete else None,
        problem.weights,
        groups.contracted(built.normalised.affinity, weights) if built.normalised.how != "none" else None,
        None if groups.told else by_k.copies,
    )


def _start(start: Any, choice: Choice, groups: Groups, items: Items) -> Any:
    """The start for the groups: that of the choice, or else the one given for the rows."""
    if choice.start is not None:
        return groups.first_of(choice.start)
    return start_of_items(start, groups.of_row(items), groups.n_groups)


def _solve(problem: Problem, solver: Solver, starts: Starts, start: Any, options: Options) -> SolveResult:
    """The factorization."""
    with options.stage("finding a start"):
        return drive(
            problem,
            solver,
            starts,
            start,
            n_init=options.n_init,
            n_jobs=options.n_jobs,
            on_interrupt=options.on_interrupt,
            checkpoint=options.checkpoint,
            progress=options.stage.bar,
            **options.of_solver,
        )


def _compared(
    result: SolveResult, problem: Problem, model: Model, solver: Solver, starts: Starts, options: Options
) -> SolveResult:
    """The factorization with notes on what another reading of the sizes would say."""
    if result.status != "converged":
        return result
    with options.stage("comparing with other sizes"):
        try:
            notes = other_answers(problem, model.alternatives, solver, starts, result.membership, **options.of_solver)
        except KeyboardInterrupt:
            return options.interrupted(result, "interrupted while comparing with other sizes")
    return replace(result, notes=(*result.notes, *notes))


def order_like(earlier: Labels, membership: Membership, group_of_row: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the clusters in the order of the earlier ones that they share most rows with; others come after these.

    >>> order_like(np.array([0, 0, 1, -1]), Membership(np.eye(3)[[2, 2, 1, 0]]), np.arange(4)).tolist()
    [2, 1, 0]
    """
    K = membership.n_clusters
    known = (group_of_row >= 0) & (earlier >= 0)
    table = np.zeros((K, max(int(earlier.max()) + 1, K)))
    np.add.at(table, (membership.labels[group_of_row[known]], earlier[known]), 1.0)
    own, theirs = linear_sum_assignment(table, maximize=True)
    found: NDArray[np.intp] = own[np.argsort(theirs)]
    return found


def _gone_on_apart(
    result: SolveResult, groups: Groups, problem: Problem, solver: Solver, starts: Starts, options: Options
) -> SolveResult:
    """The factorization, gone on with from labels that hold more cannot-links where that ends lower.

    Two items that are certainly in one cluster stay there, since neither knows which of them is to leave.
    """
    W, whole = groups.kept_apart(result.membership, problem.weights), result.status in ("converged", "max_iter")
    if W is result.membership or not whole:
        return result
    found = _gone_on(result, W.matrix, problem, solver, starts, options)
    return found if found.objective <= result.objective else result


def _kept_apart(result: SolveResult, groups: Groups, problem: Problem) -> SolveResult:
    """The factorization with the items moved that have to move for cannot-links to hold."""
    membership = groups.kept_apart(result.membership, problem.weights)
    if membership is result.membership:
        return result
    assert result.factor is not None
    if result.factor is result.membership.matrix:
        factor = membership.matrix
    else:
        factor = groups.factor_apart(result.factor, result.membership, membership)
    point = problem.evaluate(factor)
    objective, norm = problem.total(point), problem.squared_norm
    return replace(
        result,
        membership=membership,
        factor=factor,
        scale=np.asarray(point.scale),
        objective=objective,
        misfit=float(np.sqrt(objective / norm)) if norm > 0 else 0.0,
        n_products=result.n_products + 1,
    )


def _without_empty(
    result: SolveResult,
    used: Labels,
    problem: Problem,
    solver: Solver,
    starts: Starts,
    options: Options,
) -> SolveResult:
    """The factorization with the clusters that hold a group, gone on with from where it ended."""
    W = result.membership.matrix[:, used]
    return _gone_on(result, W / W.sum(axis=1, keepdims=True), problem, solver, starts, options)


def _gone_on(
    result: SolveResult, start: Array, problem: Problem, solver: Solver, starts: Starts, options: Options
) -> SolveResult:
    """The factorization, gone on with from another membership."""
    whole = result.status in ("converged", "max_iter")
    again = replace(options, n_init=1, checkpoint=None)
    if not whole:  # there is no time to go on, and why is said
        again = replace(again, max_iter=1, tol=np.inf)
    found = _solve(problem, solver, starts, start, again)
    return replace(
        found,
        status=found.status if whole else result.status,
        notes=found.notes if whole else result.notes,
        n_iter=result.n_iter + found.n_iter,
        n_products=result.n_products + found.n_products,
        seconds=result.seconds + found.seconds,
        earlier_seconds=result.earlier_seconds,
    )


def empty_clusters(asked: int, held: int) -> str:
    """Return the note on clusters that would hold no item.

    >>> empty_clusters(4, 2)
    '4 clusters were fitted, 2 of which would hold no item and were removed: the answer has 2'
    """
    return (
        f"{asked} clusters were fitted, {asked - held} of which would hold no item and "
        f"{'was' if asked - held == 1 else 'were'} removed: the answer has {held}"
    )


def other_answers(
    problem: Problem,
    objectives: Mapping[str, Objective],
    solver: Solver,
    starts: Starts,
    membership: Membership,
    **how: Any,
) -> tuple[str, ...]:
    """Return a note for each objective under which more than a few items would be in another cluster.

    No criterion tells without labels whether clusters should be of similar size (benchmarks/README.md), so a fit that
    was not told says where the answer would be another one. A few steps from the fit on show that; a second fit would
    cost as much as the first. Over the 29 development sets they leave the note out on four where a whole fit, from the
    common start, would end elsewhere although no item of the first fit wants to move.
    """
    notes: list[str] = []
    how |= {"start": membership.matrix, "max_iter": STEPS, "tol": max(ENOUGH, how["tol"])}
    if problem.affinity.n_items > COMPARED:
        return ()
    for name, objective in objectives.items():
        other = drive(problem.fresh(objective), solver, starts, n_init=1, warn=False, **how)
        moved = 1.0 - metrics.accuracy(other.membership.labels, membership.labels)
        if moved > WORTH:
            ari = metrics.adjusted_rand_index(other.membership.labels, membership.labels)
            least = "" if other.status == "converged" else "at least "
            notes.append(
                f"with sizes={name!r} (command line: --sizes {name}) {least}{100 * moved:.0f}% of the items would be "
                f"in another cluster (adjusted Rand index {ari:.2f}): no criterion without labels tells which is "
                "right, so judge by what you know of the sizes"
            )
    return tuple(notes)


def _note_on_neighbors(builder: Builder, n_items: int) -> tuple[str, ...]:
    """Say that a builder was told to take more neighbours than there are other items; its default is nobody's word.

    >>> from partita.affinity import NeighborGraph
    >>> _note_on_neighbors(NeighborGraph(n_neighbors=9), 5)
    ('9 neighbours were asked for and each item has only 4 other items: all of them were taken; ask for fewer',)
    >>> _note_on_neighbors(NeighborGraph(), 5)
    ()
    """
    name = builder.command_options.get("n_neighbors", "n_neighbors")
    asked = getattr(builder, name, None)
    if asked is None or asked == getattr(type(builder), name, None) or not 1 < n_items <= asked:
        return ()
    return (
        f"{count(asked, 'neighbour')} were asked for and each item has only "
        f"{count(n_items - 1, 'other item')}: all of them were taken; ask for fewer",
    )


def _sparse_way(affinity: Affinity) -> tuple[str, ...]:
    """A note where N x N evidence would not have fitted and another kind was fitted instead."""
    n, free = affinity.n_items, available_memory()
    if fits(8 * n**2) or isinstance(affinity, DenseAffinity | DrawsAffinity):  # clusterings are never made N x N
        return ()
    return (
        f"an array of all {n:,} x {n:,} pairs would take {human_bytes(8 * n**2)} of memory, more than may be used of "
        f"the {human_bytes(free)} that are available: the evidence was kept as a {affinity.name} affinity, and nothing "
        "N x N was made",
    )


def _calibrated(
    fitted: Fitted, of_groups: Membership, plan: Plan, by_k: EvidenceByK, given: Given, options: Options
) -> Fitted:
    """The fit with calibrated memberships of every row in the place of the fitted ones; `result` keeps those.

    Where pairs are constrained or weighted, or the fit was interrupted, neither a density nor a fit to half the items
    would know of it, and the membership stays but for its hard zeros.
    """
    features, X = by_k.features, given.X
    with_gaps = 0.0 if given.table is None else given.table.share_with_gaps()
    W, found, taken = _calibrator(fitted, of_groups, plan, by_k, with_gaps, options)
    if found is None:
        return replace(fitted, probabilities=taken)
    calibrator, calibration = found
    W = calibrator(features, W)
    labels = argmax_labels(W, np.random.default_rng(0))
    W, labels = W[fitted.group_of_row], labels[fitted.group_of_row]
    unseen = np.flatnonzero(fitted.group_of_row < 0)
    if len(unseen):
        scaling = fitted.scorer.scaling
        W[unseen] = calibrator(X[unseen] if scaling is None else scaling(X[unseen]), fitted.membership[unseen])
        labels[unseen] = W[unseen].argmax(axis=1)
    result = fitted.result
    if taken is not None:
        if len(np.unique(labels)) < W.shape[1]:
            return replace(
                fitted, probabilities=Reasoned("fitted", "under a density of the items some cluster would hold none")
            )
        moved = int((labels != fitted.labels).sum())
        result = replace(result, notes=(*result.notes, *_note_on_moved(moved)))
    return replace(
        fitted,
        membership=W,
        labels=labels,
        result=result,
        calibrator=calibrator,
        calibration=calibration,
        probabilities=taken,
    )


def _note_on_moved(moved: int) -> tuple[str, ...]:
    """Say how many labels calibration moved, if any.

    >>> _note_on_moved(0), _note_on_moved(1)[0][:37]
    ((), 'calibration moved 1 item to another c')
    """
    items = f"{moved:,} item{'s' * (moved > 1)}"
    where = "in Python, result_.membership.labels of the model has the labels before"
    note = f"calibration moved {items} to another cluster ({where})"
    return (note,) * (moved > 0)


def _calibrator(
    fitted: Fitted, of_groups: Membership, plan: Plan, by_k: EvidenceByK, with_gaps: float, options: Options
) -> tuple[Array, tuple[Calibrator, Calibration] | None, Reasoned | None]:
    """The membership to calibrate, what calibrates it, and why where that was left to be chosen; None keeps the fit."""
    features, weights, builder = by_k.features, by_k.items.weights, by_k.builder
    W, labels = of_groups.matrix, of_groups.labels
    dense = not builder.pairwise and builder.metric == "euclidean" and bool(np.isfinite(features).all())
    modelled = dense and builder.is_model_of(features, weights)
    obstacle = None
    if fitted.groups.told:
        obstacle = "pairs are constrained or weighted"
    elif fitted.result.status == "interrupted":
        obstacle = "the fit was interrupted"
    elif not dense:
        obstacle = "only complete numeric columns with the Euclidean distance can be calibrated by a density"
    elif modelled:
        obstacle = "they are those of a latent class model of the categories"
    elif with_gaps > FILLED_IN:
        obstacle = f"{with_gaps:.0%} of the rows have missing cells, and rows that were filled in are denser than items"
    else:
        obstacle = _without_density(features, weights)
    if plan.probabilities == "auto":
        if obstacle is not None:
            return W, None, Reasoned("fitted", obstacle)
        found, why = calibrate_if_trusted(features, W, labels, weights)
        return W, found, Reasoned("fitted" if found is None else "calibrated", why)
    if fitted.groups.told or fitted.result.status == "interrupted" or isinstance(features, Affinity):
        return W, calibrate(None, W, labels, None, None), None
    refit = _refit(plan, by_k, fitted.choice.n_clusters, options)
    if plan.probabilities == "averaged":
        W, calibrator, calibration = average(W, labels, weights, refit)
        return W, (calibrator, calibration), None
    return W, calibrate(features if dense and not modelled else None, W, labels, weights, refit), None


def _without_density(features: Array, weights: Array | None) -> str | None:
    """Why numbers have no density: categories that matter, far cells of the others left out of their spread, or most
    rows copies.
    """
    X = frame_of(features)(features)
    columns = Columns.of(X)
    if columns.categories(X) is not None or not len(columns.numbers):
        return "columns of categories, or of two values, have no density"
    if is_lattice(X, weights):
        return "rounded numbers of which most rows are copies have no density"
    return None


def _refit(plan: Plan, by_k: EvidenceByK, n_clusters: int, options: Options) -> Refit:
    """Fit a part of the items in the same way, to predict the others."""
    features, weights, pairwise = by_k.features, by_k.items.weights, by_k.builder.pairwise
    start = options.start if isinstance(options.start, str) else "spectral"
    same = replace(plan, choose=NumberOfClusters(n_clusters), scale_features="none", probabilities="fitted")  # scaled
    quiet = replace(
        options,
        start=start,
        seed=options.seed or 0,
        on_interrupt="raise",
        checkpoint=None,
        earlier=None,
        stage=Stages(),
    )

    def refit(part: NDArray[np.intp]) -> tuple[Labels, Array, Any]:
        own = features[part][:, part] if pairwise else features[part]
        given = Given(own, None if weights is None else weights[part])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a half may not converge; what it says is held-out evidence all the same
            fitted = fit(same, given, quiet)

        def predict(others: NDArray[np.intp]) -> Array:
            return of_all(fitted.scorer.membership(features[others][:, part] if pairwise else features[others]))

        return fitted.labels, of_all(fitted.membership), predict

    def of_all(W: Array) -> Array:
        """The membership with a column for clusters that the part had no item for."""
        return np.pad(W, ((0, 0), (0, n_clusters - W.shape[1])))

    return refit
