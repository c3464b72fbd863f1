"""What a user knows about pairs: must-links, cannot-links and pair weights, brought from rows to items.

must-link    both have the same membership, exactly: their items are contracted into one (`ContractedAffinity`).
cannot-link  the pair is observed as zero and counts as much as all pairs of an item together. That is not exact, for
             w_i . w_j = 0 is no convex set; pairs that end in one cluster all the same are counted and said.
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
from partita.errors import InputError
from partita.objectives import Problem
from partita.solvers import SolveResult

__all__ = ["Constraints"]

# Weights of pairs beyond these would leave too few digits for the others.
LEAST, MOST = 1e-4, 1e6
# Pairs of items that are looked at together.
PAIRS = 1 << 20

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Constraints:
    """Constraints between items.

    Attributes
    ----------
    groups : array of n, or None
        Which group of linked items each item is in, where there are must-links.
    apart : array of P x 2
        Groups (items, where there are no must-links) that cannot be linked, each pair once.
    first, second, weight : arrays
        Items whose pair counts other than one, each pair once.
    """

    groups: NDArray[np.intp] | None
    apart: NDArray[np.intp]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    weight: Array

    @classmethod
    def of(
        cls,
        must_link: ArrayLike | None,
        cannot_link: ArrayLike | None,
        pair_weight: Any,
        inverse: NDArray[np.intp],
        n_items: int,
        given: Array | None,
    ) -> Constraints | None:
        """From row numbers to items; None where nothing was said.

        Raises
        ------
        InputError
            For pairs of the wrong shape or out of range, a pair that must and cannot be linked, or bad weights.
        """
        must = _pairs(must_link, "must_link", len(inverse))
        cannot = _pairs(cannot_link, "cannot_link", len(inverse))
        if not len(must) and not len(cannot) and pair_weight is None:
            return None
        groups = None
        if len(must):
            linked = inverse[must]
            left_out = must[linked < 0]
            if len(left_out):
                raise InputError(
                    f"must_link names row {left_out[0]}, whose sample weight is zero, which leaves it out: drop the "
                    "pair, or give the row a weight"
                )
            graph = sp.coo_array((np.ones(len(linked)), (linked[:, 0], linked[:, 1])), shape=(n_items, n_items))
            groups = _renumbered(connected_components(graph, directed=False)[1])
        place = inverse if groups is None else np.where(inverse < 0, -1, groups[inverse])
        apart = place[cannot]
        clash = np.flatnonzero((apart[:, 0] == apart[:, 1]) & (apart[:, 0] >= 0))
        if len(clash):
            i, j = cannot[clash[0]]
            if i == j:
                raise InputError(f"cannot_link names row {i} twice: no row can be apart from itself, drop the pair")
            why = "their rows are identical" if inverse[i] == inverse[j] else "must-links join them"
            raise InputError(f"rows {i} and {j} cannot be linked, but {why}: drop one of the two constraints")
        apart = np.unique(np.sort(apart[(apart >= 0).all(axis=1)], axis=1), axis=0)
        return cls(groups, apart, *_weights(pair_weight, inverse, n_items, given))

    def applied(self, of_items: Problem) -> tuple[Problem, float]:
        """The problem that is solved, over groups where there are must-links; and what its objective leaves out.

        That is the variance of P within pairs of groups, a constant; within those that cannot be linked there is none,
        since each of their pairs of items is observed as zero.
        """
        affinity, weights, within = of_items.affinity, of_items.weights, 0.0
        if len(self.first):
            affinity = WeightedAffinity(affinity, self.first, self.second, self.weight)
        if self.groups is not None:
            whole = Problem(affinity, of_items.objective, weights).squared_norm
            replaced = self._variance_apart(affinity, weights)
            affinity = ContractedAffinity(affinity, self.groups, weights)
            weights = affinity.group_weights
            within = max(whole - Problem(affinity, of_items.objective, weights).squared_norm - replaced, 0.0)
        if len(self.apart):
            total = float(affinity.n_items if weights is None else weights.sum())
            affinity = WeightedAffinity(affinity, self.apart[:, 0], self.apart[:, 1], total, 0.0)
        return Problem(affinity, of_items.objective, weights), within

    def _variance_apart(self, affinity: Affinity, weights: Array | None) -> float:
        """The sum over the pairs of groups that cannot be linked, both orders, of d_i d_j omega_ij (P_ij - mean)^2."""
        groups = self.groups
        assert groups is not None
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

    def mean(self, features: Array, weights: Array | None) -> Array:
        """The features of a group: their mean."""
        if self.groups is None:
            return features
        d = np.ones(len(features)) if weights is None else weights
        sums = np.zeros((int(self.groups.max()) + 1, features.shape[1]))
        np.add.at(sums, self.groups, d[:, None] * features)
        return sums / np.bincount(self.groups, d)[:, None]

    def n_groups(self, n_items: int) -> int:
        """Items that may still differ."""
        return n_items if self.groups is None else int(self.groups.max()) + 1

    def place(self, inverse: NDArray[np.intp]) -> NDArray[np.intp]:
        """The group of each row, given its item."""
        return inverse if self.groups is None else np.where(inverse < 0, -1, self.groups[inverse])

    def of_items(self, of_groups: Any) -> Any:
        """What holds for groups, for each item."""
        return of_groups if self.groups is None else of_groups[self.groups]

    def first_of(self, of_items: Any) -> Any:
        """What holds for items, for each group: its first item's."""
        return of_items if self.groups is None else of_items[np.unique(self.groups, return_index=True)[1]]

    def contracted(self, graph: Affinity, weights: Array | None) -> Affinity:
        """The graph between groups, for a start."""
        return graph if self.groups is None else ContractedAffinity(graph, self.groups, weights)

    def told(self, result: SolveResult, problem: Problem, within: float) -> SolveResult:
        """The result over all pairs of rows, with a note on the cannot-links that were not kept."""
        norm = problem.squared_norm + within
        result = replace(
            result,
            objective=result.objective + within,
            misfit=float(np.sqrt((result.objective + within) / norm)) if norm > 0 else 0.0,
            trace=result.trace + within,
            restarts=tuple(
                replace(restart, objective=restart.objective + within, trace=restart.trace + within)
                for restart in result.restarts
            ),
        )
        labels = result.membership.labels
        broken = int((labels[self.apart[:, 0]] == labels[self.apart[:, 1]]).sum())
        if not broken:
            return result
        note = f"{broken} of {len(self.apart)} cannot-links end in one cluster"
        return replace(result, notes=(*result.notes, note))


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


def _weights(pair_weight: Any, inverse: NDArray[np.intp], n_items: int, given: Array | None) -> tuple[Any, Any, Array]:
    """Pairs of items that count other than one: the mean over the rows that are one item."""
    if pair_weight is None:
        empty = np.empty(0, dtype=np.intp)
        return empty, empty, np.empty(0)
    n = len(inverse)
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
    used = inverse >= 0
    d = np.where(used, 1.0 if given is None else given, 0.0)
    totals = np.bincount(inverse[used], d[used], minlength=n_items)
    share = np.divide(d, totals[inverse], out=np.zeros(n), where=used)
    S = sp.csr_array((share[used], (np.flatnonzero(used), inverse[used])), shape=(n, n_items))
    found = sp.coo_array(sp.triu(S.T @ excess @ S))
    return *(np.asarray(index, dtype=np.intp) for index in found.coords), np.maximum(1.0 + found.data, 0.0)
