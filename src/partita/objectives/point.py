"""Points of the factorization: a factor and the results of one product with P, or what lies between two of them."""

from __future__ import annotations

from dataclasses import dataclass

from partita.arrays import Array

__all__ = ["Between", "Cross", "Point"]


@dataclass(frozen=True, eq=False)
class Point:
    """A membership and the results of one product with P."""

    W: Array
    product: Array  # Y = P D W
    gram: Array  # G = W^T D W
    attraction: Array  # c
    curvature: Array  # H
    scale: Array  # a
    value: float  # f without the constant ||P||^2


@dataclass(frozen=True, eq=False)
class Cross:
    """Cross terms of two points: with them c and G are known all along the line through the points."""

    gram: Array  # W_1^T D W_2
    attraction: Array  # diag(W_1^T D Y_2)


@dataclass(frozen=True, eq=False)
class Between:
    """The point first + t (second - first), any t: its K x K numbers; its rows are made where they are needed."""

    first: Point
    second: Point
    t: float
    gram: Array
    scale: Array
    value: float
