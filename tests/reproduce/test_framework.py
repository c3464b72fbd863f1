"""Cells are computed once, whatever stops the run; what is written says what was found."""

import csv
import json
import os
import warnings

import numpy as np
import pytest

from partita.errors import InputError, MemoryLimitError
from partita.reproduce import Cell, Drawing, Entry, Experiment, Finding, Outcome, Table, experiment, overview, reproduce
from partita.reproduce.cell_store import CellStore
from partita.reproduce.experiment import random_numbers
from partita.reproduce.overview import outcomes_in


class Toy(Experiment):
    paper, title = "nobody2026", "Means of uniform numbers <Table 1>"
    name = "toy"
    computed: list[str] = []  # noqa: RUF012 (a record of the class)

    def cells(self, size):
        return [Cell(f"run/{k}", {"n": 5}) for k in range(6 if size == "full" else 2)]

    def compute(self, cell, rng):
        self.computed.append(cell.key)
        return {"mean": rng.random(cell.settings["n"]).mean()}

    def outcome(self, found, size):
        means = [each["mean"] for each in found.values()]
        row = ("means | of five", [Entry(float(np.mean(means)), float(np.std(means)), published=0.5, bold=True)])

        def draw(figure):
            figure.subplots().plot(means)

        return Outcome(
            tables=[Table("means", "Means", ["uniform"], [row], digits=3)],
            drawings=[Drawing("curve", "Means in order.", "A line.", draw, series={"mean": means})],
            findings=[Finding("The mean is one half.", "reproduced", f"{np.mean(means):.3f} <b>")],
            settings={"n": 5},
            choices=["nothing was left open"],
            sources={"uniform": "made"},
        )


Experiment.registry.pop("toy")  # known to these tests alone


@pytest.fixture
def toy():
    Toy.computed.clear()
    return Toy()


def test_every_file_is_written_and_says_what_was_found(toy, tmp_path):
    pytest.importorskip("matplotlib")  # without it there are no pictures
    record = reproduce(toy, tmp_path, n_jobs=1)
    folder = tmp_path / "toy"
    assert sorted(path.name for path in folder.iterdir()) == [
        "curve.csv",
        "curve.png",
        "index.html",
        "means.png",
        "numbers.csv",
        "outcome.json",
    ]
    (row,) = csv.DictReader((folder / "numbers.csv").open())
    assert float(row["difference"]) == pytest.approx(float(row["value"]) - 0.5, abs=1e-15)
    assert row["row"] == "means | of five"
    assert row["bold"] == "1"
    kept = json.loads((folder / "outcome.json").read_text())
    assert kept["findings"] == record["findings"]
    assert kept["cells"] == 6
    assert kept["size"] == "full"
    page = (folder / "index.html").read_text()
    assert "&lt;Table 1&gt;" in page
    assert "<Table 1>" not in page
    assert "&lt;b&gt;" in page
    assert [float(r["mean"]) for r in csv.DictReader((folder / "curve.csv").open())] == record["drawings"][0]["series"][
        "mean"
    ]


def test_a_second_run_computes_nothing_and_a_full_one_goes_on_from_a_quick_one(toy, tmp_path):
    quick = reproduce(toy, tmp_path, size="quick", n_jobs=1)
    assert toy.computed == ["run/0", "run/1"]
    full = reproduce(toy, tmp_path, n_jobs=1)
    assert toy.computed == [f"run/{k}" for k in range(6)]
    reproduce(toy, tmp_path, n_jobs=1)
    assert len(toy.computed) == 6
    assert full["drawings"][0]["series"]["mean"][:2] == quick["drawings"][0]["series"]["mean"]


def test_the_order_of_cells_and_what_ran_before_change_no_number(toy, tmp_path):
    backwards = Toy()
    backwards.cells = lambda size: Toy.cells(toy, size)[::-1]
    one = reproduce(toy, tmp_path / "one", n_jobs=1)["drawings"][0]["series"]["mean"]
    other = reproduce(backwards, tmp_path / "other", n_jobs=1)["drawings"][0]["series"]["mean"]
    assert one == other[::-1]


def test_a_stopped_run_goes_on_where_it_was(toy, tmp_path, monkeypatch):
    class Stopping(Toy):
        def compute(self, cell, rng):
            if cell.key == "run/3":
                raise KeyboardInterrupt
            return super().compute(cell, rng)

    with pytest.raises(KeyboardInterrupt):
        reproduce(Stopping(), tmp_path, n_jobs=1)
    assert not (tmp_path / "toy").exists()
    reproduce(toy, tmp_path, n_jobs=1)
    assert toy.computed == [f"run/{k}" for k in range(6)]


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        (InputError("no such set"), InputError),
        (MemoryError("no room"), MemoryLimitError),
        (PermissionError("locked"), InputError),
        (np.linalg.LinAlgError("gave up"), RuntimeError),
    ],
)
def test_a_cell_that_fails_is_named_and_those_before_it_are_kept(toy, tmp_path, wrong, expected):
    class Failing(Toy):
        def compute(self, cell, rng):
            if cell.key == "run/3":
                raise wrong
            return super().compute(cell, rng)

    with pytest.raises(expected, match=rf"toy, cell run/3: .*{wrong}"):
        reproduce(Failing(), tmp_path, n_jobs=1)
    reproduce(toy, tmp_path, n_jobs=1)
    assert toy.computed == [f"run/{k}" for k in range(6)]


def test_a_cell_of_another_seed_version_or_setting_is_not_taken(tmp_path):
    path = tmp_path / "cells.jsonl"
    cell = Cell("a", {"n": 1})
    CellStore(path, version="1", seed=0).keep(cell, {"x": 1.0}, 0.1)
    assert cell in CellStore(path, version="1", seed=0)
    assert cell not in CellStore(path, version="2", seed=0)
    assert cell not in CellStore(path, version="1", seed=1)
    assert Cell("a", {"n": 2}) not in CellStore(path, version="1", seed=0)


@pytest.mark.parametrize("cut", range(2, 60, 7))
def test_a_line_cut_off_by_a_kill_is_computed_anew_and_spoils_no_other(tmp_path, cut):
    path = tmp_path / "cells.jsonl"
    store = CellStore(path, version="1", seed=0)
    store.keep(Cell("a"), {"x": 1.0}, 0.1)
    store.keep(Cell("b"), {"x": 2.0}, 0.1)
    os.truncate(path, path.stat().st_size - cut)
    again = CellStore(path, version="1", seed=0)
    assert Cell("a") in again
    assert Cell("b") not in again
    again.keep(Cell("b"), {"x": 2.0}, 0.1)
    last = CellStore(path, version="1", seed=0)
    assert last.numbers(Cell("a")) == {"x": 1.0}
    assert last.numbers(Cell("b")) == {"x": 2.0}
    assert "" not in path.read_text().splitlines()


def test_a_number_that_is_none_is_kept(tmp_path):
    path = tmp_path / "cells.jsonl"
    CellStore(path, version="1", seed=0).keep(Cell("a"), {"x": float("nan"), "y": float("inf")}, 0.1)
    found = CellStore(path, version="1", seed=0).numbers(Cell("a"))
    assert np.isnan(found["x"])
    assert found["y"] == np.inf


def test_cells_have_random_numbers_of_their_own():
    draws = {key: random_numbers("s", key, 0).random(3).tolist() for key in ("a", "b")}
    assert draws["a"] != draws["b"]
    assert draws["a"] == random_numbers("s", "a", 0).random(3).tolist()
    assert draws["a"] != random_numbers("s", "a", 1).random(3).tolist()


def test_an_unknown_name_says_which_was_meant():
    with pytest.raises(InputError, match="--list"):
        experiment("no-such-table")


def test_the_overview_has_every_table_finding_and_picture(toy, tmp_path, monkeypatch):
    monkeypatch.setitem(Experiment.registry, "toy", Toy)
    record = reproduce(toy, tmp_path, n_jobs=1)
    words = overview(outcomes_in(tmp_path), pictures="pictures")
    assert "| [toy](#toy) | Means of uniform numbers <Table 1> | 1 reproduced |" in words
    assert "![A line.](pictures/toy/curve.png)" in words
    value = record["tables"][0]["rows"][0][1][0]["value"]
    assert f"**{value:.3f} ± " in words
    assert "paper 0.500" in words
    assert "means \\| of five" in words


def test_a_process_that_joblib_replaces_is_not_spoken_of(toy, tmp_path, monkeypatch, recwarn):
    class Replacing:
        def __init__(self, **options):
            pass

        def __call__(self, tasks):
            for function, arguments, options in tasks:
                warnings.warn("A worker stopped while some jobs were given to the executor.", stacklevel=1)
                yield function(*arguments, **options)

    monkeypatch.setattr("joblib.Parallel", Replacing)
    assert reproduce(toy, tmp_path, n_jobs=2)["cells"] == 6
    assert not [each for each in recwarn if "worker stopped" in str(each.message)]


def test_two_processes_find_what_one_finds(tmp_path):
    """With a real experiment, whose class other processes can import."""
    work, found = experiment("bayes-nmf-figure1"), []
    assert len(work.cells("smoke")) > 1
    for jobs in (1, 2):
        record = reproduce(work, tmp_path / str(jobs), size="smoke", n_jobs=jobs)
        found.append((record["tables"], record["findings"]))
    assert found[0] == found[1]
