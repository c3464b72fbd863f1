"""Options of pairs and solvers: what is recorded, what is refused."""

import json

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from partita import load
from partita.cli.estimator_options import MODELS


@pytest.fixture
def table(tmp_path, blobs):
    np.savetxt(tmp_path / "t.csv", blobs, delimiter=",", header="a,b", comments="")
    return ("fit", "t.csv", "--k", 2, "--n-init", 1, "--quiet", "--out", "o", "--force", "--model")


def parameters(folder):
    recorded = [
        json.loads((folder / "o" / name).read_text())["parameters"] for name in ("result.json", "manifest.json")
    ]
    assert recorded[0] == recorded[1]
    return recorded[0]


def test_the_record_names_the_solver_with_its_options(call, tmp_path, table):
    assert call(*table, "sof", "--solver", "subspace:memory=3,probes=1").code == 0
    first = parameters(tmp_path)["solver"]
    assert first.startswith("subspace:memory=3,probes=1")
    result = (tmp_path / "o" / "memberships.csv").read_text()
    assert call(*table, "sof", "--solver", first).code == 0  # what is recorded can be given again
    assert (tmp_path / "o" / "memberships.csv").read_text() == result
    assert call(*table, "sof").code == 0
    assert parameters(tmp_path)["solver"].startswith("subspace:memory=")  # the default's too


def test_an_option_may_be_a_word_where_the_solver_takes_it(call, tmp_path, table):
    done = call(*table, "sof", "--solver", "baum-eagon:overrelaxation=adaptive")
    assert done.code == 0, done.err
    assert load(tmp_path / "o").solver.overrelaxation == "adaptive"
    assert call(*table, "sof", "--solver", "baum-eagon:overrelaxation=1.5").code == 0
    assert load(tmp_path / "o").solver.overrelaxation == 1.5
    wrong = call(*table, "sof", "--solver", "baum-eagon:overrelaxation=much")
    assert wrong.code == 2
    assert "overrelaxation=much" in wrong.err
    twice = call(*table, "sof", "--solver", "subspace:memory=3,memory=4")
    assert twice.code == 2
    assert "twice" in twice.err


def test_a_link_with_a_third_column_is_refused(call, tmp_path, table):
    (tmp_path / "links.csv").write_text("source,target,weight\n0,1,0\n")
    for option in ("--must-link", "--cannot-link"):
        refused = call(*table, "sof", option, "links.csv")
        assert refused.code == 2
        assert "'weight'" in refused.err


def test_pair_weights_come_from_a_list_of_pairs(call, tmp_path, table, blobs):
    (tmp_path / "w.csv").write_text("source,target,weight\n0,1,0\n2,45,30\n3,3,2\n")
    done = call(*table, "sof", "--pair-weight", "w.csv")
    assert done.code == 0, done.err
    omega = np.ones((70, 70))
    omega[0, 1] = omega[1, 0] = 0.0
    omega[2, 45] = omega[45, 2] = 30.0
    omega[3, 3] = 2.0
    fit = MODELS["sof"](2, random_state=0, n_init=1).fit(blobs, pair_weight=omega)
    np.testing.assert_allclose(load(tmp_path / "o").membership_, fit.membership_, atol=1e-6)
    assert parameters(tmp_path)["pair_weight"] == "w.csv"
    (tmp_path / "bare.csv").write_text("source,target\n0,1\n")
    refused = call(*table, "sof", "--pair-weight", "bare.csv")
    assert refused.code == 2
    assert "weight" in refused.err


@pytest.mark.parametrize("kind", ["affinity", "edges"])
def test_pairs_left_out_of_a_sparse_file_may_be_unobserved(call, tmp_path, kind):
    truth = np.repeat([0, 1], 15)
    rng = np.random.default_rng(0)
    observed = np.triu(rng.random((30, 30)) < 0.4, 1)
    i, j = np.nonzero(observed)
    same = (truth[i] == truth[j]).astype(float)
    if kind == "edges":
        lines = [f"{a},{b},{v:g}" for a, b, v in zip(i, j, same, strict=True)]
        (tmp_path / "p.csv").write_text("\n".join(["source,target,weight", *lines]))
        file = "p.csv"
    else:
        matrix = sp.coo_array((np.r_[same, same], (np.r_[i, j], np.r_[j, i])), (30, 30))
        sp.save_npz(tmp_path / "p.npz", matrix)
        file = "p.npz"
    fit = ("fit", file, "--k", 2, "--input", kind, "--model", "sof", "--quiet", "--out", "o", "--force")
    assert call(*fit, "--unstored", "unobserved").code == 0
    result = json.loads((tmp_path / "o" / "result.json").read_text())
    assert result["objective"] < 1e-3  # every pair that was observed is explained
    assert call(*fit).code == 0
    assert json.loads((tmp_path / "o" / "result.json").read_text())["objective"] > 1.0
    scipy.io.mmwrite(tmp_path / "x.mtx", sp.eye_array(3))
    refused = call("fit", "x.mtx", "--k", 2, "--unstored", "unobserved", "--out", "p")
    assert refused.code == 2
    assert "--unstored goes" in refused.err
