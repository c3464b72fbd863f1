"""The estimator SCAMS: its partition, its membership, both methods, numbers that are asked for, and what is kept."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import check_estimator

from partita import SCAMS, load, save
from partita.affinity import LowRankRepresentation, NeighborGraph
from partita.errors import InputError, MemoryLimitError
from partita.scams import ADMM, LocalSearch, partition_objective, polished
from synthetic import draws_around, gaussians, planted_affinity


def subspaces(dimensions, n=40, d=30, noise=0.05, seed=0):
    rng = np.random.default_rng(seed)
    parts = [rng.normal(size=(n, k)) @ np.linalg.qr(rng.normal(size=(d, k)))[0].T for k in dimensions]
    X = np.concatenate([part / np.linalg.norm(part, axis=1, keepdims=True) for part in parts])
    X += noise * rng.normal(size=X.shape) / np.sqrt(d)
    return X, np.repeat(np.arange(len(dimensions)), n)


@pytest.mark.parametrize("model", [SCAMS(), SCAMS(n_clusters=2)], ids=repr)
def test_scikit_learns_checks_pass(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(model)


@pytest.mark.parametrize("affinity", ["lrr", "ssc"])
@pytest.mark.parametrize("method", ["local", "admm"])
@pytest.mark.parametrize("dimensions", [(2,), (2, 4), (2, 4, 6, 3)])
def test_subspaces_and_their_number_are_found(affinity, method, dimensions):
    X, truth = subspaces(dimensions)
    model = SCAMS(affinity=affinity, method=method, random_state=0).fit(X)
    assert model.n_clusters_ == len(dimensions)
    assert adjusted_rand_score(truth, model.partition_) == 1.0
    assert (model.labels_ == model.partition_).mean() > 0.95
    np.testing.assert_array_equal(model.membership_.argmax(axis=1), model.labels_)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("method", ["local", "admm"])
def test_the_objective_is_that_of_the_paper_at_the_partition(make, method):
    A, _ = planted_affinity([20] * 3, between=0.05)
    model = SCAMS(affinity="precomputed", method=method, random_state=0).fit(make(A))
    B = LocalSearch().prepare(A)
    assert model.objective_ == pytest.approx(partition_objective(model.partition_, B, model.gamma_, 1.0), rel=1e-9)
    assert set(model.objectives_) == ({"local"} if method == "local" else {"admm", "admm, polished", "local"})
    own = [value for name, value in model.objectives_.items() if name.startswith(method)]
    assert model.objective_ == min(own)
    if method == "admm":
        plain = SCAMS(affinity="precomputed", method=method, polish=False, random_state=0).fit(make(A))
        assert plain.objective_ == plain.objectives_["admm"] == model.objectives_["admm"]


def test_the_paper_preset_runs_as_it_was_given():
    A, truth = planted_affinity([20] * 4, between=0.05)
    model = SCAMS(affinity="precomputed", method=ADMM.paper(), random_state=0).fit(A)
    assert model.gamma_ == 0.005
    assert set(model.objectives_) == {"admm"}
    assert model.objective_ == pytest.approx(partition_objective(model.partition_, A, 0.005, 2.0), rel=1e-9)
    cheaper = SCAMS(affinity="precomputed", method=ADMM(theta=0.7), random_state=0).fit(A)
    assert adjusted_rand_score(truth, cheaper.partition_) == 1.0


def test_a_partition_that_is_polished_is_left_where_no_move_helps_and_never_worse():
    A, truth = planted_affinity([20] * 3, between=0.05)
    B = LocalSearch().prepare(A)
    rng = np.random.default_rng(0)
    for _ in range(5):
        (begun,) = draws_around(truth, 1, 0.3, seed=rng)
        labels = polished(B, begun, 0.5 / 20, 1.0, seed=0)
        assert partition_objective(labels, B, 0.5 / 20, 1.0) <= partition_objective(begun, B, 0.5 / 20, 1.0)
        assert adjusted_rand_score(truth, labels) == 1.0
    np.testing.assert_array_equal(polished(B, truth, 0.5 / 20, 1.0, seed=0), truth)


@pytest.mark.parametrize("K", [1, 2, 4, 7])
def test_so_many_clusters_as_are_asked_for_come_out(K):
    A, truth = planted_affinity([20] * 4, between=0.05)
    model = SCAMS(n_clusters=K, affinity="precomputed", random_state=0).fit(A)
    assert model.n_clusters_ == K
    assert len(np.unique(model.partition_)) == K
    if K == 4:
        assert adjusted_rand_score(truth, model.partition_) == 1.0
    if K == 2:  # clusters are merged whole
        assert all(len(np.unique(model.partition_[truth == k])) == 1 for k in range(4))


def test_a_number_that_no_gamma_gives_is_reached_by_merging():
    A = np.kron(np.eye(4), np.ones((10, 10))) + 0.01  # four alike: gamma gives one, four or forty
    model = SCAMS(n_clusters=3, affinity="precomputed", random_state=0).fit(A)
    assert np.bincount(model.partition_).tolist() in ([20, 10, 10], [10, 20, 10], [10, 10, 20])
    assert any("3 were asked for" in note for note in model.result_.notes)


def test_the_share_decides_and_a_number_that_hangs_on_it_is_said():
    A, _ = planted_affinity([20] * 2, between=0.2)
    few = SCAMS(affinity="precomputed", share=0.3, random_state=0).fit(A)
    one = SCAMS(affinity="precomputed", share=0.05, random_state=0).fit(A)
    assert (few.n_clusters_, one.n_clusters_) == (2, 1)
    close = SCAMS(affinity="precomputed", share=0.155, random_state=0).fit(A)
    assert any("depends on share" in note for note in close.result_.notes)
    assert not any("depends on share" in note for note in one.result_.notes)


def test_the_path_has_the_labels_along_gamma():
    A, truth = planted_affinity([20] * 3, between=0.05)
    path = SCAMS(affinity="precomputed", random_state=0).fit(A).path()
    assert path[0].n_clusters == 1
    found = [adjusted_rand_score(truth, point.labels) for point in path if point.n_clusters == 3]
    assert max(found) == 1.0
    assert len(SCAMS(affinity="precomputed", random_state=0).fit(A).path([0.5, 1.0])) == 2


def test_a_graph_of_neighbours_is_cut_where_it_is_thin():
    rng = np.random.default_rng(0)
    X = gaussians(np.repeat(np.arange(3), 60), [[0, 0], [12, 0], [0, 12]], rng)
    for affinity in ("neighbors", NeighborGraph(n_neighbors=8)):
        model = SCAMS(affinity=affinity, random_state=0).fit(X)
        assert model.n_clusters_ == 3
        assert adjusted_rand_score(np.repeat([0, 1, 2], 60), model.labels_) == 1.0
    assert (model.predict(X + 0.01) == model.labels_).all()


def blobs(sizes, seed=0):
    rng, truth = np.random.default_rng(seed), np.repeat(np.arange(len(sizes)), sizes)
    return gaussians(truth, 1000.0 * rng.permutation(len(sizes))[:, None] * np.array([1.0, 0.3]), rng), truth


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    "sizes",
    [(20, 20), (12,) * 5, (40,) * 3, (12, 60), (11, 12, 30, 60), (15,) * 8, (60,) * 2, (3,), (20,), (60,)],
    ids=str,
)
def test_blobs_far_apart_stay_apart_however_few_items_they_have(sizes, seed):
    # Of at least n_neighbors + 1 = 11 items: those of smaller blobs have neighbours in other ones.
    X, truth = blobs(sizes, seed)
    model = SCAMS(random_state=0).fit(X)
    assert model.n_clusters_ == len(sizes)
    assert adjusted_rand_score(truth, model.partition_) == adjusted_rand_score(truth, model.labels_) == 1.0


@pytest.mark.parametrize("method", ["local", "admm"])
@pytest.mark.parametrize(("K", "n"), [(1, 3), (2, 2), (2, 20), (3, 3), (5, 3), (8, 4)])
def test_blocks_stay_apart_however_small_they_are(K, n, method):
    A, truth = np.kron(np.eye(K), np.ones((n, n))), np.repeat(np.arange(K), n)
    model = SCAMS(affinity="precomputed", method=method, random_state=0).fit(A)
    np.testing.assert_array_equal(model.partition_, truth)
    assert not any("no affinity" in note for note in model.result_.notes)


@pytest.mark.parametrize("method", ["local", "admm"])
def test_a_price_that_joins_what_shares_no_affinity_is_said_once(method):
    A = np.kron(np.eye(3), np.ones((4, 4)))
    joined = SCAMS(affinity="precomputed", method=method, price=5.0, random_state=0).fit(A)
    assert joined.n_clusters_ == 1
    assert sum("share no affinity" in note for note in joined.result_.notes) == 1
    apart = SCAMS(affinity="precomputed", method=method, price=0.5, random_state=0).fit(A)
    assert apart.n_clusters_ == 3
    assert not any("share no affinity" in note for note in apart.result_.notes)


@pytest.mark.parametrize(
    "options",
    [
        {"gamma": 0.3},
        {"theta": 0.7},
        {"share": 0.1},
        {"price": 9.0},
        {"price": 1.0},
        {"affinity_scale": "none"},
        {"gamma": 0.3, "price": 9.0},
    ],
    ids=str,
)
def test_an_admm_and_what_it_says_itself_are_refused_together(options):
    A, _ = planted_affinity([20] * 3, between=0.05)
    with pytest.raises(InputError) as raised:
        SCAMS(affinity="precomputed", method=ADMM.paper(), **options).fit(A)
    assert all(f"{name}={value!r}" in str(raised.value) for name, value in options.items())
    assert SCAMS(affinity="precomputed", method=ADMM.paper(), affinity_scale="sym", polish=True).fit(A).gamma_ == 0.005


@pytest.mark.parametrize("n_clusters", [3, "eigengap"])
@pytest.mark.parametrize("options", [{"gamma": 0.3}, {"theta": 0.7}, {"share": 0.1}], ids=str)
def test_a_number_of_clusters_and_what_a_pair_costs_are_refused_together(n_clusters, options):
    A, truth = planted_affinity([20] * 3, between=0.05)
    with pytest.raises(InputError, match=f"{next(iter(options))}=.* n_clusters={n_clusters!r}"):
        SCAMS(n_clusters, affinity="precomputed", **options).fit(A)
    plain = SCAMS(n_clusters, affinity="precomputed", affinity_scale="none", price=0.5, random_state=0).fit(A)
    assert adjusted_rand_score(truth, plain.partition_) == 1.0
    assert plain.objective_ == pytest.approx(partition_objective(plain.partition_, A, plain.gamma_, 0.5), rel=1e-12)


@pytest.mark.parametrize("polish", [False, True])
@pytest.mark.parametrize("method", ["local", "admm", ADMM(), ADMM(scale="mean", zero_diagonal=False), ADMM.paper()])
def test_every_method_reports_the_objective_without_the_diagonal(method, polish):
    A, _ = planted_affinity([20] * 4, between=0.05)
    A += np.diag(1.0 + np.random.default_rng(0).random(len(A)))
    model = SCAMS(affinity="precomputed", method=method, polish=polish, random_state=0).fit(A)
    if isinstance(method, ADMM):
        B, lam = method.prepare(A), method.lam
    else:
        B, lam = LocalSearch().prepare(A), model.search_.lam
        assert (
            model.search_.objective
            == model.objectives_["local"]
            == pytest.approx(partition_objective(model.search_.labels, B, model.gamma_, lam), rel=1e-12)
        )
    np.fill_diagonal(B, 0.0)
    assert model.objective_ == pytest.approx(partition_objective(model.partition_, B, model.gamma_, lam), rel=1e-12)
    assert model.objective_ in model.objectives_.values()
    scale = method.scale if isinstance(method, ADMM) else "sym"
    C = LocalSearch(gamma=0.0, scale=scale).prepare(A)  # without its diagonal before it is scaled, too
    for point in model.path([0.5, 1.0]):
        assert point.objective == pytest.approx(partition_objective(point.labels, C, point.gamma, point.lam), rel=1e-12)
        assert point.lam == lam


def test_rows_permuted_and_copied_are_answered_alike():
    X, _ = subspaces((2, 3, 4))
    order = np.random.default_rng(0).permutation(len(X))
    model = SCAMS(affinity="lrr", random_state=0).fit(X)
    moved = SCAMS(affinity="lrr", random_state=0).fit(X[order])
    np.testing.assert_allclose(moved.membership_, model.membership_[order], atol=1e-12)
    np.testing.assert_array_equal(moved.partition_, model.partition_[order])
    twice = SCAMS(affinity="lrr", random_state=0).fit(np.concatenate([X, X[:7]]))
    np.testing.assert_array_equal(twice.partition_[len(X) :], twice.partition_[:7])


def test_links_are_heard_by_the_membership():
    A, _truth = planted_affinity([20] * 3, between=0.05)
    model = SCAMS(affinity="precomputed", random_state=0).fit(A, must_link=[[0, 1], [1, 2]])
    assert len(set(model.labels_[:3])) == 1
    assert len(set(model.partition_[:3])) == 1


@pytest.mark.parametrize("method", ["local", "admm", ADMM(theta=0.5)])
def test_a_model_is_saved_and_loaded(method, tmp_path):
    X, _ = subspaces((2, 4))
    model = SCAMS(affinity=LowRankRepresentation(alpha=3), method=method, random_state=0).fit(X)
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.get_params()["method"] == method
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.n_clusters_ == 2


@pytest.mark.parametrize("N", [1, 2, 3])
def test_few_items(N):
    model = SCAMS(affinity="precomputed", random_state=0).fit(np.ones((N, N)))
    assert model.n_clusters_ == 1
    assert model.membership_.shape == (N, 1)


def test_what_does_not_go_together_is_refused(monkeypatch):
    A, _ = planted_affinity([20] * 3, between=0.05)
    with pytest.raises(InputError, match=r"share .*theta"):
        SCAMS(affinity="precomputed", share=0.1, theta=0.5).fit(A)
    with pytest.raises(InputError, match="gamma, "):
        SCAMS(affinity="precomputed", affinity_scale="none").fit(A)
    with pytest.raises(InputError, match=r"n_clusters=3: .*method='local'"):
        SCAMS(n_clusters=3, affinity="precomputed", method="admm").fit(A)
    with pytest.raises(InputError, match="n_clusters=61"):
        SCAMS(n_clusters=61, affinity="precomputed").fit(A)
    B = A.copy()
    B[0, 5] = B[5, 0] = np.nan
    with pytest.raises(InputError, match="normalization='symmetric'"):
        SCAMS(affinity="precomputed", missing="unobserved").fit(B)
    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", str(1 << 19))
    with pytest.raises(MemoryLimitError, match="360 x 360"):
        SCAMS(affinity="precomputed", method="admm", random_state=0).fit(
            sp.csr_array(np.kron(np.eye(60), np.ones((6, 6))))
        )
