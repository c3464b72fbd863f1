"""Limits on threads, one inside the other."""

import os
from threading import Thread

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from partita import SoF
from partita.kernels import threads
from partita.kernels.threads import available_cores, limit_threads, n_threads
from partita.nmf import factorize, nmf
from partita.runs import Runs, count_jobs
from partita.solvers import ProjectedGradient


def test_a_limit_inside_another_does_not_raise_it():
    assert n_threads() == available_cores()
    with limit_threads(2):
        with limit_threads(5):
            assert n_threads() == 2
        with limit_threads(1):
            assert n_threads() == 1
        assert n_threads() == 2
    assert n_threads() == available_cores()


def test_the_same_limit_inside_does_nothing_and_ends_with_the_outer_one(monkeypatch):
    def blas():
        return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]

    before = blas()
    with limit_threads(2):
        with monkeypatch.context() as patch:
            patch.setattr(threads, "_controller", None)  # libraries are not asked again
            with limit_threads(2):
                assert set(blas()) == {1}
        assert set(blas()) == {1}
    assert blas() == before


def test_a_thread_of_its_own_is_not_inside_the_limit_of_another():
    seen = []
    with limit_threads(1):
        thread = Thread(target=lambda: seen.append(n_threads()))
        thread.start()
        thread.join()
    assert seen == [available_cores()]


@pytest.mark.parametrize(("outside", "jobs", "each"), [(8, 2, 4), (2, 2, 1), (1, 3, 1)])
def test_tasks_on_threads_share_what_the_limit_outside_allows(outside, jobs, each):
    seen = []
    with limit_threads(outside):
        list(Runs(jobs).each(lambda _: seen.append(n_threads()), range(4)))
    assert seen == [each] * 4


@pytest.mark.parametrize(("outside", "jobs", "each"), [(8, 1, 8), (8, 2, 4), (1, 1, 1), (1, 2, 1)])
def test_a_factorization_keeps_to_the_limit_outside(outside, jobs, each, monkeypatch):
    monkeypatch.setattr(threads, "available_cores", lambda: 8)
    seen, real = [], factorize.iterate

    def spy(*given):
        seen.append(n_threads())
        return real(*given)

    monkeypatch.setattr(factorize, "iterate", spy)
    with limit_threads(outside):
        nmf(0.9 * np.eye(6) + 0.1, 2, n_init=2, max_iter=400, n_jobs=jobs)
    assert seen == [each] * 2


@pytest.mark.parametrize(("outside", "jobs", "each"), [(8, None, 8), (8, 2, 4), (1, 2, 1), (3, -1, 1), (4, -3, 2)])
def test_restarts_of_an_estimator_keep_to_the_limit_outside(outside, jobs, each, monkeypatch):
    monkeypatch.setattr(threads, "available_cores", lambda: 8)
    seen, real = [], ProjectedGradient.start

    def spy(self, *given):
        seen.append(n_threads())
        return real(self, *given)

    monkeypatch.setattr(ProjectedGradient, "start", spy)
    X = np.random.default_rng(0).normal(size=(30, 2))
    with limit_threads(outside):
        SoF(2, solver=ProjectedGradient(), start="dirichlet", n_init=4, n_jobs=jobs).fit(X)
    assert seen == [each] * 4


@pytest.mark.parametrize(("jobs", "expected"), [(None, 1), (5, 5), (-1, 3), (-2, 2), (-9, 1)])
def test_jobs_counted_from_the_end_are_counted_from_the_limit(jobs, expected, monkeypatch):
    monkeypatch.setattr(threads, "available_cores", lambda: 8)
    with limit_threads(3):
        assert count_jobs(jobs) == Runs(jobs).n_jobs == expected


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="one process has all cores")
def test_a_worker_beside_others_has_the_threads_that_it_is_given():
    """Nothing imports NumPy, which reads the variables once, before tests/conftest.py sets them."""
    blas = [pool["num_threads"] for pool in threadpool_info() if pool["internal_api"] == "openblas"]
    assert set(blas) <= {int(os.environ["OPENBLAS_NUM_THREADS"])}
