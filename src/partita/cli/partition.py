"""`partita partition`: one partition from partition draws, what else was found, and how sure it is."""

from __future__ import annotations

import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from partita.cli.console import DONE, INTERRUPTED, NOT_CONVERGED, deferred_interrupt, say, say_json, stage
from partita.cli.early import require_loss
from partita.cli.item_table import ItemTable, read_item_table
from partita.cli.manifest import options_untouched, write_manifest
from partita.cli.options import PartitionOptions, options_given
from partita.errors import InputError, UnsureWarning
from partita.estimators.bayesian_partition import BayesianPartition
from partita.io import (
    is_partita_folder,
    output_folder,
    read_draw_weights,
    read_draws,
    read_labels,
    require_output,
    sha256_of_file,
    versions,
    write_json,
)
from partita.io.label_files import LabelTable, match_labels
from partita.memory import require_pairs
from partita.partition.losses import Binder, PartitionLoss, VariationOfInformation
from partita.partition.named_draws import NamedDraws
from partita.paths import name_of
from partita.wording import count

if TYPE_CHECKING:
    from partita.report import PartitionReport

__all__ = ["run_partition"]

# Name of the file of `partita draws`, and ending of its folders; the message at Ctrl-C when the search is over.
DRAWS, ENDING = "draws", "-draws"
WRITING = "partita: the search had ended; writing what it found"


def run_partition(options: PartitionOptions) -> int:
    """Read, search and write; return the exit code."""
    began = time.perf_counter()
    if (options.file / f"{DRAWS}.npz").is_file():  # the folder that `partita draws` wrote
        options = replace(options, file=options.file / f"{DRAWS}.npz")
    loss = _loss(options)
    with stage("reading", quiet=options.quiet):
        draws = _with_chains(read_draws(options.file, key=options.key, missing=options.missing), options.chains)
        M, N = draws.labels.shape
        weights = None if options.weights is None else read_draw_weights(options.weights, M)
        digest = sha256_of_file(options.file) if options.file.is_file() else None
    if options.psm:
        require_pairs(N, "the posterior similarity matrix", "leave out --psm", copies=1.5)
    names = None if draws.items is None else draws.items.tolist()
    known = _known(options, names, N)
    ids = known.ids if known is not None else names or [str(i) for i in range(N)]
    estimator = _estimator(options, loss, ids)
    out = options.out or Path(f"{_name_of(options.file)}-partition")
    require_output(out, force=options.force)
    with warnings.catch_warnings():
        for told in (ConvergenceWarning, UnsureWarning):  # its status and its notes say so
            warnings.simplefilter("ignore", told)
        estimator.fit(draws, weights=weights)
    with deferred_interrupt("" if options.quiet else WRITING) as interrupted:
        report = _report(options, estimator, ids, known, began)
        with output_folder(out, force=options.force) as folder:
            result = _write(options, folder, report, digest, began)
    return _ended(options, report, result, out, interrupted=interrupted())


def _known(options: PartitionOptions, names: list[str] | None, n_items: int) -> ItemTable | None:
    """The table of the items, where there is one."""
    if options.items is None:
        for option, given in (("--id-column", options.id_column), ("--label-column", options.label_column)):
            if given is not None:
                raise InputError(f"{option} names a column of the table of the items: pass it with --items FILE")
        return None
    return read_item_table(
        options.items, names, n_items, id_column=options.id_column, label_column=options.label_column
    )


def _estimator(options: PartitionOptions, loss: str | PartitionLoss, ids: list[str]) -> BayesianPartition:
    """The estimator that the options describe."""
    return BayesianPartition(
        loss,
        unit=options.unit or "bits",
        max_clusters=options.max_clusters,
        n_init=options.n_init,
        starts=() if options.start is None else (_start(options.start, ids),),
        max_seconds=options.max_seconds,
        missing=options.missing,
        on_interrupt="best",
        random_state=options.seed,
        n_jobs=options.n_jobs,
        verbose=0 if options.quiet else 1,
    )


def _report(
    options: PartitionOptions,
    estimator: BayesianPartition,
    ids: list[str],
    known: ItemTable | None,
    began: float,
) -> PartitionReport:
    """Gather the contents of the files, the page and the summary."""
    from partita.report import PartitionReport  # matplotlib is slow to import, and a wrong input needs none

    name, source = _name_of(options.file), options.file.name
    with stage("finding out how sure it is", quiet=options.quiet):
        ball = None if estimator.draws_ is None else estimator.credible_ball(options.level)
    return PartitionReport(
        title=name,
        source=f"{options.file.resolve().parent.name}/{source}" if name != name_of(options.file) else source,
        ids=ids,
        estimator=estimator,
        ball=ball,
        parameters=options_given(options),
        seconds=time.perf_counter() - began,
        versions=versions(),
        command=" ".join(["partita", *sys.argv[1:]]) if sys.argv else None,
        table=None if known is None else known.table,
        notes=[] if known is None else known.notes,
        untouched=options_untouched(options),
    )


def _write(
    options: PartitionOptions, folder: Path, report: PartitionReport, digest: str | None, began: float
) -> dict[str, Any]:
    """Write every file of the output folder; return the contents of `result.json`."""
    from partita.cli.partition_output import partition_record, write_partition_files
    from partita.report import write_partition_report

    with stage("finding out how sure it is", quiet=options.quiet):
        write_partition_files(folder, report, psm=options.psm)
        result = partition_record(report, seconds=time.perf_counter() - began, seed=options.seed, digest=digest)
        write_json(folder / "result.json", result)
    with stage("writing the report", quiet=options.quiet):
        write_partition_report(folder / "report.html", report)
    write_manifest(folder, result, source=options.file.name, kind="draws", options=options)
    return result


def _ended(
    options: PartitionOptions, report: PartitionReport, result: dict[str, Any], out: Path, *, interrupted: bool
) -> int:
    """Print what was found; return the exit code."""
    if options.as_json:
        say_json(result, out)
    elif not options.quiet:
        from partita.cli.partition_output import print_partition

        print_partition(report, result, out)
    if result["status"] == "interrupted":
        say("partita: interrupted; the best partition so far was written", quiet=options.quiet)
        return INTERRUPTED
    if interrupted:
        say("partita: interrupted after the search had ended; its result was written in full", quiet=options.quiet)
        return INTERRUPTED
    if options.strict and (doubt := _doubt(report.estimator)):
        say(f"partita: {doubt}, and --strict was given")
        return NOT_CONVERGED
    return DONE


def _doubt(estimator: BayesianPartition) -> str:
    """Reason to doubt that the search was finished on draws of one posterior; empty where there is none."""
    result, agreement = estimator.result_, estimator.agreement_
    if result.status != "converged":
        return f"not converged ({result.status})"
    if agreement is not None and not agreement.agree:
        return agreement.verdict.partition(":")[0]
    return "max_clusters keeps a better partition from being found" if result.cap_bound else ""


def _loss(options: PartitionOptions) -> str | PartitionLoss:
    """A name, or a loss with the options that it alone has."""
    require_loss(options.loss)
    entropic = PartitionLoss.registry[options.loss].entropic and PartitionLoss.registry[options.loss].unit is not None
    if options.unit is not None and not entropic:
        raise InputError(f"--unit goes with losses that are entropies, not with --loss {options.loss}")
    if options.normalize is not None and options.loss != "binder":
        raise InputError(f"--normalize goes with --loss binder, not with --loss {options.loss}")
    if options.a is None and options.normalize is None:
        return options.loss
    a = 1.0 if options.a is None else options.a
    if options.loss == "binder":
        return Binder(a=a, normalize=options.normalize or "n2")
    if options.loss == "vi":
        return VariationOfInformation(a=a, unit=options.unit or "bits")
    raise InputError(f"--a goes with --loss vi or binder, not with --loss {options.loss}")


def _name_of(file: Path) -> str:
    """Name for the draws: that of their file, or of its folder where the file's says only that they are draws.

    >>> _name_of(Path("galaxy.csv.gz")), _name_of(Path("crabs-draws/draws.npz"))
    ('galaxy', 'crabs')
    """
    name = name_of(file)
    folder = file.resolve().parent
    if name != DRAWS or not (folder.name.endswith(ENDING) or is_partita_folder(folder)):
        return name
    return folder.name.removesuffix(ENDING) or name


def _with_chains(draws: NamedDraws, chains: int | None) -> NamedDraws:
    if chains is None:
        return draws
    M = draws.labels.shape[0]
    if chains < 1 or M % chains:
        raise InputError(
            f"--chains {chains}: {count(M, 'draw')} cannot be {count(chains, 'chain')} of one length: expected a "
            f"number that divides {M}"
        )
    chain = np.repeat(np.arange(chains), M // chains)
    if draws.chain is not None:
        names, own = np.unique(draws.chain, return_inverse=True)
        same = np.array_equal(np.flatnonzero(np.diff(own)), np.flatnonzero(np.diff(chain)))
        if len(names) != chains or not same:
            raise InputError(
                f"--chains {chains}: the file says itself which chain each draw is of ({len(names)} chains); leave out "
                "--chains"
            )
        return draws
    return replace(draws, chain=chain)


def _start(file: Path, ids: list[str]) -> NDArray[Any]:
    """A partition from a file of labels, in the order of the items."""
    table = read_labels(file)
    items = LabelTable(np.array(ids), ids, "", Path("the draws"))
    return match_labels(items, table)[1]
