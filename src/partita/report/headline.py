"""Three sentences on a fit: what there is, how sure that is, what to doubt. The same in terminal, page and JSON."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from partita.estimators.base import FactorizationEstimator
from partita.wording import items, listed, percent

__all__ = ["AGREED", "ERROR", "OUTLIER", "agreement", "headline"]

# From this probability an item counts as an outlier, and the error that the set of confident items keeps.
OUTLIER, ERROR = 0.5, 0.05
# A number of clusters with this probability is not worth a doubt, and one below it not worth naming.
SETTLED, LIKELY = 0.9, 0.1
# Mean adjusted Rand index of unlike methods with each other below which a number of clusters that was given is in doubt
# (`benchmarks/n_clusters.py --given`).
AGREED = 0.5
# Two clusters whose items are together with this probability are hard to tell apart.
BLURRED = 0.1
# Share of a cluster's items from which it is mostly outliers.
MOSTLY = 0.5
# Share of all items that lie between two clusters from which that is worth a word.
WORTH = 0.01
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
    90 items are in 3 clusters of 30, 30 and 30 items.
    More than 99.9% of the labels are expected to be right, given that there are 3 clusters, on which unlike methods
    agree by 1.00 (1 is full agreement).
    Nothing stands out to be doubted.
    """
    if not model._knows_doubt:
        return (_what(model),)
    if not hasattr(model, "_given"):
        return _what(model), _how_sure(model)
    return _what(model), _how_sure(model), _what_to_doubt(model)


def _what(model: FactorizationEstimator) -> str:
    sizes = np.bincount(model.labels_, minlength=model.n_clusters_)
    n, K = len(model.labels_), model.n_clusters_
    verb = "is" if n == 1 else "are"
    if K == 1:
        what = f"{items(n)} {verb} one cluster"
    elif K <= LISTED:
        what = f"{items(n)} {verb} in {K} clusters of {listed([f'{size:,}' for size in sizes])} items"
    elif sizes.min() == sizes.max():
        what = f"{items(n)} {verb} in {K} clusters of {items(int(sizes[0]))} each"
    else:
        what = f"{items(n)} {verb} in {K} clusters of {sizes.min():,} to {sizes.max():,} items"
    outliers = int((model.outlier_ > OUTLIER).sum()) if model._knows_doubt else 0
    if not outliers:
        return f"{what}."
    return f"{what}; {items(outliers)} ({percent(outliers / n)}) probably belong{'s' if outliers == 1 else ''} to none."


def _how_sure(model: FactorizationEstimator) -> str:
    K, right = model.n_clusters_, float(model.certainty_.mean())
    verdict = getattr(model, "verdict_", None)
    if K == 1 and verdict is not None:
        return f"That there is one cluster has a probability of {verdict.probabilities[0]:.2f}."
    chosen = verdict is not None or not hasattr(model, "_given")
    given = (
        "" if chosen else f", given that there {'is 1 cluster' if K == 1 else f'are {K} clusters'}{_as_others(model)}"
    )
    share = percent(right)
    said = f"{share[:1].upper()}{share[1:]} of the labels are expected to be right{given}"
    found = model.confident(ERROR)
    if right >= 1 - ERROR:
        return f"{said}."
    if not found.mask.any():
        return f"{said}; there is no set of items of which at most {percent(ERROR)} would be wrong."
    return f"{said}; of {items(int(found.mask.sum()))} ({percent(found.coverage)}) at most {percent(ERROR)} are wrong."


def _what_to_doubt(model: FactorizationEstimator) -> str:
    doubts = [*_number(model), *_background(model), *_blur(model)]
    if not doubts:
        return "Nothing stands out to be doubted."
    said = "; ".join(doubts)
    return f"{said[:1].upper()}{said[1:]}."


def agreement(model: FactorizationEstimator) -> float | None:
    """Return how far unlike methods agree at the number of clusters that was given; None where there are none.

    The mean adjusted Rand index of the clusterings behind a fit with those of the other methods: 1 where all found the
    same clusters, 0 where no more than chance would have it.
    """
    draws, K = getattr(model, "ensemble_", ()), model.n_clusters
    if not isinstance(K, Integral) or K == 1 or len({draw.method for draw in draws}) < 2:
        return None
    return float(np.mean([draw.agreement for draw in draws]))


def _as_others(model: FactorizationEstimator) -> str:
    agreed = agreement(model)
    if agreed is None or agreed < AGREED or model.n_clusters != model.n_clusters_:
        return ""
    return f", on which unlike methods agree by {agreed:.2f} (1 is full agreement)"


def _number(model: FactorizationEstimator) -> list[str]:
    verdict, K = getattr(model, "verdict_", None), model.n_clusters_
    agreed = agreement(model)
    if agreed is not None and agreed < AGREED:
        little = f"unlike methods agree on {model.n_clusters} clusters by {agreed:.2f} only"
        return [f"{little} (1 is full agreement, 0 chance): leave the number open to have it found"]
    if verdict is None:
        return []
    p = verdict.probabilities
    own = float(p[K - 1]) if len(p) >= K else 0.0
    if own >= SETTLED:
        return []
    order = [int(k) + 1 for k in np.argsort(-p, kind="stable") if k + 1 != K and p[k] >= LIKELY][:2]
    named = [(K, own)] * (K > 1) + [(k, float(p[k - 1])) for k in order]  # of one cluster it was told already
    said = [f"{k} has {'' if at else 'a probability of '}{value:.2f}" for at, (k, value) in enumerate(named)]
    return [f"the number of clusters is not certain{f': {listed(said)}' if said else ''}"]


def _background(model: FactorizationEstimator) -> list[str]:
    """Clusters that are outliers for the most part: a background that methods gave a cluster of its own."""
    outlier = model.outlier_ > OUTLIER
    mostly = [k for k in range(model.n_clusters_) if outlier[model.labels_ == k].mean() > MOSTLY]
    if not mostly or model.n_clusters_ == 1:
        return []
    which = listed([str(k) for k in mostly])
    return [f"cluster{'' if len(mostly) == 1 else 's'} {which} {'is' if len(mostly) == 1 else 'are'} mostly outliers"]


def _blur(model: FactorizationEstimator) -> list[str]:
    """The two clusters that are hardest to tell apart."""
    K = model.n_clusters_
    if K == 1:
        return []
    layer = model.layers()[K]
    shared = np.where(np.eye(K, dtype=bool), -1.0, layer.together)
    a, b = sorted(int(one) for one in np.unravel_index(shared.argmax(), shared.shape))
    between = layer.between(a, b)
    if shared[a, b] < BLURRED and len(between) < WORTH * len(model.labels_):
        return []
    said = f"clusters {a} and {b} are hardest to tell apart"
    lie = f"{items(len(between))} lie{'s' if len(between) == 1 else ''} between them, and " if len(between) else ""
    return [f"{said}: {lie}two items, one of each, are in one cluster with a probability of {shared[a, b]:.2f}"]
