"""What every builder must do, whichever it is: a new one is in `Builder.registry` and is tested here."""

import numpy as np
import pytest

from partita import SoftClustering, load, save
from partita.affinity import Builder
from partita.metrics import adjusted_rand_index
from partita.n_clusters import Verdict
from partita.shapes import require

every = pytest.mark.parametrize("name", sorted(Builder.registry))
N, D = 90, 24


def two_groups(builder, seed=0):
    """Input for a builder of items in two subspaces far from each other, input of new items, and who is in which."""
    rng, truth = np.random.default_rng(seed), np.arange(N + 20) % 2
    X = np.where(truth[:, None] == np.arange(D) % 2, 6.0 + rng.normal(size=(N + 20, D)), 0.0)
    X += 0.01 * rng.normal(size=X.shape)
    if not builder.pairwise:
        return X[:N], X[N:], truth
    P = np.exp(-np.linalg.norm(X[:, None] - X, axis=2))
    return P[:N, :N], P[N:, :N], truth


def built(name, **options):
    builder = Builder.registry[name]()
    X, new, truth = two_groups(builder)
    return builder, builder.build(X, n_clusters=2, **options), X, new, truth


@every
def test_an_affinity_of_all_items_is_symmetric_finite_and_not_negative(name):
    _, evidence, _, _, _ = built(name)
    P = evidence.affinity.to_dense()
    assert P.shape == (N, N)
    assert np.isfinite(P).all()
    # What a low rank leaves of affinities that are nearly zero.
    assert P.min() >= -1e-6 * P.max()
    np.testing.assert_allclose(P, P.T, atol=1e-12 * P.max())


@every
def test_pairs_of_one_group_have_more_affinity(name):
    _, evidence, _, _, truth = built(name)
    P, same = evidence.affinity.to_dense(), truth[:N, None] == truth[:N]
    assert P[same].mean() > 2.0 * P[~same].mean()


@every
def test_a_builder_comes_back_from_its_configuration_and_its_evidence_from_its_state(name):
    builder, evidence, _, new, _ = built(name)
    again = Builder.from_config(builder.config())
    assert again == builder
    dense = []
    for one in (evidence, again.restore(evidence.state())):
        images = one.images(new)
        dense.append(images.toarray() if hasattr(images, "toarray") else np.asarray(images))
    assert len(dense[0]) == len(new)
    np.testing.assert_array_equal(*dense)


@every
def test_the_arrays_of_its_evidence_are_as_it_declares_them_and_none_is_left_out(name):
    builder, evidence, X, _, _ = built(name)
    state, lengths = evidence.state(), {"d": X.shape[1]}
    assert not builder.stored or state.keys() <= builder.stored.keys()
    for key in state.keys() & builder.stored.keys():
        require(np.asarray(state[key]), builder.stored[key], key, lengths)


@every
def test_what_does_not_vary_with_the_number_of_clusters_is_the_same_for_any(name):
    builder, evidence, X, _, _ = built(name)
    if not builder.varies_with_k:
        other = builder.build(X, n_clusters=7)
        np.testing.assert_array_equal(other.affinity.to_dense(), evidence.affinity.to_dense())
    assert builder.varies_with_k or not builder.needs_k


@every
def test_its_name_is_enough_for_an_estimator_that_is_saved_and_predicts(name, tmp_path):
    builder = Builder.registry[name]()
    X, new, truth = two_groups(builder)
    model = SoftClustering(2, affinity=name, random_state=0, probabilities="fitted").fit(X)
    assert adjusted_rand_index(model.labels_, truth[:N]) > 0.8
    found = model.predict_proba(new)
    assert adjusted_rand_index(found.argmax(axis=1), truth[N:]) > 0.8
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict_proba(new), found)


@every
def test_the_number_of_clusters_can_be_judged(name):
    builder = Builder.registry[name]()
    X, _, _ = two_groups(builder)
    model = SoftClustering("auto", affinity=name, random_state=0, probabilities="fitted").fit(X)
    assert isinstance(model.verdict_, Verdict)
    # Of distances in features these two groups are plain; what else a criterion sees is the builder's own.
    assert not builder.of_distances or model.n_clusters_ == 2
