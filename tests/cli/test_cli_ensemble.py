"""`partita fit --affinity ensemble`: the answer is the estimator's, and result and report say what it was made of."""

import json

import numpy as np
import pytest

import partita
from partita import SoftClustering
from partita.io import read_features, read_memberships

IRIS = ("--k", 3, "--label-column", "species", "--id-column", "plant", "--affinity", "ensemble", "--quiet")


def test_fit_report_and_predict(call, iris_csv, tmp_path):
    assert call("fit", iris_csv, *IRIS, "--out", "out", "--seed", 2).code == 0
    X = read_features(iris_csv, label_column="species", id_column="plant").features
    model = SoftClustering(3, affinity="ensemble", random_state=2, probabilities="fitted").fit(X)
    np.testing.assert_array_equal(read_memberships(tmp_path / "out/memberships.csv").membership, model.membership_)
    result = json.loads((tmp_path / "out/result.json").read_text())
    assert len(result["ensemble"]) == 24
    assert sum(draw["weight"] for draw in result["ensemble"]) == pytest.approx(1.0)
    assert set(result["ensemble"][0]) == {
        "method",
        "settings",
        "n_items",
        "n_clusters",
        "weight",
        "agreement",
        "agreement_with_result",
    }
    report = (tmp_path / "out/report.html").read_text()
    assert "What the clusterings said" in report
    for draw in model.ensemble_:
        assert draw.idea in report
    columns = ("--label-column", "species", "--id-column", "plant")
    assert call("predict", "out", iris_csv, *columns, "--out", "new-memberships.csv").code == 0
    found = read_memberships(tmp_path / "new-memberships.csv").membership
    np.testing.assert_allclose(found, model.predict_proba(X), atol=1e-12)


def test_a_graph_has_no_section_on_clusterings(call, iris_csv, tmp_path):
    neighbours = ("--k", 3, "--label-column", "species", "--id-column", "plant", "--quiet")
    assert call("fit", iris_csv, *neighbours, "--affinity", "neighbors", "--out", "out").code == 0
    assert "What the clusterings said" not in (tmp_path / "out/report.html").read_text()
    assert "ensemble" not in json.loads((tmp_path / "out/result.json").read_text())


@pytest.mark.parametrize(
    "option", [("--metric", "cosine"), ("--n-neighbors", 5), ("--kernel", "laplacian"), ("--input", "distances")]
)
def test_options_of_other_affinities_are_refused(call, iris_csv, option):
    done = call("fit", iris_csv, *IRIS, *option)
    assert done.code == 2
    assert "ensemble" in done.err


def test_tables_of_any_columns(call, tmp_path):
    rng, y = np.random.default_rng(0), np.repeat([0, 1, 2], 20)
    X = rng.normal(size=(60, 2)) + np.array([[0, 0], [7, 0], [0, 7]])[y]
    colours = np.array(["blue", "green", "red"])[y]
    rows = [
        f"{x:.3f},{colour},{'' if i % 9 == 0 else f'{z:.3f}'}"
        for i, (x, colour, z) in enumerate(zip(X[:, 0], colours, X[:, 1]))
    ]
    (tmp_path / "table.csv").write_text("\n".join(["x,colour,z", *rows]) + "\n")
    (tmp_path / "new.csv").write_text("colour,z,x\nred,7,\nmauve,0,0\n")
    given = ("--k", 3, "--affinity", "ensemble", "--seed", 0, "--quiet")
    assert call("fit", "table.csv", *given, "--out", "out").code == 0
    table = read_features(tmp_path / "table.csv", mixed=True).table
    model = SoftClustering(3, affinity="ensemble", random_state=0).fit(table)
    np.testing.assert_array_equal(read_memberships(tmp_path / "out/memberships.csv").membership, model.membership_)
    notes = json.loads((tmp_path / "out/result.json").read_text())["notes"]
    assert any(note.startswith("7 cells are missing (z 7)") for note in notes)
    assert "colour is" in (tmp_path / "out/report.html").read_text()
    assert call("predict", "out", "new.csv", "--out", "found.csv", "--quiet").code == 0
    found = read_memberships(tmp_path / "found.csv")
    assert found.labels.tolist() == [model.labels_[59], model.labels_[0]]
    assert partita.load(tmp_path / "out").encoding_.labels == model.encoding_.labels
    refused = call("fit", "table.csv", "--k", 3, "--affinity", "neighbors", "--out", "other")
    assert refused.code == 2
    assert "'colour'" in refused.err


def test_missing_cells_of_an_array_want_a_word(call, tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 3))
    X[2, 1] = np.nan
    np.save(tmp_path / "X.npy", X)
    given = ("X.npy", "--k", 2, "--affinity", "ensemble", "--quiet", "--out", "out")
    assert call("fit", *given).code == 2
    assert call("fit", *given, "--missing", "unobserved").code == 0
