"""Explanation of clusters by the columns of a table: few conditions, in its units, tried on items held out.

`model.explain()` of every factorization gives one of its own table.
"""

from partita.explanation.explain import explain_clusters
from partita.explanation.result import ClusterExplanation, Explanation
from partita.explanation.rules import Condition, Rule
from partita.explanation.shares import Share

__all__ = ["ClusterExplanation", "Condition", "Explanation", "Rule", "Share", "explain_clusters"]
