"""Interface by which a kind of model is saved and loaded: its state as JSON and arrays, and an estimator made of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from numpy.typing import NDArray

__all__ = ["Arrays", "Config", "ModelKind"]

Arrays = dict[str, NDArray[Any]]
Config = dict[str, Any]


class ModelKind(NamedTuple):
    """Functions that write and read the estimators of one kind.

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
