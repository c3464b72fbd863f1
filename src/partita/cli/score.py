"""`partita score`: labels found against known ones."""

from __future__ import annotations

import json
import sys

from partita import metrics
from partita.cli.console import DONE
from partita.cli.options import ScoreOptions
from partita.io import match_labels, read_labels

__all__ = ["run_score"]


def run_score(options: ScoreOptions) -> int:
    """Print the scores; return the exit code."""
    labels = read_labels(options.labels, label_column=options.found_column, option="--found-column")
    truth = read_labels(
        options.truth, label_column=options.label_column, id_column=options.id_column, option="--label-column"
    )
    found, known = match_labels(labels, truth)
    scores = {
        "purity": metrics.purity(found, known),
        "rand": metrics.rand_index(found, known),
        "adjusted_rand": metrics.adjusted_rand_index(found, known),
        "accuracy": metrics.accuracy(found, known),
        "variation_of_information_bits": metrics.variation_of_information(found, known, unit="bits"),
        "normalized_variation_of_information": metrics.normalized_variation_of_information(found, known),
    }
    if options.as_json:
        sys.stdout.write(json.dumps({"n_items": len(found), **scores}, indent=2) + "\n")
        return DONE
    for name, value in scores.items():
        sys.stdout.write(f"{name.replace('_', ' '):38s} {value:.6f}\n")
    return DONE
