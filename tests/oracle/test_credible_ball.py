"""Balls, certainties and cores against textbook formulas and exhaustion, and the marks of the shared draws."""

from itertools import combinations

import numpy as np
import pytest

from partita.metrics import rand_index, variation_of_information
from partita.partition.certainty import item_certainty
from partita.partition.cores import partial_partition
from partita.partition.credible_ball import credible_ball
from partita.partition.distances import distances_to
from partita.partition.modes import posterior_modes
from synthetic import draws_around, similarity_of

# Fixed point and floating point differ in the last digits of sums of a few hundred terms of at most 10.
ROUNDING = 1e-11


def posterior(seed, N=8, M=40, n_clusters=3):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_clusters, N)
    doubt = rng.random() * rng.random(N)
    draws = draws_around(labels, M, doubt, K=n_clusters + 1, seed=rng)
    if seed % 2:
        draws[: M // 5] = rng.integers(0, n_clusters, N)
    return labels, draws


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("shape", [(1, 5), (30, 1), (50, 9), (20, 300)])
def test_distances_are_those_of_the_textbook(seed, shape):
    rng = np.random.default_rng(seed)
    M, N = shape
    labels, draws = rng.integers(0, 5, N), rng.integers(-2, 7, (M, N))
    vi = [variation_of_information(labels, draw) for draw in draws]
    rand = [rand_index(labels, draw) for draw in draws]
    np.testing.assert_allclose(distances_to(labels, draws), vi, atol=ROUNDING)
    np.testing.assert_allclose(distances_to(labels, draws, unit="nats"), np.array(vi) * np.log(2), atol=ROUNDING)
    found = distances_to(labels, draws, loss="binder", normalize="pairs")
    np.testing.assert_allclose(found, 1 - np.array(rand), atol=ROUNDING)
    # Of N^2 ordered pairs N are of an item with itself, and never wrong.
    np.testing.assert_allclose(distances_to(labels, draws, loss="binder"), found * (N - 1) / N, atol=ROUNDING)


@pytest.mark.parametrize("loss", ["vi", "binder"])
@pytest.mark.parametrize("seed", range(20))
def test_the_ball_is_that_of_its_definition(seed, loss):
    labels, draws = posterior(seed)
    level = (0.5, 0.8, 0.95)[seed % 3]
    if loss == "vi":
        far = np.array([variation_of_information(labels, draw) for draw in draws])
    else:
        far = np.array([1 - rand_index(labels, draw) for draw in draws])
    ball = credible_ball(labels, draws, level=level, loss=loss, normalize="pairs" if loss == "binder" else None)
    radii = sorted({round(d, 10) for d in far})
    radius = next(r for r in radii if (far <= r + 1e-9).mean() >= level)
    inside = np.flatnonzero(far <= radius + 1e-9)
    assert ball.radius == pytest.approx(radius, abs=1e-9)
    assert ball.share == pytest.approx(len(inside) / len(draws))
    K = np.array([len(set(draw)) for draw in draws])

    def partitions(rows):
        rows = [b for b in rows if far[b] >= far[rows].max() - 1e-9]
        found = {}
        for b in rows:
            same = (draws[b][:, None] == draws[b]).tobytes()
            found[same] = found.get(same, 0.0) + 1 / len(draws)
        return found

    for bound, rows in (
        (ball.horizontal, inside),
        (ball.upper, inside[K[inside] == K[inside].min()]),
        (ball.lower, inside[K[inside] == K[inside].max()]),
    ):
        expected = partitions(rows)
        assert {(p.labels[:, None] == p.labels).tobytes(): pytest.approx(p.share) for p in bound} == expected
        assert len(bound) == len(expected)  # equal partitions are merged
        for p in bound:
            assert p.n_clusters == len(set(p.labels))
            assert p.distance == pytest.approx(far[rows].max(), abs=1e-9)


@pytest.mark.parametrize("power", range(1, 9))
def test_distances_equal_in_exact_arithmetic_tie(power):
    # From one cluster the distance is log N - sum f(m_j) / N, and with m = 3 * 2^p,
    # f(m) = m p + m log 3 = 3 f(2^p) + m/3 f(3): clusters of m and m singles are as far as m/3 threes and three of 2^p.
    m = 3 * 2**power
    first = np.append(np.zeros(m, dtype=int), np.arange(1, m + 1))
    second = np.append(np.repeat(np.arange(m // 3), 3), m // 3 + np.repeat([0, 1, 2], 2**power))
    near = np.repeat([0, 1], [2 * m - 1, 1])
    ball = credible_ball(np.zeros(2 * m), [first, second, near], level=0.6)
    assert ball.share == 1.0
    assert {p.n_clusters for p in ball.horizontal} == {m + 1, m // 3 + 3}


@pytest.mark.parametrize("seed", range(5))
def test_ties_survive_any_numbering_and_order_of_sums(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(3, 12, 9)
    labels = np.zeros(sizes.sum(), dtype=int)
    blocks = np.repeat(np.arange(9), sizes)
    draws = []
    for _ in range(200):  # clusters of the same sizes in another order, so the same multiset of counts
        order = rng.permutation(9)
        draws.append(rng.permutation(20)[np.repeat(order, sizes[order])])
    far = distances_to(labels, np.array([*draws, blocks]))
    assert (far == far[0]).all()
    ball = credible_ball(labels, np.array(draws), level=0.01)
    assert ball.share == 1.0
    assert len(ball.horizontal) == len({(np.diff(d) != 0).tobytes() for d in draws})


@pytest.mark.parametrize("seed", range(8))
def test_certainties_are_those_of_their_definitions(seed):
    labels, draws = posterior(seed, N=14, M=30, n_clusters=4)
    weights = np.random.default_rng(seed).random(30)
    shares = weights / weights.sum()
    found = item_certainty(labels, draws, weights=weights)
    N = len(labels)
    together, matched, loss = np.zeros(N), np.zeros(N), np.zeros(N)
    clusters = {k: set(np.flatnonzero(labels == k)) for k in set(labels)}
    for share, draw in zip(shares, draws):
        drawn = {j: set(np.flatnonzero(draw == j)) for j in set(draw)}
        jaccard = {(k, j): len(a & b) / len(a | b) for k, a in clusters.items() for j, b in drawn.items()}
        for i in range(N):
            k, j = labels[i], draw[i]
            others = clusters[k] - {i}
            together[i] += share * (np.mean([draw[o] == j for o in others]) if others else len(drawn[j]) == 1)
            own = jaccard[k, j]
            row = [jaccard[k, other] for other in drawn]
            column = [jaccard[other, j] for other in clusters]
            if own == max(row) and own == max(column):
                matched[i] += share / (row.count(own) * column.count(own))
            n = len(clusters[k] & drawn[j])
            loss[i] += share / N * (np.log2(len(clusters[k]) / n) + np.log2(len(drawn[j]) / n))
    np.testing.assert_allclose(found.together, together, atol=ROUNDING)
    np.testing.assert_allclose(found.matched, matched, atol=ROUNDING)
    np.testing.assert_allclose(found.loss, loss, atol=ROUNDING)
    mean = sum(share * variation_of_information(labels, draw) for share, draw in zip(shares, draws))
    assert found.loss.sum() == pytest.approx(mean, abs=ROUNDING)


def test_certainty_is_the_mean_of_the_similarities_with_the_cluster():
    labels, draws = posterior(3, N=40, M=60)
    P = similarity_of(draws)
    same = labels[:, None] == labels
    expected = ((P * same).sum(axis=1) - 1) / (same.sum(axis=1) - 1)
    np.testing.assert_allclose(item_certainty(labels, draws).together, expected, atol=ROUNDING)


def test_cores_are_almost_always_the_largest_that_exhaustion_finds():
    missed = 0
    for seed in range(60):
        labels, draws = posterior(seed)
        level = (0.5, 0.8, 0.9)[seed % 3]
        right = (draws[:, :, None] == draws[:, None, :]) == (labels[:, None] == labels)
        found = partial_partition(labels, draws, level=level)

        def probability(items, right=right):
            return right[:, items][:, :, items].all(axis=(1, 2)).mean()

        assert found.probability == pytest.approx(probability(found.kept), abs=1e-12)
        assert found.probability >= level - 1e-12
        larger = len(found.kept) + 1
        missed += any(probability(list(items)) >= level - 1e-12 for items in combinations(range(8), larger))
    assert missed <= 3  # greedy: 5 of 200 in a longer run


@pytest.mark.data
def test_the_galaxy_ball_has_the_published_bounds(data_home):
    draws = np.load(data_home / "bayes" / "galaxy_mcmc.npz")["draw"]
    ball = credible_ball(np.repeat([0, 1, 2], [7, 72, 3]), draws)
    assert round(ball.radius, 3) == 1.832
    assert [(p.n_clusters, round(p.distance, 3)) for p in ball.upper] == [(2, 1.364)]
    assert [(p.n_clusters, round(p.distance, 3)) for p in ball.lower] == [(15, 1.669)]


@pytest.mark.data
@pytest.mark.parametrize("name", ["galaxy_mcmc", "ex1_mcmc", "synth_n200_k20", "synth_n1000_k20"])
def test_posteriors_of_one_mode_have_one(data_home, name):
    draws = np.load(data_home / "bayes" / f"{name}.npz")["draw"]
    assert len(posterior_modes(draws).modes) == 1
