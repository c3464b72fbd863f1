"""Means here against the paper's, a panel for each set."""

from __future__ import annotations

from typing import Any

from partita.plots.palette import BOUNDARY, INK, cluster_colors
from partita.reproduce.outcome import Drawing
from partita.reproduce.sof.methods import of_kind
from partita.reproduce.sof.summary import Summary

__all__ = ["against_the_paper"]

MARKERS = ("o", "o", "o", "s", "s", "^", "^", "^", "D", "*")


def against_the_paper(of: Summary) -> Drawing:
    """Return the paper's figure on one axis, ours on the other, a mark for each of the ten methods."""
    names = [method.name for method in of_kind("paper")]
    points = [
        (set_name, name, of.published(name, set_name), of.mean(name, set_name))
        for set_name in of.sets
        for name in names
    ]
    colors = dict(zip(names, cluster_colors(len(names)), strict=True))
    markers = dict(zip(names, MARKERS, strict=True))

    def draw(figure: Any) -> None:
        columns = min(4, len(of.sets) + 1)
        rows = -(-(len(of.sets) + 1) // columns)
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for ax, set_name in zip(axes, of.sets, strict=False):
            ax.plot([0, 1], [0, 1], color=BOUNDARY, linewidth=0.8, zorder=1)
            for at, name, theirs, ours in points:
                if at == set_name:
                    size = 90 if name == "SoF" else 26
                    ax.scatter(theirs, ours, s=size, color=colors[name], marker=markers[name], zorder=2)
            ax.set(xlim=(0, 1.02), ylim=(0, 1.02), aspect="equal")
            ax.set_title(set_name, loc="left", fontsize=10, color=INK)
            ax.tick_params(labelsize=7.5)
            ax.set_xlabel("paper", fontsize=8)
            ax.set_ylabel("here", fontsize=8)
        for ax in axes[len(of.sets) :]:
            ax.set_axis_off()
        for name in names:
            axes[len(of.sets)].scatter([], [], s=30, color=colors[name], marker=markers[name], label=name)
        axes[len(of.sets)].legend(loc="center", fontsize=8, frameon=False)

    return Drawing(
        name="against_the_paper",
        caption=f"Mean {of.score} here against the paper's figure; on the line they are equal. The star is SoF.",
        alt="Scatter plots, one for each set: the paper's figure across, ours upwards, a mark for each method.",
        draw=draw,
        size=(9.5, 5.2),
        series={
            "set": [point[0] for point in points],
            "method": [point[1] for point in points],
            "paper": [point[2] for point in points],
            "here": [point[3] for point in points],
        },
    )
