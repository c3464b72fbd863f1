"""Normalisations of an affinity.

symmetric            D^-1/2 P D^-1/2, D the row sums: leading eigenvalue 1, any affinity, one product.
relative-entropy     the doubly stochastic F = D P D with positive diagonal D, closest to P in relative entropy
                     (Sinkhorn); any affinity, a few dozen products with a vector.
l1                   F = P - D + I on the scale where every diagonal entry stays nonnegative: closest to it in the
                     l1 norm (one of the closest); moves the diagonal only, so a sparse affinity stays sparse.
frobenius            the closest doubly stochastic F in the Frobenius norm; dense only.

[zass2006] R. Zass, A. Shashua, Doubly stochastic normalization for spectral clustering, NIPS 2006: it shows that the
l1 form is ratio cut's and that one step of Sinkhorn is normalised cut's. For the Frobenius norm it alternates
projections; here the dual is solved (F = max(P + u 1^T + 1 u^T, 0) with the u that makes the rows sum to one), which
gives the projection itself.

Item weights d are copies: sums over items are sum_j d_j P_ij, so a weight of two gives every factor that the item has
when it comes twice.

An isolated item (a row of zeros) stays isolated under "symmetric" and gets F_ii = 1 / d_i otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize

from partita.affinity.base import Affinity
from partita.affinity.dense import DenseAffinity
from partita.affinity.sparse import SparseAffinity
from partita.arrays import Array
from partita.errors import InputError
from partita.memory import SPARSE_WAY, require_pairs

__all__ = ["How", "Normalised", "normalise"]

How = Literal["symmetric", "relative-entropy", "l1", "frobenius", "none"]
# Rows of new items: a dense array or a CSR matrix.
Rows: TypeAlias = Any

# Largest deviation of a row sum from one at which a doubly stochastic matrix counts as found.
ROW_SUM_ERROR = 1e-10
MAX_SINKHORN = 10_000
NEGATIVE = "item {} has a negative row sum; shift or clip the affinity first, or pass normalization='none'"
# Default advice on unobserved pairs.
NONE = "pass normalization='none' (command line: --normalization none)"


@dataclass(frozen=True)
class Normalised:
    """A normalised affinity, with what normalises the affinity rows of new items in the same way.

    `factors` multiply the columns of a new row; `new_factor` gives the factor of the new item itself from its row and
    its affinity to itself.
    """

    affinity: Affinity
    how: How
    factors: Array
    weights: Array | None = None
    between: Array | None = None
    """Normalised affinity between two copies of an item, where that is not the diagonal entry."""

    def rows(self, rows: Rows, self_affinity: float) -> Rows:
        """Normalise rows of affinities from new items to the fitted ones."""
        return normalise_rows(rows, self.factors, self.how, self_affinity, self.weights)


def normalise(
    affinity: Affinity, how: How = "symmetric", weights: Array | None = None, *, remedy: str = NONE
) -> Normalised:
    """Normalise an affinity.

    Parameters
    ----------
    affinity : Affinity
        Nonnegative, every pair observed.
    how : {"symmetric", "relative-entropy", "l1", "frobenius", "none"}
    weights : array of N, optional
        How often each item counts; once by default.
    remedy : str
        Advice that an error gives where pairs are unobserved.

    Raises
    ------
    InputError
        For an unknown name, unobserved pairs, negative row sums, a sparse affinity under "frobenius", or one that has
        no doubly stochastic scaling.

    Examples
    --------
    >>> P = DenseAffinity(np.array([[1.0, 1.0], [1.0, 0.0]]))
    >>> normalise(P, "l1").affinity.row_sums().round(12).tolist()
    [1.0, 1.0]
    """
    if how not in get_args(How):
        raise InputError(f"normalization={how!r}: expected one of {', '.join(map(repr, get_args(How)))}")
    if how == "none":
        return Normalised(affinity, how, np.ones(affinity.n_items), weights)
    if affinity.pair_weights is not None:
        raise InputError(
            f"normalization={how!r} needs every pair to count the same: this affinity has unobserved or weighted ones; "
            f"{remedy}"
        )
    methods: dict[str, Callable[[Affinity, Array | None], Normalised]] = {
        "symmetric": _symmetric,
        "relative-entropy": _relative_entropy,
        "l1": _l1,
        "frobenius": _frobenius,
    }
    return methods[how](affinity, weights)


def normalise_rows(rows: Rows, factors: Array, how: How, self_affinity: float, weights: Array | None = None) -> Rows:
    """Return rows of new items, normalised as the fitted items were."""
    if how == "none":
        return rows
    if how == "l1":
        return rows * (1.0 / factors[0])
    if how == "frobenius":
        return _frobenius_rows(rows.toarray() if sp.issparse(rows) else rows, factors, weights)
    d = np.ones_like(factors) if weights is None else weights
    total = np.asarray(rows @ (d if how == "symmetric" else d * factors)).ravel()
    if how == "symmetric":
        own = _inverse_root(total + self_affinity)
    else:  # own (total + self own) = 1, the condition that the new row, with itself, sums to one
        root = np.sqrt(total**2 + 4.0 * self_affinity)
        own = np.divide(2.0, total + root, out=np.zeros_like(total), where=total + root > 0)
    if sp.issparse(rows):
        return sp.csr_array(sp.diags_array(own) @ rows @ sp.diags_array(factors))
    return rows * own[:, None] * factors


def _inverse_root(degrees: Array) -> Array:
    return np.divide(1.0, np.sqrt(np.maximum(degrees, 0.0)), out=np.zeros_like(degrees), where=degrees > 0)


def _degrees(affinity: Affinity, weights: Array | None) -> Array:
    return affinity.row_sums() if weights is None else np.asarray((affinity @ weights[:, None])[:, 0])


def _symmetric(affinity: Affinity, weights: Array | None) -> Normalised:
    degrees = _degrees(affinity, weights)
    if (degrees < 0).any():
        raise InputError(NEGATIVE.format(int(degrees.argmin())))
    factors = _inverse_root(degrees)
    return Normalised(affinity.scaled(factors), "symmetric", factors, weights)


def _relative_entropy(affinity: Affinity, weights: Array | None) -> Normalised:
    degrees = _degrees(affinity, weights)
    isolated = degrees == 0
    if (degrees < 0).any():
        raise InputError(NEGATIVE.format(int(degrees.argmin())))
    x = _inverse_root(degrees)
    for _ in range(MAX_SINKHORN):
        product = _degrees(affinity, x if weights is None else weights * x)
        error = np.abs(x * product - 1.0)[~isolated].max(initial=0.0)
        if error < ROW_SUM_ERROR:
            break
        if not np.isfinite(error):
            raise InputError("this affinity has no doubly stochastic scaling; add self-affinities (P_ii = 1)")
        with np.errstate(over="ignore"):  # seen as an error that is not finite in the next round
            x = np.sqrt(np.divide(x, product, out=np.zeros_like(x), where=product > 0))  # symmetric Sinkhorn [zass2006]
    else:
        raise InputError(
            f"no doubly stochastic scaling found in {MAX_SINKHORN:,} rounds (row sums still off by {error:.1e}): "
            "the affinity has no total support; add self-affinities (P_ii = 1) or use normalization='symmetric'"
        )
    scaled = affinity.scaled(x)
    return _with_diagonal(Normalised(scaled, "relative-entropy", x, weights), isolated.astype(float))


def _l1(affinity: Affinity, weights: Array | None) -> Normalised:
    degrees, diagonal = _degrees(affinity, weights), affinity.diagonal()
    # F = P/s + I - D/s: nonnegative from s = max(D_ii - P_ii) on. An affinity already below that keeps its scale.
    s = max(1.0, float((degrees - diagonal).max()))
    scaled = affinity.scaled(np.full(affinity.n_items, s**-0.5))
    return _with_diagonal(Normalised(scaled, "l1", np.full(affinity.n_items, s), weights), 1.0 - degrees / s)


def _frobenius(affinity: Affinity, weights: Array | None) -> Normalised:
    if isinstance(affinity, SparseAffinity):
        raise InputError("normalization='frobenius' fills in every pair: pass a dense affinity or choose another norm")
    require_pairs(affinity.n_items, "the projection", SPARSE_WAY, copies=2)
    P = affinity.to_dense()
    d = np.ones(len(P)) if weights is None else weights

    def dual(u: Array) -> tuple[float, Array]:
        F = np.maximum(P + u[:, None] + u, 0.0)
        return 0.5 * float(d @ F**2 @ d) - 2.0 * float(d @ u), 2.0 * d * (F @ d - 1.0)

    start = (1.0 - P @ d) / (2 * d.sum())
    solution = minimize(dual, start, jac=True, method="L-BFGS-B", options={"maxiter": 20_000, "ftol": 0, "gtol": 1e-9})
    u = solution.x
    F = np.maximum(P + u[:, None] + u, 0.0)
    error = np.abs(F @ d - 1.0).max()
    if error > 1e-6:
        raise InputError(f"the Frobenius projection did not converge: row sums are off by {error:.1e}")
    return Normalised(DenseAffinity(F), "frobenius", u, weights)


def _frobenius_rows(rows: Array, u: Array, weights: Array | None) -> Array:
    """max(p + u + v, 0) with the v that makes the (weighted) row sum to one: a projection onto the simplex."""
    V = rows + u
    d = np.ones(len(u)) if weights is None else weights
    order = np.argsort(-V, axis=1)
    falling, mass = np.take_along_axis(V, order, axis=1), np.cumsum(d[order], axis=1)
    # With the first m entries positive, v = (1 - sum d V) / sum d; the largest m whose last entry stays positive.
    v = (1.0 - np.cumsum(d[order] * falling, axis=1)) / mass
    last = (falling + v > 0).sum(axis=1) - 1
    return np.asarray(np.maximum(V + np.take_along_axis(v, last[:, None], axis=1), 0.0))


def _with_diagonal(normalised: Normalised, extra: Array) -> Normalised:
    """Add `extra`, by which rows fall short of one, to the diagonal of the copies (their mean, for a weight)."""
    if not extra.any():
        return normalised
    affinity, d = normalised.affinity, normalised.weights
    between = None if d is None else affinity.diagonal()
    extra = extra if d is None else extra / d
    if isinstance(affinity, SparseAffinity):
        diagonal = sp.diags_array(extra.astype(affinity.matrix.dtype))
        return replace(normalised, affinity=SparseAffinity(affinity.matrix + diagonal), between=between)
    require_pairs(affinity.n_items, "a second affinity", SPARSE_WAY)
    matrix = affinity.to_dense().copy()
    matrix[np.diag_indices(len(matrix))] += extra
    return replace(normalised, affinity=DenseAffinity(matrix), between=between)
