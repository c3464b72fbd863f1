"""The columns of [rotabulo2010] Table 1, ours beside them, and the printed update stopped sooner and later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.reproduce.baum_eagon.sets import LabelledItems

__all__ = ["GAMMA", "METHODS", "OURS", "PAPER", "STOPPED", "described", "fitted"]

# The paper "kept gamma fixed", the number of iterations, and does not say at what.
GAMMA = 1000
STOPPED = (100, 300, 3000)

Settings = Mapping[str, Any]
PRINTED: Settings = {"estimator": "BaumEagon", "overrelaxation": 1.0, "start": "dirichlet", "n_init": 1}
PAPER: dict[str, Settings] = {
    "BE": {**PRINTED, "max_iter": GAMMA},
    "CP": {"baseline": "copositive"},
    "NCUT": {"baseline": "ncut"},
    "NJW": {"baseline": "njw"},
}
OURS: dict[str, Settings] = {
    "BE, accelerated": {"estimator": "BaumEagon", "overrelaxation": "adaptive", "start": "dirichlet", "n_init": 1},
    "SoftClustering": {"estimator": "SoftClustering"},
}
METHODS: dict[str, Settings] = {
    **PAPER,
    **OURS,
    **{f"BE, {gamma}": {**PRINTED, "max_iter": gamma} for gamma in STOPPED},
}
# Below what a step of the update moves: a run ends after its iterations and not before.
NEVER = 1e-300


def described(name: str) -> dict[str, Any]:
    """Return every setting of a method, those of a baseline in full."""
    if "baseline" not in METHODS[name]:
        return dict(METHODS[name])
    from partita.baselines import baseline

    return baseline(METHODS[name]["baseline"]).config()


def fitted(name: str, held: LabelledItems, S: NDArray[np.float64], rng: np.random.Generator) -> Any:
    """Return the fitted estimator; of a baseline its result, which has `labels`.

    SoftClustering makes its own graph of features; all others see the similarity.
    """
    from partita import BaumEagon, SoftClustering, solvers

    settings = dict(METHODS[name])
    K = held.n_clusters
    if "baseline" in settings:
        from partita.baselines import BaselineEvidence, baseline

        return baseline(settings["baseline"]).cluster(BaselineEvidence(affinity=S), K, rng)
    seed = int(rng.integers(2**31 - 1))
    if settings.pop("estimator") == "SoftClustering":
        if held.features is not None:
            return SoftClustering(K, affinity="neighbors", probabilities="fitted", random_state=seed).fit(held.features)
        return SoftClustering(K, affinity="precomputed", probabilities="fitted", random_state=seed).fit(S)
    solver = solvers.BaumEagon(settings.pop("overrelaxation"))
    if "max_iter" in settings:
        settings["tol"] = NEVER
    return BaumEagon(K, affinity="precomputed", solver=solver, random_state=seed, **settings).fit(S)
