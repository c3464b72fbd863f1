"""Relabelling of partition draws: which cluster of each draw is which, and membership shares from that."""

from partita.relabelling.base import Relabelling
from partita.relabelling.ecr import ECR, IterativeECR
from partita.relabelling.relabel import RelabelResult, relabel
from partita.relabelling.stephens import Stephens

__all__ = ["ECR", "IterativeECR", "RelabelResult", "Relabelling", "Stephens", "relabel"]
