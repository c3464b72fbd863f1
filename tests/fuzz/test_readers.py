"""Every reader returns or refuses, whatever the file, and never ends in another way.

A short share of what `scripts/fuzz` does, which bounds time and memory too. The files of failures
that were mended stand in `test_mended.py`.
"""

import tempfile
from pathlib import Path

import pytest
from attempts import attempt
from corpus import samples
from hypothesis import given, settings
from hypothesis import strategies as st
from readers import READERS, tried

# A file that is made of nothing else but its number: there is nothing to shrink towards.
numbers = st.integers(0, 2**40)


@pytest.mark.parametrize("reader", READERS)
def test_the_samples_that_are_spoiled_can_be_read(reader, tmp_path):
    for name, sample in samples(reader):
        for file, content in sample.items():
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / file).write_bytes(content)
        assert tried(reader, tmp_path / name) == "read", name


@pytest.mark.parametrize("reader", READERS)
@settings(max_examples=60, deadline=None)
@given(number=numbers)
def test_a_reader_returns_or_refuses_whatever_the_file(reader, number):
    with tempfile.TemporaryDirectory() as home:
        assert attempt(reader, number, Path(home)) in ("read", "refused")
