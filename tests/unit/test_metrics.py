"""Metrics against textbook values and brute force, and what they say about wrong input."""

import itertools
import math

import numpy as np
import pytest

from partita.errors import InputError
from partita.metrics import (
    accuracy,
    adjusted_rand_index,
    align,
    brier_score,
    entropy,
    expected_calibration_error,
    normalized_variation_of_information,
    purity,
    rand_index,
    variation_of_information,
)

HARD = [
    purity,
    accuracy,
    rand_index,
    adjusted_rand_index,
    variation_of_information,
    normalized_variation_of_information,
]
SOFT = [brier_score, expected_calibration_error]


def accuracy_by_permutations(labels, truth):
    """Every injection of the smaller label set into the larger."""
    a, b = np.unique(labels), np.unique(truth)
    if len(a) > len(b):
        return accuracy_by_permutations(truth, labels)
    return max(
        np.mean([dict(zip(a, chosen))[i] == t for i, t in zip(labels, truth)])
        for chosen in itertools.permutations(b, len(a))
    )


@pytest.mark.parametrize("n_labels", [1, 2, 4])
@pytest.mark.parametrize("seed", range(5))
def test_accuracy_is_the_best_over_all_matchings(seed, n_labels):
    rng = np.random.default_rng(seed)
    labels, truth = rng.integers(n_labels, size=12), rng.integers(3, size=12)
    assert accuracy(labels, truth) == accuracy_by_permutations(labels.tolist(), truth.tolist())


@pytest.mark.parametrize("seed", range(5))
def test_rand_index_counts_agreeing_pairs(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(4, size=15), rng.integers(3, size=15)
    agree = [(a[i] == a[j]) == (b[i] == b[j]) for i, j in itertools.combinations(range(15), 2)]
    assert rand_index(a, b) == sum(agree) / len(agree)


def test_purity_of_the_textbook_example():
    # Manning et al. 2008, figure 16.4: clusters xxxxxo, xooood, xxddd have (5 + 4 + 3) / 17 right.
    assert purity([0] * 6 + [1] * 6 + [2] * 5, list("xxxxxo" + "xooood" + "xxddd")) == 12 / 17


def test_rand_indices_of_the_textbook_example():
    # The same figure: of 136 pairs TP = 20, TN = 72, so RI = 0.68.
    assert rand_index([0] * 6 + [1] * 6 + [2] * 5, list("xxxxxo" + "xooood" + "xxddd")) == 92 / 136


def test_variation_of_information_by_hand():
    # {1,2,3}{4} against {1,2}{3,4}: H(a|b) = 1/2 * 1 bit, H(b|a) = 3/4 * H(1/3) bits.
    third = -(math.log2(1 / 3) / 3 + 2 * math.log2(2 / 3) / 3)
    expected = 0.5 + 0.75 * third
    assert variation_of_information([0, 0, 0, 1], [0, 0, 1, 1]) == pytest.approx(expected, rel=1e-14)
    in_nats = variation_of_information([0, 0, 0, 1], [0, 0, 1, 1], unit="nats")
    assert in_nats == pytest.approx(expected * math.log(2), rel=1e-14)
    joint = 1.5  # cells 2, 1, 1 of 4
    assert normalized_variation_of_information([0, 0, 0, 1], [0, 0, 1, 1]) == pytest.approx(expected / joint)


def test_one_cluster_against_singletons_has_the_largest_variation():
    assert variation_of_information([0] * 8, range(8)) == pytest.approx(3.0)


@pytest.mark.parametrize("metric", HARD)
def test_labels_may_be_words_or_any_numbers(metric):
    numbers = metric([7, 7, -3, 100, -3], [0, 0, 1, 1, 1])
    assert metric(["b", "b", "a", "c", "a"], ["x", "x", "y", "y", "y"]) == numbers


@pytest.mark.parametrize("metric", HARD)
def test_a_single_item_agrees_with_itself(metric):
    distance = metric in (variation_of_information, normalized_variation_of_information)
    assert metric([3], ["a"]) == (0 if distance else 1)


def test_normalized_variation_of_two_single_clusters_is_zero():
    assert normalized_variation_of_information([1, 1, 1], ["a", "a", "a"]) == 0


def test_purity_takes_the_estimate_first():
    assert purity([0, 1, 2], [0, 0, 0]) == 1
    assert purity([0, 0, 0], [0, 1, 2]) == 1 / 3


def test_many_singletons_need_no_large_table():
    n = 50_000  # a dense table would take 20 GB
    assert variation_of_information(range(n), range(n)) == 0
    assert rand_index(range(n), [0] * n) == 0


@pytest.mark.parametrize("metric", HARD)
@pytest.mark.parametrize(
    ("labels", "truth", "message"),
    [
        ([0, 1], [0, 1, 1], "2 items .* 3"),
        ([], [], "^(labels|a) "),
        ([[0, 1]], [0], "1-D"),
        ([0.0, np.nan], [0, 1], r"\[1\] = nan"),
        ([0, 1], [None, "a"], r"\[0\] = None"),
        ([0, 1], np.array([1, "a"], dtype=object), "^(truth|b) .*'(str|int)' and '(str|int)'"),
    ],
)
def test_wrong_labels_are_named(metric, labels, truth, message):
    with pytest.raises(InputError, match=message):
        metric(labels, truth)


def test_unknown_unit_is_named():
    with pytest.raises(InputError, match="unit='bans'"):
        variation_of_information([0], [0], unit="bans")
    with pytest.raises(InputError, match="unit='bans'"):
        entropy([[1.0]], unit="bans")


def test_entropy_of_uniform_rows_is_log_k():
    assert entropy(np.full((3, 4), 0.25)) == pytest.approx([math.log(4)] * 3)
    assert entropy(np.full((3, 4), 0.25), unit="bits") == pytest.approx([2.0] * 3)


@pytest.mark.parametrize("seed", range(4))
def test_align_finds_the_best_of_all_column_orders(seed):
    rng = np.random.default_rng(seed)
    membership, truth = rng.dirichlet(np.ones(4), size=9), rng.dirichlet(np.ones(4), size=9)
    best = min(((membership[:, order] - truth) ** 2).sum(axis=1).mean() for order in itertools.permutations(range(4)))
    assert brier_score(membership, truth) == pytest.approx(best, rel=1e-12)
    aligned, same = align(membership, truth)
    assert np.array_equal(same, truth)
    assert np.array_equal(np.sort(aligned, axis=1), np.sort(membership, axis=1))


def test_align_widens_the_narrower_side():
    estimate, truth = align([[0.2, 0.8, 0.0], [0.9, 0.1, 0.0]], ["a", "a"])
    assert estimate.shape == truth.shape == (2, 3)
    assert np.array_equal(truth[:, 0], [1, 1])
    assert np.array_equal(estimate[:, 0], [0.2, 0.9])
    estimate, truth = align([0, 0, 1], ["c", "a", "b"])
    assert estimate.shape == (3, 3)


def test_brier_of_a_sure_error_is_two():
    assert brier_score([[1, 0], [1, 0], [0, 1]], [0, 0, 0]) == pytest.approx(2 / 3)


def test_calibration_of_bins_by_hand():
    # Bin of 0.9: three of four right, gap 0.15; bin of 0.6: one of two right, gap 0.1. Weighted: (0.6 + 0.2) / 6.
    membership = [[0.9, 0.1]] * 4 + [[0.6, 0.4]] * 2
    assert expected_calibration_error(membership, [0, 0, 0, 1, 0, 1]) == pytest.approx(0.8 / 6)


def test_known_probabilities_are_perfectly_calibrated():
    truth = np.random.default_rng(0).dirichlet(np.ones(3), size=50)
    assert expected_calibration_error(truth[:, [2, 0, 1]], truth) == 0
    assert brier_score(truth[:, [2, 0, 1]], truth) == 0


def test_one_bin_compares_the_means():
    membership = [[0.9, 0.1], [0.7, 0.3]]
    assert expected_calibration_error(membership, [0, 0], n_bins=1) == pytest.approx(0.2)


@pytest.mark.parametrize("metric", SOFT)
@pytest.mark.parametrize(
    ("membership", "truth", "message"),
    [
        ([[0.5, 0.4]], [0], r"membership: row 0 .* 0\.9"),
        ([[1.5, -0.5]], [0], r"membership\[0, 1\] = -0.5"),
        ([[np.nan, 1.0]], [0], r"membership\[0, 0\] = nan"),
        ([[1.0]], [[0.5]], r"truth: row 0 .* 0\.5"),
        ([[1.0], [1.0]], [0], "membership has 2"),
        (np.empty((0, 2)), [], r"membership .*\(0, 2\)"),
        ([[1.0]], [[[1.0]]], r"truth .*\(1, 1, 1\)"),
        ([["a"]], [0], "^membership .*'a'"),
    ],
)
def test_wrong_memberships_are_named(metric, membership, truth, message):
    with pytest.raises(InputError, match=message):
        metric(membership, truth)


def test_no_bins_is_an_error():
    with pytest.raises(InputError, match="n_bins=0"):
        expected_calibration_error([[1.0]], [0], n_bins=0)


def test_float32_memberships_count_as_rows_on_the_simplex():
    rows = np.random.default_rng(1).dirichlet(np.ones(200), size=100).astype(np.float32)
    assert entropy(rows).shape == (100,)
