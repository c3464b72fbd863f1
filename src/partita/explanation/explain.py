"""Explanation of a clustering by the columns of a table: what tells each cluster from the rest and from its nearest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.affinity.far import come_often
from partita.arrays import Array, Index, Labels
from partita.errors import InputError
from partita.explanation.coding import Coding
from partita.explanation.columns import Column, keys_of_copies, keys_of_rows
from partita.explanation.examples import boundary_items, nearest_clusters, typical_items
from partita.explanation.held_out import FOLDS, Picks, folds_of, sample_of
from partita.explanation.result import ClusterExplanation, Explanation
from partita.explanation.rules import Condition, Rule
from partita.explanation.search import find_rule
from partita.explanation.shares import effective
from partita.membership import Membership

__all__ = ["explain_clusters"]


# Rows that are looked at, about.
SAMPLE = 20_000
# Items that a cluster, and its complement, must have for a rule to be searched for, copies as one: of fewer no rule
# stands out from chance that is not without fault. And distinct rows that they must have for "nothing".
FEWEST, PLENTY = 5, 20
# Values of a column of answers, items to a distinct row of such a table, and the most items that are told apart.
FEW_VALUES, COPIES, MOST_ANSWERS = 12, 4 / 3, 1_000_000
NOTHING, ALONE = "nothing tells it apart", "all items are one cluster"
FEW, ALIKE = "too few items to say", "too few items that differ to say"
FEW_OTHERS = "too few other items to say"


@dataclass(frozen=True, eq=False)
class SearchedRows:
    """The rows that rules are searched on: columns, clusters, weights, which have the same cells, which are copies of
    one item, and folds.
    """

    columns: list[Column]
    labels: Labels
    weights: Array
    alike: Index
    copy_of: Index
    folds: Labels

    @classmethod
    def of(cls, columns: Sequence[Column], labels: Labels, weights: Array) -> SearchedRows:
        """Sample the rows that have a weight and deal them out.

        Copies of a row go into one fold and count as one item, but in tables of answers: there two items with the same
        cells are two all the same, and a row of weight two is two of them.
        """
        used = np.flatnonzero(weights > 0)
        columns, labels, weights = [column.rows(used) for column in columns], labels[used], weights[used]
        keys = keys_of_rows(columns, len(used))
        apart = _are_answers(columns, keys, weights)
        if apart and (weights > 1).any():
            each = np.repeat(np.arange(len(used)), weights.astype(np.intp))
            columns, labels, weights = [column.rows(each) for column in columns], labels[each], np.ones(len(each))
            keys = keys[each]
        rows, share = sample_of(keys_of_copies(keys, labels) if apart else keys, labels, weights, SAMPLE)
        columns, labels, keys = [column.rows(rows) for column in columns], labels[rows], keys[rows]
        alike = np.unique(keys, return_inverse=True)[1]
        copy_of = np.arange(len(rows)) if apart else alike
        return cls(columns, labels, share, alike, copy_of, folds_of(keys, labels, apart=apart))

    def rows(self, index: Index) -> SearchedRows:
        """Return these rows."""
        return SearchedRows(
            [column.rows(index) for column in self.columns],
            self.labels[index],
            self.weights[index],
            self.alike[index],
            self.copy_of[index],
            self.folds[index],
        )

    def distinct(self, which: NDArray[np.bool_]) -> int:
        """Number of rows that differ."""
        return len(np.unique(self.alike[which]))


def _are_answers(columns: Sequence[Column], keys: NDArray[np.uint64], weights: Array) -> bool:
    """Whether cells are of few values, or one row comes often, and a quarter of the items have the cells of another:
    they are no copies then.

    A row that is given twice is known by its many digits, and is one item; one of zeros comes often.
    """
    total = float(weights.sum())
    of_copies = (weights == np.rint(weights)).all() and total <= max(MOST_ANSWERS, len(weights))
    each = np.bincount(np.unique(keys, return_inverse=True)[1], weights).astype(np.float64)
    if not of_copies or total < COPIES * len(each):
        return False
    return bool(come_often(each).any()) or all(
        len(np.unique(column.values[~np.isnan(column.values)])) <= FEW_VALUES for column in columns
    )


def explain_clusters(
    columns: Sequence[NDArray[Any]],
    labels: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    membership: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    outliers: ArrayLike | None = None,
    max_columns: int = 3,
) -> Explanation:
    """Explain clusters by the columns of a table.

    For each cluster the rule of at most so many columns is searched that correlates most with being in it
    (`partita.explanation.search`), against the other items and against its nearest cluster. A rule is shown where rules
    searched in the same way on four fifths of the items do better on the last fifth than labels dealt at random would
    let them (`partita.explanation.held_out`).

    Parameters
    ----------
    columns : sequence of d arrays of N
        Numbers with NaN, or objects that are words with None, where a cell is missing.
    labels : array of N
        Clusters 0..K-1.
    names : sequence of d str, optional
    membership : N x K array, rows on the simplex, optional
        Says which clusters are near, and which items typical or at a boundary; by default `labels` for certain.
    weights : array of N, optional
        Nonnegative. A weight of two is the same as giving the row twice.
    outliers : array of N in [0, 1], optional
        Items of more than 0.5 are outliers.
    max_columns : int
        At least 1.

    Returns
    -------
    Explanation

    Raises
    ------
    InputError
        For columns, names or weights of other lengths, infinite numbers, fewer than one column.

    Notes
    -----
    Past 20,000 rows a sample of about as many is looked at, of each cluster at least 250. Nothing is drawn at random.
    The cost is 6 searches: 6 d N log N to sort the columns of the sample, and d N for each condition.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris()
    >>> print(explain_clusters(iris.data.T, iris.target, names=iris.feature_names)[0].rule)
    petal length (cm) <= 2.5
    """
    codes = np.asarray(labels, dtype=np.int64)
    table = _table(columns, names, len(codes))
    if max_columns < 1:
        raise InputError(f"max_columns={max_columns}: a rule has one column at least")
    W = Membership(np.eye(int(codes.max()) + 1)[codes] if membership is None else membership)
    W.labels = codes
    K = W.n_clusters
    w = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=np.float64)
    if w.shape != codes.shape or W.n_items != len(codes):
        raise InputError(f"weights and membership have {len(w)} and {W.n_items} rows, labels {len(codes)}")
    items = SearchedRows.of(table, codes, w)
    near = nearest_clusters(W.matrix, table, codes, w)
    rules, against = _rules(items, near, K, max_columns)
    typical, boundary = typical_items(W, table, w), boundary_items(W, w)
    unusual = np.zeros(len(codes), dtype=bool) if outliers is None else np.asarray(outliers, dtype=np.float64) > 0.5
    sizes = np.bincount(codes, minlength=K)
    return Explanation(
        tuple(
            ClusterExplanation(
                cluster=k,
                size=int(sizes[k]),
                rule=rules[k],
                reason="" if rules[k] is not None else _reason(items, k, K),
                neighbor=near[k],
                from_neighbor=against[k],
                typical=typical[k],
                boundary=boundary[k],
                outliers=tuple(np.flatnonzero(unusual & (codes == k)).tolist()),
            )
            for k in range(K)
        ),
        len(codes),
        len(items.labels),
    )


def _table(columns: Sequence[NDArray[Any]], names: Sequence[str] | None, n: int) -> list[Column]:
    if not len(columns):
        raise InputError("there is no column to explain clusters by")
    called = [f"column {at}" for at in range(len(columns))] if names is None else [str(name) for name in names]
    if len(called) != len(columns):
        raise InputError(f"{len(called)} names for {len(columns)} columns")
    wrong = next((at for at, column in enumerate(columns) if np.shape(column) != (n,)), None)
    if wrong is not None:
        raise InputError(f"{called[wrong]!r} has shape {np.shape(columns[wrong])}, expected ({n},): a row an item")
    return [Column.of(name, np.asarray(column)) for name, column in zip(called, columns, strict=True)]


def _reason(items: SearchedRows, cluster: int, n_clusters: int) -> str:
    if n_clusters == 1:
        return ALONE
    inside = items.labels == cluster
    if inside.sum() < FEWEST:
        return FEW
    if (~inside).sum() < FEWEST:
        return FEW_OTHERS
    differ = min(items.distinct(inside), items.distinct(~inside)) >= PLENTY
    return NOTHING if differ or items.distinct(inside | True) == 1 else ALIKE


def _enough(items: SearchedRows, cluster: int, other: int | None) -> bool:
    inside = items.labels == cluster
    outside = ~inside if other is None else items.labels == other
    return min(len(np.unique(items.copy_of[which])) for which in (inside, outside)) >= FEWEST


def _rules(
    items: SearchedRows, near: list[int | None], n_clusters: int, max_columns: int
) -> tuple[list[Rule | None], list[Rule | None]]:
    """The rule of each cluster against all others, and against its nearest one."""
    tasks: list[tuple[int, int | None]] = [(k, None) for k in range(n_clusters) if _enough(items, k, None)]
    if n_clusters > 2:
        tasks += [(k, near[k]) for k in range(n_clusters) if near[k] is not None and _enough(items, k, near[k])]
    shown = _search(items, tasks, max_columns)
    picked = {task: np.zeros(len(items.labels), dtype=bool) for task in tasks}
    for fold in range(FOLDS):
        held = np.flatnonzero(items.folds == fold)
        test = items.rows(held).columns
        for task, conditions in _search(items.rows(np.flatnonzero(items.folds != fold)), tasks, max_columns).items():
            if conditions:
                picked[task][held] = np.logical_and.reduce([each.holds(test[each.place]) for each in conditions])
    rules: dict[tuple[int, int | None], Rule] = {}
    for task in tasks:
        rows = _of_task(items.labels, *task)
        inside, weights, folds = items.labels[rows] == task[0], items.weights[rows], items.folds[rows]
        picks = Picks(picked[task][rows], inside, weights, folds, items.copy_of[rows])
        found = picks.counted(len(tasks))
        if shown[task] and found.beats_chance:
            rules[task] = Rule(shown[task], found.precision, found.recall)
    against = [rules.get((k, near[k])) for k in range(n_clusters)]
    alone = [rules.get((k, None)) for k in range(n_clusters)]
    return alone, alone if n_clusters == 2 else against


def _search(
    items: SearchedRows, tasks: Sequence[tuple[int, int | None]], max_columns: int
) -> dict[tuple[int, int | None], tuple[Condition, ...]]:
    """The conditions of every task on these items."""
    coding = Coding.of(items.columns)
    total = coding.counts(np.arange(len(items.labels)), items.weights)
    out = {}
    for cluster, other in tasks:
        rows, known = _of_task(items.labels, cluster, other), total if other is None else None
        number = effective(items.weights[rows], items.copy_of[rows])
        positive = items.labels == cluster
        out[cluster, other] = find_rule(coding, positive, items.weights, rows, number, max_columns, known)
    return out


def _of_task(labels: Labels, cluster: int, other: int | None) -> Index:
    return np.arange(len(labels)) if other is None else np.flatnonzero((labels == cluster) | (labels == other))
