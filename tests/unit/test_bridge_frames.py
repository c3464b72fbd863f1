"""Frames of pandas, polars and pyarrow in and out: the same numbers, names that stay, what is no number named."""

import subprocess
import sys
from decimal import Decimal

import numpy as np
import pytest
import scipy.sparse as sp

from partita import BayesianPartition, SoftClustering
from partita.bridges import memberships_frame, named_features
from partita.errors import InputError, MissingExtraError
from partita.io import read_memberships, write_memberships
from partita.partition.named_draws import named_draws
from synthetic import blobs, diagonal

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
BACKENDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}
HOSTILE = ["", " ", "a,b", 'say "hi"', "line\nbreak", "ünï-çödé 数", "=1+1", "label"]


def cloud(d=2):
    return blobs(40, 2, d, apart=9.0, at=diagonal)[0]


def columns(frame):
    return list(frame.column_names if isinstance(frame, pa.Table) else frame.columns)


def values(frame, name):
    return frame[name].to_pylist() if isinstance(frame, pa.Table) else frame[name].to_list()


def model(X=None, **settings):
    options = {"affinity": "neighbors", "probabilities": "fitted", "random_state": 0} | settings
    return SoftClustering(2, **options).fit(cloud() if X is None else X)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_frame_has_the_columns_and_numbers_of_memberships_csv(backend, tmp_path):
    fitted = model()
    frame = memberships_frame(fitted, backend=backend)
    assert isinstance(frame, BACKENDS[backend])
    margin = np.sort(fitted.membership_, axis=1)[:, ::-1]
    ids = [str(i) for i in range(40)]
    file = tmp_path / "memberships.csv"
    write_memberships(file, ids, fitted.labels_, fitted.membership_, fitted.entropy_, margin[:, 0] - margin[:, 1])
    header = file.read_text().splitlines()[0]
    assert ",".join(columns(frame)) == header
    table = read_memberships(file)
    assert values(frame, "id") == table.ids
    assert values(frame, "label") == table.labels.tolist()
    for k in range(2):
        assert values(frame, f"p_{k}") == table.membership[:, k].tolist()
    assert values(frame, "entropy") == table.entropy.tolist()
    assert values(frame, "margin") == table.margin.tolist()


def test_names_come_from_the_index_of_a_pandas_frame_and_from_ids():
    X, words = cloud(), [f"cell {i}" for i in range(40)]
    fitted = model(pd.DataFrame(X, columns=["x", "y"], index=words))
    assert fitted.items_.tolist() == words
    assert values(memberships_frame(fitted, backend="polars"), "id") == words
    assert model(pd.DataFrame(X, columns=["x", "y"])).items_ is None
    other = [f"o{i}" for i in range(40)]
    for ids in (other, np.array(other), pd.Series(other), pd.Index(other), pl.Series(other), pa.chunked_array([other])):
        assert values(memberships_frame(fitted, ids), "id") == other
    assert values(memberships_frame(fitted, pd.DataFrame({"z": range(40)}, index=other)), "id") == other
    shuffled = pd.DataFrame(X, columns=["x", "y"]).iloc[::-1]
    assert values(memberships_frame(model(shuffled)), "id") == [str(i) for i in range(39, -1, -1)]
    assert model(X).items_ is None


def test_new_items_are_named_by_their_own_index():
    X = cloud()
    fitted = model(pd.DataFrame(X, columns=["x", "y"]))
    new = pd.DataFrame(X[:3] + 0.2, columns=["x", "y"], index=["u", "v", "w"])
    frame = memberships_frame(fitted, X=new)
    assert frame["id"].tolist() == ["u", "v", "w"]
    np.testing.assert_array_equal(frame[["p_0", "p_1"]].to_numpy(), fitted.predict_proba(new))
    np.testing.assert_array_equal(frame["label"], fitted.predict(new))


def test_names_of_draws_are_names_of_items():
    draws = pl.DataFrame({"chain": [1, 1, 2], "ann": [1, 1, 1], "bob": [1, 1, 2], "cec": [2, 2, 2]})
    fitted = BayesianPartition(random_state=0).fit(draws)
    frame = memberships_frame(fitted)
    assert frame["id"].tolist() == ["ann", "bob", "cec"]
    np.testing.assert_array_equal(frame["label"], fitted.labels_)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["a"] * 40, "'a' .*rows 0 and 1"),
        (["a"], "40 items"),
        (["", *map(str, range(39))], "row 0"),
        ([None, *map(str, range(39))], "row 0"),
        ([*map(str, range(39)), float("nan")], "row 39"),
    ],
)
def test_ids_that_do_not_name_each_item_once_are_refused(ids, message):
    with pytest.raises(InputError, match=message):
        memberships_frame(model(), ids)


def test_an_index_with_copies_is_no_names_but_is_fitted():
    fitted = model(pd.DataFrame(cloud(), columns=["x", "y"], index=[*range(20), *range(20)]))
    with pytest.raises(InputError, match=r"'0' .*rows 0 and 20"):
        memberships_frame(fitted)
    assert memberships_frame(fitted, range(40))["id"].tolist() == [str(i) for i in range(40)]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_named_column_goes_out_of_the_features_and_round_trips(backend):
    X, words = cloud(), [f"i{k}" for k in range(40)]
    frame = pd.DataFrame({"x": X[:, 0], "name of it": words, "y": X[:, 1]})
    given = {"pandas": lambda: frame, "polars": lambda: pl.from_pandas(frame), "pyarrow": lambda: pa.table(dict(frame))}
    features, ids = named_features(given[backend](), "name of it")
    assert isinstance(features, BACKENDS[backend])
    assert columns(features) == ["x", "y"]
    assert ids == words
    np.testing.assert_array_equal(model(features).membership_, model(X).membership_)
    with pytest.raises(InputError, match="'nam'"):
        named_features(given[backend](), "nam")
    assert named_features(features)[1] == [str(i) for i in range(40)]


@pytest.mark.parametrize("package", BACKENDS)
def test_hostile_names_of_columns_stay_names(package):
    X = cloud(len(HOSTILE))
    columns = dict(zip(HOSTILE, X.T))
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[package]
    fitted = model(make(columns))  # `label` among them: only the command line refuses it
    assert fitted.feature_names_in_.tolist() == HOSTILE
    np.testing.assert_array_equal(fitted.membership_, model(X).membership_)


WRONG = {
    "words": (lambda n: [f"w{i}" for i in range(n)], "string"),
    "words that are numbers": (lambda n: [str(i) for i in range(n)], "string"),
    "dates": (lambda n: pd.date_range("2020-01-01", periods=n), "datetime"),
    "categories that are numbers": (lambda n: pd.Categorical([str(i % 3) for i in range(n)]), "categorical"),
    "lists": (lambda n: [[0.5, i] for i in range(n)], r"numpy.stack\(frame\['the other'\]\)"),
    "durations": (lambda n: pd.to_timedelta(np.arange(n), unit="s"), "duration"),
}


@pytest.mark.parametrize("package", BACKENDS)
@pytest.mark.parametrize("kind", WRONG)
def test_a_column_that_holds_no_numbers_is_named(package, kind):
    make, message = WRONG[kind]
    frame = pd.DataFrame({"x": cloud()[:, 0], "the other": make(40)})
    given = {"pandas": lambda f: f, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}[package](frame)
    with pytest.raises(InputError, match=f"column 'the other' .*{message}"):
        model(given)
    fitted = model(cloud())
    with pytest.raises(InputError, match="column 'the other'"):
        fitted.predict(given)


@pytest.mark.parametrize("make", [list, np.array])
def test_stored_embeddings_are_to_be_columns(make):
    frame = pd.DataFrame({"x": cloud()[:, 0], "embedding": [make(row) for row in cloud().tolist()]})
    with pytest.raises(InputError, match=r"numpy.stack\(frame\['embedding'\]\)"):
        SoftClustering(random_state=0).fit(frame)


def test_sparse_columns_are_numbers_and_periods_are_dates():
    pandas = pytest.importorskip("pandas")
    X = np.where(np.random.default_rng(0).random((40, 3)) < 0.5, 0.0, np.random.default_rng(1).normal(size=(40, 3)))
    sparse = pandas.DataFrame.sparse.from_spmatrix(sp.csr_matrix(X), columns=list("abc"))
    given = sparse.dtypes.tolist()
    fits = [
        SoftClustering(2, random_state=0).fit(frame) for frame in (sparse, pandas.DataFrame(X, columns=list("abc")))
    ]
    assert np.array_equal(fits[0].membership_, fits[1].membership_)
    assert sparse.dtypes.tolist() == given
    months = pandas.DataFrame({"x": X[:, 0], "month": pandas.period_range("2020-01", periods=40, freq="M")})
    with pytest.raises(InputError, match=r"'month'.*period"):
        SoftClustering(2).fit(months)


def test_objects_are_numbers_where_each_is_one():
    X = cloud()
    frame = pd.DataFrame({"x": X[:, 0], "y": X[:, 1].astype(object)})
    np.testing.assert_array_equal(model(frame).membership_, model(X).membership_)
    mixed = frame.assign(y=[*X[:39, 1], "7"])
    with pytest.raises(InputError, match=r"column 'y' .*object"):
        model(mixed)


@pytest.mark.parametrize("affinity", ["neighbors", "ensemble"])
def test_decimals_are_numbers(affinity):
    X = cloud().round(6)
    exact = [Decimal(f"{x:.6f}") for x in X[:, 0]]
    for package in (pd.DataFrame, pl.DataFrame, pa.table):
        fitted = model(package({"x": exact, "y": X[:, 1]}), affinity=affinity)
        np.testing.assert_array_equal(fitted.membership_, model(X, affinity=affinity).membership_)
    for gap in (None, Decimal("NaN")):
        gaps = model(pd.DataFrame({"x": [gap, *exact[1:]], "y": X[:, 1]}), affinity=affinity, missing="unobserved")
        X[0, 0] = np.nan
        np.testing.assert_array_equal(gaps.labels_, model(X, affinity=affinity, missing="unobserved").labels_)
    with pytest.raises(InputError, match="infini"):
        model(pd.DataFrame({"x": [Decimal("1e400"), *exact[1:]], "y": X[:, 1]}), affinity=affinity)


def test_mixed_kinds_of_numbers_are_numbers():
    rng = np.random.default_rng(1)
    whole, flags = rng.integers(0, 50, 40), rng.random(40) < 0.5
    X = np.column_stack([whole, flags, cloud()[:, 0].astype(np.float32)]).astype(np.float64)
    columns = {"i": whole.astype(np.int16), "b": flags, "f": cloud()[:, 0].astype(np.float32)}
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        np.testing.assert_array_equal(model(frame).membership_, model(X).membership_)


@pytest.mark.parametrize("package", BACKENDS)
def test_gaps_of_a_frame_are_missing_values(package):
    whole = [None if i == 3 else i % 2 * 20 + i for i in range(40)]
    X = np.column_stack([[np.nan if v is None else v for v in whole], cloud()[:, 1]])
    columns = {"x": whole, "y": cloud()[:, 1]}
    make = {
        "pandas": lambda c: pd.DataFrame({"x": pd.array(c["x"], dtype="Int64"), "y": c["y"]}),
        "polars": pl.DataFrame,
        "pyarrow": pa.table,
    }[package]
    with pytest.raises(InputError, match=r"X\[3, 0\]"):
        model(make(columns))
    of_frame = model(make(columns), missing="unobserved")
    np.testing.assert_array_equal(of_frame.membership_, model(X, missing="unobserved").membership_)


@pytest.mark.parametrize("package", BACKENDS)
def test_empty_frames_are_refused(package):
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[package]
    with pytest.raises(ValueError, match="0 sample"):
        model(make({"x": np.empty(0), "y": np.empty(0)}))
    with pytest.raises(ValueError, match=r"^X "):
        model(make({}))
    fitted = model()
    with pytest.raises(ValueError, match="0 sample"):
        fitted.predict(make({"x": np.empty(0), "y": np.empty(0)}))


def test_what_names_two_things_is_refused():
    X = cloud()
    with pytest.raises(InputError, match="'x'"):
        model(pd.DataFrame(X, columns=["x", "x"]))
    with pytest.raises(InputError, match="'x'"):
        model(pa.Table.from_arrays([pa.array(X[:, 0]), pa.array(X[:, 1])], names=["x", "x"]))
    for affinity in ("neighbors", "ensemble", "precomputed"):
        with pytest.raises(InputError, match=r"astype\(str\)"):
            model(pd.DataFrame(X, columns=["x", 1]), affinity=affinity)
    assert model(pd.DataFrame(X, columns=[0, 1])).n_clusters_ == 2
    with pytest.raises(InputError, match=r"collect\(\)"):
        model(pl.LazyFrame({"x": X[:, 0]}))


def test_rows_and_columns_of_a_matrix_name_the_same_items_in_one_order():
    X = cloud()
    P = pd.DataFrame(np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / 20), index=list(range(40))).rename(
        index=lambda i: f"i{i}", columns=lambda i: f"i{i}"
    )
    fitted = model(P, affinity="precomputed")
    np.testing.assert_array_equal(fitted.membership_, model(P.to_numpy(), affinity="precomputed").membership_)
    assert memberships_frame(fitted)["id"].tolist() == P.index.tolist()
    with pytest.raises(InputError, match="'i39'"):
        model(P.iloc[::-1], affinity="precomputed")
    np.testing.assert_array_equal(fitted.predict(P.iloc[::-1]), fitted.predict(P)[::-1])  # rows of new items


@pytest.mark.parametrize("package", ["polars", "pyarrow"])
def test_draws_may_come_in_any_frame(package):
    table = {".chain": [1, 1, 2], ".iteration": [1, 2, 1], "ann": [1, 1, 2], "bob": [1, None, 2]}
    make = {"polars": pl.DataFrame, "pyarrow": pa.table}[package]
    found = named_draws(make({name: column for name, column in table.items() if name != "bob"}))
    assert found.labels.tolist() == [[1], [1], [2]]
    assert found.chain.tolist() == [1, 1, 2]
    assert found.items.tolist() == ["ann"]
    gap = named_draws(make(table)).labels
    np.testing.assert_array_equal(gap, [[1, 1], [1, np.nan], [2, 2]])


def test_what_has_no_memberships_says_so():
    with pytest.raises(InputError, match="backend='numpy'"):
        memberships_frame(model(), backend="numpy")
    fitted = BayesianPartition(random_state=0).fit([[0, 0, 1], [0, 1, 1]])
    with pytest.raises(InputError, match=r"BayesianPartition .*X$"):
        memberships_frame(fitted, X=[[1.0]])
    with pytest.raises(InputError, match="ndarray"):
        named_features(np.ones((3, 2)))


WITHOUT = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in {hidden!r}:
            raise ImportError(name)
sys.meta_path.insert(0, Hidden())
import numpy as np
from partita.errors import MissingExtraError
import partita.bridges
assert not set(sys.modules) & {{'polars', 'networkx', 'anndata', 'xarray', 'arviz', 'rdata', 'numba'}}
for action in {actions!r}:
    try:
        exec(action)
    except MissingExtraError as error:
        print(error)
"""


def test_a_missing_package_is_one_sentence_with_the_command(tmp_path):
    (tmp_path / "draws.rds").write_bytes(b"X\n")
    missing = {
        "partita.bridges.affinity_from_networkx(None)": "networkx",
        "partita.bridges.to_networkx(np.eye(2))": "networkx",
        "partita.bridges.cluster_cells(None)": "anndata",
        f"from partita.io import read_draws; read_draws('{(tmp_path / 'draws.rds').as_posix()}')": "rdata",
    }
    code = WITHOUT.format(hidden=sorted(set(missing.values())), actions=list(missing))
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    for said, package in zip(out.strip().splitlines(), missing.values(), strict=True):
        assert package in said
        assert "'partita[" in said


def test_without_narwhals_polars_is_refused_and_pandas_goes_on(monkeypatch):
    from partita import errors

    def none_there(name):
        raise ImportError(name)

    monkeypatch.setattr(errors.importlib, "import_module", none_there)
    X = cloud()
    from partita.estimators.frames import checked_frame

    with pytest.raises(MissingExtraError, match=r"narwhals.*partita\[frames\]"):
        checked_frame(pl.DataFrame({"x": X[:, 0]}), pairwise=False)
    frame = pd.DataFrame({"x": X[:, 0]})
    assert checked_frame(frame, pairwise=False) is frame
