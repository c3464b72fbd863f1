"""Cannot-links hold in the labels where any labels hold them all; where none do, how many are broken is said."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

from partita import SoftClustering, SymNMF
from partita.errors import UnsureWarning
from partita.estimators.apart import clusters_needed, kept_apart
from partita.objectives import Problem
from partita.report.headline import headline


def broken(labels, pairs):
    return int((labels[np.asarray(pairs)[:, 0]] == labels[np.asarray(pairs)[:, 1]]).sum())


def two_groups(apart, n=60, seed=0):
    rng, truth = np.random.default_rng(seed), np.repeat([0, 1], n)
    return rng.normal(size=(2 * n, 2)) + apart * np.c_[truth, np.zeros(2 * n)]


def graph(seed=0):
    rng, truth = np.random.default_rng(seed), np.repeat([0, 1], 50)
    edges = np.triu(rng.random((100, 100)) < np.where(truth[:, None] == truth, 0.4, 0.05), 1)
    return (edges | edges.T).astype(float)


@pytest.mark.parametrize("n_clusters", ["auto", 2, 3])
@pytest.mark.parametrize("n_links", [3, 10, 50])
@pytest.mark.parametrize("apart", [1.0, 2.2, 8.0])
def test_links_between_two_groups_hold_however_these_overlap(apart, n_links, n_clusters):
    rng = np.random.default_rng(1)
    links = np.c_[rng.permutation(60)[:n_links], 60 + rng.permutation(60)[:n_links]]
    model = SoftClustering(n_clusters, random_state=0).fit(two_groups(apart), cannot_link=links)
    assert broken(model.labels_, links) == 0
    np.testing.assert_array_equal(model.labels_, model.membership_.argmax(axis=1))


@pytest.mark.parametrize("n_clusters", ["auto", 2, 3])
@pytest.mark.parametrize("evidence", ["features", "graph"])
def test_links_within_a_cluster_that_the_data_joins_hold(evidence, n_clusters):
    X, affinity = (two_groups(8.0), "auto") if evidence == "features" else (graph(), "precomputed")
    links = np.c_[np.arange(25), np.arange(25, 50)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsureWarning)  # of the number of clusters
        model = SoftClustering(n_clusters, affinity=affinity, random_state=0).fit(X, cannot_link=links)
    assert broken(model.labels_, links) == 0
    assert len(np.unique(model.labels_)) == model.n_clusters_
    np.testing.assert_array_equal(model.labels_, model.membership_.argmax(axis=1))
    assert not any("end in one cluster" in note for note in model.result_.notes)


def test_links_hold_beside_must_links_copies_and_weights():
    X = np.r_[two_groups(2.2), two_groups(2.2)[:7]]
    weights = np.random.default_rng(0).integers(1, 4, len(X)).astype(float)
    must = np.c_[np.arange(0, 20, 2), np.arange(1, 21, 2)]
    links = np.r_[np.c_[np.arange(20), np.arange(20, 40)], [[120, 70], [121, 90]]]
    model = SoftClustering(2, random_state=0).fit(X, sample_weight=weights, must_link=must, cannot_link=links)
    assert broken(model.labels_, links) == 0
    assert broken(model.labels_, must) == len(must)


def test_links_hold_where_the_factor_is_no_membership():
    links = np.c_[np.arange(25), np.arange(25, 50)]
    model = SymNMF(2, affinity="precomputed", random_state=0).fit(graph(), cannot_link=links)
    assert broken(model.labels_, links) == 0


def test_the_number_that_is_found_has_room_for_items_that_are_all_apart():
    four = np.array(list(itertools.combinations([0, 5, 9, 13], 2)))
    model = SoftClustering(random_state=0).fit(two_groups(8.0), cannot_link=four)
    assert model.n_clusters_ >= 4
    assert broken(model.labels_, four) == 0
    assert model.verdict_.probabilities[:3].sum() == 0


@pytest.mark.parametrize("n_clusters", [1, 2, 3, (1, 2)])
def test_links_that_cannot_hold_are_warned_of_noted_and_doubted(n_clusters):
    four = np.array(list(itertools.combinations([0, 5, 9, 13], 2)))
    with pytest.warns(UnsureWarning) as said:
        model = SoftClustering(n_clusters, random_state=0).fit(two_groups(8.0), cannot_link=[*four, four[0, ::-1]])
    K = model.n_clusters_
    fewest = {1: 6, 2: 2, 3: 1}[K]  # a complete graph of four in K parts
    assert broken(model.labels_, four) == fewest
    told = f"{fewest} of 6 cannot-links end in one cluster"
    for where in ([str(each.message) for each in said], model.result_.notes):
        assert any(told in words and "--k 4" in words for words in where)
    assert told in headline(model)[2]


def test_broken_links_are_counted_by_pairs_of_rows_in_the_note_and_the_report():
    links = [*itertools.combinations([0, 5, 9], 2), (1, 5), (5, 1)]
    with pytest.warns(UnsureWarning):
        model = SoftClustering(2, random_state=0).fit(two_groups(8.0), must_link=[[0, 1]], cannot_link=links)
    n = broken(model.labels_, links[:4])
    assert n > 0
    for where in (*[note for note in model.result_.notes if "cannot-links" in note], headline(model)[2]):
        assert f"{n} of 4 cannot-links end in one cluster" in where


def test_links_that_hold_leave_a_fit_as_it_was():
    X = two_groups(8.0)
    links = [[0, 70], [3, 99]]
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnsureWarning)
        model = SoftClustering(2, random_state=0).fit(X, cannot_link=links)
    assert not any("cannot-link" in note for note in model.result_.notes)


@pytest.mark.parametrize("links", [np.c_[np.arange(25), np.arange(25, 50)], list(itertools.combinations(range(5), 2))])
@pytest.mark.filterwarnings("ignore::partita.errors.UnsureWarning")
def test_the_objective_is_that_of_the_membership_whatever_moved(links):
    model = SoftClustering(2, affinity="precomputed", random_state=0).fit(graph(), cannot_link=links)
    problem = Problem(model.affinity_, model._plan_.model.objective)
    of_items = model.result_.factor[np.argsort(model.item_index_)]
    assert np.isclose(problem.total(problem.evaluate(of_items)), model.objective_)
    np.testing.assert_array_equal(model.labels_, model.membership_.argmax(axis=1))


# The labels themselves, by all labels there are


def best(W, pairs):
    """The fewest broken links, and then the most probable labels, among all."""
    n, K = W.shape
    keys = []
    for labels in itertools.product(range(K), repeat=n):
        own = np.array(labels)
        keys.append((broken(own, pairs), -np.log(W[np.arange(n), own]).sum()))
    return min(keys)


@pytest.mark.parametrize("seed", range(30))
def test_labels_hold_what_any_labels_hold_and_no_single_move_is_better(seed):
    rng = np.random.default_rng(seed)
    n, K = 6, int(rng.integers(2, 4))
    W = rng.dirichlet(np.full(K, 0.5), size=n)
    pairs = np.array(list(itertools.combinations(range(n), 2)))
    pairs = pairs[rng.random(len(pairs)) < rng.uniform(0.2, 0.9)]
    if not len(pairs):
        pairs = np.array([[0, 1]])
    labels = kept_apart(W, W.argmax(axis=1), pairs)
    fewest, least = best(W, pairs)
    assert (broken(labels, pairs) == 0) == (fewest == 0)
    if K == 2 and fewest == 0:
        assert np.isclose(-np.log(W[np.arange(n), labels]).sum(), least)
    for i, k in itertools.product(range(n), range(K)):
        other = np.where(np.arange(n) == i, k, labels)
        fewer = broken(other, pairs) < broken(labels, pairs)
        better = broken(other, pairs) == broken(labels, pairs) and W[i, k] > W[i, labels[i]] * (1 + 1e-6)
        linked = labels[i] != W[i].argmax()
        assert not fewer
        assert not (better and linked)


def test_items_in_no_broken_component_keep_their_labels():
    W = np.random.default_rng(0).dirichlet(np.ones(3), size=20)
    labels = np.arange(20) % 3
    moved = kept_apart(W, labels, np.array([[0, 3], [1, 2], [4, 5]])) != labels
    assert set(np.flatnonzero(moved)) <= {0, 3}


@pytest.mark.parametrize(
    ("pairs", "needed"),
    [
        ([[0, 1]], (2, 2)),
        ([[0, 1], [1, 2], [2, 3], [3, 0]], (2, 2)),
        ([[0, 1], [1, 2], [2, 3], [3, 4], [4, 0]], (3, 3)),
        (list(itertools.combinations(range(7), 2)), (7, 7)),
        ([[0, k] for k in range(1, 40)], (2, 2)),
    ],
)
def test_clusters_that_links_need(pairs, needed):
    assert clusters_needed(np.array(pairs)) == needed


def test_many_links_that_three_clusters_hold_are_held():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 300)
    pairs = rng.integers(0, 300, (6000, 2))
    pairs = np.unique(np.sort(pairs[truth[pairs[:, 0]] != truth[pairs[:, 1]]], axis=1), axis=0)
    W = 0.7 * np.eye(3)[np.where(rng.random(300) < 0.2, rng.integers(0, 3, 300), truth)] + 0.1
    assert broken(kept_apart(W, W.argmax(axis=1), pairs), pairs) == 0
