"""Affinities of items near subspaces: what they are worth, what the choices in them are worth, and what they cost.

    PARTITA_DATA=... OMP_NUM_THREADS=1 python benchmarks/subspace.py [quality|motions|faces|solvers|pursuit] [SEEDS]

Without a name, all of them. Of each affinity: the adjusted Rand index of scikit-learn's spectral clustering given the
true number of groups; `share`, how much of the affinity between different items lies within groups; `pieces`, the most
connected components that a true group falls into; `join`, the second smallest eigenvalue of the normalised Laplacian of
the worst connected group (0: it falls apart); seconds of the affinity on one thread. Means over SEEDS (3), the worst of
`pieces` and `join`.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import SpectralClustering
from sklearn.linear_model import ElasticNet, lars_path_gram, orthogonal_mp, orthogonal_mp_gram
from sklearn.linear_model import Lasso as ScikitLasso

from partita.affinity import Builder, LowRankRepresentation, MatchingPursuit, SparseSubspace
from partita.affinity.from_subspace.codes import unit_rows
from partita.affinity.from_subspace.lasso import Lasso
from partita.affinity.from_subspace.pursuit import pursuit
from partita.kernels.threads import limit_threads
from partita.metrics import adjusted_rand_index
from subspaces import faces, group_test, motions, noise_test
from timing import timed

# As [elhamifar2013] has it.
PLAIN = SparseSubspace(alpha=20.0, ridge=0.0, per_item=False)
BUILDERS: dict[str, Builder] = {
    "ssc": SparseSubspace(),
    "ssc alpha=6": SparseSubspace(alpha=6.0),
    "ssc ridge=1": SparseSubspace(ridge=1.0),
    "ssc ridge=20": SparseSubspace(ridge=20.0),
    "ssc low-rank": SparseSubspace(coordinates="low-rank"),
    "ssc low-rank alpha=3": SparseSubspace(coordinates="low-rank", alpha=3.0),
    "ssc power=2": SparseSubspace(power=2.0),
    "ssc keep=.7": SparseSubspace(keep=0.7),
    "ssc outliers=20": SparseSubspace(outliers=20.0),
    "ssc affine": SparseSubspace(affine=True),
    "ssc no ridge": PLAIN,
    "ssc no ridge, each its own": SparseSubspace(alpha=20.0, ridge=0.0),
    "ssc no ridge, alpha=800": replace(PLAIN, alpha=800.0),
    "ssc no ridge, power=2": replace(PLAIN, power=2.0),
    "ssc no ridge, affine": replace(PLAIN, affine=True),
    "ssc-omp": MatchingPursuit(),
    "ssc-omp 5 atoms": MatchingPursuit(n_atoms=5),
    "lrr": LowRankRepresentation(),
    "lrr 20 neighbors": LowRankRepresentation(n_neighbors=20),
    "lrr all pairs": LowRankRepresentation(n_neighbors=None),
    "lrr all pairs alpha=4": LowRankRepresentation(n_neighbors=None, alpha=4),
    "lrr tau=10": LowRankRepresentation(price=10.0),
    "lrr outliers": LowRankRepresentation(errors="outliers"),
    "lrr none": LowRankRepresentation(errors="none"),
    "lrr coefficients": LowRankRepresentation(weights="coefficients"),
}
# Every so many sequences of Hopkins 155.
SEQUENCES = slice(3, None, 15)

Items = tuple[NDArray[np.float64], NDArray[np.int64]]
Figures = tuple[float, float, float, float, float]


def figures(builder: Builder, X: NDArray[np.float64], truth: NDArray[np.int64]) -> Figures:
    """Adjusted Rand index, share, pieces, join, seconds."""
    K = len(np.unique(truth))
    seconds, evidence = timed(lambda: builder.build(X, n_clusters=K))
    P = np.array(evidence.affinity.to_dense())
    np.fill_diagonal(P, 0.0)
    same = truth[:, None] == truth
    groups = [P[np.ix_(truth == k, truth == k)] for k in np.unique(truth)]
    pieces = max(int(connected_components(sp.csr_array(block > 0))[0]) for block in groups)
    found = np.nan
    if K > 1:
        spectral = SpectralClustering(K, affinity="precomputed", random_state=0)
        found = adjusted_rand_index(spectral.fit(P + 1e-9).labels_, truth)
    return found, float(P[same].sum() / P.sum()), float(pieces), min(map(join, groups)), seconds


def join(block: NDArray[np.float64]) -> float:
    """Algebraic connectivity of a group."""
    degrees = block.sum(axis=1)
    degrees[degrees == 0] = 1.0
    S = block / np.sqrt(degrees[:, None] * degrees)
    return float(1.0 - np.linalg.eigvalsh(S)[-2]) if len(S) > 1 else 1.0


def table(sets: list[tuple[str, Callable[[int], Items]]], seeds: int) -> None:
    print("| affinity | " + " | ".join(name for name, _ in sets) + " | mean | seconds |")
    print("|---" * (len(sets) + 3) + "|", flush=True)
    for name, builder in BUILDERS.items():
        cells, scores, took = [], [], 0.0
        for _, items in sets:
            rows = np.array([figures(builder, *items(seed)) for seed in range(seeds)])
            score = rows[:, 0].mean()
            scores.append(score)
            cells.append(f"{score:.3f} {rows[:, 1].mean():.2f} {rows[:, 2].max():.0f} {rows[:, 3].min():.3f}")
            took = max(took, float(rows[:, 4].min()))
        print(f"| {name} | " + " | ".join(cells) + f" | {np.nanmean(scores):.3f} | {took:.2f} |", flush=True)


def quality(seeds: int) -> None:
    print("\n#### Noise (section 5.1.1): adjusted Rand, share, pieces, join\n")
    levels = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
    table([(f"{r:g}", lambda seed, r=r: noise_test(r, np.random.default_rng(seed))) for r in levels], seeds)
    print("\n#### Number of groups (section 5.1.2)\n")
    counts = (1, 2, 3, 4, 6, 8, 9, 10, 11, 12)
    table([(str(k), lambda seed, k=k: group_test(k, np.random.default_rng(seed))) for k in counts], seeds)


def motion(_: int) -> None:
    print("\n#### Hopkins 155, every 15th sequence\n")
    chosen = list(motions())[SEQUENCES]
    table([(f"{name} {len(X)}", lambda _, X=X, y=y: (X, y)) for name, X, y in chosen], 1)


def face(seeds: int) -> None:
    print("\n#### Extended Yale B, 30 principal directions, of the images as they are and of those less their mean\n")
    sets: list[tuple[str, Callable[[int], Items]]] = [
        (f"{k}{', centred' * c}", lambda seed, k=k, c=c: faces(k, np.random.default_rng(seed), centred=c))
        for c in (False, True)
        for k in (5, 10)
    ]
    table(sets, seeds)


def solvers(_: int) -> None:
    """The codes of all items: this ADMM with its exact last step, and scikit-learn one item at a time."""
    print("\n#### 600 problems, K = 12: seconds, excess of the objective, largest error of a code\n")
    print("| alpha, ridge | solver | seconds | excess | error |\n|---|---|---|---|---|", flush=True)
    X = unit_rows(group_test(12, np.random.default_rng(0))[0])
    n, G = len(X), X @ X.T
    sample = range(0, n, 12)
    for alpha, ridge in ((20.0, 0.0), (800.0, 0.0), (10.0, 5.0)):
        tau = np.abs(G - np.eye(n)).max(axis=1).min() / alpha
        seconds, found = timed(lambda tau=tau, r=ridge: Lasso(X, ridge=r).codes(X, np.full(n, tau), np.arange(n)))
        C = found.matrix.toarray()
        print(f"| {alpha:g}, {ridge:g} | ADMM, exact last step | {seconds:.2f} | 0 | 0 |", flush=True)
        kind = "ElasticNet" if ridge else "Lasso"
        ways: dict[str, Callable[[int, NDArray[np.intp]], NDArray[np.float64]]] = {
            f"{kind}(precompute=Gram), tol 1e-4": lambda i, o, t=tau, r=ridge: scikit(X, G, i, o, t, r, 1e-4),
            f"{kind}(precompute=Gram), tol 1e-8": lambda i, o, t=tau, r=ridge: scikit(X, G, i, o, t, r, 1e-8),
        }
        if not ridge:
            ways["lars_path_gram"] = lambda i, o, t=tau: lars_path_gram(
                G[o, i],
                G[np.ix_(o, o)],
                n_samples=X.shape[1],
                alpha_min=t / X.shape[1],
                method="lasso",
                return_path=False,
            )[2]
        for name, way in ways.items():
            total, excess, error = 0.0, 0.0, 0.0
            for i in sample:
                others = np.delete(np.arange(n), i)
                took, part = timed(lambda i=i, others=others, way=way: way(i, others))
                code = np.zeros(n)
                code[others] = part
                values = [
                    0.5 * np.sum((X[i] - c @ X) ** 2) + tau * (np.abs(c).sum() + ridge / 2 * c @ c)
                    for c in (code, C[i])
                ]
                total, excess = total + took, max(excess, values[0] - values[1])
                error = max(error, float(np.abs(code - C[i]).max()))
            took = total * n / len(sample)
            print(f"| {alpha:g}, {ridge:g} | {name} | {took:.1f} | {excess:.1e} | {error:.1e} |", flush=True)


def scikit(
    X: NDArray[np.float64],
    G: NDArray[np.float64],
    i: int,
    others: NDArray[np.intp],
    tau: float,
    ridge: float,
    tol: float,
) -> NDArray[np.float64]:
    gram, d = np.ascontiguousarray(G[np.ix_(others, others)]), X.shape[1]
    options = {"fit_intercept": False, "precompute": gram, "tol": tol, "max_iter": 100_000}
    if ridge:
        model = ElasticNet(alpha=tau * (1 + ridge) / d, l1_ratio=1 / (1 + ridge), **options)
    else:
        model = ScikitLasso(alpha=tau / d, **options)
    return np.asarray(model.fit(np.asfortranarray(X[others].T), X[i]).coef_)


def matching(_: int) -> None:
    """Matching pursuit of all items over all others: blocks here, scikit-learn one item at a time."""
    print("\n#### Matching pursuit, 10 atoms: seconds\n")
    print("| items | blocks | orthogonal_mp | orthogonal_mp_gram |\n|---|---|---|---|", flush=True)
    rng = np.random.default_rng(0)
    for n in (600, 2000, 10_000, 40_000):
        X = unit_rows(np.concatenate([rng.normal(size=(n // 10, 6)) @ rng.normal(size=(6, 50)) for _ in range(10)]))
        X = unit_rows(X + 0.03 * rng.normal(size=X.shape))
        ours = timed(lambda X=X, n=n: pursuit(X, X, np.arange(n), 10, 1e-3))[0]
        sample = range(0, n, n // 20)

        def alone(i: int, X: NDArray[np.float64] = X) -> object:
            others = X.T.copy()
            others[:, i] = 0.0
            return orthogonal_mp(others, X[i], n_nonzero_coefs=10)

        def by_gram(i: int, G: NDArray[np.float64], X: NDArray[np.float64] = X) -> object:
            others = np.delete(np.arange(len(X)), i)
            return orthogonal_mp_gram(G[np.ix_(others, others)], G[others, i], n_nonzero_coefs=10)

        one = timed(lambda: [alone(i) for i in sample])[0] * n / len(sample)
        gram = "-"
        if n <= 2000:
            G = X @ X.T
            gram = f"{timed(lambda G=G: [by_gram(i, G) for i in sample])[0] * n / len(sample):.1f}"
        print(f"| {n:,} | {ours:.2f} | {one:.1f} | {gram} |", flush=True)


PARTS: dict[str, Callable[[int], None]] = {
    "quality": quality,
    "motions": motion,
    "faces": face,
    "solvers": solvers,
    "pursuit": matching,
}


def main(arguments: Iterable[str]) -> None:
    given = list(arguments)
    seeds = next((int(word) for word in given if word.isdigit()), 3)
    names = [word for word in given if not word.isdigit()] or list(PARTS)
    warnings.simplefilter("ignore")
    with limit_threads(1):
        for name in names:
            PARTS[name](seeds)


if __name__ == "__main__":
    main(sys.argv[1:])
