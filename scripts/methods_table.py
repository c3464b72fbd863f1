#!/usr/bin/env python3
"""Write docs/methods.md from the registries of objectives, solvers and normalisations.

scripts/methods_table.py            write it
scripts/methods_table.py --check    exit with 1 where the file is not what would be written
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from partita.objectives import Domain, Objective
from partita.solvers import Solver

TARGET = Path(__file__).parent.parent / "docs" / "methods.md"
HEAD = """<!-- Written by `scripts/methods_table.py` from what the code says of itself; do not edit. -->

# Methods

Every model here factorizes an affinity, P ~ W diag(a) W^T. An objective says which a goes with W and the constraint set
of W (`domain` in code); a solver says which constraint sets it handles. Any solver goes with any objective whose
constraint set it handles, and the driver refuses the others by name.

With a = 1 the models of [zhao2015] Table 1 differ in their constraint set alone. Partitions are nonnegative and
orthonormal, and memberships are nonnegative, so for one and the same P the least objectives are ordered:

    spectral <= kernel_kmeans        symnmf <= kernel_kmeans        symnmf <= sof

`tests/contract/test_table_one.py` shows it, and that kernel k-means' sum of squared distances is its objective but for
a constant.
"""
# Which estimator fits an objective.
ESTIMATORS = {
    "sof": "`SoF`",
    "scaled": "`BaumEagon`, `SoftClustering(sizes='equal')`",
    "per_cluster": "`SoftClustering`",
    "symnmf": "`SymNMF`",
    "copositive": "`CopositiveFactorization`",
    "kernel_kmeans": "`KernelKMeans`",
    "spectral": "`SpectralRelaxation`",
}


def page() -> str:
    """The page."""
    domains = [[d.name, d.equation, _solvers(d.name)] for d in Domain.registry.values()]
    objectives = [
        [kind.name, kind.equation, kind.domain.equation, ESTIMATORS.get(kind.name, "-"), kind.source]
        for kind in sorted(Objective.registry.values(), key=lambda kind: (_rank(kind.domain), kind.name))
    ]
    solvers = [
        [
            f"`{kind.name}`",
            f"{kind.use}; {kind.source}",
            ", ".join(sorted(kind.domains)) + (f"; needs {_listed(kind.requires)} of P" if kind.requires else ""),
            kind.cost,
            kind.guarantee,
            "yes" if kind.monotone else "no",
        ]
        for kind in sorted(Solver.registry.values(), key=lambda kind: kind.name)
    ]
    return "\n".join(
        [
            HEAD,
            "## Objectives\n",
            _table(["name", "minimised", "over", "estimator", "source"], objectives),
            "## Constraint sets (domains)\n",
            _table(["name", "constraint", "solvers"], domains),
            "## Solvers\n",
            _table(["name", "use it for; source", "constraint sets", "cost", "guarantee", "monotone"], solvers),
        ]
    )


def _rank(domain: Domain) -> int:
    return list(Domain.registry).index(domain.name)


def _listed(words: Iterable[str]) -> str:
    return " and ".join(f"`{word}`" for word in sorted(words))


def _solvers(domain: str) -> str:
    return ", ".join(f"`{name}`" for name, kind in sorted(Solver.registry.items()) if domain in kind.domains)


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def main() -> int:
    """Write or check; the exit code."""
    if "--check" in sys.argv[1:]:
        if not TARGET.is_file() or TARGET.read_text(encoding="utf-8") != page():
            print("docs/methods.md is not what the code says: run scripts/methods_table.py")
            return 1
        return 0
    TARGET.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
