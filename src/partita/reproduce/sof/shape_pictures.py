"""The six patterns drawn twice: by cluster and by entropy, SoF above and SoftClustering below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from partita.plots.palette import INK, UNCERTAIN, cluster_colors
from partita.reproduce.experiment import Numbers

if TYPE_CHECKING:
    from partita.datasets import Shape

__all__ = ["draw_clusters", "draw_entropies", "series"]

SHOWN = ("SoF", "SoftClustering")
GROUND = "#8c8c8c"


def draw_clusters(figure: Any, found: Mapping[str, Numbers], shapes: Mapping[int, Shape]) -> None:
    """A colour for each cluster."""
    for ax, each, numbers, name in _panels(figure, found, shapes):
        colors = np.array(cluster_colors(each.n_clusters))
        ax.scatter(each.X[:, 0], each.X[:, 1], s=6, c=colors[np.asarray(numbers["labels"])], linewidths=0)
        _title(ax, each, f"{name}, ARI {numbers['adjusted_rand']:.2f}")


def draw_entropies(figure: Any, found: Mapping[str, Numbers], shapes: Mapping[int, Shape]) -> None:
    """Bright where the entropy is near log K."""
    shown = None
    axes = []
    for ax, each, numbers, name in _panels(figure, found, shapes):
        share = np.asarray(numbers["entropy"]) / np.log(each.n_clusters)
        order = np.argsort(share)
        ax.set_facecolor(GROUND)
        shown = ax.scatter(
            *each.X[order].T, s=6, c=share[order], cmap=UNCERTAIN, vmin=0, vmax=1, linewidths=0, rasterized=True
        )
        _title(ax, each, f"{name}, mean {share.mean():.2f}")
        axes.append(ax)
    figure.colorbar(shown, ax=axes, shrink=0.6, label="entropy / log K")


def series(found: Mapping[str, Numbers], shapes: Mapping[int, Shape]) -> dict[str, list[Any]]:
    """Columns of what is drawn, an item a row."""
    out: dict[str, list[Any]] = {"pattern": [], "x": [], "y": [], "truth": []}
    for pattern, each in shapes.items():
        out["pattern"] += [pattern] * len(each.X)
        out["x"] += each.X[:, 0].tolist()
        out["y"] += each.X[:, 1].tolist()
        out["truth"] += each.truth.tolist()
        for name in SHOWN:
            for key in ("labels", "entropy"):
                out.setdefault(f"{name} {key}", []).extend(found[f"{pattern}/{name}"][key])
    return out


def _panels(
    figure: Any, found: Mapping[str, Numbers], shapes: Mapping[int, Shape]
) -> Iterator[tuple[Any, Shape, Numbers, str]]:
    axes = figure.subplots(4, 3)
    for half, name in enumerate(SHOWN):
        for ax, (pattern, each) in zip(axes[2 * half : 2 * half + 2].ravel(), shapes.items(), strict=True):
            ax.set(xticks=[], yticks=[])
            ax.set_aspect("equal", adjustable="datalim")
            yield ax, each, found[f"{pattern}/{name}"], name


def _title(ax: Any, each: Shape, said: str) -> None:
    ax.set_title(f"({each.pattern}) K = {each.n_clusters}: {said}", loc="left", fontsize=8.5, color=INK)
