"""`partita verify`: whole files, and the same bits from the same command."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from partita.cli import main
from synthetic import gaussians

RNG = np.random.default_rng(0)
CENTRES = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])


def run(*arguments):
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    return stop.value.code


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("verify") / "points.csv"
    X = gaussians(np.arange(60) % 3, CENTRES, RNG)
    path.write_text("x,y\n" + "\n".join(f"{a!r},{b!r}" for a, b in X.tolist()) + "\n")
    return path


@pytest.fixture(scope="module")
def fitted(table):
    out = table.parent / "fitted"
    # Not quiet: a command that is run again prints nothing, which must make no difference.
    assert run("fit", table, "--k", 3, "--out", out) == 0
    return out


@pytest.fixture
def copied(fitted, table, tmp_path):
    for path in (*fitted.rglob("*"), table):
        if path.is_file():
            goal = tmp_path / path.relative_to(table.parent)
            goal.parent.mkdir(parents=True, exist_ok=True)
            goal.write_bytes(path.read_bytes())
    return tmp_path / "fitted"


def found(folder, *arguments, capsys):
    code = run("verify", folder, "--json", *arguments)
    return code, json.loads(capsys.readouterr().out)


def states(rows):
    return {row["file"]: row["state"] for row in rows}


def test_a_fresh_result_is_whole_and_its_command_gives_the_same_bits(fitted, capsys):
    code, said = found(fitted, capsys=capsys)
    assert code == 0
    assert said["verified"]
    assert said["replayed"]
    again = states(said["again"])
    assert again.pop("report.html") == "not compared"
    assert set(again.values()) == {"same bits"}
    assert {"memberships.csv", "model/arrays.safetensors", "result.json"} <= set(again)


@pytest.mark.parametrize("model", ["scams", "sof"])
def test_every_model_is_run_again_with_its_own_options(table, tmp_path, capsys, model):
    own = {"scams": ["--k", "auto", "--share", "0.1"], "sof": ["--k", "3", "--n-init", "3", "--start", "kmeans"]}[model]
    out = tmp_path / "out"
    assert run("fit", table, "--model", model, *own, "--seed", 5, "--out", out, "--quiet") == 0
    code, said = found(out, capsys=capsys)
    assert code == 0
    assert said["replayed"]


def test_links_are_read_again(table, tmp_path, capsys):
    links = tmp_path / "links.csv"
    links.write_text("source,target\n0,1\n3,4\n")
    out = tmp_path / "out"
    assert run("fit", table, "--k", 3, "--cannot-link", links, "--out", out, "--quiet") == 0
    assert found(out, capsys=capsys)[0] == 0
    links.write_text("source,target\n0,1\n")
    assert run("verify", out) == 2
    assert "links.csv" in capsys.readouterr().err


def test_draws_and_their_partition_are_run_again(table, tmp_path, capsys):
    drawn, out = tmp_path / "drawn", tmp_path / "partition"
    assert run("draws", table, "--sweeps", 60, "--chains", 2, "--out", drawn, "--quiet") == 0
    assert found(drawn, capsys=capsys)[0] == 0
    assert run("partition", drawn / "draws.npz", "--loss", "binder", "--n-init", 2, "--out", out, "--quiet") == 0
    code, said = found(out, capsys=capsys)
    assert code == 0
    assert states(said["again"])["labels.csv"] == "same bits"


@pytest.mark.posix("signals")
def test_one_core_gives_the_bits_of_two(fitted):
    core = min(os.sched_getaffinity(0))
    script = f"import os, sys; os.sched_setaffinity(0, {{{core}}}); from partita.cli import main; main(sys.argv[1:])"
    done = subprocess.run([sys.executable, "-c", script, "verify", str(fitted)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_changed_file_is_named_and_nothing_is_run(copied, capsys):
    path = copied / "memberships.csv"
    path.write_text(path.read_text().replace("0", "1", 1))
    code, said = found(copied, capsys=capsys)
    assert code == 2
    assert not said["verified"]
    assert not said["replayed"]
    assert states(said["written"])["memberships.csv"] == "changed"


def test_a_missing_file_and_one_too_many_are_named(copied, capsys):
    (copied / "report.html").unlink()
    (copied / "notes.txt").write_text("mine")
    code, said = found(copied, "--files-only", capsys=capsys)
    assert code == 2
    assert states(said["written"])["report.html"] == "missing"
    assert states(said["written"])["notes.txt"] == "unexpected"


def test_a_result_that_the_command_does_not_give_is_found_out(copied, capsys):
    """Memberships and manifest changed together: only running it again shows it."""
    from partita.io import sha256_of_file

    path, manifest = copied / "memberships.csv", copied / "manifest.json"
    lines = path.read_text().splitlines()
    cells = lines[1].split(",")
    cells[2] = repr(float(cells[2]) + 1e-9)
    path.write_text("\n".join([lines[0], ",".join(cells), *lines[2:]]) + "\n")
    held = json.loads(manifest.read_text())
    held["files"]["memberships.csv"] = sha256_of_file(path)
    manifest.write_text(json.dumps(held))
    code, said = found(copied, capsys=capsys)
    assert code == 2
    (row,) = [row for row in said["again"] if row["state"] == "differs"]
    assert row["file"] == "memberships.csv"
    assert row["words"].startswith("1 cells differ, by 1e-09")


def test_the_file_is_found_beside_the_folder_or_by_option_and_must_be_the_same(copied, table, tmp_path, capsys):
    held = json.loads((copied / "manifest.json").read_text())
    held["replay"]["options"]["file"] = "nowhere/points.csv"
    (copied / "manifest.json").write_text(json.dumps(held))
    assert found(copied, capsys=capsys)[0] == 0  # beside the folder
    (tmp_path / "points.csv").rename(tmp_path / "moved.csv")
    assert run("verify", copied) == 2
    assert "--file" in capsys.readouterr().err
    assert run("verify", copied, "--file", tmp_path / "moved.csv", "--quiet") == 0
    (tmp_path / "moved.csv").write_text("x,y\n1,2\n")
    assert run("verify", copied, "--file", tmp_path / "moved.csv") == 2
    assert "SHA-256" in capsys.readouterr().err


def test_a_manifest_without_options_says_what_can_still_be_checked(copied, capsys):
    held = json.loads((copied / "manifest.json").read_text())
    del held["replay"]
    (copied / "manifest.json").write_text(json.dumps(held))
    assert run("verify", copied) == 2
    assert "--files-only" in capsys.readouterr().err
    assert run("verify", copied, "--files-only", "--quiet") == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda held: held | {"program": "other"}, "not written by Partita"),
        (lambda held: held | {"schema_version": 99}, "schema version"),
        (lambda held: held | {"files": ["report.html"]}, "files"),
        (lambda held: held | {"files": {"../points.csv": "0"}}, "outside"),
        (lambda held: held | {"replay": {"options": {"wings": 2}, "files": {}}}, "wings"),
        (lambda held: held | {"replay": {"options": {"model": "sof"}, "files": {}}}, "what file was"),
        (lambda held: held | {"replay": {"options": {"file": "a", "k": 3}, "files": {}}}, "k=3"),
    ],
)
def test_a_manifest_that_is_not_ours_is_refused(copied, capsys, change, words):
    path = copied / "manifest.json"
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    assert run("verify", copied) == 2
    assert words in capsys.readouterr().err


def test_an_option_that_came_later_has_its_default(copied, capsys):
    held = json.loads((copied / "manifest.json").read_text())
    for name in ("unstored", "theta", "n_jobs"):
        del held["replay"]["options"][name]
    (copied / "manifest.json").write_text(json.dumps(held))
    assert found(copied, capsys=capsys)[0] == 0


def test_a_folder_without_a_manifest_and_one_too_large_are_refused(tmp_path, capsys):
    assert run("verify", tmp_path) == 2
    assert "no manifest.json" in capsys.readouterr().err
    with Path(tmp_path, "manifest.json").open("wb") as file:
        file.truncate(17 << 20)
    assert run("verify", tmp_path) == 2
    assert "larger" in capsys.readouterr().err
