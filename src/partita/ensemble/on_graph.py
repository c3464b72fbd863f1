"""The ensemble of a graph: different clusterings of its nodes as evidence.

The plain graph says who is linked; its factorization follows every loose end of a sparse one. Methods of unlike ideas
(modularity, random walks, eigenvectors, factorization) err in unlike ways, and what they say together is a better
affinity: the share of them, by weight, that puts two nodes together. `benchmarks/README.md` has the figures.

Where edges are links of nearest neighbours, methods also agree on how to cut the graph into neighbourhoods; see
`consensus_of_graph` for the number of clusters.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from partita.affinity import Affinity, Builder, DrawsAffinity, SparseAffinity, as_affinity
from partita.affinity.checks import Symmetrize
from partita.affinity.evidence import given_rows
from partita.affinity.shared_search import shared_search
from partita.arrays import Array, Labels
from partita.ensemble.base import member
from partita.ensemble.block_model import BlockModel
from partita.ensemble.consensus import Consensus, consensus, drawn_at, sizes_up_to
from partita.ensemble.draws import Draw
from partita.ensemble.evidence import EnsembleEvidence, restored_factor
from partita.ensemble.node_order import order_of_nodes
from partita.ensemble.units import Frame
from partita.ensemble.weights import LEAST, agreement, agreement_weights
from partita.errors import InputError
from partita.kernels.threads import limit_threads, n_threads
from partita.scope import lasting, tell, untold
from partita.shapes import reals, whole

__all__ = ["GraphEnsemble", "consensus_of_graph", "is_plain_graph"]

# Methods for graphs, and items that a cluster of a graph has on average at least.
OF_GRAPHS, NODES = ("modularity", "graph", "spectral", "walks"), 8
# Nodes of a fine cluster on average, and the most fine clusters.
FINE, MOST_FINE = (8, 10, 12), 100
# Nodes of smaller clusters on average, as of cliques or of the records of one person, the most of these, the methods
# that are asked for them first, and how far these must agree beyond how they agree on fine clusters.
SMALL, MOST_SMALL, FIRST, ALIKE = (7, 6, 5, 4, 3.5, 3, 2.5), 500, ("modularity", "walks"), 0.75

# Power of the agreement, of the prior probability of a number, and of the evidence of a block model in the weight of a
# draw; and how much more than neighbourhoods this evidence must have to count.
POWER, PRIOR, EVIDENCE, BEYOND = 16, 0.5, 0.1, 1.25
# Agreement below which there is none.
IN_COMMON = 0.1
# Numbers up to this one, of so many nodes in a cluster, are always tried: few clusters may agree by chance.
ALWAYS, LARGE = 50, 16
# Nodes of the smallest clusters, and how many more than the number of small ones are looked for at most.
PAIR, PAST = 2, 50
# Nodes of a connected component that is no part of a larger cluster.
PIECE = 5


def is_plain_graph(X: Any) -> bool:
    """Return whether an input is a graph for methods for graphs: a sparse matrix, however many of its pairs are linked.

    >>> is_plain_graph(sp.eye_array(3)), is_plain_graph(np.eye(3))
    (True, False)
    """
    if isinstance(X, SparseAffinity):
        return X.pair_weights is None
    return bool(sp.issparse(X) and X.shape[0] == X.shape[1])


@dataclass(frozen=True)
class GraphEnsemble(Builder):
    """Co-association of different clusterings of the nodes of a graph.

    P = sum_b w_b Q_b Q_b^T over hard clusterings Q_b into K clusters, as in `Ensemble`: entries in [0, 1].

    Parameters
    ----------
    n_draws : int
        Draws of each of the four methods: the first of all edges with its settings, the others of a random share of
        the edges (each node keeps its strongest one) with varied settings.
    share : float
        Share of the edges in those, in (0, 1].
    symmetrize : {"mean", "max", "min"}, optional
        For a matrix with P_ij != P_ji, otherwise an error.
    seed : int

    Notes
    -----
    Cost: N^2 / 2 distances for the tree of walks, some runs of Louvain and some eigenvectors a draw; a second for 1,000
    nodes. A new node's evidence is the mean of that of the nodes it is linked to, by weight. Nodes without edges are in
    a cluster at random in each draw, so that they may be anywhere. Loops are left out.

    Examples
    --------
    >>> block = np.kron(np.eye(2), np.ones((9, 9)))
    >>> block[0, 9] = block[9, 0] = 1.0
    >>> evidence = GraphEnsemble(n_draws=1).build(block, n_clusters=2)
    >>> evidence.affinity.rows([0]).round(2)[0, [1, 17]].tolist()
    [1.0, 0.0]
    """

    name = "graph_ensemble"
    of_draws = True
    stored: ClassVar = {
        "factor.data": reals("z"),
        "factor.indices": whole("z"),
        "factor.indptr": whole(None),
        "factor.columns": whole(None),
    }

    n_draws: int = 4
    share: float = 0.9
    symmetrize: Symmetrize | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.n_draws < 1 or not 0 < self.share <= 1:
            raise InputError(f"n_draws={self.n_draws}, share={self.share}: expected a draw or more, and 0 < share <= 1")

    @property
    def pairwise(self) -> bool:  # type: ignore[override]
        return True

    @property
    def needs_k(self) -> bool:
        return True

    @classmethod
    def named(cls, *, missing: str, symmetrize: str | None, seed: int) -> GraphEnsemble:
        if missing != "error":
            raise InputError(f"missing={missing!r}: methods for graphs need every pair; pass affinity='precomputed'")
        return cls(symmetrize=symmetrize, seed=seed)  # type: ignore[arg-type]

    def as_judged(self, X: Any) -> Affinity:
        return as_affinity(X, symmetrize=self.symmetrize)

    def order(self, X: Any) -> NDArray[np.intp] | None:
        movable = X.pair_weights is None if isinstance(X, Affinity) else sp.issparse(X) or isinstance(X, np.ndarray)
        return order_of_nodes(self._matrix(X)) if movable else None

    def consensus(
        self,
        X: Any,
        bounds: tuple[int, int | None] = (1, None),
        *,
        prior: Array | None = None,
        weights: Array | None = None,
    ) -> Consensus | None:
        prior, A = np.ones(1) if prior is None else prior, self._matrix(X)
        pieces = int((np.bincount(connected_components(A, directed=False)[1]) >= PIECE).sum())
        least = max(bounds[0], min(pieces, bounds[1] or pieces))
        with limit_threads(n_threads()):
            return consensus_of_graph(A, prior, seed=self.seed, bounds=(least, bounds[1]))

    def build(self, X: Any, *, n_clusters: int, weights: Array | None = None) -> GraphEnsembleEvidence:
        A = self._matrix(X)
        n = A.shape[0]
        linked, A = _linked(A)
        few = len(linked) <= n_clusters  # nodes without edges then fill the clusters that pieces of the graph leave
        K = max(n_clusters - (n - len(linked)), connected_components(A)[0]) if few else n_clusters
        members = [one.varied(draw) for draw in range(self.n_draws) for one in map(member, OF_GRAPHS)]
        with limit_threads(n_threads()):
            labels = []
            for i, one in enumerate(members):
                tell("clustering the nodes", i, len(members))
                with untold():
                    labels.append(self._labels(one, A, i // len(OF_GRAPHS), K))
        shares, agreed = agreement_weights(agreement(labels), [one.name for one in members])
        rng = np.random.default_rng([self.seed, self.n_draws])
        labels = [_of_all_nodes(own, linked, n, rng, n_clusters if few else 0) for own in labels]
        draws = tuple(
            Draw.of(one, len(linked), own, share, a)
            for one, own, share, a in zip(members, labels, shares, agreed, strict=True)
        )
        return GraphEnsembleEvidence(DrawsAffinity(labels, shares), draws)

    def of_consensus(self, X: Any, found: Consensus) -> GraphEnsembleEvidence:
        draws = tuple(
            Draw.of(one, found.draws.shape[1], said, share, a)
            for one, said, share, a in zip(found.methods, found.draws, found.weights, found.agreement, strict=True)
        )
        return GraphEnsembleEvidence(DrawsAffinity(found.draws, found.weights), draws)

    def restore(self, state: dict[str, Array]) -> GraphEnsembleEvidence:
        return GraphEnsembleEvidence(None, (), restored_factor(state))

    def _matrix(self, X: Any) -> sp.csr_array:
        """The affinities of different nodes."""
        affinity = self.as_judged(X)
        A = affinity.matrix if isinstance(affinity, SparseAffinity) else sp.csr_array(np.array(affinity.to_dense()))
        A = sp.csr_array(A - sp.diags_array(A.diagonal())).astype(np.float64)
        A.eliminate_zeros()
        if (A.data < 0).any():
            raise InputError("the graph has negative affinities, which methods for graphs do not take")
        return A

    def _labels(self, one: Any, A: sp.csr_array, draw: int, n_clusters: int) -> Labels:
        n = A.shape[0]
        if n <= n_clusters:
            return np.arange(n)  # no more nodes than clusters: nothing to say
        if draw:
            A = _thinned(A, self.share, np.random.default_rng([self.seed, draw]))
        rng = np.random.default_rng([self.seed, draw, zlib.crc32(one.name.encode())])

        def made() -> Labels:
            return np.unique(one.cluster(A, n_clusters, rng).labels, return_inverse=True)[1].astype(np.int64)

        return lasting(made, "labels of nodes", one, n_clusters, self.seed, draw, A)


class GraphEnsembleEvidence(EnsembleEvidence):
    """The co-association of nodes, its draws, and that of new nodes."""

    def __init__(
        self, affinity: DrawsAffinity | None, draws: tuple[Draw, ...], factor: sp.csr_array | None = None
    ) -> None:
        known = factor if affinity is None else affinity.factor
        assert known is not None
        nowhere = Frame(np.zeros(1), np.ones(1))  # nodes have no features
        super().__init__(nowhere, np.zeros((known.shape[0], 1)), known, affinity, draws)

    def features(self, X: Any) -> sp.csr_array:
        """Return the mean of the images of the nodes that new ones are linked to, by weight; zeros where to none."""
        links = sp.csr_array(given_rows(X, self._factor.shape[0], "affinities"))
        total = np.asarray(links.sum(axis=1)).ravel()
        votes = sp.diags_array(1.0 / np.where(total > 0, total, 1.0)) @ links
        return sp.csr_array(votes @ self._factor)

    def state(self) -> dict[str, Array]:
        whole_state = super().state()
        return {name: whole_state[name] for name in GraphEnsemble.stored}


def consensus_of_graph(
    A: sp.csr_array,
    prior: Array,
    *,
    seed: int = 0,
    bounds: tuple[int, int | None] = (1, None),
) -> Consensus | None:
    """Return the consensus of different methods on the clusters of a graph and their number.

    Methods that look at the same graph also agree on how to cut it into neighbourhoods, where neighbours of neighbours
    are neighbours: on a uniform sheet all the better, the finer the clusters are. So there is also the agreement on
    clusters of about ten nodes, `fine`, and what methods agree on must be more than that to be believed. On random
    graphs without communities they agree on nothing.

    A draw weighs a^16 P(K)^(1/2) e^(max(0, E - 1.25 F) / 10), where a is its mean adjusted Rand index with the other
    methods at K, E its evidence (`partita.ensemble.block_model`) and F the largest one of clusters of about ten nodes,
    or 0: where these have about as much, the graph is one of neighbourhoods, and the model tells nothing, as where a is
    below .1.

    Parameters
    ----------
    A : n x n csr_array, symmetric, nonnegative, without loops
        Nodes without edges are left out, and go with the node of most edges.
    prior : array
        Probabilities P(K) of 1, 2, ... clusters; the last one's is that of any larger number.
    seed, bounds
        As in `partita.ensemble.consensus.consensus`.

    Returns
    -------
    None for fewer than 16 nodes with edges, unless they are in pieces or all methods find the same small clusters, and
    for fewer than six.

    Examples
    --------
    >>> block = np.kron(np.eye(3), 1.0 - np.eye(9))
    >>> block[[0, 9, 18], [9, 18, 0]] = block[[9, 18, 0], [0, 9, 18]] = 1.0
    >>> consensus_of_graph(sp.csr_array(block), np.full(4, 0.25)).n_clusters
    3
    """
    n_nodes, heaviest = A.shape[0], int(np.asarray(A.sum(axis=1)).ravel().argmax())
    linked, A = _linked(A)
    n = len(linked)
    pieces = connected_components(A, directed=False, return_labels=False)  # without links between them, however small
    pieces = pieces if pieces <= MOST_SMALL else 0
    members = [member(name) for name in OF_GRAPHS]
    small = _small_clusters(A, seed)
    past = min(round(n / SMALL[-1]), small + PAST) if small else 0
    most = min(max(n // NODES, pieces, past), bounds[1] or n)
    if most < 2:
        return None
    sizes = {max(min(round(n / share), MOST_FINE), 2) for share in FINE}
    model = BlockModel(A)

    def beyond(labels: Labels) -> float:
        return max(model.evidence(labels) - BEYOND * of_neighborhoods, 0.0)

    def log_odds(draws: Sequence[Labels], table: Array, methods: Sequence[str], K: int) -> Array:
        agreed = agreement_weights(table, methods)[1]
        # Of what methods have nothing in common on there is evidence all the same where a graph is in pieces.
        evidence = np.where(agreed >= IN_COMMON, [beyond(labels) for labels in draws], 0.0)
        at = PRIOR * np.log(prior[min(K, len(prior)) - 1])
        return np.asarray(POWER * np.log(np.maximum(agreed, LEAST)) + EVIDENCE * evidence + at)

    with shared_search():
        fine, neighborhoods = drawn_at(members, A, sizes, seed=seed)
        of_neighborhoods = max(0.0, *map(model.evidence, neighborhoods))
        few = min(ALWAYS, n // LARGE)
        tried = (pieces, small, few, *sizes_up_to(few))
        found = consensus(members, A, log_odds, seed=seed, bounds=(bounds[0], most), tried=tried, items=PAIR)
    if found is None:
        return None
    item = np.full(n_nodes, np.searchsorted(linked, heaviest))
    item[linked] = np.arange(n)
    backed, against = beyond(found.partition) > 0, model.evidence(found.partition) < 0
    return replace(found, item=None if n == n_nodes else item, fine=fine, backed=backed, against=against)


def _small_clusters(A: sp.csr_array, seed: int) -> int:
    """Number of clusters of two to seven nodes on which methods agree best, and far better than on fine ones; or 0."""
    members = [member(name) for name in FIRST]

    def agreed(shares: tuple[float, ...]) -> dict[int, float]:
        sizes = {round(A.shape[0] / share) for share in shares}
        return {K: drawn_at(members, A, [K], seed=seed)[0] for K in sizes if 2 <= K <= MOST_SMALL}

    with shared_search():
        small, fine = agreed(SMALL), max(agreed(FINE).values(), default=0.0)
    best = max(small, key=small.__getitem__, default=0)
    return best if best and small[best] - fine >= ALIKE * (1.0 - fine) else 0


def _linked(A: sp.csr_array) -> tuple[NDArray[np.intp], sp.csr_array]:
    """The nodes that have edges, and the graph of these."""
    linked = np.flatnonzero(np.asarray(A.sum(axis=1)).ravel() > 0)
    return linked, sp.csr_array(A[linked][:, linked])


def _thinned(A: sp.csr_array, share: float, rng: np.random.Generator) -> sp.csr_array:
    """A random share of the edges, the strongest of each node among them."""
    upper = sp.triu(A, 1).tocoo()
    i, j = upper.coords
    kept = rng.random(upper.nnz) < share
    order = np.argsort(upper.data, kind="stable")
    for ends in (i, j):
        strongest = np.full(A.shape[0], -1)
        strongest[ends[order]] = order
        kept[strongest[strongest >= 0]] = True
    half = sp.coo_array((upper.data[kept], (i[kept], j[kept])), shape=A.shape)
    return sp.csr_array(half + half.T)


def _of_all_nodes(labels: Labels, linked: NDArray[np.intp], n: int, rng: np.random.Generator, least: int) -> Labels:
    """Labels of all n nodes: one without edges is in any cluster of `least` or more, another one in each draw."""
    out = rng.integers(max(int(labels.max(initial=0)) + 1, least), size=n)
    out[linked] = labels
    return out
