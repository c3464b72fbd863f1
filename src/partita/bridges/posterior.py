"""Partition draws in ArviZ's objects of either generation: `InferenceData` (0.x) and xarray's `DataTree` (1.x).

`BayesianPartition` takes both as they are where labels have the dimensions chain, draw and one of items in the group
`posterior`. This is for what is called otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.errors import InputError
from partita.partition.named_draws import NamedDraws, named_draws

__all__ = ["draws_from_arviz"]

# The dimension that `arviz.extract` makes of chains and draws.
SAMPLE = "sample"


def draws_from_arviz(
    posterior: Any,
    variable: str | None = None,
    *,
    group: str = "posterior",
    chain: str = "chain",
    draw: str = "draw",
) -> NamedDraws:
    """Return the labels in ArviZ's object, with the chain of each draw and the names of the items.

    Parameters
    ----------
    posterior : InferenceData, DataTree, Dataset or DataArray
        Labels have the dimensions `chain` (may be left out), `draw`, and one that numbers the items, in any order; its
        coordinate names them. Or, as `arviz.extract` makes them, `sample` and that of the items.
    variable : str, optional
        Name of the labels; the only variable of whole numbers with one dimension of items by default.
    group : str
        Where an object has groups.
    chain, draw : str
        Names of the dimensions.

    Returns
    -------
    NamedDraws
        Draws as `BayesianPartition.fit` takes them: labels (chain after chain), chain, items.

    Raises
    ------
    InputError
        Where the group, variable or dimensions are not there, or two items have one name.

    Examples
    --------
    >>> import xarray
    >>> dims = ("walker", "step", "gene")
    >>> labels = xarray.DataArray([[[0, 0, 1], [0, 1, 1]]], dims=dims, coords={"gene": list("abc")})
    >>> given = draws_from_arviz(labels.to_dataset(name="z"), chain="walker", draw="step")
    >>> given.labels.tolist(), given.chain.tolist(), given.items.tolist()
    ([[0, 0, 1], [0, 1, 1]], [0, 0], ['a', 'b', 'c'])
    """
    found = _group(posterior, group)
    if not hasattr(found, "dims"):
        raise InputError(f"expected an object of ArviZ or xarray, not {type(posterior).__name__}")
    if SAMPLE in found.dims and draw not in found.dims:
        chains = np.asarray(found[chain].values) if chain in found.coords else None
        there = [name for name in (SAMPLE, chain, draw) if name in found.coords]
        given = named_draws(found.drop_vars(there).rename({SAMPLE: "draw"}), variable=variable)
        return NamedDraws(given.labels, chains, given.items)
    if draw not in found.dims:
        raise InputError(f"no dimension {draw!r} among {', '.join(map(str, found.dims))}: name it with draw=...")
    names = {old: new for old, new in ((draw, "draw"), (chain, "chain")) if old != new and old in found.dims}
    if any(new in found.dims for new in names.values()):
        raise InputError(
            f"dimensions {', '.join(map(str, found.dims))}: {', '.join(names)} cannot stand for "
            f"{', '.join(names.values())} where that is there too; rename it first"
        )
    return named_draws(found.rename(names) if names else found, variable=variable)


def _group(posterior: Any, group: str) -> Any:
    """The data set of a group; an object without groups, or a single node of a tree, as it is."""
    own = getattr(posterior, "data_vars", None)
    if own is not None and len(own) and not getattr(posterior, "children", None):
        return posterior.to_dataset() if hasattr(posterior, "children") else posterior
    if not (hasattr(posterior, "groups") or hasattr(posterior, "children")):
        return posterior
    groups = getattr(posterior, "children", None) or posterior.groups
    names = [str(name).strip("/") for name in (groups() if callable(groups) else groups)]
    if group not in names:
        raise InputError(f"there is no group {group!r} (groups: {', '.join(filter(None, names)) or 'none'})")
    found = posterior[group]
    return found.to_dataset() if hasattr(found, "to_dataset") else found
