"""[zhao2015]: Tables 2 to 5, Figures 1 and 2."""

from partita.reproduce.sof import shapes, statistics, tables

__all__ = ["shapes", "statistics", "tables"]
