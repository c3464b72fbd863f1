"""
MCMC draws from R
=================

A sampler drew thousands of partitions. Which one partition stands for them, how sure is it,
and are there several? The draws come in as R writes them.
"""

# %%
# From R
# ------
# R is not run on this page. With BNPmix, or any package that returns a draw a row, these
# lines write what Partita reads; a column ``chain`` lets it compare the chains.
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
# No Python package that we know ships draws for a real set, so these are made here by Partita's own sampler, for
# Fisher's irises: a Dirichlet process mixture of normals, four chains from unlike starts. The
# file is written as ``write.csv`` does, with names of rows, and clusters numbered from 1.

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
# The answer is the partition whose expected loss over the draws is least. The loss is the
# variation of information, in bits, as in R's ``salso``: 0 is agreement, and the expected
# loss says how far a draw is from the answer on average. ``expected_loss`` gives it for any
# other partition, of another program too.

first = expected_loss(draws.labels[0], draws.labels)
print(f"expected loss: {model.expected_loss_:.3f} bits; of the first draw: {first:.3f}")
LossesDisplay.from_estimator(model)
plt.show()

# %%
# Where the picture is flat the draws say little about the number of clusters.
#
# The posterior similarity matrix
# -------------------------------
# The share of the draws that have two items together, in the order of the answer. Blocks
# with blurred edges are items that move between clusters.

SimilarityDisplay.from_estimator(model)
plt.show()

# %%
# How sure: the credible ball
# ---------------------------
# The smallest ball around the answer that holds 95% of the draws. Its edge has the draws
# that are farthest from the answer, those with the fewest clusters and those with the most.

ball = model.credible_ball()
print(f"radius {ball.radius:.3f} bits")
StripsDisplay.from_ball(model.labels_, ball)
plt.show()

# %%
# How sure: items and modes
# -------------------------
# ``certainty`` says how often an item is with its cluster, ``modes`` whether the draws fall
# apart into groups that no single partition stands for, and ``cores`` which items are
# together and apart as stated in 95% of the draws, all at once.

matched = model.certainty().matched
print("least sure:", *(f"{i} ({matched[i]:.2f})" for i in np.argsort(matched)[:5]))
print(model.modes())
print(model.cores())

# %%
# What to doubt
# -------------
# The chains before the answer. The notes say where they disagree, or are too short to tell.
# Here, for comparison, are those on the first hundred draws of each chain:

few = np.concatenate([np.flatnonzero(draws.chain == c)[:100] for c in (1, 2, 3, 4)])
with warnings.catch_warnings():
    warnings.simplefilter("ignore", ConvergenceWarning)
    fewer, chain = draws.labels[few], draws.chain[few]
    short = BayesianPartition(random_state=0).fit(fewer, chain=chain)
print("all draws:", *(model.notes_ or ["nothing to note"]), sep="\n- ")
print("400 draws:", *(short.notes_ or ["nothing to note"]), sep="\n- ")

# %%
# Then the model. The ball is about the posterior of a mixture of normals, and says nothing of
# whether such a mixture suits the flowers.
#
# What came out
# -------------
# Fisher's three species were not used. Two of them overlap, and this posterior keeps most of both together:

score = adjusted_rand_index(species, model.labels_)
sizes = np.bincount(model.labels_)
print(
    f"{model.n_clusters_} clusters of {sizes.tolist()}, adjusted Rand index {score:.2f}"
)

# %%
# Where next
# ----------
# :doc:`/from-r` has each call of salso and mcclust and its counterpart here, with units and
# defaults that differ; :doc:`/partitions` is the guide, and :doc:`/choose-loss` says when
# another loss is better.
