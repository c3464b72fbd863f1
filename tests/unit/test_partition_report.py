"""The report on a partition from draws: nothing that is wrong is hidden, no text becomes markup, one file is enough."""

import json
import re
import sys
import warnings
from copy import copy
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from partita import BayesianPartition, partition_distance, posterior_similarity
from partita.errors import InputError
from partita.estimators import mixed_table
from partita.estimators.mixed_table import MixedTable
from partita.estimators.partition_notes import search_notes
from partita.partition.certainty import item_certainty
from partita.partition.losses import VariationOfInformation
from partita.report import PartitionReport, partition_verdict, render_partition_report, write_partition_report
from partita.report.layout import places
from partita.report.partition_report import partition_clusters, unsure_items
from partita.report.partition_verdict import partition_headline
from partita.wording import percent
from synthetic import draws_around

pytestmark = pytest.mark.usefixtures("unpainted")

VOID = {"meta", "link", "img", "br", "input"}


class Page(HTMLParser):
    """Tags that are closed in the order in which they were opened, and the words between them."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.words = [], [], []
        self.feed(html)
        self.close()
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    def all(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def report_of(model, **changes):
    base = {
        "title": "Items",
        "source": "draws.npz",
        "ids": [],
        "ball": None if model.draws_ is None else model.credible_ball(),
        "parameters": {"loss": "vi", "max_clusters": None},
        "seconds": 1.25,
        "versions": {"partita": "0.1.0"},
        "command": "partita partition draws.npz",
    }
    return PartitionReport(estimator=model, **(base | changes))


def said(report, tone=None):
    return " ".join(s.text for s in partition_verdict(report) if tone in (None, s.tone))


def no_matplotlib(monkeypatch):
    for name in [*sys.modules, "matplotlib", "matplotlib.style", "matplotlib.figure"]:
        if name.partition(".")[0] == "matplotlib":
            monkeypatch.setitem(sys.modules, name, None)


@pytest.fixture
def words_alone(monkeypatch):
    """Pages without pictures, which take most of the time of a page."""
    no_matplotlib(monkeypatch)


@pytest.fixture(scope="module")
def sure():
    """Four clusters of 60 items that hardly waver, four chains that agree."""
    return BayesianPartition(random_state=0).fit(
        draws_around(np.arange(60) // 15, 400, 0.01), chain=np.arange(400) // 100
    )


@pytest.fixture(scope="module")
def page_of_sure(sure):
    return render_partition_report(report_of(sure))


@pytest.fixture(scope="module")
def torn():
    """Chains at one of two partitions each."""
    rows, columns = np.arange(60) // 15, np.arange(60) % 15 // 5
    draws = np.r_[draws_around(rows, 200, 0.05), draws_around(columns, 200, 0.05, seed=1)]
    return BayesianPartition(random_state=0).fit(draws, chain=np.arange(400) // 200)


def test_a_sure_partition_has_no_caution_and_says_so(sure):
    report = report_of(sure)
    assert said(report, "caution") == ""
    words = said(report)
    assert words.startswith("60 items were divided into 4 clusters of 15 items each, from 400 draws")
    assert f"variation of information: {sure.expected_loss_:.4g} bits" in words
    assert "All items are in the matching cluster in at least 95% of the draws" in words
    assert "One mode was found" in words
    assert "The chains agree" in words
    assert f"All {len(sure.result_.runs)} restarts of the search reached this expected loss" in words
    assert "Soft memberships describe the draws" in words


def test_chains_modes_and_misfit_are_cautions_with_what_to_do(torn):
    words = said(report_of(torn), "caution")
    assert "The posterior has 2 modes, with 50% (K = 4) and 50% (K = 3) of the draws" in words
    assert "Report the partition of each mode" in words
    assert "The chains disagree" in words
    assert "do not pool them" in words
    assert "No memberships describe these draws well" in words


def test_labels_that_hardly_any_draw_bears_out_are_a_caution():
    draws = draws_around(np.arange(40) // 5, 300, 0.55)
    model = BayesianPartition("binder", random_state=0).fit(draws)
    assert np.median(model.certainty().matched) < 0.7
    assert "report the credible ball" in said(report_of(model), "caution")
    sure = BayesianPartition("binder", random_state=0).fit(draws_around(np.arange(40) // 5, 300, 0.1))
    assert "report the credible ball" not in said(report_of(sure))


def test_the_partition_of_the_one_mode_is_the_estimate(sure):
    (mode,) = sure.modes().modes
    np.testing.assert_array_equal(mode.labels, sure.labels_)


def content_of(html):
    return json.loads(re.search(r'id="map-items">(.*?)</script>', html, re.S)[1])


@pytest.fixture(scope="module")
def astray():
    """A partition that puts an item elsewhere than the memberships of the same draws do."""
    draws = draws_around(np.arange(40) // 10, 300, 0.3, seed=2)
    draws[:, 0] = np.where(np.arange(300) % 5 < 3, draws[:, 30], draws[:, 5])
    model = BayesianPartition(random_state=0).fit(draws)
    model.labels_ = model.labels_.copy()
    model.membership_  # noqa: B018 (fitted to the draws before the labels are moved)
    model.labels_[0] = model.labels_[5]
    return model


def test_certain_items_are_those_of_the_draws_everywhere_on_the_page(astray):
    certain = item_certainty(astray.labels_, astray.draws_.labels, weights=astray.draws_.counts).matched
    html = render_partition_report(report_of(astray))
    found = content_of(html)
    n = int((certain >= 0.95).sum())
    assert found["certain"] == [int((certain >= t / 100).sum()) for t in range(101)]
    assert found["label"] == astray.labels_.tolist()
    assert found["certainty"] == np.rint(1000 * certain).astype(int).tolist()
    page = Page(html).text
    assert f"On average an item is in the matching cluster in {100 * certain.mean():.0f}% of the draws" in page
    assert ("No item is in the matching" if n == 0 else f"{100 * n / 40:.0f}% of the items are in the matching") in page


def test_the_bars_of_an_item_are_its_similarities_to_the_clusters(astray, words_alone):
    P = posterior_similarity(astray.draws_.labels, weights=astray.draws_.counts)
    found = content_of(render_partition_report(report_of(astray)))
    for place, i in enumerate(found["row"]):
        bars = dict(zip(found["top"][place][::2], found["top"][place][1::2], strict=True))
        for k, value in bars.items():
            others = [j for j in range(40) if astray.labels_[j] == k and j != i]
            assert value == pytest.approx(1000 * P[i, others].mean(), abs=0.5 + 1e-9)  # rounded to thousandths


def test_items_whose_largest_membership_is_elsewhere_are_told(astray, sure):
    largest = astray.membership_.argmax(axis=1)
    n = int((largest != astray.labels_).sum())
    assert n >= 1
    words = said(report_of(astray))
    assert f"for {n} item{'s' * (n > 1)} the largest membership differs from the partition" in words
    assert "labels.csv has the partition" in words
    assert "largest membership" not in said(report_of(sure))


def test_the_caption_of_the_ball_does_not_call_its_edge_the_posterior(page_of_sure):
    pytest.importorskip("matplotlib")
    page = Page(page_of_sure).text
    assert "what the draws agree on" not in page
    assert "what they share the other draws need not share" in page


def test_with_weights_of_errors_the_loss_says_them_and_the_ball_that_it_has_none(words_alone):
    model = BayesianPartition(VariationOfInformation(a=1.5), random_state=0).fit(
        draws_around(np.arange(24) // 8, 80, 0.2)
    )
    report = report_of(model)
    assert "least expected variation of information with a = 1.5: " in said(report)
    page = Page(render_partition_report(report)).text
    assert "both errors weighed alike, though the loss was minimised with a = 1.5" in page
    model = BayesianPartition(random_state=0).fit(draws_around(np.arange(24) // 8, 80, 0.2))
    assert "weighed alike" not in Page(render_partition_report(report_of(model))).text


@pytest.mark.parametrize("loss", ["pear", "vi_lb"])
def test_a_score_that_is_an_expectation_is_not_expected_twice(loss):
    model = BayesianPartition(loss, random_state=0).fit(draws_around(np.arange(24) // 8, 80, 0.2))
    html = render_partition_report(report_of(model))
    assert "expected posterior expected" not in html.lower()
    assert "expected lower bound" not in html.lower()


def test_a_cluster_that_meets_no_other_has_none_next_and_no_figure_is_minus_zero(words_alone):
    model = BayesianPartition("binder", random_state=0).fit(np.tile(np.arange(12), (6, 1)))
    assert all(row.next is None for row in partition_clusters(report_of(model)))
    draws = np.tile(np.r_[np.zeros(6, int), np.ones(6, int)], (4, 1))
    draws[::2, 0] = 1  # as often with either
    model = BayesianPartition(max_clusters=2, random_state=0).fit(draws)
    html = render_partition_report(report_of(model))
    assert not re.search(r">-0\.0+<", html)


def test_one_item_and_one_draw_are_told_in_the_singular():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        words = said(report_of(BayesianPartition(random_state=0).fit([[0]])))
    assert words.startswith("There is 1 item, in 1 cluster, from 1 draw.")
    for wrong in ("1 items", "1 draws", "1 clusters"):
        assert wrong not in words


def test_no_cluster_of_many_lies_on_another():
    draws = draws_around(np.arange(600) // 20, 60, 0.1, seed=1)
    found = content_of(render_partition_report(report_of(BayesianPartition("binder", random_state=0).fit(draws))))
    labels, points = np.array(found["label"]), np.column_stack([found["x"], found["y"]]).astype(float)
    K = labels.max() + 1
    assert K >= 30
    big = [k for k in range(K) if (labels == k).sum() > 5]
    middle = np.array([points[labels == k].mean(axis=0) for k in big])
    nearest = np.linalg.norm((points[:, None] - middle[None]) * [4 / 3, 1], axis=2).argmin(axis=1)
    own = np.isin(labels, big)
    assert (np.array(big)[nearest[own]] == labels[own]).mean() > 0.99


def test_clusters_that_share_draws_are_neighbours_on_the_map():
    # Sixteen clusters; each is often one with its partner, never with another.
    labels = np.repeat(np.arange(16), 10)
    closeness = np.zeros((160, 16))
    closeness[np.arange(160), labels] = 0.9
    closeness[np.arange(160), labels ^ 1] = 0.6
    centre = places(closeness, labels).reshape(16, 10, 2).mean(axis=1)
    apart = np.linalg.norm(centre[:, None] - centre[None], axis=2)
    partners = apart[np.arange(16), np.arange(16) ^ 1]
    others = apart[~np.eye(16, dtype=bool) & (np.arange(16)[:, None] ^ 1 != np.arange(16))]
    assert np.mean(partners) < 0.7 * np.mean(others)


def test_a_cap_that_binds_is_a_caution():
    model = BayesianPartition(max_clusters=2, random_state=0).fit(draws_around(np.arange(40) // 8, 200, 0.1))
    assert "Max_clusters=2 keeps a better partition from being found: raise it" in said(report_of(model), "caution")


def test_partitions_as_good_are_a_caution():
    model = BayesianPartition("binder", n_init=20, random_state=0).fit([[0, 0, 1], [0, 1, 1]])
    assert "equally good" in said(report_of(model), "caution")


def test_runs_that_differ_by_rounding_do_not_differ(sure, words_alone):
    model = copy(sure)
    model.result_ = replace(sure.result_, gap=1.78e-15)
    report = report_of(model)
    assert "Gap to the worst run 0 " in Page(render_partition_report(report)).text


def test_runs_that_differ_are_told(sure):
    model = BayesianPartition(random_state=0).fit(draws_around(np.arange(60) // 15, 100, 0.1))
    best = model.result_.runs[0]
    other = replace(best, loss=best.loss + 0.5, labels=np.arange(60) % 4)
    model.result_ = replace(model.result_, runs=(best, other, best), gap=0.5, n_agreeing=2)
    assert "2 of 3 restarts of the search reached this expected loss; the worst is 0.5 off" in said(report_of(model))
    model.result_ = replace(model.result_, runs=(best,), gap=0.0, n_agreeing=1)
    assert "whether another would end at another partition was not tried" in said(report_of(model))
    model.result_ = replace(model.result_, runs=(), gap=0.0, n_agreeing=0)
    assert "No restart of the search was finished" in said(report_of(model))
    model.result_ = replace(model.result_, runs=(best, other), gap=0.5, n_agreeing=1)
    model._said = search_notes(model.result_, model.agreement_, model.max_clusters)
    assert "Only one of 2 runs ended at the best partition" in said(report_of(model), "caution")


def test_time_that_ran_out_and_interruptions_are_cautions():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = BayesianPartition(max_seconds=1e-6, random_state=0).fit(draws_around(np.arange(300) // 30, 200, 0.4))
    assert "ran out of time" in said(report_of(model), "caution")
    assert "--max-seconds" in said(report_of(model), "caution")
    model.result_ = replace(model.result_, status="interrupted")
    assert "was interrupted" in said(report_of(model), "caution")


def test_chains_too_short_to_tell_are_a_caution_and_no_chains_are_told(words_alone):
    draws = draws_around(np.arange(20) // 10, 24, 0.05)
    model = BayesianPartition(random_state=0).fit(draws, chain=np.arange(24) // 6)
    assert "Too little to tell" in said(report_of(model), "caution")
    page = Page(render_partition_report(report_of(model))).text
    assert page.count("oo little to tell whether the chains agree") == 3  # headline, caution, section on chains
    assert "disagree" not in page
    model = BayesianPartition(random_state=0).fit(draws)
    assert "Which chain each draw is of was not given" in said(report_of(model), "plain")
    weights = np.repeat([1.0, 0.0], 12)
    words = said(report_of(BayesianPartition(random_state=0).fit(draws, weights=weights, chain=np.arange(24) // 12)))
    assert "of one chain" in words
    assert "was not given" not in words


def test_draws_that_lack_items_are_a_caution_and_the_rest_is_there(monkeypatch):
    draws = draws_around(np.arange(30) // 10, 100, 0.05)
    draws[np.random.default_rng(0).random(draws.shape) < 0.1] = -1
    model = BayesianPartition("binder", missing="unobserved", random_state=0).fit(draws)
    report = report_of(model)
    assert "Some draws lack items" in said(report, "caution")
    P = model.psm()
    off = ~np.eye(30, dtype=bool)
    for row in partition_clusters(report):
        own = model.labels_ == row.cluster
        assert row.within == pytest.approx(P[np.ix_(own, own)][off[np.ix_(own, own)]].mean())
    no_matplotlib(monkeypatch)
    assert "Credible ball" not in Page(render_partition_report(report)).text


CLEAN = draws_around(np.arange(40) // 10, 200, 0.05)
STRIPES, HALVES = np.arange(24) % 2, np.arange(24) // 12


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("draws", "options", "worst"),
    [
        (np.random.default_rng(77).integers(0, 4, (500, 24)), {}, ["24 items are .* 70%", "no draw has 1", "misfit"]),
        (CLEAN, {"max_clusters": 1}, ["Max_clusters=1", "40 items are", "no draw"]),
        (CLEAN.T, {}, ["The draws look transposed"]),
        (np.tile(np.arange(9), (50, 1)), {}, ["In every draw each of the 9 items is alone"]),
        (CLEAN, {"max_seconds": 1e-6}, ["The search ran out of time"]),
        (np.repeat([STRIPES, HALVES], [50, 50], axis=0), {}, ["between them, near none", "24 items", "no draw has 4"]),
        (np.repeat([STRIPES, HALVES], [80, 20], axis=0), {}, ["represents one of them only", "no item"]),
        (CLEAN, {}, ["Nothing stands out"]),
    ],
)
def test_the_headline_says_what_to_doubt_and_the_worst_first(draws, options, worst):
    doubts = partition_headline(report_of(BayesianPartition(random_state=0, **options).fit(draws)))[2].split("; ")
    assert len(doubts) == len(worst)
    assert all(re.search(pattern, doubt) for pattern, doubt in zip(worst, doubts, strict=True))


def test_of_draws_that_lack_items_the_number_and_what_to_doubt_are_told():
    model = BayesianPartition("binder", missing="unobserved", random_state=0).fit([[0, 0, 1], [0, -1, 1], [0, 0, 1]])
    headline = partition_headline(report_of(model))
    assert "from 3 draws" in headline[0]
    assert headline[2].startswith("3 draws are too few")


def test_an_estimate_with_fewer_or_more_clusters_than_the_draws_is_explained():
    rng = np.random.default_rng(0)
    draws = np.array(
        [np.where(rng.random(40) < 0.15, 2 + rng.permutation(40), np.arange(40) // 20) for _ in range(300)]
    )
    model = BayesianPartition(random_state=0).fit(draws)
    assert model.n_clusters_ == 2
    assert "The estimate has fewer clusters than" in said(report_of(model))
    # An item in either of two clusters half of the time stands for itself.
    draws = np.repeat([[0] * 10 + [1] * 10], 200, axis=0)
    draws[:, 0] = np.arange(200) % 2
    model = BayesianPartition(random_state=0).fit(draws)
    assert model.n_clusters_ == 3
    assert "The estimate has more clusters than any draw" in said(report_of(model))


@settings(max_examples=40)
@given(
    st.integers(1, 12), st.integers(2, 12), st.integers(0, 2**32 - 1), st.sampled_from(["vi", "binder", "pear", "nid"])
)
def test_every_partition_has_a_verdict_of_whole_sentences(n, M, seed, loss):
    rng = np.random.default_rng(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = BayesianPartition(loss, random_state=0).fit(rng.integers(0, 3, (M, n)))
        for sentence in partition_verdict(report_of(model)):
            assert sentence.text[0].isupper() or sentence.text[0].isdigit()
            assert sentence.text.endswith(".")
            assert "nan" not in sentence.text


def test_the_shares_in_the_tables_are_those_of_the_draws():
    draws = draws_around(np.arange(50) // 10, 150, 0.35, seed=3)
    model = BayesianPartition(random_state=0).fit(draws)
    report, P = report_of(model), posterior_similarity(draws)
    labels = model.labels_
    for i in range(50):
        for k in range(model.n_clusters_):
            others = [j for j in range(50) if labels[j] == k and j != i]
            alone = np.mean([(draw == draw[i]).sum() == 1 for draw in draws])
            expected = P[i, others].mean() if others else alone
            assert report.closeness[i, k] == pytest.approx(expected, abs=1e-12)
    rows, n = unsure_items(report, limit=5)
    assert n == sum(report.within - report.beyond[1] < 0.5) > 5
    margins = [row.within - row.across for row in rows]
    assert margins == sorted(margins)
    assert margins[0] == pytest.approx((report.within - report.beyond[1]).min())
    for row in partition_clusters(report):
        own = np.flatnonzero(labels == row.cluster)
        assert row.size == len(own)
        if len(own) > 1:
            pairs = P[np.ix_(own, own)][~np.eye(len(own), dtype=bool)]
            assert row.within == pytest.approx(pairs.mean())
        across = {k: P[np.ix_(own, np.flatnonzero(labels == k))].mean() for k in set(labels) - {row.cluster}}
        assert row.across == pytest.approx(max(across.values()))
        assert across[row.next] == pytest.approx(row.across)


def test_of_many_clusters_the_largest_are_listed():
    draws = np.tile(np.r_[np.arange(120), np.arange(30), np.arange(30)], (5, 1))
    report = report_of(BayesianPartition("binder", random_state=0).fit(draws))
    rows = partition_clusters(report, limit=30)
    assert [row.size for row in rows] == [3] * 30
    assert len(partition_clusters(report, limit=500)) == 120


def test_the_report_has_verdict_pictures_tables_and_provenance(torn, tmp_path):
    pytest.importorskip("matplotlib")
    report = report_of(torn, ids=[f"star {i}" for i in range(60)])
    write_partition_report(tmp_path / "report.html", report)
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    page = Page(html)
    pictures = page.all("img")
    names = [picture["id"] for picture in pictures]
    drawn = ("modes", "ball", "similarity", "counts", "chains", "losses")
    assert names == [f"picture-{n}" for n in drawn]
    assert all(picture["alt"] for picture in pictures)
    assert len(page.all("figcaption")) == len(pictures)
    verdict = re.search(r'aria-label="Verdict".*?</section>', html, re.DOTALL)[0]
    for words in ("2 modes", "The chains disagree", "No memberships describe"):
        assert words in verdict
    modes = torn.modes().modes
    for words in (
        "star ",
        "Horizontal",
        "partita partition draws.npz",
        f"{partition_distance(modes[1].labels, torn.labels_):.3f}",
        f"{torn.credible_ball().radius:.4f}",
        f"{torn.agreement_.max_difference:.3f}",
    ):
        assert words in page.text


def test_the_same_fit_gives_the_same_page(sure):
    assert render_partition_report(report_of(sure)) == render_partition_report(report_of(sure))


def test_the_page_asks_for_nothing_from_outside(page_of_sure):
    html = page_of_sure
    page = Page(html)
    policy = [meta["content"] for meta in page.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    assert len(policy) == 1
    allowed = dict(part.split(" ", 1) for part in policy[0].split("; "))
    assert allowed.pop("script-src").startswith("'sha256-")
    assert set(allowed) == {"default-src", "img-src", "style-src", "base-uri", "form-action"}
    assert (allowed["default-src"], allowed["img-src"]) == ("'none'", "data:")
    assert not re.search(r"https?://", html)
    assert "url(" not in html
    assert "@import" not in html
    assert len(page.all("script")) == 2  # its own, and what the map is made of
    links = [v for _, attrs in page.tags for k, v in attrs.items() if k in ("src", "href", "srcset", "action")]
    assert links
    assert all(link.startswith("data:") for link in links)


def test_no_text_becomes_markup(sure):
    evil = "<script>alert('x')</script>\"&'"
    html = render_partition_report(
        report_of(
            sure, title=evil, source=evil, ids=[evil] * 60, parameters={evil: evil}, versions={evil: evil}, command=evil
        )
    )
    page = Page(html)
    assert html.count("<script") == len(page.all("script")) == 2
    assert "alert('x')" not in "".join(re.findall(r"<script>.*?</script>", html, re.S))
    assert evil in page.text


def test_without_matplotlib_words_and_tables_remain(torn, monkeypatch):
    no_matplotlib(monkeypatch)
    page = Page(render_partition_report(report_of(torn)))
    assert not page.all("img")
    assert page.text.count("python -m pip install 'partita[plot]'") == 1
    assert "The posterior has 2 modes" in page.text
    labels = {
        attrs["aria-label"] for attrs in page.all("div") if attrs.get("role") == "group" and "aria-label" in attrs
    }
    assert {"Clusters", "Credible ball", "Modes"} <= labels


def test_a_page_of_many_noisy_items_stays_small():
    pytest.importorskip("matplotlib")
    rng = np.random.default_rng(0)
    truth = np.arange(1200) % 12
    doubt = rng.beta(1, 3, 1200)  # every cell of the heat map differs from its neighbours
    draws = np.where(rng.random((60, 1200)) < doubt, rng.integers(0, 12, (60, 1200)), truth)
    html = render_partition_report(report_of(BayesianPartition(random_state=0).fit(draws)))
    assert "mean over pairs of up to" in Page(html).text
    assert len(html) < 3_000_000


@pytest.mark.parametrize(
    "draws", [[[0], [0]], [[0, 0], [0, 1]], np.zeros((4, 5), dtype=int), np.arange(300).reshape(3, 100)]
)
def test_reports_of_few_and_many_clusters_are_whole_pages(draws):
    page = Page(render_partition_report(report_of(BayesianPartition("binder", random_state=0).fit(draws))))
    assert "How it was made" in page.text


def test_a_report_of_other_items_is_refused(sure, torn):
    with pytest.raises(InputError, match="ids"):
        report_of(sure, ids=["a", "b", "c"])
    other = BayesianPartition(random_state=0).fit([[0, 0, 1], [0, 0, 1]])
    with pytest.raises(InputError, match="ball"):
        report_of(sure, ball=other.credible_ball())


def test_with_one_or_two_columns_of_numbers_the_map_is_these(sure, words_alone):
    X = np.random.default_rng(0).normal(size=(60, 2)).round(3)
    found = content_of(render_partition_report(report_of(sure, table=MixedTable(("east", "north"), (*X.T,)))))
    for j, axis in enumerate("xy"):
        np.testing.assert_array_equal(np.argsort(found[axis], kind="stable"), np.argsort(X[:, j], kind="stable"))
    assert found["columns"] == ["east", "north"]
    assert [[float(cell) for cell in row] for row in found["cells"]] == X[found["row"]].tolist()
    three = MixedTable(("a", "b", "c"), tuple(np.arange(180.0).reshape(3, 60)))
    without = content_of(render_partition_report(report_of(sure)))
    assert content_of(render_partition_report(report_of(sure, table=three)))["x"] == without["x"]
    assert without["columns"] == []


def test_the_page_has_each_cluster_s_range_of_a_column_and_what_tells_it_apart(sure, words_alone):
    velocity = 100.0 * sure.labels_ + np.arange(60) % 15
    velocity[7] = np.nan
    colour = mixed_table.words(np.array(["red", "blue"])[(sure.labels_ > 1).astype(int)])
    html = render_partition_report(report_of(sure, table=MixedTable(("velocity", "colour"), (velocity, colour))))
    listing = html.split('aria-label="Columns of the items"')[1].split("</table>")[0]
    for k in range(4):
        own = velocity[(sure.labels_ == k) & ~np.isnan(velocity)]
        assert f"<td>{own.min():.0f} to {own.max():.0f}</td>" in listing
    assert listing.count("velocity") >= 4
    assert "colour" not in listing.split("<tbody")[0]  # words have no range


def test_a_table_of_other_items_is_refused(sure):
    with pytest.raises(InputError, match="rows"):
        report_of(sure, table=MixedTable(("x",), (np.zeros(59),)))


def test_a_frame_of_the_items_gives_their_names_and_columns(sure, words_alone, tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"velocity": np.arange(60.0)}, index=[f"galaxy {i}" for i in range(60)])
    html = sure.report(tmp_path / "page.html", X=frame).read_text(encoding="utf-8")
    found = content_of(html)
    assert found["id"] == list(frame.index)
    assert found["columns"] == ["velocity"]
    assert content_of(sure.report(tmp_path / "page.html").read_text(encoding="utf-8"))["id"] is None


def test_modes_and_what_holds_have_sections_of_their_own(sure, torn, words_alone):
    page = Page(render_partition_report(report_of(sure))).text
    assert "One mode was found" in page.split(" Modes ", 1)[1].split(" Credible ball ")[0]
    cores = sure.certain_items(0.95)
    holds = page.split(" What holds ", 1)[1].split(" The most ambiguous items ")[0]
    assert f"In {percent(cores.probability)} of the draws " in holds
    assert f"{len(cores.kept)} items are together or apart exactly as shown" in holds
    for core in range(cores.labels.max() + 1):
        assert f" {(cores.labels == core).sum()} of 15 " in holds
    assert "Mode Share of the draws" in Page(render_partition_report(report_of(torn))).text


def test_one_mode_of_chains_that_differ_is_not_called_the_posterior(torn):
    report = report_of(torn)
    object.__setattr__(report, "modes", replace(torn.modes(), modes=torn.modes().modes[:1]))
    assert "may have missed others" in said(report)


def test_clusters_and_sizes_are_told_from_the_largest(words_alone):
    truth = np.repeat([0, 1, 2], [5, 20, 9])
    report = report_of(BayesianPartition(random_state=0).fit(draws_around(truth, 200, 0.05)))
    assert said(report).startswith("34 items were divided into 3 clusters of 20, 9 and 5 items")
    assert [row.size for row in partition_clusters(report)] == [20, 9, 5]


def test_parameters_left_at_their_defaults_are_folded(sure, words_alone):
    report = report_of(sure, parameters={"loss": "vi", "max_clusters": None}, untouched=["max_clusters"])
    html = render_partition_report(report)
    given = html.split("Parameters given or chosen")[1].split("</table>")[0]
    assert "loss" in given
    assert "max_clusters" not in given
    assert "1 other parameter with default values" in html
    assert "max_clusters = none" in html
