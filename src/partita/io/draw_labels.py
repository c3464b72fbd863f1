"""Checks of the labels of partition draws, whatever file they come from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.affinity.label_blocks import EXACT
from partita.errors import InputError

__all__ = ["BATCH", "Labels", "checked_labels", "lacking", "require_labels", "require_labels_shape", "require_whole"]

# Labels that are decoded at a time.
BATCH = 1 << 23
WHOLE = "labels are whole numbers or, in text and NumPy files, words"

Labels = NDArray[Any]


def require_labels(shape: tuple[int, ...], dtype: np.dtype[Any], path: str | Path) -> None:
    """Raise unless labels are M x N and of a type that labels have."""
    require_labels_shape(shape, path)
    if dtype.kind not in "biufUS":
        raise InputError(f"{path}: draws of type {dtype}; {WHOLE}")


def require_labels_shape(shape: tuple[int, ...], path: str | Path) -> None:
    """Raise unless there are two dimensions, neither of them empty."""
    if len(shape) != 2:
        raise InputError(
            f"{path} holds an array of shape {shape}: expected M x N labels, a row for each draw, or in .npy and .npz "
            "those of C chains as C x M x N"
        )
    if 0 in shape:
        raise InputError(f"{path} holds no labels (shape {shape}): expected M x N labels, a row for each draw")


def checked_labels(labels: Any, path: str | Path, gaps: bool) -> Any:
    """Return labels with a shape and numbers that labels have; floats are looked through, a few draws at a time.

    With `gaps` NaN is a label: `LabelBlocks` makes it -1.
    """
    require_labels(tuple(labels.shape), labels.dtype, path)
    if labels.dtype.kind == "f":
        step = max(1, BATCH // labels.shape[1])
        for low in range(0, labels.shape[0], step):
            require_whole(np.asarray(labels[low : low + step]), low, path, gaps)
    return labels


def require_whole(block: Labels, first: int, path: str | Path, gaps: bool) -> None:
    """Raise unless draws from `first` on hold whole numbers; NaN too where there may be gaps."""
    bad = ~np.isfinite(block) | (block != np.round(block))
    if gaps:
        bad &= ~np.isnan(block)
    for wrong, why in ((bad, f"no label; {WHOLE}"), (np.abs(block) >= EXACT, "too large for a label; number anew")):
        if wrong.any():
            b, i = (int(at[0]) for at in np.nonzero(wrong))
            raise InputError(f"{path}: draw {first + b}, item {i}: {block[b, i]:g} is {why}")


def lacking(draw: int, item: int) -> str:
    """Return the message about a missing label."""
    return (
        f"draw {draw} has no label for item {item}: every draw labels every item; if it lacks the item, say "
        "missing='unobserved' (command line: --missing unobserved)"
    )
