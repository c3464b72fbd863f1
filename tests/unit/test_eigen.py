"""Eigenvectors and singular vectors where LAPACK's first algorithm gives up."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp

from partita.kernels.eigen import singular_vectors, symmetric_eigen
from partita.scams import ADMM, scams_admm
from partita.scams.eigenpairs import LeadingEigenpairs
from partita.solvers.spectral import of_connected


def gives_up(*_args: object, **_options: object) -> None:
    raise np.linalg.LinAlgError("Eigenvalues did not converge")


@pytest.fixture(params=[False, True], ids=["first", "second"])
def algorithm(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param:
        monkeypatch.setattr(np.linalg, "eigh", gives_up)
        monkeypatch.setattr(np.linalg, "svd", gives_up)


@pytest.mark.usefixtures("algorithm")
@pytest.mark.parametrize("values", [[3.0, -1.0, 0.5], [50.0] * 12 + [1e-9] * 8, [0.0] * 4])
def test_eigenvectors_are_those_of_the_matrix_by_either_algorithm(values: list[float]) -> None:
    n = len(values)
    basis = np.linalg.qr(np.random.default_rng(0).normal(size=(n, n)))[0]
    matrix = (basis * values) @ basis.T
    before = matrix.copy()
    found, vectors = symmetric_eigen(matrix)
    assert np.allclose(found, np.sort(values), atol=1e-12)
    assert np.allclose(vectors.T @ vectors, np.eye(n), atol=1e-12)
    assert np.allclose((vectors * found) @ vectors.T, matrix, atol=1e-12)
    assert np.array_equal(matrix, before)


@pytest.mark.usefixtures("algorithm")
@pytest.mark.parametrize("shape", [(7, 3), (3, 7), (4, 4)])
def test_singular_vectors_are_those_of_the_matrix_by_either_algorithm(shape: tuple[int, int]) -> None:
    matrix = np.random.default_rng(1).normal(size=shape)
    before = matrix.copy()
    U, values, Vt = singular_vectors(matrix)
    k = min(shape)
    assert U.shape == (shape[0], k)
    assert Vt.shape == (k, shape[1])
    assert np.all(np.diff(values) <= 0)
    assert np.allclose((U * values) @ Vt, matrix, atol=1e-12)
    assert np.array_equal(matrix, before)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_what_is_not_finite_has_no_second_try(wrong: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(np.linalg, "eigh", gives_up)
    monkeypatch.setattr(np.linalg, "svd", gives_up)
    for found in (singular_vectors, symmetric_eigen):
        with pytest.raises(np.linalg.LinAlgError):
            found(np.diag([1.0, wrong, 2.0]))


def test_bisection_that_gives_up_changes_no_eigenpair(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = np.kron(np.eye(4), np.ones((5, 5))) + 1e-3 * np.arange(20)[:, None] * np.arange(20)
    matrix = (groups + groups.T) / 2
    size = float((matrix**2).sum())
    expected = LeadingEigenpairs(20, warm=False).above(matrix.copy(), 2.0, size)
    real = scipy.linalg.eigh

    def spoils_and_gives_up(a: np.ndarray, **options: object) -> object:
        if "subset_by_value" not in options:
            return real(a, **options)
        real(a, **options)  # overwrites a triangle of a, as a failed search does
        raise np.linalg.LinAlgError("bisection failed")

    monkeypatch.setattr(scipy.linalg, "eigh", spoils_and_gives_up)
    values, vectors = LeadingEigenpairs(20, warm=False).above(matrix.copy(), 2.0, size)
    assert len(values) == len(expected[0]) == 4
    assert np.allclose(values, expected[0])
    assert np.allclose((vectors * values) @ vectors.T, (expected[1] * expected[0]) @ expected[1].T)


def test_scams_takes_the_same_path_by_the_second_algorithm(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    affinity = np.kron(np.eye(12), np.ones((50, 50))) * rng.uniform(0.5, 1.0, size=(600, 600))
    affinity = (affinity + affinity.T) / 2
    settings = ADMM()
    first = scams_admm(affinity, settings)
    assert first.n_partial > 0
    monkeypatch.setattr(np.linalg, "eigh", gives_up)
    second = scams_admm(affinity, settings)
    assert second.n_partial == first.n_partial
    assert np.array_equal(first.pattern, second.pattern)


def test_fewer_products_where_eigenvalues_may_be_off_by_a_little() -> None:
    n = 900  # a cycle with chords: connected, and large enough for Lanczos
    cycle = sp.diags_array([1.0] * 6, offsets=[-3, -2, -1, 1, 2, 3], shape=(n, n), format="csr")
    products = []

    class Counted(sp.csr_array):
        def __matmul__(self, other: np.ndarray) -> np.ndarray:
            products.append(1)
            return super().__matmul__(other)

    exact = of_connected(Counted(cycle), 4)[0]
    spent = len(products)
    rough = of_connected(Counted(cycle), 4, tolerance=1e-4)[0]
    assert len(products) - spent < spent
    np.testing.assert_allclose(rough, exact, rtol=1e-4)
