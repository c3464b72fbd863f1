"""How a table is read where nobody says, and what a user can say instead."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

__all__ = ["AS_FOUND", "Decimal", "Reading"]

Decimal = Literal[".", ","]


@dataclass(frozen=True)
class Reading:
    r"""Facts about a table that are known beforehand; whatever is None is found out, and a note says what was found.

    Parameters
    ----------
    delimiter : str, optional
        What parts the cells of a text: one character, or " " for any blanks.
    decimal : {".", ","}, optional
        Decimal mark of all columns; the other one then parts thousands.
    encoding : str, optional
        Encoding of a text, by a name that Python knows.
    skip_rows : int, optional
        Lines above the header that are not looked at.
    sheet : str, optional
        Sheet of a spreadsheet; by default the first one that holds a table.
    drop : tuple of str
        Columns that are not looked at: names, or patterns as of a shell (``pixel_*``).
    categories : tuple of str
        Columns of categories, whatever their cells look like: names or patterns.
    na : tuple of str
        Cells that mean missing, beside those that always do (empty, NA, NaN, null, none, ?).
    likely : {".", ","}, optional
        Decimal mark where no cell tells, as of another file that is alike.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from partita.io import read_features
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "weights.csv")
    ...     _ = file.write_text("weight;height\n1,250;170\n1,125;180\n")
    ...     read_features(file).features.tolist()
    ...     read_features(file, reading=Reading(decimal=".")).features.tolist()
    [[1.25, 170.0], [1.125, 180.0]]
    [[1250.0, 170.0], [1125.0, 180.0]]
    """

    delimiter: str | None = None
    decimal: Decimal | None = None
    encoding: str | None = None
    skip_rows: int | None = None
    sheet: str | None = None
    drop: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    na: tuple[str, ...] = ()
    likely: Decimal | None = None

    @property
    def of_text(self) -> bool:
        """Return whether anything is said of how a text is parted into cells."""
        return any(each is not None for each in (self.delimiter, self.decimal, self.encoding, self.skip_rows))

    def is_category(self, name: str) -> bool:
        """Return whether the column of this name was said to be of categories.

        >>> [Reading(categories=("zip", "code_*")).is_category(name) for name in ("zip", "code_a", "age")]
        [True, True, False]
        """
        return any(name == pattern or fnmatchcase(name, pattern) for pattern in self.categories)


# Of a file of which nothing is known beforehand.
AS_FOUND = Reading()
