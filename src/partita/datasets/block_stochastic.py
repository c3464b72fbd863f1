"""Affinities with a block structure under noise: five guesses of the S-Block set of [rotabulo2010].

The set (100 items, 5 blocks) is cited from Verma and Meila (2003, UW-CSE-03-05-01), whose generator was never
published. An affinity S is block stochastic when the sum over a block of the row of D^-1 S is the same for all items of
a block; its normalised eigenvectors are then constant on blocks, which is what normalised cut finds. All guesses here
have mean `within` in the blocks and `between` outside of them. They are guesses: a figure of the paper that comes out
with one of them is not reproduced by it.

[rotabulo2010] S. Rota Bulo, M. Pelillo, Probabilistic clustering using the Baum-Eagon inequality, ICPR 2010.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError

__all__ = ["BLOCK_GUESSES", "BlockGuess", "block_stochastic"]

# The guesses.
BlockGuess = Literal["stochastic", "degrees", "uniform", "bernoulli", "unequal"]
BLOCK_GUESSES: tuple[BlockGuess, ...] = get_args(BlockGuess)

# Largest over smallest degree of an item under "degrees".
SPREAD = 10.0
# Scaling to given sums ends when they are off by this share (rounding), or is given up.
CLOSE, ROUNDS = 1e-13, 10_000


def block_stochastic(
    guess: BlockGuess,
    rng: np.random.Generator,
    *,
    n_items: int = 100,
    n_blocks: int = 5,
    within: float = 0.5,
    between: float = 0.1,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return a noisy block affinity and its blocks, by one of five guesses.

    Parameters
    ----------
    guess : str
        `"stochastic"`: uniform noise, each block scaled until its row sums are equal: block stochastic, exactly.
        `"degrees"`: t_i t_j times the block's mean, t_i from 1 to 10 and with the same sum in each block: block
        stochastic, exactly, with items of very unlike degree.
        `"uniform"`: each pair uniform between 0 and twice its block's mean.
        `"bernoulli"`: each pair 1 with its block's mean as probability, else 0.
        `"unequal"`: as `"uniform"`, with block sizes that grow as 2 : 3 : 4 : ...
    rng : numpy.random.Generator
    n_items, n_blocks : int
        As in the paper: 100 and 5.
    within, between : float
        Means in the blocks and outside, 0 < between < within <= .5 (<= 1 for `"bernoulli"`).

    Returns
    -------
    S : array of shape (n_items, n_items)
        Symmetric and nonnegative.
    truth : array of int
        The block of each item; blocks are contiguous.

    Raises
    ------
    InputError
        For another guess, or numbers out of range.

    Examples
    --------
    >>> S, truth = block_stochastic("uniform", np.random.default_rng(0))
    >>> S.shape, np.bincount(truth).tolist()
    ((100, 100), [20, 20, 20, 20, 20])
    """
    if guess not in BLOCK_GUESSES:
        raise InputError(f"unknown guess {guess!r}: expected one of {', '.join(BLOCK_GUESSES)}")
    if not 2 <= 2 * n_blocks <= n_items:
        raise InputError(f"n_blocks={n_blocks}: expected at least one, and two items of {n_items} for each")
    most = 1.0 if guess == "bernoulli" else 0.5
    if not 0 < between < within <= most:
        raise InputError(f"within={within}, between={between}: expected 0 < between < within <= {most:g}")
    share = np.cumsum(np.arange(2, n_blocks + 2)) if guess == "unequal" else np.arange(1, n_blocks + 1)
    ends = np.rint(n_items * share / share[-1]).astype(np.int64)
    truth = np.searchsorted(ends, np.arange(n_items), side="right")
    mean = np.where(truth[:, None] == truth, within, between)
    if guess == "degrees":
        t = rng.uniform(1, SPREAD, n_items)
        t /= (np.bincount(truth, t) / np.bincount(truth))[truth]
        return t[:, None] * t * mean, truth
    noise = _symmetric(rng.uniform(size=(n_items, n_items)))
    if guess == "bernoulli":
        return (noise < mean).astype(np.float64), truth
    S = 2 * mean * noise
    return (_with_equal_sums(S, truth, mean) if guess == "stochastic" else S), truth


def _symmetric(U: NDArray[np.float64]) -> NDArray[np.float64]:
    """The entries on and above the diagonal, mirrored: each pair is drawn once."""
    upper = np.triu(U)
    return np.asarray(upper + np.triu(U, 1).T)


def _with_equal_sums(
    S: NDArray[np.float64], truth: NDArray[np.int64], mean: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Each block scaled, rows and columns, until both have the sums that its mean would give (Sinkhorn and Knopp)."""
    n_blocks = int(truth.max()) + 1
    out = S.copy()
    for k in range(n_blocks):
        for other in range(k, n_blocks):
            pair = np.ix_(truth == k, truth == other)
            block, level = S[pair], mean[pair][0, 0]
            rows, columns = np.ones(block.shape[0]), np.ones(block.shape[1])
            for _ in range(ROUNDS):
                rows = level * block.shape[1] / (block @ columns)
                columns = level * block.shape[0] / (rows @ block)
                off = rows * (block @ columns) / (level * block.shape[1]) - 1
                if np.abs(off).max() <= CLOSE:
                    break
            scaled = rows[:, None] * block * columns
            if k == other:  # the scalings of a symmetric block agree up to a factor: rounding only
                scaled = (scaled + scaled.T) / 2
            out[pair] = scaled
            out[np.ix_(truth == other, truth == k)] = scaled.T
    return out
