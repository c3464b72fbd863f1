"""The spectral relaxation of kernel k-means [zha2001; ding2005]: any D-orthonormal W instead of a partition's
indicators.

The optimum is the span of the K leading eigenvectors, with value ||P||^2 + K - 2 (lambda_1 + ... + lambda_K): a lower
bound of kernel k-means, attained when a partition's indicators span it.
"""

from __future__ import annotations

from partita.objectives.domain import ORTHONORMAL
from partita.objectives.sof import SoFObjective

__all__ = ["SpectralObjective"]


class SpectralObjective(SoFObjective):
    """||P - W W^T||^2 over W with W^T D W = I.

    >>> SpectralObjective().domain.equation
    'W^T D W = I'
    """

    name = "spectral"
    equation = "||P - W W^T||^2 = const - 2 tr(W^T P W)"
    source = "[zha2001], [ding2005], [zhao2015] Table 1"
    domain = ORTHONORMAL
