"""Objects of other packages as evidence: a graph of networkx, and cells of AnnData with what scanpy leaves in them.

Neither package is imported here unless it was already: an object of it is known by the module it comes from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from partita.affinity import Builder
from partita.affinity.from_networkx import affinity_from_networkx
from partita.errors import InputError
from partita.registry import did_you_mean

__all__ = [
    "PAIRS",
    "OfObject",
    "evidence_of",
    "features_in",
    "features_of_cells",
    "is_graph",
    "links_to",
    "pairs_of_cells",
]

# Affinities that a graph is given for.
OF_GRAPHS = ("auto", "precomputed", "graph_ensemble")
# The affinity that each of the two matrices of pairs that scanpy leaves is for.
PAIRS = {"connectivities": "precomputed", "distances": "precomputed_distance"}


class OfObject(NamedTuple):
    """Evidence that an object of another library holds for a fit.

    Attributes
    ----------
    X : array, sparse matrix or frame
        The object itself, where it is of no package known here.
    names : list of N str, optional
        Nodes or cells.
    note : str, optional
        Which part of the object was taken.
    """

    X: Any
    names: list[str] | None = None
    note: str | None = None


def is_graph(X: Any) -> bool:
    """Return whether an input is a graph of networkx, which is not loaded for that."""
    return type(X).__module__.partition(".")[0] == "networkx" and hasattr(X, "is_directed")


def evidence_of(X: Any, affinity: Any, symmetrize: Any = None) -> OfObject:
    """Return the evidence in a graph of networkx or an AnnData that goes with an affinity; anything else as it is.

    A graph is an affinity; an edge from a node to itself is the node's affinity with itself. Cells are their neighbour
    graph where the affinity is precomputed or left to be chosen, and their principal components, or else their
    features, for any other.

    Parameters
    ----------
    X : anything
    affinity : str or Builder
        As an estimator takes it.
    symmetrize : {"mean", "max", "min"}, optional
        For directed graphs.

    Raises
    ------
    InputError
        For a graph beside an affinity made of features, and for an object without what the affinity needs.

    Examples
    --------
    >>> import networkx
    >>> evidence_of(networkx.path_graph(3), "auto").X.toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    package = type(X).__module__.partition(".")[0]
    if is_graph(X):
        if not (affinity.pairwise if isinstance(affinity, Builder) else affinity in OF_GRAPHS):
            raise InputError("a graph of networkx was given, which is an affinity: pass affinity='precomputed'")
        how = symmetrize if X.is_directed() else None
        matrix, nodes = affinity_from_networkx(X, symmetrize=how, self_loops="keep")
        note = None if affinity == "auto" else "the weights of the graph's edges are the affinities"
        names = list(map(str, nodes))
        if len(set(names)) < len(names):
            twice = next(name for at, name in enumerate(names) if name in names[:at])
            raise InputError(f"two nodes of the graph are called {twice!r}: name them apart (networkx.relabel_nodes)")
        return OfObject(matrix, names, note)
    if package == "anndata" and hasattr(X, "obsm"):
        where, values = _of_cells(X, affinity)
        return OfObject(values, list(map(str, X.obs_names)), f"the evidence is {where}")
    return OfObject(X)


def links_to(items: NDArray[np.str_], graph: Any, symmetrize: Any = None) -> sp.csr_array:
    """Return the affinities of the nodes of a graph of networkx to the items of a fit, which are known by their names.

    A node of the fit that is not in the graph is linked to none.

    Raises
    ------
    InputError
        For a graph without nodes of the fit.

    Examples
    --------
    >>> import networkx
    >>> links_to(np.array(["0", "1", "9"]), networkx.path_graph(3)).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 1., 0.]])
    """
    given = evidence_of(graph, "precomputed", symmetrize)
    matrix, nodes = given.X, given.names or []
    column = {str(name): at for at, name in enumerate(items)}
    known = [at for at, name in enumerate(nodes) if name in column]
    if not known:
        raise InputError(
            "the graph has no node of the fit: pass one with new nodes beside the fitted ones that they are linked to, "
            "by the names that these had, or an M x N matrix of affinities to the fitted items"
        )
    links = matrix[:, known].tocoo()
    columns = np.array([column[nodes[at]] for at in known])[links.coords[1]]
    return sp.csr_array((links.data, (links.coords[0], columns)), shape=(len(nodes), len(column)))


def features_in(X: Any) -> OfObject:
    """Return the features in an AnnData, those that `evidence_of` takes for a neighbour graph; anything else as it is.

    Raises
    ------
    InputError
        For a graph of networkx, and for an AnnData without features.
    """
    if is_graph(X):
        raise InputError(
            "X is a graph of networkx, which holds no features: cluster its nodes, SoftClustering().fit(X), or pass an "
            "array with a row of features for each node"
        )
    return evidence_of(X, "neighbors")


def _of_cells(adata: Any, affinity: Any) -> tuple[str, Any]:
    pairwise = affinity.pairwise if isinstance(affinity, Builder) else affinity in PAIRS.values()
    if affinity == "precomputed_distance":
        return pairs_of_cells(adata, "distances")
    if pairwise or (affinity == "auto" and "connectivities" in adata.obsp):
        return pairs_of_cells(adata, "connectivities")
    return features_of_cells(adata, "X_pca" if "X_pca" in adata.obsm else "X")


def pairs_of_cells(adata: Any, name: str) -> tuple[str, Any]:
    """Return the place of a matrix of pairs in an AnnData, for errors, and the matrix."""
    if name not in adata.obsp:
        found = list(adata.obsp)
        raise InputError(
            f"adata.obsp has no {name!r} (it has {_listed(found) or 'nothing'})"
            + (did_you_mean(name, found) or "; run scanpy.pp.neighbors(adata) first, or take features, as in X_pca")
        )
    return f"adata.obsp[{name!r}]", adata.obsp[name]


def features_of_cells(adata: Any, use: str) -> tuple[str, Any]:
    """Return the place of features in an AnnData, for errors, and the N x d array, sparse matrix or frame."""
    if use == "X":
        where, values = "adata.X", adata.X
        if values is None:
            raise InputError("adata.X is empty: take the neighbour graph, or an array in .obsm")
    elif use in adata.obsm:
        where, values = f"adata.obsm[{use!r}]", adata.obsm[use]
    else:
        known = [*PAIRS, "X", *adata.obsm]
        raise InputError(
            f"use={use!r} is not there{did_you_mean(use, known)}; it may be {_listed(known)}"
            + ("; run scanpy.pp.pca(adata) first" if use == "X_pca" else "")
        )
    if hasattr(values, "to_memory"):  # of a file that is read when it is asked for
        values = values.to_memory()
    return where, values if sp.issparse(values) or hasattr(values, "columns") else np.asarray(values)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))
