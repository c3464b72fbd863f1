"""
MCMC draws from R
=================

A sampler has drawn thousands of partitions. Which single partition summarises them best, how
certain is it, and does the posterior have several modes? The draws are read as R writes them.
"""

# %%
# From R
# ------
# R is not run on this page. With BNPmix, or any package that returns one draw per row, the
# following lines write a file that Partita reads. A column ``chain`` allows it to compare
# the chains.
#
# .. code-block:: r
#
#    y     <- as.matrix(iris[, 1:4])
#    fits  <- lapply(1:4, function(chain)
#      BNPmix::PYdensity(y, mcmc = list(niter = 3000, nburn = 1000)))
#    draws <- do.call(rbind, lapply(1:4, function(chain)
#      data.frame(chain = chain, fits[[chain]]$clust)))
#    write.csv(draws, "draws.csv")
#
# No Python package that we know of includes draws for real data, so the draws are made here
# by Partita's own sampler for Fisher's iris data: a Dirichlet process mixture of normal
# distributions, with four chains from dispersed starting values. The file has the format of
# ``write.csv``, with row names, and with clusters numbered from 1.

import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from partita import BayesianPartition, DPGaussianMixture, expected_loss
from partita.io import read_draws
from partita.metrics import adjusted_rand_index
from partita.plots import LossesDisplay, SimilarityDisplay, StripsDisplay

X, species = load_iris(return_X_y=True)
mixture = DPGaussianMixture(n_draws=1000, burn_in=1000, thin=25, random_state=0).fit(X)

folder = Path(tempfile.mkdtemp())
header = ['""', '"chain"', *(f'"X{i}"' for i in range(1, 151))]
lines = [",".join(header)]
for m, (chain, draw) in enumerate(zip(mixture.chain_, mixture.draws_, strict=True), 1):
    lines.append(",".join([f'"{m}"', str(chain + 1), *(str(k + 1) for k in draw)]))
(folder / "draws.csv").write_text("\n".join(lines))
print(*(line[:70] for line in lines[:4]), sep="\n")

# %%
# One call
# --------
# In the terminal:

print("$ partita partition draws.csv")
command = [sys.executable, "-X", "utf8", "-m", "partita", "partition", "draws.csv"]
done = subprocess.run(command, cwd=folder, capture_output=True, check=True)
print(done.stdout.decode())

# %%
# Or in Python, which the rest of this page uses:

draws = read_draws(folder / "draws.csv")
model = BayesianPartition(random_state=0).fit(draws)
model

# %%
# How to read it
# --------------
# The answer is the partition with the least expected loss over the draws. The loss is the
# variation of information in bits, as in R's ``salso``: 0 means that two partitions are
# equal, and the expected loss is the mean distance of a draw from the answer.
# ``expected_loss`` computes it for any other partition, also from another program.

first = expected_loss(draws.labels[0], draws.labels)
print(f"expected loss: {model.expected_loss_:.3f} bits; of the first draw: {first:.3f}")
LossesDisplay.from_estimator(model)
plt.show()

# %%
# Where the curve is flat, the draws contain little information on the number of clusters.
#
# The posterior similarity matrix
# -------------------------------
# An entry of this matrix is the share of the draws in which two items are together. The items
# are in the order of the answer. Blocks with blurred edges are items that change their
# cluster between draws.

SimilarityDisplay.from_estimator(model)
plt.show()

# %%
# How sure: the credible ball
# ---------------------------
# This is the smallest ball around the answer that holds 95% of the draws. Its bounds are the
# draws in it that are farthest from the answer: of all, of those with the fewest clusters,
# and of those with the most.

ball = model.credible_ball()
print(f"radius {ball.radius:.3f} bits")
StripsDisplay.from_ball(model.labels_, ball)
plt.show()

# %%
# How sure: items and modes
# -------------------------
# ``certainty`` reports how often an item is with its cluster, ``modes`` whether the draws
# form several groups that no single partition can summarise, and ``certain_items`` the items whose
# joint partition holds in 95% of the draws.

matched = model.certainty().matched
print("least sure:", *(f"{i} ({matched[i]:.2f})" for i in np.argsort(matched)[:5]))
print(model.modes())
print(model.certain_items())

# %%
# What to doubt
# -------------
# Check the chains before the answer. The notes report if they disagree or are too short to
# tell. For comparison, here are also the notes for the first hundred draws of each chain:

few = np.concatenate([np.flatnonzero(draws.chain == c)[:100] for c in (1, 2, 3, 4)])
with warnings.catch_warnings():
    warnings.simplefilter("ignore", ConvergenceWarning)
    fewer, chain = draws.labels[few], draws.chain[few]
    short = BayesianPartition(random_state=0).fit(fewer, chain=chain)
print("all draws:", *(model.notes_ or ["nothing to note"]), sep="\n- ")
print("400 draws:", *(short.notes_ or ["nothing to note"]), sep="\n- ")

# %%
# Then doubt the model. The ball describes the posterior of a mixture of normal
# distributions; it does not show whether such a mixture is suitable for these flowers.
#
# Results
# -------
# Fisher's three species were not used. Two of them overlap, and this posterior has most
# flowers of both in one cluster:

score = adjusted_rand_index(species, model.labels_)
sizes = np.bincount(model.labels_)
print(
    f"{model.n_clusters_} clusters of {sizes.tolist()}, adjusted Rand index {score:.2f}"
)

# %%
# Where next
# ----------
# :doc:`/from-r` lists the calls of salso and mcclust with their counterparts here, and the
# units and defaults that differ; :doc:`/partitions` is the guide, and :doc:`/choose-loss`
# describes when another loss is better.
