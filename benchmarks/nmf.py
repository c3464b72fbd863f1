"""NMF, SoF and relabelling on posterior similarity matrices: speed, residuals, partitions and soft memberships.

    OMP_NUM_THREADS=1 PARTITA_DATA=... python benchmarks/nmf.py [speed|residuals|galaxy|starts|soft|relabelling ...]

Without words all of them, in about half an hour. Seconds are CPU seconds of one thread, least of three runs. R's
figures are those of its NMF package: `bayes/r_nmf_galaxy.csv` of the shared data, and for speed one start of 2,000
iterations.
"""

from __future__ import annotations

import csv
import sys
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from partita.affinity import DrawsAffinity
from partita.kernels.threads import limit_threads
from partita.metrics import brier_score, expected_calibration_error
from partita.metrics.probabilities import align
from partita.nmf import Nonsmooth, membership_misfit, nmf, sof_membership
from partita.nmf.base import Factors, NMFMethod
from partita.nmf.reading import balanced
from partita.partition.similarity import posterior_similarity
from partita.relabelling import relabel
from sets import data_home

METHODS = ("ls", "kl", "ns", "offset")
# CPU seconds of R's NMF package: N, K, least squares, Kullback-Leibler.
R_SECONDS = {
    (200, 3): (1.1, 0.9),
    (200, 12): (1.9, 2.4),
    (400, 3): (3.7, 3.9),
    (400, 12): (9.0, 10.1),
    (800, 3): (19.6, 15.1),
    (800, 12): (35.9, 38.4),
}
# R's names of what minimises the same objective; `lee` rescales W at every iteration and ends higher.
SAME = {"brunet": "kl", "lee": "ls", "Frobenius": "ls", "ls-nmf": "ls", "nsNMF": "ns", "offset": "offset"}
SEEDS = 20


def draws_of(name: str) -> np.ndarray:
    return np.load(data_home() / "bayes" / f"{name}.npz")["draw"]


def doubtful(N: int, M: int = 1000, n_clusters: int = 15) -> np.ndarray:
    """Draws about a truth, each item with a doubt of its own."""
    rng = np.random.default_rng(0)
    truth, doubt = rng.integers(0, n_clusters, N), rng.beta(1, 3, N)
    return np.array([np.where(rng.random(N) < doubt, rng.integers(0, n_clusters, N), truth) for _ in range(M)])


def cpu(work: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


def speed() -> None:
    print("one random start, 2,000 iterations, CPU seconds of one thread (R's NMF package in brackets)\n")
    print("| N | K | ls | kl | ns | offset |")
    print("|---|---|---|---|---|---|")
    for (N, K), in_r in R_SECONDS.items():
        V, row = posterior_similarity(doubtful(N)), []
        for method, theirs in zip(METHODS, (*map(str, in_r), "-", "-")):

            def work(method: str = method, V: np.ndarray = V, K: int = K) -> None:
                with limit_threads(1):
                    nmf(V, K, method=method, start="random", n_init=1, unchanged=0, seed=0)

            row.append(f"{cpu(work):.2f} ({theirs})")
        print(f"| {N} | {K} | {' | '.join(row)} |", flush=True)
    print()


def residuals() -> None:
    """Best of ten, at each K at which R was run; `first` is the one dendrogram start."""
    marks: dict[tuple[str, int], float] = {}
    with (data_home() / "bayes" / "r_nmf_galaxy.csv").open() as file:
        for row in csv.DictReader(file):
            method, K = SAME[row["method"]], int(row["K"])
            value = float(row["frob2" if method in ("ls", "offset") else "kl"])
            marks[method, K] = min(value, marks.get((method, K), np.inf))
    V = posterior_similarity(draws_of("galaxy_mcmc"))
    print(
        "galaxy: the objective of one dendrogram start / of the default (dendrogram and nine medoids) / of ten "
        "random starts / of R's best\n"
    )
    print("| K | " + " | ".join(METHODS) + " |\n|---|" + "---|" * len(METHODS))
    for K in range(2, 13):
        row = []
        for method in METHODS:
            both = nmf(V, K, method=method, unchanged=0, seed=0, n_jobs=2)
            random = nmf(V, K, method=method, start="random", unchanged=0, seed=0, n_jobs=2)
            mark = marks.get((method, K))
            ours = (both.restarts[0].objective, both.objective, random.objective)
            said = " / ".join(f"{value:.4f}" for value in ours)
            beaten = "" if mark is None else " ok" if both.objective <= mark * (1 + 1e-6) else " HIGHER"
            row.append(f"{said} / {'-' if mark is None else f'{mark:.4f}'}{beaten}")
        print(f"| {K} | " + " | ".join(row) + " |", flush=True)
    print()


def galaxy() -> None:
    """How often the partitions come out that FINDINGS names, and which does otherwise."""
    V = posterior_similarity(draws_of("galaxy_mcmc"))
    asked = (("ls", 3, "1-7 8-76 77-82"), ("kl", 3, "1-7 8-78 79-82"), ("ns", 2, "1-9,78-82 10-77"))
    print(f"galaxy: share of {SEEDS} seeds that give the partition named, and the commonest one\n")
    print("| method, K | starts | scaling | partition | share | commonest (share), objective least - largest |")
    print("|---|---|---|---|---|---|")
    for method, K, wanted in asked:
        for starts, n_init in (
            ("random", 1),
            ("random", 10),
            ("medoids", 1),
            (("dendrogram", "medoids"), 10),
            ("dendrogram", 1),
        ):
            for scaling in ("balanced", "plain"):
                runs = [
                    nmf(V, K, method=method, start=starts, n_init=n_init, scaling=scaling, seed=seed, n_jobs=2)
                    for seed in range(SEEDS if starts != "dendrogram" else 1)
                ]
                found = Counter(written(run.labels) for run in runs)
                (common, times), values = found.most_common(1)[0], [run.objective for run in runs]
                start = starts if isinstance(starts, str) else " + ".join(starts)
                print(
                    f"| {method}, {K} | {n_init} {start} | {scaling} | {wanted} | {found[wanted] / len(runs):.2f} | "
                    f"{common} ({times / len(runs):.2f}), {min(values):.3f} - {max(values):.3f} |",
                    flush=True,
                )
    print()


def written(labels: np.ndarray) -> str:
    """The clusters as ranges of items, from 1, by their first item."""
    parts = []
    for cluster in sorted(np.unique(labels), key=lambda k: int(np.argmax(labels == k))):
        items = np.flatnonzero(labels == cluster) + 1
        runs = np.split(items, np.flatnonzero(np.diff(items) > 1) + 1)
        parts.append(",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs))
    return " ".join(parts)


def starts() -> None:
    """One dendrogram start against ten random ones."""
    print("objective / expected Binder loss by N^2 of the partition: one dendrogram start, best of ten random ones\n")
    print("| draws | K | " + " | ".join(METHODS) + " |\n|---|---|" + "---|" * len(METHODS))
    for name, K in (("galaxy_mcmc", 4), ("ex1_mcmc", 6), ("synth_n200_k20", 20), ("synth_n1000_k20", 20)):
        V, row = posterior_similarity(draws_of(name)), []
        for method in METHODS:
            one = nmf(V, K, method=method, n_init=1, max_iter=1000)
            ten = nmf(V, K, method=method, start="random", max_iter=1000, seed=0, n_jobs=2)
            row.append(" , ".join(f"{run.objective:.4g} / {binder(V, run.labels):.4f}" for run in (one, ten)))
        print(f"| {name} | {K} | " + " | ".join(row) + " |", flush=True)
    print()


def binder(V: np.ndarray, labels: np.ndarray) -> float:
    together = labels[:, None] == labels
    return float(np.where(together, 1 - V, V).sum()) / len(V) ** 2


def simulated(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """300 items of four Gaussians, their true posteriors, and draws of a Dirichlet-process mixture."""
    from partita.mixture import sample_partitions

    rng = np.random.default_rng(seed)
    sizes, means = np.array([100, 60, 80, 60]), 2.0 * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    truth, sd = np.repeat(np.arange(4), sizes), rng.uniform(0.8, 1.3, 4)
    X = means[truth] + rng.normal(size=(300, 2)) * sd[truth][:, None]
    logs = np.log(sizes) - ((X[:, None] - means) ** 2).sum(axis=2) / (2 * sd**2) - 2 * np.log(sd)
    true = np.exp(logs - logs.max(axis=1, keepdims=True))
    draws = sample_partitions(X, n_chains=4, n_draws=500, burn_in=1000, seed=seed).labels
    return draws, truth, true / true.sum(axis=1, keepdims=True)


def soft() -> None:
    scores: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    for seed in range(10):
        draws, truth, true = simulated(seed)
        V = posterior_similarity(draws)

        def score(
            name: str, Q: np.ndarray, V: np.ndarray = V, truth: np.ndarray = truth, true: np.ndarray = true
        ) -> None:
            found, expected = align(Q, true)
            error = float(np.sqrt(np.mean((found - expected) ** 2)))
            calibration = expected_calibration_error(Q, truth)
            scores[name].append(
                (brier_score(Q, truth), brier_score(Q, true), error, calibration, membership_misfit(V, Q))
            )

        score("true posterior", true)
        for K in (4, 8, 12):
            result = sof_membership(V, K, seed=0)
            score(f"SoF, K = {K}", result.membership.matrix)
            used = int((result.membership.matrix.sum(axis=0) > 1).sum())
            scores[f"SoF, K = {K}: columns with more than one item"].append((float(used),))
        methods: list[tuple[str, str | NMFMethod]] = [(f"NMF-{name}", name) for name in METHODS]
        for name, method in [*methods, ("NMF-ns, columns free", Nonsmooth(unit_columns=False))]:
            run = nmf(V, 4, method=method, seed=0, n_init=5, n_jobs=2)
            _, Ht = balanced(Factors(run.W, run.H.T))
            score(f"{name}", run.membership.matrix)
            score(f"{name}, balanced H alone", Ht / Ht.sum(axis=1, keepdims=True))
            score(f"{name}, plain H", run.H.T / run.H.sum(axis=0)[:, None])
        pivot = nmf(V, 4, method="kl", n_init=1).labels
        for name in ("ecr", "ecr-iterative", "stephens"):
            score(name, relabel(draws, pivot, method=name).membership.matrix)
        Z = np.eye(int(pivot.max()) + 1)[pivot]
        means = V @ Z / Z.sum(axis=0)
        score("mean row of the similarity matrix", means / means.sum(axis=1, keepdims=True))
        score("hard partition", Z)
    print("ten mixtures of four Gaussians, N = 300, draws of a DP mixture (its own K)\n")
    print("| membership | Brier to labels | Brier to true posterior | RMSE to it | ECE | misfit to PSM |")
    print("|---|---|---|---|---|---|")
    for name, rows in scores.items():
        print(f"| {name} | " + " | ".join(f"{value:.4f}" for value in np.mean(rows, axis=0)) + " |")
    print()


def relabelling() -> None:
    rng = np.random.default_rng(0)
    wide = np.concatenate([draws_of("synth_n200_k20")] * 10)
    shuffled = np.stack([rng.permutation(60)[row] for row in wide]).astype(np.int16)
    print("relabelling, CPU seconds; misfit of its shares and of SoF to the similarity matrix\n")
    print("| draws | M x N | K | ecr | ecr-iterative | stephens | SoF |\n|---|---|---|---|---|---|---|")
    for name, draws, K in (
        ("galaxy", draws_of("galaxy_mcmc"), 4),
        ("ex1", draws_of("ex1_mcmc"), 4),
        ("synth_n200_k20 ten times, labels shuffled", shuffled, 20),
    ):
        P, row = DrawsAffinity(draws), []
        sof = sof_membership(P, K, seed=0)
        for method in ("ecr", "ecr-iterative", "stephens"):
            seconds = cpu(lambda: relabel(draws, sof.membership.labels, method=method))
            result = relabel(draws, sof.membership.labels, method=method)
            row.append(f"{seconds:.2f} s, {result.n_iter} passes, {result.misfit:.4f}")
        shape = " x ".join(f"{side:,}" for side in draws.shape)
        seconds = cpu(lambda: sof_membership(P, K, seed=0))
        print(f"| {name} | {shape} | {K} | " + " | ".join(row) + f" | {seconds:.2f} s, {sof.misfit:.4f} |", flush=True)
    print()


SECTIONS = {
    "speed": speed,
    "residuals": residuals,
    "galaxy": galaxy,
    "starts": starts,
    "soft": soft,
    "relabelling": relabelling,
}

if __name__ == "__main__":
    warnings.simplefilter("ignore", ConvergenceWarning)
    for section in sys.argv[1:] or SECTIONS:
        SECTIONS[section]()
