"""Mixtures by products of monomials: the same numbers as the textbook's, component by component."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm
from sklearn.mixture import GaussianMixture

from partita.kernels.ellipsoids import climb, log_joint, normalised

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
    ours = climb(X, np.ones(400), start, shape, scatter=np.cov(X.T), ridge=1e-6, max_iter=50, tol=0.0)
    theirs = GaussianMixture(3, covariance_type=THEIRS[shape], reg_covar=1e-6, tol=0.0, max_iter=50)
    theirs._initialize_parameters = lambda X, random_state, xp=None: theirs._initialize(X, start)
    theirs.fit(X)
    np.testing.assert_allclose(ours.components.means, theirs.means_, atol=1e-6)
    np.testing.assert_allclose(ours.responsibilities, theirs.predict_proba(X), atol=1e-5)
    assert ours.log_likelihood / 400 == pytest.approx(theirs.score(X), abs=1e-7)


@pytest.mark.parametrize("shape", [*THEIRS, "student", "skewed"])
def test_the_densities_of_the_items_are_those_of_the_components_handed_back(shape):
    X, labels = far_apart()
    found = climb(X, np.ones(400), np.eye(3)[labels], shape, scatter=np.cov(X.T), ridge=1e-6, max_iter=9, tol=0.0)
    R, log_density = normalised(log_joint(found.components, X))
    np.testing.assert_allclose(found.responsibilities, R, atol=1e-7)
    assert found.log_likelihood == pytest.approx(log_density.sum(), rel=1e-8)


def test_the_log_joint_is_the_textbook_one():
    X, labels = far_apart()
    found = climb(X, np.ones(400), np.eye(3)[labels], "full", scatter=np.cov(X.T), ridge=1e-6, max_iter=9, tol=0.0)
    for m, (share, mean, U) in enumerate(zip(*found.components[:3])):
        precision = U @ U.T
        by_hand = np.log(share) + multivariate_normal(mean, np.linalg.inv(precision)).logpdf(X)
        np.testing.assert_allclose(log_joint(found.components, X)[:, m], by_hand, rtol=1e-6)


def leaning(n=500, seed=0):
    """Items of two clusters with a tail to one side each."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    X = rng.normal(size=(n, 2)) + np.abs(rng.normal(size=(n, 1))) * np.array([[4.0, 2.0], [-1.0, 5.0]])[labels]
    return X + np.array([[0.0, 0.0], [9.0, 9.0]])[labels], labels


def test_a_skewed_log_joint_is_the_textbook_one():
    X, labels = leaning()
    found = climb(X, np.ones(500), np.eye(2)[labels], "skewed", scatter=np.cov(X.T), max_iter=50, tol=0.0)
    shares, means, whiteners, _, skew = found.components
    for m in range(2):
        Omega = np.linalg.inv(whiteners[m] @ whiteners[m].T)
        side = norm.logcdf((X - means[m]) @ whiteners[m] @ skew[m])
        by_hand = np.log(2 * shares[m]) + multivariate_normal(means[m], Omega).logpdf(X) + side
        np.testing.assert_allclose(log_joint(found.components, X)[:, m], by_hand, rtol=1e-6)


def test_skewed_components_find_the_tails_that_were_drawn():
    X, labels = leaning(20_000)
    found = climb(X, np.ones(20_000), np.eye(2)[labels], "skewed", scatter=np.cov(X.T), max_iter=300, tol=0.0)
    _, means, whiteners, _, skew = found.components
    eta = skew / np.sqrt(1 + (skew**2).sum(axis=1, keepdims=True))
    tails = np.linalg.solve(whiteners.transpose(0, 2, 1), eta[:, :, None])[:, :, 0]
    np.testing.assert_allclose(tails, [[4, 2], [-1, 5]], atol=0.2)  # 10,000 items each, standard errors of .03
    np.testing.assert_allclose(means, [[0, 0], [9, 9]], atol=0.15)


def test_a_skewed_mixture_turns_with_the_items():
    X, labels = leaning()
    A = np.array([[-2.0, 0.5], [0.3, 1.0]])
    one, other = (
        climb(Y, np.ones(500), np.eye(2)[labels], "skewed", scatter=np.cov(Y.T), max_iter=30, tol=0.0)
        for Y in (X, X @ A.T + 3)
    )
    np.testing.assert_allclose(other.components.means, one.components.means @ A.T + 3, rtol=1e-6)
    np.testing.assert_allclose(other.responsibilities, one.responsibilities, atol=1e-8)


def test_items_that_coincide_are_a_component_of_the_ridge_alone():
    X = np.repeat([[0.0, 0.0], [5.0, 1.0]], 20, axis=0)
    for shape in [*THEIRS, "skewed"]:
        start = np.eye(2)[np.repeat([0, 1], 20)]
        found = climb(X, np.ones(40), start, shape, scatter=np.eye(2), ridge=1e-4, max_iter=20, tol=1e-9)
        np.testing.assert_allclose(found.responsibilities, start, atol=1e-9)
        assert np.isfinite(found.log_likelihood)
