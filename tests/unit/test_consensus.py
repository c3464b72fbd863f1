"""The consensus of unlike methods: weights, grid, the number of clusters of a fit, and the posterior behind it."""

from dataclasses import replace

import numpy as np
import pytest

from partita import BayesianPartition, SoftClustering, load, metrics, save
from partita.ensemble import Clustering, Density, Ensemble, Genie, agreement, member
from partita.ensemble.consensus import consensus, sizes_up_to
from partita.n_clusters import KEvidence, judge_all
from partita.n_clusters.agreement import with_consensus

TWO = Ensemble(methods=("genie", "modularity"))


def blobs(K, n_each=30, d=2, seed=0):
    rng = np.random.default_rng(seed)
    centres = 12.0 * np.stack(np.unravel_index(np.arange(K), (int(np.ceil(K ** (1 / d))),) * d), axis=1)
    return np.repeat(centres, n_each, axis=0) + rng.normal(size=(K * n_each, d)), np.repeat(np.arange(K), n_each)


@pytest.mark.parametrize("K", [3, 7, 50])
def test_planted_clusters_are_counted_and_found(K):
    X, truth = blobs(K)
    found = TWO.consensus(X, np.ones(1))
    assert abs(found.n_clusters - K) <= K // 25
    assert metrics.adjusted_rand_index(found.labels, truth) > 0.99


def test_progress_says_each_number_that_is_tried_and_changes_nothing():
    X, _ = blobs(3)
    said = []
    found = TWO.consensus(X, np.ones(1), tell=said.append)
    tried = [int(words.rpartition(" ")[2]) for words in said]
    assert sorted(tried) == np.unique(found.asked).tolist()
    assert np.array_equal(found.draws, TWO.consensus(X, np.ones(1)).draws)


def test_a_draw_weighs_by_agreement_the_prior_and_its_stretch_of_the_grid():
    X, _ = blobs(3)
    prior = np.array([0.1, 0.2, 0.3, 0.4])
    members = [member(name) for name in ("genie", "modularity", "density")]
    found = consensus(members, X, prior)
    sizes = np.unique(found.asked)
    assert sizes[:11].tolist() == list(range(2, 13))
    for at, K in enumerate(sizes):
        own = found.asked == K
        table = agreement([np.asarray(labels) for labels in found.draws[own]])
        np.testing.assert_allclose(found.agreement[own], (table.sum(axis=1) - 1) / 2)
        stretch = 1.0 if at + 1 < len(sizes) and sizes[at + 1] == K + 1 else None
        if stretch is None:
            continue
        expected = np.maximum(found.agreement[own], 1e-3) ** 16 * np.sqrt(prior[min(K, 4) - 1])
        if at == 0:
            scale = found.weights[own] / expected
        np.testing.assert_allclose(found.weights[own], expected * scale)
    assert found.weights.sum() == pytest.approx(1.0)


def test_a_method_is_one_voice_however_many_settings_it_has():
    X, _ = blobs(3)
    twice = [Genie(), Genie(gini=0.5), member("modularity")]
    found = consensus(twice, X, np.ones(1))
    for K in np.unique(found.asked):
        own = found.asked == K
        table = agreement([np.asarray(labels) for labels in found.draws[own]])
        np.testing.assert_allclose(found.agreement[own], [table[0, 2], table[1, 2], (table[0, 2] + table[1, 2]) / 2])
    of_three = found.asked == 3  # all three are right there
    np.testing.assert_allclose(found.weights[of_three] / found.weights[of_three].sum(), [0.25, 0.25, 0.5])
    assert [one.gini for one in found.methods[:2]] == [0.3, 0.5]
    assert consensus(twice[:2], X, np.ones(1)) is None  # nobody to agree with
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
    assert consensus([member("genie")], np.arange(5.0)[:, None], np.ones(1)) is None


def test_past_the_largest_number_of_items_a_sample_is_drawn_and_the_others_go_with_their_nearest():
    X, truth = blobs(4, n_each=100)
    found = Ensemble(methods=("genie", "modularity"), max_items=120).consensus(X, np.ones(1))
    assert found.draws.shape[1] == 120
    assert len(found.item) == 400
    assert metrics.adjusted_rand_index(found.labels, truth) == 1.0


def test_the_verdict_follows_the_consensus_and_pools_its_shares():
    X, _ = blobs(5)
    before = judge_all(KEvidence(features=X))
    found = TWO.consensus(X, before.probabilities)
    after = with_consensus(before, found)
    assert after.n_clusters == found.n_clusters == 5
    assert after.probabilities.sum() == pytest.approx(1.0)
    assert after.probabilities[0] == before.probabilities[0]
    assert after.sure == after.probabilities[4] == after.probabilities.max()
    assert after.judgements[-1].criterion == "agreement"
    assert after.rows()[-1]["n_clusters"] == 5


@pytest.mark.parametrize("seed", [0, 1])
def test_one_cluster_stands_where_methods_do_not_agree(seed):
    X = np.random.default_rng(seed).normal(size=(200, 5))
    model = SoftClustering(n_clusters="auto", affinity="ensemble", random_state=0).fit(X)
    assert model.n_clusters_ == 1
    assert model.verdict_.judgements[-1].n_clusters is None
    assert model.posterior_.n_clusters_ > 1  # the draws are there to be looked at all the same


def test_methods_that_agree_nowhere_leave_the_criteria_their_answer():
    X = np.random.default_rng(3).normal(size=(200, 10))
    two = replace(judge_all(KEvidence(features=X)), n_clusters=2)
    found = TWO.consensus(X, two.probabilities)
    assert found.best_agreement < 1 / 3
    assert with_consensus(two, found).n_clusters == 2


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


class Two(Density):
    """A method that finds two halves whatever it is asked for."""

    def cluster(self, X, n_clusters, rng):
        return Clustering((X[:, 0] > np.median(X[:, 0])).astype(np.int64))


def test_a_draw_far_from_the_number_asked_for_is_no_voice_where_the_others_agree():
    X, truth = blobs(8, n_each=40, d=4)
    found = consensus([*(member(name) for name in ("mixture", "graph", "genie")), Two()], X, np.ones(1))
    at = found.asked == 8
    assert [one.name for one, own in zip(found.methods, at, strict=True) if own] == ["mixture", "graph", "genie"]
    assert found.agreement[at].min() > 0.99
    assert Two.name in {one.name for one, own in zip(found.methods, found.asked == 2, strict=True) if own}
    assert metrics.adjusted_rand_index(found.labels, truth) > 0.99
    assert found.weights.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_uniform_square_is_one_cluster_however_alike_fine_tilings_are(seed):
    X = np.random.default_rng([seed, 2]).uniform(size=(400, 2))
    assert SoftClustering(random_state=0).fit(X).n_clusters_ == 1
