"""A matrix on a GPU beside the same one on the host: seconds of a whole fit, objective, and whether labels agree.

    python benchmarks/accelerator.py [N ...]

Needs PyTorch or CuPy with a GPU, and array-api-compat. Each fit runs twice and the second is timed; the first compiles.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from partita import SoF, SoftClustering, SymNMF
from partita.metrics import adjusted_rand_index
from sets import anisotropic_blobs
from timing import timed

K = 10


def affinity(n: int) -> np.ndarray:
    """A Gaussian kernel of blobs, in single precision."""
    X = anisotropic_blobs(n, 8, K, 0)[0].astype(np.float32)
    squares = (X**2).sum(axis=1)
    P = squares[:, None] + squares - 2 * (X @ X.T)
    P /= -np.median(P[: min(n, 500)])
    return np.exp(np.minimum(P + P.T, 0), out=P)


def on_gpu() -> dict[str, Callable[[np.ndarray], Any]]:
    """What takes an array to the GPU, by the package that does."""
    found: dict[str, Callable[[np.ndarray], Any]] = {}
    try:
        import torch

        found |= {"PyTorch": lambda P: torch.tensor(P, device="cuda")} if torch.cuda.is_available() else {}
    except ImportError:
        pass
    try:
        import cupy

        found |= {"CuPy": cupy.asarray} if cupy.is_available() else {}
    except ImportError:
        pass
    return found


def main() -> None:
    sizes = [int(n) for n in sys.argv[1:]] or [5_000, 20_000]
    print("| model | items | on | seconds | times as fast | objective | adjusted Rand |")
    print("|---|---|---|---|---|---|---|")
    for n in sizes:
        P = affinity(n)
        for make in (SoftClustering, SoF, SymNMF):
            options = {"affinity": "precomputed", "random_state": 0, "n_init": 2}
            host = here = None
            for name, take in {"host": np.asarray, **on_gpu()}.items():
                there = take(P)
                make(K, **options).fit(there)
                seconds, model = timed(lambda: make(K, **options).fit(there))
                host, here = (model, seconds) if name == "host" else (host, here)
                agree = adjusted_rand_index(model.labels_, host.labels_)
                print(
                    f"| {make.__name__} | {n:,} | {name} | {seconds:.2f} | {here / seconds:.1f} "
                    f"| {model.objective_ / host.objective_:.6f} | {agree:.3f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
