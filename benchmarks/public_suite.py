"""Label vectors and scores for a public suite of data sets, beside those that others published.

    python benchmarks/public_suite.py FOLDER [--estimator SoftClustering] [--option affinity=neighbors ...] [--own]
        [--name METHOD] [--out RESULTS] [--beside RESULTS_FOLDER ...] [--batteries wut,sipu] [--most N]

FOLDER is a copy of clustering-data-v1 (Gagolewski, SoftwareX 20, 2022; https://github.com/gagolews/clustering-data-v1):
`<battery>/<set>.data.gz` holds a row of numbers an item, `<set>.labels0.gz`, `.labels1.gz` ... reference partitions, in
which 0 is noise. Its sets are for research and stay out of this repository. Features go into the estimator as they are.

Label vectors are written as in clustering-results-v1: `RESULTS/original/<method>/<battery>/<set>.result<K>.gz`, a CSV
with a column of labels 1, 2, ... for each setting. A column that is there already is not computed again, so a run that
was stopped goes on, and two versions want two names. With `--own` the estimator finds K; the method is then called
`<method>-own`, and K in the name of a file is the number that was found. Every method in RESULTS and in the folders
beside it is scored.

A set's score is the best adjusted Rand index over its references, items that are noise in a reference left out: of each
reference against the labels at its K, or against the one partition of an own K. Means are over the sets that a column
has; where it lacks some, "(n of m)" says so.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import partita
from partita import estimators, metrics
from partita.errors import InputError
from suite_files import OWN, Method, SuiteSet, side_by_side, suite, write_labels
from timing import timed

# Those of features whose fit ends in labels: the others take draws, or make them.
ESTIMATORS = [
    name for name in estimators.__all__ if "n_clusters" in inspect.signature(getattr(estimators, name)).parameters
]


@dataclass(frozen=True)
class Setting:
    """An estimator with its options."""

    estimator: str
    options: dict[str, Any]

    @property
    def column(self) -> str:
        return "_".join([self.estimator, *(f"{name}={value}" for name, value in sorted(self.options.items()))])

    def labels(self, X: np.ndarray, n_clusters: int | None) -> np.ndarray:
        """Labels 1, 2, ... of a fit; the estimator finds their number where it is None."""
        given = {"random_state": 0} | self.options | ({} if n_clusters is None else {"n_clusters": n_clusters})
        fit = getattr(estimators, self.estimator)(**given).fit(X)
        return np.unique(fit.labels_, return_inverse=True)[1] + 1


def compute(sets: Iterable[SuiteSet], setting: Setting, method: Method) -> tuple[set[str], list[str]]:
    """Write the label vectors that are not there yet. Sets that failed, and why."""
    failed, said = set(), []
    for one in sets:
        there = dict(method.labels(one))
        # A damaged file may hold other settings: it is said with the scores, and stays.
        done = {K for K, found in there.items() if isinstance(found, InputError) or setting.column in found}
        wanted = [None] * (not done) if method.own else [K for K in one.n_clusters if K not in done]
        try:
            X = one.features() if wanted else None
        except InputError as error:
            failed.add(str(one))
            said.append(f"{one}: failed, {error}")
            continue
        for K in wanted:
            at = f"{one}, K {'found' if K is None else f'= {K}'}"
            try:
                seconds, labels = timed(lambda: setting.labels(X, K))
            except Exception as error:  # noqa: BLE001 - the sets after it are fitted; told below the table
                failed.add(str(one))
                said.append(f"{at}: failed, {type(error).__name__}: {error}")
                continue
            found = int(labels.max())
            asked = found if K is None else K
            write_labels(method.file(one, asked), there.get(asked, {}) | {setting.column: labels})
            print(f"{at}: {found} clusters, {seconds:.1f} s", file=sys.stderr, flush=True)
    return failed, said


class Score(NamedTuple):
    """The best adjusted Rand index over a set's references, and whether an own K is that of one of them."""

    value: float
    right: bool


@dataclass
class Scores:
    """Scores by column ("method: setting") and set, and what is to be said about them."""

    by_column: dict[str, dict[str, Score]] = field(default_factory=lambda: defaultdict(dict))
    said: list[str] = field(default_factory=list)

    def add(self, method: Method, one: SuiteSet) -> None:
        indices, numbers_had = defaultdict(list), defaultdict(set)
        for K, columns in method.labels(one):
            if isinstance(columns, InputError):
                self.said.append(f"{one}: {columns}")
                continue
            for name, labels in columns.items():
                against = [truth for truth in one.references if method.own or truth.max() == K]
                indices[name] += [adjusted_rand(labels, truth) for truth in against]
                numbers_had[name].add(K)
                if (given := len(np.unique(labels))) < K:
                    self.said.append(f"{one}: {method.folder.name}: {name} has {given} clusters for K = {K}")
        for name, found in indices.items():
            column, had = f"{method.folder.name}: {name}", numbers_had[name]
            if method.own and len(had) > 1:
                self.said.append(f"{one}: {column} has files for {sorted(had)} clusters of its own; delete all but one")
                continue
            if not method.own and (lacking := set(one.n_clusters) - had):
                self.said.append(f"{one}: {column} has no labels for K = {', '.join(map(str, sorted(lacking)))}")
            self.by_column[column][str(one)] = Score(max(found), had <= set(one.n_clusters))


def adjusted_rand(labels: np.ndarray, truth: np.ndarray) -> float:
    """Over the items that are not noise in the reference."""
    inside = truth > 0
    return metrics.adjusted_rand_index(labels[inside], truth[inside])


def table(sets: list[SuiteSet], scores: Scores) -> list[str]:
    """Mean scores by battery and over all sets, a column for each setting, as lines of markdown."""
    columns = sorted(scores.by_column)
    names = [str(one) for one in sets]
    shared = [name for name in names if all(name in scores.by_column[column] for column in columns)]
    rows = [
        (battery, [str(one) for one in sets if one.battery == battery]) for battery in sorted({s.battery for s in sets})
    ]
    rows.append(("**all**", names))
    if shared != names:
        rows.append(("all that every column has", shared))
    lines = [
        "| battery | sets | " + " | ".join(column.replace("|", "\\|") for column in columns) + " |",
        "|---" * (len(columns) + 2) + "|",
    ]
    for title, among in rows:
        cells = [mean_cell(scores.by_column[column], among) for column in columns]
        lines.append(f"| {title} | {len(among)} | {' | '.join(cells)} |")
    own = [column.split(":")[0].endswith(OWN) for column in columns]
    if any(own):
        right = [sum(score.right for score in scores.by_column[column].values()) for column in columns]
        cells = [str(count) if is_own else "" for count, is_own in zip(right, own)]
        lines.append(f"| own K that a reference has | {len(names)} | {' | '.join(cells)} |")
    return lines


def mean_cell(by_set: dict[str, Score], among: list[str]) -> str:
    values = [by_set[name].value for name in among if name in by_set]
    if not values:
        return ""
    return f"{np.mean(values):.3f}" + (f" ({len(values)} of {len(among)})" if len(values) < len(among) else "")


def readable(sets: list[SuiteSet], most: int) -> tuple[list[SuiteSet], list[str]]:
    """The sets that are judged, and why the others are not."""
    judged, said = [], []
    for one in sets:
        try:
            if one.n_items <= most:
                judged.append(one)
            else:
                said.append(f"{one}: left out, {one.n_items} items are more than {most}")
        except InputError as error:
            said.append(f"{one}: left out, {error}")
    return judged, said


def option(text: str) -> tuple[str, Any]:
    """name=value; the value is a Python literal, or else a string."""
    name, separator, value = text.partition("=")
    if not (name and separator):
        raise argparse.ArgumentTypeError(f"{text!r}: expected NAME=VALUE")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def parsed(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="copy of clustering-data-v1")
    parser.add_argument("--estimator", choices=ESTIMATORS, default="SoftClustering")
    parser.add_argument("--option", type=option, action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--own", action="store_true", help="the estimator finds the number of clusters")
    parser.add_argument("--name", default=f"Partita-{partita.__version__}", help="the method, a folder of RESULTS")
    parser.add_argument("--out", type=Path, default=Path("build/public-suite"), metavar="RESULTS")
    parser.add_argument("--beside", type=Path, nargs="*", default=[], metavar="RESULTS_FOLDER")
    parser.add_argument("--batteries", help="some batteries only: wut,sipu")
    parser.add_argument("--most", type=int, default=10_000, metavar="N", help="sets of at most this many items (10000)")
    given = parser.parse_args(arguments)
    takes = inspect.signature(getattr(estimators, given.estimator)).parameters
    if unknown := [name for name, _ in given.option if name not in takes]:
        parser.error(f"{given.estimator} has no option {', '.join(unknown)}; it has {', '.join(takes)}")
    if not given.own and "n_clusters" in dict(given.option):
        parser.error("the number of clusters is that of each reference; for one of the estimator's own give --own")
    if Path(given.name).name != given.name or given.name.endswith(OWN):
        parser.error(f"--name {given.name}: expected the name of a folder that does not end in {OWN}")
    if missing := [str(folder) for folder in given.beside if not folder.is_dir()]:
        parser.error(f"--beside: no such folder: {', '.join(missing)}")
    given.sets = suite(given.folder)
    there = sorted({one.battery for one in given.sets})
    chosen = given.batteries.split(",") if given.batteries else there
    if not there:
        parser.error(f"{given.folder} has no <battery>/<set>.data.gz; expected a copy of clustering-data-v1")
    if unknown := sorted(set(chosen) - set(there)):
        parser.error(f"--batteries: {given.folder} has no {', '.join(unknown)}; it has {', '.join(there)}")
    given.sets = [one for one in given.sets if one.battery in chosen]
    return given


def main(arguments: list[str] | None = None) -> None:
    given = parsed(arguments)
    sets, said = readable(given.sets, given.most)
    ours = Method(given.out / "original" / (given.name + OWN * given.own))
    failed, of_fits = compute(sets, Setting(given.estimator, dict(given.option)), ours)
    scores = Scores()
    for method in side_by_side([given.out, *given.beside]):
        for one in sets:
            scores.add(method, one)
    print("\n".join(table(sets, scores)))
    said += of_fits + scores.said
    if said:
        print(f"\nSets: {len(given.sets)}. Left out: {len(given.sets) - len(sets)}. Failed: {len(failed)}.\n")
        print("\n".join(f"- {' '.join(line.split())}" for line in said))


if __name__ == "__main__":
    warnings.filterwarnings("ignore", message="Graph is not fully connected")
    main()
