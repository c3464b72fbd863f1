"""One page over all tables and figures, from their `outcome.json`: what was reproduced, what was not, and why."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from partita.reproduce.experiment import Experiment
from partita.reproduce.outcome import Entry
from partita.reproduce.table_picture import published, shown

__all__ = ["outcomes_in", "overview"]

INTRODUCTION = """# The four papers, made again

Every table and figure of the papers that Partita is built on, by one command each. `partita reproduce NAME` makes one,
`partita reproduce --list` names them, `partita reproduce all --quick` makes them all with few runs. No setting is
chosen for a single data set: where a paper leaves one open, one choice is taken for all sets and named below.

*reproduced*: as the paper has it, within what is said; *in part*: some of it; *not reproduced*: tried, and other;
*cannot be*: the paper leaves out what one would need. Small figures below ours are the paper's.
"""


def outcomes_in(folder: Path) -> list[dict[str, Any]]:
    """Return the records of all experiments that stand in a folder, in the papers' order."""
    found = {path.parent.name: path for path in folder.glob("*/outcome.json")}
    return [json.loads(found[name].read_text(encoding="utf-8")) for name in Experiment.registry if name in found]


def overview(records: Sequence[Mapping[str, Any]], *, pictures: str | None = None) -> str:
    """Return the page as Markdown.

    Parameters
    ----------
    records : sequence of mappings
        As `outcome.json` has them.
    pictures : str, optional
        Folder, as the page sees it, with a folder of PNG files for each experiment.
    """
    parts = [INTRODUCTION, "| name | what | outcome |\n|---|---|---|"]
    for record in records:
        verdicts = [finding["verdict"] for finding in record["findings"]]
        counted = ", ".join(f"{verdicts.count(word)} {word}" for word in dict.fromkeys(verdicts)) or "shown"
        parts[-1] += f"\n| [{record['name']}](#{record['name']}) | {record['title']} | {counted} |"
    parts += ["\n\n".join(_part(record, pictures)) for record in records]
    return "\n\n".join(parts) + "\n"


def _part(record: Mapping[str, Any], pictures: str | None) -> Iterable[str]:
    yield f"## {record['name']}"
    runs = {"full": "in full", "quick": "quick", "smoke": "at the least size"}[record["size"]]
    version = record["versions"].get("partita", "?")
    yield (
        f"{record['title']} [{record['paper']}]. Run {runs} on {record['date']} with Partita {version}, NumPy "
        f"{record['versions']['numpy']}, scikit-learn {record['versions']['scikit-learn']}; seed {record['seed']}, "
        f"{record['cells']:,} cells, {record['cpu_seconds']:,.0f} CPU seconds."
    )
    if record["findings"]:
        lines = ["| the paper says | here | how |", "|---|---|---|"]
        lines += [f"| {_safe(f['claim'])} | **{f['verdict']}** | {_safe(f['words'])} |" for f in record["findings"]]
        yield "\n".join(lines)
    for drawing in record["drawings"]:
        if pictures:
            yield f"![{_safe(drawing['alt'])}]({pictures}/{record['name']}/{drawing['name']}.png)"
        yield f"*{drawing['caption']}*"
    for each in record["tables"]:
        yield f"**{each['title']}**"
        lines = [
            f"| {each['corner']} | " + " | ".join(each["columns"]) + " |",
            "|---" * (len(each["columns"]) + 1) + "|",
        ]
        for row, entries in each["rows"]:
            lines.append(f"| {_safe(row)} | " + " | ".join(_cell(e, each["digits"]) for e in entries) + " |")
        yield "\n".join(lines)
        yield from each["notes"]
    if record["choices"]:
        yield "What the paper leaves open:\n\n" + "\n".join(f"- {choice}" for choice in record["choices"])


def _cell(entry: Mapping[str, Any], digits: int) -> str:
    made = Entry(**entry)
    value = _safe(shown(made, digits))
    said = published(made, digits)
    return (f"**{value}**" if made.bold else value) + (f"<br><small>{said}</small>" if said else "")


def _safe(words: str) -> str:
    """Words in a cell of a Markdown table."""
    return words.replace("|", "\\|").replace("\n", " ")
