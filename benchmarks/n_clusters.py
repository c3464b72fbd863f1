"""How many clusters: each criterion alone, the verdict over them, and whether its probability holds.

    PARTITA_DATA=... python benchmarks/n_clusters.py
    PARTITA_DATA=... python benchmarks/n_clusters.py --quick        # development sets only, the voters only
    PARTITA_DATA=... python benchmarks/n_clusters.py --fit          # the weights of the voters, fitted anew
    PARTITA_DATA=... python benchmarks/n_clusters.py --level        # the test of one cluster: level and power
    python benchmarks/n_clusters.py --large 1000000                 # seconds at N items, anisotropic clusters
    PARTITA_DATA=... python benchmarks/n_clusters.py --own          # own K: consensus, criteria, HDBSCAN
    PARTITA_DATA=... python benchmarks/n_clusters.py --default      # SoftClustering(K) and SoftClustering()
    python benchmarks/n_clusters.py --drawn                         # one cluster, many clusters, planted graphs
    python benchmarks/n_clusters.py --column                        # drawn columns, each alone
    python benchmarks/n_clusters.py --wide                          # clusters in a few of many columns
    PARTITA_DATA=... python benchmarks/n_clusters.py --given        # how far methods agree at right and wrong numbers

Sets: 29 for development, 9 further real or drawn ones, and generated ones: Gaussian clusters (30, K = 1..10), stretched
ones (4), single clusters that are not normal (7). Identical rows count once; of more than 3,000 a random 3,000 are
taken. `right` and `within 1` count sets; "held out" is the verdict with weights fitted to all other sets.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture

from mixtures import GAUSSIAN, OTHERS, Setting, draw
from partita import SoftClustering, metrics
from partita.ensemble.builder import frame_of
from partita.kernels.threads import limit_threads
from partita.n_clusters import VOTERS, Criterion, Judgement, KEvidence, OneCluster, criterion, judge_all
from partita.n_clusters.verdict import NEIGHBOR, pooled
from partita.report.headline import AGREED, agreement
from peers import FilledHDBSCAN
from quality import tables
from sets import anisotropic_blobs, development, load

FURTHER = (
    "uci/pendigits.csv",
    "uci/satimage_train.csv",
    "uci/satimage_test.csv",
    "images/usps_9298.npz",
    "images/mnist_1000.npz",
    "images/optdigits.npz",
    "sklearn:load_wine",
    "sklearn:load_breast_cancer",
    "shapes/cluto-t4-8k.csv",
)
MOST_ITEMS = 3_000
# They need what these sets do not have, or take N x N searches and never vote.
LEFT_OUT = {"expected_loss", "second_order_difference"}
# How much a set of each kind counts when weights are fitted, and the penalty on the squares of the weights.
COUNTS = {"development": 1.0, "further": 1.0, "Gaussian": 0.4, "stretched": 0.4, "one cluster": 0.6}
PENALTY = 0.005
TOP = 21
BINS = ((0.0, 0.35), (0.35, 0.5), (0.5, 0.65), (0.65, 0.8), (0.8, 1.01))
Features = np.ndarray


def gaussian(K: int, seed: int, d: int | None = None, apart: float | None = None) -> Features:
    """K normal clusters of unequal size and spread, centres at least `apart` (4 to 7) from each other."""
    rng = np.random.default_rng([K, seed])
    d = int(rng.choice([2, 3, 5, 10])) if d is None else d
    apart = float(rng.uniform(4.0, 7.0)) if apart is None else apart
    n = max(int(rng.choice([150, 400, 1000])), 20 * K)
    side, centres = apart * K ** (1 / d), np.empty((0, d))
    while len(centres) < K:
        centre = rng.uniform(0, side, d)
        if (np.linalg.norm(centres - centre, axis=1) >= apart).all():
            centres = np.vstack([centres, centre])
        side *= 1.002
    labels = np.r_[np.arange(K), rng.choice(K, n - K, p=rng.dirichlet(np.full(K, 8.0)))]
    return centres[labels] + rng.normal(size=(n, d)) * rng.uniform(0.7, 1.2, K)[labels, None]


def stretched(K: int, seed: int) -> Features:
    """Clusters in the plane, turned and halved in one direction together."""
    turn = np.linalg.qr(np.random.default_rng([K, seed, 9]).normal(size=(2, 2)))[0]
    return gaussian(K, seed + 77, d=2, apart=7.0) @ turn * [1.0, 0.5]


def single(shape: str, n: int, rng: np.random.Generator) -> Features:
    """One cluster that is not a ball."""
    angle = rng.random(n) * (np.pi if shape == "arc" else 2 * np.pi)
    made: dict[str, Callable[[], Features]] = {
        "ball": lambda: rng.normal(size=(n, 2)),
        "ball in 10": lambda: rng.normal(size=(n, 10)),
        "square": lambda: rng.random((n, 2)),
        "cube in 5": lambda: rng.random((n, 5)),
        "strip": lambda: rng.normal(size=(n, 2)) * [10, 1],
        "ring": lambda: np.c_[np.cos(angle), np.sin(angle)] + 0.08 * rng.normal(size=(n, 2)),
        "arc": lambda: np.c_[np.cos(angle), np.sin(angle)] + 0.08 * rng.normal(size=(n, 2)),
        "heavy tails": lambda: rng.standard_t(5, size=(n, 2)),
        "skew": lambda: rng.exponential(size=(n, 3)),
    }
    return made[shape]()


SINGLE = ("ball", "ball in 10", "square", "cube in 5", "strip", "ring", "arc", "heavy tails", "skew")


def sets(quick: bool) -> Iterator[tuple[str, str, Features, int]]:
    """Kind, name, features and true number of clusters."""
    for name in development():
        X, _, K = load(name)
        yield "development", name, X, K
    if quick:
        return
    for name in FURTHER:
        X, _, K = load(name)
        yield "further", name, X, K
    for K in range(1, 11):
        for seed in range(3):
            yield "Gaussian", f"Gaussian {K}.{seed}", gaussian(K, seed), K
    for K in (2, 4, 6, 8):
        yield "stretched", f"stretched {K}", stretched(K, 0), K
    for shape in SINGLE[1:3] + SINGLE[3:7] + SINGLE[8:]:
        yield "one cluster", shape, single(shape, 300, np.random.default_rng(len(shape))), 1


def judged(X: Features, names: list[str]) -> tuple[dict[str, Judgement], dict[str, float]]:
    X = np.unique(X, axis=0)
    if len(X) > MOST_ITEMS:
        X = X[np.sort(np.random.default_rng(0).choice(len(X), MOST_ITEMS, replace=False))]
    evidence = KEvidence(features=X)
    found, seconds = {}, {}
    for name in names:
        began = time.process_time()
        found[name] = criterion(name).judge(evidence)
        seconds[name] = time.process_time() - began
    return found, seconds


def voters() -> list[str]:
    return [name for name in VOTERS if name not in LEFT_OUT]


def probabilities(found: dict[str, Judgement], weights: dict[str, float]) -> np.ndarray:
    return pooled([found[name] for name in weights], weights, TOP)


def fitted(cases: list[dict[str, Any]]) -> dict[str, float]:
    """Weights of the voters by penalised maximum likelihood of the true numbers."""
    names = voters()
    total = sum(COUNTS[case["kind"]] for case in cases)

    def cost(w: np.ndarray) -> float:
        weights = dict(zip(names, w))
        off = sum(
            COUNTS[case["kind"]] * -np.log(probabilities(case["found"], weights)[min(case["K"], TOP) - 1])
            for case in cases
        )
        return float(off + PENALTY * total * (w**2).sum())

    found = minimize(cost, np.ones(len(names)), bounds=[(0.0, 5.0)] * len(names), method="L-BFGS-B")
    return dict(zip(names, found.x.tolist()))


def table(cases: list[dict[str, Any]], held_out: bool) -> None:
    kinds = list(dict.fromkeys(case["kind"] for case in cases))
    counts = {kind: sum(case["kind"] == kind for case in cases) for kind in kinds}
    print("\n| criterion | " + " | ".join(f"{kind} ({counts[kind]})" for kind in kinds) + " | most seconds |")
    print("|" + "---|" * (len(kinds) + 2))

    def line(name: str, answers: list[int | None], seconds: str) -> None:
        cells = []
        for kind in kinds:
            off = [abs(a - c["K"]) for a, c in zip(answers, cases) if c["kind"] == kind and a is not None]
            cells.append(f"{sum(o == 0 for o in off)}/{sum(o <= 1 for o in off)}")
        print(f"| {name} | " + " | ".join(cells) + f" | {seconds} |")

    for name in cases[0]["found"]:
        slowest = max(case["seconds"][name] for case in cases)
        line(name, [case["found"][name].n_clusters for case in cases], f"{slowest:.1f}")
    weights = {name: VOTERS[name] for name in voters()}
    ours = [probabilities(case["found"], weights) for case in cases]
    slowest = max(sum(case["seconds"][name] for name in weights) for case in cases)
    line("**verdict**", [int(p.argmax()) + 1 for p in ours], f"{slowest:.1f}")
    calibration("verdict", ours, cases)
    if held_out:
        others = [probabilities(c["found"], fitted([d for d in cases if d is not c])) for c in cases]
        line("verdict, held out", [int(p.argmax()) + 1 for p in others], "")
        calibration("verdict, held out", others, cases)


def calibration(name: str, ps: list[np.ndarray], cases: list[dict[str, Any]]) -> None:
    sure = np.array([p.max() for p in ps])
    right = np.array([p.argmax() + 1 == case["K"] for p, case in zip(ps, cases)])
    parts = []
    for low, high in BINS:
        own = (sure >= low) & (sure < high)
        if own.any():
            parts.append(f"said {sure[own].mean():.2f}, right {right[own].mean():.2f} of {own.sum()}")
    print(f"<!-- {name}: " + "; ".join(parts) + " -->")


def level(repetitions: int = 40, n: int = 300) -> None:
    """Share of rejections at .05, one cluster and two."""
    print("| shape | share rejected |\n|---|---|")
    shapes: dict[str, Callable[[np.random.Generator], Features]] = {
        shape: (lambda rng, shape=shape: single(shape, n, rng)) for shape in SINGLE
    }
    for apart, d in ((3.0, 2), (4.0, 2), (4.0, 5), (6.0, 5)):
        shapes[f"two balls {apart:g} apart in {d}"] = lambda rng, apart=apart, d=d: (
            rng.normal(size=(n, d)) + apart * np.eye(d)[0] * rng.integers(0, 2, (n, 1))
        )
    for shape, make in shapes.items():
        out = [
            OneCluster().judge(KEvidence(features=make(np.random.default_rng([r, 5])), seed=r)).n_clusters is None
            for r in range(repetitions)
        ]
        print(f"| {shape} | {np.mean(out):.2f} |", flush=True)


def large(n: int) -> None:
    X, _ = anisotropic_blobs(n, 8, 20, 0)
    began = time.perf_counter()
    verdict = judge_all(KEvidence(features=X))
    print(f"features, N = {n:,}: K = {verdict.n_clusters} (20), {time.perf_counter() - began:.1f} s")
    for row in verdict.rows():
        print(f"  {row['criterion']}: {row['n_clusters']}  {row['note']}")
    from partita.affinity import NeighborGraph

    P = NeighborGraph().build(X, n_clusters=20).affinity
    began = time.perf_counter()
    verdict = judge_all(KEvidence(affinity=P))
    print(f"sparse affinity alone, N = {n:,}: K = {verdict.n_clusters}, {time.perf_counter() - began:.1f} s")
    for row in verdict.rows():
        print(f"  {row['criterion']}: {row['n_clusters']}  {row['note']}")


def own() -> None:
    """Own number of clusters: adjusted Rand index of a fit with the consensus, with the criteria's number, of HDBSCAN,
    and with the true number.
    """
    for title, names in (("development sets", development()), ("real tables", tables())):
        scores = []
        print(f"\n### {title}: clusters (adjusted Rand index)\n")
        print(
            "| set | K | consensus | sure | criteria | HDBSCAN | K given | seconds |\n|---|---|---|---|---|---|---|---|"
        )
        for name in names:
            X, y, K = load(name)
            began = time.perf_counter()
            fit = SoftClustering(n_clusters="auto", affinity="ensemble", random_state=0, probabilities="fitted").fit(X)
            took = time.perf_counter() - began
            features = np.unique(frame_of(X)(X), axis=0)
            by_criteria = judge_all(KEvidence(features=features)).n_clusters
            labels = [
                fit.labels_,
                SoftClustering(by_criteria, affinity="ensemble", random_state=0, probabilities="fitted").fit(X).labels_,
                FilledHDBSCAN(K).fit(frame_of(X)(X)).labels_,
                SoftClustering(K, affinity="ensemble", random_state=0, probabilities="fitted").fit(X).labels_,
            ]
            scores.append([metrics.adjusted_rand_index(found, y) for found in labels])
            cells = [f"{len(np.unique(found))} ({score:.3f})" for found, score in zip(labels, scores[-1])]
            cells.insert(1, f"{fit.verdict_.sure:.2f}")
            print(f"| {name} | {K} | {' | '.join(cells)} | {took:.1f} |", flush=True)
        means = [f"{mean:.3f}" for mean in np.mean(scores, axis=0)]
        print(f"| **mean** | | {means[0]} | | {' | '.join(means[1:])} | |", flush=True)


def default() -> None:
    """The answer without options and the one with K given: adjusted Rand index of its labels, and of the fitted ones
    where calibration has moved some.
    """
    for title, names in (("development sets", development()), ("real tables", tables())):
        scores = []
        print(f"\n### {title}: adjusted Rand index of labels (of fitted labels)\n")
        print("| set | K | K given | probabilities | own K | own K: score | probabilities | CPU seconds |")
        print("|---|---|---|---|---|---|---|---|")
        for name in names:
            X, y, K = load(name)
            cells, row, began = [name, str(K)], [], time.process_time()
            for n_clusters in (K, "auto"):
                fit = SoftClustering(n_clusters, random_state=0).fit(X)
                own = [metrics.adjusted_rand_index(found, y) for found in (fit.labels_, fit.result_.membership.labels)]
                cells += [str(fit.n_clusters_)] * (n_clusters == "auto")
                cells += [f"{own[0]:.3f} ({own[1]:.3f})", fit.chosen_["probabilities"].value]
                row += own
            scores.append(row)
            print(f"| {' | '.join(cells)} | {time.process_time() - began:.1f} |", flush=True)
        given, fitted_given, own_k, fitted_own = np.mean(scores, axis=0)
        print(f"| **mean** | | {given:.3f} ({fitted_given:.3f}) | | | {own_k:.3f} ({fitted_own:.3f}) | | |", flush=True)


def given() -> None:
    """How far methods agree at a number that is given: the right one, half of it, twice and three times it."""
    found: dict[tuple[str, str], list[float]] = {}
    for kind, name, X, K in sets(False):
        asked = {"right": K, "half": K // 2, "twice": 2 * K, "three times": 3 * K}
        if K == 1:
            asked = {"of one cluster, 2": 2, "of one cluster, 4": 4}
        for which, k in asked.items():
            if k < 2:
                continue
            model = SoftClustering(k, affinity="ensemble", probabilities="fitted", random_state=0).fit(X)
            if (agreed := agreement(model)) is not None:
                found.setdefault((kind, which), []).append(agreed)
                print(f"# {name} {k}: {agreed:.2f}", flush=True)
    print("| sets | number | fits | 10% | median | 90% | below the limit |\n|---|---|---|---|---|---|---|")
    for (kind, which), values in found.items():
        low, middle, high = np.quantile(values, [0.1, 0.5, 0.9])
        doubted = np.mean(np.array(values) < AGREED)
        print(f"| {kind} | {which} | {len(values)} | {low:.2f} | {middle:.2f} | {high:.2f} | {doubted:.2f} |")


def planted(seed: int, within: float = 0.3, between: float = 0.02) -> sp.csr_array:
    """A graph of five blocks of 40 nodes, with edges by chance."""
    block = np.repeat(np.arange(5), 40)
    chance = np.where(block[:, None] == block, within, between)
    upper = np.triu(np.random.default_rng(seed).random((200, 200)) < chance, 1)
    return sp.csr_array((upper | upper.T).astype(float))


def drawn() -> None:
    """Numbers of clusters that `SoftClustering()` finds in what nothing was chosen on."""
    print("| what | seeds | clusters found |\n|---|---|---|")

    def line(what: str, found: list[int]) -> None:
        counts = ", ".join(f"{K} in {found.count(K)}" for K in sorted(set(found)))
        print(f"| {what} | {len(found)} | {counts} |", flush=True)

    line(
        "planted graphs, 5 x 40, .3 / .02",
        [SoftClustering(random_state=s).fit(planted(s)).n_clusters_ for s in range(20)],
    )
    alike = [SoftClustering(random_state=s).fit(planted(s, 0.076, 0.076)).n_clusters_ for s in range(20)]
    line("random graphs, 200 nodes, .076", alike)
    for d in (2, 5, 10, 50):
        for shape in ("uniform", "normal"):
            draw = [getattr(np.random.default_rng([s, d]), shape)(size=(400, d)) for s in range(6)]
            line(f"{shape}, 400 in {d}", [SoftClustering(random_state=0).fit(X).n_clusters_ for X in draw])
    for K, n, d in ((50, 3000, 10), (60, 6000, 20), (100, 5000, 5)):
        found = []
        for s in (1, 2):
            rng = np.random.default_rng(s)
            centre = 40 * rng.random((K, d))
            found.append(
                SoftClustering(random_state=0).fit(centre[rng.integers(0, K, n)] + rng.normal(size=(n, d))).n_clusters_
            )
        line(f"{K} normal clusters, {n} in {d}", found)
    for K, n, d in ((20, 400, 64), (40, 700, 128), (40, 1000, 128), (30, 1200, 128)):
        draw = [on_a_sphere(K, n, d, s) for s in range(4)]
        line(f"{K} clusters on a sphere, {n} in {d}", [SoftClustering(random_state=0).fit(X).n_clusters_ for X in draw])
    of_mixtures()


def on_a_sphere(K: int, n: int, d: int, seed: int, noise: float = 1.5) -> Features:
    """K clusters of rows of unit length, as embeddings have it, of unequal sizes."""
    rng = np.random.default_rng([K, n, d, seed])
    centres = rng.normal(size=(K, d))
    centres /= np.linalg.norm(centres, axis=1)[:, None]
    X = centres[rng.choice(K, n, p=rng.dirichlet(np.full(K, 5.0)))] + noise * rng.normal(size=(n, d)) / d**0.5
    return X / np.linalg.norm(X, axis=1)[:, None]


COLUMNS = (
    *("normal", "uniform", "exponential", "lognormal", "Student, 3 degrees", "beta(2, 5)"),
    *("2 normal, 3 apart", "2 normal, 4 apart", "2 normal, 6 apart", "3 normal, 4 apart", "3 normal, 6 apart"),
    *("5 normal, 4 apart", "5 normal, 6 apart", "8 normal, 6 apart", "3 uniform", "6 uniform", "2 skewed", "4 skewed"),
)
SIZES, COLUMN_SEEDS = (60, 150, 400, 1500), range(10, 15)


def column(kind: str, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A column of n numbers and their clusters. `apart` counts mean standard deviations, of which each is drawn."""
    rng = np.random.default_rng([seed, n, sum(map(ord, kind))])
    one = {
        "normal": rng.normal,
        "uniform": rng.uniform,
        "exponential": rng.exponential,
        "lognormal": partial(rng.lognormal, 0.0, 0.7),
        "Student, 3 degrees": partial(rng.standard_t, 3),
        "beta(2, 5)": partial(rng.beta, 2, 5),
    }
    if kind in one:
        return one[kind](size=n), np.zeros(n, dtype=int)
    K, shape = int(kind[0]), kind.split()[1].rstrip(",")
    y = rng.integers(K, size=n)
    if shape == "uniform":
        return 1.6 * y + rng.uniform(size=n), y
    if shape == "skewed":
        return 6.0 * y + rng.gamma(2, size=n), y
    apart, deviations = float(kind.split()[2]), np.exp(0.3 * rng.normal(size=K))
    steps = apart * (deviations[1:] + deviations[:-1]) / 2 * np.exp(0.3 * np.abs(rng.normal(size=K - 1)))
    y = rng.choice(K, size=n, p=rng.dirichlet(np.full(K, 8.0)))
    return np.r_[0, np.cumsum(steps)][y] + deviations[y] * rng.normal(size=n), y


def by_bic(X: Features) -> np.ndarray:
    """Labels by the normal mixture of the least BIC."""
    tried = [GaussianMixture(K, n_init=3, random_state=0).fit(X) for K in range(1, min(12, len(X) // 6) + 1)]
    return min(tried, key=lambda one: one.bic(X)).predict(X)


def columns() -> None:
    """The number of clusters of single columns, and whether its probability holds; a normal mixture beside it."""
    print("| column | " + " | ".join(f"N = {n:,}" for n in SIZES) + " |\n|" + "---|" * (len(SIZES) + 1))
    of_all: list[tuple[float, float, float, float, float]] = []
    for kind in COLUMNS:
        cells = []
        for n in SIZES:
            rows = []
            for seed in COLUMN_SEEDS:
                x, y = column(kind, n, seed)
                model, K = SoftClustering(random_state=0).fit(x[:, None]), len(np.unique(y))
                peer = by_bic(x[:, None])
                scores = (metrics.adjusted_rand_index(y, labels) for labels in (model.labels_, peer))
                sure = model.verdict_.probability_of(model.n_clusters_)
                rows.append((float(model.n_clusters_ == K), float(len(np.unique(peer)) == K), *scores, sure))
            of_all += rows
            right, of_peer, own, theirs, _ = np.mean(rows, axis=0)
            cells.append(f"{right:.1f}, {own:.2f} ({of_peer:.1f}, {theirs:.2f})")
        print(f"| {kind} | {' | '.join(cells)} |", flush=True)
    found = np.array(of_all)
    right, of_peer, own, theirs, sure = found.mean(axis=0)
    print(f"all: right {right:.3f} (mixture {of_peer:.3f}), adjusted Rand {own:.3f} ({theirs:.3f}), sure {sure:.3f}")
    for low, high in pairwise((0.0, 0.5, 0.7, 0.9, 0.97, 1.01)):
        bin_ = found[(found[:, 4] >= low) & (found[:, 4] < high)]
        if len(bin_):
            said, held = bin_[:, 4].mean(), bin_[:, 0].mean()
            print(f"sure {low:.2f} to {min(high, 1):.2f}: {said:.2f} said, {held:.2f} right, {len(bin_)} columns")


# Rows, columns, those in which a cluster differs, by how many standard deviations, and clusters.
WIDE = (
    *((100, 40, 8, 1.5, 3), (100, 100, 12, 1.5, 3), (150, 200, 12, 1.5, 3), (300, 100, 10, 1.5, 5)),
    *((300, 1000, 20, 1.5, 5), (200, 500, 20, 1.2, 4), (150, 60, 5, 3.0, 8), (400, 200, 12, 1.5, 3)),
    *((200, 300, 20, 0.0, 1), (100, 1000, 20, 0.0, 1)),
)


def wide_table(n: int, d: int, own: int, apart: float, K: int, degrees: int, seed: int) -> tuple[Features, np.ndarray]:
    """Clusters, of which all but one differ in columns of their own, in normal noise or Student noise."""
    rng = np.random.default_rng([seed, n, d, K])
    labels, centres = rng.integers(K, size=n), np.zeros((K, d))
    for k in range(1, K):
        centres[k, (k - 1) * own : k * own] = apart
    noise = rng.standard_t(degrees, (n, d)) / np.sqrt(degrees / (degrees - 2)) if degrees else rng.normal(size=(n, d))
    return centres[labels] + noise, labels


def wide() -> None:
    """The number of clusters in wide tables: beside a normal mixture by BIC in ten components, and HDBSCAN."""
    print(
        "| rows x columns, own, apart, K | noise | number right | adjusted Rand | certainty, accuracy | K given |",
        end="",
    )
    print(" mixture | HDBSCAN |\n|---|---|---|---|---|---|---|---|")
    of_all = []
    for n, d, own, apart, K in WIDE:
        for degrees in (0, 4):
            rows = []
            for seed in range(200, 206):
                X, y = wide_table(n, d, own, apart, K, degrees, seed)
                model = SoftClustering(random_state=0).fit(X)
                Z = PCA(10, random_state=0).fit_transform(X)
                labels = [
                    model.labels_,
                    SoftClustering(K, random_state=0).fit(X).labels_,
                    by_bic(Z),
                    FilledHDBSCAN(K).fit(X).labels_,
                ]
                right, accuracy = model.n_clusters_ == K, metrics.accuracy(model.labels_, y)
                found = [metrics.adjusted_rand_index(each, y) for each in labels]
                rows.append([right, found[0], model.certainty_.mean(), accuracy, *found[1:]])
            right, ours, certainty, accuracy, *others = np.mean(rows, axis=0)
            of_all.append([right, ours, certainty, accuracy, *others])
            told = " | ".join(f"{each:.2f}" for each in others)
            which = f"{n} x {d}, {own}, {apart}, {K} | {f'Student, {degrees} degrees' if degrees else 'normal'}"
            print(f"| {which} | {right:.2f} | {ours:.2f} | {certainty:.2f}, {accuracy:.2f} | {told} |", flush=True)
    print("all:", ", ".join(f"{mean:.3f}" for mean in np.mean(of_all, axis=0)))


def of_mixtures() -> None:
    """Labels of `SoftClustering()` on mixtures whose number of components is known, beside those with it given."""
    print("\n| what | sets | number right | adjusted Rand index, own number | number given |\n|---|---|---|---|---|")
    known = {"Gaussian mixtures of mixtures.py": GAUSSIAN, "other mixtures of mixtures.py": OTHERS}
    families = {what: [mixture_of(setting) for setting in settings] for what, settings in known.items()}
    families["make_blobs of scikit-learn, 2 to 12 clusters"] = [blobs(seed) for seed in range(100, 116)]
    for what, made in families.items():
        right, scores = 0, []
        for X, truth, K in made:
            model = SoftClustering(random_state=0).fit(X)
            given = SoftClustering(K, random_state=0).fit(X)
            right += model.n_clusters_ == K
            scores.append([metrics.adjusted_rand_index(one.labels_, truth) for one in (model, given)])
        found, told = np.mean(scores, axis=0)
        print(f"| {what} | {len(made)} | {right} | {found:.3f} | {told:.3f} |", flush=True)


def mixture_of(setting: Setting) -> tuple[Features, np.ndarray, int]:
    """Items of a mixture whose posterior is known, their components and how many there are."""
    made = draw(setting, 0)
    return made.X, made.component, setting.K


def blobs(seed: int) -> tuple[Features, np.ndarray, int]:
    """Normal clusters with centres anywhere in a box, near each other or not."""
    rng = np.random.default_rng(seed)
    K, d, n = int(rng.integers(2, 13)), int(rng.choice([2, 3, 5, 10, 16])), int(rng.choice([300, 600, 1000, 1500]))
    spread = float(rng.uniform(0.5, 2.5) * (1.0 if d < 5 else 1.6))
    X, truth = make_blobs(n, d, centers=K, cluster_std=spread, random_state=seed)
    return X, truth, K


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--level", action="store_true")
    parser.add_argument("--large", type=int)
    parser.add_argument("--own", action="store_true")
    parser.add_argument("--default", action="store_true")
    parser.add_argument("--drawn", action="store_true")
    parser.add_argument("--column", action="store_true")
    parser.add_argument("--wide", action="store_true")
    parser.add_argument("--given", action="store_true")
    options = parser.parse_args()
    if options.level:
        return level()
    if options.own:
        return own()
    if options.default:
        return default()
    if options.drawn:
        return drawn()
    if options.column:
        return columns()
    if options.wide:
        return wide()
    if options.given:
        return given()
    if options.large:
        return large(options.large)
    names = voters() if options.quick else [name for name in Criterion.registry if name not in LEFT_OUT]
    cases: list[dict[str, Any]] = []
    print("| set | K | verdict | sure | " + " | ".join(names) + " |\n|" + "---|" * (len(names) + 4))
    for kind, name, X, K in sets(options.quick):
        found, seconds = judged(X, names)
        cases.append({"kind": kind, "K": K, "found": found, "seconds": seconds})
        p = probabilities(found, {voter: VOTERS[voter] for voter in voters()})
        said = " | ".join(str(found[one].n_clusters) for one in names)
        print(f"| {name} | {K} | {p.argmax() + 1} | {p.max():.2f} | {said} |", flush=True)
    table(cases, held_out=not options.quick)
    if options.fit:
        weights = {name: round(w, 2) for name, w in fitted(cases).items()}
        print("weights:", weights, "neighbour share:", NEIGHBOR)
    return None


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with limit_threads(1):
        main()
