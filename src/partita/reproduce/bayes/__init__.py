"""[bayes-nmf], Optimal Bayesian clustering using nonnegative matrix factorization: its tables and figures."""

# ruff: noqa: I001 - in the order of the paper, which is that of `partita reproduce --list`
from partita.reproduce.bayes import (
    table1,
    table2,
    figure1,
    table3,
    figure2,
    figure3,
    figure4,
    figure5,
    figure6,
    figure7,
    figure8,
    table4,
    figure9,
)

__all__ = [
    "figure1",
    "figure2",
    "figure3",
    "figure4",
    "figure5",
    "figure6",
    "figure7",
    "figure8",
    "figure9",
    "table1",
    "table2",
    "table3",
    "table4",
]
