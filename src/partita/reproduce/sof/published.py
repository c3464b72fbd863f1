"""Tables 2 to 5 of [zhao2015] as printed, and what such figures must satisfy.

[zhao2015] H. Zhao, P. Poupart, Y. Zhang, M. Lysy, SoF: Soft-cluster matrix factorization for probabilistic clustering,
AAAI 2015.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb
from typing import NamedTuple

__all__ = ["PUBLISHED", "STATISTICS", "Printed", "SetStatistics", "least_rand_of_two", "one_cluster"]


class SetStatistics(NamedTuple):
    """A row of Table 2."""

    n_items: int
    n_features: int
    n_classes: int


class Printed(NamedTuple):
    """A figure of Tables 3 to 5, and whether it carries a dagger."""

    value: float
    dagger: bool


# Table 2.
STATISTICS = {
    "BL": SetStatistics(748, 4, 2),
    "BT": SetStatistics(106, 9, 6),
    "GL": SetStatistics(214, 9, 6),
    "IRIS": SetStatistics(150, 4, 3),
    "ECO": SetStatistics(336, 7, 8),
    "IMG": SetStatistics(4435, 36, 6),
    "DIG": SetStatistics(10992, 16, 10),
}


def _parsed(text: str) -> dict[str, dict[str, Printed]]:
    """Figures by method and set.

    >>> _parsed("GMM .1 .2† .3 .4 .5 .6 .7")["GMM"]["BT"]
    Printed(value=0.2, dagger=True)
    """
    rows = {}
    for line in text.strip().splitlines():
        name, *figures = line.split()
        printed = (Printed(float(figure.rstrip("†")), figure.endswith("†")) for figure in figures)
        rows[name] = dict(zip(STATISTICS, printed, strict=True))
    return rows


# Tables 3, 4 and 5: means of 20 runs. A dagger: better than all others by the Wilcoxon signed-rank test, p <= .05.
PUBLISHED: Mapping[str, Mapping[str, Mapping[str, Printed]]] = {
    "purity": _parsed("""
        K-means .76  .43  .56  .87 .80  .70  .71
        S-means .76  .43  .57  .92 .76  .63  .71
        GMM     .77  .46  .52  .89 .81  .74  .70
        SP-NC   .78† .42  .38  .86 .81  .30  .11
        SP-NJW  .76  .40  .38  .59 .80  .48  .13
        NMF     .76  .43  .58  .79 .73  .57  .47
        RNMF    .76  .28  .52  .84 .70  .56  .45
        GNMF    .76  .44  .55  .85 .77  .71  .71
        SymNMF  .76  .47  .60  .88 .81  .77† .76
        SoF     .76  .51† .64† .95 .85† .75  .82†
    """),
    "rand": _parsed("""
        K-means .60  .71  .69  .86 .81  .81  .91
        S-means .52  .76  .69  .92 .78  .81  .91
        GMM     .57  .76  .64  .88 .85  .83  .91
        SP-NC   .64  .74  .43  .85 .81  .32  .11
        SP-NJW  .51  .71  .53  .60 .80  .74  .41
        NMF     .56  .65  .71  .81 .81  .80  .86
        RNMF    .59  .38  .65  .85 .78  .79  .86
        GNMF    .60  .68  .70  .85 .80  .77  .91
        SymNMF  .62  .77  .70  .88 .83  .83  .91
        SoF     .64  .79† .73† .93 .85  .86† .94†
    """),
    "accuracy": _parsed("""
        K-means .73  .34  .51  .86 .60  .63  .68
        S-means .61  .39  .52  .90 .56  .61  .67
        GMM     .66  .43  .46  .86 .68  .69  .67
        SP-NC   .73  .41  .37  .85 .61  .28  .11
        SP-NJW  .56  .42  .33  .56 .58  .37  .12
        NMF     .68  .39  .50  .79 .66  .53  .44
        RNMF    .71  .27  .51  .84 .59  .52  .41
        GNMF    .72  .36  .44  .81 .56  .54  .67
        SymNMF  .76  .42  .46  .87 .66  .68  .67
        SoF     .76  .48† .47  .94 .74† .71† .82†
    """),
}


# Conditions that printed figures of purity, Rand index and accuracy must satisfy, whatever the method.


def one_cluster(sizes: Sequence[int]) -> dict[str, float]:
    """Return scores of the partition with one cluster, against classes of these sizes.

    >>> one_cluster([3, 1])
    {'purity': 0.75, 'rand': 0.5, 'accuracy': 0.75}
    """
    n = sum(sizes)
    largest = max(sizes) / n
    return {"purity": largest, "rand": sum(comb(size, 2) for size in sizes) / comb(n, 2), "accuracy": largest}


def least_rand_of_two(accuracy: float, n_items: int) -> float:
    """Return the least mean Rand index over runs with that mean accuracy, for two clusters and two classes.

    Two items are a pair on which the partitions agree when both are placed rightly or both wrongly: a run's Rand index
    is 1 - 2 a (1 - a) N / (N - 1). That is convex in a, so its mean is at least its value at the mean of a >= 1/2.

    >>> least_rand_of_two(1.0, 10)
    1.0
    """
    return 1.0 - 2.0 * accuracy * (1.0 - accuracy) * n_items / (n_items - 1)
