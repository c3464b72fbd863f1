"""Tables and figures of [li2014], SCAMS: simultaneous clustering and model selection, CVPR 2014.

methods, affinities     what is compared, and on what
lines, verdicts         Rand indices along a level; rules for verdicts
figure1, figure2, table1, figure3       an experiment each, with what the paper says of it beside it (..._claims)
"""

from partita.reproduce.scams import figure1, figure2, table1, figure3  # noqa: F401, I001 - the paper's order
