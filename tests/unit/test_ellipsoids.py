"""Mixtures by products of monomials: the same numbers as the textbook's, component by component."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import gammaln
from scipy.stats import f, multivariate_normal, t
from sklearn.mixture import GaussianMixture

from partita.kernels import ellipsoids
from partita.kernels.ellipsoids import Items, climb, log_joint, normalised

THEIRS = {"full": "full", "tied": "tied", "diagonal": "diag", "spherical": "spherical"}


def far_apart(n=400):
    """Items of three unlike clusters, far from the origin, one of them narrow."""
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=n)
    spread = np.array([[3.0, 1.0, 1.0], [1.0, 1.0, 1.0], [0.01, 0.02, 0.01]])
    centres = np.array([[0.0, 0, 0], [3, 3, 0], [40, 0, 5]])
    return 100 + centres[labels] + rng.normal(size=(n, 3)) * spread[labels], labels


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fifty steps of both, not to the end
@pytest.mark.parametrize("shape", THEIRS)
def test_is_the_mixture_of_scikit_learn_from_the_same_start(shape):
    X, labels = far_apart()
    start = np.eye(3)[labels] * 0.8 + 0.2 / 3
    ours = climb(Items.of(X, np.ones(400), shape, scatter=np.cov(X.T), ridge=1e-6), start, max_iter=50, tol=0.0)
    theirs = GaussianMixture(3, covariance_type=THEIRS[shape], reg_covar=1e-6, tol=0.0, max_iter=50)
    theirs._initialize_parameters = lambda X, random_state, xp=None: theirs._initialize(X, start)
    theirs.fit(X)
    np.testing.assert_allclose(ours.components.means, theirs.means_, atol=1e-6)
    np.testing.assert_allclose(ours.responsibilities, theirs.predict_proba(X), atol=1e-5)
    assert ours.log_likelihood / 400 == pytest.approx(theirs.score(X), abs=1e-7)


@pytest.mark.parametrize("shape", [*THEIRS, "student"])
def test_the_densities_of_the_items_are_those_of_the_components_handed_back(shape):
    X, labels = far_apart()
    found = climb(
        Items.of(X, np.ones(400), shape, scatter=np.cov(X.T), ridge=1e-6), np.eye(3)[labels], max_iter=9, tol=0.0
    )
    R, log_density = normalised(log_joint(found.components, X))
    np.testing.assert_allclose(found.responsibilities, R, atol=1e-7)
    assert found.log_likelihood == pytest.approx(log_density.sum(), rel=1e-8)


def test_the_log_joint_is_the_textbook_one():
    X, labels = far_apart()
    found = climb(
        Items.of(X, np.ones(400), "full", scatter=np.cov(X.T), ridge=1e-6), np.eye(3)[labels], max_iter=9, tol=0.0
    )
    for m, (share, mean, U) in enumerate(zip(*found.components[:3])):
        precision = U @ U.T
        by_hand = np.log(share) + multivariate_normal(mean, np.linalg.inv(precision)).logpdf(X)
        np.testing.assert_allclose(log_joint(found.components, X)[:, m], by_hand, rtol=1e-6)


@pytest.mark.parametrize("shape", [*THEIRS, "student"])
def test_a_weight_is_so_many_copies(shape):
    X, labels = far_apart(350)  # more than are finished at a time, and no multiple of it
    copies = np.random.default_rng(2).integers(1, 4, size=350)
    start, beliefs = np.eye(3)[labels] * 0.7 + 0.1, np.log(np.random.default_rng(3).dirichlet([1, 1, 1], size=350))
    scatter, how = np.cov(X.T), {"pseudo": 0.5, "pseudo_items": 1.0, "max_iter": 12, "tol": 0.0}
    once = climb(Items.of(X, copies.astype(float), shape, scatter=scatter), start, log_prior=beliefs, **how)
    rows = np.repeat(np.arange(350), copies)
    items = Items.of(X[rows], np.ones(len(rows)), shape, scatter=scatter)
    often = climb(items, start[rows], log_prior=beliefs[rows], **how)
    np.testing.assert_allclose(once.components.shares, often.components.shares, rtol=1e-9)
    np.testing.assert_allclose(once.components.means, often.components.means, rtol=1e-9)
    np.testing.assert_allclose(once.responsibilities[rows], often.responsibilities, atol=1e-9)
    assert once.components.freedom == pytest.approx(often.components.freedom, rel=1e-9)
    assert once.log_likelihood == pytest.approx(often.log_likelihood, rel=1e-9)


@pytest.mark.parametrize("shape", THEIRS)
def test_one_component_has_the_scatter_of_all_items_and_of_those_added(shape):
    X, _ = far_apart(50)
    added = np.diag([4.0, 1.0, 0.25])
    how = {"pseudo": 3.0, "pseudo_items": 7.0, "max_iter": 2, "tol": 0.0}
    found = climb(Items.of(X, np.ones(50), shape, scatter=added, ridge=0.1), np.ones((50, 1)), **how).components
    covariance = (50 * np.cov(X.T, bias=True) + 3.0 * added) / 57 + 0.1 * np.eye(3)
    if shape in ("diagonal", "spherical"):
        variances = covariance.diagonal()
        expected = variances if shape == "diagonal" else np.full(3, variances.mean())
        np.testing.assert_allclose(found.whiteners[0] ** -2, expected, rtol=1e-6)
    else:
        U = found.whiteners[0]
        np.testing.assert_allclose(np.linalg.inv(U @ U.T), covariance, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("shape", ["diagonal", "spherical"])
def test_what_rounding_leaves_of_equal_items_is_no_variance(shape):
    places = np.random.default_rng(0).normal(size=(20, 3))
    start = np.eye(20)[np.repeat(np.arange(20), 7)]
    items = Items.of(np.repeat(places, 7, axis=0), np.ones(140), shape, scatter=np.eye(3), ridge=1e-100)
    found = items.maximised(np.ascontiguousarray(start.T), np.full(20, 7.0), np.inf, 0.0, 0.0).components
    assert np.isfinite(found.whiteners).all()


def test_what_is_believed_of_the_items_guides_the_steps_and_is_left_out_in_the_end():
    X, labels = far_apart()
    items = Items.of(X, np.ones(400), "full", scatter=np.cov(X.T), ridge=1e-6)
    beliefs = np.log(np.eye(3)[labels] * 0.9 + 0.1 / 3)
    found = climb(items, np.full((400, 3), 1 / 3), log_prior=beliefs, max_iter=9, tol=0.0)
    R, log_density = normalised(log_joint(found.components, X))
    assert (found.responsibilities.argmax(axis=1) == labels).mean() > 0.95
    np.testing.assert_allclose(found.responsibilities, R, atol=1e-7)
    assert found.log_likelihood == pytest.approx(log_density.sum(), rel=1e-8)


@pytest.mark.parametrize("shape", ["full", "student"])
def test_a_covariance_of_fewer_items_than_axes_is_refused(shape):
    X = np.random.default_rng(0).normal(size=(6, 3))
    start = np.eye(2)[[0, 0, 1, 1, 1, 1]]
    with pytest.raises(np.linalg.LinAlgError):
        climb(Items.of(X, np.ones(6), shape, scatter=np.eye(3)), start, max_iter=3, tol=0.0)


def test_items_that_coincide_are_a_component_of_the_ridge_alone():
    X = np.repeat([[0.0, 0.0], [5.0, 1.0]], 20, axis=0)
    for shape in THEIRS:
        start = np.eye(2)[np.repeat([0, 1], 20)]
        found = climb(Items.of(X, np.ones(40), shape, scatter=np.eye(2), ridge=1e-4), start, max_iter=20, tol=1e-9)
        np.testing.assert_allclose(found.responsibilities, start, atol=1e-9)
        assert np.isfinite(found.log_likelihood)


def test_one_student_component_is_the_most_likely_one():
    X = t.rvs(4.0, loc=3.0, scale=2.0, size=(2000, 1), random_state=0)
    found = climb(Items.of(X, np.ones(2000), "student", scatter=np.eye(1)), np.ones((2000, 1)), max_iter=300, tol=1e-10)
    freedom, mean, scale = t.fit(X.ravel())
    assert found.components.freedom == pytest.approx(freedom, rel=0.02)
    assert found.components.means[0, 0] == pytest.approx(mean, abs=1e-3)
    assert 1 / found.components.whiteners[0, 0, 0] == pytest.approx(scale, rel=5e-3)
    assert found.log_likelihood >= t.logpdf(X, freedom, mean, scale).sum() - 0.01


@pytest.mark.parametrize("begun", [2.05, 4.0, 60.0, 200.0])
@pytest.mark.parametrize("freedom", [1.0, 3.0, 12.0, 300.0])
def test_degrees_of_freedom_are_where_the_likelihood_is_largest_wherever_the_search_begins(freedom, begun):
    squared = 5 * f.rvs(5, freedom, size=(2, 800), random_state=0)  # |x|^2 of Student vectors in five dimensions
    R = np.random.default_rng(1).dirichlet([0.2, 0.2], size=800).T.copy()

    def loss(v):
        of_each = gammaln((v + 5) / 2) - gammaln(v / 2) - 2.5 * np.log(v) - (v + 5) / 2 * np.log1p(squared / v)
        return -(R * of_each).sum()

    best = minimize_scalar(loss, bounds=ellipsoids.FREEDOMS, method="bounded", options={"xatol": 1e-6}).x
    found = ellipsoids._freedom(R, np.ones(800), squared, begun, 5)
    assert found == pytest.approx(best, rel=ellipsoids.PRECISION)


def test_the_likelihood_of_student_components_never_falls():
    X, labels = far_apart()
    rng = np.random.default_rng(1)
    X[:40] += rng.standard_t(2, size=(40, 3)) * 5
    values = [
        climb(
            Items.of(X, np.ones(400), "student", scatter=np.cov(X.T)), np.eye(3)[labels], max_iter=steps, tol=0.0
        ).log_likelihood
        for steps in range(1, 25)
    ]
    assert (np.diff(values) >= -1e-6).all()


def test_components_without_heavy_tails_are_gaussian_after_a_few_steps():
    X = np.random.default_rng(0).normal(size=(1000, 4))
    found = climb(
        Items.of(X, np.ones(1000), "student", scatter=np.cov(X.T)), np.ones((1000, 1)), max_iter=300, tol=1e-6
    )
    assert found.components.freedom == pytest.approx(200, rel=1e-6)
    assert found.n_iter <= 10


@pytest.mark.parametrize("shape", ["full", "student"])
def test_responsibilities_that_rounding_loses_change_nothing(monkeypatch, shape):
    X, labels = far_apart()
    items, found = Items.of(X, np.ones(400), shape, scatter=np.cov(X.T)), {}
    for least in (ellipsoids.LOST, -np.inf):
        monkeypatch.setattr(ellipsoids, "LOST", least)
        found[least] = climb(items, np.eye(3)[labels] * 0.8 + 0.2 / 3, max_iter=20, tol=0.0)
    some, all_of_them = found.values()
    assert (some.responsibilities == 0.0).sum() > (all_of_them.responsibilities == 0.0).sum()
    np.testing.assert_allclose(some.responsibilities, all_of_them.responsibilities, atol=1e-14)
    assert some.log_likelihood == pytest.approx(all_of_them.log_likelihood, rel=1e-13)
