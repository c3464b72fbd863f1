"""Tables as they come: columns of words, missing cells, a column in another unit.

    PARTITA_DATA=... python benchmarks/mixed_tables.py [--items 1000] [--only SUBSTRING]
    PARTITA_DATA=... python benchmarks/mixed_tables.py --units     # a column times 1,000, every development set
    PARTITA_DATA=... python benchmarks/mixed_tables.py --choose --items 600    # other weights, other ways to fill
    PARTITA_DATA=... python benchmarks/mixed_tables.py --words --items 800     # every column of words
    PARTITA_DATA=... python benchmarks/mixed_tables.py --beside --items 400    # categories beside numbers, K found
    python benchmarks/mixed_tables.py --rounded        # rounded numbers, most rows of which are copies

True K is given, labels are used for scoring alone, and of more than `--items` rows a random sample is taken. "words": a
third of the columns, drawn at random, are cut at 2 to 5 quantiles into categories called by letters. "20% missing":
cells drawn at random. "x 1,000": the first and the last column that vary, one at a time, means of two fits. Beside the
ensemble k-means has zeros and ones for categories, means for missing cells, and every column standardised.

With `--words` every column of a table, of 40 at most, is cut at its median, or at its quartiles; the number of clusters
is given, and found. Beside them are drawn tables of words: latent classes whose words have probabilities drawn from a
Dirichlet distribution, as many classes as it comes, and columns that tell nothing of each other.

With `--beside` the number of clusters is given, and found, of tables that have both kinds of columns: drawn classes;
columns that tell nothing of each other, with normal, long-tailed, skewed and uniform numbers (one cluster); development
sets of three columns at most with two columns of categories added, which tell nothing, or of which each cluster has a
category of its own that 70% of its items have; and the real tables, a third of whose columns is cut.

With `--rounded` the tables are Gaussian clusters, rounded to a few values, and the number is found.

Other drawn tables are latent classes: each class has a mean, at a distance from the others', and its own word in each
column of words, which an item has with a probability and else any word.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans

from partita import SoftClustering, metrics
from partita.estimators import encoding
from partita.estimators.mixed_table import MixedTable, words
from partita.kernels import fill
from quality import tables
from sets import development, load

SHARES = (0.1, 0.2, 0.4)
LETTERS = np.array(list("abcde"), dtype=object)
# Distance of two categories; neighbours of a missing cell, nearest donors looked at, and rounds. All donors: the mean.
APART = (0.5, 0.7, 1.0, 1.4, 2.0)
FILLS = ((5, 60, 1), (20, 60, 1), (20, 60, 3), (30, 90, 3), (10**6, 10**6, 1))
# Classes, columns of numbers and of words, distance of the means, probability of a class's own word.
DRAWN = {
    "both tell": (3, 3, 3, 3.0, 0.8),
    "numbers tell": (3, 3, 3, 5.0, 0.4),
    "words tell": (3, 3, 5, 1.0, 0.9),
    "words alone": (3, 0, 6, 0.0, 0.8),
}
DRAWS = 5
# More of them where the number is found: classes, columns of numbers and of words, distance, probability of the own.
BESIDE = ((2, 4, 4, 2.5, 0.75), (3, 1, 4, 2.0, 0.85), (4, 2, 2, 5.0, 0.7), (5, 5, 5, 3.0, 0.8))
ONE, SMALL = ("normal", "long tails", "skewed", "uniform"), 3
# Rounded clusters: how many, columns, values of each, rows, and half the least distance of their means.
ROUNDED = (
    (1, 2, 5, 1000, 0.0),
    (1, 2, 10, 1000, 0.0),
    (1, 3, 4, 1000, 0.0),
    (2, 2, 7, 1000, 1.6),
    (3, 2, 10, 1000, 1.9),
    (3, 3, 5, 600, 1.3),
    (3, 4, 5, 1000, 1.2),
    (4, 3, 7, 1500, 1.6),
)
# Tables of words alone: columns at most, drawn tables of each kind, and their rows.
MOST_WORDS, WORDS_DRAWN, WORDS_N = 40, 40, (200, 500, 1500)


def sampled(name: str, items: int) -> tuple[np.ndarray, np.ndarray, int]:
    X, y, K = load(name)
    if len(X) > items:
        rows = np.sort(np.random.default_rng(0).choice(len(X), items, replace=False))
        X, y = X[rows], y[rows]
    return X, y, K


def table_of(X: np.ndarray) -> MixedTable:
    return MixedTable(tuple(f"x{j}" for j in range(X.shape[1])), tuple(X.T))


def with_words(table: MixedTable, seed: int = 0) -> MixedTable:
    """A third of the columns cut into categories."""
    rng, columns = np.random.default_rng(seed), list(table.columns)
    able = [j for j, column in enumerate(columns) if len(np.unique(column)) > 2]
    for j in sorted(rng.choice(able, max(1, round(len(able) / 3)), replace=False)):
        parts = int(rng.integers(2, 6))
        cuts = np.unique(np.quantile(columns[j], np.arange(1, parts) / parts))
        columns[j] = LETTERS[np.searchsorted(cuts, columns[j], side="right")]
    return MixedTable(table.names, tuple(columns))


def with_gaps(table: MixedTable, share: float, seed: int = 0) -> MixedTable:
    """Cells taken out at random, and columns that have none left."""
    rng = np.random.default_rng([seed, round(100 * share)])
    gaps = share > rng.random(table.shape).T
    columns = [
        np.where(gap, np.nan, column) if column.dtype.kind == "f" else words(np.where(gap, None, column))
        for gap, column in zip(gaps, table.columns)
    ]
    kept = [j for j in range(len(columns)) if not gaps[j].all()]
    return MixedTable(tuple(table.names[j] for j in kept), tuple(columns[j] for j in kept))


def rescaled(X: np.ndarray) -> Iterator[np.ndarray]:
    varying = np.flatnonzero(X.std(axis=0) > 0)
    for j in (varying[0], varying[-1]):
        Y = X.copy()
        Y[:, j] *= 1000.0
        yield Y


def drawn(K: int, numbers: int, categories: int, apart: float, own: float, seed: int) -> tuple[MixedTable, np.ndarray]:
    """300 items of latent classes."""
    rng, n = np.random.default_rng(seed), 300
    y = rng.integers(0, K, n)
    centres = rng.normal(size=(K, numbers))
    centres *= apart / np.sqrt((centres**2).sum(axis=1).mean() or 1.0)
    columns = list((rng.normal(size=(n, numbers)) + centres[y]).T)
    for _ in range(categories):
        of_class = rng.integers(0, int(rng.integers(2, 6)), K)
        word = np.where(rng.random(n) < own, of_class[y], rng.integers(0, of_class.max() + 1, n))
        columns.append(LETTERS[word])
    return MixedTable(tuple(f"x{j}" for j in range(len(columns))), tuple(columns)), y


def variants(X: np.ndarray) -> dict[str, list[MixedTable]]:
    table = table_of(X)
    made = {"as it is": [table], "words": [with_words(table)]}
    made |= {f"{share:.0%} missing": [with_gaps(table, share)] for share in SHARES}
    made["words, 20% missing"] = [with_gaps(with_words(table), 0.2)]
    return made | {"x 1,000": [table_of(Y) for Y in rescaled(X)]}


def ensemble(table: MixedTable, K: int) -> np.ndarray:
    return SoftClustering(K, affinity="ensemble", random_state=0).fit(table).labels_


def k_means(table: MixedTable, K: int) -> np.ndarray:
    """Zeros and ones for categories, means for missing cells, every column standardised."""
    blocks = []
    for column in table.columns:
        if column.dtype.kind == "f":
            block = column[:, None]
        else:
            found = sorted({word for word in column if word is not None})
            gap = np.equal(column, None).astype(bool)
            block = np.where(gap[:, None], np.nan, column[:, None] == np.array(found, dtype=object))
        block = block.astype(float)
        block = np.where(np.isnan(block), np.nanmean(block, axis=0), block)
        spread = block.std(axis=0)
        blocks.append((block - block.mean(axis=0)) / np.where(spread > 0, spread, 1.0))
    return KMeans(K, n_init=10, random_state=0).fit_predict(np.hstack(blocks))


def score(made: list[MixedTable], y: np.ndarray, K: int) -> list[float]:
    """Adjusted Rand index of each method, a mean over the tables."""
    return [
        float(np.mean([metrics.adjusted_rand_index(method(table, K), y) for table in made]))
        for method in (ensemble, k_means)
    ]


def of_tables(items: int, only: str) -> None:
    scores = []
    for name in (name for name in tables() if only in name):
        X, y, K = sampled(name, items)
        found = {variant: score(made, y, K) for variant, made in variants(X).items()}
        if not scores:
            print("| set | N | " + " | ".join(found) + " |\n|---|---|" + "---|" * len(found))
        scores.append(list(found.values()))
        print(f"| {name} | {len(X)} | " + " | ".join(f"{a:.3f} ({b:.3f})" for a, b in scores[-1]) + " |", flush=True)
    means = np.mean(scores, axis=0)
    print("| **mean** | | " + " | ".join(f"**{a:.3f}** ({b:.3f})" for a, b in means) + " |")


def of_units(items: int, only: str) -> None:
    """A column times 1,000: the cost in mean adjusted Rand index over the development sets."""
    scores = []
    print("| set | as it is | first x 1,000 | last x 1,000 |\n|---|---|---|---|")
    for name in (name for name in development() if only in name):
        X, y, K = sampled(name, items)
        made = [X, *rescaled(X)]
        scores.append([metrics.adjusted_rand_index(ensemble(table_of(Y), K), y) for Y in made])
        print(f"| {name} | " + " | ".join(f"{value:.3f}" for value in scores[-1]) + " |", flush=True)
    print("| **mean** | " + " | ".join(f"**{value:.3f}**" for value in np.mean(scores, axis=0)) + " |")


def to_choose(items: int, only: str) -> None:
    """Means over the tables of other distances of two categories, and of other ways to fill; drawn tables too."""
    sets = [sampled(name, items) for name in tables() if only in name]

    def mean(change: Callable[[MixedTable], MixedTable]) -> float:
        return float(np.mean([score([change(table_of(X))], y, K)[0] for X, y, K in sets]))

    print("| distance of two categories | words | " + " | ".join(DRAWN) + " |\n|---|---|" + "---|" * len(DRAWN))
    usual = encoding.APART
    for apart in APART:
        encoding.APART = apart
        cells = [mean(with_words)]
        for K, *how in DRAWN.values():
            made = [drawn(K, *how, seed) for seed in range(DRAWS)]
            cells.append(float(np.mean([score([table], y, K)[0] for table, y in made])))
        print(f"| {apart:g} | " + " | ".join(f"{value:.3f}" for value in cells) + " |", flush=True)
    encoding.APART = usual
    made = [(K, [drawn(K, *how, seed) for seed in range(DRAWS)]) for K, *how in DRAWN.values()]
    peer = [np.mean([score([table], y, K)[1] for table, y in tables_]) for K, tables_ in made]
    print("| k-means | | " + " | ".join(f"{value:.3f}" for value in peer) + " |")
    print(
        "\n| neighbours, rounds | " + " | ".join(f"{share:.0%} missing" for share in SHARES) + " |\n|---|---|---|---|"
    )
    for neighbors, among, rounds in FILLS:
        fill.NEIGHBORS, fill.AMONG, fill.ROUNDS = neighbors, among, rounds
        cells = [mean(lambda table, share=share: with_gaps(table, share, 1)) for share in SHARES]
        name = f"{neighbors}, {rounds}" if neighbors < items else "column means"
        print(f"| {name} | " + " | ".join(f"{value:.3f}" for value in cells) + " |", flush=True)


def all_words(X: np.ndarray, parts: int, seed: int = 0) -> MixedTable:
    """Every column cut at quantiles; 40 columns at most."""
    varying = np.flatnonzero(X.std(axis=0) > X.std(axis=0).max() / 4 if X.shape[1] > MOST_WORDS else X.std(axis=0) > 0)
    kept = np.sort(np.random.default_rng(seed).choice(varying, min(len(varying), MOST_WORDS), replace=False))
    columns = []
    for x in X[:, kept].T:
        cuts = np.unique(np.quantile(x, np.arange(1, parts) / parts))
        code = np.searchsorted(cuts, x, side="left")
        columns.append(LETTERS[code if code.any() else np.searchsorted(cuts, x, side="right")])
    columns = [column for column in columns if len(set(column)) > 1]
    return MixedTable(tuple(f"x{j}" for j in range(len(columns))), tuple(columns))


def drawn_words(rng: np.random.Generator, alike: bool) -> tuple[MixedTable, np.ndarray]:
    """A table of latent classes, or of columns that tell nothing of each other (one class)."""
    K, d, parts, n = 1 if alike else rng.integers(2, 7), rng.integers(4, 11), rng.integers(2, 5), rng.choice(WORDS_N)
    p = rng.dirichlet(np.full(parts, rng.choice([0.3, 0.6])), size=(K, d))
    y = rng.choice(K, p=rng.dirichlet(np.full(K, 5.0)), size=n)
    columns = []
    for j in range(d):
        code = (rng.random((n, 1)) > np.cumsum(p[y, j], axis=1)).sum(axis=1).clip(0, parts - 1)
        columns.append(LETTERS[code])
    columns = [column for column in columns if len(set(column)) > 1]
    return MixedTable(tuple(f"x{j}" for j in range(len(columns))), tuple(columns)), y


def of_words(items: int, only: str) -> None:
    """Tables of words alone: adjusted Rand index with K found and given, and k-means with K given."""
    print("| set | rows | distinct | K | found | K found | K given | k-means |\n|---|---|---|---|---|---|---|---|")
    made = []
    for name in (name for name in tables() if only in name):
        X, y, K = sampled(name, items)
        made += [(f"{name}, {parts} words", all_words(X, parts), y, K, "tables") for parts in (2, 4)]
    for seed in range(2 * WORDS_DRAWN if not only else 0):
        table, y = drawn_words(np.random.default_rng(seed), alike=seed % 2 == 1)
        made.append((f"drawn, {seed}", table, y, len(np.unique(y)), "one class" if seed % 2 else "classes"))
    scores: dict[str, list[list[float]]] = {}
    for name, table, y, K, family in made:
        distinct = len({*zip(*table.columns)})
        model = SoftClustering(random_state=0).fit(table)
        found = [
            metrics.adjusted_rand_index(labels, y) for labels in (model.labels_, ensemble(table, K), k_means(table, K))
        ]
        own = [distinct / len(y), model.n_clusters_ == K, *found]
        scores.setdefault(family, []).append(own)
        cells = " | ".join(f"{value:.3f}" for value in found)
        print(f"| {name} | {len(y)} | {distinct} | {K} | {model.n_clusters_} | {cells} |", flush=True)
    for family, rows in scores.items():
        for what, few in (("copies are half or more", True), ("fewer copies", False)):
            own = np.array([row for row in rows if (row[0] <= 0.5) == few])
            if len(own):
                _, right, *means = own.mean(axis=0)
                cells = " | ".join(f"**{value:.3f}**" for value in means)
                print(f"| **{family}, {what}** | {len(own)} sets | | | {right:.0%} right | {cells} |")


def one_cluster(kind: str, seed: int) -> tuple[MixedTable, np.ndarray]:
    """Columns that tell nothing of each other: one cluster."""
    rng = np.random.default_rng([seed, ONE.index(kind)])
    n, numbers, categories = int(rng.choice((200, 600))), int(rng.integers(1, 6)), int(rng.integers(1, 6))
    Z = rng.normal(size=(n, numbers))
    X = {
        "normal": Z,
        "skewed": np.exp(0.7 * Z),
        "uniform": rng.random(Z.shape),
        "long tails": rng.standard_t(3, Z.shape),
    }
    columns = [LETTERS[rng.choice(m, n, p=rng.dirichlet(np.full(m, 3.0)))] for m in rng.integers(2, 6, categories)]
    columns = [column for column in columns if len(set(column)) > 1]
    return MixedTable(tuple(f"x{j}" for j in range(numbers + len(columns))), (*X[kind].T, *columns)), np.zeros(n, int)


def with_added(X: np.ndarray, y: np.ndarray, tells: bool, seed: int) -> MixedTable:
    """A set with two columns of categories more."""
    rng, columns = np.random.default_rng([seed, tells]), []
    for m in rng.integers(2, 5, 2):
        word = rng.integers(m, size=len(X))
        if tells:
            own = rng.integers(m, size=len(np.unique(y)))[np.unique(y, return_inverse=True)[1]]
            word = np.where(rng.random(len(X)) < 0.7, own, word)
        columns.append(LETTERS[word])
    return MixedTable(tuple(f"x{j}" for j in range(X.shape[1] + 2)), (*X.T, *columns))


def wrongly_labelled(labels: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Items whose cluster is not that of their class, in the best matching of the two."""
    classes = np.unique(y, return_inverse=True)[1]
    table = np.zeros((labels.max() + 1, classes.max() + 1))
    np.add.at(table, (labels, classes), 1)
    clusters, matched = linear_sum_assignment(-table)
    class_of = np.full(len(table), -1)
    class_of[clusters] = matched
    return class_of[labels] != classes


def of_beside(items: int, only: str) -> None:
    """Categories beside numbers: adjusted Rand index with K found and given, k-means with K given, outliers."""
    made: list[tuple[str, MixedTable, np.ndarray, int]] = []
    for K, *how in [*(each for each in DRAWN.values() if each[1]), *BESIDE]:
        made += [("drawn classes", *drawn(K, *how, 10 + seed), K) for seed in range(DRAWS)]
    made += [(f"one cluster, {kind}", *one_cluster(kind, seed), 1) for kind in ONE for seed in range(2 * DRAWS)]
    for seed, name in enumerate(name for name in development() if only in name):
        X, y, K = sampled(name, items)
        if X.shape[1] <= SMALL:
            made.append(("sets, two columns that tell nothing", with_added(X, y, False, seed), y, K))
            made.append(("sets, two columns that tell", with_added(X, y, True, seed), y, K))
    for name in (name for name in tables() if only in name):
        X, y, K = sampled(name, items)
        made.append(("real tables, a third of the columns cut", with_words(table_of(X)), y, K))
    scores: dict[str, list[list[float]]] = {}
    for family, table, y, K in made:
        model = SoftClustering(random_state=0).fit(table)
        given = [SoftClustering(K, random_state=0).fit(table).labels_, k_means(table, K)] if K > 1 else [y, y]
        found = [metrics.adjusted_rand_index(labels, y) for labels in (model.labels_, *given)]
        sure = model.confident(error=0.05).mask
        wrong = wrongly_labelled(model.labels_, y)[sure].sum()
        own = [model.n_clusters_ == K, *found, float((model.outlier_ > 0.5).mean()), sure.sum(), wrong, len(y)]
        scores.setdefault(family, []).append(own)
    heads = (
        "tables",
        "sets",
        "number right",
        "K found",
        "K given",
        "k-means",
        "outliers",
        "items at 5%",
        "wrong of these",
    )
    print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for family, rows in scores.items():
        right, *means, outliers, sure, wrong, n = np.mean(rows, axis=0)
        cells = " | ".join(f"{value:.3f}" for value in means)
        certain = f"{sure / n:.0%} | {wrong / max(sure, 1):.1%}"
        print(f"| {family} | {len(rows)} | {right:.0%} | {cells} | {outliers:.1%} | {certain} |", flush=True)


def of_rounded(*_: object) -> None:
    """Rounded Gaussian clusters: adjusted Rand index and number with K found, over five draws."""
    print("| K | columns | values | rows | distinct | K found | adjusted Rand index |\n|---|---|---|---|---|---|---|")
    for K, d, values, n, apart in ROUNDED:
        distinct, found, scores = [], [], []
        for seed in range(DRAWS):
            rng = np.random.default_rng(100 + seed)
            y, means = rng.integers(K, size=n), rng.normal(size=(K, d))
            gaps = [np.linalg.norm(means[i] - means[j]) / 2 for i in range(K) for j in range(i)]
            Z = (means * (apart / min(gaps) if gaps else 0.0))[y] + 0.8 * rng.normal(size=(n, d))
            low, high = np.quantile(Z, (0.005, 0.995), axis=0)
            X = np.round((Z - low) * (values - 1) / (high - low)).clip(0, values - 1)
            model = SoftClustering(random_state=0).fit(X)
            distinct.append(len(np.unique(X, axis=0)))
            found.append(model.n_clusters_)
            scores.append(metrics.adjusted_rand_index(model.labels_, y))
        cells = f"{np.mean(distinct):.0f} | {', '.join(map(str, found))} | {np.mean(scores):.2f}"
        print(f"| {K} | {d} | {values} | {n:,} | {cells} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=1000, help="rows of a set at most")
    parser.add_argument("--only", default="", help="sets whose name holds this")
    parser.add_argument("--units", action="store_true", help="a column times 1,000, over the development sets")
    parser.add_argument("--choose", action="store_true", help="other weights of categories, other ways to fill")
    parser.add_argument("--rounded", action="store_true", help="rounded numbers")
    parser.add_argument("--beside", action="store_true", help="categories beside numbers")
    parser.add_argument("--words", action="store_true", help="tables of words alone")
    given = parser.parse_args()
    ways = {"choose": to_choose, "units": of_units, "words": of_words, "beside": of_beside, "rounded": of_rounded}
    what = next((way for name, way in ways.items() if getattr(given, name)), of_tables)
    what(given.items, given.only)


if __name__ == "__main__":
    main()
