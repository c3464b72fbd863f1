"""Known classes beside the clusters that were found: how many items of each class went into which cluster.

The numbers of clusters are arbitrary; where classes have numbers too the two are easily taken for each other, and the
table says which belong together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.report.document import chip
from partita.report.html import Markup, element, join, table

__all__ = ["class_counts", "class_table"]

# Classes and clusters up to which the table is shown: a larger one is not read.
LARGEST = 30


def class_counts(
    classes: Sequence[Any] | NDArray[Any], labels: NDArray[np.int64], n_clusters: int
) -> tuple[list[str], NDArray[np.int64]]:
    """Names of the classes, whole numbers by size and others by alphabet, and their counts, a column a cluster.

    >>> names, counts = class_counts(["b", "a", "b"], np.array([0, 1, 1]), 2)
    >>> names, counts.tolist()
    (['a', 'b'], [[0, 1], [1, 1]])
    """
    words = np.array([str(value) for value in classes])
    names, codes = np.unique(words, return_inverse=True)
    counts = np.zeros((len(names), n_clusters), dtype=np.int64)
    np.add.at(counts, (codes, labels), 1)
    order = list(range(len(names)))
    if all(name.removeprefix("-").isdecimal() for name in names):
        order.sort(key=lambda c: int(names[c]))
    return [str(names[c]) for c in order], counts[order]


def class_table(classes: Sequence[Any] | NDArray[Any], labels: NDArray[np.int64], n_clusters: int) -> Markup:
    """A row a class, a column a cluster; nothing where there are too many of either to be read."""
    names, counts = class_counts(classes, labels, n_clusters)
    if max(len(names), n_clusters) > LARGEST:
        return Markup("")
    rows = [[name, *(f"{n:,}" if n else "" for n in row)] for name, row in zip(names, counts.tolist(), strict=True)]
    said = "Items of each class (rows) in each cluster (columns). A cluster of one class has one number in its column."
    heads = ["Class", *(chip(k) for k in range(n_clusters))]
    numbers = range(1, n_clusters + 1)
    return join([element("p", said), table(heads, rows, numeric=numbers, label="Classes by clusters")])
