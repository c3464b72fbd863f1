"""Lists of pairs: every way to name the columns, and every pair that cannot be right."""

import numpy as np
import pytest

from optional import optional
from partita.errors import InputError
from partita.io import read_edges, read_links, read_pair_weights

pa, pq = optional("pyarrow"), optional("pyarrow.parquet")


def write(folder, content, name="e.csv"):
    file = folder / name
    file.write_text(content)
    return file


def pairs(table):
    return [(table.ids[i], table.ids[j], w) for i, j, w in zip(table.source, table.target, table.weight)]


PAIRS = [("bob", "ann", 0.5), ("ann", "cid", 2.0)]


@pytest.mark.parametrize(
    "content",
    [
        "source,target,weight\nbob,ann,0.5\nann,cid,2\n",
        "Weight,FROM,To\n0.5,bob,ann\n2,ann,cid\n",
        "i,j,weight,note\nbob,ann,0.5,x\nann,cid,2,y\n",
        "u,v,weight\nbob,ann,.5\n\nann,cid,2\n",
        "bob,ann,0.5\nann,cid,2\n",
        "left,right,strength\nbob,ann,0.5\nann,cid,2\n",
        "src,dst,value\nbob,ann,0.5\nann,cid,2\n",
        "node_1,node_2,note,similarity\nbob,ann,x,0.5\nann,cid,y,2\n",
    ],
)
def test_every_way_to_name_the_columns(tmp_path, content):
    table = read_edges(write(tmp_path, content))
    assert pairs(table) == PAIRS
    assert table.ids == ["bob", "ann", "cid"]
    assert table.source.dtype == np.intp
    assert len(table.sha256) == 64
    assert pairs(read_edges(write(tmp_path, content.replace(",", "\t"), "e.tsv"))) == PAIRS


def test_a_category_called_a_cost_is_no_column_of_distances(tmp_path):
    table = read_edges(write(tmp_path, "source,target,cost center\nbob,ann,sales\nann,cid,staff\n"))
    assert table.weight.tolist() == [1.0, 1.0]
    with pytest.raises(InputError, match="'distance_km'"):
        read_edges(write(tmp_path, "source,target,distance_km\nbob,ann,3\nann,cid,2\n"))


@pytest.mark.parametrize("content", ["source,target\nbob,ann\nann,cid\n", "bob,ann\nann,cid\n"])
def test_without_weights_every_pair_has_weight_one(tmp_path, content):
    table = read_edges(write(tmp_path, content))
    assert pairs(table) == [("bob", "ann", 1), ("ann", "cid", 1)]
    assert "weight 1" in table.notes[-1]


def test_whole_numbers_are_sorted_by_value(tmp_path):
    assert read_edges(write(tmp_path, "10,9\n2,10\n")).ids == ["2", "9", "10"]
    assert read_edges(write(tmp_path, "0,1\n2,0\n")).ids == ["0", "1", "2"]


def test_a_first_row_that_counts_is_a_pair_not_a_header(tmp_path):
    assert len(read_edges(write(tmp_path, "0,1,2\n1,2,3\n")).weight) == 2


@pytest.mark.parametrize("header", ["from_id,to_id", "sourceNode,targetNode", "von,nach", "person,friend"])
def test_words_over_names_that_all_have_digits_and_known_names_are_a_header(tmp_path, header):
    rows = "u1,u2\nu2,u3\nu1,u3\n"
    assert read_edges(write(tmp_path, f"{header}\n{rows}")).ids == ["u1", "u2", "u3"]
    assert len(read_edges(write(tmp_path, "ann,bob\nbob,u1\n")).source) == 2


def test_a_repeated_pair_is_kept_once(tmp_path):
    table = read_edges(write(tmp_path, "source,target,weight\na,b,1\nb,a,1\nb,c,2\na,b,1\n"))
    assert pairs(table) == [("a", "b", 1), ("b", "c", 2)]
    assert "2 repeated pairs" in table.notes[-1]


@pytest.mark.parametrize(("how", "weight"), [("mean", 2.0), ("max", 3.0), ("min", 1.0)])
def test_several_weights_of_a_pair_become_the_one_that_is_asked_for(tmp_path, how, weight):
    table = read_edges(write(tmp_path, "source,target,weight\na,b,1\nb,c,5\nb,a,3\na,b,2\n"), symmetrize=how)
    assert pairs(table) == [("a", "b", weight), ("b", "c", 5.0)]
    assert how in table.notes[0]


def test_links_of_a_directed_graph_have_no_direction(tmp_path):
    networkx = optional("networkx")
    networkx.write_graphml(networkx.DiGraph([("0", "2"), ("2", "0")]), tmp_path / "l.graphml")
    assert read_links(tmp_path / "l.graphml", ["0", "1", "2"]).tolist() == [[0, 2]]
    with pytest.raises(InputError, match=r"l\.graphml .*directions"):
        read_pair_weights(tmp_path / "l.graphml", ["0", "1", "2"])


def test_directions_of_a_graph_are_no_repeated_pairs(tmp_path):
    networkx = optional("networkx")
    networkx.write_graphml(networkx.DiGraph([("a", "b"), ("b", "c"), ("c", "b")]), tmp_path / "d.graphml")
    table = read_edges(tmp_path / "d.graphml", symmetrize="mean")
    assert pairs(table) == [("a", "b", 0.5), ("b", "c", 1.0)]
    assert not any("repeated" in note for note in table.notes)
    assert "directed" in table.notes[0]


def test_an_item_may_be_paired_with_itself(tmp_path):
    assert pairs(read_edges(write(tmp_path, "a,a,1\n"))) == [("a", "a", 1)]


def test_parquet_and_numpy_files(tmp_path):
    pq.write_table(
        pa.table({"source": ["bob", "ann"], "target": ["ann", "cid"], "weight": [0.5, 2]}), tmp_path / "e.parquet"
    )
    assert pairs(read_edges(tmp_path / "e.parquet")) == PAIRS
    np.savez(tmp_path / "e.npz", source=["bob", "ann"], target=["ann", "cid"], weight=[0.5, 2])
    assert pairs(read_edges(tmp_path / "e.npz")) == PAIRS
    numbers = np.array([[3, 1, 0.5], [1, 2, 2.0]])
    np.save(tmp_path / "e.npy", numbers)
    np.savez(tmp_path / "k.npz", edges=numbers, other=np.ones((2, 2)))
    for table in (read_edges(tmp_path / "e.npy"), read_edges(tmp_path / "k.npz", key="edges")):
        assert pairs(table) == [("3", "1", 0.5), ("1", "2", 2)]
        assert table.ids == ["1", "2", "3"]


BAD = {
    "negative": ("source,target,weight\na,b,1\nb,c,-2\n", ["line 3", "'b'", "'c'", "-2"]),
    "infinite": ("source,target,weight\na,b,inf\n", ["line 2", "inf"]),
    "missing weight": ("source,target,weight\na,b,\nb,c,1\n", ["line 2", "'a'", "'b'"]),
    "text weight": ("source,target,weight\na,b,1\nb,c,1\nc,d,much\n", ["column 'weight'", "line 4: 'much'"]),
    "two weights": ("source,target,weight\na,b,1\nb,c,5\na,b,2\n", ["'a', 'b'", "1 in line 2", "2 in line 4"]),
    "two weights, other direction": ("a,b,1\nb,a,2\n", ["'a', 'b'", "line 1", "line 2"]),
    "empty end": ("source,target\na,b\n,c\n", ["line 3", "source"]),
    "header only": ("source,target\n", ["header"]),
    "empty": ("", ["0 bytes"]),
    "one column": ("source\na\n", ["source, target", "found 1"]),
    "too many columns": ("a,b,1,2\n", ["found 4"]),
    "ragged": ("source,target\na,b\nc\n", ["line 3", "found 1"]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_pairs_are_named_with_place_and_remedy(tmp_path, case):
    content, words = BAD[case]
    file = write(tmp_path, content)
    with pytest.raises(InputError) as caught:
        read_edges(file)
    for word in (str(file), *words):
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("arrays", "options", "message"),
    [
        ({"edges": np.ones((3, 4))}, {}, "(3, 4)"),
        ({"edges": np.array([[0, 1.5]])}, {}, "row 1: 1.5"),
        ({"edges": np.ones((2, 2)), "more": np.ones((2, 2))}, {}, "--key"),
        ({"edges": np.ones((2, 2))}, {"key": "egdes"}, "'edges'"),
        ({"source": np.arange(2), "target": np.arange(3)}, {}, "(2,), (3,)"),
        ({"source": np.arange(2), "target": np.arange(2), "weight": np.array(["a", "b"])}, {}, "'weight'.*<U1"),
        ({"source": np.arange(0), "target": np.arange(0)}, {}, "e.npz"),
    ],
)
def test_bad_arrays_are_named(tmp_path, arrays, options, message):
    np.savez(tmp_path / "e.npz", **arrays)
    with pytest.raises(InputError, match=message.replace("(", r"\(").replace(")", r"\)")):
        read_edges(tmp_path / "e.npz", **options)


def test_a_key_is_for_npz_only(tmp_path):
    with pytest.raises(InputError, match="--key"):
        read_edges(write(tmp_path, "a,b\n"), key="edges")


@pytest.mark.parametrize(
    ("header", "unused"),
    [("source,target,kind", ["kind"]), ("a,source,target,weight,b", ["a", "b"]), ("source,target,count", [])],
)
def test_columns_that_are_not_used_are_named(tmp_path, header, unused):
    row = ",".join({"source": "x", "target": "y"}.get(name, "2") for name in header.split(","))
    notes = read_edges(write(tmp_path, f"{header}\n{row}\n")).notes
    said = [note for note in notes if "not used" in note]
    assert len(said) == bool(unused)
    assert all(repr(name) in said[0] for name in unused)
