"""How often the delimiter and the encoding of messy texts are found: ours, csv.Sniffer, clevercsv, charset-normalizer.

    python benchmarks/text_layouts.py

Tables of 2 to 6 columns of numbers, words with marks in them, dates and money, with up to two lines above, are written
with any delimiter, decimal mark and encoding. A package that is not installed is left out.
"""

import csv
import importlib
import time

import numpy as np

from partita.io.text_layout import encoding_of, guessed_delimiter

N_FILES = 400
WORDS = ["red, dark", "blue", "green; pale", "Müller, Anna", "x|y", "New York", "a b c", "café"]
TITLES = ["Report, made by us; 2024", "of the second: half"]


def table(rng):
    """The delimiter of a text, and the text."""
    mark, decimal = rng.choice([",", ";", "\t", "|"]), rng.choice([".", ","])
    group = rng.choice(["", {".": ",", ",": "."}[decimal], "'"])
    kinds = rng.choice(["number", "count", "word", "date", "money"], rng.integers(2, 7))

    def cell(kind):
        number = f"{rng.normal() * 10 ** rng.integers(0, 5):,.2f}".replace(",", "G").replace(".", decimal)
        number = number.replace("G", group)
        text = {
            "number": number,
            "count": str(rng.integers(0, 10000)),
            "word": str(rng.choice(WORDS)),
            "date": f"{rng.integers(1, 29):02d}.{rng.integers(1, 13):02d}.2024",
            "money": f"{number} €",
        }[kind]
        text = "" if rng.random() < 0.05 else text
        return f'"{text}"' if mark in text else text

    lines = [mark.join(f"{kind} {k}" for k, kind in enumerate(kinds))]
    lines += [mark.join(map(cell, kinds)) for _ in range(rng.integers(4, 40))]
    return mark, "\n".join([*TITLES[: rng.choice([0, 0, 1, 2])], *lines]) + "\n"


def sniffed(sniffer):
    def find(text):
        try:
            return sniffer().sniff(text).delimiter
        except csv.Error:  # clevercsv's are a kind of it
            return None

    return find


def main():
    delimiters = {
        "ours": lambda text: guessed_delimiter(text.splitlines(True), ","),
        "csv.Sniffer": sniffed(csv.Sniffer),
    }
    encodings = {"ours": lambda data: data.decode(encoding_of(data))}
    try:
        delimiters["clevercsv"] = sniffed(importlib.import_module("clevercsv").Sniffer)
    except ImportError:
        print("clevercsv is not installed")
    try:
        best = importlib.import_module("charset_normalizer").from_bytes
        encodings["charset-normalizer"] = lambda data: str(best(data).best())
    except ImportError:
        print("charset-normalizer is not installed")
    rng = np.random.default_rng(1)
    made = [table(rng) for _ in range(N_FILES)]
    packed = [text.encode(rng.choice(["utf-8", "cp1252", "utf-16", "utf-16-le"])) for _, text in made]
    for name, find in delimiters.items():
        told("delimiter", name, lambda: [find(text) == mark for mark, text in made])
    for name, find in encodings.items():
        told("encoding", name, lambda: [find(data).lstrip("\ufeff") == text for data, (_, text) in zip(packed, made)])


def told(what, name, found):
    began = time.perf_counter()
    n_right = sum(found())
    print(f"{what:10s} {name:20s} {n_right} of {N_FILES}, {1000 * (time.perf_counter() - began) / N_FILES:.1f} ms each")


if __name__ == "__main__":
    main()
