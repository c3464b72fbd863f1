"""The evidence of an ensemble: its co-association as a factor, its draws, and the images of new items."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from partita.affinity import Affinity, FactorEvidence
from partita.affinity.from_neighbors import fitted_search, nearest
from partita.arrays import Array, Labels
from partita.ensemble.draws import Draw
from partita.ensemble.units import Frame
from partita.ensemble.vote import VOTERS
from partita.ensemble.weights import adjusted_rand

__all__ = ["EnsembleEvidence", "restored_factor"]

# How much nearer than to any other an item is to one that it equals but for rounding.
SAME = 1e-3


class EnsembleEvidence(FactorEvidence):
    """The co-association, its draws, and that of new items, whose images are the mean of those of their neighbours."""

    def __init__(
        self,
        frame: Frame,
        X: Array,
        factor: sp.csr_array,
        affinity: Affinity | None,
        draws: tuple[Draw, ...],
        notes: tuple[str, ...] = (),
    ) -> None:
        super().__init__(None)
        self._frame, self._X, self._factor = frame, X, factor
        self._search: Any = None
        self.draws, self.notes = draws, notes
        self.row_size = factor.shape[1]
        if affinity is not None:
            self.affinity = affinity

    @property
    def items(self) -> Array:
        """The fitted items, in the units that `seen` gives new ones."""
        return self._X

    @property
    def given(self) -> Array:
        """The fitted items in the units that they came in."""
        return np.asarray(self._X * self._frame.spread + self._frame.centre)

    @property
    def unit(self) -> float:
        """What all features are divided by, where it is one number."""
        return float(self._frame.spread[0])

    def seen(self, X: Any) -> Array:
        """Return new items in the units of the fitted ones."""
        return self._frame(np.asarray(X, dtype=np.float64))

    def at_edge(self, Y: Array) -> Array:
        """Return items of which those farther out than all fitted ones are at the edge of these, as in the fit."""
        low, high = self._X.min(axis=0), self._X.max(axis=0)
        reach = np.where(high > low, high - low, np.inf)
        return np.asarray(np.where(high + reach < Y, high, np.where(low - reach > Y, low, Y)))

    def features(self, X: Any) -> sp.csr_array:
        """Return the mean of the images of the 5 nearest fitted items.

        An item seen before has its own, and so has one that is a thousand times nearer to it than to any other, as
        after rounding.
        """
        return sp.csr_array(self.voters(X) @ self._factor)

    def voters(self, X: Any) -> sp.csr_array:
        """Return the weights, of sum one, of the fitted items that say where each new item belongs."""
        if self._search is None:
            self._search = fitted_search(self._X, "euclidean", None)
        Y = self.at_edge(self.seen(X))
        k = min(VOTERS, len(self._X))
        index, distance = nearest(Y, self._X, k, "euclidean", None, itself=False, search=self._search)
        votes = np.full(index.shape, 1.0 / k)
        same = distance[:, 0] <= SAME * distance[:, min(1, k - 1)]
        votes[same] = 0.0
        votes[same, 0] = 1.0
        shape = len(Y), len(self._X)
        return sp.csr_array((votes.ravel(), index.ravel(), k * np.arange(len(Y) + 1)), shape=shape)

    def beyond(self, X: Any) -> NDArray[np.bool_]:
        """Return which rows have a number beyond those of all fitted items by more than half of the range of these."""
        Y = self.seen(X)
        low, high = self._X.min(axis=0), self._X.max(axis=0)
        margin = np.where(high > low, (high - low) / 2, np.inf)
        return np.asarray(((high + margin < Y) | (low - margin > Y)).any(axis=1))

    def thinned(self, most: int) -> EnsembleEvidence:
        """Return evidence whose new items are seen by a random sample of the fitted ones, where these are more."""
        n = len(self._X)
        if n <= most:
            return self
        kept = np.sort(np.random.default_rng(0).choice(n, most, replace=False))
        return EnsembleEvidence(self._frame, self._X[kept], self._factor[kept], None, ())

    def voices(self, labels: Labels, of_row: NDArray[np.intp]) -> tuple[Draw, ...]:
        """Return the draws beside the labels of the items; `of_row` says which item each row is."""
        return tuple(
            replace(
                draw,
                agreement_with_result=adjusted_rand(draw.labels, labels),
                labels=np.where(of_row < 0, -1, draw.labels[of_row]),
            )
            for draw in self.draws
        )

    def whole_state(self) -> dict[str, Array]:
        return self.state()

    def state(self) -> dict[str, Array]:
        return {
            "X": self._X,
            "centre": self._frame.centre,
            "spread": self._frame.spread,
            "factor.data": self._factor.data,
            "factor.indices": self._factor.indices,
            "factor.indptr": self._factor.indptr,
            "factor.columns": np.array([self._factor.shape[1]]),
        }


def restored_factor(state: dict[str, Array]) -> sp.csr_array:
    """Return the factor of a state; that of version 0.1.0 does not say how many columns it has."""
    arrays = (state["factor.data"], state["factor.indices"], state["factor.indptr"])
    shape = (len(arrays[2]) - 1, int(state["factor.columns"][0])) if "factor.columns" in state else None
    return sp.csr_array(arrays, shape=shape)
