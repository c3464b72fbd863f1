"""Sphinx settings. `scripts/docs` builds the pages with warnings as errors, offline."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("MPLBACKEND", "agg")
os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

import partita

# A package of the theme sets logging up to show everything that anything logs.
logging.getLogger("partita").setLevel(logging.WARNING)

project = "Partita"
author = "The Partita founders"
copyright = "The Partita founders, BSD-3-Clause"
version = release = partita.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "plain_docstrings",
    "command_options",
    "citations",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "*/README.*", "*/GALLERY_HEADER.*"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}

# Markdown. The included pages (benchmarks, changelog) skip heading levels, which is theirs to decide; the page of
# reproductions is written by `partita reproduce` and may not be there yet.
myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header", "config.cache"]

# Names of our own must resolve; those of others are not looked up, since nothing is fetched.
default_role = "code"
nitpicky = True
nitpick_ignore_regex = [(r"py:.*", r"(?!partita\.).*")]

autosummary_generate = True
autosummary_ignore_module_all = False
autosummary_imported_members = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True

sphinx_gallery_conf = {
    "examples_dirs": ["../tutorials", "../examples"],
    "gallery_dirs": ["tutorials", "gallery"],
    "filename_pattern": r"/plot_",
    "abort_on_example_error": False,
    "only_warn_on_example_error": False,
    "reset_modules": ("matplotlib", "warnings_as_errors.reset"),
    "reset_modules_order": "both",
    "within_subsection_order": "FileNameSortKey",
    "copyfile_regex": r".*\.rst",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 0,
    "write_computation_times": False,  # that page fetches a script
    "remove_config_comments": True,
    "nested_sections": False,
    "image_scrapers": ("matplotlib",),
    "default_thumb_file": None,
    "plot_gallery": os.environ.get("PARTITA_DOCS_GALLERY") != "shown",  # by `scripts/docs --without-gallery`, not run
    "parallel": 2,
}

html_theme = "furo"
html_title = f"Partita {release}"
html_static_path = ["_static"]
html_css_files = ["partita.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}


def setup(app: Any) -> None:
    """Open, in the navigation, only the branch of the page shown: the theme opens all branches on all pages."""

    def collapse(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
        toctree = context["toctree"]
        context["toctree"] = lambda **options: toctree(**{**options, "collapse": True})

    app.connect("html-page-context", collapse, priority=400)  # before the theme's own, at 500
