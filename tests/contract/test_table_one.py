"""The models of [zhao2015] Table 1 as one objective over four domains, and how they bound each other: brute force."""

from itertools import product

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp

from partita.affinity import DenseAffinity, LowRankAffinity, SparseAffinity, Unobserved
from partita.affinity.normalise import normalise
from partita.errors import InputError
from partita.kernels.nonnegative import minimise_nonnegative
from partita.objectives import Domain, Objective, Problem
from partita.objectives.domain import Partitions
from partita.solvers import CoordinateDescent, KernelKMeans, LeadingEigenvectors, Solver, Starts, drive


def kernel(rng, n, d=2):
    """A Gaussian kernel and the feature vectors that it is the inner products of."""
    X = rng.normal(size=(n, d))
    K = np.exp(-((X[:, None] - X) ** 2).sum(axis=2))
    values, vectors = np.linalg.eigh(K)
    return K, vectors * np.sqrt(np.maximum(values, 0))


def partitions(n, K):
    """Every partition of n items into exactly K clusters, each once."""
    for labels in product(range(K), repeat=n):
        first = [labels.index(k) if k in labels else n for k in range(K)]
        if max(first) < n and first == sorted(first):
            yield np.array(labels)


def distortion(phi, labels, w):
    """Sum of squared distances to the cluster means, from the feature vectors."""
    total = 0.0
    for k in np.unique(labels):
        member = labels == k
        mean = np.average(phi[member], axis=0, weights=w[member])
        total += float(w[member] @ ((phi[member] - mean) ** 2).sum(axis=1))
    return total


def solve(matrix, objective, solver, K, weights=None, start="dirichlet", **options):
    P = matrix if not isinstance(matrix, np.ndarray) else DenseAffinity(matrix)
    problem = Problem(P, Objective.registry[objective](), weights)
    return drive(problem, solver, Starts(P, K, weights=weights), start, **({"seed": 0, "tol": 1e-9} | options))


weighting = pytest.mark.parametrize("weighted", [False, True])


@weighting
def test_the_objective_of_kernel_kmeans_is_the_sum_of_squared_distances_but_for_a_constant(weighted):
    rng = np.random.default_rng(0)
    P, phi = kernel(rng, 7)
    w = rng.random(7) + 0.3 if weighted else np.ones(7)
    problem = Problem(DenseAffinity(P), Objective.registry["kernel_kmeans"](), w if weighted else None)
    constants = []
    for labels in partitions(7, 3):
        Z = Partitions.of_labels(labels, 3, problem.weights)
        np.testing.assert_allclose(Z.T @ (w[:, None] * Z), np.eye(3), atol=1e-12)
        point = problem.evaluate(Z)
        root = np.sqrt(w)
        direct = ((root[:, None] * (P - Z @ Z.T) * root) ** 2).sum()
        assert problem.total(point) == pytest.approx(direct, rel=1e-10)
        # ||P||^2 + K - 2 tr(Z^T P Z), and the distances are tr(P) - tr(Z^T P Z)
        constants.append(problem.total(point) - 2 * distortion(phi, labels, w))
    np.testing.assert_allclose(constants, constants[0], rtol=1e-9)


@weighting
@pytest.mark.parametrize(("n", "K"), [(6, 2), (8, 2), (7, 3), (8, 3), (6, 4)])
def test_kernel_kmeans_with_restarts_finds_the_best_of_all_partitions(n, K, weighted):
    rng = np.random.default_rng(n * K)
    for matrix in (kernel(rng, n)[0], (lambda half: half + half.T)(rng.random((n, n)))):  # the second is indefinite
        w = rng.random(n) + 0.3 if weighted else None
        problem = Problem(DenseAffinity(matrix), Objective.registry["kernel_kmeans"](), w)
        values = {
            tuple(labels): problem.total(problem.evaluate(Partitions.of_labels(labels, K, w)))
            for labels in partitions(n, K)
        }
        result = solve(matrix, "kernel_kmeans", KernelKMeans(), K, w, n_init=20)
        assert result.objective == pytest.approx(min(values.values()), rel=1e-10)
        assert len(np.unique(result.membership.labels)) == K
        assert result.optimality == 0.0


@weighting
def test_a_kernel_kmeans_run_ends_where_no_single_move_helps(weighted):
    rng = np.random.default_rng(3)
    half = rng.random((25, 25))
    matrix = half + half.T  # indefinite
    assert np.linalg.eigvalsh(matrix)[0] < -1
    w = rng.random(25) + 0.3 if weighted else None
    problem = Problem(DenseAffinity(matrix), Objective.registry["kernel_kmeans"](), w)
    for seed in range(5):
        result = solve(matrix, "kernel_kmeans", KernelKMeans(), 4, w, seed=seed)
        assert (np.diff(result.trace) < 0).all()
        labels = result.membership.labels
        for i, k in product(range(25), range(4)):
            moved = labels.copy()
            moved[i] = k
            if len(np.unique(moved)) == 4:
                value = problem.total(problem.evaluate(Partitions.of_labels(moved, 4, w)))
                assert value >= result.objective * (1 - 1e-10)


def test_single_moves_leave_partitions_that_batches_keep():
    better = 0
    for seed in range(10):
        matrix = kernel(np.random.default_rng(seed), 40)[0]
        start = np.random.default_rng(seed).integers(4, size=40)
        batch = solve(matrix, "kernel_kmeans", KernelKMeans(refine=False), 4, start=start)
        moves = solve(matrix, "kernel_kmeans", KernelKMeans(), 4, start=start)
        assert moves.objective <= batch.objective * (1 + 1e-12)
        better += moves.objective < batch.objective * (1 - 1e-6)
    assert better >= 3


def test_batches_are_lloyds_on_a_linear_kernel():
    from sklearn.cluster import KMeans

    rng = np.random.default_rng(5)
    X = np.concatenate([rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 2, rng.normal(size=(20, 2)) - 2])
    start = np.r_[np.arange(3), rng.integers(3, size=57)]
    means = np.array([X[start == k].mean(axis=0) for k in range(3)])
    theirs = KMeans(3, init=means, n_init=1, tol=0).fit(X)
    ours = solve(LowRankAffinity(X), "kernel_kmeans", KernelKMeans(refine=False), 3, start=start)
    np.testing.assert_array_equal(ours.membership.labels, theirs.labels_)


@weighting
def test_the_spectral_optimum_is_that_of_the_leading_eigenvalues_whatever_the_start(weighted):
    rng = np.random.default_rng(6)
    matrix = kernel(rng, 30)[0]
    w = rng.random(30) + 0.3 if weighted else np.ones(30)
    scaled = np.sqrt(w)[:, None] * matrix * np.sqrt(w)
    leading = scipy.linalg.eigh(scaled, eigvals_only=True)[-3:]
    for P in (DenseAffinity(matrix), SparseAffinity(sp.csr_array(matrix))):
        result = solve(P, "spectral", LeadingEigenvectors(), 3, w if weighted else None, n_init=2)
        assert result.objective == pytest.approx((scaled**2).sum() + 3 - 2 * leading.sum(), rel=1e-9)
        assert result.optimality < 1e-9
        assert result.n_iter == 1
        Z = result.factor
        np.testing.assert_allclose(Z.T @ (w[:, None] * Z), np.eye(3), atol=1e-10)
        assert set(np.unique(result.membership.matrix)) == {0.0, 1.0}


@pytest.mark.parametrize("seeds", [2, 5])
@weighting
def test_wider_domains_have_lower_optima(weighted, seeds):
    """spectral <= kernel k-means, SymNMF <= kernel k-means and SymNMF <= SoF, on one and the same affinity."""
    strict = 0
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        matrix = kernel(rng, 8)[0]
        w = rng.random(8) + 0.3 if weighted else None
        problem = Problem(DenseAffinity(matrix), Objective.registry["kernel_kmeans"](), w)
        hard = min(problem.total(problem.evaluate(Partitions.of_labels(labels, 3, w))) for labels in partitions(8, 3))
        spectral = solve(matrix, "spectral", LeadingEigenvectors(), 3, w).objective
        symnmf = solve(matrix, "symnmf", CoordinateDescent(), 3, w, n_init=20).objective
        sof = solve(matrix, "sof", Solver.registry["projected-gradient"](), 3, w, n_init=20).objective
        assert spectral <= hard + 1e-9
        assert symnmf <= hard + 1e-9
        assert symnmf <= sof + 1e-9
        strict += spectral < hard - 1e-3
    assert strict == seeds


def test_a_doubly_stochastic_block_matrix_is_the_same_for_all_of_them():
    labels = np.repeat([0, 1, 2], [3, 5, 4])
    Z = Partitions.of_labels(labels, 3)
    F = Z @ Z.T  # doubly stochastic: each block is 1 / n_k
    np.testing.assert_allclose(F.sum(axis=1), 1.0)
    np.testing.assert_allclose(normalise(DenseAffinity(F), "relative-entropy").affinity.to_dense(), F, atol=1e-9)
    for objective, solver in (
        ("kernel_kmeans", KernelKMeans()),
        ("spectral", LeadingEigenvectors()),
        ("symnmf", CoordinateDescent()),
        ("copositive", CoordinateDescent()),
    ):
        result = solve(F, objective, solver, 3, n_init=10)
        assert result.objective == pytest.approx(0.0, abs=1e-8)
        found = result.membership.matrix
        np.testing.assert_allclose(found @ found.T, labels[:, None] == labels, atol=1e-4)


def test_unobserved_pairs_are_refused_where_the_trace_form_needs_every_pair():
    P = DenseAffinity(np.zeros((4, 4)), Unobserved([0], [0]))
    for objective, solver in (("kernel_kmeans", KernelKMeans()), ("spectral", LeadingEigenvectors())):
        with pytest.raises(InputError, match="unobserved"):
            solve(P, objective, solver, 2)


@weighting
@pytest.mark.parametrize("name", sorted(Domain.registry))
def test_a_projection_is_feasible_and_stays(name, weighted):
    rng = np.random.default_rng(8)
    domain = Domain.registry[name]
    w = rng.random(12) + 0.3 if weighted else None
    for _ in range(20):
        V = rng.normal(size=(12, 3))
        W = domain.project(V, w)
        assert domain.violation(W, w) < 1e-12
        M = domain.membership(W, domain.columns(W, w))
        assert M.min() >= 0
        np.testing.assert_allclose(M.sum(axis=1), 1.0, atol=1e-12)


@weighting
def test_the_nearest_orthonormal_factor_is_nearer_than_others(weighted):
    rng = np.random.default_rng(9)
    w = rng.random(10) + 0.3 if weighted else np.ones(10)
    domain = Domain.registry["orthonormal"]
    V = rng.normal(size=(10, 3))
    W = domain.project(V, w)

    def distance(U):
        return float(w @ ((U - V) ** 2).sum(axis=1))

    for _ in range(50):
        other = domain.project(W + 0.2 * rng.normal(size=W.shape), w)
        np.testing.assert_allclose(other.T @ (w[:, None] * other), np.eye(3), atol=1e-10)
        assert distance(W) <= distance(other) + 1e-12


def test_every_cluster_of_a_hard_start_gets_an_item():
    problem = Problem(DenseAffinity(np.eye(5)), Objective.registry["kernel_kmeans"]())
    W = np.tile([0.6, 0.4, 0.0, 0.0], (5, 1))
    W[3] = [0.5, 0.4, 0.1, 0.0]
    factor = Domain.registry["partitions"].begin(problem, W)
    assert ((factor > 0).sum(axis=0) > 0).all()
    assert factor[3, 0] == 0  # the least sure of its cluster went


@weighting
def test_a_nonnegative_start_is_scaled_to_the_least_objective(weighted):
    rng = np.random.default_rng(10)
    matrix = kernel(rng, 12)[0] * 7
    problem = Problem(DenseAffinity(matrix), Objective.registry["symnmf"](), rng.random(12) + 0.3 if weighted else None)
    W = rng.dirichlet(np.ones(3), size=12)
    H = Domain.registry["nonnegative"].begin(problem, W)
    factor = H / W
    np.testing.assert_allclose(factor, factor[0, 0])
    least = problem.evaluate(H).value
    for t in (0.9, 0.99, 1.01, 1.1):
        assert problem.evaluate(t * H).value > least


@weighting
def test_the_membership_of_an_exact_factor_comes_back_whatever_the_scale_of_its_columns(weighted):
    rng = np.random.default_rng(11)
    domain = Domain.registry["nonnegative"]
    W = rng.dirichlet(np.ones(4), size=30)
    H = W * np.array([0.01, 1.0, 30.0, 4.0])
    w = rng.random(30) + 0.1 if weighted else None
    np.testing.assert_allclose(domain.membership(H, domain.columns(H, w)), W, atol=1e-9)
    # a row of zeros is unassigned and uniform, and the others do not notice
    H[7] = 0.0
    s = domain.columns(H, w)
    assert domain.unassigned(H, s).tolist() == [7]
    found = domain.membership(H, s)
    np.testing.assert_allclose(found[7], 0.25)
    np.testing.assert_allclose(np.delete(found, 7, axis=0), np.delete(W, 7, axis=0), atol=1e-9)
    # and no column is switched off, though a column that only repeats another adds nothing to the row sums
    H = np.column_stack([np.ones(6), np.ones(6) + 0.1 * np.eye(6)[0]])
    assert minimise_nonnegative(H.T @ H, H.sum(axis=0)[None])[0, 1] < 1e-9
    assert (domain.columns(H) > 0.5).all()
