"""Sets from their public homes, on request: downloaded, checked against what is known of them, then written."""

from __future__ import annotations

import csv
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from partita.datasets.catalogue import describe
from partita.datasets.dataset import CatalogueEntry, FileRows, Public
from partita.datasets.home import dataset_home
from partita.datasets.load import agrees, how_to_get, load_dataset
from partita.datasets.tables import content_sha256, written
from partita.errors import InputError
from partita.io.output import atomic_write_bytes

__all__ = ["fetch_dataset", "read_https"]

# Bytes of the largest file that is taken from an address; the largest of the sets has 1.7 million.
LARGEST = 32 << 20
# Seconds to wait for an answer, and for one file altogether.
TIMEOUT, PATIENCE = 30.0, 300.0
BLOCK = 1 << 16

Opener = Callable[[str, float], bytes]


def fetch_dataset(
    name: str,
    *,
    home: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
    opener: Opener | None = None,
) -> Path:
    """Download a set from its public home and put it where `load_dataset` looks.

    Parameters
    ----------
    name : str
        One of `dataset_names()`.
    home : str or Path, optional
        The folder of the sets: `dataset_home`. Made if it is not there.
    progress : callable, optional
        Told in words what is being done.
    opener : callable, optional
        `opener(address, timeout)` gives the bytes that stand at an address; `read_https` if not given.

    Returns
    -------
    Path
        The file, in our layout: its values and classes are those known (`CatalogueEntry.content_sha256`), its bytes
        need not be. A right file that is there already is left alone.

    Raises
    ------
    InputError
        If the set has no public file that can be read here (the message says where to ask), an address does not
        answer, what stands there is too large or not what is known, or a file that is there is another one. Nothing
        is written then.

    Examples
    --------
    >>> fetch_dataset("yaleb")
    Traceback (most recent call last):
    partita.errors.InputError: Extended Yale B faces, 48 x 42: no public file of it can be read here; the faces are ...
    """
    entry = describe(name)
    if not entry.path:
        raise InputError(f"{entry.title} comes with scikit-learn; load_dataset({name!r}) needs no download")
    if entry.public is None:
        raise InputError(f"{entry.title}: {how_to_get(entry)}")
    tell = progress or _in_silence
    path = dataset_home(home) / entry.path
    if path.exists():
        load_dataset(name, home=home)  # refuses another file
        tell(f"{path} is there already")
        return path
    files = []
    for address in entry.public.addresses:
        tell(f"downloading {address}")
        files.append(_content(address, opener or read_https))
    tell("checking what came")
    table = _checked(files, entry, entry.public)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path.parent} cannot be made ({error.strerror}); pass home=...") from error
    atomic_write_bytes(path, written(table, entry))
    tell(f"written to {path}")
    return path


def read_https(address: str, timeout: float) -> bytes:
    """Return the bytes at an https address, at most one more than `LARGEST`; a redirection to anything else is refused.

    Raises
    ------
    InputError
        For an address that is not https.
    OSError
        If the address does not answer (`timeout` seconds, `PATIENCE` for the whole file) or answers with an error.
    """
    _require_https(address)
    deadline = time.monotonic() + PATIENCE
    content = bytearray()
    with urllib.request.build_opener(_HttpsOnly).open(address, timeout=timeout) as response:
        while len(content) <= LARGEST and (block := response.read(min(BLOCK, LARGEST + 1 - len(content)))):
            content += block
            if time.monotonic() > deadline:
                raise TimeoutError(f"not complete after {PATIENCE:g} seconds")
    return bytes(content)


def _in_silence(words: str) -> None:
    pass


class _HttpsOnly(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        _require_https(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _require_https(address: str) -> None:
    if urlsplit(address).scheme != "https":
        raise InputError(f"{address} is not an https address; nothing is taken from it")


def _content(address: str, opener: Opener) -> bytes:
    try:
        content = opener(address, TIMEOUT)
    except (OSError, HTTPException) as error:  # urllib's errors are OSErrors
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise InputError(
            f"{address} cannot be had ({reason}); try again later, or download it yourself and pass the folder as home"
        ) from error
    if len(content) > LARGEST:
        raise InputError(f"{address} has more than {LARGEST} bytes, more than the set can have; nothing was written")
    return content


def _checked(files: list[bytes], entry: CatalogueEntry, public: Public) -> FileRows:
    """The table in what came, if it is the one known."""
    came = " and ".join(public.addresses)
    try:
        table = public.parse(files)
    except (ValueError, LookupError, StopIteration, csv.Error, zlib.error) as error:
        raise InputError(
            f"what came from {came} is not {entry.title} ({error or type(error).__name__}); nothing was written"
        ) from error
    disagreement = agrees(table, entry)
    if disagreement:
        raise InputError(f"what came from {came} is not {entry.title}: {disagreement}; nothing was written")
    got = content_sha256(table)
    if got != entry.content_sha256:
        raise InputError(
            f"what came from {came} is not {entry.title} as it is known: the SHA-256 of its values and classes should "
            f"be {entry.content_sha256}, and is {got}; nothing was written"
        )
    return table
