"""Experiments: a table or figure of a paper to be made again, as cells computed once and kept, and what they say.

An experiment is cut into **cells**, the least pieces worth keeping: one method on one set with one seed. Each cell's
random numbers come from its own key, so that the order, the number of processes and a run that stopped half-way change
nothing. `outcome` makes tables, drawings and findings of them. A new experiment is one file: subclass `Experiment`,
give it the class attributes below, and import the file in `partita.reproduce`.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from partita.errors import InputError
from partita.io import did_you_mean
from partita.registry import enrol
from partita.reproduce.outcome import Outcome

__all__ = ["Cell", "Experiment", "Numbers", "Size", "experiment", "experiment_names", "random_numbers"]

Size = Literal["full", "quick", "smoke"]
"""As many runs as the paper had; few runs, the same sets; the least that walks through every line."""
Numbers = dict[str, Any]
"""What a cell found, as JSON: numbers, words, lists of them."""


@dataclass(frozen=True)
class Cell:
    """The least piece of an experiment that is computed and kept.

    Attributes
    ----------
    key : str
        Its name in the experiment, "iris/gmm/3".
    settings : mapping
        Everything, as JSON, that decides its numbers beside the key: a cell kept under other settings is computed anew.
    """

    key: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    def fingerprint(self) -> str:
        """Hash of key and settings.

        >>> Cell("a").fingerprint() == Cell("a", {"n": 1}).fingerprint()
        False
        """
        words = json.dumps([self.key, dict(self.settings)], sort_keys=True, default=str)
        return hashlib.sha256(words.encode()).hexdigest()[:16]


class Experiment(ABC):
    """One table or figure of a paper."""

    name: ClassVar[str]
    """As on the command line, "sof-table3"."""
    paper: ClassVar[str]
    """Key of the paper in docs/references.md."""
    title: ClassVar[str]
    """Title of the table or figure, and its number in the paper."""
    store: ClassVar[str | None] = None
    """Name under which cells are kept, where experiments share them; its own name otherwise."""
    serial: ClassVar[bool] = False
    """Cells are timed, so one runs at a time."""
    registry: ClassVar[dict[str, type[Experiment]]] = {}

    seed: int = 0
    """Of the run, for random numbers that several cells share; a cell's own are handed to `compute`."""
    replicates: int | None = None
    """How many replicates were asked for; None leaves it to the size. Experiments without replicates ignore it."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" in cls.__dict__:
            enrol(Experiment.registry, cls)

    @abstractmethod
    def cells(self, size: Size) -> Sequence[Cell]:
        """Return cells to compute, in order; "quick" and "smoke" take fewer of the same cells where they can."""

    @abstractmethod
    def compute(self, cell: Cell, rng: np.random.Generator) -> Numbers:
        """Return one cell. It runs in another process: whatever it needs it loads."""

    @abstractmethod
    def outcome(self, found: Mapping[str, Numbers], size: Size) -> Outcome:
        """Return tables, drawings and findings from the numbers of all cells by key."""


def random_numbers(store: str, key: str, seed: int) -> np.random.Generator:
    """Return the random numbers of one cell: its own, whatever else runs.

    >>> one, other = (random_numbers("s", key, 0).random() for key in "ab")
    >>> one == other
    False
    """
    digest = hashlib.sha256(f"{store}/{key}".encode()).digest()
    return np.random.default_rng([seed, *np.frombuffer(digest[:16], dtype="<u4").tolist()])


def experiment_names() -> list[str]:
    """Return names of all experiments, paper by paper."""
    return list(Experiment.registry)


def experiment(name: str) -> Experiment:
    """Return the experiment of that name.

    Raises
    ------
    InputError
        For a name that no experiment has.
    """
    if name not in Experiment.registry:
        raise InputError(
            f"there is no table or figure called {name!r} (`partita reproduce --list` names them all)"
            f"{did_you_mean(name, Experiment.registry)}"
        )
    return Experiment.registry[name]()
