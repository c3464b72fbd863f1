from __future__ import annotations

import json


def test_the_demo_finds_the_digits_and_replaces_only_its_own_folder(process, call, tmp_path):
    (tmp_path / "partita-demo").mkdir()
    (tmp_path / "partita-demo/manifest.json").write_text('{"program": "partita", "command": "demo"}')
    first = process("demo")
    assert first.code == 0, first.err
    result = json.loads((tmp_path / "partita-demo/result.json").read_text())
    assert result["command"] == "demo"
    assert result["n_items"] == 1797
    assert result["scores"]["accuracy"] >= 0.86
    assert 9 <= result["n_clusters"] <= 12
    left = ("n_clusters", "sizes", "probabilities", "normalization", "steps", "n_init", "scale_features")
    assert {result["parameters"][name] for name in left} == {"auto"}  # the default, and nothing else
    assert (tmp_path / "partita-demo/report.html").stat().st_size < 3_000_000
    (tmp_path / "partita-demo/manifest.json").write_text('{"program": "partita", "command": "fit"}')
    refused = call("demo")
    assert refused.code == 2
    assert "partita-demo" in refused.err
