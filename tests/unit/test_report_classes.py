"""Known classes in a report: the counts are those of the contingency table, and what is said goes with the classes."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics.cluster import contingency_matrix

from partita import SoftClustering
from partita.errors import InputError
from partita.report import FitReport, render_report
from partita.report.page import LARGEST, class_counts, class_table

pytestmark = pytest.mark.usefixtures("unpainted")

ARBITRARY = "Cluster numbers are arbitrary"


@pytest.fixture(scope="module")
def fitted():
    X, truth = load_iris(return_X_y=True)
    return X, truth, SoftClustering(3, random_state=0, affinity="neighbors", probabilities="fitted").fit(X)


def page_of(fitted, classes):
    X, _, model = fitted
    return render_report(FitReport("t", "s", [], [], model, X, {}, {"purity": 0.9}, [], 0.1, {}, None, classes))


def test_counts_are_those_of_scikit_learns_contingency_table():
    rng = np.random.default_rng(0)
    classes, labels = rng.integers(-3, 12, 500), rng.integers(0, 7, 500)
    names, counts = class_counts(classes, labels, 7)
    assert names == [str(c) for c in sorted(set(classes.tolist()))]
    np.testing.assert_array_equal(counts, contingency_matrix(classes, labels))


def test_words_are_by_alphabet_and_an_empty_cluster_has_a_column_of_zeros():
    names, counts = class_counts(["10", "9", "x"], np.array([0, 2, 2]), 4)
    assert names == ["10", "9", "x"]
    assert counts.tolist() == [[1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0]]


def test_a_page_says_that_numbers_are_arbitrary_where_there_are_classes(fitted):
    page = page_of(fitted, fitted[1])
    assert page.count(ARBITRARY) == 1
    assert "Classes by clusters" in page
    without = page_of(fitted, None)
    assert ARBITRARY not in without
    assert "Classes by clusters" not in without


def test_classes_cannot_become_markup(fitted):
    page = page_of(fitted, ["<script>alert(1)</script>"] * 150)
    assert page.count("<script>alert") == 0
    assert "&lt;script&gt;alert(1)" in page


def test_a_table_that_nobody_reads_is_left_out():
    labels = np.zeros(LARGEST + 1, dtype=np.int64)
    assert not class_table(range(LARGEST + 1), labels, 1)
    assert class_table(range(LARGEST), labels[:-1], 1)


def test_classes_of_another_number_of_items_are_refused(fitted):
    with pytest.raises(InputError, match="classes"):
        page_of(fitted, [0, 1, 2])
