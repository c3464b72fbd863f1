"""Evidence P = F F^T from a map of items: F are the images of the fitted items, and a new item needs its own alone.

A row of affinities p = F f is N numbers, and whatever is asked of it is a product: p^T L = f^T (F^T L). So F^T L is
kept instead of F, and what a new item costs does not depend on the number of fitted items.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from partita.affinity.evidence import Evidence
from partita.affinity.low_rank import LowRankAffinity
from partita.affinity.normalise import How
from partita.arrays import Array
from partita.errors import InputError

__all__ = ["FactorEvidence"]


class FactorEvidence(Evidence):
    """An affinity F F^T, and the images of new items.

    Parameters
    ----------
    factor : N x m array or CSR, or None
        F; None in evidence that was restored from a saved model, which scores new items and has no affinity.
    """

    def __init__(self, factor: Any) -> None:
        self._factor = factor
        if factor is not None:
            self.affinity = LowRankAffinity(factor)

    @property
    def factor(self) -> Any:
        """F.

        Raises
        ------
        InputError
            For evidence that was restored without it.
        """
        if self._factor is None:
            raise InputError("this evidence was restored without its factor: ask for features(X)")
        return self._factor

    @abstractmethod
    def features(self, X: Any) -> Any:
        """Return images of new items, N_new x m (dense or CSR): their affinities are `features(X) @ factor.T`."""

    def images(self, X: Any) -> Any:
        return self.features(X)

    def fold(self, L: Array) -> Array:
        """Return F^T L, m x K."""
        return np.asarray(self.factor.T @ L)

    def rows(self, X: Any) -> Array:
        rows = self.features(X) @ self.factor.T
        return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows)

    def whole_state(self) -> dict[str, Array]:
        """Return the state of a saved model that needs whole rows: F with what makes images."""
        F = self.factor
        return {**self.state(), "factor": np.asarray(F.toarray() if hasattr(F, "toarray") else F)}

    def folded(
        self, how: How, factors: Array, landing: Array, weights: Array | None
    ) -> tuple[Array, Array, Array | None]:
        """Return factors, landing matrix and weights by which rows of images are normalised in place of rows of
        affinities.

        Parameters
        ----------
        how : str
            The normalisation, not "frobenius".
        factors, landing, weights : arrays of N, N x K, and N or None
            As `partita.affinity.normalise.normalise_rows` and a row's problem take them.

        Returns
        -------
        arrays of m, m x K, and m or None
        """
        if how in ("none", "l1"):
            landing = self.fold(landing)
            return np.full(len(landing), factors[0]), landing, None
        d = np.ones(len(factors)) if weights is None else weights
        columns = d if how == "symmetric" else d * factors
        folded = self.fold(np.column_stack([factors[:, None] * landing, columns]))
        return np.ones(len(folded)), np.ascontiguousarray(folded[:, :-1]), folded[:, -1].copy()
