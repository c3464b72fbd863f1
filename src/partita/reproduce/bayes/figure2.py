"""[bayes-nmf] Figure 2: how many clusters each method finds in the simulation, four being true."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.reproduce.bayes import factorizing, sampling
from partita.reproduce.bayes.published import CONFIGURATIONS, CONVENTIONAL, METHODS, NMF
from partita.reproduce.bayes.rules import by_parts, by_share
from partita.reproduce.bayes.simulation import Simulation, by_method
from partita.reproduce.experiment import Numbers, Size
from partita.reproduce.outcome import Drawing, Entry, Finding, Outcome, Table

__all__ = ["Figure2", "claims"]

TRUE, MOST = 4, 8
MIXED, APART = CONFIGURATIONS[4:], CONFIGURATIONS[:4]
Counts = Mapping[tuple[str, str], list[int]]


class Figure2(Simulation):
    """The number of clusters, truncated at 8 as in the paper."""

    name = "bayes-nmf-figure2"
    title = "Figure 2: the number of clusters that each method finds"

    def outcome(self, found: Mapping[str, Numbers], size: Size) -> Outcome:
        gathered = by_method(found)
        counts = {key: [int(each["n_clusters"]) for each in some] for key, some in gathered.items()}
        shares = {
            (method, name): np.bincount(np.minimum(counts[method, name], MOST), minlength=MOST + 1)[1:]
            / len(counts[method, name])
            for method in METHODS
            for name in CONFIGURATIONS
        }
        n = len(counts["MinVI", CONFIGURATIONS[0]])
        return Outcome(
            tables=[_means(counts)],
            drawings=[
                Drawing(
                    "clusters",
                    f"Share of {n} simulations in which a method finds so many clusters, 8 standing for 8 and more, "
                    "for the eight mixtures, as in the paper's Figure 2; four are true.",
                    "Eight panels, one for each mixture, of shaded cells: methods by numbers of clusters.",
                    lambda figure: _draw(figure, shares),
                    (11.0, 6.2),
                    {
                        "configuration": [name for name in CONFIGURATIONS for _ in METHODS for _ in range(MOST)],
                        "method": [method for _ in CONFIGURATIONS for method in METHODS for _ in range(MOST)],
                        "n_clusters": [k + 1 for _ in CONFIGURATIONS for _ in METHODS for k in range(MOST)],
                        "share": [
                            float(share)
                            for name in CONFIGURATIONS
                            for method in METHODS
                            for share in shares[method, name]
                        ],
                    },
                )
            ],
            findings=claims(counts),
            settings={"replicates": n, **sampling.settings_of(size)},
            choices=[*sampling.CHOICES, *factorizing.CHOICES],
            sources={"eight mixtures": "partita.datasets.eight_configurations(): Table 2 as it is printed"},
        )


def _means(counts: Counts) -> Table:
    rows = [
        (method, [Entry(float(np.mean(counts[method, name]))) for name in CONFIGURATIONS])
        for method in (*METHODS, *dict.fromkeys(method for method, _ in counts if method not in METHODS))
        if method not in ("kmeans", "random", "one", "literal")
    ]
    return Table("means", "Mean number of clusters; four are true", CONFIGURATIONS, rows, digits=1, corner="method")


def claims(counts: Counts) -> list[Finding]:
    """Return findings on the text about Figure 2, from the numbers of clusters by method and configuration."""

    def mean(methods: tuple[str, ...], names: tuple[str, ...]) -> float:
        return float(np.mean([k for method in methods for name in names for k in counts[method, name]]))

    def right(method: str, names: tuple[str, ...] = CONFIGURATIONS) -> float:
        return float(np.mean([k == TRUE for name in names for k in counts[method, name]]))

    inflated = {name: mean(("MinBinder", "MaxPEAR"), (name,)) for name in MIXED}
    few = {name: mean(("MinVI", "Medvedovic"), (name,)) for name in MIXED}
    rates = {method: right(method) for method in METHODS}
    best_nmf = max(NMF.values(), key=lambda method: rates[method])
    best_other = max(CONVENTIONAL, key=lambda method: rates[method])
    ns = mean(("NMF-ns",), MIXED), right("NMF-ns", APART)
    said = ", ".join(f"{method} {rate:.0%}" for method, rate in rates.items())
    return [
        Finding(
            "As clusters overlap (e to h) MinBinder and MaxPEAR find too many.",
            by_share(float(np.mean([value > TRUE for value in inflated.values()]))),
            "Their mean number is " + ", ".join(f"{value:.1f} on {name}" for name, value in inflated.items()) + ".",
        ),
        Finding(
            "MinVI and Medvedovic find too few there, e and g most of all.",
            by_parts(
                all(value < TRUE for value in few.values()),
                max(few["FTT"], few["FFT"]) <= min(few["FTF"], few["FFF"]),
            ),
            "Their mean number is " + ", ".join(f"{value:.1f} on {name}" for name, value in few.items()) + ".",
        ),
        Finding(
            "NMF-ls and NMF-kl are the more consistent, NMF-offset is not.",
            by_parts(
                min(rates["NMF-ls"], rates["NMF-kl"]) >= float(np.median(list(rates.values()))),
                rates["NMF-offset"] < min(rates["NMF-ls"], rates["NMF-kl"]),
            ),
            f"Four clusters are found in so many of all simulations: {said}.",
        ),
        Finding(
            "NMF-ns is good where clusters are apart and finds too many where they overlap.",
            by_parts(ns[1] >= 0.8, ns[0] > TRUE),
            f"It finds four in {ns[1]:.0%} of the simulations a to d, and {ns[0]:.1f} on average in e to h.",
        ),
        Finding(
            "Section 6: an NMF method finds the right number more often than the conventional approaches.",
            "reproduced" if rates[best_nmf] > rates[best_other] else "not reproduced",
            f"The best NMF is {best_nmf}, {rates[best_nmf]:.0%}; the best other {best_other}, {rates[best_other]:.0%}.",
        ),
    ]


def _draw(figure: Any, shares: Mapping[tuple[str, str], NDArray[np.float64]]) -> None:
    from partita.plots.palette import SEQUENTIAL

    grid = figure.subplots(2, 4, sharex=True, sharey=True)
    image = None
    for ax, name, letter in zip(grid.ravel(), CONFIGURATIONS, "abcdefgh", strict=True):
        image = ax.imshow(
            np.array([shares[method, name] for method in METHODS]), cmap=SEQUENTIAL, vmin=0, vmax=1, aspect="auto"
        )
        ax.axvline(TRUE - 1.5, color="#7f7f7f", linewidth=0.8)
        ax.axvline(TRUE - 0.5, color="#7f7f7f", linewidth=0.8)
        ax.set_title(f"{letter}-{name}", fontsize=10)
        ax.set_xticks(range(MOST), [*map(str, range(1, MOST)), "8+"])
        ax.set_yticks(range(len(METHODS)), METHODS, fontsize=8)
    for ax in grid[1]:
        ax.set_xlabel("clusters found")
    figure.colorbar(image, ax=grid, label="share of the simulations", shrink=0.7)
