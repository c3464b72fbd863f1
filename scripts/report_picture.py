"""The picture of a report on the first page of the documentation: `partita demo`, photographed by Chromium.

python scripts/report_picture.py        writes docs/pictures/report.png
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

TARGET = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "report.png"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Of the window, in pixels; a palette of so many colours is a third of the bytes and looks the same.
WIDTH, HEIGHT, COLOURS = 1000, 1260, 128


def main() -> int:
    """Draw it; the exit code."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        print(f"none of {', '.join(BROWSERS)} is on the path")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        report, taken = Path(folder, "demo", "report.html"), Path(folder, "report.png")
        subprocess.run(
            [sys.executable, "-m", "partita", "demo", "--quiet", "--out", str(report.parent)], check=True, timeout=300
        )
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}/user"]
        window = [f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={taken}"]
        subprocess.run([browser, *options, *window, report.as_uri()], check=True, capture_output=True, timeout=120)
        picture = Image.open(io.BytesIO(taken.read_bytes())).convert("RGB")
    picture.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(TARGET, optimize=True)
    print(f"{TARGET.name}: {picture.width} x {picture.height}, {TARGET.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
