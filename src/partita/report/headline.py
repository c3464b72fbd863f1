"""Three sentences on a fit: what there is, how sure that is, what to doubt. The same in terminal, page and JSON."""

from __future__ import annotations

from contextlib import suppress
from numbers import Integral

import numpy as np

from partita.doubt import divided
from partita.doubt.layers import BETWEEN
from partita.ensemble.categories import Columns
from partita.ensemble.copies import is_lattice
from partita.estimators.base import FactorizationEstimator
from partita.estimators.doubtful import OUTLIER
from partita.n_clusters import Agreement, Verdict
from partita.report.doubtful_columns import codes_and_slips, skewed, totals
from partita.wording import count, in_digits, items, listed, percent

__all__ = ["AGREED", "ERROR", "OUTLIER", "agreement", "examine_number", "headline", "verdict_on"]

# The error that the set of confident items keeps.
ERROR = 0.05
# A number of clusters with this probability is not worth a doubt, and one below it not worth naming.
SETTLED, LIKELY = 0.9, 0.1
# Mean adjusted Rand index of different methods with each other below which clusters are in doubt
# (`benchmarks/n_clusters.py --given`).
AGREED = 0.5
# Two clusters whose items are together with this probability are hard to tell apart; one below it is not printed.
BLURRED, PRINTED = 0.1, 0.005
# Items from which something can be learned about clusters.
FEWEST = 3
# Nodes of a graph up to which a number of clusters that was given is examined: more take longer than the fit.
EXAMINED = 1000
# Certainty of a label below which it is more probably wrong than right.
DOUBTED = 0.5
# Share of a cluster's items from which it is mostly outliers.
MOSTLY = 0.5
# Share of all items from which the outliers of a single cluster may be a second one.
SCATTERED = 0.05
# Share of all items that may belong to either of two clusters from which that is worth a word.
WORTH = 0.01
# Rows to each distinct one from which that is worth a word.
COPIES = 2
# Up to this many clusters their sizes are listed.
LISTED = 6


def headline(model: FactorizationEstimator) -> tuple[str, ...]:
    """Return three sentences: what there is, how sure, what to doubt.

    Of a model that was loaded there are two, as what there was to doubt is not saved with it, and one of a model
    that an earlier version saved without outliers.

    Parameters
    ----------
    model : a fitted factorization

    Examples
    --------
    >>> from partita import SoftClustering
    >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 9], [0, 9]], 30, axis=0)
    >>> for sentence in headline(SoftClustering(3, random_state=0).fit(X)):
    ...     print(sentence)  # doctest: +NORMALIZE_WHITESPACE
    90 items are in 3 clusters of 30 items each.
    More than 99.9% of the labels are expected to be right, given that there are 3 clusters; different methods agree on
    these (mean adjusted Rand index 1.00).
    Whether 3 is the right number of clusters was not examined.
    """
    if not model._knows_doubt:
        return (_what(model),)
    if not hasattr(model, "_given"):
        return _what(model), _how_sure(model)
    return _what(model), _how_sure(model), _what_to_doubt(model)


def verdict_on(model: FactorizationEstimator) -> Verdict | None:
    """Return the verdict on the number of clusters, if the number was chosen or has been examined."""
    known: Verdict | None = getattr(model, "verdict_", None) or getattr(model, "_judged", None)
    return known


def certainty_counts(model: FactorizationEstimator) -> str:
    """Return what the certainty of labels counts: other numbers of clusters only where the number was found."""
    found = getattr(model, "verdict_", None) is not None
    return f"outliers{' and other numbers of clusters' if found else ''}"


def examine_number(model: FactorizationEstimator) -> None:
    """Have the number of clusters judged by unlike clustering methods where it was given, for the headline to say so.

    It takes about as long as to find the number. With a time limit, after an interruption, on larger graphs, and where
    only criteria could judge it, the number is not examined; nor where that fails, since the fit is there.
    """
    given = isinstance(model.n_clusters, Integral) and hasattr(model, "_given")
    if not given or model.max_seconds is not None:
        return
    if model.result_.status == "interrupted":
        return
    if model._builder_.pairwise and len(model.labels_) > EXAMINED:
        return
    with suppress(Exception):
        if model._examining().builder.of_draws:
            model.judge_n_clusters()


def _what(model: FactorizationEstimator) -> str:
    sizes = np.bincount(model.labels_, minlength=model.n_clusters_)
    n, K = len(model.labels_), model.n_clusters_
    verb = "is" if n == 1 else "are"
    if K == 1:
        what = f"{items(n)} {verb} one cluster"
    elif K <= LISTED and (K == 2 or sizes.min() < sizes.max()):
        what = f"{items(n)} {verb} in {K} clusters of {listed([f'{size:,}' for size in sizes])} items"
    elif sizes.min() == sizes.max():
        what = f"{items(n)} {verb} in {K} clusters of {items(int(sizes[0]))} each"
    else:
        what = f"{items(n)} {verb} in {K} clusters of {sizes.min():,} to {sizes.max():,} items"
    if missing := model._n_missing:
        what += f" ({missing + K} were asked for, and {missing} would hold no item)"
    outliers = int((model.outlier_ > OUTLIER).sum()) if model._knows_doubt else 0
    if not outliers:
        return f"{what}."
    return f"{what}; {items(outliers)} ({percent(outliers / n)}) probably belong{'s' if outliers == 1 else ''} to none."


def _how_sure(model: FactorizationEstimator) -> str:
    right = float(model.certainty_.mean())
    chosen = hasattr(model, "verdict_") or not hasattr(model, "_given")
    share = percent(right)
    said = f"{share[:1].upper()}{share[1:]} of the labels are expected to be right{'' if chosen else _on_number(model)}"
    if right >= 1 - ERROR:
        return f"{said}{'' if chosen else _as_others(model)}."
    found = model.confident(ERROR)
    if not found.mask.any():
        return f"{said}; there is no set of items of which at most {percent(ERROR)} would be wrong."
    n, share = int(found.mask.sum()), percent(found.coverage)
    if n == 1:
        return (
            f"{said}; only 1 item ({share}) has a label that is wrong with a probability of at most {percent(ERROR)}."
        )
    surest = f"{items(n)} ({share}) whose labels are surest"
    return f"{said}; of the {surest}, at most {percent(ERROR)} are expected to be wrong."


def _on_number(model: FactorizationEstimator) -> str:
    """Which number of clusters is taken as true: the one that was given, or that a model found without a verdict."""
    K = model.n_clusters_ + model._n_missing
    number = "is 1 cluster" if K == 1 else f"are {K} clusters"
    if isinstance(model.n_clusters, Integral):
        return f", given that there {number}"
    return f", if there {number}, as the model found"


def _what_to_doubt(model: FactorizationEstimator) -> str:
    of_input = _few, _missing, _copies, codes_and_slips, skewed, totals, _apart
    of_answer = _number, _bounds, _divided, _hidden, _disagreement, _background, _blur, _labels
    doubts = [doubt for source in (*of_input, *of_answer) for doubt in source(model)]
    if not doubts:
        kept = model.outlier_ <= OUTLIER
        if not kept.any() or model.certainty_[kept].mean() < 1 - ERROR:
            return "No single doubt stands out: many items are a little uncertain."
        beside = "" if kept.all() else " beside the items that probably belong to none"
        return f"Nothing stands out to be doubted{beside}."
    said = "; ".join(doubts)
    return f"{said[:1].upper()}{said[1:]}."


def agreement(model: FactorizationEstimator) -> float | None:
    """Return how far different methods agree at the number of clusters of a fit; None where there are none.

    The mean adjusted Rand index of their clusterings with those of the other methods: 1 where all found the same
    clusters, 0 where no more than chance would have it.
    """
    if model.n_clusters_ == 1:
        return None
    found = getattr(model, "_consensus", None)
    if found is not None:
        return float(found.agreement_at(model.n_clusters_))
    draws, K = getattr(model, "ensemble_", ()), model.n_clusters
    if not isinstance(K, Integral) or len({draw.method for draw in draws}) < 2:
        return None
    return float(np.mean([draw.agreement for draw in draws]))


def _as_others(model: FactorizationEstimator) -> str:
    agreed, verdict = agreement(model), verdict_on(model)
    if agreed is None or agreed < AGREED or model.n_clusters != model.n_clusters_:
        return ""
    if verdict is not None and verdict.n_clusters != model.n_clusters_:  # they agree on another number
        return ""
    return f"; different methods agree on these (mean adjusted Rand index {agreed:.2f})"


def _few(model: FactorizationEstimator) -> list[str]:
    n = len(model.labels_)
    return [f"nothing can be learned about clusters from {items(n)}"] if n < FEWEST else []


def _missing(model: FactorizationEstimator) -> list[str]:
    missing = model._n_missing
    which = f"{missing} of the {missing + model.n_clusters_} clusters asked for {'was' if missing == 1 else 'were'}"
    return [f"{which} not found, which counts against every label"] * (missing > 0)


def _copies(model: FactorizationEstimator) -> list[str]:
    """Rows of numbers most of which are copies, where methods see only how the distinct ones lie."""
    item = model._item_of_row[model._item_of_row >= 0]
    counts = np.bincount(item)
    if model._knows_pairs or model._n_missing or len(counts) * COPIES > len(item):
        return []
    if len(counts) == 1:
        return [f"all {len(item):,} rows are equal"]
    X = model._complete_features()[np.unique(model._item_of_row, return_index=True)[1][-len(counts) :]]
    if Columns.of(X).blocks or is_lattice(X, counts.astype(np.float64)):
        return []
    return [f"only {len(counts):,} of {len(item):,} rows are distinct, and clusters are looked for among these"]


def _apart(model: FactorizationEstimator) -> list[str]:
    """Cannot-links that end in one cluster: there were too few clusters to hold them all."""
    given = model._given.cannot_link
    pairs = np.empty((0, 2), dtype=np.intp) if given is None else np.asarray(given).reshape(-1, 2)
    pairs = np.unique(np.sort(pairs.astype(np.intp), axis=1), axis=0)
    first, second = model.labels_[pairs].T
    broken = int((first == second).sum())
    return [f"{broken:,} of {len(pairs):,} cannot-links end in one cluster"] if broken else []


def _number(model: FactorizationEstimator) -> list[str]:
    verdict, given = verdict_on(model), isinstance(model.n_clusters, Integral)
    K = int(model.n_clusters) if given else model.n_clusters_
    if verdict is None:
        unknown = given and len(model.labels_) >= FEWEST
        return [f"whether {K} is the right number of clusters was not examined"] if unknown else []
    p, own = verdict.probabilities, verdict.probability_of(K)
    if own >= SETTLED or (not given and model._n_missing):  # it ended below the bounds, which is said
        return []
    if given and verdict.n_clusters != K:
        asked = f"{count(K, 'cluster')} {'was' if K == 1 else 'were'} asked for (probability {in_digits(own)})"
        found = f"{count(verdict.n_clusters, 'cluster')} would be found (probability {verdict.sure:.2f})"
        return [f"{asked}, where {found}"]
    order = [int(k) + 1 for k in np.argsort(-p, kind="stable") if k + 1 != K and p[k] >= LIKELY][:2]
    named = [(K, own), *((k, float(p[k - 1])) for k in order)]
    said = [f"{k} has {'' if at else 'a probability of '}{value:.2f}" for at, (k, value) in enumerate(named)]
    doubt = f"the number of clusters is not certain{f': {listed(said)}' if said else ''}"
    by_methods = verdict.judgements[-1].criterion == Agreement.name
    if by_methods and verdict.n_clusters == K > 1 and order and p[order[0] - 1] > own:
        draws = getattr(model, "_consensus", None)
        of_mixture = draws is not None and draws.by_components
        has = "of components of a mixture, which are probably the better clusters"
        doubt += f" (the answer is the clustering {has if of_mixture else 'that has most in common with all others'})"
    return [doubt]


def _bounds(model: FactorizationEstimator) -> list[str]:
    """That the number is at the edge of those that were asked for: one outside them may be more probable."""
    if not isinstance(model.n_clusters, tuple | list):
        return []
    (least, most), K = model.n_clusters, model.n_clusters_
    if least == most:
        return [f"no other number of clusters than {least} was considered, as was asked"]
    if not 1 < K <= least and most != K:
        return []
    asked = f"{least} or more" if most is None else f"{least} to {most}"
    return [f"other numbers of clusters than {asked} were left out, as was asked, and {max(K, least)} is at their edge"]


def _divided(model: FactorizationEstimator) -> list[str]:
    """Clusters that may be several, where their number was found: a mixture has components that no valley parts."""
    within = model._within()
    if within is None:
        return []
    of_others = [float((1.0 - within.of_one[model.labels_ == k]).mean()) for k in range(model.n_clusters_)]
    likely = np.flatnonzero(divided(within.depth, model._agreement_on_number()) * of_others >= LIKELY)
    if not len(likely):
        return []
    which = "the cluster" if model.n_clusters_ == 1 else f"cluster {likely[0]}"
    if len(likely) == 1:
        return [
            f"{which} may be several: a mixture describes its items best by {within.n_components[likely[0]]} components"
        ]
    which = f"clusters {listed([str(k) for k in likely])}" if len(likely) <= LISTED else f"{len(likely)} clusters"
    return [f"{which} may be several each: a mixture describes their items best by two components or more"]


def _hidden(model: FactorizationEstimator) -> list[str]:
    """Of one cluster that was found: what nothing would show."""
    found = model.n_clusters_ == 1 and getattr(model, "verdict_", None) is not None
    return ["clusters that overlap far enough look like one"] * (
        found and model.verdict_.sure < 1 and not _divided(model)
    )


def _disagreement(model: FactorizationEstimator) -> list[str]:
    agreed = agreement(model)
    if agreed is None or agreed >= AGREED:
        return []
    return [f"different methods agree little on these clusters (mean adjusted Rand index {agreed:.2f})"]


def _background(model: FactorizationEstimator) -> list[str]:
    """Clusters that consist mostly of outliers, to which methods gave a cluster of their own; and many outliers of a
    single cluster, which may be a second one.
    """
    outlier = model.outlier_ > OUTLIER
    if model.n_clusters_ == 1 and hasattr(model, "verdict_") and outlier.sum() >= max(FEWEST, SCATTERED * len(outlier)):
        return [f"the {items(int(outlier.sum()))} that probably belong to none may be a second, sparse cluster"]
    share = [float(outlier[model.labels_ == k].mean()) for k in range(model.n_clusters_)]
    mostly = [k for k, outliers in enumerate(share) if outliers > MOSTLY]
    if not mostly or model.n_clusters_ == 1:
        return []
    which, one = listed([str(k) for k in mostly]), len(mostly) == 1
    most = "" if all(share[k] == 1.0 for k in mostly) else "mostly "
    return [f"cluster{'' if one else 's'} {which} consist{'s' if one else ''} {most}of outliers"]


def _labels(model: FactorizationEstimator) -> list[str]:
    """Labels that are more probably wrong than right, outliers left out."""
    outlier = model.outlier_ > OUTLIER
    n = int(((model.certainty_ < DOUBTED) & ~outlier).sum())
    if n < WORTH * len(model.labels_) or model.n_clusters_ == 1 or model._n_missing:  # said of all labels
        return []
    has = "has a label that is" if n == 1 else "have labels that are"
    aside = ", not counting outliers" if outlier.any() else ""
    return [f"{items(n)} ({percent(n / len(model.labels_))}) {has} more probably wrong than right{aside}"]


def _blur(model: FactorizationEstimator) -> list[str]:
    """The two clusters that are hardest to tell apart."""
    K = model.n_clusters_
    if K == 1:
        return []
    layer = model.layers()[K]
    shared = np.where(np.eye(K, dtype=bool), -1.0, layer.together)
    a, b = sorted(int(one) for one in np.unravel_index(shared.argmax(), shared.shape))
    between, together = layer.between(a, b), float(shared[a, b])
    if together < BLURRED and len(between) < WORTH * len(model.labels_):
        return []
    belong = "belongs" if len(between) == 1 else "belong"
    either = f"{belong} to either with a probability of at least {BETWEEN:g}"
    whose = items(len(between)) if K == 2 else f"{len(between):,} of their items"
    lie = f"{whose} {either}" if len(between) else ""
    share = f"an item of one and an item of the other are together with a probability of {together:.2f}"
    said = ", and ".join(filter(None, (lie, share if together >= PRINTED else "")))
    return [said if K == 2 else f"clusters {a} and {b} are hardest to tell apart: {said}"]
