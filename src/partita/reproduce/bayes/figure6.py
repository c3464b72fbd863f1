"""[bayes-nmf] Figure 6: the galaxies, clustered by four conventional methods and four factorizations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from partita.reproduce.bayes import factorizing
from partita.reproduce.bayes.factorizing import CRITERIA, READINGS, Criterion, Scaling, choices_table
from partita.reproduce.bayes.galaxy import OURS, Galaxy, labels_written, repeated, sources
from partita.reproduce.bayes.published import CONVENTIONAL, GALAXY, METHODS, NMF
from partita.reproduce.experiment import Numbers, Size
from partita.reproduce.outcome import Drawing, Entry, Finding, Outcome, Table, Verdict

__all__ = ["Figure6", "judged"]

ROWS = (*CONVENTIONAL, *NMF.values(), OURS)


class Figure6(Galaxy):
    """Partitions of 82 galaxies, each as ranges of galaxies by velocity."""

    name = "bayes-nmf-figure6"
    title = "Figure 6: the galaxies, by eight methods"

    def outcome(self, found: Mapping[str, Numbers], size: Size) -> Outcome:
        from partita.datasets import load_dataset

        times = repeated(found)
        partitions = {name: [found["conventional"][name]["clusters"]] for name in (*CONVENTIONAL, OURS)}
        partitions |= {name: [each["clusters"] for each in some] for name, some in times.items()}
        velocity = load_dataset("galaxies").X[:, 0] / 1000
        common = {name: Counter(some).most_common(1)[0][0] for name, some in partitions.items()}
        other = _other_choices(found)
        n = len(partitions["NMF-ls"])
        return Outcome(
            tables=[_partitions(partitions), _criteria(found)],
            drawings=[
                Drawing(
                    "clusters",
                    "Each row a method, each mark a galaxy at its velocity (1,000 km/s), colours and marks for "
                    "clusters, K in brackets, as in the paper's Figure 6; of several times the commonest partition. "
                    "The paper also draws the density.",
                    "Nine rows of 82 marks along the velocity, coloured by cluster.",
                    lambda figure: _draw(figure, velocity, common),
                    (9.5, 4.8),
                    {
                        "velocity": velocity.tolist(),
                        **{name: labels_written(common[name]).tolist() for name in ROWS},
                    },
                )
            ],
            findings=[
                Finding(
                    "The 10,000 draws hold 9,636 different partitions.",
                    "reproduced" if found["conventional"]["unique"] == 9636 else "not reproduced",
                    f"{found['conventional']['unique']:,} are different.",
                ),
                *(_finding(name, partitions[name], other.get(name, {})) for name in METHODS),
                _dominant(common),
            ],
            settings={"times that ten starts were made": n, "K": "2 to 12"},
            choices=[
                *factorizing.CHOICES,
                "The galaxies' values are those of R's MASS, typing error in value 78 included, as the draws have it.",
            ],
            sources=sources(),
        )


def judged(ours: Sequence[str], theirs: str, others: Sequence[str] = ()) -> Verdict:
    """Return "reproduced" where the paper's partition comes out more often than not.

    In part where it comes out at all, under another choice that the paper leaves open, or all but for three galaxies of
    the commonest.
    """
    from partita.metrics import accuracy

    share = sum(each == theirs for each in ours) / len(ours)
    if share > 0.5:
        return "reproduced"
    common = Counter(ours).most_common(1)[0][0]
    moved = round(82 * (1 - accuracy(labels_written(common), labels_written(theirs))))
    return "in part" if share > 0 or theirs in others or moved <= 3 else "not reproduced"


def _other_choices(found: Mapping[str, Numbers]) -> dict[str, dict[str, list[str]]]:
    """The partitions of an NMF under the choices that were not taken, by what was chosen."""
    ways: dict[str, dict[str, list[str]]] = {name: {} for name in NMF.values()}
    for scaling, read in READINGS.items():
        for criterion, words in CRITERIA.items():
            if (scaling, criterion) == ("plain", "binder"):
                continue
            some = repeated(found, criterion=criterion, scaling=scaling)
            for name in ways:
                way = f"{words.split(',')[0]} ({read})"
                ways[name][way] = [each["clusters"] for each in some[name]]
    return ways


def _finding(name: str, ours: Sequence[str], others: Mapping[str, Sequence[str]]) -> Finding:
    theirs = GALAXY[name]
    times = sum(each == theirs for each in ours)
    ways = [way for way, some in others.items() if theirs in some]
    common, often = Counter(ours).most_common(1)[0]
    words = f"{common} (K = {len(common.split())})"
    if len(ours) > 1:
        words = f"the paper's partition {times} of {len(ours)} times; the commonest ({often} of {len(ours)}) is {words}"
    if times <= len(ours) / 2 and ways:
        words += f"; the paper's comes out by {', '.join(ways)}"
    every = [each for some in others.values() for each in some]
    return Finding(
        f"{name}: {theirs} (K = {len(theirs.split())}).",
        judged(ours, theirs, every),
        words[0].upper() + words[1:] + ".",
    )


def _dominant(common: Mapping[str, str]) -> Finding:
    counts = {name: len(common[name].split()) for name in METHODS}
    balanced = [name for name in NMF.values() if counts["MinVI"] <= counts[name] <= counts["MinBinder"]]
    return Finding(
        "Section 6: NMF stands between singletons (MinBinder, MaxPEAR) and one dominant cluster (MinVI).",
        "reproduced" if len(balanced) == len(NMF) else "in part" if balanced else "not reproduced",
        "Clusters found: " + ", ".join(f"{name} {k}" for name, k in counts.items()) + ".",
    )


def _partitions(partitions: Mapping[str, Sequence[str]]) -> Table:
    rows = []
    for name in ROWS:
        ours, theirs = partitions[name], GALAXY.get(name)
        common, often = Counter(ours).most_common(1)[0]
        rows.append(
            (
                name,
                [
                    Entry(float(len(common.split())), published=None if theirs is None else len(theirs.split())),
                    Entry(words=common),
                    Entry(words=theirs or "-"),
                    Entry(words=f"{often} of {len(ours)}"),
                    Entry(words="-" if theirs is None else f"{sum(each == theirs for each in ours)} of {len(ours)}"),
                ],
            )
        )
    heads = ["K", "clusters, the commonest", "the paper's", "times the commonest", "times the paper's"]
    return Table("partitions", "Clusters as ranges of galaxies by velocity", heads, rows, digits=0, corner="method")


def _criteria(found: Mapping[str, Numbers]) -> Table:
    def entry(criterion: Criterion, scaling: Scaling, method: str) -> Entry:
        each = repeated(found, criterion=criterion, scaling=scaling)[method]
        return Entry(float(np.mean([one["n_clusters"] for one in each])), published=float(len(GALAXY[method].split())))

    title = "Mean number of clusters by the loss that chooses K and by how the partition is read"
    return choices_table("criteria", title, entry, digits=1)


def _draw(figure: Any, velocity: np.ndarray[Any, Any], common: Mapping[str, str]) -> None:
    from partita.plots.palette import INK, MARKERS, cluster_colors

    ax = figure.subplots()
    for row, name in enumerate(ROWS):
        labels = labels_written(common[name])
        colors = cluster_colors(int(labels.max()) + 1)
        for k, color in enumerate(colors):
            members = labels == k
            ax.scatter(
                velocity[members],
                np.full(members.sum(), -row),
                s=26,
                marker=MARKERS[k % len(MARKERS)],
                color=color,
                linewidth=0.3,
                edgecolor=INK,
            )
    names = [f"{name} ({len(common[name].split())})" for name in ROWS]
    ax.set_yticks(-np.arange(len(ROWS)), names)
    ax.set_xlabel("velocity, 1,000 km/s")
    ax.grid(axis="x", alpha=0.25)
