"""Row blocks on Dask workers: the laws of every affinity and the answers of one machine, on Dask's threads and on a
cluster of two processes; a worker killed in the middle loses nothing but time.
"""

import os
import signal
import subprocess
import sys

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from test_affinity import LAWS

from partita import SoF, SoftClustering
from partita.affinity import SparseAffinity
from partita.errors import InputError
from partita.kernels.rows import row_pass
from partita.metrics import adjusted_rand_index
from partita.objectives import PerClusterObjective, Problem, ScaledObjective, SoFObjective, SymNMFObjective
from partita.solvers import ProjectedGradient, Starts, SubspaceMajorization, drive
from synthetic import blobs, diagonal, gaussians, planted_graph

dask = pytest.importorskip("dask", reason="the extra 'dask' is not installed")
pd = pytest.importorskip("pandas")
distributed = pytest.importorskip("distributed", reason="the extra 'dask' is not installed")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

from partita.affinity.distributed import DistributedAffinity  # noqa: E402 - needs Dask

pytestmark = pytest.mark.xdist_group("dask")  # one cluster for all

N, K = 60, 3
OBJECTIVES = [SoFObjective, ScaledObjective, PerClusterObjective, SymNMFObjective]


@pytest.fixture(scope="module")
def cluster():
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as workers,
        distributed.Client(workers) as client,
    ):
        yield client


@pytest.fixture(params=["threads", "cluster"])
def where(request):
    """Dask's own threads, or two processes."""
    if request.param == "cluster":
        request.getfixturevalue("cluster").wait_for_workers(2)
        yield "cluster"
    else:
        with dask.config.set(scheduler="threads"):
            yield "threads"


def planted(n=N, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.sort(rng.integers(0, K, n))
    return planted_graph(labels, seed=rng), labels


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_the_laws_of_every_affinity(law, where):
    P, matrix = DistributedAffinity.example(np.random.default_rng(0), 23)
    law(P, matrix, np.random.default_rng(100))


def run(P, objective, weights=None, solver=None, **options):
    problem = Problem(P, objective(), weights)
    options = {"seed": 0, "max_iter": 12, "tol": 1e-8} | options
    starts = Starts(P, K, weights=weights)
    return drive(problem, solver or ProjectedGradient(), starts, "dirichlet", **options)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_iterations_are_those_of_one_machine(objective, weighted, where):
    matrix, _ = planted()
    weights = np.random.default_rng(2).integers(1, 4, N).astype(float) if weighted else None
    found = run(DistributedAffinity.from_matrix(matrix, 4), objective, weights)
    expected = run(SparseAffinity(matrix), objective, weights)
    np.testing.assert_allclose(found.trace, expected.trace, rtol=1e-9)
    np.testing.assert_allclose(found.factor, expected.factor, atol=1e-7)
    assert found.n_products == expected.n_products


def test_blocks_of_any_size_give_the_same_product(where):
    matrix, _ = planted()
    W = np.random.default_rng(0).random((N, 5))
    for n_blocks in (1, 2, 7, N):
        P = DistributedAffinity.from_matrix(matrix, n_blocks)
        assert P.n_blocks == n_blocks
        assert min(P.chunks) >= 1
        assert sum(P.chunks) == N
        np.testing.assert_allclose(P @ W, matrix @ W, atol=1e-12)
        native = P.native(W)
        assert native.chunks[0] == P.chunks
        assert isinstance(P @ native, da.Array)


def test_a_block_is_sent_only_the_rows_that_its_columns_need(where):
    band = sp.diags_array([np.ones(29), np.ones(30), np.ones(29)], offsets=[-1, 0, 1], format="csr")
    P = DistributedAffinity.from_matrix(band, 3)
    assert P._needs == [[0, 1], [0, 1, 2], [1, 2]]
    sent = dask.compute(*(part.wanted for part in P._parts))
    assert [len(rows) for b, wanted in enumerate(sent) for c, rows in wanted.items() if c != b] == [1, 1, 1, 1]


def test_blocks_may_be_made_by_tasks(where):
    matrix, _ = planted()
    parts = [matrix[:25], matrix[25:]]
    P = DistributedAffinity([dask.delayed(lambda part=part: part.tocoo())() for part in parts], [25, N - 25])
    np.testing.assert_allclose(P.to_dense(), matrix.toarray())


def test_wrong_blocks_are_named(where):
    matrix, _ = planted()
    with pytest.raises(InputError, match="block 1"):
        DistributedAffinity([dask.delayed(matrix[:25]), dask.delayed(matrix[26:])], [25, N - 25])
    spoilt = matrix.copy()
    spoilt.data[3] = np.nan
    with pytest.raises(InputError, match="block 0"):
        DistributedAffinity.from_matrix(spoilt, 2)
    with pytest.raises(InputError, match="n_blocks=0"):
        DistributedAffinity.from_matrix(matrix, 0)
    with pytest.raises(InputError, match="0 blocks"):
        DistributedAffinity([], [])


def test_a_pass_adds_up_in_the_order_of_the_blocks(where):
    X = np.random.default_rng(0).normal(size=(50, 4))
    blocks = da.from_array(X, chunks=((20, 20, 10), 4))

    def work(x, y):
        return [x + 1.0, x[:, :1]], [x.T @ x, 0.0 if y is None else (x * y).sum()]

    (more, first), (gram, inner) = row_pass(blocks, work, da.from_array(2 * X, chunks=(7, 4)))
    np.testing.assert_array_equal(more.compute(), X + 1.0)
    np.testing.assert_array_equal(first.compute(), X[:, :1])
    np.testing.assert_allclose(gram, X.T @ X)
    np.testing.assert_allclose(inner, 2 * (X**2).sum())
    _, (_, nothing) = row_pass(blocks, work, None)
    assert nothing == 0.0


def test_estimators_take_it(where):
    matrix, labels = planted(90, seed=3)
    P = DistributedAffinity.from_matrix(matrix, 3)
    for estimator in (
        SoF(K, affinity="precomputed", n_init=1, start="spectral"),
        SoftClustering(K, affinity="precomputed", probabilities="fitted"),
    ):
        found = estimator.fit(P)
        expected = type(estimator)(**estimator.get_params()).fit(matrix)
        assert isinstance(found.membership_, np.ndarray)
        assert found.objective_ == pytest.approx(expected.objective_, rel=1e-4)
        assert adjusted_rand_index(found.labels_, expected.labels_) == 1.0
        assert adjusted_rand_index(found.labels_, labels) > 0.9
        np.testing.assert_allclose(found.predict_proba(matrix[:5]), expected.predict_proba(matrix[:5]), atol=1e-3)


def test_solvers_of_host_arrays_work_with_it(where):
    matrix, _ = planted()
    found, expected = (
        run(P, SoFObjective, solver=SubspaceMajorization(), max_iter=6)
        for P in (DistributedAffinity.from_matrix(matrix, 2), SparseAffinity(matrix))
    )
    np.testing.assert_allclose(found.trace, expected.trace, rtol=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.posix("signals")
def test_a_killed_worker_loses_nothing_but_time(cluster):
    cluster.wait_for_workers(2)
    matrix, _ = planted(400, seed=1)
    expected = run(SparseAffinity(matrix), PerClusterObjective)
    pids = cluster.run(os.getpid)
    killed = []

    def kill(restart, state):
        if not killed and len(trace) == 5:
            killed.append(next(iter(pids.values())))
            os.kill(killed[0], signal.SIGKILL)
        trace.append(state.point.value)

    trace = [0.0]
    found = run(DistributedAffinity.from_matrix(matrix, 4), PerClusterObjective, callback=kill)
    cluster.wait_for_workers(2)
    assert killed
    assert killed[0] not in cluster.run(os.getpid).values()
    np.testing.assert_allclose(found.trace, expected.trace, rtol=1e-9)
    np.testing.assert_allclose(found.factor, expected.factor, atol=1e-7)


def test_restarts_are_spread_by_joblibs_backend(cluster):
    matrix, _ = planted()
    P = SparseAffinity(matrix)
    expected = run(P, SoFObjective, n_init=4)
    with joblib.parallel_config(backend="dask"):
        found = run(P, SoFObjective, n_init=4, n_jobs=2)
    np.testing.assert_array_equal(found.factor, expected.factor)
    assert [r.objective for r in found.restarts] == [r.objective for r in expected.restarts]


@pytest.fixture(scope="module")
def fitted():
    rng, centres = np.random.default_rng(0), [[0.0, 0.0], [4.0, 4.0]]
    X = gaussians(np.repeat([0, 1], 40), centres, rng)
    return SoftClustering(2, affinity="neighbors", probabilities="fitted").fit(X), gaussians(
        np.repeat([0, 1], [30, 31]), centres, rng
    )


def test_dask_arrays_are_scored_block_by_block(fitted, where):
    model, new = fitted
    for chunks in ((20, 2), (61, 1)):
        found = model.predict_proba(da.from_array(new, chunks=chunks))
        assert isinstance(found, da.Array)
        assert found.shape == (61, 2)
        np.testing.assert_array_equal(found.compute(), model.predict_proba(new))
        np.testing.assert_array_equal(model.predict(da.from_array(new, chunks=chunks)).compute(), model.predict(new))


def test_dask_dataframes_are_scored_and_keep_their_index(fitted, where):
    model, new = fitted
    frame = pd.DataFrame(new, columns=["a", "b"], index=[f"item{i}" for i in range(61)])
    found = model.predict_proba(dd.from_pandas(frame, npartitions=3, sort=False)).compute()
    assert list(found.columns) == ["p_0", "p_1"]
    assert list(found.index) == list(frame.index)
    np.testing.assert_array_equal(found.to_numpy(), model.predict_proba(new))
    labels = model.predict(dd.from_pandas(frame, npartitions=3, sort=False)).compute()
    assert labels.name == "label"
    np.testing.assert_array_equal(labels.to_numpy(), model.predict(new))


def fits(K, X):
    return SoftClustering(K, random_state=0, affinity="neighbors", probabilities="fitted").fit(X).objective_


def test_sweeps_over_k_are_spread_by_joblibs_backend(cluster):
    X = blobs(80, apart=4.0, at=diagonal)[0]
    with joblib.parallel_config(backend="dask"):
        found = joblib.Parallel()(joblib.delayed(fits)(K, X) for K in (2, 3, 4))
    assert found == [fits(K, X) for K in (2, 3, 4)]


def test_without_dask_one_sentence_says_what_to_install():
    code = "import sys; sys.modules['dask'] = sys.modules['dask.array'] = None; import partita.affinity.distributed"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.returncode != 0
    last = found.stderr.strip().splitlines()[-1]
    assert "an affinity on several machines needs dask" in last
    assert "pip install 'partita[dask]'" in last
