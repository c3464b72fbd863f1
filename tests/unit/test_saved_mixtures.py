"""A DPGaussianMixture that was saved is the one that was fitted: draws, traces, and densities to the bit."""

import dataclasses
import json
import math
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from alike import differences
from partita import BayesianPartition, DPGaussianMixture, load, save
from partita.errors import InputError
from partita.mixture import (
    Auxiliary,
    Collapsed,
    GammaPrior,
    IndependentNormalInverseWishart,
    NormalInverseWishart,
    Slice,
)
from partita.mixture.priors import ComponentPrior
from synthetic import diagonal, gaussians

SHORT = {"n_draws": 30, "burn_in": 30, "random_state": 0}
TOLD = [
    *("draws_", "chain_", "n_clusters_trace_", "alpha_trace_", "log_joint_trace_"),
    *("agreement_", "r_hat_", "effective_sample_size_", "n_features_in_"),
]


def items(d=2, n=40, seed=0):
    """Two groups far apart, in units that differ; and new items."""
    rng = np.random.default_rng(seed)
    X = gaussians(np.repeat([0, 1], n // 2), 9.0 * diagonal(2, d), rng) * 10.0 ** np.arange(d) + 5
    return X, rng.uniform(-3, 12, size=(25, d)) * 10.0 ** np.arange(d) + 5


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def came_back(model, folder):
    save(model, folder)
    assert sorted(file.name for file in folder.iterdir()) == ["arrays.safetensors", "model.json"]
    return load(folder)


@pytest.mark.parametrize(
    ("parameters", "d"),
    [
        ({}, 1),
        ({}, 3),
        ({"prior": "paper"}, 2),
        ({"sampler": Collapsed(split_merge=2, scans=0), "alpha": 0.7}, 2),
        ({"sampler": Auxiliary(n_auxiliary=2), "alpha": GammaPrior(1, 3.5), "prior": "independent"}, 1),
        ({"sampler": Slice(), "prior": NormalInverseWishart(mean=[5, 50.0], scale=np.diag([2.0, 200.0]))}, 2),
        ({"prior": IndependentNormalInverseWishart(mean=(5.0,), scale=2, mean_covariance=np.float32(30))}, 1),
        ({"n_chains": 1, "alpha": np.float64(1.5)}, 2),
        ({"n_draws": 2, "burn_in": 1}, 2),
    ],
    ids=str,
)
def test_all_of_it_comes_back_to_the_bit(tmp_path, parameters, d):
    X, new = items(d)
    model = DPGaussianMixture(**(SHORT | parameters)).fit(X)
    found = came_back(model, tmp_path / "model")
    for name in TOLD:
        assert not differences(getattr(model, name), getattr(found, name), name)
    for method in ("score_samples", "predict_density", "score"):
        assert not differences(getattr(model, method)(new), getattr(found, method)(new))
    for name in [field.name for field in dataclasses.fields(model.result_)]:
        if name not in ("density", "prior", "alpha"):
            assert not differences(getattr(model.result_, name), getattr(found.result_, name), name)
    assert model.result_.disagreements == found.result_.disagreements
    assert (found.agreement_ is None) == (model.n_chains == 1)
    again = found.fit(X)  # parameters have come back too
    assert not differences(model.draws_, again.draws_)
    assert not differences(model.score_samples(new), again.score_samples(new))


def test_the_density_is_that_of_the_textbook(tmp_path):
    """One item, all of its draws one cluster: a Student density with the item in it, beside one of the prior."""
    from scipy.special import logsumexp
    from scipy.stats import t

    x, kappa, nu, scale = 2.0, 0.5, 4.0, 3.0
    prior = NormalInverseWishart(mean=[0.0], mean_precision=kappa, degrees_of_freedom=nu, scale=scale)
    model = DPGaussianMixture(prior=prior, alpha=1.5, n_draws=5, burn_in=0, random_state=0).fit([[x]])
    found = came_back(model, tmp_path / "model")
    new = np.array([-1.0, 0.5, 4.0])

    def student(m, k, n, s):
        return t.logpdf(new, n, m, math.sqrt(s * (k + 1) / (k * n)))

    joined = student(kappa * 0 + x / (kappa + 1), kappa + 1, nu + 1, scale + kappa / (kappa + 1) * x**2)
    oracle = logsumexp([joined + math.log(1 / 2.5), student(0.0, kappa, nu, scale) + math.log(1.5 / 2.5)], axis=0)
    np.testing.assert_allclose(found.score_samples(new[:, None]), oracle, rtol=1e-12)


def test_what_has_been_drawn_goes_on_to_a_partition(tmp_path):
    X, _ = items()
    model = DPGaussianMixture(**SHORT).fit(X)
    found = came_back(model, tmp_path / "model")
    one, other = (BayesianPartition(random_state=0).fit(each.draws_, chain=each.chain_) for each in (model, found))
    assert not differences(one.labels_, other.labels_)
    assert not differences(one.agreement_, other.agreement_)


def test_names_of_columns_are_kept_and_asked_for(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, new = items()
    frame = pandas.DataFrame(X, columns=["height", "weight"])
    model = DPGaussianMixture(**SHORT).fit(frame)
    found = came_back(model, tmp_path / "model")
    assert found.feature_names_in_.tolist() == ["height", "weight"]
    asked = pandas.DataFrame(new, columns=["height", "weight"])
    assert not differences(model.score_samples(asked), found.score_samples(asked))
    with pytest.raises(ValueError, match="feature names"):
        found.score_samples(asked[["weight", "height"]])


@pytest.mark.parametrize("start", ["one", ("kmeans", "singletons"), [np.arange(40) % 3, "random"], np.arange(40) // 10])
def test_starts_are_kept(tmp_path, start):
    X, _ = items()
    model = DPGaussianMixture(**SHORT, start=start).fit(X)
    found = came_back(model, tmp_path / "model")
    assert not differences(tuple(start) if isinstance(start, list) else start, found.start)
    assert found.result_.starts == model.result_.starts
    assert not differences(model.draws_, found.fit(X).draws_)


@pytest.mark.parametrize("status", ["max_seconds", "interrupted"])
def test_sampling_that_was_cut_short_says_so_again(tmp_path, status):
    X, new = items()
    model = DPGaussianMixture(n_draws=10**6, burn_in=0, max_seconds=0.2, random_state=0, n_chains=2).fit(X)
    assert model.result_.status == "max_seconds"
    model.result_ = dataclasses.replace(model.result_, status=status)
    found = came_back(model, tmp_path / "model")
    assert (found.result_.status, found.result_.notes) == (status, model.result_.notes)
    assert found.result_.n_draws == model.result_.n_draws < 10**6
    assert not differences(model.score_samples(new), found.score_samples(new))


def test_wide_labels_stay_wide_and_unusual_numbers_stay_what_they_are(tmp_path):
    X, _ = items()
    model = DPGaussianMixture(**SHORT).fit(X)
    model.result_ = dataclasses.replace(model.result_, labels=model.draws_.astype(np.int32), seconds=math.inf)
    vars(model.result_)["r_hat"] = {"n_clusters": math.nan, "log_joint": math.inf, "alpha": 1.0}
    found = came_back(model, tmp_path / "model")
    assert found.draws_.dtype == np.int32
    assert math.isinf(found.result_.seconds)
    assert not differences(model.result_.r_hat, found.r_hat_)


class MyPrior(NormalInverseWishart):
    """A prior that nobody else has."""


class MyMixture(DPGaussianMixture):
    """Who knows what it keeps."""


@pytest.mark.parametrize(
    ("model", "error", "words"),
    [
        (DPGaussianMixture(), NotFittedError, "DPGaussianMixture"),
        (DPGaussianMixture(**SHORT, prior=MyPrior()), InputError, "MyPrior"),
        (MyMixture(**SHORT), InputError, "MyMixture"),
    ],
)
def test_what_cannot_be_saved_is_named_and_nothing_is_left(tmp_path, model, error, words):
    if model.get_params()["random_state"] is not None:
        model.fit(items()[0])
    with pytest.raises(error, match=words):
        save(model, tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_every_prior_of_ours_can_be_saved(tmp_path):
    ours = {kind for kind in ComponentPrior.__subclasses__() if kind.__module__.startswith("partita.")}
    assert len(ours) >= 2
    for kind in ours:
        model = DPGaussianMixture(prior=kind(), **SHORT).fit(items()[0])
        assert type(came_back(model, tmp_path / kind.__name__).prior) is kind


def test_the_items_of_a_conjugate_prior_are_kept_and_of_others_none(tmp_path):
    """Whoever shares a model should know what is in it."""
    for prior, kept in (("conjugate", True), ("paper", False)):
        save(DPGaussianMixture(prior=prior, **SHORT).fit(items()[0]), tmp_path / prior)
        arrays = json.loads((tmp_path / prior / "model.json").read_text())["arrays"]
        assert ("density.items" in arrays) == kept
