"""Outcome of an experiment: tables with the paper's figures beside ours, drawings, and a finding for each claim."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

__all__ = ["Drawing", "Entry", "Finding", "Outcome", "Table", "Verdict"]

Verdict = Literal["reproduced", "in part", "not reproduced", "cannot be"]


@dataclass(frozen=True)
class Entry:
    """One cell of a table.

    Attributes
    ----------
    value : float or None
        Ours.
    error : float or None
        Its standard error or deviation; the table says which.
    published : float or None
        The paper's figure.
    published_error : float or None
    bold, dagger : bool
        The best of its column; better than all others by a test.
    words : str
        In place of a number, or a remark on it.
    """

    value: float | None = None
    error: float | None = None
    published: float | None = None
    published_error: float | None = None
    bold: bool = False
    dagger: bool = False
    words: str = ""

    @property
    def difference(self) -> float | None:
        """Ours less the paper's."""
        if self.value is None or self.published is None or not np.isfinite(self.value):
            return None
        return self.value - self.published


@dataclass(frozen=True)
class Table:
    """Entries by row and column.

    Attributes
    ----------
    name : str
        For files, "purity".
    title : str
        Name of the numbers, with what stands in brackets.
    columns : sequence of str
    rows : sequence of (str, sequence of Entry)
        An entry for each column.
    digits : int
        Behind the point.
    corner : str
        Over the column of row names.
    notes : sequence of str
        Below it.
    """

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Entry]]]
    digits: int = 2
    corner: str = ""
    notes: Sequence[str] = ()

    def __post_init__(self) -> None:
        for row, entries in self.rows:
            assert len(entries) == len(self.columns), f"{self.name}: row {row!r} has {len(entries)} entries"


@dataclass(frozen=True)
class Drawing:
    """A picture and the numbers it is drawn from.

    Attributes
    ----------
    name : str
        For files, "entropy".
    caption : str
        Caption that says what the paper's picture shows, and what ours does.
    alt : str
        Description of what is seen, for who cannot see it.
    draw : callable
        Draws into a blank matplotlib figure, with `figure.subplots`.
    size : (float, float)
        Width and height in inches.
    series : mapping of str to sequence
        Columns of equal length: what is drawn, for the CSV file.
    """

    name: str
    caption: str
    alt: str
    draw: Callable[[Any], None]
    size: tuple[float, float] = (8.0, 4.5)
    series: Mapping[str, Sequence[Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Finding:
    """One claim of the paper, and whether it came out.

    Attributes
    ----------
    claim : str
        Claim of the paper.
    verdict : {"reproduced", "in part", "not reproduced", "cannot be"}
        "cannot be": the paper leaves out what one would need.
    words : str
        Our figures, and the reason where they differ.
    """

    claim: str
    verdict: Verdict
    words: str


@dataclass(frozen=True)
class Outcome:
    """All of an experiment.

    Attributes
    ----------
    tables, drawings, findings
    settings : mapping
        Every setting, the same for all sets, in words or numbers.
    choices : sequence of str
        Things that the paper leaves open, and what was taken.
    sources : mapping of str to str
        Data sets and the SHA-256 of the files read, or how they were made.
    """

    tables: Sequence[Table] = ()
    drawings: Sequence[Drawing] = ()
    findings: Sequence[Finding] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    choices: Sequence[str] = ()
    sources: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = [table.name for table in self.tables] + [drawing.name for drawing in self.drawings]
        assert len(set(names)) == len(names), f"two of {names} would be one file"

    def plain(self) -> dict[str, Any]:
        """Return the outcome as JSON, without what draws."""
        return {
            "tables": [asdict(table) for table in self.tables],
            "drawings": [
                {"name": d.name, "caption": d.caption, "alt": d.alt, "size": d.size, "series": dict(d.series)}
                for d in self.drawings
            ],
            "findings": [asdict(finding) for finding in self.findings],
            "settings": dict(self.settings),
            "choices": list(self.choices),
            "sources": dict(self.sources),
        }
