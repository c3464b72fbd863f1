"""Claims of [rotabulo2010] about its Table 1, and the rule by which each counts as reproduced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from partita.reproduce.baum_eagon.published import PUBLISHED, SCOP, Printed
from partita.reproduce.outcome import Finding, Verdict

__all__ = ["comparable", "findings", "held_on", "outperforms", "subset_sizes", "synthetic_order"]

# "Comparably well": the best and the worst of the four are no further apart.
COMPARABLE = 0.05
# Iris: a mean that is the paper's.
NEAR = 0.01

Means = Mapping[str, float]


def outperforms(means: Means, name: str = "BE", others: Sequence[str] = ("CP", "NCUT", "NJW")) -> bool:
    """Return whether a mean is above each of the others.

    >>> outperforms({"BE": 0.7, "CP": 0.4, "NCUT": 0.6, "NJW": 0.7})
    False
    """
    return all(means[name] > means[other] for other in others)


def comparable(means: Means) -> bool:
    """Return whether all four are within `COMPARABLE`."""
    four = [means[name] for name in ("BE", "CP", "NCUT", "NJW")]
    return max(four) - min(four) <= COMPARABLE


def synthetic_order(means: Means) -> bool:
    """Find whether NCUT and BE are above CP and NJW, and BE not above NCUT."""
    return min(means["BE"], means["NCUT"]) > max(means["CP"], means["NJW"]) and means["BE"] <= means["NCUT"]


def held_on(holds: Mapping[str, bool]) -> Verdict:
    """Return the verdict on a claim that holds on all, on some or on none.

    >>> held_on({"Digit": True, "Scop": False})
    'in part'
    """
    return "reproduced" if all(holds.values()) else "in part" if any(holds.values()) else "not reproduced"


def subset_sizes(counts: Sequence[int]) -> list[int]:
    """Number of items when one class is left out, ascending.

    >>> subset_sizes([1, 2, 3])
    [3, 4, 5]
    """
    return sorted(sum(counts) - count for count in counts)


def findings(
    means: Mapping[str, Means], over: Mapping[str, Mapping[str, Means]], counts: Sequence[int]
) -> list[Finding]:
    """Return one for each claim that can be judged on the rows that were run.

    Parameters
    ----------
    means : mapping
        Mean accuracy by row and method.
    over : mapping
        The same by row and similarity.
    counts : sequence of int
        Sizes of the superfamilies at hand.
    """
    out = []
    hard = [row for row in ("Digit", "Scop") if row in means]
    if hard:
        wins = {row: [name for name, each in over[row].items() if outperforms(each)] for row in hard}
        out.append(
            Finding(
                "BE outperformed the competitors in the most challenging sets, Digit and Scop.",
                held_on({row: outperforms(means[row]) for row in hard}),
                " ".join(f"{row}: {_said(means[row], PUBLISHED[row])}." for row in hard)
                + " Similarities under which it does: "
                + "; ".join(f"{row}: {', '.join(names) or 'none'}" for row, names in wins.items())
                + ". Both sets are stand-ins: the paper's are not published.",
            )
        )
    if "Iris" in means:
        best = {name: max(each.values()) for name, each in over["Iris"].items()}
        out.append(
            Finding(
                "On Iris all approaches performed comparably well.",
                "reproduced" if comparable(means["Iris"]) else "not reproduced",
                f"{_said(means['Iris'], PUBLISHED['Iris'])}; comparable: within {COMPARABLE:g}.",
            )
        )
        out.append(
            Finding(
                "On Iris all but one of 150 items are right (.993).",
                "reproduced" if max(best.values()) >= PUBLISHED["Iris"]["BE"].mean - NEAR else "not reproduced",
                "Best mean of any method by similarity: "
                + ", ".join(f"{name} {value:.3f}" for name, value in best.items())
                + ". The paper does not say which similarity it took.",
            )
        )
    blocks = {row: synthetic_order(each) for row, each in means.items() if row.startswith("S-Block")}
    if blocks:
        said = "; ".join(f"{row} {_said(means[row])}" for row in blocks)
        out.append(
            Finding(
                "On S-Block NCUT and BE outperformed the other approaches, BE slightly below NCUT.",
                held_on(blocks) if any(blocks.values()) else "cannot be",
                f"The set was never published. On guesses of it: {said}. The order holds on {sum(blocks.values())} of "
                f"{len(blocks)}.",
            )
        )
    sizes = subset_sizes(counts)
    out.append(
        Finding(
            f"A subset of SCOP with {SCOP[1]} proteins in {SCOP[0]} classes.",
            "reproduced" if SCOP[1] in sizes else "cannot be",
            f"The set at hand has {sum(counts)} in {len(counts)} superfamilies. Leaving one out gives "
            f"{', '.join(map(str, sizes))}{' and so' if SCOP[1] in sizes else ', and not'} {SCOP[1]}; all are taken.",
        )
    )
    return out


def _said(means: Means, printed: Mapping[str, Printed] | None = None) -> str:
    four = ("BE", "CP", "NCUT", "NJW")
    return ", ".join(
        f"{name} {means[name]:.3f}" + (f" (paper {printed[name].mean:.3f})" if printed else "") for name in four
    )
