"""The affinities of [li2014, section 5]: SSC and LRR, "only those part [...] that produce the affinity matrix".

Neither the options of the two nor their code's version are told.

    paper     one reading of each: of those that `others` lists, the one under which the constants as printed come
              nearest to what the paper says of its noise test
    flats     the same, SSC for affine subspaces, as which section 5.2 takes motions
    ours      Partita's defaults
    motions, faces      what docs/how-many.md advises there: motions have little noise, faces are lit from few sides

Those for motions were chosen on the sequences `CHOSEN` of Hopkins 155, and the others are scored apart.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from partita.affinity import Builder

__all__ = ["CHOICES", "CHOSEN", "KINDS", "AffinitySetting", "affinities", "others"]

KINDS = ("SSC", "LRR")
# Sequences of Hopkins 155, in the order of the file, on which the settings for motions were chosen.
CHOSEN = slice(None, None, 8)

CHOICES = (
    "SSC and LRR have options that the paper does not name, and its constants lambda = 2 and gamma = .005 mean "
    "something only once those are fixed, since c A, c lambda and c gamma give what A, lambda and gamma give. Taken, "
    "for every set: SSC by LASSO without outliers, lambda_z = 5 / max_j |x_i . x_j| for each item, codes scaled so "
    "that their largest entry is one, P = |C| + |C|^T with a diagonal of zeros; LRR with gross errors in some items, "
    "lambda = .18, P_ij = (m_i . m_j)^4 of all pairs [liu2013]; items scaled to length one. Of a dozen readings these "
    "are the ones under which SCAMS as printed comes nearest to what the paper says of its noise test "
    "(scams-figure2 has the others).",
    "GH, ST and SOD get their partition by spectral clustering: k-means (10 starts) on the rows, scaled to length one, "
    "of the leading eigenvectors of D^-1/2 P D^-1/2. GH looks at K = 1 to 20, SOD at 2 to 19; ST takes tau = .08, as "
    "[liu2013] does for motions.",
    "Algorithm 2 loses clusters as printed (partita.scams.boolean_factorization lists the defects): the mended one is "
    "taken, at the printed constants too. SCAMS-CK pivots by the largest diagonal entry.",
)


class AffinitySetting(NamedTuple):
    """A builder, and the share of `LocalSearch` that goes with it (None: the default)."""

    builder: Builder
    share: float | None = None


def affinities(which: str) -> dict[str, AffinitySetting]:
    """Return SSC and LRR in one of their readings: "paper", "flats", "ours", "motions" or "faces".

    >>> affinities("ours")["SSC"].builder.ridge, affinities("paper")["SSC"].builder.ridge
    (5.0, 0.0)
    """
    from partita.affinity import LowRankRepresentation, SparseSubspace

    ssc, lrr = SparseSubspace(alpha=5.0, ridge=0.0), LowRankRepresentation(errors="outliers", n_neighbors=None)
    known = {
        "paper": {"SSC": AffinitySetting(ssc), "LRR": AffinitySetting(lrr)},
        "flats": {"SSC": AffinitySetting(replace(ssc, affine=True)), "LRR": AffinitySetting(lrr)},
        "ours": {"SSC": AffinitySetting(SparseSubspace()), "LRR": AffinitySetting(LowRankRepresentation())},
        "motions": {
            "SSC": AffinitySetting(
                SparseSubspace(alpha=20.0, ridge=0.0, per_item=False, affine=True, power=1.5), 0.035
            ),
            "LRR": AffinitySetting(LowRankRepresentation(affine=True, price=1e4, n_neighbors=None), 0.05),
        },
        "faces": {
            "SSC": AffinitySetting(SparseSubspace(alpha=3.0, coordinates="low-rank"), 0.1),
            "LRR": AffinitySetting(LowRankRepresentation()),
        },
    }
    return known[which]


def others() -> dict[str, tuple[Builder, float]]:
    """Return readings of SSC and LRR, and what their entries are multiplied with."""
    from partita.affinity import LowRankRepresentation, SparseSubspace

    ssc, lrr = SparseSubspace(alpha=5.0, ridge=0.0), LowRankRepresentation(errors="outliers", n_neighbors=None)
    return {
        "SSC": (ssc, 1.0),
        "SSC, times 5": (ssc, 5.0),
        "SSC, times .2": (ssc, 0.2),
        "SSC, alpha 20": (replace(ssc, alpha=20.0), 1.0),
        "SSC, alpha 5, one lambda for all": (replace(ssc, per_item=False), 1.0),
        "SSC, alpha 20, one lambda for all": (replace(ssc, alpha=20.0, per_item=False), 1.0),
        "SSC, alpha 800, one lambda for all": (replace(ssc, alpha=800.0, per_item=False), 1.0),
        "SSC, elastic net (our default)": (SparseSubspace(), 1.0),
        "LRR": (lrr, 1.0),
        "LRR, times 5": (lrr, 5.0),
        "LRR, times .2": (lrr, 0.2),
        "LRR, lambda 1": (replace(lrr, price=1.0), 1.0),
        "LRR, lambda 4": (replace(lrr, price=4.0), 1.0),
        "LRR, (m . m)^2": (replace(lrr, alpha=1), 1.0),
        "LRR, |Z| + |Z|^T": (replace(lrr, weights="coefficients"), 1.0),
        "LRR, noise, tau 100, all pairs": (LowRankRepresentation(n_neighbors=None), 1.0),
        "LRR, noise, tau 10, all pairs": (LowRankRepresentation(price=10.0, n_neighbors=None), 1.0),
        "LRR, noise, tau 100, 30 neighbours (our default)": (LowRankRepresentation(), 1.0),
    }
