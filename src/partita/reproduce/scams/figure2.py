"""Figure 2 of [li2014]: Rand index by noise, and by the number of subspaces (sections 5.1.1 and 5.1.2).

A cell is one draw of items at one level; it has every method on both affinities. `printed/...` cells have the constants
as printed under other readings of the affinities, on draws of their own; `beside/...` cells have, on the items of the
cell of that name, what the paper does not compare: our default by ADMM, at two prices of a pair, and the printed
objective by moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from partita.reproduce.experiment import Cell, Experiment, Numbers, Size, random_numbers
from partita.reproduce.outcome import Entry, Outcome, Table
from partita.reproduce.scams.affinities import CHOICES, KINDS, affinities, others
from partita.reproduce.scams.figure2_claims import claims
from partita.reproduce.scams.lines import Lines, collected, drawing, score_tables, summary
from partita.reproduce.scams.methods import BESIDE, COMPARED, DEFAULT_ADMM, METHODS, Case, judged

__all__ = ["Figure2"]

NOISE = tuple(round(0.05 * step, 2) for step in range(11))
LEVELS: dict[str, dict[str, tuple[float, ...]]] = {
    "full": {"noise": NOISE, "groups": tuple(range(1, 13))},
    "quick": {"noise": NOISE[::2], "groups": (1, 2, 3, 4, 5, 8, 10, 12)},
}
REPETITIONS = {"full": 20, "quick": 3, "smoke": 1}
# Levels and repetitions at which other readings of the affinities are tried.
TRIED: dict[str, dict[str, tuple[float, ...]]] = {
    "full": {"noise": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5), "groups": (1, 2, 4, 8)},
    "quick": {"noise": (0.0, 0.2, 0.4), "groups": (1, 4)},
}
TRIED_REPETITIONS = {"full": 3, "quick": 1}
BESIDE_CELL = "beside/"
ADMM_ON_OURS = f"{DEFAULT_ADMM}, own affinity"
# Points of each subspace, and how many the test suite takes.
POINTS, SMOKE_POINTS = 50, 15
LABELS = {"noise": "noise rho", "groups": "number of subspaces K"}
SECTIONS = {"noise": "5.1.1", "groups": "5.1.2"}


class Figure2(Experiment):
    """Rand index by noise, and by the number of subspaces."""

    name = "scams-figure2"
    paper = "li2014"
    title = "Figure 2: Rand index on synthetic subspaces, by noise and by the number of groups"

    def cells(self, size: Size) -> Sequence[Cell]:
        if size == "smoke":
            few = {"points": SMOKE_POINTS}
            main = [Cell("noise/0.1/0", few), Cell("groups/2/0", few)]
            return [*main, *map(_beside, main), self._tried({"groups": (1,)}, 1)[0]]
        main = [
            Cell(f"{test}/{level:g}/{time}")
            for time in range(REPETITIONS[size])
            for test, values in LEVELS[size].items()
            for level in values
        ]
        return [*main, *map(_beside, main), *self._tried(TRIED[size], TRIED_REPETITIONS[size])]

    def _tried(self, levels: Mapping[str, Sequence[float]], times: int) -> list[Cell]:
        return [
            Cell(f"printed/{reading}/{test}/{level:g}/{time}", {"factor": factor})
            for time in range(times)
            for reading, (_, factor) in others().items()
            for test, values in levels.items()
            for level in values
        ]

    def compute(self, cell: Cell, rng: np.random.Generator) -> Numbers:
        *_, test, level, time = cell.key.rsplit("/", 3)
        if cell.key.startswith("printed/"):
            # All readings see the same items.
            same = np.random.default_rng([*np.frombuffer(f"{test}{level}{time}".encode(), dtype=np.uint8).tolist()])
            X, truth, dimension = drawn(test, float(level), same)
            builder, factor = others()[cell.key.split("/", 1)[1].removesuffix(f"/{test}/{level}/{time}")]
            return judged(Case(X, truth, dimension, builder, factor=factor), ["SCAMS"])
        methods: Sequence[str] = METHODS
        if cell.key.startswith(BESIDE_CELL):
            methods, rng = BESIDE, random_numbers(self.name, f"{test}/{level}/{time}", self.seed)
        X, truth, dimension = drawn(test, float(level), rng, cell.settings.get("points", POINTS))
        found: Numbers = {}
        for kind, affinity in affinities("paper").items():
            found[kind] = judged(Case(X, truth, dimension, affinity.builder), methods)
        for kind, affinity in affinities("ours").items():
            found[f"our {kind}"] = judged(Case(X, truth, dimension, affinity.builder), methods)
        return found

    def outcome(self, found: Mapping[str, Numbers], size: Size) -> Outcome:
        panels = {(test, kind): panel(found, test, kind) for test in LABELS for kind in KINDS}
        beside = [own_panel(found, test, kind) for test in LABELS for kind in KINDS]
        tables = [table for each in panels.values() for table in score_tables(each)]
        tables.append(summary("own", "Every method on our default affinities", beside))
        readings = table_of_readings(found)
        picture = drawing(
            "figure2",
            [[panels[test, kind] for kind in KINDS] for test in LABELS],
            caption="The paper's Figure 2 has the same four panels without the dashed lines and prints no numbers. "
            "Top: five groups of dimensions 2 to 10 under growing noise. Bottom: 1 to 12 groups of dimensions 2 to 2K, "
            "noise .05. Dashed: Partita's local search of the same objective, on the same affinity and on its own "
            "defaults.",
            left_out=(*BESIDE, ADMM_ON_OURS),
            alt="Four panels of Rand index, by noise above and by number of subspaces below, with SSC on the left and "
            "LRR on the right; one line for each method.",
        )
        return Outcome(
            tables=[*tables, readings],
            drawings=[picture],
            findings=claims(panels, beside, readings),
            settings={
                "repetitions": REPETITIONS[size],
                "affinities": {
                    which: {kind: each.builder.config() for kind, each in affinities(which).items()}
                    for which in ("paper", "ours")
                },
                "SCAMS as printed": "lambda 2, gamma .005, mu 1e6, rho 1.1, epsilon 1e-8",
                "default, ADMM": 'SCAMS(affinity="precomputed", method="admm")',
                "theta .7, ADMM": "scams_admm with its defaults, gamma = .7 / N, then boolean_factorization",
                "printed, searched": "scams_local at lambda 2 and gamma .005, affinity in its own unit",
                "ours": "scams_local with its defaults: lambda 1 on the scale sym, gamma a share of .13",
                "dimension told to SOD": {"noise": 6, "groups": "K + 1, the mean of 2, 4, ..., 2K"},
            },
            choices=[
                *CHOICES,
                "SOD wants one dimension and the groups have several: it is told their mean, 6 in the noise test and "
                "K + 1 in the other.",
                "Points are not scaled to length one again after the noise.",
            ],
            sources={"generated": "partita.datasets.noise_test and group_test, [li2014] section 5.1"},
        )


def drawn(test: str, level: float, rng: np.random.Generator, points: int = POINTS) -> tuple[Any, Any, int]:
    """Return items, groups, and the mean dimension."""
    from partita.datasets.subspaces import DIMENSIONS, LOW_NOISE, union_of_subspaces

    if test == "noise":
        return (*union_of_subspaces(DIMENSIONS, level, rng, points=points), int(np.mean(DIMENSIONS)))
    dimensions = range(2, 2 * int(level) + 1, 2)
    return (*union_of_subspaces(dimensions, LOW_NOISE, rng, points=points), int(level) + 1)


def panel(found: Mapping[str, Numbers], test: str, kind: str) -> Lines:
    """Return the paper's lines for one test and affinity, and ours dashed."""
    lines = {name: (kind, name) for name in COMPARED}
    lines |= {"ours, same affinity": (kind, "ours"), "ours, own affinity": (f"our {kind}", "ours")}
    lines |= {name: (kind, name) for name in BESIDE} | {ADMM_ON_OURS: (f"our {kind}", DEFAULT_ADMM)}
    return Lines(
        f"{test}-{kind.lower()}",
        f"{'Noise' if test == 'noise' else 'Number of subspaces'} ({SECTIONS[test]}), affinity by {kind}",
        LABELS[test],
        levels(found, test),
        collected(by_level(found, test), lines),
        true_numbers(found, test),
    )


def own_panel(found: Mapping[str, Numbers], test: str, kind: str) -> Lines:
    """Return every method on our default of that affinity."""
    return Lines(
        f"{test}, {kind}",
        f"{'Noise' if test == 'noise' else 'Number of subspaces'} ({SECTIONS[test]}), our default of {kind}",
        LABELS[test],
        levels(found, test),
        collected(by_level(found, test), {name: (f"our {kind}", name) for name in (*METHODS, *BESIDE)}),
        true_numbers(found, test),
    )


def by_level(found: Mapping[str, Numbers], test: str) -> dict[float, list[Numbers]]:
    """Return the cells of a test by level, ascending."""
    cells: dict[float, list[Numbers]] = {}
    for key, numbers in found.items():
        if key.startswith(f"{test}/"):
            beside = found[f"{BESIDE_CELL}{key}"]
            both = {affinity: {**numbers[affinity], **beside[affinity]} for affinity in numbers}
            cells.setdefault(float(key.split("/")[1]), []).append(both)
    return dict(sorted(cells.items()))


def _beside(cell: Cell) -> Cell:
    return Cell(f"{BESIDE_CELL}{cell.key}", cell.settings)


def levels(found: Mapping[str, Numbers], test: str) -> list[float]:
    return list(by_level(found, test))


def true_numbers(found: Mapping[str, Numbers], test: str) -> list[int]:
    """Return the true number of groups at each level."""
    from partita.datasets.subspaces import DIMENSIONS

    return [len(DIMENSIONS) if test == "noise" else int(level) for level in levels(found, test)]


def table_of_readings(found: Mapping[str, Numbers]) -> Table:
    """Return the Rand index of SCAMS as printed, by reading of the affinity and level."""
    values: dict[str, dict[str, list[float]]] = {}
    for key, numbers in found.items():
        if key.startswith("printed/"):
            reading, test, level, _ = key.removeprefix("printed/").rsplit("/", 3)
            column = f"{'rho' if test == 'noise' else 'K'} = {level}"
            values.setdefault(reading, {}).setdefault(column, []).append(numbers["SCAMS"][0])
    columns = list(dict.fromkeys(column for row in values.values() for column in row))
    return Table(
        "readings",
        "Rand index of SCAMS at the printed constants, by reading of the affinity (mean)",
        columns,
        [(reading, [Entry(float(np.mean(row[column]))) for column in columns]) for reading, row in values.items()],
        corner="affinity",
        notes=['"times c": every entry of the affinity, its scale alone, is another.'],
    )
