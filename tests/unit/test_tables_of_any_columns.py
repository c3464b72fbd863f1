"""Tables of any columns as evidence: encoding and filling by their laws, fits, refusals, files, saved models."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine

import partita
from partita import SoF, SoftClustering
from partita.ensemble import Ensemble, adjusted_rand
from partita.ensemble.units import far_cells, frame_of
from partita.errors import InputError, ModelError, UnsureWarning
from partita.estimators.encoding import Encoding
from partita.estimators.frames import table_of_frame
from partita.estimators.mixed_table import MixedTable, is_marks, words
from partita.io import Reading, read_features
from partita.kernels.fill import completed, fill, fillings
from synthetic import gaussians

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
BACKENDS = {"pandas": lambda frame: frame, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}
# Two methods once: what an encoding does to the evidence needs no more.
QUICK = Ensemble(methods=("mixture", "graph"), n_draws=1)
TRUTH = np.repeat([0, 1, 2], 20)


def mixed(seed=0):
    """Three clusters that two numbers tell apart, and words and truth values that mostly go with them."""
    rng = np.random.default_rng(seed)
    X = gaussians(TRUTH, [[0, 0], [7, 0], [0, 7]], rng)
    colours = np.array(["blue", "green", "red"])[np.where(rng.random(60) < 0.9, TRUTH, rng.integers(0, 3, 60))]
    return pd.DataFrame(
        {
            "x": X[:, 0],
            "colour": colours,
            "y": X[:, 1],
            "flag": TRUTH == 1,
            "size": pd.Categorical((TRUTH % 2 + 1).astype(str)),
        }
    )


def gappy(frame, share=0.15, seed=0):
    return frame.mask(np.random.default_rng(seed).random(frame.shape) < share)


def table(**columns):
    made = [words(c) if isinstance(c[0], str) else np.array(c, dtype=float) for c in columns.values()]
    return MixedTable(tuple(columns), tuple(made))


def example(seed=0, share=0.2):
    """A table of two columns of numbers and two of words, with cells missing."""
    rng = np.random.default_rng(seed)
    held = np.array(list("abc"), dtype=object)[rng.integers(0, 3, (40, 2))]
    X = rng.normal(size=(40, 2)) * [1.0, 300.0] + [5.0, 0.0]
    X[rng.random(X.shape) < share], held[rng.random(held.shape) < share] = np.nan, None
    return MixedTable(("u", "c", "v", "e"), (X[:, 0], held[:, 0], X[:, 1], held[:, 1]))


def distances(X):
    return np.linalg.norm(X[:, None] - X[None], axis=2)


def encoded(given):
    return Encoding.of(given)(given)


def fitted(X, affinity=QUICK, **settings):
    return SoftClustering(3, affinity=affinity, random_state=0, **settings).fit(X)


# ------------------------------------------------------------------------------------------------ the encoding


def renamed(given, at, names):
    columns = list(given.columns)
    columns[at] = words(None if word is None else names[word] for word in columns[at])
    return MixedTable(given.names, tuple(columns))


def test_names_of_categories_and_the_order_of_columns_change_no_distance():
    given = example()
    before = distances(encoded(given))
    other = renamed(given, 1, {"a": "zebra", "b": "yak", "c": "ant"})
    # Sums over columns in another order have other last bits.
    np.testing.assert_allclose(distances(encoded(other)), before, atol=1e-12)
    order = [2, 3, 0, 1]
    turned = MixedTable(tuple(given.names[j] for j in order), tuple(given.columns[j] for j in order))
    np.testing.assert_allclose(distances(encoded(turned)), before, atol=1e-12)


def test_the_order_of_rows_changes_no_bit_and_a_copy_of_a_row_none_either():
    given = example()
    order = np.random.default_rng(1).permutation(40)
    turned = MixedTable(given.names, tuple(column[order] for column in given.columns))
    np.testing.assert_array_equal(encoded(turned), encoded(given)[order])
    twice = MixedTable(given.names, tuple(np.r_[column, column[:7]] for column in given.columns))
    np.testing.assert_array_equal(encoded(twice)[:40], encoded(given))


def test_rows_of_weight_zero_teach_nothing():
    given = example()
    weights = np.r_[np.zeros(5), np.ones(35)]
    others = MixedTable(given.names, tuple(column[5:] for column in given.columns))
    np.testing.assert_array_equal(Encoding.of(given, weights)(others), encoded(others))


def test_units_far_apart_beside_words_change_no_distance():
    given = example(share=0.0)  # u varies by 1, v by 300
    columns = (given.columns[0] * 1e6 + 3.0, *given.columns[1:])
    other = encoded(MixedTable(given.names, columns))
    np.testing.assert_allclose(distances(other), distances(encoded(given)), atol=1e-9)


def test_two_categories_are_as_far_apart_as_a_standard_deviation_however_rare_they_are():
    rng = np.random.default_rng(0)
    x = rng.normal(size=50)
    given = table(x=x, c=["rare", *["usual"] * 49], e=(["p", "q"] * 25))
    X, column = encoded(given), Encoding.of(given).column
    assert X[:, column == 0].std() == pytest.approx(1.0)
    for at in (1, 2):
        assert distances(X[:, column == at]).max() == pytest.approx(1.0)


def test_a_constant_column_of_words_changes_nothing_to_the_bit():
    given = example()
    more = MixedTable((*given.names, "k"), (*given.columns, words(["one"] * 40)))
    np.testing.assert_array_equal(encoded(more), encoded(given))
    assert 4 not in Encoding.of(more).column


def test_numbers_without_gaps_stay_as_they_are_and_known_cells_always():
    X = np.random.default_rng(0).normal(size=(30, 3)) * [1.0, 50.0, 1e6]
    given = MixedTable.of_array(X)
    np.testing.assert_array_equal(encoded(given), X)
    gaps = np.random.default_rng(1).random(X.shape) < 0.2
    filled = encoded(MixedTable.of_array(np.where(gaps, np.nan, X)))
    np.testing.assert_array_equal(filled[~gaps], X[~gaps])
    assert np.isfinite(filled).all()


def test_a_word_that_the_fit_has_not_seen_is_a_missing_cell():
    given = example()
    encoding = Encoding.of(given)
    row = MixedTable(given.names, tuple(column[:1].copy() for column in given.columns))
    row.columns[1][0] = "never seen"
    nothing = MixedTable(given.names, (row.columns[0], words([None]), *row.columns[2:]))
    np.testing.assert_array_equal(encoding(row), encoding(nothing))


def test_encoded_columns_say_which_column_they_are_of():
    encoding = Encoding.of(example())
    assert encoding.labels == ["u", "c = a", "c = b", "c = c", "v", "e = a", "e = b", "e = c"]
    assert encoding.column.tolist() == [0, 1, 1, 1, 2, 3, 3, 3]
    assert encoding.plain(example(share=0.0)).shape == (40, 8)


# --------------------------------------------------------------------------------------------- missing cells


def test_a_missing_cell_is_filled_from_the_rows_of_its_own_cluster():
    X = gaussians(np.repeat([0, 1], 40), [[0, 0, 0], [20, 20, 20]])
    gaps = np.random.default_rng(1).random(X.shape) < 0.2
    gaps[gaps.all(axis=1)] = False
    filled = completed(np.where(gaps, np.nan, X - X.mean(axis=0))) + X.mean(axis=0)
    # A cluster's standard deviation is one; the mean of all rows would be ten away.
    assert np.abs(filled - X)[gaps].max() < 5.0


def test_a_missing_word_is_that_of_the_near_rows():
    x = np.r_[np.linspace(0, 1, 30), np.linspace(50, 51, 30)]
    held = ["low"] * 30 + ["high"] * 30
    held[4] = held[44] = None
    encoding = Encoding.of(table(x=x, c=held))
    X, of_word = encoding(table(x=x, c=held)), [encoding.labels.index(f"c = {word}") for word in ("low", "high")]
    np.testing.assert_allclose(X[[4, 44]][:, of_word], X[[5, 45]][:, of_word])


def test_what_was_filled_into_a_donor_fills_nothing():
    donors, known = np.array([[9.0, 1.0], [0.0, 1.0]]), np.array([[False, True], [True, True]])
    assert fill(np.array([[np.nan, 1.0]]), donors, known).tolist() == [[0.0, 1.0]]


def test_filling_does_not_depend_on_which_rows_come_together():
    rng = np.random.default_rng(0)
    donors = rng.integers(0, 3, (200, 6)).astype(float)  # distances tie
    X = np.where(rng.random((50, 6)) < 0.3, np.nan, rng.integers(0, 3, (50, 6)))
    known = rng.random(donors.shape) < 0.8
    one_by_one = np.vstack([fill(row[None], donors, known) for row in X])
    np.testing.assert_array_equal(fill(X, donors, known), one_by_one)


def test_a_row_without_a_cell_gets_what_is_usual():
    donors = np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert fill(np.full((1, 2), np.nan), donors, np.ones((2, 2), dtype=bool)).tolist() == [[0.0, 0.0]]


# ---------------------------------------------------------------------------------------------------- units


def test_one_column_out_of_line_is_brought_into_line_and_the_others_stay():
    X = np.random.default_rng(0).normal(size=(50, 20)) * np.linspace(0.5, 3.0, 20)
    before = frame_of(X)(X)
    for j in range(20):
        Y = X.copy()
        Y[:, j] *= 1000.0
        after = frame_of(Y)(Y)
        rest = np.arange(20) != j
        one, other = (cells[:, rest] / cells[:, rest].std() for cells in (after, before))
        np.testing.assert_allclose(one, other, atol=1e-8)
        assert after[:, j].std() < 2.0 * after[:, rest].std()


@pytest.mark.parametrize("factor", [10.0, 2.54, 1 / 3])
def test_the_unit_of_a_table_changes_no_digit_that_methods_see(factor):
    X = np.random.default_rng(0).normal(size=(200, 8)) * np.geomspace(1.0, 1e4, 8) + 100.0
    seen = Ensemble().as_judged(X)
    np.testing.assert_array_equal(Ensemble().as_judged(X * factor), seen)
    assert not np.array_equal(Ensemble(units="given").as_judged(X * np.geomspace(1.0, 2.0, 8)), seen)


def test_two_columns_of_which_one_is_rescaled_are_seen_alike():
    X = np.random.default_rng(0).normal(size=(50, 2)) * [1.0, 2.0]
    for j in range(2):
        Y = X.copy()
        Y[:, j] *= 1000.0
        np.testing.assert_allclose(frame_of(Y)(Y).std(axis=0), 1.0)


@pytest.mark.parametrize("far", [[70.0], [70.0, 75.0], [-999.0, -999.0], [70.0, -80.0], [1e3, 1e6], [-9.0, 1e3, 2e3]])
def test_far_cells_are_at_the_edge_and_the_others_are_seen_as_without_them(far):
    x = np.random.default_rng(0).uniform(size=(200, 1))
    X = np.r_[x, np.array(far)[:, None]]
    assert np.flatnonzero(far_cells(X)).tolist() == list(range(200, 200 + len(far)))
    seen = frame_of(X)(X)
    np.testing.assert_allclose(seen[:200], frame_of(x)(x), atol=1e-12)
    width = np.ptp(seen[:200, 0])
    assert np.ptp(seen[:, 0]) <= 3.0 * width + 1e-9
    assert (seen[200:, 0] > seen[:200, 0].max()).tolist() == [value > 0 for value in far]


def test_a_number_that_stands_for_missing_in_many_cells_is_left_where_it_is():
    X = np.r_[np.random.default_rng(0).uniform(size=(200, 1)), np.full((10, 1), -999.0)]
    assert not far_cells(X).any()
    assert far_cells(X[:209]).sum() == 9  # fewer than make a cluster


@pytest.mark.parametrize("n", [12, 40, 400])
def test_nothing_is_far_in_common_distributions_and_counts(n):
    rng = np.random.default_rng(n)
    drawn = [rng.normal(size=n), rng.exponential(size=n), rng.standard_t(3, size=n), rng.poisson(2.0, size=n)]
    drawn += [np.r_[rng.normal(size=n - n // 10), rng.normal(100.0, size=n // 10)] if n > 20 else rng.normal(size=n)]
    drawn += [np.arange(n) % 2, np.r_[np.zeros(n - 1), 1.0], np.r_[np.zeros(n // 2), np.full(n - n // 2, 1e6)]]
    assert not far_cells(np.column_stack(drawn)).any()


def test_slips_of_the_decimal_point_cost_little_and_are_said(tmp_path):
    wine, index, notes = load_wine(), [], []
    for seed in range(10):  # of three the mean hangs on the order of the items
        rng = np.random.default_rng(seed)
        X, rows = wine.data.copy(), rng.choice(178, 9, replace=False)
        for row in rows:
            X[row, rng.integers(13)] *= rng.choice([0.1, 10.0])
        model = SoftClustering(3, random_state=0).fit(X)
        index.append(adjusted_rand(model.labels_, wine.target))
        notes += model.result_.notes
    sound = adjusted_rand(SoftClustering(3, random_state=0).fit(wine.data).labels_, wine.target)
    assert np.mean(index) > sound - 0.2
    assert any("far from all others" in note for note in notes)
    partita.save(model, tmp_path / "model")
    np.testing.assert_array_equal(partita.load(tmp_path / "model").predict(X), model.predict(X))


def test_units_that_differ_throughout_are_standardised():
    X = np.random.default_rng(0).normal(size=(50, 6)) * [1.0, 1.0, 1.0, 30.0, 900.0, 5000.0]
    np.testing.assert_allclose(frame_of(X)(X).std(axis=0), 1.0)


# ----------------------------------------------------------------------------------------------------- fits


@pytest.mark.parametrize("package", BACKENDS)
@pytest.mark.parametrize("gaps", [False, True])
def test_a_frame_of_any_columns_fits_alike_in_every_package(package, gaps):
    frame = gappy(mixed()) if gaps else mixed()
    if gaps:  # masked truth values are objects, which neither polars nor pyarrow has
        frame["flag"] = frame["flag"].astype("boolean")
    model = fitted(BACKENDS[package](frame))
    assert adjusted_rand(model.labels_, TRUTH) > 0.8
    np.testing.assert_array_equal(model.membership_, fitted(frame).membership_)
    assert model.n_features_in_ == 5
    assert model.feature_names_in_.tolist() == ["x", "colour", "y", "flag", "size"]


def test_laws_of_a_fit():
    frame = gappy(mixed())
    model = fitted(frame)
    order = np.random.default_rng(0).permutation(60)
    np.testing.assert_array_equal(fitted(frame.iloc[order]).membership_, model.membership_[order])
    same = {
        "columns": frame[frame.columns[::-1]],
        "names": frame.assign(colour=frame["colour"].map({"blue": "x", "green": "c", "red": "m"})),
        "yes and no": frame.assign(flag=frame["flag"].map({True: "no", False: "yes"})),
        "constant": frame.assign(planet="earth"),
    }
    for other in same.values():
        assert adjusted_rand(fitted(other).labels_, model.labels_) == 1.0
    np.testing.assert_array_equal(fitted(same["constant"]).membership_, model.membership_)


def test_a_weight_of_two_is_a_row_given_twice_and_of_zero_a_row_left_out():
    frame = gappy(mixed())
    frame.loc[30, "colour"] = "a word of its own"
    weights = np.ones(60)
    weights[[3, 30]] = 2.0, 0.0
    weighted = fitted_with(frame, weights)
    given = pd.concat([frame.drop(index=30), frame.iloc[[3]]])
    rows = np.arange(60) != 30
    np.testing.assert_array_equal(weighted.membership_[rows], fitted(given).membership_[:59])


def fitted_with(frame, weights):
    return SoftClustering(3, affinity=QUICK, random_state=0).fit(frame, sample_weight=weights)


@pytest.mark.parametrize("units", ["auto", "standard"])
def test_members_see_the_encoded_rows_in_their_units(units):
    frame = mixed()
    model = fitted(frame, affinity=replace(QUICK, units=units))
    rows = model.encoding_(table_of_frame(frame))
    np.testing.assert_array_equal(fitted(rows, affinity=replace(QUICK, units="given")).membership_, model.membership_)


def test_kinds_of_numbers_with_gaps():
    x, y = mixed()["x"].to_numpy(), mixed()["y"].to_numpy()
    whole = [None if i % 7 == 0 else int(10 * v) for i, v in enumerate(x)]
    X = np.column_stack([[np.nan if v is None else v for v in whole], y.astype(np.float32)])
    expected = fitted(X, missing="unobserved").membership_
    single = y.astype(np.float32)
    for frame in (
        pd.DataFrame({"x": pd.array(whole, dtype="Int64"), "y": single}),
        pl.DataFrame({"x": whole, "y": single}),
        pa.table({"x": whole, "y": single}),
    ):
        np.testing.assert_array_equal(fitted(frame).membership_, expected)


def test_columns_called_by_numbers():
    frame = mixed().set_axis(range(5), axis=1)
    np.testing.assert_array_equal(fitted(frame).membership_, fitted(mixed()).membership_)


def test_numbers_in_a_frame_give_the_bits_of_the_array():
    frame = mixed()[["x", "y"]]
    np.testing.assert_array_equal(fitted(frame).membership_, fitted(frame.to_numpy()).membership_)


def test_gaps_of_an_array_are_an_error_unless_it_is_said_what_they_mean():
    X = gappy(mixed()[["x", "y"]])
    with pytest.raises(InputError, match=r"X\[1, 0\] .*'unobserved'"):
        fitted(X.to_numpy())
    of_array = fitted(X.to_numpy(), missing="unobserved")
    np.testing.assert_array_equal(of_array.membership_, fitted(X).membership_)
    np.testing.assert_array_equal(of_array.predict(X.to_numpy()), of_array.predict(X))


def test_notes_count_the_missing_cells_by_column():
    frame = mixed()
    frame.loc[[1, 2, 3], "x"], frame.loc[7, "colour"] = np.nan, None
    (note,) = (note for note in fitted(frame).result_.notes if "cells are missing" in note)
    assert note.startswith("4 cells are missing (x 3, colour 1)")
    assert not any("missing" in note for note in fitted(mixed()).result_.notes)
    frame = frame.astype(object).astype({"x": float, "y": float})
    frame.loc[9] = None
    assert any("nothing is known of item 9" in note for note in fitted(frame).result_.notes)


def test_new_rows_without_any_value_are_named():
    numbers = mixed()[["x", "y"]]
    model, new = fitted(numbers), numbers.iloc[:3].copy()
    new.loc[1] = np.nan
    of_array = fitted(numbers.to_numpy(), missing="unobserved")
    for score, rows in ((model.predict, new), (model.predict_doubt, new), (of_array.predict, new.to_numpy())):
        with pytest.warns(UnsureWarning, match="item 1,"):
            score(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(new.fillna({"x": 0.0}))


def test_new_items_have_the_columns_of_the_fit_and_unseen_words_are_missing():
    frame = mixed()
    model = fitted(frame)
    assert (model.predict(frame) == model.labels_).mean() > 0.95
    given = table_of_frame(frame)
    turned = MixedTable(given.names[::-1], given.columns[::-1])
    np.testing.assert_array_equal(model.predict_proba(turned), model.predict_proba(frame))
    unseen, gone = frame.assign(colour="mauve"), frame.assign(colour=None)
    with pytest.warns(UnsureWarning, match="colour"):
        found = model.predict_proba(unseen)
    np.testing.assert_array_equal(found, model.predict_proba(gone))
    np.testing.assert_array_equal(model.predict_proba(frame[frame.columns[::-1]]), model.predict_proba(frame))
    numbers = frame[["x", "y"]]
    with pytest.raises(ValueError, match="feature names"):  # as scikit-learn has it for numbers alone
        fitted(numbers).predict(numbers[["y", "x"]])
    with pytest.raises(InputError, match="'Colour'"):
        model.predict(frame.rename(columns={"colour": "Colour"}))
    wrong = frame.drop(columns="y"), frame.assign(z=1.0)
    for other in (*wrong, frame.assign(x="far"), np.zeros((3, 5)), MixedTable(given.names[:4], given.columns[:4])):
        with pytest.raises(ValueError, match=r"(?i)column|feature names"):
            model.predict(other)


def test_values_that_the_fit_did_not_have_are_counted_whatever_their_type():
    encoding = Encoding.of(table(x=[0.0, 2.0, 4.0, 5.0], kids=["yes", "no", "yes", "no"], code=["1234567", "2"] * 2))
    coded = table(x=[0.0, 2.0, 4.0], kids=[1.0, 0.0, np.nan], code=[1234567.0, 2.0, 3.0])
    counted, strongly = encoding.notes(coded)[-2:]
    assert "kids 2, as '1', code 1, as '3'" in counted
    assert strongly == encoding.coded_otherwise(coded)
    assert "'kids' (2 of 2, as '1'; the fit had 'no', 'yes')" in strongly
    assert "code" not in strongly
    assert np.isnan(encoding.plain(coded)).sum(axis=0).tolist() == [0, 3, 3, 1, 1]
    assert encoding.coded_otherwise(table(x=[0.0], kids=["Yes"], code=["2"])) is None


def test_the_note_on_missing_cells_says_what_words_are_filled_with():
    encoding = Encoding.of(table(x=[0.0, 2.0, 4.0], c=["a", "b", "a"]))
    x, c = [0.0, np.nan], [None, "a"]
    for own, said in (({"x": x}, "the mean of"), ({"c": c}, "the shares"), ({"x": x, "c": c}, "the mean, or the")):
        whole = {"x": [0.0, 1.0], "c": ["a", "b"], **own}
        new = MixedTable(("x", "c"), (np.array(whole["x"]), words(whole["c"])))
        assert f"filled with {said}" in encoding.notes(new)[0]


def test_new_items_with_gaps_where_the_fit_had_none():
    frame = mixed()[["x", "y"]]
    model = fitted(frame)
    assert np.isfinite(model.predict_proba(gappy(frame, 0.3))).all()


def test_other_ways_to_fit_take_tables_too():
    frame = gappy(mixed())
    assert adjusted_rand(SoF(3, affinity=QUICK, random_state=0).fit(frame).labels_, TRUTH) > 0.8
    for how in ("standard", "minmax"):
        assert adjusted_rand(fitted(frame, scale_features=how).labels_, TRUTH) > 0.8
    calibrated = fitted(frame, probabilities="calibrated")
    np.testing.assert_allclose(calibrated.predict_proba(frame).sum(axis=1), 1.0)
    own_number = SoftClustering("auto", affinity="ensemble", random_state=0).fit(frame)
    assert own_number.posterior_.n_clusters_ >= 1
    model = fitted(frame)
    np.testing.assert_array_equal(clone(model).fit(frame).membership_, model.membership_)
    model.set_params(affinity="neighbors").fit(frame[["x", "y"]].fillna(0.0))
    assert not hasattr(model, "encoding_")


# ------------------------------------------------------------------------------------------------- refusals

DAYS = pd.date_range("2020-01-01", periods=60)
REFUSED = {
    "dates": (DAYS, "datetime"),
    "dates of Python": (DAYS.date, "dates"),
    "dates as words": (DAYS.strftime("%d.%m.%Y"), "'01.01.2020'"),
    "times": (pd.to_timedelta(np.arange(60), unit="h"), "duration"),
    "names of the rows": ([f"row {i}" for i in range(60)], "--id-column"),
    "numbers and words": ([1, "two"] * 30, "int, str"),
    "lists": ([[1]] * 60, "list"),
    "infinite numbers": ([np.inf] * 60, "row 0"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_columns_that_are_no_evidence_are_refused_by_name(kind):
    values, remedy = REFUSED[kind]
    with pytest.raises(InputError, match=r"'the other' .*") as refused:
        fitted(mixed().assign(**{"the other": values}))
    assert remedy in str(refused.value)


def test_an_error_about_the_table_of_a_file_names_the_file(tmp_path):
    file = tmp_path / "us.csv"
    mixed().assign(day=DAYS.strftime("%Y-%m-%d")).to_csv(file, index=False)
    table = read_features(file, mixed=True, columns=["x", "colour", "day"]).table
    for given in (table, table.rows(np.arange(50)), table.followed_by(table), table.ordered(("day", "x", "colour"))):
        with pytest.raises(InputError, match=r"'day' of us\.csv"):
            Encoding.of(given)
    with pytest.raises(InputError, match=r"'day' of X"):
        fitted(mixed().assign(day=DAYS.strftime("%Y-%m-%d")))


def test_a_label_column_is_no_feature(tmp_path):
    mixed().to_csv(tmp_path / "us.csv", index=False)
    with pytest.raises(InputError, match="--columns"):
        read_features(tmp_path / "us.csv", mixed=True, columns=["x", "colour"], label_column="colour")
    assert read_features(tmp_path / "us.csv", mixed=True, columns=["x", "col*"], label_column="colour").columns == ["x"]


def test_dates_are_categories_where_somebody_says_so(tmp_path):
    days = ["2020-01-01", "2020-02-01"] * 30
    frame = mixed().assign(day=days)
    frame.to_csv(tmp_path / "us.csv", index=False)
    assert "day" not in read_features(tmp_path / "us.csv", mixed=True).columns
    told = read_features(tmp_path / "us.csv", mixed=True, reading=Reading(categories=("day",))).table
    for given in (told, told.rows(np.arange(50)), told.ordered(("day", *(n for n in told.names if n != "day")))):
        encoding = Encoding.of(given)
        assert encoding.categories[given.names.index("day")] == ("2020-01-01", "2020-02-01")
    model = fitted(frame.assign(day=frame["day"].astype("category")))
    assert "day = 2020-01-01" in model.encoding_.labels


@pytest.mark.parametrize("empty", [[None] * 60, [np.nan] * 60], ids=["words", "numbers"])
def test_a_column_without_a_value_is_left_out_and_said(empty):
    model = fitted(mixed().assign(**{"the other": empty}))
    np.testing.assert_array_equal(model.membership_, fitted(mixed()).membership_)
    assert "the other holds no value and is left out" in model.result_.notes
    assert not any("missing" in note for note in model.result_.notes)  # nothing was filled in
    new = mixed().assign(**{"the other": np.arange(60.0)})
    np.testing.assert_array_equal(model.predict(new), model.predict(mixed().assign(**{"the other": empty})))


def test_words_and_gaps_keep_the_ensemble_however_little_time_there_is():
    hurried = SoftClustering(2, max_seconds=0.3, random_state=0).fit(mixed())
    assert hurried.chosen_["affinity"].value == "ensemble"
    assert "1 draw of each method in the place of 3" in hurried.chosen_["affinity"].why


def test_other_affinities_name_the_one_that_takes_words():
    with pytest.raises(InputError, match=r"'colour' .*affinity='ensemble'"):
        fitted(mixed(), affinity="neighbors")
    with pytest.raises(InputError, match="ensemble"):
        fitted(example(), affinity="neighbors")


# ------------------------------------------------------------------------------------- saved models and files


@pytest.mark.parametrize("settings", [{}, {"probabilities": "calibrated"}])
def test_a_saved_model_scores_tables_to_the_bit(tmp_path, settings):
    frame = gappy(mixed())
    model = fitted(frame, **settings)
    partita.save(model, tmp_path / "model")
    again = partita.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))
    assert again.encoding_.labels == model.encoding_.labels


def test_scaled_numbers_beside_a_constant_column_of_words_are_saved(tmp_path):
    frame = gappy(mixed()[["x", "y"]]).assign(planet="earth")
    model = fitted(frame, scale_features="standard")
    partita.save(model, tmp_path / "model")
    np.testing.assert_array_equal(partita.load(tmp_path / "model").predict(frame), model.predict(frame))


def test_a_damaged_encoding_is_refused(tmp_path):
    partita.save(fitted(mixed()), tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    told = json.loads(file.read_text())
    told["config"]["encoding"]["categories"][1].append("another")
    file.write_text(json.dumps(told))
    with pytest.raises(ModelError, match=r"encoding .*9 columns"):
        partita.load(tmp_path / "model")


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "tsv", "parquet"])
def test_files_hold_what_frames_hold(suffix, tmp_path):
    frame, file = gappy(mixed()), tmp_path / f"table.{suffix}"
    frame["flag"] = frame["flag"].astype("boolean")
    frame["size"] = frame["size"].map({"1": "one", "2": "two"})  # text cannot say that 1 is a name
    if suffix == "parquet":
        frame.to_parquet(file)
    else:
        frame.to_csv(file, index=False, sep="\t" if suffix == "tsv" else ",")
    found = read_features(file, mixed=True).table
    assert found.numeric == [True, False, True, False, False]
    np.testing.assert_array_equal(fitted(found).membership_, fitted(frame).membership_)


def test_a_number_misspelled_in_a_file_is_still_a_mistake(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("x,c\n1,a\n2,b\n3O,a\n4,\n")
    with pytest.raises(InputError, match=r"'x' .*line 4.*'3O'"):
        read_features(file, mixed=True)
    file.write_text("x,c\n1,a\n2,b\n3,a\n4,\n")
    assert read_features(file, mixed=True).table.columns[1].tolist() == ["a", "b", "a", None]
    with pytest.raises(InputError, match="'c'"):
        read_features(file)


def test_dates_in_parquet_are_left_out_and_said(tmp_path):
    file = tmp_path / "table.parquet"
    mixed().assign(day=DAYS).to_parquet(file)
    table = read_features(file, mixed=True)
    assert "day" not in table.columns
    assert any("'day' was left out: dates" in note for note in table.notes)


# ------------------------------------------------------------------------------------------------ labels of such rows


def two_that_differ_in_one_column(seed=0):
    """Three clusters of 50, two of which differ in the second column alone, which 24 of their rows lack."""
    rng, truth = np.random.default_rng(seed), np.arange(150) % 3
    X = np.c_[np.array([0, 10, 10])[truth], np.array([0, 0, 10])[truth]] + rng.normal(size=(150, 2))
    lacking = rng.choice(np.flatnonzero(truth > 0), 24, replace=False)
    X[lacking, 1] = np.nan
    return X, truth, lacking


def test_a_label_that_hangs_on_a_missing_cell_is_not_certain():
    X, _, lacking = two_that_differ_in_one_column()
    model = SoftClustering(missing="unobserved", random_state=0).fit(X)
    assert model.n_clusters_ == 3
    whole = np.setdiff1d(np.arange(150), lacking)
    assert model.certainty_[lacking].mean() < 0.75
    assert model.certainty_[whole].mean() > 0.97
    confident = model.confident(0.05).mask
    assert confident[whole].all()
    assert not confident[lacking].all()
    as_fitted = SoftClustering(3, probabilities="fitted", missing="unobserved", random_state=0).fit(X)
    assert as_fitted.certainty_[lacking].mean() < 0.75 < as_fitted.membership_[lacking].max(axis=1).mean()


def test_certainty_of_rows_with_missing_cells_is_how_often_their_labels_are_right():
    rng, truth = np.random.default_rng(0), np.arange(1500) % 3
    X = rng.normal(size=(1500, 4)) + 3.0 * np.eye(3, 4)[truth]
    X[rng.random(X.shape) < 0.1] = np.nan
    model = SoftClustering(3, missing="unobserved", random_state=0).fit(X)
    lacking = np.isnan(X).any(axis=1)
    right = np.eye(3)[truth].T @ np.eye(3)[model.labels_]
    labels = right.argmax(axis=0)[model.labels_]
    assert abs(model.certainty_[lacking].mean() - (labels == truth)[lacking].mean()) < 0.07


# ------------------------------------------------------------------------------------- memberships of such rows


def ways_of(X, donors, known, n):
    """Rows with missing cells and how they were completed, blocks put together."""
    blocks = list(fillings(X, donors, known, n))
    return np.concatenate([rows for rows, _ in blocks]), np.concatenate([ways for _, ways in blocks], axis=1)


def test_each_way_of_completing_a_row_has_the_cells_of_one_row_like_it(monkeypatch):
    rng = np.random.default_rng(0)
    donors = rng.normal(size=(80, 4))
    X = rng.normal(size=(30, 4))
    lacking = rng.random(X.shape) < [0.0, 0.3, 0.3, 0.3]
    X[lacking] = np.nan
    rows, ways = ways_of(X, donors, np.ones_like(donors, dtype=bool), 7)
    assert rows.tolist() == np.flatnonzero(lacking.any(axis=1)).tolist()
    own = ~lacking[rows]
    np.testing.assert_array_equal(ways[:, own], np.broadcast_to(X[rows][own], (7, own.sum())))
    for at, row in enumerate(rows):
        know, gaps = ~lacking[row], lacking[row]
        away = ((donors[:, know] - X[row, know]) ** 2).sum(axis=1)
        nearest = np.argsort(away)[:7]
        np.testing.assert_array_equal(ways[:, at][:, gaps], donors[nearest][:, gaps])
    monkeypatch.setattr("partita.kernels.fill.BLOCK", 1)
    np.testing.assert_array_equal(ways_of(X, donors, np.ones_like(donors, dtype=bool), 7)[1], ways)


def test_cells_that_were_filled_in_fill_nothing():
    donors = np.array([[0.0, 5.0], [0.1, 6.0], [0.2, 7.0], [9.0, 8.0]])
    known = np.array([[True, False], [True, True], [True, True], [True, True]])
    _, ways = ways_of(np.array([[0.0, np.nan]]), donors, known, 5)
    assert ways[:, 0, 1].tolist() == [6.0, 7.0, 8.0, 6.0, 7.0]  # the three that have it, the nearest first, and again


def test_a_row_of_which_nothing_is_known_may_be_any():
    donors = np.arange(200.0)[:, None]
    _, ways = ways_of(np.array([[np.nan]]), donors, np.ones_like(donors, dtype=bool), 20)
    assert 60 < ways.mean() < 140
    assert len(np.unique(ways)) == 20


@pytest.mark.parametrize("k", [3, "auto"])
def test_a_row_that_lacks_what_tells_clusters_apart_belongs_to_both(k):
    X, _, lacking = two_that_differ_in_one_column()
    model = SoftClustering(k, missing="unobserved", random_state=0).fit(X)
    assert model.n_clusters_ == 3
    whole = np.setdiff1d(np.arange(150), lacking)
    assert model.membership_[lacking].max(axis=1).mean() < 0.75
    assert model.membership_[whole].max(axis=1).mean() > 0.97
    np.testing.assert_array_equal(model.labels_[lacking], model.membership_[lacking].argmax(axis=1))
    assert sum(note.startswith("24 rows have memberships") for note in model.result_.notes) == 1
    # What the fit was, and what is said of new rows.
    assert model.result_.membership.matrix[lacking].max(axis=1).mean() > 0.85
    foretold = model.predict_proba(X)
    assert np.abs(foretold - model.membership_).max() < 0.1
    assert foretold[lacking].max(axis=1).mean() < 0.75
    np.testing.assert_allclose(foretold[whole], model.predict_proba(X[whole]))
    np.testing.assert_allclose(foretold[lacking[:2]], model.predict_proba(X[lacking[:2]]), atol=1e-9)


def test_what_a_row_is_expected_to_be_is_the_membership_of_its_mean_affinities():
    X = gaussians(TRUTH, [[0, 0], [4, 0], [0, 4]], 0)
    extension = SoftClustering(3, affinity=QUICK, probabilities="fitted", random_state=0).fit(X)._extension
    assert extension.folded
    ways = np.random.default_rng(1).normal(2.0, 2.0, size=(4, 5, 2))
    images = np.mean([extension.evidence.images(way).toarray() for way in ways], axis=0)
    np.testing.assert_allclose(extension.expected(ways), extension._solved(images), atol=1e-8)
    np.testing.assert_allclose(extension.expected(ways[:1]), extension.membership(ways[0]), atol=1e-8)
    rows = extension.evidence.rows(ways[0])
    np.testing.assert_allclose(rows, extension.evidence.images(ways[0]) @ extension.evidence._factor.T.toarray())
    # By a sample of the fitted items: those that are kept say the same of themselves.
    thin = extension.evidence.thinned(30)
    kept = [row for row in X if (extension.evidence._frame(row[None]) == thin._X).all(axis=1).any()]
    assert len(kept) == 30
    np.testing.assert_array_equal(
        thin.images(np.array(kept)).toarray(), extension.evidence.images(np.array(kept)).toarray()
    )
    assert extension.evidence.thinned(60) is extension.evidence


def test_memberships_that_were_asked_for_as_fitted_or_linked_stay():
    X, truth, lacking = two_that_differ_in_one_column()
    how = {"n_clusters": 3, "missing": "unobserved", "random_state": 0}
    as_fitted = SoftClustering(**how, probabilities="fitted").fit(X)
    np.testing.assert_array_equal(as_fitted.membership_, as_fitted.result_.membership.matrix)
    pair = np.array([[lacking[0], np.flatnonzero(truth == 2)[0]]])
    linked = SoftClustering(**how).fit(X, must_link=pair)
    np.testing.assert_array_equal(*linked.membership_[pair[0]])


def test_no_density_is_made_of_rows_that_were_mostly_filled_in():
    rng, truth = np.random.default_rng(0), np.arange(240) % 3
    X = gaussians(truth, [[0, 0, 0], [4, 0, 0], [0, 4, 0]], rng)
    how = {"n_clusters": 3, "missing": "unobserved", "random_state": 0}
    assert SoftClustering(**how).fit(X).chosen_["probabilities"].value == "calibrated"
    few, many = X.copy(), X.copy()
    few[rng.choice(240, 40, replace=False), 2] = np.nan
    many[rng.choice(240, 80, replace=False), 2] = np.nan
    assert SoftClustering(**how).fit(few).chosen_["probabilities"].value == "calibrated"
    taken = SoftClustering(**how).fit(many).chosen_["probabilities"]
    assert taken.value == "fitted"
    assert taken.why.startswith("33% of the rows have missing cells")


def test_a_saved_model_says_the_same_of_rows_with_missing_cells(tmp_path):
    X, _, lacking = two_that_differ_in_one_column()
    model = SoftClustering(3, missing="unobserved", random_state=0).fit(X)
    partita.save(model, tmp_path / "model")
    np.testing.assert_array_equal(
        partita.load(tmp_path / "model").predict_proba(X[lacking]), model.predict_proba(X[lacking])
    )
    assert model.at(2).membership_.shape == (150, 2)


# Marks -------------------------------------------------------------------------------------------------------------


def ticked(mark, blank):
    """Boxes that two groups tick with other probabilities, and the groups."""
    rng = np.random.default_rng(7)
    group = rng.integers(0, 2, 250)
    chance = np.array([[0.9, 0.8, 0.1, 0.1, 0.9], [0.1, 0.2, 0.9, 0.85, 0.1]])[group]
    boxes = np.where(rng.random(chance.shape) < chance, mark, blank)
    return pd.DataFrame({f"box {at}": column for at, column in enumerate(boxes.T)}), group


@pytest.mark.parametrize(("mark", "blank"), [("x", None), (1.0, np.nan), ("x", "no")])
def test_a_box_that_was_not_ticked_is_an_answer(mark, blank):
    frame, group = ticked(mark, blank)
    model = SoftClustering(random_state=0).fit(frame)
    assert model.n_clusters_ == 2
    assert adjusted_rand(group, model.labels_) > 0.9
    said = [note for note in model.result_.notes if "answer of its own" in note]
    assert len(said) == (blank != "no")
    assert not any("missing (" in note for note in model.result_.notes)
    np.testing.assert_array_equal(model.predict(frame), model.labels_)


def test_new_rows_with_no_box_ticked_are_no_rows_of_which_nothing_is_known(tmp_path):
    frame, _ = ticked("x", None)
    model = SoftClustering(2, random_state=0).fit(frame)
    none = frame.iloc[:1].copy()
    none.iloc[0] = None
    as_no, _ = ticked("x", "no")
    other = SoftClustering(2, random_state=0).fit(as_no)
    none_of = as_no.iloc[:1].copy()
    none_of.iloc[0] = "no"
    np.testing.assert_allclose(model.predict_proba(none), other.predict_proba(none_of), atol=1e-9)
    partita.save(model, tmp_path / "m")
    np.testing.assert_array_equal(partita.load(tmp_path / "m").predict_proba(none), model.predict_proba(none))


@pytest.mark.parametrize(("n_blank", "boxes"), [(0, False), (1, False), (20, True), (199, False), (200, False)])
def test_a_value_with_hardly_a_blank_or_hardly_anything_else_is_no_box(n_blank, boxes):
    column = np.array(["x"] * (200 - n_blank) + [None] * n_blank, dtype=object)
    assert is_marks(column) == boxes
    assert not is_marks(np.where(np.arange(200) == 0, "y", column))
    assert is_marks(np.where(column == "x", 1.0, np.nan)) == boxes
    assert not is_marks(np.where(column == "x", 0.0, np.nan))  # a measurement that is mostly there


def test_the_word_for_a_blank_may_be_a_word_of_a_table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=60), "c": np.array(["(blank)", "u", "v", None])[np.arange(60) % 4]})
    model = SoftClustering(2, probabilities="fitted", random_state=0).fit(frame)
    assert any("cells are missing (c 15)" in note for note in model.result_.notes)
    assert not any("answer of its own" in note for note in model.result_.notes)


def test_infinite_marks_are_refused_at_prediction_too():
    frame, _ = ticked(1.0, np.nan)
    model = SoftClustering(2, random_state=0).fit(frame)
    frame.iloc[0, 0] = np.inf
    with pytest.raises(InputError, match="infinite"):
        model.predict(frame)


def test_blanks_are_explained_as_the_fit_took_them():
    frame, _ = ticked("x", None)
    model = SoftClustering(2, random_state=0).fit(frame)
    assert "(blank)" in str(model.explain())
    assert str(model.explain(frame)) == str(model.explain())
