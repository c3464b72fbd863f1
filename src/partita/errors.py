"""Errors and warnings: each error says what was expected, what came and what to do."""

from __future__ import annotations

import importlib
from types import ModuleType

__all__ = ["InputError", "MemoryLimitError", "MissingExtraError", "ModelError", "UnsureWarning", "require"]


class InputError(ValueError):
    """The input or an option is wrong; the message says where and what to do."""


class ModelError(InputError):
    """A saved model is missing, corrupt, or not one of ours."""


class MemoryLimitError(MemoryError):
    """An array would not fit into the memory that is available; the message names the sparse way."""


class MissingExtraError(ImportError):
    """An optional package is missing; the message gives the pip command."""


class UnsureWarning(UserWarning):
    """The evidence hardly settles the answer; the message says what speaks against it, or what was lost."""


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import an optional package, or say in one sentence which extra brings it.

    >>> require("json", extra="plot", purpose="pictures").__name__
    'json'
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingExtraError(
            f"{purpose} needs {package}, which is not installed: python -m pip install 'partita[{extra}]'"
        ) from error
