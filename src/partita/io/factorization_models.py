"""The record of a factorization: what scores new items, memberships, labels and parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from partita.affinity import FactorEvidence
from partita.affinity.normalise import How
from partita.arrays import Array
from partita.ensemble.units import Frame
from partita.errors import ModelError
from partita.estimators.base import FactorizationEstimator
from partita.estimators.coordinates import Coordinates
from partita.estimators.encoding import Encoding
from partita.estimators.extension import Extension
from partita.estimators.scaling import Scaling
from partita.io.calibrations import SavedCalibration
from partita.io.codec import Arrays, Config, Side, Under, copied
from partita.io.settings import made_with, parameters_of, revived_builder
from partita.membership import row_entropy
from partita.objectives import Domain
from partita.shapes import flags, floats, reals, require, whole

__all__ = ["SavedFactorization"]


# Where a fit was to be gone on with and what it printed: a place and a screen are no part of a model.
NOT_KEPT = ("checkpoint", "verbose")
EVIDENCE = "evidence."
# How far the rows of a membership may be from the simplex: it is written as it was fitted.
ROUNDING = 1e-6


@dataclass(frozen=True)
class SavedEncoding:
    """How a table of any columns was made e numbers, with r donors, so that new tables are made them alike."""

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


@dataclass(frozen=True)
class SavedCoordinates:
    """Points of e coordinates for l of the items, by the distances to which new ones are placed."""

    landmarks: Annotated[NDArray[Any], whole("l", below="N")]
    points: Annotated[Array, floats("l", "e")]
    eigenvalues: Annotated[Array, floats("e")]
    of_roots: bool = False
    self_affinity: float | None = None
    height: float | None = None
    rows: Annotated[Array | None, floats("l", "d")] = None
    metric: str = "euclidean"

    def check(self) -> None:
        """Raise `ModelError` for coordinates that place nothing."""
        if not len(self.landmarks) or not (self.eigenvalues > 0).all():
            raise ModelError("the coordinates of the model have no extent; fit it again")


@dataclass(frozen=True)
class SavedFit:
    """Attributes of a fit that are numbers."""

    n_clusters_: Annotated[int, Side("K")]
    objective_: float
    n_iter_: int
    n_products_: int
    n_features_in_: Annotated[int, Side("d")]


@dataclass(frozen=True)
class SavedFactorization:
    """A fit of N items with d columns, of which an encoding or coordinates may make e; the evidence has n entries, of
    the items or of the columns of their factor.
    """

    parameters: Config
    affinity: Config
    normalization: How
    fitted: SavedFit
    feature_names: tuple[str, ...]
    columns: tuple[str, ...] | None
    common_scale: bool
    membership: Annotated[Array, reals("N", "K")]
    labels: Annotated[NDArray[Any], whole("N", below="K")]
    scale: Annotated[Array, reals(None)]
    factors: Annotated[Array, reals("n")]
    landing: Annotated[Array, reals("n", "K")]
    quadratic: Annotated[Array, reals("K", "K")]
    evidence: Annotated[Arrays, Under(EVIDENCE)]
    domain: str = "simplex"
    calibration: Annotated[SavedCalibration | None, Under("calibration.")] = None
    balance: Annotated[Array | None, reals("K")] = None
    weights: Annotated[Array | None, reals("n")] = None
    used: Annotated[Array | None, reals(None)] = None
    diffused: Annotated[Array | None, reals()] = None
    folded: Annotated[Array | None, reals()] = None
    encoding: Annotated[SavedEncoding | None, Under("encoding.")] = None
    coordinates: Annotated[SavedCoordinates | None, Under("coordinates.")] = None
    centre: Annotated[Array | None, reals("e", name="scaling.centre")] = None
    spread: Annotated[Array | None, reals("e", name="scaling.spread")] = None
    factor: Annotated[Array | None, reals("N", "K")] = None
    unassigned: Annotated[NDArray[Any] | None, whole(None, below="N")] = None
    outlier: Annotated[Array | None, reals("N")] = None
    certainty: Annotated[Array | None, reals("N")] = None
    item: Annotated[NDArray[Any] | None, whole("N")] = None
    row_weights: Annotated[Array | None, reals("N")] = None
    items: tuple[str, ...] | None = None

    @classmethod
    def of(cls, estimator: FactorizationEstimator) -> SavedFactorization:
        """Return the record of a fitted estimator.

        NotFittedError before `fit`, and InputError for what cannot be kept.
        """
        check_is_fitted(estimator)
        extension, calibrator = estimator._extension, getattr(estimator, "_calibrator", None)
        names, placed = getattr(estimator, "items_", None), getattr(estimator, "_coordinates", None)
        known = extension.evidence
        state = known.whole_state() if isinstance(known, FactorEvidence) and not extension.folded else known.state()
        evidence = {name: np.asarray(array) for name, array in state.items()}
        return copied(
            cls,
            extension,
            parameters=parameters_of(estimator, *NOT_KEPT),
            affinity=estimator._builder_.config(),
            normalization=extension.how,
            fitted=copied(SavedFit, estimator),
            feature_names=tuple(str(name) for name in getattr(estimator, "feature_names_in_", [])),
            columns=getattr(estimator, "_columns", None),
            common_scale=np.ndim(estimator.scale_) == 0,
            membership=estimator.membership_,
            labels=estimator.labels_,
            scale=np.atleast_1d(np.asarray(estimator.scale_, dtype=np.float64)),
            evidence=evidence,
            calibration=None if calibrator is None else SavedCalibration.of(calibrator, estimator.calibration_),
            used=None if extension.used is None else extension.used.astype(np.float64),
            diffused=np.array(1.0) if extension.diffused else None,
            folded=np.array(1.0) if extension.folded else None,
            encoding=SavedEncoding.of(getattr(estimator, "encoding_", None)),
            coordinates=copied(SavedCoordinates, placed) if placed is not None else None,
            centre=getattr(extension.scaling, "centre", None),
            spread=getattr(extension.scaling, "spread", None),
            factor=getattr(estimator, "factor_", None),
            unassigned=getattr(estimator, "unassigned_", None),
            outlier=estimator.outlier_ if estimator._knows_doubt else None,
            certainty=estimator.certainty_ if estimator._knows_doubt else None,
            item=estimator._item_of_row if estimator._knows_doubt_of_new else None,
            row_weights=estimator._weights_of_rows() if estimator._knows_doubt_of_new else None,
            items=None if names is None else tuple(map(str, names)),
        )

    def check(self) -> None:
        """Raise `ModelError` for arrays that cannot be of one fit."""
        W, K, d = self.membership, self.fitted.n_clusters_, self.fitted.n_features_in_
        if K < 1 or not len(W) or d < 1:
            raise ModelError(f"the membership of the model has shape {W.shape}, and its items {d} features")
        if not (W >= -ROUNDING).all() or not (abs(W.sum(axis=1) - 1) <= ROUNDING).all():
            raise ModelError("the rows of the model's membership are no probabilities; fit it again")
        if len(self.scale) not in (1, K):
            raise ModelError(f"the scale of the model has {len(self.scale)} numbers, expected 1 or {K}; fit it again")
        if (self.centre is None) != (self.spread is None):
            raise ModelError("the scaling of the model lacks its centre or its spread; fit it again")
        if self.used is not None and not ((self.used >= 0) & (self.used < d)).all():
            raise ModelError("the model uses columns that it does not have; fit it again")
        for what, names in (("columns", self.columns), ("features", self.feature_names)):
            if names and len(names) != d:
                raise ModelError(f"the model names {len(names)} {what}, expected {d}; fit it again")
        if self.items is not None and len(self.items) != len(W):
            raise ModelError(f"the model names {len(self.items)} items, expected {len(W)}; fit it again")
        if self.domain not in Domain.registry:
            raise ModelError(f"unknown domain {self.domain!r}: upgrade Partita, or fit it again")
        if self.encoding is not None and len(self.encoding.categories) != d:
            raise ModelError(f"the model encodes {len(self.encoding.categories)} columns, expected {d}; fit it again")
        e = d if self.encoding is None else len(self.encoding.centre)
        e = e if self.coordinates is None else len(self.coordinates.eigenvalues)
        if self.centre is not None and len(self.centre) != e:
            raise ModelError(f"the model scales {len(self.centre)} columns, expected {e}; fit it again")
        stored, lengths = revived_builder(self.affinity).stored, {"d": e}
        for name in stored.keys() & self.evidence.keys():
            require(self.evidence[name], stored[name], EVIDENCE + name, lengths)
        items = self.evidence.get("X")
        if self.item is not None and items is not None and not (self.item < len(items)).all():
            raise ModelError(f"rows of the model are items that it does not have, of {len(items)}; fit it again")

    def made(self, kind: type[FactorizationEstimator]) -> FactorizationEstimator:
        """Return the estimator, fitted."""
        estimator = made_with(kind, self.parameters)
        estimator._builder_ = builder = revived_builder(self.affinity)
        scaled = self.centre is not None and self.spread is not None
        estimator._extension = copied(
            Extension,
            self,
            evidence=builder.restore(self.evidence),
            how=self.normalization,
            scaling=Scaling(self.centre, self.spread) if scaled else None,  # type: ignore[arg-type]
            diffused=self.diffused is not None,
            folded=self.folded is not None,
            used=None if self.used is None else self.used.astype(np.intp),
        )
        estimator.items_ = None if self.items is None else np.array(self.items)
        estimator._columns = None if self.columns is None else list(self.columns)
        estimator.membership_, estimator.labels_ = self.membership, self.labels
        estimator.entropy_ = row_entropy(self.membership)
        estimator.scale_ = float(self.scale[0]) if self.common_scale else self.scale
        for name, value in vars(self.fitted).items():
            setattr(estimator, name, value)
        if self.encoding is not None:
            estimator.encoding_ = self.encoding.made()
        if self.coordinates is not None:
            estimator._coordinates = copied(Coordinates, self.coordinates)
        if self.calibration is not None:
            estimator._calibrator, estimator.calibration_ = self.calibration.made()
        if self.factor is not None and self.unassigned is not None:
            estimator.factor_, estimator.unassigned_ = self.factor, self.unassigned
        if self.outlier is not None and self.certainty is not None:
            estimator._outlier, estimator._certainty = self.outlier, self.certainty
        if self.item is not None:
            estimator._item_of_row, estimator._row_weights = self.item, self.row_weights
        if self.feature_names:
            estimator.feature_names_in_ = np.array(self.feature_names, dtype=object)
        return estimator
