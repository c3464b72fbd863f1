"""Input from outside: every bad matrix is refused with its position and a remedy, and nothing too large is made."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from partita import SoF
from partita.affinity import (
    DenseAffinity,
    DrawsAffinity,
    LowRankAffinity,
    NeighborGraph,
    Precomputed,
    RelativeDistance,
    as_affinity,
    as_distances,
    from_edges,
)
from partita.errors import InputError, MemoryLimitError

dense_and_sparse = pytest.mark.parametrize("wrap", [np.array, sp.csr_array, sp.coo_matrix], ids=["dense", "csr", "coo"])


def good():
    return np.array([[1.0, 0.2, 0.4], [0.2, 1.0, 0.6], [0.4, 0.6, 1.0]])


def with_entry(i, j, value, both=True):
    matrix = good()
    matrix[i, j] = value
    if both:
        matrix[j, i] = value
    return matrix


AFFINITIES = [
    (with_entry(0, 2, np.nan), r"affinity\[0, 2\] = nan .* 1 more.*missing='unobserved'"),
    (with_entry(2, 2, np.nan), r"affinity\[2, 2\] = nan (?!.* 1 more)"),
    (with_entry(1, 2, np.inf), r"affinity\[1, 2\] = inf .* 1 more"),
    (with_entry(1, 2, -np.inf), r"affinity\[1, 2\] = -inf"),
    (with_entry(0, 1, -0.3), r"affinity\[0, 1\] = -0\.3 .* 1 more"),
    (with_entry(1, 2, 0.7, both=False), r"affinity\[1, 2\] = 0\.7 .*symmetrize='mean'"),
    (np.ones((2, 3)), r"affinity .*\(2, 3\)"),
    (np.zeros((3, 3)), "^affinity "),
    (np.empty((0, 0)), "^affinity "),
    (good() + 1j, "complex"),
]


@dense_and_sparse
@pytest.mark.parametrize(("matrix", "message"), AFFINITIES)
def test_a_bad_affinity_is_refused_with_place_and_remedy(wrap, matrix, message):
    with pytest.raises(InputError, match=message):
        as_affinity(wrap(matrix))


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([["a", "b"], ["c", "d"]], "affinity .*'a'"),
        ([[1.0, 0.5], [0.5]], "^affinity "),
        ([[1.0, None], [None, {}]], "affinity .*dict"),
        ([1.0, 2.0], r"affinity .*\(2,\)"),
        (np.ones((2, 2, 2)), r"affinity .*\(2, 2, 2\)"),
        (3.0, r"affinity .*\(\)"),
    ],
)
def test_what_is_no_matrix_of_numbers_is_refused(matrix, message):
    with pytest.raises(InputError, match=message):
        as_affinity(matrix)


def test_a_stored_zero_in_a_sparse_affinity_is_no_error_and_duplicates_are_summed():
    entries = ([0.5, 0.5, 1.0, 1.0, 0.0, 0.0], ([0, 0, 1, 2, 0, 2], [1, 1, 0, 2, 2, 0]))
    given = sp.coo_array(entries, shape=(3, 3))
    P = as_affinity(given)
    assert P.to_dense().tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert given.nnz == 6  # the caller's matrix is as it was


@dense_and_sparse
def test_a_good_affinity_is_taken_as_it_is_and_not_tied_to_the_callers_array(wrap):
    given = wrap(good())
    P = as_affinity(given)
    np.testing.assert_array_equal(P.to_dense(), good())
    assert P.kind == "probability"
    assert P.unobserved is None
    assert as_affinity(P) is P
    assert as_affinity(wrap(3 * good())).kind == "similarity"
    assert as_affinity(wrap(good() > 0.3)).to_dense().dtype == np.float64  # booleans and integers are numbers


def test_an_asymmetry_that_rounding_explains_is_averaged_away():
    matrix = good() * 1e6
    matrix[0, 1] += 1e-4  # 1e-10 of the largest entry
    np.testing.assert_array_equal(as_affinity(matrix).to_dense(), as_affinity(matrix).to_dense().T)
    matrix[0, 1] += 1.0
    with pytest.raises(InputError, match=r"affinity\[0, 1\] = "):
        as_affinity(matrix)


@dense_and_sparse
@pytest.mark.parametrize(("how", "expected"), [("mean", 0.4), ("max", 0.6), ("min", 0.2)])
def test_symmetrize_says_which_one_holds(wrap, how, expected):
    matrix = good()
    matrix[0, 2], matrix[2, 0] = 0.2, 0.6
    P = as_affinity(wrap(matrix), symmetrize=how).to_dense()
    assert P[0, 2] == P[2, 0] == pytest.approx(expected)
    matrix[0, 2] = matrix[2, 0] = P[0, 2]
    np.testing.assert_allclose(P, matrix)
    one_sided = np.triu(good())
    P = as_affinity(wrap(one_sided), symmetrize=how).to_dense()
    assert P[0, 1] == P[1, 0] == pytest.approx({"mean": 0.1, "max": 0.2, "min": 0.0}[how])
    assert P[0, 0] == 1.0


@dense_and_sparse
@pytest.mark.parametrize("both", [False, True])
def test_an_unobserved_pair_is_dropped_in_both_orders(wrap, both):
    matrix = with_entry(0, 2, np.nan, both=both)
    matrix[1, 1] = np.nan
    P = as_affinity(wrap(matrix), missing="unobserved")
    expected = good()
    expected[0, 2] = expected[2, 0] = expected[1, 1] = 0.0
    np.testing.assert_array_equal(P.to_dense(), expected)
    assert set(zip(P.unobserved.first.tolist(), P.unobserved.second.tolist())) == {(0, 2), (2, 0), (1, 1)}
    assert len(P.unobserved) == 3
    if sp.issparse(wrap(matrix)):
        assert P.nnz == 6
    # an infinite or negative entry stays an error beside it
    with pytest.raises(InputError, match=r"affinity\[0, 1\] = -0.3"):
        as_affinity(wrap(with_entry(0, 1, -0.3) + np.where(np.eye(3) > 0, np.nan, 0)), missing="unobserved")


def test_nothing_but_unobserved_pairs_is_no_evidence():
    with pytest.raises(InputError, match=r"^affinity "):
        as_affinity(np.full((3, 3), np.nan), missing="unobserved")


def test_many_unobserved_pairs_are_all_found():
    rng = np.random.default_rng(0)
    half = rng.random((300, 300))
    matrix = half + half.T
    hidden = rng.random((300, 300)) < 0.2
    for wrap in (np.array, sp.csr_array):
        P = as_affinity(wrap(np.where(hidden, np.nan, matrix)), missing="unobserved")
        found = np.zeros((300, 300), dtype=int)
        np.add.at(found, (P.unobserved.first, P.unobserved.second), 1)
        np.testing.assert_array_equal(found, (hidden | hidden.T).astype(int))
        np.testing.assert_array_equal(P.to_dense(), np.where(hidden | hidden.T, 0.0, matrix))


DISTANCES = [
    (with_entry(0, 2, np.nan) - np.eye(3), r"distances\[0, 2\] = nan .* 1 more"),
    (with_entry(0, 2, np.inf) - np.eye(3), r"distances\[0, 2\] = inf"),
    (with_entry(1, 2, -2.0) - np.eye(3), r"distances\[1, 2\] = -2"),
    (good(), r"distances\[0, 0\] = 1: .*affinity='precomputed'"),
    (np.ones((2, 3)), r"distances .*\(2, 3\)"),
    (np.empty((0, 0)), "^distances "),
    (good() * 1j, "complex"),
]


@dense_and_sparse
@pytest.mark.parametrize(("matrix", "message"), DISTANCES)
def test_bad_distances_are_refused_with_place_and_remedy(wrap, matrix, message):
    with pytest.raises(InputError, match=message):
        as_distances(wrap(matrix))


def test_what_rounding_leaves_of_a_distance_of_zero_is_zero():
    X = np.random.default_rng(0).normal(size=(40, 64)).astype(np.float32)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    cosine = 1 - np.vstack([X, X]) @ np.vstack([X, X]).T
    assert cosine.min() < 0
    found = as_distances(cosine)
    assert found.min() == 0
    np.testing.assert_allclose(found, np.maximum(cosine, 0), atol=1e-6)  # roundings of single precision


def test_asymmetric_distances_are_refused_dense_and_the_known_one_taken_sparse():
    matrix = good() - np.eye(3)
    matrix[0, 1] = 0.0
    with pytest.raises(InputError, match=r"distances\[0, 1\] = 0 "):
        as_distances(matrix)
    np.testing.assert_array_equal(as_distances(sp.csr_array(matrix)).toarray(), good() - np.eye(3))


@pytest.mark.parametrize(("how", "expected"), [("max", 3.0), ("mean", 2.0), ("min", 1.0)])
def test_of_two_distances_of_a_pair_one_is_chosen_and_a_pair_that_is_stored_once_keeps_its_own(how, expected):
    matrix = sp.csr_array([[0.0, 1.0, 5.0], [3.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    with pytest.raises(InputError, match=r"distances\[0, 1\] = 1 "):
        as_distances(matrix)
    found = as_distances(matrix, symmetrize=how)
    assert found.toarray().tolist() == [[0, expected, 5], [expected, 0, 0], [5, 0, 0]]


@dense_and_sparse
def test_distances_that_are_not_symmetric_are_taken_as_an_estimator_is_told(wrap):
    rng = np.random.default_rng(0)
    D = cdist(*[rng.normal(size=(30, 2)) + np.repeat([[0, 0], [9, 9]], 15, axis=0)] * 2)
    turned = D * rng.uniform(0.9, 1.1, D.shape)
    model = SoF(2, affinity="precomputed_distance", symmetrize="mean", random_state=0).fit(wrap(turned))
    other = SoF(2, affinity="precomputed_distance", random_state=0).fit((turned + turned.T) / 2)
    np.testing.assert_allclose(model.membership_, other.membership_, atol=1e-9)
    graph = NeighborGraph(5, metric="precomputed")
    of_graph = SoF(2, affinity=graph, symmetrize="mean", random_state=0).fit(wrap(turned))
    np.testing.assert_array_equal(
        of_graph.labels_, SoF(2, affinity=graph, random_state=0).fit((turned + turned.T) / 2).labels_
    )


def test_edges_come_once_or_in_both_orders():
    once = from_edges([0, 2, 1], [1, 1, 1], [0.5, 0.25, 1.0])
    both = from_edges([0, 1, 2, 1, 1], [1, 0, 1, 2, 1], [0.5, 0.5, 0.25, 0.25, 1.0])
    expected = [[0, 0.5, 0], [0.5, 1, 0.25], [0, 0.25, 0]]
    assert once.to_dense().tolist() == both.to_dense().tolist() == expected
    assert from_edges([0], [1], n_items=4).shape == (4, 4)
    assert from_edges([0.0, 1.0], [1, 2]).nnz == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [1], [1.0, 1.0]), "2, 1 and 2"),
        (([], []), "edge list"),
        (([0, 1], [1, 2], [1.0, -2.0]), r"edge 1 \(1, 2\) .* -2"),
        (([0, 1], [1, 2], [np.nan, 1.0]), r"edge 0 \(0, 1\) .* nan"),
        (([0, 1], [1, 2], [1.0, np.inf]), r"edge 1 \(1, 2\) .* inf"),
        (([0, -1], [1, 2]), r"outside 0\.\.2"),
        (([0, 1], [1, 0], [0.5, 0.7]), r"\(0, 1\) .*0\.5 and 0\.7"),
        (([0, 1], [1, 2], [0.0, 0.0]), "weight 0"),
        (([0.5, 1], [1, 2]), "source"),
        (([0, 1], ["a", "b"]), "target"),
    ],
)
def test_a_bad_edge_list_is_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        from_edges(*arguments)


def test_an_edge_beyond_the_number_of_items_is_refused():
    with pytest.raises(InputError, match=r"outside 0\.\.1"):
        from_edges([0], [2], n_items=2)


@pytest.mark.parametrize(
    ("draws", "weights", "message"),
    [
        (np.empty((0, 4), dtype=int), None, "M x N"),
        (np.empty((3, 0), dtype=int), None, "M x N"),
        ([], None, "draws"),
        (np.array([0, 1, 1]), None, "1-dimensional"),
        (np.array([[0.5, 1.0]]), None, r"draws .*0\.5"),
        (np.array([[np.nan, 1.0]]), None, "NaN"),
        ([[0, 1], [0, 1, 2]], None, "draws"),
        ([np.eye(2), np.eye(3)], None, "draw 1 .*3 items"),
        ([np.eye(2), np.array([[0.5, 0.4], [0.0, 1.0]])], None, "draw 1"),
        ([np.array([[1.5, -0.5], [0.0, 1.0]])], None, "draw 0"),
        ([[0, 1], [0, 0]], [1.0], "^weights .*2"),
        ([[0, 1], [0, 0]], [1.0, -1.0], "^weights .*2"),
        ([[0, 1], [0, 0]], [0.0, 0.0], "^weights .*2"),
        ([[0, 1], [0, 0]], [np.nan, 1.0], "^weights .*2"),
    ],
)
def test_bad_draws_are_refused(draws, weights, message):
    with pytest.raises(InputError, match=message):
        DrawsAffinity(draws, weights)


def test_draws_are_the_weighted_share_of_being_together():
    labels = np.array([["x", "x", "y"], ["x", "y", "y"]])
    v = np.array([3.0, 1.0])
    expected = sum(w * (row[:, None] == row) for w, row in zip(v / 4, labels))
    np.testing.assert_allclose(DrawsAffinity(labels, v).to_dense(), expected, atol=1e-15)
    soft = np.array([[0.5, 0.5], [1.0, 0.0], [0.2, 0.8]])
    mixed = DrawsAffinity([soft, np.eye(2)[[0, 1, 1]]], v).to_dense()
    hard = np.eye(2)[[0, 1, 1]]
    np.testing.assert_allclose(mixed, 0.75 * soft @ soft.T + 0.25 * hard @ hard.T, atol=1e-15)


# Memory


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: RelativeDistance().build(np.zeros((2000, 1)), n_clusters=2), "affinity='neighbors'"),
        (lambda: SoF(2).fit(np.arange(2000.0)[:, None]), "affinity='neighbors'"),
        (lambda: LowRankAffinity(np.ones((2000, 1))).to_dense(), r"rows\(index\)"),
        (lambda: as_affinity([[0.0] * 2000] * 2000), "scipy.sparse"),
        (lambda: Precomputed().build(np.zeros((2000, 2000)), n_clusters=2), "scipy.sparse"),
    ],
)
def test_what_would_not_fit_is_refused_and_the_sparse_way_named(make, words, monkeypatch):
    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", "1000000")
    with pytest.raises(MemoryLimitError, match="2,000 .*" + words):
        make()


def test_the_refusal_comes_before_the_allocation(monkeypatch):
    import tracemalloc

    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", "10000000")
    P = LowRankAffinity(np.ones((3000, 1)))
    X = np.zeros((3000, 1))
    tracemalloc.start()
    try:
        for make in (P.to_dense, lambda: RelativeDistance().build(X, n_clusters=2)):
            with pytest.raises(MemoryLimitError):
                make()
        assert tracemalloc.get_traced_memory()[1] < 1_000_000  # against 72 MB
    finally:
        tracemalloc.stop()


def test_a_limit_that_is_no_number_is_an_error(monkeypatch):
    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", "plenty")
    with pytest.raises(InputError, match="PARTITA_MEMORY_LIMIT='plenty'"):
        DenseAffinity(np.eye(2)).scaled(np.ones(2)) and LowRankAffinity(np.ones((2, 1))).to_dense()


def test_a_neighbour_graph_of_fifty_thousand_items_stays_far_below_n_squared():
    program = """
        import resource
        import numpy as np
        from partita import SoftClustering

        rng = np.random.default_rng(0)
        X = rng.normal(size=(50_000, 2)) + 6 * rng.integers(0, 3, size=(50_000, 1))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        import warnings
        warnings.simplefilter("ignore")
        model = SoftClustering(3, max_iter=5).fit(X)
        assert model.membership_.shape == (50_000, 3)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """
    environment = os.environ | {"PARTITA_MEMORY_LIMIT": "1000000000"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    kilobytes = int(done.stdout)
    # N x N would be 20 GB; the graph, its normalised copy, the search and a block of 50 vectors are below 1 GB.
    assert kilobytes < 1_000_000
