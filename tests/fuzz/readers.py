"""Every reader by name, as a function of a path; what it returns does not matter, only that it returns or refuses."""

import contextlib
import io
import os
import warnings
from pathlib import Path
from unittest import mock

import numpy as np

from partita.errors import InputError, MemoryLimitError

__all__ = ["READERS", "REFUSALS", "tried"]

REFUSALS = (InputError, MemoryLimitError)
# What readers are told is free. The samples take kilobytes.
MEMORY = 400_000_000


def tried(name: str, path: Path) -> str:
    """What a reader did with a path: "read" or "refused"; every other exception is a failure and comes through."""
    with warnings.catch_warnings(), mock.patch.dict(os.environ, {"PARTITA_MEMORY_LIMIT": str(MEMORY)}):
        warnings.simplefilter("ignore")
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            try:
                READERS[name](path)
            except REFUSALS as error:
                if not str(error):
                    raise AssertionError("a refusal that does not say what is wrong") from error
                return "refused"
    return "read"


def features(path):
    from partita.io import read_features

    for options in ({}, {"allow_missing": True}):
        with contextlib.suppress(*REFUSALS):
            read_features(path, **options)
            return
    read_features(path, label_column="kind", allow_missing=True)


def affinity(path):
    from partita.cli.inputs import Asked, read_input

    with contextlib.suppress(*REFUSALS):
        read_input(path, "distances", Asked(missing=True))
    read_input(path, "affinity", Asked())


def edges(path):
    from partita.cli.inputs import Asked, read_input

    read_input(path, "edges", Asked())


def rows(path):
    from partita.io.matrices import read_sparse_rows

    read_sparse_rows(path)


def labels(path):
    from partita.io import match_labels, read_labels

    table = read_labels(path)
    match_labels(table, table)


def memberships(path):
    from partita.io import read_memberships

    read_memberships(path)


def links(path):
    from partita.io import read_links

    read_links(path, ["0", "1", "2", "3"])


def pair_weights(path):
    from partita.io import read_pair_weights

    read_pair_weights(path, ["0", "1", "2", "3"])


def draws(path):
    """Read, and looked through as the search does."""
    from partita.io import read_draws
    from partita.partition.draws import PartitionDraws

    with contextlib.suppress(*REFUSALS):
        read_draws(path, missing="unobserved")
    PartitionDraws.of(read_draws(path).labels)


def model(path):
    """Loaded; and what is loaded scores items, or says of its own, or says what is wrong, but nothing worse."""
    from partita import BayesianPartition, DPGaussianMixture, load

    estimator = load(path)
    n = estimator.n_features_in_
    if not isinstance(n, int) or not 0 < n < 1000:
        raise AssertionError(f"a model with n_features_in_={n!r} was loaded")
    with contextlib.suppress(ValueError, MemoryLimitError):
        if isinstance(estimator, BayesianPartition):
            for answer in (estimator.psm, lambda: estimator.membership_, estimator.credible_ball, estimator.certainty):
                answer()
            estimator.certain_items()
        elif isinstance(estimator, DPGaussianMixture):
            estimator.score_samples(np.full((2, n), 0.5))
        else:
            estimator.predict_proba(np.full((2, n), 0.5))


def manifest(path):
    from partita.cli import verify
    from partita.cli.options import VerifyOptions

    def nothing(_command, _options, _places, out):
        out.mkdir()
        return 0

    with mock.patch.object(verify, "run_again", nothing):
        verify.run_verify(VerifyOptions(path, as_json=True))


def checkpoint(path):
    from partita.solvers.serialization import read_tree

    read_tree(path)


def cells(path):
    from partita.reproduce.cell_store import CellStore

    CellStore(path, version="0", seed=0)


READERS = {
    "features": features,
    "affinity": affinity,
    "edges": edges,
    "rows": rows,
    "labels": labels,
    "memberships": memberships,
    "links": links,
    "pair weights": pair_weights,
    "draws": draws,
    "model": model,
    "manifest": manifest,
    "checkpoint": checkpoint,
    "cells": cells,
}
