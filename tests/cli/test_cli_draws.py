"""`partita draws`: draws that `partita partition` reads, the same for the same seed, and wrong options named."""

import json
from dataclasses import replace

import numpy as np
import pytest

from partita.io import read_draws
from partita.mixture import Sampler
from synthetic import gaussians


@pytest.fixture
def points(tmp_path):
    X = gaussians(np.repeat([0, 1], 15), [[0.0, 0.0], [8.0, 8.0]])
    rows = [f"i{i},{x:.6f},{y:.6f},{i // 15}" for i, (x, y) in enumerate(X)]
    (tmp_path / "points.csv").write_text("\n".join(["name,a,b,label", *rows]) + "\n")
    return tmp_path / "points.csv"


GIVEN = ("--label-column", "label", "--id-column", "name", "--sweeps", "200", "--quiet")


def test_draws_have_chains_and_names_and_are_those_of_the_seed(call, points, tmp_path):
    for out in ("one", "two"):
        assert call("draws", points, *GIVEN, "--out", tmp_path / out).code == 0
    drawn = read_draws(tmp_path / "one" / "draws.npz")
    assert drawn.labels.shape == (400, 30)
    np.testing.assert_array_equal(drawn.chain, np.repeat(np.arange(4), 100))
    assert drawn.items[:2].tolist() == ["i0", "i1"]
    np.testing.assert_array_equal(drawn.labels, read_draws(tmp_path / "two" / "draws.npz").labels)
    # Two clusters eight standard deviations apart.
    assert (drawn.labels[:, 0] != drawn.labels[:, 20]).mean() > 0.95
    result = json.loads((tmp_path / "one" / "result.json").read_text())
    assert (result["n_chains"], result["n_draws"], result["status"]) == (4, 400, "completed")
    assert sum(result["n_clusters"].values()) == 400
    assert result["versions"]["partita"]
    manifest = json.loads((tmp_path / "one" / "manifest.json").read_text())
    assert set(manifest["files"]) == {"draws.npz", "result.json"}


@pytest.mark.parametrize("prior", ["conjugate", "independent", "paper"])
def test_units_change_no_draw_and_no_note_says_that_they_do(call, tmp_path, prior):
    X = gaussians(np.repeat([0, 1], 15), [[0.0, 0.0], [8.0, 8.0]]) * [1, 1000]
    (tmp_path / "t.csv").write_text("a,spend\n" + "".join(f"{a},{b}\n" for a, b in X))
    for scaling in ("none", "standard"):
        given = ("--prior", prior, "--scale-features", scaling, "--sweeps", "100", "--chains", "2", "--out", scaling)
        assert "--scale-features" not in call("draws", "t.csv", *given).out
        assert not any(
            "spend" in note for note in json.loads((tmp_path / scaling / "result.json").read_text())["notes"]
        )
    one, other = (read_draws(tmp_path / scaling / "draws.npz").labels for scaling in ("none", "standard"))
    np.testing.assert_array_equal(one, other)


def test_sampler_prior_and_columns_are_passed_on(call, points, tmp_path):
    chosen = ("--sampler", "slice", "--prior", "paper", "--alpha", "0.5", "--columns", "b", "--chains", "2")
    chosen += ("--thin", "2")
    assert call("draws", points, *GIVEN, *chosen, "--out", tmp_path / "out").code == 0
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["sampler"].startswith("Slice")
    assert "Independent" in result["prior"]
    assert result["n_draws"] == 100
    ended = call("draws", points, *GIVEN, "--columns", "a,c", "--out", tmp_path / "no")
    assert ended.code == 2
    assert "'c'" in ended.err


def test_columns_that_are_not_asked_for_may_hold_words(call, points, tmp_path):
    ended = call("draws", points, "--columns", "b,a", "--sweeps", "20", "--quiet", "--out", tmp_path / "out")
    assert ended.code == 0  # `name` holds words, `label` the truth: neither is looked at
    assert read_draws(tmp_path / "out" / "draws.npz").labels.shape == (40, 30)


def test_what_leaves_no_draw_or_does_not_go_together_is_refused(call, points, tmp_path):
    ended = call("draws", points, *GIVEN, "--burn-in", "200", "--out", tmp_path / "no")
    assert ended.code == 2
    assert "leave no draw" in ended.err
    ended = call("draws", points, *GIVEN, "--sampler", "collapsed", "--prior", "paper", "--out", tmp_path / "no")
    assert ended.code == 2
    assert "conjugate" in ended.err
    ended = call("draws", points, *GIVEN, "--sampler", "gibbs", "--out", tmp_path / "no")
    assert ended.code == 2
    assert all(name in ended.err for name in Sampler.registry)
    assert call("draws", points, "--out", tmp_path / "no").code == 2  # the column of labels was not named
    assert not (tmp_path / "no").exists()


def test_scaling_is_the_same_as_scaling_before(call, points, tmp_path):
    """The default prior takes its scale from the items: affine maps change nothing but rounding."""
    assert call("draws", points, *GIVEN, "--out", tmp_path / "raw").code == 0
    assert call("draws", points, *GIVEN, "--scale-features", "standard", "--out", tmp_path / "scaled").code == 0
    raw, scaled = (read_draws(tmp_path / name / "draws.npz").labels for name in ("raw", "scaled"))
    assert abs(raw.max(axis=1).mean() - scaled.max(axis=1).mean()) < 0.5


def test_what_stops_in_the_burn_in_writes_nothing_and_says_where(call, points, tmp_path, monkeypatch):
    options = ("--label-column", "label", "--id-column", "name", "--sweeps", "2000000", "--out", tmp_path / "no")
    ended = call("draws", points, *options, "--max-seconds", "0.05")
    assert ended.code == 2
    assert "1,000,000 sweeps" in ended.err
    assert "nothing was written" in ended.err
    assert not (tmp_path / "no").exists()

    import partita.cli.draws as command

    sample = command.sample_partitions

    def stopped(*arguments, **chosen):
        return replace(sample(*arguments, **chosen | {"max_seconds": 0.05}), status="interrupted")

    monkeypatch.setattr(command, "sample_partitions", stopped)
    ended = call("draws", points, *options)
    assert (ended.code, "of burn-in" in ended.err, "no result was written" in ended.err) == (130, True, True)
    assert not (tmp_path / "no").exists()


def test_what_stops_after_the_burn_in_keeps_its_draws(call, points, tmp_path):
    options = ("--label-column", "label", "--id-column", "name", "--sweeps", "2000000", "--burn-in", "1")
    assert call("draws", points, *options, "--max-seconds", "1", "--out", tmp_path / "out").code == 0
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["status"] == "max_seconds"
    assert result["n_draws"] > 4


@pytest.mark.parametrize(("sweeps", "seed"), [("40", "0"), ("200", "0"), ("1000", "3")])
def test_draws_and_partition_say_the_same_of_the_same_draws(call, tmp_path, sweeps, seed):
    rng = np.random.default_rng(0)
    rows = [",".join(f"{x:.5f}" for x in row) for row in rng.standard_t(2, size=(60, 2))]
    (tmp_path / "points.csv").write_text("\n".join(["a,b", *rows]) + "\n")
    chosen = ("--sweeps", sweeps, "--seed", seed, "--strict", "--quiet")
    drawn = call("draws", tmp_path / "points.csv", *chosen, "--out", tmp_path / "d")
    found = call("partition", tmp_path / "d" / "draws.npz", "--strict", "--quiet", "--out", tmp_path / "p")
    assert drawn.code == found.code
    assert drawn.err == found.err
    said, told = (json.loads((tmp_path / name / "result.json").read_text()) for name in ("d", "p"))
    assert said["chains"] == {name: told["chains"][name] for name in ("agree", "verdict")}
    assert (said["chains"]["verdict"] in told["notes"]) == (not said["chains"]["agree"])
    assert (drawn.code == 0) == said["chains"]["agree"]


def test_a_missing_cell_is_named_without_an_option_that_there_is_not(call, tmp_path):
    (tmp_path / "points.csv").write_text("a,b\n1,2\n3,\n4,NA\n5,6\n")
    ended = call("draws", tmp_path / "points.csv", "--quiet", "--out", tmp_path / "no")
    assert ended.code == 2
    assert "line 3, column 'b'" in " ".join(ended.err.split())
    assert "--missing" not in ended.err
