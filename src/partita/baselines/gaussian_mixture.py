"""Gaussian mixture: max sum_i log sum_k pi_k N(x_i; mu_k, Sigma_k) by EM (scikit-learn)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.mixture import GaussianMixture as Mixture

from partita.arrays import Array
from partita.baselines.base import Baseline, BaselineEvidence, BaselineResult, seed_of
from partita.errors import InputError

__all__ = ["GaussianMixture"]


@dataclass(frozen=True)
class GaussianMixture(Baseline):
    """EM with full covariances from a k-means start; soft: the responsibilities. Cost: N K d^2 an iteration.

    Parameters
    ----------
    n_init, max_iter : int
    ridge : float
        Added to each variance. Where a covariance is singular all the same, a thousandth of the variance of all
        features takes its place, and the result's note says so.

    Raises
    ------
    InputError
        Where even that leaves a covariance singular.

    Examples
    --------
    >>> evidence = BaselineEvidence(features=[[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> result = GaussianMixture().cluster(evidence, 2, np.random.default_rng(0))
    >>> result.membership.round(6).max(axis=1).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """

    name = "gmm"
    idea = "Gaussian mixture, full covariances"
    source = "[dempster1977]; scikit-learn GaussianMixture"
    left_open = (
        "[zhao2015]: the covariance model, the start, and what is done about singular covariances. Here full ones, one "
        "k-means start a run, a ridge of 1e-6."
    )
    requires = "features"

    n_init: int = 1
    max_iter: int = 300
    ridge: float = 1e-6

    def _cluster(self, evidence: BaselineEvidence, n_clusters: int, rng: np.random.Generator) -> BaselineResult:
        X: Array = evidence.features
        seed = seed_of(rng)
        wide = 1e-3 * float(X.var())
        for ridge in (self.ridge, wide):
            model = Mixture(n_clusters, n_init=self.n_init, max_iter=self.max_iter, reg_covar=ridge, random_state=seed)
            try:
                Q = np.asarray(model.fit(X).predict_proba(X), dtype=np.float64)
            except ValueError:  # scikit-learn's word for a covariance that is not positive definite
                continue
            note = "" if ridge == self.ridge else f"a covariance was singular: ridge {ridge:.3g}"
            return BaselineResult(Q.argmax(axis=1).astype(np.int64), Q, bool(model.converged_), note)
        raise InputError(
            f"a covariance stayed singular with a ridge of {wide:.3g}: are all rows the same? Ask for fewer clusters, "
            "or use 'k-means'"
        )
