"""Label files, and two of them matched by id or by order."""

import numpy as np
import pytest

from optional import optional
from partita.errors import InputError
from partita.io import match_labels, read_labels

pa, pq = optional("pyarrow"), optional("pyarrow.parquet")


def table(folder, content, name="labels.csv"):
    file = folder / name
    file.write_text(content)
    return read_labels(file)


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        ("label\nr\ns\nr\n", None),
        ("species\nr\ns\nr\n", None),
        ("id,label\n1,r\n2,s\n3,r\n", ["1", "2", "3"]),
        ("Label,ID\nr,1\ns,2\nr,3\n", ["1", "2", "3"]),
        ("id,anything\n1,r\n2,s\n3,r\n", ["1", "2", "3"]),
        ("id,label,p_0\n1,r,x\n2,s,\n3,r,0.5\n", ["1", "2", "3"]),
        ("x,label\n0,r\n0,s\n0,r\n", None),
    ],
)
def test_every_way_to_write_labels(tmp_path, content, ids):
    read = table(tmp_path, content)
    assert read.labels.tolist() == ["r", "s", "r"]
    assert read.ids == ids
    assert read.notes == []


def test_numbers_without_a_header_are_labels(tmp_path):
    read = table(tmp_path, "0\n1\n1\n")
    assert read.labels.tolist() == ["0", "1", "1"]
    assert "read as data" in read.notes[0]


def test_parquet_labels(tmp_path):
    pq.write_table(pa.table({"id": [3, 4], "label": [0, 1]}), tmp_path / "l.parquet")
    read = read_labels(tmp_path / "l.parquet")
    assert read.labels.tolist() == ["0", "1"]
    assert read.ids == ["3", "4"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a,b\n1,2\n", ["column 'label'", "a, b"]),
        ("label\n", ["header"]),
        ("id,label\n1,r\n2,\n", ["'label'", "line 3"]),
        ("label\nr\n\ns\n", ["line 3"]),
        ("id\n1\n", ["column 'label'"]),
        ("", ["0 bytes"]),
    ],
)
def test_bad_label_files_are_named(tmp_path, content, words):
    with pytest.raises(InputError) as caught:
        table(tmp_path, content)
    for word in ("labels.csv", *words):
        assert word in str(caught.value)


def test_files_with_ids_are_joined_on_them(tmp_path):
    a = table(tmp_path, "id,label\n1,r\n2,s\n", "a.csv")
    b = table(tmp_path, "id,label\n2,x\n1,y\n", "b.csv")
    left, right = match_labels(a, b)
    assert np.array_equal(left, ["r", "s"])
    assert np.array_equal(right, ["y", "x"])


def test_files_without_shared_ids_are_taken_in_order(tmp_path):
    a = table(tmp_path, "id,label\n1,r\n2,s\n", "a.csv")
    b = table(tmp_path, "label\nx\ny\n", "b.csv")
    left, right = match_labels(a, b)
    assert (left.tolist(), right.tolist()) == (["r", "s"], ["x", "y"])


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        ("label\nr\ns\n", "label\nr\n", ["2 labels", "has 1", "'id'"]),
        ("id,label\n1,r\n2,s\n", "id,label\n1,r\n", ["1 ids", "a.csv", "'2'"]),
        ("id,label\n1,r\n", "id,label\n1,r\n2,s\n", ["1 ids", "'2'"]),
        ("id,label\n1,r\n1,s\n", "id,label\n1,r\n2,s\n", ["a.csv", "id '1'", "line 2", "line 3"]),
    ],
)
def test_files_that_do_not_match_are_named(tmp_path, a, b, words):
    with pytest.raises(InputError) as caught:
        match_labels(table(tmp_path, a, "a.csv"), table(tmp_path, b, "b.csv"))
    for word in words:
        assert word in str(caught.value)
