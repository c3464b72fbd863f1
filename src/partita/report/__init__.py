"""The report on a fit: one HTML file that opens offline, with the verdict in words, pictures and tables.

Pictures need matplotlib (python -m pip install 'partita[plot]'); without it the report has words and tables.
"""

from partita.report.fit_report import FitReport
from partita.report.page import render_report, write_report
from partita.report.verdict import Overlap, Sentence, overlaps, verdict

__all__ = ["FitReport", "Overlap", "Sentence", "overlaps", "render_report", "verdict", "write_report"]
