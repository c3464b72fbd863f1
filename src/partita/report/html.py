"""HTML by functions: text is escaped where it enters, so that no id or column name can become markup."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

__all__ = ["Markup", "element", "join", "printable", "table", "text"]


# Columns from which the rows of a table are stacked on a narrow screen.
STACKED = 5


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def text(value: object) -> Markup:
    """Return a value as escaped text; markup stays as it is.

    >>> text("<script>")
    '&lt;script&gt;'
    """
    return value if isinstance(value, Markup) else Markup(html.escape(printable(str(value))))


def join(parts: Iterable[object], between: str = "") -> Markup:
    """Return parts one after another, escaped where they are not markup."""
    return Markup(between.join(text(part) for part in parts))


def element(tag: str, *content: object, **attributes: object) -> Markup:
    """Return an element; an underscore at the end of an attribute's name is left out, False and None leave out the
    attribute.

    >>> element("p", "a < b", class_="note")
    '<p class="note">a &lt; b</p>'
    """
    given = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{text(value)}"'
        for name, value in attributes.items()
        if value is not None and value is not False
    )
    return Markup(f"<{tag}{given}>{join(content)}</{tag}>")


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[object]],
    numeric: Iterable[int] = (),
    long: Iterable[int] = (),
    label: str = "",
    names: Sequence[str] = (),
) -> Markup:
    """Return a table; `numeric` columns flush right, `long` ones wide.

    One of at least `STACKED` columns has each row as a block of lines on a narrow screen, where every cell says the
    name of its column: `names`, which heads of markup need, or else the heads. A style sheet that changes `display`
    takes from a table what a screen reader knows of it (https://www.w3.org/TR/html-aria/), so that its parts have their
    roles as attributes.
    """
    kind = dict.fromkeys(numeric, "number") | dict.fromkeys(long, "long")
    stacked = len(heads) >= STACKED

    def part(tag: str, role: str, *content: object, class_: str | None = None, **attributes: object) -> Markup:
        return element(tag, *content, class_=class_, role=role if stacked else None, **attributes)

    def cell(j: int, content: object) -> Markup:
        name = (names or heads)[j] if stacked else None
        return part("td", "cell", content, class_=kind.get(j), data_column=name)

    ths = (part("th", "columnheader", name, scope="col", class_=kind.get(j)) for j, name in enumerate(heads))
    head = part("thead", "rowgroup", part("tr", "row", *ths))
    body = [part("tr", "row", *(cell(j, content) for j, content in enumerate(row))) for row in rows]
    caption = element("caption", label, class_="unseen")
    parts = [*[caption] * bool(label), head, part("tbody", "rowgroup", *body)]
    return element(
        "div",
        part("table", "table", *parts, class_="stacked" if stacked else None),
        **{"class": "wide", "role": "group", "aria-label": label or None, "tabindex": "0"},
    )


def printable(value: str) -> str:
    r"""Replace control characters and lone surrogates, which no HTML file may hold.

    >>> printable("a\x00b") == "a\ufffdb"
    True
    """
    return "".join(
        c if (c >= " " and c != "\x7f" and not "\ud800" <= c <= "\udfff") or c in "\t\n" else "\ufffd" for c in value
    )
