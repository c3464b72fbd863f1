"""All partitions of a few items, in NumPy: what the searches are tested against.

Partitions are strings of restricted growth: labels whose largest so far rises by at most one. There are 4,140 of 8
items and 115,975 of 10.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from partita.errors import InputError
from partita.partition.dendrogram import Codes
from partita.partition.evidence import Evidence

__all__ = ["all_partitions", "exhaustive"]

MOST = 10


@cache
def all_partitions(n_items: int) -> Codes:
    """B_N x N labels, each partition once.

    Raises
    ------
    InputError
        For more than 10 items.

    Examples
    --------
    >>> all_partitions(3).tolist()
    [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 1, 2]]
    """
    if not 1 <= n_items <= MOST:
        raise InputError(f"{n_items} items: all partitions are listed for 1 to {MOST}; use `search_partition` for more")
    rows = np.zeros((1, 1), dtype=np.int64)
    for _ in range(n_items - 1):
        choices = rows.max(axis=1) + 2
        repeated = np.repeat(rows, choices, axis=0)
        last = np.arange(len(repeated)) - np.repeat(np.cumsum(choices) - choices, choices)
        rows = np.column_stack([repeated, last])
    return rows


def exhaustive(evidence: Evidence) -> Codes:
    """The partition of least expected loss; the first where several are equal up to rounding."""
    from partita.partition.expected import expected_loss, expected_loss_from_similarity

    every, loss = all_partitions(evidence.n_items), evidence.loss
    if evidence.draws is not None:
        reported = expected_loss(every, evidence.draws, loss=loss)
    else:
        reported = expected_loss_from_similarity(every, evidence.similarity, loss=loss)
    values = np.asarray(loss.minimised(reported))
    return np.asarray(every[int(np.flatnonzero(values <= values.min() + 1e-12)[0])])
