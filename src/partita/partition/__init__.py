"""Partitions of least expected loss: losses, their expectation over draws, and the search for the best partition.

`expected_loss` and `partition_distance` score partitions, `search_partition` finds the best, `posterior_similarity`
makes the matrix of co-clustering probabilities; `METHODS` are the searches of the literature under their names.
"""

from partita.partition.dendrogram import Dendrogram
from partita.partition.draws import PartitionDraws
from partita.partition.expected import expected_loss, expected_loss_from_similarity, partition_distance
from partita.partition.losses import PartitionLoss, loss_of
from partita.partition.methods import METHODS
from partita.partition.result import MethodResult, PartitionResult, Run, Tried
from partita.partition.search import search_partition
from partita.partition.similarity import posterior_similarity

__all__ = [
    "METHODS",
    "Dendrogram",
    "MethodResult",
    "PartitionDraws",
    "PartitionLoss",
    "PartitionResult",
    "Run",
    "Tried",
    "expected_loss",
    "expected_loss_from_similarity",
    "loss_of",
    "partition_distance",
    "posterior_similarity",
    "search_partition",
]
