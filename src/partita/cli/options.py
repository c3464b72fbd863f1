"""The options of every command: a frozen dataclass each, whose fields say type, help, default and owner once.

`app` makes the commands from them, `spelling` reads their values, `help` has the pages of `--help` and `--help-all`,
the commands read them, and `manifest` keeps them to run a command again. This module imports nothing heavy, so that
`partita --help` answers at once.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from typer import Argument, Option

from partita.paths import name_of

__all__ = [
    "DemoOptions",
    "DrawsOptions",
    "FitOptions",
    "InputKind",
    "Metric",
    "Model",
    "Of",
    "Owner",
    "PartitionOptions",
    "PredictOptions",
    "ReadingOptions",
    "ReproduceOptions",
    "ScoreOptions",
    "VerifyOptions",
    "options_given",
    "options_that_count",
]

InputKind = Literal["features", "distances", "affinity", "edges"]
# The least number of seconds that a limit can have.
TICK = 1e-9
Missing = Literal["error", "unobserved"]
Model = Literal["soft", "sof", "baum-eagon", "symnmf", "copositive", "kernel-kmeans", "spectral", "scams"]
ScaleFeatures = Literal["none", "standard", "minmax"]
# Written out, since whoever else knows them is slow to load.
Metric = Literal[
    "braycurtis",
    "canberra",
    "chebyshev",
    "cityblock",
    "correlation",
    "cosine",
    "dice",
    "euclidean",
    "gower",
    "hamming",
    "haversine",
    "jaccard",
    "l1",
    "l2",
    "mahalanobis",
    "manhattan",
    "minkowski",
    "nan_euclidean",
    "rogerstanimoto",
    "russellrao",
    "seuclidean",
    "sokalsneath",
    "sqeuclidean",
    "yule",
]
Owner = Literal["evidence", "input", "model", "search", "output"]


@dataclass(frozen=True)
class Of:
    """Owner of an option, whether it is among those that most people need, and what else people call it.

    `--help` of a command of many options shows the common ones, `--help-all` all.
    """

    owner: Owner
    common: bool = False
    also: tuple[str, ...] = ()


# Options that several commands have.
OUT = Of("output", common=True, also=("--output", "--output-dir", "--out-dir", "--folder"))
SEED = Of("search", common=True, also=("--random-state", "--random-seed"))
ID_COLUMN = Of("evidence", common=True, also=("--id", "--index", "--names"))
LABEL_COLUMN = Of(
    "evidence",
    common=True,
    also=(
        *("--label", "--labels", "--truth", "--target", "--class"),
        *("--truth-column", "--target-column", "--class-column"),
    ),
)
MISSING = Of("evidence", common=True, also=("--nan", "--allow-missing"))
N_INIT = Of("search", also=("--restarts", "--starts"))
N_JOBS = Of("search", also=("--jobs", "--threads", "--cores", "--workers"))
MAX_SECONDS = Of("search", also=("--timeout", "--time", "--seconds"))
Drop = Annotated[
    str | None, Option(help="Columns to leave out, names or patterns."), Of("input", also=("--exclude", "--ignore"))
]
Force = Annotated[
    bool, Option("--force", help="Replace an existing output."), Of("output", True, ("--overwrite", "--replace"))
]
IdColumn = Annotated[str | None, Option(help="Column that names the items."), ID_COLUMN]
Json = Annotated[
    bool, Option("--json", help="Print the result as JSON on standard output, and nothing else."), Of("output")
]
Key = Annotated[str | None, Option(help="Array to read from an npz file."), Of("evidence")]
LabelColumnLeftOut = Annotated[str | None, Option(help="Column of known labels, left out."), LABEL_COLUMN]
Quiet = Annotated[bool, Option("--quiet", help="Print nothing but errors."), Of("output", also=("--silent",))]


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """Options of commands that read a table: how it is read, where the guess would be wrong."""

    delimiter: Annotated[
        str | None,
        Option(help="Separator of the cells of a text file, as in ';'.", show_default="guessed"),
        Of("input", also=("--sep", "--separator")),
    ] = None
    decimal: Annotated[Literal[".", ","] | None, Option(help="Decimal mark.", show_default="guessed"), Of("input")] = (
        None
    )
    encoding: Annotated[
        str | None,
        Option(help="Encoding of text, as in cp1252.", show_default="guessed"),
        Of("input", also=("--charset",)),
    ] = None
    skip_rows: Annotated[
        int | None,
        Option(min=0, help="Lines above the header; below it every line is a row then.", show_default="guessed"),
        Of("input", also=("--header",)),
    ] = None
    sheet: Annotated[
        str | None,
        Option(help="Sheet of a spreadsheet.", show_default="the first that holds a table"),
        Of("input"),
    ] = None
    na: Annotated[
        str | None,
        Option(metavar="VALUES", help="Cells that mean missing, as in -999,unknown."),
        Of("input", also=("--na-values", "--missing-value", "--missing-values")),
    ] = None


@dataclass(frozen=True)
class DemoOptions:
    """Options of `partita demo`."""

    examples: ClassVar[tuple[str, ...]] = ("partita demo -o demo",)

    out: Annotated[Path, Option("--out", "-o", help="Output folder."), OUT] = Path("partita-demo")
    quiet: Quiet = False
    as_json: Json = False


@dataclass(frozen=True)
class FitOptions(ReadingOptions):
    """Options of `partita fit`."""

    examples: ClassVar[tuple[str, ...]] = (
        "partita fit measurements.csv --label-column species",
        "partita fit measurements.csv -k 2-12 -o answer",
        "partita fit *.csv -o answers",
    )

    file: Annotated[
        Path,
        Argument(
            metavar="FILE",
            help="CSV or other text, spreadsheet, npz, npy, parquet, Matrix Market, gml or graphml file; - is standard "
            "input.",
        ),
    ]
    more: Annotated[
        tuple[Path, ...],
        Argument(metavar="FILE", help="More files: each is fitted by itself, and has an output folder of its own."),
    ] = ()
    k: Annotated[
        str,
        Option(
            "--k",
            "-k",
            metavar="K|K-K|auto|CRITERION",
            help="Number of clusters, bounds as in 2-12 or 2-, auto: as many as are found, or the name of a criterion.",
        ),
        Of("model", common=True, also=("--n-clusters", "--clusters", "--num-clusters", "--n-components")),
    ] = "auto"
    out: Annotated[
        Path | None,
        Option(
            "--out",
            "-o",
            help="Output folder, FILE's name with -partita by default; of several FILEs, the folder with theirs.",
        ),
        OUT,
    ] = None
    force: Force = False
    label_column: Annotated[str | None, Option(help="Column of known labels: scored, never fitted."), LABEL_COLUMN] = (
        None
    )
    id_column: IdColumn = None
    columns: Annotated[
        str | None,
        Option(help="Features to use, names or patterns, as in 'a,b,pixel_*'.", show_default="all"),
        Of("input", also=("--features",)),
    ] = None
    drop: Drop = None
    categories: Annotated[
        str | None,
        Option(
            help="Columns of categories, names or patterns, whatever their cells look like: codes, or words that were "
            "read as numbers.",
            show_default="guessed",
        ),
        Of("input", also=("--categorical", "--nominal", "--factors", "--strings")),
    ] = None
    key: Key = None
    input: Annotated[
        InputKind | None,
        Option(
            help="What FILE holds; a symmetric matrix is not taken for features unless that is said.",
            show_default="features; edges of a graph's file",
        ),
        Of("evidence", common=True, also=("--format", "--kind", "--type")),
    ] = None
    model: Annotated[
        Model,
        Option(
            help="soft: several clustering methods combined; sof, baum-eagon, symnmf, copositive: matrix "
            "factorizations from four papers; scams: a hard partition and its number of clusters together; "
            "kernel-kmeans, spectral: hard partitions to compare with."
        ),
        Of("model", common=True, also=("--algorithm", "--estimator")),
    ] = "soft"
    affinity: Annotated[
        str | None,
        Option(
            help="How similar two items are. auto: for soft the ensemble up to 200,000 rows, then neighbors; for scams "
            "neighbors; for the others relative. Also local-metric; landmarks, nystrom and random-features (low rank); "
            "ssc, ssc-omp and lrr (items near a union of subspaces); or the name of a builder."
        ),
        Of("evidence", also=("--similarity", "--graph")),
    ] = "auto"
    solver: Annotated[
        str | None,
        Option(help="Algorithm that minimises the objective.", show_default="that of the model"),
        Of("search"),
    ] = None
    start: Annotated[
        Literal["spectral", "dirichlet", "kmeans"] | None,
        Option(help="spectral is the default of soft and kernel-kmeans, dirichlet that of most others."),
        Of("search", also=("--init",)),
    ] = None
    sizes: Annotated[
        Literal["auto", "free", "equal"] | None,
        Option(help="soft only: a scale for each cluster (free) or one for all (equal).", show_default="auto"),
        Of("model"),
    ] = None
    probabilities: Annotated[
        Literal["auto", "fitted", "calibrated", "averaged"] | None,
        Option(
            help="soft only: memberships as fitted, calibrated by a density and fits to held-out items, or averaged "
            "over resamples; auto: calibrated where the density describes the clusters, else fitted.",
        ),
        Of("model"),
    ] = "auto"
    steps: Annotated[
        int | None,
        Option(
            min=1,
            help="soft only: steps of diffusion.",
            show_default="4 where most pairs have affinity zero, of an array nine in ten, else 1",
        ),
        Of("model"),
    ] = None
    method: Annotated[
        Literal["local", "admm"] | None,
        Option(help="scams only: local search (its default), or ADMM, which is N x N."),
        Of("search"),
    ] = None
    share: Annotated[
        float | None,
        Option(
            help="scams only: clusters stay apart where less than this share of an item's affinity goes to another."
        ),
        Of("model"),
    ] = None
    theta: Annotated[float | None, Option(help="scams only: in place of --share; gamma = theta / N."), Of("model")] = (
        None
    )
    normalization: Annotated[
        Literal["symmetric", "relative-entropy", "l1", "frobenius", "none"] | None,
        Option(
            metavar="NAME",
            help="soft: symmetric, relative-entropy, l1, frobenius or none; copositive: relative-entropy, l1 or "
            "frobenius; symnmf, kernel-kmeans, spectral: symmetric or none.",
            show_default="symmetric; copositive: relative-entropy; kernel-kmeans: none",
        ),
        Of("model"),
    ] = None
    n_neighbors: Annotated[
        int | None,
        Option(
            min=1,
            help="Neighbours of the graph, landmarks that an item chooses, or n of the relative distance.",
            show_default="10; landmarks: 5",
        ),
        Of("evidence", also=("--neighbors", "--knn")),
    ] = None
    n_landmarks: Annotated[
        int | None,
        Option(
            min=1,
            help="Number of landmarks, or of random features.",
            show_default="landmarks: 500; nystrom, random-features: 300",
        ),
        Of("evidence"),
    ] = None
    metric: Annotated[
        Metric | None,
        Option(metavar="NAME", help="Distance between features.", show_default="euclidean"),
        Of("evidence", also=("--distance",)),
    ] = None
    kernel: Annotated[
        Literal["laplacian", "gaussian"] | None,
        Option(help="Kernel of the affinity.", show_default="laplacian for relative, else gaussian"),
        Of("evidence"),
    ] = None
    scale: Annotated[
        str | None,
        Option(
            help="relative, nystrom, random-features: factor c of the distances in exp(-c distance), or balanced.",
            show_default="relative: 1; others: balanced",
        ),
        Of("evidence"),
    ] = None
    scale_features: Annotated[
        Literal["auto", "none", "standard", "minmax"],
        Option(
            help="Scale the columns before distances are taken; auto: as their units ask for where the affinity is "
            "auto, else none."
        ),
        Of("evidence", common=True, also=("--standardize", "--standardise", "--normalize", "--scaling")),
    ] = "auto"
    missing: Annotated[
        Missing | None,
        Option(
            help="Whether an empty cell is an error or unobserved.",
            show_default="the ensemble fills it from similar rows, else error",
        ),
        MISSING,
    ] = None
    symmetrize: Annotated[
        Literal["mean", "max", "min"] | None,
        Option(help="How the two directions of a pair, or two weights of it, become one; an error without."),
        Of("evidence"),
    ] = None
    unstored: Annotated[
        Literal["zero", "unobserved"],
        Option(help="Meaning of a pair that a sparse affinity or an edge list leaves out."),
        Of("evidence"),
    ] = "zero"
    must_link: Annotated[
        Path | None,
        Option(metavar="FILE", help="Pairs of items (two columns of ids) that belong together."),
        Of("evidence"),
    ] = None
    cannot_link: Annotated[
        Path | None, Option(metavar="FILE", help="Pairs of items that do not belong together."), Of("evidence")
    ] = None
    pair_weight: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Weights of pairs (three columns: two of ids, weight); 0 was not observed, pairs not listed count 1.",
        ),
        Of("evidence"),
    ] = None
    n_init: Annotated[int | None, Option(min=1, help="Restarts.", show_default="10 for dirichlet, else 1"), N_INIT] = (
        None
    )
    n_jobs: Annotated[int, Option(help="Restarts at a time; -1 for every core."), N_JOBS] = -1
    seed: Annotated[int, Option(min=0, max=2**32 - 1, help="Same seed, same answer."), SEED] = 0
    max_iter: Annotated[
        int, Option(min=1, help="Iterations of a restart."), Of("search", also=("--iterations", "--n-iter"))
    ] = 1000
    tol: Annotated[
        float,
        Option(min=0, help="Projected gradient at which a restart has converged."),
        Of("search", also=("--tolerance",)),
    ] = 1e-4
    max_seconds: Annotated[
        float | None,
        Option(
            help="Time for the fit: the default evidence has fewer draws to keep it; other evidence is built whatever "
            "it takes, and the restarts have the rest. Reading and the report are not counted.",
            min=TICK,
        ),
        MAX_SECONDS,
    ] = None
    checkpoint: Annotated[
        Path | None,
        Option(
            metavar="DIR",
            help="Folder from which the same command goes on with a fit that was killed or stopped. [default: the "
            "output folder's name with .unfinished; none with a limit of seconds]",
        ),
        Of("search"),
    ] = None
    checkpoint_seconds: Annotated[
        float | None, Option(min=0, help="Time between two checkpoints.", show_default="60"), Of("search")
    ] = None
    strict: Annotated[bool, Option("--strict", help="Exit with 3 when the fit did not converge."), Of("output")] = False
    quiet: Quiet = False
    as_json: Json = False

    @property
    def holds(self) -> InputKind:
        """What the file holds, features unless another kind was named."""
        return self.input or "features"

    @property
    def folder(self) -> Path:
        """The output folder."""
        return self.out or Path(f"{name_of(self.file)}-partita")

    @property
    def unfinished(self) -> Path | None:
        """The folder from which the fit goes on when it was killed; None where its time is limited."""
        beside = None if self.max_seconds is not None else Path(f"{self.folder}.unfinished")
        return self.checkpoint or beside


@dataclass(frozen=True)
class PredictOptions(ReadingOptions):
    """Options of `partita predict`."""

    examples: ClassVar[tuple[str, ...]] = ("partita predict measurements-partita more.csv -o more-memberships.csv",)

    model: Annotated[Path, Argument(metavar="MODEL", help="An output folder of fit, or its model/.")]
    file: Annotated[Path, Argument(metavar="FILE", help="New items, with the columns of the fitted ones.")]
    out: Annotated[Path, Option("--out", "-o", help="CSV file to write."), OUT]
    force: Force = False
    label_column: LabelColumnLeftOut = None
    id_column: IdColumn = None
    key: Key = None
    quiet: Quiet = False
    as_json: Json = False


@dataclass(frozen=True)
class PartitionOptions:
    """Options of `partita partition`."""

    examples: ClassVar[tuple[str, ...]] = (
        "partita partition measurements-draws/draws.npz --items measurements.csv",
        "partita partition draws.csv --loss binder -o answer",
    )
    # What is to be done about several files.
    one_file: ClassVar[str] = (
        "join the files of several chains into one, with a column called chain, or one after the other with --chains"
    )

    file: Annotated[Path, Argument(metavar="DRAWS", help="File of M x N labels, a row a draw.")]
    loss: Annotated[
        str,
        Option(help="binder, pear, omari, vi, vi_lb, nvi, id or nid: what is expected to be least."),
        Of("model", common=True, also=("--criterion",)),
    ] = "vi"
    unit: Annotated[
        Literal["bits", "nats"] | None, Option(help="Of losses that are entropies.", show_default="bits"), Of("model")
    ] = None
    a: Annotated[
        float | None,
        Option(
            min=0,
            max=2,
            help="vi and binder: weight of parting items that belong together; 2 - a of joining others.",
            show_default="1",
        ),
        Of("model"),
    ] = None
    normalize: Annotated[
        Literal["n2", "pairs"] | None,
        Option(help="binder: divide by N^2 or by the number of pairs.", show_default="n2"),
        Of("model"),
    ] = None
    max_clusters: Annotated[
        int | None,
        Option(min=1, help="No partition with more clusters.", show_default="no cap"),
        Of("model", common=True, also=("--k", "-k", "--n-clusters")),
    ] = None
    level: Annotated[float, Option(help="Posterior mass of the credible ball."), Of("model", also=("--credible",))] = (
        0.95
    )
    key: Annotated[
        str | None, Option(help="Array of an npz file or zarr group, or variable of an ArviZ file."), Of("evidence")
    ] = None
    chains: Annotated[
        int | None,
        Option(min=1, help="The rows are so many chains of one length.", show_default="as the file says, or one"),
        Of("evidence", common=True),
    ] = None
    items: Annotated[
        Path | None,
        Option(metavar="FILE", help="Table with a row for each item: names and columns that the page shows."),
        Of("evidence", common=True, also=("--features", "--data", "--table")),
    ] = None
    id_column: Annotated[str | None, Option(help="Column of --items that names the items."), ID_COLUMN] = None
    label_column: Annotated[str | None, Option(help="Column of --items with known labels, left out."), LABEL_COLUMN] = (
        None
    )
    start: Annotated[
        Path | None, Option(metavar="FILE", help="Labels of a partition to begin at as well."), Of("search")
    ] = None
    missing: Annotated[
        Missing,
        Option(help="An empty cell is an error; unobserved: it, or a negative label, says that a draw lacks the item."),
        MISSING,
    ] = "error"
    weights: Annotated[
        Path | None,
        Option(metavar="FILE", help="Weight of each draw: a CSV column called weight, or npy.", show_default="1"),
        Of("evidence"),
    ] = None
    psm: Annotated[
        bool, Option("--psm", help="Write the posterior similarity matrix too, as psm.npy."), Of("output")
    ] = False
    n_init: Annotated[int, Option(min=0, help="Random starts at most."), N_INIT] = 8
    n_jobs: Annotated[int, Option(help="Runs at a time; -1 for every core."), N_JOBS] = -1
    seed: Annotated[int, Option(min=0, max=2**32 - 1, help="Same seed, same answer."), SEED] = 0
    max_seconds: Annotated[
        float | None,
        Option(min=TICK, help="Time for the search."),
        Of("search", common=True, also=("--timeout", "--time")),
    ] = None
    out: Annotated[
        Path | None,
        Option(
            "--out",
            "-o",
            help="Output folder.",
            show_default="DRAWS' name with -partition; NAME-partition of NAME-draws/draws.npz",
        ),
        OUT,
    ] = None
    force: Force = False
    strict: Annotated[
        bool,
        Option(
            "--strict",
            help="Exit with 3 when cut short, when chains disagree or are too short to tell, or when the cap binds.",
        ),
        Of("output", common=True),
    ] = False
    quiet: Quiet = False
    as_json: Json = False


@dataclass(frozen=True)
class DrawsOptions(ReadingOptions):
    """Options of `partita draws`."""

    examples: ClassVar[tuple[str, ...]] = (
        "partita draws measurements.csv --label-column species --chains 4 --sweeps 4000",
    )

    file: Annotated[
        Path, Argument(metavar="FILE", help="Features: text (CSV, TSV, ...), spreadsheet, npz, npy or parquet.")
    ]
    sweeps: Annotated[
        int,
        Option(min=1, help="Sweeps of each chain, the burn-in among them."),
        Of("search", common=True, also=("--n-iter", "--iterations", "--n-samples")),
    ] = 2000
    burn_in: Annotated[
        int | None,
        Option(min=0, help="Sweeps before the first draw.", show_default="half of --sweeps"),
        Of("search", also=("--burnin", "--warmup")),
    ] = None
    thin: Annotated[int, Option(min=1, help="Sweeps for each draw."), Of("search")] = 1
    chains: Annotated[
        int,
        Option(min=1, help="Chains, from unlike starts; nothing else shows one stuck."),
        Of("search", common=True, also=("--n-chains",)),
    ] = 4
    sampler: Annotated[
        str | None,
        Option(help="Sampler: collapsed, auxiliary or slice.", show_default="collapsed; for other priors auxiliary"),
        Of("search"),
    ] = None
    prior: Annotated[
        Literal["conjugate", "independent", "paper"] | None,
        Option(help="conjugate: normal-inverse-Wishart; independent, paper: mean and covariance apart."),
        Of("model"),
    ] = None
    alpha: Annotated[
        float | None,
        Option(help="Concentration.", show_default="learnt under Gamma(2, 1)"),
        Of("model", also=("--concentration",)),
    ] = None
    columns: Annotated[
        str | None,
        Option(help="Features to use, names or patterns, as in 'a,b,pixel_*'.", show_default="all"),
        Of("evidence", common=True, also=("--features",)),
    ] = None
    drop: Drop = None
    label_column: LabelColumnLeftOut = None
    id_column: IdColumn = None
    key: Key = None
    scale_features: Annotated[
        ScaleFeatures,
        Option(help="Scale columns first."),
        Of("evidence", common=True, also=("--standardize", "--normalize")),
    ] = "none"
    n_jobs: Annotated[int, Option(help="Chains at a time; -1 for every core."), N_JOBS] = -1
    seed: Annotated[int, Option(min=0, max=2**32 - 1, help="Same seed, same draws."), SEED] = 0
    max_seconds: Annotated[float | None, Option(min=TICK, help="Time for all chains."), MAX_SECONDS] = None
    out: Annotated[
        Path | None, Option("--out", "-o", help="Output folder; FILE's name with -draws by default."), OUT
    ] = None
    force: Force = False
    strict: Annotated[
        bool, Option("--strict", help="Exit with 3 when chains disagree or are cut short."), Of("output")
    ] = False
    quiet: Quiet = False
    as_json: Json = False


@dataclass(frozen=True)
class ScoreOptions:
    """Options of `partita score`."""

    examples: ClassVar[tuple[str, ...]] = ("partita score found.csv known.csv",)

    labels: Annotated[Path, Argument(metavar="LABELS", help="CSV file of the labels found.")]
    truth: Annotated[Path, Argument(metavar="TRUTH", help="CSV file of the known labels.")]
    label_column: Annotated[
        str | None,
        Option(help="Column of the known labels in TRUTH.", show_default="label, or the only column"),
        LABEL_COLUMN,
    ] = None
    found_column: Annotated[
        str | None,
        Option(help="Column of the labels found in LABELS.", show_default="label, or the only column"),
        Of("evidence", common=True),
    ] = None
    id_column: Annotated[
        str | None, Option(help="Column of TRUTH that names the items.", show_default="id"), ID_COLUMN
    ] = None
    as_json: Json = False


@dataclass(frozen=True)
class ReproduceOptions:
    """Options of `partita reproduce`."""

    examples: ClassVar[tuple[str, ...]] = (
        "partita reproduce --list",
        "partita reproduce scams-figure1 --quick",
    )

    name: Annotated[str | None, Argument(metavar="NAME|all", help="A table or figure, as --list has it.")] = None
    list_names: Annotated[bool, Option("--list", help="Name every table and figure, and stop."), Of("output")] = False
    quick: Annotated[bool, Option("--quick", help="Few runs instead of as many as the paper."), Of("search")] = False
    out: Annotated[
        Path, Option("--out", "-o", help="Output folder; what it has already is not computed again."), OUT
    ] = Path("partita-reproduce")
    seed: Annotated[int, Option(min=0, help="Seed of all random numbers."), SEED] = 0
    replicates: Annotated[
        int | None, Option(min=1, help="Replicates of a simulation.", show_default="as the size has it"), Of("search")
    ] = None
    jobs: Annotated[
        int | None,
        Option(min=1, help="Processes.", show_default="every core"),
        Of("search", also=("--n-jobs", "--threads", "--cores")),
    ] = None
    quiet: Quiet = False
    as_json: Json = False


@dataclass(frozen=True)
class VerifyOptions:
    """Options of `partita verify`."""

    examples: ClassVar[tuple[str, ...]] = ("partita verify measurements-partita",)

    folder: Annotated[Path, Argument(metavar="DIR", help="Output folder of fit, partition, draws or demo.")]
    file: Annotated[
        Path | None,
        Option(help="The file that the command read.", show_default="where it was, or beside DIR"),
        Of("evidence", also=("--input",)),
    ] = None
    files_only: Annotated[
        bool, Option("--files-only", help="Check the files, and do not run the command again."), Of("output")
    ] = False
    quiet: Quiet = False
    as_json: Json = False


# Options that say where things go and what is printed, and change no number.
OUTSIDE = ("out", "force", "quiet", "as_json", "checkpoint", "checkpoint_seconds")


def options_given(options: FitOptions | PartitionOptions | DrawsOptions) -> dict[str, Any]:
    """Return the options of a command by name, with paths as text; a command of several files is one of each."""
    given = {name: str(value) if isinstance(value, Path) else value for name, value in asdict(options).items()}
    given.pop("more", None)
    return given


def options_that_count(options: FitOptions | PartitionOptions | DrawsOptions) -> dict[str, Any]:
    """Return the options of a command that can change a number of its result.

    >>> options_that_count(PartitionOptions(Path("draws.csv"), quiet=True))["file"]
    'draws.csv'
    """
    return {name: value for name, value in options_given(options).items() if name not in OUTSIDE}
