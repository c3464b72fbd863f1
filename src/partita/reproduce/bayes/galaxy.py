"""The galaxies of [bayes-nmf] section 5.2, from the published draws; computed once for Figures 6 and 7.

Cells are "conventional" (what needs no factorization), and "kl/3": ten random starts of one method for every K, the
fourth time; factorizations depend on their seed even at the best of ten, so one time says little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from partita.reproduce.bayes.factorizing import Criterion, Scaling, chosen, factorized
from partita.reproduce.bayes.published import NMF
from partita.reproduce.bayes.sampling import clusters_written, conventional, settings_of
from partita.reproduce.experiment import Cell, Experiment, Numbers, Size, random_numbers

if TYPE_CHECKING:
    from partita.nmf import NMFResult

__all__ = ["OURS", "SOFT_K", "SOURCE", "Galaxy", "labels_written", "repeated", "sources"]

STORE = "bayes-nmf-galaxy"
OURS = "Partita's defaults"
STARTS = 10
TIMES: dict[Size, int] = {"full": 10, "quick": 2, "smoke": 1}
SOFT_K = (3, 4, 5)
SOURCE = "galaxy_mcmc"


class Galaxy(Experiment):
    """Cells of the galaxies."""

    paper = "bayes-nmf"
    store = STORE

    def cells(self, size: Size) -> Sequence[Cell]:
        settings = {**settings_of(size), "starts": 1 if size == "smoke" else STARTS}
        if size == "smoke":
            settings["largest_K"] = max(SOFT_K)
        n = TIMES[size] if self.replicates is None else self.replicates
        ends = [f"{method}/{s}" for s in range(n) for method in NMF]
        return [Cell("conventional"), *(Cell(end, settings) for end in ends)]

    def compute(self, cell: Cell, rng: np.random.Generator) -> Numbers:
        from partita import BayesianPartition
        from partita.datasets import load_dataset
        from partita.partition import PartitionDraws

        given = load_dataset(SOURCE)
        draws = PartitionDraws.of(given.X)
        if cell.key == "conventional":
            found = {name: _say(labels) for name, labels in conventional(draws).items()}
            ours = BayesianPartition(random_state=0).fit(draws.labels, weights=draws.counts)
            return {**found, OURS: _say(ours.labels_), "unique": draws.n_draws}
        method, time = cell.key.split("/")
        # All four methods begin at the same factors.
        seeds = random_numbers(STORE, time, self.seed).integers(2**31, size=cell.settings["starts"])
        starts = [
            factorized(draws.similarity, int(seed), cell.settings, _say, _soft, [method])[NMF[method]] for seed in seeds
        ]
        return {"K": [min(rows, key=lambda row: float(row["objective"])) for rows in zip(*starts, strict=True)]}


def _say(labels: Any) -> Numbers:
    return {"n_clusters": len(np.unique(labels)), "clusters": clusters_written(labels)}


def _soft(result: NMFResult) -> Numbers:
    """Columns of H divided by their sums [bayes-nmf eq. (21)], as they are and with balanced components."""
    from partita.nmf import Factors
    from partita.nmf.reading import balanced

    if result.n_components not in SOFT_K or result.method != "kl":
        return {}
    plain = np.ascontiguousarray(result.H.T)
    _, even = balanced(Factors(result.W, plain))
    shares = {"soft": plain, "soft_balanced": even}
    return {name: (H / H.sum(axis=1, keepdims=True)).round(5).tolist() for name, H in shares.items()}


def labels_written(clusters: str) -> NDArray[np.int64]:
    """Return labels from ranges of items: the inverse of `clusters_written`.

    >>> labels_written("1-2,4 3,5").tolist()
    [0, 0, 1, 0, 1]
    """
    at: dict[int, int] = {}
    for k, cluster in enumerate(clusters.split()):
        for part in cluster.split(","):
            low, _, high = part.partition("-")
            at |= dict.fromkeys(range(int(low), int(high or low) + 1), k)
    return np.array([at[i] for i in sorted(at)])


def repeated(
    found: Mapping[str, Numbers], *, criterion: Criterion = "binder", scaling: Scaling = "plain"
) -> dict[str, list[dict[str, Any]]]:
    """Return choices of each NMF, one for each repetition."""
    return {
        name: [
            chosen([numbers["K"]], criterion=criterion, scaling=scaling)
            for key, numbers in found.items()
            if key.startswith(f"{method}/")
        ]
        for method, name in NMF.items()
    }


def sources() -> dict[str, str]:
    """Return the sets read, with their checksums."""
    from partita.datasets import describe

    return {name: f"sha256 {describe(name).sha256}" for name in (SOURCE, "galaxies")}
