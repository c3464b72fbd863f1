"""Families of drawn data sets: what people call clusters, in 18 ways, and single clusters of ten kinds.

    python benchmarks/families.py FILE.png     # eight sets of each family, to be looked at

`drawn(family, seed)` has the items in random order and their clusters, -1 for noise. Everything about a set is drawn:
how many clusters, items and dimensions, how far apart, how unequal. Nothing here was made after a set that anybody
scores clusterings on; the families are those that textbooks and test suites of clustering speak of.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from scipy.spatial import cKDTree

Rng = np.random.Generator
Set = tuple[np.ndarray, np.ndarray]


def turned(rng: Rng, d: int) -> np.ndarray:
    return np.linalg.qr(rng.normal(size=(d, d)))[0]


def sizes(rng: Rng, K: int, n: int, even: float | None = None) -> np.ndarray:
    """Sizes of K clusters of about n items, more alike the larger `even` is."""
    even = rng.choice([2.0, 5.0, 1000.0]) if even is None else even
    share = 0.8 * rng.dirichlet(np.full(K, even)) + 0.2 / K
    return np.maximum((share * n).astype(int), 8)


def centres(rng: Rng, K: int, d: int, apart: float, radii: np.ndarray | None = None) -> np.ndarray:
    """Centres that are at least `apart` times the mean radius from each other."""
    radii = np.ones(K) if radii is None else radii
    side, out = apart * np.mean(radii) * K ** (1 / d), []
    while len(out) < K:
        new, k = rng.uniform(0, side, d), len(out)
        if all(np.linalg.norm(new - old) >= apart * (radii[k] + radii[j]) / 2 for j, old in enumerate(out)):
            out.append(new)
        side *= 1.003
    return np.array(out)


def joined(parts: list[np.ndarray]) -> Set:
    return np.concatenate(parts), np.repeat(np.arange(len(parts)), [len(part) for part in parts])


def with_noise(rng: Rng, X: np.ndarray, y: np.ndarray, chance: float, low: float, high: float) -> Set:
    """With this chance, uniform noise in the box of the items, a share of them between `low` and `high`."""
    if rng.random() >= chance:
        return X, y
    m = int(rng.uniform(low, high) * len(X))
    return np.r_[X, rng.uniform(X.min(axis=0), X.max(axis=0), (m, X.shape[1]))], np.r_[y, np.full(m, -1)]


def balls(rng: Rng) -> Set:
    K, d = int(rng.choice([2, 3, 4, 5, 6, 8, 10, 12, 15])), int(rng.choice([2, 2, 3, 5, 8, 16]))
    n = max(int(rng.choice([200, 500, 1000, 1500])), 25 * K)
    spread = rng.uniform(0.6, 1.4, K) if rng.random() < 0.6 else np.ones(K)
    C = centres(rng, K, d, rng.uniform(3.2, 7), spread)
    y = np.repeat(np.arange(K), sizes(rng, K, n))
    return C[y] + rng.normal(size=(len(y), d)) * spread[y, None], y


def ellipsoids(rng: Rng) -> Set:
    K, d = int(rng.choice([2, 3, 4, 5, 6, 8, 10])), int(rng.choice([2, 2, 3, 5, 8]))
    n = max(int(rng.choice([300, 600, 1200])), 30 * K)
    held = sizes(rng, K, n)
    stretch = [turned(rng, d) * rng.uniform(0.25, 1.6, d) for _ in range(K)]
    C = centres(rng, K, d, rng.uniform(3.0, 6))
    return joined([rng.normal(size=(m, d)) @ A.T + c for m, A, c in zip(held, stretch, C)])


def many_in_the_plane(rng: Rng) -> Set:
    K = int(rng.integers(15, 51))
    n = min(int(K * rng.choice([30, 60, 100])), 3000)
    if rng.random() < 0.3:
        side = int(np.ceil(np.sqrt(K)))
        grid = np.array([[i, j] for i in range(side) for j in range(side)], float)[:K]
        C = grid * rng.uniform(4.2, 7)
        C += rng.normal(size=C.shape) * 0.2
    else:
        C = centres(rng, K, 2, rng.uniform(3.6, 6))
    y = np.repeat(np.arange(K), sizes(rng, K, n, 1000.0 if rng.random() < 0.6 else 5.0))
    spread = rng.uniform(0.7, 1.2, K)[y, None] if rng.random() < 0.5 else 1.0
    return C[y] + rng.normal(size=(len(y), 2)) * spread, y


def unbalanced(rng: Rng) -> Set:
    """A few dense large clusters and some small sparse ones."""
    big, small = int(rng.integers(1, 4)), int(rng.integers(2, 6))
    d, ratio, most = int(rng.choice([2, 2, 3, 5])), rng.uniform(5, 20), int(rng.uniform(300, 800))
    held = np.r_[np.full(big, most), np.full(small, max(int(most / ratio), 15))]
    radii = np.r_[np.full(big, rng.uniform(0.3, 1)), rng.uniform(0.8, 2.5, small)]
    C = centres(rng, big + small, d, rng.uniform(5, 9), radii)
    y = np.repeat(np.arange(big + small), held)
    return C[y] + rng.normal(size=(len(y), d)) * radii[y, None], y


def disc(rng: Rng, n: int) -> np.ndarray:
    angle, radius = rng.random(n) * 2 * np.pi, np.sqrt(rng.random(n))
    return np.c_[radius * np.cos(angle), radius * np.sin(angle)]


def square(rng: Rng, n: int) -> np.ndarray:
    return rng.uniform(-1, 1, (n, 2))


def bar(rng: Rng, n: int) -> np.ndarray:
    return rng.uniform(-1, 1, (n, 2)) * [1.6, rng.uniform(0.1, 0.3)]


def ring(rng: Rng, n: int) -> np.ndarray:
    angle = rng.random(n) * 2 * np.pi
    radius = 1 + rng.normal(size=n) * rng.uniform(0.03, 0.1)
    return np.c_[radius * np.cos(angle), radius * np.sin(angle)]


def arc(rng: Rng, n: int) -> np.ndarray:
    angle = rng.random(n) * np.pi * rng.uniform(0.7, 1.5)
    radius = 1 + rng.normal(size=n) * rng.uniform(0.03, 0.12)
    return np.c_[radius * np.cos(angle), radius * np.sin(angle)]


def wave(rng: Rng, n: int) -> np.ndarray:
    t = rng.uniform(-1, 1, n)
    curve = np.c_[1.5 * t, 0.5 * np.sin(t * np.pi * rng.uniform(0.8, 1.6))]
    return curve + rng.normal(size=(n, 2)) * rng.uniform(0.03, 0.09)


def ellipse(rng: Rng, n: int) -> np.ndarray:
    return rng.normal(size=(n, 2)) * [0.8, rng.uniform(0.1, 0.35)]


def triangle(rng: Rng, n: int) -> np.ndarray:
    u = rng.random((n, 2))
    beyond = u.sum(axis=1) > 1
    u[beyond] = 1 - u[beyond]
    return 2 * u - 0.7


def bent(rng: Rng, n: int) -> np.ndarray:
    half, t, w = rng.random((n, 1)) < 0.5, rng.uniform(0, 2, n), rng.uniform(0, 0.3, n)
    return np.where(half, np.c_[t, w], np.c_[w, t]) - 0.7


def cross(rng: Rng, n: int) -> np.ndarray:
    half, t, w = rng.random((n, 1)) < 0.5, rng.uniform(-1, 1, n), rng.uniform(-0.15, 0.15, n)
    return np.where(half, np.c_[t, w], np.c_[w, t])


def ball(rng: Rng, n: int) -> np.ndarray:
    return rng.normal(size=(n, 2)) * 0.35


SHAPES = (ball, disc, square, bar, ring, arc, wave, ellipse, triangle, bent, cross)


def shapes(rng: Rng) -> Set:
    """Shapes of several kinds side by side, with a gap between any two."""
    K, n = int(rng.integers(2, 10)), int(rng.choice([400, 800, 1500]))
    held, gap, parts = np.maximum(sizes(rng, K, n), 25), rng.uniform(0.12, 0.6), []
    for m in held:
        shape = SHAPES[rng.integers(len(SHAPES))](rng, m) @ turned(rng, 2) * rng.uniform(0.5, 1.3)
        reach, placed = 0.5, None
        while placed is None:
            here = shape + rng.uniform(-1, 1, 2) * reach
            if not parts or cKDTree(np.concatenate(parts)).query(here)[0].min() >= gap:
                placed = here
            reach *= 1.03
        parts.append(placed)
    return with_noise(rng, *joined(parts), 0.3, 0.03, 0.15)


def rings(rng: Rng) -> Set:
    """Rings within each other, some around a core, some with noise or a cluster beside them."""
    K, gap = int(rng.integers(2, 5)), rng.uniform(0.25, 0.6)
    n, width = int(rng.choice([300, 600, 1200])), rng.uniform(0.02, 0.09) * gap / 0.4
    core, equal, parts = rng.random() < 0.5, rng.random() < 0.5, []
    length = [0.5 + gap * k for k in range(K)]
    for k in range(K):
        m = max(int(n / K if equal else n * length[k] / sum(length)), 30)
        angle = rng.random(m) * 2 * np.pi
        if core and k == 0:
            parts.append(rng.normal(size=(m, 2)) * 0.09)
        else:
            radius = 0.3 + gap * k + rng.normal(size=m) * width
            parts.append(np.c_[np.cos(angle), np.sin(angle)] * radius[:, None])
    if rng.random() < 0.25:
        reach = max(part[:, 0].max() for part in parts)
        parts.append(rng.normal(size=(max(n // 6, 30), 2)) * 0.15 + [reach + 0.8, 0])
    return with_noise(rng, *joined(parts), 0.25, 0.05, 0.2)


def spirals(rng: Rng) -> Set:
    K, m, turns = int(rng.integers(2, 5)), int(rng.choice([80, 150, 300])), rng.uniform(0.6, 1.5)
    t = np.sqrt(rng.uniform(0.06, 1, (K, m))) if rng.random() < 0.7 else rng.uniform(0.2, 1, (K, m))
    parts = []
    for k in range(K):
        angle = 2 * np.pi * (turns * t[k] + k / K)
        arm = np.c_[np.cos(angle), np.sin(angle)] * t[k][:, None]
        parts.append(arm + rng.normal(size=(m, 2)) * rng.uniform(0.003, 0.02))
    return joined(parts)


def moons(rng: Rng) -> Set:
    K, m = int(rng.choice([2, 2, 3, 4, 6])), int(rng.choice([100, 200, 400]))
    noise, lift, parts = rng.uniform(0.03, 0.12), rng.uniform(0.2, 0.6), []
    for k in range(K):
        angle = rng.random(m if rng.random() < 0.7 else m // 3) * np.pi
        moon = np.c_[np.cos(angle), np.sin(angle) if k % 2 == 0 else lift - np.sin(angle)]
        parts.append(moon + [k, 0] + rng.normal(size=moon.shape) * noise)
    return joined(parts)


def lines(rng: Rng) -> Set:
    """Strips, parabolas or zigzags beside each other, of uneven length and density."""
    K, kind, at, parts = int(rng.integers(2, 6)), rng.choice(["strip", "parabola", "zigzag"]), 0.0, []
    for _ in range(K):
        m, long, width = int(rng.uniform(40, 400)), rng.uniform(0.5, 2), rng.uniform(0.02, 0.1)
        t = rng.uniform(-1, 1, m) if rng.random() < 0.7 else rng.normal(size=m) * 0.5
        height = {"strip": 0 * t, "parabola": 0.6 * t**2, "zigzag": 0.3 * np.abs(((3 * t) % 2) - 1)}[kind]
        parts.append(np.c_[long * t, height + at] + rng.normal(size=(m, 2)) * [0, width])
        at += rng.uniform(0.35, 0.8) + 2 * width
    X, y = joined(parts)
    return X @ turned(rng, 2), y


def touching(rng: Rng) -> Set:
    """Squares and discs that all but touch, balls joined by a bridge, or squares within a frame."""
    kind, n, parts = rng.choice(["row", "bridge", "frame"]), int(rng.choice([300, 600, 1000])), []
    if kind == "row":
        gap, at = rng.uniform(0, 0.15), 0.0
        for m in sizes(rng, int(rng.choice([2, 2, 3, 4])), n):
            part = (square if rng.random() < 0.5 else disc)(rng, m)
            if rng.random() < 0.4:
                part = part @ np.array([[1, -1], [1, 1]]) / np.sqrt(2)
            parts.append(part + np.array([at - part[:, 0].min() + gap, rng.uniform(-0.5, 0.5)]))
            at = parts[-1][:, 0].max()
        return joined(parts)
    if kind == "bridge":
        K = int(rng.choice([2, 2, 3]))
        C = np.c_[np.arange(K) * rng.uniform(4, 6), rng.uniform(-1, 1, K)]
        X, y = joined([c + rng.normal(size=(m, 2)) * 0.7 for c, m in zip(C, sizes(rng, K, n))])
        m = int(rng.uniform(0.01, 0.04) * n)
        t = rng.random(m) * (K - 1)
        along = np.c_[np.interp(t, np.arange(K), C[:, 0]), np.interp(t, np.arange(K), C[:, 1])]
        return np.r_[X, along + rng.normal(size=(m, 2)) * 0.08], np.r_[y, np.full(m, -1)]
    K = int(rng.choice([3, 4, 5]))
    box = rng.uniform(-1, 1, (4 * n, 2))
    parts.append(box[np.abs(box).max(axis=1) > 0.8][: n // 2 + 40])
    C = centres(rng, K - 1, 2, 0.5)
    C = (C - C.mean(axis=0)) / max(np.abs(C - C.mean(axis=0)).max() / 0.45, 1e-9)
    parts += [rng.uniform(-0.12, 0.12, (max(n // (K + 1), 40) // 2 + 15, 2)) + c for c in C]
    return joined(parts)


def solids(rng: Rng) -> Set:
    """A ball in a shell, two links, balls, or helices, in three dimensions."""
    kind, m = rng.choice(["shell", "links", "balls", "helices"]), int(rng.choice([100, 200, 400]))
    if kind == "shell":
        u = rng.normal(size=(m, 3))
        u /= np.linalg.norm(u, axis=1, keepdims=True)
        shell = u * rng.uniform(2, 4) * (1 + rng.normal(size=(m, 1)) * 0.06)
        return joined([rng.normal(size=(m, 3)) * 0.4, shell])
    if kind == "links":
        a, b = rng.random(m) * 2 * np.pi, rng.random(m) * 2 * np.pi
        X, y = joined([np.c_[np.cos(a), np.sin(a), 0 * a], np.c_[1 + np.cos(b), 0 * b, np.sin(b)]])
        return X + rng.normal(size=X.shape) * rng.uniform(0.05, 0.15), y
    if kind == "balls":
        K = int(rng.integers(4, 9))
        C = centres(rng, K, 3, rng.uniform(4, 6))
        return joined([c + rng.normal(size=(m // 3 + 10, 3)) for c in C])
    K = int(rng.choice([2, 3]))
    t = rng.random((K, m)) * rng.uniform(2, 4)
    angles = [2 * np.pi * (t[k] + k / K) for k in range(K)]
    X, y = joined([np.c_[np.cos(angle), np.sin(angle), own] for angle, own in zip(angles, t)])
    return X + rng.normal(size=X.shape) * rng.uniform(0.03, 0.12), y


def skewed(rng: Rng) -> Set:
    """Clusters with long tails, to one side or to all."""
    K, d, n = int(rng.choice([2, 3, 4, 6])), int(rng.choice([2, 3, 5])), int(rng.choice([400, 800]))
    held, C = sizes(rng, K, n), centres(rng, K, d, rng.uniform(4, 7))
    y, kind = np.repeat(np.arange(K), held), rng.choice(["gamma", "t", "laplace"])
    if kind == "gamma":
        side = np.array([rng.choice([-1, 1], d) for _ in range(K)])
        return C[y] + rng.gamma(rng.uniform(1, 3), 1, (len(y), d)) * side[y], y
    tails = rng.standard_t(3, (len(y), d)) if kind == "t" else rng.laplace(size=(len(y), d)) * 0.8
    return C[y] + tails, y


def embedded(rng: Rng) -> Set:
    """Ellipsoids of a few factors, seen through many columns with noise, some of them bent."""
    K, d = int(rng.choice([2, 3, 5, 8, 10, 15, 20])), int(rng.choice([16, 32, 64]))
    q, n = int(rng.choice([3, 5, 8])), max(int(rng.choice([400, 800, 1500])), 40 * K)
    held, C = sizes(rng, K, n), centres(rng, K, q, rng.uniform(2.8, 5.5))
    Z, y = joined([c + rng.normal(size=(m, q)) @ (turned(rng, q) * rng.uniform(0.4, 1.3, q)) for c, m in zip(C, held)])
    X = Z @ rng.normal(size=(q, d)) / np.sqrt(q)
    if rng.random() < 0.3:
        X = np.maximum(X + rng.normal(size=d), 0)
    elif rng.random() < 0.4:
        X = 3 * np.tanh(X * rng.uniform(0.2, 0.6))
    return X + rng.normal(size=X.shape) * rng.uniform(0.1, 0.6), y


def sheets(rng: Rng) -> Set:
    """Each cluster a bent sheet of two or three factors in many dimensions, as images of one thing are."""
    K, d, q = int(rng.choice([3, 5, 8, 10])), int(rng.choice([10, 20, 40])), int(rng.choice([2, 3]))
    m, apart, common, parts = int(rng.choice([60, 100, 150])), rng.uniform(1.0, 2.2), rng.normal(size=(q, d)), []
    for _ in range(K):
        Z, W = rng.normal(size=(m, q)), 0.4 * common + rng.normal(size=(q, d))
        products = np.stack([Z[:, i] * Z[:, j] for i in range(q) for j in range(i, q)], axis=1)
        bend = 0.35 * products @ rng.normal(size=(products.shape[1], d))
        parts.append(apart * rng.normal(size=d) + 0.7 * Z @ W + bend + rng.normal(size=(m, d)) * 0.3)
    return joined(parts)


def nested(rng: Rng) -> Set:
    """Clusters in groups: groups are far apart, the clusters of one near each other."""
    G, d, parts = int(rng.choice([2, 2, 3])), int(rng.choice([2, 4, 8])), []
    for c in centres(rng, G, d, rng.uniform(14, 25)):
        H = int(rng.choice([1, 2, 2, 3]))
        own = centres(rng, H, d, rng.uniform(3.2, 5))
        for at in own - own.mean(axis=0):
            stretch = turned(rng, d) * rng.uniform(0.5, 1.2, d)
            parts.append(c + at + rng.normal(size=(int(rng.choice([50, 100, 200])), d)) @ stretch)
    return joined(parts)


def tables(rng: Rng) -> Set:
    """Overlapping classes of a few correlated columns, beside columns of no use."""
    K, q = int(rng.choice([2, 2, 3, 3, 4, 6])), int(rng.choice([2, 3, 4, 6]))
    d, n = q + int(rng.choice([0, 1, 3, 6])), int(rng.choice([120, 200, 350, 600]))
    held, C = np.maximum(sizes(rng, K, n, 4.0), 12), centres(rng, K, q, rng.uniform(2.4, 4.0))
    Z, y = joined([c + rng.normal(size=(m, q)) @ (turned(rng, q) * rng.uniform(0.5, 1.3, q)) for c, m in zip(C, held)])
    X = Z @ turned(rng, q)
    if rng.random() < 0.4:
        X = 4 * np.exp(X / 4)
    return np.c_[X, rng.normal(size=(len(y), d - q)) * X.std() * 0.6], y


def trees(rng: Rng) -> Set:
    """Classes in groups of unlike size, each a bent sheet in many dimensions, near ones overlapping."""
    K, d = int(rng.choice([4, 6, 8, 10, 15, 20])), int(rng.choice([8, 16, 36, 64]))
    held = np.maximum(sizes(rng, K, int(rng.choice([500, 1000, 1800]))), 20)
    G = int(rng.integers(2, max(3, K // 2) + 1))
    group = np.r_[np.arange(G), rng.integers(0, G, K - G)]
    top, own = rng.uniform(1.0, 3.0) * rng.normal(size=(G, d)), rng.uniform(0.5, 1.2) * rng.normal(size=(K, d))
    q, parts = int(rng.choice([2, 3, 5])), []
    common = rng.normal(size=(q, d))
    for k in range(K):
        Z = rng.normal(size=(held[k], q))
        W, V = (0.6 * common + 0.8 * rng.normal(size=(q, d))) / np.sqrt(q), rng.normal(size=(q, d)) / np.sqrt(q)
        bend = rng.uniform(0, 0.5) * (Z**2 - 1) @ V
        noise = rng.normal(size=(held[k], d)) * rng.uniform(0.2, 0.5)
        parts.append(top[group[k]] + own[k] + 1.2 * Z @ W + bend + noise)
    return joined(parts)


def grades(rng: Rng) -> Set:
    """Overlapping classes of a small table, some in a row, of unequal size and spread, in correlated columns."""
    K, d = int(rng.choice([2, 3, 3, 4, 5, 6, 8])), int(rng.choice([3, 4, 6, 9, 13]))
    held = sizes(rng, K, int(rng.choice([100, 150, 220, 350, 700])), 3.0)
    if rng.random() < 0.6:
        along = np.outer(np.cumsum(rng.uniform(0.6, 1.6, K)), rng.normal(size=d)) / np.sqrt(d)
        C = along * rng.uniform(1.5, 3) + rng.normal(size=(K, d)) * 0.6
    else:
        C = rng.normal(size=(K, d)) * rng.uniform(0.9, 1.8)
    X, y = joined(
        [c + rng.normal(size=(m, d)) @ (turned(rng, d) * rng.uniform(0.3, 1.1, d)).T for c, m in zip(C, held)]
    )
    X = X @ (turned(rng, d) * rng.uniform(0.5, 2, d))
    return (np.sign(X) * np.abs(X) ** rng.uniform(1.2, 1.6) if rng.random() < 0.4 else X), y


def one_cluster(rng: Rng, kind: str | None = None, n: int | None = None, d: int | None = None) -> Set:
    """A single cluster of one of ten kinds, none with a valley."""
    kind = str(rng.choice(list(KINDS))) if kind is None else kind
    n = int(rng.choice([50, 100, 200, 400, 800, 1200])) if n is None else n
    d = int(rng.choice([2, 3, 5, 10, 20, 50])) if d is None else d
    return KINDS[kind](rng, n, d), np.zeros(n, dtype=int)


KINDS: dict[str, Callable[[Rng, int, int], np.ndarray]] = {
    "normal": lambda rng, n, d: rng.normal(size=(n, d)),
    "uniform": lambda rng, n, d: rng.random((n, d)),
    "disc": lambda rng, n, _: disc(rng, n),
    "heavy tails": lambda rng, n, d: rng.standard_t(5, (n, min(d, 5))),
    "skewed": lambda rng, n, d: rng.gamma(2, 1, (n, min(d, 5))),
    "strip": lambda rng, n, _: rng.normal(size=(n, 2)) * [8, 1],
    "ring": lambda rng, n, _: ring(rng, n),
    "arc": lambda rng, n, _: arc(rng, n),
    "correlated": lambda rng, n, d: rng.normal(size=(n, d)) @ (turned(rng, d) * rng.uniform(0.1, 2, d)),
    "bent": lambda rng, n, _: (
        np.tanh(0.3 * rng.normal(size=(n, 3)) @ rng.normal(size=(3, 20))) + 0.1 * rng.normal(size=(n, 20))
    ),
}

SEVERAL: tuple[Callable[[Rng], Set], ...] = (
    balls,
    ellipsoids,
    many_in_the_plane,
    unbalanced,
    shapes,
    rings,
    spirals,
    moons,
    lines,
    touching,
    solids,
    skewed,
    embedded,
    sheets,
    nested,
    tables,
    trees,
    grades,
)
FAMILIES: dict[str, Callable[[Rng], Set]] = {family.__name__: family for family in (*SEVERAL, one_cluster)}


def drawn(family: str, seed: int) -> Set:
    rng = np.random.default_rng([seed, *map(ord, family)])
    X, y = FAMILIES[family](rng)
    order = rng.permutation(len(X))
    return np.asarray(X[order], dtype=float), y[order]


def picture(path: str, seeds: int = 8) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    _, axes = plt.subplots(len(FAMILIES), seeds, figsize=(2.5 * seeds, 2.4 * len(FAMILIES)), layout="tight")
    for row, family in zip(axes, FAMILIES):
        for seed, ax in enumerate(row):
            X, y = drawn(family, seed)
            if X.shape[1] > 2:
                X = (X - X.mean(axis=0)) @ np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:2].T
            ax.scatter(*X.T, c=y, s=1, cmap="tab20")
            ax.set_title(f"{family} {seed}: {len(X)}, {y.max() + 1}", fontsize=7)
            ax.axis("off")
    plt.savefig(path, dpi=60)


if __name__ == "__main__":
    picture(sys.argv[1])
