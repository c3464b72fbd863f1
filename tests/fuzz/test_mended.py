"""Files that readers ended badly on, or would have: each is refused by name now, before memory is taken."""

import gzip
import io
import json
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from optional import optional
from partita.cli.options import VerifyOptions
from partita.cli.verify import run_verify
from partita.errors import InputError, MemoryLimitError
from partita.io import matrices, read_draws, read_features, read_labels, read_matrix, read_memberships
from partita.io.market import open_market
from partita.io.matrices import read_sparse_rows
from partita.partition.draws import PartitionDraws

pa, pq = optional("pyarrow"), optional("pyarrow.parquet")

LIMIT = 100_000_000


def read_market(path):
    return open_market(path).load()


@pytest.fixture(autouse=True)
def _limit(monkeypatch):
    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", str(LIMIT))


def refused(read, file, content, words):
    """The file is refused with these words, and no more than a tenth of the limit was taken on the way."""
    if content is not None:
        file.write_bytes(content)
    tracemalloc.start()
    try:
        with pytest.raises((InputError, MemoryLimitError), match=words):
            read(file)
        assert tracemalloc.get_traced_memory()[1] < LIMIT / 10
    finally:
        tracemalloc.stop()


MARKET = b"%%MatrixMarket matrix coordinate real general\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (MARKET + b"3 4 2\n1 1 5E 1\n1 2 3E-1\n", "whole Matrix Market"),  # these two ended the process
        (b"%%MatrixMarket matrix array real general\n2 1\n3.<2\n7.2Einf\n", "whole Matrix Market"),
        (MARKET + b"2 2 1\n3 1 1\n", "entry 1 .* 3, 1"),
        (MARKET + b"2 2 1\n0 1 1\n", "entry 1 .* 0, 1"),
        (MARKET + b"2 2 2\n1 1 1\n", "2 x 3"),
        (MARKET + b"2 2 100000\n1 1 1\n", "100,000"),
        (MARKET + b"1000000000000 1000000000000 1\n1 1 1\n", "of memory"),
        (MARKET + b"2 2 " + b"9" * 5000 + b"\n", "header"),
        (MARKET.replace(b"general", b"symmetric") + b"2 3 1\n1 1 1\n", "symmetric"),
        (b"\x00" * 100, "header"),
    ],
)
def test_broken_matrix_market_files(tmp_path, content, words):
    refused(read_market, tmp_path / "m.mtx", content, words)


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("field", ["real", "integer", "pattern"])
def test_matrix_market_files_are_read_as_scipy_reads_them(tmp_path, symmetry, dense, field):
    if field == "pattern" and (dense or symmetry == "skew-symmetric"):
        return
    rng = np.random.default_rng(0)
    A = rng.integers(-3, 4, (7, 7)).astype(float if field != "integer" else int)
    A = {"general": A, "symmetric": A + A.T, "skew-symmetric": A - A.T}[symmetry]
    file = tmp_path / "m.mtx"
    scipy.io.mmwrite(file, A if dense else sp.coo_array(A), field=field, symmetry=symmetry, comment="of a test")
    found, oracle = read_market(file), scipy.io.mmread(file)
    assert sp.issparse(found) == sp.issparse(oracle) == (not dense)
    found, oracle = (X if dense else X.toarray() for X in (found, oracle))
    assert np.array_equal(found, oracle)


def stored(**arrays):
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


CSR = {"format": b"csr", "shape": [2, 2], "data": [1.0], "indices": [0], "indptr": [0, 1, 1]}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"indices": [9_999_999]}, "not a whole"),
        ({"format": b"csc", "indices": [-5_000_000]}, "not a whole"),  # a conversion writes there
        ({"indptr": [0, 1000, 1]}, "not a whole"),
        ({"indptr": [0, 1_000_000, 0]}, "pointers"),  # nothing to look through, as SciPy counts
        ({"format": b"csc", "indptr": np.array([0, 2**31 - 1, -(2**31) + 1], np.int32)}, "pointers"),
        ({"indptr": [0, 1]}, "lengths"),
        ({"format": b"bsr", "data": np.ones((1, 2, 3))}, "blocks"),
        ({"format": b"bsr", "data": np.ones((1, 1, 1)), "indptr": [0, 9, 0]}, "pointers"),
        ({"shape": [10**12, 10**12]}, "of memory|not a whole"),
        ({"shape": [2, -2]}, r"shape is \[2, -2\]"),
        ({"format": b"spmatrix"}, "csr"),
        ({"data": ["a"]}, "entries"),
        ({"indices": [0.5]}, "whole numbers"),
    ],
)
def test_sparse_matrices_that_point_outside_themselves(tmp_path, changes, words):
    for read in (read_matrix, read_sparse_rows):
        refused(read, tmp_path / "m.npz", stored(**(CSR | changes)), words)


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo", "dia"])
def test_every_sparse_format_is_read_as_scipy_reads_it(tmp_path, form):
    A = sp.random_array((6, 4), density=0.4, format="csr", rng=np.random.default_rng(0))
    sp.save_npz(tmp_path / "m.npz", A.tobsr((2, 2)) if form == "bsr" else A.asformat(form))
    assert np.array_equal(read_sparse_rows(tmp_path / "m.npz").toarray(), A.toarray())


@pytest.mark.parametrize("outside", [2, -2, 2**31, -(2**31), 2**62])
def test_diagonals_outside_a_sparse_matrix_are_empty(tmp_path, outside):
    file = {"format": b"dia", "shape": [2, 2], "data": [[1.0, 2.0], [3.0, 4.0]], "offsets": [outside, 0]}
    (tmp_path / "m.npz").write_bytes(stored(**file))
    assert read_sparse_rows(tmp_path / "m.npz").toarray().tolist() == [[3, 0], [0, 4]]


def test_room_behind_the_entries_of_a_sparse_matrix_is_no_fault(tmp_path):
    (tmp_path / "m.npz").write_bytes(stored(**(CSR | {"data": [1.0, 7.0], "indices": [0, 99]})))
    assert read_sparse_rows(tmp_path / "m.npz").toarray().tolist() == [[1, 0], [0, 0]]


def npy(header, tail=b"", version=1):
    text = header.encode("latin1")
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + tail


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 100), }\n", b"1234"),
            "2,400 bytes",
        ),
        (npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2), }\n", b"1" * 80), r"shape \(-1, 2\)"),
        (npy("{'descr': '<U0', 'fortran_order': False, 'shape': (1000000000, 2), }\n"), "no bytes"),
        (npy("(" * 9000), "no header|not a whole"),
        (b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**32 - 1) + b" " * 50, "4,294,967,295 bytes"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_headers_of_numpy_files_that_say_too_much(tmp_path, content, words, packed):
    if packed:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("X.npy", content)
        content = out.getvalue()
    for read in (read_features, read_draws):
        refused(read, tmp_path / ("a.npz" if packed else "a.npy"), content, words)


def test_a_header_as_long_as_a_gigabyte_of_blanks_is_not_unpacked(tmp_path):
    file = tmp_path / "bomb.npz"
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("X.npy", "w", force_zip64=True) as member,
    ):
        member.write(b"\x93NUMPY\x02\x00" + struct.pack("<I", 1 << 30))
        for _ in range(64):
            member.write(b" " * (1 << 20))
    assert file.stat().st_size < 100_000
    refused(read_features, file, None, "1,073,741,824 bytes")


def test_an_archive_that_says_it_unpacks_to_more_than_it_can(tmp_path):
    file = tmp_path / "a.npz"
    np.savez_compressed(file, X=np.zeros((4, 2)))
    content = bytearray(file.read_bytes())
    at = content.rfind(b"PK\x01\x02")
    content[at + 24 : at + 28] = struct.pack("<I", 2**31)  # its size, in the list of what is in the archive
    refused(read_features, file, bytes(content), "2,147,483,648")


def test_a_member_that_is_encrypted(tmp_path):
    content = bytearray(stored(X=np.zeros((4, 2))))
    for mark, offset in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        content[content.find(mark) + offset] |= 1
    refused(read_features, tmp_path / "a.npz", bytes(content), ".npz file.*encrypted")


@pytest.mark.parametrize("line", [b"1,2\n", b"1,"])
def test_text_that_unpacks_to_more_than_fits(tmp_path, line):
    content = gzip.compress(b"1,2\n3,4\n" + line * (200_000_000 // len(line)), compresslevel=1)
    assert len(content) < 2_000_000
    for read in (read_features, read_labels, read_matrix, read_draws):
        refused(read, tmp_path / "a.csv.gz", content, "of memory|unpacks to")


def test_text_of_a_parquet_file_that_is_no_text(tmp_path):
    words = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(struct.pack("<3i", 0, 1, 2)), pa.py_buffer(b"\xffa")]
    )
    pq.write_table(pa.table({"label": words}), tmp_path / "a.parquet")
    refused(read_labels, tmp_path / "a.parquet", None, "column 'label'")


def test_a_label_that_is_no_machine_number(tmp_path):
    content = b"id,label,p_0,entropy,margin\na,99999999999999999999,1,0,1\n"
    refused(read_memberships, tmp_path / "m.csv", content, "line 2")


def test_draws_in_a_zip_file_of_zarr(tmp_path):
    zarr = pytest.importorskip("zarr")
    labels = np.random.default_rng(0).integers(0, 3, (5, 4))
    with zarr.storage.ZipStore(tmp_path / "draws.zarr.zip", mode="w") as store:
        zarr.save_array(store, labels)
    assert np.array_equal(read_draws(tmp_path / "draws.zarr.zip").labels, labels)


def test_words_of_a_numpy_file_that_are_no_characters(tmp_path):
    words = np.array(["a", "b"]).view(np.uint32)
    words[0] = 0x7FFFFFFF
    content = stored(X=np.zeros((2, 2)), kind=words.view("<U1"))
    refused(lambda file: read_features(file, label_column="kind"), tmp_path / "a.npz", content, "no text")


@pytest.mark.parametrize("name", ["a" * 300, "a\0b", "../elsewhere"])
@pytest.mark.parametrize("where", ["files", "options"])
def test_names_in_a_manifest_that_are_no_files(tmp_path, name, where):
    replay = {"options": {"file": name if where == "options" else "b"}, "files": {"file": "0"}}
    manifest = {"program": "partita", "schema_version": 1, "command": "fit", "versions": {}, "replay": replay}
    manifest["files"] = {name: "0"} if where == "files" else {}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    if name == "../elsewhere" or where == "options" or "\0" in name:
        with pytest.raises(InputError, match=r"manifest|--file"):
            run_verify(VerifyOptions(tmp_path, as_json=True))
    else:
        assert run_verify(VerifyOptions(tmp_path, as_json=True)) == 2  # it is missing


@pytest.mark.parametrize("replay", [[], {}, {"options": {}}, {"options": {}, "files": {"file": "0"}}, "x", 3])
def test_a_manifest_that_does_not_say_how_to_replay(tmp_path, replay):
    manifest = {"program": "partita", "schema_version": 1, "command": "fit", "replay": replay, "files": {}}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="manifest"):
        run_verify(VerifyOptions(tmp_path, as_json=True))


@pytest.mark.parametrize("spoil", [b"", b"\x28\xb5\x2f\xfd\x00\x00", b"\x00" * 50])
def test_chunks_of_a_zarr_store_that_are_broken_are_refused_when_they_are_read(tmp_path, spoil):
    zarr = pytest.importorskip("zarr")
    zarr.save_array(str(tmp_path / "a.zarr"), np.arange(20).reshape(5, 4))
    (chunk,) = (file for file in (tmp_path / "a.zarr").rglob("0") if file.is_file())
    chunk.write_bytes(spoil)
    with pytest.raises(InputError, match="labels"):
        PartitionDraws.of(read_draws(tmp_path / "a.zarr").labels)


@pytest.mark.parametrize("cut", [60, 300])
def test_a_page_of_a_parquet_file_of_draws_that_is_broken(tmp_path, cut):
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({f"x{i}": [1, 2, 1] for i in range(4)}), file)
    content = bytearray(file.read_bytes())
    content[4 : 4 + cut] = b"\xff" * cut
    refused(read_draws, file, bytes(content), "not a whole parquet file")


def test_numbers_in_another_byte_order_are_refused_in_words(tmp_path):
    with pytest.raises(InputError, match="float64"):
        matrices._as_csr(np.ones((3, 3), dtype=">i2"), tmp_path / "a.npy", "affinity")


def test_a_parquet_column_shorter_than_the_file_says_is_refused(tmp_path, monkeypatch):
    pq.write_table(pa.table({"x": [1.0, 2.0], "y": [3.0, 4.0]}), tmp_path / "a.parquet")
    whole = pq.ParquetFile.read
    monkeypatch.setattr(pq.ParquetFile, "read", lambda self, **given: whole(self, **given).slice(2))
    with pytest.raises(InputError, match="0 rows"):
        read_features(tmp_path / "a.parquet")
