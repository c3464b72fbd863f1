"""Every fitted estimator has a page and a card; a page replaces nothing that is not one, and diagrams stay."""

import re
import warnings
from html.parser import HTMLParser
from inspect import signature

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_html_repr

from partita import estimators, load, save
from partita.errors import InputError
from synthetic import gaussians

VOID = {"meta", "link", "img", "br", "input"}
TRUTH = np.repeat([0, 1, 2], 12)
# What a first argument of `fit` by this name holds, and options that an estimator takes if it has them.
GIVEN = {"X": gaussians(TRUTH, [[0, 0], [10, 0], [0, 10]]), "draws": np.tile(TRUTH, (4, 1))}
OPTIONS = {"n_clusters": 3, "n_draws": 20, "burn_in": 20, "n_chains": 2, "random_state": 0}
X = GIVEN["X"]


class Balanced(HTMLParser):
    """Tags are closed in the order in which they were opened."""

    def __init__(self, html):
        super().__init__()
        self.open, self.words = [], []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def fitted(name):
    model = getattr(estimators, name)()
    model.set_params(**{option: value for option, value in OPTIONS.items() if option in model.get_params()})
    return model.fit(GIVEN[next(iter(signature(model.fit).parameters))])


@pytest.fixture(scope="module", params=estimators.__all__)
def model(request):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fitted(request.param)


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch):
    """Painting takes most of the time of a page."""
    for name in ("matplotlib", "matplotlib.style", "matplotlib.figure"):
        monkeypatch.setitem(__import__("sys").modules, name, None)


def test_the_page_is_whole_and_its_path_is_returned(model, tmp_path):
    names = [f"item <{i}>" for i in range(36)]
    path = model.report(tmp_path / "page.html", names=names)
    assert path == tmp_path / "page.html"
    html = path.read_text("utf-8")
    assert html.startswith("<!DOCTYPE html>")
    assert "item &lt;" in html
    title = re.search("<title>([A-Za-z]+)", html)[1]
    # A model without labels of its own has the page of the partition that stands for its draws.
    assert title == type(model).__name__ if hasattr(model, "labels_") else title in estimators.__all__
    Balanced(html)


def test_an_earlier_page_is_replaced_and_nothing_else_is(model, tmp_path):
    path = tmp_path / "page.html"
    model.report(path, names=[f"first {i}" for i in range(36)])
    assert model.report(str(path)) == path
    assert "first 1" not in path.read_text("utf-8")
    for foreign in (b"<html>mine</html>", b"", b"\xff\xfe"):
        path.write_bytes(foreign)
        with pytest.raises(InputError, match=r"page\.html"):
            model.report(path)
        assert path.read_bytes() == foreign
    with pytest.raises(InputError, match=re.escape(str(tmp_path))):
        model.report(tmp_path)


def test_names_of_another_number_of_items_are_refused(model, tmp_path):
    with pytest.raises(InputError, match="2 entries"):
        model.report(tmp_path / "page.html", names=["a", "b"])
    assert not (tmp_path / "page.html").exists()


def test_the_card_is_a_small_fragment_in_every_way_a_notebook_asks(model):
    card = model._repr_html_()
    assert model._repr_mimebundle_()["text/html"] == card
    assert "36 items" in Balanced(card).text
    assert "sk-global" not in card
    assert len(card) < 20_000


def test_scikit_learns_diagram_is_as_it_was(model):
    for each in (model, make_pipeline(model)):
        assert "sk-" in estimator_html_repr(each)
    unfitted = type(model)()
    assert "sk-" in unfitted._repr_html_()
    with pytest.raises(NotFittedError):
        unfitted.report("page.html")


def test_results_print_as_small_tables(model):
    found = model.result_
    assert len(repr(found)) < 200
    assert len(str(found).splitlines()) < 20
    assert "status" in str(found)


def test_a_loaded_model_has_page_and_card(model, tmp_path):
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert "36 items" in again._repr_html_()
    assert "36 items" in Balanced(again.report(tmp_path / "page.html").read_text("utf-8")).text


def test_a_model_that_an_earlier_version_saved_without_its_doubt_has_page_and_card(model, tmp_path):
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    for name in ("_outlier", "_certainty"):
        again.__dict__.pop(name, None)
    assert "36 items" in again._repr_html_()
    assert "36 items" in Balanced(again.report(tmp_path / "page.html").read_text("utf-8")).text


def test_rows_of_weight_zero_and_links_have_a_page(tmp_path):
    weight = np.ones(36)
    weight[[0, 20]] = 0
    for affinity in ("neighbors", "relative"):
        model = estimators.SoF(3, affinity=affinity, random_state=0)
        model.fit(np.c_[X, X[:, :1]], sample_weight=weight, must_link=[[1, 2], [13, 14]])
        html = model.report(tmp_path / "page.html").read_text("utf-8")
        assert "2 items without evidence have no place on the map" in html


def test_a_verdict_prints_what_each_criterion_said():
    found = estimators.SoftClustering(random_state=0).fit(X).verdict_
    assert len(repr(found)) < 100
    assert all(judgement.criterion in str(found) for judgement in found.judgements)


def test_columns_of_a_table_of_your_own_explain_pairs(tmp_path):
    P = np.kron(np.eye(2), np.ones((20, 20))) * 0.9 + 0.05
    model = estimators.SoF(2, affinity="precomputed", random_state=0).fit(P)
    table = np.column_stack([np.repeat([0.0, 5.0], 20), np.zeros(40)])
    assert "Nothing tells" not in model.report(tmp_path / "page.html", X=table).read_text("utf-8")
    assert str(model.explain(table)[0].rule).split()[0] in (tmp_path / "page.html").read_text("utf-8")
    with pytest.raises(InputError, match=r"^X has 3 rows"):
        model.report(tmp_path / "page.html", X=table[:3])
