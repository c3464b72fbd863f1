"""Two claims of [zhao2015] beside the figures of its tables: how long methods take, and how much n matters."""

from __future__ import annotations

from collections.abc import Mapping

from partita.reproduce.outcome import Finding, Verdict
from partita.reproduce.sof.summary import Summary

__all__ = ["neighbour_finding", "speed_finding", "speed_verdict"]

FAST = ("K-means", "S-means")
FASTER = ("NMF", "RNMF", "GNMF", "SymNMF")
# "Not too much": a mean changes by no more than this.
LITTLE = 0.03


def speed_verdict(seconds: Mapping[str, float]) -> Verdict:
    """Return the verdict on "K-means and S-means are the fastest" and "SoF is slower than the four": both, one, none.

    >>> speed_verdict({"K-means": 1, "S-means": 2, "NMF": 3, "RNMF": 3, "GNMF": 3, "SymNMF": 9, "SoF": 5})
    'in part'
    """
    fastest = max(seconds[name] for name in FAST) <= min(s for name, s in seconds.items() if name not in FAST)
    slower = all(seconds["SoF"] > seconds[name] for name in FASTER)
    return "reproduced" if fastest and slower else "in part" if fastest or slower else "not reproduced"


def speed_finding(seconds: Mapping[str, float], printed_algorithm: float | None, set_name: str) -> Finding:
    """Return the finding on speed, from the CPU seconds of a run on the largest set.

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


def neighbour_finding(of: Summary) -> Finding:
    """Return the mean of SoF with n = 5 and n = 20 against n = 10, set by set."""
    change: dict[str, float] = {}
    for name in of.sets:
        middle = of.mean("SoF", name)
        others = [of.mean(variant, name) for variant in ("n = 5", "n = 20")]
        moved = [abs(other - middle) for other in others if other is not None and middle is not None]
        change[name] = max(moved, default=0.0)
    little = [name for name, value in change.items() if value <= LITTLE]
    share = len(little) / len(change)
    return Finding(
        "Different values of n still affect the clustering, but not too much in practice.",
        "reproduced" if share == 1 else "in part" if share >= 0.5 else "not reproduced",
        "Largest change of the mean from n = 10 to n = 5 or 20: "
        + ", ".join(f"{name} {value:.3f}" for name, value in change.items())
        + f" (little: {LITTLE:g}).",
    )
