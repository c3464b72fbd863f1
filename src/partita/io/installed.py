"""Versions of what a result was made with."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

__all__ = ["versions"]

PACKAGES = ("partita", "numpy", "scipy", "scikit-learn", "numba", "pynndescent", "safetensors", "matplotlib")


def versions() -> dict[str, str]:
    """Return versions of Python, the platform, Partita and its dependencies."""
    found = {"python": platform.python_version(), "platform": platform.platform()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
