"""Searches for the best partition: losses reached beside R's best, CPU seconds on one thread.

    PARTITA_DATA=... OMP_NUM_THREADS=1 python benchmarks/partitions.py [marks|similarity|large|methods|cold]

Seconds are the least of three, compiled code loaded before. `marks`: the default search on the shared draws, three
seeds, against R's best (salso 0.3.35, mcclust.ext). `similarity`: the posterior similarity matrix. `large`: N = 5,000
items, M = 1,000 draws. `methods`: the searches of the literature by their names. `cold`: the first search of a process,
with compiled code on disk and without.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from partita.kernels.threads import limit_threads
from partita.partition import METHODS, PartitionDraws, posterior_similarity, search_partition
from sets import data_home

# R's best and its seconds, from "Marks to beat" of the project's findings; None where it has none.
MARKS: dict[str, dict[str, tuple[float | None, str]]] = {
    "galaxy_mcmc": {
        "vi": (0.93937, ".69"),
        "vi_lb": (0.57287, ".004"),
        "binder": (0.21824, ".78"),
        "pear": (0.5405, ".004"),
        "omari": (None, "1.9"),
        "nvi": (None, "-"),
        "id": (None, "-"),
        "nid": (None, "-"),
    },
    "ex1_mcmc": {
        "vi": (0.770412, "2.9"),
        "vi_lb": (0.426297, "-"),
        "binder": (0.062266, "2.3"),
        "pear": (0.824322, "5.1"),
    },
    "synth_n200_k20": {"vi": (1.24307, ".37"), "binder": (0.0314917, ".44")},
    "synth_n1000_k20": {"vi": (1.779474, "3.9"), "binder": (0.0315562, "2.9")},
}
EVERY = ("vi", "vi_lb", "binder", "pear", "omari", "nvi", "id", "nid")


def cpu(work: Callable[[], Any], runs: int = 3) -> tuple[float, Any]:
    """Least CPU seconds of several runs, and the last result."""
    times = []
    for _ in range(runs):
        began = time.process_time()
        result = work()
        times.append(time.process_time() - began)
    return min(times), result


def shared(name: str) -> np.ndarray:
    with np.load(data_home() / "bayes" / f"{name}.npz") as file:
        return file["draw"]


def planted(M: int, N: int, K: int, seed: int) -> np.ndarray:
    """The recipe of the shared `synth_*` draws.

    K clusters with gamma-weighted sizes; each draw moves item i, with its own noise q_i ~ Beta(1, 6), to its favourite
    wrong cluster (with probability .8) or to any; with probability .3 two clusters merge, and with .3 one splits.
    """
    rng = np.random.default_rng(seed)
    share = rng.gamma(2.0, size=K)
    truth = rng.choice(K, size=N, p=share / share.sum())
    noise, favourite = rng.beta(1, 6, size=N), (truth + rng.integers(1, K, size=N)) % K
    draws = np.empty((M, N), dtype=np.int16)
    for m in range(M):
        wrong = np.where(rng.random(N) < 0.8, favourite, rng.integers(K, size=N))
        labels = np.where(rng.random(N) < noise, wrong, truth)
        if rng.random() < 0.3:
            a, b = rng.choice(K, 2, replace=False)
            labels[labels == a] = b
        if rng.random() < 0.3:
            members = np.flatnonzero(labels == rng.integers(K))
            labels[members[rng.random(len(members)) < 0.5]] = K
        draws[m] = labels
    return draws


def marks() -> None:
    print("| draws | loss | R's best | reached (worst of 3 seeds) | K | CPU s | R's s | runs that agree |")
    print("|---|---|---|---|---|---|---|---|")
    for name, given in MARKS.items():
        draws = shared(name)
        for loss in EVERY:
            mark, seconds = given.get(loss, (None, "-"))
            search_partition(draws, loss=loss, random_state=0)
            found, times = [], []
            for seed in range(3):
                took, result = cpu(lambda: search_partition(draws, loss=loss, random_state=seed), 2)
                found.append(result)
                times.append(took)
            worst = (min if loss == "pear" else max)(found, key=lambda result: result.expected_loss)
            said = "-" if mark is None else f"{mark}"
            agree = f"{worst.n_agreeing} of {len(worst.runs)}"
            row = [name, loss, said, f"{worst.expected_loss:.7f}", str(worst.n_clusters), f"{min(times):.3f}", seconds]
            print("| " + " | ".join([*row, agree]) + " |", flush=True)


def similarity() -> None:
    print("| draws | items | clusters | CPU s |\n|---|---|---|---|")
    rng = np.random.default_rng(0)
    for M, N, K in ((10_000, 82, 16), (1_000, 1_000, 21), (10_000, 2_000, 20), (1_000, 5_000, 30)):
        draws = rng.integers(K, size=(M, N)).astype(np.int8)
        posterior_similarity(draws)
        took, _ = cpu(lambda: posterior_similarity(draws))
        print(f"| {M:,} | {N:,} | {K} | {took:.3f} |", flush=True)


def large() -> None:
    draws = planted(1_000, 5_000, 30, seed=1)
    small = draws[:50, :200]
    print("| loss | K | expected loss | best cut | CPU s | runs that agree | gap |\n|---|---|---|---|---|---|---|")
    for loss in EVERY:
        search_partition(small, loss=loss, random_state=0)
        took, found = cpu(lambda: search_partition(draws, loss=loss, random_state=0), 1)
        cuts = [tried.loss for tried in found.tried if tried.method.endswith(" linkage")]
        best = max(cuts) if loss == "pear" else min(cuts)
        agree = f"{found.n_agreeing} of {len(found.runs)}"
        row = [loss, str(found.n_clusters), f"{found.expected_loss:.7f}", f"{best:.7f}", f"{took:.1f}", agree]
        print("| " + " | ".join([*row, f"{found.gap:.1e}"]) + " |", flush=True)


def methods() -> None:
    print("| draws | method | loss | K | expected loss | CPU s |\n|---|---|---|---|---|---|")
    for name in ("galaxy_mcmc", "ex1_mcmc", "synth_n200_k20"):
        draws = PartitionDraws.of(shared(name))
        for method, run in METHODS.items():
            if method == "exhaustive":
                continue
            for loss in ("vi", "binder") if method not in ("min_binder", "max_pear", "min_vi") else (None,):
                given = {} if loss is None else {"loss": loss}
                run(draws, **given)
                took, found = cpu(lambda: run(draws, **given), 1)
                row = [
                    name,
                    method,
                    found.loss.name,
                    str(found.n_clusters),
                    f"{found.expected_loss:.6f}",
                    f"{took:.3f}",
                ]
                print("| " + " | ".join(row) + " |", flush=True)


def cold() -> None:
    code = (
        "import time, numpy as np\nbegan = time.perf_counter()\nfrom partita.partition import search_partition\n"
        "draws = np.random.default_rng(0).integers(3, size=(50, 30))\n"
        "search_partition(draws, loss={!r}, random_state=0)\nprint(time.perf_counter() - began)"
    )
    print("| loss | compiling, s | from disk, s |\n|---|---|---|")
    for loss in EVERY:
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
            command = [sys.executable, "-c", code.format(loss)]
            took = [
                float(subprocess.run(command, env=environment, capture_output=True, check=True, text=True).stdout)
                for _ in range(2)
            ]
        print(f"| {loss} | {took[0]:.1f} | {took[1]:.1f} |", flush=True)


if __name__ == "__main__":
    asked = sys.argv[1:] or ["marks", "similarity", "large", "methods", "cold"]
    with limit_threads(1):
        for part in asked:
            {"marks": marks, "similarity": similarity, "large": large, "methods": methods, "cold": cold}[part]()
            print(flush=True)
