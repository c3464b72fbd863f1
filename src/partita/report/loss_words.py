"""A loss in words, where a number of it is told."""

from __future__ import annotations

from partita.partition.losses import PartitionLoss

__all__ = ["expected_words", "weight_words"]


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
