"""Categories beside numbers: which columns they are, their latent variables, and components of both."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import kstest, multivariate_normal

from partita import SoftClustering
from partita.ensemble import Components, Ensemble, Validity
from partita.ensemble.belief import explained, of_one_cluster, probability_of_components, told_by_categories
from partita.ensemble.categories import Categories, Columns
from partita.ensemble.copies import SpreadRows
from partita.estimators.mixed_table import MixedTable, words
from partita.kernels.ellipsoids import Items, climb, log_joint
from partita.metrics import adjusted_rand_index

LETTERS = np.array(list("abcde"), dtype=object)


def one_hot(codes):
    return (codes[:, None] == np.unique(codes)).astype(float)


def untold(n=400, d=2, sizes=(2, 3), seed=0):
    """Numbers and codes of categories, none of which tells anything of another."""
    rng = np.random.default_rng(seed)
    codes = [rng.choice(m, n, p=rng.dirichlet(np.full(m, 3.0))) for m in sizes]
    return rng.normal(size=(n, d)), codes


def classes(n=400, K=2, d=2, sizes=(3, 3, 4), apart=3.0, own=0.8, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(K, size=n)
    X = rng.normal(size=(n, d)) + apart * np.eye(max(K, d))[truth, :d]
    codes = [np.where(rng.random(n) < own, (truth + j) % m, rng.integers(m, size=n)) for j, m in enumerate(sizes)]
    return X, codes, truth


def table_of(X, codes):
    columns = (*X.T, *(words(LETTERS[code]) for code in codes))
    return MixedTable(tuple(f"x{j}" for j in range(len(columns))), columns)


def encoded(X, codes):
    return np.hstack([X, *(one_hot(code) for code in codes)])


# Which columns are categories


def test_numbers_and_categories_may_come_in_any_order_and_unit():
    X, codes = untold()
    columns = Columns.of(np.c_[7.0 * one_hot(codes[1]) - 2.0, X, np.full(400, 3.0), 5.0 * codes[0]])
    assert columns.numbers.tolist() == [3, 4]
    assert [block.tolist() for block in columns.blocks] == [[0, 1, 2], [6]]
    cells = columns.cells(np.c_[7.0 * one_hot(codes[1]) - 2.0, X, np.full(400, 3.0), 5.0 * codes[0]])
    np.testing.assert_array_equal(cells, np.hstack([one_hot(codes[1]), one_hot(codes[0])]))
    np.testing.assert_array_equal(columns.column, [0, 0, 0, 1, 1])


def test_numbers_that_are_mostly_zero_are_no_categories():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((300, 2)) < 0.7, 0.0, rng.random((300, 2)))
    assert Columns.of(X).numbers.tolist() == [0, 1]


def test_a_column_that_hardly_varies_is_not_looked_at_as_categories():
    X, codes = untold()
    assert Columns.of(np.c_[X, codes[0]]).categories(np.c_[X, codes[0]]) is not None
    faint = np.c_[X, 0.01 * codes[0]]
    assert Columns.of(faint).categories(faint) is None
    only = one_hot(codes[1])
    assert Columns.of(only).categories(only) is None


# Their latent variables


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.9, 0.1), (0.2, 0.3, 0.5), (0.6, 0.1, 0.1, 0.1, 0.1)])
def test_latent_variables_are_normal_and_have_the_variance_of_the_categories(shares):
    n = 20_000
    codes = np.random.default_rng(0).choice(len(shares), n, p=shares)
    X = np.c_[np.zeros(n), one_hot(codes)]
    X[:, 0] = np.random.default_rng(1).normal(size=n)
    Y = Columns.of(X).with_latent_variables(X, 0)[:, 1:]
    assert Y.shape[1] == len(shares) - 1
    assert Y.var(axis=0).sum() == pytest.approx(X[:, 1:].var(axis=0).sum())
    Z = Y / Y.std()
    np.testing.assert_allclose(np.cov(Z.T), np.eye(len(shares) - 1), atol=0.05)
    for direction in np.random.default_rng(2).normal(size=(3, len(shares) - 1)):
        along = Z @ direction / np.linalg.norm(direction)
        assert kstest((along - along.mean()) / along.std(), "norm").pvalue > 0.001


def test_latent_variables_of_categories_lie_apart_and_a_threshold_parts_two():
    codes = np.random.default_rng(0).choice(3, 3000, p=(0.2, 0.3, 0.5))
    X = np.c_[np.random.default_rng(1).normal(size=3000), one_hot(codes)]
    Y = Columns.of(X).with_latent_variables(X, 0)[:, 1:]
    means = np.array([Y[codes == k].mean(axis=0) for k in range(3)])
    nearest = np.linalg.norm(Y[:, None] - means, axis=2).argmin(axis=1)
    assert (nearest == codes).mean() > 0.8
    two = np.c_[X[:, 0], codes == 2]
    y = Columns.of(two).with_latent_variables(two, 0)[:, 1] * (
        1 if codes[0] != 2 else -1
    )  # the first row's is the lower
    assert y[codes == 2].min() > y[codes != 2].max()


def test_numbers_stay_and_seeds_decide():
    X, codes = untold()
    rows = encoded(X, codes)
    first, same, other = (Columns.of(rows).with_latent_variables(rows, seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first[:, :2], X)
    np.testing.assert_array_equal(first, same)
    assert not np.allclose(first[:, 2:], other[:, 2:])


def test_names_of_categories_and_the_order_of_columns_change_no_latent_variable():
    X, codes = untold(sizes=(3, 4))
    rows, other = encoded(X, codes), encoded(X, [3 - codes[1], codes[0]])
    first, second = (Columns.of(Y).with_latent_variables(Y, 0) for Y in (rows, other))
    np.testing.assert_allclose(first[:, [0, 1, 4, 5, 6, 2, 3]], second, atol=1e-12)


def test_a_cell_that_was_filled_in_is_drawn_by_what_it_was_filled_with():
    X, codes = untold(n=4000, sizes=(2,))
    cells = one_hot(codes[0])
    cells[:1000] = (0.25, 0.75)
    rows = np.c_[X, cells]
    y = -Columns.of(rows).with_latent_variables(rows, 0)[:, 2]  # what the first row has most of is the lower
    cut = (y[1000:][codes[0][1000:] == 1].min() + y[1000:][codes[0][1000:] == 0].max()) / 2
    assert abs((y[:1000] > cut).mean() - 0.75) < 0.05


# Components of numbers and categories


def test_the_likelihood_is_that_of_numbers_and_categories_together():
    X, codes, truth = classes()
    table = Categories.of(np.hstack([one_hot(code) for code in codes]))
    found = climb(
        Items.of(X, np.ones(400), "full", scatter=np.cov(X.T)),
        np.eye(2)[truth],
        categories=table,
        max_iter=50,
        tol=1e-9,
    )
    assert found.log_probabilities.shape == (2, 10)
    joint = log_joint(found.components, X) + table.cells @ found.log_probabilities.T
    assert logsumexp(joint, axis=1).sum() == pytest.approx(found.log_likelihood)
    np.testing.assert_allclose(np.exp(found.log_probabilities).sum(axis=1), 3.0)  # one for each column


def test_one_component_of_both_is_the_product_of_a_normal_distribution_and_shares():
    X, codes = untold(sizes=(3,))
    table = Categories.of(one_hot(codes[0]))
    found = climb(
        Items.of(X, np.ones(400), "full", scatter=np.cov(X.T)), np.ones((400, 1)), categories=table, max_iter=5, tol=0.0
    )
    counts = np.bincount(codes[0])
    of_numbers = multivariate_normal(X.mean(axis=0), np.cov(X.T, bias=True)).logpdf(X).sum()
    assert found.log_likelihood == pytest.approx(of_numbers + counts @ np.log((counts + 0.5) / (400 + 1.5)))


def test_the_bic_counts_free_probabilities_of_categories():
    X, codes = untold(sizes=(2, 3))
    both, alone = (Components().fitted(rows, 1, np.random.default_rng(0)) for rows in (encoded(X, codes), X))
    counts = [np.bincount(code) for code in codes]
    of_categories = sum(each @ np.log((each + 0.5) / (400 + len(each) / 2)) for each in counts)
    added = (both.full or both).bic - (alone.full or alone).bic
    assert added == pytest.approx(of_categories - 3 / 2 * np.log(400))


def test_the_simpler_shape_beside_categories_has_a_variance_for_each_column():
    X, codes, truth = classes(n=300, K=3, d=6, apart=4.0)
    X[:, 0] *= 5.0
    fit = Components().fitted(encoded(X, codes), 3, np.random.default_rng(0), [truth])
    U = fit.components.whiteners
    np.testing.assert_allclose(U, U * np.eye(6), atol=1e-12)
    assert fit.full is not None
    assert (U[:, 0, 0] < 0.5 * U[:, 1, 1]).all()


@pytest.mark.parametrize("n_clusters", [1, 2, 3])
def test_components_score_the_items_they_were_fitted_to_as_they_are(n_clusters):
    X, codes, _ = classes()
    rows = encoded(X, codes)
    fit = Components().fitted(rows, n_clusters, np.random.default_rng(0))
    np.testing.assert_allclose(fit.clustering.score(rows), fit.clustering.membership, atol=1e-9)
    assert fit.clustering.fits == fit.fits


def test_components_are_told_apart_by_categories_alone():
    X, codes, truth = classes(apart=0.0, own=0.9, sizes=(2, 3, 4, 2, 3))
    fits = {K: Components().fitted(encoded(X, codes), K, np.random.default_rng(0)) for K in (1, 2, 3)}
    assert max(fits, key=lambda K: fits[K].bic) == 2
    assert adjusted_rand_index(fits[2].clustering.labels, truth) > 0.9
    assert of_one_cluster(fits[2], fits[1]) < -10  # the categories are hardly those of one cluster
    X, codes = untold()
    one = Components().fitted(encoded(X, codes), 1, np.random.default_rng(0))
    alone = Components().fitted(X, 1, np.random.default_rng(0))
    assert of_one_cluster(one, one) > of_one_cluster(alone, alone) > 0


def test_a_mixture_that_fits_is_believed_the_more_its_clusters_explain():
    X, codes, truth = classes()
    table = Categories.of(np.hstack([one_hot(code) for code in codes]))
    none = np.random.default_rng(9).integers(2, size=400)
    assert explained(table, none) == 0.0 < explained(table, truth)
    assert told_by_categories(None, truth, none, fits=True) == 0.0
    fitting, other, alike = (
        told_by_categories(table, *both, fits=True) for both in ((truth, none), (none, truth), (truth, truth))
    )
    assert other < alike < fitting
    rejected = told_by_categories(table, truth, none, fits=False)
    assert fitting - rejected == pytest.approx(3.5)
    assert told_by_categories(table, none, none, fits=False) < 0.0 < rejected
    judge = Validity.of(X)
    assert probability_of_components(judge, truth, none, more=2.0) > probability_of_components(judge, truth, none)


# Fits


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("sizes", [(2,), (2, 3)])
def test_categories_that_tell_nothing_are_no_clusters(sizes, seed):
    X, codes = untold(sizes=sizes, seed=seed)
    model = SoftClustering(random_state=0).fit(table_of(X, codes))
    assert model.n_clusters_ == 1
    assert (model.outlier_ > 0.5).mean() <= 0.01


@pytest.mark.parametrize(("K", "apart", "own"), [(2, 3.0, 0.8), (3, 4.0, 0.6), (3, 1.0, 0.9)])
def test_classes_of_numbers_and_categories_are_found(K, apart, own):
    X, codes, truth = classes(n=500, K=K, d=3, sizes=(3, 4, 3, 5), apart=apart, own=own, seed=K)
    model = SoftClustering(random_state=0).fit(table_of(X, codes))
    assert model.n_clusters_ == K
    assert adjusted_rand_index(model.labels_, truth) > 0.85
    given = SoftClustering(K, random_state=0).fit(table_of(X, codes))
    assert adjusted_rand_index(given.labels_, truth) > 0.85


def test_shapes_are_found_beside_categories_that_tell_nothing():
    rng = np.random.default_rng(0)
    angle, truth = rng.uniform(0, 2 * np.pi, 500), np.repeat([0, 1], 250)
    X = np.where(truth == 0, 1.0, 3.0)[:, None] * np.c_[np.cos(angle), np.sin(angle)] + 0.1 * rng.normal(size=(500, 2))
    _, codes = untold(500)
    model = SoftClustering(2, random_state=0).fit(table_of(X, codes))
    assert adjusted_rand_index(model.labels_, truth) > 0.95


def test_a_yes_or_no_of_an_array_is_a_category():
    X, codes = untold(sizes=(2,))
    assert SoftClustering(random_state=0).fit(np.c_[X, codes[0]]).n_clusters_ == 1


def test_a_rare_category_is_no_outlier_and_a_far_number_is():
    X, codes, _ = classes(n=600, apart=6.0)
    codes[0][:3] = 4
    X[5] = (40.0, -40.0)
    model = SoftClustering(2, random_state=0).fit(table_of(X, codes))
    assert (model.outlier_[:3] < 0.5).all()
    assert model.outlier_[5] > 0.5


def test_memberships_of_such_tables_are_not_those_of_a_density():
    X, codes, _ = classes(n=300)
    for slip in (0.0, 1e6):
        X[7, 0] += slip
        model = SoftClustering(2, random_state=0).fit(table_of(X, codes))
        assert not hasattr(model, "calibration_")
        assert "categories" in model.chosen_["probabilities"].why


@pytest.mark.parametrize("K", [1, 2])
def test_ratings_beside_a_category_are_spread_and_the_category_is_not(K):
    rng = np.random.default_rng(K)
    truth = rng.integers(K, size=1000)
    X = np.clip(np.round(rng.normal(size=(1000, 2)) + 3 + 4.0 * truth[:, None] * [1, 0]), 1, 9)
    codes = [rng.integers(2, size=1000)]
    rows, counts = np.unique(encoded(X, codes), axis=0, return_counts=True)
    points = SpreadRows.of(rows, counts.astype(float), 1000).points
    assert np.isin(points[:, 2:], (0.0, 1.0)).all()
    assert len(np.unique(points[:, 0])) > 900
    model = SoftClustering(random_state=0).fit(table_of(X, codes))
    assert model.n_clusters_ == K
    if K > 1:
        assert adjusted_rand_index(model.labels_, truth) > 0.7


def test_where_the_number_is_given_methods_see_latent_variables():
    X, _, truth = classes(apart=4.0)
    rows = encoded(X, [np.random.default_rng(7).integers(2, size=400)])
    for draw in Ensemble(methods=("genie", "mutual"), n_draws=2).build(rows, n_clusters=2).draws:
        assert adjusted_rand_index(draw.labels, truth) > 0.8


def test_where_the_number_is_given_a_mixture_that_fits_has_most_of_the_evidence():
    X, codes, _ = classes(apart=1.5, own=0.7)
    names = ("mixture", "graph", "modularity", "mutual", "genie", "density", "components")
    evidence = Ensemble(methods=names, power=None, n_draws=1).build(encoded(X, codes), n_clusters=2)
    assert sum(draw.weight for draw in evidence.draws if draw.method == "components") > 0.9


def test_evidence_does_not_depend_on_how_many_items_a_draw_sees():
    X, codes, truth = classes(n=900, K=3, d=3, apart=4.0, seed=3)
    rows = encoded(X, codes)
    names = (*("mixture", "graph", "modularity", "mutual", "genie", "density"), "components")
    few = Ensemble(methods=names, power=None, n_draws=2, max_items=300)
    evidence = few.build(rows, n_clusters=3)
    alone = [draw for draw in evidence.draws if draw.method == "components"]
    assert adjusted_rand_index(alone[0].labels, truth) > 0.85
    assert evidence.affinity.n_items == 900
