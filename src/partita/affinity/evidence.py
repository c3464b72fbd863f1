"""Evidence: an affinity among the fitted items, and the affinity of any new item to them.

A builder (`RelativeDistance`, `NeighborGraph`, `Precomputed`) is frozen configuration; `build` makes the evidence of
one set of items. What a saved model needs to score new items is `state()`: plain arrays, no code.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from partita.affinity.base import Affinity
from partita.arrays import Array
from partita.errors import InputError
from partita.registry import enrol
from partita.shapes import ArrayShape

__all__ = ["Builder", "Evidence"]


class Evidence(ABC):
    """An affinity that a builder made of one set of items, and the way to that of new items."""

    affinity: Affinity
    self_affinity: float = 1.0
    row_size: int
    """Numbers that making one new item's row takes: how many rows go into a batch follows from it."""
    notes: tuple[str, ...] = ()
    """What a person should know of how it was made."""

    @abstractmethod
    def rows(self, X: Any) -> Any:
        """Return the affinity of new items to the fitted ones, N_new x N (dense or CSR), before any normalisation."""

    def images(self, X: Any) -> Any:
        """Return what is asked of new items where no whole row is: images that rows are made of, or else their rows."""
        return self.rows(X)

    def thinned(self, most: int) -> Evidence:
        """Return evidence that takes less time for new items, by so many of the fitted ones where it can."""
        return self

    def beyond(self, X: Any) -> NDArray[np.bool_]:
        """Return which rows of features lie far outside the fitted items; none where the evidence cannot tell."""
        return np.zeros(X.shape[0], dtype=bool)

    def voices(self, labels: Any, of_row: Any) -> tuple[Any, ...] | None:
        """Return each part of the evidence compared with the labels of the items; None where it has no parts."""
        return None

    def observed(self, rows: Any) -> sp.csr_array | None:
        """Return the observed pairs among rows that `rows` made, zeros stored; None where all were observed."""
        return None

    @abstractmethod
    def state(self) -> dict[str, Array]:
        """Return the arrays from which `Builder.restore` makes this evidence again, without its affinity."""


class Builder(ABC):
    """Frozen configuration that turns items into evidence."""

    name: ClassVar[str]
    registry: ClassVar[dict[str, type[Builder]]] = {}
    pairwise: bool = False
    """Whether rows of X are affinities or distances to the same items, in the place of features."""
    metric: Any = "euclidean"
    metric_params: Any = None
    stored: ClassVar[Mapping[str, ArrayShape]] = {}
    """The arrays of its evidence's `state`, held against these before `restore` reads them; d is that of features."""
    command_options: ClassVar[Mapping[str, str]] = {}
    """The parameter that each option of `partita fit` sets (of metric, kernel, n_neighbors, n_landmarks and scale); any
    other is refused. A builder without metric takes complete features only."""
    of_distances: ClassVar[bool] = False
    """Whether the affinity is made of distances by `metric`, so that these say how many clusters there are."""
    of_draws: ClassVar[bool] = False
    """Whether the affinity is shares of clusterings: probabilities, which have no scale to learn."""
    mixed: ClassVar[bool] = False
    """Whether an estimator encodes tables for it: columns of words and missing cells, as complete rows of numbers. Such
    a builder has a field `units`, "given" for features that are in common units already."""
    units: Any = "given"
    scaled: ClassVar[bool] = False
    """Whether features whose units differ are scaled for it where the affinity and its scale are left to be chosen."""
    needs_criteria: ClassVar[bool] = True
    """Whether criteria say how many clusters there are, alone or as a prior of its consensus."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" in cls.__dict__:  # a subclass under its parent's name does not take its place
            enrol(Builder.registry, cls)

    @classmethod
    def named(cls, *, missing: str, symmetrize: str | None, seed: int) -> Builder:
        """Return the builder that an estimator's `affinity="name"` means, given its other parameters."""
        return cls()

    @property
    def varies_with_k(self) -> bool:
        """Return whether `build` depends on the number of clusters."""
        return True

    @property
    def needs_k(self) -> bool:
        """Return whether the affinity means nothing before there is a number of clusters."""
        return False

    def as_judged(self, X: Any) -> Any:
        """Return the features by which the number of clusters is judged, or the graph of a pairwise builder."""
        return X

    def order(self, X: Any) -> NDArray[np.intp] | None:
        """Return an order of the items that their pairs alone decide, of a pairwise builder; None for the given one."""
        return None

    def consensus(
        self,
        X: Array,
        bounds: tuple[int, int | None] = (1, None),
        *,
        prior: Array | None = None,
        weights: Array | None = None,
    ) -> Any:
        """Return what clusterings at many numbers of clusters agree on; None where there are no clusterings.

        `bounds` are the smallest and the largest number, `prior` holds what criteria say of 1, 2, ... clusters, which
        only a builder that `needs_criteria` takes, `weights` how often each item occurs.
        """
        return None

    def is_model_of(self, X: Array, weights: Array | None) -> bool:
        """Return whether the evidence of these items is memberships by a model of them, which need no calibration."""
        return False

    def of_consensus(self, X: Array, found: Any) -> Evidence:
        """Return the evidence that goes with a consensus of this builder's: what it builds at that number."""
        return self.build(X, n_clusters=found.n_clusters)

    @abstractmethod
    def build(self, X: Any, *, n_clusters: int, weights: Array | None = None) -> Evidence:
        """Return the evidence of the items in X (features, or an N x N matrix when `pairwise`)."""

    @abstractmethod
    def restore(self, state: dict[str, Array]) -> Evidence:
        """Return the evidence that can score new items, from `Evidence.state()`."""

    def config(self) -> dict[str, Any]:
        """Return this builder as JSON.

        Raises
        ------
        InputError
            For a metric that is a function: a saved model holds no code.
        """
        out = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        for key, value in out.items():
            if callable(value):
                raise InputError(f"{key} is a function and cannot be saved: a model folder holds numbers and no code")
        return {"name": self.name, **out}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self | Builder:
        """Return the builder that `config` described."""
        config = dict(config)
        name = config.pop("name", None)
        if name not in Builder.registry:
            raise InputError(f"unknown affinity {name!r}: expected one of {sorted(Builder.registry)}")
        kind = Builder.registry[name]
        known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
        if not set(config) <= known:
            raise InputError(f"affinity {name!r} has no option {sorted(set(config) - known)}")
        return kind(**config)


def require_fitted(n_columns: int, n_fitted: int, what: str) -> None:
    """Raise where rows of affinities or distances have not a column for each fitted item.

    Raises
    ------
    InputError
    """
    if n_columns != n_fitted:
        raise InputError(
            f"X has {n_columns} columns, expected {n_fitted}: a row of {what} from each new item to each of the "
            f"{n_fitted} fitted items"
        )


def given_rows(X: Any, n_fitted: int, what: str, *, allow_missing: bool = False) -> Any:
    """Return rows that a caller gave for new items: N_new x N, finite and nonnegative.

    NaN where missing ones are allowed.
    """
    rows: Any = sp.csr_array(X, dtype=np.float64) if sp.issparse(X) else np.atleast_2d(np.asarray(X, dtype=np.float64))
    require_fitted(rows.shape[1], n_fitted, what)
    entries: Any = rows.data if sp.issparse(rows) else rows
    finite = np.isfinite(entries) | (np.isnan(entries) if allow_missing else False)
    if not finite.all() or (entries < 0).any():
        raise InputError(
            f"the {what} of new items must be finite and nonnegative"
            + (
                ""
                if allow_missing or not np.isnan(entries).any()
                else "; NaN is one that was not observed where the fit had missing='unobserved'"
            )
        )
    return rows
