"""Components of a mixture beside the clusterings of other methods: when they are believed, and what they weigh."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logit, logsumexp

from partita import SoftClustering, metrics
from partita.ensemble import Components, Ensemble, Validity
from partita.ensemble import components as components_member
from partita.ensemble.belief import (
    OF_SPHERES,
    believed,
    of_one_cluster,
    probabilities_of_numbers,
    probability_of_components,
    with_components,
)
from partita.ensemble.builder import METHODS
from partita.ensemble.components import FIRST, LOOK, MAX_ITER, fitted_at, with_own_covariances
from partita.ensemble.normality import bic_of_uniform
from partita.kernels.ellipsoids import log_joint, n_parameters
from partita.kernels.threads import limit_threads
from synthetic import gaussians

OVERLAPPING = np.array([[0.0, 0.0], [3.2, 0.0], [0.0, 3.2]])
DEFAULT = Ensemble(methods=(*METHODS, "components"), power=None, n_draws=2)
FEW = Ensemble(methods=("mixture", "genie", "modularity", "components"), power=None, n_draws=1)


def overlapping(n_each=200, seed=0):
    truth = np.repeat(np.arange(3), n_each)
    return gaussians(truth, OVERLAPPING, seed), truth


def rings(n_each=150, seed=0):
    rng = np.random.default_rng(seed)
    angle, truth = rng.uniform(0, 2 * np.pi, 2 * n_each), np.repeat([0, 1], n_each)
    radius = np.where(truth == 0, 1.0, 4.0) + 0.1 * rng.normal(size=2 * n_each)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), truth


def weight_of(draws, name):
    return sum(draw.weight for draw in draws if draw.method == name)


def test_the_bic_is_the_log_likelihood_less_half_a_logarithm_for_each_parameter():
    X, _ = overlapping(60)
    fitted = Components().fitted(X, 3, np.random.default_rng(0))
    again = Components().fitted(X + 7.0, 3, np.random.default_rng(0))
    assert fitted.bic == pytest.approx(again.bic)
    Q = fitted.clustering.membership
    assert np.allclose(Q.sum(axis=1), 1.0)
    np.testing.assert_allclose(fitted.clustering.score(X), Q, atol=1e-9)
    # Doubling the items in the plane moves each log-density by the logarithm of the volume.
    twice = Components().fitted(2.0 * X, 3, np.random.default_rng(0))
    assert twice.bic - fitted.bic == pytest.approx(-len(X) * 2 * np.log(2), rel=1e-3)


def test_one_component_has_the_likelihood_of_a_student_distribution():
    X = np.random.default_rng(0).normal(size=(400, 2))
    bic = Components().fitted(X, 1, np.random.default_rng(0)).full.bic
    S = np.cov(X.T, bias=True)
    D = X - X.mean(axis=0)
    gaussian = -0.5 * (len(X) * np.log(np.linalg.det(2 * np.pi * S)) + np.einsum("ni,ij,nj->", D, np.linalg.inv(S), D))
    price = n_parameters("student", 1, 2) / 2 * np.log(len(X))
    assert bic + price == pytest.approx(gaussian, abs=2.0)  # a Student distribution of many degrees of freedom


def crowded(stretch=1.0, n_each=20, seed=0):
    """25 clusters side by side that are round, or stretched."""
    truth, grid = np.repeat(np.arange(25), n_each), np.array([[i, j] for i in range(5) for j in range(5)], float)
    return (np.random.default_rng(seed).normal(size=(len(truth), 2)) + 4.5 * grid[truth]) * [1.0, stretch], truth


def test_many_round_clusters_are_spheres_where_no_test_rejects_that():
    X, truth = crowded()
    X = X[truth % 3 > 0]  # of two sizes
    truth = truth[truth % 3 > 0]
    centres = 4.5 * np.array([[i, j] for i in range(5) for j in range(5)], float)[truth]
    X = centres + (X - centres) * np.where(truth % 2, 0.4, 1.2)[:, None]
    K = len(np.unique(truth))
    fitted = Components().fitted(X, K, np.random.default_rng(0))
    assert fitted.shape == "spherical"
    U = fitted.components.whiteners
    np.testing.assert_allclose(U, U[:, :1, :1] * np.eye(2), atol=1e-12)
    assert metrics.adjusted_rand_index(fitted.clustering.labels, truth) > 0.9
    price = n_parameters("spherical", K, 2) / 2 * np.log(len(X))
    squared = (((X - X.mean(axis=0))[:, None] - fitted.components.means) ** 2).sum(axis=2) * U[:, 0, 0] ** 2
    joint = np.log(fitted.components.shares) + 2 * np.log(U[:, 0, 0]) - np.log(2 * np.pi) - squared / 2
    assert fitted.bic == pytest.approx(logsumexp(joint, axis=1).sum() - price)
    assert fitted.bic == fitted.reaches


def test_many_clusters_of_one_shape_have_one_covariance():
    X, truth = crowded()
    fitted = Components().fitted(X, 25, np.random.default_rng(0))
    assert fitted.shape == "tied"
    U = fitted.components.whiteners
    np.testing.assert_allclose(U, np.broadcast_to(U[0], U.shape), rtol=1e-9)
    assert metrics.adjusted_rand_index(fitted.clustering.labels, truth) > 0.9
    price = n_parameters("tied", 25, 2) / 2 * np.log(len(X))
    joint = log_joint(fitted.components, X - X.mean(axis=0))
    assert fitted.bic == pytest.approx(logsumexp(joint, axis=1).sum() - price)


@pytest.mark.parametrize("seed", [11, 17, 18])
def test_clusters_of_one_shape_are_found_in_standardised_columns_as_in_the_given_ones(seed):
    rng = np.random.default_rng(seed)
    truth = rng.choice(4, 400, p=[0.5, 0.25, 0.15, 0.1])
    X = rng.normal(size=(400, 6))
    X[:, :4] += (rng.normal(size=(4, 4)) * 2.2)[truth]
    for columns, shape in ((X, "spherical"), ((X - X.mean(axis=0)) / X.std(axis=0), "tied")):
        fits = fitted_at(Components(), columns, [1, 2, 3, 4, 5, 6], 0)
        best = max(fits, key=lambda K: fits[K].bic)
        assert (best, fits[best].shape) == (4, shape)
        full = with_own_covariances(fits)
        assert max(full, key=lambda K: full[K].bic) < 4


def test_stretched_clusters_are_no_spheres():
    X, _ = crowded(stretch=3.0, n_each=60)
    fitted = Components().fitted(X, 25, np.random.default_rng(0))
    assert fitted.shape != "spherical"
    lengths = np.linalg.norm(fitted.components.whiteners, axis=1)
    assert np.median(lengths.max(axis=1) / lengths.min(axis=1)) > 2.0


def test_spheres_are_not_tried_where_there_are_fewer_items_than_covariances_have_parameters():
    truth = np.repeat(np.arange(4), 20)
    X = gaussians(truth, 4.0 * np.eye(4, 10), 0)
    assert n_parameters("student", 4, 10) > len(X)
    fitted = Components().fitted(X, 4, np.random.default_rng(0))
    assert fitted.full is None
    assert np.isfinite(fitted.components.freedom)


def test_spheres_are_taken_where_they_find_more_clusters_than_covariances_of_their_own():
    X, _ = crowded(n_each=30)
    found = fitted_at(Components(), X, [2, 4, 8, 12, 16, 20, 25, 30], 0)
    full = {K: fit.full or fit for K, fit in found.items()}
    assert max(full, key=lambda K: full[K].bic) < 25
    few, _ = overlapping()  # three round clusters, which covariances of their own find too
    both = fitted_at(Components(), few, [1, 2, 3, 4, 5], 0)
    assert max(both, key=lambda K: both[K].bic) == 3


def test_spheres_are_believed_more():
    X, truth = overlapping()
    judge = Validity.of(X)
    others = np.r_[np.zeros(300, dtype=np.int64), np.ones(300, dtype=np.int64)]
    p, q = (probability_of_components(judge, truth, others, more) for more in (0.0, OF_SPHERES))
    assert logit(q) - logit(p) == pytest.approx(1.5)


def test_more_components_are_tried_while_spheres_rise_that_tests_reject():
    X, truth = crowded(n_each=30)
    found = fitted_at(Components(), X, [2, 4, 8, 12, 16, 20, 25, 30], 0)
    assert list(found)[-1] == 30
    best = max(found, key=lambda K: found[K].bic)
    assert best == 25
    assert metrics.adjusted_rand_index(found[25].clustering.labels, truth) > 0.9


def test_too_few_items_for_components_have_no_bic():
    X = np.random.default_rng(0).normal(size=(20, 6))
    assert Components().fitted(X, 2, np.random.default_rng(0)).bic > -np.inf
    assert Components().fitted(X, 4, np.random.default_rng(0)).bic == -np.inf


def test_probabilities_of_numbers_are_those_of_tempered_likelihoods():
    bic = np.array([-1e6, -1e6 + 60.0, -np.inf])
    p = probabilities_of_numbers(bic)
    assert p.sum() == pytest.approx(1.0)
    assert p[2] == 0.0
    assert np.log(p[1] / p[0]) == pytest.approx(2.0)
    np.testing.assert_allclose(np.log(p[:2]), bic[:2] / 30 - logsumexp(bic[:2] / 30), rtol=1e-9)


def ellipses(seed, n=1200, K=8, d=5):
    rng, truth = np.random.default_rng(seed), np.arange(n) % K
    scales, means = rng.normal(size=(K, d, d)), 3.0 * rng.normal(size=(K, d))
    return means[truth] + np.einsum("nij,nj->ni", scales[truth], rng.normal(size=(n, d))), truth


@pytest.fixture
def short_looks(monkeypatch):
    monkeypatch.setattr(components_member._Climbs, "or_likelier", lambda climbs, own, looks, more: own)


@pytest.mark.parametrize("seed", [14, 16])  # of 24, those where k-means alone leads to another maximum
def test_what_other_methods_say_leads_to_a_likelihood_that_k_means_misses(seed, short_looks):
    X, truth = ellipses(seed)
    alone, begun = (Components().fitted(X, 8, np.random.default_rng(0), starts) for starts in ((), [truth]))
    assert begun.bic > alone.bic + 100.0
    index = [metrics.adjusted_rand_index(fit.clustering.labels, truth) for fit in (alone, begun)]
    assert index[1] > index[0] + 0.05


@pytest.mark.parametrize("seed", [1, 15])  # of 24, those where k-means of the items as they are misses it
def test_k_means_of_items_without_scatter_leads_to_the_likelihood_that_the_truth_leads_to(
    seed, short_looks, monkeypatch
):
    X, truth = ellipses(seed)
    found, begun = (Components().fitted(X, 8, np.random.default_rng(0), starts) for starts in ((), [truth]))
    assert found.bic > begun.bic - 3.0
    monkeypatch.setattr(components_member._Climbs, "sphered", property(lambda climbs: climbs.Z))
    assert Components().fitted(X, 8, np.random.default_rng(0)).bic < begun.bic - 100.0


@pytest.mark.parametrize("seed", [9, 14])  # of 24, those where it finds another maximum that tests do not reject
def test_a_longer_look_finds_likelier_components(seed, monkeypatch):
    X, truth = ellipses(seed)
    found, begun = (Components().fitted(X, 8, np.random.default_rng(0), starts) for starts in ((), [truth]))
    assert found.fits
    assert found.bic > begun.bic - 1.0
    monkeypatch.setattr(components_member._Climbs, "or_likelier", lambda climbs, own, looks, more: own)
    assert Components().fitted(X, 8, np.random.default_rng(0)).bic < begun.bic - 5.0


def test_a_longer_look_is_taken_only_where_tests_do_not_reject_what_it_finds(monkeypatch):
    climbed, steps = components_member._Climbs.climbed, []

    def kept(climbs, shape, begun, max_iter, **options):
        steps.append((len(begun), max_iter))
        return climbed(climbs, shape, begun, max_iter, **options)

    monkeypatch.setattr(components_member._Climbs, "climbed", kept)
    for K in (3, 4, 5):
        Components().fitted(rings()[0], K, np.random.default_rng(0))
    assert (8, FIRST) not in steps  # none is looked for where tests reject the first one beyond doubt
    X, _ = ellipses(9)
    found = Components().fitted(X, 8, np.random.default_rng(0))
    assert (8, FIRST) in steps  # four starts, and four more
    monkeypatch.setattr(components_member.FittedMixture, "fits", property(lambda mixture: False))
    assert Components().fitted(X, 8, np.random.default_rng(0)).bic < found.bic - 5.0


def test_beside_other_starts_one_run_of_k_means_is_enough(monkeypatch):
    X, truth = overlapping(60)
    begun, climbed = [], components_member.climb

    def kept(items, start, *, max_iter, **options):
        begun.append((items.shape, max_iter))
        return climbed(items, start, max_iter=max_iter, **options)

    monkeypatch.setattr(components_member, "climb", kept)
    for starts, n in (((), 4), ([truth], 3), ([truth, truth], 4), ([np.arange(180) % 9], 4)):
        begun.clear()
        Components().fitted(X, 3, np.random.default_rng(0), starts)
        assert begun.count(("student", LOOK)) == n


def test_spheres_that_are_far_behind_after_a_few_steps_are_left(monkeypatch):
    steps, climbed = {}, components_member.climb

    def kept(items, start, *, max_iter, **options):
        steps.setdefault(items.shape, set()).add(max_iter)
        return climbed(items, start, max_iter=max_iter, **options)

    monkeypatch.setattr(components_member, "climb", kept)
    X, _ = overlapping(60)
    Components().fitted(X, 3, np.random.default_rng(0))
    assert steps["spherical"] == steps["student"] == steps["tied"] == {LOOK, FIRST, MAX_ITER}
    steps.clear()
    Components().fitted(X * [1.0, 100.0], 3, np.random.default_rng(0))
    assert steps["student"] == {LOOK, FIRST, MAX_ITER}
    assert steps["spherical"] == {LOOK}


def test_labels_of_more_clusters_are_no_start():
    X, truth = overlapping(60)
    plain = Components().fitted(X, 2, np.random.default_rng(0))
    assert Components().fitted(X, 2, np.random.default_rng(0), [truth]).bic == plain.bic


def test_components_begin_at_what_the_other_methods_of_a_fit_say(monkeypatch):
    X, _ = overlapping(60)
    begun, fitted = {}, Components.fitted

    def kept(self, X, n_clusters, rng, starts=(), **options):
        begun[n_clusters] = starts
        return fitted(self, X, n_clusters, rng, starts, **options)

    monkeypatch.setattr(Components, "fitted", kept)
    draws = FEW.build(X, n_clusters=3).draws
    np.testing.assert_array_equal(begun.pop(3), [draw.labels for draw in draws if draw.method != "components"])
    assert not begun
    found = FEW.consensus(X)
    assert begun.pop(1) == []
    for K, starts in begun.items():
        assert len(starts) == 3
        sizes = {tuple(np.bincount(said)) for said in found.draws[found.asked == K]}
        assert {tuple(np.bincount(said)) for said in starts} <= sizes  # the items are in another order


def test_numbers_are_tried_until_the_criterion_has_fallen():
    X, _ = overlapping(100)
    numbers = [1, *range(2, 13), 16, 21, 28]
    tried = fitted_at(Components(), X, numbers, 0)
    assert max(tried, key=lambda K: tried[K].bic) == 3
    assert list(tried) == [1, 2, 3, 4, 5, 6]
    assert list(fitted_at(Components(), X, numbers, 0, always=12)) == numbers[:12]


def test_what_is_fitted_ahead_is_dropped_where_the_criterion_had_fallen():
    truth = np.repeat(np.arange(3), 400)
    X = gaussians(truth, 9.0 * np.eye(3, 2), 0)
    for n_threads in (1, 2):
        with limit_threads(n_threads):
            assert list(fitted_at(Components(n_starts=1), X, [1, 2, 3, 4, 5, 7, 8], 0, always=3)) == [1, 2, 3, 4, 5, 7]


def test_a_single_large_number_can_be_tried():
    X, _ = overlapping(40)
    assert list(fitted_at(Components(), X, [14], 0)) == [14]


def test_threads_do_not_change_a_bit():
    truth = np.repeat(np.arange(16), 80)
    X = gaussians(truth, 6.0 * np.stack(np.unravel_index(np.arange(16), (4, 4)), axis=1), 0)
    numbers = [1, 2, 3, 9, 12, 14, 16, 18]
    tried = []
    for n_threads in (1, 2):
        with limit_threads(n_threads):
            tried.append(fitted_at(Components(n_starts=1), X, numbers, 0))
    assert list(tried[0]) == list(tried[1]) == numbers
    assert [fit.bic for fit in tried[0].values()] == [fit.bic for fit in tried[1].values()]


def test_overlapping_clusters_are_believed_to_be_components_and_rings_are_not():
    X, truth = overlapping()
    judge, merged = Validity.of(X), np.minimum(truth, 1)
    assert probability_of_components(judge, truth, merged) > 0.6
    assert probability_of_components(judge, truth, np.zeros_like(truth)) == 0.0
    Y, ring = rings()
    cut = (Y[:, 0] > 0).astype(np.int64)
    assert probability_of_components(Validity.of(Y), cut, ring) < 0.05


def test_components_are_believed_the_more_the_more_valid_and_the_fewer_gaps():
    X, truth = overlapping()
    judge = Validity.of(X)
    theirs = judge.statistics(np.minimum(truth, 1), 0.5)
    own = judge.statistics(truth, 0.5)
    as_is = believed(own, theirs, judge.weights)
    assert believed(own._replace(agreement=0.9), theirs, judge.weights) > as_is
    assert believed(own, theirs._replace(gaps=theirs.gaps + 0.1), judge.weights) < as_is


def test_with_the_number_given_the_mixture_has_the_share_that_it_is_believed_by():
    X, _ = overlapping()
    draws = DEFAULT.build(X, n_clusters=3).draws
    assert [draw.method for draw in draws].count("components") == 1
    assert sum(draw.weight for draw in draws) == pytest.approx(1.0)
    assert weight_of(draws, "components") > 0.5
    without = replace(DEFAULT, methods=METHODS).build(X, n_clusters=3).draws
    others = [draw for draw in draws if draw.method != "components"]
    left = 1.0 - weight_of(draws, "components")
    np.testing.assert_allclose([draw.weight / left for draw in others], [draw.weight for draw in without])
    assert [draw.agreement for draw in others] == [draw.agreement for draw in without]
    Y, _ = rings()
    assert weight_of(DEFAULT.build(Y, n_clusters=2).draws, "components") < 0.05


def test_clusters_that_overlap_are_found_where_methods_alone_lose_them():
    truth = np.repeat(np.arange(3), 500)
    X = gaussians(truth, 2.8 / 3.2 * OVERLAPPING, 0)
    both = (DEFAULT, replace(DEFAULT, methods=METHODS))
    found, alone = (SoftClustering(affinity=affinity, random_state=0).fit(X) for affinity in both)
    assert found.n_clusters_ == 3
    index = [metrics.adjusted_rand_index(model.labels_, truth) for model in (found, alone)]
    assert index[0] > 0.6
    assert index[0] > index[1]
    assert SoftClustering(random_state=0).fit(X).n_clusters_ == 3


def test_the_consensus_has_draws_of_components_with_the_share_that_they_are_believed_by():
    X, _ = overlapping()
    found = FEW.consensus(X)
    lone = np.array([one.name == "components" for one in found.methods])
    assert 0.5 < found.components < 1.0
    assert found.weights.sum() == pytest.approx(1.0)
    assert found.weights[lone].sum() == pytest.approx(found.components)
    assert len(found.draws) == len(found.weights) == len(found.asked) == len(found.agreement) == len(found.methods)
    assert set(found.asked[lone]) <= set(found.asked[~lone])
    alone = replace(FEW, methods=("mixture", "genie", "modularity")).consensus(X)
    assert np.array_equal(found.draws[~lone], alone.draws)
    np.testing.assert_allclose(found.weights[~lone] / (1 - found.components), alone.weights)
    assert (found.best_log_odds, found.spread_log_odds) == (alone.best_log_odds, alone.spread_log_odds)
    assert all(found.agreement_at(K) == alone.agreement_at(K) for K in range(2, 9))
    there = found.at(3)
    at_three = np.array([one.name == "components" for one in there.methods])
    assert there.n_clusters == 3
    assert there.weights[at_three].sum() == pytest.approx(found.components)


def test_scattered_items_are_no_cluster_of_a_mixture():
    rng = np.random.default_rng(2000)
    X = np.concatenate([rng.normal(size=(950, 2)) + np.repeat([[0, 0], [7, 0]], 475, axis=0)])
    noise = rng.uniform(X.min(axis=0) - 2, X.max(axis=0) + 2, size=(50, 2))
    Y = np.concatenate([X, noise])
    fit = Components().fitted(Y, 4, np.random.default_rng(0))
    labels = fit.labels_of_clusters()
    assert len(np.unique(fit.clustering.labels)) > len(np.unique(labels)) == 2
    assert metrics.adjusted_rand_index(labels[:950], np.repeat([0, 1], 475)) > 0.98
    assert SoftClustering(random_state=0).fit(Y).n_clusters_ == 2
    clean = Components().fitted(X, 2, np.random.default_rng(0))
    np.testing.assert_array_equal(clean.labels_of_clusters(), clean.clustering.labels)
    one = Components().fitted(noise, 2, np.random.default_rng(0))  # nothing is left
    np.testing.assert_array_equal(one.labels_of_clusters(), one.clustering.labels)


def test_the_answer_of_a_mixture_has_its_most_probable_number():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(380, 2)) + np.repeat([[0, 0], [6, 1]], 190, axis=0)
    noise = rng.uniform(X.min(axis=0) - 2, X.max(axis=0) + 2, size=(20, 2))
    model = SoftClustering(random_state=0).fit(np.concatenate([X, noise]))  # alone, three components are likeliest
    assert model.n_clusters_ == int(np.argmax(model.verdict_.probabilities)) + 1 == 2


def test_bounds_hold_for_components_too():
    X, _ = overlapping()
    found = FEW.consensus(X, (4, 6))
    held = found.draws.max(axis=1) + 1
    assert not found.weights[(held < 4) | (held > 6)].any()
    assert 4 <= found.n_clusters <= 6
    assert found.at(2).n_clusters == 2


def test_where_one_component_is_best_the_others_have_their_say_alone():
    X = np.random.default_rng(0).normal(size=(300, 4))
    alone = replace(FEW, methods=("mixture", "genie", "modularity")).consensus(X)
    found = with_components(alone, Components(), X, Validity.of(X))
    assert (found.components, len(found.draws)) == (0.0, len(alone.draws))
    assert FEW.consensus(X).components == 0.0


@pytest.mark.parametrize(
    ("data", "told"),
    [("normal", 1.4 + 1.2 * np.log(400 / 120)), ("overlapping", -3.2), ("box", 1.4), ("rings", 0.0), ("few", -3.7)],
)
def test_a_mixture_tells_one_cluster_from_several(data, told):
    rng = np.random.default_rng(0)
    X = {
        "normal": rng.normal(size=(400, 2)),
        "overlapping": overlapping()[0],
        "box": rng.random((1000, 2)),
        "rings": rings()[0],
        # Thirty of 300 items apart, in 8 columns: BIC has one component, with skewed items.
        "few": np.r_[np.zeros((270, 8)), np.tile(4.0 * np.eye(8)[0], (30, 1))] + rng.normal(size=(300, 8)),
    }[data]
    found, alone = (ensemble.consensus(X) for ensemble in (FEW, replace(FEW, methods=FEW.methods[:3])))
    assert logit(found.one) - logit(alone.one) == pytest.approx(told, abs=1e-6)


def test_one_component_that_is_not_rejected_tells_the_more_of_one_cluster_the_more_items_there_are():
    rng, told = np.random.default_rng(0), []
    for n in (60, 120, 480, 1920):  # 120 are twenty for each of its six parameters
        draws = (Components().fitted(rng.normal(size=(n, 2)), 1, rng) for _ in range(99))
        one = next(draw for draw in draws if draw.fits)  # one in twenty is rejected
        told.append(of_one_cluster(one, one))
    np.testing.assert_allclose(np.diff(told), [0.0, 1.2 * np.log(4), 1.2 * np.log(4)])


def test_a_few_outliers_make_one_component_neither_skewed_nor_several():
    rng = np.random.default_rng([31, 8])
    few = rng.normal(size=(400, 3))
    far = np.r_[few, few.std(axis=0) * 6 * rng.uniform(-1, 1, size=(4, 3)) + [3.0, 3.0, 3.0]]
    one = Components().fitted(far, 1, rng)
    assert one.normality.skewness < 0.01 < one.skewness_of_most
    assert of_one_cluster(one, one) == 0.0
    skewed = Components().fitted(rng.gamma(1.0, size=(400, 3)), 1, rng)
    assert skewed.skewness_of_most < 0.01
    assert of_one_cluster(skewed, skewed) == -3.7


@pytest.mark.parametrize(("draw", "n", "q"), [("exponential", 200, 10), ("lognormal", 400, 4), ("gamma", 200, 8)])
def test_one_cluster_of_skewed_columns_is_one(draw, n, q):
    rng = np.random.default_rng([q, n])
    X = rng.gamma(2.0, size=(n, q)) if draw == "gamma" else getattr(rng, draw)(size=(n, q))
    model = SoftClustering(random_state=0).fit(X)
    assert model.n_clusters_ == 1
    assert model.verdict_.sure > 0.7


def test_several_clusters_of_skewed_columns_are_several():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 100)
    X = np.exp(rng.normal(size=(300, 4)) / 2 + 2.5 * np.eye(3, 4)[truth])
    assert metrics.adjusted_rand_index(SoftClustering(random_state=0).fit(X).labels_, truth) > 0.9


def test_no_longer_look_is_taken_at_a_number_that_is_far_behind(monkeypatch):
    looks = []
    longer = components_member._Climbs.or_likelier
    monkeypatch.setattr(
        components_member._Climbs,
        "or_likelier",
        lambda self, own, *given: looks.append(self.n_clusters) or longer(self, own, *given),
    )
    truth = np.repeat(np.arange(3), 100)
    X = gaussians(truth, 6.0 * np.eye(3, 6), 0)
    found = fitted_at(Components(n_starts=1), X, [1, 2, 3, 4, 5, 6, 7, 8], 0, always=3)
    bic = {K: fit.bic for K, fit in with_own_covariances(found).items()}
    assert list(bic) == [1, 2, 3, 4, 5, 6]
    assert max(bic[5], bic[6]) < bic[3] - 0.2 * len(X)
    assert looks == [2, 3, 4]  # of four, three were not known to be better: both may be tried at once


@pytest.mark.parametrize(("n_beneath", "told"), [(15, 1.4), (60, -3.2)])
def test_a_component_of_a_few_scattered_items_beside_another_is_no_second_cluster(n_beneath, told):
    rng = np.random.default_rng(1)
    X = np.r_[rng.normal(size=(400, 2)), rng.uniform(-14, 14, size=(n_beneath, 2))]
    one, two = (Components().fitted(X, K, np.random.default_rng(0)) for K in (1, 2))
    assert two.fits
    assert two.is_one_and_outliers == (told > 0)
    assert not two.scattered.any()  # of two, one has to be left
    assert of_one_cluster(two, one) == told
    assert not Components().fitted(overlapping(100)[0], 3, rng).is_one_and_outliers


@pytest.mark.parametrize("n_small", [5, 6, 7])  # fewer than, and as many as, a covariance can be estimated of
def test_a_small_compact_cluster_is_no_outlier_of_another(n_small):
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(200, 5)), 0.3 * rng.normal(size=(n_small, 5)) + 4]
    found, model = DEFAULT.consensus(X), SoftClustering(random_state=0).fit(X)
    assert found.one < 0.2
    assert model.n_clusters_ == 2
    assert len(set(model.labels_[200:]) - set(model.labels_[:200])) == 1


def test_several_components_tell_of_several_clusters_as_far_as_their_bic_is_larger():
    X, _ = overlapping()
    one, three = (Components().fitted(X, K, np.random.default_rng(0)) for K in (1, 3))
    told = [of_one_cluster(three, replace(one, bic=three.bic - larger)) for larger in (0.0, 5.0, 10.0, 99.0)]
    assert told == [0.0, -1.6, -3.2, -3.2]


@pytest.mark.parametrize("seed", [0, 3, 7])
def test_a_square_of_a_hundred_items_is_one_cluster(seed):
    X = np.random.default_rng([seed, 100, 2]).random((100, 2))
    assert SoftClustering(random_state=seed).fit(X).n_clusters_ == 1


@pytest.mark.parametrize("n_columns", [2, 3])
def test_a_uniform_body_has_the_likelihood_of_its_own_volume(n_columns):
    X = np.random.default_rng(0).random((4000, n_columns)) * 3
    parameters = n_columns + n_columns * (n_columns + 1) / 2
    expected = -4000 * n_columns * np.log(3) - parameters / 2 * np.log(4000)
    assert bic_of_uniform(X) == pytest.approx(expected, abs=40)  # a hundredth of the volume at most
    assert bic_of_uniform(3 * X) == pytest.approx(bic_of_uniform(X) - 4000 * n_columns * np.log(3), abs=1e-6)


@pytest.mark.parametrize(
    "X", [np.eye(3), np.c_[np.arange(9.0), np.arange(9.0)], np.random.default_rng(0).random((50, 4)) * [1, 1, 1, 0]]
)
def test_items_without_a_hull_or_a_box_have_no_uniform_body(X):
    assert bic_of_uniform(X) == -np.inf


def test_a_uniform_body_of_many_columns_is_a_box():
    sides = np.array([1.0, 2.0, 5.0, 0.1])
    X = np.random.default_rng(0).random((4000, 4)) * sides
    # A side is known to one part in the number of items.
    assert bic_of_uniform(X) == pytest.approx(-4000 * np.log(sides).sum() - 4 * np.log(4000), abs=8)


@pytest.mark.parametrize("q", [5, 10])
def test_items_of_a_box_of_many_columns_are_one_cluster(q):
    X = np.random.default_rng([2, q]).random((400, q))
    found, alone = (ensemble.consensus(X) for ensemble in (FEW, replace(FEW, methods=FEW.methods[:3])))
    assert logit(found.one) - logit(alone.one) == pytest.approx(1.4, abs=1e-6)
    assert SoftClustering(random_state=0).fit(X).n_clusters_ == 1


def test_few_items_are_not_asked_for_components():
    X, _ = overlapping(12)
    draws = FEW.build(X, n_clusters=3).draws
    assert weight_of(draws, "components") == 0.0
    assert FEW.consensus(X).components == 0.0


def test_an_ensemble_of_named_methods_has_no_others():
    X, _ = overlapping(40)
    model = SoftClustering(3, affinity="ensemble", random_state=0).fit(X)
    assert {draw.method for draw in model.ensemble_} == set(METHODS)
    only = Ensemble(methods=("components",), n_draws=2)
    assert (only.components, only.voting, only.seeking) == (None, only.members, only.members)
    assert weight_of(only.build(X, n_clusters=3).draws, "components") == pytest.approx(1.0)


def test_many_columns_are_seen_in_their_leading_directions():
    X, truth = overlapping(100)
    wide = np.hstack([3.0 * X, 0.01 * np.random.default_rng(1).normal(size=(len(X), 30))])
    clustering = Components().cluster(wide, 3, np.random.default_rng(0))
    assert metrics.adjusted_rand_index(clustering.labels, truth) > 0.5
    assert np.array_equal(clustering.score(wide).argmax(axis=1), clustering.labels)


def test_a_fit_says_whose_number_it_has():
    X, _ = overlapping()
    model = SoftClustering(random_state=0).fit(X)
    said = model.chosen_["n_clusters"].why
    assert "components of a mixture" in said
    assert f"{model._consensus.components:.2f}" in said
    assert "components" not in SoftClustering(random_state=0).fit(rings(60)[0]).chosen_["n_clusters"].why
