"""Kernel k-means [dhillon2004] in the form of [zhao2015] Table 1: P is the kernel, W = Y (Y^T D Y)^-1/2.

With W^T D W = I the objective is ||P||^2 + K - 2 tr(W^T D P D W), and tr(D P) - tr(W^T D P D W) is the sum of squared
distances to the cluster means in the space of the kernel. One and the same order of partitions, for any symmetric P;
where P is indefinite, the distances are a manner of speaking. On D^-1/2 P D^-1/2 with D the degrees and weights D
it is normalised cut [dhillon2004].
"""

from __future__ import annotations

from partita.objectives.domain import PARTITIONS
from partita.objectives.sof import SoFObjective

__all__ = ["KernelKMeansObjective"]


class KernelKMeansObjective(SoFObjective):
    """||P - W W^T||^2 over normalised indicators of partitions into K clusters.

    >>> KernelKMeansObjective().domain.name
    'partitions'
    """

    name = "kernel_kmeans"
    equation = "||P - W W^T||^2 = const - 2 tr(W^T P W)"
    source = "[dhillon2004], [zhao2015] Table 1"
    domain = PARTITIONS
