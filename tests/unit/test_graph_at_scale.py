"""The graph of many items: the search, its reuse, both directions, weights, order. Laws and brute force, no clock."""

import threading
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from joblib import parallel_config
from joblib.parallel import get_active_backend
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial.distance import cdist

from partita import SCAMS, SoftClustering, load, save
from partita.affinity import (
    NeighborGraph,
    SparseAffinity,
    diffused,
    from_neighbors,
    links,
    neighbor_search,
    order,
    self_tuned,
    sparse,
)
from partita.affinity.neighbor_search import TreeSearch, fitted_search, nearest
from partita.affinity.normalise import normalise
from partita.affinity.order import distinct_share, locality_order
from partita.affinity.shared_search import KEPT, LastSearches, shared_search
from partita.estimators import items as items_module
from partita.estimators.items import merge_identical
from partita.kernels.graph import both_ways, pieces, scaled_values
from partita.kernels.threads import limit_threads
from synthetic import gaussians, ring, uneven_blobs, zigzag

# A few roundings of distances and of what is computed from them.
ROUNDING = 1e-9


# The search


@pytest.mark.parametrize(
    ("metric", "params", "oracle"),
    [
        ("euclidean", None, {"metric": "euclidean"}),
        ("cityblock", None, {"metric": "cityblock"}),
        ("chebyshev", None, {"metric": "chebyshev"}),
        ("minkowski", {"p": 3}, {"metric": "minkowski", "p": 3}),
    ],
)
@pytest.mark.parametrize("d", [1, 4, 12])
def test_the_tree_finds_the_closest_and_their_distances(monkeypatch, d, metric, params, oracle):
    monkeypatch.setattr(neighbor_search, "THREADS_FROM", 100)
    monkeypatch.setattr(neighbor_search, "ROWS", 97)  # several batches
    X, new = uneven_blobs(600, d), uneven_blobs(250, d, seed=1)
    search = fitted_search(X, metric, params)
    assert isinstance(search, TreeSearch)
    D = cdist(X, X, **oracle)
    index, distance = nearest(X, X, 7, metric, params, itself=True)
    np.testing.assert_allclose(distance, np.sort(D, axis=1)[:, 1:8], rtol=ROUNDING)
    np.testing.assert_allclose(np.take_along_axis(D, index, axis=1), distance, rtol=ROUNDING)
    assert not (index == np.arange(600)[:, None]).any()
    D = cdist(new, X, **oracle)
    index, distance = nearest(new, X, 7, metric, params, itself=False, search=search)
    np.testing.assert_allclose(distance, np.sort(D, axis=1)[:, :7], rtol=ROUNDING)
    np.testing.assert_allclose(np.take_along_axis(D, index, axis=1), distance, rtol=ROUNDING)


def test_distances_by_the_tree_are_the_same_in_both_directions():
    X = uneven_blobs(6000, 3)
    index, distance = nearest(X, X, 5, "euclidean", None, itself=True)
    known = {(i, int(j)): L for i in range(len(X)) for j, L in zip(index[i], distance[i])}
    both = [(L, known[j, i]) for (i, j), L in known.items() if (j, i) in known]
    assert len(both) > 10_000
    assert all(there == back for there, back in both)


def test_an_item_given_many_times_is_not_its_own_neighbour_by_the_tree():
    X = np.repeat(uneven_blobs(200, 3), 30, axis=0)  # more copies than a leaf holds
    index, distance = nearest(X, X, 5, "euclidean", None, itself=True)
    assert not distance.any()
    assert not (index == np.arange(len(X))[:, None]).any()
    assert (index // 30 == np.arange(len(X))[:, None] // 30).all()


def test_metrics_that_no_tree_knows_go_to_scikit_learn():
    X = uneven_blobs(5000, 3)
    for metric, params in (("cosine", None), ("minkowski", {"p": 2, "w": np.ones(3)}), (lambda x, y: 0.0, None)):
        assert not isinstance(fitted_search(X, metric, params), TreeSearch)
    assert not isinstance(fitted_search(uneven_blobs(5000, 13), "euclidean", None), TreeSearch)
    assert not isinstance(fitted_search(uneven_blobs(4999, 3), "euclidean", None), TreeSearch)


def test_new_items_of_a_large_fit_have_the_weights_of_the_formula():
    X, new = uneven_blobs(6000, 3), uneven_blobs(40, 3, seed=5)
    evidence = NeighborGraph(n_neighbors=6).build(X, n_clusters=6000)
    rows = evidence.rows(new).toarray()
    sigma = np.sort(cdist(X, X), axis=1)[:, 6]
    D = cdist(new, X)
    own = np.sort(D, axis=1)[:, 5]
    expected = np.where(own[:, None] >= D, np.exp(-(D**2) / (own[:, None] * sigma)), 0.0)
    np.testing.assert_allclose(rows, expected, atol=ROUNDING)


# Reuse


@pytest.fixture
def searches(monkeypatch):
    """The k of each search among the items themselves."""
    asked = []

    def counted(X, Y, k, *args, itself, **options):
        asked.extend([k] * itself)
        return nearest(X, Y, k, *args, itself=itself, **options)

    monkeypatch.setattr(from_neighbors, "nearest", counted)
    return asked


def test_a_fit_searches_once_and_so_do_fits_that_share(searches):
    X = uneven_blobs(300, 3)
    with shared_search():
        fits = [
            SoftClustering(K, random_state=0, affinity="neighbors", probabilities="fitted").fit(X) for K in (2, 3, 5)
        ]
    assert searches == [10]
    np.testing.assert_array_equal(
        SoftClustering(5, random_state=0, affinity="neighbors", probabilities="fitted").fit(X).membership_,
        fits[-1].membership_,
    )
    assert searches == [10, 10]
    SCAMS(random_state=0).fit(X)  # a graph before there is a number of clusters, and one for the number
    assert searches == [10, 10, 10]


def test_what_the_search_does_not_depend_on_is_free_to_change(searches):
    with shared_search():
        X = uneven_blobs(300, 3)
        graphs = [
            NeighborGraph(connection=connection, weights=weights, smoothing=m)
            .build(X, n_clusters=K)
            .affinity.to_dense()
            for connection, weights, m, K in (
                ("union", "gaussian", 1, 2),
                ("mutual", "cauchy", 3, 9),
                ("union", "binary", 1, 300),
            )
        ]
        assert searches == [10]
    np.testing.assert_array_equal(
        NeighborGraph(connection="mutual", weights="cauchy", smoothing=3).build(X, n_clusters=9).affinity.to_dense(),
        graphs[1],
    )


def test_changed_items_and_settings_are_searched_anew(searches):
    with shared_search():
        X = uneven_blobs(300, 3)
        NeighborGraph().build(X, n_clusters=2)
        moved = X.copy()
        moved[7, 1] = np.nextafter(moved[7, 1], np.inf)
        builds = [
            (moved, NeighborGraph()),
            (X[::-1], NeighborGraph()),
            (X, NeighborGraph(metric="cityblock")),
            (X, NeighborGraph(metric="minkowski", metric_params={"p": 3})),
            (X, NeighborGraph(metric="minkowski", metric_params={"p": 4})),
            (X, NeighborGraph(n_neighbors=11, metric="minkowski", metric_params={"p": 4})),
        ]
        for Y, graph in builds:
            graph.build(Y, n_clusters=2)
        assert len(searches) == 1 + len(builds)
        metric = lambda x, y: float(np.abs(x - y).sum())  # noqa: E731 - who knows what else it depends on
        for _ in range(2):
            NeighborGraph(metric=metric).build(X[:40], n_clusters=2)
        assert len(searches) == 3 + len(builds)


def test_fewer_neighbours_are_taken_from_more_where_that_is_exact(searches):
    X = uneven_blobs(300, 3)
    with shared_search():
        NeighborGraph(n_neighbors=15).build(X, n_clusters=2)
        fewer = NeighborGraph(n_neighbors=6).build(X, n_clusters=2).affinity.to_dense()
    assert searches == [15]
    np.testing.assert_array_equal(NeighborGraph(n_neighbors=6).build(X, n_clusters=2).affinity.to_dense(), fewer)
    # on a grid the sixth closest is one of several: which one must not depend on what was asked before
    grid = np.stack(np.meshgrid(np.arange(18.0), np.arange(18.0)), axis=-1).reshape(-1, 2)
    with shared_search():
        NeighborGraph(n_neighbors=15).build(grid, n_clusters=2)
        NeighborGraph(n_neighbors=6).build(grid, n_clusters=2)
        for k in (6, 15):  # and both are kept
            NeighborGraph(n_neighbors=k).build(grid, n_clusters=2)
    assert searches == [15, 6, 15, 6]


def test_a_search_too_large_for_the_memory_is_not_kept(searches, monkeypatch):
    X = uneven_blobs(300, 3)
    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", str(20 * 300 * 10 * 16 // 2))
    for _ in range(2):
        NeighborGraph().build(X, n_clusters=2)
    assert searches == [10, 10]


def test_what_was_made_is_kept_while_there_is_room_and_the_oldest_goes_first(monkeypatch):
    last, made = LastSearches(), []

    def ask(name, n=50):
        last.made(name, lambda: (made.append(name), (np.zeros(n),))[1])

    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", str(20 * 1000))  # a twentieth is room for two of 400 bytes
    for name in (b"a", b"b", b"a", b"b"):
        ask(name)
    assert made == [b"a", b"b"]
    for name in (b"c", b"b", b"c", b"a"):
        ask(name)
    assert made == [b"a", b"b", b"c", b"a"]
    for _ in range(2):  # no room for it alone
        ask(b"large", 150)
    assert made[4:] == [b"large", b"large"]


def test_nobody_can_write_into_a_kept_search():
    last = LastSearches()
    for array in last.searched(b"key", 2, lambda: (np.array([[1, 2]]), np.array([[1.0, 2.0]]))):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 5


def test_a_few_searches_are_kept_and_the_oldest_goes_first(searches):
    sets = [uneven_blobs(200, 3, seed=seed) for seed in range(KEPT + 1)]
    with shared_search():
        for X in (*sets, *sets[1:], sets[0]):
            NeighborGraph().build(X, n_clusters=2)
    assert len(searches) == len(sets) + 1


def test_of_several_threads_that_ask_for_one_search_one_makes_it():
    last, asked, entered = LastSearches(), threading.Barrier(4), []

    def search():
        entered.append(1)
        time.sleep(0.05)  # the others ask meanwhile
        return np.array([[1]]), np.array([[1.0]])

    def ask(_):
        asked.wait()
        return last.searched(b"key", 1, search)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(ask, range(4)))
    assert len(entered) == 1
    assert all(index.tolist() == [[1]] for index, _ in found)


@pytest.mark.parametrize("d", [4, 30])
def test_which_of_equally_far_items_are_neighbours_does_not_depend_on_the_number_of_threads(d):
    X = np.random.default_rng(0).integers(0, 3, size=(1500, d)).astype(float)
    several = nearest(X, X, 7, "euclidean", None, itself=True)
    with limit_threads(1):
        one = nearest(X, X, 7, "euclidean", None, itself=True)
    for found, again in zip(several, one, strict=True):
        np.testing.assert_array_equal(found, again)


def test_a_search_asks_no_backend_of_the_caller_for_tasks(monkeypatch):
    """In a task of Dask it waited for tasks of Dask, now and then for ever."""
    asked, kneighbors = [], neighbor_search.NearestNeighbors.kneighbors

    def spied(self, *given, **options):
        asked.append(type(get_active_backend()[0]).__name__)
        return kneighbors(self, *given, **options)

    monkeypatch.setattr(neighbor_search.NearestNeighbors, "kneighbors", spied)
    X = uneven_blobs(300, 3)
    with parallel_config(backend="loky", n_jobs=2):
        nearest(X, X, 5, "euclidean", None, itself=True)
    assert asked
    assert set(asked) == {"ThreadingBackend"}


def test_builds_in_several_threads_do_not_mix():
    sets = [uneven_blobs(200, 3, seed=seed) for seed in range(4)]
    alone = [NeighborGraph().build(X, n_clusters=2).affinity.to_dense() for X in sets]
    barrier = threading.Barrier(4)

    def build(worker):
        barrier.wait()
        return [NeighborGraph().build(sets[(worker + i) % 4], n_clusters=2).affinity.to_dense() for i in range(12)]

    with ThreadPoolExecutor(4) as pool:
        for worker, found in enumerate(pool.map(build, range(4))):
            for i, P in enumerate(found):
                np.testing.assert_array_equal(P, alone[(worker + i) % 4])


# Both directions, weights, scaling


@pytest.mark.parametrize("connection", ["union", "mutual"])
@pytest.mark.parametrize("weights", ["gaussian", "laplacian", "cauchy", "binary"])
@pytest.mark.parametrize("single", [False, True])
def test_the_compiled_graph_is_scipys_and_the_formulas(monkeypatch, connection, weights, single):
    monkeypatch.setattr(self_tuned, "SINGLE_FROM", 0 if single else 10**9)
    X, k = uneven_blobs(500, 3), 9
    graphs = []
    for compiled_from in (10**9, 0):
        monkeypatch.setattr(self_tuned, "COMPILED_FROM", compiled_from)
        builder = NeighborGraph(n_neighbors=k, connection=connection, weights=weights)
        graphs.append(builder.build(X, n_clusters=500).affinity.matrix)
    by_scipy, compiled = graphs
    assert compiled.dtype == by_scipy.dtype == (np.float32 if single else np.float64)
    for array in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(compiled, array), getattr(by_scipy, array))
    assert compiled.has_sorted_indices
    D = cdist(X, X)
    nearest_of = np.argsort(D, axis=1, kind="stable")[:, 1 : k + 1]
    sigma = np.take_along_axis(D, nearest_of[:, -1:], axis=1)[:, 0]
    ratio = D / np.sqrt(sigma[:, None] * sigma)
    value = {
        "gaussian": np.exp(-(ratio**2)),
        "laplacian": np.exp(-ratio),
        "cauchy": 1 / (1 + ratio**2),
        "binary": 1 + 0 * D,
    }
    chosen = np.zeros(D.shape, dtype=bool)
    np.put_along_axis(chosen, nearest_of, True, axis=1)
    chosen = chosen | chosen.T if connection == "union" else chosen & chosen.T
    expected = np.where(chosen, value[weights], 0.0) + np.eye(len(X))
    np.testing.assert_allclose(
        compiled.toarray(), expected, atol=1e-7 if single else ROUNDING
    )  # single precision: 6e-8


@pytest.mark.parametrize("mutual", [False, True])
def test_directions_that_disagree_and_hubs(mutual):
    """Values of an approximate search differ by direction; one item may be chosen by all."""
    rng = np.random.default_rng(0)
    n, k = 3000, 6
    index = np.array([rng.choice(n - 1, k, replace=False) for _ in range(n)])
    index += index >= np.arange(n)[:, None]
    index[1:, 0] = 0
    index[1:, 1:] = np.where(index[1:, 1:] == 0, (np.arange(1, n) % (n - 1) + 1)[:, None], index[1:, 1:])
    for i in range(n):  # none twice, none itself
        row = list(dict.fromkeys(int(j) for j in index[i] if j != i))
        row += [j for j in range(n) if j != i and j not in row][: k - len(row)]
        index[i] = row
    values = rng.random((n, k)) * (rng.random((n, k)) < 0.9)
    given = sp.csr_array((values.ravel(), (np.repeat(np.arange(n), k), index.ravel())), shape=(n, n))
    expected = (given.minimum(given.T) if mutual else given.maximum(given.T)) + sp.eye_array(n)
    with limit_threads(1):
        arrays = both_ways(index.astype(np.int32), values, mutual)
    with limit_threads(2):
        again = both_ways(index.astype(np.int32), values, mutual)
    for one, two in zip(arrays, again):
        np.testing.assert_array_equal(one, two)
    indptr, indices, data = arrays
    found = sp.csr_array((data, indices, indptr), shape=(n, n))
    assert (np.diff(indices)[np.setdiff1d(np.arange(len(indices) - 1), indptr[1:-1] - 1)] > 0).all()
    np.testing.assert_array_equal(found.toarray(), expected.toarray())
    assert mutual or np.diff(indptr)[0] > 0.85 * n


def test_weights_below_the_smallest_normal_number_are_not_stored(monkeypatch):
    monkeypatch.setattr(self_tuned, "SINGLE_FROM", 0)
    # An outlier a hundred times as far away as the others are apart.
    X = np.r_[uneven_blobs(60, 3) * 1e-2, [[0.65, 0.65, 0.65]]]
    D = cdist(X, X)
    closest = np.argsort(D[60])[1:6]
    sigma = np.sort(D, axis=1)[:, 5]
    weights = np.exp(-(D[60, closest] ** 2) / (sigma[60] * sigma[closest]))
    tiny = np.finfo(np.float32).tiny
    assert ((weights > 0) & (weights < tiny)).any()
    for compiled_from in (10**9, 0):
        monkeypatch.setattr(self_tuned, "COMPILED_FROM", compiled_from)
        matrix = NeighborGraph(n_neighbors=5).build(X, n_clusters=61).affinity.matrix
        assert matrix.dtype == np.float32
        assert matrix.data.min() >= tiny
        assert set(matrix[[60]].indices) == {60, *closest[weights >= tiny].tolist()}


def test_large_graphs_are_single_precision_and_small_ones_double(monkeypatch):
    monkeypatch.setattr(self_tuned, "SINGLE_FROM", 400)
    assert NeighborGraph().build(uneven_blobs(399, 3), n_clusters=2).affinity.matrix.dtype == np.float64
    P = NeighborGraph().build(uneven_blobs(400, 3), n_clusters=2).affinity
    assert P.matrix.dtype == np.float32
    assert normalise(P, "symmetric").affinity.matrix.dtype == np.float32


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_scaling_is_the_formula_compiled_or_not(monkeypatch, kind):
    rng = np.random.default_rng(0)
    half = sp.random_array((400, 400), density=0.05, rng=rng)
    matrix = sp.csr_array(half + half.T).astype(kind)
    factors = rng.random(400) + 0.5
    expected = factors[:, None] * matrix.toarray().astype(np.float64) * factors
    for compiled_from in (10**9, 0):
        monkeypatch.setattr(sparse, "COMPILED_FROM", compiled_from)
        before = SparseAffinity(matrix)
        scaled = before.scaled(factors)
        assert scaled.matrix.dtype == kind
        np.testing.assert_allclose(scaled.to_dense(), expected, rtol=2 * np.finfo(kind).eps)
        np.testing.assert_array_equal(scaled.to_dense(), scaled.to_dense().T)
        np.testing.assert_array_equal(before.to_dense(), matrix.toarray())  # what is shared is not written to
    with limit_threads(1):
        one = scaled_values(matrix.indptr, matrix.indices, matrix.data, factors)
    np.testing.assert_array_equal(one, scaled.matrix.data)


@pytest.mark.parametrize("how", ["symmetric", "relative-entropy", "l1"])
def test_normalisation_in_single_precision_is_that_of_double(monkeypatch, how):
    X = uneven_blobs(400, 3)
    double = normalise(NeighborGraph().build(X, n_clusters=2).affinity, how).affinity
    monkeypatch.setattr(self_tuned, "SINGLE_FROM", 0)
    single = normalise(NeighborGraph().build(X, n_clusters=2).affinity, how).affinity
    assert single.matrix.dtype == np.float32
    np.testing.assert_allclose(single.to_dense(), double.to_dense(), atol=1e-6)  # a few roundings of single precision


def test_pieces_are_scipys_connected_components():
    rng = np.random.default_rng(0)
    half = sp.random_array((3000, 3000), density=0.0003, rng=rng)
    matrix = sp.csr_array(half + half.T)
    n_pieces, expected = connected_components(matrix, directed=False)
    assert n_pieces > 100
    np.testing.assert_array_equal(pieces(matrix.indptr, matrix.indices), expected)
    assert self_tuned.pieces_of(matrix)[0] == n_pieces


@pytest.mark.parametrize("small", [0, 3, 32])
@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev"])
def test_links_found_piece_by_piece_are_a_shortest_spanning_tree(monkeypatch, small, metric):
    monkeypatch.setattr(links, "SMALL_PIECE", small)
    monkeypatch.setattr(links, "THREADS_FROM", 0)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 3)) * np.exp(rng.normal(size=(400, 1))) + 6 * rng.integers(0, 4, size=(400, 1))
    options = {"n_neighbors": 4, "connection": "mutual", "metric": metric}
    apart = NeighborGraph(**options).build(X, n_clusters=400).affinity.matrix
    n_pieces, piece = connected_components(apart)
    assert n_pieces > 20
    linked = NeighborGraph(**options).build(X, n_clusters=2).affinity.matrix
    assert connected_components(linked)[0] == 1
    added = sp.coo_array(linked - apart)
    added.eliminate_zeros()
    assert added.nnz == 2 * (n_pieces - 1)
    D = cdist(X, X, metric)
    between = np.full((n_pieces, n_pieces), np.inf)
    np.minimum.at(between, (piece[:, None], piece), D)
    np.fill_diagonal(between, 0.0)
    assert D[added.coords].sum() / 2 == pytest.approx(minimum_spanning_tree(between).sum(), rel=ROUNDING)


def test_sparse_distances_keep_the_closest_that_are_stored():
    rng = np.random.default_rng(0)
    half = sp.triu(sp.random_array((80, 80), density=0.2, rng=rng), 1)
    D = sp.csr_array(half + half.T)
    index, distance = NeighborGraph(n_neighbors=4, metric="precomputed")._neighbors(D)
    dense = np.where(D.toarray() > 0, D.toarray(), np.inf)
    np.testing.assert_array_equal(distance, np.sort(dense, axis=1)[:, :4])
    known = np.isfinite(distance)
    np.testing.assert_array_equal(np.take_along_axis(dense, index, axis=1)[known], distance[known])


# Order


def test_a_permutation_of_many_rows_permutes_the_items():
    rng = np.random.default_rng(0)
    X = np.r_[uneven_blobs(30_000, 3), uneven_blobs(500, 3)]
    X = X[rng.permutation(len(X))]
    weights = rng.integers(0, 4, len(X)).astype(float)
    shuffle = rng.permutation(len(X))
    one, other = merge_identical(X, weights), merge_identical(X[shuffle], weights[shuffle])
    assert len(one.features) > items_module.LOCAL_FROM
    np.testing.assert_array_equal(one.features, other.features)
    np.testing.assert_array_equal(one.weights, other.weights)
    np.testing.assert_array_equal(one.of_row[shuffle], other.of_row)
    known = one.of_row >= 0
    np.testing.assert_array_equal(one.features[one.of_row[known]], X[known])
    np.testing.assert_array_equal(one.weights, np.bincount(one.of_row[known], weights[known]))


def test_a_permutation_of_many_rows_permutes_the_fit():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 21_000)
    X = gaussians(truth, 7.0 * zigzag(truth.max() + 1, 2), rng)
    shuffle = rng.permutation(len(X))
    one, other = (
        SoftClustering(3, random_state=0, max_iter=30, affinity="neighbors", probabilities="fitted").fit(Y)
        for Y in (X, X[shuffle])
    )
    np.testing.assert_array_equal(one.membership_[shuffle], other.membership_)
    np.testing.assert_array_equal(one.labels_[shuffle], other.labels_)
    agreement = np.array([[((one.labels_ == a) & (truth == b)).sum() for b in range(3)] for a in range(3)])
    assert agreement.max(axis=1).sum() > 0.98 * len(X)


def test_neighbours_of_many_items_are_near_each_other_in_memory(monkeypatch):
    X = np.random.default_rng(0).random((25_000, 3))

    def gap():
        graph = sp.coo_array(NeighborGraph().build(merge_identical(X).features, n_clusters=25_000).affinity.matrix)
        return np.median(np.abs(graph.coords[0] - graph.coords[1])), graph.nnz

    near, nnz = gap()
    monkeypatch.setattr(items_module, "LOCAL_FROM", 10**9)
    far, same = gap()
    assert nnz == same
    assert near < 0.2 * far


def test_scattered_items_are_brought_together():
    n = 200_000
    rng = np.random.default_rng(0)
    scattered = ring(n, 4, rng.permutation(n))
    found = locality_order(scattered)
    np.testing.assert_array_equal(np.sort(found), np.arange(n))
    ordered = sp.coo_array(scattered[found][:, found])
    assert np.abs(ordered.coords[0] - ordered.coords[1]).max() <= 16  # a band; at random it is n
    assert distinct_share(scattered) > 0.9
    assert distinct_share(sp.csr_array(ordered)) == pytest.approx(distinct_share(scattered, found))


def test_no_order_is_made_where_none_is_worth_it():
    n = 200_000
    rng = np.random.default_rng(0)
    assert locality_order(ring(n, 4)) is None  # it is local already
    assert locality_order(ring(n - 1, 4, rng.permutation(n - 1))) is None  # it fits into the cache
    half = sp.csr_array((np.ones(4 * n), (np.tile(np.arange(n), 4), rng.integers(0, n, 4 * n))), shape=(n, n))
    assert locality_order(sp.csr_array(half + half.T)) is None  # a random graph has no good order


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("linked", [False, True])
def test_a_fit_in_another_order_is_the_same_fit(monkeypatch, tmp_path, weighted, linked):
    """Of a precomputed graph: memberships, new items by their rows, also of a saved model."""
    monkeypatch.setattr(diffused, "EXACT_UP_TO", 10**9)  # an estimate of the norm has its probes in the order of items
    rng = np.random.default_rng(0)
    n = 1500
    truth = rng.integers(0, 4, n)
    X = rng.normal(size=(n, 2)) + 5.0 * np.c_[truth % 2, truth // 2]
    P = NeighborGraph().build(X, n_clusters=1).affinity.matrix
    weights = rng.integers(0, 3, n)
    weights[:20] = 1
    options = {"sample_weight": weights} if weighted else {}
    if linked:
        options["must_link"] = [(0, 5), (7, 8)]
    fits = []
    for order_from in (10**9, 0):
        for name, value in (("ORDER_FROM", order_from), ("SCATTERED", 0.0), ("BETTER", 10.0)):
            monkeypatch.setattr(order, name, value)
        fits.append(
            SoftClustering(4, affinity="precomputed", random_state=0, tol=1e-7, probabilities="fitted").fit(
                P, **options
            )
        )
    plain, ordered = fits
    assert not np.array_equal(plain.item_index_, ordered.item_index_)
    save(ordered, tmp_path / "model")
    ours, theirs = ordered.membership_, plain.membership_
    place = [int(np.abs(ours - theirs[:, [k]]).sum(axis=0).argmin()) for k in range(4)]
    np.testing.assert_allclose(ours[:, place], theirs, atol=1e-5)  # both stop within 1e-7 of one stationary point
    new = plain.predict_proba(P[:90])
    for model in (ordered, load(tmp_path / "model")):
        np.testing.assert_allclose(model.predict_proba(P[:90])[:, place], new, atol=1e-5)
    assert ordered.objective_ == pytest.approx(plain.objective_, rel=ROUNDING)


# Memory


def test_a_graph_takes_a_small_multiple_of_its_own_memory():
    X = uneven_blobs(60_000, 3)
    builder = NeighborGraph(n_neighbors=15)
    builder.build(X[:40_000], n_clusters=40_000)  # compiled and loaded
    tracemalloc.start()
    try:
        P = builder.build(X, n_clusters=2).affinity
        S = normalise(P, "symmetric").affinity
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    own = sum(array.nbytes for array in (P.matrix.data, P.matrix.indices, P.matrix.indptr))
    # neighbours and distances (12 k N bytes, one batch of the search beside them), weights in both directions (16 k N),
    # the graph (about 12 * 1.4 k N), the scaled values
    assert peak < 3.5 * own
    assert np.shares_memory(S.matrix.indices, P.matrix.indices)
