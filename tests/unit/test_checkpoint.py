"""Checkpoints: a fit that is killed goes on where it stood and ends with the bits of one that was not."""

import dataclasses
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from contextlib import suppress
from importlib import metadata

import numpy as np
import pytest
import scipy.sparse as sp
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import partita
from partita import SoF, SoftClustering
from partita.affinity import DenseAffinity, SparseAffinity, WeightedAffinity
from partita.errors import InputError
from partita.objectives import Objective, PerClusterObjective, Problem, SoFObjective, SymNMFObjective
from partita.solvers import (
    BaumEagon,
    BlockCoordinateDescent,
    Checkpoint,
    ProjectedGradient,
    ProjectedNewton,
    Solver,
    Starts,
    State,
    SubspaceMajorization,
    drive,
    opened,
    serialization,
)
from partita.solvers import checkpoint as checkpoint_module
from partita.solvers.lock import LOCK
from partita.solvers.restarts import Unfinished
from partita.solvers.result import Restart
from partita.solvers.serialization import write_tree
from synthetic import blobs, diagonal, noisy_blocks

quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
EVERY = [
    (solver, objective)
    for solver in sorted(Solver.registry)
    for objective in sorted(Objective.registry)
    if Objective.registry[objective].domain.name in Solver.registry[solver].domains
]


@pytest.fixture(autouse=True)
def _writing_costs_what_it_may(monkeypatch):
    """Every step may be written, however long that takes."""
    monkeypatch.setattr(checkpoint_module, "SHARE", np.inf)


class KilledError(Exception):
    """What stands for a kill within one process: nothing in the driver catches it."""


def run(
    folder=None,
    P=None,
    solver=None,
    objective=None,
    *,
    K=3,
    seconds=0.0,
    start="dirichlet",
    weights=None,
    keep=False,
    callback=None,
    **options,
):
    """One call of the driver; without a folder there is no checkpoint."""
    P = DenseAffinity(noisy_blocks(40, 3)) if P is None else P
    problem = Problem(P, objective or SoFObjective(), weights)
    options = {"seed": 3, "n_init": 3, "max_iter": 15, "tol": 1e-9} | options
    with opened(None if folder is None else Checkpoint(folder, seconds=seconds, keep=keep)) as inside:
        return drive(
            problem,
            solver or ProjectedGradient(),
            Starts(P, K, weights=weights),
            start,
            checkpoint=inside,
            callback=callback,
            **options,
        )


def killed_after(n):
    seen = []

    def callback(restart, state):
        seen.append(restart)
        if len(seen) == n:
            raise KilledError

    return callback


def counting(seen):
    return lambda restart, state: seen.append(restart)


def assert_same_bits(first, second):
    for name in ("objective", "misfit", "status", "optimality", "n_iter", "n_products", "seed", "best"):
        assert getattr(first, name) == getattr(second, name), name
    for name in ("trace", "scale", "factor"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name), err_msg=name)
    np.testing.assert_array_equal(first.membership.matrix, second.membership.matrix)
    np.testing.assert_array_equal(first.membership.labels, second.membership.labels)
    assert len(first.restarts) == len(second.restarts)
    for a, b in zip(first.restarts, second.restarts):
        for field in dataclasses.fields(Restart):
            if field.name != "seconds":
                np.testing.assert_array_equal(getattr(a, field.name), getattr(b, field.name), err_msg=field.name)


# What is resumed


@quiet
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("solver", "objective"), EVERY)
def test_every_solver_goes_on_to_the_same_bits(solver, objective, weighted, tmp_path):
    weights = np.random.default_rng(5).integers(1, 4, 40).astype(float) if weighted else None
    given = {"solver": Solver.registry[solver](), "objective": Objective.registry[objective](), "weights": weights}
    steps = []
    whole = run(**given, callback=counting(steps))
    total = len(steps)
    for share in (0.3, 0.8):
        killed = max(1, int(share * total))
        folder = tmp_path / f"{share}"
        with pytest.raises(KilledError):
            run(folder, **given, callback=killed_after(killed))
        steps = []
        resumed = run(folder, **given, callback=counting(steps))
        assert_same_bits(whole, resumed)
        # Every step was written but the one that the kill came after: that one alone is done again.
        assert len(steps) == total - killed + 1
        assert not folder.exists()


@quiet
@pytest.mark.parametrize("solver", ["projected-gradient", "subspace", "block-coordinate"])
def test_what_two_threads_left_on_disk_goes_on_to_the_same_bits(solver, tmp_path):
    matrix = np.where(noisy_blocks(300, 4) > 0.1, noisy_blocks(300, 4), 0.0)
    given = {"P": SparseAffinity(sp.csr_array(matrix)), "solver": Solver.registry[solver](), "K": 4, "n_jobs": 2}
    given |= {"objective": PerClusterObjective(), "n_init": 4, "max_iter": 30, "tol": 1e-12}
    folder, steps = tmp_path / "checkpoint", []
    moments = (5, 19)
    snapshots = [tmp_path / f"{n}" for n in moments]

    def snapshot(restart, state):  # what a kill at this moment would leave
        steps.append(restart)
        if len(steps) in moments:
            goal = tmp_path / f"{len(steps)}"
            goal.mkdir()
            for file in sorted(folder.iterdir()):
                with suppress(FileNotFoundError):  # replaced by a finished one just now
                    shutil.copy(file, goal)

    whole = run(folder, **given, callback=snapshot)
    total = len(steps)
    assert not any("could not be written" in note for note in whole.notes)
    assert_same_bits(run(**given), whole)
    for taken in snapshots:
        (taken / LOCK).unlink()
        steps = []
        resumed = run(taken, **given, callback=counting(steps))
        assert_same_bits(whole, resumed)
        assert 0 < len(steps) < total
        assert resumed.notes[0].startswith("resumed from a checkpoint: of 4 restarts ")


@quiet
def test_many_threads_write_beside_one_another(tmp_path):
    given = {"n_init": 24, "max_iter": 10, "n_jobs": 8, "tol": 1e-12}
    result = run(tmp_path / "c", **given)
    assert result.notes == ()
    assert_same_bits(run(**given), result)


@quiet
def test_pair_weights_and_solver_options_and_spectral_starts_are_resumed(tmp_path):
    i, j = np.triu_indices(40, 1)
    chosen = np.random.default_rng(1).random(len(i)) < 0.1
    omega = np.random.default_rng(2).integers(0, 4, chosen.sum()).astype(float)
    P = WeightedAffinity(DenseAffinity(noisy_blocks(40, 3)), i[chosen], j[chosen], omega)
    columns = ProjectedNewton("columns")
    cases = [
        ({"P": P, "solver": ProjectedGradient(growth=3.0)}, 4),
        ({"P": P, "solver": BlockCoordinateDescent("cyclic")}, 4),
        ({"solver": columns, "objective": SymNMFObjective()}, 30),
        ({"solver": SubspaceMajorization(memory=2), "start": ["spectral", "kmeans"]}, 5),
        ({"start": [np.arange(40) % 3, np.random.default_rng(0).dirichlet(np.ones(3), 40)]}, 30),
    ]
    for number, (given, killed) in enumerate(cases):
        whole, folder = run(**given), tmp_path / f"{number}"
        with pytest.raises(KilledError):
            run(folder, **given, callback=killed_after(killed))
        assert_same_bits(whole, run(folder, **given))


@quiet
def test_ties_are_broken_as_they_would_have_been(tmp_path):
    matrix = noisy_blocks(40, 3)
    matrix[:12], matrix[:, :12] = 0.0, 0.0  # twelve items without evidence: their memberships are uniform, labels drawn
    given = {"P": DenseAffinity(matrix), "objective": SymNMFObjective(), "n_init": 2}
    whole = run(**given)
    tied = whole.restarts[0].labels[:12]
    assert len(set(tied.tolist())) > 1
    assert not np.array_equal(tied, whole.restarts[1].labels[:12])
    with pytest.raises(KilledError):
        run(tmp_path / "c", **given, callback=killed_after(6))
    assert_same_bits(whole, run(tmp_path / "c", **given))


@quiet
def test_without_a_seed_the_streams_of_the_first_process_go_on(tmp_path):
    folder = tmp_path / "c"
    with pytest.raises(KilledError):
        run(folder, seed=None, callback=killed_after(30), keep=True)
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    first, second = run(folder, seed=None), run(copy, seed=None)
    assert_same_bits(first, second)  # restart 2 had not begun in either
    assert not np.array_equal(run(seed=None).restarts[2].trace, run(seed=None).restarts[2].trace)


@quiet
def test_where_memory_is_short_the_best_membership_of_earlier_processes_counts(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[drive.__module__], "KEEP_SHARE", 1e-15)
    whole = run(n_init=5)
    for killed in (20, 65):
        folder = tmp_path / f"{killed}"
        with pytest.raises(KilledError):
            run(folder, n_init=5, callback=killed_after(killed))
        resumed = run(folder, n_init=5)
        assert all(restart.membership is None for restart in resumed.restarts)
        assert_same_bits(whole, resumed)


@quiet
@pytest.mark.parametrize("package", ["torch", "array_api_strict"])
def test_states_of_another_package_come_back_as_that_packages_arrays(package, tmp_path):
    xp = pytest.importorskip(package, reason=f"{package} is not installed")
    P = DenseAffinity(xp.asarray(noisy_blocks(40, 3)))
    kinds = []

    def callback(restart, state):
        kinds.append(type(state.point.W))
        if len(kinds) == 20:
            raise KilledError

    whole = run(P=P)
    with pytest.raises(KilledError):
        run(tmp_path / "c", P=P, callback=callback)
    resumed = run(tmp_path / "c", P=P, callback=lambda restart, state: kinds.append(type(state.point.W)))
    assert set(kinds) == {type(xp.asarray(1.0))}
    assert_same_bits(whole, resumed)


@pytest.mark.posix("signals")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_fit_killed_by_the_system_goes_on_to_the_same_bits(n_jobs, tmp_path):
    program = tmp_path / "fit.py"
    program.write_text(
        textwrap.dedent(
            """
            import sys, time, warnings
            import numpy as np
            from sklearn.exceptions import ConvergenceWarning
            from partita import SoF
            from partita.solvers import Checkpoint, ProjectedGradient

            warnings.simplefilter("ignore", ConvergenceWarning)
            steps = []

            class Slow(ProjectedGradient):
                name = "slow"  # some seconds, on any machine

                def step(self, problem, state):
                    steps.append(1)
                    time.sleep(0.02)
                    return super().step(problem, state)

            goal, n_jobs, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
            X = np.random.default_rng(0).normal(size=(400, 3))
            checkpoint = Checkpoint(folder[0], seconds=0.05) if folder else None
            model = SoF(6, solver=Slow(), n_init=3, random_state=1, tol=1e-12, max_iter=30, n_jobs=n_jobs,
                        checkpoint=checkpoint).fit(X)
            result = model.result_
            found = {"W": model.membership_, "labels": model.labels_, "trace": result.trace, "scale": result.scale}
            for r, restart in enumerate(result.restarts):
                found |= {f"trace{r}": restart.trace, f"labels{r}": restart.labels, f"W{r}": restart.membership,
                          f"counts{r}": np.array([restart.n_iter, restart.n_products])}
            numbers = [model.objective_, result.misfit, result.optimality, model.n_iter_, model.n_products_]
            np.savez(goal, steps=len(steps), numbers=np.array(numbers), earlier=result.earlier_seconds, **found)
            """
        )
    )
    folder = tmp_path / "checkpoint"
    call = [sys.executable, str(program)]
    with subprocess.Popen([*call, str(tmp_path / "killed"), str(n_jobs), str(folder)]) as process:
        try:
            until = time.monotonic() + 120
            while not (list(folder.glob("finished-*")) and list(folder.glob("unfinished-*.safetensors"))):
                assert process.poll() is None, "it ended before it could be killed"
                assert time.monotonic() < until
                time.sleep(0.01)
            time.sleep(0.3)
        finally:
            process.kill()
    assert process.returncode == -signal.SIGKILL
    assert not (tmp_path / "killed.npz").exists()
    assert (folder / LOCK).exists()  # of a dead process
    for name, more in (("resumed", [str(folder)]), ("whole", [])):
        subprocess.run([*call, str(tmp_path / name), str(n_jobs), *more], check=True, timeout=300)
    resumed, whole = np.load(tmp_path / "resumed.npz"), np.load(tmp_path / "whole.npz")
    assert set(resumed.files) == set(whole.files)
    for name in whole.files:
        if name not in ("steps", "earlier"):
            np.testing.assert_array_equal(resumed[name], whole[name], err_msg=name)
    iterations = [int(whole[f"counts{r}"][0]) for r in range(3)]
    assert whole["steps"] == sum(iterations)
    # One restart was finished before the kill, and another one stood at some iteration.
    assert 0 < resumed["steps"] < sum(iterations) - min(iterations)
    assert resumed["earlier"] > 0.02 * min(iterations)
    assert whole["earlier"] == 0.0
    assert not folder.exists()


# When it is written, kept and removed


@quiet
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_time_limit_keeps_the_checkpoint_and_a_later_fit_ends_with_the_bits_of_one(n_jobs, tmp_path, monkeypatch):
    folder, whole = tmp_path / "c", run(tol=1e-12)
    calls, seconds = 0, []
    while calls == 0 or folder.exists():
        calls += 1
        # Too short for a step, but for the one that a resumed restart takes in any case; and then long enough.
        result = run(folder, tol=1e-12, seconds=1e6, max_seconds=1e-6 if calls < 9 else 1e3, n_jobs=n_jobs)
        seconds.append(result.seconds)
        if calls < 9:
            assert {restart.n_iter for restart in result.restarts} == {calls - 1}
        if folder.exists():
            assert result.notes[-1] == "the checkpoint is kept: the same fit goes on from it"
            assert result.status == "max_seconds" or len(result.restarts) == 3
        assert calls < 100
    assert_same_bits(whole, result)
    assert calls == 9
    assert np.all(np.diff(seconds) > 0)  # they add up over the processes
    assert result.earlier_seconds == seconds[-2]


@quiet
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_short_calls_get_on_where_earlier_ones_finished_a_restart(n_jobs, tmp_path):
    def killed(restart, state):
        if restart == 1:
            raise KilledError

    folder, whole = tmp_path / "c", run()
    with pytest.raises(KilledError):
        run(folder, callback=killed)
    for _ in range(3):  # in each the first restart that is left takes a step, over as its time is
        before = sorted(restart.n_iter for restart in run(folder, max_seconds=1e-6, n_jobs=n_jobs).restarts)
        after = sorted(restart.n_iter for restart in run(folder, max_seconds=1e-6, n_jobs=n_jobs).restarts)
        assert sum(after) > sum(before)
    assert_same_bits(whole, run(folder, n_jobs=n_jobs))


@pytest.mark.parametrize("on_interrupt", ["raise", "best"])
def test_an_interrupt_writes_the_checkpoint_before_it_leaves(on_interrupt, tmp_path):
    def interrupt(restart, state):
        seen.append(restart)
        if len(seen) == 7:
            raise KeyboardInterrupt

    folder, seen = tmp_path / "c", []
    options = {"seconds": 1e6, "tol": 1e-12, "max_iter": 200}  # never due by itself
    if on_interrupt == "raise":
        with pytest.raises(KeyboardInterrupt):
            run(folder, callback=interrupt, **options)
    else:
        result = run(folder, callback=interrupt, on_interrupt="best", **options)
        assert (result.status, result.n_iter) == ("interrupted", 7)
    assert sorted(file.name for file in folder.iterdir()) == [
        "fit.safetensors",
        "seconds.json",
        "unfinished-0.safetensors",
    ]
    steps = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        resumed = run(folder, callback=counting(steps), **options)
        whole = run(**options)
    assert_same_bits(whole, resumed)
    assert len(steps) == sum(restart.n_iter for restart in whole.restarts) - 7


@pytest.mark.posix("signals")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_in_the_middle_of_a_step_leaves_a_whole_state(n_jobs, tmp_path):
    program = f"""
        import sys
        import numpy as np
        from partita.affinity import DenseAffinity
        from partita.objectives import Problem, SoFObjective
        from partita.solvers import Checkpoint, ProjectedGradient, Starts, drive, opened

        half = np.random.default_rng(0).random((500, 500))
        P = DenseAffinity((half + half.T) / 2)

        def callback(restart, state):
            if len(told) < 40:
                told.append(restart)
                if len(told) == 40:
                    print("running", flush=True)

        def fit(folder, **options):
            with opened(folder) as checkpoint:
                return drive(Problem(P, SoFObjective()), ProjectedGradient(), Starts(P, 4), "dirichlet", n_init=4,
                             seed=0, max_iter=1000, tol=0.0, n_jobs={n_jobs}, checkpoint=checkpoint, **options)

        told, folder = [], sys.argv[1]
        try:
            fit(folder, callback=callback)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        a, b = fit(folder), fit(None)
        for x, y in zip(a.restarts, b.restarts, strict=True):
            assert np.array_equal(x.trace, y.trace) and np.array_equal(x.factor, y.factor), "other bits"
            assert x.n_products == y.n_products and np.array_equal(x.labels, y.labels), "other counts"
        print(a.notes[0])
    """
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(program), str(tmp_path / "c")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout.readline() == "running\n"
            os.kill(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=300)
        finally:
            process.kill()
    assert process.returncode == 0, err
    stood = "where it stood" if n_jobs == 1 else "where they stood"
    assert out == f"interrupted\nresumed from a checkpoint: of 4 restarts {n_jobs} went on {stood}\n"


def test_a_checkpoint_that_is_kept_gives_the_answer_again_without_a_step(tmp_path):
    folder, steps = tmp_path / "c", []
    given = {"tol": 1e-3, "max_iter": 1000, "keep": True}
    first = run(folder, **given)
    assert first.status == "converged"
    assert sorted(file.name for file in folder.iterdir()) == [
        *(f"finished-{r}.safetensors" for r in range(3)),
        "fit.safetensors",
        "seconds.json",
    ]
    second = run(folder, **given, callback=counting(steps))
    assert_same_bits(first, second)
    assert steps == []
    assert second.notes[0] == "resumed from a checkpoint: of 3 restarts 3 were finished"
    Checkpoint(folder).remove()
    assert not folder.exists()
    Checkpoint(folder).remove()  # nothing to do


def test_an_error_keeps_the_checkpoint_and_a_refused_input_leaves_no_folder(tmp_path):
    with pytest.raises(KilledError):
        run(tmp_path / "c", callback=killed_after(3))
    assert (tmp_path / "c" / "fit.safetensors").exists()
    model = SoF(3, checkpoint=tmp_path / "new")
    with pytest.raises(InputError):
        model.fit(np.full((5, 2), np.nan))
    with pytest.raises(InputError):
        model.fit(np.ones((5, 2)))  # one distinct item
    assert not (tmp_path / "new").exists()


@quiet
def test_writing_takes_a_small_share_of_the_time(tmp_path, monkeypatch):
    class Clock:
        now = 0.0

        @classmethod
        def monotonic(cls):
            return cls.now

    spent, sizes = [], []

    def slow(path, tree):
        write_tree(path, tree)
        if isinstance(tree, Unfinished):
            Clock.now += 3.0
            spent.append(3.0)
            sizes.append(len(tree.trace))

    monkeypatch.setattr(checkpoint_module, "time", Clock)
    monkeypatch.setattr(checkpoint_module, "write_tree", slow)

    def tick(restart, state):
        Clock.now += 1.0

    # 3,000 iterations of a second, a checkpoint that may be due every one of them and takes three
    W = np.random.default_rng(0).dirichlet(np.ones(3), 40)
    given = {"solver": BaumEagon(), "start": W, "n_init": 1, "tol": 0.0, "callback": tick}
    monkeypatch.setattr(checkpoint_module, "SHARE", 0.02)
    result = run(tmp_path / "c", **given, max_iter=3000, seconds=1.0)
    assert result.n_iter == 3000
    assert len(spent) > 5
    assert sum(spent) <= 0.03 * Clock.now
    # and where it takes nothing it is written as often as was asked for
    sizes.clear()
    monkeypatch.setattr(checkpoint_module, "write_tree", lambda path, tree: sizes.append(1))
    run(tmp_path / "d", **given, max_iter=300, seconds=10.0)
    assert len(sizes) == 2 + 300 // 10  # the fit's own file, and the end of the restart


@quiet
def test_a_full_disk_does_not_end_the_fit(tmp_path, monkeypatch):
    whole, calls = run(), []

    def full(path, tree):
        calls.append(path.name)
        if len(calls) == 4:
            raise OSError(28, "No space left on device")
        write_tree(path, tree)

    monkeypatch.setattr(checkpoint_module, "write_tree", full)
    result = run(tmp_path / "c")
    assert_same_bits(whole, result)
    assert (
        "the checkpoint could not be written ([Errno 28] No space left on device); the fit went on without"
        in result.notes
    )
    assert len(calls) > 45


@quiet
def test_a_kill_in_the_middle_of_writing_leaves_the_checkpoint_before(tmp_path, monkeypatch):
    folder, whole = tmp_path / "c", run()
    for moment in ("save_file", "fsync", "replace"):
        calls, place = [], serialization if moment == "save_file" else os
        original = getattr(place, moment)

        def dies(*arguments, original=original, calls=calls, cut=moment == "save_file", **options):
            calls.append(1)
            if len(calls) == 9:
                if cut:  # half of the file is there, under its name or that which safetensors gives it first
                    arguments[1].write_bytes(b"\x10\0\0\0")
                    arguments[1].with_name(".tmpIj9fzv").write_bytes(b"\x10\0\0\0")
                raise KilledError
            return original(*arguments, **options)

        with monkeypatch.context() as patch:
            patch.setattr(place, moment, dies)
            with pytest.raises(KilledError):
                run(folder)
        assert list(folder.glob("*.partial"))
        copy = tmp_path / moment
        shutil.copytree(folder, copy)
        assert_same_bits(whole, run(copy))
        assert not copy.exists()  # the cut file too


# What is refused


@quiet
def test_another_fit_is_refused_with_what_differs_and_the_checkpoint_stays(tmp_path):
    folder = tmp_path / "c"
    weights = np.random.default_rng(5).integers(1, 4, 40).astype(float)
    given = {"weights": weights}
    with pytest.raises(KilledError):
        run(folder, **given, callback=killed_after(20))
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    matrix = noisy_blocks(40, 3)
    matrix[7, 11] *= 1 + 1e-6
    matrix[11, 7] = matrix[7, 11]
    holes = WeightedAffinity(
        DenseAffinity(np.where(noisy_blocks(40, 3) > 0.31, noisy_blocks(40, 3), 0.0)), [0], [1], [0.0]
    )
    more = weights.copy()
    more[3] += 1.0
    others = [
        ({"seed": 4}, "seed .*3 .*4"),
        ({"n_init": 4}, "n_init .*3 .*4"),
        ({"max_iter": 26}, "max_iter .*15 .*26"),
        ({"tol": 1e-8}, "tol .*1e-09 .*1e-08"),
        ({"K": 4}, "n_clusters .*3 .*4"),
        ({"objective": PerClusterObjective()}, "objective .*'sof.*'per_cluster"),
        ({"solver": ProjectedGradient(growth=3.0)}, r"solver .*growth=2\.0.*growth=3\.0"),
        ({"solver": SubspaceMajorization()}, "solver .*'projected-gradient.*'subspace"),
        ({"start": "spectral"}, r"start .*\['dirichlet'\] .*\['spectral'\]"),
        ({"start": np.arange(40) % 3}, r"start .*\['dirichlet'\] .*\['array "),
        ({"weights": None}, "item weights .*'array .*None"),
        ({"weights": more}, "item weights .*'array .*'array"),
        ({"P": holes}, "pair weights .*None"),
        ({"P": DenseAffinity(matrix)}, "affinity .*item 7"),
        ({"P": DenseAffinity(noisy_blocks(41, 3))} | {"weights": None}, "n_items .*40 .*41"),
        ({"seed": 4, "tol": 0.5}, "seed .*3 .*4; tol .*1e-09 .*0.5"),
    ]
    for changes, message in others:
        with pytest.raises(InputError, match=message):
            run(folder, **(given | changes))
        assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    # What may differ: time limits, threads, the kind of the affinity's storage as far as products agree.
    sparse = SparseAffinity(sp.csr_array(noisy_blocks(40, 3)))
    result = run(folder, **given, P=sparse, n_jobs=2, max_seconds=1e6)
    assert result.notes[0].startswith("resumed from a checkpoint")


def test_another_version_is_refused(tmp_path, monkeypatch):
    with pytest.raises(KilledError):
        run(tmp_path / "c", callback=killed_after(3))
    with monkeypatch.context() as patch:
        patch.setattr(serialization, "VERSION", serialization.VERSION + 1)
        with pytest.raises(InputError, match="version 1"):
            run(tmp_path / "c")
    with monkeypatch.context() as patch:
        patch.setattr(metadata, "version", lambda name: "999.0")
        with pytest.raises(InputError, match=r"'999\.0'"):
            run(tmp_path / "c")


@pytest.mark.parametrize("name", ["fit", "unfinished-1", "finished-0"])
def test_a_corrupt_file_is_named(name, tmp_path):
    folder = tmp_path / "c"
    with pytest.raises(KilledError):
        run(folder, callback=killed_after(25))
    path = folder / f"{name}.safetensors"
    whole = path.read_bytes()
    header = int.from_bytes(whole[:8], "little")
    flipped = bytearray(whole)
    flipped[8 + header + 11] ^= 4
    cases = {
        "cut": whole[: len(whole) // 2],
        "empty": b"",
        "other": b"this is no safetensors file at all",
        "flipped": bytes(flipped),
        "too long": whole + b"0",
    }
    for content in cases.values():
        path.write_bytes(content)
        with pytest.raises(InputError, match=rf"{name}\.safetensors"):
            run(folder)
    path.write_bytes(whole)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert_same_bits(run(), run(folder))


@dataclasses.dataclass(frozen=True)
class Trap:
    """A dataclass that is loaded, but not one of ours."""

    point: object = None
    optimality: object = None
    memory: object = None
    stalled: object = None

    def __post_init__(self):
        raise AssertionError("the file had this made")


def rewritten(path, change):
    """The file with another tree in its header, as a program of ill will would write it."""
    with safe_open(path, framework="numpy") as file:
        text = json.loads(file.metadata()["partita"])
    change(text)
    save_file(load_file(path), path, metadata={"partita": json.dumps(text)})


def test_a_file_names_no_class_but_dataclasses_of_partita(tmp_path):
    folder = tmp_path / "c"
    with pytest.raises(KilledError):
        run(folder, callback=killed_after(3))
    path = folder / "unfinished-0.safetensors"
    whole = path.read_bytes()
    for name in (
        "subprocess:Popen",
        f"{__name__}:Trap",
        "os:system",
        "partita.solvers.base:os",
        "partita.solvers.serialization:Path",
        "partita.affinity.dense:DenseAffinity",
        "partita.nowhere:State",
        "partita.solvers.base:Nothing",
        "partita.solvers.serialization:json.JSONDecoder",
    ):

        def change(text, name=name):
            text["tree"]["fields"]["state"]["class"] = name

        rewritten(path, change)
        with pytest.raises(InputError, match=f"unfinished.*{re.escape(name)}"):
            run(folder)
        path.write_bytes(whole)
    rewritten(path, lambda text: text["tree"]["fields"]["state"]["fields"].pop("optimality"))
    with pytest.raises(InputError, match=r"unfinished.*'optimality'"):
        run(folder)
    rewritten(path, lambda text: text.update(tree={"tuple": []}))
    with pytest.raises(InputError, match=r"unfinished-\d\.safetensors"):
        run(folder)


def test_a_folder_with_other_files_is_refused_and_an_empty_one_taken(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("x")
    with pytest.raises(InputError, match=r"thesis\.tex"):
        run(tmp_path / "mine")
    assert [file.name for file in (tmp_path / "mine").iterdir()] == ["thesis.tex"]
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match=r"\bfile\b"):
        run(tmp_path / "file")
    (tmp_path / "empty").mkdir()
    run(tmp_path / "empty", tol=1e-2, max_iter=1000)
    with pytest.raises(InputError, match="seconds=-1"):
        Checkpoint(tmp_path, seconds=-1)
    # what a removal that was cut short leaves is no checkpoint, and no other file either
    (tmp_path / "left").mkdir()
    (tmp_path / "left" / "finished-0.safetensors").write_bytes(b"")
    assert run(tmp_path / "left", tol=1e-2, max_iter=1000).notes == ()


def test_two_fits_do_not_share_a_folder(tmp_path):
    with opened(tmp_path / "c"), pytest.raises(InputError, match=r"\bc\b.*folder"):
        run(tmp_path / "c")
    with opened(tmp_path / "c"), pytest.raises(InputError, match=r"\bc\b.*folder"):
        Checkpoint(tmp_path / "c").remove()


def test_a_solver_whose_state_cannot_be_written_is_named_at_once(tmp_path):
    @dataclasses.dataclass(frozen=True)
    class Mine:
        x: float

    class Own(ProjectedGradient):
        name = "own"

        def start(self, problem, W):
            state = super().start(problem, W)
            return State(state.point, state.optimality, Mine(1.0))

    try:
        with pytest.raises(InputError, match=r"test_checkpoint:.*Mine"):
            run(tmp_path / "c", solver=Own(), seconds=1e6)
    finally:
        del Solver.registry["own"]


def test_what_the_problem_determines_is_left_out(tmp_path):
    P = DenseAffinity(noisy_blocks(200, 3))
    with pytest.raises(KilledError):
        run(tmp_path / "c", P=P, solver=BlockCoordinateDescent(), callback=killed_after(3))
    size = (tmp_path / "c" / "unfinished-0.safetensors").stat().st_size
    assert size < 8 * 200**2 / 4  # no copy of P: a few N x K arrays


# Estimators


def table(n=240, seed=0):
    X, _ = blobs(n, 4, apart=3.0, at=diagonal, seed=seed)
    return np.concatenate([X, X[:30]])


def interrupted(monkeypatch, after):
    """Let the driver's callback kill the fit after some iterations: estimators hand none in."""
    module = sys.modules["partita.estimators.pipeline"]

    def killing(*arguments, checkpoint=None, **options):  # the fits that calibration makes have none
        return drive(*arguments, checkpoint=checkpoint, callback=checkpoint and killed_after(after), **options)

    monkeypatch.setattr(module, "drive", killing)


GRAPH = {"affinity": "neighbors", "probabilities": "fitted", "random_state": 0}
FITS = {
    "sof": (lambda **o: SoF(4, n_init=3, random_state=0, **o), {}),
    "soft": (lambda **o: SoftClustering(4, start="dirichlet", n_init=2, **GRAPH, **o), {}),
    "calibrated": (
        lambda **o: SoftClustering(
            4, **{**GRAPH, "probabilities": "calibrated", "start": "dirichlet", "n_init": 2, **o}
        ),
        {},
    ),
    "links": (
        lambda **o: SoftClustering(4, start="dirichlet", n_init=2, **GRAPH, **o),
        {"must_link": [[0, 4], [8, 12]], "cannot_link": [[1, 2], [3, 5]]},
    ),
    "weights": (lambda **o: SoF(4, n_init=3, random_state=0, **o), {"sample_weight": np.arange(270) % 3}),
    "symnmf": (lambda **o: partita.SymNMF(4, n_init=3, random_state=0, **o), {}),
    "copositive": (lambda **o: partita.CopositiveFactorization(4, n_init=3, random_state=0, **o), {}),
    "baum-eagon": (lambda **o: partita.BaumEagon(4, n_init=3, max_iter=40, random_state=0, **o), {}),
    "kernel-kmeans": (lambda **o: partita.KernelKMeans(4, start="dirichlet", n_init=3, random_state=0, **o), {}),
}


@quiet
@pytest.mark.parametrize("name", sorted(FITS))
def test_every_estimator_goes_on_to_the_same_answer(name, tmp_path, monkeypatch):
    make, known = FITS[name]
    X, folder = table(), tmp_path / "c"
    if name == "calibrated":
        make = lambda **o: FITS[name][0](random_state=0, **o)  # noqa: E731
    whole = make().fit(X, **known)
    total = sum(restart.n_iter for restart in whole.result_.restarts)
    assert total > 4
    with monkeypatch.context() as patch:
        interrupted(patch, total // 2)
        with pytest.raises(KilledError):
            make(checkpoint=Checkpoint(folder, seconds=0)).fit(X, **known)
    resumed = make(checkpoint=folder).fit(X, **known)
    np.testing.assert_array_equal(whole.membership_, resumed.membership_)
    np.testing.assert_array_equal(whole.labels_, resumed.labels_)
    assert whole.objective_ == resumed.objective_
    assert_same_bits(whole.result_, resumed.result_)
    assert resumed.result_.notes[0].startswith("resumed from a checkpoint")
    assert not folder.exists()


@quiet
def test_a_kill_after_the_factorization_does_not_cost_it(tmp_path, monkeypatch):
    module, folder, X = sys.modules["partita.estimators.pipeline"], tmp_path / "c", table()
    make = FITS["calibrated"][0]
    whole = make(random_state=0).fit(X)

    def dies(*arguments, **options):
        raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr(module, "_calibrated", dies)
        with pytest.raises(KilledError):
            make(random_state=0, checkpoint=folder).fit(X)
    assert folder.exists()
    with monkeypatch.context() as patch:
        interrupted(patch, 1)  # a single step of the factorization would kill it
        resumed = make(random_state=0, checkpoint=folder).fit(X)
    np.testing.assert_array_equal(whole.membership_, resumed.membership_)
    assert not folder.exists()


@quiet
def test_another_table_is_refused(tmp_path, monkeypatch):
    X = table()
    with monkeypatch.context() as patch:
        interrupted(patch, 5)
        with pytest.raises(KilledError):
            SoF(4, random_state=0, checkpoint=str(tmp_path / "c")).fit(X)
    X = X.copy()
    X[100, 1] += 1e-3
    with pytest.raises(InputError, match="affinity"):
        SoF(4, random_state=0, checkpoint=str(tmp_path / "c")).fit(X)


def test_the_parameter_is_one_of_scikit_learns_kind(tmp_path):
    checkpoint = Checkpoint(tmp_path / "c", seconds=5.0)
    model = SoF(3, checkpoint=checkpoint)
    assert clone(model).checkpoint == checkpoint
    assert SoF(3, checkpoint="c").get_params()["checkpoint"] == "c"
    with pytest.raises(ValueError, match="'checkpoint'"):
        SoF(3, checkpoint=3).fit(table())
    model.fit(table())
    partita.save(model, tmp_path / "model")
    assert str(tmp_path) not in (tmp_path / "model" / "model.json").read_text()
    assert partita.load(tmp_path / "model").checkpoint is None
