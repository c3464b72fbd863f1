"""The commands, each a function of its options, and how the command line is made of them."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from dataclasses import MISSING
from inspect import Parameter, Signature
from typing import Annotated, Any, ClassVar, get_type_hints

import typer
from typer.core import TyperCommand

from partita.cli.console import DONE, WRONG_INPUT, guarded, loading, say_error_as_json, say_interrupted
from partita.cli.early import (
    check_draws,
    check_fit,
    check_partition,
    check_predict,
    check_reproduce,
    check_score,
    check_verify,
)
from partita.cli.help import arguments_words, help_page
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
from partita.cli.several import for_each, of_each_file
from partita.cli.spelling import Spelled, flag_meant, spelled

__all__ = ["app", "main"]

app = typer.Typer(
    name="partita",
    help="Which items belong together, and how surely? Clusters tables, distances, graphs and partition draws.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain text is there at once, and pages of help are short enough without boxes
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
    epilog="Exit codes: 0 done; 1 internal error; 2 wrong input or usage; 3 not converged under --strict; "
    "130 interrupted.",
)
# What each command takes.
OPTIONS: dict[str, type[Any]] = {}


class Command(TyperCommand):
    """A command whose help, and whose word for an option that there is not, come from the dataclass of its options."""

    kind: ClassVar[type[Any]]

    def page(self, *, everything: bool) -> str:
        """Return the page of `--help`, or of `--help-all`."""
        about = inspect.cleandoc(self.callback.__doc__ or "").split("\n\n")
        return help_page(self.name or "", " ".join(" ".join(about).split()), self.kind, everything=everything)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(self.page(everything=False))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [*arguments_words(self.kind), "[OPTIONS]"]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given = [*args]
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            if hasattr(error, "possibilities"):  # the parser's error for an option that there is not
                meant = flag_meant(error.option_name, self.kind)  # type: ignore[attr-defined]
                todo = f"did you mean {meant}?" if meant else "--help-all lists those that there are."
                error.message = f"There is no option {error.option_name}; {todo}"  # type: ignore[attr-defined]
                error.possibilities = None
            elif hasattr(self.kind, "one_file") and "extra argument" in getattr(error, "message", ""):
                error.message += f": {self.kind.one_file}"  # type: ignore[attr-defined]
            if "--json" in given and hasattr(error, "format_message"):
                say_error_as_json(error.format_message(), "InputError", WRONG_INPUT)
            raise


def _show_all(ctx: typer.Context, asked: bool) -> None:
    if asked and isinstance(ctx.command, Command):
        typer.echo(ctx.command.page(everything=True), nl=False)
        raise typer.Exit(DONE)


# Every command has these, and no result depends on them: `guarded` takes the one away, and typer the other.
DEBUG = Parameter(
    "debug",
    Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")],
)
HELP_ALL = Parameter(
    "help_all",
    Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[bool, typer.Option("--help-all", is_eager=True, expose_value=False, callback=_show_all)],
)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; `sys.argv` by default."""
    try:
        app(args=arguments, prog_name="partita")
    except KeyboardInterrupt as stop:
        say_interrupted(stop)
        sys.exit(130)


def command(run: Callable[[Any], int]) -> Callable[..., None]:
    """Enrol a function as the command of its name: its parameters are the fields of the dataclass that it takes.

    typer takes the command line apart and leaves every value as text, which `Spelled` reads.
    """
    kind = get_type_hints(run)["options"]
    name = run.__name__
    OPTIONS[name] = kind

    @functools.wraps(run)
    def called(**given: Any) -> int:
        return run(kind(**_values(kind, given)))

    called.__signature__ = Signature([*map(_parameter, spelled(kind)), DEBUG, HELP_ALL])  # type: ignore[attr-defined]
    cls = type(name, (Command,), {"kind": kind})
    return app.command(cls=cls)(guarded(called))


def _parameter(each: Spelled) -> Parameter:
    """What typer is to know of an option: its flags, and whether something stands behind them."""
    info: Any = typer.Argument(metavar=each.info.metavar) if each.argument else typer.Option(*each.flags)
    if each.kind is bool:
        return Parameter(each.name, Parameter.KEYWORD_ONLY, default=False, annotation=Annotated[bool, info])
    if each.many:
        return Parameter(each.name, Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[list[str] | None, info])
    needed = each.default is MISSING
    text = str if needed else str | None
    default = Parameter.empty if needed else None
    return Parameter(each.name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[text, info])


def _values(kind: type[Any], given: dict[str, Any]) -> dict[str, Any]:
    """The options that were given, read; the dataclass has the defaults of the others."""
    texts = {each: given[each.name] for each in spelled(kind) if given[each.name] is not None}
    return {each.name: text if each.kind is bool else each.value(text) for each, text in texts.items()}


def _version(show: bool) -> None:
    if show:
        from partita import __version__

        typer.echo(f"partita {__version__}")
        raise typer.Exit(DONE)


@app.callback()
def partita(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Which items belong together, and how surely?"""


# What follows imports inside functions, so that help and wrong options do not wait for NumPy and SciPy.


@command
def demo(options: DemoOptions) -> int:
    """Cluster scikit-learn's handwritten digits and write a report."""
    with loading(quiet=options.quiet):
        from partita.cli.demo import run_demo

    return run_demo(options)


@command
def fit(options: FitOptions) -> int:
    """Cluster the items of each FILE.

    Writes memberships, a summary, a report and the model to a folder.
    """
    each = of_each_file(options)
    for one in each:
        check_fit(one, alone=len(each) == 1)
    with loading(quiet=options.quiet):
        from partita.cli.fit import run_fit

    return run_fit(options) if len(each) == 1 else for_each(run_fit, each)


@command
def predict(options: PredictOptions) -> int:
    """Write the memberships of new items, given a saved model."""
    check_predict(options)
    with loading(quiet=options.quiet):
        from partita.cli.predict import run_predict

    return run_predict(options)


@command
def partition(options: PartitionOptions) -> int:
    """Find one partition from partition draws.

    Draws are those of a sampler, or an ensemble of clusterings; how sure the partition is, is said beside it.

    DRAWS may be CSV, TSV, R's write.table (txt), rds or RData, npz, npy, parquet, zarr or ArviZ's netCDF.
    """
    check_partition(options)
    with loading(quiet=options.quiet):
        from partita.cli.partition import run_partition

    return run_partition(options)


@command
def draws(options: DrawsOptions) -> int:
    """Sample partition draws by a mixture model.

    The mixture of the items of FILE is a Dirichlet-process mixture of normal distributions.
    """
    check_draws(options)
    with loading(quiet=options.quiet):
        from partita.cli.draws import run_draws

    return run_draws(options)


@command
def score(options: ScoreOptions) -> int:
    """Compare labels found with known ones.

    By purity, Rand indices, accuracy and variation of information. Both files have the same order, or ids that they
    are joined on.
    """
    check_score(options)
    with loading(quiet=False):
        from partita.cli.score import run_score

    return run_score(options)


@command
def reproduce(options: ReproduceOptions) -> int:
    """Reproduce the tables and figures of four papers.

    The papers are those whose models are in Partita; its figures stand beside theirs.
    """
    check_reproduce(options)
    with loading(quiet=options.quiet):
        from partita.cli.reproduce import run_reproduce

    return run_reproduce(options)


@command
def verify(options: VerifyOptions) -> int:
    """Check that a result can be made again.

    Its files are compared with their check sums, and its command is run again and must give the same bits.
    """
    check_verify(options)
    with loading(quiet=options.quiet):
        from partita.cli.verify import run_verify

    return run_verify(options)
