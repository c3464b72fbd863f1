"""A table as a picture: the paper's figures small below ours, the best in bold."""

from __future__ import annotations

import numpy as np

from partita.errors import require
from partita.plots.figures import png
from partita.plots.palette import BOUNDARY, INK
from partita.reproduce.outcome import Entry, Table

__all__ = ["draw_table", "published", "shown"]

# Inches.
ROW, COLUMN, NAME, HEAD = 0.42, 1.0, 2.2, 0.75


def draw_table(table: Table) -> bytes:
    """Return the table as a PNG.

    Raises
    ------
    MissingExtraError
        Without matplotlib.
    """
    module = require("matplotlib.figure", extra="plot", purpose="pictures")
    agg = require("matplotlib.backends.backend_agg", extra="plot", purpose="pictures")
    longest = max((len(shown(e, table.digits)) for _, entries in table.rows for e in entries), default=4)
    column = max(COLUMN, 0.085 * max(longest, *(len(name) for name in table.columns)) + 0.2)
    name = max(NAME, 0.085 * max((len(row) for row, _ in table.rows), default=4) + 0.3)
    width, height = name + column * len(table.columns), HEAD + ROW * (len(table.rows) + 1)
    figure = module.Figure(figsize=(width, height), facecolor="white")
    agg.FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.text(0.12, 0.3, table.title, fontsize=10, color=INK, va="center", wrap=True)
    edges = name + column * np.arange(len(table.columns)) + column - 0.12
    for x, head in zip(edges, table.columns, strict=True):
        axes.text(x, HEAD, head, ha="right", va="center", fontsize=8.5, color=INK)
    axes.text(0.12, HEAD, table.corner, va="center", fontsize=8.5, color=INK)
    axes.plot([0.1, width - 0.1], [HEAD + 0.2, HEAD + 0.2], color=BOUNDARY, linewidth=0.8)
    for k, (row, entries) in enumerate(table.rows, start=1):
        y = HEAD + ROW * k + 0.08
        axes.text(0.12, y, row, va="center", fontsize=9, color=INK)
        for x, entry in zip(edges, entries, strict=True):
            weight = "bold" if entry.bold else "normal"
            axes.text(x, y - 0.05, shown(entry, table.digits), ha="right", va="center", fontsize=9, weight=weight)
            said = published(entry, table.digits)
            if said:
                axes.text(x, y + 0.12, said, ha="right", va="center", fontsize=6.5, color="#59636e")
    return png(figure, dpi=130)


def shown(entry: Entry, digits: int) -> str:
    """Return our own result in words.

    >>> shown(Entry(0.5, 0.01, dagger=True), 2)
    '0.50 ± 0.01†'
    """
    if entry.value is None:
        return entry.words
    error = "" if entry.error is None else f" ± {entry.error:.{digits}f}"
    return f"{entry.value:.{digits}f}{error}{'†' if entry.dagger else ''}"


def published(entry: Entry, digits: int) -> str:
    """Return the paper's figure, in words, or nothing."""
    if entry.published is None:
        return ""
    error = "" if entry.published_error is None else f" ± {entry.published_error:.{digits}f}"
    return f"paper {entry.published:.{digits}f}{error}"
