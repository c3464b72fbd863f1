"""Frozen settings that are known by a name: members of an ensemble, criteria for the number of clusters.

A family is an abstract class with a `registry` of its subclasses by name, each a frozen dataclass. Its settings are its
fields, its config their JSON with the name, and from a name or a config it is made again.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import fields
from typing import Any, ClassVar, TypeVar

from partita.errors import InputError

__all__ = ["Named", "did_you_mean", "enrol", "made"]


def enrol(registry: dict[str, Any], kind: type[Any], value: Any = None) -> None:
    """Put a class under its `name`, or what stands for it; the same class defined again takes its own place.

    Raises
    ------
    InputError
        For a name that another class has: whoever asks for it would get this one instead, and not be told.

    Examples
    --------
    >>> known = {}
    >>> enrol(known, type("Mine", (), {"name": "greedy"}))
    >>> enrol(known, type("Yours", (), {"name": "greedy"}))
    Traceback (most recent call last):
    partita.errors.InputError: the name 'greedy' is taken by ...Mine; give ...Yours a name of its own, or none
    """
    held = registry.get(kind.name)
    if held is not None:
        other = held if isinstance(held, type) else type(held)
        one, two = (f"{each.__module__}.{each.__qualname__}" for each in (other, kind))
        if one != two:
            raise InputError(f"the name {kind.name!r} is taken by {one}; give {two} a name of its own, or none")
    registry[kind.name] = kind if value is None else value


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a clause to put behind "there is no such name": the closest known one, or nothing.

    Case does not count, nor whether words are joined by ".", "-" or "_".

    >>> did_you_mean("speceis", ["length", "species"])
    "; did you mean 'species'?"
    >>> did_you_mean("VI.lb", ["vi", "vi_lb"])
    "; did you mean 'vi_lb'?"
    """
    alike = {_plain(each): each for each in reversed(list(known))}
    close = difflib.get_close_matches(_plain(name), alike, n=1)
    return f"; did you mean {alike[close[0]]!r}?" if close else ""


def _plain(name: str) -> str:
    return name.casefold().replace(".", "_").replace("-", "_")


class Named:
    """Base of a family's subclasses: settings and config by name."""

    name: ClassVar[str]

    def settings(self) -> dict[str, Any]:
        """Return the settings by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def config(self) -> dict[str, Any]:
        """Return the name and the settings, as JSON."""
        return {"name": self.name, **self.settings()}

    def identity(self) -> Any:
        """Return what tells these settings from others; see `partita.scope`."""
        return self.config()


Family = TypeVar("Family", bound=Named)


def made(family: type[Family], given: str | Family | dict[str, Any], what: str) -> Family:
    """Return one of a family from its name, its config, or itself; `what` it is, in words for errors.

    Raises
    ------
    InputError
        For a name that nothing in the family has, or unknown settings.
    """
    if isinstance(given, family):
        return given
    registry: dict[str, type[Family]] = family.registry  # type: ignore[attr-defined]
    config: dict[str, Any] = {"name": given} if isinstance(given, str) else dict(given)  # type: ignore[arg-type]
    name = config.pop("name", None)
    if name not in registry:
        raise InputError(f"unknown {what} {name!r}: expected one of {sorted(registry)}")
    try:
        return registry[name](**config)
    except TypeError as error:
        raise InputError(f"{what} {name!r}: {error}") from error
