"""DPGaussianMixture: partition draws and a density from a Dirichlet-process mixture of Gaussians."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import DensityMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from partita.arrays import Array
from partita.errors import InputError
from partita.estimators.checked_parameters import check_parameters, seed_of
from partita.estimators.frames import checked_frame
from partita.estimators.input_checks import check_finite, dense_features, warn_of_lost_digits
from partita.estimators.objects import features_in
from partita.estimators.shown import Shown
from partita.mixture import GammaPrior, SampledPartitions, Sampler, SweepBar, sample_partitions
from partita.mixture.agreement import ChainAgreement
from partita.mixture.priors import ComponentPrior

__all__ = ["DPGaussianMixture"]

# What to do with a matrix of pairs of items, of which a mixture cannot be made.
OF_PAIRS = "fit SoftClustering(affinity='precomputed') or (affinity='precomputed_distance') to it"


class DPGaussianMixture(DensityMixin, Shown):
    """Draws of partitions where there are none yet: the posterior of a mixture of any number of Gaussians.

    The model: x_i | c_i ~ N(mean_{c_i}, Sigma_{c_i}), full covariances, labels c from the Chinese restaurant process
    with concentration alpha [bayes-nmf eq. (1)-(2)]. What is fitted is not one clustering but draws of it: hand
    the fitted mixture to `BayesianPartition` for a point estimate, its alternatives and its uncertainty.

    Parameters
    ----------
    sampler : {"collapsed", "auxiliary", "slice"} or a `partita.mixture.Sampler`, optional
        "collapsed": components integrated out, split-merge moves; conjugate priors only, and the default there.
        "auxiliary": Neal's algorithm 8; the default for other priors. "slice": exchangeable sticks. An object carries
        its options: `Collapsed(split_merge=5)`, `Auxiliary(n_auxiliary=10)`.
    prior : {"conjugate", "independent", "paper"} or a `partita.mixture.ComponentPrior`, optional
        `NormalInverseWishart()` by default: weakly informative, and equivariant to units. "paper" is
        `IndependentNormalInverseWishart()`, that of [bayes-nmf] and PReMiuM.
    alpha : float > 0 or `partita.mixture.GammaPrior`, optional
        Concentration; by default learnt under Gamma(2, 1).
    n_chains : int, default 4
        Only chains that started apart can show that one is stuck.
    n_draws, burn_in, thin : int
        Draws kept of each chain, sweeps before the first, and sweeps for each.
    start : {"kmeans", "random", "one", "singletons"}, array of N labels, or a sequence of them
        Starts of the chains, in turn; the first two have 30 clusters.
    max_seconds : float, optional
        Sampling ends then, with as many draws as there are and a warning.
    on_interrupt : {"keep", "raise"}
        Effect of Ctrl-C: keep what has been drawn, or raise.
    random_state : int, RandomState, Generator or None
    n_jobs : int, optional
        Chains at a time, on threads; every core by default. The draws do not depend on it.
    verbose : int
        Show progress on standard error for fits longer than two seconds.

    Attributes
    ----------
    draws_ : M x N array, int16 or int32, M = n_chains n_draws
        Partitions, chain after chain, clusters numbered by first appearance.
    chain_ : array of M
        Which chain each draw is of.
    n_clusters_trace_, alpha_trace_, log_joint_trace_ : n_chains x n_draws
        The log joint is log p(X, labels | alpha), given the components where the sampler keeps them.
    agreement_ : `partita.mixture.ChainAgreement` or None
        Largest and mean difference between the chains' posterior similarity matrices; None for one chain.
    r_hat_, effective_sample_size_ : dict
        Rank-normalized split R-hat and bulk effective sample size of "n_clusters", "log_joint" and "alpha".
    result_ : `partita.mixture.SampledPartitions`
        All of it, and status, seconds, `verdict`: whether the chains agree, in words.

    Raises
    ------
    InputError, MemoryLimitError

    Notes
    -----
    Cost: N K d^2 / 2 multiplications a sweep. A `ConvergenceWarning` says when chains disagree and what to do.

    Examples
    --------
    >>> from partita.estimators.dp_gaussian_mixture import DPGaussianMixture
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [12, 12]], 30, axis=0)
    >>> model = DPGaussianMixture(n_draws=200, burn_in=200, random_state=0).fit(X)
    >>> model.draws_.shape, int(np.median(model.n_clusters_trace_))
    ((800, 60), 2)
    >>> at_a_centre, between = model.score_samples([[0.0, 0.0], [6.0, 6.0]])
    >>> bool(at_a_centre > between)
    True
    """

    # Parameters that are checked at `fit`, and may be anything before.
    on_interrupt: Any
    start: Any

    draws_: NDArray[Any]
    chain_: NDArray[np.intp]
    n_clusters_trace_: NDArray[np.int64]
    alpha_trace_: Array
    log_joint_trace_: Array
    agreement_: ChainAgreement | None
    r_hat_: dict[str, float]
    effective_sample_size_: dict[str, float]
    result_: SampledPartitions

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "sampler": [None, str, Sampler],
        "prior": [None, str, ComponentPrior],
        "alpha": [None, Interval(Real, 0, None, closed="neither"), GammaPrior],
        "n_chains": [Interval(Integral, 1, None, closed="left")],
        "n_draws": [Interval(Integral, 1, None, closed="left")],
        "burn_in": [Interval(Integral, 0, None, closed="left")],
        "thin": [Interval(Integral, 1, None, closed="left")],
        "start": [str, "array-like"],
        "max_seconds": [None, Interval(Real, 0, None, closed="neither")],
        "on_interrupt": [StrOptions({"keep", "raise"})],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [None, Integral],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        sampler: str | Sampler | None = None,
        *,
        prior: str | ComponentPrior | None = None,
        alpha: float | GammaPrior | None = None,
        n_chains: int = 4,
        n_draws: int = 1000,
        burn_in: int = 1000,
        thin: int = 1,
        start: Any = ("kmeans", "random"),
        max_seconds: float | None = None,
        on_interrupt: str = "keep",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.sampler = sampler
        self.prior = prior
        self.alpha = alpha
        self.n_chains = n_chains
        self.n_draws = n_draws
        self.burn_in = burn_in
        self.thin = thin
        self.start = start
        self.max_seconds = max_seconds
        self.on_interrupt = on_interrupt
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw partitions of the rows of X.

        Parameters
        ----------
        X : N x d array, frame or sparse matrix of finite features, or an AnnData
            One feature is an N x 1 array. Of an AnnData the components or else the features are taken, and a note says
            which.
        y : ignored

        Raises
        ------
        InputError
            For input that is wrong, and for a column that is constant, of which the default prior knows no scale.
        MemoryLimitError
            Where the draws, or sparse features as an array, would not fit.
        """
        check_parameters(self)
        X, _, where = features_in(X)
        X, given = self._checked(X, reset=True), getattr(X, "dtype", None)
        warn_of_lost_digits(X, given)
        with SweepBar() if self.verbose else nullcontext() as bar:
            result = sample_partitions(
                X,
                sampler=self.sampler,
                prior=self.prior,
                alpha=GammaPrior() if self.alpha is None else self.alpha,
                n_chains=self.n_chains,
                n_draws=self.n_draws,
                burn_in=self.burn_in,
                thin=self.thin,
                start=self.start,
                seed=seed_of(self.random_state),
                n_jobs=self.n_jobs,
                max_seconds=self.max_seconds,
                on_interrupt=self.on_interrupt,
                progress=bar,
            )
        self.result_ = result if where is None else replace(result, notes=(where, *result.notes))
        self.draws_, self.chain_ = result.labels, result.chain
        self.n_clusters_trace_, self.alpha_trace_ = result.n_clusters_trace, result.alpha_trace
        self.log_joint_trace_ = result.log_joint_trace
        self.agreement_ = result.agreement
        self.r_hat_, self.effective_sample_size_ = result.r_hat, result.effective_sample_size
        return self

    def score_samples(self, X: Any) -> Array:
        """Return the log predictive density of new items: that of the mean over draws (at most 500, evenly spaced).

        Parameters
        ----------
        X : M x d finite features, as `fit` takes them

        Returns
        -------
        array of M
        """
        check_is_fitted(self)
        X = self._checked(features_in(X).X, reset=False)
        return self.result_.density.log_density(X)

    def predict_density(self, X: Any) -> Array:
        """Return the predictive density of new items: `exp(score_samples(X))`."""
        return np.asarray(np.exp(self.score_samples(X)))

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log predictive density of the rows of X; higher is better on items that were not fitted."""
        return float(self.score_samples(X).mean())

    def _checked(self, X: Any, *, reset: bool) -> Array:
        """X as an array of finite features."""
        X = dense_features(X, OF_PAIRS) if sp.issparse(X) else checked_frame(X, pairwise=False)
        _require_columns(X)
        X = validate_data(self, X, reset=reset, dtype=np.float64, order="C", ensure_all_finite=False)
        check_finite(X, None)
        return np.asarray(X)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _require_columns(X: Any) -> None:
    """Say what an array of one dimension should be, without printing it."""
    if np.ndim(X) == 1:
        raise InputError(
            f"X has shape {np.shape(X)}: expected N x d features. Reshape your data: X.reshape(-1, 1) is one feature "
            "of N items, X.reshape(1, -1) one item"
        )
