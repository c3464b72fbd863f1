"""Factorizations of a similarity matrix against scikit-learn, textbook formulas, and what R's NMF package reached."""

import csv

import numpy as np
import pytest
from sklearn.decomposition import NMF

from partita.nmf import Factors, KullbackLeibler, LeastSquares, Nonsmooth, Offset, nmf
from partita.nmf import base as nmf_base
from partita.partition.similarity import posterior_similarity
from synthetic import draws_around, similarity_of


@pytest.fixture
def V():
    return similarity_of(draws_around(np.arange(30) % 4, 50, 0.3))


@pytest.mark.parametrize("n_iter", [1, 7, 50])
@pytest.mark.parametrize(("method", "loss"), [(LeastSquares(), "frobenius"), (KullbackLeibler(), "kullback-leibler")])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_updates_are_those_of_scikit_learn(V, method, loss, n_iter, monkeypatch):
    monkeypatch.setattr(nmf_base, "CHUNK", 7 * len(V))
    W, Ht = np.random.default_rng(1).random((2, len(V), 3)) + 0.01
    model = NMF(3, init="custom", solver="mu", beta_loss=loss, max_iter=n_iter, tol=0.0)
    # It updates its W first and its H then; V is symmetric, so that our H^T is its W.
    theirs = model.fit_transform(V, W=Ht.copy(), H=np.ascontiguousarray(W.T))
    ours = Factors(W, Ht)
    for _ in range(n_iter):
        ours = method.update(V, ours)
    # Fifty products of factors that are each right to 1e-15.
    np.testing.assert_allclose(ours.Ht, theirs, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.W.T, model.components_, rtol=1e-9, atol=1e-12)
    error = model.reconstruction_err_**2 * (1.0 if loss == "frobenius" else 0.5)
    assert method.objective(V, ours) == pytest.approx(error, rel=1e-9)


@pytest.mark.parametrize("theta", [0.0, 0.5, 0.8])
@pytest.mark.parametrize("unit_columns", [True, False])
def test_nonsmooth_updates_are_the_published_ones(V, theta, unit_columns):
    """[pascualmontano2006]: the divergence updates with W S and with S H, then columns of W that sum to one."""
    method, K = Nonsmooth(theta, unit_columns=unit_columns), 3
    W, H = np.random.default_rng(2).random((len(V), K)), np.random.default_rng(3).random((K, len(V)))
    ours = method.begin(V, Factors(W, H.T))
    W, H = ours.W.copy(), ours.Ht.T.copy()
    S = (1 - theta) * np.eye(K) + theta / K * np.ones((K, K))
    for _ in range(5):
        ours = method.update(V, ours)
        WS = W @ S
        H = H * (WS.T @ (V / (WS @ H))) / WS.sum(axis=0)[:, None]
        SH = S @ H
        W = W * ((V / (W @ SH)) @ SH.T) / SH.sum(axis=1)
        if unit_columns:
            W = W / W.sum(axis=0)
    np.testing.assert_allclose(ours.W, W, rtol=1e-12)
    np.testing.assert_allclose(ours.Ht.T, H, rtol=1e-12)
    M = W @ S @ H
    logs = np.where(V > 0, V * np.log(np.where(V > 0, V, 1.0) / M), 0.0)
    assert method.objective(V, ours) == pytest.approx((logs - V + M).sum(), rel=1e-12)


def test_offset_updates_are_the_published_ones(V):
    """[badea2008]: all three from ||V - W H - w 1^T||^2, one after the other."""
    W, H, w = *np.random.default_rng(2).random((2, len(V), 3)), np.random.default_rng(3).random(len(V))
    H, one = H.T, np.ones(len(V))
    ours = Factors(W, H.T, w)
    for _ in range(5):
        ours = Offset().update(V, ours)
        H = H * (W.T @ V) / (W.T @ (W @ H + np.outer(w, one)))
        W = W * (V @ H.T) / ((W @ H + np.outer(w, one)) @ H.T)
        w = w * (V @ one) / ((W @ H + np.outer(w, one)) @ one)
    for mine, theirs in ((ours.W, W), (ours.Ht.T, H), (ours.offset, w)):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)
    assert Offset().objective(V, ours) == pytest.approx(((V - W @ H - np.outer(w, one)) ** 2).sum(), rel=1e-12)


@pytest.mark.parametrize(
    "method", [LeastSquares(), KullbackLeibler(), Nonsmooth(unit_columns=False), Offset()], ids=str
)
def test_updates_end_where_no_entry_can_lower_the_objective(V, method):
    """The conditions of Karush, Kuhn and Tucker, by differences of the objective."""
    V, K = V[:8, :8], 2
    start = Factors(*np.random.default_rng(5).random((2, 8, K)))
    factors = method.begin(V, start)
    for _ in range(20_000):
        factors = method.update(V, factors)
    W, Ht, w = factors.W, factors.Ht, factors.offset
    x = np.concatenate([W.ravel(), Ht.ravel(), np.empty(0) if w is None else w])

    def value(x):
        parts = np.split(x, [W.size, 2 * W.size])
        return method.objective(
            V, Factors(parts[0].reshape(8, K), parts[1].reshape(8, K), None if w is None else parts[2])
        )

    step = 1e-6
    slopes = np.array(
        [(value(x + step * e) - value(x - step * np.minimum(1, x[i] / step) * e)) for i, e in enumerate(np.eye(len(x)))]
    )
    slopes /= step + np.minimum(step, x)
    scale = value(x * 0.5)
    inside = x > 1e-3
    # Multiplicative updates converge linearly, to zero entries slower than that.
    assert np.abs(slopes[inside]).max() < 1e-3 * scale
    assert slopes[~inside].min(initial=0.0) > -1e-3 * scale


ROWS = [("ls", 2), ("ls", 3), ("ls", 7), ("kl", 2), ("kl", 4), ("kl", 9), ("ns", 2), ("offset", 3), ("offset", 7)]
SAME = {"brunet": "kl", "lee": "ls", "Frobenius": "ls", "ls-nmf": "ls", "nsNMF": "ns", "offset": "offset"}


@pytest.fixture(scope="module")
def galaxy(data_home):
    return posterior_similarity(np.load(data_home / "bayes" / "galaxy_mcmc.npz")["draw"])


@pytest.mark.data
@pytest.mark.parametrize(("method", "K"), ROWS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_one_dendrogram_start_is_as_low_as_the_best_of_ten_in_r(method, K, galaxy, data_home):
    column = "frob2" if method in ("ls", "offset") else "kl"
    with (data_home / "bayes" / "r_nmf_galaxy.csv").open() as file:
        marks = [float(r[column]) for r in csv.DictReader(file) if SAME[r["method"]] == method and int(r["K"]) == K]
    ours = nmf(galaxy, K, method=method, start="dendrogram", n_init=1, unchanged=0)
    # Six decimals are given.
    assert ours.objective <= min(marks) + 1e-6


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_galaxy_partitions_are_those_of_r_where_both_reach_one_residual(galaxy):
    """R's best of ten at K = 2: by brunet 72/10, by nsNMF 68/14, which are items 1-9 and 78-82 against the others."""
    kl = nmf(galaxy, 2, method="kl", start="dendrogram", n_init=1, unchanged=0, scaling="plain")
    assert kl.membership.sizes.tolist() == [72, 10]
    ns = nmf(galaxy, 2, method="ns", start="dendrogram", n_init=1, unchanged=0, scaling="plain")
    assert np.flatnonzero(ns.labels == 1).tolist() == [*range(9), *range(77, 82)]
