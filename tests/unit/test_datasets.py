"""Sets: what is read is what the files hold, another file is refused, nothing is downloaded."""

import csv
import hashlib
import io
import re
import socket
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

from partita.datasets import dataset_home, dataset_names, describe, load_dataset, load_sequences
from partita.errors import InputError

FILES = [name for name in dataset_names() if name not in ("iris_fisher", "hopkins155")]
TABLES = [name for name in FILES if describe(name).path.endswith(".csv")]
ARRAYS = {
    "optdigits": ("X", "y"),
    "letter": ("X", "y"),
    "shuttle": ("X", "y"),
    "mnist_1000": ("X", "y"),
    "usps": ("X", "y"),
    "yaleb": ("X", "y"),
    "protein_globin213": ("D", "classes"),
    "galaxy_mcmc": ("draw", None),
    "ex1_mcmc": ("draw", None),
}


@pytest.fixture
def no_home(monkeypatch, tmp_path):
    """A home without files, and a network that nobody may use."""

    def refuse(*args, **kwargs):
        raise AssertionError("something was downloaded")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.delenv("PARTITA_DATA", raising=False)
    monkeypatch.setenv("PARTITA_CACHE", str(tmp_path))
    return tmp_path


@pytest.fixture
def own_home(data_home, tmp_path):
    """A home with a copy of the glass file."""
    (tmp_path / "uci").mkdir()
    (tmp_path / "uci/glass.csv").write_bytes((data_home / "uci/glass.csv").read_bytes())
    return tmp_path


def rows_of(path):
    with path.open(newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


@pytest.mark.data
@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_what_its_file_holds(data_home, name):
    found = load_dataset(name, home=data_home)
    header, rows = rows_of(data_home / describe(name).path)
    np.testing.assert_array_equal(found.X, [[float(cell) for cell in row[:-1]] for row in rows])
    assert found.columns == tuple(header[:-1])
    if found.truth is not None:
        assert [found.classes[k] for k in found.truth] == [row[-1] for row in rows]
        assert set(found.truth) == set(range(found.n_clusters))


@pytest.mark.data
@pytest.mark.parametrize("name", sorted(ARRAYS))
def test_an_array_is_what_its_file_holds(data_home, name):
    found = load_dataset(name, home=data_home)
    key, labels = ARRAYS[name]
    with np.load(data_home / describe(name).path) as file:
        np.testing.assert_array_equal(found.X, file[key])
        if labels is None:
            assert found.truth is None
            assert found.n_clusters is None
            return
        words = [chr(ord("A") + y) if name == "letter" else str(y) for y in file[labels].tolist()]
    assert [found.classes[k] for k in found.truth] == words
    assert len(found.columns) in (0, found.X.shape[1])


@pytest.mark.data
@pytest.mark.parametrize("name", [*FILES, "hopkins155"])
def test_the_checksums_are_those_of_the_files_and_of_the_readme_beside_them(data_home, name):
    path = describe(name).path
    known = hashlib.sha256((data_home / path).read_bytes()).hexdigest()
    assert describe(name).sha256 == known
    row = next(line for line in (data_home / "README.md").read_text().splitlines() if f"`{path}`" in line)
    assert re.findall(r"\| ([0-9a-f]{12}) \|$", row) == [known[:12]]
    if name != "hopkins155":
        assert load_dataset(name, home=data_home).sha256 == known


@pytest.mark.data
def test_no_hit_is_zero_evidence_and_the_order_of_all_pairs_is_kept(data_home):
    for name, key in (("scop507", "S_beh"), ("scop507_sum_of_hits", "S_soh")):
        found = load_dataset(name, home=data_home)
        with np.load(data_home / describe(name).path) as file:
            S, families = file[key].astype(float), file["superfamily"]
        assert found.X.min() == 0
        np.testing.assert_array_equal(found.X == 0, S == -6)
        np.testing.assert_allclose(found.X - found.X[0, 1], S - S[0, 1], rtol=0, atol=1e-12)
        np.testing.assert_array_equal(found.X, found.X.T)
        assert [found.classes[k] for k in found.truth] == families.tolist()


@pytest.mark.data
def test_the_notes_hold(data_home):
    """What the notes say of a set is so."""
    blood = load_dataset("blood_transfusion", home=data_home).X
    np.testing.assert_array_equal(blood[:, 2], 250 * blood[:, 1])
    assert len(blood) - len(np.unique(blood, axis=0)) == 246
    galaxies = load_dataset("galaxies", home=data_home).X
    assert galaxies[77, 0] == 26690
    assert galaxies.min() == 9172
    draws = load_dataset("galaxy_mcmc", home=data_home).X
    first = [np.unique(row, return_index=True, return_inverse=True)[1:] for row in draws]
    assert len({tuple(at[which].tolist()) for at, which in first}) == 9636  # labels by the item that has them first
    crabs = load_dataset("crabs", home=data_home).X
    assert np.corrcoef(crabs.T).min() > 0.88
    fisher = load_dataset("iris_fisher").X
    differ = np.argwhere(fisher != load_dataset("iris", home=data_home).X)
    np.testing.assert_array_equal(differ, [[34, 3], [37, 1], [37, 2]])
    glass, ecoli = load_dataset("glass", home=data_home), load_dataset("ecoli", home=data_home)
    assert "4" not in glass.classes
    assert [len(np.unique(ecoli.X[:, j])) for j in (2, 3)] == [2, 2]


@pytest.mark.data
def test_sequences_are_those_of_the_file(data_home):
    with np.load(data_home / "motion/hopkins155.npz") as file:
        names, frames, points = file["names"].tolist(), file["frames"], file["points"]
        motions = dict(zip(names, file["n_motions"].tolist(), strict=True))
        found = list(load_sequences(home=data_home, with_dancing=True))
        assert [name for name, _, _ in found] == names
        for (name, X, truth), F, P in zip(found, frames, points, strict=True):
            assert X.shape == (P, 2 * F)
            np.testing.assert_array_equal(X, file[f"X__{name}"].T)
            assert sorted(set(truth.tolist())) == list(range(motions[name]))
    proper = [name for name, _, _ in load_sequences(home=data_home)]
    assert len(proper) == 155
    assert sum(motions[name] == 2 for name in proper) == 120


def test_fisher_s_iris_is_scikit_learn_s(no_home):
    found = load_dataset("iris_fisher")
    X, y = load_iris(return_X_y=True)
    np.testing.assert_array_equal(found.X, X)
    np.testing.assert_array_equal(found.truth, y)
    assert found.sha256 == ""


@pytest.mark.data
def test_another_file_is_refused_with_both_checksums(own_home):
    path = own_home / "uci/glass.csv"
    text = path.read_text()
    path.write_text(text.replace("1.52101", "1.52102", 1))
    with pytest.raises(InputError) as refusal:
        load_dataset("glass", home=own_home)
    assert describe("glass").sha256 in str(refusal.value)
    assert hashlib.sha256(path.read_bytes()).hexdigest() in str(refusal.value)


@pytest.mark.data
def test_a_swapped_class_is_another_file_though_all_counts_agree(own_home):
    path = own_home / "uci/glass.csv"
    header, *rows = path.read_text().splitlines()
    rows[0], rows[80] = rows[0][:-1] + rows[80][-1], rows[80][:-1] + rows[0][-1]
    path.write_text("\n".join([header, *rows]) + "\n")
    with pytest.raises(InputError, match="SHA-256"):
        load_dataset("glass", home=own_home)


@pytest.mark.data
def test_the_same_items_in_other_bytes_and_order_are_the_set(own_home, data_home):
    path = own_home / "uci/glass.csv"
    header, *rows = path.read_text().splitlines()
    path.write_text("\r\n".join([header, *reversed(rows)]) + "\r\n")
    found, known = load_dataset("glass", home=own_home), load_dataset("glass", home=data_home)
    np.testing.assert_array_equal(found.X, known.X[::-1])
    np.testing.assert_array_equal(found.truth, known.truth[::-1])
    assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest() != known.sha256


@pytest.mark.parametrize(
    "content",
    [b"", b"a,b,label\n", b"a,b\n1,2\n", b"a,label\nx,1\n", b"\xff\xfe\x00", b"a,label\n1,2\n1,2,3\n", b"a,label\n1"],
    ids=["empty", "no rows", "no label", "no number", "no text", "ragged", "one cell"],
)
def test_what_is_no_table_is_refused(no_home, content):
    (no_home / "uci").mkdir()
    (no_home / "uci/glass.csv").write_bytes(content)
    with pytest.raises(InputError, match=r"glass\.csv"):
        load_dataset("glass")


def test_what_is_no_archive_is_refused(no_home):
    (no_home / "images").mkdir()
    for content in (b"", b"PK\x03\x04 no archive", b"\x80\x04N."):
        (no_home / "images/optdigits.npz").write_bytes(content)
        with pytest.raises(InputError, match=r"optdigits\.npz"):
            load_dataset("optdigits")


def test_an_archive_that_claims_a_huge_array_is_refused_before_it_is_allocated(no_home):
    (no_home / "images").mkdir()
    path = no_home / "images/optdigits.npz"
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (10**7, 10**4)})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", head.getvalue())
    tracemalloc.start()
    with pytest.raises(InputError, match="10000000"):
        load_dataset("optdigits")
    assert tracemalloc.get_traced_memory()[1] < 1 << 24
    tracemalloc.stop()


@pytest.mark.parametrize("name", FILES)
def test_a_set_that_is_not_there_is_not_downloaded_and_the_error_says_how_to_get_it(no_home, name):
    with pytest.raises(InputError) as refusal:
        load_dataset(name)
    message = str(refusal.value)
    assert str(no_home / describe(name).path) in message
    public = describe(name).public
    if public is None:
        assert describe(name).ask in message
        assert len(describe(name).ask) > 30
    else:
        assert f"fetch_dataset('{name}')" in message
        assert all(address in message for address in public.addresses)
    assert not list(no_home.iterdir())


def test_sequences_that_are_not_there_are_an_error_at_the_call(no_home):
    with pytest.raises(InputError, match="Johns Hopkins"):
        load_sequences()
    with pytest.raises(InputError, match="load_sequences"):
        load_dataset("hopkins155")


def test_unknown_names_are_refused_with_one_that_is_near():
    with pytest.raises(InputError, match="pendigits"):
        load_dataset("pendigit")


def test_the_home_is_the_argument_then_the_sets_folder_then_the_cache(monkeypatch):
    monkeypatch.setenv("PARTITA_DATA", "sets")
    monkeypatch.setenv("PARTITA_CACHE", "cache")
    assert dataset_home("given") == Path("given")
    assert dataset_home() == Path("sets")
    monkeypatch.delenv("PARTITA_DATA")
    assert dataset_home() == Path("cache")


@pytest.mark.parametrize(
    ("platform", "variable", "end"),
    [
        ("linux", "XDG_CACHE_HOME", "partita"),
        ("win32", "LOCALAPPDATA", "partita"),
        ("linux", None, ".cache/partita"),
        ("darwin", None, "Library/Caches/partita"),
        ("win32", None, "AppData/Local/partita"),
    ],
)
def test_the_cache_is_where_the_platform_has_it(monkeypatch, tmp_path, platform, variable, end):
    for name in ("PARTITA_DATA", "PARTITA_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "user")
    monkeypatch.setattr(sys, "platform", platform)
    if variable:
        monkeypatch.setenv(variable, str(tmp_path / "named"))
    assert dataset_home() == tmp_path / ("named" if variable else "user") / end


def test_every_set_says_where_it_is_from_and_what_may_be_done_with_it():
    for name in dataset_names():
        entry = describe(name)
        assert entry.title
        assert entry.source
        assert entry.licence
        if entry.counts:
            assert sum(n for _, n in entry.counts) == entry.n_items
        if entry.public is not None:
            assert all(address.startswith("https://") for address in entry.public.addresses)
            assert len(entry.content_sha256) == 64
