"""What every criterion for the number of clusters keeps: the laws run over `Criterion.registry`, none left out."""

import numpy as np
import pytest

import partita.n_clusters  # noqa: F401 - registers every criterion
from partita.errors import InputError
from partita.n_clusters import Criterion, Judgement, KEvidence, criterion
from synthetic import draws_around

NAMES = sorted(Criterion.registry)
every = pytest.mark.parametrize("name", NAMES)


def planted(K, n_each=30, seed=0):
    """Clusters far apart, each about one line through the origin of the plane, their blocks of affinity, and draws."""
    rng = np.random.default_rng([K, seed])
    truth = np.repeat(np.arange(K), n_each)
    angle = np.pi * truth / K
    X = 40.0 * np.c_[np.cos(angle), np.sin(angle)] + rng.normal(size=(K * n_each, 2))
    half = rng.random((len(truth), len(truth)))
    # So little between clusters that an absolute threshold of the eigenvalues holds too, and nothing to split within.
    P = np.where(truth[:, None] == truth, 0.9, 5e-4 * (half + half.T))
    noisy = draws_around(truth, 12, 0.03, seed=rng)
    return X, P, np.vstack([np.tile(truth, (8, 1)), noisy])


def evidence_of(K, order=None, **options):
    X, P, draws = planted(K)
    order = np.arange(len(X)) if order is None else order
    given = {"max_clusters": 9, "dimension": 1, **options}
    return KEvidence(features=X[order], affinity=P[order][:, order], draws=draws[:, order], **given)


def judged(name, evidence):
    found = Criterion.registry[name]().judge(evidence)
    assert isinstance(found, Judgement)
    assert found.criterion == name
    assert found.scores.shape == found.sizes.shape
    assert found.n_clusters is None or 1 <= found.n_clusters <= evidence.n_items
    assert found.sure is None or 0.0 <= found.sure <= 1.0
    assert found.n_clusters is not None or found.note
    return found


@every
@pytest.mark.parametrize("K", [2, 3, 4, 5, 6])
def test_clusters_far_apart_are_counted(name, K):
    found = judged(name, evidence_of(K))
    if not Criterion.registry[name].can_name_several:
        assert found.n_clusters is None
        assert found.sure >= 0.95
    else:
        assert found.n_clusters == K


@every
def test_a_permutation_of_the_items_changes_nothing(name):
    order = np.random.default_rng(1).permutation(120)
    assert judged(name, evidence_of(4)).n_clusters == judged(name, evidence_of(4, order)).n_clusters


@every
def test_the_same_seed_gives_the_same_answer(name):
    first, second = judged(name, evidence_of(3)), judged(name, evidence_of(3))
    np.testing.assert_array_equal(first.scores, second.scores)
    assert first.n_clusters == second.n_clusters


@every
def test_names_of_labels_in_the_draws_do_not_matter(name):
    X, P, draws = planted(3)
    renamed = (draws * 7 + 3) % 11
    a, b = (KEvidence(features=X, affinity=P, draws=d, dimension=1, max_clusters=9) for d in (draws, renamed))
    assert judged(name, a).n_clusters == judged(name, b).n_clusters


@every
def test_what_is_missing_is_named(name):
    kind = Criterion.registry[name]
    P = np.kron(np.eye(2), np.ones((5, 5)))
    missing = sorted(kind.requires - {"affinity"})
    if not missing:
        assert judged(name, KEvidence(affinity=P)) is not None
        return
    with pytest.raises(InputError, match=f"{name}.*{missing[0]}"):
        kind().judge(KEvidence(affinity=P))


@every
@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_items_are_answered_or_declined(name, n):
    X = np.arange(n, dtype=float)[:, None] ** 2
    found = judged(name, KEvidence(features=X, draws=np.zeros((3, n), dtype=int), dimension=0))
    if n == 1:
        assert found.n_clusters == 1


@every
@pytest.mark.parametrize("n", [2, 3, 30])
def test_pairs_that_are_all_alike_are_one_cluster_or_nothing_is_said(name, n):
    evidence = KEvidence(
        features=np.eye(n), affinity=np.ones((n, n)), draws=np.zeros((4, n), dtype=int), dimension=0, max_clusters=5
    )
    found = judged(name, evidence)
    kind = Criterion.registry[name]
    if kind.can_name_one and kind.requires <= {"affinity", "draws"}:
        assert found.n_clusters in (1, None)


@every
def test_settings_come_back_from_json(name):
    one = Criterion.registry[name]()
    assert criterion(one.config()) == one
    assert criterion(name) == one
    assert one.idea


def test_a_new_criterion_registers_itself():
    class Three(Criterion):
        name = "made up for this test"
        idea = "three"

        def _judge(self, evidence):
            return self._silent([1, 2], "no idea")

    try:
        found = criterion("made up for this test").judge(KEvidence(affinity=np.ones((4, 4))))
        assert found.n_clusters is None
        assert np.isnan(found.scores).all()
    finally:
        del Criterion.registry["made up for this test"]


def test_an_unknown_criterion_or_setting_is_named():
    with pytest.raises(InputError, match="'gravity'"):
        criterion("gravity")
    with pytest.raises(InputError, match="eigengap"):
        criterion({"name": "eigengap", "gravity": 3})
