"""Every estimator with memberships takes frames, remembers their columns and answers in the container asked for."""

import numpy as np
import pytest

import partita
from partita.errors import InputError
from synthetic import blobs

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

NAMES = ["a", "b c", "p_0"]  # the last is the name of a column of the answer
K = 3
WITH_MEMBERSHIPS = [name for name in partita.__all__ if hasattr(getattr(partita, name), "predict_proba")]
FRAMES = {
    "pandas": lambda X, names: pd.DataFrame(X, columns=names, index=[f"r{i}" for i in range(len(X))]),
    "polars": lambda X, names: pl.DataFrame(X, schema=list(names)),
    "pyarrow": lambda X, names: pa.table({name: X[:, j] for j, name in enumerate(names)}),
}
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def X():
    return blobs(45, K, 3, apart=8.0)[0]


def made(name):
    return getattr(partita, name)(K, random_state=0, n_init=1, max_iter=30)


@pytest.mark.parametrize("name", WITH_MEMBERSHIPS)
def test_transform_is_the_membership_of_rows_in_any_container(name, X):
    model = made(name).fit(X)
    expected = model.predict_proba(X[:7])
    names = [f"p_{k}" for k in range(K)]
    assert model.get_feature_names_out().tolist() == names
    plain = model.transform(X[:7])
    assert isinstance(plain, np.ndarray)
    np.testing.assert_array_equal(plain, expected)
    for container, kind in (("pandas", pd.DataFrame), ("polars", pl.DataFrame)):
        out = model.set_output(transform=container).transform(X[:7])
        assert isinstance(out, kind)
        assert list(out.columns) == names
        np.testing.assert_array_equal(out.to_numpy(), expected)
    model.set_output(transform="default")
    assert isinstance(model.transform(X[:7]), np.ndarray)


@pytest.mark.parametrize("name", WITH_MEMBERSHIPS)
def test_fit_transform_is_fit_and_then_transform(name, X):
    model = made(name).set_output(transform="pandas")
    frame = FRAMES["pandas"](X, NAMES)
    out = model.fit_transform(frame)
    np.testing.assert_array_equal(out.to_numpy(), made(name).fit(X).predict_proba(X))
    assert out.index.tolist() == frame.index.tolist()
    assert model.items_.tolist() == frame.index.tolist()


@pytest.mark.parametrize("name", WITH_MEMBERSHIPS)
def test_columns_that_lie_apart_in_memory_change_no_bit(name, X):
    model, apart = made(name).fit(X), np.asfortranarray(X)
    np.testing.assert_array_equal(made(name).fit(apart).membership_, model.membership_)
    np.testing.assert_array_equal(model.predict_proba(apart), model.predict_proba(X))


@pytest.mark.parametrize("package", FRAMES)
@pytest.mark.parametrize("name", WITH_MEMBERSHIPS)
def test_a_frame_gives_the_answer_of_its_array_and_its_columns_are_compared(name, package, X):
    of_frame, of_array = made(name).fit(FRAMES[package](X, NAMES)), made(name).fit(X)
    np.testing.assert_array_equal(of_frame.membership_, of_array.membership_)
    assert of_frame.feature_names_in_.tolist() == NAMES
    new = X[:5] + 0.1
    np.testing.assert_array_equal(of_frame.predict(FRAMES[package](new, NAMES)), of_array.predict(new))
    with pytest.raises(ValueError, match="feature names"):
        of_frame.predict(FRAMES[package](new[:, ::-1], NAMES[::-1]))
    with pytest.raises(ValueError, match="feature names"):
        of_frame.predict_proba(FRAMES[package](new, ["a", "b", "p_0"]))


def test_in_a_pipeline_memberships_are_features(X):
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    y = np.arange(45) % K
    pipeline = make_pipeline(StandardScaler(), made("SoftClustering"), LogisticRegression())
    pipeline.set_output(transform="pandas").fit(FRAMES["pandas"](X, NAMES), y)
    assert pipeline[-1].feature_names_in_.tolist() == ["p_0", "p_1", "p_2"]
    assert pipeline.score(FRAMES["pandas"](X, NAMES), y) == 1.0


def test_the_mixture_takes_frames_too(X):
    settings = {"n_draws": 20, "burn_in": 20, "n_chains": 2, "random_state": 0}
    of_array = partita.DPGaussianMixture(**settings).fit(X)
    for package in FRAMES:
        model = partita.DPGaussianMixture(**settings).fit(FRAMES[package](X, NAMES))
        np.testing.assert_array_equal(model.draws_, of_array.draws_)
        with pytest.raises(ValueError, match="feature names"):
            model.score_samples(FRAMES[package](X[:, ::-1], NAMES[::-1]))
    with pytest.raises(InputError, match="column 'w'"):
        partita.DPGaussianMixture(**settings).fit(pd.DataFrame({"x": X[:, 0], "w": ["u"] * 45}))
