"""Provenance: what one needs to make a page's answer again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from partita.report.html import Markup, element, join
from partita.wording import count

__all__ = ["made", "seconds_said"]


def made(
    run: Iterable[tuple[str, str]],
    parameters: Mapping[str, object],
    versions: Mapping[str, str],
    command: str | None,
    untouched: Collection[str] = (),
) -> Markup:
    """Return the table of what is known of a run, side by side, and the command below.

    Parameters that are `untouched` have their defaults, and stand folded in one line.
    """
    said = {name: "none" if value is None else str(value) for name, value in parameters.items()}
    given = [(name, value) for name, value in said.items() if name not in untouched]
    rest = [(name, value) for name, value in said.items() if name in untouched]
    blocks = [_block("Run", run)]
    if given:
        blocks.append(_block("Parameters given or chosen" if rest else "Parameters", given))
    if versions:
        blocks.append(_block("Versions", versions.items()))
    parts = [element("div", *blocks, class_="pairs")]
    if rest:
        title = element("summary", f"{count(len(rest), 'other parameter')} with default values")
        parts.append(element("details", title, element("p", ", ".join(f"{name} = {value}" for name, value in rest))))
    if command:
        parts += [element("h3", "Command"), element("pre", element("code", command))]
    return join(parts)


def _block(title: str, rows: Iterable[tuple[str, str]]) -> Markup:
    """A small table of names and values."""
    body = [element("tr", element("th", name, scope="row"), element("td", value)) for name, value in rows]
    return element("div", element("h3", title), element("table", element("tbody", *body)))


def seconds_said(total: float | None, part: str) -> str:
    """Return the seconds of a part, after those of the run where they are known.

    >>> seconds_said(1.5, "1.20 in the search"), seconds_said(None, "1.20 in the search")
    ('1.50 in all, 1.20 in the search', '1.20 in the search')
    """
    return part if total is None else f"{total:.2f} in all, {part}"
