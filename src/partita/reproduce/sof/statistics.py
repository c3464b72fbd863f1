"""[zhao2015] Table 2: statistics of the sets, read from the files."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from partita.reproduce.experiment import Cell, Experiment, Numbers, Size
from partita.reproduce.outcome import Entry, Finding, Outcome, Table
from partita.reproduce.sof.published import STATISTICS
from partita.reproduce.sof.sets import SETS, loaded, sources, taken

__all__ = ["Table2"]

COLUMNS = ("objects", "attributes", "classes")


class Table2(Experiment):
    """Objects, attributes and classes of seven sets."""

    name = "sof-table2"
    paper = "zhao2015"
    title = "Table 2: statistics of the data sets"

    def cells(self, size: Size) -> list[Cell]:
        return [Cell(name) for name in SETS if name in taken(size)]

    def compute(self, cell: Cell, rng: np.random.Generator) -> Numbers:
        given = loaded(cell.key)
        assert given.truth is not None
        counts = np.bincount(given.truth)
        return {
            "objects": given.X.shape[0],
            "attributes": given.X.shape[1],
            "classes": int((counts > 0).sum()),
            "smallest": int(counts.min()),
            "largest": int(counts.max()),
            "distinct": len(np.unique(given.X, axis=0)),
            "ratio": float(given.X.std(axis=0).max() / given.X.std(axis=0).min()),
            "notes": list(given.notes),
        }

    def outcome(self, found: Mapping[str, Numbers], size: Size) -> Outcome:
        names = [name for name in SETS if name in found]
        rows = [
            (
                name,
                [Entry(found[name][column], published=printed) for column, printed in zip(COLUMNS, said, strict=True)],
            )
            for name, said in STATISTICS.items()
            if name in found
        ]
        more = ("smallest", "largest", "distinct", "ratio")
        return Outcome(
            tables=[
                Table("statistics", "Objects, attributes and classes", COLUMNS, rows, digits=0, corner="set"),
                Table(
                    "more",
                    "What else matters to a distance",
                    ("smallest class", "largest class", "distinct rows", "ratio of scales"),
                    [(name, [Entry(found[name][key]) for key in more]) for name in names],
                    digits=0,
                    corner="set",
                    notes=("Ratio of scales: largest standard deviation of an attribute over the smallest.",),
                ),
            ],
            findings=[judged(found)],
            settings={"files": {name: SETS[name] for name in names}},
            choices=[f"{name}: {note}." for name in names for note in found[name]["notes"]],
            sources=sources(taken(size)),
        )


def judged(found: Mapping[str, Numbers]) -> Finding:
    """Return "reproduced" where every number is the paper's."""
    other = [
        f"{name} has {found[name][column]} {column}, the paper {printed}"
        for name in found
        for column, printed in zip(COLUMNS, STATISTICS[name], strict=True)
        if found[name][column] != printed
    ]
    total = len(COLUMNS) * len(found)
    return Finding(
        "Objects, attributes and classes of the sets.",
        "reproduced" if not other else "in part" if len(other) < total else "not reproduced",
        "; ".join(other) + "." if other else f"All {total} numbers are the paper's.",
    )
