"""What every baseline keeps: the laws run over `Baseline.registry`, none left out."""

import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import partita.baselines  # noqa: F401 - registers every baseline
from partita.affinity import NeighborGraph, RelativeDistance
from partita.baselines import AffinityBaseline, Baseline, BaselineEvidence, baseline
from partita.errors import InputError
from partita.metrics import adjusted_rand_index
from synthetic import gaussians

NAMES = sorted(Baseline.registry)
every = pytest.mark.parametrize("name", NAMES)
ON_AFFINITIES = sorted(name for name in NAMES if Baseline.registry[name].requires == "affinity")
# A random start can end in a local optimum with two of three clusters as one; the best of some does not.
SEVERAL = 8


def groups(n=90, K=3, seed=0, apart=40.0):
    """Groups far apart in distance and in direction, every feature positive, in no order."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.arange(n) % K)
    return np.abs(gaussians(truth, apart * np.eye(K), rng)), truth


def several(name):
    one = Baseline.registry[name]()
    return replace(one, n_init=SEVERAL) if hasattr(one, "n_init") else one


def run(method, evidence, K, seed=0):
    return method.cluster(evidence, K, np.random.default_rng(seed))


@every
def test_three_groups_far_apart_are_found(name):
    X, truth = groups()
    result = run(several(name), BaselineEvidence(features=X), 3)
    assert adjusted_rand_index(result.labels, truth) == 1.0


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("name", ON_AFFINITIES)
def test_three_groups_are_found_in_an_affinity_given(name, kind):
    X, truth = groups()
    P = RelativeDistance().build(X, n_clusters=3).affinity.to_dense()
    result = run(several(name), BaselineEvidence(affinity=kind(P)), 3)
    assert adjusted_rand_index(result.labels, truth) == 1.0


@pytest.mark.parametrize("name", ON_AFFINITIES)
def test_an_affinity_given_is_used_in_place_of_the_features(name):
    X, _ = groups(seed=1)
    other, truth = groups(seed=2)
    P = RelativeDistance().build(other, n_clusters=3).affinity.to_dense()
    result = run(several(name), BaselineEvidence(features=X, affinity=P), 3)
    assert adjusted_rand_index(result.labels, truth) == 1.0


@every
@pytest.mark.parametrize(("n", "K"), [(60, 1), (60, 5), (12, 11), (9, 9), (7, 2), (2, 1)])
def test_labels_and_memberships_of_all_items(name, n, K):
    X, _ = groups(n=n, apart=3.0)
    result = run(baseline(name), BaselineEvidence(features=X), K)
    assert result.labels.shape == (n,)
    assert result.labels.dtype == np.int64
    assert result.labels.min() >= 0
    own = Baseline.registry[name].own_number
    assert result.labels.max() < (n if own else K)
    if own:
        assert str(result.labels.max() + 1) in result.note
    assert isinstance(result.converged, bool)
    if result.membership is not None:
        assert result.membership.shape == (n, K)
        assert (result.membership >= 0).all()
        np.testing.assert_allclose(result.membership.sum(axis=1), 1.0, atol=1e-12)
        np.testing.assert_array_equal(result.membership.argmax(axis=1), result.labels)


@every
def test_the_same_seed_gives_the_same_answer(name):
    X, _ = groups(apart=2.0)
    # Once on fresh evidence, once on evidence that has kept what the first run made.
    evidence = BaselineEvidence(features=X)
    first = run(baseline(name), evidence, 4, seed=5)
    for again in (
        run(baseline(name), evidence, 4, seed=5),
        run(baseline(name), BaselineEvidence(features=X), 4, seed=5),
    ):
        np.testing.assert_array_equal(first.labels, again.labels)
        if first.membership is not None:
            np.testing.assert_array_equal(first.membership, again.membership)


@every
def test_what_is_kept_is_not_taken_for_another_number_of_clusters_or_method(name):
    X, _ = groups(apart=4.0)
    shared = BaselineEvidence(features=X)
    for other in NAMES:
        run(baseline(other), shared, 2)
    np.testing.assert_array_equal(
        run(baseline(name), shared, 3).labels, run(baseline(name), BaselineEvidence(features=X), 3).labels
    )


@pytest.mark.parametrize("name", sorted(name for name in NAMES if not Baseline.registry[name].random))
def test_without_a_random_part_permuted_items_permute_the_answer(name):
    X, _ = groups(apart=5.0)
    order = np.random.default_rng(3).permutation(len(X))
    found = run(baseline(name), BaselineEvidence(features=X), 4, seed=0).labels
    permuted = run(baseline(name), BaselineEvidence(features=X[order]), 4, seed=99).labels
    assert adjusted_rand_index(found[order], permuted) == 1.0


@every
def test_what_is_given_is_not_changed(name):
    X, _ = groups(apart=2.0)
    X[0, 0] = -1.0
    before = X.copy()
    run(baseline(name), BaselineEvidence(features=X), 3)
    np.testing.assert_array_equal(X, before)


@every
@pytest.mark.parametrize("K", [0, -1, 91, 2.5, "3"])
def test_a_number_of_clusters_out_of_range_is_refused(name, K):
    with pytest.raises(InputError, match="n_clusters="):
        run(baseline(name), BaselineEvidence(features=groups()[0]), K)


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(ON_AFFINITIES)))
def test_a_method_of_features_refuses_an_affinity_alone(name):
    with pytest.raises(InputError, match=f"^{name} .*affinity"):
        run(baseline(name), BaselineEvidence(affinity=np.eye(5)), 2)


def test_evidence_is_checked():
    X, _ = groups()
    with pytest.raises(InputError, match=r"features .*affinity"):
        BaselineEvidence()
    holes = X.copy()
    holes[7, 1] = np.nan
    with pytest.raises(InputError, match=r"features\[7, 1\]"):
        BaselineEvidence(features=holes)
    P = np.ones((4, 4))
    P[2, 3] = P[3, 2] = np.nan
    with pytest.raises(InputError, match=r"affinity\[2, 3\]"):
        BaselineEvidence(affinity=P)
    with pytest.raises(InputError, match=r"affinity\[0, 1\] = 0\.2 "):
        BaselineEvidence(affinity=[[1.0, 0.2], [0.7, 1.0]])
    with pytest.raises(InputError, match="90 items"):
        BaselineEvidence(features=X, affinity=np.ones((4, 4)))
    with pytest.raises(InputError, match=r"^features .*\(3,\)"):
        BaselineEvidence(features=np.ones(3))
    with pytest.raises(InputError, match=r"^features .*'a'"):
        BaselineEvidence(features=[["a"], ["b"]])


@every
def test_settings_come_back_from_json_and_every_baseline_says_where_it_comes_from(name):
    one = baseline(name)
    assert baseline(json.loads(json.dumps(one.config()))) == one
    kind = type(one)
    assert kind.idea
    assert kind.source.startswith("[")
    assert isinstance(kind.left_open, str)
    if isinstance(one, AffinityBaseline):
        other = replace(one, affinity=NeighborGraph(n_neighbors=4))
        assert baseline(json.loads(json.dumps(other.config()))) == other != one


@every
def test_impossible_settings_are_refused(name):
    one = baseline(name)
    for setting, value in one.settings().items():
        if isinstance(value, int):
            with pytest.raises(InputError, match=f"{setting}=0"):
                replace(one, **{setting: 0})
        elif isinstance(value, float):
            with pytest.raises(InputError, match=setting):
                replace(one, **{setting: -1.0})
        elif isinstance(value, str):
            with pytest.raises(InputError, match=setting):
                run(replace(one, **{setting: "gravity"}), BaselineEvidence(features=groups()[0]), 3)
    if isinstance(one, AffinityBaseline):
        with pytest.raises(InputError, match=r"affinity=RelativeDistance.*'precomputed'"):
            replace(one, affinity=RelativeDistance(metric="precomputed"))


def test_a_new_baseline_registers_itself():
    class Halves(Baseline):
        name = "made up for this test"
        idea = "all in one"
        source = "[nobody]"
        left_open = ""
        requires = "features"

        def settings(self):
            return {}

        def _cluster(self, evidence, n_clusters, rng):
            raise AssertionError

    try:
        assert isinstance(baseline("made up for this test"), Halves)
    finally:
        del Baseline.registry["made up for this test"]


def test_an_unknown_name_or_setting_is_named():
    with pytest.raises(InputError, match="'gravity'"):
        baseline("gravity")
    with pytest.raises(InputError, match="k-means"):
        baseline({"name": "k-means", "gravity": 3})
