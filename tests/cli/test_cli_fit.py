from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
import warnings
from html import escape
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from partita import SoftClustering, load
from partita.io import read_features, read_memberships
from partita.wording import percent

IRIS = ("--k", 3, "--label-column", "species", "--id-column", "plant")
KEYS = {
    "schema_version",
    "command",
    "parameters",
    "n_items",
    "n_clusters",
    "sizes",
    "objective",
    "misfit",
    "status",
    "n_iter",
    "n_products",
    "seconds",
    "peak_memory_bytes",
    "seed",
    "versions",
    "input_sha256",
    "scores",
}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_fit_as_a_process_leaves_every_file_the_interface_names(iris_run):
    done, out = iris_run
    assert done.code == 0, done.err
    assert "150 items are in 3 clusters" in done.out
    assert {p.name for p in out.iterdir()} == {
        "memberships.csv",
        "result.json",
        "report.html",
        "manifest.json",
        "model",
    }
    rows = rows_of(out / "memberships.csv")
    assert list(rows[0]) == ["id", "label", "p_0", "p_1", "p_2", "entropy", "margin", "outlier", "certainty"]
    assert [row["id"] for row in rows] == [f"plant{i}" for i in range(150)]
    W = np.array([[float(row[f"p_{k}"]) for k in range(3)] for row in rows])
    assert np.abs(W.sum(axis=1) - 1).max() < 1e-12  # rounding of three additions; 17 digits lose nothing
    top = np.sort(W, axis=1)
    np.testing.assert_array_equal([float(row["margin"]) for row in rows], top[:, -1] - top[:, -2])
    np.testing.assert_array_equal([int(row["label"]) for row in rows], W.argmax(axis=1))
    result = json.loads((out / "result.json").read_text())
    assert result.keys() >= KEYS
    assert set(result["scores"]) == {"purity", "rand", "adjusted_rand", "accuracy"}
    assert result["n_items"] == 150
    assert sum(result["sizes"]) == 150
    assert result["status"] == "converged"
    assert result["scores"]["accuracy"] > 0.8
    assert (out / "report.html").read_text().startswith("<!DOCTYPE html>")


def test_the_share_of_right_labels_is_one_number_in_the_files_the_page_and_the_terminal(iris_run):
    done, out = iris_run
    result = json.loads((out / "result.json").read_text())
    certainty = np.mean([float(row["certainty"]) for row in rows_of(out / "memberships.csv")])
    assert result["certainty"] == pytest.approx(certainty, rel=1e-12)
    page = (out / "report.html").read_text(encoding="utf-8")
    for sentence in result["headline"]:
        assert f'<p class="headline">{sentence}</p>' in page
        assert sentence in " ".join(done.out.split())
    share = percent(certainty)
    assert f"{share[:1].upper()}{share[1:]} of the labels" in result["headline"][1]


def test_what_tells_clusters_apart_is_in_the_result_the_report_and_the_terminal(iris_run, iris_csv):
    done, out = iris_run
    rows = json.loads((out / "result.json").read_text())["explanation"]
    assert [row["cluster"] for row in rows] == [0, 1, 2]
    columns = read_features(iris_csv, label_column="species", id_column="plant").columns
    assert {each["column"] for row in rows for each in row["conditions"]} <= set(columns)
    model = SoftClustering(3, random_state=0).fit(
        read_features(iris_csv, label_column="species", id_column="plant").features
    )
    assert [row["precision"] for row in rows] == [each.precision.value for each in model.explain()]
    for row in rows:
        assert f"cluster {row['cluster']}: {row['rule']} (precision {row['precision']:.2f}" in done.out
        assert escape(row["rule"]) in (out / "report.html").read_text()


def test_words_of_a_table_are_in_its_explanation_and_distances_have_none(call, tmp_path):
    kinds = ("red", "blue")
    (tmp_path / "t.csv").write_text("kind,x\n" + "\n".join(f"{kinds[i % 2]},{10 * (i % 2) + i / 7}" for i in range(40)))
    assert call("fit", "t.csv", "--k", 2, "--out", "words").code == 0
    rows = json.loads((tmp_path / "words/result.json").read_text())["explanation"]
    assert {row["rule"] for row in rows} == {"kind is red", "kind is blue"}
    x = np.r_[np.arange(9.0), 50 + np.arange(9.0)]
    np.savetxt(tmp_path / "d.csv", np.abs(x[:, None] - x), delimiter=",")
    assert call("fit", "d.csv", "--k", 2, "--input", "distances", "--out", "apart").code == 0
    assert "explanation" not in json.loads((tmp_path / "apart/result.json").read_text())


def test_the_answer_is_that_of_the_estimator(iris_run, iris_csv):
    X = read_features(iris_csv, label_column="species", id_column="plant").features
    model = SoftClustering(3, random_state=0).fit(X)
    found = read_memberships(iris_run[1] / "memberships.csv")
    np.testing.assert_array_equal(found.membership, model.membership_)
    np.testing.assert_array_equal(found.labels, model.labels_)


def test_the_same_seed_writes_the_same_memberships_whatever_the_number_of_jobs(call, iris_csv, tmp_path):
    common = ("fit", iris_csv, *IRIS, "--model", "sof", "--n-init", 3)
    assert call(*common, "--seed", 4, "--out", "a", "--n-jobs", 1).code == 0
    assert call(*common, "--seed", 4, "--out", "b", "--n-jobs", 2).code == 0
    assert (tmp_path / "a/memberships.csv").read_bytes() == (tmp_path / "b/memberships.csv").read_bytes()


def test_json_is_all_that_is_printed(call, iris_csv, tmp_path):
    done = call("fit", iris_csv, *IRIS, "--out", "out", "--json")
    printed = json.loads(done.out)
    assert printed.pop("out") == "out"
    assert printed.pop("files") == sorted(
        path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*") if path.is_file()
    )
    assert printed == json.loads((tmp_path / "out/result.json").read_text())


def test_quiet_prints_nothing(call, iris_csv):
    done = call("fit", iris_csv, *IRIS, "--out", "out", "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_an_existing_folder_is_not_overwritten_without_force(call, iris_csv, fitted_iris, tmp_path):
    before = (tmp_path / "out/memberships.csv").read_bytes()
    again = call("fit", iris_csv, *IRIS, "--out", "out", "--model", "sof")
    assert again.code == 2
    assert "--force" in again.err
    assert (tmp_path / "out/memberships.csv").read_bytes() == before
    assert call("fit", iris_csv, *IRIS, "--out", "out", "--model", "sof", "--force").code == 0
    assert (tmp_path / "out/memberships.csv").read_bytes() != before


def test_force_does_not_delete_a_folder_that_is_not_ours(call, iris_csv, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    done = call("fit", iris_csv, *IRIS, "--out", "mine", "--force")
    assert done.code == 2
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"


def test_not_converged_is_a_status_and_an_error_only_under_strict(call, iris_csv, tmp_path):
    relaxed = call("fit", iris_csv, *IRIS, "--out", "a", "--model", "sof", "--max-iter", 1, "--n-init", 1)
    assert relaxed.code == 0
    assert json.loads((tmp_path / "a/result.json").read_text())["status"] == "max_iter"
    strict = call("fit", iris_csv, *IRIS, "--out", "b", "--model", "sof", "--max-iter", 1, "--n-init", 1, "--strict")
    assert strict.code == 3
    assert (tmp_path / "b/memberships.csv").exists()


def test_time_limit_is_a_status(call, iris_csv, tmp_path):
    call("fit", iris_csv, *IRIS, "--out", "a", "--model", "sof", "--max-seconds", 1e-9, "--tol", 0)
    assert json.loads((tmp_path / "a/result.json").read_text())["status"] == "max_seconds"


@pytest.mark.parametrize("suffix", ["tsv", "npy", "npz", "parquet"])
def test_every_table_format_gives_the_same_partition(call, blobs, tmp_path, suffix):
    path = tmp_path / f"blobs.{suffix}"
    if suffix == "tsv":
        path.write_text("u\tv\n" + "".join(f"{float(a)!r}\t{float(b)!r}\n" for a, b in blobs))
    elif suffix == "npy":
        np.save(path, blobs)
    elif suffix == "npz":
        np.savez(path, points=blobs, other=np.zeros(3))
    else:
        pyarrow = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(pyarrow.table({"u": blobs[:, 0], "v": blobs[:, 1]}), path)
    key = ("--key", "points") if suffix == "npz" else ()
    done = call("fit", path, "--k", 2, "--out", "out", *key)
    assert done.code == 0, done.err
    labels = read_memberships(tmp_path / "out/memberships.csv").labels
    assert len(set(labels[:40])) == len(set(labels[40:])) == 1
    assert labels[0] != labels[-1]


@pytest.mark.parametrize("how", ["distances", "affinity", "affinity-mtx", "affinity-npz", "edges"])
@pytest.mark.parametrize("model", ["soft", "sof"])
def test_every_pairwise_input_finds_the_two_groups(call, blobs, tmp_path, how, model):
    D = cdist(blobs, blobs)
    P = np.exp(-D)
    kind = how.partition("-")[0]
    path = tmp_path / "pairs.csv"
    if how == "distances":
        np.savetxt(path, D, delimiter=",")
    elif how == "affinity":
        np.savetxt(path, P, delimiter=",")
    elif how == "affinity-mtx":
        path = tmp_path / "pairs.mtx"
        scipy.io.mmwrite(path, sp.coo_array(P))
    elif how == "affinity-npz":
        path = tmp_path / "pairs.npz"
        sp.save_npz(path, sp.csr_array(P))
    else:
        i, j = np.nonzero(np.triu(P > 0.05, 1))
        path.write_text("source,target,weight\n" + "".join(f"n{a},n{b},{float(P[a, b])!r}\n" for a, b in zip(i, j)))
    done = call("fit", path, "--input", kind, "--k", 2, "--model", model, "--out", "out")
    assert done.code == 0, done.err
    found = read_memberships(tmp_path / "out/memberships.csv")
    group = np.array([int(name.removeprefix("n")) for name in found.ids]) < 40
    assert len(set(found.labels[group])) == len(set(found.labels[~group])) == 1


def test_a_dominating_column_is_named(call, tmp_path):
    rng = np.random.default_rng(0)
    rows = np.c_[rng.normal(size=50), 1000 * rng.normal(size=50)]
    (tmp_path / "t.csv").write_text("small,huge\n" + "".join(f"{a},{b}\n" for a, b in rows))
    graph = ("--affinity", "neighbors")
    done = call("fit", "t.csv", "--k", 2, "--out", "a", *graph)
    assert "'huge' holds 100% of the total variance" in done.out
    assert "--scale-features standard" in done.out
    assert (
        "total variance" not in call("fit", "t.csv", "--k", 2, "--out", "b", *graph, "--scale-features", "standard").out
    )
    assert "total variance" not in call("fit", "t.csv", "--k", 2, "--out", "c").out  # an ensemble sees to units


def test_numbers_that_may_mean_missing_are_doubted_by_the_name_of_their_column(call, tmp_path):
    X = np.random.default_rng(0).normal(50, 9, size=(60, 2)).round(1)
    X[:12, 1] = -999
    file = tmp_path / "t.csv"
    np.savetxt(file, X, delimiter=",", header="a,b c", comments="", fmt="%g")
    call("fit", file, "--k", 2, "--out", tmp_path / "out")
    said = "-999 in 12 cells of b c may stand for a missing value"
    assert said in json.loads((tmp_path / "out" / "result.json").read_text())["headline"][2]
    assert said in (tmp_path / "out" / "report.html").read_text()
    call("fit", file, "--k", 2, "--na", -999, "--out", tmp_path / "none")
    assert "may stand for" not in json.loads((tmp_path / "none" / "result.json").read_text())["headline"][2]


def test_slips_are_doubted_in_the_terminal_the_report_and_the_json(call, tmp_path):
    X = np.random.default_rng(0).integers(1, 6, (90, 3)).astype(float)
    X[7, 0], X[20, 2] = 999, 1e4
    file = tmp_path / "t.csv"
    np.savetxt(file, X, delimiter=",", header="a,b,c", comments="", fmt="%g")
    done = call("fit", file, "--k", 2, "--out", tmp_path / "out")
    said = json.loads((tmp_path / "out" / "result.json").read_text())["headline"][2]
    assert "2 cells lie far from all others of their columns and may be slips" in said
    assert said in " ".join(done.out.split())
    assert said in (tmp_path / "out" / "report.html").read_text()


def test_missing_cells_are_used_only_when_asked(call, iris_csv, tmp_path):
    lines = iris_csv.read_text().splitlines()
    cells = lines[3].split(",")
    cells[2] = ""
    lines[3] = ",".join(cells)
    iris_csv.write_text("\n".join(lines) + "\n")
    graph = ("--affinity", "neighbors")
    refused = call("fit", iris_csv, *IRIS, *graph, "--out", "a")
    assert refused.code == 2
    assert "sepal width" in refused.err
    assert "--missing unobserved" in refused.err
    done = call("fit", iris_csv, *IRIS, *graph, "--out", "a", "--missing", "unobserved")
    assert done.code == 0, done.err
    taken = call("fit", iris_csv, *IRIS, "--out", "b")  # an ensemble takes them as they are, and says so
    assert taken.code == 0, taken.err
    assert "1 cell is missing (sepal width)" in taken.out


def _bad(name: str, text: str, options: tuple[object, ...], *says: str):
    return pytest.param(text, options, says, id=name)


GOOD = "a,b\n0,1\n1,0\n5,5\n6,5\n"
BAD = [
    _bad("nan", "a,b\n0,1\n1,nan\n5,5\n", ("--k", 2, "--affinity", "neighbors"), "line 3", "'b'"),
    _bad("infinite", "a,b\n0,1\n1,inf\n5,5\n", ("--k", 2), "line 3", "'b'"),
    _bad("text column", "a,b\n0,x\n1,x\n5,z\n", ("--k", 2, "--affinity", "relative"), "'b'", "--id-column"),
    _bad("stray label", "a,label\n0,1\n1,0\n5,5\n", ("--k", 2), "--label-column label"),
    _bad("k zero", GOOD, ("--k", 0), "at least one"),
    _bad("k negative", GOOD, ("--k", "-3"), "at least one"),
    _bad("k a word", GOOD, ("--k", "many"), "whole number"),
    _bad("k too large", GOOD, ("--k", 5), "distinct items, 4"),
    _bad("copies do not count", "a,b\n0,1\n0,1\n5,5\n", ("--k", 3), "distinct items, 2"),
    _bad("empty file", "", ("--k", 2), "empty"),
    _bad("header only", "a,b\n", ("--k", 2), "no rows"),
    _bad("ragged", "a,b\n0,1\n1\n5,5\n", ("--k", 2), "line 3"),
    _bad("duplicate id", "n,a\nx,1\nx,2\ny,3\n", ("--k", 2, "--id-column", "n"), "'x'"),
    _bad("unknown label column", GOOD, ("--k", 2, "--label-column", "species"), "species"),
    _bad("unknown id column", GOOD, ("--k", 2, "--id-column", "name"), "name"),
    _bad("non-square", "0,1,2\n1,0,2\n", ("--k", 2, "--input", "affinity"), "square"),
    _bad("negative affinity", "1,-.5\n-.5,1\n", ("--k", 2, "--input", "affinity"), "affinity[0, 1]", "negative"),
    _bad("asymmetric", "1,.5\n.2,1\n", ("--k", 2, "--input", "affinity"), "symmetrize"),
    _bad("all zero", "0,0\n0,0\n", ("--k", 2, "--input", "affinity"), "all zero"),
    _bad("distances with a diagonal", "1,2\n2,0\n", ("--k", 2, "--input", "distances"), "must be 0"),
    _bad("heavy edges", "i,j,weight\na,b,1e300\nb,c,1\n", ("--k", 2, "--input", "edges"), "the weights", "too large"),
    _bad("bad solver", GOOD, ("--k", 2, "--solver", "magic"), "projected-gradient"),
    _bad("bad start", GOOD, ("--k", 2, "--start", "magic"), "spectral"),
    _bad("bad metric", GOOD, ("--k", 2, "--metric", "magic"), "magic"),
    _bad("solver of another domain", GOOD, ("--k", 2, "--solver", "copositive-update"), "--model soft", "subspace"),
    _bad("a simplex solver", GOOD, ("--k", 2, "--model", "symnmf", "--solver", "penalty"), "projected-newton"),
    _bad("a solver without a model", GOOD, ("--k", 2, "--solver", "eigenvectors"), "--model soft"),
    _bad("bad model", GOOD, ("--k", 2, "--model", "copositive", "--steps", 2), "--steps goes"),
    _bad("sof is not normalised", GOOD, ("--k", 2, "--model", "sof", "--normalization", "l1"), "symnmf or copositive"),
    _bad("normalised otherwise", GOOD, ("--k", 2, "--model", "symnmf", "--normalization", "l1"), "none, symmetric"),
    _bad("normalised by magic", GOOD, ("--k", 2, "--normalization", "magic"), "relative-entropy"),
    _bad("sizes with sof", GOOD, ("--k", 2, "--model", "sof", "--sizes", "equal"), "--sizes"),
    _bad("metric with affinity", "1,1\n1,1\n", ("--k", 1, "--input", "affinity", "--metric", "cosine"), "--metric"),
    _bad("label with affinity", "1,1\n1,1\n", ("--k", 1, "--input", "affinity", "--label-column", "a"), "--label-col"),
    _bad("scale a word", GOOD, ("--k", 2, "--model", "sof", "--scale", "big"), "--scale big"),
]


@pytest.mark.parametrize(("text", "options", "says"), BAD)
def test_bad_input_says_what_and_where_and_leaves_nothing(call, tmp_path, text, options, says):
    (tmp_path / "t.csv").write_text(text)
    done = call("fit", "t.csv", *options, "--out", "out")
    assert done.code == 2, done.err
    assert "Traceback" not in done.err
    assert done.err.startswith("partita: error: ")
    assert len(done.err) < 1500  # one screen
    for what in says:
        assert what in done.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["t.csv"]


def test_a_missing_file_and_an_unwritable_place_are_named(call, iris_csv, tmp_path):
    gone = call("fit", "nowhere.csv", "--k", 2)
    assert gone.code == 2
    assert "nowhere.csv" in gone.err
    (tmp_path / "file").write_text("")
    inside = call("fit", iris_csv, *IRIS, "--out", "file/out")
    assert inside.code == 2
    assert "file" in inside.err


def test_usage_errors_end_with_2_and_debug_shows_the_traceback(call, tmp_path):
    assert call("fit").code == 2
    assert call("fit", "x.csv", "--k", 2, "--sizes", "huge").code == 2
    shown = call("fit", "x.csv", "--k", 2, "--debug")
    assert shown.code == 2  # the option changes what is printed, not what it means
    assert "Traceback" in shown.err
    assert "x.csv" in shown.err


def test_too_large_for_memory_is_refused_before_it_is_made(call, blobs, tmp_path, monkeypatch):
    np.save(tmp_path / "b.npy", blobs)
    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", "20000")
    done = call("fit", "b.npy", "--k", 2, "--model", "sof", "--out", "out")
    assert done.code == 2
    assert "--affinity neighbors" in done.err


@pytest.mark.posix("signals")
def test_ctrl_c_writes_the_best_so_far_and_ends_with_130(tmp_path):
    rng = np.random.default_rng(0)
    np.save(tmp_path / "x.npy", rng.normal(size=(500, 5)))
    command = [sys.executable, "-m", "partita", "fit", "x.npy", "--k", "8", "--model", "sof", "--out", "out"]
    endless = ["--tol", "0", "--max-iter", "1000000", "--n-init", "50"]
    endless += ["--checkpoint", "kept", "--checkpoint-seconds", "0.05"]
    with subprocess.Popen(
        [*command, *endless], cwd=tmp_path, env=os.environ, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        end = time.monotonic() + 120
        while not list(
            (tmp_path / "kept").glob("unfinished-*")
        ):  # there is a membership; the fit would go on for hours
            assert running.poll() is None
            assert time.monotonic() < end
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=120)
    assert running.returncode == 130, err
    assert "was written" in err
    assert json.loads((tmp_path / "out/result.json").read_text())["status"] == "interrupted"
    W = read_memberships(tmp_path / "out/memberships.csv").membership
    assert W.shape == (500, 8)


def test_a_saved_model_predicts_what_the_fitted_one_does(call, iris_csv, tmp_path):
    assert call("fit", iris_csv, *IRIS, "--out", "out", "--scale-features", "standard").code == 0
    done = call("predict", "out", iris_csv, "--label-column", "species", "--id-column", "plant", "--out", "p.csv")
    assert done.code == 0, done.err
    X = read_features(iris_csv, label_column="species", id_column="plant").features
    found = read_memberships(tmp_path / "p.csv")
    np.testing.assert_array_equal(found.membership, load(tmp_path / "out" / "model").predict_proba(X))
    fitted = SoftClustering(3, random_state=0, scale_features="standard").fit(X)
    np.testing.assert_array_equal(found.membership, fitted.predict_proba(X))
    again = call("predict", "out", iris_csv, "--label-column", "species", "--id-column", "plant", "--out", "p.csv")
    assert again.code == 2
    assert "--force" in again.err


def test_predict_finds_columns_by_name_and_names_missing_ones(call, iris_csv, fitted_iris, tmp_path):
    rows = [line.split(",") for line in iris_csv.read_text().splitlines()]
    (tmp_path / "turned.csv").write_text("\n".join(",".join(row[4:0:-1]) for row in rows) + "\n")
    assert call("predict", "out", "turned.csv", "--out", "turned-p.csv").code == 0
    X = read_features(iris_csv, label_column="species", id_column="plant").features
    expected = load(tmp_path / "out").predict_proba(X)
    np.testing.assert_array_equal(read_memberships(tmp_path / "turned-p.csv").membership, expected)
    (tmp_path / "short.csv").write_text("\n".join(",".join(row[1:4]) for row in rows) + "\n")
    short = call("predict", "out", "short.csv", "--out", "s.csv")
    assert short.code == 2
    assert "'petal width'" in short.err
    (tmp_path / "other.csv").write_text(iris_csv.read_text().replace("petal width", "Petal.Width"))
    other = call("predict", "out", "other.csv", "--out", "s.csv")
    assert other.code == 2
    assert "'petal width' (did you mean 'Petal.Width'?)" in other.err
    np.save(tmp_path / "bare.npy", X)
    bare = call("predict", "out", "bare.npy", "--out", "s.csv")
    assert bare.code == 2
    assert "bare.npy has no names" in bare.err
    assert "'petal length'" in bare.err


@pytest.mark.parametrize("harm", ["gone", "foreign", "truncated", "garbled"])
def test_a_corrupt_or_foreign_model_is_refused(call, iris_csv, fitted_iris, tmp_path, harm):
    arrays, description = tmp_path / "out/model/arrays.safetensors", tmp_path / "out/model/model.json"
    if harm == "gone":
        arrays.unlink()
    elif harm == "foreign":
        description.write_text('{"program": "another"}')
    elif harm == "truncated":
        arrays.write_bytes(arrays.read_bytes()[:-100])
    else:
        description.write_text(description.read_text().replace('"SoftClustering"', '"os.system"'))
    says = {"gone": "missing", "foreign": "not written by Partita", "truncated": "end of the file"}
    done = call("predict", "out", iris_csv, "--label-column", "species", "--id-column", "plant", "--out", "p.csv")
    assert done.code == 2
    assert "Traceback" not in done.err
    assert says.get(harm, "'os.system'") in done.err
    assert not (tmp_path / "p.csv").exists()


def test_score_joins_on_the_id(call, tmp_path):
    (tmp_path / "a.csv").write_text("id,label\nx,0\ny,0\nz,1\n")
    (tmp_path / "b.csv").write_text("id,label\nz,cat\nx,dog\ny,dog\n")
    done = call("score", "a.csv", "b.csv", "--json")
    assert done.code == 0
    scores = json.loads(done.out)
    assert scores["purity"] == scores["rand"] == scores["adjusted_rand"] == scores["accuracy"] == 1.0
    (tmp_path / "c.csv").write_text("label\ncat\ndog\n")
    assert call("score", "a.csv", "c.csv").code == 2


def test_score_is_told_which_columns_hold_labels_and_ids(call, tmp_path):
    (tmp_path / "a.csv").write_text("id,label,mine\nx,0,1\ny,0,0\nz,1,0\n")
    (tmp_path / "b.csv").write_text("plant,width,species\nz,3,cat\nx,1,dog\ny,2,dog\n")
    known = ("--label-column", "species", "--id-column", "plant", "--json")
    done = call("score", "a.csv", "b.csv", *known)
    assert (done.code, json.loads(done.out)["accuracy"]) == (0, 1.0)
    other = call("score", "a.csv", "b.csv", "--found-column", "mine", *known)
    assert (other.code, json.loads(other.out)["accuracy"]) == (0, pytest.approx(2 / 3))
    for wrong in (("--label-column", "kind"), ("--label-column", "plant", "--id-column", "plant")):
        refused = call("score", "a.csv", "b.csv", *wrong)
        assert refused.code == 2
        assert wrong[1] in refused.err


def test_the_output_keeps_all_of_a_files_name_but_its_format(call, tmp_path):
    (tmp_path / "crabs.v2.csv").write_text("a,b\n0,1\n1,0\n5,5\n6,5\n")
    assert call("fit", "crabs.v2.csv", "-k", 2, "--affinity", "neighbors", "--quiet").code == 0
    assert (tmp_path / "crabs.v2-partita" / "result.json").exists()


def test_a_pair_of_two_weights_takes_the_one_that_is_asked_for(call, tmp_path):
    (tmp_path / "e.csv").write_text("source,target,weight\na,b,1\nb,a,3\nb,c,1\nc,d,2\n")
    given = ("fit", "e.csv", "--input", "edges", "-k", 2, "--quiet")
    assert call(*given).code == 2
    assert call(*given, "--symmetrize", "max").code == 0


def test_version_and_help(call):
    assert call("--version").out.startswith("partita 0.")
    assert "Exit codes" in call("--help").out


def test_help_names_the_defaults_that_depend_on_the_model(call):
    said = " ".join(call("fit", "--help-all").out.split())
    assert "10 for dirichlet, else 1" in said
    assert "4 where most pairs have affinity zero, of an array nine in ten, else 1" in said


def test_the_command_line_starts_without_the_numerical_packages():
    # Seconds of imports before `main` could answer a Ctrl-C with anything but a traceback.
    heavy = "import sys, partita.cli; print([name for name in ('numpy', 'scipy', 'sklearn') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("options", [(), ("--model", "sof"), ("--scale-features", "standard")])
@pytest.mark.parametrize("unit", ["e300", "e-300"])
def test_values_whose_squares_leave_double_precision_are_refused(call, tmp_path, unit, options):
    (tmp_path / "t.csv").write_text("a,b\n" + "\n".join(f"{i % 7}{unit},{i}.5{unit}" for i in range(1, 30)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a warning on the way would end with another error
        done = call("fit", "t.csv", "--k", 2, "--out", "out", *options)
    assert done.code == 2
    assert done.err.startswith("partita: error: X[")
    assert "unit" in done.err


@pytest.mark.filterwarnings("error")
def test_a_column_without_a_value_raises_no_warning(call, tmp_path):
    (tmp_path / "t.csv").write_text("a,b,c\n" + "\n".join(f"{i % 7},,{i}.5" for i in range(30)))
    for affinity in ("auto", "neighbors"):
        options = ("--affinity", affinity, "--missing", "unobserved", "--quiet")
        done = call("fit", "t.csv", "--k", 2, "--out", affinity, *options)
        assert (done.code, done.err) == (0, "")
    assert "b holds no value and is left out" in (tmp_path / "auto" / "result.json").read_text()


def test_a_metric_that_changes_the_numbers_says_so(call, iris_csv):
    done = call("fit", iris_csv, *IRIS, "--out", "a", "--model", "sof", "--metric", "jaccard", "--n-init", 1)
    assert done.code == 0, done.err
    assert "converted to boolean" in done.out


def test_asymmetric_distances_are_refused_by_the_pair_and_the_option_that_helps(call, tmp_path):
    (tmp_path / "d.csv").write_text("0,3,2\n3,0,1\n9,1,0\n")
    done = call("fit", "d.csv", "--k", 2, "--input", "distances")
    assert done.code == 2
    assert "distances[0, 2] = 2" in done.err
    assert "symmetrize='mean'" in done.err
    assert "--symmetrize" in done.err


def test_new_items_bring_their_affinity_rows_dense_or_sparse(call, blobs, tmp_path):
    P = np.exp(-cdist(blobs, blobs))
    P[P < 1e-3] = 0
    np.save(tmp_path / "P.npy", P)
    assert call("fit", "P.npy", "--input", "affinity", "--k", 2, "--out", "out").code == 0
    np.save(tmp_path / "new.npy", P[:5])
    sp.save_npz(tmp_path / "new.npz", sp.csr_array(P[:5]))
    scipy.io.mmwrite(tmp_path / "new.mtx", sp.coo_array(P[:5]))
    for suffix in ("npy", "npz", "mtx"):
        done = call("predict", "out", f"new.{suffix}", "--out", f"{suffix}.csv")
        assert done.code == 0, done.err
    found = [read_memberships(tmp_path / f"{suffix}.csv").membership for suffix in ("npy", "npz", "mtx")]
    np.testing.assert_allclose(found[1], found[0], atol=1e-12)  # sums in another order
    np.testing.assert_allclose(found[2], found[0], atol=1e-12)
    (tmp_path / "broken.mtx").write_text("%%MatrixMarket matrix\nnonsense")
    assert call("predict", "out", "broken.mtx", "--out", "b.csv").code == 2


ENDED_WHILE_WRITING = """
import os, signal, sys
from pathlib import Path
from partita.cli.console import deferred_interrupt
from partita.io import output_folder

number = getattr(signal, sys.argv[1])
if number != signal.SIGINT:
    signal.signal(number, getattr(signal, sys.argv[2]))  # under nohup a child inherits that it is ignored
with deferred_interrupt() as interrupted, output_folder("out") as folder:
    os.kill(os.getpid(), number)
    Path(folder, "content").write_text("whole")
print(interrupted())
"""


@pytest.mark.posix("signals")
@pytest.mark.parametrize(
    ("name", "handled"), [("SIGINT", "SIG_DFL"), ("SIGTERM", "SIG_DFL"), ("SIGHUP", "SIG_DFL"), ("SIGHUP", "SIG_IGN")]
)
def test_a_request_to_end_waits_until_the_folder_is_written(tmp_path, name, handled):
    command = [sys.executable, "-c", ENDED_WHILE_WRITING, name, handled]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out" / "content").read_text() == "whole"
    if name == "SIGINT":
        assert (done.returncode, done.stdout) == (0, "True\n")
    elif handled == "SIG_IGN":
        assert (done.returncode, done.stdout) == (0, "False\n")
    else:
        assert (done.returncode, done.stdout) == (-getattr(signal, name), "")


@pytest.mark.posix("signals")
def test_ctrl_c_after_the_fit_does_not_lose_it(call, iris_csv, tmp_path, monkeypatch):
    import partita.report

    write = partita.report.write_report

    def interrupted(path, report):
        os.kill(os.getpid(), signal.SIGINT)
        write(path, report)

    monkeypatch.setattr(partita.report, "write_report", interrupted)
    done = call("fit", iris_csv, *IRIS, "--out", "out")
    assert done.code == 130
    assert "was written" in done.err
    assert (tmp_path / "out" / "manifest.json").exists()


def test_of_many_clusters_the_terminal_lists_the_largest(call, tmp_path):
    sizes = [30, *[8] * 13]
    X = np.repeat(np.arange(14.0), sizes)[:, None] * [100.0, 0.0] + np.random.default_rng(0).normal(size=(134, 2))
    np.savetxt(tmp_path / "many.csv", X, delimiter=",", header="x,y", comments="")
    options = ["--k", "14", "--affinity", "neighbors", "--probabilities", "fitted", "--out", tmp_path / "out"]
    done = call("fit", tmp_path / "many.csv", *options)
    assert done.code == 0, done.err
    listed = [line for line in done.out.splitlines() if line.startswith("\u2502")]
    assert len(listed) == 12
    assert "and 2 more clusters: memberships.csv and report.html have all" in done.out
