"""docs/reproduction.md is what the kept outcomes give, and has every table and figure."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from partita.reproduce import experiment_names

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "docs" / "reproduced"


def test_the_page_is_what_the_outcomes_give():
    done = subprocess.run(
        [sys.executable, "scripts/reproduction_page.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", experiment_names())
def test_every_table_and_figure_has_been_run_and_every_picture_is_there(name):
    record = json.loads((KEPT / name / "outcome.json").read_text())
    assert record["size"] in ("full", "quick")  # never the size of the tests
    assert record["findings"]
    for drawing in record["drawings"]:
        assert (KEPT / name / f"{drawing['name']}.png").read_bytes()[1:4] == b"PNG"
