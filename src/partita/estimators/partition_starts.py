"""Partitions that other methods find in a similarity matrix, for the partition search to begin at.

The number of clusters is that of the best cut of the average linkage dendrogram under the loss that is searched; the
factorizations begin there too. What they find is scored under their names, and then improved like any other start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.errors import InputError
from partita.partition.draws import PartitionDraws
from partita.partition.losses import PartitionLoss
from partita.partition.methods import best_cut

__all__ = ["NAMED_STARTS", "partition_starts"]

NAMED_STARTS = ("nmf-ls", "nmf-kl", "nmf-ns", "nmf-offset", "sof")


def partition_starts(
    starts: str | Sequence[str | ArrayLike] | Mapping[str, ArrayLike],
    draws: PartitionDraws | None,
    loss: PartitionLoss,
    max_clusters: int | None,
) -> dict[str, Any]:
    """Return starts by name: arrays as they are given, names of methods as the labels that they find.

    Raises
    ------
    InputError
        For a name that is unknown, or names without draws.

    Examples
    --------
    >>> from partita.partition.losses import Binder
    >>> draws = PartitionDraws.of([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]])
    >>> {name: labels.tolist() for name, labels in partition_starts(["nmf-kl"], draws, Binder(), None).items()}
    {'nmf-kl': [0, 0, 1, 1]}
    """
    if isinstance(starts, Mapping):
        return dict(starts)
    if isinstance(starts, str):
        starts = (starts,)
    names = [start for start in starts if isinstance(start, str)]
    unknown = [name for name in names if name not in NAMED_STARTS]
    if unknown:
        raise InputError(f"starts: {unknown[0]!r} is unknown; expected labels, or one of {', '.join(NAMED_STARTS)}")
    if names and draws is None:
        raise InputError(f"starts: {names[0]!r} needs draws that have every item; give labels instead")
    found: dict[str, Any] = {}
    for r, start in enumerate(starts):
        if isinstance(start, str):
            assert draws is not None
            found[start] = _found_by(start, draws, loss, max_clusters)
        else:
            found[f"start {r}"] = start
    return found


def _found_by(
    name: str, draws: PartitionDraws, loss: PartitionLoss, max_clusters: int | None
) -> NDArray[np.integer[Any]]:
    cut = best_cut(draws, loss=loss)
    K = min(cut.n_clusters, max_clusters or cut.n_clusters)
    if name == "sof":
        from partita.nmf.sof import sof_membership

        start = cut.labels if cut.n_clusters == K else "spectral"
        return sof_membership(draws.similarity, K, start=start, seed=0).membership.labels
    from partita.nmf import nmf

    return nmf(draws.similarity, K, method=name.removeprefix("nmf-"), start="dendrogram", n_init=1, seed=0).labels
