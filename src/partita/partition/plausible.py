"""Whether a partition that comes from elsewhere is plausible under the posterior: a rank among the draws.

Where the posterior is dense a small ball holds many draws. The core radius of a partition is that of the smallest ball
around it that holds 5% of the draws (as in `partita.partition.density`), and the probability of a partition c is the
share of the draws about which the posterior is as thin as about c, or thinner:

    p = #{x among the M draws and c : core(x) >= core(c)} / (M + 1)

with c counted among the draws everywhere. That is full conformal prediction [vovk2005], of partitions as in
[bariletto2025], whose scores are means of a kernel of distances from draws set aside. If c is itself a draw of the
posterior, exchangeable with the others, p <= alpha has probability alpha at most, for every alpha: the partitions of
p > 1 - level are a credible set. That is exact up to 1,000 different draws; of more, a sample is compared. Draws of a
chain are exchangeable as far as it has mixed, and weights that are not copies make p an estimate without a guarantee.

The mean distance from all draws would be calibrated just as well, and tell little where there are several modes. Of 600
draws about two partitions of 100 items, half and half, it called a single cluster more typical than any draw (p = 1);
by core radii p is .003 (`tests/oracle/test_particles.py`). Where there is one mode the two agree.

Less than some 100 draws are too few: a ball holds 12 of them at least, and p is no less than 1 / (M + 1).

[bariletto2025] N. Bariletto, N. Ho, A. Rinaldo, Conformalized Bayesian inference, with applications to random partition
models, arXiv:2511.05746 (2025).
[vovk2005] V. Vovk, A. Gammerman, G. Shafer, Algorithmic Learning in a Random World, Springer (2005).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from partita.affinity.label_blocks import LabelBlocks
from partita.metrics.checks import codes_of, require_same_length
from partita.partition.credible_ball import ROUNDING, check_level
from partita.partition.density import FEWEST_NEIGHBOURS, NEIGHBOURHOOD, core_radii
from partita.partition.distances import measured
from partita.partition.draws import PartitionDraws
from partita.partition.expected import expected_loss
from partita.partition.losses import PartitionLoss
from partita.partition.sample import SAMPLE, sample_of
from partita.wording import Printed

__all__ = ["Plausibility", "plausibility"]


@dataclass(frozen=True, eq=False, repr=False)
class Plausibility(Printed):
    """Plausibility of a partition among the draws.

    Attributes
    ----------
    probability : float in (0, 1]
        Share of the draws about which the posterior is as thin as about the partition, or thinner; the partition is
        counted among them.
    expected_loss : float
        Of the partition, as reported for the estimate.
    loss : PartitionLoss
        That loss, with its unit.
    """

    probability: float
    expected_loss: float
    loss: PartitionLoss

    def inside(self, level: float = 0.95) -> bool:
        """Return whether the partition is in the credible set of a level, which holds that share of the posterior.

        Examples
        --------
        >>> from partita import BayesianPartition
        >>> model = BayesianPartition(random_state=0).fit([[0, 0, 1, 1]] * 30 + [[0, 0, 0, 1]] * 15)
        >>> model.plausible([0, 0, 0, 1]).inside(), model.plausible([0, 1, 0, 1]).inside()
        (True, False)
        """
        check_level(level)
        return self.probability > 1.0 - level + ROUNDING

    def __str__(self) -> str:
        return (
            f"probability {self.probability:.3f}: the share of the draws that lie where the posterior is as thin or "
            f"thinner; {self.loss.says} {self.expected_loss:.3f} on average"
        )


def plausibility(labels: ArrayLike, draws: Any, *, loss: PartitionLoss, metric: PartitionLoss) -> Plausibility:
    """Return how plausible a partition is under the posterior that the draws are of.

    Parameters
    ----------
    labels : array-like of N
        Any whole numbers or strings.
    draws : array-like M x N, or PartitionDraws
    loss : PartitionLoss
        Loss to report.
    metric : PartitionLoss
        Metric that balls are measured by.

    Raises
    ------
    InputError
        For labels and draws that do not fit together.
    MemoryLimitError
        Where the distances within the sample would not fit.

    Notes
    -----
    Time O(S^2 N + M N) for a sample of S = min(M, 1000) draws, and O(M N) for every further partition; 16 S^2 bytes.

    References
    ----------
    [bariletto2025], [vovk2005].

    Examples
    --------
    >>> from partita.partition.losses import VariationOfInformation
    >>> draws, vi = PartitionDraws.of([[0, 0, 1, 1]] * 30 + [[0, 0, 0, 1]] * 9), VariationOfInformation()
    >>> found = [plausibility(labels, draws, loss=vi, metric=vi) for labels in draws.labels]
    >>> [each.probability for each in found]
    [1.0, 0.25]
    """
    own, codes = PartitionDraws.of(draws), codes_of(labels, "labels")
    require_same_length(len(codes), own.n_items, ("labels", "the draws"))
    sample = sample_of(own, metric)
    n = own.worth if len(sample.rows) == own.n_draws else float(SAMPLE)
    held = min(max(NEIGHBOURHOOD * (n + 1.0), FEWEST_NEIGHBOURS), n)  # draws that a ball holds, c among them
    far = measured(codes, LabelBlocks(sample.labels), metric).values
    # Of a draw, c is in the ball or not: the radius is c's distance, between those for one draw less and for all.
    least, most = (core_radii(sample.between, sample.shares, k / n) for k in (held - 1.0, held))
    core = np.minimum(most, np.maximum(least, far))
    core_of_c = core_radii(np.append(0.0, far)[None], np.append(1.0 / n, sample.shares), held / n)[0]
    K = int(sample.labels.max()) + 1
    equal = sample.scale.tolerance(own.n_items, max(K, int(codes.max()) + 1), K) * sample.scale.unit
    thinner = float(sample.shares[core >= core_of_c - equal].sum())
    return Plausibility(min(1.0, (1.0 + n * thinner) / (n + 1.0)), float(expected_loss(codes, own, loss=loss)), loss)
