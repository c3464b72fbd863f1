"""Products with P, CPU seconds and optimality of every solver on six sets, SoF objective on the paper's dense affinity.

    PARTITA_DATA=... python benchmarks/solvers.py

One thread; six Dirichlet starts (three on digits and pendigits). Each start is judged against the best that any solver
reached from it, for starts end in unlike valleys; medians over the starts that got to 1.001 or 1.00001 times it, with
n/6 where not all did. Last, SoF's Algorithm 1 on glass: purity/Rand/accuracy, mean of 20 starts.
"""

from __future__ import annotations

import time
import warnings

import numpy as np
from sklearn.datasets import make_circles, make_moons

from partita import SoF, metrics
from partita.affinity import Affinity, RelativeDistance
from partita.kernels.threads import limit_threads
from partita.objectives import Problem, SoFObjective
from partita.solvers import (
    BaumEagon,
    BlockCoordinateDescent,
    ExponentiatedGradient,
    PenaltyDescent,
    ProjectedGradient,
    Solver,
    SubspaceMajorization,
)
from sets import load

PLAIN = "projected gradient, accelerated"
DEFAULT = "subspace majorization (default)"
SOLVERS: dict[str, Solver] = {
    DEFAULT: SubspaceMajorization(),
    "subspace majorization, no probes": SubspaceMajorization(probes=0),
    PLAIN: ProjectedGradient(),
    "projected gradient, no momentum": ProjectedGradient(accelerate=False),
    "block coordinate, random order": BlockCoordinateDescent(),
    "block coordinate, cyclic order": BlockCoordinateDescent(order="cyclic"),
    "exponentiated gradient": ExponentiatedGradient(),
    "Baum-Eagon, adaptive over-relaxation": BaumEagon(overrelaxation="adaptive"),
    "Baum-Eagon, as printed": BaumEagon(),
    "penalty, as printed (Algorithm 1)": PenaltyDescent(),
    "penalty, log barrier": PenaltyDescent(hinge="log-barrier"),
    "penalty, squared hinge, conjugate gradients": PenaltyDescent(hinge="squared", method="cg"),
    "penalty, squared hinge, L-BFGS": PenaltyDescent(hinge="squared", method="lbfgs"),
}
SMALL, SMALL_STARTS, SMALL_PRODUCTS = 1000, 6, 4000
LARGE_STARTS, LARGE_PRODUCTS = 3, 800
TARGETS = (1.001, 1.00001)


def cases() -> dict[str, tuple[Affinity, int]]:
    found = {}
    for key, name in (
        ("iris", "uci/iris.csv"),
        ("glass", "uci/glass.csv"),
        ("ecoli", "uci/ecoli.csv"),
        ("moons + circles", ""),
        ("digits", "sklearn:load_digits"),
        ("pendigits 3,000", "uci/pendigits.csv"),
    ):
        if name:
            X, _, k = load(name)
        else:
            moons, circles = (
                make_moons(300, noise=0.06, random_state=0),
                make_circles(300, noise=0.04, factor=0.4, random_state=0),
            )
            X, k = np.vstack([moons[0], circles[0] + [4.0, 0.0]]), 4
        if "3,000" in key:
            X = X[np.random.default_rng(0).choice(len(X), 3000, replace=False)]
        found[key] = RelativeDistance().build(np.unique(X, axis=0), n_clusters=k).affinity, k
    return found


def run(
    affinity: Affinity, k: int, solver: Solver, start_number: int, most: int
) -> list[tuple[int, float, float, float]]:
    """(products, CPU seconds, value, optimality) after each step of one start."""
    problem = Problem(affinity, SoFObjective())
    path = []
    W = np.random.default_rng(start_number).dirichlet(np.ones(k), size=affinity.n_items)
    began = time.process_time()
    state = solver.start(problem, W)
    while True:
        path.append((problem.n_products, time.process_time() - began, problem.total(state.point), state.optimality))
        if state.stalled or state.optimality < 1e-8 or problem.n_products >= most:
            return path
        state = solver.step(problem, state)


def cell(paths: list, best: list[float], target: float) -> tuple[str, float]:
    hits = [next((p for p in path if p[2] <= target * least), None) for path, least in zip(paths, best)]
    hits = [hit for hit in hits if hit is not None]
    if not hits:
        return "-", np.nan
    products, seconds = np.median([h[0] for h in hits]), np.median([h[1] for h in hits])
    short = "" if len(hits) == len(paths) else f", {len(hits)}/{len(paths)}"
    return f"{products:,.0f} ({seconds:.3f}{short})", float(products)


def main() -> None:
    warnings.simplefilter("ignore")
    tables: dict[float, dict[str, list[str]]] = {t: {name: [] for name in SOLVERS} for t in TARGETS}
    reached: dict[str, list[str]] = {name: [] for name in SOLVERS}
    ratio: dict[float, list[float]] = {t: [] for t in TARGETS}
    sets = cases()
    for affinity, k in sets.values():
        small = affinity.n_items <= SMALL
        starts, most = (SMALL_STARTS, SMALL_PRODUCTS) if small else (LARGE_STARTS, LARGE_PRODUCTS)
        paths = {name: [run(affinity, k, s, r, most) for r in range(starts)] for name, s in SOLVERS.items()}
        best = [min(p[2] for found in paths.values() for p in found[r]) for r in range(starts)]
        for name, found in paths.items():
            for target in TARGETS:
                tables[target][name].append(cell(found, best, target)[0])
            ends = [path[-1] for path in found]
            worse = np.median([end[2] / least - 1 for end, least in zip(ends, best)])
            reached[name].append(f"{np.median([e[3] for e in ends]):.0e} (+{100 * worse:.3f}%)")
        for target in TARGETS:
            ratio[target].append(cell(paths[PLAIN], best, target)[1] / cell(paths[DEFAULT], best, target)[1])
    head = "| solver | " + " | ".join(sets) + " |\n|---|" + "---|" * len(sets)
    for target, table in tables.items():
        print(f"\n#### Products (CPU seconds) to {target} x best\n\n{head}")
        for name, cells in table.items():
            print(f"| {name} | {' | '.join(cells)} |")
        each = ", ".join(f"{r:.1f}" for r in ratio[target])
        mean = np.exp(np.mean(np.log(ratio[target])))
        print(f"\n{PLAIN}: {mean:.1f} times the default's products, geometric mean ({each})")
    print(f"\n#### Optimality reached, and how far above the best objective the run ended (medians)\n\n{head}")
    for name, cells in reached.items():
        print(f"| {name} | {' | '.join(cells)} |")
    X, y, k = load("uci/glass.csv")
    print()
    for name, solver in (("Algorithm 1", PenaltyDescent()), ("default", None)):
        restarts = SoF(k, n_init=20, random_state=0, solver=solver).fit(X).result_.restarts
        three = [[f(r.labels, y) for f in (metrics.purity, metrics.rand_index, metrics.accuracy)] for r in restarts]
        products = np.median([r.n_products for r in restarts])
        print(f"glass, {name}: {'/'.join(f'{v:.3f}' for v in np.mean(three, axis=0))}, median products {products:,.0f}")


if __name__ == "__main__":
    with limit_threads(1):
        main()
