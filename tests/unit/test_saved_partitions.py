"""A BayesianPartition that was saved is the one that was fitted: every attribute, every method, to the bit."""

import dataclasses
import json
import re
import warnings

import numpy as np
import pytest
from safetensors.numpy import load as load_tensors
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import synthetic
from alike import differences
from partita import BayesianPartition, expected_loss, load, save
from partita.errors import InputError, MemoryLimitError, ModelError
from partita.partition.losses import Binder, ConstantPotts, PartitionLoss, VariationOfInformation
from partita.partition.named_draws import NamedDraws

LOSSES = [
    *sorted(PartitionLoss.registry),
    Binder(a=0.9, normalize="pairs"),
    VariationOfInformation(a=1.0, unit="nats"),
    ConstantPotts(0.4, price=0.5),
]


def posterior(n_draws=60, n_items=18, n_clusters=3, noise=0.2, seed=0):
    return synthetic.posterior(n_draws, n_items, n_clusters, noise, seed)[0]


def lacking():
    """The same with a tenth of the labels missing."""
    draws = synthetic.with_gaps(posterior(), 0.1, seed=1).astype(float)
    draws[draws < 0] = np.nan
    return draws


def answers(model):
    """What every public method says."""
    said = {"psm": model.psm(), "notes": model.notes_, "membership": model.membership_, "misfit": model.misfit_}
    said |= {"entropy": model.entropy_, "tried": model.tried_, "fit": model.membership_result_}
    if model.draws_ is not None:
        said |= {"balls": [model.credible_ball(level) for level in (0.5, 0.95)], "cores": model.certain_items(0.6)}
        said |= {"binder": model.credible_ball(loss="binder"), "certainty": model.certainty(), "modes": model.modes()}
    return said


def came_back(model, folder):
    save(model, folder)
    assert sorted(file.name for file in folder.iterdir()) == ["arrays.safetensors", "model.json"]
    return load(folder)


@pytest.mark.parametrize("asked", [True, False], ids=["membership asked for", "not yet"])
@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_all_of_it_comes_back_to_the_bit(tmp_path, loss, asked):
    model = BayesianPartition(loss, random_state=0).fit(posterior())
    if asked:
        before = answers(model)
    found = came_back(model, tmp_path / "model")
    assert ("_soft" in vars(found)) == asked
    assert not differences(vars(model), vars(found))
    before = before if asked else answers(model)
    now = answers(found)
    seconds = before["fit"].seconds, before["fit"].restarts[0].seconds
    if not asked:  # the membership is made twice: all but the clock is the same
        for said in (before, now):
            restarts = tuple(dataclasses.replace(restart, seconds=0.0) for restart in said["fit"].restarts)
            said["fit"] = dataclasses.replace(said["fit"], seconds=0.0, restarts=restarts)
    assert not differences(before, now)
    assert min(seconds) > 0
    if loss not in ("pear", "vi_lb") and not isinstance(loss, ConstantPotts):
        assert found.expected_loss_ == pytest.approx(expected_loss(found.labels_, posterior(), loss=loss), abs=1e-12)
    together = synthetic.similarity_of(posterior())
    np.testing.assert_allclose(found.psm(), together, atol=1e-12)


@pytest.mark.parametrize("loss", ["binder", "pear", "vi_lb"])
def test_a_partition_of_draws_that_lack_items_comes_back(tmp_path, loss):
    chain = np.arange(60) // 30
    model = BayesianPartition(loss, missing="unobserved", random_state=0).fit(lacking(), chain=chain)
    before = answers(model)
    found = came_back(model, tmp_path / "model")
    assert not differences(vars(model), vars(found))
    assert not differences(before, answers(found))
    assert found.draws_ is None
    assert any("were not compared" in note for note in found.notes_)
    with pytest.raises(InputError, match="draws"):
        found.credible_ball()


@pytest.mark.parametrize("names", [[0, 1], [7, -3], ["one", "zwei"], [False, True]], ids=str)
@pytest.mark.parametrize("n", [4, 40])
def test_what_chains_say_of_each_other_comes_back(tmp_path, names, n):
    draws = np.r_[posterior(n), posterior(n + 2, seed=1, n_clusters=2)]
    chain = np.repeat(names, [n, n + 2])
    model = BayesianPartition(random_state=0).fit(draws, chain=chain)
    found = came_back(model, tmp_path / "model")
    assert model.agreement_ is not None
    assert not differences(model.agreement_, found.agreement_)
    assert model.notes_ == found.notes_


def test_numbers_that_json_does_not_have_come_back(tmp_path):
    model = BayesianPartition(random_state=0).fit(posterior(), chain=np.arange(60) // 30)
    hats = {"n_clusters": np.inf, "distance": np.nan}
    model.agreement_ = dataclasses.replace(model.agreement_, r_hat=hats, least_effective=-np.inf)
    assert not differences(model.agreement_, came_back(model, tmp_path / "model").agreement_)


@pytest.mark.parametrize(
    "items", [np.array([f"gène {i}" for i in range(18)]), np.array(["", *"abcdefghijklmnopq"], dtype=object)]
)
def test_names_of_items_come_back(tmp_path, items):
    model = BayesianPartition(random_state=0).fit(NamedDraws(posterior(), items=items))
    assert came_back(model, tmp_path / "model").items_.tolist() == items.tolist()


def test_weights_copies_and_wide_labels_come_back(tmp_path):
    draws = posterior(n_draws=12, n_items=300, n_clusters=200, noise=0.05)
    draws = np.r_[draws, draws[:4]]
    weights = np.random.default_rng(2).random(16)
    model = BayesianPartition("binder", random_state=0, n_init=1).fit(draws, weights=weights)
    found = came_back(model, tmp_path / "model")
    assert not differences(vars(model), vars(found))
    assert (found.draws_.n_draws, found.draws_.n_given, found.draws_.labels.dtype) == (12, 16, np.int16)
    assert found.draws_.worth == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert not differences(model.psm(), found.psm())


def test_a_search_that_was_cut_short_says_so_again(tmp_path):
    with pytest.warns(ConvergenceWarning, match="max_seconds"):
        model = BayesianPartition(max_seconds=1e-9, random_state=0).fit(posterior())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = came_back(model, tmp_path / "model")
    assert found.result_.status == "max_seconds"
    assert not differences(vars(model), vars(found))
    model.result_ = dataclasses.replace(model.result_, status="interrupted", runs=(), n_agreeing=0, seed=None)
    assert not differences(vars(model), vars(came_back(model, tmp_path / "again")))


def test_parameters_come_back_and_fit_the_same(tmp_path):
    mine, yours = np.arange(18) // 9, np.arange(18) % 2
    parameters = {
        "loss": Binder(np.float64(0.8)),
        "max_clusters": 2,
        "n_init": np.int64(3),
        "random_state": 5,
        "n_jobs": 2,
    }
    for starts in ((), ("sof", "nmf-ls"), ("sof", mine), {"mine": mine, "yours": yours}, (mine,)):
        model = BayesianPartition(starts=starts, **parameters).fit(posterior())
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        found = came_back(model, folder)
        assert not differences(model.get_params() | {"n_init": 3, "loss": Binder(0.8)}, found.get_params())
        assert any("max_clusters" in note for note in found.notes_)
        refit = found.fit(posterior())
        np.testing.assert_array_equal(refit.labels_, model.labels_)
        assert [run.start for run in refit.result_.runs] == [run.start for run in model.result_.runs]


def test_starts_in_words_are_kept_as_the_partitions_that_they_are(tmp_path):
    words = np.array(["b", "a"])[posterior(n_clusters=2)[0]]
    model = BayesianPartition(starts={"mine": words}, random_state=0).fit(posterior(n_clusters=2))
    kept = came_back(model, tmp_path / "model").starts["mine"]
    assert ((kept[:, None] == kept) == (words[:, None] == words)).all()


def test_a_generator_is_left_out_and_the_rest_is_kept(tmp_path):
    model = BayesianPartition(random_state=np.random.default_rng(0)).fit(posterior())
    found = came_back(model, tmp_path / "model")
    assert found.random_state is None
    assert not differences(vars(model) | {"random_state": None}, vars(found))


def test_draws_are_written_in_as_few_bytes_as_they_have(tmp_path):
    model = BayesianPartition(random_state=0).fit(posterior(n_draws=500).astype(np.int64))
    save(model, tmp_path / "model")
    arrays = load_tensors((tmp_path / "model" / "arrays.safetensors").read_bytes())
    assert arrays["draws"].dtype == arrays["runs"].dtype == np.int8
    assert arrays["draws"].nbytes == model.draws_.n_draws * 18


class Mine(Binder):
    """A loss under its parent's name."""


class MyPartition(BayesianPartition):
    """Who knows what it keeps."""


@pytest.mark.parametrize(
    ("model", "changed", "words"),
    [
        (BayesianPartition(Mine()), {}, "Mine"),
        (MyPartition(), {}, "MyPartition"),
        (BayesianPartition(), {"starts": {3: posterior()[0]}}, r"starts .*\[3\]"),
        (BayesianPartition(), {"starts": [print]}, "starts"),
        (BayesianPartition(), {"max_seconds": np.inf}, "max_seconds=inf"),
        (BayesianPartition(), {"n_jobs": print}, "n_jobs="),
    ],
)
def test_what_cannot_be_saved_is_named_and_nothing_is_left(tmp_path, model, changed, words):
    model.set_params(random_state=0).fit(posterior()).set_params(**changed)
    with pytest.raises(InputError, match=words):
        save(model, tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_what_was_not_fitted_is_not_saved_and_nothing_is_left(tmp_path):
    with pytest.raises(NotFittedError, match="BayesianPartition"):
        save(BayesianPartition(), tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_a_subclass_under_its_parents_name_is_not_taken_for_it(tmp_path):
    namesake = type("BayesianPartition", (BayesianPartition,), {})
    with pytest.raises(InputError, match=r"^BayesianPartition .*SCAMS"):
        save(namesake(random_state=0).fit(posterior()), tmp_path / "model")


def test_a_fit_that_failed_is_no_model(tmp_path):
    model = BayesianPartition(random_state=0).fit(posterior())
    with pytest.raises(InputError):
        model.fit([[0.5, 1.0]])
    with pytest.raises(NotFittedError):
        save(model, tmp_path / "model")


def test_a_folder_that_exists_is_left_as_it_is(tmp_path):
    model = BayesianPartition(random_state=0).fit(posterior())
    (tmp_path / "model").mkdir()
    with pytest.raises(InputError, match=re.escape(str(tmp_path / "model"))):
        save(model, tmp_path / "model")
    assert not list((tmp_path / "model").iterdir())


def test_memory_is_asked_for_before_it_is_taken(tmp_path, monkeypatch):
    model = BayesianPartition("binder", random_state=0, n_init=0).fit(posterior(n_draws=300, n_items=60))
    save(model, tmp_path / "model")
    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", str(300 * 60))
    with pytest.raises(MemoryLimitError, match=r"again\..* 18\.0 kB"):
        save(model, tmp_path / "again")
    assert not (tmp_path / "again").exists()
    with pytest.raises(MemoryLimitError, match=r"22\.2 kB .*18\.0 kB"):
        load(tmp_path / "model")


def test_names_too_long_to_be_read_again_are_not_written(tmp_path, monkeypatch):
    from partita.io import models

    monkeypatch.setattr(models, "LARGEST", 20_000)
    items = np.array([f"{i}" * 1000 for i in range(18)])
    model = BayesianPartition(random_state=0, n_init=0).fit(NamedDraws(posterior(n_draws=5), items=items))
    with pytest.raises(ModelError, match=r"config .*20,000"):
        save(model, tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_the_description_is_json_that_people_can_read(tmp_path):
    save(BayesianPartition("vi", random_state=0).fit(posterior()), tmp_path / "model")
    config = json.loads((tmp_path / "model" / "model.json").read_text())["config"]
    assert config["estimator"] == "BayesianPartition"
    assert config["parameters"]["loss"] == "vi"
    assert config["fitted_loss"] == {"loss": {"name": "vi", "a": 1.0, "unit": "bits"}}
    assert config["search"]["status"] == "converged"


def test_which_draws_were_equal_and_the_log_joint_of_chains_come_back(tmp_path):
    draws = np.where((np.arange(100) % 10 < 7)[:, None], np.arange(18) // 9, np.arange(18) % 3)
    level = np.random.default_rng(0).normal(size=100)
    given = NamedDraws(draws, np.arange(100) // 50, traces={"log_joint": level})
    model = BayesianPartition(random_state=0).fit(given)
    found = came_back(model, tmp_path / "model")
    assert not differences(model.agreement_, found.agreement_)
    assert set(found.agreement_.r_hat) == {"n_clusters", "distance", "log_joint"}
    np.testing.assert_array_equal(found.modes().labels, (np.arange(100) % 10 >= 7).astype(int))
    assert [len(mode.draws) for mode in found.modes().modes] == [70, 30]
