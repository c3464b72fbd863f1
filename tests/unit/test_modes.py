"""The clusters of a single column are the modes of its density."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from partita import SoftClustering
from partita.ensemble import Components
from partita.ensemble.modes import along_a_line, valleys
from partita.metrics import adjusted_rand_index


def _groups(rng: np.random.Generator, centres: list[float], n: int = 80) -> np.ndarray:
    return np.concatenate([rng.normal(centre, 1.0, size=n) for centre in centres])[:, None]


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("shape", ["normal", "uniform", "exponential", "rounded"])
def test_a_column_with_one_mode_is_one_cluster(shape: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = {
        "normal": rng.normal(size=300),
        "uniform": rng.uniform(size=300),
        "exponential": rng.exponential(size=300),
        "rounded": np.round(rng.normal(50, 12, size=300)),
    }[shape]
    model = SoftClustering(random_state=0).fit(x[:, None])
    assert model.n_clusters_ == 1
    assert model.verdict_.probability_of(1) > 0.5


@pytest.mark.parametrize("centres", [[0, 6], [0, 5, 12, 20]])
def test_groups_along_a_line_are_found(centres: list[float]) -> None:
    X = _groups(np.random.default_rng(0), centres)
    model = SoftClustering(random_state=0).fit(X)
    assert model.n_clusters_ == len(centres)
    truth = np.repeat(np.arange(len(centres)), 80)
    mostly = [np.bincount(model.labels_[truth == k]).argmax() for k in range(len(centres))]
    assert len(set(mostly)) == len(centres)
    assert "mode" in model.chosen_["n_clusters"].why


def test_blocks_are_found_where_a_mixture_is_too_smooth() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=400)
    model = SoftClustering(random_state=0).fit((1.6 * y + rng.uniform(size=400))[:, None])
    assert model.n_clusters_ == 3
    assert len({(a, b) for a, b in zip(y.tolist(), model.labels_.tolist(), strict=True)}) == 3


def test_bounds_and_other_numbers_have_answers() -> None:
    X = _groups(np.random.default_rng(1), [0, 6, 14])
    model = SoftClustering(random_state=0).fit(X)
    assert model.at(2).n_clusters_ == 2
    assert model.at(8).n_clusters_ > 4
    bounded = SoftClustering((4, 6), random_state=0).fit(X)
    assert 4 <= bounded._consensus.n_clusters <= 6
    assert not bounded.verdict_.probabilities[:3].any()


def test_valleys_that_are_shallow_are_none_and_the_lower_peak_goes_with_them() -> None:
    deep, shallow = 1.0, 0.25
    assert valleys(np.array([0.0, deep, 0.0, deep, 0.0]), 0.5).tolist() == [2]
    assert valleys(np.array([0.0, deep, deep - shallow, deep, 0.0]), 0.5).tolist() == []
    # A ripple on the way down to a valley: the valley stays, the ripple does not.
    assert valleys(np.array([0.0, 9.0, 4.0, 4.0 + shallow, 0.0, 8.0, 0.0]), 0.5).tolist() == [4]
    assert valleys(np.array([0.0, 1.0, 2.0]), 0.5).tolist() == []


def test_a_valley_that_is_neither_deep_nor_shallow_makes_the_number_doubtful() -> None:
    place = (np.arange(800) + 0.5) / 800
    normal = norm.ppf(place)
    sure = []
    for apart in (2.0, 3.0, 4.0):  # the valley of two that are three apart is of .44 nats
        X = np.sort(np.r_[normal, normal + apart])[:, None]
        sure.append(SoftClustering(random_state=0).fit(X).verdict_.probability_of(2))
    assert sure[0] < 0.02
    assert 0.3 < sure[1] < 0.9
    assert sure[2] > 0.98


def test_columns_that_say_the_same_are_one_column_and_strips_side_by_side_are_no_line() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=200), rng.integers(2, size=200)
    same = np.c_[x, 2.54 * x + 0.01 * rng.normal(size=200)]
    assert SoftClustering(random_state=0).fit(same).n_clusters_ == 1
    strips = np.c_[rng.uniform(0, 5, 200), 0.1 * y + 0.01 * rng.normal(size=200)]
    assert along_a_line(strips, Components()) is None
    assert along_a_line(strips[y == 1], Components()) is not None


def lengths(seed, digits):
    """One column of three lognormal groups of unlike sizes, rounded."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, 300, p=[0.8, 0.15, 0.05])
    x = np.exp(np.array([0.0, 1.6, 3.2])[truth] + 0.3 * rng.normal(size=300))
    return x.round(digits)[:, None], truth


@pytest.mark.filterwarnings("ignore::partita.errors.UnsureWarning")
@pytest.mark.parametrize("digits", [1, 2, 9])
@pytest.mark.parametrize("seed", [3, 5])
def test_the_clusters_of_a_column_are_its_modes_however_it_was_rounded(seed, digits):
    X, truth = lengths(seed, digits)
    for model in (SoftClustering(random_state=0).fit(X), SoftClustering(3, random_state=0).fit(X)):
        assert adjusted_rand_index(truth, model.labels_) > 0.9
    found = SoftClustering(random_state=0, probabilities="fitted").fit(X)
    order = np.argsort(X[:, 0], kind="stable")
    assert np.count_nonzero(np.diff(found.labels_[order])) == found.n_clusters_ - 1  # each is an interval


@pytest.mark.filterwarnings("ignore::partita.errors.UnsureWarning")
def test_a_column_of_few_whole_numbers_has_modes():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 150)
    x = np.where(truth, rng.binomial(10, 0.85, 300), rng.binomial(10, 0.2, 300))[:, None].astype(float)
    for n_clusters in ("auto", 2):
        model = SoftClustering(n_clusters, random_state=0).fit(x)
        assert model.n_clusters_ == 2
        assert adjusted_rand_index(truth, model.labels_) > 0.9
    for rare in ([1, 2, 3], [1, 2, 3, 4, 7]):  # two frequent values and a few others
        x = np.r_[np.zeros(50), np.full(50, 9.0), rare][:, None]
        for n_clusters in ("auto", 2):
            model = SoftClustering(n_clusters, random_state=0).fit(x)
            assert model.n_clusters_ == 2
            assert model.labels_[0] != model.labels_[50]
    for single in (rng.poisson(6, 300), rng.integers(1, 11, 300), rng.binomial(12, 0.4, 300)):
        model = SoftClustering(random_state=0).fit(single[:, None].astype(float))
        assert model.n_clusters_ == 1
        assert model.verdict_.sure > 0.7


@pytest.mark.filterwarnings("ignore::partita.errors.UnsureWarning")
@pytest.mark.parametrize("bounds", [(2, 2), (3, 5)])
def test_bounds_far_from_the_number_of_modes_have_probabilities(bounds):
    rng = np.random.default_rng(0)
    centres = np.r_[0:4.0, 100:104.0] + 0.1 * rng.normal(size=8)
    x = np.repeat(centres, 100)[:, None] + 1e-6 * rng.normal(size=(800, 1))
    verdict = SoftClustering(bounds, random_state=0).fit(x).verdict_
    assert verdict.probabilities.sum() == pytest.approx(1.0)
    assert verdict.n_clusters == verdict.probabilities.argmax() + 1


@pytest.mark.parametrize("seed", range(3))
def test_as_many_clusters_as_values_are_the_values(seed):
    rng = np.random.default_rng(seed)
    x = rng.choice(3.0 * rng.normal(size=5), 200, p=rng.dirichlet(np.ones(5)))[:, None]
    n_values = len(np.unique(x))
    model = SoftClustering(n_values, random_state=0).fit(x)
    assert model.n_clusters_ == n_values
    assert len({(float(value), int(label)) for value, label in zip(x[:, 0], model.labels_)}) == n_values
