"""Keys of the literature, as in [zhao2015], become links to their line in `references.md`, on every page."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from docutils import nodes

PAGE = "references"
# Where a key stands for itself.
LEFT = (nodes.literal, nodes.literal_block, nodes.reference, nodes.math, nodes.raw, nodes.title)


@cache
def keys() -> frozenset[str]:
    """First column of the table of references."""
    text = (Path(__file__).parent.parent / f"{PAGE}.md").read_text(encoding="utf-8")
    return frozenset(re.findall(r"^\| ([a-z][a-z0-9-]*[0-9a-z]) \|", text, re.MULTILINE)) - {"key"}


@cache
def pattern() -> re.Pattern[str]:
    """A key after a bracket, or after a comma or semicolon within one."""
    return re.compile(rf"(?<=\[)({'|'.join(sorted(keys(), key=len, reverse=True))})(?=[\],; ])")


def name_lines(app, doctree: nodes.document) -> None:
    """Every line of the table gets its key as an anchor."""
    if app.env.docname != PAGE:
        return
    for row in doctree.findall(nodes.row):
        key = row[0].astext()
        if key in keys():
            row["ids"].append(f"ref-{key}")


def link(app, doctree: nodes.document, docname: str) -> None:
    """Keys in running text become references."""
    if docname == PAGE:
        return
    address = app.builder.get_relative_uri(docname, PAGE)
    for text in list(doctree.findall(nodes.Text)):
        if not pattern().search(text) or any(isinstance(node, LEFT) for node in _above(text)):
            continue
        parts = pattern().split(text.astext())
        found: list[nodes.Node] = []
        for at, part in enumerate(parts):
            if at % 2:
                found.append(nodes.reference("", part, internal=True, refuri=f"{address}#ref-{part}"))
            elif part:
                found.append(nodes.Text(part))
        text.parent.replace(text, found)


def _above(node: nodes.Node):
    while node.parent is not None:
        node = node.parent
        yield node


def setup(app) -> dict[str, bool]:
    app.connect("doctree-read", name_lines)
    app.connect("doctree-resolved", link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
