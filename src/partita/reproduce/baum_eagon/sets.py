"""The sets of [rotabulo2010] Table 1 and the similarities that are made of them.

The paper is of 2010 and does not say which similarity it takes. One rule for all features: the self-tuning Gaussian of
[zelnik2004], the standard of the time; similarities that are given stay as they are. `SIMILARITIES` has others, for the
sensitivity.

[zelnik2004] L. Zelnik-Manor, P. Perona, Self-tuning spectral clustering, NIPS 2004.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array

__all__ = [
    "FEATURES",
    "MAIN",
    "ROWS",
    "SIMILARITIES",
    "LabelledItems",
    "items",
    "kind",
    "similarities_of",
    "similarity",
]


# Rows of the table: the guesses of S-Block, which was never published, and three sets.
GUESSES = ("stochastic", "degrees", "uniform", "bernoulli", "unequal")
ROWS = {**{f"S-Block ({guess})": "S-Block" for guess in GUESSES}, "Digit": "Digit", "Iris": "Iris", "Scop": "Scop"}
FEATURES = {"Digit": "mnist_1000", "Iris": "iris"}
SCOP = "scop507"
# The guesses are drawn once, whatever the seed of a run: the paper has one set.
DRAWN = 2010


@dataclass(frozen=True, eq=False)
class LabelledItems:
    """Features, or a similarity that is given; the truth."""

    features: Array | None
    given: Array | None
    truth: NDArray[np.int64]

    @property
    def n_clusters(self) -> int:
        """Number of clusters K."""
        return int(self.truth.max()) + 1


def items(row: str) -> LabelledItems:
    """Return the items of a row of the table.

    Raises
    ------
    InputError
        If the file of a set is not there.
    """
    from partita.datasets import block_stochastic, load_dataset

    if row.startswith("S-Block"):
        guess = next(each for each in GUESSES if each in row)
        S, truth = block_stochastic(guess, np.random.default_rng(DRAWN))  # type: ignore[arg-type]
        return LabelledItems(None, S, truth)
    held = load_dataset(FEATURES.get(row, SCOP))
    assert held.truth is not None
    return LabelledItems(held.X, None, held.truth) if row in FEATURES else LabelledItems(None, held.X, held.truth)


def _self_tuning(X: Array) -> Array:
    from partita.affinity import RelativeDistance

    return np.asarray(RelativeDistance(n=7, kernel="gaussian").build(X, n_clusters=1).affinity.to_dense())


def _laplacian(X: Array) -> Array:
    from partita.affinity import RelativeDistance

    return np.asarray(RelativeDistance().build(X, n_clusters=1).affinity.to_dense())


def _gaussian(X: Array) -> Array:
    """exp(-d^2 / (2 m^2)), m the median distance of two items."""
    from scipy.spatial.distance import pdist, squareform

    distance = pdist(X)
    S: Array = squareform(np.exp(-0.5 * (distance / np.median(distance)) ** 2))
    np.fill_diagonal(S, 1.0)
    return S


def _cosine(X: Array) -> Array:
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    return np.asarray(np.maximum(unit @ unit.T, 0.0))


def _neighbours(X: Array) -> Array:
    """1 where one of two items is among the 10 nearest of the other, and for an item with itself."""
    from scipy.spatial.distance import cdist

    distance = cdist(X, X)
    nearest = np.argsort(distance, axis=1, kind="stable")[:, :11]
    S = np.zeros_like(distance)
    np.put_along_axis(S, nearest, 1.0, axis=1)
    return np.asarray(np.maximum(np.maximum(S, S.T), np.eye(len(S))))


def _as_given(S: Array) -> Array:
    return S


def _found(S: Array) -> Array:
    """1 where BLAST found the pair, 0 where it did not."""
    return (S > 0).astype(np.float64)


def _logarithm(S: Array) -> Array:
    """log(1 + S): the heavy tail drawn in."""
    return np.log1p(S)


MAIN = {"features": "self-tuning", "given": "as given"}
SIMILARITIES: dict[str, dict[str, Callable[[Array], Array]]] = {
    "features": {
        "self-tuning": _self_tuning,
        "relative, Laplacian": _laplacian,
        "Gaussian, median": _gaussian,
        "10 neighbours": _neighbours,
        "cosine": _cosine,
    },
    "given": {"as given": _as_given, "hit or not": _found, "logarithm": _logarithm},
}


def kind(row: str) -> str:
    """Return the kind of a row: "features", or "given" where its similarity is."""
    return "features" if row in FEATURES else "given"


def similarities_of(row: str) -> list[str]:
    """Return names of the similarities of a row, the main one first; the guesses of S-Block have theirs only.

    >>> similarities_of("Scop")[0], similarities_of("S-Block (uniform)")
    ('as given', ['as given'])
    """
    return list(SIMILARITIES[kind(row)])[: 1 if row.startswith("S-Block") else None]


def similarity(row: str, name: str, held: LabelledItems) -> Array:
    """Return the similarity of that name, N x N, symmetric and nonnegative."""
    given = held.features if held.given is None else held.given
    assert given is not None
    return SIMILARITIES[kind(row)][name](given)
