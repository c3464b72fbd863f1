"""What one clustering of an ensemble says of all items, and how it is told afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from partita.arrays import Array, Labels
from partita.ensemble.base import Clustering, Member, hard
from partita.ensemble.vote import VOTERS, neighbor_vote, voters_of
from partita.runs import outcomes_of

__all__ = ["Draw", "Said", "extended"]

# Soft memberships below this are left out, and the rest made to sum to one: it keeps the factor sparse.
NEGLIGIBLE = 1e-3


@dataclass(frozen=True)
class Draw:
    """One clustering of an ensemble, and what it would have said by itself.

    Attributes
    ----------
    method, idea : str
    settings : dict
    n_items : int
        Items it saw.
    n_clusters : int
    weight : float
        Its share of the evidence.
    agreement : float
        Mean adjusted Rand index with the draws of the other methods.
    agreement_with_result : float
        Adjusted Rand index with the labels of the fit.
    labels : array of N int
        Its labels, in the order of the rows; -1 for rows of weight zero that nobody saw.
    """

    method: str
    idea: str
    settings: dict[str, Any]
    n_items: int
    n_clusters: int
    weight: float
    agreement: float
    labels: Labels = field(repr=False, compare=False)
    agreement_with_result: float = float("nan")

    @classmethod
    def of(cls, one: Member, n_items: int, labels: Labels, weight: float, agreed: float) -> Draw:
        """Return a draw of a method on so many items."""
        return cls(
            method=one.name,
            idea=one.idea,
            settings=one.settings(),
            n_items=n_items,
            n_clusters=len(np.unique(labels)),
            weight=float(weight),
            agreement=float(agreed),
            labels=labels,
        )


@dataclass(frozen=True, eq=False)
class Said:
    """What one clustering says of all items.

    Attributes
    ----------
    labels : array of n int
    soft : (data, indices, indptr), optional
        A membership without its negligible entries, as a CSR matrix.
    n_clusters : int
        Columns of such a membership.
    fits : bool, optional
        As of the clustering.
    """

    labels: Labels
    soft: tuple[Array, NDArray[Any], NDArray[Any]] | None = None
    n_clusters: int = 0
    fits: bool | None = None

    @classmethod
    def of(cls, Q: Labels | Array, fits: bool | None = None) -> Said:
        """Return what labels or a membership say."""
        if Q.ndim == 1:
            return cls(hard(Q), fits=fits)
        thin = np.where(Q < NEGLIGIBLE, 0.0, Q)
        thin /= thin.sum(axis=1, keepdims=True)
        matrix = sp.csr_array(thin)
        return cls(hard(Q), (matrix.data, matrix.indices, matrix.indptr), Q.shape[1], fits)

    @property
    def membership(self) -> Labels | Array:
        """The labels, or the membership as an array."""
        if self.soft is None:
            return self.labels
        return np.asarray(sp.csr_array(self.soft, shape=(len(self.labels), self.n_clusters)).toarray())


def extended(X: Array, seen: NDArray[np.intp], found: Sequence[Clustering]) -> list[Said]:
    """Return what clusterings of the seen items say of all."""
    if len(seen) == len(X):
        return [Said.of(one.membership, one.fits) for one in found]
    unseen = np.ones(len(X), dtype=bool)
    unseen[seen] = False
    others = X[unseen]
    voting = any(one.score is None for one in found)
    voters = voters_of(others, X[seen], VOTERS) if voting else np.empty((0, VOTERS), dtype=np.intp)

    def of_all(one: Clustering) -> Said:
        said = one.score(others) if one.score is not None else neighbor_vote(one.membership, voters)
        out = np.empty((len(X), *one.membership.shape[1:]), dtype=one.membership.dtype)
        out[seen], out[unseen] = one.membership, said
        return Said.of(out, one.fits)

    return outcomes_of(of_all, found, len(X))
