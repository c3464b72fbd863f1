"""`partita fit --k auto`: the number of clusters that the estimator chooses, the verdict in every output."""

import json

import numpy as np
import pytest

from partita import SoftClustering, load
from partita.io import read_features, read_memberships
from partita.metrics import adjusted_rand_index
from synthetic import gaussians

COLUMNS = ("--label-column", "species", "--id-column", "plant")
VERDICT = {"n_clusters", "sure", "likely", "disagree", "probabilities", "criteria"}


@pytest.fixture
def groups_csv(tmp_path):
    X = gaussians(np.repeat([0, 1, 2], 40), [[0, 0], [10, 0], [0, 10]])
    np.savetxt(tmp_path / "groups.csv", X, delimiter=",", header="a,b", comments="")
    return tmp_path / "groups.csv"


def result_of(folder):
    return json.loads((folder / "result.json").read_text())


def test_the_answer_is_the_estimators_and_every_output_has_it(call, iris_csv, tmp_path):
    done = call("fit", iris_csv, "--k", "auto", *COLUMNS, "--out", "out", "--seed", 2)
    assert done.code == 0, done.err
    X = read_features(iris_csv, label_column="species", id_column="plant").features
    model = SoftClustering(random_state=2).fit(X)
    np.testing.assert_array_equal(read_memberships(tmp_path / "out/memberships.csv").membership, model.membership_)
    result = result_of(tmp_path / "out")
    assert result["n_clusters"] == model.n_clusters_
    assert result["parameters"]["k"] == result["parameters"]["n_clusters"] == "auto"
    assert set(result["verdict"]) == VERDICT
    assert result["verdict"]["criteria"] == model.verdict_.rows()
    assert result["verdict"]["probabilities"] == model.verdict_.probabilities.tolist()
    assert result["verdict"]["likely"] == list(model.verdict_.likely)
    assert f"{model.n_clusters_} clusters (probability {model.verdict_.sure:.2f}" in done.out
    assert "How many clusters" in (tmp_path / "out/report.html").read_text()
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert manifest["parameters"]["k"] == "auto"
    assert call("predict", "out", iris_csv, *COLUMNS, "--out", "new.csv").code == 0
    found = read_memberships(tmp_path / "new.csv").membership
    np.testing.assert_allclose(found, model.predict_proba(X), atol=1e-12)
    assert load(tmp_path / "out").n_clusters == "auto"


def test_a_fit_that_ends_below_its_bounds_says_which_number_is_how_probable(call, tmp_path):
    X = np.random.default_rng(1).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 9], [0, 9]], 30, axis=0)
    np.savetxt(tmp_path / "three.csv", X, delimiter=",")
    done = call("fit", "three.csv", "--k", "12-14", "--out", "out")
    assert done.code == 0, done.err
    result = result_of(tmp_path / "out")
    held, judged, sure = result["n_clusters"], result["verdict"]["n_clusters"], result["verdict"]["sure"]
    assert held < 12 <= judged
    assert f"\n{judged} clusters (probability {sure:.2f}), of which {held} hold an item\n" in done.out
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert f"{judged} clusters have a probability of" in page
    assert f"together say {judged}" not in page


def test_one_cluster_that_is_asked_for_is_examined_in_every_output(call, tmp_path):
    np.savetxt(tmp_path / "b.csv", gaussians(np.repeat([0, 1], 60), [[0, 0], [9, 0]]), delimiter=",")
    done = call("fit", "b.csv", "--k", 1, "--out", "out")
    assert done.code == 0, done.err
    result = result_of(tmp_path / "out")
    assert result["verdict"]["n_clusters"] == 2
    found = f"2 clusters would be found (probability {result['verdict']['sure']:.2f})"
    assert found in result["headline"][2]
    assert found in " ".join(done.out.split())
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert "How many clusters" in page
    assert "they would find 2" in page


def test_the_parameters_of_the_manifest_make_the_same_files(call, groups_csv, tmp_path):
    for out in ("first", "second"):
        assert call("fit", groups_csv, "--k", "auto", "--out", out, "--quiet").code == 0
    first, second = (json.loads((tmp_path / out / "manifest.json").read_text()) for out in ("first", "second"))
    for name in ("memberships.csv", "model/arrays.safetensors", "model/model.json"):
        assert first["files"][name] == second["files"][name]
    assert result_of(tmp_path / "first")["verdict"] == result_of(tmp_path / "second")["verdict"]


@pytest.mark.parametrize("options", [[], ["--model", "kernel-kmeans"], ["--affinity", "neighbors"]])
def test_a_number_that_is_given_is_examined(call, groups_csv, tmp_path, options):
    done = call("fit", groups_csv, "--k", 2, "--out", "out", *options)
    assert done.code == 0
    verdict = result_of(tmp_path / "out")["verdict"]
    assert verdict["n_clusters"] == 3
    assert "where 3 clusters would be found" in done.out
    assert "given, and examined by" in (tmp_path / "out/report.html").read_text()


@pytest.mark.parametrize("options", [["--max-seconds", "60"], ["--model", "sof", "--metric", "manhattan"]])
def test_a_number_that_is_given_is_not_examined_under_a_limit_or_with_another_metric(
    call, groups_csv, tmp_path, options
):
    done = call("fit", groups_csv, "--k", 3, "--out", "out", *options)
    assert done.code == 0
    assert "Whether 3 is the right number of clusters was not examined" in done.out
    assert "verdict" not in result_of(tmp_path / "out")
    assert "was not examined" in (tmp_path / "out/report.html").read_text()


@pytest.mark.parametrize("model", ["sof", "baum-eagon", "symnmf", "copositive", "kernel-kmeans", "spectral"])
def test_every_model_takes_it(call, groups_csv, tmp_path, model):
    done = call("fit", groups_csv, "--k", "auto", "--model", model, "--n-init", 2, "--out", "out", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["n_clusters"] == json.loads(done.out)["verdict"]["n_clusters"] == 3


def test_edges_and_affinities_take_it(call, tmp_path):
    rng = np.random.default_rng(0)
    pairs = [(i, j) for g in range(3) for i in range(20 * g, 20 * g + 20) for j in range(20 * g, i)]
    lines = [f"{i},{j},{rng.uniform(0.5, 1):.3f}" for i, j in pairs] + ["0,20,0.01", "20,40,0.01"]
    (tmp_path / "edges.csv").write_text("source,target,weight\n" + "\n".join(lines) + "\n")
    assert call("fit", "edges.csv", "--input", "edges", "--k", "auto", "--out", "a", "--quiet").code == 0
    assert result_of(tmp_path / "a")["n_clusters"] == 3
    truth = np.arange(60) // 20
    P = np.where(truth[:, None] == truth, 0.9, 0.05)
    np.savetxt(tmp_path / "p.csv", P, delimiter=",")
    assert call("fit", "p.csv", "--input", "affinity", "--k", "auto", "--out", "b", "--quiet").code == 0
    assert adjusted_rand_index(read_memberships(tmp_path / "b/memberships.csv").labels, truth) == 1.0


def test_doubt_is_a_note_and_no_line_of_python(call, tmp_path):
    X = np.random.default_rng(3).random((200, 2))
    np.savetxt(tmp_path / "cloud.csv", X, delimiter=",", header="a,b", comments="")
    done = call("fit", "cloud.csv", "--k", "auto", "--out", "out")
    assert done.code == 0
    assert "UnsureWarning" not in done.err + done.out
    assert "The number of clusters is not certain" in done.out
    result = result_of(tmp_path / "out")
    sure, found = result["verdict"]["sure"], result["n_clusters"]
    assert 0.0 < sure < 0.9
    assert sure == result["verdict"]["probabilities"][found - 1]
    assert len(result["notes"]) == len(set(result["notes"]))
    assert "The number of clusters is not certain" in (tmp_path / "out/report.html").read_text()


def test_other_words_are_refused(call, groups_csv):
    done = call("fit", groups_csv, "--k", "automatic")
    assert done.code == 2
    assert "did you mean 'auto'" in done.err


def test_one_criterion_can_be_asked_by_its_name(call, groups_csv, tmp_path):
    done = call("fit", groups_csv, "--k", "conductance_jump", "--out", tmp_path / "out")
    assert done.code == 0
    verdict = result_of(tmp_path / "out")["verdict"]
    assert [row["criterion"] for row in verdict["criteria"]] == ["conductance_jump"]


@pytest.mark.data
@pytest.mark.parametrize(("name", "K"), [("shapes/R15.csv", 15), ("shapes/lsun.csv", 3), ("shapes/zelnik1.csv", 3)])
def test_shared_sets_from_file_to_report(call, data_home, tmp_path, name, K):
    done = call("fit", data_home / name, "--k", "auto", "--label-column", "label", "--out", "out", "--quiet")
    assert done.code == 0, done.err
    result = result_of(tmp_path / "out")
    assert abs(result["n_clusters"] - K) <= 1
    assert result["scores"]["adjusted_rand"] > 0.85
    assert result["verdict"]["probabilities"][result["n_clusters"] - 1] == result["verdict"]["sure"]


def test_scams_is_told_how_to_search_and_what_a_pair_costs(call, groups_csv, tmp_path):
    scams = ("--model", "scams", "--k", "auto", "--quiet", "--out")
    for told in (("--method", "admm"), ("--share", "0.03"), ("--theta", "0.9")):
        name = told[0].lstrip("-")
        done = call("fit", groups_csv, *scams, name, *told)
        assert done.code == 0, done.err
        result = result_of(tmp_path / name)
        assert result["n_clusters"] >= 3
        assert str(result["parameters"][name]) == told[1]
        assert result["parameters"]["affinity_scale"] == "sym"
    for wrong, why in (
        (("--share", "0.1", "--theta", "1"), "share and theta"),
        (("--share", "2"), "share"),
        (("--method", "admm", "--k", "3"), "its own"),
        (("--model", "soft", "--theta", "1"), "--theta goes"),
    ):
        done = call("fit", groups_csv, *scams, "no", *wrong)
        assert (done.code, why in done.err) == (2, True), done.err
        assert not (tmp_path / "no").exists()
