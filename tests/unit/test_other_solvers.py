"""What is particular to a solver: its formula against the paper's, its options, what it refuses."""

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp

from partita.affinity import DenseAffinity, DiffusedAffinity, SparseAffinity, Unobserved
from partita.errors import InputError
from partita.objectives import Objective, Problem
from partita.solvers import (
    BaumEagon,
    BlockCoordinateDescent,
    ExponentiatedGradient,
    PenaltyDescent,
    ProjectedGradient,
    Solver,
    Starts,
    drive,
)
from synthetic import random_affinity


def after(solver, problem, W, steps):
    state = solver.start(problem, W)
    for _ in range(steps):
        state = solver.step(problem, state)
    return state


@pytest.mark.parametrize("objective", ["sof", "scaled"])
def test_a_baum_eagon_step_is_the_papers_formula(objective):
    rng = np.random.default_rng(0)
    P, W = random_affinity(12, share=1.0, seed=rng), rng.dirichlet(np.ones(3), size=12)
    alpha = 1.0 if objective == "sof" else np.vdot(P, W @ W.T) / np.linalg.norm(W @ W.T) ** 2  # (8)
    residual = (P - alpha * W @ W.T) @ W
    expected = W * (alpha * 12 + residual) / (alpha * 12 + (W * residual).sum(axis=1, keepdims=True))  # (7)
    state = after(BaumEagon(), Problem(DenseAffinity(P), Objective.registry[objective]()), W, 1)
    np.testing.assert_allclose(state.point.W, expected, atol=1e-14)


def test_an_accelerated_step_is_the_papers_formula_from_the_extrapolated_point():
    rng = np.random.default_rng(0)
    W = rng.dirichlet(np.ones(3), size=12)
    problem = Problem(
        DenseAffinity(random_affinity(12, share=1.0, seed=rng)), Objective.registry["sof"](), rng.random(12)
    )
    momentum = [1.0]
    for steps in range(1, 5):
        momentum.append((1.0 + np.sqrt(1.0 + 4.0 * momentum[-1] ** 2)) / 2.0)  # [beck2009] eq. (4.2)
        state = after(ProjectedGradient(), problem, W, steps)
        before, point, memory = state.memory.before.W, state.point.W, state.memory
        assert memory.momentum == pytest.approx(momentum[steps])
        following = (1.0 + np.sqrt(1.0 + 4.0 * momentum[steps] ** 2)) / 2.0
        beyond = problem.evaluate(point + (momentum[steps] - 1.0) / following * (point - before))  # eq. (4.3)
        expected = problem.objective.domain.project(beyond.W - problem.gradient(beyond) / memory.curvature)
        np.testing.assert_allclose(memory.trial.W, expected, atol=1e-12)


@pytest.mark.parametrize("eta", [0.3, 1.0])
@pytest.mark.parametrize("objective", ["sof", "scaled", "per_cluster"])
def test_baum_eagon_falls_by_its_theorem_with_weights_and_unobserved_pairs(objective, eta):
    rng = np.random.default_rng(1)
    hidden = np.triu(rng.random((15, 15)) < 0.3)
    hidden |= hidden.T
    P = DenseAffinity(
        np.where(hidden, 0.0, 3 * random_affinity(15, share=1.0, seed=rng)), Unobserved(*np.nonzero(hidden))
    )
    problem = Problem(P, Objective.registry[objective](), rng.random(15) + 0.5)
    solver = BaumEagon(eta)
    for _ in range(20):
        state = solver.start(problem, rng.dirichlet(np.full(3, 0.3), size=15))
        products = problem.n_products
        moved = solver.step(problem, state)
        assert moved.point.value < state.point.value
        assert problem.n_products == products + 1  # the first point was taken, no way back was searched


def test_over_relaxation_saves_most_products():
    shares = []
    for seed in range(9):
        rng = np.random.default_rng(seed)
        labels = np.arange(60) % 3
        P = DenseAffinity(0.3 * random_affinity(60, share=1.0, seed=rng) + 0.6 * (labels[:, None] == labels))
        W = rng.dirichlet(np.ones(3), size=60)
        problem = Problem(P, Objective.registry["sof"]())
        aim = problem.total(after(ProjectedGradient(), problem, W, 100).point) * 1.001
        needed = []
        for eta in ("adaptive", 1.0):
            fresh, solver = problem.fresh(), BaumEagon(eta)
            state = solver.start(fresh, W)
            while fresh.total(state.point) > aim:
                state = solver.step(fresh, state)
            needed.append(fresh.n_products)
        shares.append(needed[0] / needed[1])
    assert max(shares) < 1
    assert np.median(shares) < 1 / 5


def test_baum_eagon_names_a_negative_affinity():
    problem = Problem(DenseAffinity(np.full((6, 6), -8.0)), Objective.registry["sof"]())
    with pytest.raises(InputError, match="row 0"):
        after(BaumEagon(), problem, np.full((6, 2), 0.5), 1)


@pytest.mark.parametrize("solver", [BaumEagon(), BaumEagon("adaptive"), ExponentiatedGradient()])
def test_an_entry_at_zero_can_come_back(solver):
    W = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    truth = np.eye(2)[[0, 0, 1, 1]]
    problem = Problem(DenseAffinity(truth @ truth.T), Objective.registry["sof"]())
    state = after(solver, problem, W, 300)
    assert state.point.W[3, 1] > 0.9
    assert state.point.W.min() > 0


def best_on_simplex(M, b):
    """The minimiser of y^T M y - 2 y^T b, by the equations of every face."""
    K, best = len(b), (np.inf, None)
    for face in (list(f) for size in range(1, K + 1) for f in combinations(range(K), size)):
        system = np.ones((len(face) + 1, len(face) + 1))
        system[:-1, :-1], system[-1, -1] = M[np.ix_(face, face)], 0.0
        y = np.zeros(K)
        y[face] = np.linalg.solve(system, np.append(b[face], 1.0))[:-1]
        if y.min() >= 0:
            best = min(best, (y @ M @ y - 2 * y @ b, tuple(y)))
    return np.array(best[1])


def test_the_row_kernel_finds_the_best_of_all_faces():
    from partita.kernels.row_sweep import minimise_on_simplex

    rng = np.random.default_rng(3)
    for _ in range(200):
        K = int(rng.integers(1, 6))
        F = rng.normal(size=(K + 2, K))
        M, b, y = F.T @ F, rng.normal(size=K) * 3, rng.dirichlet(np.full(K, 0.3))
        expected = best_on_simplex(M, b)
        minimise_on_simplex(M, b, y)
        np.testing.assert_allclose(y, expected, atol=1e-8)  # the condition number of M reaches 1e6


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("order", ["random", "cyclic"])
def test_a_sweep_keeps_the_product_and_costs_one(kind, order, monkeypatch):
    monkeypatch.setattr("partita.solvers.block_coordinate.BLOCK", 7)
    rng = np.random.default_rng(4)
    matrix, weights = random_affinity(30, share=0.4, seed=rng), rng.random(30) + 0.5
    P = DenseAffinity(matrix) if kind == "dense" else SparseAffinity(sp.csr_array(matrix))
    problem = Problem(P, Objective.registry["per_cluster"](), weights)
    state = after(BlockCoordinateDescent(order), problem, rng.dirichlet(np.ones(3), size=30), 5)
    assert problem.n_products == 6
    np.testing.assert_allclose(state.point.product, matrix @ (weights[:, None] * state.point.W), atol=1e-12)


def test_block_coordinate_descent_names_an_affinity_it_cannot_read():
    P = DiffusedAffinity(SparseAffinity(sp.eye_array(5000, format="csr")), 2)
    with pytest.raises(InputError, match="'diffused'"):
        BlockCoordinateDescent().start(Problem(P, Objective.registry["sof"]()), np.full((5000, 2), 0.5))


@pytest.mark.parametrize("hinge", ["printed", "squared", "log-barrier"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_gradient_of_a_penalty_is_its_derivative(hinge, weighted):
    rng = np.random.default_rng(5)
    solver = PenaltyDescent(hinge)
    problem = Problem(
        DenseAffinity(random_affinity(9, share=1.0, seed=rng)),
        Objective.registry["sof"](),
        rng.random(9) if weighted else None,
    )
    penalty = solver._penalty(solver.start(problem, rng.dirichlet(np.ones(3), size=9)).memory)
    W, D, h = rng.normal(size=(9, 3)) * 0.3, rng.normal(size=(9, 3)), 1e-6
    ones = np.ones_like(W)
    slope = (problem.inner(penalty.values(W + h * D), ones) - problem.inner(penalty.values(W - h * D), ones)) / (2 * h)
    assert slope == pytest.approx(problem.inner(penalty.gradient(W), D), rel=1e-6)


@pytest.mark.parametrize("method", ["gradient", "cg", "lbfgs"])
@pytest.mark.parametrize("hinge", ["printed", "squared", "log-barrier"])
def test_every_penalty_and_method_comes_near_the_optimum(hinge, method):
    rng = np.random.default_rng(6)
    labels = np.arange(30) % 3
    P = DenseAffinity(0.3 * random_affinity(30, share=1.0, seed=rng) + 0.6 * (labels[:, None] == labels))
    W = 0.5 * np.eye(3)[labels] + 0.5 * rng.dirichlet(np.ones(3), size=30)
    problem = Problem(P, Objective.registry["sof"]())
    best = problem.total(after(ProjectedGradient(), problem, W, 100).point)
    state = after(PenaltyDescent(hinge, method), problem, W, 10)
    assert state.stalled
    # gradient steps halve from level to level, and the last of the barrier goes slowest: 2.4% above
    assert problem.total(state.point) <= 1.05 * best
    assert 0 < np.abs(state.memory.W.sum(axis=1) - 1).max() < 0.1  # its own iterate is off the simplex


@pytest.mark.parametrize("objective", ["sof", "scaled"])
def test_on_probabilities_algorithm_1_is_the_papers(objective):
    """[zhao2015] Algorithm 1, lines 4 to 14, written down once more: all products, all steps of fixed length."""
    rng = np.random.default_rng(7)
    labels = np.arange(30) % 3
    P = 0.3 * random_affinity(30, share=1.0, seed=rng) + 0.6 * (labels[:, None] == labels)
    start = rng.dirichlet(np.ones(3), size=30)

    def scale_of(W):
        return 1.0 if objective == "sof" else np.vdot(P, W @ W.T) / np.linalg.norm(W @ W.T) ** 2

    W, lam, products = start, 1.0, 1
    unit = scale_of(W) ** 2
    step = 1.0 / (4.0 * unit * np.linalg.eigvalsh(W.T @ W)[-1] + 2.0 * unit * 3)
    while lam <= 1000.0:
        for _ in range(200):
            products, alpha = products + 1, scale_of(W)
            slope = 4.0 * alpha * (alpha * W @ (W.T @ W) - P @ W)  # (5)
            slope = slope + lam * unit * (2.0 * (W.sum(axis=1, keepdims=True) - 1.0) - (W < -1e-12))  # (6), (7)
            W = W - step * slope
            if np.sum((step * slope) ** 2) <= 1e-8 * 30:
                break
        lam, step, products = 2.0 * lam, step / 2.0, products + 1
    problem = Problem(DenseAffinity(P), Objective.registry[objective]())
    state = after(PenaltyDescent(), problem, start, 10)
    assert state.stalled
    # Rounding of a thousand steps; the hinge, which is not smooth, may turn it into a step of its own.
    np.testing.assert_allclose(state.memory.W, W, atol=1e-9)
    assert problem.n_products == products


@pytest.mark.parametrize("size", [1e-6, 1e-4, 1.0, 3.0, 4.0, 100.0, 1e4, 1e6])
@pytest.mark.parametrize("method", ["gradient", "cg", "lbfgs"])
@pytest.mark.parametrize("hinge", ["printed", "squared", "log-barrier"])
def test_entries_of_any_size_come_near_the_optimum(hinge, method, size):
    rng = np.random.default_rng(6)
    labels = np.repeat(np.arange(3), 5)
    W = 0.5 * np.eye(3)[labels] + 0.5 * rng.dirichlet(np.ones(3), size=15)
    problem = Problem(DenseAffinity(np.kron(np.eye(3), np.full((5, 5), size))), Objective.registry["sof"]())
    best = problem.total(after(ProjectedGradient(), problem, W, 100).point)
    state = after(PenaltyDescent(hinge, method), problem, W, 10)
    assert np.isfinite(state.memory.W).all()
    assert np.isfinite(state.point.W).all()
    assert np.isfinite(state.optimality)
    # At a size of one the fit is perfect: what is left is the precision of the solver, in units of ||P||.
    assert np.sqrt(problem.total(state.point)) <= 1.01 * np.sqrt(best) + 0.05 * np.sqrt(problem.squared_norm)


@pytest.mark.parametrize("size", [1e-4, 4.0, 100.0, 1e4])
@pytest.mark.parametrize(
    ("solver", "objective"),
    [
        (solver, objective)
        for solver, made in sorted(Solver.registry.items())
        for objective, kind in sorted(Objective.registry.items())
        if kind.domain.name in made.domains
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_solver_ends_with_numbers_whatever_the_size_of_the_entries(solver, objective, size):
    half = np.random.default_rng(8).random((15, 15)) * 0.3
    P = DenseAffinity(size * (0.7 * np.kron(np.eye(3), np.ones((5, 5))) + (half + half.T) / 2))
    problem = Problem(P, Objective.registry[objective]())
    result = drive(problem, Solver.registry[solver](), Starts(P, 3), "dirichlet", seed=0, max_iter=200, tol=1e-6)
    assert result.status in ("converged", "max_iter")
    assert np.isfinite(result.membership.matrix).all()
    assert np.isfinite(result.trace).all()
    assert np.isfinite([result.objective, result.misfit, result.optimality]).all()
    assert np.isfinite(result.scale).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BaumEagon(0.0), "overrelaxation=0.0"),
        (lambda: BaumEagon("fast"), "overrelaxation='fast'"),
        (lambda: ExponentiatedGradient(growth=1.0), "growth > 1"),
        (lambda: BlockCoordinateDescent("backwards"), "order='backwards'"),
        (lambda: PenaltyDescent("hard"), "hinge='hard'"),
        (lambda: PenaltyDescent(method="newton"), "method='newton'"),
        (lambda: PenaltyDescent(mu=1.0), "mu > 1"),
        (lambda: PenaltyDescent(lambda0=0.0), "0 < lambda0"),
        (lambda: PenaltyDescent(inner_iter=0), "inner_iter=0"),
    ],
)
def test_an_option_out_of_range_is_named(make, message):
    with pytest.raises(InputError, match=message):
        make()
