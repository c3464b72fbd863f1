"""Settings of the local search: what a pair and a cluster cost, on which scale (`partita.scams.local`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from partita.affinity.checks import as_affinity
from partita.errors import InputError
from partita.memory import require_pairs
from partita.scams.scale import Scale, relative

__all__ = ["LocalSearch"]

# Default price of a cluster, where it alone joins nothing (`partita.scams.local`).
PRICE = 1.0
# The share that is taken where neither gamma, theta nor share is given: `partita reproduce scams-figure2`.
SHARE = 0.13
# A dense affinity with fewer positive pairs than this share of all is searched as a sparse one.
SPARSE = 0.3


@dataclass(frozen=True)
class LocalSearch:
    """Settings of the local search.

    Parameters
    ----------
    lam : float >= 0, optional
        Price of a cluster, in units of the affinity as scaled: on the scale "sym" the whole affinity of one item is 1.
        By default 1, and less where that would join items that share no affinity: see `partita.scams.local`.
    share : float in (0, 1), optional
        gamma is this share of 1 / m, m the mean size of an item's cluster; .13 where nothing else says what gamma is.
    theta : float >= 0, optional
        gamma = theta / N.
    gamma : float >= 0, optional
        As it is.
    scale : {"sym", "mean"} or None
        See `relative`. None takes the affinity as it is, and needs gamma. With `share` it is "sym".
    n_init : int
        Restarts.

    Raises
    ------
    InputError
        For values out of range, more than one of share, theta and gamma, or a scale that does not go with them.

    Examples
    --------
    >>> LocalSearch().share, LocalSearch(theta=0.7).share
    (0.13, None)
    """

    lam: float | None = None
    share: float | None = None
    theta: float | None = None
    gamma: float | None = None
    scale: Scale | None = "sym"
    n_init: int = 2

    def __post_init__(self) -> None:
        given = [name for name in ("share", "theta", "gamma") if getattr(self, name) is not None]
        if len(given) > 1:
            raise InputError(f"{' and '.join(given)} each say what a pair costs: pass one of them")
        if not given:
            object.__setattr__(self, "share", SHARE)
        if self.share is not None and not 0.0 < self.share < 1.0:
            raise InputError(f"share={self.share}: expected a number between 0 and 1, such as {SHARE}")
        for name in ("lam", "theta", "gamma"):
            value = getattr(self, name)
            if value is not None and not 0.0 <= value < np.inf:
                raise InputError(f"{name}={value}: expected a finite number of at least 0")
        if self.scale not in ("sym", "mean", None):
            raise InputError(f"scale={self.scale!r}: expected 'sym', 'mean' or None")
        if self.scale is None and self.gamma is None:
            raise InputError("without a scale the affinity's unit decides what a pair may cost: pass gamma, or a scale")
        if self.share is not None and self.scale != "sym":
            raise InputError("share is of an item's whole affinity, which is one on the scale 'sym': leave scale out")
        if self.n_init < 1:
            raise InputError(f"n_init={self.n_init}: expected at least 1")

    @property
    def price(self) -> float:
        """The price of a cluster to begin with: `lam`, or 1."""
        return PRICE if self.lam is None else self.lam

    def prepare(self, affinity: Any) -> Any:
        """Return the affinity that is searched: without its diagonal, scaled; CSR where few pairs have any.

        Raises
        ------
        InputError
            For an affinity that is not square, symmetric, finite and nonnegative.
        MemoryLimitError
            Where a dense one would not fit.
        """
        A = as_affinity(affinity)
        if hasattr(A, "matrix") and sp.issparse(A.matrix):
            values = sp.csr_array(A.matrix, dtype=np.float64, copy=True)
        else:
            require_pairs(A.n_items, "the affinity", "pass a sparse one, such as a neighbour graph", copies=3)
            dense = np.array(A.rows(np.arange(A.n_items)), dtype=np.float64)
            np.fill_diagonal(dense, 0.0)
            if np.count_nonzero(dense) >= SPARSE * dense.size:
                return dense if self.scale is None else relative(dense, self.scale)
            values = sp.csr_array(dense)
        values.setdiag(0.0)
        values.eliminate_zeros()
        return values if self.scale is None else relative(values, self.scale)
