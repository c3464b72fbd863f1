"""The files of one table or figure: numbers as CSV, pictures and tables as PNG, a page, and all of it as JSON."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from io import StringIO
from pathlib import Path
from typing import Any

from partita.errors import MissingExtraError, require
from partita.io import atomic_write_bytes, atomic_write_text, write_json
from partita.plots.figures import png
from partita.reproduce.outcome import Drawing, Outcome, Table
from partita.reproduce.page import render_page
from partita.reproduce.table_picture import draw_table

__all__ = ["write_outcome"]

HEADS = (
    "table",
    "row",
    "column",
    "value",
    "error",
    "published",
    "published_error",
    "difference",
    "bold",
    "dagger",
    "words",
)


def write_outcome(folder: Path, record: dict[str, Any], outcome: Outcome) -> None:
    """Write everything; each file whole or not at all.

    Raises
    ------
    InputError
        If nothing can be written there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if outcome.tables:
        atomic_write_text(folder / "numbers.csv", _numbers(outcome.tables))
    for drawing in outcome.drawings:
        if drawing.series:
            atomic_write_text(folder / f"{drawing.name}.csv", _series(drawing))
    pictures: dict[str, bytes] = {}
    try:
        for drawing in outcome.drawings:
            pictures[drawing.name] = picture(drawing)
        for table in outcome.tables:
            pictures[table.name] = draw_table(table)
    except MissingExtraError as missing:
        record = record | {"without": str(missing)}
    for name, content in pictures.items():
        atomic_write_bytes(folder / f"{name}.png", content)
    atomic_write_text(folder / "index.html", render_page(record, outcome, pictures))
    write_json(folder / "outcome.json", record)


def picture(drawing: Drawing) -> bytes:
    """Return the drawing as a PNG, in matplotlib's own style.

    Raises
    ------
    MissingExtraError
        Without matplotlib.
    """
    module = require("matplotlib.figure", extra="plot", purpose="pictures")
    agg = require("matplotlib.backends.backend_agg", extra="plot", purpose="pictures")
    style = require("matplotlib.style", extra="plot", purpose="pictures")
    with style.context("default"):
        figure = module.Figure(figsize=drawing.size, layout="constrained", facecolor="white")
        agg.FigureCanvasAgg(figure)
        drawing.draw(figure)
        return png(figure, dpi=130)


def _numbers(tables: Iterable[Table]) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADS)
    for table in tables:
        for row, entries in table.rows:
            for column, entry in zip(table.columns, entries, strict=True):
                numbers = (entry.value, entry.error, entry.published, entry.published_error, entry.difference)
                cells = ["" if number is None else repr(float(number)) for number in numbers]
                writer.writerow([table.name, row, column, *cells, int(entry.bold), int(entry.dagger), entry.words])
    return text.getvalue()


def _series(drawing: Drawing) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(drawing.series)
    writer.writerows(zip(*drawing.series.values(), strict=True))
    return text.getvalue()
