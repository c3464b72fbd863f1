"""Feature tables: what is read from each format, and that every bad input is named with its place and its remedy."""

import gzip
import io
import re
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optional import optional
from partita.errors import InputError, MemoryLimitError, MissingExtraError
from partita.io import read_features, sha256_of_file

pa, pq = optional("pyarrow"), optional("pyarrow.parquet")


def write(folder, name, content):
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def error_of(file, **options):
    with pytest.raises(InputError) as caught:
        read_features(file, **options)
    message = str(caught.value)
    assert str(file) in message
    return message


# ---------------------------------------------------------------- text that is read


@pytest.mark.parametrize(
    "content",
    [
        "a,b\n1,2\n3,4\n",
        "a,b\r\n1,2\r\n3,4\r\n",
        "\ufeffa,b\n1,2\n3,4",
        '"a","b"\n"1","2"\n3,4\n\n\n',
        " a , b \n 1, 2\n3 ,4\n",
        "\n\na,b\n1,2\n\n3,4\n",
        "a,b\n1,2\n3,4\n   \n",
        '"a\n","b"\n1,2\n3,4\n',
    ],
    ids=["plain", "crlf", "bom", "quotes", "spaces", "blank lines", "spaces at the end", "line end in a name"],
)
def test_every_way_to_write_csv_gives_the_same_table(tmp_path, content):
    table = read_features(write(tmp_path, "t.csv", content))
    assert np.array_equal(table.features, [[1, 2], [3, 4]])
    assert table.features.dtype == np.float64
    assert table.columns == ["a", "b"]
    assert table.ids == ["0", "1"]
    assert table.labels is None
    assert table.notes == []


def test_tsv_and_gzip_are_read(tmp_path):
    expected = [[1, 2], [3, 4]]
    assert np.array_equal(read_features(write(tmp_path, "t.TSV", "a\tb\n1\t2\n3\t4\n")).features, expected)
    packed = gzip.compress(b"a,b,c\n1,2,x\n3,4,y\n")
    assert np.array_equal(read_features(write(tmp_path, "t.csv.gz", packed), label_column="c").features, expected)
    assert np.array_equal(
        read_features(write(tmp_path, "u.csv.gz", gzip.compress(b"a,b\n1,2\n3,4"))).features, expected
    )


@pytest.mark.parametrize("lines", [["1,2", "3,4"], ["1,2", "3,4", ""], ["1,", "3,4"]])
def test_a_numeric_first_row_is_data_and_a_note_says_so(tmp_path, lines):
    table = read_features(write(tmp_path, "t.csv", "\n".join(lines)), allow_missing=True)
    assert table.features[1].tolist() == [3, 4]
    assert len(table.features) == 2
    assert table.columns == ["column_0", "column_1"]
    assert "first row is numeric" in table.notes[0]


def test_counted_columns_as_pandas_writes_them_are_a_header_and_a_note_says_so(tmp_path):
    table = read_features(write(tmp_path, "t.csv", "0,1,2\n5,6,7\n"))
    assert table.features.tolist() == [[5, 6, 7]]
    assert "read as a header" in table.notes[0]


def test_two_columns_that_start_with_0_and_1_are_data(tmp_path):
    assert read_features(write(tmp_path, "t.csv", "0,1\n1,0\n")).features.tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize("header", ["city,2020,2021\n", ""])
def test_words_and_numbers_mixed_in_the_first_row(tmp_path, header):
    file = write(tmp_path, "t.csv", f"{header}Paris,3,4\nRome,5,6\n")
    table = read_features(file, id_column="city" if header else "column_0")
    assert table.features.tolist() == [[3, 4], [5, 6]]
    assert table.ids == ["Paris", "Rome"]


def test_a_missing_cell_in_the_first_row_does_not_make_it_a_header(tmp_path):
    table = read_features(write(tmp_path, "t.csv", "1,NA,3\n4,5,6\n"), allow_missing=True)
    assert table.features.shape == (2, 3)


def test_label_and_id_columns_are_not_features(tmp_path):
    file = write(tmp_path, "t.csv", "name,x,Label,z\nann, 1,rose,2\nbob,3, lily ,4\n")
    table = read_features(file, label_column="Label", id_column="name")
    assert table.features.tolist() == [[1, 2], [3, 4]]
    assert table.columns == ["x", "z"]
    assert table.ids == ["ann", "bob"]
    assert table.labels.tolist() == ["rose", "lily"]
    assert table.labels.dtype.kind == "U"
    assert table.sha256 == sha256_of_file(file)
    assert table.path == file


def test_numeric_ids_are_words(tmp_path):
    table = read_features(write(tmp_path, "t.csv", "id,x\n007,1\n8,2\n"), id_column="id")
    assert table.ids == ["007", "8"]


def test_a_column_of_ids_nobody_named_names_the_items_and_a_note_says_so(tmp_path):
    table = read_features(write(tmp_path, "t.csv", "id,x\n007,1\n8,2\n"))
    assert (table.columns, table.ids) == (["x"], ["007", "8"])
    assert "'id' names the items" in table.notes[0]
    pandas_index = read_features(write(tmp_path, "u.csv", ",a\n0,1\n1,2\n"))
    assert (pandas_index.columns, pandas_index.ids) == (["a"], ["0", "1"])


def test_booleans_become_zero_and_one(tmp_path):
    table = read_features(write(tmp_path, "t.csv", "x,b\n1,True\n2,false\n3,TRUE\n"))
    assert table.features[:, 1].tolist() == [1, 0, 1]


@pytest.mark.parametrize("word", ["", "NA", "nan", " ", "null", "?"])
def test_missing_cells_become_nan_where_they_are_allowed(tmp_path, word):
    file = write(tmp_path, "t.csv", f"x,b\n1,{word}\n2,3\n")
    table = read_features(file, allow_missing=True)
    assert np.array_equal(table.features, [[1, np.nan], [2, 3]], equal_nan=True)


def test_one_column(tmp_path):
    assert read_features(write(tmp_path, "t.csv", "x\n1\n2\n\n\n")).features.tolist() == [[1], [2]]


def test_a_blank_line_inside_one_column_is_a_missing_cell(tmp_path):
    assert "line 3, column 'x'" in error_of(write(tmp_path, "t.csv", "x\n1\n\n2\n"))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(*[st.floats(allow_nan=False, allow_infinity=False)] * 3), min_size=1, max_size=8))
def test_numbers_are_read_to_the_last_digit(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("digits")
    text = "a,b,c\n" + "".join(",".join(repr(value) for value in row) + "\n" for row in rows)
    assert np.array_equal(read_features(write(folder, "t.csv", text)).features, rows)
    # A boolean sends the file through the slow pass: both have to read the same numbers.
    slow = "a,b,c,d\n" + "".join(",".join(repr(value) for value in row) + ",true\n" for row in rows)
    assert np.array_equal(read_features(write(folder, "s.csv", slow)).features[:, :3], rows)


# ---------------------------------------------------------------- text that is refused

BAD_TEXT = {
    "missing cell": ("a,b\n1,2\n3,\n", {}, ["line 3, column 'b'", "missing", "--missing unobserved"]),
    "nan cell": ("a,b\n1,2\nnan,1\n", {}, ["line 3, column 'a'", "missing"]),
    "infinite cell": ("a,b\n1,2\n3,inf\n", {}, ["line 3, column 'b'", "infinite"]),
    "infinite though missing is allowed": ("a,b\n1,\n3,-inf\n", {"allow_missing": True}, ["line 3, column 'b'"]),
    "many missing": ("a,b\n" + ",\n" * 9, {}, ["18 cells are missing", "line 2, column 'a'", "13 more"]),
    "text column": (
        "a,city\n1,Paris\n2,Rome\n",
        {},
        ["column 'city'", "2 of 2 cells", "line 2: 'Paris'", "--id-column city", "--label-column city"],
    ),
    "two text columns": ("a,b,c\n1,x,y\n2,x,y\n", {}, ["column 'b'", "'c'"]),
    "one text cell": ("a,b\n1,2\n1,2\n3,4x\n", {}, ["column 'b'", "1 of 3 cells", "line 4: '4x'", "--na 4x"]),
    "digit separators": ("a,b\n1,2\n1,2\n3,1_000\n", {}, ["column 'b'", "'1_000'"]),
    "boolean among numbers": ("a,b\n1,2\n1,2\n3,true\n", {}, ["column 'b'", "'true'"]),
    "text column beside a label": ("a,b,c\n1,x,y\n", {"label_column": "c"}, ["column 'b'", "'x'"]),
    "label": ("a,label\n1,2\n", {}, ["column 'label'", "--label-column label"]),
    "Class": ("a,Class\n1,2\n", {}, ["column 'Class'", "--label-column Class"]),
    "TARGET": ("a,TARGET\n1,2\n", {}, ["--label-column TARGET"]),
    "y": ("x,y\n1,2\n", {}, ["--label-column y"]),
    "y beside a label": ("u,y,label\n1,2,3\n", {"label_column": "label"}, ["--label-column y"]),
    "unknown label column": (
        "a,species\n1,2\n",
        {"label_column": "speceis"},
        ["'speceis'", "--label-column", "a, species", "'species'?"],
    ),
    "unknown id column": ("a,b\n1,2\n", {"id_column": "name"}, ["'name'", "--id-column", "a, b"]),
    "header only": ("a,b\n", {}, ["header"]),
    "header only with label": ("a,b\n", {"label_column": "b"}, ["header"]),
    "blank lines only": ("\n\n", {}, ["bad.csv"]),
    "too few cells": ("a,b\n1,2\n3\n", {}, ["line 3", "expected 2", "found 1"]),
    "too many cells": ("a,b\n1,2\n\n3,4,5\n", {}, ["line 4", "expected 2", "found 3"]),
    "too many cells beside a label": ("a,b,c\n1,2,x\n3,4,y,5\n", {"label_column": "c"}, ["line 3", "found 4"]),
    "all rows wider than the header": ("a,b\n1,2,3\n4,5,6\n", {}, ["line 2", "expected 2", "found 3"]),
    "label column of two": ("a,b,a\n1,2,3\n", {"label_column": "a"}, ["--label-column a", "2 columns"]),
    "duplicate ids": (
        "n,a\nann,1\nbob,2\nann,3\n",
        {"id_column": "n"},
        ["id 'ann'", "line 2", "line 4"],
    ),
    "empty id": ("n,a\nann,1\n,2\n", {"id_column": "n"}, ["id column 'n'", "line 3"]),
    "empty label": ("n,a\nann,1\n,2\n", {"label_column": "n"}, ["label column 'n'", "line 3"]),
    "no features left": ("n,l\nann,1\n", {"id_column": "n", "label_column": "l"}, ["no column is left"]),
    "no name and no names of rows": (",a\n0,1\n0,2\n", {}, ["first column", "--drop", "index=False"]),
    "no text": (b"a,b\n1,\x01\x02\n", {}, ["--encoding"]),
    "open quote": ('a,b\n1,"2\n3,4\n', {}, ["quotes"]),
}


@pytest.mark.parametrize("case", BAD_TEXT)
def test_bad_text_is_named_with_place_and_remedy(tmp_path, case):
    content, options, words = BAD_TEXT[case]
    message = error_of(write(tmp_path, "bad.csv", content), **options)
    for word in words:
        assert word in message


def test_one_column_for_two_purposes(tmp_path):
    file = write(tmp_path, "t.csv", "a,b\n1,2\n")
    with pytest.raises(InputError, match="both 'a'"):
        read_features(file, label_column="a", id_column="a")


def test_no_file_an_empty_file_a_folder_and_an_unknown_suffix(tmp_path):
    write(tmp_path, "items.csv", "a\n1\n")
    assert "'items.csv'" in error_of(tmp_path / "itmes.csv")
    error_of(tmp_path / "nowhere" / "x.csv")
    assert "0 bytes" in error_of(write(tmp_path, "e.csv", ""))
    error_of(tmp_path)
    message = error_of(write(tmp_path, "t.pdf", "?"))
    for suffix in (".pdf", ".csv", ".tsv", ".txt", ".xlsx", ".ods", ".npy", ".npz", ".parquet"):
        assert suffix in message
    assert "(no suffix)" in error_of(write(tmp_path, "table", "?"))


def test_a_cut_off_gzip_file(tmp_path):
    whole = gzip.compress(np.random.default_rng(0).bytes(5000).hex().encode())
    assert "gzip" in error_of(write(tmp_path, "t.csv.gz", whole[:-100]))
    assert "gzip" in error_of(write(tmp_path, "u.csv.gz", "a,b\n1,2\n"))


def test_a_key_is_for_npz_only(tmp_path):
    assert "--key" in error_of(write(tmp_path, "t.csv", "a\n1\n"), key="X")


def test_a_large_clean_table_goes_through_the_fast_parser(tmp_path, monkeypatch):
    from partita.io import tables

    def refuse(*_):
        raise AssertionError("a clean file was read row by row")

    monkeypatch.setattr(tables.TextTable, "_slow", refuse)
    file = write(tmp_path, "t.csv", "a,b,label\n" + "1.5,2,x\n" * 1000)
    assert read_features(file, label_column="label").features.shape == (1000, 2)


# ---------------------------------------------------------------- NumPy files


def test_npy_is_read_as_float64(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(6, dtype=np.int32).reshape(3, 2, order="F"))
    table = read_features(tmp_path / "x.npy")
    assert table.features.dtype == np.float64
    assert np.array_equal(table.features, np.arange(6).reshape(3, 2, order="F"))
    assert table.columns == ["column_0", "column_1"]
    np.save(tmp_path / "b.npy", np.array([[True, False]]))
    assert read_features(tmp_path / "b.npy").features.tolist() == [[1, 0]]


def test_a_column_of_npy_may_be_the_label(tmp_path):
    np.save(tmp_path / "x.npy", np.array([[1.5, 0], [2.5, 1]]))
    table = read_features(tmp_path / "x.npy", label_column="column_1")
    assert table.features.tolist() == [[1.5], [2.5]]
    assert table.labels.tolist() == ["0", "1"]


def test_npz_takes_key_then_x_then_the_only_matrix(tmp_path):
    x, z = np.ones((3, 2)), np.zeros((4, 2))
    np.savez(tmp_path / "a.npz", X=x, Z=z, y=np.arange(3), name=np.array(["a", "b", "c"]))
    table = read_features(tmp_path / "a.npz")
    assert np.array_equal(table.features, x)
    assert table.labels is None
    assert np.array_equal(read_features(tmp_path / "a.npz", key="Z").features, z)
    table = read_features(tmp_path / "a.npz", label_column="y", id_column="name")
    assert table.labels.tolist() == ["0", "1", "2"]
    assert table.ids == ["a", "b", "c"]
    np.savez_compressed(tmp_path / "b.npz", only=z, y=np.arange(4))
    assert np.array_equal(read_features(tmp_path / "b.npz").features, z)


ARRAYS = {
    "1-D": (np.arange(3.0), ["2-D", "(3,)", "(N, 1)"]),
    "3-D": (np.zeros((2, 2, 2)), ["(2, 2, 2)"]),
    "no rows": (np.zeros((0, 2)), ["(0, 2)"]),
    "no columns": (np.zeros((2, 0)), ["(2, 0)"]),
    "complex": (np.zeros((2, 2), complex), ["complex128"]),
    "objects": (np.array([[1, "a"]], dtype=object), ["objects"]),
    "strings": (np.array([["a", "b"]]), ["<U1"]),
    "structured": (np.zeros((2, 2), dtype=[("a", float)]), ["'a'"]),
    "nan": (np.array([[1, 2], [np.nan, 3]]), ["row 2, column 'column_0'", "--missing"]),
    "infinite": (np.array([[1, 2], [np.inf, 3]]), ["row 2, column 'column_0'", "infinite"]),
}


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
@pytest.mark.parametrize("case", ARRAYS)
def test_bad_arrays_are_named_with_place_and_remedy(tmp_path, case, suffix):
    array, words = ARRAYS[case]
    file = tmp_path / f"x{suffix}"
    np.save(file, array, allow_pickle=True) if suffix == ".npy" else np.savez(file, X=array)
    message = error_of(file)
    for word in words:
        assert word in message


def test_npz_lists_what_there_is(tmp_path):
    file = tmp_path / "a.npz"
    np.savez(file, left=np.ones((3, 2)), right=np.ones((3, 2)), short=np.arange(2))
    message = error_of(file)
    assert "2 arrays" in message
    assert "left (3, 2)" in message
    assert "--key" in message
    assert "'left'" in error_of(file, key="lef")
    assert "'labels'" in error_of(file, key="left", label_column="labels")
    assert "2 entries for 3 items" in error_of(file, key="left", label_column="short")
    assert "should be 1-D" in error_of(file, key="left", label_column="right")
    np.savez(file, short=np.arange(2))
    assert "2 dimensions" in error_of(file)


def test_broken_numpy_files(tmp_path):
    buffer = io.BytesIO()
    np.save(buffer, np.ones((50, 2)))
    assert "save it again" in error_of(write(tmp_path, "a.npy", b"not numpy at all"))
    assert "save it again" in error_of(write(tmp_path, "b.npy", buffer.getvalue()[:-40]))
    assert "save it again" in error_of(write(tmp_path, "c.npz", b"PK\x03\x04 not a zip"))
    with zipfile.ZipFile(tmp_path / "d.npz", "w") as archive:
        archive.writestr("X.npy", buffer.getvalue()[:-40])
    assert "save it again" in error_of(tmp_path / "d.npz")
    with zipfile.ZipFile(tmp_path / "e.npz", "w") as archive:
        archive.writestr("X.npy", b"junk")
    assert "save it again" in error_of(tmp_path / "e.npz")


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_too_large_an_array_is_refused_by_its_header(tmp_path, suffix, monkeypatch):
    file = tmp_path / f"x{suffix}"
    np.save(file, np.ones((100, 10))) if suffix == ".npy" else np.savez(file, X=np.ones((100, 10)))
    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", "5000")
    with pytest.raises(MemoryLimitError, match=re.escape(str(file))):
        read_features(file)


# ---------------------------------------------------------------- parquet


def parquet(folder, columns):
    pq.write_table(pa.table(columns), folder / "t.parquet")
    return folder / "t.parquet"


def test_parquet_columns_of_every_kind(tmp_path):
    file = parquet(
        tmp_path,
        {
            "name": ["ann", "bob"],
            "x": pa.array([1, 2], pa.int8()),
            "b": [True, False],
            "label": pa.array(["r", "s"]).dictionary_encode(),
            "z": pa.array([1.5, None], pa.float32()),
            "__index_level_0__": [4, 5],
        },
    )
    table = read_features(file, id_column="name", label_column="label", allow_missing=True)
    assert np.array_equal(table.features, [[1, 1, 1.5], [2, 0, np.nan]], equal_nan=True)
    assert table.columns == ["x", "b", "z"]
    assert table.ids == ["ann", "bob"]
    assert table.labels.tolist() == ["r", "s"]
    assert "pandas index" in table.notes[0]
    assert "row 2, column 'z'" in error_of(file, id_column="name", label_column="label")
    assert "--label-column label" in error_of(file)


def test_null_booleans_and_integers_are_missing(tmp_path):
    file = parquet(tmp_path, {"b": [True, None], "i": pa.array([None, 3])})
    table = read_features(file, allow_missing=True)
    assert np.array_equal(table.features, [[1, np.nan], [np.nan, 3]], equal_nan=True)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"a": [1.0], "city": ["Paris"]}, ["column 'city'", "string", "'Paris'", "--id-column city"]),
        ({"a": [[1, 2]]}, ["column 'a'", "a list in each cell", "frame['a']"]),
        ({"a": []}, ["t.parquet"]),
        ({}, ["columns"]),
        ({"a": [1.0, float("inf")]}, ["row 2, column 'a'", "infinite"]),
    ],
)
def test_bad_parquet_is_named(tmp_path, columns, words):
    columns = {name: values or pa.array([], pa.float64()) for name, values in columns.items()}
    message = error_of(parquet(tmp_path, columns))
    for word in words:
        assert word in message


def test_broken_parquet(tmp_path):
    assert "parquet file (" in error_of(write(tmp_path, "t.parquet", b"PAR1 nothing PAR1"))


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    with pytest.raises(MissingExtraError, match=r"partita\[parquet\]"):
        read_features(write(tmp_path, "t.parquet", "x"))


def test_hash_of_a_missing_file(tmp_path):
    with pytest.raises(InputError, match=re.escape(str(tmp_path / "x"))):
        sha256_of_file(tmp_path / "x")


@pytest.mark.parametrize(
    ("text", "options", "accepted"),
    [
        ("x,y,label\n0,1,a\n1,0,b\n", {"label_column": "label"}, True),
        ("x,y\n0.5,1.25\n1,0\n", {}, True),
        ("x,y\n0.5,1\n1,0\n", {}, False),
        ("u,y\n0.5,1.25\n1,0\n", {}, False),
        ("x,y,class\n0.5,1.25,1\n1,0,0\n", {}, False),
        ("u,y,label\n0.5,1,a\n1,0,b\n", {"label_column": "label"}, False),
    ],
)
def test_a_y_beside_an_x_is_a_coordinate_unless_it_may_hold_classes(tmp_path, text, options, accepted):
    path = tmp_path / "points.csv"
    path.write_text(text)
    if accepted:
        assert read_features(path, **options).columns == ["x", "y"]
    else:
        with pytest.raises(InputError, match=r"--label-column (y|class)"):
            read_features(path, **options)


def test_two_answers_from_one_list_are_no_list_of_pairs(tmp_path):
    rng, answers = np.random.default_rng(0), np.array(list("abcdefghijkl"))
    rows = [f"{','.join(rng.choice(answers, 2, replace=False))},{age}" for age in range(20, 220)]
    table = read_features(write(tmp_path, "t.csv", "first_choice,second_choice,age\n" + "\n".join(rows)), mixed=True)
    assert table.columns == ["first_choice", "second_choice", "age"]
