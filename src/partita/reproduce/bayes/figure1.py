"""[bayes-nmf] Figure 1: a realization of each of the eight mixtures; those of the first replicate of Table 3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from partita.reproduce.bayes.published import CONFIGURATIONS
from partita.reproduce.bayes.rules import by_parts
from partita.reproduce.bayes.sampling import scores
from partita.reproduce.bayes.simulation import STORE, configuration
from partita.reproduce.experiment import Cell, Experiment, Numbers, Size, random_numbers
from partita.reproduce.outcome import Drawing, Entry, Finding, Outcome, Table

__all__ = ["Figure1"]

# Adjusted Rand index of the rule that knows the parameters, above which components count as separated.
SEPARATED = 0.9


class Figure1(Experiment):
    """Items by component."""

    name = "bayes-nmf-figure1"
    paper = "bayes-nmf"
    title = "Figure 1: one realization of each mixture"

    def cells(self, size: Size) -> Sequence[Cell]:
        return [Cell(name) for name in CONFIGURATIONS]

    def compute(self, cell: Cell, rng: np.random.Generator) -> Numbers:
        given = configuration(cell.key)
        X, truth = given.draw(random_numbers(STORE, f"{cell.key}/0", self.seed))
        rule = scores(given.posterior(X).argmax(axis=1), truth)
        return {"X": X.round(4).tolist(), "truth": truth.tolist(), "rule": rule}

    def outcome(self, found: Mapping[str, Numbers], size: Size) -> Outcome:
        rule = {name: float(found[name]["rule"]["adjusted_rand"]) for name in CONFIGURATIONS}
        sizes = {name: np.bincount(found[name]["truth"]) for name in CONFIGURATIONS}
        upper, lower = CONFIGURATIONS[:4], CONFIGURATIONS[4:]
        small = [sorted(sizes[name].tolist())[:2] for name in CONFIGURATIONS if name[1] == "F"]
        columns: dict[str, Sequence[Any]] = {
            "configuration": [name for name in CONFIGURATIONS for _ in found[name]["truth"]],
            "x": [float(x) for name in CONFIGURATIONS for x, _ in found[name]["X"]],
            "y": [float(y) for name in CONFIGURATIONS for _, y in found[name]["X"]],
            "component": [k + 1 for name in CONFIGURATIONS for k in found[name]["truth"]],
        }
        return Outcome(
            tables=[
                Table(
                    "items",
                    "What is drawn: items of each component, and the adjusted Rand index of the rule that knows them",
                    ["items", "rule"],
                    [
                        (name, [Entry(words=" ".join(map(str, sizes[name]))), Entry(rule[name])])
                        for name in CONFIGURATIONS
                    ],
                    digits=3,
                    corner="mixture",
                )
            ],
            drawings=[
                Drawing(
                    "realizations",
                    "One realization of each mixture, named by separateness, balancedness and sphericity (T or F), "
                    "in the order of the paper's Figure 1; colours and marks are the components.",
                    "Eight scatter plots of four groups in the corners of a square, apart above and mixed below.",
                    lambda figure: _draw(figure, found),
                    (11.0, 6.0),
                    columns,
                )
            ],
            findings=[
                Finding(
                    "The upper four are well separated, the lower four more mixed.",
                    by_parts(
                        min(rule[name] for name in upper) > SEPARATED, max(rule[name] for name in lower) < SEPARATED
                    ),
                    "The rule that knows the parameters has adjusted Rand indices of at least "
                    f"{min(rule[name] for name in upper):.3f} above and at most "
                    f"{max(rule[name] for name in lower):.3f} below.",
                ),
                Finding(
                    "Left equally sized components, right two smaller ones.",
                    by_parts(
                        all(len(set(sizes[name])) == 1 for name in CONFIGURATIONS if name[1] == "T"),
                        all(two == [30, 50] for two in small),
                    ),
                    "Sizes: "
                    + "; ".join(f"{name} {' '.join(map(str, sizes[name]))}" for name in ("TTT", "TFT"))
                    + ", and so on.",
                ),
            ],
            settings={"realization": "the first replicate of bayes-nmf-table3"},
            choices=["The paper's realizations and seeds are not published."],
            sources={"eight mixtures": "partita.datasets.eight_configurations(): Table 2 as it is printed"},
        )


def _draw(figure: Any, found: Mapping[str, Numbers]) -> None:
    from partita.plots.palette import cluster_colors

    panels = figure.subplots(2, 4, sharex=True, sharey=True)
    for ax, name, letter in zip(panels.ravel(), CONFIGURATIONS, "abcdefgh", strict=True):
        X, truth = np.array(found[name]["X"]), np.array(found[name]["truth"])
        for k, color in enumerate(cluster_colors(4)):
            ax.scatter(*X[truth == k].T, s=9, color=color, marker="o^sX"[k], linewidth=0)
        ax.set_title(f"({letter}) {name}", fontsize=10)
        ax.set_aspect("equal")
