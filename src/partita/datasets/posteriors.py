"""The sets of [bayes-nmf]: galaxies, crabs, and draws of partitions.

Its section 5.2 uses the galaxy draws of R's mcclust.ext, section 5.3 the crabs of R's MASS; ex1 is that of
[wade2018].
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.datasets.checksums import CONTENT, FILES
from partita.datasets.dataset import CatalogueEntry, Npz
from partita.datasets.public import galaxies, rdatasets_crabs

__all__ = ["ENTRIES"]

MCCLUST = "R's mcclust.ext (Wade and Ghahramani 2018), {}"
ASK = (
    "the R package mcclust.ext (https://github.com/sarawade/mcclust.ext) has it as {}, which only R reads: write it "
    "with R's write.csv and pass the file to `partita partition`"
)


def _draws(X: NDArray[Any]) -> NDArray[np.int64]:
    return np.asarray(X, dtype=np.int64)


ENTRIES = (
    CatalogueEntry(
        name="crabs",
        title="Leptograpsus crabs",
        path="bayes/crabs.csv",
        sha256=FILES["crabs"],
        content_sha256=CONTENT["crabs"],
        shape=(200, 5),
        counts=(("BF", 50), ("BM", 50), ("OF", 50), ("OM", 50)),
        columns=("FL", "RW", "CL", "CW", "BD"),
        source="R's MASS::crabs (Campbell and Mahon 1974), in mm",
        licence="MASS, GPL-2 or GPL-3; the measurements are of 1974",
        notes=(
            "classes are species (B blue, O orange) and sex (F, M)",
            "all five columns are here; the figures of the NMF paper come out with FL, RW, CW and BD",
            "the measurements share one size: all correlations are above .88",
        ),
        public=rdatasets_crabs(),
    ),
    CatalogueEntry(
        name="galaxies",
        title="Velocities of 82 galaxies",
        path="bayes/galaxies.csv",
        sha256=FILES["galaxies"],
        content_sha256=CONTENT["galaxies"],
        shape=(82, 1),
        columns=("velocity_km_s",),
        source="R's MASS::galaxies (Roeder 1990), in km/s",
        licence="MASS, GPL-2 or GPL-3; the velocities are of 1990",
        notes=(
            "value 78 is 26690, a typing error of MASS: Roeder has 26960; galaxy_mcmc was drawn with the error",
            "the values start at 9172",
            "in km/s; most papers divide by 1000",
        ),
        public=galaxies(),
    ),
    CatalogueEntry(
        name="galaxy_mcmc",
        title="Partitions of the galaxies, drawn from a posterior",
        path="bayes/galaxy_mcmc.npz",
        sha256=FILES["galaxy_mcmc"],
        shape=(10000, 82),
        kind="draws",
        layout=Npz(X="draw", labels=None, values=_draws),
        source=MCCLUST.format("galaxy.draw"),
        licence="mcclust.ext, GPL (>= 2)",
        notes=(
            "labels 1 to 16, as stored; 9,636 of the partitions differ",
            "drawn with MASS's typing error in value 78",
        ),
        ask=ASK.format("data/galaxy.draw.RData"),
    ),
    CatalogueEntry(
        name="ex1",
        title="Four normals in the plane",
        path="bayes/ex1.csv",
        sha256=FILES["ex1"],
        content_sha256=CONTENT["ex1"],
        shape=(200, 2),
        counts=(("1", 54), ("2", 53), ("3", 44), ("4", 49)),
        columns=("x1", "x2"),
        source=MCCLUST.format("ex1.data: means (+-2, +-2), standard deviation 1"),
        licence="mcclust.ext, GPL (>= 2)",
        ask=ASK.format("data/ex1.data.RData"),
    ),
    CatalogueEntry(
        name="ex1_mcmc",
        title="Partitions of ex1, drawn from a posterior",
        path="bayes/ex1_mcmc.npz",
        sha256=FILES["ex1_mcmc"],
        shape=(10000, 200),
        kind="draws",
        layout=Npz(X="draw", labels=None, values=_draws),
        source=MCCLUST.format("ex1.draw"),
        licence="mcclust.ext, GPL (>= 2)",
        notes=("labels 1 to 18, as stored",),
        ask=ASK.format("data/ex1.draw.RData"),
    ),
)
