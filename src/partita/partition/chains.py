"""Do chains agree: have several runs of a sampler come to one posterior over partitions?

Three things are compared, since each misses what another sees: which items are together (the similarity matrix of each
chain), the number of clusters, and the distance to the estimate (split R-hat of both traces [vehtari2021]).

How much agreeing chains may differ depends on how many independent draws they are worth. With n effective draws of each
chain, the least over chains and traces taken chain by chain (pooled, chains that are stuck apart would look like few
draws, and be excused),

    |dP_ij|  exceeds  z sqrt(1/(4 n) + 1/(4 n))           with probability CHANCE at most over all pairs, for normal z
    R-hat^2  exceeds  1 + q / (n / 2)                      with probability CHANCE, q the chi^2 quantile of 2C - 1
                                                           degrees of freedom over their number

so chains disagree when a difference exceeds that and also what matters, `DIFFERENCE` and `R_HAT`. Of 300 simulated sets
of four chains of one posterior none was said to disagree. Where one chain had merged two of five clusters all 300 were;
where one had moved 5% of the items, 227 were, and the other 73 said to be too little to tell, which is said below
`ENOUGH` effective draws (`benchmarks/uncertainty.py`).

[vehtari2021] A. Vehtari, A. Gelman, D. Simpson, B. Carpenter, P.-C. Buerkner, Rank-normalization, folding, and
localization: an improved R-hat for assessing convergence of MCMC, Bayesian Analysis 16 (2021).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtri, ndtri

from partita.affinity.label_blocks import LabelBlocks
from partita.errors import InputError
from partita.memory import require_memory
from partita.metrics.chain_similarity import compared_items, similarity_differences
from partita.metrics.convergence import effective_sample_size, r_hat
from partita.partition.distances import given_draws, measured, metric_of
from partita.partition.draws import PartitionDraws
from partita.partition.losses import PartitionLoss, Unit

__all__ = ["ChainComparison", "compare_chains"]

Array = NDArray[np.float64]

# Differences that matter: in the probability that two items are together, and R-hat.
DIFFERENCE, R_HAT = 0.1, 1.05
# Chance that agreeing chains exceed what chance allows, for each thing compared.
CHANCE = 0.002
# Effective draws of a chain below which nothing is told.
ENOUGH = 20.0
# Draws of a chain that an R-hat needs, and draws among which a central one is looked for.
FEWEST, CENTRAL = 4, 64


@dataclass(frozen=True, eq=False)
class ChainComparison:
    """What several chains say of each other.

    Attributes
    ----------
    agree : bool
        Whether nothing shows that they differ.
    verdict : str
        In words.
    chains : array of C
        As they were named.
    max_difference, mean_difference : float in [0, 1]
        Of the shares of draws in which two items are together, over pairs of items and of chains.
    farthest : tuple of two chains
        Where the maximum is.
    n_items, exact : int, bool
        Items whose pairs were compared: all of them where `exact`, else a random sample.
    allowed_difference, allowed_r_hat : float
        What agreeing chains may reach.
    n_clusters : list of C arrays
        The number of clusters of each draw, chain by chain.
    distances : list of C arrays
        Of each draw, chain by chain, to the estimate.
    r_hat, effective_sample_size : dict
        Of "n_clusters" and "distance", over all chains.
    least_effective : float
        The least effective sample size of one chain alone, over the traces.
    """

    agree: bool
    verdict: str
    chains: NDArray[Any]
    max_difference: float
    mean_difference: float
    farthest: tuple[Any, Any]
    n_items: int
    exact: bool
    allowed_difference: float
    allowed_r_hat: float
    n_clusters: list[NDArray[np.int64]]
    distances: list[Array]
    r_hat: dict[str, float]
    effective_sample_size: dict[str, float]
    least_effective: float

    def __str__(self) -> str:
        return self.verdict


def compare_chains(
    draws: Any,
    chain: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    loss: str | PartitionLoss = "vi",
    unit: Unit | None = None,
) -> ChainComparison:
    """Whether several chains of draws agree, and how far.

    Parameters
    ----------
    draws : array-like, M x N
        Rows are draws, in the order in which each chain drew them.
    chain : array of M
        Which chain each draw is of: any whole numbers or strings, at least two different.
    labels : array-like of N, optional
        The estimate, for the trace of distances to it; by default the draw, of 64 or fewer spread evenly over all, that
        has the least mean distance to them.
    loss : {"vi", "binder"}
        Of that distance.
    unit : {"bits", "nats"}, optional

    Raises
    ------
    InputError
        For lengths that differ, one chain only, a chain of fewer than 4 draws, or draws whose equal ones were merged,
        which have lost their order.
    MemoryLimitError
        Where the labels of the items compared would not fit.

    Notes
    -----
    Chains of different lengths: R-hat and effective sizes over chains are of the last draws of each, as many as the
    shortest has. Time M n^2 log2(K) / 128 word operations for n = min(N, 2000) items compared.

    References
    ----------
    [vehtari2021]; [bayes-nmf] section 2.2 on the similarity matrix.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> draws, chain = np.arange(12) // 6 + 2 * (rng.random((400, 12)) < 0.1), np.arange(400) // 200
    >>> compare_chains(draws, chain).agree
    True
    >>> draws[200:, :3] = 1
    >>> found = compare_chains(draws, chain)
    >>> found.agree, found.farthest, round(found.max_difference, 2)
    (False, (0, 1), 0.93)
    >>> print(found)  # doctest: +ELLIPSIS
    the chains disagree: chains 0 and 1 differ by 0.93 in the probability that items ...
    """
    if isinstance(draws, PartitionDraws):
        raise InputError("these draws have equal ones merged and no order in time: pass the M x N draws themselves")
    blocks, _ = given_draws(draws, None)
    names = np.asarray(chain)
    if names.shape != (blocks.n_draws,):
        raise InputError(f"chain has shape {names.shape}: expected one name for each of the {blocks.n_draws} draws")
    chains, number = np.unique(names, return_inverse=True)
    lengths = np.bincount(number)
    if len(chains) < 2:
        raise InputError("agreement is between chains, and there is one: run at least two")
    if lengths.min() < FEWEST:
        raise InputError(f"chain {chains[lengths.argmin()]} has {lengths.min()} draws; at least {FEWEST} are needed")
    metric = metric_of(loss, unit, None)
    items = compared_items(blocks.n_items)
    found = similarity_differences(_by_chain(blocks, number, items))
    measure = measured(_central(blocks, metric) if labels is None else labels, blocks, metric)
    traces = {"n_clusters": _split(measure.n_clusters, number), "distance": _split(measure.values, number)}
    last = int(lengths.min())
    together = {name: np.array([trace[-last:] for trace in each]) for name, each in traces.items()}
    hats = {name: r_hat(trace) for name, trace in together.items()}
    sizes = {name: effective_sample_size(trace) for name, trace in together.items()}
    least = min(
        min(effective_sample_size(trace[None]), float(len(trace))) for each in traces.values() for trace in each
    )
    pairs = max(len(items) * (len(items) - 1) // 2, 1) * (len(chains) * (len(chains) - 1) // 2)
    difference = max(DIFFERENCE, float(-ndtri(CHANCE / (2 * pairs))) * math.sqrt(0.5 / least))
    freedom = 2 * len(chains) - 1
    hat = max(R_HAT, math.sqrt(1 + float(chdtri(freedom, CHANCE)) / freedom / (least / 2)))
    a, b = (chains[at].item() for at in found.chains)
    i, j = (int(items[at]) for at in found.items)
    against = []
    if found.largest > difference:
        against.append(
            f"chains {a} and {b} differ by {found.largest:.2f} in the probability that items {i} and {j} are together "
            f"({difference:.2f} is what chance allows)"
        )
    words = {"n_clusters": "the number of clusters", "distance": "the distance to the estimate"}
    against += [f"R-hat of {words[name]} is {hats[name]:.2f} (above {hat:.2f})" for name in hats if hats[name] > hat]
    verdict = _verdict(against, found.largest, least)
    counts = [np.asarray(each, dtype=np.int64) for each in traces["n_clusters"]]
    return ChainComparison(
        not against, verdict, chains, found.largest, found.mean, (a, b), len(items), len(items) == blocks.n_items,
        difference, hat, counts, traces["distance"], hats, sizes, least,
    )  # fmt: skip


def _central(blocks: LabelBlocks, metric: PartitionLoss) -> NDArray[Any]:
    """A draw in the middle of them."""
    wanted = set(np.linspace(0, blocks.n_draws - 1, min(blocks.n_draws, CENTRAL)).astype(int).tolist())
    some = np.array([row for first, block in blocks for b, row in enumerate(block, first) if b in wanted])
    among = LabelBlocks(some)
    return np.asarray(some[int(np.argmin([measured(row, among, metric).values.sum() for row in some]))])


def _verdict(against: list[str], largest: float, least: float) -> str:
    if against:
        return (
            f"the chains disagree: {'; '.join(against)}; do not pool them: run longer, start from elsewhere, or look "
            "at the modes"
        )
    if least < ENOUGH:
        return (
            f"too little to tell: a chain is worth {least:.0f} independent draws; nothing shows that the chains differ "
            f"(at most {largest:.2f} in the probability that two items are together), but run them longer"
        )
    return f"the chains agree: they differ by at most {largest:.2f} in the probability that two items are together"


def _split(values: NDArray[Any], number: NDArray[np.intp]) -> list[Array]:
    """The values of each chain, in order."""
    return [np.asarray(values[number == c], dtype=np.float64) for c in range(int(number.max()) + 1)]


def _by_chain(blocks: LabelBlocks, number: NDArray[np.intp], items: NDArray[np.int64]) -> list[NDArray[Any]]:
    """The labels of the items compared, chain by chain."""
    n_bytes = 2 * blocks.n_draws * len(items) * blocks.dtype.itemsize
    require_memory(n_bytes, f"{blocks.n_draws:,} draws of {len(items):,} items", "thin the draws")
    kept = np.concatenate([block if len(items) == blocks.n_items else block[:, items] for _, block in blocks])
    return [kept[number == c] for c in range(int(number.max()) + 1)]
