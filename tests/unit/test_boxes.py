"""Tables of boxes that were ticked, zeros and ones, with what tables have beside: a blank, a slip, a count."""

import numpy as np
import pytest

from optional import optional
from partita import SoftClustering
from partita.errors import InputError, UnsureWarning
from partita.estimators.encoding import Encoding
from partita.estimators.mixed_table import MixedTable
from partita.metrics import adjusted_rand_index


def boxes(seed, n=500, d=15):
    """Three groups, each with five boxes of its own."""
    rng = np.random.default_rng(seed)
    truth, p = rng.choice(3, n, p=[0.5, 0.3, 0.2]), rng.uniform(0.05, 0.35, (3, d))
    for k in range(3):
        p[k, 5 * k : 5 * k + 5] = 0.7
    return 1.0 * (rng.random((n, d)) < p[truth]), truth, rng


def with_gaps(X, share, seed=0):
    gaps = np.random.default_rng(seed).random(X.shape) < share
    gaps[3, 4] = True
    return np.where(gaps, np.nan, X)


def named(X):
    return MixedTable(tuple(f"p{j}" for j in range(X.shape[1])), tuple(X.T))


@pytest.mark.parametrize("share", [0.0, 0.02])
@pytest.mark.parametrize("given", [True, False])
def test_blanks_among_zeros_and_ones_keep_latent_classes(share, given):
    X, truth, _ = boxes(0)
    table = named(with_gaps(X, share))
    model = SoftClustering(3 if given else "auto", random_state=0).fit(table)
    assert model.n_clusters_ == 3
    assert "latent class model" in model.chosen_["affinity"].why
    assert adjusted_rand_index(model.labels_, truth) > 0.7
    assert (model.predict(table) == model.labels_).mean() > 0.99


def test_a_blank_in_a_column_of_two_numbers_is_filled_with_one_of_them():
    X = np.array([[7.0, 0.1], [7.0, 0.2], [3.0, 5.1], [3.0, 5.3], [np.nan, 5.2], [7.0, np.nan]])
    filled = Encoding.of(named(X))(named(X))
    assert filled[4, 0] in (3.0, 7.0)
    assert filled[5, 1] not in X[:, 1]
    known = ~np.isnan(X)
    np.testing.assert_array_equal(filled[known], X[known])


def test_a_slip_among_zeros_and_ones_keeps_latent_classes():
    X, truth, _ = boxes(0)
    X[3, 4] = 9.0
    model = SoftClustering(random_state=0).fit(X)
    assert "latent class model" in model.chosen_["affinity"].why
    assert adjusted_rand_index(model.labels_, truth) > 0.7


@pytest.mark.parametrize("beside", ["count", "age", "rating"])
def test_a_number_that_tells_nothing_does_not_hide_the_groups_of_boxes(beside):
    X, truth, rng = boxes(0)
    draw = {
        "count": lambda: rng.poisson(2, 500),
        "age": lambda: rng.integers(18, 80, 500),
        "rating": lambda: rng.choice(5, 500, p=[0.05, 0.1, 0.2, 0.4, 0.25]),
    }
    X = np.column_stack([X, draw[beside]()])
    for K in (3, "auto"):
        model = SoftClustering(K, random_state=0).fit(X)
        assert model.n_clusters_ == 3
        assert adjusted_rand_index(model.labels_, truth) > 0.7


def test_rare_words_are_no_categories():
    rng = np.random.default_rng(0)
    X = rng.exponential(size=(300, 40)) + 3.0 * (np.arange(40) % 2 == np.repeat([0, 1], 150)[:, None])
    rare = np.zeros((300, 60))
    rare[rng.permutation(300)[:60], np.arange(60)] = 9.0
    model = SoftClustering(2, random_state=0).fit(np.hstack([X, rare]))
    assert "categories" not in model.chosen_["probabilities"].why


def test_a_row_of_weight_zero_and_a_slip_do_not_change_how_blanks_are_filled():
    X, _, _ = boxes(0, n=200)
    Y = with_gaps(X, 0.1)
    weight, slip = np.ones(200), Y.copy()
    weight[5], slip[5] = 0, 9.0
    without = SoftClustering(3, random_state=0).fit(named(np.delete(Y, 5, axis=0)))
    weighted = SoftClustering(3, random_state=0).fit(named(slip), sample_weight=weight)
    np.testing.assert_allclose(np.delete(weighted.membership_, 5, axis=0), without.membership_, atol=1e-9)
    slip = Y.copy()
    slip[5, 2] = 1e6
    model = SoftClustering(3, random_state=0).fit(named(slip))
    assert "latent class model" in model.chosen_["affinity"].why


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weight", [1.0, 0.03, 0.005, 1e-6])
def test_coins_are_one_cluster_however_little_they_weigh(weight, seed):
    X = 1.0 * (np.random.default_rng(seed).random((200, 6)) < 0.5)
    model = SoftClustering(random_state=0).fit(X, sample_weight=np.full(200, weight))
    assert model.n_clusters_ == 1


def test_weights_of_sum_one_are_weights_beside_each_other():
    X, truth, rng = boxes(0, n=300)
    weight = rng.uniform(0.5, 1.5, 300)
    fits = [SoftClustering(random_state=0).fit(X, sample_weight=weight * scale) for scale in (1 / 300, 1e-3 / 300)]
    np.testing.assert_allclose(fits[0].membership_, fits[1].membership_, atol=1e-9)
    assert fits[0].n_clusters_ == 3
    assert adjusted_rand_index(fits[0].labels_, truth) > 0.7


# New rows


def test_rows_with_gaps_are_as_certain_as_their_membership_in_any_order():
    rng = np.random.default_rng(0)
    X = 1.0 * (rng.random((400, 8)) < 0.1 + 0.8 * (np.arange(400) % 2)[:, None])
    X[rng.random(X.shape) < 0.15] = np.nan
    X[7] = np.nan
    model = SoftClustering(missing="unobserved", random_state=0).fit(X)
    found = model.predict_doubt(X)
    np.testing.assert_allclose(found.certainty, model.certainty_, atol=1e-3)
    order = rng.permutation(400)
    other = SoftClustering(missing="unobserved", random_state=0).fit(X[order])
    np.testing.assert_allclose(other.predict_doubt(X).certainty, found.certainty, atol=1e-6)


def test_truth_values_are_ones_and_zeros_for_a_fit_of_these_and_the_other_way_round():
    pd = optional("pandas")
    X, _, _ = boxes(0, n=200)
    numbers, truths = pd.DataFrame(X).add_prefix("p"), pd.DataFrame(X > 0).add_prefix("p")
    for fitted, new in ((numbers, truths), (truths, numbers)):
        model = SoftClustering(3, random_state=0).fit(fitted)
        np.testing.assert_array_equal(model.predict(new), model.labels_)


def test_a_row_of_categories_that_the_fit_has_not_seen_says_nothing():
    pd = optional("pandas")
    X, _, _ = boxes(0, n=200)
    words = pd.DataFrame(np.where(X > 0, "yes", "no")).add_prefix("p")
    model = SoftClustering(3, random_state=0).fit(words)
    new = words.iloc[:6].copy()
    new.iloc[2] = "perhaps"
    with pytest.warns(UnsureWarning, match="nothing is"):
        found = model.predict_doubt(new)
    most = model.predict_proba(new).max(axis=1)
    assert found.certainty[2] <= most[2] + 1e-9
    assert found.certainty[2] > most[2] / 2  # by its membership, not by where filled cells happen to put it


def test_arrays_of_words_are_answered_with_a_frame():
    X = np.array([["yes", "no"], ["no", "no"]] * 20)
    for array in (X, X.astype(object), X.tolist()):
        with pytest.raises(InputError, match="X holds words, as 'yes'"):
            SoftClustering().fit(array)
