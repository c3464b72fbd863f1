"""`partita fit`: read a file, fit an estimator, write its answer. `partita demo` fits and ends the same way."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

from partita.affinity.checks import is_adjacency
from partita.cli.console import DONE, INTERRUPTED, NOT_CONVERGED, deferred_interrupt, say, say_json, stage
from partita.cli.early import was_cut_short
from partita.cli.estimator_options import estimator_of, implied_affinity
from partita.cli.fit_output import Fit, print_fit, write_fit
from partita.cli.inputs import Asked, Input, names_of, read_input, reading_of, require_features
from partita.cli.manifest import options_untouched, write_manifest
from partita.cli.options import DemoOptions, FitOptions, options_given
from partita.cli.standard_input import readable
from partita.estimators.base import FactorizationEstimator
from partita.estimators.mixed_table import MixedTable
from partita.io import output_folder, read_links, read_pair_weights, require_output
from partita.io.graphs import GRAPHS
from partita.paths import name_of
from partita.solvers import Checkpoint

__all__ = ["ended", "fitted", "run_fit"]

# Options of which the page says what was chosen.
CHOSEN = {"k", "affinity", "solver"}
# A text file that by its name holds a graph; it is read as a table where somebody says so.
EDGE_LIST = ".edgelist"
# Warnings of a fit that the notes pass on.
TOLD = (ConvergenceWarning, DataConversionWarning)


def run_fit(options: FitOptions) -> int:
    """Read, fit and write; return the exit code."""
    said = options.input is not None
    suffix = options.file.suffix.lower()
    if (options.holds == "features" and suffix in GRAPHS) or (not said and suffix == EDGE_LIST):
        options = replace(options, input="edges")  # such a file holds nothing else
    estimator = estimator_of(options)  # wrong options are named before a large file is read
    items, known = _read(options, estimator)
    if not said:
        require_features(items, options.file)
    if sp.issparse(items.X) and estimator.affinity == "precomputed" and is_adjacency(items.X):
        estimator.affinity = "auto"  # as the same matrix in a table
    out = options.folder
    force = options.force or was_cut_short(options)
    require_output(out, force=force)
    fit = fitted(estimator, items, title=name_of(options.file), **known)
    fit = replace(fit, warnings=[*implied_affinity(options), *fit.warnings])
    from partita.report.headline import examine_number  # its package is slow to import, and a wrong input needs none

    stopped = False
    with stage("examining the number of clusters", quiet=options.quiet):
        try:
            examine_number(fit.estimator)
        except KeyboardInterrupt:
            stopped = True
    with deferred_interrupt() as interrupted, output_folder(out, force=force) as folder:
        given = options_given(options) | {"k": estimator.n_clusters}
        at_default = {*options_untouched(options)} - CHOSEN
        result = write_fit(folder, fit, command="fit", given=given, quiet=options.quiet, at_default=at_default)
        write_manifest(folder, result, source=items.source, kind=items.kind, options=options, found=items.found)
    _remove_checkpoint(estimator)
    return ended(fit, result, out, options, interrupted=stopped or interrupted(), strict=options.strict)


def _read(options: FitOptions, estimator: FactorizationEstimator) -> tuple[Input, dict[str, Any]]:
    """The items, and what is known of pairs of them."""
    with stage("reading", quiet=options.quiet), readable(options.file) as file:
        asked = Asked(
            label_column=options.label_column,
            id_column=options.id_column,
            key=options.key,
            columns=names_of(options.columns),
            missing=None if options.missing is None else options.missing == "unobserved",
            only_stored=options.unstored == "unobserved",
            mixed=estimator._builder().mixed,
            symmetrize=options.symmetrize,
            reading=reading_of(options),
        )
        items = read_input(file, options.holds, asked)
    for doubt in items.doubts:  # before the time of a fit is spent
        say(f"note: {doubt}", quiet=options.quiet)
    links = {"must_link": options.must_link, "cannot_link": options.cannot_link}
    known: dict[str, Any] = {name: read_links(file, items.ids) for name, file in links.items() if file is not None}
    if options.pair_weight is not None:
        known["pair_weight"] = read_pair_weights(options.pair_weight, items.ids)
    return items, known


def fitted(estimator: FactorizationEstimator, items: Input, *, title: str, **known: Any) -> Fit:
    """Fit an estimator to items and to what is known of pairs of them."""
    began = time.perf_counter()
    X = items.X
    if isinstance(X, np.ndarray) and items.features is X and items.columns and not estimator._builder().mixed:
        X = MixedTable(tuple(items.columns), tuple(X.T))  # by which notes know the names of columns
    with warnings.catch_warnings(record=True) as caught:
        for category in TOLD:
            warnings.simplefilter("always", category)
        estimator.fit(X, **known)
    estimator._columns = items.columns or None  # as of a model that is loaded
    told = [str(each.message) for each in caught if issubclass(each.category, TOLD)]
    return Fit(title, items, estimator, time.perf_counter() - began, told)


def _remove_checkpoint(estimator: FactorizationEstimator) -> None:
    """Remove the checkpoint of a fit whose output stands, unless a restart could still resume from it."""
    result, checkpoint = estimator.result_, estimator.checkpoint
    statuses = {result.status, *(restart.status for restart in result.restarts)}
    if isinstance(checkpoint, Checkpoint) and statuses <= {"converged", "max_iter"}:
        checkpoint.remove()


def ended(
    fit: Fit,
    result: dict[str, Any],
    out: Path,
    options: FitOptions | DemoOptions,
    *,
    interrupted: bool,
    strict: bool = False,
) -> int:
    """Print what a fit gave; return the exit code."""
    if options.as_json:
        say_json(result, out)
    elif not options.quiet:
        print_fit(fit, result, out)
    status = result["status"]
    if status == "interrupted":
        checkpoint = fit.estimator.checkpoint
        kept = "" if checkpoint is None else f"; the same command goes on from {checkpoint.folder}"
        say(f"partita: interrupted; the best result so far was written{kept}", quiet=options.quiet)
        return INTERRUPTED
    if interrupted:
        say("partita: interrupted when the fit had ended; its result was written", quiet=options.quiet)
        return INTERRUPTED
    if strict and status != "converged":
        say(f"partita: not converged ({status}), and --strict was given")
        return NOT_CONVERGED
    return DONE
