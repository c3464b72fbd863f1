"""Square matrices: every format gives the same numbers, and what is not one is named."""

import numpy as np
import pytest
from scipy import io as scipy_io
from scipy import sparse

from optional import optional
from partita.errors import InputError, MemoryLimitError
from partita.io import Reading, read_features, read_matrix

pa, pq = optional("pyarrow"), optional("pyarrow.parquet")

MATRIX = np.array([[1, 0.5, 0], [0.5, 1, 0.25], [0, 0.25, 1]])


def write(folder, name, content):
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def error_of(file, **options):
    with pytest.raises(InputError) as caught:
        read_matrix(file, **options)
    assert str(file) in str(caught.value)
    return str(caught.value)


def rows(prefixes=("", "", "")):
    return "".join(prefix + ",".join(map(str, row)) + "\n" for prefix, row in zip(prefixes, MATRIX))


NAMED = ("ann,", "bob,", "cid,")
TEXTS = {
    "bare": (rows(), {}, ["0", "1", "2"]),
    "header": ("ann,bob,cid\n" + rows(), {}, ["ann", "bob", "cid"]),
    "header and ids": (",ann,bob,cid\n" + rows(NAMED), {}, ["ann", "bob", "cid"]),
    "numbers behind a corner": (",7,5,9\n" + rows(("7,", "5,", "9,")), {}, ["7", "5", "9"]),
    "named ids": ("who,ann,bob,cid\n" + rows(NAMED), {"id_column": "who"}, ["ann", "bob", "cid"]),
    "ids by their words": ("who,ann,bob,cid\n" + rows(NAMED), {}, ["ann", "bob", "cid"]),
    "numeric ids by the shape": ("who,a,b,c\n" + rows(("7,", "8,", "9,")), {}, ["7", "8", "9"]),
    "pandas": (",0,1,2\n" + rows(("0,", "1,", "2,")), {}, ["0", "1", "2"]),
    "counted header": ("0,1,2\n" + rows(), {}, ["0", "1", "2"]),
    "numeric header by the shape": ("10,20,30\n" + rows(), {}, ["10", "20", "30"]),
}


@pytest.mark.parametrize("case", TEXTS)
def test_every_way_to_write_text_gives_the_same_matrix(tmp_path, case):
    content, options, ids = TEXTS[case]
    table = read_matrix(write(tmp_path, "m.csv", content), **options)
    assert np.array_equal(table.matrix, MATRIX)
    assert table.ids == ids
    assert len(table.sha256) == 64
    table = read_matrix(write(tmp_path, "m.tsv", content.replace(",", "\t")), **options)
    assert np.array_equal(table.matrix, MATRIX)


def test_a_first_row_that_counts_is_data_where_the_file_is_square_as_it_stands(tmp_path):
    line = read_matrix(write(tmp_path, "line.csv", "0,1,2\n1,0,1\n2,1,0\n"), what="distances")
    assert np.array_equal(line.matrix, np.abs(np.subtract.outer(np.arange(3), np.arange(3))))
    assert line.ids == ["0", "1", "2"]


@pytest.mark.parametrize("kind", ["npy", "npz", "npz with key", "mtx array", "parquet"])
def test_dense_files(tmp_path, kind):
    file = tmp_path / f"m.{kind.split()[0]}"
    options = {}
    if kind == "npy":
        np.save(file, MATRIX.astype(np.float32))
    elif kind == "npz":
        np.savez(file, anything=MATRIX)
    elif kind == "npz with key":
        np.savez(file, a=MATRIX, b=MATRIX * 2, names=np.array(["x", "y", "z"]))
        options = {"key": "a", "id_column": "names"}
    elif kind == "mtx array":
        scipy_io.mmwrite(file, MATRIX)
    else:
        pq.write_table(pa.table(dict(zip("abc", MATRIX.T))), file)
    table = read_matrix(file, **options)
    assert np.array_equal(table.matrix, MATRIX)
    assert table.matrix.dtype == np.float64
    assert table.ids == {"npz with key": ["x", "y", "z"], "parquet": ["a", "b", "c"]}.get(kind, ["0", "1", "2"])


@pytest.mark.parametrize("layout", [sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.csr_matrix])
@pytest.mark.parametrize("suffix", ["npz", "mtx"])
def test_sparse_features_are_read_as_any_table(tmp_path, suffix, layout):
    values = np.array([[1.0, 0.0, -999.0], [0.0, 3.0, 4.0]])
    file = tmp_path / f"s.{suffix}"
    sparse.save_npz(file, layout(values)) if suffix == "npz" else scipy_io.mmwrite(file, layout(values))
    table = read_features(file, label_column="column_0", allow_missing=True, reading=Reading(na=("-999",)))
    assert table.columns == ["column_1", "column_2"]
    np.testing.assert_array_equal(table.features, [[0.0, np.nan], [3.0, 4.0]])
    assert read_features(file, columns=["column_[02]"]).columns == ["column_0", "column_2"]
    assert read_features(file, reading=Reading(drop=("column_1",))).columns == ["column_0", "column_2"]
    with pytest.raises(InputError, match="--delimiter"):
        read_features(file, reading=Reading(delimiter=";"))
    complex_file = tmp_path / f"c.{suffix}"
    imaginary = layout(values + 1j)
    sparse.save_npz(complex_file, imaginary) if suffix == "npz" else scipy_io.mmwrite(complex_file, imaginary)
    with pytest.raises(InputError, match="real numbers"):
        read_features(complex_file)


@pytest.mark.parametrize("suffix", ["npz", "mtx"])
@pytest.mark.parametrize("layout", [sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.csr_matrix])
def test_sparse_files_stay_sparse(tmp_path, suffix, layout):
    file = tmp_path / f"m.{suffix}"
    matrix = layout(MATRIX)
    sparse.save_npz(file, matrix) if suffix == "npz" else scipy_io.mmwrite(file, matrix)
    table = read_matrix(file)
    assert isinstance(table.matrix, sparse.csr_array)
    assert table.matrix.dtype == np.float64
    assert np.array_equal(table.matrix.toarray(), MATRIX)


def test_a_symmetric_matrix_market_file_is_mirrored(tmp_path):
    text = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n"
    expected = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert np.array_equal(read_matrix(write(tmp_path, "m.mtx", text)).matrix.toarray(), expected)


def test_missing_entries_only_where_they_are_allowed(tmp_path):
    holes = MATRIX.copy()
    holes[0, 2] = holes[2, 0] = np.nan
    np.save(tmp_path / "m.npy", holes)
    message = error_of(tmp_path / "m.npy")
    assert "row 1, column '2'" in message
    assert "--missing unobserved" in message
    assert np.array_equal(read_matrix(tmp_path / "m.npy", allow_missing=True).matrix, holes, equal_nan=True)
    sparse.save_npz(tmp_path / "s.npz", sparse.csr_array(holes))
    assert "row 1, column 3" in error_of(tmp_path / "s.npz")
    assert np.isnan(read_matrix(tmp_path / "s.npz", allow_missing=True).matrix[0, 2])
    holes[0, 2] = np.inf
    np.save(tmp_path / "m.npy", holes)
    assert "infinite" in error_of(tmp_path / "m.npy", allow_missing=True)
    sparse.save_npz(tmp_path / "s.npz", sparse.csr_array(holes))
    assert "inf" in error_of(tmp_path / "s.npz", allow_missing=True)


def test_a_square_in_which_a_pair_is_missing_is_no_triangle(tmp_path):
    file = tmp_path / "s.csv"
    file.write_text("1,.5,.3,.2\n.5,1,.2,\n.3,.2,1,.4\n.2,,.4,1\n")
    assert np.isnan(read_matrix(file, allow_missing=True).matrix).sum() == 2
    file.write_text("0,5,3,2\n0,4,6,\n0,1,,\n0,,,\n")
    with pytest.raises(InputError, match="upper triangle"):
        read_matrix(file, what="distances", allow_missing=True)


@pytest.mark.parametrize("suffix", ["npy", "npz", "sparse.npz", "mtx", "csv", "parquet"])
def test_what_is_not_square_is_named_with_its_shape(tmp_path, suffix):
    file = tmp_path / f"m.{suffix}"
    oblong = np.ones((2, 4))
    match suffix:
        case "npy":
            np.save(file, oblong)
        case "npz":
            np.savez(file, oblong)
        case "sparse.npz":
            sparse.save_npz(file, sparse.csr_array(oblong))
        case "mtx":
            scipy_io.mmwrite(file, oblong)
        case "csv":
            file.write_text("1,1,1,1\n1,1,1,1\n")
        case "parquet":
            pq.write_table(pa.table({name: [1.0, 1.0] for name in "abcd"}), file)
    message = error_of(file, what="distances")
    assert "distances" in message
    assert "2 x 4" in message
    assert "--input features" in message


BAD_TEXT = {
    "other order": (",ann,bob\nbob,1,2\nann,3,4\n", {}, ["line 2", "'bob'"]),
    "text cell": ("a,b\n1,x\n2,3\n", {}, ["column 'b'", "'x'"]),
    "ragged": ("1,2\n3\n", {}, ["line 2", "expected 2", "found 1"]),
    "missing": ("1,\n2,3\n", {}, ["line 1, column '1'"]),
    "unknown id column": ("a,b\n1,2\n3,4\n", {"id_column": "c"}, ["'c'", "--id-column", "a, b"]),
    "ids twice": (",ann,bob\nann,1,2\nann,3,4\n", {}, ["id 'ann'", "line 2", "line 3"]),
    "key": ("1", {"key": "K"}, ["--key"]),
    "header only": ("a,b\n", {}, ["header"]),
}


@pytest.mark.parametrize("case", BAD_TEXT)
def test_bad_text_is_named_with_place_and_remedy(tmp_path, case):
    content, options, words = BAD_TEXT[case]
    message = error_of(write(tmp_path, "m.csv", content), **options)
    for word in words:
        assert word in message


def test_broken_files(tmp_path):
    assert "Matrix Market" in error_of(write(tmp_path, "a.mtx", "hello\n1 2 3\n"))
    assert "Matrix Market" in error_of(
        write(tmp_path, "b.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n")
    )
    text = "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n"
    assert "complex" in error_of(write(tmp_path, "c.mtx", text))
    np.savez(tmp_path / "d.npz", format=b"csr", shape=[2, 2], data=[1.0], indices=[7], indptr=[0, 1, 1])
    assert "sparse matrix" in error_of(tmp_path / "d.npz")
    np.savez(tmp_path / "e.npz", format=b"nonsense", shape=[2, 2], data=[1.0])
    assert "sparse matrix" in error_of(tmp_path / "e.npz")
    sparse.save_npz(tmp_path / "f.npz", sparse.csr_array(MATRIX))
    assert "--key" in error_of(tmp_path / "f.npz", key="data")
    assert "--id-column" in error_of(tmp_path / "f.npz", id_column="names")
    np.save(tmp_path / "g.npy", np.zeros((0, 0)))
    assert "0 x 0" in error_of(tmp_path / "g.npy")
    assert "column 'a'" in error_of(tmp_path / "g.npy", id_column="a")
    sparse.save_npz(tmp_path / "h.npz", sparse.csr_array(MATRIX.astype(complex)))
    assert "complex128" in error_of(tmp_path / "h.npz")
    assert ".doc" in error_of(write(tmp_path, "m.doc", "1"))
    with pytest.raises(InputError, match="what='similarity'"):
        read_matrix(tmp_path / "g.npy", what="similarity")


def test_memory_is_asked_for_as_float64_before_reading(tmp_path, monkeypatch):
    np.save(tmp_path / "m.npy", np.ones((100, 100), dtype=np.int8))  # 10 kB on disk, 80 kB as float64
    (tmp_path / "m.mtx").write_text("%%MatrixMarket matrix array real general\n100000 100000\n1\n")
    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", "50000")
    with pytest.raises(MemoryLimitError, match=r"m\.npy \(100 x 100\)"):
        read_matrix(tmp_path / "m.npy")
    with pytest.raises(MemoryLimitError, match=r"m\.mtx"):
        read_matrix(tmp_path / "m.mtx")
