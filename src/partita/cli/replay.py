"""What a manifest holds so that its command can be run again, and running it again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from partita.errors import InputError
from partita.io import sha256_of_file
from partita.io.typed import fits

if TYPE_CHECKING:
    from partita.cli.draws import DrawsOptions
    from partita.cli.fit import FitOptions
    from partita.cli.partition import PartitionOptions

__all__ = ["options_as_given", "run_again", "side_files"]

# Options that say where things go and what is printed, and change no number.
OUTSIDE = ("out", "force", "quiet", "as_json", "checkpoint", "checkpoint_seconds")


def options_as_given(options: FitOptions | PartitionOptions | DrawsOptions) -> dict[str, Any]:
    """The options of a command, as JSON, and the SHA-256 of every file that they name."""
    given = {name: value for name, value in asdict(options).items() if name not in OUTSIDE}
    return {
        "options": {name: str(value) if isinstance(value, Path) else value for name, value in given.items()},
        "files": {
            name: sha256_of_file(value) for name, value in given.items() if isinstance(value, Path) and value.is_file()
        },
    }


def side_files(replay: dict[str, Any]) -> Iterator[tuple[str, Path, str]]:
    """Every file that a command read: the option, the path as it was given, its SHA-256.

    Raises
    ------
    InputError
        For a manifest that is not whole.
    """
    options, files = replay.get("options"), replay.get("files")
    if not isinstance(options, dict) or not isinstance(files, dict):
        raise InputError("the manifest does not say which options and files its command was given; it is not whole")
    for name, digest in files.items():
        if not isinstance(options.get(name), str):
            raise InputError(f"the manifest has a checksum of {name!r}, and no file of that name among the options")
        yield name, Path(options[name]), digest


def run_again(command: str, replay: dict[str, Any], out: Path, places: dict[str, Path]) -> int:
    """Run a command of a manifest into a new folder, with its files where they are now; the exit code.

    Raises
    ------
    InputError
        For options that this version does not know.
    """
    from partita.cli.demo import run_demo
    from partita.cli.draws import DrawsOptions, run_draws
    from partita.cli.fit import FitOptions, run_fit
    from partita.cli.partition import PartitionOptions, run_partition

    if command == "demo":
        return run_demo(out, quiet=True, as_json=False)
    if command == "fit":
        options = _options(FitOptions, replay["options"], places, out)
        return run_fit(replace(options, checkpoint=None, checkpoint_seconds=None))
    if command == "partition":
        return run_partition(_options(PartitionOptions, replay["options"], places, out))
    if command == "draws":
        return run_draws(_options(DrawsOptions, replay["options"], places, out))
    raise InputError(f"the manifest is of {command!r}, which this version cannot run again")


def _options(kind: Any, given: dict[str, Any], places: dict[str, Path], out: Path) -> Any:
    """Options from a manifest: paths as paths, files where they are now, nothing printed.

    Options that came later stand at None or False, which is what not being given means.
    """
    known = {field.name for field in fields(kind)}
    unknown = sorted(set(given) - known)
    if unknown:
        raise InputError(f"the manifest has options that this version does not know: {', '.join(unknown)}")
    hints = get_type_hints(kind)
    values: dict[str, Any] = {name: False if hints[name] is bool else None for name in known}
    for name, value in given.items():
        if not _is_path(hints[name]) and not fits(value, hints[name]):
            raise InputError(f"the manifest has {name}={value!r}, expected {hints[name]}")
        values[name] = Path(value) if isinstance(value, str) and _is_path(hints[name]) else value
    return kind(**(values | places | {"out": out, "quiet": True, "force": False, "as_json": False}))


def _is_path(hint: Any) -> bool:
    return hint is Path or Path in getattr(hint, "__args__", ())
