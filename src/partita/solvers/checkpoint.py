"""Checkpoints: a fit that was killed resumes where it stood, and ends with the bits it would have had.

A folder holds

    made-KEY.safetensors          a part of the evidence, as one clustering: by a hash of everything that it depends on
    fit.safetensors               what is fitted: options, weights, and the product of P with a fixed random vector
    unfinished-R.safetensors      restart R as it stood: point, solver memory, trace, random stream
    finished-R.safetensors        what restart R led to
    seconds.json, lock.json       time spent so far; which process is at it

each replaced as a whole, so that a kill at any moment leaves a folder from which the fit can resume. A restart is
written every `seconds`, less often where writing takes more than 2% of the time between, and at its end. A fit of other
options or another affinity is refused with what differs. Products agree to nine digits or the affinity is another one;
the bits of the answer are the same where the machine gives the same bits again.

Of the evidence, and of what the number of clusters is chosen by, the parts are kept that take their time: clusterings,
neighbour searches, codes over subspaces, answers of criteria (`partita.scope.lasting`). What lies between them is made
again, and so are the search of SCAMS for its number and what follows the factorization: constraints, calibration.
"""

from __future__ import annotations

import json
import logging
import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError

from partita.errors import InputError
from partita.objectives import Problem
from partita.solvers.base import State
from partita.solvers.fingerprint import Fingerprint
from partita.solvers.lock import LOCK, locked
from partita.solvers.restarts import Task, Unfinished
from partita.solvers.result import Restart
from partita.solvers.serialization import PARTIAL, check_tree, read_tree, write_tree
from partita.wording import count

__all__ = ["Checkpoint", "OpenCheckpoint", "opened"]

log = logging.getLogger("partita")

FIT, SECONDS = "fit.safetensors", "seconds.json"
FINISHED, UNFINISHED, MADE, SUFFIX = "finished-", "unfinished-", "made-", ".safetensors"
# Seconds that a part of the evidence must have taken to be worth a file.
WORTH = 0.1
# Share of the time that writing a restart as it stands may take.
SHARE = 0.02


@dataclass(frozen=True)
class Checkpoint:
    """Folder from which a fit can resume.

    Parameters
    ----------
    folder : str or path
        Made if need be; empty, or the checkpoint of the very same fit. Each fit needs one of its own.
    seconds : float
        Time between two writings of an unfinished restart. A finished one is written at once.
    keep : bool
        Leave the folder when the fit has ended well; otherwise it is removed then. After an interruption, an error and
        `max_seconds` it stays.
    replace : bool
        Where the folder is of another fit, give that one up, with a note, and begin anew; otherwise this is an error.

    Raises
    ------
    InputError
        For seconds that are negative or not finite.

    Examples
    --------
    >>> Checkpoint("digits-checkpoint", seconds=300).seconds
    300
    """

    folder: str | os.PathLike[str]
    seconds: float = 60.0
    keep: bool = False
    replace: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.seconds < np.inf:
            raise InputError(f"Checkpoint(seconds={self.seconds}): expected a number of at least 0")

    def remove(self) -> None:
        """Remove the folder's files, and the folder when nothing else is in it.

        Raises
        ------
        InputError
            Where another process has it.
        """
        folder = Path(self.folder)
        if folder.is_dir():
            with locked(folder):
                _remove(folder)
            with suppress(OSError):
                folder.rmdir()


@contextmanager
def opened(checkpoint: Checkpoint | str | os.PathLike[str] | None) -> Iterator[OpenCheckpoint | None]:
    """Hold the folder of a checkpoint for this process while inside; None for None.

    Raises
    ------
    InputError
        Where the folder cannot be made, holds other files, or another process has it.
    """
    if checkpoint is None:
        yield None
        return
    given = checkpoint if isinstance(checkpoint, Checkpoint) else Checkpoint(checkpoint)
    folder = Path(given.folder)
    made = [folder, *(above for above in folder.parents if not above.exists())]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"the checkpoint's folder {folder} cannot be made ({error.strerror}); name another place"
        ) from error
    others = sorted(file.name for file in folder.iterdir() if not _is_ours(file.name))
    if others:
        raise InputError(
            f"{folder} holds other files ({others[0]}): name a new folder, or an empty one, for a checkpoint"
        )
    try:
        with locked(folder):
            for file in filter(lambda file: _is_cut_short(file.name), list(folder.iterdir())):
                file.unlink(missing_ok=True)
            inside = OpenCheckpoint(given)
            try:
                yield inside
            except InputError:
                inside.forget()
                raise
            if inside.complete and not given.keep:
                _remove(folder)
    finally:
        with suppress(OSError):  # something is in it
            for empty in made:
                empty.rmdir()


class OpenCheckpoint:
    """A checkpoint that a running fit reads and writes.

    Attributes
    ----------
    complete : bool
        Whether the fit has ended well, so that the folder is of no more use.
    earlier_seconds : float
        What earlier processes spent on this fit.
    notes : list of str
        What the result should say.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.folder = Path(checkpoint.folder)
        self.complete = False
        self.earlier_seconds = 0.0
        self.notes: list[str] = []
        self._interval, self._replace = checkpoint.seconds, checkpoint.replace
        self._began = time.monotonic()
        self._next: dict[int, float] = {}
        self._earlier = {file.name for file in self.folder.iterdir()}
        self._n_recalled = 0
        self._is_this_fit = False
        self._guard, self._writing = threading.Lock(), threading.Lock()

    def begin(self, task: Task, seed: int | None) -> Any:
        """Resume the fit that the folder holds, or write its description into an empty one.

        Returns
        -------
        The entropy of the random streams: the folder's own where the fit goes on.

        Raises
        ------
        InputError
            Where the folder is of another fit, with what differs, or is corrupt, and is not to be replaced.
        """
        self._began = time.monotonic()
        given = Fingerprint.of(task, seed)
        path = self.folder / FIT
        try:
            known = self._same_fit(path, given) if path.exists() else None
        except InputError:
            if not self._replace:
                raise
            known = None
            self.notes.append(f"{self.folder} held another fit that was not finished: it was given up for this one")
        self._is_this_fit = True
        if known is None:
            _remove(self.folder, but=MADE)  # another fit, or leftovers of a removal cut short
            self._write(path, {"fingerprint": given, "entropy": task.entropy})
            self._note()
            return task.entropy
        with suppress(OSError, ValueError, KeyError, TypeError):
            self.earlier_seconds = float(json.loads((self.folder / SECONDS).read_text())["seconds"])
        finished = sum(self._path(FINISHED, r).exists() for r in range(task.n_init))
        standing = sum(self.stands(r) and not self._path(FINISHED, r).exists() for r in range(task.n_init))
        was, where = "was" if finished == 1 else "were", "it" if standing == 1 else "they"
        said = {f"{finished} {was} finished": finished, f"{standing} went on where {where} stood": standing}
        parts = ", and ".join(words for words, n in said.items() if n)
        self._note(*[f"of {count(task.n_init, 'restart')} {parts}"] * bool(parts))
        return known["entropy"]

    def _same_fit(self, path: Path, given: Fingerprint) -> dict[str, Any]:
        """Load the description of the fit that the folder holds, which must be the given one."""
        known = read_tree(path)
        if not isinstance(known, dict) or not isinstance(known.get("fingerprint"), Fingerprint):
            raise InputError(f"{path} does not say what was fitted: delete the checkpoint, and run the fit again")
        differs = known["fingerprint"].differs(given)
        if differs:
            raise InputError(
                f"{self.folder} is the checkpoint of another fit: {differs}. Pass the same input and options to go on "
                "with it, or another folder"
            )
        return known

    def _note(self, *of_restarts: str) -> None:
        """Note what there was to go on from, if anything."""
        n = self._n_recalled
        of_evidence = (f"{count(n, 'intermediate result')} {'was' if n == 1 else 'were'} saved",) * (n > 0)
        if of_evidence or of_restarts:
            self.notes.append(f"resumed from a checkpoint: {'; '.join((*of_evidence, *of_restarts))}")
            log.info("%s: %s", self.folder, self.notes[-1])

    def recall(self, key: bytes) -> Any:
        """Load a part of the evidence that an earlier process made; None where there is none."""
        path = self._made(key)
        if not path.exists():
            return None
        tree = read_tree(path)
        with self._guard:
            self._n_recalled += path.name in self._earlier
        return tree

    def keep(self, key: bytes, tree: Any, seconds: float) -> None:
        """Write a part of the evidence that took so many seconds, where that is worth it."""
        if seconds < min(WORTH, self._interval):
            return
        with self._writing:  # two threads may have made the same
            if not self._made(key).exists():
                self._write(self._made(key), tree)

    def forget(self) -> None:
        """Remove the parts that a fit made which is refused before its restarts began: nothing will go on from them."""
        if self._is_this_fit:
            return
        for file in self.folder.glob(f"{MADE}*"):
            if file.name not in self._earlier:
                file.unlink(missing_ok=True)

    @property
    def holds(self) -> bool:
        """Whether there is anything to go on from."""
        return any(_is_ours(file.name) and not file.name.startswith(LOCK) for file in self.folder.iterdir())

    def finished(self, r: int) -> Restart | None:
        """Load restart r, if it is finished."""
        path = self._path(FINISHED, r)
        if not path.exists():
            return None
        restart = read_tree(path)
        if not isinstance(restart, Restart):
            raise InputError(f"{path} holds no finished restart: delete the checkpoint, and run the fit again")
        return restart

    def stands(self, r: int) -> bool:
        """Return whether the folder holds restart r unfinished."""
        return self._path(UNFINISHED, r).exists()

    def unfinished(self, r: int, problem: Problem) -> Unfinished | None:
        """Load where restart r stood, if that was written."""
        path = self._path(UNFINISHED, r)
        if not self.stands(r):
            return None
        standing = read_tree(path, problem.fresh())
        if not isinstance(standing, Unfinished) or not isinstance(standing.state, State):
            raise InputError(f"{path} holds no unfinished restart: delete the checkpoint, and run the fit again")
        return standing

    def begun(self, r: int, state: State) -> None:
        """Start the clock of a restart's first writing.

        Raises
        ------
        InputError
            Where its state cannot be written.
        """
        check_tree(state)
        self._next[r] = time.monotonic() + self._interval

    def due(self, r: int) -> bool:
        """Return whether restart r should be written now."""
        return time.monotonic() >= self._next.setdefault(r, time.monotonic() + self._interval)

    def keep_restart(self, r: int, unfinished: Unfinished) -> None:
        """Write where a restart stands."""
        began = time.monotonic()
        self._write(self._path(UNFINISHED, r), unfinished)
        took = time.monotonic() - began
        self._next[r] = time.monotonic() + max(self._interval, took / SHARE)

    def finish(self, r: int, restart: Restart) -> None:
        """Write a finished restart."""
        if self._write(self._path(FINISHED, r), restart):
            self._path(UNFINISHED, r).unlink(missing_ok=True)

    def spent(self) -> float:
        """Return seconds spent on this fit so far, in all processes; written, so that the next one counts on."""
        with suppress(OSError):
            return self._write_seconds()
        return self._seconds()

    def _seconds(self) -> float:
        return self.earlier_seconds + time.monotonic() - self._began

    def _write_seconds(self) -> float:
        with self._guard:  # restarts on other threads write it too
            seconds = self._seconds()
            partial = self.folder / (SECONDS + PARTIAL)
            partial.write_text(json.dumps({"seconds": seconds}))
            partial.replace(self.folder / SECONDS)
            return seconds

    def _path(self, kind: str, r: int) -> Path:
        return self.folder / f"{kind}{r}{SUFFIX}"

    def _made(self, key: bytes) -> Path:
        return self.folder / f"{MADE}{key.hex()}{SUFFIX}"

    def _write(self, path: Path, tree: Any) -> bool:
        """A full disk must not end a fit that is running well: it goes on, and says so."""
        try:
            write_tree(path, tree)
            if self._is_this_fit:  # until then the seconds in the folder may be those of another
                self._write_seconds()
        except (OSError, SafetensorError) as error:
            note = f"the checkpoint could not be written ({error}); the fit went on without"
            log.warning("%s: %s", path, note)
            if note not in self.notes:
                self.notes.append(note)
            return False
        return True


def _is_cut_short(name: str) -> bool:
    """Whether a kill in the middle of writing left the file: one of ours, or the temporary one of safetensors."""
    return name.endswith(PARTIAL) or re.fullmatch(r"\.tmp\w+", name) is not None


def _is_ours(name: str) -> bool:
    if _is_cut_short(name):
        return True
    numbered = name.startswith((FINISHED, UNFINISHED, MADE)) and name.endswith(SUFFIX)
    return numbered or name in (FIT, SECONDS) or name.startswith(LOCK)


def _remove(folder: Path, but: str = LOCK) -> None:
    """Everything but the lock, the fit's own file first: without it restarts are leftovers."""
    (folder / FIT).unlink(missing_ok=True)
    for file in sorted(folder.iterdir()):
        if _is_ours(file.name) and not file.name.startswith((LOCK, but)):
            file.unlink(missing_ok=True)
