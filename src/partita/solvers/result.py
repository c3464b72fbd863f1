"""Results of a fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.membership import Membership
from partita.runs import Status
from partita.shapes import floats, whole
from partita.wording import Printed, aligned, count

__all__ = ["Restart", "SolveResult", "first_best"]

# Relative difference of two objectives that rounding explains.
SAME = 1e-9


@dataclass(frozen=True, eq=False)
class Restart:
    """One run from one start.

    `membership` and `factor` are None where keeping them for every restart would take too much memory; `labels` are
    always kept.
    """

    BY_NAME: ClassVar = True  # a saved model holds arrays of restarts by name: one that occurs twice is kept once
    start: str
    objective: float
    status: Status
    optimality: float
    n_iter: int
    n_products: int
    seconds: float
    scale: Annotated[NDArray[np.float64], floats("K")]
    labels: Annotated[NDArray[np.int32], whole("N", below="K", as_type=np.int32)]
    trace: Annotated[NDArray[np.float64], floats(None)]
    membership: Annotated[NDArray[np.float64] | None, floats("N", "K")] = None
    factor: Annotated[NDArray[np.float64] | None, floats("N", "K")] = None


@dataclass(frozen=True, eq=False, repr=False)
class SolveResult(Printed):
    """The best of all restarts, and all of them.

    Attributes
    ----------
    membership : Membership
    scale : array of K
        Factor of each cluster: P ~ W diag(scale) W^T, W the `factor`.
    objective : float
        Over all ordered pairs, diagonal included unless it is unobserved.
    misfit : float
        Relative residual ||P - W diag(scale) W^T|| / ||P||.
    status : {"converged", "max_iter", "max_seconds", "interrupted"}
        Status of the best restart; "interrupted" and "max_seconds" also when restarts were left out for it.
    norm_is_exact : bool
        False where ||P||^2, the constant in objective and misfit, is an estimate (a large diffused affinity).
    optimality : float
        Stationarity: root mean square move of an item in a natural gradient step.
    trace : array
        Objective after each iteration of the best restart.
    n_iter, n_products : int
        Iterations and products of the best restart; `total_products` is over all of them.
    seconds, earlier_seconds : float
        Time that all processes spent where a checkpoint was resumed, and what of it the earlier ones.
    restarts : tuple of Restart
    factor : N x K array
        W as it was solved for; the membership itself where the objective keeps rows on the simplex. None where it was
        not kept.
    evidence : tuple
        Clusterings that an ensemble's evidence was made of, a `partita.ensemble.Draw` each: method, settings, weight,
        agreement.
    """

    membership: Membership
    scale: NDArray[np.float64]
    objective: float
    misfit: float
    status: Status
    optimality: float
    trace: NDArray[np.float64]
    n_iter: int
    n_products: int
    seconds: float
    seed: int | None
    objective_name: str
    solver_name: str
    restarts: tuple[Restart, ...]
    norm_is_exact: bool = True
    notes: tuple[str, ...] = field(default=())
    factor: NDArray[np.float64] | None = None
    evidence: tuple[Any, ...] = ()
    earlier_seconds: float = 0.0

    @property
    def total_products(self) -> int:
        """Products with P over all restarts."""
        return sum(restart.n_products for restart in self.restarts)

    @property
    def best(self) -> int:
        """Index of the restart that is the result."""
        return first_best([restart.objective for restart in self.restarts])

    def reordered(self, order: NDArray[np.intp]) -> SolveResult:
        """Return the same result with its clusters in another order."""
        factor = None if self.factor is None else self.factor[:, order]
        return replace(self, membership=self.membership.reordered(order), scale=self.scale[order], factor=factor)

    def __repr__(self) -> str:
        K, n = self.membership.n_clusters, self.membership.n_items
        return (
            f"<SolveResult of {count(n, 'item')} in {count(K, 'cluster')}: {self.status}, objective "
            f"{self.objective:.6g}, relative residual {self.misfit:.3f}>"
        )

    def __str__(self) -> str:
        return aligned(
            [
                ("items", f"{self.membership.n_items:,}"),
                ("clusters", f"{self.membership.n_clusters:,}"),
                ("status", self.status),
                ("objective", f"{self.objective:.6g} ({self.objective_name})"),
                ("relative residual", f"{self.misfit:.4f}"),
                ("solver", self.solver_name),
                ("restarts", f"{len(self.restarts):,}"),
                ("iterations", f"{self.n_iter:,}"),
                ("products", f"{self.n_products:,}"),
                ("seconds", f"{self.seconds:.2f}"),
                ("seed", str(self.seed)),
                ("notes", f"{len(self.notes):,}"),
            ]
        )


def first_best(objectives: Sequence[float]) -> int:
    """Return the first whose objective is the least up to rounding, so that rounding does not pick the winner.

    >>> first_best([2.0, 1.0 + 1e-12, 1.0])
    1
    """
    least = min(objectives)
    if not all(np.isfinite(objective) for objective in objectives):
        raise InputError("an objective is not finite: the affinity or the weights are too large for double precision")
    return next(k for k, objective in enumerate(objectives) if objective <= least + SAME * abs(least))
