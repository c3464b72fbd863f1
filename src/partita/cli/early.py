"""What can be wrong with the options of a command and is told before the libraries are loaded, which takes seconds."""

from __future__ import annotations

import sys
from pathlib import Path

from partita.cli.options import FitOptions, PartitionOptions
from partita.errors import InputError
from partita.paths import STANDARD_INPUT, require_file, require_input
from partita.registry import did_you_mean

__all__ = ["CRITERIA", "LOSSES", "check_fit", "check_partition", "n_clusters_of", "require_loss"]

# Names of `partita.n_clusters.Criterion.registry` and `partita.partition.losses.PartitionLoss.registry`, which a test
# holds to these.
CRITERIA = (
    "agreement",
    "conductance_jump",
    "correlation_clustering",
    "eigengap",
    "eigengap_ratio",
    "expected_loss",
    "gap_statistic",
    "hdbscan_count",
    "held_out_pairs",
    "one_cluster",
    "scams",
    "second_order_difference",
    "silhouette",
    "soft_threshold",
    "stability",
    "valley_splits",
)
LOSSES = ("pear", "omari", "binder", "nvi", "id", "nid", "vi_lb", "vi")


def check_fit(options: FitOptions) -> None:
    """Look at the number of clusters and the files of `partita fit`.

    Raises
    ------
    InputError
    """
    n_clusters_of(options.k)
    if options.file != STANDARD_INPUT:
        require_file(options.file)
    for links in (options.must_link, options.cannot_link, options.pair_weight):
        if links is not None:
            require_file(links)
    _require_free(options.out, force=options.force)


def check_partition(options: PartitionOptions) -> None:
    """Look at the loss and the files of `partita partition`.

    Raises
    ------
    InputError
    """
    require_loss(options.loss)
    if not 0 < options.level <= 1:
        raise InputError(f"--level {options.level:g}: expected a share of the posterior above 0 and at most 1")
    require_input(options.file)
    _require_free(options.out, force=options.force)


def _require_free(out: Path | None, *, force: bool) -> None:
    if out is not None and out.is_dir() and not force:
        raise InputError(f"{out} already exists; pass --force to replace it, or choose another folder with --out")


def require_loss(name: str) -> None:
    """Raise for the name of a loss that there is not.

    Raises
    ------
    InputError
    """
    known = _known(LOSSES, "partita.partition.losses", "PartitionLoss")
    if name not in known:
        raise InputError(f"--loss {name}: expected one of {', '.join(known)}{did_you_mean(name, known)}")


def _known(names: tuple[str, ...], module: str, family: str) -> tuple[str, ...]:
    """These names, and those that a program of its own has added where the libraries are loaded already."""
    loaded = sys.modules.get(module)
    return names if loaded is None else tuple(dict.fromkeys((*names, *getattr(loaded, family).registry)))


def n_clusters_of(text: str) -> int | str | tuple[int, int | None]:
    """Return the number of clusters, its bounds, or the word that leaves it to all criteria or to one.

    >>> n_clusters_of("3"), n_clusters_of("2-5"), n_clusters_of("2-"), n_clusters_of("auto")
    (3, (2, 5), (2, None), 'auto')

    Raises
    ------
    InputError
        For text that is none of these.
    """
    if text == "auto" or text in _known(CRITERIA, "partita.n_clusters", "Criterion"):
        return text
    least, dash, most = text.partition("-")
    if dash and least.isdecimal() and (most.isdecimal() or not most):
        if not 1 <= int(least) <= int(most or least):
            raise InputError(f"--k {text}: expected bounds of at least 1, the smaller first, as in 2-12")
        return int(least), int(most) if most else None
    try:
        k = int(text)
    except ValueError as error:
        raise InputError(
            f"--k {text}: expected a whole number of clusters, bounds as in 2-12, auto, or a criterion as in "
            f"--k eigengap{_meant(text)}"
        ) from error
    if k < 1:
        raise InputError(f"--k {k}: at least one cluster is needed")
    return k


def _meant(text: str) -> str:
    """A clause for a number that is written as one that is not whole, or a word misspelt.

    >>> _meant("3.0"), _meant("Auto"), _meant("many")
    ("; did you mean '3'?", "; did you mean 'auto'?", '')
    """
    whole, point, rest = text.partition(".")
    if point and whole.isdecimal() and not rest.strip("0"):
        return f"; did you mean {whole!r}?"
    return did_you_mean(text, ("auto", *CRITERIA))
