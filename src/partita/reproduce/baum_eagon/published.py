"""Table 1 of [rotabulo2010] as printed: mean accuracy and standard deviation over 10 runs.

[rotabulo2010] S. Rota Bulò, M. Pelillo, Probabilistic clustering using the Baum-Eagon inequality, ICPR 2010.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["PUBLISHED", "SCOP", "Printed"]


class Printed(NamedTuple):
    """A figure, and what stands behind its plus and minus."""

    mean: float
    deviation: float


# Number of clusters, number of items and the figures by set.
PUBLISHED: dict[str, dict[str, Printed]] = {
    "S-Block": {
        "BE": Printed(0.995, 0.013),
        "CP": Printed(0.556, 0.143),
        "NCUT": Printed(1.000, 0.000),
        "NJW": Printed(0.596, 0.010),
    },
    "Digit": {
        "BE": Printed(0.700, 0.042),
        "CP": Printed(0.430, 0.142),
        "NCUT": Printed(0.566, 0.096),
        "NJW": Printed(0.657, 0.000),
    },
    "Iris": {
        "BE": Printed(0.993, 0.000),
        "CP": Printed(0.991, 0.003),
        "NCUT": Printed(0.993, 0.000),
        "NJW": Printed(0.993, 0.000),
    },
    "Scop": {
        "BE": Printed(0.706, 0.001),
        "CP": Printed(0.703, 0.000),
        "NCUT": Printed(0.568, 0.000),
        "NJW": Printed(0.630, 0.000),
    },
}
# k and n of the paper's subset of SCOP.
SCOP = (5, 451)
