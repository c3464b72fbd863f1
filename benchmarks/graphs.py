"""Communities of graphs, and whether a graph has any.

    python benchmarks/graphs.py [--seeds 100 103] [--only SUBSTRING]

Graphs are drawn by networkx: planted partitions, clusters of unequal sizes, LFR benchmark graphs [lancichinetti2008],
degree-corrected blocks, cliques in a ring and connected caves, and graphs without communities (random, preferential
attachment, regular, configuration, grid, small world). The seeds of development were 0, 1 and 2; the default of this
script is others. Scores are adjusted Rand indices of nodes with edges; of graphs without communities the share in which
one cluster was found. Beside `SoftClustering`: with the number given scikit-learn's spectral clustering, without it
networkx's Louvain at resolution 1 and label propagation. "plain graph" is `affinity="precomputed"`.

[lancichinetti2008] A. Lancichinetti, S. Fortunato, F. Radicchi, Benchmark graphs for testing community detection
algorithms, Physical Review E 78 (2008).
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator

import networkx as nx
import numpy as np
import scipy.sparse as sp
from sklearn.cluster import SpectralClustering

from partita import SoftClustering
from partita.metrics import adjusted_rand_index

Labels = np.ndarray


def blocks(sizes: list[int], within: float, between: float, seed: int) -> tuple[nx.Graph, Labels]:
    P = np.full((len(sizes), len(sizes)), between)
    np.fill_diagonal(P, within)
    return nx.stochastic_block_model(sizes, P.tolist(), seed=seed), np.repeat(np.arange(len(sizes)), sizes)


def benchmark_graph(mixing: float, seed: int) -> tuple[nx.Graph, Labels] | None:
    options = {"average_degree": 10, "min_community": 20, "max_community": 100, "max_iters": 2000}
    try:
        graph = nx.LFR_benchmark_graph(500, 3, 1.5, mixing, seed=seed, **options)
    except nx.ExceededMaxIterations:
        return None
    names = [min(graph.nodes[node]["community"]) for node in graph]
    return graph, np.unique(names, return_inverse=True)[1]


def corrected(seed: int) -> tuple[nx.Graph, Labels]:
    rng, n = np.random.default_rng(seed), 300
    labels, activity = np.arange(n) % 3, rng.pareto(2.5, n) + 1.0
    activity /= activity.mean()
    P = np.where(labels[:, None] == labels, 0.08, 0.012) * activity[:, None] * activity
    upper = np.triu(rng.random((n, n)) < P, 1)
    return nx.from_numpy_array((upper | upper.T).astype(float)), labels


def graphs(seed: int) -> Iterator[tuple[str, nx.Graph, Labels]]:
    yield "planted, 5 x 40", *blocks([40] * 5, 0.3, 0.02, seed)
    yield "planted, 4 x 60, weak", *blocks([60] * 4, 0.15, 0.03, seed)
    yield "planted, 10 x 50", *blocks([50] * 10, 0.2, 0.01, seed)
    yield "planted, 30 x 20", *blocks([20] * 30, 0.5, 0.01, seed)
    yield "planted, 2 x 100", *blocks([100, 100], 0.12, 0.02, seed)
    yield "150, 80, 40 and 20", *blocks([150, 80, 40, 20], 0.25, 0.02, seed)
    for mixing in (0.1, 0.3, 0.5):
        drawn = benchmark_graph(mixing, seed)
        if drawn is not None:
            yield f"LFR, mixing {mixing}", *drawn
    yield "degree-corrected, 3 x 100", *corrected(seed)
    yield "ring of 12 cliques", nx.ring_of_cliques(12, 8), np.repeat(np.arange(12), 8)
    yield "8 caves", nx.connected_caveman_graph(8, 10), np.repeat(np.arange(8), 10)
    plain: dict[str, Callable[[], nx.Graph]] = {
        "random, 200": lambda: nx.gnp_random_graph(200, 0.06, seed=seed),
        "random, 500, sparse": lambda: nx.gnp_random_graph(500, 0.012, seed=seed),
        "preferential attachment": lambda: nx.barabasi_albert_graph(300, 4, seed=seed),
        "regular": lambda: nx.random_regular_graph(8, 300, seed=seed),
        "configuration": lambda: nx.Graph(nx.configuration_model([5] * 200 + [20] * 50, seed=seed)),
        "grid": lambda: nx.grid_2d_graph(15, 20),
        "small world": lambda: nx.watts_strogatz_graph(300, 8, 0.2, seed=seed),
    }
    for name, draw in plain.items():
        graph = draw()
        yield name, graph, np.zeros(len(graph), dtype=int)


def of_sets(sets: list[set[int]], n: int) -> Labels:
    labels = np.zeros(n, dtype=int)
    for k, members in enumerate(sets):
        labels[list(members)] = k
    return labels


def scores(graph: nx.Graph, truth: Labels, seed: int) -> tuple[dict[str, float], float]:
    """Scores of every method on the nodes that have edges, and the seconds of the default."""
    A = sp.csr_array(nx.to_scipy_sparse_array(graph, dtype=float))
    A = sp.csr_array(A - sp.diags_array(A.diagonal()))
    A.eliminate_zeros()
    nodes = np.flatnonzero(np.asarray(A.sum(axis=1)).ravel() > 0)
    A, truth = sp.csr_array(A[nodes][:, nodes]), truth[nodes]
    plain, K = nx.from_scipy_sparse_array(A), len(np.unique(truth))
    began = time.perf_counter()
    found = {"own K": SoftClustering(random_state=seed).fit(A).labels_}
    seconds = time.perf_counter() - began
    of_graph = SoftClustering(affinity="precomputed", probabilities="fitted", random_state=seed)
    found["own K, plain graph"] = of_graph.fit(A).labels_
    found["own K, Louvain"] = of_sets(nx.community.louvain_communities(plain, seed=seed), len(nodes))
    found["own K, label propagation"] = of_sets(list(nx.community.asyn_lpa_communities(plain, seed=seed)), len(nodes))
    if K > 1:
        found["K given"] = SoftClustering(K, random_state=seed).fit(A).labels_
        found["K given, plain graph"] = of_graph.set_params(n_clusters=K).fit(A).labels_
        spectral = SpectralClustering(K, affinity="precomputed", random_state=seed)
        found["K given, scikit-learn's spectral"] = spectral.fit(sp.csr_matrix(A)).labels_
        return {name: adjusted_rand_index(labels, truth) for name, labels in found.items()}, seconds
    return {name: float(len(np.unique(labels)) == 1) for name, labels in found.items()}, seconds


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, nargs=2, default=(100, 103))
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    kept: dict[str, list[dict[str, float]]] = {}
    spent: dict[str, list[float]] = {}
    for seed in range(*given.seeds):
        for name, graph, truth in graphs(seed):
            if given.only in name:
                said, seconds = scores(graph, truth, seed)
                kept.setdefault(name, []).append(said)
                spent.setdefault(name, []).append(seconds)
    methods = list(dict.fromkeys(method for rows in kept.values() for row in rows for method in row))
    print("| graph | " + " | ".join(methods) + " | s |")
    print("|---|" + "---|" * (len(methods) + 1))
    for name, rows in kept.items():
        means = [np.mean([row[method] for row in rows]) if method in rows[0] else np.nan for method in methods]
        cells = ["" if np.isnan(mean) else f"{mean:.3f}" for mean in means]
        print(f"| {name} | " + " | ".join(cells) + f" | {np.mean(spent[name]):.1f} |")
    for what, chosen in (("with communities", True), ("without", False)):
        some = [row for rows in kept.values() for row in rows if ("K given" in row) == chosen]
        if some:
            means = {method: np.mean([row[method] for row in some]) for method in some[0]}
            print(f"\n{what}: " + ", ".join(f"{method} {mean:.3f}" for method, mean in means.items()))


if __name__ == "__main__":
    main()
