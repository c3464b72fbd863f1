"""Sparse subspace clustering: an item is written with few others, and those lie in its own subspace [elhamifar2013].

    min_C  ||C||_1 + ridge / 2 ||C||_F^2 + lambda_z / 2 ||X - X C||_F^2 + lambda_e ||E||_1
           diag(C) = 0, and 1^T C = 1^T if affine

    lambda_z = alpha / mu_z,  mu_z = max_{j != i} |x_i . x_j|, of each item or the least of all       items are columns
    lambda_e = alpha_e / mu_e,  mu_e = min_i max_{j != i} ||x_j||_1       X C + E in the place of X C, if asked for

P = |C| + |C|^T off the diagonal, after each code was scaled so that its largest entry is one; P_ii = 1. Each item's
problem is an elastic net of its own (`lasso`) [you2016]; gross errors are d more atoms, the unit vectors over lambda_e
and without ridge. P is sparse and N x N is never made.

Without the ridge, SSC as [elhamifar2013] has it, a code has at most d entries and hardly one leads out of the subspace,
but the graph of a subspace of few dimensions is disconnected, or nearly: its items are a ring, each written with the
one or two that lie next to it. The ridge divides a code among all that are alike and so joins the ring, for some more
links between subspaces.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from partita.affinity.base import Affinity
from partita.affinity.evidence import Builder, Evidence
from partita.affinity.from_subspace.codes import (
    check_share,
    largest_correlations,
    same_rows,
    strengths,
    two_way,
    unit_rows,
    with_itself,
)
from partita.affinity.from_subspace.lasso import BLOCK, Lasso
from partita.affinity.from_subspace.nuclear_norm import Coordinates, noisy
from partita.affinity.landmark_choice import complete
from partita.affinity.sparse import SparseAffinity
from partita.arrays import Array
from partita.errors import InputError
from partita.kernels.threads import n_threads
from partita.memory import require_memory
from partita.scope import lasting
from partita.shapes import reals

__all__ = ["SparseSubspace", "SparseSubspaceEvidence"]

Space = Literal["features", "low-rank"]

# Arrays of a block of codes while it is solved.
ARRAYS = 8
# Price of noise against rank of the low-rank coordinates, as `lrr` has it.
TAU = 100.0


@dataclass(frozen=True)
class SparseSubspace(Builder):
    """Affinity of items that lie near a union of subspaces, from sparse codes by elastic net or LASSO.

    Parameters
    ----------
    alpha : float
        lambda_z in units of its least useful value: with alpha of at most 1 some code is empty. Larger follows the
        items more closely, noise included; [elhamifar2013] takes 800 for motions and 20 for faces, without ridge.
    ridge : float
        Ridge of the elastic net, at least 0. Zero is SSC as [elhamifar2013] has it: few links between subspaces, and
        groups of few dimensions nearly disconnected. Larger joins the items of a group better; codes have more entries.
    per_item : bool
        mu_z is each item's own, max_j |x_i . x_j|, and not the least of all of them.
    coordinates : {"features", "low-rank"}
        Coordinates in which items are written: the items themselves, or the rows of U sqrt(1 - 1 / (100 s^2)), their
        coordinates in the noisy low-rank representation (`LowRankRepresentation`), in which all directions
        that stand out of the noise count alike.
    affine : bool
        The subspaces need not pass through the origin: the entries of a code sum to one.
    outliers : float, optional
        alpha_e, more than 1: an item may have gross errors in a few features. None: none are looked for.
    keep : float
        Share of a code's sum that its largest entries must make up; the rest is dropped.
    power : float
        P = |C|^p + (|C|^p)^T: more than 1 favours the largest entries of a code, which are the ones from its own
        subspace where subspaces are many or near each other (`benchmarks/subspace.py`).
    unit_length : bool, optional
        Items are scaled to length one first, as [li2014] does; their lengths then say nothing. None: unless `affine`,
        as a flat that misses the origin is no flat when its items are scaled.
    tol : float
        As `Lasso` takes it.
    max_iter : int
        Rounds of ADMM at most.

    Raises
    ------
    InputError
        For an option out of its range, for low-rank coordinates together with `affine` or `outliers`, and for items
        with missing features.
    MemoryLimitError
        Where a block of codes would not fit.

    Notes
    -----
    The default was chosen for SCAMS on the two tests of [li2014] (`partita reproduce scams-figure2`): with K unknown,
    it finds the groups at every noise up to .5 and every K from 1 to 12, as do alpha = 6, ridge = 3 and 8. Without
    ridge a group of two dimensions is disconnected (K = 1 to 3), and noise of .5 hides all groups. Spectral
    clustering that is told K does as well without ridge. On faces the low-rank coordinates, with alpha = 3, are far
    better than the features; under uniform noise they are worse, as noise then has directions of its own.

    Cost: 4 N^2 r multiplications a round, r the rank of X, and 30 to 500 rounds; 600 items of 50 dimensions take less
    than half a second on one thread. A new item costs as much as a fitted one. An item of zeros, or orthogonal to all
    others, has no affinity to any other. Weights of items are not used: copies would write each other.

    References
    ----------
    [elhamifar2013] E. Elhamifar, R. Vidal, Sparse subspace clustering: algorithm, theory, and applications, IEEE TPAMI
    35, 2013.
    [you2016] C. You, C.-G. Li, D. P. Robinson, R. Vidal, Oracle based active set algorithm for scalable elastic net
    subspace clustering, CVPR 2016.

    [li2014] Z. Li, L.-F. Cheong, S. Z. Zhou, SCAMS: simultaneous clustering and model selection, CVPR 2014.

    Examples
    --------
    Two lines through the origin:

    >>> X = np.array([[1.0, 0.0], [2.0, 0.1], [-1.0, 0.0], [0.0, 1.0], [0.1, -2.0], [0.0, 3.0]])
    >>> P = SparseSubspace().build(X, n_clusters=2).affinity.to_dense()
    >>> bool(P[:3, 3:].max() < 0.1), bool(P[0, 2] > 0.9)
    (True, True)
    """

    name = "ssc"
    stored: ClassVar = {"items": reals("n", None), "least": reals(), "weight": reals(), "map": reals(None, None)}

    alpha: float = 10.0
    ridge: float = 5.0
    per_item: bool = True
    coordinates: Space = "features"
    affine: bool = False
    outliers: float | None = None
    keep: float = 1.0
    power: float = 1.0
    unit_length: bool | None = None
    tol: float = 1e-6
    max_iter: int = 2000

    def __post_init__(self) -> None:
        if not 0 < self.alpha < np.inf:
            raise InputError(f"alpha={self.alpha}: expected a positive number, as 10 or 800")
        if not 0 <= self.ridge < np.inf:
            raise InputError(f"ridge={self.ridge}: expected a number of at least 0, as 5; 0 is the LASSO")
        if self.coordinates not in get_args(Space):
            raise InputError(f"coordinates={self.coordinates!r}: expected 'features' or 'low-rank'")
        if self.coordinates == "low-rank" and (self.affine or self.outliers is not None or self.unit_length is False):
            raise InputError(
                "coordinates='low-rank' are of subspaces through the origin, of items of length one, and have no "
                "single features to be wrong in: leave out affine, outliers and unit_length=False, or take "
                "coordinates='features'"
            )
        if self.outliers is not None and not 0 < self.outliers < np.inf:
            raise InputError(f"outliers={self.outliers}: expected a positive number, as 20, or None")
        check_share("keep", self.keep)
        if not 0 < self.power < np.inf:
            raise InputError(f"power={self.power}: expected a positive number, as 1 or 2")
        if not 0 < self.tol < 1:
            raise InputError(f"tol={self.tol}: expected a number between 0 and 1")
        if self.max_iter < 1:
            raise InputError(f"max_iter={self.max_iter}: expected at least 1")

    @property
    def scales(self) -> bool:
        """Return whether items are scaled to length one."""
        return not self.affine if self.unit_length is None else self.unit_length

    @property
    def varies_with_k(self) -> bool:
        return False

    def build(self, X: Any, *, n_clusters: int, weights: Array | None = None) -> SparseSubspaceEvidence:
        X = complete(X, self.name)
        items = unit_rows(X) if self.scales else X
        to_items = None
        if self.coordinates == "low-rank":
            directions = Coordinates.of(items)
            Z = noisy(directions, TAU)
            root = Z.left * np.sqrt(Z.values)
            to_items = (directions.U / directions.s) @ root
            items = _mapped(items, to_items)
        own = np.arange(len(items))
        mu = largest_correlations(items, items, own)
        seen = mu[mu > 0]
        least = float(seen.min()) if len(seen) else 1.0
        weight = 0.0
        if self.outliers is not None:
            sums = np.sort(np.abs(items).sum(axis=1))[::-1]
            weight = self.outliers / float(sums[min(1, len(sums) - 1)] or 1.0)
        evidence = SparseSubspaceEvidence(self, items, least, weight, to_items, None)
        P = SparseAffinity(with_itself(two_way(evidence.strengths(items, own, mu))))
        return SparseSubspaceEvidence(self, items, least, weight, to_items, P)

    def restore(self, state: dict[str, Array]) -> SparseSubspaceEvidence:
        numbers = float(state["least"]), float(state["weight"])
        return SparseSubspaceEvidence(self, state["items"], *numbers, state.get("map"), None)


class SparseSubspaceEvidence(Evidence):
    """Codes of items over the fitted ones; a new item's affinity is taken to be the same in both directions."""

    def __init__(
        self,
        builder: SparseSubspace,
        items: Array,
        least: float,
        weight: float,
        to_items: Array | None,
        affinity: Affinity | None,
    ) -> None:
        self._builder, self._items, self._least, self._weight = builder, items, least, weight
        self._map = to_items
        self.row_size = ARRAYS * len(items)
        if affinity is not None:
            self.affinity = affinity

    def rows(self, X: Any) -> sp.csr_array:
        X = np.asarray(X, dtype=np.float64)
        if self._builder.scales:
            X = unit_rows(X)
        if self._map is not None:
            X = _mapped(X, self._map)
        own = same_rows(X, self._items)
        rows = 2.0 * self.strengths(X, own, largest_correlations(X, self._items, own))
        return with_itself(rows, own)

    def strengths(self, X: Array, own: Any, mu: Array) -> sp.csr_array:
        """Return scaled absolute codes of X over the fitted items; `mu` are its largest correlations with them."""
        builder, n, d = self._builder, *self._items.shape
        each = (ARRAYS * BLOCK * n_threads() + min(n, d + 1)) * 8
        require_memory(
            each * (n + d),
            f"a block of codes over {n:,} items",
            "use matching pursuit: affinity='ssc-omp' (command line: --affinity ssc-omp)",
        )
        atoms = np.vstack([self._items, np.eye(d) / self._weight]) if self._weight else self._items
        ridge = np.where(np.arange(len(atoms)) < n, builder.ridge, 0.0)
        solver = Lasso(atoms, n if builder.affine else 0, ridge, builder.tol, builder.max_iter)
        tau = (np.where(mu > 0, mu, self._least) if builder.per_item else np.full(len(X), self._least)) / builder.alpha
        some = np.flatnonzero((mu > 0) | builder.affine) if n > 1 or (own < 0).all() else np.empty(0, dtype=np.intp)

        def codes_of() -> tuple[sp.csr_array, int]:
            found = solver.codes(X[some], tau[some], own[some])
            return sp.csr_array(found.matrix[:, :n]), found.n_open

        codes, n_open = lasting(codes_of, "codes", builder.config(), atoms, ridge, X, tau, own, some)
        if n_open:
            warnings.warn(
                f"{n_open} of {len(X):,} codes did not reach tol={builder.tol:g} in {builder.max_iter:,} rounds; "
                "raise max_iter, or lower alpha",
                ConvergenceWarning,
                stacklevel=2,
            )
        pointer = np.zeros(len(X) + 1, dtype=np.intp)
        pointer[some + 1] = np.diff(codes.indptr)
        whole = sp.csr_array((codes.data, codes.indices, np.cumsum(pointer)), shape=(len(X), n))
        return strengths(whole, builder.keep, builder.power)

    def state(self) -> dict[str, Array]:
        state = {"items": self._items, "least": np.array(self._least), "weight": np.array(self._weight)}
        return state if self._map is None else {**state, "map": self._map}


def _mapped(X: Array, to_items: Array) -> Array:
    """Row by row, so that the bits of a row do not depend on how many came together."""
    return unit_rows(np.array([x @ to_items for x in X]).reshape(len(X), to_items.shape[1]))
