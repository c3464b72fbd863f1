"""The codec of saved models: a frozen dataclass as JSON and arrays, and back, by its fields and their type hints.

What a model folder holds is declared by records: dataclasses whose fields are the keys of `model.json` and the arrays
beside it. To save another thing, write its record; `encode` and `decode` need nothing else.

| type hint of a field | written as |
|---|---|
| bool, int, float, str, Literal; tuples and dictionaries of these | JSON; NaN and infinities as words |
| a setting: a loss, a sampler, a prior ... (`partita.io.settings`) | its name and options |
| a record, or a tuple of records | an object, or a list of them; of a union the one of that `kind` |
| `Annotated[float, Null(math.inf)]` | null where it is infinite |
| `Annotated[array, floats("N", "K")]` | an array; JSON holds its name in records with `BY_NAME` only |
| `Annotated[dict[str, array], Under("evidence.")]` | all arrays whose names begin so |
| `Config` | an object of JSON that the record reads itself |

Nobody vouches for a model's files, so decoding checks every value against its hint, and every array against the shape
that is declared (`partita.shapes`): sides with one name have one length in the whole model, and `Side` is a count.
Whole numbers are counts: negative ones are refused. What else has to hold, a record says in `check`, which is called
before anything is made of it: compiled code reads arrays without looking at bounds. Classes are those of the hints;
nothing is looked up by a name from a file but settings, and those in a registry.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from partita import shapes
from partita.errors import ModelError
from partita.io.settings import SETTINGS, fits, kinds_of, plain_parameter, revived_parameter

__all__ = ["Arrays", "Config", "Null", "Side", "Under", "copied", "decode", "encode", "missing"]

Arrays = dict[str, NDArray[Any]]
Config = dict[str, Any]
Record = TypeVar("Record")

# Floats that JSON has no number for.
UNUSUAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
# What an error says was expected.
EXPECTED = {bool: "true or false", int: "a whole number of at least 0", float: "a number", str: "text"}


@dataclass(frozen=True)
class Under:
    """Prefix of the names of a field's arrays, behind that of the record it is in."""

    prefix: str


@dataclass(frozen=True)
class Side:
    """The side of arrays whose length a whole number is."""

    name: str


@dataclass(frozen=True)
class Null:
    """The float that JSON's null stands for: NaN or infinity."""

    value: float


def copied(kind: type[Record], /, *things: object, **others: Any) -> Record:
    """Return a dataclass of the attributes that things have under the names of its fields, the first one's.

    `others` differ.

    >>> from partita.partition.result import Tried
    >>> copied(Tried, Tried("sof", 3, 0.5), loss=0.25)
    Tried(method='sof', n_clusters=3, loss=0.25)
    """
    own = dict(others)
    for name in (field.name for field in fields(kind) if field.name not in own):  # type: ignore[arg-type]
        own[name] = next(getattr(thing, name) for thing in things if hasattr(thing, name))
    return kind(**own)


def missing(what: str) -> ModelError:
    """Return the error of something that is not there."""
    return ModelError(f"{what} is missing; save the model again")


def encode(record: object) -> tuple[Config, Arrays]:
    """Return what `model.json` and the arrays hold of a record.

    Raises
    ------
    InputError
        For a setting that a folder of numbers and JSON cannot hold.

    Examples
    --------
    >>> @dataclass
    ... class Seen:
    ...     gap: float
    ...     draws: Annotated[Any, shapes.partitions("M", "N")]
    >>> encode(Seen(math.inf, np.array([[0, 1, 0]])))
    ({'gap': 'inf'}, {'draws': array([[0, 1, 0]])})
    """
    arrays: Arrays = {}
    return _encoded(record, "", arrays), arrays


def decode(kind: type[Record], config: Any, arrays: Arrays) -> Record:
    """Return a record of what `encode` gave, every value and every array checked.

    Raises
    ------
    ModelError
        Naming what is missing, or is not what the record declares.

    Examples
    --------
    >>> @dataclass
    ... class Seen:
    ...     n: Annotated[int, Side("M")]
    ...     draws: Annotated[Any, shapes.partitions("M", "N")]
    >>> decode(Seen, {"n": 1}, {"draws": np.array([[0, 1, 0]])}).draws
    array([[0, 1, 0]])
    >>> decode(Seen, {"n": 2}, {"draws": np.array([[0, 1, 0]])})
    Traceback (most recent call last):
    partita.errors.ModelError: array 'draws' of the model is int64 of shape (1, 3), expected whole numbers of shape \
(2, any); save the model again
    >>> decode(Seen, {"n": 2.0}, {})
    Traceback (most recent call last):
    partita.errors.ModelError: n of the model is 2.0, expected a whole number of at least 0; save the model again
    """
    return _Decoding(arrays).record(kind, config, "the model", "")


@cache
def _declared(kind: Any) -> tuple[tuple[Field[Any], Any, Any], ...]:
    """Each field with its hint and the mark that it is annotated with."""
    hints = get_type_hints(kind, include_extras=True)
    out = []
    for field in fields(kind):
        hint, mark = hints[field.name], None
        if get_origin(hint) is Annotated:
            hint, mark = get_args(hint)[:2]
        out.append((field, hint, mark))
    return tuple(out)


def _by_name(kind: Any) -> bool:
    return getattr(kind, "BY_NAME", False)


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and is_dataclass(kind) and not issubclass(kind, SETTINGS)


def _holds_arrays(hint: Any, mark: Any) -> bool:
    return isinstance(mark, Under) and get_origin(hint) is dict


def _encoded(record: object, prefix: str, arrays: Arrays) -> Config:
    config: Config = {}
    kind: Any = type(record)
    for field, hint, mark in _declared(kind):
        value = getattr(record, field.name)
        if isinstance(mark, shapes.ArrayShape):
            name = prefix + (mark.name or field.name)
            if _by_name(kind):
                config[field.name] = None if value is None else _put(arrays, name, value)
            elif value is not None:
                arrays[name] = np.asarray(value)
        elif _holds_arrays(hint, mark):
            arrays |= {prefix + mark.prefix + name: array for name, array in value.items()}
        elif isinstance(mark, Null):
            config[field.name] = float(value) if math.isfinite(value) else None
        elif value is not None or field.default is MISSING:  # what may be left out is
            under = prefix + (mark.prefix if isinstance(mark, Under) else "")
            config[field.name] = value if hint == Config else _json(field.name, value, under, arrays)
    return config


def _json(name: str, value: object, prefix: str, arrays: Arrays) -> Any:
    if isinstance(value, SETTINGS):
        return plain_parameter(name, value)
    if is_dataclass(value):
        return _encoded(value, prefix, arrays)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, list | tuple):
        return [_json(name, entry, f"{prefix}{name}.{at}.", arrays) for at, entry in enumerate(value)]
    if isinstance(value, dict):
        return {key: _json(key, entry, prefix, arrays) for key, entry in value.items()}
    return value


def _put(arrays: Arrays, name: str, array: NDArray[Any]) -> str:
    """The name under which an array is found; that of an equal one under the same prefix, if there is one."""
    first = name.split(".")[0] + "."
    for known, other in arrays.items():
        if known.startswith(first) and other.dtype == array.dtype and np.array_equal(other, array):
            return known
    arrays[name] = array
    return name


class _Decoding:
    """Takes records of JSON and arrays; the sides that are bound hold for all of them."""

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = arrays
        self._sides: dict[str, int] = {}

    def record(self, kind: type[Record], values: Any, what: str, prefix: str) -> Record:
        if not isinstance(values, dict):
            raise ModelError(f"{what} is {_told(values)}, expected an object of JSON; save the model again")
        taken = dict(self._taken(kind, values, what, prefix))
        made: Any = kind(**taken)
        if hasattr(made, "check"):
            made.check()
        return made  # type: ignore[no-any-return]

    def _taken(self, kind: type, values: Mapping[str, Any], what: str, prefix: str) -> Iterator[tuple[str, Any]]:
        for field, hint, mark in _declared(kind):
            name, may_lack = field.name, field.default is not MISSING
            if isinstance(mark, shapes.ArrayShape):
                array: str | None = prefix + (mark.name or name)
                if _by_name(kind):
                    array = self._value(values, name, what, str | None if may_lack else str, None, "")
                elif may_lack and array not in self._arrays:
                    array = None
                yield name, None if array is None else self._array(array, mark)
            elif _holds_arrays(hint, mark):
                first = prefix + mark.prefix
                yield name, {key.removeprefix(first): a for key, a in self._arrays.items() if key.startswith(first)}
            elif name in values or not may_lack:
                yield name, self._value(values, name, what, hint, mark, prefix)

    def _value(self, values: Mapping[str, Any], name: str, what: str, hint: Any, mark: Any, prefix: str) -> Any:
        """A value of JSON as its hint has it."""
        if name not in values:
            raise missing(f"{name} of {what}")
        value, kinds = values[name], kinds_of(hint)
        if value is None and isinstance(mark, Null):
            return mark.value
        if value is None and type(None) in kinds:
            return None
        kinds = tuple(kind for kind in kinds if kind is not type(None))
        prefix += mark.prefix if isinstance(mark, Under) else ""
        of_each = get_args(kinds[0])[:1] if get_origin(kinds[0]) is tuple else ()
        if of_each and _is_record(of_each[0]):
            if not isinstance(value, list):
                raise _odd(value, f"{name} of {what}", "a list")
            places = enumerate(value)
            return tuple(self.record(of_each[0], one, f"{name}[{i}]", f"{prefix}{name}.{i}.") for i, one in places)
        if _is_record(kinds[0]):
            return self.record(kinds[0] if len(kinds) == 1 else _of_kind(kinds, value, name), value, name, prefix)
        if any(isinstance(kind, type) and issubclass(kind, SETTINGS) for kind in kinds):
            made = revived_parameter(value)
            if not isinstance(made, kinds):
                raise _odd(made, f"{name} of {what}", " or ".join(kind.__name__ for kind in kinds))
            return made
        plain = _plain(value, kinds[0], f"{name} of {what}")
        if isinstance(mark, Side) and self._sides.setdefault(mark.name, plain) != plain:
            raise _odd(value, f"{name} of {what}", str(self._sides[mark.name]))
        return plain

    def _array(self, name: str, shape: shapes.ArrayShape) -> NDArray[Any]:
        if name not in self._arrays:
            raise missing(f"array {name!r} of the model")
        return shapes.require(self._arrays[name], shape, name, self._sides)


def _of_kind(kinds: tuple[Any, ...], value: Any, name: str) -> Any:
    """The record whose `kind` an object has."""
    known = {get_args(get_type_hints(kind)["kind"])[0]: kind for kind in kinds}
    word = value.get("kind") if isinstance(value, dict) else value
    if not isinstance(word, str) or word not in known:
        raise _odd(word, f"kind of {name}", f"one of {', '.join(known)}")
    return known[word]


def _plain(value: Any, hint: Any, what: str) -> Any:
    """A bool, a number, text, or a list or an object of these."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is tuple and args[-1] is Ellipsis and isinstance(value, list):
        return tuple(_plain(entry, args[0], what) for entry in value)
    if origin is dict and isinstance(value, dict):
        return {key: _plain(entry, args[1], what) for key, entry in value.items()}
    if hint is float and isinstance(value, str) and value in UNUSUAL:
        return UNUSUAL[value]
    if not fits(value, hint) or (hint is int and value < 0):
        expected = f"one of {', '.join(map(str, args))}" if origin is Literal else EXPECTED.get(hint, str(hint))
        raise _odd(value, what, expected)
    return float(value) if hint is float else value


def _odd(value: object, what: str, expected: str) -> ModelError:
    return ModelError(f"{what} is {_told(value)}, expected {expected}; save the model again")


def _told(value: object) -> str:
    """A value as an error tells it: no more than a line."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
