"""[rotabulo2010]: Table 1, Figures 1 and 2."""

from partita.reproduce.baum_eagon import figures, table1

__all__ = ["figures", "table1"]
