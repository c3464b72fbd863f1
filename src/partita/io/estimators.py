"""A fitted estimator as a folder of numbers and JSON, and back. No pickle: loading runs no code from the folder.

Each kind of estimator has a record (`partita.io.codec`) that declares what is kept of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from partita import estimators
from partita.errors import InputError, ModelError
from partita.estimators.base import FactorizationEstimator
from partita.io.codec import decode, encode
from partita.io.factorization_models import SavedFactorization
from partita.io.mixture_models import SavedMixture
from partita.io.models import read_model, write_model
from partita.io.output import output_folder
from partita.io.partition_models import SavedPartition

__all__ = ["KINDS", "load", "save", "save_model"]

# The records by the name of the estimator's class: no other name in a file is looked up.
KINDS: dict[str, Any] = {
    **{
        name: SavedFactorization
        for name in estimators.__all__
        if issubclass(getattr(estimators, name), FactorizationEstimator)
    },
    "BayesianPartition": SavedPartition,
    "DPGaussianMixture": SavedMixture,
}


def save(estimator: Any, path: str | Path) -> None:
    """Save a fitted estimator to a new folder: `model.json` and `arrays.safetensors`.

    Of a factorization what scores new items is kept, with memberships, labels and parameters; not kept are `result_`
    (traces and restarts) and `affinity_`. Of a `BayesianPartition` and a `DPGaussianMixture` everything is kept: draws,
    traces, every run, and what their densities need; a membership of a partition where it has been asked for, and it is
    made again where it has not. A density under a conjugate prior needs the items, so they are in the folder.

    Parameters
    ----------
    estimator : any of Partita's estimators, fitted
        SoF, SoftClustering, SCAMS, BaumEagon, SymNMF, CopositiveFactorization, KernelKMeans, SpectralRelaxation,
        BayesianPartition or DPGaussianMixture.
    path : str or Path
        A folder that does not exist yet.

    Raises
    ------
    InputError
        Where the folder exists, the estimator is not one of ours, or a parameter is a function or an object of a class
        that Partita does not know, which a folder of numbers and JSON cannot hold.
    NotFittedError
        Before `fit`.
    MemoryLimitError
        Where the copies that writing makes of the arrays would not fit.

    Notes
    -----
    A `random_state` that is a generator is kept as None, since its state is no part of a model. Partitions given as
    starts are kept as whole numbers; other starts of factorizations as the word "given".

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> model = estimators.SoftClustering(n_clusters=3).fit(X)
    >>> with tempfile.TemporaryDirectory() as home:
    ...     save(model, f"{home}/iris")
    ...     bool((load(f"{home}/iris").predict(X) == model.predict(X)).all())
    True
    >>> found = estimators.BayesianPartition(random_state=0).fit([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]])
    >>> with tempfile.TemporaryDirectory() as home:
    ...     save(found, f"{home}/partition")
    ...     load(f"{home}/partition").credible_ball(level=0.6).radius
    0.0
    """
    _record_of(estimator)
    if Path(path).exists():
        raise InputError(f"{path} already exists; pass the name of a new folder")
    with output_folder(path) as folder:
        save_model(estimator, folder)


def save_model(estimator: Any, folder: Path, *, columns: Sequence[str] | None = None) -> None:
    """Write the model's files into an existing folder, with the names of the columns that it was fitted on."""
    config, arrays = encode(_record_of(estimator).of(estimator))
    if columns is not None:
        config["columns"] = list(columns)
    write_model(folder, config={"estimator": type(estimator).__name__, **config}, arrays=arrays)


def load(path: str | Path) -> Any:
    """Load an estimator that `save` or `partita fit` wrote.

    Parameters
    ----------
    path : str or Path
        The model folder, or an output folder of `partita fit`.

    Returns
    -------
    The estimator, fitted: of a factorization `predict`, `predict_proba`, `membership_`, `labels_` ...; of the others
    every attribute and method.

    Raises
    ------
    ModelError
        Where the folder is missing, corrupt or not one of ours.
    MemoryLimitError
        Where its arrays would not fit.

    Notes
    -----
    No code of the folder is run, and names in it are looked up among Partita's own and never imported. What it holds
    is held against its own description, types and shapes (`partita.io.tensors`, `codec`), so a file
    that was damaged or made up is refused; whether its numbers are those of an honest fit nobody can tell.
    """
    config, arrays = read_model(path)
    try:
        name = config["estimator"]
        if name not in KINDS:
            raise ModelError(
                f"unknown estimator {name!r}; this version knows {', '.join(KINDS)}: upgrade Partita, or fit it again"
            )
        return decode(KINDS[name], config, arrays).made(getattr(estimators, name))
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error
    except (KeyError, TypeError, AttributeError, ValueError, IndexError, OverflowError) as error:
        raise ModelError(
            f"{path}: the model is incomplete or was changed ({type(error).__name__}: {error}), or has parts that are "
            "not Partita's own: import what defines these, or fit it again"
        ) from error


def _record_of(estimator: Any) -> Any:
    """The record of an estimator's class; of a subclass nobody could tell what else it keeps."""
    name = type(estimator).__name__
    if name not in KINDS or type(estimator) is not getattr(estimators, name):
        raise InputError(f"{name} cannot be saved: expected one of {', '.join(KINDS)}; pickle it")
    return KINDS[name]
