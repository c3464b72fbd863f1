"""Conversions to and from other packages' objects: frames, cells, graphs, posterior draws.

Nothing of them is imported before it is asked for, and each says in one sentence what to install. Estimators take
frames of pandas, polars and pyarrow, SciPy's sparse matrices and ArviZ's objects by themselves.
"""

from partita.affinity.from_networkx import affinity_from_networkx
from partita.bridges.cells import cluster_cells
from partita.bridges.frames import memberships_frame, named_features
from partita.bridges.graph_of_items import set_memberships, to_networkx
from partita.bridges.posterior import draws_from_arviz

__all__ = [
    "affinity_from_networkx",
    "cluster_cells",
    "draws_from_arviz",
    "memberships_frame",
    "named_features",
    "set_memberships",
    "to_networkx",
]
