"""Losses and similarities against others' figures and formulas: R's, scikit-learn's, SciPy's, and counting by hand."""

import json

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn import metrics as theirs

from partita.metrics import normalized_variation_of_information, variation_of_information
from partita.partition import (
    Dendrogram,
    expected_loss,
    expected_loss_from_similarity,
    partition_distance,
    posterior_similarity,
)
from partita.partition import expected as expected_room
from partita.partition import similarity as similarity_room
from partita.partition.losses import Binder

R_NAMES = {
    "vi_lb": "vi_lb_bits",
    "vi": "expected_vi_bits",
    "binder": "expected_binder_n2",
    "pear": "pear",
    "omari": "expected_omari_score",
}


def pairs(seed, n=40):
    rng = np.random.default_rng(seed)
    for _ in range(20):
        a = rng.integers(rng.integers(1, 9), size=n)
        yield a, np.where(rng.random(n) < 0.5, a, rng.integers(rng.integers(1, 9), size=n))


@pytest.mark.data
def test_losses_of_galaxy_and_ex1_partitions_are_those_that_r_prints(data_home):
    records = json.loads((data_home / "bayes" / "oracle_losses.json").read_text())
    assert len(records) == 17
    draws = {}
    for record in records:
        name = record["draws"]
        if name not in draws:
            with np.load(data_home / "bayes" / name) as file:
                draws[name] = file["draw"], posterior_similarity(file["draw"])
        labels, (given, P) = record["labels"], draws[name]
        for loss, key in R_NAMES.items():
            # R prints eight digits.
            assert expected_loss(labels, given, loss=loss) == pytest.approx(record[key], abs=1e-7)
            if loss in ("vi_lb", "binder", "pear"):
                assert expected_loss_from_similarity(labels, P, loss=loss) == pytest.approx(record[key], abs=1e-7)


def test_distances_between_partitions_are_those_of_scikit_learn():
    for a, b in pairs(0):
        mutual = theirs.mutual_info_score(a, b)
        entropies = [theirs.mutual_info_score(x, x) for x in (a, b)]
        assert partition_distance(a, b) == pytest.approx(variation_of_information(a, b), abs=1e-12)
        assert partition_distance(a, b, unit="nats") == pytest.approx(sum(entropies) - 2 * mutual, abs=1e-12)
        assert partition_distance(a, b, loss="vi_lb") == pytest.approx(variation_of_information(a, b), abs=1e-12)
        assert partition_distance(a, b, loss="nvi") == pytest.approx(
            normalized_variation_of_information(a, b), abs=1e-12
        )
        assert partition_distance(a, b, loss="id", unit="nats") == pytest.approx(max(entropies) - mutual, abs=1e-12)
        if max(entropies) > 0:
            largest = theirs.normalized_mutual_info_score(a, b, average_method="max")
            assert partition_distance(a, b, loss="nid") == pytest.approx(1 - largest, abs=1e-12)
        rand, adjusted = theirs.rand_score(a, b), theirs.adjusted_rand_score(a, b)
        assert partition_distance(a, b, loss=Binder(normalize="pairs")) == pytest.approx(1 - rand, abs=1e-12)
        assert partition_distance(a, b, loss="pear") == pytest.approx(adjusted, abs=1e-12)
        assert partition_distance(a, b, loss="omari") == pytest.approx(1 - adjusted, abs=1e-12)


def test_expected_losses_are_means_of_distances():
    rng = np.random.default_rng(1)
    draws, weights = rng.integers(4, size=(30, 25)), rng.random(30)
    labels = rng.integers(5, size=25)
    for loss in ("binder", "vi", "omari", "nvi", "id", "nid", Binder(a=1.7)):
        each = [partition_distance(labels, draw, loss=loss) for draw in draws]
        assert expected_loss(labels, draws, loss=loss) == pytest.approx(np.mean(each), abs=1e-12)
        assert expected_loss(labels, draws, loss=loss, weights=weights) == pytest.approx(
            np.average(each, weights=weights), abs=1e-12
        )


def test_binder_weighs_the_two_errors_as_defined():
    estimate, draw = np.array([0, 0, 1, 1, 2]), np.array([0, 0, 0, 1, 1])
    same, true = estimate[:, None] == estimate, draw[:, None] == draw
    for a in (0.0, 0.3, 1.0, 2.0):
        wrong = a * (~same & true).sum() + (2 - a) * (same & ~true).sum()
        assert partition_distance(estimate, draw, loss=Binder(a=a)) == pytest.approx(wrong / 25, abs=1e-14)
        assert partition_distance(estimate, draw, loss=Binder(a=a, normalize="pairs")) == pytest.approx(wrong / 20)


def test_pear_is_the_adjusted_rand_index_of_expectations():
    rng = np.random.default_rng(2)
    draws, labels = rng.integers(3, size=(20, 15)), rng.integers(4, size=15)
    P = (draws[:, :, None] == draws[:, None, :]).mean(axis=0)
    i, j = np.triu_indices(15, 1)
    same, p, n = (labels[i] == labels[j]).astype(float), P[i, j], len(i)
    chance = same.sum() * p.sum() / n
    # [bayes-nmf] eq. (16), one minus which is the index.
    index = (same @ p - chance) / ((same.sum() + p.sum()) / 2 - chance)
    assert expected_loss(labels, draws, loss="pear") == pytest.approx(index, abs=1e-12)


def test_the_lower_bound_is_wade_and_ghahramanis():
    rng = np.random.default_rng(3)
    draws, labels = rng.integers(3, size=(20, 15)), rng.integers(4, size=15)
    P = (draws[:, :, None] == draws[:, None, :]).mean(axis=0)
    same = labels[:, None] == labels
    bound = np.mean(np.log2(same.sum(1)) + np.log2(P.sum(1)) - 2 * np.log2((P * same).sum(1)))
    assert expected_loss(labels, draws, loss="vi_lb") == pytest.approx(bound, abs=1e-12)
    assert bound <= expected_loss(labels, draws) + 1e-12


def test_tables_and_sorting_give_the_same_expected_loss(monkeypatch):
    rng = np.random.default_rng(4)
    draws, labels = rng.integers(30, size=(40, 60)), rng.integers(25, size=60)
    values = []
    for limit in (0, 10**9):
        monkeypatch.setattr(expected_room, "SORT_FROM", limit)
        values.append([expected_loss(labels, draws, loss=loss) for loss in ("vi", "binder", "nid", "omari")])
    np.testing.assert_allclose(values[0], values[1], rtol=1e-13)


@pytest.mark.parametrize("plain", [0, 10**12])
@pytest.mark.parametrize("labels", [2, 3, 17, 200])
@pytest.mark.parametrize("weighted", ["equal", "few", "all"])
def test_the_similarity_matrix_is_counted_exactly(monkeypatch, plain, labels, weighted):
    monkeypatch.setattr(similarity_room, "PLAIN_UP_TO", plain)
    rng = np.random.default_rng(5)
    # More than one word of draws, and of tiles of items.
    draws = rng.integers(-3, labels - 3, size=(131, 530))
    weights = {"equal": None, "few": rng.integers(0, 3, 131).astype(float), "all": rng.random(131)}[weighted]
    w = np.ones(131) if weights is None else weights
    expected = np.zeros((530, 530))
    for weight, draw in zip(w, draws):
        expected += weight * (draw[:, None] == draw)
    P = posterior_similarity(draws, weights=weights)
    if weights is None:
        np.testing.assert_array_equal(P, expected / 131)
    else:
        np.testing.assert_allclose(P, expected / w.sum(), atol=1e-13)
    np.testing.assert_array_equal(P, P.T)
    assert (np.diagonal(P) == 1.0).all()


@pytest.mark.parametrize("plain", [0, 10**12])
@pytest.mark.parametrize("weighted", [False, True])
def test_missing_items_count_only_where_both_are_present(monkeypatch, plain, weighted):
    monkeypatch.setattr(similarity_room, "PLAIN_UP_TO", plain)
    rng = np.random.default_rng(6)
    draws = np.where(rng.random((90, 40)) < 0.4, -1, rng.integers(4, size=(90, 40)))
    draws[:, 0] = np.where(np.arange(90) < 45, 1, -1)
    draws[:, 1] = np.where(np.arange(90) < 45, -1, 1)  # never with item 0
    w = rng.random(90) if weighted else np.ones(90)
    has = (draws >= 0).astype(float)
    both = np.einsum("m,mi,mj->ij", w, has, has)
    together = np.einsum("m,mij->ij", w, (draws[:, :, None] == draws[:, None, :]) & (draws >= 0)[:, :, None])
    P = posterior_similarity(draws, weights=w if weighted else None, missing="unobserved")
    assert np.isnan(P[0, 1])
    assert np.isnan(P).sum() == 2
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(P, together / both, atol=1e-12)


def test_cuts_of_a_dendrogram_are_scipys():
    rng = np.random.default_rng(7)
    draws = rng.integers(4, size=(57, 30))  # a prime number of draws: few ties
    P = posterior_similarity(draws)
    for method in ("average", "complete"):
        tree, merges = Dendrogram.of(P, method), linkage(squareform(1 - P, checks=False), method)
        np.testing.assert_allclose(tree.height, merges[:, 2])
        for height in (0.5, 0.65, 0.7, 0.75, 0.9, 1.0):
            ours, reference = tree.cut_at(height), fcluster(merges, height, "distance")
            assert theirs.adjusted_rand_score(ours, reference) == 1.0
