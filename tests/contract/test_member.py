"""What every member of an ensemble keeps: the laws run over `Member.registry`, none left out."""

import numpy as np
import pytest

import partita.ensemble  # noqa: F401 - registers every member
from partita.ensemble import Member, adjusted_rand, member
from partita.errors import InputError
from synthetic import blobs, zigzag

METHODS = sorted(Member.registry)
every = pytest.mark.parametrize("name", METHODS)


def clustered(name, X, K, seed=0):
    return Member.registry[name]().cluster(X, K, np.random.default_rng(seed))


@every
@pytest.mark.parametrize("d", [1, 2, 5])
def test_clusters_far_apart_are_found(name, d):
    X, truth = blobs(90, d=d, apart=12.0, at=zigzag)
    found = clustered(name, X, 3)
    if Member.registry[name].finds_number and d == 1:  # items on a line leave gaps
        assert adjusted_rand(found.labels, truth) > 0.85
        return
    assert adjusted_rand(found.labels, truth) == 1.0
    assert found.n_clusters == 3


@every
@pytest.mark.parametrize(("n", "K"), [(90, 3), (90, 1), (12, 5), (6, 5), (3, 2), (2, 1)])
def test_a_clustering_is_labels_or_a_membership_of_all_its_items(name, n, K):
    X, _ = blobs(n, min(K, 3), apart=2.0, at=zigzag)
    Q = clustered(name, X, K).membership
    assert len(Q) == n
    if Q.ndim == 1:
        assert Q.dtype.kind == "i"
        assert Q.min() >= 0
        assert set(Q.tolist()) == set(range(Q.max() + 1))  # no empty label
        if not Member.registry[name].finds_number:
            assert Q.max() + 1 == K
    else:
        assert Q.shape[1] == K
        assert (Q >= 0).all()
        np.testing.assert_allclose(Q.sum(axis=1), 1.0, atol=1e-9)


@every
def test_the_same_seed_gives_the_same_answer(name):
    X, _ = blobs(90, apart=3.0, at=zigzag)
    np.testing.assert_array_equal(clustered(name, X, 3, 5).membership, clustered(name, X, 3, 5).membership)


@every
def test_distances_alone_count(name):
    # A power of two, and the exact exchange and reflection of features: the same arithmetic up to rounding of sums.
    X, _ = blobs(90, apart=3.5, at=zigzag)
    moved = 4.0 * X[:, ::-1] * [1.0, -1.0]
    assert adjusted_rand(clustered(name, X, 3).labels, clustered(name, moved, 3).labels) == 1.0


@every
def test_where_a_member_scores_items_itself_it_agrees_with_its_clustering(name):
    X, _ = blobs(90, apart=3.0, at=zigzag)
    found = clustered(name, X, 3)
    if found.score is None:
        return
    np.testing.assert_allclose(found.score(X), found.membership, atol=1e-12)


@every
def test_draw_zero_is_the_member_itself_and_settings_come_back_from_json(name):
    one = Member.registry[name]()
    assert one.varied(0) == one
    assert member(one.config()) == one
    for draw in range(1, 7):
        assert type(one.varied(draw)) is type(one)
        assert member(one.varied(draw).config()) == one.varied(draw)
    assert one.idea


def test_a_new_method_registers_itself():
    class Halves(Member):
        name = "made up for this test"
        idea = "first half and second half"

        def cluster(self, X, n_clusters, rng):
            from partita.ensemble import Clustering

            return Clustering((np.arange(len(X)) * n_clusters) // len(X))

    try:
        assert isinstance(member("made up for this test"), Halves)
    finally:
        del Member.registry["made up for this test"]


def test_an_unknown_method_or_setting_is_named():
    with pytest.raises(InputError, match="'gravity'"):
        member("gravity")
    with pytest.raises(InputError, match="genie"):
        member({"name": "genie", "gravity": 3})
