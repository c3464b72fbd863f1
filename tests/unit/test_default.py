"""The answer without options: what is taken, what is said of it, bounds, other numbers, and no empty clusters."""

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

import partita
from partita import SoF, SoftClustering, SymNMF, load, save
from partita.affinity import DenseAffinity, NeighborGraph
from partita.calibration import calibrate_if_trusted
from partita.cli.estimator_options import estimator_of
from partita.cli.options import FitOptions
from partita.ensemble import Ensemble
from partita.ensemble.base import Member
from partita.ensemble.builder import _far
from partita.ensemble.consensus import PAST, _AtNumber, _Draws
from partita.errors import InputError
from partita.estimators import pipeline, plan
from partita.estimators.choosing import Choice, why_so_many
from partita.estimators.mixed_table import MixedTable
from partita.kernels.eigen import TAKES_RNG
from partita.metrics import adjusted_rand_index
from partita.n_clusters import KEvidence, judge_all
from partita.n_clusters.valley import valley_test
from synthetic import blobs

X, TRUTH = blobs(150)


@pytest.fixture(scope="module")
def fitted():
    return SoftClustering(random_state=0).fit(X)


@pytest.mark.parametrize(
    ("options", "table", "named"),
    [
        ({}, X * [1, 6], "column 1"),
        ({}, X * [1, 1000], None),  # units that differ are seen
        ({"scale_features": "standard"}, X * [1, 6], None),
        ({"affinity": "neighbors", "scale_features": "none"}, X * [1000, 1], "column 0"),
        ({"affinity": NeighborGraph(metric="cosine"), "scale_features": "none"}, X * [1000, 1], None),
    ],
)
def test_a_column_that_decides_every_distance_is_named(options, table, named):
    notes = SoftClustering(3, random_state=0, **options).fit(table).result_.notes
    assert [note.split(" holds")[0] for note in notes if "variance" in note] == ([named] if named else [])


def test_a_column_of_a_frame_that_decides_every_distance_is_named_by_its_name():
    pd = pytest.importorskip("pandas")
    notes = SoftClustering(3, random_state=0).fit(pd.DataFrame(X * [1, 6], columns=["cm", "mm"])).result_.notes
    assert any(note.startswith("column 'mm' holds") for note in notes)


def test_words_of_which_most_differ_are_no_category_of_a_frame():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(X, columns=["a", "b"]).assign(id=[f"s{at}" for at in range(149)] + ["s0"])
    with pytest.raises(InputError, match="149 different words"):
        SoftClustering(3).fit(table)
    few = table.assign(id=[f"s{at % 60}" for at in range(150)])
    assert len(SoftClustering(3, random_state=0).fit(few).encoding_.labels) == 62
    SoftClustering(3, random_state=0).fit(table.astype({"id": "category"}))  # as it was said


def test_new_rows_of_a_fit_with_words_are_a_frame():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(X, columns=["a", "b"]).assign(kind=np.where(TRUTH == 0, "x", "y"))
    model = SoftClustering(3, random_state=0).fit(table)
    with pytest.raises(InputError, match="frame"):
        model.predict(table.to_numpy())


def two_blocks(n=40):
    return sp.block_diag([np.ones((n, n)), np.ones((n, n))], format="csr")


# What is taken, and what is said of it


def test_without_options_it_finds_what_is_there_and_says_what_it_took(fitted):
    assert fitted.n_clusters_ == 3
    assert adjusted_rand_index(fitted.labels_, TRUTH) == 1.0
    assert set(fitted.chosen_) == {"affinity", "sizes", "n_clusters", "probabilities"}
    assert fitted.chosen_["affinity"].value == fitted._builder_.name == "ensemble"
    assert fitted.chosen_["n_clusters"].value == 3
    assert fitted.chosen_["probabilities"].value in ("fitted", "calibrated")
    assert (fitted.chosen_["probabilities"].value == "calibrated") == hasattr(fitted, "calibration_")
    (said,) = [note for note in fitted.result_.notes if note.startswith("chosen here")]
    assert all(f"{name} {taken.value} ({taken.why})" in said for name, taken in fitted.chosen_.items())


@pytest.mark.parametrize("n_far", [1, 6])
@pytest.mark.parametrize("distance", [25.0, 1e6])
def test_a_few_items_far_from_all_others_are_outliers_and_change_no_cluster(n_far, distance):
    rng = np.random.default_rng(0)
    far = rng.normal([distance, 0.0], size=(n_far, 2))
    for rest, K in ((rng.normal(size=(250, 2)), 1), (X, 3)):
        model = SoftClustering(random_state=0).fit(np.r_[rest, far])
        assert model.n_clusters_ == K
        assert (model.labels(outliers=0.5)[-n_far:] == -1).all()
        assert (model.outlier_[:-n_far] > 0.5).mean() <= 0.02
    assert adjusted_rand_index(model.labels_[:-n_far], TRUTH) > 0.95


@pytest.mark.parametrize("n_far", [3, 6])
@pytest.mark.parametrize("n_clusters", [3, "auto"])
def test_few_rows_very_far_from_all_others_do_not_hide_their_clusters(n_far, n_clusters):
    # They decided the spread of their column, in which nothing could be told apart any more.
    far = np.random.default_rng(0).normal([2e3, 0.0], size=(n_far, 2))
    model = SoftClustering(n_clusters, random_state=0).fit(np.r_[X, far])
    assert model.n_clusters_ == 3
    assert adjusted_rand_index(model.labels_[:-n_far], TRUTH) > 0.95
    assert (model.outlier_[-n_far:] > 0.9).all()


def test_a_small_cluster_of_which_a_sample_has_few_items_is_none_of_far_ones():
    rng = np.random.default_rng(0)
    Y = np.r_[rng.normal(size=(9900, 2)), rng.normal([25.0, 0.0], 0.3, size=(30, 2)), [[0.0, 90.0]]]
    seen = np.r_[np.arange(1990), np.arange(9900, 9906), 9930]
    assert np.flatnonzero(_far(Y, seen)).tolist() == [1996]
    assert np.flatnonzero(_far(Y[seen], np.arange(1997))).tolist() == [*range(1990, 1997)]


def test_ten_items_far_from_all_others_are_a_cluster_and_copies_of_one_far_item_are_outliers():
    rng = np.random.default_rng(0)
    rest, far = rng.normal(size=(250, 2)), rng.normal([25.0, 0.0], size=(10, 2))
    assert SoftClustering(random_state=0).fit(np.r_[rest, far]).n_clusters_ == 2
    once = SoftClustering(random_state=0).fit(np.r_[rest, np.repeat(far[:1], 10, axis=0)])
    assert once.n_clusters_ == 1
    assert (once.outlier_[-10:] > 0.9).all()


def test_a_column_that_numbers_the_rows_is_named_in_a_note():
    columns = {"a": X[:, 0], "b": X[:, 1], "visit": np.arange(len(X), dtype=float)[::-1] + 5, "c": X[:, 1].round()}
    model = SoftClustering(random_state=0).fit(MixedTable(tuple(columns), tuple(columns.values())))
    (said,) = [note for note in model.result_.notes if "leave it out" in note]
    assert said.startswith(f"column 'visit' holds each whole number from 5 to {len(X) + 4} once")


def test_what_is_named_is_not_chosen():
    model = SoftClustering(3, affinity="neighbors", probabilities="fitted", random_state=0).fit(X)
    assert not model.chosen_
    assert not model.result_.notes


@pytest.mark.parametrize(
    ("given", "affinity"),
    [(two_blocks(), "graph_ensemble"), (DenseAffinity(two_blocks().toarray()), "precomputed")],
    ids=["sparse", "affinity"],
)
def test_a_graph_is_the_evidence_itself(given, affinity):
    model = SoftClustering(random_state=0).fit(given)
    assert model.chosen_["affinity"].value == affinity
    assert model.chosen_["probabilities"].value == "fitted"
    assert model.n_clusters_ == 2


def test_a_square_array_is_features():
    square = np.random.default_rng(0).normal(size=(12, 12))
    assert SoftClustering(2, random_state=0).fit(square).chosen_["affinity"].value == "ensemble"


def test_random_graphs_are_one_cluster_and_planted_ones_as_many_as_were_planted():
    rng = np.random.default_rng(0)
    block = np.repeat(np.arange(5), 40)
    for within, K in ((0.3, 5), (0.076, 1)):
        chance = np.where(block[:, None] == block, within, 0.02 if K > 1 else within)
        upper = np.triu(rng.random((200, 200)) < chance, 1)
        assert SoftClustering(random_state=0).fit(sp.csr_array((upper | upper.T).astype(float))).n_clusters_ == K


def test_many_rows_get_the_graph(monkeypatch):
    monkeypatch.setattr(plan, "AFFORDED", len(X) - 1)
    many = SoftClustering(3, random_state=0).fit(X)
    assert many.chosen_["affinity"].value == "neighbors"
    monkeypatch.setattr(plan, "AFFORDED", len(X))
    assert SoftClustering(3, random_state=0).fit(X).chosen_["affinity"].value == "ensemble"


def test_the_graph_that_is_chosen_sees_features_in_one_unit_and_one_that_is_named_as_they_are(monkeypatch):
    monkeypatch.setattr(plan, "AFFORDED", 0)
    noise = np.random.default_rng(0).normal(size=len(X))
    scaled = np.c_[X, noise, noise[::-1]] * [1.0, 1.0, 1e4, 1.0]
    options = {"n_clusters": 3, "probabilities": "fitted", "random_state": 0}
    chosen, named = (SoftClustering(affinity=affinity, **options).fit(scaled) for affinity in ("auto", "neighbors"))
    by_hand = SoftClustering(affinity="neighbors", scale_features="standard", **options).fit(scaled)
    np.testing.assert_array_equal(chosen.membership_, by_hand.membership_)
    raw = SoftClustering(affinity="neighbors", scale_features="none", **options).fit(scaled)
    np.testing.assert_array_equal(named.membership_, raw.membership_)
    assert adjusted_rand_index(chosen.labels_, TRUTH) > adjusted_rand_index(named.labels_, TRUTH)


def test_options_of_older_manifests_mean_what_they_meant():
    old = estimator_of(FitOptions(Path("t.csv"), k="3", affinity=None, probabilities=None, scale_features="none"))
    assert (old.affinity.name, old.probabilities, old.scale_features) == ("neighbors", "fitted", "none")
    new = estimator_of(FitOptions(Path("t.csv")))
    assert (new.n_clusters, new.affinity, new.probabilities, new.scale_features) == ("auto", "auto", "auto", "auto")
    described = estimator_of(FitOptions(Path("t.csv"), n_neighbors=5))
    assert (described.affinity.name, described.affinity.n_neighbors) == ("neighbors", 5)


# Bounds, and other numbers


@pytest.mark.parametrize("bounds", [(1, 2), (2, 2), (4, 6), [5, 9]], ids=str)
def test_bounds_hold(bounds):
    model = SoftClustering(n_clusters=bounds, random_state=0, probabilities="fitted").fit(X)
    assert bounds[0] <= model.verdict_.n_clusters or bounds[0] > 3
    assert len(np.unique(model.labels_)) == model.n_clusters_ <= bounds[1]


def test_a_range_of_one_cluster_is_that_number():
    ranged, given = (SoftClustering(n_clusters=asked, random_state=0).fit(X) for asked in ((1, 1), 1))
    assert ranged.n_clusters_ == 1
    np.testing.assert_array_equal(ranged.certainty_, given.certainty_)
    assert ranged.certainty_.mean() > 0.9


def test_bounds_that_hold_the_answer_change_nothing(fitted):
    bounded = SoftClustering(n_clusters=(2, 12), random_state=0).fit(X)
    assert bounded.n_clusters_ == 3
    np.testing.assert_array_equal(bounded.labels_, fitted.labels_)


def test_a_bound_that_binds_is_said():
    model = SoftClustering(n_clusters=(1, 2), affinity="neighbors", probabilities="fitted", random_state=0).fit(X)
    assert model.n_clusters_ <= 2
    assert any("the bounds leave" in note for note in model.result_.notes)


def test_a_bound_below_alone_leaves_the_number_above_it_open():
    options = {"affinity": "neighbors", "probabilities": "fitted", "random_state": 0}
    assert (
        SoftClustering((2, None), **options).fit(X).n_clusters_
        == SoftClustering((2, 150), **options).fit(X).n_clusters_
    )


def test_bounds_without_an_upper_one_are_saved(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [9, 9]], 30, axis=0)
    model = SoftClustering((2, None), affinity="neighbors", probabilities="fitted", random_state=0).fit(X)
    save(model, tmp_path / "model")
    assert load(tmp_path / "model").n_clusters == (2, None)


@pytest.mark.parametrize("bounds", [(3, 2), (0, 4), (2,), (2, 3, 4), (2.5, 4), (None, 4), (0, None)])
def test_bounds_that_are_none_are_refused(bounds):
    with pytest.raises(InputError, match=r"\(2, 12\)"):
        SoftClustering(n_clusters=bounds).fit(X)


def test_bounds_beyond_the_items_are_refused():
    with pytest.raises(InputError, match="n_clusters=151"):
        SoftClustering(n_clusters=(len(X) + 1, len(X) + 3)).fit(X)


def test_a_saved_model_keeps_its_bounds(tmp_path):
    model = SoftClustering((2, 5), affinity="neighbors", probabilities="fitted", random_state=0).fit(X)
    partita.save(model, tmp_path / "model")
    again = partita.load(tmp_path / "model")
    assert again.n_clusters == (2, 5)
    with pytest.raises(InputError, match=r"^at:"):
        again.at(2)


def test_another_number_comes_from_the_same_draws(fitted, monkeypatch):
    def never(*arguments, **options):
        raise AssertionError("a clustering")

    for kind in Member.registry.values():
        monkeypatch.setattr(kind, "cluster", never)
    two, six = fitted.at(2), fitted.at(6)
    assert two.n_clusters_ == 2
    assert 3 < six.n_clusters_ <= 6
    assert two.membership_.shape == (len(X), 2)
    same = fitted.at(3)
    assert adjusted_rand_index(same.labels_, fitted.labels_) == 1.0
    assert fitted.n_clusters_ == 3
    assert two.predict(X[:5]).shape == (5,)


def test_another_number_may_be_one_that_bounds_had_left_out():
    model = SoftClustering((5, 9), random_state=0, probabilities="fitted").fit(X)
    three = model.at(3)
    assert np.isfinite(three.membership_).all()
    assert three.n_clusters_ == 3
    assert adjusted_rand_index(three.labels_, TRUTH) > 0.9


def test_another_number_of_other_evidence_is_a_fit_at_that_number():
    model = SoF(3, random_state=0).fit(X)
    np.testing.assert_array_equal(model.at(2).membership_, SoF(2, random_state=0).fit(X).membership_)


def test_more_clusters_than_items_are_refused_at_another_number(fitted):
    with pytest.raises(InputError, match=f"n_clusters={len(X) + 1}"):
        fitted.at(len(X) + 1)


# Clusters that hold no item


@pytest.mark.parametrize(
    "model",
    [
        SoftClustering(10, random_state=0),
        SoftClustering(10, affinity="ensemble", probabilities="fitted", random_state=0),
        SoF(12, random_state=0),
        SymNMF(12, random_state=0),
    ],
    ids=["default", "ensemble", "SoF", "SymNMF"],
)
def test_every_cluster_holds_an_item(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X)
    assert model.membership_.shape == (len(X), model.n_clusters_)
    assert len(np.unique(model.result_.membership.labels)) == model.n_clusters_
    np.testing.assert_allclose(model.membership_.sum(axis=1), 1.0)
    assert model.predict_proba(X[:4]).shape == (4, model.n_clusters_)
    said = [note for note in model.result_.notes if "would hold no item" in note]
    assert bool(said) == (model.n_clusters_ < model.n_clusters)
    assert model.result_.restarts[model.result_.best].objective == model.objective_


def test_some_fit_had_empty_clusters():
    model = SoftClustering(10, affinity="ensemble", probabilities="fitted", random_state=0).fit(X)
    assert model.n_clusters_ < 10
    assert any(
        note.startswith(f"10 clusters were fitted, {10 - model.n_clusters_} of which") for note in model.result_.notes
    )


def test_a_fit_that_goes_on_without_empty_clusters_counts_all_its_work(monkeypatch):
    ended, compared, drive = [], [], pipeline.drive

    def counted(*given, **how):
        found = drive(*given, **how)
        (ended if how["max_iter"] > pipeline.STEPS else compared).append(found)
        return found

    monkeypatch.setattr(pipeline, "drive", counted)
    model = SoftClustering(10, affinity="ensemble", probabilities="fitted", random_state=0).fit(X)
    assert len(ended) > 1
    assert model.n_products_ == sum(found.n_products for found in ended)
    assert model.n_iter_ == sum(found.n_iter for found in ended)
    # Other sizes are compared with once, when no cluster is empty.
    assert {found.membership.n_clusters for found in compared} == {model.n_clusters_}
    assert len(compared) == len(model._plan_.model.alternatives) > 0


@pytest.mark.parametrize("status", ["max_seconds", "interrupted"])
def test_a_fit_that_was_stopped_says_why_and_nothing_of_the_steps_after_it(monkeypatch, status):
    drive, n_runs = pipeline.drive, []

    def stopped(*given, **how):
        found = drive(*given, **how)
        n_runs.append(found)
        return replace(found, status=status, notes=("stopped",)) if len(n_runs) == 1 else found

    monkeypatch.setattr(pipeline, "drive", stopped)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model = SoftClustering(10, affinity="ensemble", probabilities="fitted", random_state=0).fit(X)
    assert len(n_runs) > 1
    assert model.result_.status == status
    assert "stopped" in model.result_.notes
    assert not any("max_iter" in note for note in model.result_.notes)


# Probabilities, and where the grid of numbers ends


@pytest.mark.parametrize("labels", ["cut", "flipped", "shuffled"])
def test_a_density_is_trusted_where_it_speaks_of_the_same_clusters(labels):
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 300)
    balls = rng.normal(size=(600, 2)) + 2.5 * np.eye(2)[0] * truth[:, None]
    fitted = (balls[:, 0] > 1.25).astype(int)
    if labels == "flipped":  # in few: wrong by less than twice the error of the best labels
        fitted[rng.permutation(600)[:24]] ^= 1
    elif labels == "shuffled":
        fitted = rng.permutation(truth)
    found, why = calibrate_if_trusted(balls, np.eye(2)[fitted], fitted, None)
    assert (found is not None) == (labels == "cut")
    assert ("other clusters" in why) == (labels != "cut")
    if found is not None:
        moved = np.mean(found[0](balls, None).argmax(axis=1) != fitted)
        assert f"{moved:.1%}" in why


def test_so_few_items_that_no_covariance_can_be_told_have_no_density():
    labels = np.arange(9) % 2
    X = 20.0 * labels[:, None] + np.random.default_rng(0).normal(size=(9, 8))
    assert calibrate_if_trusted(X, np.eye(2)[labels], labels, None) == (None, "there are too few items for a density")


@pytest.mark.parametrize(("weights", "alike"), [(np.ones(600), True), (np.repeat([1.0, 5.0], 300), False)])
def test_weights_count_in_that_trust(weights, alike):
    truth = np.repeat([0, 1], 300)
    balls = np.random.default_rng(1).normal(size=(600, 2)) + 3.0 * np.eye(2)[0] * truth[:, None]
    cut = (balls[:, 0] > 1.5).astype(int)
    plain, _ = calibrate_if_trusted(balls, np.eye(2)[cut], cut, None)
    weighted, _ = calibrate_if_trusted(balls, np.eye(2)[cut], cut, weights)
    same = np.allclose(plain[0](balls, None), weighted[0](balls, None), atol=1e-9)
    assert same == alike


@pytest.mark.parametrize(
    ("log_odds", "past"),
    [
        ([0.0, -1.0, -2.0 * PAST, -1.1 * PAST], True),
        ([-9.0, -5.0, -2.0, 0.0], False),
        ([0.0, -2.0 * PAST, -2.0 * PAST, -0.9 * PAST], False),  # rises again
        ([0.0, -0.1, -0.9 * PAST, -0.9 * PAST], False),  # has hardly fallen
    ],
)
@pytest.mark.parametrize("agreement", [(0.9, 0.5, 0.6, 0.5), (0.2, 0.3, 0.3, 0.4)])
def test_larger_numbers_are_left_out_once_odds_and_agreement_have_fallen(log_odds, past, agreement):
    drawn = _Draws((), X, 0, lambda *_: np.zeros(0), (1, 50))
    for K, (best, alike) in enumerate(zip(log_odds, agreement), start=2):
        drawn._drawn[K] = _AtNumber((), (), np.array([alike, 0.0]), np.array([best, best - 1.0]))
    assert drawn.is_past_the_best() == (past and agreement[0] > agreement[-1])


@pytest.mark.parametrize("apart", [0.0, 7.0])
def test_references_that_are_not_looked_at_change_neither_answer_nor_random_numbers(apart):
    rng = np.random.default_rng(0)
    items = rng.normal(size=(120, 2)) + apart * np.eye(2)[0] * rng.integers(0, 2, (120, 1))
    first, second = np.random.default_rng(1), np.random.default_rng(1)
    whole = valley_test(KEvidence(features=items), 19, first)
    short = valley_test(KEvidence(features=items), 19, second, margin=1.1)
    said = [test.valley.depth > 1.1 * test.null.max() for test in (whole, short)]
    assert said == [apart > 0] * 2
    assert len(whole.null) == 19
    assert len(short.null) < 19
    assert first.random() == second.random()


def test_a_verdict_on_a_number_that_ended_at_fewer_moves_its_probability():
    verdict = judge_all(KEvidence(features=X))
    assert verdict.n_clusters == 3
    ended = verdict.ended_at(2)
    assert ended.n_clusters == 2
    assert ended.sure == ended.probabilities[1] == verdict.probabilities[1] + verdict.probabilities[2]
    assert ended.probabilities[2] == 0
    assert ended.probabilities.sum() == pytest.approx(verdict.probabilities.sum())
    agreed = [one for one in verdict.judgements if one.n_clusters == 3]
    split = replace(verdict, judgements=(*agreed, replace(agreed[0], n_clusters=5))).ended_at(2)
    assert any(f"{len(agreed)} of {len(agreed) + 1} find 3, " in note for note in split.notes)


def test_a_number_below_the_range_has_no_probability_of_one_in_it():
    three = np.random.default_rng(1).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 9], [0, 9]], 30, axis=0)
    model = SoftClustering((12, 14), random_state=0).fit(three)
    assert model.n_clusters_ < 12  # some of twelve hold no item
    assert model.verdict_.n_clusters in (12, 13, 14)
    assert not model.verdict_.probabilities[:11].any()
    judged = model.verdict_.n_clusters
    assert f"of {judged} clusters, with a probability of {model.verdict_.sure:.2f}" in model.chosen_["n_clusters"].why


def test_another_number_keeps_the_plan_of_the_fit():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": X[:, 0], "y": X[:, 1], "group": np.array(["a", "b", "c"])[TRUTH]})
    model = SoftClustering(max_seconds=5.0, random_state=0).fit(frame)  # words need the ensemble, however little time
    other = model.at(2)
    assert other._builder_ == model._builder_
    assert other.chosen_["affinity"] == model.chosen_["affinity"]
    assert other.affinity_.density() == 1.0 or other.affinity_.name == "draws"
    assert other.at(3).n_clusters_ == 3  # from all the draws, not from those at two clusters
    assert other.predict(frame).shape == (len(X),)


@pytest.mark.parametrize(("n", "again"), [(300, 0), (2001, 1)])
def test_another_number_clusters_again_where_the_draws_are_of_a_sample(monkeypatch, n, again):
    items = np.random.default_rng(0).normal(size=(n, 2)) + np.array([[0, 0], [9, 9], [0, 9]])[np.arange(n) % 3]
    model = SoftClustering(random_state=0, probabilities="fitted").fit(items)
    drawn, calls = Ensemble._drawn, []
    monkeypatch.setattr(Ensemble, "_drawn", lambda *given: (calls.append(1), drawn(*given))[1])
    other = model.at(4)
    assert len(calls) == again
    if again:
        given = SoftClustering(4, random_state=0, probabilities="fitted").fit(items)
        np.testing.assert_array_equal(other.membership_, given.membership_)


def test_a_number_says_whose_it_is_and_how_probable():
    verdict = judge_all(KEvidence(features=X))
    assert why_so_many(verdict, 3) == f"criteria find it, with a probability of {verdict.probabilities[2]:.2f} for 3"
    assert why_so_many(verdict, 2).startswith("criteria find 3, ")
    methods = replace(verdict, judgements=(replace(verdict.judgements[0], criterion="agreement", n_clusters=3),))
    assert why_so_many(methods.ended_at(2), 2).split(", with")[0].endswith(" 3, of which 2 hold an item")
    assert why_so_many(verdict, 1000).endswith("0.00 for 1000")
    silent = tuple(replace(one, n_clusters=None) for one in verdict.judgements)
    assert why_so_many(replace(verdict, judgements=silent, n_clusters=1), 1).startswith("no criterion")


def test_a_verdict_on_another_number_is_left_alone_where_a_cluster_is_empty():
    verdict = judge_all(KEvidence(features=X))
    bounded = Choice(5, verdict=verdict, notes=verdict.notes)
    assert bounded.ended_at(4, "a note").verdict is verdict
    ended = Choice(3, verdict=verdict, notes=(*verdict.notes, "before")).ended_at(2, "a note")
    assert ended.verdict.n_clusters == ended.n_clusters == 2
    assert ended.notes == (*ended.verdict.notes, "before", "a note")


def test_labels_that_calibration_moves_are_counted_and_the_fitted_ones_kept():
    rng = np.random.default_rng(0)
    close = rng.normal(size=(500, 2)) + 2.2 * np.eye(2)[0] * np.repeat([[0], [1]], 250, axis=0)
    model = SoftClustering(2, affinity="neighbors", random_state=0).fit(close)
    assert model.chosen_["probabilities"].value == "calibrated"
    moved = int((model.labels_ != model.result_.membership.labels).sum())
    assert moved > 0
    assert any(note.startswith(f"calibration moved {moved} item") for note in model.result_.notes)


@pytest.mark.parametrize("n_columns", [1, 2])
def test_many_copies_of_one_row_far_from_all_others_are_a_cluster_and_no_outliers(n_columns: int) -> None:
    rng = np.random.default_rng(0)
    X = np.r_[np.zeros((70, n_columns)), rng.normal(30, 2, size=(90, n_columns))]
    model = SoftClustering(random_state=0).fit(X)
    assert sorted(np.bincount(model.labels_).tolist()) == [70, 90]
    assert model.outlier_.max() < 0.5
    assert model.certainty_.min() > 0.5


def test_a_graph_of_equal_pieces_has_one_answer() -> None:
    nx = pytest.importorskip("networkx")
    graph = nx.disjoint_union_all([nx.grid_2d_graph(5, 5)] * 20)
    first, second = (SoftClustering(random_state=0).fit(graph) for _ in range(2))
    np.testing.assert_allclose(first.membership_, second.membership_, rtol=0.0, atol=0.0 if TAKES_RNG else 1e-12)
    assert np.array_equal(first.labels_, second.labels_)
    assert adjusted_rand_index(first.labels_, np.repeat(np.arange(20), 25)) == 1.0


@pytest.mark.parametrize("bounds", ["auto", (2, 4)])
def test_components_of_a_graph_are_clusters_as_far_as_bounds_allow(bounds: str | tuple[int, int]) -> None:
    nx = pytest.importorskip("networkx")
    graph = nx.disjoint_union_all([nx.gnp_random_graph(100, 0.08, seed=1), *[nx.complete_graph(6)] * 5])
    labels = SoftClustering(bounds, random_state=0).fit(graph).labels_
    assert len(set(labels.tolist())) == (6 if bounds == "auto" else 4)


def test_one_column_that_varies_beside_constant_ones_dominates_nothing():
    X = np.c_[np.random.default_rng(0).normal(size=100), np.ones(100)]
    model = SoftClustering(2, probabilities="fitted", random_state=0).fit(X)
    assert not any("total variance" in note for note in model.result_.notes)
    with pytest.raises(AttributeError, match="fitted"):
        _ = model.calibration_
