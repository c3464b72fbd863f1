"""The growth transformation of Baum and Eagon for memberships [rotabulo2010, section 5], and its over-relaxed form.

For a fixed scale a, minimising f is maximising -f = sum_ij d_i d_j (2 P_ij w_i^T A w_j - (w_i^T A w_j)^2) over the
observed pairs. The second term has negative coefficients. Let r_i be the sum of row i, one on the simplex; every
monomial of (w_i^T A w_j)^2 is one of (r_i r_j)^2, with a coefficient of at most max(a)^2 times the one there. So

    Q(W) = sum_ij d_i d_j (2 P_ij w_i^T A w_j - (w_i^T A w_j)^2 + max(a)^2 (r_i r_j)^2)

has no negative coefficient where P >= 0, and differs from -f by a constant on the simplex: [rotabulo2010] eq. (6)
where a_k = alpha and D = 1, and the same for a scale of each cluster, item weights and unobserved pairs. Its gradient
in the metric of D, over 4, is s_i max(a)^2 - gradient(f)_ik / 4 with s_i the weight of the items observed with item
i, and

    M(W)_ik = w_ik q_ik / sum_l w_il q_il,   q = max(a)^2 s - gradient(f) / 4,

is (5), and (7) where a_k = alpha. M(W) never lowers Q, nor does any W + eta (M(W) - W) with 0 <= eta <= 1 (Baum and
Sell). The new scale is then the objective's own, (8), which lowers f again.

The constant s max(a)^2 dwarfs the differences in q, hence tiny steps: on iris it needs twenty times the products of
the default solver, and on glass five of six starts do not arrive in 6,000. Over-relaxation takes the lowest point of
a segment with eta > 1, which costs no further product, and comes within one to four times the default's products. Use
it to reproduce the paper; for anything else the default is faster, and exact where the solution has zeros.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from partita.arrays import Array
from partita.errors import InputError
from partita.objectives import Point, Problem
from partita.solvers.base import Solver, State, optimality
from partita.solvers.interior import interior

__all__ = ["BaumEagon"]

# Over-relaxation takes an entry at most this share of its way to zero, where it would stay.
TOWARDS_ZERO = 0.9
# Factors on eta: after a step whose far end was the best of its segment, and after one whose far end was not.
LONGER, SHORTER = 2.0, 0.7
# A growth factor below minus this share of the largest is a negative affinity and not rounding.
NEGATIVE = 1e-9


@dataclass(frozen=True)
class BaumEagon(Solver):
    """Baum-Eagon growth transformation.

    Parameters
    ----------
    overrelaxation : float or "adaptive"
        eta > 0 in W + eta (M(W) - W). 1 is [rotabulo2010] eq. (7), and up to 1 the objective falls by a theorem.
        Above, a row stops short of its boundary, and where the objective rose the lowest point of the step is taken.
        "adaptive" doubles eta for as long as that pays.

    Raises
    ------
    InputError
        For an overrelaxation out of range and, when a step meets one, for an affinity with negative entries.

    Notes
    -----
    Entries never become exactly zero: they stay at or above 1e-16. Where an entry of the solution is zero and its
    gradient too, convergence is slower than linear.

    Examples
    --------
    >>> from partita import SoF
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> labels = SoF(2, solver=BaumEagon("adaptive"), random_state=0).fit(X).labels_
    >>> labels[0] == labels[2] != labels[3] == labels[5]
    np.True_
    """

    name = "baum-eagon"
    weighs_pairs = True
    monotone = True
    cost = "1 product with P and O(N K^2) an iteration; very many iterations with an overrelaxation of 1"
    guarantee = "objective falls monotonically for P >= 0; an overrelaxation of at most 1 by the Baum-Eagon inequality"
    source = "[rotabulo2010] eqs. (5)-(8)"
    use = "to reproduce the paper"
    precision = 1e-2

    overrelaxation: float | Literal["adaptive"] = 1.0

    def __post_init__(self) -> None:
        eta: Any = self.overrelaxation
        if eta != "adaptive" and (isinstance(eta, str) or not 0 < eta < np.inf):
            raise InputError(f"overrelaxation={eta!r}: expected a positive number, or 'adaptive'")

    def start(self, problem: Problem, W: Array) -> State:
        point = problem.evaluate(interior(W))
        eta = 1.0 if self.overrelaxation == "adaptive" else float(self.overrelaxation)
        return _state(problem, point, eta, _observed_weight(problem))

    def step(self, problem: Problem, state: State) -> State:
        memory: _Memory = state.memory
        point, eta = state.point, memory.eta
        growth = _growth(point, memory)
        while True:
            # W + eta (M(W) - W) = W (1 + eta (growth - 1)), by row no further than TOWARDS_ZERO allows.
            reach = TOWARDS_ZERO / np.maximum(1.0 - growth.min(axis=1, keepdims=True), np.finfo(float).tiny)
            factor = 1.0 + np.minimum(eta, np.maximum(reach, 1.0)) * (growth - 1.0)
            W = point.W * np.maximum(factor, 0.0)
            best = far = problem.evaluate(interior(W / W.sum(axis=1, keepdims=True)))
            if self.overrelaxation == "adaptive" or far.value > point.value:
                best = min(far, problem.best_between(point, far), key=lambda end: end.value)
            if best.value < point.value:
                if self.overrelaxation == "adaptive":
                    eta = eta * LONGER if best is far else max(eta * SHORTER, 1.0)
                return _state(problem, best, eta, memory.observed)
            if self.overrelaxation != "adaptive" or eta <= 1.0:
                return State(point, state.optimality, memory, stalled=True)
            eta = 1.0


@dataclass(frozen=True, eq=False)
class _Memory:
    gradient: Any
    eta: float
    observed: Any  # s


def _state(problem: Problem, point: Point, eta: float, observed: Any) -> State:
    gradient = problem.gradient(point)
    return State(point, optimality(problem, point, gradient), _Memory(gradient, eta, observed))


def _observed_weight(problem: Problem) -> Any:
    """s_i, the weight of the pairs that item i is in."""
    s = np.full(problem.affinity.n_items, problem.total_weight)
    pairs = problem.affinity.pair_weights
    if pairs is not None:
        d = 1.0 if problem.weights is None else problem.weights[pairs.second]
        s = pairs.rest * s + np.bincount(pairs.first, (pairs.weight - pairs.rest) * d, minlength=len(s))
    return s


def _growth(point: Point, memory: _Memory) -> Any:
    """q_ik / sum_l w_il q_il: what M multiplies an entry by, [rotabulo2010] eq. (7)."""
    q = float(point.scale.max()) ** 2 * memory.observed[:, None] - memory.gradient / 4.0
    if q.min() < -NEGATIVE * np.abs(q).max():
        i = int(q.min(axis=1).argmin())
        raise InputError(
            f"the affinity has negative entries in row {i}, and the Baum-Eagon inequality needs P >= 0; "
            "use ProjectedGradient()"
        )
    q = np.maximum(q, 0.0)
    mean = np.einsum("nk,nk->n", point.W, q)[:, None]
    return np.divide(q, mean, out=np.ones_like(q), where=mean > 0)  # an item without observed pairs stays
