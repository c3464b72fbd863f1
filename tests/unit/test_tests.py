"""What the tests themselves keep: an error is known by its type and a field, and its wording is held in one file."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
WORDINGS = TESTS / "unit" / "test_messages.py"
FILES = sorted(set(TESTS.rglob("*.py")) - {WORDINGS})
# What names a field: what is quoted, options and values (`seed=`, `n_init`, `--out`, `axis 0`, `N`), and regex escapes.
FIELD = re.compile(r"'[^']*'|\\.|[^\s|]*[-=_0-9A-Z][^\s|]*")
PROSE = re.compile(r"[a-z]+(?: [a-z]+){2}")


def prose(pattern: str) -> str | None:
    """Three plain words in a row."""
    found = PROSE.search(FIELD.sub("!", pattern))
    return None if found is None else found[0]


def patterns(file: Path) -> list[tuple[int, str]]:
    """The texts of `match=` in a file, with their lines."""
    given = [
        keyword.value
        for call in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(call, ast.Call)
        for keyword in call.keywords
        if keyword.arg == "match"
    ]
    return [
        (text.lineno, text.value)
        for value in given
        for text in ast.walk(value)
        if isinstance(text, ast.Constant) and isinstance(text.value, str)
    ]


def test_no_test_but_one_file_holds_the_words_of_a_message():
    found = {f"{file.relative_to(TESTS)}:{line}": text for file in FILES for line, text in patterns(file)}
    assert len(found) > 300
    assert {place: text for place, text in found.items() if prose(text)} == {}


def test_words_are_told_from_fields():
    for wording in (
        "not written by Partita",
        "'colour' should hold numbers",
        "--key says how another kind",
        "a.*fit it again",
    ):
        assert prose(wording)
    for field in (r"affinity\[0, 1\] = 2 .*symmetrize='mean' or 'max'", "seed was 3 and is 4", "one of n_draws"):
        assert not prose(field)
