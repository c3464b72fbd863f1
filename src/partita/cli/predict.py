"""`partita predict`: memberships of new items from a saved model."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.cli.console import DONE, say
from partita.cli.options import PredictOptions
from partita.errors import InputError
from partita.estimators.base import FactorizationEstimator
from partita.io import FeatureTable, load, read_features, write_predictions
from partita.io.matrices import read_sparse_rows
from partita.membership import row_entropy, row_margin
from partita.wording import count

__all__ = ["run_predict"]

# Purpose of models that give new items no memberships.
INSTEAD = {
    "BayesianPartition": (
        "which says of the items of its draws alone where they belong and cannot place new ones: sample draws that "
        "have the new items too and partition them, or fit the features with partita fit and predict with that"
    ),
    "DPGaussianMixture": (
        "which has densities and no memberships: partita.load(MODEL).score_samples(X) in Python gives the log density "
        "of new items; for memberships fit the features with partita fit"
    ),
}
# What to do about missing cells where the model was fitted without.
COMPLETE = (
    "fill them in, or leave out these rows: the model was fitted on complete rows (partita fit --missing unobserved "
    "makes one that takes missing cells)"
)


def run_predict(options: PredictOptions) -> int:
    """Read, score and write; return the exit code."""
    out = options.out
    if out.exists() and not (options.force and out.is_file()):
        raise InputError(f"{out} exists already: pass --force to replace it, or another --out")
    estimator = load(options.model)
    if not isinstance(estimator, FactorizationEstimator):
        raise InputError(f"{options.model} holds a {type(estimator).__name__}, {INSTEAD[type(estimator).__name__]}")
    sparse = read_sparse_rows(options.file) if estimator._builder_.pairwise else None
    if sparse is None:
        table = read_features(
            options.file,
            label_column=options.label_column,
            id_column=options.id_column,
            key=options.key,
            allow_missing=estimator.missing == "unobserved",
            mixed=hasattr(estimator, "encoding_"),
            remedy=COMPLETE,
        )
        ids, notes = table.ids, table.notes
        W = estimator.predict_proba(_in_order(table, estimator._columns))
    else:
        ids, notes = [str(i) for i in range(sparse.shape[0])], []
        W = estimator.predict_proba(sparse)
    labels = W.argmax(axis=1)
    write_predictions(out, ids, labels, W, row_entropy(W), row_margin(W))
    for note in notes:
        say(f"note: {note}", quiet=options.quiet)
    sizes = np.bincount(labels, minlength=W.shape[1])
    say(f"{count(len(W), 'item')} scored, sizes {sizes.tolist()}; written to {out}", quiet=options.quiet)
    return DONE


def _in_order(table: FeatureTable, columns: list[str] | None) -> Any:
    """The columns of the fit, in its order, found by name: an array, or a mixed table."""
    given = table.features if table.table is None else table.table
    if columns is None or table.columns == columns:
        return given
    missing = [name for name in columns if name not in table.columns]
    if missing:
        raise InputError(
            f"{table.path} lacks {len(missing)} of the {len(columns)} columns the model was fitted on: "
            f"{', '.join(map(repr, missing[:5]))}"
        )
    extra = [name for name in table.columns if name not in columns]
    if extra:
        names = ", ".join(map(repr, extra[:5]))
        raise InputError(f"{table.path} has columns the model was not fitted on: {names}; leave them out")
    if table.table is not None:
        return table.table.ordered(columns)
    return table.features[:, [table.columns.index(name) for name in columns]]
