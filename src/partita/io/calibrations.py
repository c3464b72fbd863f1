"""The record of a calibration: the density and the temperature that make probabilities, and what was said of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from partita.calibration import (
    Alternative,
    Calibration,
    Calibrator,
    Density,
    Mixture,
    Reliability,
    Subspace,
    Temperature,
)
from partita.calibration.calibrate import Method
from partita.calibration.mixture import Kind
from partita.calibration.selection import Reading
from partita.errors import ModelError
from partita.io.codec import Shape, Side, copied, floats, whole

__all__ = ["SavedCalibration"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SavedDensity:
    """The density: its M components in the first q directions of a subspace."""

    reading: Reading
    n_dimensions: Annotated[int, Side("q")]
    n_clusters: Annotated[int, Side("K")]
    kind: Kind
    freedom: float | None
    """None is infinite."""
    bic: float
    shares: Annotated[Array, floats("M")]
    owner: Annotated[NDArray[np.int64], whole("M", below="K")]
    means: Annotated[Array, floats("M", "q")]
    whiteners: Annotated[Array, Shape("float64", "float64", None)]
    centre: Annotated[Array, floats("e")]
    variances: Annotated[Array, floats(None)]
    basis: Annotated[Array, floats("e", "q")]

    @classmethod
    def of(cls, density: Density | None) -> SavedDensity | None:
        """The record of a density."""
        if density is None:
            return None
        mixture, subspace = density.mixture, density.subspace
        return cls(
            density.reading,
            density.n_dimensions,
            density.n_clusters,
            mixture.kind,
            mixture.freedom if np.isfinite(mixture.freedom) else None,
            density.bic,
            mixture.shares,
            density.owner,
            mixture.means,
            mixture.whiteners,
            subspace.centre,
            subspace.variances,
            subspace.basis[:, : density.n_dimensions],
        )

    def check(self) -> None:
        """Raise `ModelError` for whiteners that are not those of the components."""
        sides = self.means.shape if self.kind == "diagonal" else (*self.means.shape, self.n_dimensions)
        if self.whiteners.shape != sides:
            raise ModelError(f"the whiteners of the model have shape {self.whiteners.shape}, expected {sides}")

    def made(self) -> Density:
        """The density."""
        freedom = np.inf if self.freedom is None else self.freedom
        mixture = Mixture(self.kind, self.shares, self.means, self.whiteners, freedom)
        return copied(
            Density,
            self,
            subspace=Subspace(self.centre, self.basis, self.variances),
            mixture=mixture,
            aicc=self.bic,
        )


@dataclass(frozen=True)
class SavedAlternative:
    """A reading that was tried; a criterion of None is that of a reading that has none."""

    method: Method
    bic: float | None
    n_components: int
    agreement: float


@dataclass(frozen=True)
class SavedWords:
    """What a calibration says of itself; a stability of None is unknown."""

    method: Method
    kind: str
    n_components: int
    n_dimensions: int
    stability: float | None
    alternatives: tuple[SavedAlternative, ...]


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
        """The record of a calibration."""
        tried = tuple(copied(SavedAlternative, a, bic=_none_for_nan(a.bic)) for a in calibration.alternatives)
        stability = _none_for_nan(calibration.stability)
        return cls(
            calibrator.temperature.value,
            calibrator.temperature.smoothing,
            copied(SavedWords, calibration, stability=stability, alternatives=tried),
            SavedDensity.of(calibrator.density),
            *(getattr(calibration.reliability, name, None) for name in ("predicted", "observed", "count")),
        )

    def made(self) -> tuple[Calibrator, Calibration]:
        """The calibrator, and the calibration that tells of it."""
        density = None if self.density is None else self.density.made()
        tried = tuple(copied(Alternative, a, bic=_nan_for_none(a.bic)) for a in self.said.alternatives)
        bins: Any = (self.predicted, self.observed, self.count)
        calibration = copied(
            Calibration,
            self.said,
            temperature=self.temperature,
            smoothing=self.smoothing,
            stability=_nan_for_none(self.said.stability),
            reliability=None if any(each is None for each in bins) else Reliability(*bins),
            alternatives=tried,
        )
        return Calibrator(density, Temperature(self.temperature, self.smoothing)), calibration


def _none_for_nan(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _nan_for_none(value: float | None) -> float:
    return float("nan") if value is None else value
