"""Where a background may lie: a background that lies at an angle to the axes."""

import numpy as np
import pytest
from scipy.stats import ortho_group

from partita import SoftClustering
from partita.doubt import background_probability
from partita.doubt.regions import Region, regions_of, smallest_box


def volume(X):
    return float(np.ptp(X, axis=0).prod())


def turned(X, degrees):
    angle = np.deg2rad(degrees)
    return X @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


def noisy_map(seed, n=800, n_noisy=200):
    """Four normal clusters in a square of which a fifth of the items fill."""
    rng = np.random.default_rng(seed)
    centres, label = rng.uniform(-8, 8, (4, 2)), rng.integers(0, 4, n)
    return np.vstack([centres[label] + rng.normal(size=(n, 2)), rng.uniform(-12, 12, (n_noisy, 2))]), label


@pytest.mark.parametrize("d", [2, 3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_the_box_of_a_turned_cube_is_the_cube(d, seed):
    X = np.random.default_rng(seed).uniform(size=(500, d))
    Y = X @ ortho_group.rvs(d, random_state=seed)
    axes = smallest_box(Y)
    np.testing.assert_allclose(axes.T @ axes, np.eye(d), atol=1e-12)
    assert volume(Y @ axes) < 1.1 * volume(X) < volume(Y)


def test_items_along_the_given_axes_stay_there():
    X = np.random.default_rng(0).uniform(size=(300, 4))
    assert smallest_box(X) is None
    assert smallest_box(X[:, :1]) is None
    assert smallest_box(X[:4]) is None
    assert smallest_box(np.column_stack([X[:, 0], np.ones(300)])) is None


def test_axes_without_extent_are_left_out():
    x = np.linspace(0, 1, 50)
    axes = smallest_box(np.column_stack([x, x]))
    assert axes.shape == (2, 1)
    X = np.random.default_rng(0).uniform(size=(400, 3))
    axes = smallest_box(np.column_stack([X, X[:, 0]]))  # a column that comes twice
    assert axes.shape == (4, 3)


def test_a_column_that_comes_twice_hides_no_outlier():
    X, label = noisy_map(0)
    labels = np.r_[label, np.zeros(200, dtype=np.int64)]
    plain = background_probability(X, labels) > 0.5
    twice = background_probability(X[:, [0, 1, 0]], labels) > 0.5
    assert (plain != twice).mean() < 0.05


@pytest.mark.parametrize("degrees", [0, 20, 45, 70])
@pytest.mark.parametrize("seed", range(3))
def test_a_turned_map_has_the_same_outliers(degrees, seed):
    X, label = noisy_map(seed)
    labels = np.r_[label, np.zeros(200, dtype=np.int64)]
    plain = background_probability(X, labels) > 0.5
    assert plain[800:].mean() > 0.7
    assert plain[:800].mean() < 0.02
    other = background_probability(turned(X, degrees), labels) > 0.5
    assert (other != plain).mean() < 0.03


def test_a_background_in_five_dimensions_may_be_turned():
    rng = np.random.default_rng(1)
    centres, label = rng.uniform(-8, 8, (4, 5)), rng.integers(0, 4, 800)
    X = np.vstack([centres[label] + rng.normal(size=(800, 5)), rng.uniform(-12, 12, (200, 5))])
    p = background_probability(X @ ortho_group.rvs(5, random_state=0), np.r_[label, np.zeros(200, dtype=np.int64)])
    assert (p[800:] > 0.5).mean() > 0.9
    assert (p[:800] > 0.5).mean() < 0.01


@pytest.mark.parametrize("seed", [0, 6, 13, 17])  # all but the first would have some in the smallest box
def test_skewed_clusters_at_an_angle_have_hardly_an_outlier(seed):
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 3, 600)
    X = rng.uniform(-10, 10, (3, 2))[label] + rng.exponential(size=(600, 2))
    assert (background_probability(turned(X, 30), label) > 0.5).mean() <= 0.01


def test_a_fit_to_a_turned_map_finds_its_outliers():
    X, _ = noisy_map(5)
    found = SoftClustering(4, random_state=0).fit(turned(X, 35)).outlier_ > 0.5
    assert found[800:].mean() > 0.6
    assert found[:800].mean() < 0.03


def sheared(X):
    return X @ np.array([[1.0, 0.6], [0.9, 1.3]])


@pytest.mark.parametrize("seed", range(3))
def test_the_outliers_of_a_sheared_map_are_found(seed):
    X, label = noisy_map(seed)
    labels = np.r_[label, np.zeros(200, dtype=np.int64)]
    p = background_probability(sheared(X), labels) > 0.5
    assert p[800:].mean() > 0.7
    assert p[:800].mean() < 0.06  # neighbours are others than before


@pytest.mark.parametrize("seed", range(3))
def test_a_third_of_the_items_of_a_long_map_may_be_scattered(seed):
    rng = np.random.default_rng(seed)
    centres, label = np.array([[-3.0, 0.3], [-1.0, -0.5], [1.5, 0.4], [3.2, -0.2]]), np.repeat(range(4), 110)
    X = np.vstack([centres[label] + 0.2 * rng.normal(size=(440, 2)), rng.uniform(-0.5, 0.5, (220, 2)) * [8.0, 2.0]])
    nearest = ((X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    p = background_probability(turned(X, 35) * [1.5, 1.0], nearest)
    assert (p[440:] > 0.5).mean() > 0.6
    assert (p[:440] > 0.5).mean() < 0.1


def test_points_of_the_hull_are_uniform():
    corners = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 2.0]])
    region = Region(corners, corners=corners)
    assert region.filled == pytest.approx(0.5)
    R = region.drawn(20_000, np.arange(3), np.random.default_rng(0))
    np.testing.assert_allclose(R.mean(axis=0), corners.mean(axis=0), atol=0.02)
    assert (R @ [0.5, 1.0] <= 2 + 1e-9).all()
    assert abs((R @ [0.5, 1.0] <= 1).mean() - 0.25) < 0.01


def test_the_hull_is_a_region_only_where_it_is_smaller_than_the_box():
    X = np.random.default_rng(0).uniform(size=(500, 2))
    everyone = np.arange(500)
    assert len(regions_of(X, everyone)) == 1
    box, hull = regions_of(sheared(X), everyone)
    assert box.price == 0 < hull.price
    assert hull.filled < 0.8
    _, line = regions_of(np.column_stack([X[:, 0], X[:, 0]]), everyone)
    assert line.X.shape == (500, 1)
    assert [len(regions_of(sheared(X) * unit, everyone)) for unit in (1e-170, 1e-12, 1e12)] == [2, 2, 2]


@pytest.mark.parametrize("width", [1e-11, 1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("seed", [2, 3])
def test_a_thin_plane_without_noise_has_no_outliers(seed, width):
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, 300)
    t = rng.uniform(-15, 15, 2)[label] + rng.normal(size=300)
    X = np.column_stack([t, 1.3 * t + width * rng.normal(size=300)])
    assert (background_probability(X, label) > 0.5).mean() <= 0.01


@pytest.mark.parametrize("seed", [1, 2])  # of the annulus of seed 0 three items are
def test_a_sparse_cluster_around_a_gap_is_no_background(seed):
    rng = np.random.default_rng(seed)
    angle, radius = rng.uniform(0, 2 * np.pi, 200), np.sqrt(rng.uniform(6**2, 14**2, 200))
    ring = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    X, label = np.vstack([rng.normal(0, 0.5, (300, 2)), ring]), np.repeat([0, 1], [300, 200])
    assert not (background_probability(X, label) > 0.5).any()
    model = SoftClustering(random_state=0).fit(X)
    assert model.n_clusters_ == 2
    assert (model.labels_[:300] == model.labels_[0]).all()


def test_one_far_row_does_not_hide_the_others():
    X, label = noisy_map(0)
    labels = np.r_[label, np.zeros(200, dtype=np.int64)]
    alone = background_probability(X, labels) > 0.5
    beside = background_probability(np.vstack([X, [[900.0, 900.0]]]), np.r_[labels, 0]) > 0.5
    assert beside[-1]
    assert (beside[:-1] != alone).mean() < 0.02
