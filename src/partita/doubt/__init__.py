"""Doubt: items that belong to no cluster, items whose label can be relied on, and what would change the answer."""

from partita.doubt.coverage import (
    ConfidentItems,
    ConfidentPairs,
    certainty_by_agreement,
    certainty_of_labels,
    confident_items,
    confident_pairs,
    divided,
)
from partita.doubt.layers import Layer, Layers, Split, nested_layers
from partita.doubt.outliers import IF_FAR, background_probability, off_the_sphere, on_the_sphere, probability_of_new
from partita.doubt.support import weak_support_probability

__all__ = [
    "IF_FAR",
    "ConfidentItems",
    "ConfidentPairs",
    "Layer",
    "Layers",
    "Split",
    "background_probability",
    "certainty_by_agreement",
    "certainty_of_labels",
    "confident_items",
    "confident_pairs",
    "divided",
    "nested_layers",
    "off_the_sphere",
    "on_the_sphere",
    "probability_of_new",
    "weak_support_probability",
]
