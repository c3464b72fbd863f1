"""Starts of many items: coarsening, multilevel and filtered eigenvectors, sampled labels and means."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import eigsh
from sklearn.cluster import KMeans

from partita.affinity import (
    Affinity,
    DiffusedAffinity,
    DrawsAffinity,
    LowRankAffinity,
    NeighborGraph,
    ScaledAffinity,
    SparseAffinity,
    normalise,
)
from partita.errors import InputError
from partita.kernels import cluster_qr as cluster_qr_module
from partita.kernels.cluster_qr import cluster_qr, spectral_partition
from partita.kernels.coarsen import aggregates, contracted
from partita.kernels.threads import limit_threads
from partita.metrics import adjusted_rand_index
from partita.objectives import Problem, SpectralObjective
from partita.solvers import LeadingEigenvectors, Starts, drive, leading_eigenvectors, multilevel, spectral, start
from partita.solvers.chebyshev import filtered_subspace, lower_end
from synthetic import random_graph, scattered_blobs, with_spectrum

# What is certain to rounding of double precision, over sums of a few thousand.
ROUNDING = 1e-9


@pytest.fixture(scope="module")
def large():
    """The normalised graph of 24,000 items of eight clusters, and the clusters."""
    X, labels = scattered_blobs(24_000, 8)
    X = X[order := np.lexsort(X.T)]
    P = NeighborGraph().build(X, n_clusters=1).affinity
    return normalise(P, "symmetric").affinity, labels[order]


def sparse_graph(n, degree, seed=0):
    return random_graph(n, degree / n / 2, seed)


def aggregated(matrix, heaviest=6):
    return aggregates(matrix.indptr, matrix.indices, matrix.data, heaviest)


# Coarsening


@pytest.mark.parametrize("degree", [1, 3, 20])
def test_an_aggregate_is_connected_and_numbered_by_its_first_item(degree):
    matrix = sparse_graph(2000, degree)
    of, size = aggregated(matrix)
    assert np.unique(of, return_index=True)[0].tolist() == list(range(size))
    first = np.unique(of, return_index=True)[1]
    assert (np.diff(first) > 0).all()
    piece = connected_components(matrix)[1]
    for a in range(size):
        assert len(np.unique(piece[of == a])) == 1


def test_about_half_of_the_items_are_left(large):
    matrix = large[0].matrix
    for _ in range(3):
        of, size = aggregated(matrix)
        assert size <= 0.55 * matrix.shape[0]
        assert np.bincount(of).max() <= 7  # six, and one that waited
        arrays = contracted(matrix.indptr, matrix.indices, matrix.data, of, size, np.ones(len(of)))
        matrix = sp.csr_array((arrays[2], arrays[1], arrays[0]), shape=(size, size))


def test_a_star_is_halved_and_lone_items_stay():
    n = 1001
    star = sp.csr_array((np.ones(n - 1), (np.zeros(n - 1, dtype=int), np.arange(1, n))), shape=(n, n))
    of, size = aggregated(sp.csr_array(star + star.T))
    assert size <= n // 2 + 1
    of, size = aggregated(sp.csr_array(sp.eye_array(50)))
    assert of.tolist() == list(range(50))
    negative = sp.csr_array(-np.ones((4, 4)))
    assert aggregated(negative)[1] == 4  # what speaks against two items does not bring them together


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_the_coarse_matrix_is_the_product_with_q(kind):
    matrix = sparse_graph(3000, 12).astype(kind)
    of, size = aggregated(matrix)
    weight = np.random.default_rng(1).random(3000) + 0.5
    Q = sp.csr_array((weight, (np.arange(3000), of)), shape=(3000, size))
    runs = []
    for threads in (1, 2):
        with limit_threads(threads):
            runs.append(contracted(matrix.indptr, matrix.indices, matrix.data, of, size, weight))
    for one, other in zip(*runs):
        np.testing.assert_array_equal(one, other)
    indptr, indices, data = runs[0]
    assert data.dtype == kind
    found = sp.csr_array((data, indices, indptr), shape=(size, size))
    expected = (Q.T @ matrix @ Q).toarray()
    assert len(data) == np.count_nonzero(expected)
    np.testing.assert_allclose(found.toarray(), expected, rtol=30 * np.finfo(kind).eps)


def test_the_coarse_graph_of_a_normalised_one_is_normalised(large):
    """Q has orthonormal columns and keeps the leading vector: each coarse spectrum ends at one and lies below."""
    levels, coarsest = multilevel._coarsened(large[0].matrix, 500)
    assert coarsest.shape[0] <= 500
    u, carried = levels[0].positive, levels[0].positive
    for level in levels:
        squares = np.bincount(level.of, level.weight**2)
        np.testing.assert_allclose(squares, 1.0, atol=ROUNDING)
        np.testing.assert_allclose(carried, level.positive, rtol=ROUNDING)
        carried = np.bincount(level.of, level.weight * carried)
    assert carried @ coarsest @ carried == pytest.approx(u @ large[0].matrix @ u, rel=ROUNDING)
    values = np.linalg.eigvalsh(coarsest.toarray())
    assert 0.99 < values[-1] <= 1 + ROUNDING
    exact = eigsh(large[0].matrix, k=6, which="LA", v0=np.ones(24_000))[0]
    assert (np.sort(values)[-6:] <= np.sort(exact) + ROUNDING).all()  # Cauchy's interlacing


# Eigenvectors


def test_multilevel_vectors_are_nearly_the_leading_ones(large):
    S, labels = large
    K = 8
    values, vectors = leading_eigenvectors(S, K)
    exact, exactly = eigsh(S.matrix, k=K, which="LA", v0=np.ones(S.n_items), ncv=60)
    exact, exactly = exact[::-1], exactly[:, ::-1]
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(K), atol=ROUNDING)
    residual = np.linalg.norm(S @ vectors - vectors * values, axis=0)
    assert (residual <= multilevel.RESIDUAL * values + ROUNDING).all()
    # Ritz values lie below and are off by the square of the residual over the gap
    assert (values <= exact + ROUNDING).all()
    np.testing.assert_allclose(values, exact, atol=2e-3)
    ours, theirs = cluster_qr(vectors), cluster_qr(np.ascontiguousarray(exactly))
    assert adjusted_rand_index(ours, theirs) > 0.98
    assert adjusted_rand_index(labels, ours) > adjusted_rand_index(labels, theirs) - 0.005


@pytest.mark.parametrize("kind", [SparseAffinity, ScaledAffinity])
def test_vectors_are_as_good_as_asked_for(large, kind):
    S = large[0] if kind is SparseAffinity else ScaledAffinity(large[0], np.ones(large[0].n_items))
    values, vectors = leading_eigenvectors(S, 4, residual=1e-7)
    assert (np.linalg.norm(S @ vectors - vectors * values, axis=0) <= 1e-7 * values).all()
    exact = eigsh(large[0].matrix, k=4, which="LA", v0=np.ones(S.n_items), ncv=60)[0]
    np.testing.assert_allclose(values, np.sort(exact)[::-1], atol=ROUNDING)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("residual", [1e-3, 1e-7])
def test_the_spectral_relaxation_is_as_exact_as_asked_for(residual, weighted):
    X = scattered_blobs(9_000, 5)[0]
    P = normalise(NeighborGraph().build(X, n_clusters=1).affinity, "symmetric").affinity
    d = np.random.default_rng(0).uniform(0.5, 2.0, 9_000) if weighted else None
    problem = Problem(P, SpectralObjective(), d)
    result = drive(problem, LeadingEigenvectors(residual), Starts(P, 5, weights=d), "dirichlet", seed=0)
    root = np.ones((9_000, 1)) if d is None else np.sqrt(d)[:, None]
    V = root * result.factor
    np.testing.assert_allclose(V.T @ V, np.eye(5), atol=ROUNDING)
    theta, turn = np.linalg.eigh(V.T @ (root * (P @ (root * V))))
    rest = np.linalg.norm(root * (P @ (root * (V @ turn))) - (V @ turn) * theta, axis=0) / theta
    assert (rest <= residual).all()
    assert rest.max() > 1e-9  # not solved to rounding: that is another way
    exact = drive(problem, LeadingEigenvectors(1e-10), Starts(P, 5, weights=d), "dirichlet", seed=0)
    assert result.objective >= exact.objective - ROUNDING * exact.objective
    assert result.objective - exact.objective <= residual * exact.objective  # of second order in the residual
    assert adjusted_rand_index(result.membership.labels, exact.membership.labels) > 0.98


@pytest.mark.parametrize("residual", [0.0, -1e-4, np.nan, np.inf, 1.0, True, "small", None])
def test_a_residual_is_a_number_between_zero_and_one(residual):
    with pytest.raises(InputError, match="residual="):
        LeadingEigenvectors(residual)


def test_a_residual_of_single_precision_is_a_plain_number():
    assert type(LeadingEigenvectors(np.float32(0.25)).residual) is float


@pytest.mark.parametrize("residual", [None, 1e-3, 1e-4])
def test_a_large_piece_comes_first_however_many_small_ones_have_the_same_eigenvalue(residual):
    """Its leading eigenvalue is 1 as that of each small one, but found less exactly."""
    rng, graphs = np.random.default_rng(1), []
    for n in (9_000, *[150] * 6):
        strip = np.column_stack([np.linspace(0, n / 40, n), rng.random(n)])  # a small gap: the slowest to converge
        graphs.append(NeighborGraph().build(strip, n_clusters=1).affinity.matrix)
    S = normalise(SparseAffinity(sp.block_diag(graphs, format="csr")), "symmetric").affinity
    assert connected_components(S.matrix)[0] == 7
    values, vectors = leading_eigenvectors(S, 5, residual=residual, coarse_from=8_000)
    inside = [int(np.flatnonzero(np.abs(vectors[:, c]) > 0)[0] // 150) for c in range(5)]
    assert inside[0] < 60  # 9,000 / 150
    assert sorted(inside[1:]) == [60, 61, 62, 63]
    np.testing.assert_allclose(values, 1.0, atol=1e-3)


def test_multilevel_vectors_do_not_depend_on_the_threads(large):
    found = []
    for threads in (1, 2):
        with limit_threads(threads):
            found.append(leading_eigenvectors(large[0], 5))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])


def test_large_pieces_have_the_leading_eigenvalue_once_each():
    graphs = []
    for seed, n in enumerate((5_000, 3_000, 300, 1)):
        X, _ = scattered_blobs(n, 3, spread=1.0, seed=seed)
        graphs.append(NeighborGraph().build(X, n_clusters=1).affinity.matrix)
    S = normalise(SparseAffinity(sp.block_diag(graphs, format="csr")), "symmetric").affinity
    piece = np.repeat(np.arange(4), (5_000, 3_000, 300, 1))
    values, vectors = leading_eigenvectors(S, 6, coarse_from=2_000)
    np.testing.assert_allclose(values[:4], 1.0, atol=1e-3)
    assert (values[4:] < 1 - 1e-4).all()
    inside = [set(piece[np.abs(vectors[:, c]) > 0].tolist()) for c in range(6)]
    assert all(len(pieces) == 1 for pieces in inside)
    assert {pieces.pop() for pieces in inside[:4]} == {0, 1, 2, 3}


def test_a_start_made_coarse_to_fine_is_as_good(monkeypatch):
    X, truth = scattered_blobs(9_000, 5)
    P = NeighborGraph().build(X, n_clusters=1).affinity

    def made():
        starts = Starts(P, 5)
        return np.abs(starts.embedding), starts.spectral_labels

    rough_vectors, rough = made()
    monkeypatch.setattr(start, "COARSE_FROM", 10_000)
    vectors, exact = made()
    assert np.abs(vectors - rough_vectors).max() > ROUNDING  # another way was taken
    assert adjusted_rand_index(exact, rough) > 0.98
    assert adjusted_rand_index(truth, rough) > adjusted_rand_index(truth, exact) - 0.01


def test_thousands_of_lone_items_and_pairs_cost_nothing_and_change_nothing():
    rng = np.random.default_rng(0)
    inner = NeighborGraph().build(scattered_blobs(600, 3)[0], n_clusters=1).affinity.matrix
    weights = rng.random(300)
    pairs = sp.block_diag([np.array([[0.0, w], [w, 0.0]]) for w in weights], format="csr")
    lone = rng.random(40_000) * 0.5
    lone[[7, 30_000]] = 40.0, 50.0
    matrix = sp.csr_array(sp.block_diag([sp.diags_array(lone), inner, pairs], format="csr"))
    shuffle = rng.permutation(matrix.shape[0])
    values, vectors = leading_eigenvectors(SparseAffinity(matrix[shuffle][:, shuffle]), 9)
    every = np.r_[np.linalg.eigvalsh(inner.toarray()), lone, weights]
    np.testing.assert_allclose(values, np.sort(every)[::-1][:9], atol=ROUNDING)
    assert sorted(shuffle[np.abs(vectors).argmax(axis=0)[:2]].tolist()) == [7, 30_000]


@pytest.fixture
def only_products(monkeypatch):
    """Nothing may be asked of an affinity but products."""

    def refused(*_args, **_options):
        raise AssertionError("rows or an N x N array were asked for")

    for name in ("rows", "to_dense", "entries"):
        for kind in (Affinity, DrawsAffinity, LowRankAffinity, SparseAffinity):
            if name in kind.__dict__:
                monkeypatch.setattr(kind, name, refused)


@pytest.mark.parametrize(
    "wrap", [lambda P: P, lambda P: normalise(P, "symmetric").affinity, lambda P: DiffusedAffinity(P, 3)]
)
def test_any_affinity_gives_its_vectors_by_products_alone(only_products, wrap):
    rng = np.random.default_rng(0)
    n, K = 21_000, 6
    truth = rng.integers(0, K, n)
    draws = [np.where(rng.random(n) < 0.6, truth, rng.integers(0, K, n)) for _ in range(12)]
    P = wrap(DrawsAffinity(draws))
    values, vectors = leading_eigenvectors(P, K)
    residual = np.linalg.norm(P @ vectors - vectors * values, axis=0)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(K), atol=ROUNDING)
    assert (residual <= 3 * spectral.LARGE_RESIDUAL * values).all()  # of the cube, three times that of the base
    assert adjusted_rand_index(truth, cluster_qr(vectors)) > 0.98


@pytest.mark.parametrize("sparse", [False, True])
def test_a_low_rank_affinity_has_the_vectors_of_its_gram_matrix(only_products, sparse):
    rng = np.random.default_rng(0)
    F = rng.random((25_000, 12)) ** 3 * (rng.random((25_000, 12)) < 0.5)
    values, vectors = leading_eigenvectors(LowRankAffinity(sp.csr_array(F) if sparse else F), 7)
    left, sizes, _ = scipy.linalg.svd(F, full_matrices=False)
    np.testing.assert_allclose(values, sizes[:7] ** 2, rtol=ROUNDING)
    np.testing.assert_allclose(np.abs(np.einsum("nk,nk->k", vectors, left[:, :7])), 1.0, atol=1e-7)


def test_fewer_eigenvalues_than_vectors_asked_for():
    F = np.random.default_rng(0).random((21_000, 3))
    values, vectors = leading_eigenvectors(LowRankAffinity(F), 5)
    np.testing.assert_allclose(
        values,
        np.r_[np.linalg.svd(F)[1] ** 2 if len(F) < 100 else np.linalg.eigvalsh(F.T @ F)[::-1], 0, 0],
        atol=1e-6 * 21_000,
    )
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(5), atol=ROUNDING)


@pytest.mark.parametrize(
    "values",
    [
        np.r_[1e6, 5.0, 4.0, 3.0, np.linspace(0, 1, 200)],  # one that drowns the others
        np.r_[1.0, 1.0, 1.0, 0.9, np.linspace(-0.8, 0.5, 200)],  # three copies
        np.r_[2.0, 1.5, np.zeros(200)],  # rank two, and four are asked for
        np.r_[-0.5, -0.6, -0.7, -0.8, np.linspace(-9, -2, 200)],  # none is positive
    ],
)
def test_the_filter_finds_what_numpy_finds(values):
    P = with_spectrum(values)
    block = np.random.default_rng(1).normal(size=(len(P), 12))
    low = lower_end(lambda W: P @ W, len(P))
    found, vectors = filtered_subspace(lambda W: P @ W, block, 4, low=low, rounds=40, degree=10, tolerance=1e-10)
    expected = np.linalg.eigvalsh(P)[::-1][:4]
    scale = np.abs(values).max()
    np.testing.assert_allclose(found, expected, atol=1e-12 * scale + ROUNDING)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(4), atol=ROUNDING)
    np.testing.assert_allclose(P @ vectors, vectors * found, atol=1e-11 * scale + 1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_the_lower_end_is_below_the_spectrum(seed):
    rng = np.random.default_rng(seed)
    values = np.sort(rng.normal(size=300) ** 3)
    P = with_spectrum(values, seed)
    assert lower_end(lambda W: P @ W, 300) <= values[0] + ROUNDING
    P = sparse_graph(300, 8, seed) + sp.eye_array(300)
    P = sp.csr_array(P - 1.7 * sparse_graph(300, 2, seed + 50))
    u = multilevel._positive(sp.csr_array(abs(P)))
    level = multilevel._Level(P, u, np.zeros(300, dtype=np.int32), u)
    assert multilevel._lower_end(level) <= np.linalg.eigvalsh(P.toarray())[0] + ROUNDING


# Labels and means


@pytest.mark.parametrize("K", [2, 9])
def test_pivots_from_a_sample_give_the_labels_of_all(monkeypatch, K):
    rng = np.random.default_rng(K)
    labels = np.r_[np.zeros(30, dtype=int), rng.integers(0, K, 20_000)]  # sizes that differ by much
    labels[labels == K - 1] = np.where(rng.random((labels == K - 1).sum()) < 0.01, K - 1, 0)
    Q = np.eye(K)[labels]
    V = np.linalg.qr(Q + 0.002 * rng.normal(size=Q.shape))[0]
    every = cluster_qr(V)
    monkeypatch.setattr(cluster_qr_module, "SAMPLED_FROM", 0)
    sampled = cluster_qr(V)
    assert adjusted_rand_index(every, sampled) == pytest.approx(1.0)
    assert adjusted_rand_index(labels, sampled) == pytest.approx(1.0)
    np.testing.assert_array_equal(sampled, cluster_qr(V))
    rotation = np.linalg.qr(rng.normal(size=(K, K)))[0]
    assert adjusted_rand_index(sampled, cluster_qr(V @ rotation)) == pytest.approx(1.0)


def test_every_cluster_has_its_share_of_the_sample():
    K, sizes = 4, (40, 300, 3_000, 30_000)
    labels = np.repeat(np.arange(K), sizes)
    rows = cluster_qr_module._sampled(np.eye(K)[labels] / np.sqrt(sizes)[labels][:, None])
    assert (np.diff(rows) > 0).all()
    assert 0 <= rows[0] <= rows[-1] < len(labels)
    draws = cluster_qr_module.SAMPLED_ROWS * K * (np.log(K) + 1)
    drawn = np.bincount(labels[rows], minlength=K)
    assert drawn[0] > 35  # nearly all forty: a quarter of the draws fall on them
    assert abs(drawn[3] - draws / K) < 5 * np.sqrt(draws / K)


def test_a_sample_too_small_for_its_pivots_is_not_used(monkeypatch):
    monkeypatch.setattr(cluster_qr_module, "SAMPLED_FROM", 0)
    monkeypatch.setattr(cluster_qr_module, "SAMPLED_ROWS", 0)
    assert len(set(cluster_qr(np.eye(5)[[0, 1, 2, 3, 4, 4]]).tolist())) == 5


def test_means_of_a_sample_are_as_good_as_those_of_all(monkeypatch):
    X, labels = scattered_blobs(30_000, 6)
    monkeypatch.setattr(start, "KMEANS_ROWS", 3_000)
    starts = Starts(LowRankAffinity(np.ones((30_000, 1))), 6, X)
    W = starts.make("kmeans", 0, np.random.default_rng(0))
    np.testing.assert_allclose(W.sum(axis=1), 1.0, atol=ROUNDING)
    np.testing.assert_array_equal(W, starts.make("kmeans", 0, np.random.default_rng(0)))
    every = KMeans(6, n_init=10, random_state=0).fit(X)
    found = W.argmax(axis=1)
    means = np.array([X[found == k].mean(axis=0) for k in range(6)])
    assert ((X - means[found]) ** 2).sum() < 1.02 * every.inertia_
    weights = np.where(labels < 3, 1e-6, 1.0)  # the sample keeps the weights: nearly nothing but three clusters counts
    W = Starts(LowRankAffinity(np.ones((30_000, 1))), 3, X, weights).make("kmeans", 0, np.random.default_rng(0))
    assert adjusted_rand_index(labels[labels >= 3], W.argmax(axis=1)[labels >= 3]) > 0.8


@pytest.mark.parametrize("kind", ["spectral", "kmeans"])
def test_a_start_of_many_items_knows_their_clusters(large, kind):
    S, labels = large
    W = Starts(S, 8, graph=S).make(kind, 0, np.random.default_rng(0))
    assert W.min() > 0
    assert adjusted_rand_index(labels, W.argmax(axis=1)) > 0.5


def test_unlike_wrappers_of_one_graph_have_one_start(large):
    """The same matrix by pieces of CSR and by products alone."""
    S = large[0]
    root = np.ones(S.n_items)
    by_graph = Starts(S, 8, graph=S).spectral_labels
    by_products = Starts(S, 8, graph=ScaledAffinity(S, root)).spectral_labels
    assert adjusted_rand_index(by_graph, by_products) > 0.95


def noisy_indicators(K: int, sizes: list[int], noise: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Orthonormal vectors near the indicators of clusters, turned by a rotation, and the clusters."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(K), sizes)
    Y = np.eye(K)[labels] / np.sqrt(sizes)[labels][:, None] + noise * rng.normal(size=(len(labels), K))
    return np.linalg.qr(Y)[0] @ np.linalg.qr(rng.normal(size=(K, K)))[0], labels


@pytest.mark.parametrize("seed", range(3))
def test_the_spectral_partition_is_k_means_from_where_cluster_qr_ends(seed):
    V, truth = noisy_indicators(4, [300, 200, 60, 40], 0.02, seed)
    rows = V / np.linalg.norm(V, axis=1, keepdims=True)

    def sums(labels):
        return np.array([rows[labels == k].sum(axis=0) for k in range(4)])

    before, after = cluster_qr(V), spectral_partition(V)
    assert np.linalg.norm(sums(after), axis=1).sum() >= np.linalg.norm(sums(before), axis=1).sum() - 1e-9
    centres = sums(after) / np.linalg.norm(sums(after), axis=1, keepdims=True)
    np.testing.assert_array_equal((rows @ centres.T).argmax(axis=1), after)
    assert adjusted_rand_index(truth, after) > adjusted_rand_index(truth, before) - 0.02


def test_a_weight_in_the_spectral_partition_is_so_many_copies():
    V, _ = noisy_indicators(3, [50, 40, 30], 0.03)
    weights = np.random.default_rng(1).integers(1, 4, len(V)).astype(float)
    again = np.repeat(np.arange(len(V)), weights.astype(int))
    # cluster_qr sees directions only: the same clusters to begin with.
    assert adjusted_rand_index(cluster_qr(V)[again], cluster_qr(V[again])) == pytest.approx(1.0)
    own, copied = spectral_partition(V, weights), spectral_partition(V[again])
    assert adjusted_rand_index(own[again], copied) == pytest.approx(1.0)


def test_rows_of_zeros_and_weights_of_zero_leave_the_other_rows_as_they_are():
    V, truth = noisy_indicators(3, [30, 20, 10], 0.01)
    with_zeros = np.vstack([V, np.zeros((2, 3))])
    assert adjusted_rand_index(truth, spectral_partition(with_zeros)[:-2]) == pytest.approx(1.0)
    some = np.where(np.arange(len(V)) % 3 == 0, 0.0, 1.0)
    assert adjusted_rand_index(truth, spectral_partition(V, some)) == pytest.approx(1.0)
    assert spectral_partition(np.ones((5, 1)) / np.sqrt(5)).tolist() == [0] * 5
    assert spectral_partition(np.zeros((4, 2))).shape == (4,)
    assert spectral_partition(V, np.zeros(len(V))).shape == truth.shape


def test_rows_of_rounding_noise_have_no_say():
    for seed in range(10):  # what a dense solver leaves of items in no cluster, many more than the others
        V, truth = noisy_indicators(2, [10, 10], 0.0, seed)
        noise = 1e-17 * np.random.default_rng(seed).normal(size=(500, 2))
        assert adjusted_rand_index(truth, spectral_partition(np.vstack([V, noise]))[:20]) == pytest.approx(1.0)
