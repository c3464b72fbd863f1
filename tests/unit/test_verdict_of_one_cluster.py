"""What the verdict should say of one cluster, and does not yet: found by an audit, to be mended with the verdict."""

import warnings

import numpy as np
import pytest

from partita import SoftClustering
from partita.errors import UnsureWarning

SEEDS = range(5)


def fitted(kind, n, seed):
    """A fit to one cluster in two dimensions, and whether it was warned of."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) if kind == "gaussian" else rng.random((n, 2))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UnsureWarning)
        model = SoftClustering("auto", random_state=seed, affinity="neighbors", probabilities="fitted").fit(X)
    return model, any(issubclass(w.category, UnsureWarning) for w in caught)


@pytest.mark.xfail(reason="right answers of one cluster are said at .3 to .4: the verdict is to be redone", strict=True)
@pytest.mark.parametrize(("kind", "n"), [("gaussian", 200), ("uniform", 200), ("gaussian", 1000)])
def test_one_cluster_that_is_found_is_said_as_surely_as_it_is_right(kind, n):
    fits = [fitted(kind, n, seed) for seed in SEEDS]
    right = [(model.verdict_.sure, warned) for model, warned in fits if model.n_clusters_ == 1]
    sure, warned = np.mean(right, axis=0)
    # Such answers are right nine times in ten; within .1 of that, and hardly ever with a warning.
    assert sure >= 0.8
    assert warned <= 0.2
