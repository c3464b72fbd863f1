"""Components of a mixture, or what unlike methods agree on: which are the better clusters, told without labels?

    python benchmarks/components.py [--sets 40] [--of-family 6]

Learns the constants `partita.ensemble.belief.BELIEVED` on sets of the families of `families.py` and on mixtures
whose every number is drawn, of 2 to 8 clusters and ("crowded": round ones mostly, in 2 to 5 columns) of 9 to 40, with
the true number of clusters and with that which each finds. Of each set there is the clustering of the default's other
methods and that of a mixture of components, begun at what they say, their adjusted Rand index with the truth, and the
statistics by which the rule chooses. A kind of data that is shown was left out of learning.

The temperature of the numbers of components is that at which the most probable one is right as often as it says, on
the drawn mixtures.
"""

from __future__ import annotations

import argparse
import warnings
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.linear_model import LogisticRegression

from families import FAMILIES, drawn
from mixtures import Setting, draw, settings_drawn
from partita.ensemble import Components, Ensemble, Validity, adjusted_rand
from partita.ensemble.belief import BELIEVED, OF_SPHERES, TEMPERATURE, believed, probabilities_of_numbers, starts_of
from partita.ensemble.builder import METHODS
from partita.ensemble.components import fitted_at
from partita.ensemble.units import frame_of
from partita.ensemble.weights import agreement

Starts = dict[int, list[np.ndarray]]
CROWDED = "crowded"
MIXTURES = ("gaussian", "student", "skewed", "curved", CROWDED)
FIRST_SEED, SEED, MOST_ITEMS = 500, 2024, 2000
# Of families and of drawn mixtures, in what is learned and in what is shown at the end.
SHARE_OF_FAMILIES = 2 / 3
# The rule's own constants are hardly held back.
REGULARISATION = 1e3


class Pair(NamedTuple):
    """The two clusterings of a set: their adjusted Rand indices, and what the rule sees."""

    kind: str
    given: bool
    others: float
    components: float
    seen: tuple[float, float, float]
    chosen: bool
    most_probable: float
    number_is_right: bool


def crowded(i: int) -> Setting:
    """A mixture of many clusters that overlap."""
    rng = np.random.default_rng([SEED, i])
    K = int(rng.integers(9, 41))
    n = int(min(max(40 * K, 600 * 4.0 ** rng.random()), 2500))
    accuracy, elongation = float(rng.uniform(0.75, 0.98)), float(rng.choice([1.0, 1.0, 1.5, 3.0]))
    return Setting(
        "gaussian", K, int(rng.choice([2, 2, 3, 5])), n, accuracy, elongation, float(rng.choice([1, 1.5, 4]))
    )


def sets(n_drawn: int, of_family: int) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Kind of data, items and labels, -1 for noise."""
    found = []
    for kind in MIXTURES:
        settings = map(crowded, range(n_drawn)) if kind == CROWDED else settings_drawn(n_drawn, kind, SEED)
        for i, setting in enumerate(settings):
            one = draw(setting, FIRST_SEED + i)
            found.append((kind, one.X, one.posterior.argmax(axis=1)))
    for name in FAMILIES:
        if name != "one_cluster":
            found += [(f"family {name}", *drawn(name, FIRST_SEED + seed)) for seed in range(of_family)]
    return found


def at_number(X: np.ndarray, n_clusters: int) -> tuple[np.ndarray, Starts]:
    """What the other methods say with a number that is given: the draw that has most in common with all, and the
    first draw of each method.
    """
    draws = Ensemble(METHODS, 3).build(X, n_clusters=n_clusters).draws
    first = {draw.method: draw.labels for draw in reversed(draws)}
    most = agreement([draw.labels for draw in draws]) @ [draw.weight for draw in draws]
    return draws[int(most.argmax())].labels, {n_clusters: list(first.values())}


def consensus(X: np.ndarray) -> tuple[np.ndarray, Starts] | None:
    """What they say of the number and the clusters, and the first draw of each method at each number.

    None also where items lie far from all others, which are not clustered.
    """
    found = Ensemble(METHODS, 3).consensus(X)
    return None if found is None or len(found.partition) < len(X) else (found.partition, starts_of(found))


def pairs(kind: str, X: np.ndarray, y: np.ndarray) -> list[Pair]:
    """Both clusterings, with the true number and with that which each finds."""
    warnings.simplefilter("ignore")
    if len(X) > MOST_ITEMS:
        judged = np.sort(np.random.default_rng(0).choice(len(X), MOST_ITEMS, replace=False))
        X, y = X[judged], y[judged]
    n_true, known, found = len(np.unique(y[y >= 0])), y >= 0, []
    Z = frame_of(X)(X)
    judge = Validity.of(Z)
    for given in (True, False):
        others, starts = (at_number(X, n_true) if given else consensus(X)) or (None, {})
        if others is None:
            continue
        fits = fitted_at(Components(), Z, sorted(starts), 0, starts)
        numbers, bic = list(fits), [fit.bic for fit in fits.values()]
        best = fits[numbers[int(np.argmax(bic))]]
        components, others = (np.unique(labels, return_inverse=True)[1] for labels in (best.clustering.labels, others))
        if min(others.max(), components.max()) == 0:
            continue
        alike = adjusted_rand(components, others)
        own, theirs = (judge.statistics(labels, alike) for labels in (components, others))
        odds = float(judge.weights @ np.subtract(own, theirs))
        scores = [adjusted_rand(labels[known], y[known]) for labels in (others, components)]
        chances = probabilities_of_numbers(bic)
        found.append(
            Pair(
                kind,
                given,
                *scores,
                (odds, own.gaps, theirs.gaps),
                believed(own, theirs, judge.weights, 0.0 if given or best.full is None else OF_SPHERES) > 0.5,
                float(chances.max()),
                numbers[int(np.argmax(bic))] == n_true,
            )
        )
    return found


def learned(found: list[Pair]) -> np.ndarray:
    """Constants under which the rule is most likely to be right, a set weighing by what is at stake."""
    stake = np.array([abs(one.components - one.others) for one in found])
    family = np.array([one.kind.startswith("family") for one in found])
    for given in (True, False):
        for own, share in ((family, SHARE_OF_FAMILIES), (~family, 1 - SHARE_OF_FAMILIES)):
            here = own & np.array([one.given == given for one in found])
            stake[here] *= share / max(here.sum(), 1)
    better = [one.components > one.others for one in found]
    rule = LogisticRegression(C=REGULARISATION)
    rule.fit([one.seen for one in found], better, sample_weight=stake / stake.mean())
    return np.r_[rule.intercept_, rule.coef_[0]]


def main(n_drawn: int, of_family: int) -> None:
    show([one for many in Parallel(2)(delayed(pairs)(*one) for one in sets(n_drawn, of_family)) for one in many])


def show(found: list[Pair]) -> None:
    """Print what was learned, and how good the rule is."""
    print("constants learned", learned(found).round(2).tolist(), "in use", list(BELIEVED))
    own = [one for one in found if not one.given and not one.kind.startswith("family")]
    said, right = np.mean([one.most_probable for one in own]), np.mean([one.number_is_right for one in own])
    print(f"at temperature {TEMPERATURE:g} the most probable number says {said:.2f} and is right in {right:.2f}")
    print("\n| data | number | sets | other methods | components | better of both | rule, left out | rule in use |")
    print("|---|---|---|---|---|---|---|---|")
    groups = {kind: (kind,) for kind in MIXTURES}
    groups["families"] = tuple(sorted({one.kind for one in found if one.kind.startswith("family")}))
    for name, kinds in groups.items():
        for given in (True, False):
            rows = []
            for kind in kinds:
                constants = learned([one for one in found if one.kind != kind])
                for one in found:
                    if one.kind == kind and one.given == given:
                        left_out = one.components if constants @ (1.0, *one.seen) > 0 else one.others
                        in_use = one.components if one.chosen else one.others
                        both = max(one.others, one.components)
                        rows.append((one.others, one.components, both, left_out, in_use))
            shown = " | ".join(f"{mean:.3f}" for mean in np.mean(rows, axis=0))
            print(f"| {name} | {'given' if given else 'found'} | {len(rows)} | {shown} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=40, help="mixtures drawn of each kind")
    parser.add_argument("--of-family", type=int, default=6, help="sets of each family")
    given = parser.parse_args()
    main(given.sets, given.of_family)
