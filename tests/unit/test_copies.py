"""Rows that occur again and again, as the members of an ensemble see them."""

import warnings

import numpy as np
import pytest

from partita import SoftClustering
from partita.ensemble.copies import SpreadRows, is_repeated, within_cells
from partita.metrics import adjusted_rand_index
from partita.report.headline import headline


def rounded(n=1000, d=2, K=2, apart=4.0, seed=0):
    """Gaussian clusters on a line, rounded to whole numbers."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(K, size=n)
    return np.round(rng.normal(size=(n, d)) + apart * truth[:, None] / np.sqrt(d)), truth


def lattice(n=1000, d=2, seed=0):
    X, _ = rounded(n, d, seed=seed)
    rows, counts = np.unique(X, axis=0, return_counts=True)
    return rows, counts.astype(float)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_each_row_is_a_point_in_the_cell_of_its_item(d):
    X, counts = lattice(5000, d)
    X = X * 7.0 + 3.0
    found = SpreadRows.of(X, counts, 10_000) if len(X) >= 20 else None
    if d == 1:
        assert found is None  # too few values
        return
    assert len(found.points) == counts.sum()
    item = np.repeat(np.arange(len(X)), counts.astype(int))
    offset = (found.points - X[item]) / 7.0
    near = np.abs(offset).max(axis=1) <= 0.5
    assert near.mean() > 0.99  # values at the ends may be farther from the next
    assert abs(offset[near].std() - 12**-0.5) < 0.01
    np.testing.assert_allclose(np.asarray(found.shares.sum(axis=1)).ravel(), 1.0)
    np.testing.assert_allclose(found.of_items(np.eye(3)[item % 3]), np.eye(3)[np.arange(len(X)) % 3])


def test_of_more_rows_than_are_seen_each_item_has_its_part_or_its_nearest():
    X, counts = lattice(5000)
    found = SpreadRows.of(X, 100.0 * counts, 400)
    assert found.points.shape == (400, 2)
    drawn = (found.shares.data == 1.0).sum(), np.asarray(found.shares.sum(axis=1)).ravel()
    np.testing.assert_allclose(drawn[1], 1.0)
    share = found.of_items(np.zeros(400, dtype=int))
    np.testing.assert_allclose(share, 1.0)
    # Even parts: an item of a share of s of the rows has 400 s points, rounded up or down.
    expected = 400 * counts / counts.sum()
    own = np.array([(np.abs(found.points - x) <= 0.5).all(axis=1).sum() for x in X])
    inner = expected > 5
    assert (np.abs(own - expected)[inner] < 2).all()


def test_rows_given_once_or_equally_often_and_few_are_as_they_are():
    X, counts = lattice()
    assert SpreadRows.of(X, counts, 4000) is not None
    assert SpreadRows.of(X, None, 4000) is None
    assert SpreadRows.of(X, np.full(len(X), 2.0), 4000) is None
    assert SpreadRows.of(X[:19], counts[:19] + 3, 4000) is None
    assert not is_repeated(np.r_[2.0, np.ones(9)])


@pytest.mark.parametrize("d", [2, 3, 8])
def test_numbers_that_were_not_rounded_are_no_lattice(d):
    rng = np.random.default_rng(d)
    X = rng.normal(size=(300, d))
    assert SpreadRows.of(X, rng.integers(1, 5, size=300).astype(float), 4000) is None


@pytest.mark.parametrize("given", [True, False])
def test_clusters_of_rounded_numbers_are_found(given):
    X, truth = rounded()
    model = SoftClustering(*([2] if given else []), random_state=0).fit(X)
    assert len(np.unique(X, axis=0)) < 100
    assert model.n_clusters_ == 2
    assert adjusted_rand_index(model.labels_, truth) > 0.8
    assert "copies have no density" in model.chosen_["probabilities"].why
    same = np.unique(X, axis=0, return_inverse=True)[1].ravel()
    first = np.unique(same, return_index=True)[1]
    np.testing.assert_array_equal(model.membership_, model.membership_[first][same])  # copies are alike


def test_cells_that_were_filled_in_make_no_cell_narrower():
    X, counts = lattice(5000)
    filled = np.r_[X, np.c_[0.05 * np.arange(20) + 1, np.zeros(20)]]
    found = SpreadRows.of(filled, np.r_[counts, np.ones(20)], 10_000)
    own = SpreadRows.of(X, counts, 10_000)
    item = np.repeat(np.arange(len(X)), counts.astype(int))
    for rows in (found, own):
        offset = rows.points[: len(item)] - X[item]
        assert abs(np.abs(offset)[np.abs(offset) <= 0.5].mean() - 0.25) < 0.01


def test_one_rounded_cluster_is_one():
    X, _ = rounded(400, K=1, seed=3)
    assert SoftClustering(random_state=0).fit(X).n_clusters_ == 1


@pytest.mark.parametrize("n_clusters", [2, "auto"])
def test_a_weight_is_as_good_as_copies_and_the_order_of_rows_does_not_matter(n_clusters):
    X, _ = rounded(400, seed=1)
    rows, place, counts = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    order = np.random.default_rng(1).permutation(len(X))
    copied = SoftClustering(n_clusters, random_state=0).fit(X)
    moved = SoftClustering(n_clusters, random_state=0).fit(X[order])
    weighted = SoftClustering(n_clusters, random_state=0).fit(rows, sample_weight=counts)
    np.testing.assert_allclose(moved.membership_, copied.membership_[order], atol=1e-9)
    np.testing.assert_allclose(weighted.membership_[place.ravel()], copied.membership_, atol=1e-9)


def with_a_rating(n=600, seed=0):
    """Four clusters of three measured columns, and a rating that tells nothing."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(4, size=n)
    measured = rng.normal(size=(n, 3)) + 5 * np.eye(4, 3)[truth]
    return np.column_stack([measured, 2 * rng.integers(1, 6, size=n)]), truth


@pytest.mark.parametrize("n_clusters", [4, "auto"])
def test_a_rating_beside_measured_columns_parts_no_clusters(n_clusters):
    X, truth = with_a_rating()
    order = np.random.default_rng(1).permutation(len(X))
    model = SoftClustering(n_clusters, random_state=0).fit(X)
    assert model.n_clusters_ == 4
    assert adjusted_rand_index(model.labels_, truth) > 0.95
    moved = SoftClustering(n_clusters, random_state=0).fit(X[order])
    np.testing.assert_allclose(moved.membership_, model.membership_[order], atol=1e-9)
    np.testing.assert_array_equal(within_cells(X[order]), within_cells(X)[order])


@pytest.mark.parametrize("column", ["measured", "counts", "two values", "mostly zero", "few rows", "all ratings"])
def test_columns_that_are_no_ratings_stay_as_they_are(column):
    rng = np.random.default_rng(0)
    n = 12 if column == "few rows" else 300
    other = {
        "measured": rng.normal(size=n),
        "counts": rng.poisson(100, size=n),
        "two values": rng.integers(2, size=n),
        "mostly zero": np.where(rng.random(n) < 0.9, 0, rng.integers(1, 6, size=n)),
        "few rows": rng.integers(1, 4, size=n),
        "all ratings": rng.integers(1, 6, size=n),
    }[column]
    X = np.column_stack([rng.normal(size=n) if column != "all ratings" else rng.integers(4, size=n), other])
    assert within_cells(X) is X


def test_a_rating_whose_cells_were_partly_filled_in_stays_within_its_cells():
    X, _ = with_a_rating()
    X[:60, 3] += 0.3
    X[60:, 3] += 1e-13 * np.random.default_rng(1).normal(size=540)  # as arithmetic leaves it
    moved = np.abs(within_cells(X)[:, 3] - X[:, 3])
    assert moved.max() <= 1.0
    assert abs(moved[60:].mean() - 0.5) < 0.04


@pytest.mark.parametrize("n_distinct", [12, 200])
def test_the_headline_says_of_measured_rows_that_most_are_copies(n_distinct):
    X = np.repeat(np.random.default_rng(0).normal(size=(n_distinct, 3)), 5, axis=0)
    said = f"only {n_distinct} of {5 * n_distinct:,} rows are distinct"
    assert said in headline(SoftClustering(2, random_state=0).fit(X))[2].lower()
    few = SoftClustering(2, random_state=0).fit(X[: n_distinct * 5 // 2 : 3])  # at most two of each
    assert "distinct" not in headline(few)[2]


def test_the_headline_is_silent_of_copies_where_methods_see_them():
    X, _ = rounded(1000)
    assert "distinct" not in headline(SoftClustering(2, random_state=0).fit(X))[2]


def test_near_copies_leak_no_warning():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(6, 2)), 20, axis=0) + 1e-12 * rng.normal(size=(120, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert SoftClustering(8, random_state=0).fit(X).n_clusters_ <= 8
        assert SoftClustering(random_state=0).fit(X).n_clusters_ == 6
