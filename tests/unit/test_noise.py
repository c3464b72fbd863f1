"""Wide tables: the number of clusters is looked for in what stands out from noise."""

from __future__ import annotations

import numpy as np
import pytest

from partita import SoftClustering
from partita.ensemble import noise
from partita.ensemble.noise import above_noise
from partita.metrics import adjusted_rand_index


def wide(n: int, d: int, K: int, seed: int, apart: float = 1.5, own: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """Normal clusters, of which all but one are shifted in columns of their own."""
    rng = np.random.default_rng(seed)
    labels, centres = rng.integers(K, size=n), np.zeros((K, d))
    for k in range(1, K):
        centres[k, (k - 1) * own : k * own] = apart
    return centres[labels] + rng.normal(size=(n, d)), labels


@pytest.mark.parametrize(("n", "d"), [(150, 400), (400, 150), (300, 300)])
def test_what_stands_out_is_one_component_for_each_cluster_but_one(n: int, d: int) -> None:
    X, _ = wide(n, d, 5, 0, apart=3.0)
    found = above_noise(X)
    assert found.shape == (n, 4)
    for scale in (1e-6, 1e6):
        np.testing.assert_allclose(above_noise(scale * X + 3 * scale), scale * found, rtol=1e-5, atol=1e-8 * scale)


def test_of_rows_the_components_are_orthogonal_and_distances_are_no_larger() -> None:
    X, _ = wide(120, 300, 4, 1)
    found = above_noise(X)
    products = found.T @ found
    np.testing.assert_allclose(products, np.diag(np.diag(products)), atol=1e-8 * products.max())
    for i, j in ((0, 1), (5, 90)):
        assert np.linalg.norm(found[i] - found[j]) <= np.linalg.norm(X[i] - X[j])
    turned = np.linalg.qr(np.random.default_rng(2).normal(size=(300, 300)))[0]
    np.testing.assert_allclose(np.abs(above_noise(X @ turned)), np.abs(found), atol=1e-8)


def test_few_columns_many_rows_nothing_but_noise_and_much_in_common_leave_the_columns_as_they_are() -> None:
    rng = np.random.default_rng(0)
    smooth = np.cumsum(rng.normal(size=(200, 300)), axis=1)  # no bulk of noise
    for X in (wide(100, 30, 3, 0)[0], wide(900, 200, 3, 0)[0], smooth, np.zeros((50, 60)), rng.normal(size=(5, 90))):
        assert above_noise(X) is X
    alone = rng.normal(size=(200, 300))
    assert above_noise(alone) is alone


def test_of_many_rows_the_components_are_those_of_a_sample(monkeypatch) -> None:
    X, labels = wide(600, 700, 4, 0, apart=3.0)
    monkeypatch.setattr(noise, "SEEN", 150)
    found = above_noise(X)
    assert found.shape == (600, 3)
    alone = np.stack([found[labels == k].mean(axis=0) for k in range(4)])
    nearest = ((found[:, None] - alone) ** 2).sum(axis=2).argmin(axis=1)
    assert (nearest == labels).mean() > 0.99


def test_of_many_components_of_no_noise_the_leading_ones_are_seen(monkeypatch) -> None:
    smooth = np.cumsum(np.random.default_rng(0).normal(size=(200, 300)), axis=1)
    monkeypatch.setattr(noise, "LEADING", 50)
    found = above_noise(smooth)
    assert found.shape == (200, 50)
    centred = smooth - smooth.mean(axis=0)
    np.testing.assert_allclose(np.linalg.svd(found)[1], np.linalg.svd(centred)[1][:50], rtol=1e-9)


@pytest.mark.parametrize(("n", "d", "K"), [(150, 100, 3), pytest.param(300, 1000, 5, marks=pytest.mark.slow)])
def test_clusters_that_few_columns_tell_apart_are_found_among_many(n: int, d: int, K: int) -> None:
    for seed in (10, 11):
        X, labels = wide(n, d, K, seed, own=12 if K == 3 else 20)
        model = SoftClustering(random_state=0).fit(X)
        assert model.n_clusters_ == K
        assert adjusted_rand_index(model.labels_, labels) > 0.85


@pytest.mark.parametrize("alike", [True, False])
def test_a_few_bad_rows_of_a_wide_table_are_outliers(alike: bool) -> None:
    rng = np.random.default_rng(1)
    X = rng.gamma(2, 2, 600) + rng.normal(size=(150, 600)) * 0.6
    X[:6] += rng.normal(size=600) * 1.6 if alike else rng.normal(size=(6, 600)) * 1.5
    model = SoftClustering(random_state=0).fit(X)
    assert np.flatnonzero(model.outlier_ > 0.5).tolist() == [0, 1, 2, 3, 4, 5]
    weights = np.ones(150)
    weights[:6] = 0.0
    assert not (SoftClustering(random_state=0).fit(X, sample_weight=weights).outlier_ > 0.5).any()


def test_wide_tables_without_bad_rows_have_no_outliers() -> None:
    for seed in range(3):
        X, _ = wide(150, 400, 3, seed, apart=3.0)
        assert not (SoftClustering(random_state=0).fit(X).outlier_ > 0.5).any()
