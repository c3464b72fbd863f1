"""`partita partition`: what it writes agrees with itself and with the library, and what is wrong is named."""

import csv
import json
import shutil

import numpy as np
import pytest

import synthetic
from partita import expected_loss, posterior_similarity
from partita.io import read_memberships
from partita.partition.certainty import item_certainty


def posterior(n_draws=200, n_items=24, n_clusters=3, noise=0.15, seed=0):
    return synthetic.posterior(n_draws, n_items, n_clusters, noise, seed)[0]


@pytest.fixture
def draws(tmp_path):
    return written(tmp_path)


@pytest.fixture(scope="module")
def shared(run_once, tmp_path_factory):
    """One run that several tests look at: the labels, the folder, what was printed. Not to be changed."""
    home = tmp_path_factory.mktemp("partition")
    file, labels = written(home)
    done = run_once("partition", file, "--psm", "--out", home / "out")
    assert done.code == 0, done.err
    return labels, home / "out", done.out


def written(home):
    labels = posterior()
    header = ",".join(["chain", *(f"item{i}" for i in range(labels.shape[1]))])
    rows = [",".join([str(b // 100), *map(str, row)]) for b, row in enumerate(labels)]
    (home / "draws.csv").write_text("\n".join([header, *rows]) + "\n")
    return home / "draws.csv", labels


def rows_of(path):
    with path.open() as file:
        return list(csv.reader(file))


def test_files_agree_with_each_other_and_with_the_library(shared):
    labels, out, _ = shared
    result = json.loads((out / "result.json").read_text())
    header, *rows = rows_of(out / "labels.csv")
    assert header == ["id", "label"]
    assert [row[0] for row in rows][:2] == ["item0", "item1"]
    partition = np.array([int(row[1]) for row in rows])
    np.testing.assert_array_equal(partition, np.arange(24) // 8)
    assert result["expected_loss"] == pytest.approx(expected_loss(partition, labels))
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
    numbers, counts = np.unique([len(np.unique(draw)) for draw in labels], return_counts=True)
    share = dict(zip(map(str, numbers), counts / len(labels)))
    assert result["n_clusters_probabilities"] == pytest.approx(share)
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
        (("--loss", "VI"), "'vi'?"),
        (("--loss", "binder", "--unit", "nats"), "--unit goes"),
        (("--loss", "pear", "--a", "0.5"), "--a goes"),
        (("--normalize", "pairs"), "--normalize goes"),
        (("--level", "0"), "--level 0"),
        (("--chains", "7"), "7 chains"),
        (("--key", "z"), ".npz"),
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
    assert (ended.code, "disagree" in ended.err) == (3, True)
    assert (tmp_path / "out" / "labels.csv").exists()
    np.save(tmp_path / "draws.npy", posterior())
    capped = ("--max-clusters", "2", "--strict", "--quiet", "--out", tmp_path / "capped")
    ended = call("partition", tmp_path / "draws.npy", *capped)
    assert (ended.code, "better partition" in ended.err) == (3, True)


def test_an_ensemble_with_gaps_is_read_from_a_table(call, tmp_path):
    labels = posterior().astype(object)
    labels[np.random.default_rng(0).random(labels.shape) < 0.1] = ""
    (tmp_path / "draws.csv").write_text("\n".join(",".join(map(str, row)) for row in labels) + "\n")
    refused = call("partition", tmp_path / "draws.csv", "--out", tmp_path / "no")
    assert (refused.code, "--missing unobserved" in refused.err) == (2, True)
    options = ("--missing", "unobserved", "--loss", "binder", "--out", tmp_path / "out")
    ended = call("partition", tmp_path / "draws.csv", *options)
    assert (ended.code, f"from {len(labels)} draws (some lack items)" in ended.out) == (0, True)
    assert json.loads((tmp_path / "out" / "result.json").read_text())["n_draws"] == len(labels)
    found = [int(row[1]) for row in rows_of(tmp_path / "out" / "labels.csv")[1:]]
    np.testing.assert_array_equal(found, np.arange(24) // 8)


def joined(draws, labels):
    """Share of the draws in which the items labelled 0 or more are parted just as they are here."""
    kept = np.flatnonzero(labels >= 0)
    own = labels[kept][:, None] == labels[kept]
    return np.mean([((row := np.asarray(draw)[kept])[:, None] == row).tolist() == own.tolist() for draw in draws])


def test_certainties_cores_modes_and_the_similarity_are_files_that_verify_knows(call, shared, tmp_path):
    labels, folder, _ = shared
    out = shutil.copytree(folder, tmp_path / "out")
    found = np.array([int(row[1]) for row in rows_of(out / "labels.csv")[1:]])
    header, *rows = rows_of(out / "item_certainty.csv")
    assert header == ["id", "label", "together", "matched", "loss"]
    assert [row[:2] for row in rows] == rows_of(out / "labels.csv")[1:]
    certainty = item_certainty(found, labels)
    written = np.array([[float(cell) for cell in row[2:]] for row in rows])
    expected = np.column_stack([certainty.together, certainty.matched, certainty.loss])
    np.testing.assert_allclose(written, expected, atol=1e-12)  # sums of merged draws in another order
    P = posterior_similarity(labels)
    for i in range(24):
        others = (found == found[i]) & (np.arange(24) != i)
        assert written[i, 0] == pytest.approx(P[i, others].mean())
    assert written[:, 2].sum() == pytest.approx(expected_loss(found, labels))
    np.testing.assert_allclose(np.load(out / "psm.npy", allow_pickle=False), P, atol=1e-12)
    header, *rows = rows_of(out / "cores.csv")
    assert header == ["id", "core"]
    cores = np.array([-1 if row[1] == "" else int(row[1]) for row in rows])
    result = json.loads((out / "result.json").read_text())
    assert result["cores"]["n_items"] == (cores >= 0).sum() > 1
    assert joined(labels, cores) == pytest.approx(result["cores"]["probability"])
    assert result["cores"]["probability"] >= 0.95
    assert result["certain"] == (certainty.matched >= 0.95).sum()
    header, *rows = rows_of(out / "modes.csv")
    assert len(header) == 1 + len(result["modes"])
    assert [row[1] for row in rows] == [str(k) for k in found]  # the one mode is the estimate
    ended = call("verify", out, "--json")
    said = json.loads(ended.out)
    states = {row["file"]: row["state"] for row in said["again"]}
    assert ended.code == 0
    assert {states[name] for name in ("item_certainty.csv", "cores.csv", "modes.csv", "psm.npy")} == {"same bits"}
    (out / "cores.csv").write_text("id,core\n")
    assert call("verify", out, "--files-only", "--quiet").code == 2


def test_the_similarity_is_written_only_when_asked_for_and_where_it_fits(call, draws, tmp_path, monkeypatch):
    assert call("partition", draws[0], "--out", tmp_path / "out", "--quiet").code == 0
    assert not (tmp_path / "out" / "psm.npy").exists()
    np.save(tmp_path / "wide.npy", posterior(n_draws=5, n_items=300).astype(np.int8))
    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", "1000000")  # 300 x 300 numbers need 1.08 MB with their copy
    ended = call("partition", "wide.npy", "--psm", "--out", tmp_path / "no", "--quiet")
    assert (ended.code, "leave out --psm" in ended.err) == (2, True)
    assert not (tmp_path / "no").exists()


def test_weights_count_as_copies_of_draws(call, tmp_path):
    labels = posterior(n_draws=40, noise=0.3)
    weights = np.random.default_rng(1).integers(0, 4, 40)
    np.save(tmp_path / "once.npy", labels)
    np.save(tmp_path / "often.npy", np.repeat(labels, weights, axis=0))
    (tmp_path / "w.csv").write_text('"","weight"\n' + "".join(f'"{b}",{w}\n' for b, w in enumerate(weights, 1)))
    assert call("partition", "once.npy", "--weights", "w.csv", "--psm", "--out", "a", "--quiet").code == 0
    assert call("partition", "often.npy", "--psm", "--out", "b", "--quiet").code == 0
    assert (tmp_path / "a" / "labels.csv").read_text() == (tmp_path / "b" / "labels.csv").read_text()
    a, b = (json.loads((tmp_path / name / "result.json").read_text()) for name in "ab")
    assert a["expected_loss"] == pytest.approx(b["expected_loss"])
    np.testing.assert_allclose(np.load("a/psm.npy"), np.load("b/psm.npy"), atol=1e-12)
    assert call("verify", "a", "--quiet").code == 0
    (tmp_path / "w.csv").write_text("weight\n" + "1\n" * 40)
    assert call("verify", "a", "--quiet").code == 2  # it read another file of weights


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("weight\n1\n2\n", "2 weights"),
        ("weight\n" + "1\n" * 199 + "-1\n", "draw 200 of 200 is -1"),
        ("weight\n" + "0\n" * 200, "zero"),
        ("a,b\n" + "1,1\n" * 200, "'weight'"),
        ("weight\n" + "1\n" * 199 + "much\n", "draw 200 is 'much'"),
        ("weight\n" + "1\n" * 199 + "NA\n", "draw 200 of 200 is nan"),
    ],
)
def test_weights_that_do_not_fit_are_refused(call, draws, tmp_path, text, words):
    (tmp_path / "w.csv").write_text(text)
    ended = call("partition", draws[0], "--weights", "w.csv", "--out", tmp_path / "no")
    assert ended.code == 2
    assert words in ended.err
    assert not (tmp_path / "no").exists()


def test_chains_that_the_file_tells_are_not_told_otherwise(call, draws, tmp_path):
    file, labels = draws
    ended = call("partition", file, "--chains", "4", "--out", tmp_path / "no")
    assert (ended.code, "leave out --chains" in ended.err, "2 chains" in ended.err) == (2, True, True)
    assert call("partition", file, "--chains", "2", "--out", tmp_path / "same", "--quiet").code == 0
    np.savez(tmp_path / "turns.npz", draw=labels, chain=np.arange(200) % 2)  # two chains, a draw of each in turn
    assert call("partition", "turns.npz", "--chains", "2", "--out", tmp_path / "no").code == 2


def test_draws_of_two_data_sets_go_to_two_folders_with_their_names(call, tmp_path):
    for name in ("one-draws", "two-draws"):
        (tmp_path / name).mkdir()
        np.savez(tmp_path / name / "draws.npz", draw=posterior(n_draws=30))
        ended = call("partition", f"{name}/draws.npz", "--quiet")
        assert (ended.code, ended.err) == (0, "")
    for name in ("one", "two"):
        page = (tmp_path / f"{name}-partition" / "report.html").read_text(encoding="utf-8")
        assert f"<title>{name}</title>" in page
        assert f"{name}-draws/draws.npz" in page
    np.save(tmp_path / "draws.npy", posterior(n_draws=30))
    assert call("partition", "draws.npy", "--quiet").code == 0
    assert (tmp_path / "draws-partition").is_dir()


def test_the_terminal_counts_in_the_singular_and_lists_no_single_items(call, tmp_path):
    (tmp_path / "one.csv").write_text("a\n1\n")
    said = call("partition", "one.csv").out
    assert said.startswith("1 item in 1 cluster from 1 draw; ")
    assert "they have 1 cluster\n" in said
    np.save(tmp_path / "apart.npy", np.tile(np.arange(30), (10, 1)))
    said = call("partition", "apart.npy").out
    assert "sizes 30 of a single item\n" in said
    assert "they have 30 clusters\n" in said


def test_the_terminal_names_every_file_and_what_labels_and_memberships_are(shared):
    _, out, said = shared
    names = said.split(f"written to {out}: ")[1].strip().split(", ")
    assert sorted(names) == sorted(path.name for path in out.iterdir())
    assert names[0] == "report.html"
    assert "labels.csv has the partition; memberships.csv has soft memberships" in said


@pytest.mark.parametrize(
    ("options", "words", "ball"),
    [
        (("--loss", "pear"), "; posterior expected adjusted Rand 0", " by Binder loss"),
        (
            ("--loss", "vi_lb"),
            "; lower bound of the expected variation of information (bits) ",
            " by variation of information",
        ),
        (
            ("--a", "1.5"),
            "; expected variation of information with a = 1.5 (bits) ",
            " by the symmetric variation of information (a = 1)",
        ),
        (("--loss", "binder"), "; expected Binder loss 0", ""),
        ((), "; expected variation of information (bits) ", ""),
    ],
)
def test_the_terminal_says_what_is_least_and_what_the_ball_is_measured_by(call, draws, options, words, ball):
    said = call("partition", draws[0], *options, "--out", "out").out
    assert words in said
    line = next(line for line in said.splitlines() if "of the draws are within" in line)
    assert f"of the estimate{ball}; they have" in line


def test_items_whose_largest_membership_is_elsewhere_are_counted(call, tmp_path):
    # Two items waver between two clusters: the partition leaves each alone, which no membership is sure of.
    draws = np.tile(np.repeat([0, 1], [20, 3]), (200, 1))
    u = np.random.default_rng(0).random((200, 2))
    draws[:, 18:20] = np.where(u < 0.425, 0, np.where(u < 0.755, 1, 2))
    np.save(tmp_path / "d.npy", draws)
    said = call("partition", "d.npy", "--out", "out").out
    labels = [row[1] for row in rows_of(tmp_path / "out" / "labels.csv")[1:]]
    soft = [row[1] for row in rows_of(tmp_path / "out" / "memberships.csv")[1:]]
    n = sum(a != b for a, b in zip(labels, soft, strict=True))
    assert n > 0
    assert f"whose largest membership differs from the partition for {n} item{'s' * (n > 1)}\n" in said


def test_an_interrupt_in_the_search_and_one_after_it_are_told_apart(call, draws, tmp_path, monkeypatch):
    import signal

    import partita.report

    write = partita.report.write_partition_report

    def interrupted(path, report):
        signal.raise_signal(signal.SIGINT)
        write(path, report)

    monkeypatch.setattr(partita.report, "write_partition_report", interrupted)
    ended = call("partition", draws[0], "--out", "late")
    assert ended.code == 130
    assert "written in full" in ended.err
    assert json.loads((tmp_path / "late" / "result.json").read_text())["status"] == "converged"
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)

    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("partita.partition.climb.Climb.settle", stopped)
    ended = call("partition", draws[0], "--out", "early")
    assert (ended.code, "so far was written" in ended.err) == (130, True)
    assert json.loads((tmp_path / "early" / "result.json").read_text())["status"] == "interrupted"


def test_help_names_the_files_of_r(call):
    said = " ".join(call("partition", "--help-all").out.split())
    assert "rds" in said
    assert "--weights" in said
    assert "--psm" in said


def test_the_three_sentences_of_the_page_are_those_of_the_result(call, tmp_path):
    np.savetxt(tmp_path / "draws.csv", np.tile([0, 0, 0, 1, 1, 1], (20, 1)), fmt="%d", delimiter=",")
    call("partition", tmp_path / "draws.csv", "--out", tmp_path / "out")
    said = json.loads((tmp_path / "out/result.json").read_text())["headline"]
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert [f'<p class="headline">{sentence}</p>' in page for sentence in said] == [True] * 3


def test_the_table_of_the_items_is_matched_by_name_and_shown(call, draws, tmp_path):
    file, _ = draws
    order = np.random.default_rng(0).permutation(24)
    rows = [f"item{i},{100 * (i // 8) + i},{'red' if i < 8 else ''}" for i in order]
    items = tmp_path / "items.csv"
    items.write_text("\n".join(["id,velocity,colour", *rows]) + "\n")
    done = call("partition", file, "--items", items, "--out", tmp_path / "out")
    assert done.code == 0, done.err
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    found = json.loads(page.split('id="map-items">')[1].split("</script>")[0])
    assert found["id"] == [f"item{i}" for i in range(24)]
    assert [row[0] for row in found["cells"]] == [f"{100 * (i // 8) + i}" for i in range(24)]
    assert "116 to 123" not in page  # items 16 to 23 are the third eight
    assert "216 to 223" in page
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert len(result["explanation"]) == 3
    assert result["parameters"]["items"] == str(items)
    assert call("verify", tmp_path / "out").code == 0


def test_a_table_without_names_has_its_rows_in_the_order_of_the_draws(call, tmp_path):
    np.save(tmp_path / "draws.npy", posterior())
    items = tmp_path / "items.csv"
    items.write_text("\n".join(["name,x,truth", *(f"crab {i},{i}.5,{i % 2}" for i in range(24))]) + "\n")
    given = ["--items", items, "--id-column", "name", "--label-column", "truth", "--out", tmp_path / "out"]
    done = call("partition", tmp_path / "draws.npy", *given)
    assert done.code == 0, done.err
    assert [row[0] for row in rows_of(tmp_path / "out" / "labels.csv")[1:]] == [f"crab {i}" for i in range(24)]


@pytest.mark.parametrize(
    ("rows", "options"), [(23, ["--items", "items.csv"]), (24, ["--id-column", "x"]), (24, ["--label-column", "x"])]
)
def test_a_table_of_other_items_and_a_column_of_no_table_are_refused(call, tmp_path, rows, options):
    np.save(tmp_path / "draws.npy", posterior())
    (tmp_path / "items.csv").write_text("\n".join(["x", *(f"{i}.5" for i in range(rows))]) + "\n")
    options = [tmp_path / each if each == "items.csv" else each for each in options]
    assert call("partition", tmp_path / "draws.npy", *options).code == 2


def test_links_in_the_place_of_items_are_refused_without_options_that_there_are_not(call, tmp_path):
    np.save(tmp_path / "draws.npy", posterior())
    (tmp_path / "items.csv").write_text("source,target\n" + "".join(f"{i},{i + 1}\n" for i in range(24)))
    refused = call("partition", "draws.npy", "--items", "items.csv", "--out", "out")
    assert refused.code == 2
    assert "source and target" in refused.err
    assert "--input" not in refused.err
    assert "--columns" not in refused.err


def test_a_table_of_words_that_is_no_draws_is_told(call, tmp_path):
    rng = np.random.default_rng(0)
    words = zip(rng.choice(["Bern", "Basel", "Genf"], 60), rng.choice(["red", "blue"], 60), strict=True)
    (tmp_path / "words.csv").write_text("city,colour\n" + "".join(f"{a},{b}\n" for a, b in words))
    done = call("partition", "words.csv", "--out", "p")
    assert done.code == 0
    assert "alone" in done.out + done.err
