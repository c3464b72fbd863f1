"""Laws of losses, similarities and searches, on draws of any kind."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from partita.partition import (
    PartitionDraws,
    expected_loss,
    loss_of,
    partition_distance,
    posterior_similarity,
    search_partition,
)
from partita.partition.dendrogram import numbered
from partita.partition.losses import PartitionLoss

NAMES = list(PartitionLoss.registry)
METRICS = ["vi", "nvi", "id", "nid", "binder"]

sizes = st.tuples(st.integers(1, 7), st.integers(1, 9))
draws_of = sizes.flatmap(lambda shape: arrays(np.int64, shape, elements=st.integers(-2, 4)))
labels_of = st.integers(1, 9).flatmap(
    lambda n: st.tuples(*[arrays(np.int64, n, elements=st.integers(0, 3)) for _ in range(3)])
)
few = settings(max_examples=40)


@few
@given(labels_of, st.sampled_from(METRICS))
def test_distances_are_metrics(three, loss):
    a, b, c = three
    ab, ba = (partition_distance(x, y, loss=loss) for x, y in ((a, b), (b, a)))
    assert abs(ab - ba) < 1e-12
    assert ab >= -1e-12
    # Binder's distance is a share of pairs, of which the triangle inequality holds too.
    assert ab <= partition_distance(a, c, loss=loss) + partition_distance(c, b, loss=loss) + 1e-9
    assert (ab < 1e-9) == np.array_equal(numbered(a), numbered(b))


@few
@given(draws_of)
def test_similarities_are_positive_semidefinite_shares(draws):
    P = posterior_similarity(draws)
    assert (P >= 0).all()
    assert (P <= 1).all()
    np.testing.assert_array_equal(P, P.T)
    assert np.linalg.eigvalsh(P).min() >= -1e-9


@few
@given(draws_of, st.randoms(use_true_random=False))
def test_merging_equal_draws_changes_nothing(draws, random):
    rows = [random.randrange(len(draws)) for _ in range(2 * len(draws))]
    many = draws[rows]
    merged = PartitionDraws.of(many)
    assert merged.counts.sum() == len(many)
    assert len({tuple(row) for row in merged.labels}) == merged.n_draws
    labels = numbered(draws[0])
    for loss in ("vi", "nid", "binder"):
        assert abs(expected_loss(labels, merged, loss=loss) - expected_loss(labels, many, loss=loss)) < 1e-12
    np.testing.assert_allclose(merged.similarity, posterior_similarity(many), atol=1e-14)


@few
@given(draws_of, st.sampled_from(NAMES), st.integers(0, 3))
def test_no_single_move_improves_what_the_search_returns(draws, loss, seed):
    found = search_partition(draws, loss=loss, random_state=seed)
    chosen, K = loss_of(loss), found.n_clusters
    assert found.labels.tolist() == numbered(found.labels).tolist()
    best = chosen.minimised(found.expected_loss)
    for i in range(draws.shape[1]):
        for k in range(K + 1):
            moved = found.labels.copy()
            moved[i] = k
            assert best <= chosen.minimised(expected_loss(moved, draws, loss=loss)) + 1e-9


@few
@given(draws_of, st.sampled_from(NAMES), st.integers(1, 3))
def test_the_cap_on_clusters_holds(draws, loss, cap):
    found = search_partition(draws, loss=loss, max_clusters=cap, random_state=0)
    free = search_partition(draws, loss=loss, random_state=0)
    chosen = loss_of(loss)
    assert found.n_clusters <= cap
    assert all(run.n_clusters <= cap for run in found.runs)
    # Of up to nine items all partitions are scored, with the cap and without: so it is known whether it binds.
    free_loss, found_loss = chosen.minimised(free.expected_loss), chosen.minimised(found.expected_loss)
    assert free_loss <= found_loss + 1e-9
    assert found.cap_bound == (free_loss < found_loss - 1e-9)
    if free.n_clusters <= cap:
        assert abs(free_loss - found_loss) <= 1e-9
