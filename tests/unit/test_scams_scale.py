"""Scales of an affinity that do not depend on its unit."""

import numpy as np
import pytest
import scipy.sparse as sp

from partita.errors import InputError
from partita.scams.scale import relative
from synthetic import random_affinity

# Quotients of sums of some ten numbers.
ROUNDING = 1e-13


def affinity():
    A = 2 * random_affinity(11, share=0.6)
    A[3] = A[:, 3] = 0.0  # an item without affinities
    return A


@pytest.mark.parametrize("unit", [1e-6, 0.01, 1.0, 300.0])
@pytest.mark.parametrize("kind", ["sym", "mean"])
def test_the_unit_changes_nothing_and_sparse_is_dense(kind, unit):
    A = affinity()
    expected = relative(A, kind)
    np.testing.assert_allclose(relative(unit * A, kind), expected, rtol=ROUNDING)
    found = relative(sp.csr_array(unit * A), kind)
    assert sp.issparse(found)
    np.testing.assert_allclose(found.toarray(), expected, rtol=ROUNDING)


@pytest.mark.parametrize("unit", [1e-3, 1.0])
def test_the_mean_entry_is_one_over_n_and_shares_stay(unit):
    A = unit * affinity()
    found = relative(A, "mean")
    assert found.mean() == pytest.approx(1 / len(A), rel=ROUNDING)
    np.testing.assert_allclose(found / found.sum(), A / A.sum(), rtol=ROUNDING)


def test_the_symmetric_scale_is_the_textbooks():
    A = affinity()
    A = A[A.sum(axis=1) > 0][:, A.sum(axis=1) > 0]
    root = np.diag(1 / np.sqrt(A.sum(axis=1)))
    found = relative(A)
    np.testing.assert_allclose(found, root @ A @ root, rtol=ROUNDING)
    assert (found == found.T).all()
    assert np.linalg.eigvalsh(found)[-1] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("kind", ["sym", "mean"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_nothing_stays_nothing_without_a_warning(kind, form):
    with np.errstate(all="raise"):
        found = relative(form(np.zeros((4, 4))), kind)
        with_one_alone = relative(form(affinity()), kind)
    assert abs(found).sum() == 0
    dense = with_one_alone.toarray() if sp.issparse(with_one_alone) else with_one_alone
    assert (dense[3] == 0).all()
    assert np.isfinite(dense).all()


def test_an_unknown_scale_is_refused():
    with pytest.raises(InputError, match="'sym'"):
        relative(np.eye(2), "max")
