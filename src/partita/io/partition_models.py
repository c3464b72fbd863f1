"""BayesianPartition as a saved model: the draws, the partition found in them, how it was found, and what is made of it.

Draws are kept as the fit holds them, numbered and with equal ones merged, in one, two or four bytes a label. With
missing items it is the similarity matrix that the fit holds. A membership is kept where it has been asked for, as it is
made at first use.
"""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from partita.errors import ModelError
from partita.estimators.bayesian_partition import BayesianPartition
from partita.io.chain_comparisons import comparison_state, restored_comparison
from partita.io.given_labels import given_labels, labels_as_given
from partita.io.model_kind import Arrays, Config, ModelKind
from partita.io.parameters import made_with, plain_parameter, revived_parameter
from partita.io.solve_results import restored_result, result_state
from partita.io.taken import Held, Stated, as_json, require_partitions
from partita.partition.draws import PartitionDraws
from partita.partition.losses import PartitionLoss
from partita.partition.result import PartitionResult, Run, Tried
from partita.runs import Status

__all__ = ["PARTITION"]

SOFT = "soft."
NUMBERS = ("expected_loss", "gap", "seconds")


def _state(model: BayesianPartition) -> tuple[Config, Arrays]:
    check_is_fitted(model, "result_")
    result, draws, comparison = model.result_, model.draws_, model.agreement_
    starts, arrays = given_labels("starts", model.starts)
    parameters = {name: value for name, value in model.get_params(deep=False).items() if name != "starts"}
    config: Config = {
        "parameters": {name: plain_parameter(name, value) for name, value in parameters.items()} | {"starts": starts},
        "fitted_loss": plain_parameter("loss", model.loss_),
        "search": _search(result),
        "said": list(model._said),
        "items": None if model.items_ is None else [str(item) for item in model.items_],
        "draws": None if draws is None else {"n_given": int(draws.n_given), "numbered": draws.given is not None},
        "agreement": None,
        "membership": None,
    }
    arrays |= {"labels": result.labels, "runs": _runs(result)}
    if draws is None:
        arrays["similarity"] = model.psm()
    else:
        arrays |= {"draws": draws.labels, "counts": draws.counts}
        arrays |= {} if draws.given is None else {"merged": draws.given}
    if comparison is not None:
        config["agreement"], own = comparison_state(comparison)
        arrays |= own
    if "_soft" in vars(model):
        config["membership"], own = result_state(model.membership_result_, SOFT)
        arrays |= own
    return config, arrays


def _restored(kind: type[BayesianPartition], config: Config, arrays: Arrays) -> BayesianPartition:
    stated, held = Stated(config, "the model"), Held(arrays)
    parameters = {name: revived_parameter(value) for name, value in config["parameters"].items() if name != "starts"}
    model = made_with(kind, parameters | {"starts": labels_as_given(config["parameters"]["starts"], held)})
    loss = revived_parameter(stated.any("fitted_loss"))
    if not isinstance(loss, PartitionLoss):
        raise ModelError(f"the loss of the model is {loss!r}; save the model again")
    model.result_ = _restored_search(stated.part("search"), held, loss)
    model.labels_, model.n_clusters_ = model.result_.labels, model.result_.n_clusters
    model.expected_loss_, model.loss_ = model.result_.expected_loss, loss
    N, K = len(model.labels_), model.n_clusters_
    model.n_features_in_ = N
    model.items_ = _items(stated, N)
    model._said = stated.words("said")
    given = stated.part_or_none("draws")
    model.draws_ = None if given is None else _draws(given, held, N)
    model._similarity = _similarity(held, N) if given is None else None
    comparison, soft = stated.part_or_none("agreement"), stated.part_or_none("membership")
    model.agreement_ = None if comparison is None else restored_comparison(comparison, held)
    if soft is not None:
        model._soft = restored_result(soft, held, N, K)
    return model


def _search(result: PartitionResult) -> Config:
    return {
        "status": result.status,
        "cap_bound": bool(result.cap_bound),
        "n_agreeing": int(result.n_agreeing),
        "seed": result.seed,
        "notes": list(result.notes),
        **{name: as_json(getattr(result, name)) for name in NUMBERS},
        "runs": [
            {"start": run.start, "loss": as_json(run.loss), "seconds": as_json(run.seconds)} for run in result.runs
        ],
        "tried": [
            {"method": tried.method, "n_clusters": int(tried.n_clusters), "loss": as_json(tried.loss)}
            for tried in result.tried
        ],
    }


def _restored_search(stated: Stated, held: Held, loss: PartitionLoss) -> PartitionResult:
    labels = held.whole("labels", None).astype(np.int64)
    n_clusters = int(require_partitions(labels[None], "the partition of the model")[0])
    parts = stated.parts("runs")
    codes, counts = held.partitions("runs", len(parts), len(labels))
    runs = tuple(
        Run(part.word("start"), int(K), part.number("loss"), row.astype(np.int64), part.number("seconds"))
        for part, row, K in zip(parts, codes, counts, strict=True)
    )
    tried = tuple(
        Tried(part.word("method"), part.whole("n_clusters", least=1), part.number("loss"))
        for part in stated.parts("tried")
    )
    return PartitionResult(
        labels=labels,
        n_clusters=n_clusters,
        loss=loss,
        status=stated.word("status", among=get_args(Status)),
        runs=runs,
        tried=tried,
        cap_bound=stated.flag("cap_bound"),
        n_agreeing=stated.whole("n_agreeing"),
        seed=stated.whole_or_none("seed"),
        notes=stated.words("notes"),
        **{name: stated.number(name) for name in NUMBERS},
    )


def _runs(result: PartitionResult) -> NDArray[Any]:
    """The partition of each run, in the smallest type."""
    N = len(result.labels)
    most = max((run.n_clusters for run in result.runs), default=1)
    codes = np.empty((len(result.runs), N), dtype=np.min_scalar_type(-most))
    for r, run in enumerate(result.runs):
        codes[r] = run.labels
    return codes


def _draws(stated: Stated, held: Held, n_items: int) -> PartitionDraws:
    labels, n_clusters = held.partitions("draws", None, n_items)
    counts = held.floats("counts", len(labels))
    n_given = stated.whole("n_given", least=max(1, len(labels)))
    if not len(labels) or not (counts > 0).all() or labels.dtype.itemsize > 4:
        raise ModelError("the draws of the model are no partitions that count; save the model again")
    merged = held.whole("merged", n_given).astype(np.int32) if stated.flag("numbered") else None
    if merged is not None and not np.array_equal(np.unique(merged[merged >= 0]), np.arange(len(labels))):
        raise ModelError("array 'merged' of the model does not number its draws; save the model again")
    return PartitionDraws(labels, counts, n_clusters, n_given, merged)


def _similarity(held: Held, n_items: int) -> NDArray[np.float64]:
    P = held.floats("similarity", n_items, n_items)
    if not ((P >= 0) & (P <= 1)).all() or not (P == P.T).all():
        raise ModelError("the similarity of the model is no symmetric matrix in [0, 1]; save the model again")
    return P


def _items(stated: Stated, n_items: int) -> NDArray[Any] | None:
    if stated.any("items") is None:
        return None
    items = stated.words("items")
    if len(items) != n_items or len(set(items)) < n_items:
        raise ModelError(f"the model names {len(items)} items, expected a name for each of {n_items}, and no two alike")
    return np.array(items)


PARTITION = ModelKind(_state, _restored)
