"""`memberships.csv` is read back to the last digit, whatever the ids are."""

import csv
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from partita.errors import InputError
from partita.io import read_memberships, write_memberships


@st.composite
def tables(draw):
    n, k = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    numbers = st.floats(0, 1)
    # A lone surrogate is no text and has no UTF-8.
    words = st.text(st.characters(blacklist_categories=("Cs",)), max_size=8)
    return (
        draw(st.lists(words, min_size=n, max_size=n)),
        draw(arrays(np.int64, n, elements=st.integers(0, k - 1))),
        draw(arrays(np.float64, (n, k), elements=numbers)),
        draw(arrays(np.float64, n, elements=numbers)),
        draw(arrays(np.float64, n, elements=numbers)),
    )


@settings(deadline=None)
@given(tables())
def test_what_is_written_is_read_back_exactly(tmp_path_factory, table):
    file = tmp_path_factory.mktemp("m") / "memberships.csv"
    write_memberships(file, *table)
    back = read_memberships(file)
    assert back.ids == table[0]
    for found, written in zip((back.labels, back.membership, back.entropy, back.margin), table[1:]):
        assert np.array_equal(found, written)
        assert found.shape == written.shape


def test_the_columns_are_those_of_the_interface(tmp_path):
    file = tmp_path / "memberships.csv"
    write_memberships(file, ["a,b", 'say "x"'], [0, 1], [[1, 0], [1 / 3, 2 / 3]], [0, math.log(2)], [1, 1 / 3])
    with file.open(newline="") as stream:
        rows = list(csv.reader(stream))
    assert rows[0] == ["id", "label", "p_0", "p_1", "entropy", "margin"]
    assert rows[1] == ["a,b", "0", "1", "0", "0", "1"]
    assert rows[2] == [
        'say "x"',
        "1",
        "0.33333333333333331",
        "0.66666666666666663",
        "0.69314718055994529",
        "0.33333333333333331",
    ]


def test_more_rows_than_are_written_at_a_time(tmp_path):
    n = 25_001
    membership = np.random.default_rng(0).dirichlet(np.ones(3), size=n)
    write_memberships(
        tmp_path / "m.csv", list(map(str, range(n))), membership.argmax(1), membership, np.zeros(n), np.zeros(n)
    )
    back = read_memberships(tmp_path / "m.csv")
    assert back.ids[-1] == str(n - 1)
    assert np.array_equal(back.membership, membership)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"ids": ["a"]}, "ids"),
        ({"labels": [0, 1, 1]}, r"labels .*\(3,\)"),
        ({"labels": [0.0, 1.0]}, "labels .*float64"),
        ({"entropy": [0]}, "entropy"),
        ({"margin": [[0, 0]]}, "margin"),
        ({"membership": [0.5, 0.5]}, "N x K"),
    ],
)
def test_columns_of_different_lengths_are_an_error(tmp_path, changed, message):
    table = {"ids": ["a", "b"], "labels": [0, 1], "membership": np.eye(2), "entropy": [0, 0], "margin": [1, 1]}
    with pytest.raises(InputError, match=message):
        write_memberships(tmp_path / "m.csv", **{**table, **changed})
    assert not list(tmp_path.iterdir())


HEADER = "id,label,p_0,entropy,margin\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("id,label\na,0\n", ["id, label, p_0", "found id, label"]),
        ("id,label,p_1,entropy,margin\na,0,1,0,1\n", ["found id, label, p_1"]),
        (HEADER, ["header"]),
        (HEADER + "a,0,1,0,1\nb,0,1,0\n", ["line 3", "5 cells"]),
        (HEADER + "a,0,1,0,1\nb,zero,1,0,1\n", ["line 3", "zero"]),
        (HEADER + "a,0,one,0,1\n", ["line 2", "one"]),
    ],
)
def test_a_file_of_another_kind_is_named(tmp_path, content, words):
    (tmp_path / "m.csv").write_text(content)
    with pytest.raises(InputError) as caught:
        read_memberships(tmp_path / "m.csv")
    for word in ("m.csv", *words):
        assert word in str(caught.value)
