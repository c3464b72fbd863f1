"""What every objective keeps: value, gradient, scale and the segment between two memberships, against brute force."""

from itertools import chain, combinations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize_scalar

from partita.affinity import DenseAffinity, DiffusedAffinity, LowRankAffinity, SparseAffinity, Unobserved
from partita.objectives import Objective, Problem
from synthetic import random_affinity

OBJECTIVES = sorted(Objective.registry)
N, K = 9, 3
# Values of order 10 from sums of N^2 terms.
ROUNDING = 1e-10


def planted(rng, weighted, holes, kind="dense"):
    """A problem's parts: affinity, full matrix, mask of observed pairs, item weights."""
    matrix = random_affinity(N, share=0.7, seed=rng)
    observed = np.ones((N, N), dtype=bool)
    unobserved = None
    if holes:
        for i, j in ((0, 4), (2, 3), (7, 8), (5, 5), (0, 1)):
            observed[i, j] = observed[j, i] = False
        order = rng.permutation((~observed).sum())  # they may come in any order
        unobserved = Unobserved(*(index[order] for index in np.nonzero(~observed)))
        matrix = matrix * observed
    w = rng.random(N) * 2 + 0.2 if weighted else None
    P = DenseAffinity(matrix, unobserved) if kind == "dense" else SparseAffinity(sp.csr_array(matrix), unobserved)
    return P, matrix, observed, w


def brute_value(matrix, observed, w, W, a):
    root = np.sqrt(np.ones(N) if w is None else w)
    difference = root[:, None] * (matrix - (W * a) @ W.T) * root
    return float((difference[observed] ** 2).sum())


cases = pytest.mark.parametrize(
    ("weighted", "holes", "kind"),
    [
        (False, False, "dense"),
        (True, False, "dense"),
        (False, True, "dense"),
        (True, True, "dense"),
        (True, True, "sparse"),
    ],
)
objectives = pytest.mark.parametrize("name", OBJECTIVES)


@cases
@objectives
def test_the_value_is_the_weighted_sum_of_squares_over_observed_pairs(name, weighted, holes, kind):
    rng = np.random.default_rng(1)
    for _ in range(5):
        P, matrix, observed, w = planted(rng, weighted, holes, kind)
        problem = Problem(P, Objective.registry[name](), w)
        point = problem.evaluate(rng.dirichlet(np.ones(K), size=N))
        expected = brute_value(matrix, observed, w, point.W, point.scale)
        assert problem.total(point) == pytest.approx(expected, rel=ROUNDING)


@cases
@objectives
def test_the_gradient_is_the_finite_difference_of_the_value(name, weighted, holes, kind):
    rng = np.random.default_rng(2)
    step = 1e-5  # error of a central difference: step^2 f''' ~ 1e-9, and rounding eps |f| / step ~ 1e-10
    for _ in range(3):
        P, _, _, w = planted(rng, weighted, holes, kind)
        problem = Problem(P, Objective.registry[name](), w)
        W = rng.dirichlet(np.full(K, 3.0), size=N)
        # In the metric of the weights: the plain derivative is w_i times the row of the gradient.
        derivative = problem.gradient(problem.evaluate(W)) * (1.0 if w is None else w[:, None])
        numeric = np.empty((N, K))
        for i in range(N):
            for k in range(K):
                moved = np.zeros((N, K))
                moved[i, k] = step
                numeric[i, k] = (problem.evaluate(W + moved).value - problem.evaluate(W - moved).value) / (2 * step)
        np.testing.assert_allclose(derivative, numeric, rtol=1e-6, atol=1e-7)
        # and `inner` is the metric in which both belong together
        direction = rng.normal(size=(N, K))
        assert problem.inner(problem.gradient(problem.evaluate(W)), direction) == pytest.approx(
            (numeric * direction).sum(), rel=1e-6, abs=1e-6
        )


@cases
@objectives
def test_relabelling_the_clusters_relabels_the_gradient_and_leaves_the_value(name, weighted, holes, kind):
    rng = np.random.default_rng(3)
    P, _, _, w = planted(rng, weighted, holes, kind)
    problem = Problem(P, Objective.registry[name](), w)
    W, order = rng.dirichlet(np.ones(K), size=N), [2, 0, 1]
    first, second = problem.evaluate(W), problem.evaluate(W[:, order])
    assert second.value == pytest.approx(first.value, rel=ROUNDING)
    np.testing.assert_allclose(second.scale, first.scale[order], rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(problem.gradient(second), problem.gradient(first)[:, order], rtol=1e-8, atol=1e-9)


@objectives
def test_scales_differ_only_where_they_are_said_to(name):
    rng = np.random.default_rng(7)
    objective = Objective.registry[name]()
    differ = []
    for _ in range(20):
        gram = np.cov(rng.normal(size=(K, 8))) + 0.1
        differ.append(np.ptp(objective.scale(rng.random(K), gram * gram)) > 0)
    assert any(differ) == (objective.scales == "own")


def over_all_supports(c, H):
    """min a^T H a - 2 a^T c over a >= 0, exactly: the best stationary point over every set of positive entries."""
    n = len(c)
    best = 0.0
    for support in map(list, chain.from_iterable(combinations(range(n), r) for r in range(1, n + 1))):
        a = np.linalg.lstsq(H[np.ix_(support, support)], c[support], rcond=None)[0]
        if (a >= 0).all():
            best = min(best, float(a @ H[np.ix_(support, support)] @ a - 2 * a @ c[support]))
    return best


def common(c, H):
    """min over one alpha >= 0."""

    def value(log_alpha):
        alpha = np.exp(log_alpha)
        return alpha**2 * H.sum() - 2 * alpha * c.sum()

    return min(0.0, float(minimize_scalar(value, bounds=(-30, 10), method="bounded", options={"xatol": 1e-10}).fun))


# The least value over the scales that an objective says are allowed, by another road.
LEAST = {"common": common, "own": over_all_supports}


@objectives
def test_the_scale_is_the_best_one_allowed(name):
    objective = Objective.registry[name]()
    rng = np.random.default_rng(4)
    at_bound, scales = 0, {}
    for trial in range(60):
        k = int(rng.integers(1, 5))
        gram = rng.random((6, k))
        H = (gram.T @ gram) ** 2
        c = rng.normal(size=k) * H.diagonal()
        if trial % 3 == 0 and k > 1:  # two clusters coincide
            H[:, 1], c[1] = H[:, 0], c[0]
            H[1] = H[0]
        if trial % 10 == 9:
            c = -np.abs(c)
        a = objective.scale(c, H)
        assert a.shape == (k,)
        at_bound += bool((a == 0).any())
        found = float(a @ H @ a - 2 * a @ c)
        # Where clusters coincide H is singular: eigenvalues below 1e-20 of the largest are left out, and no more.
        rounding = 1e-8 * (1 + np.abs(c).max())
        if objective.scales in LEAST:
            assert found == pytest.approx(LEAST[objective.scales](c, H), rel=1e-8, abs=rounding)
        # A scale that is the best one elsewhere is allowed here.
        for other in scales.setdefault(k, []):
            assert found <= float(other @ H @ other - 2 * other @ c) + rounding
        scales[k].append(a)
    if objective.scales in LEAST:
        assert at_bound > 3  # the bound was put to the test
    else:
        assert all(np.ptp(np.stack(found), axis=0).max() == 0 for found in scales.values())


@objectives
def test_a_scale_of_nothing_is_finite(name):
    a = Objective.registry[name]().scale(np.zeros(3), np.zeros((3, 3)))
    assert np.isfinite(a).all()
    with_empty_cluster = np.diag([2.0, 0.0, 1.0])
    assert np.isfinite(Objective.registry[name]().scale(np.array([1.0, 0.0, 1.0]), with_empty_cluster)).all()


@cases
@objectives
def test_a_point_between_two_costs_no_product_and_is_what_evaluating_it_gives(name, weighted, holes, kind):
    rng = np.random.default_rng(5)
    P, _, _, w = planted(rng, weighted, holes, kind)
    problem = Problem(P, Objective.registry[name](), w)
    first, second = (problem.evaluate(rng.dirichlet(np.ones(K), size=N)) for _ in range(2))
    for t in (-0.3, 0.0, 0.37, 1.0, 1.6):
        counted = problem.n_products
        between = problem.between(first, second, t)
        gradient = problem.gradient(between)
        assert problem.n_products == counted
        again = problem.evaluate(first.W + t * (second.W - first.W))
        assert between.value == pytest.approx(again.value, rel=1e-9, abs=1e-9)
        np.testing.assert_allclose(between.product, again.product, atol=ROUNDING)
        np.testing.assert_allclose(between.scale, again.scale, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(gradient, problem.gradient(again), atol=1e-8)


@cases
@objectives
def test_the_best_point_between_two_is_the_lowest_of_the_segment(name, weighted, holes, kind):
    rng = np.random.default_rng(6)
    for trial in range(9):
        P, _, _, w = planted(rng, weighted, holes, kind)
        problem = Problem(P, Objective.registry[name](), w)
        concentration = (0.1, 0.3, 1.0)[trial % 3]  # near the corners a segment has several minima
        first, second = (problem.evaluate(rng.dirichlet(np.full(K, concentration), size=N)) for _ in range(2))
        counted = problem.n_products
        best = problem.best_between(first, second)
        assert problem.n_products == counted
        direction = second.W - first.W
        t = np.vdot(best.W - first.W, direction) / np.vdot(direction, direction)
        assert -1e-12 <= t <= 1 + 1e-12
        np.testing.assert_allclose(best.W, first.W + t * direction, atol=1e-12)
        assert problem.evaluate(best.W).value == pytest.approx(best.value, rel=1e-9)
        grid = [problem.between(first, second, s).value for s in np.linspace(0, 1, 201)]
        # t is known to 1e-9 of the segment at least, and the value is flat there. Values are sums of N^2 terms.
        assert best.value <= min(grid) + 1e-9 * np.ptp(grid) + 1e-13 * abs(best.value)
        assert best.value <= min(first.value, second.value)
        # From the lowest point on, either way and seen from either end, the lowest is the end.
        for ends in ((best, second), (second, best), (first, best)):
            assert problem.best_between(*ends).value <= best.value


@cases
@objectives
def test_a_segment_has_the_values_of_its_points(name, weighted, holes, kind):
    """The polynomials of c and H against evaluating the memberships, on long segments and on short ones."""
    rng = np.random.default_rng(9)
    P, _, _, w = planted(rng, weighted, holes, kind)
    problem = Problem(P, Objective.registry[name](), w)
    first = problem.evaluate(rng.dirichlet(np.ones(K), size=N))
    far = rng.dirichlet(np.ones(K), size=N)
    for length in (1.0, 1e-3, 1e-6):
        second = problem.evaluate(first.W + length * (far - first.W))
        segment = problem.segment(first, second)
        for t in (0.0, 0.3, 0.8, 1.0):
            point = problem.evaluate(first.W + t * (second.W - first.W))
            assert segment.value(problem.objective, t) == pytest.approx(point.value, rel=1e-11)
        # The slope at the first end is that of the gradient; of a short segment it is a short one.
        expected = problem.inner(problem.gradient(first), second.W - first.W)
        slope = (segment.value(problem.objective, 1e-6) - segment.value(problem.objective, 0.0)) / 1e-6
        assert slope == pytest.approx(expected, abs=1e-3 * length + 1e-7)  # rounding of the values over the step


@objectives
def test_the_points_where_a_segment_is_stationary_are_known_however_short_it_is(name):
    """On the way across the minimum of a long segment: the parts of it get the same point."""
    rng = np.random.default_rng(10)
    P, _, _, _ = planted(rng, False, False)
    problem = Problem(P, Objective.registry[name]())
    first, second = (problem.evaluate(rng.dirichlet(np.full(K, 3.0), size=N)) for _ in range(2))
    found = problem.best_between(first, second)
    direction = second.W - first.W
    t = np.vdot(found.W - first.W, direction) / np.vdot(direction, direction)
    assert 0.05 < t < 0.95
    for length in (1e-2, 1e-4, 1e-6):
        low, high = (problem.between(first, second, t + side * length) for side in (-0.3, 0.7))
        part = problem.best_between(low, high)
        at = np.vdot(part.W - low.W, direction) / np.vdot(direction, direction) / length
        # The slope along the short segment is of the order of its length times that along the long one, where the
        # scale, K numbers of a system of equations, is known to about 1e-10.
        assert at == pytest.approx(0.3, abs=1e-2)


@objectives
def test_a_t_step_diffusion_counts_t_products(name):
    rng = np.random.default_rng(7)
    P, _, _, _ = planted(rng, False, False)
    for affinity, cost in (
        (P, 1),
        (DiffusedAffinity(P, 1), 1),
        (DiffusedAffinity(P, 4), 4),
        (DiffusedAffinity(DiffusedAffinity(P, 3), 2), 6),
        (DiffusedAffinity(P, 4).scaled(np.full(N, 0.5)), 4),
        (LowRankAffinity(rng.random((N, 2))), 1),
    ):
        problem = Problem(affinity, Objective.registry[name]())
        W = rng.dirichlet(np.ones(K), size=N)
        point = problem.evaluate(W)
        problem.gradient(point)
        problem.total(point)
        problem.curvature_bound(point)
        assert problem.n_products == cost
        problem.evaluate(W)
        assert problem.n_products == 2 * cost
        assert problem.fresh().n_products == 0


@objectives
def test_the_curvature_bound_majorises_the_value_of_one_row(name):
    """f(W + move of one row) <= f + <g, move> + B/2 |move|^2 up to the row's own quartic term."""
    rng = np.random.default_rng(8)
    P, _, _, w = planted(rng, True, False)
    problem = Problem(P, Objective.registry[name](), w)
    for _ in range(20):
        point = problem.evaluate(rng.dirichlet(np.ones(K), size=N))
        a = point.scale
        bound = problem.curvature_bound(point)
        exact = 4 * np.linalg.eigvalsh(np.diag(a) @ point.gram @ np.diag(a))[-1]
        assert bound == pytest.approx(exact, rel=1e-9)
        direction = rng.normal(size=K)
        direction /= np.linalg.norm(direction)
        assert direction @ (4 * np.diag(a) @ point.gram @ np.diag(a)) @ direction <= bound * (1 + 1e-9)


def test_every_objective_says_what_it_is():
    for name, kind in Objective.registry.items():
        assert kind.name == name
        assert kind.equation
        assert kind.source
