"""The page says what the model says: one number everywhere, a card or a row for each cluster, headings in order."""

import re
import sys
import tracemalloc
import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.manifold import trustworthiness
from test_report import Page, no_matplotlib

from partita import SoftClustering
from partita.affinity import DenseAffinity, DrawsAffinity
from partita.report import FitReport, render_report
from partita.report.clusters import CARDS, summaries
from partita.report.headline import headline
from partita.report.html import element, table
from partita.report.layout import closeness, lay_out, neighbors_kept, of_columns, places, within_groups
from partita.report.page import _layout
from partita.report.thumbnails import image_shape, thumbnail
from partita.wording import percent
from synthetic import draws_around, gaussians


def fitted(K, n=25, **options):
    centres = 12.0 * np.array([[k % 6, k // 6] for k in range(K)])
    X = gaussians(np.repeat(np.arange(K), n), centres)
    return SoftClustering(K, random_state=0, **options).fit(X)


@pytest.fixture(scope="module", params=[1, 3, 15])
def model(request):
    return fitted(request.param, affinity="neighbors", probabilities="fitted")


@pytest.fixture(autouse=True)
def words_alone(monkeypatch):
    no_matplotlib(monkeypatch)


def test_every_cluster_has_one_card_or_one_row_with_its_certainty(model):
    html = render_report(FitReport.of(model))
    rows = summaries(FitReport.of(model))
    K = model.n_clusters_
    assert [row.size for row in rows] == np.bincount(model.labels_, minlength=K).tolist()
    for row in rows:
        sure = pytest.approx(model.certainty_[model.labels_ == row.cluster].mean())
        assert row.certainty == (None if K == 1 else sure)
        assert all(model.labels_[i] == row.cluster for i in (*row.typical, *row.outliers))
    cards = re.findall(r'<article class="cluster" aria-labelledby="cluster-(\d+)">', html)
    assert [int(k) for k in cards] == (list(range(K)) if K <= CARDS else [])
    if K > CARDS:
        table = html.split('aria-label="Clusters"')[1].split("</table>")[0]
        assert re.findall(r'<tr role="row"><td role="cell" data-column="Cluster"><span class="chip c(\d+)"', table) == [
            str(k) for k in range(K)
        ]


def test_the_headline_on_the_page_is_the_models_and_its_number_the_mean_certainty(model):
    page = Page(render_report(FitReport.of(model))).text
    for sentence in headline(model):
        assert sentence in page
    right = percent(float(model.certainty_.mean()))
    assert f"{right[:1].upper()}{right[1:]} of the labels are expected to be right" in page


def test_certainty_counts_other_numbers_only_where_the_number_was_found():
    X = gaussians(np.repeat(np.arange(3), 40), np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]]))
    given, found = (SoftClustering(K, random_state=0).fit(X) for K in (3, (2, 4)))
    assert hasattr(found, "verdict_")
    for model, counted in ((given, False), (found, True)):
        page = Page(render_report(FitReport.of(model))).text
        assert ("least certain" in page, "other numbers of clusters too" in page) == (True, counted)


def test_the_map_of_one_cluster_has_the_units_that_the_ensemble_sees():
    X = np.random.default_rng(0).normal(size=(120, 3)) * [1.0, 5000.0, 0.01]
    found = of_columns(X, ["a", "b", "c"], None, None)
    np.testing.assert_allclose(found.points.std(axis=0), 1.0, atol=0.25)


def test_the_map_is_of_the_evidence_and_not_of_raw_columns():
    X = gaussians(np.repeat(np.arange(3), 40), 6.0 * np.eye(3, 4), seed=1) * [1.0, 5000.0, 0.01, 1.0]
    model = SoftClustering(random_state=0).fit(X)
    report = replace(FitReport.of(model), features=X, columns=list("abcd"))
    found = _layout(report)
    evidence, index = model.affinity_, model.item_index_
    expected = lay_out(closeness(evidence, model.labels_, index), model.labels_, evidence, index)
    np.testing.assert_array_equal(found.points, expected.points)
    raw = X - X.mean(axis=0)
    components = raw @ np.linalg.svd(raw, full_matrices=False)[2][:2].T
    assert neighbors_kept(found.points, evidence, index)[0] > neighbors_kept(components, evidence, index)[0]


def test_headings_come_in_order_and_every_picture_table_and_map_has_a_name(model):
    page = Page(render_report(FitReport.of(model)))
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert max(np.diff(levels)) <= 1
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert all(
        attrs.get("aria-label")
        for tag, attrs in page.tags
        if tag == "canvas" or attrs.get("role") in ("region", "group")
    )
    assert all(attrs.get("scope") for tag, attrs in page.tags if tag == "th")


def test_a_key_of_the_map_is_called_by_its_cluster_and_no_table_is_a_landmark(model):
    html = render_report(FitReport.of(model))
    keys = re.findall(r'<button[^>]*class="key"[^>]*>(.*?)</button>', html)
    sizes = np.bincount(model.labels_, minlength=model.n_clusters_)
    assert [re.sub("<[^>]*>", "", key) for key in keys] == [f"Cluster {k}, {n} items" for k, n in enumerate(sizes)]
    assert not any("aria-label" in key for key in re.findall(r'<button[^>]*class="key"[^>]*>', html))
    assert re.findall(r'<div[^>]*role="region"[^>]*>', html) == re.findall(r'<div[^>]*id="map-item"[^>]*>', html)


def test_labels_in_doubt_have_a_column_of_outliers_only_where_there_are_some():
    close = gaussians(np.repeat(np.arange(2), 60), [[0.0, 0.0, 0.0], [2.5, 0.0, 0.0]])
    far = np.r_[close, np.random.default_rng(0).uniform(-40, 40, (20, 3))]
    for X, told in ((close, False), (far, True)):
        model = SoftClustering(2, random_state=0).fit(X)
        assert (model.outlier_.max() > 0.5) == told
        page = Page(render_report(FitReport.of(model))).text
        assert "least certain" in page
        assert ("Outlier with probability" in page) == told


def test_the_optimizer_is_folded(model):
    html = render_report(FitReport.of(model))
    open_part = re.sub(r"<details>.*?</details>", "", html, flags=re.S)
    for word in ("elative residual", "iterations", "Objective", "Products with", "restart"):
        assert word in html
        assert word not in open_part
    assert "<details open" not in html


# The layout


def draws_of(labels, rng, noise, n_draws=40):
    return DrawsAffinity(draws_around(labels, n_draws, noise, seed=rng))


def test_closeness_is_the_mean_affinity_to_the_other_items_of_a_group():
    rng = np.random.default_rng(0)
    P = rng.random((12, 12))
    P = (P + P.T) / 2
    labels = rng.integers(0, 3, 12)
    found = closeness(DenseAffinity(P), labels)
    for i in range(12):
        for k in range(3):
            others = [j for j in range(12) if labels[j] == k and j != i]
            assert found[i, k] == pytest.approx(P[i, others].mean() if others else P[i, i])


def test_items_without_a_row_have_no_place():
    row = np.array([0, 1, -1, 2])
    found = closeness(DenseAffinity(np.eye(3)), np.array([0, 0, 0, 1]), row)
    assert np.isnan(found).all(axis=1).tolist() == [False, False, True, False]
    points = places(found, np.array([0, 0, 0, 1]))
    assert np.isnan(points).all(axis=1).tolist() == [False, False, True, False]


def test_a_layout_is_the_same_every_time_and_keeps_more_neighbours_than_chance():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(6), 50)
    P = draws_of(labels, rng, 0.2)
    first, again = (lay_out(closeness(P, labels), labels, P) for _ in range(2))
    assert np.array_equal(first.points, again.points)
    kept, chance = neighbors_kept(first.points, P)
    assert kept > 3 * chance
    assert percent(kept) in first.says
    D = np.maximum(1 - P.to_dense(), 0)
    np.fill_diagonal(D, 0)
    shuffled = first.points[rng.permutation(len(labels))]
    assert trustworthiness(D, first.points, metric="precomputed") > 0.75
    assert trustworthiness(D, shuffled, metric="precomputed") < 0.6
    assert neighbors_kept(shuffled, P)[0] < kept / 2


def test_neighbours_are_kept_in_full_where_the_map_is_the_evidence():
    points = np.random.default_rng(0).normal(size=(80, 2))
    P = np.exp(-np.linalg.norm(points[:, None] - points[None], axis=2))
    assert neighbors_kept(points, DenseAffinity(P))[0] == 1
    assert neighbors_kept(points[:1], DenseAffinity(P[:1, :1])) is None
    assert neighbors_kept(points, DenseAffinity(np.eye(80))) is None


def test_an_item_between_two_groups_lies_between_them():
    close = np.eye(3)[np.repeat([0, 1, 2], 5)]
    close[0] = [1, 1, 0]
    points = places(close, np.repeat([0, 1, 2], 5))
    centre = np.array([points[k * 5 + 1 : k * 5 + 5].mean(axis=0) for k in range(3)])
    far = np.linalg.norm(points[0] - centre, axis=1)
    assert far[2] > max(far[:2])
    assert abs(far[0] - far[1]) < 0.5 * np.linalg.norm(centre[0] - centre[1])


def test_groups_that_the_evidence_does_not_part_lie_on_each_other():
    labels = np.repeat([0, 1, 2], 40)
    alike = closeness(DenseAffinity(np.full((120, 120), 0.5)), labels)
    apart = closeness(DenseAffinity(np.kron(np.eye(3), np.ones((40, 40)))), labels)
    spread = [np.ptp(places(close, labels), axis=0).max() for close in (alike, apart)]
    assert spread[0] < spread[1] / 3


def test_places_of_many_items_take_no_matrix_of_pairs():
    n = 30_000
    labels = np.arange(n) % 5
    P = draws_of(labels, np.random.default_rng(0), 0.1, n_draws=8)
    lay_out(closeness(P, labels), labels, P)
    tracemalloc.start()
    lay_out(closeness(P, labels), labels, P)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * n * n / 20
    assert within_groups(P, labels) is None


# Thumbnails


@pytest.mark.parametrize(
    ("names", "shape"),
    [
        ([f"pixel_{i}_{j}" for i in range(8) for j in range(6)], (8, 6)),
        ([f"pixel{i}" for i in range(1, 785)], (28, 28)),
        ([f"pixel_{i}_{j}" for j in range(8) for i in range(8)], None),
        ([f"pixel{i}" for i in range(63)], None),
        ([f"gene{i}" for i in range(64)], None),
        ([], None),
    ],
)
def test_only_columns_called_like_pixels_are_images(names, shape):
    assert image_shape(names) == shape


def test_a_thumbnail_is_the_image():
    image = pytest.importorskip("PIL.Image")
    import base64
    import io

    pixels = np.random.default_rng(0).integers(0, 17, (8, 5)).astype(float)
    found = thumbnail(pixels, 0, 16, "<7>")
    assert 'alt="&lt;7&gt;"' in found
    content = base64.b64decode(re.search(r"base64,([^\"]*)", found)[1])
    np.testing.assert_array_equal(np.array(image.open(io.BytesIO(content))), np.rint(255 * (1 - pixels / 16)))


def test_pages_of_the_smallest_fits_are_whole():
    assert "matplotlib" not in sys.modules or sys.modules["matplotlib"] is None
    for X in (np.array([[0.0, 1.0], [5.0, 6.0]]), np.array([[1.0]]), np.zeros((4, 3))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = SoftClustering(random_state=0).fit(X)
        assert f"{len(X)} item" in Page(render_report(FitReport.of(model))).text


def test_a_table_of_many_columns_says_each_cell_s_column_and_stays_a_table():
    heads, names = ["a", element("b", "c & d"), "e", "f", "g"], ["a", "c & d", "e", "f", "g"]
    html = table(heads, [[1, 2, 3, 4, 5]], numeric=(0,), label="Five", names=names)
    assert re.findall(r'<td[^>]* role="cell" data-column="([^"]*)"', html) == ["a", "c &amp; d", "e", "f", "g"]
    for role, n in {"table": 1, "rowgroup": 2, "row": 2, "columnheader": 5, "cell": 5}.items():
        assert html.count(f'role="{role}"') == n
    few = table(heads[:4], [[1, 2, 3, 4]])
    assert "data-column" not in few
    assert 'role="table"' not in few


def test_parameters_left_at_their_defaults_are_folded_on_the_page_of_a_fit():
    X = gaussians(np.repeat([0, 1], 20), [[0.0, 0.0], [8.0, 0.0]])
    report = FitReport.of(SoftClustering(2, random_state=3).fit(X))
    assert {"n_clusters", "random_state", "affinity"}.isdisjoint(report.untouched)
    html = render_report(report)
    given = html.split("Parameters given or chosen")[1].split("</table>")[0]
    assert "n_clusters" in given
    assert "max_seconds" not in given
    assert "max_seconds = none" in html
