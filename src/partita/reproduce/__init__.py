"""Every table and figure of the four papers, by one command each."""

from partita.reproduce.experiment import Cell, Experiment, Numbers, Size, experiment, experiment_names
from partita.reproduce.outcome import Drawing, Entry, Finding, Outcome, Table
from partita.reproduce.overview import outcomes_in, overview
from partita.reproduce.run import reproduce

# The papers, in the order in which `--list` names them.
# isort: off
import partita.reproduce.sof
import partita.reproduce.baum_eagon
import partita.reproduce.bayes
import partita.reproduce.scams  # noqa: F401
# isort: on

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
