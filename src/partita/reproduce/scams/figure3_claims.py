"""Claims of [li2014, section 5.3] about Figure 3, each held against our lines by a rule."""

from __future__ import annotations

from collections.abc import Mapping

from partita.reproduce.outcome import Finding
from partita.reproduce.scams.lines import Lines
from partita.reproduce.scams.verdicts import SLIGHT, WELL, fall, finding, least, listed, mean, shown_to

__all__ = ["claims"]

OTHERS = ("GH", "ST", "SOD")
ALL = (*OTHERS, "SCAMS")
# "Promising": the mean over the numbers of subjects.
PROMISING = 0.8


def claims(panels: Mapping[str, Lines], advised: Mapping[str, Lines]) -> list[Finding]:
    """All findings; `advised` are the lines on the affinities for faces."""
    ssc, lrr = panels["SSC"], panels["LRR"]
    last = {name: float(lrr.rand(name)[-1]) for name in ALL}
    falls = {kind: {name: fall(panel.rand(name)) for name in ALL} for kind, panel in panels.items()}
    means = {name: mean(ssc.rand(name)) for name in ALL}
    stable = float(ssc.rand("GH").max() - ssc.rand("GH").min())
    suffering = [name for name in OTHERS if last[name] < WELL or falls["LRR"][name] > SLIGHT]
    scams = {kind: least(panel.rand("SCAMS")) for kind, panel in panels.items()}
    ours = {kind: least(panel.rand("ours")) for kind, panel in advised.items()}
    same = {kind: least(panel.rand("ours")) for kind, panel in panels.items()}
    return [
        finding(
            "With LRR most methods have problems as the number of groups increases.",
            {"two of GH, ST and SOD end below .9 or fall by more than .1": len(suffering) >= 2},
            f"At the largest K with LRR: {listed(last)}; falls: {listed(falls['LRR'])}",
        ),
        finding(
            "SCAMS performs consistently well (above .9) even with LRR.",
            {"above .9 at every K with LRR": scams["LRR"] > WELL},
            f"At the printed constants the least Rand index over K is {listed(scams)}",
        ),
        finding(
            "With SSC all methods are promising and more stable.",
            {f"{name} above .8 on average": value > PROMISING for name, value in means.items()}
            | {f"{name} falls by at most .1": falls["SSC"][name] <= SLIGHT for name in ALL},
            f"With SSC, means over K: {listed(means)}; falls: {listed(falls['SSC'])}",
        ),
        finding(
            "With SSC SCAMS is consistently better than most others, and GH is stable.",
            {
                "SCAMS above two of GH, ST and SOD on average": sum(means["SCAMS"] > means[n] for n in OTHERS) >= 2,
                "GH varies by at most .1": stable <= SLIGHT,
            },
            f"With SSC, means over K: {listed(means)}; GH varies by {shown_to(stable)}",
        ),
        finding(
            "(Ours) The local search is above .9 at every number of subjects.",
            {f"with {kind} for faces": low > WELL for kind, low in ours.items()}
            | {f"with the paper's {kind}": low > WELL for kind, low in same.items()},
            f"Least Rand index over K: on the affinities for faces {listed(ours)}, on the paper's {listed(same)}",
        ),
    ]
