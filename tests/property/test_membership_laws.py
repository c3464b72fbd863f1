"""What holds for every membership."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from partita.errors import InputError
from partita.membership import Membership

# Sums of at most 6 terms below 1.
ROUNDING = 1e-12


@st.composite
def memberships(draw, min_clusters=1):
    n, K = draw(st.integers(1, 12)), draw(st.integers(min_clusters, 6))
    # zeros and ties on purpose
    raw = draw(arrays(np.float64, (n, K), elements=st.sampled_from([0.0, 0.0, 1.0, 1.0, 2.0, 0.3, 1e-9])))
    raw[raw.sum(axis=1) == 0] = 1.0
    return Membership(raw / raw.sum(axis=1, keepdims=True), draw(st.integers(0, 5)))


@given(memberships())
def test_rows_are_on_the_simplex_and_cannot_be_written_to(m):
    assert np.abs(m.matrix.sum(axis=1) - 1).max() <= 1e-12
    assert m.matrix.min() >= 0
    with pytest.raises(ValueError, match="read-only"):
        m.matrix[0, 0] = 0.5


@given(memberships())
def test_entropy_lies_between_certain_and_uniform(m):
    assert (m.entropy >= 0).all()
    assert (m.entropy <= np.log(m.n_clusters) + ROUNDING).all()
    for row, entropy in zip(m.matrix, m.entropy):
        positive = row[row > 0]
        assert entropy == pytest.approx(-(positive * np.log(positive)).sum(), abs=ROUNDING)


@given(st.integers(1, 50))
def test_entropy_and_margin_at_the_ends(K):
    certain, uniform = Membership(np.eye(K)), Membership(np.full((2, K), 1 / K))
    assert (certain.entropy == 0).all()
    assert not np.signbit(certain.entropy).any()  # files say 0, not -0
    assert (certain.margin == 1).all()
    np.testing.assert_allclose(uniform.entropy, np.log(K), atol=ROUNDING)
    np.testing.assert_allclose(uniform.margin, 1.0 if K == 1 else 0.0, atol=ROUNDING)


@given(memberships(min_clusters=2))
def test_margin_is_the_largest_minus_the_second(m):
    descending = np.sort(m.matrix, axis=1)[:, ::-1]
    np.testing.assert_array_equal(m.margin, descending[:, 0] - descending[:, 1])


@given(memberships(), st.floats(0, 1.1))
def test_the_boundary_holds_every_item_below_the_margin_the_most_ambiguous_first(m, limit):
    found = m.boundary(limit)
    assert set(found.tolist()) == {i for i in range(m.n_items) if m.margin[i] < limit}
    assert (np.diff(m.margin[found]) >= 0).all()


@given(memberships())
def test_labels_are_an_argmax_and_sizes_count_them(m):
    assert m.labels.dtype == np.int64
    assert (m.matrix[np.arange(m.n_items), m.labels] == m.matrix.max(axis=1)).all()
    assert m.sizes.tolist() == [(m.labels == k).sum() for k in range(m.n_clusters)]
    for k, certainty in enumerate(m.certainty()):
        mine = m.matrix[m.labels == k, k]
        if len(mine):
            assert certainty == pytest.approx(mine.mean(), abs=ROUNDING)
        else:
            assert np.isnan(certainty)


def test_ties_are_broken_at_random_from_the_seed():
    W = np.tile([0.4, 0.2, 0.4], (600, 1))
    labels = [Membership(W, seed).labels for seed in (0, 0, 1)]
    np.testing.assert_array_equal(labels[0], labels[1])
    assert (labels[0] != labels[2]).any()
    counts = np.bincount(labels[0], minlength=3)
    assert counts[1] == 0
    # binomial(600, 1/2) has standard deviation 12: five of them
    assert abs(counts[0] - 300) < 61
    assert (Membership(W, 0).labels == Membership(W, np.random.default_rng(0)).labels).all()


@given(memberships(), st.data())
def test_aligning_undoes_any_relabelling(m, data):
    order = data.draw(st.permutations(range(m.n_clusters)))
    relabelled = Membership(m.matrix[:, order])
    aligned = relabelled.aligned_to(m)
    # Where two columns overlap equally with two others the assignment is not unique, its agreement is.
    agreement = np.einsum("nk,nk->", aligned.matrix, m.matrix)
    best = np.einsum("nk,nk->", m.matrix, m.matrix)
    assert agreement >= best - 1e-9
    # a membership that comes in is divided by its row sums: one rounding
    np.testing.assert_allclose(np.sort(aligned.matrix, axis=1), np.sort(m.matrix, axis=1), atol=ROUNDING)


@given(st.permutations(range(4)), st.integers(0, 3))
def test_aligning_gives_back_the_very_membership_where_clusters_differ(order, seed):
    rng = np.random.default_rng(seed)
    W = 0.6 * np.eye(4)[rng.permutation(np.arange(20) % 4)] + 0.4 * rng.dirichlet(np.ones(4), size=20)
    m = Membership(W)
    np.testing.assert_allclose(Membership(m.matrix[:, order]).aligned_to(m).matrix, m.matrix, atol=ROUNDING)
    np.testing.assert_array_equal(Membership(m.matrix[:, order]).aligned_to(m.labels).labels, m.labels)
    names = np.array(["d", "a", "c", "b"])[m.labels]
    aligned = Membership(m.matrix[:, order]).aligned_to(names)
    np.testing.assert_array_equal(np.array(["a", "b", "c", "d"])[aligned.labels], names)


@given(memberships(), st.data())
def test_aligning_moves_no_item_to_another_cluster_ties_included(m, data):
    reference = data.draw(st.lists(st.integers(0, 7), min_size=m.n_items, max_size=m.n_items))
    aligned = m.aligned_to(reference)
    moved = dict(zip(m.labels.tolist(), aligned.labels.tolist()))
    assert aligned.labels.tolist() == [moved[label] for label in m.labels.tolist()]
    assert len(set(moved.values())) == len(moved)
    assert m.aligned_to(reference).labels.tolist() == aligned.labels.tolist()


def test_a_reference_with_an_empty_cluster_keeps_its_numbers():
    W = np.eye(3)[[0, 0, 1, 1, 2]]
    assert Membership(W).aligned_to([2, 2, 0, 0, 0]).labels[:4].tolist() == [2, 2, 0, 0]


@given(memberships(), st.data())
def test_co_membership_is_the_product_of_rows(m, data):
    items = st.lists(st.integers(0, m.n_items - 1), min_size=1, max_size=5)
    first, second = data.draw(items), data.draw(items)
    expected = [[sum(m.matrix[i, k] * m.matrix[j, k] for k in range(m.n_clusters)) for j in second] for i in first]
    np.testing.assert_allclose(m.co_membership(first, second), expected, atol=ROUNDING)
    np.testing.assert_allclose(m.co_membership(), m.matrix @ m.matrix.T, atol=ROUNDING)
    np.testing.assert_allclose(m.co_membership(first[0]), m.matrix[first[:1]] @ m.matrix.T, atol=ROUNDING)
    assert m.co_membership().max() <= 1 + ROUNDING


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0.5, 0.5], [0.7, 0.2]], "row 1 "),
        ([[1.2, -0.2]], "row 0 "),
        ([[0.5, 0.5], [0.5, 0.5], [np.nan, 1.0]], "row 2 "),
        ([[np.inf, 0.0]], "row 0 "),
        ([0.5, 0.5], "N x K"),
        (np.empty((0, 2)), "N x K"),
        (np.empty((2, 0)), "N x K"),
    ],
)
def test_rows_off_the_simplex_are_refused_by_number(rows, message):
    with pytest.raises(InputError, match=message):
        Membership(rows)


def test_rounding_is_taken_off_and_a_reference_of_another_length_refused():
    m = Membership([[0.5 + 4e-7, 0.5 + 4e-7], [1 + 5e-7, -5e-7]])
    assert np.abs(m.matrix.sum(axis=1) - 1).max() <= 1e-15
    assert m.matrix.min() >= 0
    with pytest.raises(InputError, match="3 items"):
        m.aligned_to([0, 1, 1])


def test_the_caller_keeps_its_array():
    W = np.array([[0.5, 0.5]])
    m = Membership(W)
    W[:] = 0.0
    assert m.matrix.tolist() == [[0.5, 0.5]]
