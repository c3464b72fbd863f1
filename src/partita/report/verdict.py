"""Sentences on a fit: a pure function of the result, so that the wording is tested like code.

Nothing here knows of HTML or files. Every sentence carries its topic and its tone: "plain" is a fact, "caution" a
reason to trust the fit less, which a page should not let anyone overlook.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from partita.membership import Membership
from partita.metrics import adjusted_rand_index
from partita.objectives import Objective
from partita.objectives.domain import SIMPLEX
from partita.solvers import SolveResult
from partita.wording import listed, percent

__all__ = ["Sentence", "verdict"]

Topic = Literal[
    "clusters",
    "certainty",
    "evidence",
    "restarts",
    "convergence",
    "model",
    "notes",
    "ball",
    "chains",
    "modes",
]

# An item whose two largest memberships differ by at least this is sure of its cluster.
SURE_MARGIN = 0.2
# Restarts within this of the best objective, relatively, count as equal to it.
SAME_OBJECTIVE = 1e-3
# Adjusted Rand index from which two partitions count as the same.
SAME_PARTITION = 0.99
# Memberships are nearly flat if their mean largest one is less than this part of the way from 1/K to 1.
FLAT = 0.25
# A relative residual from which the rest of the evidence is worth a sentence.
DETAIL_LEFT = 0.3
# Up to this many clusters their sizes are listed.
LIST_SIZES = 10


@dataclass(frozen=True)
class Sentence:
    """One sentence of the verdict."""

    topic: Topic
    text: str
    tone: Literal["plain", "caution"] = "plain"


def verdict(result: SolveResult, *, model: str, n_init: int | None = None) -> tuple[Sentence, ...]:
    """Return the verdict on a fit.

    Parameters
    ----------
    result : SolveResult
    model : str
        Name of the estimator's class.
    n_init : int, optional
        Restarts that were asked for, where fewer may have been run.

    Returns
    -------
    tuple of Sentence
        Facts in the order a reader asks for them; cautions among them, each with what to do.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from partita import SoF
    >>> model = SoF(3, random_state=0).fit(load_iris().data)
    >>> verdict(model.result_, model="SoF")[-1].text
    'The fit converged in 4 iterations.'
    """
    membership = result.membership
    sentences = [
        *_clusters(membership),
        *_certainty(membership),
        *_evidence(result, model),
        *_restarts(result, n_init),
        *_convergence(result),
    ]
    sentences += [Sentence("notes", f"{note[:1].upper()}{note[1:].rstrip('.')}.") for note in result.notes]
    return tuple(sentences)


def _clusters(membership: Membership) -> list[Sentence]:
    K, empty = membership.n_clusters, np.flatnonzero(membership.sizes == 0)
    if not len(empty):
        return []
    which = listed([str(k) for k in empty])
    text = (
        f"{'Cluster' if len(empty) == 1 else 'Clusters'} {which} {'is' if len(empty) == 1 else 'are'} empty: no "
        f"item has its largest membership there. The evidence may hold fewer than {K} clusters; try "
        f"K = {K - len(empty)}."
    )
    return [Sentence("clusters", text, "caution")]


def _certainty(membership: Membership) -> list[Sentence]:
    K = membership.n_clusters
    if K == 1:
        return []
    if _is_flat(membership):
        text = (
            f"The memberships are nearly flat: with {K} clusters, 1/K = {1 / K:.2f} is what an item gets that belongs "
            "everywhere alike. Read the labels as weak hints and the probabilities not at all."
        )
        return [Sentence("certainty", text, "caution")]
    if float((membership.margin >= SURE_MARGIN).mean()) < 0.5:
        text = (
            f"Most items are unsure: the evidence does not set these {K} clusters apart. Try fewer clusters or another "
            "affinity, and read the labels as tendencies."
        )
        return [Sentence("certainty", text, "caution")]
    return []


def _evidence(result: SolveResult, model: str) -> list[Sentence]:
    misfit, K = result.misfit, result.membership.n_clusters
    if misfit < 1:
        share = percent(1 - misfit**2)
        text = f"The memberships reproduce {share} of the evidence's sum of squares (relative residual {misfit:.2f})."
        if misfit >= DETAIL_LEFT:
            text += (
                " The rest is structure inside clusters, of which a neighbour graph has much, and noise; compare this "
                "figure only between fits to the same evidence."
            )
    else:
        text = (
            f"The relative residual is {misfit:.2f}: the memberships reproduce the evidence no better than zeros would."
        )
    out = [Sentence("evidence", text)]
    objective = Objective.registry.get(result.objective_name)
    fixed = objective is not None and objective.scales == "fixed" and objective.domain is SIMPLEX
    if fixed and K > 1 and (misfit > 1 or _is_flat(result.membership)):
        text = (
            f"{model} compares the evidence with co-memberships at scale 1, and this evidence is too weak for that: "
            f"the mean co-membership in {K} clusters cannot fall below 1/K = {1 / K:.2f}. The memberships went soft to "
            "make up for it: the labels mean something, the probabilities little. Fit again with --model soft "
            "(SoftClustering), which learns the scale."
        )
        out.append(Sentence("model", text, "caution"))
    elif misfit >= 1:
        text = "The evidence is not explained: look at its picture, and try another affinity or number of clusters."
        out.append(Sentence("evidence", text, "caution"))
    return out


def _restarts(result: SolveResult, n_init: int | None) -> list[Sentence]:
    restarts = result.restarts
    n = len(restarts)
    out: list[Sentence] = []
    if n_init is not None and n < n_init and not result.notes:
        out.append(Sentence("restarts", f"Only {n} of {n_init} restarts were run.", "caution"))
    if n < 2:
        start = f" (from the {restarts[0].start} start)" if n and restarts[0].start != "given" else ""
        out.append(
            Sentence(
                "restarts", f"One restart was run{start}; whether another start would end elsewhere was not tried."
            )
        )
        return out
    objective = np.array([restart.objective for restart in restarts])
    floor = objective[result.best]
    close = objective - floor <= SAME_OBJECTIVE * abs(floor)
    agreement = _agreement(result)
    same = agreement >= SAME_PARTITION
    text = (
        f"{_of(int(close.sum()), n)} restarts ended within 0.1% of the best objective and "
        f"{_of(int(same.sum()), n).lower()} in the same partition (adjusted Rand index of at least {SAME_PARTITION} "
        f"with the best; the lowest is {agreement.min():.2f})."
    )
    out.append(Sentence("restarts", text))
    if close.sum() == 1:
        text = f"The best objective was found only once: more restarts (--n-init {2 * n}) may find a better one."
        out.append(Sentence("restarts", text, "caution"))
    elif agreement[close].min() < 0.9:
        text = (
            "Restarts with nearly the same objective disagree about the partition (adjusted Rand index down to "
            f"{agreement[close].min():.2f}): the evidence does not settle it, and this is one answer of several."
        )
        out.append(Sentence("restarts", text, "caution"))
    return out


def _convergence(result: SolveResult) -> list[Sentence]:
    steps = f"{result.n_iter:,} iteration{'' if result.n_iter == 1 else 's'}"
    match result.status:
        case "converged":
            return [Sentence("convergence", f"The fit converged in {steps}.")]
        case "max_iter":
            text = f"Not converged: stopped after {steps}, the most allowed. Raise max_iter, or take this as a draft."
        case "max_seconds":
            text = f"Not converged: time was up after {steps}. Raise --max-seconds, or take this as a draft."
        case "interrupted":
            text = f"Interrupted after {steps}: this is the best membership up to then, not the end of the fit."
    return [Sentence("convergence", text, "caution")]


def _agreement(result: SolveResult) -> NDArray[np.float64]:
    best = result.restarts[result.best].labels
    return np.array([adjusted_rand_index(restart.labels, best) for restart in result.restarts])


def _is_flat(membership: Membership) -> bool:
    K = membership.n_clusters
    return K > 1 and float(membership.matrix.max(axis=1).mean()) < 1 / K + FLAT * (1 - 1 / K)


def _of(n: int, total: int) -> str:
    return f"All {total}" if n == total else f"{n} of {total}"
