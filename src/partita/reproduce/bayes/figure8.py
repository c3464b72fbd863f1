"""[bayes-nmf] Figure 8: the crabs' similarity matrix, and the matrices of eight partitions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.reproduce.bayes import factorizing, sampling, table4
from partita.reproduce.bayes.crabs import Crabs, gathered, sources
from partita.reproduce.bayes.pictures import matrix, together, unpacked
from partita.reproduce.bayes.published import CONVENTIONAL, METHODS, NMF
from partita.reproduce.experiment import Numbers, Size
from partita.reproduce.outcome import Drawing, Entry, Finding, Outcome, Table

__all__ = ["Figure8"]

ROWS = (*CONVENTIONAL, *NMF.values())
# A similarity that is neither nearly zero nor nearly one.
BETWEEN = (0.05, 0.95)


class Figure8(Crabs):
    """Nine matrices, crabs in the order of the four groups."""

    name = "bayes-nmf-figure8"
    title = "Figure 8: the crabs' similarity matrix and eight partitions"

    def outcome(self, found: Mapping[str, Numbers], size: Size) -> Outcome:
        given = found["matrix"]
        truth = np.array(given["truth"])
        order = np.argsort(truth, kind="stable")
        edges = [0, *np.cumsum(np.bincount(truth)).tolist()]
        P = unpacked(given["similarity"])
        labels = {name: np.array(list(map(int, each["labels"]))) for name, each in gathered(found).items()}
        apart = np.triu_indices(len(P), 1)
        unsure = float(np.mean((P[apart] > BETWEEN[0]) & (P[apart] < BETWEEN[1])))
        return Outcome(
            tables=[_distances(P, labels)],
            drawings=[
                Drawing(
                    "matrices",
                    "Top left the posterior similarity matrix of one chain, then the matrices of the partitions, as in "
                    "the paper's Figure 8; dashed squares are the four true groups.",
                    "Nine square matrices of 200 crabs with four dashed squares along each diagonal.",
                    lambda figure: _draw(
                        figure, P[np.ix_(order, order)], {k: v[order] for k, v in labels.items()}, edges
                    ),
                    (8.6, 9.0),
                    {
                        "crab": (order + 1).tolist(),
                        "group": truth[order].tolist(),
                        **{name: labels[name][order].tolist() for name in ROWS},
                    },
                )
            ],
            findings=[
                Finding(
                    "The similarity matrix shows some uncertainty in which crabs belong together.",
                    "reproduced" if unsure > 0.01 else "not reproduced",
                    f"{unsure:.0%} of the pairs have a similarity between {BETWEEN[0]} and {BETWEEN[1]}.",
                )
            ],
            settings={"chain": given["chain"], **sampling.settings_of(size)},
            choices=[*table4.CHOICES, *sampling.CHOICES, *factorizing.CHOICES],
            sources=sources(),
        )


def _distances(P: NDArray[np.float64], labels: Mapping[str, NDArray[np.int64]]) -> Table:
    apart = np.triu_indices(len(P), 1)
    rows = [
        (
            name,
            [
                Entry(float(np.abs(P - together(labels[name]))[apart].mean())),
                Entry(words=" ".join(map(str, sorted(np.bincount(labels[name]).tolist(), reverse=True)))),
            ],
        )
        for name in METHODS
    ]
    return Table(
        "distances",
        "How far the matrix of each partition is from the similarity matrix",
        ["mean difference", "sizes of the clusters"],
        rows,
        digits=4,
        corner="method",
        notes=["The mean difference over pairs is Binder's loss divided by the number of pairs."],
    )


def _draw(figure: Any, P: NDArray[np.float64], labels: Mapping[str, NDArray[np.int64]], edges: list[int]) -> None:
    panels = figure.subplots(3, 3).ravel()
    image = matrix(panels[0], P, "posterior similarity", edges)
    for ax, name in zip(panels[1:], ROWS, strict=True):
        n_clusters = len(np.unique(labels[name]))
        matrix(ax, together(labels[name]), f"{name} ({n_clusters})", edges)
    figure.colorbar(image, ax=panels, shrink=0.5, label="similarity")
