"""BaumEagon, SymNMF and CopositiveFactorization as estimators: what is particular to them."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import check_estimator

from partita import BaumEagon, CopositiveFactorization, SymNMF, load, save, solvers
from partita.errors import InputError
from partita.metrics import accuracy
from partita.report.verdict import verdict
from synthetic import gaussians, random_affinity

IRIS, SPECIES = load_iris(return_X_y=True)
FACTORS = [SymNMF, CopositiveFactorization]
MODELS = [BaumEagon, *FACTORS]
quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def blobs(rng, n=30):
    return gaussians(np.repeat([0, 1], n), [[0.0, 0.0], [9.0, 9.0]], rng)


def with_a_stranger(sparse=False):
    """Affinities of two blocks and one item that has none, not even with itself."""
    together = (np.arange(13)[:, None] // 6) == (np.arange(13) // 6)
    P = random_affinity(13) * together + together
    P[12] = P[:, 12] = 0.0
    return sp.csr_array(P) if sparse else P


@quiet
@pytest.mark.parametrize("model", [m(n_clusters=3) for m in MODELS], ids=lambda m: type(m).__name__)
def test_scikit_learns_checks_pass(model):
    # Eq. (7) multiplies, and comes to its limits slowly: the checks are about the interface.
    check_estimator(model.set_params(max_iter=20, n_init=1))


@pytest.mark.parametrize(
    ("model", "least"),
    [
        (BaumEagon(3), 0.92),
        (SymNMF(3), 0.90),
        (SymNMF(3, normalization="none"), 0.91),
        (CopositiveFactorization(3), 0.90),
        (CopositiveFactorization(3, normalization="l1"), 0.91),
    ],
    ids=repr,
)
def test_iris_is_clustered_and_the_objective_is_that_of_the_factor(model, least):
    model.set_params(random_state=0).fit(IRIS)
    assert accuracy(model.labels_, SPECIES) >= least
    W = model.membership_
    assert W.shape == (150, 3)
    assert (W >= 0).all()
    np.testing.assert_allclose(W.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_array_equal(W.argmax(axis=1), model.labels_)
    # one pair of irises is identical: the objective counts their pairs as often as they come
    at = model.item_index_
    P = model.affinity_.to_dense()[np.ix_(at, at)]
    H = getattr(model, "factor_", W)
    counts = np.ones_like(P)
    if isinstance(model, CopositiveFactorization):
        counts = (at[:, None] != at).astype(float)
    alpha = model.scale_ if isinstance(model, BaumEagon) else 1.0
    assert model.objective_ == pytest.approx((counts * (P - alpha * H @ H.T) ** 2).sum(), rel=1e-8)


def test_baum_eagon_learns_the_scale_that_its_equation_8_gives():
    model = BaumEagon(3, n_init=2, random_state=0).fit(IRIS)
    at, W = model.item_index_, model.membership_
    P = model.affinity_.to_dense()[np.ix_(at, at)]
    assert model.scale_ == pytest.approx(np.trace(P @ W @ W.T) / ((W @ W.T) ** 2).sum(), rel=1e-9)
    assert model.result_.solver_name == "baum-eagon"
    other = BaumEagon(3, solver=solvers.ProjectedGradient(), n_init=2, random_state=0).fit(IRIS)
    assert other.objective_ == pytest.approx(model.objective_, rel=1e-3)
    np.testing.assert_array_equal(np.unique(other.membership_ == 0.0), [False, True])  # exact zeros


@quiet
def test_the_normalisations_are_what_is_factorized():
    few = {"n_init": 1, "max_iter": 5, "random_state": 0}  # what is looked at is there before the first step
    symmetric = SymNMF(3, **few).fit(IRIS).affinity_.to_dense()
    assert np.linalg.eigvalsh(symmetric)[-1] == pytest.approx(1.0)
    none = SymNMF(3, normalization="none", **few).fit(IRIS).affinity_.to_dense()
    np.testing.assert_allclose(none.diagonal(), 1.0)
    for how in ("relative-entropy", "l1", "frobenius"):
        model = CopositiveFactorization(3, normalization=how, diagonal=True, **few).fit(IRIS)
        np.testing.assert_allclose(model.affinity_.row_sums(), 1.0, atol=1e-6)
        off = CopositiveFactorization(3, normalization=how, **few).fit(IRIS).affinity_
        assert not off.diagonal().any()
        assert len(off.unobserved) == off.n_items


@pytest.mark.parametrize("Model", FACTORS)
def test_what_another_factorization_normalises_by_is_refused(Model):
    with pytest.raises(ValueError, match="normalization"):
        Model(3, normalization="magic").fit(IRIS)
    with pytest.raises(ValueError, match="normalization"):
        Model(3, normalization="l1" if Model is SymNMF else "symmetric").fit(IRIS)
    with pytest.raises(InputError, match="'exponentiated-gradient'"):
        Model(3, solver=solvers.ExponentiatedGradient()).fit(IRIS)


def test_the_printed_update_and_the_default_solver_agree_on_a_clear_case():
    X = blobs(np.random.default_rng(1))
    ours = CopositiveFactorization(2, random_state=0, tol=1e-6).fit(X)
    printed = CopositiveFactorization(2, random_state=0, tol=1e-5, solver=solvers.CopositiveUpdate()).fit(X)
    assert printed.objective_ == pytest.approx(ours.objective_, rel=1e-4)
    assert accuracy(printed.labels_, ours.labels_) == 1.0


@quiet
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("solver", [None, solvers.CopositiveUpdate(), solvers.CoordinateDescent()])
def test_an_item_without_affinities_is_reported_as_unassigned(sparse, solver):
    """[rotabulo2010] section 3: some objects may remain in principle unclassified."""
    P = with_a_stranger(sparse)
    model = CopositiveFactorization(2, affinity="precomputed", solver=solver, random_state=0).fit(P)
    assert model.unassigned_.tolist() == [12]
    np.testing.assert_allclose(model.membership_[12], 0.5)
    assert model.labels_[12] in (0, 1)
    assert len(np.unique(model.labels_[:6])) == len(np.unique(model.labels_[6:12])) == 1
    (note,) = model.result_.notes
    assert "item 12 is unassigned" in note
    assert any("Item 12 is unassigned" in sentence.text for sentence in verdict(model.result_, model="X"))
    assert not CopositiveFactorization(2, random_state=0).fit(blobs(np.random.default_rng(2))).unassigned_.size


@pytest.mark.parametrize("Model", MODELS)
def test_copies_weights_and_rows_of_weight_zero(Model):
    rng = np.random.default_rng(3)
    X = blobs(rng, 15)
    twice = Model(2, random_state=0).fit(np.concatenate([X, X[:4]]))
    weighted = Model(2, random_state=0).fit(X, sample_weight=np.r_[np.full(4, 2.0), np.ones(26)])
    np.testing.assert_allclose(twice.membership_[:30], weighted.membership_, atol=1e-12)
    np.testing.assert_array_equal(twice.membership_[30:], twice.membership_[:4])
    assert twice.objective_ == weighted.objective_
    left_out = Model(2, random_state=0).fit(X, sample_weight=np.r_[0.0, np.ones(29)])
    np.testing.assert_allclose(left_out.membership_[0], left_out.predict_proba(X[:1])[0])
    if Model in FACTORS:
        np.testing.assert_array_equal(twice.factor_[30:], twice.factor_[:4])
        np.testing.assert_array_equal(twice.result_.factor, twice.factor_)
        assert all(restart.factor.shape == (34, 2) for restart in twice.result_.restarts)
        assert left_out.factor_.shape == (30, 2)
        row = left_out.factor_[0] * left_out._extension.balance
        np.testing.assert_allclose(row / row.sum(), left_out.membership_[0], atol=1e-12)


@pytest.mark.parametrize("Model", MODELS)
@pytest.mark.parametrize("affinity", ["relative", "neighbors"])
def test_new_items_are_scored_alone_or_together_and_a_saved_model_says_the_same(Model, affinity, tmp_path):
    rng = np.random.default_rng(4)
    X = blobs(rng)
    model = Model(2, affinity=affinity, random_state=0).fit(X)
    new = blobs(rng, 10)
    W = model.predict_proba(new)
    np.testing.assert_allclose(W.sum(axis=1), 1.0, atol=1e-12)
    assert accuracy(model.predict(new), np.repeat([0, 1], 10)) == 1.0
    alone = np.concatenate([model.predict_proba(new[i : i + 1]) for i in range(20)])
    np.testing.assert_allclose(alone, W, atol=1e-12)  # distances round differently
    assert (model.predict(X) == model.labels_).mean() > 0.95
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert type(again) is Model
    np.testing.assert_array_equal(again.predict_proba(new), W)
    np.testing.assert_array_equal(again.membership_, model.membership_)
    assert again.get_params().keys() == model.get_params().keys()
    if Model in FACTORS:
        np.testing.assert_array_equal(again.factor_, model.factor_)
        np.testing.assert_array_equal(again.unassigned_, model.unassigned_)


@pytest.mark.parametrize("Model", FACTORS)
def test_a_new_item_that_is_like_nothing_fitted_is_everywhere_alike(Model):
    P = with_a_stranger()[:12, :12]
    model = Model(2, affinity="precomputed", random_state=0).fit(P)
    np.testing.assert_allclose(model.predict_proba(np.zeros((1, 12))), [[0.5, 0.5]])
    near = np.r_[np.ones(6), np.zeros(6)][None]
    assert model.predict_proba(near)[0, model.labels_[0]] > 0.95


def test_a_solver_with_options_is_saved_with_them(tmp_path):
    model = SymNMF(2, solver=solvers.ProjectedNewton("columns"), random_state=0).fit(blobs(np.random.default_rng(5)))
    save(model, tmp_path / "model")
    assert load(tmp_path / "model").solver == solvers.ProjectedNewton("columns")
    assert model.result_.solver_name == "projected-newton"
