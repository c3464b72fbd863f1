"""Frozen settings that are known by a name: members of an ensemble, criteria for the number of clusters.

A family is an abstract class with a `registry` of its subclasses by name, each a frozen dataclass. Its settings are its
fields, its config their JSON with the name, and from a name or a config it is made again.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, ClassVar, TypeVar

from partita.errors import InputError

__all__ = ["Named", "made"]


class Named:
    """What a family's subclasses share: settings and config by name."""

    name: ClassVar[str]

    def settings(self) -> dict[str, Any]:
        """The settings by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def config(self) -> dict[str, Any]:
        """Name and settings, as JSON."""
        return {"name": self.name, **self.settings()}


Family = TypeVar("Family", bound=Named)


def made(family: type[Family], given: str | Family | dict[str, Any], what: str) -> Family:
    """One of a family from its name, its config, or itself; `what` it is, in words for errors.

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
