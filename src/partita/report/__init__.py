"""Reports: one HTML file that opens offline, with the verdict in words, pictures and tables. On a fit, or on
a partition from draws.

Pictures need matplotlib (python -m pip install 'partita[plot]'); without it the report has words and tables.
"""

from partita.report.fit_report import FitReport
from partita.report.page import render_report, write_report
from partita.report.partition_page import render_partition_report, write_partition_report
from partita.report.partition_report import PartitionReport
from partita.report.partition_verdict import partition_verdict
from partita.report.verdict import Sentence, verdict

__all__ = [
    "FitReport",
    "PartitionReport",
    "Sentence",
    "partition_verdict",
    "render_partition_report",
    "render_report",
    "verdict",
    "write_partition_report",
    "write_report",
]
