"""Run examples of docs/*.md that show what they print, and compare: the same words, and numbers within a twentieth.

    python scripts/document_outputs.py

The blocks of a page are one session. A block of Python is compared where a block without a language follows it.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import warnings
from pathlib import Path

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```\n(\s*)", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?|-?\.\d+")
CLOSE = 0.05


def same(shown: str, found: str) -> bool:
    """Whether words are the same and numbers close."""
    if NUMBER.sub("#", shown).split() != NUMBER.sub("#", found).split():
        return False
    pairs = zip(map(float, NUMBER.findall(shown)), map(float, NUMBER.findall(found)), strict=True)
    return all(abs(a - b) <= CLOSE * max(1.0, abs(a)) for a, b in pairs)


def differences(page: Path) -> list[str]:
    """What the examples of a page print otherwise than it shows."""
    blocks = list(BLOCK.finditer(page.read_text()))
    shown = {i: blocks[i + 1][2] for i, one in enumerate(blocks[:-1]) if one[1] == "python" and not blocks[i + 1][1]}
    shown = {i: text for i, text in shown.items() if blocks[i].end() == blocks[i + 1].start()}
    shown = {i: text for i, text in shown.items() if "print(" in blocks[i][2] and not text.startswith("partita ")}
    session: dict[str, object] = {}
    out = []
    for i, one in enumerate(blocks[: max(shown, default=-1) + 1]):
        if one[1] != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), warnings.catch_warnings(action="ignore"):
            exec(compile(one[2], f"{page.name}, block {i}", "exec"), session)
        if i in shown and not same(shown[i], printed.getvalue()):
            out.append(f"{page}: shown\n{shown[i]}printed\n{printed.getvalue()}")
    return out


def main() -> None:
    found = [each for page in sorted(Path("docs").glob("*.md")) for each in differences(page)]
    sys.exit("\n".join(found) or 0)


if __name__ == "__main__":
    main()
