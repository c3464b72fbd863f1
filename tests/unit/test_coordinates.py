"""Distances and affinities that are those of points: the points, fits to them, and what is given of new items says."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist, pdist, squareform

from partita import SoftClustering, metrics
from partita.affinity import DenseAffinity, NeighborGraph, Precomputed, SparseAffinity
from partita.ensemble.tree import groups_with_a_gap
from partita.errors import InputError
from partita.estimators import coordinates
from partita.estimators.choosing import why_so_many
from partita.estimators.coordinates import Coordinates
from partita.io import load, save
from partita.n_clusters.agreement import verdict_of
from synthetic import gaussians

CENTRES = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])
TRUTH = np.repeat([0, 1, 2], 60)


def fitted(D, n_clusters=3, **options):
    return SoftClustering(n_clusters, affinity="precomputed_distance", random_state=0, **options).fit(D)


def of_no_points(n, seed=0):
    """Random distances: points have other nearest items."""
    D = np.triu(np.random.default_rng(seed).uniform(1, 2, (n, n)), 1)
    return D + D.T


@pytest.fixture(scope="module")
def points():
    return gaussians(TRUTH, CENTRES, 0)


@pytest.mark.parametrize(("n", "d"), [(2, 1), (30, 2), (30, 40), (200, 5)])
def test_points_are_had_back_but_for_a_turn(n, d):
    X = np.random.default_rng(n).normal(size=(n, d)) * np.geomspace(1, 100, d)
    placed = Coordinates.of(squareform(pdist(X)))
    assert placed.points.shape[1] == min(d, n - 1)
    np.testing.assert_allclose(pdist(placed.points), pdist(X), rtol=1e-6)
    Y = np.random.default_rng(1).normal(size=(4, d))
    if n > d:  # a new item lies among them
        both = placed(cdist(Y, X))
        np.testing.assert_allclose(cdist(both, placed.points), cdist(Y, X), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_a_few_landmarks_place_all(seed, monkeypatch):
    X = np.random.default_rng(seed).normal(size=(300, 4))
    monkeypatch.setattr(coordinates, "LANDMARKS", (40, 80))
    D = squareform(pdist(X))
    placed = Coordinates.of(D)
    assert len(placed.landmarks) == 40
    np.testing.assert_allclose(pdist(placed(D)), pdist(X), rtol=1e-6)
    order = np.random.default_rng(9).permutation(300)
    other = Coordinates.of(D[np.ix_(order, order)])
    assert set(order[other.landmarks]) == set(placed.landmarks)
    D[7:9, 50:] *= 1.5  # what the landmarks do not show is looked at
    D[50:, 7:9] = D[7:9, 50:].T
    monkeypatch.setattr(coordinates, "_spread", lambda items, most: np.arange(20, 60) if most == 40 else items)
    assert placed.height is None
    assert Coordinates.of(D).height is not None  # the others' nearest items are what they were


def test_distances_of_no_points_have_none():
    X = np.random.default_rng(0).normal(size=(80, 3))
    assert Coordinates.of(of_no_points(80)) is None
    assert Coordinates.of(np.zeros((5, 5))) is None
    missing = cdist(X, X)
    missing[3, 4] = missing[4, 3] = np.nan
    assert Coordinates.of(missing) is None
    assert Coordinates.of(sp.csr_array(cdist(X, X))) is None


@pytest.mark.parametrize("wrong", [lambda D: D + np.triu(D) / 9, lambda D: D + np.eye(len(D)), lambda D: -D])
def test_what_is_no_distance_is_refused(points, wrong):
    with pytest.raises(InputError):
        fitted(wrong(cdist(points, points)))


def test_a_far_item_does_not_hide_that_the_others_are_no_points():
    X = np.random.default_rng(0).normal(size=(80, 5))
    X[-1] = 1000.0
    assert Coordinates.of(cdist(X, X) ** 4) is None
    assert Coordinates.of(cdist(X, X, "cityblock")).of_roots
    assert not Coordinates.of(cdist(X, X)).of_roots


@pytest.mark.parametrize("metric", ["cityblock", "braycurtis", "jaccard", "correlation", "cosine", "canberra"])
def test_dissimilarities_whose_roots_are_distances_of_points_are_placed_by_these(metric):
    X = np.abs(np.random.default_rng(0).normal(size=(60, 12)))
    X = X > 0.7 if metric == "jaccard" else X
    D = cdist(X, X, metric)
    placed = Coordinates.of(D)
    assert placed.of_roots
    np.testing.assert_allclose(pdist(placed.points) ** 2, squareform(D, checks=False), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(placed(D[:3]), placed.points[:3], atol=1e-6)
    np.testing.assert_allclose(placed.heights(D[:3], placed(D[:3])), 0.0, atol=1e-3)


@pytest.mark.parametrize("metric", ["cityblock", "braycurtis", "correlation"])
def test_many_groups_by_such_dissimilarities_are_found(metric, tmp_path):
    rng, truth = np.random.default_rng(0), np.repeat(np.arange(25), 16)
    X = rng.dirichlet(np.full(60, 0.3), 25)[truth] * rng.gamma(20.0, 0.05, (400, 60))
    D, fits, new = cdist(X, X, metric), np.arange(400) % 4 > 0, np.arange(400) % 4 == 0
    model = fitted(D[np.ix_(fits, fits)], "auto")
    assert model.n_clusters_ == 25
    assert metrics.adjusted_rand_index(model.labels_, truth[fits]) > 0.95
    assert metrics.adjusted_rand_index(model.predict(D[np.ix_(new, fits)]), truth[new]) > 0.95
    assert "square roots" in model.chosen_["affinity"].why
    save(model, tmp_path / "m")
    np.testing.assert_array_equal(
        load(tmp_path / "m").predict(D[np.ix_(new, fits)]), model.predict(D[np.ix_(new, fits)])
    )


@pytest.mark.parametrize(
    ("metric", "d"), [("cityblock", 2), ("cityblock", 8), ("canberra", 8), ("correlation", 8), ("jaccard", 8)]
)
@pytest.mark.parametrize("seed", range(3))
def test_one_cluster_by_such_dissimilarities_is_one(metric, d, seed):
    X = np.random.default_rng(seed).normal(size=(120, d))
    D = cdist(X > 0, X > 0, metric) if metric == "jaccard" else cdist(X, X, metric)
    assert fitted(D, "auto").n_clusters_ == 1


def test_parts_of_a_curve_that_methods_agree_on_are_one_cluster():
    for seed in (1, 2):  # ten clusters and six, by the index to be expected
        X = np.random.default_rng(seed).normal(size=(120, 2))
        verdict = fitted(cdist(X, X, "cityblock"), "auto").verdict_
        assert verdict.n_clusters == 1
        assert verdict.sure == verdict.probabilities.max()


def test_items_of_weight_zero_do_not_change_the_fit(points):
    D = cdist(points, points, "cityblock")
    weight = np.ones(len(D))
    weight[::3] = 0
    used = np.flatnonzero(weight)
    model = SoftClustering(affinity="precomputed_distance", random_state=0).fit(D, sample_weight=weight)
    alone = fitted(D[np.ix_(used, used)], "auto")
    assert model.chosen_["affinity"].value == alone.chosen_["affinity"].value == "ensemble"
    np.testing.assert_array_equal(model.labels_[used], alone.labels_)


def test_new_members_of_clusters_above_the_space_of_fitted_ones_are_no_outliers():
    truth = np.repeat(np.arange(5), 21)
    D = np.where(truth[:, None] == truth, 0.5, 1.0)
    noise = 1e-3 * np.random.default_rng(0).random(D.shape)
    D += noise + noise.T
    np.fill_diagonal(D, 0)
    new = np.arange(105) % 21 == 0
    model = fitted(D[np.ix_(~new, ~new)], 5)
    assert model.predict_doubt(D[np.ix_(new, ~new)]).outlier.max() < 0.5


def test_many_items_at_few_places_are_left_to_their_distances():
    X = np.random.default_rng(0).integers(2, size=(300, 6)).astype(float)
    assert Coordinates.of(cdist(X, X)) is None
    model = fitted(cdist(np.repeat(CENTRES, 30, axis=0), np.repeat(CENTRES, 30, axis=0)), "auto")
    assert model.n_clusters_ == 3


def test_a_fit_that_fails_leaves_the_one_before(points):
    D = cdist(points, points)
    model = fitted(D)
    before = model.predict(D)
    with pytest.raises(InputError):
        model.fit(cdist(2 * points[::-1], 2 * points[::-1]), must_link=[(0, 1)], cannot_link=[(0, 1)])
    np.testing.assert_array_equal(model.predict(D), before)


def test_columns_of_points_are_not_spoken_of(points):
    X = points * [1.0, 100.0]
    assert not any("column" in note for note in fitted(cdist(X, X)).result_.notes)


def test_rounded_distances_are_those_of_points(points):
    placed = Coordinates.of(cdist(points, points).round(2))
    assert placed.points.shape[1] == 2
    np.testing.assert_allclose(pdist(placed.points), pdist(points), atol=0.1)


@pytest.mark.parametrize("n_clusters", [3, "auto"])
def test_a_fit_to_distances_is_that_to_the_points(points, n_clusters):
    model = fitted(cdist(points, points), n_clusters)
    other = SoftClustering(n_clusters, random_state=0).fit(points)
    assert model.n_clusters_ == other.n_clusters_ == 3
    assert metrics.adjusted_rand_index(model.labels_, other.labels_) == 1.0
    np.testing.assert_allclose(
        np.sort(model.membership_.max(axis=1)), np.sort(other.membership_.max(axis=1)), atol=0.02
    )
    assert (model.outlier_ < 0.5).all()
    assert model.chosen_["affinity"].value == "ensemble"
    assert "2 dimensions" in model.chosen_["affinity"].why


def test_new_items_are_placed_by_their_distances(points, tmp_path):
    model = fitted(cdist(points, points))
    Y = np.vstack([gaussians(TRUTH, CENTRES, 1), [[40.0, 40.0]]])
    D = cdist(Y, points)
    assert metrics.adjusted_rand_index(model.predict(D[:-1]), TRUTH) > 0.95
    assert model.predict_doubt(D).outlier[-1] > 0.9
    aside = model.predict_doubt(np.hypot(cdist(CENTRES[:1], points), [[0.0], [0.5], [40.0], [1000.0]]))
    assert aside.outlier[0] < 0.5 < 0.9 < aside.outlier[2:].min()
    assert aside.certainty[2:].max() < 0.1
    save(model, tmp_path / "m.npz")
    again = load(tmp_path / "m.npz")
    np.testing.assert_array_equal(again.predict_proba(D), model.predict_proba(D))
    np.testing.assert_array_equal(again.predict_doubt(D).certainty, model.predict_doubt(D).certainty)
    assert model.at(2).predict(D).max() == 1
    for wrong in (-D, D[:, :-1], sp.csr_array(D), np.where(D < 1, np.nan, D)):
        with pytest.raises((InputError, ValueError)):
            model.predict(wrong)
    for refused in (model.explain, lambda: model.update(D), lambda: model.score(D)):
        with pytest.raises(InputError):
            refused()


def test_copies_weights_and_the_order_of_rows_change_nothing(points):
    D = cdist(points, points)
    model, order = fitted(D), np.random.default_rng(3).permutation(len(D))
    turned = fitted(D[np.ix_(order, order)])
    assert metrics.adjusted_rand_index(turned.labels_, model.labels_[order]) == 1.0
    some = np.r_[np.arange(len(D)), np.arange(0, len(D), 6)]
    np.testing.assert_allclose(fitted(D[np.ix_(some, some)]).outlier_[: len(D)], model.outlier_, atol=0.02)
    weights = np.where(np.arange(len(D)) < 5, 0.0, 1.0)
    without = fitted(D[5:, 5:])
    weighed = SoftClustering(3, affinity="precomputed_distance", random_state=0).fit(D, sample_weight=weights)
    assert metrics.adjusted_rand_index(weighed.labels_[5:], without.labels_) == 1.0
    assert metrics.adjusted_rand_index(weighed.labels_[:5], TRUTH[:5]) == 1.0


def test_the_next_fit_forgets_the_points(points):
    model = fitted(cdist(points, points))
    none = of_no_points(len(points))
    model.fit(none)
    assert model.chosen_["affinity"].value == "neighbors"
    assert model.predict(none[:3]).shape == (3,)
    graph = SoftClustering(3, affinity=NeighborGraph(metric="precomputed"), random_state=0)
    assert graph.fit(cdist(points, points)).affinity_.n_items == len(points)
    assert not hasattr(graph, "_coordinates")


# Nearly points ----------------------------------------------------------------------------------------------------


def noisy(D, share, seed=0):
    """Distances of which each is wrong by about a share of its own, the same in both directions if D is square."""
    wrong = np.exp(share * np.random.default_rng(seed).normal(size=D.shape))
    return D * np.triu(wrong, 1) + (D * np.triu(wrong, 1)).T if len(D) == len(D.T) else D * wrong


def test_distances_that_are_wrong_by_a_fifth_are_nearly_those_of_points(points, tmp_path):
    D = noisy(cdist(points, points), 0.2)
    model = fitted(D, "auto")
    assert model.n_clusters_ == 3
    assert metrics.adjusted_rand_index(model.labels_, TRUTH) > 0.95
    assert "nearly" in model.chosen_["affinity"].why
    assert model.certainty_.mean() > 0.9
    assert len(model.confident(0.05).mask.nonzero()[0]) > 150
    new = np.vstack([gaussians(TRUTH, CENTRES, 1), [[40.0, 40.0]]])
    rows = noisy(cdist(new, points), 0.2, 1)
    assert metrics.adjusted_rand_index(model.predict(rows[:-1]), TRUTH) > 0.95
    doubt = model.predict_doubt(rows)
    assert (doubt.outlier[:-1] > 0.5).mean() < 0.05
    assert doubt.outlier[-1] > 0.9
    save(model, tmp_path / "m")
    again = load(tmp_path / "m").predict_doubt(rows)
    np.testing.assert_array_equal(again.outlier, doubt.outlier)
    np.testing.assert_array_equal(again.certainty, doubt.certainty)


def test_most_items_are_no_farther_from_the_space_than_is_usual(points):
    D = noisy(cdist(points, points), 0.2)
    placed = Coordinates.of(D)
    heights = placed.heights(D, placed(D))
    assert (heights > 0).mean() == pytest.approx(0.01, abs=0.006)
    far = np.hypot(D[:1], 50.0)
    assert placed.heights(far, placed(far))[0] == pytest.approx(50.0, rel=0.05)


@pytest.mark.parametrize("power", [1, 2])
def test_distances_or_roots_are_taken_whose_points_have_the_nearest_items(power, points):
    D = noisy(cdist(points, points) ** power, 0.2)
    assert Coordinates.of(D).of_roots == (power == 2)


def test_more_items_than_landmarks_are_nearly_placed_by_these(monkeypatch):
    rng, truth = np.random.default_rng(0), np.repeat(np.arange(6), 60)
    X = rng.dirichlet(np.full(40, 0.5), 6)[truth] * rng.gamma(20.0, 0.05, (360, 40))
    monkeypatch.setattr(coordinates, "LANDMARKS", (60, 120))
    model = fitted(cdist(X, X, "braycurtis"), "auto")
    assert model._coordinates.height is not None
    assert len(model._coordinates.landmarks) == 120
    assert metrics.adjusted_rand_index(model.labels_, truth) > 0.95


def test_weights_are_copies_where_points_are_near(points):
    D, weights = noisy(cdist(points, points), 0.2), np.ones(180)
    twice = np.arange(0, 180, 12)
    weights[twice] = 2.0
    some = np.r_[np.arange(180), twice]
    weighed = SoftClustering(3, affinity="precomputed_distance", random_state=0).fit(D, sample_weight=weights)
    copied = fitted(D[np.ix_(some, some)])
    assert weighed._coordinates.height == copied._coordinates.height
    np.testing.assert_allclose(weighed.certainty_, copied.certainty_[:180], atol=1e-6)


def test_few_items_have_no_nearly_points():
    rng, truth = np.random.default_rng(0), np.arange(11) % 3
    D = np.triu(np.where(truth[:, None] == truth, 0.3, 1.0) * rng.uniform(1, 2, (11, 11)), 1) ** 3
    assert Coordinates.of(D + D.T) is None


def test_the_height_of_many_items_does_not_hang_by_their_order():
    X, order = np.random.default_rng(0).normal(size=(2600, 4)), np.random.default_rng(1).permutation(2600)
    placed, other = Coordinates.of_features(X, "chebyshev"), Coordinates.of_features(X[order], "chebyshev")
    assert placed.height == pytest.approx(other.height, rel=1e-9)


def test_one_cluster_that_is_less_probable_than_two_says_why():
    Z = np.random.default_rng(7).normal(size=(100, 3)) * [3, 1, 1]
    found = fitted(cdist(Z, Z, "chebyshev"), "auto")._consensus
    of_two = (found.draws.max(axis=1) == 1).astype(float)
    found = replace(
        found, weights=of_two / of_two.sum(), partition=found.draws[of_two.argmax()], one=0.45, expected=0.2
    )
    verdict = verdict_of(found)  # .45 > .55 * 1.2 / 2
    assert verdict.n_clusters == 1
    np.testing.assert_allclose(verdict.probabilities[:2], [0.45, 0.55])
    assert "would have to be more probable" in why_so_many(verdict, 1, found)
    assert "0.45 for 1" in why_so_many(verdict, 1, found)
    assert "2 clusters have 0.55" in verdict.judgements[0].note


def test_the_probability_of_one_cluster_that_is_said_of_distances_is_the_one_that_decides():
    Z = np.random.default_rng(7).normal(size=(100, 3)) * [3, 1, 1]
    model = fitted(cdist(Z, Z, "chebyshev"), "auto")
    p = model.verdict_.probabilities
    assert model.n_clusters_ == 1
    assert p[0] == p.max() == model.verdict_.sure


def test_a_quarter_of_copies_leaves_what_nearly_are_points_to_their_distances(points):
    D = noisy(cdist(points, points), 0.2)
    some = np.r_[np.arange(180), np.arange(90)]
    assert Coordinates.of(D[np.ix_(some, some)]) is None


def history(sizes, within, between, rng):
    """Distances on a tree: of each group a coalescent with these distances at most, and one between any two groups."""
    truth = np.repeat(np.arange(len(sizes)), sizes)
    D = np.full((len(truth), len(truth)), between)
    for k in range(len(sizes)):
        own, T = [[i] for i in np.flatnonzero(truth == k)], 0.0
        block = np.ix_(truth == k, truth == k)
        while len(own) > 1:
            T += rng.exponential(2.0 / (len(own) * (len(own) - 1)))
            i, j = sorted(rng.choice(len(own), 2, replace=False))
            D[np.ix_(own[i], own[j])] = D[np.ix_(own[j], own[i])] = T
            own = [one for at, one in enumerate(own) if at not in (i, j)] + [own[i] + own[j]]
        np.fill_diagonal(D, 0.0)
        D[block] *= within / D[block].max()
    return D, truth


@pytest.mark.parametrize("seed", range(4))
def test_groups_with_a_gap_between_them_are_the_clusters_of_a_history(seed):
    rng = np.random.default_rng(seed)
    D, truth = history((50, 40, 30, 20), 10.0, 40.0, rng)
    model = fitted(D, "auto")
    assert metrics.adjusted_rand_index(model.labels_, truth) > 0.95
    assert model.verdict_.sure > 0.6
    wrong = model.labels_ != model.labels_[np.searchsorted(truth, truth)]
    assert wrong[model.confident(0.05).mask].mean() < 0.1


def test_items_without_a_gap_have_no_such_groups():
    X = np.random.default_rng(0).normal(size=(120, 3))
    assert groups_with_a_gap(X, 2.0) is None
    apart = np.vstack([X[:60], X[60:] + 40.0])
    np.testing.assert_array_equal(groups_with_a_gap(apart, 2.0), np.repeat([0, 1], 60))
    assert groups_with_a_gap(np.vstack([X, [[90.0, 0, 0]]]), 2.0) is None  # one item is no group


# Affinities -------------------------------------------------------------------------------------------------------

KERNELS = {
    "gaussian": lambda X, Y: np.exp(-(cdist(X, Y) ** 2) / 50),
    "laplacian": lambda X, Y: np.exp(-cdist(X, Y) / 9),
    "cosines": lambda X, Y: 1.0 - cdist(np.insert(X, 2, 5.0, axis=1), np.insert(Y, 2, 5.0, axis=1), "cosine") / 2,
}


def kernel_fit(S, n_clusters=3, affinity="precomputed", **options):
    return SoftClustering(n_clusters, affinity=affinity, random_state=0, **options).fit(S)


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("n_clusters", [3, "auto"])
def test_affinities_that_are_scalar_products_are_fitted_as_the_points(points, kernel, n_clusters, tmp_path):
    S = kernel(points, points)
    model = kernel_fit(S, n_clusters)
    assert "differences to the largest affinity are those of points" in model.chosen_["affinity"].why
    assert model.n_clusters_ == 3
    assert metrics.adjusted_rand_index(model.labels_, TRUTH) > 0.95
    np.testing.assert_array_equal(model.predict(S), model.labels_)
    new = gaussians(TRUTH, CENTRES, 1)
    rows = kernel(new, points)
    assert metrics.adjusted_rand_index(model.predict(rows), TRUTH) > 0.9
    np.testing.assert_array_equal(model.predict_proba(sp.csr_array(rows)), model.predict_proba(rows))
    assert model.predict_doubt(rows).certainty.mean() > 0.8
    save(model, tmp_path / "m")
    np.testing.assert_array_equal(load(tmp_path / "m").predict_proba(rows), model.predict_proba(rows))
    with pytest.raises(InputError, match="affinities"):
        model.predict(-rows)


def test_points_of_affinities_are_had_back_but_for_a_turn():
    X = np.random.default_rng(0).normal(size=(40, 5))
    X /= np.linalg.norm(X, axis=1)[:, None]
    placed = Coordinates.of_affinities(7.0 * (X @ X.T + 1.0))
    assert placed.points.shape == (40, 5)
    np.testing.assert_allclose(pdist(placed.points), np.sqrt(3.5) * pdist(X), rtol=1e-6)
    centre = X.mean(axis=0, keepdims=True) / np.linalg.norm(X.mean(axis=0))
    row = 7.0 * (centre @ X.T + 1.0)
    np.testing.assert_allclose(cdist(placed(row), placed.points), np.sqrt(3.5) * cdist(centre, X), rtol=1e-6)
    np.testing.assert_allclose(placed.heights(row, placed(row)), 0.0, atol=1e-6)


def test_affinities_that_are_no_such_products_stay_what_they_are(points):
    S = KERNELS["gaussian"](points, points)
    lopsided = S + 0.1 * np.triu(S, 1)
    own = S.copy()
    own[0, 0] = 0.7
    below = S.copy()
    below[3, 4] = below[4, 3] = 1.5
    for given in (lopsided, own, below, sp.csr_array(S), S[:5]):
        assert Coordinates.of_affinities(given) is None
    as_given = kernel_fit(S, affinity=Precomputed())
    for options in ({"sizes": "free"}, {"normalization": "symmetric"}, {"steps": 1}, {"missing": "unobserved"}):
        told = kernel_fit(S, probabilities="fitted", **options)
        assert not hasattr(told, "_coordinates")
        np.testing.assert_allclose(told.result_.membership.matrix, as_given.result_.membership.matrix, atol=1e-4)
    weighed = SoftClustering(3, affinity="precomputed", random_state=0)
    assert not hasattr(weighed.fit(S, pair_weight=np.ones_like(S)), "_coordinates")


def test_whole_weights_are_copies_and_leave_the_affinities_as_they_are(points):
    S = KERNELS["gaussian"](points, points)
    twice = np.repeat(np.arange(180), 2)
    one = SoftClustering(3, affinity="precomputed", random_state=0).fit(S, sample_weight=np.full(180, 2.0))
    other = kernel_fit(S[np.ix_(twice, twice)])
    assert not hasattr(one, "_coordinates")
    assert not hasattr(other, "_coordinates")
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-3)
    survey = SoftClustering(3, affinity="precomputed", random_state=0)
    assert hasattr(survey.fit(S, sample_weight=np.random.default_rng(0).uniform(0.5, 1.5, 180)), "_coordinates")


@pytest.mark.parametrize("seed", range(2))
def test_many_groups_by_clipped_cosines_are_found_among_the_nearest(seed):
    rng, truth = np.random.default_rng(seed), np.repeat(np.arange(30), 20)
    centres = rng.normal(size=(30, 32))
    X = centres[truth] / np.linalg.norm(centres, axis=1)[truth][:, None] + 0.1 * rng.normal(size=(600, 32))
    S = np.clip(1.0 - cdist(X, X, "cosine"), 0.0, 1.0)
    np.fill_diagonal(S, 1.0)
    model = kernel_fit(S, "auto")
    assert model._coordinates.height is not None  # no scalar products, but nearly
    assert abs(model.n_clusters_ - 30) <= 1
    assert metrics.adjusted_rand_index(model.labels_, truth) > 0.95


def test_small_affinities_of_an_array_are_not_added_up_by_diffusion():
    rng, truth = np.random.default_rng(1), np.repeat(np.arange(30), 20)
    X = rng.normal(size=(30, 64))[truth] + 0.8 * rng.normal(size=(600, 64))
    S = 1.0 - cdist(X, X, "cosine")
    S = np.where(np.quantile(S, 0.55) < S, S, 0.0)  # most pairs have none
    np.fill_diagonal(S, 1.0)
    found = [
        SoftClustering(30, affinity=Precomputed(), steps=steps, random_state=0, probabilities="fitted").fit(S)
        for steps in ("auto", 1, 4)
    ]
    np.testing.assert_array_equal(found[0].labels_, found[1].labels_)
    scores = [metrics.adjusted_rand_index(one.labels_, truth) for one in found]
    assert scores[0] == 1.0 > scores[2]


def test_two_values_of_a_pair_become_one_before_points_are_looked_for(points):
    D, S = cdist(points, points), KERNELS["gaussian"](points, points)
    for given, affinity in ((D, "precomputed_distance"), (S, "precomputed")):
        lopsided = np.triu(given) + np.tril(given, -1) * 0.5
        model = SoftClustering(3, affinity=affinity, symmetrize="max", random_state=0).fit(lopsided)
        expected = SoftClustering(3, affinity=affinity, random_state=0).fit(given)
        assert hasattr(model, "_coordinates")
        np.testing.assert_array_equal(model.membership_, expected.membership_)


def test_the_container_does_not_decide_what_affinities_are(points):
    X = points + np.array([3.0, 4.0])
    S = np.clip(1.0 - cdist(X, X, "cosine") * 3, 0.0, 1.0)
    np.fill_diagonal(S, 1.0)
    lopsided = S.copy()
    lopsided[0, 1] *= 0.99
    models = [kernel_fit(given, "auto") for given in (S, DenseAffinity(S), sp.csr_array(S))]
    models.append(kernel_fit(lopsided, "auto", symmetrize="max"))
    for model in models:
        assert hasattr(model, "_coordinates") == hasattr(models[0], "_coordinates")
        np.testing.assert_array_equal(model.labels_, models[0].labels_)


def test_a_sparse_matrix_that_is_no_similarity_is_never_made_dense(monkeypatch):
    rng = np.random.default_rng(0)
    A = np.triu(rng.random((300, 300)) * (rng.random((300, 300)) < 0.4), 1)
    graph = sp.csr_array(A + A.T)
    monkeypatch.setattr(SparseAffinity, "to_dense", None)
    assert SoftClustering(2, affinity="precomputed", random_state=0).fit(graph).n_clusters_ <= 2


def test_a_number_that_was_given_is_judged_as_it_would_have_been_found():
    for seed in (1, 2):
        X = np.random.default_rng(seed).normal(size=(200, 2))
        S = np.exp(-(cdist(X, X) ** 2) / 2)
        assert kernel_fit(S, "auto").n_clusters_ == 1
        assert kernel_fit(S, 3).judge_n_clusters().n_clusters == 1


def test_blocks_without_any_noise_end():
    S = np.kron(np.eye(3) * 0.5 + 0.3, np.ones((20, 20))) + 0.2 * np.eye(60)  # the degrees of freedom went to and fro
    assert np.bincount(kernel_fit(S, "auto").labels_).tolist() == [20, 20, 20]


def test_what_was_not_taken_for_points_says_why(points):
    S = 2.0 - of_no_points(len(points))
    chosen = kernel_fit(S).chosen_["affinity"]
    assert chosen.value == "precomputed"
    assert "not taken for those of points" in chosen.why


def test_similarities_are_what_the_distances_are_that_they_are_less_than_one_by():
    rng, truth = np.random.default_rng(0), np.repeat(np.arange(4), 20)
    X = rng.random((80, 60)) < 0.05 + 0.6 * (np.arange(60) % 4 == truth[:, None])
    D = cdist(X, X, "jaccard")
    similar, apart = kernel_fit(1.0 - D, "auto"), fitted(D, "auto")
    assert metrics.adjusted_rand_index(similar.labels_, truth) > 0.95
    np.testing.assert_array_equal(similar.labels_, apart.labels_)
    assert similar._coordinates.of_roots == apart._coordinates.of_roots
