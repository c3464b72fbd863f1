"""BayesianPartition: the same answers as the search beneath it, every holder of draws, and nothing wrong hidden."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import partita
from partita import BayesianPartition, expected_loss, partition_distance, posterior_similarity
from partita.errors import InputError, UnsureWarning
from partita.estimators.partition_notes import few_note
from partita.partition.draws import PartitionDraws
from partita.partition.exhaustive import all_partitions
from partita.partition.losses import Binder, PartitionLoss, VariationOfInformation
from partita.partition.modes import posterior_modes
from partita.partition.named_draws import NamedDraws
from synthetic import posterior

LOSSES = sorted(PartitionLoss.registry)


@pytest.mark.parametrize("loss", LOSSES)
def test_what_is_reported_is_the_expected_loss_of_the_labels(loss):
    draws, truth = posterior()
    model = BayesianPartition(loss, random_state=0).fit(draws)
    assert model.expected_loss_ == pytest.approx(expected_loss(model.labels_, draws, loss=loss), abs=1e-12)
    assert partition_distance(model.labels_, truth) == 0
    assert model.n_clusters_ == model.labels_.max() + 1 == 3
    first = [np.flatnonzero(model.labels_ == k)[0] for k in range(3)]
    assert first == sorted(first)  # numbered in order of appearance
    assert min(tried.loss for tried in model.tried_) <= model.expected_loss_ + 1e-9
    np.testing.assert_array_equal(model.fit_predict(draws), model.labels_)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("trivial", [np.arange(100), np.zeros(100, dtype=int)], ids=["single items", "one cluster"])
def test_draws_that_are_all_one_trivial_partition_are_met_exactly(loss, trivial):
    draws = np.tile(trivial, (3, 1))
    for weights in (None, [1 / 3, 1 / 7, 1 / 5]):
        model = BayesianPartition(loss, random_state=0).fit(draws, weights=weights)
        assert model.expected_loss_ == (1.0 if loss == "pear" else 0.0)
        assert expected_loss(trivial, draws, loss=loss, weights=weights) == model.expected_loss_
        np.testing.assert_array_equal(model.labels_, trivial)


def test_no_more_starts_are_asked_for_where_all_partitions_were_scored():
    for seed in (4, 5, 7, 10):  # here one run alone ends at the best partition, or none
        draws = np.random.default_rng(seed).integers(4, size=(10, 9))
        model = BayesianPartition("id", random_state=0).fit(draws)
        assert model.result_.exhaustive
        assert "exhaustive" in {tried.method for tried in model.tried_}
        assert not any("n_init" in note for note in model.notes_)
    assert not BayesianPartition(random_state=0).fit(posterior()[0]).result_.exhaustive


def test_units_and_losses_with_options():
    draws, _ = posterior()
    bits = BayesianPartition(random_state=0).fit(draws)
    nats = BayesianPartition(unit="nats", random_state=0).fit(draws)
    assert nats.expected_loss_ == pytest.approx(bits.expected_loss_ * np.log(2))
    assert nats.credible_ball().radius == pytest.approx(bits.credible_ball().radius * np.log(2))
    pairs = BayesianPartition(Binder(normalize="pairs"), random_state=0).fit(draws)
    assert pairs.expected_loss_ * 29 / 30 == pytest.approx(
        BayesianPartition("binder", random_state=0).fit(draws).expected_loss_
    )
    # a weighs parting items that are together in the draw.
    fewer = BayesianPartition(VariationOfInformation(a=1.8), random_state=0).fit(posterior(noise=0.5)[0])
    more = BayesianPartition(VariationOfInformation(a=0.2), random_state=0).fit(posterior(noise=0.5)[0])
    assert fewer.n_clusters_ < more.n_clusters_
    with pytest.raises(InputError, match="unit='nats'"):
        BayesianPartition("binder", unit="nats").fit(draws)


def test_membership_is_a_membership_of_the_same_draws():
    draws, _ = posterior(noise=0.25)
    model = BayesianPartition(random_state=0).fit(draws)
    W = model.membership_
    assert W.shape == (30, 3)
    np.testing.assert_allclose(W.sum(axis=1), 1.0, atol=1e-12)
    assert W.min() >= 0
    np.testing.assert_array_equal(W.argmax(axis=1), model.labels_)  # no item is on a boundary here
    P = model.psm()
    np.testing.assert_allclose(P, posterior_similarity(draws))
    off = ~np.eye(30, dtype=bool)
    assert model.misfit_ == pytest.approx(np.linalg.norm((P - W @ W.T)[off]) / np.linalg.norm(P[off]), rel=1e-9)
    # No membership can be asked of a fit that was not made.
    with pytest.raises(NotFittedError):
        BayesianPartition().membership_  # noqa: B018


def test_a_second_fit_forgets_the_first():
    model = BayesianPartition(random_state=0)
    first = model.fit(posterior()[0]).membership_
    second = model.fit(posterior(n_items=20, n_clusters=2, seed=1)[0]).membership_
    assert first.shape, second.shape == ((30, 3), (20, 2))
    assert len(model.psm()) == 20


def test_weights_are_copies():
    draws, _ = posterior(n_draws=40, noise=0.3)
    weights = np.random.default_rng(1).integers(0, 4, 40)
    weighted = BayesianPartition("binder", random_state=0).fit(draws, weights=weights)
    copied = BayesianPartition("binder", random_state=0).fit(np.repeat(draws, weights, axis=0))
    np.testing.assert_array_equal(weighted.labels_, copied.labels_)
    assert weighted.expected_loss_ == pytest.approx(copied.expected_loss_)
    np.testing.assert_allclose(weighted.psm(), copied.psm())
    assert weighted.credible_ball(0.5).radius == pytest.approx(copied.credible_ball(0.5).radius)


def test_labels_of_any_kind_and_arviz_give_the_same_answer():
    draws, _ = posterior()
    words = np.array(["blue", "red", "a"])[draws]
    expected = BayesianPartition(random_state=0).fit(draws)
    np.testing.assert_array_equal(BayesianPartition(random_state=0).fit(words).labels_, expected.labels_)
    np.testing.assert_array_equal(BayesianPartition(random_state=0).fit(draws * 7 - 3).labels_, expected.labels_)
    xarray = pytest.importorskip("xarray")
    array = xarray.DataArray(draws.reshape(3, 100, 30), dims=("chain", "draw", "item"))
    found = BayesianPartition(random_state=0).fit(array)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    assert found.agreement_ is not None
    assert found.agreement_.agree
    assert not found.notes_


def test_chains_that_disagree_are_told():
    first, _ = posterior(n_draws=200)
    second = posterior(n_draws=200, n_clusters=5, seed=1)[0]
    draws, chain = np.r_[first, second], np.repeat([0, 1], 200)
    model = BayesianPartition(random_state=0).fit(draws, chain=chain)
    assert not model.agreement_.agree
    assert any(note == model.agreement_.verdict for note in model.notes_)
    assert [mode.weight for mode in model.modes().modes] == pytest.approx([0.5, 0.5])
    assert sorted(mode.n_clusters for mode in model.modes().modes) == [3, 5]


def test_a_cap_that_binds_is_told_and_kept():
    draws, _ = posterior(n_clusters=5)
    model = BayesianPartition(max_clusters=2, random_state=0).fit(draws)
    assert model.n_clusters_ == 2
    assert model.result_.cap_bound
    assert any("max_clusters=2" in note for note in model.notes_)
    assert not BayesianPartition(max_clusters=6, random_state=0).fit(draws).result_.cap_bound


def test_draws_that_memberships_cannot_describe_are_told():
    # One coin decides for all items: they move together, which independent memberships cannot do.
    n = 20
    draws = np.where(np.arange(100)[:, None] < 50, np.arange(n) // 10, np.arange(n) % 2)
    model = BayesianPartition("binder", random_state=0).fit(draws)
    assert model.misfit_ > 0.2
    assert any("no memberships describe these draws well" in note for note in model.notes_)
    assert not BayesianPartition(random_state=0).fit(posterior()[0]).notes_


@pytest.mark.parametrize(("draws", "n"), [([[0, 0, 1, 1], [0, 1, 0, 1]], 8), ([[0, 0, 1, 1]], 0)])
def test_equally_good_partitions_of_few_items_are_counted(draws, n):
    model = BayesianPartition(random_state=0).fit(draws)
    losses = [expected_loss(labels, draws) for labels in all_partitions(4)]
    assert n == 0 or np.isclose(losses, min(losses), atol=1e-12).sum() == n
    assert [note for note in model.notes_ if "equally good" in note] == [
        f"{n} partitions are equally good: the result is one of them"
    ] * (n > 0)


def test_of_more_items_the_equally_good_partitions_that_were_found_are_counted():
    halves = np.repeat([[0, 0, 0, 0, 1, 1, 2, 2, 3, 3], [0, 0, 1, 1, 2, 2, 2, 2, 3, 3]], 10, axis=0)
    model = BayesianPartition("binder", n_init=20, random_state=0).fit(halves)
    assert any("at least" in note and "equally good" in note for note in model.notes_)


def test_shares_of_draws_are_at_most_one():
    rng = np.random.default_rng(0)
    draws = np.array([np.r_[9, rng.permutation([0, 0, 1, 1, 2, 2])] for _ in range(11)])
    for weights in rng.random((40, 11)):
        model = BayesianPartition(n_init=0, random_state=0).fit(draws, weights=weights)
        assert max(model.n_clusters_probabilities().values()) <= 1
        assert model.outlier_.max() <= 1


def test_items_that_are_often_alone_are_told_since_memberships_do_not():
    draws = np.tile(np.arange(30) // 10, (4000, 1))
    draws[np.random.default_rng(0).random(4000) < 0.4, 0] = 9
    model = BayesianPartition(random_state=0).fit(draws)
    assert model.outlier_[0] == pytest.approx(0.4, abs=0.02)
    assert model.membership_[0].min() > 0.1  # in clusters with which it never is
    assert [note.split(" alone")[0] for note in model.notes_ if "`outlier_`" in note] == ["1 item is"]
    draws[draws == 9] = 0
    assert BayesianPartition(random_state=0).fit(draws).notes_ == ()


def test_missing_items_go_with_losses_of_pairs():
    draws, truth = posterior(n_draws=500)
    draws = draws.astype(float)
    draws[np.random.default_rng(2).random(draws.shape) < 0.3] = np.nan
    model = BayesianPartition("binder", missing="unobserved", random_state=0).fit(draws)
    assert partition_distance(model.labels_, truth) == 0
    assert model.membership_.shape == (30, 3)
    with pytest.raises(InputError, match="draws"):
        model.credible_ball()
    with pytest.raises(InputError, match="'pear', 'binder', 'vi_lb'"):
        BayesianPartition(missing="unobserved").fit(draws)
    with pytest.raises(InputError):
        BayesianPartition().fit(draws)
    # None missing: the same as without the option.
    whole = posterior()[0].astype(float)
    np.testing.assert_array_equal(
        BayesianPartition(missing="unobserved", random_state=0).fit(whole).labels_,
        BayesianPartition(random_state=0).fit(whole).labels_,
    )


def test_certainty_certain_items_and_ball_are_of_the_labels_found():
    draws, _ = posterior(noise=0.05)
    model = BayesianPartition(random_state=0).fit(draws)
    certainty = model.certainty()
    assert certainty.loss.sum() == pytest.approx(model.expected_loss_)
    core = model.certain_items(0.5)
    assert core.probability >= 0.5
    kept = core.kept
    holds = [partition_distance(draw[kept], model.labels_[kept]) == 0 for draw in draws]
    assert np.mean(holds) == pytest.approx(core.probability)
    ball = model.credible_ball(0.9)
    inside = np.array([partition_distance(model.labels_, draw) for draw in draws]) <= ball.radius + 1e-9
    assert inside.mean() == pytest.approx(ball.share)
    assert ball.share >= 0.9
    assert BayesianPartition("binder", random_state=0).fit(draws).credible_ball().loss.name == "binder"


def test_other_partitions_may_be_given_as_starts():
    draws, truth = posterior()
    model = BayesianPartition(starts=[truth, np.zeros(30, dtype=int)], random_state=0).fit(draws)
    assert {"start 0", "start 1"} <= {tried.method for tried in model.tried_}
    with pytest.raises(InputError, match="start 0"):
        BayesianPartition(starts=[truth[:5]]).fit(draws)


def test_factorizations_of_the_similarity_matrix_are_starts_by_name():
    draws, truth = posterior(noise=0.3)
    names = ("nmf-ls", "nmf-kl", "nmf-ns", "nmf-offset", "sof")
    model = BayesianPartition(starts=[*names, truth], random_state=0).fit(draws)
    tried = {t.method: t for t in model.tried_}
    assert {*names, "start 5"} <= set(tried)
    for name in names:
        assert tried[name].loss >= model.expected_loss_ - 1e-9
    assert tried["sof"].loss == pytest.approx(model.expected_loss_)  # clear clusters: all find them
    named = BayesianPartition(starts={"salso": truth}, random_state=0).fit(draws)
    assert "salso" in {t.method for t in named.tried_}
    with pytest.raises(InputError, match="'nmf'"):
        BayesianPartition(starts=["nmf"]).fit(draws)


def test_the_same_seed_gives_the_same_answer_on_any_number_of_threads():
    draws = posterior(noise=0.6, n_clusters=6)[0]
    answers = [BayesianPartition(random_state=3, n_jobs=n_jobs).fit(draws) for n_jobs in (1, 2)]
    np.testing.assert_array_equal(answers[0].labels_, answers[1].labels_)
    assert answers[0].expected_loss_ == answers[1].expected_loss_
    np.testing.assert_array_equal(answers[0].membership_, answers[1].membership_)


def test_it_is_cloned_and_pickled_as_estimators_are():
    model = clone(BayesianPartition("binder", max_clusters=4, random_state=1))
    assert model.get_params()["max_clusters"] == 4
    again = pickle.loads(pickle.dumps(model.fit(posterior()[0])))
    np.testing.assert_array_equal(again.labels_, model.labels_)
    np.testing.assert_array_equal(again.membership_, model.membership_)


def test_time_that_is_over_is_said():
    draws = posterior(n_draws=2000, n_items=400, n_clusters=20, noise=0.6)[0]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = BayesianPartition(max_seconds=1e-6, random_state=0).fit(draws)
    assert model.result_.status == "max_seconds"
    assert any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
    assert model.expected_loss_ == pytest.approx(expected_loss(model.labels_, draws))


@pytest.mark.parametrize(
    ("draws", "words"),
    [
        (np.zeros((0, 5)), "M x N"),
        (np.zeros(5, dtype=int), "1 dimension"),
        (np.eye(4), "draws .*4 x 4"),
        ([[0, 0.5, 1]], r"draws .*0\.5"),
        ([[0, 1], [0]], "draws"),
    ],
)
def test_what_are_no_draws_is_refused(draws, words):
    with pytest.raises((InputError, ValueError), match=words):
        BayesianPartition().fit(draws)


def test_the_names_stand_at_the_top():
    assert {"BayesianPartition", "expected_loss", "partition_distance", "posterior_similarity"} <= set(partita.__all__)


def test_chains_that_cannot_be_compared_are_told_and_cost_nothing():
    draws = posterior(n_draws=20)[0]
    model = BayesianPartition(random_state=0).fit(draws, chain=np.repeat(np.arange(10), 2))
    assert model.agreement_ is None
    assert any("chain 0 has 2 draws, too few to tell" in note for note in model.notes_)
    with pytest.raises(InputError, match="20 draws"):
        BayesianPartition().fit(draws, chain=np.zeros(19))
    lacking = draws.copy()
    lacking[0, 0] = -1
    model = BayesianPartition("binder", missing="unobserved", random_state=0).fit(lacking, chain=np.repeat([0, 1], 10))
    assert any("their draws lack items" in note for note in model.notes_)


def test_few_draws_and_negative_labels_are_told_once():
    def notes(draws, **evidence):
        return BayesianPartition(random_state=0).fit(draws, **evidence).notes_

    draws = posterior(n_draws=20)[0]
    for given, weights in ((draws[:3], None), (draws, np.eye(20)[0]), (draws[:1], None)):
        assert sum("too few to be a posterior sample" in note for note in notes(given, weights=weights)) == 1
    assert notes(draws) == notes(draws, weights=np.full(20, 0.05)) == ()
    lacking = [[0, 0, 1, 1], [0, -1, 1, 1], [0, 0, 0, 1]] * 4

    def of_pairs(draws, **evidence):
        return BayesianPartition("binder", missing="unobserved", random_state=0).fit(draws, **evidence).notes_

    for given, weights in ((lacking[:3], None), (lacking, np.eye(12)[1] + 1e-9)):
        assert sum("too few to be a posterior sample" in note for note in of_pairs(given, weights=weights)) == 1
    for given, weights in ((lacking, None), (lacking[:6], [2] * 6)):
        assert not any("too few to be a" in note for note in of_pairs(given, weights=weights))
    apart = np.where(np.eye(5, 20, dtype=bool), -1, np.arange(20))
    with pytest.warns(UnsureWarning, match="alone"):
        assert any("each of the 20 items is alone" in note for note in of_pairs(apart))
    negative = np.where(draws == 0, -1, draws)
    for given in (negative, negative.tolist(), negative.astype(float)):
        assert sum("negative label" in note for note in notes(given)) == 1


@pytest.mark.parametrize("seed", range(4))
def test_weighted_draws_are_worth_kishs_number_however_many_are_equal(seed):
    draws = np.repeat([[0] * 6 + [1] * 6, [0] * 5 + [1] * 7], [600, 400], axis=0)
    weights = np.exp(4 * np.random.default_rng(seed).normal(size=1000))
    kish = weights.sum() ** 2 / (weights**2).sum()
    for scale in (1.0, 1e-9, 1e200):
        own = PartitionDraws.of(draws, scale * weights)
        assert own.worth == pytest.approx(kish)
        assert bool(few_note(own.n_given, own.worth)) == (kish < 10)


def test_whole_numbers_are_copies_and_others_are_weights():
    draws = posterior(n_draws=300)[0]
    for some, worth in (([1.5], 1), ([1e10] * 3, 3), ([3, 1, 0, 2], 6), ([0.3, 0.1, 0, 0.2], 36 / 14)):
        own = PartitionDraws.of(draws, np.r_[some, np.zeros(300 - len(some))])
        assert own.worth == pytest.approx(worth)
        assert few_note(own.n_given, own.worth)
    for weights in ([2] * 8, [2] * 7 + [3], [1] * 8):  # and a zero beside them is the draw left out
        copied = PartitionDraws.of(np.repeat(draws[:8], weights, axis=0))
        for own in (PartitionDraws.of(draws[:8], weights), PartitionDraws.of(draws[:9], [*weights, 0])):
            assert own.worth == copied.worth == sum(weights)
        for given in ((draws[:8], weights), (draws[:9], [*weights, 0])):
            assert posterior_modes(given[0], weights=given[1]).separation == posterior_modes(copied).separation
    counts = np.random.default_rng(0).integers(1, 5, 300)
    copied = PartitionDraws.of(np.repeat(draws, counts, axis=0))
    assert PartitionDraws.of(draws, counts).worth == copied.worth == counts.sum()
    assert posterior_modes(PartitionDraws.of(draws, counts)).separation == posterior_modes(copied).separation


def test_a_ball_is_measured_as_the_loss_is():
    draws = posterior(noise=0.3)[0]
    model = BayesianPartition(Binder(normalize="pairs"), random_state=0).fit(draws)
    ball = model.credible_ball(1.0)
    assert ball.loss.normalize == "pairs"
    most = max(partition_distance(model.labels_, draw, loss=Binder(normalize="pairs")) for draw in draws)
    assert ball.radius == pytest.approx(most)


def test_a_pair_of_items_that_no_draw_has_is_named():
    given = NamedDraws([[0, 0, -1, -1], [-1, -1, 0, 0]] * 20, items=np.array(["ann", "bob", "cid", "dan"]))
    with pytest.raises(InputError, match=r"ann .*cid .*\(3 "):
        BayesianPartition("binder", missing="unobserved").fit(given)


def test_a_fit_that_fails_leaves_no_half_of_the_last_one():
    model = BayesianPartition(random_state=0).fit(posterior()[0])
    with pytest.raises(InputError):
        model.fit(np.full((3, 4), np.nan))
    with pytest.raises(NotFittedError):
        model.psm()


def test_there_is_an_answer_even_where_there_was_no_time_for_a_start(monkeypatch):
    monkeypatch.setattr("partita.partition.evidence.fits", lambda n_bytes: False)
    with pytest.warns(ConvergenceWarning):
        model = BayesianPartition(max_seconds=1e-9, random_state=0).fit(posterior()[0])
    assert model.result_.status == "max_seconds"
    assert model.expected_loss_ == pytest.approx(expected_loss(model.labels_, posterior()[0]))


@pytest.mark.parametrize(
    "options",
    [
        {"missing": "foo"},
        {"n_init": 2.5},
        {"max_seconds": "a"},
        {"unit": "dits"},
        {"on_interrupt": "x"},
        {"n_jobs": 1.5},
    ],
)
def test_options_that_are_none_are_named(options):
    (name,) = options
    with pytest.raises(ValueError, match=name):
        BayesianPartition(**options).fit([[0, 0, 1]])


def test_functions_take_what_fit_takes():
    pandas = pytest.importorskip("pandas")
    draws = posterior(n_draws=40)[0]
    frame = pandas.DataFrame(draws, columns=[f"i{k}" for k in range(30)])
    frame.insert(0, "chain", 0)
    np.testing.assert_array_equal(posterior_similarity(frame), posterior_similarity(draws))
    assert expected_loss(draws[0], frame) == expected_loss(draws[0], draws)


def test_modes_number_the_draws_as_they_were_given():
    rng = np.random.default_rng(0)
    first, second = np.arange(40) // 20, np.arange(40) % 4
    order = rng.permutation(1000)
    draws = np.where((order < 700)[:, None], first, second)
    found = BayesianPartition(random_state=0).fit(draws).modes()
    assert [mode.weight for mode in found.modes] == pytest.approx([0.7, 0.3])
    assert found.labels.shape == (1000,)
    for mode, truth, own in zip(found.modes, (first, second), (order < 700, order >= 700)):
        np.testing.assert_array_equal(mode.draws, np.flatnonzero(own))
        assert all(partition_distance(truth, draws[b]) == 0 for b in mode.draws)
        assert (partition_distance(mode.labels, truth), mode.distance) == (0, 0)
    np.testing.assert_array_equal(found.labels, (order >= 700).astype(int))


def test_modes_of_noisy_draws_are_numbered_the_same_with_weights_of_zero():
    rng = np.random.default_rng(1)
    truths = np.arange(40) // 20, np.arange(40) % 4
    draws = np.stack([np.where(rng.random(40) < 0.05, rng.integers(0, 4, 40), truths[b % 10 < 3]) for b in range(400)])
    weights = np.ones(400)
    weights[::7] = 0
    found = BayesianPartition(random_state=0).fit(draws, weights=weights).modes()
    assert len(found.modes) == 2
    pairs = [(draw[:, None] == draw).tobytes() for draw in draws]
    counted = {pairs[b] for b in np.flatnonzero(weights)}
    nowhere = [b for b in range(0, 400, 7) if pairs[b] not in counted]
    assert nowhere
    np.testing.assert_array_equal(np.flatnonzero(found.labels == -1), nowhere)
    for k, mode in enumerate(found.modes):
        np.testing.assert_array_equal(mode.draws, np.flatnonzero(found.labels == k))
        near, far = (
            np.mean([partition_distance(truth, draws[b]) for b in mode.draws]) for truth in truths[:: 1 - 2 * k]
        )
        assert near < far
        by_hand = np.mean([partition_distance(mode.labels, draws[b]) for b in mode.draws if weights[b]])
        assert mode.distance == pytest.approx(by_hand)


def test_several_modes_are_among_the_notes_and_one_is_not():
    draws = np.where((np.arange(300) < 200)[:, None], np.arange(40) // 20, np.arange(40) % 4)
    notes = BayesianPartition(random_state=0).fit(draws).notes_
    assert sum(note.startswith("the posterior has 2 modes, with 67%, 33% of the draws") for note in notes) == 1
    assert not any("modes" in note for note in BayesianPartition(random_state=0).fit(posterior()[0]).notes_)


@pytest.mark.parametrize(("loss", "near"), [("junk", ""), ("omari", ""), ("pear", ""), ("VI", r"'vi'\?$")])
def test_a_ball_by_what_is_no_metric_is_refused(loss, near):
    model = BayesianPartition(random_state=0).fit(posterior()[0])
    with pytest.raises(InputError, match=f"loss='{loss}'.*{near}"):
        model.credible_ball(loss=loss)


def test_a_unit_that_contradicts_the_loss_is_refused_and_the_default_is_not():
    draws = posterior()[0]
    for loss in (VariationOfInformation(), Binder()):
        with pytest.raises(InputError, match="unit='nats'"):
            BayesianPartition(loss, unit="nats").fit(draws)
    for loss in (VariationOfInformation(unit="nats"), "vi"):
        nats = BayesianPartition(loss, unit="nats", random_state=0).fit(draws)
        assert nats.expected_loss_ == pytest.approx(np.log(2) * expected_loss(nats.labels_, draws))
    assert BayesianPartition(VariationOfInformation(unit="nats")).fit(draws).loss_.unit == "nats"


@pytest.mark.parametrize(
    ("said", "meant"), [("VI", "vi"), ("omARI", "omari"), ("VI.lb", "vi_lb"), ("Binder", "binder"), ("bnder", "binder")]
)
def test_names_as_other_packages_write_them_are_answered_with_ours(said, meant):
    with pytest.raises(InputError, match=rf"'{meant}'\?$"):
        BayesianPartition(said).fit(posterior()[0])
    with pytest.raises(InputError, match=rf"'{meant}'\?$"):
        expected_loss([0, 1], [[0, 1]], loss=said)


def test_a_misfit_that_too_few_clusters_make_is_told_as_such():
    rng = np.random.default_rng(0)
    model = BayesianPartition(max_clusters=1, random_state=0).fit(rng.integers(0, 5, (200, 30)))
    assert model.misfit_ > 1  # one cluster says that all are together, and a fifth are
    note = next(note for note in model.notes_ if "misfit" in note)
    assert "in one cluster they say that all items are always together" in note
    assert "move together" not in note
    together = BayesianPartition(random_state=0).fit(np.repeat(rng.integers(0, 2, (300, 2)), 15, axis=1))
    assert together.misfit_ > 0.2
    assert any("items move together" in note for note in together.notes_)


def test_chains_that_disagree_are_a_warning_and_few_draws_are_not():
    first, second = posterior(n_draws=200)[0], posterior(n_draws=200, n_clusters=5, seed=1)[0]
    with pytest.warns(ConvergenceWarning, match="chains 0 and 1") as told:
        BayesianPartition(random_state=0).fit(np.r_[first, second], chain=np.repeat([0, 1], 200))
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chain = np.arange(32) // 16  # of 16 draws: nothing differs, but fewer than 20 are no evidence
        model = BayesianPartition(random_state=0).fit(np.tile(np.arange(30) // 10, (32, 1)), chain=chain)
    assert any(note.startswith("too little to tell whether the chains agree") for note in model.notes_)
    assert not model.agreement_.agree


def test_draws_without_weight_are_not_compared_and_other_weights_are_said_to_be_unused():
    good, chain = posterior(n_draws=200)[0], np.repeat([0, 1], 100)
    burnt = np.r_[np.tile(np.arange(good.shape[1]), (50, 1)), good]
    weights = np.r_[np.zeros(50), np.ones(200)]
    model = BayesianPartition(random_state=0)
    found = model.fit(burnt, weights=weights, chain=np.r_[np.zeros(50, dtype=int), chain]).agreement_
    assert str(found) == str(model.fit(good, chain=chain).agreement_)
    unused = "the chains were compared without the weights of their draws"
    assert unused not in model.notes_
    assert unused in model.fit(good, weights=1.0 + chain, chain=chain).notes_


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"max_seconds": 0}, "max_seconds=0"),
        ({"n_init": -1}, "n_init=-1"),
        ({"unit": "bytes"}, "unit='bytes'"),
        ({"verbose": "x" * 500}, r"verbose='x{50,60}\.\.\.: expected"),
    ],
)
def test_parameters_that_are_wrong_are_told_in_our_words(parameters, says):
    with pytest.raises(InputError, match=f"^{says}"):
        BayesianPartition(**parameters).fit(posterior()[0])


def test_none_among_the_labels_is_told_with_what_takes_it():
    with pytest.raises(InputError, match=r"None.*missing='unobserved'"):
        BayesianPartition().fit([["a", None, "b"], ["a", "a", "b"]])
    found = BayesianPartition("binder", missing="unobserved").fit([["a", None, "b"], ["a", "a", "b"], ["c", "c", "d"]])
    assert found.labels_.tolist() == [0, 0, 1]


@pytest.mark.parametrize("loss", ["vi", "binder", "nvi", "id", "nid", "vi_lb"])
def test_one_draw_is_at_no_distance_from_itself(loss):
    """Not at -1e-15: sums of n log n cancel up to rounding."""
    draw = np.random.default_rng(3).integers(0, 7, (1, 83))
    model = BayesianPartition(loss, random_state=0).fit(draw)
    assert model.expected_loss_ == 0.0
    assert all(run.loss >= 0.0 for run in model.result_.runs)
