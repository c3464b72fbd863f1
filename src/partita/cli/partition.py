"""`partita partition`: one partition from partition draws, what else was found, and how sure it is."""

from __future__ import annotations

import sys
import time
import warnings
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from partita.cli.console import DONE, INTERRUPTED, NOT_CONVERGED, deferred_interrupt, say
from partita.cli.draw_weights import read_draw_weights
from partita.cli.record import write_manifest
from partita.cli.replay import options_as_given
from partita.errors import InputError
from partita.estimators.bayesian_partition import BayesianPartition
from partita.io import (
    is_partita_folder,
    output_folder,
    read_draws,
    read_labels,
    sha256_of_file,
    versions,
    write_json,
)
from partita.io.label_files import LabelTable, match_labels
from partita.memory import require_pairs
from partita.partition.losses import Binder, PartitionLoss, VariationOfInformation
from partita.partition.named_draws import NamedDraws
from partita.progress import ProgressBar
from partita.registry import did_you_mean

if TYPE_CHECKING:
    from partita.report import PartitionReport

__all__ = ["PartitionOptions", "run_partition"]

# What `partita draws` calls its file, and how its folders end; and what is said at Ctrl-C when the search is over.
DRAWS, ENDING = "draws", "-draws"
WRITING = "partita: the search had ended; writing what it found"


@dataclass(frozen=True)
class PartitionOptions:
    """The options of `partita partition`, as given."""

    file: Path
    loss: str
    unit: Literal["bits", "nats"] | None
    a: float | None
    normalize: Literal["n2", "pairs"] | None
    max_clusters: int | None
    level: float
    key: str | None
    chains: int | None
    start: Path | None
    missing: Literal["error", "unobserved"]
    weights: Path | None
    psm: bool
    n_init: int
    n_jobs: int
    seed: int
    max_seconds: float | None
    out: Path | None
    force: bool
    strict: bool
    quiet: bool
    as_json: bool


def run_partition(options: PartitionOptions) -> int:
    """Read, search, write; the exit code."""
    began = time.perf_counter()
    loss = _loss(options)
    if not 0 < options.level <= 1:
        raise InputError(f"--level {options.level:g}: expected a share of the posterior above 0 and at most 1")
    with nullcontext() if options.quiet else ProgressBar() as bar, bar.stage("reading") if bar else nullcontext():
        draws = _with_chains(read_draws(options.file, key=options.key, missing=options.missing), options.chains)
        M, N = draws.labels.shape
        weights = None if options.weights is None else read_draw_weights(options.weights, M)
        digest = sha256_of_file(options.file) if options.file.is_file() else None
    if options.psm:
        require_pairs(N, "the posterior similarity matrix", "leave out --psm", copies=1.5)
    ids = [str(i) for i in range(N)] if draws.items is None else draws.items.tolist()
    estimator = BayesianPartition(
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
    name = _name_of(options.file)
    out = options.out or Path(f"{name}-partition")
    with output_folder(out, force=options.force) as folder:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # its status says so
            estimator.fit(draws, weights=weights)
        with deferred_interrupt("" if options.quiet else WRITING) as interrupted:
            report, result = _write(options, folder, estimator, ids, digest, began)
    if options.as_json:
        sys.stdout.write((out / "result.json").read_text(encoding="utf-8"))
    elif not options.quiet:
        from partita.cli.partition_words import print_partition

        print_partition(report, result, out)
    if result["status"] == "interrupted":
        say("partita: interrupted; the best partition so far was written", quiet=options.quiet)
        return INTERRUPTED
    if interrupted():
        say("partita: interrupted after the search had ended; its result was written in full", quiet=options.quiet)
        return INTERRUPTED
    if options.strict and (doubt := _doubt(estimator)):
        say(f"partita: {doubt}, and --strict was given")
        return NOT_CONVERGED
    return DONE


def _doubt(estimator: BayesianPartition) -> str:
    """Why the answer is not that of a finished search on draws of one posterior; empty where nothing says so."""
    result, agreement = estimator.result_, estimator.agreement_
    if result.status != "converged":
        return f"not converged ({result.status})"
    if agreement is not None and not agreement.agree:
        return agreement.verdict.partition(":")[0]
    return "max_clusters keeps a better partition from being found" if result.cap_bound else ""


def _loss(options: PartitionOptions) -> str | PartitionLoss:
    """A name, or a loss with the options that it alone has."""
    if options.loss not in PartitionLoss.registry:
        near = did_you_mean(options.loss, PartitionLoss.registry)
        raise InputError(f"--loss {options.loss}: expected one of {', '.join(PartitionLoss.registry)}{near}")
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
    """What draws are called: as their file, or, where that says no more than that they are draws, as its folder.

    >>> _name_of(Path("galaxy.csv.gz")), _name_of(Path("crabs-draws/draws.npz"))
    ('galaxy', 'crabs')
    """
    name = file.name.split(".")[0]
    folder = file.resolve().parent
    if name != DRAWS or not (folder.name.endswith(ENDING) or is_partita_folder(folder)):
        return name
    return folder.name.removesuffix(ENDING) or name


def _with_chains(draws: NamedDraws, chains: int | None) -> NamedDraws:
    if chains is None:
        return draws
    M = draws.labels.shape[0]
    if chains < 1 or M % chains:
        raise InputError(f"--chains {chains}: {M:,} draws are not {chains} chains of one length")
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


def _write(
    options: PartitionOptions,
    folder: Path,
    estimator: BayesianPartition,
    ids: list[str],
    digest: str | None,
    began: float,
) -> tuple[PartitionReport, dict[str, Any]]:
    """Every file of the output folder; what the page is made of, and what `result.json` says."""
    from partita.cli.partition_files import write_partition_files
    from partita.cli.partition_record import partition_record
    from partita.report import PartitionReport, write_partition_report

    given = {name: str(value) if isinstance(value, Path) else value for name, value in asdict(options).items()}
    name, source = _name_of(options.file), options.file.name
    with nullcontext() if options.quiet else ProgressBar() as bar:
        if bar:
            bar.enter("finding out how sure it is")
        report = PartitionReport(
            title=name,
            source=f"{options.file.resolve().parent.name}/{source}" if name != source.split(".")[0] else source,
            ids=ids,
            estimator=estimator,
            ball=None if estimator.draws_ is None else estimator.credible_ball(options.level),
            parameters=given,
            seconds=time.perf_counter() - began,
            versions=versions(),
            command=" ".join(["partita", *sys.argv[1:]]) if sys.argv else None,
        )
        write_partition_files(folder, report, psm=options.psm)
        result = partition_record(report, seconds=time.perf_counter() - began, seed=options.seed, digest=digest)
        write_json(folder / "result.json", result)
        if bar:
            bar.enter("writing the report")
        write_partition_report(folder / "report.html", report)
    write_manifest(folder, "partition", result, source=source, kind="draws", replay=options_as_given(options))
    return report, result
