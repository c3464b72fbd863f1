"""Temperature scaling: memberships made as certain as fits to other items bear out, no more.

w_k -> (1 - s) w_k^(1/T) / sum_l w_l^(1/T) + s / K with T >= 1 and 0 < s < 1: the temperature of [guo2017] and a little
of add-half smoothing, so that no membership is a hard zero. The order of the entries of a row never changes, nor
therefore its argmax.

Both are fitted without labels, on two halves of the items: what one half's fit says of the other half's items should
predict what that half's own fit says of them, by cross-entropy. The log-odds of a fit to half the items have twice the
noise of one to all, and an attenuation of 1 / T = signal / (signal + noise) has T - 1 = noise / signal: so half of the
excess over one is taken, of the smoothing likewise.

References
----------
[guo2017] Guo, Pleiss, Sun, Weinberger: On calibration of modern neural networks. ICML 2017.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from partita.arrays import Array
from partita.kernels.threads import available_cores
from partita.runs import outcomes_of

__all__ = ["Temperature", "fit_temperature"]


# Hottest temperature: beyond it a membership is all but uniform.
HOTTEST = 25.0
# Smoothings tried; the first stands for none, and no membership falls below it over K.
SMOOTHINGS = (1e-4, 3e-3, 1e-2, 3e-2, 1e-1)
# Memberships below this are as good as zero, and their logarithms still are numbers.
LEAST = 1e-100


@dataclass(frozen=True)
class Temperature:
    """The map of a membership.

    >>> Temperature(2.0, 0.0)(np.array([[0.9, 0.1]])).round(12).tolist()
    [[0.75, 0.25]]
    """

    value: float = 1.0
    smoothing: float = SMOOTHINGS[0]

    def __call__(self, W: Array) -> Array:
        """The membership W, N x K, as sure as the temperature allows."""
        powered = W if self.value == 1 else _softened(np.log(np.maximum(W, LEAST)), self.value)
        return np.asarray((1 - self.smoothing) * powered + self.smoothing / W.shape[1])

    def of_all(self) -> Temperature:
        """Extrapolate a temperature fitted on halves to a fit of all items."""
        return Temperature(1 + (self.value - 1) / 2, max(self.smoothing / 2, SMOOTHINGS[0]))


def fit_temperature(pairs: Sequence[tuple[Array, Array, Array]]) -> Temperature:
    """Return the temperature and smoothing of least cross-entropy.

    Parameters
    ----------
    pairs : sequence of (predicted N x K, borne out N x K, weights N)
        Columns aligned.

    Examples
    --------
    >>> said, held = np.array([[0.9, 0.1]] * 4), np.eye(2)[[0, 0, 0, 1]]
    >>> found = fit_temperature([(said, held, np.ones(4))])  # said .9, right three times in four
    >>> found(said)[0].round(2).tolist()
    [0.75, 0.25]
    """
    logs = np.log(np.maximum(np.concatenate([predicted for predicted, _, _ in pairs]), LEAST))
    held = np.concatenate([weights[:, None] * target for _, target, weights in pairs])
    held /= held.sum()
    shifted, K = logs - logs.max(axis=1, keepdims=True), held.shape[1]

    def least(smoothing: float) -> tuple[float, float, float]:
        """The least cross-entropy with this smoothing, the temperature that has it, and the smoothing."""
        W = np.empty_like(shifted)

        def loss(log_value: float) -> float:  # W is written: new arrays of its size would cost more than the sums
            np.exp(np.divide(shifted, np.exp(log_value), out=W), out=W)
            np.divide(W, W.sum(axis=1, keepdims=True), out=W)
            np.log(np.add(np.multiply(W, 1 - smoothing, out=W), smoothing / K, out=W), out=W)
            return -float(np.multiply(W, held, out=W).sum())

        found = minimize_scalar(loss, bounds=(0.0, np.log(HOTTEST)), method="bounded", options={"xatol": 1e-2})
        return float(found.fun), float(np.exp(found.x)), smoothing

    return Temperature(*min(outcomes_of(least, SMOOTHINGS, len(logs), available_cores()))[1:])


def _softened(logs: Array, temperature: float) -> Array:
    V = np.exp((logs - logs.max(axis=1, keepdims=True)) / temperature)
    return np.asarray(V / V.sum(axis=1, keepdims=True))
