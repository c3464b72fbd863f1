"""How well rules do on items that they were not searched on, and whether labels dealt at random would let them.

Items are dealt into folds by what is in their rows, copies of a row into the same one, each cluster evenly. The rule of
each fold is searched on all other folds and counted on this one; the counts are added. So every item is judged once, by
a rule that has not seen it, and the figures are those of the search, of which the rule that is shown is the outcome on
all items.

Under labels that say nothing of the columns the picks in a fold are a draw without regard to the labels in it, so that
the hits are hypergeometric. The rules of the folds share most of their items, so that the sum of hits varies more than
that, and `LEVEL` is strict: tests/unit/test_explain.py shuffles the labels of eight tables.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

from partita.arrays import Array, Index
from partita.explanation.shares import Share, correlation, effective, share

__all__ = ["FOLDS", "Counted", "Picks", "folds_of", "sample_of"]


FOLDS = 5
# Probability, over all rules of an explanation, that one would do as well on labels that say nothing of the columns.
LEVEL = 1e-3
# Correlation of picks and cluster below which a rule is better than chance, and of no use to anybody.
USEFUL = 0.1
# Items of a cluster that a sample keeps at least.
AT_LEAST = 250


@dataclass(frozen=True, eq=False)
class Picks:
    """Held-out items: which the rules picked, which are in the cluster, their weights, folds, and which are copies."""

    picked: NDArray[np.bool_]
    inside: NDArray[np.bool_]
    weights: Array
    folds: NDArray[np.int64]
    copy_of: Index

    def counted(self, n_rules: int) -> Counted:
        """Return the figures, as of one of so many rules."""
        inside, picked = self.inside, self.picked
        hit = picked & inside
        hits, picks, size, whole = (float(self.weights[which].sum()) for which in (hit, picked, inside, inside | True))
        chance = self._chance(hits, picks, size, whole, self._number(inside | True))
        _, first = np.unique(self.copy_of, return_index=True)
        if len(first) < len(inside):  # each distinct row once is a test as good, and there are two of them
            k, n, K = (float(which[first].sum()) for which in (hit, picked, inside))
            chance = 2 * min(chance, self._chance(k, n, K, len(first), len(first)))
        together = float(correlation(np.array([hits]), np.array([picks]), size, whole)[0])
        return Counted(
            self._share(hit, picked),
            self._share(hit, inside),
            bool(chance * n_rules <= LEVEL and together >= USEFUL),
        )

    @staticmethod
    def _chance(hits: float, picks: float, size: float, whole: float, number: float) -> float:
        """The probability of so many hits by chance, among so many independent items."""
        k, n, K, N = (each * number / whole for each in (hits, picks, size, whole))
        return float(hypergeom.sf(np.floor(k) - 1, np.round(N), np.round(K), np.ceil(n)))

    def _share(self, part: NDArray[np.bool_], of: NDArray[np.bool_]) -> Share:
        """The share, with an interval by the number of items or by how much folds differ, whichever is wider.

        Rules of two folds share most of their items, so that the variance between folds, over their number, is too
        small; [nadeau2003] add the items counted over those searched, here 1 / (FOLDS - 1).
        """
        hits = np.bincount(self.folds[part], self.weights[part], minlength=FOLDS)
        counts = np.bincount(self.folds[of], self.weights[of], minlength=FOLDS)
        number, whole = self._number(of), float(counts.sum())
        if not whole:
            return share(0.0, 0.0, 0.0)
        p = float(hits.sum()) / whole
        between = FOLDS**2 / (FOLDS - 1) * float(((hits - p * counts) ** 2).sum()) / whole**2
        variance = between * (1 / FOLDS + 1 / (FOLDS - 1))
        if p * (1 - p) < number * variance:
            number = p * (1 - p) / variance
        return share(p, 1.0, number)

    def _number(self, which: NDArray[np.bool_]) -> float:
        """How many independent items these are worth: copies of a row are one."""
        return effective(self.weights[which], self.copy_of[which])


@dataclass(frozen=True)
class Counted:
    """Precision and recall on held-out items, and whether they are better than chance gives."""

    precision: Share
    recall: Share
    beats_chance: bool


def folds_of(keys: NDArray[np.uint64], labels: NDArray[np.int64], *, apart: bool = False) -> NDArray[np.int64]:
    """Return the fold of each row; rows of one key have one, and each cluster's keys are dealt out in turn.

    Rows that are `apart` are dealt out themselves, those of one key after one another.

    >>> folds_of(np.array([5, 9, 5, 7], dtype=np.uint64), np.array([0, 0, 0, 0])).tolist()
    [0, 2, 0, 1]
    >>> folds_of(np.array([5, 9, 5, 7], dtype=np.uint64), np.array([0, 0, 0, 0]), apart=True).tolist()
    [0, 3, 1, 2]
    """
    if apart:
        first = np.argsort(keys, kind="stable")
        row = np.argsort(first)
    else:
        _, first, row = np.unique(keys, return_index=True, return_inverse=True)
    of_key = labels[first]
    order = np.argsort(of_key, kind="stable")
    sizes = np.bincount(of_key)
    begins = np.repeat(np.cumsum(sizes) - sizes, sizes)
    folds = np.empty(len(first), dtype=np.int64)
    folds[order] = (np.arange(len(first)) - begins) % FOLDS
    return folds[row]


def sample_of(keys: NDArray[np.uint64], labels: NDArray[np.int64], weights: Array, size: int) -> tuple[Index, Array]:
    """Return about `size` rows at most and what they weigh, so that each cluster weighs what it did.

    A sample by the keys: each cluster in proportion, with at least `AT_LEAST` of its rows. All rows where they are few.
    """
    n = len(labels)
    if n <= size:
        return np.arange(n), weights
    chosen = np.zeros(n, dtype=bool)
    out = weights.copy()
    for k in np.unique(labels):
        own = np.flatnonzero(labels == k)
        wanted = min(len(own), max(AT_LEAST, int(size * len(own) / n)))
        taken = own[keys[own] <= np.sort(keys[own])[wanted - 1]]  # copies come together
        chosen[taken] = True
        out[taken] *= weights[own].sum() / weights[taken].sum()
    index = np.flatnonzero(chosen)
    return index, out[index]
