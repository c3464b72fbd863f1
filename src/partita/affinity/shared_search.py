"""One neighbour search (and spanning tree) for all parts of a fit that ask for the neighbours of the same items.

Criteria, members of an ensemble and the graph itself, at one number of clusters after the other, build graphs of the
same items. Inside `shared_search()` the last search is kept for them; outside nothing is. A search is known by a hash
of the items' bytes and by everything that its answer depends on, and is kept only while it takes less than a twentieth
of the memory that is available. A smaller k is served from a larger one where that is exact: where no row has a tie at
its k-th neighbour.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from numpy.typing import NDArray

from partita.affinity.neighbor_search import Index
from partita.arrays import Array
from partita.memory import available_memory
from partita.scope import key_of

__all__ = ["LastSearch", "made_once", "shared_search", "the_shared_search"]

# Share of the available memory that the kept search may take.
SHARE = 1 / 20
# Trees, eigenvectors and links of the same items that are kept at most, each of a few numbers an item.
MOST_MADE = 16


class LastSearch:
    """One search: its neighbours and their distances, which nobody may write to.

    >>> import numpy as np
    >>> last = LastSearch()
    >>> index, distance = last.keep(b"key", np.array([[1, 2]]), np.array([[0.5, 2.0]]))
    >>> last.recall(b"key", 1)
    (array([[1]]), array([[0.5]]))
    >>> last.recall(b"other", 1) is None
    True
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: tuple[bytes, Index, Array] | None = None
        self._made: dict[bytes, tuple[NDArray[Any], ...]] = {}
        self._making: dict[bytes, threading.Lock] = {}

    def made(self, key: bytes, make: Callable[[], tuple[NDArray[Any], ...]]) -> tuple[NDArray[Any], ...]:
        """Return the few small arrays that are kept under this key, made now, by one thread, where there are none."""
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            return self._made_once(key, make)

    def _made_once(self, key: bytes, make: Callable[[], tuple[NDArray[Any], ...]]) -> tuple[NDArray[Any], ...]:
        with self._lock:
            found = self._made.get(key)
        if found is None:
            found = make()
            if sum(part.nbytes for part in found) < SHARE * available_memory():
                for part in found:
                    part.flags.writeable = False
                with self._lock:
                    self._made[key] = found
                    while len(self._made) > MOST_MADE:
                        self._made.pop(next(iter(self._made)))
        return found

    def keep(self, key: bytes, index: Index, distance: Array) -> tuple[Index, Array]:
        """Keep a search where there is room and no larger one of the same items is kept, and hand it back."""
        if index.nbytes + distance.nbytes < SHARE * available_memory():
            index.flags.writeable = distance.flags.writeable = False
            with self._lock:
                if self._kept is None or self._kept[0] != key or self._kept[1].shape[1] < index.shape[1]:
                    self._kept = key, index, distance
        return index, distance

    def recall(self, key: bytes, k: int) -> tuple[Index, Array] | None:
        """Return the k closest that were found under this key, or None."""
        with self._lock:
            kept = self._kept
        if kept is None or kept[0] != key or kept[1].shape[1] < k:
            return None
        _, index, distance = kept
        if index.shape[1] > k and not (distance[:, k - 1] < distance[:, k]).all():
            return None
        return index[:, :k], distance[:, :k]


_SHARED: ContextVar[LastSearch | None] = ContextVar("shared neighbour search", default=None)


@contextmanager
def shared_search() -> Iterator[None]:
    """Search once for the neighbours of the same items while inside, also of a fit within a fit."""
    before = _SHARED.get()
    token = _SHARED.set(LastSearch() if before is None else before)
    try:
        yield
    finally:
        _SHARED.reset(token)


def the_shared_search() -> LastSearch | None:
    """Return the search that is shared here; None outside of `shared_search`."""
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
