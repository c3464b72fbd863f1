"""Modes of the draws that a partition was found from: as they were given, and each with its best partition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.partition.distances import distances_to
from partita.partition.draws import PartitionDraws
from partita.partition.modes import Modes, posterior_modes

__all__ = ["modes_as_given", "modes_of"]


def modes_of(own: PartitionDraws, metric: dict[str, Any]) -> Modes:
    """The modes of draws of which equal ones are merged, without a search in each; worked out once for a metric."""
    name = f"modes by {metric}"
    if name not in own.found:
        own.found[name] = posterior_modes(own.labels, weights=own.counts, **metric)
    found: Modes = own.found[name]
    return found


def modes_as_given(
    own: PartitionDraws, metric: dict[str, Any], search: Callable[[PartitionDraws], NDArray[np.int64]]
) -> Modes:
    """The modes with draws numbered as they were before equal ones were merged, and the partition found in each.

    `search` is given the draws of one mode. A draw of weight zero that no other equals is in
    no mode, -1.

    Examples
    --------
    >>> own = PartitionDraws.of([[0, 0, 1]] * 3 + [[0, 1, 1]])
    >>> modes_as_given(own, {"loss": "vi"}, lambda draws: draws.labels[0].astype(np.int64)).labels.tolist()
    [0, 0, 0, 0]
    """
    merged = modes_of(own, metric)
    member = merged.labels if own.given is None else np.where(own.given < 0, -1, merged.labels[own.given])
    modes = []
    for k, mode in enumerate(merged.modes):
        draws, counts = own.labels[mode.draws], own.counts[mode.draws]
        labels = search(own if len(merged.modes) == 1 else PartitionDraws.of(draws, counts))
        distance = float(distances_to(labels, draws, **metric) @ counts / counts.sum())
        modes.append(replace(mode, labels=labels, draws=np.flatnonzero(member == k), distance=distance))
    return replace(merged, modes=tuple(modes), labels=member)
