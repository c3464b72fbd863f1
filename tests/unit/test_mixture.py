"""Parts of the mixture samplers: priors, units, concentration, diagnostics, the driver, the estimator, real items."""

import math
import os
import signal
import threading
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.integrate import quad, trapezoid
from scipy.special import gammaln
from scipy.stats import invwishart, multivariate_t
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import check_estimator

from partita import BayesianPartition
from partita.errors import InputError, MemoryLimitError
from partita.estimators.dp_gaussian_mixture import DPGaussianMixture
from partita.mixture import (
    Auxiliary,
    Collapsed,
    GammaPrior,
    IndependentNormalInverseWishart,
    NormalInverseWishart,
    chain_agreement,
    effective_sample_size,
    r_hat,
    sample_partitions,
)
from partita.mixture.base import MixtureModel, numbered
from partita.mixture.chains import ChainPlan
from partita.mixture.priors import covariance
from partita.mixture.result import SampledPartitions
from partita.mixture.sample import first_labels
from partita.mixture.units import Units
from partita.partition.named_draws import NamedDraws
from synthetic import blobs, diagonal, draws_around, similarity_of

quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def pairs(d=2, n=40, apart=10.0):
    return blobs(n, 2, d, apart=apart, at=diagonal)[0]


# Priors


def test_the_density_of_an_item_alone_is_scipys_student():
    X = np.random.default_rng(0).normal(size=(30, 3)) * [1.0, 20.0, 0.1] + [5.0, 0.0, -2.0]
    S = np.array([[2.0, 0.3, 0.0], [0.3, 90.0, 0.1], [0.0, 0.1, 0.05]])
    prior = NormalInverseWishart(mean=[4.0, 1.0, -2.0], mean_precision=0.3, degrees_of_freedom=6.5, scale=S)
    units = Units.of_items(X)
    Z = units.of(X)
    model = MixtureModel(Z, prior.arrays(Z, units), (1.0, 0.0, 0.0))
    expected = multivariate_t([4.0, 1.0, -2.0], S * 1.3 / (0.3 * 4.5), df=4.5).logpdf(X)
    np.testing.assert_allclose(model.alone - units.log_volume, expected, rtol=1e-11)


@pytest.mark.parametrize("conjugate", [True, False])
def test_components_from_the_prior_have_its_moments(conjugate):
    from partita.kernels.mixture_components import empty_components
    from partita.kernels.mixture_linear import draw_from_prior

    S, T, nu, kappa = np.array([[3.0, 1.0], [1.0, 2.0]]), np.array([[4.0, -1.0], [-1.0, 1.0]]), 9, 0.5
    if conjugate:
        prior = NormalInverseWishart(mean=[1.0, -1.0], mean_precision=kappa, degrees_of_freedom=nu, scale=S)
    else:
        prior = IndependentNormalInverseWishart(mean=[1.0, -1.0], mean_covariance=T, degrees_of_freedom=nu, scale=S)
    arrays = prior.arrays(np.zeros((1, 2)), Units(np.zeros(2), np.ones(2), np.zeros(2, dtype=bool)))
    rng, n = np.random.default_rng(0), 40_000
    drawn = empty_components(n, 2)
    log_det = [draw_from_prior(arrays, drawn.mean, drawn.whitener, k, rng) for k in range(n)]
    G = np.triu(drawn.whitener)
    sigma = np.linalg.inv(np.swapaxes(G, 1, 2) @ G)
    np.testing.assert_allclose(log_det, np.log(np.abs(np.linalg.det(G))), atol=1e-9)
    # Six standard errors of means over 40,000 draws.
    np.testing.assert_allclose(sigma.mean(axis=0), invwishart(nu, S).mean(), atol=0.02)
    np.testing.assert_allclose(drawn.mean.mean(axis=0), [1.0, -1.0], atol=0.06)
    spread = invwishart(nu, S).mean() / kappa if conjugate else T
    np.testing.assert_allclose(np.cov(drawn.mean.T), spread, atol=0.15)


def test_the_scale_of_a_default_prior_is_the_covariance_of_the_items():
    X = np.random.default_rng(0).normal(size=(50, 3))
    np.testing.assert_allclose(covariance(X), np.cov(X.T, bias=True), rtol=1e-10)
    nearly = np.hstack([X[:, :1], X[:, :1] + 1e-4 * X[:, 1:2]])
    np.testing.assert_allclose(covariance(nearly), np.cov(nearly.T, bias=True), rtol=1e-10)


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        (NormalInverseWishart(mean_precision=0), "mean_precision=0"),
        (NormalInverseWishart(degrees_of_freedom=1.0), "degrees_of_freedom=1 "),
        (NormalInverseWishart(degrees_of_freedom=2.5), "degrees_of_freedom=2.5 "),
        (NormalInverseWishart(scale=np.eye(3)), "2 x 2"),
        (NormalInverseWishart(scale=[[1.0, 2.0], [2.0, 1.0]]), "^scale .*0$"),
        (NormalInverseWishart(scale=[[1.0, 0.5], [0.2, 1.0]]), "^scale (?!.*0$)"),
        (NormalInverseWishart(mean=[0.0]), r"mean .*\(1,\)"),
        (IndependentNormalInverseWishart(mean_covariance=-np.eye(2)), "mean_covariance"),
        ("wishart", "'wishart'"),
    ],
)
def test_a_prior_that_is_none_is_named(prior, words):
    with pytest.raises(InputError, match=words):
        sample_partitions(pairs(), prior=prior)


def test_the_papers_prior_is_as_findings_read_it():
    X = pairs(d=2) * [1.0, 7.0]
    plain = Units(np.zeros(2), np.ones(2), np.zeros(2, dtype=bool))
    arrays = IndependentNormalInverseWishart().arrays(X, plain)
    np.testing.assert_allclose(arrays.scale, 2 * np.cov(X.T, bias=True), rtol=1e-9)
    np.testing.assert_allclose(np.linalg.inv(arrays.spread), np.diag(np.ptp(X, axis=0) ** 2), rtol=1e-9)
    assert arrays.freedom == 2
    assert (GammaPrior().shape, GammaPrior().rate) == (2.0, 1.0)


# Concentration


@pytest.mark.parametrize(("K", "n", "shape", "rate"), [(1, 6, 2.0, 1.0), (4, 6, 2.0, 1.5), (9, 200, 0.7, 0.3)])
def test_alpha_has_its_conditional_distribution(K, n, shape, rate):
    from partita.kernels.mixture_partition import draw_concentration

    def log_density(a):
        return (shape - 1 + K) * math.log(a) - rate * a + gammaln(a) - gammaln(a + n)

    top = max(map(log_density, np.geomspace(1e-6, 1e3, 4000)))

    def integral(g):
        return quad(lambda t: g(math.exp(t)) * math.exp(log_density(math.exp(t)) - top + t), -25, 6, limit=500)[0]

    total = integral(lambda a: 1.0)
    rng, alpha, drawn = np.random.default_rng(0), 1.0, []
    for _ in range(40_000):
        alpha = draw_concentration(alpha, K, n, shape, rate, rng)
        drawn.append(alpha)
    for g in (lambda a: a, math.log, lambda a: a < 0.5):
        values = np.array([g(a) for a in drawn], dtype=float)
        batches = values.reshape(50, -1).mean(axis=1)
        error = batches.std(ddof=1) / math.sqrt(50)
        assert abs(values.mean() - integral(g) / total) < 4.5 * error + 1e-9


@quiet
def test_a_fixed_alpha_stays():
    found = sample_partitions(pairs(), alpha=0.3, n_draws=20, burn_in=5, start="one", seed=0)
    assert (found.alpha_trace == 0.3).all()


@pytest.mark.parametrize("alpha", [0, -1.0, float("nan"), True, "one"])
def test_a_concentration_that_is_none_is_named(alpha):
    with pytest.raises(InputError, match="alpha="):
        sample_partitions(pairs(), alpha=alpha)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: GammaPrior(0, 1), "shape=0"),
        (lambda: Collapsed(scans=-1), "scans=-1"),
        (lambda: Auxiliary(0), "n_auxiliary=0"),
    ],
)
def test_options_out_of_range_are_named(make, named):
    with pytest.raises(InputError, match=named):
        make()


# Diagnostics


@pytest.mark.parametrize("shape", [(4, 400), (3, 101), (2, 20), (1, 60)])
def test_r_hat_and_effective_sample_size_are_arvizs(shape):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arviz = pytest.importorskip("arviz")
    rng = np.random.default_rng(shape[1])
    for correlation, apart in ((0.0, 0.0), (0.9, 0.0), (-0.5, 0.0), (0.5, 2.0)):
        trace = np.zeros(shape)
        noise = rng.normal(size=shape)
        for t in range(1, shape[1]):
            trace[:, t] = correlation * trace[:, t - 1] + noise[:, t]
        trace += apart * np.arange(shape[0])[:, None]
        for values in (trace, trace.round()):  # ties as well
            assert effective_sample_size(values) == pytest.approx(float(arviz.ess(values, method="bulk")), rel=1e-9)
            if shape[0] > 1:
                assert r_hat(values) == pytest.approx(float(arviz.rhat(values, method="rank")), rel=1e-9)


def test_r_hat_of_one_value_and_of_chains_stuck_at_two():
    assert r_hat(np.ones((4, 10))) == 1.0
    assert r_hat(np.repeat([[1.0], [2.0]], 10, axis=1)) == math.inf
    with pytest.raises(InputError, match=r"\(2, 3\)"):
        r_hat(np.ones((2, 3)))
    with pytest.raises(InputError, match="NaN"):
        r_hat(np.array([[1.0, 2.0, 3.0, np.nan]]))


def test_agreement_is_the_largest_difference_of_similarity_matrices():
    rng = np.random.default_rng(0)
    draws = np.array([numbered(row) for row in rng.integers(0, 4, (90, 25))]).astype(np.int16)
    chain = np.repeat([0, 1, 2], [20, 40, 30])
    found = chain_agreement(draws, chain)
    psms = [similarity_of(draws[chain == c]) for c in range(3)]
    off = np.array([np.abs(psms[a] - psms[b]) for a, b in ((0, 1), (0, 2), (1, 2))])
    assert found.max_difference == pytest.approx(off.max(), abs=1e-12)
    assert found.mean_difference == pytest.approx(off.sum() / (3 * 25 * 24), abs=1e-12)
    assert found.farthest == ((0, 1), (0, 2), (1, 2))[int(off.max(axis=(1, 2)).argmax())]
    assert found.exact


def test_agreement_of_many_items_is_one_of_a_sample(monkeypatch):
    from partita.mixture import agreement

    monkeypatch.setattr(agreement, "COMPARISONS", 1e4)
    draws = np.zeros((40, 300), dtype=np.int16)
    draws[20:, 150:] = 1
    found = chain_agreement(draws, np.repeat([0, 1], 20))
    assert (found.n_items, found.exact) == (100, False)
    assert found.max_difference == 1.0
    assert 0.4 < found.mean_difference < 0.6  # half of the pairs of a random sample, within 2 errors and more


def test_chains_that_disagree_are_told_once_and_with_what_to_do():
    # Two clusters so far apart that a sweep of single moves with no proposals merges them never.
    X = pairs(n=60, apart=60.0)
    start = [np.zeros(60, dtype=int), np.arange(60) % 2]
    options = {"n_chains": 2, "start": start, "n_draws": 100, "burn_in": 0, "alpha": 1e-8, "seed": 0}
    prior = NormalInverseWishart(mean=[0.0, 0.0], mean_precision=0.01, degrees_of_freedom=60, scale=60_000 * np.eye(2))
    with pytest.warns(ConvergenceWarning, match="chains 0 and 1") as told:
        found = sample_partitions(X, sampler=Collapsed(split_merge=0), prior=prior, **options)
    assert len(told) == 1
    assert found.agreement.max_difference > 0.9
    assert found.r_hat["n_clusters"] > 1.1
    assert len(found.disagreements) >= 2


# The driver


def test_starts_have_as_many_clusters_as_they_say():
    X = pairs(n=100)
    rng = np.random.default_rng(0)
    assert len(np.unique(first_labels("kmeans", X, rng))) >= 25  # k-means may lose a few of its 30
    assert len(np.unique(first_labels("random", X, rng))) >= 25
    assert set(first_labels("singletons", X, rng)) == set(range(100))
    assert first_labels("random", X[:3], rng).max() < 3


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ("spectral", "'spectral'"),
        ([], "^start "),
        ([np.zeros(7, dtype=int)], r"^start.*\(7,\)"),
    ],
)
def test_a_start_that_is_none_is_named(start, words):
    with pytest.raises(InputError, match=words):
        sample_partitions(pairs(), start=start)


def test_blocks_add_up_to_the_plan():
    for n_items in (3, 400, 3_000_000):
        plan = ChainPlan(n_draws=23, burn_in=61, thin=3, stride=5)
        sweeps = kept = 0
        while kept < plan.n_draws:
            before = kept
            more, draws = plan.next_block(n_items, sweeps, kept)
            assert more >= 1
            assert draws == (more // 3 if sweeps >= 61 else 0)
            sweeps, kept = sweeps + more, kept + draws
            assert kept // 5 == before // 5 or kept % 5 == 0 or draws == 0  # a block ends where components are recorded
        assert sweeps == plan.n_sweeps


@quiet
def test_thinning_keeps_every_so_many_sweeps_of_one_run():
    X = pairs(apart=2.0)
    options = {"burn_in": 0, "n_chains": 1, "seed": 0}
    dense = sample_partitions(X, sampler=Auxiliary(), n_draws=60, **options)
    thinned = sample_partitions(X, sampler=Auxiliary(), n_draws=20, thin=3, **options)
    np.testing.assert_array_equal(thinned.labels, dense.labels[2::3])


@quiet
def test_progress_counts_the_sweeps_of_every_chain():
    told = []
    sample_partitions(pairs(), n_draws=30, burn_in=20, n_chains=3, seed=0, progress=told.append)
    last = {at.restart: at for at in told if at.done}
    assert set(last) == {0, 1, 2}
    assert all(at.iteration == at.max_iter == 50 and at.n_restarts == 3 for at in last.values())


def test_ctrl_c_keeps_what_has_been_drawn_or_raises():
    X = pairs(n=100)

    def stop(at):
        if at.iteration > 200 and threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt

    options = {"n_draws": 1_000_000, "burn_in": 0, "seed": 0, "n_jobs": 1, "progress": stop}
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        found = sample_partitions(X, **options)
    assert found.status == "interrupted"
    assert 0 < found.n_draws < 1_000_000
    assert (found.labels.max(axis=1) + 1 == found.n_clusters_trace.reshape(-1)).all()
    with pytest.raises(KeyboardInterrupt):
        sample_partitions(X, on_interrupt="raise", **options)


@pytest.mark.posix("signals")
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_a_real_ctrl_c_stops_every_thread_and_keeps_the_draws(n_jobs):
    X = pairs(n=100)
    sample_partitions(X, n_draws=20, burn_in=20, n_chains=1, seed=0)  # compiled before the clock starts
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        found = sample_partitions(X, n_draws=1_000_000, burn_in=0, seed=0, n_jobs=n_jobs)
    assert found.status == "interrupted"
    assert len(found.labels) == 4 * found.n_draws > 0
    assert np.isfinite(found.density.log_density(X)).all()


def test_an_error_in_a_chain_is_raised_and_stops_the_others():
    def fail(at):
        raise RuntimeError("from the callback")

    with pytest.raises(RuntimeError, match="callback"):
        sample_partitions(pairs(n=200), n_draws=300_000, burn_in=0, seed=0, progress=fail, n_jobs=2)


def test_draws_that_would_not_fit_are_refused(monkeypatch):
    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", "1000000")
    with pytest.raises(MemoryLimitError, match=r"draws .*thin"):
        sample_partitions(pairs(), n_draws=100_000)


@pytest.mark.parametrize(
    "wrong", [{"n_chains": 0}, {"n_draws": 0}, {"thin": 0}, {"burn_in": -1}, {"n_jobs": 0}, {"max_seconds": 0}]
)
def test_wrong_counts_are_named(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        sample_partitions(pairs(), **wrong)


@quiet
def test_items_far_from_zero_lose_no_digits():
    X = pairs(apart=6.0)
    near = sample_partitions(X, n_draws=100, burn_in=50, seed=0)
    far = sample_partitions(X + 2.0**30, n_draws=100, burn_in=50, seed=0)  # items keep 22 binary digits after the point
    assert (near.labels == far.labels).mean() > 0.95


# The density


@quiet
def test_densities_integrate_to_one():
    X = pairs(d=1, n=60, apart=8.0)
    grid = 10 * np.sinh(np.linspace(-7, 7, 6001))[:, None]  # dense where the items are, and far into the tails
    for options in ({}, {"sampler": "auxiliary"}, {"prior": "paper"}):
        found = sample_partitions(X, n_draws=100, burn_in=100, seed=0, **options)
        mass = trapezoid(np.exp(found.density.log_density(grid)), grid[:, 0])
        assert mass == pytest.approx(1.0, abs=1e-3)  # of the trapezoid rule


# The estimator


def test_scikit_learns_checks():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(DPGaussianMixture(n_draws=10, burn_in=10, n_chains=2))


def test_the_estimator_holds_what_was_sampled():
    X = pairs(n=60)
    model = DPGaussianMixture(n_draws=150, burn_in=150, random_state=3).fit(X)
    found = sample_partitions(X, n_draws=150, burn_in=150, seed=3)
    np.testing.assert_array_equal(model.draws_, found.labels)
    assert model.agreement_ == found.agreement
    assert set(model.r_hat_) == {"n_clusters", "log_joint", "alpha"}
    assert model.n_clusters_trace_.shape == (4, 150)
    np.testing.assert_allclose(np.log(model.predict_density(X)), model.score_samples(X))
    assert model.score(X) == pytest.approx(model.score_samples(X).mean())
    assert model.score(X) > model.score(X + 30.0)


@quiet
def test_sparse_features_are_the_features_that_they_stand_for():
    X = np.maximum(pairs(n=60), 0.0)
    settings = {"n_draws": 10, "burn_in": 10, "n_chains": 2, "random_state": 0}
    dense, sparse = (DPGaussianMixture(**settings).fit(given) for given in (X, sp.csr_matrix(X)))
    np.testing.assert_array_equal(sparse.draws_, dense.draws_)
    np.testing.assert_array_equal(sparse.score_samples(sp.coo_array(X)), dense.score_samples(X))
    with pytest.raises(InputError, match="SoftClustering"):
        DPGaussianMixture(**settings).fit(sp.csr_array(X @ X.T))


# Real items


@pytest.mark.data
def test_galaxies_are_a_few_clusters_of_velocities(data_home):
    X = np.loadtxt(data_home / "bayes" / "galaxies.csv", delimiter=",", skiprows=1)[:, :1]
    for prior in ("conjugate", "paper"):
        found = sample_partitions(X, prior=prior, n_draws=2000, burn_in=1000, seed=0)
        assert 3 <= np.median(found.n_clusters_trace) <= 7
        assert found.agreement.max_difference < 0.25
        together = (found.labels[:, 0] == found.labels[:, 40]).mean()
        assert together < 0.2  # the seven slowest galaxies are a group of their own, by every analysis
        assert found.density.log_density(np.array([[20_000.0]])) > found.density.log_density(np.array([[14_000.0]]))


@quiet
@pytest.mark.data
def test_crabs_are_more_alike_within_species_and_sex(data_home):
    rows = np.genfromtxt(data_home / "bayes" / "crabs.csv", delimiter=",", skip_header=1, usecols=(0, 1, 3, 4))
    names = np.loadtxt(data_home / "bayes" / "crabs.csv", delimiter=",", skiprows=1, usecols=5, dtype=str)
    found = sample_partitions(rows, n_draws=1000, burn_in=1000, seed=0)
    P = np.zeros((200, 200))
    for labels in found.labels[::4]:
        P += labels[:, None] == labels
    P /= len(found.labels[::4])
    own = names[:, None] == names
    assert P[own].mean() > 4 * P[~own].mean()
    assert 3 <= np.median(found.n_clusters_trace) <= 9


# What the chains say together


def sampled(labels, n_chains, log_joint):
    """Draws as a sampler would have left them."""
    numbers = np.array([numbered(row) for row in labels]).astype(np.int16)
    K = (numbers.max(axis=1) + 1).astype(np.int64).reshape(n_chains, -1)
    n = K.shape[1]
    return SampledPartitions(
        labels=numbers, chain=np.repeat(np.arange(n_chains), n), n_clusters_trace=K, alpha_trace=np.ones((n_chains, n)),
        log_joint_trace=log_joint, density=None, status="completed", n_sweeps=n, seconds=0.0, sampler=None, prior=None,
        alpha=1.0, starts=("random",) * n_chains, seed=0,
    )  # fmt: skip


def made_chains(kind, rng, M=600):
    """Labels of three chains, and the log joint of each draw."""
    one, other = np.repeat([0, 1, 2], 10), np.tile([0, 1, 2], 10)

    def about(truth, n):
        return draws_around(truth, n, 0.1, K=3, seed=rng)

    level = rng.normal(size=(3, M))
    chains = {
        "agreeing": [about(one, M) for _ in range(3)],
        "disagreeing": [about(one, M), about(one, M), about(other, M)],
        "one jumping": [about(one, M), about(one, M), np.r_[about(one, M // 2), about(other, M - M // 2)]],
        "all slow": [np.repeat(about(one, 6), M // 6, axis=0) for _ in range(3)],
        "constant K": [np.tile(truth, (M, 1)) for truth in (one, one, np.arange(30) % 2)],
        "the log joint alone": [about(one, M) for _ in range(3)],
    }[kind]
    if kind == "the log joint alone":
        level[1] += 4
    return np.concatenate(chains), level


@pytest.mark.parametrize(
    ("kind", "begins"),
    [
        ("agreeing", "the chains agree"),
        ("disagreeing", "the chains disagree"),
        ("one jumping", "the chains disagree"),
        ("all slow", ("too little to tell", "the chains disagree")),
        ("constant K", "the chains disagree"),
        ("the log joint alone", "the chains disagree: R-hat of the log joint density"),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_the_sampler_and_the_partition_say_the_same_of_the_same_draws(kind, begins, seed):
    labels, level = made_chains(kind, np.random.default_rng(seed))
    found = sampled(labels, 3, level)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        given = NamedDraws(labels, found.chain, traces={"log_joint": level.ravel()})
        models = [BayesianPartition(loss, random_state=0).fit(given) for loss in ("vi", "binder")]
    assert found.verdict.words.startswith(begins)
    assert found.verdict.agree == (kind == "agreeing")
    assert bool(found.disagreements) <= (not found.verdict.agree)
    for model in models:
        assert model.agreement_.verdict == found.verdict.words
        assert model.agreement_.agree == found.verdict.agree
        assert (found.verdict.words in model.notes_) == (kind != "agreeing")


def test_fewer_draws_than_can_be_compared_are_too_little_to_tell():
    found = sampled(np.zeros((6, 5), dtype=int), 2, np.zeros((2, 3)))
    assert not found.verdict.agree
    assert found.verdict.words.startswith("too little to tell")
    assert found.disagreements == ()
    assert sampled(np.zeros((6, 5), dtype=int), 1, np.zeros((1, 6))).verdict is None


def test_features_that_a_mixture_cannot_take_are_told_without_options_that_it_lacks():
    X = np.random.default_rng(0).normal(size=(50, 2))
    with pytest.raises(InputError, match=r"X has shape \(50,\)") as told:
        DPGaussianMixture().fit(X[:, 0])
    assert len(str(told.value)) < 250  # the array is not printed
    X[3, 1] = np.nan
    with pytest.raises(InputError, match=r"X\[3, 1\] is NaN: .*row$"):
        DPGaussianMixture().fit(X)
    with pytest.raises(InputError, match="max_seconds=0"):
        DPGaussianMixture(max_seconds=0).fit(X)
