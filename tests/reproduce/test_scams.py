"""Tables and figures of [li2014]: every experiment runs, and its rules say what they are meant to."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score, rand_score

from partita import SCAMS
from partita.reproduce import experiment, reproduce
from partita.reproduce.experiment import Cell, random_numbers
from partita.reproduce.outcome import Entry, Table
from partita.reproduce.scams import figure2, table1
from partita.reproduce.scams.affinities import CHOSEN, affinities, others
from partita.reproduce.scams.figure1 import claims as figure1_claims
from partita.reproduce.scams.figure1 import contaminated
from partita.reproduce.scams.figure2_claims import (
    all_three_claim,
    group_claims,
    noise_claims,
    our_claim,
    reading_claim,
)
from partita.reproduce.scams.figure3 import claims as figure3_claims
from partita.reproduce.scams.figure3 import principal
from partita.reproduce.scams.lines import Lines, score_tables
from partita.reproduce.scams.methods import (
    BESIDE,
    COMPARED,
    DEFAULT_ADMM,
    METHODS,
    PRINTED_SEARCHED,
    THETA_ADMM,
    Case,
    judged,
    labels_of,
)
from partita.reproduce.scams.published import TABLE1
from partita.reproduce.scams.table1_claims import alike, boolean_gain, figures_of, known
from partita.reproduce.scams.verdicts import degraded_from, fall, graded, least
from partita.scams import ADMM
from partita.scams.objective import partition_objective

NAMES = ("scams-figure1", "scams-figure2", "scams-table1", "scams-figure3")
NEEDS_SETS = {"scams-table1", "scams-figure3"}


def lines(values: dict[str, list[float]], levels: list[float], title: str = "") -> Lines:
    """Lines with these Rand indices, one repetition."""
    scores = {name: np.array([[[v, v, 2.0]] for v in row]) for name, row in values.items()}
    return Lines("made-up", title, "level", levels, scores, [5] * len(levels))


@pytest.mark.parametrize("name", sorted(set(NAMES) - NEEDS_SETS))
def test_runs_at_the_least_size_and_writes_its_files(name: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")  # without it there are no pictures
    record = reproduce(experiment(name), tmp_path, size="smoke", n_jobs=1)
    assert record["findings"]
    assert record["choices"]
    written = {path.name for path in (tmp_path / name).iterdir()}
    assert {"numbers.csv", "index.html", "outcome.json"} <= written
    assert {f"{d['name']}.png" for d in record["drawings"]} | {f"{t['name']}.png" for t in record["tables"]} <= written


@pytest.mark.data
@pytest.mark.parametrize("name", sorted(NEEDS_SETS))
def test_runs_on_the_sets_at_the_least_size(name: str, tmp_path: Path, data_home: Path) -> None:
    record = reproduce(experiment(name), tmp_path, size="smoke", n_jobs=1)
    assert record["findings"]
    assert all(len(digest) == 64 for digest in record["sources"].values())
    for table in record["tables"]:
        for _, entries in table["rows"]:
            assert all(np.isfinite(entry["value"]) for entry in entries)
    assert (tmp_path / name / "index.html").stat().st_size > 10_000


def test_quick_cells_are_full_cells_where_no_set_is_needed() -> None:
    for name in ("scams-figure1", "scams-figure2", "scams-figure3"):
        work = experiment(name)
        full = {cell.fingerprint() for cell in work.cells("full")}
        assert {cell.fingerprint() for cell in work.cells("quick")} <= full, name
        assert len(full) == len(work.cells("full")), name


def test_figure_2_has_the_paper_s_levels_and_repetitions() -> None:
    keys = [cell.key for cell in experiment("scams-figure2").cells("full")]
    assert {key.split("/")[1] for key in keys if key.startswith("noise/")} == {f"{0.05 * k:g}" for k in range(11)}
    assert {key.split("/")[1] for key in keys if key.startswith("groups/")} == {str(k) for k in range(1, 13)}
    assert sum(key.startswith("noise/0.35/") for key in keys) == 20
    assert {f"beside/{key}" for key in keys if key.startswith(("noise/", "groups/"))} <= set(keys)


def test_the_quick_mode_has_three_repetitions() -> None:
    keys = [cell.key for name in ("scams-figure2", "scams-figure3") for cell in experiment(name).cells("quick")]
    for start in ("noise/0.3/", "beside/noise/0.3/", "groups/12/", "faces/5/", "faces/15/"):
        assert {key.removeprefix(start).split("/")[0] for key in keys if key.startswith(start)} == {"0", "1", "2"}


def test_quick_sequences_chose_nothing() -> None:
    quick = set(range(table1.N_SEQUENCES)[table1.QUICK])
    assert len(quick) == 13
    assert not quick & set(range(table1.N_SEQUENCES)[CHOSEN])


def test_what_stands_beside_has_the_items_of_its_cell() -> None:
    work, few = experiment("scams-figure2"), {"points": 12}
    seen: list[NDArray[np.float64]] = []
    drawn = figure2.drawn

    def noted(*of: Any) -> tuple[Any, Any, int]:
        case = drawn(*of)
        seen.append(case[0])
        return case

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figure2, "drawn", noted)
        found = {
            key: work.compute(Cell(key, few), random_numbers(work.name, key, work.seed))
            for key in ("groups/2/0", "beside/groups/2/0", "groups/2/1")
        }
    assert np.array_equal(seen[0], seen[1])
    assert not np.array_equal(seen[0], seen[2])
    assert list(found["beside/groups/2/0"]["SSC"]) == list(BESIDE)
    merged = figure2.by_level({key: found[key] for key in ("groups/2/0", "beside/groups/2/0")}, "groups")
    assert list(merged[2.0][0]["our LRR"]) == [*METHODS, *BESIDE]


def test_a_cell_is_the_same_whoever_computes_it() -> None:
    work = experiment("scams-figure1")
    cell = work.cells("full")[2]
    first, again = (work.compute(cell, np.random.default_rng(5)) for _ in range(2))
    assert first == again


def test_figures_of_table_1_agree_with_what_the_text_says_of_them() -> None:
    # "all the methods except GH perform well and there is no significant difference among these methods"
    for kind in ("LRR", "SSC"):
        means = {method: TABLE1[method][kind][0] for method in TABLE1}
        assert means["GH"] == min(means.values())
        others_ = [mean for method, mean in means.items() if method != "GH"]
        assert min(others_) > 0.88
        assert max(others_) - min(others_) < 0.03
    made = {m: {k: np.tile([[v[0], v[0], 0.0]], (3, 1)) for k, v in by.items()} for m, by in TABLE1.items()}
    assert alike(made, "the printed figures").verdict == "reproduced"


def two_planes(seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Twenty points on each of two orthogonal planes of R^6."""
    rng = np.random.default_rng(seed)
    X = np.zeros((40, 6))
    X[:20, :2], X[20:, 2:4] = rng.normal(size=(2, 20, 2))
    return X, np.repeat([0, 1], 20)


def test_scores_are_scikit_learn_s_rand_index_of_the_labels() -> None:
    X, truth = two_planes()
    case = Case(X, truth, 2, affinities("paper")["LRR"].builder)
    scores, labels = judged(case, METHODS), labels_of(case, METHODS)
    assert list(scores) == list(METHODS)
    for name in METHODS:
        assert scores[name][0] == pytest.approx(rand_score(truth, labels[name]), abs=1e-12)
        assert scores[name][2] == len(set(labels[name].tolist()))
    assert scores["K known"][0] == 1.0


def test_the_constants_as_printed_depend_on_the_unit_and_our_search_does_not() -> None:
    X, truth = two_planes()
    builder = affinities("paper")["LRR"].builder
    found = {factor: judged(Case(X, truth, 2, builder, factor=factor), ["SCAMS"]) for factor in (1.0, 1e-4)}
    assert found[1.0]["SCAMS"] != found[1e-4]["SCAMS"]  # gamma above every entry: items stay alone


def test_what_stands_beside_are_the_printed_objective_and_our_default_by_admm() -> None:
    X, truth = two_planes()
    builder = affinities("ours")["LRR"].builder
    A = builder.build(X, n_clusters=2).affinity.to_dense()
    labels = labels_of(Case(X, truth, 2, builder), BESIDE)
    by_admm = SCAMS(affinity="precomputed", method=ADMM(), polish=False, random_state=0).fit(A)
    assert adjusted_rand_score(labels[THETA_ADMM], by_admm.labels_) == 1.0
    assert adjusted_rand_score(labels[DEFAULT_ADMM], np.repeat([0, 1], 20)) == 1.0
    cost = {name: partition_objective(found, A, 0.005, 2.0) for name, found in labels.items()}
    alone = partition_objective(np.arange(len(X)), A, 0.005, 2.0)
    assert cost[PRINTED_SEARCHED] <= min(alone, cost[DEFAULT_ADMM]) + 1e-9


def test_readings_are_of_two_kinds_and_begin_with_the_ones_taken() -> None:
    readings = others()
    for kind in ("SSC", "LRR"):
        assert readings[kind][0] == affinities("paper")[kind].builder
        assert readings[kind][1] == 1.0
    assert all(name.startswith(("SSC", "LRR")) for name in readings)


@pytest.mark.parametrize("which", ["SSC", "LRR", "blocks"])
def test_contaminated_affinities_are_affinities_of_five_clusters(which: str) -> None:
    A, truth = contaminated(which, 3)
    assert np.array_equal(A, A.T)
    assert A.min() >= 0
    assert not A.diagonal().any()
    together = truth[:, None] == truth
    assert np.bincount(truth).tolist() == [50] * 5
    assert A[together].mean() > 5 * A[~together].mean()
    assert (A[~together] > 0).any()  # contaminated
    assert np.array_equal(A, contaminated(which, 3)[0])


def test_principal_coordinates_keep_the_products_of_items_that_span_so_many_directions() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 3)) @ rng.normal(size=(3, 7)) + 2.0  # rank 4
    np.testing.assert_allclose(principal(X, 4, centred=False) @ principal(X, 4, centred=False).T, X @ X.T, atol=1e-9)
    centre = X - X.mean(axis=0)
    np.testing.assert_allclose(
        principal(X, 3, centred=True) @ principal(X, 3, centred=True).T, centre @ centre.T, atol=1e-9
    )


def test_rules_of_verdicts() -> None:
    assert [graded(parts) for parts in ([True], [True, False], [False])] == ["reproduced", "in part", "not reproduced"]
    assert fall(np.array([1.0, 0.25])) == 0.75
    assert not least([]) > 0.9
    assert degraded_from([1, 2, 3], [0.0, 0.95, 0.5]) == 3
    assert degraded_from([1, 2], [0.0, 0.95]) == np.inf


def test_claims_on_noise() -> None:
    levels = [0.0, 0.25, 0.5]
    paper = {"GH": [0.97, 0.5, 0.2], "ST": [0.97, 0.6, 0.2], "SOD": [0.95, 0.9, 0.88], "SCAMS": [0.98, 0.97, 0.95]}
    as_said = noise_claims({"SSC": lines(paper, levels), "LRR": lines(paper, levels)})
    assert {each.verdict for each in as_said} == {"reproduced"}
    other = {"GH": [1.0] * 3, "ST": [1.0] * 3, "SOD": [1.0, 0.9, 0.5], "SCAMS": [0.8, 0.4, 0.2]}
    unlike = noise_claims({"SSC": lines(other, levels), "LRR": lines(other, levels)})
    assert {each.verdict for each in unlike} == {"not reproduced"} | {unlike[3].verdict}
    assert unlike[0].verdict == "not reproduced"
    assert ".200" in unlike[0].words
    half = noise_claims({"SSC": lines(paper, levels), "LRR": lines(other, levels)})
    assert half[0].verdict == half[2].verdict == "in part"


def test_claims_on_groups() -> None:
    levels = [float(k) for k in range(1, 13)]
    ssc = {
        "GH": [0.3, 0.6, 0.6, *[0.95] * 9],
        "ST": [1.0] * 10 + [0.8, 0.7],
        "SOD": [0.2, *[1.0] * 9, 0.8, 0.8],
        "SCAMS": [0.97] * 12,
        "SCAMS-CK": [0.7] * 4 + [0.97] * 8,
    }
    lrr = ssc | {
        "GH": [0.3, 1.0, 1.0, *[0.9] * 8, 0.4],
        "ST": [1.0] * 6 + [0.7] * 6,
        "SCAMS-CK": [0.965] * 12,
    }
    as_said = group_claims({"SSC": lines(ssc, levels), "LRR": lines(lrr, levels)})
    assert {each.verdict for each in as_said} == {"reproduced"}, [e.words for e in as_said if e.verdict != "reproduced"]
    flat = {name: [0.95] * 12 for name in COMPARED}
    level = group_claims({"SSC": lines(flat, levels), "LRR": lines(flat, levels)})
    assert [each.verdict for each in level] == [
        "reproduced", "not reproduced", "reproduced", "not reproduced", "not reproduced", "not reproduced", "in part",
    ]  # fmt: skip


@pytest.mark.parametrize(("test", "judge"), [("noise", noise_claims), ("groups", group_claims)])
@pytest.mark.parametrize("size", ["full", "quick"])
def test_every_claim_has_the_levels_that_it_speaks_of(test: str, judge: Any, size: str) -> None:
    levels = list(figure2.LEVELS[size][test])
    flat = {name: [0.95] * len(levels) for name in COMPARED}
    for found in judge({kind: lines(flat, levels) for kind in ("SSC", "LRR")}):
        assert "nan" not in found.words


def test_claim_on_readings_and_ours() -> None:
    good, bad = [Entry(0.95)] * 10, [Entry(0.95)] * 5 + [Entry(0.2)] * 5
    table = Table("readings", "", [str(k) for k in range(10)], [("SSC", good), ("LRR", bad)])
    assert reading_claim(table).verdict == "in part"
    assert reading_claim(Table("r", "", table.columns, [("SSC", good)])).verdict == "reproduced"
    assert reading_claim(Table("r", "", table.columns, [("LRR", bad)])).verdict == "not reproduced"
    well = lines({"ours": [1.0, 0.99]}, [0, 1], "our default of SSC")
    weak = lines({"ours, same affinity": [1.0, 0.5]}, [0, 1], "affinity by SSC")
    assert our_claim([well]).verdict == "reproduced"
    assert our_claim([well, weak]).verdict == "in part"


def test_claims_on_faces() -> None:
    levels = [5.0, 10.0, 15.0]
    ssc = {"GH": [0.9, 0.9, 0.9], "ST": [0.9, 0.88, 0.85], "SOD": [0.85, 0.85, 0.85], "SCAMS": [0.95] * 3}
    lrr = {"GH": [0.9, 0.5, 0.3], "ST": [0.9, 0.7, 0.5], "SOD": [0.9] * 3, "SCAMS": [0.95] * 3}
    panels = {kind: lines(v | {"ours": [0.95] * 3}, levels) for kind, v in (("SSC", ssc), ("LRR", lrr))}
    assert {each.verdict for each in figure3_claims(panels, panels)} == {"reproduced"}
    swapped = {"SSC": panels["LRR"], "LRR": lines({name: [0.8] * 3 for name in (*ssc, "ours")}, levels)}
    verdicts = [each.verdict for each in figure3_claims(swapped, swapped)]
    assert verdicts[1] == "not reproduced"
    assert verdicts[2] == "in part"


def made_up(values: dict[str, tuple[float, float]]) -> dict[str, dict[str, NDArray[np.float64]]]:
    """By method, the mean with LRR and SSC; K is right everywhere."""
    return {m: {k: np.tile([[v, v, 0.0]], (4, 1)) for k, v in zip(("LRR", "SSC"), pair)} for m, pair in values.items()}


def test_claims_on_motions() -> None:
    near = made_up({"SCAMS": (0.93, 0.92), "SCAMS-CK": (0.91, 0.90), "K known": (0.97, 0.99)})
    assert figures_of("SCAMS", "SCAMS", near, "here").verdict == "in part"  # means near, medians not
    exact = {"SCAMS": {k: np.array([[m, m, 0], [m, m, 0], [m, m, 0]]) for k, (_, m) in TABLE1["SCAMS"].items()}}
    assert figures_of("SCAMS", "SCAMS", exact, "here").verdict == "in part"  # medians near, means not
    far = made_up({"SCAMS": (0.5, 0.5)})
    assert figures_of("SCAMS", "SCAMS", far, "here").verdict == "not reproduced"
    assert boolean_gain(near, near).verdict == "reproduced"
    same = made_up({"SCAMS": (0.9, 0.9), "SCAMS-CK": (0.9, 0.9)})
    assert boolean_gain(same, same).verdict == "not reproduced"
    assert known(near, near).verdict == "reproduced"
    assert known(near, made_up({"SCAMS": (1, 1), "K known": (0.6, 0.6)})).verdict == "in part"
    uneven = made_up({"GH": (0.95, 0.95), "ST": (0.5, 0.9), "SOD": (0.9, 0.5), "SCAMS": (0.9, 0.9)})
    assert alike(uneven, "here").verdict == "not reproduced"


def test_claims_on_the_recovered_blocks() -> None:
    right = {"SSC": {"wrong": 0.0, "adjusted": 1.0, "ours_adjusted": 1.0}}
    wrong = {"LRR": {"wrong": 0.3, "adjusted": 0.5, "ours_adjusted": 1.0}}
    assert [each.verdict for each in figure1_claims(right)] == ["reproduced"] * 2
    assert [each.verdict for each in figure1_claims(wrong)] == ["not reproduced"] * 2
    assert [each.verdict for each in figure1_claims(right | wrong)] == ["in part"] * 2


def test_tables_of_lines_have_means_and_standard_errors() -> None:
    scores = np.array([[[1.0, 0.9, 3.0], [0.5, 0.1, 4.0]]])  # a level, two repetitions
    tables = score_tables(Lines("a", "t", "x", [0.5], {"GH": scores}, [3]))
    entry = tables[0].rows[0][1][0]
    assert entry.value == 0.75
    assert entry.error == pytest.approx(np.std([1.0, 0.5], ddof=1) / np.sqrt(2))
    assert tables[1].rows[0][1][0].value == 0.5
    assert tables[2].rows[0][1][0].value == 0.5  # three and four clusters, three true ones


@pytest.mark.parametrize(
    ("rand", "adjusted", "numbers", "missed"),
    [
        ([0.95, 1.0], [0.85, 1.0], [4, 6], 0),
        ([0.94, 1.0], [0.85, 1.0], [4, 6], 1),
        ([0.95, 1.0], [1.0, 0.84], [5, 5], 1),
        ([0.95, 1.0], [0.85, 1.0], [5, 7], 1),
        ([0.0, 1.0], [0.0, 1.0], [5, 3], 3),
    ],
)
def test_our_claim_is_held_against_three_figures(rand, adjusted, numbers, missed) -> None:
    scores = np.array([[[r, a, k]] for r, a, k in zip(rand, adjusted, numbers, strict=True)])
    said = all_three_claim([Lines("noise, SSC", "t", "x", [0.0, 0.1], {"ours": scores}, [5, 5])], "ours", "us")
    assert said.verdict == ("reproduced", "in part", "in part", "not reproduced")[missed]
    assert said.words.count("noise, SSC") == 3 + missed
