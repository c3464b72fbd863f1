"""`{command} fit`: the arguments and options of a command as a table, read from the program itself."""

from __future__ import annotations

import inspect
from types import UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from docutils import nodes
from docutils.parsers.rst import Directive
from typer.models import ArgumentInfo

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
    """The arguments and options of a command, in the order of `--help`."""
    from partita.cli.app import app

    found = {each.name or each.callback.__name__: each.callback for each in app.registered_commands}
    if command not in found:
        raise ValueError(f"no command {command!r}; there are {', '.join(sorted(found))}")
    given = inspect.signature(found[command]).parameters
    return [_row(each.name, each.annotation, each.default) for each in given.values()]


def _row(name: str, hint: Any, default: Any) -> Row:
    kind, info = get_args(hint)[:2]
    if get_origin(kind) in (Union, UnionType):
        kind = next(part for part in get_args(kind) if part is not type(None))
    argument = isinstance(info, ArgumentInfo)
    words = (info.default, *(info.param_decls or ()))  # the first of a name's spellings stands where a default would
    declared = [word for word in words if isinstance(word, str) and word.startswith("--")]
    shown = info.metavar if argument else declared[0] if declared else "--" + name.replace("_", "-")
    if get_origin(kind) is Literal:
        takes = ", ".join(get_args(kind))
    else:
        takes = "" if argument else info.metavar or TAKES[kind.__name__]
    return Row(shown, takes, _default(default, info), info.help or "")


def _default(default: Any, info: Any) -> str:
    if default is inspect.Parameter.empty:
        return "must be given"
    if isinstance(info.show_default, str):
        return info.show_default
    return "" if default is None or default is False else str(default)


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
