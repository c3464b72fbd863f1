"""The page of a fitted estimator, `model.report(path)`, and the card by which a notebook shows it.

Pages and cards know estimators and stand above them (`partita.report`); they are looked up by name when first asked
for, so that a fit imports nothing of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

__all__ = ["Shown"]


class Shown(BaseEstimator):
    """An estimator with a page and a card; before `fit` it is shown as scikit-learn shows it."""

    def report(self, path: str | Path, *, names: Sequence[Any] | None = None, X: Any = None) -> Path:
        """Write the page on this fit: one HTML file that opens offline, as `partita fit` writes it.

        Parameters
        ----------
        path : str or Path
            A page that Partita wrote there is replaced; nothing else is.
        names : sequence of N, optional
            Names of the items; by default those of the frame that was fitted, or else row numbers.
        X : N x d array or frame, optional
            Table to explain the clusters by, where the fit has none: evidence of pairs, draws of partitions, and a
            model that was loaded. Of draws the page shows its cells too, and takes the names of its rows.

        Returns
        -------
        Path
            Where the page is.

        Raises
        ------
        InputError
            Where something else than a page of Partita stands at `path`, nothing can be written there, or names or
            table are not of as many items as the fit.
        NotFittedError
            Before `fit`.

        Examples
        --------
        >>> import tempfile
        >>> from partita import BayesianPartition
        >>> model = BayesianPartition(random_state=0).fit([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.report(f"{folder}/four-items.html", names=["a", "b", "c", "d"]).name
        'four-items.html'
        """
        check_is_fitted(self)
        page: Path = import_module("partita.report.of_model").write_model_report(self, path, names=names, X=X)
        return page

    def _card(self) -> str | None:
        """The card of a fitted estimator as HTML."""
        try:
            check_is_fitted(self)
        except NotFittedError:
            return None
        card: str = import_module("partita.report.card").card(self)
        return card

    # scikit-learn shows an estimator by these two; `_repr_html_` is a property that returns the first.

    def _repr_html_inner(self) -> str:
        card = self._card()
        return super()._repr_html_inner() if card is None else card

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)
        card = self._card() if "text/html" in bundle else None
        return bundle if card is None else bundle | {"text/html": card}
