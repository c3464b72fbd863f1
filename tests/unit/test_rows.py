"""Passes over rows and products with a sparse matrix: the numbers of NumPy and SciPy, the same bits on any threads."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from partita.affinity import DenseAffinity, DiffusedAffinity, SparseAffinity, as_affinity
from partita.ensemble import graph as graph_member
from partita.kernels import products, rows, simplex
from partita.kernels.aligned import aligned_empty
from partita.kernels.products import csr_product
from partita.kernels.rows import row_pass
from partita.kernels.simplex import project_rows_numpy
from partita.kernels.threads import limit_threads
from partita.objectives import PerClusterObjective, Problem, ScaledObjective, SymNMFObjective, curvature, domain
from partita.solvers import ProjectedGradient, optimality
from partita.solvers.base import optimality_by_rows
from synthetic import planted_graph


@pytest.fixture
def blocks(monkeypatch):
    """Blocks of a few rows, so that small arrays have many."""
    monkeypatch.setattr(rows, "BLOCK_NUMBERS", 12)


def work(x, y, z):
    total = x.T @ x
    return [x + (0.0 if y is None else y), x[:, 0]], [total, x.sum() if z is None else (x * z).sum()]


@pytest.mark.parametrize("n", [1, 7, 8, 9, 50])
@pytest.mark.parametrize("second", [None, "given"])
def test_blocks_put_together_are_the_whole(blocks, n, second):
    rng = np.random.default_rng(n)
    X, Z = rng.normal(size=(2, n, 3))
    Y = None if second is None else rng.normal(size=(n, 3))
    (total, first), (gram, inner) = row_pass(X, work, Y, Z)
    np.testing.assert_array_equal(total, X if Y is None else X + Y)
    np.testing.assert_array_equal(first, X[:, 0])
    np.testing.assert_allclose(gram, X.T @ X, atol=1e-12)
    np.testing.assert_allclose(inner, (X * Z).sum(), atol=1e-12)


def test_a_pass_without_outputs_or_sums(blocks):
    X = np.ones((40, 2))
    assert row_pass(X, lambda x: ((), [x.sum(axis=0)]))[0] == []
    assert row_pass(X, lambda x: ([x], ()))[1] == []


def test_the_bits_do_not_depend_on_the_number_of_threads(blocks):
    X, Z = np.random.default_rng(0).normal(size=(2, 301, 5))
    found = []
    for threads in (1, 2, 5):
        with limit_threads(threads):
            (total, first), (gram, inner) = row_pass(X, work, None, Z)
        found.append(b"".join(np.asarray(array).tobytes() for array in (total, first, gram, inner)))
    assert len(set(found)) == 1


def test_an_error_inside_a_block_comes_out(blocks):
    def fails(x):
        if (x > 30).any():
            raise ZeroDivisionError("block")
        return [x], [x.sum()]

    with pytest.raises(ZeroDivisionError, match="block"), limit_threads(2):
        row_pass(np.arange(40.0)[:, None] * np.ones(3), fails)


@pytest.mark.parametrize("values", [np.float64, np.float32])
@pytest.mark.parametrize("indices", [np.int32, np.int64])
@pytest.mark.parametrize("K", [1, 2, 3, 4, 5, 7, 8, 20, 31, 32, 33, 40, 63, 64, 65, 100])
@pytest.mark.parametrize("fetched", [False, True])  # rows of W asked for in advance
def test_a_csr_product_is_scipys(monkeypatch, values, indices, K, fetched):
    monkeypatch.setattr(products, "COMPILED_FROM", 0)
    monkeypatch.setattr(products, "FETCH_FROM", 0 if fetched else 1 << 60)
    monkeypatch.setattr(products, "CHUNK", 100)
    rng = np.random.default_rng(K)
    matrix = rng.random((150, 90)) * (rng.random((150, 90)) < 0.1)
    matrix[7] = 0.0  # a row without entries
    P = sp.csr_array(matrix.astype(values))
    P.indices, P.indptr = P.indices.astype(indices), P.indptr.astype(indices)
    for W in (
        rng.normal(size=(90, K)),
        np.asfortranarray(rng.normal(size=(90, K))),
        rng.normal(size=(90, 2 * K))[:, ::2],
    ):
        expected = P.astype(np.float64) @ W
        found = csr_product(P, W)
        # Sums of about ten products of numbers of order one.
        np.testing.assert_allclose(found, expected, atol=1e-13)
        spare = np.full_like(found, np.nan)
        again = csr_product(P, W, spare)
        assert again is spare
        np.testing.assert_array_equal(again, found)
        with limit_threads(3):
            np.testing.assert_array_equal(csr_product(P, W), found)


@pytest.mark.parametrize("kind", [np.float32, np.int64])
def test_a_product_with_other_numbers_than_doubles(monkeypatch, kind):
    monkeypatch.setattr(products, "COMPILED_FROM", 0)
    P = sp.random_array((40, 30), density=0.3, rng=np.random.default_rng(0), format="csr")
    W = np.random.default_rng(1).integers(0, 9, (30, 6)).astype(kind)
    np.testing.assert_allclose(csr_product(P, W), P @ W.astype(float), atol=1e-13)


@pytest.mark.parametrize(
    "spare",
    [np.full((40, 5), 7.0), np.full((40, 6), 7.0, np.float32), np.full((6, 40), 7.0).T, np.full((40, 12), 7.0)[:, ::2]],
)
def test_a_spare_array_that_does_not_fit_is_left_alone(monkeypatch, spare):
    monkeypatch.setattr(products, "COMPILED_FROM", 0)
    P = sp.random_array((40, 30), density=0.3, rng=np.random.default_rng(0), format="csr")
    W = np.random.default_rng(1).random((30, 6))
    np.testing.assert_allclose(csr_product(P, W, spare), P @ W, atol=1e-13)
    assert (spare == 7.0).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, bool])
@pytest.mark.parametrize("shape", [(7,), (1000, 3), (0, 4), (5, 0)])
def test_aligned_arrays_begin_at_a_cache_line(shape, dtype):
    arrays = [aligned_empty(shape, dtype) for _ in range(5)]
    for array in arrays:
        array[...] = 1
        assert array.shape == shape
        assert array.dtype == dtype
        assert array.flags.c_contiguous
        assert array.size == 0 or array.ctypes.data % 64 == 0
    assert all((array == 1).all() for array in arrays)


def test_a_matrix_without_rows_or_entries(monkeypatch):
    monkeypatch.setattr(products, "COMPILED_FROM", 0)
    monkeypatch.setattr(products, "CHUNK", 100)
    assert csr_product(sp.csr_array((0, 5)), np.ones((5, 4))).shape == (0, 4)
    np.testing.assert_array_equal(csr_product(sp.csr_array((3, 5)), np.ones((5, 4))), np.zeros((3, 4)))


def graph(dtype, n=60):
    return SparseAffinity(planted_graph(np.zeros(n), within=0.2).astype(dtype))


def test_single_precision_stays_single_and_sums_are_double():
    P, Q = graph(np.float32), graph(np.float64)
    W = np.random.default_rng(1).random((60, 3))
    assert P.matrix.dtype == np.float32
    assert P.matrix.indices.dtype == P.matrix.indptr.dtype == np.int32
    factors = np.random.default_rng(2).random(60) + 0.5
    assert P.scaled(factors).matrix.dtype == np.float32
    for found, expected in (
        (P @ W, Q @ W),
        (P.row_sums(), Q.row_sums()),
        (P.diagonal(), Q.diagonal()),
        (P.rows([3, 5]), Q.rows([3, 5])),
        (P.entries(np.array([0, 4]), np.array([0, 9])), Q.entries(np.array([0, 4]), np.array([0, 9]))),
        (P.squared_norm(), Q.squared_norm()),
        (P.squared_norm(factors), Q.squared_norm(factors)),
        (P.scaled(factors) @ W, Q.scaled(factors) @ W),
        (DiffusedAffinity(P, 3) @ W, DiffusedAffinity(Q, 3) @ W),
    ):
        assert np.asarray(found).dtype == np.float64
        np.testing.assert_allclose(found, expected, rtol=1e-6)  # what rounding the values to 24 bits leaves


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("objective", [PerClusterObjective, SymNMFObjective])
def test_steps_by_blocks_are_steps_on_the_whole(monkeypatch, objective, weighted):
    weights = np.random.default_rng(3).integers(1, 4, 60).astype(float) if weighted else None
    W = np.random.default_rng(0).dirichlet(np.ones(3), 60)

    def steps():
        problem = Problem(graph(np.float64), objective(), weights)
        solver = ProjectedGradient()
        state = solver.start(problem, problem.objective.domain.begin(problem, W))
        for _ in range(10):
            state = solver.step(problem, state)
        gradient = problem.gradient(state.point)
        assert optimality_by_rows(problem, state.point) == pytest.approx(optimality(problem, state.point, gradient))
        return state

    whole = steps()
    monkeypatch.setattr(rows, "BLOCK_NUMBERS", 12)
    monkeypatch.setattr(products, "COMPILED_FROM", 0)
    monkeypatch.setattr(products, "CHUNK", 100)
    monkeypatch.setattr(simplex, "COMPILED_FROM", 0)
    cut = steps()
    np.testing.assert_allclose(cut.point.W, whole.point.W, atol=1e-10)
    assert cut.point.value == pytest.approx(whole.point.value, rel=1e-12)
    assert cut.optimality == pytest.approx(whole.optimality, rel=1e-6)


@pytest.mark.parametrize("units", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("K", [1, 2, 5, 33])
def test_a_compiled_step_is_that_of_array_operations(monkeypatch, K, weighted, units):
    rng = np.random.default_rng(K)
    u = 10.0 ** rng.uniform(-2, 2, K) if units else None
    weights = rng.integers(1, 4, 60).astype(float) if weighted else None
    problem = Problem(graph(np.float64), PerClusterObjective(), weights)
    W = rng.dirichlet(np.full(K, 0.2), 60)
    W[:20] = np.eye(K)[rng.integers(0, K, 20)]  # corners, and rows that are equal: ties
    point = problem.evaluate(W)
    for B in (1e-12, 1e-6, 1e-3, problem.curvature_bound(point), 1e6):
        expected = problem.descend(point, B, u=u)
        with monkeypatch.context() as compiled:
            compiled.setattr(simplex, "COMPILED_FROM", 0)
            found = problem.descend(point, B, u=u)
        # Steps of size gradient u / B, added and taken away again, and brought from units of u to others.
        largest = np.abs(problem.gradient(point)).max() / B * (u.max() if units else 1.0)
        rounding = 1e-14 * (1 + largest) * (u.max() / u.min() if units else 1.0)
        np.testing.assert_allclose(found.W, expected.W, rtol=0, atol=rounding)
        np.testing.assert_allclose(found.W.sum(axis=1), 1.0, atol=1e-14)
        assert found.slope == pytest.approx(expected.slope, rel=1e-9, abs=1e-12)
        assert found.square == pytest.approx(expected.square, rel=1e-9, abs=1e-12)


def unequal():
    """Two clusters of 40 and one of 4 items, and a membership near them."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], [40, 40, 4])
    P = (labels[:, None] == labels) * 0.5 + 0.002
    P /= np.sqrt(P.sum(axis=1)[:, None] * P.sum(axis=1))
    return DenseAffinity(P), 0.7 * np.eye(3)[labels] + 0.3 * rng.dirichlet(np.ones(3), len(labels))


def test_columns_are_measured_in_units_in_which_they_are_equally_curved():
    affinity, W = unequal()
    problem = Problem(affinity, PerClusterObjective())
    point = problem.evaluate(W)
    u = problem.squared_units(point)
    _, Q = problem.linear(point)
    np.testing.assert_allclose(u * Q.diagonal(), 1.0)
    assert u.argmin() == 2  # the small cluster is the most curved
    assert u.max() > 4 * u.min()
    # so measured the curvature is bounded by a number near 1, and by no smaller one
    bound = problem.curvature_bound(point, u)
    assert 1.0 <= bound < 3.0
    assert np.linalg.eigvalsh(bound * np.diag(1 / u) - Q)[0] == pytest.approx(0, abs=1e-9 * Q.max())


def test_a_column_without_a_scale_has_finite_units():
    affinity, W = unequal()
    problem = Problem(affinity, PerClusterObjective())
    point = replace(problem.evaluate(W), scale=np.array([1.0, 1.0, 0.0]))
    assert np.isfinite(problem.squared_units(point)).all()
    assert problem.squared_units(replace(point, scale=np.zeros(3))) is None


def test_one_scale_for_all_and_weighted_pairs_have_no_units():
    affinity, W = unequal()
    problem = Problem(affinity, ScaledObjective())
    assert problem.squared_units(problem.evaluate(W)) is None
    observed = np.where(np.random.default_rng(0).random(affinity.shape) < 0.1, np.nan, affinity.to_dense())
    observed = np.where(np.isnan(observed.T), np.nan, observed)
    problem = Problem(as_affinity(observed, missing="unobserved"), PerClusterObjective())
    assert problem.squared_units(problem.evaluate(W)) is None


def test_columns_that_overlap_have_no_units_and_a_random_start_ends_where_it_would(monkeypatch):
    """By their own steps columns that are nearly alike run into saddles: so they did on these."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], [300, 30, 3])
    P = (labels[:, None] == labels) * 0.5 + 0.05
    P = P * rng.uniform(0.7, 1.3, P.shape)
    P = (P + P.T) / 2
    problem = Problem(DenseAffinity(P / np.sqrt(P.sum(axis=1)[:, None] * P.sum(axis=1))), PerClusterObjective())
    starts = [np.random.default_rng(seed).dirichlet(np.full(3, 20.0), len(labels)) for seed in range(6)]
    assert problem.squared_units(problem.evaluate(starts[0])) is None

    def ended(W):
        solver, state = ProjectedGradient(), ProjectedGradient().start(problem, W)
        for _ in range(500):
            if state.optimality <= 1e-4:
                return problem.total(state.point)
            state = solver.step(problem, state)
        raise AssertionError("no optimum in 500 steps")

    found = sum(map(ended, starts))
    monkeypatch.setattr(curvature, "COUPLED", 0.0)
    plain = sum(map(ended, starts))
    monkeypatch.setattr(curvature, "COUPLED", np.inf)
    assert found < 1.1 * plain < sum(map(ended, starts))


@pytest.mark.parametrize("compiled_from", [0, 10**9])
def test_a_step_in_units_is_the_least_of_its_model(monkeypatch, compiled_from):
    """<g, p - w> + B/2 sum_k (p_k - w_k)^2 / u_k is least at the step, among rows on the simplex."""
    monkeypatch.setattr(simplex, "COMPILED_FROM", compiled_from)
    affinity, W = unequal()
    problem = Problem(affinity, PerClusterObjective())
    point = problem.evaluate(W)
    u, B, g = problem.squared_units(point), 1.7, problem.gradient(point)
    step = problem.descend(point, B, u=u)
    move = step.W - point.W
    assert step.slope == pytest.approx((g * move).sum())
    assert step.square == pytest.approx((move**2 / u).sum())
    # the condition of the first order: no corner of the simplex lies downhill from the step
    downhill = g + B * move / u
    assert (downhill - (downhill * step.W).sum(axis=1, keepdims=True)).min() >= -1e-10 * np.abs(g).max()


@pytest.mark.parametrize("weighted", [False, True])
def test_optimality_is_how_far_a_step_in_units_moves_an_item(weighted):
    affinity, W = unequal()
    d = np.random.default_rng(1).integers(1, 4, len(W)).astype(float) if weighted else None
    problem = Problem(affinity, PerClusterObjective(), d)
    point = problem.evaluate(W)
    u = problem.squared_units(point)

    def moved(B, units):
        step = problem.descend(point, B, u=units).W - point.W
        return np.sqrt(np.average((step**2).sum(axis=1), weights=d))

    expected = moved(problem.curvature_bound(point, u), u)
    assert optimality_by_rows(problem, point) == pytest.approx(expected)
    assert optimality(problem, point, problem.gradient(point)) == pytest.approx(expected)
    assert expected > 1.3 * moved(problem.curvature_bound(point), None)  # what seems to stand by one length for all


def test_units_save_steps_where_clusters_differ_in_size(monkeypatch):
    affinity, W = unequal()

    def steps():
        problem, solver = Problem(affinity, PerClusterObjective()), ProjectedGradient()
        state = solver.start(problem, W)
        for count in range(500):
            if state.optimality <= 1e-6 or state.stalled:
                return count, state.point.value
            state = solver.step(problem, state)
        raise AssertionError("no optimum in 500 steps")

    count, value = steps()
    monkeypatch.setattr(curvature, "COUPLED", 0.0)
    count_without, value_without = steps()
    assert count < count_without
    assert value == pytest.approx(value_without, rel=1e-6)


@pytest.mark.parametrize("compiled_from", [0, 10**9])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("objective", [PerClusterObjective, SymNMFObjective])
def test_a_step_from_between_two_points_is_one_from_the_point_there(monkeypatch, objective, weighted, compiled_from):
    monkeypatch.setattr(simplex, "COMPILED_FROM", compiled_from)
    monkeypatch.setattr(rows, "BLOCK_NUMBERS", 12)
    rng = np.random.default_rng(5)
    weights = rng.integers(1, 4, 60).astype(float) if weighted else None
    problem = Problem(graph(np.float64), objective(), weights)
    first = problem.evaluate(rng.dirichlet(np.ones(3), 60))
    second, cross = problem.evaluate_beside(rng.dirichlet(np.ones(3), 60), first)
    # The two share what one product tells; `cross` is of the second with the first, and lines go from first to second.
    for t in (-0.3, 0.4, 1.0, 1.9):
        kept, line = problem.between(first, second, t), problem.line(first, second, cross, t)
        np.testing.assert_allclose(line.gram, kept.gram, atol=1e-11)
        np.testing.assert_allclose(line.scale, kept.scale, rtol=1e-9)
        assert line.value == pytest.approx(kept.value, rel=1e-11)
        B = problem.curvature_bound(first)
        found, expected = problem.descend(line, B, measured=(second, 2 * B, None)), problem.descend(kept, B)
        np.testing.assert_allclose(found.W, expected.W, atol=1e-9)
        assert found.slope == pytest.approx(expected.slope, rel=1e-8)
        assert found.square == pytest.approx(expected.square, rel=1e-8)
        assert found.moved == pytest.approx(problem.descend(second, 2 * B).square, rel=1e-12)


def test_a_small_factor_of_a_member_is_stepped_by_the_kernel_to_the_same_point(monkeypatch):
    W = np.random.default_rng(0).dirichlet(np.ones(3), 60)
    asked, compiled = [], simplex.row_descent

    def kept(*given):
        asked.append(found := compiled(*given))
        return found

    monkeypatch.setattr(domain, "row_descent", kept)
    alone, member = (Problem(graph(np.float64), one()) for one in (PerClusterObjective, graph_member._OneOfMany))
    stepped = [problem.descend(problem.evaluate(W), 50.0) for problem in (alone, member)]
    assert asked[0] is None
    assert asked[1] is not None
    np.testing.assert_allclose(stepped[1].W, stepped[0].W, atol=1e-12)
    assert stepped[1].slope == pytest.approx(stepped[0].slope, rel=1e-12)
    asked.clear()
    graph_member.Graph().cluster(np.random.default_rng(0).normal(size=(60, 2)), 3, np.random.default_rng(0))
    assert asked
    assert None not in asked


def test_a_compiled_projection_ends_where_rounding_decides_what_is_left_out():
    """One entry at the threshold that the others give: in or out, the mean of what is left rounds to either side."""
    from partita.kernels.simplex_rows import descend_rows

    rng = np.random.default_rng(0)
    for K in (2, 3, 5, 8):
        V = np.c_[np.zeros(3000), -0.3 * rng.random((3000, K - 1))]
        V[:, -1] = (V[:, :-1].sum(axis=1) - 1) / (K - 1)
        V = rng.permuted(V, axis=1)
        W = np.zeros_like(V)
        out = np.empty_like(V)
        descend_rows(W, V, None, np.ones(K), np.zeros((K, K)), 1.0, np.ones(K), out)
        np.testing.assert_allclose(out, project_rows_numpy(V), atol=1e-14)
        np.testing.assert_allclose(out.sum(axis=1), 1.0, atol=1e-14)
