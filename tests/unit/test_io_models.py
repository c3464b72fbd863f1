"""Saved models: read back exactly, and every way in which a model can be broken is told apart."""

import json
import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from test_messages import ADVICE_ON_MODELS

from partita.errors import MemoryLimitError, ModelError
from partita.io import models, read_model, tensors, write_model
from partita.io.tensors import TYPES

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(blacklist_categories=("Cs",))),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(blacklist_categories=("Cs",))), inner, max_size=3)
    ),
    max_leaves=8,
)
names = st.text("abcdefghijklmnop_.", min_size=1, max_size=12)
any_array = st.sampled_from(sorted(TYPES)).flatmap(
    lambda dtype: arrays(np.dtype(dtype), array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
)


@settings(deadline=None)
@given(st.dictionaries(names, json_values, max_size=3), st.dictionaries(names, any_array, max_size=3))
def test_what_is_written_is_read_back_exactly(tmp_path_factory, config, written):
    folder = tmp_path_factory.mktemp("m") / "model"
    write_model(folder, config=config, arrays=written)
    found_config, found = read_model(folder)
    assert found_config == config
    assert list(found) == list(written)
    for name, array in written.items():
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape
        assert found[name].tobytes() == array.tobytes()  # NaN payloads too


@pytest.fixture
def model(tmp_path):
    folder = tmp_path / "out" / "model"
    write_model(
        folder,
        config={"kind": "SoF", "parameters": {"n_clusters": 2}},
        arrays={
            "membership": np.arange(6.0).reshape(3, 2).T,
            "swapped": np.arange(3, dtype=">i4"),
            "scale": np.array(0.5),
        },
    )
    return folder


def test_an_output_folder_or_its_model_folder_may_be_named(model):
    for path in (model, model.parent, str(model)):
        config, found = read_model(path)
        assert config == {"kind": "SoF", "parameters": {"n_clusters": 2}}
        assert np.array_equal(found["membership"], np.arange(6.0).reshape(3, 2).T)
        assert np.array_equal(found["swapped"], [0, 1, 2])
        assert found["scale"].shape == ()
    description = json.loads((model / "model.json").read_text())
    assert description["program"] == "partita"
    assert description["schema_version"] == 1
    assert description["arrays"]["membership"] == {"dtype": "float64", "shape": [2, 3]}
    assert "partita" in description


def error_of(path, *words):
    with pytest.raises(ModelError) as caught:
        read_model(path)
    message = str(caught.value)
    for word in words:
        assert word in message
    assert any(advice in message for advice in ADVICE_ON_MODELS)
    return message


def test_a_model_that_is_not_there(model, tmp_path):
    error_of(tmp_path / "ouf", "ouf", "'out'")
    (tmp_path / "e.py").write_text("")
    assert "'e.py'" not in error_of(tmp_path / "nofile.py", "nofile.py")  # a file is no model
    error_of(tmp_path, "model/model.json")
    error_of(model / "model.json", "model.json")
    (model / "arrays.safetensors").unlink()
    error_of(model, "arrays.safetensors")


def describe(model, **changes):
    description = json.loads((model / "model.json").read_text())
    (model / "model.json").write_text(json.dumps({**description, **changes}))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"program": "other"}, ["not written by Partita"]),
        ({"schema_version": 2}, ["schema_version 2", "upgrade"]),
        ({"schema_version": "1"}, ["schema_version is '1'"]),
        ({"schema_version": True}, ["schema_version is True"]),
        ({"schema_version": 0}, ["schema_version is 0"]),
        ({"config": None}, ["'config' is missing"]),
        ({"arrays": []}, ["'arrays' is missing"]),
        ({"arrays": {"scale": {"dtype": "object", "shape": []}}}, ["array 'scale'", "dtype"]),
        ({"arrays": {"scale": {"dtype": "float64", "shape": [-1]}}}, ["array 'scale'", "shape"]),
        ({"arrays": {"scale": {"dtype": "float64", "shape": [1.5]}}}, ["array 'scale'"]),
        ({"arrays": {"scale": {"dtype": "float64", "shape": [float("inf")]}}}, ["Infinity"]),
        ({"arrays": {"scale": 3}}, ["array 'scale'"]),
        ({"arrays": {}}, ["membership, scale, swapped"]),
    ],
)
def test_a_wrong_description_is_named(model, changes, words):
    describe(model, **changes)
    error_of(model, "model.json", *words)


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "float32", "shape": [2, 3]},
        {"dtype": "float64", "shape": [3, 2]},
        {"dtype": "float64", "shape": [10**30]},
    ],
)
def test_arrays_that_differ_from_the_description_are_refused_before_they_are_read(model, entry, monkeypatch):
    description = json.loads((model / "model.json").read_text())
    describe(model, arrays={**description["arrays"], "membership": entry})

    def refuse(*_):
        raise AssertionError("arrays were read before their header was checked")

    monkeypatch.setattr(tensors, "_array", refuse)
    error_of(model, "array 'membership'", entry["dtype"])


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[]", b"null", b"[" * 100_000])
def test_a_broken_description_is_named(model, content):
    (model / "model.json").write_bytes(content)
    error_of(model, "model.json")


def with_header(header, tail=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + tail


BROKEN = {
    "empty": b"",
    "short": b"\x01\x02",
    "huge header": b"\xff" * 8 + b"{}",
    "pickle": pickle.dumps({"a": 1}),
    "no json": with_header(b"nonsense"),
    "no object": with_header([]),
    "infinite": with_header(b'{"scale": {"dtype": "F64", "shape": [Infinity], "data_offsets": [0, 8]}}'),
    "entry of another kind": with_header({"scale": 3}),
    "beyond the end": with_header({"scale": {"dtype": "F64", "shape": [], "data_offsets": [0, 8]}}, b"1234"),
    "backwards": with_header({"scale": {"dtype": "F64", "shape": [], "data_offsets": [8, 0]}}, b"12345678"),
    "infinite offsets": with_header(b'{"scale": {"dtype": "F64", "shape": [], "data_offsets": [0, 1e999]}}'),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_arrays_are_named(model, case):
    (model / "arrays.safetensors").write_bytes(BROKEN[case])
    error_of(model, "arrays.safetensors")


@pytest.mark.parametrize("keep", [0.3, 0.9, 0.999])
def test_cut_off_arrays_are_named(model, keep):
    whole = (model / "arrays.safetensors").read_bytes()
    (model / "arrays.safetensors").write_bytes(whole[: int(keep * len(whole))])
    error_of(model, "arrays.safetensors")


def test_an_array_with_the_wrong_number_of_bytes(tmp_path):
    write_model(tmp_path, config={}, arrays={"scale": np.zeros(2)})
    header = {"scale": {"dtype": "F64", "shape": [2], "data_offsets": [0, 8]}}
    (tmp_path / "arrays.safetensors").write_bytes(with_header(header, b"12345678"))
    error_of(tmp_path, "array 'scale'", "8 bytes")


EIGHT = b"12345678"


@pytest.mark.parametrize(
    ("ranges", "tail", "words"),
    [
        ([(0, 8), (0, 8)], EIGHT, "byte 0"),
        ([(0, 8), (4, 12)], EIGHT + EIGHT, "byte 4"),
        ([(0, 8), (16, 24)], 3 * EIGHT, "byte 8"),
        ([(0, 8), (8, 16)], 3 * EIGHT, "8 bytes"),
    ],
)
def test_arrays_that_overlap_or_leave_gaps_are_refused(tmp_path, ranges, tail, words):
    write_model(tmp_path, config={}, arrays={"a": np.zeros(1), "b": np.zeros(1)})
    header = {
        name: {"dtype": "F64", "shape": [1], "data_offsets": list(offsets)} for name, offsets in zip("ab", ranges)
    }
    (tmp_path / "arrays.safetensors").write_bytes(with_header(header, tail))
    with pytest.raises(ModelError, match=words):
        read_model(tmp_path)


def test_truth_values_are_0_or_1(tmp_path):
    write_model(tmp_path, config={}, arrays={"a": np.ones(2, dtype=bool)})
    file = tmp_path / "arrays.safetensors"
    file.write_bytes(file.read_bytes()[:-1] + b"\x02")
    error_of(tmp_path, "array 'a'", "0 and 1")


def test_more_than_fits_is_refused_before_it_is_read(model, monkeypatch):
    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", "50")
    with pytest.raises(MemoryLimitError, match="50 B"):
        read_model(model)


def test_a_description_and_a_header_have_a_largest_size(model, monkeypatch):
    monkeypatch.setattr(models, "LARGEST", 100)
    error_of(model, "model.json", "100 bytes")
    monkeypatch.undo()
    monkeypatch.setattr(tensors, "LARGEST_HEADER", 100)
    with pytest.raises(ModelError, match=r"arrays\.safetensors .*100$"):
        read_model(model)


@pytest.mark.posix("links")
@pytest.mark.parametrize("name", ["model.json", "arrays.safetensors"])
def test_a_link_out_of_the_folder_is_refused(model, tmp_path, name):
    elsewhere = tmp_path / "elsewhere"
    (model / name).rename(elsewhere)
    (model / name).symlink_to(elsewhere)
    with pytest.raises(ModelError, match=re.escape(name)):
        read_model(model)


@pytest.mark.posix("links")
def test_a_link_to_a_folder_may_be_named_and_a_model_folder_that_is_one_is_refused(model, tmp_path):
    (tmp_path / "link").symlink_to(model.parent)
    assert read_model(tmp_path / "link")[0]["kind"] == "SoF"
    model.rename(tmp_path / "moved")
    model.symlink_to(tmp_path / "moved")
    with pytest.raises(ModelError, match=r"model (?!.*model\.json)"):
        read_model(model.parent)


@pytest.mark.parametrize(
    ("config", "written", "message"),
    [
        ({"tol": float("nan")}, {}, "config"),
        ({"f": print}, {}, "config"),
        ({}, {"a": np.array([{}], dtype=object)}, "'a' .*object"),
        ({}, {"a": np.zeros(2, complex)}, "'a' .*complex128"),
        ({}, {"a": np.array(["x"])}, "'a' .*<U1"),
    ],
)
def test_what_a_model_cannot_hold_is_named_and_nothing_is_written(tmp_path, config, written, message):
    with pytest.raises(ModelError, match=message):
        write_model(tmp_path / "model", config=config, arrays=written)
    assert not (tmp_path / "model").exists()
