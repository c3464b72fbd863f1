"""The engine: order and threads of outcomes, the clock, Ctrl-C, errors, and a caller that has enough."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import joblib
import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from partita.errors import InputError
from partita.pace import Progressing
from partita.runs import Runs, Stopped, count_jobs

some_jobs = pytest.mark.parametrize("jobs", [1, 2, 3, 8])
PATIENCE = 30.0


def until_told(runs):
    """Work until the engine says stop, as a task does that asks between its steps."""
    end = time.monotonic() + PATIENCE
    while runs.stops() is None:
        assert time.monotonic() < end
        time.sleep(1e-3)
    return runs.stops()


@some_jobs
def test_outcomes_come_in_the_order_of_their_tasks_whichever_ends_first(jobs):
    def work(n):
        time.sleep(0.02 * (n % 3 == 0))
        return n * n

    assert list(Runs(jobs).each(work, range(7))) == [n * n for n in range(7)]
    assert list(Runs(jobs).each(lambda n: None, range(3))) == [None] * 3  # None is an outcome as any other
    assert list(Runs(jobs).each(work, [])) == []


def test_as_many_tasks_run_at_a_time_as_there_are_jobs():
    together = threading.Barrier(3, timeout=PATIENCE)
    list(Runs(3).each(lambda _: together.wait(), range(6)))  # would not return with fewer
    running, most, guard = set(), [], threading.Lock()

    def work(n):
        with guard:
            running.add(n)
            most.append(len(running))
        time.sleep(2e-3)
        with guard:
            running.remove(n)

    list(Runs(3).each(work, range(12)))
    assert max(most) <= 3


@pytest.mark.parametrize("jobs", [1, 2])
def test_blas_has_one_thread_as_long_as_any_task_runs(jobs):
    """Its limit is the whole process's: a task that ends must not lift it for those that still run."""

    def blas():
        return {entry["num_threads"] for entry in threadpool_info() if entry["user_api"] == "blas"}

    def work(n):
        begun.append(n)
        end = time.monotonic() + PATIENCE
        while n == 1 and len(begun) < 3 and time.monotonic() < end:
            time.sleep(1e-3)  # until the other thread has ended a task
        time.sleep(0.01)
        return blas()

    for _ in range(5):
        begun = []
        with threadpool_limits(2, user_api="blas"):
            before = blas()
            ended = list(Runs(jobs).each(work if jobs > 1 else lambda n: blas(), range(4)))
            assert blas() == before
        assert ended == [{1}] * 4


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_when_time_is_over_the_first_tasks_begin_and_the_others_do_not(jobs):
    begun = []
    runs = Runs(jobs, max_seconds=1e-9)
    assert list(runs.each(begun.append, range(6))) == [None] * jobs
    assert sorted(begun) == list(range(jobs))
    assert (runs.cut_short, runs.interrupted, runs.seconds_left) == ("max_seconds", False, 0.0)


@some_jobs
def test_running_tasks_are_told_that_time_is_over(jobs):
    runs = Runs(jobs, max_seconds=0.05)
    assert list(runs.each(lambda _: until_told(runs), range(9))) == ["max_seconds"] * jobs


def test_without_a_limit_nothing_stops():
    runs = Runs()
    assert (runs.stops(), runs.seconds_left, runs.cut_short) == (None, None, None)


@some_jobs
def test_outcomes_end_at_a_task_that_was_stopped(jobs):
    runs = Runs(jobs)

    def work(n):
        if n == 2:
            runs.interrupt()
            raise Stopped
        return n

    found = list(runs.each(work, range(6)))
    assert found == list(range(len(found)))
    assert len(found) <= 2


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("on_interrupt", ["raise", "best"])
def test_ctrl_c_that_a_task_hears_stops_the_others_and_is_told_at_the_end(jobs, on_interrupt):
    runs, found = Runs(jobs, on_interrupt=on_interrupt), []

    def work(n):
        if n == 0:
            try:
                raise KeyboardInterrupt
            except KeyboardInterrupt:
                runs.interrupt()
                return "best so far"
        return until_told(runs)

    def all_of_them():
        with runs:
            found.extend(runs.each(work, range(5)))

    if on_interrupt == "raise":
        with pytest.raises(KeyboardInterrupt):
            all_of_them()
    else:
        all_of_them()
    assert found in (["best so far"], ["best so far", "interrupted"])
    assert (runs.interrupted, runs.cut_short) == (True, "interrupted")


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_in_a_task_that_does_not_hear_it_is_heard_by_the_engine(jobs):
    runs, found = Runs(jobs, on_interrupt="best"), []

    def work(n):
        if n == 1:
            raise KeyboardInterrupt
        return n

    with runs:
        found.extend(runs.each(work, range(5)))
    assert (found, runs.interrupted) == ([0], True)


def test_ctrl_c_between_two_tasks_ends_the_block():
    runs, found = Runs(on_interrupt="best"), []
    with runs:
        for n in runs.each(abs, range(5)):
            found.append(n)
            if n == 1:
                raise KeyboardInterrupt
    assert (found, runs.interrupted) == ([0, 1], True)


@pytest.mark.posix("signals")
@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_a_real_ctrl_c_ends_every_task_and_their_outcomes_still_come(jobs):
    program = f"""
        import threading, time
        from partita.runs import Runs

        runs, begun = Runs({jobs}, on_interrupt="best"), threading.Semaphore(0)

        def work(n):
            begun.release()
            try:
                while runs.stops() is None:
                    time.sleep(1e-3)
            except KeyboardInterrupt:
                runs.interrupt()
            return n

        def announce():
            for _ in range({jobs}):
                begun.acquire()
            print("running", flush=True)

        threading.Thread(target=announce).start()
        with runs:
            print(list(runs.each(work, range(6))), flush=True)
        print(runs.cut_short)
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
    assert out == f"{list(range(jobs))}\ninterrupted\n"


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_an_error_in_a_task_is_raised_and_stops_the_others(jobs):
    runs, begun = Runs(jobs), []

    def work(n):
        begun.append(n)
        if n == jobs - 1:
            raise ArithmeticError("of the last of those that run")
        return until_told(runs)

    with pytest.raises(ArithmeticError), runs:
        list(runs.each(work if jobs > 1 else lambda n: work(0), range(20)))
    assert len(begun) <= jobs
    assert not runs.interrupted


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_a_caller_that_has_enough_breaks_off_and_the_next_tasks_run_again(jobs):
    runs, begun, ended = Runs(jobs), [], []

    def work(n):
        begun.append(n)
        found = n if n < 2 else until_told(runs)
        ended.append(n)
        return found

    for n in runs.each(work, range(50)):
        if n == 1:
            break
    assert sorted(begun) == sorted(ended)  # none of them runs on beside what comes next
    assert len(begun) <= 2 + jobs
    assert list(runs.each(abs, range(3))) == [0, 1, 2]
    assert runs.cut_short is None


def test_progress_is_told_the_seconds_that_are_left():
    told = []
    Runs(progress=told.append).tell("moving items")
    Runs(max_seconds=60.0, progress=told.append).tell(Progressing(0, 1, 2, 3, 0.5, False))
    Runs().tell("nobody listens")
    assert told[0] == "moving items"
    assert 0 < told[1].seconds_left <= 60.0
    assert told[1].iteration == 2
    assert len(told) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"n_jobs": 1.5}, "n_jobs=1.5"),
        ({"n_jobs": True}, "n_jobs=True"),
        ({"max_seconds": 0}, "max_seconds=0"),
        ({"max_seconds": float("nan")}, "max_seconds=nan"),
        ({"on_interrupt": "stop"}, "on_interrupt='stop'"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        Runs(**options)


def test_jobs_may_be_any_whole_number():
    assert count_jobs(np.int64(3)) == 3


def _halved_or_stopped(runs, n, where):
    (where / str(os.getpid())).touch()
    if n == 3:
        raise Stopped
    return n / 2, runs.seconds_left is None, runs.progress is None


def test_tasks_are_handed_to_other_processes_and_stopped_ones_left_out(tmp_path):
    runs = Runs(progress=print)
    with joblib.parallel_config("loky", n_jobs=2):
        assert runs.spreads
        found = dict(runs.spread(_halved_or_stopped, ((n, tmp_path) for n in range(5))))
    assert found == {n: (n / 2, True, True) for n in (0, 1, 2, 4)}
    assert str(os.getpid()) not in {file.name for file in tmp_path.iterdir()}
    assert not Runs(2).spreads


def test_when_time_is_over_only_the_first_tasks_begin_in_other_processes(tmp_path):
    runs = Runs(max_seconds=1e-9)
    with joblib.parallel_config("loky", n_jobs=2):
        found = dict(runs.spread(_halved_or_stopped, ((n, tmp_path) for n in range(5))))
    assert found == {n: (n / 2, False, True) for n in (0, 1)}
