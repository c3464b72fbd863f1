"""Latent classes: the clusters of a table of words."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import gammaln

from partita import SoftClustering
from partita.ensemble import Ensemble, LatentClasses
from partita.ensemble.categories import Categories
from partita.ensemble.latent_classes import classes_of
from partita.errors import InputError
from partita.estimators.mixed_table import MixedTable, words
from partita.estimators.plan import affinity_for
from partita.metrics import adjusted_rand_index
from partita.n_clusters import is_of_classes
from partita.report import FitReport, render_report

pytestmark = pytest.mark.usefixtures("unpainted")


def drawn(n=300, d=6, K=2, own=0.9, seed=0, n_words=2):
    """A table of words: each class has its own word in each column, which a row has with a probability, else any."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(K, size=n)
    profile = (np.arange(K)[:, None] * (1 + np.arange(d) % (n_words - 1 or 1)) + np.arange(d)) % n_words
    return np.where(rng.random((n, d)) < own, profile[truth], rng.integers(n_words, size=(n, d))), truth


def table_of(X):
    letters = np.array(list("abcdefgh"), dtype=object)
    return MixedTable(tuple(f"q{j}" for j in range(X.shape[1])), tuple(words(letters[column]) for column in X.T))


def one_hot(X):
    return np.hstack([(X[:, [j]] == np.unique(X[:, j])).astype(float) for j in range(X.shape[1])])


def counted(X):
    rows, counts = np.unique(one_hot(X), axis=0, return_counts=True)
    return Categories.of(rows, counts.astype(float))


def fitted(table, **options):
    return SoftClustering(random_state=0, **options).fit(table)


# What a table of words is


@pytest.mark.parametrize("n_words", [2, 3, 5])
def test_words_are_found_in_zeros_and_ones_in_any_unit(n_words):
    X, _ = drawn(n_words=n_words, K=n_words)
    found = Categories.of(7.0 * one_hot(X) - 3.0)
    assert found.n_columns == 6
    np.testing.assert_array_equal(found.column, np.repeat(np.arange(6), n_words))
    np.testing.assert_array_equal(found.cells, one_hot(X))


def test_columns_of_two_values_are_words_and_others_are_not():
    X, _ = drawn()
    found = Categories.of(1.0 * X)
    assert found.n_columns == 6
    np.testing.assert_array_equal(found.cells[:, 1::2], X)
    assert Categories.of(np.c_[X, np.arange(300)]) is None
    assert Categories.of(np.c_[one_hot(X), np.linspace(0, 1, 300)]) is None
    assert Categories.of(np.ones((5, 2))) is None


def test_cells_that_were_filled_in_are_words_in_part_and_mostly_filled_columns_are_not():
    X, _ = drawn(n_words=3, K=3)
    cells = one_hot(X)
    cells[:40, :3] = (0.5, 0.25, 0.25)
    assert Categories.of(cells).n_columns == 6
    cells[:200, :3] = (0.5, 0.25, 0.25)
    assert Categories.of(cells) is None


# The integrated likelihood


def test_the_evidence_is_the_product_of_dirichlet_multinomials():
    X, truth = drawn(n=40, n_words=3, K=3)
    found = Categories.of(one_hot(X))

    def log_of(counts):  # of a sequence with these counts, uniform over shares by Jeffreys' prior
        counts = np.asarray(counts, dtype=float)
        return (
            gammaln(len(counts) / 2)
            - gammaln(counts.sum() + len(counts) / 2)
            + (gammaln(counts + 0.5) - gammaln(0.5)).sum()
        )

    def joint(labels):
        K = labels.max() + 1
        told = [log_of(np.bincount(X[labels == k, j], minlength=3)) for k in range(K) for j in range(6)]
        return sum(told) + log_of(np.bincount(labels))

    assert found.evidence(truth) == pytest.approx(joint(truth) - joint(0 * truth))


def test_evidence_of_counts_is_that_of_copies_and_names_of_labels_do_not_matter():
    X, truth = drawn(n_words=3, K=3)
    whole, distinct = Categories.of(one_hot(X)), counted(X)
    labels = distinct.cells[:, 0].astype(int) + 2 * distinct.cells[:, 4].astype(int)
    labels = np.unique(labels, return_inverse=True)[1]
    rows = np.unique(one_hot(X), axis=0, return_inverse=True)[1].ravel()
    assert whole.evidence(labels[rows]) == pytest.approx(distinct.evidence(labels))
    assert whole.evidence(2 - truth) == pytest.approx(whole.evidence(truth))


@pytest.mark.parametrize("seed", range(4))
def test_columns_that_tell_nothing_of_each_other_are_one_cluster(seed):
    rng = np.random.default_rng(seed)
    X = (rng.random((1000, 6)) < rng.uniform(0.2, 0.8, size=6)).astype(int)
    model = fitted(table_of(X))
    assert model.n_clusters_ == 1
    assert model.verdict_.sure > 0.5


@pytest.mark.parametrize("seed", range(3))
def test_so_they_are_where_hardly_a_row_comes_twice(seed):
    n_words = np.array([2, 2, 4, 3, 5, 5, 8])
    X = np.random.default_rng(seed).integers(n_words, size=(500, 7))
    model = fitted(table_of(X))
    assert (model.n_clusters_, model.chosen_["probabilities"].value) == (1, "fitted")
    assert model.verdict_.probability_of(1) > 0.9
    classes, truth = drawn(n=300, d=12, K=3, own=0.6, seed=seed, n_words=5)
    found = fitted(table_of(classes))
    assert (found.n_clusters_, found.chosen_["probabilities"].value) == (3, "fitted")
    assert "categories" in found.chosen_["probabilities"].why
    assert adjusted_rand_index(found.labels_, truth) > 0.9
    assert fitted(table_of(X), n_clusters=(2, 4)).n_clusters_ >= 2


@pytest.mark.parametrize("given", [True, False])
def test_baskets_of_many_columns_have_classes_although_no_row_comes_twice(given):
    rng = np.random.default_rng(0)
    truth, p = rng.integers(4, size=600), np.full((4, 40), 0.1)
    for k in range(4):
        p[k, 10 * k : 10 * k + 10] = 0.5
    X = 1.0 * (rng.random((600, 40)) < p[truth])
    assert len(np.unique(X, axis=0)) > 550
    model = SoftClustering(4 if given else "auto").fit(X)
    assert model.n_clusters_ == 4
    assert adjusted_rand_index(model.labels_, truth) > 0.8
    assert "latent class model" in model.chosen_["affinity"].why


# Columns that depend on each other


def asked_twice(seed):
    """Classes of a table each of whose columns comes a second time, with other answers of few rows."""
    X, truth = drawn(n=800, d=8, own=0.8, seed=seed)
    rng = np.random.default_rng(seed)
    again = [np.where(rng.random(X.shape) < 0.1, rng.integers(2, size=X.shape), X) for _ in range(2)]
    return np.hstack(again), truth


@pytest.mark.parametrize("seed", [2, 3, 9])
def test_columns_that_come_twice_are_fewer_classes_than_rows_that_count_in_full_would_make(seed, monkeypatch):
    X, truth = asked_twice(seed)
    model = fitted(table_of(X))
    assert adjusted_rand_index(model.labels_, truth) > 0.7
    assert model.verdict_.sure < 0.5
    monkeypatch.setattr(Categories, "independent", lambda table, Q: table)
    in_full = fitted(table_of(X))
    assert model.n_clusters_ <= 3 < 6 < in_full.n_clusters_


def test_dependence_is_that_within_classes():
    X, truth = drawn(n=800, d=8, own=0.8)
    one, two = np.ones((800, 1)), np.eye(2)[truth]
    table = Categories.of(1.0 * X)
    assert table.dependence(one) > 20
    assert table.dependence(two) == pytest.approx(0.6, abs=0.4)
    twice, truth = asked_twice(0)
    assert Categories.of(1.0 * twice).dependence(np.eye(2)[truth]) > 5


def test_dependence_counts_copies_and_leaves_small_classes_out():
    X, _ = drawn(n=300, d=5)
    distinct, place = counted(X), np.unique(one_hot(X), axis=0, return_inverse=True)[1].ravel()
    whole = Categories.of(one_hot(X))
    said = np.eye(2)[distinct.cells[:, 0].astype(int)]
    assert distinct.dependence(said) == pytest.approx(whole.dependence(said[place]))
    few = np.eye(2)[(np.arange(300) < 20).astype(int)]
    kept = Categories(whole.cells[20:], whole.column, whole.counts[20:])
    assert whole.dependence(few) == pytest.approx(kept.dependence(np.ones((280, 1))))
    assert whole.dependence(np.eye(300)[:, :100]) == 0


def test_classes_that_overlap_far_are_one_cluster_by_one_criterion_and_two_by_the_other():
    X, truth = drawn(n=3000, d=6, own=0.36, seed=1)
    found, distinct = classes_of(counted(X), LatentClasses()), Categories.of(one_hot(X))
    assert distinct.evidence(truth) < 0
    assert 0.3 < found.one < 0.7
    assert found.n_clusters == 2


# The classes


@pytest.mark.parametrize(("K", "n_words", "own"), [(2, 2, 0.9), (3, 3, 0.85), (4, 4, 0.9)])
@pytest.mark.parametrize("given", [True, False])
def test_classes_are_found_although_every_pattern_occurs(K, n_words, own, given):
    X, truth = drawn(n=1200, d=5, K=K, n_words=n_words, own=own, seed=K)
    model = fitted(table_of(X), **({"n_clusters": K} if given else {}))
    assert model.n_clusters_ == K
    assert adjusted_rand_index(model.labels_, truth) > 0.8
    assert "latent class model" in model.chosen_["affinity"].why
    assert [draw.method for draw in model.ensemble_] == ["latent classes"]


def test_the_membership_is_the_posterior_of_the_classes():
    X, _ = drawn(n=500, own=0.7)
    model = fitted(table_of(X), n_clusters=2)
    words_ = counted(X)
    rows = np.unique(one_hot(X), axis=0, return_inverse=True)[1].ravel()
    posterior = LatentClasses().fitted(words_, 2, np.random.default_rng(5)).responsibilities(words_.cells)[rows]
    own = posterior if adjusted_rand_index(posterior.argmax(axis=1), model.labels_) == 1 else None
    assert own is not None
    np.testing.assert_allclose(model.membership_.max(axis=1), own.max(axis=1), atol=0.01)
    assert model.chosen_["probabilities"].value == "fitted"


def test_memberships_are_as_often_right_as_they_say():
    sure, right = [], []
    for seed in range(8):
        X, truth = drawn(n=600, own=0.6, seed=seed)
        model = fitted(table_of(X), n_clusters=2)
        same = model.labels_ == truth
        right.append(max(same.mean(), 1 - same.mean()))
        sure.append(model.certainty_.mean())
    assert abs(np.mean(sure) - np.mean(right)) < 0.03


def test_a_weight_is_as_good_as_copies():
    X, _ = drawn(n=240, n_words=3, K=3, own=0.8)
    rows, place, counts = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    copied = fitted(table_of(X))
    weighted = SoftClustering(random_state=0).fit(table_of(rows), sample_weight=counts)
    assert copied.n_clusters_ == weighted.n_clusters_ == 3
    np.testing.assert_allclose(weighted.membership_[place.ravel()], copied.membership_, atol=1e-6)
    np.testing.assert_allclose(weighted.certainty_[place.ravel()], copied.certainty_, atol=1e-6)


def test_the_order_of_rows_does_not_matter():
    X, _ = drawn(n=240, n_words=3, K=3, own=0.7)
    order = np.random.default_rng(1).permutation(len(X))
    one, other = fitted(table_of(X)), fitted(table_of(X[order]))
    np.testing.assert_allclose(other.membership_, one.membership_[order], atol=1e-9)


def test_another_number_comes_from_the_same_classes():
    X, _ = drawn(n=400, n_words=4, K=4, d=5)
    model = fitted(table_of(X))
    assert model.n_clusters_ == 4
    two = model.at(2)
    assert two.n_clusters_ == 2
    assert two.membership_.shape == (400, 2)


def test_new_rows_have_the_membership_of_their_words():
    X, truth = drawn(n=400, d=8)
    model = fitted(table_of(X[:300]), n_clusters=2)
    new = model.predict(table_of(X[300:]))
    agreed = adjusted_rand_index(new, truth[300:])
    assert agreed > 0.8
    np.testing.assert_allclose(model.predict_proba(table_of(X[:300])), model.membership_, atol=0.01)


@pytest.mark.parametrize("share", [0.05, 0.2])
def test_cells_may_be_missing(share):
    X, truth = drawn(n=600, d=8)
    table, rng = table_of(X), np.random.default_rng(0)
    gaps = share > rng.random(X.shape)
    columns = tuple(words(np.where(gap, None, column)) for gap, column in zip(gaps.T, table.columns))
    model = fitted(MixedTable(table.names, columns))
    assert model.n_clusters_ == 2
    assert [draw.method for draw in model.ensemble_] == ["latent classes"]
    assert adjusted_rand_index(model.labels_, truth) > 0.75


def test_no_row_of_words_is_an_outlier():
    X, _ = drawn(n=300, own=0.8)
    assert (fitted(table_of(X), n_clusters=2).outlier_ == 0).all()


# Where classes are taken


def test_columns_of_numbers_and_named_methods_keep_the_methods():
    X, _ = drawn(n=300)
    rows, counts = np.unique(one_hot(X), axis=0, return_counts=True)
    default = affinity_for(table_of(X), None, n_clusters=None, missing="error", symmetrize=None, seed=0)[0]
    assert default.categories(rows, counts.astype(float)) is not None
    assert default.categories(rows, None) is not None
    assert default.categories(rows, np.ones(len(rows))) is not None
    assert default.categories(np.c_[rows, np.arange(len(rows))], counts.astype(float)) is None
    assert Ensemble().categories(rows, counts.astype(float)) is not None
    assert Ensemble(methods=("genie", "mixture")).categories(rows, counts.astype(float)) is None


def test_bounds_are_kept_and_too_few_rows_have_no_classes():
    X, _ = drawn(n=400, n_words=4, K=4, d=5)
    found = classes_of(counted(X), LatentClasses(), bounds=(5, 7))
    assert found.asked.min() >= 5
    assert found.asked.max() <= 7
    assert found.n_clusters in (5, 6, 7)
    few = Categories.of(np.eye(4), np.ones(4))
    assert classes_of(few, LatentClasses()) is None


@pytest.mark.parametrize("n", [30, 200])
def test_of_few_distinct_rows_copies_say_how_many_classes_there_are(n):
    truth = np.arange(n) % 2
    both = SoftClustering(random_state=0).fit(np.column_stack([truth * 10.0, truth * 7.0]))  # always together
    assert both.n_clusters_ == 2
    np.testing.assert_array_equal(both.labels_ == both.labels_[0], truth == 0)
    assert both.verdict_.sure > 0.5
    rng = np.random.default_rng(0)
    alone = rng.integers(0, 2, size=(n, 1)) * 5.0
    for unrelated in (alone, rng.integers(0, 2, size=(n, 2)) * 1.0):
        assert SoftClustering(random_state=0).fit(unrelated).n_clusters_ == 1


def test_many_distinct_rows_are_sampled():
    X, _ = drawn(n=9000, d=9, n_words=4, K=3, own=0.85)
    rows = np.unique(one_hot(X), axis=0)
    assert len(rows) > 500
    default = affinity_for(table_of(X), None, n_clusters=None, missing="error", symmetrize=None, seed=0)[0]
    few = replace(default, max_items=300)
    found = few.consensus(rows, weights=np.full(len(rows), 5.0))
    assert found.draws.shape[1] == 300
    assert found.labels.shape == (len(rows),)
    evidence = few.build(rows, n_clusters=3, weights=np.full(len(rows), 5.0))
    assert evidence.affinity.n_items == len(rows)
    assert evidence.draws[0].n_items == 300


def test_the_report_and_the_verdict_speak_of_latent_classes():
    X, _ = drawn(n=300, d=7)
    model = fitted(table_of(X))
    assert is_of_classes(model.verdict_)
    report = FitReport(
        title="", source="", ids=[], columns=list("abcdefg"), estimator=model, features=one_hot(X)[:, ::2],
        parameters={}, scores=None, notes=[], seconds=0.0, versions={}, command=None,
    )  # fmt: skip
    page = render_report(report)
    assert "estimated by a latent class model" in page
    assert "of one class, by a latent class model" in page


def test_other_columns_are_refused_by_the_member():
    with pytest.raises(InputError, match="latent classes"):
        LatentClasses().cluster(np.arange(9.0)[:, None], 2, np.random.default_rng(0))
