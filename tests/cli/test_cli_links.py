from __future__ import annotations

import json

from partita.io import read_memberships

IRIS = ("--k", 3, "--label-column", "species", "--id-column", "plant")


def test_links_by_id_reach_the_fit_and_the_record(call, iris_csv, tmp_path):
    (tmp_path / "must.csv").write_text("source,target\nplant0,plant149\nplant3,plant70\n")
    (tmp_path / "cannot.csv").write_text("plant0,plant50\n")
    outcome = call("fit", iris_csv, *IRIS, "--must-link", "must.csv", "--cannot-link", "cannot.csv", "--out", "out")
    assert outcome.code == 0, outcome.err
    found = read_memberships(tmp_path / "out" / "memberships.csv")
    assert (found.membership[0] == found.membership[149]).all()
    assert (found.membership[3] == found.membership[70]).all()
    assert found.labels[0] != found.labels[50]
    parameters = json.loads((tmp_path / "out" / "result.json").read_text())["parameters"]
    assert (parameters["must_link"], parameters["cannot_link"]) == ("must.csv", "cannot.csv")
    assert (
        call("predict", "out", iris_csv, "--label-column", "species", "--id-column", "plant", "--out", "new.csv").code
        == 0
    )


def test_a_link_to_an_unknown_item_or_against_another_link_is_an_error(call, iris_csv, tmp_path):
    (tmp_path / "must.csv").write_text("plant0,plant149\n")
    (tmp_path / "bad.csv").write_text("plant0,plant500\n")
    unknown = call("fit", iris_csv, *IRIS, "--must-link", "bad.csv", "--out", "out")
    assert unknown.code == 2
    assert "'plant500'" in unknown.err
    clash = call("fit", iris_csv, *IRIS, "--must-link", "must.csv", "--cannot-link", "must.csv", "--out", "out")
    assert clash.code == 2
    assert "must-links" in clash.err
    assert not (tmp_path / "out").exists()
