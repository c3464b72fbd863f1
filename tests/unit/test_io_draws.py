"""Draws from files: every format gives the same labels, in little memory, and what is wrong is told by place."""

import builtins
import sys

import numpy as np
import pytest

from partita.affinity import DrawsAffinity
from partita.affinity.label_blocks import LabelBlocks
from partita.errors import InputError, MemoryLimitError, MissingExtraError
from partita.io import draw_labels, open_draws, read_draws

LABELS = np.random.default_rng(0).integers(-3, 300, size=(7, 20))


def npy(folder, labels, **_):
    np.save(folder / "draws.npy", labels)
    return folder / "draws.npy"


def npz(folder, labels, **_):
    np.savez_compressed(folder / "draws.npz", draw=labels, other=np.arange(3))
    return folder / "draws.npz"


def zarr_store(folder, labels, **_):
    zarr = pytest.importorskip("zarr")
    array = zarr.open(str(folder / "draws.zarr"), mode="w", shape=labels.shape, dtype=labels.dtype, chunks=(2, 10))
    array[:] = labels
    return folder / "draws.zarr"


def zarr_group(folder, labels, **_):
    zarr = pytest.importorskip("zarr")
    group = zarr.open_group(str(folder / "group.zarr"), mode="w")
    for name, array in (("draws", labels), ("items", np.arange(labels.shape[1]))):
        group.create_array(name, shape=array.shape, dtype=array.dtype)[:] = array
    return folder / "group.zarr"


def columns(folder, labels, **_):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table({f"item {i}": column for i, column in enumerate(labels.T)})
    parquet.write_table(table, folder / "draws.parquet", row_group_size=3)
    return folder / "draws.parquet"


def lists(folder, labels, kind=None, **_):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    given = pa.array(labels.tolist(), type=None if kind is None else kind(pa, labels))
    parquet.write_table(pa.table({"labels": given}), folder / "lists.parquet", row_group_size=3)
    return folder / "lists.parquet"


def fixed_lists(folder, labels, **_):
    return lists(folder, labels, lambda pa, labels: pa.list_(pa.int32(), labels.shape[1]))


def pandas_table(folder, labels, **_):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    table = pandas.DataFrame(labels, columns=[f"item {i}" for i in range(labels.shape[1])])
    table.index = pandas.Index([f"draw {b}" for b in range(len(labels))])
    table.to_parquet(folder / "pandas.parquet")
    return folder / "pandas.parquet"


def csv(folder, labels, header=None, name="draws.csv"):
    mark = "\t" if ".tsv" in name else ","
    lines = [] if header is None else [mark.join(header)]
    lines += [mark.join(str(label) for label in row) for row in labels.tolist()]
    text = "\n".join(lines) + "\n"
    if name.endswith(".gz"):
        import gzip

        with gzip.open(folder / name, "wt") as file:
            file.write(text)
    else:
        (folder / name).write_text(text)
    return folder / name


WRITERS = {
    "npy": npy,
    "npz": npz,
    "zarr": zarr_store,
    "zarr group": zarr_group,
    "parquet": columns,
    "parquet of lists": lists,
    "parquet of fixed lists": fixed_lists,
    "parquet of pandas": pandas_table,
    "csv": csv,
    "csv with a header": lambda folder, labels: csv(folder, labels, [f"item {i}" for i in range(labels.shape[1])]),
    "tsv.gz": lambda folder, labels: csv(folder, labels, name="draws.tsv.gz"),
}


@pytest.mark.parametrize("batch", [1, 50, 1 << 23])
@pytest.mark.parametrize("format", WRITERS)
def test_every_format_gives_the_labels(format, batch, tmp_path, monkeypatch):
    monkeypatch.setattr(draw_labels, "BATCH", batch)  # batches of one draw, of two, and one batch
    found = open_draws(WRITERS[format](tmp_path, LABELS))
    assert tuple(found.shape) == LABELS.shape
    np.testing.assert_array_equal(np.asarray(found[:]), LABELS)
    expected = (LABELS[:, :, None] == LABELS[:, None, :]).mean(axis=0)
    np.testing.assert_allclose(DrawsAffinity(found).to_dense(), expected, atol=1e-12)


@pytest.mark.parametrize("format", ["parquet", "csv", "parquet of lists"])
def test_text_and_parquet_come_in_the_smallest_integers(format, tmp_path):
    for top, dtype in ((127, "int8"), (128, "int16"), (40_000, "int32"), (2**40, "int64")):
        labels = np.array([[0, top], [1, 2]])
        assert open_draws(WRITERS[format](tmp_path, labels)).dtype == dtype


def test_npy_is_mapped_and_zarr_stays_a_store(tmp_path):
    mapped = open_draws(npy(tmp_path, LABELS.astype(np.int16)))
    assert isinstance(mapped, np.memmap)
    mapped[0, 0] += 1  # in memory only
    np.testing.assert_array_equal(np.load(tmp_path / "draws.npy"), LABELS)
    store = open_draws(zarr_store(tmp_path, LABELS))
    assert not isinstance(store, np.ndarray)
    assert store.chunks == (2, 10)


def test_strings_in_numpy_files_are_labels_too(tmp_path):
    words = np.array([["a", "b", "a"], ["x", "x", "y"]])
    for path in (npy(tmp_path, words), npz(tmp_path, words)):
        np.testing.assert_allclose(DrawsAffinity(open_draws(path)).to_dense()[0], [1.0, 0.5, 0.5])


def test_whole_numbers_that_are_written_as_floats_are_labels(tmp_path):
    for write in (npy, npz, columns, lists, csv):
        np.testing.assert_array_equal(np.asarray(open_draws(write(tmp_path, LABELS.astype(float)))), LABELS)


def damaged(labels, value):
    labels = labels.astype(float)
    labels[4, 13] = value
    return labels


@pytest.mark.parametrize("batch", [1, 50, 1 << 23])
@pytest.mark.parametrize("write", [npy, npz, zarr_store, columns, lists, csv])
@pytest.mark.parametrize("value", [0.5, np.nan, np.inf])
def test_a_label_that_is_not_whole_is_named_by_its_place(write, value, batch, tmp_path, monkeypatch):
    monkeypatch.setattr(draw_labels, "BATCH", batch)
    with pytest.raises(InputError, match=r"draw 4.*item 13"):
        open_draws(write(tmp_path, damaged(LABELS, value)))


@pytest.mark.parametrize("batch", [1, 50, 1 << 23])
@pytest.mark.parametrize("in_lists", [False, True])
def test_a_gap_in_parquet_is_named_by_its_place(in_lists, batch, tmp_path, monkeypatch):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(draw_labels, "BATCH", batch)
    rows = [[int(label) for label in row] for row in LABELS]
    rows[4][13] = None
    table = pa.table({"labels": rows} if in_lists else {str(i): list(column) for i, column in enumerate(zip(*rows))})
    parquet.write_table(table, tmp_path / "gap.parquet")
    with pytest.raises(InputError, match=r"draw 4 .*item 13"):
        open_draws(tmp_path / "gap.parquet")


def text(name, content):
    def write(folder):
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return folder / name

    return write


def arrow(**columns):
    def write(folder):
        pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pa.table(columns), folder / "draws.parquet")
        return folder / "draws.parquet"

    return write


def empty_lists(folder):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"labels": pa.array([[], []], pa.list_(pa.int8()))}), folder / "empty.parquet")
    return folder / "empty.parquet"


def broken_parquet(folder):
    pytest.importorskip("pyarrow")
    return text("draws.parquet", "PAR1")(folder)


def three_dimensional_zarr(folder):
    return zarr_store(folder, np.zeros((4, 4), dtype=complex))


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda folder: npy(folder, np.arange(5)), r"shape \(5,\)"),
        (lambda folder: npy(folder, np.zeros((2, 3, 4, 5), dtype=int)), r"shape \(2, 3, 4, 5\)"),
        (lambda folder: npy(folder, np.zeros((0, 4), dtype=int)), r"shape \(0, 4\)"),
        (lambda folder: npy(folder, np.zeros((2, 2), dtype=complex)), "complex128"),
        (lambda folder: npy(folder, np.array([[1, None]], dtype=object)), "type object"),
        (lambda folder: npz(folder, np.arange(5)), "2 dimensions"),
        (lambda folder: folder / "nothing.npy", r"nothing\.npy"),
        (lambda folder: folder / "nothing.zarr", r"nothing\.zarr"),
        (lambda folder: folder, "zarr"),
        (three_dimensional_zarr, "complex128"),
        (text("draws.npy", b"\x93NUMPY"), r"numpy\.save"),
        (broken_parquet, r"parquet .*\(.*bytes"),
        (text("draws.dat", "1 2"), r"\.dat .*\.csv"),
        (text("draws.csv", ""), "0 bytes"),
        (text("draws.csv", "a,b\n"), "header"),
        (text("draws.csv", "1,2\n3\n"), "line 2: "),
        (text("draws.csv", "1,2\n3,x\n"), "draw 1, item 1: 'x'"),
        (text("draws.csv", "a,b\n3,\n"), "draw 0 .*item 1"),
        (text("draws.csv", "1,2\n3,0.5\n"), "draw 1, item 1: '0.5'"),
        (text("draws.csv", "1;2\n"), "';'.*','"),
        (text("draws.csv", "1 1 2\n1 2\n"), "line 2: "),
        (text("draws.csv", "# seed = 1\na,b\n1,2\n"), "# seed = 1"),
        (text("draws.txt", "# seed = 1\na b\n1 2\n"), "# seed = 1"),
        (arrow(a=["x", "y"]), "column 'a' .*string"),
        (arrow(a=[1, 2], b=[[1], [2]]), r"draws\.parquet .*columns"),
        (arrow(a=[[1, 2], [3]]), "draw 1 .*1 labels"),
        (arrow(a=[["x"], ["y"]]), "string"),
        (empty_lists, r"\(2, 0\)"),
    ],
)
def test_what_is_wrong_is_named(write, message, tmp_path):
    if message in ("zarr", "complex128"):
        pytest.importorskip("zarr")
    with pytest.raises(InputError, match=message) as error:
        open_draws(write(tmp_path))
    assert str(tmp_path) in str(error.value)


def test_an_array_is_chosen_by_name(tmp_path):
    np.savez(tmp_path / "two.npz", first=LABELS, second=LABELS + 1)
    np.testing.assert_array_equal(open_draws(tmp_path / "two.npz", key="second"), LABELS + 1)
    with pytest.raises(InputError, match="--key"):
        open_draws(tmp_path / "two.npz")
    with pytest.raises(InputError, match="'third'"):
        open_draws(tmp_path / "two.npz", key="third")
    np.savez(tmp_path / "chains.npz", z=np.stack([LABELS, LABELS + 1]), psm=np.eye(LABELS.shape[1]))
    with pytest.raises(InputError, match=r"z .*psm .*--key"):
        open_draws(tmp_path / "chains.npz")
    np.testing.assert_array_equal(open_draws(tmp_path / "chains.npz", key="z"), np.vstack([LABELS, LABELS + 1]))
    with pytest.raises(InputError, match=r"\.npy"):
        open_draws(npy(tmp_path, LABELS), key="draws")
    group = zarr_group(tmp_path, LABELS)
    np.testing.assert_array_equal(open_draws(group, key="draws")[:], LABELS)
    with pytest.raises(InputError, match="'third'"):
        open_draws(group, key="third")
    with pytest.raises(InputError, match="key='draws'"):
        open_draws(zarr_store(tmp_path, LABELS), key="draws")


def test_what_would_not_fit_is_refused_and_what_is_mapped_is_not(tmp_path, monkeypatch):
    labels = np.zeros((100, 1000), dtype=np.int8)
    text, mapped, packed = csv(tmp_path, labels), npy(tmp_path, labels), npz(tmp_path, labels)
    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", "50000")
    for path in (text, packed):
        with pytest.raises(MemoryLimitError):
            open_draws(path)
    assert open_draws(mapped).shape == (100, 1000)


@pytest.mark.parametrize(("package", "write"), [("zarr", zarr_store), ("pyarrow", columns)])
def test_a_missing_package_is_one_sentence_with_the_command(package, write, tmp_path, monkeypatch):
    path = write(tmp_path, LABELS)
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.partition(".")[0] == package:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.setitem(sys.modules, f"{package}.parquet", None)
    with pytest.raises(MissingExtraError, match=package):
        open_draws(path)


@pytest.mark.parametrize("write", [npy, npz, zarr_store, columns, csv])
def test_labels_that_are_missing_are_read_where_that_is_said(write, tmp_path):
    labels = LABELS.astype(float) + 3
    labels[4, 13] = labels[0, 0] = np.nan
    found = read_draws(write(tmp_path, labels), missing="unobserved").labels
    blocks = LabelBlocks(found, missing=True)
    assert blocks.lacks
    gaps = np.concatenate([block for _, block in blocks]) < 0
    np.testing.assert_array_equal(gaps, np.isnan(labels))
    whole = read_draws(write(tmp_path, LABELS), missing="unobserved").labels
    np.testing.assert_array_equal(np.asarray(whole), LABELS)


def test_words_may_be_missing_too():
    words = np.array([["a", None, "b"], ["a", "a", ""]], dtype=object)
    blocks = LabelBlocks(words, missing=True)
    assert [block.tolist() for _, block in blocks] == [[[0, -1, 1], [0, 0, -1]]]
    assert blocks.lacks


def test_a_zarr_group_has_chains_and_items_beside_the_labels(tmp_path):
    zarr = pytest.importorskip("zarr")
    group = zarr.open_group(str(tmp_path / "group.zarr"), mode="w")
    chain, item = np.arange(len(LABELS)) // 4, np.arange(LABELS.shape[1]) + 100
    for name, array in (("labels", LABELS), ("chain", chain), ("item", item)):
        group.create_array(name, shape=array.shape, dtype=array.dtype)[:] = array
    found = read_draws(tmp_path / "group.zarr")
    np.testing.assert_array_equal(found.chain, chain)
    assert found.items[0] == "100"
    short = zarr.open_group(str(tmp_path / "short.zarr"), mode="w")
    for name, array in (("labels", LABELS), ("chain", chain[1:])):
        short.create_array(name, shape=array.shape, dtype=array.dtype)[:] = array
    with pytest.raises(InputError, match=r"'chain' .*\(6,\)"):
        read_draws(tmp_path / "short.zarr")


def test_two_items_of_one_name_are_refused(tmp_path):
    (tmp_path / "draws.csv").write_text("a,b,a\n1,2,2\n")
    with pytest.raises(InputError, match="'a'"):
        read_draws(tmp_path / "draws.csv")


@pytest.mark.parametrize("name", ["draws.csv", "draws.tsv", "draws.csv.gz", "draws.txt"])
@pytest.mark.parametrize("header", ["", "a b c d"])
def test_numbers_parted_by_spaces_are_read_whatever_the_file_is_called(name, header, tmp_path):
    labels = np.random.default_rng(0).integers(0, 3, size=(5, 4))
    np.savetxt(tmp_path / name, labels, fmt="%d", header=header, comments="")
    np.testing.assert_array_equal(read_draws(tmp_path / name).labels, labels)


@pytest.mark.parametrize("write", [npy, npz])
def test_chains_are_the_first_of_three_dimensions(write, tmp_path):
    labels = np.random.default_rng(0).integers(0, 3, size=(2, 5, 4))
    found = read_draws(write(tmp_path, labels))
    np.testing.assert_array_equal(found.labels, labels.reshape(10, 4))
    assert found.chain.tolist() == [0] * 5 + [1] * 5


def words_of(labels):
    return np.array(["c1", "c2", "x y", "c3"])[labels]


@pytest.mark.parametrize(
    ("suffix", "header"),
    [
        *((suffix, header) for suffix in (".csv", ".tsv", ".csv.gz") for header in ("names", "rows", "none")),
        *((".txt", header) for header in ("names", "rows")),  # in a .txt a first row of words is a header
    ],
)
def test_labels_may_be_words_in_text(suffix, header, tmp_path):
    pandas = pytest.importorskip("pandas")
    labels = np.random.default_rng(0).integers(0, 4, size=(9, 6))
    frame = pandas.DataFrame(words_of(labels), columns=[f"V{k}" for k in range(1, 7)])
    frame.index = np.arange(1, 10)
    file = tmp_path / f"draws{suffix}"
    mark = {".csv": ",", ".tsv": "\t", ".txt": " "}[suffix.removesuffix(".gz")]
    frame.to_csv(file, sep=mark, index=header == "rows", header=header != "none")
    found = read_draws(file)
    same = found.labels[:, :, None] == found.labels[:, None, :]
    np.testing.assert_array_equal(same, labels[:, :, None] == labels[:, None, :])
    assert (found.items is None) == (header == "none")


def test_words_may_stand_beside_chains_and_gaps(tmp_path):
    file = tmp_path / "draws.csv"
    file.write_text("chain,a,b,c\n1,x,x,y\n2,x,NA,z\n")
    found = read_draws(file, missing="unobserved")
    assert found.chain.tolist() == [1, 2]
    assert found.labels[0, 0] == found.labels[0, 1] != found.labels[0, 2]
    assert found.labels[1, 1] == -1
    with pytest.raises(InputError, match="line 3, column 'b'"):
        read_draws(file)


def test_a_word_among_numbers_is_an_error_with_its_line_and_column(tmp_path):
    file = tmp_path / "draws.csv"
    file.write_text('"","V1","V2","V3"\n"1",1,1,2\n\n"2",1,oops,2\n')
    with pytest.raises(InputError, match=r"draws.csv, line 4, column 'V2'.*'oops'"):
        read_draws(file)
    table = tmp_path / "draws.txt"
    table.write_text('"V1" "V2"\n"1" 1 1\n"2" 1 NA\n')
    with pytest.raises(InputError, match=r"draws.txt, line 3, column 'V2'"):
        read_draws(table)


@pytest.mark.parametrize("mark", [";", "\t"])
def test_another_delimiter_is_named_where_cells_are_quoted_too(mark, tmp_path):
    file = tmp_path / "draws.csv"
    file.write_text(f'"V1"{mark}"V2"\n1{mark}1\n')
    with pytest.raises(InputError, match=r"'(;|\\t)'.*','.*write\.csv"):
        read_draws(file)


def test_the_log_joint_that_partita_draws_writes_comes_with_the_draws(tmp_path):
    level = np.random.default_rng(0).normal(size=7)
    np.savez(tmp_path / "draws.npz", draw=LABELS, chain=np.arange(7) // 4, log_joint=level, alpha=level)
    found = read_draws(tmp_path / "draws.npz")
    assert list(found.traces) == ["log_joint"]
    np.testing.assert_array_equal(found.traces["log_joint"], level)
    np.savez(tmp_path / "draws.npz", draw=LABELS, log_joint=level[:3])  # something else of that name
    assert read_draws(tmp_path / "draws.npz").traces == {}


def test_weights_beside_draws_are_said_not_to_be_used(tmp_path):
    draws = np.random.default_rng(0).integers(0, 3, (20, 6))
    np.savez(tmp_path / "d.npz", draws=draws, weights=np.ones(20), chain=np.zeros(20, dtype=int))
    (note,) = read_draws(tmp_path / "d.npz").notes
    assert note.startswith("array 'weights' of d.npz")
    np.savez(tmp_path / "e.npz", draws=draws, weights=np.ones(6))
    assert read_draws(tmp_path / "e.npz").notes == ()


@pytest.mark.parametrize(("name", "more", "n_items"), [("K", 0, 4), ("n_clusters", 0, 4), ("site", 0, 5), ("K", 1, 5)])
def test_a_column_that_counts_the_clusters_of_draws_is_no_item(tmp_path, name, more, n_items):
    draws = np.random.default_rng(0).integers(0, 3, (20, 4))
    counts = [len(set(row.tolist())) + more for row in draws]
    rows = [f"{','.join(map(str, row))},{count}" for row, count in zip(draws, counts, strict=True)]
    (tmp_path / "d.csv").write_text("\n".join([f"a,b,c,d,{name}", *rows]) + "\n")
    found = read_draws(tmp_path / "d.csv")
    assert found.labels.shape == (20, n_items)
    assert any("counts the clusters" in note for note in found.notes) == (n_items == 4)
