"""Files and scores of benchmarks/public_suite.py, on a suite of three small sets made here."""

import csv
import gzip
import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from partita.errors import InputError
from synthetic import gaussians

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
OURS = "T: SoftClustering_affinity=neighbors_probabilities=fitted"
OPTIONS = ["--option", "affinity=neighbors", "--option", "probabilities=fitted", "--name", "T"]


@pytest.fixture(scope="module")
def script():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        yield importlib.import_module("public_suite")
        for name in ("public_suite", "suite_files", "timing"):
            sys.modules.pop(name, None)


def gzipped(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt") as file:
        file.writelines(f"{line}\n" for line in lines)


def make_set(folder, name, X, *references):
    gzipped(folder / f"{name}.data.gz", ["  ".join(map(str, row)) for row in X])
    for number, labels in enumerate(references):
        gzipped(folder / f"{name}.labels{number}.gz", labels)


def four_blobs():
    """Twelve items in each corner of a square, 100 apart."""
    truth = np.repeat([1, 2, 3, 4], 12)
    return gaussians(truth - 1, [[0, 0], [100, 0], [0, 100], [100, 100]]), truth


@pytest.fixture
def folder(tmp_path):
    """`a/fine`: references of 2 and 4 clusters. `a/noisy`: two of 4, one with noise. `b/plain`: one of 4."""
    X, truth = four_blobs()
    noisy = np.where(np.arange(48) % 12 == 0, 0, truth)
    make_set(tmp_path / "suite" / "a", "fine", X, truth, (truth + 1) // 2)
    make_set(tmp_path / "suite" / "a", "noisy", X, 1 + np.arange(48) % 4, noisy)
    make_set(tmp_path / "suite" / "b", "plain", X, truth)
    return tmp_path / "suite"


@pytest.fixture
def foreign(tmp_path):
    """Two settings: "F_1" is right on all sets at K = 4, "F_2" puts the first items of clusters elsewhere."""
    _, truth = four_blobs()
    moved = np.where(np.arange(48) % 12 == 0, truth % 4 + 1, truth)
    for name in ("a/fine", "a/noisy", "b/plain"):
        labels(tmp_path / "foreign" / "original" / "F" / f"{name}.result4.gz", {"F_1": truth, "F_2": moved})
    labels(tmp_path / "foreign" / "original" / "F" / "a" / "fine.result2.gz", {"F_1": truth % 2 + 1})
    return tmp_path / "foreign"


def labels(path, columns):
    lines = [",".join(f'"{name}"' for name in columns), *(",".join(map(str, row)) for row in zip(*columns.values()))]
    gzipped(path, lines)


def by_name(script, folder):
    return {str(one): one for one in script.suite(folder)}


def cells(printed):
    """Rows of the printed table by their first cell, as dictionaries by column."""
    lines = [line[1:-1].split("|") for line in printed.splitlines() if line.startswith("|")]
    header, _, *rows = [[cell.strip() for cell in line] for line in lines]
    return {row[0]: dict(zip(header[1:], row[1:], strict=True)) for row in rows}


def test_the_layout_is_read(script, folder):
    sets = by_name(script, folder)
    X, truth = four_blobs()
    assert list(sets) == ["a/fine", "a/noisy", "b/plain"]
    assert np.array_equal(sets["a/fine"].features(), X)
    assert [labels.max() for labels in sets["a/fine"].references] == [4, 2]
    assert np.array_equal(sets["a/fine"].references[0], truth)
    assert sets["a/fine"].n_clusters == [2, 4]
    assert sets["a/noisy"].n_clusters == [4]
    assert (sets["a/noisy"].references[1] == 0).sum() == 4


def test_more_than_ten_references_keep_their_order(script, folder):
    X, truth = four_blobs()
    make_set(folder / "b", "many", X, *[np.roll(truth, shift) for shift in range(12)])
    references = by_name(script, folder)["b/many"].references
    assert np.array_equal(references, [np.roll(truth, shift) for shift in range(12)])


def test_written_labels_are_read_again(script, tmp_path):
    files = importlib.import_module("suite_files")
    columns = {"A_metric=a,b": np.array([1, 2, 2, 3]), 'B_"quoted"': np.array([1, 1, 1, 1])}
    files.write_labels(tmp_path / "b" / "s.result3.gz", columns)
    again = files.read_labels(tmp_path / "b" / "s.result3.gz", 4, 3)
    assert list(again) == list(columns)
    assert all(np.array_equal(again[name], columns[name]) for name in columns)
    assert [path.name for path in (tmp_path / "b").iterdir()] == ["s.result3.gz"]


def test_a_run_writes_labels_from_one_under_a_header_that_names_the_setting(script, folder, tmp_path):
    script.main([str(folder), "--out", str(tmp_path / "out"), *OPTIONS])
    written = sorted(path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.gz"))
    assert written == [
        f"original/T/{name}.gz" for name in ("a/fine.result2", "a/fine.result4", "a/noisy.result4", "b/plain.result4")
    ]
    with gzip.open(tmp_path / "out" / written[1], "rt", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == [OURS.removeprefix("T: ")]
    assert sorted({row[0] for row in rows}) == ["1", "2", "3", "4"]
    assert adjusted_rand_score([int(row[0]) for row in rows], four_blobs()[1]) == 1


def test_files_that_are_there_are_not_computed_again(script, folder, tmp_path, capsys):
    out = tmp_path / "out"
    _, truth = four_blobs()
    other = {"Other": truth}
    labels(out / "original" / "T" / "b" / "plain.result4.gz", other | {OURS.removeprefix("T: "): np.roll(truth, 6)})
    labels(out / "original" / "T" / "a" / "noisy.result4.gz", other)
    before = (out / "original" / "T" / "b" / "plain.result4.gz").read_bytes()
    script.main([str(folder), "--out", str(out), *OPTIONS])
    said = capsys.readouterr()
    assert "b/plain" not in said.err
    assert (out / "original" / "T" / "b" / "plain.result4.gz").read_bytes() == before
    assert float(cells(said.out)["b"][OURS]) == pytest.approx(adjusted_rand_score(np.roll(truth, 6), truth), abs=5e-4)
    # A file of another setting keeps its column and gets one.
    assert cells(said.out)["b"]["T: Other"] == "1.000"
    assert cells(said.out)["a"]["T: Other"] == "1.000 (1 of 2)"
    script.main([str(folder), "--out", str(out), *OPTIONS])
    again = capsys.readouterr()
    assert again.err == ""
    assert again.out == said.out


def test_noise_of_a_reference_is_left_out_of_its_score(script, folder, foreign, capsys, tmp_path):
    script.main([str(folder), "--out", str(tmp_path / "out"), "--beside", str(foreign), *OPTIONS])
    shown = cells(capsys.readouterr().out)
    _, truth = four_blobs()
    noisy = by_name(script, folder)["a/noisy"]
    assert script.adjusted_rand(np.where(noisy.references[1] == 0, 1, truth), noisy.references[1]) == 1
    moved = adjusted_rand_score(np.where(np.arange(48) % 12 == 0, truth % 4 + 1, truth), truth)
    assert moved < 0.9
    # F_2 errs on items that are noise in a/noisy alone: 1 there, and less on a/fine and b/plain.
    assert float(shown["a"]["F: F_2"]) == pytest.approx((1 + moved) / 2, abs=5e-4)
    assert float(shown["b"]["F: F_2"]) == pytest.approx(moved, abs=5e-4)


def test_a_set_has_the_score_of_its_best_reference(script, folder, tmp_path):
    _, truth = four_blobs()
    method = script.Method(tmp_path / "M")
    labels(method.folder / "a" / "noisy.result4.gz", {"cross": 1 + np.arange(48) % 4, "right": truth})
    # At K = 4 the reference is crossed, at K = 2 it is met.
    labels(method.folder / "a" / "fine.result4.gz", {"both": 1 + np.arange(48) % 4, "one": 1 + np.arange(48) % 4})
    labels(method.folder / "a" / "fine.result2.gz", {"both": (truth + 1) // 2})
    labels(method.folder / "a" / "fine.result3.gz", {"both": np.minimum(truth, 3)})  # no reference's K
    # Labels at K = 4 do not count for the reference of two clusters, nor do those at 3 for that of four.
    labels(method.folder / "b" / "plain.result3.gz", {"three": np.minimum(truth, 3)})
    make_set(folder / "c", "halves", four_blobs()[0], truth, (truth + 1) // 2)
    for K in (2, 4):
        labels(method.folder / "c" / f"halves.result{K}.gz", {"swapped": [(truth + 1) // 2, truth % 2 + 1][K == 2]})
    scores = script.Scores()
    for one in by_name(script, folder).values():
        scores.add(method, one)
    value = {name: {at: score.value for at, score in by.items()} for name, by in scores.by_column.items()}
    assert value["M: cross"] == {"a/noisy": 1}
    assert value["M: right"] == {"a/noisy": 1}
    assert value["M: both"] == {"a/fine": 1}
    assert value["M: one"]["a/fine"] < 0.1
    assert "M: three" not in value
    assert value["M: swapped"]["c/halves"] == pytest.approx(adjusted_rand_score((truth + 1) // 2, truth))
    assert value["M: swapped"]["c/halves"] < 0.6
    said, *fewer = scores.said
    assert len(fewer) == 1
    assert "M: swapped has 2 clusters for K = 4" in fewer[0]
    assert "a/fine" in said
    assert "M: one" in said
    assert "K = 2" in said


def test_an_own_number_is_scored_against_every_reference(script, folder, tmp_path, capsys):
    own = tmp_path / "out" / "original" / "T-own"
    _, truth = four_blobs()
    column = OURS.removeprefix("T: ")
    labels(own / "a" / "fine.result2.gz", {column: (truth + 1) // 2})
    labels(own / "a" / "noisy.result3.gz", {column: np.minimum(truth, 3)})
    script.main([str(folder), "--own", "--out", str(tmp_path / "out"), *OPTIONS])
    said = capsys.readouterr()
    assert [line.split(",")[0] for line in said.err.splitlines()] == ["b/plain"]
    shown = cells(said.out)
    column = OURS.replace("T:", "T-own:")
    inside = np.arange(48) % 12 > 0
    noisy = adjusted_rand_score(np.minimum(truth, 3)[inside], truth[inside])
    assert float(shown["a"][column]) == pytest.approx((1 + noisy) / 2, abs=5e-4)
    (file,) = own.glob("b/plain.result*.gz")
    assert shown["own K that a reference has"][column] == str(1 + (file.name == "plain.result4.gz"))


def test_methods_stand_side_by_side_and_gaps_are_told(script, folder, foreign, tmp_path, capsys):
    (foreign / "original" / "F" / "b" / "plain.result4.gz").unlink()
    script.main([str(folder), "--out", str(tmp_path / "out"), "--beside", str(foreign), *OPTIONS])
    shown = cells(capsys.readouterr().out)
    assert list(shown) == ["a", "b", "**all**", "all that every column has"]
    assert list(shown["a"]) == ["sets", "F: F_1", "F: F_2", OURS]
    assert shown["a"]["F: F_1"] == "1.000"
    assert shown["b"] == {"sets": "1", "F: F_1": "", "F: F_2": "", OURS: "1.000"}
    assert shown["**all**"]["F: F_1"] == "1.000 (2 of 3)"
    assert shown["**all**"][OURS] == "1.000"
    assert shown["all that every column has"]["sets"] == "2"


def test_batteries_and_sizes_are_chosen(script, folder, tmp_path, capsys):
    make_set(folder / "b", "tiny", [[0.0], [0.1], [9.0], [9.1]], [1, 1, 2, 2])
    out = tmp_path / "out"
    truth = {"SoftClustering": np.array([1, 1, 2, 2])}
    labels(out / "original" / "T" / "b" / "tiny.result2.gz", truth)
    script.main([str(folder), "--out", str(out), "--name", "T", "--batteries", "b", "--most", "4"])
    printed = capsys.readouterr().out
    assert cells(printed)["**all**"] == {"sets": "1", "T: SoftClustering": "1.000"}
    assert "Sets: 2. Left out: 1. Failed: 0." in printed
    assert "b/plain: left out, 48 items" in printed


@pytest.mark.parametrize("name", ["fine.labels0.gz", "fine.data.gz"])
def test_a_damaged_set_is_said_by_name_and_the_others_go_on(script, folder, tmp_path, capsys, name):
    path = folder / "a" / name
    path.write_bytes(path.read_bytes()[:-20])
    script.main([str(folder), "--out", str(tmp_path / "out"), *OPTIONS])
    printed = capsys.readouterr().out
    (line,) = [line for line in printed.splitlines() if line.startswith("- ")]
    assert "a/fine" in line
    assert name in line
    assert cells(printed)["b"][OURS] == "1.000"
    assert not (tmp_path / "out" / "original" / "T" / "a" / "fine.result4.gz").exists()


@pytest.mark.parametrize(
    "content",
    [b"", b"not a gzip", gzip.compress(b""), gzip.compress(b'"F_1"\n1\n2\n'), gzip.compress(b'"F_1"\n' + b"0\n" * 48)],
    ids=["empty", "no gzip", "nothing in it", "too short", "label 0"],
)
def test_damaged_labels_are_said_by_name(script, folder, foreign, tmp_path, capsys, content):
    path = foreign / "original" / "F" / "b" / "plain.result4.gz"
    path.write_bytes(content)
    script.main([str(folder), "--out", str(tmp_path / "out"), "--beside", str(foreign), "--batteries", "b", *OPTIONS])
    printed = capsys.readouterr().out
    assert str(path) in printed
    assert cells(printed)["b"] == {"sets": "1", OURS: "1.000"}


def test_damaged_labels_of_ours_are_not_written_over(script, folder, tmp_path, capsys):
    path = tmp_path / "out" / "original" / "T" / "b" / "plain.result4.gz"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"not a gzip")
    script.main([str(folder), "--out", str(tmp_path / "out"), *OPTIONS])
    printed = capsys.readouterr().out
    assert path.read_bytes() == b"not a gzip"
    assert str(path) in printed
    assert cells(printed)["**all**"][OURS] == "1.000 (2 of 3)"


@pytest.mark.parametrize("wrong", [[1, 1, 3, 3], [0, 0, 0, 0], [1, 1, -1, 2], [1, 1.5, 2, 2]])
def test_references_are_numbers_without_gaps(script, folder, wrong):
    make_set(folder / "b", "wrong", [[0.0]] * 4, wrong)
    with pytest.raises(InputError, match=r"wrong\.labels0\.gz"):
        _ = by_name(script, folder)["b/wrong"].references


def test_a_set_that_cannot_be_fitted_is_counted(script, folder, tmp_path, capsys):
    make_set(folder / "b", "few", [[0.0], [0.0], [0.0], [0.0]], [1, 2, 3, 4])
    script.main([str(folder), "--out", str(tmp_path / "out"), "--batteries", "b", *OPTIONS])
    printed = capsys.readouterr().out
    assert "b/few, K = 4: failed" in printed
    assert "Sets: 2. Left out: 0. Failed: 1." in printed
    assert not (tmp_path / "out" / "original" / "T" / "b" / "few.result4.gz").exists()
    assert cells(printed)["b"][OURS] == "1.000 (1 of 2)"


@pytest.mark.parametrize(
    "wrong",
    [
        ["--option", "afinity=neighbors"],
        ["--option", "affinity"],
        ["--option", "n_clusters=3"],
        ["--estimator", "DPGaussianMixture"],
        ["--estimator", "BayesianPartition"],
        ["--name", "a/b"],
        ["--name", "T-own"],
        ["--batteries", "c"],
        ["--beside", "nowhere"],
    ],
)
def test_a_wrong_option_ends_before_anything_is_written(script, folder, tmp_path, wrong):
    with pytest.raises(SystemExit) as ended:
        script.main([str(folder), "--out", str(tmp_path / "out"), *wrong])
    assert ended.value.code == 2
    assert not (tmp_path / "out").exists()


def test_fewer_clusters_than_asked_are_scored_and_told(script, folder, tmp_path, capsys, monkeypatch):
    halves = (four_blobs()[1] + 1) // 2
    monkeypatch.setattr(script.Setting, "labels", lambda self, X, n_clusters: halves)
    script.main([str(folder), "--out", str(tmp_path / "out"), "--name", "T", "--batteries", "b"])
    capsys.readouterr()
    script.main([str(folder), "--out", str(tmp_path / "out"), "--name", "T", "--batteries", "b"])
    printed = capsys.readouterr().out
    assert "- b/plain: T: SoftClustering has 2 clusters for K = 4" in printed
    assert cells(printed)["b"]["T: SoftClustering"] == f"{adjusted_rand_score(halves, four_blobs()[1]):.3f}"


def test_a_folder_without_sets_is_refused(script, tmp_path):
    with pytest.raises(SystemExit) as ended:
        script.main([str(tmp_path), "--out", str(tmp_path / "out")])
    assert ended.value.code == 2


def test_two_folders_of_one_method_are_refused(script, folder, foreign, tmp_path):
    labels(tmp_path / "more" / "original" / "F" / "a" / "fine.result4.gz", {"F_1": four_blobs()[1]})
    with pytest.raises(InputError, match="F"):
        script.side_by_side([foreign, tmp_path / "more"])
    assert [method.folder.name for method in script.side_by_side([foreign, foreign / "original"])] == ["F"]
