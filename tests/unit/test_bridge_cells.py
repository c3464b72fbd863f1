"""AnnData: what scanpy leaves in, memberships out, files that hold them, and nothing made dense."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from partita import SCAMS, SoF, SoftClustering
from partita.affinity import NeighborGraph
from partita.bridges import cluster_cells
from partita.errors import InputError
from synthetic import gaussians

ad = pytest.importorskip("anndata")
pd = pytest.importorskip("pandas")


def cells(n=60, float32=True):
    """With the neighbour graph and distances that scanpy would leave, made by scikit-learn."""
    from sklearn.neighbors import kneighbors_graph

    rng = np.random.default_rng(0)
    X = gaussians(np.arange(n) % 3, 9 * np.arange(3)[:, None] * np.r_[1, -1, 0.5, 0, 0], rng)
    D = sp.csr_array(kneighbors_graph(X, 8, mode="distance"))
    P = D.copy()
    P.data = np.exp(-P.data / 4)
    P = sp.csr_matrix(P.maximum(P.T).astype(np.float32 if float32 else np.float64))
    adata = ad.AnnData(
        X=rng.poisson(2, (n, 20)).astype(np.float32),
        obs=pd.DataFrame({"batch": ["x"] * n}, index=[f"cell{i}" for i in range(n)]),
        obsm={"X_pca": X},
        obsp={"connectivities": P, "distances": sp.csr_matrix(D)},
    )
    return adata, np.arange(n) % 3


def test_connectivities_are_the_affinity_and_the_answer_is_written():
    adata, truth = cells()
    P, X = adata.obsp["connectivities"].copy(), adata.X.copy()
    assert cluster_cells(adata, 3, random_state=0) is None
    model = SoftClustering(3, random_state=0).fit(P)
    np.testing.assert_array_equal(adata.obsm["X_partita"], model.membership_)
    assert adata.obs["partita"].astype(int).tolist() == model.labels_.tolist()
    assert adata.obs["partita"].cat.categories.tolist() == ["0", "1", "2"]
    np.testing.assert_array_equal(adata.obs["partita_entropy"], model.entropy_)
    assert pd.crosstab(adata.obs["partita"].to_numpy(), truth).gt(0).to_numpy().sum() == 3
    said = adata.uns["partita"]
    assert said["objective"] == model.objective_
    assert said["misfit"] == model.result_.misfit
    assert said["status"] == "converged"
    assert said["n_clusters"] == 3
    assert said["params"]["use"] == "connectivities"
    assert said["params"]["estimator"] == "SoftClustering"
    assert said["params"]["random_state"] == 0
    assert {"partita", "numpy", "python"} <= set(said["versions"])
    np.testing.assert_array_equal(adata.X, X)  # what was there is left as it is
    assert (adata.obsp["connectivities"] != P).nnz == 0


@pytest.mark.parametrize("use", ["distances", "X_pca", "X"])
def test_other_evidence_is_that_of_the_estimator(use):
    adata, _ = cells()
    given = {"distances": adata.obsp["distances"], "X_pca": adata.obsm["X_pca"], "X": adata.X}[use]
    settings = {"affinity": "precomputed_distance"} if use == "distances" else {}
    expected = SoftClustering(3, random_state=0, **settings).fit(given)
    cluster_cells(adata, 3, use=use, random_state=0)
    np.testing.assert_array_equal(adata.obsm["X_partita"], expected.membership_)


def test_settings_go_to_the_estimator_and_it_may_be_another():
    adata, _ = cells()
    cluster_cells(adata, 3, use="X_pca", estimator=SoF, affinity=NeighborGraph(n_neighbors=6), n_init=1, random_state=0)
    expected = SoF(3, affinity=NeighborGraph(n_neighbors=6), n_init=1, random_state=0).fit(adata.obsm["X_pca"])
    np.testing.assert_array_equal(adata.obsm["X_partita"], expected.membership_)
    assert "NeighborGraph" in adata.uns["partita"]["params"]["affinity"]
    with pytest.raises(TypeError, match="nonsense"):
        cluster_cells(adata, 3, nonsense=1)


def test_auto_finds_the_number_and_the_names_follow_key_added():
    adata, _ = cells()
    cluster_cells(adata, "auto", estimator=SCAMS, key_added="scams", random_state=0)
    assert {"scams", "scams_entropy", "scams_certainty", "scams_outlier"} <= set(adata.obs)
    assert "X_scams" in adata.obsm
    assert "partita" not in adata.obs
    K = adata.uns["scams"]["n_clusters"]
    assert adata.obsm["X_scams"].shape == (60, K)
    assert adata.obs["scams"].nunique() >= 3
    assert adata.obs["scams"].cat.categories.tolist() == sorted(set(adata.obs["scams"]), key=int)


def test_the_verdict_and_the_doubt_of_each_cell_are_kept_and_go_into_a_file(tmp_path):
    adata, _ = cells()
    cluster_cells(adata, use="X_pca", random_state=0)
    model = SoftClustering(random_state=0).fit(adata.obsm["X_pca"])
    np.testing.assert_array_equal(adata.obs["partita_certainty"], model.certainty_)
    np.testing.assert_array_equal(adata.obs["partita_outlier"], model.outlier_)
    adata.write_h5ad(tmp_path / "cells.h5ad")
    said = ad.read_h5ad(tmp_path / "cells.h5ad").uns["partita"]["verdict"]
    assert said["sure"] == model.verdict_.sure
    np.testing.assert_array_equal(said["probabilities"], model.verdict_.probabilities)
    assert list(said["criteria"]) == [judgement.criterion for judgement in model.verdict_.judgements]
    cluster_cells(adata, 3, use="X_pca", random_state=0)
    assert "verdict" not in adata.uns["partita"]


@pytest.mark.filterwarnings("ignore::anndata.ImplicitModificationWarning")
def test_a_copy_leaves_the_original_and_a_view_its_parent():
    adata, _ = cells()
    out = cluster_cells(adata, 3, copy=True, random_state=0)
    assert "partita" not in adata.obs
    assert "partita" in out.obs
    view = adata[np.arange(60) % 3 < 2]
    cluster_cells(view, 2, use="X_pca", random_state=0)
    assert "partita" in view.obs
    assert view.n_obs == 40
    assert "partita" not in adata.obs


def test_h5ad_holds_all_of_it(tmp_path):
    adata, _ = cells()
    cluster_cells(adata, 3, random_state=0, max_seconds=60.0, affinity="precomputed")
    cluster_cells(adata, 3, use="X_pca", key_added="other", max_iter=2, tol=0.0, random_state=0)
    assert adata.uns["other"]["status"] == "max_iter"
    adata.write_h5ad(tmp_path / "cells.h5ad")
    back = ad.read_h5ad(tmp_path / "cells.h5ad")
    for key in ("partita", "other"):
        np.testing.assert_array_equal(back.obsm[f"X_{key}"], adata.obsm[f"X_{key}"])
        assert back.obs[key].tolist() == adata.obs[key].tolist()
        assert back.obs[key].dtype == adata.obs[key].dtype
        said, was = back.uns[key], adata.uns[key]
        assert set(said) == set(was)
        assert {name: str(value) for name, value in said["params"].items()} == {
            name: str(value) for name, value in was["params"].items()
        }
        assert (said["objective"], said["misfit"], said["status"]) == (was["objective"], was["misfit"], was["status"])
        assert dict(said["versions"]) == was["versions"]
        assert list(said.get("notes", ())) == list(was.get("notes", ()))


def test_names_of_matrices_that_scanpy_gives_under_a_key():
    adata, _ = cells()
    adata.obsp["knn_connectivities"] = adata.obsp["connectivities"]
    del adata.obsp["connectivities"]
    with pytest.raises(InputError, match=r"'connectivities' .*'knn_connec"):
        cluster_cells(adata, 3)
    cluster_cells(adata, 3, key="knn_connectivities", random_state=0)
    assert adata.uns["partita"]["params"]["key"] == "knn_connectivities"


def test_what_is_not_there_or_not_right_is_named():
    adata, _ = cells()
    lopsided = adata.obsp["connectivities"].tolil()
    lopsided[0, 1], lopsided[1, 0] = 0.5, 0.2
    adata.obsp["lopsided"] = lopsided.tocsr()
    sparse = ad.AnnData(X=sp.csr_matrix(adata.X))
    for message, call in {
        r"obsp\['lopsided'\].*symmetrize=": lambda: cluster_cells(adata, 3, key="lopsided"),
        "'connectivities' .*scanpy.pp.neighbors": lambda: cluster_cells(sparse, 3),
        "use='X_pca' .*scanpy.pp.pca": lambda: cluster_cells(sparse, 3, use="X_pca"),
        "use='X_pce' .*'X_pca'": lambda: cluster_cells(adata, 3, use="X_pce"),
        r"adata\.X .*\.obsm": lambda: cluster_cells(ad.AnnData(shape=(5, 0)), 3, use="X"),
        "key='k'": lambda: cluster_cells(adata, 3, use="X_pca", key="k"),
        "AnnData(?!.*ndarray)": lambda: cluster_cells(ad.AnnData(np.empty((0, 3))), 3),
        "AnnData.*ndarray": lambda: cluster_cells(np.eye(3), 3),
        "obsp.*n_clusters=61": lambda: cluster_cells(adata, 61),
    }.items():
        with pytest.raises(InputError, match=message):
            call()
    assert "partita" not in adata.obs
    cluster_cells(adata, 3, key="lopsided", symmetrize="mean", random_state=0)
    assert "partita" in adata.obs


def test_a_graph_of_many_cells_is_never_made_dense():
    n, k = 12_000, 10
    rng = np.random.default_rng(0)
    first = np.repeat(np.arange(n), k)
    second = (first + 3 * rng.integers(1, n // 300, len(first))) % n  # within one of three groups, but for the seam
    P = sp.csr_array((np.ones(len(first), dtype=np.float32), (first, second)), shape=(n, n))
    P.sum_duplicates()
    adata = ad.AnnData(obsp={"connectivities": sp.csr_matrix(P.maximum(P.T))}, shape=(n, 0))
    tracemalloc.start()
    cluster_cells(adata, 3, random_state=0, max_iter=20, start="dirichlet", n_init=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * n * n / 10  # an array of all pairs would be 1.2 GB; what is held grows with the edges
    np.testing.assert_allclose(adata.obsm["X_partita"].sum(axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize("backed", [False, True])
def test_sparse_features_are_taken_as_dense_ones_are(backed, tmp_path):
    adata, _ = cells()
    X = np.where(adata.X > 0, adata.X, 0.0)
    dense, sparse = ad.AnnData(X=X), ad.AnnData(X=sp.csr_matrix(X))
    if backed:
        sparse.write_h5ad(tmp_path / "cells.h5ad")
        sparse = ad.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    for each in (dense, sparse):
        cluster_cells(each, 3, use="X", random_state=0)
    np.testing.assert_array_equal(sparse.obsm["X_partita"], dense.obsm["X_partita"])
    model = SoF(3, random_state=0).fit(sparse)
    np.testing.assert_array_equal(model.membership_, SoF(3, random_state=0).fit(dense).membership_)
    assert model.result_.notes[0].endswith("adata.X")
    if backed:
        sparse.file.close()
