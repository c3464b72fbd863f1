"""Single cells: from an AnnData's neighbour graph or features to memberships in the same AnnData.

The names follow scanpy's: what is read is what `scanpy.pp.neighbors` and `scanpy.pp.pca` leave, what is written goes by
`key_added`. A graph stays sparse from end to end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.bridges.frames import membership_columns
from partita.errors import InputError, require
from partita.estimators import SoftClustering
from partita.estimators.objects import PAIRS, features_of_cells, pairs_of_cells
from partita.io.installed import versions

__all__ = ["cluster_cells"]


def cluster_cells(
    adata: Any,
    n_clusters: Any = "auto",
    *,
    use: str = "connectivities",
    key: str | None = None,
    key_added: str = "partita",
    copy: bool = False,
    estimator: type[Any] = SoftClustering,
    **settings: Any,
) -> Any:
    """Cluster the cells of an AnnData and write memberships, clusters and entropies into it.

    Parameters
    ----------
    adata : anndata.AnnData, N cells
    n_clusters : int, "auto", a pair of bounds, or the name of a criterion
    use : {"connectivities", "distances", "X"} or the name of an array in `.obsm`, such as "X_pca"
        "connectivities": the graph in `.obsp`, as the affinity. "distances": those of the neighbours in `.obsp`; a pair
        that is not stored is no neighbour. The others: features, N x d.
    key : str, optional
        Name in `.obsp` where it is not that of `use`; with `neighbors_key="knn"` scanpy writes "knn_connectivities".
    key_added : str
        `.obs[key_added]`, the same with "_entropy", "_certainty" and "_outlier", `.obsm["X_" + key_added]` and
        `.uns[key_added]` are written, and replaced where they are there.
    copy : bool
        Hand back a copy with the answer, and leave `adata` as it is.
    estimator : class
        One of the factorizations: `SoftClustering`, `SoF`, `SCAMS`, `SymNMF`, `BaumEagon`, ...
    **settings
        Settings of the estimator: `random_state=0`, `sizes="equal"`, `symmetrize="mean"`, `max_seconds=60`.

    Returns
    -------
    AnnData with `copy=True`, else None
        `.obs[key_added]` is a categorical of "0".."K-1", `.obs[key_added + "_entropy"]` is in nats, those that end in
        "_certainty" and "_outlier" are probabilities (`certainty_`, `outlier_`), `.obsm["X_" + key_added]` is N x K
        with rows on the simplex, `.uns[key_added]` has `params`, `objective`, `misfit`, `status`, `n_clusters`,
        `versions`, with n_clusters="auto" `verdict` (`sure`, `probabilities` of 1, 2, ... clusters, `criteria` and the
        number that each `named`, 0 for none) and, where there are any, `notes`; all of it goes into h5ad.

    Raises
    ------
    InputError
        Where `use` is not there, is not square, is asymmetric (say `symmetrize=`), or holds sparse features too large
        to be made dense.
    MissingExtraError
        Without anndata.

    Notes
    -----
    Costs what the estimator costs. `.obsp["connectivities"]` has zeros on its diagonal and is used as it is.

    Examples
    --------
    >>> import anndata
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(size=(30, 5)), 9 + rng.normal(size=(30, 5))])
    >>> adata = anndata.AnnData(obsm={"X_pca": X}, shape=(60, 0))
    >>> cluster_cells(adata, 2, use="X_pca", random_state=0)
    >>> adata.obs["partita"].value_counts().tolist(), adata.obsm["X_partita"].shape
    ([30, 30], (60, 2))
    """
    anndata = require("anndata", extra="anndata", purpose="clustering cells")
    if not isinstance(adata, anndata.AnnData):
        raise InputError(f"expected an AnnData, not {type(adata).__name__}; SoftClustering takes arrays and frames")
    if adata.n_obs == 0:
        raise InputError("the AnnData has no cells")
    if use in PAIRS:
        where, evidence = pairs_of_cells(adata, use if key is None else key)
        chooses = use == "connectivities" and issubclass(estimator, SoftClustering)  # what is made of a graph
        settings = settings if chooses else {"affinity": PAIRS[use], **settings}
    elif key is not None:
        raise InputError(f"key={key!r} names a matrix in .obsp, and use={use!r} is none: leave key out")
    else:
        where, evidence = features_of_cells(adata, use)
    model = estimator(n_clusters, **settings)
    try:
        model.fit(evidence)
    except InputError as error:
        raise InputError(f"{where}: {error}") from error
    if copy:
        adata = adata.copy()
    columns = membership_columns(model)
    K = int(model.n_clusters_)
    pandas = require("pandas", extra="anndata", purpose="clustering cells")
    codes = pandas.Categorical.from_codes(columns["label"], categories=[str(k) for k in range(K)])
    adata.obs[key_added] = codes.remove_unused_categories()
    adata.obs[f"{key_added}_entropy"] = columns["entropy"]
    adata.obs[f"{key_added}_certainty"], adata.obs[f"{key_added}_outlier"] = model.certainty_, model.outlier_
    adata.obsm[f"X_{key_added}"] = np.array(model.membership_)
    adata.uns[key_added] = _said(model, {"use": use} if key is None else {"use": use, "key": key})
    return adata if copy else None


def _said(model: Any, read: dict[str, str]) -> dict[str, Any]:
    """Record of the fit for `.uns`: words, numbers and arrays of words only, as h5ad can hold."""
    result = model.result_
    params = {name: _plain(value) for name, value in model.get_params(deep=False).items() if value is not None}
    said: dict[str, Any] = {
        "params": {"estimator": type(model).__name__, **read, **params},
        "objective": float(model.objective_),
        "misfit": float(result.misfit),
        "status": str(result.status),
        "n_clusters": int(model.n_clusters_),
        "versions": versions(),
    }
    verdict = getattr(model, "verdict_", None)
    if verdict is not None:
        rows = verdict.rows()
        said["verdict"] = {
            "sure": float(verdict.sure),
            "probabilities": np.asarray(verdict.probabilities),
            "criteria": np.array([row["criterion"] for row in rows], dtype=np.str_),
            "named": np.array([row["n_clusters"] or 0 for row in rows]),
        }
    if result.notes:
        said["notes"] = np.array(result.notes, dtype=np.str_)
    return said


def _plain(value: object) -> Any:
    """A number or word as it is, anything else as it prints."""
    if isinstance(value, (bool, int, float, str)):
        return value
    return value.item() if isinstance(value, np.generic) else repr(value)
