"""Answers as notebooks and interpreters show them: `str` in a notebook, its first line elsewhere."""

import numpy as np
import pytest

from partita import BayesianPartition, SoftClustering
from synthetic import blobs


class Printer:
    """What IPython hands to `_repr_pretty_`."""

    def __init__(self):
        self.shown = ""

    def text(self, words):
        self.shown += words


@pytest.fixture(scope="module")
def answers():
    X, _ = blobs(90)
    model = SoftClustering(random_state=0).fit(X)
    draws = BayesianPartition(random_state=0).fit(np.random.default_rng(0).integers(0, 3, (40, 20)))
    of_model = [model.verdict_, model.result_, model.confident(0.05), model.layers(), model.explain(X)]
    of_pairs = [model.confident(0.05, pairs=True), model.confident(0.0, pairs=True)]
    return [*of_model, *of_pairs, draws.result_, draws.credible_ball(), draws.modes()]


def test_a_notebook_shows_an_answer_as_it_is_printed(answers):
    for answer in answers:
        printer = Printer()
        answer._repr_pretty_(printer, False)
        assert printer.shown == str(answer)


def test_an_interpreter_shows_one_line_without_arrays(answers):
    for answer in answers:
        shown = repr(answer)
        assert len(shown.splitlines()) == 1
        assert shown.startswith(f"<{type(answer).__name__}")
        assert "array(" not in shown
