"""Every table and figure of the four papers, by one command each."""

from partita.reproduce.experiment import Cell, Experiment, Numbers, Size, experiment, experiment_names
from partita.reproduce.outcome import Drawing, Entry, Finding, Outcome, Table
from partita.reproduce.overview import outcomes_in, overview
from partita.reproduce.run import reproduce

__all__ = [
    "Cell",
    "Drawing",
    "Entry",
    "Experiment",
    "Finding",
    "Numbers",
    "Outcome",
    "Size",
    "Table",
    "experiment",
    "experiment_names",
    "outcomes_in",
    "overview",
    "reproduce",
]
