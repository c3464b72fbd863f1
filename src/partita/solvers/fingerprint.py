"""Identity of a fit: enough to refuse another fit's checkpoint, and to say in what they differ.

Options and weights are compared exactly, the affinity by its product with a fixed random vector, in which every entry
takes part. Products are compared up to rounding, since another machine may add in another order.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields, is_dataclass
from importlib import metadata
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.solvers.restarts import Task

__all__ = ["Fingerprint"]

# Products that agree to this are of one affinity: a sum over a row rounds to 1e-13 of it; of arrays of less precision
# than double, to their unit roundoff times this.
SAME, ROUNDINGS = 1e-9, 1e3


@dataclass(frozen=True, eq=False)
class Fingerprint:
    """Identifies a fit by its options and a probe of its affinity.

    Attributes
    ----------
    options : dict
        Everything but the affinity that the answer depends on; arrays by their hash.
    product : array of N
        P times a fixed random vector.
    """

    options: dict[str, Any]
    product: NDArray[Any]

    @classmethod
    def of(cls, task: Task, seed: int | None) -> Fingerprint:
        """Return the fingerprint of a task: one product with P."""
        affinity, problem = task.problem.affinity, task.problem
        pairs = affinity.pair_weights
        options = {
            "partita": metadata.version("partita"),
            "n_items": affinity.n_items,
            "n_clusters": task.starts.n_clusters,
            "objective": _named(problem.objective),
            "solver": _named(task.solver),
            "seed": seed,
            "n_init": task.n_init,
            "max_iter": task.max_iter,
            "tol": task.tol,
            "start": [start if isinstance(start, str) else _digest(start) for start in task.start],
            "item weights": None if problem.weights is None else _digest(problem.weights),
            "pair weights": None if pairs is None else [pairs.rest, _digest(pairs.first, pairs.second, pairs.weight)],
        }
        return cls(options, affinity.probe())

    def differs(self, other: Fingerprint) -> str:
        """Return what differs in the other fit; empty when it is the same."""
        names = [name for name in other.options if self.options.get(name) != other.options[name]]
        if names:
            return "; ".join(f"{name} was {self.options.get(name)!r} and is {other.options[name]!r}" for name in names)
        precision = SAME
        if other.product.dtype.kind == "f":
            precision = max(SAME, ROUNDINGS * float(np.finfo(other.product.dtype).eps))
        slack = precision * float(np.abs(self.product).mean())
        off = np.flatnonzero(~np.isclose(other.product, self.product, rtol=precision, atol=slack))
        return f"the affinity is another one, first in the row of item {off[0]}" if len(off) else ""


def _named(thing: Any) -> str:
    options = {field.name: getattr(thing, field.name) for field in fields(thing)} if is_dataclass(thing) else {}
    return f"{thing.name}({', '.join(f'{name}={value!r}' for name, value in options.items())})"


def _digest(*arrays: Any) -> str:
    digest = hashlib.sha256()
    for array in map(np.asarray, arrays):
        plain = np.asarray(array.astype(str) if array.dtype.kind == "O" else array, order="C")
        digest.update(f"{plain.dtype.str}{plain.shape}".encode())
        digest.update(plain.tobytes())
    return f"array {digest.hexdigest()[:16]}"
