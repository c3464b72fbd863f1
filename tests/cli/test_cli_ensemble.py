"""`partita fit --affinity ensemble`: the answer is the estimator's, and result and report say what it was made of."""

import json

import numpy as np
import pytest

from partita import SoftClustering
from partita.io import read_features, read_memberships

IRIS = ("--k", 3, "--label-column", "species", "--id-column", "plant", "--affinity", "ensemble", "--quiet")


def test_fit_report_and_predict(call, iris_csv, tmp_path):
    assert call("fit", iris_csv, *IRIS, "--out", "out", "--seed", 2).code == 0
    X = read_features(iris_csv, label_column="species", id_column="plant").features
    model = SoftClustering(3, affinity="ensemble", random_state=2, probabilities="fitted").fit(X)
    np.testing.assert_array_equal(read_memberships(tmp_path / "out/memberships.csv").membership, model.membership_)
    result = json.loads((tmp_path / "out/result.json").read_text())
    assert len(result["ensemble"]) == 20
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
    assert call("fit", iris_csv, *neighbours, "--out", "out").code == 0
    assert "What the clusterings said" not in (tmp_path / "out/report.html").read_text()
    assert "ensemble" not in json.loads((tmp_path / "out/result.json").read_text())


@pytest.mark.parametrize(
    "option", [("--metric", "cosine"), ("--n-neighbors", 5), ("--kernel", "laplacian"), ("--missing", "unobserved")]
)
def test_options_of_other_affinities_are_refused(call, iris_csv, option):
    done = call("fit", iris_csv, *IRIS, *option)
    assert done.code == 2
    assert "ensemble" in done.err
