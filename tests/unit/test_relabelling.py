"""Relabelling of draws: against brute force over all permutations, and what must not matter."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from partita.errors import InputError, MemoryLimitError
from partita.nmf import membership_misfit
from partita.relabelling import ECR, Relabelling, Stephens, relabel
from partita.relabelling import draws as draws_module
from synthetic import draws_around

METHODS = sorted(Relabelling.registry)
few = settings(max_examples=20, deadline=None)
seeds = st.integers(0, 10_000)


def switching(seed, n_items=30, n_draws=40, n_clusters=3, doubt=0.3):
    """Draws about a truth whose labels are permuted from draw to draw; the truth, and the draws before that."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n_items) % n_clusters
    kept = draws_around(truth, n_draws, doubt * rng.random(n_items), seed=rng)
    kept[:, :n_clusters] = truth[:n_clusters]  # every cluster is used
    return truth, np.stack([rng.permutation(n_clusters)[row] for row in kept]), kept


def shares_of(kept, n_clusters):
    return (kept[:, :, None] == np.arange(n_clusters)).mean(axis=0)


@few
@given(seeds)
def test_ecr_matches_each_draw_as_well_as_any_permutation_can(seed):
    truth, draws, _ = switching(seed, doubt=0.9)
    result = relabel(draws, truth, method="ecr")
    best = [max((np.array(order)[row] == truth).mean() for order in permutations(range(3))) for row in draws]
    assert result.objective == pytest.approx(np.mean(best), rel=1e-12)
    matched = [columns[row] for columns, row in zip(result.columns, draws)]
    assert [(row == truth).mean() for row in matched] == best
    np.testing.assert_allclose(result.membership.matrix, shares_of(np.array(matched), 3), rtol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_labels_that_switch_are_undone(method):
    truth, draws, kept = switching(1, n_items=60, n_draws=200)
    result = relabel(draws, truth, method=method)
    np.testing.assert_allclose(result.membership.matrix, shares_of(kept, 3), rtol=1e-12)
    assert result.status == "converged"
    assert result.share_unmatched == 0.0


@few
@given(seeds, st.sampled_from(METHODS))
def test_names_of_clusters_do_not_matter(seed, method):
    rng = np.random.default_rng(seed)
    truth, draws, _ = switching(seed)
    result = relabel(draws, truth, method=method)
    renamed = np.stack([rng.permutation(30)[row] for row in draws])  # labels with gaps
    np.testing.assert_allclose(
        relabel(renamed, truth, method=method).membership.matrix, result.membership.matrix, rtol=1e-12
    )
    words = np.array(["c", "a", "b"])[draws]
    np.testing.assert_allclose(
        relabel(words, truth, method=method).membership.matrix, result.membership.matrix, rtol=1e-12
    )
    order = rng.permutation(3)
    turned = relabel(draws, order[truth], method=method)
    np.testing.assert_allclose(turned.membership.matrix[:, order], result.membership.matrix, rtol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_equal_draws_are_a_hard_membership(method):
    draws = np.tile([4, 4, 1, 1, 7], (6, 1))
    result = relabel(draws, [0, 0, 1, 1, 2], method=method)
    np.testing.assert_array_equal(result.membership.matrix, np.eye(3)[[0, 0, 1, 1, 2]])
    assert result.misfit == pytest.approx(0.0, abs=1e-7)
    assert result.labels.tolist() == [0, 0, 1, 1, 2]


@few
@given(seeds, st.sampled_from(METHODS))
def test_a_weight_of_two_is_the_draw_twice_and_zero_is_the_draw_left_out(seed, method):
    rng = np.random.default_rng(seed)
    truth, draws, _ = switching(seed, n_draws=12)
    weights = rng.integers(0, 3, 12)
    weights[0] = 1
    # The pseudo-draw counts beside as many draws as there are rows.
    chosen = Stephens(pseudo_draws=len(draws) / weights.sum()) if method == "stephens" else method
    weighed = relabel(draws, truth, method=chosen, weights=weights)
    copied = relabel(np.repeat(draws, weights, axis=0), truth, method=method)
    np.testing.assert_allclose(weighed.membership.matrix, copied.membership.matrix, rtol=1e-10, atol=1e-14)


def test_extra_clusters_join_or_stand_apart():
    truth = np.array([0, 0, 0, 1, 1, 1])
    draws = np.array([[0, 0, 0, 1, 1, 1], [5, 5, 2, 3, 3, 3], [1, 1, 1, 1, 1, 1]])
    joined = relabel(draws, truth, method="ecr")
    np.testing.assert_allclose(joined.membership.matrix[:, 0], [1, 1, 1, 1 / 3, 1 / 3, 1 / 3])
    apart = relabel(draws, truth, method="ecr", extra="other")
    np.testing.assert_allclose(apart.membership.matrix[2], [2 / 3, 0, 1 / 3])
    np.testing.assert_allclose(apart.membership.matrix[:, :2].sum(axis=1), [1, 1, 2 / 3, 1, 1, 1])
    assert joined.share_unmatched == apart.share_unmatched == pytest.approx(1 / 3)
    assert apart.columns[1].tolist() == [-1, -1, 2, 1, -1, 0]


@pytest.mark.parametrize("method", METHODS)
def test_of_too_many_clusters_the_large_ones_are_matched(method):
    """A single item must not take the column that a large cluster fits."""
    truth = np.repeat([0, 1], 10)
    split = truth.copy()
    split[0], split[10] = 2, 3
    result = relabel(np.stack([truth] * 5 + [split] * 3), truth, method=method, extra="other")
    assert result.columns[-1].tolist() == [0, 1, 2, 2]


def test_the_iterated_pivot_agrees_with_no_fewer_items():
    truth, draws, _ = switching(3, doubt=1.5)
    wrong = np.where(np.arange(len(truth)) < 9, 0, truth)
    once, more = (relabel(draws, wrong, method=name) for name in ("ecr", "ecr-iterative"))
    assert more.n_iter > 1
    assert more.objective > once.objective
    # At its end the pivot is the most frequent column, and one more pass changes nothing.
    again = relabel(draws, more.labels, method="ecr")
    np.testing.assert_array_equal(again.membership.matrix, more.membership.matrix)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_stephens_never_loses_likelihood_and_ends_where_no_draw_would_change(seed):
    truth, draws, _ = switching(seed, doubt=1.6)
    start, M = np.random.default_rng(seed).integers(0, 3, len(truth)), len(draws)
    start[:3] = range(3)

    def value(result):
        """Log likelihood of the matched draws and the uniform pseudo-draw under the shares."""
        q = (result.membership.matrix + 1 / (3 * M)) / (1 + 1 / M)
        own = sum(np.log(q[np.arange(len(truth)), c[row]]).sum() for c, row in zip(result.columns, draws))
        return own + np.log(q).sum() / 3

    values = [value(relabel(draws, start, method="stephens", max_iter=n)) for n in range(1, 12)]
    assert (np.diff(values) >= -1e-9).all()
    assert values[-1] > values[0]
    end = relabel(draws, start, method="stephens")
    q = np.log(end.membership.matrix + 1 / (3 * M))
    for columns, row in zip(end.columns, draws):
        every = [q[np.arange(len(truth)), np.array(order)[row]].sum() for order in permutations(range(3))]
        assert q[np.arange(len(truth)), columns[row]].sum() == pytest.approx(max(every), rel=1e-12)


@pytest.mark.parametrize("pseudo_draws", [0.5, 1.0, 7.0])
def test_the_pseudo_draw_counts_as_so_many_draws(pseudo_draws):
    shares, M = np.array([[0.5, 0.3, 0.2], [1.0, 0.0, 0.0]]), 10
    q = (M * shares + pseudo_draws / 3) / (M + pseudo_draws)
    nowhere = pseudo_draws / 3 / (M + pseudo_draws)
    np.testing.assert_allclose(Stephens(pseudo_draws).scores(shares, M), np.log(q / nowhere), rtol=1e-12, atol=1e-14)


def test_passes_that_are_too_few_are_said():
    truth, draws, _ = switching(3, doubt=1.5)
    with pytest.warns(ConvergenceWarning, match="1 passes"):
        assert relabel(draws, truth, method="stephens", max_iter=1).status == "max_iter"


def test_probabilities_are_matched_too():
    rng = np.random.default_rng(0)
    truth = np.arange(20) % 3
    base = 0.8 * np.eye(3)[truth] + 0.2 / 3
    kept = np.stack([0.9 * base + 0.1 * rng.dirichlet(np.ones(3), 20) for _ in range(15)])
    orders = [rng.permutation(3) for _ in kept]
    shuffled = np.stack([Q[:, order] for Q, order in zip(kept, orders)])
    result = relabel(shuffled, truth, method="stephens")
    np.testing.assert_allclose(result.membership.matrix, kept.mean(axis=0), rtol=1e-12)
    assert [c.tolist() for c in result.columns] == [order.tolist() for order in orders]
    v = rng.random(15)
    weighed = relabel(shuffled, truth, method="stephens", weights=v)
    np.testing.assert_allclose(weighed.membership.matrix, np.tensordot(v / v.sum(), kept, 1), rtol=1e-12)
    _, draws, _ = switching(2)
    hard, soft = (relabel(d, np.arange(30) % 3, method="stephens") for d in (draws, np.eye(3)[draws]))
    np.testing.assert_allclose(soft.membership.matrix, hard.membership.matrix, rtol=1e-12)
    with pytest.raises(InputError, match="'ecr'"):
        relabel(shuffled, truth, method="ecr")
    with pytest.raises(InputError, match="probabilities"):
        relabel(shuffled * 2, truth, method="stephens")


@pytest.mark.parametrize("method", METHODS)
def test_how_many_draws_are_taken_at_a_time_does_not_matter(method, monkeypatch):
    truth, draws, _ = switching(5, n_draws=33)
    whole = relabel(draws, truth, method=method)
    monkeypatch.setattr(draws_module, "BLOCK", 100)
    parts = relabel(draws, truth, method=method)
    np.testing.assert_array_equal(parts.columns, whole.columns)
    np.testing.assert_allclose(parts.membership.matrix, whole.membership.matrix, rtol=1e-12)


def test_ten_thousand_draws_of_two_hundred_items_give_the_shares_they_were_made_with():
    truth, draws, kept = switching(0, n_items=200, n_draws=10_000, n_clusters=8)
    result = relabel(draws.astype(np.int8), truth, method="stephens")
    np.testing.assert_allclose(result.membership.matrix, shares_of(kept, 8), rtol=1e-10)
    together = np.zeros((200, 200))
    for row in kept.astype(np.int8):
        together += row[:, None] == row
    assert result.misfit == pytest.approx(membership_misfit(together / len(kept), result.membership.matrix), rel=1e-6)
    # Labels that are independent: what is left is the noise of so many draws.
    assert result.misfit < 0.01


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pivot": [0, 1]}, "4 labels"),
        ({"method": "sja"}, "'sja'"),
        ({"extra": "drop"}, "'join'"),
        ({"max_iter": 0}, "max_iter"),
        ({"weights": [1.0, -1.0]}, r"weights .*\(2,\)"),
        ({"draws": [0, 1, 2]}, "1-dimensional"),
        ({"draws": [[0, 1, 2, 0.5]]}, r"draws .*0\.5"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    call = {"draws": [[0, 0, 1, 1], [1, 1, 0, 0]], "pivot": [0, 0, 1, 1]} | change
    with pytest.raises(InputError, match=message):
        relabel(**call)
    with pytest.raises(InputError, match=r"pseudo_draws=0\.0"):
        Stephens(pseudo_draws=0.0)


def test_columns_that_would_not_fit_are_refused(monkeypatch):
    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", "1000")
    with pytest.raises(MemoryLimitError, match="100 draws"):
        relabel(np.zeros((100, 3), dtype=np.int8) + np.arange(3, dtype=np.int8), [0, 1, 2], method=ECR())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(5))
def test_without_a_pivot_switched_labels_are_undone(method, seed):
    truth, draws, kept = switching(seed)
    result = relabel(draws, method=method)
    # Columns are in an order of their own: the one in which most items are where they were before the labels switched.
    expected = shares_of(kept, 3)
    off = min(np.abs(result.membership.matrix[:, list(order)] - expected).max() for order in permutations(range(3)))
    assert off < 1e-12 if method != "ecr" else off < 0.2
    assert len(np.unique(result.labels[truth == 0])) == 1


def test_without_a_pivot_weights_and_probabilities_are_taken():
    truth, draws, _ = switching(0)
    junk = np.r_[np.zeros((40, 30), dtype=int), draws]
    weights = np.repeat([0.0, 1.0], 40)
    found, alone = relabel(junk, weights=weights), relabel(draws)
    np.testing.assert_allclose(found.membership.matrix, alone.membership.matrix, atol=1e-12)
    soft = relabel(np.eye(3)[draws], method="stephens")
    assert len(np.unique(soft.labels[truth == 1])) == 1
    assert soft.membership.matrix.shape == (30, 3)
