"""Particles, certain items and plausibility against exhaustion, known posteriors and counting."""

from itertools import pairwise

import numpy as np
import pytest

from partita import BayesianPartition, expected_loss, partition_distance
from partita.errors import InputError
from partita.partition.distances import distances_to
from partita.partition.exhaustive import all_partitions
from partita.partition.sample import SAMPLE
from synthetic import draws_around, posterior, with_gaps

# Sums over some hundred draws in another order.
ROUNDING = 1e-12


def known(seed, n_items=5):
    """All partitions of a few items, and probabilities of them: even or peaked."""
    every, rng = all_partitions(n_items), np.random.default_rng(seed)
    return every, rng.dirichlet(np.full(len(every), 0.05 if seed % 2 else 1.0)), rng


def fitted(draws, **options):
    return BayesianPartition(options.pop("loss", "vi"), random_state=0).fit(draws, **options)


def bimodal(n_items=100, n_draws=600, seed=0):
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 4, n_items), rng.integers(0, 4, n_items)
    half = n_draws // 2
    draws = np.concatenate([draws_around(first, half, 0.1, seed=rng), draws_around(second, half, 0.1, seed=rng)])
    return draws, first, second


@pytest.mark.parametrize("loss", ["vi", "binder"])
def test_two_particles_are_almost_always_the_best_that_exhaustion_finds(loss):
    missed = 0
    for seed in range(10):
        every, shares, rng = known(seed)
        counts = rng.multinomial(60, shares)
        between = np.array([distances_to(labels, every, loss=loss) for labels in every])
        best = min((np.minimum(row, between) @ counts).min() for row in between) / 60
        found = fitted(np.repeat(every, counts, axis=0), loss=loss).particles(2).distance
        assert found >= best - ROUNDING
        missed += found > best + ROUNDING
    assert missed <= 1  # 8 of 200 in a longer run


@pytest.mark.parametrize("loss", ["vi", "binder"])
def test_particles_say_what_counting_says(loss):
    draws = posterior(n_draws=120, n_items=12, noise=0.4)[0]
    model = fitted(draws, loss=loss)
    for L in (1, 3):
        found = model.particles(L)
        far = np.array([distances_to(particle.labels, draws, loss=loss) for particle in found.partitions])
        np.testing.assert_allclose(far[found.labels, np.arange(120)], far.min(axis=0), atol=ROUNDING)
        assert found.distance == pytest.approx(far.min(axis=0).mean(), abs=ROUNDING)
        weights = [particle.weight for particle in found.partitions]
        assert weights == sorted(weights, reverse=True)
        assert sum(weights) == pytest.approx(1.0)
        for k, particle in enumerate(found.partitions):
            np.testing.assert_array_equal(particle.draws, np.flatnonzero(found.labels == k))
            assert particle.weight == pytest.approx(len(particle.draws) / 120)
            assert particle.distance == pytest.approx(far[k, particle.draws].mean(), abs=ROUNDING)


def test_one_particle_is_the_partition_and_each_more_is_nearer():
    model = fitted(posterior(n_draws=60, n_items=12, noise=0.5)[0])
    found = [model.particles(L) for L in (1, 2, 3, 4)]
    np.testing.assert_array_equal(found[0].partitions[0].labels, model.labels_)
    assert found[0].distance == pytest.approx(model.expected_loss_)
    assert all(more.distance < less.distance for less, more in pairwise(found))


def test_as_many_particles_as_different_draws_are_the_draws():
    draws = [[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 2], [0, 0, 1, 1]]
    model = fitted(draws)
    found = model.particles(3)
    assert found.distance == 0.0
    assert [found.partitions[k].labels.tolist() for k in found.labels] == draws
    for L in (0, 4, 1.5, True):
        with pytest.raises(InputError, match="L="):
            model.particles(L)


def test_two_modes_are_two_particles_whatever_clusters_items_and_draws_are_called():
    draws, first, second = bimodal(n_items=30, n_draws=200)
    rng = np.random.default_rng(1)
    order, items = rng.permutation(200), rng.permutation(30)
    renamed = np.array([rng.permutation(9)[draw] for draw in draws])[order][:, items]
    found, again = fitted(draws).particles(2), fitted(renamed).particles(2)
    assert found.distance == pytest.approx(again.distance)
    assert {
        min((first, second), key=lambda c: partition_distance(c, p.labels)).tobytes() for p in found.partitions
    } == {
        first.tobytes(),
        second.tobytes(),
    }
    together = found.labels[order][:, None] == found.labels[order]
    assert ((again.labels[:, None] == again.labels) == together).all()


def test_weights_are_copies():
    draws = posterior(n_draws=30, n_items=9, noise=0.4)[0]
    weights = np.random.default_rng(0).integers(0, 4, 30)
    weighted, copied = fitted(draws, weights=weights), fitted(np.repeat(draws, weights, axis=0))
    found, same = weighted.particles(3), copied.particles(3)
    assert found.distance == pytest.approx(same.distance)
    assert [p.weight for p in found.partitions] == pytest.approx([p.weight for p in same.partitions])
    np.testing.assert_array_equal(np.repeat(found.labels, weights), same.labels)
    for labels in draws[:10]:
        assert weighted.plausible(labels).probability == pytest.approx(copied.plausible(labels).probability)
    assert weighted.certain_items(0.5).probability == pytest.approx(copied.certain_items(0.5).probability)


@pytest.mark.parametrize("loss", ["vi", "binder"])
@pytest.mark.parametrize("seed", [0, 1])
def test_fresh_draws_of_a_known_posterior_are_plausible_as_often_as_they_say(seed, loss):
    every, shares, rng = known(seed)
    M, below = 39, np.zeros(3)
    alphas = np.array([0.05, 0.1, 0.3])
    for _ in range(120):
        model = fitted(every[rng.choice(len(every), M, p=shares)], loss=loss)
        p = np.array([model.plausible(labels).probability for labels in every])
        below += (p[:, None] <= alphas + ROUNDING).T @ shares  # of a fresh draw, exactly
    # Standard errors of a mean of 120 numbers in [0, 1] around alpha; three of them.
    assert (below / 120 <= alphas + 3 * np.sqrt(alphas * (1 - alphas) / 120)).all()


def test_plausible_counts_the_draws_of_larger_core_radius():
    draws = posterior(n_draws=50, n_items=8, noise=0.5, seed=3)[0]
    model = fitted(draws)
    for labels in (*draws[:5], np.zeros(8, dtype=int), np.arange(8)):
        bag = np.vstack([draws, labels])
        between = np.array([distances_to(own, bag) for own in bag])
        core = np.sort(between, axis=1)[:, 11]  # the twelfth of 51: more than 5%
        expected = (core >= core[-1] - 1e-9).mean()
        found = model.plausible(labels)
        assert found.probability == pytest.approx(expected)
        assert found.expected_loss == pytest.approx(expected_loss(labels, draws))
        assert found.inside(0.9) == (expected > 0.1 + ROUNDING)


def test_what_lies_between_two_modes_is_not_plausible():
    draws, first, second = bimodal()
    model = fitted(draws)
    one = np.zeros(100, dtype=int)
    far = np.array([expected_loss(draw, draws) for draw in draws])
    assert (far >= expected_loss(one, draws)).mean() > 0.9  # nearer to all draws than a draw is
    assert model.plausible(one).probability < 0.01
    assert min(model.plausible(labels).probability for labels in (first, second)) > 0.5


def test_a_sample_stands_for_more_draws_than_are_compared():
    draws = posterior(n_draws=SAMPLE + 500, n_items=30, noise=0.5)[0]
    model = fitted(draws)
    few = fitted(draws[::2])
    for labels in (*draws[:5], model.labels_, np.arange(30)):
        found = model.plausible(labels).probability
        assert found >= 1 / (SAMPLE + 1)
        assert found == pytest.approx(few.plausible(labels).probability, abs=0.1)  # three standard errors of a share
    with pytest.raises(InputError, match="L="):
        model.particles(SAMPLE + 1)


def test_certain_items_are_the_fewer_the_surer_and_hold_as_often_as_counted():
    draws = posterior(noise=0.1)[0]
    model = fitted(draws)
    found = [model.certain_items(probability) for probability in (0.2, 0.5, 0.8, 1.0)]
    assert all(len(less.kept) >= len(more.kept) for less, more in pairwise(found))
    for level, each in zip((0.2, 0.5, 0.8, 1.0), found, strict=True):
        holds = [partition_distance(draw[each.kept], model.labels_[each.kept]) == 0 for draw in draws]
        assert each.probability == pytest.approx(np.mean(holds))
        assert each.probability >= level - ROUNDING
    with pytest.raises(InputError, match=r"^probability="):
        model.certain_items(1.5)
    with pytest.warns(FutureWarning, match="certain_items"):
        assert model.cores(0.5).kept.tolist() == found[1].kept.tolist()


def test_what_does_not_fit_is_refused():
    model = fitted([[0, 0, 1], [0, 1, 1]])
    for labels in ([0, 1], [[0, 1, 1]], [0.0, np.nan, 1.0]):
        with pytest.raises(InputError, match="labels"):
            model.plausible(labels)
    draws = with_gaps(posterior()[0], 0.1, seed=1)
    lacking = BayesianPartition("binder", missing="unobserved", random_state=0).fit(draws)
    for ask in (lambda: lacking.particles(2), lambda: lacking.plausible(lacking.labels_), lacking.certain_items):
        with pytest.raises(InputError, match="draws"):
            ask()


def test_particles_keep_the_cap_on_clusters():
    draws = posterior(n_draws=60, n_items=12, n_clusters=4, noise=0.4)[0]
    draws[:5] = np.arange(12) % 2
    draws[0, 0] = 1
    model = BayesianPartition(max_clusters=2, random_state=0).fit(draws)
    assert max(particle.n_clusters for particle in model.particles(2).partitions) <= 2
    with pytest.raises(InputError, match="max_clusters"):
        model.particles(4)
