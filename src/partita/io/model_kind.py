"""What a kind of model offers to saving and loading: its state as JSON and arrays, and an estimator of that again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from numpy.typing import NDArray

__all__ = ["Arrays", "Config", "ModelKind"]

Arrays = dict[str, NDArray[Any]]
Config = dict[str, Any]


class ModelKind(NamedTuple):
    """How the estimators of one kind are written and read.

    Attributes
    ----------
    state : callable
        From a fitted estimator what `model.json` and the arrays hold; NotFittedError before `fit`, and InputError for a
        parameter that cannot be kept.
    restored : callable
        From the class and what `state` gave the estimator, fitted. ModelError for what cannot be of one fit; KeyError,
        TypeError and the like are told as a model that is incomplete.

    Examples
    --------
    >>> kind = ModelKind(lambda model: (dict(model), {}), lambda cls, config, arrays: cls(config))
    >>> kind.restored(dict, *kind.state({"n_clusters_": 3}))
    {'n_clusters_': 3}
    """

    state: Callable[[Any], tuple[Config, Arrays]]
    restored: Callable[[Any, Config, Arrays], Any]
