"""Sets of images: digits that stand in for those of [rotabulo2010], the faces of [li2014], and USPS."""

from __future__ import annotations

from partita.datasets.checksums import CONTENT, FILES
from partita.datasets.dataset import CatalogueEntry, Npz
from partita.datasets.public import idx_balanced

__all__ = ["ENTRIES"]

# Images of each subject of Extended Yale B: 64, less the corrupt ones.
FACES = {11: 60, 12: 59, 13: 60, 14: 63, 15: 62, 16: 63, 17: 63}

ENTRIES = (
    CatalogueEntry(
        name="mnist_1000",
        title="1000 handwritten digits",
        path="images/mnist_1000.npz",
        sha256=FILES["mnist_1000"],
        content_sha256=CONTENT["mnist_1000"],
        shape=(1000, 784),
        counts=tuple((str(digit), 100) for digit in range(10)),
        layout=Npz(),
        columns=tuple(f"pixel_{j}" for j in range(784)),
        source="MNIST's test part, the first 100 of each digit (LeCun, Cortes, Burges)",
        licence="CC BY-SA 3.0",
        notes=(
            "a stand-in for the NIST digits (n = 1000, k = 10) of the Baum-Eagon paper, whose sample is not public: of "
            "the same size, not the same images",
            "raw grey values, 0 to 255",
        ),
        public=idx_balanced(100),
    ),
    CatalogueEntry(
        name="usps",
        title="USPS digits",
        path="images/usps_9298.npz",
        sha256=FILES["usps"],
        content_sha256=CONTENT["usps"],
        shape=(9298, 256),
        counts=tuple((str(digit), n) for digit, n in enumerate((1553, 1269, 929, 824, 852, 716, 834, 792, 708, 821))),
        layout=Npz(),
        columns=tuple(f"pixel_{j}" for j in range(256)),
        source="github.com/cselm/ELM, usps.mat (Hull 1994)",
        licence="none stated",
        notes=("grey values 0 to 2000; in [0, 1] they are X / 2000", "the first 7291 are the training part"),
        ask="copies go round as usps.mat, scaled in several ways; the digits are those of Hull (1994)",
    ),
    CatalogueEntry(
        name="yaleb",
        title="Extended Yale B faces, 48 x 42",
        path="images/yaleb_48x42.npz",
        sha256=FILES["yaleb"],
        content_sha256=CONTENT["yaleb"],
        shape=(2414, 2016),
        counts=tuple((str(subject), FACES.get(subject, 64)) for subject in range(1, 39)),
        layout=Npz(),
        columns=tuple(f"pixel_{j}" for j in range(2016)),
        source="Extended Yale B, cropped (Georghiades, Belhumeur, Kriegman 2001; Lee, Ho, Kriegman 2005)",
        licence="research use",
        notes=("2414 images of 38 subjects: 18 corrupt ones are left out, so not the 2432 of YaleBCrop025",),
        ask="the faces are for research use: ask the holders of the Extended Yale Face Database B (vision.ucsd.edu)",
    ),
)
