"""Claims of [rotabulo2010] about its Figures 1 and 2, and the rule by which each counts as reproduced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.reproduce.outcome import Finding, Verdict

__all__ = ["FitPanels", "evinced", "figure_findings", "outline", "recognised", "smoothed"]

# "Considerably": the noise beside the contrast falls to half at most.
HALF = 0.5
# Clusters can be told from the memberships: labels right, and an item's own cluster above an even share of two.
RIGHT = {"S-Block": 0.99, "Iris": 0.9}
SURE = 0.5


@dataclass(frozen=True, eq=False)
class FitPanels:
    """Result of one fit, as a figure shows it.

    Attributes
    ----------
    membership : N x K array
        Items in the order of their classes.
    likelihood : N x N array
        alpha Y^T Y.
    truth : array of N
    accuracy, largest : float
        Accuracy of the labels; mean largest membership.
    noise, contrast : (float, float)
        Noise and contrast of the similarity and of the likelihood.
    """

    membership: NDArray[np.float64]
    likelihood: NDArray[np.float64]
    truth: NDArray[np.int64]
    accuracy: float
    largest: float
    noise: tuple[float, float]
    contrast: tuple[float, float]

    @classmethod
    def of(cls, W: NDArray[np.float64], scale: float, S: NDArray[np.float64], truth: NDArray[np.int64]) -> FitPanels:
        """Make it from a membership and the similarity fitted; columns are ordered by where they are largest."""
        from partita import metrics

        place = (W * np.arange(len(W))[:, None]).sum(axis=0) / np.maximum(W.sum(axis=0), 1e-12)
        W = W[:, np.argsort(place)]
        fitted = scale * W @ W.T
        (noise, contrast), (noise_after, contrast_after) = outline(S, truth), outline(fitted, truth)
        return cls(
            W,
            fitted,
            truth,
            metrics.accuracy(W.argmax(axis=1), truth),
            float(W.max(axis=1).mean()),
            (noise, noise_after),
            (contrast, contrast_after),
        )

    def numbers(self) -> tuple[float, ...]:
        """Return numbers in the order of the table's columns."""
        return self.accuracy, self.largest, *self.noise, *self.contrast


def outline(S: NDArray[Any], truth: NDArray[Any]) -> tuple[float, float]:
    """Return noise and contrast of a matrix in blocks: spread around the two means over their difference, and their
    ratio.

    >>> S = np.array([[9.0, 1.0, 0.0, 0.5], [1.0, 9.0, 0.5, 0.0], [0.0, 0.5, 9.0, 1.0], [0.5, 0.0, 1.0, 9.0]])
    >>> noise, contrast = outline(S, np.array([0, 0, 1, 1]))
    >>> round(noise, 3), contrast
    (0.272, 4.0)
    """
    off = ~np.eye(len(S), dtype=bool)
    same = truth[:, None] == truth
    within, outside = S[same & off], S[~same]
    spread = np.concatenate([within - within.mean(), outside - outside.mean()]).std()
    return float(spread / (within.mean() - outside.mean())), float(within.mean() / outside.mean())


def smoothed(before: float, after: float) -> Verdict:
    """Return the verdict on noise: reproduced where it is at most half of what it was, in part where it is less.

    >>> smoothed(0.6, 0.3), smoothed(0.6, 0.5), smoothed(0.6, 0.7)
    ('reproduced', 'in part', 'not reproduced')
    """
    return "reproduced" if after <= HALF * before else "in part" if after < before else "not reproduced"


def recognised(noise: float) -> Verdict:
    """Return the verdict on blocks: reproduced where the spread is at most half of the means' difference, in part
    where no larger.

    >>> recognised(0.3), recognised(0.8), recognised(1.2)
    ('reproduced', 'in part', 'not reproduced')
    """
    return "reproduced" if noise <= HALF else "in part" if noise <= 1.0 else "not reproduced"


def evinced(accuracy: float, largest: float, right: float) -> Verdict:
    """Return the verdict on labels: reproduced where they are right and memberships say so, in part where labels
    only are.
    """
    if accuracy < right:
        return "not reproduced"
    return "reproduced" if largest > SURE else "in part"


def figure_findings(printed: FitPanels, accelerated: FitPanels, row: str) -> list[Finding]:
    """Return findings on one of the figures: its claims judged by the printed update, the accelerated one beside it."""
    right = RIGHT["S-Block" if row.startswith("S-Block") else row]
    block = row.startswith("S-Block")
    claims = (
        (
            "Noise has been considerably smoothed out and the block structure is now well-outlined.",
            "From the memberships the true cluster assignments can be clearly evinced.",
        )
        if block
        else (
            "From the estimated likelihoods the three clusters can be clearly recognized.",
            "From the cluster memberships the three clusters can be clearly recognized.",
        )
    )
    both = (("as printed", printed), ("accelerated", accelerated))
    noise = "; ".join(f"{name} {each.noise[0]:.2f} before, {each.noise[1]:.2f} after" for name, each in both)
    contrast = "; ".join(f"{name} {each.contrast[0]:.1f} before, {each.contrast[1]:.1f} after" for name, each in both)
    asked = f"{HALF:g} of what it was" if block else f"{HALF:g}"
    sure = "; ".join(f"{name} {each.accuracy:.3f}, {each.largest:.2f}" for name, each in both)
    return [
        Finding(
            claims[0],
            smoothed(*printed.noise) if block else recognised(printed.noise[1]),
            f"Noise beside the difference of the blocks' means: {noise} (asked: {asked}). Contrast: {contrast}.",
        ),
        Finding(
            claims[1],
            evinced(printed.accuracy, printed.largest, right),
            f"Accuracy and mean largest membership: {sure} (asked {right:g} and {SURE:g})."
            + (" S-Block itself was never published: this is a guess of it." if block else ""),
        ),
    ]
