"""
Are the probabilities probabilities?
====================================

Holds memberships against posteriors that are known, shows what calibration mends, and a set where it does not.
"""

# %%
# Three overlapping clusters whose posterior is known
# ---------------------------------------------------

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import multivariate_normal
from sklearn.datasets import load_digits
from sklearn.mixture import GaussianMixture

from partita import SoftClustering
from partita.metrics import accuracy, align, brier_score, expected_calibration_error

rng = np.random.default_rng(1)
means = np.array([[0, 0], [2.6, 0.5], [0.5, 2.9]])
covariances = [np.eye(2), [[1.5, 0.6], [0.6, 0.8]], [[0.6, -0.2], [-0.2, 1.2]]]
share = np.array([0.5, 0.3, 0.2])
component = rng.choice(3, 1500, p=share)
X = np.array([rng.multivariate_normal(means[k], covariances[k]) for k in component])
density = np.column_stack([multivariate_normal(m, c).pdf(X) for m, c in zip(means, covariances, strict=True)]) * share
posterior = density / density.sum(axis=1, keepdims=True)

# %%
# Four answers. The Gaussian mixture is the true family here, and is told so.

found = {
    "fitted": SoftClustering(3, affinity="neighbors", probabilities="fitted", random_state=0).fit(X).membership_,
    "averaged": SoftClustering(3, affinity="neighbors", probabilities="averaged", random_state=0).fit(X).membership_,
    "calibrated": SoftClustering(3, affinity="neighbors", probabilities="calibrated", random_state=0)
    .fit(X)
    .membership_,
    "mixture": GaussianMixture(3, n_init=5, random_state=0).fit(X).predict_proba(X),
}
print(f"{'':12}{'Brier':>8}{'calibration error':>20}{'accuracy':>10}")
for name, membership in {**found, "true posterior": posterior}.items():
    print(
        f"{name:14}{brier_score(membership, component):6.3f}{expected_calibration_error(membership, component):20.3f}"
        f"{accuracy(component, membership.argmax(axis=1)):10.3f}"
    )

# %%
# Each against the true posterior. On the diagonal a membership is a probability; a flat S is one that is too sure.

figure, axes = plt.subplots(1, 4, figsize=(13, 4.2), layout="constrained", sharey=True)
for ax, (name, membership) in zip(axes, found.items(), strict=True):
    estimate, truth = align(membership, posterior)
    ax.plot([0, 1], [0, 1], color="0.7")
    ax.scatter(truth[:, 0], estimate[:, 0], s=4, alpha=0.4)
    ax.set(title=name, xlabel="true posterior of cluster 0", aspect="equal")
axes[0].set_ylabel("membership")
plt.show()

# %%
# The fitted membership of a neighbour graph is the optimum of a factorization. Its zeros and ones are hard, and where
# clusters overlap it is too sure. ``probabilities="calibrated"`` replaces it by the posterior of a density that is
# chosen without labels and softened by what fits to half of the items say of the other half.
#
# Where calibration fails
# -----------------------
# 64 dimensions, classes that are no mixtures of anything simple. Judged by the classes, calibration makes matters
# worse, and nothing that can be seen without labels says so.

D, digit = load_digits(return_X_y=True)
print(f"{'digits':12}{'Brier':>8}{'calibration error':>20}{'accuracy':>10}")
for name in ("fitted", "calibrated"):
    membership = SoftClustering(10, affinity="neighbors", probabilities=name, random_state=0).fit(D).membership_
    print(
        f"{name:14}{brier_score(membership, digit):6.3f}{expected_calibration_error(membership, digit):20.3f}"
        f"{accuracy(digit, membership.argmax(axis=1)):10.3f}"
    )
