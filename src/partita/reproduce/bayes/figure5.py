"""[bayes-nmf] Figure 5: Binder's loss against K, and the memberships by NMF-ls for two and four components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from partita.reproduce.bayes.figure3 import PAPER
from partita.reproduce.bayes.minor_groups import CHOICES, DISTANCES, SHOWN, TRUTH, MinorGroups, share, sources
from partita.reproduce.bayes.rules import by_parts, by_share
from partita.reproduce.bayes.sampling import clusters_written, settings_of
from partita.reproduce.experiment import Numbers, Size
from partita.reproduce.outcome import Drawing, Entry, Finding, Outcome, Table

__all__ = ["Figure5", "not_much_greater", "two_is_least"]

# How much greater than the least loss counts as not much.
GREATER = 0.5
ALL_FOUR = clusters_written(TRUTH)


def two_is_least(losses: Mapping[int, float]) -> bool:
    """Return whether K = 2 has the least loss.

    >>> two_is_least({2: 0.1, 3: 0.2})
    True
    """
    return min(losses, key=lambda K: losses[K]) == 2


def not_much_greater(losses: Mapping[int, float]) -> bool:
    """Return whether K = 3 and 4 have a loss at most half as much again as K = 2.

    >>> not_much_greater({2: 0.1, 3: 0.11, 4: 0.2})
    False
    """
    return max(losses[3], losses[4]) <= (1 + GREATER) * losses[2]


def _losses(numbers: Numbers) -> dict[int, float]:
    return {int(row["K"]): float(row["plain"]["binder"]) for row in numbers["K"]}


def _of(numbers: Numbers, K: int) -> Numbers:
    found: Numbers = next(row for row in numbers["K"] if row["K"] == K)
    return found


def _whole(numbers: Numbers) -> bool:
    return bool(_of(numbers, 4)["plain"]["clusters"] == ALL_FOUR)


class Figure5(MinorGroups):
    """Experiment of Figure 5: soft memberships of the items by NMF-ls."""

    name = "bayes-nmf-figure5"
    title = "Figure 5: Binder's loss against K, and soft memberships by NMF-ls"

    def outcome(self, found: Mapping[str, Numbers], size: Size) -> Outcome:
        shown = found[f"{SHOWN}/0"]
        soft = {K: np.array(_of(shown, K)["soft"]) for K in (2, 4)}
        losses = _losses(shown)
        least, n = share(found, SHOWN, lambda each: two_is_least(_losses(each)))
        near, _ = share(found, SHOWN, lambda each: not_much_greater(_losses(each)))
        hard, _ = share(found, SHOWN, lambda each: _of(each, 2)["plain"]["clusters"] == each["MinVI"]["clusters"])
        whole, _ = share(found, SHOWN, _whole)
        V = np.array(shown["similarity"])
        minor, other = float(V[:15, 33:].mean()), float(V[:15, 30:33].mean())
        rows = [
            (
                f"d = {distance}",
                [
                    Entry(share(found, distance, lambda each: two_is_least(_losses(each)))[0]),
                    Entry(share(found, distance, lambda each: not_much_greater(_losses(each)))[0]),
                    Entry(share(found, distance, lambda each: _of(each, 2)["plain"]["clusters"] == PAPER)[0]),
                    Entry(share(found, distance, _whole)[0]),
                ],
            )
            for distance in DISTANCES
        ]
        heads = ["K = 2 has the least loss", "K = 3, 4 within half", "K = 2: the paper's partition", "K = 4: the truth"]
        series: dict[str, Sequence[Any]] = {
            "K": [K for K in soft for _ in range(K * 36)],
            "component": [k + 1 for K in soft for k in range(K) for _ in range(36)],
            "item": [i + 1 for K in soft for _ in range(K) for i in range(36)],
            "membership": [float(m) for K in soft for m in soft[K].T.ravel()],
        }
        return Outcome(
            tables=[
                Table("shares", f"Share of {n} sets by the distance of the minor groups", heads, rows),
                Table(
                    "losses",
                    "Binder's loss of NMF-ls by K, the set shown (divided by N^2)",
                    [f"K = {K}" for K in losses],
                    [("NMF-ls", [Entry(value) for value in losses.values()])],
                    digits=4,
                ),
            ],
            drawings=[
                Drawing(
                    "memberships",
                    "Above Binder's loss of NMF-ls against K; below the columns of H divided by their sums for K = 2 "
                    "and K = 4, as in the paper's Figure 5. Dotted lines part the true groups.",
                    "A curve of losses over K, and two panels of membership curves over the items 1 to 36.",
                    lambda figure: _draw(figure, losses, soft),
                    (9.0, 7.6),
                    series,
                )
            ],
            findings=[
                Finding(
                    "K = 2 has the least Binder loss, K = 3 and 4 not much more.",
                    by_parts(least >= 0.5, near >= 0.5),
                    f"K = 2 is least in {least:.0%} of {n} sets, and 3 and 4 are within {GREATER:.0%} of it in "
                    f"{near:.0%}.",
                ),
                Finding(
                    "K = 2: the hard partition is that of the conventional methods.",
                    by_share(hard),
                    f"It is that of MinVI in {hard:.0%} of {n} sets.",
                ),
                Finding(
                    "K = 4: NMF finds the true groups, 31-33 and 34-36 among them.",
                    by_share(whole),
                    f"In {whole:.0%} of {n} sets; in the one shown the clusters are "
                    f"{_of(shown, 4)['plain']['clusters']}.",
                ),
                Finding(
                    "Items 1-15 and 34-36 are strongly similar though in different clusters at K = 4.",
                    "reproduced" if minor > 0.3 and minor > 3 * other else "not reproduced",
                    f"In the set shown their mean similarity is {minor:.2f}, that of 1-15 and 31-33 {other:.2f}.",
                ),
            ],
            settings=settings_of(size),
            choices=CHOICES,
            sources=sources(),
        )


def _draw(figure: Any, losses: Mapping[int, float], soft: Mapping[int, Any]) -> None:
    from partita.plots.palette import cluster_colors

    top, *panels = figure.subplots(3, 1)
    top.plot(list(losses), list(losses.values()), marker="o", color="#222222", markersize=4)
    top.set_xticks(list(losses))
    top.set_xlabel("K")
    top.set_ylabel("Binder's loss")
    for ax, K in zip(panels, soft, strict=True):
        order = np.argsort(np.arange(36) @ soft[K] / soft[K].sum(axis=0))
        for k, color in enumerate(cluster_colors(K)):
            ax.plot(range(1, 37), soft[K][:, order[k]], color=color, marker="os^X"[k], markersize=3.5, linewidth=1)
        for edge in (15.5, 30.5, 33.5):
            ax.axvline(edge, color="#7f7f7f", linestyle=":", linewidth=0.8)
        ax.set_ylim(-0.03, 1.03)
        ax.set_title(f"K = {K}", fontsize=10)
        ax.set_ylabel("membership")
    panels[-1].set_xlabel("item")
