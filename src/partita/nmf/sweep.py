"""A factorization for each K of a range, as one table, and the choice of K by a named criterion."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from partita.errors import InputError
from partita.nmf.checks import checked_similarity
from partita.nmf.choice import Choice, check_choice, chosen, cophenetic_correlation
from partita.nmf.factorize import nmf
from partita.nmf.result import NMFResult
from partita.partition.dendrogram import Dendrogram
from partita.runs import Runs

__all__ = ["NMFSweep", "SweepRow", "nmf_sweep"]


@dataclass(frozen=True)
class SweepRow:
    """A row of the table.

    Attributes
    ----------
    n_components, n_clusters : int
        K, and the clusters of the partition.
    objective : float
        Objective of the method.
    misfit, membership_misfit : float
        Relative residuals of W H and of the membership.
    cophenetic : float
        Cophenetic correlation of the consensus of the restarts; NaN with fewer than two.
    loss : float
        Value of the criterion for the partition; NaN without one.
    status : str
    """

    n_components: int
    n_clusters: int
    objective: float
    misfit: float
    membership_misfit: float
    cophenetic: float
    loss: float
    status: str


@dataclass(frozen=True, eq=False)
class NMFSweep:
    """Factorizations over a range of K.

    Attributes
    ----------
    table : tuple of SweepRow
        By rising K.
    results : tuple of NMFResult
        The same order.
    best : NMFResult
        The one chosen, by `choose`.
    notes : tuple of str
    """

    table: tuple[SweepRow, ...]
    results: tuple[NMFResult, ...]
    choose: Choice
    best: NMFResult
    notes: tuple[str, ...] = ()

    @property
    def n_clusters(self) -> NDArray[np.int64]:
        """The K of the rows."""
        return np.array([row.n_components for row in self.table])

    @property
    def partitions(self) -> NDArray[np.int64]:
        """The partitions of every restart of every K, a row each: starts for a search."""
        return np.concatenate([result.partitions for result in self.results])


def nmf_sweep(
    similarity: Any,
    n_clusters: Iterable[int],
    *,
    criterion: Callable[[NDArray[np.int64]], float] | None = None,
    choose: Choice | None = None,
    max_seconds: float | None = None,
    **options: Any,
) -> NMFSweep:
    """Run `nmf` for each K, and the K that a criterion chooses.

    Parameters
    ----------
    similarity : N x N array
        A posterior similarity matrix.
    n_clusters : iterable of int
        The K to try, such as range(2, 13).
    criterion : callable, optional
        Labels to their expected loss, smaller is better.
    choose : {"loss", "cophenetic", "residual"}, optional
        How K is chosen: the least loss (the default with a criterion), the last K before the cophenetic correlation
        begins to fall (the default without), or where the residual bends most; see `partita.nmf.choice`.
    max_seconds : float, optional
        For the whole sweep: a K gets what is left, shared among those still to come; those for which nothing is left
        are left out.
    **options
        Options of `nmf`.

    Returns
    -------
    NMFSweep

    Raises
    ------
    InputError
        For numbers of clusters that are not in 1..N or twice there, a choice that cannot be made over them, or a
        criterion that is not finite.

    Notes
    -----
    Cost: that of `nmf` for each K; the dendrogram is made once.

    References
    ----------
    [bayes-nmf] section 4.3; [brunet2004]; [hutchins2008].

    Examples
    --------
    >>> V = np.kron(np.eye(3), np.full((4, 4), 0.9)) + 0.1 * np.eye(12)
    >>> sweep = nmf_sweep(V, range(2, 6), n_init=3, seed=0, choose="residual")
    >>> sweep.best.n_clusters, [row.n_components for row in sweep.table]
    (3, [2, 3, 4, 5])
    """
    runs = Runs(max_seconds=max_seconds)
    each = np.array(sorted(int(K) for K in n_clusters), dtype=np.int64)
    if not len(each) or (np.diff(each) == 0).any():
        raise InputError(f"n_clusters={each.tolist()}: expected different numbers, at least one")
    how: Choice = choose or ("loss" if criterion is not None else "cophenetic")
    check_choice(how, each, has_criterion=criterion is not None)
    if how == "cophenetic" and options.get("n_init", 2) < 2:
        raise InputError("choose='cophenetic' compares restarts: expected n_init of at least 2")
    V = checked_similarity(similarity)
    if each[0] < 1 or each[-1] > len(V):
        raise InputError(f"n_clusters={each.tolist()}: expected numbers from 1 to the number of items, {len(V)}")
    tree = Dendrogram.of(V, "average")
    results: list[NMFResult] = []
    for nth, K in enumerate(each):
        left = runs.seconds_left
        if left == 0.0 and results:
            break
        share = None if left is None else max(left, np.finfo(float).tiny) / (len(each) - nth)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            results.append(nmf(V, int(K), max_seconds=share, dendrogram=tree, **options))
        if results[-1].status == "interrupted":
            break
    table = tuple(_row(result, criterion) for result in results)
    if criterion is not None and not np.isfinite([row.loss for row in table]).all():
        raise InputError(f"criterion gave {[row.loss for row in table]}: expected a finite number for any labels")
    notes = _notes(each, table)
    if notes:
        warnings.warn("; ".join(notes), ConvergenceWarning, stacklevel=2)
    curve = np.array([row.objective for row in table])
    if how == "residual" and len(table) < 3:
        raise InputError(
            "time was over before three K were done, and choose='residual' needs as many: raise max_seconds"
        )
    at = chosen(how, loss=[row.loss for row in table], cophenetic=[row.cophenetic for row in table], residual=curve)
    return NMFSweep(table, tuple(results), how, results[at], tuple(notes))


def _row(result: NMFResult, criterion: Callable[[NDArray[np.int64]], float] | None) -> SweepRow:
    several = len(result.restarts) > 1
    return SweepRow(
        n_components=result.n_components,
        n_clusters=result.n_clusters,
        objective=result.objective,
        misfit=result.misfit,
        membership_misfit=result.membership_misfit,
        cophenetic=cophenetic_correlation(result.partitions) if several else float("nan"),
        loss=float("nan") if criterion is None else float(criterion(result.labels)),
        status=result.status,
    )


def _notes(each: NDArray[np.int64], table: tuple[SweepRow, ...]) -> list[str]:
    notes = []
    late = [row.n_components for row in table if row.status != "converged"]
    if late:
        notes.append(f"not converged at K = {', '.join(map(str, late))}: raise max_iter or max_seconds")
    if len(table) < len(each):
        notes.append(f"K = {', '.join(map(str, each[len(table) :]))} were left out")
    return notes
