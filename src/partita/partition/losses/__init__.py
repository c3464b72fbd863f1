"""Losses between partitions. One file for each family; importing this package registers them all."""

from partita.partition.losses.adjusted_rand import AdjustedRand, PosteriorExpectedRand
from partita.partition.losses.base import PartitionLoss, Unit, loss_of
from partita.partition.losses.binder import Binder
from partita.partition.losses.constant_potts import ConstantPotts
from partita.partition.losses.information import (
    InformationDistance,
    NormalizedInformationDistance,
    NormalizedVariation,
)
from partita.partition.losses.lower_bound import LowerBound
from partita.partition.losses.variation import VariationOfInformation

__all__ = [
    "AdjustedRand",
    "Binder",
    "ConstantPotts",
    "InformationDistance",
    "LowerBound",
    "NormalizedInformationDistance",
    "NormalizedVariation",
    "PartitionLoss",
    "PosteriorExpectedRand",
    "Unit",
    "VariationOfInformation",
    "loss_of",
]
