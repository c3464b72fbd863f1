"""A million items on two cores: products, growth, the whole fit, a peer, cold starts, several processes.

    PARTITA_DATA=... python benchmarks/scale.py [product growth fit spectral draws dask start ...]

Each part runs in processes of its own, so that peak memory is its own; ratios are within one run. Least of several
runs unless said otherwise. The machine is named at the top. `growth` draws docs/pictures/growth.png.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from partita import SoftClustering, SpectralRelaxation
from partita.affinity import NeighborGraph, SparseAffinity
from partita.kernels.aligned import aligned_empty
from partita.kernels.threads import available_cores, limit_threads
from partita.metrics import accuracy, adjusted_rand_index
from partita.plots.palette import cluster_colors
from sets import anisotropic_blobs, load
from timing import least, timed

K = 20
DIMENSIONS = 8
NEIGHBORS = 15


def gigabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def graph_of(n: int) -> SparseAffinity:
    """The normalised graph of n blob items, in the order that a fit gives them."""
    from partita.affinity.normalise import normalise
    from partita.estimators.items import merge_identical

    items = merge_identical(anisotropic_blobs(n, DIMENSIONS, K, 0)[0])
    evidence = NeighborGraph(n_neighbors=NEIGHBORS).build(items.features, n_clusters=K)
    normalised = normalise(evidence.affinity).affinity
    assert isinstance(normalised, SparseAffinity)
    return normalised


# One product ------------------------------------------------------------------------------------------------


def parallel_copy(arrays: list[np.ndarray], into: list[np.ndarray], pool: ThreadPoolExecutor, pieces: int = 16) -> None:
    """A plain copy of the arrays by as many threads as there are cores."""

    def copy(source: np.ndarray, target: np.ndarray, low: int, high: int) -> None:
        target[low:high] = source[low:high]

    work = [
        pool.submit(copy, source, target, p * len(source) // pieces, (p + 1) * len(source) // pieces)
        for source, target in zip(arrays, into)
        for p in range(pieces)
    ]
    for future in work:
        future.result()


def product(n: int) -> None:
    """P @ W against a copy of what it reads and writes, in the order of a fit, shuffled, and by SciPy.

    Like the copy, the product is written into memory that is there, as all but the first two of a diffused affinity
    are; `fresh` is a product with a result of its own. W begins at a cache line, as the arrays of a fit do.
    """
    P = graph_of(n)
    matrix, rng = P.matrix, np.random.default_rng(0)
    W = aligned_empty((n, K))
    W[:] = rng.random((n, K))
    spare = P @ W
    moved = [matrix.data, matrix.indices, W, np.empty_like(W)]
    moved[-1][:] = 0.0
    into = [np.empty_like(array) for array in moved]
    shuffle = rng.permutation(n)
    shuffled = SparseAffinity(matrix[shuffle][:, shuffle])
    with limit_threads(available_cores()), ThreadPoolExecutor(available_cores()) as pool:
        for _ in range(3):  # in turns, so that a busy minute of the machine hits both
            rows = {
                "copy": least(lambda: parallel_copy(moved, into, pool)),
                "product": least(lambda: P.product(W, spare)),
                "fresh": least(lambda: P @ W),
                "shuffled": least(lambda: shuffled @ W, 3),
                "SciPy": least(lambda: matrix @ W, 2),
            }
            print(
                f"| {n:,} | {matrix.nnz:,} | {matrix.data.dtype} | "
                + " | ".join(f"{rows[name] * 1e3:.0f}" for name in rows)
                + f" | {rows['product'] / rows['copy']:.2f} |"
            )


# Growth -----------------------------------------------------------------------------------------------------


def growth(n: int) -> None:
    """Seconds per iteration of the default solver on the diffused graph, and of one product."""
    from partita.affinity import DiffusedAffinity
    from partita.objectives import PerClusterObjective, Problem
    from partita.solvers import ProjectedGradient, Starts

    P = graph_of(n)
    problem = Problem(DiffusedAffinity(P, 4), PerClusterObjective())
    problem.__dict__["squared_norm"] = 1.0  # a constant of the objective, not of an iteration
    solver, W = ProjectedGradient(), np.random.default_rng(0).random((n, K))
    with limit_threads(available_cores()):
        rng = np.random.default_rng(0)
        state = solver.start(problem, Starts(problem.affinity, K).make("dirichlet", 0, rng))
        times, products = [], []
        for _ in range(8):
            before = problem.n_products
            took, state = timed(lambda: solver.step(problem, state))
            times.append(took / ((problem.n_products - before) / problem.affinity.products))
        products = least(lambda: P @ W, 4)
    print(
        json.dumps({"n": n, "nnz": P.nnz, "iteration": float(np.median(times)), "product": products, "GB": gigabytes()})
    )


# The whole fit ----------------------------------------------------------------------------------------------


def fit(n: int) -> None:
    """Features to partition, first and second time in a process, against mini-batch k-means."""
    from sklearn.cluster import MiniBatchKMeans

    X, y = anisotropic_blobs(n, DIMENSIONS, K, 0)
    before = gigabytes()
    took, model = timed(
        lambda: SoftClustering(K, affinity=NeighborGraph(n_neighbors=NEIGHBORS), probabilities="fitted").fit(X)
    )
    peak = gigabytes()
    theirs, batch = timed(lambda: MiniBatchKMeans(K, n_init=3, random_state=0).fit(X))
    again, _ = timed(
        lambda: SoftClustering(K + 1, affinity=NeighborGraph(n_neighbors=NEIGHBORS), probabilities="fitted").fit(X)
    )
    print(
        f"| {n:,} | {took:.1f} | {again:.1f} | {peak:.2f} ({before:.2f}) | {model.n_iter_} | {model.result_.status} | "
        f"{accuracy(y, model.labels_):.3f} | {adjusted_rand_index(y, model.labels_):.3f} | "
        f"{accuracy(y, batch.labels_):.3f} | {adjusted_rand_index(y, batch.labels_):.3f} | {theirs:.1f} |"
    )


# Against scikit-learn's spectral clustering -----------------------------------------------------------------


def spectral(name: str) -> None:
    """The same precomputed graph for all; scikit-learn's fastest eigensolver and assigner.

    Least of three runs (of one above 20,000 items). Of blobs, accuracy is the mean over 20 draws, and seconds are the
    first one's.
    """
    from sklearn.cluster import SpectralClustering

    if name == "blobs 2,000":
        cases = [anisotropic_blobs(2_000, DIMENSIONS, 10, seed) for seed in range(20)]
    else:
        cases = [load(name)[:2]]
    clusters, n_items = len(np.unique(cases[0][1])), len(cases[0][0])
    small = n_items <= 20_000
    models: dict[str, Any] = {
        f"{solver}, {assign}": SpectralClustering(
            clusters, affinity="precomputed", eigen_solver=solver, assign_labels=assign, random_state=0
        )
        for solver in ("arpack", "lobpcg")
        for assign in (("cluster_qr", "kmeans", "discretize") if small else ("cluster_qr", "kmeans"))
    }
    own = {
        "SoftClustering": SoftClustering(clusters, affinity="precomputed", probabilities="fitted"),
        "SpectralRelaxation": SpectralRelaxation(clusters, affinity="precomputed"),
    }
    models |= own
    seconds: dict[str, list[float]] = {}
    scores: dict[str, list[float]] = {}
    for case, (X, y) in enumerate(cases):
        graph = NeighborGraph(n_neighbors=NEIGHBORS).build(X, n_clusters=clusters).affinity
        assert isinstance(graph, SparseAffinity)
        matrix = sp.csr_matrix((graph.matrix.data, graph.matrix.indices, graph.matrix.indptr), shape=graph.shape)
        for model in own.values() if case == 0 else ():
            model.fit(matrix)  # compiled and loaded, as scikit-learn is
        for again in range(3 if small and case == 0 else 1):  # in turns, so that a busy minute hits all
            for what, model in models.items():
                try:
                    took, found = timed(lambda: model.fit(matrix))
                except (ValueError, np.linalg.LinAlgError) as error:
                    print(f"  {what}: {error}")
                    continue
                if case == 0:
                    seconds.setdefault(what, []).append(took)
                if again == 0:
                    scores.setdefault(what, []).append(accuracy(y, found.labels_))
    least_of = {what: min(times) for what, times in seconds.items()}
    mean_of = {what: float(np.mean(each)) for what, each in scores.items()}
    theirs = [what for what in least_of if what not in own]
    fastest, top = min(theirs, key=lambda what: least_of[what]), max(theirs, key=lambda what: mean_of[what])
    for what in own:
        print(
            f"| {name} | {n_items:,} | {clusters} | {what} | {least_of[what]:.3f} | {mean_of[what]:.3f} | {fastest} | "
            f"{least_of[fastest]:.3f} | {mean_of[fastest]:.3f} | {least_of[fastest] / least_of[what]:.1f} | "
            f"{top}: {mean_of[top]:.3f} |"
        )


# Several processes ------------------------------------------------------------------------------------------


def dask(n: int) -> None:
    """Iterations on two worker processes against the same on this one, and what a product moves."""
    import distributed

    from partita.affinity.distributed import DistributedAffinity
    from partita.objectives import PerClusterObjective, Problem
    from partita.solvers import ProjectedGradient, Starts

    P = graph_of(n)
    W0 = Starts(P, K).make("dirichlet", 0, np.random.default_rng(0))

    def iterations(affinity: Any, count: int = 10) -> tuple[float, float]:
        problem, solver = Problem(affinity, PerClusterObjective()), ProjectedGradient()

        def steps(state: Any, count: int) -> Any:
            for _ in range(count):
                state = solver.step(problem, state)
            return state

        state = steps(solver.start(problem, affinity.native(W0)), 1)
        before = problem.n_products
        took, state = timed(lambda: steps(state, count))
        return took / (problem.n_products - before), state.point.value

    with limit_threads(1):
        one, value = iterations(P)
    with limit_threads(available_cores()):
        own, _ = iterations(P)
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        there = DistributedAffinity.from_matrix(P.matrix, 8)
        moved = there.rows_moved()
        spread, same = iterations(there)
        held = client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
    assert abs(same - value) < 1e-6 * abs(value)
    print(
        f"| {n:,} | {P.nnz:,} | {one:.3f} | {own:.3f} | {spread:.3f} | {moved:,} ({moved / n:.2f} N) | "
        f"{moved * 8 * K / 1e6:.0f} | {max(held.values()):.2f} |"
    )


# Cold starts ------------------------------------------------------------------------------------------------

FIRST = """
import time; began = time.perf_counter()
import numpy as np
from partita import SoftClustering
X = np.random.default_rng(0).normal(size=(1000, 8)) + 5 * (np.arange(1000) % 4)[:, None]
SoftClustering(4).fit(X)
print(time.perf_counter() - began)
"""


def start() -> None:
    def run(code: str, **environment: str) -> float:
        return float(
            subprocess.run(
                [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=os.environ | environment
            ).stdout.splitlines()[-1]
        )

    def imported(module: str) -> float:
        return run(f"import time; b = time.perf_counter(); import {module}; print(time.perf_counter() - b)")

    imported("numpy")
    pairs = [(imported("sklearn.cluster"), imported("partita"), imported("partita.estimators")) for _ in range(5)]
    sklearn, lazy, full = (min(pair[k] for pair in pairs) for k in range(3))
    print(f"import sklearn.cluster {sklearn:.2f} s; partita {lazy:.2f} s ({lazy / sklearn:.2f}); ", end="")
    print(f"its estimators too {full:.2f} s ({full / sklearn:.2f})")
    with tempfile.TemporaryDirectory() as home:
        times = [run(FIRST, NUMBA_CACHE_DIR=home) for _ in range(3)]
    print(f"import and first fit of 1,000 items, empty cache {times[0]:.2f} s; again {min(times[1:]):.2f} s")


HEADERS = {
    "product": "| N | nnz | values | copy ms | product ms | fresh ms | shuffled items ms | SciPy ms | product / copy |",
    "growth": "",
    "fit": "| N | s | again, K + 1 (neighbours known) s | peak GB (before) | iterations | status | accuracy | ARI | "
    "mini-batch k-means: accuracy | ARI | s |",
    "spectral": "| set | N | K | ours | s | accuracy | their fastest | s | accuracy | ratio | their most accurate |",
    "dask": "| N | nnz | one thread s | two threads s | two workers s | rows moved a product | MB | worker's peak GB |",
}
RUNS: dict[str, list[Any]] = {
    "product": [1_000_000],
    "growth": [5_000, 15_000, 50_000, 150_000, 500_000, 1_000_000, 2_000_000],
    "fit": [100_000, 1_000_000],
    "spectral": ["blobs 2,000", "uci/pendigits.csv", "large/shuttle.npz"],
    "dask": [20_000, 200_000, 1_000_000],
}
PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "growth.png"
BILLION = 1e9
PARTS = {"product": product, "growth": growth, "fit": fit, "spectral": spectral, "dask": dask}


def slopes(points: list[dict[str, float]]) -> None:
    """Slope of log seconds against log nonzeros, over all and above a million."""
    print("| N | nnz | product s | ns per nonzero | iteration s | ns per nonzero | peak GB |\n" + "|---" * 7 + "|")
    for p in points:
        print(
            f"| {p['n']:,} | {p['nnz']:,} | {p['product']:.4f} | {p['product'] / p['nnz'] * 1e9:.2f} | "
            f"{p['iteration']:.3f} | {p['iteration'] / p['nnz'] * 1e9:.1f} | {p['GB']:.1f} |"
        )
    for what in ("product", "iteration"):
        large = [p for p in points if p["nnz"] > 1e6]
        for name, some in (("all", points), ("above 1e6", large)):
            x, y = (np.log([p[key] for p in some]) for key in ("nnz", what))
            print(f"slope of {what}, {name}: {np.polyfit(x, y, 1)[0]:.3f}")


def draw(points: list[dict[str, float]]) -> None:
    """Seconds against nonzeros on log axes, and lines of slope one through the largest run on to a billion."""
    from partita.plots.figures import blank_figure, png

    figure, (axes,) = blank_figure(size=(7.0, 4.5))
    nnz = np.array([p["nnz"] for p in points])
    for what, said, color, marker in (
        ("iteration", "iteration (4 products)", cluster_colors(2)[0], "o"),
        ("product", "product with P", cluster_colors(2)[1], "^"),
    ):
        seconds = np.array([p[what] for p in points])
        axes.plot(nnz, seconds, color=color, marker=marker, label=f"{said}, measured")
        ahead = np.array([nnz[-1], BILLION])
        axes.plot(ahead, seconds[-1] * ahead / nnz[-1], color=color, linestyle=":", label="slope 1, not run")
        axes.annotate(
            f"{seconds[-1] * BILLION / nnz[-1]:.1f} s",
            (BILLION, seconds[-1] * BILLION / nnz[-1]),
            (4, -3),
            textcoords="offset points",
            color=color,
        )
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="nonzeros of P",
        ylabel=f"seconds, {available_cores()} cores",
        xlim=(8e4, 2.5e9),
    )
    axes.grid(visible=True, alpha=0.3)
    axes.legend(frameon=False)
    PICTURE.write_bytes(png(figure))
    print(f"picture: {PICTURE.name}")


def main(parts: list[str]) -> None:
    print(f"{available_cores()} cores, {platform.machine()}, {platform.python_version()}, NumPy {np.__version__}\n")
    for part in parts or [*PARTS, "start"]:
        print(f"## {part}\n")
        if part == "start":
            start()
            continue
        if HEADERS[part]:
            print(HEADERS[part] + "\n|" + "---|" * (HEADERS[part].count("|") - 1), flush=True)
        lines = []
        for argument in RUNS[part]:
            found = subprocess.run(
                [sys.executable, __file__, "--one", part, str(argument)], check=True, stdout=subprocess.PIPE, text=True
            ).stdout
            lines += found.splitlines()
            if part != "growth":
                print(found, end="", flush=True)
        if part == "growth":
            points = [json.loads(line) for line in lines]
            slopes(points)
            draw(points)
        print()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        part, argument = sys.argv[2:4]
        PARTS[part](int(argument) if argument.isdigit() else argument)
    else:
        main(sys.argv[1:])
