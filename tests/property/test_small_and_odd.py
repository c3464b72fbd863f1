"""Few items, ties, copies, pieces far apart, as many clusters as items, single precision: held against formulas."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

from partita import (
    SCAMS,
    BaumEagon,
    BayesianPartition,
    CopositiveFactorization,
    KernelKMeans,
    SoF,
    SoftClustering,
    SpectralRelaxation,
    SymNMF,
)
from partita.affinity import (
    Landmarks,
    LocalMetricGraph,
    NeighborGraph,
    Nystrom,
    RandomFeatures,
    RelativeDistance,
)
from partita.ensemble import Ensemble
from partita.errors import UnsureWarning
from partita.metrics import adjusted_rand_index
from synthetic import gaussians

few = settings(max_examples=12, deadline=None)
seeds = st.integers(0, 10_000)
# Sums and products of a few numbers of about one.
ROUNDING = 1e-9

BUILDERS = {
    "neighbors": NeighborGraph(),
    "neighbors, mutual": NeighborGraph(connection="mutual"),
    "neighbors, smoothed": NeighborGraph(smoothing=3),
    "neighbors, manhattan": NeighborGraph(metric="manhattan"),
    "relative": RelativeDistance(),
    "relative, balanced": RelativeDistance(scale="balanced"),
    "local metric": LocalMetricGraph(),
    "landmarks": Landmarks(),
    "nystrom": Nystrom(),
    "grids": RandomFeatures(n_features=50),
    "waves": RandomFeatures(kernel="gaussian", n_features=50),
    "ensemble": Ensemble(n_draws=1),
}
MODELS = {
    "soft": lambda K: SoftClustering(K, random_state=0, affinity="neighbors", probabilities="fitted"),
    "soft, equal": lambda K: SoftClustering(
        K, sizes="equal", random_state=0, affinity="neighbors", probabilities="fitted"
    ),
    "soft, relative": lambda K: SoftClustering(K, affinity="relative", random_state=0, probabilities="fitted"),
    "soft, averaged": lambda K: SoftClustering(K, probabilities="averaged", random_state=0, affinity="neighbors"),
    "soft, calibrated": lambda K: SoftClustering(K, probabilities="calibrated", random_state=0, affinity="neighbors"),
    "ensemble": lambda K: SoftClustering(K, affinity="ensemble", random_state=0, probabilities="fitted"),
    "sof": lambda K: SoF(K, n_init=2, random_state=0),
    "baum-eagon": lambda K: BaumEagon(K, n_init=2, random_state=0),
    "symnmf": lambda K: SymNMF(K, n_init=2, random_state=0),
    "copositive": lambda K: CopositiveFactorization(K, n_init=2, random_state=0),
    "kernel k-means": lambda K: KernelKMeans(K, random_state=0),
    "spectral": lambda K: SpectralRelaxation(K, random_state=0),
    "scams": lambda K: SCAMS(K, random_state=0),
}


def items(kind, n, seed):
    """Items in two dimensions: scattered, on a grid where distances tie, or some of them copies of others."""
    rng = np.random.default_rng(seed)
    if kind == "ties":
        side = int(np.ceil(np.sqrt(n)))
        return np.stack(np.divmod(rng.permutation(side * side)[:n], side), axis=1).astype(float)
    X = rng.normal(size=(n, 2))
    if kind == "copies":
        X[rng.random(n) < 0.3] = X[0]
    return X


def quietly(model, X, **known):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", UnsureWarning)
        return model.fit(X, **known)


@pytest.mark.parametrize("kind", ["scattered", "ties"])
@pytest.mark.parametrize("name", sorted(BUILDERS))
@few
@given(st.integers(2, 10), seeds)
def test_an_affinity_of_few_items_is_a_symmetric_matrix_of_finite_numbers(name, kind, n, seed):
    X = items(kind, n, seed)
    affinity = BUILDERS[name].build(X, n_clusters=min(n, 2)).affinity
    P = affinity.to_dense()
    assert P.shape == (n, n)
    assert np.isfinite(P).all()
    np.testing.assert_allclose(P, P.T, atol=ROUNDING)
    if affinity.kind == "probability":
        assert P.min() >= 0.0
        assert P.max() <= 1.0 + ROUNDING
    np.testing.assert_allclose(affinity.diagonal(), np.diag(P), atol=ROUNDING)


@pytest.mark.parametrize("kind", ["scattered", "ties"])
@few
@given(st.integers(2, 10), seeds, st.sampled_from([np.float64, np.float32]))
def test_a_relative_distance_is_its_formula(kind, n, seed, precision):
    X = items(kind, n, seed).astype(precision)
    D = cdist(X.astype(float), X.astype(float))
    nth = np.sort(D + np.diag(np.full(n, np.inf)), axis=1)[:, min(3, n - 1) - 1]
    expected = np.exp(-D / np.sqrt(np.outer(nth, nth)))
    P = RelativeDistance(n=3).build(X, n_clusters=1).affinity.to_dense()
    np.testing.assert_allclose(P, expected, atol=1e-8)


@few
@given(st.integers(2, 10), seeds, st.sampled_from([np.float64, np.float32]), st.sampled_from(["union", "mutual"]))
def test_a_neighbour_graph_is_its_formula(n, seed, precision, connection):
    X, k = items("scattered", n, seed).astype(precision), min(3, n - 1)
    D = cdist(X.astype(float), X.astype(float))
    order = np.argsort(D + np.diag(np.full(n, np.inf)), axis=1)[:, :k]
    chosen = np.zeros((n, n), dtype=bool)
    chosen[np.arange(n)[:, None], order] = True
    sigma = D[np.arange(n), order[:, -1]]
    pairs = chosen | chosen.T if connection == "union" else chosen & chosen.T
    expected = np.where(pairs, np.exp(-(D**2) / np.outer(sigma, sigma)), 0.0) + np.eye(n)
    found = NeighborGraph(n_neighbors=3, connection=connection).build(X, n_clusters=n).affinity.to_dense()
    np.testing.assert_allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize("kind", ["scattered", "ties", "copies"])
@pytest.mark.parametrize("name", sorted(MODELS))
def test_every_number_of_clusters_of_few_items_has_an_answer(name, kind):
    for n in (2, 3, 5, 8):
        X = items(kind, n, seed=n)
        distinct = len(np.unique(X, axis=0))
        for K in sorted({1, min(2, distinct), distinct}):
            model = quietly(MODELS[name](K), X)
            W = model.membership_
            assert W.shape[0] == n
            assert (W >= 0.0).all()
            np.testing.assert_allclose(W.sum(axis=1), 1.0, atol=ROUNDING)
            np.testing.assert_array_equal(W[np.arange(n), model.labels_], W.max(axis=1))
            assert np.isfinite(model.objective_)
            assert (model.entropy_ >= 0.0).all()
            new = model.predict_proba(X + 0.25)
            np.testing.assert_allclose(new.sum(axis=1), 1.0, atol=ROUNDING)


# Without SoF: its affinity is relative to the distance of the 10th closest item, which pieces this small do not have.
@pytest.mark.parametrize("sizes", [(2, 2), (3, 7), (5, 5, 5), (12, 4), (20, 20)])
@pytest.mark.parametrize("name", sorted(MODELS.keys() - {"sof"}))
def test_pieces_far_from_one_another_are_not_mixed(name, sizes):
    rng = np.random.default_rng(sum(sizes))
    truth = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.normal(size=(len(truth), 2)) + 1000.0 * truth[:, None]
    model = quietly(MODELS[name](len(sizes)), X)
    assert adjusted_rand_index(truth, model.labels_) == 1.0


@pytest.mark.parametrize("name", sorted(MODELS))
def test_single_precision_gives_the_clusters_of_double_precision(name):
    rng = np.random.default_rng(0)
    truth = np.arange(60) % 3
    X = gaussians(truth, 12.0 * np.eye(3), rng).astype(np.float32)
    one, other = (quietly(MODELS[name](3), Z) for Z in (X, X.astype(np.float64)))
    np.testing.assert_allclose(one.membership_, other.membership_, atol=1e-6)
    assert adjusted_rand_index(truth, one.labels_) == 1.0


@pytest.mark.parametrize("n", [1, 2, 3, 10])
@pytest.mark.parametrize("loss", ["binder", "pear", "omari", "vi", "vi_lb", "nvi", "id", "nid"])
@pytest.mark.parametrize("draw", ["singletons", "one cluster"])
def test_draws_of_one_trivial_partition_are_answered_by_it(loss, draw, n):
    labels = np.arange(n) if draw == "singletons" else np.zeros(n, dtype=int)
    model = BayesianPartition(loss=loss, random_state=0).fit(np.tile(labels, (3, 1)))
    assert adjusted_rand_index(labels, model.labels_) == 1.0
    assert model.expected_loss_ == pytest.approx(1.0 if loss == "pear" else 0.0, abs=ROUNDING)
