"""Sentences on the quality of a partition from draws, tested like code.

Facts come first, in the order in which a reader asks: what was found, how far the draws are from it, which items are
certain, whether the search, the chains and the modes agree. Whatever is a reason to trust it less is a caution, with
what to do about it.
"""

from __future__ import annotations

import numpy as np

from partita.estimators.bayesian_partition import LARGE_MISFIT, UNCOMPARED
from partita.estimators.partition_notes import MODES
from partita.membership import Membership
from partita.partition.chains import ENOUGH
from partita.partition.credible_ball import CredibleBall
from partita.partition.losses import PartitionLoss
from partita.report.partition_doubts import CERTAIN, DOUBTFUL, what_to_doubt
from partita.report.partition_report import PartitionReport
from partita.report.verdict import LIST_SIZES, Sentence
from partita.wording import ROUNDING, items, listed, percent

__all__ = [
    "distance_words",
    "expected_words",
    "one_mode_words",
    "partition_headline",
    "partition_verdict",
    "weight_words",
]

# Items from which a credible ball is worth a headline.
FEW = 6
# Tails of the distribution of K that are left out, each.
TAIL = 0.05
# Share of the draws from which the second most frequent partition is told.
OFTEN = 0.1


def partition_verdict(report: PartitionReport) -> tuple[Sentence, ...]:
    """Return the verdict on a partition.

    Examples
    --------
    >>> from partita import BayesianPartition
    >>> model = BayesianPartition(random_state=0).fit([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]])
    >>> report = PartitionReport("", "", [], model, model.credible_ball(), {}, 0.0, {}, None)
    >>> partition_verdict(report)[0].text
    '4 items were divided into 2 clusters of 2 and 2 items, from 3 draws (2 different partitions).'
    """
    return (
        *_clusters(report),
        *_ball(report),
        *_counts(report),
        *_certainty(report),
        *_search(report),
        *_modes(report),
        *_chains(report),
        *_membership(report),
        *(
            Sentence("notes", _whole(note), "caution")
            for note in report.estimator.notes_
            if not note.startswith(MODES)  # told above, with K
        ),
    )


def partition_headline(report: PartitionReport) -> tuple[str, ...]:
    """Return three sentences: what there is, how sure, what to doubt most.

    >>> from partita import BayesianPartition
    >>> model = BayesianPartition(random_state=0).fit([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]])
    >>> for sentence in partition_headline(PartitionReport.of(model)):
    ...     print(sentence)
    4 items were divided into 2 clusters of 2 and 2 items, from 3 draws (2 different partitions).
    On average an item is in the matching cluster in 92% of the draws.
    3 draws are too few to be a posterior sample; 1 item is in the matching cluster in fewer than 70% of the draws.
    """
    what = _clusters(report)[0].text
    if report.certainty is None:
        close = percent(float(report.within.mean()))
        sure = f"On average two items of a cluster are together in {close} of the draws that have both."
        return what, sure, what_to_doubt(report)
    mean = percent(float(report.certainty.matched.mean()))
    sure = f"On average an item is in the matching cluster in {mean} of the draws"
    ball = report.ball
    if ball is not None and ball.radius > 0 and report.n_items >= FEW:
        few, many = ball.upper[0].n_clusters, ball.lower[0].n_clusters
        have = _clusters_of(few) if few == many else f"{few} to {many} clusters"
        radius = _radius(ball, report.n_items)
        sure += f"; {percent(ball.share)} of the draws are within {radius} of the estimate and have {have}"
    return what, f"{sure}.", what_to_doubt(report)


def _radius(ball: CredibleBall, n_items: int) -> str:
    return distance_words(ball.radius, ball.loss, n_items).partition(" (")[0]


def distance_words(value: float, loss: PartitionLoss, n_items: int) -> str:
    """Return a distance with its unit, and how large that is.

    >>> from partita.partition.losses import Binder, VariationOfInformation
    >>> distance_words(1.0, VariationOfInformation(), 16)
    '1.000 bits (25% of the largest possible distance)'
    >>> distance_words(0.12, Binder(), 16)
    '0.1200 by Binder loss (as far as 13% of the pairs of items told otherwise)'
    """
    told = f"{value:.3f} {loss.unit}" if loss.unit else f"{value:.4f} by {loss.title}"
    extent = loss.extent(value, n_items)
    return f"{told} ({extent})" if extent else told


def _clusters(report: PartitionReport) -> list[Sentence]:
    model, sizes, n, K = report.estimator, report.sizes, report.n_items, report.estimator.n_clusters_
    if n == 1:
        what = "There is 1 item, in 1 cluster"
    elif K == 1:
        what = f"All {items(n)} are in 1 cluster"
    elif sizes.min() == sizes.max() and K > 2:
        what = f"{items(n)} were divided into {K:,} clusters of {items(int(sizes[0]))} each"
    elif K <= LIST_SIZES:
        largest_first = [f"{size:,}" for size in np.sort(sizes)[::-1]]
        what = f"{items(n)} were divided into {K} clusters of {listed(largest_first)} items"
    else:
        alone = int((sizes == 1).sum())
        single = f", {alone} of them of a single item" if alone else ""
        what = (
            f"{items(n)} were divided into {K:,} clusters of {sizes.max():,} to {sizes.min():,} items (median "
            f"{np.median(sizes):,.0f}){single}"
        )
    draws, M = model.draws_, model.n_draws_
    if draws is None:
        of = "some of which lack items"
    else:
        of = f"{draws.n_draws:,} different partition{'s' * (draws.n_draws > 1)}"
    if M is not None:
        what += ", from 1 draw" if M == 1 else f", from {M:,} draws ({of})"
    out = [Sentence("clusters", what + ".")]
    least, title = "largest" if model.loss_.is_score else "least", model.loss_.title
    named = (title if "expected" in title else f"expected {title}") + weight_words(model.loss_)
    text = f"Of the partitions that were tried it has the {least} {named}: {model.expected_loss_:.4g}"
    out.append(Sentence("clusters", text + (f" {model.loss_.unit}." if model.loss_.unit else ".")))
    if draws is None:
        text = (
            "Some draws lack items: each pair of items counts in the draws that have both, and the credible ball, the "
            "modes and the certainty of each item are left out, because they need draws of all items."
        )
        out.append(Sentence("clusters", text, "caution"))
    return out


def _ball(report: PartitionReport) -> list[Sentence]:
    ball = report.ball
    if ball is None:
        return []
    few, many = ball.upper[0].n_clusters, ball.lower[0].n_clusters
    have = f"{few} clusters" if few == many else f"{few} to {many} clusters"
    if ball.radius == 0:
        return [Sentence("ball", f"{_share(ball.share)} draws are equal to the estimate.")]
    text = (
        f"{_share(ball.share)} draws are within {distance_words(ball.radius, ball.loss, report.n_items)} of "
        f"the estimate; these have {have}."
    )
    out = [Sentence("ball", text)]
    bounds = {"horizontal": ball.horizontal, "upper": ball.upper, "lower": ball.lower}
    tied = [f"{len(ties):,} partitions are tied as the {side} bound" for side, ties in bounds.items() if len(ties) > 1]
    if tied:
        out.append(Sentence("ball", f"{listed(tied)}; the picture shows one of them, credible_ball() has all."))
    return out


def _counts(report: PartitionReport) -> list[Sentence]:
    draws, K = report.estimator.draws_, report.estimator.n_clusters_
    if draws is None:
        return []
    share = np.bincount(draws.n_clusters, weights=draws.weights)
    total = np.cumsum(share)
    low, high = (int(np.searchsorted(total, at)) for at in (TAIL, 1 - TAIL))
    top = int(share.argmax())
    if share[top] > 1 - ROUNDING:
        text = f"All draws have {_clusters_of(top)}."
    elif low == high:
        text = f"{_share(float(share[top]))} draws have {_clusters_of(top)}."
    else:
        text = (
            f"The most frequent number of clusters among the draws is {top} ({percent(float(share[top]))} of them); "
            f"the central {1 - 2 * TAIL:.0%} of the draws have {low} to {high}."
        )
    out = [Sentence("ball", text)]
    if low > K:
        above = float(share[K + 1 :].sum())
        than = "any draw" if above > 1 - ROUNDING else f"{percent(above)} of the draws"
        text = (
            f"The estimate has fewer clusters than {than}: small clusters that do not recur from draw to draw "
            "are left out of it."
        )
        out.append(Sentence("ball", text))
    elif high < K:
        below = float(share[:K].sum())
        than = "any draw" if below > 1 - ROUNDING else f"{percent(below)} of the draws"
        text = (
            f"The estimate has more clusters than {than}: items that the draws assign now to one cluster and now "
            "to another, and small clusters that some draws merge with a larger one, are clusters of their own in it."
        )
        out.append(Sentence("ball", text))
    return out


def _certainty(report: PartitionReport) -> list[Sentence]:
    found = report.certainty
    if found is None:
        return []
    share, median = float((found.matched >= CERTAIN).mean()), float(np.median(found.matched))
    who = "No item is" if share == 0 else "All items are" if share == 1 else f"{percent(share)} of the items are"
    least = "" if share == 0 else "at least "
    text = (
        f"{who} in the matching cluster in {least}{CERTAIN:.0%} of the draws; the median item is in "
        f"{percent(median)} of them."
    )
    out = [Sentence("certainty", text)]
    if median < DOUBTFUL:
        text = (
            f"Half of the items are in the matching cluster in {percent(median)} of the draws or fewer: the draws "
            "differ much from each other, so report the credible ball together with the labels."
        )
        out.append(Sentence("certainty", text, "caution"))
    return out


def _search(report: PartitionReport) -> list[Sentence]:
    result = report.estimator.result_
    n, agreeing = len(result.runs), result.n_agreeing
    if n == 0:
        text = "No restart of the search was finished: the estimate is the best of the starting partitions."
    elif n == 1:
        text = "One restart of the search was run; whether another would end at another partition was not tried."
    elif agreeing == n:
        text = f"All {n} restarts of the search reached this expected loss."
    else:
        text = (
            f"{agreeing} of {n} restarts of the search reached this expected loss; the worst is {result.gap:.2g} off."
        )
    out = [Sentence("restarts", text)]
    match result.status:
        case "max_seconds":
            text = (
                f"The search ran out of time after {result.seconds:.1f} s: this is the best partition up to then. "
                "Raise --max-seconds (max_seconds), or take it as a draft."
            )
            out.append(Sentence("convergence", text, "caution"))
        case "interrupted":
            text = (
                f"The search was interrupted after {result.seconds:.1f} s: this is the best partition up to then. Run "
                "it again, or take it as a draft."
            )
            out.append(Sentence("convergence", text, "caution"))
    return out


def _modes(report: PartitionReport) -> list[Sentence]:
    found = report.modes
    if found is None:
        return []
    if len(found.modes) == 1:
        agreement = report.estimator.agreement_
        differ = agreement is not None and not agreement.agree
        chains = "; the chains differ, however, and may have missed others" if differ else ""
        return [Sentence("modes", f"{_whole(one_mode_words(report))[:-1]}{chains}.")]
    each = listed([f"{percent(mode.weight)} (K = {mode.n_clusters})" for mode in found.modes])
    text = (
        f"The posterior has {len(found.modes)} modes, with {each} of the draws: no single partition represents all "
        "draws. Report the partition of each mode with its weight (section Modes), and check whether every chain "
        "visits each of them."
    )
    return [Sentence("modes", text, "caution")]


def one_mode_words(report: PartitionReport) -> str:
    """Return what it means that one mode was found, and how often the two most frequent partitions come where the
    second is frequent.

    >>> from partita import BayesianPartition
    >>> model = BayesianPartition(random_state=0).fit([[0] * 8] * 11 + [[0] * 4 + [1] * 4] * 9)
    >>> one_mode_words(PartitionReport.of(model)).partition("; ")[2]
    'the two most frequent partitions are 55% and 45% of the draws'
    """
    said = "one mode was found (modes that differ in few items, or hold few draws, can be missed)"
    assert report.estimator.draws_ is not None
    shares = np.sort(report.estimator.draws_.weights)[::-1]
    if len(shares) < 2 or shares[1] < OFTEN:
        return said
    first, second = (percent(float(share)) for share in shares[:2])
    return f"{said}; the two most frequent partitions are {first} and {second} of the draws"


def _chains(report: PartitionReport) -> list[Sentence]:
    found = report.estimator.agreement_
    if found is None:
        if any(note.startswith(UNCOMPARED) for note in report.estimator.notes_) or report.estimator.draws_ is None:
            return []  # among the notes
        text = (
            "Which chain each draw is of was not given, so that it is not known whether separate runs of the sampler "
            "agree (pass --chains, or chain= to fit)."
        )
        return [Sentence("chains", text)]
    if not found.agree:
        return []  # among the notes
    return [Sentence("chains", _whole(found.verdict), "caution" if found.least_effective < ENOUGH else "plain")]


def _membership(report: PartitionReport) -> list[Sentence]:
    misfit = report.estimator.misfit_
    how = "describe the draws" if misfit <= LARGE_MISFIT else "do not describe the draws"
    said = f"Soft memberships {how} (relative residual {misfit:.3f}; above {LARGE_MISFIT:g} is large)."
    largest = Membership(report.estimator.membership_).labels
    n = int((largest != report.estimator.labels_).sum())
    if n:
        said += (
            f" They summarise the same draws in another way than the partition: for {items(n)} the largest membership "
            "differs from the partition (labels.csv has the partition, memberships.csv the memberships)."
        )
    return [Sentence("evidence", said)]


def _share(share: float) -> str:
    return "All" if share > 1 - ROUNDING else f"{percent(share)} of the"


def _clusters_of(n: int) -> str:
    return f"{n} cluster{'' if n == 1 else 's'}"


def _whole(note: str) -> str:
    """A note as a sentence."""
    return f"{note[:1].upper()}{note[1:].rstrip('.')}."


# A loss in words, where a number of it is told.


def expected_words(loss: PartitionLoss) -> str:
    """Return words for the expected loss (or score), with its weights and its unit; "expected" is said once.

    >>> from partita.partition.losses import LowerBound, PosteriorExpectedRand, VariationOfInformation
    >>> expected_words(VariationOfInformation(a=1.5))
    'expected variation of information with a = 1.5 (bits)'
    >>> expected_words(LowerBound()), expected_words(PosteriorExpectedRand())
    ('lower bound of the expected variation of information (bits)', 'posterior expected adjusted Rand')
    """
    named = loss.title if "expected" in loss.title else f"expected {loss.title}"
    unit = f" ({loss.unit})" if loss.unit else ""
    return f"{named}{weight_words(loss)}{unit}"


def weight_words(loss: PartitionLoss) -> str:
    """Return the weight a of parting items, where it is not 1.

    >>> from partita.partition.losses import Binder
    >>> weight_words(Binder(a=0.5)), weight_words(Binder())
    (' with a = 0.5', '')
    """
    a = getattr(loss, "a", 1.0)
    return "" if a == 1 else f" with a = {a:g}"
