"""The eigenvalues of a symmetric matrix above a threshold, with their vectors, where the matrix changes step by step.

The first step of SCAMS keeps the eigenvalues above sqrt(2 mu lambda): about one for each cluster, once the first few
iterations are over. They are found by Rayleigh-Ritz on a block Krylov space that starts from the last vectors: those
kept, the next few ("guards") and new random ones, so that copies of an eigenvalue are seen, and one that comes up is.
A search ends when the vectors kept have residuals that matter no more (`RESIDUAL`) and the largest Ritz value left is
below the threshold and has nearly settled. That all eigenvalues above the threshold are among them is then proved: the
Frobenius norm of what is left is below it, or else

    threshold I - S + Z diag(ritz) Z^T      has a Cholesky factor: no eigenvalue left is above (Sylvester's inertia).

Residuals cannot prove that: they say that an eigenvalue is near, not that no other is. Without the proof one affinity
in four took another path. Where it fails, or too many eigenvalues pass or products are spent, LAPACK's bisection finds
all that pass.

Cost: an exact step 4/3 N^3 flops, half of them bound by memory; a warm one N^3 / 3 for the proof and 30 to 100 columns
times 2 N^2.
"""

from __future__ import annotations

import numpy as np

from partita.arrays import Array
from partita.kernels.eigen import symmetric_eigen
from partita.kernels.products import dense_product

__all__ = ["LeadingEigenpairs"]


# Items from which the warm search is faster than LAPACK's bisection (`benchmarks/scams_admm.py --crossover`).
WARM_FROM = 600
# Vectors beyond those kept, and random ones, in the first block.
GUARDS, FRESH = 4, 2
# Residual of a vector that is kept, relative to the norm of the matrix: below the default `tol` of |G - H|. ADMM then
# took the path that exact decompositions take in every case tried; with 1e-4 it did not.
RESIDUAL = 1e-10
# Relative to the threshold, where that is smaller: late, small eigenvalues pass. Rounding leaves the last.
OF_THRESHOLD, ROUNDING = 1e-6, 1e-13
# Residual of a Ritz value left, relative to its distance from the threshold: what comes up has mostly come up by then.
SETTLED = 0.3
# The warm search is left when more than one in so many eigenvalues pass, or so many columns per item were multiplied.
MOST_KEPT, MOST_SPENT = 1 / 16, 1 / 6
# After searches that failed in a row, matrices are decomposed without one: 0, 1, 3, 7, then 15, one less than this.
MOST_RESTS = 16
# Columns of the basis at which it is restarted, as a multiple of the vectors sought.
BASIS = 12


class LeadingEigenpairs:
    """Finds eigenpairs above a threshold, one matrix after the other; it remembers the last vectors.

    Parameters
    ----------
    n_items : int
    warm : bool
        False: exact decompositions only.

    Attributes
    ----------
    n_exact, n_partial, n_none : int
        Matrices so far whose eigenpairs were found by LAPACK, by the warm search, or excluded by the norm.
    """

    def __init__(self, n_items: int, *, warm: bool = True) -> None:
        self.warm = warm and n_items >= WARM_FROM
        self.n_exact = self.n_partial = self.n_none = 0
        self._vectors: Array | None = None
        self._failed = self._rests = 0  # searches in a row that failed; matrices still to come without one
        self._rng = np.random.default_rng(0)  # probes: they change which basis is used, not what is found

    def above(self, S: Array, threshold: float, squared_norm: float) -> tuple[Array, Array]:
        """Return the eigenvalues of S above the threshold, falling, and their vectors (N x k); S may be overwritten.

        `squared_norm` is the sum of the squares of all entries.
        """
        if squared_norm <= threshold**2:
            self.n_none += 1
            return np.empty(0), np.empty((len(S), 0))
        few = self._vectors is not None and self._vectors.shape[1] <= MOST_KEPT * len(S)
        if self.warm and few and self._rests == 0:
            found = self._search(S, threshold)
            if found is not None:
                values, vectors = found
                rest = squared_norm - float(values @ values)
                if rest <= threshold**2 or _none_left(S, threshold, values, vectors):
                    self.n_partial += 1
                    self._failed = 0
                    return found
            self._failed += 1
            self._rests = min(2 ** (self._failed - 1), MOST_RESTS)
        self._rests = max(self._rests - 1, 0)
        self.n_exact += 1
        values, vectors = _exact(S, threshold)
        self._vectors = vectors
        return values, vectors

    def _search(self, S: Array, threshold: float) -> tuple[Array, Array] | None:
        """Block Krylov with Rayleigh-Ritz from the last vectors; None where LAPACK is the better way."""
        assert self._vectors is not None
        N = len(S)
        fresh = max(FRESH, GUARDS - self._vectors.shape[1])
        V = np.linalg.qr(np.hstack([self._vectors, self._rng.normal(size=(N, fresh))]))[0]
        SV = dense_product(S, V)
        spent = V.shape[1]
        while True:
            values, C = symmetric_eigen(V.T @ SV)
            values, C = values[::-1], C[:, ::-1]
            k = int((values > threshold).sum())
            if k > MOST_KEPT * N or spent > MOST_SPENT * N:
                return None
            width = min(k + GUARDS, V.shape[1])
            Z, SZ, ritz = V @ C[:, :width], SV @ C[:, :width], values[:width]
            residuals = SZ - Z * ritz
            norms = np.linalg.norm(residuals, axis=0)
            size = max(values[0], -values[-1])
            left = norms > max(min(RESIDUAL * size, OF_THRESHOLD * threshold), ROUNDING * size)
            left[k:] = norms[k:] > SETTLED * (threshold - ritz[k:])
            if not left.any() and width > k:
                self._vectors = Z
                return ritz[:k], Z[:, :k]
            if not left.any():  # no guard yet says what comes next
                left[:] = True
            block = residuals[:, left]
            if V.shape[1] + block.shape[1] > BASIS * (width + FRESH):
                keep = C[:, : 2 * width]
                V, SV = V @ keep, SV @ keep
            block = _orthonormal_beside(V, block, self._rng)
            V, SV = np.hstack([V, block]), np.hstack([SV, dense_product(S, block)])
            spent += block.shape[1]


def _orthonormal_beside(V: Array, block: Array, rng: np.random.Generator) -> Array:
    """An orthonormal basis, orthogonal to V, of the block, random directions where it has none of its own."""
    norms = np.linalg.norm(block, axis=0)
    dead = norms == 0
    block = np.where(dead, rng.normal(size=block.shape), block / np.where(dead, 1.0, norms))
    for _ in range(2):  # what rounding leaves along V after one pass, relative to a small rest, a second one takes away
        block = block - V @ (V.T @ block)
        block = np.linalg.qr(block)[0]
    # A column that depended on the others is rounding made a unit vector; it need not be orthogonal to V.
    block = block - V @ (V.T @ block)
    return np.asarray(np.linalg.qr(block)[0])


def _none_left(S: Array, threshold: float, values: Array, vectors: Array) -> bool:
    """Whether S without these eigenpairs has no eigenvalue above the threshold: a Cholesky factor says so."""
    from scipy.linalg.blas import dsyrk
    from scipy.linalg.lapack import dpotrf

    rest = np.negative(S)
    rest[np.diag_indices(len(S))] += threshold
    # The transposes are what Fortran takes without a copy; they are symmetric, and only a triangle is used.
    rest = rest.T
    if len(values):
        rest = dsyrk(1.0, vectors * np.sqrt(values), beta=1.0, c=rest, lower=1, overwrite_c=1)
    return int(dpotrf(rest, lower=1, clean=0, overwrite_a=1)[1]) == 0


def _exact(S: Array, threshold: float) -> tuple[Array, Array]:
    """Eigenpairs above the threshold by LAPACK: tridiagonal form, bisection and inverse iteration."""
    from scipy.linalg import eigh

    diagonal = S.diagonal().copy()
    try:
        values, vectors = eigh(S.T, subset_by_value=(threshold, np.inf), overwrite_a=True, check_finite=False)
    except np.linalg.LinAlgError:  # bisection may fail on many equal eigenvalues; one triangle was not overwritten
        below = np.tril(S, -1)
        values, vectors = symmetric_eigen(below + below.T + np.diag(diagonal))
        values, vectors = values[values > threshold], vectors[:, values > threshold]
    return values[::-1], np.ascontiguousarray(vectors[:, ::-1])
