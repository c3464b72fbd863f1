"""Coverage against error: how many labels can be relied on, for any share of wrong ones that can be borne."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.errors import InputError
from partita.plots.figures import panels, tidy
from partita.plots.palette import BOUNDARY, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["CoverageDisplay"]

CURVE, SEEN = "#0072b2", "#d55e00"
# The error at which the set of confident items is marked.
MARKED = 0.05
# Where the set is of more than this share of the items, the right end of the line is where the curve crosses it.
CLEAR = 0.5


class CoverageDisplay:
    """Expected share of wrong labels among the surest items, against the share of items that these are.

    Items are taken from the surest on. Where it is known which labels are wrong, a second curve has the share that was.

    Parameters
    ----------
    certainty : array of N in [0, 1]
        Probability that each item's label is right.
    wrong : array of N bool, optional

    Attributes
    ----------
    coverage_, expected_error_ : arrays of N
        Points of the curve.
    observed_error_ : array of N, or None
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes

    Examples
    --------
    >>> from partita import SoftClustering
    >>> from partita.plots import CoverageDisplay, blank_figure
    >>> X = np.random.default_rng(0).normal(size=(200, 1)) + np.repeat([[0], [3]], 100, axis=0)
    >>> figure, axes = blank_figure()
    >>> drawn = CoverageDisplay.from_estimator(SoftClustering(2, random_state=0).fit(X), ax=axes[0])
    >>> bool((np.diff(drawn.expected_error_) >= 0).all()), drawn.ax_.get_xlabel()
    (True, 'share of items, surest first')
    """

    figure_: Figure
    ax_: Axes

    def __init__(self, certainty: ArrayLike, wrong: ArrayLike | None = None) -> None:
        p = np.asarray(certainty, dtype=np.float64)
        if p.ndim != 1 or not len(p) or not ((p >= 0) & (p <= 1)).all():
            raise InputError("certainty should be one probability in [0, 1] for each item")
        order = np.argsort(-p, kind="stable")
        count = np.arange(1, len(p) + 1)
        self.coverage_, self.expected_error_ = count / len(p), np.cumsum(1.0 - p[order]) / count
        self.observed_error_: NDArray[np.float64] | None = None
        if wrong is not None:
            seen = np.asarray(wrong, dtype=bool)
            if seen.shape != p.shape:
                raise InputError(f"wrong has shape {seen.shape}: expected one value for each of {len(p)} items")
            self.observed_error_ = np.cumsum(seen[order]) / count

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, *, wrong: ArrayLike | None = None, ax: Any = None) -> Self:
        """Draw a fitted factorization; X is ignored."""
        return cls(estimator.certainty_, wrong).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on one axes, or on new ones."""
        self.figure_, axes = panels(ax, 1, (4.6, 3.6))
        self.ax_ = axes[0]
        self.ax_.plot(self.coverage_, self.expected_error_, color=CURVE, linewidth=1.8, label="expected")
        if self.observed_error_ is not None:
            self.ax_.plot(self.coverage_, self.observed_error_, color=SEEN, linewidth=1.2, label="observed")
            self.ax_.legend(frameon=False, loc="upper left", fontsize=9)
        self.ax_.axhline(MARKED, color=BOUNDARY, linewidth=1.0, linestyle="--")
        held = float(self.coverage_[self.expected_error_ <= MARKED].max(initial=0.0))
        top = max(2 * MARKED, 1.05 * float(self.expected_error_.max()))
        place, side = (0.98, "right") if held < CLEAR else (0.02, "left")  # where the curve is not
        self.ax_.text(place, MARKED + 0.02 * top, f"{held:.0%} of items at 5%", ha=side, fontsize=9, color=INK)
        self.ax_.set(xlim=(0, 1), ylim=(0, top))
        tidy(self.ax_, "Labels to rely on", "share of items, surest first", "share of wrong labels among them")
        return self
