"""Limits on threads, one inside the other."""

from threading import Thread

import numpy as np
import pytest

from partita.kernels import threads
from partita.kernels.threads import available_cores, limit_threads, n_threads
from partita.nmf import factorize, nmf
from partita.solvers.restarts import on_threads


def test_a_limit_inside_another_does_not_raise_it():
    assert n_threads() == available_cores()
    with limit_threads(2):
        with limit_threads(5):
            assert n_threads() == 2
        with limit_threads(1):
            assert n_threads() == 1
        assert n_threads() == 2
    assert n_threads() == available_cores()


def test_a_thread_of_its_own_is_not_inside_the_limit_of_another():
    seen = []
    with limit_threads(1):
        thread = Thread(target=lambda: seen.append(n_threads()))
        thread.start()
        thread.join()
    assert seen == [available_cores()]


@pytest.mark.parametrize(("outside", "jobs", "each"), [(8, 2, 4), (2, 2, 1), (1, 3, 1)])
def test_restarts_on_threads_share_what_the_limit_outside_allows(outside, jobs, each):
    seen = []
    with limit_threads(outside):
        on_threads(lambda _: seen.append(n_threads()), range(4), lambda: False, jobs, lambda: None)
    assert seen == [each] * 4


@pytest.mark.parametrize(("outside", "jobs", "each"), [(8, 1, 8), (8, 2, 4), (1, 1, 1), (1, 2, 1)])
def test_a_factorization_keeps_to_the_limit_outside(outside, jobs, each, monkeypatch):
    monkeypatch.setattr(threads, "available_cores", lambda: 8)
    monkeypatch.setattr(factorize, "available_cores", lambda: 8)
    seen, real = [], factorize.run

    def spy(*given):
        seen.append(n_threads())
        return real(*given)

    monkeypatch.setattr(factorize, "run", spy)
    with limit_threads(outside):
        nmf(0.9 * np.eye(6) + 0.1, 2, n_init=2, max_iter=400, n_jobs=jobs)
    assert seen == [each] * 2
