"""Names of families: taken once."""

import pytest

from partita.affinity import Affinity, Builder, DenseAffinity
from partita.errors import InputError
from partita.objectives import Objective
from partita.registry import enrol
from partita.solvers import ProjectedGradient, Solver


def test_a_name_that_another_class_has_is_refused_and_the_first_one_stays():
    with pytest.raises(InputError, match="'dense'"):
        type("Mine", (DenseAffinity,), {"name": "dense"})
    assert Affinity.kinds["dense"] is DenseAffinity
    with pytest.raises(InputError, match="'projected-gradient'"):
        type("Mine", (ProjectedGradient,), {"name": "projected-gradient"})
    assert Solver.registry["projected-gradient"] is ProjectedGradient


def test_a_class_defined_again_takes_its_own_place():
    known = {}
    first, second = (type("Mine", (), {"name": "mine"}) for _ in range(2))
    enrol(known, first)
    enrol(known, second)
    assert known == {"mine": second}


@pytest.mark.parametrize("family", [Affinity.kinds, Builder.registry, Objective.registry, Solver.registry])
def test_every_name_is_that_of_the_class_it_stands_for(family):
    for name, kind in family.items():
        assert kind.name == name
