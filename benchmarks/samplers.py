"""Samplers of Dirichlet-process mixtures: CPU seconds a sweep, chains that get stuck, and whether the three agree.

    PARTITA_DATA=... python benchmarks/samplers.py

Seconds are CPU seconds of one thread, the least of three runs, compiled code from the cache. A chain is stuck when the
partition that it draws most often is not the one that most chains end in, by adjusted Rand below 0.9.
"""

from __future__ import annotations

import time
import warnings

import numpy as np

from partita.metrics import adjusted_rand_index
from partita.mixture import Auxiliary, Collapsed, Sampler, Slice, sample_partitions
from sets import data_home

N, SWEEPS, CHAINS = 400, 15_000, 20
SAMPLERS: tuple[tuple[str, Sampler, str], ...] = (
    ("collapsed, no proposals", Collapsed(split_merge=0), "conjugate"),
    ("collapsed", Collapsed(), "conjugate"),
    ("auxiliary", Auxiliary(), "conjugate"),
    ("slice", Slice(), "conjugate"),
    ("auxiliary", Auxiliary(), "paper"),
    ("slice", Slice(), "paper"),
)


def corners(apart: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Four Gaussians of unit variance at the corners of a square."""
    labels = np.arange(N) % 4
    centres = apart / 2 * np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]])
    return np.random.default_rng(seed).normal(size=(N, 2)) + centres[labels], labels


def speed() -> None:
    X, _ = corners(8.0)
    print(f"N = {N}, d = 2, {SWEEPS:,} sweeps, one chain\n")
    print("| sampler | prior | CPU s | ns an item and sweep | mean K | effective draws of K a second |")
    print("|---|---|---|---|---|---|")
    for name, sampler, prior in SAMPLERS:
        options = {"sampler": sampler, "prior": prior, "n_chains": 1, "burn_in": 100, "seed": 1, "n_jobs": 1}
        sample_partitions(X, n_draws=50, **options)
        least = np.inf
        for _ in range(3):
            began = time.process_time()
            found = sample_partitions(X, n_draws=SWEEPS - 100, **options)
            least = min(least, time.process_time() - began)
        size = found.effective_sample_size["n_clusters"]
        print(
            f"| {name} | {prior} | {least:.2f} | {least / SWEEPS / N * 1e9:.0f} | {found.n_clusters_trace.mean():.2f} "
            f"| {size / least:.0f} |",
            flush=True,
        )


def stuck() -> None:
    X, labels = corners(8.0)
    print(f"\nChains of {CHAINS} that do not draw the four clusters (adjusted Rand < 0.9) after 2,000 sweeps\n")
    print("| sampler | prior | from one cluster | from k-means, 30 | from 30 at random |")
    print("|---|---|---|---|---|")
    for name, sampler, prior in SAMPLERS:
        row = [name, prior]
        for start in ("one", "kmeans", "random"):
            found = sample_partitions(
                X, sampler=sampler, prior=prior, start=start, n_chains=CHAINS, n_draws=50, thin=4, burn_in=1800, seed=2
            )
            scores = np.array([adjusted_rand_index(draw, labels) for draw in found.labels])
            row.append(str(int((scores.reshape(CHAINS, -1).mean(axis=1) < 0.9).sum())))
        print("| " + " | ".join(row) + " |", flush=True)


def agreement() -> None:
    sets = {"corners, 3 apart": corners(3.0)[0], "corners, 8 apart": corners(8.0)[0]}
    sets["galaxies"] = np.loadtxt(data_home() / "bayes" / "galaxies.csv", delimiter=",", skiprows=1)[:, :1]
    sets["ex1"] = np.loadtxt(data_home() / "bayes" / "ex1.csv", delimiter=",", skiprows=1)[:, :2]
    print("\nThe same posterior by each sampler: 4 chains of 2,000 + 8,000 sweeps\n")
    print("| items | prior | sampler | mean K | mean alpha | between chains | R-hat of K | to the first |")
    print("|---|---|---|---|---|---|---|---|")
    for name, X in sets.items():
        for prior in ("conjugate", "paper"):
            first = None
            for words, sampler, own in SAMPLERS:
                if own != prior:
                    continue
                found = sample_partitions(X, sampler=sampler, prior=prior, n_draws=8000, burn_in=2000, seed=3)
                P = np.zeros((len(X), len(X)))
                for labels in found.labels[::8]:
                    P += labels[:, None] == labels
                P /= len(found.labels[::8])
                first = P if first is None else first
                between = found.agreement
                print(
                    f"| {name} | {prior} | {words} "
                    f"| {found.n_clusters_trace.mean():.2f} | {found.alpha_trace.mean():.2f} "
                    f"| {between.max_difference:.2f}, {between.mean_difference:.3f} | {found.r_hat['n_clusters']:.3f} "
                    f"| {np.abs(P - first).max():.2f}, {np.abs(P - first).mean():.3f} |",
                    flush=True,
                )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    speed()
    stuck()
    agreement()
