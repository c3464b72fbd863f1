"""
Extending: a criterion, a loss, an objective, an affinity
=========================================================

Adds one of each, uses all but the objective, and shows what each has to offer.
The contract tests of the repository check this file.
"""

# %%
# A criterion for the number of clusters
# --------------------------------------
# Frozen settings, a name, an idea in a few words, and ``_judge``. ``KEvidence`` has the features, the affinity, its
# spectrum and partitions at every K, each made once for all criteria. This one takes the largest K at which every
# cluster of the spectral partition keeps nine tenths of its affinity to itself.

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.distance import cdist
from sklearn.datasets import make_moons

from partita import BayesianPartition, SoftClustering
from partita.affinity import Affinity, Builder, DenseAffinity, Evidence
from partita.metrics import adjusted_rand_index
from partita.n_clusters import Criterion, Judgement, KEvidence, judge_all
from partita.objectives import Objective
from partita.partition import PartitionLoss


@dataclass(frozen=True)
class HoldTogether(Criterion):
    """Largest K at which every cluster keeps a share of its affinity."""

    name = "hold_together"
    idea = "largest K at which every cluster keeps its affinity to itself"

    share: float = 0.9

    def _judge(self, evidence):
        P = evidence.graph
        degree, kept = P.row_sums(), []
        for K in evidence.sizes:
            Z = np.eye(int(K))[evidence.partition(int(K))]
            within, all_of_it = np.einsum("nk,nk->k", Z, P @ Z), degree @ Z
            kept.append((within[all_of_it > 0] / all_of_it[all_of_it > 0]).min(initial=1.0))
        holds = evidence.sizes[np.array(kept) >= self.share]
        return Judgement(self.name, int(holds.max()), evidence.sizes, np.array(kept), better="crossing")


rng = np.random.default_rng(0)
X = rng.normal(size=(200, 2)) + np.repeat([[0, 0], [7, 0], [0, 7], [8, 8]], 50, axis=0)
for judgement in judge_all(KEvidence(features=X), ["hold_together", "eigengap_ratio"]).judgements:
    print(f"{judgement.criterion:20} {judgement.n_clusters}")

# %%
# A loss between partitions
# -------------------------
# A loss is arithmetic in u, v and w: sums of f(n) over the sizes of the clusters of the estimate, of the draw, and of
# their table, with f(n) = n^2 for losses of pairs. NumPy evaluates the formula and numba compiles it into every move
# of the search. This one is one minus the Jaccard index of the pairs that the two partitions join.


class JaccardFormula(NamedTuple):
    """`unused`: a compiled tuple has at least one number."""

    unused: float = 0.0

    def evaluate(self, u, v, w, t, n, K):
        """Pairs of different items that both join, over those that either does; 0 where none does."""
        both, either = w - n, u + v - w - n
        return (either - both) / (either + 1e-300)


@dataclass(frozen=True)
class Jaccard(PartitionLoss):
    """One minus the Jaccard index of joined pairs."""

    name: ClassVar[str] = "jaccard"
    title: ClassVar[str] = "Jaccard distance of joined pairs"
    entropic: ClassVar[bool] = False
    per_draw: ClassVar[bool] = True
    source: ClassVar[str] = "[jaccard1901], an example"

    @property
    def formula(self):
        return JaccardFormula()


truth = np.repeat([0, 1, 2], [30, 20, 10])
draws = np.where(rng.random((300, 60)) < 0.8, truth, rng.integers(0, 4, (300, 60)))
for loss in ("jaccard", "binder", "vi"):
    model = BayesianPartition(loss, random_state=0).fit(draws)
    print(f"{loss:8} K = {model.n_clusters_}, expected loss {model.expected_loss_:.4f}")

# %%
# An objective
# ------------
# An objective says which scale goes with a membership. Value, gradient and the laws follow. In the repository its tests
# want one line more, an oracle: the least value over the scales that it allows.


class Halved(Objective):
    """Evidence that is known to be half as large as it should be."""

    name = "halved"
    equation = "||P - W W^T / 2||^2"
    source = "an example"

    def scale(self, attraction, curvature):
        return np.full(len(attraction), 0.5)


# %%
# An affinity from features
# -------------------------
# A builder is frozen configuration, and makes evidence: the affinity of the items, and the rows of new ones. What a
# saved model needs is ``state``: arrays, no code. This one counts a pair by a power of its distance.


class PowerEvidence(Evidence):
    """Affinities 1 / (1 + (distance / width)^power)."""

    def __init__(self, builder, X, width):
        self.builder, self.X, self.width = builder, X, width
        self.row_size = len(X)
        self.affinity = DenseAffinity(self.rows(X))

    def rows(self, X):
        P = 1.0 / (1.0 + (cdist(X, self.X) / self.width) ** self.builder.power)
        return (P + P.T) / 2 if X is self.X else P

    def state(self):
        return {"X": self.X, "width": np.array(self.width)}


@dataclass(frozen=True)
class PowerLaw(Builder):
    """Affinity that falls with a power of the distance, from a width that is a quantile of all distances."""

    name = "power-law"

    power: float = 4.0
    quantile: float = 0.05

    def build(self, X, *, n_clusters, weights=None):
        X = np.asarray(X, dtype=np.float64)
        return PowerEvidence(self, X, float(np.quantile(cdist(X, X), self.quantile)))

    def restore(self, state):
        return PowerEvidence(self, state["X"], float(state["width"]))


moons, half = make_moons(300, noise=0.06, random_state=0)
figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
for ax, power in zip(axes, (2.0, 4.0, 8.0), strict=True):
    model = SoftClustering(2, affinity=PowerLaw(power), steps=8, random_state=0).fit(moons)
    ax.scatter(*moons.T, c=model.membership_[:, 0], s=8, cmap="coolwarm")
    ax.set(title=f"power {power:g}: ARI {adjusted_rand_index(half, model.labels_):.2f}", xticks=[], yticks=[])
plt.show()
print("new items:", model.predict_proba(moons[:2]).round(2).tolist())

# %%
# A kind of affinity
# ------------------
# Where P has a form of its own, a kind of its own applies it faster. Four methods, and an example that the contract
# tests compare with the same matrix as an array. This one is a block of ones for each group and a constant between
# groups.


class GroupAffinity(Affinity):
    """P_ij = inside where i and j are in one group and between elsewhere, times factors."""

    name = "groups"

    def __init__(self, groups, inside=1.0, between=0.1, factors=None):
        self.groups, self.inside, self.between = np.asarray(groups), inside, between
        self.factors = np.ones(len(self.groups)) if factors is None else factors
        self.indicators = np.eye(self.groups.max() + 1)[self.groups]

    @property
    def n_items(self):
        return len(self.groups)

    def __matmul__(self, W):
        scaled = self.factors[:, None] * W
        inside = self.indicators @ (self.indicators.T @ scaled)
        return self.factors[:, None] * ((self.inside - self.between) * inside + self.between * scaled.sum(axis=0))

    def diagonal(self):
        return self.inside * self.factors**2

    def scaled(self, factors):
        return GroupAffinity(self.groups, self.inside, self.between, self.factors * factors)

    @classmethod
    def example(cls, rng, n_items):
        groups = rng.integers(0, 3, n_items)
        groups[: min(3, n_items)] = np.arange(min(3, n_items))
        return cls(groups), np.where(groups[:, None] == groups, 1.0, 0.1)


model = SoftClustering(3, affinity="precomputed", random_state=0).fit(
    GroupAffinity(np.repeat([0, 1, 2], [500, 300, 200]))
)
print("sizes:", np.bincount(model.labels_).tolist(), "without an N x N array")
