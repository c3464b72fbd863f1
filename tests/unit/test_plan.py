"""`max_seconds` of the default: what is spent less, that it is said, and that the same call gives the same bits."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from partita import SoftClustering
from partita.ensemble import Ensemble
from partita.ensemble.builder import METHODS, OF_MANY
from partita.estimators.plan import DRAWS, GIVEN, SOUGHT, Effort, affinity_for, effort_for, size_of, steps_of
from synthetic import blobs

SETTINGS = {"missing": "error", "symmetrize": None, "seed": 0}
KEPT = Effort()
OWN = (*METHODS, "components")


def spent(n, d, n_clusters, max_seconds):
    """The place of the step that is taken."""
    steps = steps_of(n, n_clusters)
    return steps.index(effort_for(steps, n, d, n_clusters, max_seconds)[0])


@given(
    st.integers(2, 200_000),
    st.integers(1, 800),
    st.none() | st.integers(1, 300),
    st.floats(0.01, 60),
    st.floats(0.01, 60),
)
def test_less_time_never_takes_more(n, d, n_clusters, one, other):
    less, more = sorted((one, other))
    assert spent(n, d, n_clusters, less) >= spent(n, d, n_clusters, more) >= 0
    steps = steps_of(n, n_clusters)
    for before, after in pairwise(steps):
        assert after.n_draws <= before.n_draws
        assert after.max_items <= before.max_items
        assert after.calibrated <= before.calibrated


@pytest.mark.parametrize("n_clusters", [None, 20])
@pytest.mark.parametrize("n", [10, 300, 2_000, 20_000, 200_000])
def test_the_whole_ensemble_where_there_is_time(n, n_clusters):
    X = np.zeros((n, 4))
    whole = Ensemble(OWN, power=None, seed=0, n_draws=DRAWS)
    needed = KEPT.seconds(n, 4, n_clusters)
    without, said = affinity_for(X, None, n_clusters=n_clusters, **SETTINGS)
    assert without == whole
    assert affinity_for(X, needed, n_clusters=n_clusters, **SETTINGS) == (whole, said)
    assert affinity_for(X, 0.99 * needed, n_clusters=n_clusters, **SETTINGS)[1] != said
    hurried, least = affinity_for(X, 1e-3, n_clusters=n_clusters, **SETTINGS)[0], steps_of(n, n_clusters)[-1]
    assert (hurried.n_draws, hurried.max_items) == (least.n_draws, least.max_items)


@pytest.mark.parametrize("n_clusters", [None, 20])
@pytest.mark.parametrize("n", [300, 1_500, 20_000])
def test_the_sentence_says_what_was_left_out(n, n_clusters):
    X, said = np.zeros((n, 4)), set()
    for seconds in np.arange(0.8, 12, 0.05):
        builder, chosen = affinity_for(X, seconds, n_clusters=n_clusters, **SETTINGS)
        why = chosen["affinity"].why
        said.add(why)
        assert chosen["affinity"].value == builder.name
        fewer, smaller = builder.n_draws < DRAWS, builder.max_items < min(n, Ensemble.max_items)
        assert (f"{builder.n_draws} draw" in why) == fewer
        assert (f"{builder.max_items:,} items a draw" in why) == smaller
        assert ("less certain" in why) == (f"max_seconds={seconds:g}" in why) == (fewer or smaller)
        if "probabilities" in chosen:
            assert chosen["probabilities"].value == "fitted"
            assert f"max_seconds={seconds:g}" in chosen["probabilities"].why
    assert len(said) > 1
    slow = affinity_for(X, 0.1, n_clusters=n_clusters, **SETTINGS)[1]
    assert "the least that can be done" in slow["affinity"].why
    assert "max_seconds=0.1" in slow["probabilities"].why


def test_the_same_call_gives_the_same_bits_and_those_of_the_ensemble_it_names():
    X, _ = blobs(400)
    steps = steps_of(len(X), 3)
    at = next(i for i, step in enumerate(steps) if step.n_draws == 1)
    seconds = steps[at].seconds(*X.shape, 3)
    one, again = (SoftClustering(3, max_seconds=seconds, random_state=0).fit(X) for _ in range(2))
    assert one.chosen_ == again.chosen_
    assert one._builder_ == Ensemble(OWN, power=None, seed=0, n_draws=1)
    assert len(one.ensemble_) == len(OWN)
    np.testing.assert_array_equal(one.membership_, again.membership_)
    named = SoftClustering(3, affinity=one._builder_, random_state=0).fit(X)
    np.testing.assert_array_equal(one.membership_, named.membership_)
    assert "1 draw of each method in the place of 3" in " ".join(one.result_.notes)


def test_with_little_time_no_density_is_looked_for_and_it_is_said():
    X, _ = blobs(300)
    step = next(step for step in steps_of(len(X), 3) if not step.calibrated)
    model = SoftClustering(3, max_seconds=step.seconds(*X.shape, 3), random_state=0).fit(X)
    assert model.chosen_["probabilities"].value == "fitted"
    assert "max_seconds" in model.chosen_["probabilities"].why
    assert not hasattr(model, "calibration_")
    np.testing.assert_array_equal(model.membership_, model.result_.membership.matrix)
    asked = SoftClustering(3, max_seconds=model.max_seconds, probabilities="calibrated", random_state=0).fit(X)
    assert asked.calibration_ is not None  # what is asked for is done
    assert "probabilities" not in asked.chosen_


def test_a_fit_that_can_go_on_later_spends_what_any_fit_does(tmp_path):
    X, _ = blobs(60)
    model = SoftClustering(3, max_seconds=0.1, checkpoint=tmp_path / "kept", random_state=0)
    assert model._plan(X).builder == Ensemble(OWN, power=None, seed=0, n_draws=DRAWS)
    assert model._plan(X).probabilities == "auto"


def test_a_draw_always_has_items_for_each_cluster():
    for n_clusters in (1, 50, 124, 126, 400, 3_000):
        for step in steps_of(100_000, n_clusters):
            assert step.max_items >= min(OF_MANY * n_clusters, Ensemble.max_items)
    assert steps_of(100_000, 3)[-1] == GIVEN[-1]
    assert steps_of(100_000, None) == list(SOUGHT)


def test_the_size_of_any_input_is_read_without_looking_at_its_cells():
    rows = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    assert size_of(rows) == size_of(np.array(rows)) == (3, 2)
    pd = pytest.importorskip("pandas")
    assert size_of(pd.DataFrame(rows)) == (3, 2)
    for nothing in (None, 7, "name", []):
        assert size_of(nothing)[1] in (0, 1)


def test_a_fit_that_takes_longer_than_it_may_says_so() -> None:
    X = np.random.default_rng(0).normal(size=(400, 3))
    (note,) = [note for note in SoftClustering(max_seconds=1e-3, random_state=0).fit(X).result_.notes if "took" in note]
    assert note.endswith("longer than max_seconds=0.001")
    assert not any("took" in note for note in SoftClustering(max_seconds=1e3, random_state=0).fit(X).result_.notes)


def test_columns_cost_more_the_more_rows_there_are_beyond_those_that_methods_see():
    few, many = (KEPT.seconds(n, 128, 20) - KEPT.seconds(n, 16, 20) for n in (2 * KEPT.max_items, 20 * KEPT.max_items))
    assert many > 1.5 * few


@pytest.mark.parametrize(("n", "name"), [(400, "graph_ensemble"), (1420, "precomputed")])
def test_a_graph_of_too_many_pairs_is_its_own_evidence_and_says_so(n, name):
    found, said = affinity_for(sp.csr_array(np.ones((n, n))), None, n_clusters=3, **SETTINGS)
    assert found.name == name
    assert ("2,000,000 stored pairs" in said["affinity"].why) == (name == "precomputed")
