"""The record of an encoding: how a table of any columns was made numbers, so that new tables are made them alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from partita.ensemble.units import Frame
from partita.errors import ModelError
from partita.estimators.encoding import Encoding
from partita.io.codec import copied
from partita.shapes import flags, floats

__all__ = ["SavedEncoding"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SavedEncoding:
    """An encoding into e columns, with r donors."""

    names: tuple[str, ...] | None
    categories: tuple[tuple[str, ...], ...]
    centre: Annotated[Array, floats("e")]
    spread: Annotated[Array, floats("e")]
    donors: Annotated[Array, floats("r", "e")]
    known: Annotated[NDArray[np.bool_], flags("r", "e")]

    @classmethod
    def of(cls, encoding: Encoding | None) -> SavedEncoding | None:
        """Return the record of an encoding."""
        return None if encoding is None else copied(cls, encoding, encoding.frame)

    def check(self) -> None:
        """Raise `ModelError` for arrays that are not those of the categories."""
        if self.names is not None and len(self.names) != len(self.categories):
            raise ModelError(f"the encoding of the model names {len(self.names)} of {len(self.categories)} columns")
        if len(self.made().column) != len(self.centre) or not len(self.donors):
            raise ModelError(
                f"the encoding of the model has {len(self.centre)} columns that its categories do not give"
            )
        if not (self.spread > 0).all():
            raise ModelError("the encoding of the model has a column without spread; fit it again")

    def made(self) -> Encoding:
        """Return the encoding."""
        return copied(Encoding, self, frame=Frame(self.centre, self.spread))
