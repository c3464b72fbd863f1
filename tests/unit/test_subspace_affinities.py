"""SSC, SSC-OMP, LRR and self-diffusion: optimality against outside oracles, and laws of subspaces."""

import json
import os
import subprocess
import sys
import tracemalloc
import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNet, orthogonal_mp
from sklearn.linear_model import Lasso as ScikitLasso

from partita import SoF, SoftClustering, load, save
from partita.affinity import (
    Builder,
    LowRankRepresentation,
    MatchingPursuit,
    Precomputed,
    SparseSubspace,
    self_diffusion,
)
from partita.affinity.from_subspace import lasso, nuclear_norm
from partita.affinity.from_subspace.codes import unit_rows
from partita.affinity.from_subspace.lasso import Lasso
from partita.affinity.from_subspace.nuclear_norm import Coordinates
from partita.affinity.from_subspace.pursuit import pursuit
from partita.cli import main
from partita.errors import InputError, MemoryLimitError
from partita.kernels.threads import limit_threads
from partita.metrics import adjusted_rand_index

# A few thousand roundings of numbers of about one.
ROUNDING = 1e-10
# As [elhamifar2013] has it.
PLAIN = SparseSubspace(alpha=20.0, ridge=0.0, per_item=False)
BUILDERS = {
    "ssc": SparseSubspace(),
    "ssc, low-rank": SparseSubspace(coordinates="low-rank"),
    "ssc, no ridge": PLAIN,
    "ssc, 800": replace(PLAIN, alpha=800.0),
    "ssc, each its own": SparseSubspace(ridge=0.0, keep=0.9),
    "ssc, cubed": replace(PLAIN, power=3.0),
    "ssc, affine": replace(PLAIN, affine=True),
    "ssc, affine, ridge": SparseSubspace(affine=True),
    "ssc, gross errors": replace(PLAIN, outliers=20.0),
    "ssc, gross errors, ridge": SparseSubspace(outliers=20.0),
    "ssc-omp": MatchingPursuit(n_atoms=3),
    "lrr": LowRankRepresentation(),
    "lrr, gross errors": LowRankRepresentation(errors="outliers"),
    "lrr, none": LowRankRepresentation(errors="none", n_neighbors=None),
    "lrr, few": LowRankRepresentation(n_neighbors=4, alpha=4),
    "lrr, coefficients": LowRankRepresentation(weights="coefficients", n_neighbors=None),
    "lrr, affine": LowRankRepresentation(affine=True, price=1e4, n_neighbors=None),
}
every_builder = pytest.mark.parametrize("builder", BUILDERS.values(), ids=BUILDERS)


def union(dimensions=(2, 3, 4), points=20, ambient=12, noise=0.0, seed=0):
    """Points on random subspaces of independent directions."""
    rng = np.random.default_rng(seed)
    frame, start, parts = np.linalg.qr(rng.normal(size=(ambient, ambient)))[0], 0, []
    mix = np.eye(ambient) + 0.3 * rng.normal(size=(ambient, ambient))  # independent, and not orthogonal
    for d in dimensions:
        parts.append(rng.normal(size=(points, d)) @ (frame[:, start : start + d].T @ mix))
        start += d
    X = np.concatenate(parts)
    X += noise * rng.normal(size=X.shape)
    return X, np.repeat(np.arange(len(dimensions)), points)


def affinity(builder, X, n_clusters=3):
    return builder.build(X, n_clusters=n_clusters).affinity


def dense(builder, X):
    return affinity(builder, X).to_dense()


# LASSO


def own_codes(X, tau, **options):
    n = len(X)
    return Lasso(X, **options).codes(X, np.full(n, tau), np.arange(n))


def misses(X, C, tau, ridge=0.0):
    """How far codes are from the optimality conditions: |g_j| <= tau, g_j = -tau sign(c_j) where c_j is not zero."""
    gradient = (C @ X - X) @ X.T + tau * ridge * C
    off = np.where(C != 0, np.abs(gradient + tau * np.sign(C)), np.maximum(np.abs(gradient) - tau, 0.0))
    np.fill_diagonal(off, 0.0)
    return off.max()


@pytest.mark.parametrize("share", [0.5, 0.1, 0.01, 0.00125])
@pytest.mark.parametrize(("noise", "ambient"), [(0.0, 12), (0.05, 12), (1.0, 12), (0.3, 100)])
def test_codes_satisfy_the_optimality_conditions_of_the_lasso(noise, ambient, share):
    X = unit_rows(union(noise=noise, ambient=ambient)[0])
    tau = share * np.abs(X @ X.T - np.eye(len(X))).max(axis=1).min()
    found = own_codes(X, tau)
    assert found.n_open == 0
    C = found.matrix.toarray()
    assert not C.diagonal().any()
    assert misses(X, C, tau) < ROUNDING
    assert np.abs(C).sum() > 0


@pytest.mark.parametrize("share", [0.3, 0.05])
def test_codes_are_those_of_scikit_learn_column_by_column(share):
    X = unit_rows(union(noise=0.1, seed=3)[0])
    tau = share * np.abs(X @ X.T - np.eye(len(X))).max(axis=1).min()
    C, n = own_codes(X, tau).matrix.toarray(), len(X)
    for i in range(n):
        others = np.delete(np.arange(n), i)
        # Its objective is divided by the number of features.
        model = ScikitLasso(alpha=tau / X.shape[1], fit_intercept=False, tol=1e-14, max_iter=200_000)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # its duality gap cannot always reach 1e-14
            expected = model.fit(X[others].T, X[i]).coef_
        # Coordinate descent stops at a change of the objective, whose root is the error of the code.
        np.testing.assert_allclose(C[i, others], expected, atol=1e-5)


@pytest.mark.parametrize("ridge", [1e-9, 0.1, 5.0, 1e4])
@pytest.mark.parametrize("share", [0.5, 0.1, 0.00125])
@pytest.mark.parametrize(("noise", "ambient"), [(0.0, 12), (0.05, 12), (1.0, 12), (0.3, 100)])
def test_codes_satisfy_the_optimality_conditions_of_the_elastic_net(noise, ambient, share, ridge):
    X = unit_rows(union(noise=noise, ambient=ambient)[0])
    X = np.vstack([X, X[:4]])  # copies: dependent atoms, which the ridge alone tells how to share
    tau = share * np.abs(X @ X.T - np.eye(len(X))).max(axis=1).min()
    found = own_codes(X, tau, ridge=ridge)
    assert found.n_open == 0
    C = found.matrix.toarray()
    assert not C.diagonal().any()
    assert misses(X, C, tau, ridge) < ROUNDING * max(1.0, tau * ridge)
    assert np.abs(C).sum() > 0
    # Items that are not copied themselves use both copies of another alike.
    if ridge >= 0.1:
        np.testing.assert_allclose(C[4:60, :4], C[4:60, 60:], atol=1e-6)


@pytest.mark.parametrize("ridge", [0.5, 5.0, 50.0])
@pytest.mark.parametrize("share", [0.3, 0.05])
def test_codes_are_those_of_the_elastic_net_of_scikit_learn(share, ridge):
    X = unit_rows(union(noise=0.1, seed=3)[0])
    tau = share * np.abs(X @ X.T - np.eye(len(X))).max(axis=1).min()
    C, (n, d) = own_codes(X, tau, ridge=ridge).matrix.toarray(), X.shape
    for i in range(n):
        others = np.delete(np.arange(n), i)
        # 1 / (2 d) ||y - c D||^2 + a l ||c||_1 + a (1 - l) / 2 ||c||^2
        model = ElasticNet(
            alpha=tau * (1 + ridge) / d, l1_ratio=1 / (1 + ridge), fit_intercept=False, tol=1e-14, max_iter=200_000
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # as above
            expected = model.fit(X[others].T, X[i]).coef_
        np.testing.assert_allclose(C[i, others], expected, atol=1e-6)


def test_a_ridge_shares_among_copies_and_a_small_one_leaves_the_code_of_the_lasso():
    X = unit_rows(union(noise=0.1, seed=3)[0])
    tau = 0.05 * np.abs(X @ X.T - np.eye(len(X))).max(axis=1).min()
    n = len(X)
    alone = Lasso(X).codes(X, np.full(n, tau), np.arange(n)).matrix.toarray()
    # Over three copies of each atom with three times the ridge: a third of the code for each.
    atoms, none = np.vstack([X, X, X]), np.full(n, -1)
    targets = X + 0.3 * unit_rows(np.random.default_rng(0).normal(size=X.shape))
    whole = Lasso(X, ridge=1.0).codes(targets, np.full(n, tau), none).matrix.toarray()
    parts = Lasso(atoms, ridge=3.0).codes(targets, np.full(n, tau), none).matrix.toarray().reshape(n, 3, n)
    np.testing.assert_allclose(parts, np.repeat(whole[:, None] / 3, 3, axis=1), atol=1e-8)
    near = Lasso(X, ridge=1e-7).codes(X, np.full(n, tau), np.arange(n)).matrix.toarray()
    np.testing.assert_allclose(near, alone, atol=1e-5)


def test_a_ridge_joins_a_group_of_few_dimensions_which_the_lasso_leaves_a_ring():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)) @ np.linalg.qr(rng.normal(size=(20, 2)))[0].T

    def join(builder):
        P = dense(builder, X)
        np.fill_diagonal(P, 0.0)
        degrees = P.sum(axis=1)
        return 1.0 - np.linalg.eigvalsh(P / np.sqrt(degrees[:, None] * degrees))[-2]

    least = [join(SparseSubspace(ridge=ridge)) for ridge in (0.0, 5.0, 50.0)]
    assert least[0] < 0.1 * least[1]
    assert least[1] < least[2]


@pytest.mark.parametrize("ridge", [0.0, 5.0])
def test_admm_without_the_exact_step_comes_to_the_same_codes(ridge, monkeypatch):
    X = unit_rows(union(noise=0.1, seed=3)[0])
    tau = 0.05 * np.abs(X @ X.T - np.eye(len(X))).max(axis=1).min()
    exact = own_codes(X, tau, ridge=ridge).matrix.toarray()
    monkeypatch.setattr(lasso, "polished", lambda *_: None)
    found = own_codes(X, tau, ridge=ridge, tol=1e-9, max_iter=20_000)
    assert found.n_open == 0
    np.testing.assert_allclose(found.matrix.toarray(), exact, atol=1e-6)
    # And the exact step alone, from nothing but the first rounds, too.
    monkeypatch.undo()
    for name, value in (("ROUNDS", 2), ("PATIENCE", 0)):
        monkeypatch.setattr(lasso, name, value)
    np.testing.assert_allclose(own_codes(X, tau, ridge=ridge).matrix.toarray(), exact, atol=ROUNDING)


@pytest.mark.parametrize("ridge", [0.0, 0.7, 20.0])
def test_affine_codes_minimise_the_affine_problem(ridge):
    rng = np.random.default_rng(0)
    for trial in range(12):
        n, d, tau = 5 + trial % 3, 3, 0.02 * 3 ** (trial % 4)
        D, y = rng.normal(size=(n, d)), rng.normal(size=d)

        def value(c, D=D, y=y, tau=tau):
            return 0.5 * np.sum((y - c @ D) ** 2) + tau * (np.abs(c).sum() + ridge / 2 * c @ c)

        found = Lasso(D, n_affine=n, ridge=ridge).codes(y[None], np.array([tau]), np.array([-1]))
        code = found.matrix.toarray()[0]
        assert code.sum() == pytest.approx(1.0, abs=ROUNDING)

        # |c| = p + q for c = p - q: a smooth problem with bounds.
        def smooth(z, D=D, y=y, tau=tau, n=n):
            c = z[:n] - z[n:]
            return 0.5 * np.sum((y - c @ D) ** 2) + tau * (z.sum() + ridge / 2 * c @ c)

        split = minimize(
            smooth,
            np.full(2 * n, 1.0 / n),
            method="SLSQP",
            bounds=[(0, None)] * (2 * n),
            constraints={"type": "eq", "fun": lambda z, n=n: z[:n].sum() - z[n:].sum() - 1.0},
            options={"ftol": 1e-14, "maxiter": 2000},
        )
        best = split.x[:n] - split.x[n:]
        assert value(code) <= value(best) + 1e-8
        # The certificate: one multiplier of the sum, at which |g_j + nu| <= tau, with equality where c_j is not zero.
        gradient, held = D @ (code @ D - y) + tau * ridge * code, code != 0
        levels = -gradient[held] - tau * np.sign(code[held])
        np.testing.assert_allclose(levels, levels[0], atol=ROUNDING)
        assert np.abs(gradient + levels[0]).max() <= tau + ROUNDING


def test_lambda_is_the_printed_one():
    X, _ = union(noise=0.1)
    Z = unit_rows(X)
    seen = np.abs(Z @ Z.T - np.eye(len(Z))).max(axis=1)
    for builder, tau in (
        (replace(PLAIN, alpha=30.0), np.full(len(Z), seen.min() / 30.0)),
        (replace(PLAIN, alpha=30.0, per_item=True), seen / 30.0),
        (SparseSubspace(alpha=30.0, ridge=2.0), seen / 30.0),
    ):
        C = np.abs(Lasso(Z, ridge=builder.ridge).codes(Z, tau, np.arange(len(Z))).matrix.toarray())
        C /= C.max(axis=1, keepdims=True)
        np.testing.assert_allclose(dense(builder, X), C + C.T + np.eye(len(C)), atol=ROUNDING)
        squared = replace(builder, power=2.0)
        np.testing.assert_allclose(dense(squared, X), C**2 + C.T**2 + np.eye(len(C)), atol=ROUNDING)
    assert (SparseSubspace().alpha, SparseSubspace().ridge, SparseSubspace().per_item) == (10.0, 5.0, True)
    # With alpha just above 1 the first code comes to life, and below it is empty; the ridge has no say in it.
    alive = [affinity(SparseSubspace(alpha=a, per_item=True), X).nnz - len(X) for a in (0.999, 1.001)]
    assert alive[0] == 0
    assert alive[1] > 0


def test_outliers_take_what_a_gross_error_left():
    X, truth = union(noise=0.01, ambient=20, points=25)
    broken = X.copy()
    rng = np.random.default_rng(1)
    hit = rng.choice(len(X), 20, replace=False)
    broken[hit, rng.integers(0, 20, 20)] += 8.0
    same = truth[:, None] == truth

    def within(builder):
        P = dense(builder, broken) - np.eye(len(X))
        return P[same].sum() / P.sum()

    assert within(replace(PLAIN, outliers=20.0)) > within(PLAIN) + 0.1
    # The printed weight: alpha_e over the second largest sum of absolute features.
    Z = unit_rows(broken)
    weight = 20.0 / np.sort(np.abs(Z).sum(axis=1))[-2]
    tau = np.abs(Z @ Z.T - np.eye(len(Z))).max(axis=1).min() / 20.0
    atoms = np.vstack([Z, np.eye(20) / weight])
    for ridge in (0.0, 5.0):  # of items alone: errors have none
        each = np.where(np.arange(len(atoms)) < len(Z), ridge, 0.0)
        whole = Lasso(atoms, ridge=each).codes(Z, np.full(len(Z), tau), np.arange(len(Z))).matrix.toarray()
        gradient = (whole @ atoms - Z) @ atoms.T + tau * each * whole
        off = np.where(whole != 0, np.abs(gradient + tau * np.sign(whole)), np.maximum(np.abs(gradient) - tau, 0.0))
        off[np.arange(len(Z)), np.arange(len(Z))] = 0.0
        assert off.max() < ROUNDING * np.abs(atoms).max()
        C = np.abs(whole[:, : len(Z)])
        C /= np.where(C.max(axis=1) > 0, C.max(axis=1), 1.0)[:, None]
        found = dense(replace(PLAIN, ridge=ridge, outliers=20.0), broken)
        np.testing.assert_allclose(found, C + C.T + np.eye(len(C)), atol=1e-8)


def test_low_rank_coordinates_are_those_of_the_noisy_representation():
    X, _ = union(noise=0.02, ambient=14)
    U, s, _ = np.linalg.svd(X / np.linalg.norm(X, axis=1)[:, None], full_matrices=False)
    kept = s > 0.1  # tau = 100
    coordinates = U[:, kept] * np.sqrt(1.0 - 0.01 / s[kept] ** 2)
    assert 0 < kept.sum() < len(s)
    low_rank = SparseSubspace(coordinates="low-rank")
    np.testing.assert_allclose(dense(low_rank, X), dense(SparseSubspace(), coordinates), atol=1e-8)
    # Their products are the representation itself.
    Z = LowRankRepresentation(weights="coefficients", n_neighbors=None)
    np.testing.assert_allclose(2.0 * np.abs(coordinates @ coordinates.T), dense(Z, X), atol=ROUNDING)
    assert np.abs(dense(low_rank, X) - dense(SparseSubspace(), X)).max() > 0.1


def test_keep_leaves_the_largest_entries_of_each_code():
    X, _ = union(noise=0.2)
    whole = SparseSubspace(alpha=100.0).build(X, n_clusters=3)
    cut = SparseSubspace(alpha=100.0, keep=0.7).build(X, n_clusters=3)
    fresh = union(noise=0.2, seed=9)[0][:7]
    for full, part in zip(whole.rows(fresh).toarray(), cut.rows(fresh).toarray(), strict=True):
        kept = part > 0
        np.testing.assert_allclose(part[kept], full[kept], rtol=1e-6)
        assert full[~kept].max() <= full[kept].min()
        assert full[kept].sum() >= 0.7 * full.sum() > full[kept].sum() - full[kept].min()


def test_what_is_not_found_in_time_is_told_once(monkeypatch):
    X, _ = union(noise=0.2)
    monkeypatch.setattr(lasso, "polished", lambda *_: None)
    with pytest.warns(ConvergenceWarning, match="tol") as told:
        affinity(SparseSubspace(max_iter=5), X)
    assert len(told) == 1
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        affinity(LowRankRepresentation(errors="outliers", max_iter=3), X)


# Matching pursuit


@pytest.mark.parametrize("n_atoms", [1, 3, 7])
def test_pursuit_is_that_of_scikit_learn(n_atoms):
    X = unit_rows(union(noise=0.2, seed=5)[0])
    codes = pursuit(X, X, np.arange(len(X)), n_atoms, 0.0).toarray()
    for i in range(len(X)):
        others = np.delete(np.arange(len(X)), i)
        expected = orthogonal_mp(X[others].T, X[i], n_nonzero_coefs=n_atoms)
        np.testing.assert_allclose(codes[i, others], expected, atol=ROUNDING)
        assert codes[i, i] == 0


def test_pursuit_stops_where_little_is_left():
    X = unit_rows(union(noise=0.05, seed=5)[0])
    for tol in (0.5, 0.1):
        codes = pursuit(X, X, np.arange(len(X)), 12, tol).toarray()
        for i in range(len(X)):
            others = np.delete(np.arange(len(X)), i)
            expected = orthogonal_mp(X[others].T, X[i], tol=tol**2)  # scikit-learn's is a squared length
            np.testing.assert_allclose(codes[i, others], expected, atol=ROUNDING)


def test_pursuit_of_exact_subspaces_takes_no_more_atoms_than_dimensions():
    X, truth = union()
    P = affinity(MatchingPursuit(n_atoms=10), X)
    codes = pursuit(unit_rows(X), unit_rows(X), np.arange(len(X)), 10, 1e-8)
    assert np.diff(codes.indptr)[truth == 0].max() == 2
    assert np.diff(codes.indptr).max() <= 9
    assert P.nnz <= 2 * codes.nnz + len(X)


# Low-rank representation


def nuclear(Z):
    return np.linalg.svd(Z, compute_uv=False).sum()


def matrix_of(items, Z):
    return items.V @ (Z.left * Z.values) @ Z.right


@pytest.mark.parametrize("tau", [0.3, 2.0, 50.0])
def test_the_closed_form_is_the_minimiser(tau):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(7, 4))  # rows are items
    items = Coordinates.of(X)
    Z = matrix_of(items, nuclear_norm.noisy(items, tau))

    def value(Z):
        return nuclear(Z) + tau / 2 * np.sum((X.T - X.T @ Z) ** 2)

    # A subgradient of the nuclear norm, U V^T + W with W orthogonal to both and of norm at most 1, balances the rest.
    U, s, Vt = np.linalg.svd(Z)
    r = int((s > 1e-9).sum())
    balance = tau * X @ (X.T - X.T @ Z)
    inner = U[:, :r] @ Vt[:r]
    W = balance - inner
    np.testing.assert_allclose(U[:, :r].T @ W, 0.0, atol=1e-9)
    np.testing.assert_allclose(W @ Vt[:r].T, 0.0, atol=1e-9)
    assert np.linalg.norm(W, 2) <= 1.0 + 1e-9
    # And no search of SciPy's finds less.
    for seed in range(3):
        start = Z + 0.05 * np.random.default_rng(seed).normal(size=Z.shape)
        other = minimize(lambda z: value(z.reshape(Z.shape)), start.ravel(), method="Powell", options={"maxiter": 30})
        assert value(Z) <= other.fun + 1e-9


def test_the_augmented_lagrangian_ends_at_a_minimum():
    X, _ = union(noise=0.05, points=6, ambient=10)
    X[3] += 3.0 * np.random.default_rng(2).normal(size=10)
    items = Coordinates.of(X)
    found = nuclear_norm.outliers(items, 0.3, 1e-8, 1000)
    assert found.open == 0.0
    Z = matrix_of(items, found)

    def value(Z):
        return nuclear(Z) + 0.3 * np.linalg.norm(X.T - X.T @ Z, axis=0).sum()

    least, rng = value(Z), np.random.default_rng(0)
    # The problem is convex: a point below anywhere would show itself in the way there, at any distance.
    directions = [rng.normal(size=Z.shape) / np.sqrt(Z.size) for _ in range(200)]
    directions += [np.eye(len(X)) - Z, -Z, items.V @ items.V.T - Z]
    directions += [matrix_of(items, nuclear_norm.noisy(items, tau)) - Z for tau in (0.1, 1.0, 10.0, 1000.0)]
    for direction in directions:
        for step in (1e-4, 1e-2, 0.3, 1.0):
            # The equations are met to 1e-8, which N items may each bring in.
            assert value(Z + step * direction) >= least - 1e-6
    # Errors that cost too much are none.
    dear = matrix_of(items, nuclear_norm.outliers(items, 1e3, 1e-8, 1000))
    np.testing.assert_allclose(dear, items.V @ items.V.T, atol=1e-6)


def test_without_errors_it_is_the_shape_interaction_matrix():
    X, truth = union()
    items = Coordinates.of(X)
    V = np.linalg.svd(X, full_matrices=False)[0][:, :9]
    np.testing.assert_allclose(matrix_of(items, nuclear_norm.shape(items)), V @ V.T, atol=ROUNDING)
    M = unit_rows(V)
    P = dense(LowRankRepresentation(errors="none", alpha=3, unit_length=False, n_neighbors=None), X)
    np.testing.assert_allclose(P, (M @ M.T) ** 6, atol=ROUNDING)
    close = matrix_of(items, nuclear_norm.noisy(items, 1e12))
    np.testing.assert_allclose(close, V @ V.T, atol=1e-6)
    assert truth.max() == 2


# Both


@every_builder
def test_independent_exact_subspaces_have_no_affinity(builder):
    X, truth = union()
    P = dense(builder, X)
    apart = truth[:, None] != truth
    if isinstance(builder, SparseSubspace) and builder.ridge:
        assert P[apart].sum() < (0.3 if builder.affine or builder.outliers else 0.1) * P.sum()
    elif builder in (BUILDERS["ssc, affine"], BUILDERS["ssc, gross errors"], BUILDERS["lrr, affine"]):
        # The affine hulls of these subspaces meet, and an item's small features may pass for an error.
        assert P[apart].sum() < 0.2 * P.sum()
    elif isinstance(builder, LowRankRepresentation) and builder.errors == "none":
        assert P[apart].max() < 1e-12
    else:
        assert P[apart].sum() < 0.02 * P.sum()
    if isinstance(builder, (SparseSubspace, MatchingPursuit)) and not getattr(builder, "affine", False):
        # Orthogonal ones have none at all: zeros that are not stored.
        frame = np.linalg.qr(np.random.default_rng(1).normal(size=(9, 9)))[0]
        bases = np.split(frame, [2, 5])
        Y = np.concatenate([np.random.default_rng(2).normal(size=(20, len(B))) @ B for B in bases])
        assert not dense(builder if builder.name == "ssc-omp" else replace(builder, outliers=None), Y)[apart].any()
    assert P[~apart].max() > 0.1


@every_builder
def test_affinities_are_symmetric_bounded_and_have_one_on_the_diagonal(builder):
    P = dense(builder, union(noise=0.1)[0])
    np.testing.assert_array_equal(P, P.T)
    assert P.min() >= 0
    if builder != BUILDERS["lrr, coefficients"]:
        assert P.max() <= 2.0
        np.testing.assert_array_equal(P.diagonal(), 1.0)


@every_builder
def test_a_permutation_of_the_items_permutes_the_affinity(builder):
    X, _ = union(noise=0.1)
    order = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_allclose(dense(builder, X[order]), dense(builder, X)[np.ix_(order, order)], atol=1e-6)


@pytest.mark.parametrize("name", ["ssc", "ssc, low-rank", "ssc, 800", "ssc-omp", "lrr", "lrr, none"])
def test_length_sign_and_rotation_of_items_leave_it_alone(name):
    X, _ = union(noise=0.1)
    rng = np.random.default_rng(4)
    factors = rng.choice([-1.0, 1.0], len(X)) * 10.0 ** rng.uniform(-3, 3, len(X))
    rotation = np.linalg.qr(rng.normal(size=(12, 12)))[0]
    moved = dense(BUILDERS[name], factors[:, None] * X @ rotation)
    np.testing.assert_allclose(moved, dense(BUILDERS[name], X), atol=1e-7)


def flats(seed=0, n=30):
    """Three lines and a plane that miss the origin, none parallel to another."""
    rng = np.random.default_rng(seed)
    parts = [rng.normal(size=(n, d)) @ rng.normal(size=(d, 8)) + 4.0 * rng.normal(size=8) for d in (1, 1, 1, 2)]
    return np.concatenate(parts), np.repeat(np.arange(4), n)


@pytest.mark.parametrize("scaled", [True, False])
def test_affine_representations_see_neither_origin_nor_unit_nor_rotation(scaled):
    X, truth = flats()
    rng = np.random.default_rng(1)
    builder = LowRankRepresentation(affine=True, price=1e4, n_neighbors=None, unit_length=scaled)
    rotation = np.linalg.qr(rng.normal(size=(8, 8)))[0]
    P = dense(builder, X)
    np.testing.assert_allclose(dense(builder, 1e5 * (X @ rotation) - 300.0 * rng.normal(size=8)), P, atol=1e-6)
    apart = truth[:, None] != truth
    assert P[apart].sum() < 0.03 * P.sum()
    assert P[~apart].mean() > 0.3


def test_affine_is_the_linear_one_of_items_with_one_more_coordinate():
    X, _ = flats()
    centred = X - X.mean(axis=0)
    lifted = np.c_[centred / np.sqrt((centred**2).sum(axis=1).mean()), np.ones(len(X))]
    options = {"price": 1e4, "n_neighbors": None, "unit_length": False}
    expected = dense(LowRankRepresentation(**options), lifted)
    np.testing.assert_allclose(dense(LowRankRepresentation(affine=True, **options), X), expected, atol=1e-9)


def test_items_that_are_all_the_same_can_be_lifted():
    P = dense(LowRankRepresentation(affine=True, n_neighbors=None), np.full((5, 3), 7.0))
    np.testing.assert_allclose(P, 1.0)


def test_affine_codes_do_not_see_a_translation_and_linear_ones_do():
    X, truth = union((1, 2), ambient=6, seed=2)
    X = X + 3.0 * np.random.default_rng(0).normal(size=(2, 6))[truth]  # flats that miss the origin
    same = truth[:, None] == truth
    # A flat of one dimension is a plane of two through the origin: the affine code needs fewer items.
    affine, linear = (affinity(replace(PLAIN, affine=flag), X) for flag in (True, False))
    assert affine.to_dense()[~same].sum() < 0.01 * affine.to_dense().sum()
    assert affine.nnz != linear.nnz
    found = Lasso(X, n_affine=len(X)).codes(X, np.full(len(X), 1e-3), np.arange(len(X)))
    moved = Lasso(X + 7.0, n_affine=len(X)).codes(X + 7.0, np.full(len(X), 1e-3), np.arange(len(X)))
    np.testing.assert_allclose(moved.matrix.toarray(), found.matrix.toarray(), atol=1e-7)
    assert SparseSubspace(affine=True).scales is False
    assert SparseSubspace(affine=True, unit_length=True).scales is True


@every_builder
def test_duplicates_zeros_constants_and_few_items_are_taken(builder):
    rng = np.random.default_rng(0)
    X, _ = union(noise=0.1, points=6)
    cases = [
        np.vstack([X, X[:3], X[0]]),
        np.vstack([X, np.zeros((2, 12))]),
        np.ones((6, 4)),
        np.zeros((4, 3)),
        rng.normal(size=(1, 3)),
        rng.normal(size=(2, 3)),
        rng.normal(size=(3, 1)),
        np.eye(3),
        1e-140 * X,
        1e140 * X,
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for case in cases:
            evidence = builder.build(case, n_clusters=2)
            P = evidence.affinity.to_dense()
            assert P.shape == (len(case), len(case))
            assert np.isfinite(P).all()
            np.testing.assert_array_equal(P, P.T)
            rows = evidence.rows(case[:2])
            rows = rows.toarray() if sp.issparse(rows) else rows
            assert np.isfinite(rows).all()
    # An item of zeros has no affinity to any other.
    P = dense(builder, cases[1])
    if not getattr(builder, "affine", False):
        assert not P[-1, :-1].any()
    # Copies mean the same to everyone else.
    copies = dense(builder, cases[0])
    assert copies[0, -1] > 0


@every_builder
def test_the_bits_do_not_depend_on_the_number_of_threads(builder):
    X, _ = union(noise=0.1, points=130)  # more than one block
    answers = []
    for threads in (1, 2, 3):
        with limit_threads(threads):
            answers.append(dense(builder, X))
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])


# New items


@every_builder
def test_fitted_items_seen_again_have_their_own_rows(builder):
    X, _ = union(noise=0.1)
    evidence = builder.build(X, n_clusters=3)
    rows, P = evidence.rows(X), evidence.affinity.to_dense()
    rows = rows.toarray() if sp.issparse(rows) else rows
    if isinstance(builder, LowRankRepresentation):
        # With gross errors the coefficients of an item that has one are not a linear map of it.
        np.testing.assert_allclose(rows, P, atol=1e-8 if builder.errors != "outliers" else 1e-5)
        return
    directed = np.where(np.eye(len(X)) > 0, 0.0, rows / 2)
    np.testing.assert_allclose(directed + directed.T, np.where(np.eye(len(X)) > 0, 0.0, P), atol=1e-8)
    np.testing.assert_array_equal(rows.diagonal(), 1.0)


@every_builder
def test_rows_do_not_depend_on_what_came_with_them(builder):
    X, _ = union(noise=0.1)
    fresh = union(noise=0.1, seed=0)[0][:9] * 0.7 + union(noise=0.1, seed=0)[0][9:18] * 0.2
    evidence = builder.build(X, n_clusters=3)
    together = evidence.rows(fresh)
    alone = [evidence.rows(fresh[i : i + 1]) for i in range(len(fresh))]
    if sp.issparse(together):
        together, alone = together.toarray(), [part.toarray() for part in alone]
    np.testing.assert_allclose(together, np.vstack(alone), atol=1e-8)


@every_builder
@pytest.mark.parametrize("estimator", [SoF, SoftClustering])
def test_models_find_the_groups_and_predict_again_after_saving(builder, estimator, tmp_path):
    X, truth = union(noise=0.02, points=40, dimensions=(3, 3, 3))
    fresh, kind = union(noise=0.02, points=50, dimensions=(3, 3, 3))
    assert not np.array_equal(fresh[:40], X[:40])
    model = estimator(3, affinity=builder, random_state=0).fit(X)
    if estimator is SoftClustering:
        assert adjusted_rand_index(model.labels_, truth) > 0.85
        assert adjusted_rand_index(model.predict(X), truth) > 0.85
    found = model.predict_proba(fresh)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=ROUNDING)
    assert len(found) == len(kind)
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(fresh), found)
    assert again._builder_ == builder


@pytest.mark.parametrize("name", ["ssc", "ssc-omp", "lrr"])
def test_a_name_is_the_builder_of_that_name(name):
    X, _ = union(noise=0.02)
    kind = Builder.registry[name]
    for estimator in (SoF, SoftClustering):
        named, built = (estimator(3, affinity=what, random_state=0).fit(X) for what in (name, kind()))
        np.testing.assert_array_equal(named.membership_, built.membership_)


@pytest.mark.parametrize("name", ["ssc", "ssc-omp", "lrr"])
def test_the_command_line_knows_it(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("partita.report.pictures.png", lambda figure, dpi: b"")
    X, _ = union(noise=0.02, points=15)
    np.savetxt(tmp_path / "items.csv", X, delimiter=",", header=",".join(f"f{j}" for j in range(12)), comments="")
    with pytest.raises(SystemExit) as ended:
        main(["fit", "items.csv", "--k", "3", "--affinity", name, "--out", "out", "--quiet"])
    assert not ended.value.code
    told = json.loads((tmp_path / "out" / "result.json").read_text())["parameters"]["affinity"]
    assert told == Builder.registry[name]().config()


def test_an_option_that_says_nothing_to_it_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    np.savetxt(tmp_path / "items.csv", union()[0], delimiter=",", header=",".join("abcdefghijkl"), comments="")
    with pytest.raises(SystemExit) as ended:
        main(["fit", "items.csv", "--k", "3", "--affinity", "ssc", "--n-neighbors", "3"])
    assert ended.value.code == 2
    assert "--n-neighbors goes with" in capsys.readouterr().err


def test_no_compiler_is_loaded():
    code = (
        "import sys, numpy as np\n"
        "from partita.affinity import *\n"
        "X = np.random.default_rng(0).normal(size=(60, 5))\n"
        "for builder in (SparseSubspace(), MatchingPursuit(), LowRankRepresentation(errors='outliers')):\n"
        "    builder.build(X, n_clusters=2).rows(X[:2])\n"
        "assert 'numba' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# Sizes


def test_pursuit_of_many_items_takes_no_n_by_n():
    X, truth = union((2, 3, 4), points=2700, noise=0.01)
    n = len(X)
    with limit_threads(1):
        tracemalloc.start()
        P = affinity(MatchingPursuit(n_atoms=4), X)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 8 * n**2 / 4
    assert P.nnz <= (2 * 4 + 1) * n
    matrix = P.matrix.tocoo()
    assert matrix.data[truth[matrix.row] == truth[matrix.col]].sum() > 0.9 * matrix.data.sum()


def test_sparse_codes_take_blocks_and_no_n_by_n(monkeypatch):
    monkeypatch.setattr(lasso, "BLOCK", 32)
    X, _ = union((2, 3, 4), points=400, noise=0.01)
    with limit_threads(1):
        tracemalloc.start()
        affinity(SparseSubspace(alpha=5.0, max_iter=100), X)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    # A dozen arrays of a block, 32 x 1200 numbers, and two of 256 x 1200: 9 MB. One N x N array would be 11.5 MB.
    assert peak < 8 * len(X) ** 2


def test_what_would_not_fit_is_refused_with_a_way_out(monkeypatch):
    X = np.random.default_rng(0).normal(size=(2000, 3))
    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", "1000000")
    for builder in (SparseSubspace(), LowRankRepresentation()):
        with pytest.raises(MemoryLimitError, match="--affinity ssc-omp"):
            affinity(builder, X)
    with pytest.raises(MemoryLimitError, match="affinity='neighbors'"):
        affinity(MatchingPursuit(), X)
    with pytest.raises(MemoryLimitError, match="steps=t"):
        self_diffusion(sp.eye_array(2000, format="csr"))


# Self-diffusion


@pytest.mark.parametrize("n_steps", [0, 1, 2, 7])
def test_self_diffusion_is_the_printed_iteration(n_steps):
    rng = np.random.default_rng(0)
    half = rng.random((9, 9))
    W = half + half.T
    D = np.diag(W.sum(axis=1))
    P = np.linalg.inv(D) @ W
    # The sum that the iteration adds up: W P^t + I + P + ... + P^(t-1).
    total = W @ np.linalg.matrix_power(P, n_steps)
    for t in range(n_steps):
        total = total + np.linalg.matrix_power(P, t)
    expected = total @ np.linalg.inv(D)
    found = self_diffusion(W, n_steps).to_dense()
    np.testing.assert_allclose(found, (expected + expected.T) / 2, atol=ROUNDING)
    np.testing.assert_array_equal(found, found.T)
    order = rng.permutation(9)
    np.testing.assert_allclose(
        self_diffusion(W[np.ix_(order, order)], n_steps).to_dense(), found[np.ix_(order, order)], atol=ROUNDING
    )
    np.testing.assert_allclose(self_diffusion(sp.csr_array(W), n_steps).to_dense(), found, atol=ROUNDING)


def test_self_diffusion_joins_within_groups_and_never_across_pieces():
    block = np.diag(np.ones(5)) + np.diag(np.ones(4), 1) + np.diag(np.ones(4), -1)
    W = np.zeros((11, 11))
    W[:5, :5] = W[5:10, 5:10] = block  # two chains, and an item alone
    found = self_diffusion(W, 10).to_dense()
    assert (found[:5, :5] > 0).all()
    assert not found[:5, 5:].any()
    assert found[10].tolist() == [0.0] * 10 + [1.0]
    assert W[0, 4] == 0  # the caller's array is as it was


# Options


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SparseSubspace(alpha=0.0), "alpha=0.0"),
        (lambda: SparseSubspace(alpha=np.inf), "alpha=inf"),
        (lambda: SparseSubspace(ridge=-1.0), "ridge=-1.0"),
        (lambda: SparseSubspace(ridge=np.inf), "ridge=inf"),
        (lambda: SparseSubspace(coordinates="few"), "coordinates='few'"),
        (lambda: SparseSubspace(coordinates="low-rank", affine=True), "affine"),
        (lambda: SparseSubspace(coordinates="low-rank", outliers=20.0), "affine, outliers"),
        (lambda: SparseSubspace(coordinates="low-rank", unit_length=False), "unit_length=False"),
        (lambda: SparseSubspace(outliers=-1.0), "outliers=-1.0"),
        (lambda: SparseSubspace(keep=0.0), "keep=0.0"),
        (lambda: SparseSubspace(keep=1.1), "keep=1.1"),
        (lambda: SparseSubspace(power=0.0), "power=0.0"),
        (lambda: SparseSubspace(tol=0.0), "tol=0.0"),
        (lambda: SparseSubspace(max_iter=0), "max_iter=0"),
        (lambda: MatchingPursuit(n_atoms=0), "n_atoms=0"),
        (lambda: MatchingPursuit(residual=1.0), "residual=1.0"),
        (lambda: MatchingPursuit(keep=-0.5), "keep=-0.5"),
        (lambda: LowRankRepresentation(errors="few"), "errors='few'"),
        (lambda: LowRankRepresentation(weights="few"), "weights='few'"),
        (lambda: LowRankRepresentation(errors="none", price=1.0), "price"),
        (lambda: LowRankRepresentation(price=0.0), "price=0.0"),
        (lambda: LowRankRepresentation(alpha=0), "alpha=0"),
        (lambda: LowRankRepresentation(alpha=1.5), "alpha=1.5"),
        (lambda: LowRankRepresentation(n_neighbors=0), "n_neighbors=0"),
        (lambda: LowRankRepresentation(tol=2.0), "tol=2.0"),
        (lambda: LowRankRepresentation(max_iter=0), "max_iter=0"),
        (lambda: self_diffusion(np.eye(3), -1), "n_steps=-1"),
        (lambda: self_diffusion(np.eye(3), 1.5), "n_steps=1.5"),
        (lambda: self_diffusion(np.array([[1.0, -0.5], [-0.5, 1.0]])), r"affinity\[0, 1\] = -0\.5"),
        (
            lambda: self_diffusion(
                Precomputed(missing="unobserved").build(np.array([[1.0, np.nan], [np.nan, 1.0]]), n_clusters=1).affinity
            ),
            "unobserved",
        ),
    ],
)
def test_wrong_options_are_named(make, message):
    with pytest.raises(InputError, match=message):
        make()


@every_builder
def test_missing_features_are_refused(builder):
    X, _ = union()
    X[4, 2] = np.nan
    with pytest.raises(InputError, match=r"X\[4, 2\]"):
        affinity(builder, X)


@every_builder
def test_a_builder_is_its_config(builder):
    assert Builder.from_config(json.loads(json.dumps(builder.config()))) == builder
    assert os.fspath(builder.name) in Builder.registry
