"""Partition draws of several chains, with what they say of each other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.metrics.convergence import effective_sample_size, r_hat
from partita.mixture.agreement import ChainAgreement, chain_agreement
from partita.mixture.chains import Status
from partita.mixture.density import PredictiveDensity

__all__ = ["SampledPartitions"]

Array = NDArray[np.float64]

# Beyond these chains are said to disagree: R-hat, and the largest difference between similarities.
R_HAT, DIFFERENCE = 1.1, 0.25
# Draws of a chain from which R-hat says something.
ENOUGH = 20


@dataclass(frozen=True, eq=False)
class SampledPartitions:
    """Draws from the posterior of partitions.

    Attributes
    ----------
    labels : M x N array, int16 or int32
        One draw a row, chain after chain; clusters are numbered by first appearance: equal partitions are equal rows.
    chain : array of M
        Which chain each draw is of.
    n_clusters_trace, alpha_trace, log_joint_trace : chains x draws
        The log joint is log p(X, labels | alpha), given the components where the sampler keeps them.
    density : PredictiveDensity
    status : {"completed", "max_seconds", "interrupted"}
    n_sweeps : int
        Of the chain that did the fewest, burn-in included.
    seconds : float
    sampler, prior, alpha : what was run
    starts : tuple of str
        What each chain started from.
    seed : int or None
    notes : tuple of str
        What a reader of the result should know.
    """

    labels: NDArray[Any]
    chain: NDArray[np.intp]
    n_clusters_trace: NDArray[np.int64]
    alpha_trace: Array
    log_joint_trace: Array
    density: PredictiveDensity
    status: Status
    n_sweeps: int
    seconds: float
    sampler: Any
    prior: Any
    alpha: Any
    starts: tuple[str, ...]
    seed: int | None
    notes: tuple[str, ...] = ()

    @property
    def n_chains(self) -> int:
        """Chains."""
        return len(self.n_clusters_trace)

    @property
    def n_draws(self) -> int:
        """Draws of each chain."""
        return int(self.n_clusters_trace.shape[1])

    @cached_property
    def agreement(self) -> ChainAgreement | None:
        """Differences between the similarity matrices of the chains; None for one chain."""
        return chain_agreement(self.labels, self.chain) if self.n_chains > 1 else None

    @cached_property
    def r_hat(self) -> dict[str, float]:
        """Rank-normalized split R-hat of the number of clusters, the log joint, and alpha; NaN for too few draws."""
        return {name: r_hat(trace) if self.n_draws >= 4 else float("nan") for name, trace in self._traces().items()}

    @cached_property
    def effective_sample_size(self) -> dict[str, float]:
        """Bulk effective sample size of the same, over all chains."""
        few = self.n_draws < 4
        return {name: float("nan") if few else effective_sample_size(trace) for name, trace in self._traces().items()}

    @cached_property
    def disagreements(self) -> tuple[str, ...]:
        """What shows that the chains have not come to one distribution, in words; nothing where they agree."""
        out = []
        if self.n_draws >= ENOUGH:
            named = {"n_clusters": "the number of clusters", "log_joint": "the log joint density"}
            for name, words in named.items():
                if self.r_hat[name] > R_HAT:
                    out.append(f"R-hat of {words} is {self.r_hat[name]:.2f} (above {R_HAT})")
        found = self.agreement
        if found is not None and found.max_difference > DIFFERENCE:
            a, b = found.farthest
            over = "" if found.exact else f" of {found.n_items} items sampled"
            out.append(
                f"chains {a} and {b} differ by {found.max_difference:.2f} in the probability that two items{over} "
                f"belong together (mean over pairs and chains {found.mean_difference:.3f})"
            )
        return tuple(out)

    def _traces(self) -> dict[str, NDArray[Any]]:
        return {
            "n_clusters": self.n_clusters_trace,
            "log_joint": self.log_joint_trace,
            "alpha": self.alpha_trace,
        }
