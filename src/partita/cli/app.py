"""Commands and options."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from partita.cli.choices import (
    AffinityOption,
    InputOption,
    Kernel,
    Method,
    MissingOption,
    Model,
    Normalize,
    Prior,
    Probabilities,
    Sampler,
    ScaleOption,
    Sizes,
    SymmetrizeOption,
    Unit,
    UnstoredOption,
)
from partita.cli.console import DONE, guarded, say_interrupted

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


def _version(show: bool) -> None:
    if show:
        from partita import __version__

        typer.echo(f"partita {__version__}")
        raise typer.Exit(DONE)


@app.callback()
def options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show it.")] = False,
) -> None:
    """Which items belong together, and how surely?"""


Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON on standard output, and nothing else.")]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing output.")]


@app.command()
@guarded
def demo(
    out: Annotated[Path, typer.Option(help="Output folder.")] = Path("partita-demo"),
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> int:
    """Cluster scikit-learn's handwritten digits and write a report."""
    from partita.cli.demo import run_demo

    return run_demo(out, quiet=quiet, as_json=as_json)


@app.command()
@guarded
def fit(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV, TSV, npz, npy, parquet or Matrix Market file.")],
    k: Annotated[
        str,
        typer.Option(
            "--k",
            metavar="K|auto|CRITERION",
            help="Number of clusters, auto: as many as the criteria find, or the name of one of them.",
        ),
    ],
    out: Annotated[Path | None, typer.Option(help="Output folder; FILE's name with -partita by default.")] = None,
    force: Force = False,
    label_column: Annotated[str | None, typer.Option(help="Column of known labels: scored, never fitted.")] = None,
    id_column: Annotated[str | None, typer.Option(help="Column that names the items.")] = None,
    key: Annotated[str | None, typer.Option(help="Array to read from an npz file.")] = None,
    input_: Annotated[InputOption, typer.Option("--input", help="What FILE holds.")] = InputOption.features,
    model: Annotated[
        Model,
        typer.Option(
            help="soft: diffused neighbour graph, scale learned; sof, baum-eagon, symnmf, copositive: the papers'; "
            "scams: a partition and its number of clusters together; kernel-kmeans, spectral: hard partitions to "
            "compare with."
        ),
    ] = Model.soft,
    affinity: Annotated[
        AffinityOption | None,
        typer.Option(
            help="neighbors (soft's and scams' default), relative (the others'), ensemble; landmarks, nystrom and "
            "random-features are low-rank; ssc, ssc-omp and lrr for items near a union of subspaces."
        ),
    ] = None,
    solver: Annotated[
        str | None, typer.Option(help="How the objective is minimised.", show_default="the model's own")
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(help="spectral (soft's and kernel-kmeans' default), dirichlet (most others') or kmeans."),
    ] = None,
    sizes: Annotated[
        Sizes | None, typer.Option(help="soft only: a scale for each cluster (free) or one for all (equal).")
    ] = None,
    probabilities: Annotated[
        Probabilities | None,
        typer.Option(
            help="soft only: memberships as fitted, calibrated against a density and held-out fits, or averaged over "
            "resamples.",
            show_default="fitted",
        ),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="soft only: steps of diffusion.",
            show_default="4 where most pairs have affinity zero, else 1",
        ),
    ] = None,
    method: Annotated[
        Method | None, typer.Option(help="scams only: local search (its default), or ADMM, which is N x N.")
    ] = None,
    share: Annotated[
        float | None,
        typer.Option(
            help="scams only: clusters stay apart where less than this share of an item's affinity goes to another."
        ),
    ] = None,
    theta: Annotated[float | None, typer.Option(help="scams only: in place of --share; gamma = theta / N.")] = None,
    normalization: Annotated[
        str | None,
        typer.Option(
            help="soft: symmetric, relative-entropy, l1, frobenius or none; copositive: relative-entropy, l1 or "
            "frobenius; symnmf, kernel-kmeans, spectral: symmetric or none.",
            show_default="symmetric; copositive: relative-entropy; kernel-kmeans: none",
        ),
    ] = None,
    n_neighbors: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Neighbours of the graph, landmarks that an item chooses, or n of the relative distance.",
            show_default="10; landmarks: 5",
        ),
    ] = None,
    n_landmarks: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Number of landmarks, or of random features.",
            show_default="landmarks, random-features: 500; nystrom: 300",
        ),
    ] = None,
    metric: Annotated[str | None, typer.Option(help="Distance between features.", show_default="euclidean")] = None,
    kernel: Annotated[
        Kernel | None,
        typer.Option(help="Kernel of the affinity.", show_default="laplacian for relative, else gaussian"),
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option(
            help="c of relative, nystrom and random-features: a number, or balanced.",
            show_default="relative: 1; others: balanced",
        ),
    ] = None,
    scale_features: Annotated[
        ScaleOption, typer.Option(help="Scale columns before distances are taken.")
    ] = ScaleOption.none,
    missing: Annotated[
        MissingOption, typer.Option(help="Whether an empty cell is an error or not observed.")
    ] = MissingOption.error,
    symmetrize: Annotated[
        SymmetrizeOption | None, typer.Option(help="How an asymmetric affinity is made symmetric; an error without.")
    ] = None,
    unstored: Annotated[
        UnstoredOption, typer.Option(help="What a pair that a sparse affinity or edge list leaves out means.")
    ] = UnstoredOption.zero,
    must_link: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Pairs of items (two columns of ids) that belong together.")
    ] = None,
    cannot_link: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Pairs of items that do not belong together.")
    ] = None,
    pair_weight: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Weights of pairs (three columns: two of ids, weight); 0 was not observed, pairs not listed count 1.",
        ),
    ] = None,
    n_init: Annotated[
        int | None, typer.Option(min=1, help="Restarts.", show_default="10 for dirichlet, else 1")
    ] = None,
    n_jobs: Annotated[int, typer.Option(help="Restarts at a time; -1 for every core.")] = -1,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Same seed, same answer.")] = 0,
    max_iter: Annotated[int, typer.Option(min=1, help="Iterations of a restart.")] = 1000,
    tol: Annotated[float, typer.Option(min=0, help="Optimality at which a restart has converged.")] = 1e-4,
    max_seconds: Annotated[float | None, typer.Option(help="Time for all restarts.")] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder from which the same command goes on with a fit that was killed or stopped.",
        ),
    ] = None,
    checkpoint_seconds: Annotated[
        float | None, typer.Option(min=0, help="Time between two checkpoints.", show_default="60")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 3 when the fit did not converge.")] = False,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> int:
    """Fit memberships to FILE and write them, a summary, a report and the model."""
    from partita.cli.fit import FitOptions, run_fit

    return run_fit(FitOptions(**_given(FitOptions, locals() | {"input": input_})))


@app.command()
@guarded
def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="An output folder of fit, or its model/.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="New items, with the columns of the fitted ones.")],
    out: Annotated[Path, typer.Option(help="CSV file to write.")],
    force: Force = False,
    label_column: Annotated[str | None, typer.Option(help="Column of known labels, left out.")] = None,
    id_column: Annotated[str | None, typer.Option(help="Column that names the items.")] = None,
    key: Annotated[str | None, typer.Option(help="Array to read from an npz file.")] = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> int:
    """Write the memberships of new items, given a saved model."""
    from partita.cli.predict import run_predict

    return run_predict(
        model, file, out, force=force, label_column=label_column, id_column=id_column, key=key, quiet=quiet
    )


@app.command()
@guarded
def partition(
    file: Annotated[Path, typer.Argument(metavar="DRAWS", help="File of M x N labels, a row a draw.")],
    loss: Annotated[
        str, typer.Option(help="binder, pear, omari, vi, vi_lb, nvi, id or nid: what is expected to be least.")
    ] = "vi",
    unit: Annotated[Unit | None, typer.Option(help="Of losses that are entropies.", show_default="bits")] = None,
    a: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=2,
            help="vi and binder: weight of parting items that belong together; 2 - a of joining others.",
            show_default="1",
        ),
    ] = None,
    normalize: Annotated[
        Normalize | None, typer.Option(help="binder: divide by N^2 or by the number of pairs.", show_default="n2")
    ] = None,
    max_clusters: Annotated[
        int | None, typer.Option(min=1, help="No partition with more clusters.", show_default="no cap")
    ] = None,
    level: Annotated[float, typer.Option(help="Posterior mass of the credible ball.")] = 0.95,
    key: Annotated[
        str | None, typer.Option(help="Array of an npz file or zarr group, or variable of an ArviZ file.")
    ] = None,
    chains: Annotated[
        int | None,
        typer.Option(min=1, help="The rows are so many chains of one length.", show_default="as the file says, or one"),
    ] = None,
    start: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Labels of a partition to begin at as well.")
    ] = None,
    missing: Annotated[
        MissingOption,
        typer.Option(help="unobserved: an empty cell or a negative label says that the draw lacks the item."),
    ] = MissingOption.error,
    weights: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Weight of each draw: a CSV column called weight, or npy.", show_default="1"),
    ] = None,
    psm: Annotated[bool, typer.Option("--psm", help="Write the posterior similarity matrix too, as psm.npy.")] = False,
    n_init: Annotated[int, typer.Option(min=0, help="Random starts at most.")] = 8,
    n_jobs: Annotated[int, typer.Option(help="Runs at a time; -1 for every core.")] = -1,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Same seed, same answer.")] = 0,
    max_seconds: Annotated[float | None, typer.Option(help="Time for the search.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Output folder.", show_default="DRAWS' name with -partition; NAME-partition of NAME-draws/draws.npz"
        ),
    ] = None,
    force: Force = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Exit with 3 when cut short, when chains disagree or are too short to tell, or when the cap binds.",
        ),
    ] = False,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> int:
    """Find the partition that MCMC draws, or an ensemble of clusterings, expect least loss of, and how sure it is.

    DRAWS may be CSV, TSV, R's write.table (txt), rds or RData, npz, npy, parquet, zarr or ArviZ's netCDF.
    """
    from partita.cli.partition import PartitionOptions, run_partition

    return run_partition(PartitionOptions(**_given(PartitionOptions, locals())))


@app.command()
@guarded
def draws(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Features: CSV, TSV, npz, npy or parquet.")],
    sweeps: Annotated[int, typer.Option(min=1, help="Sweeps of each chain, the burn-in among them.")] = 2000,
    burn_in: Annotated[
        int | None, typer.Option(min=0, help="Sweeps before the first draw.", show_default="half of --sweeps")
    ] = None,
    thin: Annotated[int, typer.Option(min=1, help="Sweeps for each draw.")] = 1,
    chains: Annotated[int, typer.Option(min=1, help="Chains, from unlike starts; nothing else shows one stuck.")] = 4,
    sampler: Annotated[
        Sampler | None, typer.Option(help="How the posterior is sampled.", show_default="collapsed; others: auxiliary")
    ] = None,
    prior: Annotated[
        Prior | None,
        typer.Option(help="conjugate: normal-inverse-Wishart; independent, paper: mean and covariance apart."),
    ] = None,
    alpha: Annotated[float | None, typer.Option(help="Concentration.", show_default="learnt under Gamma(2, 1)")] = None,
    columns: Annotated[str | None, typer.Option(help="Features to use, as in a,b,c.", show_default="all")] = None,
    label_column: Annotated[str | None, typer.Option(help="Column of known labels, left out.")] = None,
    id_column: Annotated[str | None, typer.Option(help="Column that names the items.")] = None,
    key: Annotated[str | None, typer.Option(help="Array to read from an npz file.")] = None,
    scale_features: Annotated[ScaleOption, typer.Option(help="Scale columns first.")] = ScaleOption.none,
    n_jobs: Annotated[int, typer.Option(help="Chains at a time; -1 for every core.")] = -1,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Same seed, same draws.")] = 0,
    max_seconds: Annotated[float | None, typer.Option(help="Time for all chains.")] = None,
    out: Annotated[Path | None, typer.Option(help="Output folder; FILE's name with -draws by default.")] = None,
    force: Force = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 3 when chains disagree or are cut short.")
    ] = False,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> int:
    """Sample partition draws of FILE's items from a Dirichlet-process mixture of Gaussians."""
    from partita.cli.draws import DrawsOptions, run_draws

    return run_draws(DrawsOptions(**_given(DrawsOptions, locals())))


def _given(options: Any, given: dict[str, Any]) -> dict[str, Any]:
    """The options that a command was given, as plain values."""
    known = options.__dataclass_fields__
    return {name: value.value if isinstance(value, Enum) else value for name, value in given.items() if name in known}


@app.command()
@guarded
def score(
    labels: Annotated[Path, typer.Argument(metavar="LABELS", help="CSV file of the labels found.")],
    truth: Annotated[Path, typer.Argument(metavar="TRUTH", help="CSV file of the known labels.")],
    as_json: Json = False,
    debug: Debug = False,
) -> int:
    """Compare labels with known ones: column `label` or the only column, same order or a shared `id`."""
    from partita.cli.score import run_score

    return run_score(labels, truth, as_json=as_json)


@app.command()
@guarded
def reproduce(
    name: Annotated[str | None, typer.Argument(metavar="NAME|all", help="A table or figure, as --list has it.")] = None,
    list_: Annotated[bool, typer.Option("--list", help="Name every table and figure, and stop.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Few runs instead of as many as the paper.")] = False,
    out: Annotated[Path, typer.Option(help="Output folder; what it has already is not computed again.")] = Path(
        "partita-reproduce"
    ),
    seed: Annotated[int, typer.Option(min=0, help="Seed of all random numbers.")] = 0,
    replicates: Annotated[
        int | None, typer.Option(min=1, help="Replicates of a simulation.", show_default="as the size has it")
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes.", show_default="every core")] = None,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> int:
    """Make a table or figure of the four papers again, ours beside theirs."""
    from partita.cli.reproduce import list_experiments, run_reproduce

    if list_:
        return list_experiments(as_json=as_json)
    return run_reproduce(
        name, out, quick=quick, seed=seed, replicates=replicates, n_jobs=jobs, quiet=quiet, as_json=as_json
    )


@app.command()
@guarded
def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Output folder of fit, partition, draws or demo.")],
    file: Annotated[
        Path | None, typer.Option(help="The file that the command read.", show_default="where it was, or beside DIR")
    ] = None,
    files_only: Annotated[
        bool, typer.Option("--files-only", help="Check the files, and do not run the command again.")
    ] = False,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> int:
    """Check a result's files, and that its command gives the same bits again."""
    from partita.cli.verify import run_verify

    return run_verify(folder, file=file, replay=not files_only, quiet=quiet, as_json=as_json)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; `sys.argv` by default."""
    try:
        app(args=arguments)
    except KeyboardInterrupt as stop:
        say_interrupted(stop)
        sys.exit(130)
