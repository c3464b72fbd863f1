"""Figures and axes: matplotlib's object-oriented interface, imported when the first picture is asked for.

A display that is given no axes makes them with `pyplot`, as scikit-learn's displays do, so that notebooks show them.
`blank_figure` is for files: it is drawn by Agg, whatever the user's backend is, and `pyplot` never hears of it.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError, require
from partita.plots.palette import BOUNDARY, INK, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["blank_figure", "number_clusters", "panels", "png", "tidy", "whole_numbers"]


def panels(axes: Any, n_panels: int, size: tuple[float, float]) -> tuple[Figure, NDArray[np.object_]]:
    """Return the axes given, or new ones side by side, and their figure.

    Raises
    ------
    InputError
        For another number of axes than the picture has panels.
    """
    if axes is None:
        plt = require("matplotlib.pyplot", extra="plot", purpose="pictures")
        _, axes = plt.subplots(1, n_panels, figsize=size, layout="constrained")
    found = np.atleast_1d(np.asarray(axes, dtype=object)).ravel()
    if len(found) != n_panels:
        raise InputError(f"this picture has {n_panels} panels; {len(found)} axes were given")
    return found[0].figure, found


def blank_figure(n_panels: int = 1, size: tuple[float, float] = (6.0, 4.0)) -> tuple[Figure, NDArray[np.object_]]:
    """Return a figure for a file, with its axes side by side; the user's backend and open figures are not touched.

    >>> figure, axes = blank_figure(2)
    >>> len(axes)
    2
    """
    module = require("matplotlib.figure", extra="plot", purpose="pictures")
    agg = require("matplotlib.backends.backend_agg", extra="plot", purpose="pictures")
    figure = module.Figure(figsize=size, layout="constrained", facecolor=PAPER)
    agg.FigureCanvasAgg(figure)
    return figure, np.atleast_1d(np.asarray(figure.subplots(1, n_panels), dtype=object))


def png(figure: Figure, dpi: int = 160) -> bytes:
    """Return the figure as a PNG; the same figure gives the same bytes.

    >>> png(blank_figure(size=(1, 1))[0])[1:4]
    b'PNG'
    """
    buffer = BytesIO()
    agg = require("matplotlib.backends.backend_agg", extra="plot", purpose="pictures")
    figure.set_dpi(dpi)
    agg.FigureCanvasAgg(figure).print_png(buffer, metadata={"Software": None})  # once: `savefig` draws twice
    return buffer.getvalue()


def tidy(ax: Axes, title: str, xlabel: str, ylabel: str) -> None:
    """Put the title at the left, name the axes and draw no box."""
    ax.set_title(title, loc="left", fontsize=10.5, color=INK)
    ax.set_xlabel(xlabel, fontsize=9.5, color=INK)
    ax.set_ylabel(ylabel, fontsize=9.5, color=INK)
    ax.tick_params(labelsize=8.5, color=BOUNDARY, labelcolor=INK)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(BOUNDARY)


def number_clusters(ax: Axes, edges: NDArray[np.intp], axis: str = "x") -> None:
    """Name the clusters along an axis on which they stand in blocks; blocks too narrow for a number are left out."""
    low, high = edges[:-1], edges[1:]
    wide = np.flatnonzero(high - low > 0.018 * edges[-1])
    middles = (low[wide] + high[wide]) / 2
    target = ax.xaxis if axis == "x" else ax.yaxis
    target.set_ticks(middles.tolist(), [str(k) for k in wide])
    ax.tick_params(axis="x" if axis == "x" else "y", length=0)


def whole_numbers(axis: Any) -> None:
    """Put ticks of an axis at whole numbers only."""
    ticker = require("matplotlib.ticker", extra="plot", purpose="pictures")
    axis.set_major_locator(ticker.MaxNLocator(integer=True, min_n_ticks=1))
