"""[rotabulo2010] Figures 1 and 2: similarity, estimated likelihoods and memberships, on S-Block and on Iris."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from partita.plots.palette import INK, SEQUENTIAL, cluster_colors
from partita.reproduce.baum_eagon.figure_findings import FitPanels, figure_findings
from partita.reproduce.baum_eagon.methods import described, fitted
from partita.reproduce.baum_eagon.sets import DRAWN, MAIN, items, kind, similarity
from partita.reproduce.experiment import Cell, Experiment, Numbers, Size
from partita.reproduce.outcome import Drawing, Entry, Outcome, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Figure1", "Figure2"]

METHODS = ("BE", "BE, accelerated")
RUNS = {"full": 10, "quick": 3, "smoke": 1}
# Colours reach up to this share of the entries: the diagonal and a few pairs do not set the scale.
TOP = 0.98


class Memberships(Experiment):
    """One of the two: panels (a) similarity, (b) alpha Y^T Y, (c) the rows of Y."""

    paper = "rotabulo2010"
    row: ClassVar[str]
    number: ClassVar[int]
    said: ClassVar[str]

    def cells(self, size: Size) -> list[Cell]:
        return [Cell(f"{method}/{run}", described(method)) for method in METHODS for run in range(RUNS[size])]

    def compute(self, cell: Cell, rng: np.random.Generator) -> Numbers:
        method, _ = cell.key.split("/")
        held = items(self.row)
        model = fitted(method, held, similarity(self.row, MAIN[kind(self.row)], held), rng)
        return {
            "membership": np.round(model.membership_, 6).tolist(),
            "scale": float(model.scale_),
            "objective": float(model.objective_),
            "misfit": float(model.result_.misfit),
        }

    def outcome(self, found: Mapping[str, Numbers], size: Size) -> Outcome:
        held = items(self.row)
        S = similarity(self.row, MAIN[kind(self.row)], held)
        shown = {method: _shown(found, method, S, held.truth) for method in METHODS}
        columns = ("accuracy", "largest membership", "noise before", "noise after", "contrast before", "contrast after")
        rows = [(method, [Entry(value) for value in each.numbers()]) for method, each in shown.items()]
        return Outcome(
            tables=[
                Table(
                    name="outline",
                    title="How far the blocks stand out of the similarity, before and after",
                    columns=columns,
                    rows=rows,
                    digits=3,
                    notes=(
                        "Noise: standard deviation within the true blocks and outside of them, over the difference of "
                        "their means. Contrast: mean within over mean outside. Pairs of different items.",
                    ),
                )
            ],
            drawings=[
                Drawing(
                    name="memberships",
                    caption=f"{self.said} (a) The similarity, (b) the estimated likelihoods, (c) the memberships of "
                    "each item, a curve for each cluster: the printed update above, the accelerated one below.",
                    alt="Two rows of three panels: two matrices in block order and the curves of the memberships.",
                    draw=lambda figure: _draw(figure, S, shown),
                    size=(10.5, 6.6),
                    series=_series(shown, held.truth),
                )
            ],
            findings=figure_findings(shown["BE"], shown["BE, accelerated"], self.row),
            settings={"methods": {name: described(name) for name in METHODS}, "runs": RUNS[size], "S-Block": DRAWN},
            choices=(
                f"Which of 10 runs is shown is not said: of {RUNS[size]}, the one with the lowest objective.",
                "Similarity, iterations and start as in Table 1. Items stand in the order of their classes.",
            ),
            sources={self.row: self.said},
        )


class Figure1(Memberships):
    """Figure 1: S-Block."""

    name = "baum-eagon-figure1"
    title = "Figure 1: results on the S-Block data set"
    number, row = 1, "S-Block (stochastic)"
    said = "A block stochastic matrix in place of S-Block, which was never published."


class Figure2(Memberships):
    """Figure 2: Iris."""

    name = "baum-eagon-figure2"
    title = "Figure 2: results on the Iris data set"
    number, row = 2, "Iris"
    said = "Iris, with the self-tuning Gaussian similarity."


def _shown(found: Mapping[str, Numbers], method: str, S: NDArray[Any], truth: NDArray[Any]) -> FitPanels:
    runs = [numbers for key, numbers in found.items() if key.rsplit("/", 1)[0] == method]
    best = min(runs, key=lambda numbers: float(numbers["objective"]))
    return FitPanels.of(np.array(best["membership"]), float(best["scale"]), S, truth)


def _draw(figure: Any, S: NDArray[np.float64], shown: Mapping[str, FitPanels]) -> None:
    """Panels (a), (b), (c) for each method, items in the order of their classes."""
    axes = figure.subplots(len(shown), 3, squeeze=False, width_ratios=(1, 1, 1.5))
    for (given, likelihood, curves), (method, each) in zip(axes, shown.items(), strict=True):
        order = np.argsort(each.truth, kind="stable")
        top = float(np.quantile(S, TOP))
        for ax, matrix, said in (
            (given, S, "(a) similarity"),
            (likelihood, each.likelihood, f"(b) {method}: likelihoods"),
        ):
            image = ax.imshow(matrix[np.ix_(order, order)], cmap=SEQUENTIAL, vmin=0, vmax=top, interpolation="nearest")
            ax.set(xticks=[], yticks=[])
            ax.set_title(said, loc="left", fontsize=9, color=INK)
            figure.colorbar(image, ax=ax, shrink=0.75)
        edges = np.flatnonzero(np.diff(each.truth[order])) + 0.5
        for k, color in enumerate(cluster_colors(each.membership.shape[1])):
            curves.plot(each.membership[order, k], color=color, linewidth=1.1)
        for edge in edges:
            curves.axvline(edge, color="#cccccc", linewidth=0.8, zorder=0)
        curves.set(ylim=(-0.02, 1.02), xlim=(0, len(order) - 1))
        curves.set_xlabel("item", fontsize=8)
        curves.set_ylabel("membership", fontsize=8)
        curves.tick_params(labelsize=7.5)
        curves.set_title(f"(c) {method}: memberships", loc="left", fontsize=9, color=INK)


def _series(shown: Mapping[str, FitPanels], truth: NDArray[np.int64]) -> dict[str, list[Any]]:
    """Memberships of both methods, an item a row."""
    out: dict[str, list[Any]] = {"class": truth.tolist()}
    for method, each in shown.items():
        for k in range(each.membership.shape[1]):
            out[f"{method} {k}"] = each.membership[:, k].tolist()
    return out
