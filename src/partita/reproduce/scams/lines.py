"""Rand indices of methods along noise or the number of groups: collected, drawn as the paper does, and as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.reproduce.outcome import Drawing, Entry, Table

__all__ = ["Lines", "collected", "drawing", "score_tables", "summary"]

# Of the three numbers of `methods.judged`.
RAND, ADJUSTED, NUMBER = range(3)


@dataclass(frozen=True, eq=False)
class Lines:
    """Lines of one panel.

    Attributes
    ----------
    name, title, x_label : str
    levels : sequence of float
    scores : mapping of str to array of shape (levels, repetitions, 3)
        Scores of each line: Rand index, adjusted Rand index, number of clusters.
    true_numbers : sequence of int
        How many clusters there are at each level.
    """

    name: str
    title: str
    x_label: str
    levels: Sequence[float]
    scores: Mapping[str, Array]
    true_numbers: Sequence[int]

    def rand(self, line: str) -> Array:
        """Return the mean Rand index at each level."""
        return np.asarray(self.scores[line][:, :, RAND].mean(axis=1))

    def adjusted(self, line: str) -> Array:
        """Return the mean adjusted Rand index at each level."""
        return np.asarray(self.scores[line][:, :, ADJUSTED].mean(axis=1))

    def off(self, line: str) -> Array:
        """Return the mean error of the number of clusters at each level."""
        return np.asarray(self.wrong(line).mean(axis=1))

    def wrong(self, line: str) -> Array:
        """Return the absolute error of the number of clusters, by level and repetition."""
        return np.asarray(np.abs(self.scores[line][:, :, NUMBER] - np.asarray(self.true_numbers)[:, None]))

    def at(self, line: str, level: float) -> float:
        """Return the mean Rand index at a level; NaN where the run has no such level."""
        levels = list(self.levels)
        return float(self.rand(line)[levels.index(level)]) if level in levels else float("nan")

    def over(self, line: str, low: float, high: float) -> Array:
        """Return the mean Rand index at the levels from `low` to `high`."""
        levels = np.asarray(self.levels)
        return self.rand(line)[(levels >= low) & (levels <= high)]


def collected(
    cells: Mapping[float, Sequence[Mapping[str, Any]]], lines: Mapping[str, tuple[str, str]]
) -> dict[str, Array]:
    """Return scores by line, from the numbers of the cells at each level.

    A line is an affinity and a method of a cell.
    """
    return {
        line: np.array([[cell[affinity][method] for cell in at] for at in cells.values()])
        for line, (affinity, method) in lines.items()
    }


def drawing(
    name: str, panels: Sequence[Sequence[Lines]], *, caption: str, alt: str, left_out: Sequence[str] = ()
) -> Drawing:
    """Return panels in rows: Rand index against the level, a line for each method that is not left out.

    The series has all.
    """
    flat = [panel for row in panels for panel in row]
    series: dict[str, list[Any]] = {"panel": [], "line": [], "level": [], "rand": [], "adjusted_rand": [], "K": []}
    for panel in flat:
        for line, scores in panel.scores.items():
            for level, means in zip(panel.levels, scores.mean(axis=1), strict=True):
                for column, value in zip(series, (panel.name, line, level, *means.tolist()), strict=True):
                    series[column].append(value)

    def draw(figure: Any) -> None:
        from partita.plots.palette import cluster_colors

        axes = np.atleast_2d(figure.subplots(len(panels), len(panels[0]), sharey=True, squeeze=False))
        names = [n for n in dict.fromkeys(line for panel in flat for line in panel.scores) if n not in left_out]
        styles = dict(zip(names, zip(cluster_colors(len(names)), "s^vox*D+<>"[: len(names)], strict=True), strict=True))
        for panel, ax in zip(flat, axes.ravel(), strict=True):
            for line in (line for line in panel.scores if line in styles):
                color, marker = styles[line]
                own = line.startswith("ours")
                ax.plot(
                    panel.levels, panel.rand(line), color=color, marker=marker, markersize=4.5, label=line,
                    linestyle="--" if own else "-", linewidth=1.3,
                )  # fmt: skip
            ax.set(title=panel.title, xlabel=panel.x_label, ylim=(0.0, 1.04))
            ax.grid(color="#dddddd", linewidth=0.6)
            for side in ("top", "right"):
                ax.spines[side].set_visible(False)
        for row in axes:
            row[0].set_ylabel("Rand index")
        handles = {h.get_label(): h for ax in axes.ravel() for h in ax.get_lines()}
        figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=min(4, len(handles)))

    return Drawing(name, caption, alt, draw, size=(4.8 * len(panels[0]), 3.5 * len(panels) + 0.7), series=series)


def score_tables(panel: Lines) -> list[Table]:
    """Return Rand and adjusted Rand indices, and by how many the number of clusters is wrong."""

    def table(end: str, said: str, values: Mapping[str, Array], best: str = "highest") -> Table:
        return _score_table(panel, f"{panel.name}-{end}", f"{said}: {panel.title}", values, best)

    return [
        table("rand", "Rand index", {line: scores[:, :, RAND] for line, scores in panel.scores.items()}),
        table("adjusted", "Adjusted Rand index", {line: s[:, :, ADJUSTED] for line, s in panel.scores.items()}),
        table("number", "Clusters too many or too few", {line: panel.wrong(line) for line in panel.scores}, "lowest"),
    ]


def summary(name: str, title: str, panels: Sequence[Lines]) -> Table:
    """Return the mean and least Rand index over the levels of each panel, a row for each line."""
    columns = [f"{panel.name}: {what}" for panel in panels for what in ("mean", "least")]
    rows = []
    for line in dict.fromkeys(line for panel in panels for line in panel.scores):
        over: list[Entry] = []
        for panel in panels:
            known = line in panel.scores
            over += [Entry(float(what(panel.rand(line)))) if known else Entry(words="") for what in (np.mean, np.min)]
        rows.append((line, over))
    return Table(name, f"{title}: Rand index over the levels", columns, rows, digits=3, corner="method")


def _score_table(panel: Lines, name: str, title: str, values: Mapping[str, Array], best: str) -> Table:
    """A row for each line, a column for each level, the standard error where there are several repetitions."""
    means = {line: value.mean(axis=1) for line, value in values.items()}
    leading = (np.max if best == "highest" else np.min)(list(means.values()), axis=0)
    rows = []
    for line, value in values.items():
        times = value.shape[1]
        errors = value.std(axis=1, ddof=1) / np.sqrt(times) if times > 1 else [None] * len(panel.levels)
        entries = [
            Entry(float(mean), None if error is None else float(error), bold=bool(abs(mean - top) < 5e-4))
            for mean, error, top in zip(means[line], errors, leading, strict=True)
        ]
        rows.append((line, entries))
    repetitions = next(iter(values.values())).shape[1]
    return Table(
        name,
        f"{title} (mean{' ± standard error' if repetitions > 1 else ''} of {repetitions})",
        [f"{level:g}" for level in panel.levels],
        rows,
        digits=3,
        corner=panel.x_label,
    )
