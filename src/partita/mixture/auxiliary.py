"""Neal's algorithm 8: any prior, by auxiliary components; the sampler for the paper's prior.

Parameters are kept, so mean and covariance may be independent a priori. No split-merge proposals: the conjugate ones
need the marginal likelihood, and those for other priors [jain2007] are not built; dispersed starts do that work here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from partita.errors import InputError
from partita.mixture.components import ComponentSampler

__all__ = ["Auxiliary"]


@dataclass(frozen=True)
class Auxiliary(ComponentSampler):
    """Algorithm 8 [neal2000] with auxiliary components that are used again [favaro2013].

    Parameters
    ----------
    n_auxiliary : int >= 1
        Auxiliary components m; more of them find new clusters more readily.

    Raises
    ------
    InputError
        For a number below 1.

    References
    ----------
    [neal2000] Neal: Markov chain sampling methods for Dirichlet process mixture models. JCGS 9, 2000.
    [favaro2013] Favaro, Teh: MCMC for normalized random measure mixture models. Statistical Science 28, 2013.

    Examples
    --------
    >>> Auxiliary(n_auxiliary=5).n_auxiliary
    5
    """

    name = "auxiliary"
    cost = "N (K + m) d^2 / 2 a sweep"
    source = "[neal2000] algorithm 8; [favaro2013]"

    n_auxiliary: int = 3

    def __post_init__(self) -> None:
        if not isinstance(self.n_auxiliary, int) or self.n_auxiliary < 1:
            raise InputError(f"Auxiliary(n_auxiliary={self.n_auxiliary!r}): expected a whole number, at least 1")

    def _sweeps(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        from partita.kernels.mixture_auxiliary import auxiliary_sweeps

        return auxiliary_sweeps, (self.n_auxiliary,)
