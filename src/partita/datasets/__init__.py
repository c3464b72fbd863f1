"""The sets of the papers: loaders with checksums, downloads on request, and generators.

dataset, catalogue              what a set is, and what is known of each
uci, shapes, posteriors, pictures, relations, checksums     the sets
home, tables, load, sequences   reading them
public, fetch                   getting them from their public homes, never silently
gaussian_configurations, subspaces, block_stochastic, six_shapes    generators, each seeded by a Generator
"""

from partita.datasets.block_stochastic import BLOCK_GUESSES, block_stochastic
from partita.datasets.catalogue import dataset_names, describe
from partita.datasets.dataset import CatalogueEntry, Dataset
from partita.datasets.fetch import fetch_dataset
from partita.datasets.gaussian_configurations import (
    GaussianConfiguration,
    eight_configurations,
    gaussian_configuration,
)
from partita.datasets.home import dataset_home
from partita.datasets.load import load_dataset
from partita.datasets.sequences import load_sequences
from partita.datasets.six_shapes import Shape, six_shapes
from partita.datasets.subspaces import group_test, noise_test, union_of_subspaces

__all__ = [
    "BLOCK_GUESSES",
    "CatalogueEntry",
    "Dataset",
    "GaussianConfiguration",
    "Shape",
    "block_stochastic",
    "dataset_home",
    "dataset_names",
    "describe",
    "eight_configurations",
    "fetch_dataset",
    "gaussian_configuration",
    "group_test",
    "load_dataset",
    "load_sequences",
    "noise_test",
    "six_shapes",
    "union_of_subspaces",
]
