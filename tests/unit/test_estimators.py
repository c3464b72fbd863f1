"""The estimators: scikit-learn's conventions, the laws of weights and copies, new items, and every kind of input."""

import pickle
import re
import shutil
import warnings
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

from partita import SoF, SoftClustering, load, save
from partita.affinity import (
    Builder,
    DenseAffinity,
    DiffusedAffinity,
    DrawsAffinity,
    LowRankAffinity,
    NeighborGraph,
    Precomputed,
    RelativeDistance,
    normalise,
)
from partita.errors import InputError, ModelError
from partita.estimators.items import start_of_items
from partita.metrics import accuracy, adjusted_rand_index
from partita.objectives import KernelKMeansObjective, Objective, PerClusterObjective, ScaledObjective
from partita.solvers import ProjectedGradient
from synthetic import blobs, draws_around, gaussians, similarity_of

on_graph = partial(SoftClustering, affinity="neighbors", probabilities="fitted")
both = pytest.mark.parametrize("estimator", [SoF, on_graph], ids=["SoF", "SoftClustering"])
quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
# Two answers of the same problem, each stopped within tol of a stationary point.
SOLVED = 1e-6
TIGHT = {"tol": 1e-9, "max_iter": 5000, "random_state": 0}


def aligned(model, reference):
    """Its membership with the other's labels: among restarts that tie to rounding any may win."""
    return model.result_.membership.aligned_to(reference.result_.membership).matrix


# scikit-learn


QUICK = SoftClustering(2, affinity="neighbors", probabilities="fitted", n_init=1)


@pytest.mark.parametrize(
    "model",
    [QUICK, SoftClustering(2), SoftClustering(), SoF(2), SoF()],
    ids=["quick", "SoftClustering, 2", "SoftClustering", "SoF, 2", "SoF"],
)
def test_scikit_learns_checks(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(model)


@both
def test_parameters_are_only_stored(estimator):
    X, _ = blobs()
    model = estimator(3, random_state=0, start=np.arange(60) % 3, n_init=1)
    given = model.get_params()
    model.fit(X)
    after = model.get_params()
    assert given.keys() == after.keys()
    assert all(given[name] is after[name] for name in given)
    copy = clone(model)
    assert not hasattr(copy, "labels_")
    with pytest.raises(NotFittedError):
        copy.predict(X)
    model.set_params(n_clusters=2, solver=ProjectedGradient(accelerate=False), start="dirichlet")
    assert model.fit(X).n_clusters_ == 2
    assert model.result_.solver_name == "projected-gradient"


@both
def test_pickling_keeps_the_model(estimator):
    X, _ = blobs()
    model = estimator(3, random_state=0).fit(X)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.membership_, model.membership_)
    new = blobs(seed=1)[0]
    np.testing.assert_array_equal(again.predict_proba(new), model.predict_proba(new))


@both
def test_verbose_writes_nothing_to_standard_output(estimator, capsys):
    estimator(3, verbose=1, random_state=0).fit(blobs()[0])
    assert capsys.readouterr().out == ""


@both
def test_every_kind_of_random_state_and_its_reproducibility(estimator):
    X, _ = blobs(apart=1.0)
    options = {"start": "dirichlet", "n_init": 2}
    for make in (lambda: 3, lambda: np.int64(3), lambda: np.random.RandomState(3), lambda: np.random.default_rng(3)):
        first, second = (estimator(3, random_state=make(), **options).fit(X) for _ in range(2))
        np.testing.assert_array_equal(first.membership_, second.membership_)
        other = estimator(3, random_state=4, **options).fit(X)
        assert not np.array_equal(first.result_.trace, other.result_.trace)
    free = [estimator(3, **options).fit(X).result_.trace for _ in range(2)]
    assert not np.array_equal(*free)


# What a fit leaves


@both
def test_what_is_there_after_a_fit_and_how_it_belongs_together(estimator):
    X, truth = blobs()
    model = estimator(3, random_state=0).fit(X)
    W = model.membership_
    assert isinstance(W, np.ndarray)
    assert W.shape == (60, 3)
    assert W.min() >= 0
    assert np.abs(W.sum(axis=1) - 1).max() <= 1e-12
    assert model.labels_.dtype == np.int64
    assert (W[np.arange(60), model.labels_] == W.max(axis=1)).all()
    assert adjusted_rand_index(model.labels_, truth) > 0.9
    positive = np.where(W > 0, W, 1.0)
    np.testing.assert_allclose(model.entropy_, -(positive * np.log(positive)).sum(axis=1), atol=1e-12)
    assert model.n_clusters_ == 3
    assert model.n_iter_ == model.result_.n_iter >= 1
    steps = 4 if estimator is on_graph else 1
    assert model.n_products_ == model.result_.n_products >= steps * model.n_iter_
    assert model.n_products_ % steps == 0
    np.testing.assert_array_equal(model.result_.membership.matrix, W)
    np.testing.assert_array_equal(model.result_.membership.labels, model.labels_)
    # the objective is the sum over all ordered pairs of rows
    P = model.affinity_.to_dense()[np.ix_(model.item_index_, model.item_index_)]
    a = np.broadcast_to(model.scale_, 3)
    assert model.objective_ == pytest.approx(((P - (W * a) @ W.T) ** 2).sum(), rel=1e-9)
    if estimator is SoF:
        assert model.scale_ == 1.0
    for restart in model.result_.restarts:
        assert restart.membership.shape == (60, 3)
        assert (restart.membership[np.arange(60), restart.labels] == restart.membership.max(axis=1)).all()


def test_labels_are_an_argmax_where_rows_are_tied():
    X = np.array([[0.0], [0.0], [10.0], [10.0], [5.0], [5.0]])
    model = SoF(2, random_state=0, start=np.array([0, 0, 1, 1, 0, 1])).fit(X)
    assert (model.membership_[np.arange(6), model.labels_] == model.membership_.max(axis=1)).all()
    assert model.labels_[4] == model.labels_[5]


# Copies, weights, order


@both
def test_copies_weights_and_leaving_out(estimator):
    X, _ = blobs(30, apart=3.0)
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 4, 30)
    counts[:4] = [0, 1, 2, 3]
    repeated = estimator(3, **TIGHT).fit(np.repeat(X, counts, axis=0))
    weighted = estimator(3, **TIGHT).fit(X, sample_weight=counts)
    left_out = estimator(3, **TIGHT).fit(X[counts > 0], sample_weight=counts[counts > 0])
    np.testing.assert_allclose(np.repeat(weighted.membership_, counts, axis=0), repeated.membership_, atol=1e-12)
    np.testing.assert_allclose(weighted.membership_[counts > 0], left_out.membership_, atol=1e-12)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-9)
    assert weighted.objective_ == pytest.approx(left_out.objective_, rel=1e-9)
    # an item left out is scored as a new one
    np.testing.assert_allclose(weighted.membership_[counts == 0], left_out.predict_proba(X[counts == 0]), atol=1e-12)
    assert (weighted.item_index_ == -1).tolist() == (counts == 0).tolist()
    # and weights do matter: they are not simply ignored
    plain = estimator(3, **TIGHT).fit(X[counts > 0])
    assert np.abs(aligned(plain, left_out) - left_out.membership_).max() > 1e-3
    ones = estimator(3, **TIGHT).fit(X[counts > 0], sample_weight=np.ones((counts > 0).sum()))
    np.testing.assert_array_equal(ones.membership_, plain.membership_)


@both
@pytest.mark.parametrize("start", ["dirichlet", "kmeans", "spectral"])
def test_permuting_the_items_permutes_the_answer_random_starts_included(estimator, start):
    X, _ = blobs(apart=1.5)
    X = np.r_[X, X[:10]]
    order = np.random.default_rng(1).permutation(70)
    first, second = (estimator(3, start=start, n_init=2, random_state=0).fit(rows) for rows in (X, X[order]))
    np.testing.assert_array_equal(second.membership_, first.membership_[order])
    np.testing.assert_array_equal(second.labels_, first.labels_[order])


@both
def test_copies_get_identical_memberships_and_labels(estimator):
    X, _ = blobs(40, apart=1.0)
    X = np.r_[X, X, X[:5], -0.0 * X[:1], 0.0 * X[:1]]
    model = estimator(3, random_state=0).fit(X)
    for a, b in [(0, 40), (7, 47), (3, 83), (85, 86)]:
        np.testing.assert_array_equal(model.membership_[a], model.membership_[b])
        assert model.labels_[a] == model.labels_[b]
    assert len(model.affinity_.diagonal()) == 41


@both
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(59), r"\(59,\)"),
        (-np.ones(60), "^sample_weight "),
        (np.full(60, np.nan), "^sample_weight "),
        (np.zeros(60), "sample weight"),
    ],
)
@pytest.mark.parametrize("affinity", [None, "precomputed"])
def test_bad_weights_are_refused(estimator, weights, message, affinity):
    X, _ = blobs()
    options = {} if affinity is None else {"affinity": affinity}
    with pytest.raises(InputError, match=message):
        estimator(3, **options).fit(X if affinity is None else np.exp(-cdist(X, X)), sample_weight=weights)


# New items


def best_row(Q, b):
    """The membership of one new item by scipy's quadratic programme."""
    K = len(b)
    found = minimize(
        lambda y: y @ Q @ y - 2 * y @ b,
        np.full(K, 1 / K),
        jac=lambda y: 2 * (Q @ y - b),
        bounds=[(0, 1)] * K,
        constraints={"type": "eq", "fun": lambda y: y.sum() - 1, "jac": np.ones_like},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    return found.x


def test_a_new_item_gets_the_best_row_given_the_fitted_ones():
    X, _ = blobs(apart=2.0)
    new = np.random.default_rng(5).normal(size=(12, 2)) * 4
    weights = np.random.default_rng(6).integers(1, 4, 60)
    model = SoF(3, **TIGHT).fit(X, sample_weight=weights)
    D, fitted = cdist(new, X), cdist(X, X)
    sigma_new, sigma = np.sort(D, axis=1)[:, 9], np.sort(fitted, axis=1)[:, 10]
    p = np.exp(-D / np.sqrt(np.outer(sigma_new, sigma)))
    W = model.membership_
    Q = W.T @ (weights[:, None] * W)
    expected = [best_row(Q / 60, W.T @ (weights * row) / 60) for row in p]
    np.testing.assert_allclose(model.predict_proba(new), expected, atol=1e-5)  # SLSQP's accuracy


@pytest.mark.parametrize("sizes", ["free", "equal"])
@pytest.mark.parametrize("steps", [1, 3])
def test_a_new_item_of_a_diffused_graph_gets_the_best_row_too(sizes, steps):
    X, _ = blobs(apart=2.0)
    P = np.exp(-cdist(X, X))
    model = SoftClustering(3, affinity="precomputed", sizes=sizes, steps=steps, **TIGHT).fit(P)
    rows = np.exp(-cdist(np.random.default_rng(5).normal(size=(8, 2)) * 4, X))
    root = np.sqrt(P.sum(axis=1))
    S = P / np.outer(root, root)
    own = np.sqrt(rows.sum(axis=1) + 1.0)  # its affinity to itself is the mean diagonal, one
    diffused = rows / own[:, None] / root @ np.linalg.matrix_power(S, steps - 1)
    W, a = model.membership_, np.broadcast_to(model.scale_, 3)
    Q = np.diag(a) @ W.T @ W @ np.diag(a)
    top = np.linalg.eigvalsh(Q)[-1]
    expected = [best_row(Q / top, a * (W.T @ row) / top) for row in diffused]
    np.testing.assert_allclose(model.predict_proba(rows), expected, atol=1e-5)


@both
def test_memberships_of_new_items_do_not_depend_on_the_company(estimator):
    X, _ = blobs()
    model = estimator(3, random_state=0).fit(X)
    new = np.random.default_rng(5).normal(size=(50, 2)) * 5
    together = model.predict_proba(new)
    assert together.min() >= 0
    assert np.abs(together.sum(axis=1) - 1).max() <= 1e-12
    # rounding of the distances may depend on the batch, each row's problem does not
    alone = np.vstack([model.predict_proba(row[None]) for row in new])
    np.testing.assert_allclose(together, alone, atol=1e-12)
    np.testing.assert_allclose(together[::-1], model.predict_proba(new[::-1]), atol=1e-12)
    np.testing.assert_array_equal(model.predict(new), together.argmax(axis=1))
    assert adjusted_rand_index(model.predict(X), model.labels_) > 0.9


@both
def test_a_new_item_far_from_all_still_gets_a_membership(estimator):
    model = estimator(3, random_state=0).fit(blobs()[0])
    far = model.predict_proba([[1e9, -1e9], [1e300, 1e300]])
    assert np.isfinite(far).all()
    np.testing.assert_allclose(far.sum(axis=1), 1.0)


@both
def test_sparse_rows_of_new_items_equal_dense_ones(estimator):
    X, _ = blobs()
    P = np.exp(-(cdist(X, X) ** 2))
    P[P < 0.01] = 0.0
    model = estimator(3, affinity="precomputed", random_state=0).fit(P)
    rows = np.exp(-(cdist(blobs(seed=3)[0][:9], X) ** 2))
    rows[rows < 0.01] = 0.0
    assert (rows == 0).any()
    np.testing.assert_allclose(model.predict_proba(sp.csr_array(rows)), model.predict_proba(rows), atol=1e-9)
    np.testing.assert_array_equal(model.predict(sp.csr_matrix(rows)), model.predict(rows))


@both
@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.ones((2, 59)), "X .*59 "),
        (-np.ones((2, 60)), "affinities"),
        (np.full((2, 60), np.nan), "affinities"),
    ],
)
def test_bad_rows_of_new_items_are_refused(estimator, rows, message):
    X, _ = blobs()
    model = estimator(3, affinity="precomputed", random_state=0).fit(np.exp(-cdist(X, X)))
    with pytest.raises(ValueError, match=message):
        model.predict(rows)


@both
def test_an_affinity_object_is_refused_where_rows_of_new_items_are_expected(estimator):
    P = DenseAffinity(np.exp(-cdist(*[blobs()[0]] * 2)))
    model = estimator(3, affinity="precomputed", random_state=0).fit(P)
    with pytest.raises(InputError, match=r"affinity.rows\(index\)"):
        model.predict(P)
    assert model.predict_proba(P.rows([0, 5])).shape == (2, 3)


# Kinds of input


@both
def test_precomputed_affinities_dense_sparse_and_as_objects(estimator):
    X, truth = blobs()
    P = np.exp(-(cdist(X, X) ** 2) / 4)
    P[P < 1e-3] = 0.0
    models = [
        estimator(3, affinity="precomputed", **TIGHT).fit(given)
        for given in (P, sp.csr_array(P), sp.coo_matrix(P), DenseAffinity(P), P.tolist())
    ]
    if estimator is SoF:  # the other fits the points whose products these are, unless it is told otherwise
        models.append(estimator(3, affinity=Precomputed(), **TIGHT).fit(P))
    for model in models[1:]:
        np.testing.assert_allclose(aligned(model, models[0]), models[0].membership_, atol=SOLVED)
        assert model.objective_ == pytest.approx(models[0].objective_, rel=1e-9)
    assert adjusted_rand_index(models[0].labels_, truth) == 1.0


@both
def test_draws_and_low_rank_affinities(estimator):
    rng = np.random.default_rng(0)
    truth = np.arange(60) % 3
    draws = draws_around(truth, 40, 0.1, seed=rng)
    psm = similarity_of(draws)
    model = estimator(3, affinity=Precomputed(), **TIGHT).fit(DrawsAffinity(draws))
    dense = estimator(3, affinity=Precomputed(), **TIGHT).fit(psm)
    np.testing.assert_allclose(aligned(model, dense), dense.membership_, atol=1e-5)
    assert adjusted_rand_index(model.labels_, truth) == 1.0
    factor = np.eye(3)[truth] * 0.9 + 0.1 * rng.random((60, 3))
    # One solver for both: by default a cheap product and a dear one get unlike ones, which part along a flat valley.
    of_matrix = estimator(3, affinity="precomputed", solver=ProjectedGradient(), **TIGHT)
    low_rank = clone(of_matrix).fit(LowRankAffinity(factor))
    dense = of_matrix.fit(factor @ factor.T)
    np.testing.assert_allclose(aligned(low_rank, dense), dense.membership_, atol=1e-5)


@both
def test_precomputed_distances_equal_features(estimator):
    X, _ = blobs()
    D = cdist(X, X)
    options = {"start": (np.arange(60) % 3), "n_init": 1} | TIGHT  # the same start: features are taken in another order
    features = estimator(3, **options).fit(X)
    for given in (D, sp.csr_array(D)):
        by_name = "precomputed_distance" if estimator is SoF else NeighborGraph(metric="precomputed")
        model = estimator(3, affinity=by_name, **options).fit(given)
        np.testing.assert_allclose(model.membership_, features.membership_, atol=1e-5)
        new = blobs(seed=4)[0][:7]
        np.testing.assert_allclose(model.predict_proba(cdist(new, X)), features.predict_proba(new), atol=1e-5)


@both
@pytest.mark.parametrize(
    "builder",
    [
        RelativeDistance(n=5, kernel="gaussian", metric="manhattan", scale="balanced"),
        NeighborGraph(n_neighbors=7, connection="mutual", weights="laplacian", metric="cosine"),
        NeighborGraph(metric="gower", metric_params={"categorical": (0,)}),
    ],
)
def test_a_builder_carries_its_options(estimator, builder):
    X = np.round(blobs()[0], 1)
    model = estimator(3, affinity=builder, random_state=0).fit(X)
    _, first, counts = np.unique(model.item_index_, return_index=True, return_counts=True)
    expected = builder.build(X[first], n_clusters=3, weights=counts.astype(float)).affinity
    if estimator is on_graph:
        expected = normalise(expected, "symmetric").affinity
        if isinstance(builder, NeighborGraph):  # where every pair has an affinity there is nothing to fill in
            expected = DiffusedAffinity(expected, 4)
    np.testing.assert_array_equal(model.affinity_.to_dense(), expected.to_dense())
    assert model.predict_proba(X[:3]).shape == (3, 3)


@both
def test_options_that_contradict_each_other_are_refused(estimator):
    X, _ = blobs()
    with pytest.raises(InputError, match="symmetrize='mean'"):
        estimator(3, symmetrize="mean").fit(X)
    with pytest.raises(InputError, match="symmetrize"):
        estimator(3, affinity=Precomputed(), symmetrize="mean").fit(X)
    with pytest.raises(InputError, match="affinity='precomputed'"):
        estimator(3).fit(DenseAffinity(np.eye(5)))
    with pytest.raises(InputError, match="scale_features='standard'"):
        estimator(3, affinity="precomputed", scale_features="standard").fit(np.exp(-cdist(X, X)))


@both
def test_symmetrize_is_handed_on(estimator):
    X, _ = blobs()
    P = np.exp(-cdist(X, X))
    lopsided = np.triu(P) + np.tril(P, -1) * 0.5
    with pytest.raises(InputError, match=r"affinity\[.*symmetrize="):
        estimator(3, affinity="precomputed").fit(lopsided)
    a = estimator(3, affinity="precomputed", symmetrize="max", **TIGHT).fit(lopsided)
    b = estimator(3, affinity="precomputed", **TIGHT).fit(P)
    np.testing.assert_array_equal(a.membership_, b.membership_)


def test_sizes_free_lets_clusters_differ_and_equal_pulls_them_together():
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(150, 2)), rng.normal(size=(15, 2)) + 8.0]
    truth = np.repeat([0, 1], [150, 15])
    free = SoftClustering(2, sizes="free", random_state=0, affinity="neighbors", probabilities="fitted").fit(X)
    equal = SoftClustering(2, sizes="equal", random_state=0, affinity="neighbors", probabilities="fitted").fit(X)
    assert adjusted_rand_index(free.labels_, truth) == 1.0
    assert np.shape(free.scale_) == (2,)
    assert isinstance(equal.scale_, float)
    spread = [np.ptp(model.membership_.sum(axis=0)) for model in (free, equal)]
    assert spread[1] <= spread[0]
    # a learned scale for each cluster fits at least as well as a common one
    assert free.objective_ <= equal.objective_ * (1 + 1e-6)


# Numbers of clusters


@both
def test_one_cluster_and_as_many_as_items(estimator):
    X, _ = blobs(12)
    one = estimator(1, random_state=0).fit(X)
    np.testing.assert_allclose(one.membership_, np.ones((12, 1)), atol=1e-12)
    assert not one.labels_.any()
    np.testing.assert_array_equal(one.predict_proba(X[:2]), np.ones((2, 1)))
    full = estimator(12, random_state=0).fit(X)
    assert full.membership_.shape == (12, full.n_clusters_)
    assert full.n_clusters_ == len(np.unique(full.labels_))  # SoF's has fewer: empty ones are not handed out
    np.testing.assert_allclose(full.membership_.sum(axis=1), 1.0)


@both
def test_more_clusters_than_distinct_items_are_refused(estimator):
    X = np.repeat([[0.0, 1.0], [1.0, 0.0], [3.0, 3.0]], 5, axis=0)
    with pytest.raises(InputError, match=r"n_clusters=4 .* 3\b"):
        estimator(4).fit(X)
    assert 2 <= estimator(3, random_state=0).fit(X).n_clusters_ <= 3
    with pytest.raises(InputError, match=r"n_clusters=2 .* 1\b"):
        estimator(2).fit(np.ones((10, 3)))  # constant
    assert estimator(1).fit(np.ones((10, 3))).labels_.tolist() == [0] * 10
    with pytest.raises(InputError, match="n_clusters=7"):
        estimator(7, affinity="precomputed").fit(np.eye(5))


# Missing and bad cells


@both
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
def test_a_cell_that_is_no_number_is_named(estimator, value, word):
    X, _ = blobs()
    X[7, 1] = value
    with pytest.raises(InputError, match=rf"X\[7, 1\] is {word}:"):
        estimator(3).fit(X)
    X[9, 0] = value
    with pytest.raises(InputError, match=rf"X\[7, 1\] is {word} .* 1 more"):
        estimator(3).fit(X)
    fitted = estimator(3, random_state=0).fit(blobs()[0])
    with pytest.raises(InputError, match=rf"X\[7, 1\] is {word}"):
        fitted.predict(X)


@both
def test_unobserved_cells_are_left_out_of_the_distances(estimator):
    X, truth = blobs(d=5)
    X[np.random.default_rng(0).random(X.shape) < 0.15] = np.nan
    X[:, 0] = blobs(d=5)[0][:, 0]
    model = estimator(3, missing="unobserved", random_state=0, n_init=3).fit(X)
    assert adjusted_rand_index(model.labels_, truth) > 0.9
    assert model.predict_proba(X[:4]).shape == (4, 3)
    X[5] = np.nan
    with pytest.raises(InputError, match=r"X\[5\]"):
        estimator(3, missing="unobserved").fit(X)


def test_hiding_a_third_of_the_pairs_hides_little():
    rng = np.random.default_rng(0)
    W = rng.dirichlet(np.full(3, 0.4), size=60)
    W[:9] = np.eye(3)[np.arange(9) % 3]
    P = W @ W.T
    hidden = np.triu(rng.random(P.shape) < 0.3, 1)
    whole = SoF(3, affinity="precomputed", n_init=8, **TIGHT).fit(P)
    holes = np.where(hidden | hidden.T, np.nan, P)
    model = SoF(3, affinity="precomputed", missing="unobserved", n_init=8, **TIGHT).fit(holes)
    found = model.result_.membership.aligned_to(whole.result_.membership)
    np.testing.assert_allclose(found.matrix, whole.membership_, atol=1e-3)
    certain = whole.result_.membership.margin > 0.01
    np.testing.assert_array_equal(found.labels[certain], whole.labels_[certain])
    one_sided = np.where(hidden, np.nan, P)
    again = SoF(3, affinity="precomputed", missing="unobserved", n_init=8, **TIGHT).fit(one_sided)
    np.testing.assert_array_equal(again.membership_, model.membership_)
    # read as zeros the holes do harm: that they are left out is what the test is about
    zeros = SoF(3, affinity="precomputed", n_init=8, **TIGHT).fit(np.nan_to_num(holes))
    assert np.abs(aligned(zeros, whole) - whole.membership_).max() > 0.1
    with pytest.raises(InputError, match=r"affinity\[\d+, \d+\] = nan"):
        SoF(3, affinity="precomputed").fit(holes)
    with pytest.raises(InputError, match="normalization='none'"):
        SoftClustering(3, affinity="precomputed", missing="unobserved", normalization="symmetric").fit(holes)
    assert SoftClustering(3, affinity="precomputed", missing="unobserved").fit(holes).n_clusters_ == 3  # without it
    soft = SoftClustering(3, affinity="precomputed", missing="unobserved", normalization="none", steps=1, **TIGHT)
    np.testing.assert_allclose(aligned(soft.fit(holes), whole), whole.membership_, atol=1e-3)


def test_a_fit_says_where_other_sizes_would_have_led():
    rng = np.random.default_rng(0)
    X = np.concatenate(
        [rng.normal(size=(n, 2)) * s + c for n, s, c in ((400, 3.0, 0.0), (30, 0.5, 9.0), (30, 0.5, -9.0))]
    )
    model = SoftClustering(3, random_state=0, affinity="neighbors", probabilities="fitted").fit(X)
    equal = SoftClustering(3, sizes="equal", random_state=0, affinity="neighbors", probabilities="fitted").fit(X)
    moved = 1 - accuracy(equal.labels_, model.labels_)
    said = [note for note in model.result_.notes if note.startswith("with sizes='equal'")]
    assert len(said) == (moved > 0.02)
    assert said
    # A few steps from the fit, where the other fit is whole.
    assert int(re.search(r"\) (?:at least )?(\d+)%", said[0])[1]) == pytest.approx(100 * moved, abs=5)
    # who chose is not asked again, and who agrees is not told
    assert not equal.result_.notes
    assert (
        not SoftClustering(2, random_state=0, affinity="neighbors", probabilities="fitted")
        .fit(np.r_[X[-60:]])
        .result_.notes
    )


# Starts, stopping, jobs


@both
@quiet
def test_starts_for_the_rows_become_starts_for_the_distinct_items(estimator):
    X, truth = blobs(30)
    X = np.r_[X, X[:6]]
    truth = np.r_[truth, truth[:6]]
    options = {"max_iter": 1, "random_state": 0}
    for start in (truth, np.eye(3)[truth] * 0.8 + 0.2 / 3, truth.tolist(), (np.eye(3)[truth] * 0.8 + 0.2 / 3).tolist()):
        model = estimator(3, start=start, **options).fit(X)
        np.testing.assert_array_equal(model.labels_, truth)
    several = estimator(3, start=[truth, (truth + 1) % 3, "dirichlet"], n_init=3, **options).fit(X)
    assert [restart.start for restart in several.result_.restarts] == ["given", "given", "dirichlet"]
    np.testing.assert_array_equal(several.result_.restarts[0].labels, truth)
    np.testing.assert_array_equal(several.result_.restarts[1].labels, (truth + 1) % 3)
    with pytest.raises(InputError, match=r"start .*35 rows"):
        estimator(3, start=truth[:35]).fit(X)


@both
def test_jobs_do_not_change_the_answer_and_auto_restarts_random_starts(estimator):
    X, _ = blobs(apart=1.0)
    one = estimator(3, start="dirichlet", random_state=0).fit(X)
    two = estimator(3, start="dirichlet", random_state=0, n_jobs=2).fit(X)
    np.testing.assert_array_equal(one.membership_, two.membership_)
    assert len(one.result_.restarts) == 10
    assert len(estimator(3, start="spectral", random_state=0).fit(X).result_.restarts) == 1


@both
def test_not_converging_is_one_warning_and_a_status(estimator):
    X, _ = blobs(apart=1.0)
    with pytest.warns(ConvergenceWarning) as caught:
        model = estimator(3, max_iter=1, tol=0.0, random_state=0).fit(X)
    assert len(caught) == 1
    assert model.result_.status == "max_iter"


@both
def test_scaled_features_are_what_scaling_them_oneself_gives(estimator):
    X, _ = blobs()
    X = X * [1.0, 1000.0] + 7.0
    by_hand = {"standard": (X - X.mean(axis=0)) / X.std(axis=0), "minmax": (X - X.min(axis=0)) / np.ptp(X, axis=0)}
    for how, scaled in by_hand.items():
        model = estimator(3, scale_features=how, **TIGHT).fit(X)
        expected = estimator(3, **TIGHT).fit(scaled)
        # the items may be taken in another order, which the start follows: compare what does not depend on it
        assert model.affinity_.mean() == pytest.approx(expected.affinity_.mean(), rel=1e-9)
        assert adjusted_rand_index(model.labels_, expected.labels_) == 1.0
        assert model.predict_proba(X[:5]).shape == (5, 3)


def test_solve_rows_copes_with_a_singular_problem():
    from partita.solvers import solve_rows

    Q = np.ones((3, 3))
    Y = solve_rows(Q, np.array([[0.0, 0.0, 0.0], [3.0, 1.0, 2.0]]))
    np.testing.assert_allclose(Y.sum(axis=1), 1.0)
    assert Y[1].argmax() == 0
    np.testing.assert_array_equal(solve_rows(np.zeros((2, 2)), np.zeros((1, 2))), [[0.5, 0.5]])
    assert solve_rows(np.eye(2), np.empty((0, 2))).shape == (0, 2)


@pytest.mark.parametrize(
    ("affinity", "sparse"), [("precomputed", False), ("precomputed", True), ("precomputed_distance", False)]
)
@both
def test_an_item_of_weight_zero_is_left_out_of_pairwise_input_too(estimator, affinity, sparse):
    X = blobs()[0]
    D = cdist(X, X)
    M = D if affinity == "precomputed_distance" else np.exp(-D)
    keep = np.arange(len(X)) % 7 != 0
    matrix = sp.csr_array(M) if sparse else M
    weighted = estimator(3, affinity=affinity, random_state=0).fit(matrix, sample_weight=keep.astype(float))
    without = estimator(3, affinity=affinity, random_state=0).fit(M[keep][:, keep])
    np.testing.assert_allclose(weighted.membership_[keep], without.membership_, atol=1e-6)  # rounding, amplified
    np.testing.assert_allclose(
        weighted.membership_[~keep], without.predict_proba(M[~keep][:, keep]), atol=1e-6
    )  # scored as new items


def test_a_metric_that_is_no_distance_is_refused():
    X = blobs()[0]
    with pytest.raises(InputError, match="items 0 and 1 "):
        SoF(3, affinity=RelativeDistance(metric=lambda a, b: float(abs(a[0] - b[1])))).fit(X)


def test_sparse_distances_are_refused_where_every_pair_is_needed():
    X = blobs()[0]
    D = sp.csr_array(np.where(cdist(X, X) < 1.0, cdist(X, X), 0.0))
    with pytest.raises(InputError, match="affinity=NeighborGraph"):
        SoF(3, affinity="precomputed_distance").fit(D)


@both
@pytest.mark.parametrize("affinity", ["precomputed", "precomputed_distance"])
@pytest.mark.parametrize("unit", [1e200, 1e-200])
@pytest.mark.parametrize("sparse", [False, True])
def test_pairs_whose_squares_leave_double_precision_are_refused(estimator, affinity, unit, sparse):
    P = cdist(*[blobs()[0]] * 2)
    given = np.exp(-P) if affinity == "precomputed" else P
    with pytest.raises(InputError, match=r"(affinity|distances), \d"):
        estimator(2, affinity=affinity).fit(sp.csr_array(unit * given) if sparse else unit * given)


@both
@pytest.mark.parametrize("unit", [1e300, 1e-300])
def test_features_whose_squares_leave_double_precision_are_refused(estimator, unit):
    with pytest.raises(InputError, match=r"X\[\d+, \d\] = "):
        estimator(2).fit(unit * blobs()[0])


def test_only_a_fitted_estimator_of_ours_is_saved_and_to_a_new_folder(tmp_path):
    X, _ = blobs()
    with pytest.raises(InputError, match="KMeans"):
        save(KMeans(2, n_init=1).fit(X), tmp_path / "model")
    with pytest.raises(NotFittedError):
        save(SoF(2), tmp_path / "model")
    with pytest.raises(InputError, match=re.escape(str(tmp_path))):
        save(SoF(2).fit(X), tmp_path)
    assert not list(tmp_path.iterdir())


@both
def test_items_at_distance_zero_are_not_distinct(estimator):
    D = np.ones((4, 4))
    D[:3, :3] = 0
    D[3, 3] = 0
    with pytest.raises(InputError, match="items, 2"):
        estimator(3, affinity="precomputed_distance").fit(D)


def test_a_start_may_be_given_where_items_lie_at_distance_zero():
    X = np.repeat(blobs()[0][:20], 2, axis=0)
    labels = np.arange(40) % 3
    model = SoF(3, affinity="precomputed_distance", start=labels).fit(cdist(X, X))
    assert model.membership_.shape == (40, 3)


def test_clusters_that_hold_no_item_are_said():
    X, _ = make_blobs(300, centers=3, random_state=0)
    for K in (3, 10):
        model = SoftClustering(K, affinity="ensemble", random_state=0, probabilities="fitted").fit(X)
        empty = K - len(np.unique(model.labels_))
        said = [note for note in model.result_.notes if "hold no item" in note]
        assert [note.partition(", ")[2].split(" ", 1)[0] for note in said] == [str(empty)] * (empty > 0)
    assert empty > 0


# An objective of one's own


@pytest.fixture
def halved():
    class Halved(Objective):
        """||P - W W^T / 2||^2."""

        name = "halved, of a test"
        equation = "||P - W W^T / 2||^2"
        source = "a test"

        def scale(self, attraction, curvature):
            return np.full(len(attraction), 0.5)

    yield Halved()
    del Objective.registry[Halved.name]


def test_an_objective_takes_the_place_of_sizes(halved):
    X = load_iris().data
    given = SoftClustering(
        3, objective=PerClusterObjective(), random_state=0, affinity="neighbors", probabilities="fitted"
    ).fit(X)
    named = SoftClustering(3, sizes="free", random_state=0, affinity="neighbors", probabilities="fitted").fit(X)
    np.testing.assert_array_equal(given.membership_, named.membership_)
    own = SoftClustering(
        3, objective=halved, affinity="relative", normalization="none", random_state=0, probabilities="fitted"
    ).fit(X)
    assert own.scale_ == 0.5
    assert own.result_.objective_name == halved.name
    P, W = own.affinity_.to_dense(), own.membership_[np.unique(own.item_index_, return_index=True)[1]]
    d = np.bincount(own.item_index_)
    assert own.objective_ == pytest.approx(float(d @ (P - 0.5 * W @ W.T) ** 2 @ d))
    hard = SoftClustering(
        3, objective=KernelKMeansObjective(), random_state=0, affinity="neighbors", probabilities="fitted"
    ).fit(X)
    assert set(hard.membership_.ravel()) == {0.0, 1.0}
    with pytest.raises(InputError, match="sizes='equal'"):
        SoftClustering(3, sizes="equal", objective=ScaledObjective(), affinity="neighbors", probabilities="fitted").fit(
            X
        )


def test_a_model_keeps_its_objective_by_the_name_it_is_registered_under(halved, tmp_path):
    X = load_iris().data
    for name, objective in (("ours", ScaledObjective()), ("own", halved)):
        model = SoftClustering(
            3, objective=objective, random_state=0, affinity="neighbors", probabilities="fitted"
        ).fit(X)
        save(model, tmp_path / name)
        again = load(tmp_path / name)
        assert type(again.objective) is type(objective)
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))

    class Unknown(type(halved)):
        pass

    with pytest.raises(InputError, match="objective=Unknown"):
        save(
            SoftClustering(3, objective=Unknown(), random_state=0, affinity="neighbors", probabilities="fitted").fit(X),
            tmp_path / "unknown",
        )


@pytest.fixture
def times():
    @dataclass(frozen=True)
    class Times(Objective):
        """||P - a W W^T||^2."""

        a: float = 2.0
        name = "times, of a test"
        equation = "||P - a W W^T||^2"
        source = "a test"

        def scale(self, attraction, curvature):
            return np.full(len(attraction), self.a)

    yield Times
    del Objective.registry[Times.name]


def test_a_model_keeps_the_settings_of_its_objective(times, tmp_path):
    X = load_iris().data
    options = {"random_state": 0, "affinity": "neighbors", "probabilities": "fitted"}
    model = SoftClustering(3, objective=times(a=5.0), **options).fit(X)
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.objective == times(a=5.0)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))

    told = tmp_path / "model" / "model.json"
    for before, after in (('"a": 5.0', '"b": 5.0'), ('"a": 5.0', '"a": "five"'), (times.name, "sof")):
        changed = tmp_path / "changed"
        shutil.rmtree(changed, ignore_errors=True)
        shutil.copytree(tmp_path / "model", changed)
        assert before in told.read_text()
        (changed / "model.json").write_text(told.read_text().replace(before, after))
        with pytest.raises(ModelError):
            load(changed)

    loose = times.__base__.registry["sof"]()
    loose.extra = 1.0  # a setting that is no field
    model = SoftClustering(3, objective=loose, **options).fit(X)
    with pytest.raises(InputError, match="objective=SoFObjective"):
        save(model, tmp_path / "loose")


@pytest.mark.parametrize("name", ["precomputed", "precomputed_distance", "graph_ensemble"])
def test_pairwise_evidence_is_told_to_scikit_learn_by_name_and_as_an_object(name):
    assert get_tags(SoftClustering(affinity=name)).input_tags.pairwise
    assert not get_tags(SoftClustering(affinity="neighbors")).input_tags.pairwise
    if name in Builder.registry:
        assert get_tags(SoftClustering(affinity=Builder.registry[name]())).input_tags.pairwise


def blobs_in_turn(n=90):
    return gaussians(np.arange(n) % 3, [[0, 0], [9, 9], [0, 9]])


def test_a_grid_search_needs_no_scoring_and_chooses_the_number_that_held_out_items_bear_out():
    from sklearn.model_selection import GridSearchCV

    X = blobs_in_turn()
    model = SoftClustering(affinity="neighbors", n_init=2, random_state=0)
    search = GridSearchCV(model, {"n_clusters": [1, 2, 3, 4, 5]}, cv=3).fit(X)
    scores = search.cv_results_["mean_test_score"]
    assert search.best_params_ == {"n_clusters": 3}
    assert scores[0] == 0.0  # one cluster foretells nothing
    assert scores[2] > 0.99


def test_a_score_is_the_agreement_of_labels_carried_over_with_those_found_anew():
    from sklearn.metrics import adjusted_rand_score

    X = np.random.default_rng(1).normal(size=(120, 2)) + 2.0 * (np.arange(120) % 2)[:, None]
    model = SoftClustering(n_clusters=3, affinity="neighbors", random_state=0).fit(X[:60])
    anew = SoftClustering(n_clusters=3, affinity="neighbors", random_state=0).fit(X[60:])
    assert model.score(X[60:]) == pytest.approx(adjusted_rand_score(model.predict(X[60:]), anew.labels_))
    assert model.score(X[60:], np.zeros(60)) == model.score(X[60:])  # y is ignored
    P = np.exp(-((X[:, :1] - X[:, 0]) ** 2))
    with pytest.raises(InputError, match="adjusted_rand_score"):
        SoftClustering(n_clusters=2, affinity="precomputed", random_state=0).fit(P).score(P)


@pytest.mark.parametrize("affinity", ["neighbors", "relative", "ensemble"])
def test_exemplars_are_items_of_their_clusters_and_lie_in_the_midst_of_them(affinity):
    X = blobs_in_turn()
    X[:3] += [[3.5, 0], [3.5, 0], [0, 3.5]]  # stragglers
    model = SoftClustering(n_clusters=3, affinity=affinity, random_state=0).fit(X)
    rows = model.exemplars_
    assert model.labels_[rows].tolist() == [0, 1, 2]
    for k, row in enumerate(rows):
        own = X[model.labels_ == k]
        apart = np.linalg.norm(own - own.mean(axis=0), axis=1)
        assert np.linalg.norm(X[row] - own.mean(axis=0)) <= np.median(apart)


def test_what_a_model_lacks_is_said_with_the_reason(tmp_path):
    model = SoftClustering(3, affinity="neighbors", random_state=0).fit(blobs_in_turn())
    for name, why in (("verdict_", "judge_n_clusters"), ("posterior_", "auto"), ("ensemble_", "ensemble")):
        with pytest.raises(AttributeError, match=f"{name}.*{why}"):
            getattr(model, name)
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    for name in ("verdict_", "posterior_", "exemplars_", "chosen_"):
        assert not hasattr(loaded, name)
        with pytest.raises(AttributeError, match=f"no {name}, .*not saved"):
            getattr(loaded, name)


def test_exemplars_are_no_rows_without_weight():
    X = blobs_in_turn()
    weights = np.ones(90)
    chosen = SoftClustering(n_clusters=3, affinity="neighbors", random_state=0).fit(X).exemplars_
    weights[chosen] = 0.0
    model = SoftClustering(n_clusters=3, affinity="neighbors", random_state=0).fit(X, sample_weight=weights)
    assert not set(model.exemplars_) & set(chosen)


def test_an_item_starts_where_its_first_row_does_and_rows_of_weight_zero_do_not_count():
    of_row = np.array([-1, 0, 0, 1, -1, 1])  # of two items
    (labels,) = start_of_items(np.array([9, 4, 5, 6, 7, 8]), of_row, 2)
    assert labels.tolist() == [4, 6]
