"""What the command line notices of a file of another kind, of a run that was cut short, and of a process that ended."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import mmwrite
from scipy.spatial.distance import cdist

from partita import SoftClustering, save
from partita.io import read_memberships
from partita.io.swap import name_beside
from synthetic import blobs

X, TRUTH = blobs(30, 2, d=3)
APART = cdist(X, X)
LINE = np.r_[np.arange(10.0), np.arange(60.0, 70.0)]


def write(path, table):
    np.savetxt(path, table, delimiter=",", header=",".join(f"c{j}" for j in range(table.shape[1])), comments="")
    return path


@pytest.mark.parametrize(("table", "kind"), [(APART, "distances"), (np.exp(-APART), "affinity")])
def test_a_matrix_of_pairs_is_not_taken_for_features_unless_that_is_said(call, tmp_path, table, kind):
    file = write(tmp_path / "pairs.csv", table)
    refused = call("fit", file, "-k", 2)
    assert refused.code == 2
    assert f"--input {kind}" in refused.err
    assert not (tmp_path / "pairs-partita").exists()
    assert call("fit", file, "-k", 2, "--input", kind, "--out", "pairs").code == 0
    assert call("fit", file, "-k", 2, "--input", "features", "--model", "sof", "--out", "features").code == 0
    assert call("verify", "features").code == 0


def test_distances_as_an_affinity_are_noted(call, tmp_path):
    done = call("fit", write(tmp_path / "pairs.csv", APART), "-k", 2, "--input", "affinity", "--json")
    assert any("--input distances" in note for note in json.loads(done.out)["notes"])


def test_a_matrix_of_a_graph_is_clustered_by_methods_for_graphs(call, tmp_path):
    graph = sp.coo_array(np.kron(np.eye(3), 1.0 - np.eye(10)))
    mmwrite(tmp_path / "graph.mtx", graph)
    np.savetxt(tmp_path / "graph.csv", graph.toarray(), delimiter=",")
    named = ("graph.csv", "--input", "affinity", "--affinity", "graph_ensemble")
    for out, given in enumerate([named, named[:3], ("graph.mtx", *named[1:3])]):
        done = call("fit", *given, "--out", str(out), "--json")
        assert json.loads(done.out)["n_clusters"] == 3
        assert "ensemble" in json.loads(done.out)
    assert call("fit", *named, "--missing", "unobserved").code == 2
    as_it_is = call("fit", *named[:4], "precomputed", "--out", "as it is", "--json")
    assert "ensemble" not in json.loads(as_it_is.out)
    assert "graph-ensemble" in call("fit", *named[:4], "graph_ensembel").err


@pytest.mark.parametrize(("n", "noted"), [(29, False), (30, True), (500, True)])
def test_more_neighbours_than_there_are_items_are_noted(call, tmp_path, n, noted):
    options = ("-k", 2, "--affinity", "neighbors", "--n-neighbors", n, "--json")
    done = call("fit", write(tmp_path / "items.csv", X), *options)
    assert sum("29 other items" in note for note in json.loads(done.out)["notes"]) == noted


@pytest.mark.parametrize("ending", ["gml", "graphml"])
def test_a_directed_graph_needs_a_word_on_its_directions(call, tmp_path, ending):
    networkx = pytest.importorskip("networkx")
    directed = networkx.DiGraph([(i, j) for i in range(8) for j in range(8) if i != j and i // 4 == j // 4 and i < j])
    directed.add_edge(7, 0)
    getattr(networkx, f"write_{ending}")(directed, tmp_path / f"graph.{ending}")
    refused = call("fit", f"graph.{ending}", "-k", 2)
    assert refused.code == 2
    assert "--symmetrize" in refused.err
    done = call("fit", f"graph.{ending}", "-k", 2, "--symmetrize", "max", "--json")
    assert json.loads(done.out)["sizes"] == [4.0, 4.0] or sorted(np.round(json.loads(done.out)["sizes"])) == [4, 4]
    none = call("fit", f"graph.{ending}", "-k", 2, "--symmetrize", "min", "--out", "none")  # no edge goes both ways
    assert none.code == 2


def test_turned_draws_are_noted(call, tmp_path):
    rng = np.random.default_rng(0)
    draws = np.where(rng.random((60, 30)) < 0.05, rng.integers(3, size=(60, 30)), np.arange(30) % 3)
    write(tmp_path / "draws.csv", draws.T)
    done = call("partition", "draws.csv", "--json")
    assert any("transposed" in note for note in json.loads(done.out)["notes"])
    assert "Warning" not in done.err


def test_the_folder_of_draws_is_the_draws(call, tmp_path):
    write(tmp_path / "items.csv", X)
    assert call("draws", "items.csv", "--sweeps", 60, "--chains", 2, "--out", "sampled").code in (0, 3)
    assert call("partition", "sampled", "--out", "one").code == 0
    assert call("partition", "sampled/draws.npz", "--out", "two").code == 0
    assert (tmp_path / "one/labels.csv").read_bytes() == (tmp_path / "two/labels.csv").read_bytes()


def test_wrong_usage_is_json_where_that_is_asked_for(call, tmp_path):
    write(tmp_path / "items.csv", X)
    wrong = call("fit", "items.csv", "--json", "--foo")
    assert wrong.code == 2
    assert "--foo" in json.loads(wrong.out)["error"]["message"]
    assert call("fit", "items.csv", "--foo").out == ""


@pytest.mark.parametrize("name", ["p.parquet", "p.csv.gz", "-"])
def test_predict_writes_csv_under_no_other_name(call, tmp_path, name):
    (tmp_path / "items.csv").write_text("a,b\n" + "".join(f"{k % 2 * 9 + k / 50},{k}\n" for k in range(30)))
    assert call("fit", "items.csv", "--k", 2, "--affinity", "relative", "--out", "fit", "--quiet").code == 0
    done = call("predict", "fit", "items.csv", "--out", name)
    assert done.code == 2
    assert ".csv" in done.err
    assert not (tmp_path / name).exists()


def test_predict_says_as_json_what_it_wrote(call, tmp_path):
    write(tmp_path / "items.csv", X)
    assert call("fit", "items.csv", "-k", 2, "--model", "sof", "--out", "fit").code == 0
    said = json.loads(call("predict", "fit", "items.csv", "--out", "p.csv", "--json", "--quiet").out)
    assert (said["n_items"], said["n_clusters"], said["files"]) == (30, 2, ["p.csv"])
    assert sum(said["sizes"]) == 30


def test_the_same_command_replaces_what_it_wrote_when_it_was_cut_short(call, tmp_path):
    write(tmp_path / "items.csv", X)
    command = ("fit", "items.csv", "-k", 2, "--model", "sof", "--tol", 0, "--checkpoint", "kept")
    assert call(*command, "--max-seconds", 0.001, "--n-init", 50).code == 0
    result = tmp_path / "items-partita/result.json"
    assert json.loads(result.read_text())["status"] == "max_seconds"
    assert call("fit", "items.csv", "-k", 2).code == 2  # another command does not
    assert call("fit", "items.csv", "-k", 2, "--checkpoint", "other").code == 2
    assert call(*command, "--n-init", 50, "--max-iter", 1000).code == 0
    assert json.loads(result.read_text())["status"] != "max_seconds"
    assert call(*command).code == 2  # nor this one, once it has ended


@pytest.mark.posix("signals")
def test_what_a_process_left_that_ended_while_it_wrote_is_removed_at_once(call, tmp_path):
    goal = tmp_path / "items-partita"
    code = "import pathlib as p, sys; from partita.io.swap import name_beside as n; n(p.Path(sys.argv[1])).mkdir()"
    subprocess.run([sys.executable, "-c", code, goal], check=True, env=os.environ)
    mine = name_beside(goal)
    mine.mkdir()
    write(tmp_path / "items.csv", X)
    assert call("fit", "items.csv", "-k", 2, "--model", "sof").code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["items-partita", mine.name, "items.csv"]


def test_one_triangle_is_not_taken_for_features(call, tmp_path):
    refused = call("fit", write(tmp_path / "half.csv", np.tril(APART)), "-k", 2)
    assert refused.code == 2
    assert "triangle" in refused.err
    gaps = write(tmp_path / "gaps.csv", np.where(np.tri(len(APART)), APART, np.nan))
    assert "triangle" in call("fit", gaps, "-k", 2).err
    assert call("fit", tmp_path / "half.csv", "-k", 2, "--input", "features", "--model", "sof").code == 0


@pytest.mark.parametrize("ending", ["npz", "mtx"])
def test_a_sparse_matrix_is_a_table_without_names(call, tmp_path, ending):
    table = np.where(X > 1, X, 0.0)
    if ending == "npz":
        sp.save_npz(tmp_path / "sparse.npz", sp.csr_array(table))
    else:
        mmwrite(tmp_path / "sparse.mtx", sp.coo_array(table))
    named = ",".join(f"column_{j}" for j in range(3))
    np.savetxt(tmp_path / "dense.csv", table, delimiter=",", header=named, comments="", fmt="%.17g")
    for name in (f"sparse.{ending}", "dense.csv"):
        assert call("fit", name, "-k", 2, "--model", "sof", "--out", f"of-{name}").code == 0
    first, second = (tmp_path / f"of-{name}/memberships.csv" for name in (f"sparse.{ending}", "dense.csv"))
    assert first.read_bytes() == second.read_bytes()
    assert call("predict", "of-dense.csv", f"sparse.{ending}", "--out", "new.csv").code == 0
    assert call("fit", f"sparse.{ending}", "--label-column", "kind", "--out", "no").code == 2


@pytest.mark.parametrize("how", ["mean", "max", "min"])
def test_distances_are_made_symmetric_where_that_is_asked_for(call, tmp_path, how):
    apart = np.abs(np.subtract.outer(LINE, LINE))
    apart[0, 1] += 3
    np.savetxt(tmp_path / "d.csv", apart, delimiter=",")
    refused = call("fit", "d.csv", "--input", "distances", "-k", 2)
    assert refused.code == 2
    assert "--symmetrize" in refused.err
    done = call("fit", "d.csv", "--input", "distances", "-k", 2, "--symmetrize", how, "--json")
    assert done.code == 0, done.err
    assert sorted(json.loads(done.out)["sizes"]) == [10, 10]


def test_weights_under_a_name_of_distances_are_noticed(call, tmp_path):
    pairs = [(i, j, abs(a - b)) for i, a in enumerate(LINE) for j, b in enumerate(LINE) if i < j]
    for name, noted in (("distance", True), ("weight", False), ("strength", False)):
        (tmp_path / "e.csv").write_text(f"a,b,{name}\n" + "".join(f"p{i},p{j},{w}\n" for i, j, w in pairs))
        done = call("fit", "e.csv", "--input", "edges", "-k", 2, "--json", "--force")
        assert done.code == 0, done.err
        assert any("1 / (1 + distance)" in note for note in json.loads(done.out)["notes"]) is noted


@pytest.mark.parametrize("gap", ["b", "c"])
def test_an_empty_cell_is_an_error_where_that_is_asked_for(call, tmp_path, gap):
    cells = [{"a": f"{x}", "b": f"{x % 3}", "c": "red" if x < 30 else "blue"} for x in LINE]
    cells[4][gap] = ""
    rows = "".join(f"{row['a']},{row['b']},{row['c']}\n" for row in cells)
    (tmp_path / "t.csv").write_text(f"a,b,c\n{rows}")
    refused = call("fit", "t.csv", "-k", 2, "--missing", "error")
    assert refused.code == 2
    assert "line 6" in refused.err
    assert f"'{gap}'" in refused.err
    done = call("fit", "t.csv", "-k", 2, "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["parameters"]["missing"] is None


def test_an_edge_list_is_read_under_the_ending_that_networkx_gives_it(call, tmp_path):
    nx = pytest.importorskip("networkx")
    nx.write_weighted_edgelist(nx.Graph(nx.karate_club_graph()), tmp_path / "club.edgelist")
    assert call("fit", "club.edgelist", "--input", "edges", "-k", 2).code == 0
    same = call("fit", "club.edgelist", "-k", 2, "--out", "by-name", "--json")
    assert json.loads(same.out)["n_items"] == 34
    assert call("verify", "by-name").code == 0
    nx.write_edgelist(nx.path_graph(5), tmp_path / "attributes.edgelist")
    said = call("fit", "attributes.edgelist")
    assert (said.code, "write_weighted_edgelist" in said.err) == (2, True)
    (tmp_path / "snap.txt").write_text("# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n0\t1\n1\t2\n")
    assert "--input edges" in call("fit", "snap.txt").err


@pytest.mark.parametrize("kind", ["edges", "distances", "features"])
def test_links_for_new_items_are_refused_with_what_the_model_takes(call, tmp_path, kind):
    pairs = [(i, j) for i in range(12) for j in range(i) if i // 6 == j // 6]
    (tmp_path / "links.csv").write_text("source,target\n" + "".join(f"{i},{j}\n" for i, j in pairs))
    if kind == "edges":
        assert call("fit", "links.csv", "--input", "edges", "-k", 2, "--out", "out").code == 0
    elif kind == "distances":
        write(tmp_path / "distances.csv", APART)
        assert call("fit", "distances.csv", "--input", "distances", "-k", 2, "--out", "out").code == 0
    else:
        save(SoftClustering(2, random_state=0).fit(X), tmp_path / "out")  # of an array, so without names of columns
    refused = call("predict", "out", "links.csv", "--out", "new.csv")
    assert refused.code == 2
    assert "source and target" in refused.err
    assert {"edges": "affinities", "distances": "of their distances", "features": "rename"}[kind] in refused.err
    assert "--input" not in refused.err
    assert "--columns" not in refused.err
    if kind == "edges":  # what the message asks for
        links = np.zeros((2, 12))
        links[0, :3] = links[1, 6:9] = 1
        write(tmp_path / "rows.csv", links)
        assert call("predict", "out", "rows.csv", "--out", "new.csv").code == 0
        assert len(set(read_memberships(tmp_path / "new.csv").labels)) == 2


@pytest.mark.parametrize("given", [["--n-neighbors", "5"], ["--metric", "cosine", "--n-neighbors", "5"]])
def test_options_that_describe_a_graph_are_why_there_is_one(call, tmp_path, given):
    write(tmp_path / "items.csv", X)
    done = call("fit", "items.csv", "-k", 2, *given)
    notes = json.loads((tmp_path / "items-partita/result.json").read_text())["notes"]
    assert done.code == 0
    why = next(note for note in notes if "--n-neighbors" in note and "neighbour" in note)
    assert "--metric" not in why  # which alone would be the distance of what the model chooses
    assert "--n-neighbors" in done.out
    assert call("fit", "items.csv", "-k", 2, "--out", "plain").code == 0
    assert not any("--" in note for note in json.loads((tmp_path / "plain/result.json").read_text())["notes"])
    refused = call("fit", "items.csv", "-k", 2, "--n-landmarks", 5, "--out", "no")
    assert refused.code == 2
    assert "landmarks" in refused.err
    assert "neighbors" not in refused.err


def test_the_way_that_is_named_for_unobserved_pairs_can_be_gone(call, tmp_path):
    close = np.exp(-np.square(X[:, None] - X).sum(axis=2) / 8)
    close[2, 5] = close[5, 2] = np.nan
    write(tmp_path / "holes.csv", close)
    given = ("fit", "holes.csv", "--input", "affinity", "--missing", "unobserved", "-k", 2, "--out")
    refused = call(*given, "no", "--model", "copositive")
    assert refused.code == 2
    way = ("--model", "symnmf", "--normalization", "none")
    assert " ".join(way) in refused.err
    assert call(*given, "yes", *way).code == 0
