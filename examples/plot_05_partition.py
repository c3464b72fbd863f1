"""
One partition from MCMC draws, and how sure it is
=================================================

Takes partition draws of a Bayesian mixture, and finds the partition of least expected loss, its credible ball, and the
items that are in doubt.
"""

# %%
# Draws
# -----
# Any sampler will do: an M x N array of labels, an ArviZ object, or what R wrote. Here they come from the sampler in
# the box, on four clusters that overlap. Four chains start from unlike partitions; where they end in unlike places
# ``fit`` warns.

import matplotlib.pyplot as plt
import numpy as np

from partita import BayesianPartition, DPGaussianMixture, expected_loss
from partita.metrics import adjusted_rand_index
from partita.plots import LossesDisplay, SimilarityDisplay, StripsDisplay

rng = np.random.default_rng(3)
truth = np.repeat([0, 1, 2, 3], 50)
X = rng.normal(size=(200, 2)) + np.array([[2, 2], [-2, 2], [-2, -2], [2, -2]])[truth] * 1.1
sampled = DPGaussianMixture(n_chains=4, n_draws=1000, burn_in=1000, random_state=0).fit(X)
print("draws:", sampled.draws_.shape)

# %%
# Which partition
# ---------------
# The default loss is the variation of information, in bits. Binder's loss leaves doubtful items as clusters of their
# own.

models = {
    loss: BayesianPartition(loss, random_state=0).fit(sampled.draws_, chain=sampled.chain_) for loss in ("vi", "binder")
}
for loss, model in models.items():
    print(
        f"{loss:8} K = {model.n_clusters_}, expected loss {model.expected_loss_:.4f}, "
        f"adjusted Rand index against the truth {adjusted_rand_index(truth, model.labels_):.3f}"
    )
model = models["vi"]
print("binder's partition under vi:", round(expected_loss(models["binder"].labels_, sampled.draws_, loss="vi"), 4))

# %%
# The posterior, in the order of the estimate
# -------------------------------------------
# An entry is the share of draws that have two items together.

SimilarityDisplay.from_estimator(model)
plt.show()

# %%
# How much K matters
# ------------------
# The loss of every partition that the search scored, by its number of clusters. Where it is flat, the draws say little
# about K.

LossesDisplay.from_estimator(model)
plt.show()

# %%
# How sure: the credible ball
# ---------------------------
# The smallest ball around the estimate that holds 95% of the draws, and the draws that bound it: the furthest
# (horizontal bound), the furthest of those with fewest clusters (upper) and with most (lower).

ball = model.credible_ball(level=0.95)
print(f"radius {ball.radius:.3f} bits")
StripsDisplay.from_ball(model.labels_, ball)
plt.show()

# %%
# How sure: items
# ---------------
# ``certainty`` says how often an item's cluster in a draw is its cluster in the estimate. Soft memberships come from
# the same draws; ``misfit_`` says how far they can describe them.

matched = model.certainty().matched
print("items least sure of their cluster:", np.argsort(matched)[:5].tolist(), np.sort(matched)[:5].round(2).tolist())
print(f"misfit of the memberships: {model.misfit_:.3f}")
print("notes:", model.notes_ or "none")
