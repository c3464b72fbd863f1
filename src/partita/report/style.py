"""The page's style sheet: system fonts, one column, light and dark, on screen and on paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from partita.plots import cluster_colors
from partita.plots.palette import ink_on

__all__ = ["DARK", "LIGHT", "PRINT", "chip_styles", "contrast", "legible", "style_sheet", "theme_rules"]

SHEET = """
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
header p { color: var(--soft); margin: .25rem 0 0; overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.75rem 0 .6rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.5rem 0 .4rem; }
p { margin: .6rem 0; max-width: 46rem; }
.headline { font-size: 1.25rem; line-height: 1.45; margin: .4rem 0; }
header + section { margin-top: 1.4rem; }
.clusters { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(18rem, 100%), 1fr)); gap: 1rem; }
.cluster { border: 1px solid var(--line); border-radius: 6px; padding: .7rem .9rem; font-size: .875rem; }
.cluster h3 { margin: 0 0 .4rem; }
.cluster p { margin: .4rem 0; overflow-wrap: anywhere; }
.certainty .track { display: block; margin-bottom: .25rem; }
.thumbnail { width: 3rem; height: 3rem; image-rendering: pixelated; border: 1px solid var(--line); margin-right: .25rem;
  vertical-align: top; }
.typical b { display: block; margin-bottom: .2rem; }
details { border-top: 1px solid var(--line); padding: .5rem 0; }
.caution { max-width: 46rem; margin: .6rem 0; padding: .6rem .9rem; border-left: 3px solid var(--caution);
  background: var(--caution-wash); }
.caution b { color: var(--caution); }
figure { margin: 1.2rem 0 1.6rem; }
figure img { display: block; width: 100%; height: auto; background: #fff; padding: .6rem; border: 1px solid var(--line);
  border-radius: 6px; }
.card { overflow-x: auto; }
figcaption { color: var(--soft); font-size: .875rem; margin-top: .5rem; max-width: 50rem; }
.wide { overflow-x: auto; margin: .8rem 0 1.2rem; }
table { border-collapse: collapse; font-size: .875rem; line-height: 1.4; }
th, td { padding: .38rem .9rem .38rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
th[scope=row] { font-weight: 400; }
td { overflow-wrap: anywhere; min-width: 3.2rem; }
td.long { min-width: 17rem; }
tr:has(td.long) td:first-child { min-width: 5.5rem; }
.pairs { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(19rem, 100%), 1fr)); gap: 0 2.5rem; }
.pairs table { width: 100%; }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th.number + th:not(.number), td.number + td:not(.number) { padding-left: .7rem; }
.chip { display: inline-block; min-width: 1.75em; padding: 0 .45em; border-radius: .7em; text-align: center;
  font-size: .8125rem; font-weight: 600; line-height: 1.5; font-variant-numeric: tabular-nums; white-space: nowrap; }
code { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre { margin: .6rem 0; padding: .7rem .9rem; background: var(--wash); border-radius: 6px; overflow-x: auto;
  white-space: pre-wrap; overflow-wrap: anywhere; }
footer { margin-top: 3rem; color: var(--soft); font-size: .8125rem; }
@media screen and (prefers-color-scheme: dark) { :root:not([data-theme=light]) figure img { filter: brightness(.82); } }
@media screen { :root[data-theme=dark] figure img { filter: brightness(.82); } }
@media screen and (max-width: 44rem) {
  main { padding: 1.5rem .9rem 3rem; }
  .card::after { content: "Tap to enlarge"; color: var(--soft); font-size: .75rem; }
  .card:focus::after { content: ""; }
  .card:has(.upright)::after { content: none; }
  .card:focus img:not(.upright) { min-width: 44rem; }
  table { font-size: .75rem; }
  th, td { padding-right: .55rem; }
  th, th.number { white-space: normal; }
  td { min-width: 0; }
  td.long { min-width: 10rem; }
}
@media screen and (max-width: 500px) {
  table.stacked, .stacked tbody, .stacked tr, .stacked td { display: block; }
  .stacked thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .stacked tr { padding: .4rem 0; border-bottom: 1px solid var(--line); }
  .stacked td, .stacked td.number, .stacked td.number + td:not(.number),
  .stacked tr:has(td.long) td:first-child { display: flow-root; min-width: 0;
    padding: .1rem 0 .1rem 10rem; border: 0; text-align: left; white-space: normal; }
  .stacked td::before { content: attr(data-column); float: left; width: 9.5rem; margin-left: -10rem;
    color: var(--soft); font-weight: 600; }
  .stacked td:empty { display: none; }
  .stacked td:first-child { font-weight: 600; }
}
@media print {
  @page { margin: 16mm 14mm; }
  html { font-size: 9.5pt; }
  body { font-size: 1rem; }
  main { max-width: none; padding: 0; }
  h2, h3 { break-after: avoid; }
  h2 { margin-top: 1.4rem; }
  figure, tr, .caution, .cluster, pre { break-inside: avoid; }
  thead { display: table-header-group; break-after: avoid; }
  .wide:not(:has(tbody tr:nth-child(9))) { break-inside: avoid; }
  .wide, .card, pre { overflow: visible; }
  .chip, .caution, .fill { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  p, figcaption, .caution { orphans: 3; widows: 3; max-width: none; }
}
"""


def chip_styles(n_clusters: int) -> Sequence[str]:
    """Return one rule a cluster: its colour in the pictures, and the ink that reads on it.

    >>> chip_styles(1)
    ['.c0{background:#0072b2;color:#ffffff}']
    """
    return [f".c{k}{{background:{color};color:{ink_on(color)}}}" for k, color in enumerate(cluster_colors(n_clusters))]


def style_sheet(n_clusters: int) -> str:
    """Return the whole style sheet."""
    return theme_rules(n_clusters) + SHEET + MAP_SHEET + "\n".join(chip_styles(n_clusters)) + "\n"


# The style of the map and of what stands beside it.


MAP_SHEET = """
[hidden] { display: none !important; }
button, input { font: inherit; color: inherit; }
button { background: var(--wash); border: 1px solid var(--line); border-radius: 6px; padding: .15rem .6rem;
  font-size: .8125rem; line-height: 1.6; cursor: pointer; }
button:hover { border-color: var(--soft); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
#theme { float: right; margin: 0 0 .5rem 1rem; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }
.caption { color: var(--soft); font-size: .875rem; margin: .5rem 0; max-width: 50rem; }
.map { margin: 1rem 0; }
.controls { display: flex; flex-wrap: wrap; align-items: center; gap: .3rem 1.6rem; margin-top: .6rem;
  font-size: .875rem; }
.controls > div { display: flex; flex-wrap: wrap; align-items: center; gap: .2rem .6rem; }
.controls p { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; }
#map-threshold { width: 11rem; max-width: 100%; accent-color: var(--focus); }
#map-find { width: 10rem; padding: .15rem .5rem; background: var(--paper); border: 1px solid var(--soft);
  border-radius: 6px; }
#map-missed { color: var(--caution); }
.legend { display: flex; flex-wrap: wrap; gap: .35rem; margin: .8rem 0; padding: 4px; }
.legend.many { max-height: 21rem; overflow-y: auto; }
.key { display: inline-flex; align-items: center; gap: .35rem; font-variant-numeric: tabular-nums; font-weight: 600; }
.key svg { width: .8rem; height: .8rem; }
.key small { color: var(--soft); font-weight: 400; font-size: .75rem; }
.key[aria-pressed=false] { background: none; border-style: dashed; font-weight: 400; text-decoration: line-through; }
.key[aria-pressed=false] svg { fill: none !important; stroke: var(--soft); stroke-width: .3; }
.board { display: grid; grid-template-columns: minmax(0, 1fr) 16rem; gap: 0 1.2rem; align-items: start; }
.sheet { border: 1px solid var(--line); border-radius: 6px; }
#map-canvas { display: block; width: 100%; aspect-ratio: 4 / 3; touch-action: pan-y; border-radius: 6px; }
.views { display: flex; justify-content: flex-end; gap: .25rem; margin: .4rem 0; }
#map-item { min-height: 17rem; font-size: .875rem; border: 1px solid var(--line); border-radius: 6px;
  padding: .2rem .8rem .6rem; background: var(--paper); overflow: hidden; }
#map-item h3 { margin: .5rem 0 .2rem; overflow-wrap: anywhere; max-height: 6em; overflow-y: auto; }
#map-item h4 { margin: .7rem 0 .2rem; font-size: .875rem; }
#map-item p { margin: .3rem 0; }
#map-item .heading { color: var(--soft); font-size: .8125rem; margin-bottom: 0; }
#map-item .invitation { color: var(--soft); }
.cells { display: grid; grid-template-columns: auto 1fr; gap: .1rem .7rem; margin: .4rem 0; overflow-wrap: anywhere; }
.cells dt { color: var(--soft); }
.cells dd { margin: 0; font-variant-numeric: tabular-nums; }
.bars, .nearest { list-style: none; margin: .4rem 0; padding: 0; }
.bars li { display: flex; align-items: center; gap: .5rem; margin: .15rem 0; }
.bars .chip { min-width: 2.4em; }
.track { flex: 1; height: .7rem; background: var(--wash); border: 1px solid var(--line); border-radius: 3px;
  overflow: hidden; }
.fill { display: block; height: 100%; }
.value { font-variant-numeric: tabular-nums; }
.nearest li { margin: .15rem 0; overflow-wrap: anywhere; }
.link { border: 0; background: none; padding: 0; font-size: inherit; text-decoration: underline; text-align: left;
  overflow-wrap: anywhere; }
summary { cursor: pointer; font-weight: 600; }
@media (max-width: 44rem) {
  .board { grid-template-columns: minmax(0, 1fr); }
  #map-canvas { aspect-ratio: 1; }
  #map-item { min-height: 13rem; }
}
@media print {
  #theme, .controls, .legend, .views, #map-help, #map-item, details:not([open]),
  section:has(> details):not(:has(> details[open])) { display: none !important; }
  .board { display: block; }
  .sheet { width: 120mm; max-width: 100%; margin: 0 auto; break-inside: avoid; } }
"""


# Colours, light and dark: every text at a contrast of at least 4.5, every mark of the map at least 3. Contrast is the
# ratio of relative luminances of WCAG 2.2; 4.5 is its level AA for texts (success criterion 1.4.3), 3 for marks
# (1.4.11). The palest items on the map have less, as paleness is what they say; their cluster's numbers have it all.

LIGHT = {
    "paper": "#ffffff",
    "ink": "#1f2328",
    "soft": "#59636e",
    "line": "#d8dee4",
    "wash": "#f6f8fa",
    "caution": "#9a4b00",
    "caution-wash": "#fff6e9",
    "focus": "#0550ae",
    "unsure": "#858d96",
}
DARK = {
    "paper": "#15181d",
    "ink": "#e4e8ee",
    "soft": "#9aa5b1",
    "line": "#343b45",
    "wash": "#1d2128",
    "caution": "#f2b36b",
    "caution-wash": "#2c2214",
    "focus": "#79b8ff",
    "unsure": "#7d8793",
}
PRINT = LIGHT | {"ink": "#000000", "soft": "#444444", "line": "#bbbbbb", "wash": "#f4f4f4"}

# Least contrast of a mark with the ground that it is drawn on, and the step in which a colour is moved to get there.
MARK = 3.0
STEP = 0.02


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21.

    >>> contrast("#000000", "#ffffff"), contrast("#777777", "#777777")
    (21.0, 1.0)
    """
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def legible(color: str, ground: str, ratio: float = MARK) -> str:
    """Return the colour, or the mixture of it with black or white that is nearest to it and stands out from the ground.

    >>> legible("#0072b2", "#ffffff"), legible("#e69f00", "#ffffff")
    ('#0072b2', '#c68900')
    """
    towards = "#000000" if _luminance(ground) > 0.18 else "#ffffff"
    share, found = 0.0, color
    while contrast(found, ground) < ratio:
        share += STEP
        found = _mixed(color, towards, share)
    return found


def theme_rules(n_clusters: int) -> str:
    """Return custom properties: as the reader's system says, or as the page's button says (`data-theme` of the root).

    `--k0`, `--k1`, ... are the clusters' colours on the map.
    """
    colors = cluster_colors(n_clusters)

    def properties(theme: Mapping[str, str]) -> str:
        marks = {f"k{k}": legible(color, theme["paper"]) for k, color in enumerate(colors)}
        return "".join(f"--{name}:{value};" for name, value in {**theme, **marks}.items())

    light, dark, printed = properties(LIGHT), properties(DARK), properties(PRINT)
    return (
        f":root{{color-scheme:light;{light}}}\n"
        f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}\n"
        f":root[data-theme=dark]{{color-scheme:dark;{dark}}}\n"
        f"@media print{{:root:root:root{{color-scheme:light;{printed}}}}}\n"
    )


def _luminance(color: str) -> float:
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in _channels(color))
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _mixed(color: str, towards: str, share: float) -> str:
    pairs = zip(_channels(color), _channels(towards), strict=True)
    return "#" + "".join(f"{round((1 - min(share, 1.0)) * a + min(share, 1.0) * b):02x}" for a, b in pairs)


def _channels(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
