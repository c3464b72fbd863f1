"""Draws that R wrote. The bytes of .rds files are made here from R's description of its format ("R Internals", 1.8)."""

import bz2
import gzip
import lzma
import struct

import numpy as np
import pytest

from partita.errors import InputError, MemoryLimitError
from partita.io import read_draws

NA, NIL = -(2**31), struct.pack(">i", 254)
HEAD = b"X\n" + struct.pack(">iii", 2, 0x040301, 0x020300)
HEAD3 = b"X\n" + struct.pack(">iiii", 3, 0x040301, 0x030500, 5) + b"UTF-8"
LABELS = np.random.default_rng(0).integers(1, 4, (6, 5))
PACKINGS = {"none": bytes, "gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}


# R's serialization


def char(word):
    if word is None:  # NA
        return struct.pack(">ii", 9, -1)
    content, kind = word.encode(), 64 if word.isascii() else 8  # ASCII, UTF-8
    return struct.pack(">ii", 9 | kind << 12, len(content)) + content


def symbol(name):
    return struct.pack(">i", 1) + char(name)


def pairs(items):
    return b"".join(struct.pack(">i", 2 | 0x400) + symbol(name) + value for name, value in items.items()) + NIL


def sexp(kind, body, attributes=None):
    flags = kind | (0x200 if attributes else 0) | (0x100 if attributes and "class" in attributes else 0)
    return struct.pack(">i", flags) + body + (pairs(attributes) if attributes else b"")


def integers(values, attributes=None):
    values = [NA if v is None else int(v) for v in values]
    return sexp(13, struct.pack(f">i{len(values)}i", len(values), *values), attributes)


def doubles(values, attributes=None):
    na = struct.unpack(">d", bytes.fromhex("7ff00000000007a2"))[0]
    values = [na if v is None else float(v) for v in values]
    return sexp(14, struct.pack(f">i{len(values)}d", len(values), *values), attributes)


def words(values, attributes=None):
    return sexp(16, struct.pack(">i", len(values)) + b"".join(map(char, values)), attributes)


def vector(values, attributes=None):
    return sexp(19, struct.pack(">i", len(values)) + b"".join(values), attributes)


def matrix(values, kind=integers, names=None, **attributes):
    """Column by column, as R has it."""
    values = np.asarray(values, dtype=object)
    attributes["dim"] = integers(values.shape)
    if names is not None:
        attributes["dimnames"] = vector([NIL] * (values.ndim - 1) + [words(names)])
    return kind(values.ravel(order="F").tolist(), attributes)


def frame(columns, n):
    given = {"names": words(list(columns)), "class": words(["data.frame"]), "row.names": integers([None, -n])}
    return vector(list(columns.values()), given)


def named_list(items):
    return vector(list(items.values()), {"names": words(list(items))})


def saved(path, content, head=HEAD, packed=gzip.compress):
    path.write_bytes(packed(head + content))
    return path


@pytest.fixture(autouse=True)
def _needs_rdata(request):
    if "rds" in request.node.name:
        pytest.importorskip("rdata")


# saveRDS and save


@pytest.mark.parametrize("head", [HEAD, HEAD3], ids=["version 2", "version 3"])
@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("kind", [integers, doubles])
def test_rds_of_a_matrix(tmp_path, kind, packing, head):
    file = saved(tmp_path / "draws.rds", matrix(LABELS, kind), head, PACKINGS[packing])
    found = read_draws(file)
    np.testing.assert_array_equal(found.labels, LABELS)
    assert found.chain is None
    assert found.items is None


def test_rds_with_names_of_columns_and_of_words(tmp_path):
    names = ["g 1", "g,2", 'g"3', "ü", ""]
    found = read_draws(saved(tmp_path / "draws.rds", matrix(LABELS, names=names)))
    np.testing.assert_array_equal(found.labels, LABELS)
    assert found.items.tolist() == names


def test_rds_of_words_is_a_data_frame_as_the_shape_of_a_matrix_of_words_is_lost(tmp_path):
    of_words = np.array(["", "one", "two", "drei"])[LABELS]
    columns = {name: words(column.tolist()) for name, column in zip("abcde", of_words.T)}
    found = read_draws(saved(tmp_path / "words.rds", frame(columns, 6)))
    np.testing.assert_array_equal(found.labels, of_words)
    with pytest.raises(InputError, match=r"shape \(30,\)"):
        read_draws(saved(tmp_path / "matrix.rds", matrix(of_words, words)))


def test_rds_of_an_array_of_iterations_and_chains(tmp_path):
    array = np.random.default_rng(1).integers(1, 4, (4, 3, 5))  # iteration, chain, variable: posterior's draws_array
    content = matrix(array, names=list("abcde"), **{"class": words(["draws_array", "draws", "array"])})
    found = read_draws(saved(tmp_path / "draws.rds", content))
    np.testing.assert_array_equal(found.labels, np.concatenate([array[:, c] for c in range(3)]))
    np.testing.assert_array_equal(found.chain, np.repeat([1, 2, 3], 4))
    assert found.items.tolist() == list("abcde")


def test_rds_of_a_data_frame(tmp_path):
    factor = integers(LABELS[:, 2], {"levels": words(["x", "y", "z"]), "class": words(["factor"])})
    columns = {
        ".chain": integers([1, 1, 1, 2, 2, 2]),
        ".iteration": integers([1, 2, 3, 1, 2, 3]),
        "a": integers(LABELS[:, 0]),
        "b": doubles(LABELS[:, 1]),
    }
    found = read_draws(saved(tmp_path / "draws.rds", frame(columns, 6)))
    np.testing.assert_array_equal(found.labels, LABELS[:, :2])
    np.testing.assert_array_equal(found.chain, [1, 1, 1, 2, 2, 2])
    assert found.items.tolist() == ["a", "b"]
    found = read_draws(saved(tmp_path / "factor.rds", frame({"a": factor, "b": factor}, 6)))
    expected = np.array(["", "x", "y", "z"])[LABELS[:, 2]]
    np.testing.assert_array_equal(found.labels, np.column_stack([expected, expected]))


@pytest.mark.parametrize("suffix", [".RData", ".rda", ".rdata"])
def test_rds_and_rdata_with_several_objects(tmp_path, suffix):
    fit = named_list({"lpml": doubles([0.5]), "cls.draw": matrix(LABELS)})
    np.testing.assert_array_equal(read_draws(saved(tmp_path / "fit.rds", fit)).labels, LABELS)
    both = pairs({"first": matrix(LABELS), "second": matrix(LABELS + 1), "n": integers([6])})
    file = saved(tmp_path / f"both{suffix}", both, b"RDX2\n" + HEAD)
    with pytest.raises(InputError, match=r"\(first, second\)"):
        read_draws(file)
    np.testing.assert_array_equal(read_draws(file, key="second").labels, LABELS + 1)
    with pytest.raises(InputError, match="'third'"):
        read_draws(file, key="third")
    with pytest.raises(InputError, match="'n'"):
        read_draws(file, key="n")


@pytest.mark.parametrize("kind", ["integers", "doubles", "named", "frame"])
def test_rds_with_na(tmp_path, kind):
    holes = LABELS.astype(object)
    holes[2, 3] = None
    content = {
        "integers": lambda: matrix(holes),
        "doubles": lambda: matrix(holes, doubles),
        "named": lambda: matrix(holes, names=list("abcde")),
        "frame": lambda: frame({name: integers(column) for name, column in zip("abcde", holes.T)}, 6),
    }[kind]()
    file = saved(tmp_path / "draws.rds", content)
    with pytest.raises(InputError, match=r"NA.*missing='unobserved'"):
        read_draws(file)
    expected = np.where(np.equal(holes, None), -1, LABELS)
    np.testing.assert_array_equal(read_draws(file, missing="unobserved").labels, expected)


def test_rds_words_that_are_na_are_always_refused(tmp_path):
    file = saved(tmp_path / "draws.rds", frame({"a": words(["x", "y"]), "b": words([None, "y"])}, 2))
    for missing in ("error", "unobserved"):
        with pytest.raises(InputError, match="column 'b', row 1"):
            read_draws(file, missing=missing)


BROKEN = {
    "nothing of R": (lambda: b"hello there", "saveRDS"),
    "cut short": (lambda: (HEAD + matrix(LABELS))[:-30], "saveRDS"),
    "cut within gzip": (lambda: gzip.compress(HEAD + matrix(LABELS))[:-9], "saveRDS"),
    "packed twice": (lambda: gzip.compress(gzip.compress(HEAD + matrix(LABELS))), "saveRDS"),
    "a vector": (lambda: HEAD + integers([1, 2, 3]), r"shape \(3,\)"),
    "a list of none": (lambda: HEAD + named_list({"a": integers([1])}), r"\(a\)"),
    "nothing at all": (lambda: HEAD + NIL, "NoneType"),
    "fractions": (lambda: HEAD + matrix(LABELS + 0.5, doubles), r"draw 0, item 0: \d\.5"),
    "promises": (lambda: HEAD + struct.pack(">ii", 13, 2**31 - 1), "saveRDS|shape \\(0,\\)"),
    "lists in lists": (lambda: HEAD + struct.pack(">ii", 19, 1) * 20_000 + integers([1]), "saveRDS"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_rds_that_is_broken_is_named(tmp_path, case):
    make, message = BROKEN[case]
    (tmp_path / "draws.rds").write_bytes(make())
    with pytest.raises(InputError, match=message) as error:
        read_draws(tmp_path / "draws.rds")
    assert "draws.rds" in str(error.value)


def test_rds_that_unpacks_to_more_than_fits_is_refused_before_it_is_held(tmp_path, monkeypatch):
    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", str(1 << 28))
    file = tmp_path / "bomb.rds"
    with gzip.open(file, "wb", compresslevel=9) as out:
        out.write(HEAD)
        for _ in range(16):
            out.write(bytes(1 << 24))
    assert file.stat().st_size < 1 << 20
    with pytest.raises(MemoryLimitError, match=r"bomb\.rds"):
        read_draws(file)
    # ALTREP: a sequence by its length, start and step.
    info = struct.pack(">i", 2) + symbol("compact_intseq") + struct.pack(">i", 2) + symbol("base") + NIL
    altrep = struct.pack(">i", 238) + info + doubles([1e12, 1, 1]) + NIL
    with pytest.raises(MemoryLimitError, match=r"8\.0 TB"):
        read_draws(saved(tmp_path / "sequence.rds", altrep, HEAD3))


def test_rds_of_rdatas_own_writer(tmp_path):
    rdata = pytest.importorskip("rdata")
    rdata.write_rds(tmp_path / "own.rds", LABELS.astype(np.int32))
    np.testing.assert_array_equal(read_draws(tmp_path / "own.rds").labels, LABELS)
    pandas = pytest.importorskip("pandas")
    rdata.write_rds(tmp_path / "frame.rds", pandas.DataFrame(LABELS.astype(np.int32), columns=list("abcde")))
    np.testing.assert_array_equal(read_draws(tmp_path / "frame.rds").labels, LABELS)


# write.csv and write.table


def quoted(cells):
    return [f'"{cell}"' for cell in cells]


def r_text(mark, *, row_names, header, corner=False):
    """Lines as write.table(..., sep=mark) makes them; `corner` as write.csv and col.names=NA have it."""
    lines = []
    if header:
        lines.append(mark.join([*(['""'] if corner else []), *quoted(f"V{k + 1}" for k in range(5))]))
    for b, row in enumerate(LABELS):
        lines.append(mark.join([*(quoted([b + 1]) if row_names else []), *map(str, row)]))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("row_names", [True, False])
@pytest.mark.parametrize("mark", [" ", "\t", ","])
def test_tables_as_write_table_makes_them(tmp_path, mark, row_names, header):
    (tmp_path / "draws.txt").write_text(r_text(mark, row_names=row_names, header=header))
    found = read_draws(tmp_path / "draws.txt")
    np.testing.assert_array_equal(found.labels, LABELS)
    assert (None if found.items is None else found.items.tolist()) == (
        [f"V{k + 1}" for k in range(5)] if header else None
    )


@pytest.mark.parametrize(
    ("suffix", "mark"), [(".txt", " "), (".txt", "\t"), (".txt", ","), (".csv", ","), (".tsv", "\t")]
)
def test_a_corner_without_a_name_and_names_of_rows_that_are_words(tmp_path, suffix, mark):
    file = tmp_path / f"draws{suffix}"
    file.write_text(r_text(mark, row_names=True, header=True, corner=True))
    np.testing.assert_array_equal(read_draws(file).labels, LABELS)
    text = r_text(mark, row_names=True, header=True, corner=True)
    file.write_text(text.replace('\n"', '\n"iteration no. '))
    found = read_draws(file)
    np.testing.assert_array_equal(found.labels, LABELS)
    assert found.items.tolist() == [f"V{k + 1}" for k in range(5)]


def test_numbers_for_names_of_columns_na_and_spaces_in_line(tmp_path):
    file = tmp_path / "draws.txt"
    file.write_text('"1" "2"\n"1" 1 2\n"2" 2 2\n')  # a matrix whose columns are called 1 and 2
    found = read_draws(file)
    assert found.labels.tolist() == [[1, 2], [2, 2]]
    assert found.items.tolist() == ["1", "2"]
    file.write_text('"1" "2"\n1 2\n2 2\n')  # the same with row.names=FALSE
    assert read_draws(file).labels.tolist() == [[1, 2], [2, 2]]
    file.write_text("  1   2  3\n  10  2  3  \n\n")  # columns in line, no names
    assert read_draws(file).labels.tolist() == [[1, 2, 3], [10, 2, 3]]
    file.write_text('"V1" "V2"\n"1" 1 NA\n"2" 2 2\n')
    with pytest.raises(InputError, match=r"draw 0 .*item 1"):
        read_draws(file)
    assert read_draws(file, missing="unobserved").labels.tolist() == [[1, -1], [2, 2]]
    file.write_text('".chain" "a" "b"\n1 1 1\n2 1 2\n')
    found = read_draws(file)
    assert (found.chain.tolist(), found.labels.tolist()) == ([1, 2], [[1, 1], [1, 2]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "0 bytes"),
        ("\n \n", r"draws\.txt (?!.*(line|header))"),
        ('"V1" "V2"\n', r"draws\.txt .*header"),
        ('"V1" "V2"\n"1" 1 1\n"2" 1\n', "line 3"),
        ('"V1" "V2"\n"1" 1 x\n', "draw 0, item 1: 'x'"),
        ('"V1" "V2"\n"1" 1 1.5\n', "draw 0, item 1: '1.5'"),
        ('"V1 "V2"\n1 1\n', "well-formed"),
    ],
)
def test_tables_that_are_wrong_name_the_line(tmp_path, text, message):
    (tmp_path / "draws.txt").write_text(text)
    with pytest.raises(InputError, match=message):
        read_draws(tmp_path / "draws.txt")


def test_a_table_that_is_not_utf8(tmp_path):
    (tmp_path / "draws.txt").write_bytes(b"V1 V2\n1 2\n\xff 2\n")
    with pytest.raises(InputError, match=r"UTF-8|utf-8"):
        read_draws(tmp_path / "draws.txt")


def test_the_command_line_takes_rds(tmp_path):
    pytest.importorskip("rdata")
    from partita.cli import main

    file, out = saved(tmp_path / "draws.rds", matrix(LABELS, names=list("abcde"))), tmp_path / "out"
    with pytest.raises(SystemExit) as done:
        main(["partition", str(file), "--out", str(out), "--seed", "0", "--quiet"])
    assert done.value.code in (0, None)
    rows = (out / "labels.csv").read_text().splitlines()
    assert rows[0] == "id,label"
    assert [row.split(",")[0] for row in rows[1:]] == list("abcde")
