"""Write docs/reproduction.md: what came out of every table and figure of the four papers.

python scripts/reproduction_page.py RESULTS    take what `partita reproduce ... --out RESULTS` gave into docs/reproduced
python scripts/reproduction_page.py            write the page again from docs/reproduced
python scripts/reproduction_page.py --check    fail if the page is not what docs/reproduced gives
"""

from __future__ import annotations

import json
import sys
from io import BytesIO
from pathlib import Path

from partita.reproduce import experiment_names, overview

DOCS = Path(__file__).parent.parent / "docs"
KEPT, PAGE = DOCS / "reproduced", DOCS / "reproduction.md"
# Colours of a picture: a hundred kilobytes instead of three.
COLORS = 96


def take(results: Path) -> None:
    """Copy outcomes without the numbers of the drawings, which the run has as CSV, and the pictures in few colours."""
    from PIL import Image

    for name in experiment_names():
        path = results / name / "outcome.json"
        if not path.exists():
            print(f"no {path}", file=sys.stderr)
            continue
        record = json.loads(path.read_text(encoding="utf-8"))
        for drawing in record["drawings"]:
            del drawing["series"]
        folder = KEPT / name
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        (folder / "outcome.json").write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        for drawing in record["drawings"]:
            picture = Image.open(results / name / f"{drawing['name']}.png").convert("RGB")
            small = BytesIO()
            picture.quantize(COLORS, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
            (folder / f"{drawing['name']}.png").write_bytes(small.getvalue())


def page() -> str:
    """The page that docs/reproduced gives."""
    records = [
        json.loads(path.read_text(encoding="utf-8"))
        for name in experiment_names()
        if (path := KEPT / name / "outcome.json").exists()
    ]
    return overview(records, pictures="reproduced")


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        if PAGE.read_text(encoding="utf-8") != page():
            sys.exit(f"{PAGE.name} is not what docs/reproduced gives: run python scripts/reproduction_page.py")
    else:
        if sys.argv[1:]:
            take(Path(sys.argv[1]))
        PAGE.write_text(page(), encoding="utf-8")
