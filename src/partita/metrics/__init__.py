"""Distances of an estimate from the truth, for hard labels and for memberships.

Every function takes (estimate, truth) in this order. Labels may be any whole numbers or words: only which items share
one matters. A new metric is one function in the file of its family: `partitions` (hard labels, a share or a count of
pairs), `information` (entropies), `probabilities` (memberships).
"""

from partita.metrics.information import entropy, normalized_variation_of_information, variation_of_information
from partita.metrics.partitions import accuracy, adjusted_rand_index, purity, rand_index
from partita.metrics.probabilities import align, brier_score, expected_calibration_error

__all__ = [
    "accuracy",
    "adjusted_rand_index",
    "align",
    "brier_score",
    "entropy",
    "expected_calibration_error",
    "normalized_variation_of_information",
    "purity",
    "rand_index",
    "variation_of_information",
]
