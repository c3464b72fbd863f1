"""SCAMS by ADMM [li2014, Algorithm 1].

    minimise  tr(W^T G) + lambda rank(G) + gamma ||G||_0     over G psd, diag(G) = 1, G in [0, 1]^(N x N);    W = -A

with a copy H of G that carries the constraints on entries. From H = Y = 0, an iteration is

    G <- the eigenvalues of S = H - mu (W + Y) that are positive and have v^2 > 2 mu lambda          Theorem 1
    H <- T(G + mu Y), entry by entry, with ones on the diagonal                                      Theorem 2
    Y <- Y + (G - H) / mu,    mu <- max(mu / rho, mu_min)

What prototypes and this code showed, and what the defaults make of it:

- The diagonal of H is overwritten, so A_ii moves the path and not the optimum: it is set to zero, but for `ADMM.paper`.
- |G - H| goes to zero because mu does, whatever G is. The pattern H > .5 settles long before: `patience`.
- gamma is a threshold on affinities above all, so it needs a scale: theta / N on a `scale` of the affinity's own.
- Nothing guarantees convergence, and the local search on the same objective is as good or better on average, and far
  faster: this is the paper's solver, and a start for others.

Cost: three N x N arrays, 60 to 400 iterations of a pass over them and of leading eigenpairs (`eigenpairs`). Not for
more than some 10,000 items.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from partita.affinity.checks import as_affinity
from partita.arrays import Array
from partita.errors import InputError
from partita.kernels.scams_threshold import threshold_step
from partita.kernels.threads import limit_threads, n_threads
from partita.memory import require_pairs
from partita.pace import Progressing
from partita.runs import Runs, Status
from partita.scams.eigenpairs import LeadingEigenpairs
from partita.scams.result import ADMMResult
from partita.scams.scale import Scale, relative

__all__ = ["ADMM", "scams_admm"]

Progress = Callable[[Progressing], None]

# theta of gamma = theta / N where neither is given.
THETA = 0.7
# N x N arrays of double precision at once: the affinity given and as used, Y, S, eigenvectors, patterns.
COPIES = 6
LOCAL_WAY = "search its objective locally on a sparse affinity instead (SCAMS with its local search)"


@dataclass(frozen=True)
class ADMM:
    """Settings of Algorithm 1.

    Parameters
    ----------
    lam : float > 0
        Price of a cluster (of the rank of G), in units of the affinity as scaled.
    gamma : float >= 0, optional
        Price of a pair in one cluster, in the same units. By default theta / N.
    theta : float >= 0, optional
        gamma = theta / N, .7 by default; needs a `scale`.
    scale : {"sym", "mean"} or None
        See `relative`; None takes the affinity as it is, and needs gamma.
    zero_diagonal : bool
        Set A_ii to zero before.
    mu0, rho, mu_min : float
        mu begins at mu0 > 0, is divided by rho > 1 each iteration, and stays at least mu_min > 0.
    tol : float
        Stop when the largest |G - H| is at most this.
    patience : int or None
        Stop too once the pattern H > .5 has been the same for so many iterations and G is not zero. None: only `tol`.
    warm : bool
        Eigenpairs from the last ones where that is faster; False takes an exact decomposition every time.

    Raises
    ------
    InputError
        For a value outside its range, gamma and theta together, or neither a scale nor gamma.

    Examples
    --------
    >>> ADMM.paper().gamma, ADMM.paper().patience
    (0.005, None)
    """

    lam: float = 1.0
    gamma: float | None = None
    theta: float | None = None
    scale: Scale | None = "sym"
    zero_diagonal: bool = True
    mu0: float = 1e3
    rho: float = 1.1
    mu_min: float = 1e-10
    tol: float = 1e-8
    patience: int | None = 15
    warm: bool = True

    def __post_init__(self) -> None:
        for name, least, strict in (
            ("lam", 0.0, True),
            ("gamma", 0.0, False),
            ("theta", 0.0, False),
            ("mu0", 0.0, True),
            ("rho", 1.0, True),
            ("mu_min", 0.0, True),
            ("tol", 0.0, False),
        ):
            value = getattr(self, name)
            if value is not None and not (np.isfinite(value) and (value > least if strict else value >= least)):
                raise InputError(f"{name}={value}: expected a number {'above' if strict else 'of at least'} {least:g}")
        if self.patience is not None and self.patience < 1:
            raise InputError(f"patience={self.patience}: expected at least 1 iteration, or None")
        if self.scale not in (None, "sym", "mean"):
            raise InputError(f"scale={self.scale!r}: expected 'sym', 'mean' or None")
        if self.gamma is not None and self.theta is not None:
            raise InputError("gamma and theta both say what a pair costs (gamma = theta / N): pass one of them")
        if self.scale is None and self.gamma is None:
            raise InputError("without a scale the affinity's unit decides what a pair may cost: pass gamma, or a scale")

    @classmethod
    def paper(cls) -> Self:
        """Return settings as printed: lambda 2, gamma .005, mu0 1e6, rho 1.1, epsilon 1e-8, raw affinity, no early
        stop.
        """
        return cls(lam=2.0, gamma=0.005, scale=None, zero_diagonal=False, mu0=1e6, patience=None)

    def price(self, n_items: int) -> float:
        """Return the gamma that `n_items` items get."""
        return self.gamma if self.gamma is not None else (THETA if self.theta is None else self.theta) / n_items

    def prepare(self, affinity: Any) -> Array:
        """Return the affinity that is minimised over: a dense copy, its diagonal set to zero and scaled, as the
        settings say.

        Raises
        ------
        InputError, MemoryLimitError
            As `scams_admm` does.
        """
        checked = as_affinity(affinity)
        require_pairs(checked.n_items, "SCAMS by ADMM: some six arrays", LOCAL_WAY, copies=COPIES)
        if checked.pair_weights is not None:
            raise InputError("SCAMS by ADMM needs every pair observed and counting the same; fill or leave out items")
        A = np.array(checked.to_dense(), dtype=np.float64, order="C")
        if self.zero_diagonal:
            np.fill_diagonal(A, 0.0)
        return A if self.scale is None else np.asarray(relative(A, self.scale))


def scams_admm(
    affinity: Any,
    settings: ADMM | None = None,
    *,
    max_iter: int = 2000,
    max_seconds: float | None = None,
    progress: Progress | None = None,
) -> ADMMResult:
    """Run Algorithm 1 on an affinity.

    Minimises tr(W^T G) + lambda rank(G) + gamma ||G||_0 as far as ADMM can; `boolean_factorization` makes labels of the
    pattern.

    Parameters
    ----------
    affinity : N x N array, scipy.sparse or Affinity
        Symmetric, nonnegative; made dense.
    settings : ADMM, optional
    max_iter : int
    max_seconds : float, optional
        Both end the run between two iterations, as Ctrl-C does: the result is then that of the last one.
    progress : callable, optional
        Told a `Progressing` after each iteration; its optimality is the largest |G - H|.

    Raises
    ------
    InputError
        For an affinity or limit that is wrong.
    MemoryLimitError
        Where some six N x N arrays do not fit.
    KeyboardInterrupt
        Where Ctrl-C comes before the first iteration is over.

    Notes
    -----
    Cost: an iteration is one pass over three N x N arrays, 2 N^2 rank flops for G, and the leading eigenpairs.

    Examples
    --------
    >>> A = np.kron(np.eye(2), np.ones((3, 3))) + 0.05
    >>> result = scams_admm(A)
    >>> result.pattern[0].astype(int).tolist(), result.max_clusters, result.status
    ([1, 1, 1, 0, 0, 0], 2, 'converged')
    """
    settings = ADMM() if settings is None else settings
    if max_iter < 1:
        raise InputError(f"max_iter={max_iter}: expected at least 1")
    runs = Runs(max_seconds=max_seconds, on_interrupt="best", progress=progress)
    A = settings.prepare(affinity)
    run = _Run(A, settings)
    status: Status | None = None
    with runs, limit_threads(n_threads()):
        while status is None:
            run.iterate()
            status = run.status(max_iter) or runs.stops()
            n, residual, done = run.latest.n_iter, run.residual[-1], status is not None
            runs.tell(Progressing(0, 1, n, max_iter, residual, done, settings.tol))
    if runs.interrupted and run.latest.n_iter == 0:
        raise KeyboardInterrupt
    return run.result("interrupted" if runs.interrupted or status is None else status, runs.seconds)


@dataclass(frozen=True, eq=False)
class _Iterate:
    """State of the run, replaced as a whole: wherever Ctrl-C comes, this is one iteration."""

    n_iter: int
    eigenvalues: Array
    vectors: Array
    pattern: NDArray[np.bool_]
    unchanged: int


class _Run:
    def __init__(self, A: Array, settings: ADMM) -> None:
        N = len(A)
        self.A, self.settings, self.gamma = A, settings, settings.price(N)
        self.pairs = LeadingEigenpairs(N, warm=settings.warm)
        self.mu = settings.mu0
        self.Y, self.S = np.zeros((N, N)), A * self.mu  # H = Y = 0
        self.squared_norm = float(np.einsum("ij,ij", self.S, self.S))
        self.spare = np.empty((N, N), dtype=np.bool_)
        self.latest = _Iterate(0, np.empty(0), np.empty((N, 0)), np.zeros((N, N), dtype=np.bool_), 0)
        self.objective: list[float] = []
        self.rank: list[int] = []
        self.residual: list[float] = []

    def iterate(self) -> None:
        settings, mu, last = self.settings, self.mu, self.latest
        values, vectors = self.pairs.above(self.S, float(np.sqrt(2.0 * mu * settings.lam)), self.squared_norm)
        self.mu = max(mu / settings.rho, settings.mu_min)
        sums = threshold_step(
            self.A, self.Y, self.S, values, vectors, last.pattern, self.spare, mu, self.mu, self.gamma
        )
        self.squared_norm = sums.squared_norm
        self.objective.append(settings.lam * len(values) + self.gamma * sums.nonzero - sums.inner)
        self.rank.append(len(values))
        self.residual.append(sums.residual)
        unchanged = last.unchanged + 1 if sums.changed == 0 and len(values) > 0 else 0
        pattern, self.spare = self.spare, last.pattern
        self.latest = _Iterate(last.n_iter + 1, values, vectors, pattern, unchanged)

    def status(self, max_iter: int) -> Status | None:
        patience = self.settings.patience
        if self.residual[-1] <= self.settings.tol or (patience is not None and self.latest.unchanged >= patience):
            return "converged"
        return "max_iter" if self.latest.n_iter >= max_iter else None

    def result(self, status: Status, seconds: float) -> ADMMResult:
        at, n = self.latest, self.latest.n_iter
        return ADMMResult(
            pattern=at.pattern,
            factor=at.vectors * np.sqrt(at.eigenvalues),
            eigenvalues=at.eigenvalues,
            objective=np.array(self.objective[:n]),
            rank=np.array(self.rank[:n], dtype=np.int64),
            residual=np.array(self.residual[:n]),
            n_iter=n,
            status=status,
            seconds=seconds,
            n_exact=self.pairs.n_exact,
            n_partial=self.pairs.n_partial,
            n_none=self.pairs.n_none,
            lam=self.settings.lam,
            gamma=self.gamma,
        )
