"""Pictures: every display draws from an estimator and from arrays, at the edges too, and leaves no trace elsewhere."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from partita.affinity import DenseAffinity, SparseAffinity
from partita.errors import InputError
from partita.estimators import SoF, SoftClustering
from partita.membership import Membership
from partita.plots import (
    CoMembershipDisplay,
    PartitionDisplay,
    ProfilesDisplay,
    SizesDisplay,
    TraceDisplay,
    blank_figure,
    cluster_colors,
    cluster_markers,
    png,
)
from partita.plots.comembership import affinity_between, affinity_of_groups
from partita.plots.order import blocks, by_cluster, columns_of, stratified_sample
from partita.plots.projection import project, project_features

pytest.importorskip("matplotlib")

ONE_PANEL = [ProfilesDisplay, SizesDisplay]
TWO_PANELS = [PartitionDisplay, CoMembershipDisplay, TraceDisplay]


@pytest.fixture(scope="module")
def iris():
    X = load_iris().data
    return SoF(3, n_init=3, random_state=0).fit(X), X


def draw(display, estimator, X=None, **options):
    panels = display(estimator.result_).n_panels if display is TraceDisplay else 2 if display in TWO_PANELS else 1
    figure, axes = blank_figure(panels, (6, 3))
    given = {"axes": axes} if display in TWO_PANELS else {"ax": axes[0]}
    return display.from_estimator(estimator, X, **given, **options), figure, axes


def membership(n, K, seed=0, concentration=0.3):
    return np.random.default_rng(seed).dirichlet(np.full(K, concentration), n)


@pytest.mark.parametrize("display", ONE_PANEL + TWO_PANELS)
def test_a_display_of_an_estimator_names_its_axes_and_is_drawn(display, iris):
    drawn, figure, axes = draw(display, *iris)
    assert drawn.figure_ is figure
    assert drawn.ax_ is axes[0]
    for ax in axes:
        assert ax.get_title(loc="left")
        assert ax.get_xlabel()
        assert ax.get_ylabel()
    assert len(png(figure, 40)) > 1000


@pytest.mark.parametrize("display", ONE_PANEL + TWO_PANELS)
def test_the_same_fit_gives_the_same_bytes(display, iris):
    first, second = (png(draw(display, *iris)[1], 40) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(("n", "K"), [(1, 1), (2, 1), (40, 1), (40, 3), (60, 30), (3, 12)])
@pytest.mark.parametrize("concentration", [0.01, 0.3])
def test_displays_of_arrays_work_at_the_edges(n, K, concentration):
    W = membership(n, K, concentration=concentration)
    points = np.random.default_rng(1).normal(size=(n, 2))
    _, (a, b) = blank_figure(2, (6, 3))
    PartitionDisplay.from_membership(points, W, axes=[a, b])
    png(a.figure, 40)
    _, (a, b) = blank_figure(2, (6, 3))
    CoMembershipDisplay.from_arrays(W @ W.T, W, axes=[a, b])
    png(a.figure, 40)
    for make in (ProfilesDisplay, SizesDisplay):
        figure, (ax,) = blank_figure(1, (6, 3))
        make.from_membership(W, ax=ax)
        png(figure, 40)
    figure, (ax,) = blank_figure(1, (6, 3))
    ProfilesDisplay.from_membership(W, ax=ax, kind="curves")
    png(figure, 40)


def test_flat_memberships_and_an_affinity_of_zeros_are_drawn():
    W = np.full((10, 4), 0.25)
    _, (a, b) = blank_figure(2, (6, 3))
    PartitionDisplay.from_membership(np.zeros((10, 2)), W, axes=[a, b])
    _, (c, d) = blank_figure(2, (6, 3))
    CoMembershipDisplay.from_arrays(np.zeros((10, 10)), W, axes=[c, d])
    assert png(a.figure, 40)
    assert png(c.figure, 40)


def test_matplotlib_is_left_as_it_was_and_pyplot_is_not_imported():
    code = """
import sys
import partita.plots, partita.report
assert "matplotlib" not in sys.modules, "importing the plots must not import matplotlib"
import matplotlib
raw = lambda: dict(dict.items(matplotlib.rcParams))  # without resolving the backend
before = raw()
from partita.plots import *
import numpy as np
figure, axes = blank_figure(2)
PartitionDisplay.from_membership(np.zeros((2, 2)), np.eye(2), axes=axes)
png(figure, 30)
assert raw() == before
assert "matplotlib.pyplot" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_without_axes_pyplot_makes_them(iris, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    import matplotlib

    with matplotlib.rc_context({"backend": "Agg"}):
        import matplotlib.pyplot as plt

        drawn = SizesDisplay.from_estimator(iris[0])
        assert drawn.figure_.number in plt.get_fignums()
        plt.close(drawn.figure_)


def test_a_wrong_number_of_axes_is_an_error(iris):
    _, (ax,) = blank_figure()
    with pytest.raises(InputError, match="2 panels"):
        TraceDisplay.from_estimator(iris[0], axes=ax)


@pytest.mark.parametrize("K", [1, 5, 10, 11, 17, 25, 30, 60])
def test_no_two_clusters_share_colour_and_marker(K):
    colors, markers = cluster_colors(K), cluster_markers(K)
    assert len(set(zip(colors, markers))) == K
    rgb = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in colors], dtype=float)
    apart = np.linalg.norm(rgb[1:] - rgb[:-1], axis=1)
    # Neighbours in number stand side by side in bars and profiles: a third of the way across one channel at least.
    assert (apart > 70).all()


@settings(deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=200), st.integers(10, 100))
def test_a_stratified_sample_keeps_every_cluster_and_its_size(labels, size):
    labels = np.array(labels)
    chosen = stratified_sample(labels, size)
    assert len(chosen) == min(len(labels), size)
    assert len(set(chosen.tolist())) == len(chosen)
    assert set(labels[chosen]) == set(labels)


@settings(deadline=None)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=120), st.integers(1, 60))
def test_columns_never_cross_the_border_of_two_clusters(labels, limit):
    edges = blocks(np.array(labels), 7)
    columns = columns_of(edges, limit)
    assert (np.diff(columns) > 0).all()
    assert set(edges.tolist()) <= set(columns.tolist())


def test_items_stand_by_cluster_and_falling_membership():
    W = Membership(membership(50, 4))
    order = by_cluster(W)
    labels, own = W.labels[order], W.matrix.max(axis=1)[order]
    assert (np.diff(labels) >= 0).all()
    assert (np.diff(own)[np.diff(labels) == 0] <= 0).all()


def test_many_items_are_thinned_and_binned_and_the_picture_says_so():
    W = membership(5000, 3)
    _, axes = blank_figure(2, (6, 3))
    drawn = PartitionDisplay.from_membership(np.zeros((5000, 2)), W, axes=axes, max_points=1000)
    assert len(drawn.shown_) == 1000
    assert "1,000 drawn" in axes[0].get_title(loc="left")
    _, (ax,) = blank_figure(1, (6, 3))
    ProfilesDisplay.from_membership(W, ax=ax, max_columns=100)
    assert "mean of about 50 items" in ax.get_xlabel()


def test_affinities_of_groups_are_the_means_of_the_entries():
    rng = np.random.default_rng(0)
    P = rng.random((70, 70))
    P += P.T
    items, group = rng.integers(0, 70, 200), np.sort(np.r_[np.arange(9), rng.integers(0, 9, 191)])
    expected = [[P[np.ix_(items[group == g], items[group == h])].mean() for h in range(9)] for g in range(9)]
    np.testing.assert_allclose(affinity_of_groups(DenseAffinity(P), items, group), expected, rtol=1e-12)


@pytest.mark.parametrize("reduce", ["mean", "sample"])
def test_the_evidence_of_many_items_is_reduced_and_the_title_says_so(reduce, iris):
    drawn, _, axes = draw(CoMembershipDisplay, *iris, max_items=40, reduce=reduce)
    assert drawn.membership.n_items <= 43  # a block of each cluster is rounded on its own
    words = "means of about" if reduce == "mean" else "40 of 150 items"
    assert words in axes[0].get_title(loc="left")


def test_means_over_groups_leave_out_nothing_of_the_co_membership(iris):
    model, X = iris
    drawn, _, _ = draw(CoMembershipDisplay, model, X, max_items=40)
    # Groups differ in size by one item at most within a cluster, so that the mean of means is near the mean.
    means = drawn.membership.matrix.mean(axis=0)
    np.testing.assert_allclose(means, model.membership_.mean(axis=0), atol=0.02)


def test_unobserved_pairs_are_drawn_as_such():
    from partita.affinity import Unobserved

    P = np.ones((3, 3))
    P[0, 1] = P[1, 0] = 0
    found = affinity_between(DenseAffinity(P, Unobserved([0, 1], [1, 0])), np.array([1, 0, 0]))
    assert np.isnan(found[0, 1])
    assert np.isnan(found[0, 2])
    assert found[1, 2] == 1


def test_copies_and_items_of_weight_zero_are_drawn():
    X = np.repeat(np.random.default_rng(0).normal(size=(20, 2)), 2, axis=0)
    weights = np.ones(40)
    weights[[4, 5]] = 0
    model = SoftClustering(3, random_state=0, affinity="neighbors", probabilities="fitted").fit(
        X, sample_weight=weights
    )
    drawn, figure, _ = draw(CoMembershipDisplay, model, X)
    assert drawn.membership.n_items == 38
    assert len(draw(PartitionDisplay, model, X)[0].shown_) == 40
    assert len(draw(PartitionDisplay, model)[0].shown_) == 38
    assert png(figure, 40)


@pytest.mark.parametrize("d", [1, 2, 3, 8])
@pytest.mark.parametrize("n", [1, 2, 30])
def test_features_are_projected_whatever_their_number(n, d):
    found = project_features(np.random.default_rng(0).normal(size=(n, d)))
    assert found.points.shape == (n, 2)
    assert np.isfinite(found.points).all()
    assert found.meaningless_y == (d == 1)
    if d > 2 and n > 2:
        assert "principal component" in found.xlabel
        assert "of variance" in found.xlabel


def test_constant_features_and_missing_cells_are_projected():
    assert np.isfinite(project_features(np.ones((5, 4))).points).all()
    X = np.random.default_rng(0).normal(size=(20, 4))
    X[3, 1] = np.nan
    found = project_features(X)
    assert np.isfinite(found.points).all()
    assert "missing" in found.xlabel


@pytest.mark.parametrize("sparse", [False, True])
def test_precomputed_evidence_is_projected_on_eigenvectors(sparse):
    import scipy.sparse as sp

    rng = np.random.default_rng(0)
    P = np.kron(np.eye(3), np.ones((10, 10))) * 0.8 + 0.05
    P += (noise := rng.random((30, 30)) * 0.02) + noise.T
    X = SparseAffinity(sp.csr_array(P)) if sparse else P
    model = SoftClustering(3, affinity="precomputed", random_state=0, probabilities="fitted").fit(X)
    found = project(model, X)
    assert "eigenvector" in found.xlabel
    centres = [found.points[10 * k : 10 * k + 10].mean(axis=0) for k in range(3)]
    spread = max(found.points[10 * k : 10 * k + 10].std() for k in range(3))
    assert min(np.linalg.norm(centres[k] - centres[k - 1]) for k in range(3)) > spread


def test_features_of_another_length_are_an_error(iris):
    with pytest.raises(InputError, match="150 items"):
        project(iris[0], iris[1][:10])


def test_a_single_restart_and_many_are_drawn(iris):
    model = SoF(3, n_init=1, random_state=0).fit(iris[1])
    alone = TraceDisplay(model.result_)
    assert alone.plot(blank_figure(alone.n_panels)[1]).agreement_.tolist() == [1.0]
    assert len(alone.axes_) == 1
    drawn = draw(TraceDisplay, iris[0])[0]
    assert drawn.agreement_[iris[0].result_.best] == 1.0
    assert len(drawn.agreement_) == 3


def test_one_cluster_and_one_item_are_drawn_from_an_estimator():
    X = np.array([[1.0, 2.0]])
    model = SoftClustering(1, random_state=0, affinity="neighbors", probabilities="fitted").fit(X)
    for display in ONE_PANEL + TWO_PANELS:
        assert png(draw(display, model, X)[1], 40)
