"""`Ensemble`: the evidence of different clusterings, P = sum_b w_b Q_b Q_b^T, never formed.

Each method clusters the items a few times: all of them with its own settings, then resamples of them with varied
settings. A draw is hard labels or a soft membership Q_b; what a resample says is extended to all items by the method
itself where it can (a mixture scores any item) or by a vote of the 5 nearest resampled items. P_ij is then an estimate
of the probability that i and j belong together, and the disagreement among methods is carried into the memberships.

Past `max_items` every draw sees another resample of that many items: nothing N x N is made at any size, and time grows
with N by the extension and the factorization alone.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from partita.affinity import Builder, DrawsAffinity
from partita.affinity.far import JUMP, NEIGHBORS, come_often, far_items
from partita.affinity.from_neighbors import nearest, neighbors_among
from partita.affinity.shared_search import KEPT, shared_search
from partita.arrays import Array, Labels
from partita.ensemble.base import Clustering, Member, hard, member
from partita.ensemble.belief import probability_of_components, told_by_categories, with_components
from partita.ensemble.categories import Categories, Columns, with_latent_variables
from partita.ensemble.components import Components
from partita.ensemble.consensus import EACH, ITEMS, Consensus, consensus
from partita.ensemble.copies import FEWEST as FEWEST_ROWS
from partita.ensemble.copies import SpreadRows, within_cells
from partita.ensemble.density import n_dense
from partita.ensemble.draws import Draw, Said, extended
from partita.ensemble.evidence import EnsembleEvidence, restored_factor
from partita.ensemble.latent_classes import LatentClasses, classes_of, reproduced
from partita.ensemble.modes import along_a_line, modes_at, with_modes
from partita.ensemble.noise import above_noise
from partita.ensemble.scattered import HALF, MORE_VALID, are_scattered, scattered_items
from partita.ensemble.tree import groups_apart
from partita.ensemble.units import Frame, Units, frame_of, in_coordinates
from partita.ensemble.validity import FEW, Validity, power_in
from partita.ensemble.weights import POWER, agreement, agreement_weights
from partita.errors import InputError
from partita.kernels.threads import limit_threads, n_threads
from partita.runs import outcomes_of
from partita.scope import lasting, recalled, tell
from partita.shapes import reals, whole
from partita.wording import count

__all__ = ["Ensemble", "frame_of"]

# Unlike ideas: ellipsoids, random walks, degrees, links that both ends chose, a tree, density. FINDINGS: unlike members
# help, weak ones hurt.
METHODS = ("mixture", "graph", "modularity", "mutual", "genie", "density")
# Items that a consensus over many numbers of clusters is found on at most.
CONSENSUS_ITEMS = 2000
# Items that clusters have on average at least where there are more than 12 of them: among fewer no valley can be seen.
OF_MANY = 8
# Copies of an item that comes often and lies far from all others, at most, and how far each is moved, in deviations.
COPIES, MOVED = 50, 0.01
# Groups that lie apart so many of which are no accident of one cluster, and its probability then at most: of 5,400
# samples of one, in 2 to 20 columns, of 12 to 400 rows, three had four, and none more.
GROUPS, ONE_OF_GROUPS = 5, 0.05
# Items from which on the probability of one cluster was learned.
FEWEST = 50


@dataclass(frozen=True)
class Ensemble(Builder):
    """Co-association of different clusterings as evidence.

    P = sum_b w_b Q_b Q_b^T, applied as sum_b w_b Q_b (Q_b^T W): entries in [0, 1], estimates of the probability that
    two items belong together.

    Parameters
    ----------
    methods : sequence of str, Member or dict
        Names or members: "mixture", "graph", "modularity", "mutual", "genie", "density", "linkage". A method is one
        voice, however often it is named: give several settings of it without fear that they outvote the others.
        "components", which `SoftClustering()` adds, has no vote and the share of the evidence that it is probable to be
        right by.
    n_draws : int
        Draws of each method: the first of all items with its settings, the others of resamples with varied settings.
    share : float
        Share of the items in a resample, in (0, 1].
    max_items : int
        Items that a draw sees at most.
    units : {"auto", "given", "standard"}
        "standard" divides each feature by its standard deviation, "given" leaves the features in their units, "auto"
        does what spreads ask for: of features whose standard deviation is more than 10 times the median one, a single
        one (or at most a tenth of all) is brought to the median; more are a sign of units that differ throughout, as
        are ranges of the others that differ by more than 10 times, and every feature is standardised. Distances as
        given would see features of large numbers alone. In each, a cell far from all others of its column is seen as
        one range beyond them (`partita.ensemble.units`).
    power : float, optional
        A draw counts by this power of its agreement with the other methods; 0 is a plain mean over methods. None, which
        `SoftClustering()` takes, is the square of the agreement times a power of the draw's odds of being valid, .7 in
        the plane and .1 in 16 columns or more
        (`partita.ensemble.validity`).
    seed : int
        Seed of resamples and of members that draw numbers.

    Raises
    ------
    InputError
        For features with missing cells: members need complete rows.

    Notes
    -----
    Cost: for each of the 24 draws the method's own on at most `max_items` items (O(n^2 d) for the trees), and a
    neighbour search for the others. A product costs N numbers a hard draw. Items are the distinct rows; members do not
    see how often a row occurs, unless at least a quarter of the rows are copies: then they see each row of a lattice of
    rounded numbers (`partita.ensemble.copies`). Tables of categories have latent classes
    (`partita.ensemble.latent_classes`). A new item's evidence is the mean of that of its 5 nearest fitted items.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [9, 9]], 30, axis=0)
    >>> evidence = Ensemble(methods=("mixture", "genie"), n_draws=2).build(X, n_clusters=2)
    >>> evidence.affinity.rows([0]).round(2)[0, [1, 59]].tolist()
    [1.0, 0.0]
    """

    name = "ensemble"
    stored: ClassVar = {
        "X": reals("n", "d"),
        "centre": reals("d"),
        "spread": reals("d"),
        "factor.data": reals("z"),
        "factor.indices": whole("z"),
        "factor.indptr": whole(None),
        "factor.columns": whole(None),
    }
    of_distances = True
    of_draws = True
    mixed = True
    needs_criteria = False

    methods: Sequence[str | Member | dict[str, Any]] = METHODS
    n_draws: int = 4
    share: float = 0.9
    max_items: int = 4000
    units: Units = "auto"
    power: float | None = POWER
    seed: int = 0

    def __post_init__(self) -> None:
        given = (self.methods,) if isinstance(self.methods, (str, Member, dict)) else self.methods
        object.__setattr__(self, "methods", tuple(member(method) for method in given))
        if not self.methods:
            raise InputError("methods is empty: an ensemble needs at least one method")
        for name, value, least in (("n_draws", self.n_draws, 1), ("max_items", self.max_items, 2)):
            if value < least:
                raise InputError(f"{name}={value}: expected at least {least}")
        if not 0 < self.share <= 1:
            raise InputError(f"share={self.share}: expected a share of the items, above 0 and at most 1")
        if self.units not in ("auto", "given", "standard"):
            raise InputError(f"units={self.units!r}: expected 'auto', 'given' or 'standard'")
        if self.power is not None and not 0 <= self.power < np.inf:
            raise InputError(f"power={self.power}: expected a number of at least 0, or None")

    @property
    def members(self) -> tuple[Member, ...]:
        """The methods as members."""
        return self.methods  # type: ignore[return-value]

    @property
    def voting(self) -> tuple[Member, ...]:
        """The members whose draws count by agreement; all where there is none."""
        return tuple(one for one in self.members if one.votes) or self.members

    @property
    def components(self) -> Components | None:
        """The member that has as much to say as it is probable to be right, where others vote beside it."""
        lone = [one for one in self.members if isinstance(one, Components)]
        return lone[0] if lone and len(self.voting) < len(self.members) else None

    @property
    def seeking(self) -> tuple[Member, ...]:
        """The members that vote where the number of clusters is sought; all that vote where two different ones would
        not.
        """
        seeking = tuple(one for one in self.voting if one.seeks_number)
        return seeking if len({one.name for one in seeking}) > 1 else self.voting

    @property
    def needs_k(self) -> bool:
        return True

    @classmethod
    def named(cls, *, missing: str, symmetrize: str | None, seed: int) -> Ensemble:
        return cls(seed=seed)

    def as_judged(self, X: Array) -> Array:
        return _seen(frame_of(X, self.units)(X))

    def consensus(
        self,
        X: Array,
        bounds: tuple[int, int | None] = (1, None),
        *,
        prior: Array | None = None,
        weights: Array | None = None,
    ) -> Consensus | None:
        """Return the consensus of the methods on the clusters and their number; see `partita.ensemble.consensus`.

        A few items that lie far from all others (`partita.affinity.far`) are not clustered and go with their nearest.

        Parameters
        ----------
        X : n x d array
            Distinct rows; past `max_items` (and 2,000) a random sample of them is clustered, and the others go with
            their nearest neighbour in it.
        bounds : pair of int, or int and None
            The smallest and the largest number of clusters.
        weights : array of n, optional
            How often each row occurs. Where at least a quarter are copies, the methods see rows
            (`partita.ensemble.copies`).
        """
        size, rng = min(self.max_items, CONSENSUS_ITEMS), np.random.default_rng([self.seed, 0])
        Z, table = self.as_judged(X), self.categories(X, weights)
        rows = None if table is not None else SpreadRows.of(Z, weights, size, self.seed)
        if rows is None and table is None:
            Z = within_cells(Z, self.seed)
        Y = Z if rows is None else rows.points
        # In random order: items come sorted, which may lead a method astray that visits them in turn (modularity).
        seen, heavy = rng.permutation(len(Y))[:size], np.empty(0, dtype=np.intp)
        if table is None:
            far = _far(Y, seen)
            if rows is None and weights is not None:
                often = come_often(weights)[seen]
                heavy, far = seen[far & often], far & ~often
            seen = seen[~far]
        if table is not None:
            found = classes_of(table.rows(seen), LatentClasses(), bounds=bounds, seed=self.seed)
        elif len(seen) < 2 * ITEMS:
            return None
        else:
            clustered, found = None, None
            if not len(heavy):
                clustered, found = self._above_background(Y[seen], bounds)
            if found is None:
                found = self._of_methods(np.vstack([Y[seen], _copies_of(Y, heavy, weights, rng)]), bounds)
            elif clustered is not None:
                seen = seen[clustered]
        if found is None:
            return None
        if len(heavy):
            *draws, partition = (
                np.unique(own[: len(seen)], return_inverse=True)[1] for own in (*found.draws, found.partition)
            )
            found = replace(found, draws=np.stack(draws), partition=partition)
        if rows is not None or len(seen) < len(Z):
            return replace(found, item=nearest(Z, Y[seen], 1, "euclidean", None, itself=False)[0][:, 0])
        back = np.argsort(seen)
        soft = None if found.soft is None else {K: Q[back] for K, Q in found.soft.items()}
        return replace(found, draws=found.draws[:, back], partition=found.partition[back], soft=soft)

    def _above_background(
        self, Y: Array, bounds: tuple[int, int | None]
    ) -> tuple[NDArray[np.bool_] | None, Consensus | None]:
        """Which items are not scattered, and the consensus on those; None where it is that on all items."""
        left = scattered_items(Y, bounds[0], self.seed)
        above = None if left is None else self._of_methods(Y[~left], bounds)
        if left is None or above is None:
            return None, None
        labels = above.partition[nearest(Y, Y[~left], 1, "euclidean", None, itself=False)[0][:, 0]]
        is_one = bounds[0] < 2 and (above.one or 0.0) > HALF
        if not are_scattered(Y, left, np.zeros_like(labels) if is_one else labels, self.seed):
            return None, None
        of_all = None if is_one else self._of_methods(Y, bounds)
        if of_all is not None and of_all.best_log_odds > above.best_log_odds - MORE_VALID:
            return None, of_all
        return ~left, above

    def _of_methods(self, Y: Array, bounds: tuple[int, int | None]) -> Consensus | None:
        """The consensus of the methods on these items."""
        n, items = len(Y), Y
        with shared_search():
            Y, _ = with_latent_variables(items, self.seed)
            judge = Validity.of(Y)
            apart = groups_apart(Y)
            most = min(max(n // OF_MANY, EACH, bounds[0], apart), bounds[1] or n)
            found = consensus(
                self.seeking,
                Y,
                judge.log_odds_at,
                again=[one.varied(1) for one in self.seeking],
                seed=self.seed,
                bounds=(bounds[0], most),
                tried=(apart, n_dense(Y) if Y.shape[1] > 1 else 1),
            )
            if found is None:
                return None
            if n >= FEWEST:
                found = replace(found, one=judge.one_cluster(found.best_log_odds, found.spread_log_odds))
            elif n < FEW:
                found = replace(found, one=judge.one_of_few(max(int(found.partition.max()) + 1, 2)))
            if apart >= GROUPS and found.n_clusters > apart / 2:  # and methods see them
                found = replace(found, one=ONE_OF_GROUPS if found.one is None else min(found.one, ONE_OF_GROUPS))
            found = replace(found, power=power_in(Y.shape[1]))
            one, within = self.components, (bounds[0], most)
            if one is None:
                return found
            line = along_a_line(items, one, self.seed) if n >= FEW and Y.shape == items.shape else None
            if line is not None:
                found = with_modes(found, one, line, bounds=within, seed=self.seed)
            elif n >= FEWEST:
                found = with_components(found, one, items, judge, bounds=within, seed=self.seed)
        return found

    def is_model_of(self, X: Array, weights: Array | None) -> bool:
        return self.categories(X, weights) is not None

    def categories(self, X: Array, weights: Array | None) -> Categories | None:
        """Return the categories of distinct rows whose clusters are latent classes; None where the methods make them.

        They are latent classes where every column is of categories, unless other methods were named. Each row is one at
        least: weights of a smaller sum, as of one, say what rows count beside each other.
        """
        if tuple(one.name for one in self.voting) != METHODS or np.isnan(X).any():
            return None
        counts = weights if weights is None else weights * max(1.0, len(X) / weights.sum())
        return Categories.of(frame_of(X, self.units)(X), counts)

    def build(self, X: Any, *, n_clusters: int, weights: Array | None = None) -> EnsembleEvidence:
        X = np.asarray(X, dtype=np.float64)
        if np.isnan(X).any():
            i, j = np.argwhere(np.isnan(X))[0]
            raise InputError(
                f"X[{i}, {j}] is missing, and affinity='ensemble' needs complete rows: fill it in, drop the row, or "
                "use affinity='neighbors' or 'relative'"
            )
        frame = frame_of(X, self.units)
        table = self.categories(X, weights)
        if table is not None:
            return self._of_classes(X, table, n_clusters)
        Z = frame(X)
        seen = _seen(Z)
        rows = SpreadRows.of(seen, weights, self.max_items, self.seed)
        seen = within_cells(seen, self.seed) if rows is None else rows.points
        one = self.components
        modes = None if one is None else self._modes(one, seen, n_clusters)
        if one is not None and modes is not None:
            Q = np.eye(n_clusters)[modes] if rows is None else rows.of_items(modes)
            if len(np.unique(hard(Q))) == n_clusters:  # none lies within the cell of one value
                return self._of_membership(X, one, len(seen), Q, 1.0)
        if rows is not None and len(Z) < FEWEST_ROWS:  # of a column whose density has not so many modes
            rows, seen = None, _seen(Z)
        drawn, among, notes = self._drawn(seen, n_clusters)
        shares, agreed = self._shares(seen, n_clusters, drawn, among)
        if rows is not None:
            drawn = [(one, size, Said.of(rows.of_items(said.membership), said.fits)) for one, size, said in drawn]
        draws = tuple(
            Draw.of(one, size, said.labels, share, a) for (one, size, said), share, a in zip(drawn, shares, agreed)
        )
        affinity = DrawsAffinity([said.membership for _, _, said in drawn], shares)
        return EnsembleEvidence(frame, Z, affinity.factor, affinity, draws, notes)

    def _modes(self, one: Components, Z: Array, n_clusters: int) -> Labels | None:
        """So many modes of the density of items along a line; None elsewhere."""
        seen = self._judged_items(len(Z))
        if len(Z) < FEW or n_clusters == 1 or Columns.of(Z).blocks:
            return None
        with limit_threads(1):
            line = along_a_line(Z[seen], one, self.seed)
            modes = None if line is None else modes_at(line, one, n_clusters, self.seed)
        if modes is None or len(seen) == len(Z):
            return modes
        return modes[nearest(Z, Z[seen], 1, "euclidean", None, itself=False)[0][:, 0]]

    def _shares(
        self, Z: Array, n_clusters: int, drawn: Sequence[tuple[Member, int, Said]], kept: NDArray[np.intp]
    ) -> tuple[Array, Array]:
        """Weights of draws, of sum 1, and how far each agrees with other methods, judged among items they may see."""
        members, said = [one for one, _, _ in drawn], [of_all for _, _, of_all in drawn]
        labels = [one.labels for one in said]
        table, names = agreement(labels), [one.name for one in members]
        alone = np.array([self.components is not None and isinstance(one, Components) for one in members])
        voting, lone = np.flatnonzero(~alone), np.flatnonzero(alone)
        among, named = table[np.ix_(voting, voting)], [names[at] for at in voting]
        weights, agreed = agreement_weights(among, named, POWER if self.power is None else self.power)
        seen, share = kept[self._judged_items(len(kept))], 0.0
        if len(seen) > 2 and (self.power is None or len(lone)):
            with shared_search():
                Y, categories = with_latent_variables(Z[seen], self.seed)
                with limit_threads(1):
                    judge = Validity.of(Y)
                shown = [np.unique(own[seen], return_inverse=True)[1] for own in labels]
                if self.power is None:
                    weights *= judge.weights_at(n_clusters, [shown[at] for at in voting], among, named)
                    weights /= weights.sum()
                if len(lone) and len(seen) >= FEWEST:
                    most = voting[int((among @ weights).argmax())]
                    with limit_threads(1):
                        both, fits = (shown[lone[0]], shown[most]), bool(said[lone[0]].fits)
                        told = told_by_categories(categories, *both, fits=fits)
                        share = probability_of_components(judge, *both, told)
        if not len(lone):
            return weights, agreed
        of_all, agreed_of_all = np.zeros(len(labels)), agreement_weights(table, names)[1]
        of_all[voting], of_all[lone] = (1.0 - share) * weights, share / len(lone)
        agreed_of_all[voting] = agreed
        return of_all, agreed_of_all

    def _judged_items(self, n: int, most: int = CONSENSUS_ITEMS) -> NDArray[np.intp]:
        """The items on which draws are judged, a sample where there are many."""
        if n <= most:
            return np.arange(n)
        return np.sort(np.random.default_rng([self.seed, 0]).permutation(n)[:most])

    def _of_classes(self, X: Array, table: Categories, n_clusters: int) -> EnsembleEvidence:
        """The evidence of so many latent classes."""
        one, seen = LatentClasses(), self._judged_items(len(X), self.max_items)
        model = one.fitted(table.rows(seen), n_clusters, self._rng(one, 0))
        Q = model.responsibilities(table.cells)
        return self._of_membership(X, one, len(seen), Q, reproduced(Q, table.counts))

    def _of_membership(self, X: Array, one: Member, n_items: int, Q: Array, agreed: float) -> EnsembleEvidence:
        """The evidence of one membership of all items."""
        frame, affinity = frame_of(X, self.units), DrawsAffinity([Q], np.ones(1))
        draw = Draw.of(one, n_items, hard(Q), 1.0, agreed)
        return EnsembleEvidence(frame, frame(X), affinity.factor, affinity, (draw,))

    def of_consensus(self, X: Array, found: Consensus) -> EnsembleEvidence:
        """Return the evidence of the draws of a consensus that have its answer, with their weights there."""
        soft = None if found.soft is None else found.soft.get(found.n_clusters)
        if found.modes and found.by_components:  # modes of one number are no mean over others
            soft = np.eye(found.n_clusters)[np.unique(found.partition, return_inverse=True)[1]]
        if soft is not None:
            Q = soft if found.item is None else soft[found.item]
            return self._of_membership(X, found.methods[-1], len(soft), Q, found.agreement_at(found.n_clusters))
        frame, weights = frame_of(X, self.units), found.answering
        kept = np.flatnonzero(weights)
        labels = found.draws if found.item is None else found.draws[:, found.item]
        draws = tuple(
            Draw.of(one, found.draws.shape[1], said, share, a)
            for one, said, share, a in zip(found.methods, labels, weights, found.agreement)
        )
        affinity = DrawsAffinity(labels[kept], weights[kept])
        return EnsembleEvidence(frame, frame(X), affinity.factor, affinity, draws)

    def restore(self, state: dict[str, Array]) -> EnsembleEvidence:
        factor = restored_factor(state)
        return EnsembleEvidence(Frame(state["centre"], state["spread"]), state["X"], factor, None, ())

    def config(self) -> dict[str, Any]:
        config = super().config()
        return config | {"methods": [method.config() for method in self.members]}

    def _drawn(
        self, X: Array, n_clusters: int
    ) -> tuple[list[tuple[Member, int, Said]], NDArray[np.intp], tuple[str, ...]]:
        """Draws, the items that methods may see, and notes: all items but for scattered ones, where clusters are more
        valid without these.
        """
        resamples = [self._resample(draw, len(X), n_clusters) for draw in range(self.n_draws)]
        everyone, shown = np.arange(len(X)), np.unique(np.concatenate(resamples))
        far = _far(X, shown) if n_clusters > 1 else np.ones(len(shown), dtype=bool)
        left = scattered_items(X[shown[~far]], n_clusters, self.seed) if not far.all() else None
        if left is None:
            return self._draws_of(X, n_clusters, resamples), everyone, ()
        near = shown[~far]
        kept = near[~left]
        parts = [seen[np.isin(seen, kept)] for seen in resamples]
        if min(len(part) for part in parts) < ITEMS * n_clusters:
            return self._draws_of(X, n_clusters, resamples), everyone, ()
        above = self._draws_of(X, n_clusters, parts)
        said = [of_all.labels[near] for _, _, of_all in above]
        labels = said[int(agreement(said).sum(axis=1).argmax())]
        drawn = self._draws_of(X, n_clusters, resamples)
        if not are_scattered(X[near], left, labels, self.seed):
            return drawn, everyone, ()
        of_all, of_kept = (
            self._best_log_odds(X, each, n_clusters, seen) for each, seen in ((drawn, everyone), (above, kept))
        )
        if of_kept <= of_all + MORE_VALID:
            return drawn, everyone, ()
        return above, kept, (_note_on_scattered(int(left.sum()), len(shown), len(X)),)

    def _best_log_odds(
        self, X: Array, drawn: Sequence[tuple[Member, int, Said]], n_clusters: int, among: NDArray[np.intp]
    ) -> float:
        """The largest log odds of a draw that has so many clusters."""
        seen, names = among[self._judged_items(len(among))], {one.name for one in self.voting}
        voting = [
            (one.name, np.unique(said.labels[seen], return_inverse=True)[1])
            for one, _, said in drawn
            if one.name in names
        ]
        labels = [own for _, own in voting]
        as_asked = [own.max() + 1 == n_clusters for own in labels]
        with limit_threads(1):
            log_odds = Validity.of(X[seen]).log_odds_at(labels, agreement(labels), [name for name, _ in voting])
        return float(log_odds[as_asked].max(initial=-np.inf))

    def _draws_of(
        self, X: Array, n_clusters: int, resamples: Sequence[NDArray[np.intp]]
    ) -> list[tuple[Member, int, Said]]:
        """The member, the number of items that it saw, and what it says of all items: of each draw.

        One resample a draw, the same for every method: methods then differ by their ideas and not by their items, and
        the neighbours of the items that were not seen are looked for once.
        """
        began = time.monotonic()
        members = [[method.varied(draw) for method in self.voting] for draw in range(self.n_draws)]
        one = self.components
        last = one if one is not None and one.has_room(len(resamples[0]), n_clusters, X.shape[1]) else None
        if last is not None:
            members[0].append(last)
        parts = [
            ("draws", own, n_clusters, self.seed, draw, self.max_items, seen, X)
            for draw, (own, seen) in enumerate(zip(members, resamples))
        ]
        said: list[list[Said] | None] = [recalled(*each) for each in parts]
        missing = [draw for draw in range(self.n_draws) if said[draw] is None]
        columns = Columns.of(X)
        beside = columns.categories(X) is not None
        shown = {draw: columns.with_latent_variables(X, self.seed + draw) if beside else X for draw in missing}
        # A few draws at a time, all by one method and then by the next, which finds the neighbours of a draw's items.
        tasks = [
            (members[draw][at], draw)
            for low in range(0, len(missing), KEPT)
            for at in range(len(self.voting))
            for draw in missing[low : low + KEPT]
        ]
        tell("clustering", 0, len(tasks))
        with shared_search():
            found = outcomes_of(
                lambda task: self._cluster(*task, shown[task[1]], resamples[task[1]], n_clusters),
                tasks,
                len(X),
                told=lambda n_done: tell("clustering", n_done, len(tasks)),
            )
        of_draw: dict[int, list[Clustering]] = {draw: [] for draw in missing}
        for (_, draw), each in zip(tasks, found, strict=True):
            of_draw[draw].append(each)  # in the order of the methods
        if last is not None and 0 in of_draw:  # it begins at what the others say
            begun, rng, jobs = [each.labels for each in of_draw[0]], self._rng(last, 0), n_threads()
            with limit_threads(1):
                fit = last.fitted(X[resamples[0]], n_clusters, rng, begun, n_jobs=jobs).clustering
            # It knows of categories, and places the other items by their own.
            others, score = np.delete(X, resamples[0], axis=0), fit.score
            of_draw[0].append(replace(fit, score=None if score is None else lambda _: score(others)))
        for n_done, draw in enumerate(missing):
            tell("placing all items in the clusters", n_done, len(missing))
            make = partial(extended, shown[draw], resamples[draw], of_draw[draw])
            said[draw] = lasting(make, *parts[draw], began=began)
        tell("building the affinity", 0, 1)
        flat = [each for of_all in said for each in of_all or ()]
        sizes = [len(seen) for own, seen in zip(members, resamples) for _ in own]
        return [(one, size, each) for one, size, each in zip((one for own in members for one in own), sizes, flat)]

    def _resample(self, draw: int, n: int, n_clusters: int) -> NDArray[np.intp]:
        """The items that the methods see in one draw; all of them where a resample would have no more than clusters."""
        size = min(n if draw == 0 else max(int(np.ceil(self.share * n)), n_clusters + 1), n, self.max_items)
        if size == n or size <= n_clusters:
            return np.arange(n)
        return np.sort(np.random.default_rng([self.seed, draw]).permutation(n)[:size])

    def _cluster(self, one: Member, draw: int, X: Array, seen: NDArray[np.intp], n_clusters: int) -> Clustering:
        if min(len(seen), self.max_items) <= n_clusters:
            return Clustering(np.arange(len(seen)) % n_clusters)  # no more items than clusters: nothing to say
        return one.cluster(X[seen], n_clusters, self._rng(one, draw))

    def _rng(self, one: Member, draw: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, draw, zlib.crc32(one.name.encode())])


def _seen(Z: Array) -> Array:
    """What methods see of items in a frame: few coordinates, above noise where all columns are of numbers."""
    return in_coordinates(Z if Columns.of(Z).blocks else above_noise(Z))


def _note_on_scattered(n: int, n_shown: int, n_items: int) -> str:
    """What is said of items that were left out."""
    of = "" if n_shown == n_items else f" of {n_shown:,} that were drawn"
    left = f"{count(n, 'scattered item')}{of}"
    return f"clusters were looked for without {left}, a background beneath them: these have the labels of neighbours"


def _copies_of(Y: Array, heavy: NDArray[np.intp], weights: Array | None, rng: np.random.Generator) -> Array:
    """Copies of items that come often and lie far from all others, each moved a little: without them such an item is
    one among many for the methods, which are shown every item once.
    """
    if weights is None or not len(heavy):
        return np.empty((0, Y.shape[1]))
    item = np.repeat(heavy, np.minimum(weights[heavy], COPIES).astype(np.intp) - 1)
    return np.asarray(Y[item] + MOVED * Y.std(axis=0) * rng.normal(size=(len(item), Y.shape[1])))


def _far(Y: Array, seen: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which of the items seen lie far from all others; none where there are categories, of which one may be rare."""
    X = Y[seen]
    if len(X) <= NEIGHBORS or Columns.of(X).categories(X) is not None:
        return np.zeros(len(X), dtype=bool)
    near, distance = neighbors_among(X, NEIGHBORS)
    reach = distance[:, -1]
    far = far_items(reach, near)
    if far.any() and len(X) < len(Y):  # of many, what is seen of a small cluster may be as few
        among_all = nearest(X[far], Y, NEIGHBORS + 1, "euclidean", None, itself=False)[1][:, -1]
        far[far] = among_all >= JUMP * reach[~far].max()
    return far
