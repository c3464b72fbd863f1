"""Laws of the affinity of draws, on the way of small inputs and on that of large ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from partita.affinity import DrawsAffinity, draws
from partita.affinity.label_blocks import LabelBlocks

# Sums of a few dozen numbers of about one.
ROUNDING = 1e-12
few = settings(max_examples=30, deadline=None)
labels = st.tuples(st.integers(1, 12), st.integers(1, 40)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(-3, 6))
)


@pytest.fixture(params=[False, True], ids=["factor", "labels"], autouse=True)
def way(request):
    """Few labels go by a sparse factor, many by the labels themselves."""
    kept = draws.COMPILED_FROM, draws.FORMED_UP_TO
    draws.COMPILED_FROM, draws.FORMED_UP_TO = (0, 0) if request.param else (10**9, 0)
    yield
    draws.COMPILED_FROM, draws.FORMED_UP_TO = kept


def product(given, seed=0, weights=None):
    W = np.random.default_rng(seed).normal(size=(given.shape[1], 3))
    return DrawsAffinity(given, weights) @ W


@few
@given(labels, st.integers(0, 1000))
def test_names_of_clusters_mean_nothing(given, seed):
    rng = np.random.default_rng(seed)
    renamed = given.copy()
    for row in renamed:
        names = rng.permutation(1000)[: np.ptp(row) + 1] - 500
        row[:] = names[row - row.min()]
    np.testing.assert_allclose(product(renamed), product(given), atol=ROUNDING)


@few
@given(labels, st.integers(0, 1000))
def test_the_order_of_draws_means_nothing(given, seed):
    order = np.random.default_rng(seed).permutation(len(given))
    np.testing.assert_allclose(product(given[order]), product(given), atol=ROUNDING)


@few
@given(labels, st.integers(0, 1000))
def test_a_permutation_of_items_permutes_the_affinity(given, seed):
    order = np.random.default_rng(seed).permutation(given.shape[1])
    P, Q = DrawsAffinity(given), DrawsAffinity(given[:, order])
    np.testing.assert_allclose(Q.to_dense(), P.to_dense()[order][:, order], atol=ROUNDING)
    assert Q.squared_norm() == pytest.approx(P.squared_norm(), rel=ROUNDING)


@few
@given(labels, st.data())
def test_a_weight_of_two_is_a_draw_given_twice(given, data):
    counts = np.array(data.draw(st.lists(st.integers(1, 3), min_size=len(given), max_size=len(given))))
    repeated = np.repeat(given, counts, axis=0)
    np.testing.assert_allclose(product(given, weights=counts), product(repeated), atol=ROUNDING)
    assert DrawsAffinity(given, counts).squared_norm() == pytest.approx(
        DrawsAffinity(repeated).squared_norm(), rel=ROUNDING
    )


@few
@given(labels)
def test_the_affinity_is_a_probability_that_a_pair_is_together(given):
    P = DrawsAffinity(given).to_dense()
    assert P.min() >= 0.0
    assert P.max() <= 1.0 + ROUNDING
    assert np.linalg.eigvalsh(P).min() > -1e-10
    # Being together is transitive within a draw: 1 - P is a distance.
    D = 1.0 - P
    assert (D[:, :, None] + D[None, :, :] >= D[:, None, :] - 1e-9).all()


@few
@given(labels)
def test_numbering_keeps_the_partition_and_uses_every_number(given):
    blocks = LabelBlocks(given)
    numbered = np.concatenate([block for _, block in blocks])
    np.testing.assert_array_equal(numbered[:, :, None] == numbered[:, None, :], given[:, :, None] == given[:, None, :])
    np.testing.assert_array_equal(blocks.n_clusters, numbered.max(axis=1) + 1)
