"""The lock of a folder: respected while its process lives, taken over when it does not."""

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from partita.errors import InputError
from partita.solvers.lock import LOCK, locked

pytestmark = pytest.mark.posix("signals")


def started(process):
    """When a process began, in ticks, as proc(5) has it: the 22nd field."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]


def test_a_second_process_is_refused_and_a_dead_one_is_taken_over(tmp_path):
    program = (
        "import sys, time\nfrom pathlib import Path\nfrom partita.solvers.lock import locked\n"
        "with locked(Path(sys.argv[1])):\n    print('mine', flush=True)\n    time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "mine\n"
            owner = f"process {process.pid} on {socket.gethostname()}"
            with pytest.raises(InputError, match=owner), locked(tmp_path):
                pass
        finally:
            process.kill()
    assert (tmp_path / LOCK).exists()
    with locked(tmp_path):
        assert json.loads((tmp_path / LOCK).read_text())["process"] == os.getpid()
    assert list(tmp_path.iterdir()) == []


def test_another_use_by_this_process_is_refused(tmp_path):
    with locked(tmp_path):
        with pytest.raises(InputError, match=re.escape(str(tmp_path))), locked(tmp_path / "."):
            pass
        assert (tmp_path / LOCK).exists()


def test_whose_lock_is_respected(tmp_path):
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        pass
    here, lock = socket.gethostname(), tmp_path / LOCK
    dead = [
        json.dumps({"process": gone.pid, "host": here}),
        json.dumps({"process": os.getpid(), "host": here}),  # of a process that had our number before
        '{"proc',  # cut short by a crash
        "",
    ]
    alive = [json.dumps({"process": gone.pid, "host": "another-host"})]
    parent = os.getppid()
    if sys.platform == "linux":
        dead.append(json.dumps({"process": parent, "host": here, "started": "1"}))  # a program that began later
        alive.append(json.dumps({"process": parent, "host": here, "started": started(parent)}))
    for text in dead:
        lock.write_text(text)
        with locked(tmp_path):
            assert json.loads(lock.read_text())["process"] == os.getpid()
        assert list(tmp_path.iterdir()) == []
    for text in alive:
        lock.write_text(text)
        message = r"lock\.json"
        with pytest.raises(InputError, match=message), locked(tmp_path):
            pass
        assert lock.read_text() == text


def test_an_error_inside_frees_the_folder(tmp_path):
    with pytest.raises(RuntimeError), locked(tmp_path):
        raise RuntimeError
    with locked(tmp_path):
        pass
