"""What a fitted factorization says of items that it has not seen: their memberships, and how well these foretell.

Items that come as a Dask array or dataframe are taken block by block, where the blocks are. The fitted model goes to
the workers once; nothing is computed until the caller asks for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from partita.arrays import Array
from partita.calibration import Calibrator
from partita.errors import InputError
from partita.estimators.fitted_attributes import FittedAttributes
from partita.estimators.mixed_table import MixedTable
from partita.estimators.objects import evidence_of, is_graph, links_to
from partita.metrics import adjusted_rand_index

__all__ = ["NewItems"]

# Share of the row that was filled with means in the membership of a row with missing cells.
FILLED = 0.2
# Ways of completing such a row, fewest and most, and what they are with the fitted rows at most: the same for all rows
# that are predicted, whatever others come with them.
WAYS, COMPLETED = (5, 20), 100_000
# Fitted items among which the nearest of such a row are looked for, a sample of more.
VOTERS = 5_000


class NewItems(TransformerMixin, FittedAttributes):
    """Memberships and labels of new items."""

    def predict_proba(self, X: Any) -> Any:
        """Return the membership of new items.

        Each row solves one small problem: its membership y minimises sum_j (p_j - y^T diag(scale) w_j)^2 over the
        simplex, with p its (normalised, diffused) affinity to the fitted items and w_j their memberships, which stay
        as they are. On the training items the answer may differ from `membership_`: there every item also moved the
        others. An ensemble knows a fitted row again, also if it was rounded, and clusters it as it did; the clusters of
        another row are those of the five fitted rows nearest to it, so how well new rows are placed shows on rows that
        were left out of the fit only. Calibrated memberships of new items come from the same density and temperature as
        those of the fitted.
        The membership of a row with missing cells is a mean over what these may hold: the cells of up to 20 of the rows
        most like it that have them.

        Parameters
        ----------
        X : M x d features, or M x N rows of affinities or distances to the fitted items
            With missing="unobserved" an affinity may be NaN, a pair that the row's problem leaves out, as it does those
            that a sparse X does not store under `Precomputed(unstored="unobserved")`. A row that knows nothing is
            uniform. Features may be a Dask array or dataframe: the answer is one too, computed block by block when
            it is asked for. In the place of affinities a graph of networkx: of its nodes, in its order, the links to
            the fitted nodes, which are known by their names (by places where the fit was to a matrix without names).

        Returns
        -------
        M x K array, rows on the simplex

        Raises
        ------
        InputError
            For sparse features, since scikit-learn takes whatever has probabilities of them for a classifier of known
            classes: `transform` takes them, and returns the same numbers.
        """
        check_is_fitted(self)
        if sp.issparse(X) and not self._knows_pairs:
            raise InputError("X holds sparse features: transform(X) returns their memberships, or pass X.toarray()")
        return self._memberships(X)

    def _memberships(self, X: Any) -> Any:
        """Memberships of new items, however they come."""
        check_is_fitted(self)
        items = self.items_
        if is_graph(X) and self._builder_.pairwise and not self._builder_.of_distances and items is not None:
            X = links_to(items, X, self.symmetrize)
        else:
            X = evidence_of(X, self.affinity, self.symmetrize).X
        if _comes_in_blocks(X):
            return _predict_in_blocks(self, X, type(self).predict_proba, self.n_clusters_)
        W = self._of_complete(self._checked(X, self._builder_, reset=False))
        return self._over_fillings(self._mixed_table(X), W) if hasattr(self, "encoding_") else W

    def _beyond(self, X: Any) -> NDArray[np.bool_]:
        """Return which rows lie far outside the fitted items in some column; coordinates of points are no columns."""
        if hasattr(self, "_coordinates"):
            return np.zeros(len(X), dtype=bool)
        X, scaling = self._checked(X, self._builder_, reset=False), self._extension.scaling
        return self._extension.evidence.beyond(X if scaling is None else scaling(X))

    def _over_fillings(self, table: MixedTable, W: Array) -> Array:
        """Memberships with those of rows with missing cells averaged over what the cells may hold.

        The row that was filled with means, whose membership is in W, has the share `FILLED`: it is what the clusters
        were found with, and of fewer donors the mean is less uncertain than each.
        """
        W = W.copy()
        calibrator: Calibrator | None = getattr(self, "_calibrator", None)
        by_density, extension = calibrator is not None and calibrator.density is not None, self._extension
        if extension.folded:
            extension = replace(extension, evidence=extension.evidence.thinned(VOTERS))
        n_ways = int(np.clip(COMPLETED // len(self.labels_), *WAYS))
        for rows, ways in self.encoding_.fillings(table, n_ways):
            n, b, d = ways.shape
            if by_density:
                found = self._of_complete(ways.reshape(n * b, d)).reshape(n, b, -1).mean(axis=0)
            else:
                found = extension.expected(ways)
                found = found if calibrator is None else calibrator(None, found)
            W[rows] = FILLED * W[rows] + (1.0 - FILLED) * found
        return W

    def _of_complete(self, X: Any) -> Array:
        """Memberships of checked input without missing cells."""
        calibrator: Calibrator | None = getattr(self, "_calibrator", None)
        if calibrator is None:
            return self._extension.membership(X)
        if calibrator.density is None:
            return calibrator(None, self._extension.membership(X))
        scaling = self._extension.scaling
        return calibrator(X if scaling is None else scaling(X), None)

    def predict(self, X: Any) -> Any:
        """Return the most probable cluster of new items; on the training items it may differ from `labels_`."""
        if _comes_in_blocks(X):
            return _predict_in_blocks(self, X, type(self).predict, None)
        return np.asarray(self._memberships(X).argmax(axis=1), dtype=np.int64)

    def transform(self, X: Any) -> Any:
        """Return the membership of new items, as `predict_proba` gives it; `set_output` says in which container.

        `fit_transform` is `fit` and then this: a function of the rows, which on the training items may differ from
        `membership_`.

        Parameters
        ----------
        X : as in `predict_proba`, or sparse features

        Returns
        -------
        M x K array, or a frame of pandas or polars with the columns p_0 to p_{K-1}
        """
        return self._memberships(X)

    def score(self, X: Any, y: Any = None) -> float:
        """Return how well these items' clusters can be foretold: prediction strength, corrected for chance.

        The adjusted Rand index of the labels that `predict` gives X and those that a copy of this estimator finds in X
        alone. Cross-validation over it (GridSearchCV without `scoring`) prefers settings whose clusters are found
        again in items that were held out, whatever affinity and number of clusters they have. It says how stable
        clusters are, not that they are the ones looked for: fewer clusters are often more stable.

        Parameters
        ----------
        X : M x d features, array or frame
            Items that were held out.
        y : ignored
            Against known classes pass scoring="adjusted_rand_score".

        Returns
        -------
        float in [-0.5, 1]
            0 where either has one cluster only, which foretells nothing.

        Raises
        ------
        InputError
            For affinities and distances: the rows say nothing of the held-out items among themselves.

        Notes
        -----
        Costs one fit to X. Prediction strength is that of [tibshirani2005], with the adjusted Rand index in the place
        of the smallest share of pairs of a cluster.

        References
        ----------
        [tibshirani2005] Tibshirani, Walther: Cluster validation by prediction strength. Journal of Computational and
        Graphical Statistics 14, 2005.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.model_selection import GridSearchCV
        >>> from partita import SoftClustering
        >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.tile([[0, 0], [9, 9], [0, 9]], (30, 1))
        >>> search = GridSearchCV(SoftClustering(affinity="neighbors", random_state=0), {"n_clusters": [2, 3, 4]}, cv=3)
        >>> search.fit(X).best_params_
        {'n_clusters': 3}
        """
        check_is_fitted(self)
        if self._knows_pairs:
            raise InputError(
                "score: affinities or distances to the fitted items do not say which of the new items belong together; "
                "compare settings by verdict_, or with known classes by scoring='adjusted_rand_score'"
            )
        carried, found = self.predict(X), clone(self).fit(X).labels_
        if min(len(np.unique(carried)), len(np.unique(found))) == 1:
            return 0.0
        return adjusted_rand_index(carried, found)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns of `transform`: those of `memberships.csv`, p_0 to p_{K-1}."""
        check_is_fitted(self)
        return np.array([f"p_{k}" for k in range(self.n_clusters_)], dtype=object)


def _comes_in_blocks(X: Any) -> bool:
    """Whether X is a collection of Dask.

    >>> _comes_in_blocks(np.ones((2, 2)))
    False
    """
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr")


def _predict_in_blocks(model: Any, X: Any, predict: Callable[[Any, Any], Any], n_clusters: int | None) -> Any:
    """`predict(model, block)` for every block of rows, lazily.

    Parameters
    ----------
    model : fitted estimator
    X : dask.array.Array (M x d) or dask.dataframe.DataFrame
    predict : callable
        Given the model and a NumPy block or a pandas partition.
    n_clusters : int or None
        Columns of the answer; None for one label each.

    Returns
    -------
    A Dask array for an array. For a dataframe a dataframe with the columns p_0 to p_{K-1}, or a series `label`; its
    index is that of X.
    """
    from dask.delayed import delayed

    there = delayed(model, pure=False, traverse=False)
    if hasattr(X, "to_dask_array"):
        return _of_dataframe(there, X, predict, n_clusters)
    if X.ndim != 2:
        raise InputError(f"X has {X.ndim} dimensions, expected rows of items by columns of features")
    rows = X.rechunk({1: -1})
    if n_clusters is None:
        return rows.map_blocks(_block, there, predict, dtype=np.int64, drop_axis=1, meta=np.empty(0, np.int64))
    width = (n_clusters,)
    return rows.map_blocks(
        _block, there, predict, dtype=np.float64, chunks=(rows.chunks[0], width), meta=np.empty((0, 0))
    )


def _block(X: Any, model: Any, predict: Callable[[Any, Any], Any]) -> Any:
    return predict(model, X)


def _of_dataframe(there: Any, X: Any, predict: Callable[[Any, Any], Any], n_clusters: int | None) -> Any:
    import pandas as pd

    def partition(part: pd.DataFrame, model: Any) -> Any:
        found = predict(model, part) if len(part) else np.empty((0,) if n_clusters is None else (0, n_clusters))
        if n_clusters is None:
            return pd.Series(found.astype(np.int64), index=part.index, name="label")
        return pd.DataFrame(found, index=part.index, columns=names)

    names = [] if n_clusters is None else [f"p_{k}" for k in range(n_clusters)]
    meta = (
        pd.Series(dtype=np.int64, name="label") if n_clusters is None else pd.DataFrame({n: [0.5] for n in names})[:0]
    )
    return X.map_partitions(partition, there, meta=meta)
