"""The projection onto the simplex: what defines it, and both implementations against an optimality condition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from partita.kernels.simplex import project_rows, project_rows_compiled, project_rows_numpy, project_rows_scaled

# The first call of the kernel compiles it.
property_test = settings(deadline=None)
both = pytest.mark.parametrize("project", [project_rows_numpy, project_rows_compiled])

ordinary = st.floats(-10, 10)
# Huge, tiny and tied values: rounding of x is eps |x|, but the projection depends on differences alone.
awkward = st.sampled_from(
    [0.0, -0.0, 1.0, 1 / 3, 1e-300, -1e-300, 5e-324, 1e-17, 1e15, -1e15, 1e17, -1e17, 1e300, -1e300]
)


def matrices(elements):
    shapes = st.tuples(st.integers(1, 8), st.integers(1, 7))
    return shapes.flatmap(lambda shape: arrays(np.float64, shape, elements=elements))


@both
@property_test
@given(V=matrices(ordinary | awkward))
def test_the_answer_is_on_the_simplex(project, V):
    W = project(V)
    assert W.shape == V.shape
    assert (W >= 0).all()
    assert np.abs(W.sum(axis=1) - 1).max() <= 1e-12  # K roundings of numbers below 1


@both
@property_test
@given(V=matrices(ordinary | awkward))
def test_it_is_the_projection(project, V):
    """w is the projection of v exactly when <v - w, u - w> <= 0 for every corner u of the simplex."""
    W = project(V)
    V = V - V.max(axis=1, keepdims=True)  # a shift along (1, ..., 1) does not move the projection
    V = np.maximum(V, -1e6)  # nor does lowering an entry that is out of reach; keeps rounding below 1e-9
    normal = V - W
    at_corners = normal - np.einsum("nk,nk->n", normal, W)[:, None]
    assert at_corners.max() <= 1e-9


@both
@settings(max_examples=15, deadline=None)
@given(V=arrays(np.float64, (2, 4), elements=st.floats(-3, 3)))
def test_a_quadratic_programme_agrees(project, V):
    W = project(V)
    for v, w in zip(V, W):
        found = minimize(
            lambda x, v=v: ((x - v) ** 2).sum(),
            np.full(4, 0.25),
            jac=lambda x, v=v: 2 * (x - v),
            bounds=[(0, 1)] * 4,
            constraints={"type": "eq", "fun": lambda x: x.sum() - 1, "jac": np.ones_like},
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 200},
        )
        np.testing.assert_allclose(w, found.x, atol=1e-6)  # SLSQP's own accuracy


def units(V, data):
    return data.draw(arrays(np.float64, V.shape[1], elements=st.floats(1e-3, 1e3)))


@property_test
@given(V=matrices(ordinary | awkward), data=st.data())
def test_in_units_of_the_columns_the_answer_is_on_the_simplex(V, data):
    W = project_rows_scaled(V, units(V, data))
    assert (W >= 0).all()
    assert np.abs(W.sum(axis=1) - 1).max() <= 1e-9  # roundings of numbers below the largest ratio of units


@property_test
@given(V=matrices(ordinary), data=st.data())
def test_in_units_of_the_columns_it_is_the_projection(V, data):
    """w is nearest by sum_k (w_k - v_k)^2 / u_k exactly when <(v - w) / u, c - w> <= 0 for every corner c."""
    u = units(V, data)
    W = project_rows_scaled(V, u)
    normal = (V - W) / u
    at_corners = normal - np.einsum("nk,nk->n", normal, W)[:, None]
    assert at_corners.max() <= 1e-9 * (1 + np.abs(normal).max())


@property_test
@given(V=matrices(ordinary))
def test_in_units_of_one_it_is_the_plain_projection(V):
    np.testing.assert_allclose(project_rows_scaled(V, np.ones(V.shape[1])), project_rows_numpy(V), rtol=0, atol=1e-13)


def test_what_is_no_number_stays_none():
    V = np.array([[np.nan, 1.0, 0.0], [0.2, 0.3, 0.5]])
    W = project_rows_scaled(V, np.array([1.0, 2.0, 3.0]))
    assert np.isnan(W[0]).all()
    np.testing.assert_allclose(W[1], V[1], atol=1e-15)


@property_test
@given(V=matrices(ordinary | awkward))
def test_numpy_and_the_compiled_kernel_agree(V):
    # the sums run in the same order; the shift may round differently
    np.testing.assert_allclose(project_rows_numpy(V), project_rows_compiled(V), atol=1e-12)


@both
@property_test
@given(V=matrices(ordinary | awkward))
def test_projecting_again_changes_nothing(project, V):
    W = project(V)
    np.testing.assert_allclose(project(W), W, atol=1e-14 * V.shape[1])


@both
@property_test
@given(V=matrices(ordinary | awkward), data=st.data())
def test_permuting_the_entries_permutes_the_answer(project, V, data):
    order = data.draw(st.permutations(range(V.shape[1])))
    np.testing.assert_allclose(project(V[:, order]), project(V)[:, order], atol=1e-14 * V.shape[1])


@both
@property_test
@given(V=matrices(ordinary | awkward), data=st.data())
def test_rows_do_not_see_each_other(project, V, data):
    i = data.draw(st.integers(0, len(V) - 1))
    np.testing.assert_array_equal(project(V[i : i + 1])[0], project(V)[i])


@both
@property_test
@given(V=matrices(st.floats(-100, 100)), shift=st.floats(-100, 100))
def test_adding_a_number_to_a_row_changes_nothing(project, V, shift):
    np.testing.assert_allclose(project(V + shift), project(V), atol=1e-12)


@both
def test_the_input_stays_as_it_was(project):
    V = np.array([[3.0, 1.0, 2.0], [0.2, 0.5, 0.1]])
    before = V.copy()
    project(V)
    np.testing.assert_array_equal(V, before)
    np.testing.assert_allclose(project(np.asfortranarray(V)), project(V), atol=0)
    np.testing.assert_allclose(project(V[:, ::-1]), project(V)[:, ::-1], atol=1e-15)


def test_the_size_at_which_the_kernel_takes_over_is_not_felt(monkeypatch):
    from partita.kernels import simplex

    V = np.random.default_rng(0).normal(size=(40_000, 5))  # three chunks of rows
    expected = project_rows(V)
    monkeypatch.setattr(simplex, "COMPILED_FROM", 1)
    monkeypatch.setattr(simplex, "project_rows_numpy", None)
    np.testing.assert_allclose(project_rows(V), expected, atol=1e-14)
