"""`partita draws`: partition draws from the posterior of a Dirichlet-process mixture of Gaussians."""

from __future__ import annotations

import time
import warnings
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from partita.cli.console import DONE, INTERRUPTED, NOT_CONVERGED, deferred_interrupt, say, say_json
from partita.cli.inputs import Asked, Input, names_of, read_input, reading_of
from partita.cli.manifest import SCHEMA_VERSION, as_json, write_manifest
from partita.cli.options import DrawsOptions, options_given
from partita.cli.standard_input import readable
from partita.errors import InputError
from partita.estimators.scaling import Scaling
from partita.io import output_folder, require_output, versions, write_json
from partita.memory import peak_memory
from partita.mixture import SampledPartitions, SweepBar, sample_partitions
from partita.paths import name_of
from partita.wording import count

__all__ = ["run_draws"]


def run_draws(options: DrawsOptions) -> int:
    """Read, sample and write; return the exit code."""
    began = time.perf_counter()
    burn_in = options.sweeps // 2 if options.burn_in is None else options.burn_in
    n_draws = (options.sweeps - burn_in) // options.thin
    if n_draws < 1:
        raise InputError(
            f"--sweeps {options.sweeps} with --burn-in {burn_in} and --thin {options.thin} leave no draw: expected "
            "more sweeps than the burn-in and one draw"
        )
    items, X = _read(options)
    out = options.out or Path(f"{name_of(options.file)}-draws")
    require_output(out, force=options.force)
    drawn = _sampled(options, X, burn_in, n_draws)
    with deferred_interrupt() as interrupted, output_folder(out, force=options.force) as folder:
        result = _write(options, folder, items, drawn, began)
    return _ended(options, drawn, result, out, interrupted=interrupted())


def _read(options: DrawsOptions) -> tuple[Input, NDArray[np.float64]]:
    """The items of a file, and their features, scaled as asked."""
    asked = Asked(
        label_column=options.label_column,
        id_column=options.id_column,
        key=options.key,
        columns=names_of(options.columns),
        missing=True,  # refused below: there is no option that takes them
        reading=reading_of(options),
    )
    with readable(options.file) as file:
        items = read_input(file, "features", asked)
    X = np.asarray(items.X, dtype=np.float64)
    lacking = np.argwhere(np.isnan(X))
    if len(lacking):
        i, j = lacking[0].tolist()
        more = f" (and {count(len(lacking) - 1, 'more cell')})" if len(lacking) > 1 else ""
        raise InputError(
            f"{options.file}: {items.place(i)}, column {items.columns[j]!r} is missing (empty or NaN){more}: a mixture "
            "needs every feature of every item; fill the cells in, or leave out these rows"
        )
    scaling = Scaling.of(X, None, options.scale_features)
    return items, X if scaling is None else scaling(X)


def _sampled(options: DrawsOptions, X: NDArray[np.float64], burn_in: int, n_draws: int) -> SampledPartitions:
    """Draws of every chain, of which there is at least one."""
    chosen: dict[str, Any] = {} if options.alpha is None else {"alpha": options.alpha}
    with nullcontext() if options.quiet else SweepBar() as bar, warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # said at the end, in our own words
        drawn = sample_partitions(
            X,
            sampler=options.sampler,
            prior=options.prior,
            n_chains=options.chains,
            n_draws=n_draws,
            burn_in=burn_in,
            thin=options.thin,
            seed=options.seed,
            n_jobs=options.n_jobs,
            max_seconds=options.max_seconds,
            progress=bar,
            **chosen,
        )
    if drawn.n_sweeps <= burn_in and drawn.status != "completed":
        _refuse_burn_in(options, drawn.status, drawn.n_sweeps, burn_in)
    return drawn


def _refuse_burn_in(options: DrawsOptions, status: str, n_sweeps: int, burn_in: int) -> NoReturn:
    """Refuse a chain cut short within its burn-in: the place it reached is no draw of the posterior."""
    where = f"after {n_sweeps:,} of {burn_in:,} sweeps of burn-in, before the first draw"
    if status == "interrupted":
        raise KeyboardInterrupt(f"interrupted {where}")
    raise InputError(
        f"--max-seconds {options.max_seconds:g}: time was over {where}; nothing was written: give more time, or fewer "
        "--sweeps or a shorter --burn-in"
    )


def _write(options: DrawsOptions, folder: Path, items: Input, drawn: SampledPartitions, began: float) -> dict[str, Any]:
    """Write every file of the output folder; return the contents of `result.json`."""
    np.savez_compressed(
        folder / "draws.npz",
        draw=drawn.labels,
        chain=drawn.chain,
        n_clusters=drawn.n_clusters_trace.ravel(),
        alpha=drawn.alpha_trace.ravel(),
        log_joint=drawn.log_joint_trace.ravel(),
        item=np.array(items.ids),
    )
    verdict, agreement = drawn.verdict, drawn.agreement
    counts, times = np.unique(drawn.n_clusters_trace, return_counts=True)
    result = as_json(
        {
            "schema_version": SCHEMA_VERSION,
            "command": "draws",
            "parameters": options_given(options),
            "n_items": len(items.ids),
            "n_chains": drawn.n_chains,
            "n_draws": len(drawn.labels),
            "n_sweeps": drawn.n_sweeps,
            "sampler": str(drawn.sampler),
            "prior": str(drawn.prior),
            "n_clusters": {str(k): int(n) for k, n in zip(counts, times)},
            "r_hat": drawn.r_hat,
            "effective_sample_size": drawn.effective_sample_size,
            "agreement": None if agreement is None else asdict(agreement),
            "chains": None if verdict is None else {"agree": verdict.agree, "verdict": verdict.words},
            "disagreements": list(drawn.disagreements),
            "status": drawn.status,
            "seconds": time.perf_counter() - began,
            "peak_memory_bytes": peak_memory(),
            "seed": options.seed,
            "versions": versions(),
            "input_sha256": items.sha256,
            "notes": [*items.notes, *drawn.notes],
        }
    )
    write_json(folder / "result.json", result)
    write_manifest(folder, result, source=items.source, kind=items.kind, options=options, found=items.found)
    return result


def _ended(
    options: DrawsOptions, drawn: SampledPartitions, result: dict[str, Any], out: Path, *, interrupted: bool
) -> int:
    """Print what was drawn; return the exit code."""
    if options.as_json:
        say_json(result, out)
    elif not options.quiet:
        _print_summary(result, out)
    if drawn.status == "interrupted" or interrupted:
        say("partita: interrupted; what had been drawn was written", quiet=options.quiet)
        return INTERRUPTED
    verdict = drawn.verdict
    cut = "" if drawn.status == "completed" else "the chains were cut short"
    doubt = cut or ("" if verdict is None or verdict.agree else verdict.words.partition(":")[0])
    if options.strict and doubt:
        say(f"partita: {doubt}, and --strict was given")
        return NOT_CONVERGED
    return DONE


def _print_summary(result: dict[str, Any], out: Path) -> None:
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False, soft_wrap=True)
    counts = result["n_clusters"]
    total = sum(counts.values())
    shares = ", ".join(f"{k} ({n / total:.0%})" for k, n in sorted(counts.items(), key=lambda kn: -kn[1])[:5])
    console.print(
        f"{count(result['n_draws'], 'partition draw')} of {count(result['n_items'], 'item')} from "
        f"{count(result['n_chains'], 'chain')}, {result['seconds']:.1f} s; clusters: {shares}"
    )
    chains = result["chains"]
    if chains is not None and not chains["agree"]:
        console.print(f"{escape(chains['verdict'])} (--sweeps)")
    if result["disagreements"]:
        console.print("partitions found from these draws are not to be trusted")
    for note in result["notes"]:
        console.print(f"note: {escape(note)}")
    console.print(f"written to {escape(str(out))}: draws.npz, result.json")
    console.print(f"next: partita partition {escape(str(out / 'draws.npz'))}")
