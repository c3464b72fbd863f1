"""Joint-distribution tests of the samplers [geweke2004], and the exact posterior where every partition can be listed.

Items, partition, alpha and parameters have one joint distribution. It is drawn from in two ways: forwards, prior first;
and by turns, new items given the partition, then a sweep of the sampler given the items. A sampler that leaves the
posterior invariant makes both agree in every statistic. The forward draws are NumPy's alone: an inverse-Wishart matrix
is the inverse of a sum of outer products of normal vectors.
"""

import functools
import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import invwishart, multivariate_normal, multivariate_t, norm

from partita.mixture import (
    Auxiliary,
    Collapsed,
    GammaPrior,
    IndependentNormalInverseWishart,
    NormalInverseWishart,
    Slice,
    sample_partitions,
)
from partita.mixture.base import Kept, MixtureModel
from partita.mixture.concentration import concentration
from partita.mixture.units import Units
from synthetic import all_partitions

# Standard errors that two means may be apart. About 8 statistics in 14 cases are compared: by chance alone one of them
# would be beyond 4.5 once in a thousand suites. The seeds are fixed; sabotaged samplers are beyond 10.
FARTHEST = 4.5
FORWARD, BY_TURNS, BATCHES = 30_000, 15_000, 50

CONJUGATE = {
    d: NormalInverseWishart(mean=np.full(d, 0.3), mean_precision=0.4, degrees_of_freedom=d + 3, scale=np.eye(d) + 0.3)
    for d in (1, 2)
}
INDEPENDENT = {
    d: IndependentNormalInverseWishart(
        mean=np.full(d, -0.2), mean_covariance=2 * np.eye(d) + 0.5, degrees_of_freedom=d + 3, scale=np.eye(d) + 0.2
    )
    for d in (1, 2)
}
PRIORS = (CONJUGATE, INDEPENDENT)
CASES = [
    *[(Collapsed(split_merge=0), CONJUGATE[d], d) for d in (1, 2)],
    *[(Collapsed(split_merge=2, scans=2), CONJUGATE[d], d) for d in (1, 2)],
    *[(Collapsed(split_merge=1, scans=0), CONJUGATE[d], d) for d in (1, 2)],
    *[(sampler, prior[d], d) for sampler in (Auxiliary(), Slice()) for prior in PRIORS for d in (1, 2)],
]


def named(value):
    return str(value) if not hasattr(value, "name") else f"{value.name}-{getattr(value, 'split_merge', '')}"


def plain(d):
    """Units that change nothing."""
    return Units(np.zeros(d), np.ones(d), np.zeros(d, dtype=bool))


@functools.cache
def roots(prior):
    """Roots of the precision that the covariances have in the mean, and of the means' covariance if it is fixed."""
    spread = None if prior.conjugate else np.linalg.cholesky(prior.mean_covariance)
    return np.linalg.cholesky(np.linalg.inv(prior.scale)), spread


def drawn_parameters(prior, K, rng):
    """Means and roots L of covariances L L^T of K components from the prior."""
    (root, spread), nu = roots(prior), prior.degrees_of_freedom
    d = len(root)
    Z = rng.normal(size=(K, nu, d)) @ root.T
    L = np.linalg.cholesky(np.linalg.inv(Z.transpose(0, 2, 1) @ Z))
    spread = L / math.sqrt(prior.mean_precision) if spread is None else spread
    return np.asarray(prior.mean) + (spread @ rng.normal(size=(K, d, 1)))[..., 0], L


def drawn_items(labels, parameters, rng):
    mean, L = parameters
    return mean[labels] + (L[labels] @ rng.normal(size=(len(labels), mean.shape[1], 1)))[..., 0]


def restaurants(n, alpha, rng):
    """A partition for each alpha, by the Chinese restaurant's own rule: sit with j others in proportion to j, alone to
    alpha.
    """
    every = np.arange(len(alpha))
    labels, sizes = np.zeros((len(alpha), n), dtype=np.int64), np.zeros((len(alpha), n))
    sizes[:, 0] = 1
    for i in range(1, n):
        at = rng.random(len(alpha)) * (i + alpha)
        passed = (np.cumsum(sizes, axis=1) <= at[:, None]).sum(axis=1)
        labels[:, i] = np.minimum(passed, (sizes > 0).sum(axis=1))
        sizes[every, labels[:, i]] += 1
    return labels


def statistics(X, labels, alpha):
    """Of each partition, of its alpha, and of its items within and between clusters."""
    sizes = (labels[:, :, None] == np.arange(labels.shape[1])).sum(axis=1)
    bounded = np.tanh(X)
    together = labels[:, :, None] == labels[:, None, :]
    return np.column_stack(
        [
            (sizes > 0).sum(axis=1),
            sizes.max(axis=1),
            np.square(sizes).sum(axis=1),
            (sizes == 1).sum(axis=1),
            labels[:, 0] == labels[:, -1],
            np.log(alpha),
            bounded[:, :, 0].mean(axis=1),
            (together * (bounded @ bounded.transpose(0, 2, 1))).mean(axis=(1, 2)),
        ]
    )


@functools.cache
def forwards(prior, gamma, n):
    rng = np.random.default_rng(1)
    alpha = rng.gamma(gamma.shape, 1 / gamma.rate, size=FORWARD)
    labels = restaurants(n, alpha, rng)
    own = labels + n * np.arange(FORWARD)[:, None]  # components of its own for each partition
    X = drawn_items(own.ravel(), drawn_parameters(prior, n * FORWARD, rng), rng)
    return statistics(X.reshape(FORWARD, n, -1), labels, alpha)


def by_turns(sampler, prior, gamma, n, d, rng):
    """New items given the partition (and the components that the sampler keeps), then one sweep."""
    labels = restaurants(n, np.array([gamma.mean]), rng)[0]
    X = drawn_items(labels, drawn_parameters(prior, labels.max() + 1, rng), rng)
    arrays = prior.arrays(X, plain(d))
    state = sampler.start(MixtureModel(X, arrays, concentration(gamma)), labels, rng)
    nothing = Kept(np.empty((0, n), dtype=np.int16), np.empty(0, dtype=np.int64), np.empty(0), np.empty(0))
    items, partitions = np.empty((BY_TURNS, n, d)), np.empty((BY_TURNS, n), dtype=np.int64)
    alphas = np.empty(BY_TURNS)
    for t in range(BY_TURNS):
        K = state.labels.max() + 1
        if state.components is None:
            parameters = drawn_parameters(prior, K, rng)
        else:
            parameters = state.components.mean, np.linalg.inv(np.triu(state.components.whitener[:K]))
        items[t] = X = drawn_items(state.labels, parameters, rng)
        state = sampler.advance(MixtureModel(X, arrays, concentration(gamma)), state, rng, 1, 1, nothing)
        partitions[t], alphas[t] = state.labels, state.alpha
    return statistics(items, partitions, alphas)


@pytest.mark.parametrize(("sampler", "prior", "d"), CASES, ids=named)
def test_items_and_partitions_drawn_by_turns_are_those_drawn_forwards(sampler, prior, d):
    gamma, n = GammaPrior(2.0, 1.5), 6
    direct = forwards(prior, gamma, n)
    turns = by_turns(sampler, prior, gamma, n, d, np.random.default_rng(2))
    batches = turns.reshape(BATCHES, -1, turns.shape[1]).mean(axis=1)  # longer than the draws remember
    error = np.sqrt(direct.var(axis=0) / FORWARD + batches.var(axis=0, ddof=1) / BATCHES)
    z = (turns.mean(axis=0) - direct.mean(axis=0)) / error
    assert np.abs(z).max() < FARTHEST, z.round(1)


def student_marginal(X, prior):
    """Density of items together, by the chain of SciPy's Student predictives."""
    m, kappa = np.asarray(prior.mean, dtype=float), prior.mean_precision
    nu, S, d = prior.degrees_of_freedom, np.asarray(prior.scale, dtype=float), X.shape[1]
    total = 0.0
    for x in X:
        freedom = nu - d + 1
        total += multivariate_t(m, S * (kappa + 1) / (kappa * freedom), df=freedom).logpdf(x)
        S = S + kappa / (kappa + 1) * np.outer(x - m, x - m)
        m = (kappa * m + x) / (kappa + 1)
        kappa, nu = kappa + 1, nu + 1
    return total


def quadrature_marginal(X, prior):
    """The same with mean and variance independent, d = 1: the mean integrated by hand, the variance by quadrature."""
    n = len(X)
    tau, m = float(np.asarray(prior.mean_covariance)[0, 0]), float(np.asarray(prior.mean)[0])
    variance = invwishart(prior.degrees_of_freedom, np.asarray(prior.scale))

    def density(log_variance):
        v = math.exp(log_variance)
        joint = multivariate_normal(np.full(n, m), v * np.eye(n) + tau).pdf(X[:, 0])
        return joint * variance.pdf(v) * v

    return math.log(quad(density, -6, 8, epsabs=0, epsrel=1e-9, limit=200)[0])


@functools.cache
def exact_posterior(d, prior, alpha):
    """Probability of every partition of ITEMS[d]: CRP prior times the clusters' marginal densities."""
    X, marginal = ITEMS[d], student_marginal if prior.conjugate else quadrature_marginal
    listed, cached, logs = all_partitions(len(X)), {}, []
    for labels in listed:
        total = 0.0
        for k in range(labels.max() + 1):
            own = tuple(np.flatnonzero(labels == k))
            if own not in cached:
                cached[own] = marginal(X[list(own)], prior)
            total += cached[own] + math.log(alpha) + math.lgamma(len(own))
        logs.append(total)
    p = np.exp(np.array(logs) - max(logs))
    return listed, p / p.sum()


ITEMS = {
    1: np.array([[-1.6], [-1.1], [0.2], [0.9], [1.3], [3.0]]),
    2: np.array([[-1.5, 0.4], [-1.0, 0.1], [0.3, -1.2], [1.1, 1.0], [1.4, 1.6], [2.9, -0.7]]),
}
EXACT = [
    *[(Collapsed(split_merge=s, scans=c), CONJUGATE[d], d) for s, c in ((0, 0), (1, 1), (2, 3)) for d in (1, 2)],
    *[(sampler, CONJUGATE[d], d) for sampler in (Auxiliary(), Auxiliary(n_auxiliary=1), Slice()) for d in (1, 2)],
    *[(sampler, INDEPENDENT[1], 1) for sampler in (Auxiliary(), Slice())],
]


@pytest.mark.parametrize(("sampler", "prior", "d"), EXACT, ids=named)
def test_frequencies_of_partitions_are_their_posterior_probabilities(sampler, prior, d):
    X, alpha = ITEMS[d], 0.8
    listed, p = exact_posterior(d, prior, alpha)
    n_draws = 20_000
    found = sample_partitions(X, sampler=sampler, prior=prior, alpha=alpha, n_draws=n_draws, burn_in=200, seed=3)
    base = 10 ** np.arange(len(X))
    place = {int(code): at for at, code in enumerate(listed @ base)}
    index = np.array([place[int(code)] for code in found.labels.astype(int) @ base])
    seen = np.array([np.bincount(part, minlength=len(p)) for part in np.split(index, 40)]) / (n_draws / 10)
    error = seen.std(axis=0, ddof=1) / math.sqrt(len(seen))
    frequency = seen.mean(axis=0)
    common = p > 1e-3  # rarer ones are seen too few times for a normal error
    z = (frequency - p)[common] / error[common]
    assert np.abs(z).max() < FARTHEST
    assert np.square(z).mean() < 2.0  # 1 in expectation over about 100 partitions
    assert frequency[~common].sum() == pytest.approx(p[~common].sum(), abs=0.004)  # their share, within 4 errors
    together = (listed[:, :, None] == listed[:, None, :]).astype(float)
    psms = np.tensordot(seen, together, 1)[:, *np.triu_indices(len(X), 1)]
    off = psms.mean(axis=0) - np.tensordot(p, together, 1)[np.triu_indices(len(X), 1)]
    assert np.abs(off / psms.std(axis=0, ddof=1)).max() * math.sqrt(len(seen)) < FARTHEST
    assert np.abs(off).max() < 0.02  # so that an error cannot hide behind bad mixing


def test_the_log_joint_of_the_collapsed_sampler_is_the_marginal_times_the_prior():
    X, alpha, prior = ITEMS[2], 0.8, CONJUGATE[2]
    found = sample_partitions(X, prior=prior, alpha=alpha, n_draws=50, burn_in=10, seed=0)
    for labels, log_joint in zip(found.labels, found.log_joint_trace.reshape(-1)):
        expected = math.lgamma(alpha) - math.lgamma(alpha + len(X))
        for k in range(labels.max() + 1):
            own = labels == k
            expected += student_marginal(X[own], prior) + math.log(alpha) + math.lgamma(own.sum())
        assert log_joint == pytest.approx(expected, rel=1e-10)


def test_the_predictive_density_of_a_draw_is_scipys_mixture():
    X, alpha, prior = ITEMS[2], 0.8, CONJUGATE[2]
    found = sample_partitions(X, prior=prior, alpha=alpha, n_chains=1, n_draws=3, burn_in=10, seed=0)
    new = np.array([[0.0, 0.0], [5.0, -3.0]])
    for labels, log_density in zip(found.labels, found.density.log_density_by_draw(new)):
        for x, value in zip(new, log_density):
            total = alpha * math.exp(student_marginal(x[None], prior))
            for k in range(labels.max() + 1):
                own = X[labels == k]
                joint = student_marginal(np.vstack([own, x]), prior) - student_marginal(own, prior)
                total += len(own) * math.exp(joint)
            assert value == pytest.approx(math.log(total / (len(X) + alpha)), rel=1e-10)
    values = found.density.log_density_by_draw(new)
    np.testing.assert_allclose(found.density.log_density(new), np.log(np.exp(values).mean(axis=0)), rtol=1e-12)


def test_the_predictive_density_of_an_independent_prior_is_its_integral():
    # One item, one cluster or none: the predictive is that of two items together over that of one.
    X, alpha, prior = np.array([[0.7]]), 1.5, INDEPENDENT[1]
    new = np.array([[0.4], [-2.0]])
    found = sample_partitions(
        X, sampler="auxiliary", prior=prior, alpha=alpha, n_chains=4, n_draws=125 * 40, burn_in=100, seed=4
    )
    assert found.density.n_draws == 500
    densities = np.exp(found.density.log_density_by_draw(new))
    for x, seen in zip(new, densities.T):
        joined = math.exp(quadrature_marginal(np.vstack([X, x[None]]), prior) - quadrature_marginal(X, prior))
        fresh = quad(
            lambda v, x=x: (
                norm(prior.mean[0], math.sqrt(v + np.asarray(prior.mean_covariance)[0, 0])).pdf(x[0])
                * invwishart(prior.degrees_of_freedom, np.asarray(prior.scale)).pdf(v)
            ),
            1e-4,
            200,
            limit=400,
        )[0]
        expected = (joined + alpha * fresh) / (1 + alpha)
        assert abs(seen.mean() - expected) < FARTHEST * seen.std() / math.sqrt(len(seen))
