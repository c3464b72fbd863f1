"""`partita fit --affinity landmarks|nystrom|random-features`: the estimator's answer, and options named when wrong."""

import json

import numpy as np
import pytest

from partita import SoftClustering
from partita.affinity import Landmarks, Nystrom, RandomFeatures
from partita.io import read_features, read_memberships

IRIS = ("--k", 3, "--label-column", "species", "--id-column", "plant", "--quiet")


@pytest.mark.parametrize(
    ("options", "builder"),
    [
        (("landmarks",), Landmarks(seed=2)),
        (("landmarks", "--n-landmarks", 40, "--n-neighbors", 3), Landmarks(n_landmarks=40, n_neighbors=3, seed=2)),
        (("nystrom", "--kernel", "laplacian", "--scale", 0.5), Nystrom(kernel="laplacian", scale=0.5, seed=2)),
        (("nystrom", "--n-landmarks", 40, "--scale", "balanced"), Nystrom(n_landmarks=40, seed=2)),
        (("random-features", "--n-landmarks", 90), RandomFeatures(n_features=90, seed=2)),
        (
            ("random-features", "--kernel", "gaussian", "--n-landmarks", 2000),
            RandomFeatures(kernel="gaussian", n_features=2000, seed=2),
        ),
    ],
)
def test_fit_and_predict_are_those_of_the_builder(options, builder, call, iris_csv, tmp_path):
    assert call("fit", iris_csv, *IRIS, "--out", "out", "--seed", 2, "--affinity", *options).code == 0
    X = read_features(iris_csv, label_column="species", id_column="plant").features
    model = SoftClustering(3, affinity=builder, random_state=2, probabilities="fitted").fit(X)
    np.testing.assert_array_equal(read_memberships(tmp_path / "out/memberships.csv").membership, model.membership_)
    assert json.loads((tmp_path / "out/result.json").read_text())["parameters"]["affinity"] == builder.config()
    done = call("predict", "out", iris_csv, "--out", "new.csv", "--label-column", "species", "--id-column", "plant")
    assert done.code == 0
    np.testing.assert_array_equal(read_memberships(tmp_path / "new.csv").membership, model.predict_proba(X))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--affinity", "landmarks", "--kernel", "gaussian"), "--kernel goes"),
        (("--affinity", "landmarks", "--scale", "1"), "--scale goes"),
        (("--affinity", "nystrom", "--metric", "cosine"), "--metric goes"),
        (("--affinity", "nystrom", "--n-neighbors", "3"), "--n-neighbors goes"),
        (("--n-landmarks", "3"), "--n-landmarks goes"),
        (("--affinity", "neighbors", "--scale", "1"), "not with neighbors"),
        (("--affinity", "landmarks", "--missing", "unobserved"), "features"),
        (("--affinity", "landmarks", "--input", "distances"), "features"),
        (("--input", "affinity", "--n-landmarks", "3"), "--n-landmarks builds"),
        (("--affinity", "nystrom", "--scale", "wide"), "balanced"),
    ],
)
def test_options_that_say_nothing_are_refused(options, message, call, iris_csv):
    done = call("fit", iris_csv, *IRIS, *options)
    assert done.code == 2
    assert message in done.err.replace("\n", " ")
