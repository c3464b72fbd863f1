"""The concentration alpha of a Dirichlet process: how readily items make clusters of their own.

K items of N are expected to be first in their cluster: about alpha log(1 + N / alpha).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from partita.errors import InputError

__all__ = ["GammaPrior", "concentration"]


@dataclass(frozen=True)
class GammaPrior:
    """alpha ~ Gamma(shape, rate), with mean shape / rate; the default is that of PReMiuM [bayes-nmf, section 5].

    Parameters
    ----------
    shape, rate : float > 0

    Raises
    ------
    InputError
        For a shape or rate that is not a positive number.

    Examples
    --------
    >>> GammaPrior(2, 4).mean
    0.5
    """

    shape: float = 2.0
    rate: float = 1.0

    def __post_init__(self) -> None:
        for name in ("shape", "rate"):
            value = getattr(self, name)
            if not (isinstance(value, int | float) and math.isfinite(value) and value > 0):
                raise InputError(f"GammaPrior({name}={value!r}): expected a positive number")

    @property
    def mean(self) -> float:
        """The prior mean of alpha."""
        return self.shape / self.rate


def concentration(alpha: float | GammaPrior) -> tuple[float, float, float]:
    """Return the first value, shape and rate; a shape of zero says that alpha stays as it is.

    Raises
    ------
    InputError
        For an alpha that is neither a positive number nor a `GammaPrior`.

    Examples
    --------
    >>> concentration(GammaPrior(2, 1)), concentration(0.5)
    ((2.0, 2, 1), (0.5, 0.0, 0.0))
    """
    if isinstance(alpha, GammaPrior):
        return alpha.mean, alpha.shape, alpha.rate
    if isinstance(alpha, bool) or not isinstance(alpha, int | float) or not (math.isfinite(alpha) and alpha > 0):
        raise InputError(f"alpha={alpha!r}: expected a positive number, or GammaPrior(shape, rate) to learn it")
    return float(alpha), 0.0, 0.0
