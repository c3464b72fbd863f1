"""The pages of help, how options are spelled, and that neither waits for the libraries."""

import gc
import importlib
import subprocess
import sys
from dataclasses import fields
from itertools import chain
from typing import get_args, get_type_hints
from unittest.mock import Mock

import pytest

from partita.cli.app import OPTIONS
from partita.cli.console import _keep_what_is_loaded, loading
from partita.cli.early import MODELS_OF, SUFFIXES, names_in_files
from partita.cli.options import FitOptions, Metric
from partita.cli.spelling import flag_meant, shown, spelled
from partita.paths import GRAPH_SUFFIXES

HEAVY = ("numpy", "scipy", "sklearn", "numba", "rich", "pandas", "matplotlib")


@pytest.fixture(autouse=True)
def _columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")


def flags_of(command):
    return [flag for each in spelled(OPTIONS[command]) for flag in each.flags]


@pytest.mark.parametrize("command", OPTIONS)
def test_help_is_one_screen_and_help_all_has_every_option(call, command):
    few, everything = call(command, "--help"), call(command, "--help-all")
    assert (few.code, everything.code) == (0, 0)
    lines = few.out.splitlines()
    assert len(lines) <= 60
    assert max(map(len, [*lines, *everything.out.splitlines()])) <= 100
    words = {word.strip(",") for word in everything.out.split()}
    assert {*flags_of(command), "--help", "-h", "--help-all", "--debug"} <= words
    assert all(example in few.out for example in OPTIONS[command].examples)


def test_fit_shows_the_ten_options_that_most_people_need_and_counts_the_others(call):
    mine = {each.name for options in shown(FitOptions, everything=False).values() for each in options}
    assert len(mine) == 10
    rest = [flag for each in spelled(FitOptions) if each.name not in mine for flag in each.flags]
    page = call("fit", "--help").out
    assert f"The other {len(rest)} options too." in page
    assert not [flag for flag in rest if f" {flag} " in page]


@pytest.mark.parametrize("command", OPTIONS)
def test_every_option_has_an_owner_and_every_example_is_of_options_that_there_are(command):
    kind = OPTIONS[command]
    owned = [each for options in shown(kind, everything=True).values() for each in options]
    assert {each.name for each in owned} == {each.name for each in spelled(kind) if not each.argument}
    assert [each.name for each in spelled(kind)] == [field.name for field in fields(kind)]
    for example in kind.examples:
        assert example.startswith(f"partita {command}")
        assert {word for word in example.split() if word.startswith("-")} <= set(flags_of(command))


@pytest.mark.parametrize("command", OPTIONS)
def test_what_options_are_called_elsewhere_leads_to_one_of_them(command):
    kind = OPTIONS[command]
    known = flags_of(command)
    for each in spelled(kind):
        for word in each.of.also:
            assert word not in known
            if not each.argument:
                assert flag_meant(word, kind) == each.flags[0]


@pytest.mark.parametrize(
    ("command", "word", "meant"),
    [
        ("score", "--truth-column", "--label-column"),
        ("fit", "--target-column", "--label-column"),
        ("fit", "--sede", "--seed"),
        ("partition", "--burnin", None),
        ("partition", "--max-iter", None),
    ],
)
def test_an_option_that_is_none_leads_to_its_like_or_to_none(command, word, meant):
    assert flag_meant(word, OPTIONS[command]) == meant


def test_h_is_help_on_every_command_and_k_and_o_are_k_and_out(call, tmp_path):
    for command in (*OPTIONS, ""):
        given = [command] if command else []
        assert call(*given, "-h").out == call(*given, "--help").out
    (tmp_path / "t.csv").write_text("a,b\n0,1\n1,0\n5,5\n6,5\n")
    assert call("fit", "t.csv", "-k", 2, "-o", "mine", "--affinity", "neighbors", "--quiet").code == 0
    assert (tmp_path / "mine" / "result.json").exists()


# Help, and what is wrong whatever the files hold.
WITHOUT_FILES = [
    ("--help",),
    ("fit", "--help"),
    ("fit", "--help-all"),
    ("fit", "t.csv", "--n-clusters", "3"),
    ("fit", "t.csv", "--model", "magic"),
    ("partition", "--help"),
    ("predict", "t.csv"),
]
# What is wrong with the name of a file, with a number or a word.
WITHOUT_CONTENTS = [
    ("fit", "nowhere.csv"),
    ("fit", "t.csv", "-k", "3.0"),
    ("fit", "t.csv", "-o", "."),
    ("fit", "t.csv", "-o", "t.csv"),
    ("fit", "t.pdf"),
    ("fit", "t.csv", "--input", "edges", "--must-link", "t.pdf"),
    ("fit", "t.csv", "--affinity", "nearest"),
    ("fit", "t.csv", "--affinity", "precomputed"),
    ("fit", "t.csv", "--metric", "cosin"),
    ("fit", "t.csv", "--solver", "magic"),
    ("fit", "t.csv", "--start", "here"),
    ("fit", "t.csv", "--normalization", "l2"),
    ("fit", "t.csv", "--sizes", "free", "--model", "scams"),
    ("fit", "t.csv", "--share", "2", "--model", "scams"),
    ("fit", "t.csv", "--encoding", "klingon"),
    ("fit", "t.csv", "--sheet", "2"),
    ("partition", "nowhere.csv"),
    ("partition", "t.pdf"),
    ("partition", "t.csv", "--items", "t.pdf"),
    ("partition", "t.csv", "--loss", "VI"),
    ("predict", "nowhere", "t.csv", "-o", "out.csv"),
    ("predict", ".", "t.pdf", "-o", "out.csv"),
    ("predict", ".", "t.csv", "-o", "t.csv"),
    ("predict", ".", "t.csv", "-o", "out.parquet"),
    ("predict", ".", "t.csv", "-o", "-"),
    ("draws", "t.pdf"),
    ("draws", "t.csv", "--sampler", "magic"),
    ("score", "t.csv", "t.pdf"),
    ("verify", "."),
    ("reproduce", "table1"),
    ("reproduce",),
    ("reproduce", "all", "-o", "t.csv"),
]


@pytest.mark.parametrize("commands", [WITHOUT_FILES, WITHOUT_CONTENTS], ids=["without files", "without contents"])
def test_help_and_what_is_wrong_with_a_command_do_not_wait_for_the_libraries(commands, tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n0,1\n")
    (tmp_path / "t.pdf").write_text("%PDF")
    assert not loaded_by(commands, tmp_path)


@pytest.mark.parametrize(
    ("package", "family"),
    [
        ("partita.affinity", "Builder"),
        ("partita.ensemble", "Builder"),
        ("partita.mixture", "Sampler"),
        ("partita.n_clusters", "Criterion"),
        ("partita.partition.losses", "PartitionLoss"),
        ("partita.reproduce", "Experiment"),
        ("partita.solvers", "Solver"),
    ],
)
def test_the_names_that_are_known_without_the_libraries_are_those_of_the_libraries(package, family):
    holder = "partita.affinity" if family == "Builder" else package
    registry = getattr(importlib.import_module(holder), family).registry
    assert set(names_in_files(package, family)) == {
        name for name, kind in registry.items() if kind.__module__.startswith(f"{package}.")
    }


def test_the_words_that_are_known_without_the_libraries_are_those_of_the_libraries():
    from partita.affinity.distances import METRICS
    from partita.cli.estimator_options import MODELS
    from partita.io import edges, features, matrices
    from partita.solvers import STARTS

    hints = get_type_hints(FitOptions)
    assert {*get_args(Metric)} <= {*METRICS}  # of later and earlier versions of scikit-learn
    assert {*get_args(get_args(hints["start"])[0])} == {*STARTS}
    of_models = [choices_of(kind, "normalization") for kind in MODELS.values()]
    assert {*get_args(get_args(hints["normalization"])[0])} == {*chain.from_iterable(of_models)} - {"auto"}
    assert {*SUFFIXES["features"]} == {*features.FORMATS, *matrices.SPARSE_FORMATS, *GRAPH_SUFFIXES}
    assert {*SUFFIXES["affinity"]} == {*SUFFIXES["distances"]} == {*matrices.FORMATS}
    assert {*SUFFIXES["edges"]} == {*edges.FORMATS}
    for option, models in MODELS_OF.items():
        assert models == tuple(model for model, kind in MODELS.items() if option in kind._parameter_constraints)


def choices_of(kind, name):
    """The words that a parameter of an estimator takes."""
    return {word for each in kind._parameter_constraints.get(name, ()) for word in getattr(each, "options", ())}


def test_loading_is_said_at_a_terminal_alone(capsys, monkeypatch):
    for terminal, quiet, said in ((True, False, True), (True, True, False), (False, False, False)):
        with monkeypatch.context() as patch:
            patch.setattr("sys.stderr.isatty", lambda terminal=terminal: terminal)
            with loading(quiet=quiet):
                pass
        assert bool(capsys.readouterr().err) is said


def test_garbage_is_collected_again_once_libraries_are_loaded(monkeypatch):
    monkeypatch.setattr(gc, "freeze", frozen := Mock())
    _keep_what_is_loaded.cache_clear()
    for _ in range(2):
        with loading(quiet=True):
            assert not gc.isenabled()
        assert gc.isenabled()
    assert frozen.call_count == 1  # what a second command of a process leaves over is garbage


def loaded_by(commands, folder):
    """What the first of the commands that loads a heavy package loads, run one after the other in a process."""
    code = f"""
import sys
from partita.cli import main
for arguments in {[list(arguments) for arguments in commands]!r}:
    try:
        main(arguments)
    except SystemExit:
        pass
    loaded = [name for name in {HEAVY!r} if name in sys.modules]
    if loaded:
        sys.exit(f"{{arguments}} loads {{loaded}}")
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    return done.stderr.splitlines()[-1] if done.returncode else ""
