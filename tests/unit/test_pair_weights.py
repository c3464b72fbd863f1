"""Pairs that count more, less or not at all, must-links and cannot-links: through the one driver, for any affinity."""

import numpy as np
import pytest
import scipy.sparse as sp

from partita import CopositiveFactorization, SoF, SoftClustering, metrics
from partita.affinity import (
    ContractedAffinity,
    DenseAffinity,
    LowRankAffinity,
    NeighborGraph,
    Precomputed,
    SparseAffinity,
    Unobserved,
    WeightedAffinity,
)
from partita.errors import InputError, UnsureWarning
from partita.objectives import Objective, Problem
from partita.solvers import ProjectedGradient, Solver, Starts, SubspaceMajorization, drive
from synthetic import gaussians, random_affinity, separable

SIMPLEX = sorted(name for name, kind in Objective.registry.items() if kind.domain.name == "simplex")
objectives = pytest.mark.parametrize("objective", SIMPLEX)
weighers = pytest.mark.parametrize(
    "solver",
    sorted(
        name
        for name, kind in Solver.registry.items()
        if kind.weighs_pairs and "simplex" in kind.domains and kind.precision <= 1e-6
    ),
)


def planted(rng, n, K):
    """A membership that its co-membership determines, and that co-membership."""
    W = separable(n, K, certain=3, concentration=0.6, seed=rng)
    return W, W @ W.T


def weighted_pairs(rng, n):
    i, j = np.nonzero(np.triu(rng.random((n, n)) < 0.4))
    return i, j, rng.choice([0.0, 0.3, 1.0, 4.0], size=len(i)), rng.random(len(i))


@pytest.mark.parametrize("weights", [None, "items"])
@pytest.mark.parametrize("kind", ["listed", "contracted", "only stored"])
@objectives
def test_value_and_gradient_are_those_of_the_weighted_sum_over_pairs(objective, kind, weights):
    rng = np.random.default_rng(0)
    n, K = 14, 3
    base = rng.random((n, n))
    base = (base + base.T) / 2
    d = rng.random(n) + 0.5 if weights else None
    omega, values = np.ones((n, n)), base.copy()
    i, j, w, v = weighted_pairs(rng, n)
    omega[i, j] = omega[j, i] = w
    values[i, j] = values[j, i] = v
    P = WeightedAffinity(DenseAffinity(base), i, j, w, v)
    if kind == "only stored":
        omega = (omega > 0.5).astype(float)
        values[0, 1] = values[1, 0] = 0.0  # an observed zero
        omega[0, 1] = omega[1, 0] = 1.0
        r, c = np.nonzero(omega)
        P = SparseAffinity(sp.csr_array((values[r, c], (r, c)), (n, n)), only_stored=True)
    if kind == "contracted":
        groups = np.r_[np.arange(n - 3), [0, 0, 4]]
        P = ContractedAffinity(P, groups, d)
        d, S = P.group_weights, (np.eye(n - 3)[groups] * (1.0 if d is None else d[:, None]))
        total = S.T @ omega @ S
        values = np.divide(S.T @ (omega * values) @ S, total, out=np.zeros_like(total), where=total > 0)
        omega = total / np.outer(d, d)
        n -= 3
    problem = Problem(P, Objective.registry[objective](), d)
    D = np.ones(n) if d is None else d

    def brute(W, a):
        return float((np.outer(D, D) * omega * (values - (W * a) @ W.T) ** 2).sum())

    W = rng.dirichlet(np.ones(K), size=n)
    point = problem.evaluate(W)
    assert problem.total(point) == pytest.approx(brute(W, point.scale), rel=1e-10)
    gradient, step = problem.gradient(point), 1e-6
    for _ in range(4):
        E = rng.normal(size=W.shape)
        slope = (brute(W + step * E, point.scale) - brute(W - step * E, point.scale)) / (2 * step)
        # central differences: error of the order of step^2, rounding / step
        assert problem.inner(gradient, E) == pytest.approx(slope, rel=1e-5)


def test_hiding_a_third_of_the_pairs_gives_the_same_answer_from_a_mask_nan_weights_or_a_sparse_matrix():
    rng = np.random.default_rng(1)
    truth, P = planted(rng, 120, 3)
    hidden = np.triu(rng.random(P.shape) < 0.3)
    hidden |= hidden.T
    holes = np.where(hidden, np.nan, P)
    r, c = np.nonzero(~hidden)
    stored = sp.csr_array((P[r, c], (r, c)), P.shape)
    options = {"random_state": 0, "tol": 1e-9, "max_iter": 5000, "n_init": 4}
    whole = SoF(3, affinity="precomputed", **options).fit(P)
    answers = [
        SoF(3, affinity="precomputed", missing="unobserved", **options).fit(holes),
        SoF(3, affinity="precomputed", **options).fit(P, pair_weight=1.0 - hidden),
        SoF(3, affinity="precomputed", **options).fit(
            P, pair_weight=sp.csr_array((np.zeros(hidden.sum()), np.nonzero(hidden)), P.shape)
        ),
        SoF(3, affinity=Precomputed(unstored="unobserved"), **options).fit(stored),
        SoF(3, affinity="precomputed", **options).fit(SparseAffinity(stored, Unobserved(*np.nonzero(hidden)))),
    ]
    for model in (whole, *answers):
        W = model.membership_
        order = [int(np.argmin([np.abs(W[:, a] - truth[:, b]).sum() for a in range(3)])) for b in range(3)]
        # every observed entry is exact, so the membership is found as exactly as the solver stops
        np.testing.assert_allclose(model.membership_[:, order], truth, atol=1e-5)
        assert model.objective_ < 1e-6


def test_an_observed_zero_in_a_sparse_matrix_is_not_an_unobserved_pair():
    # Two pairs of items, tied within; that the pairs are apart is said by one stored zero alone.
    P = sp.csr_array(
        (np.r_[np.ones(8), 0.0, 0.0], (np.r_[0, 0, 1, 1, 2, 2, 3, 3, 0, 2], np.r_[0, 1, 0, 1, 2, 3, 2, 3, 2, 0])),
        (4, 4),
    )
    model = SoF(2, affinity=Precomputed(unstored="unobserved"), random_state=0, tol=1e-8).fit(P)
    assert model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3]
    assert model.objective_ < 1e-6


def test_only_stored_pairs_cost_what_is_stored():
    rng = np.random.default_rng(2)
    n, m = 50_000, 200_000
    truth = rng.integers(0, 4, n)
    i, j = rng.integers(0, n, (2, m))
    same = (truth[i] == truth[j]).astype(float)
    matrix = sp.csr_array((np.r_[same, same], (np.r_[i, j], np.r_[j, i])), (n, n))
    affinity = SparseAffinity(matrix, only_stored=True)
    assert len(affinity.pair_weights) <= 2 * m  # nothing N x N: 20 GB would not fit
    problem = Problem(affinity, Objective.registry["sof"]())
    result = drive(problem, ProjectedGradient(), Starts(affinity, 4), truth, tol=1e-3)
    assert metrics.accuracy(result.membership.labels, truth) > 0.99


@weighers
@objectives
def test_every_solver_that_weighs_pairs_finds_one_optimum(solver, objective):
    rng = np.random.default_rng(3)
    truth, base = planted(rng, 40, 3)
    i, j, w, _ = weighted_pairs(rng, 40)
    w = np.maximum(w, 0.3)
    P = WeightedAffinity(DenseAffinity(base), i, j, w)
    start = 0.8 * truth + 0.2 * rng.dirichlet(np.ones(3), 40)
    run = drive(
        Problem(P, Objective.registry[objective]()),
        Solver.registry[solver](),
        Starts(P, 3),
        start,
        tol=1e-10,
        max_iter=20_000,
    )
    assert run.misfit < 1e-5  # the evidence is an exact co-membership, whatever pairs count


def test_a_solver_that_cannot_weigh_pairs_says_so(monkeypatch):
    P = WeightedAffinity(DenseAffinity(np.eye(6) + 0.1), [0], [1], 3.0)
    monkeypatch.setattr(ProjectedGradient, "weighs_pairs", False)
    with pytest.raises(InputError, match=r"'projected-gradient' .*subspace"):
        SoF(2, affinity="precomputed", solver=ProjectedGradient(), random_state=0).fit(P)


@pytest.mark.parametrize("affinity", ["relative", "neighbors"])
def test_must_linked_rows_get_one_membership_and_nothing_else_is_lost(affinity):
    rng = np.random.default_rng(4)
    X = gaussians(np.repeat(np.arange(2), 40), [[0.0, 0.0], [4.0, 0.0]], rng)
    linked = np.array([[0, 79], [79, 3], [10, 50]])
    model = SoftClustering(2, affinity=affinity, random_state=0, probabilities="fitted").fit(X, must_link=linked)
    W = model.membership_
    np.testing.assert_array_equal(W[0], W[79])
    np.testing.assert_array_equal(W[3], W[79])
    np.testing.assert_array_equal(W[10], W[50])
    assert np.abs(W.sum(axis=1) - 1).max() < 1e-12
    assert W.shape == (80, 2)
    assert model.predict_proba(X).shape == (80, 2)
    assert metrics.accuracy(model.labels_, np.repeat([0, 1], 40)) > 0.9


def test_contraction_is_the_objective_restricted_to_equal_rows():
    rng = np.random.default_rng(5)
    half = rng.random((12, 12))
    P, d = DenseAffinity((half + half.T) / 2), rng.random(12) + 0.5
    groups = np.r_[np.arange(8), [0, 3, 3, 7]]
    Q = ContractedAffinity(P, groups, d)
    sof = Objective.registry["sof"]()
    items, contracted = Problem(P, sof, d), Problem(Q, sof, Q.group_weights)
    constants = []
    for _ in range(5):
        W = rng.dirichlet(np.ones(3), size=8)
        constants.append(items.total(items.evaluate(W[groups])) - contracted.total(contracted.evaluate(W)))
    np.testing.assert_allclose(constants, constants[0], rtol=1e-9)
    assert constants[0] > 0


def test_links_said_twice_or_about_nothing_change_nothing():
    X = np.random.default_rng(6).normal(size=(50, 2))
    plain = SoftClustering(3, random_state=0, affinity="neighbors", probabilities="fitted").fit(X)
    empty = SoftClustering(3, random_state=0, affinity="neighbors", probabilities="fitted").fit(
        X, must_link=np.empty((0, 2), int), cannot_link=[]
    )
    np.testing.assert_array_equal(plain.membership_, empty.membership_)
    ones = SoF(3, random_state=0, n_init=2, tol=1e-8).fit(X, pair_weight=np.ones((50, 50)))
    alone = SoF(3, random_state=0, n_init=2, tol=1e-8).fit(X)
    np.testing.assert_array_equal(ones.membership_, alone.membership_)
    once = SoftClustering(3, random_state=0, affinity="neighbors", probabilities="fitted").fit(
        X, must_link=[[0, 1]], cannot_link=[[2, 5]]
    )
    twice = SoftClustering(3, random_state=0, affinity="neighbors", probabilities="fitted").fit(
        X, must_link=[[1, 0], [0, 1]], cannot_link=[[5, 2], [2, 5]]
    )
    np.testing.assert_array_equal(once.membership_, twice.membership_)


def test_constraints_bring_back_structure_that_the_features_hide():
    # Four blobs, of which the truth joins diagonal ones: no evidence in the features says so.
    rng = np.random.default_rng(7)
    X = gaussians(np.repeat(np.arange(4), 30), [[0, 0], [9, 9], [9, 0], [0, 9]], rng)
    truth = np.repeat([0, 0, 1, 1], 30)
    plain = SoftClustering(2, random_state=0, affinity="neighbors", probabilities="fitted").fit(X)
    must = np.c_[rng.integers(0, 30, 8), rng.integers(30, 60, 8)]
    must = np.r_[must, np.c_[rng.integers(60, 90, 8), rng.integers(90, 120, 8)]]
    model = SoftClustering(2, random_state=0, affinity="neighbors", probabilities="fitted").fit(
        X, must_link=must, cannot_link=[[0, 60], [30, 90], [5, 95]]
    )
    assert metrics.adjusted_rand_index(plain.labels_, truth) < 0.5
    assert metrics.adjusted_rand_index(model.labels_, truth) == 1.0
    assert not any("cannot-link" in note for note in model.result_.notes)


def test_cannot_links_pull_a_cluster_apart():
    rng = np.random.default_rng(8)
    X = gaussians(np.repeat(np.arange(2), 40), [[0.0, 0.0], [2.5, 0.0]], rng)
    apart = np.array([[i, 40 + i] for i in range(0, 40, 4)])
    model = SoF(2, random_state=0).fit(X, cannot_link=apart)
    assert (model.labels_[apart[:, 0]] != model.labels_[apart[:, 1]]).all()


def test_cannot_links_that_cannot_all_hold_are_counted():
    X = np.random.default_rng(9).normal(size=(30, 2))
    triangle = [[0, 1], [1, 2], [0, 2]]
    model = SoftClustering(2, random_state=0, affinity="neighbors", probabilities="fitted")
    with pytest.warns(UnsureWarning):
        model.fit(X, cannot_link=triangle)
    assert any(note.startswith("1 of 3 cannot-links end in one cluster") for note in model.result_.notes)


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"must_link": [[0, 1]], "cannot_link": [[1, 0]]}, "rows 1 and 0 .*must-links"),
        ({"cannot_link": [[4, 5]]}, "rows 4 and 5 "),
        ({"must_link": [[0, 99]]}, r"row 99; .*0\.\.19"),
        ({"must_link": [0, 1]}, "must_link .*M x 2"),
        ({"must_link": [[0.5, 1.0]]}, "must_link .*M x 2"),
        ({"must_link": [[0, i] for i in range(1, 19)]}, "must-links .*n_clusters=3"),
        ({"pair_weight": np.ones((3, 3))}, r"pair_weight .*\(3, 3\)"),
        ({"pair_weight": -np.ones((20, 20))}, "^pair_weight "),
        (
            {"must_link": [[0, 7]], "sample_weight": np.arange(20) != 7},
            "row 7, .*sample weight",
        ),
        ({"pair_weight": np.full((20, 20), 1e12)}, r"0\.0001 and 1e\+06"),
        ({"pair_weight": np.triu(np.full((20, 20), 2.0))}, "^pair_weight "),
    ],
)
def test_constraints_that_make_no_sense_are_refused_with_a_reason(known, message):
    X = np.random.default_rng(10).normal(size=(20, 2))
    X[5] = X[4]
    with pytest.raises(InputError, match=message):
        SoF(3, random_state=0).fit(X, **known)


def test_pair_weights_given_twice_or_out_of_range_are_refused():
    P = DenseAffinity(np.eye(4))
    with pytest.raises(InputError, match="pair"):
        WeightedAffinity(P, [0, 1], [1, 0], 2.0)
    with pytest.raises(InputError, match=r"outside 0\.\.3"):
        WeightedAffinity(P, [0], [4], 2.0)
    with pytest.raises(InputError, match="pair weights"):
        WeightedAffinity(P, [0], [1], np.nan)


def test_weights_laid_over_weights_multiply_them_and_a_new_value_replaces_both():
    rng = np.random.default_rng(11)
    half = rng.random((6, 6))
    base = DenseAffinity((half + half.T) / 2)
    first = WeightedAffinity(base, [0, 2, 4], [1, 3, 5], [4.0, 0.5, 0.0])
    sof = Objective.registry["sof"]()
    W = rng.dirichlet(np.ones(2), size=6)
    for over, direct in (
        (
            WeightedAffinity(first, [0, 4], [1, 5], 2.0),
            WeightedAffinity(base, [0, 2, 4], [1, 3, 5], [8.0, 0.5, 0.0]),
        ),
        (
            WeightedAffinity(first, [0, 4], [1, 5], 2.0, 0.7),
            WeightedAffinity(WeightedAffinity(base, [2], [3], 0.5), [0, 4], [1, 5], 2.0, 0.7),
        ),
    ):
        np.testing.assert_allclose(over.to_dense(), direct.to_dense(), rtol=1e-12)
        totals = [Problem(P, sof).total(Problem(P, sof).evaluate(W)) for P in (over, direct)]
        assert totals[0] == pytest.approx(totals[1], rel=1e-12)
        assert over.squared_norm() == pytest.approx((over.to_dense() ** 2).sum(), rel=1e-12)


def test_weights_of_pairs_may_be_asymmetric_by_rounding_of_the_largest_and_no_more():
    rng = np.random.default_rng(14)
    _, P = planted(rng, 20, 2)
    omega = 1e5 * (1.0 + rng.random(P.shape))
    omega += omega.T
    model = SoF(2, affinity="precomputed", random_state=0, n_init=1, max_iter=20)
    for off, refused in ((1e-12, False), (1e-7, True)):  # the largest is 4e5, and 1e-9 of it may be rounding
        bent = omega.copy()
        bent[3, 5] *= 1.0 + off
        if refused:
            with pytest.raises(InputError, match=r"^pair_weight "):
                model.fit(P, pair_weight=bent)
        else:
            model.fit(P, pair_weight=bent)


def holes_of(rng, n=30):
    P = random_affinity(n, seed=rng)
    hidden = np.triu(rng.random((n, n)) < 0.3)
    return P, hidden | hidden.T


@pytest.mark.parametrize("how", ["dense", "only stored", "diagonal left out"])
def test_pair_weights_leave_what_was_not_observed_unobserved(how):
    rng = np.random.default_rng(13)
    P, hidden = holes_of(rng)
    omega = rng.random(P.shape) + 0.5
    omega = omega + omega.T
    options = {"random_state": 0, "tol": 1e-8, "n_init": 2}
    if how == "dense":
        model = SoF(3, affinity="precomputed", missing="unobserved", **options)
        model.fit(np.where(hidden, np.nan, P), pair_weight=omega)
    elif how == "only stored":
        r, c = np.nonzero(~hidden)
        model = SoF(3, affinity=Precomputed(unstored="unobserved"), **options)
        model.fit(sp.csr_array((P[r, c], (r, c)), P.shape), pair_weight=omega)
    else:
        hidden = np.eye(30, dtype=bool)
        model = CopositiveFactorization(3, affinity="precomputed", **options).fit(P, pair_weight=omega)
        P = model.affinity_.to_dense() / np.where(hidden, 1.0, omega)
    H = model.result_.factor
    counted = omega * ~hidden
    brute = (counted * (P - H @ H.T) ** 2).sum()
    assert model.objective_ == pytest.approx(brute, rel=1e-9)
    assert model.result_.misfit == pytest.approx(np.sqrt(brute / (counted * P**2).sum()), rel=1e-9)


@pytest.mark.parametrize("by", [1e-4, 1e-2, 1e6])
def test_weighing_every_pair_alike_changes_nothing_but_the_unit_of_the_objective(by):
    rng = np.random.default_rng(14)
    X = gaussians(np.repeat(np.arange(4), 10), [[0, 0], [4, 0], [0, 4], [4, 4]], rng)
    plain = SoF(4, random_state=0, n_init=2, tol=1e-7).fit(X)
    model = SoF(4, random_state=0, n_init=2, tol=1e-7).fit(X, pair_weight=np.full((40, 40), by))
    # P + (by - 1) P keeps twelve digits of by P at one end of the range of weights
    assert model.objective_ / by == pytest.approx(plain.objective_, rel=1e-7)
    np.testing.assert_allclose(model.membership_, plain.membership_, atol=1e-5)


@pytest.mark.parametrize("sparse", [False, True])
def test_weights_that_leave_no_pair_are_refused(sparse):
    X = np.random.default_rng(16).normal(size=(6, 2))
    listed = sp.coo_array((np.zeros(36), np.divmod(np.arange(36), 6)), shape=(6, 6))
    with pytest.raises(InputError, match=r"^pair_weight "):
        SoF(2).fit(X, pair_weight=listed if sparse else listed.toarray())


def test_must_links_count_every_pair_of_rows_in_the_objective():
    rng = np.random.default_rng(15)
    X = gaussians(np.repeat(np.arange(2), 15), [[0.0, 0.0], [5.0, 0.0]], rng)
    P = SoF(2, random_state=0, n_init=1).fit(X).affinity_.to_dense()
    d = rng.integers(1, 4, 30).astype(float)
    model = SoF(2, affinity="precomputed", random_state=0, n_init=2).fit(
        P, sample_weight=d, must_link=[[0, 20], [20, 3]]
    )
    W = model.membership_
    brute = (np.outer(d, d) * (P - W @ W.T) ** 2).sum()
    assert model.objective_ == pytest.approx(brute, rel=1e-9)
    assert model.result_.trace[-1] == pytest.approx(brute, rel=1e-9)
    assert min(restart.objective for restart in model.result_.restarts) == pytest.approx(brute, rel=1e-9)
    assert model.result_.misfit == pytest.approx(np.sqrt(brute / (np.outer(d, d) * P**2).sum()), rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("scaled", [False, True], ids=["scale one", "a scale each"])
def test_the_objective_is_the_weighted_sum_over_pairs_of_rows_whatever_is_known_of_them(seed, scaled):
    """A pair of rows that cannot be linked, or whose must-linked partners cannot, is a zero that counts as a row."""
    rng = np.random.default_rng(seed)
    n = 12
    P = rng.random((n, n))
    P = (P + P.T) / 2
    d = rng.integers(1, 4, n).astype(float) if seed % 2 else np.ones(n)
    omega = np.ones((n, n))
    i, j = np.nonzero(np.triu(rng.random((n, n)) < 0.2))
    omega[i, j] = omega[j, i] = rng.choice([0.0, 0.5, 3.0], len(i))
    links, apart = [[0, 1], [1, 2], [5, 6]], [[0, 3], [6, 2], [8, 9]]
    kind = SoftClustering if scaled else SoF
    options = {"normalization": "none", "steps": 1} if scaled else {}
    model = kind(3, affinity="precomputed", random_state=0, n_init=1, **options).fit(
        P, sample_weight=d, must_link=links, cannot_link=apart, pair_weight=omega if seed > 1 else None
    )
    group = np.array([0, 0, 0, 3, 4, 5, 5, 7, 8, 9, 10, 11])
    weight, evidence = omega if seed > 1 else np.ones((n, n)), P.copy()
    for one, other in apart:
        pairs = np.ix_(group == group[one], group == group[other])
        for at in (pairs, pairs[::-1]):
            block = np.ix_(at[0].ravel(), at[1].ravel())
            weight[block], evidence[block] = d.sum(), 0.0
    W, a = model.membership_, np.broadcast_to(model.scale_, model.n_clusters_)  # one may be left empty
    counted = np.outer(d, d) * weight
    brute, norm = (counted * (evidence - (W * a) @ W.T) ** 2).sum(), (counted * evidence**2).sum()
    assert model.objective_ == pytest.approx(brute, rel=1e-9)
    assert model.result_.misfit == pytest.approx(np.sqrt(brute / norm), rel=1e-9)


def test_linked_items_start_where_their_weighted_mean_lies_and_copies_count_as_often_as_they_come():
    rng = np.random.default_rng(16)
    X, d = rng.normal(size=(12, 2)), rng.integers(1, 4, 12)
    copies = np.repeat(np.arange(12), d)
    first = np.r_[0, np.cumsum(d)[:-1]]
    omega = rng.random((12, 12)) + 0.5
    omega = omega + omega.T
    links, apart = np.array([[0, 5], [5, 7]]), np.array([[1, 2]])
    options = {"random_state": 0, "n_init": 1, "start": "kmeans", "tol": 1e-8}
    weighted = SoF(3, **options).fit(X, sample_weight=d, must_link=links, cannot_link=apart, pair_weight=omega)
    copied = SoF(3, **options).fit(
        X[copies], must_link=first[links], cannot_link=first[apart], pair_weight=omega[np.ix_(copies, copies)]
    )
    np.testing.assert_allclose(copied.membership_, weighted.membership_[copies], atol=1e-6)
    assert copied.objective_ == pytest.approx(weighted.objective_, rel=1e-9)


def test_constraints_on_a_large_sparse_affinity_make_nothing_dense():
    rng = np.random.default_rng(17)
    n = 20_000
    i = np.repeat(np.arange(n), 4)
    j = (i + 3 * rng.integers(1, 50, len(i))) % (n - n % 3)
    matrix = sp.csr_array((np.ones(len(i)), (i, j)), (n, n))
    matrix = sp.csr_array(matrix.maximum(matrix.T) + sp.eye_array(n))
    pairs = rng.choice(n, (200, 2), replace=False)
    contracted = ContractedAffinity(WeightedAffinity(SparseAffinity(matrix), [0], [3], 2.0), _groups(n, pairs))
    assert contracted.as_sparse().nnz <= matrix.nnz
    looked = []
    contracted.rows = looked.append
    assert contracted.squared_norm() > 0
    assert len(contracted.pair_weights) == 2
    assert not looked


def _groups(n, pairs):
    label = np.arange(n)
    label[pairs[:, 1]] = pairs[:, 0]
    return np.unique(label, return_inverse=True)[1]


def test_low_rank_and_neighbour_graphs_take_constraints_without_being_made_dense():
    rng = np.random.default_rng(12)
    X = gaussians(np.arange(3000) % 3, 4.0 * np.eye(3), rng)
    graph = NeighborGraph().build(X, n_clusters=3).affinity
    assert WeightedAffinity(graph, [0], [1], 5.0, 0.0).multiplications < 100 * 3000
    factor = LowRankAffinity(rng.random((3000, 4)))
    model = SoF(3, affinity="precomputed", random_state=0, n_init=1).fit(
        factor, cannot_link=[[0, 1]], must_link=[[2, 5]]
    )
    assert model.labels_[2] == model.labels_[5]
    assert SubspaceMajorization().weighs_pairs


def test_what_stands_where_nothing_was_observed_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    truth, other = np.repeat(np.arange(3), 40), np.tile(np.arange(3), 40)
    P = np.where(truth[:, None] == truth, 0.9, 0.05)
    seen = np.triu(rng.random(P.shape) < 0.2, 1)
    seen = seen | seen.T | np.eye(120, dtype=bool)
    for wrong in (0.0, 1.0, 1.0 * (other[:, None] == other)):
        model = SoftClustering(3, affinity="precomputed", random_state=0)
        model.fit(np.where(seen, P, wrong), pair_weight=seen.astype(float))
        assert metrics.adjusted_rand_index(truth, model.labels_) > 0.9
    symmetric = SoftClustering(3, affinity="precomputed", normalization="symmetric")
    with pytest.raises(InputError, match="pair_weight"):
        symmetric.fit(P, pair_weight=seen.astype(float))
