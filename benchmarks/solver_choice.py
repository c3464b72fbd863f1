"""Where the default solver changes: CPU seconds of the two candidates against what a product with P costs.

    PARTITA_DATA=... python benchmarks/solver_choice.py

One thread, three Dirichlet starts, medians, to the default tolerance. The cost of a product is in multiplications a row
and column, in units of K; a ratio above one says that subspace majorization is the faster.
"""

from __future__ import annotations

import time

import numpy as np

from partita.affinity import Affinity, DiffusedAffinity, NeighborGraph, RelativeDistance, normalise
from partita.kernels.threads import limit_threads
from partita.objectives import Objective, PerClusterObjective, Problem, SoFObjective
from partita.solvers import ProjectedGradient, Solver, SubspaceMajorization, default_solver
from sets import load

STARTS = 3
TOLERANCE = 1e-4


def run(P: Affinity, objective: Objective, k: int, solver: Solver) -> tuple[float, float]:
    """Median CPU seconds and products of a start."""
    found = []
    for s in range(STARTS):
        problem = Problem(P, objective)
        W = np.random.default_rng(s).dirichlet(np.ones(k), size=P.n_items)
        began = time.process_time()
        state = solver.start(problem, W)
        for _ in range(1000):
            if state.stalled or state.optimality <= TOLERANCE:
                break
            state = solver.step(problem, state)
        found.append((time.process_time() - began, problem.n_products / P.products))
    seconds, products = np.median(found, axis=0)
    return float(seconds), float(products)


def row(name: str, P: Affinity, objective: Objective, k: int) -> None:
    plain, ours = (run(P, objective, k, solver) for solver in (ProjectedGradient(), SubspaceMajorization()))
    cost = P.multiplications / P.n_items / k
    print(
        f"| {name} | {P.n_items:,} | {cost:.0f} | {plain[0]:.2f} ({plain[1]:.0f}) | {ours[0]:.2f} ({ours[1]:.0f}) "
        f"| {plain[0] / ours[0]:.2f} | {default_solver(P, k).name} |",
        flush=True,
    )


def main() -> None:
    print("| evidence | N | cost | projected gradient s (products) | subspace s (products) | ratio | default |")
    print("|---|---|---|---|---|---|---|")
    for name in ("uci/pendigits.csv", "uci/satimage_train.csv"):
        X, _, k = load(name)
        order = np.random.default_rng(0).permutation(len(X))
        for n in (300, 1000, 2000, 4000):
            P = RelativeDistance().build(np.unique(X[order[:n]], axis=0), n_clusters=k).affinity
            row(f"{name}, dense", P, SoFObjective(), k)
        sample = np.unique(X[order[:4000]], axis=0)
        for steps, neighbors in ((4, 10), (16, 10), (64, 10), (16, 50)):
            graph = NeighborGraph(n_neighbors=neighbors).build(sample, n_clusters=k).affinity
            P = DiffusedAffinity(normalise(graph, "symmetric").affinity, steps)
            row(f"{name}, {neighbors} neighbours, t = {steps}", P, PerClusterObjective(), k)


if __name__ == "__main__":
    with limit_threads(1):
        main()
