"""A model folder that somebody changed: names are looked up among ours, types and shapes have to go together."""

import json
import shutil

import numpy as np
import pytest
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from partita import SCAMS, SoF, load, save
from partita.affinity import NeighborGraph
from partita.errors import ModelError
from partita.io.typed import fits
from partita.solvers import PenaltyDescent

rng = np.random.default_rng(0)
X = np.r_[rng.normal(0, 1, (15, 2)), rng.normal(9, 1, (15, 2))]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    save(SoF(2, solver=PenaltyDescent(), random_state=0, n_init=1, max_iter=50).fit(X), folder / "sof")
    save(SoF(2, affinity=NeighborGraph(5), random_state=0, n_init=1).fit(X), folder / "graph")
    save(SCAMS(2, random_state=0).fit(X), folder / "scams")
    return folder


def changed(folder, to, change, arrays=None):
    """A copy with another config, and perhaps other arrays that its description agrees with."""
    shutil.copytree(folder, to)
    description = json.loads((to / "model.json").read_text())
    change(description["config"])
    if arrays is not None:
        own = arrays(load_tensors((to / "arrays.safetensors").read_bytes()))
        description["arrays"] = {name: {"dtype": str(a.dtype), "shape": list(a.shape)} for name, a in own.items()}
        (to / "arrays.safetensors").write_bytes(save_tensors(own))
    (to / "model.json").write_text(json.dumps(description))
    return to


def put(*path):
    """A change that puts the last of `path` where the others lead."""
    *way, name, value = path

    def change(config):
        for step in way:
            config = config[step]
        config[name] = value

    return change


@pytest.mark.parametrize(
    ("model", "change", "words"),
    [
        ("sof", put("estimator", "os"), "unknown estimator 'os'"),
        ("sof", put("estimator", "BayesianPartition"), "unknown estimator"),
        ("sof", put("estimator", "__class__"), "unknown estimator"),
        ("sof", put("parameters", "n_clusters", "many"), "n_clusters"),
        ("sof", put("parameters", "max_iter", [1]), "max_iter"),
        ("sof", put("parameters", "affinity", 7), "affinity"),
        ("sof", put("parameters", "solver", {"solver": "os.system"}), "os.system"),
        ("sof", put("parameters", "solver", "mu", "ten"), "mu='ten'"),
        ("sof", put("parameters", "solver", {"solver": "penalty", "command": "ls"}), "no option 'command'"),
        ("sof", put("affinity", "name", "pickle"), "unknown affinity 'pickle'"),
        ("sof", put("affinity", "n", "ten"), "n='ten'"),
        ("graph", put("affinity", "n_neighbors", True), "n_neighbors=True"),
        ("sof", put("affinity", "surplus", 1), "no option 'surplus'"),
        ("sof", put("domain", "nowhere"), "unknown domain"),
        ("sof", put("fitted", "n_clusters_", 2.0), "n_clusters_ is 2.0"),
        ("sof", put("fitted", "n_features_in_", 10**9), "model"),
        ("sof", put("columns", "abc"), "columns"),
        ("sof", put("feature_names", [1, 2]), "no words"),
        ("sof", put("fitted", None), "incomplete or was changed"),
        ("scams", put("parameters", "n_clusters", -1), "n_clusters"),
    ],
)
def test_a_description_that_asks_for_something_else_is_refused(saved, tmp_path, model, change, words):
    with pytest.raises(ModelError, match=words):
        load(changed(saved / model, tmp_path / "model", change))


@pytest.mark.parametrize(
    ("name", "turned", "words"),
    [
        ("membership", lambda a: a * 2, "no probabilities"),
        ("membership", lambda a: a * np.nan, "no probabilities"),
        ("membership", lambda a: a.T.copy(), "shape"),
        ("labels", lambda a: a + 5, "labels"),
        ("labels", lambda a: a[:-1].copy(), "labels"),
        ("scale", lambda a: np.ones(7), "scale"),
        ("landing", lambda a: a[:-3].copy(), "do not fit together"),
        ("quadratic", lambda a: np.ones((9, 9)), "do not fit together"),
        ("factors", lambda a: np.full_like(a, np.inf), "infinite"),
        ("evidence.X", lambda a: a[:4].copy(), "several numbers of items"),
        ("evidence.X", lambda a: a.astype(np.uint8), "uint8"),
    ],
)
def test_arrays_that_cannot_be_of_one_fit_are_refused(saved, tmp_path, name, turned, words):
    def arrays(own):
        return own | {name: turned(own[name])}

    for model in ("sof", "graph"):
        with pytest.raises(ModelError, match=words):
            load(changed(saved / model, tmp_path / model, lambda _: None, arrays))


def test_what_was_not_changed_loads(saved):
    for model in ("sof", "graph", "scams"):
        assert load(saved / model).predict(X).shape == (30,)


def test_types_of_json_values():
    assert fits(None, int | None)
    assert fits({"a": 1}, dict[str, int])
    assert fits(1, float)
    assert not fits(1.0, int)
    assert not fits(True, float)
    assert not fits(0, bool)
