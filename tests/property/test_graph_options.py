"""Neighbour graphs by mutual reachability, with heavy tails, and under local covariance metrics."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from partita import SoftClustering, load, save
from partita.affinity import DrawsAffinity, LocalMetricGraph, NeighborGraph
from partita.errors import InputError
from synthetic import gaussians, uneven_blobs, zigzag

few = settings(max_examples=15, deadline=None)
seeds = st.integers(0, 10_000)
# A few hundred roundings of numbers below one.
ROUNDING = 1e-9


@few
@given(seeds, st.integers(2, 8))
def test_a_smoothed_weight_is_that_of_mutual_reachability(seed, m):
    X, k = uneven_blobs(60, seed=seed), 8
    D = cdist(X, X)
    closest = np.sort(D, axis=1)
    core, order = closest[:, m], np.argsort(D, axis=1, kind="stable")[:, 1 : k + 1]
    reach = np.maximum(D, np.maximum(core[:, None], core))
    sigma = np.array([reach[i, order[i]].max() for i in range(len(X))])
    expected = np.zeros_like(D)
    for i in range(len(X)):
        expected[i, order[i]] = np.exp(-(reach[i, order[i]] ** 2) / (sigma[i] * sigma[order[i]]))
    expected = np.maximum(expected, expected.T) + np.eye(len(X))
    found = NeighborGraph(n_neighbors=k, smoothing=m).build(X, n_clusters=len(X)).affinity.to_dense()
    np.testing.assert_allclose(found, expected, atol=ROUNDING)


@few
@given(seeds)
def test_heavy_tails_weigh_far_neighbours_more_and_keep_their_order(seed):
    X = uneven_blobs(60, seed=seed)
    graphs = [NeighborGraph(weights=w).build(X, n_clusters=60).affinity.to_dense() for w in ("cauchy", "gaussian")]
    heavy, light = graphs
    assert (heavy >= light - ROUNDING).all()
    stored = (light > 0) & (light < 1)
    np.testing.assert_allclose(heavy[stored], 1 / (1 - np.log(light[stored])), atol=ROUNDING)  # exp(-r^2) as 1/(1+r^2)


@few
@given(seeds)
def test_full_shrinkage_is_a_self_tuned_euclidean_distance(seed):
    X = uneven_blobs(60, seed=seed)
    m = 12
    graph = LocalMetricGraph(n_neighbors=5, n_local=m, shrinkage=1.0)
    D = cdist(X, X)
    spread = (np.sort(D, axis=1)[:, 1 : m + 1] ** 2).mean(axis=1) / X.shape[1]
    L = D * np.sqrt((1 / spread[:, None] + 1 / spread) / 2)
    index, distance = graph._neighbors(X)
    np.testing.assert_allclose(distance, L[np.arange(60)[:, None], index], rtol=1e-8)


def test_a_local_metric_follows_a_band():
    # Two parallel bands: fewer neighbours under local metrics lie across the gap than plain ones.
    rng = np.random.default_rng(0)
    t = rng.uniform(0, 30, 300)
    side = np.arange(300) % 2
    X = np.c_[t, 0.7 * side + 0.05 * rng.normal(size=300)]
    across = []
    for graph in (NeighborGraph(n_neighbors=6), LocalMetricGraph(n_neighbors=6, n_local=12, shrinkage=0.1)):
        index, _ = graph._neighbors(X)
        across.append((side[index] != side[:, None]).mean())
    assert across[1] < 0.8 * across[0]


@few
@given(seeds)
def test_a_turn_of_the_features_changes_no_local_metric(seed):
    X = uneven_blobs(60, seed=seed)
    angle = np.random.default_rng(seed).uniform(0, 2 * np.pi)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    P, Q = (LocalMetricGraph(n_local=20).build(Y, n_clusters=60).affinity.to_dense() for Y in (X, 3.0 * X @ turn))
    np.testing.assert_allclose(P, Q, atol=1e-7)  # distances from inverses of small matrices


@pytest.mark.parametrize(
    "graph",
    [NeighborGraph(smoothing=4), NeighborGraph(weights="cauchy"), LocalMetricGraph(), LocalMetricGraph(smoothing=3)],
)
def test_new_items_join_their_cluster_and_the_model_survives_a_save(graph, tmp_path):
    rng = np.random.default_rng(0)
    truth = np.arange(120) % 3
    X = gaussians(truth, 8.0 * zigzag(3, 2), rng)
    model = SoftClustering(3, affinity=graph, random_state=0, probabilities="fitted").fit(X)
    new = model.predict_proba(X + 0.01)
    assert (new.argmax(axis=1) == model.labels_).all()
    np.testing.assert_array_equal(model.predict_proba(X[:3]).shape, (3, 3))
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict_proba(X + 0.01), new)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NeighborGraph(smoothing=0), "smoothing=0"),
        (lambda: NeighborGraph(n_neighbors=5, smoothing=6), "smoothing=6"),
        (lambda: LocalMetricGraph(n_neighbors=10, n_local=5), "n_local=5"),
        (lambda: LocalMetricGraph(shrinkage=0.0), r"shrinkage=0\.0"),
        (lambda: LocalMetricGraph(metric="cosine"), "metric='cosine'"),
    ],
)
def test_options_out_of_range_are_named(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_hard_and_soft_draws_go_together():
    Q = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    P = DrawsAffinity([Q, np.array([4, 4, 9])], [1.0, 3.0])
    same = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    np.testing.assert_allclose(P.to_dense(), 0.25 * Q @ Q.T + 0.75 * same, atol=1e-12)
    with pytest.raises(InputError, match="draw 1"):
        DrawsAffinity([Q, np.array([0, 1])])
