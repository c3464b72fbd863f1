"""Draws in ArviZ's objects, whichever generation is installed: names of variables, dimensions and items."""

import numpy as np
import pytest

from partita import BayesianPartition
from partita.bridges import draws_from_arviz, memberships_frame
from partita.errors import InputError
from partita.io import read_draws

xarray = pytest.importorskip("xarray")
LABELS = np.random.default_rng(0).integers(0, 3, (3, 7, 5))
CHAIN = np.repeat([10, 11, 12], 7)
GENES = ["g0", "g 1", "g,2", "ü", "4"]


def dataset(chain="chain", draw="draw"):
    return xarray.Dataset(
        {"z": ((chain, draw, "gene"), LABELS), "lp": ((chain, draw), LABELS.sum(axis=2) * 0.5)},
        coords={chain: [10, 11, 12], draw: np.arange(7), "gene": GENES},
    )


def through_arviz(group="posterior", chain="chain", draw="draw"):
    """The object that the installed ArviZ makes: an InferenceData before 1.0, a DataTree from then on."""
    arviz = pytest.importorskip("arviz")
    if int(arviz.__version__.split(".")[0]) < 1:
        return arviz.InferenceData(**{group: dataset(chain, draw)})
    return xarray.DataTree.from_dict({f"/{group}": dataset(chain, draw)})


def from_dict():
    """ArviZ's own constructor, which both generations have."""
    arviz = pytest.importorskip("arviz")
    names = {"coords": {"gene": GENES, "chain": [10, 11, 12]}, "dims": {"z": ["gene"]}}
    if int(arviz.__version__.split(".")[0]) < 1:
        return arviz.from_dict(posterior={"z": LABELS}, **names)
    return arviz.from_dict({"posterior": {"z": LABELS}}, **names)


HOLDERS = {
    "object": through_arviz,
    "from_dict": from_dict,
    "tree": lambda: xarray.DataTree.from_dict({"/posterior": dataset(), "/prior": dataset()}),
    "node": lambda: xarray.DataTree.from_dict({"/posterior": dataset()})["posterior"],
    "dataset": dataset,
    "array": lambda: dataset()["z"],
    "reordered": lambda: dataset().transpose("gene", "draw", "chain"),
    "extracted": lambda: dataset().stack(sample=("chain", "draw")),
}


def require_same(found):
    np.testing.assert_array_equal(found.labels, LABELS.reshape(21, 5))
    np.testing.assert_array_equal(found.chain, CHAIN)
    assert found.items.tolist() == GENES


@pytest.mark.parametrize("holder", HOLDERS)
def test_every_holder_gives_the_same_draws(holder):
    require_same(draws_from_arviz(HOLDERS[holder]()))


@pytest.mark.parametrize("holder", ["object", "from_dict"])
def test_an_estimator_takes_the_object_itself_and_items_keep_their_names(holder):
    whole, own = BayesianPartition(random_state=0), BayesianPartition(random_state=0)
    whole.fit(HOLDERS[holder]())
    own.fit(LABELS.reshape(21, 5), chain=CHAIN)
    np.testing.assert_array_equal(whole.labels_, own.labels_)
    assert whole.expected_loss_ == own.expected_loss_
    assert whole.agreement_ is not None
    pytest.importorskip("pandas")
    assert memberships_frame(whole)["id"].tolist() == GENES


def test_groups_and_dimensions_may_be_called_otherwise():
    require_same(draws_from_arviz(through_arviz("prior"), group="prior"))
    require_same(draws_from_arviz(dataset("walker", "step"), chain="walker", draw="step"))
    require_same(draws_from_arviz(through_arviz(chain="walker", draw="step"), "z", chain="walker", draw="step"))
    one = draws_from_arviz(dataset().isel(chain=0, drop=True))
    assert one.chain is None
    np.testing.assert_array_equal(one.labels, LABELS[0])


def test_arvizs_extract_keeps_chains():
    arviz = pytest.importorskip("arviz")
    found = draws_from_arviz(arviz.extract(through_arviz(), var_names=["z"], keep_dataset=True))
    require_same(found)
    part = draws_from_arviz(dataset().stack(sample=("chain", "draw")).isel(sample=[20, 3, 8]))
    np.testing.assert_array_equal(part.labels, LABELS.reshape(21, 5)[[20, 3, 8]])
    np.testing.assert_array_equal(part.chain, CHAIN[[20, 3, 8]])


def test_what_is_not_there_is_named():
    for message, call in {
        "'warmup'": lambda: draws_from_arviz(through_arviz(), group="warmup"),
        "'step'": lambda: draws_from_arviz(dataset(), draw="step"),
        "'w'": lambda: draws_from_arviz(dataset(), "w"),
        "variable=": lambda: draws_from_arviz(dataset()[["lp"]]),
        "ArviZ": lambda: draws_from_arviz(LABELS),
        "chain, draw, walker": lambda: draws_from_arviz(dataset().rename(gene="walker"), chain="walker"),
        "'g'": lambda: draws_from_arviz(dataset().assign_coords(gene=["g", "g", "a", "b", "c"])),
    }.items():
        with pytest.raises(InputError, match=message):
            call()


def test_a_file_that_arviz_wrote_gives_the_same_draws(tmp_path):
    pytest.importorskip("h5netcdf")
    path = tmp_path / "draws.nc"
    through_arviz().to_netcdf(str(path), engine="h5netcdf")
    require_same(read_draws(path, key="z"))
