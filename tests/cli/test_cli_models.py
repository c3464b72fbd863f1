"""Every model of `partita fit`, with every solver that can do it, from file to model and back."""

import csv
import json
import warnings
from typing import get_args, get_type_hints

import numpy as np
import pytest

from optional import optional
from partita import estimators, load, save
from partita.cli.estimator_options import MODELS, builders
from partita.cli.options import FitOptions, Model
from partita.io import read_memberships
from partita.solvers import Solver

IRIS = ("--k", 3, "--label-column", "species", "--id-column", "plant", "--seed", 0)


@pytest.mark.parametrize("model", sorted(MODELS))
def test_a_fit_writes_the_same_files_for_every_model(call, iris_csv, tmp_path, model):
    done = call("fit", iris_csv, *IRIS, "--model", model, "--out", "out", "--n-init", 3)
    assert done.code == 0, done.err
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["parameters"]["model"] == model
    assert result["solver"] in Solver.registry
    assert result["scores"]["accuracy"] > 0.8
    with (tmp_path / "out" / "memberships.csv").open() as file:
        rows = list(csv.DictReader(file))
    W = np.array([[float(row[f"p_{k}"]) for k in range(3)] for row in rows])
    np.testing.assert_allclose(W.sum(axis=1), 1.0, atol=1e-12)
    fitted = load(tmp_path / "out")
    assert type(fitted) is MODELS[model]
    np.testing.assert_array_equal(fitted.membership_, W)
    assert (tmp_path / "out" / "report.html").stat().st_size > 10_000
    iris_csv.rename(tmp_path / "new.csv")
    again = call("predict", "out", "new.csv", "--out", "p.csv", "--label-column", "species", "--id-column", "plant")
    assert again.code == 0, again.err


def test_every_choice_of_model_and_affinity_is_known_to_the_command():
    assert set(get_args(Model)) == set(MODELS)
    said = get_type_hints(FitOptions, include_extras=True)["affinity"].__metadata__[0].help
    assert all(name in said for name, kind in builders().items() if not kind().pairwise)


MATCHING = [
    (model, solver)
    for model, kind in MODELS.items()
    for solver, method in sorted(Solver.registry.items())
    if model not in ("soft", "baum-eagon") and kind(2)._model().objective.domain.name in method.domains
]


@pytest.mark.parametrize(("model", "solver"), MATCHING)
def test_every_solver_can_be_named(call, tmp_path, blobs, model, solver):
    np.savetxt(tmp_path / "t.csv", blobs, delimiter=",", header="a,b", comments="")
    done = call("fit", "t.csv", "--k", 2, "--model", model, "--solver", solver, "--n-init", 2, "--out", "o", "--quiet")
    assert done.code == 0, done.err
    assert json.loads((tmp_path / "o" / "result.json").read_text())["solver"] == solver
    labels = load(tmp_path / "o").labels_
    assert len(set(labels[:40])) == len(set(labels[40:])) == 1


def test_a_solver_takes_its_options(call, tmp_path, blobs):
    np.savetxt(tmp_path / "t.csv", blobs, delimiter=",", header="a,b", comments="")
    fit = ("fit", "t.csv", "--k", 2, "--model", "sof", "--out", "o", "--solver")
    done = call(*fit, "penalty:hinge=squared,method=lbfgs,mu=3", "--n-init", 1)
    assert done.code == 0, done.err
    solver = load(tmp_path / "o").solver
    assert (solver.hinge, solver.method, solver.mu) == ("squared", "lbfgs", 3.0)
    for wrong, message in (
        ("penalty:hinge", "'hinge'"),
        ("penalty:step=1", "'step=1'"),
        ("subspace:memory=many", "memory=many"),
        ("projected-gradient:accelerate=perhaps", "accelerate=perhaps"),
        ("penalty:hinge=round", "hinge='round'"),
    ):
        refused = call(*fit, wrong, "--force")
        assert refused.code == 2
        assert message in refused.err


def test_unassigned_items_are_named_in_the_summary_the_files_and_the_report(call, tmp_path):
    P = np.kron(np.eye(2), np.ones((4, 4)))
    P = np.pad(P, (0, 1))  # the last item has no affinity to anything
    np.savetxt(tmp_path / "t.csv", P, delimiter=",")
    done = call("fit", "t.csv", "--input", "affinity", "--k", 2, "--model", "copositive", "--out", "o")
    assert done.code == 0, done.err
    says = "item 8 is unassigned"
    assert says in done.out + done.err
    assert any(says in note for note in json.loads((tmp_path / "o" / "result.json").read_text())["notes"])
    assert "tem 8 is unassigned" in (tmp_path / "o" / "report.html").read_text()
    assert load(tmp_path / "o").unassigned_.tolist() == [8]


def test_every_model_is_an_estimator():
    assert {kind.__name__ for kind in MODELS.values()} <= set(estimators.__all__)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (
            lambda X: estimators.BayesianPartition(random_state=0).fit(X.astype(int)),
            ["BayesianPartition", "partita fit"],
        ),
        (
            lambda X: estimators.DPGaussianMixture(n_draws=5, burn_in=5, random_state=0).fit(X),
            ["DPGaussianMixture", "score_samples"],
        ),
    ],
)
def test_a_model_without_memberships_of_new_items_says_what_to_do_instead(call, iris_csv, tmp_path, model, words):
    X = np.random.default_rng(0).normal(size=(12, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        save(model(X), tmp_path / "model")
    done = call("predict", "model", iris_csv, "--out", "p.csv")
    assert done.code == 2
    assert all(word in done.err for word in words), done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "p.csv").exists()


def test_rows_in_other_units_are_said_to_lie_outside(call, tmp_path):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(centre, 2, size=(40, 2)) for centre in ([30, 12], [60, 24])])
    for name, table in (("mm.csv", X), ("cm.csv", X / 10)):
        np.savetxt(tmp_path / name, table, delimiter=",", header="length,width", comments="")
    assert call("fit", "mm.csv", "--k", 2, "--out", "o", "--quiet").code == 0
    same = call("predict", "o", "mm.csv", "--out", "same.csv", "--json")
    assert not json.loads(same.out)["notes"]
    other = call("predict", "o", "cm.csv", "--out", "other.csv", "--json")
    (note,) = json.loads(other.out)["notes"]
    assert note.startswith("80 rows (the first: 0) lie outside")


def test_doubt_of_new_rows_is_written_where_the_model_tells_it(call, tmp_path):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(centre, 1, size=(60, 2)) for centre in ([0, 0], [9, 0])])
    for name, table in (("old.csv", X), ("new.csv", [[0, 0], [9, 0], [300, 300]])):
        np.savetxt(tmp_path / name, table, delimiter=",", header="length,width", comments="")
    for affinity in ("auto", "neighbors"):
        assert call("fit", "old.csv", "--k", 2, "--affinity", affinity, "--out", affinity, "--quiet").code == 0
        said = call("predict", affinity, "new.csv", "--out", f"{affinity}.csv")
        table = read_memberships(tmp_path / f"{affinity}.csv")
        if affinity == "neighbors":
            assert table.outlier is None
            continue
        assert (table.outlier > 0.5).tolist() == [False, False, True]
        assert (table.certainty > 0.9).tolist() == [True, True, False]
        assert "1 item probably in no cluster" in said.err + said.out
        shown = json.loads(call("predict", affinity, "new.csv", "--out", "again.csv", "--json").out)
        assert shown["n_outliers"] == 1


@pytest.mark.parametrize("affinity", ["ensemble", "neighbors"])
def test_a_model_of_the_command_takes_frames_by_their_names(call, tmp_path, blobs, affinity):
    pd = optional("pandas")
    frame = pd.DataFrame(blobs, columns=["a", "b"]).assign(c=np.arange(len(blobs)) % 3)
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert call("fit", "t.csv", "--k", 2, "--affinity", affinity, "--out", "o", "--quiet").code == 0
    model = load(tmp_path / "o")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = model.predict_proba(frame)
        np.testing.assert_array_equal(model.predict_proba(frame[["c", "b", "a"]]), found)
    np.testing.assert_array_equal(model.predict_proba(frame.to_numpy(float)), found)
    with pytest.raises(ValueError, match="'z'"):
        model.predict(frame.assign(z=1.0))
    again = model.fit(frame[["b", "a"]].rename(columns=str.upper))
    assert again.predict(frame[["b", "a"]].rename(columns=str.upper)).shape == (len(blobs),)


@pytest.mark.parametrize("affinity", ["ensemble", "neighbors"])
def test_predict_takes_the_columns_that_a_model_saved_in_python_knows(call, tmp_path, blobs, affinity):
    pd = optional("pandas")
    frame = pd.DataFrame(blobs, columns=["a", "b"])
    model = estimators.SoftClustering(2, affinity=affinity, random_state=0).fit(frame)
    save(model, tmp_path / "model")
    names = [f"n{k}" for k in range(len(blobs))]
    more = pd.DataFrame({"name": names, "b": blobs[:, 1], "weight": 1.5, "a": blobs[:, 0]})
    more.to_csv(tmp_path / "more.csv", index=False)
    np.savetxt(tmp_path / "bare.csv", blobs, delimiter=",")
    for file, said in (("more.csv", "'weight'"), ("bare.csv", "by their places"))[: 1 + (affinity == "neighbors")]:
        done = call("predict", "model", file, "--out", "p.csv", "--force")
        assert done.code == 0, done.err
        assert said in done.err
        assert "Warning" not in done.err
        found = read_memberships(tmp_path / "p.csv")
        np.testing.assert_allclose(found.membership, model.predict_proba(frame), atol=1e-12)
        assert affinity == "neighbors" or found.ids == names


@pytest.mark.parametrize("kind", ["distances", "affinity"])
def test_predict_knows_the_fitted_items_of_pairs_by_their_names(call, tmp_path, kind):
    rng = np.random.default_rng(0)
    old, new = (np.concatenate([rng.normal(centre, 1, (n, 2)) for centre in (0, 8, 16)]) for n in (9, 3))
    names = [f"s{k}" for k in range(27)]

    def write(name, points, columns=None, order=slice(None)):
        pairs = np.linalg.norm(points[:, None] - old, axis=2)
        pairs = (pairs if kind == "distances" else np.exp(-(pairs**2) / 20))[:, order]
        rows = [
            f"{'s' if points is old else 'n'}{k},{','.join(map(repr, row))}" for k, row in enumerate(pairs.tolist())
        ]
        header = [] if columns is None else ["id," + ",".join(columns)]
        rows = rows if header else [row.partition(",")[2] for row in rows]
        (tmp_path / name).write_text("\n".join([*header, *rows]) + "\n")

    def predicted(model, file):
        done = call("predict", model, file, "--out", "p.csv", "--force")
        return done, None if done.code else read_memberships(tmp_path / "p.csv").membership

    write("old.csv", old, names)
    write("new.csv", new, names)
    write("turned.csv", new, names[::-1], slice(None, None, -1))
    write("bare.csv", new)
    write("others.csv", new, [f"column{k}" for k in range(27)])
    assert call("fit", "old.csv", "--input", kind, "--k", 3, "--out", "o", "--quiet").code == 0
    done, expected = predicted("o", "new.csv")
    assert "order of the fit" not in done.err
    for model in ("o", "o/model"):
        done, found = predicted(model, "turned.csv")
        assert "order of the fit" in done.err
        np.testing.assert_allclose(found, expected, atol=1e-12)
    for file in ("bare.csv", "others.csv"):
        np.testing.assert_allclose(predicted("o", file)[1], expected, atol=1e-12)
    for wrong, named in ((["z", *names[1:]], "'z'"), (names[:-1], "'s26'")):
        write("wrong.csv", new, wrong, slice(len(wrong)))
        done, _ = predicted("o", "wrong.csv")
        assert done.code == 2
        assert named in done.err
    write("bare_old.csv", old)
    assert call("fit", "bare_old.csv", "--input", kind, "--k", 3, "--out", "b", "--quiet").code == 0
    np.testing.assert_allclose(predicted("b", "new.csv")[1], expected, atol=1e-12)
