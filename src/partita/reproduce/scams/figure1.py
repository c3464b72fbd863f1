"""Figure 1 of [li2014]: a contaminated affinity of five clusters, the G that is recovered, and perfect blocks.

The paper does not say what the affinity is. Three constructions, each five clusters of 50: SSC and LRR of its own noise
test, and blocks with gaps and spurious entries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array, Labels
from partita.reproduce.experiment import Cell, Experiment, Numbers, Size
from partita.reproduce.outcome import Drawing, Entry, Finding, Outcome, Table
from partita.reproduce.scams.affinities import CHOICES, affinities
from partita.reproduce.scams.methods import printed
from partita.reproduce.scams.verdicts import finding, shown_to

__all__ = ["Figure1", "contaminated"]


CONSTRUCTIONS = {
    "SSC": "SSC, noise .2",
    "LRR": "LRR, noise .2",
    "blocks": "blocks with gaps and spurious entries",
}
NOISE = 0.2
# Of the blocks: pairs kept within clusters, pairs that are spurious between them, and how large those are at most.
KEPT, SPURIOUS, LARGEST = 0.5, 0.05, 0.1
CLUSTERS, ITEMS = 5, 50
# "almost perfect": ordered pairs that the pattern has wrong, as a share of all.
ALMOST = 0.02


class Figure1(Experiment):
    """A contaminated affinity of five clusters and what SCAMS makes of it."""

    name = "scams-figure1"
    paper = "li2014"
    title = "Figure 1: a contaminated affinity with five clusters, the recovered G, and perfect blocks"

    def cells(self, size: Size) -> Sequence[Cell]:
        return [Cell(each) for each in CONSTRUCTIONS if size != "smoke" or each == "blocks"]

    def compute(self, cell: Cell, rng: np.random.Generator) -> Numbers:
        from partita.metrics import adjusted_rand_index
        from partita.scams import boolean_factorization, scams_local

        seed = int(rng.integers(2**31))
        A, truth = contaminated(cell.key, seed)
        result = printed(A)
        groups = boolean_factorization(result.pattern, A, max_clusters=result.max_clusters)
        local = scams_local(A, seed=0)
        together = truth[:, None] == truth
        return {
            "seed": seed,
            "iterations": result.n_iter,
            "rank": int(result.rank[-1]),
            "wrong": float((result.pattern != together).mean()),
            "wrong_affinity": float(((A > 0) != together)[~np.eye(len(A), dtype=bool)].mean()),
            "pattern": np.packbits(result.pattern).tobytes().hex(),
            "labels": groups.labels.tolist(),
            "adjusted": adjusted_rand_index(groups.labels, truth),
            "K": groups.n_clusters,
            "ours": local.labels.tolist(),
            "ours_adjusted": adjusted_rand_index(local.labels, truth),
            "ours_K": local.n_clusters,
        }

    def outcome(self, found: Mapping[str, Numbers], size: Size) -> Outcome:
        return Outcome(
            tables=[table_of(found)],
            drawings=[pictures(found)],
            findings=claims(found),
            settings={
                "clusters": CLUSTERS,
                "items of each": ITEMS,
                "noise of the subspaces": NOISE,
                "blocks": f"{KEPT:g} of the pairs within clusters kept, uniform on (0, 1); {SPURIOUS:g} of the pairs "
                f"between spurious, uniform on (0, {LARGEST:g})",
                "SCAMS as printed": "lambda 2, gamma .005, mu 1e6, rho 1.1, epsilon 1e-8",
                "affinities": {kind: each.builder.config() for kind, each in affinities("paper").items()},
            },
            choices=[
                "The affinity of the picture is not told: neither its items, their number nor how it was contaminated. "
                "Three constructions of five clusters of 50 stand for it.",
                *CHOICES[:1],
                CHOICES[2],
            ],
            sources={"generated": "partita.datasets.noise_test, and blocks as in the settings"},
        )


def contaminated(which: str, seed: int) -> tuple[Array, Labels]:
    """Return one of the three affinities, its diagonal zero, and the clusters."""
    rng = np.random.default_rng(seed)
    if which in ("SSC", "LRR"):
        from partita.datasets import noise_test

        X, truth = noise_test(NOISE, rng)
        A = np.array(affinities("paper")[which].builder.build(X, n_clusters=CLUSTERS).affinity.to_dense())
    else:
        truth = np.repeat(np.arange(CLUSTERS), ITEMS)
        together = truth[:, None] == truth
        chance, size = rng.random((2, len(truth), len(truth)))
        upper = np.triu(np.where(together, size, LARGEST * size) * (chance < np.where(together, KEPT, SPURIOUS)), 1)
        A = upper + upper.T
    np.fill_diagonal(A, 0.0)
    return A, truth


def claims(found: Mapping[str, Numbers]) -> list[Finding]:
    """Return findings on the two claims of the caption."""
    wrong = {CONSTRUCTIONS[key]: cell["wrong"] for key, cell in found.items()}
    blocks = {CONSTRUCTIONS[key]: cell["adjusted"] for key, cell in found.items()}
    ours = {CONSTRUCTIONS[key]: cell["ours_adjusted"] for key, cell in found.items()}
    return [
        finding(
            "The recovered G contains five almost perfect blocks.",
            {f"at most 2% of the pairs wrong: {name}": share <= ALMOST for name, share in wrong.items()},
            "Share of pairs that the pattern of G has wrong: "
            + "; ".join(f"{name} {shown_to(share, 4)}" for name, share in wrong.items()),
        ),
        finding(
            "The Boolean factorization makes perfect blocks of it.",
            {f"adjusted Rand index of 1: {name}": value == 1.0 for name, value in blocks.items()},
            "Adjusted Rand index after it: "
            + "; ".join(f"{name} {shown_to(value)}" for name, value in blocks.items())
            + ". Our search: "
            + "; ".join(f"{name} {shown_to(value)}" for name, value in ours.items()),
        ),
    ]


def table_of(found: Mapping[str, Numbers]) -> Table:
    """Return the table of what each step leaves wrong."""
    heads = "wrong in A > 0, wrong in G, rank of G, K after, adjusted Rand, ours: K, ours: adjusted"
    rows = [
        (
            CONSTRUCTIONS[key],
            [
                Entry(cell[name])
                for name in ("wrong_affinity", "wrong", "rank", "K", "adjusted", "ours_K", "ours_adjusted")
            ],
        )
        for key, cell in found.items()
    ]
    return Table(
        "recovered",
        "What is recovered of five blocks: shares of pairs wrong, and scores",
        heads.split(", "),
        rows,
        digits=3,
        corner="A",
    )


def pictures(found: Mapping[str, Numbers]) -> Drawing:
    """Return A, G and the blocks, a row for each construction."""

    def draw(figure: Any) -> None:
        from partita.plots.palette import SEQUENTIAL

        axes = figure.subplots(len(found), 4, squeeze=False)
        for row, (key, cell) in zip(axes, found.items(), strict=True):
            A, _ = contaminated(key, cell["seed"])
            bits = np.frombuffer(bytes.fromhex(cell["pattern"]), dtype=np.uint8)
            pattern = np.unpackbits(bits, count=A.size).reshape(A.shape)
            steps: list[tuple[NDArray[Any], str]] = [
                (A, f"A: {CONSTRUCTIONS[key]}"),
                (pattern, "recovered G, above .5"),
            ]
            for labels, title in ((cell["labels"], "after AssoCBMF"), (cell["ours"], "ours")):
                steps.append((np.equal.outer(np.array(labels), np.array(labels)).astype(float), title))
            for ax, (matrix, title) in zip(row, steps, strict=True):
                positive = matrix[matrix > 0]
                top = float(np.quantile(positive, 0.9)) if positive.size else 1.0
                ax.imshow(matrix, cmap=SEQUENTIAL, vmin=0.0, vmax=max(top, 1e-12), interpolation="nearest")
                ax.set(xticks=[], yticks=[])
                ax.set_title(title, fontsize=9)

    return Drawing(
        "figure1",
        "The paper's figure has one contaminated affinity on the left and the recovered G on the right; the affinity "
        "is not described, so three stand for it. Items stand cluster by cluster; the darkest is the ninth decile of "
        "the positive entries.",
        "Three rows of four square matrices: affinity, recovered G, blocks after the Boolean factorization, blocks of "
        "our search.",
        draw,
        size=(11.0, 2.9 * len(found)),
        series={
            name: [CONSTRUCTIONS[key] if name == "affinity" else cell[name] for key, cell in found.items()]
            for name in ("affinity", "seed", "iterations", "rank", "wrong", "K", "adjusted", "ours_K", "ours_adjusted")
        },
    )
