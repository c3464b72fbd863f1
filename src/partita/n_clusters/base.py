"""The interface of criteria for the number of clusters: one idea, one answer, and the score of each K behind it.

A criterion is frozen settings. `judge` reads the evidence and answers with a number of clusters, or with none and the
reason. What it needs is in `requires` and is checked first. A new criterion is one file: subclass `Criterion`, give it
a `name` and an `idea`, and `tests/contract/test_criterion.py` checks it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.arrays import Array
from partita.errors import InputError
from partita.n_clusters.evidence import KEvidence
from partita.registry import Named, enrol, made
from partita.scope import lasting

__all__ = ["Better", "Criterion", "Judgement", "Requirement", "criterion", "only_tests_one"]

Better = Literal["larger", "smaller", "crossing"]
Requirement = Literal["features", "affinity", "draws", "dimension"]

REMEDY: dict[str, str] = {
    "features": "pass features=, an N x d array",
    "affinity": "pass features=, affinity= or draws=",
    "draws": "pass draws=, M x N labels",
    "dimension": "pass dimension=, the dimension of the subspaces",
}


@dataclass(frozen=True, eq=False)
class Judgement:
    """Answer of one criterion.

    Attributes
    ----------
    criterion : str
    n_clusters : int or None
        None where it says nothing; `note` has the reason then.
    sizes : array of int
        The numbers of clusters tried, ascending.
    scores : array
        Score of each size; NaN where it is not defined.
    better : {"larger", "smaller", "crossing"}
        Which scores are good; "crossing" where the answer is the first size that passes a rule.
    sure : float in [0, 1], or None
        How sure, in the criterion's own terms: `note` says what it means.
    note : str
    of_classes : bool
        Whether the numbers are those of latent classes, of a table of categories.
    of_modes : bool
        Whether they are those of modes, of a single column or of items along a line.
    """

    criterion: str
    n_clusters: int | None
    sizes: NDArray[np.int64]
    scores: Array
    better: Better = "larger"
    sure: float | None = None
    note: str = ""
    of_classes: bool = False
    of_modes: bool = False


class Criterion(Named, ABC):
    """Frozen settings of one way to choose the number of clusters."""

    name: ClassVar[str]
    idea: ClassVar[str]
    """The criterion in a few words, for tables and reports."""
    requires: ClassVar[frozenset[Requirement]] = frozenset({"affinity"})
    can_name_one: ClassVar[bool] = True
    """Whether its score is defined for one cluster, so that 1 can be its answer."""
    can_name_several: ClassVar[bool] = True
    """Whether it names numbers beyond 1; a test of one cluster can only speak against 1."""
    registry: ClassVar[dict[str, type[Criterion]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" in cls.__dict__:  # a subclass under its parent's name does not take its place
            unknown = cls.requires - set(get_args(Requirement))
            assert not unknown, f"{cls.name} requires {unknown}, which no evidence has"
            enrol(Criterion.registry, cls)

    def judge(self, evidence: KEvidence) -> Judgement:
        """Return the number of clusters that this criterion sees in the evidence.

        Raises
        ------
        InputError
            Where the evidence lacks what `requires` names.
        """
        for needed in sorted(self.requires):
            if not evidence.has(needed):
                raise InputError(f"criterion {self.name!r} needs {needed}, and the evidence has none: {REMEDY[needed]}")
        if evidence.n_items == 1:
            return Judgement(self.name, 1, np.array([1]), np.array([np.nan]), note="there is one item")
        return lasting(lambda: self._judge(evidence), "criterion", self, evidence)

    @abstractmethod
    def _judge(self, evidence: KEvidence) -> Judgement:
        """Judge evidence that has what is required and two items or more; see `judge`."""

    def _silent(self, sizes: ArrayLike, reason: str) -> Judgement:
        """Judgement without an answer, and the reason."""
        tried = np.asarray(sizes, dtype=np.int64)
        return Judgement(self.name, None, tried, np.full(len(tried), np.nan), note=reason)


def only_tests_one(name: str) -> bool:
    """Tell whether the criterion of that name can name no number but 1.

    >>> only_tests_one("a criterion of another version")
    False
    """
    kind = Criterion.registry.get(name)
    return kind is not None and not kind.can_name_several


def criterion(given: str | Criterion | dict[str, Any]) -> Criterion:
    """Return a criterion from its name, its config, or itself.

    >>> criterion("eigengap").name
    'eigengap'

    Raises
    ------
    InputError
        For a name that no criterion has, or unknown settings.
    """
    return made(Criterion, given, "criterion")  # type: ignore[type-abstract]
