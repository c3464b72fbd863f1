"""Nystrom majorization: the model lies above the objective and touches it, and products are what it saves."""

from typing import cast

import numpy as np
import pytest

from partita import SoF
from partita.affinity import (
    Affinity,
    DenseAffinity,
    DrawsAffinity,
    NeighborGraph,
    RelativeDistance,
    SparseAffinity,
    WeightedAffinity,
)
from partita.errors import InputError
from partita.objectives import Objective, Problem
from partita.solvers import ProjectedGradient, Starts, SubspaceMajorization, default_solver, drive
from partita.solvers.subspace import _Basis, _Model
from synthetic import with_spectrum

SIMPLEX = sorted(name for name, kind in Objective.registry.items() if kind.domain.name == "simplex")


def evidence(rng, n, least):
    """A symmetric matrix with eigenvalues from `least` up."""
    values = np.r_[least, np.abs(rng.normal(size=n - 1)) + max(least, 0.0)]
    values[-3:] += 6.0
    return with_spectrum(values, rng)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("least", [0.1, 0.0, -2.0])
@pytest.mark.parametrize("objective", SIMPLEX)
def test_the_model_lies_above_the_objective_and_touches_it_where_products_were_paid(objective, least, weighted):
    rng = np.random.default_rng(0)
    n, K = 30, 3
    d = rng.random(n) + 0.5 if weighted else None
    problem = Problem(DenseAffinity(evidence(rng, n, least)), Objective.registry[objective](), d)
    basis = _Basis(np.empty((n, 0)), np.empty((n, 0)))
    seen = [rng.dirichlet(np.ones(K), size=n) for _ in range(3)]
    for W in seen:
        point, basis = basis.evaluate(problem, W)
        assert point.value == pytest.approx(problem.evaluate(W).value, rel=1e-10)
    # D^1/2 P D^1/2 has no eigenvalue below -2 max(d) here, which is all that tau has to cover
    tau = 0.0 if least >= 0 else 2.0 * (1.0 if d is None else d.max())
    model = Problem(cast(Affinity, _Model.of(problem, basis, tau)), problem.objective, d)
    size = abs(problem.evaluate(seen[0]).value)
    for W in seen:
        true, approximate = problem.evaluate(W), model.evaluate(W)
        assert approximate.value == pytest.approx(true.value, abs=1e-6 * size)
        gradient = problem.gradient(true)
        np.testing.assert_allclose(model.gradient(approximate), gradient, atol=1e-6 * np.abs(gradient).max())
    gaps = []
    for _ in range(200):
        W = rng.dirichlet(np.full(K, rng.choice([0.1, 1.0])), size=n)
        gaps.append(model.evaluate(W).value - problem.evaluate(W).value)
    assert min(gaps) > -1e-6 * size
    assert max(gaps) > 1e-3 * size  # and it is a model, not the objective


def test_it_takes_a_fraction_of_the_products_of_projected_gradient_to_the_same_objective():
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(size=(60, 4)) + 3 * c for c in np.eye(4)[:, :4] * 1.5])
    P = RelativeDistance().build(X, n_clusters=4).affinity
    found = {}
    for solver in (SubspaceMajorization(), ProjectedGradient()):
        problem = Problem(P, Objective.registry["sof"]())
        found[solver.name] = drive(problem, solver, Starts(P, 4), "dirichlet", n_init=5, seed=0, tol=1e-6)
    ours, plain = found["subspace"], found["projected-gradient"]
    assert ours.objective == pytest.approx(plain.objective, rel=1e-6)
    assert ours.total_products < 0.5 * plain.total_products
    assert ours.optimality <= 1e-6


def test_the_basis_stays_as_small_as_its_memory():
    rng = np.random.default_rng(2)
    problem = Problem(DenseAffinity(evidence(rng, 80, 0.0)), Objective.registry["sof"]())
    solver = SubspaceMajorization(memory=3)
    state = solver.start(problem, rng.dirichlet(np.ones(4), size=80))
    for _ in range(8):
        state = solver.step(problem, state)
        assert state.memory.basis.size <= 3 * 4
        B = state.memory.basis.B
        np.testing.assert_allclose(B.T @ B, np.eye(B.shape[1]), atol=1e-12)
        np.testing.assert_allclose(state.memory.basis.image, problem.affinity @ B, atol=1e-10)


@pytest.mark.parametrize("options", [{}, {"memory": 2, "probes": 0}])
@pytest.mark.parametrize("objective", SIMPLEX)
def test_negative_eigenvalues_that_the_basis_does_not_show_do_not_stop_it(objective, options):
    rng = np.random.default_rng(12)
    n = 60
    P = np.ones((n, n)) - np.eye(n)
    i, j = np.nonzero(np.triu(rng.random((n, n)) < 0.2, 1))
    P = WeightedAffinity(DenseAffinity(P), i, j, rng.choice([1.0, 30.0, 100.0], len(i)), rng.random(len(i)))
    d = rng.choice([0.1, 1.0, 30.0], n)
    failed = []
    for start in range(4):
        problem = Problem(P, Objective.registry[objective](), d)
        W = np.random.default_rng(start).dirichlet(np.ones(3), size=n)
        found = drive(problem, SubspaceMajorization(**options), Starts(P, 3, weights=d), W, tol=1e-6, max_iter=3000)
        assert found.optimality < 1e-5
        assert np.diff(found.trace).max() <= 0
        plain = drive(problem.fresh(), ProjectedGradient(), Starts(P, 3, weights=d), W, tol=1e-6, max_iter=3000)
        assert found.n_products < 5 * plain.n_products
        failed.append(found.n_products - found.n_iter)
    assert max(failed) > 5  # steps failed, tau grew, projected gradient took over


def test_what_a_product_costs_decides_the_default():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 3))
    assert default_solver(RelativeDistance().build(X, n_clusters=3).affinity, 3).name == "subspace"
    graph = NeighborGraph().build(X, n_clusters=3).affinity
    assert isinstance(graph, SparseAffinity)
    assert default_solver(graph, 3).name == "projected-gradient"
    few, many = (DrawsAffinity(rng.integers(0, 3, (draws, 600))) for draws in (5, 500))
    assert default_solver(few, 3).name == "projected-gradient"
    assert default_solver(many, 3).name == "subspace"
    assert SoF(3, random_state=0, n_init=1).fit(X).result_.solver_name == "subspace"


@pytest.mark.parametrize("options", [{"memory": 1}, {"probes": -1}, {"max_inner": 0}])
def test_parameters_out_of_range_are_refused(options):
    with pytest.raises(InputError, match="memory"):
        SubspaceMajorization(**options)
