"""Whether values from JSON are of the types that a dataclass asks for, before one is made of them."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from partita.errors import ModelError

__all__ = ["fits", "require_options"]

# JSON has one kind of number: what asks for a float takes a whole one too.
PLAIN: dict[Any, tuple[type, ...]] = {float: (float, int), int: (int,), str: (str,), type(None): (type(None),)}


def require_options(kind: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a dataclass, if it has them and they are of the types that it says.

    Raises
    ------
    ModelError
        Naming the option.
    """
    known = {field.name for field in fields(kind)}
    hints = get_type_hints(kind)
    for name, value in given.items():
        if name not in known:
            raise ModelError(f"{kind.__name__} has no option {name!r}: upgrade Partita, or fit the model again")
        if not fits(value, hints[name]):
            raise ModelError(f"{kind.__name__}({name}={value!r}): expected {hints[name]}; fit the model again")
    return dict(given)


def fits(value: Any, hint: Any) -> bool:
    """Whether a value of JSON could be of the type `hint`; classes that JSON does not have are left to themselves.

    >>> fits(3, float), fits(True, int), fits("a", int | None), fits([1, 2], tuple[int, ...])
    (True, False, False, True)
    """
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return any(fits(value, each) for each in get_args(hint))
    if origin is Literal:
        return any(type(value) is type(each) and value == each for each in get_args(hint))
    if hint is bool:
        return isinstance(value, bool)
    if isinstance(hint, type) and hint in PLAIN:
        return isinstance(value, PLAIN[hint]) and not isinstance(value, bool)
    if origin in (tuple, list, Sequence):
        return isinstance(value, (list, tuple))
    if origin in (dict, Mapping):
        return isinstance(value, dict)
    return True
