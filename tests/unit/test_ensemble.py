"""The evidence of an ensemble: its weights, its affinity, new items, permutations, copies, memory, save and load."""

import json
import warnings
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer, make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from partita import SoF, SoftClustering, load, save
from partita.affinity import Builder, NeighborGraph
from partita.affinity.shared_search import shared_search
from partita.ensemble import (
    Draw,
    Ensemble,
    Genie,
    Graph,
    Mixture,
    Modularity,
    adjusted_rand,
    agreement,
    agreement_weights,
)
from partita.ensemble import graph as graph_member
from partita.ensemble import mixture as mixture_member
from partita.ensemble.base import neighbor_graph
from partita.ensemble.units import frame_of, in_coordinates
from partita.ensemble.vote import neighbor_vote, voters_of
from partita.errors import InputError
from partita.kernels import louvain
from partita.metrics import purity
from synthetic import blobs, zigzag

few = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 10_000)
# Sums of a few dozen products of numbers below one.
ROUNDING = 1e-12
QUICK = Ensemble(n_draws=2)


# weights


@few
@given(seeds)
def test_the_adjusted_rand_index_is_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, rng.integers(1, 6), 30), rng.integers(0, rng.integers(1, 6), 30)
    assert adjusted_rand(a, b) == pytest.approx(adjusted_rand_score(a, b), abs=ROUNDING)


def random_table(rng, M):
    draws = [rng.integers(0, 3, 40) for _ in range(M)]
    draws[1] = draws[0].copy()
    return agreement(draws)


@few
@given(seeds, st.integers(2, 5))
def test_copies_of_a_methods_draws_change_no_methods_share_of_the_evidence(seed, times):
    rng = np.random.default_rng(seed)
    methods = ["graph", "graph", "genie", "density", "density", "mixture"]
    table = random_table(rng, 6)
    weights, agreed = agreement_weights(table, methods)
    assert weights.sum() == pytest.approx(1.0, abs=ROUNDING)
    # Every draw of the first method comes `times` times.
    index = np.r_[np.repeat([0, 1], times), 2:6]
    many, agreed_many = agreement_weights(table[np.ix_(index, index)], [methods[i] for i in index])
    np.testing.assert_allclose(agreed_many, agreed[index], atol=ROUNDING)
    for name in set(methods):
        own = [i for i, m in enumerate(methods) if m == name]
        copies = [j for j, i in enumerate(index) if methods[i] == name]
        assert many[copies].sum() == pytest.approx(weights[own].sum(), abs=ROUNDING)


def test_near_copies_change_the_evidence_little():
    # Eight more graphs of other settings: by a vote of draws the graph would have 3/4 of the evidence.
    X, _ = blobs(120, apart=2.5, at=zigzag)
    plain = Ensemble(methods=("graph", "genie", "density", "mixture"), n_draws=1)
    graphs = [Graph(n_neighbors=k) for k in (10, 8, 9, 10, 11, 12, 13, 14, 15)]
    many = Ensemble(methods=(*graphs, "genie", "density", "mixture"), n_draws=1)
    P, Q = (e.build(X, n_clusters=3) for e in (plain, many))
    share = [sum(d.weight for d in evidence.draws if d.method == "graph") for evidence in (P, Q)]
    assert share[1] == pytest.approx(share[0], abs=0.03)
    assert np.abs(P.affinity.to_dense() - Q.affinity.to_dense()).mean() < 0.03
    fits = [SoftClustering(3, affinity=e, random_state=0, probabilities="fitted").fit(X).labels_ for e in (plain, many)]
    assert adjusted_rand(*fits) > 0.9


def test_a_method_at_odds_with_all_others_counts_little():
    rng = np.random.default_rng(0)
    right = np.arange(300) % 3
    nearly = [np.where(rng.random(300) < 0.1, rng.integers(0, 3, 300), right) for _ in range(3)]
    table = agreement([*nearly, rng.integers(0, 3, 300)])
    weights, agreed = agreement_weights(table, ["a", "b", "c", "noise"])
    assert weights[3] < 0.01
    assert agreed[3] < 0.1
    equal, _ = agreement_weights(table, ["a", "b", "c", "noise"], power=0)
    np.testing.assert_allclose(equal, 0.25)


def test_one_method_alone_and_methods_at_odds_leave_evidence():
    weights, _ = agreement_weights(np.eye(3), ["a", "a", "a"])
    np.testing.assert_allclose(weights, 1 / 3)
    weights, _ = agreement_weights(np.eye(3), ["a", "b", "c"])
    np.testing.assert_allclose(weights, 1 / 3)


# evidence


def test_the_affinity_is_the_weighted_mean_of_the_draws():
    X, _ = blobs(60, at=zigzag)
    ensemble = Ensemble(methods=("genie", "density", "modularity"), n_draws=3)
    evidence = ensemble.build(X, n_clusters=3)
    expected = sum(d.weight * (d.labels[:, None] == d.labels) for d in evidence.draws)
    np.testing.assert_allclose(evidence.affinity.to_dense(), expected, atol=ROUNDING)
    assert evidence.affinity.kind == "probability"
    assert len(evidence.draws) == 9
    assert {d.n_items for d in evidence.draws} == {60, 54}


def test_soft_members_give_their_probabilities():
    X, _ = blobs(120, apart=1.5, at=zigzag)
    evidence = Ensemble(methods=("mixture",), n_draws=1).build(X, n_clusters=3)
    rng = np.random.default_rng([0, 0, zlib.crc32(b"mixture")])
    Q = Mixture().cluster((X - X.mean(axis=0)) / X.std(axis=0).max(), 3, rng).membership
    P = evidence.affinity.to_dense()
    assert ((P > 0.1) & (P < 0.9)).any()
    np.testing.assert_allclose(P, Q @ Q.T, atol=5e-3)  # entries below 1e-3 were left out


@pytest.mark.parametrize("model", [SoF, SoftClustering])
def test_an_ensemble_fits_and_says_what_it_was_made_of(model):
    X, truth = blobs(120, at=zigzag)
    fitted = model(3, affinity="ensemble", random_state=0).fit(X)
    assert adjusted_rand(fitted.labels_, truth) > 0.95
    np.testing.assert_array_equal(fitted.labels_, fitted.membership_.argmax(axis=1))
    assert sum(draw.weight for draw in fitted.ensemble_) == pytest.approx(1.0)
    for draw in fitted.ensemble_:
        assert isinstance(draw, Draw)
        assert draw.labels.shape == (len(X),)
        assert draw.agreement_with_result == pytest.approx(adjusted_rand(draw.labels, fitted.labels_))
    assert float(fitted.scale_) == 1.0
    # Another affinity leaves nothing of it behind.
    assert not hasattr(fitted.set_params(affinity="neighbors").fit(X), "ensemble_")


def test_sizes_and_normalization_can_be_asked_for():
    X, truth = blobs(120, at=zigzag)
    free = SoftClustering(
        3, affinity=QUICK, sizes="free", normalization="symmetric", random_state=0, probabilities="fitted"
    ).fit(X)
    assert np.shape(free.scale_) == (3,)
    equal = SoftClustering(3, affinity=QUICK, sizes="equal", random_state=0, probabilities="fitted").fit(X)
    assert np.ndim(equal.scale_) == 0
    assert equal.scale_ != 1.0
    assert adjusted_rand(free.labels_, truth) > 0.95


def test_a_neighbour_graph_is_fitted_as_ever():
    X, _ = blobs(120, at=zigzag)
    auto = SoftClustering(3, random_state=0, affinity="neighbors", probabilities="fitted").fit(X)
    named = SoftClustering(
        3, sizes="free", normalization="symmetric", random_state=0, affinity="neighbors", probabilities="fitted"
    ).fit(X)
    np.testing.assert_array_equal(auto.membership_, named.membership_)


def test_the_same_seed_gives_the_same_answer_and_a_permutation_of_the_rows_permutes_it():
    X, _ = blobs(120, apart=2.0, at=zigzag)
    first = SoftClustering(3, affinity="ensemble", random_state=3, probabilities="fitted").fit(X)
    again = SoftClustering(3, affinity="ensemble", random_state=3, probabilities="fitted").fit(X)
    np.testing.assert_array_equal(first.membership_, again.membership_)
    order = np.random.default_rng(1).permutation(len(X))
    moved = SoftClustering(3, affinity="ensemble", random_state=3, probabilities="fitted").fit(X[order])
    np.testing.assert_array_equal(moved.membership_, first.membership_[order])
    for a, b in zip(first.ensemble_, moved.ensemble_):
        np.testing.assert_array_equal(b.labels, a.labels[order])


def test_copies_are_one_item_with_a_weight():
    X, _ = blobs(60, apart=2.0, at=zigzag)
    twice = np.r_[X, X[:20]]
    copied = SoftClustering(3, affinity=QUICK, random_state=0, probabilities="fitted").fit(twice)
    np.testing.assert_array_equal(copied.membership_[:20], copied.membership_[60:])
    weighted = SoftClustering(3, affinity=QUICK, random_state=0, probabilities="fitted").fit(
        X, sample_weight=np.r_[np.full(20, 2.0), np.ones(40)]
    )
    np.testing.assert_allclose(copied.membership_[:60], weighted.membership_, atol=1e-12)
    unseen = SoftClustering(3, affinity=QUICK, random_state=0, probabilities="fitted").fit(
        X, sample_weight=np.r_[0.0, np.ones(59)]
    )
    assert unseen.ensemble_[0].labels[0] == -1


def test_units_and_place_of_the_features_change_nothing():
    X, _ = blobs(120, apart=2.0, at=zigzag)
    first = SoftClustering(3, affinity=QUICK, probabilities="fitted").fit(X)
    moved = SoftClustering(3, affinity=QUICK, probabilities="fitted").fit(1024.0 * X)
    np.testing.assert_allclose(moved.membership_, first.membership_, atol=1e-9)
    # A third feature of noise in tiny units, and then in huge ones: only "given" listens to it alone.
    noisy = np.c_[
        X, X[:, 0] + 0.1 * np.random.default_rng(0).normal(size=len(X)), 1e6 * np.random.default_rng(1).random(len(X))
    ]
    truth = blobs(120, apart=2.0, at=zigzag)[1]
    scores = {
        units: adjusted_rand(
            SoftClustering(3, affinity=Ensemble(n_draws=1, units=units), probabilities="fitted").fit(noisy).labels_,
            truth,
        )
        for units in ("auto", "standard", "given")
    }
    assert min(scores["auto"], scores["standard"]) > scores["given"] + 0.2


@pytest.mark.parametrize(("n", "K"), [(2, 1), (2, 2), (3, 2), (5, 5), (7, 3), (12, 11)])
def test_few_items(n, K):
    X, _ = blobs(n, min(n, 3), at=zigzag)
    fitted = SoftClustering(K, affinity="ensemble", random_state=0, probabilities="fitted").fit(X)
    assert fitted.membership_.shape == (n, K)
    np.testing.assert_allclose(fitted.membership_.sum(axis=1), 1.0)


def test_one_feature_constant_features_and_extreme_units():
    X, truth = blobs(60, at=zigzag)
    for features in (X[:, :1], np.c_[X, np.ones(60)], 1e-120 * X, 1e120 * X):
        fitted = SoftClustering(3, affinity=QUICK, random_state=0, probabilities="fitted").fit(features)
        assert adjusted_rand(fitted.labels_, truth) > 0.9


# new items


def test_a_new_item_beside_a_fitted_one_joins_its_cluster():
    X, _ = blobs(120, at=zigzag)
    fitted = SoftClustering(3, affinity=QUICK, random_state=0, probabilities="fitted").fit(X)
    new = fitted.predict_proba(X + 1e-3)
    np.testing.assert_allclose(new.sum(axis=1), 1.0)
    assert adjusted_rand(new.argmax(axis=1), fitted.labels_) > 0.95
    # As many as come together, one by one.
    np.testing.assert_array_equal(
        fitted.predict_proba(X[:7] + 0.1), np.vstack([fitted.predict_proba(x[None] + 0.1) for x in X[:7]])
    )


def test_the_row_of_an_item_seen_before_is_its_own():
    X, _ = blobs(60, apart=2.0, at=zigzag)
    evidence = QUICK.build(X, n_clusters=3)
    np.testing.assert_allclose(evidence.rows(X[[4, 40]]), evidence.affinity.rows([4, 40]), atol=ROUNDING)
    rows = evidence.rows(X + 0.01)
    assert rows.min() >= 0
    assert rows.max() <= 1 + ROUNDING


@pytest.mark.parametrize(
    "affinity", ["ensemble", Ensemble(methods=(Genie(gini=0.4), "mixture", {"name": "density"}), n_draws=2)]
)
def test_save_and_load_give_the_same_memberships(affinity, tmp_path):
    X, _ = blobs(120, at=zigzag)
    fitted = SoftClustering(3, affinity=affinity, random_state=0, probabilities="fitted").fit(X)
    save(fitted, tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(X + 0.05), fitted.predict_proba(X + 0.05))
    np.testing.assert_array_equal(again.membership_, fitted.membership_)
    if isinstance(affinity, Ensemble):
        assert again.affinity == affinity


def test_a_builder_comes_back_from_json():
    given_one = Ensemble(methods=("genie", Mixture(max_dimensions=5)), n_draws=3, units="given", seed=4)
    assert Builder.from_config(json.loads(json.dumps(given_one.config()))) == given_one


def test_neighbours_vote_labels_and_memberships():
    X, Y = np.array([[0.0], [1.0], [2.0], [9.0]]), np.array([[1.1], [8.0]])
    assert neighbor_vote(np.array([0, 0, 0, 1]), voters_of(Y, X, 3)).tolist() == [0, 1]
    Q = np.array([[1.0, 0.0], [0.5, 0.5], [1.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(neighbor_vote(Q, voters_of(Y, X, 2)), [[0.75, 0.25], [0.5, 0.5]])


# size and errors


def test_nothing_n_by_n_is_made():
    import tracemalloc

    X, truth = blobs(12_000, apart=6.0, at=zigzag)
    ensemble = Ensemble(n_draws=2, max_items=1000)
    SoftClustering(3, affinity=ensemble, random_state=0, probabilities="fitted").fit(
        X[:600]
    )  # compiles and loads what it needs
    tracemalloc.start()
    try:
        fitted = SoftClustering(3, affinity=ensemble, random_state=0, probabilities="fitted").fit(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 150e6  # N x N would be 1,152 MB; 12,000 x 3 numbers in some 20 arrays and the factor are below 30 MB
    assert {d.n_items for d in fitted.ensemble_} == {1000}
    assert adjusted_rand(fitted.labels_, truth) > 0.95


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": ()}, "methods"),
        ({"methods": ("gravity",)}, "'gravity'"),
        ({"n_draws": 0}, "n_draws=0"),
        ({"share": 0.0}, "share=0.0"),
        ({"share": 1.5}, "share=1.5"),
        ({"max_items": 1}, "max_items=1"),
        ({"units": "metres"}, "units='metres'"),
        ({"power": -1.0}, "power=-1.0"),
    ],
)
def test_options_out_of_range_are_named(options, message):
    with pytest.raises(InputError, match=message):
        Ensemble(**options)


def test_missing_cells_are_refused_by_name():
    X, _ = blobs(30, at=zigzag)
    X[3, 1] = np.nan
    with pytest.raises(InputError, match=r"X\[3, 1\]"):
        Ensemble().build(X, n_clusters=3)


def test_before_fit_there_is_no_ensemble():
    with pytest.raises(NotFittedError):
        SoftClustering(3, affinity="ensemble", probabilities="fitted").predict(np.zeros((2, 2)))


# what members share, and what they leave out


@pytest.mark.parametrize("shares", [False, True])
def test_the_graph_member_finds_eigenvectors_once_for_several_numbers_of_clusters(shares, monkeypatch):
    X, _ = blobs()
    found, asked = graph_member.leading_eigenvectors, []

    def counted(graph, n_vectors, **options):
        asked.append(n_vectors)
        return found(graph, n_vectors, **options)

    monkeypatch.setattr(graph_member, "leading_eigenvectors", counted)

    def labels():
        return [Graph().cluster(X, K, np.random.default_rng(0)).labels for K in (4, 12, 13)]

    apart = labels()
    assert asked == [12, 12, 24]
    asked.clear()
    with shared_search():
        together = labels()
    assert asked == [12, 24]
    np.testing.assert_array_equal(apart, together)


def test_the_graph_member_does_not_warn_of_its_few_steps():
    X, _ = make_blobs(300, 4, centers=3, cluster_std=4.0, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Graph().cluster(X, 9, np.random.default_rng(0))


@pytest.mark.parametrize("n_clusters", [17, 24])
def test_the_graph_member_splits_pieces_and_joins_none_where_it_has_more_clusters(n_clusters):
    X, y = make_blobs(600, 16, centers=12, cluster_std=3.0, random_state=0)
    labels = Graph().cluster(X, n_clusters, np.random.default_rng(0)).labels
    assert purity(labels, y) == 1.0
    assert len(np.unique(labels)) == n_clusters


@pytest.mark.parametrize(("connection", "apart"), [("union", 30), ("mutual", 30), ("mutual", 0)])
def test_the_spanning_tree_has_the_shortest_links_between_pieces(connection, apart):
    centres = apart * np.repeat(np.eye(6, 3, 1) - np.eye(6, 3, -2), 40, axis=0)
    X = np.random.default_rng(0).normal(size=(240, 3)) + centres
    sought = NeighborGraph(n_neighbors=4, connection=connection).build(X, n_clusters=1).affinity.matrix
    found = neighbor_graph(X, 4, 1, connection).matrix
    np.testing.assert_allclose(found.toarray(), sought.toarray(), rtol=ROUNDING)
    unlinked = NeighborGraph(n_neighbors=4, connection=connection).build(X, n_clusters=240).affinity.matrix
    assert found.nnz > unlinked.nnz


def test_numbers_of_clusters_share_runs_of_louvain(monkeypatch):
    X, _ = blobs()
    found, asked = louvain.louvain, []

    def counted(*graph):
        asked.append(graph[-1])
        return found(*graph)

    monkeypatch.setattr(louvain, "louvain", counted)

    def labels():
        return [Modularity().cluster(X, K, np.random.default_rng(0)).labels for K in (4, 5, 6)]

    apart = labels()
    runs = len(asked)
    assert len(set(asked)) < runs  # the first halvings are those of any number
    asked.clear()
    with shared_search():
        together = labels()
    assert len(asked) == len(set(asked)) < runs
    np.testing.assert_array_equal(apart, together)


def test_covariances_of_more_parameters_than_items_are_not_tried(monkeypatch):
    X = np.random.default_rng(0).normal(size=(40, 6)) + np.repeat(9 * np.eye(4, 6), 10, axis=0)
    shapes, climbed = [], mixture_member.climb

    def kept(items, start, **options):
        shapes.append(items.shape)
        return climbed(items, start, **options)

    monkeypatch.setattr(mixture_member, "climb", kept)
    labels = Mixture().cluster(X, 4, np.random.default_rng(0)).labels  # 4 x 27 and 21 + 24 numbers to estimate
    assert set(shapes) == {"spherical"}
    assert adjusted_rand(labels, np.repeat(np.arange(4), 10)) == 1.0
    shapes.clear()
    Mixture().cluster(X, 1, np.random.default_rng(0))
    assert set(shapes) == {"full", "tied", "diagonal", "spherical"}


@pytest.mark.parametrize("K", [2, 4])
def test_the_mixture_member_is_the_mixture_of_scikit_learn_with_the_best_bic(K):
    X, _ = blobs()
    rng = np.random.default_rng(0)
    ridge = 1e-4 * X.var(axis=0).mean()
    starts = np.repeat([int(rng.integers(2**31 - 1)) for _ in range(2)], 2).tolist()  # two of k-means
    theirs = [
        GaussianMixture(K, covariance_type=kind, reg_covar=ridge, random_state=seed).fit(X)
        for kind, seed in zip(("full", "tied", "diag", "spherical"), starts, strict=True)
    ]
    best = min(theirs, key=lambda model: model.bic(X))
    ours = Mixture().cluster(X, K, np.random.default_rng(0))
    assert adjusted_rand(ours.labels, best.predict(X)) > 0.98  # a step of EM more or less at the end
    np.testing.assert_allclose(ours.score(X), ours.membership, atol=1e-9)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0])
def test_two_groups_are_found_beside_columns_in_other_units_that_say_nothing(scale):
    rng = np.random.default_rng(0)
    group = np.arange(90) % 2
    told = np.c_[1500 + 7500 * group + 300 * rng.normal(size=90), (20 + 50 * group + 3 * rng.normal(size=90)) * scale]
    X = np.c_[told, rng.uniform(0, 50_000, (90, 2))]
    model = SoftClustering(random_state=0).fit(X)
    assert adjusted_rand(model.labels_, group) == 1.0


def test_units_differ_where_ranges_do_and_not_where_pixels_hardly_vary():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 20))
    assert frame_of(X).common
    hardly = X * np.r_[np.full(18, 1.0), 1e-3, 1e-3]
    assert frame_of(hardly).common
    seldom = np.where(rng.random(size=X.shape) < np.linspace(0.02, 1, 20), np.abs(X), 0.0)
    assert frame_of(seldom).common
    mixed = X * np.r_[np.full(10, 1.0), np.full(10, 20.0)]
    np.testing.assert_allclose(frame_of(mixed)(mixed).std(axis=0), 1.0)


@pytest.mark.filterwarnings("ignore::partita.errors.UnsureWarning")
@pytest.mark.parametrize("k", [3, "auto"])
def test_a_column_of_one_value_changes_nothing(k):
    centres = np.repeat([[0.0, 0.0], [4.0, 1.0], [1.0, 5.0]], [60, 60, 40], axis=0)
    X = centres + np.random.default_rng(0).normal(size=(160, 2))
    plain = SoftClustering(k, random_state=0).fit(X)
    beside = SoftClustering(k, random_state=0).fit(np.c_[X[:, 0], np.full(160, 7.0), X[:, 1]])
    assert plain.n_clusters_ > 1
    np.testing.assert_array_equal(beside.labels_, plain.labels_)
    for name in ("membership_", "outlier_", "certainty_"):
        np.testing.assert_allclose(getattr(beside, name), getattr(plain, name), atol=1e-9)


def test_more_columns_than_rows_are_as_many_coordinates_as_there_are_rows():
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(size=(40, 300)), np.full(40, 2.0)]
    seen = in_coordinates(X)
    assert seen.shape == (40, 40)
    np.testing.assert_allclose(cdist(seen, seen), cdist(X, X), atol=1e-9)
    few = rng.normal(size=(40, 5))
    assert in_coordinates(few) is few
    X[:20] += 1.0
    model = SoftClustering(random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_ == model.labels_[0], np.arange(40) < 20)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_a_fitted_row_is_known_again_after_it_was_rounded():
    X = load_breast_cancer().data[:300]
    model = SoftClustering(3, random_state=0).fit(X)
    known = model.predict_proba(X)
    for rounded in (X * (1 + 1e-9), X.astype(np.float32)):
        np.testing.assert_allclose(model.predict_proba(rounded), known, atol=1e-4)
