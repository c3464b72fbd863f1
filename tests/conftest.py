"""Fixtures that several rooms of the tests share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_home() -> Path:
    """Folder of the shared data sets; a test that asks for it is skipped where there is none."""
    home = os.environ.get("PARTITA_DATA")
    if not home:
        pytest.skip("PARTITA_DATA is not set")
    assert Path(home, "README.md").is_file(), f"PARTITA_DATA={home} is not the folder of the data sets"
    return Path(home)
