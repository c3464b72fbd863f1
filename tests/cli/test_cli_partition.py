"""`partita partition`: what it writes agrees with itself and with the library, and what is wrong is named."""

import csv
import json

import numpy as np
import pytest

from partita import expected_loss
from partita.io import read_memberships


def posterior(n_draws=200, n_items=24, n_clusters=3, noise=0.15, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.arange(n_items) * n_clusters // n_items
    moved = rng.random((n_draws, n_items)) < noise
    return np.where(moved, rng.integers(0, n_clusters, (n_draws, n_items)), truth)


@pytest.fixture
def draws(tmp_path):
    labels = posterior()
    header = ",".join(["chain", *(f"item{i}" for i in range(labels.shape[1]))])
    rows = [",".join([str(b // 100), *map(str, row)]) for b, row in enumerate(labels)]
    (tmp_path / "draws.csv").write_text("\n".join([header, *rows]) + "\n")
    return tmp_path / "draws.csv", labels


def rows_of(path):
    with path.open() as file:
        return list(csv.reader(file))


def test_files_agree_with_each_other_and_with_the_library(call, draws, tmp_path):
    file, labels = draws
    assert call("partition", file, "--out", tmp_path / "out", "--quiet").code == 0
    out = tmp_path / "out"
    result = json.loads((out / "result.json").read_text())
    header, *rows = rows_of(out / "labels.csv")
    assert header == ["id", "label"]
    assert [row[0] for row in rows][:2] == ["item0", "item1"]
    found = np.array([int(row[1]) for row in rows])
    np.testing.assert_array_equal(found, np.arange(24) // 8)
    assert result["expected_loss"] == pytest.approx(expected_loss(found, labels))
    assert (result["loss"], result["unit"], result["status"], result["n_clusters"]) == ("vi", "bits", "converged", 3)
    assert result["sizes"] == [8, 8, 8]
    assert result["n_draws"] == 200
    assert result["chains"]["agree"] is True
    tried = rows_of(out / "tried.csv")[1:]
    assert len(tried) == len(result["tried"])
    assert min(float(row[2]) for row in tried) == pytest.approx(result["expected_loss"])
    memberships = read_memberships(out / "memberships.csv")
    assert memberships.membership.shape == (24, 3)
    np.testing.assert_allclose(memberships.membership.sum(axis=1), 1.0, atol=1e-12)
    ball = rows_of(out / "credible_ball.csv")
    assert ball[0][:2] == ["id", "horizontal_0"]
    assert len(ball) == 25
    assert result["credible_ball"]["share"] >= 0.95
    assert result["credible_ball"]["upper"]["n_tied"] == sum(name.startswith("upper") for name in ball[0])
    manifest = json.loads((out / "manifest.json").read_text())
    assert set(manifest["files"]) == {path.name for path in out.iterdir()} - {"manifest.json"}
    assert (out / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_options_reach_the_search(call, draws, tmp_path):
    file, labels = draws
    np.savez(tmp_path / "d.npz", z=labels, other=np.zeros((3, 3)))
    chosen = ("--loss", "binder", "--a", "0.5", "--normalize", "pairs", "--max-clusters", "2", "--level", "0.5")
    ended = call("partition", tmp_path / "d.npz", "--key", "z", *chosen, "--chains", "2", "--json", "--out", "o")
    assert ended.code == 0
    result = json.loads(ended.out)
    assert (result["loss"], result["n_clusters"], result["cap_bound"]) == ("binder", 2, True)
    assert any("max_clusters=2" in note for note in result["notes"])
    assert result["credible_ball"]["level"] == 0.5
    assert result["chains"]["n_chains"] == 2
    (tmp_path / "start.csv").write_text("id,label\n" + "".join(f"item{i},{i % 4}\n" for i in reversed(range(24))))
    assert call("partition", file, "--start", "start.csv", "--out", "s", "--quiet").code == 0
    assert any(row[0] == "start 0" for row in rows_of(tmp_path / "s" / "tried.csv"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--loss", "vj"), "--loss vj: expected one of"),
        (("--loss", "binder", "--unit", "nats"), "--unit goes with losses that are entropies"),
        (("--loss", "pear", "--a", "0.5"), "--a goes with --loss vi or binder"),
        (("--normalize", "pairs"), "--normalize goes with --loss binder"),
        (("--level", "0"), "--level 0"),
        (("--chains", "7"), "200 draws are not 7 chains"),
        (("--key", "z"), "names an array of a .npz file"),
    ],
)
def test_options_that_do_not_fit_are_refused(call, draws, tmp_path, options, words):
    ended = call("partition", draws[0], *options, "--out", tmp_path / "no")
    assert ended.code == 2
    assert words in ended.err
    assert not (tmp_path / "no").exists()


def test_files_that_hold_no_draws_are_refused(call, tmp_path):
    np.save(tmp_path / "psm.npy", np.eye(5))
    ended = call("partition", tmp_path / "psm.npy", "--out", tmp_path / "no")
    assert ended.code == 2
    assert "similarity" in ended.err
    (tmp_path / "empty.csv").write_text("")
    assert call("partition", tmp_path / "empty.csv", "--out", tmp_path / "no").code == 2
    (tmp_path / "odd.csv").write_text("1,1,2\n1,,2\n")
    ended = call("partition", tmp_path / "odd.csv", "--out", tmp_path / "no")
    assert ended.code == 2
    assert "draw 1" in ended.err
    assert not (tmp_path / "no").exists()


def test_chains_that_disagree_are_said_in_the_terminal_and_the_page(call, tmp_path):
    labels = np.r_[posterior(n_clusters=2), posterior(n_clusters=4, seed=1)]
    np.savez(tmp_path / "d.npz", draw=labels, chain=np.repeat([0, 1], 200))
    ended = call("partition", tmp_path / "d.npz", "--out", tmp_path / "out")
    assert ended.code == 0
    assert "disagree" in ended.out
    assert "the posterior has 2 modes" in ended.out
    modes = json.loads((tmp_path / "out" / "result.json").read_text())["modes"]
    assert [mode["n_clusters"] for mode in sorted(modes, key=lambda mode: mode["n_clusters"])] == [2, 4]
    assert "disagree" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_nothing_is_replaced_without_force(call, draws, tmp_path):
    options = ("partition", draws[0], "--out", tmp_path / "out", "--quiet")
    assert call(*options).code == 0
    assert call(*options).code == 2
    assert call(*options, "--force").code == 0


def test_strict_hears_of_chains_that_disagree_and_of_a_cap_that_binds(call, tmp_path):
    apart = np.r_[posterior(seed=1), np.tile(np.arange(24) % 4, (200, 1))]
    rows = [",".join([str(b // 200), *map(str, row)]) for b, row in enumerate(apart)]
    header = ",".join(["chain", *(f"item{i}" for i in range(24))])
    (tmp_path / "draws.csv").write_text("\n".join([header, *rows]) + "\n")
    ended = call("partition", tmp_path / "draws.csv", "--out", tmp_path / "out", "--strict", "--quiet")
    assert (ended.code, "the chains disagree" in ended.err) == (3, True)
    assert (tmp_path / "out" / "labels.csv").exists()
    np.save(tmp_path / "draws.npy", posterior())
    capped = ("--max-clusters", "2", "--strict", "--quiet", "--out", tmp_path / "capped")
    ended = call("partition", tmp_path / "draws.npy", *capped)
    assert (ended.code, "keeps a better partition" in ended.err) == (3, True)


def test_an_ensemble_with_gaps_is_read_from_a_table(call, tmp_path):
    labels = posterior().astype(object)
    labels[np.random.default_rng(0).random(labels.shape) < 0.1] = ""
    (tmp_path / "draws.csv").write_text("\n".join(",".join(map(str, row)) for row in labels) + "\n")
    refused = call("partition", tmp_path / "draws.csv", "--out", tmp_path / "no")
    assert (refused.code, "--missing unobserved" in refused.err) == (2, True)
    options = ("--missing", "unobserved", "--loss", "binder", "--quiet", "--out", tmp_path / "out")
    assert call("partition", tmp_path / "draws.csv", *options).code == 0
    found = [int(row[1]) for row in rows_of(tmp_path / "out" / "labels.csv")[1:]]
    np.testing.assert_array_equal(found, np.arange(24) // 8)
