"""Run the contract tests on what the examples add: solver, criterion, loss, affinity.

An objective's tests want its least value over the scales as an oracle, which an example has no place for.

The examples are imported before the tests are collected, so that the registries hold what they define; the tests are
picked by those names. Exit status 1 where one fails, or where a name picks none.
Usage: python scripts/extension_contracts.py
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Example, contract, name as the tests' parameters have it.
ADDED = [
    ("plot_11_solver", "test_solver.py", "spectral-gradient"),
    ("plot_12_extensions", "test_criterion.py", "hold_together"),
    ("plot_12_extensions", "test_partition_loss.py", "jaccard"),
    ("plot_12_extensions", "test_affinity.py", "groups"),
]


def check(example: str, contract: str, name: str) -> bool:
    """Whether the contract's tests of that name pass, at least one of them."""
    path = os.pathsep.join([str(ROOT / "examples"), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-W", "ignore", "-p", "no:cacheprovider", "-o", "addopts="),
            *("-p", example, "-k", name, f"tests/contract/{contract}"),
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path, "MPLBACKEND": "agg", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    said = run.stdout.strip().splitlines()
    print(f"{example}, {contract}, {name}: {said[-1] if said else run.stderr.strip()[-300:]}")
    if run.returncode:
        print(run.stdout[-6000:], run.stderr[-2000:])
    return run.returncode == 0


if __name__ == "__main__":
    passed = [check(*added) for added in ADDED]  # every one is run, also after one that failed
    sys.exit(not all(passed))
