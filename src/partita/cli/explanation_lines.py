"""Lines of the terminal on what tells clusters apart."""

from __future__ import annotations

from typing import Any

from partita.wording import count

__all__ = ["explanation_lines"]

# Clusters of which the terminal says what tells them apart; the report does of all.
EXPLAINED = 10


def explanation_lines(rows: list[dict[str, Any]]) -> list[str]:
    """Return what tells each cluster from the rest, of the first few.

    >>> explanation_lines([{"cluster": 0, "rule": "x <= 2", "precision": 1.0, "recall": 0.9, "reason": ""}])
    ['cluster 0: x <= 2 (precision 1.00, recall 0.90 on items held out)']
    """
    lines = []
    for row in rows[:EXPLAINED]:
        said = row["reason"]
        if row["rule"] is not None:
            said = f"{row['rule']} (precision {row['precision']:.2f}, recall {row['recall']:.2f} on items held out)"
        lines.append(f"cluster {row['cluster']}: {said}")
    if len(rows) > EXPLAINED:
        lines.append(f"the rules of {count(len(rows) - EXPLAINED, 'more cluster')} are in report.html")
    return lines
