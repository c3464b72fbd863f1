"""Orthogonal matching pursuit of many targets over one dictionary.

Each target takes the atom that correlates most with what is left of it, and is then written with all its atoms by least
squares, until so many were taken or so little is left. A block of targets goes through these rounds together: one
product with the dictionary, N d multiplications a target and round, and a small system for each. scikit-learn's
`orthogonal_mp` does the same for one target at a time, at the price of a copy of the dictionary (or, with a Gram
matrix, of N x N numbers) for each; the answers agree (`tests/unit/test_subspace_affinities.py`), the times are in
`benchmarks/subspace.py`.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from partita.arrays import Array
from partita.kernels.threads import row_bounds, run_chunks

__all__ = ["BLOCK", "pursuit"]

# Targets that go through the rounds together.
BLOCK = 256
# Share of a target that is rounding and not left to be explained.
ROUNDING = 1e-12


def pursuit(atoms: Array, targets: Array, own: NDArray[np.intp], n_atoms: int, tol: float) -> sp.csr_array:
    """Return codes of targets over atoms, B x n.

    Parameters
    ----------
    atoms : n x d array
        Correlations are taken over the length of the atom, so that its length does not matter.
    targets : B x d array
    own : array of B
        The atom that a target must not take, -1 for none.
    n_atoms : int
        Most atoms of a code.
    tol : float
        A target is done when what is left of it is at most this share of its length.
    """
    length = np.sqrt(np.einsum("ij,ij->i", atoms, atoms))
    usable = length > 0
    unit = atoms / np.where(usable, length, 1.0)[:, None]
    n_atoms = min(n_atoms, int(usable.sum()), atoms.shape[1])
    taken = np.full((len(targets), n_atoms), -1, dtype=np.intp)
    values = np.zeros((len(targets), n_atoms))

    def work(low: int, high: int) -> None:
        part = slice(low, high)
        _block(unit, targets[part], own[part], tol, taken[part], values[part])

    run_chunks(work, row_bounds(len(targets), BLOCK), words="coding the items over each other")
    kept = taken >= 0
    pointer = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
    codes = sp.csr_array((values[kept] / length[taken[kept]], taken[kept], pointer), shape=(len(targets), len(atoms)))
    codes.sort_indices()
    return codes


def _block(unit: Array, Y: Array, own: NDArray[np.intp], tol: float, taken: NDArray[np.intp], values: Array) -> None:
    enough = max(tol, ROUNDING) * np.sqrt(np.einsum("ij,ij->i", Y, Y))
    left = Y.copy()
    running = np.arange(len(Y))
    for t in range(taken.shape[1]):
        size = np.sqrt(np.einsum("ij,ij->i", left[running], left[running]))
        running = running[size > enough[running]]
        if not len(running):
            return
        close = np.abs(left[running] @ unit.T)
        held = np.flatnonzero(own[running] >= 0)
        close[held, own[running[held]]] = 0.0
        place = np.arange(len(running))
        for before in taken[running, :t].T:
            close[place, before] = 0.0  # what is left is orthogonal to them, up to rounding
        best = close.argmax(axis=1)
        found = close[place, best] > ROUNDING * enough[running] / max(tol, ROUNDING)
        running, best = running[found], best[found]
        if not len(running):
            return
        chosen = np.hstack([taken[running, :t], best[:, None]])
        A = unit[chosen]
        solved, code = _least_squares(A, Y[running])
        running = running[solved]
        taken[running, t] = best[solved]
        values[running, : t + 1] = code
        left[running] = Y[running] - np.einsum("bt,btd->bd", code, A[solved])


def _least_squares(A: Array, Y: Array) -> tuple[NDArray[np.bool_], Array]:
    """Mark the systems with independent atoms and return their coefficients; a target of dependent atoms stops."""
    factors, triangles = np.linalg.qr(A.transpose(0, 2, 1))
    diagonal = np.abs(np.einsum("btt->bt", triangles))
    solved = diagonal.min(axis=1) > ROUNDING
    seen = np.einsum("bdt,bd->bt", factors[solved], Y[solved])
    return solved, np.linalg.solve(triangles[solved], seen[..., None])[..., 0]
