"""Packages of the extras: a test that uses one where it is not installed is skipped, its neighbours are not."""

import importlib
from typing import Any

import pytest

__all__ = ["optional"]


class _Missing:
    """Stands for a package that is not there."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        pytest.skip(f"{self._name} is not installed")


def optional(name: str) -> Any:
    """The package, or what skips every test that asks anything of it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return _Missing(name)
