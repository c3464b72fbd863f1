"""What draws say of an estimate: balls, certainties, cores, modes and chains keep their laws."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optional import optional
from partita.errors import InputError
from partita.kernels.threads import limit_threads
from partita.metrics import chain_similarity, variation_of_information
from partita.metrics.central_distance import central_distances
from partita.metrics.chain_similarity import compared_items, similarity_differences
from partita.metrics.convergence import effective_sample_size, r_hat
from partita.partition import modes as modes_file
from partita.partition import sample as sample_file
from partita.partition.certainty import item_certainty
from partita.partition.chains import compare_chains
from partita.partition.cores import partial_partition
from partita.partition.credible_ball import credible_ball
from partita.partition.density import density_modes
from partita.partition.distances import distances_to
from partita.partition.draws import PartitionDraws
from partita.partition.losses import Binder, VariationOfInformation
from partita.partition.modes import posterior_modes
from synthetic import draws_around

arviz, zarr = optional("arviz"), optional("zarr")

# Sums of a few hundred numbers of at most ten, taken in another order.
ROUNDING = 1e-10


@st.composite
def posteriors(draw):
    """An estimate, draws about it, and whole-number weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    N, M = draw(st.integers(1, 30)), draw(st.integers(1, 30))
    labels = rng.integers(0, draw(st.integers(1, 6)), N)
    draws = draws_around(labels, M, rng.random(), K=6, seed=rng)
    weights = rng.integers(0, 4, M)
    weights[0] = 1
    return labels, draws, weights, rng


def ball_of(ball, order=slice(None)):
    """What a ball says, items put back into order."""

    def bound(partitions):
        same = [(p.labels[order][:, None] == p.labels[order]).tobytes() for p in partitions]
        return sorted((s, p.distance, p.n_clusters, round(p.share, 12)) for s, p in zip(same, partitions))

    return ball.radius, round(ball.share, 12), bound(ball.horizontal), bound(ball.upper), bound(ball.lower)


@given(posteriors(), st.sampled_from(["vi", "binder"]), st.floats(0.05, 1.0))
@settings(max_examples=60)
def test_a_ball_does_not_depend_on_names_or_order_and_weights_are_copies(posterior, loss, level):
    labels, draws, weights, rng = posterior
    ball = credible_ball(labels, draws, loss=loss, level=level, weights=weights)
    expected = ball_of(ball)
    renamed = np.array([rng.permutation(9)[draw] for draw in draws])
    assert (
        ball_of(credible_ball(rng.permutation(9)[labels], renamed, loss=loss, level=level, weights=weights)) == expected
    )
    copies = np.repeat(draws, weights, axis=0)
    assert ball_of(credible_ball(labels, rng.permutation(copies), loss=loss, level=level)) == expected
    merged = PartitionDraws.of(draws, weights)
    assert ball_of(credible_ball(labels, merged, loss=loss, level=level)) == expected
    order = rng.permutation(len(labels))
    found = credible_ball(labels[order], draws[:, order], loss=loss, level=level, weights=weights)
    assert ball_of(found, np.argsort(order)) == expected


@given(posteriors(), st.sampled_from(["vi", "binder"]))
@settings(max_examples=40)
def test_balls_grow_with_the_level_up_to_all_draws(posterior, loss):
    labels, draws, _, _ = posterior
    balls = [credible_ball(labels, draws, loss=loss, level=level) for level in (0.1, 0.5, 0.9, 1.0)]
    assert all(a.radius <= b.radius and a.share <= b.share for a, b in pairwise(balls))
    assert all(ball.share >= ball.level - ROUNDING for ball in balls)
    far = distances_to(labels, draws, loss=loss)
    assert balls[-1].share == pytest.approx(1.0)
    assert balls[-1].radius == far.max()
    K = [len(set(draw)) for draw in draws]
    assert (balls[-1].upper[0].n_clusters, balls[-1].lower[0].n_clusters) == (min(K), max(K))
    for ball in balls:
        assert ball.upper[0].distance <= ball.radius + ROUNDING
        assert ball.lower[0].distance <= ball.radius + ROUNDING


def test_a_ball_around_constant_draws_is_a_point():
    ball = credible_ball([4, 4, 2], [[1, 1, 0]] * 5)
    assert (ball.radius, ball.share, len(ball.horizontal)) == (0.0, 1.0, 1)
    assert ball.horizontal[0].labels.tolist() == [0, 0, 1]
    assert ball.horizontal[0].share == pytest.approx(1.0)


def test_draws_of_weight_zero_are_in_no_ball():
    draws = [[0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 2, 3]]
    ball = credible_ball([0, 0, 0, 0], draws, level=1.0, weights=[1, 1, 0])
    assert ball.lower[0].n_clusters == 2


def test_draws_where_they_are_give_the_same_as_in_memory(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, 50)
    draws = draws_around(labels, 300, 0.3, seed=rng).astype(np.int16)
    path = tmp_path / "draws.npy"
    np.save(path, draws)
    store = zarr.create_array(store=str(tmp_path / "draws.zarr"), data=draws, chunks=(64, 50))
    expected = ball_of(credible_ball(labels, draws))
    sure = item_certainty(labels, draws)
    monkeypatch.setattr("partita.affinity.label_blocks.BLOCK_BYTES", 50 * 2 * 37)  # 37 draws at a time
    for kept in (np.load(path, mmap_mode="r"), store):
        assert ball_of(credible_ball(labels, kept)) == expected
        np.testing.assert_array_equal(distances_to(labels, kept), distances_to(labels, draws))
        np.testing.assert_allclose(item_certainty(labels, kept).loss, sure.loss, atol=ROUNDING)
        assert len(posterior_modes(kept).modes) == 1
    expected = compare_chains(draws, np.arange(300) % 3, labels=labels)
    found = compare_chains(store, np.arange(300) % 3, labels=labels)
    assert (found.max_difference, found.r_hat) == (expected.max_difference, expected.r_hat)


def test_any_number_of_threads_gives_the_same_bits():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 6, 400)
    draws = draws_around(labels, 3000, 0.2, seed=rng)

    def everything():
        sure, found = item_certainty(labels, draws), posterior_modes(draws)
        return [
            distances_to(labels, draws),
            sure.together,
            sure.matched,
            sure.loss,
            found.modes[0].labels,
            found.distances,
        ]

    with limit_threads(1):
        alone = everything()
    with limit_threads(3):
        for one, three in zip(alone, everything()):
            np.testing.assert_array_equal(one, three)


@given(posteriors())
@settings(max_examples=40)
def test_certainty_follows_items_and_weights_are_copies(posterior):
    labels, draws, weights, rng = posterior
    expected = item_certainty(labels, draws, weights=weights)
    order = rng.permutation(len(labels))
    copies = np.repeat(draws, weights, axis=0)
    renamed = np.array([rng.permutation(9)[draw] for draw in copies])
    found = item_certainty(rng.permutation(9)[labels][order], renamed[:, order])
    for name in ("together", "matched", "loss"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name)[order], atol=ROUNDING)
    assert expected.together.min() >= 0
    assert expected.together.max() <= 1 + ROUNDING
    assert expected.matched.max() <= 1 + ROUNDING


def test_an_item_of_another_draw_is_the_least_certain():
    labels = np.repeat([0, 1], 10)
    draws = np.tile(labels, (10, 1))
    draws[:4, 3] = 1
    found = item_certainty(labels, draws)
    assert found.together.argmin() == found.matched.argmin() == found.loss.argmax() == 3
    assert found.together[3] == found.matched[3] == 0.6


def test_a_merged_cluster_is_together_but_not_matched():
    found = item_certainty([0, 0, 0, 1, 1], [[0, 0, 0, 0, 0]])
    assert found.together.tolist() == [1.0] * 5
    assert found.matched.tolist() == [1.0] * 3 + [0.0] * 2


def test_an_item_alone_is_as_certain_as_it_is_alone():
    assert item_certainty([0, 0, 1], [[0, 0, 1], [0, 0, 0]]).together.tolist() == [1.0, 1.0, 0.5]


@given(posteriors(), st.floats(0.05, 1.0))
@settings(max_examples=60)
def test_cores_hold_as_often_as_they_say_and_no_item_can_be_added(posterior, level):
    labels, draws, weights, _ = posterior
    found = partial_partition(labels, draws, level=level, weights=weights)
    right = (draws[:, :, None] == draws[:, None, :]) == (labels[:, None] == labels)

    def probability(items):
        return right[:, items][:, :, items].all(axis=(1, 2)) @ weights / weights.sum()

    assert found.probability == pytest.approx(probability(found.kept), abs=ROUNDING)
    assert found.probability >= level - ROUNDING
    for item in found.dropped:
        assert probability(np.append(found.kept, item)) < level
    assert sorted([*found.kept, *found.dropped]) == list(range(len(labels)))
    kept = found.labels[found.kept]
    assert ((kept[:, None] == kept) == (labels[found.kept][:, None] == labels[found.kept])).all()
    assert (found.labels[found.dropped] == -1).all()
    assert set(kept) == set(range(len(set(kept))))


def test_cores_are_all_items_where_all_draws_are_the_estimate():
    found = partial_partition(["a", "b", "b", "c"], [[2, 0, 0, 1]] * 7, level=1.0)
    assert found.labels.tolist() == [0, 1, 1, 2]
    assert found.probability == 1.0
    assert " 1 of 2 items lies in 1 cluster " in str(partial_partition([0, 0], [[0, 0], [0, 1]], level=1.0))


def test_cores_without_taking_items_away_still_hold(monkeypatch):
    monkeypatch.setattr("partita.partition.cores.COMPARISONS", 0.0)
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 40)
    found = partial_partition(labels, draws_around(labels, 200, 0.03, seed=rng), level=0.8)
    assert found.probability >= 0.8
    assert len(found.kept) > 5


@pytest.mark.parametrize("n_items", [30, 100])
@pytest.mark.parametrize("seed", range(4))
def test_two_partitions_and_noise_are_two_modes_of_their_weights(n_items, seed):
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 5, n_items), rng.integers(0, 5, n_items)
    parts = [draws_around(first, 420, 0.1, seed=rng), draws_around(second, 180, 0.1, seed=rng)]
    found = posterior_modes(rng.permutation(np.concatenate(parts)))
    # Draws of the two are hardly ever mistaken for one another: 1% of 600.
    assert [mode.weight for mode in found.modes] == pytest.approx([0.7, 0.3], abs=0.01)
    assert distances_to(first, found.modes[0].labels[None])[0] < 0.5 * distances_to(first, second[None])[0]
    assert distances_to(second, found.modes[1].labels[None])[0] < 0.5 * distances_to(first, second[None])[0]
    assert found.distances[0, 1] > max(found.modes[0].spread, found.modes[1].spread)


@pytest.mark.parametrize("doubt", [0.0, 0.02, 0.1, 0.4, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_one_noisy_partition_is_one_mode(doubt, seed):
    rng = np.random.default_rng(seed)
    found = posterior_modes(draws_around(rng.integers(0, 5, 60), 400, doubt, seed=rng))
    assert len(found.modes) == 1
    assert found.modes[0].weight == pytest.approx(1.0)
    assert found.labels.tolist() == [0] * 400


def test_items_that_waver_alone_make_no_modes():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 60)
    draws = np.tile(truth, (500, 1))
    draws[:, :3] = rng.integers(0, 2, (500, 3))  # three items, each on its own in one of two clusters
    assert len(posterior_modes(draws).modes) == 1


def test_chains_in_different_modes_are_modes_of_equal_weight():
    rng = np.random.default_rng(2)
    truths = [rng.integers(0, 4, 80) for _ in range(3)]
    chains = [draws_around(truth, 300, 0.1, seed=rng) for truth in truths]
    draws = np.concatenate(chains)
    found = posterior_modes(draws)
    assert [mode.weight for mode in found.modes] == pytest.approx([1 / 3] * 3, abs=0.01)
    assert not compare_chains(draws, np.repeat(np.arange(3), 300)).agree


def test_more_draws_than_are_compared_are_all_given_a_mode(monkeypatch):
    rng = np.random.default_rng(3)
    first, second = rng.integers(0, 5, 40), rng.integers(0, 5, 40)
    draws = np.concatenate([draws_around(first, 1400, 0.1, seed=rng), draws_around(second, 600, 0.1, seed=rng)])
    for file in (sample_file, modes_file):
        monkeypatch.setattr(file, "SAMPLE", 400)
    found = posterior_modes(draws)
    assert found.n_sampled == 400
    assert (found.labels == np.repeat([0, 1], [1400, 600])).mean() > 0.99
    assert sum(len(mode.draws) for mode in found.modes) == 2000


def test_weights_of_modes_are_copies():
    rng = np.random.default_rng(4)
    first, second = rng.integers(0, 4, 30), rng.integers(0, 4, 30)
    draws = np.concatenate([draws_around(first, 100, 0.1, seed=rng), draws_around(second, 50, 0.1, seed=rng)])
    weights = rng.integers(1, 4, 150)
    by_weight = posterior_modes(draws, weights=weights)
    by_copies = posterior_modes(np.repeat(draws, weights, axis=0))
    assert len(by_weight.modes) == len(by_copies.modes) == 2
    np.testing.assert_array_equal(np.repeat(by_weight.labels, weights), by_copies.labels)
    np.testing.assert_allclose(by_weight.distances, by_copies.distances, atol=ROUNDING)
    assert by_weight.separation == pytest.approx(by_copies.separation)


def test_a_search_is_given_the_draws_of_its_mode_and_represents_it():
    rng = np.random.default_rng(5)
    first, second = rng.integers(0, 4, 40), rng.integers(0, 4, 40)
    draws = np.concatenate([draws_around(first, 200, 0.05, seed=rng), draws_around(second, 100, 0.05, seed=rng)])
    sizes = []

    def search(own, weights):
        sizes.append((own.shape, weights.sum()))
        values = [np.bincount(column, minlength=4) for column in own.T]
        return np.array(values).argmax(axis=1)  # the most frequent label of each item

    found = posterior_modes(draws, search=search)
    assert sizes == [((200, 40), 200.0), ((100, 40), 100.0)]
    assert distances_to(first, found.modes[0].labels[None])[0] < ROUNDING
    assert distances_to(second, found.modes[1].labels[None])[0] < ROUNDING
    with pytest.raises(InputError, match="3 labels"):
        posterior_modes(draws, search=lambda own, weights: [0, 1, 2])


def test_a_density_on_a_line_has_the_modes_that_were_put_there():
    rng = np.random.default_rng(6)
    x = np.concatenate([rng.normal(0, 1, 300), rng.normal(12, 1, 200), rng.normal(24, 1, 100)])
    found, separation = density_modes(np.abs(x[:, None] - x), np.full(600, 1 / 600), 0.0, 600.0)
    core = found >= 0
    assert core.mean() > 0.9
    assert (found[core] == np.repeat([0, 1, 2], [300, 200, 100])[core]).all()
    assert separation > 3
    one, height = density_modes(np.abs(x[:300, None] - x[:300]), np.full(300, 1 / 300), 0.0, 300.0)
    assert (one == 0).all()
    assert height < 1.5


@pytest.mark.parametrize("seed", range(10))
def test_independent_chains_of_one_posterior_agree(seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 5, 50)
    draws = draws_around(truth, 1200, rng.beta(1, 4, 50), seed=rng)
    found = compare_chains(draws, np.repeat(["a", "b", "c"], 400), labels=truth)
    assert found.agree, found.verdict
    assert found.verdict.startswith("the chains agree")
    assert found.max_difference <= found.allowed_difference


@pytest.mark.parametrize("seed", range(5))
def test_a_chain_that_is_stuck_elsewhere_disagrees_and_the_items_are_named(seed):
    rng = np.random.default_rng(seed)
    truth = np.repeat([0, 1, 2], 20)
    other = truth.copy()
    other[:2] = 1
    draws = np.concatenate([draws_around(truth, 300, 0.1, seed=rng), draws_around(other, 300, 0.1, seed=rng)])
    found = compare_chains(draws, np.repeat([7, 9], 300), labels=truth)
    assert not found.agree
    assert found.farthest == (7, 9)
    assert "chains 7 and 9 differ by" in found.verdict
    assert found.max_difference > 0.6


def test_chains_that_differ_only_in_k_disagree_by_r_hat():
    # Each draw has one item alone, or two: seldom the same ones, so no pair tells, but K does.
    rng = np.random.default_rng(0)
    draws = np.zeros((2000, 60), dtype=int)
    for b in range(2000):
        alone = rng.choice(60, 1 if b < 1000 else 3, replace=False)
        draws[b, alone] = np.arange(1, len(alone) + 1)
    found = compare_chains(draws, np.arange(2000) // 1000)
    assert found.max_difference < found.allowed_difference
    assert not found.agree
    assert "the number of clusters stays the same within each half of a chain" in found.verdict
    assert found.r_hat["n_clusters"] == np.inf


def test_few_effective_draws_are_said():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 30)
    blocks = np.repeat(draws_around(truth, 12, 0.3, seed=rng), 50, axis=0)
    found = compare_chains(blocks, np.arange(600) // 300)
    assert found.least_effective < 20
    assert not found.verdict.startswith("the chains agree")


TRUTH = np.repeat([0, 1, 2, 3], 10)
OTHER = np.tile([0, 1, 2, 3], 10)


def jumping(at, rng, M=1000):
    """A chain that is at one partition, and from draw `at` on at another."""
    return np.concatenate([draws_around(TRUTH, at, 0.05, seed=rng), draws_around(OTHER, M - at, 0.05, seed=rng)])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_chains", [2, 4])
def test_a_chain_that_jumps_is_not_excused_by_its_own_slow_mixing(seed, n_chains):
    rng = np.random.default_rng(seed)
    chains = [draws_around(TRUTH, 1000, 0.05, seed=rng) for _ in range(n_chains - 1)] + [jumping(500, rng)]
    found = compare_chains(np.concatenate(chains), np.repeat(np.arange(n_chains), 1000))
    assert found.least_effective < 20  # which would allow any difference of probabilities
    assert found.allowed_difference < 0.2
    assert found.verdict.startswith("the chains disagree")
    assert not found.agree
    assert found.exceeds
    assert n_chains - 1 in found.farthest


@pytest.mark.parametrize("seed", range(5))
def test_chains_that_all_jump_are_too_little_to_tell_and_never_agree(seed):
    rng = np.random.default_rng(seed)
    chains = [jumping(at, rng) for at in (450, 480, 520, 550)]
    found = compare_chains(np.concatenate(chains), np.repeat(np.arange(4), 1000))
    assert not found.agree
    assert found.verdict.startswith("too little to tell whether the chains agree: effective sample size")
    assert "run longer" in found.verdict
    assert found.allowed_difference <= 1.0  # a difference of probabilities
    assert found.allowed_r_hat == 1.1
    assert found.max_difference < found.allowed_difference


@pytest.mark.parametrize("seed", range(5))
def test_slow_chains_say_how_little_they_are_worth(seed):
    rng = np.random.default_rng(seed)
    blocks = [np.repeat(draws_around(TRUTH, 6, 0.3, seed=rng), 100, axis=0) for _ in range(3)]
    found = compare_chains(np.concatenate(blocks), np.repeat(np.arange(3), 600))
    assert not found.agree
    assert found.least_effective < 20
    said = f"effective sample size {found.least_effective:.0f} of a chain alone, below 20"
    assert said in found.verdict or found.verdict.startswith("the chains disagree")


def test_constant_numbers_of_clusters_are_told_without_a_number_that_means_nothing():
    rng = np.random.default_rng(0)
    same = draws_around(TRUTH, 800, 0.1, seed=rng)
    same[:, :4] = [0, 1, 2, 3]  # so that no cluster is ever empty
    found = compare_chains(same, np.arange(800) // 400)
    assert (found.agree, found.r_hat["n_clusters"]) == (True, 1.0)
    fewer = same.copy()
    fewer[400:][fewer[400:] == 3] = 0
    found = compare_chains(fewer, np.arange(800) // 400)
    assert found.r_hat["n_clusters"] == np.inf
    assert not found.agree
    assert "the number of clusters stays the same within each half of a chain, and differs" in found.verdict
    assert "inf" not in found.verdict
    assert "e+" not in found.verdict


@pytest.mark.parametrize("values", [(3, 4), (0.1, 0.3), (4, 5, 6, 7), (5, 5, 5, 8)])
def test_r_hat_of_chains_that_keep_to_one_value_each_is_infinite(values):
    trace = np.repeat(np.array(values, dtype=float)[:, None], 1000, axis=1)
    assert r_hat(trace) == np.inf
    assert np.isfinite(effective_sample_size(trace))


def test_the_log_joint_counts_where_it_is_known():
    rng = np.random.default_rng(0)
    draws, chain = draws_around(TRUTH, 800, 0.1, seed=rng), np.arange(800) // 200
    level = rng.normal(size=800)
    assert compare_chains(draws, chain, traces={"log_joint": level}).agree
    found = compare_chains(draws, chain, traces={"log_joint": level + 3 * (chain == 2)})
    assert found.verdict.startswith("the chains disagree: R-hat of the log joint density is")
    assert set(found.r_hat) == {"n_clusters", "distance", "log_joint"}
    with pytest.raises(InputError, match=r"\(799,\)"):
        compare_chains(draws, chain, traces={"log_joint": level[:-1]})


def test_the_central_draw_is_the_nearest_to_all_others_by_brute_force():
    rng = np.random.default_rng(0)
    draws = draws_around(rng.integers(0, 4, 30), 40, 0.3, seed=rng)
    by_hand = np.array([[variation_of_information(a, b) for b in draws] for a in draws])
    middle = int(by_hand.sum(axis=1).argmin())
    np.testing.assert_allclose(central_distances(draws), by_hand[middle], atol=1e-9)
    found = compare_chains(draws, np.arange(40) // 20)
    np.testing.assert_allclose(np.concatenate(found.distances), by_hand[middle], atol=1e-9)


def test_chain_differences_are_those_of_the_similarity_matrices():
    rng = np.random.default_rng(0)
    parts = [rng.integers(0, k, (m, 23)) for k, m in ((2, 70), (5, 64), (3, 129))]
    P = [np.mean(part[:, :, None] == part[:, None, :], axis=0) for part in parts]
    above = np.triu_indices(23, 1)
    differences = {(a, b): np.abs(P[a] - P[b]) for a in range(3) for b in range(a + 1, 3)}
    found = similarity_differences(parts)
    assert found.largest == pytest.approx(max(d.max() for d in differences.values()))
    assert found.mean == pytest.approx(np.mean([d[above].mean() for d in differences.values()]))
    assert differences[found.chains][found.items] == pytest.approx(found.largest)


def test_of_many_items_a_sample_is_compared_and_said(monkeypatch):
    monkeypatch.setattr(chain_similarity, "EXACT_UP_TO", 40)
    rng = np.random.default_rng(0)
    draws = draws_around(rng.integers(0, 3, 100), 400, 0.2, seed=rng)
    chain = np.arange(400) % 2
    found = compare_chains(draws, chain)
    assert (found.n_items, found.exact) == (40, False)
    items = compared_items(100)
    exact = similarity_differences([draws[chain == c][:, items] for c in (0, 1)])
    assert found.max_difference == exact.largest


@pytest.mark.parametrize("seed", range(5))
def test_convergence_numbers_are_those_of_arviz(seed):
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(4, 301))
    trace = np.empty_like(noise)
    trace[:, 0] = noise[:, 0]
    for t in range(1, 301):
        trace[:, t] = 0.2 * seed * trace[:, t - 1] + noise[:, t]
    counts = np.round(trace * 2)
    apart = trace + 2 * np.arange(4)[:, None]
    for each in (trace, counts, apart):
        assert r_hat(each) == pytest.approx(float(arviz.rhat(each)), rel=1e-6)
        assert effective_sample_size(each) == pytest.approx(float(arviz.ess(each)), rel=1e-6)


def test_traces_are_those_of_each_chain():
    draws = np.array([[0, 0, 1], [0, 1, 2], [0, 0, 0], [0, 0, 1]] * 4)
    chain = np.array([1, 0, 1, 0] * 4)
    found = compare_chains(draws, chain, labels=[0, 0, 0])
    assert [trace.tolist() for trace in found.n_clusters] == [[3, 2] * 4, [2, 1] * 4]
    np.testing.assert_allclose(found.distances[1], distances_to([0, 0, 0], draws[chain == 1]))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: credible_ball([0, 1], [[0, 1]], level=0.0), r"level=0\.0"),
        (lambda: credible_ball([0, 1], [[0, 1]], loss="nvi"), "'vi' or 'binder'"),
        (lambda: credible_ball([0, 1], [[0, 1]], loss=VariationOfInformation(a=0.5)), "a=0.5"),
        (lambda: credible_ball([0, 1], [[0, 1]], normalize="pairs"), "loss='binder'"),
        (lambda: credible_ball([0, 1], [[0, 1]], loss=Binder(), normalize="n2"), "loss='binder'"),
        (lambda: credible_ball([0, 1], [[0, 1]], loss="binder", unit="nats"), "unit='nats'"),
        (lambda: credible_ball([0, 1, 1], [[0, 1]]), "^labels "),
        (lambda: credible_ball([0, 1], np.eye(2)), "draws .*2 x 2"),
        (lambda: credible_ball([0, 1], [[0, 1]], weights=[-1]), "^weights .*1 "),
        (lambda: credible_ball([0, 1], PartitionDraws.of([[0, 1]]), weights=[1]), "^weights .*draws"),
        (lambda: item_certainty([0], [[0, 1]]), "^labels "),
        (lambda: item_certainty([0, 1], [[0, 1]], unit="bytes"), "'bytes'"),
        (lambda: partial_partition([0], [[0, 1]]), "^labels "),
        (lambda: partial_partition([0, 1], [[0, 1]], level=1.5), "level=1.5"),
        (lambda: posterior_modes([[0, 1]], loss="omari"), "'vi' or 'binder'"),
        (lambda: compare_chains([[0, 1]] * 8, [0] * 8), "chains(?!.*shape)"),
        (lambda: compare_chains([[0, 1]] * 8, [0] * 7), r"chain .*\(7,\)"),
        (lambda: compare_chains([[0, 1]] * 8, [0] * 6 + [1] * 2), "chain 1 .*2 draws"),
        (lambda: compare_chains(PartitionDraws.of([[0, 1]] * 8), [0, 1]), "M x N draws"),
    ],
)
def test_what_does_not_fit_is_refused_and_said(call, says):
    with pytest.raises(InputError, match=says):
        call()


def test_one_item_and_one_draw():
    ball = credible_ball([3], [[5]])
    assert (ball.radius, ball.upper[0].n_clusters) == (0.0, 1)
    assert partial_partition([3], [[5]]).kept.tolist() == [0]
    assert len(posterior_modes([[5]]).modes) == 1
    assert credible_ball([3], [[5]], loss="binder", normalize="pairs").radius == 0.0
