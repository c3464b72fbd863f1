"""The page's colours, light and dark: every text at a contrast of at least 4.5, every mark of the map at least 3.

Contrast is the ratio of relative luminances of WCAG 2.2; 4.5 is its level AA for texts (success criterion 1.4.3), 3 for
marks (1.4.11).
"""

from __future__ import annotations

from collections.abc import Mapping

from partita.plots import cluster_colors

__all__ = ["DARK", "LIGHT", "PRINT", "contrast", "legible", "theme_rules"]

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
