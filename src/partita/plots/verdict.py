"""The verdict on the number of clusters: how probable each is, and the scores behind the criteria that have them.

A panel for each criterion that scored several numbers, its own answer marked, the number chosen dotted in all: where
the marks stand apart, criteria disagree; where a curve is flat, its answer hangs by little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.n_clusters import Agreement, Judgement, Verdict
from partita.plots.figures import panels, tidy, whole_numbers
from partita.plots.palette import BOUNDARY, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["VerdictDisplay"]

LIKELY, MARKED, UNLIKELY = "#56b4e9", "#d55e00", "#d5e6f0"
# Numbers up to the last with this probability are shown, and so many at least.
SHOWN, FEWEST_SHOWN = 0.01, 5
# Scores whose largest is so many times the median are drawn on a logarithmic scale.
WIDE = 30.0
BETTER = {"larger": "larger is better", "smaller": "smaller is better", "crossing": "the first to pass"}


class VerdictDisplay:
    """Probability of each number of clusters, and the scores of the criteria.

    Parameters
    ----------
    verdict : Verdict
    n_clusters : int, optional
        The number marked; the verdict's by default. A fit with constraints may have another.

    Attributes
    ----------
    n_panels : int
        Axes that `plot` draws on: one, and one for each entry of `scored`.
    scored : tuple of Judgement
        Judgements of the criteria that scored two numbers or more.
    figure_ : matplotlib Figure
    axes_ : array of Axes; `ax_` is the first

    Examples
    --------
    >>> import numpy as np
    >>> from partita.n_clusters import KEvidence, judge_all
    >>> from partita.plots import VerdictDisplay, blank_figure
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [19, 9]], 30, axis=0)
    >>> display = VerdictDisplay(judge_all(KEvidence(features=X), ["stability", "hdbscan_count"]))
    >>> figure, axes = blank_figure(display.n_panels)
    >>> [ax.get_title(loc="left") for ax in display.plot(axes).axes_]
    ['Number of clusters', 'Stability']
    """

    figure_: Figure
    ax_: Axes
    axes_: NDArray[np.object_]

    def __init__(self, verdict: Verdict, *, n_clusters: int | None = None) -> None:
        self.verdict = verdict
        self.n_clusters = verdict.n_clusters if n_clusters is None else n_clusters
        self.scored: tuple[Judgement, ...] = tuple(j for j in verdict.judgements if np.isfinite(j.scores).sum() > 1)
        self.n_panels = 1 + len(self.scored)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, *, axes: Any = None) -> Self:
        """Draw an estimator fitted with `n_clusters="auto"`; X is ignored.

        Raises
        ------
        InputError
            Where its number of clusters was given.
        """
        verdict = getattr(estimator, "verdict_", None)
        if verdict is None:
            raise InputError(
                "there is no verdict to draw: the number of clusters was given, fit with n_clusters='auto'"
            )
        return cls(verdict, n_clusters=estimator.n_clusters_).plot(axes)

    def plot(self, axes: Any = None) -> Self:
        """Draw on `n_panels` axes, or on new ones."""
        self.figure_, self.axes_ = panels(axes, self.n_panels, (2.4 * self.n_panels + 0.6, 2.8))
        self.ax_ = self.axes_[0]
        self._probabilities()
        for ax, judgement in zip(self.axes_[1:], self.scored):
            self._scores(ax, judgement)
        return self

    def _probabilities(self) -> None:
        p, likely = self.verdict.probabilities, self.verdict.likely
        last = min(max(int(np.flatnonzero(p >= SHOWN).max(initial=0)) + 1, self.n_clusters, FEWEST_SHOWN), len(p))
        K = np.arange(1, last + 1)
        colors = [MARKED if k == self.n_clusters else LIKELY if k in likely else UNLIKELY for k in K]
        self.ax_.bar(K, p[:last], color=colors, width=0.85)
        tidy(self.ax_, "Number of clusters", "clusters", "probability")
        self.ax_.set(xlim=(0.3, last + 0.7), ylim=(0, min(1.0, 1.15 * float(p.max()))))
        whole_numbers(self.ax_.xaxis)

    def _scores(self, ax: Axes, judgement: Judgement) -> None:
        seen = np.isfinite(judgement.scores)
        sizes, scores = judgement.sizes[seen], judgement.scores[seen]
        ax.axvline(self.n_clusters, color=INK, linewidth=0.8, linestyle=":")
        ax.plot(sizes, scores, color=BOUNDARY, linewidth=1.2, marker=".", markersize=5)
        own = sizes == judgement.n_clusters
        ax.plot(sizes[own], scores[own], "o", color=MARKED, markersize=7)
        if scores.min() > 0 and scores.max() > WIDE * np.median(scores):
            ax.set_yscale("log")
        # The answer of methods is the clustering with most in common with all, not the number at which they agree most.
        meaning = "adjusted Rand index" if judgement.criterion == Agreement.name else BETTER[judgement.better]
        tidy(ax, judgement.criterion.replace("_", " ").capitalize(), "clusters", meaning)
        whole_numbers(ax.xaxis)
