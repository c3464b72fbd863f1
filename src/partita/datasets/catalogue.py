"""Every set by its name."""

from __future__ import annotations

from partita.datasets import pictures, posteriors, relations, shapes, uci
from partita.datasets.dataset import CatalogueEntry
from partita.errors import InputError
from partita.io.files import did_you_mean

__all__ = ["dataset_names", "describe"]

CATALOGUE: dict[str, CatalogueEntry] = {
    entry.name: entry
    for entry in (
        *uci.ENTRIES,
        *shapes.ENTRIES,
        *posteriors.ENTRIES,
        *pictures.ENTRIES,
        *relations.ENTRIES,
        relations.MOTIONS,
    )
}


def dataset_names() -> tuple[str, ...]:
    """Return the names that `load_dataset` knows; `hopkins155` is read by `load_sequences`.

    Examples
    --------
    >>> "pendigits" in dataset_names()
    True
    """
    return tuple(CATALOGUE)


def describe(name: str) -> CatalogueEntry:
    """Return the description of a set: shape, classes, source, licence, traps, checksums. Nothing is read.

    Raises
    ------
    InputError
        For a name that no set has.

    Examples
    --------
    >>> describe("glass").shape, describe("glass").n_clusters
    ((214, 9), 6)
    """
    if name not in CATALOGUE:
        near = did_you_mean(name, list(CATALOGUE))
        raise InputError(f"unknown set {name!r}{near}; the sets are {', '.join(CATALOGUE)}")
    return CATALOGUE[name]
