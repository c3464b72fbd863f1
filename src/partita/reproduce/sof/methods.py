"""The rows of [zhao2015] Tables 3 to 5: the paper's ten methods, ours beside them, and SoF under other settings.

Settings are JSON and enter the cells' fingerprints: what was computed under others is computed again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["METHODS", "Kind", "Method", "estimator", "of_kind"]

Kind = Literal["paper", "ours", "variant"]

# [zhao2015], remark 5 on eq. (3): "we can choose a sparse initial matrix W(0)". Hard labels are the sparsest.
SOF = {"estimator": "SoF", "start": "spectral", "n_init": 1}


@dataclass(frozen=True)
class Method:
    """One row of the tables.

    Attributes
    ----------
    name : str
        In the tables.
    settings : mapping
        `{"baseline": name}`, or `{"estimator": name, option: value, ...}`; "solver" and "relative" hold a name and
        options of the relative distance.
    kind : {"paper", "ours", "variant"}
        One of the paper's ten; an extra row of ours; SoF under another setting.
    without : tuple of str
        Sets on which it is not run.
    few : bool
        Whether it shows a setting that is not the paper's by fewer runs.
    """

    name: str
    settings: Mapping[str, Any]
    kind: Kind = "paper"
    without: tuple[str, ...] = field(default=())
    few: bool = False

    def described(self) -> dict[str, Any]:
        """Return every setting, those of a baseline in full."""
        if "baseline" not in self.settings:
            return dict(self.settings)
        from partita.baselines import baseline

        return baseline(self.settings["baseline"]).config()

    def labels(self, X: NDArray[np.float64], n_clusters: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the labels of one run."""
        if "baseline" in self.settings:
            from partita.baselines import BaselineEvidence, baseline

            found = baseline(self.settings["baseline"]).cluster(BaselineEvidence(features=X), n_clusters, rng)
            return found.labels
        return np.asarray(estimator(self.settings, n_clusters, rng).fit(X).labels_, dtype=np.int64)


def estimator(settings: Mapping[str, Any], n_clusters: int, rng: np.random.Generator) -> Any:
    """Return an estimator of ours, not yet fitted, with its seed drawn from `rng`."""
    from partita import SoF, SoftClustering
    from partita.affinity import RelativeDistance
    from partita.solvers import Solver

    options = dict(settings)
    kind = {"SoF": SoF, "SoftClustering": SoftClustering}[options.pop("estimator")]
    if "solver" in options:
        options["solver"] = Solver.registry[options["solver"]]()
    if "relative" in options:
        options["affinity"] = RelativeDistance(**options.pop("relative"))
    if kind is SoftClustering:
        options = {"affinity": "neighbors", "probabilities": "fitted"} | options
    return kind(n_clusters, random_state=int(rng.integers(2**31 - 1)), **options)


METHODS = {
    method.name: method
    for method in (
        Method("K-means", {"baseline": "k-means"}),
        Method("S-means", {"baseline": "spherical-k-means"}),
        Method("GMM", {"baseline": "gmm"}),
        Method("SP-NC", {"baseline": "ncut"}),
        Method("SP-NJW", {"baseline": "njw"}),
        Method("NMF", {"baseline": "nmf"}),
        Method("RNMF", {"baseline": "regularized-nmf"}),
        Method("GNMF", {"baseline": "gnmf"}),
        Method("SymNMF", {"baseline": "symnmf"}),
        Method("SoF", SOF),
        # 1,600 products with a matrix of 966 MB take ten minutes a run.
        Method("SoF, Algorithm 1", {**SOF, "solver": "penalty"}, "ours", ("DIG",)),
        Method("SoftClustering", {"estimator": "SoftClustering"}, "ours"),
        Method("SoftClustering, equal", {"estimator": "SoftClustering", "sizes": "equal"}, "ours"),
        Method("SoftClustering, ensemble", {"estimator": "SoftClustering", "affinity": "ensemble"}, "ours"),
        Method(
            "SoftClustering, ensemble, equal",
            {"estimator": "SoftClustering", "affinity": "ensemble", "sizes": "equal"},
            "ours",
        ),
        Method("k-means start", {**SOF, "start": "kmeans"}, "variant"),
        Method("random start", {**SOF, "start": "dirichlet"}, "variant"),
        Method("ten random starts", {"estimator": "SoF"}, "variant", few=True),
        Method("n = 5", {**SOF, "relative": {"n": 5}}, "variant", few=True),
        Method("n = 20", {**SOF, "relative": {"n": 20}}, "variant", few=True),
        Method("Gaussian kernel", {**SOF, "relative": {"kernel": "gaussian"}}, "variant", few=True),
        Method("standardised features", {**SOF, "scale_features": "standard"}, "variant", few=True),
    )
}


def of_kind(kind: Kind) -> list[Method]:
    """Return rows of one kind, in order.

    >>> len(of_kind("paper"))
    10
    """
    return [method for method in METHODS.values() if method.kind == kind]
