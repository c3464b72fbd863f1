"""What is behind the answer of a fit, folded: criteria, probabilities, clusterings, the optimizer, provenance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from partita.calibration import Calibration
from partita.ensemble import Draw, LatentClasses
from partita.report.document import figure, folded, told
from partita.report.fit_report import FitReport
from partita.report.html import Markup, element, join, table
from partita.report.n_clusters import behind_the_number
from partita.report.pictures import Picture
from partita.report.provenance import made, seconds_said
from partita.report.verdict import Sentence
from partita.wording import percent

__all__ = ["MethodRow", "behind", "calibration_sentences", "method_rows"]

KINDS = {
    "full": "Gaussian",
    "student": "Student",
    "tied": "Gaussian, with one covariance",
    "diagonal": "Gaussian, with independent directions",
}
# What clusterings of an ensemble are weighted by, where their number was given and where it was found.
WEIGHTED = {
    False: "its agreement with the other methods, or, for the components of a mixture, by the probability that these "
    "are the better clusters",
    True: "how valid its clusters are, or, where the components of a mixture are probably the better clusters, by the "
    "probability of their number",
}
# Share of items on which fits to either half agree below which the clusters themselves are in doubt.
SHAKY = 0.8
# A temperature from which memberships were softened enough to say so.
WARM = 1.05


def behind(report: FitReport, pictures: Mapping[str, Picture], sentences: Sequence[Sentence]) -> list[Markup]:
    """Return the folded parts; `sentences` are those on evidence, restarts and convergence, and on what was chosen."""
    chosen = [sentence for sentence in sentences if sentence.topic == "notes"]
    went = [sentence for sentence in sentences if sentence.topic != "notes"]
    return [
        folded("What is behind the number", behind_the_number(report)),
        folded("How sure the probabilities are", _probabilities(report), figure(pictures.get("reliability"))),
        folded("What the clusterings said", _ensemble(report)),
        folded("How the optimizer went", told(went), figure(pictures.get("evidence")), figure(pictures.get("trace"))),
        folded("How it was made", told(chosen), _provenance(report)),
    ]


# Probabilities


def calibration_sentences(calibration: Calibration) -> tuple[Sentence, ...]:
    """Return sentences on how the probabilities were calibrated, and how far that is borne out.

    >>> calibration_sentences(Calibration("fitted", "", 0, 0, 2.0, 1e-4, 0.95, None, ()))[1].text
    'They were softened by a temperature of 2.00, so as to be no surer than fits to other items bear out.'
    """
    c = calibration
    which = f"of {c.n_components:,} components ({KINDS.get(c.kind, c.kind)}) in {c.n_dimensions} dimensions"
    method = {
        "components": f"The probabilities are the posterior of a mixture {which}, one for each cluster.",
        "merged": f"The probabilities are the posterior of a mixture {which}; each cluster holds several of them.",
        "averaged": "The probabilities are memberships averaged over fits to 20 resamples of the items.",
        "fitted": "The probabilities are the fitted memberships: no density of the items could be used.",
    }
    out = [Sentence("certainty", method[c.method])]
    if c.temperature >= WARM:
        text = (
            f"They were softened by a temperature of {c.temperature:.2f}, so as to be no surer than fits to other "
            "items bear out."
        )
        out.append(Sentence("certainty", text))
    others = [a for a in c.alternatives[1:] if np.isfinite(a.bic)]
    if others and c.alternatives[0].agreement < 1:
        text = (
            f"{percent(c.alternatives[0].agreement)} of the items stayed in the cluster that the fit had put them in; "
            f"the other reading, {others[0].method}, would have kept {percent(others[0].agreement)} and explains the "
            f"items less well (log-likelihood an item less the penalty of BIC: {others[0].bic:.3f} against "
            f"{c.alternatives[0].bic:.3f})."
        )
        out.append(Sentence("certainty", text))
    if np.isnan(c.stability):
        text = "Nothing could be held out, so that it is not known how far the probabilities are borne out."
        out.append(Sentence("certainty", text, "caution"))
    elif c.stability < SHAKY:
        text = (
            f"Fits to two halves of the items agree on {percent(c.stability)} of them only: the clusters themselves "
            "are in doubt, not just the items between them."
        )
        out.append(Sentence("certainty", text, "caution"))
    else:
        out.append(Sentence("certainty", f"Fits to two halves of the items agree on {percent(c.stability)} of them."))
    return tuple(out)


def _probabilities(report: FitReport) -> Markup:
    calibration = getattr(report.estimator, "calibration_", None)
    if calibration is None or report.estimator.n_clusters_ == 1:
        return Markup("")
    return told(calibration_sentences(calibration))


# Clusterings


@dataclass(frozen=True)
class MethodRow:
    """A method of an ensemble: weight summed, agreements averaged over its draws; `n_clusters` as "3" or "2-4"."""

    idea: str
    n_draws: int
    n_clusters: str
    weight: float
    agreement: float
    with_result: float


def method_rows(draws: Sequence[Draw]) -> list[MethodRow]:
    """Return one row a method, in the order of their first draws."""
    rows = []
    for method in dict.fromkeys(draw.method for draw in draws):
        own = [draw for draw in draws if draw.method == method]
        low, high = min(d.n_clusters for d in own), max(d.n_clusters for d in own)
        rows.append(
            MethodRow(
                own[0].idea,
                len(own),
                str(low) if low == high else f"{low}-{high}",
                sum(d.weight for d in own),
                float(np.mean([d.agreement for d in own])),
                float(np.mean([d.agreement_with_result for d in own])),
            )
        )
    return rows


def _ensemble(report: FitReport) -> Markup:
    """Table of the ensemble that the evidence was made of, a row a method."""
    methods = method_rows(getattr(report.estimator, "ensemble_", ()))
    if not methods or report.estimator.n_clusters_ == 1:  # one cluster by every method, which says nothing
        return Markup("")
    weighted = WEIGHTED[hasattr(report.estimator, "verdict_")]
    said = (
        "The evidence that two items belong together is the share of these clusterings that say so, each weighted by "
        f"{weighted}. Agreement, with the others and with the result, is the adjusted Rand index: 0 by chance, 1 for "
        "the same partition. A method that agrees little with the result would have said something else. The share is "
        "that of the evidence."
    )
    if [m.idea for m in methods] == [LatentClasses.idea]:
        words = (
            "The evidence that two items belong together is the probability that they are of one class, by a latent "
            "class model: within a class the categorical columns are independent."
        )
        return element("p", words)
    heads = ["Method", "Draws", "Clusters", "Share", "With the others", "With the result"]
    rows = [
        [m.idea, m.n_draws, m.n_clusters, f"{100 * m.weight:.0f}%", f"{m.agreement:.2f}", f"{m.with_result:.2f}"]
        for m in methods
    ]
    return join([element("p", said), table(heads, rows, numeric=(1, 3, 4, 5), long=(0,), label="Clusterings")])


# Provenance


def _provenance(report: FitReport) -> Markup:
    """Run, parameters, versions and command, as far as they are known."""
    result = getattr(report.estimator, "result_", None)
    run = [*[("Source", report.source)] * bool(report.source), ("Model", type(report.estimator).__name__)]
    if result is not None:
        n = len(result.restarts)
        products = f"{result.n_products:,}" + (f" (best restart), {result.total_products:,} (all)" if n > 1 else "")
        run += [
            ("Objective", f"{result.objective_name}: {result.objective:.6g}"),
            ("Relative residual", f"{result.misfit:.3f}"),
            ("Solver", result.solver_name),
            ("Status", result.status.replace("_", " ")),
            ("Restarts", f"{n:,}"),
            ("Iterations", f"{result.n_iter:,}" + (" (best restart)" if n > 1 else "")),
            ("Products with the affinity", products),
            ("Scale", _scale(result.scale)),
            ("Seconds", seconds_said(report.seconds, f"{result.seconds:.2f} in the solver")),
            ("Seed", "none: another run may differ" if result.seed is None else str(result.seed)),
        ]
    return made(run, report.parameters, report.versions, report.command, report.untouched)


def _scale(scale: Iterable[float]) -> str:
    values = [f"{value:.4g}" for value in scale]
    return values[0] if len(set(values)) == 1 else ", ".join(values)
