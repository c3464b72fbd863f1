"""[bayes-nmf] Figure 3: two large and two small groups, and what the three conventional methods make of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from partita.reproduce.bayes.minor_groups import CHOICES, DISTANCES, SHOWN, THREE, TRUTH, MinorGroups, share, sources
from partita.reproduce.bayes.rules import by_share
from partita.reproduce.bayes.sampling import settings_of
from partita.reproduce.experiment import Numbers, Size
from partita.reproduce.outcome import Drawing, Entry, Finding, Outcome, Table

__all__ = ["Figure3", "agree", "as_in_the_paper"]

# What the paper's three methods find: 31-33 to the right group, 34-36 to the left one.
PAPER = "1-15,34-36 16-33"


def agree(numbers: Numbers) -> bool:
    """Return whether the three conventional methods find one partition, of two clusters."""
    return len({numbers[name]["clusters"] for name in THREE}) == 1 and numbers["MinVI"]["n_clusters"] == 2


def as_in_the_paper(numbers: Numbers) -> bool:
    """Return whether all three find the paper's partition."""
    return all(numbers[name]["clusters"] == PAPER for name in THREE)


class Figure3(MinorGroups):
    """The true groups, and the partition of the conventional methods."""

    name = "bayes-nmf-figure3"
    title = "Figure 3: two minor groups, and the conventional partition"

    def outcome(self, found: Mapping[str, Numbers], size: Size) -> Outcome:
        shown = found[f"{SHOWN}/0"]
        X, labels = np.array(shown["X"]), np.array(shown["MinVI"]["labels"])
        two, n = share(found, SHOWN, agree)
        as_there, _ = share(found, SHOWN, as_in_the_paper)
        rows = [
            (
                f"d = {distance}",
                [
                    *(
                        Entry(share(found, distance, lambda each, k=name: each[k]["n_clusters"] == 2)[0])
                        for name in THREE
                    ),
                    Entry(share(found, distance, agree)[0]),
                    Entry(share(found, distance, as_in_the_paper)[0]),
                ],
            )
            for distance in DISTANCES
        ]
        heads = [*(f"{name}: K = 2" for name in THREE), "one partition, K = 2", "the paper's"]
        return Outcome(
            tables=[Table("shares", f"Share of {n} sets by the distance of the minor groups", heads, rows, digits=2)],
            drawings=[
                Drawing(
                    "groups",
                    "Left the true groups, two of 15 items and two of three (31-33 and 34-36); right the partition of "
                    f"MinVI (K = {shown['MinVI']['n_clusters']}), as in the paper's Figure 3. The items are a guess.",
                    "Two scatter plots of 36 items: four groups on the left, the clusters found on the right.",
                    lambda figure: _draw(figure, X, labels),
                    (9.0, 4.6),
                    {
                        "item": list(range(1, 37)),
                        "x": X[:, 0].tolist(),
                        "y": X[:, 1].tolist(),
                        "group": TRUTH.tolist(),
                        "MinVI": labels.tolist(),
                    },
                )
            ],
            findings=[
                Finding(
                    "MinBinder, MaxPEAR and MinVI reach the same solution, with K = 2.",
                    by_share(two),
                    f"They do in {two:.0%} of {n} sets; in the one shown they have "
                    + ", ".join(str(shown[name]["n_clusters"]) for name in THREE)
                    + " clusters.",
                ),
                Finding(
                    "They put items 31-33 to the right group and 34-36 to the left one.",
                    by_share(as_there),
                    f"All three do in {as_there:.0%} of {n} sets. The paper's items are not published.",
                ),
            ],
            settings=settings_of(size),
            choices=CHOICES,
            sources=sources(),
        )


def _draw(figure: Any, X: Any, labels: Any) -> None:
    from partita.plots.palette import cluster_colors

    left, right = figure.subplots(1, 2, sharex=True, sharey=True)
    for ax, given, title in ((left, TRUTH, "true groups"), (right, labels, "MinVI")):
        for k, color in enumerate(cluster_colors(int(given.max()) + 1)):
            ax.scatter(*X[given == k].T, color=color, marker="os^Xv"[k % 5], s=34)
        ax.set_title(title, fontsize=10)
        ax.set_aspect("equal")
        for i in range(30, 36):
            ax.annotate(str(i + 1), X[i], xytext=(4, 3), textcoords="offset points", fontsize=7)
