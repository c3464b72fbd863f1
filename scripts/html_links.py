"""Check that every link and picture of the built pages leads to a file and an anchor that are there.

Nothing is fetched: addresses on the network are listed, and a page that loads anything from one fails the check.
Usage: python scripts/html_links.py FOLDER
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes that make a browser fetch something as the page opens.
LOADED = {("img", "src"), ("script", "src"), ("link", "href"), ("source", "src"), ("iframe", "src")}
# Made by the theme for the search page and the index, and not by us.
NOT_PAGES = {"search.html", "genindex.html", "py-modindex.html"}


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[tuple[str, bool]] = []
        self.anchors = {""}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        for name in ("href", "src"):
            relation = given.get("rel", "")
            if given.get(name) and "canonical" not in relation:
                self.links.append((given[name], (tag, name) in LOADED))


def main(folder: Path) -> int:
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")}
    outside: set[str] = set()
    problems: list[str] = []
    n_links = 0
    for path, page in pages.items():
        for link, loaded in page.links:
            parts = urlsplit(link)
            where = path.relative_to(folder)
            if parts.scheme == "data":
                continue
            n_links += 1
            if parts.scheme or parts.netloc:
                outside.add(link)
                if loaded:
                    problems.append(f"{where} loads {link} from the network")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                problems.append(f"{where}: {link} leads to no file")
            elif (
                target in pages
                and target.name not in NOT_PAGES
                and unquote(parts.fragment) not in pages[target].anchors
            ):
                problems.append(f"{where}: {link} leads to no anchor")
    print(f"{len(pages)} pages, {n_links} links, {len(problems)} broken, {len(outside)} addresses not asked for")
    print("\n".join([*sorted(outside), *problems]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
