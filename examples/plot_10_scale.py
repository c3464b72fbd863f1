"""
Growing: time against the number of items
=========================================

Measures how the time of a fit grows with the number of items, shows what is refused, and scores the rest in batches.
"""

# %%
# Linear in the items
# -------------------
# Ten elongated clusters in 6 dimensions. The first fit compiles what the large ones need, so it is made before the
# clock starts. Times are those of the machine that built this page, on one core.

import time

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np

from partita import SoftClustering
from partita.metrics import adjusted_rand_index


def blobs(n, seed=0, K=10, d=6):
    """Clusters that are stretched each its own way; the same clusters whatever n is."""
    shape = np.random.default_rng(seed)
    centres, stretch = 6 * shape.normal(size=(K, d)), shape.normal(size=(K, d, d)) / 2
    rng = np.random.default_rng([seed, n])
    truth = rng.integers(K, size=n)
    return centres[truth] + np.einsum("nij,nj->ni", stretch[truth], rng.normal(size=(n, d))), truth


SoftClustering(10, affinity="neighbors", probabilities="fitted", random_state=0).fit(blobs(20_000)[0])
sizes, seconds, scores = (2_000, 4_000, 8_000, 16_000, 32_000), [], []
for n in sizes:
    X, truth = blobs(n)
    begin = time.perf_counter()
    model = SoftClustering(10, affinity="neighbors", probabilities="fitted", random_state=0).fit(X)
    seconds.append(time.perf_counter() - begin)
    scores.append(adjusted_rand_index(truth, model.labels_))

figure, ax = plt.subplots(figsize=(5.5, 3.6), layout="constrained")
ax.loglog(sizes, seconds, marker="o", label="measured")
ax.loglog(sizes, seconds[-1] * np.array(sizes) / sizes[-1], color="0.7", label="linear", zorder=0)
ax.set(xlabel="items", ylabel="seconds", title="features to memberships")
ax.set_xticks(sizes, [f"{n:,}" for n in sizes])
ax.set_yticks(seconds, [f"{time_:.2g}" for time_ in seconds])
ax.minorticks_off()
ax.legend()
plt.show()
print("adjusted Rand index:", np.round(scores, 3).tolist())

# %%
# Refused before it is made
# -------------------------
# What is N x N asks first whether it fits. The error names the way that does.

from partita import SoF
from partita.errors import MemoryLimitError

try:
    SoF(10).fit(np.random.default_rng(0).normal(size=(400_000, 6)))
except MemoryLimitError as error:
    print(error)

# %%
# Fit a sample, score the rest
# ----------------------------
# A fitted model scores new items in batches. A Dask array is scored block by block when it is asked for, on as many
# machines as there are workers.

X, truth = blobs(200_000)
model = SoftClustering(10, affinity="neighbors", probabilities="fitted", random_state=0).fit(X[:20_000])
probability = model.predict_proba(da.from_array(X[20_000:60_000], chunks=(10_000, 6)))
print(type(probability), probability.shape, probability.chunksize)
labels = probability.argmax(axis=1).compute()
print(f"adjusted Rand index of the items scored: {adjusted_rand_index(truth[20_000:60_000], labels):.3f}")

# %%
# A fit that may take long says ``checkpoint="folder"``: after a kill the same call goes on where it stood, and ends
# with the same bits. The folder goes when the fit is done.
