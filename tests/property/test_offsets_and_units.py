"""What an offset or another unit of the features may change: nothing. Items lie on a grid on which both are exact."""

import warnings

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone

from partita import SCAMS, BayesianPartition, DPGaussianMixture, KernelKMeans, SoF, SoftClustering, SpectralRelaxation
from partita.affinity import (
    Landmarks,
    LocalMetricGraph,
    NeighborGraph,
    Nystrom,
    RandomFeatures,
    RelativeDistance,
)
from partita.affinity.distances import distances
from partita.affinity.neighbor_search import nearest
from partita.ensemble import Ensemble, Member
from partita.errors import UnsureWarning
from partita.metrics import adjusted_rand_index
from partita.n_clusters import Criterion, KEvidence
from synthetic import gaussians

# Sums and differences of numbers on the grid are exact up to 2^53 steps of it.
GRID, OFFSET, UNITS = 2.0**-12, 2.0**31, (2.0**-20, 2.0**20)
# Kernels of distances that agree to 1e-9, whose scales were found to 1e-10.
ROUNDING = 1e-6

BUILDERS = {
    "neighbors": NeighborGraph(),
    "neighbors, l2": NeighborGraph(metric="l2"),
    "neighbors, minkowski": NeighborGraph(metric="minkowski", metric_params={"p": 2}),
    "neighbors, squared": NeighborGraph(metric="sqeuclidean"),
    "neighbors, manhattan": NeighborGraph(metric="manhattan"),
    "neighbors, all": NeighborGraph(n_neighbors=100),
    "neighbors, cells": NeighborGraph(metric="nan_euclidean"),
    "neighbors, gower": NeighborGraph(metric="gower"),
    "relative": RelativeDistance(),
    "relative, gaussian": RelativeDistance(kernel="gaussian", scale="balanced"),
    "relative, l2": RelativeDistance(metric="l2"),
    "relative, squared": RelativeDistance(metric="sqeuclidean"),
    "relative, cells": RelativeDistance(metric="nan_euclidean"),
    "local metric": LocalMetricGraph(),
    "landmarks": Landmarks(n_landmarks=30),
    "nystrom": Nystrom(n_landmarks=30),
    "nystrom, laplacian": Nystrom(kernel="laplacian", n_landmarks=30),
    "waves": RandomFeatures(kernel="gaussian"),
    "grids": RandomFeatures(),
    "ensemble": Ensemble(n_draws=1),
}
# What is drawn before items are seen: with an offset it is another draw, of the same kernel.
DRAWN = ("grids", "waves")


def blobs(d, n=120, K=3, seed=0):
    """K clusters on the grid, and the cluster of each item."""
    truth = np.arange(n) % K
    angles = 2.0 * np.pi * np.arange(K) / K
    centres = np.zeros((K, d))
    centres[:, :2] = 10.0 * np.c_[np.cos(angles), np.sin(angles)]
    X = gaussians(truth, centres, seed)
    return np.round(X / GRID) * GRID, truth


def moved(X):
    """One column far away, as times of day in seconds since 1970 are."""
    Z = X.copy()
    Z[:, 0] += OFFSET
    return Z


def pairs_of(builder, X):
    with np.errstate(all="raise", under="ignore"):
        return builder.build(X, n_clusters=3).affinity.to_dense()


@pytest.mark.parametrize("d", [2, 20])
@pytest.mark.parametrize("name", sorted(BUILDERS.keys() - DRAWN))
def test_an_offset_of_the_features_changes_no_affinity(name, d):
    X, _ = blobs(d)
    np.testing.assert_allclose(pairs_of(BUILDERS[name], moved(X)), pairs_of(BUILDERS[name], X), atol=ROUNDING)


@pytest.mark.parametrize("kernel", ["laplacian", "gaussian"])
def test_random_features_of_items_far_from_the_origin_have_the_same_kernel(kernel):
    X, _ = blobs(2, n=60)
    D = cdist(X, X, "cityblock" if kernel == "laplacian" else "sqeuclidean")
    found = [pairs_of(RandomFeatures(kernel=kernel, n_features=4_000, scale=0.1, seed=s), moved(X)) for s in range(4)]
    # 3,600 entries, of variance at most one a feature, at most five standard errors away.
    np.testing.assert_allclose(np.mean(found, axis=0), np.exp(-0.1 * D), atol=5 * 16_000**-0.5)


@pytest.mark.parametrize("d", [2, 20])
@pytest.mark.parametrize("name", sorted(BUILDERS))
def test_the_unit_of_the_features_changes_no_affinity(name, d):
    X, _ = blobs(d)
    P = pairs_of(BUILDERS[name], X)
    for unit in UNITS:
        np.testing.assert_allclose(pairs_of(BUILDERS[name], unit * X), P, atol=ROUNDING)


def test_an_approximate_search_of_items_far_from_the_origin_finds_what_it_finds_at_the_origin():
    X, _ = blobs(20)
    graph = NeighborGraph(search="approximate")
    P = pairs_of(graph, X)
    for Z in (moved(X), *(unit * X for unit in UNITS)):
        np.testing.assert_allclose(pairs_of(graph, Z), P, atol=ROUNDING)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("far", [0.0, 1e3, 1e6, 1e9])
@pytest.mark.parametrize("itself", [True, False])
def test_nearest_items_are_those_of_the_differences_however_far_clusters_are_apart(far, itself, kind):
    rng = np.random.default_rng(0)
    Y = (rng.normal(size=(150, 20)) + far * (np.arange(150) % 3)[:, None]).astype(kind)
    X = Y if itself else (Y[:40] + rng.normal(size=(40, 20))).astype(kind)
    D = cdist(X.astype(float), Y.astype(float))
    if itself:
        np.fill_diagonal(D, np.inf)
    for metric, power in (("euclidean", 1), ("l2", 1), ("sqeuclidean", 2)):
        index, distance = nearest(X, Y, 10, metric, None, itself=itself)
        np.testing.assert_allclose(distance, np.sort(D, axis=1)[:, :10] ** power, rtol=1e-9)
        np.testing.assert_allclose(np.take_along_axis(D, index, axis=1) ** power, distance, rtol=1e-9)


@pytest.mark.parametrize("metric", ["euclidean", "l2", "sqeuclidean", "nan_euclidean"])
@pytest.mark.parametrize("far", [0.0, 1e3, 1e6, 1e9])
def test_distances_are_those_of_the_differences_however_far_clusters_are_apart(far, metric):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 20)) + far * (np.arange(150) % 3)[:, None]
    X[:40] = X[40:80] + 1e-7 * X[80:120]
    expected = cdist(X, X)
    if metric == "nan_euclidean":
        X[rng.random(X.shape) < 0.2] = np.nan
        square = (X[:, None] - X) ** 2
        expected = np.sqrt(20 * np.nanmean(square, axis=2))
    if metric == "sqeuclidean":
        expected **= 2
    np.testing.assert_allclose(distances(X, X, metric, None), expected, rtol=1e-8)


@pytest.mark.parametrize("d", [2, 20])
@pytest.mark.parametrize("name", sorted(Member.registry))
def test_an_offset_changes_no_member(name, d):
    X, _ = blobs(d)
    one, other = (
        Ensemble(methods=(name,), n_draws=1).build(Y, n_clusters=3).affinity.to_dense() for Y in (X, moved(X))
    )
    np.testing.assert_allclose(other, one, atol=ROUNDING)


def changed(X):
    return {"offset": moved(X), "small": UNITS[0] * X, "large": UNITS[1] * X}


@pytest.mark.parametrize("d", [2, 20])
@pytest.mark.parametrize(
    "name", sorted(name for name, kind in Criterion.registry.items() if not kind.requires & {"draws", "dimension"})
)
def test_an_offset_or_a_unit_changes_no_judgement(name, d):
    def number(X):
        affinity = NeighborGraph().build(X, n_clusters=3).affinity
        return Criterion.registry[name]().judge(KEvidence(features=X, affinity=affinity, max_clusters=6)).n_clusters

    X, _ = blobs(d, n=60)
    assert {change: number(Z) for change, Z in changed(X).items()} == dict.fromkeys(changed(X), number(X))


MODELS = {
    "soft": lambda: SoftClustering(3, random_state=0, affinity="neighbors", probabilities="fitted"),
    "soft, auto": lambda: SoftClustering("auto", random_state=0, affinity="neighbors", probabilities="fitted"),
    "soft, calibrated": lambda: SoftClustering(3, probabilities="calibrated", random_state=0, affinity="neighbors"),
    "soft, k-means": lambda: SoftClustering(
        3, start="kmeans", random_state=0, affinity="neighbors", probabilities="fitted"
    ),
    "ensemble": lambda: SoftClustering(3, affinity="ensemble", random_state=0, probabilities="fitted"),
    "sof": lambda: SoF(3, random_state=0),
    "scams": lambda: SCAMS(random_state=0),
    "kernel k-means": lambda: KernelKMeans(3, random_state=0),
    "spectral": lambda: SpectralRelaxation(3, random_state=0),
}


@pytest.mark.parametrize("d", [2, 20])
@pytest.mark.parametrize("name", sorted(MODELS))
def test_an_offset_or_a_unit_changes_no_clusters(name, d):
    X, truth = blobs(d)
    assert adjusted_rand_index(truth, MODELS[name]().fit(X).labels_) == 1.0
    for change, Z in changed(X).items():
        model = MODELS[name]().fit(Z)
        assert adjusted_rand_index(truth, model.labels_) == 1.0, change
        assert adjusted_rand_index(truth[:20], model.predict_proba(Z[:20]).argmax(axis=1)) == 1.0, change


def test_an_offset_or_a_unit_changes_no_draw_of_a_mixture():
    X, truth = blobs(2)
    for change, Z in changed(X).items():
        mixture = DPGaussianMixture(n_draws=100, burn_in=100, n_chains=2, random_state=0).fit(Z)
        partition = BayesianPartition(random_state=0).fit(mixture)
        assert adjusted_rand_index(truth, partition.labels_) == 1.0, change


def test_one_column_of_times_does_not_hide_four_clear_clusters():
    X, truth = blobs(20, n=400, K=4)
    Z = X.copy()
    Z[:, 0] += 1.7e9
    assert (
        adjusted_rand_index(
            truth, SoftClustering(4, random_state=0, affinity="neighbors", probabilities="fitted").fit(Z).labels_
        )
        == 1.0
    )
    assert SoftClustering("auto", random_state=0, affinity="neighbors", probabilities="fitted").fit(Z).n_clusters_ == 4


@pytest.mark.parametrize(("kind", "offset"), [(np.float64, 2.0**53), (np.float32, 2.0**24), (np.float64, 0.0)])
@pytest.mark.parametrize(
    "model",
    [
        SoftClustering(3, random_state=0, affinity="neighbors", probabilities="fitted"),
        DPGaussianMixture(n_draws=20, burn_in=20),
    ],
)
def test_an_offset_that_the_numbers_cannot_carry_is_said(model, kind, offset):
    X, _ = blobs(2)
    X[:, 1] += offset
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UnsureWarning)
        clone(model).fit(X.astype(kind))
    said = [str(w.message) for w in caught if "digits were lost" in str(w.message)]
    assert len(said) == (offset > 0)
    assert all("column 1 " in words for words in said)
