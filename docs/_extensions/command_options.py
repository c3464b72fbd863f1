"""`{command} fit`: the arguments and options of a command as a table, read from the program itself."""

from __future__ import annotations

from dataclasses import MISSING
from typing import NamedTuple

from docutils import nodes
from docutils.parsers.rst import Directive

HEADS = ("option", "takes", "default", "what")
WIDTHS = (18, 24, 16, 42)
TAKES = {"int": "a whole number", "float": "a number", "str": "text", "Path": "a path", "bool": ""}


class Row(NamedTuple):
    """An option as it is typed, what it takes, what holds without it, and what it does."""

    name: str
    takes: str
    default: str
    what: str


def rows(command: str) -> list[Row]:
    """The arguments and options of a command, in the order in which they are declared."""
    from partita.cli.app import OPTIONS
    from partita.cli.spelling import spelled

    if command not in OPTIONS:
        raise ValueError(f"no command {command!r}; there are {', '.join(sorted(OPTIONS))}")
    return [*map(_row, spelled(OPTIONS[command])), Row("--debug", "", "", "Show the traceback of an error.")]


def _row(each) -> Row:
    takes = "" if each.argument else ", ".join(each.choices) or each.info.metavar or TAKES[each.kind.__name__]
    default = "must be given" if each.default is MISSING else each.default_words
    return Row(each.takes if each.argument else ", ".join(each.flags), takes, default, each.info.help or "")


class Command(Directive):
    """The table of one command."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        try:
            found = rows(self.arguments[0])
        except ValueError as error:
            raise self.error(str(error)) from None
        group = nodes.tgroup(cols=len(HEADS))
        group += [nodes.colspec(colwidth=width) for width in WIDTHS]
        group += nodes.thead("", _line([nodes.Text(head) for head in HEADS]))
        body = nodes.tbody()
        for row in found:
            takes = nodes.Text(row.takes)
            body += _line([nodes.literal(row.name, row.name), takes, nodes.Text(row.default), nodes.Text(row.what)])
        group += body
        return [nodes.table("", group)]


def _line(cells: list[nodes.Node]) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in cells))


def setup(app) -> dict[str, bool]:
    app.add_directive("command", Command)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
