"""What every registered loss must do; a new loss passes these unchanged.

The oracle is the loss of each partition alone, in plain NumPy (`expected_loss`), over all partitions of a few items.
"""

import numpy as np
import pytest

from partita.errors import InputError
from partita.kernels import partition_escapes as escapes
from partita.kernels import partition_moves as moves
from partita.partition import (
    PartitionDraws,
    expected_loss,
    expected_loss_from_similarity,
    loss_of,
    partition_distance,
    posterior_similarity,
    search_partition,
)
from partita.partition.dendrogram import Dendrogram, numbered
from partita.partition.evidence import PartitionEvidence
from partita.partition.exhaustive import all_partitions, all_values
from partita.partition.losses import Binder, PartitionLoss, VariationOfInformation
from synthetic import draws_around

NAMES = list(PartitionLoss.registry)
# Losses with options beyond those by name: unequal weights of the two errors, the other normalisation.
LOSSES = [*NAMES, Binder(a=0.6, normalize="pairs"), VariationOfInformation(a=1.4, unit="nats")]
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=str)
# Sums over a few draws, in two orders.
CLOSE = 1e-9


def some_draws(seed, M=6, N=6, K=3):
    rng = np.random.default_rng(seed)
    return draws_around(rng.integers(K, size=N), M, 0.4, K=K, seed=rng)


def evidences(loss, draws):
    """Every kind of state that can hold the loss: pairs or their bound, and tables of the draws."""
    given = PartitionDraws.of(draws)
    chosen = loss_of(loss)
    found = [PartitionEvidence(chosen, given)]
    if chosen.by_draws and chosen.by_pairs:
        found.append(WithoutPairs(chosen, given))
    return found


class WithoutPairs(PartitionEvidence):
    """Where no similarity matrix fits into memory."""

    has_pairs = False


def minimised(evidence, codes):
    reported = expected_loss(codes, evidence.draws, loss=evidence.loss)
    return evidence.loss.minimised(reported)


def state_at(evidence, codes):
    state = evidence.empty_state()
    moves.assign(state, np.arange(len(codes)), numbered(np.asarray(codes)))
    return state


@every_loss
def test_a_partition_is_at_distance_zero_from_itself_and_not_from_another(loss):
    every = all_partitions(5)
    chosen = loss_of(loss)
    itself = [chosen.minimised(partition_distance(codes, codes, loss=loss)) for codes in every]
    if getattr(chosen, "a", 1.0) == 1.0:
        np.testing.assert_allclose(itself, 0.0, atol=1e-14)
        for codes in every[:-1]:
            assert chosen.minimised(partition_distance(codes, every[-1], loss=loss)) > 1e-3


@every_loss
def test_relabelling_clusters_or_items_leaves_the_loss_unchanged(loss):
    draws = some_draws(1, N=7)
    rng = np.random.default_rng(0)
    order = rng.permutation(7)
    for codes in all_partitions(7)[::90]:
        value = expected_loss(codes, draws, loss=loss)
        names = np.array(["x", "-3", "9", "q", "7", "b", "1000"])
        assert expected_loss(names[codes], 50 - 7 * draws, loss=loss) == pytest.approx(value, abs=1e-12)
        assert expected_loss(codes[order], draws[:, order], loss=loss) == pytest.approx(value, abs=1e-12)


@every_loss
def test_weights_are_copies_of_draws(loss):
    draws, weights = some_draws(2), np.array([3, 1, 0, 2, 1, 5])
    copies = np.repeat(draws, weights, axis=0)
    some = all_partitions(6)[::9]
    np.testing.assert_allclose(
        expected_loss(some, draws, loss=loss, weights=weights), expected_loss(some, copies, loss=loss), atol=1e-13
    )
    a = search_partition(draws, weights=weights, loss=loss, random_state=0)
    b = search_partition(copies, loss=loss, random_state=0)
    assert a.expected_loss == pytest.approx(b.expected_loss, abs=1e-12)


@every_loss
@pytest.mark.parametrize("seed", range(3))
def test_the_state_has_the_loss_at_every_partition(loss, seed):
    for evidence in evidences(loss, some_draws(seed)):
        every = all_partitions(6)
        expected = [minimised(evidence, codes) for codes in every]
        found = [state_at(evidence, codes).value() for codes in every]
        np.testing.assert_allclose(found, expected, atol=CLOSE)
        np.testing.assert_allclose([evidence.value(codes) for codes in every], expected, atol=CLOSE)


@every_loss
def test_costs_of_moves_are_those_of_brute_force(loss):
    for evidence in evidences(loss, some_draws(3)):
        out = np.empty(8)
        for codes in all_partitions(6)[::3]:
            state = state_at(evidence, codes)
            for i in range(6):
                state.costs(i, out)
                K = int(state.counts[0])
                for k in range(K + 1):
                    if k == K and (codes == codes[i]).sum() == 1:
                        continue  # alone already
                    moved = state.labels.copy()
                    moved[i] = k
                    assert out[k] == pytest.approx(minimised(evidence, moved), abs=CLOSE)


@every_loss
def test_costs_of_merges_are_those_of_brute_force(loss):
    for evidence in evidences(loss, some_draws(4)):
        out = np.empty(8)
        for codes in all_partitions(6)[::3]:
            state = state_at(evidence, codes)
            for a in range(int(state.counts[0])):
                state.merge_costs(a, out)
                for b in range(int(state.counts[0])):
                    merged = np.where(state.labels == a, b, state.labels)
                    assert out[b] == pytest.approx(minimised(evidence, merged), abs=CLOSE)


@every_loss
def test_the_value_stays_right_through_any_moves(loss):
    rng = np.random.default_rng(5)
    for evidence in evidences(loss, some_draws(5, M=5, N=9, K=4)):
        state = state_at(evidence, np.zeros(9, dtype=int))
        for _ in range(200):
            moves.gather(state, rng.permutation(9)[:1], int(rng.integers(-1, 9)))
        assert state.value() == pytest.approx(minimised(evidence, state.labels), abs=CLOSE)
        assert state.counts.tolist() == [state.labels.max() + 1, 9]
        assert state.sizes[1 : state.counts[0] + 1].tolist() == np.bincount(state.labels).tolist()


@every_loss
def test_splits_and_rebuilds_are_kept_only_where_they_lower_the_loss(loss):
    rng, out = np.random.default_rng(6), np.empty(10)
    for evidence in evidences(loss, some_draws(6, N=8)):
        kept = 0
        for codes in all_partitions(8)[::97]:
            state = state_at(evidence, codes)
            before = minimised(evidence, codes)
            items = rng.permutation(np.flatnonzero(codes == 0))
            if len(items) > 1:
                better = moves.split(state, items, 3, out)
                after = minimised(evidence, state.labels)
                assert (after < before) == better
                assert better or np.array_equal(numbered(state.labels), codes)
                kept, before = kept + better, after
            items = rng.permutation(np.flatnonzero(state.labels == state.labels[0]))
            then = numbered(state.labels)
            better = moves.rebuild(state, items, 8, out)
            after = minimised(evidence, state.labels)
            assert (after < before) == better
            assert better or np.array_equal(numbered(state.labels), then)
            kept += better
        assert kept > 0


def detours(state, cap, rng, out):
    """Every move that is worse at first, from a state."""
    N, first = len(state.labels), np.flatnonzero(state.labels == 0)
    yield lambda state: escapes.chain(state, rng.permutation(N), cap, 5, out)
    yield lambda state: escapes.merge_and_respond(state, int(rng.integers(N)), rng.permutation(N), cap, 2, out)
    if state.counts[0] > 1:
        second = np.flatnonzero(state.labels == escapes.nearest(state, 0, out))
        yield lambda state: escapes.redivide(state, first, second, rng.permutation(np.append(first, second)), cap, out)


@every_loss
def test_detours_are_kept_only_where_they_lower_the_loss(loss):
    rng, out = np.random.default_rng(7), np.empty(10)
    for evidence in evidences(loss, some_draws(7, N=8)):
        kept = np.zeros(3, dtype=int)
        for codes in all_partitions(8)[::61]:
            K, before = codes.max() + 1, minimised(evidence, codes)
            for cap in (K, 8):
                for nth, detour in enumerate(detours(state_at(evidence, codes), cap, rng, out)):
                    state = state_at(evidence, codes)
                    better = detour(state)
                    after = minimised(evidence, state.labels)
                    assert state.value() == pytest.approx(after, abs=CLOSE)
                    assert state.counts.tolist() == [state.labels.max() + 1, 8]
                    assert state.labels.max() < cap
                    assert (after < before) == bool(better)
                    assert better or np.array_equal(numbered(state.labels), codes)
                    kept[nth] += bool(better)
        assert kept.min() > 0


@every_loss
def test_a_forced_merge_is_with_the_nearest_cluster_and_is_undone_where_nobody_responds(loss):
    codes, out = np.array([0, 0, 1, 1, 2, 2, 3, 3]), np.empty(10)
    for evidence in evidences(loss, some_draws(8, N=8)):
        before = minimised(evidence, codes)
        for a in range(4):
            merged = {b: minimised(evidence, np.where(codes == b, a, codes)) for b in range(4) if b != a}
            state = state_at(evidence, codes)
            assert merged[escapes.nearest(state, a, out)] == pytest.approx(min(merged.values()), abs=CLOSE)
            better = escapes.merge_and_respond(state, 2 * a, np.arange(8), 8, 0, out)
            assert better == (min(merged.values()) < before - CLOSE)
            assert better or np.array_equal(numbered(state.labels), codes)


@every_loss
def test_a_chain_from_one_cluster_founds_another_for_the_item_that_is_alone_in_all_draws(loss):
    for evidence in evidences(loss, [[0, 0, 0, 1, 0, 0]] * 3):
        state = state_at(evidence, np.zeros(6, dtype=int))
        assert escapes.chain(state, np.arange(6), 6, 1, np.empty(8)) == 1
        assert state.labels.tolist() == [0, 0, 0, 1, 0, 0]


@every_loss
@pytest.mark.parametrize("linkage", ["average", "complete"])
def test_all_cuts_of_a_dendrogram_are_scored_as_each_alone(loss, linkage):
    draws = some_draws(7, M=12, N=15, K=4)
    for evidence in evidences(loss, draws):
        tree = Dendrogram.of(evidence.similarity, linkage)
        alone = [minimised(evidence, tree.cut(t)) for t in range(15)]
        if evidence.loss.by_pairs:
            np.testing.assert_allclose(
                tree.values_from_similarity(evidence.similarity, evidence.loss), alone, atol=CLOSE
            )
        if evidence.loss.by_draws:
            np.testing.assert_allclose(tree.values_from_draws(evidence.draws, evidence.loss), alone, atol=CLOSE)


@every_loss
@pytest.mark.parametrize("seed", range(4))
def test_the_search_finds_the_best_of_all_partitions(loss, seed):
    draws = some_draws(10 + seed, M=9, N=7)
    every = all_partitions(7)
    chosen = loss_of(loss)
    best = chosen.minimised(expected_loss(every, draws, loss=loss)).min()
    for jobs in (1, 2):
        found = search_partition(draws, loss=loss, random_state=seed, n_jobs=jobs)
        assert chosen.minimised(found.expected_loss) == pytest.approx(best, abs=1e-10)


# Draws in which for some loss moves alone, from any start of the search, do not lead to the best partition of 7 items.
ASTRAY = (11, 23, 31, 39, 42, 58, 128, 257, 332, 346)


@every_loss
@pytest.mark.parametrize("seed", ASTRAY)
def test_no_partition_of_a_few_items_beats_the_search(loss, seed):
    chosen, every = loss_of(loss), all_partitions(7)
    draws = some_draws(seed, M=8, N=7, K=4)
    values = chosen.minimised(expected_loss(every, draws, loss=loss))
    for cap in (None, 3, 2):
        best = values[every.max(axis=1) < (cap or 7)].min()
        found = search_partition(draws, loss=loss, max_clusters=cap, random_state=0)
        assert found.n_clusters <= (cap or 7)
        assert chosen.minimised(found.expected_loss) == pytest.approx(best, abs=1e-10)
        assert found.cap_bound == (values.min() < best - CLOSE)
        assert found.gap >= 0.0
        assert found.exhaustive


@every_loss
def test_of_a_few_items_seeds_and_random_starts_do_not_matter(loss):
    for seed in ASTRAY[:3]:
        draws, weights = some_draws(seed, M=8, N=9, K=4), np.random.default_rng(seed).random(8)
        options = (
            {"random_state": 1},
            {"random_state": 2, "n_init": 0},
            {"random_state": 3, "n_jobs": 2, "n_init": 30},
        )
        found = [search_partition(draws, loss=loss, weights=weights, **option).expected_loss for option in options]
        np.testing.assert_allclose(found, found[0], rtol=0, atol=1e-12)


@every_loss
@pytest.mark.parametrize("N", range(1, 7))
def test_all_partitions_together_are_scored_as_each_alone(loss, N):
    for evidence in evidences(loss, some_draws(N, N=N)):
        every = all_partitions(N)
        np.testing.assert_allclose(all_values(evidence), [minimised(evidence, codes) for codes in every], atol=1e-12)


@every_loss
def test_many_draws_and_partitions_are_scored_as_few(loss):
    rng = np.random.default_rng(9)
    draws, weights = rng.integers(4, size=(1500, 9)), rng.random(1500)  # more than are held at a time
    given = PartitionDraws.of(draws, weights)
    some = rng.permutation(21147)[:20]
    values = all_values(PartitionEvidence(loss_of(loss), given))
    assert len(values) == 21147
    expected = loss_of(loss).minimised(expected_loss(all_partitions(9)[some], given, loss=loss))
    np.testing.assert_allclose(values[some], expected, atol=1e-12)


@every_loss
def test_the_search_is_never_worse_than_any_of_its_starts(loss):
    draws = some_draws(20, M=30, N=25, K=5)
    chosen = loss_of(loss)
    found = search_partition(draws, loss=loss, random_state=0, starts=[np.zeros(25), np.arange(25)])
    assert {"average linkage", "complete linkage", "best of the draws", "start 0", "start 1"} <= {
        tried.method for tried in found.tried
    }
    for tried in found.tried:
        assert chosen.minimised(found.expected_loss) <= chosen.minimised(tried.loss) + 1e-12
    assert found.expected_loss == pytest.approx(expected_loss(found.labels, draws, loss=loss), abs=1e-12)


@every_loss
def test_the_same_seed_gives_the_same_labels_for_any_number_of_threads(loss):
    draws = some_draws(21, M=40, N=40, K=6)
    found = [search_partition(draws, loss=loss, random_state=3, n_jobs=jobs) for jobs in (1, 2, 3)]
    for other in found[1:]:
        np.testing.assert_array_equal(other.labels, found[0].labels)
        assert other.expected_loss == found[0].expected_loss
        assert [run.loss for run in other.runs] == [run.loss for run in found[0].runs]


@pytest.mark.parametrize("loss", [name for name in NAMES if PartitionLoss.registry[name].by_pairs])
def test_the_similarity_matrix_gives_the_loss_of_the_draws(loss):
    draws, weights = some_draws(8), np.array([1.0, 2.0, 0.5, 1.0, 1.0, 3.0])
    every = all_partitions(6)
    P = posterior_similarity(draws, weights=weights)
    from_draws = expected_loss(every, draws, loss=loss, weights=weights)
    np.testing.assert_allclose(expected_loss_from_similarity(every, P, loss=loss), from_draws, atol=1e-12)
    found = search_partition(similarity=P, loss=loss, random_state=0)
    chosen = loss_of(loss)
    assert chosen.minimised(found.expected_loss) == pytest.approx(chosen.minimised(from_draws).min(), abs=1e-12)


@pytest.mark.parametrize("loss", [name for name in NAMES if not PartitionLoss.registry[name].by_pairs])
def test_a_loss_of_draws_is_not_taken_from_a_similarity_matrix(loss):
    P = posterior_similarity(some_draws(8))
    with pytest.raises(InputError, match="pear, binder, vi_lb"):
        expected_loss_from_similarity(np.zeros(6), P, loss=loss)
    with pytest.raises(InputError, match="draws"):
        search_partition(similarity=P, loss=loss)


@every_loss
@pytest.mark.parametrize(
    "draws",
    [np.zeros((3, 1)), np.zeros((4, 5)), np.tile(np.arange(5), (4, 1)), np.array([[0, 0, 0, 0, 0], [0, 1, 2, 3, 4]])],
    ids=["one item", "one cluster", "all single", "both"],
)
def test_trivial_draws(loss, draws):
    draws = draws.astype(int)
    found = search_partition(draws, loss=loss, random_state=0)
    every = all_partitions(draws.shape[1])
    chosen = loss_of(loss)
    values = chosen.minimised(expected_loss(every, draws, loss=loss))
    assert np.isfinite(values).all()
    assert chosen.minimised(found.expected_loss) == pytest.approx(values.min(), abs=1e-12)


@pytest.mark.parametrize("loss", NAMES)  # with unequal weights a draw need not be its own best estimate
def test_constant_draws_are_found(loss):
    truth = np.array([3, 3, 7, 1, 1, 1, 9, 7])
    found = search_partition(np.tile(truth, (5, 1)), loss=loss, random_state=0)
    assert found.labels.tolist() == [0, 0, 1, 2, 2, 2, 3, 1]
    assert loss_of(loss).minimised(found.expected_loss) == pytest.approx(0.0, abs=1e-12)
