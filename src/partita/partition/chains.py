"""Agreement of chains: whether several runs of a sampler have come to one posterior over partitions.

Three things are compared, since each misses what another sees: which items are together (the similarity matrix of each
chain), the number of clusters, and the distance to a draw in the middle (split R-hat of both traces [vehtari2021]).
Where the sampler's log joint density is known, its R-hat is the fourth.

What follows from them, and how far agreeing chains may be apart, is `partita.metrics.chain_verdict`. Of 300 simulated
sets of four chains of one posterior 205 were said to agree, 93 to be too little to tell, 2 to disagree: those two and
89 of the others were worth some 20 draws a chain. Where one chain had merged two of five clusters all 300 were said to
disagree; where one had moved 5% of the items, 294 were, and the others to be too little (`benchmarks/uncertainty.py`).

[vehtari2021] A. Vehtari, A. Gelman, D. Simpson, B. Carpenter, P.-C. Buerkner, Rank-normalization, folding, and
localization: an improved R-hat for assessing convergence of MCMC, Bayesian Analysis 16 (2021).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.affinity.label_blocks import LabelBlocks
from partita.arrays import Array
from partita.errors import InputError
from partita.memory import require_memory
from partita.metrics.central_distance import candidates, most_central
from partita.metrics.chain_similarity import compared_items, similarity_differences
from partita.metrics.chain_verdict import ENOUGH, FEWEST, Farthest, chain_verdict
from partita.partition.distances import given_draws, measured, metric_of, scale_of
from partita.partition.draws import PartitionDraws
from partita.partition.losses import PartitionLoss, Unit
from partita.wording import Printed

__all__ = ["ENOUGH", "FEWEST", "ChainComparison", "compare_chains"]


@dataclass(frozen=True, eq=False, repr=False)
class ChainComparison(Printed):
    """Comparison of several chains.

    Attributes
    ----------
    agree : bool
        Whether they are long enough to tell, and nothing shows that they differ.
    verdict : str
        In words.
    chains : array of C
        As they were named.
    max_difference, mean_difference : float in [0, 1]
        Differences of the shares of draws in which two items are together, over pairs of items and of chains.
    farthest : tuple of two chains
        Where the maximum is.
    n_items, exact : int, bool
        Items whose pairs were compared: all of them where `exact`, else a random sample.
    allowed_difference, allowed_r_hat : float
        Values that agreeing chains may reach.
    n_clusters : list of C arrays
        The number of clusters of each draw, chain by chain.
    distances : list of C arrays
        Distance of each draw, chain by chain, to the estimate or a draw in the middle.
    r_hat, effective_sample_size : dict
        Statistics of "n_clusters" and "distance", over all chains; and of "log_joint" where it was given.
    least_effective : float
        The least effective sample size of one chain alone, over the number of clusters and the distance.
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

    @property
    def exceeds(self) -> bool:
        """Return whether something is beyond what agreeing chains may reach: more than too few draws to tell."""
        return max(self.r_hat.values()) > self.allowed_r_hat or self.max_difference > self.allowed_difference


def compare_chains(
    draws: Any,
    chain: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    loss: str | PartitionLoss = "vi",
    unit: Unit | None = None,
    traces: Mapping[str, ArrayLike] | None = None,
) -> ChainComparison:
    """Compare several chains of draws: whether they agree, and how far.

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
        Loss of that distance.
    unit : {"bits", "nats"}, optional
    traces : mapping from "log_joint" to an array of M, optional
        Further traces of the sampler of each draw; its R-hat counts.

    Raises
    ------
    InputError
        For lengths that differ, one chain only, a chain of fewer than 4 draws, draws whose equal ones were merged,
        which have lost their order, or a trace that is not finite.
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
    own = {"n_clusters": _split(measure.n_clusters, number), "distance": _split(measure.values, number)}
    for name, values in (traces or {}).items():
        if np.shape(values) != names.shape:
            raise InputError(f"traces[{name!r}] has shape {np.shape(values)}: expected one number for each draw")
        own[name] = _split(np.asarray(values), number)
    a, b = (chains.tolist()[at] for at in found.chains)
    i, j = (int(items[at]) for at in found.items)
    said = chain_verdict(own, Farthest(found.largest, (a, b), (i, j), len(items)))
    counts = [np.asarray(each, dtype=np.int64) for each in own["n_clusters"]]
    return ChainComparison(
        said.agree, said.words, chains, found.largest, found.mean, (a, b), len(items), len(items) == blocks.n_items,
        said.allowed_difference, said.allowed_r_hat, counts, own["distance"], said.r_hat, said.effective_sample_size,
        said.least_effective,
    )  # fmt: skip


def _central(blocks: LabelBlocks, metric: PartitionLoss) -> NDArray[Any]:
    """A draw in the middle of them."""
    wanted = set(candidates(blocks.n_draws).tolist())
    some = np.array([row for first, block in blocks for b, row in enumerate(block, first) if b in wanted])
    return np.asarray(some[most_central(some, scale_of(metric, blocks.n_items).f)])


def _split(values: NDArray[Any], number: NDArray[np.intp]) -> list[Array]:
    """The values of each chain, in order."""
    return [np.asarray(values[number == c], dtype=np.float64) for c in range(int(number.max()) + 1)]


def _by_chain(blocks: LabelBlocks, number: NDArray[np.intp], items: NDArray[np.int64]) -> list[NDArray[Any]]:
    """The labels of the items compared, chain by chain."""
    n_bytes = 2 * blocks.n_draws * len(items) * blocks.dtype.itemsize
    require_memory(n_bytes, f"{blocks.n_draws:,} draws of {len(items):,} items", "thin the draws")
    kept = np.concatenate([block if len(items) == blocks.n_items else block[:, items] for _, block in blocks])
    return [kept[number == c] for c in range(int(number.max()) + 1)]
