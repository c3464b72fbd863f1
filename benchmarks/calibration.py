"""Are the memberships right as probabilities? On mixtures whose posterior is known, beside the peers.

    python benchmarks/calibration.py [--seeds 2] [--verbose]
    python benchmarks/calibration.py --drawn 40

Excess KL: mean over items of KL(true posterior || estimate), the columns aligned first; the true model has 0. Estimates
are kept above 1e-6, so that a hard zero is wrong by a finite amount. Brier and ECE against the true posterior; accuracy
against the component that an item was drawn from. Every method is given K, HDBSCAN excepted. The Gaussian settings are
the target; the others (heavy tails, skewed, curved) are a family of their own, for which GaussianMixture is wrong too.
With `--drawn N` there are N settings of each family instead, whose every number is drawn: nothing was chosen on them.

With PARTITA_DATA set, accuracy, adjusted Rand, Brier and ECE against the classes on the development sets and the real
tables follow: memberships of the ensemble as fitted beside the default's, which are calibrated where a density is
trusted. Neither the shapes nor the tables must lose.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable, Sequence

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.mixture import GaussianMixture

from mixtures import GAUSSIAN, OTHERS, Setting, draw, settings_drawn
from partita import SoF, SoftClustering, metrics
from partita.metrics.probabilities import align
from sets import REAL, development, load
from timing import timed

# A membership of zero counts as this.
FLOOR = 1e-6
# Items of a real table.
MOST = 3_000

Method = Callable[[np.ndarray, int], np.ndarray]


def fuzzy_c_means(X: np.ndarray, K: int, exponent: float = 2.0) -> np.ndarray:
    """Memberships that minimise sum_ik u_ik^m |x_i - c_k|^2 [bezdek1981], best of ten starts."""
    best: tuple[float, np.ndarray] | None = None
    for seed in range(10):
        U = np.random.default_rng(seed).dirichlet(np.ones(K), len(X))
        for _ in range(300):
            V = U**exponent
            centres = (V.T @ X) / V.sum(axis=0)[:, None]
            squared = np.maximum(((X[:, None, :] - centres) ** 2).sum(axis=2), 1e-12)
            new = squared ** (-1 / (exponent - 1))
            new /= new.sum(axis=1, keepdims=True)
            moved, U = np.abs(new - U).max(), new
            if moved < 1e-5:
                break
        value = float((U**exponent * squared).sum())
        if best is None or value < best[0]:
            best = value, U
    assert best is not None
    return best[1]


def hdbscan(X: np.ndarray, K: int) -> np.ndarray:  # noqa: ARG001
    """Its strength in an item's own cluster, the rest spread evenly; noise is everywhere alike. It finds its own K."""
    found = HDBSCAN(min_cluster_size=max(5, len(X) // 50), copy=True).fit(X)
    n = max(int(found.labels_.max()) + 1, 1)
    W = np.full((len(X), n), 1.0 / n)
    inside = np.flatnonzero(found.labels_ >= 0)
    if n > 1:
        strength = np.maximum(found.probabilities_[inside], 1.0 / n)
        W[inside] = ((1 - strength) / (n - 1))[:, None]
        W[inside, found.labels_[inside]] = strength
    return W


METHODS: dict[str, Method] = {
    "GaussianMixture": lambda X, K: GaussianMixture(K, n_init=5, random_state=0).fit(X).predict_proba(X),
    "fuzzy c-means": fuzzy_c_means,
    "HDBSCAN": hdbscan,
    "k-means": lambda X, K: np.eye(K)[KMeans(K, n_init=10, random_state=0).fit(X).labels_],
    "SoF()": lambda X, K: SoF(K, n_init=1, random_state=0).fit(X).membership_,
    'SoftClustering("fitted")': lambda X, K: (
        SoftClustering(K, probabilities="fitted", random_state=0, affinity="neighbors").fit(X).membership_
    ),
    'SoftClustering("averaged")': lambda X, K: (
        SoftClustering(K, probabilities="averaged", random_state=0, affinity="neighbors").fit(X).membership_
    ),
    'SoftClustering("calibrated")': lambda X, K: (
        SoftClustering(K, probabilities="calibrated", random_state=0, affinity="neighbors").fit(X).membership_
    ),
    "SoftClustering(), K given": lambda X, K: SoftClustering(K, random_state=0).fit(X).membership_,
}


def excess_kl(W: np.ndarray, posterior: np.ndarray) -> float:
    """Mean KL of the true posterior to the estimate."""
    estimate, true = align(W, posterior)
    estimate = np.maximum(estimate, FLOOR)
    estimate /= estimate.sum(axis=1, keepdims=True)
    return float((true * (np.log(np.maximum(true, 1e-300)) - np.log(estimate))).sum(axis=1).mean())


def family(title: str, settings: Sequence[Setting], seeds: int, verbose: bool) -> None:
    """One table: means over settings and seeds, and every setting where asked for."""
    scores = np.zeros((len(settings), seeds, len(METHODS), 4))
    seconds = np.zeros(len(METHODS))
    true = np.zeros((len(settings), seeds))
    for i, setting in enumerate(settings):
        for seed in range(seeds):
            drawn = draw(setting, seed)
            true[i, seed] = (drawn.posterior.argmax(axis=1) == drawn.component).mean()
            for j, method in enumerate(METHODS.values()):
                took, W = timed(lambda: method(drawn.X, setting.K))
                seconds[j] += took
                scores[i, seed, j] = (
                    excess_kl(W, drawn.posterior),
                    metrics.brier_score(W, drawn.posterior),
                    metrics.expected_calibration_error(W, drawn.posterior),
                    metrics.accuracy(W.argmax(axis=1), drawn.component),
                )
    if verbose:
        print(f"\n### {title}, setting by setting: KL / ECE / accuracy\n")
        print("| setting | true model | " + " | ".join(METHODS) + " |")
        print("|---|---|" + "---|" * len(METHODS))
        for i, setting in enumerate(settings):
            cells = " | ".join(f"{kl:.3f} / {ece:.3f} / {right:.3f}" for kl, _, ece, right in scores[i].mean(axis=0))
            print(f"| {setting.name} | {true[i].mean():.3f} | {cells} |")
    print(f"\n### {title}: {len(settings)} settings, {seeds} draws each, means\n")
    print("| method | KL | KL of mixture | Brier | ECE | ECE of mixture | accuracy | seconds a fit |")
    print("|---|---|---|---|---|---|---|---|")
    print(f"| true model | 0 | 0 | 0 | 0 | 0 | {true.mean():.3f} | |")
    means = scores.mean(axis=(0, 1))
    for name, (kl, brier, ece, right), spent in zip(METHODS, means, seconds, strict=True):
        print(
            f"| {name} | {kl:.4f} | {kl / means[0, 0]:.1f}x | {brier:.4f} | {ece:.4f} | {ece / means[0, 2]:.1f}x "
            f"| {right:.3f} | {spent / true.size:.2f} |"
        )
    kl = scores[..., 0].reshape(-1, len(METHODS))
    below = (kl[:, -1] < kl[:, 0]).mean()  # the default, beside GaussianMixture
    medians = np.median(kl, axis=0)
    print(
        f"\nThe default's memberships have a lower KL than GaussianMixture in {below:.0%} of {len(kl)} fits; medians "
        f"{medians[-1]:.4f} and {medians[0]:.4f}."
    )


def labelled(title: str, names: Sequence[str]) -> None:
    """Fitted beside what the default takes where the classes are known: labels serve for scoring alone."""
    print(f"\n### {title}: accuracy / adjusted Rand / Brier / ECE against the classes\n")
    print("| set | fitted | default | taken | seconds |")
    print("|---|---|---|---|---|")
    scores = np.zeros((len(names), 2, 4))
    for i, name in enumerate(names):
        X, y, K = load(name)
        if len(X) > MOST:
            chosen = np.random.default_rng(0).choice(len(X), MOST, replace=False)
            X, y = X[chosen], y[chosen]
        began = time.perf_counter()
        for j, probabilities in enumerate(("fitted", "auto")):
            model = SoftClustering(K, probabilities=probabilities, random_state=0).fit(X)
            scores[i, j] = (
                metrics.accuracy(model.labels_, y),
                metrics.adjusted_rand_index(model.labels_, y),
                metrics.brier_score(model.membership_, y),
                metrics.expected_calibration_error(model.membership_, y),
            )
        spent = time.perf_counter() - began
        cells = " | ".join(" / ".join(f"{value:.3f}" for value in row) for row in scores[i])
        taken = model.chosen_["probabilities"].value
        print(f"| {name} | {cells} | {taken} | {spent:.1f} |", flush=True)
    cells = " | ".join(" / ".join(f"**{value:.3f}**" for value in row) for row in scores.mean(axis=0))
    print(f"| **mean** | {cells} | | |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2, help="draws of each setting")
    parser.add_argument("--drawn", type=int, help="settings of each family, drawn anew, in place of the fixed ones")
    parser.add_argument("--verbose", action="store_true", help="every setting")
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    if given.drawn:
        for kind in ("gaussian", "student", "skewed", "curved"):
            family(
                f"{kind.capitalize()} mixtures, settings drawn",
                settings_drawn(given.drawn, kind, 2026),
                1,
                given.verbose,
            )
        raise SystemExit
    family("Gaussian mixtures", GAUSSIAN, given.seeds, given.verbose)
    family("Other mixtures", OTHERS, given.seeds, given.verbose)
    if "PARTITA_DATA" in os.environ:
        labelled("Development sets", development())
        labelled("Real tables", REAL)
