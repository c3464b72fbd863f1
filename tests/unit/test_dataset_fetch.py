"""Downloads: what is served is checked before anything is written, and a kill leaves no file.

No test here reaches the network: what the public homes serve is made from the shared sets in the formats they have.
"""

import gzip
import io
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from email.message import Message
from urllib.response import addinfourl

import numpy as np
import pytest

from partita.datasets import dataset_names, describe, fetch_dataset, load_dataset
from partita.datasets.fetch import LARGEST, read_https
from partita.datasets.public import IMAGES_BYTES
from partita.errors import InputError

PUBLIC = [name for name in dataset_names() if describe(name).public is not None]


def joined(rows, separator=","):
    return "".join(separator.join(row) + "\n" for row in rows).encode()


def cells(data_home, path):
    return [line.split(",") for line in (data_home / path).read_text().splitlines()[1:]]


def idx(array):
    head = bytes([0, 0, 8, array.ndim]) + b"".join(int(n).to_bytes(4, "big") for n in array.shape)
    return gzip.compress(head + array.astype(np.uint8).tobytes(), 1)


def served(data_home, name):
    """The bytes at each address of a set, in the format of its public home."""
    path = describe(name).path
    if name == "mnist_1000":
        with np.load(data_home / "images/mnist_t10k.npz") as file:
            return [idx(file["X"].reshape(-1, 28, 28)), idx(file["y"])]
    if path.endswith(".npz"):
        with np.load(data_home / path) as file:
            X, y = file["X"].astype(str).tolist(), file["y"].tolist()
        if name == "letter":
            return [joined([chr(65 + label), *row] for row, label in zip(X, y, strict=True))]
        rows = [[*row, str(label)] for row, label in zip(X, y, strict=True)]
        return [joined(rows[:3823]), joined(rows[3823:])]
    rows = cells(data_home, path)
    if name == "blood_transfusion":
        return [b"Recency (months),Frequency (times),Monetary,Time,donated\n" + joined(rows)]
    if name == "glass":
        return [joined([str(i + 1), *row] for i, row in enumerate(rows))]
    if name == "iris":
        return [joined([*row[:-1], f"Iris-{row[-1]}"] for row in rows) + b"\n"]
    if name == "ecoli":
        return [joined((["AAT_ECOLI", *row] for row in rows), "  ")]
    if name == "satimage":
        return [joined(rows, " ")]
    if name == "pendigits":
        padded = [[f"{cell:>3}" for cell in row] for row in rows]
        return [joined(padded[:7494]), joined(padded[7494:])]
    if name.startswith("zelnik"):
        rows = [[x, y, "4" if label == "noise" else label] for x, y, label in rows]
        return [b"% a comment\n@RELATION r\n@ATTRIBUTE x REAL\n@ATTRIBUTE CLASS {0,1}\n\n@DATA\n" + joined(rows)]
    if name == "crabs":
        lines = [[str(i + 1), row[-1][0], row[-1][1], "1", *row[:-1]] for i, row in enumerate(rows)]
        return [b"rownames,sp,sex,index,FL,RW,CL,CW,BD\n" + joined(lines)]
    assert name == "galaxies"
    return [b'"","dat"\n' + joined([f'"{i + 1}"', row[0]] for i, row in enumerate(rows))]


def opener_of(name, contents):
    answers = dict(zip(describe(name).public.addresses, contents, strict=True))

    def open_address(address, timeout):
        assert timeout > 0
        return answers[address]

    return open_address


def files_in(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.data
@pytest.mark.parametrize("name", PUBLIC)
def test_what_is_fetched_is_the_set(data_home, tmp_path, name):
    path = fetch_dataset(name, home=tmp_path, opener=opener_of(name, served(data_home, name)))
    assert files_in(tmp_path) == [path]
    found, known = load_dataset(name, home=tmp_path), load_dataset(name, home=data_home)
    np.testing.assert_array_equal(found.X, known.X)
    if known.truth is not None:
        np.testing.assert_array_equal(found.truth, known.truth)
    assert found.columns == known.columns


@pytest.mark.data
def test_progress_is_told_and_a_right_file_is_left_alone(data_home, tmp_path):
    told = []
    opener = opener_of("pendigits", served(data_home, "pendigits"))
    path = fetch_dataset("pendigits", home=tmp_path, opener=opener, progress=told.append)
    assert all(any(address in words for words in told) for address in describe("pendigits").public.addresses)
    before = path.stat().st_mtime_ns

    def refuse(address, timeout):
        raise AssertionError("downloaded again")

    assert fetch_dataset("pendigits", home=tmp_path, opener=refuse) == path
    assert path.stat().st_mtime_ns == before


@pytest.mark.data
def test_another_file_at_its_place_is_not_replaced(data_home, tmp_path):
    (tmp_path / "uci").mkdir()
    (tmp_path / "uci/glass.csv").write_text("mine,label\n1,2\n")
    with pytest.raises(InputError, match="SHA-256"):
        fetch_dataset("glass", home=tmp_path, opener=opener_of("glass", served(data_home, "glass")))
    assert (tmp_path / "uci/glass.csv").read_text() == "mine,label\n1,2\n"


@pytest.mark.data
@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda content: content.replace(b"1.52101", b"1.52102", 1), "SHA-256"),
        (lambda content: content.split(b"\n", 1)[1], "214 x 9"),
        (lambda content: content.replace(b",1\n", b",2\n", 1), r"\{'1': "),
        (lambda content: content.replace(b"13.64", b"nan", 1), "Glass(?!.*SHA-256)"),
        (lambda content: b"<html><body>moved</body></html>", "Glass(?!.*SHA-256)"),
        (lambda content: b"", "Glass(?!.*SHA-256)"),
        (lambda content: content[: len(content) // 2], "Glass(?!.*SHA-256)"),
        (lambda content: b"\xff" + content, "Glass(?!.*SHA-256)"),
    ],
    ids=["value", "row", "class", "nan", "page", "empty", "half", "no text"],
)
def test_wrong_content_is_refused_and_nothing_is_written(data_home, tmp_path, change, says):
    content = served(data_home, "glass")[0]
    assert change(content) != content
    with pytest.raises(InputError, match=says):
        fetch_dataset("glass", home=tmp_path, opener=opener_of("glass", [change(content)]))
    assert not list(tmp_path.iterdir())


@pytest.mark.data
def test_wrong_images_are_refused(data_home, tmp_path):
    images, labels = served(data_home, "mnist_1000")
    for contents in ([labels, images], [b"no gzip", labels], [images[:1000], labels]):
        with pytest.raises(InputError, match="1000"):
            fetch_dataset("mnist_1000", home=tmp_path, opener=opener_of("mnist_1000", contents))
    bomb = idx(np.zeros((40_000, 28, 28)))
    with pytest.raises(InputError, match=str(IMAGES_BYTES)):
        fetch_dataset("mnist_1000", home=tmp_path, opener=opener_of("mnist_1000", [bomb, labels]))
    assert not list(tmp_path.iterdir())


def test_the_oversized_is_refused(tmp_path):
    with pytest.raises(InputError, match=str(LARGEST)):
        fetch_dataset("glass", home=tmp_path, opener=opener_of("glass", [bytes(LARGEST + 1)]))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "error", [urllib.error.URLError("no route"), TimeoutError("no answer"), ConnectionResetError()]
)
def test_an_address_that_does_not_answer_is_named(tmp_path, error):
    def fail(address, timeout):
        raise error

    with pytest.raises(InputError, match=r"https://archive\.ics\.uci\.edu\S*glass\.data"):
        fetch_dataset("glass", home=tmp_path, opener=fail)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", [name for name in dataset_names() if describe(name).public is None])
def test_a_set_without_a_public_file_says_where_to_ask(tmp_path, name):
    with pytest.raises(InputError) as refusal:
        fetch_dataset(name, home=tmp_path)
    assert (describe(name).ask or "scikit-learn") in str(refusal.value)


@pytest.mark.data
def test_an_interruption_while_writing_leaves_nothing(data_home, tmp_path, monkeypatch):
    def interrupt(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fetch_dataset("iris", home=tmp_path, opener=opener_of("iris", served(data_home, "iris")))
    assert not files_in(tmp_path)


KILLED = """
import os, pickle, signal, sys
from partita.datasets import fetch_dataset
answers, where, moment = pickle.loads(sys.stdin.buffer.read())
def opener(address, timeout):
    if moment == "download" and address.endswith(".tes"):
        os.kill(os.getpid(), signal.SIGKILL)
    return answers[address]
if moment == "write":
    os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)
fetch_dataset("pendigits", home=where, opener=opener)
"""


@pytest.mark.data
@pytest.mark.posix("signals")
@pytest.mark.parametrize("moment", ["download", "write", "never"])
def test_a_kill_half_way_leaves_no_set(data_home, tmp_path, moment):
    import pickle
    import signal

    answers = dict(zip(describe("pendigits").public.addresses, served(data_home, "pendigits"), strict=True))
    ran = subprocess.run(
        [sys.executable, "-c", KILLED], input=pickle.dumps((answers, str(tmp_path), moment)), timeout=120
    )
    path = tmp_path / describe("pendigits").path
    if moment == "never":  # else the test could pass because nothing ever works
        assert ran.returncode == 0
        assert path.is_file()
        return
    assert ran.returncode == -signal.SIGKILL
    assert not path.exists()
    with pytest.raises(InputError, match="pendigits"):
        load_dataset("pendigits", home=tmp_path)
    fetch_dataset("pendigits", home=tmp_path, opener=lambda address, timeout: answers[address])
    assert path.is_file()


def answered(monkeypatch, *answers):
    """What https answers, one after the other: (status, headers, body)."""
    given = iter(answers)

    def https_open(self, request):
        status, headers, body = next(given)
        message = Message()
        for key, value in headers.items():
            message[key] = value
        response = addinfourl(body, message, request.full_url, status)
        response.msg = "answer"
        return response

    monkeypatch.setattr(urllib.request.HTTPSHandler, "https_open", https_open)


def test_what_is_at_an_https_address_is_read(monkeypatch):
    answered(monkeypatch, (302, {"Location": "https://b.example/file"}, io.BytesIO(b"")), (200, {}, io.BytesIO(b"abc")))
    assert read_https("https://a.example/file", 1.0) == b"abc"


def test_a_redirection_away_from_https_is_refused(monkeypatch):
    answered(monkeypatch, (302, {"Location": "http://b.example/file"}, io.BytesIO(b"")))
    with pytest.raises(InputError, match=r"http://b\.example"):
        read_https("https://a.example/file", 1.0)


@pytest.mark.parametrize("address", ["http://a.example/file", "file://a.example/file", "ftp://a.example/file", "file"])
def test_only_https_is_opened(address):
    with pytest.raises(InputError, match=re.escape(address)):
        read_https(address, 1.0)


def test_an_endless_answer_is_read_up_to_the_bound(monkeypatch):
    class Endless(io.RawIOBase):
        given = 0

        def readable(self):
            return True

        def read(self, size=-1):
            assert size > 0, "read without a bound"
            Endless.given += size
            return bytes(size)

    answered(monkeypatch, (200, {}, Endless()))
    assert len(read_https("https://a.example/file", 1.0)) == LARGEST + 1
    assert Endless.given == LARGEST + 1


def test_an_answer_that_drips_is_given_up(monkeypatch):
    monkeypatch.setattr("partita.datasets.fetch.PATIENCE", -1.0)
    answered(monkeypatch, (200, {}, io.BytesIO(b"abc")))
    with pytest.raises(TimeoutError):
        read_https("https://a.example/file", 1.0)


def test_an_error_of_the_server_is_an_input_error(monkeypatch, tmp_path):
    answered(monkeypatch, (404, {}, io.BytesIO(b"not here")))
    with pytest.raises(InputError, match=r"glass\.data"):
        fetch_dataset("glass", home=tmp_path)
