"""Provenance of a fit: what one needs to make it again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from partita.report.fit_report import FitReport
from partita.report.html import Markup, element, join

__all__ = ["made", "provenance"]


def provenance(report: FitReport) -> Markup:
    """Run, parameters, versions and command."""
    result = report.estimator.result_
    restarts = len(result.restarts)
    products = f"{result.n_products:,}"
    if restarts > 1:
        products += f" (best restart), {result.total_products:,} (all)"
    run = [
        ("Source", report.source),
        ("Model", type(report.estimator).__name__),
        ("Objective", f"{result.objective_name}: {result.objective:.6g}"),
        ("Solver", result.solver_name),
        ("Status", result.status.replace("_", " ")),
        ("Restarts", f"{restarts:,}"),
        ("Iterations", f"{result.n_iter:,}" + (" (best restart)" if restarts > 1 else "")),
        ("Products with the affinity", products),
        ("Scale", _scale(result.scale)),
        ("Seconds", seconds_said(report.seconds, f"{result.seconds:.2f} in the solver")),
        ("Seed", "none: another run may differ" if result.seed is None else str(result.seed)),
    ]
    return made(run, report.parameters, report.versions, report.command)


def made(
    run: Iterable[tuple[str, str]], parameters: Mapping[str, object], versions: Mapping[str, str], command: str | None
) -> Markup:
    """Return the table of what is known of a run, side by side, and the command below."""
    given = [(name, "none" if value is None else str(value)) for name, value in parameters.items()]
    blocks = [_block("Run", run)]
    if given:
        blocks.append(_block("Parameters", given))
    if versions:
        blocks.append(_block("Versions", versions.items()))
    parts = [element("div", *blocks, class_="pairs")]
    if command:
        parts += [element("h3", "Command"), element("pre", element("code", command))]
    return join(parts)


def _block(title: str, rows: Iterable[tuple[str, str]]) -> Markup:
    """A small table of names and values."""
    body = [element("tr", element("th", name, scope="row"), element("td", value)) for name, value in rows]
    return element("div", element("h3", title), element("table", element("tbody", *body)))


def seconds_said(total: float | None, part: str) -> str:
    """Return the seconds of a part, after those of the run where they are known.

    >>> seconds_said(1.5, "1.20 in the search"), seconds_said(None, "1.20 in the search")
    ('1.50 in all, 1.20 in the search', '1.20 in the search')
    """
    return part if total is None else f"{total:.2f} in all, {part}"


def _scale(scale: Iterable[float]) -> str:
    values = [f"{value:.4g}" for value in scale]
    return values[0] if len(set(values)) == 1 else ", ".join(values)
