"""[bayes-nmf] Table 1: how Binder's criterion and the factorization are related; its statements as identities, checked.

The table has no figures. What it states, and what section 4.2 says of it: with a binary matrix the absolute and the
squared distance to the similarity matrix have the same minimiser; a real matrix W H comes closer than a binary one; its
columns give a hard partition and a soft one. Cells are "all/3" (every partition of a few items) and "galaxy".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from partita.reproduce.bayes.pictures import together
from partita.reproduce.bayes.rules import by_share
from partita.reproduce.bayes.sampling import settings_of
from partita.reproduce.experiment import Cell, Experiment, Numbers, Size
from partita.reproduce.outcome import Entry, Finding, Outcome, Table

__all__ = ["Table1", "every_partition"]


CASES: dict[Size, int] = {"full": 50, "quick": 20, "smoke": 2}
ITEMS, DRAWS = 7, 25
# What rounding may leave of a difference that is zero, for sums of a few thousand terms.
ROUNDING = 1e-9


def every_partition(n: int) -> Iterator[tuple[int, ...]]:
    """Yield labels of all partitions of n items, each once.

    >>> len(list(every_partition(5)))
    52
    """

    def grown(labels: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(labels) == n:
            yield labels
            return
        for k in range(max(labels) + 2):
            yield from grown((*labels, k))

    return grown((0,))


class Table1(Experiment):
    """Three rows: optimisation, approximation, partition."""

    name = "bayes-nmf-table1"
    paper = "bayes-nmf"
    title = "Table 1: Binder's criterion and NMF, its statements checked"

    def cells(self, size: Size) -> Sequence[Cell]:
        settings = settings_of(size)
        return [*(Cell(f"all/{c}") for c in range(CASES[size])), Cell("galaxy", settings)]

    def compute(self, cell: Cell, rng: np.random.Generator) -> Numbers:
        return _galaxy(cell.settings) if cell.key == "galaxy" else _all(rng)

    def outcome(self, found: Mapping[str, Numbers], size: Size) -> Outcome:
        cases = [numbers for key, numbers in found.items() if key.startswith("all/")]
        shift = max(float(each["shift"]) for each in cases)
        same = float(np.mean([each["same"] for each in cases]))
        rand = max(float(each["rand"]) for each in cases)
        galaxy = found["galaxy"]["K"]
        closer = float(np.mean([row["real"] < row["binary"] for row in galaxy]))
        ratio = [row["real"] / row["binary"] for row in galaxy]
        soft = max(float(row["simplex"]) for row in galaxy)
        hard = min(float(row["argmax"]) for row in galaxy)
        rows = [
            (
                "optimization",
                [
                    Entry(words="min sum |pi - pi*| over partitions"),
                    Entry(words="min ||pi - W H||^2 over W, H >= 0"),
                    Entry(words=f"same minimiser in {same:.0%} of {len(cases)} cases"),
                ],
            ),
            (
                "approximation",
                [
                    Entry(words="binary pi*"),
                    Entry(words="real pi* = W H"),
                    Entry(words=f"W H closer at {closer:.0%} of K = 2 to {galaxy[-1]['K']}"),
                ],
            ),
            (
                "partition",
                [
                    Entry(words="hard"),
                    Entry(words="hard or soft"),
                    Entry(words=f"rows sum to 1 within {soft:.0e}; argmax is the hard one for {hard:.0%}"),
                ],
            ),
        ]
        heads = ["Binder's criterion", "NMF partition", "checked"]
        squares = [
            (f"K = {row['K']}", [Entry(row["binary"]), Entry(row["real"]), Entry(row["real"] / row["binary"])])
            for row in galaxy
        ]
        return Outcome(
            tables=[
                Table("statements", "Statements of Table 1", heads, rows),
                Table(
                    "galaxy",
                    "Galaxies: squared distance to the similarity matrix over all pairs of items",
                    ["best cut into K", "NMF-ls with K", "ratio"],
                    squares,
                    digits=3,
                ),
            ],
            findings=[
                Finding(
                    "With a binary matrix the absolute distance has the minimiser of the squared one.",
                    by_share(same, whole=1.0),
                    f"Over all {found['all/0']['n']:,} partitions of {ITEMS} items: the same minimiser in {same:.0%} "
                    f"of {len(cases)} similarity matrices, as the two differ by sum pi (1 - pi) for every partition; "
                    f"largest deviation from that {shift:.1e}.",
                ),
                Finding(
                    "Rand = 1 - Binder's loss / number of pairs, eq. (12).",
                    "reproduced" if rand < ROUNDING else "not reproduced",
                    f"Expected Rand index over the draws against the loss: largest deviation {rand:.1e}.",
                ),
                Finding(
                    "A real matrix of rank K can be much closer to the similarity matrix than a binary one.",
                    by_share(closer, whole=1.0),
                    f"On the galaxies NMF-ls leaves {min(ratio):.0%} to {max(ratio):.0%} of the squared distance of "
                    f"the best cut of the dendrogram into as many clusters, K = 2 to {galaxy[-1]['K']}.",
                ),
                Finding(
                    "H gives a hard partition, eq. (20), and a soft one, eq. (21).",
                    "reproduced" if soft < ROUNDING and hard == 1.0 else "not reproduced",
                    f"Soft rows sum to one within {soft:.1e}, and their largest entry is the hard cluster of "
                    f"{hard:.0%} of the galaxies.",
                ),
            ],
            settings={"items": ITEMS, "draws of each case": DRAWS, "galaxies": "starts of least objective, default"},
            choices=["The table is in words; these checks are ours."],
            sources=_sources(),
        )


def _sources() -> dict[str, str]:
    from partita.datasets import describe

    return {"galaxy_mcmc": f"sha256 {describe('galaxy_mcmc').sha256}"}


def _all(rng: np.random.Generator) -> Numbers:
    """Every partition of a few items against the similarity matrix of random draws."""
    from sklearn.metrics import rand_score

    draws = rng.integers(int(rng.integers(2, 5)), size=(DRAWS, ITEMS))
    V = np.mean([together(draw) for draw in draws], axis=0)
    apart = np.triu_indices(ITEMS, 1)
    partitions = list(every_partition(ITEMS))
    absolute = np.array([np.abs(V - together(labels))[apart].sum() for labels in partitions])
    squared = np.array([((V - together(labels))[apart] ** 2).sum() for labels in partitions])
    constant = float((V * (1 - V))[apart].sum())
    least_absolute = np.flatnonzero(absolute < absolute.min() + ROUNDING)
    least_squared = np.flatnonzero(squared < squared.min() + ROUNDING)
    best = int(least_absolute[0])
    rand = float(np.mean([rand_score(draw, partitions[best]) for draw in draws]))
    return {
        "n": len(partitions),
        "shift": float(np.abs(absolute - squared - constant).max()),
        "same": bool(np.array_equal(least_absolute, least_squared)),
        "rand": abs(rand - (1 - float(absolute[best]) / len(apart[0]))),
    }


def _galaxy(settings: Mapping[str, int]) -> Numbers:
    """Squared distances of the best cut into K clusters and of NMF-ls, and what its H says."""
    from partita.datasets import load_dataset
    from partita.nmf import nmf
    from partita.partition import Dendrogram, posterior_similarity

    V = np.asarray(posterior_similarity(load_dataset("galaxy_mcmc").X))
    tree, rows = Dendrogram.of(V, "average"), []
    for K in range(2, settings["largest_K"] + 1):
        found = nmf(V, K, method="ls", scaling="plain", max_iter=settings["max_iter"], seed=0, n_jobs=1)
        soft = found.H.T / found.H.sum(axis=0)[:, None]
        cluster = found.components[found.labels]
        rows.append(
            {
                "K": K,
                "binary": float(((V - together(tree.cut(len(V) - K))) ** 2).sum()),
                "real": float(((V - found.W @ found.H) ** 2).sum()),
                "simplex": float(np.abs(soft.sum(axis=1) - 1).max()),
                "argmax": float((soft.argmax(axis=1) == cluster).mean()),
            }
        )
    return {"K": rows}
