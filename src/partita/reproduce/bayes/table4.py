"""[bayes-nmf] Table 4: the crabs, by eight methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from partita.reproduce.bayes import factorizing, sampling
from partita.reproduce.bayes.crabs import COLUMNS, EXTRA, PER_CELL, Crabs, gathered, same_as_published, sources
from partita.reproduce.bayes.factorizing import Criterion, Scaling, choices_table
from partita.reproduce.bayes.published import METHODS, NMF, SCORES, TABLE_4
from partita.reproduce.bayes.rules import by_parts
from partita.reproduce.experiment import Numbers, Size
from partita.reproduce.outcome import Entry, Finding, Outcome, Table, Verdict

__all__ = ["CHOICES", "Table4", "claims", "judged"]

NEAR = 0.02

CHOICES = (
    f"Variables: {', '.join(COLUMNS)}. The paper describes five and does not say which it used; its figures come out "
    "with these four, to the third decimal, and the table of chains has what all five give.",
    "Chain: the paper's is one of several modes. Of forty the first in which MinBinder and MinVI have the paper's "
    "figures is taken, so that factorizations are compared on a posterior like its own; a table has all forty.",
)


class Table4(Crabs):
    """Rand, adjusted Rand, VI in bits, and the number of clusters."""

    name = "bayes-nmf-table4"
    title = "Table 4: the crabs, eight methods and ours"

    def outcome(self, found: Mapping[str, Numbers], size: Size) -> Outcome:
        methods = gathered(found)
        n_starts = PER_CELL * sum(key.startswith("start/") for key in found)
        return Outcome(
            tables=[_scores(methods), _choices(found), _chains(found)],
            findings=claims(methods, found),
            settings={
                "random starts for each K": n_starts,
                "chain": found["matrix"]["chain"],
                **sampling.settings_of(size),
            },
            choices=[*CHOICES, *sampling.CHOICES, *factorizing.CHOICES],
            sources=sources(),
        )


def judged(ours: Mapping[str, Any], method: str) -> Verdict:
    """Return "reproduced" where all three scores are the paper's to the third decimal.

    In part where adjusted Rand is near.
    """
    if same_as_published(ours, method):
        return "reproduced"
    return "in part" if abs(ours["adjusted_rand"] - TABLE_4["adjusted_rand"][method]) <= NEAR else "not reproduced"


def claims(methods: Mapping[str, Mapping[str, Any]], found: Mapping[str, Numbers]) -> list[Finding]:
    """Return a finding for each column of the table, and for what the text says of it."""

    def said(values: Mapping[str, Any]) -> str:
        return "/".join(f"{values[score]:.3f}" for score in SCORES)

    chains = [numbers for key, numbers in found.items() if key.startswith("chain/")]
    counts = {name: methods[name]["n_clusters"] for name in METHODS}
    best = max(METHODS, key=lambda name: float(methods[name]["adjusted_rand"]))
    modes = [numbers["MinVI"]["n_clusters"] for numbers in chains]
    per_chain = ", ".join(f"K = {k} in {modes.count(k)}" for k in sorted(set(modes)))
    matches = {
        name: sum(same_as_published(numbers[name], name) for numbers in chains)
        for name in METHODS
        if name not in NMF.values()
    }
    findings = []
    for name in METHODS:
        theirs = {score: TABLE_4[score][name] for score in SCORES}
        also = f"; {matches[name]} of {len(chains)} chains give the paper's" if name in matches else ""
        findings.append(
            Finding(
                f"{name}: {said(theirs)} (Rand, adjusted Rand, VI).",
                judged(methods[name], name),
                f"{said(methods[name])} with K = {counts[name]}{also}.",
            )
        )
    return [
        *findings,
        Finding(
            "All methods but MinBinder choose four clusters.",
            by_parts(counts["MinBinder"] != 4, all(k == 4 for name, k in counts.items() if name != "MinBinder")),
            "Here " + ", ".join(f"{name} {k}" for name, k in counts.items()) + ".",
        ),
        Finding(
            "NMF-offset is the clear winner.",
            by_parts(
                best == "NMF-offset",
                min(METHODS, key=lambda name: float(methods[name]["vi"])) == "NMF-offset",
            ),
            f"The best adjusted Rand index is that of {best}, {methods[best]['adjusted_rand']:.3f}; NMF-offset has "
            f"{methods['NMF-offset']['adjusted_rand']:.3f}. Of {len(chains)} chains MinVI has {per_chain}; its "
            f"adjusted Rand index differs by {_spread(chains):.3f} between them, that of the methods on one chain by "
            f"{np.ptp([methods[name]['adjusted_rand'] for name in METHODS]):.3f}.",
        ),
    ]


def _spread(chains: Sequence[Mapping[str, Any]]) -> float:
    """Largest less smallest adjusted Rand index of MinVI."""
    return float(np.ptp([numbers["MinVI"]["adjusted_rand"] for numbers in chains]))


def _scores(methods: Mapping[str, Mapping[str, Any]]) -> Table:
    rows = [
        (
            name,
            [
                *(Entry(float(methods[name][score]), published=TABLE_4[score].get(name)) for score in SCORES),
                Entry(words=str(methods[name]["n_clusters"])),
            ],
        )
        for name in (*METHODS, *EXTRA)
    ]
    heads = ["Rand", "adjusted Rand", "VI, bits", "K"]
    return Table("scores", "The crabs against species and sex", heads, rows, digits=3, corner="method")


def _choices(found: Mapping[str, Numbers]) -> Table:
    def entry(criterion: Criterion, scaling: Scaling, method: str) -> Entry:
        ours = gathered(found, criterion=criterion, scaling=scaling)[method]
        return Entry(float(ours["adjusted_rand"]), published=TABLE_4["adjusted_rand"][method])

    title = "Adjusted Rand index by the loss that chooses K and by how the partition is read"
    return choices_table("choices", title, entry, digits=3)


def _chains(found: Mapping[str, Numbers]) -> Table:
    names = [name for name in METHODS if name not in NMF.values()]
    rows = []
    for kind, words in (("chain", "four variables"), ("five", "five variables")):
        for key, numbers in found.items():
            if key.startswith(f"{kind}/"):
                entries = [
                    Entry(words=f"{numbers[name]['adjusted_rand']:.3f} (K = {numbers[name]['n_clusters']})")
                    for name in names
                ]
                rows.append((f"{words}, chain {key.partition('/')[2]}", entries))
    theirs = [Entry(words=f"{TABLE_4['adjusted_rand'][name]:.3f}") for name in names]
    chains = [numbers for key, numbers in found.items() if key.startswith("chain/")]
    return Table(
        "chains",
        "Adjusted Rand index of each chain",
        names,
        [*rows, ("the paper's", theirs)],
        corner="chain",
        notes=[f"Chains of the four variables differ by {_spread(chains):.3f} in the adjusted Rand index of MinVI."],
    )
