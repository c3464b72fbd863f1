"""What options of the command line may say."""

from __future__ import annotations

from enum import StrEnum

__all__ = [
    "AffinityOption",
    "InputOption",
    "Kernel",
    "Method",
    "MissingOption",
    "Model",
    "Normalize",
    "Prior",
    "Probabilities",
    "Sampler",
    "ScaleOption",
    "Sizes",
    "SymmetrizeOption",
    "Unit",
    "UnstoredOption",
]


class Model(StrEnum):
    """Models the command line fits."""

    soft = "soft"
    sof = "sof"
    baum_eagon = "baum-eagon"
    symnmf = "symnmf"
    copositive = "copositive"
    kernel_kmeans = "kernel-kmeans"
    spectral = "spectral"
    scams = "scams"


class InputOption(StrEnum):
    """What FILE holds."""

    features = "features"
    distances = "distances"
    affinity = "affinity"
    edges = "edges"


class AffinityOption(StrEnum):
    """Affinities from features or distances."""

    relative = "relative"
    neighbors = "neighbors"
    ensemble = "ensemble"
    landmarks = "landmarks"
    nystrom = "nystrom"
    random_features = "random-features"
    ssc = "ssc"
    ssc_omp = "ssc-omp"
    lrr = "lrr"


class Sizes(StrEnum):
    """Scale per cluster or one for all."""

    free = "free"
    equal = "equal"


class Probabilities(StrEnum):
    """Memberships of the fit, calibrated ones, or their mean over resamples."""

    fitted = "fitted"
    calibrated = "calibrated"
    averaged = "averaged"


class Method(StrEnum):
    """How SCAMS searches."""

    local = "local"
    admm = "admm"


class ScaleOption(StrEnum):
    """Feature scaling."""

    none = "none"
    standard = "standard"
    minmax = "minmax"


class MissingOption(StrEnum):
    """What an empty cell means."""

    error = "error"
    unobserved = "unobserved"


class UnstoredOption(StrEnum):
    """What a pair means that a sparse affinity does not store."""

    zero = "zero"
    unobserved = "unobserved"


class SymmetrizeOption(StrEnum):
    """How P_ij and P_ji become one."""

    mean = "mean"
    max = "max"
    min = "min"


class Kernel(StrEnum):
    """Kernel of the affinity."""

    laplacian = "laplacian"
    gaussian = "gaussian"


class Unit(StrEnum):
    """Base of logarithms: 2 or e."""

    bits = "bits"
    nats = "nats"


class Normalize(StrEnum):
    """What Binder's loss is divided by."""

    n2 = "n2"
    pairs = "pairs"


class Sampler(StrEnum):
    """Samplers of mixtures."""

    collapsed = "collapsed"
    auxiliary = "auxiliary"
    slice = "slice"


class Prior(StrEnum):
    """Priors of a mixture's components."""

    conjugate = "conjugate"
    independent = "independent"
    paper = "paper"
