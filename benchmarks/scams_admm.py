"""SCAMS by ADMM: the plain form with a full eigendecomposition every iteration, beside `scams_admm`, in the same run.

    OMP_NUM_THREADS=1 python benchmarks/scams_admm.py [--sizes 1000 2000] [--runs 1] [--crossover]

"plain": Algorithm 1 as one writes it down in NumPy, `numpy.linalg.eigh` of the whole matrix, with the default settings
and the same stop. "exact": `ADMM(warm=False)`, LAPACK's bisection for what passes the threshold. "warm": the default.
Seconds are the least of --runs; iterations "exact + warm" say how the default found its eigenpairs; "factor" is
`boolean_factorization` of the pattern. "same": whether patterns, and labels, are those of the plain form.

Affinities: blocks with noise; least-squares representation (ridge self-representation, squared) of unit vectors on
subspaces of dimension 2 to 10 in 50 dimensions with noise of norm .3. Ten clusters each.

--crossover: seconds per iteration of exact and warm search, by N, where `WARM_FROM` was read off.
"""

from __future__ import annotations

import argparse

import numpy as np

from partita.metrics import adjusted_rand_index
from partita.scams import ADMM, ADMMResult, boolean_factorization, eigenpairs, partition_objective, scams_admm
from timing import timed

N_CLUSTERS = 10


def blocks(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Normal noise of .2 around .6 within and 0 between clusters, clipped at zero."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) * N_CLUSTERS // n
    A = np.where(truth[:, None] == truth, 0.6, 0.0) + 0.2 * rng.normal(size=(n, n))
    A = np.triu(np.maximum(A, 0.0), 1)
    return A + A.T, truth


def representation(n: int, seed: int = 0, noise: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    """|C|^2, C = (X X^T + .1 I)^-1 X X^T without its diagonal, of points on subspaces."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) * N_CLUSTERS // n
    X = np.empty((n, 50))
    for k in range(N_CLUSTERS):
        own = truth == k
        basis = np.linalg.qr(rng.normal(size=(50, 2 + 2 * (k % 5))))[0]
        points = rng.normal(size=(own.sum(), basis.shape[1])) @ basis.T
        error = rng.normal(size=points.shape)
        unit = [Z / np.linalg.norm(Z, axis=1, keepdims=True) for Z in (points, error)]
        X[own] = unit[0] + noise * unit[1]
    gram = X @ X.T
    C = np.linalg.solve(gram + 0.1 * np.eye(n), gram)
    A = ((C + C.T) / 2) ** 2
    np.fill_diagonal(A, 0.0)
    return A, truth


CASES = {"blocks": blocks, "representation": representation}


def plain(A: np.ndarray, settings: ADMM) -> tuple[np.ndarray, int]:
    """Algorithm 1 in NumPy: the pattern H > .5 and the number of iterations."""
    A = settings.prepare(A)
    N, mu, gamma = len(A), settings.mu0, settings.price(len(A))
    H, Y, pattern, unchanged, n = np.zeros((N, N)), np.zeros((N, N)), np.zeros((N, N), dtype=bool), 0, 0
    while unchanged < settings.patience:
        v, Q = np.linalg.eigh(H - mu * (Y - A))
        v = np.where((v > 0) & (v**2 > 2 * mu * settings.lam), v, 0.0)
        G = (Q * v) @ Q.T
        G = (G + G.T) / 2
        M = G + mu * Y
        price = 2 * mu * gamma
        above = np.where(price < 2 * M - 1, 1.0, 0.0)
        H = np.where(M > 1, above, np.where((M >= 0) & (price < M**2), M, 0.0))
        np.fill_diagonal(H, 1.0)
        Y = Y + (G - H) / mu
        mu = max(mu / settings.rho, settings.mu_min)
        new = H > 0.5
        unchanged = unchanged + 1 if v.any() and (new == pattern).all() else 0
        pattern, n = new, n + 1
        if np.abs(G - H).max() <= settings.tol:
            break
    return pattern, n


def compare(sizes: list[int], runs: int) -> None:
    columns = "affinity, N, iterations, plain s, exact s, warm s, plain / warm, exact + warm, factor s, same, ARI, J"
    print("| " + columns.replace(", ", " | ") + " |\n" + "|---" * 12 + "|")
    for name, make in CASES.items():
        for n in sizes:
            A, truth = make(n)
            seconds: dict[str, list[float]] = {"warm": [], "exact": [], "plain": []}
            results: dict[str, ADMMResult] = {}
            for _ in range(runs):
                for title, settings in (("warm", ADMM()), ("exact", ADMM(warm=False))):
                    took, results[title] = timed(lambda: scams_admm(A, settings))
                    seconds[title].append(took)
                took, (pattern, iterations) = timed(lambda: plain(A, ADMM()))
                seconds["plain"].append(took)
            result = results["warm"]
            factoring, found = timed(lambda: boolean_factorization(result.pattern, A))
            expected = boolean_factorization(pattern, A)
            same = (result.pattern == pattern).all(), (found.labels == expected.labels).all()
            least = {title: min(values) for title, values in seconds.items()}
            J = partition_objective(found.labels, ADMM().prepare(A), result.gamma, result.lam)
            print(
                f"| {name} | {n:,} | {result.n_iter} / {iterations} | {least['plain']:.1f} | {least['exact']:.1f} | "
                f"{least['warm']:.1f} | {least['plain'] / least['warm']:.1f} | {result.n_exact} + {result.n_partial} | "
                f"{factoring:.1f} | {' / '.join('yes' if s else 'no' for s in same)} | "
                f"{adjusted_rand_index(found.labels, truth):.3f} | {J:.2f} |",
                flush=True,
            )


def crossover() -> None:
    print("| affinity | N | exact ms | warm ms |\n|---|---|---|---|")
    eigenpairs.WARM_FROM = 0
    for name, make in CASES.items():
        for n in (100, 200, 300, 400, 500, 700, 1000):
            A, _ = make(n)
            row = []
            for warm in (False, True):
                runs = [timed(lambda: scams_admm(A, ADMM(warm=warm))) for _ in range(3)]
                row.append(min(took / result.n_iter for took, result in runs))
            print(f"| {name} | {n:,} | {1e3 * row[0]:.1f} | {1e3 * row[1]:.1f} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 2000])
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--crossover", action="store_true")
    options = parser.parse_args()
    if options.crossover:
        crossover()
    else:
        compare(options.sizes, options.runs)
