"""Run the contract tests on what the examples add: those of CONTRIBUTING.md, word for word, and of the gallery.

A block of Python in CONTRIBUTING.md begins with a comment, `# name: tests`. It is imported as a module of its own
before the tests are collected, so that the registries hold what it defines, and the tests are picked by that name.
Exit status 1 where one fails, or where a name picks none.
Usage: python scripts/extension_contracts.py [TEXT]    (only what is added under a name that holds TEXT)
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Module, tests, name as the tests' parameters have it.
GALLERY = [
    ("plot_11_solver", ["tests/contract/test_solver.py"], "spectral-gradient"),
    ("plot_12_extensions", ["tests/contract/test_criterion.py"], "hold_together"),
    ("plot_12_extensions", ["tests/contract/test_partition_loss.py"], "jaccard"),
    ("plot_12_extensions", ["tests/contract/test_affinity.py"], "groups"),
    ("plot_12_extensions", ["tests/contract/test_objective.py"], "halved"),
    ("plot_12_extensions", ["tests/contract/test_builder.py"], "power-law"),
]


def contributed(folder: Path) -> list[tuple[str, list[str], str]]:
    """Write each block of CONTRIBUTING.md that adds something to a module, and say which tests look at it."""
    added = []
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL):
        name, _, tests = block.splitlines()[0].lstrip("# ").partition(": ")
        module = f"contributed_{re.sub(r'[^a-z0-9]', '_', name)}"
        (folder / f"{module}.py").write_text(block)
        added.append((module, tests.split(), name))
    return added


def check(module: str, tests: list[str], name: str, folder: Path) -> bool:
    """Whether the tests of that name pass, at least one of them."""
    path = os.pathsep.join([str(folder), str(ROOT / "examples"), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-W", "ignore", "-p", "no:cacheprovider", "-o", "addopts="),
            *("-p", module, "-k", name, *tests),
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path, "MPLBACKEND": "agg", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    said = run.stdout.strip().splitlines()
    print(f"{module}, {name}: {said[-1] if said else run.stderr.strip()[-300:]}", flush=True)
    if run.returncode:
        print(run.stdout[-6000:], run.stderr[-2000:])
    return run.returncode == 0


def main() -> int:
    """Check everything; also after something failed."""
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    with tempfile.TemporaryDirectory(prefix="contracts-") as home:
        folder = Path(home)
        added = [one for one in [*contributed(folder), *GALLERY] if only in one[2]]
        passed = [check(*one, folder) for one in added]
    return int(not passed or not all(passed))


if __name__ == "__main__":
    sys.exit(main())
