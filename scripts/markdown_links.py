"""Check that every link in the repository's Markdown files leads to a file or a heading that is there.

Nothing is fetched: addresses on the network are listed and not asked for. Exit status 1 where a link leads nowhere.
Usage: python scripts/markdown_links.py
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?<!\\)!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(([^()\s]+)\)")
CODE = re.compile(r"^(```|~~~).*?^\1\s*$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)
# Made by the build of the documentation from scripts: their pages, by folder.
MADE = {ROOT / "docs" / "tutorials": ROOT / "tutorials", ROOT / "docs" / "gallery": ROOT / "examples"}


def anchors(file: Path) -> set[str]:
    """The anchors of the headings of a file, as GitHub and MyST make them."""
    text = re.sub(r"^```.*?^```", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    found: set[str] = set()
    for title in HEADING.findall(text):
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        while slug in found:
            slug = f"{slug}-1"
        found.add(slug)
    return found


def exists(target: Path) -> bool:
    if target.parent in MADE:
        return target.name == "index.rst" or (MADE[target.parent] / f"{target.stem}.py").exists()
    return target.exists()


def broken(file: Path, outside: list[str]) -> list[str]:
    found = []
    for link in LINK.findall(CODE.sub("", file.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            outside.append(link)
            continue
        path, _, anchor = link.partition("#")
        target = (file.parent / path).resolve() if path else file
        if not exists(target):
            found.append(f"{file.relative_to(ROOT)}: {link} leads to no file")
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            found.append(f"{file.relative_to(ROOT)}: {link} leads to no heading of {target.relative_to(ROOT)}")
    return found


def main() -> int:
    files = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("benchmarks/*.md")])
    outside: list[str] = []
    problems = [problem for file in files for problem in broken(file, outside)]
    print(f"{len(files)} Markdown files, {len(problems)} broken links, {len(set(outside))} addresses not asked for:")
    print("\n".join([*sorted(set(outside)), *problems]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
