"""States as safetensors files: what goes in comes out, with its type, its layout and its identity."""

import numpy as np
import pytest
from safetensors.numpy import load_file

from partita.affinity import DenseAffinity
from partita.errors import InputError
from partita.objectives import Problem, SoFObjective
from partita.solvers import State
from partita.solvers.serialization import read_tree, write_tree


def through_a_file(tmp_path, value, problem=None):
    write_tree(tmp_path / "tree", value)
    return read_tree(tmp_path / "tree", problem)


def test_numbers_words_and_containers_come_back_as_they_were(tmp_path):
    values = [None, True, 3, 2**127 + 1, 0.1, float("inf"), -0.0, "é", (1, (2.5, None)), [1, []], {"a": (1,), "b": {}}]
    back = through_a_file(tmp_path, values)
    assert back == values
    assert [type(a) for a in back] == [type(a) for a in values]
    assert np.signbit(back[6])
    assert np.isnan(through_a_file(tmp_path, float("nan")))
    for scalar in (np.float64(0.1), np.int32(7), np.bool_(True), np.float32(1e-40)):
        back = through_a_file(tmp_path, scalar)
        assert (type(back), back) == (type(scalar), scalar)
    state = np.random.default_rng(5).bit_generator.state
    assert through_a_file(tmp_path, state) == state


def test_arrays_come_back_with_their_type_and_their_layout(tmp_path):
    base = np.random.default_rng(0).normal(size=(7, 10))
    arrays = [
        base,
        np.asfortranarray(base),
        base.T,
        base[:, :4],
        base[::2, ::-3],
        np.broadcast_to(base[0], (5, 10)),
        np.empty((7, 0)),
        np.array(3.5),
        base[:, :1],
        base.astype(np.float32),
        np.arange(6, dtype=np.int32).reshape(2, 3),
        np.arange(4) > 1,
        np.ones((2, 3, 4)).transpose(1, 0, 2),
    ]
    for array in arrays:
        back = through_a_file(tmp_path, array)
        assert back.dtype == array.dtype
        np.testing.assert_array_equal(back, array)
        if array.size > 1:
            used = [n > 1 for n in array.shape]
            assert [s for s, u in zip(back.strides, used) if u] == [s for s, u in zip(array.strides, used) if u]
        assert back.flags.aligned
    for bad in (np.array(["a"]), np.array([1j]), np.array([None])):
        with pytest.raises(InputError, match=str(bad.dtype)):
            through_a_file(tmp_path, bad)
    with pytest.raises(InputError, match="set"):
        through_a_file(tmp_path, {1})


def test_what_occurs_twice_is_written_once_and_is_one_object_again(tmp_path):
    problem = Problem(DenseAffinity(np.eye(40)), SoFObjective())
    point = problem.evaluate(np.random.default_rng(0).dirichlet(np.ones(3), 40))
    state = State(point, 0.5, (point, point.W, point.W[:, :2]))
    back = through_a_file(tmp_path, state)
    assert back.memory[0] is back.point
    assert back.memory[1] is back.point.W
    np.testing.assert_array_equal(back.memory[2], back.point.W[:, :2])
    stored = load_file(tmp_path / "tree")
    # W, its product, G, H, c, a, and the part of W that has a shape of its own
    assert len(stored) == 7
    assert sum(array.nbytes for array in stored.values()) == 8 * (2 * 40 * 3 + 2 * 9 + 2 * 3 + 40 * 2)


def test_the_file_is_one_that_others_read(tmp_path):
    W = np.random.default_rng(0).normal(size=(5, 3))
    write_tree(tmp_path / "tree", {"W": W, "turned": np.asfortranarray(W) + 1})
    stored = load_file(tmp_path / "tree")  # safetensors' own reader
    assert sorted(tuple(array.shape) for array in stored.values()) == [(3, 5), (5, 3)]
    np.testing.assert_array_equal(next(a for a in stored.values() if a.shape == (5, 3)), W)
    np.testing.assert_array_equal(next(a for a in stored.values() if a.shape == (3, 5)).T, W + 1)
