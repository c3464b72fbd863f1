"""Columns of categories beside columns of numbers, as the members of an ensemble see them.

A table comes as an array: one column of zeros and ones (in any unit) for each category, or one for yes and no. Two rows
of different categories then lie in different planes, and between planes there is a gap, which trees, graphs and density
take for one between clusters: a column of yes and no that tells nothing of the others would make two clusters. So where
valleys are looked for, a column of categories is replaced by the latent variables that it is a coarse observation of
[everitt1988]. They are drawn given the category: a row with category c of m, whose shares are p, has

    V_c = exp(-p_c E), V_j = U_j exp(-p_j E) for the others j, E exponential, U_j uniform, all independent.

These are the exp(-exp(-g_j)) of the random utilities g_j + log p_j, g of Gumbel's distribution, of which that of c is
the largest [mcfadden1974]. Over all rows the V are independent and uniform, and the latent variables are their
quantiles of the normal distribution, without the mean of the m: normal in m - 1 dimensions, with no gap. Of two
categories there is one, a normal variable that a threshold cuts in two. A column keeps the variance that its zeros and
ones had.

How far labels explain the categories says the integrated likelihood of both [biernacki2010], in closed form

    log p(x, z) = sum_kj [ sum_c g(N_kjc + 1/2) - g(N_kj + m_j / 2) ] + sum_k g(N_k + 1/2) - g(N + K / 2) + constants,

g the logarithm of the gamma function, N_kjc the rows of cluster k with category c in column j, of m_j categories, and
N_kj = N_k. A row adds what the columns say of its label, less what the label itself takes to say: of columns that tell
nothing of each other one cluster is the likeliest, however many rows there are, and so it is of clusters that overlap
far.

Columns that depend on each other within clusters say less than that. How far they do says a variance inflation c: the
mean of n_k r^2 over pairs of categories of two columns, r their correlation among the n_k rows of a cluster, which is
1 or less of columns that tell nothing of each other there; less two standard deviations of a mean of so many numbers
with the chi-squared distribution. n rows are then worth n / c, as in quasi-likelihoods [burnham2002].

[biernacki2010] C. Biernacki, G. Celeux, G. Govaert, Exact and Monte Carlo calculations of integrated likelihoods for
the latent class model, Journal of Statistical Planning and Inference 140, 2010.
[burnham2002] K. P. Burnham, D. R. Anderson, Model Selection and Multimodel Inference, 2002, section 2.5.
[everitt1988] B. S. Everitt, A finite mixture model for the clustering of mixed-mode data, Statistics and Probability
Letters 6, 1988.
[mcfadden1974] D. McFadden, Conditional logit analysis of qualitative choice behavior, in Frontiers in Econometrics,
1974.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space
from scipy.special import gammaln, ndtri

from partita.arrays import Array, Labels

__all__ = ["PRIOR", "Categories", "Columns", "with_latent_variables"]

# Jeffreys' prior of the probabilities of categories and of clusters.
PRIOR = 0.5
# Share of a column's cells that are its least or its largest value, where it is of categories; the others are missing
# ones that were filled in.
KNOWN = 0.5
# Digits of a cell, and slack of a sum of cells: what was filled in is one or zero but for rounding where all is that it
# was filled in from.
DIGITS, SLACK = 12, 1e-9
# Share of the variance that columns of categories hold at least, where they matter beside numbers.
LEAST_SHARE = 0.01
# Rows by which the categories of a column are put in order.
ORDERED = 500
# Rows of a cluster, and of a category in it and outside, from which on a correlation is looked at; categories at most.
FEWEST_ROWS, EXPECTED, LOOKED_AT = 30, 5, 400
# Standard deviations of dependence that may be chance.
BY_CHANCE = 2.0
# Probabilities are held away from zero and one by so much.
MARGIN = 1e-9


@dataclass(frozen=True, eq=False)
class Columns:
    """Which columns of an array are numbers, and which are the categories of one column of a table.

    Attributes
    ----------
    numbers : array of int
    blocks : tuple of arrays of int
        The columns of each column of categories: one for yes and no, or one for each category.
    low, high : arrays of d
        The least and the largest value of each column; columns of one value are neither.
    """

    numbers: NDArray[np.intp]
    blocks: tuple[NDArray[np.intp], ...]
    low: Array
    high: Array

    @classmethod
    def of(cls, X: Array) -> Columns:
        """Return the columns of an array.

        Parameters
        ----------
        X : n x d array
            Columns of two values are of categories: yes or no, or one for each category, one after the other, of which
            a row has one.

        Examples
        --------
        >>> X = np.array([[0.0, 7, 0, 0, 0.1], [0, 0, 7, 0, 0.5], [5, 0, 0, 7, 0.3], [5, 0, 7, 0, 0.7]])
        >>> columns = Columns.of(X)
        >>> columns.numbers.tolist(), [block.tolist() for block in columns.blocks]
        ([4], [[0], [1, 2, 3]])
        >>> columns.cells(X).astype(int)[2].tolist()
        [0, 1, 0, 0, 1]
        """
        low, high = X.min(axis=0), X.max(axis=0)
        numbers: list[int] = []
        blocks: list[NDArray[np.intp]] = []
        found: dict[int, Array] = {}
        slack = SLACK * (high - low)
        at_an_end = ((low + slack >= X) | (high - slack <= X)).mean(axis=0)
        for j in np.flatnonzero((low < high) & (at_an_end >= KNOWN)):
            found[int(j)] = _in_unit(X[:, j], low[j], high[j])
        at = 0
        while at < X.shape[1]:
            end = at + 1
            held = found.get(at, np.full(len(X), np.nan))
            while end in found and (more := held + found[end]).max() <= 1 + SLACK:  # a row has one of a column at most
                held, end = more, end + 1
            if end == at + 1 or held.min() < 1 - SLACK:
                end = at + 1
            if end > at + 1 or (at in found and np.isin(found[at], (0.0, 1.0)).all()):
                blocks.append(np.arange(at, end))
            elif low[at] < high[at]:
                numbers.append(at)
            at = end
        if numbers:  # beside others a column that one row alone has a number in is one of numbers: a rare word's share
            lone = [int(block[0]) for block in blocks if len(block) == 1 and _has_lone_value(found[int(block[0])])]
            blocks = [block for block in blocks if int(block[0]) not in lone]
            numbers = sorted([*numbers, *lone])
        return cls(np.array(numbers, dtype=np.intp), tuple(blocks), low, high)

    def cells(self, X: Array) -> Array:
        """Return the categories of rows, n x e: one in the place of the row's own, zero elsewhere; between the two in
        cells that were filled in.
        """
        parts = [np.empty((len(X), 0))]
        for block in self.blocks:
            Z = _in_unit(X[:, block], self.low[block], self.high[block])
            parts.append(np.hstack([1.0 - Z, Z]) if len(block) == 1 else Z)
        return np.hstack(parts)

    @property
    def column(self) -> NDArray[np.intp]:
        """The column of categories that each of the cells is of."""
        return np.repeat(np.arange(len(self.blocks)), [max(len(block), 2) for block in self.blocks])

    def categories(self, X: Array, counts: Array | None = None) -> Categories | None:
        """Return the categories of rows beside columns of numbers.

        None where there are none, no numbers, or they hold less than a hundredth of the variance.
        """
        if not len(self.numbers) or not self.blocks:
            return None
        variance = X.var(axis=0)
        if variance[np.concatenate(self.blocks)].sum() < LEAST_SHARE * variance.sum():
            return None
        return Categories(self.cells(X), self.column, np.ones(len(X)) if counts is None else counts)

    def with_latent_variables(self, X: Array, seed: int) -> Array:
        """Return the rows with latent variables in the place of each column of categories, drawn given the category.

        The same seed draws the same for the same column, wherever it stands and whatever its categories are called.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> X = np.column_stack([rng.normal(size=1000), rng.random(1000) < 0.3])
        >>> Y = Columns.of(X).with_latent_variables(X, 0)
        >>> bool(Y[X[:, 1] == 1, 1].min() > Y[X[:, 1] == 0, 1].max())
        True
        >>> round(float(Y[:, 1].std() / X[:, 1].std()), 9), round((Y[:, 1] ** 4).mean() / Y[:, 1].var() ** 2)
        (1.0, 3)
        """
        parts = [X[:, self.numbers]]
        cells, column = self.cells(X), self.column
        for j, block in enumerate(self.blocks):
            drawn = _latent_variables(_in_order(cells[:, column == j]), seed)
            variance, own = X[:, block].var(axis=0).sum(), drawn.var(axis=0).sum()
            parts.append((drawn - drawn.mean(axis=0)) * np.sqrt(variance / own))
        return np.hstack(parts)


@dataclass(frozen=True, eq=False)
class Categories:
    """Columns of categories of n distinct rows.

    Attributes
    ----------
    cells : n x e array
        One where a row has a category and zero elsewhere; between the two in cells that were filled in.
    column : array of e int
        The column that each category is of.
    counts : array of n
        Number of rows that are each distinct one.
    """

    cells: Array
    column: NDArray[np.intp]
    counts: Array

    @classmethod
    def of(cls, X: Array, counts: Array | None = None) -> Categories | None:
        """Return the categories of a table of nothing else; None where it has columns of other numbers.

        Examples
        --------
        >>> X = np.array([[0.0, 7, 0, 0], [0, 0, 7, 0], [5, 0, 0, 7], [5, 0, 7, 0]])
        >>> Categories.of(X).column.tolist()
        [0, 0, 1, 1, 1]
        >>> Categories.of(np.array([[0.0], [1.0], [2.0]])) is None
        True
        """
        columns = Columns.of(X)
        if len(columns.numbers) or not columns.blocks:
            return None
        return cls(columns.cells(X), columns.column, np.ones(len(X)) if counts is None else counts)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self.column[-1]) + 1

    @property
    def n_categories(self) -> Array:
        """Number of categories of the column that each category is of."""
        return np.bincount(self.column)[self.column].astype(np.float64)

    @property
    def n_free(self) -> int:
        """Free probabilities of one cluster."""
        return len(self.column) - self.n_columns

    @property
    def scaled(self) -> Array:
        """The cells in units in which each column counts alike."""
        return np.asarray(self.cells / np.sqrt(self.n_categories))

    def rows(self, index: NDArray[np.intp]) -> Categories:
        """Return some of the distinct rows."""
        return Categories(self.cells[index], self.column, self.counts[index])

    def log_probabilities(self, R: Array) -> Array:
        """Return the logarithms of the probabilities of each category in K clusters, K x e: posterior means.

        Parameters
        ----------
        R : K x n array
            How far each row is of a cluster, times its copies.
        """
        return np.asarray(np.log((R @ self.cells + PRIOR) / (R.sum(axis=1)[:, None] + PRIOR * self.n_categories)))

    def evidence(self, labels: Labels) -> float:
        """Return the log integrated likelihood of categories and labels 0, ..., K - 1, less that of one cluster.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> two = np.repeat([0, 1], 100)
        >>> told, untold = (
        ...     Categories.of(1.0 * (rng.random((200, 6)) < p)) for p in (0.1 + 0.8 * two[:, None], 0.5)
        ... )
        >>> round(told.evidence(two)), round(untold.evidence(two)) < 0
        (335, True)
        """
        return self._evidence(labels) - self._evidence(np.zeros(len(labels), dtype=np.int64))

    def independent(self, Q: Array) -> Categories:
        """Return the categories with as many rows as would say as much, were columns independent within clusters.

        Parameters
        ----------
        Q : n x K array
            Membership of the distinct rows.

        Examples
        --------
        >>> X = 1.0 * (np.random.default_rng(0).random((400, 4)) < 0.5)
        >>> twice = np.hstack([X[:, :2], X[:, :1]])  # the first column comes again
        >>> [round(Categories.of(Z).independent(np.ones((400, 1))).counts.sum()) for Z in (X, twice)]
        [400, 3]
        """
        return replace(self, counts=self.counts / max(1.0, self.dependence(Q)))

    def dependence(self, Q: Array) -> float:
        """Return how far columns depend on each other within clusters: c at the top of this file, less what it may be
        by chance.
        """
        total = rows = n_pairs = 0.0
        for R in Q.T:
            w = R * self.counts
            n = float(w.sum())
            p = w @ self.cells / max(n, 1.0)
            frequent = np.flatnonzero(n * np.minimum(p, 1 - p) >= EXPECTED)
            frequent = frequent[:: 1 + len(frequent) // LOOKED_AT]
            apart = self.column[frequent][:, None] != self.column[frequent]
            if n < FEWEST_ROWS or not apart.any():
                continue
            p = p[frequent]
            Z = (self.cells[:, frequent] - p) / np.sqrt(p * (1 - p))
            correlation = (Z * w[:, None]).T @ Z / n
            total += n * n * float((correlation[apart] ** 2).mean())
            rows += n
            n_columns = len(np.unique(self.column[frequent]))
            n_pairs += n_columns * (n_columns - 1) / 2
        return total / rows - BY_CHANCE * float(np.sqrt(2.0 / n_pairs)) if rows else 0.0

    def _evidence(self, labels: Labels) -> float:
        K = int(labels.max()) + 1
        onto = np.eye(K)[labels] * self.counts[:, None]
        of_cluster, of_category = onto.sum(axis=0), onto.T @ self.cells
        first = np.unique(self.column, return_index=True)[1]
        half = PRIOR * self.n_categories[first]
        told = (gammaln(of_category + PRIOR) - gammaln(PRIOR)).sum()
        told -= (gammaln(of_cluster[:, None] + half) - gammaln(half)).sum()
        of_labels = (gammaln(of_cluster + PRIOR) - gammaln(PRIOR)).sum()
        of_labels -= gammaln(of_cluster.sum() + PRIOR * K) - gammaln(PRIOR * K)
        return float(told + of_labels)


def with_latent_variables(X: Array, seed: int) -> tuple[Array, Categories | None]:
    """Return items with latent variables in the place of categories beside numbers, and these categories, if any."""
    columns = Columns.of(X)
    categories = columns.categories(X)
    return X if categories is None else columns.with_latent_variables(X, seed), categories


def _has_lone_value(cells: Array) -> bool:
    """Whether one of the two values of a column is that of one row alone."""
    return bool(min(cells.sum(), len(cells) - cells.sum()) == 1)


def _in_unit(X: Array, low: Any, high: Any) -> Array:
    """Cells from 0 to 1."""
    return np.asarray(np.round((X - low) / (high - low), DIGITS))


def _in_order(cells: Array) -> Array:
    """Categories of a column in the order in which rows have them, whatever they are called."""
    return np.asarray(cells[:, np.lexsort(np.vstack([cells.mean(axis=0), -cells[:ORDERED][::-1]]))])


def _latent_variables(cells: Array, seed: int) -> Array:
    """The m - 1 latent variables of a column of m categories; see the top of this file."""
    n, m = cells.shape
    rng = np.random.default_rng([seed, zlib.crc32((np.round(cells, DIGITS) + 0.0).tobytes())])
    shares: Array = np.maximum(cells.mean(axis=0), MARGIN)
    drawn = np.minimum((rng.random((n, 1)) > np.cumsum(cells, axis=1)).sum(axis=1), m - 1)
    if m == 2:  # a threshold
        U, first = rng.random((n, 1)), shares[0]
        V = np.where(drawn[:, None] == 0, first * U, first + (1.0 - first) * U)
    else:
        below = np.exp(-rng.exponential(size=(n, 1)) * shares)
        V = rng.random((n, m)) * below
        V[np.arange(n), drawn] = below[np.arange(n), drawn]
    Z = ndtri(np.clip(V, MARGIN, 1.0 - MARGIN))
    return Z if m == 2 else np.asarray(Z @ null_space(np.ones((1, m))))
