"""Compute what is missing of an experiment's cells, and write what they say."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from partita.errors import InputError, MemoryLimitError, MissingExtraError
from partita.io import versions
from partita.kernels.threads import available_cores, limit_threads
from partita.reproduce.cell_store import CellStore
from partita.reproduce.experiment import Cell, Experiment, Numbers, Size, random_numbers
from partita.reproduce.files import write_outcome

__all__ = ["reproduce"]

Said = Callable[[str], None]


def reproduce(
    work: Experiment,
    folder: Path,
    *,
    size: Size = "full",
    seed: int = 0,
    replicates: int | None = None,
    n_jobs: int | None = None,
    say: Said = lambda _: None,
) -> dict[str, Any]:
    """Make one table or figure again.

    Cells that `folder` has from an earlier run of the same version and seed are not computed again.

    Parameters
    ----------
    work : Experiment
    folder : Path
        Cells are kept in its `cells`, the result goes to a folder of the experiment's name.
    size : {"full", "quick", "smoke"}
    seed : int
    replicates : int, optional
        How many replicates an experiment that has them makes, in place of what the size says.
    n_jobs : int, optional
        Processes; every core by default. An experiment that is timed takes one.
    say : callable
        Hears a line for each step.

    Returns
    -------
    dict
        Contents of `outcome.json`.

    Raises
    ------
    InputError
        Where a data set is missing, or nothing can be written.
    """
    work.seed, work.replicates = seed, replicates
    store_name = work.store or work.name
    store = CellStore(folder / "cells" / f"{store_name}.jsonl", version=version("partita"), seed=seed)
    cells = list(work.cells(size))
    missing = [cell for cell in cells if cell not in store]
    if missing:
        kept = len(cells) - len(missing)
        say(f"{work.name}: {len(missing)} cells to compute" + (f", {kept} kept from before" if kept else ""))
    n_jobs = 1 if work.serial else min(n_jobs or available_cores(), max(len(missing), 1))
    began = last = time.monotonic()
    for done, (cell, found, seconds) in enumerate(_computed(work, missing, store_name, seed, n_jobs), start=1):
        store.keep(cell, found, seconds)
        if time.monotonic() - last > 20:
            last = time.monotonic()
            left = (last - began) / done * (len(missing) - done)
            say(f"{work.name}: {done} of {len(missing)} cells, about {left:.0f} s to go")
    outcome = work.outcome({cell.key: store.numbers(cell) for cell in cells}, size)
    record = {
        "name": work.name,
        "paper": work.paper,
        "title": work.title,
        "size": size,
        "seed": seed,
        "replicates": replicates,
        "cells": len(cells),
        "cpu_seconds": sum(store.seconds(cell) for cell in cells),
        "date": datetime.now(UTC).date().isoformat(),
        "versions": versions(),
        **outcome.plain(),
    }
    write_outcome(folder / work.name, record, outcome)
    return record


def _computed(
    work: Experiment, cells: Sequence[Cell], store: str, seed: int, n_jobs: int
) -> Iterator[tuple[Cell, Numbers, float]]:
    """Cells as they are done, in whatever order."""
    if n_jobs == 1:
        for cell in cells:
            yield _one(work, cell, store, seed)
        return
    from joblib import Parallel, delayed

    with warnings.catch_warnings():
        # loky puts a new process in place of one whose memory has grown, and loses no cell by it.
        warnings.filterwarnings("ignore", message="A worker stopped while some jobs", category=UserWarning)
        yield from Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
            delayed(_one)(work, cell, store, seed) for cell in cells
        )


def _one(work: Experiment, cell: Cell, store: str, seed: int) -> tuple[Cell, Numbers, float]:
    """One cell on one thread, with the CPU seconds it took; what estimators warn of is in the numbers or not at all."""
    began, where = time.process_time(), f"{work.name}, cell {cell.key}"
    with limit_threads(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = work.compute(cell, random_numbers(store, cell.key, seed))
        except (InputError, MissingExtraError) as error:
            raise type(error)(f"{where}: {error}") from error
        except OSError as error:
            raise InputError(f"{where}: {error}") from error
        except MemoryError as error:
            raise MemoryLimitError(f"{where}: {error}") from error
        except Exception as error:
            raise RuntimeError(f"{where}: {type(error).__name__}: {error}") from error
    return cell, found, time.process_time() - began
