"""Several files for one command: each is fitted by itself, and nothing is written twice to one place."""

import json

import numpy as np
import pytest

from partita.cli import fit

QUICK = ("--k", 2, "--affinity", "relative")


def write(path, seed=0, n=24):
    path.parent.mkdir(exist_ok=True)
    X = np.random.default_rng(seed).normal(size=(n, 2)) + np.repeat([[0], [50]], n // 2, axis=0)
    path.write_text("a,b\n" + "".join(f"{a:.3f},{b:.3f}\n" for a, b in X))


def test_each_file_has_the_folder_that_it_has_alone(call, tmp_path):
    write(tmp_path / "one.csv")
    write(tmp_path / "two.csv", seed=1)
    assert call("fit", "one.csv", "two.csv", *QUICK, "--out", "all").code == 0
    assert call("fit", "two.csv", *QUICK).code == 0
    together, alone = tmp_path / "all/two", tmp_path / "two-partita"
    assert (together / "memberships.csv").read_bytes() == (alone / "memberships.csv").read_bytes()
    for name in ("manifest.json", "result.json"):
        assert "more" not in (together / name).read_text()
    assert call("verify", "all/two").code == 0
    assert call("fit", "one.csv", "two.csv", *QUICK).code == 2  # the folder of the second stands there already
    assert not (tmp_path / "one-partita").exists()


def test_a_file_that_fails_is_told_and_the_others_are_fitted(call, tmp_path):
    write(tmp_path / "one.csv")
    write(tmp_path / "two.csv", seed=1)
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n3\n")
    done = call("fit", "bad.csv", "one.csv", "two.csv", *QUICK, "--json")
    assert done.code == 2
    assert "2 of 3" in done.err
    failed, *fitted = said = json.loads(done.out)
    assert [each["file"] for each in said] == ["bad.csv", "one.csv", "two.csv"]
    assert failed["error"]["type"] == "InputError"
    assert failed["error"]["exit_code"] == 2
    assert [each["out"] for each in fitted] == ["one-partita", "two-partita"]
    for each in fitted:
        assert "memberships.csv" in each["files"]
        assert all((tmp_path / each["out"] / file).is_file() for file in each["files"])


@pytest.mark.parametrize("files", [("x/one.csv", "y/one.csv"), ("one.csv", "one.tsv"), ("one.csv", "one.csv")])
@pytest.mark.parametrize("out", [(), ("--out", "all")])
def test_two_files_are_not_written_to_one_folder(call, tmp_path, files, out):
    for file in files:
        write(tmp_path / file)
    done = call("fit", *files, *QUICK, *out)
    assert done.code == 2
    assert all(file in done.err for file in files)
    assert not list(tmp_path.glob("*partita")) + list(tmp_path.glob("all"))


@pytest.mark.parametrize("more", [("-",), ("two.csv", "--checkpoint", "kept"), ("absent.csv",)])
def test_what_goes_with_one_file_only_is_refused_before_any_is_fitted(call, tmp_path, more):
    write(tmp_path / "one.csv")
    write(tmp_path / "two.csv")
    assert call("fit", "one.csv", *more, *QUICK).code == 2
    assert not (tmp_path / "one-partita").exists()


def test_debug_has_the_traceback_of_a_file_that_fails(call, tmp_path):
    write(tmp_path / "one.csv")
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n3\n")
    assert "Traceback" in call("fit", "bad.csv", "one.csv", *QUICK, "--debug").err
    assert "Traceback" not in call("fit", "bad.csv", "one.csv", *QUICK, "--force").err


def test_ctrl_c_ends_with_the_file_that_is_being_fitted(call, tmp_path, monkeypatch):
    for name in ("one", "two", "three"):
        write(tmp_path / f"{name}.csv")
    run = fit.run_fit

    def interrupted(options):
        if options.file.name == "two.csv":
            raise KeyboardInterrupt
        return run(options)

    monkeypatch.setattr(fit, "run_fit", interrupted)
    done = call("fit", "one.csv", "two.csv", "three.csv", *QUICK)
    assert done.code == 130
    assert "two.csv" in done.err
    assert "1 of 3" in done.err
    assert [path.name for path in tmp_path.glob("*-partita")] == ["one-partita"]
