"""What the chains of a posterior say of each other, as JSON and arrays, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import ModelError
from partita.io.model_kind import Arrays, Config
from partita.io.taken import Held, Stated, as_json
from partita.partition.chains import ChainComparison

__all__ = ["comparison_state", "restored_comparison"]

PREFIX = "agreement."
NUMBERS = ("max_difference", "mean_difference", "allowed_difference", "allowed_r_hat", "least_effective")
TRACES = ("n_clusters", "distance")
# What is told of where the sampler said it.
MAY_BE = "log_joint"


def comparison_state(comparison: ChainComparison) -> tuple[Config, Arrays]:
    """What `model.json` and the arrays hold. Names of chains are numbers or words; any others are kept as words."""
    chains = comparison.chains if comparison.chains.dtype.kind in "iubU" else comparison.chains.astype(str)
    own = comparison.chains.tolist()
    config: Config = {
        "agree": bool(comparison.agree),
        "verdict": comparison.verdict,
        "chains": chains.tolist(),
        "farthest": [own.index(name) for name in comparison.farthest],
        "n_items": int(comparison.n_items),
        "exact": bool(comparison.exact),
        "r_hat": {name: as_json(hat) for name, hat in comparison.r_hat.items()},
        "effective_sample_size": {name: as_json(size) for name, size in comparison.effective_sample_size.items()},
        **{name: as_json(getattr(comparison, name)) for name in NUMBERS},
    }
    arrays: Arrays = {
        PREFIX + "lengths": np.array([len(trace) for trace in comparison.n_clusters], dtype=np.int64),
        PREFIX + "n_clusters": np.concatenate(comparison.n_clusters),
        PREFIX + "distances": np.concatenate(comparison.distances),
    }
    return config, arrays


def restored_comparison(stated: Stated, held: Held) -> ChainComparison:
    """From `comparison_state`.

    Raises
    ------
    ModelError
    """
    names: Any = stated.any("chains")
    if not isinstance(names, list) or len(names) < 2 or len({type(name) for name in names}) > 1:
        raise ModelError("the chains of the model should be two or more names of one type; save the model again")
    if not isinstance(names[0], int | str):
        raise ModelError(
            f"a chain of the model is called {names[0]!r}: expected a number or text; save the model again"
        )
    lengths = held.whole(PREFIX + "lengths", len(names))
    if not (lengths > 0).all():
        raise ModelError("a chain of the model has no draws; save the model again")
    total = sum(lengths.tolist())
    ends = np.cumsum(lengths)[:-1]
    far: Any = stated.any("farthest")
    if not isinstance(far, list) or len(far) != 2 or not all(type(at) is int and 0 <= at < len(names) for at in far):
        raise ModelError(f"the chains farthest apart in the model are {far!r}, expected two of {len(names)}")
    n_clusters: list[NDArray[np.int64]] = np.split(held.whole(PREFIX + "n_clusters", total).astype(np.int64), ends)
    hats, sizes = stated.part("r_hat"), stated.part("effective_sample_size")
    told: Any = stated.any("r_hat")
    traces = (*TRACES, *([MAY_BE] if MAY_BE in told else []))
    return ChainComparison(
        agree=stated.flag("agree"),
        verdict=stated.word("verdict"),
        chains=np.asarray(names),
        farthest=(names[far[0]], names[far[1]]),
        n_items=stated.whole("n_items"),
        exact=stated.flag("exact"),
        n_clusters=n_clusters,
        distances=np.split(held.floats(PREFIX + "distances", total), ends),
        r_hat={name: hats.number(name) for name in traces},
        effective_sample_size={name: sizes.number(name) for name in traces},
        **{name: stated.number(name) for name in NUMBERS},
    )
