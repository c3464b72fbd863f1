"""Figures that a text repeats from a table."""

import re
from pathlib import Path

BENCHMARKS = Path(__file__).parents[2] / "benchmarks" / "README.md"


def test_the_seconds_of_a_million_items_are_in_the_range_that_the_summary_has():
    text = BENCHMARKS.read_text(encoding="utf-8")
    low, high = map(float, re.search(r"A million items in 8 dimensions take (\d+) to (\d+) s", text).groups())
    table = text[text.index("#### Features to partition") :]
    seconds = float(re.search(r"^\| 1,000,000 \| ([\d.]+) \|", table, re.MULTILINE)[1])
    assert low <= seconds <= high
