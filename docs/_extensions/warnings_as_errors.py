"""A warning of ours in an example fails the build; an example that is about one catches it and shows it.

Deprecations that other packages announce about themselves are theirs.
"""

from __future__ import annotations

import warnings


def reset(gallery_conf, fname) -> None:
    warnings.resetwarnings()
    warnings.simplefilter("error")
    for category in (DeprecationWarning, PendingDeprecationWarning, FutureWarning):
        warnings.filterwarnings("ignore", category=category)
    # a picture is drawn without a screen here
    warnings.filterwarnings("ignore", message=".*non-interactive.*")
