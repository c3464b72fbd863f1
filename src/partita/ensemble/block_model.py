"""Evidence for a partition of a graph: its likelihood under the degree-corrected block model, rates integrated out.

The model [karrer2011] has a Poisson number of edges between nodes i and j, of mean w_rs d_i d_j / 2m for their clusters
r and s: d are the degrees, m the number of edges, and a rate w_rs of 1 means that the clusters tell nothing. With an
exponential prior of mean 1 on each rate, and V_rs the edges expected between r and s at rate 1,

    log p(A | labels) = sum over r <= s of log m_rs! - (m_rs + 1) log(1 + V_rs), up to a constant of the graph,

since the integral of w^m exp(-w (1 + V)) is m! / (1 + V)^(m + 1). Labels have a uniform prior on their number, then on
the sizes, then on who is where, so that a cluster more costs what it has to: partitions of different numbers can be
compared, one cluster among them. Weights count as multiples of the mean weight.

It is a model of communities: who is linked depends on the clusters alone. Where neighbours of neighbours are
neighbours, as in a graph of nearest neighbours, it finds any cut into small pieces much better than none.

[karrer2011] B. Karrer, M. E. J. Newman, Stochastic blockmodels and community structure in networks, Physical Review E
83 (2011), the model of its section III.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import gammaln

from partita.arrays import Array, Labels

__all__ = ["BlockModel", "log_prior"]


@dataclass(frozen=True, eq=False)
class BlockModel:
    """Block model of a graph.

    Parameters
    ----------
    A : n x n csr_array, symmetric, nonnegative, without loops, with an edge at least

    Examples
    --------
    >>> A = sp.csr_array(np.kron(np.eye(3), 1.0 - np.eye(9)))
    >>> model, labels = BlockModel(A), np.repeat(np.arange(3), 9)
    >>> model.evidence(labels) > 0 > model.evidence(np.arange(27) % 3)
    True
    """

    A: sp.csr_array

    @cached_property
    def _edges(self) -> tuple[NDArray[np.int32], NDArray[np.int32], Array]:
        upper = sp.triu(self.A, 1).tocoo()
        return *upper.coords, upper.data / upper.data.mean()

    @cached_property
    def _degrees(self) -> Array:
        i, j, weight = self._edges
        n = self.A.shape[0]
        return np.asarray(np.bincount(i, weight, n) + np.bincount(j, weight, n))

    @cached_property
    def _one(self) -> float:
        return self._log_joint(np.zeros(self.A.shape[0], dtype=np.int64))

    def evidence(self, labels: Labels) -> float:
        """Return how much more probable the graph and these labels (0..K-1) are than the graph as one cluster.

        A difference of logarithms, in nats. Cost: a pass over the edges, and K^2.
        """
        return self._log_joint(labels) - self._one

    def _log_joint(self, labels: Labels) -> float:
        K = int(labels.max()) + 1
        i, j, weight = self._edges
        low, high = np.minimum(labels[i], labels[j]), np.maximum(labels[i], labels[j])
        between = np.bincount(low * K + high, weight, K * K).reshape(K, K)
        volume = np.bincount(labels, self._degrees, K)
        expected = np.outer(volume, volume) / volume.sum()  # sum: twice the edges
        expected[np.diag_indices(K)] /= 2
        pairs = np.triu_indices(K)
        m, V = between[pairs], expected[pairs]
        likelihood = (gammaln(m + 1) - (m + 1) * np.log1p(V)).sum()
        return float(likelihood) + log_prior(np.bincount(labels, minlength=K))


def log_prior(sizes: NDArray[np.int64]) -> float:
    """Return the logarithm of the prior probability of labels with these numbers of nodes, in the order of the labels.

    Uniform on the number of clusters, then on the sizes, then on who is where.

    >>> float(np.exp(log_prior(np.array([1, 1])) + np.log(2)))  # 2 nodes are 1 cluster or 2, in two orders
    0.5
    """
    n, K = int(sizes.sum()), len(sizes)
    who = gammaln(sizes + 1).sum() - gammaln(n + 1)
    how_large = gammaln(K) + gammaln(n - K + 1) - gammaln(n)
    return float(who + how_large - np.log(n))
