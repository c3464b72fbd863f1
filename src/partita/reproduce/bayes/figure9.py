"""[bayes-nmf] Figure 9: computing times of the four factorizations, by the number of items and of components."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.reproduce.bayes.published import NMF
from partita.reproduce.bayes.rules import by_parts
from partita.reproduce.bayes.sampling import settings_of
from partita.reproduce.experiment import Cell, Experiment, Numbers, Size, random_numbers
from partita.reproduce.outcome import Drawing, Entry, Finding, Outcome, Table

__all__ = ["Figure9", "random_similarity", "slopes"]

ITEMS: dict[Size, tuple[int, ...]] = {"full": (200, 400, 600, 800), "quick": (200, 400, 600), "smoke": (20, 40)}
COMPONENTS = (3, 6, 9, 12)
TIMED, STARTS = {"full": 10, "quick": 1, "smoke": 1}, 10
# Powers that count as K N^2, for an iteration.
POWER_OF_N, POWER_OF_K = (1.5, 2.5), (0.5, 1.3)
# R's NMF package, CPU seconds of one start at 2,000 iterations, by N and K: least squares, Kullback-Leibler.
IN_R = {
    (200, 3): (1.1, 0.9),
    (200, 12): (1.9, 2.4),
    (400, 3): (3.7, 3.9),
    (400, 12): (9.0, 10.1),
    (800, 3): (19.6, 15.1),
    (800, 12): (35.9, 38.4),
}


def random_similarity(n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return similarities uniform on (0, 1), without structure.

    >>> random_similarity(3, np.random.default_rng(0)).diagonal().tolist()
    [1.0, 1.0, 1.0]
    """
    P = np.triu(rng.random((n, n)), 1)
    return np.asarray(P + P.T + np.eye(n))


def slopes(seconds: Mapping[tuple[int, int], float]) -> tuple[float, float]:
    """Return powers of N and K that seconds go with, by least squares on logarithms.

    >>> a, b = slopes({(n, k): 3.0 * k * n**2 for n in (2, 4) for k in (1, 3)})
    >>> round(a, 6), round(b, 6)
    (2.0, 1.0)
    """
    A = np.array([[np.log(n), np.log(k), 1.0] for n, k in seconds])
    found = np.linalg.lstsq(A, np.log(list(seconds.values())), rcond=None)[0]
    return float(found[0]), float(found[1])


class Figure9(Experiment):
    """Seconds of ten random starts on one core."""

    name = "bayes-nmf-figure9"
    paper = "bayes-nmf"
    title = "Figure 9: computing times of the factorizations"
    serial = True

    def cells(self, size: Size) -> Sequence[Cell]:
        settings = {"max_iter": settings_of(size)["max_iter"]}
        return [
            Cell(f"{method}/{n}/{K}/{start}", settings)
            for start in range(TIMED[size])
            for n in ITEMS[size]
            for K in COMPONENTS
            for method in NMF
        ]

    def compute(self, cell: Cell, rng: np.random.Generator) -> Numbers:
        from partita.nmf import nmf

        method, n, K, start = cell.key.split("/")
        V = random_similarity(int(n), random_numbers(self.name, n, self.seed))
        nmf(V, int(K), method=method, start="random", n_init=1, max_iter=2, seed=0, n_jobs=1)  # compiled, loaded
        began = time.process_time()
        found = nmf(
            V,
            int(K),
            method=method,
            start="random",
            n_init=1,
            scaling="plain",
            max_iter=cell.settings["max_iter"],
            seed=int(start),
            n_jobs=1,
        )
        return {"seconds": time.process_time() - began, "n_iter": found.n_iter}

    def outcome(self, found: Mapping[str, Numbers], size: Size) -> Outcome:
        seconds: dict[str, dict[tuple[int, int], float]] = {}
        for method, name in NMF.items():
            seconds[name] = {}
            for n in ITEMS[size]:
                for K in COMPONENTS:
                    some = [found[f"{method}/{n}/{K}/{start}"]["seconds"] for start in range(TIMED[size])]
                    seconds[name][n, K] = STARTS * float(np.mean(some))
        updates = {
            name: {
                (n, K): float(np.mean([_rate(found[f"{method}/{n}/{K}/{start}"]) for start in range(TIMED[size])]))
                for n in ITEMS[size]
                for K in COMPONENTS
            }
            for method, name in NMF.items()
        }
        timed = "all ten" if TIMED[size] == STARTS else f"{TIMED[size]} of ten, times {STARTS // TIMED[size]}"
        return Outcome(
            tables=[_table(seconds, found, size)],
            drawings=[
                Drawing(
                    "seconds",
                    f"CPU seconds of ten random starts on one core ({timed}) against the number of items, a panel for "
                    "each K, as in the paper's Figure 9, whose matrices are random too. Both axes are logarithmic.",
                    "Four panels of four rising curves, a curve for each method.",
                    lambda figure: _draw(figure, seconds, ITEMS[size]),
                    (11.0, 3.8),
                    {
                        "method": [name for name in seconds for _ in seconds[name]],
                        "items": [n for name in seconds for n, _ in seconds[name]],
                        "K": [K for name in seconds for _, K in seconds[name]],
                        "seconds": [value for name in seconds for value in seconds[name].values()],
                    },
                )
            ],
            findings=[_scaling(seconds, updates)],
            settings={"starts timed": timed, "threads": 1, "max_iter": settings_of(size)["max_iter"]},
            choices=[
                "Random similarity matrices: uniform on (0, 1) above the diagonal; the paper does not say how its own "
                "were made.",
                "The paper's seconds are in its picture alone, without numbers. The table has those of R's NMF "
                "package, measured for this project on one start of 2,000 iterations, times ten.",
            ],
            sources={"random matrices": "partita.reproduce.bayes.figure9.random_similarity"},
        )


def _rate(numbers: Numbers) -> float:
    """Seconds of an iteration."""
    return float(numbers["seconds"]) / float(numbers["n_iter"])


def _scaling(
    seconds: Mapping[str, Mapping[tuple[int, int], float]], updates: Mapping[str, Mapping[tuple[int, int], float]]
) -> Finding:
    """Powers of N and K, of whole runs and of single iterations; the latter decide."""

    def said(powers: Mapping[str, tuple[float, float]]) -> str:
        return ", ".join(f"{name} {a:.1f} and {b:.1f}" for name, (a, b) in powers.items())

    whole = {name: slopes(each) for name, each in seconds.items()}
    one = {name: slopes(each) for name, each in updates.items()}
    return Finding(
        "Times go with K N^2.",
        by_parts(
            all(POWER_OF_N[0] <= a <= POWER_OF_N[1] for a, _ in one.values()),
            all(POWER_OF_K[0] <= b <= POWER_OF_K[1] for _, b in one.values()),
        ),
        f"Fitted powers of N and K for an iteration: {said(one)}; for whole runs, whose number of iterations differs: "
        f"{said(whole)}. From {POWER_OF_N[0]} to {POWER_OF_N[1]} and from {POWER_OF_K[0]} to {POWER_OF_K[1]} count for "
        "an iteration.",
    )


def _table(seconds: Mapping[str, Mapping[tuple[int, int], float]], found: Mapping[str, Numbers], size: Size) -> Table:
    in_r = {
        name: {key: STARTS * values[i] for key, values in IN_R.items()} for i, name in enumerate(("NMF-ls", "NMF-kl"))
    }
    rows = []
    for n in ITEMS[size]:
        for K in COMPONENTS:
            entries = []
            for method, name in NMF.items():
                n_iter = np.mean([found[f"{method}/{n}/{K}/{start}"]["n_iter"] for start in range(TIMED[size])])
                theirs = in_r.get(name, {}).get((n, K))
                said = f"{seconds[name][n, K]:.1f} ({n_iter:.0f})"
                entries.append(Entry(words=said if theirs is None else f"{said}; R {theirs:.0f}"))
            rows.append((f"N = {n}, K = {K}", entries))
    return Table(
        "times",
        "CPU seconds of ten starts on one core (iterations of one, at most 2,000)",
        list(NMF.values()),
        rows,
        notes=["R: its NMF package, ten starts of 2,000 iterations each, on another day and the same kind of machine."],
    )


def _draw(figure: Any, seconds: Mapping[str, Mapping[tuple[int, int], float]], items: Sequence[int]) -> None:
    from partita.plots.palette import cluster_colors

    panels = figure.subplots(1, len(COMPONENTS), sharey=True)
    for ax, K in zip(panels, COMPONENTS, strict=True):
        for (name, each), color, marker in zip(seconds.items(), cluster_colors(4), "o^sX", strict=True):
            ax.plot(items, [each[n, K] for n in items], color=color, marker=marker, markersize=4, label=name)
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xticks(list(items), list(map(str, items)))
        ax.minorticks_off()
        ax.set_title(f"K = {K}", fontsize=10)
        ax.set_xlabel("items")
    low, high = panels[0].get_ylim()
    ticks = [m * 10.0**e for e in range(-4, 4) for m in (1, 2, 5) if low <= m * 10.0**e <= high]
    panels[0].set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    panels[0].set_ylabel("CPU seconds of ten starts")
    panels[0].legend(fontsize=8)
