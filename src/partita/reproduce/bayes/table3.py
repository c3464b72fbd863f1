"""[bayes-nmf] Table 3: eight mixtures, eight methods, three scores, with standard errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from partita.reproduce.bayes import factorizing, sampling
from partita.reproduce.bayes.published import CONFIGURATIONS, METHODS, NMF, SCORES, TABLE_3
from partita.reproduce.bayes.rules import mean_and_error
from partita.reproduce.bayes.simulation import EXTRA, ORACLE, OTHER_CHAINS, Simulation, by_method
from partita.reproduce.bayes.table3_findings import claims
from partita.reproduce.experiment import Numbers, Size
from partita.reproduce.outcome import Entry, Outcome, Table

__all__ = ["Means", "Table3", "means_of"]

Means = dict[tuple[str, str, str], tuple[float, float | None]]
LETTERS = "abcdefgh"


def means_of(gathered: Mapping[tuple[str, str], Sequence[Numbers]]) -> Means:
    """Return the mean and standard error by method, configuration and score."""
    return {
        (method, name, score): mean_and_error([float(each[score]) for each in some])
        for (method, name), some in gathered.items()
        for score in (*SCORES, "n_clusters")
    }


class Table3(Simulation):
    """Rand index, adjusted Rand index and variation of information."""

    name = "bayes-nmf-table3"
    title = "Table 3: eight Gaussian mixtures, eight methods and ours"

    def outcome(self, found: Mapping[str, Numbers], size: Size) -> Outcome:
        gathered = by_method(found)
        means = means_of(gathered)
        for name in CONFIGURATIONS:
            means["rule", name, "adjusted_rand"] = tuple(found[f"{name}/rule"]["adjusted_rand"])
        n = len(gathered["MinVI", CONFIGURATIONS[0]])
        n_starts = sum(key.startswith(f"{CONFIGURATIONS[0]}/0/start") for key in found)
        return Outcome(
            tables=[
                *(_scores(means, score, n) for score in SCORES),
                _criteria(found),
                _readings(found),
                _chains(means),
            ],
            findings=claims(means, n),
            settings={
                "replicates": n,
                "random starts for each K": n_starts,
                "the paper's": "100 replicates, 10 starts; --replicates 100 makes as many",
                **sampling.settings_of(size),
            },
            choices=[
                *sampling.CHOICES,
                *factorizing.CHOICES,
                "Extra rows: SoF on the same matrix, its diagonal left out, K by Binder's loss too; the least Binder "
                "loss that Partita's search finds on the same draws; Partita's defaults (four chains of "
                "DPGaussianMixture(), BayesianPartition()); and the rule that knows means, covariances and sizes, "
                "which no method can beat on average.",
            ],
            sources={"eight mixtures": "partita.datasets.eight_configurations(): Table 2 as it is printed"},
        )


def _heads() -> list[str]:
    return [f"{letter}-{name}" for letter, name in zip(LETTERS, CONFIGURATIONS, strict=True)]


def _scores(means: Means, score: str, n: int) -> Table:
    def entry(method: str, name: str) -> Entry:
        value, error = means[method, name, score]
        theirs, their_error = TABLE_3.get((method, name, score), (None, None))
        return Entry(value, error, theirs, their_error, bold=method != ORACLE and round(value, 3) == best[name])

    sign = 1 if score == "vi" else -1
    rivals = [method for method in (*METHODS, *EXTRA) if method != ORACLE]
    best = {c: round(sign * min(sign * means[method, c, score][0] for method in rivals), 3) for c in CONFIGURATIONS}
    rows = [(method, [entry(method, name) for name in CONFIGURATIONS]) for method in (*METHODS, *EXTRA)]
    errors = f"mean and standard error of {n}" if n > 1 else "one replicate"
    return Table(
        score.replace("_", "-"),
        f"{SCORES[score][0].upper()}{SCORES[score][1:]}, {errors}",
        _heads(),
        rows,
        digits=3,
        corner="method",
        notes=["Bold: the best of its column but for the rule that knows the parameters."],
    )


def _criteria(found: Mapping[str, Numbers]) -> Table:
    rows = []
    for criterion, words in factorizing.CRITERIA.items():
        means = means_of(by_method(found, criterion=criterion))
        rows += [(f"{method}, {words}", _adjusted(means, method)) for method in NMF.values()]
    return Table(
        "criteria",
        "Adjusted Rand index by the loss that chooses K",
        _heads(),
        rows,
        digits=3,
        corner="method, loss",
        notes=["The paper says that it took one of these, and not which."],
    )


def _readings(found: Mapping[str, Numbers]) -> Table:
    rows = []
    for scaling, words in factorizing.READINGS.items():
        means = means_of(by_method(found, scaling=scaling))
        rows += [(f"{method}, {words}", _adjusted(means, method)) for method in NMF.values()]
    return Table(
        "readings",
        "Adjusted Rand index by how the partition is read",
        _heads(),
        rows,
        digits=3,
        corner="method, reading",
        notes=["Balanced: the mean of W and the transpose of H, each component with one largest entry in both."],
    )


def _chains(means: Means) -> Table:
    rows = [(words, _adjusted(means, key)) for key, words in OTHER_CHAINS.items()]
    theirs = [Entry(*TABLE_3["MinVI", name, "adjusted_rand"]) for name in CONFIGURATIONS]
    return Table(
        "chains",
        "Adjusted Rand index of MinVI by what the chain begins at and its prior",
        _heads(),
        [*rows, ("the paper's", theirs)],
        digits=3,
        corner="chain",
    )


def _adjusted(means: Means, method: str) -> list[Entry]:
    values = [means[method, name, "adjusted_rand"] for name in CONFIGURATIONS]
    return [Entry(value, error) for value, error in values]
