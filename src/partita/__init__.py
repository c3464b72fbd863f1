"""Partita: from pairwise evidence to memberships. Which items belong together, and how surely?"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from partita import affinity, metrics
    from partita.estimators import (
        SCAMS,
        BaumEagon,
        BayesianPartition,
        CopositiveFactorization,
        DPGaussianMixture,
        KernelKMeans,
        SoF,
        SoftClustering,
        SpectralRelaxation,
        SymNMF,
    )
    from partita.io.estimators import load, save
    from partita.partition.expected import expected_loss, partition_distance
    from partita.partition.similarity import posterior_similarity

__version__ = "0.2.0.dev0"

__all__ = [
    "SCAMS",
    "BaumEagon",
    "BayesianPartition",
    "CopositiveFactorization",
    "DPGaussianMixture",
    "KernelKMeans",
    "SoF",
    "SoftClustering",
    "SpectralRelaxation",
    "SymNMF",
    "__version__",
    "affinity",
    "expected_loss",
    "load",
    "metrics",
    "partition_distance",
    "posterior_similarity",
    "save",
]

# Where the names live. They are imported when first asked for: the command line shows its help, and takes a Ctrl-C,
# without waiting for SciPy.
_HOMES = {
    "SCAMS": "partita.estimators",
    "BaumEagon": "partita.estimators",
    "BayesianPartition": "partita.estimators",
    "CopositiveFactorization": "partita.estimators",
    "DPGaussianMixture": "partita.estimators",
    "KernelKMeans": "partita.estimators",
    "SoF": "partita.estimators",
    "SoftClustering": "partita.estimators",
    "SpectralRelaxation": "partita.estimators",
    "SymNMF": "partita.estimators",
    "expected_loss": "partita.partition.expected",
    "load": "partita.io.estimators",
    "partition_distance": "partita.partition.expected",
    "posterior_similarity": "partita.partition.similarity",
    "save": "partita.io.estimators",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in __all__:
        return import_module(f"partita.{name}")
    raise AttributeError(f"module 'partita' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
