"""SCAMS by local search: the objective it reports, its own gamma, the path, and evidence of every kind and size."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import adjusted_rand_score

from partita.affinity import DenseAffinity, SparseAffinity
from partita.errors import InputError, MemoryLimitError
from partita.scams import ADMM, LocalSearch, partition_objective, scams_admm, scams_local, scams_path, scams_with
from partita.scams.boolean_factorization import boolean_factorization
from partita.scams.local_result import mean_size
from partita.scams.pieces import pieces_of_affinity
from synthetic import planted_affinity


@pytest.mark.parametrize(
    "settings", [LocalSearch(), LocalSearch(theta=0.7), LocalSearch(gamma=0.4, scale=None, lam=3.0)]
)
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, DenseAffinity, lambda A: SparseAffinity(sp.csr_array(A))])
def test_what_is_reported_is_the_objective_of_the_paper_and_kinds_agree(settings, make):
    A, truth = planted_affinity([30, 20, 25], 1.0, 0.1, 0)
    found = scams_local(make(A), settings, seed=0)
    expected = partition_objective(found.labels, settings.prepare(A), found.gamma, found.lam)
    assert found.objective == pytest.approx(expected, rel=1e-12)
    assert found.theta == pytest.approx(found.gamma * 75)
    assert adjusted_rand_score(truth, found.labels) == 1.0
    assert found.n_clusters == 3


@pytest.mark.parametrize("K", [1, 2, 3, 5, 8, 12, 20])
def test_one_share_serves_every_number_of_clusters(K):
    A, truth = planted_affinity([25] * K, 1.0, 0.2 / K, K)
    assert scams_local(A, seed=0).labels.tolist() == truth.tolist()


def test_gamma_and_partition_are_found_together():
    A, _ = planted_affinity([40, 30, 20, 10], 1.0, 0.1, 1)
    found = scams_local(A, LocalSearch(share=0.2), seed=0)
    assert found.gamma * mean_size(found.labels) == pytest.approx(0.2, rel=2e-3)
    gammas = [point.gamma for point in found.steps]
    assert gammas == sorted(gammas, reverse=True)

    def by_logarithm(labels):
        B = LocalSearch().prepare(A)
        G = labels[:, None] == labels
        return -(B * G).sum() + labels.max() + 1 + 0.2 * len(A) * np.log(G.sum())

    values = [by_logarithm(point.labels) for point in found.steps]
    assert all(later <= earlier + 1e-9 for earlier, later in itertools.pairwise(values))


def test_the_unit_of_the_affinity_does_not_matter_and_permuting_items_permutes_the_answer():
    A, _ = planted_affinity([20, 30, 25], 1.0, 0.15, 2)
    order = np.random.default_rng(0).permutation(75)
    labels = scams_local(A, seed=0).labels
    np.testing.assert_array_equal(scams_local(1e-6 * A, seed=0).labels, labels)
    moved = scams_local(A[np.ix_(order, order)], seed=0).labels
    assert adjusted_rand_score(labels[order], moved) == 1.0


def test_it_is_no_worse_than_the_admm_on_the_same_objective():
    for seed in range(4):
        A, _ = planted_affinity([25, 15, 20, 10], 1.0, 0.25, seed)
        settings = ADMM(theta=0.7)
        result = scams_admm(A, settings)
        labels = boolean_factorization(result.pattern, A, max_clusters=result.max_clusters).labels
        reached = partition_objective(labels, settings.prepare(A), result.gamma, result.lam)
        found = scams_local(A, LocalSearch(theta=0.7), start=labels, seed=0)
        assert found.objective <= reached + 1e-9


@pytest.mark.parametrize("N", [1, 2, 3])
def test_few_items_and_equal_affinities(N):
    found = scams_local(np.ones((N, N)), seed=0)
    assert found.labels.tolist() == [0] * N
    assert np.isfinite(found.objective)
    assert scams_path(np.ones((N, N)), seed=0)[0].n_clusters == 1
    # What has no affinity to others is a cluster of its own where clusters are free.
    assert scams_local(np.eye(N), LocalSearch(theta=0.7, lam=0.0), seed=0).n_clusters == N


def test_equal_affinities_are_one_cluster_and_pieces_stay_apart():
    assert scams_local(np.ones((60, 60)), seed=0).n_clusters == 1
    pieces = np.kron(np.eye(4), np.ones((15, 15)))
    assert scams_local(pieces, seed=0).labels.tolist() == np.repeat(np.arange(4), 15).tolist()
    lone = np.zeros((61, 61))
    lone[:60, :60] = pieces
    labels = scams_local(lone, LocalSearch(lam=0.0), seed=0).labels
    assert (labels == labels[60]).sum() == 1


def pieces(sizes, seed=0):
    """Blocks that share nothing, with random affinities within, and the block of each item."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    A = (0.5 + rng.random((len(truth), len(truth)))) * (truth[:, None] == truth)
    return A + A.T, truth


@pytest.mark.parametrize("seed", range(5))
def test_pieces_are_the_connected_components_of_the_affinity_and_say_nothing_of_items_without_any(seed):
    rng = np.random.default_rng(seed)
    n = 600  # more rows than are looked at together
    A = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 1.2 / n), 1)
    A += A.T
    expected = connected_components(sp.csr_array(A), directed=False)[1]
    alone = ~A.any(axis=1)
    assert alone.sum() > 10
    for kind in (A, sp.csr_array(A)):
        piece = pieces_of_affinity(kind)
        np.testing.assert_array_equal(piece < 0, alone)
        assert adjusted_rand_score(expected[~alone], piece[~alone]) == 1.0
        assert piece.max() + 1 == len(np.unique(expected[~alone]))


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("share", [None, 0.02])
@pytest.mark.parametrize(
    "sizes",
    [*itertools.product((2, 3, 12, 30), repeat=2), (3,) * 8, (12,) * 5, (2, 60), (2, 2, 60), (3, 7, 20, 60, 60), (60,)],
    ids=str,
)
def test_what_shares_no_affinity_is_never_joined_where_no_price_is_given(sizes, share, make):
    A, truth = pieces(sizes)
    settings = LocalSearch(share=share)
    found = scams_local(make(A), settings, seed=0)
    assert found.labels.tolist() == truth.tolist()
    assert found.notes == ()
    assert found.objective == pytest.approx(
        partition_objective(truth, settings.prepare(A), found.gamma, found.lam), rel=1e-12
    )
    # The price is one unless that would join two of the pieces: 2 gamma n_a n_b is what their pairs cost.
    least = np.prod(np.sort(sizes)[:2]) if len(sizes) > 1 else np.inf
    assert found.lam == 1.0 if 2.0 * found.gamma * least > 1.0 else found.gamma <= found.lam < 1.0
    assert all(len(np.unique(truth[point.labels == k])) == 1 for point in found.steps for k in range(point.n_clusters))


@pytest.mark.parametrize("seed", range(6))
def test_pieces_of_any_sizes_stay_apart_at_any_share_or_gamma_and_whatever_rounding_adds(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(3, 61, size=rng.integers(2, 9))
    A, truth = pieces(sizes, seed)
    A += 1e-9 / len(A)  # a millionth of an item's affinity, all of it together, is none
    for settings in (LocalSearch(), LocalSearch(share=0.02), LocalSearch(theta=0.3), LocalSearch(gamma=1e-3)):
        found = scams_local(A, settings, seed=seed)
        assert adjusted_rand_score(truth, found.labels) == 1.0
        assert 0.0 < found.lam <= 1.0


def test_a_price_that_was_given_stays_and_a_note_says_what_it_joins():
    A, truth = pieces((20, 20))
    # Joining costs 2 gamma 20^2 = 40 share = .8.
    joined = scams_local(A, LocalSearch(share=0.02, lam=1.0), seed=0)
    assert (joined.n_clusters, joined.lam) == (1, 1.0)
    assert any("1 cluster joins items that share no affinity" in note for note in joined.notes)
    apart = scams_local(A, LocalSearch(share=0.02, lam=0.7), seed=0)
    assert (apart.labels.tolist(), apart.lam, apart.notes) == (truth.tolist(), 0.7, ())
    # At no price of a pair nothing is bought back by keeping them apart.
    free = scams_local(A, LocalSearch(gamma=0.0), seed=0)
    assert (free.n_clusters, free.lam) == (1, 1.0)
    assert len(free.notes) == 1


@pytest.mark.parametrize("m", [6, 20, 60])
@pytest.mark.parametrize(("share", "lam"), [(0.13, 1.0), (0.13, 0.2), (0.2, 2.0)])
def test_two_clusters_stay_apart_below_the_bound_of_the_docstring_and_not_above(m, share, lam):
    bound = share - lam / (2 * m)
    for part, expected in ((0.9 * bound, 2), (1.1 * bound, 1)):
        if bound <= 0:
            part, expected = 1e-3, 1
        between = (m - 1) / m * part / (1 - part)  # so that `part` of an item's affinity goes to the other cluster
        A = np.kron(np.eye(2), np.full((m, m), 1.0 - between)) + between
        assert scams_local(A, LocalSearch(share=share, lam=lam), seed=0).n_clusters == expected


def test_items_without_any_affinity_are_in_no_piece_and_numbers_below_that_of_pieces_are_reached():
    A, truth = pieces((15, 15, 15, 15, 1))
    A[-1, -1] = 0.0
    found = scams_local(A, seed=0)
    assert found.n_clusters == 4
    assert adjusted_rand_score(truth[:-1], found.labels[:-1]) == 1.0
    A, truth = pieces((3, 12, 4, 9))
    for K in (1, 2, 3, 4):
        found = scams_with(A, K, seed=0)
        assert found.n_clusters == K
        assert all(len(np.unique(found.labels[truth == k])) == 1 for k in range(4))
    assert scams_path(A, seed=0)[0].n_clusters == 1


def test_the_path_goes_from_one_cluster_to_many_and_knows_the_share():
    A = np.kron(np.eye(6), np.ones((20, 20))) + np.kron(np.eye(2), np.full((60, 60), 0.2)) + 0.01
    path = scams_path(A, seed=0)
    counts = [point.n_clusters for point in path]
    assert counts[0] == 1
    assert {2, 6} <= set(counts)
    assert counts == sorted(counts)
    for point in path[::3]:
        expected = partition_objective(point.labels, LocalSearch().prepare(A), point.gamma, 1.0)
        assert point.objective == pytest.approx(expected, rel=1e-12)
        assert point.share == pytest.approx(point.gamma * mean_size(point.labels))
    asked = scams_path(A, thetas=[0.5, 3.0], seed=0)
    assert [point.theta for point in asked] == pytest.approx([0.5, 3.0])


def test_many_items_go_by_levels_and_stop_in_time():
    rng = np.random.default_rng(0)
    N, K = 20_000, 40
    truth = np.sort(rng.integers(K, size=N))
    first = np.searchsorted(truth, np.arange(K))
    size = np.bincount(truth, minlength=K)
    i = rng.integers(N, size=8 * N)
    near = first[truth[i]] + (rng.random(len(i)) * size[truth[i]]).astype(int)
    j = np.where(rng.random(len(i)) < 0.85, near, rng.integers(N, size=len(i)))
    A = sp.coo_array((np.ones(len(i)), (i, j)), shape=(N, N)).tocsr()
    found = scams_local(A + A.T, seed=0)
    assert adjusted_rand_score(truth, found.labels) > 0.99
    cut = scams_local(A + A.T, seed=0, max_seconds=1e-3)
    assert cut.status == "max_seconds"
    assert cut.labels.shape == (N,)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"share": 0.1, "theta": 0.5}, "share .*theta"),
        ({"share": 1.5}, "share=1.5"),
        ({"theta": -1.0}, "theta=-1.0"),
        ({"lam": np.inf}, "lam=inf"),
        ({"scale": None}, "gamma, "),
        ({"scale": "mean"}, "'sym'"),
        ({"scale": "max"}, "'max'"),
        ({"n_init": 0}, "n_init=0"),
    ],
)
def test_options_that_mean_nothing_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        LocalSearch(**options)


@pytest.mark.parametrize(
    "A",
    [
        np.zeros((3, 3)),
        np.ones((2, 3)),
        -np.ones((3, 3)),
        np.full((3, 3), np.nan),
        np.triu(np.ones((3, 3))),
        np.zeros((0, 0)),
    ],
)
def test_what_is_no_affinity_is_refused(A):
    with pytest.raises(InputError):
        scams_local(A)


def test_a_path_that_does_not_rise_is_refused_and_so_is_a_matrix_that_would_not_fit(monkeypatch):
    with pytest.raises(InputError, match=r"^thetas"):
        scams_path(np.ones((4, 4)), thetas=[1.0, 0.5])
    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", str(1 << 20))
    with pytest.raises(MemoryLimitError, match="400 x 400"):
        scams_local(DenseAffinity(np.ones((400, 400))))
