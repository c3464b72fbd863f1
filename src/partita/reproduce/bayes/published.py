"""The figures that [bayes-nmf] prints, as they stand there: Tables 2, 3 and 4, Figures 6 and 7 as its text words them.

Every number of Table 3 is followed by its standard error over 100 simulations. VI is in bits, which the paper does not
say and Table 4 shows: its figures come out to the third decimal in bits.
"""

from __future__ import annotations

__all__ = [
    "CONFIGURATIONS",
    "CONVENTIONAL",
    "COVARIANCES",
    "GALAXY",
    "METHODS",
    "NMF",
    "SCORES",
    "TABLE_3",
    "TABLE_4",
]

CONFIGURATIONS = ("TTT", "TTF", "TFT", "TFF", "FTT", "FTF", "FFT", "FFF")
NMF = {"ls": "NMF-ls", "kl": "NMF-kl", "ns": "NMF-ns", "offset": "NMF-offset"}
CONVENTIONAL = ("MinBinder", "MaxPEAR", "MinVI", "Medvedovic")
METHODS = (*NMF.values(), *CONVENTIONAL)
SCORES = {"rand": "Rand index", "adjusted_rand": "adjusted Rand index", "vi": "variation of information in bits"}

# Table 2, last column, row F: Sigma_1 ... Sigma_4, as they are printed.
COVARIANCES = (
    ((2.0, -0.8), (-0.8, 1.0)),
    ((1.0, 0.8), (0.8, 2.0)),
    ((1.0, 0.4), (0.4, 1.0)),
    ((2.0, 0.0), (0.0, 2.0)),
)

# Table 3. For each method and configuration: Rand, its error, adjusted Rand, its error, VI, its error.
_UPPER = """
NMF-ls     .967 .006 .925 .013 .167 .023  .966 .006 .921 .013 .157 .022  .971 .004 .938 .008 .186 .018  .975 .003 .946 .006 .164 .015
NMF-kl     .967 .006 .925 .013 .167 .023  .966 .006 .921 .013 .158 .022  .985 .003 .967 .007 .103 .015  .997 .001 .993 .003 .029 .006
NMF-ns     .967 .006 .925 .013 .168 .023  .966 .006 .921 .013 .157 .022  .985 .003 .968 .007 .100 .015  .996 .001 .992 .003 .030 .006
NMF-offset .951 .009 .894 .019 .288 .047  .939 .011 .870 .022 .329 .053  .864 .005 .701 .011 .771 .028  .858 .005 .689 .012 .770 .029
MinBinder  .967 .006 .925 .013 .167 .023  .966 .006 .921 .013 .158 .022  .985 .003 .967 .007 .103 .015  .997 .001 .992 .003 .030 .006
MaxPEAR    .967 .006 .925 .013 .167 .023  .966 .006 .921 .013 .158 .022  .985 .003 .967 .007 .103 .015  .997 .001 .992 .003 .030 .006
MinVI      .967 .006 .925 .013 .168 .023  .966 .006 .921 .013 .158 .022  .984 .004 .966 .007 .103 .015  .997 .001 .992 .003 .029 .006
Medvedovic .964 .006 .919 .013 .181 .024  .964 .006 .918 .013 .164 .022  .984 .003 .965 .007 .106 .015  .996 .002 .991 .003 .034 .007
"""  # noqa: E501
_LOWER = """
NMF-ls     .762 .004 .466 .006 1.627 .012  .850 .005 .637 .010 1.243 .015  .805 .005 .593 .009 1.342 .016  .876 .003 .735 .007 .992 .018
NMF-kl     .765 .004 .470 .006 1.630 .012  .857 .005 .650 .009 1.216 .015  .806 .005 .592 .009 1.350 .015  .882 .004 .744 .007 .993 .020
NMF-ns     .765 .004 .470 .006 1.623 .012  .855 .005 .646 .009 1.223 .015  .805 .004 .593 .008 1.345 .014  .878 .003 .738 .007 .992 .018
NMF-offset .767 .005 .470 .007 1.658 .013  .863 .005 .662 .010 1.229 .017  .805 .005 .577 .011 1.462 .033  .869 .004 .719 .008 1.045 .020
MinBinder  .778 .005 .486 .007 1.670 .014  .859 .004 .649 .009 1.279 .014  .819 .005 .614 .009 1.357 .017  .884 .003 .748 .007 1.006 .020
MaxPEAR    .768 .005 .476 .007 1.616 .013  .856 .005 .647 .009 1.223 .015  .813 .005 .607 .009 1.332 .015  .882 .003 .745 .007 .991 .020
MinVI      .758 .005 .463 .007 1.623 .012  .855 .005 .646 .009 1.221 .015  .778 .005 .554 .008 1.323 .012  .872 .004 .729 .008 .987 .018
Medvedovic .745 .007 .445 .008 1.653 .012  .850 .004 .636 .009 1.230 .014  .742 .013 .506 .017 1.391 .017  .873 .003 .727 .007 1.025 .018
"""  # noqa: E501


def _read(block: str, configurations: tuple[str, ...]) -> dict[tuple[str, str, str], tuple[float, float]]:
    found: dict[tuple[str, str, str], tuple[float, float]] = {}
    for line in block.strip().splitlines():
        method, *words = line.split()
        numbers = list(map(float, words))
        assert len(numbers) == 6 * len(configurations), line
        for c, configuration in enumerate(configurations):
            for s, score in enumerate(SCORES):
                at = 6 * c + 2 * s
                found[method, configuration, score] = (numbers[at], numbers[at + 1])
    return found


TABLE_3 = _read(_UPPER, CONFIGURATIONS[:4]) | _read(_LOWER, CONFIGURATIONS[4:])
"""By method, configuration and score: mean and standard error."""

TABLE_4 = {
    "rand": dict(zip(METHODS, (0.912, 0.915, 0.912, 0.924, 0.917, 0.915, 0.915, 0.912), strict=True)),
    "adjusted_rand": dict(zip(METHODS, (0.765, 0.774, 0.765, 0.799, 0.779, 0.774, 0.774, 0.765), strict=True)),
    "vi": dict(zip(METHODS, (0.762, 0.744, 0.762, 0.671, 0.711, 0.744, 0.744, 0.762), strict=True)),
}
"""Crabs, by score and method."""

GALAXY = {
    "MinBinder": "1-7 8 9 10-77 78 79 80-82",
    "MaxPEAR": "1-7 8 9 10-77 78 79 80-82",
    "MinVI": "1-7 8-79 80-82",
    "Medvedovic": "1-7,78-82 8-77",
    "NMF-ls": "1-7 8-76 77-82",
    "NMF-kl": "1-7 8-78 79-82",
    "NMF-ns": "1-9,78-82 10-77",
    "NMF-offset": "1-9 10-73 74-82",
}
"""Section 5.2 in numbers: the clusters of galaxies 1 to 82, by their first galaxy."""
