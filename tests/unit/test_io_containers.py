"""Columns are the same by name whatever the format; a format that is not read is refused by name."""

import gzip
import zipfile

import numpy as np
import pytest

from optional import optional
from partita.errors import InputError
from partita.io import read_edges, read_features, read_labels, read_matrix
from partita.io.arrays import array_table
from partita.io.containers import ARRAYS, MATRICES, TABLES, opened
from sheets import WRITERS

VALUES = np.array([[1.0, 0.5, 3.0], [0.5, 1.0, -2.0], [0.25, 0.0, 1e-300]])
NAMES = ["column_0", "column_1", "column_2"]


def table(folder, suffix):
    file = folder / f"table{suffix}"
    mark = "\t" if ".t" in suffix else ","
    lines = [mark.join(NAMES), *(mark.join(map(repr, row)) for row in VALUES.tolist())]
    text = ("\n".join(lines) + "\n").encode()
    opener = {**TABLES, **ARRAYS}[suffix]
    if hasattr(opener, "example"):  # of a format that was added
        file.write_bytes(opener.example(NAMES, VALUES))
    elif suffix == ".parquet":
        pa, pq = optional("pyarrow"), optional("pyarrow.parquet")
        pq.write_table(pa.table(dict(zip(NAMES, VALUES.T))), file)
    elif suffix in WRITERS:
        optional("python_calamine").CalamineWorkbook  # noqa: B018
        WRITERS[suffix](file, {"one": [NAMES, *VALUES.tolist()]})
    elif suffix == ".zip":
        with zipfile.ZipFile(file, "w") as packed:
            packed.writestr("table.csv", text)
    elif suffix == ".npy":
        np.save(file, VALUES)
    elif suffix == ".npz":
        np.savez(file, X=VALUES, names=np.array(["a", "b", "c"]))
    else:
        file.write_bytes(gzip.compress(text) if suffix.endswith(".gz") else text)
    found = opened(file, {**TABLES, **ARRAYS})
    return array_table(found) if suffix in ARRAYS else found


@pytest.mark.parametrize("suffix", [*TABLES, *ARRAYS])
def test_columns_are_the_same_by_name_whatever_the_format_and_the_order_asked_for(tmp_path, suffix):
    found = table(tmp_path, suffix)
    assert found.names == NAMES
    for order in ([0, 1, 2], [2, 0, 1], [1], [2, 1]):
        values, words = found.read([NAMES[at] for at in order])
        np.testing.assert_array_equal(values, VALUES[:, order])
        assert words == {}
    values, words = found.read(["column_2"], ["column_0"])
    np.testing.assert_array_equal(values, VALUES[:, [2]])
    assert [float(word) for word in words["column_0"]] == VALUES[:, 0].tolist()


def test_arrays_of_words_stand_beside_the_one_of_numbers(tmp_path):
    found = table(tmp_path, ".npz")
    assert found.read(NAMES, ["names"])[1] == {"names": ["a", "b", "c"]}


@pytest.mark.parametrize("suffix", [*TABLES, ".npy", *MATRICES])
def test_a_key_names_an_array_and_is_refused_where_there_are_none(tmp_path, suffix):
    file = tmp_path / f"f{suffix}"
    file.write_bytes(b"1,2\n")
    with pytest.raises(InputError, match="key='X'"):
        opened(file, {**TABLES, **ARRAYS, **MATRICES}, key="X")


@pytest.mark.parametrize("reader", [read_features, read_edges, read_labels, read_matrix])
def test_a_format_that_is_not_read_is_refused_with_those_that_are(tmp_path, reader):
    file = tmp_path / "table.pdf"
    file.write_bytes(b"%PDF")
    with pytest.raises(InputError, match=r"\.pdf.*\.csv.*\.parquet"):
        reader(file)
