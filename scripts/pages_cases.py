"""The pages that `scripts/pages` makes and photographs: the command of each, and the files that it reads.

A page that needs files of `PARTITA_DATA` raises `MissingDataError` where they are not there.
"""

import csv
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits, make_blobs

SEED = 20261125


class MissingDataError(Exception):
    """Files of `PARTITA_DATA` that are not there."""


@dataclass(frozen=True)
class Case:
    """A page: its name, and what writes its input into a folder and returns the arguments of `partita`, one command or
    several; the last makes the page.
    """

    name: str
    commands: Callable[[Path], list[list[str]]]


def _write(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    return str(path)


def _numbers(path: Path, X: np.ndarray, names: Sequence[str] | None = None) -> str:
    header = [f"x{j}" for j in range(X.shape[1])] if names is None else names
    return _write(path, header, ([f"{value:.6g}" for value in row] for row in X))


def _data(name: str) -> str:
    path = Path(os.environ.get("PARTITA_DATA", "no-such-folder"), name)
    if not path.is_file():
        raise MissingDataError(f"{name} is not in PARTITA_DATA")
    return str(path)


def mixed(folder: Path) -> list[list[str]]:
    """Measures of three kinds of birds in two units, words beside them, and cells that are missing."""
    rng = np.random.default_rng(SEED)
    kinds = {
        "Adelie": ((38.8, 18.3, 190.0, 3700.0), (2.6, 1.2, 6.5, 450.0), (0.35, 0.35, 0.3)),
        "Chinstrap": ((48.8, 18.4, 196.0, 3730.0), (3.3, 1.1, 7.1, 380.0), (0.0, 1.0, 0.0)),
        "Gentoo": ((47.5, 15.0, 217.0, 5080.0), (3.0, 1.0, 6.5, 500.0), (1.0, 0.0, 0.0)),
    }
    rows = []
    for (kind, (mean, spread, islands)), n in zip(kinds.items(), (150, 68, 120), strict=True):
        for _ in range(n):
            measured = [f"{value:.1f}" for value in rng.normal(mean, spread)]
            where = str(rng.choice(["Biscoe", "Dream", "Torgersen"], p=islands))
            cells = [*measured, where, str(rng.choice(["female", "male"]))]
            rows.append([f"bird {len(rows) + 1}", *("" if rng.random() < 0.02 else cell for cell in cells), kind])
    rng.shuffle(rows)
    header = ["name", "bill_length_mm", "bill_depth_mm", "flipper_mm", "mass_g", "island", "sex", "species"]
    return [["fit", _write(folder / "birds.csv", header, rows), "--label-column", "species"]]


def digits(folder: Path) -> list[list[str]]:
    """The first thousand of scikit-learn's handwritten digits."""
    found = load_digits()
    names = [str(name) for name in found.feature_names]
    return [["fit", _numbers(folder / "digits.csv", found.data[:1000], names)]]


def sixty(folder: Path) -> list[list[str]]:
    """Sixty clusters of unit vectors, as of embedded texts."""
    X, _ = make_blobs(1800, n_features=24, centers=60, cluster_std=1.6, random_state=SEED % 2**31)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return [["fit", _numbers(folder / "embedded.csv", X)]]


def graph(folder: Path) -> list[list[str]]:
    """Four communities of 40 people, and a few ties between them."""
    rng = np.random.default_rng(SEED)
    group = np.arange(160) // 40
    tied = rng.random((160, 160)) < np.where(group[:, None] == group, 0.25, 0.015)
    edges = [(f"person {i}", f"person {j}") for i, j in np.argwhere(np.triu(tied, 1)).tolist()]
    return [["fit", _write(folder / "people.csv", ["source", "target"], edges), "--input", "edges"]]


def galaxies(_folder: Path) -> list[list[str]]:
    """Draws of 82 galaxies, and their velocities."""
    draws, items = _data("bayes/galaxy_mcmc.npz"), _data("bayes/galaxies.csv")
    return [["partition", draws, "--items", items, "--label-column", "label"]]


def crabs(folder: Path) -> list[list[str]]:
    """Draws of 200 crabs, made by `partita draws`, and their measures."""
    items = _data("bayes/crabs.csv")
    sampled = str(folder / "crabs-draws")
    draws = [
        "draws",
        items,
        "--label-column",
        "label",
        "--columns",
        "FL,RW,CW,BD",
        "--prior",
        "paper",
        "--chains",
        "4",
        "--sweeps",
        "2000",
    ]
    return [
        [*draws, "--out", sampled],
        ["partition", f"{sampled}/draws.npz", "--items", items, "--label-column", "label"],
    ]


def noise(folder: Path) -> list[list[str]]:
    """Four clusters in the plane, and a fifth of all items strewn around them."""
    rng = np.random.default_rng(SEED)
    X, _ = make_blobs(400, centers=[[0, 0], [8, 0], [0, 8], [8, 8]], cluster_std=0.7, random_state=SEED % 2**31)
    around = rng.uniform(-5, 13, (100, 2))
    return [["fit", _numbers(folder / "noise.csv", np.r_[X, around])]]


def one(folder: Path) -> list[list[str]]:
    """Nothing to part: a normal distribution of five columns."""
    return [["fit", _numbers(folder / "one.csv", np.random.default_rng(SEED).normal(size=(300, 5)))]]


def two_rows(folder: Path) -> list[list[str]]:
    """Two items."""
    return [["fit", _write(folder / "two.csv", ["width", "height"], [(1, 2), (3, 5)])]]


CASES = [
    Case(name, commands)
    for name, commands in {
        "mixed": mixed,
        "digits": digits,
        "sixty": sixty,
        "graph": graph,
        "galaxies": galaxies,
        "crabs": crabs,
        "noise": noise,
        "one": one,
        "two-rows": two_rows,
    }.items()
]
