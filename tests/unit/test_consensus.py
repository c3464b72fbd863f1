"""The consensus of different methods: weights, grid, the number of clusters of a fit, and the posterior behind it."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from partita import BayesianPartition, SoftClustering, load, metrics, save
from partita.ensemble import Ensemble, Genie, Validity, agreement, member
from partita.ensemble.components import Components
from partita.ensemble.consensus import Consensus, _AtNumber, _Draws, consensus, sizes_up_to
from partita.kernels.threads import limit_threads
from partita.n_clusters.agreement import verdict_of
from partita.scope import Scope, opened
from synthetic import gaussians

TWO = Ensemble(methods=("genie", "modularity"))


def blobs(K, n_each=30, d=2, seed=0):
    centres = 12.0 * np.stack(np.unravel_index(np.arange(K), (int(np.ceil(K ** (1 / d))),) * d), axis=1)
    truth = np.repeat(np.arange(K), n_each)
    return gaussians(truth, centres, seed), truth


@pytest.mark.parametrize("K", [3, 7, 40, 50])
def test_planted_clusters_are_counted_and_found(K):
    X, truth = blobs(K)
    found = TWO.consensus(X)
    assert abs(found.n_clusters - K) <= K // 25
    assert metrics.adjusted_rand_index(found.labels, truth) > 0.99


def test_a_method_that_does_not_seek_the_number_has_draws_where_it_is_given_alone():
    X, _ = blobs(3)
    ensemble = replace(TWO, methods=("genie", "modularity", "mutual"))
    found = ensemble.consensus(X)
    assert {one.name for one in found.methods} == {"genie", "modularity"}
    assert np.array_equal(found.draws, TWO.consensus(X).draws)
    assert {draw.method for draw in ensemble.build(X, n_clusters=3).draws} == {"genie", "modularity", "mutual"}


def test_where_two_different_methods_would_not_be_left_all_seek_the_number():
    X, _ = blobs(3)
    found = Ensemble(methods=("genie", "mutual")).consensus(X)
    assert {one.name for one in found.methods} == {"genie", "mutual"}
    assert found.n_clusters == 3


def test_progress_says_which_numbers_are_tried_and_changes_nothing():
    X, _ = blobs(3)
    said = []
    with opened(Scope(lambda *step: said.append(step))):
        found = TWO.consensus(X)
    ranges = [
        [int(end) for end in words.rpartition(" trying ")[2].partition(" by ")[0].split(" to ")] for words, _, _ in said
    ]
    done = [step for _, step, _ in said]
    assert done == sorted(done)
    assert all(0 <= step <= of for _, step, of in said)
    assert all(any(ends[0] <= K <= ends[-1] for ends in ranges) for K in found.asked)
    assert {end for ends in ranges for end in ends} <= set(found.asked.tolist())
    assert np.array_equal(found.draws, TWO.consensus(X).draws)


@pytest.mark.parametrize("K", [3, 11, 16])
def test_two_numbers_at_a_time_are_the_same_draws_as_one_after_the_other(K, monkeypatch):
    X, _ = blobs(K, n_each=20)
    with limit_threads(1):
        one = TWO.consensus(X)
    monkeypatch.setattr("partita.ensemble.consensus.FEW", 10)
    with limit_threads(2):
        two = TWO.consensus(X)
    assert np.array_equal(one.asked, two.asked)
    assert np.array_equal(one.draws, two.draws)
    assert np.array_equal(one.weights, two.weights)


def test_around_the_answer_methods_draw_once_more_and_stay_one_voice_each():
    X, _ = blobs(5)
    first = [member(name) for name in ("genie", "modularity", "density")]
    odds = Validity.of(X).log_odds_at
    found = consensus(first, X, odds, again=[one.varied(1) for one in first])
    once = consensus(first, X, odds)
    for K in np.unique(found.asked):
        own = np.flatnonzero(found.asked == K)
        twice = abs(K - found.n_clusters) <= 2
        names = [found.methods[m].name for m in own]
        assert names == ["genie", "modularity", "density"] * (2 if twice else 1)
        assert np.array_equal(found.draws[own[:3]], once.draws[once.asked == K])
    level = consensus(first, X, lambda labels, *_: np.zeros(len(labels)), again=[one.varied(1) for one in first])
    of_number = [level.weights[level.asked == K].sum() for K in range(3, 12)]  # steps of one on either side
    np.testing.assert_allclose(of_number, of_number[0])
    assert len(set(np.bincount(level.asked)[3:12])) == 2  # some drew once, some twice
    assert (found.best_log_odds, found.spread_log_odds) == (once.best_log_odds, once.spread_log_odds)


@pytest.mark.parametrize(("odds", "is_found"), [(-2.0, True), (-9.0, False)])
def test_the_best_of_many_clusters_is_looked_at_closely_unless_it_is_far_below_the_best(odds, is_found):
    X, _ = blobs(4, n_each=60)
    worth = {4: 0.0, 16: odds - 0.5, 21: odds, 19: 8.0}
    first = [member("genie"), member("modularity")]

    def odds_of(labels, table, methods, K):
        return np.full(len(labels), worth.get(K, -3.0 if K < 14 else -12.0))

    found = consensus(first, X, odds_of, again=[one.varied(1) for one in first])
    assert (19 in found.asked) == is_found
    assert found.n_clusters == (19 if is_found else 4)
    assert 19 not in consensus(first, X, odds_of).asked  # as of a graph


def test_a_draw_weighs_by_its_odds_and_its_stretch_of_the_grid():
    X, _ = blobs(3)
    members = [member(name) for name in ("genie", "modularity", "density")]
    judge = Validity.of(X)
    found = consensus(members, X, judge.log_odds_at)
    sizes = np.unique(found.asked)
    assert sizes[:11].tolist() == list(range(2, 13))
    odds = []
    for K in sizes:
        own = found.asked == K
        table = agreement([np.asarray(labels) for labels in found.draws[own]])
        np.testing.assert_allclose(found.agreement[own], (table.sum(axis=1) - 1) / 2)
        odds.append(judge.log_odds_at(found.draws[own], table, ("genie", "modularity", "density")))
    alike = found.asked < 12  # a step of one on either side
    expected = np.exp(np.concatenate(odds) - max(map(max, odds)))
    np.testing.assert_allclose(found.weights[alike] / found.weights[0], expected[alike] / expected[0], rtol=1e-6)
    assert found.weights.sum() == pytest.approx(1.0)
    assert found.best_log_odds == pytest.approx(max(map(max, odds)))


def test_a_method_is_one_voice_however_many_settings_it_has():
    X, _ = blobs(3)
    twice = [Genie(), Genie(gini=0.5), member("modularity")]
    odds = Validity.of(X).log_odds_at
    found = consensus(twice, X, odds)
    for K in np.unique(found.asked):
        own = found.asked == K
        table = agreement([np.asarray(labels) for labels in found.draws[own]])
        np.testing.assert_allclose(found.agreement[own], [table[0, 2], table[1, 2], (table[0, 2] + table[1, 2]) / 2])
    of_three = found.asked == 3  # all three are right there
    np.testing.assert_allclose(found.weights[of_three] / found.weights[of_three].sum(), [0.25, 0.25, 0.5])
    assert [one.gini for one in found.methods[:2]] == [0.3, 0.5]
    assert consensus(twice[:2], X, odds) is None  # nobody to agree with
    model = SoftClustering(n_clusters="auto", affinity=Ensemble(methods="genie"), random_state=0).fit(X)
    assert model.n_clusters_ == 3
    with pytest.raises(AttributeError, match="posterior_"):
        model.posterior_  # noqa: B018


def test_the_grid_has_no_number_twice_and_none_beyond():
    for most in (2, 5, 12, 13, 40, 1000):
        grid = sizes_up_to(most)
        assert grid == sorted(set(grid))
        assert grid[0] == 2
        assert grid[-1] <= most < grid[-1] * 4 / 3 + 1
    assert consensus([member("genie")], np.arange(5.0)[:, None], lambda *_: np.zeros(1)) is None


def test_past_the_largest_number_of_items_a_sample_is_drawn_and_the_others_go_with_their_nearest():
    X, truth = blobs(4, n_each=100)
    found = Ensemble(methods=("genie", "modularity"), max_items=120).consensus(X)
    assert found.draws.shape[1] == 120
    assert len(found.item) == 400
    assert metrics.adjusted_rand_index(found.labels, truth) == 1.0


def test_the_verdict_is_the_partition_of_largest_expected_index_and_has_its_probabilities():
    X, _ = blobs(5)
    found = TWO.consensus(X)
    verdict = verdict_of(found)
    assert verdict.n_clusters == found.n_clusters == 5
    assert verdict.probabilities.sum() == pytest.approx(1.0)
    assert verdict.sure == verdict.probabilities[4] == verdict.probabilities.max()
    assert verdict.judgements[-1].criterion == "agreement"
    assert verdict.rows()[-1]["n_clusters"] == 5
    index = agreement(list(found.draws)) @ found.weights
    assert found.expected == pytest.approx(index.max(), abs=1e-4)  # the least likely draws are left out
    of_five = found.draws.max(axis=1) == 4
    assert verdict.probabilities[4] == pytest.approx(found.weights[of_five].sum() * (1 - verdict.probabilities[0]))


def test_one_cluster_is_the_answer_where_more_is_to_be_expected_of_it_and_may_be_asked_not_to_be():
    X, _ = blobs(2, n_each=20)
    found = TWO.consensus(X)
    for expected, one, K in ((0.6, 0.43, 2), (0.6, 0.46, 1), (1.0, 0.49, 2), (1.0, 0.51, 1)):  # .57 * .8, .54 * .8
        verdict = verdict_of(replace(found, one=one, expected=expected))
        assert verdict.n_clusters == K
        assert verdict.probabilities[0] == pytest.approx(one)
    assert verdict_of(replace(found, one=0.9), 2).n_clusters == 2
    assert verdict_of(replace(found, one=0.9), 2).probabilities[0] == 0.0


def test_nearly_all_single_clusters_are_one():
    """The mark is 18 of 20, so that one of ten may be taken for several."""
    found = [Ensemble().consensus(np.random.default_rng(seed).normal(size=(200, 5))) for seed in range(10)]
    assert sum(verdict_of(one).n_clusters == 1 for one in found) >= 9


@pytest.mark.parametrize("seed", [1, 2])
def test_one_cluster_stands_where_methods_do_not_agree(seed):
    X = np.random.default_rng(seed).normal(size=(200, 5))
    model = SoftClustering(n_clusters="auto", affinity="ensemble", random_state=0).fit(X)
    assert model.n_clusters_ == 1
    assert model.verdict_.judgements[-1].n_clusters is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the draws are known not to be transposed
        assert model.posterior_.n_clusters_ > 1  # they are there to be looked at all the same


def test_the_smallest_draws_together_are_no_evidence():
    X = blobs(5, d=3)[0]
    found = TWO.consensus(X)
    weights = found.answering
    out = weights == 0.0
    assert weights.sum() == pytest.approx(1.0)
    assert 0.0 < found.weights[out].sum() <= 0.01
    assert found.weights[out].max() <= found.weights[~out].min()
    np.testing.assert_allclose(weights[~out], found.weights[~out] / found.weights[~out].sum())
    evidence = TWO.of_consensus(X, found)
    together = (found.draws[:, :1] == found.draws).T @ weights
    np.testing.assert_allclose(evidence.affinity.rows([0])[0], together, atol=1e-12)
    assert evidence.affinity.n_draws == (~out).sum()


def test_a_fit_has_the_posterior_behind_its_number(tmp_path):
    X, truth = blobs(3, 40)
    X = np.vstack([X, X[:10]])  # copies are one item
    weights = np.ones(len(X))
    weights[[5, 50]] = 0.0  # rows that nobody saw
    model = SoftClustering(n_clusters="auto", affinity=TWO, random_state=0).fit(X, sample_weight=weights)
    assert model.n_clusters_ == 3
    posterior = model.posterior_
    assert isinstance(posterior, BayesianPartition)
    assert posterior is model.posterior_
    assert posterior.labels_.shape == (130,)
    assert metrics.adjusted_rand_index(posterior.labels_, np.r_[truth, truth[:10]]) == 1.0
    np.testing.assert_array_equal(posterior.labels_[:10], posterior.labels_[120:])
    assert len(model.ensemble_) == len(model._consensus.weights)
    assert sum(draw.weight for draw in model.ensemble_) == pytest.approx(1.0)
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    np.testing.assert_allclose(loaded.predict_proba(X), model.predict_proba(X))
    with pytest.raises(AttributeError, match="posterior_"):
        loaded.posterior_  # noqa: B018
    with pytest.raises(AttributeError, match="posterior_"):
        SoftClustering(n_clusters=3).fit(X).posterior_  # noqa: B018


@pytest.mark.parametrize("seed", [1, 2])
def test_a_uniform_square_is_one_cluster_however_alike_fine_tilings_are(seed):
    X = np.random.default_rng([seed, 2]).uniform(size=(400, 2))
    assert SoftClustering(random_state=0).fit(X).n_clusters_ == 1


@pytest.mark.parametrize("n_each", [4, 6, 8, 10])
@pytest.mark.parametrize("K", [2, 3])
def test_a_few_items_in_clusters_far_apart_are_as_many_clusters(K, n_each):
    truth = np.repeat(np.arange(K), n_each)
    X = np.random.default_rng(1).normal(size=(len(truth), 2)) / 2 + 20.0 * np.array([[0, 0], [1, 1], [0, 1]])[truth]
    model = SoftClustering(random_state=0).fit(X)
    assert model.n_clusters_ == K
    assert metrics.adjusted_rand_index(model.labels_, truth) == 1.0


@pytest.mark.parametrize("bounds", [(1, 3), (2, 3), (5, 6), (15, 20), (30, None)])
def test_no_number_outside_of_the_bounds_is_drawn_or_probable(bounds):
    X, _ = blobs(8, n_each=40)
    found = Ensemble(seed=1).consensus(X, bounds)
    held = found.draws.max(axis=1) + 1
    least, most = max(bounds[0], 1), bounds[1] or np.inf
    assert found.weights[(held < least) | (held > most)].sum() == 0.0
    assert least <= found.n_clusters <= most
    p = verdict_of(found, bounds[0]).probabilities
    inside = [K for K in range(1, len(p) + 1) if least <= K <= most]
    assert p[np.array(inside) - 1].sum() == pytest.approx(1.0)


@pytest.mark.parametrize(("n", "d"), [(700, 128), (1000, 128), (900, 32)])
def test_many_small_clusters_in_many_columns_are_found(n, d):
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(35, d))
    truth = np.arange(n) % 35
    X = centres[truth] / np.linalg.norm(centres[truth], axis=1)[:, None] + 1.1 * rng.normal(size=(n, d)) / d**0.5
    X /= np.linalg.norm(X, axis=1)[:, None]
    model = SoftClustering(random_state=0).fit(X)
    assert abs(model.n_clusters_ - 35) <= 2
    assert model.verdict_.probability_of(1) < 0.1
    assert metrics.adjusted_rand_index(model.labels_, truth) > 0.9


def test_draws_of_one_cluster_alone_are_one_cluster():
    X, _ = blobs(2, n_each=30)
    found = TWO.consensus(X)
    none = replace(found, draws=np.zeros_like(found.draws), partition=np.zeros(60, dtype=np.int64), one=0.4)
    assert verdict_of(none).n_clusters == 1
    assert verdict_of(none).sure == 1.0


@pytest.mark.parametrize("seed", [0, 1])
def test_many_clusters_are_found_beneath_scattered_items(seed):
    rng = np.random.default_rng(seed)
    centres, truth, common = rng.normal(size=(40, 128)), np.repeat(np.arange(40), 25), 0.5 * rng.normal(size=128)
    X = np.r_[centres[truth] + rng.normal(size=(1000, 128)), 2**0.5 * rng.normal(size=(180, 128))] + common
    model = SoftClustering(random_state=0).fit(X / np.linalg.norm(X, axis=1)[:, None])
    assert metrics.adjusted_rand_index(truth, model.labels_[:1000]) > 0.95  # scattered rows may have others


def test_numbers_that_are_told_are_tried_whatever_fewer_are_worth():
    X = np.random.default_rng(0).normal(size=(300, 2)) + np.repeat([[0, 0], [99, 0], [0, 99]], 100, axis=0)
    members = [member(name) for name in ("genie", "modularity", "density")]
    judge = Validity.of(X).log_odds_at
    free, told = (set(consensus(members, X, judge, tried=tried).asked.tolist()) for tried in ((), (60,)))
    assert 60 in told
    assert 60 not in free
    bounded = consensus(members, X, judge, bounds=(20, 90))
    assert bounded.n_clusters >= 20
    assert {int(K) for K in bounded.asked if K > 12}
    assert not {int(K) for K in bounded.asked if 12 < K < 20}


def test_a_larger_number_is_tried_where_methods_agree_on_no_small_one(monkeypatch):
    monkeypatch.setattr(_Draws, "is_past_the_best", lambda drawn: True)  # nothing else goes on past 12
    rng, members = np.random.default_rng(0), [member(name) for name in ("genie", "modularity", "density")]
    apart = rng.normal(size=(300, 2)) + np.repeat([[0, 0], [99, 0], [0, 99]], 100, axis=0)
    asked = [
        set(consensus(members, X, Validity.of(X).log_odds_at).asked.tolist())
        for X in (rng.normal(size=(300, 20)), apart)
    ]
    assert max(asked[0]) == 28
    assert max(asked[1]) == 12


@pytest.mark.parametrize(("last", "ends"), [([0.45, 0.5], False), ([0.25, 0.2], True)])
def test_what_methods_agree_on_by_chance_does_not_end_the_search(last, ends):
    drawn = _Draws((), np.zeros((600, 2)), 0, None, (1, 200))
    agreed = [0.9, 0.4, 0.4, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, *last]  # one small cluster beside all others at two
    for K, one in zip(range(2, 13), agreed, strict=True):
        drawn._drawn[K] = _AtNumber((), (), np.array([one]), np.array([6.0 if K == 2 else -8.0]))
    assert drawn.is_past_the_best() == ends


def test_two_readings_of_one_answer_multiply():
    labels = np.repeat([0, 1, 2], 20)
    finer = np.where(np.arange(60) < 10, 3, labels)
    draws, weights, of_number = np.stack([labels, finer]), np.array([0.6, 0.4]), np.array([3, 4])
    found = Consensus(draws, weights, (Genie(), Genie()), of_number, np.ones(2), labels, 1.0, 0.0, 1.0)
    for answer, probable in ((labels, 0.6 * 0.7 / (0.6 * 0.7 + 0.4 * 0.3)), (np.arange(60) % 3, 0.8 * 0.6 + 0.2 * 0.7)):
        both = found.beside([answer, finer], of_number, np.array([0.7, 0.3]), np.ones(2), Components(), 0.2)
        assert both.share_of()[3] == pytest.approx(probable, abs=5e-3)


def test_readings_of_unlike_numbers_do_not_multiply():
    labels = np.repeat(np.arange(30), 30)
    finer = np.where(np.arange(900) < 15, 30, labels)  # an adjusted Rand index of .98
    draws, weights = np.stack([labels, finer]), np.array([0.6, 0.4])
    found = Consensus(draws, weights, (Genie(), Genie()), np.array([30, 31]), np.ones(2), labels, 1.0, 0.0, 1.0)
    both = found.beside([finer, labels], np.array([31, 30]), np.array([0.9, 0.1]), np.ones(2), Components(), 0.2)
    assert both.share_of()[30] == pytest.approx(0.8 * 0.6 + 0.2 * 0.1)


def test_a_number_that_one_reading_did_not_try_is_as_probable_to_it_as_those_beside_it():
    three, four, five = (np.repeat(np.arange(K), 60 // K) for K in (3, 4, 5))
    draws, weights = np.stack([three, four, five]), np.array([0.2, 0.6, 0.2])
    found = Consensus(draws, weights, (Genie(),) * 3, np.array([3, 4, 5]), np.ones(3), three, 1.0, 0.0, 1.0)
    both = found.beside([three, five], np.array([3, 5]), np.array([0.5, 0.5]), np.ones(2), Components(), 0.2)
    assert both.share_of()[4] == pytest.approx(0.8 * 0.6, abs=0.01)
