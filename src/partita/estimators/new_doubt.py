"""Doubt of new items: whether they belong to a cluster at all, and how sure their labels are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from partita.arrays import Array
from partita.doubt import IF_FAR, off_the_sphere, probability_of_new
from partita.ensemble.categories import Columns
from partita.ensemble.evidence import EnsembleEvidence
from partita.errors import InputError

if TYPE_CHECKING:
    from partita.estimators.doubtful import Doubtful

__all__ = ["DoubtOfNew", "doubt_of_new"]


class DoubtOfNew(NamedTuple):
    """Doubt of new items.

    Attributes
    ----------
    outlier : array of M in [0, 1]
        Probability of each that it belongs to no cluster.
    certainty : array of M in [0, 1]
        Probability of each that its label is right.
    """

    outlier: Array
    certainty: Array


def doubt_of_new(model: Doubtful, X: Any, W: Array | None = None) -> DoubtOfNew:
    """Return what a fitted model doubts of new items, of known memberships W if given; see `Doubtful.predict_doubt`."""
    check_is_fitted(model)
    evidence = model._extension.evidence
    if not model._knows_doubt_of_new or not isinstance(evidence, EnsembleEvidence):
        raise InputError(
            "predict_doubt: only a model of features by affinity='ensemble' of this version says how sure the labels "
            "of new items are; the probabilities of predict_proba say how near an item is to each cluster"
        )
    W = model._memberships(X) if W is None else W
    if not isinstance(W, np.ndarray):
        raise InputError("predict_doubt: X comes in blocks, pass those in memory: X.compute()")
    labels, most = W.argmax(axis=1), W.max(axis=1)
    with_gaps: Any = False
    if hasattr(model, "encoding_"):
        with_gaps = np.isnan(model.encoding_.plain(model._mixed_table(X))).any(axis=1)
    given, X = X, model._checked(X, model._builder_, reset=False)
    X = X if model._extension.scaling is None else model._extension.scaling(X)
    row, counts = _of_items(model, len(evidence.items))
    outlier, Y = np.zeros(len(X)), evidence.seen(X)
    numbers = Columns.of(evidence.items).numbers
    if len(numbers):
        fitted, new = evidence.items[:, numbers], Y[:, numbers]
        if hasattr(model, "_coordinates"):  # an item may be far from the space of all fitted ones
            heights = model._coordinates.heights(model._given_of_placed(given), X) / evidence.unit
            fitted, new = np.pad(fitted, ((0, 0), (0, 1))), np.column_stack([new, heights])
        outlier = probability_of_new(fitted, model.outlier_[row], new, weights=counts)
        if not hasattr(model, "_coordinates"):
            outlier[off_the_sphere(evidence.given, X, counts)] = IF_FAR
    voters = evidence.voters(X).tocoo()
    known = (voters.data == 1.0) & (evidence.at_edge(Y) == Y).all(axis=1)[voters.row]
    outlier[voters.row[known]] = model.outlier_[row[voters.col[known]]]
    sure = (model.certainty_[row] / np.maximum(1.0 - model.outlier_[row], np.finfo(float).tiny))[voters.col]
    beside = np.minimum(sure / model.membership_.max(axis=1)[row[voters.col]], 1.0)  # by all but the membership
    same = model.labels_[row][voters.col] == labels[voters.row]
    says = np.where(same, sure, (1.0 - sure) / max(model.n_clusters_ - 1, 1))
    certainty = np.bincount(voters.row, voters.data * says, minlength=len(X))
    of_label = most * np.bincount(voters.row, voters.data * beside, minlength=len(X))
    certainty = np.where(with_gaps, of_label, certainty)
    return DoubtOfNew(outlier, np.clip(certainty, 0.0, 1.0) * (1.0 - outlier))


def _of_items(model: Doubtful, n_items: int) -> tuple[Any, Array]:
    """The surest row of each fitted item, as rows with gaps may be one with a complete one; and how often it counts."""
    row, known = np.zeros(n_items, dtype=np.intp), np.flatnonzero(model._item_of_row >= 0)
    known = known[np.argsort(model.certainty_[known], kind="stable")]
    row[model._item_of_row[known]] = known
    weights = model._weights_of_rows()
    counts = np.bincount(model._item_of_row[known], None if weights is None else weights[known], minlength=n_items)
    return row, counts.astype(np.float64)
