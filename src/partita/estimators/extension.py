"""Memberships of new items from a finished fit: what is kept of the fit, and one small simplex problem a row.

For a new item with (normalised) affinities p to the fitted items and t steps of diffusion, its row of the diffused
affinity is p^T S^(t-1); all that enters the row's problem is p^T L with the landing matrix L = S^(t-1) D W diag(a),
kept at N x K. Paths that come back through the new item itself are left out, and the fitted items do not move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from partita.affinity import Affinity, DiffusedAffinity, Evidence
from partita.affinity.normalise import How, Normalised, normalise_rows
from partita.estimators.scaling import Scaling
from partita.solvers import solve_rows

__all__ = ["Extension"]

Array = NDArray[np.float64]

# Numbers of one batch of rows.
BATCH = 4_000_000


@dataclass(frozen=True)
class Extension:
    """Scores new items."""

    evidence: Evidence
    how: How
    factors: Array
    landing: Array
    quadratic: Array
    scaling: Scaling | None = None

    @classmethod
    def of_fit(
        cls,
        evidence: Evidence,
        normalised: Normalised,
        affinity: Affinity,
        W: Array,
        scale: Array,
        weights: Array | None,
        scaling: Scaling | None,
    ) -> Extension:
        """What is kept of a fit with membership W."""
        weighted = W if weights is None else weights[:, None] * W
        quadratic = scale[:, None] * (W.T @ weighted) * scale
        landing = weighted * scale
        if isinstance(affinity, DiffusedAffinity) and affinity.steps > 1:
            landing = DiffusedAffinity(affinity.base, affinity.steps - 1) @ landing
        return cls(evidence, normalised.how, normalised.factors, landing, quadratic, scaling)

    def membership(self, X: Any) -> Array:
        """Membership of each row of X: features, or rows of distances or affinities to the fitted items."""
        n = X.shape[0]
        size = max(1, BATCH // self.evidence.row_size)
        parts = [self._batch(X[low : low + size]) for low in range(0, n, size)]
        return np.concatenate(parts) if parts else np.empty((0, self.landing.shape[1]))

    def _batch(self, X: Any) -> Array:
        rows = self.evidence.rows(X if self.scaling is None else self.scaling(X))
        rows = normalise_rows(rows, self.factors, self.how, self.evidence.self_affinity)
        if sp.issparse(rows):
            return solve_rows(self.quadratic, np.asarray(rows @ self.landing))
        # Row by row, so that rounding does not depend on how many rows came together.
        return solve_rows(self.quadratic, np.array([row @ self.landing for row in rows]).reshape(len(rows), -1))

    def state(self) -> dict[str, Array]:
        """Arrays for a saved model."""
        own = {"factors": self.factors, "landing": self.landing, "quadratic": self.quadratic}
        if self.scaling is not None:
            own |= {"scaling.centre": self.scaling.centre, "scaling.spread": self.scaling.spread}
        return own | {f"evidence.{name}": np.asarray(value) for name, value in self.evidence.state().items()}
