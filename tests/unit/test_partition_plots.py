"""Pictures of a partition from draws: what they show is what was found, at every size, and drawn the same each time."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cut_tree, linkage
from sklearn.metrics import adjusted_rand_score, mutual_info_score

from partita import BayesianPartition, partition_distance, posterior_similarity
from partita.errors import InputError
from partita.partition.credible_ball import credible_ball
from partita.partition.result import Tried
from synthetic import draws_around, random_affinity

pytest.importorskip("matplotlib")

from partita.plots import (
    ChainTracesDisplay,
    ClusterCountsDisplay,
    LossesDisplay,
    MisfitDisplay,
    SimilarityDisplay,
    Strip,
    StripsDisplay,
    blank_figure,
    png,
)
from partita.plots.losses import cut_losses
from partita.plots.order import blocks, columns_of
from partita.plots.pair_means import PairMeans, mean_co_membership, mean_similarity, order_by_similarity
from partita.plots.strips import overlap_colors, overlap_names, parents

# Sums of a few thousand numbers of at most one, in another order.
ROUNDING = 1e-10


@pytest.fixture(scope="module")
def model():
    return BayesianPartition(random_state=0).fit(
        draws_around(np.arange(60) // 15, 200, 0.2), chain=np.arange(200) // 50
    )


@st.composite
def symmetric(draw):
    """A symmetric matrix with ones on its diagonal, an order by groups and where the columns begin."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, 25))
    P = random_affinity(n, seed=rng)
    np.fill_diagonal(P, 1.0)
    inner = rng.choice(np.arange(1, n), size=rng.integers(0, n), replace=False) if n > 1 else []
    return P, rng.permutation(n), np.r_[0, np.sort(inner), n].astype(np.intp), rng


def brute_means(P, order, columns):
    """The mean over pairs of different items of two groups; 1 where there is no such pair."""
    groups = [order[low:high] for low, high in pairwise(columns)]
    return [[np.mean([P[i, j] for i in a for j in b if i != j] or [1.0]) for b in groups] for a in groups]


@given(symmetric())
@settings(max_examples=80)
def test_a_cell_is_the_mean_over_pairs_of_different_items(case):
    P, order, columns, rng = case
    np.testing.assert_allclose(mean_similarity(P, order, columns), brute_means(P, order, columns), atol=ROUNDING)
    W = rng.dirichlet(np.ones(3), len(P))
    expected = brute_means(W @ W.T, order, columns)
    np.testing.assert_allclose(mean_co_membership(W, order, columns), expected, atol=ROUNDING)


@given(symmetric())
@settings(max_examples=40)
def test_items_stand_by_cluster_each_once(case):
    P, _, _, rng = case
    labels = np.unique(rng.integers(0, 4, len(P)), return_inverse=True)[1]
    order = order_by_similarity(labels, P)
    assert sorted(order.tolist()) == list(range(len(P)))
    assert (np.diff(labels[order]) >= 0).all()


@pytest.mark.parametrize("n", [60, 600])  # with leaves turned, and without
def test_groups_inside_a_cluster_stand_together(n):
    rng = np.random.default_rng(0)
    group = rng.permutation(np.arange(n) % 3)
    P = np.where(group[:, None] == group, 0.9, 0.5) + 0.01 * rng.random((n, n))
    order = order_by_similarity(np.zeros(n, dtype=np.int64), (P + P.T) / 2)
    assert np.count_nonzero(np.diff(group[order])) == 2


def test_means_from_the_draws_are_those_of_the_similarity_matrix(model, monkeypatch):
    monkeypatch.setattr("partita.plots.pair_means.fits", lambda _: False)
    pairs = PairMeans.of(model, max_rows=13)
    assert pairs.items_a_row == np.diff(pairs.columns).max() > 1
    expected = mean_similarity(model.psm(), pairs.order, pairs.columns)
    np.testing.assert_allclose(pairs.similarity, expected, atol=ROUNDING)


def test_a_fit_and_its_difference_add_up_to_the_similarity(model):
    pairs = PairMeans.of(model)
    off = ~np.eye(60, dtype=bool)
    misfit = np.linalg.norm((pairs.similarity - pairs.explained)[off]) / np.linalg.norm(pairs.similarity[off])
    assert misfit == pytest.approx(model.misfit_, rel=1e-9)
    _, axes = blank_figure(2, (9, 4))
    MisfitDisplay(pairs, misfit=model.misfit_).plot(axes)
    shown = [np.asarray(ax.images[-1].get_array()) for ax in axes]
    np.testing.assert_allclose(shown[0] + shown[1], pairs.similarity, atol=ROUNDING)
    low, high = axes[1].images[-1].get_clim()
    assert -low == high >= np.quantile(np.abs(shown[1]), 0.9)


def test_names_stand_at_their_items_while_they_fit(model):
    names = [f"item number {i}" for i in range(60)]
    _, (ax,) = blank_figure(1, (9, 8))
    drawn = SimilarityDisplay.from_estimator(model, ax=ax, names=names)
    for axis in (ax.get_xticklabels(), ax.get_yticklabels()):
        said = [label.get_text() for label in axis]
        assert said == [names[i] if len(names[i]) <= 14 else names[i][:13] + "\u2026" for i in drawn.pairs.order]
    _, (ax,) = blank_figure(1, (9, 8))
    SimilarityDisplay.from_estimator(model, ax=ax, names=names, max_items=20)
    assert not [label.get_text() for label in ax.get_yticklabels() if label.get_text()]
    assert "a row is the mean of up to 3 items" in ax.get_ylabel()
    with pytest.raises(InputError, match="59 entries"):
        SimilarityDisplay(PairMeans.of(model), names=names[1:])


def test_the_strips_show_the_clusters_at_their_rows(model):
    _, (ax,) = blank_figure(1, (9, 8))
    pairs = SimilarityDisplay.from_estimator(model, ax=ax, max_items=30).pairs
    left, top = (np.asarray(image.get_array()) for image in ax.images[:2])
    labels = model.labels_[pairs.order[pairs.columns[:-1]]]
    for strip in (left[:, 0], top[0]):
        assert len(np.unique(strip, axis=0)) == model.n_clusters_
        for k in range(model.n_clusters_):
            assert len(np.unique(strip[labels == k], axis=0)) == 1
    assert (np.diff(pairs.edges) == np.bincount(labels)).all()


@pytest.mark.parametrize("number", range(8))
def test_colours_go_with_the_clusters_whatever_their_numbers(number):
    rng = np.random.default_rng(number)
    reference = rng.integers(0, 5, 50)
    order = rng.permutation(5)
    np.testing.assert_array_equal(
        overlap_colors(order[reference], reference)[order], overlap_colors(reference, reference)
    )
    finer = 5 * rng.integers(0, 3, 50) + reference
    finer = np.unique(finer, return_inverse=True)[1]
    parent, rank = parents(finer, reference)
    np.testing.assert_array_equal(parent[finer], reference)  # a piece has the colour of what it is a piece of
    for p in range(5):
        assert sorted(rank[parent == p]) == list(range((parent == p).sum()))
    colors = overlap_colors(finer, reference)
    assert len(np.unique(colors, axis=0)) == len(colors)
    coarser = np.array([0, 0, 1, 1, 2])[reference]
    sizes = np.bincount(reference, minlength=5)
    expected = [int(np.argmax(sizes[:2])), 2 + int(np.argmax(sizes[2:4])), 4]
    assert parents(coarser, reference)[0].tolist() == expected


def test_a_cluster_has_the_colour_of_what_it_holds_the_majority_of():
    reference = np.repeat([0, 1, 2], [7, 72, 3])
    # One has a little more than half of the large cluster, the other the rest of it and both small ones.
    other = np.where((np.arange(82) >= 7) & (np.arange(82) < 45), 0, 1)
    assert [int(np.argmax(np.bincount(reference[other == j]))) for j in (0, 1)] == [1, 1]
    assert parents(other, reference)[0].tolist() == [1, 0]
    # Pieces that overlap two clusters alike are not both pieces of the first.
    assert sorted(parents(np.array([0, 1, 2, 0, 1, 2]), np.repeat([0, 1], 3))[0].tolist()) == [0, 0, 1]


def test_strips_stand_by_the_estimate_and_are_coloured_by_item():
    reference = np.array([0, 1, 0, 1, 0, 1, 2, 2])
    other = np.array([0, 1, 2, 1, 0, 1, 3, 3])
    _, (ax,) = blank_figure(1, (9, 2))
    drawn = StripsDisplay([Strip("a", reference), Strip("b", other)]).plot(ax)
    assert (np.diff(reference[drawn.order_]) >= 0).all()
    assert sorted(drawn.order_.tolist()) == list(range(8))
    assert drawn.order_.tolist()[:3] == [0, 4, 2]  # the piece apart stands last in its cluster
    for image, labels in zip(ax.images, (reference, other)):
        expected = overlap_colors(labels, reference)[labels[drawn.order_]]
        np.testing.assert_allclose(np.asarray(image.get_array())[0], expected)
    with pytest.raises(InputError, match=r"'b' .*2 labels"):
        StripsDisplay([Strip("a", np.zeros(3, dtype=int)), Strip("b", np.zeros(2, dtype=int))])


def test_each_wide_run_of_a_strip_names_the_cluster_whose_colour_it_has():
    reference = np.repeat([0, 1], 20)
    other = np.r_[np.repeat([0, 2], [12, 8]), np.full(19, 1), 2]  # the last run is one item wide
    _, (ax,) = blank_figure(1, (9, 2))
    StripsDisplay([Strip("a", reference), Strip("b", other)]).plot(ax)
    written = [(text.get_position(), text.get_text()) for text in ax.texts]
    assert [word for (_, row), word in written if row == 0] == ["0", "1"]
    colors = overlap_colors(other, reference)
    assert overlap_names(other, reference) == ["0", "1", "0b"]
    for (middle, row), word in written:
        if row == 1:
            color = np.asarray(ax.images[1].get_array())[0, int(middle)]
            np.testing.assert_allclose(color, colors[["0", "1", "0b"].index(word)])
    assert [word for (_, row), word in written if row == 1][:3] == ["0", "0b", "1"]
    narrow = StripsDisplay([Strip("a", np.arange(400))]).plot(blank_figure(1, (9, 2))[1])
    assert not narrow.ax_.texts


def test_ties_of_a_bound_are_said():
    labels = np.array([0, 0, 0, 1, 1, 1])
    draws = [labels, [0, 0, 1, 2, 2, 2], [0, 1, 0, 2, 2, 2], [1, 0, 0, 2, 2, 2]]
    ball = credible_ball(labels, draws, level=1.0)
    assert len(ball.horizontal) == 3
    _, (ax,) = blank_figure(1, (9, 2))
    drawn = StripsDisplay.from_ball(labels, ball, ax=ax)
    assert "1 of 3 tied partitions" in drawn.strips[1].note
    assert "tied" not in drawn.strips[2].note
    assert np.array_equal(drawn.strips[2].labels, ball.upper[0].labels)


def vi_bits(a, b):
    def entropy(labels):
        p = np.bincount(labels) / len(labels)
        p = p[p > 0]
        return -(p * np.log(p)).sum()

    return (entropy(a) + entropy(b) - 2 * mutual_info_score(a, b)) / np.log(2)


def binder(a, b):
    return np.mean((a[:, None] == a) != (b[:, None] == b))


def one_omari(a, b):
    return 1 - adjusted_rand_score(b, a)


@pytest.mark.parametrize(("loss", "distance"), [("vi", vi_bits), ("binder", binder), ("omari", one_omari)])
def test_losses_of_cuts_are_those_of_the_tree_cut_by_scipy(loss, distance):
    draws = draws_around(np.arange(18) // 6, 40, 0.3, K=5)
    model = BayesianPartition(loss, random_state=0).fit(draws)
    P = posterior_similarity(draws)
    tree = linkage((1 - P)[np.triu_indices(18, 1)], "average")
    cuts = cut_tree(tree)
    found = cut_losses(model)
    for column in range(18):
        K = cuts[:, column].max() + 1
        expected = np.mean([distance(cuts[:, column], draw) for draw in draws])
        assert found[K - 1] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("loss", ["vi", "pear"])
def test_every_partition_tried_is_in_the_picture_of_losses(loss):
    model = BayesianPartition(loss, max_clusters=6, random_state=0).fit(draws_around(np.arange(60) // 15, 200, 0.3))
    _, (ax,) = blank_figure(1, (9, 4))
    LossesDisplay.from_estimator(model, ax=ax)
    points = {(round(x), round(y, 9)) for dots in ax.collections for x, y in np.asarray(dots.get_offsets())}
    assert {(t.n_clusters, round(t.loss, 9)) for t in model.tried_} <= points
    star = ax.collections[-1]
    assert star.get_offsets().tolist() == [[model.n_clusters_, pytest.approx(model.expected_loss_)]]
    low, high = ax.get_ylim()
    assert all(low <= t.loss <= high for t in model.tried_)
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert "max_clusters" in words
    assert ("larger is better" in ax.get_title(loc="left")) == (loss == "pear")


def test_counts_are_the_weighted_shares_and_no_tick_is_a_share_above_one():
    rng = np.random.default_rng(0)
    draws = np.r_[
        draws_around(np.arange(20) // 5, 300, 0.1, seed=1), draws_around(np.arange(20) // 10, 300, 0.1, seed=2)
    ]
    weights = rng.integers(0, 3, 600)
    model = BayesianPartition(random_state=0).fit(draws, weights=weights)
    _, (ax,) = blank_figure(1, (5, 3))
    drawn = ClusterCountsDisplay.from_estimator(model, ax=ax)
    K = np.array([len(np.unique(draw)) for draw in draws])
    np.testing.assert_allclose(drawn.shares_, np.bincount(K, weights=weights) / weights.sum(), atol=ROUNDING)
    _, (ax,) = blank_figure(1, (5, 3))
    ClusterCountsDisplay([4, 4], estimate=4).plot(ax)
    assert ax.get_ylim()[1] > 1  # room for the mark
    assert max(ax.get_yticks()) == 1


def test_traces_are_those_of_the_chains_at_their_values():
    draws = np.r_[
        draws_around(np.arange(20) // 5, 3000, 0.1, seed=1), draws_around(np.arange(20) // 10, 3000, 0.1, seed=2)
    ]
    model = BayesianPartition(random_state=0).fit(draws, chain=np.arange(6000) // 3000)
    K = np.array([len(np.unique(draw)) for draw in draws])
    far = np.concatenate(model.agreement_.distances)
    middle = draws[far.argmin()]  # the draw from which distances are taken
    np.testing.assert_allclose(far, [partition_distance(middle, draw) for draw in draws], atol=1e-9)
    _, axes = blank_figure(2, (9, 3))
    ChainTracesDisplay.from_estimator(model, axes=axes)
    for ax, values in zip(axes, (K, far), strict=True):
        lines = ax.lines[:2]
        assert sum(len(line.get_xdata()) for line in lines) <= 2000
        for line, trace in zip(lines, (values[:3000], values[3000:]), strict=True):
            at = np.asarray(line.get_xdata(), dtype=int) - 1
            assert {at[0], at[-1]} == {0, 2999}
            np.testing.assert_allclose(line.get_ydata(), trace[at], atol=1e-9)  # sums in another order
    assert "R-hat" in axes[1].get_title(loc="left")


def test_chains_at_one_number_of_clusters_are_on_one_level():
    draws = np.tile(np.arange(12) // 3, (40, 1))
    draws[20:, 0] = 1  # the number of clusters is 4 everywhere; the partitions are not the same
    model = BayesianPartition(random_state=0).fit(draws, chain=np.arange(40) // 20)
    _, axes = blank_figure(2, (9, 3))
    ChainTracesDisplay.from_estimator(model, axes=axes)
    assert {float(y) for line in axes[0].lines[:2] for y in line.get_ydata()} == {4.0}
    assert len({line.get_linewidth() for line in axes[0].lines[:2]}) == 2  # so that neither hides the other
    levels = [{round(float(y), 9) for y in line.get_ydata()} for line in axes[1].lines]
    assert all(len(level) == 1 for level in levels)
    assert levels[0] != levels[1]
    assert "e+" not in axes[1].get_title(loc="left")  # R-hat has no bound there


def test_one_start_far_off_does_not_flatten_the_others():
    model = BayesianPartition("binder", random_state=0).fit(draws_around(np.arange(60) // 10, 100, 0.2))
    best = model.expected_loss_
    far = Tried("start 0", 60, 100 * best)
    model.result_ = replace(model.result_, tried=(*model.result_.tried, far))
    _, (ax,) = blank_figure(1, (9, 4))
    LossesDisplay.from_estimator(model, ax=ax)
    assert ax.get_ylim()[1] < 50 * best
    assert any("1 partition tried above this axis" in text.get_text() for text in ax.texts)
    low, high = ax.get_ylim()
    assert all(low <= t.loss <= high for t in model.tried_[:-1])


@pytest.mark.parametrize(
    ("draws", "options"),
    [
        ([[0], [0]], {}),
        ([[0, 0], [0, 1]], {}),
        (np.zeros((5, 7), dtype=int), {"loss": "binder"}),
        (np.tile(np.arange(9), (4, 1)), {"loss": "omari"}),
        (np.arange(900).reshape(3, 300) % 70, {"loss": "binder"}),
        ([[0, 0, 1, -1], [0, -1, 1, 1], [0, 0, 1, 1]], {"loss": "binder", "missing": "unobserved"}),
    ],
)
def test_pictures_at_the_edges(draws, options):
    model = BayesianPartition(random_state=0, **options).fit(draws)
    for display, n_panels in ((SimilarityDisplay, 1), (MisfitDisplay, 2), (LossesDisplay, 1)):
        first, second = (blank_figure(n_panels, (5, 4)) for _ in range(2))
        for _, axes in (first, second):
            display.from_estimator(model, **({"axes": axes} if n_panels == 2 else {"ax": axes[0]}))
        assert png(first[0], 40) == png(second[0], 40)
    if model.draws_ is not None:
        figure, (ax,) = blank_figure(1, (5, 2))
        StripsDisplay.from_ball(model.labels_, model.credible_ball(), ax=ax)
        assert png(figure, 40)
        figure, (ax,) = blank_figure(1, (5, 2))
        StripsDisplay.from_modes(model.labels_, model.modes(), ax=ax)
        assert png(figure, 40)
        figure, (ax,) = blank_figure(1, (5, 2))
        ClusterCountsDisplay.from_estimator(model, ax=ax)
        assert png(figure, 40)


def test_columns_do_not_cross_clusters():
    labels = np.repeat(np.arange(5), [1, 200, 3, 700, 96])
    columns = columns_of(blocks(labels, 5), 80)
    assert all(len(set(labels[low:high])) == 1 for low, high in pairwise(columns))
