"""Outliers and labels to rely on: are they ranked, calibrated and promised as the true densities say, beside peers?

    python benchmarks/doubt.py [--seeds 2] [--large] [--auto] [--verbose] [--only PART] [--picture FILE]
    python benchmarks/doubt.py --only agreement

Outliers: normal clusters and uniform noise in their box, whose densities are known. `background_probability` is given
k-means labels with the true K, which saves the fit; `SoftClustering(K)` is fitted where N = 500. Calibration error
(ECE) against which items were noise, F1 at .5; HDBSCAN has the best F1 of three minimum sizes, chosen with the truth.

Coverage: every method gives labels and the probability that each is right, and one rule, `confident_items`, takes the
largest set whose expected error is below a bound. Observed: mean over that set of 1 - the true posterior of the
component that the label stands for, after the best one-to-one match; labels left without a component are wrong. With
PARTITA_DATA set, shapes that have noise and the labelled tables follow, where an error is a class that is not the
label's, which no method can promise anything about.

Agreement: what the constants of `partita.doubt.certainty_by_agreement` are, learned on drawn sets whose number of
clusters is left to be found, and how certain labels are with them on sets of families that were left out, and on
fresh ones. The sets are of the families of `families.py` and of mixtures whose every number is drawn; one in ten is a
single cluster.

A method more is an entry more in OUTLIERS or in COVERAGE.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy.optimize import linear_sum_assignment, minimize
from scipy.special import expit, logsumexp
from scipy.stats import multivariate_normal
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.ensemble import IsolationForest
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import LocalOutlierFactor

from calibration import MOST, fuzzy_c_means, hdbscan
from families import FAMILIES
from mixtures import GAUSSIAN, OTHERS, Setting, draw, settings_drawn
from partita import SoftClustering
from partita.doubt import background_probability, confident_items
from partita.doubt.coverage import DEEP
from partita.ensemble.units import frame_of
from partita.io import read_features
from partita.plots import blank_figure
from quality import tables as real
from sets import data_home, load

ERRORS = (0.01, 0.05, 0.10)
BOUNDS = tuple(f"at most {error:.0%}" for error in ERRORS)
FIRST_SEED = 100
CLUSTERS, SPREAD = 4, 5.0
# Kinds of items without noise, and standard deviations between clusters that are evenly spread along other columns.
CLEAN = ("normal", "uniform", "skewed", "rating scale", "counts", "evenly spread but for a column")
APART = 6.0
SHARES, DIMENSIONS, SIZES = (0.05, 0.2, 0.5), (2, 5, 10, 50), (500, 5_000)
SMALLEST = 500
NOISY_SHAPES = ("shapes/zelnik4.csv", "shapes/cluto-t4-8k.csv")
MIN_CLUSTER_SIZES = (5, 15, 50)
# Sets of each kind of mixture to one of a family, and single clusters, so that they are a tenth.
MIXTURES, SINGLE = 5, 4
# Shares of the items at which the curves of the picture are averaged.
GRID = np.linspace(0.02, 1, 50)

# Labels, and the probability of each that it is right.
Answer = tuple[np.ndarray, np.ndarray]


def k_means(X: np.ndarray, K: int) -> np.ndarray:
    return KMeans(K, n_init=10, random_state=0).fit(X).labels_


def surest(W: np.ndarray) -> Answer:
    return W.argmax(axis=1), W.max(axis=1)


def soft_clustering(X: np.ndarray, K: int | str) -> Answer:
    model = SoftClustering(K, random_state=0).fit(X)
    return model.labels_, model.certainty_


# Probability of each item that it is an outlier, or a score that ranks them: (X, K) -> N numbers.
OUTLIERS: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "background_probability": lambda X, K: background_probability(X, k_means(X, K)),
    "SoftClustering(K)": lambda X, K: SoftClustering(K, random_state=0).fit(X).outlier_,
    "IsolationForest": lambda X, K: -IsolationForest(random_state=0).fit(X).score_samples(X),  # noqa: ARG005
    "LocalOutlierFactor": lambda X, K: -LocalOutlierFactor().fit(X).negative_outlier_factor_,  # noqa: ARG005
}
PROBABILITIES = ("background_probability", "SoftClustering(K)")
SLOW = ("SoftClustering(K)",)  # in the smallest drawn cases and the shapes alone
# Numbers in a table up to which peers are run too.
MOST_NUMBERS = 250_000
COVERAGE: dict[str, Callable[[np.ndarray, int], Answer]] = {
    "SoftClustering(K)": soft_clustering,
    "GaussianMixture(K)": lambda X, K: surest(GaussianMixture(K, n_init=5, random_state=0).fit(X).predict_proba(X)),
    "HDBSCAN": lambda X, K: surest(hdbscan(X, K)),
    "fuzzy c-means": lambda X, K: surest(fuzzy_c_means(X, K)),
}
OWN_NUMBER = {"SoftClustering()": lambda X, K: soft_clustering(X, "auto")}  # noqa: ARG005


def drawn_clusters(
    n: int, d: int, share: float, seed: int, kind: str = "normal"
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Clusters with uniform noise in their box: items, which are noise, and the true probability of that."""
    rng = np.random.default_rng([seed, n, d, round(100 * share)])
    noisy = round(n * share)
    means, label = SPREAD * rng.normal(size=(CLUSTERS, d)), rng.integers(0, CLUSTERS, n - noisy)
    stretch = np.exp(rng.uniform(-0.5, 0.5, size=(CLUSTERS, d)))
    shape = {"normal": rng.standard_normal, "uniform": partial(rng.uniform, -2, 2), "skewed": partial(rng.gamma, 2, 1)}
    X = means[label] + stretch[label] * shape[kind](size=(n - noisy, d))
    low, high = X.min(axis=0), X.max(axis=0)
    Y = np.concatenate([X, rng.uniform(low, high, size=(noisy, d))])
    logs = [multivariate_normal(m, np.diag(s**2)).logpdf(Y) for m, s in zip(means, stretch, strict=True)]
    with np.errstate(divide="ignore"):  # no noise at all
        odds = np.log(share / (1 - share)) - np.log(high - low).sum() - logsumexp(logs, axis=0) + np.log(CLUSTERS)
    return Y, np.arange(n) >= n - noisy, np.exp(-np.logaddexp(0.0, -odds))


def calibration_error(p: np.ndarray, truth: np.ndarray) -> float:
    bins = np.minimum((10 * p).astype(int), 9)
    return sum(abs((p - truth)[bins == b].sum()) for b in range(10)) / len(p)


def outlier_scores(X: np.ndarray, noise: np.ndarray, K: int, slow: bool) -> list[float]:
    """AUC of each method, with ECE and F1 of those that give probabilities; last the F1 of HDBSCAN."""
    scores: list[float] = []
    small = X.size <= MOST_NUMBERS
    for name, method in OUTLIERS.items():
        known = name == "background_probability" or (small and (slow or name not in SLOW))
        p = method(X, K) if known else np.zeros(len(X))
        found = [roc_auc_score(noise, p)]
        if name in PROBABILITIES:
            found += [calibration_error(p, noise), f1_score(noise, p > 0.5)]
        scores += found if known else [np.nan] * len(found)
    fits = (HDBSCAN(min_cluster_size=size, copy=True).fit(X) for size in MIN_CLUSTER_SIZES if small)
    return [*scores, max((f1_score(noise, fit.labels_ < 0) for fit in fits), default=np.nan)]


def scores_of_drawn(n: int, d: int, share: float, seed: int) -> list[float]:
    warnings.filterwarnings("ignore")
    X, noise, true = drawn_clusters(n, d, share, seed)
    return [roc_auc_score(noise, true), *outlier_scores(X, noise, CLUSTERS, n <= SMALLEST)]


def cells(values: Sequence[float]) -> str:
    return " | ".join("" if np.isnan(value) else f"{value:.3f}" for value in values)


def table(title: str, columns: Sequence[str]) -> None:
    head = f"| {' | '.join(columns)} |"
    print(f"\n#### {title}\n\n{head}\n|{'---|' * (head.count('|') - 1)}")


def outliers(seeds: int, sizes: Sequence[int]) -> None:
    columns = [f"{name} AUC" + " | ECE | F1" * (name in PROBABILITIES) for name in OUTLIERS] + ["best HDBSCAN F1"]
    table(f"Uniform noise, means of {seeds} draws", ["d", "N", "noise", "true AUC", *columns])
    for d, n, share in product(DIMENSIONS, sizes, SHARES):
        drawn = ((n, d, share, FIRST_SEED + seed) for seed in range(seeds))
        rows = Parallel(n_jobs=-1)(delayed(scores_of_drawn)(*one) for one in drawn)
        print(f"| {d} | {n:,} | {share:.0%} | {cells(np.mean(rows, axis=0))} |", flush=True)
    if "PARTITA_DATA" not in os.environ:
        return
    table("Shapes with items labelled as noise", ["set", "N", "noise", *columns])
    for name in NOISY_SHAPES:
        read = read_features(data_home() / name, label_column="label")
        labels = np.asarray(read.labels, dtype=str)
        noise = labels == "noise"
        scores = outlier_scores(read.features, noise, len(np.unique(labels[~noise])), slow=True)
        print(f"| {name} | {len(noise):,} | {noise.mean():.0%} | {cells(scores)} |", flush=True)


def clean_set(kind: str, n: int, d: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Items without noise, and their clusters: by k-means, or the true ones where those are evenly spread."""
    rng = np.random.default_rng([seed, n, d])
    if kind == "rating scale":
        return np.clip(np.round(rng.normal(3, 1, (n, d))), 1, 5), np.zeros(n, dtype=np.int64)
    if kind == "counts":
        return rng.poisson(3, (n, d)).astype(float), np.zeros(n, dtype=np.int64)
    if kind == "evenly spread but for a column":
        labels = np.arange(n) % CLUSTERS
        return np.c_[rng.normal(size=n) + APART * labels, APART * CLUSTERS * rng.random((n, d - 1))], labels
    X = drawn_clusters(n, d, 0.0, seed, kind)[0]
    return X, k_means(X, CLUSTERS)


def clean(seeds: int, sizes: Sequence[int]) -> None:
    table(
        f"Clean clusters: share called outliers, mean (most) of {seeds} draws",
        ["clusters", "N", *(f"d = {d}" for d in DIMENSIONS)],
    )
    for kind, n in product(CLEAN, sizes):
        shown = []
        for d in DIMENSIONS:
            drawn = [clean_set(kind, n, d, FIRST_SEED + seed) for seed in range(seeds)]
            called = [(background_probability(*one) > 0.5).mean() for one in drawn]
            shown.append(f"{np.mean(called):.3f} ({np.max(called):.3f})")
        print(f"| {kind} | {n:,} | {' | '.join(shown)} |", flush=True)


def wrong(labels: np.ndarray, posterior: np.ndarray) -> np.ndarray:
    """Probability of each label to be wrong: of all components but the one that it is matched with."""
    right = np.eye(int(labels.max()) + 1)[labels].T @ posterior
    component = np.full(len(right), -1)
    rows, columns = linear_sum_assignment(right, maximize=True)
    component[rows] = columns
    own = component[labels]
    return np.where(own < 0, 1.0, 1.0 - posterior[np.arange(len(labels)), own])


def promises(certainty: np.ndarray, false: np.ndarray) -> np.ndarray:
    """For each bound: what the set expects, what is observed (NaN of an empty set), coverage."""
    rows = []
    for found in (confident_items(certainty, error) for error in ERRORS):
        seen = found.mask.any()
        rows.append((found.expected_error, false[found.mask].mean(), found.coverage) if seen else (np.nan, np.nan, 0.0))
    return np.array(rows)


def curve(certainty: np.ndarray, false: np.ndarray) -> np.ndarray:
    """Expected and observed error of the surest items, at the coverages of the grid."""
    order = np.argsort(-certainty, kind="stable")
    count = np.maximum((GRID * len(order)).astype(int), 1)
    return np.stack([np.cumsum(one[order])[count - 1] / count for one in (1 - certainty, false)])


def said(expected: float, observed: float, covered: float) -> str:
    return f"{expected:.3f} / {observed:.3f}, {covered:.0%}" if covered else "none"


class Case(NamedTuple):
    """Items, and the probability of each component, or class, to be theirs."""

    name: str
    X: np.ndarray
    posterior: np.ndarray


def of_mixtures(settings: Sequence[Setting], seeds: int) -> list[Case]:
    found = []
    for setting in settings:
        for seed in range(seeds):
            one = draw(setting, FIRST_SEED + seed)
            found.append(Case(setting.name, one.X, one.posterior))
    return found


def of_tables() -> list[Case]:
    """Real tables, columns of unlike units standardised for every method."""
    found = []
    for name in real():
        X, y, K = load(name)
        if len(X) > MOST:
            chosen = np.random.default_rng(0).choice(len(X), MOST, replace=False)
            X, y = X[chosen], y[chosen]
        found.append(Case(name, frame_of(X)(X), np.eye(K)[y]))
    return found


def answer(method: Callable[[np.ndarray, int], Answer], case: Case) -> Answer:
    warnings.filterwarnings("ignore")
    return method(case.X, case.posterior.shape[1])


def coverage(title: str, cases: Sequence[Case], methods: dict, verbose: Sequence[str]) -> dict:
    """One table, with a row a case for the methods of `verbose`, and the curve of each method.

    An excess is observed less expected error.
    """
    table(
        f"{title}: {len(cases)} sets; expected / observed error, coverage",
        ["method", *BOUNDS, "excess at 5%: mean", "median", "where K clusters hold items", "none at 1%, 5%, 10%"],
    )
    curves = {}
    for name, method in methods.items():
        answers = Parallel(n_jobs=-1, batch_size=1)(delayed(answer)(method, case) for case in cases)
        found, whole, paths = [], [], []
        for case, (labels, certainty) in zip(cases, answers, strict=True):
            false = wrong(labels, case.posterior)
            found.append(promises(certainty, false))
            paths.append(curve(certainty, false))
            whole.append(len(np.unique(labels)) == case.posterior.shape[1])
        curves[name] = np.mean(paths, axis=0)
        observed = np.array(found)[..., 1]
        excess = observed[:, 1] - np.array(found)[:, 1, 0]
        kept = excess[whole][~np.isnan(excess[whole])]
        left = f"{kept.mean():+.3f} ({sum(whole)})" if len(kept) else ""
        empty = ", ".join(str(n) for n in np.isnan(observed).sum(axis=0))
        shown = " | ".join(said(*row) for row in np.nanmean(found, axis=0))
        shown = f"{shown} | {np.nanmean(excess):+.3f} | {np.nanmedian(excess):+.3f} | {left}"
        print(f"| {name} | {shown} | {empty} |", flush=True)
        for one in dict.fromkeys(case.name for case in cases) if name in verbose else ():
            rows = np.nanmean([row for row, case in zip(found, cases, strict=True) if case.name == one], axis=0)
            print(f"| {name}, {one} | {' | '.join(said(*row) for row in rows)} | | | | |", flush=True)
    return curves


class Fit(NamedTuple):
    """What is known of the labels of a fit, noise left out; the agreement is NaN of one cluster."""

    family: str
    certainty: np.ndarray
    right: np.ndarray
    inside: np.ndarray
    agreement: np.ndarray
    of_one: np.ndarray
    depth: np.ndarray
    sure: np.ndarray


def sets_of_families(seeds: Sequence[int]) -> list[Case]:
    """Sets of each family, and of each kind of mixture as many as of five families."""
    found = []
    for name, family in FAMILIES.items():
        more = SINGLE if name == "one_cluster" else 1
        for seed in range(more * seeds[0], more * (seeds[-1] + 1)):
            X, y = family(np.random.default_rng([seed, sum(map(ord, name)), 77]))
            posterior = np.full((len(y), y.max() + 1), np.nan)
            posterior[y >= 0] = np.eye(y.max() + 1)[y[y >= 0]]
            found.append(Case(name, X, posterior))
    for kind in ("gaussian", "student", "skewed", "curved"):
        for n, setting in enumerate(settings_drawn(MIXTURES * len(seeds), kind, seeds[0])):
            one = draw(setting, 100 * seeds[0] + n)
            found.append(Case(f"{kind} mixtures", one.X, one.posterior))
    return found


def fit_of(case: Case) -> Fit | None:
    warnings.filterwarnings("ignore")
    model = SoftClustering(random_state=0).fit(case.X)
    within, known = model._within(), ~np.isnan(case.posterior[:, 0])
    if within is None:
        return None
    right = 1.0 - wrong(model.labels_[known], case.posterior[known])
    certainty, inside = model._certainty_by_number()[known], 1.0 - model.outlier_[known]
    agreed = np.full(len(right), np.nan if model.n_clusters_ == 1 else model._agreement_on_number())
    depth = np.minimum(within.depth, DEEP)[model.labels_[known]]
    sure = np.full(len(right), model.verdict_.probability_of(model.n_clusters_))
    return Fit(case.name, certainty, right, inside, agreed, within.of_one[known], depth, sure)


def fits_to(cases: Sequence[Case]) -> list[Fit]:
    found = Parallel(n_jobs=-1, batch_size=1)(delayed(fit_of)(case) for case in cases)
    return [one for one in found if one is not None]


def with_agreement(constants: np.ndarray, one: Fit) -> np.ndarray:
    own, least, slope, number, single, flat, deep, together = constants
    agreed = least + slope * np.nan_to_num(one.agreement) + number * one.sure
    agreed = np.where(np.isnan(one.agreement), single, agreed)
    believed = expit(own) * one.certainty + expit(-own) * expit(agreed)
    divided = expit(flat - deep * one.depth - together * np.nan_to_num(one.agreement))
    return believed * (1 - divided * (1 - one.of_one)) * one.inside


def log_loss(certainty: np.ndarray, right: np.ndarray) -> np.ndarray:
    c = np.clip(certainty, 1e-4, 1 - 1e-4)
    return -(right * np.log(c) + (1 - right) * np.log(1 - c))


def learned(fits: Sequence[Fit]) -> np.ndarray:
    """The constants of least log loss; every fit counts alike."""
    weight = np.concatenate([np.full(len(one.right), 1 / len(one.right)) for one in fits])
    every = Fit("", *(np.concatenate([getattr(one, name) for one in fits]) for name in Fit._fields[1:]))

    def loss(constants: np.ndarray) -> float:
        return float(weight @ log_loss(with_agreement(constants, every), every.right) / len(fits))

    return minimize(loss, [0.0, 0.0, 4.0, 0.0, 0.7, 0.0, 1.0, 0.0], method="L-BFGS-B").x


def agreement() -> None:
    first, fresh = fits_to(sets_of_families(range(500, 512))), fits_to(sets_of_families(range(512, 516)))
    groups = {one.family for one in first}
    out = {group: learned([one for one in first if one.family != group]) for group in groups}
    constants = learned(first)
    own, *by_agreement, single, flat, deep, together = constants
    shown = f"{expit(own):.3f}, {', '.join(f'{one:.3f}' for one in by_agreement)}; {expit(single):.3f}; "
    shown += f"{flat:.3f}, {deep:.3f}, {together:.3f}"
    print(f"constants: {shown}")
    table(
        "Own number of clusters, certainty with agreement and without; expected / observed error, coverage",
        ["sets", "certainty", "fits", "log loss", "Brier", *BOUNDS, "none at 1%, 5%, 10%"],
    )

    def kind_of(one: Fit) -> str:
        if not one.family.endswith("mixtures"):
            return "families"
        return "Gaussian mixtures" if one.family.startswith("gaussian") else "other mixtures"

    for title, fits, at in (
        ("left out", first, lambda one: out[one.family]),
        ("fresh", fresh, lambda _: constants),
    ):
        for of, how in product(("families", "Gaussian mixtures", "other mixtures"), ("with", "without")):
            own_fits = [one for one in fits if kind_of(one) == of]
            certainties = [
                with_agreement(at(one), one) if how == "with" else one.certainty * one.inside for one in own_fits
            ]
            losses = [log_loss(c, one.right).mean() for c, one in zip(certainties, own_fits, strict=True)]
            brier = [((c - one.right) ** 2).mean() for c, one in zip(certainties, own_fits, strict=True)]
            found = np.array([promises(c, 1.0 - one.right) for c, one in zip(certainties, own_fits, strict=True)])
            empty = ", ".join(str(n) for n in np.isnan(found[..., 1]).sum(axis=0))
            shown = " | ".join(said(*row) for row in np.nanmean(found, axis=0))
            scores = f"{np.mean(losses):.3f} | {np.mean(brier):.3f}"
            print(f"| {of}, {title} | {how} | {len(own_fits)} | {scores} | {shown} | {empty} |")


def picture(path: str, families: dict[str, dict[str, np.ndarray]]) -> None:
    figure, axes = blank_figure(len(families), (2.6 + 3.4 * len(families), 3.4))
    for ax, (title, curves) in zip(axes, families.items(), strict=True):
        for i, (name, (expected, observed)) in enumerate(curves.items()):
            ax.plot(GRID, observed, color=f"C{i}", label=name)
            ax.plot(GRID, expected, color=f"C{i}", linestyle="--", linewidth=1)
        ax.set(
            title=title, xlabel="share of items, surest first", xlim=(0, 1), ylim=(0, 0.3 if "mix" in title else 0.7)
        )
    axes[0].set_ylabel("share of wrong labels among them")
    axes[0].plot([], [], color="0.3", linestyle="--", linewidth=1, label="expected by each")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper", frameon=False, fontsize=8)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2, help="draws of each setting")
    parser.add_argument("--large", action="store_true", help="outliers of 50,000 items too")
    parser.add_argument("--auto", action="store_true", help="the number of clusters left to be found too")
    parser.add_argument("--verbose", action="store_true", help="coverage setting by setting")
    parser.add_argument("--only", nargs="+", choices=("outliers", "clean", "coverage", "tables", "agreement"))
    parser.add_argument("--picture", metavar="FILE", help="coverage against error of each method, a panel a family")
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    asked = set(given.only or ("outliers", "clean", "coverage", "tables"))
    sizes = (*SIZES, 50_000) if given.large else SIZES
    if "outliers" in asked:
        outliers(given.seeds, sizes)
    if "clean" in asked:
        clean(given.seeds, sizes)
    methods, curves = COVERAGE | (OWN_NUMBER if given.auto else {}), {}
    if "coverage" in asked:
        for title, settings in (("Gaussian mixtures", GAUSSIAN), ("Other mixtures", OTHERS)):
            shown = tuple(methods) if given.verbose else ()
            curves[title] = coverage(title, of_mixtures(settings, given.seeds), methods, shown)
    if "tables" in asked and "PARTITA_DATA" in os.environ:
        curves["Tables with classes"] = coverage("Tables with classes", of_tables(), methods, ("SoftClustering(K)",))
    if given.picture:
        picture(given.picture, curves)
    if "agreement" in asked:
        agreement()
