"""The frame of a page, and the parts that every report has: sections, figures, the verdict.

A page holds one script of its own, asks for nothing over the network (a content security policy forbids it as well, and
every other script), and escapes every text that came in.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from partita.report.html import Markup, element, join, text
from partita.report.pictures import DPI, Picture
from partita.report.style import style_sheet
from partita.report.verdict import Sentence

__all__ = ["chip", "document", "figure", "folded", "is_page", "section", "told", "verdict_block"]

# By which a page is known as ours, and the characters among which it stands.
GENERATOR = Markup('<meta name="generator" content="Partita">')
HEAD = 2000
# CSS pixels of an inch of a picture, and of its frame: a page has letters of one size in all its pictures.
INCH, FRAME = 96, 21.2
# Width over height below which a picture takes half the page.
UPRIGHT = 1.4


def document(title: str, n_clusters: int, *content: Markup) -> str:
    """Return a whole page, with colours for so many clusters.

    >>> document("T", 1, element("p", "words"))[:15]
    '<!DOCTYPE html>'
    """
    head = join(
        [
            Markup('<meta charset="utf-8">'),
            Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy()}">'),
            GENERATOR,
            Markup('<link rel="icon" href="data:,">'),
            element("title", title),
            element("style", Markup(style_sheet(n_clusters))),
        ],
        "\n",
    )
    said = "Written by Partita. This file is complete: it loads nothing from the network."
    button = element("button", "Dark colours", type="button", id="theme", hidden="hidden")
    body = join([element("main", button, *content, element("footer", said)), element("script", page_script())], "\n")
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'


def is_page(path: Path) -> bool:
    """Return whether a file is a page that this module framed.

    >>> is_page(Path("no-such-page.html"))
    False
    """
    try:
        with path.open(encoding="utf-8") as file:
            return GENERATOR in file.read(HEAD)
    except (OSError, UnicodeDecodeError):
        return False


def section(title: str, *content: Markup) -> Markup:
    """Return a section, or nothing where it has no content."""
    if not any(content):
        return Markup("")
    name = title.lower().replace(" ", "-")
    return element("section", element("h2", title, id=name), *content, aria_labelledby=name)


def figure(picture: Picture | None, *, wide: bool = False) -> Markup:
    """Return a picture with its caption, or nothing.

    A narrow screen shows it larger where it is touched, but for one that is about as high as wide and not to be `wide`.
    """
    if picture is None:
        return Markup("")
    width, height = picture.size
    shape = ' class="upright"' if width < UPRIGHT * height and not wide else ""
    image = Markup(
        f'<img id="picture-{picture.name}"{shape} src="{picture.address}" width="{width}" height="{height}"'
        f' style="max-width:{width / DPI * INCH + FRAME:.0f}px" alt="{text(picture.alt)}">'
    )
    return element(
        "figure",
        element("div", image, class_="card", tabindex="0", role="group", aria_label=f"Picture: {picture.name}"),
        element("figcaption", picture.caption),
    )


def verdict_block(headline: Sequence[str], sentences: Iterable[Sentence]) -> Markup:
    """Return the headline, and what was said below it."""
    return element(
        "section", *(element("p", one, class_="headline") for one in headline), told(sentences), aria_label="Verdict"
    )


def told(sentences: Iterable[Sentence]) -> Markup:
    """Return facts as one paragraph, and a box for each caution."""
    sentences = list(sentences)
    facts = [sentence.text for sentence in sentences if sentence.tone == "plain"]
    cautions = [sentence.text for sentence in sentences if sentence.tone == "caution"]
    boxes = [element("p", element("b", "Note: "), caution, class_="caution") for caution in cautions]
    return join([*[element("p", " ".join(facts))] * bool(facts), *boxes])


def folded(title: str, *content: Markup) -> Markup:
    """Return what is shown when its title is pressed, or nothing where it has no content."""
    return element("details", element("summary", title), *content) if any(content) else Markup("")


def chip(cluster: int) -> Markup:
    """Return a cluster's number in its colour."""
    return element("span", cluster, class_=f"chip c{cluster}")


# The page's only script, and the policy that lets it run and nothing else.

# In the order in which they are run.
SOURCES = ("theme.js", "board.js", "map.js")


@cache
def page_script() -> Markup:
    """Return the script, to stand between its tags: it uses no library and asks for nothing.

    >>> page_script()[:13]
    '"use strict";'
    """
    folder = files("partita.report")
    parts = [folder.joinpath(name).read_text(encoding="utf-8").strip() for name in SOURCES]
    return Markup("\n".join(['"use strict";', "{", *parts, "}"]).replace("\r\n", "\n"))


def policy() -> str:
    """Return the content security policy: nothing from anywhere, no script but the page's own, by its SHA-256 (CSP
    level 2).

    >>> policy()[:19]
    "default-src 'none';"
    """
    digest = base64.b64encode(hashlib.sha256(page_script().encode()).digest()).decode("ascii")
    return (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
