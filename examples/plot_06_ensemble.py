"""
Consensus of an ensemble of clusterings
=======================================

Makes one answer of many clusterings: your own, or those that Partita makes itself.
"""

# %%
# Your own clusterings
# --------------------
# Forty runs: k-means, Ward's tree and Gaussian mixtures with different K on different subsets of 13 measurements of
# wine. Labels of different runs have nothing to do with each other, and need not.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_wine
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

from partita import BayesianPartition, SoF, SoftClustering
from partita.affinity import DrawsAffinity
from partita.metrics import adjusted_rand_index, align
from partita.plots import SimilarityDisplay

X, variety = load_wine(return_X_y=True)
Z = StandardScaler().fit_transform(X)
rng = np.random.default_rng(0)
runs = []
for run in range(40):
    columns = rng.choice(13, 9, replace=False)
    K = int(rng.integers(2, 6))
    method = [
        KMeans(K, n_init=1, random_state=run),
        AgglomerativeClustering(K),
        GaussianMixture(K, covariance_type="diag", random_state=run),
    ][run % 3]
    runs.append(method.fit_predict(Z[:, columns]))
alone = [adjusted_rand_index(variety, labels) for labels in runs]
print(f"one run alone: adjusted Rand index {np.mean(alone):.3f} on average, {np.max(alone):.3f} at best")

# %%
# A hard consensus: the partition of least mean distance to all runs. Nobody says how many clusters it has.

consensus = BayesianPartition("vi", random_state=0).fit(runs)
print(f"consensus: K = {consensus.n_clusters_}, {adjusted_rand_index(variety, consensus.labels_):.3f}")
SimilarityDisplay.from_estimator(consensus, title="Share of runs that join a pair")
plt.show()

# %%
# A soft one: the share of runs that join a pair is its affinity, and SoF at scale 1 reads shares as probabilities. The
# N x N matrix is never made.

soft = SoF(3, affinity="precomputed", random_state=0).fit(DrawsAffinity(runs))
print(f"soft consensus: {adjusted_rand_index(variety, soft.labels_):.3f}")
matched, truth = align(soft.membership_, variety)
elsewhere = matched.argmax(axis=1) != truth.argmax(axis=1)
for name, which in (("with their variety", ~elsewhere), ("elsewhere", elsewhere)):
    print(f"{which.sum():4} wines {name}: mean entropy {soft.entropy_[which].mean():.2f} nats")

# %%
# A ready-made ensemble
# ---------------------
# ``affinity="ensemble"`` runs six unlike methods over resamples. Methods that agree with the others weigh more, and a
# method is one voice however often it is run. ``ensemble_`` has what each of them would have said alone.

model = SoftClustering(3, affinity="ensemble", random_state=0).fit(X)
print(f"{'method':12}{'draws':>6}{'weight':>8}{'agreement':>11}{'alone':>8}")
for method in sorted({draw.method for draw in model.ensemble_}):
    draws = [draw for draw in model.ensemble_ if draw.method == method]
    print(
        f"{method:12}{len(draws):6}{sum(draw.weight for draw in draws):8.2f}"
        f"{np.mean([draw.agreement for draw in draws]):11.2f}"
        f"{np.mean([adjusted_rand_index(variety, draw.labels) for draw in draws]):8.2f}"
    )
print(f"together: adjusted Rand index {adjusted_rand_index(variety, model.labels_):.3f}")
