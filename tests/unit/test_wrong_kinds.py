"""Inputs of another kind than was said, or than anybody would mean, are noticed; other inputs are left in peace."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from partita import BaumEagon, BayesianPartition, CopositiveFactorization, SoF, SoftClustering, SymNMF
from partita.affinity import Landmarks, NeighborGraph, Precomputed, RelativeDistance
from partita.affinity.checks import as_distances, is_triangle, looks_like_distances, looks_like_pairs
from partita.errors import InputError, MemoryLimitError, UnsureWarning
from partita.partition.named_draws import nearly_constant_note
from synthetic import blobs, planted_affinity

ESTIMATORS = [SoF, BaumEagon, SymNMF, CopositiveFactorization]
X, TRUTH = blobs(40, 2, d=3)
APART = cdist(X, X)
ALIKE = np.exp(-APART)


@pytest.mark.parametrize(
    ("matrix", "kind"),
    [
        (APART, "distances"),
        (ALIKE, "affinities"),
        (np.corrcoef(X), "affinities"),
        (np.kron(np.eye(10), 1.0 - np.eye(4)), "affinities"),
        (X, None),
        (X[:3], None),
        (X[:3, :3] @ X[:3, :3].T, None),
        (X @ X.T, None),
        (APART + np.triu(APART), None),
        (np.where(np.eye(40), np.nan, APART), None),
        (np.zeros((40, 40)), None),
        (-APART, None),
    ],
    ids=[
        "distances",
        "kernel",
        "correlations",
        "links",
        "table",
        "few",
        "small",
        "products",
        "lopsided",
        "gaps",
        "zero",
        "negative",
    ],
)
def test_symmetric_matrices_are_known_by_their_diagonal(matrix, kind):
    assert looks_like_pairs(matrix) == kind


@pytest.mark.parametrize(
    ("matrix", "is_so"),
    [
        (APART, True),
        (ALIKE, False),
        (np.where(np.eye(40), 0.0, ALIKE), False),
        (np.where(np.eye(40), 0.0, 0.7), False),  # any numbers that differ by less than two times obey the inequality
        (np.where(np.eye(40), 0.0, np.kron(np.eye(2), np.ones((20, 20)))), False),
        (APART**4, False),
        (cdist(X[:, :1], X[:, :1]).round(2), True),
        (cdist(np.repeat(X, 2, axis=0), np.repeat(X, 2, axis=0)), True),
    ],
    ids=["distances", "kernel", "no diagonal", "constant", "blocks", "no metric", "rounded", "two of each"],
)
def test_affinities_that_obey_the_triangle_inequality_are_taken_for_distances(matrix, is_so):
    assert looks_like_distances(matrix) == is_so


def unsure(fit):
    """The warnings on input that a fit gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit()
    return [str(one.message) for one in caught if issubclass(one.category, UnsureWarning)]


@pytest.mark.parametrize("model", [SoftClustering(2, random_state=0), SoF(2, random_state=0)], ids=["default", "SoF"])
@pytest.mark.parametrize(("matrix", "name"), [(APART, "precomputed_distance"), (ALIKE, "'precomputed'"), (X, None)])
def test_a_fit_warns_of_pairs_in_the_place_of_features(model, matrix, name):
    said = unsure(lambda: model.fit(matrix))
    assert len(said) == (name is not None)
    assert all(name in words for words in said)


@pytest.mark.parametrize("half", [np.tril, np.triu])
@pytest.mark.parametrize("matrix", [APART, np.maximum(ALIKE - np.quantile(ALIKE, 0.4), 0.0)])
@pytest.mark.parametrize("nothing", [0.0, np.nan])
def test_one_triangle_is_known_by_what_the_other_lacks(half, matrix, nothing):
    assert is_triangle(np.where(half(np.ones((40, 40))), matrix, nothing))
    assert not is_triangle(np.where(half(np.ones((40, 40))), np.eye(40), nothing))
    assert not is_triangle(half(matrix)[:, :-1])
    assert not is_triangle(np.where(half(np.ones((40, 40))), matrix, 1.0))


@pytest.mark.parametrize("half", [np.tril, np.triu])
@pytest.mark.parametrize(
    ("model", "nothing"),
    [
        (SoftClustering(2, random_state=0), 0.0),
        (SoF(2, random_state=0), 0.0),
        (SoftClustering(2, missing="unobserved", random_state=0), np.nan),
    ],
    ids=["default", "SoF", "gaps"],
)
def test_a_fit_warns_of_one_triangle_in_the_place_of_features(model, nothing, half):
    (words,) = unsure(lambda: model.fit(np.where(half(np.ones((40, 40))), APART, nothing)))
    assert "precomputed_distance" in words


def test_a_fit_warns_of_distances_in_the_place_of_affinities():
    assert any("precomputed_distance" in words for words in unsure(lambda: Precomputed().build(APART, n_clusters=2)))
    assert not unsure(lambda: Precomputed().build(ALIKE, n_clusters=2))


def test_draws_that_were_turned_are_noted_and_others_are_not():
    rng = np.random.default_rng(0)
    draws = np.where(rng.random((90, 60)) < 0.05, rng.integers(3, size=(90, 60)), np.arange(60) % 3)
    renumbered = np.array([rng.permutation(3)[draw] for draw in draws])
    assert not unsure(lambda: BayesianPartition(random_state=0).fit(draws))
    turned = BayesianPartition(random_state=0)
    assert len(unsure(lambda: turned.fit(draws.T))) == 1
    assert "transposed" in turned.notes_[0]
    for others in (renumbered, renumbered.T, np.zeros((90, 60), dtype=int), draws[:1], draws[:, :1]):
        assert nearly_constant_note(others) == ()


@pytest.mark.parametrize(
    "model", [*(kind(3, random_state=0) for kind in ESTIMATORS), SoftClustering(3, random_state=0)]
)
def test_sparse_features_are_the_features_that_they_stand_for(model):
    table = np.where(X > 1.0, X, 0.0)
    dense = model.fit(table).membership_
    sparse = model.fit(sp.csr_array(table))
    np.testing.assert_array_equal(sparse.membership_, dense)
    np.testing.assert_array_equal(sparse.transform(sp.coo_matrix(table[:3])), sparse.predict_proba(table[:3]))
    np.testing.assert_array_equal(sparse.predict(sp.lil_array(table[:3])), sparse.predict(table[:3]))
    with pytest.raises(InputError, match="transform"):
        sparse.predict_proba(sp.csr_array(table[:3]))


def test_sparse_features_that_would_not_fit_are_refused_before_they_are_made():
    huge = sp.csr_array(([1.0], ([0], [0])), shape=(10**6, 10**6 - 1))
    with pytest.raises(MemoryLimitError, match="TruncatedSVD"):
        SoftClustering(2).fit(huge)


@pytest.mark.parametrize(
    ("builder", "noted"),
    [
        (NeighborGraph(n_neighbors=500), True),
        (NeighborGraph(n_neighbors=8), True),
        (NeighborGraph(n_neighbors=7), False),
        (NeighborGraph(), False),
        (RelativeDistance(n=8), True),
        (RelativeDistance(), False),
        (Landmarks(n_neighbors=8), True),
        ("neighbors", False),
        ("auto", False),
    ],
)
def test_more_neighbours_than_there_are_items_are_noted_where_somebody_asked_for_them(builder, noted):
    rows = X[[0, 1, 2, 3, -1, -2, -3, -4, -4]]  # two are one item
    model = SoftClustering(2, affinity=builder, probabilities="fitted", random_state=0).fit(rows)
    assert sum("7 other items" in note for note in model.result_.notes) == noted


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_a_graph_is_an_affinity_for_every_estimator(kind):
    networkx = pytest.importorskip("networkx")
    graph = networkx.planted_partition_graph(3, 12, 0.8, 0.05, seed=1)
    model = kind(3, random_state=0)
    of_graph = model.fit(graph)
    matrix = networkx.to_scipy_sparse_array(graph, dtype=float)
    of_matrix = kind(3, affinity="precomputed", random_state=0).fit(matrix)
    np.testing.assert_array_equal(of_graph.membership_, of_matrix.membership_)
    assert of_graph.items_.tolist() == [str(node) for node in graph]
    assert any("edges" in note for note in of_graph.result_.notes)
    assert model.affinity == kind().affinity
    features = model.fit(X).membership_  # the next fit is of features again
    np.testing.assert_array_equal(features, kind(3, random_state=0).fit(X).membership_)
    with pytest.raises(InputError, match="precomputed"):
        kind(3, affinity="neighbors").fit(graph)


def test_directed_graphs_need_a_word_on_their_directions():
    directed = pytest.importorskip("networkx").DiGraph([(0, 1), (1, 2), (2, 0), (1, 0)])
    with pytest.raises(InputError):
        SoF(2).fit(directed)
    assert len(SoF(2, symmetrize="max").fit(directed).labels_) == 3


def test_planted_blocks_are_no_distances():
    assert not looks_like_distances(planted_affinity([10, 10])[0])


@pytest.mark.parametrize("kind", [SoF, SymNMF])
def test_a_sparse_symmetric_matrix_is_not_taken_for_features(kind):
    links = sp.csr_array(np.where(APART < 3, 1.0, 0.0) + np.diag(np.arange(40.0)))
    with pytest.raises(InputError, match="precomputed"):
        kind(2).fit(links)


def test_a_table_of_items_is_not_taken_for_draws_without_a_word():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    city, colour = rng.choice(["Bern", "Basel", "Genf"], 60), rng.choice(["red", "blue"], 60)
    floats = pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcd")).assign(city=city)
    words = pd.DataFrame({"city": city, "colour": colour})
    for table in (floats, words):
        with pytest.warns(UnsureWarning, match="alone"):
            model = BayesianPartition(random_state=0).fit(table)
        assert any("alone" in note for note in model._said)


def test_what_holds_items_is_refused_as_draws_by_its_type():
    nx, ad = pytest.importorskip("networkx"), pytest.importorskip("anndata")
    X = np.random.default_rng(0).normal(size=(20, 3))
    for given in (nx.karate_club_graph(), ad.AnnData(X), sp.csr_array(X), sp.csc_matrix(X)):
        with pytest.raises(InputError, match=rf"{type(given).__name__}.*SoftClustering"):
            BayesianPartition().fit(given)


def test_what_would_be_read_as_something_else_is_refused():
    X = np.random.default_rng(0).normal(size=(30, 2))
    masked = np.ma.masked_greater(X, 1.0)
    with pytest.raises(InputError, match=r"filled\(np\.nan\)"):
        SoftClustering(2).fit(masked)
    assert SoftClustering(2).fit(np.ma.masked_array(X)).n_clusters_ == 2  # nothing is masked
    with pytest.raises(InputError, match="n_clusters=True"):
        SoftClustering(n_clusters=True).fit(X)
    features = sp.random(40, 40, 0.2, random_state=0, format="csr")
    with pytest.raises(InputError, match="affinity='ensemble'"):
        SoftClustering(2).fit(features)


def test_nodes_that_words_do_not_tell_apart_are_refused():
    nx = pytest.importorskip("networkx")
    graph = nx.relabel_nodes(nx.karate_club_graph(), {0: "1"})
    with pytest.raises(InputError, match=r"'1'.*relabel_nodes"):
        SoftClustering().fit(graph)


def test_distances_that_rounding_left_of_zeros_are_zeros() -> None:
    X = np.random.default_rng(0).normal(size=(30, 5))
    distances = 1.0 - np.corrcoef(X)
    np.fill_diagonal(distances, 3e-16 * np.array([1, -1] * 15))
    exact = distances.copy()
    np.fill_diagonal(exact, 0.0)
    fits = [SoftClustering(3, affinity="precomputed_distance", random_state=0).fit(D) for D in (distances, exact)]
    assert np.array_equal(fits[0].membership_, fits[1].membership_)
    np.fill_diagonal(distances, 1e-2)
    with pytest.raises(InputError, match="must be 0"):
        SoftClustering(3, affinity="precomputed_distance").fit(distances)
    U = (X / np.linalg.norm(X, axis=1)[:, None]).astype(np.float32)
    angles = np.arccos(np.clip(U @ U.T, -1.0, 1.0))
    assert angles.diagonal().max() > 1e-4
    assert not as_distances(angles).diagonal().any()
