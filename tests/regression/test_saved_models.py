"""What an older version saved: it loads, and says of new items what that version said (`scripts/saved_models`)."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from partita import load
from partita.cli import main
from partita.io import read_memberships, read_model, sha256_of_file
from partita.io.estimators import KINDS

SAVED = Path(__file__).parent / "saved"
VERSIONS = sorted(folder.name for folder in SAVED.iterdir() if folder.is_dir())
MODELS = sorted(f"{file.parent.parent.name}/{file.parent.name}" for file in SAVED.glob("*/*/answers.npz"))
# Of another processor and BLAS; the row's problem is strictly convex or a small one, solved to 1e-10.
CLOSE = 1e-7


def named(*estimators):
    """The models of these."""
    return [name for name in MODELS if read_model(SAVED / name / "model")[0]["estimator"] in estimators]


def test_there_is_a_model_of_every_estimator_that_is_saved():
    for version in VERSIONS:
        kinds = {read_model(folder)[0]["estimator"] for folder in (SAVED / version).glob("*/model")}
        assert kinds == set(KINDS) or version != VERSIONS[-1]


def saved(name):
    """A model, and what the version that saved it said."""
    with np.load(SAVED / name / "answers.npz", allow_pickle=False) as answers:
        return load(SAVED / name / "model"), dict(answers)


@pytest.mark.parametrize("name", named(*{*KINDS} - {"BayesianPartition", "DPGaussianMixture"}))
def test_a_saved_factorization_loads_and_answers_as_it_did(name):
    estimator, answers = saved(name)
    found = estimator.predict_proba(answers["X"])
    np.testing.assert_allclose(found, answers["membership"], rtol=0, atol=CLOSE)
    assert np.array_equal(estimator.membership_, answers["fitted"])
    assert np.array_equal(estimator.labels_, answers["labels"])
    sure = np.sort(answers["membership"], axis=1)
    sure = sure[:, -1] - sure[:, -2] > 2 * CLOSE
    assert np.array_equal(estimator.predict(answers["X"])[sure], answers["membership"].argmax(axis=1)[sure])


@pytest.mark.parametrize("name", named("BayesianPartition"))
def test_a_saved_partition_loads_and_answers_as_it_did(name):
    estimator, answers = saved(name)
    assert np.array_equal(estimator.labels_, answers["labels"])
    assert np.array_equal(estimator.membership_, answers["membership"])
    np.testing.assert_allclose(estimator.psm(), answers["psm"], rtol=0, atol=CLOSE)
    assert ("radius" in answers) == (estimator.draws_ is not None)
    if "radius" in answers:
        assert estimator.credible_ball().radius == pytest.approx(float(answers["radius"]), rel=CLOSE)


@pytest.mark.parametrize("name", named("DPGaussianMixture"))
def test_a_saved_mixture_loads_and_answers_as_it_did(name):
    estimator, answers = saved(name)
    assert np.array_equal(estimator.draws_, answers["draws"])
    np.testing.assert_allclose(estimator.score_samples(answers["X"]), answers["log_density"], rtol=CLOSE)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_saved_result_is_whole_and_its_model_scores_the_items_it_was_fitted_on(version, tmp_path, capsys):
    folder, items = SAVED / version / "result", SAVED / version / "items.csv"
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["input"]["sha256"] == sha256_of_file(items)
    for words in (["verify", folder, "--files-only"], ["predict", folder, items, "--out", tmp_path / "again.csv"]):
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
        assert ended.value.code == 0
    capsys.readouterr()
    before, again = read_memberships(folder / "memberships.csv"), read_memberships(tmp_path / "again.csv")
    assert again.membership.shape == before.membership.shape
    assert np.mean(again.labels == before.labels) > 0.9  # the items move nothing here, and each moved the others there
    assert np.array_equal(load(folder).labels_, before.labels)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_saved_model_of_a_later_schema_is_refused_by_name(version, tmp_path):
    shutil.copytree(SAVED / version / "sof" / "model", tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    description = json.loads(file.read_text())
    file.write_text(json.dumps(description | {"schema_version": description["schema_version"] + 1}))
    with pytest.raises(ValueError, match="schema_version 2"):
        load(tmp_path / "model")
