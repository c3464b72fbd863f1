"""Priors over a component's mean and covariance, weakly informative by default and equivariant to units.

What is left at None is taken from the items, so that a change of units changes nothing: C is their covariance about
their average. A prior that sees the items is not a prior in the strict sense; with more than a few tens of items it
makes no difference, and one given in full sees nothing. Collinear columns are refused: a direction in which no item
varies would speak for one large cluster, whatever the others say.

Densities: Sigma ~ inverse-Wishart(nu, S) has density proportional to |Sigma|^{-(nu + d + 1)/2} exp(-tr(S Sigma^{-1})/2)
and mean S / (nu - d - 1).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from partita.arrays import Array
from partita.errors import InputError
from partita.mixture.units import Units

__all__ = ["ComponentPrior", "IndependentNormalInverseWishart", "NormalInverseWishart", "component_prior"]


# Eigenvalue of the correlations, of which the mean is 1, below which columns are collinear but for rounding.
COLLINEAR = 1e-10
# Covariance that a component is expected to have, as a share of the items'.
EXPECTED = 0.5
# Largest difference between S_ij and S_ji, relative to the largest entry, that rounding explains.
ASYMMETRY = 1e-9


class ComponentPrior(ABC):
    """Frozen hyperparameters, some of them to be taken from the items.

    Class attributes
    ----------------
    conjugate : whether mean and covariance can be integrated out
    """

    name: ClassVar[str]
    conjugate: ClassVar[bool]

    @abstractmethod
    def arrays(self, Z: Array, units: Units) -> Any:
        """Return `partita.kernels.mixture_linear.PriorArrays` for items Z that are in those units."""

    @property
    @abstractmethod
    def complete(self) -> bool:
        """Return whether nothing is taken from the items."""


@dataclass(frozen=True, eq=False)
class NormalInverseWishart(ComponentPrior):
    """The conjugate prior: Sigma ~ inverse-Wishart(nu, S), mean | Sigma ~ N(m, Sigma / kappa).

    By default a component is expected to have half the items' covariance, E[Sigma] = C / 2, with as few degrees of
    freedom as leave it an expectation, and means are spread over more than the items' range, E[Sigma] / kappa = 50 C
    [fraley2007 has the same kappa and nu]. Smaller scales and larger kappa make many clusters of few items: with C / 10
    and kappa = 0.05 the four groups of `bayes/ex1.csv` become 20 clusters.

    Parameters
    ----------
    mean : array of d, optional
        m; the average of the items by default.
    mean_precision : float > 0
        kappa: how many items the prior mean counts for.
    degrees_of_freedom : float > d - 1, optional
        nu; d + 2 by default.
    scale : d x d array (or a number for d = 1), symmetric positive definite, optional
        S; (nu - d - 1) C / 2 by default, for which nu must be above d + 1.

    References
    ----------
    [fraley2007] Fraley, Raftery: Bayesian regularization for normal mixture estimation. Journal of Classification 24.

    Examples
    --------
    >>> from partita.mixture import sample_partitions
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [8, 8]], 30, axis=0)
    >>> wide = NormalInverseWishart(degrees_of_freedom=100, scale=1e4 * np.eye(2))  # clusters of standard deviation 10
    >>> for prior in (NormalInverseWishart(), wide):
    ...     sampled = sample_partitions(X, prior=prior, n_chains=2, n_draws=200, burn_in=200, seed=0)
    ...     print(np.median(sampled.n_clusters_trace), "clusters")
    2.0 clusters
    1.0 clusters
    """

    name = "conjugate"
    conjugate = True

    mean: ArrayLike | None = None
    mean_precision: float = 0.01
    degrees_of_freedom: float | None = None
    scale: ArrayLike | None = None

    @property
    def complete(self) -> bool:
        return self.mean is not None and self.scale is not None

    def arrays(self, Z: Array, units: Units) -> Any:
        from partita.kernels.mixture_linear import PriorArrays

        d = Z.shape[1]
        kappa = _positive(self.mean_precision, "mean_precision")
        nu = _freedom(self.degrees_of_freedom, d + 2, d)
        if self.scale is None:
            if nu <= d + 1:
                raise InputError(
                    f"degrees_of_freedom={nu:g} leaves the covariance without an expectation in {d} dimensions: "
                    f"give more than {d + 1}, or the scale"
                )
            scale = EXPECTED * (nu - d - 1) * covariance(Z)
        else:
            scale = units.square(_matrix(self.scale, d, "scale"))
        V, log_det = _whitened(scale, "scale")
        nothing = np.zeros((d, d))
        return PriorArrays(True, _centre(self.mean, Z, units), kappa, nu, scale, V, log_det, nothing, nothing)


@dataclass(frozen=True, eq=False)
class IndependentNormalInverseWishart(ComponentPrior):
    """Mean and covariance independent: mean ~ N(m, T), Sigma ~ inverse-Wishart(nu, S); the paper's, and PReMiuM's.

    The text of [bayes-nmf, section 5] has Sigma ~ InvWishart(R, d) with R half the inverse covariance, whose unit is
    the inverse of what it should be; what reproduces the paper is precision ~ Wishart(C^{-1} / d, d), that is S = d C.
    With nu = d the prior is vague, and E[Sigma] does not exist.

    Parameters
    ----------
    mean : array of d, optional
        m; the average of the items by default.
    mean_covariance : d x d array (or a number for d = 1), optional
        T; by default diagonal, the squares of the columns' ranges.
    degrees_of_freedom : float > d - 1, optional
        nu; d by default.
    scale : d x d array (or a number for d = 1), optional
        S; nu C by default.

    Examples
    --------
    >>> IndependentNormalInverseWishart().conjugate
    False
    """

    name = "independent"
    conjugate = False

    mean: ArrayLike | None = None
    mean_covariance: ArrayLike | None = None
    degrees_of_freedom: float | None = None
    scale: ArrayLike | None = None

    @property
    def complete(self) -> bool:
        return self.mean is not None and self.scale is not None and self.mean_covariance is not None

    def arrays(self, Z: Array, units: Units) -> Any:
        from partita.kernels.mixture_linear import PriorArrays

        d = Z.shape[1]
        nu = _freedom(self.degrees_of_freedom, d, d)
        scale = nu * covariance(Z) if self.scale is None else units.square(_matrix(self.scale, d, "scale"))
        if self.mean_covariance is None:
            spread = np.diag(np.ptp(Z, axis=0) ** 2)
        else:
            spread = units.square(_matrix(self.mean_covariance, d, "mean_covariance"))
        V, log_det = _whitened(scale, "scale")
        W, _ = _whitened(spread, "mean_covariance")
        precision = W.T @ W
        return PriorArrays(
            False,
            _centre(self.mean, Z, units),
            1.0,
            nu,
            scale,
            V,
            log_det,
            precision,
            _upper_root(precision, "mean_covariance"),
        )


NAMED: dict[str, type[ComponentPrior]] = {
    "conjugate": NormalInverseWishart,
    "independent": IndependentNormalInverseWishart,
    "paper": IndependentNormalInverseWishart,
}


def component_prior(given: str | ComponentPrior | None) -> ComponentPrior | None:
    """Return a prior from its name or itself; None stays None.

    >>> component_prior("paper").name
    'independent'

    Raises
    ------
    InputError
    """
    if given is None or isinstance(given, ComponentPrior):
        return given
    if given not in NAMED:
        raise InputError(f"unknown prior {given!r}: expected one of {sorted(NAMED)}, or a prior with its parameters")
    return NAMED[given]()


def covariance(Z: Array) -> Array:
    """Return the covariance about the average, N in the denominator.

    Raises
    ------
    InputError
        Where it is singular.
    """
    centred = Z - Z.mean(axis=0)
    C = centred.T @ centred / len(Z)
    deviation = np.sqrt(C.diagonal())
    rank = int((np.linalg.eigvalsh(C / np.outer(deviation, deviation)) > COLLINEAR).sum())
    if rank < len(C):
        raise InputError(
            f"the {Z.shape[1]} columns of X are collinear (rank {rank}, n_samples = {len(Z)}), so that the default "
            "prior has no scale in some direction: drop columns, take principal components, or give a prior with its "
            "mean and scale"
        )
    return np.asarray(C)


def _centre(mean: ArrayLike | None, Z: Array, units: Units) -> Array:
    if mean is None:
        return np.asarray(Z.mean(axis=0))
    given = np.atleast_1d(np.asarray(mean, dtype=np.float64))
    if given.shape != (Z.shape[1],) or not np.isfinite(given).all():
        raise InputError(f"mean of the prior: expected {Z.shape[1]} finite numbers, got shape {given.shape}")
    return np.asarray(units.of(given[None])[0])


def _positive(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not (np.isfinite(value) and value > 0):
        raise InputError(f"{name}={value!r} of the prior: expected a positive number")
    return float(value)


def _freedom(given: float | None, default: float, d: int) -> float:
    nu = float(default) if given is None else _positive(given, "degrees_of_freedom")
    if nu <= d - 1:
        raise InputError(f"degrees_of_freedom={nu:g} of the prior: in {d} dimensions it must be above {d - 1}")
    return nu


def _matrix(given: ArrayLike, d: int, name: str) -> Array:
    S = np.asarray(given, dtype=np.float64)
    S = S.reshape(1, 1) if S.ndim == 0 else S
    if S.shape != (d, d) or not np.isfinite(S).all():
        raise InputError(f"{name} of the prior: expected {d} x {d} finite numbers, got shape {S.shape}")
    if np.abs(S - S.T).max() > ASYMMETRY * np.abs(S).max():
        raise InputError(f"{name} of the prior is not symmetric")
    return np.asarray((S + S.T) / 2)


def _upper_root(S: Array, name: str) -> Array:
    """R upper triangular with R R^T = S."""
    try:
        return np.ascontiguousarray(np.linalg.cholesky(S[::-1, ::-1])[::-1, ::-1])
    except np.linalg.LinAlgError:
        raise InputError(f"{name} of the prior is not positive definite: all its eigenvalues must be above 0") from None


def _whitened(S: Array, name: str) -> tuple[Array, float]:
    """V upper triangular with V^T V = S^{-1}, and log |S|."""
    R = _upper_root(S, name)
    V = np.ascontiguousarray(np.triu(np.linalg.inv(R)))
    return V, float(2 * np.log(R.diagonal()).sum())
