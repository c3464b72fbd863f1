"""Two spectral clusterings with k-means at the end: Shi and Malik's, and Ng, Jordan and Weiss's.

Both relax the normalised cut sum_k cut(k, rest) / volume(k) to a trace: the K leading eigenvectors v of
D^-1/2 P D^-1/2, D the row sums. They differ in what k-means sees.

    ncut   y = D^-1/2 v, the eigenvectors of the random walk D^-1 P, that is (D - P) y = lambda D y   [shi2000] eq. (11)
    njw    P without its diagonal, and the rows of V scaled to unit length                            [ng2002] steps 1-5

The leading y is constant and tells k-means nothing, so K of them are K - 1 coordinates. Cost: the eigenvectors, some
tens of products with P, once for each evidence; N K^2 an iteration of k-means.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from partita.affinity import Affinity, DenseAffinity, SparseAffinity, normalise
from partita.arrays import Array
from partita.baselines.base import AffinityBaseline, BaselineEvidence, BaselineResult
from partita.baselines.k_means import lloyd
from partita.memory import SPARSE_WAY, require_pairs
from partita.solvers.spectral import leading_eigenvectors

__all__ = ["NgJordanWeiss", "NormalisedCut", "off_diagonal"]


@dataclass(frozen=True)
class _Spectral(AffinityBaseline):
    """k-means on an embedding that is made once for each evidence.

    Parameters
    ----------
    affinity : Builder
    n_init, max_iter : int
        Restarts and iterations of k-means.
    """

    left_open: ClassVar[str] = (
        "[zhao2015]: the affinity, the number of eigenvectors and the start of k-means. Here the affinity of SoF "
        "itself (n = 10, c = 1), K eigenvectors, one k-means++ start a run."
    )

    n_init: int = 1
    max_iter: int = 300

    @abstractmethod
    def embedding(self, affinity: Affinity, n_clusters: int) -> Array:
        """The N x K embedding that k-means clusters."""

    def _cluster(self, evidence: BaselineEvidence, n_clusters: int, rng: np.random.Generator) -> BaselineResult:
        which = "given" if evidence.affinity is not None else repr(self.affinity)
        rows = evidence.once(
            ("embedding", self.name, which, n_clusters),
            lambda: self.embedding(self.affinity_of(evidence, n_clusters), n_clusters),
        )
        return lloyd(rows, n_clusters, rng, self.n_init, self.max_iter)


@dataclass(frozen=True)
class NormalisedCut(_Spectral):
    """Normalised cut with K clusters at a time; hard.

    Parameters
    ----------
    affinity : Builder
    n_init, max_iter : int
        Restarts and iterations of k-means.

    Examples
    --------
    >>> evidence = BaselineEvidence(features=[[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> labels = NormalisedCut().cluster(evidence, 2, np.random.default_rng(0)).labels
    >>> labels[0] == labels[2] != labels[3] == labels[5]
    np.True_
    """

    name = "ncut"
    idea = "k-means on eigenvectors of the random walk"
    source = "[shi2000], K clusters at a time; partita's eigenvectors and scikit-learn KMeans"

    def embedding(self, affinity: Affinity, n_clusters: int) -> Array:
        """Return D^-1/2 v, so that y^T D y = 1; an item without affinities sits at the origin."""
        normalised = normalise(affinity, "symmetric")
        vectors = leading_eigenvectors(normalised.affinity, n_clusters)[1]
        return np.ascontiguousarray(normalised.factors[:, None] * vectors)


@dataclass(frozen=True)
class NgJordanWeiss(_Spectral):
    """Spectral clustering of Ng, Jordan and Weiss; hard.

    Parameters
    ----------
    affinity : Builder
        Its diagonal, or that of an affinity given, is left out: that is the method's first step.
    n_init, max_iter : int
        Restarts and iterations of k-means.

    Examples
    --------
    >>> evidence = BaselineEvidence(features=[[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> labels = NgJordanWeiss().cluster(evidence, 2, np.random.default_rng(0)).labels
    >>> labels[0] == labels[2] != labels[3] == labels[5]
    np.True_
    """

    name = "njw"
    idea = "k-means on unit rows of the Laplacian's eigenvectors"
    source = "[ng2002]; partita's eigenvectors and scikit-learn KMeans"

    def embedding(self, affinity: Affinity, n_clusters: int) -> Array:
        """Return rows of the eigenvectors at unit length; an item without affinities sits at the origin."""
        normalised = normalise(off_diagonal(affinity), "symmetric").affinity
        vectors = leading_eigenvectors(normalised, n_clusters)[1]
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.ascontiguousarray(np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0))


def off_diagonal(affinity: Affinity) -> DenseAffinity | SparseAffinity:
    """Return the affinity with a diagonal of zeros.

    >>> off_diagonal(DenseAffinity(np.ones((2, 2)))).to_dense().tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    matrix = affinity.as_sparse()
    if matrix is not None:
        off = sp.csr_array(matrix - sp.diags_array(matrix.diagonal()))
        off.eliminate_zeros()
        return SparseAffinity(off)
    require_pairs(affinity.n_items, "a second affinity", SPARSE_WAY)
    dense = affinity.to_dense().copy()
    np.fill_diagonal(dense, 0.0)
    return DenseAffinity(dense)
