"""Partition draws of a Dirichlet-process Gaussian mixture, for the estimator and the command line."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from partita.arrays import Array, Labels
from partita.errors import InputError
from partita.kernels.threads import limit_threads, n_threads
from partita.memory import require_memory
from partita.mixture.base import MixtureModel, Recorded, Sampler, as_sampler
from partita.mixture.chains import Chain, ChainPlan, run_chains
from partita.mixture.concentration import GammaPrior, concentration
from partita.mixture.density import DRAWS, GaussianDensity, PredictiveDensity, StudentDensity
from partita.mixture.priors import ComponentPrior, NormalInverseWishart, component_prior
from partita.mixture.result import SampledPartitions
from partita.mixture.units import Units
from partita.pace import Progressing
from partita.runs import Runs, Status
from partita.wording import count

__all__ = ["sample_partitions"]


# Squares of values, and sums of them, stay in double precision.
LARGEST, SMALLEST = 1e150, 1e-150


def sample_partitions(
    X: ArrayLike,
    *,
    sampler: str | Sampler | None = None,
    prior: str | ComponentPrior | None = None,
    alpha: float | GammaPrior = GammaPrior(),  # noqa: B008 - frozen
    n_chains: int = 4,
    n_draws: int = 1000,
    burn_in: int = 1000,
    thin: int = 1,
    start: Any = ("kmeans", "random"),
    seed: int | None = None,
    n_jobs: int | None = None,
    max_seconds: float | None = None,
    on_interrupt: Literal["keep", "raise"] = "keep",
    progress: Callable[[Progressing], None] | None = None,
) -> SampledPartitions:
    """Sample partitions of items from the posterior of a Dirichlet-process mixture of Gaussians.

    The model: x_i | c_i ~ N(mean_{c_i}, Sigma_{c_i}) with full covariances from `prior`, and labels c from the Chinese
    restaurant process with concentration `alpha` [bayes-nmf eq. (1)-(2)].

    Parameters
    ----------
    X : N x d array of finite features, or N numbers
    sampler : {"collapsed", "auxiliary", "slice"} or a `Sampler` with its options, optional
        "collapsed" (conjugate priors only) by default, and "auxiliary" for other priors.
    prior : {"conjugate", "independent", "paper"} or a prior with its parameters, optional
        `NormalInverseWishart()` by default, and for "conjugate"; "independent" and "paper" are
        `IndependentNormalInverseWishart()`.
    alpha : float > 0 or GammaPrior
        Concentration; learnt under Gamma(2, 1) by default.
    n_chains : int
        At least four are recommended: nothing else shows a chain that is stuck.
    n_draws : int
        Draws kept of each chain.
    burn_in : int
        Sweeps of each chain before the first draw.
    thin : int
        Sweeps for each draw.
    start : {"kmeans", "random", "one", "singletons"}, array of N labels, or a sequence of them
        Starts of the chains, in turn; the first two have 30 clusters. "one" is there for comparison: chains from one
        cluster get stuck.
    seed : int, optional
    n_jobs : int, optional
        Chains at a time, on threads; every core by default. The draws do not depend on it.
    max_seconds : float, optional
        Sampling ends then; every chain has as many draws as the one with the fewest, and at least one.
    on_interrupt : {"keep", "raise"}
        Effect of Ctrl-C: hand back what has been drawn, or raise.
    progress : callable, optional
        Told a `partita.pace.Progressing` for each chain, several times a second; its iterations are sweeps.

    Returns
    -------
    SampledPartitions

    Raises
    ------
    InputError
        For input or options that are wrong, and where a prior that takes its scale from the items finds none: columns
        that are constant or collinear, or no more items than columns.
    MemoryLimitError
        Where n_chains n_draws N labels would not fit.
    KeyboardInterrupt
        With on_interrupt="raise", or where Ctrl-C came before the first sweep.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        Where chains disagree, or time was over before the draws were there.

    Notes
    -----
    Cost: a sweep takes N K d^2 / 2 multiplications; 400 items in 2 dimensions and 4 clusters take 55 microseconds,
    and a split-merge proposal 95 (`benchmarks/samplers.py`). The first run on a machine compiles for some seconds.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(40, 1)) + np.repeat([0.0, 12.0], 20)[:, None]
    >>> found = sample_partitions(X, n_draws=200, burn_in=200, seed=0)
    >>> found.labels.shape, int(np.median(found.n_clusters_trace)), found.agreement.max_difference < 0.2
    ((800, 40), 2, True)
    """
    if on_interrupt not in ("keep", "raise"):
        raise InputError(f"on_interrupt={on_interrupt!r}: expected 'keep' or 'raise'")
    jobs = n_threads() if n_jobs is None else n_jobs
    runs = Runs(jobs, max_seconds, "best" if on_interrupt == "keep" else "raise", progress)
    items = _checked_items(X)
    N = len(items)
    for name, value, least in (
        ("n_chains", n_chains, 1),
        ("n_draws", n_draws, 1),
        ("burn_in", burn_in, 0),
        ("thin", thin, 1),
    ):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise InputError(f"{name}={value!r}: expected a whole number, at least {least}")
    the_prior = component_prior(prior) or NormalInverseWishart()
    the_sampler = as_sampler(sampler, the_prior)
    size = 2 if np.iinfo(np.int16).max >= N else 4
    require_memory(2 * n_chains * n_draws * N * size, "the draws", "ask for fewer draws, or raise thin")
    starts = starts_of_chains(start, n_chains, N)
    units = Units.of_items(items)
    if units.constant.any() and not the_prior.complete:
        j = int(np.flatnonzero(units.constant)[0])
        raise InputError(
            f"column {j} of X is constant (n_samples = {N}), so that the default prior has no scale for it: drop the "
            "column, or give a prior with its mean and scale"
        )
    Z = units.of(items)
    model = MixtureModel(Z, the_prior.arrays(Z, units), concentration(alpha))
    plan = ChainPlan(int(n_draws), int(burn_in), int(thin), -(-n_chains * n_draws // DRAWS))
    with limit_threads(runs.n_jobs):
        chains = [_begun(c, starts[c], the_sampler, model, plan, seed) for c in range(n_chains)]
    status = run_chains(chains, the_sampler, model, plan, runs)
    with limit_threads(runs.n_jobs) if n_jobs is not None else nullcontext():
        result = _together(chains, the_sampler, the_prior, alpha, model, units, status, seed, runs.seconds)
        result = dataclasses.replace(result, notes=_cut_short(result, plan))
        _warn(result)
    return result


def _checked_items(X: ArrayLike) -> Array:
    items = np.asarray(X)
    if items.dtype.kind not in "iufb":
        raise InputError(f"X holds {items.dtype}, expected numbers")
    items = items.astype(np.float64)
    if items.ndim == 1:
        items = items[:, None]
    if items.ndim != 2 or items.shape[0] == 0 or items.shape[1] == 0:
        raise InputError(f"X has shape {np.shape(X)}, expected N x d features, at least one of each")
    bad = np.argwhere(~np.isfinite(items))
    if len(bad):
        i, j = bad[0]
        more = f" (and {count(len(bad) - 1, 'more cell')})" if len(bad) > 1 else ""
        raise InputError(f"X[{i}, {j}] is {items[i, j]}{more}: fill it in, or drop the row")
    top = float(np.abs(items).max())
    if top > LARGEST or 0 < top < SMALLEST:
        raise InputError(f"the largest value of X, {top:g}, cannot be squared in double precision: change its unit")
    return items


def _stream(seed: int | None, *key: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def _begun(number: int, start: Any, sampler: Sampler, model: MixtureModel, plan: ChainPlan, seed: int | None) -> Chain:
    rng = _stream(seed, number)
    state = sampler.start(model, first_labels(start, model.items, rng), rng)
    return Chain.of(number, start if isinstance(start, str) else "given", rng, state, plan.n_draws)


def _together(
    chains: list[Chain],
    sampler: Sampler,
    prior: ComponentPrior,
    alpha: float | GammaPrior,
    model: MixtureModel,
    units: Units,
    status: Status,
    seed: int | None,
    seconds: float,
) -> SampledPartitions:
    """Collect what the chains have kept, as many draws of each as the shortest has."""
    n = min(chain.at.n_kept for chain in chains)
    kept = [chain.kept.rows(0, n) for chain in chains]
    labels = np.concatenate([rows.labels for rows in kept])
    alphas = np.array([rows.alpha for rows in kept])
    recorded = [_spaced(chain.recorded, n, -(-DRAWS // len(chains))) for chain in chains]
    density: PredictiveDensity
    if prior.conjugate:
        at = np.array([c * n + draw.draw for c, draws in enumerate(recorded) for draw in draws])
        density = StudentDensity(units, model, labels[at], alphas.reshape(-1)[at])
    else:
        flat = [draw for draws in recorded for draw in draws]
        density = GaussianDensity.of_recorded(flat, model, units, _stream(seed, len(chains)))
    return SampledPartitions(
        labels=labels,
        chain=np.repeat(np.arange(len(chains)), n),
        n_clusters_trace=np.array([rows.n_clusters for rows in kept]),
        alpha_trace=alphas,
        log_joint_trace=np.array([rows.log_joint for rows in kept]) - len(model.items) * units.log_volume,
        density=density,
        status=status,
        n_sweeps=min(chain.at.sweeps for chain in chains),
        seconds=seconds,
        sampler=sampler,
        prior=prior,
        alpha=alpha,
        starts=tuple(chain.start for chain in chains),
        seed=seed,
    )


def _spaced(recorded: list[Recorded], n: int, most: int) -> list[Recorded]:
    """Select at most so many of those among the first n draws, evenly spaced, or the first one there is."""
    among = [draw for draw in recorded if draw.draw < n] or [recorded[0]._replace(draw=n - 1)]
    at = np.linspace(0, len(among) - 1, min(len(among), most)).round().astype(int)
    return [among[a] for a in at]


def _cut_short(result: SampledPartitions, plan: ChainPlan) -> tuple[str, ...]:
    """Note that sampling ended early, and where; empty where it did not."""
    if result.status == "completed":
        return ()
    why = "time was over" if result.status == "max_seconds" else "sampling was interrupted"
    return (
        f"{why} after {result.n_sweeps} of {plan.n_sweeps} sweeps"
        + (", within the burn-in" if result.n_sweeps <= plan.burn_in else "")
        + f": {result.n_draws} of {plan.n_draws} draws a chain",
    )


def _warn(result: SampledPartitions) -> None:
    """One warning for all that a user should act on."""
    words = list(result.notes)
    if result.verdict is not None and result.verdict.reasons:
        words.append(
            f"{result.verdict.words}. Run longer (n_draws, burn_in) and more chains; if they still disagree the "
            "posterior has several modes, and each chain's draws should be looked at by themselves"
        )
    if words:
        warnings.warn(". ".join(words), ConvergenceWarning, stacklevel=3)


# First labels of a chain: dispersed, and with more clusters than will stay.
#
# From one cluster most chains of a Gibbs sampler never leave for the right number; from too many they merge down at
# once.


# Clusters that an over-clustered start has, where there are so many items; and rounds of k-means.
MANY, ROUNDS = 30, 10
STARTS = ("kmeans", "random", "one", "singletons")


def starts_of_chains(given: Any, n_chains: int, n_items: int) -> list[str | Labels]:
    """Start of each chain: the names or labels given, in turn.

    Examples
    --------
    >>> starts_of_chains(("kmeans", "random"), 3, 10)
    ['kmeans', 'random', 'kmeans']

    Raises
    ------
    InputError
        For a name that is not one of `STARTS`, or labels that are not one for each item.
    """
    one = isinstance(given, str) or (isinstance(given, np.ndarray) and given.ndim == 1 and given.dtype.kind in "iu")
    entries: Sequence[Any] = [given] if one else list(given)
    if not entries:
        raise InputError(f"start is empty: expected some of {STARTS}, or labels")
    out: list[str | Labels] = []
    for entry in entries:
        if isinstance(entry, str):
            if entry not in STARTS:
                raise InputError(f"unknown start {entry!r}: expected one of {STARTS}, or an array of labels")
            out.append(entry)
            continue
        labels = np.asarray(entry)
        if labels.shape != (n_items,) or labels.dtype.kind not in "iu":
            raise InputError(
                f"start: expected one of {STARTS}, or whole numbers, one for each of {n_items} items; got an array of "
                f"shape {labels.shape} and type {labels.dtype}"
            )
        out.append(labels.astype(np.int64))
    return [out[c % len(out)] for c in range(n_chains)]


def first_labels(start: str | Labels, Z: Array, rng: np.random.Generator) -> Labels:
    """Return labels of the rows of Z.

    "kmeans": k-means into `MANY` clusters; "random": as many at random; "one": all together; "singletons": each alone.

    Examples
    --------
    >>> first_labels("one", np.zeros((3, 1)), np.random.default_rng(0)).tolist()
    [0, 0, 0]
    """
    if not isinstance(start, str):
        return start
    n = len(Z)
    many = min(MANY, n)
    if start == "one":
        return np.zeros(n, dtype=np.int64)
    if start == "singletons":
        return np.arange(n)
    if start == "random":
        return rng.integers(0, many, n)
    from scipy.cluster.vq import kmeans2

    with warnings.catch_warnings(), np.errstate(invalid="ignore"):  # fewer distinct items than clusters
        warnings.simplefilter("ignore", UserWarning)  # a cluster that lost its items is no loss here
        _, labels = kmeans2(Z, many, iter=ROUNDS, minit="++", rng=rng)
    return np.asarray(labels, dtype=np.int64)
