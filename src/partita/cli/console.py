"""Messages of the command line, the streams they go to, and the exit codes.

Results go to standard output, everything else to standard error. Exit codes: 0 done; 1 internal error; 2 wrong input or
usage; 3 not converged under `--strict`; 130 interrupted.
"""

from __future__ import annotations

import functools
import gc
import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import typer

from partita.errors import InputError, MemoryLimitError, MissingExtraError

__all__ = [
    "DONE",
    "INTERNAL",
    "INTERRUPTED",
    "NOT_CONVERGED",
    "WRONG_INPUT",
    "deferred_interrupt",
    "guarded",
    "loading",
    "say",
    "say_error_as_json",
    "say_interrupted",
    "say_json",
    "stage",
    "told",
]

DONE, INTERNAL, WRONG_INPUT, NOT_CONVERGED, INTERRUPTED = 0, 1, 2, 3, 130
# Signals that ask a process to end; Windows lacks the second.
ENDS = ("SIGTERM", "SIGHUP")
# Whether the command that runs was given `--debug`.
DEBUG: ContextVar[bool] = ContextVar("DEBUG", default=False)


def say(text: str, *, quiet: bool = False) -> None:
    """Print a line on standard error."""
    if not quiet:
        typer.echo(text, err=True)


def say_json(result: dict[str, Any], out: Path) -> None:
    """Print a result as JSON on standard output, and the names of its files beside it."""
    from partita.io import json_text

    files = sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())
    sys.stdout.write(json_text(result | {"out": str(out), "files": files}))


def say_error_as_json(message: str, kind: str, code: int) -> None:
    """Print an error as JSON on standard output."""
    said = {"error": {"type": kind, "message": message, "exit_code": code}}
    sys.stdout.write(json.dumps(said, indent=2) + "\n")


def say_interrupted(stop: KeyboardInterrupt) -> None:
    """Report a Ctrl-C that came before there was a result."""
    say(f"partita: {stop if stop.args else 'interrupted'}; no result was written")


@functools.cache
def _keep_what_is_loaded() -> None:
    """Once in a process: of a second command the garbage would last too."""
    gc.freeze()


@contextmanager
def loading(*, quiet: bool) -> Iterator[None]:
    """Say at a terminal that libraries are being loaded, which takes seconds, and take the words away when they are.

    What they make lasts as long as the process: the garbage collector does not look for cycles in it, now or later.
    """
    told = not quiet and sys.stderr.isatty()
    if told:
        sys.stderr.write("loading libraries ...")
        sys.stderr.flush()
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
        _keep_what_is_loaded()
        if told:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


@contextmanager
def stage(words: str, *, quiet: bool) -> Iterator[None]:
    """Say on standard error what is being done, once it has taken a while."""
    if quiet:
        yield
        return
    from partita.progress import ProgressBar

    with ProgressBar() as bar, bar.stage(words):
        yield


@contextmanager
def deferred_interrupt(words: str = "") -> Iterator[Callable[[], bool]]:
    """Hold Ctrl-C back while a finished fit is written, and say so at once in these words; the function given says
    whether one came. A request of the system to end (SIGTERM, SIGHUP) is held back too, and followed afterwards.
    """
    came: list[int] = []

    def hold(number: int, _frame: Any) -> None:
        if words and not came:  # not through sys.stderr, which this may have interrupted
            os.write(2, f"{words}\n".encode())
        came.append(number)

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    ends = [getattr(signal, name) for name in ENDS if hasattr(signal, name)]
    held = [signal.SIGINT, *(number for number in ends if signal.getsignal(number) == signal.SIG_DFL)]
    before = {number: signal.signal(number, hold) for number in held}
    try:
        yield lambda: signal.SIGINT in came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in came:
            if number != signal.SIGINT:
                signal.raise_signal(number)


def guarded(command: Callable[..., int]) -> Callable[..., None]:
    """End with a command's exit code; what goes wrong becomes a line of text, to which `--debug` adds the traceback."""

    @functools.wraps(command)
    def run(*, debug: bool = False, **options: Any) -> None:
        DEBUG.set(debug)
        try:
            code = command(**options)
        except typer.Exit:
            raise
        except KeyboardInterrupt as stop:
            say_interrupted(stop)
            code = INTERRUPTED
        except Exception as error:  # noqa: BLE001 (each is told)
            code = told(error, as_json=bool(options.get("as_json")))
        sys.stdout.flush()
        raise typer.Exit(code)

    return run


def told(error: Exception, *, as_json: bool = False) -> int:
    """Say what went wrong and return the exit code. What input cannot explain is a bug of ours, and named so.

    Within the clause that caught the error: `--debug` adds the traceback.
    """
    if DEBUG.get():
        say(traceback.format_exc())
    explained = (InputError, MemoryLimitError, MissingExtraError, ValueError, OSError)
    linalg = sys.modules.get("numpy.linalg")  # not loaded for this: a wrong option is told at once
    wrong = isinstance(error, explained) and not (linalg and isinstance(error, linalg.LinAlgError))  # a ValueError too
    code = WRONG_INPUT if wrong else INTERNAL
    if as_json:
        say_error_as_json(str(error), type(error).__name__, code)
    if wrong:
        say(f"partita: error: {error}")
        return code
    say(f"partita: internal error: {type(error).__name__}: {error}")
    say("This is a bug in Partita. Run the same command with --debug and report what it prints.")
    return code
