"""Draws, hard or soft, as relabelling needs them: how well each cluster of a draw fits each column, and the shares.

With Q_b the labels of draw b as indicators, or its classification probabilities (N x L), and F an N x K score of items
in columns, the scores of its clusters are Q_b^T F, and the shares sum_b v_b Q_b T_b, T_b saying which column each
cluster becomes. Hard draws cost M N K additions for the scores and M N for the shares; nothing is made for all draws at
once but the columns of their clusters.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from partita.affinity.label_blocks import LabelBlocks
from partita.arrays import Array
from partita.errors import InputError

__all__ = ["Draws", "HardDraws", "SoftDraws", "draws_of"]

Columns = NDArray[np.int32]

# Numbers taken at a time: labels of a block of draws, or scores.
BLOCK = 1 << 22
# Deviation of a row sum from one that classification probabilities may have.
OFF_SIMPLEX = 1e-6


class Draws(Protocol):
    """M draws of N items, of at most L clusters each, with weights that sum to one."""

    n_draws: int
    n_items: int
    most: int
    weights: Array

    def scores(self, F: Array) -> Iterator[tuple[int, Array, NDArray[np.bool_]]]:
        """Yield blocks of draws: the number of the first, their scores (B x L x K), and which clusters have items
        (B x L).
        """

    def shares(self, columns: Columns, n_columns: int) -> Array:
        """Return N x C: the weight of the draws in which an item is in each column."""


class HardDraws:
    """Draws of labels.

    Parameters
    ----------
    labels : LabelBlocks
    weights : array of M
    """

    def __init__(self, labels: LabelBlocks, weights: Array) -> None:
        self._labels, self.weights = labels, weights
        self.n_draws, self.n_items = labels.n_draws, labels.n_items
        self.most = int(labels.n_clusters.max())

    def scores(self, F: Array) -> Iterator[tuple[int, Array, NDArray[np.bool_]]]:
        N, L = F.shape[0], self.most
        F1 = np.column_stack([F, np.ones(N)])  # the last column counts the items of a cluster
        for first, block in self._blocks(F1.shape[1]):
            B = len(block)
            cells = np.arange(0, B * L, L, dtype=np.int32) + block.T.astype(np.int32)
            of_item = sp.csr_array((np.ones(B * N), cells.ravel(), np.arange(0, B * N + 1, B)), shape=(N, B * L))
            sums = (of_item.T @ F1).reshape(B, L, -1)
            yield first, sums[:, :, :-1], np.asarray(sums[:, :, -1] > 0)

    def shares(self, columns: Columns, n_columns: int) -> Array:
        out = np.zeros(self.n_items * n_columns)
        items = np.arange(0, self.n_items * n_columns, n_columns)
        for first, block in self._blocks(1):
            of_item = np.take_along_axis(columns[first : first + len(block)], block.astype(np.intp), axis=1)
            weights = np.repeat(self.weights[first : first + len(block)], self.n_items)
            out += np.bincount((items + of_item).ravel(), weights=weights, minlength=len(out))
        return out.reshape(self.n_items, n_columns)

    def _blocks(self, n_columns: int) -> Iterator[tuple[int, NDArray[Any]]]:
        rows = max(1, BLOCK // max(self.n_items, self.most * n_columns))
        for first, block in self._labels:
            for low in range(0, len(block), rows):
                yield first + low, block[low : low + rows]


class SoftDraws:
    """Draws of classification probabilities.

    Parameters
    ----------
    probabilities : array, M x N x L
    weights : array of M
    """

    def __init__(self, probabilities: Array, weights: Array) -> None:
        self._Q, self.weights = probabilities, weights
        self.n_draws, self.n_items, self.most = probabilities.shape

    def scores(self, F: Array) -> Iterator[tuple[int, Array, NDArray[np.bool_]]]:
        for first, Q in self._blocks():
            turned = Q.transpose(0, 2, 1)
            yield first, turned @ F, np.asarray(turned.any(axis=2), dtype=bool)

    def shares(self, columns: Columns, n_columns: int) -> Array:
        out = np.zeros((self.n_items, n_columns))
        for first, Q in self._blocks():
            for b, (own, share) in enumerate(zip(Q, self.weights[first:])):
                np.add.at(out.T, columns[first + b], share * own.T)
        return out

    def _blocks(self) -> Iterator[tuple[int, Array]]:
        rows = max(1, BLOCK // (self.n_items * self.most))
        for first in range(0, self.n_draws, rows):
            yield first, self._Q[first : first + rows]


def draws_of(draws: Any, weights: ArrayLike | None) -> Draws:
    """Return draws and their weights, checked.

    Raises
    ------
    InputError
        For draws that are neither M x N labels nor M x N x L probabilities, or weights that do not fit.
    """
    ndim = getattr(draws, "ndim", None) or np.ndim(draws)
    if ndim not in (2, 3):
        raise InputError(
            f"draws are {ndim}-dimensional: expected M x N labels, a row for each draw, or M x N x L classification "
            "probabilities"
        )
    if ndim == 2:
        labels = LabelBlocks(draws)
        return HardDraws(labels, _weights(weights, labels.n_draws))
    Q = np.asarray(draws, dtype=np.float64)
    if 0 in Q.shape or not np.isfinite(Q).all() or (Q < 0).any() or np.abs(Q.sum(axis=2) - 1).max() > OFF_SIMPLEX:
        raise InputError("classification probabilities must be nonnegative and sum to 1 for each item of each draw")
    return SoftDraws(Q, _weights(weights, len(Q)))


def _weights(weights: ArrayLike | None, n_draws: int) -> Array:
    v = np.ones(n_draws) if weights is None else np.asarray(weights, dtype=np.float64)
    if v.shape != (n_draws,) or not np.isfinite(v).all() or (v < 0).any() or v.sum() <= 0:
        raise InputError(f"weights have shape {v.shape}: expected {n_draws} nonnegative numbers, not all zero")
    return np.asarray(v / v.sum())
