"""Mardia's tests of a mixture: their level on items from it, their power on others, and what they do not depend on."""

import numpy as np
import pytest

from partita.ensemble.normality import as_normal_as_can_be, mardia
from partita.kernels.ellipsoids import Ellipsoids, Items, climb

TWO = np.array([[0.0, 0.0], [6.0, 0.0]])


def fitted(Z, labels, freedom=np.inf):
    """Components with the moments of labelled items, and responsibilities of 0 and 1."""
    R = np.eye(int(labels.max()) + 1)[labels]
    means = np.array([Z[labels == k].mean(axis=0) for k in range(R.shape[1])])
    scale = 1.0 if np.isinf(freedom) else (freedom - 2) / freedom
    whiteners = np.array(
        [np.linalg.inv(np.linalg.cholesky(scale * np.cov(Z[labels == k].T, bias=True))).T for k in range(R.shape[1])]
    )
    return Ellipsoids(R.mean(axis=0), means, whiteners, freedom), R


def p_of(Z, labels, freedom=np.inf):
    return mardia(Z, *fitted(Z, labels, freedom)).both


@pytest.mark.parametrize("q", [2, 5])
def test_items_of_the_mixture_are_seldom_rejected(q):
    rng = np.random.default_rng(q)
    labels = np.repeat([0, 1], 300)
    p = [p_of(rng.normal(size=(600, q)) + 9.0 * labels[:, None], labels) for _ in range(60)]
    # Twice the smaller of two, so that it is conservative and no more than that.
    assert np.mean(np.array(p) <= 0.05) <= 0.12
    assert np.mean(p) > 0.3


def test_the_most_degrees_of_freedom_that_are_estimated_are_those_of_a_normal_distribution():
    rng = np.random.default_rng(0)
    Z, labels = rng.normal(size=(2000, 8)), np.zeros(2000, dtype=np.int64)
    assert mardia(Z, *fitted(Z, labels, 200.0)) == pytest.approx(mardia(Z, *fitted(Z, labels)))
    found = climb(
        Items.of(Z, np.ones(2000), "student", scatter=np.cov(Z.T)), np.ones((2000, 1)), max_iter=100, tol=1e-6
    )
    assert found.components.freedom == pytest.approx(200.0)
    assert mardia(Z, found.components, found.responsibilities).kurtosis > 0.05


def test_items_of_student_components_are_not_rejected_with_their_degrees_of_freedom():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 400)
    p = []
    for _ in range(20):
        Z = rng.normal(size=(800, 2)) / np.sqrt(rng.chisquare(6, 800) / 6)[:, None] + TWO[labels]
        p.append((p_of(Z, labels, 6.0), p_of(Z, labels)))
    assert np.median([own for own, _ in p]) > 0.01
    assert np.median([normal for _, normal in p]) < 1e-6


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.random((500, 2)),
        lambda rng: rng.gamma(2.0, size=(500, 2)),
        lambda rng: np.column_stack([(z := rng.normal(size=500)), z**2 + 0.3 * rng.normal(size=500)]),
    ],
    ids=["box", "skewed", "bent"],
)
def test_other_shapes_are_rejected(draw):
    Z = draw(np.random.default_rng(0))
    assert p_of(Z, np.zeros(len(Z), dtype=np.int64)) < 1e-4


def test_a_box_has_light_tails_and_is_not_skewed():
    of_box = mardia(Z := np.random.default_rng(0).random((500, 2)), *fitted(Z, np.zeros(500, dtype=np.int64)))
    assert of_box.kurtosis < 1e-4
    assert of_box.skewness > 0.05


def test_units_and_the_order_of_components_do_not_matter():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 100)
    Z = rng.normal(size=(200, 2)) + TWO[labels]
    p = p_of(Z, labels)
    assert p_of(Z @ np.array([[3.0, 1.0], [0.0, 0.01]]) + 5.0, labels) == pytest.approx(p)
    assert p_of(Z, 1 - labels) == pytest.approx(p)


def test_components_of_few_items_are_not_tested():
    Z = np.random.default_rng(0).random((40, 6))
    assert p_of(Z, np.repeat(np.arange(4), 10)) == 1.0


@pytest.mark.parametrize("draw", ["exponential", "normal", "lognormal"])
def test_what_transformed_columns_add_is_the_logarithm_of_their_derivatives(draw):
    X = getattr(np.random.default_rng(0), draw)(size=(400, 2))
    columns, added = as_normal_as_can_be(X)
    order = np.argsort(X, axis=0)
    steps = [np.diff(np.take_along_axis(Y, order, axis=0), axis=0) for Y in (columns, X)]
    assert (steps[0] > 0).all()
    slopes = np.log(steps[0] / steps[1])  # between neighbours; at the items nearly the mean of those on both sides
    at_items = (np.r_[slopes[:1], slopes] + np.r_[slopes, slopes[-1:]]).sum() / 2
    assert added == pytest.approx(at_items - np.log(400), abs=3.0)


def test_transformed_columns_do_not_depend_on_units():
    X = np.random.default_rng(1).gamma(2.0, size=(300, 3))
    columns, added = as_normal_as_can_be(X)
    again, of_other_units = as_normal_as_can_be(1000.0 * X - 7.0)
    np.testing.assert_allclose(again, columns, rtol=1e-4, atol=1e-4)
    assert of_other_units == pytest.approx(added - 900 * np.log(1000.0))
