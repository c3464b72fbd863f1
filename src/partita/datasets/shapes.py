"""The six patterns of Zelnik-Manor and Perona (2004) at hand; `six_shapes` says which [zhao2015] uses."""

from __future__ import annotations

from partita.datasets.checksums import CONTENT, FILES
from partita.datasets.dataset import CatalogueEntry
from partita.datasets.public import arff

__all__ = ["ENTRIES"]

# Description of each pattern, and its classes.
PATTERNS: dict[str, tuple[str, tuple[tuple[str, int], ...]]] = {
    "zelnik1": ("a blob in two rings", (("0", 61), ("1", 139), ("2", 99))),
    "zelnik2": ("two squares in a thin background", (("0", 102), ("1", 95), ("2", 106))),
    "zelnik3": ("two eyes and a smile", (("0", 75), ("1", 73), ("3", 118))),
    "zelnik4": (
        "four squares in a thin background",
        (("0", 111), ("1", 114), ("2", 150), ("3", 109), ("noise", 138)),
    ),
    "zelnik5": ("four lines", (("0", 150), ("1", 123), ("2", 122), ("3", 117))),
    "zelnik6": ("two squares in a ring", (("0", 82), ("1", 100), ("2", 56))),
}


def _entry(name: str, looks: str, counts: tuple[tuple[str, int], ...]) -> CatalogueEntry:
    noise = "noise" in dict(counts)
    notes = ["the labels are those of the clustering benchmark; the originals had points and K only"]
    if noise:
        notes.append("the fifth class is the uniform background, called noise")
    return CatalogueEntry(
        name=name,
        title=f"Zelnik-Manor and Perona: {looks}",
        path=f"shapes/{name}.csv",
        sha256=FILES[name],
        content_sha256=CONTENT[name],
        shape=(sum(n for _, n in counts), 2),
        counts=counts,
        columns=("x", "y"),
        source="github.com/deric/clustering-benchmark, after Zelnik-Manor and Perona (2004)",
        licence="none stated",
        notes=tuple(notes),
        public=arff(f"{name}.arff", rename={"4": "noise"} if noise else None),
    )


ENTRIES = tuple(_entry(name, *known) for name, known in PATTERNS.items())
