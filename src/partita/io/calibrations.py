"""The record of a calibration: the density and the temperature that make probabilities, and what was said of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from partita.arrays import Array
from partita.calibration import (
    Alternative,
    Calibration,
    Calibrator,
    ClusterDensity,
    MixtureDensity,
    Reliability,
    Subspace,
    Temperature,
)
from partita.calibration.calibrate import Method
from partita.calibration.mixture import Kind
from partita.calibration.selection import Reading
from partita.errors import ModelError
from partita.io.codec import Null, Side, copied
from partita.shapes import ArrayShape, floats, whole

__all__ = ["SavedCalibration"]


BINS = ("predicted", "observed", "count")


@dataclass(frozen=True)
class SavedDensity:
    """The density: its M components in the first q directions of a subspace."""

    reading: Reading
    n_dimensions: Annotated[int, Side("q")]
    n_clusters: Annotated[int, Side("K")]
    kind: Kind
    freedom: Annotated[float, Null(math.inf)]
    bic: float
    shares: Annotated[Array, floats("M")]
    owner: Annotated[NDArray[np.int64], whole("M", below="K")]
    means: Annotated[Array, floats("M", "q")]
    whiteners: Annotated[Array, ArrayShape("float64", "float64", None)]
    centre: Annotated[Array, floats("e")]
    variances: Annotated[Array, floats(None)]
    basis: Annotated[Array, floats("e", "q")]

    @classmethod
    def of(cls, density: ClusterDensity | None) -> SavedDensity | None:
        """Return the record of a density."""
        if density is None:
            return None
        basis = density.subspace.basis[:, : density.n_dimensions]
        return copied(cls, density, density.mixture, density.subspace, basis=basis)

    def check(self) -> None:
        """Raise `ModelError` for whiteners that are not those of the components."""
        sides = self.means.shape if self.kind == "diagonal" else (*self.means.shape, self.n_dimensions)
        if self.whiteners.shape != sides:
            raise ModelError(f"the whiteners of the model have shape {self.whiteners.shape}, expected {sides}")

    def made(self) -> ClusterDensity:
        """Return the density."""
        parts = {"subspace": copied(Subspace, self), "mixture": copied(MixtureDensity, self)}
        of_the_choice = {"aicc": self.bic, "best_in_pieces": -math.inf}  # nothing is chosen by them any more
        return copied(ClusterDensity, self, **parts, **of_the_choice)


@dataclass(frozen=True)
class SavedAlternative:
    """A reading that was tried."""

    method: Method
    bic: Annotated[float, Null(math.nan)]
    n_components: int
    agreement: float


@dataclass(frozen=True)
class SavedWords:
    """Description of a calibration."""

    method: Method
    kind: str
    n_components: int
    n_dimensions: int
    stability: Annotated[float, Null(math.nan)]
    alternatives: tuple[SavedAlternative, ...]
    in_pieces: bool = False


@dataclass(frozen=True)
class SavedCalibration:
    """Calibrator and calibration."""

    temperature: float
    smoothing: float
    said: SavedWords
    density: SavedDensity | None = None
    predicted: Annotated[Array | None, floats("B", name="bins.predicted")] = None
    observed: Annotated[Array | None, floats("B", name="bins.observed")] = None
    count: Annotated[NDArray[np.int64] | None, whole("B", name="bins.count")] = None

    @classmethod
    def of(cls, calibrator: Calibrator, calibration: Calibration) -> SavedCalibration:
        """Return the record of a calibration."""
        tried = tuple(copied(SavedAlternative, each) for each in calibration.alternatives)
        bins = calibration.reliability
        return cls(
            calibrator.temperature.value,
            calibrator.temperature.smoothing,
            copied(SavedWords, calibration, alternatives=tried),
            SavedDensity.of(calibrator.density),
            *(None if bins is None else getattr(bins, name) for name in BINS),
        )

    def check(self) -> None:
        """Raise `ModelError` for some of the bins without the others."""
        if len({getattr(self, name) is None for name in BINS}) > 1:
            raise ModelError("the reliability of the model lacks some of its arrays; save the model again")

    def made(self) -> tuple[Calibrator, Calibration]:
        """Return the calibrator, and the calibration that tells of it."""
        density = None if self.density is None else self.density.made()
        tried = tuple(copied(Alternative, each) for each in self.said.alternatives)
        bins = None if self.count is None else copied(Reliability, self)
        calibration = copied(Calibration, self.said, self, reliability=bins, alternatives=tried)
        return Calibrator(density, Temperature(self.temperature, self.smoothing)), calibration
