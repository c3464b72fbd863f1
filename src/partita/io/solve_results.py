"""A solver's result as JSON and arrays, with every restart and trace, and back."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from partita.errors import ModelError
from partita.io.model_kind import Arrays, Config
from partita.io.taken import Held, Stated, as_json
from partita.membership import Membership
from partita.runs import Status
from partita.solvers.result import Restart, SolveResult

__all__ = ["restored_result", "result_state"]

STATUSES = get_args(Status)
# Fields by how they are written.
NUMBERS = ("objective", "misfit", "optimality", "seconds", "earlier_seconds")
COUNTS = ("n_iter", "n_products")
WORDS = ("start", "objective_name", "solver_name")


def result_state(result: SolveResult, prefix: str) -> tuple[Config, Arrays]:
    """What `model.json` and the arrays hold; names of arrays begin with `prefix`.

    An array that occurs twice is kept once. `evidence`, the members of an ensemble, is not kept: the fit of memberships
    to draws has none.
    """
    writing = _Writing(prefix)
    labels: NDArray[Any] = result.membership.labels
    config = _plain(result) | {
        "seed": result.seed,
        "notes": list(result.notes),
        "norm_is_exact": bool(result.norm_is_exact),
        "membership": writing.put("membership", result.membership.matrix),
        "labels": writing.put("labels", labels),
        "factor": writing.put("factor", result.factor),
        "scale": writing.put("scale", result.scale),
        "trace": writing.put("trace", result.trace),
        "restarts": [_restart(writing, r, restart) for r, restart in enumerate(result.restarts)],
    }
    return config, writing.arrays


def restored_result(stated: Stated, held: Held, n_items: int, n_clusters: int) -> SolveResult:
    """From `result_state`.

    Raises
    ------
    ModelError
        For what cannot be a result for so many items and clusters.
    """
    shape = (n_items, n_clusters)
    W = held.floats(stated.word("membership"), *shape)
    membership = Membership(W)
    membership.labels = _labels(stated, held, shape).astype(np.int64)
    factor = _or_none(stated, held, "factor", shape)
    restarts = tuple(_restored_restart(part, held, shape) for part in stated.parts("restarts"))
    if not restarts:
        raise ModelError("the membership of the model comes from no restart; save the model again")
    return SolveResult(
        membership=membership,
        scale=held.floats(stated.word("scale"), n_clusters),
        trace=held.floats(stated.word("trace"), None),
        status=stated.word("status", among=STATUSES),
        seed=stated.whole_or_none("seed"),
        restarts=restarts,
        norm_is_exact=stated.flag("norm_is_exact"),
        notes=stated.words("notes"),
        factor=membership.matrix if factor is W else factor,
        **_taken(stated, SolveResult),
    )


class _Writing:
    """Gathers arrays under the prefix."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self.arrays: Arrays = {}

    def put(self, name: str, array: NDArray[Any] | None) -> str | None:
        """The name under which the array is found; that of an equal one, if there is one."""
        if array is None:
            return None
        for known, other in self.arrays.items():
            if other.dtype == array.dtype and np.array_equal(other, array):
                return known
        self.arrays[self._prefix + name] = array
        return self._prefix + name


def _plain(record: Any) -> Config:
    """Status, words, counts and numbers that the dataclass has."""
    has = {field.name for field in fields(record)}
    config: Config = {"status": record.status}
    config |= {name: getattr(record, name) for name in WORDS if name in has}
    config |= {name: int(getattr(record, name)) for name in COUNTS if name in has}
    return config | {name: as_json(getattr(record, name)) for name in NUMBERS if name in has}


def _taken(stated: Stated, kind: Any) -> dict[str, Any]:
    has = {field.name for field in fields(kind)}
    taken: dict[str, Any] = {name: stated.word(name) for name in WORDS if name in has}
    taken |= {name: stated.whole(name) for name in COUNTS if name in has}
    return taken | {name: stated.number(name) for name in NUMBERS if name in has}


def _restart(writing: _Writing, r: int, restart: Restart) -> Config:
    names = ("scale", "labels", "trace", "membership", "factor")
    return _plain(restart) | {name: writing.put(f"restarts.{r}.{name}", getattr(restart, name)) for name in names}


def _restored_restart(stated: Stated, held: Held, shape: tuple[int, int]) -> Restart:
    return Restart(
        status=stated.word("status", among=STATUSES),
        scale=held.floats(stated.word("scale"), shape[1]),
        labels=_labels(stated, held, shape).astype(np.int32),
        trace=held.floats(stated.word("trace"), None),
        membership=_or_none(stated, held, "membership", shape),
        factor=_or_none(stated, held, "factor", shape),
        **_taken(stated, Restart),
    )


def _labels(stated: Stated, held: Held, shape: tuple[int, int]) -> NDArray[Any]:
    labels = held.whole(stated.word("labels"), shape[0])
    if not ((labels >= 0) & (labels < shape[1])).all():
        raise ModelError(f"the labels of the model should be one of 0..{shape[1] - 1}; save the model again")
    return labels


def _or_none(stated: Stated, held: Held, name: str, shape: tuple[int, int]) -> NDArray[np.float64] | None:
    return None if stated.any(name) is None else held.floats(stated.word(name), *shape)
