"""Partition draws of several chains, with what they say of each other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array
from partita.metrics.central_distance import central_distances
from partita.metrics.chain_similarity import compared_items, similarity_differences
from partita.metrics.chain_verdict import FEWEST, ChainVerdict, Farthest, chain_verdict
from partita.metrics.convergence import effective_sample_size, r_hat
from partita.mixture.agreement import ChainAgreement, chain_agreement
from partita.mixture.base import Sampler
from partita.mixture.concentration import GammaPrior
from partita.mixture.density import PredictiveDensity
from partita.mixture.priors import ComponentPrior
from partita.runs import Status
from partita.wording import aligned, count

__all__ = ["SampledPartitions"]


@dataclass(frozen=True, eq=False, repr=False)
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
        Sweeps of the chain that did the fewest, burn-in included.
    seconds : float
    sampler, prior, alpha : what was run
    starts : tuple of str
        Start of each chain.
    seed : int or None
    notes : tuple of str
        Notes for a reader of the result.
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
    sampler: Sampler
    prior: ComponentPrior
    alpha: float | GammaPrior
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
        return {
            name: r_hat(trace) if self.n_draws >= FEWEST else float("nan") for name, trace in self._traces().items()
        }

    @cached_property
    def effective_sample_size(self) -> dict[str, float]:
        """Bulk effective sample size of the same, over all chains."""
        few = self.n_draws < FEWEST
        return {name: float("nan") if few else effective_sample_size(trace) for name, trace in self._traces().items()}

    @cached_property
    def verdict(self) -> ChainVerdict | None:
        """Verdict on whether the chains agree on partitions and on the log joint; None for one chain.

        `BayesianPartition` and the command line say the same of these draws.
        """
        if self.n_chains < 2:
            return None
        if self.n_draws < FEWEST:
            return ChainVerdict.of_too_few(self.n_draws)
        C, items = self.n_chains, compared_items(self.labels.shape[1])
        found = similarity_differences([self.labels[self.chain == c][:, items] for c in range(C)])
        traces = {
            "n_clusters": list(self.n_clusters_trace),
            "distance": list(central_distances(self.labels).reshape(C, -1)),
            "log_joint": list(self.log_joint_trace),
        }
        i, j = (int(items[at]) for at in found.items)
        return chain_verdict(traces, Farthest(found.largest, found.chains, (i, j), len(items)))

    @property
    def disagreements(self) -> tuple[str, ...]:
        """Evidence, in words, that the chains have not come to one distribution; empty where they agree."""
        return () if self.verdict is None else self.verdict.reasons

    def __repr__(self) -> str:
        M, N = self.labels.shape
        return f"<SampledPartitions: {count(M, 'draw')} of {count(N, 'item')}, {self.status}>"

    def __str__(self) -> str:
        M, N = self.labels.shape
        return aligned(
            [
                ("draws", f"{M:,} of {count(N, 'item')}"),
                ("chains", f"{self.n_chains:,}"),
                ("status", self.status),
                ("sampler", str(self.sampler)),
                ("prior", str(self.prior)),
                ("sweeps", f"{self.n_sweeps:,}"),
                ("clusters", f"{self.n_clusters_trace.min():,} to {self.n_clusters_trace.max():,}"),
                ("seconds", f"{self.seconds:.2f}"),
                ("seed", str(self.seed)),
                ("notes", f"{len(self.notes):,}"),
            ]
        )

    def _traces(self) -> dict[str, NDArray[Any]]:
        return {
            "n_clusters": self.n_clusters_trace,
            "log_joint": self.log_joint_trace,
            "alpha": self.alpha_trace,
        }
