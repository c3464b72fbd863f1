"""Clusters of a table of categories: classes within which the columns tell nothing of each other.

Categories have no distances that valleys could be seen by, and of few columns of few categories most rows are copies:
how often each pattern occurs says everything, and the patterns alone nothing. So the clusters are the classes of a
latent class model [lazarsfeld1968]: each class has its own probability of each category in each column, independent of
the other columns. With w_i the number of rows of pattern i, expectation and maximisation climb to the largest

    sum_i w_i log sum_k pi_k prod_j theta_kj(x_ij) + sum_k (log pi_k + sum_jc log theta_kj(c)) / 2,

the posterior under Jeffreys' priors but for the place of its maximum: means are taken in place of modes. How many
classes there are is judged twice. Once by the integrated likelihood of categories and labels, log p(x, z) of
`partita.ensemble.categories`. And once by BIC, the log-likelihood of the categories alone less half a logarithm of the
number of rows for each parameter [schwarz1978]: it counts classes that overlap, too. A number has the mean of the
probabilities exp(l / T) by the two. T = 20 and equal parts were chosen over 137 drawn tables of both kinds, of classes
and of Gaussian clusters cut into categories, by the probability of the number that they were drawn with.

Columns that depend on each other within a class would make several classes of it. So both criteria see as many rows
as would say as much were the columns independent there (`Categories.independent`). How many that is is judged by the
number of classes that AIC, the log-likelihood less one for each parameter, likes best, so that what more classes would
explain is not called dependence.

[lazarsfeld1968] P. F. Lazarsfeld, N. W. Henry, Latent Structure Analysis, 1968.
[schwarz1978] G. Schwarz, Estimating the dimension of a model, Annals of Statistics 6, 1978.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp, softmax
from sklearn.cluster import KMeans

from partita.arrays import Array, Labels
from partita.ensemble.base import Clustering, Member, hard
from partita.ensemble.categories import PRIOR, Categories
from partita.ensemble.consensus import EACH, ITEMS, Consensus, sizes_up_to
from partita.ensemble.weights import agreement
from partita.errors import InputError
from partita.kernels.threads import limit_threads
from partita.runs import outcomes_of
from partita.scope import tell

__all__ = ["LatentClasses", "classes_of", "reproduced"]

# Starts of k-means, and as many at random.
STARTS = 5
# Steps after which starts are compared, those of the best one, and the gain of a row that ends them.
LOOK, MAX_ITER, TOLERANCE = 20, 500, 1e-8
# Of the probabilities of numbers of classes: no table is quite of classes.
TEMPERATURE = 20.0
# Numbers in a row below the best, after which more classes are not tried; those on either side of the best that are
# filled in, and how often the best may move then.
PATIENCE, AROUND, ROUNDS = 3, 2, 3


class _Model(NamedTuple):
    """Logarithms of the shares of K classes and of their probabilities of categories (K x e), and the likelihood."""

    shares: Array
    categories: Array
    log_likelihood: float

    def responsibilities(self, cells: Array) -> Array:
        joint = cells @ self.categories.T + self.shares
        return np.asarray(np.exp(joint - logsumexp(joint, axis=1, keepdims=True)))


@dataclass(frozen=True)
class LatentClasses(Member, named=False):
    """Latent class model of K classes; soft.

    It sees rows of categories, with their number of copies where `fitted` is told, and is no method to be named: an
    ensemble takes it where a table is one of categories. The objective and its sources [lazarsfeld1968] are in
    `partita.ensemble.latent_classes`.

    Of five starts of k-means and as many at random the likeliest after 20 steps goes on to the end.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = 1.0 * (rng.random((200, 6)) < 0.1 + 0.8 * np.repeat([[0], [1]], 100, axis=0))
    >>> labels = LatentClasses().cluster(X, 2, rng).labels
    >>> int(min((labels[:100] == k).sum() + (labels[100:] != k).sum() for k in (0, 1)))
    1
    """

    name = "latent classes"
    idea = "latent class model"

    def cluster(self, X: Array, n_clusters: int, rng: np.random.Generator) -> Clustering:
        """Return the classes of the rows.

        Raises
        ------
        InputError
            For columns that are not of categories.
        """
        table = Categories.of(X)
        if table is None:
            raise InputError(
                "latent classes are of columns of categories: each as zeros and ones, one for each category"
            )
        model = self.fitted(table, n_clusters, rng)
        return Clustering(model.responsibilities(table.cells))

    def fitted(self, table: Categories, n_clusters: int, rng: np.random.Generator) -> _Model:
        """Return the model of so many classes. Cost: n K e a step, 20 for each start and 500 at most."""
        n, seeds = len(table.cells), [int(rng.integers(2**31 - 1)) for _ in range(STARTS)]
        begun = [
            np.eye(n_clusters)[
                KMeans(n_clusters, n_init=1, random_state=seed).fit(table.scaled, None, table.counts).labels_
            ]
            for seed in seeds
        ]
        begun += [rng.dirichlet(np.full(n_clusters, 1 / n_clusters), size=n) for _ in seeds]
        if n_clusters == 1:
            begun = [np.ones((n, 1))]
        looked = [_climbed(table, R, LOOK) for R in begun]
        best = max(looked, key=lambda model: model.log_likelihood)
        return _climbed(table, best.responsibilities(table.cells), MAX_ITER)


def _climbed(table: Categories, R: Array, max_iter: int) -> _Model:
    """The model that is climbed to from responsibilities."""
    cells, w, last = table.cells, table.counts, -np.inf
    for _ in range(max_iter):
        weighted = R * w[:, None]
        sizes = weighted.sum(axis=0)
        model = _Model(
            np.log((sizes + PRIOR) / (sizes.sum() + PRIOR * len(sizes))),
            table.log_probabilities(weighted.T),
            last,
        )
        joint = cells @ model.categories.T + model.shares
        of_row = logsumexp(joint, axis=1)
        now = float(w @ of_row)
        model = model._replace(log_likelihood=now)
        R = np.exp(joint - of_row[:, None])
        if now - last <= TOLERANCE * w.sum():
            break
        last = now
    return model


def classes_of(
    table: Categories, one: LatentClasses, *, bounds: tuple[int, int | None] = (1, None), seed: int = 0
) -> Consensus | None:
    """Return the latent classes at each number of them, as the draws of a consensus.

    The draw of a number, and one cluster, weigh as much as the number is probable; see the top of this file. None where
    there are too few rows for two classes.

    Parameters
    ----------
    table : Categories
        Of the distinct rows.
    one : LatentClasses
    bounds : pair of int, or int and None
        The smallest and the largest number of clusters.
    seed : int

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = 1.0 * (rng.random((400, 5)) < 0.1 + 0.8 * np.repeat([[0], [1]], 200, axis=0))
    >>> rows, counts = np.unique(X, axis=0, return_counts=True)
    >>> found = classes_of(Categories.of(rows, counts), LatentClasses())
    >>> found.n_clusters, round(found.one, 2)
    (2, 0.0)
    """
    n = len(table.counts)
    # Of few distinct rows copies say how many there are: two columns that always go together have two.
    n_each = n // ITEMS if n >= 2 * ITEMS else min(n, int(table.counts.sum()) // ITEMS)
    least, most = max(bounds[0], 2), min(n_each, bounds[1] or n)
    if most < least:
        return None
    tried: dict[int, _Tried] = {}
    odds: dict[int, tuple[float, float]] = {}
    judged = table

    def fitted(K: int) -> _Tried:
        rng = np.random.default_rng([seed, K, zlib.crc32(one.name.encode())])
        with limit_threads(1):
            return _Tried.of(table, one.fitted(table, K, rng))

    def add(numbers: Sequence[int]) -> None:
        said = f"choosing the number of clusters: trying up to {max(numbers)} latent classes"
        new = outcomes_of(fitted, numbers, n, told=lambda n_done: tell(said, n_done, len(numbers)))
        tried.update(zip(numbers, new, strict=True))
        odds.update((K, tried[K].log_odds(judged)) for K in numbers)

    def best() -> set[int]:
        return {max(odds, key=lambda K: odds[K][by]) for by in (0, 1)}

    grid = sorted({1, least, *(K for K in sizes_up_to(max(most, EACH)) if least <= K <= most)})
    add([K for K in grid if max(least, EACH) >= K])
    for K in [K for K in grid if max(least, EACH) < K]:
        if not best() & {*sorted(tried)[-PATIENCE:]}:
            break
        add([K])
    judged = table.independent(max(tried.values(), key=lambda own: own.aic(table)).membership)
    odds = {K: own.log_odds(judged) for K, own in tried.items()}
    for _ in range(ROUNDS):
        around = {K + step for K in best() for step in range(-AROUND, AROUND + 1)}
        if not (near := [K for K in sorted(around - {*tried}) if least <= K <= most]):
            break
        add(near)
    numbers = [1, *([K for K in sorted(tried) if K > 1 and tried[K].labels.max() + 1 == K] or [least])]
    log_odds = np.array([odds[K] for K in numbers])
    chances = softmax(log_odds / TEMPERATURE, axis=0).mean(axis=1)
    weights = chances[1:] / chances[1:].sum()
    several, likeliest = [tried[K] for K in numbers[1:]], int(weights.argmax())
    draws = np.array([own.labels for own in several])
    return Consensus(
        draws,
        weights,
        (one,) * len(several),
        np.array(numbers[1:]),
        np.array([reproduced(own.membership, table.counts) for own in several]),
        draws[likeliest],
        float(agreement(list(draws))[likeliest] @ weights),
        float(log_odds[1:, 0].max()),
        0.0,
        power=1.0,
        one=float(chances[0]),
        soft=dict(zip(numbers[1:], (own.membership for own in several), strict=True)),
    )


class _Tried(NamedTuple):
    """Classes of one number: memberships, labels without empty classes, and the log-likelihood of so many rows."""

    membership: Array
    labels: Labels
    log_likelihood: float
    n_rows: float

    @classmethod
    def of(cls, table: Categories, model: _Model) -> _Tried:
        Q = model.responsibilities(table.cells)
        labels = np.unique(hard(Q), return_inverse=True)[1].astype(np.int64)
        return cls(Q, labels, model.log_likelihood, float(table.counts.sum()))

    def n_parameters(self, table: Categories) -> int:
        return len(self.membership[0]) * (1 + table.n_free) - 1

    def aic(self, table: Categories) -> float:
        return self.log_likelihood - self.n_parameters(table)

    def log_odds(self, table: Categories) -> tuple[float, float]:
        """The two criteria, where the rows are as many as those of this table."""
        n = float(table.counts.sum())
        bic = self.log_likelihood * n / self.n_rows - self.n_parameters(table) / 2 * float(np.log(n))
        return table.evidence(self.labels), bic


def reproduced(Q: Array, counts: Array) -> float:
    """Return how far labels drawn by a membership agree with its most probable ones: the adjusted Rand index of the
    expected table of the two.

    >>> reproduced(np.eye(2)[[0, 0, 1, 1]], np.ones(4)), round(reproduced(np.full((4, 2), 0.5), np.ones(4)), 9)
    (1.0, 0.0)
    """
    table = (np.eye(Q.shape[1])[hard(Q)] * counts[:, None]).T @ Q / counts.sum()
    both, one, other = ((each**2).sum() for each in (table, table.sum(axis=0), table.sum(axis=1)))
    chance = one * other
    return float((both - chance) / max((one + other) / 2 - chance, np.finfo(float).tiny))
