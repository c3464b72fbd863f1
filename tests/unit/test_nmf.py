"""Factorizations of a similarity matrix: what holds for every method, what is read off factors, sweeps, and SoF."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from partita.affinity import DrawsAffinity
from partita.errors import InputError, MemoryLimitError
from partita.kernels.threads import limit_threads
from partita.nmf import (
    Factors,
    KullbackLeibler,
    LeastSquares,
    NMFMethod,
    Nonsmooth,
    Offset,
    cophenetic_correlation,
    membership_misfit,
    nmf,
    nmf_sweep,
    sof_membership,
)
from partita.nmf import base as nmf_base
from partita.nmf.base import FLOOR, as_method
from partita.nmf.reading import balanced, partition_of, read
from partita.partition import Dendrogram
from synthetic import blocks, draws_around, similarity_of

METHODS = sorted(NMFMethod.registry)
VARIANTS = [LeastSquares(), KullbackLeibler(), Nonsmooth(), Nonsmooth(0.9), Nonsmooth(unit_columns=False), Offset()]
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
few = settings(max_examples=15, deadline=None)
seeds = st.integers(0, 10_000)


def similarity(seed, n_items=24, n_draws=60, n_clusters=4, doubt=0.3):
    """The posterior similarity of draws about a truth; and the draws."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n_items) % n_clusters
    draws = draws_around(truth, n_draws, doubt * rng.random(n_items), seed=rng)
    return similarity_of(draws), draws


def random_factors(V, K, seed):
    return Factors(*np.random.default_rng(seed).uniform(0.01, 1.0, (2, len(V), K)))


def same_partition(a, b):
    return ((a[:, None] == a) == (b[:, None] == b)).all()


@few
@given(seeds, st.sampled_from(VARIANTS), st.integers(1, 6))
def test_no_update_raises_the_objective(seed, method, K):
    V, _ = similarity(seed)
    factors = method.begin(V, random_factors(V, K, seed))
    values = [method.objective(V, factors)]
    for _ in range(40):
        factors = method.update(V, factors)
        values.append(method.objective(V, factors))
    assert values[-1] < values[0]
    # Sums of 576 terms: rounding of the objective.
    assert (np.diff(values) <= 1e-11 * values[0]).all()


@pytest.mark.parametrize("method", VARIANTS, ids=str)
def test_a_permutation_of_the_items_permutes_the_answer(method):
    V, _ = similarity(3)
    order = np.random.default_rng(0).permutation(len(V))
    start = np.arange(len(V)) % 3
    ours = nmf(V, 3, method=method, start=start, n_init=1, max_iter=60, unchanged=0, tol=1e-300)
    theirs = nmf(
        V[np.ix_(order, order)], 3, method=method, start=start[order], n_init=1, max_iter=60, unchanged=0, tol=1e-300
    )
    assert theirs.objective == pytest.approx(ours.objective, rel=1e-10)
    np.testing.assert_allclose(theirs.W, ours.W[order], rtol=1e-6, atol=1e-12)
    assert same_partition(theirs.labels, ours.labels[order])


@pytest.mark.parametrize("name", METHODS)
def test_exact_blocks_come_back(name):
    V, labels = blocks(9, 5, 3, 1)
    result = nmf(V, 4, method=name, n_init=1)
    assert same_partition(result.labels, labels)
    assert result.membership.sizes.tolist() == [9, 5, 3, 1]
    assert result.status == "converged"
    if name != "ns":  # whose components overlap by construction
        # 400 updates; the offset goes to zero as slowly as 1 / iterations.
        left = 1e-3 if name == "offset" else 1e-12
        assert result.objective < left
        assert result.misfit < left**0.5
        assert result.membership_misfit < 10 * left**0.5


def test_exact_blocks_come_back_from_random_starts():
    V, labels = blocks(8, 7, 6)
    assert same_partition(nmf(V, 3, method="kl", start="random", seed=1).labels, labels)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("K", [1, 2, 5])
def test_a_constant_matrix_is_met_exactly(name, K):
    result = nmf(np.ones((5, 5)), K, method=name, n_init=2, seed=0)
    assert result.objective == pytest.approx(0.0, abs=1e-8)
    np.testing.assert_allclose(result.membership.matrix.sum(axis=1), 1.0, rtol=1e-12)


@pytest.mark.parametrize("name", METHODS)
def test_one_cluster_as_many_as_items_and_one_item(name):
    V, _ = similarity(5, n_items=7)
    one = nmf(V, 1, method=name, n_init=2, seed=0)
    assert one.labels.tolist() == [0] * 7
    np.testing.assert_array_equal(one.membership.matrix, 1.0)
    apart = 0.9 * np.eye(7) + 0.1 * V
    every = nmf(apart, 7, method=name, n_init=1)
    assert sorted(every.labels.tolist()) == list(range(7))
    single = nmf([[1.0]], 1, method=name, n_init=2, seed=0)
    assert single.labels.tolist() == [0]
    assert single.objective == pytest.approx(0.0, abs=1e-10)
    assert single.membership_misfit == 0.0


def test_no_smoothing_is_kullback_leibler_and_no_offset_is_least_squares():
    V, _ = similarity(1)
    for plain, special in (
        (KullbackLeibler(), Nonsmooth(0.0, unit_columns=False)),
        (LeastSquares(), Offset(first=0.0)),
    ):
        one = two = random_factors(V, 3, 7)
        two = special.begin(V, two)
        for _ in range(30):
            one, two = plain.update(V, one), special.update(V, two)
        # Through S = I and through an offset of zero the same sums are taken: equal up to their rounding.
        np.testing.assert_allclose(two.W, one.W, rtol=1e-10)
        np.testing.assert_allclose(two.Ht, one.Ht, rtol=1e-10)
        assert special.objective(V, two) == pytest.approx(plain.objective(V, one), rel=1e-10)


def test_unit_columns_leave_the_optimum_of_kullback_leibler():
    """Without smoothing the scale of the components is free: the constraint costs nothing."""
    V, _ = similarity(2, n_items=12)
    start = np.arange(12) % 2
    free = nmf(V, 2, method="kl", start=start, n_init=1, max_iter=3000, unchanged=0, tol=1e-15)
    unit = nmf(V, 2, method=Nonsmooth(0.0), start=start, n_init=1, max_iter=3000, unchanged=0, tol=1e-15)
    np.testing.assert_allclose(unit.W.sum(axis=0), 1.0, rtol=1e-10)
    assert unit.objective == pytest.approx(free.objective, rel=1e-6)


@few
@given(seeds)
def test_the_scale_of_the_components_moves_no_balanced_reading(seed):
    rng = np.random.default_rng(seed)
    W, Ht, d = rng.random((20, 4)), rng.random((20, 4)), 10.0 ** rng.uniform(-4, 4, 4)
    one, two = Factors(W, Ht), Factors(W * d, Ht / d)
    np.testing.assert_allclose(read(two, "balanced").membership, read(one, "balanced").membership, rtol=1e-10)
    np.testing.assert_array_equal(partition_of(two, "balanced"), partition_of(one, "balanced"))
    largest = [part.max(axis=0) for part in balanced(two)]
    np.testing.assert_allclose(*largest, rtol=1e-12)
    turned = Factors(Ht, W)  # V is symmetric, and so is its reading
    np.testing.assert_allclose(read(turned, "balanced").membership, read(one, "balanced").membership, rtol=1e-10)


def test_the_plain_reading_is_that_of_the_paper():
    W, Ht = np.random.default_rng(0).random((2, 9, 3)) * np.array([1.0, 5.0, 0.3])
    reading = read(Factors(W, Ht), "plain")
    assert same_partition(reading.labels, Ht.argmax(axis=1))
    np.testing.assert_allclose(reading.membership, (Ht / Ht.sum(axis=1, keepdims=True))[:, reading.order], rtol=1e-12)


def test_empty_dead_and_unassigned_are_dropped_and_counted():
    Ht = np.array([[0.0, 0.2, 0.9, 0.0], [0.0, 0.3, 0.8, 0.0], [0.0, 0.1, 0.0, 0.7], [0.0, 0.0, 0.0, 0.0]]) + FLOOR
    reading = read(Factors(Ht, Ht), "balanced")
    assert reading.order.tolist() == [2, 3, 1]  # by size, the empty one last, the dead one gone
    assert reading.labels[:3].tolist() == [0, 0, 1]
    assert reading.n_unassigned == 1
    np.testing.assert_allclose(reading.membership[3], 1 / 3)
    np.testing.assert_array_equal(reading.labels, reading.membership.argmax(axis=1))
    V, _ = blocks(6, 6)
    result = nmf(V, 4, method="kl", start="dendrogram", n_init=1)
    assert result.n_clusters <= result.membership.n_clusters <= result.n_components == 4
    assert sorted(set(result.labels.tolist())) == list(range(result.n_clusters))


@pytest.mark.parametrize("name", METHODS)
def test_the_answer_is_the_same_for_any_number_of_threads(name, monkeypatch):
    monkeypatch.setattr(nmf_base, "CHUNK", 200)  # several chunks of rows
    monkeypatch.setattr(nmf_base, "ONE_THREAD", 0)  # on threads, although they are small
    V, _ = similarity(9, n_items=30)
    alone = nmf(V, 4, method=name, n_init=5, seed=3, max_iter=50, unchanged=0)
    for jobs in (2, 5):
        together = nmf(V, 4, method=name, n_init=5, seed=3, max_iter=50, unchanged=0, n_jobs=jobs)
        np.testing.assert_array_equal(together.W, alone.W)
        np.testing.assert_array_equal(together.H, alone.H)
        assert [r.objective for r in together.restarts] == [r.objective for r in alone.restarts]
    start, ends = random_factors(V, 4, 0), []
    for threads in (1, 4):
        with limit_threads(threads):
            ends.append(as_method(name).update(V, as_method(name).begin(V, start)))
    np.testing.assert_array_equal(ends[0].W, ends[1].W)


def test_a_restart_does_not_depend_on_how_many_there_are():
    V, _ = similarity(4)
    few_runs = nmf(V, 3, start="random", n_init=2, seed=5, max_iter=30, unchanged=0)
    many = nmf(V, 3, start="random", n_init=4, seed=5, max_iter=30, unchanged=0)
    assert [r.objective for r in few_runs.restarts] == [r.objective for r in many.restarts[:2]]
    assert many.objective == min(r.objective for r in many.restarts)


def test_a_run_ends_when_its_partition_stands_still():
    V, _ = blocks(6, 5)
    result = nmf(V, 2, n_init=1)
    assert (result.status, result.n_iter) == ("converged", 400)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        late = nmf(V, 2, n_init=1, max_iter=390)
    assert (late.status, late.n_iter) == ("max_iter", 390)
    with pytest.warns(ConvergenceWarning):
        assert nmf(V, 2, n_init=1, unchanged=0, max_iter=500).n_iter == 500


@pytest.mark.parametrize("seed", range(4))
def test_checks_are_counted_from_the_last_change_of_the_partition(seed):
    V, _ = similarity(seed, n_items=40, doubt=0.8)
    result = nmf(V, 5, start="random", n_init=1, seed=seed, unchanged=12)
    stream = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    factors, seen = Factors(*stream.uniform(0.0, 1.0, (2, 40, 5))), []
    for _ in range(result.n_iter // 10):
        seen.append(read(factors, "balanced").labels)
        for _ in range(10):
            factors = LeastSquares().update(V, factors)
    seen.append(read(factors, "balanced").labels)
    changes = [n for n in range(1, len(seen)) if not same_partition(seen[n], seen[n - 1])]
    assert changes  # from a random start there are some
    assert result.n_iter == min(10 * (changes[-1] + 12), 2000)


def test_a_tolerance_ends_a_run_and_traces_it():
    V, _ = similarity(6)
    result = nmf(V, 3, method="kl", start="random", n_init=1, seed=0, unchanged=0, tol=1e-3)
    trace = result.restarts[0].trace
    assert result.status == "converged"
    assert result.n_iter < 2000
    assert trace[-1] == result.objective
    falls = -np.diff(trace) / trace[:-1]
    assert (falls[:-1] > 1e-3).all()
    assert 0 <= falls[-1] <= 1e-3
    further = nmf(V, 3, method="kl", start="random", n_init=1, seed=0, unchanged=0, tol=1e-8)
    assert further.objective < result.objective
    assert further.optimality < result.optimality


def test_time_that_is_over_leaves_the_best_so_far():
    V, _ = similarity(0)
    with pytest.warns(ConvergenceWarning, match="1 of 10"):
        result = nmf(V, 3, max_seconds=1e-9)
    assert result.status == "max_seconds"
    assert len(result.restarts) == 1
    assert result.notes[-1] == "9 of 10 restarts were left out"


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_leaves_the_best_so_far(jobs):
    V, _ = similarity(0)

    def interrupted(at):
        if at.restart == 1 and at.iteration == 30 and not at.done:
            raise KeyboardInterrupt

    options = {"n_init": 4, "seed": 0, "progress": interrupted, "n_jobs": jobs, "unchanged": 0}
    result = nmf(V, 3, on_interrupt="best", **options)
    assert result.status == "interrupted"
    assert [r.n_iter for r in result.restarts if r.status == "interrupted"][-1] >= 10
    with pytest.raises(KeyboardInterrupt):
        nmf(V, 3, **options)


def test_progress_is_told_at_every_check():
    V, _ = blocks(4, 4)
    told = []
    nmf(V, 2, n_init=2, seed=0, progress=told.append)
    first = [at for at in told if at.restart == 0]
    assert [at.iteration for at in first if not at.done] == list(range(10, 410, 10))
    assert [at.restart for at in told if at.done] == [0, 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "lee"}, "'lee'"),
        ({"start": "spectral"}, "'spectral'"),
        ({"start": [0, 1, 2]}, "6 labels"),
        ({"start": []}, "^start "),
        ({"start": np.arange(6) % 3}, "2 clusters"),
        ({"scaling": "none"}, "'plain'"),
        ({"n_init": 0}, "n_init"),
        ({"max_iter": 0}, "max_iter"),
        ({"tol": -1.0}, "tol"),
        ({"max_seconds": 0.0}, "max_seconds=0.0"),
        ({"n_jobs": 0}, "n_jobs=0"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        nmf(blocks(3, 3)[0], 2, **options)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda V: V[:2], "N x N"),
        (lambda V: np.where(V == 1, 1.5, V), r"similarity\[0, 0\] = 1.5"),
        (lambda V: np.where(V == 0, np.nan, V), r"similarity\[0, 3\] = nan"),
        (np.triu, r"similarity\[0, 1\] = 1 "),
        (lambda V: 0 * V, "^similarity "),
    ],
)
def test_what_is_no_similarity_matrix_is_refused(change, message):
    with pytest.raises(InputError, match=message):
        nmf(change(blocks(3, 3)[0]), 2)


@pytest.mark.parametrize("K", [0, 7])
def test_more_clusters_than_items_are_refused(K):
    V, _ = blocks(3, 3)
    for call in (nmf, sof_membership):
        with pytest.raises(InputError, match="items, 6"):
            call(V, K)
    with pytest.raises(InputError, match=r"theta=1\.0"):
        Nonsmooth(1.0)


def test_large_matrices_are_refused_and_draws_need_none(monkeypatch):
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(3), 1000)
    draws = draws_around(labels, 8, 0.05, K=3, seed=rng)
    V = np.broadcast_to(1.0, (3000, 3000))  # takes no memory itself
    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", "60000000")
    with pytest.raises(MemoryLimitError, match="sof_membership"):
        nmf(V, 3)
    found = sof_membership(DrawsAffinity(draws), 3, seed=0)
    assert (found.membership.labels[:, None] == found.membership.labels)[::50, ::50].mean() == pytest.approx(1 / 3)


@few
@given(seeds, st.integers(1, 5))
def test_the_dendrogram_is_cut_into_exactly_so_many(seed, K):
    V, _ = similarity(seed, n_items=9, n_draws=3)  # with ties
    labels = Dendrogram.of(V, "average").cut(len(V) - K)
    assert sorted(set(labels.tolist())) == list(range(K))
    first = [int(np.argmax(labels == k)) for k in range(K)]
    assert first == sorted(first)


def test_misfits_are_those_of_the_matrices():
    V, draws = similarity(8)
    result = nmf(V, 3, method="offset", n_init=1)
    E = V - result.W @ result.H - result.offset[:, None]
    assert result.residual == pytest.approx((E**2).sum(), rel=1e-12)
    assert result.misfit == pytest.approx(np.linalg.norm(E) / np.linalg.norm(V), rel=1e-12)
    off = ~np.eye(len(V), dtype=bool)
    Q = result.membership.matrix
    expected = np.linalg.norm((V - Q @ Q.T)[off]) / np.linalg.norm(V[off])
    # From sums of squares: their rounding, 1e-16, under the root.
    assert result.membership_misfit == pytest.approx(expected, rel=1e-7)
    assert membership_misfit(DrawsAffinity(draws), Q) == pytest.approx(expected, rel=1e-7)
    hard = np.linalg.norm((V - (result.labels[:, None] == result.labels))[off]) / np.linalg.norm(V[off])
    assert membership_misfit(V, result.labels) == pytest.approx(hard, rel=1e-7)
    with pytest.raises(InputError, match="24 rows"):
        membership_misfit(V, Q[:5])


def test_sof_leaves_the_diagonal_out_and_finds_the_membership_that_made_the_matrix():
    rng = np.random.default_rng(0)
    W = rng.dirichlet(np.full(3, 0.2), 40)
    W[:6] = np.eye(3)[[0, 0, 1, 1, 2, 2]]  # items that pin the corners
    V = W @ W.T
    np.fill_diagonal(V, 1.0)
    for start in ("spectral", "dendrogram", W.argmax(axis=1)):
        found = sof_membership(V, 3, start=start, tol=1e-9, max_iter=5000, seed=0)
        assert found.misfit < 1e-5
        np.testing.assert_allclose(found.membership.aligned_to(W.argmax(axis=1)).matrix, W, atol=1e-3)
    with_diagonal = V.copy()
    np.fill_diagonal(with_diagonal, 0.3)  # what it says does not matter
    again = sof_membership(with_diagonal, 3, start=W.argmax(axis=1), tol=1e-9, max_iter=5000)
    np.testing.assert_allclose(again.membership.matrix, found.membership.matrix, atol=1e-6)


def test_sof_prunes_clusters_that_the_evidence_does_not_need():
    V, draws = similarity(1, n_items=60, n_draws=400, n_clusters=3, doubt=0.1)
    result = sof_membership(V, 8, seed=0)
    assert result.membership.labels.max() < 8
    assert len(set(result.membership.labels.tolist())) == 3
    from_draws = sof_membership(DrawsAffinity(draws), 8, seed=0)
    assert from_draws.objective == pytest.approx(result.objective, rel=1e-6)


def binder(V):
    return lambda labels: float(np.where(labels[:, None] == labels, 1 - V, V).sum()) / len(V) ** 2


@pytest.mark.parametrize("choose", ["loss", "cophenetic", "residual"])
@pytest.mark.parametrize("name", ["ls", "kl"])
def test_a_sweep_finds_the_number_of_blocks(choose, name):
    rng = np.random.default_rng(0)
    V, labels = blocks(12, 10, 8, inside=0.85, outside=0.05)
    noise = 0.04 * rng.uniform(-1, 1, V.shape)
    V = np.where(np.eye(len(V)) == 1, 1.0, np.clip(V + noise + noise.T, 0, 1))
    with pytest.warns(ConvergenceWarning, match="K = 2, 3, 4, 5, 6"):
        sweep = nmf_sweep(V, range(2, 7), method=name, criterion=binder(V), choose=choose, seed=0, max_iter=300)
    assert sweep.choose == choose
    assert sweep.best.n_components == 3
    assert same_partition(sweep.best.labels, labels)
    assert sweep.n_clusters.tolist() == [2, 3, 4, 5, 6]
    assert [row.objective for row in sweep.table] == [result.objective for result in sweep.results]
    assert [row.loss for row in sweep.table] == [binder(V)(result.labels) for result in sweep.results]
    assert sweep.partitions.shape == (50, 30)
    assert sweep.table[1].cophenetic == pytest.approx(1.0)


def test_a_sweep_without_a_criterion_says_nothing_of_losses():
    V, _ = blocks(6, 4)
    sweep = nmf_sweep(V, [2, 1], n_init=2, seed=0)
    assert sweep.choose == "cophenetic"
    assert np.isnan([row.loss for row in sweep.table]).all()
    assert np.isnan(nmf_sweep(V, [2], n_init=1, criterion=binder(V)).table[0].cophenetic)


def test_a_sweep_whose_time_is_over_says_what_it_left_out():
    V, _ = blocks(6, 4)
    with pytest.warns(ConvergenceWarning, match="K = 3, 4"):
        sweep = nmf_sweep(V, [2, 3, 4], max_seconds=1e-9)
    assert sweep.n_clusters.tolist() == [2]


@pytest.mark.parametrize(
    ("numbers", "options", "message"),
    [
        ([], {}, r"n_clusters=\[\]"),
        ([2, 2], {}, r"n_clusters=\[2, 2\]"),
        ([2, 99], {}, r"n_clusters=\[2, 99\]"),
        ([2, 3], {"choose": "loss"}, "criterion"),
        ([2, 3, 5], {"choose": "residual"}, r"choose='residual' .*\[2, 3, 5\]"),
        ([2, 3], {"choose": "elbow"}, "'elbow'"),
        ([2, 3], {"n_init": 1}, "n_init"),
        ([2, 3], {"n_init": 1, "criterion": lambda labels: np.nan}, "criterion .*nan"),
    ],
)
def test_a_sweep_that_cannot_choose_is_refused(numbers, options, message):
    with pytest.raises(InputError, match=message):
        nmf_sweep(blocks(5, 5)[0], numbers, **options)


def test_the_cophenetic_correlation_is_that_of_the_single_definition():
    """By average linkage step by step: the height at which two items meet."""
    rng = np.random.default_rng(0)
    partitions = rng.integers(0, 3, (7, 8))
    apart = 1.0 - similarity_of(partitions) + 0.0
    clusters, met = [[i] for i in range(8)], np.zeros((8, 8))
    while len(clusters) > 1:
        pairs = [
            (apart[np.ix_(a, b)].mean(), i, j) for i, a in enumerate(clusters) for j, b in enumerate(clusters) if i < j
        ]
        height, i, j = min(pairs)
        met[np.ix_(clusters[i], clusters[j])] = met[np.ix_(clusters[j], clusters[i])] = height
        clusters[i] = clusters[i] + clusters.pop(j)
    upper = np.triu_indices(8, 1)
    assert cophenetic_correlation(partitions) == pytest.approx(np.corrcoef(apart[upper], met[upper])[0, 1], abs=1e-9)
    assert cophenetic_correlation(np.zeros((3, 5), dtype=int)) == 1.0
    with pytest.raises(InputError, match="R x N"):
        cophenetic_correlation([0, 1])
