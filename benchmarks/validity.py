"""The weights of `partita.ensemble.validity`, found on drawn families, and how it does on each family it has not seen.

    python benchmarks/validity.py make     # partitions of 30 sets of each family, into build/validity
    python benchmarks/validity.py fit      # weights, the table of families left out, the test of one cluster
    python benchmarks/validity.py fresh    # seeds that nothing was fitted on, by SoftClustering() as it is
    PARTITA_DATA=... python benchmarks/validity.py why uci/iris.csv     # what speaks for the answer on a set

A set's partitions are those of the methods of an ensemble at each number of clusters of the consensus's grid, at the
true one, and on single clusters and a few sets of each family at clusters of 20 and of 8 items. The weights maximise
the mean over sets of the expected adjusted Rand index of a partition drawn with the odds that they give, less a small
penalty. Those odds are too sharp, since only the index counts there; so all weights are divided by one number, the one
under which the true number of clusters of sets of families left out is most probable. Each statistic has two weights,
in the plane and in 16 columns or more. One cluster is a logistic regression on the best log odds of up to 12 clusters,
the depth of the deepest valley of all items, the standard deviation of those log odds and the logarithm of the number
of items, one input in ten being a single cluster.
"""

from __future__ import annotations

import argparse
import sys
import warnings
import zlib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from sklearn.linear_model import LogisticRegression

from families import FAMILIES, KINDS, drawn
from partita import SoftClustering
from partita.affinity.shared_search import shared_search
from partita.ensemble import Ensemble, Validity, adjusted_rand, agreement
from partita.ensemble.base import hard
from partita.ensemble.builder import CONSENSUS_ITEMS, frame_of
from partita.ensemble.consensus import ALWAYS, EACH, ITEMS, LIKELIEST, _steps_around, sizes_up_to
from partita.ensemble.validity import DEEPEST, MANY, Statistics, two_best, weights_in
from partita.kernels.threads import limit_threads
from partita.kernels.valleys import deepest_valleys
from sets import development, load

FOLDER = Path(__file__).resolve().parents[1] / "build" / "validity"
SEEDS, OF_ONE = 30, 150
# Items of a cluster at the numbers that are tried on so many sets of a family besides those of the grid, so that fine
# partitions are judged too.
FINE, FINELY = (20, 8), 4
# Penalty on the squares of the weights of statistics in units of their standard deviation.
PENALTY = 1e-4
# Probability that an input is a single cluster.
ONE_IN = 0.1
# Share of the probability of a number that is kept for numbers that no draw has, when the divisor is found.
ELSEWHERE = 0.02


def partitions(
    X: np.ndarray, y: np.ndarray, extra: tuple[int, ...] = (), *, finely: bool = False
) -> dict[str, np.ndarray]:
    """Draws of an ensemble's methods on items, their statistics, and their adjusted Rand index with the labels."""
    X = frame_of(X)(X)
    X, first = np.unique(X, axis=0, return_index=True)
    y = y[first]
    if len(X) > CONSENSUS_ITEMS:
        kept = np.sort(np.random.default_rng([0, 0]).permutation(len(X))[:CONSENSUS_ITEMS])
        X, y = X[kept], y[kept]
    X, known, truth = np.ascontiguousarray(X), y >= 0, np.unique(y[y >= 0], return_inverse=True)[1]
    grid = sizes_up_to(min(max(ALWAYS, int(np.ceil(np.sqrt(len(X))))), len(X) // ITEMS))
    fine = [len(X) // m for m in FINE] if finely else []
    grid = sorted({*grid, *(K for K in (*extra, *fine) if 1 < K <= len(X) // ITEMS)})
    rows, draws, asked, index = [], [], [], []
    with shared_search(), limit_threads(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        judge = Validity.of(X)
        for K in grid:
            labels = [
                np.unique(
                    hard(one.cluster(X, K, np.random.default_rng([0, 0, zlib.crc32(one.name.encode())])).membership),
                    return_inverse=True,
                )[1]
                for one in Ensemble().seeking
            ]
            table = agreement(labels)
            for own, agreed in zip(labels, two_best(table, [one.name for one in Ensemble().seeking])):
                if own.max() == 0:
                    continue
                rows.append(judge.statistics(own, agreed))
                draws.append(own.astype(np.int16))
                asked.append(K)
                index.append(
                    adjusted_rand(np.unique(own[known], return_inverse=True)[1], truth) if truth.any() else 0.0
                )
        depth = deepest_valleys(*judge._arrays, np.zeros(len(X), dtype=np.int64), 1)[0]
    return {
        "statistics": np.array(rows),
        "draws": np.array(draws),
        "asked": np.array(asked),
        "index": np.array(index),
        "depth": min(depth, DEEPEST),
        "K": int(truth.max()) + 1,
    }


def made(family: str, seed: int) -> dict[str, np.ndarray]:
    path = FOLDER / f"{family}-{seed}.npz"
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        X, y = drawn(family, seed)
        found = partitions(X, y, (int(y.max()) + 1,), finely=seed < FINELY or family == "one_cluster")
        np.savez_compressed(path.with_suffix(".part.npz"), **found)
        path.with_suffix(".part.npz").rename(path)
    with np.load(path) as file:
        return in_columns(dict(file), drawn(family, seed)[0].shape[1])


def in_columns(one: dict[str, np.ndarray], d: int) -> dict[str, np.ndarray]:
    """The statistics twice: what they count in the plane, and what they count more in many columns."""
    share = np.clip(np.log(d / 2) / np.log(MANY / 2), 0, 1)
    return {**one, "statistics": np.hstack([one["statistics"], share * one["statistics"]])}


def names() -> list[tuple[str, int]]:
    return [(family, seed) for family in FAMILIES for seed in range(OF_ONE if family == "one_cluster" else SEEDS)]


def make() -> None:
    with ProcessPoolExecutor(2) as pool:
        for future in [pool.submit(made, *name) for name in names()]:
            future.result()


def weights(sets: list[dict[str, np.ndarray]]) -> np.ndarray:
    """The weights under which partitions drawn with these odds have the largest expected index."""
    X, index = np.concatenate([one["statistics"] for one in sets]), np.concatenate([one["index"] for one in sets])
    scale = X.std(axis=0)
    X = X / scale
    counts = np.array([len(one["index"]) for one in sets])
    start, of = np.r_[0, np.cumsum(counts)[:-1]], np.repeat(np.arange(len(sets)), counts)

    def cost(b: np.ndarray) -> tuple[float, np.ndarray]:
        z = X @ b
        p = np.exp(z - np.maximum.reduceat(z, start)[of])
        p /= np.add.reduceat(p, start)[of]
        mean = np.add.reduceat(p * index, start)
        gradient = (p * (index - mean[of])) @ X
        return PENALTY * (b @ b) - mean.mean(), 2 * PENALTY * b - gradient / len(sets)

    return minimize(cost, np.zeros(X.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 500}).x / scale


def shares(one: dict[str, np.ndarray], w: np.ndarray) -> np.ndarray:
    sizes = np.unique(one["asked"])
    z = one["statistics"] @ w
    p = np.exp(z - z.max()) * _steps_around(sizes)[np.searchsorted(sizes, one["asked"])]
    return p / p.sum()


def of_number(one: dict[str, np.ndarray], p: np.ndarray, top: int = 200) -> np.ndarray:
    return np.bincount(one["draws"].max(axis=1) + 1, p, minlength=top)


def answer(one: dict[str, np.ndarray], p: np.ndarray) -> tuple[int, float]:
    """The draw of largest expected index, and that index."""
    top = np.argsort(-p, kind="stable")[:LIKELIEST]
    expected = agreement([one["draws"][i].astype(int) for i in top]) @ (p[top] / p[top].sum())
    return int(top[expected.argmax()]), float(expected.max())


def fit() -> None:
    everything = {name: made(*name) for name in names()}
    several = {name: one for name, one in everything.items() if one["K"] > 1}
    without = {
        family: weights([one for (other, _), one in several.items() if other != family]) for family, _ in several
    }

    def improbable(log_divisor: float) -> float:
        total = 0.0
        for (family, _), one in several.items():
            p = of_number(one, shares(one, without[family] / np.exp(log_divisor)))
            total -= np.log((1 - ELSEWHERE) * p[one["K"]] + ELSEWHERE / 50)
        return total / len(several)

    divisor = float(np.exp(minimize_scalar(improbable, bounds=(-2, 3), method="bounded").x))
    w = weights(list(several.values())) / divisor
    print(f"divisor {divisor:.2f}")
    plane, more = np.split(w, 2)
    for name, half in (("PLANE", plane), ("SPACE", plane + more)):
        print(f"{name} = Statistics({', '.join(f'{x:.2f}' for x in half)})")
    print("  " + ", ".join(Statistics._fields))

    group, rows = [], []
    for (family, seed), one in everything.items():
        own = without.get(family, w * divisor) / divisor
        z = (one["statistics"] @ own)[one["asked"] <= EACH]
        rows.append([z.max(), float(one["depth"]), z.std(), np.log(one["draws"].shape[1])])
        group.append(family if one["K"] > 1 else one_cluster_kind(seed))
    X, groups, truth = np.array(rows), np.array(group), np.array([one["K"] == 1 for one in everything.values()])

    def regression(seen: np.ndarray) -> np.ndarray:
        even = np.where(truth, (seen & ~truth).sum() / (seen & truth).sum(), 1.0)
        found = LogisticRegression(C=100.0, max_iter=10000).fit(X[seen], truth[seen], sample_weight=even[seen])
        return np.r_[found.intercept_ + np.log(ONE_IN / (1 - ONE_IN)), found.coef_[0]]

    print(f"ONE_CLUSTER = ({', '.join(f'{x:.2f}' for x in regression(np.ones(len(X), bool)))})")
    one_probable = np.empty(len(X))
    for name in np.unique(groups):
        left = groups == name
        one_probable[left] = 1 / (1 + np.exp(-(np.c_[np.ones(left.sum()), X[left]] @ regression(~left))))

    scores: dict[str, list[list[float]]] = {}
    said, right = [], []
    for ((family, _), one), p_one in zip(everything.items(), one_probable):
        p = shares(one, without.get(family, w * divisor) / divisor)
        i, expected = answer(one, p)
        single = p_one > (1 - p_one) * expected
        K = 1 if single else int(one["draws"][i].max()) + 1
        index = float(one["K"] == 1) if K == 1 or one["K"] == 1 else float(one["index"][i])
        if one["K"] == 1:
            index = float(single)
        plain = one["statistics"][:, 0]
        scores.setdefault(family, []).append(
            [index, one["index"][i], one["index"].max(), one["index"][plain.argmax()], one["K"] == K, single]
        )
        said.append(p_one if single else (1 - p_one) * of_number(one, p)[K])
        right.append(one["K"] == K)
    print(
        "\n| family | answer | of several | best draw | largest agreement | number right | called one |\n"
        + "|---" * 7
        + "|"
    )
    for family, rows in scores.items():
        print(f"| {family} | " + " | ".join(f"{x:.3f}" for x in np.mean(rows, axis=0)) + " |")
    means = np.mean([np.mean(rows, axis=0) for family, rows in scores.items() if family != "one_cluster"], axis=0)
    print("| **mean** | " + " | ".join(f"{x:.3f}" for x in means) + " |")
    fifths(np.array(said), np.array(right))


def one_cluster_kind(seed: int) -> str:
    """Which of its kinds the single cluster of this seed is: the first number that is drawn."""
    return str(np.random.default_rng([seed, *map(ord, "one_cluster")]).choice(list(KINDS)))


def fifths(said: np.ndarray, right: np.ndarray) -> None:
    parts = []
    for low in np.arange(0, 1, 0.2):
        own = (said >= low) & (said < low + 0.2 + 1e-9 * (low > 0.7))
        if own.any():
            parts.append(f"said {said[own].mean():.2f}, right {right[own].mean():.2f} of {own.sum()}")
    print("\n" + "; ".join(parts))


def fresh(first: int, count: int) -> None:
    """`SoftClustering()` and `SoftClustering(K)` on seeds that nothing was fitted on."""
    said, right, table = [], [], {}
    for family in FAMILIES:
        for seed in range(first, first + count):
            X, y = drawn(family, seed)
            K, known = int(y.max()) + 1, y >= 0
            model = SoftClustering(random_state=0).fit(X)
            given = SoftClustering(K, random_state=0).fit(X)
            scores = [adjusted_rand(one.labels_[known], y[known]) for one in (model, given)]
            if K == 1:
                scores = [float(model.n_clusters_ == 1), 1.0]
            table.setdefault(family, []).append([*scores, model.n_clusters_ == K])
            said.append(model.verdict_.sure)
            right.append(model.n_clusters_ == K)
        print(f"| {family} | " + " | ".join(f"{x:.3f}" for x in np.mean(table[family], axis=0)) + " |", flush=True)
    means = np.mean([np.mean(rows, axis=0) for family, rows in table.items() if family != "one_cluster"], axis=0)
    print("| **mean** | " + " | ".join(f"{x:.3f}" for x in means) + " |")
    fifths(np.array(said), np.array(right))


def why(name: str) -> None:
    """The draw that is the answer beside the one of largest index: statistics, and what each adds to the log odds."""
    X, y, _ = load(name)
    one, weights = partitions(X, y), weights_in(frame_of(X)(X).shape[1])
    i, _ = answer(one, shares(one, weights))
    j = int(one["index"].argmax())
    print(
        f"{name}: {one['draws'][i].max() + 1} clusters, index {one['index'][i]:.3f}; best draw "
        f"{one['draws'][j].max() + 1}, {one['index'][j]:.3f}"
    )
    for field, a, b, weight in zip(Statistics._fields, one["statistics"][i], one["statistics"][j], weights):
        print(f"  {field:10s} {a:6.2f} {b:6.2f}  {weight * (a - b):+.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("make", "fit", "fresh", "why"))
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--first", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=8)
    options = parser.parse_args()
    if options.what == "why":
        for name in options.sets or development():
            why(name)
    elif options.what == "fresh":
        fresh(options.first, options.seeds)
    else:
        make() if options.what == "make" else fit()


if __name__ == "__main__":
    sys.exit(main())
