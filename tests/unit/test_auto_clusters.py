"""`n_clusters="auto"`: the verdict becomes the number of clusters, whatever the evidence, and keeps its laws."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from partita import (
    SCAMS,
    BaumEagon,
    CopositiveFactorization,
    KernelKMeans,
    SoF,
    SoftClustering,
    SpectralRelaxation,
    SymNMF,
    load,
    save,
)
from partita.affinity import (
    Builder,
    DenseAffinity,
    Landmarks,
    LowRankAffinity,
    MatchingPursuit,
    NeighborGraph,
    Nystrom,
    RandomFeatures,
    RelativeDistance,
)
from partita.errors import InputError, UnsureWarning
from partita.estimators import choosing
from partita.estimators.choosing import Choice, Choose, EvidenceByK
from partita.estimators.groups import Groups
from partita.estimators.items import Items, merge_identical
from partita.estimators.model import Model
from partita.metrics import adjusted_rand_index
from partita.n_clusters import KEvidence, Verdict, judge_all
from partita.objectives import SoFObjective
from synthetic import gaussians

ESTIMATORS = [SoF, SoftClustering, BaumEagon, SymNMF, CopositiveFactorization, KernelKMeans, SpectralRelaxation]
CENTRES = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0], [10.0, 10.0], [21.0, 5.0]])
QUICK = {"random_state": 0, "n_init": 2, "max_iter": 300}

each = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda kind: kind.__name__)
# One cluster is what criteria are least sure of: they say so, which is tested by itself.
unsure = pytest.mark.filterwarnings("ignore::partita.errors.UnsureWarning")
quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def blobs(K, n=50, seed=0):
    """K normal clusters of n items, ten standard deviations apart at least."""
    truth = np.repeat(np.arange(K), n)
    return gaussians(truth, CENTRES, np.random.default_rng([K, seed])), truth


def _ordered(X):
    """The distinct items in their order: by the feature of widest range."""
    return X[np.argsort(X[:, int(np.ptp(X, axis=0).argmax())])]


def torn(X):
    """Some cells missing, none of two in one row."""
    X = X.copy()
    X[::9, 0], X[4::9, 1] = np.nan, np.nan
    return X


# The right number


@quiet
@unsure
@pytest.mark.parametrize("K", range(1, 6))
@each
def test_planted_clusters_are_counted_and_found(estimator, K):
    X, truth = blobs(K)
    model = estimator("auto", **QUICK).fit(X)
    assert model.n_clusters_ == model.verdict_.n_clusters == K
    assert type(model.n_clusters_) is int
    assert model.n_clusters == "auto"
    assert model.membership_.shape == (len(X), K)
    np.testing.assert_allclose(model.membership_.sum(axis=1), 1.0, atol=1e-9)
    assert adjusted_rand_index(model.labels_, truth) > 0.99


def test_the_verdict_is_that_of_the_criteria_on_the_distinct_scaled_features():
    X, _ = blobs(3)
    model = SoftClustering("auto", random_state=4, affinity="neighbors", probabilities="fitted").fit(X)
    expected = judge_all(KEvidence(features=_ordered(X), seed=4))
    np.testing.assert_array_equal(model.verdict_.probabilities, expected.probabilities)
    assert [j.n_clusters for j in model.verdict_.judgements] == [j.n_clusters for j in expected.judgements]
    stretched = X * [1.0, 1e6]
    scaled = SoftClustering(
        "auto", scale_features="standard", random_state=4, affinity="neighbors", probabilities="fitted"
    ).fit(stretched)
    assert scaled.n_clusters_ == 3


def evidence(name, X):
    P = np.exp(-cdist(X, X) / 2)
    graph = NeighborGraph().build(X, n_clusters=len(X)).affinity.as_sparse()
    return {
        "dense affinity": lambda: (P, "precomputed"),
        "sparse affinity": lambda: (sp.csr_array(graph), "precomputed"),
        "Affinity": lambda: (DenseAffinity(P), "precomputed"),
        "low-rank Affinity": lambda: (LowRankAffinity(np.eye(3)[np.arange(150) // 50] + 0.05), "precomputed"),
        "distances": lambda: (cdist(X, X), "precomputed_distance"),
        "other metric": lambda: (X, NeighborGraph(metric="cityblock")),
        "balanced": lambda: (X, RelativeDistance(scale="balanced")),
        "ensemble": lambda: (np.c_[X, X] * [1.0, 1.0, 1.0, 1000.0], "ensemble"),
        "landmarks": lambda: (X, Landmarks()),
        "nystrom": lambda: (X, Nystrom()),
    }[name]()


@pytest.mark.parametrize(
    "name",
    [
        "dense affinity",
        "sparse affinity",
        "Affinity",
        "low-rank Affinity",
        "distances",
        "other metric",
        "balanced",
        "ensemble",
        "landmarks",
        "nystrom",
    ],
)
@pytest.mark.parametrize("estimator", [SoF, SoftClustering])
def test_every_evidence_tells_three_clusters(estimator, name):
    X, truth = blobs(3)
    given, affinity = evidence(name, X)
    model = estimator("auto", affinity=affinity, **QUICK).fit(given)
    assert model.n_clusters_ == 3
    fixed = clone(model).set_params(n_clusters=3).fit(given)
    assert adjusted_rand_index(model.labels_, fixed.labels_) == 1.0
    of_points = name in ("distances", "dense affinity", "Affinity") and estimator is SoftClustering
    by_draws = name == "ensemble" or of_points
    if not by_draws:  # there the draws at many numbers are the evidence, not new ones at this number
        np.testing.assert_array_equal(model.membership_, fixed.membership_)
    if estimator is SoftClustering:
        assert adjusted_rand_index(model.labels_, truth) == 1.0


def test_random_features_are_judged_as_features():
    X, _ = blobs(3)
    assert SymNMF("auto", affinity=RandomFeatures(), **QUICK).fit(X).n_clusters_ == 3


def test_subspaces_are_judged_by_their_affinity_and_not_by_distance():
    # Three subspaces through the origin: one cloud by distance, three sets by what spans them.
    rng = np.random.default_rng(0)
    bases = [np.linalg.qr(rng.normal(size=(12, 3)))[0] for _ in range(3)]
    X = np.concatenate([rng.normal(size=(50, 3)) @ basis.T for basis in bases])
    model = SoftClustering("auto", affinity="ssc-omp", random_state=0, probabilities="fitted").fit(X)
    expected = judge_all(KEvidence(affinity=MatchingPursuit().build(_ordered(X), n_clusters=2).affinity))
    np.testing.assert_array_equal(model.verdict_.probabilities, expected.probabilities)
    assert model.n_clusters_ == 3
    assert judge_all(KEvidence(features=X)).n_clusters == 1


@pytest.mark.parametrize("estimator", [SoF, SoftClustering])
def test_missing_cells_are_judged_by_the_graph_of_what_is_there(estimator):
    X, _ = blobs(3)
    model = estimator("auto", affinity="neighbors", missing="unobserved", **QUICK).fit(torn(np.c_[X, X]))
    assert model.n_clusters_ == 3
    assert "hdbscan_count" not in [j.criterion for j in model.verdict_.judgements]


def test_edges_of_separate_groups_are_counted():
    matrix = sp.block_diag([np.ones((25, 25))] * 4, format="csr")
    assert (
        SoftClustering("auto", affinity="precomputed", random_state=0, probabilities="fitted").fit(matrix).n_clusters_
        == 4
    )


# Few items, and all alike


@unsure
@quiet
@pytest.mark.parametrize("n", [1, 2, 3])
@each
def test_a_handful_of_items_has_an_answer(estimator, n):
    X = np.random.default_rng(0).normal(size=(n, 2))
    model = estimator("auto", **QUICK).fit(X)
    assert 1 <= model.n_clusters_ <= n
    assert model.labels_.shape == (n,)
    if n <= 2:
        assert model.n_clusters_ == 1


@unsure
@quiet
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_handful_of_given_pairs_has_an_answer(n):
    P = np.full((n, n), 0.5) + 0.5 * np.eye(n)
    assert 1 <= SoftClustering("auto", affinity="precomputed", probabilities="fitted").fit(P).n_clusters_ <= n
    D = np.ones((n, n)) - np.eye(n)
    assert 1 <= SoftClustering("auto", affinity="precomputed_distance", probabilities="fitted").fit(D).n_clusters_ <= n


@each
def test_equal_rows_are_one_cluster(estimator):
    model = estimator("auto", **QUICK).fit(np.full((30, 3), 7.0))
    assert model.n_clusters_ == 1
    assert not model.labels_.any()
    np.testing.assert_array_equal(model.membership_, 1.0)


@unsure
def test_equal_affinities_are_one_cluster():
    assert (
        SoftClustering("auto", affinity="precomputed", probabilities="fitted").fit(np.ones((30, 30))).n_clusters_ == 1
    )


# Laws


@unsure
def test_the_same_seed_gives_the_same_verdict_and_none_is_a_seed_too():
    X = np.random.default_rng(3).normal(size=(200, 2))
    for seed in (5, None):
        first, second = (
            SoftClustering("auto", random_state=seed, affinity="neighbors", probabilities="fitted").fit(X).verdict_
            for _ in range(2)
        )
        np.testing.assert_array_equal(first.probabilities, second.probabilities)
        assert [j.n_clusters for j in first.judgements] == [j.n_clusters for j in second.judgements]


@unsure
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_rows_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.normal(size=(60, 2)), rng.normal([3.5, 0.0], 1.0, size=(90, 2))])
    order = rng.permutation(150)
    first, second = (
        SoftClustering("auto", random_state=0, affinity="neighbors", probabilities="fitted").fit(Z)
        for Z in (X, X[order])
    )
    assert first.n_clusters_ == second.n_clusters_
    np.testing.assert_array_equal(first.verdict_.probabilities, second.verdict_.probabilities)
    assert adjusted_rand_index(first.labels_[order], second.labels_) == 1.0


def test_weights_are_copies_and_zero_leaves_out():
    X, _ = blobs(3)
    weights = np.random.default_rng(0).integers(0, 3, len(X))
    weights[100:] = 0  # the third cluster is left out
    weighted = SoftClustering("auto", random_state=0, affinity="neighbors", probabilities="fitted").fit(
        X, sample_weight=weights
    )
    copied = SoftClustering("auto", random_state=0, affinity="neighbors", probabilities="fitted").fit(
        np.repeat(X, weights, axis=0)
    )
    assert weighted.n_clusters_ == copied.n_clusters_ == 2
    np.testing.assert_array_equal(weighted.verdict_.probabilities, copied.verdict_.probabilities)
    assert weighted.membership_.shape == (150, 2)


def test_weights_of_given_pairs_reach_the_criteria():
    X, _ = blobs(3)
    P = np.exp(-cdist(X, X) / 2)
    weights = np.r_[np.random.default_rng(0).integers(1, 5, 100), np.zeros(50)]
    model = SoftClustering("auto", affinity="precomputed", random_state=0, probabilities="fitted").fit(
        P, sample_weight=weights
    )
    assert model.n_clusters_ == 2
    expected = judge_all(KEvidence(affinity=P[:100, :100], weights=weights[:100]))
    plain = judge_all(KEvidence(affinity=P[:100, :100]))
    scores = [{j.criterion: j.scores for j in v.judgements} for v in (model.verdict_, expected, plain)]
    np.testing.assert_array_equal(scores[0]["eigengap_ratio"], scores[1]["eigengap_ratio"])
    assert (scores[0]["eigengap_ratio"] != scores[2]["eigengap_ratio"]).any()


# Constraints


def test_must_links_hold_and_do_not_move_the_number():
    X, _ = blobs(3)
    model = SoftClustering("auto", random_state=0, affinity="neighbors", probabilities="fitted")
    links = [[0, 60], [60, 110]]  # across all three
    assert model.fit(X, must_link=links).n_clusters_ == 3
    np.testing.assert_array_equal(model.membership_[0], model.membership_[60])
    np.testing.assert_array_equal(model.membership_[0], model.membership_[110])
    np.testing.assert_array_equal(model.verdict_.probabilities, clone(model).fit(X).verdict_.probabilities)


def test_must_links_that_leave_fewer_items_cap_the_number():
    X, _ = blobs(3)
    chain = np.stack([np.arange(149), np.arange(1, 150)], axis=1)
    joined = chain[chain[:, 0] != 99]  # two groups are left
    model = SoftClustering("auto", random_state=0, affinity="neighbors", probabilities="fitted").fit(
        X, must_link=joined
    )
    assert (model.n_clusters_, model.verdict_.n_clusters) == (2, 2)
    assert model.verdict_.probabilities[2:].sum() == 0
    assert model.verdict_.probabilities.sum() == pytest.approx(1)
    assert any("must-links" in note for note in model.result_.notes)
    assert (
        SoftClustering("auto", random_state=0, affinity="neighbors", probabilities="fitted")
        .fit(X, must_link=chain)
        .n_clusters_
        == 1
    )


@unsure
def test_cannot_links_need_two_clusters():
    X, _ = blobs(1)
    free = SoftClustering("auto", random_state=0, affinity="neighbors", probabilities="fitted").fit(X)
    model = clone(free).fit(X, cannot_link=[[0, 1]])
    assert free.n_clusters_ == 1
    assert model.n_clusters_ >= 2
    assert any("cannot-links" in note for note in model.result_.notes)


def test_a_choice_is_brought_to_the_most_probable_number_that_is_allowed():
    probabilities = np.array([0.1, 0.2, 0.1, 0.5, 0.1])
    verdict = Verdict(4, 0.5, probabilities, (2, 4), (), {}, False, ())
    chosen = Choice(4, start=np.zeros(9, dtype=np.int64), verdict=verdict)
    items = merge_identical(np.arange(5.0)[:, None])
    free = chosen.within(Groups.of(items))
    assert free.verdict is verdict
    assert (free.n_clusters, free.start) == (4, chosen.start)
    brought = chosen.within(Groups.of(items, must_link=[[0, 1], [1, 2]]))
    assert (brought.n_clusters, brought.start) == (2, None)
    told = brought.verdict  # as if more than three were not possible
    assert (told.n_clusters, told.likely) == (2, (1, 2, 3))
    np.testing.assert_allclose(told.probabilities, [0.25, 0.5, 0.25, 0, 0])
    assert told.sure == told.probabilities[1]
    assert Choice(7).within(Groups.of(items)).n_clusters == 5
    assert Choice(1).within(Groups.of(items, cannot_link=[[0, 1]])).n_clusters == 2


# What cannot be judged


def test_pairs_that_were_not_observed_ask_for_a_number():
    P = np.exp(-cdist(*[blobs(2, 20)[0]] * 2))
    torn = P.copy()
    torn[0, 5] = torn[5, 0] = np.nan
    with pytest.raises(InputError, match=r"n_clusters='auto'(?!.*pair_weight)"):
        SoF("auto", affinity="precomputed", missing="unobserved").fit(torn)
    weight = np.ones_like(P)
    weight[0, 5] = weight[5, 0] = 0
    with pytest.raises(InputError, match="pair_weight"):
        SoF("auto", affinity="precomputed").fit(P, pair_weight=weight)
    assert SoF(2, affinity="precomputed", **QUICK).fit(P, pair_weight=weight).n_clusters_ == 2


def test_an_affinity_on_dask_workers_asks_for_a_number():
    pytest.importorskip("dask", reason="the extra 'dask' is not installed")
    from partita.affinity.distributed import DistributedAffinity

    P = DistributedAffinity.from_matrix(sp.block_diag([np.ones((20, 20))] * 2, format="csr"), 2)
    with pytest.raises(InputError, match="Dask"):
        SoftClustering("auto", affinity="precomputed", probabilities="fitted").fit(P)
    assert SoftClustering(2, affinity="precomputed", probabilities="fitted").fit(P).n_clusters_ == 2


def test_a_tensor_is_judged_where_it_lies():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    P = np.exp(-cdist(*[blobs(3)[0]] * 2) / 2)
    model = SoF("auto", affinity="precomputed", **QUICK).fit(torch.tensor(P))
    np.testing.assert_allclose(
        model.verdict_.probabilities, SoF("auto", affinity="precomputed", **QUICK).fit(P).verdict_.probabilities
    )


# How sure


def test_criteria_that_disagree_on_an_improbable_number_warn_once():
    X = np.random.default_rng(3).normal(size=(200, 2))
    with pytest.warns(UnsureWarning, match="n_clusters='auto'") as caught:
        model = SoftClustering("auto", random_state=0, affinity="neighbors", probabilities="fitted").fit(X)
    assert len([w for w in caught if issubclass(w.category, UnsureWarning)]) == 1
    assert caught[0].filename == __file__
    assert model.verdict_.disagree
    assert model.verdict_.sure < 0.5
    assert set(model.verdict_.notes) <= set(model.result_.notes)


def test_criteria_that_agree_say_nothing():
    X, _ = blobs(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SoftClustering("auto", random_state=0, affinity="neighbors", probabilities="fitted").fit(X)
    assert not model.verdict_.disagree
    assert not model.result_.notes


@pytest.mark.parametrize("of", ["few items", "categories"])
def test_an_improbable_number_that_nothing_contradicts_is_warned_of(of):
    X = np.array([[0.0, 0.0], [1.0, 2.0], [5.0, 1.0]])
    if of == "categories":
        pd = pytest.importorskip("pandas")
        X = pd.DataFrame({"a": list("xy" * 50), "b": list("xxyy" * 25)})
    with pytest.warns(UnsureWarning, match="n_clusters='auto'") as caught:
        model = SoftClustering(random_state=0).fit(X)
    assert model.verdict_.sure < 0.5
    assert not model.verdict_.disagree
    assert f"{model.verdict_.sure:.2f}" in str(caught[0].message)


def test_a_criterion_that_was_asked_for_is_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnsureWarning)
        model = SoftClustering("eigengap_ratio", random_state=0, affinity="neighbors").fit(blobs(3)[0])
    assert model.verdict_.sure < 0.5


def test_a_given_number_leaves_no_verdict_behind():
    X, _ = blobs(3)
    model = SoftClustering("auto", random_state=0, affinity="neighbors", probabilities="fitted").fit(X)
    assert hasattr(model, "verdict_")
    assert not hasattr(model.set_params(n_clusters=2).fit(X), "verdict_")


# Around the fit


@each
def test_a_saved_model_comes_back_with_the_parameter_and_without_the_verdict(estimator, tmp_path):
    X, _ = blobs(2, 20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = estimator("auto", **QUICK).fit(X)
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.n_clusters == "auto"
    assert again.n_clusters_ == model.n_clusters_ == 2
    assert not hasattr(again, "verdict_")
    np.testing.assert_array_equal(again.predict_proba(X + 0.1), model.predict_proba(X + 0.1))


@pytest.mark.parametrize("probabilities", ["calibrated", "averaged"])
def test_calibration_keeps_the_number(probabilities, monkeypatch):
    X, _ = blobs(3)
    asked, judge = [], choosing.judged
    monkeypatch.setattr(choosing, "judged", lambda *given: asked.append(1) or judge(*given))
    model = SoftClustering("auto", probabilities=probabilities, random_state=0, affinity="neighbors").fit(X)
    assert len(asked) == 1  # fits to resamples take the number that was found
    fixed = SoftClustering(3, probabilities=probabilities, random_state=0, affinity="neighbors").fit(X)
    np.testing.assert_array_equal(model.membership_, fixed.membership_)
    assert model.calibration_.stability > 0.9


def test_a_stopped_fit_goes_on_with_the_same_number(tmp_path):
    X, _ = blobs(3)
    options = {"random_state": 0, "start": "dirichlet", "n_init": 3, "tol": 0.0, "max_iter": 40}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = SoF("auto", **options).fit(X)
        stopped = SoF("auto", checkpoint=tmp_path / "kept", max_seconds=1e-9, **options).fit(X)
        assert stopped.result_.status == "max_seconds"
        assert (tmp_path / "kept").exists()
        resumed = SoF("auto", checkpoint=tmp_path / "kept", **options).fit(X)
    assert resumed.n_clusters_ == whole.n_clusters_ == 3
    np.testing.assert_array_equal(resumed.membership_, whole.membership_)


def as_many_as_pieces(evidence: EvidenceByK, groups: Groups) -> Choice:
    pieces = sp.csgraph.connected_components(evidence.before_k().evidence.affinity.as_sparse())[1]
    assert len(pieces) == 150
    return Choice(int(pieces.max()) + 1, start=pieces.astype(np.int64), notes=("as many as pieces",))


class _Given(SoftClustering):
    """Answers with a partition of its own, as an estimator may."""

    def _choose(self, builder: Builder) -> Choose:
        return as_many_as_pieces


def test_an_estimator_may_choose_by_itself_and_start_from_its_partition():
    X, truth = blobs(3)
    model = _Given(affinity="neighbors", random_state=0).fit(np.r_[X, X[:9]], must_link=[[0, 1], [70, 71]])
    assert model.n_clusters_ == 3
    assert not hasattr(model, "verdict_")
    assert "as many as pieces" in model.result_.notes
    assert model.result_.restarts[0].start == "given"
    assert adjusted_rand_index(model.labels_[:150], truth) == 1.0


def test_evidence_built_to_choose_by_is_not_built_again_where_it_serves():
    X, _ = blobs(2, 20)

    def by_k(builder):
        return EvidenceByK(builder, Model(SoFObjective()), Items.of(X, None, builder), X, 0)

    for builder in (RelativeDistance(), Landmarks(n_landmarks=10)):
        one = by_k(builder)
        built = one.before_k()
        assert one.of(Choice(2, built=built)) is one.of(Choice(3, built=built)) is built
    graph = by_k(NeighborGraph())
    built = graph.at(2)
    assert graph.of(Choice(2, built=built)) is built
    assert graph.of(Choice(3, built=built)) is not built
    pieces = sp.csgraph.connected_components
    assert pieces(graph.before_k().evidence.affinity.as_sparse())[0] == 2
    assert pieces(graph.at(1).evidence.affinity.as_sparse())[0] == 1


def test_scikit_learns_checks():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(SoftClustering("auto", affinity="neighbors", probabilities="fitted"))


# One criterion by its name


@pytest.mark.parametrize("name", ["conductance_jump", "eigengap_ratio", "silhouette"])
def test_a_criterion_asked_by_name_decides_alone(name):
    X, truth = blobs(4)
    model = SoftClustering(name, random_state=0, affinity="neighbors", probabilities="fitted").fit(X)
    said = judge_all(KEvidence(features=X), [name])
    assert model.n_clusters_ == said.n_clusters == 4
    assert [one.criterion for one in model.verdict_.judgements] == [name]
    assert adjusted_rand_index(model.labels_, truth) == 1.0


def test_scams_takes_the_number_of_a_criterion():
    X, truth = blobs(3)
    model = SCAMS("conductance_jump", random_state=0).fit(X)
    assert model.n_clusters_ == 3
    assert adjusted_rand_index(model.partition_, truth) == 1.0
    with pytest.raises(InputError, match="Algorithm 1"):
        SCAMS("conductance_jump", method="admm").fit(X)


def test_a_name_that_no_criterion_has_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match="'conductance'"):
        SoftClustering("conductance", affinity="neighbors", probabilities="fitted").fit(blobs(2)[0])
    with pytest.raises(InputError, match="features"):
        SoftClustering("silhouette", affinity="precomputed", probabilities="fitted").fit(
            np.kron(np.eye(3), np.ones((9, 9))) + 0.01
        )


def test_a_fit_builds_evidence_once_where_it_does_not_depend_on_the_number(monkeypatch):
    X, _ = blobs(3, 20)
    asked, build = [], MatchingPursuit.build
    monkeypatch.setattr(
        MatchingPursuit, "build", lambda self, *given, **how: asked.append(1) or build(self, *given, **how)
    )
    SoftClustering("auto", affinity="ssc-omp", random_state=0).fit(X)
    assert len(asked) == 1


def test_cannot_links_rule_one_cluster_out_in_the_verdict_too():
    rng, truth = np.random.default_rng(0), np.repeat([0, 1], 150)
    X = rng.normal(size=(300, 2)) + 2.2 * np.c_[truth, 0 * truth]
    assert SoftClustering(random_state=0).fit(X).n_clusters_ == 1
    model = SoftClustering(random_state=0).fit(X, cannot_link=np.c_[np.arange(40), np.arange(150, 190)])
    assert model.n_clusters_ >= 2
    assert model.verdict_.probability_of(1) == 0
    assert model.verdict_.n_clusters == model.n_clusters_
