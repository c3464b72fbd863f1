"""Outliers, labels to rely on, layers: laws, and what is known of data that are drawn."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from scipy.stats import multivariate_normal
from sklearn.datasets import load_iris
from sklearn.metrics import roc_auc_score

from optional import optional
from partita import SCAMS, BayesianPartition, KernelKMeans, SoF, SoftClustering, SymNMF, load, save
from partita.affinity import Builder, NeighborGraph, Precomputed
from partita.affinity.far import far_items
from partita.affinity.from_neighbors import neighbors_among
from partita.calibration import components_within
from partita.doubt import (
    background_probability,
    certainty_by_agreement,
    certainty_of_labels,
    confident_items,
    confident_pairs,
    nested_layers,
    on_the_sphere,
    probability_of_new,
    weak_support_probability,
)
from partita.doubt.outliers import _background_share, _unrounded
from partita.doubt.rivals import log_odds_of_background
from partita.ensemble import Ensemble, Validity
from partita.ensemble import agreement as agreement_of
from partita.errors import InputError, UnsureWarning
from partita.estimators.mixed_table import MixedTable
from partita.metrics import adjusted_rand_index
from partita.plots import CoverageDisplay, blank_figure
from partita.report.headline import AGREED, _divided, agreement, examine_number, headline, verdict_on
from partita.wording import percent
from synthetic import gaussians


def test_certainty_of_labels_does_not_depend_on_the_numbers_of_clusters():
    labels = np.repeat([0, 1, 2, 3], 2)
    others = [np.zeros(8, dtype=np.int64), np.array([0, 0, 0, 0, 1, 1, 1, 1]), np.array([0, 1, 1, 1, -1, 2, 2, 0])]
    rng = np.random.default_rng(0)
    for other in others:
        plain = certainty_of_labels(labels, [(0.4, other)], 4)
        for _ in range(10):
            numbered = rng.permutation(4)[labels]
            renamed = np.where(other < 0, -1, rng.permutation(4)[other])
            np.testing.assert_array_equal(certainty_of_labels(numbered, [(0.4, renamed)], 4), plain)


def two_digits(p: float) -> str:
    return f"{p:.2f}" if p >= 0.01 else "below 0.01"


CENTRES = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])


def clusters(n: int, d: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Three normal clusters in d dimensions, far apart in the first two."""
    labels = np.arange(n) % 3
    centres = np.zeros((3, d))
    centres[:, :2] = CENTRES[:, : min(d, 2)]
    return gaussians(labels, centres, seed), labels


def with_noise(n: int, d: int, share: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Clusters and uniform noise in their box: items, labels (of noise: the nearest centre), true probability."""
    X, _ = clusters(n - round(n * share), d, seed)
    low, high = X.min(axis=0), X.max(axis=0)
    noise = np.random.default_rng(seed + 100).uniform(low, high, size=(round(n * share), d))
    Y = np.concatenate([X, noise])
    centres = np.zeros((3, d))
    centres[:, :2] = CENTRES
    density = sum(multivariate_normal(centre, np.eye(d)).pdf(Y) for centre in centres) / 3
    background = share / np.prod(high - low)
    nearest = ((Y[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    return Y, nearest, background / (background + (1 - share) * density)


def calibration_error(p: np.ndarray, truth: np.ndarray) -> float:
    bins = np.minimum((10 * p).astype(int), 9)
    return sum(abs((p - truth)[bins == b].sum()) for b in range(10)) / len(p)


# Outliers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 5, 20])
@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
def test_uniform_noise_is_ranked_as_the_true_densities_rank_it_and_its_probability_is_calibrated(
    d: int, share: float
) -> None:
    Y, labels, true = with_noise(2000, d, share, seed=1)
    noise = np.arange(2000) >= 2000 - round(2000 * share)
    p = background_probability(Y, labels)
    assert roc_auc_score(noise, p) >= roc_auc_score(noise, true) - 0.02
    assert calibration_error(p, noise) <= 0.05


@pytest.mark.parametrize("d", [2, 3, 10])
@pytest.mark.parametrize("kind", ["normal", "uniform", "skewed"])
def test_clean_clusters_have_hardly_an_outlier(kind: str, d: int) -> None:
    rng = np.random.default_rng(d)
    labels = np.arange(1500) % 3
    E = {
        "normal": rng.normal(size=(1500, d)),
        "uniform": rng.uniform(-2, 2, (1500, d)),
        "skewed": rng.gamma(2, size=(1500, d)),
    }[kind]
    E[:, :2] += CENTRES[labels]
    assert (background_probability(E, labels) > 0.5).mean() <= 0.01


@pytest.mark.parametrize("seed", range(5))
def test_long_tails_of_few_items_are_no_background_and_a_background_under_them_is(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = np.arange(500) % 4
    X = rng.gamma(2, size=(500, 2)) + 9.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])[labels]
    assert (background_probability(X, labels) > 0.5).mean() <= 0.002
    Y = np.concatenate([X, rng.uniform(X.min(axis=0), X.max(axis=0), size=(125, 2))])
    nearest = labels[((Y[500:, None] - X) ** 2).sum(axis=2).argmin(axis=1)]
    p = background_probability(Y, np.concatenate([labels, nearest]))
    assert (p[500:] > 0.5).mean() >= 0.5


@pytest.mark.parametrize("seed", range(4))
def test_little_noise_is_not_taken_for_the_tails_of_normal_clusters(seed: int) -> None:
    Y, labels, true = with_noise(500, 3, 0.05, seed)
    p = background_probability(Y, labels)
    assert (p[475:] > 0.5).sum() >= 0.7 * (true[475:] > 0.5).sum() > 0


def test_a_background_is_seen_beneath_clusters_that_labels_join() -> None:
    centres = np.array([[0, 0, 0], [7, 0, 0], [0, 8, 0], [8, 9, 0]])
    spread = np.array([[0.6, 1.5, 1], [1.5, 0.6, 1], [1, 0.7, 1.6], [1, 1.6, 0.7]])
    found = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        truth = np.arange(475) % 4
        X = centres[truth] + spread[truth] * rng.normal(size=(475, 3))
        Y = np.concatenate([X, rng.uniform(X.min(axis=0), X.max(axis=0), size=(25, 3))])
        labels = np.maximum(((Y[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1) - 1, 0)
        found.append((background_probability(Y, labels)[475:] > 0.5).sum())
        assert (background_probability(X, labels[:475]) > 0.5).mean() <= 0.01
    assert np.median(found) >= 15  # of 25; half of the tables have none without halves of the joined ones


def test_a_cluster_of_noise_is_a_background_and_a_sparse_cluster_is_not() -> None:
    centres, rng = np.array([[0, 0], [7, 0], [0, 8], [8, 9]]), np.random.default_rng(5)
    truth = np.arange(475) % 4
    X = centres[truth] + rng.normal(size=(475, 2))
    Y = np.concatenate([X, rng.uniform(X.min(axis=0), X.max(axis=0), size=(25, 2))])
    squared = ((Y[:, None] - centres) ** 2).sum(axis=2)
    labels = np.maximum(squared.argmin(axis=1) - 1, 0)  # two clusters are joined, and one is of what is far from all
    labels = np.where(np.exp(-squared / 2).sum(axis=1) < 0.05, 3, labels)
    assert (background_probability(Y, labels)[475:] > 0.5).sum() >= 8
    sparse = np.concatenate([X, [4, 4] + 4 * rng.normal(size=(75, 2))])
    assert (background_probability(sparse, np.concatenate([truth, np.full(75, 4)])) < 0.5).all()


@pytest.mark.parametrize("n", [60, 150, 1000])
@pytest.mark.parametrize("d", [1, 2])
def test_one_normal_cluster_of_few_dimensions_has_no_background(n: int, d: int) -> None:
    X = np.random.default_rng(n).normal(size=(n, d))
    assert (background_probability(X, np.zeros(n, dtype=int)) > 0.5).mean() <= 0.01


def test_a_square_that_fills_its_box_is_a_cluster() -> None:
    X = np.random.default_rng(0).uniform(size=(500, 2))
    assert background_probability(X, np.zeros(500, dtype=int)).max() == 0


def test_one_item_far_off_is_an_outlier() -> None:
    X, labels = clusters(300, 2, 0)
    X[7] = 80, 5
    p = background_probability(X, labels)
    assert p[7] > 0.9
    assert (p > 0.5).sum() == 1


@pytest.mark.parametrize("n_far", [9, 10, 14])
def test_scattered_far_items_are_outliers_and_the_rest_is_found_however_many_they_are(n_far: int) -> None:
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 3, 300)
    far = rng.normal(size=(n_far, 3))
    far *= rng.uniform(20, 60, size=(n_far, 1)) / np.linalg.norm(far, axis=1, keepdims=True)
    X = np.concatenate([rng.normal(size=(300, 3)) + 7 * np.eye(3)[truth], far])
    model = SoftClustering(random_state=0).fit(X)
    assert model.n_clusters_ == 3
    assert adjusted_rand_index(model.labels_[:300], truth) > 0.99
    assert np.array_equal(model.outlier_ > 0.5, np.arange(len(X)) >= 300)


def test_far_items_that_are_each_other_s_neighbours_are_clusters() -> None:
    rng = np.random.default_rng(0)
    small = [rng.normal(size=(8, 2)) + far for far in ([300, 0], [0, 300])]  # reach each other for a tenth neighbour
    X = np.concatenate([rng.normal(size=(400, 2)), *small])
    near, distance = neighbors_among(X, 10)
    assert distance[400:, -1].min() > 3 * distance[:400, -1].max()
    assert not far_items(distance[:, -1], near).any()
    far = np.linspace(100, 400, 16)[:, None] * np.c_[np.cos(5 * np.arange(16)), np.sin(5 * np.arange(16))]
    near, distance = neighbors_among(np.concatenate([X[:400], far]), 10)
    assert np.array_equal(np.flatnonzero(far_items(distance[:, -1], near)), np.arange(400, 416))
    assert not far_items(distance[:, -1]).any()


@pytest.mark.parametrize("seed", [3, 6, 11, 18])  # where a tenth of the box happened to be empty, none was found
def test_a_gap_in_which_no_item_lies_does_not_hide_the_background(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = np.arange(400) % 4
    X = rng.normal(size=(400, 5)) + 5 * rng.normal(size=(4, 5))[labels]
    Y = np.concatenate([X, rng.uniform(X.min(axis=0), X.max(axis=0), size=(100, 5))])
    p = background_probability(Y, np.concatenate([labels, np.zeros(100, dtype=int)]))
    assert (p[400:] > 0.5).mean() >= 0.9
    assert (p[:400] > 0.5).mean() <= 0.01


@pytest.mark.parametrize("seed", range(3))
def test_the_background_is_as_large_as_it_is_where_neighbours_are_sought_in_a_sample(seed: int) -> None:
    Y, labels, true = with_noise(8000, 3, 0.5, seed)
    assert background_probability(Y, labels).mean() == pytest.approx(true.mean(), abs=0.015)


def test_chance_in_the_reference_does_not_make_a_background_smaller() -> None:
    for seed in range(20):  # all items are of it: the least of many ratios would be below one
        rng = np.random.default_rng(seed)
        items, reference = rng.normal(size=50_000), rng.normal(size=10_000)
        assert 1.0 <= _background_share(items, np.ones(50_000), reference) < 1.06


def test_a_gap_of_a_background_is_chance_where_few_items_would_lie_in_it() -> None:
    reference = np.linspace(0, 1, 10_000)
    few, many = (np.linspace(0.06, 1, n) for n in (400, 20_000))  # 24 are missing, and 1,200
    assert _background_share(few, np.ones(400), reference) > 0.7
    assert _background_share(many, np.ones(20_000), reference) < 0.1


def test_a_background_that_keeps_away_does_so_whether_rows_have_weights_or_copies() -> None:
    rng = np.random.default_rng(1)
    angle, radius = rng.uniform(0, 2 * np.pi, 200), np.sqrt(rng.uniform(6**2, 14**2, 200))
    X = np.vstack([rng.normal(0, 0.5, (300, 2)), np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])])
    counts, label = rng.integers(1, 4, 500), np.repeat([0, 1], [300, 200])
    copies = np.repeat(np.arange(500), counts)
    weighted = background_probability(X, label, weights=counts)
    np.testing.assert_allclose(weighted[copies], background_probability(X[copies], label[copies]), atol=1e-9)


def test_outliers_do_not_depend_on_the_order_of_items_or_of_features() -> None:
    Y, labels, _ = with_noise(600, 3, 0.2, seed=3)
    order = np.random.default_rng(0).permutation(600)
    p = background_probability(Y, labels)
    # The reference is drawn anew for other columns: equal up to its sampling error.
    assert np.array_equal(background_probability(Y[order], labels[order]), p[order])
    assert np.abs(background_probability(Y[:, ::-1], labels) - p).mean() < 0.05


def test_a_weight_of_two_is_the_same_as_giving_the_item_twice_and_zero_as_leaving_it_out() -> None:
    Y, labels, _ = with_noise(400, 2, 0.2, seed=4)
    weights = np.ones(400)
    weights[:50], weights[-20:] = 2, 0
    own = background_probability(Y, labels, weights=weights)
    copies = np.repeat(np.arange(400), weights.astype(int))
    assert np.allclose(background_probability(Y[copies], labels[copies]), own[copies], atol=1e-12)
    assert 0 < own[-20:].mean() <= 1  # rows that nobody counted are told all the same


@pytest.mark.parametrize("n", [20, 30, 60])
@pytest.mark.parametrize("d", [2, 3, 6, 8])
def test_few_items_of_one_cluster_have_hardly_an_outlier_however_often_each_is_given(n: int, d: int) -> None:
    for draw in ("standard_normal", "standard_exponential"):
        found = []
        for seed in range(10):
            X = getattr(np.random.default_rng([seed, n, d]), draw)(size=(n, d))
            found.append(background_probability(X, np.zeros(n, dtype=int)))
            twice = background_probability(np.repeat(X, 2, axis=0), np.zeros(2 * n, dtype=int))
            np.testing.assert_allclose(twice, np.repeat(found[-1], 2), atol=1e-9)
        assert (np.array(found) > 0.5).mean() < 0.05


def test_an_item_without_support_in_its_cluster_is_an_outlier() -> None:
    support = np.random.default_rng(0).lognormal(sigma=0.3, size=300)
    support[:2] = 0.0, 1e-4
    p = weak_support_probability(support, np.arange(300) % 2)
    assert (p[:2] > 0.9).all()
    assert (p[2:] > 0.5).mean() <= 0.01


def test_the_sides_of_a_bipartite_graph_are_clusters_without_links_and_no_outliers() -> None:
    sides = np.repeat([0, 1], 20)
    degree = np.full(40, 5.0)
    degree[3] = 0.0
    p = weak_support_probability(np.zeros(40), sides, degree)
    assert p[3] == 1.0
    assert np.delete(p, 3).max() == 0.0


def test_the_women_and_what_they_went_to_are_two_groups_of_both_and_no_outliers() -> None:
    networkx = pytest.importorskip("networkx")
    model = SoftClustering(2, random_state=0).fit(networkx.davis_southern_women_graph())
    assert np.array_equal(model.labels_[:18] == model.labels_[0], np.arange(18) < 9)  # as most studies have it
    assert len(set(model.labels_[18:])) == 2
    assert model.outlier_.max() < 0.5


@pytest.fixture(scope="module")
def noisy() -> tuple[SoftClustering, np.ndarray]:
    Y, _, true = with_noise(600, 2, 0.2, seed=5)
    return SoftClustering(3, random_state=0).fit(Y), true


def test_a_fit_says_which_items_are_outliers_and_labels_leaves_them_out(
    noisy: tuple[SoftClustering, np.ndarray],
) -> None:
    model, true = noisy
    noise = np.arange(600) >= 480
    assert roc_auc_score(noise, model.outlier_) >= roc_auc_score(noise, true) - 0.02
    labels = model.labels(outliers=0.5)
    assert np.array_equal(labels == -1, model.outlier_ > 0.5)
    assert np.array_equal(labels[labels >= 0], model.labels_[labels >= 0])
    assert np.array_equal(model.labels(), model.labels_)
    assert np.allclose(model.membership_.sum(axis=1), 1)
    for wrong in (-0.1, 1.5):
        with pytest.raises(InputError):
            model.labels(outliers=wrong)


def test_a_far_item_is_an_outlier_of_a_graph_of_distances_of_a_matrix_and_of_draws() -> None:
    X, labels = clusters(120, 2, 6)
    X[5] = 300, 300
    distances = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    by_distance = SoF(3, affinity="precomputed_distance", random_state=0, n_init=3).fit(distances)
    assert by_distance.outlier_[5] == by_distance.outlier_.max()
    graph = np.where(distances < 3, 1.0, 0.0)
    by_graph = SoftClustering(3, affinity="precomputed", random_state=0).fit(graph)
    assert by_graph.outlier_[5] > 0.9
    draws = np.tile(labels, (10, 1))
    draws[:9, 5] = 7
    alone = BayesianPartition(random_state=0).fit(draws).outlier_
    assert alone[5] == pytest.approx(0.9)
    assert alone[np.arange(120) != 5].max() == 0


def test_outliers_and_certainty_are_saved_with_a_model(noisy: tuple[SoftClustering, np.ndarray], tmp_path) -> None:
    model, _ = noisy
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert np.array_equal(again.outlier_, model.outlier_)
    assert np.array_equal(again.confident(0.05).mask, model.confident(0.05).mask)


@pytest.mark.parametrize("probabilities", ["fitted", "calibrated"])
def test_doubt_of_fitted_rows_is_their_own_and_a_far_row_is_an_outlier(probabilities: str, tmp_path) -> None:
    X, *_ = with_noise(600, 2, 0.2, seed=5)
    X = np.r_[X, X[:5]]
    weights = np.r_[np.ones(600), np.full(5, 3.0)]
    model = SoftClustering(3, probabilities=probabilities, random_state=0).fit(X, sample_weight=weights)
    found = model.predict_doubt(X)
    np.testing.assert_array_equal(found.outlier, model.outlier_)
    same = model.predict(X) == model.labels_
    np.testing.assert_allclose(found.certainty[same], model.certainty_[same], rtol=1e-12)
    assert same.mean() > 0.9
    far = model.predict_doubt([[400.0, 0.0], *X[:1]])
    assert far.outlier[0] >= 0.99
    assert far.certainty[0] < 0.011
    save(model, tmp_path / "model")
    again = load(tmp_path / "model").predict_doubt(X)
    np.testing.assert_array_equal(again.outlier, found.outlier)
    np.testing.assert_array_equal(again.certainty, found.certainty)


def test_doubt_of_new_rows_is_as_that_of_a_fit_of_all() -> None:
    Y, *_ = with_noise(2000, 3, 0.2, seed=1)
    order = np.random.default_rng(0).permutation(2000)
    Y, noise = Y[order], (np.arange(2000) >= 1600)[order]
    model = SoftClustering(3, random_state=0).fit(Y[:1000])
    found = model.predict_doubt(Y[1000:])
    assert roc_auc_score(noise[1000:], found.outlier) > roc_auc_score(noise[:1000], model.outlier_) - 0.03
    assert abs(found.outlier.mean() - model.outlier_.mean()) < 0.04
    assert abs(found.certainty.mean() - model.certainty_.mean()) < 0.04


def test_a_row_with_missing_cells_is_no_surer_than_its_membership_says() -> None:
    X, _ = clusters(300, 3, 0)
    X[:30, 0] = np.nan
    model = SoftClustering(3, missing="unobserved", random_state=0).fit(X)
    new = np.array([[np.nan, np.nan, np.nan], X[50]])
    assert model.predict_doubt(new).certainty[0] <= model.predict_proba(new)[0].max()


@pytest.mark.parametrize("far", [20.0, 25.0, 60.0, -60.0, 1e6])
@pytest.mark.parametrize("kind", ["one column", "corner"])
def test_a_far_row_is_an_outlier_also_where_the_edge_is_a_fitted_row(far: float, kind: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 1)) + np.repeat([[0], [9]], 100, axis=0)
    if kind == "corner":
        X = np.clip(np.round(rng.normal(size=(200, 2)) + 1 + 3 * (np.arange(200) % 2)[:, None]), 1, 5)
    found = SoftClustering(2, random_state=0).fit(X).predict_doubt(np.full((1, X.shape[1]), far))
    assert found.outlier[0] >= 0.99
    assert found.certainty[0] < 0.011


def test_a_weight_is_as_good_as_copies_for_the_odds_of_a_background() -> None:
    X, label, _ = with_noise(200, 2, 0.2, seed=3)
    counts = np.random.default_rng(3).integers(1, 6, size=200)
    no_scale = np.zeros(2, dtype=bool)
    found = log_odds_of_background(X, label, counts.astype(float), no_scale)
    copies = np.repeat(np.arange(200), counts)
    copied = log_odds_of_background(X[copies], label[copies], np.ones(len(copies)), no_scale)
    assert found == pytest.approx(copied, abs=1e-6)


def test_a_weight_is_as_good_as_copies_for_the_doubt_of_new_rows(tmp_path) -> None:
    rng = np.random.default_rng(3)
    X, _, _ = with_noise(200, 2, 0.2, seed=3)
    counts = rng.integers(1, 6, size=200)
    new = X[:100] + rng.normal(size=(100, 2))
    weighted = SoftClustering(3, random_state=0).fit(X, sample_weight=counts)
    copied = SoftClustering(3, random_state=0).fit(np.repeat(X, counts, axis=0))
    save(weighted, tmp_path / "model")
    again = load(tmp_path / "model")
    for one in (weighted, again):
        found, expected = one.predict_doubt(new), copied.predict_doubt(new)
        np.testing.assert_allclose(found.outlier, expected.outlier, atol=1e-9)
        np.testing.assert_allclose(found.certainty, expected.certainty, atol=1e-9)
    np.testing.assert_array_equal(again.confident(0.05).mask, weighted.confident(0.05).mask)


def test_doubt_of_new_rows_takes_them_in_memory() -> None:
    da = optional("dask.array")
    X, _ = clusters(90, 2, 0)
    with pytest.raises(InputError, match="blocks"):
        SoftClustering(3, random_state=0).fit(X).predict_doubt(da.from_array(X, chunks=(45, 2)))


@pytest.mark.parametrize("affinity", ["neighbors", Precomputed()])
def test_doubt_of_new_rows_needs_features_and_an_ensemble(affinity: str | Builder) -> None:
    X, _ = clusters(90, 2, 0)
    given = X if affinity == "neighbors" else np.exp(-((X[:, None] - X) ** 2).sum(axis=2))
    with pytest.raises(InputError, match="predict_doubt"):
        SoftClustering(3, affinity=affinity, random_state=0).fit(given).predict_doubt(given)


# Confident sets ---------------------------------------------------------------------------------------------------


def test_the_confident_set_is_the_largest_one_that_keeps_the_error() -> None:
    right = np.random.default_rng(0).beta(5, 1, size=200)
    for error in (0.01, 0.05, 0.2):
        found = confident_items(right, error)
        wrong = np.sort(1 - right)
        means = np.cumsum(wrong) / np.arange(1, 201)
        assert found.mask.sum() == (means <= error).sum()
        assert found.expected_error == pytest.approx((1 - right)[found.mask].mean() if found.mask.any() else 0)
        assert right[found.mask].min(initial=1) >= right[~found.mask].max(initial=0)
    assert confident_items(right, 1.0).coverage == 1
    none = confident_items(np.full(5, 0.5), 0.05)
    assert not none.mask.any()
    assert "no set" in str(none)
    weighted = confident_items(np.array([1.0, 0.9, 1.0]), 0.05, weights=np.array([0.0, 1.0, 1.0]))
    assert weighted.mask.tolist() == [False, True, True]
    assert "(100% by weight)" in str(weighted)


def test_clusters_that_a_bound_alone_asked_for_are_as_doubtful_as_those_of_a_number_that_was_given() -> None:
    rng, truth = np.random.default_rng(0), np.repeat([0, 1, 2], 40)
    X = np.array([[0, 0, 0], [6, 0, 0], [0, 6, 0]])[truth] + rng.normal(size=(120, 3))
    of_bound = SoftClustering((5, 8), random_state=0).fit(X)
    assert of_bound.n_clusters_ == 5
    assert of_bound.certainty_.mean() < 0.8  # two of three round clusters are cut
    assert of_bound.confident(0.05).coverage < 0.2
    one = [SoftClustering(bounds, random_state=0).fit(X[truth == 0]) for bounds in ("auto", (1, None))]
    assert one[0].n_clusters_ == one[1].n_clusters_ == 1
    np.testing.assert_array_equal(one[0].certainty_, one[1].certainty_)  # one cluster is no bound
    right = SoftClustering((3, 8), random_state=0).fit(X)
    assert right.n_clusters_ == 3
    assert right.certainty_.mean() > 0.9


def test_clusters_of_like_sizes_are_as_certain_where_they_may_be_one() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2)) + 3.6 * np.repeat([[0, 0], [1, 0]], [29, 31], axis=0)
    model = SoftClustering(random_state=0).fit(X)
    assert model.n_clusters_ == 2
    assert model.verdict_.probability_of(1) > 0.05
    of_each = [model._stands_whatever_the_number()[model.labels_ == k].mean() for k in range(2)]
    assert abs(of_each[0] - of_each[1]) < 0.1


def test_copies_of_every_row_leave_the_certainty_as_it_is() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 3)) + np.array([[0, 0, 0], [4, 0, 0], [0, 4, 0]])[rng.integers(0, 3, 200)]
    once = SoftClustering(random_state=0).fit(X)
    copied = SoftClustering(random_state=0).fit(np.repeat(X, 3, axis=0))
    assert copied._within().n_components.tolist() == once._within().n_components.tolist()  # type: ignore[union-attr]
    assert abs(copied.certainty_.mean() - once.certainty_.mean()) < 0.02  # it was .12
    assert abs(copied.confident().coverage - once.confident().coverage) < 0.1
    heavy = SoftClustering(random_state=0).fit(X, sample_weight=np.full(200, 30.0))
    np.testing.assert_array_equal(heavy._within().n_components, once._within().n_components)  # type: ignore[union-attr]


@pytest.mark.parametrize("wrong", [-0.1, 1.1])
def test_an_error_outside_of_0_and_1_is_refused(wrong: float) -> None:
    with pytest.raises(InputError):
        confident_items(np.ones(3), wrong)
    with pytest.raises(InputError):
        confident_pairs(np.ones((3, 1)), np.zeros(3, dtype=int), wrong)


def test_what_is_promised_holds_where_certainties_are_true() -> None:
    rng = np.random.default_rng(1)
    observed = []
    for _ in range(200):
        right = rng.beta(4, 1, size=500)
        found = confident_items(right, 0.05)
        observed.append((rng.random(500) >= right)[found.mask].mean() - found.expected_error)
        assert found.standard_error < 0.05
    assert abs(np.mean(observed)) < 0.005  # three standard errors of the mean of 200


def test_pairs_are_claimed_at_the_false_discovery_rate() -> None:
    rng = np.random.default_rng(2)
    W = rng.dirichlet([0.3, 0.3, 0.3], size=400)
    labels = W.argmax(axis=1)
    truth = np.array([rng.choice(3, p=row) for row in W])
    found = confident_pairs(W, labels, 0.1)
    i, j = np.triu_indices(400, 1)
    claimed = found.together(i, j) & (labels[i] == labels[j])
    assert claimed.sum() > 1000
    assert (truth[i] != truth[j])[claimed].mean() == pytest.approx(found.expected_error, abs=0.03)
    assert found.expected_error <= 0.1


def test_many_pairs_have_nearly_the_threshold_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    W = np.random.default_rng(3).dirichlet([0.3, 0.3], size=500)
    labels = W.argmax(axis=1)
    exact = confident_pairs(W, labels, 0.1)
    monkeypatch.setattr("partita.doubt.coverage.PAIRS", 20_000)
    assert confident_pairs(W, labels, 0.1).threshold == pytest.approx(exact.threshold, abs=0.02)


def test_a_number_far_from_the_answer_moves_more_labels_than_the_next_one() -> None:
    labels = np.arange(60) % 5
    by_number = [float(certainty_of_labels(labels, [(0.5, K)], 5)[0]) for K in (4, 6, 10, 50)]
    np.testing.assert_allclose(by_number, [0.9, 1 - 0.5 / 6, 0.75, 0.55])


def test_another_number_of_clusters_takes_certainty_from_the_items_that_it_moves() -> None:
    labels = np.array([0, 0, 0, 1, 1, 1])
    joined = np.array([4, 4, 4, 4, 4, 4])
    assert certainty_of_labels(labels, [(0.3, joined)], 2).tolist() == [0.85] * 6  # as many of either cluster
    more = np.array([1, 1, 1, 1, 1, 2])
    assert certainty_of_labels(labels, [(0.3, joined)], 2, more).tolist() == [0.7, 0.7, 0.7, 1, 1, 1]
    assert certainty_of_labels(labels, [(0.3, 1 - labels)], 2).tolist() == [1] * 6  # other names, the same clusters
    assert certainty_of_labels(labels, [(0.4, np.array([0, 0, -1, 1, 1, 2]))], 2).tolist() == [1, 1, 1, 1, 1, 0.6]


@pytest.mark.parametrize("k", [3, "auto"])
def test_certainty_is_that_of_the_item_wherever_its_row_stands(k: int | str) -> None:
    X = load_iris().data
    model, order = SoftClustering(k, random_state=0).fit(X), np.random.default_rng(1).permutation(len(X))
    again = SoftClustering(k, random_state=0).fit(X[order])
    np.testing.assert_array_equal(again.labels_ == again.labels_[0], (model.labels_ == model.labels_[order[0]])[order])
    np.testing.assert_allclose(again.certainty_, model.certainty_[order], atol=0.003)


ROUNDED = {
    "a rating scale": lambda rng, d: np.clip(np.round(rng.normal(3, 1, (300, d))), 1, 5),
    "counts": lambda rng, d: rng.poisson(3, (300, d)),
    "whole numbers": lambda rng, d: np.round(5 * rng.normal(size=(400, d))),
}


@pytest.mark.parametrize("n_columns", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("kind", ROUNDED)
def test_rounded_items_are_no_outliers(kind: str, n_columns: int) -> None:
    for seed in range(3):
        X = ROUNDED[kind](np.random.default_rng(seed), n_columns).astype(float)
        assert (background_probability(X, np.zeros(len(X), dtype=np.int64)) > 0.5).mean() <= 0.01


def test_the_border_of_a_grid_is_no_outlier() -> None:
    for side in (10, 15, 30):
        X = np.stack(np.meshgrid(*[np.arange(float(side))] * 2), axis=-1).reshape(-1, 2)
        assert (background_probability(X, np.zeros(len(X), dtype=np.int64)) > 0.5).sum() == 0


def test_noise_among_rounded_items_is_found() -> None:
    rng = np.random.default_rng(0)
    X = np.round(np.r_[2 * rng.normal(size=(400, 2)), rng.uniform(-30, 30, (60, 2))])
    p = background_probability(X, np.zeros(460, dtype=np.int64))
    assert (p[:400] > 0.5).mean() <= 0.05
    assert (p[400:] > 0.5).mean() >= 0.8


@pytest.mark.parametrize("apart", [5.0, 8.0])
def test_clusters_that_are_evenly_spread_along_a_column_have_no_outliers(apart: float) -> None:
    labels = np.arange(300) % 3
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = np.c_[rng.normal(size=300) + apart * labels, 16 * rng.random(300)]
        assert (background_probability(X, labels) > 0.5).sum() == 0


def test_a_cluster_as_sparse_as_the_box_is_a_background() -> None:
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(120, 3)), rng.uniform(-40, 40, (20, 3))]
    labels = np.repeat([0, 1], [120, 20])
    assert (background_probability(X, labels)[120:] > 0.5).mean() >= 0.9


def test_where_rounded_items_are_put_does_not_depend_on_their_order() -> None:
    X = np.stack(np.meshgrid(*[np.arange(12.0)] * 2), axis=-1).reshape(-1, 2)
    order = np.random.default_rng(0).permutation(len(X))
    put, again = (_unrounded(Y, np.arange(144), 144.0, np.random.default_rng(0))[0] for Y in (X, X[order]))
    np.testing.assert_array_equal(again, put[order])
    assert 0.4 < np.abs(put - X).max() <= 0.5


def test_a_row_of_weight_two_is_as_certain_as_two_rows() -> None:
    X = np.unique(load_iris().data, axis=0)
    weights = np.ones(len(X))
    weights[60:75] = 2.0
    weighted = SoftClustering(random_state=0).fit(X, sample_weight=weights)
    copied = SoftClustering(random_state=0).fit(np.r_[X, X[60:75]])
    np.testing.assert_allclose(weighted.certainty_, copied.certainty_[: len(X)], rtol=1e-9)


def test_items_that_mirror_each_other_are_as_certain() -> None:
    model = SoftClustering(random_state=0).fit(np.array([[1.0], [2.0], [3.0], [50.0], [51.0], [52.0]]))
    np.testing.assert_allclose(model.certainty_, model.certainty_[::-1], rtol=1e-9)


def test_certainty_is_a_probability_that_grows_with_agreement_and_keeps_the_order_of_items() -> None:
    certainty = np.linspace(0.0, 1.0, 11)
    by_agreement = np.array([certainty_by_agreement(certainty, agreed) for agreed in np.linspace(-0.2, 1.0, 7)])
    assert ((by_agreement > 0.0) & (by_agreement < 1.0)).all()
    assert (np.diff(by_agreement, axis=0) > 0.0).all()
    assert (np.diff(by_agreement, axis=1) > 0.0).all()
    by_number = np.array([certainty_by_agreement(certainty, 0.8, sure) for sure in np.linspace(0.0, 1.0, 7)])
    assert (np.diff(by_number, axis=0) > 0.0).all()


def test_a_number_that_methods_found_is_believed_as_far_as_they_agree_and_one_that_was_given_is_taken_as_true() -> None:
    X = gaussians(np.repeat([0, 1, 2], 60), [[0, 0], [9, 0], [0, 9]])
    found = SoftClustering(random_state=0).fit(X)
    agreed = found._consensus.agreement[found._consensus.asked == 3].mean()
    by_number = found._certainty_by_number() * (1.0 - found.outlier_)
    inside = 1.0 - found.outlier_
    assert (found._within().n_components == 1).all()
    sure = found.verdict_.sure
    expected = certainty_by_agreement(found._certainty_by_number(), agreed, sure) * inside
    np.testing.assert_allclose(found.certainty_, expected, rtol=1e-12)
    # Certainty is drawn towards what agreement allows for: all that is clearer than that is lowered, and nothing else.
    none, whole = certainty_by_agreement(np.array([0.0, 1.0]), agreed, sure)
    allowed = none / (1.0 - (whole - none))
    lowered = found.certainty_ < by_number
    np.testing.assert_array_equal(lowered, found._certainty_by_number() > allowed)
    assert lowered.mean() > 0.5
    given = found.at(3)
    assert adjusted_rand_index(given.labels_, found.labels_) == 1.0
    assert (given.certainty_ > found.certainty_)[lowered].all()


def test_a_cluster_of_several_components_is_believed_less() -> None:
    X = gaussians(np.repeat([0, 1, 2], 150), [[0, 0], [2.8, 0], [0, 15]])
    model = SoftClustering(random_state=0).fit(X)
    assert model.n_clusters_ == 2
    joined = model.labels_[0]
    within = model._within()
    assert within is not None
    assert within.n_components[joined] == 2
    assert within.n_components[1 - joined] == 1
    sure, depth = model.verdict_.sure, within.depth[model.labels_]
    expected = certainty_by_agreement(
        model._certainty_by_number(), model._agreement_on_number(), sure, within.of_one, depth
    )
    np.testing.assert_allclose(model.certainty_, expected * (1.0 - model.outlier_), rtol=1e-12)
    assert model.certainty_[model.labels_ == joined].mean() < model.certainty_[model.labels_ != joined].mean()
    given = model.at(2)
    np.testing.assert_allclose(given.certainty_, given._certainty_by_number() * (1.0 - given.outlier_), rtol=1e-12)


def test_one_skewed_cluster_may_be_several_and_two_that_all_methods_see_are_relied_on() -> None:
    one = SoftClustering(random_state=0).fit(np.random.default_rng(0).lognormal(sigma=0.5, size=(400, 2)))
    assert one.n_clusters_ == 1
    assert "the cluster may be several: a mixture describes its items best by 4 components" in headline(one)[2]
    assert not _divided(one.at(3))  # a number that is given is taken as true
    apart = SoftClustering(random_state=0).fit(one._given.X + np.repeat([[0.0, 0.0], [9.0, 0.0]], 200, axis=0))
    assert apart.n_clusters_ == 2
    assert apart._within().n_components.max() > 1
    assert not _divided(apart)
    assert apart.confident(0.05).coverage > 0.8


def test_labels_are_believed_less_the_more_components_a_cluster_has_and_the_shallower_valleys_are() -> None:
    whole = certainty_by_agreement(np.ones(3), 1.0)
    for depth in (0.0, 1.0, 3.0):
        divided = certainty_by_agreement(np.ones(3), 1.0, 1.0, np.array([0.2, 0.5, 1.0]), depth)
        assert (np.diff(divided) > 0.0).all()
        assert divided[2] == whole[2]
    by_depth = [certainty_by_agreement(np.ones(1), 1.0, 1.0, 0.5, depth)[0] for depth in (0.0, 1.0, 2.0, 4.0)]
    assert (np.diff(by_depth) > 0.0).all()
    assert certainty_by_agreement(np.ones(1), 1.0, 1.0, 0.5, 9.0) == certainty_by_agreement(
        np.ones(1), 1.0, 1.0, 0.5, 4.0
    )
    components = [
        1.0 - certainty_by_agreement(np.ones(1), a, 1.0, 0.5)[0] / certainty_by_agreement(np.ones(1), a)[0]
        for a in (0.0, 0.5, 1.0)
    ]
    assert (np.diff(components) < 0.0).all()  # the less, the more methods agree
    one = certainty_by_agreement(np.array([0.5, 1.0]), None)
    assert 0.0 < one[0] < one[1] < 1.0


def test_components_within_are_those_of_each_cluster_alone() -> None:
    drawn = np.repeat([0, 1, 2, 3], [60, 30, 60, 60])
    X = gaussians(drawn, [[0, 0], [12, 0], [0, 12], [90, 90]])
    for labels, counts, of_one in (
        (np.array([0, 0, 1, 2])[drawn], [2, 1, 1], [2 / 3, 1 / 3, 1.0]),
        (np.array([0, 0, 0, 1])[drawn], [3, 1], [0.4, 0.2, 0.4]),
        (drawn, [1, 1, 1, 1], [1.0, 1.0, 1.0]),
    ):
        within = components_within(X, labels)
        assert within.n_components.tolist() == counts
        np.testing.assert_allclose(within.of_one[[0, 60, 90]], of_one, atol=1e-3)
        assert ((within.depth > 0) == (within.n_components > 1)).all()
    again = components_within(X, 3 - drawn)
    np.testing.assert_array_equal(again.of_one, within.of_one)


def test_a_curve_has_deeper_valleys_on_straight_lines_than_clusters_that_overlap() -> None:
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 600)
    ring = np.c_[np.cos(angle), np.sin(angle)] * (1 + rng.normal(size=(600, 1)) * 0.03)
    overlapping = gaussians(np.repeat([0, 1, 2], 200), [[0, 0], [3, 0], [1.5, 2.5]])
    of_ring, of_clusters = (components_within(X, np.zeros(600, dtype=np.int64)) for X in (ring, overlapping))
    assert of_ring.n_components[0] >= 3
    assert of_clusters.n_components[0] == 3
    assert of_ring.depth[0] > 2 > 1 > of_clusters.depth[0]


def test_weights_of_items_are_copies_to_the_components_within() -> None:
    X = gaussians(np.repeat([0, 1], 40), [[0, 0], [5, 0]])
    weights = np.random.default_rng(0).integers(0, 3, 80).astype(float)
    weighted = components_within(X, np.zeros(80, dtype=np.int64), weights)
    copied = components_within(np.repeat(X, weights.astype(int), axis=0), np.zeros(int(weights.sum()), dtype=np.int64))
    assert weighted.n_components[0] == copied.n_components[0] == 2
    assert weighted.depth[0] == pytest.approx(copied.depth[0], rel=0.05)


def test_too_few_items_and_items_that_coincide_are_one_component() -> None:
    few = components_within(gaussians(np.repeat([0, 1], 5), [[0, 0], [90, 0]]), np.zeros(10, dtype=np.int64))
    same = components_within(np.ones((50, 2)), np.zeros(50, dtype=np.int64))
    for within in (few, same):
        assert within.n_components.tolist() == [1]
        assert (within.of_one == 1).all()


def test_clusters_in_pieces_are_believed_as_far_as_clusterings_agree_and_whole_ones_as_their_density_says() -> None:
    rng = np.random.default_rng(0)
    Y, z = rng.normal(size=(600, 2)), np.arange(600) % 2
    bent = np.c_[Y[:, 0], Y[:, 1] + Y[:, 0] ** 2] * np.where(z, -1, 1)[:, None] + np.outer(z, [1.0, 4.5])
    straight = Y + np.outer(z, [3.0, 0.0])
    for X, in_pieces in ((bent, True), (straight, False)):
        model = SoftClustering(2, probabilities="calibrated", random_state=0).fit(X)
        assert model.calibration_.in_pieces == in_pieces
        own, votes = model.membership_.max(axis=1), model._share_of_votes()
        assert (votes < own).any()
        expected = np.minimum(own, votes) if in_pieces else own
        np.testing.assert_allclose(model.certainty_, expected * (1.0 - model.outlier_), rtol=1e-12)


def test_the_error_of_a_fit_is_what_it_promised_on_a_mixture() -> None:
    promised, observed = [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        truth = np.arange(600) % 2
        X = rng.normal(size=(600, 2)) + np.array([[0, 0], [3.2, 0]])[truth]
        model = SoftClustering(2, random_state=0).fit(X)
        posterior = 1 / (1 + np.exp(-(3.2 * X[:, 0] - 3.2**2 / 2)))
        flip = (model.labels_ == truth).mean() < 0.5
        right = np.where((model.labels_ == 1) ^ flip, posterior, 1 - posterior)
        found = [model.confident(error) for error in (0.01, 0.03)]
        assert 0.4 < found[0].coverage < found[1].coverage
        promised.append([one.expected_error for one in found])
        observed.append([(1 - right)[one.mask].mean() for one in found])
    assert (np.max(promised, axis=0) <= [0.01, 0.03]).all()
    assert (np.mean(observed, axis=0) <= np.array([0.01, 0.03]) + 0.01).all()


# What would change the answer -------------------------------------------------------------------------------------


def test_layers_are_nested_and_keep_the_fit_among_them() -> None:
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(4), 30)
    draws = np.array([np.where(rng.random(120) < 0.1, rng.integers(0, 4, 120), truth) for _ in range(30)])
    draws[:12] //= 2  # two pairs of clusters are one in 12 of 30 draws
    W = np.eye(4)[truth] * 0.9 + 0.025
    layers = nested_layers(truth, W, draws=draws, weights=np.full(30, 1 / 30), finer=np.arange(120) // 15)
    assert layers.n_clusters == 4
    assert np.array_equal(layers[4].labels, truth)
    assert np.allclose(layers[4].membership, W)
    for coarse, fine in zip(layers, list(layers)[1:], strict=False):
        assert len({(a, b) for a, b in zip(coarse.labels, fine.labels, strict=True)}) == fine.n_clusters
        assert np.allclose(fine.membership.sum(axis=1), 1)
    assert {tuple(sorted(set(truth[layers[2].labels == k]))) for k in (0, 1)} == {(0, 1), (2, 3)}
    stability = {one.n_clusters: one.stability for one in layers.splits}
    assert stability[2] > stability[3] > stability[5]
    # Two items of clusters 0 and 1 share a cluster in the 12 draws and, by chance, in a few of the others.
    assert stability[3] == pytest.approx(0.6, abs=0.12)


def test_a_merge_adds_memberships_and_is_what_the_draws_say() -> None:
    draws = np.array([[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1]])
    labels = np.array([0, 0, 1, 1, 2, 2])
    layers = nested_layers(labels, np.eye(3)[labels], draws=draws, weights=np.array([0.75, 0.25]))
    assert layers[3].together.round(12).tolist() == [[1, 0, 0], [0, 1, 0.25], [0, 0.25, 1]]
    assert layers.splits[1].stability == pytest.approx(0.75)
    assert np.array_equal(layers[2].membership, np.eye(2)[[0, 0, 1, 1, 1, 1]])
    assert layers[1].membership.tolist() == [[1.0]] * 6
    with pytest.raises(InputError):
        layers[4]


@pytest.mark.parametrize("drawn", [True, False])
def test_an_item_that_counts_twice_is_two_items_in_the_layers(drawn) -> None:
    rng = np.random.default_rng(0)
    labels, counts = np.repeat([0, 1, 2], 12), rng.integers(1, 4, 36)
    draws = np.array([np.where(rng.random(36) < 0.3, rng.integers(0, 3, 36), labels) for _ in range(9)])
    W = rng.dirichlet([1, 1, 1], 36) + 2 * np.eye(3)[labels]
    W /= W.sum(axis=1, keepdims=True)
    finer = np.arange(36) // 4
    finer[35], counts[35] = 9, 3  # a piece because it counts thrice
    how = {"draws": draws, "weights": np.full(9, 1 / 9), "finer": finer} if drawn else {}
    weighted = nested_layers(labels, W, **how, counts=counts.astype(float))
    third, tenth = (nested_layers(labels, W, **how, counts=share * counts) for share in (1 / 3, 0.1))
    assert [one.stability for one in third.splits] == pytest.approx([one.stability for one in tenth.splits])
    every = np.repeat(np.arange(36), counts)
    how |= {"draws": draws[:, every], "finer": finer[every]} if drawn else {}
    copied = nested_layers(labels[every], W[every], **how)
    assert len(weighted) == len(copied) > 2
    for one, other in zip(weighted, copied, strict=True):
        np.testing.assert_allclose(one.membership[every], other.membership)
        np.testing.assert_allclose(one.together, other.together)
    assert [one.stability for one in weighted.splits] == pytest.approx([one.stability for one in copied.splits])


def test_the_layers_of_a_fit_with_weights_are_those_of_copies() -> None:
    X = gaussians(np.arange(90) % 3, [[0, 0], [3, 0], [0, 3]], 0)
    weights = np.random.default_rng(0).integers(0, 4, size=len(X))
    fit = SoftClustering(3, random_state=0)
    weighted = fit.fit(X, sample_weight=weights).layers()
    copied = fit.fit(np.repeat(X, weights, axis=0)).layers()
    assert [one.stability for one in weighted.splits] == pytest.approx([one.stability for one in copied.splits])


def test_a_graph_merges_the_clusters_that_have_most_links() -> None:
    labels = np.repeat([0, 1, 2], 10)
    links = np.array([[1, 0.01, 0.2], [0.01, 1, 0.02], [0.2, 0.02, 1]])
    layers = nested_layers(labels, np.eye(3)[labels], links=links)
    assert layers[2].labels[[0, 10, 20]].tolist() == [0, 1, 0]


def test_a_fit_has_layers_of_its_own_numbers_and_says_what_lies_between() -> None:
    X, truth = clusters(150, 2, 8)
    X[truth == 2] += [9, -6]  # the third cluster near the second
    model = SoftClustering(random_state=0).fit(X)
    layers = model.layers()
    assert layers.n_clusters == model.n_clusters_
    assert np.array_equal(layers[model.n_clusters_].labels, model.labels_)
    assert len(layers) > model.n_clusters_  # an ensemble has looked at finer numbers
    second = model.second_choice()
    assert (second.cluster != model.labels_).all()
    assert (second.evidence >= 0).all()
    graph = SoftClustering(3, affinity="neighbors", random_state=0).fit(X)
    assert len(graph.layers()) == 3
    between = graph.layers()[3].between(*graph.layers()[3].labels[[1, 2]])
    assert set(truth[between]) <= {1, 2}
    for number in (-1, 3):
        with pytest.raises(InputError):
            graph.layers()[3].between(0, number)


def test_a_single_item_is_no_outlier() -> None:
    for one in (SoftClustering().fit([[2.0, 3.0]]), SoftClustering(affinity="precomputed").fit([[1.0]])):
        assert one.outlier_.tolist() == [0.0]
        assert "1 item is one cluster." in headline(one)[0]


def test_pairs_that_were_to_be_apart_and_are_not_are_a_doubt() -> None:
    X, truth = clusters(150, 2, 8)
    four = np.flatnonzero(truth == 0)[:4]
    pairs = [(a, b) for a in four for b in four if a < b]
    with pytest.warns(UnsureWarning):
        model = SoftClustering(3, random_state=0).fit(X, cannot_link=pairs)
    assert "1 of 6 cannot-links end in one cluster" in headline(model)[2]
    free = SoftClustering(3, random_state=0).fit(X)
    assert "cannot-links" not in headline(free)[2]


def test_bounds_of_the_number_are_a_doubt_where_the_answer_is_at_their_edge() -> None:
    X, _ = clusters(150, 2, 8)
    for asked, said in (((2, 2), "considered"), ((2, 3), "edge"), ((3, None), "edge"), ((2, 9), None)):
        model = SoftClustering(asked, random_state=0).fit(X)
        doubt = headline(model)[2]
        assert ("as was asked" in doubt) == (said is not None)
        assert said is None or said in doubt
    ended = SoftClustering((4, 9), random_state=0).fit(X)
    ended.n_clusters = (ended.n_clusters_ + 1, 9)  # as where a cluster of the fit comes out empty
    what, _, doubt = headline(ended)
    assert f"{ended.n_clusters_ + 1} were asked for" in what
    assert "counts against every label" in doubt
    assert ended.certainty_.max() <= ended.n_clusters_ / (ended.n_clusters_ + 1)


def test_what_is_no_number_is_no_share_and_a_loaded_model_says_what_it_lacks(tmp_path: Path) -> None:
    X, _ = clusters(150, 2, 8)
    model = SoftClustering(3, random_state=0).fit(X)
    for call in (lambda: model.confident("a"), lambda: model.confident(None), lambda: model.labels(outliers="a")):
        with pytest.raises(InputError):
            call()
    with pytest.raises(AttributeError, match="no verdict_"):
        model.verdict_  # noqa: B018 - the number was given
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    with pytest.raises(InputError):
        loaded.layers()
    for name in ("result_", "verdict_", "chosen_", "ensemble_"):
        assert not hasattr(loaded, name)
        with pytest.raises(AttributeError, match=name):
            getattr(loaded, name)


# What is said -----------------------------------------------------------------------------------------------------


def test_the_headline_says_what_there_is_how_sure_and_what_to_doubt(noisy: tuple[SoftClustering, np.ndarray]) -> None:
    model, _ = noisy
    what, sure, _ = headline(model)
    outliers = int((model.outlier_ > 0.5).sum())
    assert f"{outliers} items" in what
    assert f"{model.certainty_.mean():.0%}" in sure
    assert f"{model.confident(0.05).mask.sum()} items" in sure
    X = np.random.default_rng(0).normal(size=(200, 2))
    one = SoftClustering(random_state=0).fit(X)
    assert one.n_clusters_ == 1
    assert percent(one.certainty_.mean()).capitalize() in headline(one)[1]


def test_the_curve_of_coverage_ends_where_the_confident_set_does(noisy: tuple[SoftClustering, np.ndarray]) -> None:
    pytest.importorskip("matplotlib")
    model, _ = noisy
    _, axes = blank_figure()
    wrong = np.arange(600) % 10 == 0
    drawn = CoverageDisplay.from_estimator(model, wrong=wrong, ax=axes[0])
    found = model.confident(0.05)
    assert drawn.coverage_[drawn.expected_error_ <= 0.05].max() == pytest.approx(found.coverage)
    assert drawn.observed_error_ is not None
    assert drawn.observed_error_[-1] == pytest.approx(0.1)
    for certainty, also in (([0.5, 1.5], None), ([], None), ([0.5], [True, False])):
        with pytest.raises(InputError):
            CoverageDisplay(certainty, also)


def test_a_cluster_of_noise_is_said_to_be_one() -> None:
    rng = np.random.default_rng(3)
    centres = rng.uniform(-10, 10, size=(3, 10))
    X = centres[np.arange(240) % 3] + rng.normal(size=(240, 10))
    noise = rng.uniform(X.min(axis=0), X.max(axis=0), size=(60, 10))
    model = SoftClustering(4, random_state=0).fit(np.concatenate([X, noise]))
    own = int(np.bincount(model.labels_[240:]).argmax())
    assert re.search(rf"cluster {own} consists (mostly )?of outliers", headline(model)[2].lower())


@pytest.mark.parametrize("kind", [KernelKMeans, SymNMF])
def test_a_number_that_was_given_to_any_model_is_examined_by_clustering_methods(kind) -> None:
    X, _ = clusters(200, 2, 4)
    found = SoftClustering(random_state=0).fit(X)
    model = kind(found.n_clusters_, random_state=0).fit(X)
    examine_number(model)
    np.testing.assert_array_equal(verdict_on(model).probabilities, found.verdict_.probabilities)
    A = sp.csr_array(np.kron(np.eye(3), np.ones((20, 20))))
    linked = kind(2, affinity="precomputed", random_state=0).fit(A)
    examine_number(linked)
    assert verdict_on(linked).n_clusters == 3
    for given in ({"affinity": NeighborGraph(metric="manhattan")}, {"affinity": "precomputed_distance"}):
        unknown = kind(2, **given, random_state=0).fit(X if "distance" not in str(given) else cdist(X, X))
        examine_number(unknown)
        assert verdict_on(unknown) is None


def test_clusters_that_were_asked_for_and_not_found_take_certainty_from_all_items() -> None:
    X, _ = clusters(90, 2, 1)
    model = SoftClustering(3, random_state=0).fit(X)
    before = model.certainty_
    model.set_params(n_clusters=4)  # as if one of four had held no item
    del model._certainty
    assert np.allclose(model.certainty_, 0.75 * before)


def test_with_the_number_given_the_headline_says_how_far_unlike_methods_agree_on_it() -> None:
    rng = np.random.default_rng(0)
    groups = rng.normal(size=(120, 2)) + np.repeat([[0, 0], [9, 9], [0, 9], [9, 0]], 30, axis=0)
    right = SoftClustering(4, random_state=0).fit(groups)
    assert agreement(right) == pytest.approx(np.mean([draw.agreement for draw in right.ensemble_]))
    assert f"agree on these (mean adjusted Rand index {agreement(right):.2f})" in headline(right)[1]
    assert headline(right)[2] == "Whether 4 is the right number of clusters was not examined."
    wrong = SoftClustering(3, random_state=0).fit(rng.normal(size=(200, 4)))
    assert agreement(wrong) < AGREED
    assert f"agree little on these clusters (mean adjusted Rand index {agreement(wrong):.2f})" in headline(wrong)[2]
    assert "agree" not in headline(wrong)[1]


def test_a_number_that_was_given_is_doubted_where_another_one_would_be_found() -> None:
    X, _ = clusters(200, 2, 4)
    found = SoftClustering(random_state=0).fit(X)
    K = found.n_clusters_
    right, wrong = (SoftClustering(k, random_state=0).fit(X) for k in (K, K - 1))
    for model in (right, wrong, found):
        examine_number(model)
        np.testing.assert_array_equal(model.judge_n_clusters().probabilities, found.verdict_.probabilities)
    assert "_judged" not in vars(found)
    assert not re.search("right number|asked for", headline(right)[2])
    p = found.verdict_.probabilities
    assert f"asked for (probability {two_digits(p[K - 2])}), where {K} clusters would be found" in headline(wrong)[2]
    assert "_judged" not in vars(right.fit(X))
    broken = SoftClustering(K, random_state=0).fit(X)
    broken._plan_ = None  # whatever goes wrong, the fit is there
    examine_number(broken)
    assert verdict_on(broken) is None
    limited = SoftClustering(K, max_seconds=60, random_state=0).fit(X)
    examine_number(limited)
    assert verdict_on(limited) is None


def test_one_cluster_is_believed_less_than_its_probability_among_the_numbers() -> None:
    model = SoftClustering(random_state=0).fit(np.random.default_rng(0).normal(size=(120, 3)))
    assert model.n_clusters_ == 1
    one = model.verdict_.probability_of(1)
    expected = certainty_by_agreement(np.array([one]), None)[0] * (1 - model.outlier_)
    np.testing.assert_allclose(model.certainty_, expected, rtol=1e-3)
    assert model.certainty_.max() < one
    assert "look like one" in headline(model)[2]


@pytest.mark.filterwarnings("ignore:n_clusters='auto' chose")
def test_the_headline_of_one_cluster_has_one_probability_for_the_number_and_a_share_of_labels() -> None:
    X = gaussians(np.repeat([0, 1], 60), [[0, 0], [3, 0]])
    model = SoftClustering("one_cluster", random_state=0).fit(X)
    assert model.n_clusters_ == 1
    one = model.verdict_.probability_of(1)
    assert one < 0.9
    model._certainty = np.full(len(X), one + 0.01)  # what is believed of labels is not what is said of the number
    _, sure, doubt = headline(model)
    assert sure.startswith(f"{percent(one + 0.01)} of the labels are expected to be right; ")
    assert f"1 has a probability of {one:.2f}" in doubt
    assert "probability" not in sure


def test_one_cluster_that_was_asked_for_is_examined_as_any_other_number() -> None:
    X = gaussians(np.repeat([0, 1], 60), [[0, 0], [9, 0]])
    model = SoftClustering(1, random_state=0).fit(X)
    assert headline(model)[2] == "Whether 1 is the right number of clusters was not examined."
    examine_number(model)
    verdict = verdict_on(model)
    assert verdict.n_clusters == 2
    asked = f"1 cluster was asked for (probability {two_digits(verdict.probability_of(1))})"
    assert headline(model)[2] == f"{asked}, where 2 clusters would be found (probability {verdict.sure:.2f})."
    right = SoftClustering(1, random_state=0).fit(X[:60])
    examine_number(right)
    assert verdict_on(right).n_clusters == 1
    assert headline(right)[2] == "Nothing stands out to be doubted."
    alone = SoftClustering(1, random_state=0, affinity="precomputed_distance").fit(np.zeros((1, 1)))
    assert headline(alone)[2] == "Nothing can be learned about clusters from 1 item."


def test_numbers_that_may_mean_missing_are_doubted_where_they_decide_what_items_are_near() -> None:
    def doubt(X: object, affinity: str = "ensemble") -> str:
        return headline(SoftClustering(2, affinity=affinity, random_state=0).fit(X))[2]

    pd = pytest.importorskip("pandas")
    X = np.random.default_rng(0).normal(50, 9, size=(240, 3)).round(1)
    few, many = X.copy(), X.copy()
    few[3, 0] = few[50, 0] = many[3:20, 0] = -999
    many[30:45, 1] = 9999999
    said = "-999 in 17 cells of {} and 9999999 in 15 cells of {} may stand for missing values"
    assert said.format("column 0", "column 1") in doubt(many)
    frame = pd.DataFrame(many, columns=["a", "b", "c"])
    assert said.format("a", "b") in doubt(frame)
    assert said.format("a", "b") in doubt(frame.assign(word=np.where(X[:, 2] > 50, "u", "v")))
    assert "2 cells of column 0 may stand for a missing value" in doubt(few, affinity="relative")
    for other in (X, frame.replace([-999, 9999999], np.nan), few):  # few are seen at the edge of the others
        assert "missing" not in doubt(other)


@pytest.mark.parametrize("affinity", ["ensemble", "neighbors"])
def test_cells_far_from_all_others_of_their_column_are_a_doubt(affinity) -> None:
    def doubt(X: object) -> str:
        return headline(SoftClustering(2, affinity=affinity, random_state=0).fit(X))[2]

    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X = np.c_[rng.integers(1, 6, 120), rng.normal(50, 2, 120), rng.normal(0, 1, 120)].astype(float)
    one, two, same, missing = X.copy(), X.copy(), X.copy(), X.copy()
    one[7, 0] = two[7, 0] = missing[7, 0] = 999
    two[9, 1] = 500
    same[[3, 4, 5], 1] = 400, 400, 700  # the farthest is no longer far from the one before it
    missing[8, 1] = np.nan
    said = "cells lie far from all others of their columns and may be slips"
    assert "far from" not in doubt(X)
    assert "1 cell lies far from all others of its column and may be a slip" in doubt(one)
    assert f"2 {said}" in doubt(two)
    assert "3 cells lie far from all others of their column and may be slips" in doubt(same)
    words = pd.DataFrame(two, columns=["a", "b", "c"]).assign(word=np.where(X[:, 2] > 0, "u", "v"))
    if affinity == "ensemble":
        assert f"2 {said}" in doubt(words)
        assert "1 cell lies far" in doubt(pd.DataFrame(missing))


@pytest.mark.parametrize("n_clusters", ["auto", "eigengap", 2])
def test_only_a_number_that_was_given_is_said_to_be_given(n_clusters) -> None:
    X = gaussians(np.repeat([0, 1], 60), [[0, 0], [9, 0]])
    model = SCAMS(n_clusters, random_state=0).fit(X)
    sure = headline(model)[1]
    assert not hasattr(model, "verdict_")
    assert ("given that" in sure) == (n_clusters == 2)
    assert (f"if there are {model.n_clusters_} clusters, as the model found" in sure) == (n_clusters != 2)


def test_items_at_no_distance_are_one_cluster_for_sure_as_equal_rows_are() -> None:
    for X, affinity in ((np.zeros((12, 3)), "ensemble"), (np.zeros((12, 12)), "precomputed_distance")):
        model = SoftClustering(random_state=0, affinity=affinity).fit(X)
        verdict = model.verdict_
        assert (model.n_clusters_, verdict.n_clusters, verdict.sure) == (1, 1, 1.0)
        assert headline(model)[1] == "100% of the labels are expected to be right."
        assert "not certain" not in headline(model)[2]


def test_votes_at_a_given_number_count_the_voices_that_validity_silences() -> None:
    X = gaussians(np.repeat([0, 1, 2], 60), [[0, 0], [3, 0], [0, 9]])
    model = SoftClustering(3, random_state=0).fit(X)
    agreed = np.array([draw.agreement for draw in model.ensemble_]) ** 2
    shares = [(a / agreed.sum(), draw.labels) for a, draw in zip(agreed, model.ensemble_, strict=True)]
    expected = certainty_of_labels(model.labels_, shares, 3, model._weights_of_labels())
    np.testing.assert_allclose(model._share_of_votes(), expected, rtol=1e-12)


def test_a_number_that_was_asked_for_is_had_as_well_as_by_agreement_alone() -> None:
    X = gaussians(np.repeat([0, 1, 2], 100), [[0, 0], [12, 0], [0, 12]])
    assert SoftClustering(1, random_state=0).fit(X).n_clusters_ == 1
    builder = Ensemble(power=None)
    K = 5
    drawn, _, _ = builder._drawn(X, K)
    labels, names = [said.labels for _, _, said in drawn], [one.name for one, _, _ in drawn]
    weights = Validity.of(X).weights_at(K, labels, agreement_of(labels), names)
    held = np.array([len(np.unique(own)) for own in labels])
    assert (held != K).any()
    assert weights[held != K].max() <= weights[held == K].max()


def test_where_most_items_would_be_outliers_nothing_is_denser_than_its_box() -> None:
    X = np.random.default_rng(0).uniform(size=(60, 12))
    assert not background_probability(X, np.arange(60) % 6).any()


def test_clusters_that_were_asked_for_and_not_found_are_said_first() -> None:
    X, _ = clusters(90, 2, 1)
    model = SoftClustering(3, random_state=0).fit(X).set_params(n_clusters=4)
    what, _, doubt = headline(model)
    assert "(4 were asked for, and 1 would hold no item)" in what
    assert doubt.startswith("1 of the 4 clusters asked for was not found")
    assert "given that there are 4 clusters" in headline(model)[1]
    p = model.judge_n_clusters().probabilities
    assert f"4 clusters were asked for (probability {two_digits(p[3])}), where " in headline(model)[2]


def test_labels_that_are_probably_wrong_are_a_doubt() -> None:
    X, _ = clusters(90, 2, 1)
    model = SoftClustering(3, random_state=0).fit(X)
    model._certainty = np.where(np.arange(90) < 9, 0.4, 0.97)
    model._outlier = np.zeros(90)
    assert headline(model)[2].endswith("9 items (10%) have labels that are more probably wrong than right.")
    model._outlier = np.where(np.arange(90) < 2, 0.9, 0.0)
    of_others = "7 items (8%) have labels that are more probably wrong than right, not counting outliers"
    assert of_others in headline(model)[2]
    model._outlier = np.zeros(90)
    model._certainty = np.full(90, 0.9)
    model.judge_n_clusters()
    assert "Nothing" not in headline(model)[2]


@pytest.mark.parametrize(
    "model",
    [
        SoftClustering(1, random_state=0),
        SoftClustering(3, affinity="neighbors", random_state=0),
        SoftClustering(3, affinity=Ensemble(methods=("mixture",)), random_state=0),
    ],
    ids=["one", "graph", "one method"],
)
def test_the_headline_says_nothing_of_methods_where_none_could_disagree(model: SoftClustering) -> None:
    model.fit(np.random.default_rng(0).normal(size=(120, 2)) + np.repeat([[0, 0], [9, 9], [0, 9]], 40, axis=0))
    assert agreement(model) is None
    assert "methods agree" not in " ".join(headline(model))


def test_zeros_of_amounts_and_ends_of_a_clipped_range_make_no_outliers() -> None:
    rng = np.random.default_rng(0)
    # Logarithms of shares of counts, of three kinds of cells whose depth differs: the shallow ones are far from all.
    genes, depth = np.exp(rng.normal(-0.5, 1.2, 200)), rng.lognormal(-0.5, 0.6, (300, 1))
    kind, more = rng.integers(0, 3, 300), np.ones((3, 200))
    for own in more:
        own[rng.choice(200, 30, replace=False)] *= 6
    counts = rng.poisson(genes * depth * more[kind] * rng.gamma(3, 1 / 3, (300, 200)))
    amounts = np.log1p(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1) * 1e4)
    clipped = np.clip(np.random.default_rng(3).normal(size=(300, 2)), -1, 1)
    assert (background_probability(amounts, kind) > 0.5).mean() <= 0.01
    assert (background_probability(clipped, np.zeros(300, dtype=np.int64)) > 0.5).mean() <= 0.01
    # What lies beyond is found all the same.
    noise = rng.uniform(-8, 8, size=(60, 2))
    found = background_probability(np.r_[clipped, noise], np.zeros(360, dtype=np.int64)) > 0.5
    assert found[:300].mean() <= 0.01
    assert found[300:].mean() > 0.8


def test_rows_that_must_be_together_have_one_certainty() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(180, 3)) + np.repeat([[0, 0, 0], [4, 0, 0], [0, 4, 0]], 60, axis=0)
    linked = [0, 60, 61]
    model = SoftClustering(random_state=0).fit(X, must_link=[linked[:2], linked[1:]])
    believed = model.certainty_[linked] / (1.0 - model.outlier_[linked])
    assert np.ptp(believed) < 1e-12


def embeddings(noise: float, d: int = 50):
    """Unit vectors in five directions, and some in any direction; -1 for these."""
    rng = np.random.default_rng(5)
    truth = rng.choice(5, 1200, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    X = rng.normal(size=(5, d))[truth] / np.sqrt(d) + 0.8 * rng.normal(size=(1200, d)) / np.sqrt(d)
    astray = rng.random(1200) < noise
    X[astray] = rng.normal(size=(int(astray.sum()), d))
    return X / np.linalg.norm(X, axis=1)[:, None], np.where(astray, -1, truth)


@pytest.mark.parametrize("noise", [0.0, 0.1])
@pytest.mark.parametrize("dtype", [np.float64, np.float16])
def test_vectors_of_one_length_in_any_direction_are_outliers(noise, dtype) -> None:
    X, truth = embeddings(noise)
    p = SoftClustering(5, probabilities="fitted", random_state=0).fit(X.astype(dtype)).outlier_
    assert (p[truth >= 0] > 0.5).mean() < 0.01
    assert noise == 0.0 or (p[truth < 0] > 0.5).mean() > 0.9


def test_a_few_rows_elsewhere_and_categories_beside_are_no_matter() -> None:
    X, truth = embeddings(0.1, d=16)
    empty = X.copy()
    empty[np.flatnonzero(truth == 0)[:3]] = 0.0  # documents without a word
    longer = np.r_[X, 9.0 * X[:200]]
    fit = SoftClustering(5, probabilities="fitted", random_state=0)
    of = [fit.fit(X).outlier_, fit.fit(empty).outlier_]
    of.append(fit.fit(longer, sample_weight=np.repeat([1.0, 0.0], [1200, 200])).outlier_[:1200])
    assert all((p[truth < 0] > 0.5).mean() > 0.6 for p in of)
    beside = fit.fit(np.c_[X, np.eye(3)[np.arange(1200) % 3]])
    assert beside.outlier_.shape == (1200,)


def on_a_sphere(noise: float, seed: int = 7) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(4, 64))
    X = centres / np.linalg.norm(centres, axis=1)[:, None]
    X = np.repeat(X, [400, 200, 100, 50], axis=0) + rng.normal(size=(750, 64)) * noise / 8
    return X / np.linalg.norm(X, axis=1)[:, None]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_of_zeros_among_rows_of_one_length_make_no_outliers(dtype: type) -> None:
    X = np.concatenate([np.zeros((20, 64)), on_a_sphere(1.2)[20:]]).astype(dtype)
    assert (SoftClustering(4, random_state=0).fit(X).outlier_ > 0.5).sum() == 0


@pytest.mark.parametrize("n_zeros", [0, 3, 30])
def test_new_rows_of_many_columns_far_from_all_fitted_ones_are_outliers(n_zeros: int) -> None:
    X = on_a_sphere(0.5)
    fitted, same = np.concatenate([np.zeros((n_zeros, 64)), X[::2]]), X[1::2]
    far = np.random.default_rng(1).normal(size=(75, 64))
    model = SoftClustering(4, random_state=0).fit(fitted)
    assert (model.predict_doubt(far / np.linalg.norm(far, axis=1)[:, None]).outlier > 0.5).all()
    assert (model.predict_doubt(same).outlier > 0.5).sum() == 0


@pytest.mark.parametrize("made", ["exponential", "positive part"])
def test_rows_of_one_length_without_negative_numbers_have_no_false_outliers(made: str) -> None:
    rng = np.random.default_rng(3)
    H = on_a_sphere(1.0)[rng.permutation(750)[:600]] @ rng.normal(size=(64, 64))
    Z = np.exp(1.5 * H) if made == "exponential" else np.maximum(H, 0.0) + 1e-9
    model = SoftClustering(4, random_state=0).fit(Z / np.linalg.norm(Z, axis=1)[:, None])
    assert (model.outlier_ > 0.5).mean() <= 0.01


def test_new_rows_spread_over_a_sphere_are_found_however_far_one_fitted_row_is() -> None:
    X = on_a_sphere(1.1)[np.random.default_rng(0).permutation(750)]
    new = np.random.default_rng(9).normal(size=(200, 64))
    new /= np.linalg.norm(new, axis=1)[:, None]
    fitted = np.concatenate([X[:500], [X[0] + X[250]]])
    fitted /= np.linalg.norm(fitted, axis=1)[:, None]
    assert (probability_of_new(fitted, np.zeros(501), new) > 0.5).mean() > 0.8
    assert (probability_of_new(fitted, np.zeros(501), X[500:]) > 0.5).mean() <= 0.01


@pytest.mark.parametrize(("cell", "words"), [(20.0, False), (60.0, True), (1e6, False)])
def test_the_row_of_a_far_cell_is_an_outlier_however_far_it_is(cell: float, words: bool) -> None:
    assert_far_cell_is_an_outlier(cell, words)


def test_a_far_cell_beside_words_makes_no_sphere_of_the_rows() -> None:
    assert_far_cell_is_an_outlier(1e6, words=True)


def assert_far_cell_is_an_outlier(cell: float, words: bool) -> None:
    rng = np.random.default_rng(2)
    columns: list[np.ndarray] = list(rng.normal(size=(8, 250)))
    columns[1][5] = cell
    if words:
        columns.append(np.array(rng.choice(["m", "f"], 250), dtype=object))
    model = SoftClustering(random_state=0).fit(MixedTable(tuple(f"c{j}" for j in range(len(columns))), tuple(columns)))
    assert model.n_clusters_ == 1
    assert model.outlier_[5] >= 0.99
    assert (model.outlier_ > 0.5).sum() == 1


def test_cells_far_from_two_values_are_no_third_one_and_their_rows_no_outliers() -> None:
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(size=(150, 4)) * [17.0, 1.5, 15.0, 4.0], rng.choice([1.0, 2.0], 150, p=[0.35, 0.65])]
    for rows in (1, 5):
        X[:rows, 4] = 9.0
        model = SoftClustering(random_state=0).fit(X)
        assert model.n_clusters_ == 1
        assert model.verdict_.sure > 0.9
        assert (model.outlier_[:rows] < 0.5).all()


@pytest.mark.parametrize("missing", [0.02, 0.1])
def test_ratings_of_which_some_are_missing_have_no_more_outliers(missing: float) -> None:
    rng = np.random.default_rng(3)
    X = np.digitize(0.6 * rng.normal(size=(300, 1)) + 0.8 * rng.normal(size=(300, 10)), [-1.3, -0.4, 0.4, 1.3]) + 1.0
    X[rng.random(X.shape) < missing] = np.nan
    model = SoftClustering(random_state=0, missing="unobserved").fit(X)
    assert (model.outlier_ > 0.5).mean() <= 0.01


def test_fitted_items_of_weight_zero_and_copies_do_not_change_who_is_far() -> None:
    rng = np.random.default_rng(0)
    X, new = rng.random((200, 20)), rng.random((40, 20)) * 1.5 - 0.25
    weights = 1.0 + rng.integers(0, 3, 200)
    more, none = (
        np.concatenate([X, np.full((400, 20), 0.5), np.full((1, 20), 3.0)]),
        np.concatenate([weights, np.zeros(401)]),
    )
    p = probability_of_new(X, np.zeros(200), new, weights=weights)
    np.testing.assert_array_equal(p, probability_of_new(more, np.zeros(601), new, weights=none))
    copied = np.repeat(X, weights.astype(int), axis=0)
    np.testing.assert_array_equal(p, probability_of_new(copied, np.zeros(len(copied)), new))


def test_points_of_a_sphere_are_where_the_rows_are() -> None:
    X, _ = embeddings(0.0, d=8)
    np.testing.assert_allclose(np.linalg.norm(on_the_sphere(3.0 * X), axis=1), 3.0)
    assert on_the_sphere(np.abs(X)) is None
    assert on_the_sphere(X[:, :5] / np.linalg.norm(X[:, :5], axis=1)[:, None]) is None  # few dimensions
    assert on_the_sphere(X * np.linspace(1.0, 1.1, len(X))[:, None]) is None
    assert on_the_sphere(np.zeros((9, 8))) is None


def in_common(noise: int, d: int, common: float, seed: int = 0) -> np.ndarray:
    """Unit rows in five clusters about a common direction, the first of them scattered about that direction alone."""
    rng = np.random.default_rng(seed)
    centres, mean = rng.normal(size=(5, d)), common * rng.normal(size=d)
    X = (
        np.r_[1.7 * rng.normal(size=(noise, d)), np.repeat(centres, 100, axis=0) + 0.8 * rng.normal(size=(500, d))]
        + mean
    )
    return np.asarray(X / np.linalg.norm(X, axis=1)[:, None])


@pytest.mark.parametrize(
    ("d", "common", "loose", "seed"), [(64, 2.0, 1.3, 0), (64, 0.0, 1.6, 0), (32, 1.0, 1.6, 3), (48, 1.0, 1.6, 0)]
)
def test_a_loose_cluster_of_embeddings_is_not_its_own_background(
    d: int, common: float, loose: float, seed: int
) -> None:
    rng, truth = np.random.default_rng(seed), np.repeat([0, 1, 2], 200)
    spread = np.array([0.4, 0.4, loose])[truth][:, None]
    mean, centres = common * rng.normal(size=d), rng.normal(size=(3, d))
    X = centres[truth] + spread * rng.normal(size=(600, d)) + mean
    X /= np.linalg.norm(X, axis=1)[:, None]
    assert (SoftClustering(3, random_state=0).fit(X).outlier_ > 0.5).sum() <= 6


def test_outliers_alone_make_no_other_item_uncertain() -> None:
    rng = np.random.default_rng(0)
    X = np.r_[
        np.repeat(rng.normal(size=(25, 96)), 40, axis=0) + 0.7 * rng.normal(size=(1000, 96)), rng.normal(size=(120, 96))
    ]
    model = SoftClustering(random_state=0).fit(X / np.linalg.norm(X, axis=1)[:, None])
    what, _, doubt = headline(model)
    assert "in 25 clusters" in what
    assert "probably belong to none" in what
    assert model.certainty_.mean() < 0.95
    assert doubt == "Nothing stands out to be doubted beside the items that probably belong to none."


@pytest.mark.parametrize("d", [48, 256])
@pytest.mark.parametrize("common", [0.0, 0.5, 2.0])
def test_scattered_rows_are_outliers_whatever_direction_all_rows_have_in_common(d: int, common: float) -> None:
    noise = 60
    for n in (noise, 0):
        X = in_common(n, d, common)
        p = SoftClustering(5, probabilities="fitted", random_state=0).fit(X).outlier_
        assert (p[n:] > 0.5).mean() <= 0.01
        assert not n or (p[:n] > 0.5).mean() > 0.9


def test_a_skewed_column_is_a_doubt_and_its_logarithm_is_none() -> None:
    rng = np.random.default_rng(0)
    spend = np.exp(rng.normal(np.repeat([3.0, 8.0], [90, 30]), 0.5))
    said = "Column 1 is skewed, and its logarithm may show other clusters"
    raw, logarithm = (
        headline(SoftClustering(2, random_state=0).fit(np.c_[rng.normal(size=120), column]))[2]
        for column in (spend, np.log(spend))
    )
    assert said in raw
    assert "skewed" not in logarithm


@pytest.mark.parametrize("d", [128, 384])
def test_new_topics_are_outliers_and_new_items_of_known_ones_are_not(d):
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(8, d))
    centres /= np.linalg.norm(centres, axis=1)[:, None]
    topic = rng.integers(8, size=2000)
    X = centres[topic] + 1.5 / np.sqrt(d) * rng.normal(size=(2000, d))
    X /= np.linalg.norm(X, axis=1)[:, None]
    known = topic < 5
    model = SoftClustering(5, random_state=0).fit(X[known][:1000])
    assert (model.predict_doubt(X[known][1000:]).outlier > 0.5).mean() <= 0.01
    assert (model.predict_doubt(X[~known]).outlier > 0.5).mean() > 0.9
    empty = model.predict_doubt(np.vstack([X[:2], np.zeros((1, d)), 3.0 * X[2:3]]))
    assert empty.outlier[2:].min() > 0.9
    assert empty.certainty[2:].max() < 0.1


@pytest.mark.parametrize("n", [12, 40, 200, 2000])
@pytest.mark.parametrize("tail", ["normal", "student", "skewed"])
def test_hardly_a_new_item_like_the_fitted_ones_is_far_from_all(n, tail):
    flagged = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        Z = rng.standard_t(3, (n + 2000, 3)) if tail == "student" else rng.normal(size=(n + 2000, 3))
        X = np.exp(0.8 * Z) if tail == "skewed" else Z
        flagged.append((probability_of_new(X[:n], np.zeros(n), X[n:]) > 0.5).mean())
    assert np.mean(flagged) <= 0.01


def test_rows_without_negative_numbers_are_on_no_sphere_for_new_items_either():
    rng, truth = np.random.default_rng(0), np.arange(300) % 3
    X = rng.random((300, 30)) * (rng.random((300, 30)) < np.where(np.arange(30) % 3 == truth[:, None], 0.7, 0.15))
    X /= np.linalg.norm(X, axis=1)[:, None]
    model = SoftClustering(3, random_state=0).fit(X)
    assert model.predict_doubt(0.8 * X[:2]).outlier.max() < 0.5


def abundances(totals: np.ndarray) -> np.ndarray:
    """Counts of thirty species in sites of two habitats, so many in each site."""
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.full(30, 0.3), 2)
    return np.array([rng.multinomial(n, shares[i % 2]) for i, n in enumerate(totals)], dtype=float)


def test_unlike_totals_are_doubted_where_bray_curtis_distances_see_them() -> None:
    unlike = np.geomspace(50, 5_000, 60).astype(int)
    model = SoftClustering(2, metric="braycurtis", random_state=0).fit(abundances(unlike))
    doubt = headline(model)[2]
    assert "otals of rows go from 63 to 3," in doubt
    assert "divide each row by its total" in doubt
    for X, metric in ((abundances(np.full(60, 500)), "braycurtis"), (abundances(unlike), "cosine")):
        model = SoftClustering(2, metric=metric, random_state=0).fit(X)
        assert "otals of rows" not in headline(model)[2]
