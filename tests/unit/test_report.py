"""The report: the verdict says what the fit is worth, no text becomes markup, matplotlib may be missing."""

import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from partita.errors import InputError
from partita.estimators import SoF, SoftClustering
from partita.explanation import explain_clusters
from partita.membership import Membership
from partita.report import FitReport, render_report, verdict, write_report
from partita.report.html import element, table, text
from partita.solvers import SolveResult
from partita.solvers.result import Restart

pytestmark = pytest.mark.usefixtures("unpainted")

VOID = {"meta", "link", "img", "br", "input"}


class Page(HTMLParser):
    """Tags that are closed in the order in which they were opened, and the words between them."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.words, self.links = [], [], [], []
        self.feed(html)
        self.close()
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.links += [value for name, value in attrs if name in ("src", "href", "srcset", "action")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    def count(self, tag):
        return sum(t == tag for t, _ in self.tags)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def restart(labels, objective, start="dirichlet"):
    labels = np.asarray(labels, dtype=np.int32)
    return Restart(start, objective, "converged", 1e-5, 3, 9, 0.1, np.ones(2), labels, np.array([3.0, objective]))


def result(W, **changes):
    membership = Membership(W)
    base = SolveResult(
        membership, np.ones(membership.n_clusters), 2.0, 0.5, "converged", 1e-5, np.array([3.0, 2.0]), 3, 9, 0.1, 0,
        "scaled", "projected-gradient", (restart(membership.labels, 2.0, "spectral"),),
    )  # fmt: skip
    return replace(base, **changes)


def said(found, topic=None, tone=None):
    sentences = verdict(found, model="SoF" if found.objective_name == "sof" else "SoftClustering")
    chosen = [s.text for s in sentences if topic in (None, s.topic) and tone in (None, s.tone)]
    return " ".join(chosen)


SURE = np.eye(3)[[0, 0, 0, 1, 1, 2]]


def test_a_sure_fit_has_no_caution():
    found = result(SURE)
    assert said(found, tone="caution") == ""
    assert "reproduce 75% of the evidence" in said(found, "evidence")
    assert said(found, "convergence") == "The fit converged in 3 iterations."


@pytest.mark.parametrize(("misfit", "W"), [(1.4, SURE), (0.9, np.full((6, 3), 1 / 3))])
def test_sof_gone_soft_is_said_and_the_way_out_too(misfit, W):
    found = said(result(W, objective_name="sof", misfit=misfit), "model", "caution")
    assert "the labels mean something, the probabilities little" in found
    assert "--model soft" in found


def test_a_learned_scale_is_never_told_to_learn_one():
    assert "--model soft" not in said(result(np.full((6, 3), 1 / 3), misfit=1.2))


def test_nearly_flat_memberships_are_a_caution():
    assert "nearly flat" in said(result(np.full((6, 3), 1 / 3)), "certainty", "caution")


def test_mostly_unsure_items_are_a_caution_even_where_the_evidence_is_reproduced():
    found = result(np.array([[0.55, 0.45, 0.0]] * 5 + [[0.0, 0.1, 0.9]]), misfit=0.01)
    assert "does not set these 3 clusters apart" in said(found, "certainty", "caution")
    assert said(found, "evidence").endswith("(relative residual 0.01).")


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("max_iter", "Not converged: stopped after 3 iterations"),
        ("max_seconds", "Not converged: time was up"),
        ("interrupted", "Interrupted after 3 iterations"),
    ],
)
def test_what_kept_a_fit_from_converging_is_a_caution(status, words):
    assert said(result(SURE, status=status), "convergence", "caution").startswith(words)


def test_restarts_that_agree_are_counted():
    found = result(SURE, restarts=(restart([0, 0, 0, 1, 1, 2], 2.0), restart([2, 2, 2, 0, 0, 1], 2.0001)))
    words = "All 2 restarts ended within 0.1% of the best objective and all 2 in the same partition"
    assert said(found, "restarts").startswith(words)
    assert said(found, tone="caution") == ""


def test_restarts_of_equal_objective_that_disagree_are_a_caution():
    found = result(SURE, restarts=(restart([0, 0, 0, 1, 1, 2], 2.0), restart([0, 1, 2, 0, 1, 2], 2.0001)))
    assert "1 of 2 in the same partition" in said(found, "restarts", "plain")
    assert "disagree about the partition" in said(found, "restarts", "caution")


def test_a_best_objective_found_once_is_a_caution():
    found = result(SURE, restarts=(restart([0, 0, 0, 1, 1, 2], 2.0), restart([0, 1, 2, 0, 1, 2], 2.5)))
    assert "found only once" in said(found, "restarts", "caution")


def test_one_restart_claims_nothing():
    assert "was not tried" in said(result(SURE), "restarts")


def test_empty_clusters_are_a_caution_with_a_smaller_k():
    W = np.c_[SURE, np.zeros(6), np.zeros(6)]
    found = said(result(W), "clusters", "caution")
    assert found.startswith("Clusters 3 and 4 are empty")
    assert "K = 3" in found


@settings(deadline=None)
@given(st.integers(1, 12), st.integers(1, 40), st.floats(0.01, 10), st.floats(0, 2), st.sampled_from(["sof", "scaled"]))
def test_every_membership_has_a_verdict_of_whole_sentences(K, n, concentration, misfit, objective):
    W = np.random.default_rng(n).dirichlet(np.full(K, concentration), n)
    for sentence in verdict(result(W, misfit=misfit, objective_name=objective), model="SoF"):
        assert sentence.text[0].isupper() or sentence.text[0].isdigit()
        assert sentence.text.endswith(".")
        assert "nan" not in sentence.text


@given(st.text())
def test_no_text_becomes_markup(words):
    assert Page(element("p", words, title=words)).count("p") == 1
    assert not {"<", ">", '"'} & set(text(words))
    assert Page(table(["a"], [[words]])).count("td") == 1


@pytest.fixture(scope="module")
def iris():
    data = load_iris()
    return data, SoF(3, n_init=2, random_state=0).fit(data.data)


def report_of(model, X, **changes):
    base = {
        "title": "Iris",
        "source": "iris.csv",
        "ids": [],
        "columns": [],
        "features": X,
        "parameters": {"n_clusters": 3, "random_state": 0},
        "scores": None,
        "notes": [],
        "seconds": 0.25,
        "versions": {"partita": "0.1.0"},
        "command": "partita fit iris.csv --k 3",
    }
    return FitReport(estimator=model, **(base | changes))


def scripts(page):
    """Attributes of the page's scripts: its own, which has none, and what the map is made of."""
    return sorted((attrs for tag, attrs in page.tags if tag == "script"), key=len)


def no_matplotlib(monkeypatch):
    for name in [*sys.modules, "matplotlib", "matplotlib.style", "matplotlib.figure"]:
        if name.partition(".")[0] == "matplotlib":
            monkeypatch.setitem(sys.modules, name, None)


def test_the_report_has_verdict_pictures_tables_and_provenance(iris, tmp_path):
    pytest.importorskip("matplotlib")
    data, model = iris
    report = report_of(
        model, data.data, columns=data.feature_names, ids=[f"flower {i}" for i in range(150)],
        scores={"purity": 0.9, "rand": 0.89, "adjusted_rand": 0.75, "accuracy": 0.9}, notes=["A column was left out."],
    )  # fmt: skip
    write_report(tmp_path / "report.html", report)
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    page = Page(html)
    assert html.startswith("<!DOCTYPE html>")
    assert ("html", {"lang": "en"}) in page.tags
    assert ("meta", {"charset": "utf-8"}) in page.tags
    assert page.count("img") == page.count("figcaption") == 4
    assert all(attrs["alt"] for tag, attrs in page.tags if tag == "img")
    for words in (
        "150 items are in 3 clusters",
        "probabilities little",
        "A column was left out.",
        "petal length (cm)\u00a0",
        "flower ",
        "The known classes were not used in the fit",
        "Adjusted Rand index",
        "subspace",
        "partita fit iris.csv --k 3",
    ):
        assert re.sub(r"\s", " ", words) in re.sub(r"\s", " ", page.text)
    assert len(html) < 2_000_000


def test_the_same_fit_gives_the_same_page(iris):
    data, model = iris
    assert render_report(report_of(model, data.data)) == render_report(report_of(model, data.data))


def test_the_page_asks_for_nothing_from_outside(iris):
    html = render_report(report_of(iris[1], iris[0].data))
    assert not re.search(r"https?://", html)
    assert "@import" not in html
    assert "url(" not in html
    assert all(link.startswith("data:") for link in Page(html).links)
    assert scripts(Page(html)) == [{}, {"type": "application/json", "id": "map-items"}]


def test_ids_columns_and_notes_cannot_become_markup(iris):
    data, model = iris
    evil = "<script>alert('x')</script>\"&'"
    html = render_report(
        report_of(
            model, data.data, title=evil, source=evil, ids=[evil] * 150, columns=[evil] * 4, notes=[evil],
            parameters={evil: evil}, versions={evil: evil}, command=evil, scores={evil: 1.0},
        )
    )  # fmt: skip
    page = Page(html)
    assert scripts(page) == [{}, {"type": "application/json", "id": "map-items"}]
    assert html.count("<script") == 2
    assert "alert('x')" not in "".join(re.findall(r"<script>.*?</script>", html, re.S))
    assert evil in page.text


def test_without_matplotlib_words_and_tables_remain(iris, monkeypatch):
    no_matplotlib(monkeypatch)
    page = Page(render_report(report_of(iris[1], iris[0].data)))
    assert page.count("img") == 0
    assert page.count("table") >= 3
    assert page.count("canvas") == 1
    assert page.text.count("python -m pip install 'partita[plot]'") == 1
    assert "150 items are in 3 clusters" in page.text


def test_drawing_the_report_leaves_matplotlib_as_it_was():
    code = """
import sys, numpy as np, matplotlib
matplotlib.rcParams["axes.facecolor"] = "red"
raw = lambda: dict(dict.items(matplotlib.rcParams))
before = raw()
from partita.estimators import SoftClustering
from partita.report import FitReport, render_report
X = np.random.default_rng(0).normal(size=(30, 3))
model = SoftClustering(2, random_state=0).fit(X)
render_report(FitReport("t", "s", [], [], model, X, {}, None, [], 0.1, {}, None))
assert raw() == before
assert "matplotlib.pyplot" not in sys.modules
"""
    pytest.importorskip("matplotlib")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("K", [1, 2, 30])
def test_reports_of_few_and_many_clusters_are_whole_pages(K, monkeypatch):
    no_matplotlib(monkeypatch)
    X = np.random.default_rng(0).normal(size=(40, 2))
    page = Page(
        render_report(
            report_of(SoftClustering(K, random_state=0, affinity="neighbors", probabilities="fitted").fit(X), X)
        )
    )
    assert "How it was made" in page.text


def test_precomputed_evidence_has_a_report_without_features():
    P = np.kron(np.eye(2), np.ones((6, 6))) * 0.9 + 0.05
    page = Page(render_report(report_of(SoF(2, affinity="precomputed", random_state=0).fit(P), None)))
    assert "Told apart by" not in page.text
    assert "Typical item" in page.text


def test_a_report_says_by_which_of_its_columns_clusters_are_told_apart(iris, monkeypatch):
    pytest.importorskip("pandas")
    no_matplotlib(monkeypatch)
    data, model = iris
    page = Page(render_report(report_of(model, data.data, columns=data.feature_names)))
    found = model.explain(load_iris(as_frame=True).data)
    assert all(each.told_apart and each.words in page.text for each in found)
    given = explain_clusters([np.zeros(150)], model.labels_)
    page = Page(render_report(replace(report_of(model, data.data), explanation=given)))
    assert page.text.count("Nothing tells it apart.") == len(given)


def test_a_report_of_other_items_is_refused(iris):
    data, model = iris
    with pytest.raises(InputError, match="ids"):
        report_of(model, data.data, ids=["a", "b", "c"])
    with pytest.raises(InputError, match=r"features .*\(3, 4\)"):
        report_of(model, data.data[:3])
    with pytest.raises(InputError, match="4 features"):
        report_of(model, data.data, columns=["a"])
