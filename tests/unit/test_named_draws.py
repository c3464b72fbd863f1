"""Draws with their chains and the names of their items: ArviZ of both generations, frames, and the files of each."""

import io
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from partita import BayesianPartition, DPGaussianMixture, posterior_similarity
from partita.errors import InputError, UnsureWarning
from partita.io import open_draws, read_draws
from partita.partition.named_draws import NamedDraws, named_draws, stacked_draws
from synthetic import posterior

RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 5, size=(3, 7, 11))  # chain, draw, item
CHAIN = np.repeat([0, 1, 2], 7)


def dataset():
    xarray = pytest.importorskip("xarray")
    return xarray.Dataset(
        {
            "z": (("chain", "draw", "item"), LABELS),
            "mu": (("chain", "draw", "component"), RNG.normal(size=(3, 7, 4))),
            "K": (("chain", "draw"), LABELS.max(axis=2)),
        },
        coords={"chain": np.arange(3), "item": [f"i{k}" for k in range(11)]},
    )


def inference_data():
    arviz = pytest.importorskip("arviz")
    if int(arviz.__version__.split(".")[0]) >= 1:  # there the name is an alias of DataTree
        pytest.skip("this ArviZ has DataTree only")
    return arviz.InferenceData(posterior=dataset())


def data_tree():
    xarray = pytest.importorskip("xarray")
    observed = xarray.Dataset({"y": ("i", [1, 2])})
    return xarray.DataTree.from_dict({"/posterior": dataset(), "/observed_data": observed})


HOLDERS = {
    "InferenceData": inference_data,
    "DataTree": data_tree,
    "Dataset": dataset,
    "DataArray": lambda: dataset()["z"],
    "transposed": lambda: dataset()["z"].transpose("item", "draw", "chain"),
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_every_holder_gives_the_same_draws(holder):
    found = named_draws(HOLDERS[holder]())
    np.testing.assert_array_equal(found.labels, LABELS.reshape(21, 11))
    np.testing.assert_array_equal(found.chain, CHAIN)
    assert found.items.tolist() == [f"i{k}" for k in range(11)]


def test_a_frame_may_number_chains_and_draws():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(LABELS.reshape(21, 11), columns=[f"V{k}" for k in range(11)])
    frame.insert(0, ".iteration", np.tile(np.arange(7), 3))
    frame.insert(0, ".chain", CHAIN)
    found = named_draws(frame)
    np.testing.assert_array_equal(found.labels, LABELS.reshape(21, 11))
    np.testing.assert_array_equal(found.chain, CHAIN)
    assert found.items[0] == "V0"
    with pytest.raises(InputError, match="column"):
        named_draws(frame[[".chain", ".iteration"]])


def test_arrays_stay_as_they_are_and_take_no_variable():
    assert named_draws(LABELS[0]).labels is LABELS[0] or named_draws(LABELS[0]).labels.base is LABELS
    with pytest.raises(InputError, match="variable='z'"):
        named_draws(LABELS[0], variable="z")


@pytest.mark.parametrize("chains", [LABELS, list(LABELS), LABELS.tolist(), [named_draws(each) for each in LABELS]])
def test_several_chains_are_stacked_and_known(chains):
    found = stacked_draws(chains)
    np.testing.assert_array_equal(found.labels, LABELS.reshape(21, 11))
    np.testing.assert_array_equal(found.chain, np.repeat(np.arange(3), 7))
    np.testing.assert_array_equal(posterior_similarity(chains), posterior_similarity(found))


def test_chains_of_other_items_are_not_stacked():
    named = [NamedDraws(LABELS[0], items=np.arange(k, k + 11).astype(str)) for k in range(2)]
    for chains in (named, [LABELS[0], LABELS[1, :, :9]]):
        with pytest.raises(InputError, match="items"):
            stacked_draws(chains)


def test_entries_of_a_list_keep_the_chains_and_notes_that_they_have():
    parts = [NamedDraws(LABELS[k], np.arange(7) // 4, notes=(f"of {k}",)) for k in range(2)]
    found = stacked_draws(parts)
    np.testing.assert_array_equal(found.chain, np.r_[np.arange(7) // 4, 2 + np.arange(7) // 4])
    assert found.notes == ("of 0", "of 1")
    with pytest.raises(InputError, match="different numbers"):
        stacked_draws([[[0, 0, 1], [0, 1]], [[0, 0, 1]]])


def test_chains_that_disagree_are_not_said_to_be_turned():
    rng = np.random.default_rng(0)
    chains = [rng.integers(4, size=200) * np.ones((25, 1), dtype=int) for _ in range(4)]
    chains = [np.where(rng.random(each.shape) < 0.05, rng.integers(4, size=each.shape), each) for each in chains]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        notes = BayesianPartition(random_state=0).fit(chains).notes_
    assert not any("transposed" in note for note in notes)


def test_columns_that_agree_as_draws_do_are_told():
    draws = posterior(n_draws=120, noise=0.2)[0]
    draws = np.array([np.random.default_rng(b).permutation(9)[draw] for b, draw in enumerate(draws)])
    for given, told in ((draws, 0), (draws.T, 1), (draws[:20], 0)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnsureWarning)
            notes = BayesianPartition(random_state=0).fit(given).notes_
        assert sum("transposed" in note for note in notes) == told


def test_what_could_be_meant_twice_or_not_at_all_is_named():
    two = dataset().assign(other=lambda d: d["z"] + 1)
    with pytest.raises(InputError, match="z, other"):
        named_draws(two)
    np.testing.assert_array_equal(named_draws(two, variable="other").labels, LABELS.reshape(21, 11) + 1)
    with pytest.raises(InputError, match="'w'"):
        named_draws(two, variable="w")
    with pytest.raises(InputError, match="variable="):
        named_draws(dataset()[["mu", "K"]])
    with pytest.raises(InputError, match="'chain', 'item'"):
        named_draws(dataset()["z"].isel(draw=0))
    with pytest.raises(InputError, match="'posterior'"):
        named_draws(data_tree()["observed_data"])


@pytest.mark.parametrize("suffix", ["draws.nc", "draws.zarr"])
def test_files_that_arviz_writes(tmp_path, suffix):
    pytest.importorskip("h5netcdf")
    path = tmp_path / suffix
    if suffix.endswith(".nc"):
        inference_data().to_netcdf(str(path), engine="h5netcdf")
    else:
        pytest.importorskip("zarr")
        dataset().to_zarr(path, group="posterior")
    found = read_draws(path)
    np.testing.assert_array_equal(found.labels, LABELS.reshape(21, 11))
    np.testing.assert_array_equal(found.chain, CHAIN)
    np.testing.assert_array_equal(open_draws(path), found.labels)
    with pytest.raises(InputError, match=r"draws\.(nc|zarr).*'w'"):
        read_draws(path, key="w")


def test_a_file_that_is_no_netcdf(tmp_path):
    pytest.importorskip("h5netcdf")
    (tmp_path / "draws.nc").write_bytes(b"not at all")
    with pytest.raises(InputError, match="netCDF"):
        read_draws(tmp_path / "draws.nc")


def test_columns_of_rs_write_csv_and_of_posterior_packages(tmp_path):
    labels = LABELS[0]
    rows = [",".join([f'"{b + 1}"', *map(str, row)]) for b, row in enumerate(labels)]
    header = ",".join(['""', *(f'"V{k + 1}"' for k in range(11))])
    (tmp_path / "r.csv").write_text("\n".join([header, *rows]) + "\n")
    found = read_draws(tmp_path / "r.csv")
    np.testing.assert_array_equal(found.labels, labels)
    assert found.chain is None
    assert found.items.tolist()[:2] == ["V1", "V2"]
    header = ",".join(["chain", "draw", *(f"x{k}" for k in range(11))])
    rows = [",".join([str(c), str(b), *map(str, LABELS[c, b])]) for c in range(3) for b in range(7)]
    (tmp_path / "chains.csv").write_text("\n".join([header, *rows]) + "\n")
    found = read_draws(tmp_path / "chains.csv")
    np.testing.assert_array_equal(found.labels, LABELS.reshape(21, 11))
    np.testing.assert_array_equal(found.chain, CHAIN)


def test_chains_beside_the_labels_of_an_npz_and_in_parquet(tmp_path):
    np.savez(tmp_path / "d.npz", draw=LABELS.reshape(21, 11), chain=CHAIN)
    np.testing.assert_array_equal(read_draws(tmp_path / "d.npz").chain, CHAIN)
    np.savez(tmp_path / "other.npz", draw=LABELS.reshape(21, 11), chain=CHAIN[:5])
    with pytest.raises(InputError, match=r"'chain' .*\(5,\)"):
        read_draws(tmp_path / "other.npz")
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(LABELS.reshape(21, 11), columns=[f"V{k}" for k in range(11)])
    frame.insert(0, "chain", CHAIN)
    frame.to_parquet(tmp_path / "d.parquet")
    found = read_draws(tmp_path / "d.parquet")
    np.testing.assert_array_equal(found.labels, LABELS.reshape(21, 11))
    np.testing.assert_array_equal(found.chain, CHAIN)


def test_headers_that_pandas_writes_are_no_draws(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(LABELS[0])
    frame.to_csv(tmp_path / "index.csv")
    np.testing.assert_array_equal(read_draws(tmp_path / "index.csv").labels, LABELS[0])
    frame.to_csv(tmp_path / "numbers.csv", index=False)
    with pytest.raises(InputError, match=r"numbers\.csv.*0, 1, \.\.\., 10"):
        read_draws(tmp_path / "numbers.csv")
    frame.to_csv(tmp_path / "bare.csv", index=False, header=False)
    np.testing.assert_array_equal(read_draws(tmp_path / "bare.csv").labels, LABELS[0])


def test_a_frame_may_have_chains_in_its_index():
    pandas = pytest.importorskip("pandas")
    index = pandas.MultiIndex.from_product([range(3), range(7)], names=["chain", "draw"])
    found = named_draws(pandas.DataFrame(LABELS.reshape(21, 11), index=index))
    np.testing.assert_array_equal(found.chain, CHAIN)


def test_labels_that_doubles_do_not_tell_apart_are_refused(tmp_path):
    (tmp_path / "d.csv").write_text("99999999999999999999,99999999999999999998\n1,2\n")
    with pytest.raises(InputError, match=r"'9{20}'"):
        read_draws(tmp_path / "d.csv")
    for large in ([[1e19, 2e19], [1e19, 2e19]], np.array([[2.0**53, 1]]), np.array([[0, -1e300]])):
        with pytest.raises(InputError, match=r"e\+\d+.* too large"):
            posterior_similarity(large)
        np.save(tmp_path / "d.npy", large)
        with pytest.raises(InputError, match=r"draw 0, item \d: .*e\+\d+.* too large"):
            read_draws(tmp_path / "d.npy")
    assert posterior_similarity(np.array([[0, 1], [0, 0]], dtype=np.float16))[0, 1] == 0.5
    assert posterior_similarity([[10**18, 10**18 + 1]])[0, 1] == 0
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pandas.DataFrame([[1e19, 2e19]], columns=["a", "b"]).to_parquet(tmp_path / "d.parquet")
    with pytest.raises(InputError, match=r"d\.parquet.* too large"):
        read_draws(tmp_path / "d.parquet")


def written_by_r(labels, **options):
    """A frame of what R's `write.csv` writes of a matrix, as pandas reads it."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(labels, columns=[f"V{k}" for k in range(1, labels.shape[1] + 1)])
    frame.index = np.arange(1, len(frame) + 1).astype(str)
    text = io.StringIO()
    frame.to_csv(text)
    text.seek(0)
    return pandas.read_csv(text, **options)


@pytest.mark.parametrize("twice", [False, True])
def test_the_names_of_rows_that_r_writes_are_no_item(twice):
    frame = written_by_r(LABELS[0])
    if twice:
        frame.insert(0, "Unnamed: 0.1", np.arange(7))
    assert frame.columns[0].startswith("Unnamed: 0")
    found = named_draws(frame)
    np.testing.assert_array_equal(found.labels, LABELS[0])
    assert found.items.tolist() == [f"V{k}" for k in range(1, 12)]
    assert found.notes == ()
    np.testing.assert_array_equal(posterior_similarity(frame), posterior_similarity(LABELS[0]))
    polars = pytest.importorskip("polars")
    same = polars.DataFrame({name.replace("Unnamed: 0", ""): frame[name].to_numpy() for name in frame.columns[-12:]})
    np.testing.assert_array_equal(named_draws(same).labels, LABELS[0])


def test_a_column_that_pandas_named_elsewhere_is_an_item():
    frame = written_by_r(LABELS[0], index_col=0).rename(columns={"V3": "Unnamed: 3"})
    assert len(named_draws(frame).items) == 11


@pytest.mark.parametrize("name", ["label", "Class", "target"])
def test_a_column_that_looks_like_the_truth_is_refused(name, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(LABELS[0]).add_prefix("V").assign(**{name: np.arange(7)})
    frame.to_csv(tmp_path / "draws.csv", index=False)
    for read in (lambda: named_draws(frame), lambda: read_draws(tmp_path / "draws.csv")):
        with pytest.raises(InputError, match=f"column '{name}'"):
            read()
    with pytest.raises(InputError, match=r"draws\.csv"):
        read_draws(tmp_path / "draws.csv")
    assert named_draws(frame[[name]]).items.tolist() == [name]  # alone it is what was meant


@pytest.mark.parametrize("name", ["weight", pytest.param("burnin", marks=pytest.mark.slow), "lp__"])
def test_what_a_sampler_writes_beside_the_labels_is_refused_by_its_name(name):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(LABELS[0]).add_prefix("V").assign(**{name: np.arange(7)})
    with pytest.raises(InputError, match=f"column '{name}'"):
        named_draws(frame)


@pytest.mark.parametrize("suffix", ["frame", "csv", "parquet"])
def test_columns_that_count_draws_or_clusters_are_no_items(suffix, tmp_path):
    pandas = pytest.importorskip("pandas")
    labels = LABELS.reshape(21, 11)
    counted = [len(np.unique(row)) for row in labels]
    table = {"it": 10 * np.tile(np.arange(1, 8), 3), **{f"V{k}": labels[:, k] for k in range(11)}, "K": counted}
    frame, file = pandas.DataFrame(table), tmp_path / f"draws.{suffix}"
    if suffix == "csv":
        frame.to_csv(file, index=False)
    elif suffix == "parquet":
        pytest.importorskip("pyarrow")
        frame.to_parquet(file)
    given = named_draws(frame) if suffix == "frame" else read_draws(file)
    assert given.items.tolist() == [f"V{k}" for k in range(11)]
    assert np.asarray(given.labels).tolist() == labels.tolist()
    assert [note.split("'")[1] for note in given.notes] == ["it", "K"]


def given_by(frame, tmp_path):
    """The draws of a frame, and of the file that it is written to."""
    frame.to_csv(tmp_path / "draws.csv", index=False)
    return named_draws(frame), read_draws(tmp_path / "draws.csv")


@pytest.mark.parametrize("words", [False, True])
def test_columns_called_as_if_they_numbered_draws_are_items_unless_they_do(words, tmp_path):
    pandas = pytest.importorskip("pandas")
    names = ["gene", "sample", "step", "K", "index", "draw"]
    frame = pandas.DataFrame(np.random.default_rng(0).integers(0, 3, (200, 6)), columns=names)
    frame = frame.replace({0: "a", 1: "b", 2: "c"}) if words else frame
    for given in given_by(frame, tmp_path):
        assert given.items.tolist() == names
        assert [note.split("'")[1] for note in given.notes] == ["sample", "step", "index", "draw"]
    several = {
        "draw": np.arange(1, 201),  # of all
        "step": 2000 - np.arange(200) * 10,  # from the last to the first
        "index": np.tile(np.arange(50), 4),  # of chains of which nothing else is known
    }
    for given in given_by(frame.assign(**several), tmp_path):
        assert given.items.tolist() == ["gene", "sample", "K"]
        assert [note.split("'")[1] for note in given.notes] == ["step", "index", "draw", "sample"]
    for given in given_by(frame.assign(chain=np.tile([1, 2], 100), step=np.repeat(np.arange(100), 2)), tmp_path):
        assert [note.split("'")[1] for note in given.notes] == ["step", "sample", "index", "draw"]
    for rows in (np.argsort(np.tile(np.arange(50), 4), kind="stable"), np.random.default_rng(0).permutation(200)[:60]):
        mixed = frame.assign(draw=np.tile(np.arange(50), 4)).iloc[rows]
        for given in given_by(mixed, tmp_path):
            assert given.items.tolist() == names[:-1]
    never_again = mixed.assign(gene=np.random.default_rng(0).permutation(60))  # labels of a sampler that always adds
    assert "draw" in named_draws(never_again).items
    assert "draw" in named_draws(frame.assign(draw=frame["draw"].where(np.arange(200) % 2 == 0))).items  # it lacks half
    assert named_draws(frame.assign(index=np.tile([0, 1], 100))).items.tolist() == names  # two clusters by turns


def test_numbers_called_as_if_of_draws_that_are_none_are_refused_beside_words(tmp_path):
    pandas = pytest.importorskip("pandas")
    pandas.DataFrame({"step": [1, 1, 2], "ann": list("aab"), "bob": list("aba")}).to_csv(
        tmp_path / "draws.csv", index=False
    )
    with pytest.raises(InputError, match=r"draws\.csv.*'step'"):
        read_draws(tmp_path / "draws.csv")


def test_notes_on_the_columns_of_a_file_of_r_are_kept(tmp_path, monkeypatch):
    (tmp_path / "draws.rds").write_bytes(b"X")
    given = NamedDraws(LABELS[0], notes=("a note",), turned=("turned",))
    monkeypatch.setattr("partita.io.draw_files.read_r_draws", lambda *_, **__: given)
    found = read_draws(tmp_path / "draws.rds")
    assert (found.notes, found.turned) == (given.notes, given.turned)


def test_a_chain_of_any_name_has_chains_that_may_be_words(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(LABELS.reshape(21, 11)).add_prefix("V")
    frame.insert(0, "chain_id", np.array(["one", "two", "three"])[CHAIN])
    frame.to_csv(tmp_path / "draws.csv", index=False)
    for given in (named_draws(frame), read_draws(tmp_path / "draws.csv")):
        assert given.chain.tolist() == frame["chain_id"].tolist()
        assert np.asarray(given.labels).tolist() == LABELS.reshape(21, 11).tolist()
    frame["chain_id"] = frame["chain_id"].replace("three", "3")
    frame.to_csv(tmp_path / "draws.csv", index=False)
    with pytest.raises(InputError, match="'3'"):
        read_draws(tmp_path / "draws.csv")


def test_words_for_chains_and_labels_are_compared():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([list("aabb")] * 8, columns=["ann", "bob", "cid", "dan"])
    frame.insert(0, "chain", [1] * 4 + [2] * 4)
    assert BayesianPartition(random_state=0).fit(frame).agreement_.farthest == (1, 2)


@pytest.mark.parametrize("columns", ["", "V", "X"])
def test_draws_that_r_turned_are_told(columns, tmp_path):
    pandas = pytest.importorskip("pandas")
    turned = pandas.DataFrame(LABELS[0].T, columns=[f"{columns}{k}" for k in range(1, 8)])
    turned.index = [f"V{k}" for k in range(1, 12)]
    turned.to_csv(tmp_path / "turned.csv")
    for found in (named_draws(turned), named_draws(turned.reset_index(names="")), read_draws(tmp_path / "turned.csv")):
        assert len(found.turned) == 1
        assert "looks transposed: its rows are V1, ..., V11" in found.turned[0]
        np.testing.assert_array_equal(found.labels, LABELS[0].T)
    with pytest.warns(UnsureWarning, match="transposed"):
        model = BayesianPartition("binder", random_state=0).fit(turned)
    assert found.turned[0] in model.notes_


def test_clusterings_in_columns_beside_names_of_items_are_said_to_be_turned(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(LABELS[0].T, columns=[f"k{k}" for k in range(7)], index=[f"cell{k}" for k in range(11)])
    frame.to_csv(tmp_path / "turned.csv")
    for found in (named_draws(frame), read_draws(tmp_path / "turned.csv")):
        assert "its rows are cell0, ..., cell10" in found.turned[0]
    assert named_draws(frame.T).turned == named_draws(frame.reset_index(drop=True)).turned == ()


GAPS = [["a", "a", "b", "b"], ["a", None, None, "b"], ["a", None, None, "b"]]


@pytest.mark.parametrize("gap", [None, float("nan"), "", "NA"])
@pytest.mark.parametrize("held", ["array", "object", "category", "string"])
def test_a_word_that_is_missing_is_no_label(gap, held):
    pandas = pytest.importorskip("pandas")
    gap = pandas.NA if gap == "NA" else gap
    cells = np.array([[gap if cell is None else cell for cell in row] for row in GAPS], dtype=object)
    draws = cells if held == "array" else pandas.DataFrame(cells).astype(held)
    with pytest.raises(InputError, match="unobserved"):
        BayesianPartition("binder", random_state=0).fit(draws)
    model = BayesianPartition("binder", missing="unobserved", random_state=0).fit(draws)
    assert model.labels_.tolist() == [0, 0, 1, 1]
    assert model.expected_loss_ == 0


def test_a_number_that_is_missing_among_whole_numbers_of_pandas_is_no_label():
    pandas = pytest.importorskip("pandas")
    draws = pandas.DataFrame([[1, 1, 2, 2], [1, None, None, 2]], dtype="Int64")
    assert BayesianPartition("binder", missing="unobserved", random_state=0).fit(draws).labels_.tolist() == [0, 0, 1, 1]
    with pytest.raises(InputError, match="unobserved"):
        BayesianPartition("binder", random_state=0).fit(draws)


@pytest.mark.parametrize("rows", [[str(k) for k in range(1, 8)], [f"draw{k}" for k in range(7)], list("V234567"), None])
def test_draws_that_stand_as_they_should_are_not_said_to_be_turned(rows, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(LABELS[0], columns=[str(k) for k in range(1, 12)], index=rows)
    frame.to_csv(tmp_path / "draws.csv")
    assert named_draws(frame).turned == read_draws(tmp_path / "draws.csv").turned == ()


def test_items_that_have_names_of_their_own_are_not_said_to_be_turned():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(LABELS[0], columns=list("abcdefghijk"), index=[f"V{k}" for k in range(1, 8)])
    assert named_draws(frame).turned == ()


def test_a_file_that_was_not_read_is_named_with_what_reads_it(tmp_path):
    for name in ("gal.csv", tmp_path / "gal.csv"):
        with pytest.raises(InputError, match=r"read_draws\('.*gal\.csv'\)"):
            BayesianPartition().fit(name)


def test_a_fitted_mixture_hands_over_its_chains_and_log_joint():
    X = np.random.default_rng(0).normal(size=(20, 1)) + np.repeat([0.0, 9.0], 10)[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        mixture = DPGaussianMixture(n_draws=50, burn_in=50, n_chains=2, random_state=0).fit(X)
        found = named_draws(mixture)
        model = BayesianPartition(random_state=0).fit(mixture)
    np.testing.assert_array_equal(found.labels, mixture.draws_)
    np.testing.assert_array_equal(found.chain, mixture.chain_)
    np.testing.assert_array_equal(found.traces["log_joint"].reshape(2, 50), mixture.log_joint_trace_)
    assert model.agreement_.verdict == mixture.result_.verdict.words
    with pytest.raises(InputError, match="DPGaussianMixture"):
        BayesianPartition().fit(DPGaussianMixture())
    with pytest.raises(InputError, match="M x N"):
        BayesianPartition().fit(object())
