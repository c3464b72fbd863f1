"""The page's only script, and the content security policy that lets it run and nothing else."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

from partita.report.html import Markup

__all__ = ["page_script", "policy"]

# In the order in which they are run.
SOURCES = ("theme.js", "board.js", "map.js")


@cache
def page_script() -> Markup:
    """Return the script, to stand between its tags: it uses no library and asks for nothing.

    >>> page_script()[:13]
    '"use strict";'
    """
    folder = files("partita.report")
    parts = [folder.joinpath(name).read_text(encoding="utf-8").strip() for name in SOURCES]
    return Markup("\n".join(['"use strict";', "{", *parts, "}"]).replace("\r\n", "\n"))


def policy() -> str:
    """Return the content security policy: nothing from anywhere, no script but the page's own, by its SHA-256 (CSP
    level 2).

    >>> policy()[:19]
    "default-src 'none';"
    """
    digest = base64.b64encode(hashlib.sha256(page_script().encode()).digest()).decode("ascii")
    return (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
