"""Collapsed Gibbs sampling with split-merge proposals: components are integrated out.

The fastest to mix where the prior is conjugate. Each item in turn chooses its cluster given all others
[neal2000, algorithm 3], and whole clusters split and merge by restricted Gibbs scans [jain2004], which is what gets a
chain out of a partition from which no single item leaves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.arrays import Labels
from partita.errors import InputError
from partita.mixture.base import ChainState, Kept, MixtureModel, Sampler, numbered

__all__ = ["Collapsed"]


@dataclass(frozen=True)
class Collapsed(Sampler):
    """Collapsed Gibbs sampler for a conjugate prior.

    Parameters
    ----------
    split_merge : int >= 0
        Split-merge proposals a sweep.
    scans : int >= 0
        Restricted Gibbs scans that make the launch state of a proposal.

    Raises
    ------
    InputError
        For a negative number.

    References
    ----------
    [neal2000] Neal: Markov chain sampling methods for Dirichlet process mixture models. JCGS 9, 2000.
    [jain2004] Jain, Neal: A split-merge Markov chain Monte Carlo procedure for the Dirichlet process mixture model.
    JCGS 13, 2004.

    Examples
    --------
    >>> Collapsed(split_merge=0).name
    'collapsed'
    """

    name = "collapsed"
    needs_conjugate = True
    cost = "N K d^2 / 2 a sweep, and (scans + 1) n d^2 a proposal that draws clusters of n items"
    source = "[neal2000] algorithm 3; [jain2004]"

    split_merge: int = 1
    scans: int = 1

    def __post_init__(self) -> None:
        for option in ("split_merge", "scans"):
            value = getattr(self, option)
            if not isinstance(value, int) or value < 0:
                raise InputError(f"Collapsed({option}={value!r}): expected a whole number, at least 0")

    def start(self, model: MixtureModel, labels: Labels, rng: np.random.Generator) -> ChainState:
        return ChainState(numbered(labels), model.alpha[0])

    def advance(
        self, model: MixtureModel, state: ChainState, rng: np.random.Generator, n_sweeps: int, thin: int, kept: Kept
    ) -> ChainState:
        from partita.kernels.mixture_collapsed import collapsed_sweeps

        labels = state.labels.copy()
        _, shape, rate = model.alpha
        alpha = collapsed_sweeps(
            model.items,
            labels,
            state.alpha,
            float(shape),
            float(rate),
            model.alone,
            model.prior,
            model.tables,
            self.split_merge,
            self.scans,
            n_sweeps,
            thin,
            *kept,
            rng,
        )
        return ChainState(labels, alpha)
