"""SCAMS by ADMM: against Algorithm 1 in plain NumPy, its symmetries, and what it finds where the answer is known."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from partita.errors import InputError, MemoryLimitError
from partita.kernels.threads import limit_threads
from partita.scams import ADMM, boolean_factorization, cholesky_labels, partition_objective, relative, scams_admm
from partita.scams.eigenpairs import WARM_FROM, LeadingEigenpairs
from synthetic import all_partitions, diagonal_blobs


def planted(rng, sizes, within=0.6, between=0.1, noise=0.1):
    """A noisy block affinity with a diagonal of its own, and the labels."""
    truth = np.repeat(np.arange(len(sizes)), sizes)
    mean = np.where(truth[:, None] == truth, within, between)
    A = np.triu(np.clip(mean + noise * rng.normal(size=mean.shape), 0.0, None))
    return A + np.triu(A, 1).T, truth


def printed(A, lam, gamma, mu, rho=1.1, mu_min=1e-10, eps=1e-8, max_iter=2000):
    """Algorithm 1 as it is printed: yields G, H and what they cost after each iteration."""
    N = len(A)
    W, H, Y = -A, np.zeros((N, N)), np.zeros((N, N))
    for _ in range(max_iter):
        S = H - mu * (W + Y)
        v, Q = np.linalg.eigh((S + S.T) / 2)
        v = np.where((v < 0) | (v**2 <= 2 * mu * lam), 0, v)
        G = (Q * v) @ Q.T
        M, t = G + mu * Y, 2 * mu * gamma
        H = np.where(
            (M > 1) & (np.minimum(M**2, 2 * M - 1) > t),
            1.0,
            np.where((M < 0) | (t >= M**2) | (M > 1), 0.0, M),
        )
        np.fill_diagonal(H, 1.0)
        Y = Y + (G - H) / mu
        mu = max(mu / rho, mu_min)
        rank = np.count_nonzero(v)
        yield G, H, rank, np.sum(W * G) + lam * rank + gamma * np.count_nonzero(H)
        if np.abs(G - H).max() <= eps:
            return


def same_partition(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return bool(((a[:, None] == a) == (b[:, None] == b)).all())


def clusters(A, settings=None):
    result = scams_admm(A, settings)
    return boolean_factorization(result.pattern, A, max_clusters=result.max_clusters).labels


@pytest.mark.parametrize("scale", [1.0, 0.05])
def test_the_printed_preset_is_algorithm_1_iterate_for_iterate(scale):
    A, _ = planted(np.random.default_rng(0), [9, 7, 5])
    A = A * scale
    settings = ADMM.paper()
    steps = list(printed(A, lam=settings.lam, gamma=settings.gamma, mu=1e6))
    result = scams_admm(A, settings)
    assert result.status == "converged"
    assert result.n_iter == len(steps)
    assert result.rank.tolist() == [rank for _, _, rank, _ in steps]
    # Rounding of S, of size mu |A| <= 1e6, is what the first iterates differ by, and what adds up in Y.
    np.testing.assert_allclose(result.objective, [J for _, _, _, J in steps], rtol=1e-8, atol=1e-6)
    np.testing.assert_allclose(result.residual, [np.abs(G - H).max() for G, H, _, _ in steps], rtol=1e-6, atol=1e-6)
    for n in (1, 2, 5, 40, 80, len(steps)):
        G, H, _, _ = steps[n - 1]
        at = scams_admm(A, settings, max_iter=n)
        np.testing.assert_allclose(at.G, G, rtol=1e-8, atol=1e-6)
        assert (at.pattern == (H > 0.5)).all()
    assert result.rank[-1] > 0


def test_a_longer_affinity_takes_the_plain_path_with_warm_eigenpairs_too():
    """Beyond `WARM_FROM` items: ranks, pattern and number of iterations are those of full decompositions."""
    A, _ = planted(np.random.default_rng(1), [WARM_FROM // 5 + 4] * 5, within=0.5, between=0.2, noise=0.3)
    warm, exact = ADMM(), ADMM(warm=False)
    prepared = warm.prepare(A)
    found, expected = scams_admm(A, warm), scams_admm(A, exact)
    plain = []
    for _, H, rank, _ in printed(prepared, lam=1.0, gamma=0.7 / len(A), mu=1e3, max_iter=found.n_iter):
        plain.append(rank)
        last = H > 0.5
    assert found.n_partial > found.n_exact
    assert expected.n_partial == 0
    assert found.rank.tolist() == expected.rank.tolist() == plain
    assert (found.pattern == expected.pattern).all()
    assert (found.pattern == last).all()
    # Vectors are found to a residual of 1e-10 of the norm.
    np.testing.assert_allclose(found.objective, expected.objective, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("seed", [3, 5, 6, 13, 16])
def test_warm_eigenpairs_of_a_neighbour_graph_miss_none(seed, monkeypatch):
    """Spectra without a gap: without the proof each of these took another path within eight iterations."""
    for name, value in (("WARM_FROM", 0), ("MOST_SPENT", 3.0), ("MOST_KEPT", 0.2)):  # warm where it does not pay too
        monkeypatch.setattr(f"partita.scams.eigenpairs.{name}", value)
    rng = np.random.default_rng(seed)
    N = int(rng.integers(110, 160))
    X = diagonal_blobs(N, 2, K=4, apart=5.0, seed=rng)
    squared = ((X[:, None] - X) ** 2).sum(axis=-1)
    reach = np.sort(squared, axis=1)[:, [10]]
    A = np.where(squared <= np.maximum(reach, reach.T), np.exp(-squared / np.sqrt(reach * reach.T)), 0.0)
    A = (A + A.T) / 2
    kind = "sym" if seed % 2 else "mean"
    settings = ADMM(scale=kind, theta=(0.5, 0.7, 1.0)[seed % 3])
    warm, exact = (scams_admm(A, replace(settings, warm=w), max_iter=12) for w in (True, False))
    assert warm.n_partial > 0
    assert warm.rank.tolist() == exact.rank.tolist()
    assert (warm.pattern == exact.pattern).all()


def test_searches_that_fail_are_tried_less_and_less_and_one_that_does_not_brings_them_back(monkeypatch):
    from partita.scams.eigenpairs import LeadingEigenpairs

    monkeypatch.setattr("partita.scams.eigenpairs.WARM_FROM", 0)
    monkeypatch.setattr("partita.scams.eigenpairs.MOST_KEPT", 1.0)
    S = np.diag([5.0, 4.0, *np.linspace(0, 1, 38)])
    pairs, seen, tried, works = LeadingEigenpairs(40), 0, [], False

    def search(matrix, threshold):
        tried.append(seen)
        return (np.array([5.0, 4.0]), np.eye(40)[:, :2]) if works else None

    monkeypatch.setattr(pairs, "_search", search)
    while seen < 90:
        works = seen >= 66
        assert pairs.above(S.copy(), 3.0, float((S**2).sum()))[0].tolist() == [5.0, 4.0]
        seen += 1
    assert tried == [1, 2, 4, 8, 16, 32, 48, 64, *range(80, 90)]
    assert pairs.n_partial == 10


def test_the_proof_that_no_eigenvalue_is_left_sees_each_of_them():
    from partita.scams.eigenpairs import _none_left

    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.normal(size=(40, 40)))[0]
    v = np.concatenate([[9.0, 9.0, 5.0, 3.1], rng.uniform(-20, 2.9, size=36)])
    S = (Q * v) @ Q.T
    S = (S + S.T) / 2
    assert _none_left(S, 3.0, v[:4], Q[:, :4])
    for missed in range(4):
        kept = np.delete(np.arange(4), missed)
        assert not _none_left(S, 3.0, v[kept], Q[:, kept])
    assert _none_left(S, 9.1, np.empty(0), np.empty((40, 0)))
    assert not _none_left(S, 8.9, np.empty(0), np.empty((40, 0)))


@pytest.mark.parametrize("seed", range(4))
def test_eigenpairs_above_a_threshold_are_all_of_them(seed):
    """A slowly moving matrix whose threshold falls through its spectrum, equal eigenvalues among them."""
    rng = np.random.default_rng(seed)
    N = WARM_FROM + 20
    Q = np.linalg.qr(rng.normal(size=(N, N)))[0]
    spectrum = np.concatenate([[9.0, 9.0, 9.0, 7.0, 7.0, 4.0], rng.uniform(-5, 2, size=N - 6)])
    pairs = LeadingEigenpairs(N)
    for step, threshold in enumerate([11.0, 8.0, 8.0, 5.0, 3.0, 3.0, 2.05]):
        push = np.zeros((N, N))
        if step == 4:  # an eigenvalue that comes up where no vector pointed
            x = rng.normal(size=N)
            push = 30.0 * np.outer(x, x) / (x @ x)
        S = (Q * spectrum) @ Q.T + push + 1e-3 * step * np.eye(N)
        S = (S + S.T) / 2
        v, U = np.linalg.eigh(S)
        expected, U = v[v > threshold][::-1], U[:, v > threshold]
        values, vectors = pairs.above(S.copy(), threshold, float((S**2).sum()))
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-10)
        # The projector does not depend on the basis of equal eigenvalues; residuals of 1e-8 over gaps of about .1.
        np.testing.assert_allclose(vectors @ vectors.T, U @ U.T, atol=1e-5)
    assert pairs.n_partial >= 4


def test_a_norm_below_the_threshold_needs_no_eigenpairs():
    pairs = LeadingEigenpairs(WARM_FROM)
    values, vectors = pairs.above(np.eye(WARM_FROM), 30.0, float(WARM_FROM))
    assert (len(values), vectors.shape, pairs.n_none) == (0, (WARM_FROM, 0), 1)


@pytest.mark.parametrize("c", [2.0**-8, 2.0**7])
def test_a_multiple_of_everything_changes_nothing(c):
    """(A, lambda, gamma, mu0) -> (c A, c lambda, c gamma, mu0 / c): powers of two, so that products stay exact."""
    A, _ = planted(np.random.default_rng(2), [8, 6, 4])
    settings = ADMM(lam=1.0, gamma=0.3, scale=None, mu0=1e3, mu_min=1e-10)
    other = replace(settings, lam=c, gamma=0.3 * c, mu0=1e3 / c, mu_min=1e-10 / c)
    one, two = scams_admm(A, settings), scams_admm(c * A, other)
    assert one.n_iter == two.n_iter
    assert (one.pattern == two.pattern).all()
    np.testing.assert_allclose(two.G, one.G, atol=1e-9)
    np.testing.assert_allclose(two.objective, c * one.objective, rtol=1e-9)


@pytest.mark.parametrize("kind", ["sym", "mean"])
def test_the_unit_of_the_affinity_does_not_matter_on_a_relative_scale(kind):
    A, truth = planted(np.random.default_rng(3), [10, 8, 6])
    one, two = scams_admm(A, ADMM(scale=kind)), scams_admm(1e-3 * A, ADMM(scale=kind))
    assert (one.pattern == two.pattern).all()
    np.testing.assert_allclose(one.objective, two.objective, rtol=1e-6)
    assert same_partition(clusters(1e-3 * A, ADMM(scale=kind)), truth)


@pytest.mark.parametrize("settings", [ADMM(), ADMM.paper()])
def test_a_permutation_of_the_items_permutes_the_answer(settings):
    rng = np.random.default_rng(4)
    A, _ = planted(rng, [12, 9, 6])
    order = rng.permutation(len(A))
    one, two = scams_admm(A, settings), scams_admm(A[np.ix_(order, order)], settings)
    assert one.rank.tolist() == two.rank.tolist()
    assert (two.pattern == one.pattern[np.ix_(order, order)]).all()


@pytest.mark.parametrize("sizes", [[30], [20, 20], [25, 15, 10, 6], [12] * 8])
@pytest.mark.parametrize("kind", ["sym", "mean"])
def test_planted_blocks_are_found_with_their_number(sizes, kind):
    A, truth = planted(np.random.default_rng(5), sizes, between=0.02)
    settings = ADMM(scale=kind)
    result = scams_admm(A, settings)
    assert result.status == "converged"
    assert same_partition(clusters(A, settings), truth)
    assert result.max_clusters == len(sizes)
    assert same_partition(cholesky_labels(result.pattern, result.max_clusters), truth)


@pytest.mark.parametrize("theta", [0.3, 0.5, 0.7])
@pytest.mark.parametrize("kind", ["sym", "mean"])
def test_what_is_found_costs_no_more_than_what_was_planted(kind, theta):
    """Where small clusters have affinities between them of about gamma, one cluster costs less than two."""
    A, truth = planted(np.random.default_rng(5), [12] * 8, between=0.02)
    settings = ADMM(scale=kind, theta=theta)
    prepared, labels = settings.prepare(A), clusters(A, settings)
    found, true = (partition_objective(y, prepared, theta / len(A), settings.lam) for y in (labels, truth))
    assert found <= true + 1e-9


def test_the_trace_ends_at_the_objective_of_the_partition_where_g_is_blocks():
    A, _ = planted(np.random.default_rng(6), [10, 10, 5], between=0.02, noise=0.02)
    settings = ADMM(patience=None)
    result = scams_admm(A, settings)
    labels = clusters(A, settings)
    J = partition_objective(labels, settings.prepare(A), result.gamma, result.lam)
    assert result.residual[-1] <= settings.tol
    assert result.objective[-1] == pytest.approx(J, abs=1e-6)  # |G - H| <= 1e-8 in each of 625 entries


def test_disconnected_pieces_become_clusters_without_links_between_them():
    A = sp.block_diag([np.ones((n, n)) for n in (6, 5, 4, 1)], format="csr")
    truth = np.repeat(np.arange(4), [6, 5, 4, 1])
    assert same_partition(clusters(A), truth)
    whole = scams_admm(A, ADMM(patience=None))
    np.testing.assert_allclose(whole.G, truth[:, None] == truth, atol=1e-7)
    assert whole.eigenvalues.round(6).tolist() == [6.0, 5.0, 4.0, 1.0]


def test_an_early_stop_counts_clusters_that_are_not_in_g_just_then():
    A = sp.block_diag([np.ones((n, n)) for n in (6, 5, 4, 1)], format="csr")
    stopped = scams_admm(A)
    assert stopped.rank[-1] < 4
    assert stopped.max_clusters == 4


@pytest.mark.parametrize("kind", ["sym", "mean"])
def test_items_that_are_all_alike_are_one_cluster(kind):
    assert clusters(np.full((17, 17), 0.3), ADMM(scale=kind)).tolist() == [0] * 17


def test_one_two_and_three_items():
    assert clusters([[1.0]]).tolist() == [0]
    assert clusters([[1.0, 1.0], [1.0, 1.0]]).tolist() == [0, 0]
    assert clusters(np.eye(2)).tolist() == [0, 1]
    assert clusters(np.eye(3)).tolist() == [0, 1, 2]
    assert clusters([[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]]).tolist() == [0, 0, 1]
    for N in (1, 2, 3):
        result = scams_admm(np.ones((N, N)), ADMM.paper())
        assert result.pattern.shape == (N, N)
        assert result.status == "converged"


def test_sparse_and_dense_affinities_give_the_same_bits():
    A, _ = planted(np.random.default_rng(7), [10, 8, 6])
    A[A < 0.2] = 0.0
    dense, sparse = scams_admm(A), scams_admm(sp.csr_array(A))
    assert (dense.objective == sparse.objective).all()
    assert (dense.factor == sparse.factor).all()
    for kind in ("sym", "mean"):
        # Row sums are taken in another order.
        np.testing.assert_allclose(relative(sp.csr_array(A), kind).toarray(), relative(A, kind), rtol=1e-13)


def test_any_number_of_threads_gives_the_same_bits():
    A, _ = planted(np.random.default_rng(8), [WARM_FROM // 4] * 4, noise=0.3)
    results = []
    for n in (1, 4):
        with limit_threads(n):
            results.append(scams_admm(A, max_iter=12))
    assert (results[0].objective == results[1].objective).all()
    assert (results[0].factor == results[1].factor).all()


def test_the_affinity_given_is_left_as_it_was():
    A, _ = planted(np.random.default_rng(9), [6, 5])
    before = A.copy()
    scams_admm(A)
    scams_admm(A, ADMM.paper())
    assert (before == A).all()


def test_the_diagonal_does_not_matter_once_it_is_set_to_zero():
    A, _ = planted(np.random.default_rng(10), [9, 6])
    other = A + np.diag(np.arange(15.0))
    assert (scams_admm(A).objective == scams_admm(other).objective).all()


def test_limits_end_the_run_and_say_so():
    A, _ = planted(np.random.default_rng(11), [9, 6])
    full = scams_admm(A)
    few = scams_admm(A, max_iter=3)
    assert (few.status, few.n_iter) == ("max_iter", 3)
    assert few.objective.tolist() == full.objective[:3].tolist()
    brief = scams_admm(A, max_seconds=1e-9)
    assert (brief.status, brief.n_iter) == ("max_seconds", 1)


def test_an_interrupt_gives_the_last_iteration_that_was_completed():
    A, _ = planted(np.random.default_rng(12), [9, 6])

    def interrupt(at):
        if at.iteration == 4:
            raise KeyboardInterrupt

    stopped, whole = scams_admm(A, progress=interrupt), scams_admm(A, max_iter=4)
    assert (stopped.status, stopped.n_iter) == ("interrupted", 4)
    assert (stopped.factor == whole.factor).all()
    assert (stopped.pattern == whole.pattern).all()
    assert stopped.objective.tolist() == whole.objective.tolist()


def test_an_interrupt_inside_an_iteration_leaves_the_one_before(monkeypatch):
    A, _ = planted(np.random.default_rng(12), [9, 6])
    from partita.scams import admm

    step, calls = admm.threshold_step, []

    def cut_short(*arguments):
        calls.append(step(*arguments))
        if len(calls) == 5:
            raise KeyboardInterrupt
        return calls[-1]

    monkeypatch.setattr(admm, "threshold_step", cut_short)
    stopped = scams_admm(A)
    monkeypatch.undo()
    whole = scams_admm(A, max_iter=4)
    assert (stopped.status, stopped.n_iter) == ("interrupted", 4)
    assert (stopped.pattern == whole.pattern).all()
    assert stopped.rank.tolist() == whole.rank.tolist()


def test_progress_is_told_of_every_iteration():
    A, _ = planted(np.random.default_rng(13), [9, 6])
    told = []
    result = scams_admm(A, progress=told.append, max_seconds=1e6)
    assert [at.iteration for at in told] == list(range(1, result.n_iter + 1))
    assert [at.optimality for at in told] == result.residual.tolist()
    assert [at.done for at in told] == [False] * (result.n_iter - 1) + [True]


def test_what_does_not_fit_into_memory_is_refused_with_the_sparse_way(monkeypatch):
    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", "1000000")
    with pytest.raises(MemoryLimitError, match="1,000 x 1,000"):
        scams_admm(sp.eye_array(1000, format="csr"))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"lam": 0.0}, "lam=0.0"),
        ({"gamma": -1.0}, "gamma=-1.0"),
        ({"rho": 1.0}, "rho=1.0"),
        ({"mu0": float("nan")}, "mu0=nan"),
        ({"patience": 0}, "patience=0"),
        ({"scale": "max"}, "'max'"),
        ({"gamma": 0.1, "theta": 0.5}, "gamma .*theta"),
        ({"scale": None}, "gamma, "),
    ],
)
def test_settings_that_are_wrong_or_contradict_each_other_are_refused(options, says):
    with pytest.raises(InputError, match=says):
        ADMM(**options)


def test_affinities_that_are_wrong_are_refused():
    with pytest.raises(InputError, match=r"affinity\[0, 1\] = 0\.5"):
        scams_admm([[1.0, 0.5], [0.1, 1.0]])
    with pytest.raises(InputError, match=r"affinity\[0, 1\] = -0\.5"):
        scams_admm([[1.0, -0.5], [-0.5, 1.0]])
    with pytest.raises(InputError, match="max_iter=0"):
        scams_admm(np.eye(2), max_iter=0)
    with pytest.raises(InputError, match="max_seconds=0"):
        scams_admm(np.eye(2), max_seconds=0)
    with pytest.raises(InputError, match="'sym'"):
        relative(np.eye(2), "max")


@pytest.mark.parametrize("gamma", [0.0, 0.4])
def test_the_objective_of_a_partition_is_the_papers_sum(gamma):
    rng = np.random.default_rng(14)
    A, _ = planted(rng, [5, 4, 3])
    labels = rng.integers(4, size=12) * 3 - 5
    Z = (labels[:, None] == np.unique(labels)).astype(float)
    G = Z @ Z.T
    expected = np.trace(-A.T @ G) + 1.7 * np.linalg.matrix_rank(G) + gamma * np.count_nonzero(G)
    assert partition_objective(labels, A, gamma, 1.7) == pytest.approx(expected, rel=1e-12)
    assert partition_objective(labels, sp.csr_array(A), gamma, 1.7) == pytest.approx(expected, rel=1e-12)
    with pytest.raises(InputError, match=r"11 labels .*\(12, 12\)"):
        partition_objective(labels[:-1], A, gamma, 1.7)


def test_on_few_items_no_partition_is_much_better_than_what_admm_finds():
    """All 877 partitions of 7 items: on average ADMM is within a few percent of the least J, and never below it."""
    partitions = all_partitions(7)
    shares = []
    for seed in range(12):
        A, _ = planted(np.random.default_rng(seed), [4, 3], within=1.0, between=0.1)
        settings = ADMM()
        result, prepared = scams_admm(A, settings), settings.prepare(A)
        best = min(partition_objective(p, prepared, result.gamma, result.lam) for p in partitions)
        found = partition_objective(clusters(A, settings), prepared, result.gamma, result.lam)
        assert found >= best - 1e-12
        shares.append((found - best) / abs(best))
    assert np.mean(shares) < 0.05
