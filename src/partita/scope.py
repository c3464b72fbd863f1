"""What every part of a fit can reach without being handed it: who is told how far it is, and where its work is kept.

Neither changes an answer, so neither stands in the signature of a builder, a member of an ensemble or a criterion,
those of users among them. The scope of a fit is open from its first part to its last; threads that the fit begins see
it, and two fits at a time have one each. A fit within a fit has that of the outer one, unless it opens its own.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from typing import Any, Protocol, TypeVar

import numpy as np
import scipy.sparse as sp

__all__ = ["Kept", "Scope", "key_of", "lasting", "opened", "recalled", "tell", "untold"]

T = TypeVar("T")


class Kept(Protocol):
    """Where parts of a fit outlive the process, each under a key."""

    def recall(self, key: bytes) -> Any:
        """Return what is kept under a key; None where nothing is."""

    def keep(self, key: bytes, tree: Any, seconds: float) -> None:
        """Keep what took so many seconds to make: dataclasses of arrays, numbers, words, tuples and dictionaries."""


@dataclass(frozen=True)
class Scope:
    """Scope of a fit.

    Parameters
    ----------
    tell : callable, optional
        Called with words for what is being done, how much of it is done, and how much there is.
    kept : Kept, optional
    """

    tell: Callable[[str, float, float], None] | None = None
    kept: Kept | None = None


_SCOPE: ContextVar[Scope] = ContextVar("scope of a fit", default=Scope())  # noqa: B039 - frozen


@contextmanager
def opened(scope: Scope) -> Iterator[None]:
    """Let the parts of a fit that run inside reach this scope."""
    token = _SCOPE.set(scope)
    try:
        yield
    finally:
        _SCOPE.reset(token)


@contextmanager
def untold() -> Iterator[None]:
    """Let nobody be told of the parts that run inside: they are parts of one that is told of."""
    with opened(replace(_SCOPE.get(), tell=None)):
        yield


def tell(what: str, done: float, of: float) -> None:
    """Say what is being done, how much of it is done, and how much there is, in units of any kind."""
    told = _SCOPE.get().tell
    if told is not None:
        told(what, done, of)


def recalled(*parts: Any) -> Any:
    """Return what an earlier process of the same fit kept under these parts; None where there is none."""
    kept = _SCOPE.get().kept
    key = None if kept is None else _own_key(parts)
    tree = None if kept is None or key is None else kept.recall(key)
    return None if tree is None else _revived(tree)


def lasting(make: Callable[[], T], *parts: Any, began: float | None = None) -> T:
    """Return what `make` returns, or what an earlier process of the same fit kept of it.

    Parameters
    ----------
    make : callable
        Returns a sparse matrix, or dataclasses of arrays, numbers, words, tuples and dictionaries.
    *parts : arrays, sparse matrices, numbers, words, None, and tuples, lists and mappings of these
        Everything that the outcome depends on; an object by what its method `identity` returns. With anything else
        among them, as a function, nothing is kept.
    began : float, optional
        When the work began (`time.monotonic()`), where a part of it came before `make`.

    Examples
    --------
    >>> lasting(lambda: np.arange(3), "numbers", 3)
    array([0, 1, 2])
    """
    kept = _SCOPE.get().kept
    key = None if kept is None else _own_key(parts)
    if kept is None or key is None:
        return make()
    tree = kept.recall(key)
    if tree is None:
        began = time.monotonic() if began is None else began
        made = make()
        kept.keep(key, _plain(made), time.monotonic() - began)
        return made
    return _revived(tree)  # type: ignore[no-any-return]


def _own_key(parts: Sequence[Any]) -> bytes | None:
    """The key of parts in this version of Partita."""
    return key_of(_version(), *parts)


@cache
def _version() -> str:
    return metadata.version("partita")  # which reads a file


def key_of(*parts: Any) -> bytes | None:
    """Return a key of arrays, sparse matrices, numbers, words, None, and tuples, lists and mappings of these.

    None where anything else is among them.

    >>> X = np.eye(3)
    >>> key_of(X, "euclidean", None) == key_of(X.copy(), "euclidean", None)
    True
    >>> key_of(X, lambda x, y: 0.0) is None
    True
    """
    told: Any = hashlib.blake2b(digest_size=32)
    return bytes(told.digest()) if all(_added(told, part) for part in parts) else None


def _added(told: Any, part: Any) -> bool:
    """Whether a part could be added to a hash."""
    if isinstance(part, np.ndarray) and part.dtype.kind in "biuf":
        told.update(f"{part.shape} {part.dtype.str}".encode())
        told.update(np.ascontiguousarray(part).reshape(-1).view(np.uint8))
        return True
    if sp.issparse(part) and part.format == "csr":
        return all(_added(told, each) for each in (part.shape, part.data, part.indices, part.indptr))
    if isinstance(part, Mapping):
        return all(_added(told, each) for item in sorted(part.items()) for each in item)
    if isinstance(part, Sequence) and not isinstance(part, str):
        told.update(f"{len(part)} parts;".encode())
        return all(_added(told, each) for each in part)
    if part is None or isinstance(part, (str, bool, int, float)):
        told.update(f"{type(part).__name__} {part!r};".encode())
        return True
    identity = getattr(part, "identity", None)
    return callable(identity) and _added(told, identity())


_MATRIX = "csr matrix"


def _plain(made: Any) -> Any:
    """What is made, sparse matrices as their arrays."""
    if isinstance(made, tuple):
        return tuple(_plain(part) for part in made)
    if sp.issparse(made):
        return {_MATRIX: (made.data, made.indices, made.indptr), "shape": tuple(made.shape)}
    return made


def _revived(tree: Any) -> Any:
    if isinstance(tree, tuple):
        return tuple(_revived(part) for part in tree)
    if isinstance(tree, dict) and _MATRIX in tree:
        return sp.csr_array(tree[_MATRIX], shape=tree["shape"])
    return tree
