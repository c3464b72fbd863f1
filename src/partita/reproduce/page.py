"""The page of one table or figure: findings first, then pictures and tables with the paper's figures, then how."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from partita.report.document import document, figure, section
from partita.report.html import Markup, element, join, table
from partita.report.pictures import Picture
from partita.report.provenance import made
from partita.reproduce.outcome import Entry, Finding, Outcome, Table
from partita.reproduce.table_picture import published, shown

__all__ = ["render_page"]


def render_page(record: Mapping[str, Any], outcome: Outcome, pictures: Mapping[str, bytes]) -> str:
    """Return the page as HTML text."""
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
