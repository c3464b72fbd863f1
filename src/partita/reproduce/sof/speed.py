"""How long the methods of [zhao2015] take beside each other, and its claim about that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from partita.reproduce.outcome import Entry, Finding, Table, Verdict
from partita.reproduce.sof.methods import METHODS, Method, of_kind
from partita.reproduce.sof.sets import SETS
from partita.reproduce.sof.summary import Summary

__all__ = ["seconds_table", "speed_finding", "speed_verdict"]

FAST = ("K-means", "S-means")
FASTER = ("NMF", "RNMF", "GNMF", "SymNMF")


def seconds_table(of: Summary, sets: Sequence[str]) -> Table:
    """Return the median CPU seconds of a run, by method and set."""

    def entries(method: Method) -> Iterator[Entry]:
        for name in sets:
            runs = of.runs[method.name].get(name)
            yield Entry(float(np.median(runs))) if runs else Entry(words="not run")

    return Table(
        name="seconds",
        title="Median CPU seconds of a run, one thread, affinity included",
        columns=list(sets),
        rows=[(method.name, list(entries(method))) for method in METHODS.values() if method.kind != "variant"],
        notes=("The paper: K-means and S-means are the fastest, and SoF is slower than NMF, RNMF, GNMF and SymNMF.",),
    )


def speed_finding(times: Summary, sets: Sequence[str]) -> Finding:
    """Return the finding on speed on the largest set that was run; Algorithm 1 on the largest that it was run on."""
    largest = max(sets, key=list(SETS).index)
    seconds = {method.name: float(np.median(times.runs[method.name][largest])) for method in of_kind("paper")}
    runs = times.runs["SoF, Algorithm 1"].get(largest)
    return _finding(seconds, float(np.median(runs)) if runs else None, largest)


def speed_verdict(seconds: Mapping[str, float]) -> Verdict:
    """Return the verdict on "K-means and S-means are the fastest" and "SoF is slower than the four": both, one, none.

    >>> speed_verdict({"K-means": 1, "S-means": 2, "NMF": 3, "RNMF": 3, "GNMF": 3, "SymNMF": 9, "SoF": 5})
    'in part'
    """
    fastest = max(seconds[name] for name in FAST) <= min(s for name, s in seconds.items() if name not in FAST)
    slower = all(seconds["SoF"] > seconds[name] for name in FASTER)
    return "reproduced" if fastest and slower else "in part" if fastest or slower else "not reproduced"


def _finding(seconds: Mapping[str, float], printed_algorithm: float | None, set_name: str) -> Finding:
    """The finding from the CPU seconds of a run on the largest set.

    Parameters
    ----------
    seconds : mapping
        Seconds of the paper's ten methods.
    printed_algorithm : float or None
        Seconds of Algorithm 1, where it was run.
    set_name : str
    """
    algorithm = "" if printed_algorithm is None else f" Algorithm 1 as printed takes {printed_algorithm:.3g} s."
    said = ", ".join(f"{name} {seconds[name]:.3g}" for name in (*FAST, *FASTER, "SoF"))
    return Finding(
        "K-means and S-means are the fastest; SoF is slower than NMF, RNMF, GNMF and SymNMF.",
        speed_verdict(seconds),
        f"CPU seconds of a run on {set_name}: {said}. SoF here has the default solver.{algorithm}",
    )
