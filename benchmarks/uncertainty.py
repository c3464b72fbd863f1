"""What draws say of an estimate's uncertainty: figures of credible balls, cores, modes and chains, and their errors.

    PARTITA_DATA=... python benchmarks/uncertainty.py [balls] [cores] [modes] [chains]

Seconds are the least of several runs on one thread, compile time apart. Rates are over 50 simulated posteriors.
"""

from __future__ import annotations

import sys

import numpy as np

from partita.kernels.threads import limit_threads
from partita.partition.certainty import item_certainty
from partita.partition.chains import compare_chains
from partita.partition.cores import partial_partition
from partita.partition.credible_ball import credible_ball
from partita.partition.modes import posterior_modes
from sets import data_home
from timing import least, timed

REAL = ("galaxy_mcmc.npz", "ex1_mcmc.npz", "synth_n200_k20.npz", "synth_n1000_k20.npz")
SEEDS = 50


def draws_of(name: str) -> np.ndarray:
    with np.load(data_home() / "bayes" / name) as file:
        return file["draw"]


def scattered(truth: np.ndarray, doubt: np.ndarray | float, M: int, rng: np.random.Generator) -> np.ndarray:
    """Draws in which item i is anywhere with probability doubt_i."""
    K, shape = int(truth.max()) + 1, (M, truth.shape[-1])
    return np.where(rng.random(shape) < doubt, rng.integers(0, K, shape), truth)


def balls() -> None:
    print("| draws | M | N | s | mark s | radius (bits) | upper K, d | lower K, d |\n|---|---|---|---|---|---|---|---|")
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 15, 2000)
    given = {
        "galaxy, min VI": (np.repeat([0, 1, 2], [7, 72, 3]), draws_of(REAL[0]), "0.03"),
        "made": (truth, scattered(truth, 0.2, 10_000, rng).astype(np.int16), "0.5"),
    }
    for name, (labels, draws, mark) in given.items():
        ball = credible_ball(labels, draws)
        seconds = least(lambda: credible_ball(labels, draws))
        ends = " | ".join(f"{p[0].n_clusters}, {p[0].distance:.3f}" for p in (ball.upper, ball.lower))
        M, N = draws.shape
        print(f"| {name} | {M:,} | {N:,} | {seconds:.3f} | {mark} | {ball.radius:.3f} | {ends} |", flush=True)


def cores() -> None:
    print(
        "\n| draws | M | N | certainty s | level | cores s | items | probability |\n|---|---|---|---|---|---|---|---|"
    )
    for name in REAL:
        draws = draws_of(name)
        labels = posterior_modes(draws).modes[0].labels
        certainty = least(lambda: item_certainty(labels, draws), 3)
        for level in (0.5, 0.8, 0.95):
            seconds, found = timed(lambda: partial_partition(labels, draws, level=level))
            M, N = draws.shape
            row = f"{certainty:.3f} | {level} | {seconds:.2f} | {len(found.kept)} | {found.probability:.3f}"
            print(f"| {name} | {M:,} | {N:,} | {row} |", flush=True)


def posterior(kind: str, N: int, M: int, rng: np.random.Generator) -> tuple[np.ndarray, int, float]:
    """Draws, how many modes they have, and the weight of the heavier one."""
    a, doubt = rng.integers(0, 5, N), rng.beta(1, 6, N)
    if kind == "noisy":
        return scattered(a, doubt, M, rng), 1, 1.0
    if kind == "very noisy":
        return scattered(a, np.minimum(3 * doubt, 1), M, rng), 1, 1.0
    if kind == "noise that varies":
        return scattered(a, doubt * rng.uniform(0, 3, (M, 1)), M, rng), 1, 1.0
    if kind == "a sliding border":
        border = rng.uniform(0.1, 0.9, (M, 1)) * N
        return scattered((np.arange(N) >= border).astype(int), 0.02, M, rng), 1, 1.0
    b = a.copy()
    if kind == "three merged, .7/.3":
        b[a >= 3] = 2
        weight, doubt = 0.7, 0.5 * doubt
    else:
        other = rng.choice(N, int(0.4 * N), replace=False)
        b[other] = rng.integers(0, 5, len(other))
        weight = 0.9 if kind.endswith(".9/.1") else 0.7
    m = int(weight * M)
    return np.concatenate([scattered(a, doubt, m, rng), scattered(b, doubt, M - m, rng)]), 2, weight


def modes() -> None:
    print("\n| draws | modes | separation | mean distance within (bits) | s |\n|---|---|---|---|---|")
    for name in REAL:
        draws = draws_of(name)
        posterior_modes(draws)
        seconds, found = timed(lambda: posterior_modes(draws))
        print(f"| {name} | {len(found.modes)} | {found.separation:.2f} | {found.modes[0].spread:.3f} | {seconds:.2f} |")
    print(
        "\n| simulated | true modes | N | M | wrong number | one too few | highest separation | error of the weight |"
        "\n|---|---|---|---|---|---|---|---|"
    )
    kinds = (
        "noisy",
        "very noisy",
        "noise that varies",
        "a sliding border",
        "two, .7/.3",
        "two, .9/.1",
        "three merged, .7/.3",
    )
    for kind in kinds:
        for N, M in ((20, 150), (20, 600), (100, 150), (100, 600)):
            wrong, few, separation, errors = 0, 0, 1.0, []
            for seed in range(SEEDS):
                draws, true, weight = posterior(kind, N, M, np.random.default_rng([seed, N, M]))
                found = posterior_modes(draws)
                wrong += len(found.modes) != true
                few += len(found.modes) < true
                separation = max(separation, found.separation)
                if len(found.modes) == true:
                    errors.append(abs(found.modes[0].weight - weight))
            error = f"{max(errors):.3f}" if errors else "-"
            row = f"{wrong}/{SEEDS} | {few}/{SEEDS} | {separation:.2f} | {error}"
            print(f"| {kind} | {true} | {N} | {M} | {row} |", flush=True)


def chain_of(truth: np.ndarray, doubt: np.ndarray, M: int, stay: float, rng: np.random.Generator) -> np.ndarray:
    """A Markov chain of partitions: each item stays where it is with probability `stay`, or is drawn anew."""
    fresh = scattered(truth, doubt, M, rng)
    kept = rng.random((M, len(truth))) < stay
    kept[0] = False
    last = np.maximum.accumulate(np.where(kept, 0, np.arange(M)[:, None]), axis=0)
    return np.take_along_axis(fresh, last, axis=0)


def chains() -> None:
    print(
        "\n| 4 chains | stay | draws of each | said to disagree | too little to tell | largest difference |"
        "\n|---|---|---|---|---|---|"
    )
    for kind in ("one posterior", "one chain has moved 5% of the items", "one chain has merged two of five clusters"):
        for stay, M in ((0.0, 100), (0.0, 1000), (0.5, 300), (0.9, 300), (0.9, 2000), (0.98, 2000)):
            against, little, largest = 0, 0, 0.0
            for seed in range(SEEDS):
                rng = np.random.default_rng([seed, M])
                truth, doubt = rng.integers(0, 5, 60), rng.beta(1, 4, 60)
                other = truth.copy()
                if kind.endswith("items"):
                    other[:3] = (truth[:3] + 1) % 5
                elif kind.endswith("clusters"):
                    other[truth == 4] = 3
                parts = [chain_of(other if c == 3 else truth, doubt, M, stay, rng) for c in range(4)]
                found = compare_chains(np.concatenate(parts), np.repeat(np.arange(4), M), labels=truth)
                little += "too little" in found.verdict
                against += not found.agree and "too little" not in found.verdict
                largest = max(largest, found.max_difference)
            print(f"| {kind} | {stay} | {M} | {against}/{SEEDS} | {little}/{SEEDS} | {largest:.2f} |", flush=True)


if __name__ == "__main__":
    with limit_threads(1):
        for name in sys.argv[1:] or ("balls", "cores", "modes", "chains"):
            {"balls": balls, "cores": cores, "modes": modes, "chains": chains}[name]()
