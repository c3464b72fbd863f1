"""Choice of the number of components: the criteria that the paper names, and the one that it uses.

"loss"        the K whose partition has the least expected loss: what the paper does [bayes-nmf, section 4.3]
"cophenetic"  the last K before the cophenetic correlation of the consensus begins to fall [brunet2004]: the largest K
              that has the highest
"residual"    the K at which the residual bends most: its largest second difference [hutchins2008]

The last two look at the factorization alone. They name no loss, and so no question that they answer: where draws are at
hand "loss" is the one to take.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import squareform

from partita.errors import InputError

__all__ = ["Choice", "check_choice", "chosen", "cophenetic_correlation"]

# Difference of two correlations that rounding explains.
SAME = 1e-9

Choice = Literal["loss", "cophenetic", "residual"]


def cophenetic_correlation(partitions: ArrayLike) -> float:
    """Return the correlation of the distances 1 - consensus with those in their own average-linkage tree.

    Parameters
    ----------
    partitions : array, R x N
        Labels, a row for each restart. The consensus is the share of restarts in which two items are together.

    Returns
    -------
    float
        1 where all restarts agree; less, the less the consensus is that of a tree.

    Raises
    ------
    InputError
        Unless there are restarts and items.

    Notes
    -----
    Cost: R N^2 comparisons and N^2 log N for the tree.

    References
    ----------
    [brunet2004].

    Examples
    --------
    >>> cophenetic_correlation([[0, 0, 1, 1], [1, 1, 0, 0]])
    1.0
    """
    labels = np.asarray(partitions)
    if labels.ndim != 2 or 0 in labels.shape:
        raise InputError(f"partitions have shape {labels.shape}: expected R x N labels, a row for each restart")
    together = np.zeros((labels.shape[1],) * 2)
    for row in labels:
        together += row[:, None] == row
    apart = 1.0 - together / len(labels)
    distances = squareform(apart, checks=False)
    if len(distances) == 0 or np.ptp(distances) == 0:  # all together, all apart, or one item: a tree says the same
        return 1.0
    correlation, _ = cophenet(linkage(distances, "average"), distances)
    return float(correlation)


def check_choice(choose: Choice, n_clusters: NDArray[np.int64], *, has_criterion: bool) -> None:
    """Raise `InputError` for a choice that is not known or cannot be made over these K."""
    if choose not in get_args(Choice):
        raise InputError(f"choose={choose!r}: expected one of {', '.join(map(repr, get_args(Choice)))}")
    if choose == "loss" and not has_criterion:
        raise InputError(
            "choose='loss' needs criterion=, a callable that gives the expected loss of labels; or choose 'cophenetic' "
            "or 'residual'"
        )
    if choose == "residual" and (len(n_clusters) < 3 or (np.diff(n_clusters) != 1).any()):
        raise InputError(
            f"choose='residual' needs at least three consecutive numbers of clusters, not {n_clusters.tolist()}"
        )


def chosen(choose: Choice, *, loss: ArrayLike, cophenetic: ArrayLike, residual: ArrayLike) -> int:
    """Return the index of the entry of a sweep that is chosen; the first of those that tie.

    >>> chosen("cophenetic", loss=[], cophenetic=[1.0, 1.0, 0.8, 0.7], residual=[])
    1
    >>> chosen("residual", loss=[], cophenetic=[], residual=[9.0, 4.0, 1.0, 0.9])
    2
    """
    if choose == "loss":
        return int(np.argmin(np.asarray(loss, dtype=np.float64)))
    if choose == "residual":
        return 1 + int(np.argmax(np.diff(np.asarray(residual, dtype=np.float64), 2)))
    correlation = np.asarray(cophenetic, dtype=np.float64)
    known = np.flatnonzero(np.isfinite(correlation))  # time may have cut the restarts of a K to one
    if not len(known):
        return 0
    return int(known[correlation[known] >= correlation[known].max() - SAME][-1])
