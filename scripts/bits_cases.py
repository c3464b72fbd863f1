"""What `scripts/bits` compares: estimators, functions and commands on fixed inputs, through public names alone.

A case is a function without arguments; what it returns (an estimator, arrays, numbers, words, files) is told apart to
the last bit. A case that raises is told by the type of its error. To add one, write a function here whose name begins
with the group it belongs to, or add a row to a table of `estimator_cases`.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import scipy.sparse as sp

import partita
from partita import affinity as kinds
from partita.affinity import (
    DenseAffinity,
    DrawsAffinity,
    Landmarks,
    LocalMetricGraph,
    LowRankAffinity,
    LowRankRepresentation,
    MatchingPursuit,
    NeighborGraph,
    Nystrom,
    Precomputed,
    RandomFeatures,
    RelativeDistance,
    SparseSubspace,
    normalise,
)
from partita.cli import main
from partita.ensemble import Ensemble
from partita.n_clusters import Criterion, KEvidence
from partita.nmf import nmf
from partita.objectives import Problem
from partita.partition.losses import PartitionLoss
from partita.scams import ADMM
from partita.solvers import ProjectedGradient, Solver, Starts

Case = Callable[[], Any]

# What differs from one run to the next: clocks, memory, versions, places.
VOLATILE = {
    "files",
    "partita",
    "seconds",
    "earlier_seconds",
    "peak_memory_bytes",
    "versions",
    "created",
    "command_line",
    "python",
    "platform",
}


def cases() -> dict[str, Case]:
    """Every case by its name."""
    found: dict[str, Case] = {}
    for make in (estimator_cases, affinity_cases, criterion_cases, draws_cases, run_cases, saved_cases, command_cases):
        for name, case in make():
            assert name not in found, name
            found[name] = case
    return found


# ---------------------------------------------------------------- inputs


def features(seed: int = 0, n: int = 90, d: int = 3, K: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(K, d)) * 4
    X = centres[np.arange(n) % K] + rng.normal(size=(n, d))
    X[5] = X[2]
    X[17] = X[2]  # copies are one item
    return X


def with_holes() -> np.ndarray:
    X = features()
    X[::7, 0] = X[3::11, 1] = np.nan  # any two rows share a column
    return X


def matrix(seed: int = 1, n: int = 60, K: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    P = np.kron(np.eye(K), np.ones((n // K, n // K))) * 0.7 + 0.1 + 0.1 * rng.random((n, n))
    P = (P + P.T) / 2
    np.fill_diagonal(P, 1.0)
    return P


def sparse(seed: int = 1) -> sp.csr_array:
    P = matrix(seed)
    return sp.csr_array(np.where(P > 0.45, P, 0.0))


def unobserved() -> np.ndarray:
    P = matrix()
    i, j = np.nonzero(np.triu(np.random.default_rng(4).random(P.shape) < 0.2, 1))
    P[i, j] = P[j, i] = np.nan
    return P


def gaps() -> np.ndarray:
    X = features()
    return np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))


def labels(seed: int = 2, M: int = 60, N: int = 24, K: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.where(rng.random((M, N)) < 0.2, rng.integers(0, K, (M, N)), np.arange(N) * K // N)


def lines() -> np.ndarray:
    rng = np.random.default_rng(3)
    return np.concatenate([rng.normal(size=(20, d)) @ rng.normal(size=(d, 12)) for d in (2, 3, 2)])


# ---------------------------------------------------------------- estimators


def fitted(model: Any, X: Any, new: Any = None, **known: Any) -> dict[str, Any]:
    """All that a fit leaves behind, and what it says of new items."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, **known)
    told = {name: value for name, value in vars(model).items() if name.endswith("_") and not name.startswith("_")}
    told["warned"] = sorted({w.category.__name__ for w in caught})
    if new is not None:
        told["new"] = model.predict_proba(new)
    return told


def estimator_cases() -> Iterator[tuple[str, Case]]:
    X, P, D = features(), matrix(), gaps()
    new = features(9)[:12]
    plain = {"n_clusters": 3, "random_state": 0}
    sof = partita.SoF
    # What is not named is chosen: here everything is named that a case is not about.
    soft = partial(partita.SoftClustering, affinity="neighbors", probabilities="fitted")
    weights = np.random.default_rng(5).integers(0, 3, len(X)).astype(float)
    omega = sp.csr_array(np.where(np.random.default_rng(6).random((90, 90)) < 0.1, 2.0, 0.0))
    omega = sp.csr_array(omega.maximum(omega.T))
    must, cannot = [[0, 1], [1, 9]], [[0, 2], [9, 4], [30, 31]]
    rows: dict[str, tuple[Any, Any, Any, dict[str, Any]]] = {}

    def add(name: str, model: Any, X: Any, new: Any = None, **known: Any) -> None:
        rows[name] = model, X, new, known

    for name, builder in {
        "neighbors": "neighbors",
        "relative": "relative",
        "ensemble": "ensemble",
        "k": NeighborGraph(6, connection="mutual"),
        "cauchy": NeighborGraph(weights="cauchy", smoothing=3),
        "manhattan": NeighborGraph(metric="manhattan"),
        "gower": RelativeDistance(metric="gower", metric_params={"categorical": [2]}),
        "callable": RelativeDistance(metric=lambda x, y: float(np.abs(x - y).max())),
        "gaussian": RelativeDistance(kernel="gaussian", scale="balanced"),
        "local": LocalMetricGraph(),
        "landmarks": Landmarks(n_landmarks=30),
        "nystrom": Nystrom(n_landmarks=30),
        "grids": RandomFeatures(n_features=60),
        "waves": RandomFeatures(kernel="gaussian", n_features=60),
    }.items():
        add(f"soft, {name}", soft(**plain, affinity=builder), X, new)
        add(f"sof, {name}", sof(**plain, affinity=builder, n_init=2), X, new)
    for name, options in {
        "equal": {"sizes": "equal"},
        "free": {"sizes": "free"},
        "steps 1": {"steps": 1},
        "l1": {"normalization": "l1"},
        "frobenius": {"normalization": "frobenius", "affinity": "relative"},
        "entropy": {"normalization": "relative-entropy"},
        "none": {"normalization": "none"},
        "standard": {"scale_features": "standard"},
        "minmax": {"scale_features": "minmax"},
        "k-means": {"start": "kmeans"},
        "dirichlet": {"start": "dirichlet", "n_init": 3},
        "starts": {"start": ["spectral", "kmeans", "dirichlet"], "n_init": 4},
        "labels": {"start": np.arange(90) % 3},
        "threads": {"start": "dirichlet", "n_init": 3, "n_jobs": 2},
        "few": {"max_iter": 2},
        "auto": {"n_clusters": "auto"},
        "eigengap": {"n_clusters": "eigengap"},
        "calibrated": {"probabilities": "calibrated"},
        "averaged": {"probabilities": "averaged"},
        "equal ensemble": {"affinity": "ensemble", "sizes": "equal"},
        "ensemble, auto": {"affinity": "ensemble", "n_clusters": "auto"},
    }.items():
        add(f"soft: {name}", soft(**(plain | options)), X, new)
    for name, solver in Solver.registry.items():
        if "simplex" in solver.domains:
            add(f"solver {name}", sof(**plain, n_init=1, solver=solver(), max_iter=60), X, new)
            add(f"solver {name}, a scale each", soft(**plain, solver=solver(), max_iter=60), X)
    for name, kind in {
        "dense": P,
        "sparse": sparse(),
        "dense affinity": DenseAffinity(P),
        "low rank": LowRankAffinity(np.random.default_rng(7).random((60, 4))),
        "draws": DrawsAffinity(labels(N=60)),
        "soft draws": DrawsAffinity([np.random.default_rng(8).dirichlet(np.ones(3), 60) for _ in range(5)]),
    }.items():
        scored = kind.rows([0, 4, 8]) if hasattr(kind, "rows") else kind[[0, 4, 8]]
        for title, model in (("soft", soft), ("sof", sof)):
            add(f"{title}, precomputed {name}", model(**plain, affinity="precomputed"), kind, scored)
    add(
        "soft, unobserved",
        soft(**plain, affinity="precomputed", missing="unobserved", normalization="none"),
        unobserved(),
    )
    add("sof, unobserved", sof(**plain, affinity="precomputed", missing="unobserved", n_init=2), unobserved())
    only = Precomputed(unstored="unobserved")
    add("sof, only stored", sof(**plain, affinity=only, n_init=2), sparse())
    add("soft, missing cells", soft(**plain, missing="unobserved"), with_holes(), with_holes()[:5])
    add("sof, missing cells", sof(**plain, missing="unobserved", n_init=2), with_holes())
    add("soft, distances", soft(**plain, affinity="precomputed_distance"), D, D[:5])
    add("sof, distances", sof(**plain, affinity="precomputed_distance", n_init=2), D, D[:5])
    lopsided = P + np.triu(0.01 * np.random.default_rng(9).random(P.shape), 1)
    for how in ("mean", "max", "min"):
        add(f"sof, symmetrize {how}", sof(**plain, affinity="precomputed", symmetrize=how, n_init=1), lopsided)
    for title, model in (
        ("soft", soft(**plain)),
        ("sof", sof(**plain, n_init=2)),
        ("symnmf", partita.SymNMF(3, random_state=0)),
    ):
        add(f"{title}, sample weights", model, X, new, sample_weight=weights)
        add(f"{title}, links", model, X, new, must_link=must, cannot_link=cannot)
        add(f"{title}, pair weights", model, X, None, pair_weight=omega)
        add(f"{title}, all that is known", model, X, new, sample_weight=weights + 1, must_link=must, cannot_link=cannot)
    add("soft, weights of a matrix", soft(**plain, affinity="precomputed"), P, None, sample_weight=np.arange(60) % 3)
    add("soft, auto with links", soft("auto", random_state=0), X, None, must_link=must, cannot_link=cannot)
    add("soft, calibrated with links", soft(**plain, probabilities="calibrated"), X, None, must_link=must)
    for name, kind in (
        ("baum-eagon", partita.BaumEagon),
        ("symnmf", partita.SymNMF),
        ("copositive", partita.CopositiveFactorization),
    ):
        for given, Y in (("features", X), ("matrix", P)):
            option = {"affinity": "precomputed"} if given == "matrix" else {}
            add(f"{name}, {given}", kind(**plain, **option, n_init=2), Y, (new if given == "features" else P[:4]))
    add("kernel k-means", partita.KernelKMeans(**plain), X, new)
    add("kernel k-means, dirichlet", partita.KernelKMeans(**plain, start="dirichlet", n_init=3), X)
    add("spectral", partita.SpectralRelaxation(**plain), X, new)
    add("spectral, matrix", partita.SpectralRelaxation(**plain, affinity="precomputed"), P)
    for name, builder in {
        "ssc": "ssc",
        "omp": "ssc-omp",
        "lrr": "lrr",
        "ssc 2": SparseSubspace(),
        "lrr 2": LowRankRepresentation(),
        "omp 2": MatchingPursuit(),
    }.items():
        add(f"soft, {name}", soft(**plain, affinity=builder), lines(), lines()[:4] * 0.9)
        add(f"scams, {name}", partita.SCAMS(affinity=builder, random_state=0), lines())
    for name, options in {
        "plain": {},
        "admm": {"method": "admm"},
        "paper": {"method": ADMM.paper()},
        "three": {"n_clusters": 3},
        "eigengap": {"n_clusters": "eigengap"},
        "share": {"share": 0.2},
        "theta": {"theta": 0.5},
        "gamma": {"gamma": 0.01, "price": 0.5},
        "none": {"gamma": 0.3, "affinity_scale": "none"},
        "mean": {"theta": 0.5, "affinity_scale": "mean"},
        "spectral": {"start": "spectral"},
    }.items():
        add(f"scams: {name}", partita.SCAMS(**({"random_state": 0} | options), affinity="precomputed"), P)
    add("scams, features", partita.SCAMS(random_state=0), X, new)
    add("scams, links", partita.SCAMS(random_state=0), X, None, must_link=must, cannot_link=cannot)
    for name, options in {
        "collapsed": {},
        "auxiliary": {"sampler": "auxiliary"},
        "slice": {"sampler": "slice"},
        "paper": {"prior": "paper"},
        "alpha": {"alpha": 1.5, "start": ["kmeans", "one"]},
    }.items():
        model = partita.DPGaussianMixture(n_chains=2, n_draws=30, burn_in=30, random_state=0, **options)
        add(f"mixture, {name}", model, X[:, :2])
    for name, (model, X_, new_, known) in rows.items():
        yield (
            f"estimator: {name}",
            (lambda m=model, X=X_, new=new_, known=known: fitted(partita_clone(m), X, new, **known)),
        )


def partita_clone(model: Any) -> Any:
    """The same options, not fitted."""
    return type(model)(**model.get_params(deep=False))


# ---------------------------------------------------------------- parts


def affinity_cases() -> Iterator[tuple[str, Case]]:
    def of(P: Any) -> dict[str, Any]:
        W = np.random.default_rng(0).random((P.n_items, 3))
        return {
            "product": P @ W,
            "norm": P.squared_norm(),
            "diagonal": P.diagonal(),
            "rows": P.rows([0, 3]),
            "sums": P.row_sums(),
            "kind": P.kind,
        }

    for name, kind in sorted(kinds.Affinity.kinds.items()):
        for n in (23, 700):
            yield f"affinity: {name} of {n}", (lambda kind=kind, n=n: of(kind.example(np.random.default_rng(1), n)[0]))
    for how in ("symmetric", "l1", "frobenius", "relative-entropy"):
        yield f"affinity: normalised {how}", (lambda how=how: of(normalise(DenseAffinity(matrix()), how).affinity))
    for name, method in (("one", ("mixture",)), ("two", ("graph", "genie"))):
        yield (
            f"affinity: ensemble of {name}",
            (lambda method=method: of(Ensemble(methods=method, n_draws=2).build(features(), n_clusters=3).affinity)),
        )


def criterion_cases() -> Iterator[tuple[str, Case]]:
    def judged(kind: type[Criterion]) -> Any:
        given = {
            "features": features(),
            "affinity": NeighborGraph().build(features(), n_clusters=3).affinity,
            "draws": labels(),
            "dimension": 2,
        }
        needs = {
            name: given[name] for name in kind.requires | {"affinity"} if name != "draws" or "draws" in kind.requires
        }
        if "draws" in kind.requires:
            needs = {"draws": given["draws"]}
        found = kind().judge(KEvidence(**needs))
        return [found.n_clusters, found.scores, found.note, found.sure]

    for name, kind in sorted(Criterion.registry.items()):
        yield f"criterion: {name}", (lambda kind=kind: judged(kind))


def draws_cases() -> Iterator[tuple[str, Case]]:
    def partition(L: np.ndarray, **options: Any) -> dict[str, Any]:
        fit = {name: options.pop(name) for name in ("weights",) if name in options}
        model = partita.BayesianPartition(random_state=0, **options).fit(L, **fit)
        ball = model.credible_ball()
        return {
            "labels": model.labels_,
            "loss": model.expected_loss_,
            "membership": model.membership_,
            "psm": model.psm(),
            "ball": ball,
            "modes": model.modes(),
            "notes": model.notes_,
            "tried": [(t.method, t.n_clusters, t.loss) for t in model.result_.tried],
        }

    for name in sorted(PartitionLoss.registry):
        if name != "constant_potts":
            yield f"draws: {name}", (lambda name=name: partition(labels(), loss=name))
            yield f"draws: {name} of 60", (lambda name=name: partition(labels(N=60, K=5), loss=name))
    yield "draws: capped", (lambda: partition(labels(N=60, K=5), max_clusters=3))
    yield "draws: weighted", (lambda: partition(labels(), weights=np.arange(60) + 1.0))
    yield "draws: threads", (lambda: partition(labels(N=60, K=5), n_jobs=2))
    yield "draws: similarity", (lambda: partita.posterior_similarity(labels(N=60)))
    for method in ("ls", "kl", "ns", "offset"):

        def factorized(method: str = method) -> Any:
            found = nmf(partita.posterior_similarity(labels()), 3, method=method, n_init=3, seed=0)
            return [found.W, found.H, found.labels, found.objective, found.notes]

        yield f"draws: nmf {method}", factorized


# ---------------------------------------------------------------- interruptions and checkpoints


@dataclass(frozen=True)
class Interrupted(ProjectedGradient):
    """Projected gradient that Ctrl-C meets in one of its steps."""

    at: int = 6

    def step(self, problem: Problem, state: Any) -> Any:
        if problem.n_products >= self.at:
            raise KeyboardInterrupt
        return super().step(problem, state)


def run_cases() -> Iterator[tuple[str, Case]]:
    def interrupted(**options: Any) -> Any:
        model = partita.SoF(3, random_state=0, n_init=2, tol=1e-9, on_interrupt="best", **options)
        return fitted(model, features())

    yield "run: interrupted", (lambda: interrupted(solver=Interrupted()))
    yield "run: interrupted before the first", (lambda: interrupted(solver=Interrupted(at=0)))

    def resumed() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            place = str(Path(folder, "c"))
            first = partita.SoF(
                3, random_state=0, n_init=3, tol=1e-9, solver=ProjectedGradient(), checkpoint=place, max_iter=500
            )
            told = [_stopped(first)]
            told.append(fitted(partita_clone(first), features()))
            return told

    def _stopped(model: Any) -> Any:
        calls = [0]
        kept = ProjectedGradient.step

        def step(self: Any, problem: Problem, state: Any) -> Any:
            calls[0] += 1
            if calls[0] == 25:
                raise KeyboardInterrupt
            return kept(self, problem, state)

        ProjectedGradient.step = step  # type: ignore[method-assign]
        try:
            model.set_params(on_interrupt="best").fit(features())
            return [model.membership_, model.result_.status]
        finally:
            ProjectedGradient.step = kept  # type: ignore[method-assign]
            model.set_params(on_interrupt="raise")

    yield "run: resumed from a checkpoint", resumed

    def started() -> Any:
        starts = Starts(DenseAffinity(matrix()), 3, None, None, None)
        return [starts.make(kind, 0, np.random.default_rng(0)) for kind in ("spectral", "dirichlet")]

    yield "run: starts", started


# ---------------------------------------------------------------- files


def saved_cases() -> Iterator[tuple[str, Case]]:
    home = Path(__file__).resolve().parents[1] / "tests" / "regression" / "saved"
    for folder in sorted(home.glob("*/*/model")):

        def loaded(folder: Path = folder) -> Any:
            model = partita.load(folder)
            new = None
            if (folder.parent / "answers.npz").is_file():
                with np.load(folder.parent / "answers.npz") as answers:
                    new = answers.get("X")
            told = {
                name: value for name, value in vars(model).items() if name.endswith("_") and not name.startswith("_")
            }
            if new is not None and hasattr(model, "predict_proba"):
                told["new"] = model.predict_proba(new)
            return told

        yield f"saved: {folder.parent.parent.name} {folder.parent.name}", loaded

    def again(model: Any, X: Any, new: Any) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            partita.save(model.fit(X), Path(folder, "model"))
            back = partita.load(Path(folder, "model"))
            return [back.membership_, back.predict_proba(new), written(Path(folder, "model"))]

    for name, model in {
        "soft": partita.SoftClustering(3, random_state=0, affinity="neighbors", probabilities="fitted"),
        "calibrated": partita.SoftClustering(3, probabilities="calibrated", random_state=0, affinity="neighbors"),
        "ensemble": partita.SoftClustering(3, affinity="ensemble", random_state=0, probabilities="fitted"),
        "sof": partita.SoF(3, n_init=2, random_state=0),
        "scams": partita.SCAMS(random_state=0),
    }.items():
        yield f"saved: {name} now", (lambda m=model: again(partita_clone(m), features(), features(9)[:9]))


def written(folder: Path) -> dict[str, Any]:
    """The files of a folder, without what differs from one run to the next."""
    told: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        name = str(path.relative_to(folder))
        if path.suffix == ".json":
            told[name] = _stable(json.loads(path.read_text(encoding="utf-8")))
        elif path.suffix in (".csv", ".txt"):
            told[name] = path.read_text(encoding="utf-8")
        elif path.suffix == ".html":
            text = re.sub(r"(?s)<(script|style).*?</\1>|<[^>]*>", " ", path.read_text(encoding="utf-8"))
            text = re.sub(
                r"[\d.,]+ [KMG]i?B|Seconds [\d.]+ in all, [\d.]+ in|/[\w./-]*/|\d+\.\d+\.\d+[\w.]*",
                "#",
                " ".join(text.split()),
            )
            told[name] = text
        elif path.suffix == ".npz":
            with np.load(path) as arrays:
                told[name] = {key: arrays[key] for key in arrays.files}
        elif path.suffix == ".safetensors":
            from safetensors.numpy import load_file

            told[name] = load_file(path)
        else:
            told[name] = path.suffix
    return told


def _stable(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _stable(part) for key, part in value.items() if key not in VOLATILE and "sha256" not in key}
    if isinstance(value, list):
        return [_stable(part) for part in value]
    return re.sub(r"/[\w./-]*/", "", value) if isinstance(value, str) else value


# ---------------------------------------------------------------- commands


def command_cases() -> Iterator[tuple[str, Case]]:
    def inputs(folder: Path) -> None:
        X, rng = features(), np.random.default_rng(0)
        rows = ["name,length,width,height,kind"]
        rows += [f"item{i},{','.join(map(repr, row))},{i % 3}" for i, row in enumerate(X.tolist())]
        (folder / "table.csv").write_text("\n".join(rows) + "\n")
        new = ["length,width,height", *(row.split(",", 1)[1].rsplit(",", 1)[0] for row in rows[1:9])]
        (folder / "new.csv").write_text("\n".join(new) + "\n")
        np.savez(folder / "affinity.npz", P=matrix())
        np.savetxt(folder / "distances.csv", gaps(), delimiter=",")
        i, j = np.nonzero(np.triu(matrix() > 0.45, 1))
        pairs = [f"a{a},a{b},{float(matrix()[a, b])!r}" for a, b in zip(i, j)]
        (folder / "edges.csv").write_text("\n".join(["source,target,weight", *pairs]) + "\n")
        np.savez(folder / "draws.npz", draw=labels())
        np.savetxt(folder / "draws.csv", labels(), delimiter=",", fmt="%d")
        (folder / "labels.csv").write_text("\n".join(["id,label", *(f"{i},{i % 3}" for i in range(30))]) + "\n")
        (folder / "truth.csv").write_text(
            "\n".join(["id,label", *(f"{i},{rng.integers(3)}" for i in range(30))]) + "\n"
        )
        (folder / "links.csv").write_text("item0,item1\nitem1,item9\n")
        (folder / "wrong.csv").write_text("a,b\n1,x\n2,3\n")

    def command(*lines: str) -> Any:
        with tempfile.TemporaryDirectory() as place, patch.object(sys, "argv", ["partita"]):
            folder = Path(place)
            inputs(folder)
            before = {path.name for path in folder.iterdir()}
            told = []
            for line in lines:
                out, err = StringIO(), StringIO()
                words = [str(folder / word[1:]) if word.startswith("@") else word for word in line.split()]
                with redirect_stdout(out), redirect_stderr(err):
                    try:
                        main(words)
                        code: Any = 0
                    except SystemExit as end:
                        code = end.code
                told.append([line, code or 0])
            for name in before:
                (folder / name).unlink()
            return [told, written(folder)]

    fit = "fit @table.csv --id-column name --label-column kind"
    for name, lines in {
        "fit": [f"{fit} --k 3 --out @out", "predict @out @new.csv --out @said.csv", "verify @out"],
        "fit, auto": [f"{fit} --k auto --out @out"],
        "fit, sof": [f"{fit} --k 3 --model sof --n-init 2 --seed 1 --out @out"],
        "fit, ensemble": [f"{fit} --k 3 --affinity ensemble --out @out"],
        "fit, calibrated": [f"{fit} --k 3 --probabilities calibrated --out @out"],
        "fit, scams": [f"{fit} --k auto --model scams --out @out"],
        "fit, links": [f"{fit} --k 3 --must-link @links.csv --out @out"],
        "fit, affinity": ["fit @affinity.npz --input affinity --k 3 --out @out"],
        "fit, distances": ["fit @distances.csv --input distances --k 3 --out @out"],
        "fit, edges": ["fit @edges.csv --input edges --k 3 --out @out"],
        "fit, solver": [f"{fit} --k 3 --solver projected-gradient:decay=0.9 --out @out"],
        "fit, wrong": [
            "fit @wrong.csv --k 2 --out @out",
            "fit @table.csv --k 3 --out @out",
            f"{fit} --k 300 --out @out",
        ],
        "partition": ["partition @draws.npz --out @out", "verify @out"],
        "partition, binder": ["partition @draws.csv --loss binder --max-clusters 4 --psm --out @out"],
        "draws": [
            "draws @table.csv --label-column kind --id-column name --sweeps 60 --chains 2 --out @out",
            "partition @out/draws.npz --out @said",
        ],
        "score": ["score @labels.csv @truth.csv"],
        "reproduce": ["reproduce --list"],
    }.items():
        yield f"command: {name}", (lambda lines=lines: command(*lines))
