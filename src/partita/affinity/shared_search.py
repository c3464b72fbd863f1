"""One neighbour search (and spanning tree) for all parts of a fit that ask for the neighbours of the same items.

Criteria, members of an ensemble and the graph itself, at one number of clusters after the other, build graphs of the
same items. Inside `shared_search()` the last few searches are kept for them; outside nothing is. A search is known by
a hash of the items' bytes and by everything that its answer depends on, and kept only while all that are kept take
less than a twentieth of what may be allocated. A smaller k is served from a larger one where that is exact:
where no row has a tie at its k-th neighbour; where one has, both are kept. Of two threads that ask for the same search
one makes it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from numpy.typing import NDArray

from partita.affinity.neighbor_search import Index
from partita.arrays import Array
from partita.memory import fits
from partita.scope import key_of

__all__ = ["KEPT", "LastSearches", "made_once", "shared_search", "the_shared_searches"]

# Searches that are kept at most, and the share of what may be allocated that they may take.
KEPT, SHARE = 4, 1 / 20
# Trees, eigenvectors, links and labels of the same items that are kept at most, each of a few numbers an item.
MOST_MADE = 256


class LastSearches:
    """A few searches: neighbours and their distances, which nobody may write to.

    >>> import numpy as np
    >>> last = LastSearches()
    >>> last.searched(b"key", 2, lambda: (np.array([[1, 2]]), np.array([[0.5, 2.0]])))
    (array([[1, 2]]), array([[0.5, 2. ]]))
    >>> last.searched(b"key", 1, lambda: None)
    (array([[1]]), array([[0.5]]))
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[bytes, dict[int, tuple[Index, Array]]] = {}  # by the items, and then by k
        self._made: dict[bytes, tuple[NDArray[Any], ...]] = {}
        self._making: dict[bytes, threading.Lock] = {}

    def searched(self, key: bytes, k: int, search: Callable[[], tuple[Index, Array]]) -> tuple[Index, Array]:
        """Return the k closest that are kept under this key, searched for now, by one thread, where there are none."""
        with self._alone(key):
            found = self._recalled(key, k)
            return self._keep(key, *search()) if found is None else found

    def _alone(self, key: bytes) -> threading.Lock:
        with self._lock:
            return self._making.setdefault(key, threading.Lock())

    def made(self, key: bytes, make: Callable[[], tuple[NDArray[Any], ...]]) -> tuple[NDArray[Any], ...]:
        """Return the few small arrays that are kept under this key, made now, by one thread, where there are none."""
        with self._alone(key):
            return self._made_once(key, make)

    def _made_once(self, key: bytes, make: Callable[[], tuple[NDArray[Any], ...]]) -> tuple[NDArray[Any], ...]:
        with self._lock:
            found = self._made.get(key)
        if found is None:
            found = make()
            if _has_room(_bytes(found)):
                for part in found:
                    part.flags.writeable = False
                with self._lock:
                    self._made[key] = found
                    while len(self._made) > MOST_MADE or not _has_room(sum(map(_bytes, self._made.values()))):
                        self._made.pop(next(iter(self._made)))
        return found

    def _keep(self, key: bytes, index: Index, distance: Array) -> tuple[Index, Array]:
        """Keep a search where there is room, and hand it back."""
        index.flags.writeable = distance.flags.writeable = False
        with self._lock:
            if _has_room(_bytes((index, distance))):
                self._kept[key] = {**self._kept.pop(key, {}), index.shape[1]: (index, distance)}
                while len(self._kept) > KEPT or not _has_room(self._held()):
                    self._kept.pop(next(iter(self._kept)))
        return index, distance

    def _held(self) -> int:
        return sum(_bytes(found) for of_items in self._kept.values() for found in of_items.values())

    def _recalled(self, key: bytes, k: int) -> tuple[Index, Array] | None:
        with self._lock:
            kept = self._kept.get(key, {})
            found = kept.get(k) or next((found for larger, found in kept.items() if larger > k), None)
        if found is None:
            return None
        index, distance = found
        if index.shape[1] > k and not (distance[:, k - 1] < distance[:, k]).all():
            return None
        return index[:, :k], distance[:, :k]


def _has_room(n_bytes: int) -> bool:
    return fits(int(n_bytes / SHARE))


def _bytes(made: Iterable[NDArray[Any]]) -> int:
    return sum(part.nbytes for part in made)


_SHARED: ContextVar[LastSearches | None] = ContextVar("shared neighbour search", default=None)


@contextmanager
def shared_search() -> Iterator[None]:
    """Search once for the neighbours of the same items while inside, also of a fit within a fit."""
    before = _SHARED.get()
    token = _SHARED.set(LastSearches() if before is None else before)
    try:
        yield
    finally:
        _SHARED.reset(token)


def the_shared_searches() -> LastSearches | None:
    """Return the searches that are shared here; None outside of `shared_search`."""
    return _SHARED.get()


def made_once(make: Callable[[], tuple[NDArray[Any], ...]], *parts: Any) -> tuple[NDArray[Any], ...]:
    """Return the few small arrays that `make` returns, made once while a search is shared.

    Parameters
    ----------
    make : callable
    *parts
        Everything that the arrays depend on, as `partita.scope.key_of` takes it.

    Examples
    --------
    >>> import numpy as np
    >>> with shared_search():
    ...     first, again = (made_once(lambda: (np.arange(2),), "numbers", 2) for _ in range(2))
    >>> first is again
    True
    """
    shared = _SHARED.get()
    key = None if shared is None else key_of(*parts)
    return make() if shared is None or key is None else shared.made(key, make)
