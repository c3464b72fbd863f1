"""Leading eigenvectors by subspace iteration with a Chebyshev filter [zhou2006]: block products and small dense work.

A round multiplies the block by a polynomial in P that is at most one in size on [low, cut], where the unwanted part of
the spectrum lies, and grows fastest beyond; the smallest Ritz value of the block is the next cut. It finds every copy
of a multiple eigenvalue that the block has room for, needs nothing of P but products with a block, and stops where the
Ritz residuals are small enough for its purpose.

Costs `degree` + 1 products with N x m blocks and O(N m^2) a round; holds four such blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.kernels.eigen import symmetric_eigen
from partita.kernels.rows import row_pass
from partita.kernels.threads import row_bounds, run_chunks

__all__ = ["EXTRA", "filtered_subspace", "lower_end"]

Product = Callable[[Array], Array]

# Vectors iterated beyond those asked for: the last ones of a block converge last.
EXTRA = 8
# Directions of a block whose squared length is below this share of the longest one's are rounding.
NEGLIGIBLE = 1e-13
# Logarithm of the most that a round may raise one vector over another.
GROWTH = np.log(1e6)
# A spectrum as narrow as this, relative to its largest value, cannot be told apart.
NARROW = 1e-12
# Largest entry of the Gram matrix of a block less the identity at which the block is orthonormal.
ORTHONORMAL = 1e-12
# Length of the interval that is damped, at least, relative to the largest value: P may be of lower rank than the block.
SHORTEST = 1e-8
# Steps of Lanczos that bound the spectrum.
STEPS = 12
# Rows combined at a time, so that what is between stays in the cache.
ROWS = 1 << 12


def filtered_subspace(
    product: Product, block: Array, n_vectors: int, *, low: float, rounds: int, degree: int, tolerance: float
) -> tuple[Array, Array]:
    """Return the largest eigenvalues (descending) and their eigenvectors, as far as the rounds take them.

    Parameters
    ----------
    product : callable
        P @ W for an N x m array W.
    block : N x m array
        Where to start, m >= n_vectors.
    n_vectors : int
    low : float
        At most the smallest eigenvalue of P.
    rounds, degree : int
        Rounds at most, and products of each.
    tolerance : float
        Residual ||P v - theta v|| of the leading vectors at which it stops, relative to their Ritz values theta.

    Examples
    --------
    >>> P = np.diag([4.0, 3.0, 1.0, 0.5, 0.1])
    >>> start = np.random.default_rng(0).normal(size=(5, 3))
    >>> values, _ = filtered_subspace(lambda W: P @ W, start, 2, low=0.0, rounds=9, degree=8, tolerance=1e-9)
    >>> values.round(6).tolist()
    [4.0, 3.0]
    """
    cut = -np.inf
    for left in range(rounds, -1, -1):
        block = _orthonormal(block)
        image = product(block)
        values, rotation = _ritz(block, image)
        top, cut = float(values[0]), max(cut, float(values[-1]))
        leading, wanted = rotation[:, :n_vectors], values[:n_vectors]
        size = max(abs(top), abs(low))
        narrow = NARROW * size
        resolved = (_residuals(block, image, leading, wanted) <= np.maximum(tolerance * np.abs(wanted), narrow)).all()
        half, centre = max(cut - low, SHORTEST * size) / 2, (cut + low) / 2
        if not left or resolved or top - cut <= narrow:
            break
        # A vector that grows beyond measure drowns the others in its rounding.
        most = max(1, int(GROWTH / np.arccosh((top - centre) / half)))
        # The first product of the filter is there already.
        before, image = _turned(block, rotation), _turned(image, rotation)
        block = _filtered(product, before, image, min(degree, most), half, centre, top)
    return wanted, _turned(block, leading)


def _ritz(block: Array, image: Array) -> tuple[Array, Array]:
    """Ritz values of an orthonormal block, descending, and the rotation to their vectors."""
    (inside,) = row_pass(block, lambda b, c: ((), (b.T @ c,)), image)[1]
    values, rotation = symmetric_eigen((inside + inside.T) / 2)
    return values[::-1], np.ascontiguousarray(rotation[:, ::-1])


def _residuals(block: Array, image: Array, leading: Array, values: Array) -> Array:
    """||P v - theta v|| of the Ritz vectors."""

    def work(b: Array, c: Array) -> tuple[Any, Any]:
        rest = c @ leading - (b @ leading) * values
        return (), (np.einsum("nk,nk->k", rest, rest),)

    (squares,) = row_pass(block, work, image)[1]
    return np.asarray(np.sqrt(squares))


def _turned(block: Array, rotation: Array) -> Array:
    (out,), _ = row_pass(block, lambda b: ((b @ rotation,), ()))
    return np.asarray(out)


def _filtered(
    product: Product, before: Array, image: Array, degree: int, half: float, centre: float, top: float
) -> Array:
    """The Chebyshev polynomial of a block that is at most one on the interval, scaled to one at `top` [zhou2006]."""
    first = sigma = half / (top - centre)
    block = _combined(image, before, None, sigma / half, centre, 0.0)
    for _ in range(degree - 1):
        after = 1.0 / (2.0 / first - sigma)
        image = product(block)
        before, block = block, _combined(image, block, before, 2.0 * after / half, centre, sigma * after)
        sigma = after
    return block


def _combined(image: Array, block: Array, before: Array | None, scale: float, centre: float, share: float) -> Array:
    """P B in place made scale (P B - centre B) - share B_before."""

    def work(low: int, high: int) -> None:
        part = image[low:high]
        part -= centre * block[low:high]
        part *= scale
        if before is not None:
            part -= share * before[low:high]

    run_chunks(work, row_bounds(len(image), ROWS))
    return image


def _orthonormal(block: Array) -> Array:
    """An orthonormal basis of the block by its Gram matrix, twice; random directions in the place of those it lacks."""
    rng = np.random.default_rng(0)
    gram = _gram(block)
    for _ in range(4):
        size = np.sqrt(np.maximum(gram.diagonal(), np.finfo(float).tiny))
        values, vectors = symmetric_eigen(gram / size / size[:, None])
        kept = values > NEGLIGIBLE * values[-1]
        block = _turned(block, vectors[:, kept] / np.sqrt(values[kept]) / size[:, None])
        lacking = len(kept) - int(kept.sum())
        if lacking:
            block = np.hstack([block, rng.normal(size=(len(block), lacking)) / np.sqrt(len(block))])
        gram = _gram(block)
        if np.abs(gram - np.eye(len(gram))).max() < ORTHONORMAL:
            break
    return block


def _gram(block: Array) -> Array:
    (gram,) = row_pass(block, lambda b: ((), (b.T @ b,)))[1]
    return gram


def lower_end(product: Product, n: int) -> float:
    """Return a number below the spectrum of P, from a few steps of Lanczos: the smallest Ritz value less its
    residual.
    """
    v = np.random.default_rng(0).normal(size=n)
    basis = [v / np.linalg.norm(v)]
    alphas: list[float] = []
    betas: list[float] = []
    for _ in range(min(STEPS, n)):
        image = product(basis[-1][:, None])[:, 0]
        alphas.append(float(image @ basis[-1]))
        for _ in range(2):  # an eigenvalue that is found would come back by rounding
            for u in basis:
                image = image - (image @ u) * u
        betas.append(float(np.linalg.norm(image)))
        if betas[-1] <= NARROW * max(map(abs, alphas)):
            break
        basis.append(image / betas[-1])
    T = np.diag(alphas) + np.diag(betas[:-1], 1) + np.diag(betas[:-1], -1)
    return float(np.linalg.eigvalsh(T)[0]) - betas[-1]
