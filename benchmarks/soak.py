"""Does memory grow? Mixed fits in one process: resident size after each few, and what a fit adds at the end.

    python benchmarks/soak.py [--fits 200] [--every 20] [--most 2000]

Every estimator in turn on dense features, sparse graphs, matrices and draws of 50 to 2,000 items, with predictions, and
every third model saved and loaded. The first third warms up: compiled code, pools of threads, arenas of the allocator.
The slope is the least-squares line through the rest.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from partita import (
    SCAMS,
    BaumEagon,
    BayesianPartition,
    CopositiveFactorization,
    DPGaussianMixture,
    SoF,
    SoftClustering,
    SymNMF,
    load,
    save,
)
from partita.estimators import KernelKMeans, SpectralRelaxation


def resident() -> int:
    """Bytes that the process has in memory now."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("the system does not tell")


def blobs(rng, n, d=4, K=4):
    return rng.normal(size=(n, d)) + 8 * rng.normal(size=(K, d))[rng.integers(0, K, n)]


def graph(rng, n):
    """A sparse affinity: two dense blocks' worth of random pairs, eight an item."""
    half = n // 2
    i = rng.integers(0, n, 8 * n)
    j = np.where(rng.random(8 * n) < 0.9, i // half * half + rng.integers(0, half, 8 * n), rng.integers(0, n, 8 * n))
    keep = (i != j) & (j < n)
    A = sp.coo_array((rng.random(keep.sum()), (i[keep], j[keep])), shape=(n, n))
    return sp.csr_array(A.maximum(A.T) + sp.eye_array(n))


def draws(rng, n, m=200, K=5):
    truth = rng.integers(0, K, n)
    return np.where(rng.random((m, n)) < 0.1, rng.integers(0, K, (m, n)), truth)


def works(rng, n, home):
    """What is done in turn, by name; each leaves nothing behind."""
    few = min(n, 400)

    def scored(estimator, X, new):
        estimator.fit(X)
        estimator.predict_proba(new)
        if rng.random() < 1 / 3:
            folder = Path(tempfile.mkdtemp(dir=home)) / "model"
            save(estimator, folder)
            load(folder).predict(new)

    def features(make):
        def work():
            X = blobs(rng, n)
            scored(make(), X, X[: n // 4] + 0.01)

        return work

    def matrix(make):
        def work():
            X = blobs(rng, few)
            P = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / 8)
            scored(make(), P, P[:10])

        return work

    def sparse(make):
        def work():
            P = graph(rng, n)
            scored(make(), P, P[:10])

        return work

    def partition(loss):
        def work():
            model = BayesianPartition(loss, random_state=0, n_init=2).fit(draws(rng, n))
            _ = model.credible_ball().radius
            _ = model.membership_.sum() if n <= 500 else None

        return work

    def mixture():
        X = blobs(rng, min(n, 300), d=2)
        model = DPGaussianMixture(n_draws=40, burn_in=40, n_chains=2, random_state=0).fit(X)
        model.score_samples(X[:20])

    once = {"random_state": 0, "n_init": 1}
    return {
        "soft": features(lambda: SoftClustering(4, random_state=0, affinity="neighbors", probabilities="fitted")),
        "sof": features(lambda: SoF(4, **once)),
        "symnmf sparse": sparse(lambda: SymNMF(2, affinity="precomputed", max_iter=200, **once)),
        "draws vi": partition("vi"),
        "soft neighbors": features(
            lambda: SoftClustering(4, affinity="neighbors", probabilities="fitted", random_state=0)
        ),
        "copositive": matrix(lambda: CopositiveFactorization(4, affinity="precomputed", max_iter=200, **once)),
        "mixture": mixture,
        "soft sparse": sparse(
            lambda: SoftClustering(2, affinity="precomputed", probabilities="fitted", random_state=0)
        ),
        "baum-eagon": matrix(lambda: BaumEagon(4, affinity="precomputed", max_iter=200, **once)),
        "draws binder": partition("binder"),
        "scams": matrix(lambda: SCAMS(4, affinity="precomputed", random_state=0)),
        "kernel k-means": features(lambda: KernelKMeans(4, **once)),
        "spectral": features(lambda: SpectralRelaxation(4, random_state=0)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fits", type=int, default=200)
    parser.add_argument("--every", type=int, default=20)
    parser.add_argument("--most", type=int, default=2000)
    parser.add_argument("--only", default="", help="one kind of work alone, by name")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    sizes: list[tuple[int, int]] = []
    spent: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as home:
        for at in range(options.fits):
            n = int(np.exp(rng.uniform(np.log(50), np.log(options.most))))
            todo = works(rng, n, home)
            name = options.only or list(todo)[at % len(todo)]
            began = time.perf_counter()
            todo[name]()
            spent[name] = spent.get(name, 0.0) + time.perf_counter() - began
            del todo
            if (at + 1) % options.every == 0:
                gc.collect()
                sizes.append((at + 1, resident()))
                print(
                    f"{at + 1:5d} fits  {sizes[-1][1] / 1e6:8.1f} MB resident, {len(gc.get_objects()):,} objects",
                    flush=True,
                )
    steady = [(count, size) for count, size in sizes if count > options.fits / 3]
    if len(steady) > 1:
        count, size = np.array(steady, dtype=float).T
        slope, covariance = np.polyfit(count, size, 1, cov=len(steady) > 3 or "unscaled")
        error = f" (standard error {np.sqrt(covariance[0, 0]) / 1e3:.1f})" if len(steady) > 3 else ""
        print(f"slope after the first third: {slope[0] / 1e3:+.1f} kB a fit{error}")
        halves = [max(part) / 1e6 for part in np.array_split([each for _, each in sizes], 2)]
        print(f"largest in the first half {halves[0]:.1f} MB, in the second {halves[1]:.1f} MB")
    print("seconds:", ", ".join(f"{name} {seconds:.1f}" for name, seconds in spent.items()))


if __name__ == "__main__":
    main()
