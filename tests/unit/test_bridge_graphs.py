"""Graphs of networkx and of SciPy: every kind gives the affinity that its edges spell out; nodes keep their names."""

import io

import numpy as np
import pytest
import scipy.sparse as sp

from partita import SoftClustering
from partita.affinity import Precomputed, as_affinity, from_edges
from partita.bridges import affinity_from_networkx, set_memberships, to_networkx
from partita.errors import InputError
from synthetic import blobs, diagonal

nx = pytest.importorskip("networkx")
KINDS = {"Graph": nx.Graph, "DiGraph": nx.DiGraph, "MultiGraph": nx.MultiGraph, "MultiDiGraph": nx.MultiDiGraph}
FOLD = {"mean": lambda a, b: (a + b) / 2, "max": np.maximum, "min": np.minimum}


def random_graph(kind, seed=0, loops=False):
    """With words and numbers and tuples for nodes, parallel edges where there may be any, and isolated nodes."""
    rng = np.random.default_rng(seed)
    nodes = ["ann", 7, ("t", 1), "", "z", 0, "lonely", 3.5]
    graph = KINDS[kind]()
    graph.add_nodes_from(nodes)
    for _ in range(30):
        i, j = rng.integers(0, 8, 2)
        if 6 not in (i, j) and (loops or i != j):
            graph.add_edge(nodes[i], nodes[j], weight=float(rng.integers(0, 5)))
    return graph, nodes


def brute_force(graph, nodes, symmetrize):
    """Entry by entry, from the edges."""
    P = np.zeros((len(nodes), len(nodes)))
    for u, v, w in graph.edges(data="weight"):
        i, j = nodes.index(u), nodes.index(v)
        P[i, j] += w
        if not graph.is_directed() and i != j:
            P[j, i] += w
    return P if symmetrize is None else FOLD[symmetrize](P, P.T)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("loops", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_matrix_is_what_the_edges_say(kind, loops, seed):
    graph, nodes = random_graph(kind, seed, loops)
    for symmetrize in ("mean", "max", "min") if graph.is_directed() else (None,):
        P, names = affinity_from_networkx(graph, symmetrize=symmetrize, self_loops="keep")
        assert names == nodes
        np.testing.assert_array_equal(P.toarray(), brute_force(graph, nodes, symmetrize))
        without = P.toarray()
        np.fill_diagonal(without, 0)
        P, _ = affinity_from_networkx(graph, symmetrize=symmetrize, self_loops="drop")
        np.testing.assert_array_equal(P.toarray(), without)
    if not graph.is_directed():
        np.testing.assert_array_equal(
            affinity_from_networkx(graph, self_loops="keep")[0].toarray(),
            nx.to_scipy_sparse_array(graph, nodes, dtype=float).toarray(),
        )


def test_edges_without_a_weight_weigh_one_and_another_attribute_may_be_named():
    graph = nx.Graph([("a", "b", {"weight": 3, "score": 0.5}), ("b", "c", {"score": 2})])
    assert affinity_from_networkx(graph)[0].toarray()[[0, 1], [1, 2]].tolist() == [3, 1]
    assert affinity_from_networkx(graph, None)[0].toarray()[[0, 1], [1, 2]].tolist() == [1, 1]
    assert affinity_from_networkx(graph, "score")[0].toarray()[[0, 1], [1, 2]].tolist() == [0.5, 2]


@pytest.mark.parametrize("kind", ["Graph", "DiGraph"])
def test_an_edge_of_weight_zero_is_stored_and_can_be_a_pair_observed_as_zero(kind):
    graph = KINDS[kind]()
    graph.add_weighted_edges_from([("a", "b", 1.0), ("b", "a", 1.0), ("b", "c", 0.0), ("c", "d", 1.0)])
    for symmetrize in ("mean", "max", "min") if graph.is_directed() else (None,):
        P, _ = affinity_from_networkx(graph, symmetrize=symmetrize)
        assert P.nnz == 6
        observed = as_affinity(P, unstored="unobserved").pair_weights
        assert observed.rest == 0.0
        assert {(int(i), int(j)) for i, j in zip(observed.first, observed.second)} >= {(1, 2), (2, 1)}
        assert as_affinity(P).pair_weights is None


def test_some_nodes_in_an_order_give_that_part_of_the_matrix():
    graph, nodes = random_graph("Graph", 1)
    P = affinity_from_networkx(graph)[0].toarray()
    part = [5, 0, 2, 6]
    Q, names = affinity_from_networkx(graph, nodelist=[nodes[i] for i in part])
    assert names == [nodes[i] for i in part]
    np.testing.assert_array_equal(Q.toarray(), P[np.ix_(part, part)])


def test_what_a_graph_leaves_open_is_asked_and_what_is_wrong_is_named():
    edges = [("a", "b", {"weight": -1.0})]
    for message, call in {
        "symmetrize='mean', 'max'": lambda: affinity_from_networkx(nx.DiGraph([("a", "b")])),
        "symmetrize='mean':": lambda: affinity_from_networkx(nx.Graph([("a", "b")]), symmetrize="mean"),
        "symmetrize='sum'": lambda: affinity_from_networkx(nx.DiGraph([("a", "b")]), symmetrize="sum"),
        r"\('a', 'b'\) .*weight=-1\.0": lambda: affinity_from_networkx(nx.Graph(edges)),
        "weight='x'": lambda: affinity_from_networkx(nx.Graph([("a", "b", {"weight": "x"})])),
        "weight=None": lambda: affinity_from_networkx(nx.Graph([("a", "b", {"weight": None})])),
        "weight=nan": lambda: affinity_from_networkx(nx.Graph([("a", "b", {"weight": float("nan")})])),
        "nodes": lambda: affinity_from_networkx(nx.Graph()),
        "'c'": lambda: affinity_from_networkx(nx.Graph(edges), nodelist=["a", "c"]),
        "node 'a'": lambda: affinity_from_networkx(nx.Graph(edges), nodelist=["a", "b", "a"]),
        "networkx.*ndarray": lambda: affinity_from_networkx(np.eye(2)),
        "self_loops='no'": lambda: affinity_from_networkx(nx.Graph(edges), self_loops="no"),
    }.items():
        with pytest.raises(InputError, match=message):
            call()
    looped = nx.Graph([("a", "a"), ("a", "b"), ("b", "b")])
    with pytest.warns(UserWarning, match="2 edges"):
        P, _ = affinity_from_networkx(looped)
    np.testing.assert_array_equal(P.toarray(), np.ones((2, 2)))


def test_an_affinity_goes_out_and_comes_back():
    rng = np.random.default_rng(0)
    half = rng.random((300, 300)) * (rng.random((300, 300)) < 0.05)
    P = np.maximum(half, half.T)
    np.fill_diagonal(P, 1.0)
    apart = P - np.eye(300)  # an item's affinity with itself is no edge
    for source in (P, sp.csr_array(P), sp.coo_matrix(P), as_affinity(P), as_affinity(sp.csr_array(P))):
        graph = to_networkx(source)
        assert list(graph) == list(range(300))
        np.testing.assert_array_equal(affinity_from_networkx(graph)[0].toarray(), apart)
    few = to_networkx(P, [f"n{i}" for i in range(300)], weight="w", least=0.5)
    assert few.number_of_edges() == (np.triu(apart) > 0.5).sum()
    assert all(w > 0.5 for *_, w in few.edges(data="w"))
    with pytest.raises(InputError, match="300 items"):
        to_networkx(P, ["a", "a", "b"])
    with pytest.raises(InputError, match="least=-1"):
        to_networkx(P, least=-1)


@pytest.mark.parametrize("affinity", ["relative", "neighbors"])
def test_an_estimator_as_a_graph_has_its_rows_pairs_and_memberships(affinity):
    rng = np.random.default_rng(0)
    X = blobs(30, 2, apart=6.0, at=diagonal, seed=rng)[0]
    X = np.concatenate([X, X[:3]])  # copies are one item of the fit
    model = SoftClustering(2, affinity=affinity, random_state=0, probabilities="fitted").fit(X)
    graph = to_networkx(model)
    assert len(graph) == 33
    P, index = model.affinity_.to_dense(), model.item_index_
    expected = P[np.ix_(index, index)]
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(affinity_from_networkx(graph)[0].toarray(), expected, rtol=1e-12, atol=1e-15)
    assert [graph.nodes[i]["label"] for i in range(33)] == model.labels_.tolist()
    np.testing.assert_array_equal([graph.nodes[i]["p_1"] for i in range(33)], model.membership_[:, 1])
    assert sorted(graph.nodes[0]) == ["entropy", "label", "margin", "p_0", "p_1"]


def test_memberships_on_nodes_survive_files_of_graphs():
    graph = nx.relabel_nodes(nx.karate_club_graph(), lambda i: f"member {i}")
    P, nodes = affinity_from_networkx(graph)
    model = SoftClustering(2, affinity="precomputed", random_state=0, probabilities="fitted").fit(P)
    set_memberships(graph, model, nodes, prefix="partita_")
    file = io.BytesIO()
    nx.write_graphml_xml(graph, file)
    file.seek(0)
    back = nx.read_graphml(file)
    for i, node in enumerate(nodes):
        assert back.nodes[node]["partita_label"] == model.labels_[i]
        assert back.nodes[node]["partita_p_0"] == model.membership_[i, 0]
        assert back.nodes[node]["partita_entropy"] == pytest.approx(model.entropy_[i], abs=0)
    assert nx.node_link_graph(nx.node_link_data(graph)).nodes == graph.nodes
    with pytest.raises(InputError, match="33 nodes"):
        set_memberships(graph, model, nodes[1:])
    with pytest.raises(InputError, match="'stranger'"):
        set_memberships(graph, model, ["stranger", *nodes[1:]])


def test_nodes_without_edges_are_items():
    graph = nx.barbell_graph(8, 0)
    graph.add_nodes_from(["lonely", "alone"])
    P, nodes = affinity_from_networkx(graph)
    model = SoftClustering(2, affinity="precomputed", random_state=0, probabilities="fitted").fit(P)
    set_memberships(graph, model, nodes)
    assert len(model.labels_) == 18
    assert np.isfinite(model.membership_).all()
    assert len({graph.nodes[i]["label"] for i in range(8)}) == 1
    assert graph.nodes[0]["label"] != graph.nodes[9]["label"]


# SciPy's graphs


def two_blocks(dtype=np.float64):
    rng = np.random.default_rng(0)
    half = (
        rng.integers(1, 6, (24, 24))
        * (rng.random((24, 24)) < 0.5)
        * ((np.arange(24) % 2)[:, None] == np.arange(24) % 2)
    )
    return (half + half.T).astype(dtype)


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("format_", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
def test_every_sparse_format_is_the_same_affinity(format_, kind):
    P = two_blocks()
    given = getattr(sp, f"{format_}_{kind}")(P)
    np.testing.assert_array_equal(as_affinity(given).to_dense(), P)
    settings = {"affinity": "precomputed", "random_state": 0}
    expected = SoftClustering(2, **settings).fit(sp.csr_array(P))
    model = SoftClustering(2, **settings).fit(given)
    np.testing.assert_array_equal(model.membership_, expected.membership_)
    np.testing.assert_array_equal(model.predict(given), expected.predict(sp.csr_array(P)))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint32, np.float32, bool])
def test_every_kind_of_number_is_the_same_affinity(dtype):
    P = two_blocks(dtype)
    given = sp.csr_array(P)
    np.testing.assert_array_equal(as_affinity(given).to_dense(), P.astype(np.float64))
    assert given.dtype == dtype  # what came is left as it is
    model = SoftClustering(2, affinity="precomputed", random_state=0, probabilities="fitted").fit(given)
    expected = SoftClustering(2, affinity="precomputed", random_state=0, probabilities="fitted").fit(
        sp.csr_array(P.astype(np.float64))
    )
    np.testing.assert_array_equal(model.membership_, expected.membership_)


def test_entries_given_twice_are_summed_and_what_came_is_left_as_it_is():
    i, j, w = np.array([0, 0, 1, 1, 2, 1]), np.array([1, 1, 0, 0, 1, 2]), np.array([1, 2, 3, 0, 4, 4])
    given = sp.coo_array((w, (i, j)), shape=(4, 4))
    expected = np.zeros((4, 4))
    np.add.at(expected, (i, j), w)
    np.testing.assert_array_equal(as_affinity(given).to_dense(), expected)
    assert given.nnz == 6
    unordered = sp.csr_array((np.r_[2.0, 1.0, 1.0, 2.0], np.r_[2, 1, 0, 0], [0, 2, 3, 4]), shape=(3, 3))
    np.testing.assert_array_equal(as_affinity(unordered).to_dense(), [[0, 1, 2], [1, 0, 0], [2, 0, 0]])
    assert unordered.indices.tolist() == [2, 1, 0, 0]


def test_a_stored_zero_is_observed_and_one_that_is_not_stored_only_by_default():
    P = sp.coo_array(([1.0, 1.0, 0.0, 0.0], ([0, 1, 1, 2], [1, 0, 2, 1])), shape=(3, 3))
    assert as_affinity(P).pair_weights is None  # all nine pairs were observed
    known = as_affinity(P, unstored="unobserved").pair_weights
    assert {(int(i), int(j)) for i, j in zip(known.first, known.second)} == {(0, 1), (1, 0), (1, 2), (2, 1)}
    assert known.rest == 0.0
    assert Precomputed(unstored="unobserved").build(P, n_clusters=1).affinity.pair_weights.rest == 0.0


def test_a_graph_and_its_edge_list_are_one_affinity():
    graph = nx.les_miserables_graph()
    P, nodes = affinity_from_networkx(graph)
    row = {node: at for at, node in enumerate(nodes)}
    u, v, w = zip(*((row[a], row[b], c) for a, b, c in graph.edges(data="weight")))
    np.testing.assert_array_equal(from_edges(u, v, w).to_dense(), P.toarray())
