"""The record of what the chains of a posterior say of each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import ModelError
from partita.io.codec import copied
from partita.partition.chains import ChainComparison
from partita.shapes import floats, whole

__all__ = ["SavedComparison"]

TRACES = ("n_clusters", "distance")


@dataclass(frozen=True)
class SavedComparison:
    """C chains and T draws, chain after chain; names of chains are numbers or words."""

    agree: bool
    verdict: str
    chains: Any
    farthest: tuple[int, ...]
    n_items: int
    exact: bool
    r_hat: dict[str, float]
    effective_sample_size: dict[str, float]
    max_difference: float
    mean_difference: float
    allowed_difference: float
    allowed_r_hat: float
    least_effective: float
    lengths: Annotated[NDArray[np.int64], whole("C")]
    n_clusters: Annotated[NDArray[np.int64], whole("T", as_type=np.int64)]
    distances: Annotated[NDArray[np.float64], floats("T")]

    @classmethod
    def of(cls, comparison: ChainComparison) -> SavedComparison:
        """Return the record of a comparison."""
        chains = comparison.chains if comparison.chains.dtype.kind in "iubU" else comparison.chains.astype(str)
        own = comparison.chains.tolist()
        return copied(
            cls,
            comparison,
            chains=chains.tolist(),
            farthest=tuple(own.index(name) for name in comparison.farthest),
            lengths=np.array([len(trace) for trace in comparison.n_clusters], dtype=np.int64),
            n_clusters=np.concatenate(comparison.n_clusters),
            distances=np.concatenate(comparison.distances),
        )

    def check(self) -> None:
        """Raise `ModelError` for chains and draws that do not go together."""
        names, C = self.chains, len(self.lengths)
        if not isinstance(names, list) or len(names) < 2 or len({type(name) for name in names}) > 1:
            raise ModelError("the chains of the model should be two or more names of one type; save the model again")
        if not isinstance(names[0], int | str):
            raise ModelError(f"a chain of the model is called {names[0]!r}: expected a number or text; save it again")
        if len(names) != C or not (self.lengths > 0).all():
            raise ModelError(f"array 'agreement.lengths' of the model has no draws of a chain among {len(names)}")
        if sum(self.lengths.tolist()) != len(self.n_clusters):
            raise ModelError("array 'agreement.n_clusters' of the model is not as long as its chains; save it again")
        if len(self.farthest) != 2 or max(self.farthest) >= C:
            raise ModelError(f"the chains farthest apart in the model are {self.farthest}, expected two of {C}")
        for what, of_each in (("r_hat", self.r_hat), ("effective_sample_size", self.effective_sample_size)):
            if lacking := set(TRACES) - of_each.keys():
                raise ModelError(f"{min(lacking, key=TRACES.index)} of {what} is missing; save the model again")

    def made(self) -> ChainComparison:
        """Return the comparison."""
        ends = np.cumsum(self.lengths)[:-1]
        return copied(
            ChainComparison,
            self,
            chains=np.asarray(self.chains),
            farthest=tuple(self.chains[at] for at in self.farthest),
            n_clusters=np.split(self.n_clusters, ends),
            distances=np.split(self.distances, ends),
        )
