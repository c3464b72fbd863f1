"""The map of a report with a real mouse and real keys: it tells, hides, counts and walks, and does no harm."""

import json
import re

import numpy as np
import pytest
from devtools import Browser, needs_chromium

from partita.estimators import BayesianPartition, SoftClustering
from partita.report import FitReport, PartitionReport, write_partition_report, write_report
from synthetic import draws_around, gaussians

pytestmark = needs_chromium

N, K = 240, 4
# Ids that would run, end the script, hide what follows or turn it round.
EVIL = [
    "</script><script>window.hurt = 1</script>", "<img src=x onerror='window.hurt = 2'>", "<!--<script>", "\u2028",
    "\u202eesrever", "", '"\'`${window.hurt = 3}`', "x" * 10_000,
]  # fmt: skip
IDS = EVIL + [f"item-{i}" for i in range(len(EVIL), N)]
# Free CSS pixels at each side of the map, and places of an axis: as board.js has them.
PAD, GRID = 18, 10_000


def fitted():
    X = gaussians(np.arange(N) % K, np.r_[4.5 * np.eye(3), np.full((1, 3), -1.5)])
    return X, SoftClustering(K, random_state=0, affinity="neighbors", probabilities="fitted").fit(X)


def write(path, X, model, ids):
    report = FitReport(
        title="Map", source="x.csv", ids=ids, columns=[], estimator=model, features=X, parameters={}, scores=None,
        notes=["</script><script>window.hurt = 4</script>"], seconds=0.1, versions={}, command="partita fit x.csv",
    )  # fmt: skip
    write_report(path, report)


@pytest.fixture(scope="module")
def fit(tmp_path_factory):
    pytest.importorskip("matplotlib")
    X, model = fitted()
    path = tmp_path_factory.mktemp("map") / "report.html"
    write(path, X, model, IDS)
    return path, model


@pytest.fixture(scope="module")
def content(fit):
    found = re.search(r'id="map-items">(.*?)</script>', fit[0].read_text("utf-8"), re.S)[1]
    return json.loads(found)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    found = Browser(tmp_path_factory.mktemp("profile"))
    yield found
    found.close()


@pytest.fixture
def page(browser, fit):
    browser.open(fit[0].as_uri())
    browser.run("document.getElementById('map').scrollIntoView()")
    browser.settle()
    return browser


def box_of_map(browser):
    box = browser.run(
        "(b => [b.left, b.top, b.width, b.height])(document.getElementById('map-canvas').getBoundingClientRect())"
    )
    assert 0 <= box[1] < box[1] + box[3] <= 900, "the map is within the window"
    return box


def place(browser, content, i):
    """Where an item is in the window."""
    left, top, width, height = box_of_map(browser)
    across, up = content["x"][i] / GRID, content["y"][i] / GRID
    return left + PAD + across * (width - 2 * PAD), top + height - PAD - up * (height - 2 * PAD)


def lonely(browser, content, n=3):
    """Items with no other within reach of the pointer, of different clusters."""
    places = np.array([place(browser, content, i) for i in range(N)])
    far = np.linalg.norm(places[:, None] - places[None], axis=2) + 1e9 * np.eye(N)
    alone = np.argsort(-far.min(axis=1))
    assert far.min(axis=1)[alone[n - 1]] > 3
    return [int(i) for i in alone[:n]]


def told(browser):
    return browser.run("document.getElementById('map-item').innerText")


def title(browser):
    return browser.run("(document.querySelector('#map-item h3') || {}).textContent || null")


def pixels(browser, color):
    """How many pixels of the canvas have about a colour, given as #rrggbb."""
    rgb = [int(color[i : i + 2], 16) for i in (1, 3, 5)]
    return browser.run(
        f"(() => {{ const c = document.getElementById('map-canvas'), [r, g, b] = {rgb};"
        "const p = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0;"
        "for (let i = 0; i < p.length; i += 4)"
        " if (p[i + 3] > 250 && Math.abs(p[i] - r) + Math.abs(p[i + 1] - g) + Math.abs(p[i + 2] - b) < 6) n++;"
        "return n; })()"
    )


def color(browser, name):
    return browser.run(f"getComputedStyle(document.documentElement).getPropertyValue('--{name}').trim()")


def name_of(i):
    return f"Row {i} (blank id)" if not IDS[i].strip() else IDS[i] if len(IDS[i]) <= 200 else IDS[i][:199] + "…"


def test_the_page_loads_without_complaint_and_asks_for_nothing(page, fit):
    assert page.complaints == []
    assert page.requests == []
    assert page.run("!document.getElementById('map').hidden")


def test_a_complaint_and_a_request_would_have_been_seen(browser, tmp_path):
    probe = tmp_path / "probe.html"
    probe.write_text('<!DOCTYPE html><img src="http://127.0.0.1:8/x.png"><script>nothing()</script>', "utf-8")
    browser.open(probe.as_uri())
    assert browser.requests == ["http://127.0.0.1:8/x.png"]
    assert any(event["method"] == "Runtime.exceptionThrown" for event in browser.complaints)


def test_a_script_that_is_not_the_pages_own_is_refused(fit, browser, tmp_path):
    html = fit[0].read_text("utf-8").replace("<main>", "<main><script>window.hurt = 5</script>", 1)
    other = tmp_path / "other.html"
    other.write_text(html, "utf-8")
    browser.open(other.as_uri())
    assert browser.run("window.hurt === undefined")
    assert any("Content Security Policy" in json.dumps(event) for event in browser.complaints)


def test_hovering_tells_and_leaving_forgets(page, content):
    i = lonely(page, content)[0]
    page.mouse("move", *place(page, content, i))
    assert title(page) == name_of(i)
    left, top, _, _ = box_of_map(page)
    page.mouse("move", left + 2, top + 2)
    assert title(page) is None


def test_a_click_keeps_the_item_with_its_memberships_and_nearest_items(page, content, fit):
    model = fit[1]
    i = lonely(page, content)[1]
    page.mouse("click", *place(page, content, i))
    left, top, _, _ = box_of_map(page)
    page.mouse("move", left + 2, top + 2)
    assert title(page) == name_of(i)
    words = told(page)
    w = np.sort(model.membership_[i])[::-1]
    assert f"{w[0]:.3f}" in words
    assert f"Certainty {model.certainty_[i]:.3f}" in words
    near = page.run("[...document.querySelectorAll('#map-item .nearest bdi')].map(e => e.textContent)")
    graph = model.affinity_
    graph = getattr(graph, "base", graph).to_dense()
    row = model.item_index_
    best = sorted((-graph[row[i], row[j]], row[j], j) for j in range(N) if j != i and graph[row[i], row[j]] > 0)[:5]
    assert near == [name_of(j) for _, _, j in best]


def test_a_nearest_item_can_be_chosen_in_its_turn(page, content):
    page.mouse("click", *place(page, content, lonely(page, content)[0]))
    first = page.run("document.querySelector('#map-item .nearest button').textContent")
    page.run("document.querySelector('#map-item .nearest button').click()")
    assert title(page) == first
    assert page.run("document.activeElement.closest('#map-item') !== null")


def test_hiding_a_cluster_removes_its_points_and_showing_it_brings_them_back(page, content):
    shades = [color(page, f"k{k}") for k in range(K)]
    before = [pixels(page, shade) for shade in shades]
    assert min(before) > 50
    page.run("document.querySelectorAll('button.key')[2].click()")
    page.settle()
    after = [pixels(page, shade) for shade in shades]
    assert after[2] == 0
    assert all(after[k] >= before[k] for k in (0, 1, 3))  # what it covered comes to light
    assert page.run("document.querySelectorAll('button.key')[2].getAttribute('aria-pressed')") == "false"
    hidden = next(i for i in lonely(page, content, 40) if content["label"][i] == 2)
    page.mouse("click", *place(page, content, hidden))
    assert title(page) != name_of(hidden)
    page.run("document.querySelectorAll('button.key')[2].click()")
    page.settle()
    assert pixels(page, shades[2]) == before[2]
    page.run("document.getElementById('map-none').click()")
    assert sum(pixels(page, shade) for shade in shades) == 0


def test_the_threshold_counts_and_greys(page, fit):
    certainty = fit[1].certainty_
    ink = [pixels(page, color(page, f"k{k}")) for k in range(K)]
    counts = set()
    for t in (0, 0.2, 0.35, 0.9, 1):
        page.run(
            f"(s => {{ s.value = {t}; s.dispatchEvent(new Event('input')); }})"
            "(document.getElementById('map-threshold'))"
        )
        n = int((certainty >= t).sum())
        counts.add(n)
        said = page.run("document.getElementById('map-sure').textContent")
        assert said == f"{n} of {N} items with a certainty ≥ {t:.2f}"
    assert len(counts) >= 3
    assert pixels(page, color(page, "unsure")) > 100
    assert sum(pixels(page, color(page, f"k{k}")) for k in range(K)) < sum(ink) / 2
    assert page.run("document.getElementById('map-sure').getAttribute('aria-live')") == "polite"


def test_the_slider_moves_by_keys(page):
    page.run("document.getElementById('map-threshold').focus()")
    page.press("ArrowRight")
    assert page.run("document.getElementById('map-sure').textContent").endswith("certainty ≥ 0.01")


def test_the_arrow_keys_walk_through_every_item(page, content):
    page.run("document.getElementById('map-canvas').focus()")
    seen = []
    for _ in range(12):
        page.press("ArrowRight")
        seen.append(title(page))
    assert seen == [name_of(i) for i in range(12)]
    page.press("ArrowLeft")
    assert title(page) == name_of(10)
    assert page.run("document.getElementById('map-said').textContent").startswith(f"{name_of(10)}, cluster ")
    page.press("End")
    assert title(page) == name_of(N - 1)
    y = content["y"][N - 1]
    page.press("ArrowUp")
    above = IDS.index(title(page))
    assert content["y"][above] > y or above == N - 1
    page.press("Home")
    assert title(page) == name_of(0)
    page.press("Escape")
    assert title(page) is None


def test_hidden_clusters_are_walked_past(page, content):
    page.run("document.querySelectorAll('button.key')[1].click(); document.getElementById('map-canvas').focus()")
    shown = [i for i in range(N) if content["label"][i] != 1]
    for i in shown[:8]:
        page.press("ArrowRight")
        assert title(page) == name_of(i)


def test_every_control_is_reached_by_tab_and_shows_it(page):
    page.run("document.body.tabIndex = -1; document.body.focus()")
    reached = []
    for _ in range(24 + K):
        page.press("Tab")
        reached.append(page.run("document.activeElement.id || document.activeElement.className"))
        assert page.run("getComputedStyle(document.activeElement).outlineStyle") != "none", reached[-1]
        if reached[-1] == "map-find":
            break
    expected = [
        *["key"] * K,
        "map-all",
        "map-none",
        "map-canvas",
        "map-closer",
        "map-wider",
        "map-whole",
        "map-threshold",
        "map-find",
    ]
    start = reached.index("key")
    assert reached[start:] == expected
    assert reached[0] == "theme"


def test_an_item_is_found_by_its_id(page):
    page.run("(f => { f.focus(); f.value = 'ITEM-123'; })(document.getElementById('map-find'))")
    page.press("Enter")
    assert title(page) == "item-123"
    page.run("document.getElementById('map-find').value = 'nobody'")
    page.press("Enter")
    assert page.run("!document.getElementById('map-missed').hidden")


def test_an_enlarged_map_shows_the_item_that_is_chosen(page, content):
    page.run("for (let i = 0; i < 6; i++) document.getElementById('map-closer').click()")
    page.run("document.getElementById('map-canvas').focus()")
    ink = color(page, "ink")
    without = pixels(page, ink)
    for key in ("Home", "End"):
        page.press(key)
        assert pixels(page, ink) > without + 40  # its ring is within the canvas
    page.run("document.getElementById('map-whole').click()")
    page.press("Escape")
    i = lonely(page, content)[0]
    page.mouse("click", *place(page, content, i))
    assert title(page) == name_of(i)


CONTRASTS = """
(() => {
  const seen = [];
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const part = (c) => (c /= 255, c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const at = node.parentElement;
    if (!node.data.trim() || !at.checkVisibility() || at.closest("script, style, canvas, svg")) continue;
    let ground = at;
    while (ground && rgb(getComputedStyle(ground).backgroundColor)[3] === 0) ground = ground.parentElement;
    const a = light(rgb(getComputedStyle(at).color)), b = light(rgb(getComputedStyle(ground).backgroundColor));
    seen.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), node.data.trim().slice(0, 40)]);
  }
  return seen;
})()
"""


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("by_button", [False, True])
def test_every_text_on_the_page_reads_in_light_and_dark(browser, fit, content, dark, by_button):
    browser.open(fit[0].as_uri(), dark=dark != by_button)
    if by_button:
        browser.run("document.getElementById('theme').click()")
    browser.run("document.getElementById('map').scrollIntoView()")
    browser.run("document.getElementById('map-canvas').focus()")
    browser.press("ArrowRight")
    assert color(browser, "paper") == ("#15181d" if dark else "#ffffff")
    found = browser.run(CONTRASTS)
    assert len(found) > 100
    assert [text for ratio, text in found if ratio < 4.5] == []
    assert pixels(browser, color(browser, "k0")) > 50  # the map is drawn in the colours of the theme


def test_hostile_ids_are_shown_and_do_nothing(page):
    page.run("document.getElementById('map-canvas').focus()")
    for i in range(len(EVIL)):
        page.press("ArrowRight")
        assert title(page) == name_of(i)
        assert page.run("document.querySelector('#map-item h3 bdi').children.length") == 0
    assert page.run("window.hurt === undefined")
    assert page.complaints == []
    assert page.run("document.scripts.length") == 2


@pytest.mark.parametrize("width", [320, 390, 1280, 2560])
def test_nothing_sticks_out_at_any_width(browser, fit, width):
    browser.open(fit[0].as_uri(), width=width)
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.run("document.getElementById('map-canvas').getBoundingClientRect().width") > min(250, width / 2)


def test_at_420_pixels_no_table_scrolls_and_each_keeps_its_cells(browser, fit, partition):
    for path in (fit[0], partition[0]):
        browser.open(path.as_uri(), width=420)
        scrolled = "[...document.querySelectorAll('.wide')].filter(e => e.scrollWidth > e.clientWidth + 1).length"
        assert browser.run(scrolled) == 0
        names = "[...document.querySelectorAll('.stacked tbody tr')].every(r => [...r.cells].every((c, j) => "
        names += "c.dataset.column === r.closest('table').tHead.rows[0].cells[j].textContent))"
        assert browser.run(names)
        told = "[...document.querySelectorAll('.stacked td')].map(e => getComputedStyle(e, '::before').content)"
        assert "none" not in browser.run(told)
    assert browser.run("document.querySelectorAll('.stacked td').length") > 0  # the partition has such a table


def test_without_scripts_the_picture_stands_in_the_maps_place(browser, fit):
    browser.open(fit[0].as_uri(), scripts=False)
    document = browser.send("DOM.getDocument", depth=-1)["root"]["nodeId"]

    def found(selector):
        return browser.send("DOM.querySelector", nodeId=document, selector=selector)["nodeId"]

    assert found("#map[hidden]")
    assert found("noscript img[alt]")
    assert found("#theme[hidden]")
    browser.send("Emulation.setScriptExecutionDisabled", value=False)


def test_ten_thousand_items_are_drawn_and_told(browser, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10_000, 2)) + 5 * rng.normal(size=(8, 2))[np.arange(10_000) % 8]
    model = SoftClustering(8, n_init=1, random_state=0, probabilities="fitted", affinity="neighbors").fit(X)
    write(tmp_path / "many.html", X, model, [])
    browser.open((tmp_path / "many.html").as_uri())
    browser.run("document.getElementById('map').scrollIntoView(); document.getElementById('map-canvas').focus()")
    browser.press("End")
    assert title(browser) == "Item 9999"
    assert browser.complaints == []
    assert all(pixels(browser, color(browser, f"k{k}")) > 100 for k in range(8))


def test_a_partition_from_draws_has_the_map_too(browser, tmp_path):
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 12)
    draws = draws_around(truth, 200, 0.1, seed=rng)
    model = BayesianPartition(random_state=0).fit(draws)
    report = PartitionReport("T", "s", IDS[:36], model, model.credible_ball(), {}, 0.1, {}, None)
    write_partition_report(tmp_path / "partition.html", report)
    browser.open((tmp_path / "partition.html").as_uri())
    browser.run("document.getElementById('map-canvas').focus()")
    browser.press("End")
    assert title(browser) == IDS[35]
    assert browser.complaints == []
    assert browser.run("window.hurt === undefined")


@pytest.fixture(scope="module")
def partition(tmp_path_factory):
    """Draws about twelve clusters, some items of which waver."""
    rng = np.random.default_rng(0)
    truth = np.arange(144) // 12
    doubt = np.where(np.arange(144) % 12 < 4, 0.3, 0.005)
    draws = draws_around(truth, 300, doubt, seed=rng)
    model = BayesianPartition(random_state=0).fit(draws)
    report = PartitionReport("Places", "draws.npz", [], model, model.credible_ball(), {}, 0.1, {}, None)
    path = tmp_path_factory.mktemp("places") / "report.html"
    write_partition_report(path, report)
    return path, model


def test_a_partitions_map_counts_by_the_draws_and_tells_the_shares_of_an_item(browser, partition):
    path, model = partition
    browser.open(path.as_uri())
    browser.run("document.getElementById('map').scrollIntoView()")
    browser.settle()
    matched = model.certainty().matched
    sure = "document.getElementById('map-sure').textContent"
    counts = set()
    for t in (0.95, 0.5, 0.99):
        browser.run(
            f"(s => {{ s.value = {t}; s.dispatchEvent(new Event('input')); }})"
            "(document.getElementById('map-threshold'))"
        )
        n = int((matched >= t).sum())
        counts.add(n)
        assert browser.run(sure) == f"{n} of 144 items with a certainty ≥ {t:.2f}"
    assert len(counts) >= 2
    P, labels = model.psm(), model.labels_
    browser.run("document.getElementById('map-canvas').focus()")
    for i in range(2):
        browser.press("ArrowRight")
        words = told(browser)
        own = (labels == labels[i]) & (np.arange(144) != i)
        assert f"Certainty {matched[i]:.3f}" in words
        assert f"{P[i, own].mean():.3f}" in words
        assert "Mean co-clustering with each cluster" in words
    assert browser.complaints == []


def test_on_a_map_of_many_clusters_every_colour_is_seen(browser, partition):
    path, model = partition
    assert model.n_clusters_ == 12
    browser.open(path.as_uri())
    browser.run("document.getElementById('map').scrollIntoView()")
    browser.settle()
    content = json.loads(re.search(r'id="map-items">(.*?)</script>', path.read_text("utf-8"), re.S)[1])
    assert min(pixels(browser, color(browser, f"k{k}")) for k in range(12)) > 30
    assert pixels(browser, color(browser, "unsure")) == 0  # pale items keep their cluster's colour
    legend = browser.run("(e => [e.scrollHeight, e.clientHeight])(document.querySelector('.legend'))")
    assert legend[0] <= legend[1]  # no button is cut off
    places = np.column_stack([content["x"], content["y"]])
    assert len(np.unique(places, axis=0)) == 144


def test_numbers_of_clusters_do_not_lie_on_each_other(browser, tmp_path):
    pytest.importorskip("matplotlib")
    pairs = np.random.default_rng(0).uniform(0, 40, size=(12, 1, 2)) + np.array([[0.0, 0.0], [0.7, 0.1]])
    X = np.repeat(pairs.reshape(-1, 2), 12, axis=0) + np.random.default_rng(1).normal(scale=0.02, size=(288, 2))
    model = SoftClustering(24, random_state=0, affinity="neighbors", probabilities="fitted").fit(X)
    write(tmp_path / "report.html", X, model, [str(i) for i in range(len(X))])
    browser.open((tmp_path / "report.html").as_uri())
    browser.run("document.getElementById('map').scrollIntoView()")
    browser.settle()
    browser.run(
        "(() => { window.told = []; const fill = CanvasRenderingContext2D.prototype.fillText;"
        " CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {"
        " window.told.push([x, y, this.measureText(text).width]); fill.call(this, text, x, y); };"
        " document.dispatchEvent(new Event('themechange')); })()"
    )
    browser.settle()
    told = np.array(browser.run("window.told"))[-24:]
    x, y, width = told.T
    one, other = np.triu_indices(24, 1)
    beside = np.abs(x[one] - x[other]) >= (width[one] + width[other]) / 2
    assert (beside | (np.abs(y[one] - y[other]) >= 11)).all()
