"""Affinities from features, neighbour graphs and normalisations: the laws that define them, and outside oracles."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial.distance import cdist

from partita.affinity import (
    DenseAffinity,
    DiffusedAffinity,
    LowRankAffinity,
    NeighborGraph,
    RelativeDistance,
    SparseAffinity,
    Unobserved,
    gower_distances,
    normalise,
)
from partita.affinity.normalise import normalise_rows
from partita.errors import InputError
from synthetic import diagonal_blobs

# A few hundred roundings of numbers below 1.
ROUNDING = 1e-11
seeds = st.integers(0, 10_000)
few = settings(max_examples=15, deadline=None)


def cloud(seed, n=40, d=3):
    return diagonal_blobs(n, d, seed=seed)


def relative(X, n_clusters=3, **options):
    return RelativeDistance(**options).build(X, n_clusters=n_clusters).affinity.to_dense()


def graph(X, n_clusters=3, **options):
    return NeighborGraph(**options).build(X, n_clusters=n_clusters).affinity.to_dense()


kinds = pytest.mark.parametrize("build", [relative, graph])


# Relative distance


@pytest.mark.parametrize("kernel", ["laplacian", "gaussian"])
@pytest.mark.parametrize("n", [1, 10, 39, 100])
def test_the_relative_distance_is_the_papers_formula(n, kernel):
    X = cloud(0)
    D = cdist(X, X)
    sigma = np.sort(D, axis=1)[:, min(n, 39)]  # entry 0 is the item itself
    L = D / np.sqrt(np.outer(sigma, sigma))
    expected = np.exp(-L if kernel == "laplacian" else -(L**2))
    np.testing.assert_allclose(relative(X, n=n, kernel=kernel), expected, atol=ROUNDING)
    np.testing.assert_allclose(relative(X, n=n, kernel=kernel, scale=2.5), expected**2.5, atol=ROUNDING)


@kinds
@few
@given(seed=seeds, log_scale=st.floats(-8, 8), shift=st.floats(-50, 50))
def test_scale_rotation_and_translation_change_nothing(build, seed, log_scale, shift):
    X = cloud(seed)
    rotation = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    # coordinates of about 50 lose 1e-14; relative distances of about 1 lose 1e-12
    np.testing.assert_allclose(build((X @ rotation + shift) * 10.0**log_scale), build(X), atol=1e-9)


@kinds
@few
@given(seed=seeds)
def test_permuting_the_items_permutes_the_affinity(build, seed):
    X = cloud(seed)
    order = np.random.default_rng(seed).permutation(len(X))
    np.testing.assert_allclose(build(X[order]), build(X)[order][:, order], atol=ROUNDING)


@kinds
@few
@given(seed=seeds, d=st.integers(1, 4))
def test_entries_are_probabilities_symmetric_and_one_on_the_diagonal(build, seed, d):
    P = build(cloud(seed, d=d))
    assert P.min() >= 0
    assert P.max() <= 1
    np.testing.assert_array_equal(P, P.T)
    np.testing.assert_array_equal(P.diagonal(), 1.0)


@few
@given(seed=seeds, K=st.integers(2, 8), kernel=st.sampled_from(["laplacian", "gaussian"]))
def test_the_balanced_scale_makes_the_mean_one_over_k(seed, K, kernel):
    X = cloud(seed)
    assert relative(X, K, scale="balanced", kernel=kernel).mean() == pytest.approx(1 / K, rel=1e-6)
    w = np.random.default_rng(seed).integers(1, 4, len(X)).astype(float)
    P = RelativeDistance(scale="balanced").build(X, n_clusters=K, weights=w).affinity.to_dense()
    assert w @ P @ w / w.sum() ** 2 == pytest.approx(1 / K, rel=1e-6)


def test_small_distances_far_from_the_origin_are_not_lost():
    X = cloud(0) * 1e-3
    far = X + 1e6  # X itself is now rounded to 1e-10
    np.testing.assert_allclose(relative(far), relative(far - 1e6), atol=1e-9)
    np.testing.assert_allclose(graph(far), graph(far - 1e6), atol=1e-9)
    tight = np.r_[X * 1e-9, X * 1e-9 + 1.0]  # two clusters far apart on their own scale
    exact = cdist(tight, tight)
    sigma = np.sort(exact, axis=1)[:, 10]
    np.testing.assert_allclose(relative(tight), np.exp(-exact / np.sqrt(np.outer(sigma, sigma))), atol=1e-6)


METRICS = [
    ("manhattan", "cityblock", None),
    ("cosine", "cosine", None),
    ("chebyshev", "chebyshev", None),
    ("minkowski", lambda a, b: (np.abs(a - b) ** 3).sum() ** (1 / 3), {"p": 3}),
    (lambda a, b: float(np.abs(a - b).max()), "chebyshev", None),
]


@kinds
@pytest.mark.parametrize(("metric", "oracle", "params"), METRICS, ids=lambda value: str(value)[:12])
def test_a_metric_by_name_or_function_equals_its_precomputed_distances(build, metric, oracle, params):
    X = cloud(1)
    D = cdist(X, X, oracle)
    np.fill_diagonal(D, 0.0)
    D = (D + D.T) / 2
    np.testing.assert_allclose(build(X, metric=metric, metric_params=params), build(D, metric="precomputed"), atol=1e-9)


@kinds
def test_an_unknown_metric_is_named(build):
    with pytest.raises(InputError, match="eucliden"):
        build(cloud(0), metric="eucliden")


def brute_gower(X, categorical):
    spans = np.nanmax(X, axis=0) - np.nanmin(X, axis=0)
    out = np.zeros((len(X), len(X)))
    for i, a in enumerate(X):
        for j, b in enumerate(X):
            parts = [
                float(a[c] != b[c]) if c in categorical else abs(a[c] - b[c]) / spans[c]
                for c in range(X.shape[1])
                if not (np.isnan(a[c]) or np.isnan(b[c]))
            ]
            out[i, j] = sum(parts) / len(parts)
    return out


@kinds
def test_gower_mixes_numbers_categories_and_holes(build):
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=30), rng.integers(0, 3, 30), rng.normal(size=30) * 100, rng.random(30)])
    X[rng.random(X.shape) < 0.15] = np.nan
    X[:, 3] = rng.random(30)  # so that every pair shares a column
    D = brute_gower(X, (1,))
    np.testing.assert_allclose(gower_distances(X, categorical=[1]), D, atol=ROUNDING)
    with_gower = build(X, metric="gower", metric_params={"categorical": (1,)})
    np.testing.assert_allclose(with_gower, build(D, metric="precomputed"), atol=1e-9)


def test_gower_names_items_without_a_common_column():
    with pytest.raises(InputError, match="items 0 and 1"):
        gower_distances([[1.0, np.nan], [np.nan, 2.0], [1.0, 1.0]])
    with pytest.raises(InputError, match=r"categorical=\[2\]"):
        gower_distances([[1.0, 2.0]], categorical=[2])


@kinds
def test_nan_euclidean_scales_up_the_observed_part(build):
    X = cloud(3, d=4)
    X[np.random.default_rng(3).random(X.shape) < 0.2] = np.nan
    X[:, 0] = cloud(4)[:, 0]
    both = ~np.isnan(X[:, None]) & ~np.isnan(X[None])
    squares = np.where(both, (np.nan_to_num(X)[:, None] - np.nan_to_num(X)[None]) ** 2, 0.0)
    D = np.sqrt(4 / both.sum(axis=2) * squares.sum(axis=2))
    np.testing.assert_allclose(build(X, metric="nan_euclidean"), build(D, metric="precomputed"), atol=1e-9)


@kinds
def test_no_common_column_is_an_error_that_names_the_items(build):
    X = np.array([[1.0, np.nan], [np.nan, 2.0], [1.0, 1.0], [2.0, 2.0]])
    with pytest.raises(InputError, match=r"items 0 and 1|items 1 and 0"):
        build(X, metric="nan_euclidean")


@kinds
@pytest.mark.parametrize("sparse", [False, True])
def test_precomputed_distances_equal_features(build, sparse):
    X = cloud(5)
    D = cdist(X, X)
    given = sp.csr_array(D) if sparse else D
    np.testing.assert_allclose(build(given, metric="precomputed"), build(X), atol=1e-9)


def test_sparse_distances_hold_the_neighbours_that_are_known():
    X = cloud(6)
    D = cdist(X, X)
    nearest = np.argsort(D, axis=1)[:, 1:11]
    rows = np.repeat(np.arange(40), 10)
    known = sp.csr_array((D[rows, nearest.ravel()], (rows, nearest.ravel())), shape=(40, 40))
    evidence = NeighborGraph(metric="precomputed").build(known, n_clusters=40)
    expected = NeighborGraph().build(X, n_clusters=40)
    np.testing.assert_allclose(evidence.affinity.to_dense(), expected.affinity.to_dense(), atol=1e-9)


@pytest.mark.parametrize("n_items", [40, 8])
@pytest.mark.parametrize("kernel", ["laplacian", "gaussian"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "precomputed"])
def test_rows_of_the_training_items_are_the_affinitys_rows(n_items, kernel, metric):
    X = cloud(7, n=n_items)  # n = 10 others are asked for: there are fewer than that in the small one
    if metric == "precomputed":
        X = cdist(X, X)
    evidence = RelativeDistance(kernel=kernel, metric=metric, scale=1.3).build(X, n_clusters=2)
    np.testing.assert_allclose(evidence.rows(X), evidence.affinity.to_dense(), atol=ROUNDING)
    np.testing.assert_allclose(evidence.rows(X[3:5]), evidence.affinity.to_dense()[3:5], atol=ROUNDING)


@kinds
def test_restored_evidence_scores_the_same_rows(build):
    X, new = cloud(8), cloud(9)[:7]
    builder = (RelativeDistance if build is relative else NeighborGraph)(metric="manhattan")
    evidence = builder.build(X, n_clusters=3)
    again = type(builder).from_config(builder.config()).restore(evidence.state())
    first, second = evidence.rows(new), again.rows(new)
    if sp.issparse(first):
        first, second = first.toarray(), second.toarray()
    np.testing.assert_array_equal(first, second)
    assert first.shape == (7, 40)
    assert first.max() <= 1


def test_a_function_is_not_saved_and_an_unknown_option_refused():
    for builder in (RelativeDistance, NeighborGraph):
        with pytest.raises(InputError, match="metric"):
            builder(metric=lambda a, b: 0.0).config()
        with pytest.raises(InputError, match="'step'"):
            builder.from_config({**builder().config(), "step": 3})
    with pytest.raises(InputError, match="'nothing'"):
        RelativeDistance.from_config({"name": "nothing"})


@pytest.mark.parametrize(
    ("builder", "options"),
    [
        (RelativeDistance, {"n": 0}),
        (RelativeDistance, {"kernel": "cubic"}),
        (RelativeDistance, {"scale": 0.0}),
        (RelativeDistance, {"scale": "wide"}),
        (RelativeDistance, {"scale": float("inf")}),
        (NeighborGraph, {"n_neighbors": 0}),
        (NeighborGraph, {"connection": "either"}),
        (NeighborGraph, {"weights": "cubic"}),
        (NeighborGraph, {"search": "quick"}),
    ],
)
def test_options_out_of_range_are_named(builder, options):
    ((name, value),) = options.items()
    with pytest.raises(InputError, match=f"{name}={value!r}"):
        builder(**options)


# Neighbour graphs


def brute_graph(X, k, connection, weights):
    D = cdist(X, X)
    np.fill_diagonal(D, np.inf)
    sigma = np.sort(D, axis=1)[:, k - 1]
    chosen = sigma[:, None] >= D
    joined = chosen | chosen.T if connection == "union" else chosen & chosen.T
    ratio = D / np.sqrt(np.outer(sigma, sigma))
    value = {"gaussian": np.exp(-(ratio**2)), "laplacian": np.exp(-ratio), "binary": np.ones_like(D)}[weights]
    return np.where(joined, value, 0.0) + np.eye(len(X))


@pytest.mark.parametrize("connection", ["union", "mutual"])
@pytest.mark.parametrize("weights", ["gaussian", "laplacian", "binary"])
@few
@given(seed=seeds, k=st.integers(1, 12))
def test_the_graph_is_the_brute_force_one(connection, weights, seed, k):
    X = cloud(seed)
    found = graph(X, len(X), n_neighbors=k, connection=connection, weights=weights)  # no links: K = N pieces allowed
    np.testing.assert_allclose(found, brute_graph(X, k, connection, weights), atol=ROUNDING)


@few
@given(seed=seeds, k=st.integers(1, 12))
def test_the_union_contains_the_mutual_graph(seed, k):
    X = cloud(seed)
    union, mutual = graph(X, 40, n_neighbors=k), graph(X, 40, n_neighbors=k, connection="mutual")
    kept = mutual > 0
    np.testing.assert_array_equal(union[kept], mutual[kept])
    assert kept.sum() <= (union > 0).sum()


def test_more_neighbours_than_items_are_all_of_them():
    X = cloud(0, n=6)
    np.testing.assert_array_equal(graph(X, n_neighbors=50), graph(X, n_neighbors=5))
    assert graph(X[:1], 1).tolist() == [[1.0]]
    assert (graph(X[:2], 1) > 0).all()


def test_copies_are_neighbours_at_distance_zero_and_no_one_is_its_own():
    X = np.repeat(cloud(0, n=6), 4, axis=0)  # every item four times, k below and above the number of copies
    for k in (2, 3, 5):
        P = graph(X, 24, n_neighbors=k)
        assert np.isfinite(P).all()
        np.testing.assert_array_equal(P.diagonal(), 1.0)
        off = P - np.eye(24)
        assert (off > 0).sum(axis=1).min() >= k  # k others were chosen, the item itself is not one of them
        same = np.arange(24)[:, None] // 4 == np.arange(24) // 4
        np.testing.assert_array_equal(P[same & (P > 0)], 1.0)
        assert (P[~same] < 1).all()
    assert (graph(np.zeros((5, 2)), 5, n_neighbors=2) <= 1).all()


def test_approximate_neighbours_are_mostly_the_exact_ones():
    rng, d = np.random.default_rng(0), 15
    X = diagonal_blobs(1500, d, K=4, apart=4.0, seed=rng)
    exact, approximate = (
        NeighborGraph(search=search).build(X, n_clusters=1500).affinity.matrix for search in ("exact", "approximate")
    )
    both = exact.multiply(approximate > 0)
    assert both.nnz > 0.97 * exact.nnz  # pynndescent's usual recall is 0.98 to 1
    assert abs(approximate.nnz / exact.nnz - 1) < 0.02
    shared = sp.csr_array(exact.multiply(approximate > 0)) - sp.csr_array(approximate.multiply(exact > 0))
    # Where both found a pair its weight can differ only through a sigma that missed a neighbour.
    assert (abs(shared).data > 1e-9).sum() < 0.2 * both.nnz
    again = NeighborGraph(search="approximate").build(X, n_clusters=1500).affinity.matrix
    assert (again != approximate).nnz == 0


def test_links_are_added_only_where_there_are_more_pieces_than_clusters():
    rng = np.random.default_rng(0)
    corners = np.array([[0, 0], [50, 0], [0, 80], [200, 200]])
    X = np.concatenate([rng.normal(size=(20, 2)) + corner for corner in corners])
    piece = np.repeat(np.arange(4), 20)
    apart = NeighborGraph(n_neighbors=5).build(X, n_clusters=4).affinity.matrix
    assert connected_components(apart)[0] == 4
    linked = NeighborGraph(n_neighbors=5).build(X, n_clusters=3).affinity.matrix
    assert connected_components(linked)[0] == 1
    added = sp.coo_array(linked - apart)
    added.eliminate_zeros()
    assert added.nnz == 2 * 3  # a spanning tree of four pieces, both orders
    assert (piece[added.coords[0]] != piece[added.coords[1]]).all()
    D = cdist(X, X)
    sigma = np.sort(D, axis=1)[:, 5]
    for i, j, value in zip(*added.coords, added.data):
        assert D[i, j] == D[np.ix_(piece == piece[i], piece == piece[j])].min()
        assert value == pytest.approx(1 / (1 + D[i, j] ** 2 / (sigma[i] * sigma[j])), rel=1e-9)
    # the tree is the shortest one: 0-1 is 50 apart, 0-2 is 80
    assert {tuple(sorted((piece[i], piece[j]))) for i, j in zip(*added.coords)} >= {(0, 1), (0, 2)}


@pytest.mark.parametrize("small", [0, 3, 32])
def test_the_links_of_many_pieces_span_them(small, monkeypatch):
    from partita.affinity import links

    monkeypatch.setattr(links, "SMALL_PIECE", small)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 3)) * np.exp(rng.normal(size=(400, 1)))
    options = {"n_neighbors": 4, "connection": "mutual"}
    apart = NeighborGraph(**options).build(X, n_clusters=400).affinity.matrix
    n_pieces, piece = connected_components(apart)
    assert np.bincount(piece).tolist().count(1) > 10  # single items and larger pieces
    linked = NeighborGraph(**options).build(X, n_clusters=2).affinity.matrix
    assert connected_components(linked)[0] == 1
    added = sp.coo_array(linked - apart)
    added.eliminate_zeros()
    assert added.nnz == 2 * (n_pieces - 1)
    # together as short as a minimum spanning tree over the pieces
    between = np.full((n_pieces, n_pieces), np.inf)
    np.minimum.at(between, (piece[:, None], piece), cdist(X, X))
    np.fill_diagonal(between, 0.0)
    shortest = minimum_spanning_tree(between).sum()
    assert cdist(X, X)[added.coords].sum() / 2 == pytest.approx(shortest, rel=1e-9)


def test_a_new_item_at_a_fitted_one_counts_as_that_one():
    X = cloud(1)
    evidence = NeighborGraph(n_neighbors=5).build(X, n_clusters=40)
    rows = evidence.rows(X).toarray()
    np.testing.assert_array_equal(rows.diagonal(), 1.0)
    P = evidence.affinity.to_dense()
    D = cdist(X, X)
    chosen = np.sort(D, axis=1)[:, [5]] >= D
    np.testing.assert_allclose(rows, np.where(chosen, P, 0.0), atol=ROUNDING)  # its own choices, not the others'


# Normalisations


def nonnegative(seed, n, kind="dense"):
    rng = np.random.default_rng(seed)
    half = rng.random((n, n)) ** 3
    matrix = half + half.T
    if kind == "sparse":
        matrix *= np.maximum(rng.random((n, n)) < 0.4, np.eye(n) > 0)
        matrix = np.maximum(matrix, matrix.T)
    return matrix


@few
@given(seed=seeds, n=st.integers(2, 12), kind=st.sampled_from(["dense", "sparse"]))
def test_the_symmetric_normalisation_has_leading_eigenvalue_one(seed, n, kind):
    matrix = nonnegative(seed, n, kind)
    P = DenseAffinity(matrix) if kind == "dense" else SparseAffinity(sp.csr_array(matrix))
    S = normalise(P, "symmetric").affinity.to_dense()
    root = np.sqrt(matrix.sum(axis=1))
    np.testing.assert_allclose(S, matrix / np.outer(root, root), atol=ROUNDING)
    values = np.linalg.eigvalsh(S)
    assert values[-1] == pytest.approx(1.0, abs=ROUNDING)
    assert values[0] >= -1 - ROUNDING


doubly = pytest.mark.parametrize("how", ["relative-entropy", "l1", "frobenius"])


@doubly
@few
@given(seed=seeds, n=st.integers(2, 12), scale=st.sampled_from([1e-6, 1.0, 1e6]))
def test_rows_of_a_doubly_stochastic_matrix_sum_to_one(how, seed, n, scale):
    F = normalise(DenseAffinity(nonnegative(seed, n) * (1 if how == "frobenius" else scale)), how).affinity.to_dense()
    np.testing.assert_allclose(F.sum(axis=1), 1.0, atol=1e-6 if how == "frobenius" else 1e-9)  # as normalise promises
    np.testing.assert_allclose(F, F.T, atol=ROUNDING)
    assert F.min() >= -ROUNDING


def relative_entropy(F, P):
    kept = F > 0
    return float((F[kept] * np.log(F[kept] / P[kept])).sum() - F.sum() + P.sum())


@few
@given(seed=seeds)
def test_the_relative_entropy_form_scales_rows_and_is_the_closest(seed):
    matrix = nonnegative(seed, 6)
    result = normalise(DenseAffinity(matrix), "relative-entropy")
    F, x = result.affinity.to_dense(), result.factors
    np.testing.assert_allclose(F, matrix * np.outer(x, x), atol=ROUNDING)
    rng = np.random.default_rng(seed)
    least = relative_entropy(F, matrix)
    for _ in range(30):  # a feasible neighbour: a symmetric move with zero row sums
        move = rng.normal(size=(6, 6))
        move = move + move.T
        centre = np.eye(6) - 1 / 6
        move = centre @ move @ centre
        other = F + move * 0.5 * (F / np.abs(move)).min()
        assert other.min() >= 0
        np.testing.assert_allclose(other.sum(axis=1), 1.0, atol=1e-9)
        assert relative_entropy(other, matrix) > least


@few
@given(seed=seeds, n=st.integers(2, 6), scale=st.sampled_from([0.2, 1.0, 3.0]))
def test_the_frobenius_form_is_the_projection(seed, n, scale):
    matrix = nonnegative(seed, n) * scale
    F = normalise(DenseAffinity(matrix), "frobenius").affinity.to_dense()
    # Dykstra's alternating projections onto {rows sum to one, symmetric} and {nonnegative}: converges to the projection
    X, correction = matrix.copy(), np.zeros((n, n))
    for _ in range(3000):
        row = X.sum(axis=1)
        Y = X + ((1 - row)[:, None] + (1 - row)) / n - (n - X.sum()) / n**2
        X = np.maximum(Y + correction, 0.0)
        correction += Y - X
    np.testing.assert_allclose(F, X, atol=1e-5)  # what 3000 rounds leave


@few
@given(seed=seeds, n=st.integers(2, 5), scale=st.sampled_from([0.05, 1.0, 3.0]))
def test_the_l1_form_is_a_closest_one_to_the_scaled_affinity(seed, n, scale):
    matrix = nonnegative(seed, n) * scale
    result = normalise(DenseAffinity(matrix), "l1")
    F, s = result.affinity.to_dense(), result.factors[0]
    assert s == pytest.approx(max(1.0, (matrix.sum(axis=1) - matrix.diagonal()).max()))
    scaled = matrix / s
    np.testing.assert_allclose(F, scaled + np.diag(1 - scaled.sum(axis=1)), atol=ROUNDING)
    # min sum t over (F, t): -t <= F - P/s <= t, F >= 0, rows and columns of F sum to one
    size = n * n
    identity = np.eye(size)
    rows = np.kron(np.eye(n), np.ones(n))
    columns = np.kron(np.ones(n), np.eye(n))
    programme = linprog(
        np.r_[np.zeros(size), np.ones(size)],
        A_ub=np.block([[identity, -identity], [-identity, -identity]]),
        b_ub=np.r_[scaled.ravel(), -scaled.ravel()],
        A_eq=np.block([[rows, np.zeros((n, size))], [columns, np.zeros((n, size))]]),
        b_eq=np.ones(2 * n),
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},  # 1e-7 by default
    )
    assert np.abs(F - scaled).sum() == pytest.approx(programme.fun, abs=1e-8)  # n^2 constraints met to 1e-10


def isolated(n=8):
    matrix = nonnegative(0, n, "sparse")
    matrix[3] = matrix[:, 3] = 0.0
    return matrix


@pytest.mark.parametrize("sparse", [False, True])
def test_an_isolated_item_stays_so_under_symmetric_and_is_its_own_otherwise(sparse):
    matrix = isolated()
    P = SparseAffinity(sp.csr_array(matrix)) if sparse else DenseAffinity(matrix)
    S = normalise(P, "symmetric").affinity.to_dense()
    assert not S[3].any()
    for how in ("relative-entropy", "l1"):
        F = normalise(P, how).affinity.to_dense()
        np.testing.assert_allclose(F[3], np.eye(8)[3], atol=ROUNDING)
        np.testing.assert_allclose(F.sum(axis=1), 1.0, atol=1e-9)


def test_a_sparse_affinity_stays_sparse_and_frobenius_refuses_it():
    matrix = nonnegative(1, 30, "sparse")
    P = SparseAffinity(sp.csr_array(matrix))
    for how in ("symmetric", "relative-entropy", "l1"):
        sparse = normalise(P, how).affinity
        assert sparse.nnz <= P.nnz + 30
        np.testing.assert_allclose(
            sparse.to_dense(), normalise(DenseAffinity(matrix), how).affinity.to_dense(), atol=1e-9
        )
    with pytest.raises(InputError, match="normalization='frobenius'"):
        normalise(P, "frobenius")


@pytest.mark.parametrize("how", ["symmetric", "relative-entropy", "l1"])
def test_kinds_without_entries_are_normalised_too(how):
    factor = np.random.default_rng(0).random((9, 2))
    expected = normalise(DenseAffinity(factor @ factor.T), how).affinity.to_dense()
    np.testing.assert_allclose(normalise(LowRankAffinity(factor), how).affinity.to_dense(), expected, atol=1e-9)
    square = DiffusedAffinity(DenseAffinity(factor @ factor.T), 2)
    expected = normalise(DenseAffinity(square.to_dense()), how).affinity.to_dense()
    np.testing.assert_allclose(normalise(square, how).affinity.to_dense(), expected, atol=1e-9)


@pytest.mark.parametrize("how", ["symmetric", "relative-entropy", "l1", "none"])
@pytest.mark.parametrize("sparse", [False, True])
def test_a_row_of_a_new_item_is_normalised_as_if_it_had_been_there(how, sparse):
    """A new item that looks like item i, seen by the others alone, gets row i without its own entry."""
    matrix = nonnegative(2, 8) + np.eye(8)
    result = normalise(DenseAffinity(matrix), how)
    F = result.affinity.to_dense()
    for i in range(8):
        row = matrix[[i]].copy()
        row[0, i] = 0.0
        given = sp.csr_array(row) if sparse else row
        found = normalise_rows(given, result.factors, how, matrix[i, i])
        found = found.toarray() if sparse else found
        expected = F[[i]].copy()
        expected[0, i] = 0.0
        np.testing.assert_allclose(found, expected, atol=1e-9)
        np.testing.assert_array_equal(
            found, result.rows(given, matrix[i, i]).toarray() if sparse else result.rows(given, matrix[i, i])
        )


def test_a_row_of_a_new_item_under_frobenius_is_the_training_row():
    matrix = nonnegative(3, 8)
    result = normalise(DenseAffinity(matrix), "frobenius")
    F = result.affinity.to_dense()
    for rows in (matrix, sp.csr_array(matrix)):
        np.testing.assert_allclose(normalise_rows(rows, result.factors, "frobenius", 1.0), F, atol=1e-6)


@pytest.mark.parametrize("how", ["symmetric", "relative-entropy", "l1", "frobenius"])
def test_what_cannot_be_normalised_says_why(how):
    holes = DenseAffinity(np.array([[1.0, 0.0], [0.0, 1.0]]), Unobserved([0, 1], [1, 0]))
    with pytest.raises(InputError, match="normalization='none'"):
        normalise(holes, how)
    assert normalise(holes, "none").affinity is holes
    with pytest.raises(InputError, match="normalization='cubic'"):
        normalise(holes, "cubic")
    if how in ("symmetric", "relative-entropy"):
        with pytest.raises(InputError, match="item 1 "):
            normalise(DenseAffinity(np.array([[3.0, -1.0], [-1.0, 0.5]])), how)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_an_affinity_without_total_support_says_so():
    star = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    with pytest.raises(InputError, match="P_ii"):
        normalise(DenseAffinity(star), "relative-entropy")


def test_slsqp_agrees_with_the_frobenius_projection():
    matrix = nonnegative(5, 4)
    F = normalise(DenseAffinity(matrix), "frobenius").affinity.to_dense()
    found = minimize(
        lambda x: ((x.reshape(4, 4) - matrix) ** 2).sum(),
        np.full(16, 0.25),
        bounds=[(0, None)] * 16,
        constraints=[
            {"type": "eq", "fun": lambda x: x.reshape(4, 4).sum(axis=1) - 1},
            {"type": "eq", "fun": lambda x: x.reshape(4, 4).sum(axis=0)[:3] - 1},
        ],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    np.testing.assert_allclose(F, found.x.reshape(4, 4), atol=1e-5)
