"""Evidence that is already an affinity: a precomputed matrix, an `Affinity`, or an edge list."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from partita.affinity.base import Affinity
from partita.affinity.checks import Missing, Symmetrize, as_affinity, check_magnitude, looks_like_distances
from partita.affinity.evidence import Builder, Evidence, given_rows
from partita.affinity.sparse import SparseAffinity
from partita.arrays import Array
from partita.errors import InputError, UnsureWarning
from partita.shapes import reals, whole

__all__ = ["Precomputed", "from_edges"]


# What is said of a matrix that seems to hold distances.
DISTANCES = (
    "has zeros on its diagonal and obeys the triangle inequality, as distances do: if larger numbers mean less alike, "
    "pass affinity='precomputed_distance' (command line: --input distances)"
)


@dataclass(frozen=True)
class Precomputed(Builder):
    """The matrix given is the affinity.

    Parameters
    ----------
    missing : {"error", "unobserved"}
        Meaning of NaN.
    unstored : {"zero", "unobserved"}
        Meaning of a pair that a sparse matrix does not store: observed, and no evidence that the two belong together,
        or not observed. Then everything costs what the stored pairs cost, zeros among them.
    symmetrize : {"mean", "max", "min"}, optional
        How to resolve P_ij != P_ji; an error by default.

    Examples
    --------
    >>> Precomputed().build(np.eye(3), n_clusters=2).affinity.n_items
    3
    """

    name = "precomputed"
    stored: ClassVar = {"n_items": whole(), "self_affinity": reals()}

    missing: Missing = "error"
    unstored: Literal["zero", "unobserved"] = "zero"
    symmetrize: Symmetrize | None = None

    @property
    def pairwise(self) -> bool:  # type: ignore[override]
        return True

    @property
    def varies_with_k(self) -> bool:
        return False

    @classmethod
    def named(cls, *, missing: str, symmetrize: str | None, seed: int) -> Precomputed:
        return cls(missing=missing, symmetrize=symmetrize)  # type: ignore[arg-type]

    def build(self, X: Any, *, n_clusters: int, weights: Array | None = None) -> MatrixEvidence:
        affinity = as_affinity(X, missing=self.missing, symmetrize=self.symmetrize, unstored=self.unstored)
        if isinstance(X, np.ndarray) and looks_like_distances(X):
            warnings.warn(f"the affinity {DISTANCES}", UnsureWarning, stacklevel=2)
        return MatrixEvidence(affinity, affinity.n_items, float(affinity.diagonal().mean()), self)

    def restore(self, state: dict[str, Array]) -> MatrixEvidence:
        return MatrixEvidence(None, int(state["n_items"]), float(state["self_affinity"]), self)


class MatrixEvidence(Evidence):
    """A given affinity; new items bring their rows, in which NaN and pairs not stored mean what they mean in it."""

    def __init__(self, affinity: Affinity | None, n_items: int, self_affinity: float, read: Precomputed) -> None:
        if affinity is not None:
            self.affinity = affinity
        self._n_items, self.self_affinity = n_items, self_affinity
        self.row_size = n_items
        self._read = read

    def rows(self, X: Any) -> Any:
        return given_rows(X, self._n_items, "affinities", allow_missing=self._read.missing == "unobserved")

    def observed(self, rows: Any) -> sp.csr_array | None:
        only_stored = sp.issparse(rows) and self._read.unstored == "unobserved"
        entries: Any = rows.data if sp.issparse(rows) else rows
        if not only_stored and not np.isnan(entries).any():
            return None
        values = rows.toarray() if sp.issparse(rows) and not only_stored else rows
        if only_stored:
            i, j = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr)), rows.indices
            values = rows.data
        else:
            i, j = (at.ravel() for at in np.indices(values.shape))
            values = values.ravel()
        known = ~np.isnan(values)
        return sp.csr_array((values[known], (i[known], j[known])), shape=rows.shape)

    def state(self) -> dict[str, Array]:
        return {"n_items": np.array(self._n_items), "self_affinity": np.array(self.self_affinity)}


def from_edges(
    source: ArrayLike, target: ArrayLike, weight: ArrayLike | None = None, *, n_items: int | None = None
) -> SparseAffinity:
    """Return a sparse affinity from an edge list; each pair once or in both orders.

    Parameters
    ----------
    source, target : arrays of int
        Items 0..N-1.
    weight : array, optional
        Nonnegative; 1 by default.
    n_items : int, optional
        N; one more than the largest item by default.

    Raises
    ------
    InputError
        For negative or non-finite weights, items out of range, or a pair given twice with different weights.

    Examples
    --------
    >>> from_edges([0, 1], [1, 2]).to_dense().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    i, j = _whole(source, "source"), _whole(target, "target")
    w = np.ones(len(i)) if weight is None else np.asarray(weight, dtype=np.float64)
    if not len(i) == len(j) == len(w):
        raise InputError(f"source, target and weight have {len(i)}, {len(j)} and {len(w)} entries; expected the same")
    if not len(i):
        raise InputError("the edge list is empty")
    bad = np.flatnonzero(~np.isfinite(w) | (w < 0))
    if len(bad):
        raise InputError(f"edge {bad[0]} ({i[bad[0]]}, {j[bad[0]]}) has weight {w[bad[0]]:g}; expected 0 or more")
    n = int(max(i.max(), j.max())) + 1 if n_items is None else n_items
    if min(i.min(), j.min()) < 0 or max(i.max(), j.max()) >= n:
        raise InputError(f"an edge names an item outside 0..{n - 1}")
    low, high = np.minimum(i, j), np.maximum(i, j)
    _, first, inverse = np.unique(low * n + high, return_index=True, return_inverse=True)
    conflict = np.flatnonzero(w != w[first][inverse])
    if len(conflict):
        e = conflict[0]
        raise InputError(
            f"the pair ({low[e]}, {high[e]}) is given twice, with weights {w[first][inverse][e]:g} and {w[e]:g}; "
            "keep one of them"
        )
    low, high, w = low[first], high[first], w[first]
    off = low != high
    if not w.any():
        raise InputError("every edge has weight 0: there is no evidence that any two items belong together")
    check_magnitude(w, "the weights")
    return SparseAffinity(
        sp.coo_array(
            (np.r_[w, w[off]], (np.r_[low, high[off]], np.r_[high, low[off]])),
            shape=(n, n),
        )
    )


def _whole(items: ArrayLike, name: str) -> NDArray[np.intp]:
    array = np.asarray(items)
    if array.ndim != 1 or array.dtype.kind not in "iuf" or (array.size and (array != np.round(array)).any()):
        raise InputError(f"{name} must be a list of whole numbers, the items 0..N-1")
    return array.astype(np.intp)
