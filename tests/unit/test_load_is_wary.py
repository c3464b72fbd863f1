"""A model folder that somebody changed: names are looked up among ours, types and shapes have to go together."""

import json
import shutil

import numpy as np
import pytest
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from partita import SCAMS, BayesianPartition, DPGaussianMixture, SoF, SoftClustering, load, save
from partita.affinity import NeighborGraph
from partita.errors import ModelError
from partita.io.settings import fits
from partita.mixture import Collapsed, NormalInverseWishart
from partita.partition.losses import Binder
from partita.partition.named_draws import NamedDraws
from partita.solvers import PenaltyDescent
from synthetic import draws_around, gaussians, with_gaps

rng = np.random.default_rng(0)
X = gaussians(np.repeat([0, 1], 15), [[0.0, 0.0], [9.0, 9.0]], rng)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    save(SoF(2, solver=PenaltyDescent(), random_state=0, n_init=1, max_iter=50).fit(X), folder / "sof")
    save(SoF(2, affinity=NeighborGraph(5), random_state=0, n_init=1).fit(X), folder / "graph")
    save(SCAMS(2, random_state=0).fit(X), folder / "scams")
    save(SoftClustering(2, random_state=0).fit(X, sample_weight=np.arange(1, 31)), folder / "ensemble")
    draws = draws_around(np.arange(12) // 4, 40, 0.2, seed=rng)
    gaps = with_gaps(draws, 0.1, rng)
    partition = BayesianPartition(Binder(), random_state=0, starts=["sof", draws[0]])
    partition.fit(NamedDraws(draws, np.arange(40) // 20, np.array(list("abcdefghijkl"))))
    partition.membership_  # noqa: B018 - it is saved where it has been asked for
    save(partition, folder / "partition")
    save(BayesianPartition("binder", missing="unobserved", random_state=0).fit(gaps), folder / "gaps")
    short = {"n_draws": 8, "burn_in": 4, "n_chains": 2, "random_state": 0}
    save(DPGaussianMixture(Collapsed(), prior=NormalInverseWishart(mean=[1, 1]), **short).fit(X), folder / "mixture")
    save(DPGaussianMixture(prior="paper", start=np.arange(30) % 2, **short).fit(X), folder / "components")
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
        ("sof", put("estimator", "os"), "'os'"),
        ("sof", put("estimator", "BayesianPartition"), "fitted_loss"),
        ("sof", put("estimator", "FactorizationEstimator"), "'FactorizationEstimator'"),
        ("sof", put("estimator", "__class__"), "'__class__'"),
        ("sof", put("parameters", "n_clusters", "many"), "n_clusters"),
        ("sof", put("parameters", "max_iter", [1]), "max_iter"),
        ("sof", put("parameters", "affinity", 7), "affinity"),
        ("sof", put("parameters", "solver", {"solver": "os.system"}), "os.system"),
        ("sof", put("parameters", "solver", "mu", "ten"), "mu='ten'"),
        ("sof", put("parameters", "solver", {"solver": "penalty", "command": "ls"}), "'command'"),
        ("sof", put("affinity", "name", "pickle"), "'pickle'"),
        ("sof", put("affinity", "n", "ten"), "n='ten'"),
        ("graph", put("affinity", "n_neighbors", True), "n_neighbors=True"),
        ("sof", put("affinity", "surplus", 1), "'surplus'"),
        ("sof", put("domain", "nowhere"), "'nowhere'"),
        ("sof", put("fitted", "n_clusters_", 2.0), "n_clusters_ .*fitted .*2.0"),
        ("sof", put("fitted", "n_features_in_", 10**9), "model"),
        ("sof", put("columns", "abc"), "columns"),
        ("sof", put("feature_names", [1, 2]), "feature_names"),
        ("sof", put("fitted", None), "fitted .*None"),
        ("scams", put("parameters", "n_clusters", -1), "n_clusters"),
        ("partition", put("parameters", "loss", {"loss": {"name": "os.system"}}), "'os.system'"),
        ("partition", put("parameters", "loss", "loss", "a", "1"), "a='1'"),
        ("partition", put("parameters", "loss", "loss", "a", 7), "a=7"),
        ("partition", put("parameters", "starts", [{"labels": "draws"}]), "array 'draws'"),
        ("partition", put("parameters", "starts", [7]), "start 7"),
        ("partition", put("parameters", "starts", [{"labels": []}]), r"start \{'labels': \[\]\}"),
        ("partition", put("parameters", "n_init", "many"), "n_init"),
        ("partition", put("fitted_loss", "binder"), "fitted_loss .*'binder'"),
        ("partition", put("search", []), r"search .*\[\]"),
        ("partition", put("search", "status", "fine"), "status .*search .*'fine'"),
        ("partition", put("search", "gap", "small"), "gap .*search .*'small'"),
        ("partition", put("search", "gap", True), "gap .*search .*True"),
        ("partition", put("search", "n_agreeing", -1), "n_agreeing .*search .*-1"),
        ("partition", put("search", "runs", []), "array 'runs'"),
        ("partition", put("search", "tried", 0, "n_clusters", 2.5), r"n_clusters .*tried\[0\] .*2\.5"),
        ("partition", put("draws", "n_given", 1), "n_given .*draws .*1, "),
        ("partition", put("draws", None), "'similarity'"),
        ("partition", put("items", list("aacdefghijkl")), "names 12 items"),
        ("partition", put("items", ["a"]), "names 1 items"),
        ("partition", put("said", "nothing"), "said .*'nothing'"),
        ("partition", put("agreement", "chains", [0]), "chains"),
        ("partition", put("agreement", "chains", [[0], [1]]), r"chain .*\[0\]"),
        ("partition", put("agreement", "chains", [0, 1, 2]), "agreement.lengths"),
        ("partition", put("agreement", "farthest", [0, 2]), "farthest"),
        ("partition", put("agreement", "r_hat", {}), "n_clusters .*r_hat"),
        ("partition", put("membership", "membership", "nothing"), "'nothing'"),
        ("partition", put("membership", "factor", "draws"), "array 'draws'"),
        ("partition", put("membership", "restarts", []), "restart"),
        ("partition", put("membership", "notes", [1]), "notes .*membership"),
        ("mixture", put("parameters", "sampler", {"sampler": {"name": "gibbs"}}), "'gibbs'"),
        ("mixture", put("parameters", "sampler", "sampler", "scans", 0.5), "scans=0.5"),
        ("mixture", put("parameters", "prior", "prior", "mean", "high"), "conjugate prior"),
        ("mixture", put("parameters", "prior", "prior", "scale", [True]), "conjugate prior"),
        ("mixture", put("parameters", "alpha", {"gamma": {"shape": -1}}), "shape=-1"),
        ("mixture", put("sampled", "prior", "conjugate"), "prior .*sampled .*'conjugate'"),
        ("mixture", put("sampled", "alpha", "high"), "alpha .*sampled .*'high'"),
        ("mixture", put("sampled", "status", "converged"), "status .*sampled .*'converged'"),
        ("mixture", put("density", "kind", "gaussian"), "density.log_weight"),
        ("mixture", put("density", "kind", "pickle"), "kind .*density .*'pickle'"),
        ("mixture", put("density", "prior", "kappa", 0), "prior .*density"),
        ("mixture", put("density", "prior", "freedom", "inf"), "prior .*density"),
        ("mixture", put("agreement", None), "agreement .*2 chains"),
        ("mixture", put("feature_names", ["a"]), "1 features"),
        ("components", put("density", "kind", "student"), "prior .*density"),
    ],
)
def test_a_description_that_asks_for_something_else_is_refused(saved, tmp_path, model, change, words):
    with pytest.raises(ModelError, match=words):
        load(changed(saved / model, tmp_path / "model", change))


@pytest.mark.parametrize(
    ("name", "turned", "words"),
    [
        ("membership", lambda a: a * 2, "membership(?!')"),
        ("membership", lambda a: a * np.nan, "membership(?!')"),
        ("membership", lambda a: a.T.copy(), r"'membership' .*\(2, 30\)"),
        ("labels", lambda a: a + 5, "labels"),
        ("labels", lambda a: a[:-1].copy(), "labels"),
        ("scale", lambda a: np.ones(7), "scale"),
        ("landing", lambda a: a[:-3].copy(), "array 'landing'"),
        ("quadratic", lambda a: np.ones((9, 9)), "array 'quadratic'"),
        ("factors", lambda a: np.full_like(a, np.inf), "array 'factors'(?!.*shape)"),
        ("evidence.X", lambda a: a[:4].copy(), "array 'evidence"),
        ("evidence.X", lambda a: a.astype(np.uint8), "uint8"),
    ],
)
def test_arrays_that_cannot_be_of_one_fit_are_refused(saved, tmp_path, name, turned, words):
    def arrays(own):
        return own | {name: turned(own[name])}

    for model in ("sof", "graph"):
        with pytest.raises(ModelError, match=words):
            load(changed(saved / model, tmp_path / model, lambda _: None, arrays))


# What compiled code reads without looking, and what else has to hold: an array, what is done to it, and the error.
SPOILED = [
    ("partition", "labels", lambda a: a + 1, "array 'labels'(?!.*shape)"),
    ("partition", "labels", lambda a: a[:5].copy(), "array 'runs'"),
    ("partition", "runs", lambda a: a + 1, "array 'runs'(?!.*shape)"),
    ("partition", "draws", lambda a: a[:, :5].copy(), "array 'draws'"),
    ("partition", "draws", lambda a: a * 2, "array 'draws'(?!.*shape)"),
    ("partition", "draws", lambda a: -a, "array 'draws'(?!.*shape)"),
    ("partition", "draws", lambda a: a.astype(np.float64), "array 'draws' .*float64"),
    ("partition", "draws", lambda a: a.astype(np.uint8), "array 'draws' .*uint8"),
    ("partition", "draws", lambda a: a.astype(np.int64), "draws(?!')"),
    ("partition", "counts", lambda a: -a, "draws(?!')"),
    ("partition", "counts", lambda a: a * np.nan, "array 'counts'(?!.*shape)"),
    ("partition", "counts", lambda a: a[:-1].copy(), "array 'counts'"),
    ("partition", "agreement.lengths", lambda a: a - a, "agreement.lengths"),
    ("partition", "agreement.lengths", lambda a: a + 1, "agreement.n_clusters"),
    ("partition", "agreement.distances", lambda a: a.astype(np.float32), "float64"),
    ("partition", "soft.membership", lambda a: a * 2, "row 0 .*membership"),
    ("partition", "soft.membership", lambda a: a[:, :1].copy(), "soft.labels"),
    ("partition", "soft.labels", lambda a: a + 9, "soft.labels"),
    ("partition", "starts.0", lambda a: a[None].copy(), "starts.0"),
    ("gaps", "similarity", lambda a: a * 2, "similarity"),
    ("gaps", "similarity", np.triu, "similarity"),
    ("mixture", "draws", lambda a: a[:-1].copy(), r"\d+ draws .*2 chains of"),
    ("mixture", "draws", lambda a: a[:, 1:] * 0, "density.items"),
    ("mixture", "draws", lambda a: a + 1, "array 'draws'(?!.*shape)"),
    ("mixture", "n_clusters", lambda a: a + 1, r"\d+ draws .*2 chains of"),
    ("mixture", "alpha", lambda a: -a, "concentration"),
    ("mixture", "log_joint", lambda a: a.T.copy(), "log_joint"),
    ("mixture", "density.items", lambda a: a[:-1].copy(), "density.items"),
    ("mixture", "density.labels", lambda a: a + 5, "array 'density.labels'(?!.*shape)"),
    ("mixture", "density.labels", lambda a: a[:0].copy(), "density.alphas"),
    ("mixture", "density.alphas", lambda a: a * 0, "draws .*density"),
    ("mixture", "density.prior.whitener", lambda a: a[:1].copy(), "density.prior.whitener"),
    ("mixture", "density.unit", lambda a: a * 0, "units"),
    ("mixture", "density.constant", lambda a: a.astype(np.int8), "'density.constant' .*int8"),
    ("ensemble", "item", lambda a: a[:-1].copy(), "array 'item'"),
    ("ensemble", "item", lambda a: a + 30, "items that it does not have"),
    ("ensemble", "row_weights", lambda a: a[:-1].copy(), "row_weights"),
    ("components", "density.first", lambda a: a[::-1].copy(), "components "),
    ("components", "density.first", lambda a: a * 2, "components "),
    ("components", "density.first", lambda a: np.r_[a[:2], a[1:-1]][:-1], "components "),
    ("components", "density.first", lambda a: np.r_[a[:2], a[1:2], a[3:]], "components "),
    ("components", "density.first", lambda a: a[:1].copy(), "components "),
    ("components", "density.mean", lambda a: a[:-1].copy(), "density.mean"),
    ("components", "density.log_weight", lambda a: a[:-1].copy(), "density.mean"),
    ("components", "density.whitener", lambda a: a * np.inf, "array 'density.whitener'(?!.*shape)"),
]


@pytest.mark.parametrize(("model", "name", "turned", "words"), SPOILED)
def test_arrays_of_draws_and_densities_that_cannot_be_are_refused(saved, tmp_path, model, name, turned, words):
    with np.errstate(invalid="ignore"), pytest.raises(ModelError, match=words):
        load(changed(saved / model, tmp_path / "m", lambda _: None, lambda own: own | {name: turned(own[name])}))


def test_any_array_that_is_left_out_is_missed(saved, tmp_path):
    for model in ("partition", "gaps", "mixture", "components"):
        for name in load_tensors((saved / model / "arrays.safetensors").read_bytes()):
            folder = tmp_path / model / name

            def without(own, name=name):
                return {key: array for key, array in own.items() if key != name}

            with pytest.raises(ModelError, match=f"array '{name}'(?!.*expected)"):
                load(changed(saved / model, folder, lambda _: None, without))


def test_any_value_that_is_left_out_is_missed_or_has_a_default(saved, tmp_path):
    """Of what describes a fit nothing is made up; of parameters this version's defaults stand for what is not there."""
    for model in ("partition", "gaps", "mixture", "components"):
        config = json.loads((saved / model / "model.json").read_text())["config"]
        for name in config.keys() - {"n_draws"}:  # which 0.1.0 did not keep

            def without(own, name=name):
                del own[name]

            with pytest.raises(ModelError, match=f"{name}"):
                load(changed(saved / model, tmp_path / model / name, without))

    def forgets(own):
        del own["parameters"]["n_jobs"]
        own["parameters"]["later"] = 1

    assert load(changed(saved / "gaps", tmp_path / "defaults", forgets)).n_jobs is None


def test_what_was_not_changed_loads(saved):
    for model in ("sof", "graph", "scams"):
        assert load(saved / model).predict(X).shape == (30,)
    for model in ("partition", "gaps"):
        assert load(saved / model).membership_.shape[0] == 12
    for model in ("mixture", "components"):
        assert load(saved / model).score_samples(X).shape == (30,)


def test_types_of_json_values():
    assert fits(None, int | None)
    assert fits({"a": 1}, dict[str, int])
    assert fits(1, float)
    assert not fits(1.0, int)
    assert not fits(True, float)
    assert not fits(0, bool)
