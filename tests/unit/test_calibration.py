"""Calibration: the mixture's laws, the temperature's, and memberships that come near a known posterior."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import multivariate_normal, multivariate_t
from sklearn.datasets import load_iris, make_moons
from sklearn.mixture import GaussianMixture

import partita
from partita import SoF, SoftClustering, load, save
from partita.affinity import NeighborGraph, Precomputed
from partita.calibration import (
    KINDS,
    Alternative,
    Calibration,
    Subspace,
    Temperature,
    averaged_membership,
    by_components,
    by_merging,
    calibrate,
    fit_mixture,
    fit_temperature,
    reliability,
    selection,
    subspace,
)
from partita.calibration.calibrate import _again
from partita.calibration.mixture import MixtureDensity, MixtureFit
from partita.calibration.reliability import co_membership_pairs
from partita.calibration.selection import OwnMixtures, _handed_out
from partita.errors import InputError, ModelError
from partita.kernels.ellipsoids import n_parameters
from partita.metrics import accuracy, brier_score
from partita.metrics.probabilities import align
from partita.plots import ReliabilityDisplay, blank_figure
from partita.report.behind import calibration_sentences
from synthetic import gaussians


def overlapping(n=600, seed=0, gap=2.5):
    """Two Gaussians of unequal size and shape, with the true posterior."""
    rng = np.random.default_rng(seed)
    z = rng.random(n) < 0.35
    X = np.where(
        z[:, None],
        rng.multivariate_normal([gap, 0], [[1, 0.6], [0.6, 1]], n),
        rng.multivariate_normal([0, 0], np.eye(2), n),
    )
    first = 0.65 * multivariate_normal([0, 0], np.eye(2)).pdf(X)
    second = 0.35 * multivariate_normal([gap, 0], [[1, 0.6], [0.6, 1]]).pdf(X)
    return X, np.stack([first, second], axis=1) / (first + second)[:, None]


def excess_kl(W, truth):
    estimate, true = align(W, truth)
    return float((true * (np.log(np.maximum(true, 1e-300)) - np.log(np.maximum(estimate, 1e-6)))).sum(axis=1).mean())


def calibrated(K, **options):
    settings = {"affinity": "neighbors", "probabilities": "calibrated", "random_state": 0}
    return SoftClustering(K, **settings | options)


memberships = st.integers(2, 5).flatmap(
    lambda K: hnp.arrays(float, (6, K), elements=st.floats(0, 1)).map(
        lambda A: (A + 1e-12) / (A + 1e-12).sum(axis=1, keepdims=True)
    )
)


# The mixture


def test_one_component_is_the_gaussian_of_the_items_but_for_pseudo_items():
    X = np.random.default_rng(0).normal(size=(400, 3)) @ np.diag([1, 2, 3])
    mixture = fit_mixture(X, np.ones(400), np.ones((400, 1))).mixture
    by_hand = multivariate_normal(X.mean(axis=0), np.cov(X.T, bias=True)).logpdf(X)
    np.testing.assert_allclose(mixture.log_density(X), by_hand, rtol=1e-9)  # scatter (n C + m C) / (n + m) is C


@pytest.mark.parametrize("pieces", [1, 2, 4])
def test_pieces_of_a_cluster_share_its_pseudo_items(pieces):
    X = np.random.default_rng(0).normal(size=(300, 2))
    X[:10] += 50
    start = np.eye(2)[(np.arange(300) >= 10).astype(int)]
    fit = fit_mixture(X, np.ones(300), start, pieces=pieces)
    U, own, all_of_them = fit.mixture.whiteners[0], np.cov(X[:10].T, bias=True), np.cov(X.T, bias=True)
    held = 4 / pieces  # d + 2, of the scatter of all items divided by M^(2 / d)
    by_hand = (10 * own + held * all_of_them / 2) / (10 + held)
    np.testing.assert_allclose(np.linalg.inv(U @ U.T), by_hand, rtol=1e-4)


def test_density_of_student_components_is_the_textbook_one():
    X = multivariate_t([0, 1], [[1, 0.3], [0.3, 2]], df=3, seed=0).rvs(500)
    mixture = fit_mixture(X, np.ones(500), np.ones((500, 1)), "student").mixture
    U = np.linalg.inv(mixture.whiteners[0])
    by_hand = multivariate_t(mixture.means[0], U.T @ U, df=mixture.freedom).logpdf(X)
    np.testing.assert_allclose(mixture.log_density(X), by_hand, rtol=1e-9)
    assert 2.2 < mixture.freedom < 4.5


def test_agrees_with_scikit_learn_on_the_same_start():
    X, truth = overlapping()
    ours = fit_mixture(X, np.ones(len(X)), truth, tol=1e-9, max_iter=2000)
    theirs = GaussianMixture(2, tol=1e-9, max_iter=2000, n_init=3, random_state=0).fit(X)
    W, V = align(ours.responsibilities, theirs.predict_proba(X))
    np.testing.assert_allclose(W, V, atol=0.03)  # a few pseudo-items among some hundred
    assert ours.log_likelihood / len(X) == pytest.approx(theirs.score(X), abs=2e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_the_likelihood_rises_with_iterations(kind):
    X, _ = overlapping()
    start = np.eye(2)[(X[:, 0] > 1).astype(int)]
    values = [fit_mixture(X, np.ones(len(X)), start, kind, max_iter=m, tol=0).log_likelihood for m in (2, 5, 20)]
    assert values[0] < values[1] < values[2]


@pytest.mark.parametrize("kind", KINDS)
def test_a_weight_of_two_is_a_copy(kind):
    X, _ = overlapping(120)
    weights = np.random.default_rng(1).integers(1, 4, len(X))
    start = np.eye(2)[(X[:, 0] > 1).astype(int)]
    one = fit_mixture(X, weights.astype(float), start, kind, max_iter=20)
    other = fit_mixture(
        X.repeat(weights, axis=0), np.ones(weights.sum()), start.repeat(weights, axis=0), kind, max_iter=20
    )
    np.testing.assert_allclose(one.mixture.means, other.mixture.means, rtol=1e-8)
    assert one.log_likelihood == pytest.approx(other.log_likelihood)


@pytest.mark.parametrize(
    ("kind", "expected"), [("full", 29), ("student", 30), ("tied", 17), ("diagonal", 20), ("spherical", 14)]
)
def test_parameters_are_counted_as_in_the_textbook(kind, expected):
    assert n_parameters(kind, 3, 3) == expected


def test_items_on_a_line_or_on_one_point_keep_a_finite_density():
    X = np.c_[np.arange(20.0), np.zeros(20)]
    fit = fit_mixture(X, np.ones(20), np.eye(3)[[0] * 18 + [1, 2]])
    assert np.isfinite(fit.mixture.log_density(X)).all()


def test_items_far_beyond_any_number_still_get_a_membership():
    X, truth = overlapping(100)
    mixture = fit_mixture(X, np.ones(100), truth).mixture
    R = mixture.responsibilities(np.array([[1e300, -1e300], [1e9, 0.0]]))
    np.testing.assert_allclose(R.sum(axis=1), 1)


# The density that is chosen


def test_of_maxima_that_are_nearly_as_likely_the_one_without_a_spurious_component_is_taken(monkeypatch):
    rng = np.random.default_rng(0)
    X, few = rng.normal(size=(200, 1)), np.eye(2)[(np.arange(200) < 3).astype(int)]
    even = np.eye(2)[np.arange(200) % 2]
    better = {3: 0.4, 100: 0.0}  # nats of all items by which the component of three items is ahead

    def found(X, weights, start, kind, **how):
        ahead = better[int(start.sum(axis=0).min())]
        density = MixtureDensity(kind, start.mean(axis=0), np.zeros((2, 1)), np.ones((2, 1, 1)), np.inf)
        return MixtureFit(density, start, ahead - 300.0, 1)

    monkeypatch.setattr("partita.calibration.selection.fit_mixture", found)
    taken = [by_components(X, np.ones(200), both, kinds=["full"], n_seeds=0) for both in ([few, even], [even, few])]
    assert [one.mixture.shares.min() for one in taken] == [0.5, 0.5]
    better[3] = 9.0
    assert by_components(X, np.ones(200), [even, few], kinds=["full"], n_seeds=0).mixture.shares.min() == 0.015


def test_mixtures_of_a_cluster_are_fitted_a_few_ahead_and_no_more(monkeypatch):
    X, _ = overlapping(400)
    labels = (X[:, 0] > 1.2).astype(int)
    like = by_components(X, np.ones(400), [np.eye(2)[labels]])
    assert like is not None
    asked = []

    class Counted(selection.KMeans):
        def __init__(self, n_clusters, **options):
            asked.append(n_clusters)
            super().__init__(n_clusters, **options)

    monkeypatch.setattr(selection, "KMeans", Counted)
    found = by_merging(X, np.ones(400), np.eye(2)[labels], labels, like=like)
    assert found is not None
    most = max(np.bincount(found.owner)) + selection.HOPELESS + 1
    assert max(asked) <= most + selection.AHEAD < selection.MOST_OF_CLUSTER
    assert max(asked.count(m) for m in asked) <= 2  # one start for each cluster, whatever the kinds of components


def test_a_cluster_of_few_different_items_has_no_more_components_than_these(recwarn):
    Z = np.repeat([[0.0, 0.0], [1.0, 0.0], [0.3, 2.0]], 40, axis=0)
    own = selection.OwnMixtures(Z, np.ones(120), np.eye(2))
    assert own.most == 3
    own.gain("full", 1, 0.0)
    assert not recwarn.list


@pytest.mark.parametrize(("least", "steps"), [(-np.inf, 2), (np.inf, 1)])
def test_a_mixture_of_a_cluster_that_is_not_worth_it_after_a_look_is_not_followed(monkeypatch, least, steps):
    X, asked = np.random.default_rng(0).normal(size=(200, 2)), []
    fit_mixture = selection.fit_mixture
    monkeypatch.setattr(selection, "fit_mixture", lambda *a, **how: (asked.append(how), fit_mixture(*a, **how))[1])
    own = selection.OwnMixtures(X, np.ones(200), np.eye(2))
    found = own.of("full", 3, least)
    assert len(asked) == steps
    assert own.of("full", 3) is found
    if steps == 2:
        assert found.log_likelihood > own.of("full", 1).log_likelihood


def test_starts_that_are_far_behind_after_a_look_are_not_followed(monkeypatch):
    X, _ = overlapping(400)
    labels, asked = (X[:, 0] > 1.2).astype(int), []
    fit_mixture = selection.fit_mixture
    monkeypatch.setattr(
        selection, "fit_mixture", lambda *a, **how: (asked.append(how["max_iter"]), fit_mixture(*a, **how))[1]
    )
    starts = [np.eye(2)[labels], np.eye(2)[np.arange(400) % 2]]
    found = selection._likely_starts(X, np.ones(400), starts, "full", np.cov(X.T), 5)
    assert 1 <= len(found) <= selection.LIKELY
    assert asked.count(selection.LOOK["max_iter"]) == len(starts) + 5
    monkeypatch.setattr(selection, "BEHIND", 0.0)
    asked.clear()
    selection._likely_starts(X, np.ones(400), starts, "full", np.cov(X.T), 5)
    assert asked.count(selection.ROUGH["max_iter"]) == 1


def test_the_density_of_half_the_items_begins_at_that_of_all_and_at_the_half_itself(monkeypatch):
    X, truth = overlapping(1000)
    density = by_components(X, np.ones(1000), [truth])
    monkeypatch.setattr(selection, "KMeans", None)
    half = _again(density, X[::2], np.ones(500), truth[::2].argmax(axis=1), truth[::2])
    np.testing.assert_allclose(half.posterior(X), density.posterior(X), atol=0.1)
    np.testing.assert_allclose(half.subspace.centre, X[::2].mean(axis=0))  # it has seen nothing of the other half


def test_directions_in_more_columns_than_items_are_those_of_the_products_of_items(monkeypatch):
    X = np.random.default_rng(0).normal(size=(60, 90)) * np.geomspace(1, 9, 90)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, 60)
    centred = (X - np.average(X, axis=0, weights=weights)) * np.sqrt(weights / weights.sum())[:, None]
    _, spread, V = np.linalg.svd(centred)
    space = Subspace.of(X, weights)
    assert (space.rank, space.basis.shape) == (59, (90, 40))
    np.testing.assert_allclose(space.variances, spread[:59] ** 2)
    np.testing.assert_allclose(np.abs((space.basis * V[:40].T).sum(axis=0)), 1.0)
    monkeypatch.setattr(subspace, "SEEN", 30)
    assert Subspace.of(X, weights).rank == 29


def test_directions_beyond_are_those_of_the_items():
    X = np.random.default_rng(0).normal(size=(200, 4)) * [4, 3, 2, 1]
    space = Subspace.of(X, np.ones(200))
    whole = fit_mixture(space.coordinates(X, 4), np.ones(200), np.ones((200, 1)), "diagonal").log_likelihood / 200
    part = fit_mixture(space.coordinates(X, 2), np.ones(200), np.ones((200, 1)), "diagonal").log_likelihood / 200
    assert part + space.log_likelihood_beyond(2) == pytest.approx(whole)


def test_a_well_specified_mixture_comes_close_to_the_true_posterior():
    X, truth = overlapping(3000)
    model = calibrated(2).fit(X)
    assert model.calibration_.method == "components"
    assert excess_kl(model.membership_, truth) < 0.01
    assert brier_score(model.membership_, truth) < 0.01


def test_a_generated_mixture_loses_at_least_half_its_excess():
    X, truth = overlapping()
    fitted = SoftClustering(2, random_state=0, affinity="neighbors", probabilities="fitted").fit(X).membership_
    assert excess_kl(calibrated(2).fit(X).membership_, truth) < excess_kl(fitted, truth) / 2


def test_curved_clusters_stay_what_they_are():
    X, y = make_moons(400, noise=0.05, random_state=0)
    model = calibrated(2).fit(X)
    assert model.calibration_.method == "merged"
    assert model.calibration_.n_components > 2
    assert accuracy(model.labels_, y) == 1


def bent(n, seed):
    """Two clusters that are bent over each other, and the component of each item."""
    rng = np.random.default_rng(seed)
    z, Y = np.arange(n) % 2, rng.normal(size=(n, 2))
    Y[:, 1] += Y[:, 0] ** 2 - 1
    return Y * np.where(z, -1, 1)[:, None] + np.array([[0.0, 0.0], [1.0, 4.5]])[z], z


@pytest.mark.parametrize("seed", range(3))
def test_bent_clusters_are_in_pieces_and_normal_ones_are_whole(seed):
    whole = overlapping(800, seed)[0]
    for (X, z), expected in (
        (bent(800, seed), True),
        ((whole, (whole[:, 0] > 1).astype(int)), False),
    ):
        calibration = calibrate(X, np.eye(2)[z], z, None, None)[1]
        assert calibration.in_pieces == expected


def test_too_few_items_for_a_density_leave_the_fitted_membership():
    X = np.random.default_rng(0).normal(size=(6, 2)) + np.repeat([[0], [9]], 3, axis=0)
    model = calibrated(2, affinity=NeighborGraph(n_neighbors=2)).fit(X)
    assert (model.labels_[:3] == model.labels_[0]).all()
    assert math.isfinite(model.entropy_.sum())


def test_an_empty_cluster_leaves_the_reading_by_merging_out():
    X, _ = overlapping(100)
    labels = np.zeros(100, dtype=np.int64)
    components = by_components(X, np.ones(100), [np.eye(2)[labels]])
    assert components is not None
    assert by_merging(X, np.ones(100), np.eye(2)[labels], labels, like=components) is None


# Temperature and reliability


@given(memberships, st.floats(1, 25), st.floats(0, 0.5))
def test_temperature_keeps_rows_on_the_simplex_and_their_order(W, value, smoothing):
    V = Temperature(value, smoothing)(W)
    np.testing.assert_allclose(V.sum(axis=1), 1, atol=1e-12)
    assert (V >= 0).all()
    top = V[np.arange(len(V)), W.argmax(axis=1)]
    np.testing.assert_allclose(top, V.max(axis=1), atol=1e-15)


def test_temperature_is_the_one_that_was_put_in():
    rng = np.random.default_rng(0)
    honest = rng.dirichlet(np.ones(3), 4000)
    sharp = honest**3 / (honest**3).sum(axis=1, keepdims=True)
    found = fit_temperature([(sharp, honest, np.ones(4000))])
    assert found.value == pytest.approx(3, rel=0.02)
    assert fit_temperature([(honest, honest, np.ones(4000))]).value == pytest.approx(1, rel=0.02)


def test_what_halves_say_of_all_has_half_the_excess():
    assert Temperature(3.0, 0.1).of_all() == Temperature(2.0, 0.05)


def test_reliability_of_honest_pairs_is_on_the_diagonal():
    rng = np.random.default_rng(0)
    p = rng.random(100_000)
    bins = reliability(p, (rng.random(100_000) < p).astype(float))
    assert bins.error < 0.01  # ten bins of 10,000: a standard error of 0.005
    assert bins.count.sum() == 100_000


def test_pairs_are_of_different_items():
    p, q = co_membership_pairs(np.eye(4), np.eye(4), np.arange(4), np.random.default_rng(0))
    assert not p.any()
    assert not q.any()


# The estimator


@pytest.fixture(scope="module")
def iris():
    X = load_iris().data
    return calibrated(3).fit(X), X


def test_labels_are_the_argmax_and_rows_are_on_the_simplex(iris):
    model, _ = iris
    np.testing.assert_array_equal(model.labels_, model.membership_.argmax(axis=1))
    np.testing.assert_allclose(model.membership_.sum(axis=1), 1, atol=1e-12)
    assert (model.membership_ > 0).all()


def test_new_items_get_what_the_fitted_ones_got(iris):
    model, X = iris
    np.testing.assert_allclose(model.predict_proba(X), model.membership_, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_the_raw_fit_is_kept(iris):
    model, X = iris
    fitted = SoftClustering(3, random_state=0, affinity="neighbors", probabilities="fitted").fit(X)
    np.testing.assert_array_equal(model.result_.membership.matrix, fitted.membership_)
    assert model.objective_ == fitted.objective_
    assert not hasattr(fitted, "calibration_")


def test_the_same_seed_gives_the_same_answer(iris):
    model, X = iris
    np.testing.assert_array_equal(calibrated(3).fit(X).membership_, model.membership_)


def test_a_permutation_of_the_rows_permutes_the_answer(iris):
    model, X = iris
    order = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_array_equal(calibrated(3).fit(X[order]).membership_, model.membership_[order])


def test_weights_are_copies():
    X = load_iris().data
    weights = np.random.default_rng(1).integers(0, 3, len(X))
    one, other = calibrated(3).fit(X, sample_weight=weights), calibrated(3).fit(X.repeat(weights, axis=0))
    np.testing.assert_allclose(one.membership_.repeat(weights, axis=0), other.membership_, atol=1e-12)
    np.testing.assert_allclose(one.membership_.sum(axis=1), 1, atol=1e-12)  # those of weight zero included


def test_clusters_keep_their_names(iris):
    model, _ = iris
    assert (model.labels_ == model.result_.membership.labels).mean() > 0.8


def test_fitting_again_as_fitted_forgets_the_calibration():
    X = load_iris().data
    model = calibrated(3).fit(X)
    model.set_params(probabilities="fitted").fit(X)
    assert not hasattr(model, "calibration_")
    np.testing.assert_array_equal(model.membership_, model.result_.membership.matrix)


def test_without_features_the_fitted_membership_is_softened():
    X, _ = overlapping(200)
    P = np.exp(-((X[:, None] - X) ** 2).sum(axis=2))
    model = calibrated(2, affinity=Precomputed()).fit(P)
    assert model.calibration_.method == "fitted"
    raw = model.result_.membership
    expected = Temperature(model.calibration_.temperature, model.calibration_.smoothing)(raw.matrix)
    np.testing.assert_allclose(model.membership_, expected, atol=1e-12)
    assert model.predict_proba(P[:3]).shape == (3, 2)


def test_constrained_pairs_keep_one_membership():
    X, _ = overlapping(200)
    model = calibrated(2).fit(X, must_link=[[0, 1], [1, 2]])
    assert model.calibration_.method == "fitted"
    np.testing.assert_array_equal(model.membership_[0], model.membership_[2])


def test_one_cluster_is_certain():
    model = calibrated(1).fit(load_iris().data)
    np.testing.assert_allclose(model.membership_, 1)


@pytest.mark.parametrize("affinity", ["neighbors", "precomputed"])
def test_saved_and_loaded_it_says_the_same(tmp_path, affinity):
    X, _ = overlapping(200)
    given_ = X if affinity == "neighbors" else np.exp(-((X[:, None] - X) ** 2).sum(axis=2))
    model = calibrated(2, affinity=affinity).fit(given_)
    partita.save(model, tmp_path / "model")
    loaded = partita.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict_proba(given_), model.predict_proba(given_))
    np.testing.assert_array_equal(loaded.membership_, model.membership_)
    assert loaded.calibration_.method == model.calibration_.method
    assert loaded.calibration_.reliability.error == model.calibration_.reliability.error
    assert str(loaded.calibration_.alternatives) == str(model.calibration_.alternatives)


def test_that_clusters_are_in_pieces_is_saved(tmp_path):
    model = calibrated(2).fit(bent(400, 0)[0])
    partita.save(model, tmp_path / "model")
    assert model.calibration_.in_pieces
    assert partita.load(tmp_path / "model").calibration_.in_pieces


def test_a_changed_model_is_refused(tmp_path):
    X, _ = overlapping(200)
    partita.save(calibrated(2).fit(X), tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    description = json.loads(file.read_text())
    description["config"]["calibration"]["density"]["n_clusters"] = 1
    file.write_text(json.dumps(description))
    with pytest.raises(ModelError, match=r"n_clusters .*expected 2"):
        partita.load(tmp_path / "model")


def test_many_items_are_sampled_and_all_get_a_membership():
    X, truth = overlapping(9000)
    calibrator, calibration = calibrate(X, truth, truth.argmax(axis=1), None, None)
    assert calibrator(X, None).shape == (9000, 2)
    assert math.isnan(calibration.stability)


@settings(max_examples=8)
@given(st.integers(0, 100), st.integers(2, 4), st.integers(1, 4))
def test_any_small_data_set_gets_probabilities(seed, K, d):
    X = np.random.default_rng(seed).normal(size=(40, d)).round(1)
    model = calibrated(K).fit(X)
    assert np.isfinite(model.membership_).all()
    np.testing.assert_allclose(model.membership_.sum(axis=1), 1, atol=1e-12)


# Pictures and words


def test_the_reliability_diagram_names_its_axes(iris):
    pytest.importorskip("matplotlib")
    model, X = iris
    figure, axes = blank_figure()
    drawn = ReliabilityDisplay.from_estimator(model, X, ax=axes[0])
    assert drawn.figure_ is figure
    assert drawn.ax_.get_title(loc="left")
    assert drawn.ax_.get_ylabel()


def test_the_reliability_diagram_takes_predictions_and_refuses_what_are_none():
    pytest.importorskip("matplotlib")
    _, axes = blank_figure()
    drawn = ReliabilityDisplay.from_predictions([0.1, 0.9], [0, 1], ax=axes[0])
    assert drawn.reliability.error == pytest.approx(0.1)
    for p, q, words in [([0.5], [0, 1], r"\(1,\) .*\(2,\)"), ([1.5], [1], r"\[0, 1\]"), ([], [], r"\(0,\)")]:
        with pytest.raises(InputError, match=words):
            ReliabilityDisplay.from_predictions(p, q)


def test_what_is_not_calibrated_has_no_diagram():
    model = SoF(2, n_init=1, random_state=0).fit(overlapping(60)[0])
    with pytest.raises(InputError, match="probabilities='calibrated'"):
        ReliabilityDisplay.from_estimator(model)
    with pytest.raises(InputError, match="items"):
        ReliabilityDisplay.from_estimator(calibrated(1).fit(load_iris().data))


def test_doubtful_clusters_are_a_caution():
    tried = (Alternative("components", -1.0, 3, 0.9), Alternative("merged", -2.0, 5, 0.99))
    said = calibration_sentences(Calibration("components", "student", 3, 2, 1.5, 0.01, 0.6, None, tried))
    assert [s.tone for s in said].count("caution") == 1
    assert "60%" in said[-1].text
    assert any("merged" in s.text for s in said)
    unknown = calibration_sentences(Calibration("fitted", "", 0, 0, 1.0, 1e-4, math.nan, None, ()))
    assert "held out" in unknown[-1].text


def test_ctrl_c_while_calibrating_keeps_the_fit_or_is_passed_on(monkeypatch):
    def interrupted(*_args, **_options):
        raise KeyboardInterrupt

    X = load_iris().data
    monkeypatch.setattr("partita.estimators.pipeline._calibrated", interrupted)
    model = calibrated(3, on_interrupt="best").fit(X)
    assert model.result_.status == "interrupted"
    np.testing.assert_array_equal(model.membership_, model.result_.membership.matrix)
    assert model.predict_proba(X[:2]).shape == (2, 3)
    with pytest.raises(KeyboardInterrupt):
        calibrated(3).fit(X)


def test_memberships_averaged_over_resamples_are_aligned_softer_and_reproducible(tmp_path):
    rng = np.random.default_rng(3)
    truth = np.repeat([0, 1, 2], 80)
    X = gaussians(truth, [[0.0, 0.0], [3.0, 0.0], [0.0, 9.0]], rng)
    fitted = SoftClustering(3, random_state=0, affinity="neighbors", probabilities="fitted").fit(X)
    model = SoftClustering(3, probabilities="averaged", random_state=0, affinity="neighbors").fit(X)
    W = model.membership_
    assert np.abs(W.sum(axis=1) - 1).max() < 1e-12
    assert W.min() > 0
    np.testing.assert_array_equal(model.labels_, W.argmax(axis=1))
    assert accuracy(model.labels_, fitted.labels_) > 0.95
    np.testing.assert_array_equal(model.result_.membership.matrix, fitted.membership_)
    assert model.calibration_.method == "averaged"
    assert model.calibration_.temperature == 1.0
    assert model.calibration_.reliability is not None
    # the two that touch are less sure than the one that stands apart
    entropy = model.entropy_
    assert entropy[truth < 2].mean() > 1.1 * entropy[truth == 2].mean()
    again = SoftClustering(3, probabilities="averaged", random_state=0, affinity="neighbors").fit(X)
    np.testing.assert_array_equal(again.membership_, W)
    order = rng.permutation(240)
    permuted = SoftClustering(3, probabilities="averaged", random_state=0, affinity="neighbors").fit(X[order])
    np.testing.assert_allclose(permuted.membership_, W[order], atol=1e-6)
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict_proba(X[:5]), model.predict_proba(X[:5]))


def test_averaging_names_every_resample_alike():
    truth = np.repeat([0, 1, 2], 30)
    W = 0.8 * np.eye(3)[truth] + 0.2 / 3
    calls = []

    def refit(items):
        order = np.random.default_rng(len(calls)).permutation(3)
        calls.append(len(items))
        return truth[items], W[items][:, order], lambda others: W[others][:, order]

    np.testing.assert_allclose(averaged_membership(refit, W, None), W, atol=1e-12)
    assert calls == [54] * 20

    def too_few(items):
        raise InputError("more clusters than items")

    assert averaged_membership(too_few, W, None) is None


def test_no_mixture_of_more_components_is_fitted_where_none_is_to_be_handed_out(monkeypatch):
    X = np.random.default_rng(0).normal(size=(80, 2))
    own = [OwnMixtures(part, np.ones(40), np.eye(2)) for part in (X[:40], X[40:])]
    asked = []
    monkeypatch.setattr(OwnMixtures, "gain", lambda *how: asked.append(how) or 0.0)
    assert list(_handed_out(own, "full", 2)) == [[1, 1]]
    assert asked == []
    assert list(_handed_out(own, "full", 3)) == [[1, 1]]
    assert asked
