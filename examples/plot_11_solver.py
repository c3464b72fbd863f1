"""
Extending: a solver in forty lines
==================================

Adds a solver and uses it; the contract tests of the repository check this very file.

A solver never sees the affinity. A ``Problem`` evaluates memberships, one product with P each, and a ``Point`` has all
that the product told. The driver owns the loop, restarts, the clock, tracing, interruption and checkpoints. The solver
is a start and a step.
"""

# %%
# The solver
# ----------
# Spectral projected gradient [birgin2000]: a gradient step whose length follows from how much the gradient changed
# over the last one, the projection onto the simplex, and the lowest point of the segment to it. ``best_between``
# finds that point without another product, so that a step costs one. Where clusters have scales of their own the
# columns of the membership are curved unlike; ``squared_units`` are units in which they are curved alike, if there are.

from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from partita import SoF
from partita.plots import TraceDisplay
from partita.solvers import ProjectedGradient, Solver, State, optimality


@dataclass(frozen=True)
class SpectralGradient(Solver):
    """Projected gradient with the step length of Barzilai and Borwein and an exact line search."""

    name = "spectral-gradient"
    weighs_pairs = True
    monotone = True
    precision = 1e-4
    cost = "1 product with P and O(N K^2) an iteration"
    guarantee = "objective falls monotonically; limit points are stationary"
    source = "[birgin2000], an example"
    use = "to see how a solver is written"

    longest: float = 1e3

    def start(self, problem, W):
        point = problem.evaluate(W)
        return self._state(problem, point, problem.gradient(point), 1.0)

    def step(self, problem, state):
        point, (gradient, length) = state.point, state.memory
        u = problem.squared_units(point)
        bound = problem.curvature_bound(point, u)
        for trial in (length, 1.0):
            towards = problem.descend(point, max(bound, 1e-300) / trial, u=u).W
            best = problem.best_between(point, problem.evaluate(towards))
            if best.value < point.value:
                break
        else:
            return State(point, state.optimality, state.memory, stalled=True)
        moved, after = best.W - point.W, problem.gradient(best)
        square = problem.inner(moved, moved if u is None else moved / u)
        curvature = problem.inner(moved, after - gradient)
        length = bound * square / curvature if curvature > 0 else self.longest
        return self._state(problem, best, after, float(np.clip(length, 1.0, self.longest)))

    def _state(self, problem, point, gradient, length):
        return State(point, optimality(problem, point, gradient), (gradient, length))


# %%
# Use it
# ------
# The class is registered by being there. Any objective whose factor lies on the simplex takes it.

X, species = load_iris(return_X_y=True)
solvers = {"spectral gradient": SpectralGradient(), "projected gradient": ProjectedGradient(), "the default": None}
results = {}
for name, solver in solvers.items():
    results[name] = SoF(3, solver=solver, n_init=4, max_iter=4000, tol=1e-4, random_state=0).fit(X).result_
    result = results[name]
    print(
        f"{name:20} {result.status:10} objective {result.objective:.4f} "
        f"after {result.n_products} products (best of 4 restarts)"
    )

figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for name, result in results.items():
    trace = np.asarray(result.trace)
    ax.semilogy(trace - min(r.objective for r in results.values()) + 1e-6, label=name)
ax.set(xlabel="iterations", ylabel="objective above the best found", xlim=(-2, 60))
ax.set_title("Objective by iteration, three solvers", loc="left")
ax.legend()
plt.show()

# %%
# ``TraceDisplay`` draws the trace of every restart of any solver.

TraceDisplay.from_result(results["spectral gradient"])
plt.show()

# %%
# Have it checked
# ---------------
# In the repository a solver is one file in ``src/partita/solvers`` and one import line. The contract tests run over
# the registry and find it there: factors stay feasible, relabelling the clusters relabels the answer, a stationary
# point stays, dense, sparse and low rank evidence give one answer, the objective falls if ``monotone`` says so,
# planted memberships come back to the ``precision`` stated. ``scripts/docs --contracts`` runs them on this file and
# on the next.

print("spectral-gradient" in Solver.registry)
