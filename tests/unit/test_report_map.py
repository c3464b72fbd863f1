"""The map of a report: what is near, what is shown, what is counted; no text gets out of its JSON; it stays small."""

import json
import re
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.affinity import Affinity, DenseAffinity, DiffusedAffinity, DrawsAffinity, LowRankAffinity, SparseAffinity
from partita.estimators import KernelKMeans, SoF, SoftClustering
from partita.membership import Membership
from partita.report import FitReport, render_report
from partita.report.item_map import GRID, Standing, as_json, certain_counts, item_map, shortened, thinned
from partita.report.layout import Layout
from partita.report.nearest import nearest_items
from synthetic import ring, scattered_blobs

EVIL = [
    "</script><script>alert(1)</script>", "<!--", "<!--<script>", "]]>", '"', "'", "&lt;", "\u2028", "\u2029",
    "\u202eesrever", "", " ", "\x00", "\ud800", "a" * 10_000, "\\u003c", "🦀" * 300,
]  # fmt: skip


def by_definition(P, items, number):
    """The items of largest positive affinity, ties by number."""
    out = []
    for i in items:
        others = [j for j in range(len(P)) if j != i and P[i, j] > 0]
        best = sorted(others, key=lambda j: (-P[i, j], j))[:number]
        out.append(best + [-1] * (number - len(best)))
    return out


def evidence(kind, rng):
    if kind == "draws":
        return DrawsAffinity(rng.integers(0, 4, (5, 40)))
    if kind == "low rank":
        return LowRankAffinity(rng.integers(0, 3, (40, 4)).astype(float))
    P = rng.integers(0, 6, (40, 40)) * (rng.random((40, 40)) < 0.2) / 5.0  # many ties, many zeros
    P = np.maximum(P, P.T)
    return DenseAffinity(P) if kind == "dense" else SparseAffinity(sp.csr_array(P))


@pytest.mark.parametrize("kind", ["dense", "sparse", "draws", "low rank"])
def test_the_nearest_items_are_those_of_largest_affinity(kind):
    affinity = evidence(kind, np.random.default_rng(0))
    items = np.array([3, 0, 39, 17])
    found = nearest_items(items, np.zeros((40, 2)), affinity)
    assert found.items.tolist() == by_definition(affinity.to_dense(), items, 5)
    assert "largest affinity" in found.says


def test_of_a_diffused_graph_the_graph_says_what_is_near():
    graph = evidence("sparse", np.random.default_rng(1))
    found = nearest_items(np.arange(40), np.zeros((40, 2)), DiffusedAffinity(graph, 4))
    assert found.items.tolist() == by_definition(graph.to_dense(), range(40), 5)
    assert "graph before its diffusion" in found.says


def test_copies_come_first_and_items_without_a_row_have_nothing_near():
    P = np.array([[1.0, 0.2, 0.7], [0.2, 1.0, 0.0], [0.7, 0.0, 1.0]])
    rows = np.array([0, 1, 0, 2, -1, 2])
    for affinity in (DenseAffinity(P), SparseAffinity(sp.csr_array(P))):
        found = nearest_items(np.arange(6), np.zeros((6, 2)), affinity, rows).items
        assert found.tolist() == [
            [2, 3, 5, 1, -1], [0, 2, -1, -1, -1], [0, 3, 5, 1, -1], [5, 0, 2, -1, -1], [-1] * 5, [3, 0, 2, -1, -1],
        ]  # fmt: skip


class Dear(DenseAffinity):
    """Rows of it cost too much."""

    @property
    def foreign(self):
        return True


def test_where_rows_cost_too_much_the_nearest_are_those_on_the_map():
    points = np.random.default_rng(0).normal(size=(60, 2))
    points[7] = np.nan
    found = nearest_items(np.arange(60), points, Dear(np.eye(60)))
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    expected = np.argsort(np.nan_to_num(distance, nan=np.inf), axis=1, kind="stable")[:, :5]
    expected[7] = -1
    assert np.array_equal(found.items, expected)
    assert "on the map" in found.says


def test_many_copies_on_the_map_are_near_each_other_and_none_to_itself():
    found = nearest_items(np.arange(12), np.zeros((12, 2)), Dear(np.eye(12))).items
    assert all(i not in row for i, row in enumerate(found.tolist()))
    assert found.min() >= 0


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 99), st.integers(1, 12), st.integers(60, 300))
def test_a_thinned_map_keeps_uncertain_items_and_every_cluster(seed, n_clusters, n):
    rng = np.random.default_rng(seed)
    labels = np.r_[np.arange(n_clusters), rng.integers(0, n_clusters, n)]
    certainty = rng.random(len(labels)) * 0.2 + 0.8
    certainty[rng.choice(len(labels), 20, replace=False)] = 0.1
    found = thinned(labels, certainty, 50)
    assert len(found) == len(np.unique(found)) == 50
    assert set(np.flatnonzero(certainty < 0.2)) <= set(found)
    assert set(labels[found]) == set(range(n_clusters))
    assert np.array_equal(found, thinned(labels, certainty, 50))


def test_uncertain_items_do_not_crowd_out_the_others():
    labels, certainty = np.repeat([0, 1], 500), np.repeat([0.1, 0.9], 500)
    found = thinned(labels, certainty, 100)
    assert np.bincount(labels[found]).tolist() == [50, 50]


@given(st.lists(st.floats(0, 1) | st.integers(0, 100).map(lambda j: j / 100), min_size=1, max_size=40))
def test_sure_items_are_counted_at_every_hundredth(margins):
    expected = [sum(m >= t / 100 for m in margins) for t in range(101)]
    assert certain_counts(np.array(margins)).tolist() == expected


def standing_of(W):
    membership = Membership(W)
    own = membership.matrix[np.arange(membership.n_items), membership.labels]
    return Standing(membership.labels, membership.matrix, own, own < 0.3, "its largest membership", "Memberships")


def of(W, points=None, ids=(), affinity=None, **options):
    n = len(W)
    points = np.random.default_rng(0).normal(size=(n, 2)) if points is None else points
    layout = Layout(points, "", square=False)
    return item_map(layout, standing_of(W), ids, affinity or DenseAffinity(np.ones((n, n))), **options)


def test_what_the_map_says_of_an_item_is_what_the_membership_says():
    W = np.random.default_rng(0).dirichlet(np.full(7, 0.3), 200)
    found, membership = of(W).content, Membership(W)
    assert found["label"] == membership.labels.tolist()
    for i, w in enumerate(W):
        clusters, values = found["top"][i][::2], found["top"][i][1::2]
        assert values == [round(1000 * x) for x in sorted(w, reverse=True)[: len(values)]]
        assert len(clusters) == len(set(clusters)) <= 4
        assert np.allclose(w[clusters], np.array(values) / 1000, atol=5e-4)
        assert abs(found["certainty"][i] / 1000 - w.max()) < 6e-4
        assert found["outlier"][i] == (w.max() < 0.3)
        for t in range(101):  # the page counts and greys by the same rule
            assert (found["level"][i] >= t) == (w.max() >= t / 100)


def test_places_keep_the_order_of_the_coordinates_and_far_items_are_at_the_edge():
    points = np.random.default_rng(0).normal(size=(400, 2))
    points[0] = 1e6
    found = of(np.ones((400, 1)), points)
    x = np.array(found.content["x"])
    order = np.argsort(points[:, 0])
    assert np.all(np.diff(x[order]) >= 0)
    assert (x.min(), x.max()) == (0, GRID)
    assert found.n_outside == 1
    assert x[1:].max() - x[1:].min() > 0.5 * GRID


def test_items_without_a_place_are_left_out_and_counted():
    points = np.random.default_rng(0).normal(size=(9, 2))
    points[4] = np.nan
    found = of(np.ones((9, 1)), points)
    assert (found.n_shown, found.n_nowhere) == (8, 1)
    assert 4 not in found.content["row"]
    assert of(np.ones((3, 1)), np.full((3, 2), np.nan)) is None


def test_items_off_a_thinned_map_are_named_all_the_same():
    n = 300
    ids = [f"id {i}" for i in range(n)]
    P = SparseAffinity(ring(n))
    found = of(np.full((n, 2), 0.5), ids=ids, affinity=P, most=60).content
    dense = P.to_dense()
    assert len(found["row"]) == 60
    for i, near in zip(found["row"], found["near"], strict=True):
        names = [found["id"][j] if j >= 0 else found["beyond"]["id"][-1 - j] for j in near]
        assert sorted(names) == sorted(ids[j] for j in np.flatnonzero(dense[i]))


@given(st.text() | st.sampled_from(EVIL))
def test_a_text_comes_back_from_the_json_and_cannot_leave_it(words):
    (name,), _ = shortened([words])
    said = as_json({"id": [name]})
    assert json.loads(said) == {"id": [name]}
    assert not {"<", ">", "&", "\u2028", "\u2029"} & set(said)
    said.encode()


def test_long_ids_are_cut_and_short_ones_never():
    names, cut = shortened(["x" * 10_000] * 2_000 + ["short"])
    assert cut
    assert sum(map(len, names)) < 600_000
    assert names[-1] == "short"
    assert shortened(["short", ""]) == (["short", ""], False)


def report_of(model, X, **changes):
    base = {
        "title": "T", "source": "s.csv", "ids": [], "columns": [], "features": X, "parameters": {}, "scores": None,
        "notes": [], "seconds": 0.1, "versions": {}, "command": None,
    }  # fmt: skip
    return FitReport(estimator=model, **(base | changes))


def content_of(html):
    return json.loads(re.search(r'<script type="application/json" id="map-items">(.*?)</script>', html, re.S)[1])


@pytest.fixture(scope="module")
def many():
    X, _ = scattered_blobs(10_000, 10, 8, spread=2.5)
    return X, SoftClustering(10, n_init=1, random_state=0, probabilities="fitted", affinity="neighbors").fit(X)


def test_ten_thousand_items_take_less_than_three_megabytes(many):
    pytest.importorskip("matplotlib")
    X, model = many
    html = render_report(report_of(model, X, ids=[f"patient {i:05d}" for i in range(10_000)]))
    assert len(content_of(html)["row"]) == 10_000
    assert len(html.encode()) < 3_000_000


def test_ids_of_ten_kilobytes_take_no_more_room(many):
    X, model = many
    ids = [f"{i:05d}" + "<&🦀" * 2_500 for i in range(10_000)]
    found = item_map(Layout(X[:, :2], ""), standing_of(model.membership_), ids, model.affinity_, model.item_index_)
    assert found.shortened
    assert len(as_json(found.content).encode()) < 2_000_000


def test_beyond_ten_thousand_items_the_map_is_thinned_and_says_so(many):
    X, model = many
    copies = np.tile(np.arange(10_000), 7)
    points = X[copies, :2] + np.random.default_rng(0).normal(size=(70_000, 2)) / 100
    standing = standing_of(model.membership_[copies])
    found = item_map(Layout(points, ""), standing, [], model.affinity_, model.item_index_[copies])
    assert found.n_shown == 10_000
    assert found.content["certain"] == [int((standing.certainty >= t / 100).sum()) for t in range(101)]
    assert len(as_json(found.content)) < 2_000_000
    unsure = int((standing.certainty < 0.8).sum())
    assert (standing.certainty[found.content["row"]] < 0.8).sum() >= min(unsure, 5_000)


@pytest.mark.parametrize(("n", "K"), [(2, 1), (2, 2), (70, 60), (40, 1)])
def test_few_items_and_many_clusters_have_a_map_without_matplotlib_too(n, K, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.style", None)
    X = np.random.default_rng(0).normal(size=(n, 3))
    model = SoftClustering(K, random_state=0, affinity="neighbors", probabilities="fitted")
    model = (KernelKMeans(K, random_state=0) if K > 2 else model).fit(X)  # each of its clusters holds an item
    assert model.n_clusters_ == K
    html = render_report(report_of(model, X))
    found = content_of(html)
    assert found["items"] == n
    assert "<img" not in html
    assert html.count('class="key"') == K
    assert sum(centre is not None for centre in found["centre"]) == len(set(model.labels_))


@pytest.mark.parametrize("kind", ["affinity", "distance", "sparse"])
def test_evidence_without_features_has_a_map(kind):
    X = np.r_[np.random.default_rng(0).normal(size=(15, 2)), np.random.default_rng(1).normal(size=(15, 2)) + 9]
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    P = np.exp(-D)
    given = {"affinity": P, "distance": D, "sparse": sp.csr_array(np.where(P > 0.2, P, 0))}[kind]
    model = SoF(2, affinity="precomputed_distance" if kind == "distance" else "precomputed", random_state=0).fit(given)
    html = render_report(report_of(model, None))
    found = content_of(html)
    assert found["label"] == model.labels_.tolist()
    places = np.column_stack([found["x"], found["y"]])
    assert len(np.unique(places, axis=0)) == 30


def test_every_kind_of_affinity_has_nearest_items():
    for kind in Affinity.kinds.values():
        affinity, P = kind.example(np.random.default_rng(0), 12)
        if affinity.foreign or isinstance(affinity, DiffusedAffinity):
            continue
        found = nearest_items(np.arange(12), np.zeros((12, 2)), affinity).items
        for i, row in enumerate(found):
            near = row[row >= 0]
            others = np.delete(P[i], i)
            expected = np.sort(others[others > 0])[::-1][:5]
            assert np.allclose(P[i, near], expected, atol=1e-12), kind.__name__
