from __future__ import annotations

import contextlib
import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

from partita.cli import main
from synthetic import gaussians


@dataclass
class Outcome:
    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def _pictures_are_made_but_not_painted(unpainted: None) -> None:
    """How pictures look is for the tests of reports and of the browser."""


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """Run the command line in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> Outcome:
        with pytest.raises(SystemExit) as exit_:
            main([str(a) for a in arguments])
        captured = capsys.readouterr()
        return Outcome(int(exit_.value.code or 0), captured.out, captured.err)

    return run


@pytest.fixture
def process(tmp_path: Path) -> Callable[..., Outcome]:
    """Run the command line as a process."""

    def run(*arguments: object, **environment: str) -> Outcome:
        done = subprocess.run(
            [sys.executable, "-m", "partita", *map(str, arguments)],
            cwd=tmp_path,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run


def said_by(*arguments: object) -> Outcome:
    """Run the command line in this process, for runs that several tests look at."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as exit_:
        main([str(a) for a in arguments])
    return Outcome(int(exit_.value.code or 0), out.getvalue(), err.getvalue())


@pytest.fixture(scope="session")
def run_once() -> Callable[..., Outcome]:
    return said_by


# The options of the fit of `iris.csv` that tests share.
IRIS = ("--k", "3", "--label-column", "species", "--id-column", "plant")


@pytest.fixture
def iris_csv(tmp_path: Path) -> Path:
    return written_iris(tmp_path)


@pytest.fixture(scope="session")
def iris_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, Path]:
    """What one `partita fit iris.csv --out out` as a process said, and the folder that it left; not to be changed."""
    home = tmp_path_factory.mktemp("iris")
    written_iris(home)
    command = [sys.executable, "-m", "partita", "fit", "iris.csv", *IRIS, "--out", "out"]
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=300, check=False)
    return Outcome(done.returncode, done.stdout, done.stderr), home / "out"


@pytest.fixture
def fitted_iris(iris_run: tuple[Outcome, Path], tmp_path: Path) -> Path:
    """A copy of that folder, as `out` where `call` runs."""
    return Path(shutil.copytree(iris_run[1], tmp_path / "out"))


def written_iris(home: Path) -> Path:
    iris = load_iris()
    lines = ["plant,sepal length,sepal width,petal length,petal width,species"]
    for i, (row, y) in enumerate(zip(iris.data, iris.target, strict=True)):
        lines.append(",".join([f"plant{i}", *map(repr, row.tolist()), str(iris.target_names[y])]))
    path = home / "iris.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def blobs() -> np.ndarray:
    return gaussians(np.repeat([0, 1], [40, 30]), [[0.0, 0.0], [8.0, 0.0]])
