"""Axes that a few items far off do not squash, and a note that a report says once."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita import SoftClustering
from partita.report import FitReport, render_report
from synthetic import gaussians

pytest.importorskip("matplotlib")

from partita.plots import PartitionDisplay, blank_figure
from partita.plots.projection import limits

FAR = np.array([[4e4, 0.0], [0.0, -7e3], [3e4, 2e4]])


def clusters():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 400)
    return gaussians(labels, [[0.0, 0.0], [6.0, 1.0], [2.0, 9.0]], rng), labels


def drawn(points, labels):
    _, axes = blank_figure(2, (9.6, 4.4))
    return PartitionDisplay.from_membership(points, np.eye(3)[labels], axes=axes)


@given(
    st.integers(0, 2**32 - 1), st.integers(3, 500), st.sampled_from(["normal", "uniform", "exponential", "logistic"])
)
def test_axes_of_clusters_without_outliers_end_where_the_items_end(seed, n, kind):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, n)
    values = getattr(rng, kind)(size=n) + 5.0 * labels
    assert limits(values, labels) is None


@given(st.integers(0, 2**32 - 1), st.floats(1e-3, 1e3), st.floats(-1e3, 1e3))
def test_limits_move_with_the_values_and_hold_all_but_the_tails(seed, scale, shift):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, 600)
    values = np.where(rng.random(600) < 0.01, 1e5 * rng.normal(size=600), rng.normal(size=600) + 4.0 * labels)
    found = limits(values, labels)
    moved = limits(scale * values + shift, labels)
    if found is None:
        assert moved is None
        return
    np.testing.assert_allclose(moved, scale * np.array(found) + shift, rtol=1e-9, atol=1e-6)
    low, high = found
    assert ((values < low) | (values > high)).mean() <= 0.03  # a hundredth at either end, and ties of quantiles
    for k in range(3):
        lower, upper = np.quantile(values[labels == k], [0.25, 0.75])
        assert low <= lower
        assert upper <= high


def test_a_small_cluster_far_off_is_a_cluster_and_stays_in_the_picture():
    values = np.r_[np.random.default_rng(0).normal(size=5000), 1e4 + np.arange(10.0)]
    labels = np.r_[np.zeros(5000, dtype=np.int64), np.ones(10, dtype=np.int64)]
    assert limits(values, labels) is None
    assert limits(values, np.zeros(5010, dtype=np.int64)) is not None  # the same items as outliers of one cluster


@pytest.mark.parametrize("values", [np.zeros(10), np.r_[np.zeros(9), 1.0], np.array([1.0, 2.0]), np.array([3.0])])
def test_values_that_hardly_differ_have_no_limits(values):
    assert limits(values, np.zeros(len(values), dtype=np.int64)) is None


def test_items_far_off_are_left_out_and_counted():
    points, labels = clusters()
    plain = drawn(points, labels)
    assert plain.outside_ == 0
    display = drawn(np.r_[points, FAR], np.r_[labels, [0, 1, 2]])
    for ax in display.axes_:
        (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
        inside = (points > [left, low]).all(axis=1) & (points < [right, high]).all(axis=1)
        assert inside.all()
        assert right - left < 100
        assert high - low < 100
    assert display.outside_ == len(FAR)
    assert "3 items outside" in [text.get_text() for text in display.ax_.texts]


def test_tick_labels_of_large_numbers_do_not_touch():
    x = np.linspace(-26_700.0, 12_500.0, 300)
    display = drawn(np.column_stack([x, x]), np.arange(300) % 3)
    display.figure_.draw_without_rendering()
    for ax in display.axes_:
        boxes = [t.get_window_extent() for t in ax.get_xticklabels() if t.get_text()]
        boxes = [box for box in boxes if ax.bbox.x0 <= (box.x0 + box.x1) / 2 <= ax.bbox.x1]
        assert len(boxes) >= 2
        assert all(a.x1 < b.x0 for a, b in pairwise(boxes))


def test_the_report_says_each_note_once_and_how_many_items_it_leaves_out(monkeypatch):
    points, labels = clusters()
    X = np.r_[points, FAR]
    monkeypatch.setattr("partita.estimators.pipeline.fits", lambda _: False)  # as of a fit too large for N x N
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SoftClustering(3, random_state=0, affinity="neighbors", probabilities="fitted").fit(X)
    model.labels_ = np.r_[labels, [0, 1, 2]]  # not clusters of their own, which the axes would show
    model.membership_ = np.eye(3)[model.labels_]
    (note,) = [note for note in model.result_.notes if "nothing N x N was made" in note]
    report = FitReport(
        title="", source="", ids=[], columns=["u", "v"], estimator=model, features=X, parameters={}, scores=None,
        notes=[note, "from the run"], seconds=0.0, versions={}, command=None,
    )  # fmt: skip
    page = render_report(report)
    assert page.count("nothing N x N was made") == page.count("From the run") == 1
    assert "3 items lie far off and are drawn at the edge" in page
