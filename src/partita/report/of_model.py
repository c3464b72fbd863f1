"""The page of a fitted estimator, from Python: what only a command knows (a file, its seconds) is left out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from partita.errors import InputError
from partita.estimators import BayesianPartition, DPGaussianMixture
from partita.io import atomic_write_text
from partita.report.document import is_page
from partita.report.fit_report import FitReport
from partita.report.headline import examine_number
from partita.report.page import render_report
from partita.report.partition_page import render_partition_report
from partita.report.partition_report import PartitionReport

__all__ = ["write_model_report"]


def write_model_report(model: Any, path: str | Path, *, names: Sequence[Any] | None = None, X: Any = None) -> Path:
    """Write the page of a fitted estimator where there is nothing, or an earlier page, and return its path.

    Of a `DPGaussianMixture` it is the page of the partition of least expected variation of information over its draws.

    Raises
    ------
    InputError
        Where something else stands at `path`, or names or table are not of as many items as the fit.
    """
    path = Path(path)
    if path.is_file() and not is_page(path):
        raise InputError(f"{path} is not a page that Partita wrote, and is not replaced; choose another name")
    if isinstance(model, DPGaussianMixture):
        model = BayesianPartition(random_state=0).fit(model)
    if isinstance(model, BayesianPartition):
        html = render_partition_report(PartitionReport.of(model, names=names, X=X))
    else:
        examine_number(model)
        html = render_report(FitReport.of(model, names=names, X=X))
    atomic_write_text(path, html)
    return path
