"""Products with P and CPU seconds to 1.001 x the best objective for every solver, SoF objective, two sets.

    PARTITA_DATA=... python benchmarks/solvers.py

Six Dirichlet starts, one thread; medians over the starts that got there, n/6 where not all did. Last, SoF's Algorithm 1
on glass: purity/Rand/accuracy, mean of 20 starts.
"""

from __future__ import annotations

import time
import warnings

import numpy as np

from partita import SoF, metrics
from partita.affinity import RelativeDistance
from partita.objectives import Problem, SoFObjective
from partita.solvers import (
    BaumEagon,
    BlockCoordinateDescent,
    ExponentiatedGradient,
    PenaltyDescent,
    ProjectedGradient,
)
from sets import load

SOLVERS = {
    "projected-gradient (default)": ProjectedGradient(),
    "block-coordinate, random order": BlockCoordinateDescent(),
    "block-coordinate, cyclic order": BlockCoordinateDescent(order="cyclic"),
    "exponentiated-gradient": ExponentiatedGradient(),
    "baum-eagon, adaptive over-relaxation": BaumEagon(overrelaxation="adaptive"),
    "baum-eagon, as printed": BaumEagon(),
    "penalty, as printed (Algorithm 1)": PenaltyDescent(),
    "penalty, squared hinge, L-BFGS": PenaltyDescent(hinge="squared", method="lbfgs"),
}
STARTS = 6


def run(affinity, k, solver, start_number):
    """(products, CPU seconds, value) after each step of one start."""
    problem = Problem(affinity, SoFObjective())
    path = []
    W = np.random.default_rng(start_number).dirichlet(np.ones(k), size=affinity.n_items)
    began = time.process_time()
    state = solver.start(problem, W)
    for _ in range(6000):
        path.append((problem.n_products, time.process_time() - began, problem.total(state.point)))
        if state.stalled or state.optimality < 1e-7:
            break
        state = solver.step(problem, state)
    return path


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    table: dict[str, list[str]] = {name: [] for name in SOLVERS}
    for set_name in ("uci/iris.csv", "uci/glass.csv"):
        X, _, k = load(set_name)
        affinity = RelativeDistance().build(np.unique(X, axis=0), n_clusters=k).affinity
        paths = {name: [run(affinity, k, solver, s) for s in range(STARTS)] for name, solver in SOLVERS.items()}
        # Each start is judged against the best that any solver reached from it: starts end in unlike valleys.
        best = [min(value for found in paths.values() for _, _, value in found[s]) for s in range(STARTS)]
        for name, found in paths.items():
            hits = [next((p for p in path if p[2] <= 1.001 * best[s]), None) for s, path in enumerate(found)]
            hits = [hit for hit in hits if hit is not None]
            cell = f"{np.median([h[0] for h in hits]):,.0f} ({np.median([h[1] for h in hits]):.3f})" if hits else "-"
            table[name].append(cell + ("" if len(hits) == STARTS else f", {len(hits)}/{STARTS}"))
    print("| solver | iris | glass |\n|---|---|---|")
    for name, cells in table.items():
        print(f"| {name} | {' | '.join(cells)} |")
    X, y, k = load("uci/glass.csv")
    for name, solver in (("Algorithm 1", PenaltyDescent()), ("default", None)):
        restarts = SoF(k, n_init=20, random_state=0, solver=solver).fit(X).result_.restarts
        three = [[f(r.labels, y) for f in (metrics.purity, metrics.rand_index, metrics.accuracy)] for r in restarts]
        products = np.median([r.n_products for r in restarts])
        print(f"glass, {name}: {'/'.join(f'{v:.3f}' for v in np.mean(three, axis=0))}, median products {products:,.0f}")
