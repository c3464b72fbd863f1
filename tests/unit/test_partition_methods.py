"""The named methods: what they find on galaxy as FINDINGS.md has it, and on few items against their definitions."""

import numpy as np
import pytest

from partita.errors import InputError
from partita.partition import (
    METHODS,
    PartitionDraws,
    expected_loss,
    loss_of,
    posterior_similarity,
    search_partition,
)
from partita.partition.exhaustive import all_partitions
from partita.partition.losses import PartitionLoss
from partita.partition.methods import (
    best_cut,
    best_draw,
    exhaustive_search,
    greedy_rastelli_friel,
    greedy_wade_ghahramani,
    max_pear,
    medvedovic,
    min_binder,
    min_vi,
    salso,
)
from synthetic import draws_around

BELL = [1, 2, 5, 15, 52, 203, 877, 4140]


def noisy(seed, M=25, N=12, K=3):
    rng = np.random.default_rng(seed)
    return draws_around(rng.integers(K, size=N), M, 0.5, K=K + 1, seed=rng)


@pytest.fixture(scope="module")
def galaxy(data_home):
    with np.load(data_home / "bayes" / "galaxy_mcmc.npz") as file:
        return PartitionDraws.of(file["draw"])


def clusters(*bounds):
    """Labels of consecutive runs of the 82 galaxies; bounds are their last items, counted from 1."""
    return np.searchsorted(np.array(bounds), np.arange(1, 83)).tolist()


@pytest.mark.data
def test_galaxy_by_the_deterministic_methods(galaxy):
    singles = clusters(7, 8, 9, 77, 78, 79, 82)
    assert galaxy.n_draws == 9636  # unique partitions
    assert min_binder(galaxy).labels.tolist() == singles
    assert max_pear(galaxy).labels.tolist() == singles
    assert min_vi(galaxy).labels.tolist() == clusters(7, 79, 82)
    found = medvedovic(galaxy)
    outer = [0] * 7 + [1] * 70 + [0] * 5
    assert found.labels.tolist() == outer
    assert found.expected_loss == pytest.approx(1.11302, abs=5e-6)
    assert min_vi(galaxy, linkage="complete").expected_loss == pytest.approx(0.65438443, abs=1e-7)


@pytest.mark.data
def test_galaxy_best_draws(galaxy):
    by_binder = best_draw(galaxy, loss="binder")
    assert by_binder.n_clusters == 4
    assert by_binder.expected_loss == pytest.approx(0.22052641, abs=1e-7)
    # The lower bound may end the look at draws early, but not change the answer.
    some = PartitionDraws.of(galaxy.labels[::20])
    values = expected_loss(some.labels, some)
    assert best_draw(some).expected_loss == pytest.approx(values.min(), abs=1e-12)


@pytest.mark.parametrize("loss", list(PartitionLoss.registry))
def test_the_best_draw_is_the_best_of_all_draws(loss):
    draws, chosen = noisy(0), loss_of(loss)
    values = chosen.minimised(expected_loss(draws, draws, loss=loss))
    assert chosen.minimised(best_draw(draws, loss=loss).expected_loss) == pytest.approx(values.min(), abs=1e-12)


@pytest.mark.parametrize("linkage", ["average", "complete"])
def test_the_best_cut_is_the_best_of_all_cuts(linkage):
    from partita.partition import Dendrogram

    draws = noisy(1)
    given = PartitionDraws.of(draws)
    tree = Dendrogram.of(given.similarity, linkage)
    cuts = np.array([tree.cut(t) for t in range(12)])
    for loss in ("vi", "binder", "nid"):
        assert best_cut(given, loss=loss, linkage=linkage).expected_loss == pytest.approx(
            expected_loss(cuts, draws, loss=loss).min(), abs=1e-12
        )


def test_all_partitions_are_bells_number_of_different_ones():
    for n, bell in enumerate(BELL, 1):
        every = all_partitions(n)
        assert len({tuple(row) for row in every}) == len(every) == bell
        first = np.maximum.accumulate(np.c_[np.full(bell, -1), every], axis=1)[:, :-1]
        assert (every <= first + 1).all()  # numbered in order of appearance: no partition is there twice


def test_exhaustive_refuses_what_it_cannot_list():
    with pytest.raises(InputError, match="11 items"):
        exhaustive_search(np.zeros((2, 11), dtype=int))


@pytest.mark.parametrize("loss", ["vi", "binder", "omari"])
@pytest.mark.parametrize("seed", range(3))
def test_methods_lie_between_the_oracle_and_their_start(loss, seed):
    draws = PartitionDraws.of(noisy(seed, N=8))
    best = exhaustive_search(draws, loss=loss).expected_loss
    for method in (salso, greedy_rastelli_friel):
        found = method(draws, loss=loss, random_state=seed)
        assert found.expected_loss >= best - 1e-12
        assert found.expected_loss == pytest.approx(expected_loss(found.labels, draws, loss=loss), abs=1e-12)
        assert method(draws, loss=loss, random_state=seed).labels.tolist() == found.labels.tolist()
    found = greedy_wade_ghahramani(draws, loss=loss)
    assert best - 1e-12 <= found.expected_loss <= best_cut(draws, loss=loss).expected_loss + 1e-12
    assert search_partition(draws, loss=loss, random_state=seed).expected_loss == pytest.approx(best, abs=1e-12)


# Draws in which moves that each lower the loss end, from every start of the search, at a partition that can be beaten.
DETOURS = {
    ("id", None): (5, 7, 9),
    ("nid", None): (11, 22, 24),
    ("vi", 3): (1, 5, 10),
    ("binder", 3): (3, 6, 9),
    ("nvi", 3): (4, 6, 12),
    ("omari", 3): (5, 17, 28),
    ("pear", 3): (3, 5, 11),
    ("vi_lb", 3): (4, 26, 31),
}


@pytest.mark.parametrize(("loss", "cap"), list(DETOURS), ids=str)
def test_the_search_takes_detours_and_is_not_beaten_by_sixty_runs_of_salso(loss, cap):
    minimised = loss_of(loss).minimised
    for seed in DETOURS[loss, cap]:
        draws = PartitionDraws.of(noisy(seed, N=25, K=6))
        others = salso(draws, loss=loss, max_clusters=cap or 25, n_init=60, random_state=1)
        found = search_partition(draws, loss=loss, max_clusters=cap, random_state=0)
        assert minimised(found.expected_loss) <= minimised(others.expected_loss) + 1e-9
        assert found.n_clusters <= (cap or 25)


def test_greedy_of_wade_and_ghahramani_ends_where_no_merge_or_single_split_helps():
    draws = PartitionDraws.of(noisy(5, N=10))
    labels = greedy_wade_ghahramani(draws, start=np.arange(10), n_neighbors=100).labels
    present = expected_loss(labels, draws)
    for a in range(labels.max() + 1):
        for b in range(a):
            assert expected_loss(np.where(labels == a, b, labels), draws) >= present - 1e-12
    for i in range(10):
        alone = labels.copy()
        alone[i] = 10
        assert expected_loss(alone, draws) >= present - 1e-12


def test_caps_of_the_methods_hold():
    draws = noisy(6)
    assert salso(draws, max_clusters=2, random_state=0).n_clusters <= 2
    assert greedy_rastelli_friel(draws, max_clusters=2, random_state=0).n_clusters <= 2
    assert salso(draws, random_state=0).n_clusters <= 4
    for wrong in ({"max_clusters": 0}, {"n_init": 0}):
        with pytest.raises(InputError):
            salso(draws, **wrong)
    with pytest.raises(InputError, match="height"):
        medvedovic(draws, height=2.0)
    with pytest.raises(InputError, match="linkage"):
        min_vi(draws, linkage="single")


def test_every_method_is_registered_and_answers():
    draws = PartitionDraws.of(noisy(7, N=6))
    for name, method in METHODS.items():
        found = method(draws)
        assert found.labels.shape == (6,), name
        assert found.n_clusters == found.labels.max() + 1


@pytest.mark.parametrize("linkage", ["average", "complete"])
@pytest.mark.parametrize("method", [min_binder, max_pear, min_vi])
@pytest.mark.parametrize("seed", range(3))
def test_a_similarity_matrix_alone_gives_what_its_draws_give(method, linkage, seed):
    draws = noisy(seed)
    own, matrix = method(draws, linkage=linkage), method(similarity=posterior_similarity(draws), linkage=linkage)
    np.testing.assert_array_equal(own.labels, matrix.labels)
    assert own.expected_loss == pytest.approx(matrix.expected_loss, abs=1e-12)


def test_what_a_similarity_matrix_does_not_determine_is_refused_and_what_takes_one_is_named():
    draws = noisy(0)
    P = posterior_similarity(draws)
    np.testing.assert_array_equal(medvedovic(similarity=P).labels, medvedovic(draws).labels)
    np.testing.assert_array_equal(best_cut(similarity=P, loss="vi_lb").labels, min_vi(draws).labels)
    with pytest.raises(InputError, match="pear, binder, vi_lb"):
        best_cut(similarity=P)
    for method in (min_vi, max_pear, min_binder):
        with pytest.raises(InputError, match="min_binder, max_pear, min_vi"):
            method(P)
        with pytest.raises(InputError, match="similarity="):
            method()
        with pytest.raises(InputError, match="similarity="):
            method(draws, similarity=P)
