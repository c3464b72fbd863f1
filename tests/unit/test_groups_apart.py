"""Groups of which each item has another of its own nearer than any of the rest, by far."""

from __future__ import annotations

import numpy as np
import pytest

from partita import SoftClustering
from partita.ensemble.tree import groups_apart
from partita.metrics import adjusted_rand_index


def replicates(n_groups: int, each: int, seed: int, d: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Items around centres that are two or more times as far from each other as from these."""
    rng, truth = np.random.default_rng(seed), np.repeat(np.arange(n_groups), each)
    return rng.normal(size=(n_groups, d))[truth] * 0.8 + rng.normal(size=(len(truth), d)) * 0.4, truth


@pytest.mark.parametrize(("n_groups", "each"), [(2, 2), (12, 3), (40, 3), (7, 30)])
def test_groups_are_counted_at_any_scale(n_groups: int, each: int) -> None:
    X, _ = replicates(n_groups, each, 0)
    for scale in (1e-6, 1.0, 1e6):
        assert groups_apart(scale * X + scale) == n_groups
    order = np.random.default_rng(1).permutation(len(X))
    assert groups_apart(X[order]) == n_groups


def test_one_population_has_hardly_ever_groups_that_lie_apart() -> None:
    rng = np.random.default_rng(0)
    lattice = np.unique(rng.integers(0, 6, size=(60, 3)), axis=0) * 1.0
    for n in (30, 120):
        for d in (2, 5, 20):
            for X in (rng.normal(size=(n, d)), rng.lognormal(size=(n, d)), rng.standard_t(2, size=(n, d)), lattice):
                assert groups_apart(X) < 5
    lone = np.vstack([replicates(12, 3, 0)[0], np.full((1, 300), 9.0)])
    assert groups_apart(lone) == 1  # an item that has no other near it is in no group


@pytest.mark.parametrize(("n_groups", "each"), [(40, 3), (10, 3), (20, 5)])
def test_replicates_are_found(n_groups: int, each: int) -> None:
    X, truth = replicates(n_groups, each, 0, 800)
    model = SoftClustering(random_state=0).fit(X)
    assert model.n_clusters_ == n_groups
    assert adjusted_rand_index(model.labels_, truth) == 1.0
    assert model.verdict_.probabilities[0] < 0.0501


def test_a_bound_on_the_number_holds() -> None:
    X, _ = replicates(20, 5, 0)
    assert SoftClustering((2, 9), random_state=0).fit(X).n_clusters_ <= 9


def test_a_population_measured_twice_is_one_population() -> None:
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(60, 5)), 2, axis=0) + 1e-4 * rng.normal(size=(120, 5))
    assert groups_apart(X) == 60
    assert SoftClustering(random_state=0).fit(X).n_clusters_ == 1


def test_the_number_of_groups_is_tried_though_fewer_look_better_before() -> None:
    X, truth = replicates(30, 6, 5, 800)  # two clusters have better odds than any number between them and thirty
    model = SoftClustering(random_state=0).fit(X)
    assert model.n_clusters_ == 30
    assert adjusted_rand_index(model.labels_, truth) > 0.9
