"""Ways to spoil a file, from a number alone: the same number spoils it the same way again.

A file that holds others (zip, gzip, JSON, the header of a tensor file) is also opened, spoiled within and closed, so
that what lies behind check sums and lengths is reached too.
"""

import gzip
import io
import json
import random
import struct
import warnings
import zipfile
import zlib

from partita.io.arrays import BROKEN

# What parsers have stumbled over: numbers at the edges of types, words for nothing, quotes, marks of order and of ends.
TOKENS = [
    *[b"nan", b"inf", b"-inf", b"1e999", b"-0", b"1e-320", b"0x10", b"1_0", b"NA", b"null", b"None", b"true", b""],
    *[b"9223372036854775808", b"-9223372036854775809", b"18446744073709551616", b"9" * 400, b"4294967296", b"-1"],
    *[
        b'"',
        b'""',
        b"'",
        b",",
        b",,",
        b"\t",
        b"\n",
        b"\r\n",
        b"\r",
        b"\x00",
        b"\xef\xbb\xbf",
        b"\xff",
        b"\xc3(",
        b"\x1a",
    ],
    *[
        b"{",
        b"}",
        b"[",
        b"]",
        b"[" * 3000,
        b"(" * 2000,
        b"\\",
        b"../../etc/passwd",
        b"/dev/zero",
        b"id",
        b"label",
        b"\x80\x04",
    ],
    *["１２".encode(), "²".encode(), "\u2028".encode(), "\u202e".encode(), "ａ".encode()],
]
VALUES = [
    *[
        None,
        True,
        False,
        0,
        1,
        -1,
        2**31,
        2**63,
        2**64,
        10**30,
        0.5,
        -0.0,
        1e308,
        "",
        "nan",
        "../..",
        "\x00",
        "a" * 300,
    ],
    *[[], {}, [0], [-1], [2**40, 2**40], [[]], {"name": "x"}, {"a": None}, [1, "a"], ["x"], "SoF", "object", "float64"],
]
INTEGERS = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 2**63 - 1, 2**64 - 1]


def spoiled(content: bytes, number: int, others: list[bytes] = ()) -> bytes:
    """`content` after one to four changes that `number` determines."""
    rng = random.Random(number)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        content = _once(content, rng, list(others))
    return content


def _once(content: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    inner = [way for way, fits in WITHIN if fits(content)]
    if inner and rng.random() < 0.7:
        return rng.choice(inner)(content, rng)
    return rng.choice(PLAIN)(content, rng, others)


# Of bytes ------------------------------------------------------------------------------------------------------------


def _flip(content, rng, _):
    if not content:
        return b"\x00"
    at = rng.randrange(len(content))
    return content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :]


def _byte(content, rng, _):
    at = rng.randrange(len(content) + 1)
    return content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :]


def _cut(content, rng, _):
    return content[: rng.randrange(len(content) + 1)]


def _take_out(content, rng, _):
    low = rng.randrange(len(content) + 1)
    return content[:low] + content[low + rng.choice([1, 2, 4, 8, 30]) :]


def _double(content, rng, _):
    low = rng.randrange(len(content) + 1)
    part = content[low : low + rng.choice([1, 4, 16, 64, 400])]
    return content[:low] + part * rng.choice([2, 3, 50]) + content[low:]


def _token(content, rng, _):
    low = rng.randrange(len(content) + 1)
    return content[:low] + rng.choice(TOKENS) + content[low + rng.choice([0, 0, 1, 3, 8]) :]


def _cell(content, rng, _):
    """A whole cell of a table for another."""
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    mark = b"\t" if b"\t" in lines[at] else b","
    cells = lines[at].split(mark)
    cells[rng.randrange(len(cells))] = rng.choice(TOKENS)
    lines[at] = mark.join(cells)
    return b"\n".join(lines)


def _line(content, rng, _):
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    return b"\n".join(rng.choice([lines[:at] + lines[at + 1 :], [*lines[:at], lines[at], *lines[at:]], lines[::-1]]))


def _integer(content, rng, _):
    width, order = rng.choice([1, 2, 4, 8]), rng.choice("<>")
    if len(content) < width:
        return content + b"\xff"
    at = rng.randrange(len(content) - width + 1)
    value = rng.choice(INTEGERS) % (1 << 8 * width)
    return content[:at] + struct.pack(order + {1: "B", 2: "H", 4: "I", 8: "Q"}[width], value) + content[at + width :]


def _splice(content, rng, others):
    other = rng.choice(others) if others else content
    return content[: rng.randrange(len(content) + 1)] + other[rng.randrange(len(other) + 1) :]


PLAIN = [_flip, _byte, _cut, _take_out, _double, _token, _cell, _line, _integer, _integer, _splice]

# Of what a file holds -------------------------------------------------------------------------------------------------


def _in_gzip(content, rng):
    try:
        inner = gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        return _flip(content, rng, [])
    return gzip.compress(_once(inner, rng, []), mtime=0)


def _in_zip(content, rng):
    """One member spoiled, left out, given another name, or said to be larger than it is."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    except BROKEN:  # spoiled before: it cannot be opened again
        return _flip(content, rng, [])
    if not members:
        return _flip(content, rng, [])
    at = rng.randrange(len(members))
    name, inner = members[at]
    match rng.randrange(8):
        case 0:
            members.pop(at)
        case 1:
            members[at] = (
                rng.choice([members[rng.randrange(len(members))][0], "../" + name, "a.npy", "format.npy"]),
                inner,
            )
        case _:
            members[at] = (name, _npy(inner, rng) if inner[:6] == b"\x93NUMPY" else _once(inner, rng, []))
    out = io.BytesIO()
    with (
        warnings.catch_warnings(),
        zipfile.ZipFile(out, "w", rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as archive,
    ):
        warnings.simplefilter("ignore")  # a name that occurs twice is what is wanted
        for name, inner in members:
            archive.writestr(name, inner)
    return out.getvalue()


def _npy(content, rng):
    """The header of a NumPy array with another shape or type, of the same length where that can be."""
    if rng.random() < 0.4 or content[6:7] != b"\x01":
        return rng.choice(PLAIN)(content, rng, [])
    length = int.from_bytes(content[8:10], "little")
    header, tail = content[10 : 10 + length].decode("latin1").rstrip(), content[10 + length :]
    shape = header[header.find("'shape':") + 8 : header.rfind(")") + 1]
    kind = header[header.find("'descr':") + 8 : header.find(", 'fortran")]
    if rng.random() < 0.6:
        new = rng.choice(
            ["(-1,)", "()", "(0,)", "(1000000000000,)", "(3, -2)", "(2, 3, 4)", "(0, 9999999999)", "(2.0,)", "[2]"]
        )
        header = header.replace(shape, f" {new}")
    else:
        new = [
            "'|O'",
            "'<U0'",
            "'<f8'",
            "'|b1'",
            "'<c16'",
            "'<M8[s]'",
            "'|V4'",
            "'>i2'",
            "[('a', '<f8')]",
            "'<U5'",
            "'|S3'",
            "3",
        ]
        header = header.replace(kind, f" {rng.choice(new)}")
    text = header.encode("latin1").ljust(length - 1) + b"\n"
    return content[:8] + len(text).to_bytes(2, "little") + text + tail


def _in_json(content, rng):
    try:
        tree = json.loads(content)
    except (ValueError, RecursionError):
        return _token(content, rng, [])
    return json.dumps(_other(tree, rng)).encode()


def _other(tree, rng):
    """The tree with a value changed somewhere, an entry left out, or one under another name."""
    if isinstance(tree, dict) and tree and rng.random() < 0.93:
        key = rng.choice(list(tree))
        match rng.randrange(12):
            case 0:
                return {name: value for name, value in tree.items() if name != key}
            case 1:
                return {
                    rng.choice(["name", "x", "", "evidence.X"]) if name == key else name: v for name, v in tree.items()
                }
            case _:
                return tree | {key: _other(tree[key], rng)}
    if isinstance(tree, list) and tree and rng.random() < 0.85:
        at = rng.randrange(len(tree))
        return rng.choice(
            [tree[:at] + tree[at + 1 :], [*tree, tree[at]], [*tree[:at], _other(tree[at], rng), *tree[at + 1 :]]]
        )
    return rng.choice(VALUES)


def _in_tensors(content, rng):
    """The header of a safetensors file with another entry, its length put right."""
    length = int.from_bytes(content[:8], "little")
    header = _in_json(content[8 : 8 + length], rng)
    return len(header).to_bytes(8, "little") + header + content[8 + length :]


WITHIN = [
    (_in_gzip, lambda content: content[:2] == b"\x1f\x8b"),
    (_in_zip, lambda content: content[:2] == b"PK"),
    (_npy, lambda content: content[:6] == b"\x93NUMPY"),
    (_in_json, lambda content: content[:1] in (b"{", b"[")),
    (_in_tensors, lambda content: content[8:9] == b"{" and len(content) > 8),
]
