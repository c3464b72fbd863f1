"""Two matrices and the curves of the memberships, a row for each method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.plots.palette import INK, SEQUENTIAL, cluster_colors
from partita.reproduce.baum_eagon.figure_findings import Shown

__all__ = ["draw_rows", "series"]

# Colours reach up to this share of the entries: the diagonal and a few pairs do not set the scale.
TOP = 0.98


def draw_rows(figure: Any, S: NDArray[np.float64], shown: Mapping[str, Shown]) -> None:
    """Draw panels (a), (b), (c) for each method, items in the order of their classes."""
    axes = figure.subplots(len(shown), 3, squeeze=False, width_ratios=(1, 1, 1.5))
    for (similarity, likelihood, curves), (method, each) in zip(axes, shown.items(), strict=True):
        order = np.argsort(each.truth, kind="stable")
        top = float(np.quantile(S, TOP))
        for ax, matrix, said in (
            (similarity, S, "(a) similarity"),
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


def series(shown: Mapping[str, Shown], truth: NDArray[np.int64]) -> dict[str, list[Any]]:
    """Return memberships of both methods, an item a row."""
    out: dict[str, list[Any]] = {"class": truth.tolist()}
    for method, each in shown.items():
        for k in range(each.membership.shape[1]):
            out[f"{method} {k}"] = each.membership[:, k].tolist()
    return out
