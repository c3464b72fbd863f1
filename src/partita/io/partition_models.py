"""The record of a BayesianPartition: the draws, the partition found in them, how it was found, and what is made of it.

Draws are kept as the fit holds them, numbered and with equal ones merged, in one, two or four bytes a label. With
missing items it is the similarity matrix that the fit holds. A membership is kept where it has been asked for, as it is
made at first use.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from partita.arrays import Array
from partita.errors import ModelError
from partita.estimators.bayesian_partition import BayesianPartition
from partita.io.chain_comparisons import SavedComparison
from partita.io.codec import Arrays, Config, Under, copied, missing
from partita.io.given_labels import given_labels, labels_as_given
from partita.io.settings import made_with, parameters_of
from partita.membership import Membership
from partita.partition.draws import PartitionDraws, worth_of
from partita.partition.losses import PartitionLoss
from partita.partition.result import PartitionResult, Run, Tried
from partita.runs import Status
from partita.shapes import floats, partitions, whole
from partita.solvers.result import Restart, SolveResult

__all__ = ["SavedPartition"]

Labels = NDArray[Any]
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class SavedRun:
    """A run, but for its partition."""

    start: str
    loss: float
    seconds: float


@dataclass(frozen=True)
class SavedSearch:
    """Search that found the partition; the partition of each run in the smallest type."""

    status: Status
    cap_bound: bool
    n_agreeing: int
    seed: int | None
    notes: tuple[str, ...]
    expected_loss: float
    gap: float
    seconds: float
    runs: tuple[SavedRun, ...]
    tried: tuple[Tried, ...]
    labels: Annotated[Codes, partitions("N", as_type=np.int64)]
    ended: Annotated[Labels, partitions("R", "N", name="runs")]

    @classmethod
    def of(cls, result: PartitionResult) -> SavedSearch:
        """Return the record of a search."""
        most = max((run.n_clusters for run in result.runs), default=1)
        ended = np.empty((len(result.runs), len(result.labels)), dtype=np.min_scalar_type(-most))
        for r, run in enumerate(result.runs):
            ended[r] = run.labels
        return copied(cls, result, runs=tuple(copied(SavedRun, run) for run in result.runs), ended=ended)

    def check(self) -> None:
        """Raise `ModelError` for runs that are not as many as their partitions, and partitions without clusters."""
        if len(self.runs) != len(self.ended):
            raise ModelError(
                f"array 'runs' of the model has {len(self.ended)} partitions of {len(self.runs)} runs; save it again"
            )
        for at, tried in enumerate(self.tried):
            if tried.n_clusters < 1:
                raise ModelError(f"n_clusters of tried[{at}] is 0, expected at least 1; save the model again")

    def made(self, loss: PartitionLoss) -> PartitionResult:
        """Return the result of the search."""
        runs = tuple(
            copied(Run, run, n_clusters=int(codes.max()) + 1, labels=codes)
            for run, codes in zip(self.runs, self.ended.astype(np.int64), strict=True)
        )
        return copied(PartitionResult, self, n_clusters=int(self.labels.max()) + 1, loss=loss, runs=runs)


@dataclass(frozen=True)
class SavedDraws:
    """M different draws of N items; `merged` says which of them each given one became.

    0.1.0 did not keep `worth`.
    """

    n_given: int
    numbered: bool
    labels: Annotated[Labels, partitions("M", "N", name="draws")]
    counts: Annotated[Array, floats("M")]
    merged: Annotated[NDArray[np.int32] | None, whole(None, as_type=np.int32)] = None
    worth: float | None = None

    def check(self) -> None:
        """Raise `ModelError` for draws that do not count, and for others than those that were given."""
        M = len(self.labels)
        if self.n_given < max(1, M):
            raise ModelError(f"n_given of draws is {self.n_given}, expected at least {max(1, M)}; save the model again")
        if self.worth is not None and not self.worth > 0:
            raise ModelError(f"worth of draws is {self.worth}, expected more than 0; save the model again")
        if not M or not (self.counts > 0).all() or self.labels.dtype.itemsize > 4:
            raise ModelError("the draws of the model are no partitions that count; save the model again")
        if self.numbered and self.merged is None:
            raise missing("array 'merged' of the model")
        if self.merged is not None and (
            len(self.merged) != self.n_given
            or not np.array_equal(np.unique(self.merged[self.merged >= 0]), np.arange(M))
        ):
            raise ModelError("array 'merged' of the model does not number its draws; save the model again")

    def made(self) -> PartitionDraws:
        """Return the draws."""
        n_clusters = self.labels.max(axis=1).astype(np.int64) + 1
        worth = worth_of(self.counts, self.n_given) if self.worth is None else self.worth
        given = self.merged if self.numbered else None
        return copied(PartitionDraws, self, n_clusters=n_clusters, worth=worth, given=given)


@dataclass(frozen=True)
class SavedResult:
    """The best restart and all of them, with every trace. An array that occurs twice is kept once.

    `evidence`, the members of an ensemble, is not kept: the fit of memberships to draws has none.
    """

    BY_NAME: ClassVar = True
    status: Status
    objective_name: str
    solver_name: str
    n_iter: int
    n_products: int
    objective: float
    misfit: float
    optimality: float
    seconds: float
    earlier_seconds: float
    seed: int | None
    notes: tuple[str, ...]
    norm_is_exact: bool
    membership: Annotated[Array, floats("N", "K")]
    labels: Annotated[NDArray[np.int64], whole("N", below="K", as_type=np.int64)]
    scale: Annotated[Array, floats("K")]
    trace: Annotated[Array, floats(None)]
    restarts: tuple[Restart, ...]
    factor: Annotated[Array | None, floats("N", "K")] = None

    @classmethod
    def of(cls, result: SolveResult) -> SavedResult:
        """Return the record of a result."""
        found = result.membership
        return copied(cls, result, membership=found.matrix, labels=found.labels)

    def check(self) -> None:
        """Raise `ModelError` where nothing led to the result."""
        if not self.restarts:
            raise ModelError("the membership of the model comes from no restart; save the model again")

    def made(self) -> SolveResult:
        """Return the result."""
        membership = Membership(self.membership)
        membership.labels = self.labels
        own: dict[str, Any] = {
            "membership": membership,
            "factor": membership.matrix if self.factor is self.membership else self.factor,
        }
        known = {field.name for field in fields(SolveResult)}
        return SolveResult(**{name: value for name, value in vars(self).items() if name in known} | own)


@dataclass(frozen=True)
class SavedPartition:
    """A fit to draws of N items, or to their similarity; 0.1.0 did not keep `n_draws`."""

    parameters: Config
    fitted_loss: PartitionLoss
    search: SavedSearch
    said: tuple[str, ...]
    items: tuple[str, ...] | None
    draws: SavedDraws | None
    agreement: Annotated[SavedComparison | None, Under("agreement.")]
    membership: Annotated[SavedResult | None, Under("soft.")]
    starts: Annotated[Arrays, Under("starts.")]
    similarity: Annotated[Array | None, floats("N", "N")] = None
    n_draws: int | None = None

    @classmethod
    def of(cls, model: BayesianPartition) -> SavedPartition:
        """Return the record of a fitted estimator.

        NotFittedError before `fit`, and InputError for what cannot be kept.
        """
        check_is_fitted(model, "result_")
        draws, found = model.draws_, model.agreement_
        starts, given = given_labels("starts", model.starts)
        numbered = draws is not None and draws.given is not None
        return cls(
            parameters=parameters_of(model, "starts") | {"starts": starts},
            fitted_loss=model.loss_,
            search=SavedSearch.of(model.result_),
            said=model._said,
            items=None if model.items_ is None else tuple(str(item) for item in model.items_),
            draws=None if draws is None else copied(SavedDraws, draws, numbered=numbered, merged=draws.given),
            agreement=None if found is None else SavedComparison.of(found),
            membership=SavedResult.of(model.membership_result_) if "_soft" in vars(model) else None,
            starts=given,
            similarity=model.psm() if draws is None else None,
            n_draws=model.n_draws_,
        )

    def check(self) -> None:
        """Raise `ModelError` for names and a similarity that are not those of the items."""
        N, P = len(self.search.labels), self.similarity
        if self.items is not None and (len(self.items) != N or len(set(self.items)) < N):
            raise ModelError(
                f"the model names {len(self.items)} items, expected a name for each of {N}, and no two alike"
            )
        if self.draws is None and P is None:
            raise missing("array 'similarity' of the model")
        if P is not None and (not ((P >= 0) & (P <= 1)).all() or not (P == P.T).all()):
            raise ModelError("the similarity of the model is no symmetric matrix in [0, 1]; save the model again")
        if self.membership is not None and self.membership.membership.shape[1] != int(self.search.labels.max()) + 1:
            raise ModelError("array 'soft.membership' of the model has another number of clusters; save it again")

    def made(self, kind: type[BayesianPartition]) -> BayesianPartition:
        """Return the estimator, fitted."""
        starts = labels_as_given("starts", self.parameters["starts"], self.starts)
        model = made_with(kind, self.parameters, starts=starts)
        model.result_ = result = self.search.made(self.fitted_loss)
        model.labels_, model.n_clusters_ = result.labels, result.n_clusters
        model.expected_loss_, model.loss_ = result.expected_loss, result.loss
        model.n_features_in_ = len(result.labels)
        model.items_ = None if self.items is None else np.array(self.items)
        model._said = self.said
        model.draws_ = None if self.draws is None else self.draws.made()
        model.n_draws_ = self.n_draws if model.draws_ is None else model.draws_.n_given
        model._similarity = self.similarity if self.draws is None else None
        model.agreement_ = None if self.agreement is None else self.agreement.made()
        if self.membership is not None:
            model._soft = self.membership.made()
        return model
