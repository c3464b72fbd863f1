"""Affinities of items that lie near a union of subspaces: sparse codes, by LASSO or greedily, and low-rank ones.

| builder | items | why |
|---|---|---|
| `SparseSubspace` | to about 10,000 | few links between subspaces; the usual choice; affine subspaces, gross errors |
| `MatchingPursuit` | to about 50,000 | a few numbers an item; needs items spread well within their subspaces |
| `LowRankRepresentation` | to about 50,000 | dense within subspaces, closed form: by far the fastest |
"""

from partita.affinity.from_subspace.lrr import LowRankRepresentation
from partita.affinity.from_subspace.ssc import SparseSubspace
from partita.affinity.from_subspace.ssc_omp import MatchingPursuit

__all__ = ["LowRankRepresentation", "MatchingPursuit", "SparseSubspace"]
