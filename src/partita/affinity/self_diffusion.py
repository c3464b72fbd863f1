"""Self-diffusion: an affinity diffused by its own transition matrix, the identity added at each step [wang2012].

    W_0 = W,   W_t+1 = W_t P + I,   W* = W_t D^-1        P = D^-1 W, D the row sums of W

With S = D^-1/2 W D^-1/2 that is D^1/2 S^(t+1) D^-1/2 + D^-1/2 (I + S + ... + S^(t-1)) D^-1/2: walks of all lengths up
to t, the short ones among them, and the result is symmetrised because the first term is not symmetric. The diffusion of
`SoftClustering(steps=t)` is S^t alone, walks of exactly t steps: it forgets where a walk began as t grows, and it is
applied as t products and never made. Self-diffusion keeps what is near, grows with t only where walks stay (on groups
that are nearly closed), and is dense.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.affinity.base import Affinity
from partita.affinity.checks import as_affinity
from partita.affinity.dense import DenseAffinity
from partita.arrays import Array
from partita.errors import InputError
from partita.memory import require_pairs

__all__ = ["self_diffusion"]


def self_diffusion(affinity: Any, n_steps: int = 20) -> DenseAffinity:
    """Return W* after t steps of self-diffusion.

    Parameters
    ----------
    affinity : Affinity, or N x N array or scipy.sparse
        Nonnegative and symmetric, every pair observed. An item without affinity to any other or to itself stays so,
        with W*_ii = 1.
    n_steps : int
        t, at least 0; 0 is W D^-1, symmetrised. [wang2012] stops after some tens of steps, as many as the degree of
        connection of the graph asks for: links between groups are followed too in the end.

    Returns
    -------
    DenseAffinity
        Nonnegative, symmetric to the last bit.

    Raises
    ------
    InputError
        For negative or unobserved pairs, and a number of steps below zero.
    MemoryLimitError
        Where N x N would not fit: W* is dense whatever W is.

    Notes
    -----
    Cost: 2 t N^3 multiplications and four N x N arrays.

    References
    ----------
    [wang2012] B. Wang, Z. Tu, Affinity learning via self-diffusion for image segmentation and clustering, CVPR 2012.

    Examples
    --------
    >>> W = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]])
    >>> self_diffusion(W, 1).to_dense().round(3)[0].tolist()  # the ends are joined through the middle
    [1.194, 0.34, 0.083]
    """
    if not (isinstance(n_steps, (int, np.integer)) and n_steps >= 0):
        raise InputError(f"n_steps={n_steps}: expected a whole number of at least 0")
    given = affinity if isinstance(affinity, Affinity) else as_affinity(affinity)
    if given.pair_weights is not None:
        raise InputError("an affinity with unobserved or weighted pairs cannot be diffused: fill them in first")
    remedy = "use SoftClustering(steps=t) on a neighbour graph, whose diffusion is never made"
    require_pairs(given.n_items, "a self-diffused affinity", remedy, copies=4)
    W: Array = np.array(given.to_dense())
    if (W < 0).any():
        i, j = np.argwhere(W < 0)[0]
        raise InputError(f"affinity[{i}, {j}] = {W[i, j]:g} is negative: shift or clip the affinity first")
    degrees = W.sum(axis=1)
    alone = degrees == 0
    inverse = 1.0 / np.where(alone, 1.0, degrees)
    P = inverse[:, None] * W
    for _ in range(n_steps):
        W = W @ P
        W[np.diag_indices(len(W))] += 1.0
    W *= inverse
    W += W.T.copy()
    W *= 0.5
    W[alone, alone] = 1.0
    return DenseAffinity(W)
