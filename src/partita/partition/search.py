"""The search for the partition of least expected loss.

Starts are the best cut of the average and of the complete linkage dendrogram, each scored by the loss itself; the best
of some draws; partitions that were given; and sequential allocations of the items in random order, every fourth
time labels at random [dahl2022]. What becomes of them: `partita.partition.search_runs`. Of 9 items or fewer all
partitions are scored too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.metrics.checks import codes_of, require_same_length
from partita.partition.dendrogram import Codes, numbered
from partita.partition.draws import PartitionDraws
from partita.partition.evidence import PartitionEvidence
from partita.partition.expected import checked_similarity
from partita.partition.losses import PartitionLoss, Unit, loss_of
from partita.partition.result import PartitionResult
from partita.partition.search_runs import search_evidence
from partita.runs import Runs

__all__ = ["search_partition"]


def search_partition(
    draws: Any = None,
    *,
    similarity: ArrayLike | None = None,
    loss: str | PartitionLoss = "vi",
    unit: Unit | None = None,
    weights: ArrayLike | None = None,
    max_clusters: int | None = None,
    n_init: int = 8,
    starts: Sequence[ArrayLike] | Mapping[str, ArrayLike] = (),
    max_seconds: float | None = None,
    random_state: int | None = None,
    n_jobs: int | None = None,
    on_interrupt: Literal["raise", "best"] = "raise",
    progress: Callable[[str], None] | None = None,
) -> PartitionResult:
    """Return the partition of least expected loss over draws.

    Parameters
    ----------
    draws : array-like M x N, or PartitionDraws
        Rows are draws, labels any whole numbers or strings.
    similarity : array, N x N, optional
        In place of draws, for the losses that it determines ("binder", "pear", "vi_lb").
    loss : str or PartitionLoss
        As in `expected_loss`.
    unit : {"bits", "nats"}, optional
    weights : array of M, optional
        Nonnegative weight of each draw.
    max_clusters : int, optional
        No partition with more clusters is returned; by default there is no such limit. `cap_bound` of the result says
        whether it kept a better one from being found.
    n_init : int
        Sequential allocations and, every fourth time, random labels; at most so many: they end early when two runs
        agree on the best. Dendrograms, draws and `starts` come before them.
    starts : sequence of arrays of N, or mapping from names to arrays
        Partitions to begin at.
    max_seconds : float, optional
        Stop after this time, with the best so far; the first start is always scored.
    random_state : int, optional
    n_jobs : int, optional
        Runs at a time, on threads; None is 1, -1 every core. The answer is the same for any number.
    on_interrupt : {"raise", "best"}
        Effect of Ctrl-C: raise `KeyboardInterrupt`, or return the best so far with status "interrupted".
    progress : callable, optional
        Told in words what is being done.

    Returns
    -------
    PartitionResult

    Raises
    ------
    InputError
        For draws, weights, starts or options that do not fit.
    MemoryLimitError
        Where the tables or the similarity matrix would not fit.

    Notes
    -----
    A pass over the items costs M N K, or N^2 for "binder", "pear" and "vi_lb". Of 9 items or fewer the global optimum,
    whatever the seed and the starts; of more it need not be: see `gap`.

    References
    ----------
    [dahl2022] Dahl, Johnson, Mueller: Search algorithms and loss functions for Bayesian clustering. JCGS 31, 2022.

    Examples
    --------
    >>> draws = [[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]]
    >>> found = search_partition(draws, loss="binder", random_state=0)
    >>> found.labels.tolist(), round(found.expected_loss, 4)
    ([0, 0, 1, 1], 0.125)
    """
    runs = Runs(n_jobs, max_seconds, on_interrupt, progress)
    chosen = loss_of(loss, unit)
    evidence = _checked_evidence(draws, similarity, weights, chosen)
    cap = _checked_cap(max_clusters, evidence.n_items)
    if n_init < 0:
        raise InputError(f"n_init={n_init}: expected 0 or more random starts")
    return search_evidence(
        evidence,
        cap=cap,
        given=_checked_starts(starts, evidence.n_items, cap),
        n_init=n_init,
        seed=random_state,
        runs=runs,
    )


def _checked_evidence(
    draws: Any, similarity: ArrayLike | None, weights: ArrayLike | None, loss: PartitionLoss
) -> PartitionEvidence:
    """Evidence to score: draws or a similarity matrix, one of the two."""
    if (draws is None) == (similarity is None):
        raise InputError("pass either draws (M x N labels) or similarity (N x N), one of the two")
    if similarity is None:
        return PartitionEvidence(loss, PartitionDraws.of(draws, weights))
    if weights is not None:
        raise InputError("weights are of draws: a similarity matrix has them in it; leave out one of the two")
    if not loss.by_pairs:
        raise InputError(f"{loss.title} is not determined by the similarity matrix: pass the draws")
    return PartitionEvidence(loss, None, checked_similarity(similarity))


def _checked_cap(max_clusters: int | None, n_items: int) -> int:
    """The most clusters that a partition may have, at most N."""
    if max_clusters is None:
        return n_items
    if isinstance(max_clusters, bool) or max_clusters != int(max_clusters) or max_clusters < 1:
        raise InputError(f"max_clusters={max_clusters!r}: expected a whole number of at least 1, or None for no limit")
    return min(int(max_clusters), n_items)


def _checked_starts(starts: Sequence[ArrayLike] | Mapping[str, ArrayLike], n_items: int, cap: int) -> dict[str, Codes]:
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
