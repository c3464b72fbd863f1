"""`partita demo`: the main job on real data, with nothing to prepare."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from partita.cli.console import deferred_interrupt
from partita.cli.fit import ended, fitted
from partita.cli.fit_output import write_fit
from partita.cli.inputs import Input
from partita.cli.manifest import write_manifest
from partita.cli.options import DemoOptions
from partita.estimators import SoftClustering
from partita.io import output_folder, require_output

__all__ = ["run_demo"]


def run_demo(options: DemoOptions) -> int:
    """Cluster scikit-learn's handwritten digits; return the exit code."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    X = np.asarray(digits.data, dtype=np.float64)
    items = Input(
        kind="features",
        source="scikit-learn's handwritten digits",
        sha256=None,
        ids=[str(i) for i in range(len(X))],
        X=X,
        columns=[str(name) for name in digits.feature_names],
        features=X,
        truth=digits.target,
    )
    verbose = 0 if options.quiet else 1
    estimator = SoftClustering(random_state=0, on_interrupt="best", verbose=verbose)
    require_output(options.out, replace_if=_made_by_demo)
    fit = fitted(estimator, items, title="Handwritten digits")
    with deferred_interrupt() as interrupted, output_folder(options.out, replace_if=_made_by_demo) as folder:
        result = write_fit(folder, fit, command="demo", given={"k": "auto"}, quiet=options.quiet)
        write_manifest(folder, result, source=items.source, kind=items.kind)
    return ended(fit, result, options.out, options, interrupted=interrupted())


def _made_by_demo(folder: Path) -> bool:
    """Whether a folder carries a manifest that `demo` wrote: only such a one is replaced."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(manifest, dict) and (manifest.get("program"), manifest.get("command")) == ("partita", "demo")
