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

An isolated item (a row of zeros) stays isolated under "symmetric" and gets F_ii = 1 otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize

from partita.affinity.base import Affinity, Array
from partita.affinity.dense import DenseAffinity
from partita.affinity.sparse import SparseAffinity
from partita.errors import InputError

__all__ = ["How", "Normalised", "normalise"]

How = Literal["symmetric", "relative-entropy", "l1", "frobenius", "none"]
# Rows of new items: a dense array or a CSR matrix.
Rows: TypeAlias = Any

# Largest deviation of a row sum from one at which a doubly stochastic matrix counts as found.
ROW_SUM_ERROR = 1e-10
MAX_SINKHORN = 10_000


@dataclass(frozen=True)
class Normalised:
    """A normalised affinity and what it takes to normalise the affinity rows of new items the same way.

    `factors` multiply the columns of a new row; `new_factor` gives the factor of the new item itself from its row and
    its affinity to itself.
    """

    affinity: Affinity
    how: How
    factors: Array

    def rows(self, rows: Rows, self_affinity: float) -> Rows:
        """Normalise rows of affinities from new items to the fitted ones."""
        return normalise_rows(rows, self.factors, self.how, self_affinity)


def normalise(affinity: Affinity, how: How = "symmetric") -> Normalised:
    """Normalise an affinity.

    Parameters
    ----------
    affinity : Affinity
        Nonnegative, every pair observed.
    how : {"symmetric", "relative-entropy", "l1", "frobenius", "none"}

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
        return Normalised(affinity, how, np.ones(affinity.n_items))
    if affinity.pair_weights is not None:
        raise InputError(
            f"normalization={how!r} needs every pair to count the same: this affinity has unobserved or weighted ones; "
            "pass normalization='none' (command line: --normalization none)"
        )
    methods: dict[str, Callable[[Affinity], Normalised]] = {
        "symmetric": _symmetric,
        "relative-entropy": _relative_entropy,
        "l1": _l1,
        "frobenius": _frobenius,
    }
    return methods[how](affinity)


def normalise_rows(rows: Rows, factors: Array, how: How, self_affinity: float) -> Rows:
    """Rows of new items, normalised as the fitted items were."""
    if how == "none":
        return rows
    if how == "l1":
        return rows * (1.0 / factors[0])
    if how == "frobenius":
        return _frobenius_rows(rows.toarray() if sp.issparse(rows) else rows, factors)
    total = np.asarray(rows @ (np.ones_like(factors) if how == "symmetric" else factors)).ravel()
    if how == "symmetric":
        own = _inverse_root(total + self_affinity)
    else:  # own (total + self own) = 1, the condition that the new row, with itself, sums to one
        root = np.sqrt(total**2 + 4.0 * self_affinity)
        own = np.divide(2.0, total + root, out=np.zeros_like(total), where=total + root > 0)
    if sp.issparse(rows):
        return sp.csr_array(sp.diags_array(own) @ rows @ sp.diags_array(factors))
    return rows * own[:, None] * factors


def _inverse_root(degrees: Array) -> Array:
    return np.divide(1.0, np.sqrt(degrees), out=np.zeros_like(degrees), where=degrees > 0)


def _symmetric(affinity: Affinity) -> Normalised:
    degrees = affinity.row_sums()
    if (degrees < 0).any():
        raise InputError(f"item {int(degrees.argmin())} has a negative row sum; shift or clip the affinity first")
    factors = _inverse_root(degrees)
    return Normalised(affinity.scaled(factors), "symmetric", factors)


def _relative_entropy(affinity: Affinity) -> Normalised:
    degrees = affinity.row_sums()
    isolated = degrees == 0
    if (degrees < 0).any():
        raise InputError(f"item {int(degrees.argmin())} has a negative row sum; shift or clip the affinity first")
    x = _inverse_root(degrees)
    for _ in range(MAX_SINKHORN):
        product = (affinity @ x[:, None])[:, 0]
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
    return Normalised(_with_diagonal(scaled, isolated.astype(float)), "relative-entropy", x)


def _l1(affinity: Affinity) -> Normalised:
    degrees, diagonal = affinity.row_sums(), affinity.diagonal()
    # F = P/s + I - D/s: nonnegative from s = max(D_ii - P_ii) on. An affinity already below that keeps its scale.
    s = max(1.0, float((degrees - diagonal).max()))
    return Normalised(
        _with_diagonal(affinity.scaled(np.full(affinity.n_items, s**-0.5)), 1.0 - degrees / s),
        "l1",
        np.full(affinity.n_items, s),
    )


def _frobenius(affinity: Affinity) -> Normalised:
    if isinstance(affinity, SparseAffinity):
        raise InputError("normalization='frobenius' fills in every pair: pass a dense affinity or choose another norm")
    P = affinity.to_dense()

    def dual(u: Array) -> tuple[float, Array]:
        F = np.maximum(P + u[:, None] + u, 0.0)
        return 0.5 * float(np.vdot(F, F)) - 2.0 * float(u.sum()), 2.0 * (F.sum(axis=1) - 1.0)

    start = (1.0 - P.sum(axis=1)) / (2 * len(P))
    solution = minimize(dual, start, jac=True, method="L-BFGS-B", options={"maxiter": 20_000, "ftol": 0, "gtol": 1e-9})
    u = solution.x
    F = np.maximum(P + u[:, None] + u, 0.0)
    error = np.abs(F.sum(axis=1) - 1.0).max()
    if error > 1e-6:
        raise InputError(f"the Frobenius projection did not converge: row sums are off by {error:.1e}")
    return Normalised(DenseAffinity(F), "frobenius", u)


def _frobenius_rows(rows: Array, u: Array) -> Array:
    """max(p + u + v, 0) with the v that makes the row sum to one: a projection onto the simplex."""
    from partita.kernels.simplex import project_rows

    return project_rows(rows + u)


def _with_diagonal(affinity: Affinity, extra: Array) -> Affinity:
    """The affinity with `extra` added to its diagonal."""
    if not extra.any():
        return affinity
    if isinstance(affinity, SparseAffinity):
        return SparseAffinity(affinity.matrix + sp.diags_array(extra))
    matrix = affinity.to_dense().copy()
    matrix[np.diag_indices(len(matrix))] += extra
    return DenseAffinity(matrix)
