"""The files of one table or figure: numbers as CSV, pictures and tables as PNG, a page, and all of it as JSON."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from partita.errors import MissingExtraError, require
from partita.io import atomic_write_bytes, atomic_write_text, write_json
from partita.plots.figures import png
from partita.report.document import document, figure, section
from partita.report.html import Markup, element, join, table
from partita.report.pictures import Picture
from partita.report.provenance import made
from partita.reproduce.outcome import Drawing, Entry, Finding, Outcome, Table
from partita.reproduce.table_picture import draw_table, published, shown

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
        for each in outcome.tables:
            pictures[each.name] = draw_table(each)
    except MissingExtraError as missing:
        record = record | {"without": str(missing)}
    for name, content in pictures.items():
        atomic_write_bytes(folder / f"{name}.png", content)
    atomic_write_text(folder / "index.html", _page(record, outcome, pictures))
    write_json(folder / "outcome.json", record)


def picture(drawing: Drawing) -> bytes:
    """Return the drawing as a PNG, in matplotlib's own style.

    Raises
    ------
    MissingExtraError
        Without matplotlib.
    """
    module = require("matplotlib.figure", extra="plot", purpose="pictures")
    style = require("matplotlib.style", extra="plot", purpose="pictures")
    with style.context("default"):
        canvas = module.Figure(figsize=drawing.size, layout="constrained", facecolor="white")
        drawing.draw(canvas)
        return png(canvas, dpi=130)


def _numbers(tables: Iterable[Table]) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADS)
    for each in tables:
        for row, entries in each.rows:
            for column, entry in zip(each.columns, entries, strict=True):
                numbers = (entry.value, entry.error, entry.published, entry.published_error, entry.difference)
                cells = ["" if number is None else repr(float(number)) for number in numbers]
                writer.writerow([each.name, row, column, *cells, int(entry.bold), int(entry.dagger), entry.words])
    return text.getvalue()


def _series(drawing: Drawing) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(drawing.series)
    writer.writerows(zip(*drawing.series.values(), strict=True))
    return text.getvalue()


def _page(record: Mapping[str, Any], outcome: Outcome, pictures: Mapping[str, bytes]) -> str:
    """The page as HTML: findings first, then pictures and tables with the paper's figures, then how it was made."""
    drawn = [
        Picture(name=d.name, content=pictures[d.name], alt=d.alt, caption=d.caption)
        for d in outcome.drawings
        if d.name in pictures
    ]
    size = {"full": "as many runs as the paper", "quick": "a quick run", "smoke": "a run of the least size"}
    run = [
        ("Size", size[record["size"]]),
        ("Seed", str(record["seed"])),
        ("Cells", f"{record['cells']:,}"),
        ("CPU seconds", f"{record['cpu_seconds']:,.1f}"),
        ("Date", record["date"]),
        *((f"Set: {name}", said) for name, said in outcome.sources.items()),
    ]
    command = f"partita reproduce {record['name']}" + (" --quick" if record["size"] == "quick" else "")
    if record.get("replicates") is not None:
        command += f" --replicates {record['replicates']}"
    return document(
        record["title"],
        1,
        element("header", element("h1", record["title"]), element("p", f"[{record['paper']}], {record['name']}")),
        section("What came out", _findings(outcome.findings)),
        section("Pictures", *(figure(picture, wide=True) for picture in drawn)),
        section("Tables", *(_table(each) for each in outcome.tables)),
        section("What the paper leaves open", _list(outcome.choices)),
        section(
            "How it was made",
            *([element("p", record["without"])] if "without" in record else []),
            made(run, outcome.settings, record["versions"], command),
        ),
    )


def _findings(findings: Iterable[Finding]) -> Markup:
    rows = [[finding.claim, element("b", finding.verdict), finding.words] for finding in findings]
    return table(["The paper says", "Here", "How"], rows, long=(0, 2), label="Findings") if rows else Markup("")


def _table(each: Table) -> Markup:
    heads = [each.corner, *each.columns]
    rows = [[name, *(_entry(entry, each.digits) for entry in entries)] for name, entries in each.rows]
    numeric = range(1, len(heads))
    return join(
        [
            element("h3", each.title),
            table(heads, rows, numeric=numeric, label=each.title),
            *(element("p", note) for note in each.notes),
        ]
    )


def _entry(entry: Entry, digits: int) -> Markup:
    value = element("b" if entry.bold else "span", shown(entry, digits))
    said = published(entry, digits)
    return join([value, Markup("<br>"), element("small", said)]) if said else value


def _list(words: Iterable[str]) -> Markup:
    items = [element("li", word) for word in words]
    return element("ul", *items) if items else Markup("")
