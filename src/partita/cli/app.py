"""The commands, each a function of its options, and how the command line is made of them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from dataclasses import MISSING, fields
from inspect import Parameter, Signature
from typing import Annotated, Any, get_type_hints

import typer

from partita.cli.console import DONE, guarded, say_interrupted
from partita.cli.options import (
    DemoOptions,
    DrawsOptions,
    FitOptions,
    PartitionOptions,
    PredictOptions,
    ReproduceOptions,
    ScoreOptions,
    VerifyOptions,
)

__all__ = ["app", "main"]

app = typer.Typer(
    name="partita",
    help="Which items belong together, and how surely? Memberships from pairwise evidence.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    epilog="Exit codes: 0 done; 1 internal error; 2 wrong input or usage; 3 not converged under --strict; "
    "130 interrupted.",
)

# Every command has it, and no result depends on it: `guarded` takes it away.
DEBUG = Parameter(
    "debug",
    Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")],
)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; `sys.argv` by default."""
    try:
        app(args=arguments)
    except KeyboardInterrupt as stop:
        say_interrupted(stop)
        sys.exit(130)


def command(run: Callable[[Any], int]) -> Callable[..., None]:
    """Enrol a function as the command of its name: its parameters are the fields of the dataclass that it takes."""
    kind = get_type_hints(run)["options"]
    hints = get_type_hints(kind, include_extras=True)
    given = [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(kind)
    ]

    @functools.wraps(run)
    def called(**options: Any) -> int:
        return run(kind(**options))

    called.__signature__ = Signature([*given, DEBUG])  # type: ignore[attr-defined]
    return app.command()(guarded(called))


def _version(show: bool) -> None:
    if show:
        from partita import __version__

        typer.echo(f"partita {__version__}")
        raise typer.Exit(DONE)


@app.callback()
def partita(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show it.")] = False,
) -> None:
    """Which items belong together, and how surely?"""


# What follows imports inside functions, so that `partita --help` does not wait for NumPy and SciPy.


@command
def demo(options: DemoOptions) -> int:
    """Cluster scikit-learn's handwritten digits and write a report."""
    from partita.cli.demo import run_demo

    return run_demo(options)


@command
def fit(options: FitOptions) -> int:
    """Fit memberships to FILE and write them, a summary, a report and the model."""
    from partita.cli.fit import run_fit

    return run_fit(options)


@command
def predict(options: PredictOptions) -> int:
    """Write the memberships of new items, given a saved model."""
    from partita.cli.predict import run_predict

    return run_predict(options)


@command
def partition(options: PartitionOptions) -> int:
    """Find the partition that MCMC draws, or an ensemble of clusterings, expect least loss of, and how sure it is.

    DRAWS may be CSV, TSV, R's write.table (txt), rds or RData, npz, npy, parquet, zarr or ArviZ's netCDF.
    """
    from partita.cli.partition import run_partition

    return run_partition(options)


@command
def draws(options: DrawsOptions) -> int:
    """Sample partition draws of FILE's items from a Dirichlet-process mixture of Gaussians."""
    from partita.cli.draws import run_draws

    return run_draws(options)


@command
def score(options: ScoreOptions) -> int:
    """Compare labels with known ones: column `label` or the only column, same order or a shared `id`."""
    from partita.cli.score import run_score

    return run_score(options)


@command
def reproduce(options: ReproduceOptions) -> int:
    """Make a table or figure of the four papers again, ours beside theirs."""
    from partita.cli.reproduce import run_reproduce

    return run_reproduce(options)


@command
def verify(options: VerifyOptions) -> int:
    """Check a result's files, and that its command gives the same bits again."""
    from partita.cli.verify import run_verify

    return run_verify(options)
