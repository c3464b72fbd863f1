"""Thumbnails of items that are images: rows whose columns are called as pixels are, drawn without any library.

`pixel_3_5` is row 3 and column 5, as scikit-learn names its digits; `pixel1` to `pixel784` are a square row by row.
"""

from __future__ import annotations

import base64
import re
import struct
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from partita.report.html import Markup, element

__all__ = ["image_shape", "thumbnail"]

PLACED, NUMBERED = re.compile(r"pix(?:el)?_(\d+)_(\d+)"), re.compile(r"pix(?:el)?_?(\d+)")
# Pixels a side from which columns are an image, and up to which one is small enough for a page.
FEWEST, MOST = 4, 64


def image_shape(columns: Sequence[str]) -> tuple[int, int] | None:
    """Return the height and width of the images whose pixels the columns are; None where they are none.

    >>> image_shape([f"pixel_{i}_{j}" for i in range(8) for j in range(8)]), image_shape(["length", "width"])
    ((8, 8), None)
    """
    if not columns:
        return None
    placed = [PLACED.fullmatch(name) for name in columns]
    if all(placed):
        at = [(int(found[1]), int(found[2])) for found in placed if found]
        height, width = max(i for i, _ in at) + 1, max(j for _, j in at) + 1
        whole = at == [(i, j) for i in range(height) for j in range(width)]
    else:
        height = width = round(len(columns) ** 0.5)
        whole = height * width == len(columns) and all(NUMBERED.fullmatch(name) for name in columns)
    return (height, width) if whole and min(height, width) >= FEWEST and max(height, width) <= MOST else None


def thumbnail(pixels: NDArray[np.float64], low: float, high: float, name: str) -> Markup:
    """Return an image in grey, dark where its values are high; `low` and `high` are white and black.

    >>> thumbnail(np.eye(4), 0.0, 1.0, "item 7")[:33]
    '<img class="thumbnail" src="data:'
    """
    height, width = pixels.shape
    shade = np.nan_to_num(255 * (1 - (pixels - low) / (high - low if high > low else 1.0)), nan=255.0)
    rows = b"".join(b"\0" + row.tobytes() for row in np.clip(np.rint(shade), 0, 255).astype(np.uint8))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)  # eight bits of grey
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")]
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts
    )
    address = "data:image/png;base64," + base64.b64encode(png).decode("ascii")
    return Markup(str(element("img", class_="thumbnail", src=address, alt=name, title=name)).removesuffix("</img>"))
