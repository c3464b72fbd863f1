"""Arrays of other packages: the same laws, the same answers, and nothing of N rows copied to the host in the loop.

array-api-strict refuses whatever the standard does not promise; PyTorch is one that people use. On a GPU its arrays and
CuPy's are tested too.
"""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from partita import BaumEagon, SoF, SoftClustering, SymNMF
from partita.affinity import (
    ContractedAffinity,
    DenseAffinity,
    DiffusedAffinity,
    LowRankAffinity,
    SparseAffinity,
    WeightedAffinity,
    as_affinity,
    normalise,
)
from partita.errors import InputError
from partita.kernels import foreign_csr, namespace, rows
from partita.kernels.simplex import (
    project_rows_array,
    project_rows_numpy,
    project_rows_scaled,
    project_rows_scaled_array,
)
from partita.metrics import adjusted_rand_index
from partita.objectives import PerClusterObjective, Problem, ScaledObjective, SoFObjective, SymNMFObjective
from partita.solvers import ProjectedGradient, Starts, SubspaceMajorization, default_solver, drive
from synthetic import noisy_blocks

N, K = 40, 3
OBJECTIVES = [SoFObjective, ScaledObjective, PerClusterObjective, SymNMFObjective]


def strict(array):
    return pytest.importorskip("array_api_strict", reason="array-api-strict is not installed").asarray(array)


def tensor(array):
    return pytest.importorskip("torch", reason="PyTorch is not installed").tensor(array)


def sparse_tensor(array):
    return tensor(array).to_sparse_csr()


def gpu_tensor(array):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch has no GPU here")
    return torch.tensor(array, device="cuda")


def sparse_gpu_tensor(array):
    return gpu_tensor(array).to_sparse_csr()


def of_cupy(array):
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    if not cupy.is_available():
        pytest.skip("CuPy has no GPU here")
    return cupy.asarray(array)


def sparse_of_cupy(array):
    given = of_cupy(array)
    return pytest.importorskip("cupyx.scipy.sparse").csr_matrix(given)


def blocks():
    return noisy_blocks(N, K)


def factor(seed=0):
    return np.random.default_rng(seed).random((N, 5))


# What makes an array of another package, or a sparse matrix.
DENSE = {"strict": strict, "torch": tensor, "torch on a GPU": gpu_tensor, "CuPy": of_cupy}
SPARSE = {"torch": sparse_tensor, "torch on a GPU": sparse_gpu_tensor, "CuPy": sparse_of_cupy}
dense = pytest.mark.parametrize("make", DENSE.values(), ids=DENSE)


def held():
    return blocks() * (blocks() > 0.2)


# Affinities that lie elsewhere, and the same on the host.
KINDS = {
    **{
        f"dense, {name}": lambda make=make: (DenseAffinity(make(blocks())), DenseAffinity(blocks()))
        for name, make in DENSE.items()
    },
    **{
        f"low rank, {name}": lambda make=make: (LowRankAffinity(make(factor())), LowRankAffinity(factor()))
        for name, make in DENSE.items()
    },
    **{
        f"sparse, {name}": lambda make=make: (SparseAffinity(make(held())), SparseAffinity(sp.csr_array(held())))
        for name, make in SPARSE.items()
    },
}
kinds = pytest.mark.parametrize("kind", KINDS)


def same(found, expected):
    np.testing.assert_allclose(namespace.to_numpy(found), expected, rtol=1e-12, atol=1e-12)


@kinds
def test_it_answers_what_the_same_matrix_on_the_host_answers(kind):
    there, here = KINDS[kind]()
    rng = np.random.default_rng(1)
    W, factors = rng.random((N, 4)), rng.random(N) + 0.5
    assert there.foreign
    assert not here.foreign
    native = there.native(W)
    assert not isinstance(native, np.ndarray)
    assert type(there @ native) is type(native)
    assert isinstance(there @ W, np.ndarray)
    for P, Q in (
        (there, here),
        (there.scaled(factors), here.scaled(factors)),
        (DiffusedAffinity(there, 3, factors), DiffusedAffinity(here, 3, factors)),
        (DiffusedAffinity(there, 2).scaled(factors), DiffusedAffinity(here, 2).scaled(factors)),
    ):
        assert P.foreign
        same(P @ P.native(W), Q @ W)
        same(P @ W, Q @ W)
        same(P.diagonal(), Q.diagonal())
        same(P.row_sums(), Q.row_sums())
        same(P.rows([3, 1]), Q.rows([3, 1]))
        same(P.to_dense(), Q.to_dense())
        assert P.squared_norm() == pytest.approx(Q.squared_norm(), rel=1e-12)
        assert P.squared_norm(factors) == pytest.approx(Q.squared_norm(factors), rel=1e-12)
        assert P.density() == pytest.approx(Q.density())
        assert P.kind == Q.kind
        assert all(isinstance(a, np.ndarray) for a in (P.diagonal(), P.row_sums(), P.rows([0]), P.to_dense()))


def run(P, objective, solver, weights=None, **options):
    problem = Problem(P, objective(), weights)
    options = {"seed": 0, "max_iter": 300, "tol": 1e-7, "n_init": 2} | options
    return drive(problem, solver, Starts(P, K, weights=weights), "dirichlet", **options)


@kinds
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_fit_is_that_of_the_host(kind, objective, weighted):
    there, here = KINDS[kind]()
    weights = np.random.default_rng(2).integers(1, 4, N).astype(float) if weighted else None
    assert isinstance(default_solver(there, K), ProjectedGradient)
    found = run(there, objective, ProjectedGradient(), weights)
    expected = run(here, objective, ProjectedGradient(), weights)
    assert isinstance(found.membership.matrix, np.ndarray)
    assert isinstance(found.factor, np.ndarray)
    # Sums are taken in another order: single steps part by rounding, and where they end they agree.
    assert found.objective == pytest.approx(expected.objective, rel=1e-6)
    np.testing.assert_allclose(found.membership.matrix, expected.membership.matrix, atol=1e-4)


@kinds
def test_nothing_of_n_rows_comes_to_the_host_between_start_and_end(kind, monkeypatch):
    there, _ = KINDS[kind]()
    problem, solver = Problem(there, PerClusterObjective()), ProjectedGradient()
    W = there.native(np.random.default_rng(0).dirichlet(np.ones(K), N))
    state = solver.start(problem, W)
    copied, original = [], namespace.to_numpy

    def spy(array):
        copied.append(np.prod(array.shape))
        return original(array)

    monkeypatch.setattr(rows, "to_numpy", spy)
    for module in (namespace, foreign_csr):
        monkeypatch.setattr(module, "to_numpy", spy)
    for _ in range(5):
        state = solver.step(problem, state)
    assert copied
    assert max(copied) <= K * K
    assert type(state.point.W) is type(state.point.product) is type(W)


@kinds
def test_solvers_of_host_arrays_work_with_it_too(kind):
    there, here = KINDS[kind]()
    found, expected = (run(P, SoFObjective, SubspaceMajorization(), n_init=1) for P in (there, here))
    assert found.objective == pytest.approx(expected.objective, rel=1e-9)


@kinds
def test_a_correction_on_the_host_makes_the_whole_lie_there(kind):
    there, here = KINDS[kind]()
    W, groups = np.random.default_rng(1).random((N, 4)), np.arange(N) % (N - 2)
    for P, Q in (
        (WeightedAffinity(there, [0, 2], [3, 2], 5.0, 0.5), WeightedAffinity(here, [0, 2], [3, 2], 5.0, 0.5)),
        (ContractedAffinity(there, groups), ContractedAffinity(here, groups)),
    ):
        V = W[: P.n_items]
        assert not P.foreign
        assert P.native(V) is V
        assert P.rounding == 1.0
        assert isinstance(P @ V, np.ndarray)
        same(P @ V, Q @ V)


def test_a_sparse_matrix_comes_to_the_host_once(monkeypatch):
    matrix, copied = sparse_tensor(held()), []

    def spy(array):
        copied.append(array.shape)
        return array.numpy()

    monkeypatch.setattr(foreign_csr, "to_numpy", spy)
    P = as_affinity(matrix)
    assert P.foreign
    assert len(copied) == 3  # values, columns, row bounds


@dense
def test_rows_are_projected_as_on_the_host(make):
    V = np.random.default_rng(0).normal(size=(200, 7)) * 3
    V[0], V[1], V[2] = 0.0, 1e6, [1e9, 1, 2, 3, 4, 5, 6]
    same(project_rows_array(make(V)), project_rows_numpy(V))
    same(project_rows_array(make(V[:, :1])), np.ones((200, 1)))
    u = np.array([1e-2, 1e-1, 1.0, 2.0, 3.0, 10.0, 100.0])
    same(project_rows_scaled_array(make(V), make(u)), project_rows_scaled(V, u))


@pytest.mark.parametrize("make", [*DENSE.values(), *SPARSE.values()])
@pytest.mark.parametrize("estimator", [SoF, SoftClustering, SymNMF, BaumEagon])
def test_estimators_take_it_and_answer_in_numpy(estimator, make):
    P = held()
    options = {"affinity": "precomputed", "random_state": 0, "n_init": 5}
    found = estimator(K, **options).fit(make(P))
    expected = estimator(K, **options).fit(sp.csr_array(P) if make in SPARSE.values() else P)
    assert isinstance(found.membership_, np.ndarray)
    assert found.objective_ == pytest.approx(expected.objective_, rel=1e-3)
    assert adjusted_rand_index(found.labels_, expected.labels_) == 1.0  # restarts as good as each other are relabelled
    np.testing.assert_allclose(found.predict_proba(P[:4]).sum(axis=1), 1)


@pytest.mark.parametrize("make", [tensor, gpu_tensor, of_cupy])
def test_single_precision_stays_single(make):
    matrix = make(blocks().astype(np.float32))
    P = DenseAffinity(matrix)
    assert P.native(np.ones((N, 2))).dtype == matrix.dtype
    assert P.rounding == 2.0**29
    assert run(P, PerClusterObjective, ProjectedGradient(), tol=1e-4, n_init=1).status == "converged"
    with pytest.warns(ConvergenceWarning):
        found = run(P, PerClusterObjective, ProjectedGradient(), max_iter=8, n_init=1)
    with pytest.warns(ConvergenceWarning):
        expected = run(DenseAffinity(blocks()), PerClusterObjective, ProjectedGradient(), max_iter=8, n_init=1)
    # step by step the same; where it stops differs, since objectives closer than single precision tells end a run
    np.testing.assert_allclose(found.membership.matrix, expected.membership.matrix, rtol=0, atol=1e-4)


@pytest.mark.parametrize("make", [strict, tensor, gpu_tensor, of_cupy])
def test_rows_of_single_precision_come_back_on_the_simplex(make):
    X = np.random.default_rng(0).normal(size=(300, 3))
    P = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 2).astype(np.float32)
    found = SoftClustering(40, affinity="precomputed", random_state=0, n_init=1).fit(make((P + P.T) / 2))
    np.testing.assert_allclose(found.result_.factor.sum(axis=1), 1, rtol=0, atol=1e-12)


@dense
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda P: P.__setitem__((0, 1), np.nan), "NaN"),
        (lambda P: P.__setitem__((0, 1), 2.0), "symmetrize='mean'"),
        (lambda P: P.__setitem__((0, 0), -1.0), "^affinity "),
        (lambda P: P.fill(0.0), "^affinity "),
    ],
)
def test_it_is_checked_where_it_lies(make, spoil, message):
    P = blocks()
    spoil(P)
    with pytest.raises(InputError, match=message):
        as_affinity(make(P))
    with pytest.raises(InputError, match="40, 3"):
        as_affinity(make(blocks()[:, :3]))
    with pytest.raises(InputError, match="int64"):
        as_affinity(make(np.ones((3, 3), dtype=np.int64)))


def test_asymmetry_is_resolved_where_it_lies():
    P = blocks()
    P[0, 1] += 0.5
    for how, expected in (("max", np.maximum(P, P.T)), ("min", np.minimum(P, P.T)), ("mean", (P + P.T) / 2)):
        same(as_affinity(strict(P), symmetrize=how).to_dense(), expected)


def test_normalisation_is_that_of_the_host():
    for how in ("symmetric", "relative-entropy"):
        found, expected = (normalise(DenseAffinity(P), how) for P in (strict(blocks()), blocks()))
        assert found.affinity.foreign
        same(found.affinity.to_dense(), expected.affinity.to_dense())


def test_a_sparse_tensor_in_another_form_is_refused():
    with pytest.raises(InputError, match="to_sparse_csr"):
        as_affinity(tensor(blocks()).to_sparse())
