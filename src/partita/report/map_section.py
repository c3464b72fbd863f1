"""The interactive map's markup: it is hidden until the page's script brings it to life; without scripts a picture,
where there is one, stands in its place.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from partita.plots.order import count
from partita.report.html import Markup, element, join, text
from partita.report.item_map import ItemMap, as_json

__all__ = ["GLYPHS", "interactive_map"]

# Marks of the clusters in turn, as SVG paths around the origin and of about the same area: a second channel beside
# colour.
GLYPHS = (
    "M-1 0A1 1 0 1 0 1 0A1 1 0 1 0 -1 0Z",
    "M-.88-.88H.88V.88H-.88Z",
    "M0-1.2L1.15.85H-1.15Z",
    "M0-1.3L1.15 0L0 1.3L-1.15 0Z",
    "M0 1.2L1.15-.85H-1.15Z",
    "M-.4-1.2H.4V-.4H1.2V.4H.4V1.2H-.4V.4H-1.2V-.4H-.4Z",
    "M-1.15-.58L-.58-1.15L0-.58L.58-1.15L1.15-.58L.58 0L1.15.58L.58 1.15L0 .58L-.58 1.15L-1.15.58L-.58 0Z",
    "M-1.2 0L.85-1.15V1.15Z",
    "M1.2 0L-.85-1.15V1.15Z",
    "M0-1.4L.41-.57L1.33-.43L.67.22L.82 1.13L0 .7L-.82 1.13L-.67.22L-1.33-.43L-.41-.57Z",
)
# Clusters up to which the legend shows all at once; that of more scrolls.
MANY = 150
HELP = (
    "Point at an item to see how sure it is and its nearest items; click to keep it. With the keyboard: Tab to the "
    "map, left and right arrow for the items in order, up and down for the nearest one in that direction, Home and End "
    "for the first and last, Escape to let go. The clusters' buttons hide and show them."
)


def interactive_map(found: ItemMap | None, sizes: Sequence[int], picture: Markup) -> Markup:
    """Return the map, and a picture for a reader without scripts; `sizes` are the items of each cluster."""
    if found is None:
        return picture
    ink = f"The fainter an item, the less certain it is: {found.meaning}."
    if any(found.content["outlier"]):
        ink += " Outliers are hollow."
    if len(sizes) > 1:
        repeated = (
            "; with so many clusters marks repeat, and colours are close to each other"
            if len(sizes) > len(GLYPHS)
            else ""
        )
        ink += f" Every cluster has its number, and its colour and mark{repeated}."
    return join(
        [
            element("p", join([text(found.layout), text(ink)], " ")),
            element(
                "div",
                _legend(sizes),
                _board(found),
                _controls(found.n_items),
                element("p", HELP, id="map-help", class_="caption"),
                element("p", _caption(found), class_="caption"),
                element("p", id="map-said", class_="unseen", role="status"),
                id="map",
                class_="map",
                hidden="hidden",
                data_glyphs=json.dumps(GLYPHS),
            ),
            element("script", as_json(found.content), type="application/json", id="map-items"),
            element("noscript", picture) if picture else Markup(""),
        ]
    )


def _controls(n_items: int) -> Markup:
    slider = Markup(
        '<input id="map-threshold" type="range" min="0" max="1" step="0.01" value="0" aria-valuetext="0.00">'
    )
    find = Markup('<input id="map-find" type="search" autocomplete="off" spellcheck="false">')
    return element(
        "div",
        element("div", element("label", "In grey below a certainty of", for_="map-threshold"), slider),
        element(
            "p", f"{n_items:,} of {n_items:,} items with a certainty \u2265 0.00", id="map-sure", aria_live="polite"
        ),
        element(
            "div",
            element("label", "Find an item", for_="map-find"),
            find,
            element("span", "no item has this name", id="map-missed", hidden="hidden"),
        ),
        class_="controls",
    )


def _legend(sizes: Sequence[int]) -> Markup:
    keys = []
    for k, size in enumerate(sizes):
        path = element("path", d=GLYPHS[k % len(GLYPHS)])
        mark = element("svg", path, viewBox="-1.4 -1.4 2.8 2.8", aria_hidden="true", style=f"fill:var(--k{k})")
        number, _, noun = count(size, "item").partition(" ")
        cluster, comma, items = (element("span", said, class_="unseen") for said in ("Cluster ", ", ", f" {noun}"))
        name = (cluster, k, comma, element("small", number), items)
        title = f"Cluster {k}, {number} {noun}"
        keys.append(element("button", mark, *name, type="button", class_="key", aria_pressed="true", title=title))
    keys.append(element("button", "Show all", type="button", id="map-all"))
    keys.append(element("button", "Hide all", type="button", id="map-none"))
    many = " many" if len(sizes) > MANY else ""
    return element("div", *keys, class_=f"legend{many}", role="group", aria_label="Clusters on the map")


def _board(found: ItemMap) -> Markup:
    canvas = element(
        "canvas",
        "A map of the items. The clusters, and the least certain items, are in the tables below.",
        id="map-canvas",
        tabindex="0",
        role="application",
        aria_label=f"Map of {count(found.n_shown, 'item')}, coloured by cluster",
        aria_describedby="map-help",
    )
    signs = [("map-closer", "+", "Enlarge"), ("map-wider", "\u2212", "Reduce"), ("map-whole", "Whole", "The whole map")]
    buttons = [
        element("button", sign, type="button", id=name, aria_label=label, title=label) for name, sign, label in signs
    ]
    views = element("div", *buttons, class_="views")
    invitation = element("p", "Point at an item or choose one to see what is known of it.", class_="invitation")
    return element(
        "div",
        element("div", element("div", canvas, class_="sheet"), views),
        element("div", invitation, id="map-item", tabindex="-1", role="region", aria_label="The item"),
        class_="board",
    )


def _caption(found: ItemMap) -> str:
    said = [f"Nearest items are {found.nearest}."] if found.nearest else []
    if found.content["id"] in (None, [str(row) for row in found.content["row"]]):
        said.append("Items without names are called by their places: item 0 is the first one.")
    if found.n_shown + found.n_nowhere < found.n_items:
        said.append(
            f"The map shows {found.n_shown:,} of {found.n_items:,} items: uncertain ones first, the others at random "
            "from each cluster in proportion. Counts are of all items."
        )
    if found.n_outside:
        verbs = ("lies", "is") if found.n_outside == 1 else ("lie", "are")
        said.append(f"{count(found.n_outside, 'item')} {verbs[0]} far off and {verbs[1]} drawn at the edge.")
    if found.n_nowhere:
        said.append(f"{count(found.n_nowhere, 'item')} without evidence have no place on the map.")
    if found.shortened:
        said.append("Long ids are cut.")
    return " ".join(said)
