"""Cells kept on disk as they are computed: a line of JSON each, so that a run that stopped can resume."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from partita.errors import InputError
from partita.reproduce.experiment import Cell, Numbers

__all__ = ["CellStore"]


class CellStore:
    """The cells of one experiment, or of several that share them, made by one version with one seed.

    A line that was cut off by a kill, and a cell of another version, seed or setting, counts as not computed.

    Parameters
    ----------
    path : Path
        Path of the file, which need not exist.
    version : str
        Version of Partita.
    seed : int
    """

    def __init__(self, path: Path, *, version: str, seed: int) -> None:
        self._path, self._maker = path, {"version": version, "seed": seed}
        self._kept: dict[str, tuple[Numbers, float]] = {}
        if path.exists():
            self._read()

    def _read(self) -> None:
        try:
            lines = self._path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{self._path} cannot be read ({error}); choose another folder with --out") from error
        for line in lines:
            try:
                entry = json.loads(line)
                made, found, seconds = entry["made"], entry["found"], float(entry["seconds"])
                fingerprint = entry["fingerprint"]
            except (ValueError, KeyError, TypeError, RecursionError):
                continue  # the end of a run that was killed
            if made == self._maker:
                self._kept[fingerprint] = (found, seconds)

    def __contains__(self, cell: Cell) -> bool:
        return cell.fingerprint() in self._kept

    def numbers(self, cell: Cell) -> Numbers:
        """Return numbers that the cell found."""
        return self._kept[cell.fingerprint()][0]

    def seconds(self, cell: Cell) -> float:
        """Return seconds that the cell took."""
        return self._kept[cell.fingerprint()][1]

    def keep(self, cell: Cell, found: Mapping[str, object], seconds: float) -> None:
        """Write a cell behind the others; it is on the disk when this returns."""
        entry = {
            "key": cell.key,
            "fingerprint": cell.fingerprint(),
            "made": self._maker,
            "seconds": seconds,
            "found": found,
        }
        line = json.dumps(entry, allow_nan=True) + "\n"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab+") as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":  # a kill cut the last line off
                    file.write(b"\n")
            file.write(line.encode())
            file.flush()
            os.fsync(file.fileno())
        self._kept[cell.fingerprint()] = (json.loads(line)["found"], seconds)
