"""Items that come later: `update` is the fit of all items, with the clusters' numbers kept."""

from itertools import permutations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from partita import SCAMS, BaumEagon, SoF, SoftClustering, load, save
from partita.errors import InputError
from synthetic import gaussians

CORNERS = np.array([[0, 0], [9, 9], [0, 9], [9, 0]])


def corners(n, spread=1.0, seed=0):
    return gaussians(np.arange(n) % 4, CORNERS, seed, spread=spread)


@pytest.mark.parametrize(
    "make",
    [
        lambda: SoftClustering(random_state=0),
        lambda: SoftClustering(4, affinity="neighbors", probabilities="calibrated", random_state=0),
        lambda: SoF(4, random_state=0),
        lambda: BaumEagon(4, random_state=0),
        lambda: SCAMS(random_state=0),
    ],
    ids=["default", "graph", "SoF", "BaumEagon", "SCAMS"],
)
def test_it_is_the_fit_of_all_items_with_the_numbers_kept(make):
    X = corners(160, spread=2.5)  # so close that memberships are soft
    model = make().fit(X[:100])
    earlier = model.labels_
    whole = make().fit(X)
    assert model.update(X[100:]) is model
    assert adjusted_rand_score(model.labels_, whole.labels_) == 1.0
    order = [int(np.bincount(whole.labels_[model.labels_ == k]).argmax()) for k in range(model.n_clusters_)]
    np.testing.assert_allclose(model.membership_, whole.membership_[:, order], atol=1e-12)
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X)[:, order], atol=1e-12)
    np.testing.assert_allclose(model.certainty_, whole.certainty_, atol=1e-12)
    found = model.result_.membership.labels[:100]  # before any calibration
    kept = [(np.array(other)[found] == earlier).sum() for other in permutations(range(model.n_clusters_))]
    assert kept[0] == max(kept)


def test_numbers_are_kept_where_the_order_of_the_rows_would_give_others():
    X = corners(120)
    model = SoF(4, affinity="relative", random_state=0).fit(X)
    kept = [int(np.unique(model.labels_[k::4]).item()) for k in range(4)]
    model.update(X[:60] + 0.01).update(X[::-1] - 0.01)
    assert [int(np.unique(model.labels_[:120][k::4]).item()) for k in range(4)] == kept
    assert len(model.labels_) == 300


def test_new_items_far_from_all_others_are_a_cluster_after_them():
    X = corners(120)
    model = SoftClustering(random_state=0).fit(X)
    earlier = model.labels_
    model.update(np.random.default_rng(1).normal(size=(40, 2)) + 30)
    assert model.n_clusters_ == 5
    assert (model.labels_[:120] == earlier).all()
    assert set(model.labels_[120:]) == {4}


def test_clusters_that_vanish_leave_the_numbers_of_the_others_in_their_order():
    X = corners(80)
    model = SoftClustering(n_clusters=(2, 6), affinity="neighbors", random_state=0).fit(X)
    earlier = model.labels_
    model.set_params(n_clusters=3).update(X[:8] + 0.1)
    kept = [int(np.bincount(earlier[model.labels_[:80] == k]).argmax()) for k in range(3)]
    assert kept == sorted(kept)


def test_partial_fit_fits_and_then_updates():
    X = corners(120)
    by_parts = SoftClustering(4, affinity="neighbors", random_state=0)
    for rows in (X[:40], X[40:80], X[80:]):
        by_parts.partial_fit(rows)
    whole = SoftClustering(4, affinity="neighbors", random_state=0).fit(X)
    assert adjusted_rand_score(by_parts.labels_, whole.labels_) == 1.0


def test_frames_bring_words_gaps_and_names():
    pd = pytest.importorskip("pandas")
    X = corners(120)
    frame = pd.DataFrame(
        {"x": X[:, 0], "c": np.where(X[:, 1] > 4, "up", "down")}, index=[f"item {i}" for i in range(120)]
    )
    frame.iloc[3, 0] = np.nan
    new = frame[80:].copy()
    new.iloc[:2, 1] = "left"
    model = SoftClustering(random_state=0).fit(frame[:80])
    model.update(new)
    assert model.items_.tolist() == frame.index.tolist()
    assert "c = left" in model.encoding_.labels
    assert model.feature_names_in_.tolist() == ["x", "c"]
    assert len(model.predict(frame)) == 120
    assert model.update(new.reset_index(drop=True)).items_[-1] == "159"  # the others have names


def test_weights_and_links_stay():
    X = corners(80)
    weights = np.where(np.arange(60) < 4, 3.0, 1.0)
    linked = SoF(4, random_state=0).fit(X[:60], sample_weight=weights, must_link=[[0, 1]])
    linked.update(X[60:])
    whole = SoF(4, random_state=0).fit(X, sample_weight=np.append(weights, np.ones(20)), must_link=[[0, 1]])
    assert linked.objective_ == pytest.approx(whole.objective_, rel=1e-12)
    assert linked.labels_[0] == linked.labels_[1]
    counted = SoF(4, random_state=0).fit(X[:60]).update(X[60:], sample_weight=np.full(20, 2.0))
    assert counted.objective_ == pytest.approx(SoF(4, random_state=0).fit(np.vstack([X, X[60:]])).objective_, rel=1e-9)


@pytest.mark.parametrize(
    ("new", "weight", "named"),
    [
        (np.zeros((3, 3)), None, "features"),
        (np.full((3, 2), np.nan), None, "NaN"),
        (np.full((3, 2), 1e300), None, r"X\[0, 0\] = 1e\+300"),
        (np.empty((0, 2)), None, "0 sample"),
        (np.zeros((3, 2)), [1.0, 2.0], "sample_weight"),
    ],
    ids=["columns", "missing", "huge", "none", "weights"],
)
def test_what_is_refused_leaves_the_fit_as_it_was(new, weight, named):
    X = corners(80)
    model = SoF(4, random_state=0).fit(X)
    before = dict(model.__dict__)
    with pytest.raises(ValueError, match=named):
        model.update(new, sample_weight=weight)
    assert model.__dict__.keys() == before.keys()
    assert all(model.__dict__[name] is value for name, value in before.items())


def test_an_error_within_the_fit_leaves_it_as_it_was_too(monkeypatch):
    X = corners(80)
    model = SoF(4, random_state=0).fit(X)
    labels = model.labels_

    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("partita.estimators.base.fit", stop)
    with pytest.raises(KeyboardInterrupt):
        model.update(X)
    assert model.labels_ is labels
    assert len(model.predict(X)) == 80


def test_pairs_and_loaded_models_say_what_to_do(tmp_path):
    X = corners(40)
    P = np.exp(-np.linalg.norm(X[:, None] - X, axis=2))
    with pytest.raises(InputError, match=r"^update:"):
        SoF(4, affinity="precomputed", random_state=0).fit(P).update(P[:2])
    with pytest.raises(InputError, match="pair_weight"):
        SoF(4, random_state=0).fit(X, pair_weight=np.ones((40, 40))).update(X[:2])
    save(SoF(4, random_state=0).fit(X), tmp_path / "model")
    with pytest.raises(InputError, match=r"^update:"):
        load(tmp_path / "model").update(X[:2])
