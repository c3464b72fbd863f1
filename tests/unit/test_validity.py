"""The validity index: its statistics against textbook formulas and other libraries, and what it prefers."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import eigh
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist

from partita import SoftClustering
from partita.ensemble import Validity, agreement
from partita.ensemble.validity import LEAST_ODDS, MANY, NEIGHBORS, SMOOTHING, power_in, two_best, weights_in
from partita.kernels.valleys import deepest_valleys, edges_across, tree_gaps
from synthetic import blobs, gaussians


def arrays(graph):
    graph = sp.csr_array(graph)
    return graph.indptr.astype(np.int64), graph.indices.astype(np.int64)


def crossings(A, order):
    """Edges between the first t items of an order and the rest, counted one by one."""
    return [int(A[np.ix_(order[:t], order[t:])].sum()) for t in range(1, len(order))]


def depth_by_hand(A):
    """The deepest valley along the exact second eigenvector, by the definition."""
    m = len(A)
    degree = np.maximum(A.sum(axis=1), 1)
    root = 1 / np.sqrt(degree)
    second = eigh(root[:, None] * A * root[None])[1][:, -2] * root
    c, side = crossings(A, np.argsort(second)), max(m // 10, 3)
    inner = range(side, m - 1 - side)
    return max([0.0, *(np.log(max(min(max(c[: t + 1]), max(c[t:])), 0.5) / max(c[t], 0.5)) for t in inner)])


def neighbors(X, k=6):
    near = np.argsort(cdist(X, X), axis=1)[:, 1 : k + 1]
    A = np.zeros((len(X), len(X)))
    A[np.arange(len(X))[:, None], near] = 1
    return np.maximum(A, A.T)


@pytest.mark.parametrize("apart", [0.0, 3.0, 4.5])
def test_depth_is_that_along_the_second_eigenvector(apart):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70, 2)) + apart * np.repeat([[0, 0], [1, 0]], 35, axis=0)
    A = neighbors(X)
    found = deepest_valleys(*arrays(A), np.zeros(70, dtype=np.int64), 1)
    assert found[0] == pytest.approx(depth_by_hand(A), abs=1e-9)


def test_each_cluster_is_swept_by_itself_and_in_any_order_of_the_items():
    X, _ = blobs(120, apart=3.0)
    A, labels = neighbors(X), np.arange(120) % 3
    found = deepest_valleys(*arrays(A), labels, 3)
    alone = [deepest_valleys(*arrays(A[labels == c][:, labels == c]), np.zeros(40, np.int64), 1)[0] for c in range(3)]
    np.testing.assert_allclose(found, alone)


def test_pieces_are_as_deep_as_half_an_edge_makes_them_and_few_items_have_no_valley():
    two = sp.block_diag([np.ones((20, 20)) - np.eye(20)] * 2)
    whole = deepest_valleys(*arrays(two), np.zeros(40, dtype=np.int64), 1)
    assert whole[0] == pytest.approx(np.log(100 / 0.5))  # the widest sweep of 20 mutual friends crosses 10 x 10 edges
    few = deepest_valleys(*arrays(two), np.arange(40) // 7, 6)
    assert few.tolist() == [0.0] * 6


def test_mutual_friends_have_no_valley():
    friends = np.ones((9, 9)) - np.eye(9)
    assert deepest_valleys(*arrays(friends), np.zeros(9, dtype=np.int64), 1).tolist() == [0.0]


def test_two_pieces_are_found_in_whatever_order_their_items_come():
    for first in itertools.combinations(range(8), 4):
        of_first = np.isin(np.arange(8), first)
        A = 1.0 * (of_first[:, None] == of_first[None]) - np.eye(8)
        assert deepest_valleys(*arrays(A), np.zeros(8, dtype=np.int64), 1)[0] == pytest.approx(np.log(8.0))


def test_conductances_are_those_of_networkx():
    nx = pytest.importorskip("networkx")
    rng = np.random.default_rng(0)
    A = np.triu(rng.random((40, 40)) < 0.2, 1)
    A = (A | A.T).astype(float)
    labels = rng.integers(0, 3, 40)
    ends, across = edges_across(*arrays(A), labels, 3)
    graph = nx.from_numpy_array(A)
    for c in range(3):
        own = np.flatnonzero(labels == c)
        assert across[c] / min(ends[c], ends.sum() - ends[c]) == pytest.approx(nx.conductance(graph, own))


def test_gaps_are_those_of_the_minimum_spanning_tree_without_leaves():
    X, labels = blobs(60, apart=4.0)
    distance = cdist(X, X)
    core = np.sort(distance, axis=1)[:, SMOOTHING]
    reach = np.maximum(distance, np.maximum(core[:, None], core[None]))
    tree = sp.coo_array(minimum_spanning_tree(reach - np.diag(np.diag(reach))))
    within, leaving = tree_gaps(*tree.coords, tree.data, labels, 3)
    for c in range(3):
        own = (labels[tree.coords[0]] == c) & (labels[tree.coords[1]] == c)
        part = sp.coo_array((tree.data[own], (tree.coords[0][own], tree.coords[1][own])), shape=tree.shape)
        degree = np.bincount(np.concatenate(part.coords), minlength=60)
        inner = (degree[part.coords[0]] > 1) & (degree[part.coords[1]] > 1)
        assert within[c] == part.data[inner].max()
        between = (labels[tree.coords[0]] == c) != (labels[tree.coords[1]] == c)
        assert leaving[c] == tree.data[between].min()


def test_the_other_statistics_are_their_formulas():
    X, labels = blobs(90, apart=2.0)
    judge = Validity.of(X)
    found = judge.statistics(labels, 0.7)
    A = neighbors(X, min(NEIGHBORS, 9))  # the square root of 90
    assert (judge.graph.toarray() == A).all()
    different = labels[:, None] != labels[None]
    assert found.across == pytest.approx(A[different].sum() / A.sum() / different.mean())
    centres = np.array([X[labels == c].mean(axis=0) for c in range(3)])
    near = np.sort(np.c_[cdist(X, centres)], axis=1)
    own = cdist(X, centres)[np.arange(90), labels]
    other = np.where(own == near[:, 0], near[:, 1], near[:, 0])
    assert found.centres == pytest.approx(((other - own) / np.maximum(other, own)).mean())
    assert found.smallest == pytest.approx(np.log(np.bincount(labels).min() / 30 + 0.01))
    assert found.agreement == 0.7


def test_names_of_clusters_units_and_place_change_nothing():
    X, labels = blobs(90, apart=2.0)
    first = Validity.of(X).statistics(labels, 0.5)
    renamed = Validity.of(X).statistics(np.array([2, 0, 1])[labels], 0.5)
    moved = Validity.of(1024.0 * X + 7.0).statistics(labels, 0.5)
    np.testing.assert_allclose(renamed, first, rtol=1e-12)
    np.testing.assert_allclose(moved, first, rtol=1e-6)


def test_a_partition_that_parts_the_items_where_few_are_has_the_best_odds():
    X, truth = blobs(150, apart=4.0)
    judge = Validity.of(X)
    halved = np.where(truth == 2, 2 + (X[:, 1] > np.median(X[truth == 2, 1])), truth)
    joined = np.minimum(truth, 1)
    across = (X[:, 0] > np.median(X[:, 0])).astype(np.int64)
    odds = [judge.log_odds(labels, 1.0) for labels in (truth, halved, joined, across)]
    assert max(odds) == odds[0]
    assert judge.statistics(joined, 1.0).deepest > judge.statistics(truth, 1.0).deepest
    assert judge.statistics(halved, 1.0).across > judge.statistics(truth, 1.0).across
    assert judge.log_odds(np.zeros(150, dtype=np.int64), 1.0) == LEAST_ODDS


def test_one_cluster_is_less_probable_the_more_one_partition_stands_out_and_the_deeper_the_valley():
    rng = np.random.default_rng(1)
    one = Validity.of(rng.normal(size=(200, 2)))
    two = Validity.of(rng.normal(size=(200, 2)) + 7.0 * np.repeat([[0, 0], [1, 0]], 100, axis=0))
    for judge in (one, two):
        for probable in (
            [judge.one_cluster(best, 3.0) for best in (-4.0, -2.0, 0.0, 2.0)],
            [judge.one_cluster(-2.0, spread) for spread in (1.0, 2.0, 4.0)],
        ):
            assert probable == sorted(probable, reverse=True)
            assert all(0 <= p <= 1 for p in probable)
    assert one.one_cluster(-4.0, 1.5) > 0.9
    assert two.one_cluster(-3.0, 3.0) < one.one_cluster(-3.0, 3.0)


def test_weights_go_from_the_plane_to_many_columns_with_the_logarithm():
    plane, space = weights_in(2), weights_in(MANY)
    assert np.array_equal(weights_in(1), plane)
    assert np.array_equal(weights_in(10 * MANY), space)
    halfway = int(np.sqrt(2 * MANY))  # 5 or 6: about half the way in logarithms
    share = np.log(halfway / 2) / np.log(MANY / 2)
    np.testing.assert_allclose(weights_in(halfway), (1 - share) * plane + share * space)


def test_agreement_is_with_the_two_methods_that_agree_best_and_copies_are_one_of_them():
    rng = np.random.default_rng(0)
    draws = [rng.integers(0, 3, 50) for _ in range(3)] + [np.arange(50) % 3] * 2
    table = agreement(draws)
    alone = two_best(table[:4, :4], ["a", "b", "c", "d"])
    np.testing.assert_allclose(alone[0], np.sort(table[0, 1:4])[-2:].mean())
    copied = two_best(table, ["a", "b", "c", "d", "d"])
    np.testing.assert_allclose(copied[:4], alone)
    assert two_best(np.ones((2, 2)), ["a", "a"]).tolist() == [1.0, 1.0]


def test_odds_count_more_the_fewer_columns_there_are():
    powers = [power_in(d) for d in (1, 2, 3, 5, 8, 15, 16, 100)]
    assert powers[0] == powers[1] > powers[2]
    assert (np.diff(powers[1:7]) < 0).all()
    assert powers[6] == powers[7] > 0
    labels = np.repeat([0, 1], 40)
    others = [np.arange(80) % 2, labels, np.r_[labels[1:], 0]]
    for d in (2, 16):
        X = np.random.default_rng(0).normal(size=(80, d))
        X[:, 0] += 6 * labels
        table, names = agreement(others), ["a", "b", "c"]
        weights = Validity.of(X).weights_at(2, others, table, names)
        odds = Validity.of(X).log_odds_at(others, table, names)
        np.testing.assert_allclose(np.log(weights), power_in(d) * (odds - odds.max()), rtol=1e-9)


def test_clusters_of_eight_are_found_among_forty():
    rng, truth = np.random.default_rng(1), np.repeat(np.arange(5), 8)
    X = gaussians(truth, [[0, 0], [9, 0], [0, 9], [9, 9], [18, 4]], rng)
    judge = Validity.of(X)
    assert judge.graph.sum(axis=1).max() <= 40 / 2
    coarse = (truth > 1).astype(np.int64)
    assert judge.statistics(truth, 1.0).across < 0.05
    assert judge.log_odds(truth, 1.0) > judge.log_odds(coarse, 1.0)


@pytest.mark.parametrize("n", [6, 8, 12, 15])
def test_a_handful_of_items_is_one_cluster_unless_it_falls_apart(n):
    for seed in range(3):
        X = np.random.default_rng(seed).normal(size=(n, 2))
        one = SoftClustering(random_state=0).fit(X)
        assert one.n_clusters_ == 1
        assert 0.5 < one.verdict_.sure < 0.8
        X[::2] += 20.0
        two = SoftClustering(random_state=0).fit(X)
        np.testing.assert_array_equal(two.labels_ == two.labels_[0], np.arange(n) % 2 == 0)
        assert two.verdict_.sure > 0.7
