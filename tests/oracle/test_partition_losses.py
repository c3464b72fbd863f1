"""Losses and similarities against others' figures and formulas: R's, scikit-learn's, SciPy's, and counting by hand."""

import json
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn import metrics as theirs

from partita.metrics import normalized_variation_of_information, variation_of_information
from partita.partition import (
    Dendrogram,
    PartitionDraws,
    expected_loss,
    expected_loss_from_similarity,
    loss_of,
    partition_distance,
    posterior_similarity,
    search_partition,
)
from partita.partition import expected as expected_room
from partita.partition import similarity as similarity_room
from partita.partition.losses import Binder, ConstantPotts, VariationOfInformation

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
    for loss in (Binder(), Binder(normalize="pairs")):
        share = ((same != true).sum() / 20).item()
        assert f" {share:.0%} " in loss.extent(partition_distance(estimate, draw, loss=loss), 5)


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


def joined(*partitions):
    """Ordered pairs of different items that all of the partitions join."""
    return sum(n * (n - 1) for n in Counter(zip(*(np.asarray(p).tolist() for p in partitions))).values())


def entropy_of(*partitions):
    N = len(partitions[0])
    counts = Counter(zip(*(np.asarray(p).tolist() for p in partitions))).values()
    return math.fsum(-n / N * math.log2(n / N) for n in counts)


def one_minus_adjusted_rand(B, C, A, T):
    """In fractions; equal partitions are at 0, also where the formula is 0 / 0."""
    return Fraction(0) if B == C == A else 1 - (A - B * C / T) / ((B + C) / 2 - B * C / T)


def textbook(name, estimate, draw):
    """What is minimised, between two partitions."""
    N = len(estimate)
    if joined(estimate) == joined(draw) == joined(estimate, draw):
        return 0  # equal partitions, of which some of these formulas are 0 / 0
    H, Hm, both = entropy_of(estimate), entropy_of(draw), entropy_of(estimate, draw)
    B, C, A, T = (Fraction(n) for n in (joined(estimate), joined(draw), joined(estimate, draw), N * (N - 1)))
    return {
        "omari": lambda: one_minus_adjusted_rand(B, C, A, T),
        "binder": lambda: (B + C - 2 * A) / N**2,
        "pairs": lambda: (Fraction(6, 10) * (C - A) + Fraction(14, 10) * (B - A)) / T,
        "vi": lambda: 2 * both - H - Hm,
        "weighed": lambda: 1.4 * (both - Hm) + 0.6 * (both - H),
        "nvi": lambda: (2 * both - H - Hm) / both,
        "id": lambda: both - min(H, Hm),
        "nid": lambda: (both - min(H, Hm)) / max(H, Hm),
    }[name]()


def textbook_mean(name, estimate, draws, weights):
    """Its expectation over draws, with weights in fractions; PEAR's is the formula at the expectations."""
    shares = [Fraction(w) / sum(Fraction(v) for v in weights) for w in weights]
    if name != "pear":
        return float(math.fsum(share * textbook(name, estimate, draw) for share, draw in zip(shares, draws)))
    C = sum(share * joined(draw) for share, draw in zip(shares, draws))
    A, N = sum(share * joined(draw, estimate) for share, draw in zip(shares, draws)), len(estimate)
    return float(one_minus_adjusted_rand(Fraction(joined(estimate)), C, A, Fraction(N * (N - 1))))


TEXTBOOK = {
    "pear": "pear",
    "omari": "omari",
    "binder": "binder",
    "pairs": Binder(a=0.6, normalize="pairs"),
    "vi": "vi",
    "weighed": VariationOfInformation(a=1.4),
    "nvi": "nvi",
    "id": "id",
    "nid": "nid",
}
every_textbook_loss = pytest.mark.parametrize("name", list(TEXTBOOK))
UNEQUAL = [1 / 3, 1 / 7, 1 / 5]


def simplest(N):
    """All single, all together, one pair together, one item apart."""
    pair, apart = np.arange(N), np.zeros(N, dtype=int)
    pair[-1], apart[-1] = max(N - 2, 0), 1
    return np.arange(N), np.zeros(N, dtype=int), pair, apart


def trivial_draws(N):
    single, one, pair, apart = simplest(N)
    return {
        "single": [single] * 3,
        "one": [one] * 3,
        "both": [single, one, single],
        "a pair": [single, single, pair],
        "an item apart": [one, apart, one],
        "all": [pair, apart, one],
    }


@every_textbook_loss
@pytest.mark.parametrize("N", [1, 2, 3, 100, 1000])
def test_losses_of_trivial_partitions_are_the_textbooks(name, N):
    loss = TEXTBOOK[name]
    chosen = loss_of(loss)
    for draws in trivial_draws(N).values():
        for weights in (None, UNEQUAL, [1e-9, 1.0, 3.0]):
            w = [1.0] * 3 if weights is None else weights
            P = posterior_similarity(draws, weights=weights) if chosen.by_pairs else None
            for estimate in simplest(N):
                # What sums of a thousand numbers round, and what is reported as zero.
                expected = pytest.approx(textbook_mean(name, estimate, draws, w), rel=1e-9, abs=1e-12)
                for given in ({"draws": draws, "weights": weights}, {"draws": PartitionDraws.of(draws, weights)}):
                    assert chosen.minimised(expected_loss(estimate, loss=loss, **given)) == expected
                if P is not None:
                    assert chosen.minimised(expected_loss_from_similarity(estimate, P, loss=loss)) == expected
    for a in simplest(N):
        for b in simplest(N):
            expected = pytest.approx(textbook_mean(name, a, [b], [1.0]), rel=1e-9, abs=1e-12)
            assert chosen.minimised(partition_distance(a, b, loss=loss)) == expected


@every_textbook_loss
@pytest.mark.parametrize("N", [1, 2, 7])
def test_whatever_the_weights_trivial_partitions_are_at_zero_from_themselves(name, N):
    rng, chosen = np.random.default_rng(N), loss_of(TEXTBOOK[name])
    for _ in range(30):
        weights = rng.random(int(rng.integers(2, 40)))
        for same in simplest(N)[:2]:
            draws = np.tile(same, (len(weights), 1))
            assert chosen.minimised(expected_loss(same, draws, loss=chosen, weights=weights)) == 0.0
            # Never and always are told from nearly never and nearly always.
            P = posterior_similarity(draws, weights=weights)
            np.testing.assert_array_equal(P, same[:, None] == same)
            if chosen.by_pairs:
                assert chosen.minimised(expected_loss_from_similarity(same, P, loss=chosen)) == 0.0
    if chosen.by_pairs:  # what others' arithmetic leaves of never and always is heard as that
        noisy = np.clip(np.eye(N) + 1e-16 * (1 - np.eye(N)), 0.0, 1.0)
        assert chosen.minimised(expected_loss_from_similarity(np.arange(N), noisy, loss=chosen)) == 0.0


@pytest.mark.parametrize("name", ["nvi", "nid", "omari"])
def test_draws_of_one_cluster_among_others_do_not_lead_the_search_astray(name):
    # 0 / 0 up to rounding where the one cluster of a dendrogram meets the draw that is one cluster.
    for seed in range(5):
        rng = np.random.default_rng(seed)
        draws = rng.integers(4, size=(9, 20 + seed))
        draws[6:] = 0
        found = search_partition(draws, loss=name, random_state=0)
        one = next(tried for tried in found.tried if tried.n_clusters == 1)
        expected = textbook_mean(name, np.zeros(20 + seed, dtype=int), draws, [1.0] * 9)
        assert one.loss == pytest.approx(expected, abs=1e-12)
        assert found.expected_loss == pytest.approx(min(tried.loss for tried in found.tried), abs=1e-9)


@every_textbook_loss
@pytest.mark.parametrize("tables", [False, True])
@pytest.mark.parametrize("N", [1, 2, 3, 100])
def test_the_search_in_trivial_draws_is_not_led_astray(monkeypatch, name, tables, N):
    if tables:  # the moves on tables of draws, where no similarity matrix fits
        monkeypatch.setattr("partita.partition.evidence.fits", lambda n_bytes: False)
    loss = TEXTBOOK[name]
    chosen = loss_of(loss)
    for draws in trivial_draws(N).values():
        for weights in ([1.0] * 3, UNEQUAL):
            found = search_partition(draws, loss=loss, weights=weights, n_init=2, random_state=0)
            value = chosen.minimised(found.expected_loss)
            assert value == pytest.approx(textbook_mean(name, found.labels, draws, weights), rel=1e-9, abs=1e-12)
            assert value <= min(textbook_mean(name, each, draws, weights) for each in simplest(N)) + 1e-9
            # No start or run was taken for something else than it is: a loss is never less than the least.
            assert min(chosen.minimised(tried.loss) for tried in found.tried) >= value - 1e-9


@every_textbook_loss
@pytest.mark.parametrize("seed", range(3))
def test_cuts_down_to_one_cluster_are_the_textbooks(name, seed):
    N, chosen = 50, loss_of(TEXTBOOK[name])
    X = np.random.default_rng(seed).random((N, 3))
    tree = Dendrogram.of(np.exp(-np.square(X[:, None] - X).sum(axis=2)), "average")
    for kind in trivial_draws(N).values():
        given = PartitionDraws.of(kind, UNEQUAL)
        values = [tree.values_from_draws(given, chosen)]
        if chosen.by_pairs:
            values.append(tree.values_from_similarity(given.similarity, chosen))
        for t in (0, 1, 25, 48, 49):
            # What merges added up one by one round, and what is reported as zero.
            expected = pytest.approx(textbook_mean(name, tree.cut(t), kind, UNEQUAL), rel=1e-9, abs=1e-12)
            assert all(found[t] == expected for found in values)


@pytest.mark.parametrize("name", ["pear", "omari"])
def test_one_pair_among_a_million_single_items_is_not_lost_in_rounding(name):
    N = 1_000_000
    single, _, pair, _ = simplest(N)
    other = np.arange(N)
    other[1] = 0  # as the pair joins the last two, this joins the first two
    T, shares = Fraction(N * (N - 1)), [Fraction(w) / sum(map(Fraction, UNEQUAL)) for w in UNEQUAL]
    found = loss_of(name).minimised(expected_loss(pair, [single, pair, other], loss=name, weights=UNEQUAL))
    each = [one_minus_adjusted_rand(Fraction(2), C, A, T) for C, A in ((0, 0), (2, 2), (2, 0))]
    means = one_minus_adjusted_rand(Fraction(2), 2 * (shares[1] + shares[2]), 2 * shares[1], T)
    expected = means if name == "pear" else sum(share * value for share, value in zip(shares, each))
    # Numbers up to N^2 = 1e12 are whole; what is rounded is a mean of numbers of the order of 1.
    assert found == pytest.approx(float(expected), rel=1e-13)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_the_constant_potts_model_counts_pairs_within_clusters_and_their_affinity(make):
    rng = np.random.default_rng(0)
    A = rng.random((9, 9)) * (rng.random((9, 9)) < 0.6)
    A += A.T
    for _ in range(5):
        codes = np.unique(rng.integers(4, size=9), return_inverse=True)[1]
        within = codes[:, None] == codes
        expected = (0.3 - A)[within].sum() + 0.2 * (codes.max() + 1)
        assert expected_room.minimised_by_pairs(codes, make(A), ConstantPotts(0.3, 0.2)) == pytest.approx(
            expected, abs=1e-12
        )
