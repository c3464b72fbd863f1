"""Ctrl-C held back while compiled code runs that hands back named tuples.

numba makes a NamedTuple by calling its class; where Ctrl-C is waiting, that call is the first Python that runs and
raises, and numba, which does not expect it, hands on a broken tuple: the process dies. Held back, the interrupt comes
right after the call instead. Only the main thread hears Ctrl-C, so only there is anything to do.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Any

__all__ = ["call_whole"]


def call_whole(kernel: Callable[..., Any], *arguments: Any) -> Any:
    """Return `kernel(*arguments)`, with a Ctrl-C that comes meanwhile heard when it has returned.

    >>> call_whole(max, 2, 3)
    3
    """
    before = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None
    if not callable(before):  # another thread, or nobody in Python listens
        return kernel(*arguments)
    came: list[Any] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
    try:
        result = kernel(*arguments)
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        before(*came[-1])
    return result
