"""Fixtures that several rooms of the tests share."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples every time, so that a change is judged by the change; scripts/full-check explores new ones.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("PARTITA_HYPOTHESIS", "fixed"))


@pytest.fixture(scope="session")
def data_home() -> Path:
    """Folder of the shared data sets; a test that asks for it is skipped where there is none."""
    home = os.environ.get("PARTITA_DATA")
    if not home:
        pytest.skip("PARTITA_DATA is not set")
    assert Path(home, "README.md").is_file(), f"PARTITA_DATA={home} is not the folder of the data sets"
    return Path(home)
