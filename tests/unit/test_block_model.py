"""Evidence of a block model: its integral by quadrature, its prior by counting, and what it says of graphs."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.integrate import quad

from partita.ensemble.block_model import BlockModel, log_prior


def graph(n, seed):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.integers(1, 4, (n, n)) * (rng.random((n, n)) < 0.6), 1)
    return upper + upper.T


def linked(probabilities, seed):
    upper = np.triu(np.random.default_rng(seed).random(probabilities.shape) < probabilities, 1)
    return sp.csr_array((upper | upper.T).astype(float))


@pytest.mark.parametrize("labels", [[0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2], [0, 0, 0, 0, 0, 1]])
def test_rates_are_integrated_out(labels):
    labels, W = np.array(labels), graph(6, 1).astype(float)
    weight = W / W[np.triu_indices(6, 1)][W[np.triu_indices(6, 1)] > 0].mean()
    degree = weight.sum(axis=1)

    def log_integral(labels):
        total = log_prior(np.bincount(labels))
        for r in range(labels.max() + 1):
            for s in range(r, labels.max() + 1):
                pairs = [(i, j) for i in range(6) for j in range(i) if {labels[i], labels[j]} == {r, s}]
                m = sum(weight[i, j] for i, j in pairs)
                # Expected at rate 1, a node with itself among them, as in the configuration model.
                V = sum(
                    degree[i] * degree[j] / degree.sum() / (2 if r == s else 1)
                    for i in np.flatnonzero(labels == r)
                    for j in np.flatnonzero(labels == s)
                )
                total += np.log(quad(lambda w, m=m, V=V: w**m * np.exp(-w * V) * np.exp(-w), 0, np.inf)[0])
        return total

    expected = log_integral(labels) - log_integral(np.zeros(6, dtype=int))
    assert BlockModel(sp.csr_array(W)).evidence(labels) == pytest.approx(expected, rel=1e-7)


def test_the_prior_is_a_distribution():
    n, total = 5, 0.0
    for K in range(1, n + 1):
        for labels in product(range(K), repeat=n):
            sizes = np.bincount(labels, minlength=K)
            total += np.exp(log_prior(sizes)) if sizes.min() > 0 else 0.0
    assert total == pytest.approx(1.0)


def test_the_order_of_labels_and_the_unit_of_weights_do_not_matter():
    W, labels = graph(12, 2).astype(float), np.arange(12) % 3
    evidence = BlockModel(sp.csr_array(W)).evidence(labels)
    assert BlockModel(sp.csr_array(W)).evidence(2 - labels) == pytest.approx(evidence)
    assert BlockModel(sp.csr_array(1000 * W)).evidence(labels) == pytest.approx(evidence)


@pytest.mark.parametrize("seed", range(3))
def test_communities_have_evidence_and_halves_of_a_random_graph_have_none(seed):
    truth = np.repeat([0, 1], [40, 20])
    model = BlockModel(linked(np.array([[0.3, 0.03], [0.03, 0.4]])[truth[:, None], truth], seed))
    assert model.evidence(truth) > max(0.0, model.evidence(np.arange(60) % 2))
    finer = truth + 2 * (np.arange(60) % 2)
    assert model.evidence(truth) > model.evidence(finer)
    assert BlockModel(linked(np.full((60, 60), 0.1), seed)).evidence(truth) < 0
