"""Checks by the driver before the first step: options in range, and a solver that can do this problem."""

from __future__ import annotations

from partita.errors import InputError
from partita.memory import require_memory
from partita.objectives import Problem
from partita.solvers.base import Solver

__all__ = ["check_options"]

# N x K arrays that the leanest solver holds at once.
FACTORS = 6


def check_options(
    problem: Problem,
    solver: Solver,
    *,
    n_clusters: int,
    n_init: int,
    max_iter: int,
    tol: float,
) -> None:
    """Raise `InputError` for options out of range, and for a solver that cannot do the problem, with those that can.

    Raises
    ------
    InputError, MemoryLimitError
    """
    if n_init < 1 or max_iter < 1 or not tol >= 0:
        raise InputError(
            f"n_init={n_init}, max_iter={max_iter}, tol={tol}: expected n_init and max_iter of at least 1 and tol of "
            "at least 0"
        )
    domain = problem.objective.domain.name
    if domain not in solver.domains:
        able = sorted(name for name, kind in Solver.registry.items() if domain in kind.domains)
        raise InputError(
            f"solver {solver.name!r} works on {' and '.join(sorted(solver.domains))} factors, and those of objective "
            f"{problem.objective.name!r} are {domain}; use {' or '.join(able)}"
        )
    pairs = problem.affinity.pair_weights
    if pairs is not None and not pairs.zero_or_one and not solver.weighs_pairs:
        able = sorted(n for n, kind in Solver.registry.items() if kind.weighs_pairs and domain in kind.domains)
        raise InputError(
            f"solver {solver.name!r} cannot weigh pairs; use {' or '.join(able)}"
            if able
            else f"no solver of {domain} factors weighs pairs: this model takes must-links only; drop cannot-links, "
            "pair weights and unobserved pairs, or use SoF or SoftClustering (command line: --model soft)"
        )
    n = problem.affinity.n_items
    require_memory(
        FACTORS * 8 * n * n_clusters,
        f"{n:,} items in {n_clusters:,} clusters, and what a step needs beside their membership,",
        "ask for fewer clusters, or fit a sample and predict the rest",
    )
    missing = sorted(name for name in solver.requires if not hasattr(problem.affinity, name))
    if missing:
        raise InputError(f"solver {solver.name!r} needs {', '.join(missing)} of the affinity, which it does not offer")
