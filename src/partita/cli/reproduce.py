"""`partita reproduce`: tables and figures of the papers, made again."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from partita.cli.console import DONE, say
from partita.cli.options import ReproduceOptions
from partita.errors import InputError
from partita.io import atomic_write_text
from partita.reproduce import Experiment, Size, experiment, experiment_names, outcomes_in, overview, reproduce

__all__ = ["run_reproduce"]


def run_reproduce(options: ReproduceOptions) -> int:
    """Make one table or figure, or all, and say what came out; or name them. The exit code."""
    if options.list_names:
        return _list_experiments(as_json=options.as_json)
    name, out = str(options.name), options.out
    size: Size = "quick" if options.quick else "full"
    works = [experiment(each) for each in (experiment_names() if name == "all" else [name])]
    records, missing = [], []
    for work in works:
        try:
            record = reproduce(
                work,
                out,
                size=size,
                seed=options.seed,
                replicates=options.replicates,
                n_jobs=options.jobs,
                say=lambda line: say(line, quiet=options.quiet),
            )
        except InputError as error:
            if len(works) == 1:
                raise
            missing.append(work.name)
            say(f"partita: {work.name} was left out: {error}")
            continue
        records.append(record)
        if not options.as_json:
            _say_outcome(record, out, quiet=options.quiet)
    if name == "all":
        atomic_write_text(out / "README.md", overview(outcomes_in(out), pictures="."))
    if options.as_json:
        sys.stdout.write(json.dumps(records, indent=2, ensure_ascii=False) + "\n")
    if missing:
        raise InputError(f"{len(missing)} of {len(works)} were left out: {', '.join(missing)}")
    return DONE


def _list_experiments(*, as_json: bool) -> int:
    """Print every name with what it shows."""
    if as_json:
        rows = [{"name": n, "paper": e.paper, "title": e.title} for n, e in Experiment.registry.items()]
        sys.stdout.write(json.dumps(rows, indent=2, ensure_ascii=False) + "\n")
        return DONE
    width = max(map(len, experiment_names()))
    for name, each in Experiment.registry.items():
        sys.stdout.write(f"{name:{width}s}  {each.title} [{each.paper}]\n")
    return DONE


def _say_outcome(record: dict[str, object], out: Path, *, quiet: bool) -> None:
    if quiet:
        return
    sys.stdout.write(f"{record['name']}: {record['title']}\n")
    for finding in record["findings"]:  # type: ignore[attr-defined]
        sys.stdout.write(f"  {finding['verdict']}: {finding['claim']} {finding['words']}\n")
    sys.stdout.write(f"  {out / str(record['name']) / 'index.html'}\n")
