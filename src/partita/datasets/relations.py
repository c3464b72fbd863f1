"""Sets that are relations of items, or many small sets: proteins, and the motions of Hopkins 155."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.datasets.checksums import FILES
from partita.datasets.dataset import CatalogueEntry, Npz

__all__ = ["ENTRIES", "MOTIONS"]

# -log10 of the E value that stands for a pair that BLAST did not find.
NO_HIT = -6.0
SUPERFAMILIES = (("a.1.1", 88), ("a.39.1", 83), ("b.6.1", 78), ("c.1.8", 83), ("c.47.1", 81), ("f.2.1", 94))
CLUSTEVAL = (
    "the similarities are in github.com/deric/clusteval (GPL-3), clusteval/testCaseRepository/data, as cost matrices "
    "that are not read here"
)


def _nonnegative(S: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(S, dtype=np.float64) - NO_HIT


def _scop(name: str, key: str, what: str) -> CatalogueEntry:
    return CatalogueEntry(
        name=name,
        title=f"507 protein domains of SCOP, {what}",
        path="relational/scop_paccanaro507.npz",
        sha256=FILES["scop507"],
        shape=(507, 507),
        kind="affinity",
        counts=SUPERFAMILIES,
        layout=Npz(X=key, labels="superfamily", values=_nonnegative),
        source="SCOP 1.61, set 1 of Paccanaro, Casbon and Saqi (2006), by way of clusteval",
        licence="GPL-3 repository; SCOP and ASTRAL",
        notes=(
            "the stored similarity is -log10 of BLAST's E value, -6 where BLAST found no hit; made nonnegative by "
            "adding 6, so that no hit is zero evidence and the order of all pairs is kept",
            "a stand-in for the SCOP subset (k = 5, n = 451) of the Baum-Eagon paper, which is not published",
            "the diagonal is the largest value, and a few pairs come close to it: the evidence has a heavy tail",
        ),
        ask=CLUSTEVAL,
    )


ENTRIES = (
    _scop("scop507", "S_beh", "best BLAST hit"),
    _scop("scop507_sum_of_hits", "S_soh", "sum of BLAST hits"),
    CatalogueEntry(
        name="protein_globin213",
        title="213 globin proteins",
        path="relational/protein_globin213.npz",
        sha256=FILES["protein_globin213"],
        shape=(213, 213),
        kind="distances",
        counts=(("G", 30), ("HA", 72), ("HB", 72), ("M", 39)),
        layout=Npz(X="D", labels="classes"),
        source="R's evclust::protein (Hofmann and Buhmann 1997)",
        licence="evclust, GPL-3",
        notes=("evolutionary distances, not Euclidean; classes are haemoglobin alpha, beta, myoglobin, heterogeneous",),
        ask="the R package evclust has it as `protein`: write its matrix with R's write.csv",
    ),
)

MOTIONS = CatalogueEntry(
    name="hopkins155",
    title="Hopkins 155 motion sequences",
    path="motion/hopkins155.npz",
    sha256=FILES["hopkins155"],
    shape=(156, 0),
    kind="sequences",
    source="Johns Hopkins Vision Lab (Tron and Vidal 2007)",
    licence="research use",
    notes=(
        "120 sequences of two motions, 35 of three, and `dancing` of five, which is none of the 155",
        "sequences ending in _g12, _g13, _g23 are parts of the one without that ending: not independent of it",
    ),
    ask="the sequences are for research use: ask the Johns Hopkins Vision Lab (vision.jhu.edu/data/hopkins155)",
)
