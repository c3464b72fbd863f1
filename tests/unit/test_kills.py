"""A process that is killed while it writes leaves the old content or the new one whole (`scripts/kills`, for short)."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.posix("signals")
KILLS = Path(__file__).resolve().parent.parent.parent / "scripts" / "kills"


@pytest.mark.parametrize("works", ["save,replace,aside,file,checkpoint,cells", "fit"])
def test_a_dozen_kills_leave_the_old_content_or_the_new_one_whole(works):
    ran = subprocess.run([sys.executable, KILLS, "--kills", "12", "--works", works], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    lines = ran.stdout.splitlines()
    assert [line.split()[0] for line in lines] == [*works.split(","), "0"]
    assert all("12 kills in" in line for line in lines[:-1])
