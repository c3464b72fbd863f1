"""What every sampler must do, whichever it is: a new one is in `Sampler.registry` and is tested here."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from partita.errors import InputError
from partita.metrics import adjusted_rand_index
from partita.mixture import (
    IndependentNormalInverseWishart,
    NormalInverseWishart,
    Sampler,
    sample_partitions,
)
from synthetic import blobs, similarity_of

every = pytest.mark.parametrize("name", sorted(Sampler.registry))
quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
SHORT = {"n_draws": 60, "burn_in": 40, "seed": 0}


def psm(found):
    return similarity_of(found.labels)


@quiet
@every
@pytest.mark.parametrize("d", [1, 2, 5])
def test_draws_are_partitions_numbered_by_first_appearance(name, d):
    X, _ = blobs(d=d, apart=9.0)
    found = sample_partitions(X, sampler=name, **SHORT)
    assert found.labels.shape == (240, 60)
    assert found.labels.dtype == np.int16
    assert found.chain.tolist() == np.repeat(range(4), 60).tolist()
    for labels in found.labels:
        _, first = np.unique(labels, return_index=True)
        assert (np.diff(first) > 0).all()
        assert labels.min() == 0
    assert (found.labels.max(axis=1) + 1 == found.n_clusters_trace.reshape(-1)).all()
    assert np.isfinite(found.log_joint_trace).all()
    assert (found.alpha_trace > 0).all()
    assert found.status == "completed"
    assert found.n_sweeps == 100


@quiet
@every
def test_the_same_seed_gives_the_same_draws_on_any_number_of_threads(name):
    X, _ = blobs(apart=2.0)
    one, two, other = (
        sample_partitions(X, sampler=name, n_jobs=jobs, **(SHORT | {"seed": seed}))
        for jobs, seed in ((1, 5), (2, 5), (2, 6))
    )
    np.testing.assert_array_equal(one.labels, two.labels)
    np.testing.assert_array_equal(one.alpha_trace, two.alpha_trace)
    np.testing.assert_array_equal(one.log_joint_trace, two.log_joint_trace)
    np.testing.assert_array_equal(one.density.log_density(X), two.density.log_density(X))
    assert (one.labels != other.labels).any()


@quiet
@every
def test_a_chain_does_not_depend_on_how_many_others_there_are(name):
    X, _ = blobs(apart=2.0)
    few = sample_partitions(X, sampler=name, n_chains=2, **SHORT)
    many = sample_partitions(X, sampler=name, n_chains=5, **SHORT)
    # Blocks, and so rounding, follow the spacing of the draws that the density takes: one for both.
    np.testing.assert_array_equal(few.labels, many.labels[many.chain < 2])


@quiet
@every
def test_clusters_far_apart_are_found_from_every_start(name):
    X, labels = blobs(apart=12.0)
    starts = ["kmeans", "random", labels]
    found = sample_partitions(X, sampler=name, n_chains=3, start=starts, n_draws=200, burn_in=400, seed=1)
    assert found.starts == ("kmeans", "random", "given")
    for chain in range(3):
        draws = found.labels[found.chain == chain]
        assert np.mean([adjusted_rand_index(draw, labels) for draw in draws]) > 0.85  # a stray singleton costs little


@quiet
@every
def test_the_order_of_the_items_does_not_matter(name):
    X, _ = blobs(24, apart=2.5, d=1)
    order = np.random.default_rng(3).permutation(24)
    # A prior that keeps chains mixing well, so that the Monte Carlo error is small.
    prior = NormalInverseWishart(mean=[0.0], mean_precision=0.2, degrees_of_freedom=5, scale=4.0)
    options = {"sampler": name, "prior": prior, "alpha": 1.0, "n_draws": 4000, "burn_in": 200}
    one = sample_partitions(X, seed=0, **options)
    two = sample_partitions(X[order], seed=1, **options)
    place = np.argsort(order)
    np.testing.assert_allclose(psm(one), psm(two)[np.ix_(place, place)], atol=0.08)  # of the least mixed, 4 errors


@quiet
@every
def test_powers_of_two_as_units_change_no_draw(name):
    X, _ = blobs(apart=9.0)
    one = sample_partitions(X, sampler=name, start="one", **SHORT)
    two = sample_partitions(X * [8.0, 0.25], sampler=name, start="one", **SHORT)
    np.testing.assert_array_equal(one.labels, two.labels)
    np.testing.assert_allclose(one.log_joint_trace - two.log_joint_trace, len(X) * np.log(2.0), rtol=1e-9)
    np.testing.assert_allclose(
        one.density.log_density(X) - two.density.log_density(X * [8.0, 0.25]), np.log(2.0), rtol=1e-9
    )


@quiet
@every
def test_one_item_and_constant_items_with_a_prior_of_their_own(name):
    prior = NormalInverseWishart(mean=[0.0, 0.0], degrees_of_freedom=4, scale=np.eye(2))
    alone = sample_partitions([[1.0, 2.0]], sampler=name, prior=prior, **SHORT)
    assert (alone.labels == 0).all()
    same = sample_partitions(np.ones((20, 2)), sampler=name, prior=prior, **SHORT)
    sizes = np.array([np.bincount(draw).max() for draw in same.labels])
    assert sizes.mean() > 15  # nothing tells them apart


@quiet
@every
def test_few_items_and_collinear_columns_need_a_prior_of_their_own(name):
    few = np.random.default_rng(0).normal(size=(4, 6))
    x, _ = blobs(60, d=1, apart=12.0)
    for X in (few, np.hstack([x, 2 * x, -x])):
        with pytest.raises(InputError, match=r"rank \d"):
            sample_partitions(X, sampler=name, **SHORT)
        d = X.shape[1]
        prior = NormalInverseWishart(mean=np.zeros(d), degrees_of_freedom=d + 2, scale=np.eye(d))
        found = sample_partitions(X, sampler=name, prior=prior, **SHORT)
        assert np.isfinite(found.log_joint_trace).all()
        assert np.isfinite(found.density.log_density(X)).all()


@every
@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([[1.0, np.nan], [2.0, 3.0]], r"X\[0, 1\] is nan"),
        ([[1.0, np.inf], [2.0, 3.0]], r"X\[0, 1\] is inf"),
        ([[1.0, 5.0], [2.0, 5.0]], "column 1 "),
        ([[1.0, 2.0]], "column 0 "),
        (np.empty((0, 2)), r"X .*\(0, 2\)"),
        ([["a"], ["b"]], "X .*<U1"),
        ([[1e200], [2e200]], r"X, 2e\+200"),
    ],
)
def test_wrong_input_is_named(name, X, words):
    with pytest.raises(InputError, match=words):
        sample_partitions(X, sampler=name, **SHORT)


@quiet
@every
def test_stopping_early_keeps_as_many_draws_of_every_chain(name):
    X, _ = blobs(200, apart=9.0)
    with pytest.warns(ConvergenceWarning, match="of 1000000 draws"):
        found = sample_partitions(X, sampler=name, n_draws=1_000_000, burn_in=10, max_seconds=0.5, seed=0)
    assert found.status == "max_seconds"
    assert 0 < found.n_draws < 1_000_000
    assert found.labels.shape == (4 * found.n_draws, 200)
    assert np.bincount(found.chain).tolist() == [found.n_draws] * 4
    # What there is is the beginning of the whole run.
    again = sample_partitions(X, sampler=name, n_draws=1_000_000, burn_in=10, max_seconds=0.5, seed=0, n_jobs=1)
    n = min(found.n_draws, again.n_draws)
    np.testing.assert_array_equal(found.labels[:n], again.labels[:n])


@every
def test_stopped_within_the_burn_in_there_is_one_draw_of_each_chain(name):
    X, _ = blobs(200, apart=9.0)
    with pytest.warns(ConvergenceWarning, match="of 10000005 sweeps"):
        found = sample_partitions(X, sampler=name, n_draws=5, burn_in=10_000_000, max_seconds=0.2, seed=0)
    assert found.labels.shape == (4, 200)
    assert np.isfinite(found.density.log_density(X)).all()


def test_an_independent_prior_is_refused_where_components_are_integrated_out():
    X, _ = blobs(apart=9.0)
    with pytest.raises(InputError, match="'independent'"):
        sample_partitions(X, sampler="collapsed", prior="paper", **SHORT)
    assert sample_partitions(X, prior="paper", start="one", **SHORT).sampler.name == "auxiliary"
    assert isinstance(sample_partitions(X, prior="paper", start="one", **SHORT).prior, IndependentNormalInverseWishart)


def test_an_unknown_sampler_is_named():
    with pytest.raises(InputError, match="'gibbs'"):
        sample_partitions([[1.0], [2.0]], sampler="gibbs")
