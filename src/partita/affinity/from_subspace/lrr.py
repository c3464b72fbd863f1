"""Low-rank representation: all items are written with all others, by the coefficients of lowest rank [liu2013].

The representation Z (`nuclear_norm`) has a part for each subspace, and where these are independent no entry between
them. Two affinities come from it:

    power         M = U_Z S_Z^1/2, rows scaled to length one;  P_ij = (m_i . m_j)^(2 alpha)       [liu2013, section 3.5]
    coefficients  P = |Z| + |Z|^T

The first has P_ii = 1 and entries in [0, 1]; powers keep what is large within a subspace and drive what noise left
between subspaces to zero. Of either each item keeps its largest entries alone, unless all are asked for.

Subspaces that need not pass through the origin are lifted first (`lifted`).

A new item x has the coordinates v = S^-1 U^T x among the fitted ones, whatever the form: m = v^T U_Z S_Z^1/2 is a
linear map of its features.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from partita.affinity.dense import DenseAffinity
from partita.affinity.evidence import Builder, Evidence
from partita.affinity.from_subspace.codes import unit_rows
from partita.affinity.from_subspace.nuclear_norm import Coordinates, Representation, noisy, outliers, shape
from partita.affinity.landmark_choice import complete
from partita.affinity.sparse import SparseAffinity
from partita.arrays import Array
from partita.errors import InputError
from partita.kernels.threads import row_bounds
from partita.memory import require_memory, require_pairs
from partita.scope import lasting
from partita.shapes import reals

__all__ = ["Errors", "LowRankEvidence", "LowRankRepresentation"]

Errors = Literal["noise", "outliers", "none"]
Weights = Literal["power", "coefficients"]

# Price of errors by default: tau as `benchmarks/subspace.py` finds it, lambda of [liu2013] for motions.
PRICES: dict[str, float] = {"noise": 100.0, "outliers": 0.18, "none": 0.0}
# Rows of the affinity made at a time.
ROWS = 256
# A new item with this affinity to a fitted one is that item.
SAME = 1.0 - 1e-12
SPARSE = "use sparse codes: affinity='ssc-omp' (command line: --affinity ssc-omp)"


@dataclass(frozen=True)
class LowRankRepresentation(Builder):
    """Affinity of items that lie near a union of subspaces, from their low-rank representation.

    Parameters
    ----------
    errors : {"noise", "outliers", "none"}
        Errors of the items: noise in every entry (closed form), gross errors in some of the items (inexact augmented
        Lagrangian), or none (the shape interaction matrix).
    price : float, optional
        Price of errors against rank: tau for noise, lambda for outliers. None: 100 and .18.
    alpha : int
        P_ij = (m_i . m_j)^(2 alpha).
    n_neighbors : int, optional
        An item keeps its largest affinities to so many others, and those where it is among the other's; the affinity is
        then sparse. It is what keeps groups of many dimensions, whose affinities are small, as well connected as
        groups of few (`benchmarks/subspace.py`). Too few cut a single group of two dimensions, which is a ring (50
        items: 13% of draws with 20, none of 60 with 30). None keeps all, N x N.
    weights : {"power", "coefficients"}
        How the representation becomes an affinity.
    affine : bool
        Subspaces need not pass through the origin, as those of rigid motions: items are centred, scaled together to
        mean square length one, and get one more coordinate, of one.
    unit_length : bool, optional
        Items are scaled to length one first. None: unless `affine`.
    tol : float
        Largest entry that the equations of the augmented Lagrangian may miss.
    max_iter : int
        Its rounds at most.

    Raises
    ------
    InputError
        For an option out of its range, a price where there are no errors, and items with missing features.
    MemoryLimitError
        Where N x N would not fit.

    Notes
    -----
    Cost: one singular value decomposition, N d min(N, d), and N^2 r for the affinity; with outliers N r^2 for each of
    some 150 to 300 rounds. 600 items of 50 dimensions take 0.1 seconds, with outliers one. Weights of items are not
    used.

    References
    ----------
    [liu2013] G. Liu et al., Robust recovery of subspace structures by low-rank representation, IEEE TPAMI 35, 2013.
    [vidal2014] R. Vidal, P. Favaro, Low rank subspace clustering, Pattern Recognition Letters 43, 2014.

    Examples
    --------
    Two lines through the origin:

    >>> X = np.array([[1.0, 0.0], [2.0, 0.1], [-1.0, 0.0], [0.0, 1.0], [0.1, -2.0], [0.0, 3.0]])
    >>> P = LowRankRepresentation().build(X, n_clusters=2).affinity.to_dense()
    >>> bool(P[:3, 3:].max() < 0.1), bool(P[0, 2] > 0.9)
    (True, True)
    """

    name = "lrr"
    stored: ClassVar = {
        "map": reals(None, None),
        "images": reals("n", None),
        "own": reals(),
        "least": reals("n"),
        "centre": reals("d"),
        "length": reals(),
    }

    errors: Errors = "noise"
    price: float | None = None
    alpha: int = 2
    n_neighbors: int | None = 30
    weights: Weights = "power"
    affine: bool = False
    unit_length: bool | None = None
    tol: float = 1e-6
    max_iter: int = 1000

    def __post_init__(self) -> None:
        if self.errors not in get_args(Errors):
            raise InputError(f"errors={self.errors!r}: expected 'noise', 'outliers' or 'none'")
        if self.weights not in get_args(Weights):
            raise InputError(f"weights={self.weights!r}: expected 'power' or 'coefficients'")
        if self.price is not None and self.errors == "none":
            raise InputError(f"price={self.price} goes with errors='noise' or 'outliers': without errors there is none")
        if self.price is not None and not 0 < self.price < np.inf:
            raise InputError(f"price={self.price}: expected a positive number")
        if self.n_neighbors is not None and self.n_neighbors < 1:
            raise InputError(f"n_neighbors={self.n_neighbors}: expected at least 1, or None for all")
        if not (isinstance(self.alpha, int) and self.alpha >= 1):
            raise InputError(f"alpha={self.alpha}: expected a whole number of at least 1, as 2 to 4")
        if not 0 < self.tol < 1:
            raise InputError(f"tol={self.tol}: expected a number between 0 and 1")
        if self.max_iter < 1:
            raise InputError(f"max_iter={self.max_iter}: expected at least 1")

    @property
    def varies_with_k(self) -> bool:
        return False

    def build(self, X: Any, *, n_clusters: int, weights: Array | None = None) -> LowRankEvidence:
        X = complete(X, self.name)
        n, what = len(X), "the low-rank affinity"
        if self.n_neighbors is None:
            require_pairs(n, what, SPARSE, copies=2)
        rank = min(X.shape)
        each = 3 * ROWS + 4 * rank + (8 * rank if self.errors == "outliers" else 0) + 6 * (self.n_neighbors or 0)
        require_memory(8 * n * each, f"{what} of {n:,} items", SPARSE)
        lift = Lift.of(X) if self.affine else None
        items = Coordinates.of(self._placed(X, lift))
        Z = self._representation(items)
        if Z.open:
            warnings.warn(
                f"the low-rank representation misses its equations by {Z.open:.1e} after {self.max_iter:,} rounds "
                f"(tol={self.tol:g}); raise max_iter",
                ConvergenceWarning,
                stacklevel=2,
            )
        inverse = items.U / items.s
        first = items.V @ (Z.left * Z.values)
        if self.weights == "power":
            root = Z.left * np.sqrt(Z.values)
            return LowRankEvidence.of(self, lift, inverse @ root, unit_rows(items.V @ root))
        # |m_i . h_j| + |m_j . h_i| with Z = M H^T: both maps beside each other.
        second = np.ascontiguousarray((Z.right @ items.V).T)
        maps = np.hstack([inverse @ (Z.left * Z.values), inverse @ second])
        return LowRankEvidence.of(self, lift, maps, np.hstack([first, Z.right.T]))

    def _placed(self, X: Array, lift: Lift | None) -> Array:
        """Items as the representation sees them."""
        if lift is not None:
            X = lift(X)
        scaled = not self.affine if self.unit_length is None else self.unit_length
        return unit_rows(X) if scaled else X

    def _representation(self, items: Coordinates) -> Representation:
        price = PRICES[self.errors] if self.price is None else self.price
        if self.errors == "noise":
            return noisy(items, price)
        if self.errors == "outliers":
            limits = price, self.tol, self.max_iter
            found: Any = lasting(lambda: tuple(outliers(items, *limits)), "representation", *limits, items)
            return Representation(*found)
        return shape(items)

    def restore(self, state: dict[str, Array]) -> LowRankEvidence:
        lift = Lift(state["centre"], float(state["length"])) if self.affine else None
        if lift is not None and not lift.length > 0:
            raise InputError(f"the length of the lift is {lift.length}, expected a positive number")
        return LowRankEvidence(self, lift, state["map"], state["images"], float(state["own"]), state.get("least"))


class LowRankEvidence(Evidence):
    """Images of the fitted items, the map that makes those of new ones, and the least affinity that each item keeps."""

    def __init__(
        self,
        builder: LowRankRepresentation,
        lift: Lift | None,
        to_images: Array,
        images: Array,
        own: float,
        least: Array | None,
    ) -> None:
        self._builder, self._lift = builder, lift
        self._map, self._images, self._least = to_images, images, least
        self.row_size = len(images) + images.shape[1]
        self.self_affinity = own

    @classmethod
    def of(cls, builder: LowRankRepresentation, lift: Lift | None, to_images: Array, images: Array) -> LowRankEvidence:
        """Make the evidence, and the affinity of the fitted items with it."""
        evidence = cls(builder, lift, to_images, images, 1.0, None)
        evidence.affinity = evidence._largest() if builder.n_neighbors is not None else evidence._all()
        evidence.self_affinity = float(evidence.affinity.diagonal().mean())
        return evidence

    def rows(self, X: Any) -> Any:
        X = self._builder._placed(np.asarray(X, dtype=np.float64), self._lift)
        # Row by row, so that rounding does not depend on how many rows came together.
        images = np.array([x @ self._map for x in X]).reshape(len(X), -1)
        if self._builder.weights == "power":
            images = unit_rows(images)
        rows = np.array([self.row(image) for image in images]).reshape(len(X), len(self._images))
        if self._least is None:
            return rows
        seen = rows.max(axis=1) >= SAME if self._builder.weights == "power" else np.zeros(len(rows), dtype=bool)
        q = min(int(self._builder.n_neighbors or 0), rows.shape[1] - 1)
        for row, itself in zip(rows, seen, strict=True):
            place = max(q + int(itself), 1)
            enough = np.minimum(np.partition(row, -place)[-place], self._least)
            row[row < enough * SAME] = 0.0
        return sp.csr_array(rows)

    def row(self, image: Array) -> Array:
        """Return affinities of one image, or of many, to the fitted items."""
        if self._builder.weights == "power":
            return np.asarray((image @ self._images.T) ** (2 * self._builder.alpha))
        half = self._images.shape[1] // 2
        there = np.abs(image[..., :half] @ self._images[:, half:].T)
        return np.asarray(there + np.abs(image[..., half:] @ self._images[:, :half].T))

    def state(self) -> dict[str, Array]:
        own = {"map": self._map, "images": self._images, "own": np.array(self.self_affinity)}
        if self._lift is not None:
            own |= {"centre": self._lift.centre, "length": np.array(self._lift.length)}
        return own if self._least is None else {**own, "least": self._least}

    def _all(self) -> DenseAffinity:
        n = len(self._images)
        P = np.empty((n, n))
        for low, high in row_bounds(n, ROWS):
            P[low:high] = self.row(self._images[low:high])
        P += P.T.copy()
        P *= 0.5
        if self._builder.weights == "power":
            P[np.diag_indices(n)] = 1.0
            np.minimum(P, 1.0, out=P)
        return DenseAffinity(P)

    def _largest(self) -> SparseAffinity:
        """Each item's q largest affinities to others, and those to which it is one of the q."""
        n = len(self._images)
        q = min(int(self._builder.n_neighbors or 0), n - 1)
        index, values = np.zeros((n, q), dtype=np.intp), np.zeros((n, q))
        diagonal = np.ones(n)
        for low, high in row_bounds(n, ROWS):
            part, place = self.row(self._images[low:high]), np.arange(high - low)
            if self._builder.weights == "power":
                np.minimum(part, 1.0, out=part)
            else:
                diagonal[low:high] = part[place, low + place]
            part[place, low + place] = -1.0
            if q:
                index[low:high] = np.argpartition(part, n - q, axis=1)[:, n - q :]
                values[low:high] = np.take_along_axis(part, index[low:high], axis=1)
        self._least = values.min(axis=1) if q else np.ones(n)
        self._least[self._least <= 0] = np.inf  # fewer than q: no new item is among them by being zero
        kept = sp.csr_array((values.ravel(), index.ravel(), q * np.arange(n + 1)), shape=(n, n))
        kept.eliminate_zeros()
        kept.sort_indices()
        return SparseAffinity(kept.maximum(sp.csr_array(kept.T)) + sp.diags_array(diagonal))


# Affine subspaces as subspaces through the origin: items get one more coordinate, the same for all.
#
# An affine subspace of dimension d is then the cut of a linear one of dimension d + 1. Items are centred and scaled
# together to a mean square length of one first, so that the coordinate of one weighs as much as the others together
# and nothing depends on where the origin is or on the unit.


@dataclass(frozen=True, eq=False)
class Lift:
    """x -> ((x - centre) / length, 1).

    >>> Lift.of(np.array([[0.0, 2.0], [0.0, 6.0]]))(np.array([[0.0, 4.0], [2.0, 4.0]])).tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0]]
    """

    centre: Array
    length: float

    @classmethod
    def of(cls, X: Array) -> Lift:
        """Fit the lift to the items; its length is one where all of them are the same."""
        centre = X.mean(axis=0)
        size = float(np.abs(X - centre).max(initial=0.0)) or 1.0  # squares neither overflow nor vanish
        length = size * float(np.sqrt((((X - centre) / size) ** 2).sum(axis=1).mean()))
        return cls(centre, length or 1.0)

    def __call__(self, X: Array) -> Array:
        return np.column_stack([(X - self.centre) / self.length, np.ones(len(X))])
