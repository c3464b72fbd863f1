"""What report and pictures make of a verdict on the number of clusters."""

import re
import warnings
from copy import copy
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest
from test_report import Page, no_matplotlib, report_of

from partita import SoftClustering
from partita.errors import InputError
from partita.estimators import pipeline
from partita.n_clusters import Judgement, Verdict
from partita.plots import VerdictDisplay, blank_figure
from partita.report import render_report
from partita.report.n_clusters import layers_table, n_clusters_sentences, other_answer, what_moves
from synthetic import gaussians

pytestmark = pytest.mark.usefixtures("unpainted")

unsure = pytest.mark.filterwarnings("ignore::partita.errors.UnsureWarning")


def judgement(name, answer, sizes, scores, **more):
    return Judgement(name, answer, np.array(sizes), np.array(scores, dtype=float), **more)


@pytest.fixture(scope="module")
def apart():
    X = gaussians(np.repeat([0, 1, 2], 40), [[0, 0], [10, 0], [0, 10]])
    return SoftClustering("auto", random_state=0, affinity="neighbors", probabilities="fitted").fit(X), X


@pytest.fixture
def torn():
    """A verdict of criteria that disagree."""
    said = (
        judgement("stability", 3, [2, 3, 4], [0.9, 0.95, np.nan], note="<as <it> says>"),
        judgement("hdbscan_count", 2, [2], [np.nan]),
        judgement("eigengap_ratio", None, [1, 2, 3], [1.0, 2.0, 400.0], note="few"),
        judgement("one_cluster", None, [1], [0.02], sure=0.98),
    )
    weights = {j.criterion: 1.5 for j in said}
    return Verdict(3, 0.6, np.array([0.1, 0.3, 0.6]), (2, 3), said, weights, True, ("criteria disagree",))


# Words


def test_agreement_is_told_without_a_caution(apart):
    sentences = n_clusters_sentences(apart[0].verdict_, 3)
    assert {s.tone for s in sentences} == {"plain"}
    assert re.search(r"5 criteria\. 3 clusters have a probability of \d+%\.", sentences[0].text)


def test_disagreement_is_a_caution_that_says_what_to_try(torn):
    (caution,) = [s.text for s in n_clusters_sentences(torn, 3) if s.tone == "caution"]
    assert "Fit 2 clusters too (--k 2)" in caution
    assert "3 clusters have a probability of 60%. 2 and 3 together" in n_clusters_sentences(torn, 3)[0].text


def test_another_number_than_the_verdicts_is_told(torn):
    told = [s.text for s in n_clusters_sentences(torn, 2) if s.tone == "caution"]
    assert "together say 3" in told[0]
    assert "Fit 3 clusters too" in told[1]


# The page


def test_the_page_has_a_section_with_every_criterion(apart):
    pytest.importorskip("matplotlib")
    model, X = apart
    page = Page(render_report(report_of(model, X)))
    assert "How many clusters" in page.text
    for row in model.verdict_.rows():
        assert row["idea"] in page.text
        assert row["criterion"].replace("_", " ") in page.text.replace("\u00a0", " ")
    (picture,) = [attrs for tag, attrs in page.tags if tag == "img" and attrs["id"] == "picture-verdict"]
    assert "the answer has 3" in picture["alt"]
    given = SoftClustering(3, random_state=0, affinity="neighbors", probabilities="fitted").fit(X)
    plain = Page(render_report(report_of(given, X)))
    assert "was not examined" in plain.text
    assert page.count("img") == plain.count("img") + 1
    assert page.count("table") == plain.count("table") + 1


def test_one_cluster_that_was_given_and_not_examined_is_said_to_be_so(apart, monkeypatch):
    no_matplotlib(monkeypatch)
    X = apart[1]
    page = Page(render_report(report_of(SoftClustering(1, random_state=0).fit(X), X)))
    assert "whether it is right was not examined" in page.text


def test_without_matplotlib_the_section_has_words_and_table(apart, monkeypatch):
    no_matplotlib(monkeypatch)
    model, X = apart
    page = Page(render_report(report_of(model, X)))
    assert page.count("img") == 0
    assert "How many clusters" in page.text
    assert model.verdict_.rows()[0]["idea"] in page.text


def test_what_criteria_note_is_text_and_answers_are_told_apart(apart, torn, monkeypatch):
    no_matplotlib(monkeypatch)
    model, X = apart
    monkeypatch.setattr(model, "verdict_", torn)
    html = render_report(report_of(model, X))
    assert "<it>" not in html
    behind = html.split("What is behind the number")[1].split("</table>")[0]
    cells = re.findall(r'<td class="number"[^>]*>([^<]*)</td>', behind)
    assert cells[::2] == ["3", "2", "none", "not 1"]


@unsure
def test_one_item_has_a_page():
    X = np.zeros((3, 2))
    assert (
        "How many clusters"
        in Page(
            render_report(report_of(SoftClustering("auto", affinity="neighbors", probabilities="fitted").fit(X), X))
        ).text
    )


# The picture


def test_the_picture_has_the_probabilities_and_a_panel_for_each_scored_criterion(torn):
    pytest.importorskip("matplotlib")
    display = VerdictDisplay(torn)
    assert display.n_panels == 3
    display.plot(blank_figure(3)[1])
    heights = [bar.get_height() for bar in display.ax_.patches]
    assert heights == [0.1, 0.3, 0.6]
    colors = [bar.get_facecolor() for bar in display.ax_.patches]
    assert len(set(colors)) == 3  # unlikely, likely, chosen
    lines = {tuple(line.get_xdata()) for line in display.axes_[1].get_lines()}
    assert (2, 3) in lines  # no score, no point
    assert (3,) in lines  # its answer
    assert display.axes_[2].get_yscale() == "log"
    assert display.axes_[1].get_yscale() == "linear"


def test_a_given_number_has_no_picture():
    model = SoftClustering(2, affinity="neighbors", probabilities="fitted").fit(np.arange(8.0)[:, None])
    with pytest.raises(InputError, match="n_clusters='auto'"):
        VerdictDisplay.from_estimator(model)


# Two answers side by side


@pytest.fixture(scope="module")
def unsure_of_its_number():
    """A fit whose second number is likely as well, by its verdict."""
    X = gaussians(np.repeat([0, 1, 2], 40), [[0, 0], [10, 0], [0, 10]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SoftClustering(random_state=0).fit(X)
    p = np.array([0.0, 0.3, 0.6, 0.1])
    model.verdict_ = replace(model.verdict_, sure=0.6, probabilities=p, likely=(2, 3))
    return model, X


def beside_of(model, X):
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", other_answer(report_of(model, X))))


def test_a_likely_other_number_has_its_answer_beside_this_one(unsure_of_its_number):
    model, X = unsure_of_its_number
    said, labels = beside_of(model, X), model.at(2).labels_
    assert "2 clusters in the place of 3 have a probability of 30%" in said
    joined = [k for k in range(3) if (labels[model.labels_ == k] == np.argmax(np.bincount(labels))).all()]
    assert f"Clusters {joined[0]} and {joined[1]} would merge into " in said
    assert said.count(" 40 ") == 3


def test_the_other_answer_looks_for_no_density_where_none_was_trusted(unsure_of_its_number, monkeypatch):
    model, X = unsure_of_its_number
    found = beside_of(model, X)
    trusted = Mock(side_effect=pipeline.calibrate_if_trusted)
    monkeypatch.setattr(pipeline, "calibrate_if_trusted", trusted)
    other = copy(model)
    del other.calibration_
    assert beside_of(other, X) == found
    assert not trusted.called
    beside_of(model, X)
    assert trusted.called


def test_no_answer_is_beside_a_number_that_is_nearly_sure_or_was_given(unsure_of_its_number):
    model, X = unsure_of_its_number
    sure = copy(model)
    sure.verdict_ = replace(model.verdict_, sure=0.9, probabilities=np.array([0.0, 0.1, 0.9]))
    assert beside_of(sure, X) == ""
    assert beside_of(model.at(3), X) == ""


def test_a_number_that_links_do_not_allow_has_no_answer_to_show():
    truth = np.repeat([0, 1, 2], 20)
    X = gaussians(truth, [[0, 0], [10, 0], [0, 10]])
    links = [[i, i + 1] for i in range(59) if truth[i] == truth[i + 1]]
    model = SoftClustering((2, None), random_state=0).fit(X, must_link=links)
    model.verdict_ = replace(model.verdict_, sure=0.6, probabilities=np.array([0.0, 0.0, 0.6, 0.0, 0.4]))
    with pytest.raises(InputError, match="n_clusters=5"):
        model.at(5)
    assert beside_of(model, X) == ""


def test_an_answer_that_ends_with_fewer_clusters_is_not_shown_as_that_of_more(unsure_of_its_number):
    model, X = unsure_of_its_number
    other = copy(model)
    other.verdict_ = replace(model.verdict_, sure=0.6, probabilities=np.array([0.0, 0.0, 0.6, 0.4]))
    other._at = lambda K, **how: model._at(K - 1, **how)
    assert beside_of(other, X) == ""


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ([[30, 0], [0, 40]], "No cluster would split or merge"),
        ([[30, 0, 0], [0, 20, 20]], "Cluster 1 would split into B (20) and C (20)"),
        ([[30], [9], [5]], "Clusters 0, 1 and 2 would merge into A"),
        ([[100, 4], [0, 40]], "No cluster would split"),
        ([[100, 0, 1], [0, 59, 3]], "C would be a cluster of 4 items of clusters 0 and 1"),
        ([[11, 6], [0, 10]], "B (6, with 10 of cluster 1)."),
    ],
)
def test_what_moves_between_two_answers_is_said_and_a_few_items_are_not(counts, said):
    assert said in what_moves(np.array(counts), 0.25)


def test_the_page_of_one_cluster_does_not_speak_of_several_as_of_facts():
    X = np.random.default_rng(0).normal(size=(300, 4))
    model = SoftClustering(random_state=0).fit(X)
    assert model.n_clusters_ == 1
    several = 1.0 - model.verdict_.probabilities[0]
    report = report_of(model, X)
    stabilities = [float(cell) for cell in re.findall(r">([01]\.\d\d)<", str(layers_table(report)))]
    assert stabilities
    assert max(stabilities) <= several + 0.005
    assert max(one.stability for one in model.layers().splits) <= several
    page = render_report(report)
    assert "With the others" not in page
    assert "item 0 is the first one" in page
