"""Partita: from pairwise evidence to memberships. Which items belong together, and how surely?"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from partita import affinity, metrics
    from partita.estimators import (
        BaumEagon,
        CopositiveFactorization,
        KernelKMeans,
        SoF,
        SoftClustering,
        SpectralRelaxation,
        SymNMF,
    )
    from partita.io.estimators import load, save

__version__ = "0.1.0"

__all__ = [
    "BaumEagon",
    "CopositiveFactorization",
    "KernelKMeans",
    "SoF",
    "SoftClustering",
    "SpectralRelaxation",
    "SymNMF",
    "__version__",
    "affinity",
    "load",
    "metrics",
    "save",
]

# Where the names live. They are imported when first asked for: the command line shows its help, and takes a Ctrl-C,
# without waiting for SciPy.
_HOMES = {
    "BaumEagon": "partita.estimators",
    "CopositiveFactorization": "partita.estimators",
    "KernelKMeans": "partita.estimators",
    "SoF": "partita.estimators",
    "SoftClustering": "partita.estimators",
    "SpectralRelaxation": "partita.estimators",
    "SymNMF": "partita.estimators",
    "load": "partita.io.estimators",
    "save": "partita.io.estimators",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in __all__:
        return import_module(f"partita.{name}")
    raise AttributeError(f"module 'partita' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
