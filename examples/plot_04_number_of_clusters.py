"""
How many clusters, and when not to believe it
=============================================

Lets several criteria say how many clusters there are, where they agree and where they do not.
"""

# %%
# An easy set
# -----------
# Four round clusters. Where no number is given the criteria are asked, and what they say is pooled. With the ensemble,
# which is the default, unlike methods have a say as well; here the criteria are alone, on a graph.

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from partita import SoftClustering
from partita.n_clusters import KEvidence, judge_all
from partita.plots import VerdictDisplay

rng = np.random.default_rng(0)
X = rng.normal(size=(400, 2)) + np.repeat([[0, 0], [7, 0], [0, 7], [8, 8]], 100, axis=0)
model = SoftClustering(affinity="neighbors", random_state=0).fit(X)
print(f"{model.n_clusters_} clusters, with a probability of {model.verdict_.sure:.2f}")
VerdictDisplay.from_estimator(model)
plt.show()

# %%
# One cluster
# -----------
# 300 items of one normal distribution. The answer may be 1, and here it is; but only two of the five criteria can tell
# one cluster from many in such a set, the pool is not sure, and a warning says so. It is caught here to be shown.


def shown(X, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = SoftClustering(affinity="neighbors", random_state=0, **options).fit(X)
    print(f"{model.n_clusters_} clusters, with a probability of {model.verdict_.sure:.2f}")
    for warning in caught:
        print(warning.category.__name__, "-", warning.message)
    return model


model = shown(rng.normal(size=(300, 2)))

# %%
# A hard set
# ----------
# The three varieties of wine have no valley of density between them in thirteen dimensions. The classes that people see
# are not always the clusters that are in the measurements.

model = shown(load_wine().data, scale_features="standard")
for judgement in model.verdict_.judgements:
    print(f"{judgement.criterion:16} {judgement.n_clusters}  {judgement.note}")

# %%
# Ask whom you like
# -----------------
# The criteria of the papers are there under their names, whether or not they have a voice in the verdict.

verdict = judge_all(KEvidence(features=X), ["eigengap", "soft_threshold", "silhouette", "gap_statistic"])
for judgement in verdict.judgements:
    print(f"{judgement.criterion:16} {judgement.n_clusters}")
