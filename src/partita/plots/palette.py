"""Colours: one for each cluster, told apart by colour-blind eyes too, and a scale for "how much".

Up to ten clusters take a fixed palette (the first six are Okabe and Ito's). Beyond ten, colours stand evenly around the
Oklch hue circle in three lightnesses, neighbours in number far apart, and every tenth cluster changes the marker.
"""

from __future__ import annotations

from math import gcd

import numpy as np

from partita.arrays import Array

__all__ = ["BOUNDARY", "INK", "PAPER", "SEQUENTIAL", "UNCERTAIN", "cluster_colors", "cluster_markers", "ink_on"]


FIXED = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#332288",
    "#882255",
    "#999933",
    "#7a5230",
)
MARKERS = ("o", "^", "s", "D", "v", "P", "X", "<", ">", "p")
# Lightness and chroma of the three turns beyond ten clusters: all inside sRGB for every hue.
LIGHTNESS = (0.56, 0.74, 0.42)
CHROMA = (0.115, 0.115, 0.095)
FIRST_HUE = 4.4

# Light for little, dark for much, and its reverse on a dark ground: bright for uncertain.
SEQUENTIAL = "magma_r"
UNCERTAIN = "inferno"
INK = "#222222"
PAPER = "#ffffff"
BOUNDARY = "#7f7f7f"


def cluster_colors(n_clusters: int) -> list[str]:
    """Return a colour for each cluster, as hexadecimal sRGB.

    >>> cluster_colors(2)
    ['#0072b2', '#d55e00']
    >>> len(set(cluster_colors(30)))
    30
    """
    if n_clusters <= len(FIXED):
        return list(FIXED[:n_clusters])
    turn, level = np.divmod(np.arange(n_clusters), 3)
    n_hues = -(-n_clusters // 3)
    hue = 2 * np.pi * ((turn * _stride(n_hues) % n_hues + level / 3) / n_hues + level / 3) + FIRST_HUE
    colors = _srgb(np.take(LIGHTNESS, level), np.take(CHROMA, level), hue)
    return ["#" + "".join(f"{channel:02x}" for channel in color) for color in np.rint(255 * colors).astype(int)]


def cluster_markers(n_clusters: int) -> list[str]:
    """Return a matplotlib marker for each cluster: circles for the first ten, another shape for each ten more.

    >>> cluster_markers(12)[9:]
    ['o', '^', '^']
    """
    return [MARKERS[k // 10 % len(MARKERS)] for k in range(n_clusters)]


def ink_on(color: str) -> str:
    """Return black or white, whichever reads better on a colour (larger WCAG contrast ratio).

    >>> ink_on("#332288"), ink_on("#e69f00")
    ('#ffffff', '#000000')
    """
    channels = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ [0.2126, 0.7152, 0.0722])
    return "#ffffff" if 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 else "#000000"


def _stride(n: int) -> int:
    """A step around n places that visits all of them and keeps successive ones about 0.382 of a turn apart."""
    return min((s for s in range(1, n + 1) if gcd(s, n) == 1), key=lambda s: abs(s / n - 0.382))


def _srgb(lightness: Array, chroma: Array, hue: Array) -> Array:
    """Oklch to sRGB in [0, 1] (Ottosson, A perceptual color space for image processing, 2020)."""
    a, b = chroma * np.cos(hue), chroma * np.sin(hue)
    to_cones = np.array(
        [[1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728], [1, -0.0894841775, -1.291485548]]
    )
    to_linear = np.array(
        [
            [4.0767416621, -3.3077115913, 0.2309699292],
            [-1.2684380046, 2.6097574011, -0.3413193965],
            [-0.0041960863, -0.7034186147, 1.707614701],
        ]
    )
    cones = (np.stack([lightness, a, b], axis=1) @ to_cones.T) ** 3
    linear = np.clip(cones @ to_linear.T, 0, 1)
    return np.asarray(np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055))
