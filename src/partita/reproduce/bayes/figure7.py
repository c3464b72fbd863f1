"""[bayes-nmf] Figure 7: soft memberships of the galaxies by NMF-kl, for 3, 4 and 5 components."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.reproduce.bayes import factorizing
from partita.reproduce.bayes.galaxy import SOFT_K, Galaxy, sources
from partita.reproduce.bayes.rules import by_parts
from partita.reproduce.experiment import Numbers, Size
from partita.reproduce.outcome import Drawing, Entry, Finding, Outcome, Table

__all__ = ["Figure7", "by_position", "claims"]

Soft = Mapping[int, Array]

NAMED = (8, 9, 77, 78, 79)
# Largest membership below which an item counts as uncertain.
UNCERTAIN_BELOW = 0.8


class Figure7(Galaxy):
    """Columns of H, divided by their sums."""

    name = "bayes-nmf-figure7"
    title = "Figure 7: soft memberships of the galaxies by NMF-kl"

    def outcome(self, found: Mapping[str, Numbers], size: Size) -> Outcome:
        rows = {row["K"]: row for row in found["kl/0"]["K"] if row["K"] in SOFT_K}
        plain = {K: by_position(np.array(row["soft"])) for K, row in rows.items()}
        balanced = {K: by_position(np.array(row["soft_balanced"])) for K, row in rows.items()}
        return Outcome(
            tables=[
                _named(plain, "plain", "H as it is, eq. (21)"),
                _named(balanced, "balanced", "balanced components"),
            ],
            drawings=[
                Drawing(
                    "memberships",
                    "Memberships by NMF-kl for 3, 4 and 5 components, the galaxies in the order of their velocities, "
                    "as in the paper's Figure 7: columns of H divided by their sums.",
                    "Three panels of curves over the galaxies' numbers, one curve for each component.",
                    lambda figure: _draw(figure, plain),
                    (9.5, 6.6),
                    {
                        "K": [K for K in SOFT_K for _ in range(K * len(plain[K]))],
                        "cluster": [k + 1 for K in SOFT_K for k in range(K) for _ in range(len(plain[K]))],
                        "galaxy": [i + 1 for K in SOFT_K for _ in range(K) for i in range(len(plain[K]))],
                        "membership": [float(m) for K in SOFT_K for m in plain[K].T.ravel()],
                    },
                )
            ],
            findings=claims(plain, balanced),
            settings={"starts": "the best of ten by the objective, the first time of Figure 6"},
            choices=[
                *factorizing.CHOICES[1:],
                "Components are numbered by the velocities they stand for; the paper's numbers are not explained.",
            ],
            sources=sources(),
        )


def by_position(soft: Array) -> Array:
    """Return columns in the order of the mean position of their items.

    >>> by_position(np.array([[0.0, 1.0], [1.0, 0.0]])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    mean = np.arange(len(soft)) @ soft / soft.sum(axis=0)
    return np.asarray(soft[:, np.argsort(mean)])


def claims(plain: Soft, balanced: Soft) -> list[Finding]:
    """Return findings on the three panels of section 5.2, for memberships by K; items are counted from 1."""

    def largest(soft: Soft, K: int, items: tuple[int, ...]) -> float:
        return float(np.mean([soft[K][i - 1].max() for i in items]))

    three, four, low, high = plain[3], plain[4], (8, 9), (78, 79)
    unsure = {i: float(three[i - 1].max()) for i in (*low, *high)}
    last = float(three[76, 2])
    overlap = float(np.minimum(four[:, 1], four[:, 2]).sum() / np.minimum(four[:, 1].sum(), four[:, 2].sum()))
    third = [float(four[i - 1, 2]) for i in high]
    words = [f"{largest(plain, K, low):.2f} and {largest(plain, K, high):.2f} at K = {K}" for K in SOFT_K]
    even = {i: float(balanced[3][i - 1].max()) for i in (*low, *high)}
    return [
        Finding(
            "K = 3: galaxies 8, 9, 78 and 79 are highly uncertain.",
            by_parts(*(value < UNCERTAIN_BELOW for value in unsure.values())),
            "Their largest memberships are "
            + ", ".join(f"{value:.2f} ({i})" for i, value in unsure.items())
            + f", below {UNCERTAIN_BELOW} counting as uncertain; with balanced components "
            + ", ".join(f"{value:.2f}" for value in even.values())
            + ".",
        ),
        Finding(
            "K = 3: galaxy 77 has a chance of almost 20% to be of cluster 3.",
            "reproduced" if 0.15 <= last < 0.25 else "in part" if 0.05 <= last < 0.4 else "not reproduced",
            f"Its membership in the fastest cluster is {last:.3f}, with balanced components {balanced[3][76, 2]:.3f}.",
        ),
        Finding(
            "K = 4: clusters 2 and 3 overlap much, and 78 and 79 are clearly of cluster 3.",
            by_parts(overlap > 0.2, min(third) > 0.5),
            f"Clusters 2 and 3 share {overlap:.0%} of the smaller one; 78 and 79 are in cluster 3 with "
            f"{third[0]:.2f} and {third[1]:.2f}.",
        ),
        Finding(
            "K = 5: more certain of 8 and 9, less of 78 and 79.",
            by_parts(
                largest(plain, 5, low) > largest(plain, 4, low), largest(plain, 5, high) < largest(plain, 4, high)
            ),
            f"Mean largest membership of 8 and 9, and of 78 and 79: {'; '.join(words)}.",
        ),
    ]


def _named(soft: Soft, name: str, words: str) -> Table:
    rows = [
        (f"K = {K}, cluster {k + 1}", [Entry(float(soft[K][i - 1, k])) for i in NAMED])
        for K in SOFT_K
        for k in range(K)
    ]
    return Table(name, f"Memberships of the galaxies that the text names, {words}", list(map(str, NAMED)), rows)


def _draw(figure: Any, soft: Soft) -> None:
    from partita.plots.palette import cluster_colors

    panels = figure.subplots(len(SOFT_K), 1, sharex=True)
    for ax, K in zip(panels, SOFT_K, strict=True):
        items = np.arange(1, len(soft[K]) + 1)
        for k, color in enumerate(cluster_colors(K)):
            ax.plot(items, soft[K][:, k], color=color, marker="o^sDv"[k], markersize=3, linewidth=1, label=str(k + 1))
        ax.set_ylim(-0.03, 1.03)
        ax.set_title(f"K = {K}", fontsize=10)
        ax.set_ylabel("membership")
        ax.legend(title="cluster", fontsize=7, title_fontsize=7, loc="center left", bbox_to_anchor=(1.005, 0.5))
    panels[-1].set_xlabel("galaxy, by velocity")
