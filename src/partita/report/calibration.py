"""Sentences about a calibration: a pure function, so that the wording is tested like code."""

from __future__ import annotations

import numpy as np

from partita.calibration import Calibration
from partita.report.verdict import Sentence
from partita.report.words import percent

__all__ = ["calibration_sentences"]

KINDS = {
    "full": "Gaussian",
    "student": "Student",
    "tied": "Gaussian, with one covariance",
    "diagonal": "Gaussian, with independent directions",
}
# Share of items on which fits to either half agree below which the clusters themselves are in doubt.
SHAKY = 0.8
# A temperature from which memberships were softened enough to say so.
WARM = 1.05


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
            f"items less well (BIC an item {others[0].bic:.3f} against {c.alternatives[0].bic:.3f})."
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
