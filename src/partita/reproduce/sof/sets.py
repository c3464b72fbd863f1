"""The seven sets of [zhao2015] Table 2: which file each is, and how often a method runs on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from partita.reproduce.experiment import Size

if TYPE_CHECKING:
    from partita.datasets import Dataset

__all__ = ["SETS", "loaded", "n_runs", "sources", "taken"]

# As the tables call them: the name that `load_dataset` knows.
SETS = {
    "BL": "blood_transfusion",
    "BT": "breast_tissue",
    "GL": "glass",
    "IRIS": "iris",
    "ECO": "ecoli",
    "IMG": "satimage",
    "DIG": "pendigits",
}
# [zhao2015], "Results and Analysis".
RUNS = 20
FEW_RUNS = 5
QUICK_RUNS = {"IMG": 1, "DIG": 1}
SMOKE = ("BT", "IRIS")


def taken(size: Size) -> tuple[str, ...]:
    """Return the sets of a run, the largest first: its cells take longest.

    >>> taken("smoke")
    ('IRIS', 'BT')
    """
    return tuple(name for name in reversed(SETS) if size != "smoke" or name in SMOKE)


def n_runs(name: str, size: Size, *, few: bool = False) -> int:
    """Return runs of a method on a set; those of a quick run are the first of a full one.

    >>> n_runs("IRIS", "full"), n_runs("IRIS", "full", few=True), n_runs("DIG", "quick")
    (20, 5, 1)
    """
    if size == "full":
        return FEW_RUNS if few else RUNS
    if size == "smoke":
        return 1
    return QUICK_RUNS.get(name, 3)


def loaded(name: str) -> Dataset:
    """Return a set by the name that the tables have for it.

    Raises
    ------
    InputError
        If its file is not there, or another.
    """
    from partita.datasets import load_dataset

    return load_dataset(SETS[name])


def sources(names: tuple[str, ...]) -> dict[str, str]:
    """Return the source of each set and the SHA-256 of its file, as the catalogue has it.

    A run with another is refused.
    """
    from partita.datasets import describe

    entries = {name: describe(SETS[name]) for name in SETS if name in names}
    return {name: f"{entry.title}; {entry.source}; SHA-256 {entry.sha256}" for name, entry in entries.items()}
