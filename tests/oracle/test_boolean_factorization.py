"""AssoCBMF against the best of all partitions, and against blocks with known errors."""

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp

from partita.errors import InputError, MemoryLimitError
from partita.scams import boolean_factorization, cholesky_labels
from partita.scams.assignment import assign
from synthetic import all_partitions, blocks


def cliques(sizes):
    G, truth = blocks(*sizes)
    return G > 0, truth


def with_noise(G, share, rng):
    wrong = np.triu(rng.random(G.shape) < share, 1)
    return G ^ wrong ^ wrong.T


def same_partition(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return bool(((a[:, None] == a) == (b[:, None] == b)).all())


@pytest.fixture(scope="module")
def together():
    """For N items, every partition as a co-membership matrix."""
    return {N: (p := all_partitions(N))[:, :, None] == p[:, None, :] for N in range(1, 8)}


@pytest.mark.parametrize("N", range(1, 8))
def test_every_block_matrix_is_found_without_error(together, N):
    for Z in together[N]:
        found = boolean_factorization(Z)
        assert found.error == found.groups_error == 0
        assert ((found.labels[:, None] == found.labels) == Z).all()
        assert (found.n_conflicting, found.n_empty) == (0, 0)


@pytest.mark.parametrize("sizes", [(3, 3), (6,), (4, 2), (2, 2, 2), (4, 3), (7,), (5, 2), (3, 2, 2)])
def test_no_partition_is_better_where_one_pair_is_wrong_and_no_item_alone(together, sizes):
    N = sum(sizes)
    for i, j in combinations(range(N), 2):
        G, _ = cliques(sizes)
        G[i, j] = G[j, i] = not G[i, j]
        least = (together[N] ^ G).sum(axis=(1, 2)).min()
        assert boolean_factorization(G).error == least


def test_with_more_wrong_pairs_and_items_alone_the_best_partition_is_missed_by_less_than_a_pair_on_average(together):
    """Random near-blocks of up to 7 items, 1 to 4 pairs wrong: the greedy choice is no exact method."""
    rng = np.random.default_rng(0)
    beyond = []
    for _ in range(400):
        N = int(rng.integers(3, 8))
        truth = rng.integers(3, size=N)
        G = truth[:, None] == truth
        for _ in range(int(rng.integers(1, 5))):
            i, j = rng.choice(N, 2, replace=False)
            G[i, j] = G[j, i] = not G[i, j]
        beyond.append(boolean_factorization(G).error - (together[N] ^ G).sum(axis=(1, 2)).min())
    beyond = np.array(beyond) / 2  # each pair is counted in both orders
    assert beyond.min() >= 0
    assert beyond.mean() < 1.0
    assert np.mean(beyond == 0) > 0.5


@pytest.mark.parametrize(
    ("sizes", "share"),
    [([50] * 5, 0.0), ([50] * 5, 0.1), ([50] * 5, 0.2), ([100], 0.2), ([50, 20, 10], 0.02), ([50, 20, 10], 0.1)],
)
def test_no_block_is_lost_under_noise(sizes, share):
    """Printed, five blocks of 50 came out as four: the loop was left before the last column was kept."""
    G, truth = cliques(sizes)
    noisy = with_noise(G, share, np.random.default_rng(1))
    found = boolean_factorization(noisy, max_clusters=len(sizes))
    assert same_partition(found.labels, truth)
    assert found.error == np.count_nonzero(noisy ^ G)


def test_the_errors_reported_are_those_of_the_groups_and_of_the_labels():
    rng = np.random.default_rng(2)
    for share in (0.05, 0.2, 0.4):
        G = with_noise(cliques([12, 9, 5, 1])[0], share, rng)
        found = boolean_factorization(G)
        Z = found.groups.astype(int)
        assert found.groups_error == np.count_nonzero((Z @ Z.T > 0) ^ G)
        assert found.error == np.count_nonzero((found.labels[:, None] == found.labels) ^ G)
        assert found.n_conflicting == np.count_nonzero(Z.sum(axis=1) > 1)
        assert found.n_empty == np.count_nonzero(Z.sum(axis=1) == 0)
        assert found.n_clusters == len(np.unique(found.labels))
        # Every column was chosen because it lowers the error of those before it.
        errors = [np.count_nonzero((Z[:, :k] @ Z[:, :k].T > 0) ^ G) for k in range(Z.shape[1] + 1)]
        assert (np.diff(errors) < 0).all()


def test_groups_that_overlap_give_their_items_to_the_larger_affinity():
    """Two groups of 24 that share the items 22 and 23: a cosine of 1/12, so that both are chosen."""
    Z = np.zeros((46, 2), dtype=bool)
    Z[:24, 0] = Z[22:, 1] = True
    G = Z.astype(int) @ Z.T.astype(int) > 0
    for side in (0, 1):
        A = G * 1.0
        A[22:24, :] += 0.1 * Z[:, side]
        A = np.maximum(A, A.T)
        found = boolean_factorization(G, A)
        assert (found.n_clusters, found.n_conflicting) == (2, 2)
        shared = [0, 0] if side == 0 else [1, 1]
        assert found.labels.tolist() == [0] * 22 + shared + [1] * 22
        assert same_partition(boolean_factorization(G, sp.csr_array(A)).labels, found.labels)


def test_items_in_several_groups_wait_and_are_assigned_at_once():
    Z = np.array([[1, 0], [1, 0], [1, 1], [1, 1], [0, 1]], dtype=bool)
    A = np.zeros((5, 5))
    A[2, 0] = A[0, 2] = 1.0  # item 2 likes the members of the first group
    A[3, 4] = A[4, 3] = 2.0  # item 3 those of the second
    A[2, 3] = A[3, 2] = 9.0  # neither is a member yet, so what they have with each other does not count
    assert assign(Z, A).tolist() == [0, 0, 0, 1, 1]
    assert assign(Z, np.zeros((5, 5))).tolist() == [0, 0, 0, 0, 1]


def test_items_in_no_group_go_where_their_affinity_is_or_stay_alone():
    G, _ = cliques([6, 5, 1, 1])
    A = G.astype(float)
    A[11, 3] = A[3, 11] = 0.2
    found = boolean_factorization(G, A, max_clusters=2)
    assert found.n_empty == 2
    assert found.labels.tolist() == [0] * 6 + [1] * 5 + [0, 2]


def test_no_groups_at_all_are_items_alone():
    assert assign(np.zeros((3, 0), dtype=bool), np.ones((3, 3))).tolist() == [0, 1, 2]
    assert assign(np.zeros((3, 1), dtype=bool), np.ones((3, 3))).tolist() == [0, 1, 2]


@pytest.mark.parametrize("N", [1, 2, 3, 40])
def test_all_alike_and_all_apart(N):
    assert boolean_factorization(np.ones((N, N))).labels.tolist() == [0] * N
    assert boolean_factorization(np.eye(N)).labels.tolist() == list(range(N))
    assert boolean_factorization(np.zeros((N, N))).labels.tolist() == list(range(N))


def test_a_permutation_of_the_items_permutes_the_groups():
    rng = np.random.default_rng(3)
    G = with_noise(cliques([30, 20, 15])[0], 0.05, rng)
    order = rng.permutation(len(G))
    one, two = boolean_factorization(G), boolean_factorization(G[np.ix_(order, order)])
    assert one.error == two.error
    assert same_partition(two.labels, one.labels[order])


def test_numbers_are_ones_above_a_half():
    G, truth = cliques([5, 4])
    real = np.where(G, 0.51, 0.5)
    np.fill_diagonal(real, 0.0)
    assert same_partition(boolean_factorization(real).labels, truth)


def test_cholesky_finds_blocks_and_stops_at_the_rank():
    G, truth = cliques([7, 5, 3, 1])
    for most in (4, 16):
        assert same_partition(cholesky_labels(G, most), truth)
    # With two columns, those of the first pivots: the others have zeros in both and go to the first.
    assert len(np.unique(cholesky_labels(G, 2))) == 2


def test_cholesky_of_a_definite_matrix_is_its_textbook_factor():
    rng = np.random.default_rng(4)
    F = rng.normal(size=(6, 6))
    G = F @ F.T
    # With falling pivots in place the factor is NumPy's: order the items by SciPy-free brute force on the diagonal.
    left, order = G.copy(), []
    for _ in range(6):
        pivot = int(np.argmax(np.where(np.isin(np.arange(6), order), -np.inf, left.diagonal())))
        order.append(pivot)
        left = left - np.outer(left[:, pivot], left[pivot]) / left[pivot, pivot]
    L = np.linalg.cholesky(G[np.ix_(order, order)])
    expected = np.empty(6, dtype=int)
    expected[order] = L.argmax(axis=1)
    assert same_partition(cholesky_labels(G, 6), expected)


def test_what_is_wrong_is_refused(monkeypatch):
    with pytest.raises(InputError, match=r"^G .*\(2, 3\)"):
        boolean_factorization(np.ones((2, 3)))
    with pytest.raises(InputError, match=r"G\[0, 1\] .*0\.5"):
        boolean_factorization([[1, 1], [0, 1]])
    with pytest.raises(InputError, match="NaN"):
        boolean_factorization([[1.0, np.nan], [np.nan, 1.0]])
    with pytest.raises(InputError, match="max_clusters=0"):
        boolean_factorization(np.eye(2), max_clusters=0)
    with pytest.raises(InputError, match=r"affinity .*\(3, 3\)"):
        boolean_factorization(np.eye(2), np.eye(3))
    with pytest.raises(InputError, match=r"^G .*\(2, 3\)"):
        cholesky_labels(np.ones((2, 3)), 2)
    with pytest.raises(InputError, match="max_clusters=0"):
        cholesky_labels(np.eye(2), 0)
    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", "1000")
    with pytest.raises(MemoryLimitError, match="SCAMS"):
        boolean_factorization(np.eye(50))
