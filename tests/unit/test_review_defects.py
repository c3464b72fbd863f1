"""What a review of constraints, weights and unobserved pairs found wrong, each as the law that it broke."""

import numpy as np
import pytest
import scipy.sparse as sp

from partita import (
    BaumEagon,
    CopositiveFactorization,
    KernelKMeans,
    SoF,
    SoftClustering,
    SpectralRelaxation,
    SymNMF,
    load,
    save,
)
from partita.affinity import (
    DenseAffinity,
    DiffusedAffinity,
    Precomputed,
    ScaledAffinity,
    SparseAffinity,
    Unobserved,
    WeightedAffinity,
)
from partita.affinity.checks import as_affinity
from partita.affinity.normalise import normalise, normalise_rows
from partita.errors import InputError
from partita.estimators.model import _without_diagonal
from partita.objectives import KernelKMeansObjective, Problem, SymNMFObjective
from partita.objectives.domain import NONNEGATIVE, Partitions, single_moves
from partita.solvers import Solver
from partita.solvers.kernel_kmeans import _single_moves
from synthetic import gaussians

N = 40


@pytest.fixture(scope="module")
def P():
    X = gaussians(np.repeat(range(4), 10), 0.6 * np.array([[0, 0], [6, 0], [0, 6], [6, 6]]))
    return np.exp(-((X[:, None] - X) ** 2).sum(-1))


def aligned(W, V):
    """The columns of W in the order of those of V."""
    return W[:, [int(np.abs(W - V[:, [k]]).sum(axis=0).argmin()) for k in range(V.shape[1])]]


# Items without evidence


@pytest.mark.parametrize("model", [SymNMF, CopositiveFactorization])
@pytest.mark.parametrize("solver", sorted(n for n, k in Solver.registry.items() if "nonnegative" in k.domains))
def test_an_isolated_item_is_unassigned_whatever_the_solver(P, model, solver):
    P = P.copy()
    P[5] = P[:, 5] = 0.0
    fit = model(4, affinity="precomputed", solver=Solver.registry[solver](), random_state=0, n_init=2).fit(P)
    assert fit.unassigned_.tolist() == [5]
    assert fit.factor_[5].max() < 1e-15  # the copositive update keeps entries at 1e-16 of the largest
    np.testing.assert_array_equal(fit.membership_[5], 0.25)
    assert any("unassigned" in note for note in fit.result_.notes)


def test_an_item_that_is_its_own_cluster_is_not_unassigned(P):
    P = P.copy()
    P[5] = P[:, 5] = 0.0
    P[5, 5] = 1.0
    fit = SymNMF(5, affinity="precomputed", random_state=0).fit(P)
    assert len(fit.unassigned_) == 0
    assert (fit.labels_ == fit.labels_[5]).sum() == 1


# Constraints and starts that are no such thing


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({"cannot_link": [[3, 3]]}, "row 3"),
        ({"must_link": [[0, 1], [2]]}, "must_link .*M x 2"),
        ({"pair_weight": [["a"] * N] * N}, "pair_weight"),
        ({"pair_weight": [[1.0], [1.0, 2.0]]}, "pair_weight"),
    ],
)
def test_constraints_of_the_wrong_form_say_so(P, known, words):
    with pytest.raises(InputError, match=words):
        SoF(4, affinity="precomputed").fit(P, **known)


def test_entries_of_a_sparse_pair_weight_that_come_twice_are_added(P):
    once = sp.coo_array(([3.0, 3.0], ([0, 20], [20, 0])), shape=P.shape)
    twice = sp.coo_array(([1.0, 2.0, 1.5, 1.5], ([0, 0, 20, 20], [20, 20, 0, 0])), shape=P.shape)
    fits = [SoF(4, affinity="precomputed", random_state=0).fit(P, pair_weight=w) for w in (once, twice)]
    assert fits[0].objective_ == fits[1].objective_


@pytest.mark.parametrize("kind", [str, object])
def test_labels_of_a_start_may_be_words(P, kind):
    labels = np.repeat(range(4), 10)
    words = np.array(list("abcd"), dtype=kind)[labels]
    fits = [SoF(4, affinity="precomputed", start=start, random_state=0).fit(P) for start in (labels, words)]
    np.testing.assert_array_equal(fits[0].membership_, fits[1].membership_)
    names = SoF(4, affinity="precomputed", start=np.array(["spectral", "kmeans"]), n_init=2, random_state=0).fit(P)
    assert [restart.start for restart in names.result_.restarts] == ["spectral", "kmeans"]


@pytest.mark.parametrize("model", [KernelKMeans, SpectralRelaxation])
def test_a_model_that_cannot_weigh_pairs_says_what_it_takes(P, model):
    with pytest.raises(InputError, match="must-links"):
        model(4, affinity="precomputed").fit(P, cannot_link=[[0, 20]])


@pytest.mark.parametrize("model", [CopositiveFactorization, KernelKMeans, SpectralRelaxation])
def test_no_remedy_is_an_option_that_does_not_help(P, model):
    holes = P.copy()
    holes[0, 9] = holes[9, 0] = np.nan
    own = {} if model is CopositiveFactorization else {"normalization": "symmetric"}
    with pytest.raises(InputError, match="normalization='none'"):
        model(4, affinity="precomputed", missing="unobserved", **own).fit(holes)
    for other in (SymNMF, SoftClustering):
        other(4, affinity="precomputed", missing="unobserved", normalization="none", random_state=0).fit(holes)


# New items some of whose pairs were not observed


@pytest.mark.parametrize("model", [SoF, BaumEagon, SymNMF, SoftClustering])
def test_a_new_item_is_scored_from_the_pairs_that_were_observed(P, model, tmp_path):
    own = {} if model in (SoF, BaumEagon) else {"normalization": "none"}
    fit = model(4, affinity="precomputed", missing="unobserved", random_state=0, n_init=2, **own).fit(P)
    rows = fit.membership_ if model is not SymNMF else fit.factor_
    scale = np.broadcast_to(fit.scale_, 4)
    target = np.random.default_rng(1).dirichlet(np.ones(4), size=3)
    new = target @ (rows * scale).T  # so that each row's problem has this optimum, with misfit zero
    new[0, ::2] = np.nan
    new[1, np.arange(N) % 3 > 0] = np.nan
    given = new.copy()
    found = fit._extension.factor(new)
    np.testing.assert_allclose(found, target, atol=1e-6)  # a few nearly parallel memberships: condition of 1e6 at most
    np.testing.assert_array_equal(given, new)
    np.testing.assert_allclose(fit.predict_proba(new[2:]), fit.predict_proba(new)[2:], atol=1e-12)
    save(fit, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict_proba(new), fit.predict_proba(new))


def test_pairs_that_sparse_new_rows_do_not_store_are_unobserved_where_those_of_the_fit_are(P):
    i, j = np.indices(P.shape).reshape(2, -1)
    stored = sp.csr_array((P.ravel(), (i, j)), P.shape)
    fit = SoF(4, affinity=Precomputed(unstored="unobserved"), random_state=0, start="spectral").fit(stored)
    keep = np.random.default_rng(0).random((6, N)) < 0.5
    rows, columns = np.nonzero(keep)
    new = sp.csr_array((P[:6][keep], (rows, columns)), (6, N))
    masked = SoF(4, affinity="precomputed", missing="unobserved", random_state=0, start="spectral").fit(P)
    masked._extension = fit._extension.__class__(**vars(fit._extension) | {"evidence": masked._extension.evidence})
    np.testing.assert_allclose(fit.predict_proba(new), masked.predict_proba(np.where(keep, P[:6], np.nan)), atol=1e-12)
    assert np.abs(fit.predict_proba(new) - fit.predict_proba(new.toarray())).max() > 0.01  # not zeros


def test_an_item_of_weight_zero_may_lack_pairs(P):
    holes = P.copy()
    holes[7, :20] = holes[:20, 7] = np.nan
    weights = np.ones(N)
    weights[7] = 0.0
    fit = SoF(4, affinity="precomputed", missing="unobserved", random_state=0).fit(holes, sample_weight=weights)
    np.testing.assert_allclose(fit.membership_[[7]], fit.predict_proba(holes[[7]]), atol=1e-12)


@pytest.mark.parametrize("model", [SoF, SymNMF])
def test_a_fit_that_left_items_out_scores_rows_over_all_items_given(P, model, tmp_path):
    weights = np.ones(N)
    weights[[7, 30]] = 0.0
    fit = model(4, affinity="precomputed", random_state=0).fit(P, sample_weight=weights)
    np.testing.assert_allclose(fit.predict_proba(P[[7, 30]]), fit.membership_[[7, 30]], atol=1e-12)
    np.testing.assert_allclose(fit.predict_proba(sp.csr_array(P[[7, 30]])), fit.membership_[[7, 30]], atol=1e-12)
    save(fit, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict_proba(P[:9]), fit.predict_proba(P[:9]))


def test_unobserved_pairs_of_a_new_item_need_a_fit_that_can_leave_them_out(P):
    new = P[:1].copy()
    new[0, 3] = np.nan
    with pytest.raises(InputError, match="missing='unobserved'"):
        SoF(4, affinity="precomputed", random_state=0).fit(P).predict_proba(new)
    for model in (
        SoftClustering(4, affinity="precomputed", missing="unobserved", probabilities="fitted"),
        KernelKMeans(4, missing="unobserved"),
    ):
        fit = model.set_params(affinity="precomputed", random_state=0).fit(P)
        with pytest.raises(InputError, match="normalization='none'"):
            fit.predict_proba(new)


@pytest.mark.parametrize("how", ["mean", "max", "min"])
def test_a_pair_stored_in_one_direction_only_is_not_compared_with_a_zero_that_was_not_observed(how):
    matrix = sp.csr_array(([0.8, 0.4, 0.6, 0.0], ([0, 1, 2, 3], [1, 2, 1, 0])), (4, 4))
    found = as_affinity(matrix, symmetrize=how, unstored="unobserved")
    pairs = found.pair_weights
    both = {"mean": 0.5, "max": 0.6, "min": 0.4}[how]
    values = {(int(i), int(j)): float(v) for i, j, v in zip(pairs.first, pairs.second, pairs.value, strict=True)}
    expected = {(0, 1): 0.8, (1, 2): both, (0, 3): 0.0}
    assert values == pytest.approx(expected | {(j, i): v for (i, j), v in expected.items()})
    with pytest.raises(InputError, match=r"affinity\[0, 1\] = 0\.8"):
        as_affinity(matrix, unstored="unobserved")


# Weights are copies


def test_an_item_cannot_be_left_out_of_an_affinity_object(P):
    weights = np.ones(N)
    weights[3] = 0.0
    with pytest.raises(InputError, match=r"sample_weight\[3\]"):
        SoF(4, affinity="precomputed").fit(DenseAffinity(P), sample_weight=weights)


@pytest.mark.parametrize(
    ("model", "own"),
    [
        (SymNMF, {}),
        (SoftClustering, {}),
        (SoftClustering, {"steps": 3}),
        (SoftClustering, {"normalization": "relative-entropy", "steps": 2}),
        (SpectralRelaxation, {}),
        (CopositiveFactorization, {}),
        (CopositiveFactorization, {"diagonal": True}),
        (CopositiveFactorization, {"normalization": "l1"}),
    ],
)
def test_a_weight_is_the_same_as_giving_the_item_as_often(P, model, own):
    weights = np.random.default_rng(3).integers(1, 4, N)
    copies = np.repeat(np.arange(N), weights)
    options = {"affinity": "precomputed", "tol": 1e-9, "max_iter": 5000, "random_state": 0, "start": "spectral"}
    # the same optimum from the same start, as exactly as the two solvers stop
    one = model(4, **options, **own).fit(P, sample_weight=weights)
    other = model(4, **options, **own).fit(P[np.ix_(copies, copies)])
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-6)
    np.testing.assert_allclose(aligned(one.membership_[copies], other.membership_), other.membership_, atol=2e-3)
    new = P[:5] * 0.9
    expected = other.predict_proba(new[:, copies])
    np.testing.assert_allclose(aligned(one.predict_proba(new), expected), expected, atol=1e-4)


@pytest.mark.parametrize("how", ["symmetric", "relative-entropy", "l1", "frobenius"])
def test_normalisation_with_weights_is_that_of_the_copies(P, how):
    weights = np.random.default_rng(3).integers(1, 4, N)
    copies = np.repeat(np.arange(N), weights)
    first = np.r_[0, np.cumsum(weights)[:-1]]
    one = normalise(DenseAffinity(P), how, weights.astype(float))
    other = normalise(DenseAffinity(P[np.ix_(copies, copies)]), how)
    F = one.affinity.to_dense().copy()
    np.fill_diagonal(F, F.diagonal() if one.between is None else one.between)
    off = ~np.eye(len(copies), dtype=bool)
    np.testing.assert_allclose(F[np.ix_(copies, copies)][off], other.affinity.to_dense()[off], atol=1e-7)
    found = normalise_rows(P[:4], one.factors, how, 1.0, one.weights)
    expected = normalise_rows(P[:4][:, copies], other.factors, how, 1.0)
    np.testing.assert_allclose(found, expected[:, first], atol=1e-7)


def test_a_diffusion_with_weights_is_that_of_the_copies(P):
    weights = np.array([1, 2, 3, 1])
    copies = np.repeat(np.arange(4), weights)
    S = P[:4, :4]
    found = DiffusedAffinity(DenseAffinity(S), 3, weights.astype(float)).to_dense()
    expected = np.linalg.matrix_power(S[np.ix_(copies, copies)], 3)
    np.testing.assert_allclose(found[np.ix_(copies, copies)], expected, rtol=1e-12)


# Parts that no test saw


def test_scaling_keeps_what_was_observed(P):
    i, j = np.nonzero(P > 0.3)
    factors = np.random.default_rng(0).random(N) + 0.5
    stored = SparseAffinity(sp.csr_array((P[i, j], (i, j)), P.shape), only_stored=True)
    listed = WeightedAffinity(DenseAffinity(P), [0, 3], [1, 3], [2.0, 0.5])
    for base in (stored, listed):
        for scaled in (base.scaled(factors), ScaledAffinity(base, factors)):
            before, after = base.pair_weights, scaled.pair_weights
            assert after.rest == before.rest

            def by_pair(pairs, values):
                return dict(zip(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True), values, strict=True))

            expected = before.value * factors[before.first] * factors[before.second]
            assert by_pair(after, after.value) == pytest.approx(by_pair(before, expected))
            assert by_pair(after, after.weight) == by_pair(before, before.weight)
            np.testing.assert_allclose(scaled.to_dense(), base.to_dense() * np.outer(factors, factors))


def test_a_column_that_least_squares_would_switch_off_brings_all_to_their_own_scale():
    # The first column alone makes every row sum to one; the second only spoils that.
    H = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    d = np.array([1.0, 2.0, 1.0])
    sums, squares = d @ H, d @ H**2
    np.testing.assert_allclose(NONNEGATIVE.columns(H, d), sums / squares)
    assert (NONNEGATIVE.columns(H, d) > 0).all()
    W = np.array([[0.5, 0.5], [0.2, 0.8], [1.0, 0.0]])
    np.testing.assert_allclose(NONNEGATIVE.columns(W * [2.0, 4.0]), [0.5, 0.25])  # elsewhere least squares, exactly


def test_a_nonnegative_run_begins_at_the_best_multiple_of_its_start(P):
    rng = np.random.default_rng(0)
    problem = Problem(DenseAffinity(7.0 * P), SymNMFObjective(), rng.random(N) + 0.5)
    W = rng.dirichlet(np.ones(3), size=N)
    H = NONNEGATIVE.begin(problem, W)
    value = problem.evaluate(H).value
    np.testing.assert_allclose(H / W, H[0, 0] / W[0, 0])
    for factor in (0.9, 0.99, 1.01, 1.1):
        assert problem.evaluate(factor * H).value > value


def test_weighted_single_moves_are_those_of_recomputation(P):
    rng = np.random.default_rng(0)
    n, K = 12, 3
    d = rng.integers(1, 5, n) / 2
    M = P[::4, ::4][:n, :n][:10, :10] + 2.0 * np.eye(10)
    n, d = 10, d[:10]
    problem = Problem(DenseAffinity(M), KernelKMeansObjective(), d)
    labels = np.arange(n) % K

    def trace(labels):
        return sum((d * (labels == k)) @ M @ (d * (labels == k)) / d[labels == k].sum() for k in range(K))

    gain, target = single_moves(problem, problem.evaluate(Partitions.of_labels(labels, K, d)))
    for i in range(n):
        moved = [trace(np.where(np.arange(n) == i, k, labels)) - trace(labels) for k in range(K) if k != labels[i]]
        assert gain[i] == pytest.approx(max(*moved, 0.0), abs=1e-12)
        if gain[i] > 0:
            assert trace(np.where(np.arange(n) == i, target[i], labels)) - trace(labels) == pytest.approx(gain[i])


def test_a_round_of_weighted_single_moves_ends_where_none_helps(P):
    rng = np.random.default_rng(0)
    d = rng.integers(1, 6, N).astype(float)
    problem = Problem(DenseAffinity(P), KernelKMeansObjective(), d)
    point = problem.evaluate(Partitions.of_labels(np.arange(N) % 4, 4, d))
    after = _single_moves(problem, point)
    # the products carried along are those of the partition reached: 50 moves are enough for 40 items
    assert (single_moves(problem, after)[0] == 0).all()
    assert after.value < point.value


@pytest.mark.parametrize("model", [KernelKMeans, SpectralRelaxation])
def test_a_new_item_of_a_hard_model_goes_to_the_nearest_mean(P, model):
    fit = model(4, affinity="precomputed", normalization="none", random_state=0).fit(P)
    new = P[[0, 10, 20, 30]] * 0.5
    Z = np.eye(4)[fit.labels_]
    Z /= Z.sum(axis=0)
    distance = np.einsum("nk,nk->k", Z, P @ Z) - 2.0 * new @ Z
    np.testing.assert_array_equal(fit.predict_proba(new), np.eye(4)[distance.argmin(axis=1)])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_without_its_diagonal_an_affinity_does_not_observe_it(P, form):
    affinity = as_affinity(form(P * (P > 0.1)))
    found = _without_diagonal(normalise(affinity, "none"))
    assert isinstance(found, type(affinity))
    assert isinstance(found.unobserved, Unobserved)
    assert found.unobserved.first.tolist() == found.unobserved.second.tolist() == list(range(N))
    expected = P * (P > 0.1)
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_array_equal(found.to_dense(), expected)


def test_restarts_of_kernel_k_means_beside_the_spectral_one_are_random():
    X = np.random.default_rng(0).normal(size=(120, 4))
    restarts = KernelKMeans(6, n_init=6, random_state=0).fit(X).result_.restarts
    assert [restart.start for restart in restarts] == ["spectral"] + ["dirichlet"] * 5
    assert len({restart.objective for restart in restarts}) > 1


def test_a_dense_affinity_with_items_in_no_cluster_is_divided_as_the_sparse_one_is():
    P = np.zeros((220, 220))
    P[:10, :10] = P[10:20, 10:20] = 1.0
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(220)
        labels = np.empty(220, dtype=int)
        labels[order] = SpectralRelaxation(2, affinity="precomputed").fit(P[order][:, order]).labels_
        assert len(set(labels[:10])) == len(set(labels[10:20])) == 1
        assert labels[0] != labels[10]
