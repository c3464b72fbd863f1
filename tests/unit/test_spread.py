"""Whole restarts handed to a joblib backend of several processes: the same bits, wherever they run."""

import dataclasses
import os
import warnings

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from partita import SoftClustering
from partita.affinity import DenseAffinity, SparseAffinity
from partita.errors import InputError
from partita.objectives import Problem, ScaledObjective, SoFObjective
from partita.runs import Runs
from partita.solvers import (
    BlockCoordinateDescent,
    Checkpoint,
    ProjectedGradient,
    Starts,
    SubspaceMajorization,
    drive,
    opened,
)
from partita.solvers import checkpoint as checkpoint_module
from partita.solvers.result import Restart
from synthetic import blobs, diagonal, noisy_blocks

quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
# Not "multiprocessing": it forks, and OpenMP (in scikit-learn's k-means) hangs in a fork of a process that has used it.
several = pytest.mark.parametrize("backend", ["loky"])


def run(P=None, solver=None, objective=None, *, checkpoint=None, start="dirichlet", **options):
    P = DenseAffinity(noisy_blocks(60, 3)) if P is None else P
    options = {"seed": 1, "n_init": 4, "max_iter": 30, "tol": 1e-9} | options
    problem = Problem(P, objective or SoFObjective())
    solver = solver or ProjectedGradient()
    with opened(checkpoint) as inside:
        return drive(problem, solver, Starts(P, 3), start, checkpoint=inside, **options)


def assert_same_bits(first, second):
    np.testing.assert_array_equal(first.membership.matrix, second.membership.matrix)
    np.testing.assert_array_equal(first.membership.labels, second.membership.labels)
    assert (first.objective, first.n_products, first.best) == (second.objective, second.n_products, second.best)
    assert len(first.restarts) == len(second.restarts)
    for a, b in zip(first.restarts, second.restarts):
        for field in dataclasses.fields(Restart):
            if field.name != "seconds":
                np.testing.assert_array_equal(getattr(a, field.name), getattr(b, field.name), err_msg=field.name)


class WhereAffinity(DenseAffinity):
    """Leaves the number of each process that multiplies by it in a folder."""

    def __init__(self, matrix, folder):
        super().__init__(matrix)
        self.folder = folder

    def __matmul__(self, W):
        (self.folder / str(os.getpid())).touch()
        return super().__matmul__(W)


@quiet
@several
def test_restarts_run_in_other_processes_and_have_the_same_bits(backend, tmp_path):
    sparse = SparseAffinity(sp.csr_array(np.where(noisy_blocks(300, 3) > 0.2, noisy_blocks(300, 3), 0.0)))
    cases = [
        {},
        {"P": sparse, "objective": ScaledObjective(), "start": ["spectral", "dirichlet", "kmeans"]},
        {"solver": SubspaceMajorization(), "start": [np.arange(60) % 3, "dirichlet"]},
        {"solver": BlockCoordinateDescent(), "n_init": 3},
    ]
    here = [run(**case) for case in cases]
    where = WhereAffinity(noisy_blocks(60, 3), tmp_path)
    with joblib.parallel_config(backend, n_jobs=2):
        assert Runs().spreads
        for case, expected in zip(cases, here):
            assert_same_bits(expected, run(**case))
        assert_same_bits(here[0], run(where))
    workers = {file.name for file in tmp_path.iterdir()} - {str(os.getpid())}
    assert len(workers) >= 1  # joblib may give a quick worker everything
    assert not Runs(2).spreads


def test_threads_and_single_jobs_stay_here(tmp_path):
    where = WhereAffinity(noisy_blocks(60, 3), tmp_path)
    for backend, n_jobs in (("threading", 2), ("sequential", 2), ("loky", 1)):
        with joblib.parallel_config(backend, n_jobs=n_jobs):
            assert not Runs().spreads
            run(where, tol=1e-2, max_iter=1000)
    with joblib.parallel_config("loky", n_jobs=2):
        run(where, tol=1e-2, max_iter=1000, n_jobs=1)  # what is asked for by name comes first
        run(where, tol=1e-2, max_iter=1000, n_init=1)  # one restart is not handed out
        with pytest.raises(InputError, match="n_jobs=0"):
            run(n_jobs=0)
    assert {file.name for file in tmp_path.iterdir()} == {str(os.getpid())}


@quiet
@several
def test_ends_of_restarts_are_told_and_single_iterations_are_not(backend):
    told, called = [], []
    with joblib.parallel_config(backend, n_jobs=2):
        result = run(progress=told.append, callback=lambda restart, state: called.append(restart))
    assert called == []
    assert sorted(at.restart for at in told) == [0, 1, 2, 3]
    for at in told:
        restart = result.restarts[at.restart]
        assert (at.done, at.iteration, at.optimality) == (True, restart.n_iter, restart.optimality)


@several
def test_what_goes_wrong_there_is_raised_here(backend):
    with joblib.parallel_config(backend, n_jobs=2), pytest.raises(InputError, match="59 labels"):
        run(start=np.zeros(59, dtype=int))


@quiet
@several
def test_a_time_limit_holds_there_and_what_was_left_goes_on_from_the_checkpoint(backend, tmp_path):
    whole = run(tol=1e-12, max_iter=200)
    folder = tmp_path / "c"
    with joblib.parallel_config(backend, n_jobs=2):
        result = run(tol=1e-12, max_iter=200, max_seconds=1e-6, checkpoint=folder)
        # The first two are begun whatever the time, and stopped before their first step; the others are dropped.
        assert result.status == "max_seconds"
        assert [restart.n_iter for restart in result.restarts] == [0, 0]
        assert len(list(folder.glob("unfinished-*"))) == 2
        again = run(tol=1e-12, max_iter=200, max_seconds=1e-6, checkpoint=folder)
        assert [restart.n_iter for restart in again.restarts] == [1, 1]  # one that was resumed takes a step
        assert_same_bits(whole, run(tol=1e-12, max_iter=200, checkpoint=folder))
    assert not folder.exists()


@quiet
@several
def test_what_threads_left_goes_on_in_other_processes(backend, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint_module, "SHARE", np.inf)

    class KilledError(Exception):
        pass

    def callback(restart, state):
        seen.append(restart)
        if len(seen) == 40:
            raise KilledError

    whole, seen = run(), []
    with pytest.raises(KilledError):
        run(checkpoint=Checkpoint(tmp_path / "c", seconds=0.0), callback=callback)
    assert sorted(file.name for file in (tmp_path / "c").glob("*finished*")) == [
        "finished-0.safetensors",
        "unfinished-1.safetensors",
    ]
    with joblib.parallel_config(backend, n_jobs=2):
        result = run(checkpoint=tmp_path / "c")
    assert_same_bits(whole, result)
    assert result.notes[0].endswith("of 4 restarts 1 was finished, and 1 went on where it stood")


@quiet
@several
def test_estimators_follow_the_backend(backend):
    rng = np.random.default_rng(0)
    X = blobs(120, apart=4.0, at=diagonal, seed=rng)[0]
    model = SoftClustering(3, start="dirichlet", n_init=3, random_state=0, affinity="neighbors", probabilities="fitted")
    expected = model.fit(X)
    with joblib.parallel_config(backend, n_jobs=2), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        other = SoftClustering(
            3, start="dirichlet", n_init=3, random_state=0, affinity="neighbors", probabilities="fitted"
        ).fit(X)
    assert_same_bits(expected.result_, other.result_)
