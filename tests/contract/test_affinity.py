"""What every kind of affinity keeps, whatever it is inside: the laws run over `Affinity.kinds`, none left out."""

import numpy as np
import pytest
import scipy.sparse as sp

import partita.affinity  # noqa: F401 - registers every kind
from partita.affinity import DiffusedAffinity, LowRankAffinity, NeighborGraph, diffused, norm_estimate, normalise
from partita.affinity.base import Affinity
from partita.kernels import products
from partita.kernels.threads import limit_threads

# Sums of a few dozen products of numbers below about 100: rounding is far below, a wrong entry far above.
ROUNDING = 1e-10
# What `partita.affinity.norm_estimate` says of its estimates.
ESTIMATE = 0.02
N = 23
KINDS = sorted(Affinity.kinds)


def close(found, expected):
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=ROUNDING, atol=ROUNDING * np.abs(expected).max())


def product_is_that_of_the_matrix(P, matrix, rng):
    for width in (1, 2, 7, N + 3):
        W = rng.normal(size=(len(matrix), width))
        close(P @ W, matrix @ W)
    fortran = np.asfortranarray(rng.normal(size=(len(matrix), 3)))
    close(P @ fortran, matrix @ fortran)


def a_product_may_be_written_over_a_spare_one(P, matrix, rng):
    for compiled in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(products, "COMPILED_FROM", 0 if compiled else 1 << 60)
            W, other = rng.normal(size=(2, len(matrix), 5))
            before, spare = W.copy(), P @ other
            close(P.product(W, spare), matrix @ W)
            close(P.product(W), matrix @ W)
            np.testing.assert_array_equal(W, before)


def squared_norm_is_the_sum_of_squares(P, matrix, rng):
    rounding = ROUNDING if P.squared_norm_is_exact else ESTIMATE
    assert P.squared_norm() == pytest.approx((matrix**2).sum(), rel=rounding)
    w = rng.random(len(matrix)) * 3
    w[0] = 0.0
    assert P.squared_norm(w) == pytest.approx(w @ matrix**2 @ w, rel=rounding)


def diagonal_row_sums_and_mean_are_those_of_the_matrix(P, matrix, rng):
    close(P.diagonal(), matrix.diagonal())
    close(P.row_sums(), matrix.sum(axis=1))
    assert P.mean() == pytest.approx(matrix.mean(), rel=ROUNDING)
    close(P.to_dense(), matrix)
    assert P.shape == matrix.shape
    assert P.n_items == len(matrix)


def a_product_costs_at_least_its_output_and_says_so(P, matrix, rng):
    assert isinstance(P.multiplications, int)
    assert P.multiplications >= np.count_nonzero(np.diag(matrix))


def rows_come_in_the_order_asked(P, matrix, rng):
    for index in ([5, 2, 19], [3, 3, 0, 3], [7], 4, np.array([], dtype=int), np.arange(len(matrix))[::-1]):
        close(P.rows(index), matrix[np.atleast_1d(index).astype(int)]) if np.size(index) else None
        assert P.rows(index).shape == (np.size(index), len(matrix))


def one_of_low_rank_is_its_factors_product(P, matrix, rng):
    scale = rng.random(len(matrix)) + 0.5
    for affinity, expected in ((P, matrix), (P.scaled(scale), matrix * scale[:, None] * scale)):
        found = affinity.as_low_rank()
        if found is not None:
            low, factors = found
            close(factors[:, None] * low.to_dense() * factors, expected)


def scaled_is_diag_p_diag(P, matrix, rng):
    factors = rng.random(len(matrix)) + 0.5
    expected = matrix * factors[:, None] * factors
    scaled = P.scaled(factors)
    for law in (product_is_that_of_the_matrix, squared_norm_is_the_sum_of_squares, rows_come_in_the_order_asked):
        law(scaled, expected, rng)
    diagonal_row_sums_and_mean_are_those_of_the_matrix(scaled, expected, rng)
    # Scaling twice multiplies, and leaves the first one as it was.
    close(scaled.scaled(factors).to_dense(), expected * factors[:, None] * factors)
    close(P.to_dense(), matrix)
    assert scaled.products == P.products


def writing_into_an_answer_changes_no_later_answer(P, matrix, rng):
    W = rng.random((len(matrix), 2))
    before = W.copy()
    for answer in (P @ W, P.rows([1, 2]), P.rows(1), P.diagonal(), P.row_sums(), P.to_dense()):
        if answer.flags.writeable:  # an answer that cannot be written to is as good
            answer[...] = np.nan
    np.testing.assert_array_equal(W, before)
    for law in (product_is_that_of_the_matrix, squared_norm_is_the_sum_of_squares, rows_come_in_the_order_asked):
        law(P, matrix, rng)
    diagonal_row_sums_and_mean_are_those_of_the_matrix(P, matrix, rng)


def the_caller_keeps_its_arrays(P, matrix, rng):
    factors = np.ones(len(matrix))
    scaled = P.scaled(factors)
    factors[:] = 7.0
    close(scaled.to_dense(), matrix)


def kind_is_probability_only_within_bounds(P, matrix, rng):
    assert P.kind in ("probability", "similarity")
    if P.kind == "probability":
        assert matrix.min() >= 0
        assert matrix.max() <= 1 + 1e-12  # sums of weights that add up to one, rounded
    twice = P.scaled(np.full(len(matrix), 2.0))
    if (matrix * 4).max() > 1.001:
        assert twice.kind == "similarity"


def a_product_costs_at_least_one(P, matrix, rng):
    assert isinstance(P.products, int)
    assert P.products >= 1


def the_matrix_is_symmetric(P, matrix, rng):
    dense = P.to_dense()
    close(dense, dense.T)


LAWS = [
    product_is_that_of_the_matrix,
    squared_norm_is_the_sum_of_squares,
    a_product_may_be_written_over_a_spare_one,
    diagonal_row_sums_and_mean_are_those_of_the_matrix,
    rows_come_in_the_order_asked,
    scaled_is_diag_p_diag,
    one_of_low_rank_is_its_factors_product,
    writing_into_an_answer_changes_no_later_answer,
    the_caller_keeps_its_arrays,
    kind_is_probability_only_within_bounds,
    a_product_costs_at_least_one,
    the_matrix_is_symmetric,
]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [0, 1])
def test_every_kind(kind, law, seed):
    for P, matrix in Affinity.kinds[kind].examples(np.random.default_rng(seed), N):
        assert type(P) is Affinity.kinds[kind]
        law(P, matrix, np.random.default_rng(100 + seed))


@pytest.mark.parametrize("n", [300, 800])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_at_sizes_that_take_other_ways(kind, n):
    """Of draws: more than twice as many draws as items, and fewer, with labels enough for the compiled products."""
    laws = (
        product_is_that_of_the_matrix,
        squared_norm_is_the_sum_of_squares,
        rows_come_in_the_order_asked,
        diagonal_row_sums_and_mean_are_those_of_the_matrix,
        kind_is_probability_only_within_bounds,
    )
    for P, matrix in Affinity.kinds[kind].examples(np.random.default_rng(5), n):
        for law in laws:
            law(P, matrix, np.random.default_rng(105))


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_a_new_kind_registers_itself_and_passes_with_a_product_and_a_diagonal_alone(law):
    class Circulant(Affinity):
        name = "made up for this test"

        def __init__(self, first_row, factors):
            self._row, self._factors = first_row, factors

        @property
        def n_items(self):
            return len(self._row)

        def __matmul__(self, W):
            spectrum = np.fft.fft(self._row)[:, None] * np.fft.fft(self._factors[:, None] * W, axis=0)
            return self._factors[:, None] * np.fft.ifft(spectrum, axis=0).real

        def diagonal(self):
            return self._factors**2 * self._row[0]

        def scaled(self, factors):
            return Circulant(self._row, self._factors * factors)

        @classmethod
        def example(cls, rng, n_items):
            half = rng.random(n_items)
            row = half + half[-np.arange(n_items)]
            lag = np.arange(n_items)
            return cls(row, np.ones(n_items)), row[np.abs(lag[:, None] - lag)]

    try:
        assert Affinity.kinds["made up for this test"] is Circulant
        P, matrix = Circulant.example(np.random.default_rng(0), N)
        law(P, matrix, np.random.default_rng(1))
    finally:
        del Affinity.kinds["made up for this test"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_bits_do_not_depend_on_the_number_of_threads(kind, monkeypatch):
    n, width = 1200, 16  # 1200 * 1200 * 16 = 2.3e7 multiplications, half of them in the sparse example: both above 1e7
    P, matrix = Affinity.kinds[kind].example(np.random.default_rng(2), n)
    W = np.random.default_rng(3).random((n, width))
    threads_used = []
    real = products.run_chunks

    def spy(work, bounds):
        from partita.kernels.threads import n_threads

        assert len(bounds) > 1
        assert [b for pair in bounds for b in pair][1:-1:2] == [low for low, _ in bounds[1:]]  # no gap, no overlap
        threads_used.append(min(n_threads(), len(bounds)))
        real(work, bounds)

    monkeypatch.setattr(products, "run_chunks", spy)
    with limit_threads(1):
        one = P @ W
    with limit_threads(2):
        two = P @ W
    with limit_threads(3):
        three = P @ W
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one, three)
    close(one, matrix @ W)
    if P.multiplications * width > products.PARALLEL_FROM:
        assert set(threads_used) == {1, 2, 3}  # the chunked path was taken


def test_a_sparse_product_with_empty_rows_is_whole(monkeypatch):
    class Unset:
        """NumPy whose fresh arrays hold NaN: a row that nobody computes is seen."""

        def __getattr__(self, name):
            return getattr(np, name)

        @staticmethod
        def empty(shape):
            return np.full(shape, np.nan)

    monkeypatch.setattr(products, "np", Unset())
    monkeypatch.setattr(products, "COMPILED_FROM", 0)
    monkeypatch.setattr(products, "CHUNK", 50)
    rng = np.random.default_rng(0)
    matrix = sp.random_array((300, 300), density=0.01, format="csr", rng=rng)
    matrix = sp.csr_array(matrix + matrix.T)
    keep = np.ones(300)
    keep[[0, 1, 2, 150, 297, 298, 299]] = 0.0
    matrix = sp.csr_array(sp.diags_array(keep) @ matrix @ sp.diags_array(keep))
    matrix.eliminate_zeros()
    W = rng.random((300, 3))
    # The same few products a row, added in the same order: a difference is a lost or doubled row.
    np.testing.assert_allclose(products.csr_product(matrix, W), matrix.toarray() @ W, atol=1e-12)


def test_the_estimated_norm_of_a_diffusion_is_within_its_stated_error(monkeypatch):
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(5, 3)) * 4
    X = centres[rng.integers(0, 5, 1500)] + rng.normal(size=(1500, 3))
    S = normalise(NeighborGraph().build(X, n_clusters=5).affinity, "symmetric").affinity
    weights = rng.integers(1, 4, 1500).astype(float)
    P = DiffusedAffinity(S, 4)
    monkeypatch.setattr(diffused, "EXACT_UP_TO", 2000)
    exact, weighted = P.squared_norm(), P.squared_norm(weights)
    dense = np.linalg.matrix_power(S.to_dense(), 4)
    assert exact == pytest.approx((dense**2).sum(), rel=ROUNDING)
    assert P.squared_norm_is_exact
    monkeypatch.setattr(diffused, "EXACT_UP_TO", 100)
    assert not P.squared_norm_is_exact
    # The module's figure.
    assert P.squared_norm() == pytest.approx(exact, rel=0.02)
    assert P.squared_norm(weights) == pytest.approx(weighted, rel=0.02)
    # Exact where the rank is below the number of probes: this is what tells a wrong factor from an unlucky estimate.
    W = rng.dirichlet(np.full(5, 0.2), size=1500)
    thin = DiffusedAffinity(LowRankAffinity(W / 30), 2)
    assert thin.squared_norm(weights) == pytest.approx(
        weights @ np.linalg.matrix_power(W @ W.T / 900, 2) ** 2 @ weights, rel=1e-8
    )
    assert P.squared_norm() == P.squared_norm()
    # With few probes half of the norm lies outside the space they span: the estimate of the rest has to be there.
    monkeypatch.setattr(norm_estimate, "PROBES", (8, 8))
    assert P.squared_norm() == pytest.approx(exact, rel=0.15)


def test_a_subclass_under_its_parents_name_does_not_take_its_place():
    before = Affinity.kinds["dense"]

    class Special(before):
        pass

    assert Affinity.kinds["dense"] is before
