"""[rotabulo2010] made again: what was transcribed, similarities against formulas, rules of the verdicts."""

import csv

import numpy as np
import pytest

from partita.datasets import describe
from partita.reproduce import experiment, reproduce
from partita.reproduce.baum_eagon.figure_findings import FitPanels, evinced, outline, recognised, smoothed
from partita.reproduce.baum_eagon.findings import comparable, findings, outperforms, subset_sizes, synthetic_order
from partita.reproduce.baum_eagon.published import PUBLISHED, SCOP
from partita.reproduce.baum_eagon.sets import DRAWN, FEATURES, ROWS, SIMILARITIES, items, similarities_of
from partita.reproduce.baum_eagon.table1 import Table1, grouped

PAPER = {row: {name: each.mean for name, each in PUBLISHED[printed].items()} for row, printed in ROWS.items()}
COUNTS = [count for _, count in describe("scop507").counts]


def over(means):
    return {row: {"as it is": each} for row, each in means.items()}


def verdicts(means):
    return {finding.claim: finding.verdict for finding in findings(means, over(means), COUNTS)}


def test_the_papers_own_figures_reproduce_what_the_paper_says():
    said = verdicts(PAPER)
    subset = next(claim for claim in said if "SCOP" in claim)
    assert said.pop(subset) == "cannot be"
    assert set(said.values()) == {"reproduced"}
    assert len(said) == 4


def test_figures_that_are_the_other_way_round_do_not():
    turned = {
        row: {"BE": 0.2, "CP": 0.5, "NCUT": 0.3, "NJW": 0.4} if row != "Iris" else dict.fromkeys(PAPER[row], 0.5)
        for row in PAPER
    }
    turned["Iris"]["CP"] = 0.9
    assert "reproduced" not in verdicts(turned).values()
    half = {**turned, "Digit": PAPER["Digit"]}
    assert next(v for claim, v in verdicts(half).items() if "outperformed the competitors" in claim) == "in part"


def test_rules_of_the_claims():
    means = {"BE": 0.7, "CP": 0.6, "NCUT": 0.65, "NJW": 0.69}
    assert outperforms(means)
    assert not outperforms({**means, "NJW": 0.7})
    assert not comparable(means)
    assert comparable(dict.fromkeys(means, 0.9))
    assert synthetic_order({"BE": 0.99, "CP": 0.5, "NCUT": 1.0, "NJW": 0.6})
    assert not synthetic_order({"BE": 1.0, "CP": 0.5, "NCUT": 0.99, "NJW": 0.6})


def test_no_five_superfamilies_of_the_set_at_hand_are_the_papers_subset():
    assert len(COUNTS) - 1 == SCOP[0]
    assert subset_sizes(COUNTS) == sorted(507 - count for count in COUNTS)
    assert SCOP[1] not in subset_sizes(COUNTS)


def test_similarities_are_symmetric_nonnegative_and_as_their_formulas_say():
    X = np.random.default_rng(0).uniform(0.1, 2.0, size=(40, 3))
    D = np.linalg.norm(X[:, None] - X, axis=2)
    found = {name: make(X) for name, make in SIMILARITIES["features"].items()}
    for S in found.values():
        np.testing.assert_array_equal(S, S.T)
        assert S.min() >= 0
    sigma = np.sort(D, axis=1)
    np.testing.assert_allclose(found["self-tuning"], np.exp(-(D**2) / np.outer(sigma[:, 7], sigma[:, 7])), rtol=1e-9)
    laplacian = np.exp(-D / np.sqrt(np.outer(sigma[:, 10], sigma[:, 10])))
    np.testing.assert_allclose(found["relative, Laplacian"], laplacian, rtol=1e-9)
    median = np.median(D[np.triu_indices(40, 1)])
    np.testing.assert_allclose(found["Gaussian, median"], np.exp(-(D**2) / (2 * median**2)), rtol=1e-9, atol=1e-12)
    near = sigma[:, 10][:, None] >= D
    np.testing.assert_array_equal(found["10 neighbours"], (near | near.T).astype(float))
    cosine = X @ X.T / np.outer(np.linalg.norm(X, axis=1), np.linalg.norm(X, axis=1))
    np.testing.assert_allclose(found["cosine"], cosine, rtol=1e-12)
    given = np.array([[3.0, 0.0], [0.0, 1.0]])
    np.testing.assert_array_equal(SIMILARITIES["given"]["hit or not"](given), np.eye(2))
    np.testing.assert_allclose(SIMILARITIES["given"]["logarithm"](given), np.log([[4, 1], [1, 2]]))


def test_every_guess_of_the_blocks_is_the_same_each_time():
    rows = [row for row in ROWS if row.startswith("S-Block")]
    assert len(rows) == 5
    for row in rows:
        one, other = items(row), items(row)
        np.testing.assert_array_equal(one.given, other.given)
        assert one.given.shape == (100, 100)
        assert one.n_clusters == 5
        assert similarities_of(row) == ["as given"]
    assert DRAWN == 2010


def test_quick_cells_are_cells_of_a_full_run():
    keys = {size: {(c.key, c.fingerprint()) for c in Table1().cells(size)} for size in ("full", "quick", "smoke")}
    assert keys["smoke"] < keys["quick"] < keys["full"]
    runs = [key for key, _ in keys["full"] if key.startswith("Digit/self-tuning/BE/")]
    assert len(runs) == 10


def test_runs_are_grouped_in_their_order():
    found = {f"Iris/self-tuning/BE/{run}": {"accuracy": run / 20} for run in (10, 2, 0)}
    assert grouped(found) == {("Iris", "self-tuning", "BE"): [0.0, 0.1, 0.5]}


def test_the_outline_of_an_exact_block_matrix_has_no_noise_and_its_own_contrast():
    truth = np.repeat([0, 1, 2], 4)
    S = np.where(truth[:, None] == truth, 0.6, 0.2)
    noise, contrast = outline(S, truth)
    assert noise == pytest.approx(0.0, abs=1e-12)
    assert contrast == pytest.approx(3.0)
    louder = S + np.random.default_rng(1).normal(0, 0.1, size=S.shape)
    assert outline(louder, truth)[0] == pytest.approx(0.1 / 0.4, rel=0.3)  # 132 pairs: 6% of standard error


def test_what_a_figure_shows_does_not_depend_on_the_order_of_the_clusters():
    rng = np.random.default_rng(2)
    truth = np.repeat([0, 1, 2], 5)
    W = rng.dirichlet(np.ones(3), size=15) * 0.2 + 0.8 * np.eye(3)[truth]
    S = W @ W.T
    one, other = (FitPanels.of(W[:, order], 1.0, S, truth) for order in ([0, 1, 2], [2, 0, 1]))
    np.testing.assert_array_equal(one.membership, other.membership)
    assert one.accuracy == other.accuracy == 1.0
    np.testing.assert_allclose(one.likelihood, S)
    assert one.noise[0] == pytest.approx(one.noise[1])


def test_rules_of_the_figures():
    assert smoothed(0.5, 0.1) == "reproduced"
    assert smoothed(0.5, 0.6) == "not reproduced"
    assert recognised(0.4) == "reproduced"
    assert recognised(1.1) == "not reproduced"
    assert evinced(1.0, 0.8, 0.99) == "reproduced"
    assert evinced(1.0, 0.4, 0.99) == "in part"
    assert evinced(0.9, 0.8, 0.99) == "not reproduced"


@pytest.mark.data
@pytest.mark.parametrize("name", ["baum-eagon-table1", "baum-eagon-figure1", "baum-eagon-figure2"])
def test_every_table_and_figure_is_made_with_its_files(name, tmp_path, data_home):
    record = reproduce(experiment(name), tmp_path, size="smoke", n_jobs=1)
    folder = tmp_path / name
    assert record["findings"]
    for drawing in record["drawings"]:
        assert (folder / f"{drawing['name']}.png").read_bytes().startswith(b"\x89PNG")
        assert len({len(column) for column in drawing["series"].values()}) == 1
    with (folder / "numbers.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows
    assert all(row["value"] or row["words"] for row in rows)
    assert set(FEATURES) == {"Digit", "Iris"}
