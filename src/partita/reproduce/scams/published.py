"""Figures that [li2014] prints; Figures 1 to 3 have no numbers. Read from the text twice."""

from __future__ import annotations

__all__ = ["TABLE1"]

# Table 1: Rand index on Hopkins 155, by method and affinity: mean, median.
TABLE1: dict[str, dict[str, tuple[float, float]]] = {
    "GH": {"LRR": (0.6584, 0.6490), "SSC": (0.7699, 0.7418)},
    "ST": {"LRR": (0.9154, 0.9815), "SSC": (0.9095, 0.9972)},
    "SOD": {"LRR": (0.9026, 0.9923), "SSC": (0.8834, 0.9944)},
    "SCAMS": {"LRR": (0.9202, 0.9827), "SSC": (0.9068, 0.9740)},
}
