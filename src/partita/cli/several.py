"""Several files for one command: each is fitted by itself, into a folder of its own.

This module imports nothing heavy, so that two files that would be written to one folder are told at once.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import nullcontext, redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path

import typer

from partita.cli.console import DONE, INTERRUPTED, say, say_error_as_json, told
from partita.cli.options import FitOptions
from partita.errors import InputError
from partita.paths import STANDARD_INPUT, name_of

__all__ = ["for_each", "of_each_file"]


def of_each_file(options: FitOptions) -> list[FitOptions]:
    """Return the options for each file: its folder stands in that of `--out`, or here under the file's name.

    Raises
    ------
    InputError
        For two files that would be written to one folder, standard input beside files, and a checkpoint, which is of
        one fit.

    Examples
    --------
    >>> [each.out.as_posix() for each in of_each_file(FitOptions(Path("a.csv"), (Path("b.csv"),), out=Path("all")))]
    ['all/a', 'all/b']
    """
    if not options.more:
        return [options]
    files = [options.file, *options.more]
    if STANDARD_INPUT in files:
        raise InputError("- is standard input, which holds one table: pass it alone, or the names of files")
    if options.checkpoint is not None:
        raise InputError(f"--checkpoint is of one fit, and {len(files)} files were given: fit them one by one")
    folders: dict[Path, Path] = {}
    for file in files:
        name = name_of(file)
        out = Path(f"{name}-partita") if options.out is None else options.out / name
        if out in folders:
            raise InputError(
                f"{folders[out]} and {file} would both be written to {out}: fit them one by one, each with its --out"
            )
        folders[out] = file
    return [replace(options, file=file, more=(), out=out) for out, file in folders.items()]


def for_each(run: Callable[[FitOptions], int], each: list[FitOptions]) -> int:
    """Run a command for each file, though others failed; return the exit code of the last that was not 0.

    Ctrl-C ends with the file that is being fitted. With `--json` there is one array with an object for each file up to
    that one.
    """
    codes, said = [], []
    for options in each:
        if not (options.quiet or options.as_json):
            typer.echo(f"{options.file}:")
        with redirect_stdout(StringIO()) if options.as_json else nullcontext() as out:
            codes.append(_code_of(run, options))
        if out is not None and out.getvalue():
            said.append({"file": str(options.file), **json.loads(out.getvalue())})
        if codes[-1] == INTERRUPTED:
            break
    if each[0].as_json:
        sys.stdout.write(json.dumps(said, indent=2) + "\n")
    n_done = codes.count(DONE)
    if n_done < len(each):
        say(f"partita: {n_done} of {len(each)} files were fitted", quiet=each[0].quiet)
    return next((code for code in reversed(codes) if code != DONE), DONE)


def _code_of(run: Callable[[FitOptions], int], options: FitOptions) -> int:
    """The exit code for one file, whatever happens."""
    try:
        return run(options)
    except KeyboardInterrupt:
        words = f"interrupted; no result was written of {options.file}"
        say(f"partita: {words}")
        if options.as_json:
            say_error_as_json(words, KeyboardInterrupt.__name__, INTERRUPTED)
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 (each is told)
        return told(error, as_json=options.as_json)
