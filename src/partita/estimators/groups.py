"""Pairwise constraints of the user: must-links, cannot-links and pair weights, brought from rows to items.

must-link    both have the same membership, exactly: their items are contracted into one (`ContractedAffinity`).
cannot-link  the pair is observed as zero and counts as much as all pairs of an item together. w_i . w_j = 0 is no
             convex set, so items that end in one cluster all the same are moved (`partita.estimators.apart`): labels
             hold every link where labels that do are found; else the links that are broken are counted and said.
pair weight  omega_ij in sum_ij omega_ij (P_ij - M_ij)^2; zero is a pair that was not observed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.csgraph import connected_components

from partita.affinity import Affinity, ContractedAffinity, WeightedAffinity
from partita.arrays import Array
from partita.errors import InputError
from partita.estimators.apart import clusters_needed, kept_apart, ruled_out
from partita.estimators.items import Items
from partita.membership import Membership
from partita.objectives import Problem
from partita.solvers import SolveResult
from partita.wording import count

__all__ = ["Groups"]

# Weights of pairs beyond these would leave too few digits for the others.
LEAST, MOST = 1e-4, 1e6
# Pairs of items that are looked at together.
PAIRS = 1 << 20


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of items that are fitted as one: those that must-links join, every other item by itself.

    Attributes
    ----------
    of_item : array of n
        Which group each item is in; 0, 1, ..., n - 1 where nothing is linked.
    n_distinct : int
        Groups that differ: items that do, where nothing is linked.
    linked : bool
        Whether there are must-links.
    told : bool
        Whether anything was said about pairs: links or weights.
    apart : array of P x 2
        Groups that cannot be linked, each pair once.
    n_links : array of P
        How many pairs of rows say so of each.
    first, second, weight : arrays
        Items whose pair counts other than one, each pair once.
    """

    of_item: NDArray[np.intp]
    n_distinct: int
    linked: bool
    told: bool
    apart: NDArray[np.intp]
    n_links: NDArray[np.intp]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    weight: Array

    @classmethod
    def of(
        cls,
        items: Items,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        pair_weight: Any = None,
        row_weights: Array | None = None,
    ) -> Groups:
        """Make groups of items from pairs of rows.

        Raises
        ------
        InputError
            For pairs of the wrong shape or out of range, a pair that must and cannot be linked, or bad weights.
        """
        item_of_row, n = items.of_row, items.n_items
        must = _pairs(must_link, "must_link", len(item_of_row))
        cannot = _pairs(cannot_link, "cannot_link", len(item_of_row))
        of_item, n_distinct = np.arange(n), items.n_distinct
        if len(must):
            linked = item_of_row[must]
            left_out = must[linked < 0]
            if len(left_out):
                raise InputError(
                    f"must_link names row {left_out[0]}, whose sample weight is zero, which leaves it out: drop the "
                    "pair, or give the row a weight"
                )
            graph = sp.coo_array((np.ones(len(linked)), (linked[:, 0], linked[:, 1])), shape=(n, n))
            of_item = _renumbered(connected_components(graph, directed=False)[1])
            n_distinct = min(n_distinct, int(of_item.max()) + 1)
        group_of_row = np.where(item_of_row < 0, -1, of_item[item_of_row])
        apart = group_of_row[cannot]
        clash = np.flatnonzero((apart[:, 0] == apart[:, 1]) & (apart[:, 0] >= 0))
        if len(clash):
            i, j = cannot[clash[0]]
            if i == j:
                raise InputError(f"cannot_link names row {i} twice: no row can be apart from itself, drop the pair")
            why = "their rows are identical" if item_of_row[i] == item_of_row[j] else "must-links join them"
            raise InputError(f"rows {i} and {j} cannot be linked, but {why}: drop one of the two constraints")
        once = group_of_row[np.unique(np.sort(cannot, axis=1), axis=0)]
        apart, n_links = np.unique(np.sort(once[(once >= 0).all(axis=1)], axis=1), axis=0, return_counts=True)
        return cls(
            of_item=of_item,
            n_distinct=n_distinct,
            linked=bool(len(must)),
            told=bool(len(must) or len(cannot)) or pair_weight is not None,
            apart=apart,
            n_links=n_links,
            **_weights(pair_weight, item_of_row, n, row_weights),
        )

    @property
    def lacks_pairs(self) -> bool:
        """Whether weights of pairs say that two different items were not observed together."""
        return bool(((self.weight == 0) & (self.first != self.second)).any())

    @property
    def n_needed(self) -> int:
        """Number of clusters that the cannot-links need at least."""
        return clusters_needed(self.apart)[0]

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.of_item.max()) + 1

    def of_row(self, items: Items) -> NDArray[np.intp]:
        """Return the group of each row; -1 for a row that is no item."""
        return np.where(items.of_row < 0, -1, self.of_item[items.of_row]) if self.linked else items.of_row

    def expand(self, of_groups: Any) -> Any:
        """Repeat values of groups for each of their items."""
        return of_groups[self.of_item] if self.linked else of_groups

    def first_of(self, of_items: Any) -> Any:
        """Take values of items for each group: those of its first item."""
        return of_items[np.unique(self.of_item, return_index=True)[1]] if self.linked else of_items

    def mean(self, features: Array, weights: Array | None) -> Array:
        """Return the features of each group: the mean of its items'."""
        if not self.linked:
            return features
        d = np.ones(len(features)) if weights is None else weights
        sums = np.zeros((int(self.of_item.max()) + 1, features.shape[1]))
        np.add.at(sums, self.of_item, d[:, None] * features)
        return sums / np.bincount(self.of_item, d)[:, None]

    def contracted(self, graph: Affinity, weights: Array | None) -> Affinity:
        """Return a graph of items as one of groups."""
        return ContractedAffinity(graph, self.of_item, weights) if self.linked else graph

    def contract(self, of_items: Problem) -> tuple[Problem, float]:
        """Contract a problem to groups, with its constraints; return it and the constant that its objective leaves out.

        That is the variance of P within pairs of groups, a constant; within those that cannot be linked there is none,
        since each of their pairs of items is observed as zero.
        """
        if not self.told:
            return of_items, 0.0
        affinity, weights, left_out = of_items.affinity, of_items.weights, 0.0
        if len(self.first):
            affinity = WeightedAffinity(affinity, self.first, self.second, self.weight)
        if self.linked:
            whole = Problem(affinity, of_items.objective, weights).squared_norm
            replaced = self._variance_apart(affinity, weights)
            affinity = ContractedAffinity(affinity, self.of_item, weights)
            weights = affinity.group_weights
            left_out = max(whole - Problem(affinity, of_items.objective, weights).squared_norm - replaced, 0.0)
        if len(self.apart):
            total = float(affinity.n_items if weights is None else weights.sum())
            affinity = WeightedAffinity(affinity, self.apart[:, 0], self.apart[:, 1], total, 0.0)
        return Problem(affinity, of_items.objective, weights), left_out

    def _variance_apart(self, affinity: Affinity, weights: Array | None) -> float:
        """The sum over the pairs of groups that cannot be linked, both orders, of d_i d_j omega_ij (P_ij - mean)^2."""
        groups = self.of_item
        size = np.bincount(groups)
        apart = self.apart[size[self.apart].max(axis=1) > 1]
        if not len(apart):
            return 0.0
        members = np.split(np.argsort(groups, kind="stable"), np.cumsum(size)[:-1])
        d, pairs = np.ones(len(groups)) if weights is None else weights, affinity.pair_weights
        variance = 0.0
        for one, other in apart:
            sums = np.zeros(3)  # of the weights, of the weighted P, of its weighted square
            step = max(1, PAIRS // size[other])
            for low in range(0, size[one], step):
                few = members[one][low : low + step]
                i, j = np.repeat(few, size[other]), np.tile(members[other], len(few))
                omega = np.ones(len(i)) if pairs is None else pairs.weight_of(i, j)
                weighted = affinity.entries(i, j)  # the affinity holds omega_ij P_ij
                P = np.divide(weighted, omega, out=np.zeros_like(weighted), where=omega > 0)
                sums += (d[i] * d[j]) @ np.stack([omega, weighted, weighted * P], axis=1)
            if sums[0] > 0:
                variance += 2.0 * (sums[2] - sums[1] ** 2 / sums[0])
        return variance

    def over_all_pairs(self, result: SolveResult, problem: Problem, left_out: float) -> SolveResult:
        """Return the result over all pairs of rows."""
        if not self.told:
            return result
        norm = problem.squared_norm + left_out
        return replace(
            result,
            objective=result.objective + left_out,
            misfit=float(np.sqrt((result.objective + left_out) / norm)) if norm > 0 else 0.0,
            trace=result.trace + left_out,
            restarts=tuple(
                replace(restart, objective=restart.objective + left_out, trace=restart.trace + left_out)
                for restart in result.restarts
            ),
        )

    def kept_apart(self, membership: Membership, weights: Array | None) -> Membership:
        """Return the membership in which groups that cannot be linked have different labels, where that can be.

        A group that moves has nothing left in the clusters that its partners rule out; the others keep their rows.
        """
        before = membership.labels
        labels = kept_apart(membership.matrix, before, self.apart, weights)
        if np.array_equal(labels, before):
            return membership
        W = np.where(ruled_out(membership.matrix, before, labels, self.apart), 0.0, membership.matrix)
        left = W.sum(axis=1, keepdims=True)
        alone = np.eye(W.shape[1])[labels]
        moved = Membership(np.where(left > 0, np.divide(W, left, out=alone.copy(), where=left > 0), alone))
        moved.labels = labels
        return moved

    @staticmethod
    def factor_apart(factor: Array, before: Membership, after: Membership) -> Array:
        """Return a nonnegative factor with the rows of the groups that moved in their clusters, as large as before."""
        out, moved = factor.copy(), before.labels != after.labels
        size = np.linalg.norm(factor[moved], axis=1)
        held = np.where(after.matrix[moved] > 0, factor[moved], 0.0)
        own = after.labels[moved]
        rows = np.arange(len(own))
        held[rows, own] = np.where(held[rows, own] > 0, held[rows, own], size)
        out[moved] = held
        return out

    def broken(self, membership: Membership) -> tuple[str, ...]:
        """Return a note on the cannot-links that are not kept, and what to do about them; none where all are."""
        labels, K = membership.labels, membership.n_clusters
        n = int(self.n_links[labels[self.apart[:, 0]] == labels[self.apart[:, 1]]].sum())
        if not n:
            return ()
        least, enough = clusters_needed(self.apart)
        how = f"they need {least}" if least == enough else f"they need at least {least}, and {enough} are enough"
        why = f"{count(K, 'cluster')} cannot hold them all" if least > K else "no labels that hold them all were found"
        said = f"{n:,} of {self.n_links.sum():,} cannot-links end in one cluster: {why}, as {how}"
        remedy = f"ask for {enough} clusters (command line: --k {enough}), or drop some of the links"
        return (f"{said}; {remedy}",)


def _pairs(given: ArrayLike | None, name: str, n_rows: int) -> NDArray[np.intp]:
    if given is None:
        return np.empty((0, 2), dtype=np.intp)
    try:
        pairs = np.asarray(given)
    except ValueError as error:
        raise InputError(f"{name} must be an M x 2 array of row numbers: its entries differ in length") from error
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.intp)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise InputError(f"{name} must be an M x 2 array of row numbers, not {pairs.dtype} of shape {pairs.shape}")
    if pairs.min() < 0 or pairs.max() >= n_rows:
        raise InputError(
            f"{name} names row {pairs.max() if pairs.max() >= n_rows else pairs.min()}; rows are 0..{n_rows - 1}"
        )
    return pairs.astype(np.intp)


def _renumbered(groups: NDArray[np.int32]) -> NDArray[np.intp]:
    """Groups in the order in which their first items come."""
    _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def _weights(
    pair_weight: Any, item_of_row: NDArray[np.intp], n_items: int, row_weights: Array | None
) -> dict[str, Any]:
    """Pairs of items that count other than one: the mean over the rows that are one item."""
    if pair_weight is None:
        empty = np.empty(0, dtype=np.intp)
        return {"first": empty, "second": empty, "weight": np.empty(0)}
    n = len(item_of_row)
    try:
        if sp.issparse(pair_weight):
            matrix = sp.csr_array(pair_weight, dtype=np.float64, copy=True)
            matrix.sum_duplicates()
        else:
            matrix = np.asarray(pair_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"pair_weight must hold numbers, one for each pair of rows: {error}") from error
    if matrix.ndim != 2 or matrix.shape != (n, n):
        raise InputError(f"pair_weight has shape {matrix.shape}, expected ({n}, {n}): one weight for each pair of rows")
    listed = sp.coo_array(matrix) if sp.issparse(matrix) else None
    rows, columns = listed.coords if listed is not None else np.nonzero(matrix != 1.0)
    omega = listed.data if listed is not None else matrix[rows, columns]
    if not np.isfinite(omega).all() or (omega < 0).any():
        raise InputError("pair_weight must be finite and nonnegative; zero is a pair that was not observed")
    counted = omega[omega > 0]
    if len(counted) and not LEAST <= counted.min() <= counted.max() <= MOST:
        raise InputError(
            f"pair_weight reaches from {counted.min():g} to {counted.max():g}; beside pairs that count one, weights "
            f"must be zero or between {LEAST:g} and {MOST:g}"
        )
    if len(omega) == n * n and not len(counted):
        raise InputError("pair_weight is zero for every pair of rows: nothing was observed that could be fitted")
    excess = sp.csr_array((omega - 1.0, (rows, columns)), shape=(n, n))
    if abs(excess - excess.T).max() > 1e-9 * max(1.0, float(omega.max(initial=0.0))):
        raise InputError("pair_weight must be symmetric: the weight of (i, j) is that of (j, i)")
    used = item_of_row >= 0
    d = np.where(used, 1.0 if row_weights is None else row_weights, 0.0)
    totals = np.bincount(item_of_row[used], d[used], minlength=n_items)
    share = np.divide(d, totals[item_of_row], out=np.zeros(n), where=used)
    S = sp.csr_array((share[used], (np.flatnonzero(used), item_of_row[used])), shape=(n, n_items))
    found = sp.coo_array(sp.triu(S.T @ excess @ S))
    first, second = (np.asarray(index, dtype=np.intp) for index in found.coords)
    return {"first": first, "second": second, "weight": np.maximum(1.0 + found.data, 0.0)}
