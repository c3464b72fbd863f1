"""`partita verify`: check that the files of a result are as written, and that its command gives them again."""

from __future__ import annotations

import json
import math
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from partita.cli.console import DONE, NOT_CONVERGED, WRONG_INPUT, say
from partita.cli.demo import run_demo
from partita.cli.draws import run_draws
from partita.cli.fit import run_fit
from partita.cli.manifest import files_read, options_recorded, read_manifest
from partita.cli.options import DemoOptions, DrawsOptions, FitOptions, PartitionOptions, VerifyOptions
from partita.cli.partition import run_partition
from partita.errors import InputError
from partita.io import sha256_of_file, versions
from partita.paths import STANDARD_INPUT

__all__ = ["run_verify"]

# Entries of result.json that may differ between runs.
VOLATILE = {"seconds", "peak_memory_bytes", "versions", "parameters"}
# Words on a page, which holds seconds and the command.
PAGES = {".html"}

State = Literal["same bits", "differs", "missing", "changed", "unexpected", "not compared"]


@dataclass(frozen=True)
class Compared:
    """Result of the check of one file."""

    file: str
    state: State
    words: str = ""


def run_verify(options: VerifyOptions) -> int:
    """Check the files against the manifest, run the command again and compare; return the exit code.

    0 where every file is whole and the new run gives the same bits, 2 where something is not as the manifest says.
    """
    folder, replay = options.folder, not options.files_only
    manifest = read_manifest(folder)
    written = _written(folder, manifest)
    again: list[Compared] = []
    notes: list[str] = []
    if replay and not any(each.state in ("missing", "changed") for each in written):
        then, now = manifest.get("versions", {}), versions()
        moved = [
            f"{name} {then[name]} then, {now.get(name, 'none')} now" for name in then if then[name] != now.get(name)
        ]
        if moved:
            notes.append(f"made with other versions ({'; '.join(moved)}): the last bits may differ")
        again, more = _replayed(folder, manifest, options.file)
        notes += more
    elif replay:
        notes.append("it was not run again: its files are not as they were written")
    wrong = [each for each in [*written, *again] if each.state in ("missing", "changed", "differs")]
    if options.as_json:
        found = {
            "folder": str(folder),
            "verified": not wrong,
            "replayed": bool(again),
            "written": [asdict(each) for each in written],
            "again": [asdict(each) for each in again],
            "notes": notes,
        }
        sys.stdout.write(json.dumps(found, indent=2) + "\n")
    else:
        _say(folder, written, again, notes, wrong, quiet=options.quiet)
    return WRONG_INPUT if wrong else DONE


def _written(folder: Path, manifest: dict[str, Any]) -> list[Compared]:
    """Files as they are against the checksums."""
    found = []
    for name, digest in manifest["files"].items():
        path = folder / name
        if not _is_within(path, folder):
            raise InputError(f"the manifest names {name!r}, which is outside its folder")
        if not _is_file(path):
            found.append(Compared(name, "missing"))
        elif sha256_of_file(path) != digest:
            found.append(Compared(name, "changed", "its SHA-256 is not the manifest's"))
        else:
            found.append(Compared(name, "same bits"))
    listed = {*manifest["files"], "manifest.json"}
    others = (path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file())
    return found + [Compared(name, "unexpected") for name in others if name not in listed]


def _is_within(path: Path, folder: Path) -> bool:
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):  # no name of a file, or links in a circle
        return False


def _is_file(path: Path) -> bool:
    """Whether a file is there; a manifest may name what can be no file, longer than any or with a byte 0 in it."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _replayed(folder: Path, manifest: dict[str, Any], file: Path | None) -> tuple[list[Compared], list[str]]:
    """Files of a new run against the old ones."""
    replay = manifest.get("replay")
    command = str(manifest.get("command"))
    if not replay and command != "demo":
        raise InputError(
            "the manifest does not hold the options as they were given (it is of an older version); its files are as "
            "they were written: pass --files-only to check no more than that"
        )
    replay = replay or {"options": {}, "files": {}}
    places = _places(folder, replay, file)
    notes = []
    if replay["options"].get("max_seconds") is not None:
        notes.append("the run had a time limit: another may have stopped elsewhere")
    if replay["options"].get("checkpoint"):
        notes.append("the run was resumed from a checkpoint; the new one began afresh")
    with tempfile.TemporaryDirectory(prefix="partita-verify-") as parent:
        new = Path(parent, "again")
        code = run_again(command, replay["options"], places, new)
        if code not in (DONE, NOT_CONVERGED):
            raise InputError(f"the command ended with exit code {code} when run again")
        compared = [_compared(name, folder / name, new / name) for name in manifest["files"]]
    return sorted(compared, key=lambda each: each.state == "not compared"), notes


def run_again(command: str, given: dict[str, Any], places: dict[str, Path], out: Path) -> int:
    """Run a command into a new folder, with its options as given and its files where they are now."""
    match command:
        case "demo":
            return run_demo(DemoOptions(out, quiet=True))
        case "fit":
            return run_fit(options_recorded(FitOptions, given, places, out))
        case "partition":
            return run_partition(options_recorded(PartitionOptions, given, places, out))
        case "draws":
            return run_draws(options_recorded(DrawsOptions, given, places, out))
    raise InputError(f"the manifest is of {command!r}, which this version cannot run again")


def _places(folder: Path, replay: dict[str, Any], file: Path | None) -> dict[str, Path]:
    """Find each file that the command read, with the bytes it had."""
    places = {}
    for name, given, digest in files_read(replay):
        tried = (
            [file]
            if name == "file" and file is not None
            else [given, folder.parent / given, folder.parent / given.name]
        )
        found = next((path for path in tried if _is_file(path)), None)
        if found is None and file is None and given == STANDARD_INPUT:
            raise InputError(
                "the command read standard input, which cannot be read again: pass a file that holds it with --file"
            )
        if found is None:
            hint = "pass its place with --file" if name == "file" else "run from the folder where the command was run"
            raise InputError(f"{given} ({name}), which the command read, is not there; {hint}")
        if sha256_of_file(found) != digest:
            raise InputError(f"{found} is not the file that the command read: its SHA-256 is another")
        places[name] = found
    return places


def _compared(name: str, old: Path, new: Path) -> Compared:
    if not new.is_file():
        return Compared(name, "differs", "the new run did not write it")
    if old.suffix in PAGES:
        return Compared(name, "not compared", "a page says how long its run took")
    if old.read_bytes() == new.read_bytes():
        return Compared(name, "same bits")
    match old.suffix:
        case ".csv":
            words = _tables(old, new)
        case ".npz" | ".safetensors":
            words = _arrays(old, new)
        case ".json":
            words = _records(old, new)
        case _:
            words = "other bytes"
    return Compared(name, "differs", words) if words else Compared(name, "same bits", "beside what a run may change")


def _tables(old: Path, new: Path) -> str:
    """Describe how two CSV files differ."""
    one, other = (path.read_text(encoding="utf-8").splitlines() for path in (old, new))
    if len(one) != len(other):
        return f"{len(one) - 1:,} rows then, {len(other) - 1:,} now"
    cells = [(a, b) for x, y in zip(one, other) if x != y for a, b in zip(x.split(","), y.split(",")) if a != b]
    largest = max((_apart(a, b) for a, b in cells), default=math.inf)
    return f"{len(cells):,} cells differ, by {largest:.2g} at most"


def _apart(a: str, b: str) -> float:
    try:
        return abs(float(a) - float(b))
    except ValueError:
        return math.inf


def _arrays(old: Path, new: Path) -> str:
    """Describe how arrays of two files differ; empty where they are bitwise equal."""
    one, other = (_read(path) for path in (old, new))
    if set(one) != set(other):
        return f"arrays {sorted(set(one) ^ set(other))} are in one of them"
    words = [
        name
        for name in one
        if one[name].dtype != other[name].dtype
        or one[name].shape != other[name].shape
        or one[name].tobytes() != other[name].tobytes()
    ]
    return f"arrays {', '.join(words)} differ" if words else ""


def _read(path: Path) -> dict[str, Any]:
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    from safetensors.numpy import load_file

    return dict(load_file(path))


def _records(old: Path, new: Path) -> str:
    """Name the entries in which two JSON files differ, without those that may differ between runs."""
    one, other = (json.loads(path.read_text(encoding="utf-8")) for path in (old, new))
    if not (isinstance(one, dict) and isinstance(other, dict)):
        return "other contents"
    names = [name for name in {**one, **other} if name not in VOLATILE and one.get(name) != other.get(name)]
    return f"{', '.join(names)} differ" if names else ""


def _say(
    folder: Path,
    written: list[Compared],
    again: list[Compared],
    notes: list[str],
    wrong: list[Compared],
    *,
    quiet: bool,
) -> None:
    for title, rows in (("as written", written), ("run again", again)):
        for row in rows:
            line = f"{title}: {row.file}: {row.state}" + (f" ({row.words})" if row.words else "")
            if row in wrong:
                say(line)
            elif not quiet:
                sys.stdout.write(line + "\n")
    for note in notes:
        say(f"note: {note}", quiet=quiet)
    if quiet:
        return
    if wrong:
        say(f"partita: {folder} is not as its manifest says: {len(wrong)} of its files")
    elif again:
        sys.stdout.write(f"{folder}: every file is as it was written, and its command gives the same bits again\n")
    else:
        sys.stdout.write(f"{folder}: every file is as it was written\n")
