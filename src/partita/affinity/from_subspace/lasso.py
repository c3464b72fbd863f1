"""Sparse codes of many targets over one dictionary: an elastic net for each target, by ADMM, finished exactly.

    min_c  1/2 ||y - c D||^2 + tau (||c||_1 + 1/2 sum_j ridge_j c_j^2)     c_own = 0,  and sum(c) = 1 if it is affine

for targets y and atoms D (rows); without ridge it is the LASSO. With D = L S R^T the quadratic step of ADMM [boyd2011,
section 6.4] is two thin products whatever rho is, 4 n r multiplications a target, so that every target has a rho of its
own, balanced for nothing. Once the support of a code has settled, its values are the solution of a small linear system
[polish]; where that satisfies the optimality conditions, the target is done, exactly, after a few dozen rounds and not
the thousands that ADMM would need for the last digits.

Targets do not know of each other and are solved in blocks of fixed bounds, shared among threads: memory is
O(block n), never N x N, and codes come as CSR.

[boyd2011] S. Boyd et al., Distributed optimization and statistical learning via the alternating direction method of
multipliers, Foundations and Trends in Machine Learning 3, 2011.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from partita.affinity.from_subspace.polish import polished
from partita.arrays import Array
from partita.kernels.eigen import singular_vectors
from partita.kernels.threads import row_bounds, run_chunks

__all__ = ["Codes", "Lasso"]

# rho at first, in units of tau.
START = 10.0
# Targets solved at a time.
BLOCK = 256
# Over-relaxation [boyd2011, section 3.4.3].
RELAXATION = 1.6
# Rounds between two looks at rho, at the residuals and at the supports.
ROUNDS = 10
# Residuals this far apart move rho by this factor, in the first rounds: a rho that moves for ever need not converge.
APART, FACTOR, UNTIL = 5.0, 2.0, 500
# Steps of the active set: from a support that has settled, and from a code that ADMM calls found.
FEW, STEPS = 40, 1000
# Rounds after which it starts from a support that has not settled.
PATIENCE = 200
# Singular values below this share of the largest are rounding.
RANK = 1e-10


class Codes(NamedTuple):
    """Codes of targets.

    Attributes
    ----------
    matrix : B x n CSR
    n_open : int
        Targets whose codes did not reach the tolerance.
    n_iter : int
        Rounds of ADMM of the slowest target.
    """

    matrix: sp.csr_array
    n_open: int
    n_iter: int


@dataclass(frozen=True)
class Lasso:
    """A dictionary, decomposed once, and how its LASSO or elastic-net problems are solved.

    Parameters
    ----------
    atoms : n x d array
        D.
    n_affine : int
        With affine codes the first so many of their entries sum to one; 0 for codes that are not affine.
    ridge : float or array of n
        Ridge of each atom, or of all alike; at least 0, in units of tau.
    tol : float
        Largest primal and dual residual of ADMM, in units of the code, at which a code counts as found. Codes that the
        exact step finishes are exact to rounding.
    max_iter : int
        Rounds of ADMM at most.
    """

    atoms: Array
    n_affine: int = 0
    ridge: float | Array = 0.0
    tol: float = 1e-6
    max_iter: int = 2000

    def codes(self, targets: Array, penalty: Array, own: NDArray[np.intp]) -> Codes:
        """Return the codes of targets (B x d), each with its own tau > 0.

        `own` is the atom it must not use, -1 for none.
        """
        basis = _Basis.of(self.atoms, self.n_affine, np.broadcast_to(self.ridge, len(self.atoms)))
        bounds = row_bounds(len(targets), BLOCK)
        parts: list[Codes | None] = [None] * len(bounds)

        def work(low: int, high: int) -> None:
            parts[low // BLOCK] = self._block(basis, targets[low:high], penalty[low:high], own[low:high])

        run_chunks(work, bounds, words="coding the items over each other")
        found = [part for part in parts if part is not None]
        matrix = (
            sp.vstack([part.matrix for part in found], format="csr") if found else sp.csr_array((0, len(self.atoms)))
        )
        return Codes(
            sp.csr_array(matrix),
            sum(part.n_open for part in found),
            max((part.n_iter for part in found), default=0),
        )

    def _block(self, basis: _Basis, Y: Array, tau: Array, own: NDArray[np.intp]) -> Codes:
        n, n_targets = len(self.atoms), len(Y)
        out: list[tuple[NDArray[np.intp], Array]] = [(np.empty(0, dtype=np.intp), np.empty(0))] * n_targets
        running = _Running.of(basis, Y, tau, own)
        # Codes of a LASSO have independent atoms, with a ridge they may have any number of them.
        n_iter, most = 0, n if basis.ridge.any() else len(basis.s) + int(self.n_affine > 0)
        while len(running.rows) and n_iter < self.max_iter:
            for k in range(ROUNDS):
                running.step(basis, look=k == ROUNDS - 1)
            n_iter += ROUNDS
            done = (running.primal <= self.tol) & (running.dual <= self.tol)
            late = n_iter >= PATIENCE
            ready = (running.settled() | late) & (running.next <= n_iter)
            ready &= late | (running.support.sum(axis=1) <= most)
            running.next[ready] = 2 * n_iter  # after a failure
            for i in np.flatnonzero(ready | done):
                row = running.rows[i]
                steps = STEPS if done[i] or late else FEW
                exact = self._exact(basis, Y[row], running.C[i], tau[row], own[row], steps)
                if exact is not None:
                    out[row], done[i] = exact, True
                elif done[i]:
                    out[row] = _nonzeros(running.C[i])
            if n_iter <= UNTIL:
                running.balance()
            if done.any():
                running = running.only(~done)
        n_open = len(running.rows)
        for k, place in enumerate(running.rows):  # out of rounds
            exact = self._exact(basis, Y[place], running.C[k], tau[place], own[place], STEPS)
            n_open -= int(exact is not None)
            out[place] = exact or _nonzeros(running.C[k])
        pointer = np.concatenate([[0], np.cumsum([len(index) for index, _ in out])])
        index, values = (np.concatenate([pair[k] for pair in out]) for k in (0, 1))
        return Codes(sp.csr_array((values, index, pointer), shape=(n_targets, n)), n_open, n_iter)

    def _exact(
        self, basis: _Basis, y: Array, code: Array, tau: float, own: int, steps: int
    ) -> tuple[NDArray[np.intp], Array] | None:
        return polished(self.atoms, y, code, tau, tau * basis.ridge, own, self.n_affine, steps)


class _Basis(NamedTuple):
    """D = L S R^T, L^T 1 over the atoms whose codes sum to one, and the ridge of each atom."""

    L: Array
    s: Array
    R: Array
    among: Array | None
    landed: Array | None
    ridge: Array

    @classmethod
    def of(cls, D: Array, n_affine: int, ridge: Array) -> _Basis:
        left, s, right = singular_vectors(D)
        r = int((s > RANK * s.max(initial=0.0)).sum())
        L, s, R = np.ascontiguousarray(left[:, :r]), s[:r], np.ascontiguousarray(right[:r].T)
        if not n_affine:
            return cls(L, s, R, None, None, ridge)
        among = (np.arange(len(D)) < n_affine).astype(np.float64)
        return cls(L, s, R, among, among @ L, ridge)


@dataclass
class _Running:
    """The targets that are not done: their codes C and scaled multipliers U, and what the last round left behind."""

    rows: NDArray[np.intp]
    own: NDArray[np.intp]
    tau: Array
    seen: Array
    """Y R."""
    rho: Array
    C: Array
    U: Array
    support: NDArray[np.bool_]
    next: NDArray[np.intp]
    """The round from which the active set is tried (again)."""
    primal: Array
    """Distance of the two copies of each code, over its length; `dual`, how far it moved, over that of U."""
    dual: Array

    @classmethod
    def of(cls, basis: _Basis, Y: Array, tau: Array, own: NDArray[np.intp]) -> _Running:
        shape, far = (len(Y), len(basis.L)), np.full(len(Y), np.inf)
        start = np.zeros(shape), np.zeros(shape), np.ones(shape, dtype=bool), np.zeros(len(Y), dtype=np.intp), far, far
        return cls(np.arange(len(Y)), own, tau, Y @ basis.R, START * tau, *start)

    def step(self, basis: _Basis, *, look: bool) -> None:
        """One round of ADMM."""
        L, s, _, among, landed, ridge = basis
        rho = self.rho[:, None]
        Q = self.C - self.U
        inverse = 1.0 / (s**2 + rho)
        w = s * (self.seen - s * (Q @ L)) * inverse
        if among is not None and landed is not None:
            kept = s**2 * inverse * landed
            nu = ((1.0 - Q @ among - w @ landed) / (among.sum() - kept @ landed))[:, None]
            Q += nu * among
            w -= nu * kept
        Q += w @ L.T
        before = self.C
        A = RELAXATION * Q
        A += (1.0 - RELAXATION) * before
        A += self.U
        threshold = (self.tau / self.rho)[:, None]
        U = np.clip(A, -threshold, threshold)
        held = np.flatnonzero(self.own >= 0)
        U[held, self.own[held]] = A[held, self.own[held]]
        C = A - U
        if ridge.any():  # the proximal step of the elastic net shrinks what the threshold left
            C /= 1.0 + threshold * ridge
            U = A - C
        self.C, self.U = C, U
        if look:
            tiny = np.finfo(float).tiny
            self.primal = _length(Q - C) / np.maximum(np.maximum(_length(Q), _length(C)), tiny)
            self.dual = _length(C - before) / np.maximum(_length(U), tiny)

    def settled(self) -> NDArray[np.bool_]:
        """Codes whose support is what it was at the last look."""
        support = self.C != 0
        same = np.asarray((support == self.support).all(axis=1))
        self.support = support
        return same

    def balance(self) -> None:
        """Move each rho so that its residuals come together [boyd2011, section 3.4.1]."""
        up, down = self.primal > APART * self.dual, self.dual > APART * self.primal
        factor = np.where(up, FACTOR, np.where(down, 1.0 / FACTOR, 1.0))
        self.rho = self.rho * factor
        self.U /= factor[:, None]

    def only(self, kept: NDArray[np.bool_]) -> _Running:
        """These targets alone."""
        return _Running(*(getattr(self, field.name)[kept] for field in fields(self)))


def _length(V: Array) -> Array:
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", V, V)))


def _nonzeros(code: Array) -> tuple[NDArray[np.intp], Array]:
    index = np.flatnonzero(code)
    return index, code[index]
