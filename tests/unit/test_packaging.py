"""The conda recipe says what pyproject.toml says, and the package offers the names that it says it does."""

import re
import tomllib
from pathlib import Path

import pytest

import partita

ROOT = Path(__file__).parents[2]
RECIPE = ROOT / "packaging/conda/recipe.yaml"


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def listed(section, part):
    """The entries of a list in the recipe, which is plain enough to be read by its indentation."""
    text = RECIPE.read_text(encoding="utf-8")
    block = re.search(rf"^{section}:\n(.*?)(?=^\S|\Z)", text, re.M | re.S)[1]
    own = re.search(rf"^  {part}:\n((?:    - .*\n)+)", block, re.M)[1]
    return {line.strip()[2:].replace(" ", "") for line in own.splitlines()}


def test_requirements_are_those_of_the_package(project):
    python = f"python{project['project']['requires-python']}"
    assert listed("requirements", "run") == {python, *project["project"]["dependencies"]}
    assert listed("requirements", "host") == {python, "pip", *project["build-system"]["requires"]}


def test_the_version_and_the_command_are_those_of_the_package(project):
    text = RECIPE.read_text(encoding="utf-8")
    assert f"version: {project['project']['version']}\n" in text
    for name, target in project["project"]["scripts"].items():
        assert f"- {name} = {target}\n" in text


def test_the_names_that_are_loaded_when_asked_for_are_listed_and_no_others():
    listed_names = {name for name in dir(partita) if not name.startswith("__")}
    assert listed_names == {name for name in partita.__all__ if not name.startswith("__")}
    assert all(hasattr(partita, name) for name in listed_names)
