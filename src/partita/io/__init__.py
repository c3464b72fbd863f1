"""Files in and out: every reader names file, row and column of what is wrong; nothing is ever left half-written.

Readers return frozen dataclasses with the arrays, the ids, the SHA-256 of the file and `notes` for the user.
"""

from partita.io.chosen_columns import LackingColumnsError, LinksError, NoFeaturesError
from partita.io.draw_files import open_draws, read_draw_weights, read_draws
from partita.io.edges import EdgeTable, read_edges, read_links, read_pair_weights
from partita.io.estimators import load, save, save_model
from partita.io.features import FeatureTable, read_features
from partita.io.files import did_you_mean, sha256_of_file
from partita.io.installed import versions
from partita.io.label_files import LabelTable, match_labels, read_labels
from partita.io.matrices import MatrixTable, read_matrix
from partita.io.memberships import MembershipTable, read_memberships, write_memberships
from partita.io.models import read_model, write_model
from partita.io.output import (
    atomic_write_bytes,
    atomic_write_text,
    is_partita_folder,
    json_text,
    output_folder,
    require_output,
    write_json,
)
from partita.io.reading import Reading

__all__ = [
    "EdgeTable",
    "FeatureTable",
    "LabelTable",
    "LackingColumnsError",
    "LinksError",
    "MatrixTable",
    "MembershipTable",
    "NoFeaturesError",
    "Reading",
    "atomic_write_bytes",
    "atomic_write_text",
    "did_you_mean",
    "is_partita_folder",
    "json_text",
    "load",
    "match_labels",
    "open_draws",
    "output_folder",
    "read_draw_weights",
    "read_draws",
    "read_edges",
    "read_features",
    "read_labels",
    "read_links",
    "read_matrix",
    "read_memberships",
    "read_model",
    "read_pair_weights",
    "require_output",
    "save",
    "save_model",
    "sha256_of_file",
    "versions",
    "write_json",
    "write_memberships",
    "write_model",
]
