"""Wide tables: the principal components that stand out from noise.

In a table of many columns and not many more rows, most of the distance between two rows is noise, in which graphs of
neighbours and statistics of them drown: clusters that few columns tell apart look like fewer clusters than they are.
The singular values of noise alone are a bulk that ends at a known place [marchenko1967]; how strong the noise is tells
their median [gavish2014]. The components beyond the bulk have what rows have in common, and are what the methods of
an ensemble see. Where many are beyond it, the bulk is not one of noise, as among the pixels of images; there,
and where none is, the columns are left as they are. Of more than 500 components the leading 500 are seen then: all of
them, as of the ten thousand words of texts, would take minutes.

References
----------
[marchenko1967] Marchenko, Pastur: Distribution of eigenvalues for some sets of random matrices. Mathematics of the
USSR-Sbornik 1, 1967.
[gavish2014] Gavish, Donoho: The optimal hard threshold for singular values is 4 / sqrt(3). IEEE Transactions on
Information Theory 60, 2014.
"""

from __future__ import annotations

import numpy as np

from partita.arrays import Array
from partita.kernels.eigen import symmetric_eigen

__all__ = ["above_noise"]

# Columns of a wide table, and rows for each of them at most.
WIDE, ROWS = 40, 4
# Components that are kept at least, and the largest share of all beyond a bulk of noise.
LEAST, MOST = 2, 0.2
# Rows by which the components are found, a random sample of more; and components that are kept at most.
SEEN, LEADING = 2_000, 500


def above_noise(X: Array) -> Array:
    """Return the items in the principal components that stand out from noise; where there are no such, in the leading
    500, or as they are if there are no more.

    Parameters
    ----------
    X : n x d array
        Changed only where there are 40 columns or more and at most four rows for each. Cost: then m d min(m, d) for
        the components of m = min(n, 2,000) rows, and n d q.

    Returns
    -------
    n x q array, two columns or more, or X

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(100, 200))
    >>> X[:50, :20] += 2.0
    >>> above_noise(X).shape, above_noise(X[:, :20]).shape
    ((100, 2), (100, 20))
    """
    n, d = X.shape
    if d < WIDE or n > ROWS * d or min(n - 1, d) * MOST < LEAST:
        return X
    rows = X if n <= SEEN else X[np.random.default_rng(0).permutation(n)[:SEEN]]
    m, centre = len(rows), rows.mean(axis=0)
    centred = rows - centre
    squares, axes = symmetric_eigen(centred @ centred.T if m <= d else centred.T @ centred)
    values, axes = np.sqrt(squares[::-1].clip(0)), axes[:, ::-1]
    n_values = min(m - 1, d)
    beyond = int((values > _end_of_bulk(values[:n_values], min(m, d) / max(m, d))).sum())
    stand_out = 0 < beyond <= MOST * n_values
    if not stand_out and n_values <= LEADING:
        return X
    q = max(beyond, LEAST) if stand_out else LEADING
    if m < n:
        directions = centred.T @ axes[:, :q] / values[:q] if m <= d else axes[:, :q]
        return np.asarray((X - centre) @ directions)
    return np.ascontiguousarray(axes[:, :q] * values[:q] if m <= d else centred @ axes[:, :q])


def _end_of_bulk(values: Array, aspect: float) -> float:
    """The largest singular value of white noise whose median is that of these, of a matrix of this aspect ratio."""
    threshold = np.sqrt(2 * (aspect + 1) + 8 * aspect / (aspect + 1 + np.sqrt(aspect**2 + 14 * aspect + 1)))
    of_median = 0.56 * aspect**3 - 0.95 * aspect**2 + 1.82 * aspect + 1.43
    return float((1 + np.sqrt(aspect)) * of_median / threshold * np.median(values))
