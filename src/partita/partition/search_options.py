"""What a search is given, checked: evidence, the cap on clusters, starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.metrics.checks import codes_of, require_same_length
from partita.partition.dendrogram import Codes, numbered
from partita.partition.draws import PartitionDraws
from partita.partition.evidence import Evidence
from partita.partition.expected import checked_similarity
from partita.partition.losses import PartitionLoss

__all__ = ["checked_cap", "checked_evidence", "checked_starts"]


def checked_evidence(
    draws: Any, similarity: ArrayLike | None, weights: ArrayLike | None, loss: PartitionLoss
) -> Evidence:
    """Of draws or a similarity matrix, one of the two."""
    if (draws is None) == (similarity is None):
        raise InputError("pass either draws (M x N labels) or similarity (N x N), one of the two")
    if similarity is None:
        return Evidence(loss, PartitionDraws.of(draws, weights))
    if weights is not None:
        raise InputError("weights are of draws: a similarity matrix has them in it; leave out one of the two")
    if not loss.by_pairs:
        raise InputError(f"{loss.title} is not determined by the similarity matrix: pass the draws")
    return Evidence(loss, None, checked_similarity(similarity))


def checked_cap(max_clusters: int | None, n_items: int) -> int:
    """The most clusters that a partition may have, at most N."""
    if max_clusters is None:
        return n_items
    if isinstance(max_clusters, bool) or max_clusters != int(max_clusters) or max_clusters < 1:
        raise InputError(f"max_clusters={max_clusters!r}: expected a whole number of at least 1, or None for no limit")
    return min(int(max_clusters), n_items)


def checked_starts(starts: Sequence[ArrayLike] | Mapping[str, ArrayLike], n_items: int, cap: int) -> dict[str, Codes]:
    """Partitions to begin at, by name."""
    named = starts if isinstance(starts, Mapping) else {f"start {r}": start for r, start in enumerate(starts)}
    return {name: _checked_start(start, name, n_items, cap) for name, start in named.items()}


def _checked_start(start: ArrayLike, name: str, n_items: int, cap: int) -> Codes:
    """A partition to begin at, in no more clusters than the cap."""
    codes = codes_of(start, name)
    require_same_length(len(codes), n_items, (name, "draws"))
    K = int(codes.max()) + 1
    if K > cap:  # noqa: SIM300
        raise InputError(f"{name} has {K} clusters and max_clusters is {cap}; raise it, or leave the start out")
    return numbered(codes)
