"""`partita fit --checkpoint`: the same command again goes on with a fit that was killed, stopped or interrupted."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from partita.solvers.serialization import read_tree
from synthetic import gaussians

# Restarts of a second each, none of which stops early.
OPTIONS = ["--k", "5", "--model", "sof", "--solver", "exponentiated-gradient"]
OPTIONS += ["--tol", "0", "--max-iter", "500", "--n-jobs", "1", "--quiet"]


@pytest.fixture
def items_csv(tmp_path):
    X = gaussians(np.repeat([0, 1], 300), [[0, 0], [4, 0]], spread=2.0)
    np.savetxt(tmp_path / "items.csv", X, delimiter=",", header="a,b", comments="")
    return tmp_path / "items.csv"


def result_of(folder):
    return json.loads((folder / "result.json").read_text())


def stopped_by(number, home, *options, until):
    """Run the command until something is seen in the checkpoint, send it a signal, and say how it ended."""
    call = [sys.executable, "-m", "partita", "fit", "items.csv", *OPTIONS, *options]
    kept = home / ("kept" if "--checkpoint" in options else "items-partita.unfinished")
    with subprocess.Popen(call, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            end = time.monotonic() + 120
            while not list(kept.glob(until)):
                assert process.poll() is None, process.stderr.read()
                assert time.monotonic() < end
                time.sleep(0.01)
            os.kill(process.pid, number)
            _, said = process.communicate(timeout=120)
        finally:
            process.kill()
    return process.returncode, said


def assert_same_answer(first, second):
    for name in ("memberships.csv", "model/arrays.safetensors"):
        assert (first / name).read_bytes() == (second / name).read_bytes(), name
    a, b = result_of(first), result_of(second)
    for name in ("objective", "misfit", "scale", "status", "optimality", "n_iter", "n_products", "restarts", "sizes"):
        assert a[name] == b[name], name


@pytest.mark.posix("signals")
def test_a_killed_command_goes_on(items_csv, process):
    home = items_csv.parent
    code, _ = stopped_by(
        *(signal.SIGKILL, home, "--n-init", "4", "--checkpoint", "kept", "--checkpoint-seconds", "0.05"),
        until="unfinished-2.safetensors",
    )
    assert code == -signal.SIGKILL
    assert sorted(path.name for path in home.iterdir()) == ["items.csv", "kept"]
    assert not (home / "items-partita").exists()
    assert {file.name for file in (home / "kept").iterdir()} >= {"finished-0.safetensors", "finished-1.safetensors"}
    again = process("fit", "items.csv", *OPTIONS, "--n-init", "4", "--checkpoint", "kept")
    assert (again.code, again.out, again.err) == (0, "", "")
    assert not (home / "kept").exists()
    whole = process("fit", "items.csv", *OPTIONS, "--n-init", "4", "--out", "whole")
    assert whole.code == 0
    assert_same_answer(home / "items-partita", home / "whole")
    resumed = result_of(home / "items-partita")
    assert resumed["notes"][0].startswith("resumed from a checkpoint: of 4 restarts 2 were finished, and 1 went on")
    assert resumed["parameters"]["checkpoint"] == "kept"
    assert "kept" not in (home / "items-partita" / "model" / "model.json").read_text()


@pytest.mark.posix("signals")
def test_an_interrupted_command_writes_what_it_has_and_goes_on_and_another_one_does_not(items_csv, process):
    home = items_csv.parent
    code, said = stopped_by(
        *(signal.SIGINT, home, "--n-init", "2", "--checkpoint", "kept", "--checkpoint-seconds", "0.05"),
        until="unfinished-1.safetensors",
    )
    assert code == 130
    assert said == ""  # --quiet
    stopped = result_of(home / "items-partita")
    assert stopped["status"] == "interrupted"
    assert stopped["notes"][-1] == "the checkpoint is kept: the same fit goes on from it"
    # What is gone on with is where Ctrl-C found it, not what the last checkpoint before had.
    (r,) = [r for r, restart in enumerate(stopped["restarts"]) if restart["status"] == "interrupted"]
    standing = read_tree(home / "kept" / f"unfinished-{r}.safetensors")
    assert len(standing.trace) - 1 == stopped["restarts"][r]["n_iter"]
    options = [*OPTIONS, "--n-init", "2"]
    refused = process("fit", "items.csv", *options, "--checkpoint", "another")
    assert refused.code == 2
    assert "--force" in refused.err
    assert result_of(home / "items-partita") == stopped
    assert process("fit", "items.csv", *options, "--checkpoint", "kept").code == 0
    assert not (home / "kept").exists()
    assert process("fit", "items.csv", *options, "--out", "whole").code == 0
    assert_same_answer(home / "items-partita", home / "whole")
    assert result_of(home / "items-partita")["seconds"] > stopped["seconds"] / 2  # both processes count


@pytest.mark.posix("signals")
def test_a_command_that_was_killed_goes_on_without_being_told_to(items_csv, call):
    home = items_csv.parent
    options = ["--n-init", "2", "--checkpoint-seconds", "0.05"]
    code, _ = stopped_by(signal.SIGKILL, home, *options, until="unfinished-1.safetensors")
    assert code == -signal.SIGKILL
    assert sorted(path.name for path in home.iterdir()) == ["items-partita.unfinished", "items.csv"]
    assert call("fit", "items.csv", *OPTIONS, *options).code == 0
    assert sorted(path.name for path in home.iterdir()) == ["items-partita", "items.csv"]
    assert call("fit", "items.csv", *OPTIONS, *options, "--out", "whole").code == 0
    assert_same_answer(home / "items-partita", home / "whole")
    resumed, whole = result_of(home / "items-partita"), result_of(home / "whole")
    assert resumed["notes"][0].startswith("resumed from a checkpoint: of 2 restarts 1 was finished, and 1 went on")
    assert resumed["notes"][1:] == whole["notes"]


@pytest.mark.posix("signals")
def test_an_interrupted_command_goes_on_and_one_of_other_options_replaces_nothing(items_csv, call):
    home = items_csv.parent
    options = ["--n-init", "2", "--checkpoint-seconds", "0.05"]
    assert stopped_by(signal.SIGINT, home, *options, until="unfinished-1.safetensors")[0] == 130
    assert sorted(path.name for path in home.iterdir()) == ["items-partita", "items-partita.unfinished", "items.csv"]
    stopped = result_of(home / "items-partita")
    assert stopped["status"] == "interrupted"
    for other in (["--n-init", "3"], [*options, "--max-seconds", "60"]):
        assert call("fit", "items.csv", *OPTIONS, *other).code == 2
    assert result_of(home / "items-partita") == stopped
    assert call("fit", "items.csv", *OPTIONS, *options).code == 0
    assert sorted(path.name for path in home.iterdir()) == ["items-partita", "items.csv"]
    assert result_of(home / "items-partita")["status"] == "max_iter"


def test_an_unfinished_fit_gives_way_to_one_of_other_options(call, blobs, tmp_path):
    np.savetxt(tmp_path / "b.csv", blobs, delimiter=",", header="a,b", comments="")
    options = ["b.csv", "--k", "2", "--start", "dirichlet", "--n-init", "2", "--quiet"]
    assert (
        call("fit", *options, "--checkpoint", "b-partita.unfinished", "--max-seconds", "1e-6", "--out", "p").code == 0
    )
    assert (tmp_path / "b-partita.unfinished").is_dir()
    assert call("fit", *options, "--seed", "1").code == 0
    assert call("fit", *options, "--seed", "1", "--out", "whole").code == 0
    assert not (tmp_path / "b-partita.unfinished").exists()
    assert_same_answer(tmp_path / "b-partita", tmp_path / "whole")
    assert any("b-partita.unfinished" in note for note in result_of(tmp_path / "b-partita")["notes"])


def test_nothing_stands_beside_the_output_of_a_fit_that_ended(call, blobs, tmp_path):
    np.savetxt(tmp_path / "b.csv", blobs, delimiter=",", header="a,b", comments="")
    limited = ["--start", "dirichlet", "--n-init", "3", "--max-seconds", "1e-6"]
    for options in ([], ["--k", "2"], ["--k", "2", *limited]):
        assert call("fit", "b.csv", *options, "--quiet", "--out", "above/of/b", "--force").code == 0
        assert [path.name for path in (tmp_path / "above/of").iterdir()] == ["b"]
    assert call("fit", "b.csv", "--k", "2000", "--out", "above/no/b").code == 2
    assert not (tmp_path / "above/no").exists()
    assert call("fit", "b.csv", "--max-seconds", "9", "--checkpoint-seconds", "5", "--out", "c").code == 2


def test_a_time_limit_keeps_the_checkpoint_and_the_next_call_goes_on(call, blobs, tmp_path):
    np.savetxt(tmp_path / "b.csv", blobs, delimiter=",", header="a,b", comments="")
    options = ["b.csv", "--k", "2", "--start", "dirichlet", "--n-init", "3", "--quiet"]
    first = call("fit", *options, "--checkpoint", "kept", "--max-seconds", "1e-6")
    assert first.code == 0
    stopped = result_of(tmp_path / "b-partita")
    assert stopped["status"] == "max_seconds"
    assert "the checkpoint is kept: the same fit goes on from it" in stopped["notes"]
    assert call("fit", *options, "--checkpoint", "kept", "--force").code == 0
    assert call("fit", *options, "--out", "whole").code == 0
    assert not (tmp_path / "kept").exists()
    assert_same_answer(tmp_path / "b-partita", tmp_path / "whole")


def test_only_the_result_of_the_same_file_and_checkpoint_is_replaced_without_force(call, blobs, tmp_path):
    for name in ("b.csv", "c.csv"):
        np.savetxt(tmp_path / name, blobs, delimiter=",", header="a,b", comments="")
    options = ["--k", "2", "--start", "dirichlet", "--n-init", "3", "--quiet", "--out", "o"]
    assert call("fit", "b.csv", *options, "--checkpoint", "kept", "--max-seconds", "1e-6").code == 0
    for other in (["c.csv", *options, "--checkpoint", "kept"], ["b.csv", *options, "--checkpoint", "another"]):
        refused = call("fit", *other)
        assert refused.code == 2
        assert "already exists" in refused.err
    assert result_of(tmp_path / "o")["status"] == "max_seconds"
    assert call("fit", "b.csv", *options, "--checkpoint", "kept").code == 0
    assert result_of(tmp_path / "o")["status"] == "converged"
    assert call("fit", "b.csv", *options, "--checkpoint", "kept").code == 2


def test_ctrl_c_while_the_number_is_examined_is_told_and_the_result_is_written(call, blobs, tmp_path, monkeypatch):
    import partita.report.headline as module

    def stopped(model):
        raise KeyboardInterrupt

    np.savetxt(tmp_path / "b.csv", blobs, delimiter=",", header="a,b", comments="")
    monkeypatch.setattr(module, "examine_number", stopped)
    done = call("fit", "b.csv", "--k", "2")
    assert done.code == 130
    assert "interrupted when the fit had ended; its result was written" in done.err
    assert result_of(tmp_path / "b-partita")["n_clusters"] == 2


def test_what_goes_wrong_when_the_output_is_written_does_not_cost_the_fit(call, iris_csv, monkeypatch, tmp_path):
    import partita.cli.fit_output as module
    from partita.solvers import ProjectedGradient, SubspaceMajorization

    def full(*arguments, **options):
        raise OSError("No space left on device")

    options = [iris_csv, "--k", "3", "--label-column", "species", "--id-column", "plant", "--quiet", "--out", "o"]
    options += ["--affinity", "neighbors", "--probabilities", "fitted"]
    with monkeypatch.context() as patch:
        patch.setattr(module, "write_memberships", full)
        failed = call("fit", *options, "--checkpoint", "kept")
    assert (failed.code, failed.err) == (2, "partita: error: No space left on device\n")
    assert (tmp_path / "kept" / "finished-0.safetensors").exists()

    def never(*arguments, **options):
        raise AssertionError("a step")

    with monkeypatch.context() as patch:
        for kind in (ProjectedGradient, SubspaceMajorization):
            patch.setattr(kind, "start", never)
        patch.setattr(sys.modules["partita.estimators.pipeline"], "other_answers", lambda *a, **o: ())
        assert call("fit", *options, "--checkpoint", "kept").code == 0
    assert not (tmp_path / "kept").exists()
    assert result_of(tmp_path / "o")["status"] == "converged"


def test_another_fit_and_another_folder_are_refused(call, iris_csv, tmp_path):
    given = ["--label-column", "species", "--id-column", "plant", "--quiet", "--checkpoint", "kept"]
    assert call("fit", iris_csv, "--k", "3", *given, "--max-seconds", "1e-6").code == 0
    other = call("fit", iris_csv, "--k", "4", *given, "--force")
    assert other.code == 2
    assert "n_clusters was 3 and is 4" in other.err
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("x")
    mine = call("fit", iris_csv, "--k", "3", *given[:-1], "mine", "--out", "p")
    assert mine.code == 2
    assert "thesis.tex" in mine.err
    assert not (tmp_path / "p").exists()


def test_ctrl_c_before_there_is_a_membership_says_what_it_cut_short(call, iris_csv, monkeypatch, tmp_path):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["partita.estimators.model"], "normalise", interrupt)
    monkeypatch.setattr("partita.solvers.checkpoint.WORTH", 0.0)  # however quick the machine is
    stopped = call("fit", iris_csv, "--k", "3", "--label-column", "species", "--id-column", "plant", "--quiet")
    assert stopped.code == 130
    assert stopped.err == (
        "partita: interrupted while building the affinity: there is no membership to hand back; the same fit goes on "
        "from iris-partita.unfinished; no result was written\n"
    )
    assert list((tmp_path / "iris-partita.unfinished").glob("made-*"))
    assert not (tmp_path / "iris-partita").exists()


@pytest.mark.posix("memory")
def test_the_peak_memory_is_what_the_system_says(process, iris_csv, tmp_path):
    import resource

    given = ["--k", "3", "--label-column", "species", "--id-column", "plant", "--quiet", "--out"]
    assert process("fit", iris_csv, *given, "o").code == 0
    said = result_of(tmp_path / "o")["peak_memory_bytes"]
    # The largest child so far was at least as large as it said, and it holds Python, NumPy and SciPy.
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    assert 50e6 < said <= largest
