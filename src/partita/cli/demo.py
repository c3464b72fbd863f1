"""`partita demo`: the main job on real data, with nothing to prepare."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from partita.cli.inputs import Input
from partita.cli.run import Job, run_job
from partita.estimators import SoftClustering

__all__ = ["run_demo"]


def run_demo(out: Path, *, quiet: bool, as_json: bool) -> int:
    """Cluster scikit-learn's handwritten digits; the exit code."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    estimator = SoftClustering(10, sizes="equal", random_state=0, on_interrupt="best", verbose=0 if quiet else 1)
    items = Input(
        kind="features",
        source="scikit-learn's handwritten digits",
        sha256=None,
        ids=[str(i) for i in range(len(digits.data))],
        X=np.asarray(digits.data, dtype=np.float64),
        columns=[str(name) for name in digits.feature_names],
        features=np.asarray(digits.data, dtype=np.float64),
        truth=digits.target,
    )
    parameters = estimator.get_params(deep=False) | {"affinity": estimator._builder().config(), "k": 10}
    return run_job(
        Job(
            command="demo",
            items=items,
            estimator=estimator,
            out=out,
            options=parameters,
            title="Handwritten digits",
            replace_if=_made_by_demo,
            quiet=quiet,
            as_json=as_json,
        )
    )


def _made_by_demo(folder: Path) -> bool:
    """Whether a folder carries a manifest that `demo` wrote: only such a one is replaced."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(manifest, dict) and (manifest.get("program"), manifest.get("command")) == ("partita", "demo")
