"""Whether a spreadsheet can be given to its reader: whole, and not larger than memory.

The reader holds a sheet as a rectangle from its first cell to its last, so that one cell in the last corner is
seventeen thousand million of them; and it does not come back from some .ods files that break off. Both are found out
here, by a pass over the XML, which costs about a microsecond a cell.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from xml.parsers import expat

from partita.errors import InputError
from partita.io.text_layout import BROKEN_ZIP
from partita.memory import require_memory

__all__ = ["require_sound"]

BLOCK = 1 << 20
# Bytes that a cell takes as an object of Python and as text, about, and a byte of XML in the reader.
CELL_HELD, XML_HELD = 100, 4


@dataclass
class _Extent:
    """The rectangle that the cells of a sheet fill, as far as its XML has been read."""

    row: int = 0
    column: int = 0
    more_rows: int = 1
    cells: int = 0
    last_row: int = 0
    last_column: int = 0

    def element(self, name: str, attributes: dict[str, str]) -> None:
        """Take an element of .xlsx (row, c) or .ods (table, table-row, table-cell)."""
        match name.rpartition(":")[2]:
            case "table":
                self.row = self.last_row = self.last_column = 0
            case "row":
                self.row, self.column = int(attributes.get("r", self.row + 1)), 0
            case "c":
                place = attributes.get("r", "")
                letters = place.rstrip("0123456789")
                self.column = _place(letters) if letters else self.column + 1
                self._held(int(place[len(letters) :] or self.row), self.column)
            case "table-row":
                self.row, self.column = self.row + self.more_rows, 0
                self.more_rows = int(attributes.get("table:number-rows-repeated", 1))
            case "table-cell" | "covered-table-cell":
                self.column += int(attributes.get("table:number-columns-repeated", 1))
                if "office:value-type" in attributes:
                    self._held(self.row + self.more_rows, self.column)

    def _held(self, row: int, column: int) -> None:
        self.last_row, self.last_column = max(self.last_row, row), max(self.last_column, column)
        self.cells = max(self.cells, self.last_row * self.last_column)


def _place(letters: str) -> int:
    """The number of a column by its letters.

    >>> _place("A"), _place("XFD")
    (1, 16384)
    """
    at = 0
    for letter in letters.upper():
        at = 26 * at + ord(letter) - 64
    return at


def require_sound(path: Path) -> None:
    """Raise for a spreadsheet that is not whole, or whose cells would not fit.

    Raises
    ------
    InputError
    MemoryLimitError
    """
    remedy = "take out cells far from the table, or save it as .csv or parquet"
    try:
        with zipfile.ZipFile(path) as packed:
            members = [each for each in packed.infolist() if each.filename.lower().endswith(".xml")]
            require_memory(XML_HELD * sum(each.file_size for each in members), f"{path}", remedy)
            for member in members:
                extent = _Extent()
                parser = expat.ParserCreate()
                parser.StartElementHandler = extent.element
                with packed.open(member) as file:
                    while block := file.read(BLOCK):
                        parser.Parse(block, False)
                        require_memory(CELL_HELD * extent.cells, f"{path} ({extent.cells:,} cells)", remedy)
                parser.Parse(b"", True)
    except (expat.ExpatError, *BROKEN_ZIP) as error:
        raise InputError(f"{path} is not a whole spreadsheet ({error}); save it again, without a password") from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is not a whole spreadsheet ({error}); save it again") from error
