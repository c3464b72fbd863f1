"""One projected gradient step in one pass over the rows: gradient, step, projection and what a solver asks of them.

The base of the step may lie between two points (`Between`): its rows are made block by block and never kept. Another
point can be measured in the same pass, how far its own step would move it, which is what stationarity (`optimality`) is
made of: so an iteration of accelerated projected gradient is a product with P, the sums over the new point, and one
such pass.

With the K x K numbers (b, Q) of `Problem.linear` the gradient is W Q - Y diag(b). Where the factor lies on the simplex
and is large, a compiled kernel does a block of rows at once (`Domain.row_descent`).

Columns may be measured in units of their own, a row by sum_k w_k^2 / u_k: then column k has steps of u_k / B, and the
row is projected onto what is nearest by that measure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from partita.arrays import Array
from partita.kernels.namespace import like, namespace
from partita.kernels.rows import row_pass
from partita.objectives.domain import Domain
from partita.objectives.point import Between, Point

__all__ = ["Base", "Descent", "descend", "gradient_rows"]


@dataclass(frozen=True, eq=False)
class Descent:
    """A step from W to W'."""

    W: Any  # W', or None where it was not kept
    slope: float  # <gradient, W' - W>
    square: float  # ||W' - W||^2, column k divided by u_k
    moved: float  # ||W' - W||^2 itself; where another point was measured, of that one


@dataclass(frozen=True, eq=False)
class Base:
    """Point that a step starts from, the gradient there, and the length of the step."""

    at: Point | Between
    linear: tuple[Array, Array]  # (b, Q)
    of_pairs: Array | None  # what weights of pairs add to the gradient; None without weights
    curvature: float  # B > 0
    u: Array | None  # squared units of the columns, > 0; None where all are one


def descend(
    base: Base, domain: Domain, column: Array | None, *, keep: bool = True, measured: Base | None = None
) -> Descent:
    """Step to W' = project(W - gradient diag(u) / B), for domains that project row by row.

    Parameters
    ----------
    base : Base
        W.
    domain : Domain
    column : N x 1 array, optional
        Item weights.
    keep : bool
        Without it W' is not kept.
    measured : Base, optional
        Another point whose step is measured in the same pass.
    """
    step, arrays = _step(base, domain), _arrays(base.at)
    if measured is None:

        def work(d: Array | None, more: Array | None, *blocks: Any) -> tuple[Any, Any]:
            W, *sums = step(d, more, *blocks)
            return (W,) if keep else (), sums

        outputs, sums = _pass(work, arrays, column, base.of_pairs)
    else:
        other, n = _step(measured, domain), len(arrays)

        def work(d: Array | None, more: Array | None, *blocks: Any) -> tuple[Any, Any]:
            W, slope, square, _ = step(d, more, *blocks[:n])
            *_, moved = other(d, blocks[n], *blocks[n + 1 :])
            return (W,) if keep else (), (slope, square, moved)

        arrays = (*arrays, measured.of_pairs, *_arrays(measured.at))
        outputs, sums = _pass(work, arrays, column, base.of_pairs)
    return Descent(outputs[0] if keep else None, *map(float, sums))


def gradient_rows(factor: Any, linear: tuple[Array, Array]) -> Callable[[Any, Any, Any], Any]:
    """Return the gradient of a block of rows of a factor, from those of W, of Y, and of what pair weights add."""
    b, Q = (like(factor, part) for part in linear)

    def rows(W: Any, Y: Any, more: Any) -> Any:
        gradient = W @ Q - Y * b
        return gradient if more is None else gradient + more

    return rows


Step = Callable[..., tuple[Any, Any, Any, Any]]


def _step(base: Base, domain: Domain) -> Step:
    """W', slope, square and move of a block of rows, from weights, what pair weights add, and the rows of `_arrays`."""
    first, B, u, (b, Q) = _first(base.at), base.curvature, base.u, base.linear
    gradient_of, project = gradient_rows(first, base.linear), domain.row_projection(first, u)
    units = 1.0 if u is None else like(first, u)
    compiled = domain.row_descent(first) if base.of_pairs is None else None
    t = base.at.t if isinstance(base.at, Between) else None

    def step(d: Array | None, more: Array | None, W: Any, Y: Any, V: Any = None, Z: Any = None) -> tuple[Any, ...]:
        if t is not None:
            W, Y = W + t * (V - W), Y + t * (Z - Y)
        if compiled is not None:
            return compiled(W, Y, d, b, Q, B, u)
        gradient = gradient_of(W, Y, more)
        candidate = project(W - gradient / (B / units))
        move = candidate - W
        xp, weighted = namespace(W), move if d is None else d * move
        squares = move * weighted
        return candidate, xp.sum(gradient * weighted), xp.sum(squares / units), xp.sum(squares)

    return step


def _first(base: Point | Between) -> Any:
    return base.first.W if isinstance(base, Between) else base.W


def _arrays(base: Point | Between) -> tuple[Any, ...]:
    if isinstance(base, Between):
        return base.first.W, base.first.product, base.second.W, base.second.product
    return base.W, base.product


def _pass(work: Callable[..., Any], arrays: tuple[Any, ...], d: Any, more: Any) -> tuple[list[Any], list[Any]]:
    """A pass with the weights and what pair weights add before the rows."""
    first, *rest = arrays
    return row_pass(first, lambda W, d, more, *others: work(d, more, W, *others), d, more, *rest)
