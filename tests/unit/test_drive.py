"""The driver: starts, restarts, stopping, interruption, what it tells and what it keeps."""

import logging
import os
import signal
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from partita.affinity import DenseAffinity, SparseAffinity
from partita.errors import InputError
from partita.kernels.threads import limit_threads
from partita.objectives import PerClusterObjective, Problem, ScaledObjective, SoFObjective
from partita.solvers import ProjectedGradient, Starts, drive
from partita.solvers import drive as drive_function
from partita.solvers.start import MIX
from synthetic import noisy_blocks

drive_module = sys.modules[drive_function.__module__]
quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def evidence(n=40, K=3):
    return noisy_blocks(n, K, noise=0.5, within=0.4)


def run(matrix=None, start="dirichlet", K=3, objective=None, features=None, **options):
    P = DenseAffinity(evidence()) if matrix is None else matrix
    problem = Problem(P, objective or SoFObjective())
    return drive(problem, ProjectedGradient(), Starts(P, K, features), start, **({"seed": 0} | options))


def test_the_best_restart_by_objective_wins_and_all_are_kept():
    result = run(n_init=6)
    objectives = [restart.objective for restart in result.restarts]
    assert len(set(objectives)) > 1
    assert result.objective == min(objectives)
    assert result.best == int(np.argmin(objectives))
    best = result.restarts[result.best]
    np.testing.assert_array_equal(result.trace, best.trace)
    assert (result.n_iter, result.n_products, result.optimality) == (best.n_iter, best.n_products, best.optimality)
    assert result.total_products == sum(restart.n_products for restart in result.restarts)
    np.testing.assert_allclose(result.membership.matrix, best.membership, atol=1e-15)
    P = evidence()
    for restart in result.restarts:
        W = restart.membership
        assert restart.objective == pytest.approx(((P - W @ W.T) ** 2).sum(), rel=1e-10)
        assert restart.objective == pytest.approx(restart.trace[-1], rel=1e-12)
        assert len(restart.trace) == restart.n_iter + 1
        assert (restart.membership[np.arange(40), restart.labels] == restart.membership.max(axis=1)).all()
        assert restart.status == "converged"
        assert restart.n_products > restart.n_iter


def first_memberships(start, n_init, **options):
    """What each restart began with: its membership before any step."""
    seen = {}

    class Looking(ProjectedGradient):
        def start(self, problem, W):
            seen[len(seen)] = W.copy()
            return super().start(problem, W)

    P = DenseAffinity(evidence())
    starts = Starts(P, 3, options.pop("features", None))
    result = drive(Problem(P, SoFObjective()), Looking(), starts, start, n_init=n_init, seed=0, max_iter=2, **options)
    return seen, result


@quiet
def test_a_sequence_of_starts_is_taken_in_turn_and_its_last_one_repeated():
    W = np.random.default_rng(1).dirichlet(np.ones(3), size=40)
    labels = np.arange(40) % 3
    seen, result = first_memberships([W, labels, "spectral", "dirichlet"], 6)
    np.testing.assert_allclose(seen[0], W)
    np.testing.assert_array_equal(seen[1].argmax(axis=1), labels)
    assert [restart.start for restart in result.restarts] == ["given", "given", "spectral", *["dirichlet"] * 3]
    assert not np.array_equal(seen[3], seen[4])


@quiet
def test_hard_starts_keep_a_share_of_the_uniform_membership():
    labels = np.arange(40) % 3
    seen, _ = first_memberships(labels, 1)
    expected = np.full((40, 3), MIX / 3)
    expected[np.arange(40), labels] += 1 - MIX
    np.testing.assert_allclose(seen[0], expected)
    names, _ = first_memberships(np.array(["a", "b", "c"])[labels], 1)
    np.testing.assert_array_equal(names[0], seen[0])
    numbers, _ = first_memberships([[2.0, 1.0, 1.0]] * 40, 1)  # a nested list is one membership, rows are rescaled
    np.testing.assert_allclose(numbers[0], [[0.5, 0.25, 0.25]] * 40)
    spectral, _ = first_memberships("spectral", 3)
    assert (spectral[0].max(axis=1) == 1 - MIX + MIX / 3).all()
    np.testing.assert_array_equal(spectral[0].argmax(axis=1), spectral[1].argmax(axis=1))
    assert not np.array_equal(spectral[1], spectral[2])  # a random background
    for W in (seen, spectral):
        np.testing.assert_allclose(W[0].sum(axis=1), 1.0)


@quiet
def test_kmeans_takes_the_features_or_else_the_eigenvectors():
    X = (np.arange(40) % 3)[:, None] * 10.0 + np.random.default_rng(0).normal(size=(40, 2))
    seen, _ = first_memberships("kmeans", 2, features=X)
    for W in seen.values():
        hard = W.argmax(axis=1)
        assert len({*zip(hard.tolist(), (np.arange(40) % 3).tolist())}) == 3
    seen, _ = first_memberships("kmeans", 1)
    assert len({*zip(seen[0].argmax(axis=1).tolist(), (np.arange(40) % 3).tolist())}) == 3


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ("keans", "start='keans'"),
        ([], "^start "),
        (np.zeros(39, dtype=int), "39 labels"),
        (np.arange(40), "40 clusters"),
        (np.ones((40, 2)), r"start .*\(40, 2\)"),
        (np.zeros((40, 3)), "^start "),
        (-np.ones((40, 3)), "^start "),
        (np.full((40, 3), np.nan), "^start "),
    ],
)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_bad_start_is_refused(start, message, n_jobs):
    with pytest.raises(InputError, match=message):
        run(start=start, n_init=2, n_jobs=n_jobs)


@pytest.mark.parametrize(
    "options",
    [{"n_init": 0}, {"max_iter": 0}, {"tol": -1.0}, {"tol": float("nan")}, {"max_seconds": 0.0}, {"n_jobs": 0}],
)
def test_options_out_of_range_are_named(options):
    ((name, value),) = options.items()
    with pytest.raises(InputError, match=f"{name}={value}"):
        run(**options)


@quiet
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_two_jobs_give_the_very_bits_of_one(kind):
    matrix = evidence(1200, 8)  # 1200^2 x 8 = 1.2e7 multiplications: products are cut into chunks
    if kind == "sparse":
        P = SparseAffinity(sp.csr_array(np.where(matrix > 0.05, matrix, 0.0)))
        assert P.nnz * 8 > 10_000_000
    else:
        P = DenseAffinity(matrix)
    one, two, all_cores = (
        run(P, K=8, n_init=4, n_jobs=n_jobs, max_iter=6, tol=0.0, objective=ScaledObjective())
        for n_jobs in (None, 2, -1)
    )
    for other in (two, all_cores):
        assert len(other.restarts) == 4
        for a, b in zip(one.restarts, other.restarts):
            np.testing.assert_array_equal(a.membership, b.membership)
            np.testing.assert_array_equal(a.trace, b.trace)
            np.testing.assert_array_equal(a.labels, b.labels)
            np.testing.assert_array_equal(a.scale, b.scale)
            assert a.n_products == b.n_products
        np.testing.assert_array_equal(one.membership.matrix, other.membership.matrix)
        np.testing.assert_array_equal(one.membership.labels, other.membership.labels)


def test_a_restart_does_not_depend_on_how_many_others_there_are():
    few, many = run(n_init=2), run(n_init=5)
    for a, b in zip(few.restarts, many.restarts):
        np.testing.assert_array_equal(a.membership, b.membership)


def test_max_iter_stops_with_its_status_and_exactly_one_warning():
    with pytest.warns(ConvergenceWarning, match="max_iter.*tol=0") as caught:
        result = run(max_iter=3, tol=0.0, n_init=4)
    assert len(caught) == 1
    assert result.status == "max_iter"
    assert {restart.n_iter for restart in result.restarts} == {3}
    assert all(restart.status == "max_iter" for restart in result.restarts)


def test_max_seconds_stops_with_its_status_and_says_what_was_left_out():
    with pytest.warns(ConvergenceWarning, match="max_seconds") as caught:
        result = run(max_seconds=1e-9, n_init=5)
    assert len(caught) == 1
    assert result.status == "max_seconds"
    assert len(result.restarts) == 1
    assert result.n_iter == 0
    assert "1 of 5 restarts were run" in result.notes
    assert np.abs(result.membership.matrix.sum(axis=1) - 1).max() <= 1e-12
    with pytest.warns(ConvergenceWarning, match="max_seconds"):
        assert run(max_seconds=1e-9, n_init=5, n_jobs=2).status == "max_seconds"


def test_restarts_left_out_for_time_are_said_even_where_the_best_one_converged(monkeypatch):
    clock = iter(range(100_000))
    finished = []

    class Clock:
        @staticmethod
        def perf_counter():
            return 1e9 if finished else next(clock) * 1e-9

    monkeypatch.setattr("partita.runs.time", Clock)
    with pytest.warns(ConvergenceWarning, match="max_seconds"):
        result = run(max_seconds=5.0, n_init=3, progress=lambda at: finished.append(1) if at.done else None)
    assert result.restarts[0].status == "converged"
    assert result.status == "max_seconds"


def test_tol_is_the_optimality_at_which_a_restart_ends():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loose, tight = run(tol=1e-2), run(tol=1e-7)
    assert loose.status == tight.status == "converged"
    assert 1e-7 < loose.optimality <= 1e-2
    assert tight.optimality <= 1e-7
    assert tight.n_iter > loose.n_iter
    np.testing.assert_array_equal(tight.trace[: len(loose.trace)], loose.trace)  # the same road, further


def test_a_tolerance_of_zero_ends_when_no_step_lowers_the_objective():
    result = run(tol=0.0, max_iter=20_000)
    assert result.status == "converged"
    assert result.optimality < 1e-6  # the square root of the rounding of the objective


@pytest.mark.parametrize("n_init", [1, 3])
def test_an_interrupt_raises_or_leaves_the_best_so_far(n_init):
    def interrupt(restart, state):
        seen.append((restart, state.point.W.copy()))
        if len(seen) == 7:
            raise KeyboardInterrupt

    seen = []
    with pytest.raises(KeyboardInterrupt):
        run(n_init=n_init, callback=interrupt, tol=1e-12)
    assert len(seen) == 7  # it did not go on
    seen = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an interruption is no failure to converge
        result = run(n_init=n_init, callback=interrupt, tol=1e-12, on_interrupt="best")
    assert len(seen) == 7
    assert result.status == "interrupted"
    assert result.n_iter == 7
    np.testing.assert_allclose(result.membership.matrix, seen[-1][1], atol=1e-15)
    assert len(result.restarts) == 1


def test_an_interrupt_before_the_first_state_raises_all_the_same():
    class Interrupted(Starts):
        def make(self, start, restart, rng):
            raise KeyboardInterrupt

    P = DenseAffinity(evidence())
    with pytest.raises(KeyboardInterrupt):
        drive(Problem(P, SoFObjective()), ProjectedGradient(), Interrupted(P, 3), "dirichlet", on_interrupt="best")


@pytest.mark.posix("signals")
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("on_interrupt", ["raise", "best"])
def test_ctrl_c_stops_every_restart(n_jobs, on_interrupt):
    program = f"""
        import numpy as np
        from partita.affinity import DenseAffinity
        from partita.objectives import Problem, SoFObjective
        from partita.solvers import ProjectedGradient, Starts, drive

        half = np.random.default_rng(0).random((300, 300))
        P = DenseAffinity((half + half.T) / 2)
        begun = set()

        def callback(restart, state):
            if restart not in begun:
                begun.add(restart)
                if len(begun) == {n_jobs}:
                    print("running", flush=True)

        class Endless(ProjectedGradient):
            name = "endless"

            def step(self, problem, state):
                after = super().step(problem, state)
                return type(after)(after.point, 1.0, after.memory, stalled=False)

        try:
            result = drive(Problem(P, SoFObjective()), Endless(), Starts(P, 4), "dirichlet", n_init=4, seed=0,
                           max_iter=10**9, tol=0.0, n_jobs={n_jobs}, on_interrupt="{on_interrupt}", callback=callback)
        except KeyboardInterrupt:
            print("raised")
        else:
            W = result.membership.matrix
            assert abs(W.sum(axis=1) - 1).max() <= 1e-12 and W.min() >= 0
            print(result.status, len(result.restarts))
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout.readline() == "running\n"
            os.kill(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0, err
    assert out == ("raised\n" if on_interrupt == "raise" else f"interrupted {n_jobs}\n")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_where_memory_is_short_only_the_best_membership_is_kept_and_nothing_else_changes(monkeypatch, n_jobs):
    expected = run(n_init=6, n_jobs=n_jobs)
    monkeypatch.setattr(drive_module, "KEEP_SHARE", 1e-15)
    result = run(n_init=6, n_jobs=n_jobs)
    assert all(restart.membership is None for restart in result.restarts)
    assert "only the best restart's membership was kept, to save memory" in result.notes
    np.testing.assert_array_equal(result.membership.matrix, expected.membership.matrix)
    np.testing.assert_array_equal(result.membership.labels, expected.membership.labels)
    assert result.objective == expected.objective
    for a, b in zip(result.restarts, expected.restarts):
        np.testing.assert_array_equal(a.labels, b.labels)


def test_equal_objectives_give_the_first_restart_with_its_own_membership(monkeypatch):
    # P = W W^T exactly: every restart ends at zero to rounding, where objectives are clipped and tie
    W = np.eye(3)[np.arange(30) % 3]
    P = DenseAffinity(W @ W.T)
    monkeypatch.setattr(drive_module, "KEEP_SHARE", 1e-15)
    result = run(P, n_init=8, tol=1e-9)
    first = result.restarts[result.best]
    np.testing.assert_array_equal(result.membership.labels, first.labels)
    ties = [restart for restart in result.restarts if restart.objective == result.objective]
    assert len(ties) > 1
    assert len({restart.labels.tobytes() for restart in ties}) > 1  # they differ by a relabelling: it could be seen


def test_the_squared_norm_is_computed_once_for_all_restarts():
    calls = []

    class Counting(DenseAffinity):
        def squared_norm(self, weights=None):
            calls.append(1)
            return super().squared_norm(weights)

    from partita.affinity import Affinity

    Affinity.kinds["dense"] = DenseAffinity
    run(Counting(evidence()), n_init=3)
    assert len(calls) == 1


def test_every_restart_is_logged(caplog):
    with caplog.at_level(logging.INFO, logger="partita"):
        result = run(n_init=2)
    messages = [record.getMessage() for record in caplog.records if record.name == "partita"]
    assert len(messages) == 2
    for r, (message, restart) in enumerate(zip(messages, result.restarts)):
        assert message.startswith(f"restart {r + 1} of 2 from dirichlet: objective {restart.objective:.6g}, converged ")
        assert f"{restart.n_iter} iterations, {restart.n_products} products" in message


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_is_told_after_each_iteration_and_at_the_end(n_jobs):
    told = []
    result = run(n_init=3, progress=told.append, n_jobs=n_jobs)
    for r, restart in enumerate(result.restarts):
        mine = [at for at in told if at.restart == r]
        assert [at.iteration for at in mine[:-1]] == list(range(1, restart.n_iter + 1))
        assert [at.done for at in mine] == [False] * restart.n_iter + [True]
        assert mine[-1].iteration == restart.n_iter
        assert mine[-1].optimality == restart.optimality
        assert {(at.n_restarts, at.max_iter) for at in mine} == {(3, 1000)}


def test_products_are_counted():
    class Counting(DenseAffinity):
        count = 0

        def __matmul__(self, W):
            Counting.count += 1
            return super().__matmul__(W)

    from partita.affinity import Affinity

    Affinity.kinds["dense"] = DenseAffinity
    result = run(Counting(evidence()), n_init=3, objective=PerClusterObjective())
    assert result.total_products == Counting.count > 3


def test_the_seed_is_kept_and_no_seed_gives_another_answer():
    assert run(seed=5).seed == 5
    assert run(seed=None).seed is None
    assert not np.array_equal(run(seed=None).trace, run(seed=None).trace)


def test_the_limit_on_blas_is_undone():
    from threadpoolctl import threadpool_info, threadpool_limits

    def blas():
        return {entry["num_threads"] for entry in threadpool_info() if entry["user_api"] == "blas"}

    with threadpool_limits(2, user_api="blas"):
        before = blas()
        with limit_threads(3):
            assert blas() == {1}
            with limit_threads(1):
                assert blas() == {1}
        assert blas() == before
        run(n_init=2, n_jobs=2)
        assert blas() == before
