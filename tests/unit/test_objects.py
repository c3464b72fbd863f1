"""Graphs of networkx, cells of AnnData and files of graphs go straight into a fit."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from partita import SCAMS, CopositiveFactorization, DPGaussianMixture, SoF, SoftClustering
from partita.bridges import affinity_from_networkx, cluster_cells, memberships_frame
from partita.errors import InputError
from partita.io import read_edges

networkx = pytest.importorskip("networkx")


def planted(seed=0):
    graph = networkx.planted_partition_graph(3, 25, 0.4, 0.02, seed=seed)
    graph.graph.clear()
    return networkx.relabel_nodes(graph, {node: f"n{node:02d}" for node in graph})


def test_a_graph_is_the_affinity_that_its_edges_are_and_names_the_items():
    graph = planted()
    matrix, nodes = affinity_from_networkx(graph)
    model, expected = (SoftClustering(random_state=0).fit(given) for given in (graph, matrix))
    np.testing.assert_array_equal(model.membership_, expected.membership_)
    assert model.items_.tolist() == nodes
    assert model.n_clusters_ == 3
    assert memberships_frame(model)["id"].tolist() == nodes
    np.testing.assert_array_equal(model.predict(graph), model.predict(matrix))


def test_nodes_of_a_new_graph_are_known_by_their_names():
    graph = planted()
    model = SoftClustering(random_state=0).fit(graph)
    shuffled = networkx.Graph()
    shuffled.add_nodes_from(np.random.default_rng(0).permutation(list(graph)).tolist())
    shuffled.add_edges_from(graph.edges)
    place = [list(graph).index(node) for node in shuffled]
    np.testing.assert_array_equal(model.predict(shuffled), model.predict(graph)[place])
    few = networkx.Graph([("new", node) for node in ("n30", "n31", "n32")])
    assert model.predict(few)[0] == model.labels_[30]
    strange = networkx.relabel_nodes(graph, {node: f"other {node}" for node in graph})
    with pytest.raises(InputError, match="node"):
        model.predict(strange)
    nameless = SoftClustering(random_state=0).fit(affinity_from_networkx(graph)[0])
    np.testing.assert_array_equal(nameless.predict(graph), nameless.labels_)


@pytest.mark.parametrize("estimator", [SoF, SCAMS, SoftClustering])
def test_every_factorization_takes_a_graph_as_a_precomputed_affinity(estimator):
    graph = planted()
    P, _ = affinity_from_networkx(graph)
    given, expected = (estimator(3, affinity="precomputed", random_state=0).fit(X) for X in (graph, P))
    np.testing.assert_array_equal(given.labels_, expected.labels_)
    with pytest.raises(InputError, match="affinity='precomputed'"):
        estimator(3, affinity="ssc").fit(graph)


def test_a_directed_graph_needs_to_be_told_how_directions_become_one():
    graph = networkx.DiGraph(planted())
    graph.remove_edges_from(list(graph.edges)[:20])
    with pytest.raises(InputError, match="symmetrize="):
        SoftClustering(3, random_state=0).fit(graph)
    model = SoftClustering(3, symmetrize="max", random_state=0).fit(graph)
    P, _ = affinity_from_networkx(graph, symmetrize="max")
    np.testing.assert_array_equal(model.labels_, SoftClustering(3, random_state=0).fit(P).labels_)


def test_an_edge_of_a_node_with_itself_is_kept_on_the_diagonal_without_a_warning():
    graph = planted()
    graph.add_edges_from((node, node) for node in graph)
    P, _ = affinity_from_networkx(graph, self_loops="keep")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = CopositiveFactorization(3, random_state=0).fit(graph)
    expected = CopositiveFactorization(3, affinity="precomputed", random_state=0).fit(P)
    np.testing.assert_array_equal(model.membership_, expected.membership_)


def test_cells_are_their_graph_or_else_their_components():
    anndata = pytest.importorskip("anndata")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)) + 9 * (np.arange(60) % 3)[:, None]
    P = sp.csr_matrix(affinity_from_networkx(networkx.random_geometric_graph(60, 0.3, seed=1))[0])
    names = [f"cell{i}" for i in range(60)]
    adata = anndata.AnnData(obsm={"X_pca": X}, obsp={"connectivities": P}, shape=(60, 0))
    adata.obs_names = names
    model = SoftClustering(3, random_state=0).fit(adata)
    assert model.items_.tolist() == names
    assert any("connectivities" in note for note in model.result_.notes)
    twin = adata.copy()
    cluster_cells(twin, 3, random_state=0)
    np.testing.assert_array_equal(model.labels_, twin.obs["partita"].astype(int))
    of_features = SoftClustering(3, affinity="neighbors", random_state=0).fit(adata)
    np.testing.assert_array_equal(
        of_features.labels_, SoftClustering(3, affinity="neighbors", random_state=0).fit(X).labels_
    )
    del adata.obsp["connectivities"]
    assert any("X_pca" in note for note in SoftClustering(3, random_state=0).fit(adata).result_.notes)
    with pytest.raises(InputError, match="connectivities"):
        SoftClustering(3, affinity="precomputed").fit(adata)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_mixture_takes_the_features_of_cells_and_refuses_a_graph():
    anndata = pytest.importorskip("anndata")
    X = np.random.default_rng(0).normal(size=(60, 2)) + 9 * (np.arange(60) % 2)[:, None]
    adata = anndata.AnnData(obsm={"X_pca": X}, shape=(60, 0))
    settings = {"n_draws": 10, "burn_in": 10, "n_chains": 2, "random_state": 0}
    model, expected = (DPGaussianMixture(**settings).fit(given) for given in (adata, X))
    np.testing.assert_array_equal(model.draws_, expected.draws_)
    np.testing.assert_array_equal(model.score_samples(adata), expected.score_samples(X))
    assert any("X_pca" in note for note in model.result_.notes)
    with pytest.raises(InputError, match=r"networkx.*SoftClustering"):
        DPGaussianMixture(**settings).fit(planted())


def test_a_fit_of_an_array_loads_neither_package():
    code = (
        "import sys, numpy; from partita import SoF; SoF(2, max_iter=1).fit(numpy.eye(6));"
        "print([name for name in ('networkx', 'anndata') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("form", ["gml", "graphml"])
def test_a_file_of_a_graph_has_its_nodes_edges_and_weights(form, tmp_path):
    graph = planted()
    graph.add_node("alone")
    for n, (u, v) in enumerate(graph.edges):
        graph[u][v]["weight"] = 1.0 + n % 3
    file = tmp_path / f"graph.{form}"
    getattr(networkx, f"write_{form}")(graph, file)
    edges = read_edges(file)
    P, nodes = affinity_from_networkx(graph)
    assert edges.ids == [str(node) for node in nodes]
    back = sp.coo_array((edges.weight, (edges.source, edges.target)), shape=P.shape).toarray()
    np.testing.assert_array_equal(back + back.T, P.toarray())
    assert edges.weighted


@pytest.mark.parametrize("form", ["gml", "graphml"])
@pytest.mark.parametrize("directed", [False, True])
def test_parallel_edges_of_a_file_are_added_as_those_of_a_graph_are(form, directed, tmp_path):
    graph = (networkx.MultiDiGraph if directed else networkx.MultiGraph)(planted())
    graph.add_edges_from(list(graph.edges())[:20], weight=2.0)
    file = tmp_path / f"graph.{form}"
    getattr(networkx, f"write_{form}")(graph, file)
    how = "mean" if directed else None
    edges, (P, _) = read_edges(file, symmetrize=how), affinity_from_networkx(graph, symmetrize=how)
    back = sp.coo_array((edges.weight, (edges.source, edges.target)), shape=P.shape).toarray()
    np.testing.assert_array_equal(back + back.T, P.toarray())
    assert any("20 edges" in note for note in edges.notes)


def test_a_broken_file_of_a_graph_is_an_error_that_names_it(tmp_path):
    file = tmp_path / "graph.gml"
    file.write_text("graph [ node [ id 0 ")
    with pytest.raises(InputError, match=r"graph\.gml"):
        read_edges(file)
    file.write_text('graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 weight "heavy" ] ]')
    with pytest.raises(InputError, match="heavy"):
        read_edges(file)
