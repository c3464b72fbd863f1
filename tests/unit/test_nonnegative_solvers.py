"""The solvers of nonnegative factors against the printed formulas, the roots of polynomials and another optimizer."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from partita.affinity import DenseAffinity, DiffusedAffinity, SparseAffinity, Unobserved
from partita.affinity.normalise import normalise
from partita.affinity.weighted import WeightedAffinity
from partita.errors import InputError
from partita.kernels.entry_sweep import least_of_quartic, sweep_csr, sweep_dense
from partita.kernels.nonnegative import minimise_nonnegative
from partita.objectives import CopositiveObjective, Problem, SymNMFObjective
from partita.solvers import CoordinateDescent, CopositiveUpdate, ProjectedGradient, ProjectedNewton, Starts, drive
from synthetic import random_affinity

ITEMS = np.arange(12)


def evidence(rng, n=12, K=3):
    return 0.4 * random_affinity(n, share=0.8, seed=rng) + 0.5 * (np.arange(n)[:, None] % K == np.arange(n) % K)


def sweep(matrix, H, d, *, exact, hidden=(), items=ITEMS, order=None, sparse=False):
    """One sweep of the kernel; `hidden` are unobserved pairs."""
    n, K = H.shape
    own = np.ones(n)
    own[[i for i, j in hidden if i == j]] = 0.0
    hidden = sorted(hidden)
    holes = np.array([j for _, j in hidden], dtype=np.intp)
    bounds = np.searchsorted([i for i, _ in hidden], np.arange(n + 1)).astype(np.intp)
    W, G = H.copy(), H.T @ (d[:, None] * H)
    order = np.arange(K) if order is None else np.asarray(order)
    shared = (own, exact, 0.0, order, d, W, G, holes, -np.ones(len(holes)), bounds, 1.0)
    if sparse:
        P = sp.csr_array(matrix)
        sweep_csr(items, P.indptr, P.indices, P.data, *shared)
    else:
        sweep_dense(items, matrix, *shared)
    np.testing.assert_allclose(G, W.T @ (d[:, None] * W), rtol=1e-10, atol=1e-12)
    return W


@pytest.mark.parametrize("sparse", [False, True])
def test_the_update_is_the_printed_one_where_the_diagonal_is_unobserved(sparse):
    """[rotabulo2010] section 3, written with loops."""
    rng = np.random.default_rng(0)
    F = evidence(rng)
    np.fill_diagonal(F, 0.0)
    G = rng.random((12, 3))
    found = sweep(F, G, np.ones(12), exact=False, hidden=[(i, i) for i in range(12)], sparse=sparse)
    g = G.T.copy()  # K x N as printed
    for i in range(12):
        for r in range(3):
            numerator = g[r, i] * sum(g[r, j] * F[i, j] for j in range(12) if j != i)
            denominator = sum(g[s, i] * sum(g[s, j] * g[r, j] for j in range(12) if j != i) for s in range(3))
            g[r, i] = numerator / denominator
    np.testing.assert_allclose(found, g.T, rtol=1e-10)


def of_entry(matrix, H, d, seen, i, r, y):
    W = H.copy()
    W[i, r] = y
    return float((np.outer(d, d) * seen * (matrix - W @ W.T) ** 2).sum())


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("hide", ["nothing", "diagonal", "some"])
@pytest.mark.parametrize("exact", [False, True])
def test_every_entry_lowers_the_objective_and_the_exact_rule_as_far_as_it_goes(exact, hide, weighted):
    rng = np.random.default_rng(1)
    for trial in range(5):
        matrix, H = evidence(rng), rng.random((12, 3)) * (rng.random((12, 3)) < 0.8)
        if trial % 2:  # an item's own pair outweighs the others
            matrix, H = matrix + 5.0 * np.eye(12), 0.3 * H
        d = rng.random(12) + 0.3 if weighted else np.ones(12)
        seen = np.ones((12, 12))
        if hide == "diagonal":
            np.fill_diagonal(seen, 0.0)
        elif hide == "some":
            for i, j in ((0, 4), (2, 3), (5, 5), (0, 1)):
                seen[i, j] = seen[j, i] = 0.0
        matrix = matrix * seen
        hidden = [tuple(pair) for pair in np.argwhere(seen == 0)]
        for i in (0, 2, 5, 7):
            # One row, entry after entry: what the kernel did is followed from outside.
            found = sweep(matrix, H, d, exact=exact, hidden=hidden, items=np.array([i]), order=[1, 0, 2])
            now = H.copy()
            for r in (1, 0, 2):
                before = of_entry(matrix, now, d, seen, i, r, now[i, r])
                after = of_entry(matrix, now, d, seen, i, r, found[i, r])
                assert after <= before + 1e-12 * abs(before)
                if exact:
                    values = [of_entry(matrix, now, d, seen, i, r, y) for y in (-1.0, -0.5, 0.0, 0.5, 1.0)]
                    derivative = np.polyder(np.polyfit((-1.0, -0.5, 0.0, 0.5, 1.0), values, 4))
                    roots = np.roots(np.where(np.abs(derivative) < 1e-9, 0.0, derivative))
                    candidates = [0.0, *[z.real for z in roots if abs(z.imag) < 1e-6 and z.real > 0]]
                    best = min(of_entry(matrix, now, d, seen, i, r, y) for y in candidates)
                    assert after == pytest.approx(best, rel=1e-9)
                now[i, r] = found[i, r]
            assert np.array_equal(np.delete(found, i, axis=0), np.delete(H, i, axis=0))


numbers = st.floats(-1e3, 1e3)


@given(st.floats(1e-3, 1e3), numbers, numbers)
def test_the_least_of_a_quartic_is_a_root_of_its_cubic_or_zero(d, q, beta):
    def value(y):
        return 0.5 * d * y**4 + q * y**2 - 2 * beta * y

    found = least_of_quartic(d, q, beta)
    assert found >= 0
    roots = np.roots([d, 0.0, q, -beta])
    candidates = [0.0, *[z.real for z in roots if abs(z.imag) <= 1e-5 * abs(z) and z.real > 0]]
    best = min(value(y) for y in candidates)
    size = 0.5 * d * found**4 + abs(q) * found**2 + 2 * abs(beta) * found
    assert value(found) <= best + 1e-9 * max(size, abs(best)) + 1e-300


SOLVERS = [CoordinateDescent(), CopositiveUpdate(), ProjectedNewton(), ProjectedNewton("columns"), ProjectedGradient()]


def name_of(solver):
    return f"{solver.name}-{getattr(solver, 'blocks', '')}"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("solver", SOLVERS, ids=name_of)
@pytest.mark.parametrize("pairs", ["alike", "no diagonal", "weighted"])
@pytest.mark.parametrize("weighted", [False, True])
def test_no_other_optimizer_goes_on_from_where_a_solver_ended(solver, pairs, weighted):
    """SciPy's L-BFGS-B, started at the answer, finds nothing lower; and the objective fell at every step."""
    rng = np.random.default_rng(2)
    matrix = evidence(rng, 20)
    d = rng.random(20) + 0.3 if weighted else None
    omega, P = np.ones((20, 20)), DenseAffinity(matrix)
    if pairs == "no diagonal":
        np.fill_diagonal(omega, 0.0)
        P = DenseAffinity(matrix * omega, Unobserved(np.arange(20), np.arange(20)))
    elif pairs == "weighted":
        i, j = np.array([(0, 4), (2, 3), (5, 5), (0, 1), (7, 7)]).T
        omega[i, j] = omega[j, i] = [0.0, 3.0, 2.0, 0.5, 0.0]
        P = WeightedAffinity(P, i, j, [0.0, 3.0, 2.0, 0.5, 0.0])
    problem = Problem(P, CopositiveObjective(), d)
    result = drive(
        problem, solver, Starts(problem.affinity, 3, weights=d), "dirichlet", seed=0, tol=1e-9, max_iter=5000
    )
    assert (np.diff(result.trace) <= 1e-12 * result.trace[0]).all()
    counts = omega if d is None else omega * np.outer(d, d)

    def value(x):
        H = x.reshape(20, 3)
        R = counts * (H @ H.T - matrix)
        return float((R * (H @ H.T - matrix)).sum()), (4 * R @ H).ravel()

    start = result.factor.ravel()
    assert value(start)[0] == pytest.approx(result.objective, rel=1e-9)
    theirs = minimize(value, start, jac=True, bounds=[(0, None)] * 60, method="L-BFGS-B", options={"ftol": 1e-15})
    # Where the valley is flat 5,000 iterations do not always end it; then the last digits are open.
    assert theirs.fun >= result.objective * (1 - (1e-8 if result.status == "converged" else 1e-5))


def test_the_newton_step_of_a_column_solves_the_equations_of_its_block_where_pairs_were_not_observed():
    rng = np.random.default_rng(6)
    H = rng.random((12, 3)) + 0.5
    holes = Unobserved([0, 4, 2, 7, 5], [4, 0, 7, 2, 5])
    matrix = H @ H.T
    matrix[holes.first, holes.second] = 0.0
    problem = Problem(DenseAffinity(matrix, holes), SymNMFObjective(), rng.random(12) + 0.5)
    near = H + 0.01 * rng.normal(size=H.shape)  # of a small residual, so that the Hessian is positive definite
    state = ProjectedNewton("columns").start(problem, near)
    gradient = state.memory.gradient
    found = state.memory.dense.direction(state.point, gradient, np.ones(H.shape, dtype=bool))
    step = 1e-5  # the gradient is a cubic: a central difference is off by step^2, and by rounding / step
    for k in range(3):
        hessian = np.empty((12, 12))
        for i in range(12):
            moved = np.zeros_like(H)
            moved[i, k] = step
            ends = [problem.gradient(problem.evaluate(near + side * moved))[:, k] for side in (1.0, -1.0)]
            hessian[:, i] = (ends[0] - ends[1]) / (2.0 * step)
        np.testing.assert_allclose(hessian @ found[:, k], -gradient[:, k], rtol=1e-6, atol=1e-8)


def test_the_newton_step_of_a_column_solves_the_equations_of_its_block():
    """Block and gradient by finite differences."""
    rng = np.random.default_rng(3)
    matrix = evidence(rng, 8)
    d = rng.random(8) + 0.3
    problem = Problem(DenseAffinity(matrix), SymNMFObjective(), d)
    H = rng.random((8, 2)) + 2.0  # far outside, where every block is positive definite
    state = ProjectedNewton("columns").start(problem, H)
    point, gradient = state.point, state.memory.gradient
    step = state.memory.dense.direction(point, gradient, np.ones((8, 2), dtype=bool))
    rows = np.empty((8, 2))
    from partita.solvers.projected_newton import _by_rows

    rows = _by_rows(problem, point, gradient, np.ones((8, 2), dtype=bool))
    plain = problem.gradient(point) * d[:, None]

    def moved(i, k, h=1e-5):
        up, down = H.copy(), H.copy()
        up[i, k] += h
        down[i, k] -= h
        difference = problem.gradient(problem.evaluate(up)) - problem.gradient(problem.evaluate(down))
        return difference * d[:, None] / (2 * h)

    for k in range(2):
        block = np.column_stack([moved(i, k)[:, k] for i in range(8)])
        np.testing.assert_allclose(block @ step[:, k], -plain[:, k], rtol=1e-5)
    for i in range(8):
        block = np.column_stack([moved(i, k)[i] for k in range(2)])
        np.testing.assert_allclose(block @ rows[i], -plain[i], rtol=1e-5)


def test_options_and_inputs_that_cannot_work_are_named():
    with pytest.raises(InputError, match="blocks='all'"):
        ProjectedNewton("all")
    problem = Problem(DenseAffinity(np.array([[1.0, -0.1], [-0.1, 1.0]])), SymNMFObjective())
    with pytest.raises(InputError, match="row 0"):
        CopositiveUpdate().start(problem, np.ones((2, 1)))
    CoordinateDescent().start(problem, np.ones((2, 1)))
    large = DiffusedAffinity(SparseAffinity(sp.eye_array(5000, format="csr")), 2)
    with pytest.raises(InputError, match="4,096 items"):
        CoordinateDescent().start(Problem(large, SymNMFObjective()), np.ones((5000, 2)))
    with pytest.raises(InputError, match="blocks='rows'"):
        ProjectedNewton("columns").start(Problem(large, SymNMFObjective()), np.ones((5000, 2)))


def test_an_isolated_item_ends_with_a_row_of_zeros():
    rng = np.random.default_rng(4)
    matrix = evidence(rng)
    matrix[5] = matrix[:, 5] = 0.0
    for solver in SOLVERS:
        if name_of(solver) == "copositive-update-":
            continue  # its zeros are 1e-16
        result = drive(
            Problem(DenseAffinity(matrix), SymNMFObjective()),
            solver,
            Starts(DenseAffinity(matrix), 3),
            "dirichlet",
            seed=0,
            max_iter=3000,
            tol=1e-8,
        )
        assert result.factor[5].max() < 1e-4
        assert np.isfinite(result.membership.matrix).all()
    F = normalise(DenseAffinity(matrix), "symmetric").affinity
    off = F.to_dense() * (1 - np.eye(12))
    P = DenseAffinity(off, Unobserved(ITEMS, ITEMS))
    result = drive(Problem(P, CopositiveObjective()), CopositiveUpdate(), Starts(P, 3), "dirichlet", seed=0)
    assert result.factor[5].max() < 1e-12
    np.testing.assert_allclose(result.membership.matrix[5], 1 / 3)


def test_small_nonnegative_problems_are_those_of_an_outside_optimizer():
    rng = np.random.default_rng(5)
    for trial in range(20):
        R = rng.normal(size=(6, 4))
        if trial % 4 == 0:
            R[:, 1] = R[:, 0]
        Q, B = R.T @ R, rng.normal(size=(5, 6)) @ R
        found = minimise_nonnegative(Q, B)
        assert (found >= 0).all()
        for y, b in zip(found, B, strict=True):

            def value(x, Q=Q, b=b):
                return x @ Q @ x - 2 * x @ b, 2 * (Q @ x - b)

            best = minimize(value, np.ones(4), jac=True, bounds=[(0, None)] * 4).fun
            assert y @ Q @ y - 2 * y @ b <= best + 1e-7 * (1 + abs(best))
    assert minimise_nonnegative(np.zeros((2, 2)), np.zeros((3, 2))).tolist() == [[0.0, 0.0]] * 3
