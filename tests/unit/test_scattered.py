"""Items that are scattered beneath clusters are left out where methods look for these."""

import numpy as np
import pytest

from partita import SoftClustering
from partita.ensemble import Ensemble
from partita.ensemble.scattered import are_scattered, scattered_items
from partita.metrics import adjusted_rand_index
from partita.report.headline import headline


def clusters(seed, d, n=600, n_scattered=0, *, spread=8.0):
    """Four normal clusters, and items scattered over a box around them, which come last."""
    rng = np.random.default_rng(seed)
    centres, label = rng.uniform(-spread, spread, (4, d)), rng.integers(0, 4, n)
    X = centres[label] + rng.normal(size=(n, d))
    return np.vstack([X, rng.uniform(-12, 12, (n_scattered, d))]), label


def two_blobs_and_a_square(seed):
    """Two dense clusters, and evenly spread items around them that are a third one to whoever asks for three."""
    rng = np.random.default_rng(seed)
    centres = np.array([[3.0, 3.0], [7.0, 7.0]])
    label = np.repeat([0, 1, 2], 100)
    square = rng.uniform(0, 10, (100, 2))
    return np.vstack([centres[label[:200]] + 0.1 * rng.normal(size=(200, 2)), square]), label


@pytest.mark.parametrize("d", [2, 3, 8])
@pytest.mark.parametrize("n_scattered", [60, 200])
def test_scattered_items_are_seen(d, n_scattered):
    X, _ = clusters(0, d, n_scattered=n_scattered)
    scattered = scattered_items(X, 2, 0)
    assert scattered[600:].mean() > 0.8
    assert scattered[:600].mean() < 0.03


def test_none_are_looked_for_along_a_line_among_categories_and_where_no_cluster_would_be_left():
    rng = np.random.default_rng(0)
    assert scattered_items(rng.normal(size=(300, 1)), 2, 0) is None
    X, _ = clusters(0, 8, n_scattered=200)
    words = np.eye(3)[rng.integers(0, 3, 800)]
    assert scattered_items(np.hstack([X, words]), 2, 0) is None
    assert scattered_items(np.hstack([words, words[:, ::-1]]), 2, 0) is None
    assert scattered_items(X, 2, 0) is not None
    assert scattered_items(X, 300, 0) is None
    assert scattered_items(clusters(0, 8)[0], 2, 0) is None


@pytest.mark.parametrize("seed", range(3))
def test_tails_are_no_background(seed):
    X = np.random.default_rng(seed).normal(size=(500, 2))
    tails = scattered_items(X, 1, 0)
    assert tails is None or not are_scattered(X, tails, np.zeros(500, dtype=np.int64), 0)


@pytest.mark.parametrize("d", [2, 5])
@pytest.mark.parametrize("n_scattered", [30, 200])
def test_one_cluster_among_scattered_items_is_one(d, n_scattered):
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(size=(400, d)), rng.uniform(-8, 8, (n_scattered, d))])
    model = SoftClustering(random_state=0).fit(X)
    assert model.n_clusters_ == 1
    found = model.outlier_ > 0.5
    assert found[400:].mean() > 0.8
    assert found[:400].mean() < 0.03
    assert not any("several" in sentence for sentence in headline(model))  # by components of what is scattered


def test_scattered_items_beneath_one_cluster_may_be_another_one_and_a_few_may_not():
    rng = np.random.default_rng(0)
    for n_scattered, said in ((80, True), (16, False)):
        X = np.r_[rng.normal(size=(400, 3)), rng.uniform(-12, 12, size=(n_scattered, 3))]
        model = SoftClustering(random_state=0).fit(X)
        assert model.n_clusters_ == 1
        outliers = f"{(model.outlier_ > 0.5).sum()} items"
        assert (
            f"the {outliers} that probably belong to none may be a second, sparse cluster" in headline(model)[2]
        ) is said


@pytest.mark.parametrize(("d", "n_scattered"), [(3, 400), (8, 60), (8, 400)])
def test_the_number_of_clusters_is_that_without_scattered_items(d, n_scattered):
    X, label = clusters(0, d, n_scattered=n_scattered)
    model = SoftClustering(random_state=0).fit(X)
    assert model.n_clusters_ == 4
    assert adjusted_rand_index(model.labels_[:600], label) > 0.97
    assert any("scattered items" in note for note in model.result_.notes)


@pytest.mark.parametrize("seed", range(3))
def test_a_number_that_is_given_is_not_spent_on_scattered_items(seed):
    X, label = clusters(seed + 2, 3, n_scattered=400)
    model = SoftClustering(4, random_state=0).fit(X)
    assert adjusted_rand_index(model.labels_[:600], label) > 0.95


@pytest.mark.parametrize("seed", range(3))
def test_evenly_spread_items_are_a_cluster_to_whoever_asks_for_it(seed):
    X, label = two_blobs_and_a_square(seed)
    model = SoftClustering(3, random_state=0).fit(X)
    assert adjusted_rand_index(model.labels_, label) > 0.8


@pytest.mark.parametrize("bounds", [(2, None), (2, 3)])
def test_bounds_that_leave_one_cluster_out_are_kept(bounds):
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(size=(400, 2)) / 2, rng.uniform(-8, 8, (200, 2))])
    model = SoftClustering(bounds, random_state=0).fit(X)
    assert model.n_clusters_ == 2
    assert adjusted_rand_index(model.labels_, np.repeat([0, 1], [400, 200])) > 0.8  # what is scattered is the other


@pytest.mark.parametrize("n_clusters", [4, "auto"])
def test_rows_far_from_all_others_do_not_hide_scattered_ones(n_clusters):
    X, label = clusters(2, 3, n_scattered=400)
    far = [[40.0, 40.0, 40.0], [45.0, -40.0, -40.0]]
    model = SoftClustering(n_clusters, random_state=0).fit(np.vstack([X, far]))
    assert adjusted_rand_index(model.labels_[:600], label) > 0.97
    assert (model.outlier_[600:] > 0.5).mean() > 0.9


@pytest.mark.parametrize("how", [{"share": 0.06}, {"max_items": 60, "n_draws": 6}, {"max_items": 5, "n_draws": 40}])
def test_samples_of_hardly_more_items_than_clusters_are_clustered(how):
    X, _ = clusters(0, 8, n_scattered=400)
    K = 6 if how.get("max_items") == 5 else 45
    assert Ensemble(**how).build(X, n_clusters=K).affinity.n_items == 1000


def test_a_method_alone_does_not_see_scattered_items_either():
    X, _ = clusters(0, 8, n_scattered=400)
    evidence = Ensemble(methods=("mixture",)).build(X, n_clusters=4)
    assert max(draw.n_items for draw in evidence.draws) < 700


def test_clean_clusters_are_seen_whole():
    X, _ = clusters(1, 2)
    model = SoftClustering(4, random_state=0).fit(X)
    assert max(draw.n_items for draw in model.ensemble_) == 600
    assert not any("scattered" in note for note in model.result_.notes)


def test_scattered_items_of_many_are_left_out_of_the_samples():
    X, label = clusters(0, 6, n=9_000, n_scattered=3_000)
    model = SoftClustering(4, random_state=0).fit(X)
    assert adjusted_rand_index(model.labels_[:9_000], label) > 0.97
    assert max(draw.n_items for draw in model.ensemble_) < 3_500  # of 4,000 that are drawn


def test_parts_of_one_cluster_do_not_explain_what_is_scattered():
    rng = np.random.default_rng(2)
    X = np.vstack([rng.normal(size=(400, 2)), rng.uniform(-8, 8, (30, 2))])
    assert SoftClustering(random_state=0).fit(X).n_clusters_ == 1  # with its parts as clusters it was two
