"""Baselines against textbook formulas, SciPy and NumPy."""

import numpy as np
import pytest
from scipy.optimize import nnls
from sklearn.cluster import KMeans as Lloyd
from sklearn.cluster import kmeans_plusplus

from partita.affinity import DenseAffinity, NeighborGraph
from partita.baselines import (
    GNMF,
    NMF,
    BaselineEvidence,
    Copositive,
    FuzzyCMeans,
    NgJordanWeiss,
    NormalisedCut,
    RegularizedNMF,
    SphericalKMeans,
    SymNMF,
)
from partita.baselines.gnmf import descend, neighbour_graph
from partita.baselines.nmf import alternate
from partita.baselines.nonnegative import nonnegative_features, unit_basis
from partita.kernels.block_pivoting import pivoted_nonnegative
from partita.kernels.spherical_kmeans import ascend
from synthetic import gaussians


def table(n=60, d=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.gamma(1.0, size=(n, 3)) @ rng.gamma(0.5, size=(3, d)) + 0.1 * rng.random((n, d))


@pytest.mark.parametrize(("n", "K", "rows", "seed"), [(200, 1, 3, 0), (200, 6, 8, 1), (60, 30, 40, 2), (20, 70, 90, 3)])
@pytest.mark.parametrize("passes", [None, 1])  # one pass leaves nearly all rows to the active set
def test_pivoting_solves_what_nnls_solves(n, K, rows, seed, passes):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(rows, K)) + 0.5
    T = rng.normal(size=(n, rows))
    X = pivoted_nonnegative(A.T @ A, T @ A, passes=passes)
    expected = np.array([nnls(A, t)[0] for t in T])
    # The normal equations square the condition number of A.
    np.testing.assert_allclose(X, expected, atol=1e-12 * np.linalg.cond(A) ** 2)


@pytest.mark.parametrize("free", ["none", "all", "random", "right"])
def test_pivoting_does_not_depend_on_the_first_guess(free):
    rng = np.random.default_rng(4)
    A, T = rng.normal(size=(12, 7)), rng.normal(size=(300, 12))
    expected = np.array([nnls(A, t)[0] for t in T])
    guess = {
        "none": np.zeros((300, 7), dtype=bool),
        "all": np.ones((300, 7), dtype=bool),
        "random": rng.random((300, 7)) < 0.5,
        "right": expected > 0,
    }[free]
    np.testing.assert_allclose(pivoted_nonnegative(A.T @ A, T @ A, guess), expected, atol=1e-9)


def test_pivoting_with_components_that_coincide_or_vanish_has_the_least_residual():
    rng = np.random.default_rng(5)
    A = rng.random((9, 4))
    A = np.c_[A, A[:, 0], np.zeros(9)]  # a copy, and a component that is zero
    T = rng.normal(size=(50, 9))
    X = pivoted_nonnegative(A.T @ A, T @ A)
    assert (X >= 0).all()
    assert not X[:, 5].any()
    least = np.array([nnls(A, t)[1] for t in T])
    # The ridge of 1e-12 moves the residual by its square root at most.
    np.testing.assert_allclose(np.linalg.norm(X @ A.T - T, axis=1), least, atol=1e-6)


@pytest.mark.parametrize("alpha", [0.0, 0.3])
def test_alternating_least_squares_is_brute_nnls_row_by_row_and_never_rises(alpha):
    X = table()
    H = X[[3, 17, 40]]
    ours = alternate(X, H, alpha, max_iter=40, tol=0.0)
    # The same alternation by SciPy's active set on the stacked problem [A; sqrt(alpha) I] x ~ [t; 0].
    K, root = 3, np.sqrt(alpha) * np.eye(3)
    brute = []
    for _ in range(40):
        W = np.array([nnls(np.vstack([H.T, root]), np.r_[x, np.zeros(K)])[0] for x in X])
        H = np.array([nnls(np.vstack([W, root]), np.r_[x, np.zeros(K)])[0] for x in X.T]).T
        brute.append(((X - W @ H) ** 2).sum() + alpha * ((W**2).sum() + (H**2).sum()))
    rounding = 1e-11 * (X**2).sum()
    np.testing.assert_allclose(ours.trace, brute, atol=1e3 * rounding)
    assert (np.diff(ours.trace) <= rounding).all()
    np.testing.assert_allclose(ours.W @ ours.H, W @ H, atol=1e-6 * np.abs(X).max())


def test_alternating_least_squares_ends_at_a_stationary_point():
    X = table(seed=1)
    got = alternate(X, X[[0, 1, 2]], 0.0, max_iter=5000, tol=1e-6)
    assert got.converged
    for F, slope in ((got.W, (got.W @ got.H - X) @ got.H.T), (got.H, got.W.T @ (got.W @ got.H - X))):
        assert (F >= 0).all()
        assert slope.min() > -1e-3
        assert np.abs(F * slope).max() < 1e-3


def test_an_exact_product_is_found_and_labels_do_not_depend_on_the_unit():
    rng = np.random.default_rng(2)
    truth = np.arange(40) % 3
    X = np.kron(np.eye(3), np.ones((1, 2)))[truth] * rng.uniform(1.0, 2.0, size=(40, 1))
    for method in (NMF(n_init=5), RegularizedNMF(n_init=5)):
        found = method.cluster(BaselineEvidence(features=X), 3, np.random.default_rng(0))
        other = method.cluster(BaselineEvidence(features=1024.0 * X), 3, np.random.default_rng(0))
        assert len(set(zip(truth.tolist(), found.labels.tolist()))) == 3
        np.testing.assert_array_equal(found.labels, other.labels)


def test_the_penalty_shrinks_singular_values_where_signs_do_not_bind():
    # A rank-one positive X: min (s - w h)^2 + alpha (w^2 + h^2) has w h = s - alpha.
    u, v = np.array([3.0, 4.0]) / 5.0, np.array([1.0, 2.0, 2.0]) / 3.0
    X = 10.0 * np.outer(u, v)
    got = alternate(X, v[None], 0.5, max_iter=1000, tol=1e-9)
    np.testing.assert_allclose(got.W @ got.H, 9.5 * np.outer(u, v), atol=1e-6)


def test_a_shift_is_told_and_a_unit_basis_is_the_same_model():
    X = table() - 1.0
    shifted, note = nonnegative_features(X)
    assert shifted.min() == 0.0
    assert str(int((X.min(axis=0) < 0).sum())) in note
    assert NMF().cluster(BaselineEvidence(features=X), 2, np.random.default_rng(0)).note == note
    W, H = np.random.default_rng(0).random((2, 4, 4))
    V, basis = unit_basis(W, H)
    np.testing.assert_allclose(np.linalg.norm(basis, axis=1), 1.0)
    np.testing.assert_allclose(V @ basis, W @ H)


@pytest.mark.parametrize("penalty", [0.0, 1.0, 100.0])
def test_gnmf_never_rises_and_reports_its_objective(penalty):
    X = table(seed=3)
    rng = np.random.default_rng(0)
    S = neighbour_graph(X, 5)
    U, V, trace, _ = descend(X, S, rng.random((5, 3)), rng.random((60, 3)), penalty, max_iter=300, tol=0.0)
    dense = S.toarray()
    L = np.diag(dense.sum(axis=1)) - dense
    value = ((X - V @ U.T) ** 2).sum() + penalty * np.trace(V.T @ L @ V)
    assert trace[-1] == pytest.approx(value, rel=1e-9)
    assert len(trace) == 300
    assert (np.diff(trace) <= 1e-11 * (X**2).sum()).all()
    assert trace[-1] < trace[0]


def test_the_graph_of_gnmf_is_that_of_its_definition():
    X = table(n=30, seed=4)
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    np.fill_diagonal(D, np.inf)
    near = np.zeros((30, 30))
    near[np.arange(30)[:, None], np.argsort(D, axis=1)[:, :5]] = 1.0
    np.testing.assert_array_equal(neighbour_graph(X, 5).toarray(), np.maximum(near, near.T))


def test_gnmf_labels_by_k_means_or_argmax():
    evidence = BaselineEvidence(features=table(seed=5))
    soft = GNMF(labels="argmax").cluster(evidence, 3, np.random.default_rng(0))
    np.testing.assert_array_equal(soft.labels, soft.membership.argmax(axis=1))
    assert GNMF().cluster(evidence, 3, np.random.default_rng(0)).membership is None


def unit_rows(n=120, d=4, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, d))
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def test_the_sum_of_cosines_never_falls_and_is_that_of_the_labels():
    X = unit_rows()
    for K in (2, 7, 60):
        centres, _ = kmeans_plusplus(X, K, random_state=0)
        labels, trace, converged = ascend(X, centres, 500)
        assert converged
        assert (np.diff(trace) >= -1e-12 * len(X)).all()
        assert set(labels.tolist()) == set(range(K))
        sums = np.array([X[labels == k].sum(axis=0) for k in range(K)])
        cosine = X @ (sums / np.linalg.norm(sums, axis=1, keepdims=True)).T
        assert trace[-1] == pytest.approx(cosine[np.arange(len(X)), labels].sum())
        np.testing.assert_array_equal(cosine.argmax(axis=1), labels)


def test_a_cluster_that_starts_empty_is_filled_and_the_sum_does_not_fall():
    X = np.abs(unit_rows(seed=1))
    centres = np.vstack([X[:2], -np.ones(4) / 2.0])  # no row points that way
    labels, trace, _ = ascend(X, centres, 500)
    assert set(labels.tolist()) == {0, 1, 2}
    assert (np.diff(trace) >= -1e-12 * len(X)).all()


def test_an_empty_cluster_takes_the_row_that_fits_worst():
    angle = np.array([0.0, 0.1, 0.2, 0.9, 1.5, 1.55, 1.6])
    X = np.c_[np.cos(angle), np.sin(angle)]
    centres = np.array([X[1], X[5], [-1.0, 0.0]])
    labels, _, _ = ascend(X, centres, 1)
    assert labels.tolist() == [0, 0, 0, 2, 1, 1, 1]


def test_spherical_k_means_is_k_means_where_unit_rows_are_in_tight_bundles():
    rng = np.random.default_rng(2)
    axes = np.eye(3)[np.arange(90) % 3]
    X = (axes + 0.05 * rng.normal(size=(90, 3))) * rng.uniform(1.0, 50.0, size=(90, 1))
    ours = SphericalKMeans(n_init=10).cluster(BaselineEvidence(features=X), 3, np.random.default_rng(0)).labels
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    other = Lloyd(3, n_init=10, random_state=0).fit(unit).labels_
    assert len(set(zip(ours.tolist(), other.tolist()))) == 3


def affinity(n=40, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, 2))
    return np.exp(-np.linalg.norm(X[:, None] - X[None], axis=2))


def spans_the_same(A, B):
    """Largest difference of the projections on two column spaces."""
    Qa, Qb = np.linalg.qr(A)[0], np.linalg.qr(B)[0]
    return np.abs(Qa @ Qa.T - Qb @ Qb.T).max()


@pytest.mark.parametrize("sparse", [False, True])
def test_normalised_cut_has_the_generalised_eigenvectors(sparse):
    P = affinity()
    if sparse:
        X = np.random.default_rng(1).normal(size=(60, 2))
        given = NeighborGraph(n_neighbors=12).build(X, n_clusters=4).affinity
        P = given.to_dense()
    else:
        given = DenseAffinity(P)
    Y = NormalisedCut().embedding(given, 4)
    D = np.diag(P.sum(axis=1))
    root = np.diag(P.sum(axis=1) ** -0.5)
    values, vectors = np.linalg.eigh(root @ (D - P) @ root)
    assert values[4] - values[3] > 1e-4  # or the span would not be defined
    assert spans_the_same(Y, root @ vectors[:, :4]) < 1e-8
    np.testing.assert_allclose((D - P) @ Y, D @ Y * values[:4], atol=1e-8)
    np.testing.assert_allclose(Y[:, 0], Y[0, 0], atol=1e-10)  # the leading one is constant


def test_ng_jordan_weiss_has_unit_rows_of_the_eigenvectors_without_the_diagonal():
    P = affinity(seed=1)
    Z = NgJordanWeiss().embedding(DenseAffinity(P), 3)
    off = P - np.diag(np.diag(P))
    root = np.diag(off.sum(axis=1) ** -0.5)
    values, vectors = np.linalg.eigh(root @ off @ root)
    assert values[-3] - values[-4] > 1e-4
    V = vectors[:, -3:]
    V = V / np.linalg.norm(V, axis=1, keepdims=True)
    np.testing.assert_allclose(Z @ Z.T, V @ V.T, atol=1e-8)  # the same rows up to a rotation


def test_fuzzy_memberships_and_centres_hold_each_other_up():
    rng = np.random.default_rng(0)
    X = gaussians(np.arange(80) % 3, 3.0 * np.eye(3), rng)
    for m in (1.5, 2.0, 3.0):
        got = FuzzyCMeans(fuzzifier=m, tol=1e-9, max_iter=5000).cluster(BaselineEvidence(features=X), 3, rng)
        assert got.converged
        U = got.membership
        V = (U**m).T @ X / (U**m).sum(axis=0)[:, None]
        if m < 3.0:  # a large fuzzifier may leave nothing but equal rows, for which the equations hold too
            assert U.max() > 0.9
        distance = np.linalg.norm(X[:, None] - V[None], axis=2)
        expected = 1.0 / ((distance[:, :, None] / distance[:, None, :]) ** (2.0 / (m - 1.0))).sum(axis=2)
        np.testing.assert_allclose(U, expected, atol=1e-8)


@pytest.mark.parametrize(
    "method",
    [
        SymNMF(tol=1e-6, max_iter=5000),
        SymNMF(tol=1e-6, max_iter=5000, solver="newton-columns"),
        SymNMF(tol=1e-6, max_iter=5000, solver="subspace"),
        Copositive(tol=1e-3, max_iter=20000),
    ],
)
def test_symmetric_factors_are_stationary_for_their_affinity(method):
    P = affinity(n=30, seed=2)
    problem = method.problem(DenseAffinity(P))
    A = problem.affinity.to_dense()
    off = np.ones_like(A)
    if method.name == "symnmf":
        root = P.sum(axis=1) ** -0.5
        np.testing.assert_allclose(A, root[:, None] * P * root, atol=1e-12)
    else:
        off -= np.eye(30)
        assert not np.diag(A).any()
        F = P.copy()
        for _ in range(5000):  # Sinkhorn as written, both sides in turn
            F /= F.sum(axis=1, keepdims=True)
            F /= F.sum(axis=0, keepdims=True)
        np.testing.assert_allclose(A, off * F, atol=1e-9)
    found = method.cluster(BaselineEvidence(affinity=P), 3, np.random.default_rng(0))
    assert found.converged
    # The membership has the support of the factor, and its rows are the factor's up to their sums: the sums that
    # fit best are the only unknowns, and with them no entry wants to move.
    from scipy.optimize import least_squares

    Q = found.membership
    fit = least_squares(lambda s: (off * (A - (s[:, None] * Q) @ (s[:, None] * Q).T)).ravel(), np.full(30, 0.5))
    H = fit.x[:, None] * Q
    gradient = 4.0 * (off * (H @ H.T - A)) @ H
    size = np.abs(4.0 * A @ H).max()
    assert gradient.min() > -0.02 * size
    assert np.abs(gradient * H).max() < 0.02 * size * np.abs(H).max()
