"""The interface of the papers' competitors: evidence in, labels out, and the source of each.

A baseline is frozen settings. `cluster` is one run with its own random start, which is what the papers' tables average;
`n_init` starts keep the best by the method's own objective. What does not depend on the random stream (an affinity, its
eigenvectors, a neighbour graph) is made once for each `BaselineEvidence` and kept there, so that twenty runs pay for it
once.

Rows are taken as they are: copies are items of their own, as in the papers, and not merged as our estimators do. A new
baseline is one file: subclass `Baseline`, give it a name, and `tests/contract/test_baseline.py` checks it.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from partita.affinity import Affinity, Builder, RelativeDistance, as_affinity
from partita.arrays import Array, Labels
from partita.errors import InputError
from partita.registry import Named, enrol, made

__all__ = ["AffinityBaseline", "Baseline", "BaselineEvidence", "BaselineResult", "baseline", "seed_of", "shares"]

Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class BaselineEvidence:
    """Features, an affinity, or both, of the same N items; checked here.

    Parameters
    ----------
    features : N x d array, optional
        Finite numbers.
    affinity : N x N array, scipy.sparse matrix or Affinity, optional
        Nonnegative and symmetric; held as an `Affinity`. Baselines that take affinities use it as it is.

    Raises
    ------
    InputError
        For neither of the two, entries that are not finite, or different numbers of items.

    Examples
    --------
    >>> BaselineEvidence(features=[[0.0, 1.0], [2.0, 3.0]]).n_items
    2
    """

    features: Any = None
    affinity: Any = None
    _kept: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.features is None and self.affinity is None:
            raise InputError("no evidence: expected features (N x d), an affinity (N x N), or both")
        if self.features is not None:
            object.__setattr__(self, "features", _as_features(self.features))
        if self.affinity is not None:
            object.__setattr__(self, "affinity", as_affinity(self.affinity))
        if self.features is not None and self.affinity is not None and len(self.features) != self.affinity.n_items:
            raise InputError(
                f"features are of {len(self.features)} items and the affinity of {self.affinity.n_items}: expected the "
                "same items in the same order"
            )

    @property
    def n_items(self) -> int:
        """Number of items N."""
        return len(self.features) if self.features is not None else int(self.affinity.n_items)

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what `make` gives, called once for each `key`; it must not depend on a random stream."""
        if key not in self._kept:
            self._kept[key] = make()
        kept: Made = self._kept[key]
        return kept


@dataclass(frozen=True, eq=False)
class BaselineResult:
    """Result of one run.

    Attributes
    ----------
    labels : array of N int64
        0..K-1, of which some may be empty; a method with a number of its own has as many as it finds.
    membership : N x K array, or None
        Rows on the simplex, where the method is soft; labels are its argmax.
    converged : bool
        Whether the method met its own criterion before its last iteration.
    note : str
        Note of what had to be done that the settings do not say; empty otherwise.
    """

    labels: Labels
    membership: Array | None
    converged: bool = True
    note: str = ""


class Baseline(Named, ABC):
    """Frozen settings of one competitor.

    Class attributes
    ----------------
    name, idea : the name in tables, and the method in a few words
    source : who published it, and which library runs it
    left_open : what the paper that compares with it does not say, and what is chosen here; one choice for all sets
    requires : "features", or "affinity" (built by the baseline's own settings where only features are given)
    random : whether the random stream has a part in the answer
    own_number : whether it finds its own number of clusters
    """

    name: ClassVar[str]
    idea: ClassVar[str]
    source: ClassVar[str]
    left_open: ClassVar[str]
    requires: ClassVar[Literal["features", "affinity"]]
    random: ClassVar[bool] = True
    own_number: ClassVar[bool] = False
    registry: ClassVar[dict[str, type[Baseline]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" in cls.__dict__:  # a subclass under its parent's name does not take its place
            enrol(Baseline.registry, cls)

    def __post_init__(self) -> None:
        for name, value in self.settings().items():
            if name in ("n_init", "max_iter", "n_neighbors", "min_cluster_size") and not (
                isinstance(value, (int, np.integer)) and value >= 1
            ):
                raise InputError(f"{self.name}: {name}={value!r}, expected a whole number of at least 1")
            if name in ("tol", "penalty", "ridge") and not (isinstance(value, (int, float)) and 0 <= value < np.inf):
                raise InputError(f"{self.name}: {name}={value!r}, expected a finite number of at least 0")

    def cluster(self, evidence: BaselineEvidence, n_clusters: int, rng: np.random.Generator) -> BaselineResult:
        """Return one run.

        Parameters
        ----------
        evidence : BaselineEvidence
        n_clusters : int
            K, 1..N; a hint to a method with a number of its own.
        rng : numpy.random.Generator
            Its start, and nothing else, is drawn from it.

        Raises
        ------
        InputError
            For evidence that lacks what the method requires, or K out of range.
        MemoryLimitError
            Where N x N numbers would not fit.
        """
        if self.requires == "features" and evidence.features is None:
            raise InputError(f"{self.name} clusters the rows of a feature table, and only an affinity was given")
        n = evidence.n_items
        if not isinstance(n_clusters, (int, np.integer)) or not 1 <= n_clusters <= n:
            raise InputError(f"n_clusters={n_clusters!r}: expected a whole number from 1 to the {n} items given")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # it is in the result
            return self._cluster(evidence, int(n_clusters), rng)

    @abstractmethod
    def _cluster(self, evidence: BaselineEvidence, n_clusters: int, rng: np.random.Generator) -> BaselineResult:
        """One run on evidence that has been checked."""


@dataclass(frozen=True)
class AffinityBaseline(Baseline):
    """A competitor that clusters an affinity: the one given, or the one that its builder makes of the features.

    Parameters
    ----------
    affinity : Builder, or its config
        By default the affinity of [zhao2015] with its n = 10 and c = 1: where all methods of a table share it, they
        differ in method alone.
    """

    requires = "affinity"

    affinity: Builder = RelativeDistance()  # noqa: RUF009 - frozen

    def __post_init__(self) -> None:
        if isinstance(self.affinity, Mapping):
            object.__setattr__(self, "affinity", Builder.from_config(dict(self.affinity)))
        if not isinstance(self.affinity, Builder) or self.affinity.pairwise:
            raise InputError(
                f"{self.name}: affinity={self.affinity!r}: expected a builder that takes features, such as "
                "RelativeDistance(); an affinity at hand goes into BaselineEvidence(affinity=...)"
            )
        super().__post_init__()

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "affinity": self.affinity.config()}

    def affinity_of(self, evidence: BaselineEvidence, n_clusters: int) -> Affinity:
        """Return the affinity given, or what the builder makes of the features."""
        if evidence.affinity is not None:
            given: Affinity = evidence.affinity
            return given
        key = ("affinity", repr(self.affinity), n_clusters)
        return evidence.once(key, lambda: self.affinity.build(evidence.features, n_clusters=n_clusters).affinity)


def baseline(given: str | Baseline | dict[str, Any]) -> Baseline:
    """Return a baseline from its name, its config, or itself.

    >>> baseline("k-means").config()
    {'name': 'k-means', 'n_init': 1, 'max_iter': 300}
    >>> baseline({"name": "fuzzy-c-means", "fuzzifier": 1.5}).fuzzifier
    1.5

    Raises
    ------
    InputError
        For a name that no baseline has, or unknown settings.
    """
    return made(Baseline, given, "baseline")  # type: ignore[type-abstract]


def seed_of(rng: np.random.Generator) -> int:
    """Return a seed for a library that takes no generator."""
    return int(rng.integers(2**31 - 1))


def shares(factor: Array) -> Array:
    """Return each row of a nonnegative factor divided by its sum; a row of zeros is uniform.

    >>> shares(np.array([[1.0, 3.0], [0.0, 0.0]])).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    """
    top = factor.max(axis=1, keepdims=True)
    scaled = np.divide(factor, top, out=np.ones_like(factor), where=top > 0)  # no sum of denormals
    return np.asarray(scaled / scaled.sum(axis=1, keepdims=True))


def _as_features(given: Any) -> Array:
    try:
        X = np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"features must be numbers, items in rows: {error}") from error
    if X.ndim != 2 or 0 in X.shape:
        raise InputError(f"features have shape {X.shape}: expected items in rows and at least one feature")
    if not np.isfinite(X).all():
        i, j = np.argwhere(~np.isfinite(X))[0]
        raise InputError(f"features[{i}, {j}] = {X[i, j]}: a baseline needs every number; remove the row or fill it in")
    return X
