"""Traces of the objective in every restart, and the values at which the restarts ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from partita.metrics import adjusted_rand_index
from partita.plots.figures import panels, tidy
from partita.plots.order import count
from partita.plots.palette import BOUNDARY, INK
from partita.solvers import SolveResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["TraceDisplay"]

BEST = "#d55e00"
OTHERS = "#56b4e9"
# Adjusted Rand index with the best restart from which two partitions count as the same.
SAME_PARTITION = 0.99
# A relative gap below this is rounding.
ROUNDING = 1e-13


class TraceDisplay:
    """Traces of all restarts, and their final objectives.

    Left: the gap to the best objective found, in percent of it, on a logarithmic scale; the best restart stands out
    (its last point has no gap and lies below every such scale). Right: final gaps in order; a filled dot is the same
    partition as the best one, a hollow dot another. A single restart has the left one alone.

    Parameters
    ----------
    result : SolveResult

    Attributes
    ----------
    n_panels : int
        Axes that `plot` draws on: two, and one for a single restart.
    figure_ : matplotlib Figure
    axes_ : array of Axes; `ax_` is the first
    agreement_ : array
        Adjusted Rand index of each restart's labels with the best one's.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from partita import SoF
    >>> from partita.plots import TraceDisplay, blank_figure
    >>> model = SoF(3, n_init=2, random_state=0).fit(load_iris().data)
    >>> display = TraceDisplay(model.result_)
    >>> figure, axes = blank_figure(display.n_panels)
    >>> display.plot(axes).agreement_.shape
    (2,)
    """

    figure_: Figure
    ax_: Axes
    axes_: NDArray[np.object_]
    agreement_: NDArray[np.float64]

    def __init__(self, result: SolveResult) -> None:
        self.result = result
        self.n_panels = 1 if len(result.restarts) == 1 else 2

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, *, axes: Any = None) -> Self:
        """Draw a fitted estimator; X is ignored."""
        return cls(estimator.result_).plot(axes)

    @classmethod
    def from_result(cls, result: SolveResult, *, axes: Any = None) -> Self:
        """Draw a `SolveResult`."""
        return cls(result).plot(axes)

    def plot(self, axes: Any = None) -> Self:
        """Draw on `n_panels` axes, or on new ones."""
        self.figure_, self.axes_ = panels(axes, self.n_panels, (5.5 * self.n_panels, 3.6))
        self.ax_ = self.axes_[0]
        restarts, best = self.result.restarts, self.result.best
        self.agreement_ = np.array([adjusted_rand_index(r.labels, restarts[best].labels) for r in restarts])
        self._traces()
        if self.n_panels > 1:
            self._finals()
        return self

    def _gap(self, objective: NDArray[np.float64]) -> NDArray[np.float64]:
        floor = self.result.restarts[self.result.best].objective
        unit = abs(floor) if floor else 1.0
        return np.asarray(np.maximum(objective - floor, 0) / unit * 100)

    def _traces(self) -> None:
        ax, restarts, best = self.axes_[0], self.result.restarts, self.result.best
        seen = False
        mark = "." if max(len(restart.trace) for restart in restarts) < 25 else None
        for r in sorted(range(len(restarts)), key=lambda r: r == best):
            gap = self._gap(restarts[r].trace)
            gap[gap < 100 * ROUNDING] = np.nan
            seen = seen or bool(np.isfinite(gap).any())
            label = "best restart" if r == best else "other restarts" if r == (best == 0) else None
            ax.plot(
                np.arange(len(gap)),
                gap,
                color=BEST if r == best else OTHERS,
                linewidth=2.0 if r == best else 1.0,
                alpha=1.0 if r == best else 0.7,
                marker=mark,
                label=label,
            )
        if seen:
            ax.set_yscale("log")
            if len(restarts) > 1:
                ax.legend(fontsize=8, frameon=False)
        else:
            ax.text(0.5, 0.5, "the start was the answer", transform=ax.transAxes, ha="center", fontsize=9, color=INK)
        tidy(ax, f"Objective of {count(len(restarts), 'restart')}", "iteration", "above the best objective (%)")
        ax.xaxis.get_major_locator().set_params(integer=True)

    def _finals(self) -> None:
        ax, restarts = self.axes_[1], self.result.restarts
        gap = self._gap(np.array([r.objective for r in restarts]))
        order = np.argsort(gap, kind="stable")
        same = self.agreement_[order] >= SAME_PARTITION
        rank = np.arange(1, len(order) + 1)
        ax.vlines(rank, 0, gap[order], color=BOUNDARY, linewidth=0.8)
        for these, face, words in ((same, BEST, "same partition as the best"), (~same, "white", "another partition")):
            if these.any():
                ax.scatter(
                    rank[these], gap[order][these], s=38, facecolors=face, edgecolors=BEST, label=words, zorder=3
                )
        top = float(gap.max(initial=0.0))
        tidy(ax, "Where the restarts ended", "restart, by final objective", "above the best objective (%)")
        ax.set(xlim=(0.3, len(order) + 0.7), ylim=(-0.06 * (top or 1), 1.15 * (top or 1)))
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.legend(fontsize=8, frameon=False, loc="upper left")
