"""What every solver keeps, with every objective it can do; and the true optimum found by other roads where that is
affordable.

Solvers that end at a partition or at eigenvectors have no stationary points to converge to: `test_table_one.py` holds
them to the global optimum.
"""

from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

from partita.affinity import DenseAffinity, LowRankAffinity, SparseAffinity, Unobserved
from partita.errors import InputError
from partita.objectives import Objective, Problem
from partita.objectives.domain import NONNEGATIVE, ORTHONORMAL, SIMPLEX
from partita.solvers import Solver, Starts, default_solver, drive
from synthetic import noisy_blocks, separable

SOLVERS = sorted(Solver.registry)
OBJECTIVES = sorted(Objective.registry)


def domain_of(objective):
    return Objective.registry[objective].domain


def can(solver, objective):
    return domain_of(objective).name in Solver.registry[solver].domains


def doing(solver):
    """Objectives that the solver can do and whose optima are stationary points."""
    return [name for name in OBJECTIVES if can(solver, name) and not domain_of(name).hard]


SMOOTH_SOLVERS = [solver for solver in SOLVERS if doing(solver)]
pairs = pytest.mark.parametrize(("solver", "objective"), [(s, o) for s in SOLVERS for o in doing(s)])
# A partition's answer too follows its start; eigenvectors do not.
led = pytest.mark.parametrize(
    ("solver", "objective"),
    [(s, o) for s in SOLVERS for o in OBJECTIVES if can(s, o) and domain_of(o) is not ORTHONORMAL],
)


def fixed_scale(objective, K):
    """The scales of an objective that has the same for all data."""
    return Objective.registry[objective]().scale(np.ones(K), np.eye(K))


def unit_of(objective):
    """The scale of evidence that fits: that of the objective where it has the same for all data."""
    kind = Objective.registry[objective]
    return fixed_scale(objective, 1)[0] if kind.scales == "fixed" else 1.0


def run(P, solver, objective, K, start="dirichlet", weights=None, **options):
    problem = Problem(P, Objective.registry[objective](), weights)
    options = {"seed": 0, "max_iter": 3000, "tol": 1e-9} | options
    return drive(problem, Solver.registry[solver](), Starts(P, K, weights=weights), start, **options)


def distance_up_to_labels(W, truth):
    return min(np.abs(W[:, list(order)] - truth).max() for order in permutations(range(truth.shape[1])))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("solver", "objective"), [(s, o) for s in SOLVERS for o in OBJECTIVES if can(s, o)])
def test_factors_stay_feasible_at_every_step_and_the_objective_falls(solver, objective, weighted):
    rng = np.random.default_rng(0)
    P = DenseAffinity(unit_of(objective) * noisy_blocks(40, 3, seed=rng))
    weights = rng.integers(1, 4, 40).astype(float) if weighted else None
    domain = Objective.registry[objective].domain
    steps = []

    def look(restart, state):
        W = state.point.W
        # A row is a projection: K roundings of numbers of order 1.
        assert domain.violation(W, weights) <= 1e-12
        if domain is SIMPLEX:
            assert np.abs(W.sum(axis=1) - 1).max() <= 1e-12
        if domain is not ORTHONORMAL:
            assert W.min() >= 0
        assert state.optimality >= 0
        steps.append(state.point.value)

    result = run(P, solver, objective, 3, weights=weights, max_iter=60, tol=0.0, callback=look)
    assert len(steps) == result.n_iter > (0 if domain.hard else 3)
    assert len(result.trace) == result.n_iter + 1
    # Partitions and eigenvectors lower the part of the objective that is not constant.
    assert result.trace[-1] < (1.0 if domain.hard else 0.9) * result.trace[0]
    if Solver.registry[solver].monotone:
        # rounding of numbers of the size of ||P||^2
        assert np.diff(result.trace).max() <= 1e-12 * P.squared_norm(weights)
    M, W = result.membership.matrix, result.factor
    assert (M >= 0).all()
    assert np.abs(M.sum(axis=1) - 1).max() <= 1e-12
    root = np.sqrt(np.ones(40) if weights is None else weights)
    misfit = root[:, None] * (P.to_dense() - (W * result.scale) @ W.T) * root
    assert result.objective == pytest.approx((misfit**2).sum(), rel=1e-9)
    assert result.misfit == pytest.approx(np.sqrt((misfit**2).sum() / P.squared_norm(weights)), rel=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@led
def test_relabelling_the_clusters_relabels_the_answer(solver, objective):
    rng = np.random.default_rng(1)
    P = DenseAffinity(unit_of(objective) * noisy_blocks(30, 3, seed=rng))
    W, order = rng.dirichlet(np.ones(3), size=30), [2, 0, 1]
    first = run(P, solver, objective, 3, W, max_iter=25, tol=0.0)
    second = run(P, solver, objective, 3, W[:, order], max_iter=25, tol=0.0)
    # Sums over the clusters in another order: rounding, which steps may take up to 1e-8 in 25 iterations.
    np.testing.assert_allclose(second.membership.matrix, first.membership.matrix[:, order], atol=1e-6)
    assert np.abs(first.membership.matrix - W).max() > 0.1  # it went somewhere


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@led
def test_permuting_the_items_permutes_the_answer(solver, objective):
    rng = np.random.default_rng(2)
    matrix, W, order = (
        unit_of(objective) * noisy_blocks(30, 3, seed=rng),
        rng.dirichlet(np.ones(3), size=30),
        rng.permutation(30),
    )
    first = run(DenseAffinity(matrix), solver, objective, 3, W, max_iter=25, tol=0.0)
    second = run(DenseAffinity(matrix[order][:, order]), solver, objective, 3, W[order], max_iter=25, tol=0.0)
    np.testing.assert_allclose(second.membership.matrix, first.membership.matrix[order], atol=1e-5)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@led
def test_the_units_of_the_affinity_change_nothing_but_the_scale(solver, objective):
    kind = Objective.registry[objective]
    if kind.scales == "fixed" and kind.domain is SIMPLEX:
        return  # neither its scale nor its factor can follow
    rng = np.random.default_rng(3)
    matrix, W = noisy_blocks(30, 3, seed=rng), rng.dirichlet(np.ones(3), size=30)
    first = run(DenseAffinity(matrix), solver, objective, 3, W, max_iter=40, tol=0.0)
    second = run(DenseAffinity(matrix * 1e-6), solver, objective, 3, W, max_iter=40, tol=0.0)
    np.testing.assert_allclose(second.membership.matrix, first.membership.matrix, atol=1e-5)
    if kind.scales != "fixed":
        np.testing.assert_allclose(second.scale, first.scale * 1e-6, rtol=1e-5)
    elif not kind.domain.hard:
        np.testing.assert_allclose(second.factor, first.factor * 1e-3, atol=1e-8)
    # What rounding of the objective leaves of the optimality is its square root, 1.5e-8, of either.
    assert second.optimality == pytest.approx(first.optimality, rel=1e-2, abs=3e-8)


@pairs
def test_a_stationary_point_stays(solver, objective):
    rng = np.random.default_rng(4)
    W = separable(30, 3, seed=rng)
    kind = Objective.registry[objective]
    a = fixed_scale(objective, 3) if kind.scales == "fixed" else np.ones(3)
    problem = Problem(DenseAffinity((W * a) @ W.T), kind())
    method = Solver.registry[solver]()
    state = method.start(problem, W)
    assert state.optimality < 1e-10
    for _ in range(5):
        state = method.step(problem, state)
        # the gradient is rounding, 1e-14 of ||P||; the curvature that divides it is of the order of one
        np.testing.assert_allclose(state.point.W, W, atol=1e-9)
    # and a point that is not stationary is said to be none
    moved = 0.9 * W + 0.1 / 3
    assert method.start(problem, moved).optimality > 1e-3


@led
def test_the_same_seed_gives_the_same_answer_and_another_another(solver, objective):
    P = DenseAffinity(unit_of(objective) * noisy_blocks(30, 3, seed=np.random.default_rng(5)))
    first, second, other = (run(P, solver, objective, 3, n_init=3, seed=seed, tol=1e-3) for seed in (7, 7, 8))
    np.testing.assert_array_equal(first.membership.matrix, second.membership.matrix)
    np.testing.assert_array_equal(first.trace, second.trace)
    assert not np.array_equal(first.trace, other.trace)


@pytest.mark.parametrize("weighted", [False, True])
@led
def test_dense_sparse_and_low_rank_give_one_answer(solver, objective, weighted):
    rng = np.random.default_rng(6)
    factor = np.sqrt(unit_of(objective)) * np.maximum(rng.dirichlet(np.full(4, 0.3), size=40) - 0.15, 0.0)
    matrix = factor @ factor.T
    weights = rng.integers(1, 4, 40).astype(float) if weighted else None
    start = rng.dirichlet(np.ones(3), size=40)
    kinds = [DenseAffinity(matrix), SparseAffinity(sp.csr_array(matrix)), LowRankAffinity(factor)]
    kinds.append(LowRankAffinity(sp.csr_array(factor)))
    assert kinds[1].nnz < 0.9 * matrix.size
    results = [run(P, solver, objective, 3, start, weights, tol=1e-8) for P in kinds]
    for other in results[1:]:
        if Solver.registry[solver].precision <= 1e-3:
            assert other.status == "converged"
        # Both stopped within tol of the same stationary point; a flat valley makes that 1e-4 in the membership.
        np.testing.assert_allclose(other.membership.matrix, results[0].membership.matrix, atol=1e-4)
        np.testing.assert_allclose(other.scale, results[0].scale, rtol=1e-4)
        assert other.objective == pytest.approx(results[0].objective, rel=1e-8)


@pytest.mark.parametrize("K", [2, 3, 4])
@pairs
def test_a_planted_membership_is_recovered(solver, objective, K):
    rng = np.random.default_rng(10 + K)
    W = separable(40, K, seed=rng)
    scales = {
        "fixed": [fixed_scale(objective, K)],
        "common": [np.ones(K), np.full(K, 0.03)],
        "own": [np.ones(K), np.full(K, 0.03), np.linspace(0.2, 5.0, K)],
    }
    for a in scales[Objective.registry[objective].scales]:
        P = DenseAffinity((W * a) @ W.T)
        result = run(P, solver, objective, K, n_init=8, tol=1e-9, max_iter=4000)
        precision = Solver.registry[solver].precision
        assert result.misfit < precision
        # misfit^2 is about the squared error of W: 1e-6 there is well below 1e-3 here. A solver of less precision is
        # furthest off in a cluster whose scale is small beside the others'.
        slack = 1e-3 if precision <= 1e-6 else 0.25
        assert distance_up_to_labels(result.membership.matrix, W) < slack
        np.testing.assert_allclose(np.sort(result.scale), np.sort(a), rtol=slack)


def best_by_scipy(matrix, objective, weights, rng):
    """The least objective for K = 2 from 60 starts of a quasi-Newton method over W and the scales together."""
    n, root, fixed = len(matrix), np.sqrt(weights), fixed_scale(objective, 2)
    if domain_of(objective) is NONNEGATIVE:

        def of_factor(x):
            H = x.reshape(n, 2)
            return float(((root[:, None] * (matrix - (H * fixed) @ H.T) * root) ** 2).sum())

        bounds = [(0, None)] * (2 * n)
        return min(minimize(of_factor, rng.random(2 * n), bounds=bounds, method="L-BFGS-B").fun for _ in range(60))
    free = {"fixed": 0, "common": 1, "own": 2}[Objective.registry[objective].scales]

    def value(x):
        W = np.column_stack([x[:n], 1 - x[:n]])
        a = fixed if not free else np.broadcast_to(x[n:], 2)
        return float(((root[:, None] * (matrix - (W * a) @ W.T) * root) ** 2).sum())

    bounds = [(0, 1)] * n + [(0, None)] * free
    return min(minimize(value, rng.random(n + free), bounds=bounds, method="L-BFGS-B").fun for _ in range(60))


@pytest.mark.parametrize("seed", [0, 1, 2])
@pairs
def test_many_restarts_reach_the_global_optimum_of_four_items(solver, objective, seed):
    rng = np.random.default_rng(seed)
    half = rng.random((4, 4))
    matrix = (half + half.T) / 2
    matrix[np.diag_indices(4)] += 0.5
    weights = np.array([1.0, 2.0, 1.0, 0.5])
    expected = best_by_scipy(matrix, objective, weights, rng)
    assert expected > 1e-3  # not trivially zero
    result = run(DenseAffinity(matrix), solver, objective, 2, n_init=30, weights=weights)
    # L-BFGS-B stops at about 1e-8 of the value
    precision = max(1e-5, Solver.registry[solver].precision)
    assert result.objective == pytest.approx(expected, rel=precision)
    kind = Objective.registry[objective]
    if (
        kind.scales == "fixed" and kind.domain is SIMPLEX
    ):  # and the grid of all memberships in steps of 1/20 holds nothing better
        axis = np.linspace(0, 1, 21)
        W = np.stack(np.meshgrid(*[axis] * 4, indexing="ij"), axis=-1).reshape(-1, 4)
        a, b = fixed_scale(objective, 2)
        together = a * W[:, :, None] * W[:, None, :] + b * (1 - W)[:, :, None] * (1 - W)[:, None, :]
        grid = (weights[:, None] * weights * (matrix - together) ** 2).sum(axis=(1, 2)).min()
        assert result.objective <= (1 + precision) * grid <= 1.1 * result.objective + 0.05


@pytest.mark.parametrize("solver", SMOOTH_SOLVERS)
def test_unobserved_pairs_are_filled_in_by_the_model(solver):
    rng = np.random.default_rng(20)
    W = separable(40, 3, seed=rng)
    hidden = np.triu(rng.random((40, 40)) < 0.3, 1)
    hidden |= hidden.T
    for objective in doing(solver):
        a = fixed_scale(objective, 3) if Objective.registry[objective].scales == "fixed" else np.ones(3)
        Q = DenseAffinity(np.where(hidden, 0.0, (W * a) @ W.T), Unobserved(*np.nonzero(hidden)))
        result = run(Q, solver, objective, 3, n_init=8, tol=1e-8)
        precision = max(1e-5, Solver.registry[solver].precision)
        assert result.misfit < precision
        assert distance_up_to_labels(result.membership.matrix, W) < max(1e-3, precision)


@pytest.mark.parametrize("solver", SMOOTH_SOLVERS)
def test_one_cluster_is_found_at_once(solver):
    P = DenseAffinity(np.full((5, 5), 0.3))
    for objective in doing(solver):
        result = run(P, solver, objective, 1)
        np.testing.assert_allclose(result.membership.matrix, np.ones((5, 1)), atol=1e-12)
        assert result.n_iter == 0
        kind = Objective.registry[objective]
        rigid = kind.scales == "fixed" and kind.domain is SIMPLEX
        assert result.misfit == pytest.approx(abs(0.3 - fixed_scale(objective, 1)[0]) / 0.3 * rigid, abs=1e-7)


def test_what_a_solver_needs_and_an_affinity_lacks_is_named():
    base = Solver.registry[SOLVERS[0]]

    class Hungry(base):
        name = "made up for this test"
        requires = frozenset({"rows", "to_dense", "entries_by_column", "blocks"})

    try:
        P = DenseAffinity(np.eye(4))
        problem = Problem(P, Objective.registry["sof"]())
        with pytest.raises(InputError, match="blocks, entries_by_column"):
            drive(problem, Hungry(), Starts(P, 2), "dirichlet")
        assert problem.n_products == 0
    finally:
        del Solver.registry["made up for this test"]


def test_an_objective_that_a_solver_cannot_do_is_refused_before_the_first_step():
    problem = Problem(DenseAffinity(np.eye(4)), Objective.registry["symnmf"]())
    with pytest.raises(InputError, match=r"'baum-eagon' .* 'symnmf'"):
        drive(problem, Solver.registry["baum-eagon"](), Starts(problem.affinity, 2), "dirichlet")
    assert problem.n_products == 0


def test_every_objective_has_a_solver():
    assert all(any(can(solver, objective) for solver in SOLVERS) for objective in OBJECTIVES)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_the_default_solver_of_a_domain_can_do_it(name):
    domain = domain_of(name)
    assert domain.name in default_solver(DenseAffinity(np.eye(4)), 2, domain).domains
    assert all(kind.default_for <= kind.domains for kind in Solver.registry.values())


def test_every_solver_says_what_it_costs_and_promises():
    for name, kind in Solver.registry.items():
        assert kind.name == name
        for text in (kind.cost, kind.guarantee, kind.source, kind.use):
            assert text.strip()
