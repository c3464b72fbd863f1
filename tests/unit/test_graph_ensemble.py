"""Graphs without options: different methods for graphs find communities, their number, and that there are none."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.model_selection import GridSearchCV, KFold

from optional import optional
from partita import SoftClustering, load, save
from partita.affinity import DenseAffinity, NeighborGraph, Precomputed, SparseAffinity, from_edges
from partita.ensemble import GraphEnsemble, Member, is_plain_graph, member
from partita.ensemble.node_order import order_of_nodes
from partita.ensemble.on_graph import OF_GRAPHS, consensus_of_graph
from partita.errors import InputError
from partita.metrics import adjusted_rand_index

nx = optional("networkx")
quiet = pytest.mark.filterwarnings("ignore::partita.errors.UnsureWarning")


def planted(sizes, within, between, seed=0):
    rng, truth = np.random.default_rng(seed), np.repeat(np.arange(len(sizes)), sizes)
    P = np.where(truth[:, None] == truth, within, between)
    upper = np.triu(rng.random(P.shape) < P, 1)
    return sp.csr_array((upper | upper.T).astype(float)), truth


def cliques(number, size):
    """In a ring, each linked to the next by one edge."""
    A = np.kron(np.eye(number), 1.0 - np.eye(size))
    first = np.arange(number) * size
    after = np.roll(first, -1) + 1
    A[first, after] = A[after, first] = 1.0
    return sp.csr_array(A), np.repeat(np.arange(number), size)


@quiet
@pytest.mark.parametrize(
    ("graph", "truth"),
    [cliques(12, 8), planted([50] * 10, 0.2, 0.01), planted([20] * 12, 0.5, 0.01)],
    ids=["cliques", "10 x 50", "12 x 20"],
)
def test_communities_and_their_number_are_found_without_options(graph, truth):
    model = SoftClustering(random_state=0).fit(graph)
    assert model.n_clusters_ == truth.max() + 1
    assert adjusted_rand_index(model.labels_, truth) > 0.98
    assert model.chosen_["affinity"].value == "graph_ensemble"
    assert model.posterior_.draws_.labels.shape[1] == len(truth)
    assert model.at(3).n_clusters_ == 3


@quiet
def test_weak_communities_that_the_plain_graph_does_not_show_are_found_with_their_number_given():
    graph, truth = planted([60] * 4, 0.15, 0.03)
    plain = SoftClustering(4, affinity="precomputed", probabilities="fitted", random_state=0).fit(graph)
    model = SoftClustering(4, random_state=0).fit(graph)
    assert adjusted_rand_index(plain.labels_, truth) < 0.6
    assert adjusted_rand_index(model.labels_, truth) > 0.8
    assert {draw.method for draw in model.ensemble_} == set(OF_GRAPHS)


def records(n_people, seed):
    """Records: those of a person are linked by .85 on average, and every third to one of another person by .25."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(n_people), rng.choice([2, 3, 4, 5], n_people, p=[0.4, 0.3, 0.2, 0.1]))
    i, j = np.triu_indices(len(person), 1)
    own, links = person[i] == person[j], np.zeros(len(i))
    links[own] = rng.beta(9, 1.5, own.sum())
    links[rng.choice(np.flatnonzero(~own), len(person) // 3, replace=False)] = rng.beta(2, 6, len(person) // 3)
    A = sp.csr_array((links, (i, j)), shape=(len(person),) * 2)
    A.eliminate_zeros()
    return sp.csr_array(A + A.T), person


@quiet
@pytest.mark.parametrize("n_people", [30, 80])
def test_the_few_records_of_each_person_are_found_whatever_links_are_false(n_people):
    A, person = records(n_people, n_people)
    model = SoftClustering(random_state=0).fit(A)
    assert abs(model.n_clusters_ - n_people) <= n_people / 10
    assert adjusted_rand_index(person, model.labels_) > 0.85


@quiet
def test_pairs_and_triples_are_clusters():
    sizes = [2] * 50 + [3] * 50
    A = sp.csr_array(sp.block_diag([np.ones((k, k)) - np.eye(k) for k in sizes]))
    order = np.random.default_rng(0).permutation(250)
    model = SoftClustering(random_state=0).fit(A[order][:, order])
    assert adjusted_rand_index(np.repeat(np.arange(100), sizes)[order], model.labels_) == 1.0


@quiet
@pytest.mark.parametrize(("size", "number"), [(3, 100), (4, 100), (4, 300)])
def test_cliques_are_clusters_in_any_order_of_the_nodes(size, number):
    A = sp.csr_array(sp.block_diag([np.ones((size, size)) - np.eye(size)] * number))
    truth = np.repeat(np.arange(number), size)
    for seed in range(2 if number == 100 else 1):
        order = np.random.default_rng(seed).permutation(len(truth))
        model = SoftClustering(random_state=seed).fit(A[order][:, order])
        assert model.n_clusters_ == number
        assert adjusted_rand_index(truth[order], model.labels_) == 1.0


@quiet
@pytest.mark.parametrize("seed", range(3))
def test_a_random_graph_is_one_cluster_and_so_is_a_uniform_sheet_of_neighbours(seed):
    random, _ = planted([200], 0.06, 0.0, seed)
    assert SoftClustering(random_state=0).fit(random).n_clusters_ == 1
    X = np.random.default_rng(seed).random((300, 2))
    sheet = NeighborGraph(n_neighbors=10).build(X, n_clusters=300).affinity.matrix
    found = consensus_of_graph(sheet, np.full(5, 0.2))
    plain = max(found.agreement[found.asked == K].mean() for K in np.unique(found.asked))
    assert plain > 0.6  # fine tilings of a sheet are agreed on
    assert found.best_agreement < 1 / 3  # and no other clusters are, much more


@quiet
def test_what_methods_agree_on_by_chance_in_a_small_graph_is_no_clusters():
    rows, columns = np.divmod(np.arange(48), 8)
    grid = sp.csr_array((np.abs(rows[:, None] - rows) + np.abs(columns[:, None] - columns) == 1).astype(float))
    random = nx.to_scipy_sparse_array(nx.gnp_random_graph(40, 6 / 40, seed=5), dtype=float)
    for graph in (grid, random):
        found = consensus_of_graph(sp.csr_array(graph), np.full(5, 0.2))
        assert found.best_agreement > 1 / 3
        assert found.against
        assert SoftClustering(random_state=0).fit(graph).n_clusters_ == 1


def test_a_model_of_a_graph_keeps_the_names_of_its_nodes(tmp_path):
    networkx = pytest.importorskip("networkx")
    graph = networkx.relabel_nodes(networkx.barbell_graph(6, 0), "node {}".format)
    model = SoftClustering(2, random_state=0).fit(graph)
    save(model, tmp_path / "m")
    assert load(tmp_path / "m").items_.tolist() == model.items_.tolist() == list(graph)


@quiet
@pytest.mark.parametrize("n_clusters", [3, "auto"])
def test_a_dense_matrix_of_a_graph_is_the_same_graph(n_clusters):
    A, _ = planted([30, 30, 30], 0.3, 0.03, seed=1)  # each node lacks a link to one before it
    sparse, dense = (
        SoftClustering(n_clusters, affinity="graph_ensemble", random_state=0).fit(X) for X in (A, A.toarray())
    )
    assert dense.n_clusters_ == 3
    np.testing.assert_array_equal(dense.labels_, sparse.labels_)


@quiet
@pytest.mark.parametrize(("cliques", "nodes"), [(6, 5), (4, 5), (20, 5), (7, 7)])
def test_each_clique_of_a_ring_is_a_cluster_however_small(cliques, nodes):
    A = np.kron(np.eye(cliques), 1.0 - np.eye(nodes))
    last, first = nodes * np.arange(cliques) + nodes - 1, np.roll(nodes * np.arange(cliques), -1)
    A[last, first] = A[first, last] = 1.0
    model = SoftClustering(random_state=0).fit(sp.csr_array(A))
    assert adjusted_rand_index(model.labels_, np.repeat(np.arange(cliques), nodes)) == 1.0


@quiet
def test_nodes_without_edges_may_be_anywhere_and_are_outliers():
    graph, truth = planted([30] * 3, 0.5, 0.02)
    n = len(truth)
    with_loners = sp.block_diag([graph, sp.csr_array((3, 3))], format="csr")
    evidence = GraphEnsemble().build(with_loners, n_clusters=3)
    P = evidence.affinity.to_dense()
    assert P[n:, :n].mean() == pytest.approx(1 / 3, abs=0.05)  # no more with one than with another
    model = SoftClustering(random_state=0).fit(sp.csr_array(with_loners))
    assert adjusted_rand_index(model.labels_[:n], truth) > 0.9
    np.testing.assert_allclose(model.membership_.sum(axis=1), 1.0)
    assert model.outlier_[n:].min() > 0.9
    assert model.outlier_[:n].max() < 0.5
    assert model.membership_[n:].max() < 0.8


@quiet
def test_new_nodes_go_where_their_links_go_and_a_saved_model_says_the_same(tmp_path):
    graph, truth = cliques(4, 10)
    model = SoftClustering(random_state=0).fit(graph)
    new = sp.csr_array((np.eye(4, dtype=float)[[0, 0, 1, 2, 3]] @ (truth == np.arange(4)[:, None])).astype(float))
    own = model.labels_[[0, 0, 10, 20, 30]]
    assert model.predict(new).tolist() == own.tolist()
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict_proba(new), model.predict_proba(new))


def test_a_matrix_an_affinity_and_edges_are_one_graph():
    graph, _ = cliques(3, 9)
    i, j = sp.triu(graph, 1).coords
    models = [
        SoftClustering(3, random_state=0).fit(X)
        for X in (graph, SparseAffinity(graph), from_edges(i, j), sp.csr_array(graph + 5.0 * sp.eye_array(27)))
    ]
    for other in models[1:]:
        np.testing.assert_array_equal(other.membership_, models[0].membership_)


@quiet
def test_a_graph_with_most_of_its_pairs_linked_is_clustered_by_methods_for_graphs():
    graph, truth = planted([40] * 3, 0.8, 0.45)
    weights = sp.csr_array(graph + 0.01 * (1.0 - np.eye(120)))  # complete
    for X in (graph, weights, SparseAffinity(weights)):
        model = SoftClustering(random_state=0).fit(X)
        assert model.chosen_["affinity"].value == "graph_ensemble"
        assert adjusted_rand_index(model.labels_, truth) > 0.8


@pytest.mark.parametrize("affinity", ["auto", "precomputed"])
def test_zeros_that_are_stored_change_nothing(affinity):
    graph, _ = cliques(4, 9)
    i, j = map(np.ravel, np.indices(graph.shape))
    zeros = sp.csr_array((graph.toarray().ravel(), (i, j)), shape=graph.shape)
    inputs = (graph, zeros, SparseAffinity(zeros))
    models = [SoftClustering(4, affinity=affinity, random_state=0).fit(X) for X in inputs]
    for other in models[1:]:
        np.testing.assert_array_equal(other.membership_, models[0].membership_)
    assert zeros.nnz == len(i)


def test_an_array_that_is_the_adjacency_of_a_graph_is_that_graph():
    graph, _ = cliques(4, 9)
    array = graph.toarray()
    of_array = SoftClustering(affinity="precomputed", random_state=0)
    np.testing.assert_array_equal(
        of_array.fit(array).membership_, SoftClustering(random_state=0).fit(graph).membership_
    )
    assert of_array.chosen_["affinity"].value == "graph_ensemble"
    for other in (array + np.eye(36), 1.0 - array - np.eye(36)):  # a kernel has a diagonal, and most pairs
        model = SoftClustering(4, affinity="precomputed", random_state=0).fit(other)
        assert "affinity" not in model.chosen_ or model.chosen_["affinity"].value == "precomputed"
        assert model._builder_.name == "precomputed"


def test_what_is_no_plain_graph_is_the_affinity_that_it_was():
    assert not is_plain_graph(SparseAffinity(sp.csr_array(np.eye(9)), only_stored=True))
    ring = sp.diags_array([np.ones(5_000), np.ones(5_000)], offsets=[-1, 1], format="csr")
    model = SoftClustering(2, random_state=0, max_iter=1).fit(ring)
    assert model.chosen_["affinity"].value == "precomputed"
    assert "affinity='graph_ensemble'" in model.result_.notes[-1]


def test_methods_for_graphs_that_are_asked_for_say_the_number_of_any_graph():
    rng = np.random.default_rng(0)
    i = rng.integers(5_100, size=40_000)
    j = i // 1_700 * 1_700 + rng.integers(1_700, size=len(i))
    half = sp.csr_array((np.ones(len(i)), (i, j)), shape=(5_100, 5_100))
    found = GraphEnsemble().consensus(half + half.T, (2, 4), prior=np.full(5, 0.2))
    assert found.n_clusters == 3


def test_wrong_graphs_are_named():
    lopsided = sp.csr_array(([1.0, 2.0], ([0, 1], [1, 0])), shape=(20, 20))
    with pytest.raises(InputError, match="symmetrize"):
        SoftClustering(2).fit(lopsided)
    negative = sp.csr_array(([-1.0, -1.0], ([0, 1], [1, 0])), shape=(20, 20))
    with pytest.raises(InputError, match=r"affinity\[0, 1\] = -1"):
        SoftClustering(2).fit(negative)
    with pytest.raises(InputError, match="share"):
        GraphEnsemble(share=0.0)


@pytest.mark.parametrize("name", sorted(name for name, kind in Member.registry.items() if kind.of_graphs))
def test_members_of_graphs_cluster_a_graph_as_they_cluster_the_features_it_is_of(name):
    X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [9, 9], [0, 9]], 20, axis=0)
    graph = NeighborGraph(n_neighbors=10).build(X, n_clusters=3).affinity.matrix
    of_graph, of_features = (member(name).cluster(given, 3, np.random.default_rng(0)).labels for given in (graph, X))
    assert adjusted_rand_index(of_graph, np.repeat(np.arange(3), 20)) == 1.0
    assert adjusted_rand_index(of_graph, of_features) == 1.0


@quiet
def test_linked_nodes_stay_together_where_isolated_ones_fill_the_clusters():
    pairs = sp.csr_array(([1.0] * 4, ([0, 1, 2, 3], [1, 0, 3, 2])), shape=(6, 6))
    labels = SoftClustering(4, random_state=0).fit(pairs).labels_
    assert labels[0] == labels[1] != labels[2] == labels[3]
    P = GraphEnsemble().build(pairs[:3, :3], n_clusters=2).affinity.to_dense()
    assert P[0, 1] == pytest.approx(1.0)
    assert P[0, 2] < 0.9


def test_the_tree_of_walks_of_a_ring_warns_of_nothing():
    ring = sp.csr_array(np.roll(np.eye(20), 1, axis=1) + np.roll(np.eye(20), -1, axis=1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels = member({"name": "walks", "steps": 3}).cluster(ring, 2, np.random.default_rng(0)).labels
    assert len(set(labels)) == 2


@quiet
@pytest.mark.parametrize("name", ["grid", "path", "cycle"])
def test_the_sides_of_a_graph_of_two_sides_are_no_clusters(name):
    graph = {"grid": nx.grid_2d_graph(5, 5), "path": nx.path_graph(10), "cycle": nx.cycle_graph(14)}[name]
    A = sp.csr_array(nx.to_scipy_sparse_array(graph, dtype=float))
    for K in ("auto", 2):
        labels = SoftClustering(K, random_state=0).fit(A).labels_
        first, second = sp.triu(A).nonzero()
        assert (labels[first] == labels[second]).mean() > 0.6
    for method in ("graph", "walks"):
        labels = member(method).cluster(A, 2, np.random.default_rng(0)).labels
        assert (labels[first] == labels[second]).mean() > 0.6


@quiet
@pytest.mark.parametrize("sizes", [(2, 2), (3, 2)])
def test_two_pieces_of_very_few_nodes_are_two_clusters(sizes):
    graph = sp.csr_array(sp.block_diag([1.0 - np.eye(n) for n in sizes]))
    labels = SoftClustering(random_state=0).fit(graph).labels_
    assert adjusted_rand_index(labels, np.repeat([0, 1], sizes)) == 1.0


@quiet
def test_nodes_of_weight_zero_change_no_outlier_of_the_others():
    graph, _ = planted([20] * 3, 0.6, 0.03)
    shown = np.repeat([1.0, 0.0], [45, 15])
    whole = SoftClustering(3, random_state=0).fit(graph, sample_weight=shown)
    part = SoftClustering(3, random_state=0).fit(graph[:45, :45])
    np.testing.assert_allclose(whole.outlier_[:45], part.outlier_, atol=1e-12)
    assert not whole.outlier_[45:].any()


def test_cross_validation_takes_both_rows_and_columns_of_a_graph():
    graph, truth = planted([20] * 3, 0.6, 0.03)
    search = GridSearchCV(
        SoftClustering(affinity="graph_ensemble", random_state=0),
        {"n_clusters": [2, 3]},
        scoring="adjusted_rand_score",
        cv=KFold(2, shuffle=True, random_state=0),
        error_score="raise",
    )
    assert search.fit(graph, truth).best_params_ == {"n_clusters": 3}


@quiet
@pytest.mark.parametrize(("number", "size"), [(20, 3), (30, 5)])
def test_pieces_without_links_between_them_are_clusters_however_small(number, size):
    graph = sp.csr_array(np.kron(np.eye(number), 1.0 - np.eye(size)))
    model = SoftClustering(random_state=0).fit(graph)
    assert adjusted_rand_index(model.labels_, np.repeat(np.arange(number), size)) == 1.0


@quiet
def test_a_node_without_edges_leaves_the_clusters_of_the_others():
    graph, truth = cliques(2, 8)
    alone = sp.block_diag([graph, sp.csr_array((1, 1))], format="csr")
    labels = SoftClustering(random_state=0).fit(alone).labels_[:16]
    assert adjusted_rand_index(labels, truth) == 1.0


WEAK = [([40] * 5, 0.2, 0.05, 0), ([40] * 5, 0.2, 0.05, 1), ([40] * 5, 0.2, 0.05, 3), ([25] * 4, 0.3, 0.08, 2)]


def permuted(graph, seed):
    """The graph with its nodes in another order, and where each node of this order was."""
    order = np.random.default_rng(seed).permutation(graph.shape[0])
    return graph[order][:, order], order


@quiet
@pytest.mark.parametrize("K", ["auto", 5])
@pytest.mark.parametrize("weak", WEAK, ids=str)
def test_a_permutation_of_the_nodes_permutes_the_answer(weak, K):
    graph, _ = planted(*weak)
    model = SoftClustering(K, random_state=0).fit(graph)
    new = graph[:7]
    for seed in range(2):
        same, order = permuted(graph, seed)
        other = SoftClustering(K, random_state=0).fit(same)
        assert other.n_clusters_ == model.n_clusters_
        np.testing.assert_array_equal(other.labels_, model.labels_[order])
        for name in ("membership_", "outlier_", "certainty_"):  # the same sums, in the same order or nearly so
            np.testing.assert_allclose(getattr(other, name), getattr(model, name)[order], atol=1e-6)
        np.testing.assert_allclose(other.predict_proba(new[:, order]), model.predict_proba(new), atol=1e-6)
        for one, own in zip(other.ensemble_, model.ensemble_, strict=True):
            np.testing.assert_array_equal(one.labels, own.labels[order])


@quiet
def test_a_permutation_permutes_the_answer_for_every_kind_of_graph_with_weights_and_nodes_alone():
    graph, _ = planted([25] * 4, 0.3, 0.08, seed=1)
    n = graph.shape[0]
    weights = np.random.default_rng(0).random((n, n))
    weighted = sp.csr_array(graph.multiply(weights + weights.T))
    alone = sp.csr_array(sp.block_diag([weighted, sp.csr_array((1, 1))]))
    counts = np.random.default_rng(1).integers(0, 3, n + 1).astype(float)
    for kind in (sp.csr_array, SparseAffinity, lambda A: A.toarray(), lambda A: DenseAffinity(A.toarray())):
        model = SoftClustering(4, affinity="graph_ensemble", random_state=0).fit(kind(weighted))
        same, order = permuted(weighted, 0)
        other = SoftClustering(4, affinity="graph_ensemble", random_state=0).fit(kind(same))
        np.testing.assert_allclose(other.membership_, model.membership_[order], atol=1e-6)
    for given in (None, counts):
        model = SoftClustering(4, random_state=0).fit(alone, sample_weight=given)
        same, order = permuted(alone, 0)
        other = SoftClustering(4, random_state=0).fit(same, sample_weight=None if given is None else given[order])
        np.testing.assert_allclose(other.membership_, model.membership_[order], atol=1e-6)


def test_the_order_of_nodes_is_the_same_in_any_order_and_unit_and_leaves_equal_nodes_as_they_came():
    graph, _ = planted([30] * 3, 0.3, 0.05)
    graph = sp.csr_array(graph.multiply(1.0 / np.add.outer(*[np.arange(1.0, 91.0)] * 2)))
    found = order_of_nodes(graph)
    same, order = permuted(graph, 0)
    np.testing.assert_array_equal(order[order_of_nodes(same)], found)
    for unit in (1e-100, 1 / 3, 1e100):
        np.testing.assert_array_equal(order_of_nodes(unit * graph), found)
    assert order_of_nodes(sp.csr_array(np.ones((4, 4)) - np.eye(4))).tolist() == [0, 1, 2, 3]
    assert order_of_nodes(sp.csr_array((3, 3))).tolist() == [0, 1, 2]


@quiet
def test_an_affinity_in_single_precision_is_the_same_graph():
    block = np.kron(np.eye(2), np.ones((9, 9)))
    block[0, 9] = block[9, 0] = 1.0
    single, double = (SoftClustering(2).fit(SparseAffinity(sp.csr_array(block, dtype=kind))) for kind in "fd")
    assert np.array_equal(single.labels_, double.labels_)


def test_an_affinity_that_is_taken_as_it_is_keeps_the_order_of_its_items():
    graph, _ = planted([25] * 4, 0.3, 0.08)
    model = SoftClustering(4, affinity=Precomputed(), random_state=0).fit(graph)
    np.testing.assert_array_equal(model.item_index_, np.arange(100))
