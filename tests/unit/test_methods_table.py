"""docs/methods.md is what the registries say."""

import importlib.util
from pathlib import Path

from partita.objectives import Domain, Objective
from partita.solvers import Solver

ROOT = Path(__file__).parents[2]


def script():
    spec = importlib.util.spec_from_file_location("methods_table", ROOT / "scripts" / "methods_table.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_committed_table_is_up_to_date():
    written = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    assert written == script().page(), "run scripts/methods_table.py"


def test_every_objective_domain_and_solver_has_its_row():
    page = script().page()
    for name in [*Objective.registry, *Domain.registry]:
        assert page.count(f"\n| {name} |") >= 1
    for name, kind in Solver.registry.items():
        (row,) = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
        assert kind.guarantee.replace("|", "\\|") in row
        assert "|  |" not in row  # no empty cell


def test_every_source_is_in_the_references():
    import re

    known = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")
    cited = set(re.findall(r"\[([a-z]+\d{4})", script().page()))
    assert cited
    assert not [key for key in sorted(cited) if f"| {key} |" not in known]
