"""What a fit says of new items: each row a small problem against the fitted memberships, which stay as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from partita.affinity import Builder
from partita.calibration import Calibrator
from partita.estimators.extension import Extension
from partita.estimators.in_blocks import comes_in_blocks, predict_in_blocks
from partita.estimators.parameters import FactorizationParameters

__all__ = ["ScoringEstimator"]


class ScoringEstimator(TransformerMixin, FactorizationParameters):
    """An estimator that scores new items, fitted or loaded from a file."""

    n_clusters_: int
    _builder_: Builder
    _extension: Extension
    _calibrator: Calibrator | None

    def predict_proba(self, X: Any) -> Any:
        """Membership of new items.

        Each row solves one small problem: its membership y minimises sum_j (p_j - y^T diag(scale) w_j)^2 over the
        simplex, with p its (normalised, diffused) affinity to the fitted items and w_j their memberships, which stay
        as they are. On the training items the answer may differ from `membership_`: there every item also moved the
        others. Calibrated memberships of new items come from the same density and temperature as those of the fitted.

        Parameters
        ----------
        X : M x d features, or M x N rows of affinities or distances to the fitted items
            With missing="unobserved" an affinity may be NaN, a pair that the row's problem leaves out, as it does those
            that a sparse X does not store under `Precomputed(unstored="unobserved")`. A row that knows nothing is
            uniform. Features may be a Dask array or dataframe: the answer is one too, computed block by block when
            it is asked for.

        Returns
        -------
        M x K array, rows on the simplex
        """
        check_is_fitted(self)
        if comes_in_blocks(X):
            return predict_in_blocks(self, X, type(self).predict_proba, self.n_clusters_)
        X = self._checked(X, self._builder_, reset=False)
        calibrator: Calibrator | None = getattr(self, "_calibrator", None)
        if calibrator is None:
            return self._extension.membership(X)
        if calibrator.density is None:
            return calibrator(None, self._extension.membership(X))
        return calibrator(self._scaled(X), None)

    def predict(self, X: Any) -> Any:
        """Most probable cluster of new items; on the training items it may differ from `labels_`."""
        if comes_in_blocks(X):
            return predict_in_blocks(self, X, type(self).predict, None)
        return np.asarray(self.predict_proba(X).argmax(axis=1), dtype=np.int64)

    def transform(self, X: Any) -> Any:
        """Membership of new items, as `predict_proba` gives it; `set_output` says in which container.

        `fit_transform` is `fit` and then this: a function of the rows, which on the training items may differ from
        `membership_`.

        Parameters
        ----------
        X : as in `predict_proba`

        Returns
        -------
        M x K array, or a frame of pandas or polars with the columns p_0 to p_{K-1}
        """
        return self.predict_proba(X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The names of the columns of `transform`: those of `memberships.csv`, p_0 to p_{K-1}."""
        check_is_fitted(self)
        return np.array([f"p_{k}" for k in range(self.n_clusters_)], dtype=object)

    def _scaled(self, X: Any) -> Any:
        scaling = self._extension.scaling
        return X if scaling is None else scaling(X)
