"""Colours of a report: texts and marks stand out from their ground in light and dark, colour-blind eyes included."""

import base64
import hashlib
import re

import numpy as np
import pytest

from partita.plots import cluster_colors
from partita.plots.palette import ink_on
from partita.report.document import document
from partita.report.html import element
from partita.report.map_section import GLYPHS
from partita.report.style import DARK, LIGHT, PRINT, contrast, legible

THEMES = {"light": LIGHT, "dark": DARK, "print": PRINT}
# What is written on what.
TEXTS = [(ink, ground) for ink in ("ink", "soft") for ground in ("paper", "wash")]
TEXTS += [("ink", "caution-wash"), ("caution", "caution-wash"), ("caution", "paper"), ("ink", "paper")]

# Full colour blindness in linear sRGB (Machado, Oliveira and Fernandes 2009, Table 1).
BLINDNESS = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
}


def linear(color):
    c = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIELAB of linear sRGB, white point D65."""
    M = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    t = np.array(M) @ np.clip(rgb, 0, 1) / [0.9505, 1.0, 1.089]
    x, y, z = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_contrast_is_that_of_wcag():
    # Ratios as the WCAG working group's own examples have them.
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)
    assert contrast("#ff0000", "#ffffff") == pytest.approx(4.00, abs=0.005)


@pytest.mark.parametrize("theme", THEMES)
def test_every_text_reads_on_its_ground(theme):
    colors = THEMES[theme]
    for ink, ground in TEXTS:
        assert contrast(colors[ink], colors[ground]) >= 4.5, (ink, ground)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("n_clusters", [1, 10, 30, 60])
def test_every_mark_stands_out_from_the_map(theme, n_clusters):
    paper = THEMES[theme]["paper"]
    for color in [THEMES[theme]["unsure"], THEMES[theme]["focus"]]:
        assert contrast(color, paper) >= 3
    for color in cluster_colors(n_clusters):
        assert contrast(legible(color, paper), paper) >= 3
        assert contrast(ink_on(color), color) >= 4.5


def test_a_colour_that_stands_out_already_is_left_alone():
    assert legible("#0072b2", "#ffffff") == "#0072b2"
    assert legible("#56b4e9", "#15181d") == "#56b4e9"


def test_ten_clusters_have_ten_shapes():
    assert len(set(GLYPHS)) == len(GLYPHS) == 10


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("blindness", ["protanopia", "deuteranopia"])
def test_of_twenty_clusters_two_of_one_shape_differ_in_what_colour_blind_eyes_see(theme, blindness):
    paper = THEMES[theme]["paper"]
    seen = [lab(np.array(BLINDNESS[blindness]) @ linear(legible(c, paper))) for c in cluster_colors(20)]
    for k in range(10):
        # Ten units of CIELAB are told apart at a glance; about two are just noticed.
        assert np.linalg.norm(seen[k] - seen[k + 10]) > 10


def test_the_policy_lets_the_pages_own_script_run_and_no_other():
    html = document("T", 2, element("p", "words"))
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)[1].replace("&#x27;", "'")
    assert "default-src 'none'" in policy
    allowed = re.findall(r"script-src ([^;]*)", policy)
    scripts = re.findall(r"<script>(.*?)</script>", html, re.S)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert allowed == [f"'sha256-{digest}'"]


def test_the_script_writes_text_and_never_markup():
    script = re.search(r"<script>(.*?)</script>", document("T", 1), re.S)[1]
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "fetch(",
                "XMLHttpRequest", "import(", "localStorage", "cookie"):  # fmt: skip
        assert way not in script
