"""What `result.json` of `partita partition` says."""

from __future__ import annotations

from typing import Any

from partita.cli.record import SCHEMA_VERSION, as_json, finite
from partita.memory import peak_memory
from partita.partition.chains import ChainComparison
from partita.partition.credible_ball import BallPartition, CredibleBall
from partita.partition.modes import Mode
from partita.report import PartitionReport
from partita.report.partition_verdict import CERTAIN

__all__ = ["partition_record"]

# Tied partitions on a bound of the credible ball that are written; the number is always.
LISTED = 10


def partition_record(report: PartitionReport, *, seconds: float, seed: int, digest: str | None) -> dict[str, Any]:
    """The figures of a partition as plain JSON; `certain` counts the items in place in 95% of the draws."""
    estimator, certainty, cores, modes = report.estimator, report.certainty, report.cores, report.modes
    search, soft = estimator.result_, estimator.membership_result_
    return as_json(
        {
            "schema_version": SCHEMA_VERSION,
            "command": "partition",
            "parameters": report.parameters,
            "n_items": report.n_items,
            "n_draws": None if estimator.draws_ is None else estimator.draws_.n_given,
            "n_clusters": estimator.n_clusters_,
            "sizes": report.sizes,
            "loss": estimator.loss_.name,
            "unit": estimator.loss_.unit,
            "expected_loss": estimator.expected_loss_,
            "tried": [{"method": t.method, "n_clusters": t.n_clusters, "loss": t.loss} for t in search.tried],
            "gap": search.gap,
            "cap_bound": search.cap_bound,
            "credible_ball": None if report.ball is None else _ball(report.ball),
            "modes": None if modes is None else [_mode(mode) for mode in modes.modes],
            "certain": None if certainty is None else int((certainty.matched >= CERTAIN).sum()),
            "cores": None if cores is None else {"n_items": len(cores.kept), "probability": cores.probability},
            "objective": soft.objective,
            "misfit": soft.misfit,
            "chains": _chains(estimator.agreement_),
            "status": search.status,
            "n_iter": soft.n_iter,
            "n_products": soft.n_products,
            "seconds": seconds,
            "peak_memory_bytes": peak_memory(),
            "seed": seed,
            "versions": report.versions,
            "input_sha256": digest,
            "notes": list(estimator.notes_),
        }
    )


def _chains(found: ChainComparison | None) -> dict[str, Any] | None:
    if found is None:
        return None
    told = ("agree", "verdict", "max_difference", "mean_difference", "allowed_difference", "allowed_r_hat")
    return {
        "n_chains": len(found.chains),
        **{name: getattr(found, name) for name in told},
        "r_hat": finite(found.r_hat),
        "effective_sample_size": finite(found.effective_sample_size),
    }


def _ball(ball: CredibleBall) -> dict[str, Any]:
    return {
        "level": ball.level,
        "share": ball.share,
        "radius": ball.radius,
        "loss": ball.loss.name,
        "unit": ball.loss.unit,
        **{side: _bound(getattr(ball, side)) for side in ("horizontal", "upper", "lower")},
    }


def _mode(mode: Mode) -> dict[str, Any]:
    return {"weight": mode.weight, "n_clusters": mode.n_clusters, "spread": mode.spread}


def _bound(ties: list[BallPartition]) -> dict[str, Any]:
    return {
        "n_tied": len(ties),
        "partitions": [
            {"n_clusters": tie.n_clusters, "distance": tie.distance, "share": tie.share} for tie in ties[:LISTED]
        ],
    }
