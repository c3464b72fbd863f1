"""Reliability of pair probabilities: whether items said to be together come out together that often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from partita.calibration import Reliability, reliability
from partita.errors import InputError
from partita.plots.figures import panels, tidy
from partita.plots.palette import BOUNDARY, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["ReliabilityDisplay"]

DOTS = "#d55e00"
# Area of a dot for all pairs and for none, in points squared.
LARGEST, SMALLEST = 260.0, 18.0


class ReliabilityDisplay:
    """Predicted co-membership against what fits that have not seen the items say: a reliability diagram.

    Every dot is a bin of pairs of items; the larger, the more pairs. On the diagonal, items said to be together with
    probability p come out together that often. Below it memberships are too sure that items belong together, above it
    too little.

    Parameters
    ----------
    reliability : Reliability

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from partita import SoftClustering
    >>> from partita.plots import ReliabilityDisplay, blank_figure
    >>> figure, axes = blank_figure()
    >>> model = SoftClustering(3, probabilities="calibrated").fit(load_iris().data)
    >>> ReliabilityDisplay.from_estimator(model, ax=axes[0]).ax_.get_xlabel()
    'predicted probability of being together'
    """

    figure_: Figure
    ax_: Axes

    def __init__(self, reliability: Reliability) -> None:
        self.reliability = reliability

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, *, ax: Any = None) -> Self:
        """Draw a calibrated estimator; X is ignored.

        Raises
        ------
        InputError
            Where it is not calibrated, or had too few items to hold any out.
        """
        calibration = getattr(estimator, "calibration_", None)
        if calibration is None:
            raise InputError("this estimator is not calibrated: fit it with probabilities='calibrated'")
        if calibration.reliability is None:
            raise InputError("no items could be held out of this fit, so that there is nothing to draw")
        return cls(calibration.reliability).plot(ax)

    @classmethod
    def from_predictions(cls, predicted: ArrayLike, observed: ArrayLike, *, n_bins: int = 10, ax: Any = None) -> Self:
        """Draw pairs: the predicted probability of each, and whether (or how probably) it was borne out.

        Raises
        ------
        InputError
            For arrays of different lengths, none at all, or values outside [0, 1].
        """
        p, q = np.asarray(predicted, dtype=np.float64), np.asarray(observed, dtype=np.float64)
        if p.ndim != 1 or p.shape != q.shape or not len(p):
            raise InputError(f"predicted and observed have shapes {p.shape} and {q.shape}: expected two equal lengths")
        if not (
            np.isfinite(p).all() and np.isfinite(q).all() and min(p.min(), q.min()) >= 0 and max(p.max(), q.max()) <= 1
        ):
            raise InputError("predicted and observed are probabilities: expected values in [0, 1]")
        return cls(reliability(p, q, n_bins)).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on one axes, or on new ones."""
        self.figure_, axes = panels(ax, 1, (4.6, 4.2))
        self.ax_ = axes[0]
        bins = self.reliability
        share = bins.count / bins.count.sum()
        self.ax_.plot([0, 1], [0, 1], color=BOUNDARY, linewidth=1.0, linestyle="--")
        self.ax_.plot(bins.predicted, bins.observed, color=DOTS, linewidth=1.2, alpha=0.7)
        self.ax_.scatter(
            bins.predicted,
            bins.observed,
            s=SMALLEST + (LARGEST - SMALLEST) * share,
            color=DOTS,
            zorder=3,
            clip_on=False,
        )
        words = f"mean distance {bins.error:.3f}"
        self.ax_.text(0.04, 0.94, words, transform=self.ax_.transAxes, va="top", fontsize=9, color=INK)
        self.ax_.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
        tidy(
            self.ax_,
            "Reliability of co-membership",
            "predicted probability of being together",
            "in fits that have not seen the items",
        )
        return self
