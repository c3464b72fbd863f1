"""Packages of the extras: a test that uses one where it is not installed is skipped, its neighbours are not."""

from typing import Any

import pytest

__all__ = ["optional"]


class _Package:
    """Stands for a package, which is imported when a test first asks anything of it, or skips the test."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(pytest.importorskip(self._name), attribute)


def optional(name: str) -> Any:
    """The package, or what skips every test that asks anything of it."""
    return _Package(name)
