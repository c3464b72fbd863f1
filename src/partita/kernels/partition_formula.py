"""A loss's formula inside compiled code. Importing this module loads numba.

A formula is a NamedTuple of numbers with a method `evaluate` of plain arithmetic (`partita.partition.losses`). It is
found by the type of the tuple, so that kernels that take one are compiled, and cached on disk, once for each loss.
"""

# numba finds an implementation by the names of the arguments, used or not.
# ruff: noqa: ARG001

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import overload

__all__ = ["evaluated"]


def evaluated(self: Any, u: Any, v: Any, w: Any, t: Any, n: Any, K: Any) -> Any:
    """`self.evaluate(u, v, w, t, n, K)` for compiled code."""
    return self.evaluate(u, v, w, t, n, K)


@overload(evaluated, strict=False)
def _evaluated(self: Any, u: Any, v: Any, w: Any, t: Any, n: Any, K: Any) -> Any:
    if isinstance(self, types.NamedTuple | types.NamedUniTuple):
        return self.instance_class.evaluate
    return None
