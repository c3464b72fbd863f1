"""Formulas inside compiled code: compiled once for a class, whatever its numbers. The oracle is Python's arithmetic."""

import os
import subprocess
import sys
from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher
from numba.core.event import install_recorder

from partita import SCAMS
from partita.kernels.partition_formula import add_rows, evaluated, for_kernels, for_rows
from partita.kernels.partition_moves import sweep
from partita.partition import search_partition
from partita.partition.losses import Binder, ConstantPotts, LowerBound, PartitionLoss, VariationOfInformation

DRAWS = np.random.default_rng(0).integers(3, size=(8, 12))
NOISE = np.random.default_rng(0).uniform(0.0, 0.2, (24, 24))
AFFINITY = 0.6 * np.kron(np.eye(3), np.ones((8, 8))) + NOISE + NOISE.T
SUMS = (7.0, 5.0, 3.0, 30.0, 8.0, 2.0)


class Linear(NamedTuple):
    a: float
    b: float

    def evaluate(self, u, v, w, t, n, K):
        return self.a * u - self.b * w


class Quotient(NamedTuple):
    a: float
    b: float

    def evaluate(self, u, v, w, t, n, K):
        return (self.a + v) / (self.b + K)


class Many(NamedTuple):
    a: float
    b: float
    c: float
    d: float

    def evaluate(self, u, v, w, t, n, K):
        return self.a * u + self.b * v + self.c * w + self.d * t


class ManyOthers(NamedTuple):
    a: float
    b: float
    c: float
    d: float

    def evaluate(self, u, v, w, t, n, K):
        return self.a * n + self.b * K + self.c * w + self.d * t


class Repeated(NamedTuple):
    times: int

    def evaluate(self, u, v, w, t, n, K):
        for _ in range(self.times):  # of a float there is no range
            u = u / n
        return u


OWN = [
    *(kind().formula for kind in PartitionLoss.registry.values()),
    # The same numbers, of different classes.
    *(loss.formula for loss in (Binder(1.0, "pairs"), ConstantPotts(1.0, 1.0), ConstantPotts(0.3, 0.2))),
    *(loss.formula for loss in (LowerBound("nats"), VariationOfInformation(1.0), VariationOfInformation(0.0))),
]
OTHERS = [Linear(1.0, 1.0), Linear(0.5, 0.25), Quotient(1.0, 1.0), Quotient(0.5, 0.25)]
WITH_ITS_OWN = [
    *(Many(1.0, 2.0, 3.0, 4.0), Many(1.0, 2.0, 3.0, 5.0), ManyOthers(1.0, 2.0, 3.0, 4.0)),
    *(Repeated(1), Repeated(3), Linear(1, 0.5)),
]


@numba.njit(error_model="numpy")
def in_a_kernel(formula, u, v, w, t, n, K):
    return evaluated(formula, u, v, w, t, n, K)


def test_the_compiled_formula_is_that_of_its_class_and_numbers_whatever_others_were_compiled():
    for made in (for_kernels, for_rows):
        for formula in (*OWN, *OTHERS, *WITH_ITS_OWN):
            assert in_a_kernel(made(formula), *SUMS) == formula.evaluate(*SUMS), formula


def test_rows_of_clusters_are_added_up_as_the_formula_says_of_each_draw_and_cluster():
    M, width, t, n = 5, 4, 30.0, 8.0
    rng = np.random.default_rng(0)
    by, v, w = rng.random((3, M))
    u, K = rng.random(width), np.arange(1.0, width + 1)
    more, at = rng.random(40), np.array([0, 7, 20, 3, 36])
    for formula in (*OWN, *OTHERS, *WITH_ITS_OWN):
        expected, out = np.zeros(width), np.zeros(width)
        for m, k in np.ndindex(M, width):
            expected[k] += by[m] * formula.evaluate(u[k], v[m], w[m] + more[at[m] + k], t, n, K[k])
        add_rows(for_rows(formula), by, u, v, w, more, at, t, n, K, out)
        np.testing.assert_array_equal(out, expected, str(formula))


def test_one_kernel_serves_all_formulas_that_are_called():
    kernel = numba.njit(in_a_kernel.py_func)
    for formula in (*OWN, *OTHERS, *WITH_ITS_OWN):
        kernel(for_kernels(formula), *SUMS)
    assert len(kernel.signatures) == 1


def test_losses_of_single_draws_share_the_compiled_moves():
    before = None
    for kind in PartitionLoss.registry.values():
        if kind.per_draw:
            search_partition(DRAWS, loss=kind(), random_state=0)
            signatures = len(sweep.signatures)
            assert before in (None, signatures)
            before = signatures
    assert before


@pytest.mark.parametrize(
    "fit",
    [
        lambda a: search_partition(DRAWS, loss=Binder(a), random_state=0),
        lambda a: search_partition(DRAWS, loss=VariationOfInformation(a), random_state=0),
        lambda gamma: SCAMS(affinity="precomputed", gamma=gamma, random_state=0).fit(AFFINITY),
        lambda a: in_a_kernel(for_rows(Linear(a, 7.0)), *SUMS),
    ],
    ids=["binder", "vi", "scams", "of a script"],
)
def test_other_numbers_of_the_same_loss_compile_nothing(fit):
    fit(0.4)
    with install_recorder("numba:run_pass") as compiled:
        fit(0.45)
    assert not compiled.buffer


def test_what_is_compiled_with_its_own_numbers_is_compiled_once():
    for formula in WITH_ITS_OWN:
        first, again = (for_kernels(same) for same in (formula, type(formula)(*formula)))
        assert first.address == again.address


def test_a_second_process_reads_formulas_from_the_disk(tmp_path):
    script = """
from numba.core.event import install_recorder
from partita.kernels.partition_formula import for_rows
from partita.partition.losses import PartitionLoss
with install_recorder("numba:run_pass") as compiled:
    for name in ("vi", "binder", "nid"):
        for_rows(PartitionLoss.registry[name]().formula)
print(len(compiled.buffer))
"""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_OPT": "1"}
    passes, files = [], []
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        passes.append(int(done.stdout))
        files.append(sorted(path.name for path in tmp_path.rglob("*.nb?")))
    assert passes[0] > 0
    assert passes[1] == 0
    assert files[0] == files[1] != []


@pytest.mark.parametrize("loss", ["vi", "nid"])
def test_no_kernel_has_its_types_looked_at_in_python_at_each_call(loss, monkeypatch):
    draws = np.random.default_rng(0).integers(0, 3, size=(20, 30))
    search_partition(draws, loss=loss, n_init=2, random_state=0)
    looked, look = [], Dispatcher.typeof_pyval
    monkeypatch.setattr(Dispatcher, "typeof_pyval", lambda *given: looked.append(1) or look(*given))
    search_partition(draws, loss=loss, n_init=2, random_state=0)
    assert len(looked) < 10  # once a kernel at most; a search calls them hundreds of times
