"""The sets of the UCI repository: the tables of [zhao2015], and three more.

[zhao2015] H. Zhao, P. Poupart, Y. Zhang, M. Lysy, SoF: Soft-cluster matrix factorization for probabilistic
clustering, AAAI 2015, Table 2.
"""

from __future__ import annotations

from string import ascii_uppercase

from partita.datasets.checksums import CONTENT, FILES
from partita.datasets.dataset import CatalogueEntry, Npz
from partita.datasets.public import delimited

__all__ = ["ENTRIES"]

LICENCE = "UCI Machine Learning Repository, CC BY 4.0"
DIGITS = tuple("0123456789")


def _counts(classes: str, counts: str) -> tuple[tuple[str, int], ...]:
    return tuple(zip(classes.split(), map(int, counts.split()), strict=True))


IRIS = _counts("setosa versicolor virginica", "50 50 50")

ENTRIES = (
    CatalogueEntry(
        name="blood_transfusion",
        title="Blood transfusion service centre",
        path="uci/blood_transfusion.csv",
        sha256=FILES["blood_transfusion"],
        content_sha256=CONTENT["blood_transfusion"],
        shape=(748, 4),
        counts=_counts("0 1", "570 178"),
        columns=("recency", "frequency", "monetary", "time"),
        source="UCI 176 (Yeh, Yang, Ting 2009)",
        licence=LICENCE,
        notes=(
            "monetary = 250 * frequency, exactly: the two are collinear, and one adds nothing to the other",
            "246 rows repeat the features of another row",
            "unscaled, monetary (250 to 12500) decides every Euclidean distance",
            "one cluster of all items has the purity, Rand index and accuracy that [zhao2015] reports",
        ),
        public=delimited("blood-transfusion/transfusion.data", header=True),
    ),
    CatalogueEntry(
        name="breast_tissue",
        title="Breast tissue impedance",
        path="uci/breast_tissue.csv",
        sha256=FILES["breast_tissue"],
        content_sha256=CONTENT["breast_tissue"],
        shape=(106, 9),
        counts=_counts("adi car con fad gla mas", "22 21 14 15 16 18"),
        columns=("I0", "PA500", "HFS", "DA", "Area", "A_DA", "Max_IP", "DR", "P"),
        source="UCI 192 (Marques de Sa, Jossinet), the sheet `Data` of BreastTissue.xls in full precision",
        licence=LICENCE,
        notes=(
            "scales differ by five orders of magnitude: unscaled, Area decides every Euclidean distance",
            "copies as CSV are rounded (off by up to 2e-5) and are refused",
        ),
        ask=(
            "the UCI repository (https://archive.ics.uci.edu/dataset/192) has it as an .xls file only: save its sheet "
            "'Data' in full precision, the columns I0 to P, then 'label'"
        ),
    ),
    CatalogueEntry(
        name="glass",
        title="Glass identification",
        path="uci/glass.csv",
        sha256=FILES["glass"],
        content_sha256=CONTENT["glass"],
        shape=(214, 9),
        counts=_counts("1 2 3 5 6 7", "70 76 17 13 9 29"),
        columns=("RI", "Na", "Mg", "Al", "Si", "K", "Ca", "Ba", "Fe"),
        source="UCI 42 (German)",
        licence=LICENCE,
        notes=("no item is of class 4", "the scales differ: unscaled, the percentages outweigh the refractive index"),
        public=delimited("glass/glass.data", skip_columns=1),
    ),
    CatalogueEntry(
        name="iris",
        title="Iris, the UCI file",
        path="uci/iris.csv",
        sha256=FILES["iris"],
        content_sha256=CONTENT["iris"],
        shape=(150, 4),
        counts=IRIS,
        columns=("sepal_length", "sepal_width", "petal_length", "petal_width"),
        source="UCI 53 (Fisher 1936, with two errors of transcription)",
        licence=LICENCE,
        notes=(
            "items 34 and 37 differ from Fisher's (`iris_fisher`) in three cells; papers before 2018 mostly use this",
        ),
        public=delimited("iris/iris.data", rename={f"Iris-{name}": name for name, _ in IRIS}),
    ),
    CatalogueEntry(
        name="iris_fisher",
        title="Iris, as Fisher published it",
        path="",
        sha256="",
        content_sha256=CONTENT["iris_fisher"],
        shape=(150, 4),
        counts=IRIS,
        columns=("sepal_length", "sepal_width", "petal_length", "petal_width"),
        source="scikit-learn's load_iris (Fisher 1936)",
        licence="BSD-3-Clause (scikit-learn)",
        notes=("differs from the UCI file in three cells of items 34 and 37",),
    ),
    CatalogueEntry(
        name="ecoli",
        title="E. coli protein localisation sites",
        path="uci/ecoli.csv",
        sha256=FILES["ecoli"],
        content_sha256=CONTENT["ecoli"],
        shape=(336, 7),
        counts=_counts("cp im imL imS imU om omL pp", "143 77 2 2 35 20 5 52"),
        columns=("mcg", "gvh", "lip", "chg", "aac", "alm1", "alm2"),
        source="UCI 39 (Nakai, Horton)",
        licence=LICENCE,
        notes=("lip and chg take two values, one of them hardly ever", "classes imL and imS have two items each"),
        public=delimited("ecoli/ecoli.data", delimiter=None, skip_columns=1),
    ),
    CatalogueEntry(
        name="satimage",
        title="Landsat satellite, the training part",
        path="uci/satimage_train.csv",
        sha256=FILES["satimage"],
        content_sha256=CONTENT["satimage"],
        shape=(4435, 36),
        counts=_counts("1 2 3 4 5 7", "1072 479 961 415 470 1038"),
        columns=tuple(f"x{j}" for j in range(1, 37)),
        source="UCI 146, sat.trn (Srinivasan)",
        licence=LICENCE,
        notes=(
            "4435 items as in [zhao2015]: the test part (2000) is not in it",
            "an item is a 3 x 3 patch of pixels: patches overlap, so items are not independent",
            "no item is of class 6",
        ),
        public=delimited("statlog/satimage/sat.trn", delimiter=None),
    ),
    CatalogueEntry(
        name="pendigits",
        title="Pen-based handwritten digits",
        path="uci/pendigits.csv",
        sha256=FILES["pendigits"],
        content_sha256=CONTENT["pendigits"],
        shape=(10992, 16),
        counts=_counts(" ".join(DIGITS), "1143 1143 1144 1055 1144 1055 1056 1142 1055 1055"),
        columns=tuple(f"{axis}{j}" for j in range(1, 9) for axis in "xy"),
        source="UCI 81, pendigits.tra, then pendigits.tes (Alpaydin, Alimoglu)",
        licence=LICENCE,
        notes=("the first 7494 items and the last 3498 have different writers",),
        public=delimited("pendigits/pendigits.tra", "pendigits/pendigits.tes"),
    ),
    CatalogueEntry(
        name="optdigits",
        title="Optical handwritten digits",
        path="images/optdigits.npz",
        sha256=FILES["optdigits"],
        content_sha256=CONTENT["optdigits"],
        shape=(5620, 64),
        counts=_counts(" ".join(DIGITS), "554 571 557 572 568 558 558 566 554 562"),
        layout=Npz(),
        columns=tuple(f"pixel_{j}" for j in range(64)),
        source="UCI 80, optdigits.tra, then optdigits.tes (Alpaydin, Kaynak)",
        licence=LICENCE,
        notes=("counts 0 to 16 on 8 x 8 cells; scikit-learn's load_digits is a part of it",),
        public=delimited("optdigits/optdigits.tra", "optdigits/optdigits.tes"),
    ),
    CatalogueEntry(
        name="letter",
        title="Letter recognition",
        path="large/letter.npz",
        sha256=FILES["letter"],
        content_sha256=CONTENT["letter"],
        shape=(20000, 16),
        counts=_counts(
            " ".join(ascii_uppercase),
            "789 766 736 805 768 775 773 734 755 747 739 761 792 783 753 803 783 758 748 796 813 764 752 787 786 734",
        ),
        layout=Npz(names=tuple(ascii_uppercase)),
        columns=(
            *("x-box", "y-box", "width", "high", "onpix", "x-bar", "y-bar", "x2bar"),
            *("y2bar", "xybar", "x2ybr", "xy2br", "x-ege", "xegvy", "y-ege", "yegvx"),
        ),
        source="UCI 59 (Slate 1991)",
        licence=LICENCE,
        notes=("integers 0 to 15; about 1,300 rows repeat another row",),
        public=delimited("letter-recognition/letter-recognition.data", label=0),
    ),
    CatalogueEntry(
        name="shuttle",
        title="Statlog shuttle, training and test part",
        path="large/shuttle.npz",
        sha256=FILES["shuttle"],
        content_sha256=CONTENT["shuttle"],
        shape=(58000, 9),
        counts=_counts("1 2 3 4 5 6 7", "45586 50 171 8903 3267 10 13"),
        layout=Npz(),
        columns=tuple(f"x{j}" for j in range(1, 10)),
        source="UCI 148, shuttle.trn (43500), then shuttle.tst (14500)",
        licence=LICENCE,
        notes=("79% of the items are of class 1, and class 6 has 10", "the scales differ, with far outliers"),
        ask=(
            "the UCI repository (https://archive.ics.uci.edu/dataset/148) has its training part as a .Z file, which "
            "Python does not unpack"
        ),
    ),
)
