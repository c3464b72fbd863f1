"""Mixtures whose posterior is known: what memberships from features can be held against.

Every setting names its family, K, d, N, the accuracy of the true posterior (Bayes), how elongated the components are
and how unequal in size. The means are drawn first and then moved apart or together, by bisection, until the true
posterior has that accuracy, so that the settings run from well separated to heavily overlapping by construction.
Settings and seeds are fixed here; `draw(setting, seed)` gives the same items everywhere.

Components, all with random rotations and elongations:

- gaussian: N(m, S)
- student: multivariate t with 4 degrees of freedom, heavy tails
- skewed: skew-normal [azzalini1996], density 2 phi(z) Phi(a.z)
- curved: a Gaussian bent by z_2 += b (z_1^2 - 1), whose Jacobian is one

References
----------
[azzalini1996] Azzalini, Dalla Valle: The multivariate skew-normal distribution. Biometrika 83, 1996.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import gammaln, log_ndtr, logsumexp

__all__ = ["GAUSSIAN", "OTHERS", "Drawn", "Setting", "draw", "settings_drawn"]

FREEDOM = 4.0
SKEW = 5.0
BEND = 0.7
# Items of the sample on which the accuracy of the true posterior is set, and steps of the bisection.
PROBE, HALVINGS = 20_000, 30


@dataclass(frozen=True)
class Setting:
    """One mixture model, up to its random draws."""

    family: Literal["gaussian", "student", "skewed", "curved"]
    K: int
    d: int
    n: int
    accuracy: float
    elongation: float = 3.0
    balance: float = 5.0

    @property
    def name(self) -> str:
        """As the tables show it."""
        return f"{self.family} K={self.K} d={self.d} N={self.n} Bayes {self.accuracy:.2f}"


GAUSSIAN = (
    Setting("gaussian", 2, 2, 600, 0.99),
    Setting("gaussian", 2, 2, 800, 0.85, balance=2.0),
    Setting("gaussian", 2, 5, 800, 0.80),
    Setting("gaussian", 3, 2, 800, 0.97, elongation=6.0),
    Setting("gaussian", 3, 3, 1000, 0.90),
    Setting("gaussian", 3, 10, 1500, 0.85),
    Setting("gaussian", 4, 2, 1000, 0.92, elongation=8.0),
    Setting("gaussian", 4, 4, 1200, 0.85, elongation=1.0, balance=50.0),
    Setting("gaussian", 4, 8, 1500, 0.98),
    Setting("gaussian", 5, 2, 1500, 0.88, balance=2.0),
    Setting("gaussian", 5, 5, 2000, 0.80),
    Setting("gaussian", 6, 3, 1800, 0.95, elongation=5.0),
    Setting("gaussian", 8, 2, 2000, 0.90, balance=20.0),
    Setting("gaussian", 8, 6, 2400, 0.93),
)
OTHERS = (
    Setting("student", 2, 2, 800, 0.92),
    Setting("student", 3, 4, 1200, 0.88),
    Setting("student", 5, 3, 1500, 0.93),
    Setting("skewed", 2, 2, 800, 0.90),
    Setting("skewed", 3, 3, 1200, 0.93),
    Setting("skewed", 4, 2, 1500, 0.88),
    Setting("curved", 2, 2, 800, 0.95),
    Setting("curved", 3, 2, 1200, 0.92),
    Setting("curved", 4, 4, 1500, 0.90),
)


def settings_drawn(n: int, family: str, seed: int) -> tuple[Setting, ...]:
    """Settings that nothing was chosen on: every number of theirs is drawn, n from 300 to 3,000 items."""
    rng = np.random.default_rng([seed, n, len(family)])
    return tuple(
        Setting(
            family,  # type: ignore[arg-type]
            int(rng.integers(2, 9)),
            int(rng.integers(2, 11)) if family != "curved" else int(rng.integers(2, 5)),
            int(300 * 10.0 ** rng.random()),
            float(np.round(rng.uniform(0.75, 0.98), 3)),
            elongation=float(np.round(rng.uniform(1.0, 8.0), 2)),
            balance=float(np.round(2.0 * 25.0 ** rng.random(), 2)),
        )
        for _ in range(n)
    )


@dataclass(frozen=True)
class Drawn:
    """Items, the true posterior of each (N x K) and the component it was drawn from."""

    X: np.ndarray
    posterior: np.ndarray
    component: np.ndarray


@dataclass(frozen=True)
class _Model:
    family: str
    shares: np.ndarray  # K
    means: np.ndarray  # K x d, before they are moved apart
    factors: np.ndarray  # K x d x d: x = m + factor z
    skew: np.ndarray  # K x d

    def sample(self, rng: np.random.Generator, n: int, apart: float) -> tuple[np.ndarray, np.ndarray]:
        K, d = self.means.shape
        z = rng.choice(K, size=n, p=self.shares)
        noise = rng.standard_normal((n, d))
        if self.family == "student":
            noise /= np.sqrt(rng.chisquare(FREEDOM, n) / FREEDOM)[:, None]
        elif self.family == "skewed":
            flip = rng.standard_normal(n) > np.einsum("nd,nd->n", noise, self.skew[z])
            noise[flip] *= -1
        elif self.family == "curved":
            noise[:, 1] += BEND * (noise[:, 0] ** 2 - 1)
        return apart * self.means[z] + np.einsum("nij,nj->ni", self.factors[z], noise), z

    def posterior(self, X: np.ndarray, apart: float) -> np.ndarray:
        joint = np.stack([self._log_joint(X, k, apart) for k in range(len(self.means))], axis=1)
        return np.exp(joint - logsumexp(joint, axis=1, keepdims=True))

    def _log_joint(self, X: np.ndarray, k: int, apart: float) -> np.ndarray:
        d = X.shape[1]
        z = np.linalg.solve(self.factors[k], (X - apart * self.means[k]).T).T
        start = np.log(self.shares[k]) - np.linalg.slogdet(self.factors[k])[1]
        if self.family == "student":
            constant = gammaln((FREEDOM + d) / 2) - gammaln(FREEDOM / 2) - d / 2 * np.log(FREEDOM * np.pi)
            return start + constant - (FREEDOM + d) / 2 * np.log1p((z**2).sum(axis=1) / FREEDOM)
        if self.family == "curved":
            z[:, 1] -= BEND * (z[:, 0] ** 2 - 1)
        normal = start - d / 2 * np.log(2 * np.pi) - (z**2).sum(axis=1) / 2
        return normal + np.log(2) + log_ndtr(z @ self.skew[k]) if self.family == "skewed" else normal


def draw(setting: Setting, seed: int) -> Drawn:
    """Items of one setting; the same for the same seed."""
    rng = np.random.default_rng([seed, setting.K, setting.d, setting.n, round(1000 * setting.accuracy)])
    K, d = setting.K, setting.d
    shares = np.full(K, 1 / (2 * K)) + rng.dirichlet(np.full(K, setting.balance)) / 2  # none below 1/(2K)
    means = _spread_out(rng, K, d)
    factors = np.empty((K, d, d))
    for k in range(K):
        rotation = np.linalg.qr(rng.standard_normal((d, d)))[0]
        lengths = np.exp(rng.uniform(-0.5, 0.5, d) * np.log(setting.elongation))
        factors[k] = rotation * lengths
    direction = rng.standard_normal((K, d))
    skew = SKEW * direction / np.linalg.norm(direction, axis=1, keepdims=True)
    model = _Model(setting.family, shares, means, factors, skew)
    apart = _apart_for(model, setting.accuracy, int(rng.integers(2**31)))
    X, component = model.sample(rng, setting.n, apart)
    return Drawn(X, model.posterior(X, apart), component)


def _spread_out(rng: np.random.Generator, K: int, d: int) -> np.ndarray:
    """Random means, the most evenly spaced of a few draws."""
    draws = [rng.standard_normal((K, d)) for _ in range(20)]
    gaps = [min(np.linalg.norm(m[a] - m[b]) for a in range(K) for b in range(a)) for m in draws]
    return draws[int(np.argmax(gaps))]


def _apart_for(model: _Model, accuracy: float, seed: int) -> float:
    """The factor of the means at which the true posterior has the accuracy asked for."""
    low, high = 0.0, 50.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        X, z = model.sample(np.random.default_rng(seed), PROBE, middle)
        right = (model.posterior(X, middle).argmax(axis=1) == z).mean()
        low, high = (middle, high) if right < accuracy else (low, middle)
    return high
