"""Leading eigenvectors against numpy's full decomposition, and cluster_qr on planted blocks."""

import numpy as np
import pytest
import scipy.sparse as sp

from partita.affinity import (
    DenseAffinity,
    DiffusedAffinity,
    DrawsAffinity,
    LowRankAffinity,
    NeighborGraph,
    ScaledAffinity,
    SparseAffinity,
    normalise,
)
from partita.solvers import cluster_qr, leading_eigenvectors, multilevel, spectral
from synthetic import random_graph, ring, scattered_blobs


def connected_graph(rng, n, density=0.1):
    return sp.csr_array(random_graph(n, density, rng) + 0.1 * ring(n))


def check(affinity, matrix, k, atol=1e-8):
    """Values equal numpy's; vectors are orthonormal eigenvectors: this holds whatever the multiplicities."""
    values, vectors = leading_eigenvectors(affinity, k)
    expected = np.linalg.eigvalsh(matrix)[::-1][:k]
    assert values.shape == (k,)
    assert vectors.shape == (len(matrix), k)
    np.testing.assert_allclose(values, expected, atol=atol * max(1, abs(expected).max()))
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-8)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-6 * max(1, abs(expected).max()))
    return values, vectors


@pytest.mark.parametrize("n", [6, 60, 1300])  # whole, whole, Lanczos on products
@pytest.mark.parametrize("k", [1, 3, 6])
def test_dense(n, k):
    half = np.random.default_rng(n).random((n, n))
    matrix = half + half.T
    check(DenseAffinity(matrix), matrix, k)


@pytest.mark.parametrize("n", [30, 500, 900])
def test_sparse_and_connected(n):
    matrix = connected_graph(np.random.default_rng(n), n)
    check(SparseAffinity(matrix), matrix.toarray(), 4)
    normalised = normalise(SparseAffinity(matrix), "symmetric").affinity
    values, _ = check(normalised, normalised.to_dense(), 4)
    assert values[0] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("n", [200, 1500])
def test_low_rank_and_diffused(n):
    factor = np.random.default_rng(n).random((n, 5))
    check(LowRankAffinity(factor), factor @ factor.T, 3)
    f = np.random.default_rng(2).random(n) + 0.5
    matrix = factor @ factor.T * f[:, None] * f
    check(ScaledAffinity(LowRankAffinity(factor), f), matrix, 3)
    check(ScaledAffinity(ScaledAffinity(LowRankAffinity(factor), np.sqrt(f)), np.sqrt(f)), matrix, 3)
    base = SparseAffinity(connected_graph(np.random.default_rng(1), 60) + 10 * sp.eye_array(60))
    check(DiffusedAffinity(base, 3), np.linalg.matrix_power(base.to_dense(), 3), 3)


@pytest.mark.parametrize("scaled", [False, True])
def test_draws_are_of_low_rank_and_have_the_eigenvectors_of_their_matrix(scaled, monkeypatch):
    rng, n = np.random.default_rng(0), 300
    draws = DrawsAffinity([*rng.integers(0, 4, (6, n)), rng.dirichlet(np.ones(3), n)])
    P = draws.scaled(rng.random(n) + 0.5) if scaled else draws
    matrix = P.to_dense()

    def refused(*_args):
        raise AssertionError("an N x N array was asked for")

    monkeypatch.setattr(type(P), "to_dense", refused)
    check(P, matrix, 5)


@pytest.mark.parametrize("sizes", [[40, 30, 20], [500, 450, 3], [5, 5, 5, 5]])
def test_a_graph_in_pieces_has_its_leading_eigenvalue_once_for_each(sizes):
    rng = np.random.default_rng(0)
    blocks = [connected_graph(rng, n, 0.05 if n > 100 else 0.5) for n in sizes]
    order = rng.permutation(sum(sizes))
    matrix = sp.csr_array(sp.block_diag(blocks, format="csr"))[order][:, order]
    S = normalise(SparseAffinity(matrix), "symmetric").affinity
    k = len(sizes)
    values, vectors = check(S, S.to_dense(), k)
    np.testing.assert_allclose(values, 1.0, atol=1e-9)
    piece = np.repeat(np.arange(k), sizes)[order]
    labels = cluster_qr(vectors)
    assert len({*zip(labels.tolist(), piece.tolist())}) == k  # the pieces themselves
    # one more than the pieces: the next eigenvalue of one of them
    check(S, S.to_dense(), k + 1)


def test_more_pieces_than_vectors_gives_the_largest_pieces():
    rng = np.random.default_rng(1)
    sizes = [4, 30, 3, 20, 5]
    matrix = sp.csr_array(sp.block_diag([connected_graph(rng, n, 0.5) for n in sizes], format="csr"))
    S = normalise(SparseAffinity(matrix), "symmetric").affinity
    values, vectors = check(S, S.to_dense(), 2)
    np.testing.assert_allclose(values, 1.0, atol=1e-9)
    piece = np.repeat(np.arange(5), sizes)
    assert set(piece[np.abs(vectors).max(axis=1) > 0]) == {1, 3}


def test_pieces_of_unlike_strength_give_the_leading_eigenvalues_of_all():
    rng = np.random.default_rng(2)
    blocks = [connected_graph(rng, n, 0.3) * strength for n, strength in ((40, 1.0), (10, 30.0), (25, 4.0), (1, 1e-3))]
    matrix = sp.csr_array(sp.block_diag(blocks, format="csr"))
    for k in (1, 2, 5, 12):
        check(SparseAffinity(matrix), matrix.toarray(), k)


def test_isolated_items():
    rng = np.random.default_rng(3)
    inner = connected_graph(rng, 30, 0.3)
    matrix = sp.csr_array(sp.block_diag([inner, sp.csr_array((4, 4)), 5.0 * sp.eye_array(2)], format="csr"))
    S = normalise(SparseAffinity(matrix), "symmetric").affinity
    values, vectors = check(S, S.to_dense(), 4)
    np.testing.assert_allclose(values[:3], 1.0, atol=1e-9)  # the piece and the two items joined to themselves alone
    assert not vectors[30:34].any()
    check(SparseAffinity(sp.csr_array(np.diag([1.0, 3.0, 2.0, 0.0]))), np.diag([1.0, 3.0, 2.0, 0.0]), 3)


def test_more_vectors_than_items_are_all_there_are():
    matrix = connected_graph(np.random.default_rng(4), 5)
    values, vectors = leading_eigenvectors(SparseAffinity(matrix), 9)
    assert vectors.shape == (5, 5)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix.toarray())[::-1], atol=1e-9)


def test_many_small_pieces():
    """Thousands of pieces: only the leading K are ever held."""
    rng = np.random.default_rng(5)
    pairs = sp.block_diag([np.array([[1.0, w], [w, 1.0]]) for w in rng.random(1500)], format="csr")
    values, _ = leading_eigenvectors(SparseAffinity(sp.csr_array(pairs)), 5)
    np.testing.assert_allclose(values, np.sort(np.linalg.eigvalsh(pairs.toarray()))[::-1][:5], atol=1e-9)


def chain(n=700):
    """Evidence along a line, in three parts that barely touch: eigenvalues that all but coincide."""
    X = np.r_[np.arange(n // 3), 1.5 + np.arange(n // 3, 2 * n // 3), 3.5 + np.arange(2 * n // 3, n)].astype(float)
    return normalise(NeighborGraph(n_neighbors=6).build(X[:, None], n_clusters=n).affinity, "symmetric").affinity


def subspace_error(vectors, matrix, k):
    """Sine of the largest angle between the space found and the one of the k leading eigenvectors."""
    exact = np.linalg.eigh(matrix)[1][:, ::-1][:, :k]
    return float(np.sqrt(max(0.0, 1 - np.linalg.svd(exact.T @ vectors, compute_uv=False)[-1] ** 2)))


@pytest.mark.parametrize("dense_up_to", [3000, 0])
def test_the_ways_taken_where_lanczos_gives_up(monkeypatch, dense_up_to):
    S = chain()
    matrix = S.to_dense()
    called = []
    real = spectral._filtered_subspace
    monkeypatch.setattr(spectral, "LANCZOS_RESTARTS", 1)
    monkeypatch.setattr(spectral, "FALLBACK_DENSE_UP_TO", dense_up_to)
    monkeypatch.setattr(spectral, "_filtered_subspace", lambda *a: called.append(1) or real(*a))
    values, vectors = leading_eigenvectors(S, 3)
    assert bool(called) == (dense_up_to == 0)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-9)
    # exact by the dense way; by the filter as good as 8 rounds of degree 20 make it
    error = 1e-7 if dense_up_to else 0.05
    assert subspace_error(vectors, matrix, 3) < error
    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix)[::-1][:3], atol=1e-9 if dense_up_to else 1e-4)
    assert (np.diff(values) <= 0).all()


def test_the_filter_finds_a_well_separated_space_to_rounding():
    rng = np.random.default_rng(6)
    labels = np.repeat(np.arange(4), 100)
    half = rng.random((400, 400)) * np.where(labels[:, None] == labels, 1.0, 0.05)
    S = normalise(DenseAffinity(half + half.T), "symmetric").affinity.to_dense()
    _, vectors = spectral._filtered_subspace(S, 400, 4)
    assert subspace_error(vectors, S, 4) < 1e-7


@pytest.mark.parametrize("K", [2, 3, 7])
def test_cluster_qr_recovers_planted_blocks(K):
    rng = np.random.default_rng(K)
    labels = rng.integers(0, K, 50 * K)
    labels[:K] = np.arange(K)
    half = rng.random((50 * K, 50 * K)) * np.where(labels[:, None] == labels, 1.0, 0.1)
    S = normalise(DenseAffinity(half + half.T), "symmetric").affinity
    found = cluster_qr(leading_eigenvectors(S, K)[1])
    assert len({*zip(found.tolist(), labels.tolist())}) == K
    assert found.dtype == np.int64
    # a rotation of the vectors is the same space and the same answer up to labels
    rotation = np.linalg.qr(rng.normal(size=(K, K)))[0]
    turned = cluster_qr(leading_eigenvectors(S, K)[1] @ rotation)
    assert len({*zip(found.tolist(), turned.tolist())}) == K


def graph_of(X):
    return normalise(NeighborGraph().build(X, n_clusters=1).affinity, "symmetric").affinity


@pytest.mark.parametrize(
    "make",
    [
        lambda: graph_of(scattered_blobs(3000, 5, spread=3.0)[0]),
        lambda: graph_of(scattered_blobs(2500, 8, spread=1.0)[0]),
        chain,
    ],
)
def test_large_graphs_have_nearly_numpys_spectrum(monkeypatch, make):
    """Coarse to fine: Ritz values from below, orthonormal vectors whose residuals are small enough for a start."""
    monkeypatch.setattr(multilevel, "COARSEST", 100)
    S, K = make(), 5
    matrix = S.to_dense()
    values, vectors = leading_eigenvectors(S, K, coarse_from=500)
    assert np.abs(values - leading_eigenvectors(S, K)[0]).max() > 1e-12  # another way was taken
    expected = np.linalg.eigvalsh(matrix)[::-1][:K]
    assert (values <= expected + 1e-12).all()
    np.testing.assert_allclose(values, expected, atol=0.01)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(K), atol=1e-9)
    residuals = np.linalg.norm(matrix @ vectors - vectors * values, axis=0)
    assert residuals.max() <= multilevel.RESIDUAL * values.max()
    np.testing.assert_allclose(np.einsum("nk,nk->k", vectors, matrix @ vectors), values, atol=1e-9)


def test_more_rounds_bring_large_graphs_to_numpys_vectors(monkeypatch):
    for name, value in (("COARSEST", 100), ("ROUNDS", 60), ("RESIDUAL", 1e-9)):
        monkeypatch.setattr(multilevel, name, value)
    S = graph_of(scattered_blobs(3000, 5, spread=3.0)[0])
    matrix = S.to_dense()
    values, vectors = leading_eigenvectors(S, 5, coarse_from=500)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix)[::-1][:5], atol=1e-12)
    assert subspace_error(vectors, matrix, 5) < 1e-6


@pytest.mark.parametrize("n", [9, 30, 100])
def test_pairs_that_are_all_alike_have_one_eigenvalue_many_times(n):
    """D^-1/2 (J - I) D^-1/2 has 1 once and -1/(n - 1) for the rest: LAPACK's search for some of them gives up at 30."""
    P = (np.ones((n, n)) - np.eye(n)) / (n - 1)
    values, vectors = leading_eigenvectors(DenseAffinity(P), 6)
    np.testing.assert_allclose(values, [1.0, *[-1.0 / (n - 1)] * 5], atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(6), atol=1e-10)
    np.testing.assert_allclose(P @ vectors, vectors * values, atol=1e-10)
