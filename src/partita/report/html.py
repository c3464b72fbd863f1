"""HTML by functions: text is escaped where it enters, so that no id or column name can become markup."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

__all__ = ["Markup", "element", "join", "printable", "table", "text"]


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
) -> Markup:
    """Return a table that scrolls sideways where it is too wide; `numeric` columns flush right, `long` ones wide."""
    kind = dict.fromkeys(numeric, "number") | dict.fromkeys(long, "long")
    head = element("tr", *(element("th", name, scope="col", class_=kind.get(j)) for j, name in enumerate(heads)))
    body = [element("tr", *(element("td", cell, class_=kind.get(j)) for j, cell in enumerate(row))) for row in rows]
    caption = element("caption", label, class_="unseen")
    return element(
        "div",
        element("table", *[caption] * bool(label), element("thead", head), element("tbody", *body)),
        **{"class": "wide", "role": "region", "aria-label": label or None, "tabindex": "0"},
    )


def printable(value: str) -> str:
    r"""Replace control characters and lone surrogates, which no HTML file may hold.

    >>> printable("a\x00b") == "a\ufffdb"
    True
    """
    return "".join(
        c if (c >= " " and c != "\x7f" and not "\ud800" <= c <= "\udfff") or c in "\t\n" else "\ufffd" for c in value
    )
