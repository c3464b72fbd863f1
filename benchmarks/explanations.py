"""Explanations: how often shuffled labels pass, whether held-out figures hold on fresh items, and the time it takes.

    python benchmarks/explanations.py          # some five minutes on one core

The figures of docs/explain.md.
"""

from __future__ import annotations

import time

import numpy as np
from sklearn.datasets import load_digits, load_iris, load_wine

from partita.explanation import explain_clusters


def tables():
    """Tables of real and of random numbers with their labels, and how often each is shuffled."""
    for load, times in ((load_iris, 200), (load_wine, 200), (load_digits, 20)):
        X, labels = load(return_X_y=True)
        yield load.__name__[5:], X, labels, times
    rng = np.random.default_rng(1)
    sizes = [(30, 1, 2), (60, 1, 3), (30, 100, 3), (200, 1, 2), (200, 2, 2), (200, 100, 5), (1000, 5, 10), (2000, 1, 2)]
    for n, d, K in [*sizes, (60, 5, 6)]:
        yield f"{n} x {d}, {K} clusters", rng.normal(size=(n, d)), np.arange(n) % K, 200 if n * d < 20_000 else 60
    yield "300 x 2, 30 and 270", rng.normal(size=(300, 2)), (np.arange(300) < 270).astype(int), 200
    yield "300 x 5 zeros and ones", rng.integers(0, 2, size=(300, 5)).astype(float), np.arange(300) % 3, 200
    for n, d, K in ((600, 7, 3), (300, 5, 2), (2000, 10, 4)):  # copies have one label each
        X = (rng.random((n, d)) < rng.uniform(0.1, 0.5, size=d)).astype(float)
        yield f"{n} x {d} zeros and ones, labels of patterns", X, np.arange(n) % K, 200


def shuffled() -> None:
    print("| table | shuffles | clusters | told apart | of which from the nearest alone |\n|---|---|---|---|---|")
    for name, X, labels, times in tables():
        clusters, told, near = 0, 0, 0
        for seed in range(times):
            dealt = np.random.default_rng(seed).permutation(labels)
            if "patterns" in name:
                _, first, place = np.unique(X, axis=0, return_index=True, return_inverse=True)
                dealt = np.unique(dealt[first][place.ravel()], return_inverse=True)[1]
            found = explain_clusters(X.T, dealt)
            clusters += len(found)
            told += sum(each.told_apart or each.from_neighbor is not None for each in found)
            near += sum(not each.told_apart and each.from_neighbor is not None for each in found)
        print(f"| {name} | {times} | {clusters} | {told} | {near} |", flush=True)


def fresh(n: int, tables: int = 300) -> None:
    """Precision and recall said of the second of two overlapping clusters, and those on 4,000 fresh items."""
    said, true, held = [], [], []
    for seed in range(tables):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 2, n + 4000)
        X = rng.normal(size=(n + 4000, 2)) + 1.5 * truth[:, None]
        each = explain_clusters(X[:n].T, truth[:n])[1]
        if each.rule is None:
            continue
        picked, inside = each.rule.holds(X[n:].T), truth[n:] == 1
        figures = inside[picked].mean(), picked[inside].mean()
        said.append((each.rule.precision.value, each.rule.recall.value))
        true.append(figures)
        held.append([s.low <= f <= s.high for s, f in zip((each.rule.precision, each.rule.recall), figures)])
    cells = [
        f"{value:.3f}" for row in (np.mean(said, axis=0), np.mean(true, axis=0), np.mean(held, axis=0)) for value in row
    ]
    print(f"| {n} | {' | '.join(cells)} |", flush=True)


def times() -> None:
    print("| rows | columns | clusters | seconds |\n|---|---|---|---|")
    for d, K in ((10, 5), (100, 60)):
        for n in (2000, 20_000, 200_000):
            rng = np.random.default_rng(0)
            labels = np.arange(n) % K
            X = rng.normal(size=(n, d)) + 3 * rng.normal(size=(K, d))[labels]
            began = time.perf_counter()
            explain_clusters(list(X.T), labels)
            print(f"| {n:,} | {d} | {K} | {time.perf_counter() - began:.1f} |", flush=True)


if __name__ == "__main__":
    shuffled()
    print("\n| items | precision said | recall said | precision | recall | interval of precision holds | of recall |")
    print("|---|---|---|---|---|---|---|")
    for n in (100, 200, 1000):
        fresh(n)
    print()
    times()
