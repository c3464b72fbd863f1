"""Output folders and files: whole or not at all, and nothing replaced silently."""

import json
import os
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from partita.errors import InputError
from partita.io import (
    atomic_write_bytes,
    atomic_write_text,
    is_partita_folder,
    output_folder,
    require_output,
    swap,
    write_json,
)
from partita.io import output as output_module

OURS = json.dumps({"program": "partita"})


def fill(path, text="new", **options):
    with output_folder(path, **options) as folder:
        (folder / "manifest.json").write_text(OURS)
        (folder / "content").write_text(text)
        return folder


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


def test_the_folder_appears_only_when_it_is_whole(tmp_path):
    goal = tmp_path / "out"
    with output_folder(goal) as folder:
        assert folder.parent == tmp_path
        assert folder.name.startswith("out.unfinished-")
        (folder / "content").write_text("x")
        assert not goal.exists()
    assert names(tmp_path) == ["out"]
    assert names(goal) == ["content"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("replacing", [False, True])
def test_an_exception_leaves_everything_as_it_was(tmp_path, error, replacing):
    goal = tmp_path / "above" / "out"
    if replacing:
        fill(goal, "old")

    def fill_half():
        with output_folder(goal, force=replacing) as folder:
            (folder / "content").write_text("half")
            raise error

    with pytest.raises(error):
        fill_half()
    if replacing:
        assert names(goal.parent) == ["out"]
        assert (goal / "content").read_text() == "old"
    else:
        assert names(tmp_path) == []


def test_an_existing_folder_is_an_error_without_force(tmp_path):
    fill(tmp_path / "out", "old")
    with pytest.raises(InputError, match="--force"):
        fill(tmp_path / "out")
    assert (tmp_path / "out" / "content").read_text() == "old"
    fill(tmp_path / "out", force=True)
    assert (tmp_path / "out" / "content").read_text() == "new"
    assert names(tmp_path) == ["out"]


def test_replace_if_decides_without_force(tmp_path):
    fill(tmp_path / "out", "old")
    with pytest.raises(InputError, match=r"out (?!.*--force).*--out"):
        fill(tmp_path / "out", replace_if=lambda _: False)
    fill(tmp_path / "out", replace_if=is_partita_folder)
    assert (tmp_path / "out" / "content").read_text() == "new"


@pytest.mark.parametrize("manifest", [None, "{", "[]", '{"program": "other"}', '"partita"', "\udcff"])
def test_force_never_deletes_what_partita_did_not_write(tmp_path, manifest):
    goal = tmp_path / "thesis"
    goal.mkdir()
    (goal / "chapter.tex").write_text("years of work")
    if manifest is not None:
        (goal / "manifest.json").write_bytes(manifest.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match=r"thesis .*manifest\.json.*--force"):
        fill(goal, force=True)
    assert (goal / "chapter.tex").exists()


def test_force_fills_an_empty_folder(tmp_path):
    (tmp_path / "out").mkdir()
    fill(tmp_path / "out", force=True)
    assert is_partita_folder(tmp_path / "out")


def test_a_file_in_the_way_is_an_error(tmp_path):
    (tmp_path / "out").write_text("a file")
    for options in ({}, {"force": True}):
        with pytest.raises(InputError, match=r"out (?!.*--force).*--out"):
            fill(tmp_path / "out", **options)
    with pytest.raises(InputError, match=r"below.*--out"):
        fill(tmp_path / "out" / "below")
    assert (tmp_path / "out").read_text() == "a file"


def test_a_parent_that_cannot_be_written_is_an_error(tmp_path, monkeypatch):
    # The tests may run as root, who may write everywhere: so the refusal is made by hand.
    mkdir = Path.mkdir

    def refuse(self, *args, **options):
        if self.name.startswith("out."):
            raise PermissionError(13, "Permission denied")
        mkdir(self, *args, **options)

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(InputError, match=r"Permission denied.*--out"):
        fill(tmp_path / "above" / "out")
    assert names(tmp_path) == []


@pytest.mark.parametrize("force", [False, True])
def test_whether_one_could_write_is_found_out_without_a_trace(tmp_path, force):
    require_output(tmp_path / "above" / "out", force=force)
    assert names(tmp_path) == []
    fill(tmp_path / "out", "old")
    if force:
        require_output(tmp_path / "out", force=True)
    else:
        with pytest.raises(InputError, match="--force"):
            require_output(tmp_path / "out")
    (tmp_path / "file").write_text("a file")
    with pytest.raises(InputError, match=r"file (?!.*--force).*--out"):
        require_output(tmp_path / "file", force=force)
    assert names(tmp_path) == ["file", "out"]
    assert (tmp_path / "out" / "content").read_text() == "old"


def test_what_a_killed_process_left_is_taken_away_when_nothing_writes_to_it_any_more(tmp_path):
    of_earlier, own = "0123456789ab", "unfinished-0123456789abcdef0123"
    old, young, others = (tmp_path / name for name in (f".out.{of_earlier}", f"out.{own}", f"outer.{own}"))
    oldest = tmp_path / f"out.{own[:-1]}4"
    for folder in (oldest, old, young, others):
        folder.mkdir()
        (folder / "half").write_text("half")
    for folder in (oldest, old, others):
        os.utime(folder, (0.0, 0.0))
    fill(tmp_path / "out")
    assert names(tmp_path) == sorted(["out", young.name, others.name])


def test_a_failed_move_puts_the_old_folder_back(tmp_path, monkeypatch):
    goal = tmp_path / "out"
    fill(goal, "old")
    rename = Path.rename

    def fail_for_the_new(self, target):
        if (self / "content").exists() and (self / "content").read_text() == "new":
            raise OSError("disk on fire")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail_for_the_new)
    monkeypatch.setattr(swap, "exchange", lambda *_: False)  # as where the system has no such call
    with pytest.raises(OSError, match="fire"):
        fill(goal, force=True)
    assert names(tmp_path) == ["out"]
    assert (goal / "content").read_text() == "old"


def test_a_folder_that_appears_meanwhile_is_not_replaced(tmp_path):
    goal = tmp_path / "out"
    with pytest.raises(InputError, match=r"out (?!.*--force).*--out"), output_folder(goal):
        goal.mkdir()
    assert names(tmp_path) == ["out"]


def test_a_link_to_a_folder_is_followed(tmp_path):
    fill(tmp_path / "real", "old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    fill(tmp_path / "link", force=True)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "content").read_text() == "new"


def test_files_are_written_whole_or_not_at_all(tmp_path, monkeypatch):
    file = tmp_path / "note.txt"
    atomic_write_text(file, "ä\r\n")
    assert file.read_bytes() == "ä\r\n".encode()
    atomic_write_bytes(file, b"\x00\xff\r\n")
    assert file.read_bytes() == b"\x00\xff\r\n"

    def fail(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(output_module.os, "fsync", fail)
    with pytest.raises(KeyboardInterrupt):
        atomic_write_text(file, "half")
    assert names(tmp_path) == ["note.txt"]
    assert file.read_bytes() == b"\x00\xff\r\n"


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(InputError, match="nowhere"):
        atomic_write_text(tmp_path / "nowhere" / "x", "")
    with pytest.raises(InputError, match=re.escape(str(tmp_path))):
        atomic_write_text(tmp_path, "")


def test_json_holds_plain_values(tmp_path):
    file = tmp_path / "r.json"
    write_json(
        file,
        {
            "z": np.float32(0.5),
            "a": np.array([[1, 2], [3, 4]]),
            "nan": float("nan"),
            "inf": [np.inf, np.float64("nan")],
            "i": np.int64(2**40),
            "flag": np.bool_(True),
            "path": tmp_path,
            "tuple": (1, None, "ü"),
            3: {},
        },
    )
    text = file.read_text(encoding="utf-8")
    assert json.loads(text) == {
        "z": 0.5,
        "a": [[1, 2], [3, 4]],
        "nan": None,
        "inf": [None, None],
        "i": 2**40,
        "flag": True,
        "path": str(tmp_path),
        "tuple": [1, None, "ü"],
        "3": {},
    }
    assert list(json.loads(text))[:2] == ["z", "a"]
    assert text.startswith('{\n  "z"')
    assert text.endswith("}\n")
    with pytest.raises(TypeError):
        write_json(file, {"x": object()})
    assert file.read_text(encoding="utf-8") == text


def test_folders_change_places_in_one_step_where_the_system_can(tmp_path):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "content").write_text(name)
    able = swap.exchange(tmp_path / "one", tmp_path / "other")
    assert able == (sys.platform in ("linux", "darwin"))
    assert (tmp_path / "one" / "content").read_text() == ("other" if able else "one")
    assert not swap.exchange(tmp_path / "one", tmp_path / "nothing")
    assert names(tmp_path) == ["one", "other"]


ASIDE = [".{}.0123456789ab.old", "{}.replaced-0123456789abcdef0123"]


@pytest.mark.parametrize("aside", ASIDE)
@pytest.mark.parametrize("goal_name", ["out", "a[1]*"])
def test_what_a_kill_left_aside_is_put_back_before_anything_is_written(tmp_path, goal_name, aside):
    goal = tmp_path / goal_name
    fill(goal, "old")
    goal.rename(tmp_path / aside.format(goal_name))
    with pytest.raises(InputError, match="--force"):
        fill(goal)
    assert (goal / "content").read_text() == "old"
    assert names(tmp_path) == [goal_name]


def test_a_folder_half_removed_is_never_put_back(tmp_path, monkeypatch):
    monkeypatch.setattr(swap, "exchange", lambda *_: False)
    goal = tmp_path / "out"
    fill(goal, "first")
    with monkeypatch.context() as killed:
        killed.setattr(output_module.shutil, "rmtree", lambda folder, **_: (folder / "manifest.json").unlink())
        fill(goal, "second", force=True)
    goal.rename(swap.name_beside(goal, swap.REPLACED))  # the next writing, killed between its two renames
    assert swap.recovered(goal)
    assert (goal / "content").read_text() == "second"


NO_NAMES = [".out.old", ".out.0123456789AB.old", ".out.0123.old", ".outer.0123456789ab.old", "out.replaced-0123"]
NO_NAMES += ["outer.replaced-0123456789abcdef0123", "out.replaced-0123456789ABCDEF0123", "out.replaced"]


@pytest.mark.parametrize("name", NO_NAMES)
def test_nothing_else_is_put_back(tmp_path, name):
    (tmp_path / name).mkdir()
    assert not swap.recovered(tmp_path / "out")
    assert names(tmp_path) == [name]
