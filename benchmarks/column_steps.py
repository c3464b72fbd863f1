"""Steps of one length for all columns of the membership against steps of their own, where clusters have own scales.

    PARTITA_DATA=... python benchmarks/column_steps.py [set ...]

`SoftClustering`'s objective on the diffused graph at the true K, from the spectral start and from three random ones:
products with P until the default tolerance, the objective there as a share of ||P||^2, and how far the membership is
from where many more steps take it (root mean square over items).
"""

from __future__ import annotations

import sys

import numpy as np

from partita.affinity import DiffusedAffinity, NeighborGraph
from partita.affinity.normalise import normalise
from partita.objectives import PerClusterObjective, Point, Problem, curvature
from partita.solvers import ProjectedGradient, Starts
from sets import REAL, development, load

TOLERANCE, EXACT = 1e-4, 1e-7
RANDOM = 3
WAYS = {"one length": 0.0, "own lengths": curvature.COUPLED, "own, however much they overlap": np.inf}
# A thousandth of the objective is another valley.
OTHER = 1e-3


def ended(problem: Problem, W: np.ndarray, tolerance: float) -> tuple[int, Point]:
    """Products taken, and where the run stopped."""
    solver, before = ProjectedGradient(), problem.n_products
    state = solver.start(problem, W)
    for _ in range(1000):
        if state.optimality <= tolerance or state.stalled:
            break
        state = solver.step(problem, state)
    return problem.n_products - before, state.point


def main(names: list[str]) -> None:
    rows: dict[str, list[list[tuple[float, float, float]]]] = {"spectral": [], "random": []}
    print("| set | items | K | " + " | ".join(f"{way}: products | distance" for way in WAYS) + " |")
    print("|---" * (3 + 2 * len(WAYS)) + "|")
    for name in names:
        X, _, K = load(name)
        S = normalise(NeighborGraph().build(X, n_clusters=K).affinity).affinity
        problem, starts = Problem(DiffusedAffinity(S, 4), PerClusterObjective()), Starts(S, K)
        for kind, seeds in (("spectral", 1), ("random", RANDOM)):
            for seed in range(seeds):
                start = "spectral" if kind == "spectral" else "dirichlet"
                W = starts.make(start, 0, np.random.default_rng(seed))
                found = []
                for allowed in WAYS.values():
                    curvature.COUPLED = allowed
                    products, point = ended(problem, W, TOLERANCE)
                    curvature.COUPLED = WAYS["own lengths"]
                    exact = ended(problem, point.W, EXACT)[1].W if kind == "spectral" else point.W
                    apart = float(np.sqrt(((point.W - exact) ** 2).sum() / len(exact)))
                    found.append((products, problem.total(point) / problem.squared_norm, apart))
                rows[kind].append(found)
        told = " | ".join(f"{products} | {apart:.1e}" for products, _, apart in rows["spectral"][-1])
        print(f"| {name} | {len(X):,} | {K} | {told} |", flush=True)
    for kind, found in rows.items():
        each = np.array(found)  # runs x ways x (products, objective, distance)
        print(f"\n{len(each)} fits from {kind} starts:")
        for w, way in enumerate(WAYS):
            ratio = np.exp(np.mean(np.log(each[:, w, 0] / each[:, 0, 0])))
            higher, lower = ((sign * (each[:, w, 1] / each[:, 0, 1] - 1) > OTHER).sum() for sign in (1, -1))
            print(
                f"- {way}: {ratio:.2f} times the products, objective {each[:, w, 1].mean():.5f}, higher in {higher}, "
                f"lower in {lower}",
                end="",
            )
            apart = each[:, w, 2]
            print(f"; distance {np.median(apart):.1e}, at most {apart.max():.1e}" if kind == "spectral" else "")


if __name__ == "__main__":
    main(sys.argv[1:] or [*dict.fromkeys([*development(), *REAL])])
