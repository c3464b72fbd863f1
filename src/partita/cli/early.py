"""What can be wrong with the options of a command and is told before the libraries are loaded, which takes seconds."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from partita.cli.options import FitOptions, PartitionOptions
from partita.errors import InputError
from partita.paths import STANDARD_INPUT, require_file, require_input
from partita.registry import did_you_mean

__all__ = [
    "check_fit",
    "check_partition",
    "criteria",
    "losses",
    "n_clusters_of",
    "names_in_files",
    "require_loss",
    "was_cut_short",
]

# How a class says its name in the file that defines it.
NAMED = re.compile(r'^    name(?:: ClassVar\[str\])? = "(\w+)"', re.MULTILINE)


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
    _require_free(options.out, force=options.force or was_cut_short(options.out, options.checkpoint, options.file))


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


def was_cut_short(out: Path | None, checkpoint: Path | None, file: Path) -> bool:
    """Return whether a folder holds the result of a fit of this file with this checkpoint that was interrupted, or
    stopped by its time limit.
    """
    if checkpoint is None:
        return False
    try:
        result = json.loads(Path(out or "", "result.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    if not isinstance(result, dict) or result.get("status") not in ("interrupted", "max_seconds"):
        return False
    given = result.get("parameters")
    same = {"checkpoint": str(checkpoint), "file": str(file)}
    return isinstance(given, dict) and same.items() <= given.items()


def require_loss(name: str) -> None:
    """Raise for the name of a loss that there is not.

    Raises
    ------
    InputError
    """
    known = losses()
    if name not in known:
        raise InputError(f"--loss {name}: expected one of {', '.join(known)}{did_you_mean(name, known)}")


def criteria() -> tuple[str, ...]:
    """Return the names of the criteria for the number of clusters."""
    return _known("partita.n_clusters", "Criterion")


def losses() -> tuple[str, ...]:
    """Return the names of the losses of partitions."""
    return _known("partita.partition.losses", "PartitionLoss")


def _known(package: str, family: str) -> tuple[str, ...]:
    """Names in the registry of a package that is loaded; of one that is not they are read off its files."""
    loaded = sys.modules.get(package)
    return names_in_files(package) if loaded is None else tuple(sorted(getattr(loaded, family).registry))


def names_in_files(package: str) -> tuple[str, ...]:
    """Return the names that the classes of a package give themselves, without loading it.

    >>> names_in_files("partita.partition.losses")
    ('binder', 'id', 'nid', 'nvi', 'omari', 'pear', 'vi', 'vi_lb')
    """
    folder = Path(__file__).parents[1].joinpath(*package.split(".")[1:])
    return tuple(sorted(name for file in folder.glob("*.py") for name in NAMED.findall(file.read_text("utf-8"))))


def n_clusters_of(text: str) -> int | str | tuple[int, int | None]:
    """Return the number of clusters, its bounds, or the word that leaves it to all criteria or to one.

    >>> n_clusters_of("3"), n_clusters_of("2-5"), n_clusters_of("2-"), n_clusters_of("auto")
    (3, (2, 5), (2, None), 'auto')

    Raises
    ------
    InputError
        For text that is none of these.
    """
    if text == "auto" or text in criteria():
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
    return did_you_mean(text, ("auto", *criteria()))
