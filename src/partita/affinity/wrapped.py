"""Base class of affinities that delegate to a wrapped affinity.

Not a kind of its own: it has no `name`, so that the registry leaves it out.
"""

from __future__ import annotations

from typing import Any, ClassVar

from partita.affinity.base import Affinity
from partita.arrays import Array

__all__ = ["WrappedAffinity"]


class WrappedAffinity(Affinity):
    """An affinity around a `base`, to which it delegates its size, the cost of a product, and where it lies.

    Parameters
    ----------
    base : Affinity
        The wrapped affinity.
    """

    # True if the product needs W in NumPy arrays wherever the base lies: the wrapper adds something of SciPy's to it.
    on_host: ClassVar[bool] = False

    def __init__(self, base: Affinity) -> None:
        self._base = base

    @property
    def base(self) -> Affinity:
        """The wrapped affinity."""
        return self._base

    @property
    def n_items(self) -> int:
        return self._base.n_items

    @property
    def products(self) -> int:
        return self._base.products

    @property
    def multiplications(self) -> int:
        return self._base.multiplications

    @property
    def foreign(self) -> bool:
        return self._base.foreign and not self.on_host

    def native(self, array: Array) -> Any:
        return array if self.on_host else self._base.native(array)

    @property
    def rounding(self) -> float:
        return 1.0 if self.on_host else self._base.rounding

    @property
    def squared_norm_is_exact(self) -> bool:
        return self._base.squared_norm_is_exact

    def density(self) -> float:
        return self._base.density()
