"""Memory: what would not fit is refused before it is made, and what a fit took is said."""

import os
import re
import subprocess
import sys
import textwrap
import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from partita import CopositiveFactorization, SoF, SoftClustering, SymNMF
from partita.affinity import (
    DenseAffinity,
    DiffusedAffinity,
    LowRankAffinity,
    NeighborGraph,
    RelativeDistance,
    SparseAffinity,
)
from partita.affinity.normalise import normalise
from partita.errors import InputError, MemoryLimitError
from partita.estimators.items import number_of_copies
from partita.membership import Membership
from partita.memory import available_memory, fits, human_bytes, peak_memory, require_memory, require_pairs
from partita.objectives import Problem, SoFObjective, SymNMFObjective
from partita.plots import CoMembershipDisplay
from partita.solvers import ProjectedGradient, ProjectedNewton, Starts, drive
from partita.solvers.spectral import leading_eigenvectors
from synthetic import diagonal_blobs, ring

N = 50_000
PAIRS = 8 * N * N  # 20 GB
LIMIT = 2_000_000_000


@pytest.fixture
def limit(monkeypatch):
    """Set the memory that counts as free."""

    def to(n_bytes):
        monkeypatch.setenv("PARTITA_MEMORY_LIMIT", str(n_bytes))

    to(LIMIT)
    return to


def table(n=N):
    return diagonal_blobs(n, 3, K=4, apart=6.0)


def peak_of(call):
    """What `call` allocates at most, and what it raises."""
    tracemalloc.start()
    try:
        with pytest.raises(MemoryLimitError) as caught:
            call()
        return tracemalloc.get_traced_memory()[1], str(caught.value)
    finally:
        tracemalloc.stop()


def all_pairs(dtype=np.float64):
    """N x N numbers that take no memory: one of them, seen from everywhere."""
    return np.broadcast_to(np.array(0.5, dtype=dtype), (N, N))


# N = 50,000


def test_soft_clustering_goes_the_sparse_way_and_says_so(limit):
    X = table()
    model = SoftClustering(4, random_state=0, affinity="neighbors", probabilities="fitted").fit(
        X
    )  # kernels are compiled and loaded: under tracemalloc that is slow
    tracemalloc.start()
    model.fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.result_.status == "converged"
    assert peak < LIMIT / 4
    (note,) = [note for note in model.result_.notes if "pairs" in note]
    assert "50,000 x 50,000 pairs would take 20.0 GB" in note
    assert "nothing N x N was made" in note
    assert model.membership_.shape == (N, 4)
    assert model.predict(X[:5]).shape == (5,)
    pytest.importorskip("matplotlib")
    CoMembershipDisplay.from_estimator(model)  # means over groups of items: the picture fits
    tracemalloc.start()
    CoMembershipDisplay.from_estimator(model, reduce="sample")
    assert tracemalloc.get_traced_memory()[1] < LIMIT / 4
    tracemalloc.stop()


def test_where_every_pair_fits_nothing_is_said(limit):
    limit(10 * 8 * 300**2)
    assert not any(
        "pairs would" in note
        for note in SoftClustering(4, affinity="neighbors", probabilities="fitted").fit(table(300)).result_.notes
    )
    limit(8 * 300**2)
    assert any(
        "300 x 300 pairs would" in note
        for note in SoftClustering(4, affinity="neighbors", probabilities="fitted").fit(table(300)).result_.notes
    )


X = table()
SPARSE_WAY = "affinity='neighbors' .*--affinity neighbors"
REFUSED = {
    "SoF": (lambda: SoF(4).fit(X), SPARSE_WAY),
    "SymNMF": (lambda: SymNMF(4).fit(X), SPARSE_WAY),
    "CopositiveFactorization": (lambda: CopositiveFactorization(4).fit(X), SPARSE_WAY),
    "SoftClustering on every pair": (
        lambda: SoftClustering(4, affinity="relative", probabilities="fitted").fit(X),
        SPARSE_WAY,
    ),
    "RelativeDistance": (lambda: RelativeDistance().build(X, n_clusters=4), SPARSE_WAY),
    "a precomputed affinity": (
        lambda: SoF(4, affinity="precomputed").fit(all_pairs()),
        "sparse.*affinity='neighbors'",
    ),
    "a precomputed affinity of single precision": (
        lambda: SoF(4, affinity="precomputed").fit(all_pairs(np.float32)),
        "sparse.*affinity='neighbors'",
    ),
    "precomputed distances": (
        lambda: SoftClustering(4, affinity="precomputed_distance", probabilities="fitted").fit(all_pairs()),
        "sparse.*affinity='neighbors'",
    ),
    "to_dense of a sparse affinity": (
        lambda: SparseAffinity(sp.eye_array(N, format="csr")).to_dense(),
        r"rows\(index\)",
    ),
    "to_dense of a diffused one": (
        lambda: DiffusedAffinity(SparseAffinity(sp.eye_array(N, format="csr")), 3).to_dense(),
        r"rows\(index\)",
    ),
    "to_dense of one of low rank": (
        lambda: LowRankAffinity(np.ones((N, 2))).to_dense(),
        r"rows\(index\)",
    ),
    "co-membership": (
        lambda: Membership(np.full((N, 2), 0.5)).co_membership(),
        r"co_membership\(first, second\)",
    ),
    "a picture of the pairs": (
        lambda: CoMembershipDisplay.from_arrays(all_pairs(), np.full((N, 2), 0.5)),
        r"from_estimator\(max_items=600\)",
    ),
    "leading eigenvectors": (
        lambda: leading_eigenvectors(SparseAffinity(ring(N)), N // 3),
        "start='dirichlet'",
    ),
}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_every_pair_is_refused_before_anything_is_made(name, limit):
    call, remedy = REFUSED[name]
    peak, said = peak_of(call)
    # what is made by then: the distinct rows, their graph, an identity of N entries; never a share of the pairs
    assert peak < PAIRS / 100
    assert "2.0 GB" in said
    assert re.search(remedy, said), said


@pytest.mark.parametrize(("free", "said"), [(9_000_000, True), (11_000_000, False)])
def test_that_nothing_n_by_n_was_made_is_said_only_where_it_would_not_have_fitted(limit, free, said):
    limit(free)  # 1,000 x 1,000 numbers are 8 MB, and four fifths of what is free may be taken
    graph = SparseAffinity(sp.csr_array(np.kron(np.eye(200), np.ones((5, 5)))))
    model = SoF(2, affinity="precomputed", random_state=0, start="dirichlet", n_init=1, max_iter=2).fit(graph)
    assert any("nothing N x N was made" in note for note in model.result_.notes) == said


def test_the_command_line_refuses_with_the_sparse_way(limit, tmp_path, monkeypatch, capsys):
    from partita.cli import main

    monkeypatch.chdir(tmp_path)
    np.savetxt("x.csv", table(2000), delimiter=",", header="a,b,c", comments="")
    limit(20_000_000)
    with pytest.raises(SystemExit) as ended:
        main(["fit", "x.csv", "--k", "3", "--model", "sof", "--quiet"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "2,000 items needs 64.0 MB of memory and 20.0 MB" in said
    assert "--affinity neighbors" in said
    assert not (tmp_path / "x-partita").exists()


# What else is guarded


def test_a_second_affinity_is_counted_too(limit):
    P = DenseAffinity(np.ones((500, 500)) - 0.5 * np.eye(500))
    one = 8 * 500**2
    limit(one + one // 5)  # free beside P
    for how in ("symmetric", "relative-entropy", "frobenius"):
        with pytest.raises(MemoryLimitError, match="affinity='neighbors'"):
            normalise(P, how)
    limit(4 * one)
    for how in ("symmetric", "relative-entropy", "frobenius"):
        tracemalloc.start()
        normalise(P, how)
        assert tracemalloc.get_traced_memory()[1] < 4 * one
        tracemalloc.stop()


def test_more_clusters_than_memberships_fit_are_refused(limit):
    P = SparseAffinity(ring(2000))
    limit(8 * 2000 * 300 * 5)
    with pytest.raises(MemoryLimitError, match="300 clusters"):
        drive(Problem(P, SoFObjective()), ProjectedGradient(), Starts(P, 300), "dirichlet")
    limit(8 * 2000 * 300 * 30)
    tracemalloc.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        drive(Problem(P, SoFObjective()), ProjectedGradient(), Starts(P, 300), "dirichlet", max_iter=3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 2000 * 300 * 30


def test_a_newton_step_is_refused_by_its_blocks(limit):
    P = SparseAffinity(ring(2000))
    problem = Problem(P, SymNMFObjective())
    limit(8 * 2000 * 40 * 40)
    with pytest.raises(MemoryLimitError, match=r"40 x 40 .*ProjectedGradient\(\)"):
        drive(problem, ProjectedNewton(), Starts(P, 40), "dirichlet")
    limit(5 * 8 * 300**2)
    small = SparseAffinity(ring(300))
    with pytest.raises(MemoryLimitError, match="blocks='rows'"):
        drive(Problem(small, SymNMFObjective()), ProjectedNewton("columns"), Starts(small, 2), "dirichlet")


def test_wide_features_are_refused_before_they_are_converted(limit):
    wide = np.broadcast_to(np.float32(0.5), (10_000, 30_000))
    peak, said = peak_of(lambda: SoftClustering(3, affinity="neighbors", probabilities="fitted").fit(wide))
    assert peak < 10_000_000
    assert "10,000 rows" in said
    assert "9.6 GB" in said


def test_items_at_distance_zero_are_counted_without_an_array_of_pairs():
    x = np.random.default_rng(0).integers(0, 60, 1500).astype(float)
    D = np.abs(x[:, None] - x)
    expected = int(np.triu(D == 0, 1).any(axis=0).sum())
    tracemalloc.start()
    assert number_of_copies(D) == expected > 1000
    assert tracemalloc.get_traced_memory()[1] < 1500**2 / 20
    tracemalloc.stop()


def test_predictions_of_many_clusters_come_in_batches():
    rng = np.random.default_rng(0)
    X, new = rng.random((3000, 2)), rng.random((12_000, 2))  # nothing but boundaries: every row is hard to solve
    model = SoftClustering(
        60, affinity=NeighborGraph(n_neighbors=4), max_iter=50, random_state=0, probabilities="fitted"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X)
    tracemalloc.start()
    model.predict_proba(new)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.5 * 12_000 * 61 * 61 * 8  # half of one block of equations for each row


# The figures


def test_the_limit_is_what_the_variable_says(limit):
    limit(1000)
    assert available_memory() == 1000
    assert (fits(800), fits(801)) == (True, False)
    require_memory(800, "this", "that")
    with pytest.raises(MemoryLimitError, match=r"801 B .*1\.0 kB .*; that$"):
        require_memory(801, "this", "that")
    require_pairs(10, "pairs", "fewer")
    with pytest.raises(MemoryLimitError, match=r"11 x 11 .*968 B"):
        require_pairs(11, "pairs", "fewer")
    with pytest.raises(MemoryLimitError, match=r"1\.6 kB"):
        require_pairs(10, "pairs", "fewer", copies=2)
    limit("much")
    with pytest.raises(InputError, match="PARTITA_MEMORY_LIMIT='much'"):
        available_memory()


def test_the_system_is_not_asked_for_little(monkeypatch, limit):
    monkeypatch.delenv("PARTITA_MEMORY_LIMIT", raising=False)
    monkeypatch.setattr("partita.memory._system_available", lambda: 10)
    assert (fits(1000), fits(1 << 30)) == (True, False)
    limit(10)
    assert not fits(1000)


def test_without_a_limit_it_is_what_the_system_has(monkeypatch):
    monkeypatch.delenv("PARTITA_MEMORY_LIMIT", raising=False)
    free = available_memory()
    assert 10**6 < free < 10**15
    if hasattr(os, "sysconf"):
        assert free <= os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def test_bytes_are_said_in_the_unit_that_people_read():
    assert [human_bytes(n) for n in (0, 999, 1000, 20e9, 3e12)] == ["0 B", "999 B", "1.0 kB", "20.0 GB", "3.0 TB"]
    assert [human_bytes(n) for n in (3e18, 10**400)] == ["3e+18 B", "1e+300 B"]


def run(program, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return [float(number) for number in done.stdout.split()]


@pytest.mark.posix("memory")
def test_the_peak_is_that_of_this_process_and_grows_by_what_is_touched():
    ours = np.ones(60_000_000)  # 480 MB that a child must not be charged with
    before, after, freed = run(
        """
        import numpy as np
        from partita.memory import peak_memory
        print(peak_memory())
        held = np.ones(50_000_000)
        print(peak_memory())
        del held
        print(peak_memory())
        """
    )
    assert before < ours.nbytes
    assert after - before == pytest.approx(400e6, rel=0.1)
    assert freed > 0.99 * after  # the largest so far, not what there is now; the system counts by the page
    assert peak_memory() > ours.nbytes


@pytest.mark.posix("memory")
def test_a_fit_of_50_000_items_takes_little_more_than_its_imports():
    imports, peak = run(
        """
        import numpy as np
        from partita import SoftClustering
        from partita.memory import peak_memory
        rng = np.random.default_rng(0)
        small = rng.normal(size=(4500, 3)) + 6.0 * rng.integers(0, 4, 4500)[:, None]
        SoftClustering(4, random_state=0).fit(small)  # compiles what a large fit compiles
        print(peak_memory())
        X = rng.normal(size=(50_000, 3)) + 6.0 * rng.integers(0, 4, 50_000)[:, None]
        model = SoftClustering(4, random_state=0).fit(X)
        assert model.result_.status == "converged"
        print(peak_memory())
        """
    )
    # The graph has 20 entries an item in both directions, of 12 bytes each; a few copies of it, and of N x K.
    assert peak - imports < 800e6 < PAIRS / 20
