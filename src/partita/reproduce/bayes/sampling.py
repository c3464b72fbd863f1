"""Steps of [bayes-nmf] section 5.1.1 before any factorization: one chain, its similarity matrix, four conventional
partitions, and scores against the truth.

One chain, as in the paper, so that figures compare: Partita's own default has four and compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from partita.arrays import Array, Labels
from partita.reproduce.experiment import Numbers, Size

if TYPE_CHECKING:
    from partita.mixture.priors import ComponentPrior
    from partita.partition import MethodResult, PartitionDraws

__all__ = [
    "CHOICES",
    "SETTINGS",
    "clusters_written",
    "conventional",
    "literal_prior",
    "paper_chain",
    "scores",
    "settings_of",
]


SETTINGS: dict[str, Any] = {"burn_in": 5000, "draws": 10_000, "largest_K": 12, "max_iter": 2000, "divided": 1}
"""Sweeps before the first draw and after, the largest K of a factorization, its iterations at most, and by
what the sizes of simulated groups are divided."""
SMALLEST: dict[str, Any] = {"burn_in": 40, "draws": 80, "largest_K": 3, "max_iter": 20, "divided": 5}

CHOICES = (
    "Prior: PReMiuM's default as it is coded, precision ~ Wishart(C^-1 / d, d) and mean ~ N(average, diag(range^2)); "
    "the printed text, InvWishart(C^-1 / 2, 2) and diag(range), has the wrong units. Concentration ~ Gamma(2, 1), "
    "which the paper does not say.",
    "Chain: one, begun at 30 clusters of k-means; the paper does not say what its chains begin at. The table of "
    "chains of bayes-nmf-table3 has other starts.",
)


def settings_of(size: Size) -> dict[str, Any]:
    """Return settings that decide a cell's numbers: the paper's, or the least that walk through every line."""
    return dict(SMALLEST if size == "smoke" else SETTINGS)


def paper_chain(
    X: Array,
    seed: int,
    settings: Mapping[str, Any],
    *,
    start: str = "kmeans",
    prior: str | ComponentPrior = "paper",
) -> PartitionDraws:
    """Return draws of one chain, with the burn-in and length of the paper."""
    from partita.mixture import sample_partitions
    from partita.partition import PartitionDraws

    sampled = sample_partitions(
        X,
        prior=prior,
        n_chains=1,
        n_draws=settings["draws"],
        burn_in=settings["burn_in"],
        start=start,
        seed=seed,
        n_jobs=1,
    )
    return PartitionDraws.of(sampled.labels)


def literal_prior(X: Array) -> ComponentPrior:
    """Return the prior as it is printed: InvWishart(C^-1 / 2, 2) and means with covariance diag(range)."""
    from partita.mixture import IndependentNormalInverseWishart

    return IndependentNormalInverseWishart(
        degrees_of_freedom=float(X.shape[1]),
        scale=np.linalg.inv(np.cov(X, rowvar=False)) / 2,
        mean_covariance=np.diag(np.ptp(X, axis=0)),
    )


def conventional(draws: PartitionDraws) -> dict[str, Labels]:
    """Return MinBinder, MaxPEAR and MinVI over the cuts of average linkage.

    Complete linkage cut at .99 [bayes-nmf, 5.1.1].
    """
    from partita.partition.methods import max_pear, medvedovic, min_binder, min_vi

    methods: dict[str, Callable[..., MethodResult]] = {
        "MinBinder": min_binder,
        "MaxPEAR": max_pear,
        "MinVI": min_vi,
        "Medvedovic": medvedovic,
    }
    return {name: np.asarray(method(draws).labels) for name, method in methods.items()}


def scores(labels: Any, truth: Labels) -> Numbers:
    """Return Rand, adjusted Rand, VI in bits, and the number of clusters.

    >>> scores([0, 0, 1, 1], np.array([1, 1, 0, 0]))
    {'rand': 1.0, 'adjusted_rand': 1.0, 'vi': 0.0, 'n_clusters': 2}
    """
    from partita.metrics import adjusted_rand_index, rand_index, variation_of_information

    return {
        "rand": float(rand_index(labels, truth)),
        "adjusted_rand": float(adjusted_rand_index(labels, truth)),
        "vi": float(variation_of_information(labels, truth)),
        "n_clusters": len(np.unique(labels)),
    }


def clusters_written(labels: Any) -> str:
    """Return clusters as ranges of items counted from 1, by their first item.

    >>> clusters_written([0, 0, 1, 0, 1])
    '1-2,4 3,5'
    """
    given, parts = np.asarray(labels), []
    for k in sorted(np.unique(given), key=lambda k: int(np.argmax(given == k))):
        items = np.flatnonzero(given == k) + 1
        runs = np.split(items, np.flatnonzero(np.diff(items) > 1) + 1)
        parts.append(",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs))
    return " ".join(parts)
