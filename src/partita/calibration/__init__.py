"""Calibration: from fitted memberships to ones that hold as probabilities, without labels."""

from partita.calibration.averaging import averaged_membership
from partita.calibration.calibrate import Alternative, Calibration, Calibrator, average, calibrate, calibrate_if_trusted
from partita.calibration.mixture import KINDS, MixtureDensity, fit_mixture
from partita.calibration.reliability import Reliability, reliability
from partita.calibration.selection import ClusterDensity, by_components, by_merging
from partita.calibration.subspace import Subspace
from partita.calibration.temperature import Temperature, fit_temperature
from partita.calibration.types import Refit
from partita.calibration.within import Within, components_within

__all__ = [
    "KINDS",
    "Alternative",
    "Calibration",
    "Calibrator",
    "ClusterDensity",
    "MixtureDensity",
    "Refit",
    "Reliability",
    "Subspace",
    "Temperature",
    "Within",
    "average",
    "averaged_membership",
    "by_components",
    "by_merging",
    "calibrate",
    "calibrate_if_trusted",
    "components_within",
    "fit_mixture",
    "fit_temperature",
    "reliability",
]
