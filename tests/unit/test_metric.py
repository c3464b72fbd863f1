"""Features with a metric that is named: the points that have its distances are fitted."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from typer.testing import CliRunner

from partita import SoftClustering, metrics
from partita.affinity import NeighborGraph
from partita.cli.app import app
from partita.errors import InputError
from partita.estimators.coordinates import Coordinates
from partita.io import load, save

TRUTH = np.repeat(np.arange(8), 20)
NEW = np.arange(len(TRUTH)) % 5 == 0


def fitted(X, metric, n_clusters="auto", **options):
    return SoftClustering(n_clusters, metric=metric, random_state=0, **options).fit(X)


@pytest.fixture(scope="module")
def counts():
    """Counts of 30 species at 160 sites of eight kinds, some of them rich and some poor."""
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.full(30, 0.4), 8)[TRUTH]
    return rng.poisson(shares * rng.lognormal(5.0, 0.4, (160, 1))).astype(float)


@pytest.mark.parametrize("metric", ["braycurtis", "cosine", "correlation", "cityblock", "chebyshev"])
def test_a_metric_is_the_distances_that_it_makes(counts, metric, tmp_path):
    X, new = counts[~NEW], counts[NEW]
    model = fitted(X, metric)
    D = cdist(X, X, metric)
    given = SoftClustering(affinity="precomputed_distance", random_state=0).fit(D)
    assert model.n_clusters_ == given.n_clusters_
    assert metrics.adjusted_rand_index(model.labels_, given.labels_) == 1.0
    assert metrics.adjusted_rand_index(model.labels_, TRUTH[~NEW]) > 0.7
    rows = cdist(new, X, metric)
    np.testing.assert_array_equal(model.predict(new), given.predict(rows))
    np.testing.assert_allclose(model.predict_doubt(new).certainty, given.predict_doubt(rows).certainty, atol=1e-6)
    assert metric in model.chosen_["affinity"].why
    save(model, tmp_path / "m")
    again = load(tmp_path / "m")
    np.testing.assert_array_equal(again.predict_proba(new), model.predict_proba(new))
    np.testing.assert_array_equal(again.predict_doubt(new).outlier, model.predict_doubt(new).outlier)


def test_what_asks_for_columns_has_those_of_the_features(counts):
    model = fitted(counts[~NEW], "braycurtis", 8)
    assert len(model.explain()) == 8
    assert model.at(4).predict(counts).max() == 3
    assert model.score(counts[NEW]) > 0.7
    before = model.labels_
    model.update(counts[NEW])
    assert (model.labels_[: len(before)] == before).mean() > 0.95
    assert metrics.adjusted_rand_index(model.predict(counts), np.r_[TRUTH]) > 0.9
    assert model.labels_.shape == TRUTH.shape
    for call in (model.update, model.predict):
        with pytest.raises(ValueError, match="features"):
            call(counts[:, :5])


def test_landmarks_of_features_are_the_same_in_any_order(monkeypatch):
    from partita.estimators import coordinates

    monkeypatch.setattr(coordinates, "LANDMARKS", (40, 80))
    X, order = np.random.default_rng(0).normal(size=(300, 4)), np.random.default_rng(1).permutation(300)
    placed, other = Coordinates.of_features(X, "sqeuclidean"), Coordinates.of_features(X[order], "sqeuclidean")
    assert placed.of_roots
    assert placed.height is None
    assert len(placed.landmarks) == 40
    assert set(order[other.landmarks]) == set(placed.landmarks)
    np.testing.assert_allclose(cdist(placed(X), placed(X)), cdist(X, X), atol=1e-5)


def test_distances_that_depend_on_all_items_have_their_neighbor_graph(counts):
    model = fitted(counts, "gower", 8, probabilities="fitted")
    assert model.chosen_["affinity"].value == "neighbors"
    graph = SoftClustering(8, affinity=NeighborGraph(metric="gower"), probabilities="fitted", random_state=0).fit(
        counts
    )
    np.testing.assert_array_equal(model.labels_, graph.labels_)


def test_copies_have_their_neighbor_graph(counts):
    model = fitted(np.repeat(counts, 2, axis=0), "cosine", 8)
    assert model.chosen_["affinity"].value == "neighbors"
    assert not hasattr(model, "_coordinates")


def test_a_metric_goes_with_features_and_no_other_affinity(counts):
    for affinity in ("neighbors", "ensemble", NeighborGraph()):
        with pytest.raises(InputError, match="NeighborGraph"):
            SoftClustering(metric="cosine", affinity=affinity).fit(counts)
    with pytest.raises(InputError, match="features"):
        SoftClustering(metric="cosine").fit(sp.eye_array(20))
    with pytest.raises(ValueError, match="braycurtis"):
        SoftClustering(metric="bray").fit(counts)
    assert fitted(counts, "l2", 8).chosen_["affinity"].why == fitted(counts, "euclidean", 8).chosen_["affinity"].why


def test_the_command_line_takes_a_metric_for_the_model_to_choose_by(counts, tmp_path):
    file, new = tmp_path / "sites.csv", tmp_path / "new.csv"
    header = ",".join(f"s{j}" for j in range(30))
    np.savetxt(file, counts[~NEW], delimiter=",", header=header, comments="")
    np.savetxt(new, counts[NEW], delimiter=",", header=header, comments="")

    def run(*words):
        result = CliRunner().invoke(app, [str(word) for word in words])
        assert result.exit_code == 0, result.output
        return result.output

    said = run("fit", file, "--metric", "braycurtis", "--out", tmp_path / "fit")
    assert "8 clusters" in said
    assert "neighbour graph" not in said
    run("predict", tmp_path / "fit", new, "--out", tmp_path / "scored.csv")
    said = run("fit", file, "--metric", "braycurtis", "--n-neighbors", 5, "--k", 8, "--out", tmp_path / "graph")
    assert "neighbour graph" in said
    result = CliRunner().invoke(app, ["fit", str(file), "--metric", "braycurts"])
    assert result.exit_code == 2
    assert "braycurtis" in result.output


@pytest.mark.parametrize("metric", ["braycurtis", "correlation", "dice"])
def test_an_empty_row_that_a_metric_gives_no_distance_leaves_the_neighbor_graph(counts, metric):
    X = counts.copy()
    X[7] = 0
    model = fitted(X, metric, 8, probabilities="fitted")
    assert model.chosen_["affinity"].value == "neighbors"
    graph = SoftClustering(8, affinity=NeighborGraph(metric=metric), probabilities="fitted", random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, graph.labels_)


def test_a_row_of_zeros_is_where_its_cosines_say(counts):
    X = np.c_[counts, np.zeros((len(counts), 2))]
    X[[3, 50]] = 0
    other = np.zeros((1, 32))
    other[0, 30] = 5.0  # a species that no site has
    model = fitted(X, "cosine", 8)
    assert model._coordinates.height is None
    assert model.predict_doubt(other).outlier[0] > 0.9
    assert (model.outlier_[[3, 50]] > 0.9).all()


def test_yes_and_no_are_taken_without_a_warning(counts):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        model = SoftClustering(8, metric="jaccard", random_state=0).fit(counts)
        model.predict(counts[:5])
    assert model.chosen_["affinity"].value == "ensemble"


def test_sparse_features_have_a_metric_as_dense_ones(counts):
    model = fitted(sp.csr_array(counts), "cosine", 8)
    np.testing.assert_array_equal(model.labels_, fitted(counts, "cosine", 8).labels_)


def test_a_new_row_without_a_distance_is_refused(counts):
    model = fitted(counts, "correlation", 8)
    with pytest.raises(InputError, match="finite"):
        model.predict(np.ones((1, 30)))


def test_scattered_directions_are_outliers_by_cosines():
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(4), 100)
    X = np.vstack([rng.normal(size=(4, 40))[truth] + 0.4 * rng.normal(size=(400, 40)), rng.normal(size=(40, 40))])
    X *= rng.lognormal(size=(440, 1))
    for metric in ("cosine", "correlation"):
        model = fitted(X, metric, 4)
        assert (model.outlier_[400:] > 0.5).mean() > 0.9
        assert (model.outlier_[:400] > 0.5).mean() < 0.02


def test_numbers_that_a_metric_means_nothing_of_are_refused(counts):
    degrees = np.random.default_rng(0).uniform(0, 50, (60, 2))
    with pytest.raises(InputError, match="radians"):
        SoftClustering(metric="haversine").fit(degrees)
    assert fitted(np.radians(degrees), "haversine", 2).n_clusters_ == 2
    below = counts.copy()
    below[4, 7] = -3
    with pytest.raises(InputError, match="row 4, column 7 holds -3"):
        SoftClustering(metric="braycurtis").fit(below)
    with pytest.raises(InputError, match="holds what"):
        SoftClustering(metric="cosine", affinity="precomputed_distance").fit(cdist(counts, counts))
