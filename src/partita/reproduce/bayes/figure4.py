"""[bayes-nmf] Figure 4: the similarity matrix of the minor groups, and what a partition and NMF-ls make of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from partita.reproduce.bayes.minor_groups import CHOICES, DISTANCES, SHOWN, THREE, TRUTH, MinorGroups, share, sources
from partita.reproduce.bayes.pictures import matrix, together
from partita.reproduce.bayes.rules import by_share
from partita.reproduce.bayes.sampling import settings_of
from partita.reproduce.experiment import Numbers, Size
from partita.reproduce.outcome import Drawing, Entry, Finding, Outcome, Table

__all__ = ["Figure4"]

# Root mean squared difference of similarities that the eye does not see in a picture.
IDENTICAL = 0.05


def _of(numbers: Numbers, K: int) -> Numbers:
    found: Numbers = next(row for row in numbers["K"] if row["K"] == K)
    return found


class Figure4(MinorGroups):
    """Four matrices of 36 items."""

    name = "bayes-nmf-figure4"
    title = "Figure 4: the similarity matrix, a partition's, and that of NMF-ls"

    def outcome(self, found: Mapping[str, Numbers], size: Size) -> Outcome:
        shown = found[f"{SHOWN}/0"]
        pictures = {
            "(a) true groups": together(TRUTH),
            "(b) posterior similarity": np.array(shown["similarity"]),
            "(c) MinVI": together(shown["MinVI"]["labels"]),
            "(d) NMF-ls, K = 4": np.array(_of(shown, 4)["model"]),
        }
        closer, n = share(
            found, SHOWN, lambda each: _of(each, 4)["misfit"] < min(each[name]["misfit"] for name in THREE)
        )
        same, _ = share(found, SHOWN, lambda each: _of(each, 4)["misfit"] < IDENTICAL)
        rows = []
        for distance in DISTANCES:
            some = [numbers for key, numbers in found.items() if key.startswith(f"{distance}/")]
            means = [np.mean([each[name]["misfit"] for each in some]) for name in THREE]
            means += [np.mean([_of(each, K)["misfit"] for each in some]) for K in (2, 4)]
            rows.append((f"d = {distance}", [Entry(float(mean)) for mean in means]))
        return Outcome(
            tables=[
                Table(
                    "misfits",
                    f"Root mean squared difference to the similarity matrix over pairs, mean of {n} sets",
                    [*THREE, "NMF-ls, K = 2", "NMF-ls, K = 4"],
                    rows,
                    digits=3,
                )
            ],
            drawings=[
                Drawing(
                    "matrices",
                    "(a) the true groups, (b) the similarity matrix of one chain, (c) that of the conventional "
                    "partition, (d) W H of NMF-ls, as in the paper's Figure 4; K, which the paper does not say, is 4.",
                    "Four square matrices: two hard, two with shades between the large and the small groups.",
                    lambda figure: _draw(figure, pictures),
                    (9.6, 9.0),
                    {
                        "first": [i + 1 for i in range(36) for _ in range(36)],
                        "second": [j + 1 for _ in range(36) for j in range(36)],
                        **{name: P.ravel().tolist() for name, P in pictures.items()},
                    },
                )
            ],
            findings=[
                Finding(
                    "NMF is a better approximation of the similarity matrix than the conventional partitions.",
                    by_share(closer),
                    f"It is in {closer:.0%} of {n} sets; in the one shown its difference is "
                    f"{_of(shown, 4)['misfit']:.3f}, that of MinVI {shown['MinVI']['misfit']:.3f}.",
                ),
                Finding(
                    "Its matrix is almost identical to the similarity matrix.",
                    by_share(same),
                    f"The root mean squared difference is below {IDENTICAL} in {same:.0%} of {n} sets.",
                ),
            ],
            settings=settings_of(size),
            choices=CHOICES,
            sources=sources(),
        )


def _draw(figure: Any, pictures: Mapping[str, Any]) -> None:
    panels = figure.subplots(2, 2).ravel()
    image = None
    for ax, (name, P) in zip(panels, pictures.items(), strict=True):
        image = matrix(ax, np.clip(P, 0, 1), name)
        ax.set_xticks([7, 22, 31, 34], ["1-15", "16-30", "31-33", "34-36"], fontsize=7, rotation=45)
        ax.set_yticks([7, 22, 31, 34], ["1-15", "16-30", "31-33", "34-36"], fontsize=7)
    figure.colorbar(image, ax=panels, shrink=0.5, label="similarity")
