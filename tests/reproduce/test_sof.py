"""[zhao2015] made again: what was transcribed is consistent, statistics are SciPy's, rules judge as they say."""

import csv

import numpy as np
import pytest
import scipy.stats
from sklearn.metrics import adjusted_rand_score, rand_score

from partita import metrics
from partita.datasets import describe
from partita.reproduce import experiment, reproduce
from partita.reproduce.sof.findings import (
    findings,
    neighbour_finding,
    share_verdict,
    spectral_verdict,
    target_verdict,
)
from partita.reproduce.sof.methods import METHODS, of_kind
from partita.reproduce.sof.published import PUBLISHED, STATISTICS, least_rand_of_two, one_cluster
from partita.reproduce.sof.sets import SETS, n_runs, taken
from partita.reproduce.sof.shape_findings import boundary_findings, boundary_ratio, cluster_findings
from partita.reproduce.sof.shapes import distance_to_another
from partita.reproduce.sof.speed import speed_verdict
from partita.reproduce.sof.summary import Summary, best_of, better_than_all, mean_ranks, signed_rank
from partita.reproduce.sof.tables import Table3, Table4, Table5

TABLES = (Table3, Table4, Table5)
SCORES = ("purity", "rand", "accuracy")


def made_up(value):
    """Cells of two runs of every method on every set; `value(method, set, score)`."""
    return {
        f"{name}/{method}/{run}": {score: value(method, name, score) for score in (*SCORES, "seconds")}
        for name in SETS
        for method, settings in METHODS.items()
        if name not in settings.without
        for run in range(2)
    }


def as_printed(method, name, score):
    if score == "seconds":
        return 1.0
    row = PUBLISHED[score].get(method, PUBLISHED[score]["SoF"])
    return row[name].value


def verdicts(found, score):
    return {finding.claim: finding.verdict for finding in findings(Summary.of(found, score))}


@pytest.mark.parametrize("score", SCORES)
def test_the_printed_daggers_are_on_the_highest_figure_of_their_column(score):
    printed = PUBLISHED[score]
    assert list(printed) == [method.name for method in of_kind("paper")]
    for name in SETS:
        top = max(row[name].value for row in printed.values())
        for row in printed.values():
            assert 0.1 <= row[name].value <= 1
            assert not row[name].dagger or row[name].value == top


def test_one_printed_purity_is_below_its_accuracy_and_none_below_the_largest_class():
    below = []
    for name, file in SETS.items():
        counts = np.array([count for _, count in describe(file).counts])
        for method, row in PUBLISHED["purity"].items():
            if row[name].value < PUBLISHED["accuracy"][method][name].value:
                below.append((method, name))
            assert row[name].value >= counts.max() / counts.sum() - 0.005
    assert below == [("SP-NJW", "BT")]
    words = [f.words for f in findings(Summary.of(made_up(as_printed), "accuracy")) if f.verdict == "cannot be"]
    assert any("impossible for SP-NJW on BT (purity 0.40, accuracy 0.42)" in each for each in words)


def test_purity_is_at_least_accuracy_in_every_run():
    rng = np.random.default_rng(5)
    for _ in range(50):
        labels, truth = rng.integers(4, size=20), rng.integers(3, size=20)
        assert metrics.purity(labels, truth) >= metrics.accuracy(labels, truth)


def test_printed_statistics_are_those_of_the_catalogue():
    for name, file in SETS.items():
        entry = describe(file)
        assert STATISTICS[name] == (*entry.shape, entry.n_clusters)


def test_one_cluster_scores_as_the_metrics_say():
    truth = np.repeat([0, 1, 2], [5, 9, 3])
    labels = np.zeros_like(truth)
    found = one_cluster([5, 9, 3])
    assert found["purity"] == pytest.approx(metrics.purity(labels, truth))
    assert found["rand"] == pytest.approx(rand_score(truth, labels))
    assert found["accuracy"] == pytest.approx(metrics.accuracy(labels, truth))


def test_of_two_clusters_and_two_classes_accuracy_says_the_rand_index():
    rng = np.random.default_rng(0)
    for n in (7, 40):
        for _ in range(20):
            labels, truth = rng.integers(2, size=(2, n))
            expected = rand_score(truth, labels)
            assert least_rand_of_two(metrics.accuracy(labels, truth), n) == pytest.approx(expected)


def test_the_signed_rank_test_is_scipys_and_leaves_equal_pairs_out():
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=20), rng.normal(size=20)
    assert signed_rank(first, second) == pytest.approx(scipy.stats.wilcoxon(first, second).pvalue)
    second[:5] = first[:5]
    assert signed_rank(first, second) == pytest.approx(scipy.stats.wilcoxon(first[5:], second[5:]).pvalue)
    assert signed_rank(first, first) == 1.0


def test_the_exact_p_counts_every_sign_pattern():
    difference = np.array([0.4, 0.1, -0.2, 0.9, 0.5, 0.3, 0.8])
    ranks = scipy.stats.rankdata(np.abs(difference))
    signs = np.array(np.meshgrid(*[[0, 1]] * 7)).reshape(7, -1)
    sums = ranks @ signs
    observed = ranks[difference > 0].sum()
    p = 2 * min((sums >= observed).mean(), (sums <= observed).mean())
    assert signed_rank(difference, np.zeros(7)) == pytest.approx(min(p, 1.0))


def test_a_dagger_needs_every_other_method_to_be_beaten():
    rng = np.random.default_rng(2)
    noise = rng.normal(size=20) * 0.01
    runs = {"best": list(0.9 + noise), "worse": list(0.8 + noise[::-1]), "far": [0.5] * 20}
    assert better_than_all(runs, "best")
    assert not better_than_all(runs, "worse")
    assert not better_than_all(runs | {"twin": list(0.9 + noise[::-1])}, "best")
    assert not better_than_all({name: scores[:5] for name, scores in runs.items()}, "best")  # p >= 1/16


def test_mean_ranks_average_scipys_ranks():
    rng = np.random.default_rng(3)
    table = rng.integers(0, 4, size=(5, 6)) / 4
    expected = np.mean([scipy.stats.rankdata(-column) for column in table.T], axis=0)
    ranks = mean_ranks({str(k): row for k, row in enumerate(table)})
    np.testing.assert_allclose(list(ranks.values()), expected)
    assert sum(ranks.values()) == pytest.approx(5 * 6 / 2)
    assert best_of({"a": 0.3, "b": 0.1 + 0.2}) == ["a", "b"]


def test_quick_and_smoke_cells_are_cells_of_a_full_run():
    keys = {size: {(c.key, c.fingerprint()) for c in Table3().cells(size)} for size in ("full", "quick", "smoke")}
    assert keys["smoke"] < keys["quick"] < keys["full"]
    runs = [key.rsplit("/", 1)[0] for key, _ in keys["full"]]
    assert runs.count("GL/SoF") == n_runs("GL", "full") == 20
    # what is said of the starts is said of as many runs of each
    assert runs.count("GL/k-means start") == runs.count("GL/random start") == 20
    assert runs.count("GL/n = 5") == 5
    assert not any(key.startswith("DIG/SoF, Algorithm 1/") for key, _ in keys["full"])
    assert {c.key for c in Table4().cells("full")} == {key for key, _ in keys["full"]}
    assert set(taken("full")) == set(SETS)


@pytest.mark.parametrize("table", TABLES)
def test_the_papers_own_figures_reproduce_what_the_paper_says(table):
    found = made_up(as_printed)
    said = verdicts(found, table.score)
    assert next(v for claim, v in said.items() if "of the nine other methods" in claim) == "reproduced"
    assert next(v for claim, v in said.items() if claim.endswith("of SoF on IMG, DIG, GL, BT.")) == "reproduced"
    assert next(v for claim, v in said.items() if "performs badly" in claim) in ("reproduced", "in part")
    outcome = table().outcome(found, "quick")
    assert [row for row, _ in outcome.tables[0].rows][:10] == list(PUBLISHED[table.score])
    for row, entries in outcome.tables[0].rows[:10]:
        for entry in entries:
            assert entry.difference == pytest.approx(0.0), row


@pytest.mark.parametrize("score", SCORES)
def test_figures_that_are_far_off_are_not_reproduced(score):
    """SoF at the bottom, everything else at the top."""
    found = made_up(lambda method, *_: 0.1 if method.startswith("SoF") else 0.99)
    said = verdicts(found, score)
    for start in ("SoF achieves", "SoF consistently", "Spectral clustering"):
        assert next(v for claim, v in said.items() if claim.startswith(start)) != "reproduced"
    assert "not reproduced" in [v for claim, v in said.items() if claim.startswith("The ")]


@pytest.mark.parametrize("score", SCORES)
def test_a_figure_that_is_off_says_which_variant_is_not(score):
    def spoiled(method, set_name, *rest):
        return 0.1 if set_name == "BT" and method != "k-means start" else as_printed(method, set_name, *rest)

    finding = next(f for f in findings(Summary.of(made_up(spoiled), score)) if f.claim.endswith("on IMG, DIG, GL, BT."))
    assert finding.verdict == "in part"
    assert finding.words.endswith("Of the variants below these are within every bound: k-means start.")


@pytest.mark.parametrize("score", SCORES)
def test_a_figure_that_is_reproduced_says_under_which_settings_it_would_not_be(score):
    def spoiled(method, set_name, *rest):
        far = set_name == "IMG" and METHODS[method].kind == "variant" and method != "n = 20"
        return 0.1 if far else as_printed(method, set_name, *rest)

    finding = next(f for f in findings(Summary.of(made_up(spoiled), score)) if f.claim.endswith("on IMG, DIG, GL, BT."))
    assert finding.verdict == "reproduced"
    assert finding.words.endswith("Of the variants below these are within every bound: n = 20.")


def test_the_printed_figures_of_symnmf_on_blood_cannot_both_be():
    accuracy, rand = (PUBLISHED[score]["SymNMF"]["BL"].value for score in ("accuracy", "rand"))
    assert rand + 0.005 < least_rand_of_two(accuracy - 0.005, 748)
    words = next(f.words for f in findings(Summary.of(made_up(as_printed), "rand")) if f.verdict == "cannot be")
    assert words.endswith("The printed pair is impossible for SymNMF.")


def test_ranks_say_whether_ours_is_first():
    ahead = made_up(lambda method, *_: 0.9 if method.startswith("SoftClustering") else 0.5)
    behind = made_up(lambda method, *_: 0.1 if method.startswith("SoftClustering") else 0.5)
    for found, expected in ((ahead, "reproduced"), (behind, "not reproduced")):
        assert {v for claim, v in verdicts(found, "purity").items() if claim.startswith("Ours")} == {expected}


def test_rules_of_the_verdicts():
    assert target_verdict({"IMG": -0.03, "BT": 0.06}) == "reproduced"
    assert target_verdict({"IMG": -0.031, "BT": 0.07}) == "not reproduced"
    assert [share_verdict(hits, 7) for hits in (7, 6, 5, 3)] == [
        "reproduced",
        "reproduced",
        "in part",
        "not reproduced",
    ]
    assert spectral_verdict(False, [False, False]) == "not reproduced"
    assert spectral_verdict(True, [True, True]) == "reproduced"


def test_rules_of_speed_and_of_n():
    seconds = {"K-means": 1, "S-means": 1, "GMM": 2, "NMF": 3, "RNMF": 3, "GNMF": 3, "SymNMF": 4, "SoF": 5}
    assert speed_verdict(seconds) == "reproduced"
    assert speed_verdict({**seconds, "S-means": 9, "SoF": 2}) == "not reproduced"
    same = made_up(lambda *_: 0.5)
    moved = made_up(lambda method, *_: 0.5 + 0.1 * (method == "n = 20"))
    assert neighbour_finding(Summary.of(same, "rand")).verdict == "reproduced"
    assert neighbour_finding(Summary.of(moved, "rand")).verdict == "not reproduced"


def pattern(entropy, *, score, sure=0.9):
    return {
        "entropy": entropy,
        "distance": [1.0, 2.0, 3.0, 4.0],
        "labels": [0, 1, 2, 2],
        "adjusted_rand": score,
        "without_background": score,
        "attainable": 0.8,
        "purity": score,
        "sure": sure,
        "largest": sure,
        "affinity_mean": 0.1,
    }


def test_rules_of_the_figures():
    good = {f"{p}/SoF": pattern([0.9, 0.1, 0.1, 0.1], score=0.96) for p in range(1, 7)}
    bad = {f"{p}/SoF": pattern([0.1, 0.5, 0.6, 0.7], score=0.2, sure=0.1) for p in range(1, 7)}
    for judge in (cluster_findings, boundary_findings):
        assert {finding.verdict for finding in judge(good)} == {"reproduced"}
        assert {finding.verdict for finding in judge(bad)} == {"not reproduced"}
    mixed = good | {"1/SoF": bad["1/SoF"]}
    assert cluster_findings(mixed)[0].verdict == "in part"
    assert boundary_ratio(good["1/SoF"]) == pytest.approx(9.0)


def test_the_distance_to_another_cluster_is_the_least_of_all_pairs():
    rng = np.random.default_rng(4)
    X, labels = rng.normal(size=(30, 2)), rng.integers(3, size=30)
    D = np.linalg.norm(X[:, None] - X, axis=2)
    expected = np.where(labels[:, None] != labels, D, np.inf).min(axis=1)
    np.testing.assert_allclose(distance_to_another(X, labels), expected)


@pytest.mark.data
@pytest.mark.parametrize("name", ["sof-table2", "sof-table3", "sof-table4", "sof-table5", "sof-figure1", "sof-figure2"])
def test_every_table_and_figure_is_made_with_its_files(name, tmp_path, data_home):
    record = reproduce(experiment(name), tmp_path, size="smoke", n_jobs=1)
    folder = tmp_path / name
    assert record["findings"]
    assert (folder / "index.html").stat().st_size > 1000
    for drawing in record["drawings"]:
        assert (folder / f"{drawing['name']}.png").read_bytes().startswith(b"\x89PNG")
    with (folder / "numbers.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows
    assert all(row["value"] or row["words"] for row in rows)


@pytest.mark.data
def test_a_cell_scores_the_labels_that_it_has(data_home, tmp_path):
    """The first table's score of pattern 3 is scikit-learn's of the labels that were kept."""
    from partita.reproduce.sof.shapes import Figure1, shape

    cell = next(c for c in Figure1().cells("smoke") if c.key == "3/SoftClustering")
    found = Figure1().compute(cell, np.random.default_rng(0))
    assert found["adjusted_rand"] == pytest.approx(adjusted_rand_score(shape(3).truth, found["labels"]))
    assert found["sure"] <= 1
