"""Laws of the generators: dimensions, ranks, lengths, moments within Monte Carlo error.

Moments are held to five standard errors, which a right generator misses once in two million comparisons; seeds are
fixed, so a pass stays a pass.
"""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from partita.datasets import (
    BLOCK_GUESSES,
    block_stochastic,
    eight_configurations,
    gaussian_configuration,
    group_test,
    load_dataset,
    noise_test,
    six_shapes,
    union_of_subspaces,
)
from partita.datasets.six_shapes import half_moons
from partita.errors import InputError
from partita.metrics import adjusted_rand_index

ERRORS = 5.0
# As printed in Table 2, by hand.
PRINTED_COVARIANCES = ([[2, -0.8], [-0.8, 1]], [[1, 0.8], [0.8, 2]], [[1, 0.4], [0.4, 1]], [[2, 0], [0, 2]])
PRINTED_MEANS = {
    "T": [(3, 3), (-3, 3), (-3, -3), (3, -3)],
    "F": [(1.5, 1.5), (-1.5, 1.5), (-1.5, -1.5), (1.5, -1.5)],
}


def rng(seed=0):
    return np.random.default_rng(seed)


# Subspaces


@pytest.mark.parametrize("dimensions", [(1,), (2, 4, 6, 8, 10), (50, 3)])
def test_without_noise_each_group_spans_a_subspace_of_its_dimension_with_points_of_length_one(dimensions):
    X, truth = union_of_subspaces(dimensions, 0.0, rng())
    assert X.shape == (50 * len(dimensions), 50)
    np.testing.assert_array_equal(np.bincount(truth), 50)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1, rtol=1e-12)  # rounding of a norm of 50 terms
    for k, d in enumerate(dimensions):
        s = np.linalg.svd(X[truth == k], compute_uv=False)
        assert (s > 1e-10).sum() == d  # below is rounding of vectors of length one


def test_subspaces_differ():
    X, truth = union_of_subspaces((2, 4, 6), 0.0, rng())
    assert np.linalg.matrix_rank(X) == 12
    assert len(truth) == len(X)


@pytest.mark.parametrize("rho", [0.05, 0.5])
def test_noise_moves_every_point_by_its_length(rho):
    clean, noisy = noise_test(0.0, rng(1))[0], noise_test(rho, rng(1))[0]
    np.testing.assert_allclose(np.linalg.norm(noisy - clean, axis=1), rho, rtol=1e-10)  # rounding, relative to 1 / rho


def test_points_and_noise_are_uniform_in_direction():
    n, d, ambient = 4000, 3, 6
    clean, _ = union_of_subspaces((d,), 0.0, rng(2), ambient=ambient, points=n)
    noisy, _ = union_of_subspaces((d,), 0.3, rng(2), ambient=ambient, points=n)
    inside = clean @ np.linalg.svd(clean, full_matrices=False)[2][:d].T
    for V, dimension in ((inside, d), ((noisy - clean) / 0.3, ambient)):
        # A unit vector has mean 0, covariance I / d, entries of variance 1 / d and squares of variance below 2 / d^2.
        assert np.abs(V.mean(axis=0)).max() < ERRORS * np.sqrt(1 / dimension / n)
        assert np.abs(V.T @ V / n - np.eye(dimension) / dimension).max() < ERRORS * np.sqrt(2 / n) / dimension


@pytest.mark.parametrize("K", [1, 5, 12])
def test_the_groups_of_the_number_test_have_even_dimensions(K):
    X, truth = group_test(K, rng(3))
    assert truth.max() + 1 == K
    clean, _ = union_of_subspaces([2 * k for k in range(1, K + 1)], 0.0, rng(3))
    np.testing.assert_allclose(np.linalg.norm(X - clean, axis=1), 0.05, rtol=1e-10)


@pytest.mark.parametrize(
    ("dimensions", "noise", "points"), [((), 0.1, 5), ((0,), 0.1, 5), ((51,), 0.1, 5), ((2,), -0.1, 5), ((2,), 0.1, 0)]
)
def test_subspaces_that_do_not_fit_are_refused(dimensions, noise, points):
    with pytest.raises(InputError):
        union_of_subspaces(dimensions, noise, rng(), points=points)


# Gaussian configurations


def test_the_eight_are_those_of_table_2():
    names = ["TTT", "TTF", "TFT", "TFF", "FTT", "FTF", "FFT", "FFF"]
    assert [configuration.name for configuration in eight_configurations()] == names
    for configuration in eight_configurations():
        separated, balanced, spherical = configuration.name
        np.testing.assert_array_equal(configuration.means, PRINTED_MEANS[separated])
        assert configuration.sizes == ((100, 100, 100, 100) if balanced == "T" else (150, 50, 100, 30))
        expected = [np.eye(2)] * 4 if spherical == "T" else PRINTED_COVARIANCES
        np.testing.assert_array_equal(configuration.covariances, expected)


@pytest.mark.parametrize("name", ["TTT", "FFF", "TFT"])
def test_draws_have_the_printed_sizes_means_and_covariances(name):
    generator = rng(4)
    draws = [gaussian_configuration(name, generator) for _ in range(200)]
    sizes = (100, 100, 100, 100) if name[1] == "T" else (150, 50, 100, 30)
    assert all(np.bincount(truth).tolist() == list(sizes) for _, truth in draws)
    X, truth = np.concatenate([X for X, _ in draws]), np.concatenate([truth for _, truth in draws])
    for k in range(4):
        own = X[truth == k] - PRINTED_MEANS[name[0]][k]
        S = np.array(np.eye(2) if name[2] == "T" else PRINTED_COVARIANCES[k])
        n, variances = len(own), np.diag(S)
        assert (np.abs(own.mean(axis=0)) < ERRORS * np.sqrt(variances / n)).all()
        # Variance of a product of two normals: S_ii S_jj + S_ij^2.
        error = np.sqrt((variances[:, None] * variances + S**2) / n)
        assert (np.abs(own.T @ own / n - S) < ERRORS * error).all()


def test_the_posterior_is_bayes_rule():
    for configuration in eight_configurations():
        X = rng(5).normal(size=(50, 2)) * 3
        density = np.stack(
            [
                n * multivariate_normal(mean, S).pdf(X)
                for n, mean, S in zip(configuration.sizes, configuration.means, configuration.covariances, strict=True)
            ],
            axis=1,
        )
        expected = density / density.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(configuration.posterior(X), expected, rtol=1e-9, atol=1e-15)  # rounding of exponents


@pytest.mark.parametrize(("name", "mean"), [("TTT", 3.0), ("FTT", 1.5)])
def test_the_rule_that_knows_the_parameters_is_right_as_often_as_the_normal_table_says(name, mean):
    """Spherical and balanced: the rule goes by the signs of both coordinates, right with Phi(mean)^2."""
    configuration = next(each for each in eight_configurations() if each.name == name)
    generator, right = rng(6), []
    for _ in range(100):
        X, truth = configuration.draw(generator)
        right.append((configuration.posterior(X).argmax(axis=1) == truth).mean())
    p = norm.cdf(mean) ** 2
    assert abs(np.mean(right) - p) < ERRORS * np.sqrt(p * (1 - p) / (400 * len(right)))


@pytest.mark.parametrize(("name", "found"), [("TTT", 0.994), ("TFF", 0.984), ("FTT", 0.696), ("FFF", 0.707)])
def test_the_true_parameters_score_as_they_did_elsewhere(name, found):
    """Means over ten draws of an independent prototype; a draw has a standard deviation of at most .04."""
    configuration = next(each for each in eight_configurations() if each.name == name)
    generator, scores = rng(7), []
    for _ in range(40):
        X, truth = configuration.draw(generator)
        scores.append(adjusted_rand_index(configuration.posterior(X).argmax(axis=1), truth))
    error = np.std(scores) * np.sqrt(1 / 10 + 1 / len(scores))
    assert abs(np.mean(scores) - found) < ERRORS * error + 0.0005  # printed to three decimals
    assert np.std(scores) < 0.05


def test_an_unknown_configuration_is_refused():
    with pytest.raises(InputError, match="TTT"):
        gaussian_configuration("TTX", rng())


# Block affinities


@pytest.mark.parametrize("guess", BLOCK_GUESSES)
def test_block_affinities_are_symmetric_with_the_means_asked_for(guess):
    n, within, between = 400, 0.5, 0.1
    S, truth = block_stochastic(guess, rng(8), n_items=n)
    assert S.shape == (n, n)
    assert len(np.unique(truth)) == 5
    np.testing.assert_array_equal(S, S.T)
    assert S.min() >= 0
    same = truth[:, None] == truth
    for pairs, mean in ((same, within), (~same, between)):
        # A pair stands twice: half as many are independent. Its standard deviation is below that of a coin.
        assert abs(S[pairs].mean() - mean) < ERRORS * np.sqrt(mean * (1 - mean) / (pairs.sum() / 2))
    assert S[same].mean() > S[~same].mean()


@pytest.mark.parametrize("guess", ["stochastic", "degrees"])
def test_block_stochastic_is_what_it_says(guess):
    S, truth = block_stochastic(guess, rng(9))
    transition = S / S.sum(axis=1, keepdims=True)
    sums = np.stack([transition[:, truth == k].sum(axis=1) for k in range(5)], axis=1)
    for k in range(5):
        assert np.ptp(sums[truth == k], axis=0).max() < 1e-9  # the scaling stops at 1e-13, over 100 terms
    # Meila and Shi: then the K leading eigenvectors of D^-1 S are constant on the blocks.
    values, vectors = np.linalg.eig(transition)
    leading = vectors[:, np.argsort(-values.real)[:5]].real
    for k in range(5):
        assert np.ptp(leading[truth == k], axis=0).max() < 1e-6  # errors of the matrix over the eigengap
    assert np.ptp(S[np.ix_(truth == 0, truth == 0)]) > 0.1  # and yet there is noise


def test_guesses_differ_as_described():
    made = {guess: block_stochastic(guess, rng(10)) for guess in BLOCK_GUESSES}
    assert np.bincount(made["unequal"][1]).tolist() == [10, 15, 20, 25, 30]
    assert set(np.unique(made["bernoulli"][0])) == {0.0, 1.0}
    degrees = made["degrees"][0].sum(axis=1)
    assert degrees.max() / degrees.min() > 5
    assert all(np.bincount(made[guess][1]).tolist() == [20] * 5 for guess in BLOCK_GUESSES if guess != "unequal")
    assert made["uniform"][0].max() <= 1


@pytest.mark.parametrize(
    ("guess", "options"),
    [
        ("nested", {}),
        ("uniform", {"within": 0.6}),
        ("uniform", {"between": 0.0}),
        ("uniform", {"between": 0.5}),
        ("uniform", {"n_blocks": 51}),
        ("uniform", {"n_blocks": 0}),
    ],
)
def test_blocks_that_cannot_be_are_refused(guess, options):
    with pytest.raises(InputError):
        block_stochastic(guess, rng(), **options)


# Shapes


@pytest.mark.data
def test_the_six_shapes_have_the_paper_s_numbers_of_clusters(data_home):
    shapes = six_shapes(rng(11), home=data_home)
    assert [shape.pattern for shape in shapes] == [1, 2, 3, 4, 5, 6]
    assert [shape.n_clusters for shape in shapes] == [3, 5, 3, 3, 3, 2]
    assert [shape.n_classes for shape in shapes] == [3, 5, 3, 3, 2, 2]
    for shape in shapes:
        assert len(np.unique(shape.truth)) == shape.n_classes
        assert shape.X.shape == (len(shape.truth), 2)
    for at, name in ((0, "zelnik1"), (1, "zelnik4"), (2, "zelnik3")):
        np.testing.assert_array_equal(shapes[at].X, load_dataset(name, home=data_home).X)
        assert shapes[at].origin == name
    assert [shape.certainty for shape in shapes].count("stand-in") == 2


@pytest.mark.data
def test_no_other_file_has_five_classes(data_home):
    five = [k for k in range(1, 7) if load_dataset(f"zelnik{k}", home=data_home).n_clusters == 5]
    assert five == [4]


@pytest.mark.data
def test_generated_shapes_have_their_means(data_home):
    shapes = six_shapes(rng(12), home=data_home)
    for shape, apart in ((shapes[3], 3.5), (shapes[4], 4.0)):
        means = np.stack([shape.X[shape.truth == k].mean(axis=0) for k in range(shape.n_classes)])
        # Each mean of 100 normals of variance 1 is off by .1; a distance of two by .1 sqrt(2).
        for a in range(len(means)):
            for b in range(a):
                assert abs(np.linalg.norm(means[a] - means[b]) - apart) < ERRORS * 0.1 * np.sqrt(2)


def test_half_moons_without_noise_are_half_circles():
    X, truth = half_moons(rng(13), noise=0.0)
    for k, centre, side in ((0, (0, 0), 1), (1, (1, 0.5), -1)):
        arm = X[truth == k] - centre
        np.testing.assert_allclose(np.linalg.norm(arm, axis=1), 1, rtol=1e-12)  # rounding
        assert (side * arm[:, 1] >= 0).all()


@pytest.mark.parametrize(
    "make",
    [
        lambda generator: noise_test(0.2, generator),
        lambda generator: gaussian_configuration("FTF", generator),
        lambda generator: block_stochastic("stochastic", generator),
        half_moons,
    ],
)
def test_the_same_seed_gives_the_same_items_and_another_gives_others(make):
    (a, labels), (b, again), (c, _) = make(rng(14)), make(rng(14)), make(rng(15))
    np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(labels, again)
    assert not np.array_equal(a, c)
