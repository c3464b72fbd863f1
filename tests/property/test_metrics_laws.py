"""Laws that every pair of partitions and every membership has to keep."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn import metrics as sklearn_metrics

from partita.metrics import (
    accuracy,
    adjusted_rand_index,
    brier_score,
    entropy,
    expected_calibration_error,
    normalized_variation_of_information,
    purity,
    rand_index,
    variation_of_information,
)

# Sums of at most 30 logarithms: a few roundings of numbers below 10.
ROUNDING = 1e-12


def labelings(n):
    return st.lists(st.integers(0, 5), min_size=n, max_size=n)


pairs = st.integers(1, 30).flatmap(lambda n: st.tuples(labelings(n), labelings(n)))
triples = st.integers(1, 30).flatmap(lambda n: st.tuples(labelings(n), labelings(n), labelings(n)))


@st.composite
def membership_pairs(draw):
    n, k = draw(st.integers(1, 12)), draw(st.integers(1, 5))
    weights = arrays(np.float64, (n, k), elements=st.floats(0.01, 1))
    a, b = draw(weights), draw(weights)
    return a / a.sum(axis=1, keepdims=True), b / b.sum(axis=1, keepdims=True)


@given(pairs, st.permutations(range(6)))
def test_relabelling_changes_no_score(pair, names):
    a, b = pair
    renamed = [f"cluster {names[label]}" for label in a]
    for metric in (purity, accuracy, rand_index, adjusted_rand_index):
        assert metric(renamed, b) == pytest.approx(metric(a, b), abs=ROUNDING)
    for metric in (variation_of_information, normalized_variation_of_information):
        assert metric(renamed, b) == pytest.approx(metric(a, b), abs=ROUNDING)


@given(pairs)
def test_all_but_purity_are_symmetric(pair):
    a, b = pair
    for metric in (
        accuracy,
        rand_index,
        adjusted_rand_index,
        variation_of_information,
        normalized_variation_of_information,
    ):
        assert metric(a, b) == pytest.approx(metric(b, a), abs=ROUNDING)


@given(pairs)
def test_scores_keep_their_bounds(pair):
    a, b = pair
    assert 0 < accuracy(a, b) <= purity(a, b) <= 1
    assert 0 <= rand_index(a, b) <= 1
    assert -0.5 - ROUNDING <= adjusted_rand_index(a, b) <= 1 + ROUNDING
    assert 0 <= variation_of_information(a, b) <= math.log2(len(a)) + ROUNDING
    assert 0 <= normalized_variation_of_information(a, b) <= 1


@given(pairs)
def test_equal_partitions_and_only_they_are_at_distance_zero(pair):
    a, b = pair
    same = len(set(zip(a, b))) == len(set(a)) == len(set(b))
    assert (variation_of_information(a, b) == 0) == same
    assert (normalized_variation_of_information(a, b) == 0) == same
    assert (rand_index(a, b) == 1) == same
    assert (accuracy(a, b) == 1) == same


@given(triples)
def test_variation_of_information_keeps_the_triangle_inequality(triple):
    a, b, c = triple
    for distance in (variation_of_information, normalized_variation_of_information):
        assert distance(a, c) <= distance(a, b) + distance(b, c) + ROUNDING


@given(pairs)
def test_scikit_learn_agrees(pair):
    a, b = pair
    if len(a) > 1:
        assert rand_index(a, b) == pytest.approx(sklearn_metrics.rand_score(b, a))
    mutual = sklearn_metrics.mutual_info_score(b, a)
    counts = [np.bincount(labels)[np.bincount(labels) > 0] / len(labels) for labels in (a, b)]
    entropies = [-(p * np.log(p)).sum() for p in counts]
    assert variation_of_information(a, b, unit="nats") == pytest.approx(sum(entropies) - 2 * mutual, abs=1e-9)


@given(membership_pairs(), st.randoms(use_true_random=False))
def test_the_order_of_columns_changes_no_score(pair, random):
    membership, truth = pair
    order = list(range(membership.shape[1]))
    random.shuffle(order)
    assert brier_score(membership[:, order], truth) == pytest.approx(brier_score(membership, truth), abs=ROUNDING)
    assert brier_score(membership[:, order], membership) == pytest.approx(0, abs=ROUNDING)
    assert expected_calibration_error(membership[:, order], membership) == pytest.approx(0, abs=ROUNDING)


@given(membership_pairs())
def test_soft_scores_keep_their_bounds(pair):
    membership, truth = pair
    assert 0 <= brier_score(membership, truth) <= 2
    assert 0 <= expected_calibration_error(membership, truth) <= 1
    unsure = entropy(membership)
    assert (unsure >= 0).all()
    assert (unsure <= math.log(membership.shape[1]) + ROUNDING).all()
