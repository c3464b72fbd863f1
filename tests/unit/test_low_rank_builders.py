"""Landmarks, Nystrom and random features: the printed formulas, their limits, and new items without the fitted ones."""

import os
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits

from partita import KernelKMeans, SoF, SoftClustering, SymNMF, load, save
from partita.affinity import (
    Builder,
    FactorEvidence,
    Landmarks,
    LocalMetricGraph,
    LowRankAffinity,
    NeighborGraph,
    Nystrom,
    RandomFeatures,
    RelativeDistance,
    from_landmarks,
    normalise,
)
from partita.affinity.landmark_choice import chosen_landmarks
from partita.errors import InputError, MemoryLimitError
from partita.estimators import extension
from partita.io import read_model
from partita.kernels.threads import limit_threads
from partita.metrics import adjusted_rand_index
from synthetic import scattered_blobs

# A few hundred roundings of numbers of about one.
ROUNDING = 1e-11
BUILDERS = {
    "landmarks": Landmarks(n_landmarks=60),
    "landmarks, uniform": Landmarks(n_landmarks=60, n_neighbors=3, selection="uniform", seed=4),
    "nystrom": Nystrom(n_landmarks=60),
    "nystrom, laplacian": Nystrom(kernel="laplacian", n_landmarks=60, selection="uniform"),
    "grids": RandomFeatures(n_features=60),
    "waves": RandomFeatures(kernel="gaussian", n_features=900),
}
every_builder = pytest.mark.parametrize("builder", BUILDERS.values(), ids=BUILDERS)


def affinity(builder, X, n_clusters=3):
    return builder.build(X, n_clusters=n_clusters).affinity


def kernel(name, c, X, Y=None):
    Y = X if Y is None else Y
    return np.exp(-c * (cdist(X, Y, "sqeuclidean") if name == "gaussian" else cdist(X, Y, "cityblock")))


# Landmarks


def anchor_graph(X, landmarks, r):
    """[liu2010]: Z with r positive weights a row, and Z diag(Z^T 1)^-1 Z^T."""
    Z = np.zeros((len(X), len(landmarks)))
    for i, distance in enumerate(cdist(X, landmarks)):
        nearest = np.argsort(distance)[:r]
        z = np.exp(-((distance[nearest] / distance[nearest[-1]]) ** 2))
        Z[i, nearest] = z / z.sum()
    Z = Z[:, Z.any(axis=0)]
    return Z @ np.diag(1.0 / Z.sum(axis=0)) @ Z.T


@pytest.mark.parametrize("selection", ["kmeans", "uniform"])
@pytest.mark.parametrize(("m", "r"), [(40, 5), (40, 1), (7, 3), (2, 2), (3, 9)])
def test_landmarks_are_the_printed_formula(m, r, selection):
    X, _ = scattered_blobs(300, 3, spread=6.0)
    builder = Landmarks(n_landmarks=m, n_neighbors=r, selection=selection)
    P = affinity(builder, X)
    points = chosen_landmarks(X, m, selection, 0)
    if r == 1:  # an item and its only landmark are at one distance: weight one
        nearest = cdist(X, points).argmin(axis=1)
        sizes = np.bincount(nearest)
        expected = (nearest[:, None] == nearest) / sizes[nearest]
    else:
        expected = anchor_graph(X, points, min(r, m))
    np.testing.assert_allclose(P.to_dense(), expected, atol=ROUNDING)
    np.testing.assert_allclose(P.row_sums(), 1.0, atol=ROUNDING)
    assert P.multiplications <= 2 * len(X) * r


def test_a_normalisation_leaves_landmarks_as_they_are():
    P = affinity(Landmarks(n_landmarks=50), scattered_blobs(300, 3, spread=6.0)[0])
    for how in ("symmetric", "relative-entropy"):
        np.testing.assert_allclose(normalise(P, how).affinity.to_dense(), P.to_dense(), atol=1e-9)


def test_a_landmark_that_nobody_chooses_leads_nowhere(monkeypatch):
    X = np.linspace(0, 1, 30)[:, None]
    points = np.array([[0.2], [0.5], [0.8], [50.0]])
    monkeypatch.setattr(from_landmarks, "chosen_landmarks", lambda *_: points)
    evidence = Landmarks(n_neighbors=2).build(X, n_clusters=2)
    np.testing.assert_allclose(evidence.affinity.to_dense(), anchor_graph(X, points, 2), atol=ROUNDING)
    assert evidence.factor.shape == (30, 3)
    # A new item beside it goes to the nearest that somebody chose.
    rows = evidence.rows(np.array([[49.0]]))
    assert rows.sum() == pytest.approx(1.0)


def test_scale_rotation_and_translation_leave_landmarks_alone():
    X, _ = scattered_blobs(120, 3, spread=6.0)
    rotation = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    builder = Landmarks(n_landmarks=120)  # the items themselves: k-means would round differently
    moved = affinity(builder, 1e4 * (X @ rotation) - 7.0)
    np.testing.assert_allclose(moved.to_dense(), affinity(builder, X).to_dense(), atol=1e-8)


def test_new_items_at_fitted_places_have_their_rows():
    X, _ = scattered_blobs(300, 3, spread=6.0)
    for builder in BUILDERS.values():
        evidence = builder.build(X, n_clusters=3)
        np.testing.assert_allclose(evidence.rows(X[:9]), evidence.affinity.rows(np.arange(9)), atol=1e-9)


# Nystrom


@pytest.mark.parametrize("name", ["gaussian", "laplacian"])
@pytest.mark.parametrize("scale", [0.05, 1.0])
def test_nystrom_with_all_items_as_landmarks_is_the_kernel(name, scale):
    X, _ = scattered_blobs(150, 3, spread=6.0)
    evidence = Nystrom(kernel=name, scale=scale, n_landmarks=150).build(X, n_clusters=3)
    # Eigenvalues below 1e-12 are cut off by scikit-learn: the kernel is known to their square root.
    np.testing.assert_allclose(evidence.affinity.to_dense(), kernel(name, scale, X), atol=1e-6)
    new = scattered_blobs(20, 3, spread=6.0, seed=5)[0]
    np.testing.assert_allclose(evidence.rows(X[:9] + 1e-3), kernel(name, scale, X[:9] + 1e-3, X), atol=1e-2)
    assert evidence.rows(new).shape == (20, 150)


@pytest.mark.parametrize("name", ["gaussian", "laplacian"])
@pytest.mark.parametrize("selection", ["kmeans", "uniform"])
def test_the_error_of_nystrom_falls_with_landmarks(name, selection):
    X, _ = scattered_blobs(800, 3, spread=6.0)
    true = kernel(name, 0.1, X)
    errors = []
    for m in (5, 20, 80, 320):
        P = affinity(Nystrom(kernel=name, scale=0.1, n_landmarks=m, selection=selection), X)
        errors.append(np.linalg.norm(P.to_dense() - true) / np.linalg.norm(true))
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < errors[0] / 5


def test_centres_of_kmeans_approximate_better_than_items_drawn_at_random():
    X = load_digits().data
    c = Nystrom().build(X, n_clusters=10).scale
    true = kernel("gaussian", c, X)

    def error(selection):
        builders = [Nystrom(scale=c, n_landmarks=100, selection=selection, seed=seed) for seed in range(3)]
        return np.mean([np.linalg.norm(affinity(builder, X).to_dense() - true) for builder in builders])

    assert error("kmeans") < 0.8 * error("uniform")


# Random features


def test_the_mean_of_random_features_is_the_kernel():
    X, _ = scattered_blobs(60, 3, spread=6.0)
    n_seeds, m = 40, 100
    for name, worst in (("laplacian", 0.25), ("gaussian", 1.0)):  # largest variances of one feature
        found = [
            affinity(RandomFeatures(kernel=name, scale=0.2, n_features=m, seed=seed), X).to_dense()
            for seed in range(n_seeds)
        ]
        error = np.mean(found, axis=0) - kernel(name, 0.2, X)
        # 3,600 entries at most five standard errors away: by chance once in a thousand such tests.
        assert np.abs(error).max() < 5 * np.sqrt(worst / (n_seeds * m))
        assert np.std(found, axis=0).max() > 0


@pytest.mark.parametrize("name", ["laplacian", "gaussian"])
def test_the_error_of_random_features_falls_with_their_root(name):
    X, _ = scattered_blobs(200, 3, spread=6.0)
    true = kernel(name, 0.2, X)

    def error(m):
        P = affinity(RandomFeatures(kernel=name, scale=0.2, n_features=m), X)
        return np.sqrt(np.mean((P.to_dense() - true) ** 2))

    ratio = error(50) / error(5000)
    assert 5 < ratio < 20  # 10, give or take what 50 draws vary


def test_grids_are_drawn_before_items_are_seen():
    X, new = (
        scattered_blobs(200, 3, spread=6.0)[0],
        scattered_blobs(50, 3, spread=6.0, seed=8)[0] * 2.0,
    )  # some of them in cells that hold no fitted item
    builder = RandomFeatures(scale=0.2, n_features=40)
    together = affinity(builder, np.r_[X, new]).to_dense()
    evidence = builder.build(X, n_clusters=3)
    rows = evidence.rows(new)
    np.testing.assert_allclose(rows, together[200:, :200], atol=ROUNDING)
    assert not rows.all()
    np.testing.assert_array_equal(evidence.rows(new + 1e6), 0.0)


def test_waves_are_drawn_before_items_are_seen():
    X, new = scattered_blobs(200, 3, spread=6.0)[0], scattered_blobs(50, 3, spread=6.0, seed=8)[0]
    builder = RandomFeatures("gaussian", 40, scale=0.2)
    one, other = builder.build(X, n_clusters=3), builder.build(new, n_clusters=3)
    np.testing.assert_array_equal(one.features(X), other.features(X))


def test_grids_are_partition_draws():
    X, _ = scattered_blobs(300, 3, spread=6.0)
    P = affinity(RandomFeatures(n_features=80), X)
    dense = P.to_dense()
    assert P.kind == "probability"
    np.testing.assert_array_equal(P.diagonal(), 1.0)
    np.testing.assert_allclose(dense * 80, np.round(dense * 80), atol=1e-9)  # counts of grids
    assert affinity(RandomFeatures(kernel="gaussian", n_features=80), X).kind == "similarity"


@pytest.mark.parametrize("name", ["laplacian", "gaussian"])
def test_a_balanced_scale_has_the_mean_of_k_equal_clusters(name):
    X, _ = scattered_blobs(900, 3, spread=6.0)
    for K in (2, 5, 20):
        c = Nystrom(kernel=name).build(X, n_clusters=K).scale
        assert kernel(name, c, X).mean() == pytest.approx(1 / K, rel=1e-6)
        # The unit of the features changes nothing.
        assert Nystrom(kernel=name).build(X * 1e6, n_clusters=K).scale == pytest.approx(
            c * 1e6 ** (-2 if name == "gaussian" else -1), rel=1e-6
        )


# All of them


@every_builder
def test_the_same_seed_gives_the_same_affinity(builder):
    X, _ = scattered_blobs(300, 3, spread=6.0)
    one, other = affinity(builder, X), affinity(builder, X)
    np.testing.assert_array_equal(one.to_dense(), other.to_dense())


@every_builder
def test_a_permutation_of_the_rows_permutes_the_fit(builder):
    X, _ = scattered_blobs(300, 3, spread=6.0)
    order = np.random.default_rng(1).permutation(len(X))
    model = SoftClustering(3, affinity=builder, random_state=0, probabilities="fitted")
    W = model.fit(X).membership_
    np.testing.assert_array_equal(model.fit(X[order]).membership_, W[order])


@every_builder
@pytest.mark.parametrize("how", ["symmetric", "relative-entropy", "l1", "none", "frobenius"])
def test_new_items_without_the_fitted_ones_are_scored_as_by_whole_rows(builder, how, monkeypatch):
    X, _ = scattered_blobs(300, 3, spread=6.0)
    new = np.r_[
        scattered_blobs(300, 3, spread=6.0, seed=9)[0][:40], [[80.0, -70.0, 60.0]]
    ]  # and one far from everything
    model = SoftClustering(3, affinity=builder, normalization=how, random_state=0, probabilities="fitted")
    folded = model.fit(X).predict_proba(new)
    assert model._extension.folded == (how != "frobenius")
    if how != "frobenius":
        assert len(model._extension.landing) == len(model._extension.factors) != len(X)
    monkeypatch.setattr(extension, "FactorEvidence", type(None))
    whole = model.fit(X)
    assert not whole._extension.folded
    assert len(whole._extension.landing) == len(X)
    np.testing.assert_allclose(folded, whole.predict_proba(new), atol=1e-9)


@every_builder
@pytest.mark.parametrize("estimator", [SoF, SymNMF, KernelKMeans])
def test_other_models_score_new_items_too(builder, estimator, monkeypatch):
    X, truth = scattered_blobs(300, 2, spread=6.0)
    new, there = scattered_blobs(300, 2, spread=6.0)[0] + 0.01, truth
    model = estimator(2, affinity=builder, start="spectral", n_init=1, random_state=0).fit(X)
    folded = model.predict_proba(new)
    monkeypatch.setattr(extension, "FactorEvidence", type(None))
    np.testing.assert_allclose(folded, model.fit(X).predict_proba(new), atol=1e-9)
    if estimator is KernelKMeans:
        assert adjusted_rand_index(folded.argmax(axis=1), there) > 0.9


@every_builder
def test_diffusion_and_weights_enter_the_folded_rows(builder, monkeypatch):
    X, _ = scattered_blobs(300, 3, spread=6.0)
    weights = np.random.default_rng(0).integers(1, 4, len(X)).astype(float)
    new = scattered_blobs(300, 3, spread=6.0, seed=9)[0][:20]
    model = SoftClustering(3, affinity=builder, steps=3, random_state=0, probabilities="fitted")
    folded = model.fit(X, sample_weight=weights).predict_proba(new)
    monkeypatch.setattr(extension, "FactorEvidence", type(None))
    np.testing.assert_allclose(folded, model.fit(X, sample_weight=weights).predict_proba(new), atol=1e-9)


@every_builder
@pytest.mark.parametrize("how", ["symmetric", "frobenius"])
def test_a_saved_model_scores_alike(builder, how, tmp_path):
    X, _ = scattered_blobs(300, 3, spread=6.0)
    new = scattered_blobs(300, 3, spread=6.0, seed=3)[0]
    model = SoftClustering(
        3, affinity=builder, normalization=how, scale_features="standard", random_state=0, probabilities="fitted"
    ).fit(X)
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded._builder_ == builder
    np.testing.assert_array_equal(loaded.predict_proba(new), model.predict_proba(new))


def test_a_saved_model_of_landmarks_holds_no_array_of_n_rows_but_the_memberships(tmp_path):
    X, _ = scattered_blobs(5000, 3, spread=6.0)
    model = SoftClustering(3, affinity=Landmarks(n_landmarks=50), random_state=0, probabilities="fitted").fit(X)
    save(model, tmp_path / "model")
    arrays = read_model(tmp_path / "model")[1]
    assert {name for name, array in arrays.items() if np.size(array) >= len(X)} == {
        "membership",
        "labels",
        "outlier",
        "certainty",
    }
    evidence = Landmarks(n_landmarks=50).restore(
        {name.removeprefix("evidence."): array for name, array in arrays.items() if name.startswith("evidence.")}
    )
    assert isinstance(evidence, FactorEvidence)
    with pytest.raises(InputError, match=r"features\(X\)"):
        evidence.rows(X[:2])


@pytest.mark.parametrize(
    "builder", [Nystrom(n_landmarks=30, selection="uniform", scale=0.3), RandomFeatures("gaussian", 40, scale=0.3)]
)
def test_an_item_whose_row_is_error_alone_has_no_affinity_to_any(builder):
    X = np.r_[
        scattered_blobs(300, 3, spread=6.0)[0], np.random.default_rng(0).normal(size=(60, 3)) * 300
    ]  # the last ones far from everything
    evidence = builder.build(X, n_clusters=3)
    image, dense = evidence.features(X), evidence.affinity.to_dense()
    assert (image @ image.sum(axis=0) <= ROUNDING).any()
    silent = ~dense.any(axis=1)
    assert silent[300:].any()
    assert (dense.sum(axis=1)[~silent] > 0).all()
    np.testing.assert_allclose(dense[~silent][:, ~silent], (image @ image.T)[~silent][:, ~silent], atol=ROUNDING)
    # A normalisation would have refused their negative row sums.
    model = SoftClustering(3, affinity=builder, random_state=0, probabilities="fitted").fit(X)
    assert np.isfinite(model.membership_).all()
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize("how", ["symmetric", "frobenius"])
def test_a_batch_is_as_wide_as_its_rows(how, monkeypatch):
    X, _ = scattered_blobs(300, 3, spread=6.0)
    model = SoftClustering(
        3, affinity=Landmarks(n_landmarks=20), normalization=how, random_state=0, probabilities="fitted"
    ).fit(X)
    evidence, sizes = type(model._extension.evidence), []
    real = evidence.features

    def spy(self, given):
        sizes.append(len(given))
        return real(self, given)

    monkeypatch.setattr(evidence, "features", spy)
    monkeypatch.setattr(extension, "BATCH", 2300)
    model.predict_proba(X)
    # Whole rows are 300 numbers, images of new items 20 and their 3 features.
    assert max(sizes) == (2300 // 300 if how == "frobenius" else 2300 // 23)


@every_builder
def test_fits_are_as_good_as_the_clusters_are_clear(builder):
    X, truth = scattered_blobs(600, 3, spread=6.0, seed=2)
    model = SoftClustering(3, affinity=builder, random_state=0, probabilities="fitted").fit(X)
    assert adjusted_rand_index(model.labels_, truth) > 0.95
    assert adjusted_rand_index(model.predict(X), truth) > 0.95


def test_landmarks_are_as_good_as_a_neighbour_graph_on_digits():
    X, truth = load_digits(return_X_y=True)
    graph, landmarks = (
        adjusted_rand_index(
            SoftClustering(10, affinity=builder, random_state=0, probabilities="fitted").fit(X).labels_, truth
        )
        for builder in (NeighborGraph(), Landmarks())
    )
    assert landmarks > graph - 0.05


@pytest.mark.parametrize("sparse", [False, True])
def test_a_large_product_is_that_of_the_factor_for_any_number_of_threads(sparse):
    rng = np.random.default_rng(0)
    F = rng.normal(size=(40_000, 30))
    if sparse:
        F *= rng.random(F.shape) < 0.9
    W = rng.normal(size=(40_000, 12))  # 1.4e7 multiplications a half: beyond the size from which threads share them
    P = LowRankAffinity(sp.csr_array(F) if sparse else F)
    answers = []
    for threads in (1, 2, 3):
        with limit_threads(threads):
            answers.append(P @ W)
    np.testing.assert_allclose(answers[0], F @ (F.T @ W), rtol=1e-10, atol=1e-8)
    for other in answers[1:]:
        np.testing.assert_array_equal(answers[0], other)


# Sizes


@pytest.mark.parametrize(
    "builder",
    [Landmarks(), Nystrom(), RandomFeatures(), NeighborGraph(), LocalMetricGraph(), RelativeDistance()],
    ids=lambda builder: builder.name,
)
def test_a_fit_on_a_sample_serves_any_number_of_items_in_bounded_memory(builder):
    few = isinstance(builder, (RandomFeatures, LocalMetricGraph, RelativeDistance))
    X, truth = scattered_blobs(60_000 if few else 200_000, 3, 4, spread=6.0)
    model = SoftClustering(3, affinity=builder, random_state=0, probabilities="fitted").fit(X[:2000])
    model.predict_proba(X)  # kernels are compiled and loaded: under tracemalloc that takes minutes
    tracemalloc.start()
    found = model.predict_proba(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.shape == (len(X), 3)
    assert adjusted_rand_index(found.argmax(axis=1), truth) > 0.95
    # A batch is 4e6 numbers, 32 MB, and some steps hold a few arrays of it. All rows at once would be 8 bytes x 2,000
    # (or 300 or 500 landmarks) x 200,000 items: 480 MB to 3.2 GB.
    assert peak < 3.5e8


@pytest.mark.parametrize("builder", ["Landmarks()", "Nystrom(n_landmarks=50)", "RandomFeatures(n_features=50)"])
def test_a_hundred_thousand_items_take_no_n_by_n(builder):
    code = f"""
import numpy as np, tracemalloc
from partita import SoftClustering
from partita.affinity import Landmarks, Nystrom, RandomFeatures
rng = np.random.default_rng(0)
truth = rng.integers(0, 5, 100_000)
X = rng.normal(size=(100_000, 4)) + 9 * np.eye(5)[truth][:, :4]
estimator = SoftClustering(5, affinity={builder}, max_iter=20, random_state=0)
estimator.fit(X)  # kernels are compiled and loaded: under tracemalloc that takes minutes
tracemalloc.start()
model = estimator.fit(X)
peak = tracemalloc.get_traced_memory()[1]
from partita.metrics import adjusted_rand_index
print(peak, adjusted_rand_index(model.labels_, truth), model.objective_)
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True,
        env=os.environ | {"PARTITA_MEMORY_LIMIT": "2000000000"},
    )  # fmt: skip
    peak, ari, objective = (float(word) for word in done.stdout.split())
    assert peak < 1e9  # an N x N array of bytes would be 1e10
    assert ari > 0.95
    assert np.isfinite(objective)


def test_factors_that_would_not_fit_are_refused_with_a_remedy(monkeypatch):
    X = np.random.default_rng(0).normal(size=(3000, 2))
    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", "10000000")
    for builder in (Nystrom(), RandomFeatures(kernel="gaussian")):
        with pytest.raises(MemoryLimitError, match="--affinity landmarks"):
            affinity(builder, X)
    assert affinity(Landmarks(n_landmarks=50), X).n_items == 3000


# Options


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Landmarks(n_landmarks=0), "n_landmarks=0"),
        (lambda: Landmarks(n_neighbors=0), "n_neighbors=0"),
        (lambda: Landmarks(selection="best"), "selection='best'"),
        (lambda: Nystrom(n_landmarks=0), "n_landmarks=0"),
        (lambda: Nystrom(kernel="cosine"), "kernel='cosine'"),
        (lambda: Nystrom(scale=0.0), r"scale=0\.0"),
        (lambda: Nystrom(selection="best"), "selection='best'"),
        (lambda: RandomFeatures(n_features=0), "n_features=0"),
        (lambda: RandomFeatures(kernel="cosine"), "kernel='cosine'"),
        (lambda: RandomFeatures(scale="auto"), "scale='auto'"),
    ],
)
def test_options_out_of_range_are_named(make, message):
    with pytest.raises(InputError, match=message):
        make()


@every_builder
def test_missing_cells_are_refused(builder):
    X, _ = scattered_blobs(300, 3, spread=6.0)
    X[4, 1] = np.nan
    with pytest.raises(InputError, match=r"X\[4, 1\]"):
        builder.build(X, n_clusters=2)


@every_builder
def test_the_configuration_makes_the_same_builder(builder):
    assert Builder.from_config(builder.config()) == builder


@every_builder
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_few_items_are_enough(builder, n):
    X = np.arange(n, dtype=float)[:, None] * 100
    P = affinity(builder, X, n_clusters=1)
    assert P.shape == (n, n)
    assert np.isfinite(P.to_dense()).all()
